// Branches, scalar and divergent, over more than the four kilobytes their offsets reach.
// run: far_branch global=64 local=64 args=b512,i256,5
// run: far_branch global=33 local=33 args=b264,i256,3
#define STEP(k) if ((t[(q + k) & 63] ^ i) & (1 << (k % 5))) { r = r * 3u + t[(r + k * 7) & 63]; q ^= r; } else q += k;
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7) STEP(k + 8) STEP(k + 9)
#define MANY(k) STEPS(k) STEPS(k + 10) STEPS(k + 20) STEPS(k + 30) STEPS(k + 40)
kernel void far_branch(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), r = 0, q = g;
    for (int i = 0; i < n; i++) {
        if (g & 1) {
            MANY(0)
        } else {
            MANY(100)
            if ((q & 7) == 3) break;
        }
        if (n == 5) {
            MANY(50)
        }
    }
    o[2 * g] = r;
    o[2 * g + 1] = q;
}
#ifdef HOST
ARGS3(far_branch, global int *, global const int *, int)
#endif
