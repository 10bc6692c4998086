// Arithmetic of type half.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
//! sizes 4096 262144

//! run h_saxpy global=N local=64
//! arg x half[N] = unit(i)
//! arg y half[N] = unit(i + 7) -> any
kernel void h_saxpy(global const half *x, global half *y)
{
    int i = get_global_id(0);
    y[i] = x[i] * (half)0.5f + y[i];
}

//! run h_iterate global=N/4 local=64
//! arg x half[N/4] = unit(i)
//! arg y half[N/4] -> any ~ 0.3
kernel void h_iterate(global const half *x, global half *y)
{
    int i = get_global_id(0);
    half a = x[i], b = (half)0.25f;
    for (int k = 0; k < 32; k++) b = b * a + (half)0.125f - (b > (half)0.5f ? b * b : (half)0.0f);
    y[i] = b;
}

//! run h_dot global=N/16 local=64
//! arg a half[N*4] = unit(i)
//! arg b half[64] = unit(i)
//! arg out float[N/16] -> any ~ 0.001
kernel void h_dot(global const half *a, global const half *b, global float *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += (float)(a[k * n + i] * b[k]);
    out[i] = sum;
}

//! run h_relu global=N/8 local=64
//! arg a half[N] = unit(i) - 0.5
//! arg b half[N] = unit(i + 3)
//! arg out half[N] -> any
kernel void h_relu(global const half8 *a, global const half8 *b, global half8 *out)
{
    int i = get_global_id(0);
    out[i] = fmax(a[i] * b[i] + a[i], (half8)(half)0);
}
