// Switches: dense, sparse, fall-through, nested in loops, on uniform and divergent values.
// run: switches global=64 local=32 args=b512,b256,4
kernel void switches(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), r = 0;
    for (int i = 0; i < 6; i++) {
        int x = t[(g + i) & 63] & 15;
        switch (x) {
        case 0: r += 1;
        case 1: r *= 3; break;
        case 2: continue;
        case 7: r ^= n; break;
        case 9: case 10: case 11: if (r & 1) break; r += 100;
        default: r -= x;
        }
        switch (n + i) {
        case 4: r += 7; break;
        case 6: r = -r; break;
        case 1000: r = 0; break;
        }
        switch ((uint)r * 2654435761u >> 28) { case 3: o[g + 64] = i; goto out; }
    }
out:
    o[g] = r;
}
#ifdef HOST
ARGS3(switches, global int *, global const int *, int)
#endif
