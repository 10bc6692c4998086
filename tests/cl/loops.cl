// Addresses that grow in loops, and unrolled loops: all strides, starts and ends, with what is left over.
//! run strides global=64 local=64
//! arg n int = 13
//! arg in int[4096] = i * 3 + 1
//! arg up int[64] -> sum(k, 0, 13, (k * 64 + i) * 3 + 1)
//! arg down int[64] -> sum(k, 0, 13, ((12 - k) * 5 + i) * 3 + 1)
//! arg near int[64] -> sum(k, 1, 14, (i * 20 + k - 1) * 3 + 1 + 2 * ((i * 20 + k + 1) * 3 + 1))
//! arg wide int[64] -> sum(k, 0, 7, (i + k * 2 * 13) * 3 + 1)
kernel void strides(int n, global const int *in, global int *up, global int *down, global int *near, global int *wide)
{
    int i = get_global_id(0), a = 0, b = 0, c = 0, d = 0;
    for (int k = 0; k < n; k++) a += in[k * 64 + i];
    for (int k = n - 1; k >= 0; k--) b += in[k * 5 + i];
    for (int k = 1; k <= n; k++) c += in[i * 20 + k - 1] + 2 * in[i * 20 + k + 1];
    for (int k = 0; k < n; k += 2) d += in[i + k * n];
    up[i] = a;
    down[i] = b;
    near[i] = c;
    wide[i] = d;
}

// Each length, none included, in one launch each; the loop's end is the same in all lanes.
//! run lengths global=8 local=8
//! arg in int[64] = i + 1
//! arg out int[72] = 0 -> (i / 8) * (i / 8 + 1) / 2 + (i / 8) * (i % 8)
kernel void lengths(global const int *in, global int *out)
{
    int i = get_global_id(0);
    for (int n = 0; n < 9; n++) {
        int sum = 0;
        for (int k = 0; k < n; k++) sum += in[k + i];
        out[n * 8 + i] = sum;
    }
}

// Stores through advanced pointers, in local memory and with a condition.
//! run stores global=32 local=32
//! arg n int = 11
//! arg out int[352] = -1 -> i / 32 % 3 == 1 ? -1 : i
kernel void stores(int n, global int *out)
{
    local int s[352];
    int i = get_local_id(0);
    for (int k = 0; k < n; k++) s[k * 32 + i] = k * 32 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++)
        if (k % 3 != 1) out[k * 32 + i] = s[k * 32 + (i ^ 1) ^ 1];
}

// What the program says about unrolling, and private arrays that become registers.
//! run asked global=32 local=32
//! arg n int = 10
//! arg in int[64] = i * i
//! arg out int[32] -> sum(k, 0, 10, (i + k) * (i + k)) * 2 + sum(k, 0, 32, (k % 8) * (i + 1) + k)
kernel void asked(int n, global const int *in, global int *out)
{
    int i = get_global_id(0), a = 0, b = 0, w[8];
    #pragma unroll 3
    for (int k = 0; k < n; k++) a += in[i + k];
    __attribute__((opencl_unroll_hint(1)))
    for (int k = 0; k < n; k++) a += in[i + k];
    for (int k = 0; k < 8; k++) w[k] = k * (i + 1);
    for (int k = 0; k < 32; k++) b += w[k & 7] + k;
    out[i] = a + b;
}

// More long constants than the table is worth, in vectors and scalars, before and behind a branch.
//! run constants global=64 local=32
//! arg a float[64] = i * 0.5
//! arg out float[64] -> i % 3 == 0 ? (((a[i] * 1.25 + 2.3046875) * a[i] + 3.0009765625) * a[i] + 4.0009765625) * a[i] + 5.0009765625 : a[i] * 7.0009765625 + 8.0009765625 ~ 2ulp
kernel void constants(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float x = a[i], y;
    if (i % 3 == 0) {
        y = (((x * 1.25f + 2.3046875f) * x + 3.0009765625f) * x + 4.0009765625f) * x + 5.0009765625f;
    } else {
        out[i] = 1.0009765625f;
        y = x * 7.0009765625f + 8.0009765625f;
    }
    out[i] = y;
}
