kernel void apart(global int *out, local int *tile)
{
    int i = get_local_id(0);
    if (i < 32) {
        tile[i] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        tile[i] = 2 * i;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = tile[63 - i];
}
