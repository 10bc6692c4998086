// i1 values: phi, xor with true, select, stores, constants (true is 1, never -1), odd widths of any and all.
// run: bools global=64 local=32 args=b1024,b256,3
// run: anyall global=64 local=32 args=b256,b1024
kernel void bools(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), x = t[g];
    bool a = x > 0, b = (x & 1) == 0, c = a;
    if (g & 1) { if (x & 2) c = true; else c = b; } else if (n == 3) c = !a;
    bool d = a ^ b, e = a && !c, f = true;
    for (int i = 0; i < 5 && f; i++) f = ((x >> i) & 3) != 3;
    o[4 * g] = c + 2 * d + 4 * e + 8 * f;
    o[4 * g + 1] = (a ? b : c) ? x : -x;
    o[4 * g + 2] = (int)(a == c) - (int)d;
    o[4 * g + 3] = f ? c : 1;
}
kernel void anyall(global int *o, global const int4 *t)
{
    int g = get_global_id(0);
    int4 v = t[g] & 7, m = v < (int4)4;
    o[g] = any(m) + 2 * all(m) + 4 * any(v == 0) + 8 * all(v.xy > 0) + 16 * any(convert_char4(v) == (char4)1);
}
#ifdef HOST
ARGS3(bools, global int *, global const int *, int)
ARGS2(anyall, global int *, global const int4 *)
#endif
