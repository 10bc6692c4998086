// Floating point: physics, finance.
//! run nbody global=64 local=32
//! arg n int = 64
//! arg p float[256] = unit(i)
//! arg out float[256] -> any
kernel void nbody(int n, global const float4 *p, global float4 *out)
{
    int i = get_global_id(0);
    float4 me = p[i];
    float3 a = 0;
    for (int k = 0; k < n; k++) {
        float3 d = p[k].xyz - me.xyz;
        float r = rsqrt(dot(d, d) + 0.01f);
        a += d * (p[k].w * r * r * r);
    }
    out[i] = (float4)(a, me.w);
}

float cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float c = 0.39894228f * exp(-0.5f * d * d) * (k * (0.31938153f + k * (-0.35656378f + k * (1.78147794f + k * (-1.82125598f + k * 1.33027443f)))));
    return d > 0 ? 1.0f - c : c;
}
//! run options_price global=128 local=64
//! arg s float[128] = unit(i) * 25 + 5
//! arg x float[128] = unit(i + 500) * 99 + 1
//! arg t float[128] = unit(i + 900) * 9.75 + 0.25
//! arg out float[128] -> any
kernel void options_price(global const float *s, global const float *x, global const float *t, global float *out)
{
    int i = get_global_id(0);
    float r = 0.02f, v = 0.3f, root = sqrt(t[i]);
    float d1 = (log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root), d2 = d1 - v * root;
    out[i] = s[i] * cnd(d1) - x[i] * exp(-r * t[i]) * cnd(d2);
}

//! run fast global=128 local=64
//! arg in float[128] = unit(i) * 4
//! arg out float[128] -> any ~ 1
kernel void fast(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float x = in[i];
    out[i] = native_exp(-x) * native_sin(x) + native_cos(x) * native_rsqrt(x + 1.0f) + native_log2(x + 2.0f) + floor(x);
}

//! run stencil global=64 local=32
//! arg n int = 64
//! arg steps int = 8
//! arg in float[4096] = unit(i)
//! arg out float[4096] = 0 -> any
kernel void stencil(int n, int steps, global const float *in, global float *out)
{
    int x = get_global_id(0);
    if (x == 0 || x == n - 1) return;
    for (int y = 1; y < n - 1; y++)
        out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]) - in[y * n + x];
}
