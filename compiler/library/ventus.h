/* The machine's own instructions as functions, for OpenCL C: #include <ventus.h>. docs/opencl-c.md describes them.
 *
 * If the target machine has the instructions of a group of functions, the compiler defines the group's macro
 * (isa/features.def). Every function compiles to one or a few instructions of the whole warp; all its work-items must
 * call it together, for only those that do take part. */
#ifndef VENTUS_H
#define VENTUS_H

#define VENTUS_FUNCTION static inline __attribute__((always_inline, overloadable))

/* ---- values of other lanes ---- */
#ifdef cl_ventus_shuffle

/* x of the lane at `distance`, modulo 2^32; the own value if there is none. */
#define VENTUS_SHUFFLE(T) \
    VENTUS_FUNCTION T ventus_shuffle_relative(T x, uint distance) \
    { \
        T r; \
        __asm__("vshuffle_down.raw %0, %2, %1" : "=vr"(r) : "vr"(x), "vr"(distance)); \
        return r; \
    } \
    VENTUS_FUNCTION T ventus_shuffle_up(T x, const uint n) \
    { \
        T r; \
        __asm__("shuffle.up %0, %1, %2" : "=vr"(r) : "vr"(x), "i"(n)); \
        return r; \
    } \
    VENTUS_FUNCTION T ventus_shuffle_down(T x, const uint n) \
    { \
        T r; \
        __asm__("shuffle.down %0, %1, %2" : "=vr"(r) : "vr"(x), "i"(n)); \
        return r; \
    } \
    VENTUS_FUNCTION T ventus_shuffle_xor(T x, const uint mask) \
    { \
        T r; \
        __asm__("shuffle.bfly %0, %1, %2" : "=vr"(r) : "vr"(x), "i"(mask)); \
        return r; \
    } \
    VENTUS_FUNCTION T ventus_broadcast(T x, const uint lane) \
    { \
        T r; \
        __asm__("shuffle.idx %0, %1, %2" : "=vr"(r) : "vr"(x), "i"(lane)); \
        return r; \
    } \
    VENTUS_FUNCTION T ventus_shuffle(T x, uint lane) { return ventus_shuffle_relative(x, lane - ventus_lane()); }

VENTUS_FUNCTION uint ventus_lane(void)
{
    uint r;
    __asm__("vid.v %0" : "=vr"(r));
    return r;
}
VENTUS_SHUFFLE(int)
VENTUS_SHUFFLE(uint)
VENTUS_SHUFFLE(float)
#undef VENTUS_SHUFFLE
#endif

/* ---- special functions ---- */
#ifdef cl_ventus_math

#define VENTUS_UNARY(NAME, INSTRUCTION, R, T) \
    VENTUS_FUNCTION R NAME(T x) \
    { \
        R r; \
        __asm__(INSTRUCTION " %0, %1" : "=vr"(r) : "vr"(x)); \
        return r; \
    }
VENTUS_UNARY(ventus_exp, "vfexp", float, float)
VENTUS_UNARY(ventus_sin, "sin.f32", float, float)
VENTUS_UNARY(ventus_cos, "cos.f32", float, float)
VENTUS_UNARY(ventus_lg2, "lg2.f32", float, float)
/* Of a float, and of two halves or bfloat16 in a word. */
#define VENTUS_SPECIAL(NAME) \
    VENTUS_UNARY(ventus_##NAME, #NAME ".f32", float, float) \
    VENTUS_UNARY(ventus_##NAME##_f16x2, #NAME ".f16x2", uint, uint) \
    VENTUS_UNARY(ventus_##NAME##_bf16x2, #NAME ".bf16x2", uint, uint)
VENTUS_SPECIAL(ex2)
VENTUS_SPECIAL(rcp)
VENTUS_SPECIAL(sqrt)
VENTUS_SPECIAL(rsqrt)
VENTUS_SPECIAL(tanh)
VENTUS_SPECIAL(gelu)
VENTUS_SPECIAL(silu)

/* ---- pairs of 16-bit floats: conversion, rounded to nearest even, and arithmetic ---- */

VENTUS_UNARY(ventus_float_to_f16, "vcvt.fp16.fp32", uint, float)
VENTUS_UNARY(ventus_float_to_bf16, "vcvt.bf16.fp32", uint, float)
VENTUS_UNARY(ventus_f16_to_float, "vcvt.fp32.fp16", float, uint)
VENTUS_UNARY(ventus_bf16_to_float, "vcvt.fp32.bf16", float, uint)
VENTUS_FUNCTION uint ventus_pack_f16x2(float low, float high)
{
    return ventus_float_to_f16(low) | ventus_float_to_f16(high) << 16;
}
VENTUS_FUNCTION uint ventus_pack_bf16x2(float low, float high)
{
    return ventus_float_to_bf16(low) | ventus_float_to_bf16(high) << 16;
}
#define VENTUS_PAIRS(TYPE) \
    VENTUS_FUNCTION uint ventus_add_##TYPE(uint a, uint b) \
    { \
        uint r; \
        __asm__("vadd." #TYPE " %0, %1, %2" : "=vr"(r) : "vr"(a), "vr"(b)); \
        return r; \
    } \
    VENTUS_FUNCTION uint ventus_mul_##TYPE(uint a, uint b) \
    { \
        uint r; \
        __asm__("vmul." #TYPE " %0, %1, %2" : "=vr"(r) : "vr"(a), "vr"(b)); \
        return r; \
    } \
    VENTUS_FUNCTION uint ventus_fma_##TYPE(uint a, uint b, uint c) \
    { \
        __asm__("vfma." #TYPE " %0, %1, %2" : "+vr"(c) : "vr"(a), "vr"(b)); \
        return c; \
    }
VENTUS_PAIRS(f16x2)
VENTUS_PAIRS(bf16x2)
#undef VENTUS_PAIRS
#undef VENTUS_SPECIAL
#undef VENTUS_UNARY
#endif

/* ---- matrices ---- */
#ifdef cl_ventus_matrix

/* C + A x B of a whole warp of 32 lanes: element i of a matrix is part of word i / (32 / bits), and word j is
 * component j / 32 of lane j % 32. A is row-major (row) or column-major (col); B lies along k (row) or n (col), C in
 * rows. The document's instructions name B's layouts by rows and columns, the public tools' those of its transpose. */
#ifdef __ventus_matrix_of_document
#define VENTUS_B_row "col"
#define VENTUS_B_col "row"
#else
#define VENTUS_B_row "row"
#define VENTUS_B_col "col"
#endif
#define VENTUS_MMA(SHAPE, LAYOUT_A, LAYOUT_B, TYPES, SUFFIX, A, B, C) \
    VENTUS_FUNCTION C ventus_mma_##SHAPE##_##LAYOUT_A##_##LAYOUT_B##_##SUFFIX(A a, B b, C c) \
    { \
        __asm__("mma." #SHAPE "." #LAYOUT_A "." VENTUS_B_##LAYOUT_B "." TYPES " %0, %1, %2" \
                : "+vr"(c) \
                : "vr"(a), "vr"(b)); \
        return c; \
    }
#define VENTUS_LAYOUTS(...) \
    VENTUS_MMA_(row, row, __VA_ARGS__) \
    VENTUS_MMA_(row, col, __VA_ARGS__) VENTUS_MMA_(col, row, __VA_ARGS__) VENTUS_MMA_(col, col, __VA_ARGS__)
#define VENTUS_MMA_(LAYOUT_A, LAYOUT_B, SHAPE, ...) VENTUS_MMA(SHAPE, LAYOUT_A, LAYOUT_B, __VA_ARGS__)
#define VENTUS_SHAPE(MN, A, B, C, HALF) \
    VENTUS_LAYOUTS(MN##k16, "f32.f16.f16.f32", f32_f16, A, B, C) \
    VENTUS_LAYOUTS(MN##k16, "f32.bf16.bf16.f32", f32_bf16, A, B, C) \
    VENTUS_LAYOUTS(MN##k16, "f16.f16.f16.f16", f16_f16, A, B, HALF) \
    VENTUS_LAYOUTS(MN##k8, "f32.tf32.tf32.f32", f32_tf32, A, B, C)
VENTUS_SHAPE(m8n8, uint2, uint2, float2, uint)
VENTUS_SHAPE(m16n8, uint4, uint2, float4, uint2)
VENTUS_SHAPE(m8n16, uint2, uint4, float4, uint2)
VENTUS_SHAPE(m16n16, uint4, uint4, float8, uint4)
#undef VENTUS_B_row
#undef VENTUS_B_col
#undef VENTUS_SHAPE
#undef VENTUS_MMA_
#undef VENTUS_LAYOUTS
#undef VENTUS_MMA
#endif

/* ---- asynchronous copies from global to local memory ---- */
#ifdef cl_ventus_copy

/* `size` (4, 8 or 16, a constant) bytes, of which those behind the first `valid` are zeros. */
#define ventus_copy(to, from, size, valid) \
    __asm__ volatile("cp_dma %0, %1, %2, %3" \
                     : \
                     : "vr"((__local void *)(to)), "r"((const __global void *)(from)), "r"((uint)(valid)), "i"(size) \
                     : "memory")
/* A multiple of 4 bytes between addresses that are multiples of 16. */
VENTUS_FUNCTION void ventus_copy_bulk(__local void *to, const __global void *from, uint size)
{
    __asm__ volatile("cp_dma_bulk %0, %1, %2" : : "vr"(to), "r"(from), "r"(size) : "memory");
}
/* The box of a tensor; lane i has word i of the two descriptors, of which machines have two forms (`ventus isa
 * cp_dma_tensor`). */
VENTUS_FUNCTION void ventus_copy_tensor(__local void *to, uint tensor, uint box)
{
    __asm__ volatile("cp_dma_tensor %0, %1, %2" : : "vr"(to), "vr"(tensor), "vr"(box) : "memory");
}
/* Waits for the copies of this warp; not on r2025: and those of the other warps in its group of four. */
VENTUS_FUNCTION void ventus_copy_wait(void) { __asm__ volatile("cp_dma_mbarrier" : : : "memory"); }
#endif

/* ---- barriers within a warp ---- */
#ifdef cl_ventus_sub_barrier

/* Earlier accesses of the warp's lanes to local and global memory come before later ones. */
VENTUS_FUNCTION void ventus_sub_barrier(void) { __asm__ volatile("barriersub 3" : : : "memory"); }
#endif

#undef VENTUS_FUNCTION
#endif
