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
