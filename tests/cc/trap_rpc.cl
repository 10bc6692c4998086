// Traps 13 and 14: the reconvergence address is set anew before every branch, also behind a join that
// resumed another path; values uniform within an arm only.
// run: paths global=64 local=64 args=b256,b256,4
kernel void paths(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), s = 0;
    if (g & 1) {
        if (g & 2) s = t[1]; else s = t[2];
        if (g & 4) s += t[s & 63]; else s ^= n;
        if (g & 8) s += 1;
    } else {
        if (g & 16) { if (g & 32) s = n; else s = t[n]; }
        if (t[g & 63] & 1) s += 5; else if (t[g & 63] & 2) s *= 3;
    }
    if (s & 1) s = s / 3; else s = -s;
    o[g] = s;
}
#ifdef HOST
ARGS3(paths, global int *, global const int *, int)
#endif
