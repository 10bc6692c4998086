// Float arithmetic: single operations round once; division within the 2.5 units the standard allows.
//! run arithmetic global=64 local=64/8/null
//! arg a float[64] = (unit(i) - 0.5) * 100
//! arg b float[64] = i % 8 == 0 ? 0 - a[i] : unit(i + 64) * 7 + 0.01
//! arg add float[64] -> a[i] + b[i]
//! arg sub float[64] -> a[i] - b[i]
//! arg mul float[64] -> a[i] * b[i]
//! arg quotient float[64] -> a[i] / b[i] ~ 2.5ulp
//! arg neg float[64] -> -a[i]
#pragma OPENCL FP_CONTRACT OFF
kernel void arithmetic(global const float *a, global const float *b, global float *add, global float *sub,
                       global float *mul, global float *quotient, global float *neg)
{
    int i = get_global_id(0);
    add[i] = a[i] + b[i];
    sub[i] = a[i] - b[i];
    mul[i] = a[i] * b[i];
    quotient[i] = a[i] / b[i];
    neg[i] = -a[i];
}

//! run fused global=32 local=32
//! arg a float[32] = unit(i) * 3 + 1
//! arg b float[32] = unit(i + 32) * 5 - 2
//! arg c float[32] = float(-(a[i] * b[i]))
//! arg exact float[32] -> fma(a[i], b[i], c[i])
//! arg root float[32] -> sqrt(a[i]) ~ 3ulp
//! arg magnitude float[32] -> fabs(b[i])
//! arg scalar float = 0.75
//! arg scaled float[32] -> a[i] * 0.75
kernel void fused(global const float *a, global const float *b, global const float *c, global float *exact,
                  global float *root, global float *magnitude, float scalar, global float *scaled)
{
    int i = get_global_id(0);
    exact[i] = fma(a[i], b[i], c[i]);
    root[i] = sqrt(a[i]);
    magnitude[i] = fabs(b[i]);
    scaled[i] = a[i] * scalar;
}

// Every comparison, with and without a NaN.
//! run compare global=8 local=8
//! arg a float[8] = {1, 2, 3, nan, 1, nan, inf, 0.0}
//! arg b float[8] = {2, 2, 1, 1, nan, nan, 1, -0.0}
//! arg flags int[8] -> {1+8+32, 2+8+16, 4+16+32, 32, 32, 32, 4+16+32, 2+8+16}
//! arg unordered int[8] -> {0, 0, 0, 1, 1, 1, 0, 0}
//! arg not_less int[8] -> {0, 1, 1, 1, 1, 1, 1, 1}
kernel void compare(global const float *a, global const float *b, global int *flags, global int *unordered,
                    global int *not_less)
{
    int i = get_global_id(0);
    float x = a[i], y = b[i];
    flags[i] = (x < y) + 2 * (x == y) + 4 * (x > y) + 8 * (x <= y) + 16 * (x >= y) + 32 * (x != y);
    unordered[i] = isunordered(x, y);
    not_less[i] = !(x < y);
}

//! run classify global=8 local=4
//! arg a float[8] = {1, -0.0, inf, -inf, nan, 1e-30, -5, 0.0}
//! arg flags int[8] -> {1+8, 1+16, 2+0, 2+16, 4, 1+8, 1+8+16, 1}
//! arg low float[8] -> {1, -0.0, 2, -inf, 2, 1e-30, -5, 0.0}
kernel void classify(global const float *a, global int *flags, global float *low)
{
    int i = get_global_id(0);
    float x = a[i];
    flags[i] = isfinite(x) + 2 * isinf(x) + 4 * isnan(x) + 8 * isnormal(x) + 16 * !!signbit(x);
    low[i] = fmin(x, 2.0f);
}
