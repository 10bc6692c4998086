// Program-scope constants: arrays, structs, two dimensions, and __constant arguments.
constant int primes[10] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
constant float grid[2][3] = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}};
constant char text[] = "Ventus";
constant struct { short a; int b[2]; } pair[2] = {{1, {2, 3}}, {4, {5, 6}}};
constant long wide = 123456789012345L;
constant uchar4 colour = (uchar4)(1, 2, 3, 4);

//! run constants global=60 local=60/20/5
//! arg given int[4] = {100, 200, 300, 400}
//! arg primes int[10] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29}
//! arg p int[60] -> primes[i % 10]
//! arg g float[60] -> 1 + i % 6
//! arg t int[60] -> i % 7 == 0 ? 86 : i % 7 == 1 ? 101 : i % 7 == 2 ? 110 : i % 7 == 3 ? 116 : i % 7 == 4 ? 117 : i % 7 == 5 ? 115 : 0
//! arg s int[60] -> (i % 2 ? 4 : 1) + (i % 2 ? 5 : 2) + i % 3 % 2
//! arg w long[60] -> 123456789012345 + 3
//! arg c int[60] -> (i % 4 + 1) * 100
kernel void constants(constant int *given, constant int *check, global int *p, global float *g, global int *t, global int *s,
                      global long *w, global int *c)
{
    int i = get_global_id(0);
    p[i] = primes[i % 10] == check[i % 10] ? primes[i % 10] : -1;
    g[i] = grid[i % 6 / 3][i % 3];
    t[i] = text[i % 7];
    s[i] = pair[i % 2].a + pair[i % 2].b[i % 3 % 2];
    w[i] = wide + colour.z;
    c[i] = given[i % 4];
}
