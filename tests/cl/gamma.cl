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
