// Relational and selection functions on floats, shuffle and shuffle2, min and max families.
// run: relations global=128 local=32 args=z8192,b1024,f512
// run: mixes global=128 local=32 args=z8192,f1024
// run: shuffled global=64 local=32 args=z8192,b4096
kernel void relations(global int *o, global const float *t, global const float *f)
{
    int g = get_global_id(0);
    float a = t[g], b = g % 3 ? f[g & 127] : t[(g + 1) & 127];
    if (g % 5 == 0) b = a;
    float4 v = (float4)(a, b, 1.0f, -0.0f), w = v.yxwz;
    o += g * 16;
    o[0] = isequal(a, b) + 2 * isnotequal(a, b) + 4 * isgreater(a, b) + 8 * isgreaterequal(a, b) + 16 * isless(a, b) + 32 * islessequal(a, b);
    o[1] = islessgreater(a, b) + 2 * isordered(a, b) + 4 * isunordered(a, b) + 8 * isfinite(a) + 16 * isinf(a) + 32 * isnan(a) + 64 * isnormal(a) + 128 * signbit(a);
    int4 r = isequal(v, w) + 2 * isgreater(v, w) + 4 * isless(v, w) + 8 * isunordered(v, w) + 16 * isnan(v) + 32 * signbit(v) + 64 * isnormal(w);
    o[2] = r.x; o[3] = r.y; o[4] = r.z; o[5] = r.w;
    o[6] = any(isnan(v)) + 2 * all(isfinite(v));
    o[7] = as_int(bitselect(a, b, 1.5f));
    o[8] = as_int(select(a, b, g & 1));
    float2 s = select(v.xy, w.xy, (int2)(-g, 1));
    o[9] = as_int(s.x); o[10] = as_int(s.y);
}
kernel void mixes(global float *o, global const float *t)
{
    int g = get_global_id(0);
    float a = t[g], b = t[g + 128];
    o += g * 16;
    o[0] = fmin(a, b); o[1] = fmax(a, b); o[2] = min(a, b); o[3] = max(a, b); o[4] = clamp(a, -5.0f, 5.0f);
    o[5] = step(b, a); o[6] = sign(a); o[7] = fdim(a, b); o[8] = maxmag(a, b); o[9] = minmag(a, b);
    o[10] = nextafter(a, b); o[11] = ldexp(a, g - 64); o[12] = copysign(a, b);
    float3 v = fmax((float3)(a, b, 1.0f), 0.5f);
    o[13] = v.x; o[14] = v.z;
}
kernel void shuffled(global int *o, global const int *t)
{
    int g = get_global_id(0);
    int4 v = vload4(g, t), w = vload4((g + 5) & 63, t);
    uint4 m = as_uint4(w);
    short8 s = convert_short8((int8)(v, w));
    int4 a = shuffle(v, m), b = shuffle2(v, w, m.wzyx);
    short2 c = shuffle(s, convert_ushort2(m.xy));
    uchar16 d = shuffle2(convert_uchar8(as_uint8((int8)(v, w))), convert_uchar8(as_uint8((int8)(w, v))), as_uchar16(m));
    o += g * 32;
    vstore4(a, 0, o);
    vstore4(b, 1, o);
    vstore2(c, 8, (global short *)o + 4);
    vstore16(d, 2, (global uchar *)o + 32);
}
#ifdef HOST
ARGS3(relations, global int *, global const float *, global const float *)
ARGS2(mixes, global float *, global const float *)
ARGS2(shuffled, global int *, global const int *)
#endif
