// Lanes that have left a loop run divergent code before the others go on in it: the join they wait for must stay known.
//! run leave global=64 local=64/32
//! arg trace int[64] = 0 -> any
//! arg out int[64] -> i % 7 <= i % 5 + 2 ? i % 7 + 10 * ((i + 6) / 7) : i % 5 + 2
kernel void leave(global int *trace, global int *out)
{
    int i = get_global_id(0), k = 0, n = 0;
    for (;; k++) {
        if (k == i % 7) {
            for (int left = i; left > 0; left -= 7) {
                trace[i] += left;
                n += 10;
            }
            break;
        }
        if (k == i % 5 + 2) break;
        trace[i]++;
    }
    out[i] = n + k;
}

// A loop in a loop: both may set the join once, or the outer for both.
//! run nested global=64 local=64
//! arg out int[64] -> sum(k, 0, i % 5 + 1, min(k, i % 3) + 1)
kernel void nested(global int *out)
{
    int i = get_global_id(0), n = 0;
    for (int k = 0; k <= i % 5; k++)
        for (int m = 0; m <= k; m++) {
            n++;
            if (m == i % 3) break;
        }
    out[i] = n;
}

// More code than a base reaches, against the same in a loop.
//! run large global=64 local=64
//! arg in int[64] = i * 7 + 1
//! arg out int[64] -> 1
#define STEP(n) \
    if (x >> ((n) & 15) & 1) x = x * 3 + in[(x + (n)) & 63] / (x | 1) + (n); \
    else x ^= x >> ((n) & 3);
#define STEP8(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)
kernel void large(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i];
    STEP8(0) STEP8(8) STEP8(16) STEP8(24) STEP8(32) STEP8(40) STEP8(48) STEP8(56) STEP8(64) STEP8(72)
    int y = x;
    x = in[i];
    for (int n = 0; n < 80; n++) STEP(n)
    out[i] = x == y;
}
