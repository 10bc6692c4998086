// Trap 17: what stands in front of a break runs after the lanes have joined: a loop that treats one
// lane after the other must still do its work for each.
// run: each global=64 local=32 args=z512,b256
// run: claim global=96 local=48 args=z512,b512
kernel void each(global int *c, global const int *t)
{
    int g = get_global_id(0);
    for (int turn = 0; turn < 64; turn++)
        if (turn == (int)get_local_id(0)) {
            c[g] += t[g] * 2 + 1;
            atomic_add(&c[100], 1);
            break;
        }
}
// every item claims one slot with compare and exchange; only the number of claims is looked at
kernel void claim(global int *c, global const int *t)
{
    int g = get_global_id(0), slot = t[g] & 63, tries = 0;
    while (atomic_cmpxchg(&c[slot], 0, 1) != 0) {
        slot = (slot + 1) & 127;
        if (++tries > 128) return;
    }
}
#ifdef HOST
ARGS2(each, global int *, global const int *)
ARGS2(claim, global int *, global const int *)
#endif
