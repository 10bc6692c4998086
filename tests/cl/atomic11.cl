// C11 atomics in all forms, orders and scopes.
//! options -cl-std=CL3.0
//! run short_forms global=64 local=64/16
//! arg p int[1] = 5 -> 5 + 64 - 128
//! arg u uint[4] = {7, 0, 4294967295, 3} -> {70, 63, 0, 67}
//! arg f int[1] = 0 -> bits(2.5)
//! arg seen int[64] -> any
kernel void short_forms(volatile global atomic_int *p, volatile global atomic_uint *u, volatile global atomic_float *f,
                        global int *seen)
{
    int i = get_global_id(0);
    seen[i] = atomic_fetch_add(p, 1) + atomic_fetch_sub(p, 2);
    atomic_fetch_max(&u[0], (uint)i + 7);
    atomic_fetch_or(&u[1], (uint)i);
    atomic_fetch_and(&u[2], ~(1u << (i & 31)));
    uint old = atomic_load(&u[3]);
    while (!atomic_compare_exchange_weak(&u[3], &old, old + 1)) {}
    atomic_store(f, 2.5f);
}

//! run ordered global=64 local=32
//! arg p int[3] = {0, 100, 9} -> {64, 36, 9}
//! arg ok int[64] -> 1
kernel void ordered(volatile global atomic_int *p, global int *ok)
{
    int i = get_global_id(0), want = 8;
    atomic_fetch_add_explicit(&p[0], 1, memory_order_acquire);
    atomic_fetch_sub_explicit(&p[1], 1, memory_order_acq_rel, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    ok[i] = !atomic_compare_exchange_strong_explicit(&p[2], &want, 5, memory_order_seq_cst, memory_order_relaxed) && want == 9;
}

// A lock of a flag: what one holder writes the next one sees.
//! run locked global=8 local=1
//! arg flag int[1] = 0 -> 0
//! arg sum int[1] = 0 -> 28
kernel void locked(volatile global atomic_flag *flag, volatile global int *sum)
{
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) {}
    *sum += get_global_id(0);
    atomic_flag_clear_explicit(flag, memory_order_release, memory_scope_device);
}

//! run scopes global=64 local=32
//! arg p int[4] = {0, 5, 0, 0} -> {64, 5, 64, 1}
//! arg ok int[64] -> 1
kernel void scopes(volatile global atomic_int *p, global int *ok)
{
    local atomic_uint shared;
    if (!get_local_id(0)) atomic_init(&shared, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    atomic_fetch_add_explicit(&shared, 1, memory_order_release, memory_scope_work_group);
    atomic_fetch_add_explicit(&p[0], 1, memory_order_seq_cst, memory_scope_all_svm_devices);
    atomic_fetch_add_explicit(&p[2], 1, memory_order_relaxed, memory_scope_all_devices);
    atomic_store_explicit(&p[3], 1, memory_order_release, memory_scope_all_svm_devices);
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_all_svm_devices);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
    uint seen = atomic_load_explicit(&shared, memory_order_acquire, memory_scope_work_group);
    ok[get_global_id(0)] = seen == 32 && atomic_load_explicit(&p[1], memory_order_seq_cst, memory_scope_device) == 5;
}
