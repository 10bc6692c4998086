// 32-bit atomics in global and local memory; results that do not depend on the order.
//! run counters global=240 local=240/48/20/1/null
//! arg sums int[10] = {0, 1000, 0, 1000, -2147483648, 2147483647, -1, 0, 0, 5}
//!     -> {28680, 1000 - 240, 240, 1000 - 28680, 239, 0, -256, 255, 0, 5}
kernel void counters(volatile global int *sums)
{
    int g = get_global_id(0);
    atomic_add(&sums[0], g);
    atomic_dec(&sums[1]);
    atomic_inc(&sums[2]);
    atomic_sub(&sums[3], g);
    atomic_max(&sums[4], g);
    atomic_min(&sums[5], g);
    atomic_and(&sums[6], ~g);
    atomic_or(&sums[7], g);
    atomic_xor(&sums[8], g);
}

//! run unsigneds global=64 local=64/16
//! arg u uint[3] = {0, 4294967295, 4294967200} -> {4294967295, 7, 4294967200 + 64}
kernel void unsigneds(volatile global uint *u)
{
    uint g = get_global_id(0);
    atomic_max(&u[0], 0xffffffffu - g);
    atomic_min(&u[1], g + 7);
    atomic_add(&u[2], 1u);
}

// Every old value is handed out once.
//! run tickets global=200 local=200/40/25
//! arg next int[1] = 0 -> 200
//! arg seen int[200] -> sorted i
kernel void tickets(volatile global int *next, global int *seen)
{
    seen[get_global_id(0)] = atomic_inc(next);
}

//! run swap global=64 local=64
//! arg slot int[2] = {-1, 5} -> any
//! arg old int[65] = 0 -> sorted i - 1
//! arg by_compare int[1] = 0 -> 1
kernel void swap(volatile global int *slot, global int *old, volatile global int *by_compare)
{
    int g = get_global_id(0);
    old[g] = atomic_xchg(&slot[0], g);
    if (atomic_cmpxchg(&slot[1], 5, g + 10) == 5) atomic_inc(by_compare);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (g == 0) old[64] = slot[0];
}

//! run in_local global=96 local=96/32/12
//! arg groups int[96] -> any
//! arg total int[1] = 0 -> sum(k, 0, 96, k)
kernel void in_local(global int *groups, volatile global int *total)
{
    volatile local int s[3];
    int l = get_local_id(0), g = get_global_id(0);
    if (l < 3) s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&s[l % 3], g);
    barrier(CLK_LOCAL_MEM_FENCE);
    groups[g] = s[l % 3];
    if (l == 0) atomic_add(total, s[0] + s[1] + s[2]);
}

// Atomics only some work-items execute, with and without use of the old value.
//! run some global=64 local=64
//! arg n int[2] = 0 -> {16, 48}
//! arg got int[64] = -1 -> any
kernel void some(volatile global int *n, global int *got)
{
    int g = get_global_id(0);
    if (g % 4 == 3) got[g] = atomic_inc(&n[0]);
    else atomic_inc(&n[1]);
}

//! run float_add global=64 local=64/16
//! arg sum int[1] = 0 -> bits(64 * 63 / 2)
kernel void float_add(volatile global int *sum)
{
    float mine = get_global_id(0);
    int old, seen = sum[0];
    do {
        old = seen;
        seen = atomic_cmpxchg(sum, old, as_int(as_float(old) + mine));
    } while (seen != old);
}
