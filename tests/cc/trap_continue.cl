// Trap 5 (rule R1): `continue` under a divergent condition joins at the header or a later block.
// run: skip global=64 local=32 args=b256,b256,25
// run: skip_do global=50 local=25 args=b200,b256,25
kernel void skip(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), s = 0, c = 0;
    for (int i = 0; i < n; i++) {
        int u = t[i & 63] & 31;
        if ((g & 3) == (i & 3)) continue;
        if (g > u) { c = i; continue; }
        s += u * c + i;
    }
    o[g] = s + c;
}
kernel void skip_do(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), s = 1, i = 0, last = 0;
    do {
        if ((t[i & 63] + g) & 1) { last = i * 2; continue; }
        s = s * 3 + last;
        if (s < g) continue;
        last = i;
    } while (++i < n);
    o[g] = s ^ last;
}
#ifdef HOST
ARGS3(skip, global int *, global const int *, int)
ARGS3(skip_do, global int *, global const int *, int)
#endif
