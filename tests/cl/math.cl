// Math functions against the host's double precision, within the limits of the full profile.
//! run one global=64 local=32
//! arg x float[64] = float((i - 31.5) * 0.37)
//! arg sines float[64] -> sin(x[i]) ~ 4ulp
//! arg cosines float[64] -> cos(x[i]) ~ 4ulp
//! arg tangents float[64] -> tan(x[i]) ~ 5ulp
//! arg exps float[64] -> exp(x[i]) ~ 3ulp
//! arg exp2s float[64] -> exp2(x[i]) ~ 3ulp
//! arg tanhs float[64] -> tanh(x[i]) ~ 5ulp
//! arg atans float[64] -> atan(x[i]) ~ 5ulp
//! arg cbrts float[64] -> cbrt(x[i]) ~ 2ulp
//! arg erfs float[64] -> erf(x[i]) ~ 16ulp
kernel void one(global const float *x, global float *sines, global float *cosines, global float *tangents,
                global float *exps, global float *exp2s, global float *tanhs, global float *atans,
                global float *cbrts, global float *erfs)
{
    int i = get_global_id(0);
    sines[i] = sin(x[i]);
    cosines[i] = cos(x[i]);
    tangents[i] = tan(x[i]);
    exps[i] = exp(x[i]);
    exp2s[i] = exp2(x[i]);
    tanhs[i] = tanh(x[i]);
    atans[i] = atan(x[i]);
    cbrts[i] = cbrt(x[i]);
    erfs[i] = erf(x[i]);
}

//! run positive global=64 local=16
//! arg x float[64] = float((i + 1) * (i + 1) * 0.173)
//! arg logs float[64] -> log(x[i]) ~ 3ulp
//! arg log2s float[64] -> log2(x[i]) ~ 3ulp
//! arg log10s float[64] -> log10(x[i]) ~ 3ulp
//! arg roots float[64] -> sqrt(x[i]) ~ 3ulp
//! arg reciprocals float[64] -> 1.0 / sqrt(x[i]) ~ 2ulp
//! arg arcsines float[64] -> asin(unit(i)) ~ 4ulp
//! arg u float[64] = unit(i)
kernel void positive(global const float *x, global float *logs, global float *log2s, global float *log10s,
                     global float *roots, global float *reciprocals, global float *arcsines, global const float *u)
{
    int i = get_global_id(0);
    logs[i] = log(x[i]);
    log2s[i] = log2(x[i]);
    log10s[i] = log10(x[i]);
    roots[i] = sqrt(x[i]);
    reciprocals[i] = rsqrt(x[i]);
    arcsines[i] = asin(u[i]);
}

//! run two global=64 local=64
//! arg x float[64] = float(unit(i) * 20 + 0.1)
//! arg y float[64] = float(unit(i + 64) * 6 - 3)
//! arg powers float[64] -> pow(x[i], y[i]) ~ 16ulp
//! arg angles float[64] -> atan2(y[i], x[i]) ~ 6ulp
//! arg rests float[64] -> fmod(x[i], y[i])
//! arg lengths float[64] -> hypot(x[i], y[i]) ~ 4ulp
//! arg differences float[64] -> fdim(x[i], y[i])
//! arg signs float[64] -> copysign(x[i], y[i])
kernel void two(global const float *x, global const float *y, global float *powers, global float *angles,
                global float *rests, global float *lengths, global float *differences, global float *signs)
{
    int i = get_global_id(0);
    powers[i] = pow(x[i], y[i]);
    angles[i] = atan2(y[i], x[i]);
    rests[i] = fmod(x[i], y[i]);
    lengths[i] = hypot(x[i], y[i]);
    differences[i] = fdim(x[i], y[i]);
    signs[i] = copysign(x[i], y[i]);
}

//! run rounding global=16 local=16
//! arg x float[16] = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, -0.49, 3.0, -3.7, 8388607.5, 1e10, -1e10, inf, 0.0, -0.0}
//! arg floors float[16] -> floor(x[i])
//! arg ceils float[16] -> ceil(x[i])
//! arg truncs float[16] -> trunc(x[i])
//! arg rounds float[16] -> round(x[i])
//! arg rints float[16] -> rint(x[i])
kernel void rounding(global const float *x, global float *floors, global float *ceils, global float *truncs,
                     global float *rounds, global float *rints)
{
    int i = get_global_id(0);
    floors[i] = floor(x[i]);
    ceils[i] = ceil(x[i]);
    truncs[i] = trunc(x[i]);
    rounds[i] = round(x[i]);
    rints[i] = rint(x[i]);
}

//! run parts global=4 local=4
//! arg x float[4] = {10.0, 0.375, -6.5, 1.0}
//! arg mantissas float[4] -> {0.625, 0.75, -0.8125, 0.5}
//! arg exponents int[4] -> {4, -1, 3, 1}
//! arg fractions float[4] -> {0.0, 0.375, -0.5, 0.0}
//! arg wholes float[4] -> {10.0, 0.0, -6.0, 1.0}
//! arg scaled float[4] -> x[i] * 32
//! arg logbs int[4] -> {3, -2, 2, 0}
kernel void parts(global const float *x, global float *mantissas, global int *exponents, global float *fractions,
                  global float *wholes, global float *scaled, global int *logbs)
{
    int i = get_global_id(0), e;
    float whole;
    mantissas[i] = frexp(x[i], &e);
    exponents[i] = e;
    fractions[i] = modf(x[i], &whole);
    wholes[i] = whole;
    scaled[i] = ldexp(x[i], 5);
    logbs[i] = ilogb(x[i]);
}

//! run common global=8 local=8
//! arg x float[8] = {-2.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 3.0}
//! arg clamped float[8] -> min(max(x[i], 0.0), 1.0)
//! arg mixed float[8] -> 2.0 + (5.0 - 2.0) * x[i] ~ 1e-5
//! arg stepped float[8] -> x[i] < 0.5 ? 0.0 : 1.0
//! arg smooth float[8] -> x[i] <= 0.0 ? 0.0 : x[i] >= 1.0 ? 1.0 : x[i] * x[i] * (3 - 2 * x[i]) ~ 1e-6
//! arg signs float[8] -> x[i] > 0.0 ? 1.0 : x[i] < 0.0 ? -1.0 : 0.0
//! arg angles float[8] -> x[i] * 57.29577951308232 ~ 1e-4
//! arg fused float[8] -> x[i] * 2.0 + 1.0
kernel void common(global const float *x, global float *clamped, global float *mixed, global float *stepped,
                   global float *smooth, global float *signs, global float *angles, global float *fused)
{
    int i = get_global_id(0);
    clamped[i] = clamp(x[i], 0.0f, 1.0f);
    mixed[i] = mix(2.0f, 5.0f, x[i]);
    stepped[i] = step(0.5f, x[i]);
    smooth[i] = smoothstep(0.0f, 1.0f, x[i]);
    signs[i] = sign(x[i]);
    angles[i] = degrees(x[i]);
    fused[i] = mad(x[i], 2.0f, 1.0f);
}
