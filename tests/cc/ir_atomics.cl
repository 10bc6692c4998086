// Atomics of both signs on global and local memory under divergence; results that depend on order are
// only summed up. Compare-and-exchange loops lose nothing.
// run: every global=128 local=64 args=b256,b512
// run: exchange global=96 local=48 args=z512,b512
// run: cas global=100 local=50 args=b256,b512
kernel void every(global int *a, global const int *t)
{
    int g = get_global_id(0), v = t[g];
    local int l[4];
    if (get_local_id(0) < 4) l[get_local_id(0)] = t[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v & 1) {
        atomic_add(&a[0], v); atomic_sub(&a[1], v); atomic_or(&a[2], v); atomic_and(&a[3], v | 0xff); atomic_xor(&a[4], v);
        atomic_min(&a[5], v); atomic_max(&a[6], v);
        atomic_min((global uint *)&a[7], (uint)v); atomic_max((global uint *)&a[8], (uint)v);
        atomic_min(&l[0], v); atomic_max((local uint *)&l[1], (uint)v); atomic_add(&l[2], v);
    } else {
        atomic_inc(&a[9]); atomic_dec((global uint *)&a[10]);
        atomic_sub(&l[3], v);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 4) a[16 + get_group_id(0) * 4 + get_local_id(0)] = l[get_local_id(0)];
}
// a permutation: each item draws a number; the sum of the draws and of the marks is fixed
kernel void exchange(global int *a, global const int *t)
{
    int ticket = atomic_inc(&a[0]), old = atomic_xchg(&a[16 + ticket], 1);
    atomic_add(&a[1], ticket);
    atomic_add(&a[2], old);
    if (t[get_global_id(0)] & 2) atomic_add(&a[3], atomic_cmpxchg(&a[4], -1, 5) + 1);
}
kernel void cas(global uint *a, global const uint *t)
{
    int g = get_global_id(0);
    uint v = t[g], old, seen = a[v & 3];
    do {
        old = seen;
        seen = atomic_cmpxchg(&a[v & 3], old, old * 1u + v);
    } while (seen != old);
    global float *f = (global float *)&a[8];
    uint fo, fs = as_uint(1.0f);
    if (v & 4) {
        fs = a[20 + (g & 1)];
        do { fo = fs; fs = atomic_cmpxchg(&a[20 + (g & 1)], fo, fo ^ v); } while (fo != fs);
    }
    if (f == (global float *)a) a[0] = 1;
}
#ifdef HOST
ARGS2(every, global int *, global const int *)
ARGS2(exchange, global int *, global const int *)
ARGS2(cas, global uint *, global const uint *)
#endif
