// Signals, pictures and fields.
//! sizes 4096 131072

//! run fir global=N local=64
//! arg in float[N+32] = unit(i)
//! arg taps float[32] = unit(i + 3)
//! arg out float[N] -> any
kernel void fir(global const float *in, constant float *taps, global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 32; k++) sum += in[i + k] * taps[k];
    out[i] = sum;
}

//! run biquad global=N/64 local=32
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void biquad(global const float *in, global float *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    float a = 0, b = 0;
    for (int k = 0; k < 64; k++) {
        float x = in[k * n + i] + 0.4f * a - 0.2f * b;
        out[k * n + i] = 0.3f * x + 0.5f * a + 0.1f * b;
        b = a;
        a = x;
    }
}

//! run dft_64 global=N local=64
//! arg in float[N*2] = unit(i)
//! arg out float[N*2] -> any ~ 0.001
kernel void dft_64(global const float2 *in, global float2 *out)
{
    local float2 tile[64];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float2 sum = 0, turn = (float2)(1, 0), step = (float2)(cos(l * 0.09817477f), sin(l * 0.09817477f));
    for (int k = 0; k < 64; k++) {
        sum += (float2)(tile[k].x * turn.x - tile[k].y * turn.y, tile[k].x * turn.y + tile[k].y * turn.x);
        turn = (float2)(turn.x * step.x - turn.y * step.y, turn.x * step.y + turn.y * step.x);
    }
    out[i] = sum;
}

//! run haar global=N/2 local=64
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void haar(global const float *in, global float *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    out[i] = 0.7071f * (in[2 * i] + in[2 * i + 1]);
    out[n + i] = 0.7071f * (in[2 * i] - in[2 * i + 1]);
}

//! run bilateral global=N/8 local=64
//! arg in float[N] = unit(i)
//! arg out float[N/8] -> any ~ 0.001
kernel void bilateral(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float centre = in[i + 130], sum = 0, weights = 0;
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++) {
            float v = in[i + y * 64 + x], d = v - centre;
            float w = native_exp(-0.1f * ((x - 2) * (x - 2) + (y - 2) * (y - 2)) - 8 * d * d);
            sum += w * v;
            weights += w;
        }
    out[i] = sum / weights;
}

//! run median_3x3 global=N local=64
//! arg in uchar[N+258] = random(i)
//! arg out uchar[N] -> any
#define ORDER(a, b) { uchar low = min(a, b); b = max(a, b); a = low; }
kernel void median_3x3(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    uchar a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 128], e = in[i + 129], f = in[i + 130], g = in[i + 256],
          h = in[i + 257], k = in[i + 2 + 255];
    ORDER(b, c) ORDER(e, f) ORDER(h, k) ORDER(a, b) ORDER(d, e) ORDER(g, h) ORDER(b, c) ORDER(e, f) ORDER(h, k)
    ORDER(a, d) ORDER(f, k) ORDER(e, h) ORDER(d, g) ORDER(b, e) ORDER(c, f) ORDER(e, h) ORDER(e, c) ORDER(g, e) ORDER(e, c)
    out[i] = e;
}

//! run heat_3d global=64,8,N/512 local=64,1,1
//! arg in float[N] = unit(i)
//! arg out float[N] -> any
kernel void heat_3d(global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), d = get_global_size(2), at = (z * 8 + y) * 64 + x;
    float me = in[at], sum = -6 * me;
    sum += x > 0 ? in[at - 1] : me;
    sum += x < 63 ? in[at + 1] : me;
    sum += y > 0 ? in[at - 64] : me;
    sum += y < 7 ? in[at + 64] : me;
    sum += z > 0 ? in[at - 512] : me;
    sum += z < d - 1 ? in[at + 512] : me;
    out[at] = me + 0.1f * sum;
}

//! run lattice_boltzmann global=N local=64
//! arg f float[N*9+256] = unit(i) + 0.5
//! arg out float[N*9] -> any ~ 0.001
kernel void lattice_boltzmann(global const float *f, global float *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    const float weights[9] = {4 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float v[9], density = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; k++) {
        v[k] = f[k * n + i + 64 + cx[k] + 32 * cy[k]];
        density += v[k];
        ux += cx[k] * v[k];
        uy += cy[k] * v[k];
    }
    ux /= density;
    uy /= density;
    for (int k = 0; k < 9; k++) {
        float u = 3 * (cx[k] * ux + cy[k] * uy);
        out[k * n + i] = v[k] + 0.6f * (weights[k] * density * (1 + u + 0.5f * u * u - 1.5f * (ux * ux + uy * uy)) - v[k]);
    }
}

//! run lennard_jones global=N/64 local=64
//! arg at float[N/16] = unit(i) * 10
//! arg out float[N/64] -> any ~ 0.01
kernel void lennard_jones(global const float4 *at, global float *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    float energy = 0;
    for (int k = 0; k < n; k++) {
        float3 d = at[k].xyz - at[i].xyz;
        float r2 = dot(d, d);
        if (k == i || r2 > 6.25f || r2 < 0.5f) continue;
        float s = 1 / (r2 * r2 * r2);
        energy += s * s - s;
    }
    out[i] = energy;
}

//! run bilinear global=N local=64
//! arg in float[4096] = unit(i)
//! arg out float[N] -> any ~ 0.001
kernel void bilinear(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float x = (i & 255) * 0.231f, y = (i >> 8 & 127) * 0.413f;
    int ix = (int)x, iy = (int)y;
    float fx = x - ix, fy = y - iy;
    float top = mix(in[iy * 64 + ix], in[iy * 64 + ix + 1], fx), low = mix(in[iy * 64 + ix + 64], in[iy * 64 + ix + 65], fx);
    out[i] = mix(top, low, fy);
}
