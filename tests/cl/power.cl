// Powers of floats against the host's: results of all sizes, bases near 1, integers as exponents, and what C says of zeros,
// infinities and NaN.
//! run powers global=2048 local=64
//! arg x float[2048] = float(i < 512 ? unit(i) * 4 : i < 1024 ? 0.7 + unit(i) * 0.75 : i < 1536 ? 1 + (unit(i) - 0.5) / 4096 : pow(2, unit(i) * 275 - 148))
//! arg y float[2048] = float(x[i] == 1 ? 2 : (unit(i + 7000) * 2 - 1) * (i % 8 ? 140 : 30) / log2(x[i]))
//! arg n int[2048] = i % 2 ? i % 61 - 30 : x[i] > 0.999 && x[i] < 1.001 ? 100000001 : 3
//! arg pows float[2048] -> pow(x[i], y[i]) ~ 2.5ulp
//! arg powrs float[2048] -> pow(x[i], y[i]) ~ 2.5ulp
//! arg powns float[2048] -> pow(x[i], n[i]) ~ 2.5ulp
//! arg negative float[2048] -> pow(-x[i], n[i]) ~ 2.5ulp
//! arg whole float[2048] -> pow(-x[i], float(n[i])) ~ 2.5ulp
kernel void powers(global const float *x, global const float *y, global const int *n, global float *pows, global float *powrs,
                   global float *powns, global float *negative, global float *whole)
{
    int i = get_global_id(0);
    pows[i] = pow(x[i], y[i]);
    powrs[i] = powr(x[i], y[i]);
    powns[i] = pown(x[i], n[i]);
    negative[i] = pown(-x[i], n[i]);
    whole[i] = pow(-x[i], (float)n[i]);
}

// Rows: bases -inf, -2, -1, -0.5, -0, 0, 0.5, 1, inf, NaN; columns: exponents -inf, -3, -2, -0.5, 0, 0.5, 2, 3, inf, NaN.
//! run edges global=100 local=20
//! arg in float[10] = {-1.0 / 0, -2, -1, -0.5, -0.0, 0, 0.5, 1, 1.0 / 0, 0.0 / 0}
//! arg by float[10] = {-1.0 / 0, -3, -2, -0.5, 0, 0.5, 2, 3, 1.0 / 0, 0.0 / 0}
//! arg out float[100] -> pow(in[floor(i / 10)], by[i % 10])
//! arg signs int[100] -> i < 10 ? i == 1 || i == 7 : i < 50 ? i % 10 == 1 || i % 10 == 7 : 0
//! arg nans int[100] -> i < 50 && i >= 10 && (i % 10 == 3 || i % 10 == 5) && i < 40 || i % 10 == 9 && floor(i / 10) != 7 || i >= 90 && i % 10 != 4
//! arg from float[5] = {-1, 0, 1, 1.0 / 0, 2}
//! arg real int[25] -> {1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}
//! arg unity float[1] -> 1
kernel void edges(global const float *in, global const float *by, global float *out, global int *signs, global int *nans,
                  global const float *from, global int *real, global float *unity)
{
    int i = get_global_id(0);
    float p = pow(in[i / 10], by[i % 10]);
    out[i] = p;
    nans[i] = isnan(p);
    signs[i] = !isnan(p) && signbit(p);
    if (i == 0) *unity = pown(NAN, 0);
    if (i < 25) real[i] = isnan(powr(from[i / 5], by[i % 5 * 2]));
}
