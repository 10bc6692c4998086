// Trap 7: early returns in nested divergent code; every lane reaches the end with an empty SIMT stack.
// run: returns global=96 local=32 args=b384,b256,20
// run: returns global=45 local=45 args=b180,b256,20
kernel void returns(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), s = 0;
    if (g == 3) return;
    for (int i = 0; i < n; i++) {
        if (g & 1) {
            if ((t[i] & 15) == (g & 15)) { o[g] = i; return; }
            s += i;
        } else {
            for (int j = 0; j < 4; j++) {
                s += t[(i + j) & 63];
                if ((s & 31) == g % 32) { o[g] = s; return; }
            }
        }
        o[g] = s;
        if (s < -1000000) return;
    }
    o[g] ^= s;
}
#ifdef HOST
ARGS3(returns, global int *, global const int *, int)
#endif
