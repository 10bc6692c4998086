// Local memory, barriers, atomics.
//! run histogram global=256 local=64
//! arg n int = 2048
//! arg in uchar[2048] = random(i)
//! arg bins uint[256] = 0 -> any
kernel void histogram(int n, global const uchar *in, global uint *bins)
{
    local uint mine[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&bins[i], mine[i]);
}

//! run reduce global=512 local=128
//! arg in float[4096] = unit(i)
//! arg n int = 4096
//! arg scratch local 512
//! arg out float[4] -> any
kernel void reduce(global const float *in, int n, local float *scratch, global float *out)
{
    int l = get_local_id(0);
    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
    scratch[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (l < step) scratch[l] += scratch[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = scratch[0];
}

//! run scan global=256 local=256
//! arg in int[256] = random(i) % 100
//! arg scratch local 2048
//! arg out int[256] -> any
kernel void scan(global const int *in, local int *scratch, global int *out)
{
    int l = get_local_id(0), n = get_local_size(0), from = 0;
    scratch[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < n; step *= 2) {
        int v = scratch[from + l];
        if (l >= step) v += scratch[from + l - step];
        from = n - from;
        scratch[from + l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = scratch[from + l];
}

//! run sort global=128 local=128
//! arg in uint[128] = random(i)
//! arg out uint[128] -> any
kernel void sort(global const uint *in, global uint *out)
{
    local uint s[128];
    uint l = get_local_id(0), n = get_local_size(0);
    s[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= n; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            uint other = l ^ stride;
            if (other > l) {
                uint a = s[l], b = s[other];
                bool up = (l & size) == 0;
                if ((a > b) == up) {
                    s[l] = b;
                    s[other] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    out[l] = s[l];
}

//! run align global=32 local=32
//! arg cols int = 33
//! arg penalty int = 3
//! arg scores int[1089] = random(i) % 10
//! arg m int[1089] = i < 33 ? i * -3 : i % 33 == 0 ? i / -11 : 0 -> any
kernel void align(int cols, int penalty, global const int *scores, global int *m)
{
    int t = get_local_id(0), n = cols - 1;
    for (int d = 0; d < 2 * n - 1; d++) {
        int x = t + 1, y = d - t + 1;
        if (y >= 1 && y <= n) {
            int at = y * cols + x, best = m[at - cols - 1] + scores[at];
            best = max(best, m[at - 1] - penalty);
            best = max(best, m[at - cols] - penalty);
            m[at] = best;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
