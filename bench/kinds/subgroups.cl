// Sub-groups, in groups of one.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
//! sizes 8192 262144
//! options -cl-std=CL3.0

//! run sg_reduce global=N local=32
//! arg in int[N] = random(i) & 0xffff
//! arg out int[N/32] -> any
kernel void sg_reduce(global const int *in, global int *out)
{
    int sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0) out[get_group_id(0)] = sum;
}

//! run sg_reduce_min global=N local=32
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void sg_reduce_min(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i] - sub_group_reduce_min(in[i]);
}

//! run sg_scan global=N local=32
//! arg in int[N] = random(i) & 0xffff
//! arg out int[N] -> any
kernel void sg_scan(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = sub_group_scan_inclusive_add(in[i]) - sub_group_scan_exclusive_add(in[i] >> 3);
}

//! run sg_scan_float global=N local=32
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void sg_scan_float(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = sub_group_scan_inclusive_add(in[i]);
}

//! run sg_broadcast global=N local=32
//! arg in int[N] = random(i)
//! arg out int[N] -> any
kernel void sg_broadcast(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i], sum = 0;
    for (uint k = 0; k < 32; k++) sum += sub_group_broadcast(x, k) * (int)(k + 1);
    out[i] = sum;
}

//! run sg_votes global=N local=32
//! arg in int[N] = random(i) & 63
//! arg out int[N] -> any
kernel void sg_votes(global const int *in, global int *out)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 8; k++) sum += 2 * sub_group_any(in[i] == k) + sub_group_all(in[i] != 3 * k);
    out[i] = sum;
}
