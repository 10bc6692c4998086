// Work-items of a group and of a sub-group that work together.
//! sizes 8192 262144
//! options -cl-std=CL3.0

//! run wg_reduce global=N local=128
//! arg in int[N] = random(i) & 0xffff
//! arg out int[N/128] -> any
kernel void wg_reduce(global const int *in, global int *out)
{
    int sum = work_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0) out[get_group_id(0)] = sum;
}

//! run wg_scan global=N local=128
//! arg in int[N] = random(i) & 0xffff
//! arg out int[N] -> any
kernel void wg_scan(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = work_group_scan_inclusive_add(in[i]);
}

//! run wg_scan_max global=N local=64
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void wg_scan_max(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = work_group_scan_exclusive_max(in[i]);
}

//! run wg_broadcast global=N local=128
//! arg in int[N] = random(i)
//! arg out int[N] -> any
kernel void wg_broadcast(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i] ^ work_group_broadcast(in[i], get_group_id(0) & 127);
}

//! run wg_any global=N local=128
//! arg in int[N] = random(i) & 127
//! arg out int[N] -> any
kernel void wg_any(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = (work_group_any(in[i] == 5) ? 2 : 0) + (work_group_all(in[i] != 77) ? 1 : 0);
}

//! run scan_local global=N local=256
//! arg in int[N] = random(i) & 0xff
//! arg out int[N] -> any
kernel void scan_local(global const int *in, global int *out)
{
    local int a[256];
    int i = get_global_id(0), l = get_local_id(0), x = in[i];
    a[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 256; step *= 2) {
        int other = l >= step ? a[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] = x += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = x;
}

//! run blelloch global=N/2 local=128
//! arg in int[N] = random(i) & 0xff
//! arg out int[N] -> any
kernel void blelloch(global const int *in, global int *out)
{
    local int a[256];
    int l = get_local_id(0), base = 256 * get_group_id(0), step = 1;
    a[2 * l] = in[base + 2 * l];
    a[2 * l + 1] = in[base + 2 * l + 1];
    for (int d = 128; d; d /= 2, step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) a[step * (2 * l + 2) - 1] += a[step * (2 * l + 1) - 1];
    }
    if (l == 0) a[255] = 0;
    for (int d = 1; d < 256; d *= 2) {
        step /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int t = a[step * (2 * l + 1) - 1];
            a[step * (2 * l + 1) - 1] = a[step * (2 * l + 2) - 1];
            a[step * (2 * l + 2) - 1] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * l] = a[2 * l];
    out[base + 2 * l + 1] = a[2 * l + 1];
}

//! run sort_local global=N/4 local=128
//! arg data uint[N/4] = random(i) -> any
kernel void sort_local(global uint *data)
{
    local uint a[128];
    uint l = get_local_id(0);
    a[l] = data[get_global_id(0)];
    for (uint run = 2; run <= 128; run *= 2)
        for (uint distance = run / 2; distance; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint other = l ^ distance;
            if (other > l) {
                uint x = a[l], y = a[other];
                if ((x > y) == !(l & run)) a[l] = y, a[other] = x;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = a[l];
}

//! run odd_even global=N/8 local=64
//! arg data int[N/8] = random(i) -> any
kernel void odd_even(global int *data)
{
    local int a[64];
    int l = get_local_id(0);
    a[l] = data[get_global_id(0)];
    for (int round = 0; round < 64; round++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((l + round) % 2 == 0 && l < 63) {
            int x = a[l], y = a[l + 1];
            a[l] = min(x, y);
            a[l + 1] = max(x, y);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = a[l];
}

//! run radix_count global=N/16 local=64
//! arg in uint[N] = random(i)
//! arg out int[N/64] -> any
kernel void radix_count(global const uint *in, global int *out)
{
    local int bins[16];
    int l = get_local_id(0), n = get_global_size(0);
    if (l < 16) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) atomic_inc(&bins[in[k * n + get_global_id(0)] >> 28]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) out[16 * get_group_id(0) + l] = bins[l];
}

//! run float_atomics global=N/4 local=64
//! arg in float[N/4] = unit(i)
//! arg sums float[64] = 0 -> any ~ 0.001
kernel void float_atomics(global const float *in, global float *sums)
{
    int i = get_global_id(0);
    volatile global uint *at = (volatile global uint *)&sums[i * 7 & 63];
    uint old = *at, seen;
    do {
        seen = old;
        old = atomic_cmpxchg(at, seen, as_uint(as_float(seen) + in[i]));
    } while (old != seen);
}

//! run bitonic_pairs global=N/16 local=64
//! arg in uint[N/16*2] = random(i)
//! arg out uint[N/16*2] -> any
kernel void bitonic_pairs(global const uint2 *in, global uint2 *out)
{
    local uint2 t[64];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = in[i];
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int o = l ^ j;
            uint2 a = t[l], b = t[o];
            bool up = !(l & k), lower = l < o;
            bool swap = lower ? (a.x > b.x) == up : (b.x > a.x) == up;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (swap) t[l] = b;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[l];
}

//! run radix_sort global=N/4 local=64
//! arg in uint[N/4] = random(i)
//! arg out uint[N/4] -> any
kernel void radix_sort(global const uint *in, global uint *out)
{
    local uint count[16][64], start[16], v[64];
    int l = get_local_id(0), i = get_global_id(0);
    uint x = in[i];
    for (int pass = 0; pass < 2; pass++) {
        uint d = x >> (4 * pass) & 15;
        for (int k = 0; k < 16; k++) count[k][l] = k == d;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 16) {
            uint s = 0;
            for (int k = 0; k < 64; k++) { uint c = count[l][k]; count[l][k] = s; s += c; }
            start[l] = s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            uint s = 0;
            for (int k = 0; k < 16; k++) { uint c = start[k]; start[k] = s; s += c; }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        v[start[d] + count[d][l]] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = v[l];
    }
    out[i] = x;
}
