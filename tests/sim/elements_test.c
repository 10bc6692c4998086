/* Element widths of the documents' machines (sim/elements.c): every standard vector row at e8, e16 and e64, with LMUL 1
 * and, for e64, LMUL 2, on each profile, against integers of 128 bits, and floating point against the reference of
 * tests/softfp. Widths that a lane does not have, and what depends on no width. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "trial.h"

#include "sim/machine.h"
#include "tests/softfp/reference.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

static const enum isa_profile profiles[] = {PROFILE_R20, PROFILE_R21, PROFILE_R2025};

static unsigned width; /* of an element, in bits */
static unsigned mode;  /* vxrm, or frm */
static unsigned flags; /* that references raise */
static bool saturated; /* set by them, too */
static enum fp_format format;

static uint64_t ones(unsigned bits) { return ~0ull >> (64 - bits); }
static s128 sign(uint64_t v, unsigned bits) { return (s128)((int64_t)(v << (64 - bits)) >> (64 - bits)); }

/* ---- integers: a is vs2, b source 1, c the old vd, as unsigned elements ---- */

typedef s128 reference(uint64_t a, uint64_t b, uint64_t c);

#define REF(name, expr) \
    static s128 r_##name(uint64_t a, uint64_t b, uint64_t c) \
    { \
        (void)a, (void)b, (void)c; \
        return (s128)(expr); \
    }
#define SA    sign(a, width)
#define SB    sign(b, width)
#define SC    sign(c, width)
#define UA    ((s128)a)
#define UB    ((s128)b)
#define N     ((unsigned)(b % width))
#define LEAST (-((s128)1 << (width - 1)))
#define MOST  ((s128)ones(width))

static s128 clipped(s128 v, s128 low, s128 high)
{
    saturated |= v < low || v > high;
    return v < low ? low : v > high ? high : v;
}
static s128 clip_s(s128 v) { return clipped(v, LEAST, -LEAST - 1); }
static s128 clip_u(s128 v) { return clipped(v, 0, MOST); }

static s128 power(unsigned n) { return (s128)1 << n; }
static s128 floor_of(s128 v, unsigned n) { return v / power(n) - (v % power(n) < 0); }

/* floor(v / 2^n), corrected as vxrm says: by comparing the remainder with a half. */
static s128 rounded(s128 v, unsigned n)
{
    s128 down = floor_of(v, n), rest = v - down * power(n), unit = power(n);
    switch (mode) {
    case 0: return down + (rest != 0 && 2 * rest >= unit);
    case 1: return down + (2 * rest > unit || (rest != 0 && 2 * rest == unit && down % 2 != 0));
    case 2: return down;
    default: return down + (rest && down % 2 == 0);
    }
}

/* The upper half of a product of two elements, by halves of 64 bits so that u64 * u64 is no case of its own. */
static s128 high_u(uint64_t a, uint64_t b) { return (s128)((u128)a * b >> width); }
static s128 high_s(s128 a, s128 b) { return a * b >> width; } /* below 2^127 */
static s128 high_su(s128 a, uint64_t b)
{
    s128 r = high_u((uint64_t)a & ones(width), b);
    return a < 0 ? r - (s128)b : r;
}

REF(add, UA + UB)
REF(sub, UA - UB)
REF(rsub, UB - UA)
REF(minu, a < b ? a : b)
REF(min, SA < SB ? SA : SB)
REF(maxu, a > b ? a : b)
REF(max, SA > SB ? SA : SB)
REF(and, a &b)
REF(or, a | b)
REF(xor, a ^ b)
REF(sll, a << N)
REF(srl, a / (uint64_t)power(N))
REF(sra, floor_of(SA, N))
REF(seq, a == b)
REF(sne, a != b)
REF(sltu, a < b)
REF(slt, SA < SB)
REF(sleu, a <= b)
REF(sle, SA <= SB)
REF(sgtu, a > b)
REF(sgt, SA > SB)
REF(mul, (u128)a *b)
REF(mulh, high_s(SA, SB))
REF(mulhu, high_u(a, b))
REF(mulhsu, high_su(SA, b))
REF(divu, b ? UA / UB : -1)
REF(div, b ? SA / SB : -1)
REF(remu, b ? UA % UB : UA)
REF(rem, b ? SA % SB : SA)
REF(macc, (u128)a *b + c)
REF(nmsac, (u128)c - (u128)a * b)
REF(madd, (u128)b *c + a)
REF(nmsub, (u128)a - (u128)b * c)
REF(saddu, clip_u(UA + UB))
REF(sadd, clip_s(SA + SB))
REF(ssubu, clip_u(UA - UB))
REF(ssub, clip_s(SA - SB))
REF(mv, b)
REF(aaddu, rounded(UA + UB, 1))
REF(aadd, rounded(SA + SB, 1))
REF(asubu, rounded(UA - UB, 1))
REF(asub, rounded(SA - SB, 1))
REF(smul, clip_s(rounded(SA *SB, width - 1)))
REF(ssrl, rounded(UA, N))
REF(ssra, rounded(SA, N))

/* Widening: sums and products that have room. */
REF(wadd, SA + SB)
REF(wsub, SA - SB)
REF(wadd_wx, UA + SB)
REF(wsub_wx, UA - SB)
REF(wmulu, (u128)a *b)
REF(wmul, SA *SB)
REF(wmulsu, SA *UB)
REF(wmaccu, (s128)c + UA * UB)
REF(wmacc, (s128)c + SA * SB)
REF(wmaccsu, (s128)c + SB * UA)
REF(wmaccus, (s128)c + UB * SA)

/* ---- floating point ---- */

static uint64_t computed(enum ref_op op, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t result[MODES], operands[3] = {x, y, z};
    unsigned raised[MODES] = {0};
    ref_compute(op, format, operands, result, raised);
    flags |= raised[mode];
    return result[mode];
}

static uint64_t minus(uint64_t x) { return x ^ (1ull << (width - 1)); }
static bool is_nan(uint64_t x) { return ref_is_nan(format, x); }
static bool is_signalling(uint64_t x) { return ref_is_signalling(format, x); }
static long double value(uint64_t x) { return ref_value(format, x); }

/* Do they compare so? `quiet`: only a signalling NaN is invalid. */
static bool compares(uint64_t x, uint64_t y, bool less, bool equal, bool quiet)
{
    if (is_nan(x) || is_nan(y)) {
        if (!quiet || is_signalling(x) || is_signalling(y)) flags |= FP_NV;
        return false;
    }
    return (less && value(x) < value(y)) || (equal && value(x) == value(y));
}

/* -0 is below +0. */
static uint64_t chosen(uint64_t x, uint64_t y, bool larger)
{
    if (is_signalling(x) || is_signalling(y)) flags |= FP_NV;
    if (is_nan(x) && is_nan(y)) return ref_formats[format].canonical;
    if (is_nan(x) || is_nan(y)) return is_nan(x) ? y : x;
    bool below = value(x) < value(y) || (value(x) == value(y) && x >> (width - 1));
    return below != larger ? x : y;
}

static s128 integer(uint64_t x, unsigned m, s128 low, s128 high)
{
    long double v = is_nan(x) ? 0 : value(x);
    long double near = is_nan(x) || v - v != 0 ? v : ref_integer(v, m);
    if (is_nan(x) || near > (long double)high || near < (long double)low) {
        flags |= FP_NV;
        return is_nan(x) || near > 0 ? high : low;
    }
    flags |= near != v ? FP_NX : 0;
    return (s128)near;
}
static s128 integer_s(uint64_t x, unsigned m) { return integer(x, m, LEAST, -LEAST - 1); }
static s128 integer_u(uint64_t x, unsigned m) { return integer(x, m, 0, MOST); }
static uint64_t number(s128 v) { return v ? ref_round(format, (long double)v, mode, &flags) : 0; }

static unsigned classified(uint64_t x)
{
    bool negative = x >> (width - 1);
    if (is_nan(x)) return is_signalling(x) ? 1u << 8 : 1u << 9;
    long double v = negative ? -value(x) : value(x), normal = format == FP_F16 ? 0x1p-14L : 0x1p-1022L;
    unsigned k = v == 0 ? 4 : v < normal ? 5 : v - v != 0 ? 7 : 6;
    return 1u << (negative ? 7 - k : k);
}

/* The table of seven bits is that of binary32, which special_test compares with the specification's. */
static uint64_t estimated(uint32_t (*estimate)(enum fp_format, uint32_t, struct fp_env *), uint64_t x)
{
    struct fp_env env = {(uint8_t)mode, 0}, none = {0};
    uint32_t single = (uint32_t)fp_convert(FP_F32, FP_F16, x, &none), r = estimate(FP_F32, single, &env);
    unsigned raised = env.flags | (is_signalling(x) ? FP_NV : 0), lost = 0;
    if (ref_is_nan(FP_F32, r)) return flags |= raised, ref_formats[FP_F16].canonical;
    uint64_t half = ref_round(FP_F16, ref_value(FP_F32, r), mode, &lost);
    flags |= raised | (lost & (FP_OF | FP_NX));
    return r << 1 ? half : r >> 16;
}

REF(fadd, computed(REF_ADD, a, b, 0))
REF(fsub, computed(REF_SUB, a, b, 0))
REF(frsub, computed(REF_SUB, b, a, 0))
REF(fmul, computed(REF_MUL, a, b, 0))
REF(fdiv, computed(REF_DIV, a, b, 0))
REF(frdiv, computed(REF_DIV, b, a, 0))
REF(fsqrt, computed(REF_SQRT, a, 0, 0))
REF(fmacc, computed(REF_FMA, b, a, c))
REF(fnmacc, computed(REF_FMA, minus(b), a, minus(c)))
REF(fmsac, computed(REF_FMA, b, a, minus(c)))
REF(fnmsac, computed(REF_FMA, minus(b), a, c))
REF(fmadd, computed(REF_FMA, b, c, a))
REF(fnmadd, computed(REF_FMA, minus(b), c, minus(a)))
REF(fmsub, computed(REF_FMA, b, c, minus(a)))
REF(fnmsub, computed(REF_FMA, minus(b), c, a))
REF(fmin, chosen(a, b, false))
REF(fmax, chosen(a, b, true))
REF(fsgnj, (a & ones(width - 1)) | (b & ~ones(width - 1)))
REF(fsgnjn, (a & ones(width - 1)) | (minus(b) & ~ones(width - 1)))
REF(fsgnjx, a ^ (b & ~ones(width - 1)))
REF(feq, compares(a, b, false, true, true))
REF(fne, !compares(a, b, false, true, true))
REF(flt, compares(a, b, true, false, false))
REF(fle, compares(a, b, true, true, false))
REF(fgt, compares(b, a, true, false, false))
REF(fge, compares(b, a, true, true, false))
REF(fclass, classified(a))
REF(to_xu, integer_u(a, mode))
REF(to_x, integer_s(a, mode))
REF(to_xu_rtz, integer_u(a, FP_RTZ))
REF(to_x_rtz, integer_s(a, FP_RTZ))
REF(from_xu, number(UA))
REF(from_x, number(SA))
REF(rec7, estimated(fp_rec7, a))
REF(rsqrt7, estimated(fp_rsqrt7, a))

/* ---- rows ---- */

/* What the operands of a row are: all elements; MASK: the result is 0 or 1 in a word; WIDE: the result has twice the
 * bits; WIDE2: so has vs2, and a vector in the place of source 1; FLOAT: numbers. */
enum { MASK = 1, WIDE = 2, WIDE2 = 4, FLOAT = 8, VXRM = 16, FRM = 32 };

struct row {
    const char *names;
    unsigned kind;
    reference *fn;
};

// clang-format off
static const struct row integers[] = {
    {"vadd.vv vadd.vx vadd.vi", 0, r_add}, {"vsub.vv vsub.vx", 0, r_sub}, {"vrsub.vx vrsub.vi", 0, r_rsub},
    {"vminu.vv vminu.vx", 0, r_minu}, {"vmin.vv vmin.vx", 0, r_min}, {"vmaxu.vv vmaxu.vx", 0, r_maxu}, {"vmax.vv vmax.vx", 0, r_max},
    {"vand.vv vand.vx vand.vi", 0, r_and}, {"vor.vv vor.vx vor.vi", 0, r_or}, {"vxor.vv vxor.vx vxor.vi", 0, r_xor},
    {"vsll.vv vsll.vx vsll.vi", 0, r_sll}, {"vsrl.vv vsrl.vx vsrl.vi", 0, r_srl}, {"vsra.vv vsra.vx vsra.vi", 0, r_sra},
    {"vmseq.vv vmseq.vx vmseq.vi", MASK, r_seq}, {"vmsne.vv vmsne.vx vmsne.vi", MASK, r_sne},
    {"vmsltu.vv vmsltu.vx", MASK, r_sltu}, {"vmslt.vv vmslt.vx", MASK, r_slt},
    {"vmsleu.vv vmsleu.vx vmsleu.vi", MASK, r_sleu}, {"vmsle.vv vmsle.vx vmsle.vi", MASK, r_sle},
    {"vmsgtu.vx vmsgtu.vi", MASK, r_sgtu}, {"vmsgt.vx vmsgt.vi", MASK, r_sgt},
    {"vmul.vv vmul.vx", 0, r_mul}, {"vmulh.vv vmulh.vx", 0, r_mulh}, {"vmulhu.vv vmulhu.vx", 0, r_mulhu}, {"vmulhsu.vv vmulhsu.vx", 0, r_mulhsu},
    {"vdivu.vv vdivu.vx", 0, r_divu}, {"vdiv.vv vdiv.vx", 0, r_div}, {"vremu.vv vremu.vx", 0, r_remu}, {"vrem.vv vrem.vx", 0, r_rem},
    {"vmacc.vv vmacc.vx", 0, r_macc}, {"vnmsac.vv vnmsac.vx", 0, r_nmsac}, {"vmadd.vv vmadd.vx", 0, r_madd}, {"vnmsub.vv vnmsub.vx", 0, r_nmsub},
    {"vsaddu.vv vsaddu.vx vsaddu.vi", 0, r_saddu}, {"vsadd.vv vsadd.vx vsadd.vi", 0, r_sadd},
    {"vssubu.vv vssubu.vx", 0, r_ssubu}, {"vssub.vv vssub.vx", 0, r_ssub},
    {"vmv.v.v vmv.v.x vmv.v.i vmv.s.x", 0, r_mv},
    {"vaaddu.vv vaaddu.vx", VXRM, r_aaddu}, {"vaadd.vv vaadd.vx", VXRM, r_aadd}, {"vasubu.vv vasubu.vx", VXRM, r_asubu}, {"vasub.vv vasub.vx", VXRM, r_asub},
    {"vsmul.vv vsmul.vx", VXRM, r_smul}, {"vssrl.vv vssrl.vx vssrl.vi", VXRM, r_ssrl}, {"vssra.vv vssra.vx vssra.vi", VXRM, r_ssra},
};
static const struct row widening[] = {
    {"vwaddu.vv vwaddu.vx", WIDE, r_add}, {"vwadd.vv vwadd.vx", WIDE, r_wadd}, {"vwsubu.vv vwsubu.vx", WIDE, r_sub}, {"vwsub.vv vwsub.vx", WIDE, r_wsub},
    {"vwaddu.wv vwaddu.wx", WIDE | WIDE2, r_add}, {"vwsubu.wv vwsubu.wx", WIDE | WIDE2, r_sub},
    {"vwadd.wv", WIDE | WIDE2, r_add}, {"vwsub.wv", WIDE | WIDE2, r_sub}, {"vwadd.wx", WIDE | WIDE2, r_wadd_wx}, {"vwsub.wx", WIDE | WIDE2, r_wsub_wx},
    {"vwmulu.vv vwmulu.vx", WIDE, r_wmulu}, {"vwmul.vv vwmul.vx", WIDE, r_wmul}, {"vwmulsu.vv vwmulsu.vx", WIDE, r_wmulsu},
    {"vwmaccu.vv vwmaccu.vx", WIDE, r_wmaccu}, {"vwmacc.vv vwmacc.vx", WIDE, r_wmacc},
    {"vwmaccsu.vv vwmaccsu.vx", WIDE, r_wmaccsu}, {"vwmaccus.vx", WIDE, r_wmaccus},
};
static const struct row numbers[] = {
    {"vfadd.vv vfadd.vf", FRM, r_fadd}, {"vfsub.vv vfsub.vf", FRM, r_fsub}, {"vfrsub.vf", FRM, r_frsub},
    {"vfmul.vv vfmul.vf", FRM, r_fmul}, {"vfdiv.vv vfdiv.vf", FRM, r_fdiv}, {"vfrdiv.vf", FRM, r_frdiv}, {"vfsqrt.v", FRM, r_fsqrt},
    {"vfmacc.vv vfmacc.vf", FRM, r_fmacc}, {"vfnmacc.vv vfnmacc.vf", FRM, r_fnmacc}, {"vfmsac.vv vfmsac.vf", FRM, r_fmsac},
    {"vfnmsac.vv vfnmsac.vf", FRM, r_fnmsac}, {"vfmadd.vv vfmadd.vf", FRM, r_fmadd}, {"vfnmadd.vv vfnmadd.vf", FRM, r_fnmadd},
    {"vfmsub.vv vfmsub.vf", FRM, r_fmsub}, {"vfnmsub.vv vfnmsub.vf", FRM, r_fnmsub},
    {"vfmin.vv vfmin.vf", 0, r_fmin}, {"vfmax.vv vfmax.vf", 0, r_fmax},
    {"vfsgnj.vv vfsgnj.vf", 0, r_fsgnj}, {"vfsgnjn.vv vfsgnjn.vf", 0, r_fsgnjn}, {"vfsgnjx.vv vfsgnjx.vf", 0, r_fsgnjx},
    {"vmfeq.vv vmfeq.vf", MASK, r_feq}, {"vmfne.vv vmfne.vf", MASK, r_fne}, {"vmflt.vv vmflt.vf", MASK, r_flt}, {"vmfle.vv vmfle.vf", MASK, r_fle},
    {"vmfgt.vf", MASK, r_fgt}, {"vmfge.vf", MASK, r_fge}, {"vfclass.v", 0, r_fclass}, {"vfmv.v.f vfmv.s.f", 0, r_mv},
    {"vfcvt.xu.f.v", FRM, r_to_xu}, {"vfcvt.x.f.v", FRM, r_to_x}, {"vfcvt.rtz.xu.f.v", 0, r_to_xu_rtz}, {"vfcvt.rtz.x.f.v", 0, r_to_x_rtz},
    {"vfcvt.f.xu.v", FRM, r_from_xu}, {"vfcvt.f.x.v", FRM, r_from_x},
};
static const struct row estimates[] = {{"vfrec7.v", FRM, r_rec7}, {"vfrsqrt7.v", FRM, r_rsqrt7}};
// clang-format on

/* ---- trials ---- */

static bool has_mask(unsigned op) { return strchr(isa_table[op].pattern, 'm') != NULL; }

/* Halves are likely to be at an edge, too; above an element there is anything. */
static uint64_t operand(unsigned kind)
{
    if (!(kind & FLOAT)) return trial_value();
    uint64_t v = ref_pattern(format);
    return width == 64 ? v : v | (trial_value() & ~ones(width));
}

static void shuffle(struct trial *t, unsigned kind)
{
    trial_shuffle(t);
    for (int i = 0; i < 32; i++) t->vs2[i] = operand(kind), t->vs1[i] = operand(kind), t->vd[i] = operand(kind);
    t->x[0] = operand(kind);
}

/* What a lane's registers hold behind a result: less than a word is sign-extended, and the next register is another. */
static uint64_t held(s128 result, unsigned bits, uint64_t before)
{
    if (bits == 64) return (uint64_t)result;
    return (uint32_t)sign((uint64_t)result & ones(bits), bits) | (before & ~0xffffffffull);
}

static void compare_lane(const struct trial *t, const struct row *r, unsigned lane)
{
    unsigned twice = 2 * width, of_vs2 = r->kind & WIDE2 ? twice : width, of_vd = r->kind & WIDE ? twice : width;
    char source = isa_table[t->in.op].name[strlen(isa_table[t->in.op].name) - 1];
    unsigned of_1 = r->kind & WIDE2 && source == 'v' ? twice : width;
    uint64_t scalar = width == 64 && !(r->kind & FLOAT) ? (uint64_t)(int64_t)(int32_t)t->x[0] : t->x[0];
    uint64_t b = source == 'v' ? t->vs1[lane] : source == 'i' ? (uint64_t)(int64_t)t->in.imm : scalar;
    uint64_t a = t->vs2[lane] & ones(of_vs2), c = t->vd[lane] & ones(of_vd), want = t->vd[lane];
    b &= ones(of_1);
    if (lane < t->vl && (t->in.vm || (t->v0 >> lane & 1)))
        want = held(r->fn(a, b, c), r->kind & MASK ? 32 : of_vd, t->vd[lane]);
    if (t->out[lane] != want)
        fail_msg("%s e%u lane %u mode %u: %016llx, expected %016llx (%016llx, %016llx, %016llx)",
                 isa_table[t->in.op].name, width, lane, mode, LLU(t->out[lane]), LLU(want), LLU(a), LLU(b), LLU(c));
}

static void try_once(struct guest *g, struct trial *t, const struct row *r, unsigned round)
{
    const struct isa_desc *d = &isa_table[t->in.op];
    bool is_signed = strchr(d->operands, 'k'), is_immediate = is_signed || strchr(d->operands, 'z');
    shuffle(t, r->kind);
    t->in.vm = !has_mask(t->in.op) || round % 8;
    t->vl = round % 16 == 3 ? guest_random() % 33 : 32;
    t->in.imm = is_immediate ? (int32_t)(guest_random() % 32) - (is_signed ? 16 : 0) : 0;
    mode = r->kind & VXRM ? round % 4 : r->kind & FRM ? round % 5 : 0;
    t->vxrm = r->kind & VXRM ? mode : 0;
    t->frm = r->kind & FRM ? mode : 0;
    flags = 0;
    saturated = false;
    trial_done(g, t);
    for (unsigned lane = 0; lane < 32; lane++) compare_lane(t, r, lane);
    if (t->fflags != flags || t->vxsat != saturated)
        fail_msg("%s e%u mode %u: fflags %x, expected %x; vxsat %u", isa_table[t->in.op].name, width, mode, t->fflags,
                 flags, t->vxsat);
}

static bool tried[OP_COUNT];

enum { TRIALS = 48 }; /* of 32 lanes each */

static uint32_t vtype_of(unsigned sew, unsigned lmul)
{
    unsigned log = sew == 8 ? 0 : sew == 16 ? 1 : sew == 32 ? 2 : 3;
    return log << 3 | (lmul == 2);
}

static void try_rows(struct guest *g, enum isa_profile profile, unsigned lmul, const struct row *rows, size_t n,
                     unsigned kind)
{
    format = width == 64 ? FP_F64 : FP_F16;
    for (size_t i = 0; i < n; i++) {
        struct row row = {rows[i].names, rows[i].kind | kind, rows[i].fn};
        char names[200];
        snprintf(names, sizeof names, "%s", row.names);
        for (char *save, *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
            struct trial t = trial_of(profile, name);
            tried[t.in.op] = true;
            t.vtype = vtype_of(width, lmul) | 0xc0;
            for (unsigned k = 0; k < TRIALS; k++) try_once(g, &t, &row, k);
        }
    }
}
#define TRY(g, profile, lmul, rows, kind) try_rows(g, profile, lmul, rows, sizeof rows / sizeof *rows, kind)

static void try_profile(enum isa_profile profile, unsigned sew, unsigned lmul)
{
    struct guest g;
    width = sew;
    trial_open(&g, profile);
    TRY(&g, profile, lmul, integers, 0);
    if (sew < 64 && profile != PROFILE_R20) TRY(&g, profile, lmul, widening, 0);
    if (sew > 8) TRY(&g, profile, lmul, numbers, FLOAT);
    if (sew == 16) TRY(&g, profile, lmul, estimates, FLOAT);
    guest_close(&g);
}

/* Rows that programs below try: merges, lane numbers, elements in scalar registers, mask logic. */
static bool is_of_programs(const char *name)
{
    static const char *const names[] = {"vmerge.", "vfmerge.", "vid.v", "vmv.x.s", "vfmv.f.s"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i]))) return true;
    return !strcmp(name + strlen(name) - 3, ".mm");
}

/* A new row of standard vector arithmetic is to be in one of the tables above. */
static void test_all_rows(void **state)
{
    (void)state;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const struct isa_desc *d = &isa_table[op];
        bool standard = isa_bits((enum isa_op)op) == 32 && (isa_match((enum isa_op)op) & 127) == 0x57;
        bool here = d->revisions & (ISA_R20 | ISA_R21 | ISA_R2025) && d->kind != KIND_VSET && d->kind != KIND_ABSENT;
        if (standard && here && !tried[op] && !is_of_programs(d->name)) fail_msg("%s is not tried", d->name);
    }
}

static void test_e8(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) try_profile(profiles[i], 8, 1);
}

static void test_e16(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) try_profile(profiles[i], 16, 1);
}

static void test_e64(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) try_profile(profiles[i], 64, 1 + (unsigned)i % 2);
}

/* ---- programs ---- */

/* Lane i has i in v1, the address of its word in v2, and -i in v3; it leaves its result in v10, and v11 holds 15. */
#define BEGIN \
    " lui x5, 0x90000\n vid.v v1\n vsll.vi v2, v1, 2\n vadd.vx v2, v2, x5\n vrsub.vi v3, v1, 0\n vmv.v.i v11, 15\n" \
    " vmv.v.i v10, 15\n"
#define END " vsetvli x6, x0, e32, m1\n vsw12.v v10, 0(v2)\n vsw12.v v11, 128(v2)\n endprg\n"

typedef uint64_t lane_fn(uint32_t i);

struct program {
    const char *text;
    lane_fn *want; /* v10, and v11 in the upper half */
};

#define WANT(name, expr) \
    static uint64_t name(uint32_t i) { return (void)i, (expr); }
#define V11(word) ((uint64_t)(word) << 32)

WANT(w_vid64, i | V11(0))
WANT(w_last8, (uint32_t)-97 | V11(15))
WANT(w_last64, (uint32_t)-97 | V11(15))
WANT(w_half, 0xffffbc00 | V11(15))
WANT(w_double, V11(0x3ff00000))
WANT(w_merge, (i % 2 ? (uint32_t)(int8_t)(8 * i) : 3) | V11(15))
WANT(w_merge_x, (i % 2 ? (uint32_t)-56 : (uint32_t)(int8_t)(8 * i)) | V11(15))
WANT(w_merge_i, i % 2 ? V11(0) | 5 : 8 * i | V11(15))
WANT(w_merge_f, (i % 2 ? 0xffffc000 : 8 * i) | V11(15))
WANT(w_merge_d, i % 2 ? 7 | V11(0x40080000) : 8 * i | V11(15))
WANT(w_branch, (i % 16 ? 2 : 1) | V11(15))
WANT(w_gather, (uint32_t)(int8_t)(8 * i) | V11(15))
WANT(w_scatter, (4 * i + 0x100 * (4 * i + 1) + 0x10000 * (4 * i + 2) + 0x1000000 * (4 * i + 3)) * (i < 8) | V11(15))
WANT(w_mask_logic, (i > 3 && i < 9) | V11(15))
WANT(w_wide_gather, i | V11(3 * i))
WANT(w_prefix, 2 * i | V11(0))
WANT(w_own, (i + 300) | V11(15))
WANT(w_vl, (i < 5 ? (uint32_t)(int16_t)(40000 + i) : 15) | V11(15))

// clang-format off
static const struct program all[] = {
    {" vsetvli x6, x0, e64, m2\n vid.v v10\n", w_vid64},
    {" vsetvli x6, x0, e64, m1, ta, ma\n vid.v v10\n", w_vid64},
    /* 31 * 5 is -101 in eight bits; the last lane's element is sign-extended. */
    {" li x7, 5\n vsetvli x6, x0, e8, m1\n vmul.vx v4, v1, x7\n vadd.vi v4, v4, 4\n vmv.x.s x8, v4\n vmv.v.x v10, x8\n", w_last8},
    {" li x7, -97\n vsetvli x6, x0, e64, m1\n vmv.v.x v4, x7\n vmv.x.s x8, v4\n vsetvli x6, x0, e32, m1\n vmv.v.x v10, x8\n", w_last64},
    {" li x7, 0xbc00\n vsetvli x6, x0, e16, m1\n vfmv.v.f v4, x7\n vfmv.f.s x8, v4\n vsetvli x6, x0, e32, m1\n vmv.v.x v10, x8\n", w_half},
    {" li x12, 0\n lui x13, 0x3ff00\n vsetvli x6, x0, e64, m2\n vfmv.v.f v4, x12\n vfmv.f.s x14, v4\n vsetvli x6, x0, e32, m1\n"
     " vmv.v.x v10, x14\n vmv.v.x v11, x15\n", w_double},
    {" vand.vi v0, v1, 1\n vsll.vi v4, v1, 3\n vmv.v.i v5, 3\n vsetvli x6, x0, e8, m1\n vmerge.vvm v10, v5, v4, v0\n", w_merge},
    {" vand.vi v0, v1, 1\n vsll.vi v4, v1, 3\n li x7, 200\n vsetvli x6, x0, e8, m1\n vmerge.vxm v10, v4, x7, v0\n", w_merge_x},
    {" vand.vi v0, v1, 1\n vsll.vi v4, v1, 3\n vmv.v.i v5, 15\n vsetvli x6, x0, e64, m1\n vmerge.vim v10, v4, 5, v0\n", w_merge_i},
    {" vand.vi v0, v1, 1\n vsll.vi v4, v1, 3\n li x7, 0xc000\n vsetvli x6, x0, e16, m1\n vfmerge.vfm v10, v4, x7, v0\n", w_merge_f},
    {" vand.vi v0, v1, 1\n vsll.vi v4, v1, 3\n vmv.v.i v5, 15\n li x12, 7\n lui x13, 0x40080\n vsetvli x6, x0, e64, m2\n"
     " vfmerge.vfm v10, v4, x12, v0\n", w_merge_d},
    /* 16 * 16 is 0 in eight bits: the lanes of 0 and 16 branch. */
    {" vsll.vi v4, v1, 4\n vmv.v.i v5, 0\n vmv.v.i v10, 2\n vsetvli x6, x0, e8, m1\nhere: auipc x9, 0\n setrpc x0, x9, meet - here\n"
     " vbeq v4, v5, yes\n jal x0, meet\nyes: vmv.v.i v10, 1\nmeet: join\n", w_branch},
    {" vsll.vi v4, v1, 3\n vse8.v v4, (x5)\n vsetvli x6, x0, e8, m1\n vluxei32.v v10, (x5), v1\n", w_gather},
    /* Bytes beside each other: nobody writes more than one. */
    {" vmv.v.i v10, 0\n vsw12.v v10, 0(v2)\n vsetvli x6, x0, e8, m1\n vsuxei32.v v1, (x5), v1\n vsetvli x6, x0, e32, m1\n vlw12.v v10, 0(v2)\n", w_scatter},
    {" vsetvli x6, x0, e32, m1\n vmsgt.vi v4, v1, 3\n vmslt.vx v5, v1, x0\n vsetvli x6, x0, e64, m1\n vmand.mm v10, v4, v4\n"
     " vsetvli x6, x0, e32, m1\n li x7, 9\n vmslt.vx v5, v1, x7\n vsetvli x6, x0, e64, m1\n vmand.mm v10, v4, v5\n", w_mask_logic},
    {" vsll.vi v4, v1, 3\n vadd.vv v6, v1, v1\n vadd.vv v6, v6, v1\n vadd.vx v8, v4, x5\n vsw12.v v1, 256(v8)\n vsw12.v v6, 260(v8)\n"
     " addi x7, x5, 256\n vsetvli x6, x0, e64, m2\n vluxei32.v v10, (x7), v4\n", w_wide_gather},
    {" li x7, 40000\n vsetvli x6, x0, e16, m1\n li x8, 5\n vsetvli x6, x8, e16, m1\n vadd.vx v10, v1, x7\n", w_vl},
    /* Ventus' own rows are of words. */
    {" vsetvli x6, x0, e8, m1\n vadd12.vi v10, v1, 300\n", w_own},
};
static const struct program paired[] = { /* a prefix says 64 bits, whatever the type (r2.1, r2025) */
    {" vmv.v.i v4, 0\n vmv.v.i v5, 0\n vadd.vi v4, v1, 0\n vsetvli x6, x0, e8, m1\n vadd.vv v10, v4, v4 {prefix, pair=1}\n", w_prefix},
};
// clang-format on

static void run_program(struct guest *g, const char *text, bool done)
{
    char program[2000];
    snprintf(program, sizeof program, "%s%s%s", BEGIN, text, END);
    guest_assemble(g, program);
    memset(g->data, 0xee, GUEST_BYTES);
    guest_run(g);
    if (done && g->result.status != LAUNCH_DONE) {
        char why[300];
        fault_print(&g->result.fault, why, sizeof why);
        fail_msg("'%s': %s", text, why);
    }
}

static void check_program(struct guest *g, const struct program *p)
{
    if (!p->want) return;
    run_program(g, p->text, true);
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t got = g->data[i] | (uint64_t)g->data[32 + i] << 32;
        if (got != p->want(i)) fail_msg("'%s', lane %u: %016llx, not %016llx", p->text, i, LLU(got), LLU(p->want(i)));
    }
}

static void test_programs(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct guest g;
        trial_open(&g, profiles[k]);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_program(&g, &all[i]);
        for (size_t i = 0; k && i < sizeof paired / sizeof *paired; i++) check_program(&g, &paired[i]);
        guest_close(&g);
    }
}

/* What a lane does not have is a fault that says so. */
static void test_refused(void **state)
{
    // clang-format off
    static const struct { const char *text, *why; } cases[] = {
        {" vsetvli x6, x0, e32, m2\n", "vector type e32,m2,tu,mu; a lane has one element"},
        {" vsetvli x6, x0, e8, m2, ta, ma\n", "vector type e8,m2,ta,ma; a lane has one element"},
        {" vsetvli x6, x0, e16, mf2\n", "vector type e16,mf2,tu,mu; a lane has one element"},
        {" vsetvli x6, x0, e64, m4\n", "vector type e64,m4,tu,mu; a lane has one element"},
        {" li x7, 0x118\n vsetvl x6, x0, x7\n", "vector type 280"},
        {" li x7, 0x20\n vsetvl x6, x0, x7\n", "vector type 32; a lane"},
        {" vsetvli x6, x0, e8, m1\n vfadd.vv v4, v4, v4\n", "floating point of 8 bits"},
        {" vsetvli x6, x0, e8, m1\n vfcvt.f.x.v v4, v4\n", "floating point of 8 bits"},
        {" vsetvli x6, x0, e64, m1\n vadd.vv v4, v4, v5\n", "even number"},
        {" vsetvli x6, x0, e64, m1\n vadd.vv v5, v4, v4\n", "even number"},
        {" vsetvli x6, x0, e64, m1\n vmseq.vv v5, v4, v3\n", "even number"},
        {" vsetvli x6, x0, e64, m1\n vfadd.vf v4, v4, x7\n", "even number"},
        {" vsetvli x6, x0, e64, m1\n vluxei32.v v5, (x5), v4\n", "even number"},
        {" vsetvli x6, x0, e64, m1\n vfrec7.v v4, v4\n", "no form on elements of 64 bits"},
    };
    // clang-format on
    char why[300];
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct guest g;
        trial_open(&g, profiles[k]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            run_program(&g, cases[i].text, false);
            if (g.result.fault.kind != FAULT_ILLEGAL) fail_msg("'%s' is executed", cases[i].text);
            fault_print(&g.result.fault, why, sizeof why);
            if (!strstr(why, cases[i].why)) fail_msg("'%s': %s", cases[i].text, why);
        }
        guest_close(&g);
    }
}

/* The second register of a pair may be one that the launch has not asked for. */
static void test_register_limit(void **state)
{
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_R21);
    g.launch.vgprs = 13;
    run_program(&g, " vsetvli x6, x0, e8, m1\n vmv.v.i v12, 0\n", true);
    run_program(&g, " vsetvli x6, x0, e64, m1\n vmv.v.i v12, 0\n", false);
    assert_int_equal(g.result.fault.kind, FAULT_ILLEGAL);
    assert_non_null(strstr(g.result.fault.detail, "v13 is beyond the 13 vector registers"));
    g.launch.vgprs = 14;
    run_program(&g, " vsetvli x6, x0, e64, m1\n vmv.v.i v12, 0\n", true);
    guest_close(&g);
}

/* The warps of a group take turns, each with a width of its own. */
static void test_warps(void **state)
{
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_R2025);
    g.launch.warps = 2;
    g.launch.work_items = 64;
    guest_assemble(
        &g, " lui x5, 0x90000\n csrr x7, CSR_WID\n slli x8, x7, 7\n add x5, x5, x8\n vid.v v1\n vsll.vi v2, v1, 2\n"
            " vadd.vx v2, v2, x5\n li x9, 100\n beq x7, x0, words\n vsetvli x6, x0, e8, m1\nwords: vsll.vi v4, v1, 3\n"
            " addi x9, x9, -1\n bne x9, x0, words\n vsw12.v v4, 0(v2)\n endprg\n");
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(g.data[i], 8 * i);
        assert_int_equal(g.data[32 + i], (uint32_t)(int8_t)(8 * i));
    }
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest arithmetic[] = {cmocka_unit_test(test_e8), cmocka_unit_test(test_e16),
                                            cmocka_unit_test(test_e64), cmocka_unit_test(test_all_rows)};
    const struct CMUnitTest programs[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_refused),
                                          cmocka_unit_test(test_register_limit), cmocka_unit_test(test_warps)};
    return cmocka_run_group_tests(arithmetic, NULL, NULL) + guest_run_tests(programs) +
           guest_run_tests_native(programs);
}
