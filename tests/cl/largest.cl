// Groups of 256, which small machines have too: their warps share the registers of an SM, so each has few. Of the
// documents' machines that is 32 scalar and 128 vector registers.

// A routine, whose arguments all lanes have in common.
//! run routine global=256 local=256
//! arg in int[258] = i * 5 + 3
//! arg n int = 11
//! arg out int[256] -> i * 11 + 5 + ((i + 2) * 5 + 3) * 11 + 8
__attribute__((noinline)) int multiply_add(int a, int b, int c) { return a * b + c; }
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void routine(global const int *in, int n, global int *out)
{
    int i = get_global_id(0);
    out[i] = multiply_add(i, n, 5) + multiply_add(in[i + 2], n, 8);
}

// A routine with more such arguments than there are registers for.
//! run many_arguments global=256 local=256
//! arg p int[12] = i * 3 + 1
//! arg out int[256] -> i + sum(k, 0, 12, (k * 3 + 1) * (k + 1))
__attribute__((noinline)) int weigh(int a, int b, int c, int d, int e, int f, int g, int h, int k, int l, int m, int n)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * k + 10 * l + 11 * m + 12 * n;
}
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void many_arguments(constant int *p, global int *out)
{
    int i = get_global_id(0);
    out[i] = i + weigh(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11]);
}

// Routines of the library.
//! run doubles global=256 local=256
//! arg in int[256] = i * 7 + 1
//! arg out double[256] -> (i * 7 + 1) * 0.25 / 3 + sqrt((i * 7 + 1) * 0.25) ~ 4ulp
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void doubles(global const int *in, global double *out)
{
    int i = get_global_id(0);
    double a = in[i] * 0.25;
    out[i] = a / 3 + sqrt(a);
}

// Twice as many values that all lanes have in common as scalar registers.
//! run uniforms global=256 local=256
//! arg in int[64] = i * 3 + 1
//! arg rounds int = 3
//! arg out int[256] -> i + sum(r, 0, 3, sum(k, 0, 64, (k * 3 + 1) * (r + k % 5)))
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void uniforms(constant int *in, int rounds, global int *out)
{
    int s = get_global_id(0), q[64];
#pragma unroll
    for (int k = 0; k < 64; k++) q[k] = in[k];
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 64; k++) s += q[k] * (r + k % 5);
    out[get_global_id(0)] = s;
}

// 180 values of each work-item, all of them read before the first is needed.
//! run values global=256 local=256
//! arg in int[435] = i * 7 % 1000
//! arg out int[256] -> sum(k, 0, 180, in[i + 179 - k] * (k + 1) + in[i + k * 7 % 180] * (k ^ 5))
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void values(global const volatile int *in, global int *out)
{
    int i = get_global_id(0), a[180], s = 0;
#pragma unroll
    for (int k = 0; k < 180; k++) a[k] = in[i + k];
#pragma unroll
    for (int k = 0; k < 180; k++) s += a[179 - k] * (k + 1) + a[k * 7 % 180] * (k ^ 5);
    out[i] = s;
}
