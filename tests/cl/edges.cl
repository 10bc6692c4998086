// Where functions of the library were once wrong by more than their last bits: at the ends of integers, around zeros
// with a sign, and where results have no normal number. pocl gives zeros of cospi, sinpi and tanpi other signs than
// the specification.
//! only Ventus
//! options -cl-std=CL3.0

// Rounded towards zero, down and up: of the largest and the smallest integers of each type.
//! run to_float global=2 local=2
//! arg u ulong[2] = {0xffffffffffffffff, 0x8000000000000001}
//! arg out uint[24] -> {0x5f7fffff, 0x5f7fffff, 0x5f800000, 0xbf800000, 0xbf800000, 0xbf800000,
//!     0x4f7fffff, 0x4f7fffff, 0x4f800000, 0x4effffff, 0x4effffff, 0x4f000000,
//!     0x5f000000, 0x5f000000, 0x5f000001, 0xdeffffff, 0xdf000000, 0xdeffffff,
//!     0x4f000000, 0x4f000000, 0x4f000001, 0xceffffff, 0xcf000000, 0xceffffff}
kernel void to_float(global const ulong *u, global uint *out)
{
    uint i = get_global_id(0), w = i ? 0x80000001 : 0xffffffff;
    long l = (long)u[i];
    int n = i ? (int)w : INT_MAX;
    global float *o = (global float *)out + i * 12;
    o[0] = convert_float_rtz(u[i]), o[1] = convert_float_rtn(u[i]), o[2] = convert_float_rtp(u[i]);
    o[3] = convert_float_rtz(l), o[4] = convert_float_rtn(l), o[5] = convert_float_rtp(l);
    o[6] = convert_float_rtz(w), o[7] = convert_float_rtn(w), o[8] = convert_float_rtp(w);
    o[9] = convert_float_rtz(n), o[10] = convert_float_rtn(n), o[11] = convert_float_rtp(n);
}

// Zeros have the sign of the function, and a pole that of the side.
//! run zeros global=8 local=8
//! arg x float[8] = {0.5, -0.5, 1, -1, 2, -2, 3, -3}
//! arg cosines uint[8] -> {0, 0, 0xbf800000, 0xbf800000, 0x3f800000, 0x3f800000, 0xbf800000, 0xbf800000}
//! arg sines uint[8] -> {0x3f800000, 0xbf800000, 0, 0x80000000, 0, 0x80000000, 0, 0x80000000}
//! arg tangents uint[8] -> {0x7f800000, 0xff800000, 0x80000000, 0, 0, 0x80000000, 0x80000000, 0}
//! arg tiny float[8] = asfloat((i & 1) << 31 | (i < 2 ? 0x00200000 : i < 4 ? 1 : i < 6 ? 0 : 0x00080000))
//! arg gammas uint[8] -> {0x7f800000, 0xff800000, 0x7f800000, 0xff800000, 0x7f800000, 0xff800000, 0x7f800000, 0xff800000}
kernel void zeros(global const float *x, global uint *cosines, global uint *sines, global uint *tangents,
                  global const float *tiny, global uint *gammas)
{
    int i = get_global_id(0);
    cosines[i] = as_uint(cospi(x[i]));
    sines[i] = as_uint(sinpi(x[i]));
    tangents[i] = as_uint(tanpi(x[i]));
    gammas[i] = as_uint(tgamma(tiny[i]));
}

// Results that are subnormal are kept: the exact ones are multiples of 2^-149, those of exp and erfc near it.
//! run subnormals global=1 local=1
//! arg least float = asfloat(0x00800000)
//! arg out float[8] -> {asfloat(512), asfloat(0x300), asfloat(0x200000), asfloat(0x200000), asfloat(0x200000), asfloat(512), asfloat(27), asfloat(26898)} ~ 16ulp
//! arg exact uint[6] -> {512, 0x300, 0x200000, 0x200000, 0x200000, 512}
kernel void subnormals(float least, global float *out, global uint *exact)
{
    int quotient;
    out[0] = exp2(-140.0f), out[1] = ldexp(1.5f, -140);
    out[2] = fmod(least, 0.75f * least), out[3] = remainder(least, 0.75f * least);
    out[4] = remquo(least, 0.75f * least, &quotient), out[5] = rootn(0x1p-140f, 1);
    out[6] = exp(-100.0f), out[7] = erfc(9.5f);
    for (int i = 0; i < 6; i++) exact[i] = as_uint(out[i]);
}

// An atomic pointer takes a difference with a sign.
//! run pointers global=1 local=1
//! arg p int[1] = 10 -> 5
//! arg seen uint[2] -> {10, 7}
kernel void pointers(global atomic_uintptr_t *p, global uint *seen)
{
    seen[0] = (uint)atomic_fetch_add_explicit(p, (ptrdiff_t)-3, memory_order_relaxed);
    seen[1] = (uint)atomic_fetch_sub(p, (ptrdiff_t)2);
}
