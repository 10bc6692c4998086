// A program of OpenCL C 2.0.
//! options -cl-std=CL2.0
global int counter = 3;
global int *global where = &counter;

int last(const int *p, int n) { return p[n - 1]; }

//! run k global=32
//! arg out int[32] -> 2 * i + 40
kernel void k(global int *out)
{
    local int shared[32];
    int i = get_global_id(0), own[2] = {0, i};
    int (^doubled)(int) = ^(int x) { return 2 * x; };
    shared[i] = 6;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
    out[i] = doubled(last(own, 2)) + last(shared, 31 - i + 1) + *where + work_group_scan_inclusive_max(i) - i + get_enqueued_local_size(0) - 1;
}
