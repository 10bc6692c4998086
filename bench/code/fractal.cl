// Divergent loops that end early.
//! run mandelbrot global=64,32 local=32,2
//! arg limit int = 64
//! arg out int[2048] -> any
kernel void mandelbrot(int limit, global int *out)
{
    int px = get_global_id(0), py = get_global_id(1), w = get_global_size(0), n = 0;
    float cx = px * (3.0f / w) - 2.0f, cy = py * 0.0625f - 1.0f, x = 0, y = 0;
    for (; n < limit; n++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
    }
    out[py * w + px] = n;
}

//! run collatz global=512 local=64
//! arg out int[512] -> any
kernel void collatz(global int *out)
{
    uint x = get_global_id(0) + 1, steps = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[get_global_id(0)] = steps;
}

//! run newton global=256 local=64
//! arg in float[256] = unit(i) * 100
//! arg out float[256] -> any
kernel void newton(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float a = in[i], x = a * 0.5f + 0.5f;
    for (int k = 0; k < 30; k++) {
        float next = 0.5f * (x + a / x), d = fabs(next - x);
        x = next;
        if (d < 1e-4f * x) break;
    }
    out[i] = x;
}
