// Traps 11 and 12: barriers inside uniform loops and branches, local variables stored once, and
// local pointers as arguments.
// run: scan global=128 local=64 args=b512,b512,l512
// run: scan global=100 local=50 args=b400,b512,l512
// run: flag global=96 local=48 args=b384,b384,3
// run: branch global=120 local=40 args=b480,b480,3
kernel void scan(global int *o, global const int *t, local int *s)
{
    int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
    s[l] = t[g];
    for (int d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = l >= d ? s[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] = (int)((uint)s[l] + (uint)v);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[g] = s[n - 1 - l];
}
kernel void flag(global int *o, global const int *t, int n)
{
    local int done, round;
    int l = get_local_id(0), g = get_global_id(0), v = t[g] & 15;
    if (l == 0) round = 0;
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) done = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v > n) { v--; done = 0; }
        if (l == 0) round++;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (!done);
    o[g] = v * 100 + round;
}
kernel void branch(global int *o, global const int *t, int n)
{
    local int a[40], b[2];
    int l = get_local_id(0), g = get_global_id(0), w = get_group_id(0), r = 0;
    a[l] = t[g];
    if (w & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        r = a[39 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] = r + 1;
    } else if (n == 3) {
        if (l < 2) b[l] = w + l;
        barrier(CLK_LOCAL_MEM_FENCE);
        r = b[l & 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[g] = r ^ a[(l * 7) % 40];
}
#ifdef HOST
ARGS3(scan, global int *, global const int *, local int *)
ARGS3(flag, global int *, global const int *, int)
ARGS3(branch, global int *, global const int *, int)
#endif
