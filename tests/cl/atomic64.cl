// Atomic operations on 64 bits: many work-items of many groups on one place, and on neighbours.
//! options -cl-std=CL3.0
//! run old_names global=128 local=32/64
//! arg p ulong[9] = {5, 4294967295, 1, 0, 9223372036854775807, 7, 4294967297, 1, 3}
//!     -> {5 + 8256, 4294967295 + 128, 1 - 128, 4294967296 * 127, 0, 0, 4294967297 * 2, 2, 8589934592}
//! arg s long[2] = {5, -5} -> {-127, 127}
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void old_names(global ulong *p, global long *s)
{
    uint i = get_global_id(0);
    atom_add(&p[0], i + 1);
    atom_inc(&p[1]);
    atom_dec(&p[2]);
    atom_max(&p[3], (ulong)i << 32);
    atom_min(&p[4], (ulong)i);
    atom_and(&p[5], 0xfffffffffffffff0ul);
    if (i == 77) atom_xchg(&p[6], p[6] * 2);
    if (i == 5) atom_cmpxchg(&p[7], 1, 2), atom_cmpxchg(&p[7], 1, 3);
    if (i == 6) atom_xor(&p[8], 3), atom_or(&p[8], 8589934592ul);
    atom_min(&s[0], -(long)i);
    atom_max(&s[1], (long)i);
}

//! run eleven global=96 local=32/48
//! arg p long[3] = {0, 10, 0} -> {20 * 24 * 4294967297, 10, 0}
//! arg ok int[96] -> 1
kernel void eleven(volatile global atomic_long *p, global int *ok)
{
    local atomic_ulong inside;
    uint i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    if (!l) atomic_init(&inside, 1ul << 40);
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong before = atomic_fetch_add_explicit(&inside, 3ul, memory_order_relaxed, memory_scope_work_group);
    long old = atomic_load(&p[0]);
    if (i % 10 < 2) { while (!atomic_compare_exchange_weak(&p[0], &old, old + 24 * 4294967297l)) {} }
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong all = atomic_load_explicit(&inside, memory_order_relaxed, memory_scope_work_group);
    ok[i] = before % 3 == (1ul << 40) % 3 && all == (1ul << 40) + 3 * n;
}

//! run reals global=96 local=48
//! arg p double[2] = {0.5, 1} -> {10.5, 3}
//! arg ok int[96] -> 1
kernel void reals(volatile global atomic_double *p, global int *ok)
{
    local atomic_double inside;
    uint l = get_local_id(0);
    if (!l) atomic_init(&inside, -0.5);
    barrier(CLK_LOCAL_MEM_FENCE);
    double own = atomic_load(&inside), sum = atomic_load(&p[0]);
    if (l % 10 == 3) { while (!atomic_compare_exchange_weak(&inside, &own, own + 0.25)) {} }
    if (l % 10 == 4) { while (!atomic_compare_exchange_strong(&p[0], &sum, sum + 1)) {} }
    double was = atomic_exchange(&p[1], 3.0);
    barrier(CLK_LOCAL_MEM_FENCE);
    ok[get_global_id(0)] = atomic_load_explicit(&inside, memory_order_relaxed, memory_scope_work_group) == 0.75 && (was == 1 || was == 3);
}
