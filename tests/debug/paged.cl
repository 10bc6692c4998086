kernel void paged(global int *out, global const int *in)
{
    volatile int mine[4];
    int i = get_global_id(0);
    mine[i & 3] = i;
    out[i] = in[i + 1] + mine[i & 3];
    out[i] += out[i | 64];
}
