// Transforms.
//! run fft global=64 local=64
//! arg in float[256] = unit(i) - 0.5
//! arg out float[256] -> any
kernel void fft(global const float2 *in, global float2 *out)
{
    local float2 s[128];
    int l = get_local_id(0);
    for (int k = 0; k < 2; k++) {
        int at = l + 64 * k, r = 0;
        for (int b = 0; b < 7; b++) r |= (at >> b & 1) << (6 - b);
        s[r] = in[at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 1; half_ < 128; half_ *= 2) {
        int j = l & (half_ - 1), at = (l - j) * 2 + j;
        float angle = -M_PI_F * j / half_, c = cos(angle), z = sin(angle);
        float2 a = s[at], b = s[at + half_], t = (float2)(b.x * c - b.y * z, b.x * z + b.y * c);
        s[at] = a + t;
        s[at + half_] = a - t;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = s[l];
    out[l + 64] = s[l + 64];
}
