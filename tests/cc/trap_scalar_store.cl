// Trap 8: a store of a uniform value to a uniform address may be done once; an atomic or private one not.
// run: stores global=64 local=32 args=b512,b256,5
// run: stores global=30 local=10 args=b512,b256,5
kernel void stores(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), mine[4] = {1, 2, 3, 4};
    if ((t[g & 63] & 3) == 1) {
        o[100] = n * 3;
        atomic_add(&o[101], n);
        atomic_inc(&o[102]);
        mine[n & 3] = n;
    }
    if (t[n] & 1) atomic_xor(&o[103], n);
    mine[(n + 1) & 3] += 10;
    o[g] = mine[g & 3] * 100 + mine[n & 3];
}
#ifdef HOST
ARGS3(stores, global int *, global const int *, int)
#endif
