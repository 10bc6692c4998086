// Arithmetic and storage in half precision.
//! sizes 4096 262144
//! options -cl-std=CL3.0

//! run h_convert global=N local=64
//! arg in half[N] = unit(i) * 100
//! arg out half[N] -> any
kernel void h_convert(global const half *in, global half *out)
{
    int i = get_global_id(0);
    vstore_half(vload_half(i, in) * 0.37f + 1.5f, i, out);
}

//! run h_blur global=N local=64
//! arg in half[N+8] = unit(i)
//! arg out half[N] -> any
kernel void h_blur(global const half *in, global half *out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 9; k++) sum += vload_half(i + k, in);
    vstore_half_rte(sum / 9, i, out);
}

//! run h_vectors global=N/4 local=64
//! arg in half[N] = unit(i)
//! arg out half[N] -> any
kernel void h_vectors(global const half *in, global half *out)
{
    int i = get_global_id(0);
    float4 v = vload_half4(i, in);
    vstore_half4(v / dot(v, (float4)(1, 2, 3, 4)), i, out);
}

//! run h_roots global=N/4 local=64
//! arg in half[N] = unit(i) * 100
//! arg out half[N] -> any
kernel void h_roots(global const half *in, global half *out)
{
    int i = get_global_id(0);
    vstore_half4(sqrt(vload_half4(i, in)), i, out);
}
