kernel void gate(volatile global int *out, local int *shared)
{
    int i = get_local_id(0);
    shared[i] = i;
    if (i < 32)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        while (out[0] == 0);
    out[1 + get_global_id(0)] = shared[(i + 1) % 64];
}
