/* The arithmetic expressions of the table for one lane, exactly: floating point by softfp.c, with the
 * rounding mode and the flags of struct operands; fixed point with vxrm and vxsat.
 *
 * Compiled for each WORD_BITS; EVAL_NAME is eval8 to eval64. In eval64 every operand is a register pair and floating
 * point binary64; in eval16 it is binary16. Called by exact.c. */
#include "sim/eval.h"
#include "sim/rows.h"
#include "sim/special.h"

#define LANE_EXACT
#include "sim/lane.h"

/* ---- helpers that need the context `o` are macros over it ---- */

#define f_add(a, b)    fp_add(o->format, a, b, &o->env)
#define f_sub(a, b)    fp_sub(o->format, a, b, &o->env)
#define f_mul(a, b)    fp_mul(o->format, a, b, &o->env)
#define f_div(a, b)    fp_div(o->format, a, b, &o->env)
#define f_sqrt(a)      fp_sqrt(o->format, a, &o->env)
#define f_fma(a, b, c) fp_fma(o->format, a, b, c, &o->env)
#define f_min(a, b)    fp_min(o->format, a, b, &o->env)
#define f_max(a, b)    fp_max(o->format, a, b, &o->env)
#define f_eq(a, b)     fp_eq(o->format, a, b, &o->env)
#define f_lt(a, b)     fp_lt(o->format, a, b, &o->env)
#define f_le(a, b)     fp_le(o->format, a, b, &o->env)
#define f_class(a)     fp_class(o->format, a)
#define f_rec7(a)      fp_rec7(o->format, (uint32_t)(a), &o->env)
#define f_rsqrt7(a)    fp_rsqrt7(o->format, (uint32_t)(a), &o->env)
#define f_exp(a)       sfu(SFU_EXP, o->format, a)
#define f_ex2(a)       sfu(SFU_EX2, o->format, a)
#define f_lg2(a)       sfu(SFU_LG2, o->format, a)
#define f_rcp(a)       sfu(SFU_RCP, o->format, a)
#define f_rsqrt(a)     sfu(SFU_RSQRT, o->format, a)
#define f_sin(a)       sfu(SFU_SIN, o->format, a)
#define f_cos(a)       sfu(SFU_COS, o->format, a)

/* Conversions within the row's width ... */
#define f_to_s(a)     to_s(o->format, WORD_BITS, a)
#define f_to_u(a)     to_u(o->format, WORD_BITS, a)
#define f_to_s_rtz(a) to_s_rtz(o->format, WORD_BITS, a)
#define f_to_u_rtz(a) to_u_rtz(o->format, WORD_BITS, a)
#define f_from_s(a)   from_s(o->format, a)
#define f_from_u(a)   from_u(o->format, a)

/* ... and from one format or width to another. */
#define to_s(from, bits, a)      fp_to_int(from, a, bits, true, &o->env)
#define to_u(from, bits, a)      fp_to_int(from, a, bits, false, &o->env)
#define to_s_rtz(from, bits, a)  fp_to_int(from, a, bits, true, rounding(o, FP_RTZ))
#define to_u_rtz(from, bits, a)  fp_to_int(from, a, bits, false, rounding(o, FP_RTZ))
#define from_s(to, a)            fp_from_int(to, sext(a, WORD_BITS), true, &o->env)
#define from_u(to, a)            fp_from_int(to, a, false, &o->env)
#define convert(to, from, a)     fp_convert(to, from, a, &o->env)
#define convert_rne(to, from, a) fp_convert(to, from, a, rounding(o, FP_RNE))
#define convert_rod(to, from, a) fp_convert(to, from, a, rounding(o, FP_ROD))

#define special(function, a)                sfu(function, o->format, a)
#define f_from_f16(a)                       convert(FP_F32, FP_F16, a)
#define f_to_f16(a)                         convert_rne(FP_F16, FP_F32, a)
#define f16x2_add(a, b)                     halves(o, fp_add, FP_F16, a, b)
#define f16x2_mul(a, b)                     halves(o, fp_mul, FP_F16, a, b)
#define f16x2_fma(a, b, c)                  halves3(o, FP_F16, a, b, c)
#define bf16x2_add(a, b)                    halves(o, fp_add, FP_BF16, a, b)
#define bf16x2_mul(a, b)                    halves(o, fp_mul, FP_BF16, a, b)
#define bf16x2_fma(a, b, c)                 halves3(o, FP_BF16, a, b, c)
#define halves_special(function, format, a) halves_sfu(function, format, a)

/* Saturation shows in vxsat: the result is not the sum modulo the word. */
#define sat_add_u(a, b)    noted(o, sat_add_u(a, b), (a) + (b))
#define sat_add_s(a, b)    noted(o, sat_add_s(a, b), (a) + (b))
#define sat_sub_u(a, b)    noted(o, sat_sub_u(a, b), (a) - (b))
#define sat_sub_s(a, b)    noted(o, sat_sub_s(a, b), (a) - (b))
#define avg_add_u(a, b)    round_u(o, (dword)(a) + (b), 1)
#define avg_sub_u(a, b)    round_u(o, (dword)(a) - (b), 1)
#define avg_add_s(a, b)    round_s(o, (sdword)(sword)(a) + (sword)(b), 1)
#define avg_sub_s(a, b)    round_s(o, (sdword)(sword)(a) - (sword)(b), 1)
#define round_srl(a, n)    round_u(o, a, n)
#define round_sra(a, n)    round_s(o, (sword)(a), n)
#define mul_fraction(a, b) fraction_product(o, a, b)
#define clip_u32(a)        noted(o, min_u(a, UINT32_MAX), a)
#define clip_s32(a)        noted(o, max_s(min_s(a, INT32_MAX), (word)INT32_MIN), a)

#define SEW          o->sew
#define from_lane(j) lane_value(o, (uint32_t)(j))
#define scale_s(a)   scaled(o, sext(a, o->bits))
#define scale_u(a)   scaled(o, zext(a, o->bits))
#define f_scale(a)   f_scaled(o, a)

/* ---- and what is behind them ---- */

LANE word zext(word a, unsigned bits) { return bits < WORD_BITS ? a & (((word)1 << bits) - 1) : a; }
LANE uint64_t sext(uint64_t a, unsigned bits) { return (uint64_t)((int64_t)(a << (64 - bits)) >> (64 - bits)); }

/* The environment with another rounding mode, for rows that have their own. */
LANE struct fp_env *rounding(struct operands *o, enum fp_round round)
{
    o->env.round = (uint8_t)round;
    return &o->env;
}

LANE word noted(struct operands *o, word result, word exact)
{
    o->vxsat |= result != exact;
    return result;
}

/* What rounding adds to a >> n: vxrm 0 to nearest, ties up; 1 ties to even; 2 nothing; 3 to odd. */
LANE word increment(const struct operands *o, dword a, unsigned n)
{
    dword one = 1;
    if (!n) return 0;
    bool half = a >> (n - 1) & 1, below = a & ((one << (n - 1)) - 1), odd = a >> n & 1;
    switch (o->vxrm) {
    case 0: return half;
    case 1: return half && (below || odd);
    case 2: return 0;
    default: return !odd && (half || below);
    }
}
LANE word round_u(const struct operands *o, dword a, word n) { return (word)(a >> n) + increment(o, a, (unsigned)n); }
LANE word round_s(const struct operands *o, sdword a, word n)
{
    return (word)(a >> n) + increment(o, (dword)a, (unsigned)n);
}

/* Only the product of two least values is out of range. */
LANE word fraction_product(struct operands *o, word a, word b)
{
    if (a == WORD_SIGN && b == WORD_SIGN) return noted(o, WORD_SIGN - 1, WORD_SIGN);
    return round_s(o, (sdword)(sword)a * (sword)b, WORD_BITS - 1);
}

/* Both 16-bit halves, to nearest even. */
typedef uint64_t binary_fn(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env);
LANE uint32_t halves(struct operands *o, binary_fn *fn, enum fp_format f, word a, word b)
{
    struct fp_env *env = rounding(o, FP_RNE);
    return (uint32_t)(fn(f, a, b, env) | fn(f, a >> 16, b >> 16, env) << 16);
}
LANE uint32_t halves3(struct operands *o, enum fp_format f, word a, word b, word c)
{
    struct fp_env *env = rounding(o, FP_RNE);
    return (uint32_t)(fp_fma(f, a, b, c, env) | fp_fma(f, a >> 16, b >> 16, c >> 16, env) << 16);
}
LANE uint32_t halves_sfu(enum sfu_function function, enum fp_format f, word a)
{
    return (uint32_t)(sfu(function, f, a) | sfu(function, f, a >> 16) << 16);
}

/* vs2 of lane j; the own one where there is no lane j. */
LANE word lane_value(const struct operands *o, uint32_t j)
{
    return j < ISA_LANES && (o->lanes >> j & 1) ? o->row[j] : (word)o->vs2;
}

/* omod: times 1, 2, 4 or a half, of integers rounded down. */
LANE word scaled(const struct operands *o, uint64_t a)
{
    return (word)(o->omod == 3 ? (uint64_t)((int64_t)a >> 1) : a << o->omod);
}
LANE word f_scaled(struct operands *o, uint64_t a)
{
    static const uint32_t factors[] = {0x3f800000, 0x40000000, 0x40800000, 0x3f000000}; /* in binary32 */
    if (!o->omod) return (word)a;
    return (word)fp_mul(o->format, a, fp_convert(o->format, FP_F32, factors[o->omod], &o->env), &o->env);
}

/* ---- the rows ---- */

/* The kinds with expressions. */
// clang-format off
#define ROW_X       ~, VALUE
#define ROW_V       ~, VALUE
#define ROW_VV      ~, VALUE
#define ROW_VX      ~, VALUE
#define ROW_VI      ~, VALUE
#define ROW_V1I     ~, VALUE
#define ROW_V2X     ~, VALUE
#define ROW_EX      ~, VALUE
#define ROW_EV      ~, VALUE
#define ROW_EW      ~, VALUE
#define ROW_BRANCH  ~, VALUE
#define ROW_VBRANCH ~, VALUE
#define ROW_JAL     ~, VALUE
#define ROW_JALR    ~, VALUE
#define ROW_SETRPC  ~, VALUE
#define ROW_AMO     ~, VALUE
#define ROW_XAMO    ~, VALUE
#define ROW_CSR     ~, VALUE
#define ROW_VSET    ~, VALUE
// clang-format on

#define VALUE(id, expr) \
    case OP_##id: return (word)(expr);

/* A word type that C's promotions do not turn into a signed int. */
#if WORD_BITS < 32
typedef uint32_t value;
#else
typedef word value;
#endif

uint64_t EVAL_NAME(enum isa_op op, struct operands *o)
{
    const value vs2 = (word)o->vs2, vs1 = (word)o->vs1, vd = (word)o->vd, rs1 = (word)o->rs1, rs2 = (word)o->rs2;
    const value rs3 = (word)o->rs3, imm = (word)o->imm, pc = (word)o->pc, lane = o->lane, mask_bit = o->mask_bit;
    const value aux = o->aux;
    const value t = vd, s = vs2; /* of atomics */
    const value old = vd;        /* of CSRs */
    (void)rs2, (void)rs3, (void)pc, (void)aux, (void)t, (void)s, (void)old;
    switch (op) {
#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) ROW(kind)(id, expr)
#if WORD_BITS < 32
#include "isa/vector_int.def"
#include "isa/vector_fp.def"
#include "isa/vector_fixed.def"
#include "isa/ventus.def"
#ifdef VENTUS_EXTRA_DEF
#include VENTUS_EXTRA_DEF
#endif
#else
#include "isa/insn.def"
#endif
#undef INSN
    default: return 0;
    }
}
