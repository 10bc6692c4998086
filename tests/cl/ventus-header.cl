// The machine's own instructions as functions.
//! only Ventus
//! run shuffles global=64 local=32
//! arg x int[64] = i * 11
//! arg out int[64] -> i
#include <ventus.h>
kernel void shuffles(global const int *x, global int *out)
{
#if cl_ventus_shuffle
    int i = get_global_id(0), lane = get_local_id(0), base = i - lane, good = 0, v = x[i];
    float f = v;
    good += ventus_lane() == (uint)lane;
    good += ventus_shuffle_xor(v, 5) == x[i ^ 5];
    good += ventus_shuffle_up(v, 3) == x[lane < 3 ? i : i - 3];
    good += ventus_shuffle_down((uint)v, 6) == (uint)x[lane > 25 ? i : i + 6];
    good += ventus_broadcast(f, 7) == x[base + 7];
    good += ventus_shuffle(v, (uint)(lane * 7 + 1) % 32) == x[base + (lane * 7 + 1) % 32];
    good += ventus_shuffle_relative(v, (uint)-lane) == x[base];
    out[i] = good == 7 ? i : -good;
#endif
}

// Special functions of one word, pairs of 16-bit floats.
//! run special global=32 local=32
//! arg out float[32] -> i % 8 == 0 ? exp(1.5) : i % 8 == 1 ? 4 : i % 8 == 2 ? tanh(0.5) : i % 8 == 3 ? 1.5
//!     : i % 8 == 4 ? 6 : i % 8 == 5 ? 2.5 : i % 8 == 6 ? 1.5 / (1 + exp(-1.5)) : 13 ~ 0.0001
float low(uint pair) { return ventus_f16_to_float(pair & 0xffff); }
kernel void special(global float *out)
{
    uint a = ventus_pack_f16x2(1.5f, 4), b = ventus_pack_bf16x2(2, 9);
    float values[8] = {ventus_exp(1.5f), ventus_ex2(2.0f), ventus_tanh(0.5f), low(a),
                       low(ventus_mul_f16x2(a, a) >> 16) - 10, low(ventus_add_f16x2(a, a) >> 16) - 5.5f, ventus_silu(1.5f),
                       ventus_bf16_to_float(ventus_fma_bf16x2(b, ventus_pack_bf16x2(2, 1), b) >> 16) - 5};
    out[get_local_id(0)] = values[get_local_id(0) % 8];
}

// Matrices of all shapes: A and B are ones and C is i, so that each element grows by k.
//! run shapes global=32 local=32
//! arg out float[128] -> i < 32 ? 16 + 2 : i < 64 ? 16 + 3 : i < 96 ? 8 + 4 : 16 + 5
kernel void shapes(global float *out)
{
    uint i = get_local_id(0), one = ventus_pack_f16x2(1, 1), one_b = ventus_pack_bf16x2(1, 1);
    out[i] = ventus_mma_m8n8k16_row_col_f32_f16((uint2)one, (uint2)one, (float2)2).y;
    out[32 + i] = ventus_mma_m16n8k16_col_row_f32_bf16((uint4)one_b, (uint2)one_b, (float4)3).w;
    out[64 + i] = ventus_mma_m8n16k8_row_row_f32_tf32((uint2)as_uint(1.0f), (uint4)as_uint(1.0f), (float4)4).w;
    uint4 c = ventus_mma_m16n16k16_col_col_f16_f16((uint4)one, (uint4)one, (uint4)ventus_pack_f16x2(5, 5));
    out[96 + i] = ventus_f16_to_float(c.w >> 16);
}

//! run copies global=32 local=32
//! arg in uint[64] = i * 3
//! arg out uint[34] -> i < 32 ? (i + 4) * 3 : i == 32 ? 3 : 0
kernel void copies(global const uint *in, global uint *out)
{
    local uint all[32] __attribute__((aligned(16))), few[2];
    ventus_copy_bulk(all, in + 4, 128);
    ventus_copy(few, in + 1, 8, 4);
    ventus_copy_wait();
    ventus_sub_barrier();
    out[get_local_id(0)] = all[get_local_id(0)];
    out[32 + get_local_id(0) % 2] = few[get_local_id(0) % 2];
}
