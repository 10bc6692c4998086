// Groups that do not fill a warp, and odd sizes.
//! sizes 4096 131072

//! run group_1 global=N/4 local=1
//! arg in float[N/4] = unit(i)
//! arg out float[N/4] -> any
kernel void group_1(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i] * 2 + 1;
}

//! run group_4 global=N local=4
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void group_4(global const float *in, global float *out)
{
    int i = get_group_id(0) * 4 + get_local_id(0);
    float x = in[i];
    for (int k = 0; k < 16; k++) x = x * 0.5f + 0.25f;
    out[i] = x;
}

//! run group_8_sums global=N local=8
//! arg in int[N] = random(i) & 255
//! arg out int[N/8] -> any
kernel void group_8_sums(global const int *in, global int *out)
{
    local int part[8];
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (int step = 4; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) part[l] += part[l + step];
    }
    if (l == 0) out[get_group_id(0)] = part[0];
}

//! run group_16 global=N local=16
//! arg in float[N+16] = unit(i)
//! arg out float[N] -> any
kernel void group_16(global const float *in, global float *out)
{
    local float tile[17];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i];
    if (l == 0) tile[16] = in[i + 16];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l + 1] - tile[l];
}

//! run group_32_loop global=N/8 local=32
//! arg in float[N*4] = unit(i)
//! arg out float[N/8] -> any
kernel void group_32_loop(global const float *in, global float *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    float sum = 0;
    for (int k = 0; k < 32; k++) sum += in[k * n + i];
    out[i] = sum;
}

//! run group_7x3 global=126,N*3/512 local=7,3
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void group_7x3(global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    float sum = in[y * w + x];
    if (x) sum += in[y * w + x - 1];
    if (x + 1 < w) sum += in[y * w + x + 1];
    out[y * w + x] = sum / 3;
}

//! run group_24 global=N/32*24 local=24
//! arg in int[N/32*24] = random(i)
//! arg out int[N/32*24] -> any
kernel void group_24(global const int *in, global int *out)
{
    local int t[24];
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[23 - l] + t[(l + 1) % 24];
}
