// Bodies longer than a branch reaches (4 KB), under uniform and divergent conditions.
// run: far global=64 local=32 args=b256,b256,3
#define A8(x) x x x x x x x x
#define STEP s = s * 1664525u + (s >> 13) ^ t[s & 63u];
kernel void far(global uint *o, global const uint *t, int n)
{
    uint g = get_global_id(0), s = g;
    for (int i = 0; i < n; i++) {
        if (s & 1) { A8(A8(STEP)) if ((s & 7) == 3) continue; A8(STEP) }
        else { A8(A8(STEP STEP)) if ((s & 15) == 5) break; }
        if (n > 2) { A8(A8(STEP)) } else s += 3;
    }
    o[g] = s;
}
#ifdef HOST
ARGS3(far, global uint *, global const uint *, int)
#endif
