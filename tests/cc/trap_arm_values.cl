// Trap 6 (rules R1, R3, R4): a value uniform in each arm differs behind them.
// run: choose global=64 local=64 args=b512,b256,7,9
// run: chain global=64 local=32 args=b256,b256,7,9
// run: swap global=64 local=32 args=b512,b256,3,11
kernel void choose(global int *o, global const int *t, int a, int b)
{
    int g = get_global_id(0), v, w = t[3];
    if (g % 5 == 2) { o[2 * g] = w; v = a * 3; w = t[a]; }
    else { o[2 * g] = -w; v = b + 1; }
    o[2 * g + 1] = v * 1000 + w;
}
kernel void chain(global int *o, global const int *t, int a, int b)
{
    int g = get_global_id(0), v = 0;
    if (g & 1) {
        if (g & 2) v = a; else if (t[g & 63] & 1) v = b; else { v = a + b; o[g] = v; }
    } else if (g & 4) v = t[a & 63];
    else { v = t[b & 63]; o[g] = 2; }
    o[g] += v;
}
// scalars rotated by phis in a loop under a divergent exit
kernel void swap(global int *o, global const int *t, int a, int b)
{
    int g = get_global_id(0), x = a, y = b, z = 1;
    for (int i = 0; i < 30; i++) {
        int h = x;
        x = y;
        y = z;
        z = h + t[i & 63] % 3;
        if ((x + g) % 7 == 0) break;
    }
    o[2 * g] = x * 100 + y;
    o[2 * g + 1] = z;
}
#ifdef HOST
ARGS4(choose, global int *, global const int *, int, int)
ARGS4(chain, global int *, global const int *, int, int)
ARGS4(swap, global int *, global const int *, int, int)
#endif
