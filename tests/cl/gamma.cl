// Functions whose code in libclc is replaced or corrected: erfc of large values, tgamma.
//! run gamma global=128 local=32
//! arg a float[128] = -34.9 + i * 0.55
//! arg out float[128] -> tgamma(a[i]) ~ 16ulp
kernel void gamma(global const float *a, global float *out)
{
    int i = get_global_id(0);
    out[i] = tgamma(a[i]);
}

//! run erfcs global=128 local=32
//! arg a float[128] = -4 + i * 0.1
//! arg out float[128] -> erfc(a[i]) ~ 16ulp
kernel void erfcs(global const float *a, global float *out)
{
    int i = get_global_id(0);
    out[i] = erfc(a[i]);
}

//! run lgammas global=8 local=8
//! arg a float[8] = {1e-20, -1e-20, -1e-40, inf, -inf, 0.0, 5.5, -2.5}
//! arg out float[8] -> {46.0517, 46.0517, 92.1034, inf, inf, inf, 3.9578, -0.05624} ~ 0.0002
//! arg sign int[8] -> {1, -1, -1, 1, 1, 0, 1, -1}
//! arg out2 float[8] -> {46.0517, 46.0517, 92.1034, inf, inf, inf, 3.9578, -0.05624} ~ 0.0002
kernel void lgammas(global const float *a, global float *out, global int *sign, global float *out2)
{
    int i = get_global_id(0);
    out[i] = lgamma(a[i]);
    out2[i] = lgamma_r(a[i], &sign[i]);
}
