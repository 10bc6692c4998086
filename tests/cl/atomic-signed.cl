// Signed operands of C11 atomics on unsigned objects: the front end has overloads of its own for them.
//! options -cl-std=CL3.0
//! run sums global=64 local=64/16
//! arg up uint[1] = 10 -> 10 + 63 * 32
//! arg down uint[1] = 5000 -> 5000 - 63 * 32
//! arg bits uint[1] = 0 -> 63
kernel void sums(volatile global atomic_uint *up, volatile global atomic_uint *down, volatile global atomic_uint *bits)
{
    int i = get_global_id(0);
    atomic_fetch_add_explicit(up, i, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_sub_explicit(down, i, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_or_explicit(bits, i, memory_order_relaxed, memory_scope_work_group);
}

//! run local_sum global=32 local=32
//! arg out uint[1] -> 1000 - 31 * 16
kernel void local_sum(global uint *out)
{
    local atomic_uint sum;
    int i = get_local_id(0);
    if (i == 0) atomic_init(&sum, 1000u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&sum, -i, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) *out = atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group);
}
