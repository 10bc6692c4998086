// Kernels over pictures: neighbours, clamping, bytes.
//! run sobel global=32,16 local=16,4
//! arg in uchar[512] = random(i)
//! arg out uchar[512] -> any
kernel void sobel(global const uchar *in, global uchar *out)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    int l = clamp(x - 1, 0, w - 1), r = clamp(x + 1, 0, w - 1), u = clamp(y - 1, 0, h - 1), d = clamp(y + 1, 0, h - 1);
    int gx = in[u * w + r] + 2 * in[y * w + r] + in[d * w + r] - in[u * w + l] - 2 * in[y * w + l] - in[d * w + l];
    int gy = in[d * w + l] + 2 * in[d * w + x] + in[d * w + r] - in[u * w + l] - 2 * in[u * w + x] - in[u * w + r];
    out[y * w + x] = convert_uchar_sat(abs(gx) + abs(gy));
}

//! run tone global=256 local=64
//! arg in float[1024] = unit(i) * 1.5 - 0.2
//! arg out uchar[1024] -> any
kernel void tone(global const float4 *in, global uchar4 *out)
{
    int i = get_global_id(0);
    float4 v = clamp(in[i], 0.0f, 1.0f);
    v = min(max(v * 1.2f - 0.1f, 0.0f), 1.0f);
    out[i] = convert_uchar4_sat_rte(v * 255.0f);
}

//! run blur global=64,16 local=32,2
//! arg in float[1024] = unit(i)
//! arg out float[1024] -> any
kernel void blur(global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int sx = min(max(x + dx, 0), w - 1), sy = min(max(y + dy, 0), h - 1);
            sum += in[sy * w + sx];
        }
    out[y * w + x] = sum / 25.0f;
}
