kernel void gather(global const int *index, global const float *table, global float *out, int n)
{
    int i = get_global_id(0);
    if (i < n) out[i] = table[index[i]];
}
