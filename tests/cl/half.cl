// Half-precision numbers in memory, without half arithmetic.
//! run halves global=8 local=8
//! arg a float[8] = {1.0, -2.5, 65504.0, 0.000061035156, 0.1, 70000.0, 0.0, -inf}
//! arg stored ushort[8] -> {0x3c00, 0xc100, 0x7bff, 0x0400, 0x2e66, 0x7c00, 0x0000, 0xfc00}
//! arg bits ushort[8] = {0x3c00, 0xc100, 0x7bff, 0x0400, 0x3555, 0x0001, 0x8000, 0x7c00}
//! arg loaded float[8] -> {1.0, -2.5, 65504.0, 0.00006103515625, 0.333251953125, 0.000000059604644775390625, -0.0, inf}
//! arg down ushort[8] -> {0x3c00, 0xc100, 0x7bff, 0x0400, 0x2e66, 0x7bff, 0x0000, 0xfc00}
kernel void halves(global const float *a, global half *stored, global const half *bits, global float *loaded,
                   global half *down)
{
    int i = get_global_id(0);
    vstore_half(a[i], i, stored);
    loaded[i] = vload_half(i, bits);
    vstore_half_rtz(a[i], i, down);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

//! run uniform global=64 local=64
//! arg x half = 2.25
//! arg v half3 = {1, -2, 65504}
//! arg n int = -7
//! arg out half[10] -> {1.5, 3.25, inf, 2.25, -4.5, inf, -7, -2, 1, 4.5}
kernel void uniform(half x, half3 v, int n, global half *out)
{
    vstore3(x * v, 0, out + 3);
    out[0] = sqrt(x);
    out[1] = v.x + x;
    out[2] = v.z + 32.0h;
    out[6] = n;
    out[7] = (half)(int)(x * -1.0h);
    out[8] = x > v.x;
    out[9] = fma(v.y, -x, 0.0h);
}

//! run memories global=64 local=64
//! arg in half[64] = i * 0.125
//! arg scratch local 128
//! arg out half[64] -> (63 - i) * 0.375 + (i % 4 + 0.5) + i * 0.125
constant half table[] = {0.5h, 1.5h, 2.5h, 3.5h};
kernel void memories(global const half *in, local half *scratch, global half *out)
{
    local half turned[64];
    size_t i = get_local_id(0);
    half own[8];
    for (int k = 0; k < 8; k++) own[k] = in[i] * k;
    prefetch(in, 64);
    event_t e = async_work_group_copy(scratch, in, 64, 0);
    wait_group_events(1, &e);
    turned[63 - i] = scratch[i] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = turned[i] + table[i & 3] + own[(i & 0) + 1];
}

//! run branches global=64 local=32
//! arg out half[64] -> i < 20 ? i * 0.25 + 64 : i % 3 == 0 ? -1.5 : i / 8.0
kernel void branches(global half *out)
{
    int i = get_global_id(0);
    half x = i;
    if (x < 20.0h) {
        for (int k = 0; k < i % 5; k++) x -= 1.0h;
        x = (x + i % 5) * 0.25h;
        x += 0x1p6h;
    } else {
        x = i % 3 == 0 ? -1.5h : x / 8.0h;
    }
    out[i] = x;
}

typedef struct {
    char c;
    half h[3];
    half2 pair;
} mixed;

//! run structs global=16 local=16
//! arg s struct = {char 3, half 1.5, half 2.5, half -0.5, half 4, half 8}
//! arg out half[96] -> i % 6 == 0 ? 3 + i / 6 : i % 6 == 1 ? 1.5 : i % 6 == 2 ? 2.5 * (i / 6) : i % 6 == 3 ? -0.5 : i % 6 == 4 ? 8 : 4
kernel void structs(mixed s, global half *out)
{
    int i = get_global_id(0);
    mixed all[2] = {s, s};
    all[i & 1].h[1] *= i;
    all[i & 1].c += i;
    mixed m = all[i & 1];
    out[6 * i] = m.c;
    for (int k = 0; k < 3; k++) out[6 * i + 1 + k] = m.h[k];
    vstore2(m.pair.yx, 0, out + 6 * i + 4);
}

//! run vectors global=16 local=16
//! arg a half[64] = i * 1.25 - 20
//! arg out half[64] -> max(floor(a[i]), -3) + (i % 4 == 1 ? a[i] : 0)
//! arg narrow float[64] -> a[i]
//! arg whole short[64] -> a[i]
//! arg mixed half[64] -> i % 4 == 0 ? a[i + 3] : i % 4 == 1 ? 0.5 : i % 4 == 2 ? a[i - 2] : -a[i - 2]
kernel void vectors(global const half *a, global half *out, global float *narrow, global short *whole, global half *mixed)
{
    size_t i = get_global_id(0);
    half4 v = vload4(i, a), w = fmax(floor(v), -3.0h);
    vstore4(w + select((half4)0, v, (short4)(0, -1, 0, 0)), i, out);
    vstore4(convert_float4(v), i, narrow);
    vstore4(convert_short4(v), i, whole);
    vstore4(shuffle2(v, (half4)(0.5h, -v.x, -v.y, -v.z), (ushort4)(3, 4, 0, 6)), i, mixed);
}

// Stores of vectors into memory that is read as another type, and loads of what was stored as that.
//! run other global=2 local=2
//! arg in half[32] = i * 0.5
//! arg out ushort[66] -> i % 33 == 0 ? 0 : 0x4c00 + i / 33
//! arg back float[32] -> i % 16 < 3 ? i % 16 * 2 : 1
kernel void other(global const half *in, global ushort *out, global float *back)
{
    size_t i = get_global_id(0);
    private ushort memory[33];
    for (int k = 0; k < 33; k++) memory[k] = 0;
    half16 v = vload16(i, in) * 0.0h + 16.0h + i * 0.015625h;
    vstore16(v, 0, (private half *)memory + 1);
    vstore16(v, 1, (private half *)memory + 1);
    for (int k = 0; k < 33; k++) out[33 * i + k] = memory[k];
    for (int k = 0; k < 33; k++) memory[k] = 0x3c00;
    for (int k = 0; k < 3; k++) memory[k + 1] = k == 0 ? 0 : 0x3c00 + 0x400 * k;
    vstore16(convert_float16(vload16(0, (private half *)memory + 1)), i, back);
}

// Vectors of halves as words of two: all operations on them, and what is done with their elements in between.
//! run packed global=32 local=32
//! arg a half[128] = i % 7 * 0.5 - 1
//! arg b half[128] = i % 5 - 2
//! arg n int = 3
//! arg out half[128] -> a[i] * b[i] * 3 + (i % 4 == 1 ? 0.25 : 0) + (i % 8 < 4 ? -a[i] : b[i] < 0 ? -b[i] : b[i])
//! arg parts half[64] -> i % 2 == 0 ? a[2 * i + 1] - b[2 * i] : a[2 * i] - 0.5
kernel void packed(global const half4 *a, global const half4 *b, int n, global half4 *out, global half2 *parts)
{
    size_t i = get_global_id(0);
    half4 v = a[i], w = b[i], sum = 0;
    for (int k = 0; k < n; k++) sum = fma(v, w, sum);
    sum.y += 0.25h;
    if (i % 2 == 0) sum -= v;
    else sum += fabs(w);
    out[i] = sum;
    parts[i] = (half2)(v.y, v.z) - (half2)(w.x, 0.5h);
}

// NaNs, infinities, zeros and subnormal numbers in both halves of a word; selections by a condition for both.
//! run packed_edges global=4 local=4
//! arg a half[8] = {inf, -0.0, 65504.0, 0.00006103515625, nan, 1.0, -1.0, 0.000000059604644775390625}
//! arg out half[24] -> {-inf, 0.0, nan, -0.0, -65504.0, -0.00006103515625, inf, 0.0001220703125, nan, -1.0, nan, 2.0, 1.0, -0.000000059604644775390625, -2.0, 0.00000011920928955078125, inf, -0.0, 65504.0, 0.00006103515625, nan, 1.0, -1.0, 0.000000059604644775390625}
kernel void packed_edges(global const half2 *a, global half2 *out)
{
    size_t i = get_global_id(0);
    half2 v = a[i];
    out[2 * i] = -v;
    out[2 * i + 1] = i == 0 ? v * (half2)(0.0h, 1.0h) : v + v;
    out[8 + i] = i < 9 ? v : (half2)0;
}
