#define GROUP 256

// The sum of the work-items' numbers, in each of the items.
static float group_sum(local float *sums, float mine)
{
    int id = get_local_id(0);
    sums[id] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = GROUP / 2; width > 0; width /= 2) {
        if (id < width) sums[id] += sums[id + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sums[0];
}

kernel void reduce_groups(global const float *in, global float *partial, global float *total, int n)
{
    local float sums[GROUP];
    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
    sum = group_sum(sums, sum);
    if (get_local_id(0) == 0) partial[get_group_id(0)] = sum;
}

kernel void reduce_total(global const float *in, global float *partial, global float *total, int n, int groups)
{
    local float sums[GROUP];
    int id = get_local_id(0);
    float sum = group_sum(sums, id < groups ? partial[id] : 0);
    if (id == 0) *total = sum;
}
