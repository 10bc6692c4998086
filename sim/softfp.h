/* IEEE 754 arithmetic on bit patterns: exact in every rounding mode, with flags, the same on every host.
 *
 * Where IEEE leaves a choice, RISC-V's is taken: every NaN result is the format's canonical one, tininess
 * is detected after rounding, 0 * inf + NaN is invalid, minimum and maximum prefer the number. Subnormals
 * are kept. A pattern sits in the low bits of its word; bits above the format's width are ignored in
 * operands and zero in results. No function depends on the host's rounding mode or changes its flags,
 * none allocates, and none fails: what can go wrong is a flag. */
#ifndef VENTUS_SIM_SOFTFP_H
#define VENTUS_SIM_SOFTFP_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers of frm. FP_ROD (to odd) is for narrowing in two steps: an inexact result has its last bit set. */
enum fp_round { FP_RNE, FP_RTZ, FP_RDN, FP_RUP, FP_RMM, FP_ROD };

/* The bits of fflags: inexact, underflow, overflow, divided by zero, invalid. */
enum fp_flags { FP_NX = 1, FP_UF = 2, FP_OF = 4, FP_DZ = 8, FP_NV = 16 };

/* Rounding mode of the operation (an enum fp_round; anything above FP_ROD rounds to odd), and the flags:
 * operations add to them, only the caller clears them. */
struct fp_env {
    uint8_t round, flags;
};

/* FP_TF32 is a binary32 pattern with 10 fraction bits: the low 13 are ignored in operands, zero in results.
 * FP_E4M3 and FP_E5M2 are OCP's, with NaNs as in Zvfofp8min: all quiet, 0x7f the canonical one. FP_E4M3 has
 * no infinity and no other NaN, its largest value is 448.
 * The formats below them have neither infinity nor NaN: all patterns are numbers. FP_E3M0 has no
 * subnormals, only zero and powers of two; a tie between two of these, FP_RNE takes to the larger, as IEEE
 * wants where neither digit is even. */
enum fp_format { FP_F16, FP_BF16, FP_F32, FP_F64, FP_TF32, FP_E4M3, FP_E5M2, FP_E3M2, FP_E2M3, FP_E2M1, FP_E3M0 };

/* Arithmetic, operands and result in one format. They work in every format; in those without infinity or
 * NaN, fp_convert says what comes in their place. */
uint64_t fp_add(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);
uint64_t fp_sub(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);
uint64_t fp_mul(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);
uint64_t fp_div(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);
uint64_t fp_sqrt(enum fp_format f, uint64_t a, struct fp_env *env);
/* a * b + c, rounded once. */
uint64_t fp_fma(enum fp_format f, uint64_t a, uint64_t b, uint64_t c, struct fp_env *env);

/* The smaller and the larger; -0 is below +0. A number wins over a NaN, two NaNs give the canonical one,
 * a signalling NaN raises NV. */
uint64_t fp_min(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);
uint64_t fp_max(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);

/* Comparisons, false with a NaN. fp_eq raises NV for a signalling NaN, the others for any. */
bool fp_eq(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);
bool fp_lt(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);
bool fp_le(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);

/* One bit of ten: 0 -inf, 1 negative normal, 2 negative subnormal, 3 -0, 4 +0 ... 7 +inf, 8 signalling,
 * 9 quiet NaN. */
unsigned fp_class(enum fp_format f, uint64_t a);

/* The value of a in another format; to == from rounds nothing but makes a NaN canonical.
 *
 * What lies beyond the largest value raises OF and NX. It becomes infinity or the largest value, as the
 * rounding mode says; in FP_E4M3 NaN stands where infinity would; formats without NaN saturate in every
 * mode. An infinity that the target does not have becomes the same NaN or largest value, with the same
 * flags. A NaN that the target does not have becomes its largest value, and raises NV. */
uint64_t fp_convert(enum fp_format to, enum fp_format from, uint64_t a, struct fp_env *env);

/* The integer nearest to a as the mode says, of `bits` bits (1 to 64), sign- or zero-extended to 64. Beyond
 * the range the closest end, for NaN the largest, with NV and nothing else raised. */
uint64_t fp_to_int(enum fp_format f, uint64_t a, unsigned bits, bool is_signed, struct fp_env *env);

/* The integer a, taken as 64 bits signed or unsigned. */
uint64_t fp_from_int(enum fp_format f, uint64_t a, bool is_signed, struct fp_env *env);

/* RVV's estimates of 1/a and 1/sqrt(a) to seven bits, vfrec7 and vfrsqrt7, in binary16 or binary32. */
uint32_t fp_rec7(enum fp_format f, uint32_t a, struct fp_env *env);
uint32_t fp_rsqrt7(enum fp_format f, uint32_t a, struct fp_env *env);

#endif
