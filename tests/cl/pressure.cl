// More values alive at once than a machine has registers to name directly.
//! run floats global=32 local=32
//! arg a float[96] = i
//! arg out float[32] -> sum(k, 0, 96, (a[k] + i) * ((k * 7 + 3) % 11 - 5))
kernel void floats(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float v[96], s = 0;
#pragma unroll
    for (int k = 0; k < 96; k++) v[k] = a[k] + i;
    for (int turn = 0; turn < 1; turn++)
#pragma unroll
        for (int k = 95; k >= 0; k--) s += v[k] * ((k * 7 + 3) % 11 - 5);
    out[i] = s;
}

// Many uniform values: arguments, and what is computed from them, in a loop.
//! run scalars global=32 local=16
//! arg p int[64] = i * 3 + 1
//! arg rounds int = 4
//! arg out int[32] -> sum(r, 0, 4, sum(k, 0, 64, p[k] * (r + k % 5))) + i
kernel void scalars(constant int *p, int rounds, global int *out)
{
    int s = 0, q[64];
#pragma unroll
    for (int k = 0; k < 64; k++) q[k] = p[k];
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 64; k++) s += q[k] * (r + k % 5);
    out[get_global_id(0)] = s + get_global_id(0);
}

//! run wide_vectors global=16 local=16
//! arg a float[256] = i % 17
//! arg out float[256] -> a[i] * a[i] + a[i] * 2 + a[i / 16 * 16 + 15 - i % 16]
kernel void wide_vectors(global const float16 *a, global float16 *out)
{
    int i = get_global_id(0);
    float16 v = a[i], w = v * v + v * 2.0f;
    out[i] = w + v.sfedcba9876543210;
}
