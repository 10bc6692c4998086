#define GROUP 256

// The sum of this work-item's number and those of the items before it in the group.
static int group_scan(local int *sums, int mine)
{
    int id = get_local_id(0);
    sums[id] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < GROUP; step *= 2) {
        int before = id >= step ? sums[id - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[id] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sums[id];
}

kernel void scan_groups(global const int *in, global int *out, global int *totals, int n)
{
    local int sums[GROUP];
    int i = get_global_id(0);
    int sum = group_scan(sums, i < n ? in[i] : 0);
    if (i < n) out[i] = sum;
    if (get_local_id(0) == GROUP - 1) totals[get_group_id(0)] = sum;
}

// One group: piece after piece of the groups' totals.
kernel void scan_totals(global const int *in, global int *out, global int *totals, int n, int groups)
{
    local int sums[GROUP];
    int before = 0, id = get_local_id(0);
    for (int start = 0; start < groups; start += GROUP) {
        int i = start + id;
        int sum = before + group_scan(sums, i < groups ? totals[i] : 0);
        if (i < groups) totals[i] = sum;
        before += sums[GROUP - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void scan_add(global const int *in, global int *out, global int *totals, int n)
{
    int i = get_global_id(0), group = get_group_id(0);
    if (group > 0 && i < n) out[i] += totals[group - 1];
}
