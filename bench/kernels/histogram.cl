#define BINS 256

kernel void histogram(global const uchar *pixels, global uint *bins, int n)
{
    local uint mine[BINS];
    for (int bin = get_local_id(0); bin < BINS; bin += get_local_size(0)) mine[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[pixels[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int bin = get_local_id(0); bin < BINS; bin += get_local_size(0))
        if (mine[bin]) atomic_add(&bins[bin], mine[bin]);
}
