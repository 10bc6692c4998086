// Sine, cosine and tangent of doubles against the host's: small numbers, neighbours of multiples of pi/2, where almost
// all digits cancel, and any bits at all.
//! run trig global=2048 local=64
//! arg x double[2048] = i < 512 ? (i - 256) * 1.5707963267948966 : i < 1024 ? unit(i) * 20 - 10 : i < 1536 ? floor(unit(i) * 1048576 * 67108864) * 1.5707963267948966 : asdouble(random(i))
//! arg sines double[2048] -> sin(x[i]) ~ 1ulp
//! arg cosines double[2048] -> cos(x[i]) ~ 1ulp
//! arg tangents double[2048] -> tan(x[i]) ~ 2ulp
//! arg both double[4096] -> i < 2048 ? sin(x[i]) : cos(x[i - 2048]) ~ 1ulp
kernel void trig(global const double *x, global double *sines, global double *cosines, global double *tangents, global double *both)
{
    int i = get_global_id(0);
    sines[i] = sin(x[i]);
    cosines[i] = cos(x[i]);
    tangents[i] = tan(x[i]);
    both[i] = sincos(x[i], both + 2048 + i);
}

//! run edges global=8 local=8
//! arg x double[8] = {0.0, -0.0, 1.0 / 0, -1.0 / 0, 0.0 / 0, 5e-324, -5e-324, 6381956970095103.0 * pow(2, 797)}
//! arg signs int[8] -> {0, 1, 0, 0, 0, 0, 1, 0}
//! arg nans int[8] -> {0, 0, 7, 7, 7, 0, 0, 0}
//! arg worst double[1] -> -4.68716592425462761112e-19 ~ 1ulp
kernel void edges(global const double *x, global int *signs, global int *nans, global double *worst)
{
    int i = get_global_id(0);
    double c, s = sincos(x[i], &c);
    signs[i] = i < 2 || i > 4 ? signbit(s) && signbit(sin(x[i])) && signbit(tan(x[i])) : 0;
    nans[i] = isnan(s) | isnan(c) << 1 | isnan(tan(x[i])) << 2;
    if (i == 7) *worst = c;
}

//! run vectors global=32 local=32
//! arg x double[128] = unit(i) * 200 - 100
//! arg sines double[128] -> sin(x[i]) ~ 1ulp
//! arg cosines double[128] -> cos(x[i]) ~ 1ulp
//! arg tangents double[128] -> tan(x[i]) ~ 2ulp
kernel void vectors(global const double4 *x, global double4 *sines, global double4 *cosines, global double4 *tangents)
{
    int i = get_global_id(0);
    local double4 shared[32];
    sines[i] = sincos(x[i], shared + i);
    cosines[i] = shared[i];
    tangents[i] = tan(x[i]);
}
