// Floats: every compare predicate, NaN and infinities, conversions from and to integers, fma, uniform
// floats.
// run: compares global=64 local=32 args=z1024,b256,f256
// run: conversions global=64 local=32 args=b2048,f256,b512
// run: uniform global=32 local=32 args=b128,1.25,-7.5,3
kernel void compares(global int *o, global const float *t, global const float *f)
{
    int g = get_global_id(0);
    float a = t[g], b = f[(g * 5) & 63], nan = as_float(0x7fc00000);
    if (g % 7 == 0) b = a;
    if (g % 11 == 0) a = -0.0f, b = 0.0f;
    o[4 * g] = (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b);
    o[4 * g + 1] = !(a < b) + 2 * !(a <= b) + 4 * !(a > b) + 8 * !(a >= b) + 16 * !(a == b) + 32 * !(a != b);
    o[4 * g + 2] = isnan(a) + 2 * isordered(a, b) + 4 * islessgreater(a, b) + 8 * (nan == a) + 16 * isinf(a) + 32 * isfinite(a) + 64 * isnormal(a);
    if (a < b) o[4 * g + 3] = 1; else if (a > b) o[4 * g + 3] = 2; else if (a == b) o[4 * g + 3] = 3; else o[4 * g + 3] = 4;
}
kernel void conversions(global uint *o, global const float *f, global const ulong *t)
{
    int g = get_global_id(0);
    float a = f[g];
    ulong u = t[g];
    o[8 * g] = (uint)(int)a;
    o[8 * g + 1] = a > 0.0f ? (uint)a : 0u;
    o[8 * g + 2] = (uint)(long)(a * 1e6f) ^ (uint)((long)(a * 1e6f) >> 32);
    o[8 * g + 3] = as_uint((float)u);
    o[8 * g + 4] = as_uint((float)(long)u);
    o[8 * g + 5] = as_uint((float)(uint)u) ^ as_uint((float)(int)u);
    o[8 * g + 6] = as_uint((float)(char)u) ^ as_uint((float)(ushort)u);
    o[8 * g + 7] = (uchar)(fabs(a) * 0.001f) + (uint)(short)(a * 0.5f < 30000.0f && a * 0.5f > -30000.0f ? a * 0.5f : 0.0f);
}
kernel void uniform(global float *o, float a, float b, int n)
{
    int g = get_global_id(0);
    float c = a * b + (float)n, d = fma(a, b, c), e = a / b;
    if (c < d) e = sqrt(fabs(c));
    if (n > 2) o[0] = e;
    for (int i = 0; i < n; i++) d = d * 0.5f - a;
    o[1 + (g & 15)] = floor(d) + (a > b ? 1.0f : 2.0f);
}
#ifdef HOST
ARGS3(compares, global int *, global const float *, global const float *)
ARGS3(conversions, global uint *, global const float *, global const ulong *)
ARGS4(uniform, global float *, float, float, int)
#endif
