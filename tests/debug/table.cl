kernel void table(global const int *in, global int *out, local int *place)
{
    int i = get_local_id(0), n = get_local_size(0);
    place[i] = n - 1 - i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[i] > 60)
        place[n - in[i]] = in[i] << 20;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[place[i]] = in[i];
}
