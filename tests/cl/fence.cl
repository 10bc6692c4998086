// Fences order what one work-item does with global and local memory; here only that they compile and change nothing.
//! run fences global=64 local=64
//! arg out int[64] -> 63 - i
kernel void fences(global int *out)
{
    local int shared[64];
    int i = get_local_id(0);
    shared[i] = i;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = -1;
    write_mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[i] = shared[63 - i];
    read_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
