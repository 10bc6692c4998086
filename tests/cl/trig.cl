// Sine, cosine and tangent of floats against the host's of doubles: small numbers, neighbours of multiples of pi/2, and any
// bits at all.
//! run trig global=2048 local=64
//! arg x float[2048] = float(i < 512 ? (i - 256) * 1.5707963267948966 : i < 1024 ? unit(i) * 20 - 10 : i < 1536 ? floor(unit(i) * 170000) * 1.5707963267948966 : asfloat(random(i)))
//! arg sines float[2048] -> sin(x[i]) ~ 1.6ulp
//! arg cosines float[2048] -> cos(x[i]) ~ 1.6ulp
//! arg tangents float[2048] -> tan(x[i]) ~ 3.5ulp
//! arg both float[4096] -> i < 2048 ? sin(x[i]) : cos(x[i - 2048]) ~ 1.6ulp
kernel void trig(global const float *x, global float *sines, global float *cosines, global float *tangents, global float *both)
{
    int i = get_global_id(0);
    sines[i] = sin(x[i]);
    cosines[i] = cos(x[i]);
    tangents[i] = tan(x[i]);
    both[i] = sincos(x[i], both + 2048 + i);
}

//! run edges global=8 local=8
//! arg x float[8] = {0.0, -0.0, 1.0 / 0, -1.0 / 0, 0.0 / 0, 1e-45, -1e-45, 0.5}
//! arg kept int[8] -> {1, 1, 0, 0, 0, 1, 1, 0}
//! arg nans int[8] -> {0, 0, 7, 7, 7, 0, 0, 0}
kernel void edges(global const float *x, global int *kept, global int *nans)
{
    int i = get_global_id(0);
    float c, s = sincos(x[i], &c);
    kept[i] = as_uint(s) == as_uint(x[i]) && as_uint(sin(x[i])) == as_uint(x[i]) && as_uint(tan(x[i])) == as_uint(x[i]);
    nans[i] = isnan(s) | isnan(c) << 1 | isnan(tan(x[i])) << 2;
}

//! run vectors global=32 local=32
//! arg x float[128] = float(unit(i) * 200 - 100)
//! arg sines float[128] -> sin(x[i]) ~ 1.6ulp
//! arg cosines float[128] -> cos(x[i]) ~ 1.6ulp
//! arg tangents float[128] -> tan(x[i]) ~ 3.5ulp
kernel void vectors(global const float4 *x, global float4 *sines, global float4 *cosines, global float4 *tangents)
{
    int i = get_global_id(0);
    local float4 shared[32];
    sines[i] = sincos(x[i], shared + i);
    cosines[i] = shared[i];
    tangents[i] = tan(x[i]);
}
