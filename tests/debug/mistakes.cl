kernel void mistakes(global int *out, global const int *in, local int *tile)
{
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    tile[l] = in[g];
    sum += tile[l ^ 32];
    if (l == 5)
        sum += in[g + 100];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile[64 + l % 32] > 3)
        sum++;
    out[g] = sum;
}
