// Local memory and barriers: static and argument arrays, odd group sizes, barriers in loops.
//! run reverse global=240 local=240/80/40/20/8/30/1
//! arg n int = 1
//! arg buffer local 960
//! arg out int[240] -> any
//! arg ok int[240] -> 1
kernel void reverse(int n, local int *buffer, global int *out, global int *ok)
{
    int l = get_local_id(0), size = get_local_size(0), g = get_global_id(0);
    buffer[l] = g * n;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = buffer[size - 1 - l];
    ok[g] = out[g] == (int)get_group_id(0) * size + size - 1 - l;
}

//! run tree_sum global=256 local=64/128/256
//! arg a int[256] = random(i) % 1000
//! arg parts int[256] = 0 -> any
//! arg total int[1] = 0 -> sum(k, 0, 256, a[k])
kernel void tree_sum(global const int *a, global int *parts, volatile global int *total)
{
    local int s[256];
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (l < step) s[l] += s[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        parts[get_group_id(0)] = s[0];
        atomic_add(total, s[0]);
    }
}

//! run scan global=100 local=100/50
//! arg a int[100] = i % 7
//! arg out int[100] -> any
//! arg ok int[1] = 0 -> 100
kernel void scan(global const int *a, global int *out, volatile global int *ok)
{
    local int x[2][128];
    int l = get_local_id(0), n = get_local_size(0), g = get_global_id(0), from = 0;
    x[0][l] = a[g];
    for (int d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        x[1 - from][l] = l >= d ? x[from][l] + x[from][l - d] : x[from][l];
        from = 1 - from;
    }
    out[g] = x[from][l];
    int want = 0;
    for (int k = g - l; k <= g; k++) want += a[k];
    if (out[g] == want) atomic_inc(ok);
}

// Several arrays of different types, static and as arguments, must not overlap.
//! run apart global=32 local=32/16
//! arg bytes local 33
//! arg floats local 256
//! arg out int[32] -> i % 16 + 2 * (i % 16) + 3 * (i % 16) + 4 * (i % 16) + 5
kernel void apart(local uchar *bytes, local float2 *floats, global int *out)
{
    local short shorts[17];
    local int one;
    local long longs[32];
    int l = get_local_id(0), k = l % 16;
    bytes[l] = k;
    shorts[k] = 2 * k;
    longs[l] = 3 * k;
    floats[l].x = 0;
    floats[l].y = 4 * k;
    if (l == 0) one = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = bytes[l] + shorts[k] + (int)longs[l] + (int)(floats[l].x + floats[l].y) + one;
}

//! run transpose global=24,24 local=8,8
//! arg a float[576] = i
//! arg out float[576] -> a[i % 24 * 24 + i / 24]
kernel void transpose(global const float *a, global float *out)
{
    local float tile[8][9];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx] = a[y * 24 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 8 + ly) * 24 + get_group_id(1) * 8 + lx] = tile[lx][ly];
}

//! run bitonic global=128 local=128
//! arg a int[128] = random(i)
//! arg out int[128] -> any
//! arg ordered int[128] -> 1
kernel void bitonic(global const int *a, global int *out, global int *ordered)
{
    local int s[128];
    int l = get_local_id(0);
    s[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = l ^ j, x = s[l], y = s[other];
            bool low = ((l & k) == 0) == (l < other);
            barrier(CLK_LOCAL_MEM_FENCE);
            s[l] = low ? min(x, y) : max(x, y);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    out[l] = s[l];
    int seen = 0;
    for (int k = 0; k < 128; k++) seen += a[k] == s[l];
    ordered[l] = (l == 0 || s[l - 1] <= s[l]) && seen > 0;
}
