/* What prefixes and 64-bit words do to arithmetic: pairs, absolute values and negations, r2.0's even
 * operands, elements of the 64-bit compute words.
 *
 * Pairs are compared with 64-bit integers and the host's binary64; abs and neg with the same instruction on
 * operands that the test has changed. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effects.h"
#include "trial.h"

#include "sim/softfp.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

typedef uint64_t word;
typedef int64_t sword;
typedef u128 double_word;
typedef s128 double_sword;
#include "reference.h"

static uint32_t mode; /* frm of the reference */

/* ---- integers: what only pairs are tested with ---- */

REF(aaddu, ((u128)a + b + 1) >> 1) /* vxrm 0: ties go up */
REF(aadd, ((s128)SA + SB + 1) >> 1)
REF(asubu, ((s128)a - (s128)b + 1) >> 1)
REF(asub, ((s128)SA - SB + 1) >> 1)
REF(smul, clip(((s128)SA * SB + ((s128)1 << 62)) >> 63))
REF(ssrl, b & 63 ? ((u128)a + ((u128)1 << ((b & 63) - 1))) >> (b & 63) : a)
REF(ssra, b & 63 ? ((s128)SA + ((s128)1 << ((b & 63) - 1))) >> (b & 63) : SA)

/* ---- binary64, in the host's modes ---- */

static double num(uint64_t u)
{
    double d;
    memcpy(&d, &u, 8);
    return d;
}
static uint64_t bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, 8);
    return d != d ? 0x7ff8000000000000 : u;
}
#define SIGN (1ull << 63)

#define FREF(name, expr) \
    static uint64_t r_##name(uint64_t a, uint64_t b, uint64_t c) \
    { \
        static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}; \
        volatile double x = num(a), y = num(b), z = num(c), r; \
        (void)x, (void)y, (void)z; \
        fesetround(modes[mode]); \
        r = (expr); \
        fesetround(FE_TONEAREST); \
        return bits(r); \
    }
FREF(fadd, x + y)
FREF(fsub, x - y)
FREF(frsub, y - x)
FREF(fmul, x *y)
FREF(fdiv, x / y)
FREF(frdiv, y / x)
FREF(fsqrt, sqrt(x))
FREF(fmacc, fma(y, x, z))
FREF(fnmacc, fma(-y, x, -z))
FREF(fmsac, fma(y, x, -z))
FREF(fnmsac, fma(-y, x, z))
FREF(fmadd, fma(y, z, x))
FREF(fnmadd, fma(-y, z, -x))
FREF(fmsub, fma(y, z, -x))
FREF(fnmsub, fma(-y, z, x))
FREF(from_s, (double)(int64_t)a)
FREF(from_u, (double)a)
static uint64_t least(uint64_t a, uint64_t b, bool most)
{
    double x = num(a), y = num(b);
    if (x != x || y != y) return bits(x != x ? y : x);
    if (x == y) return signbit(x) == most ? b : a;
    return (x < y) != most ? a : b;
}
REF(fmin, least(a, b, false))
REF(fmax, least(a, b, true))
REF(fsgnj, (a & ~SIGN) | (b & SIGN))
REF(fsgnjn, (a & ~SIGN) | (~b & SIGN))
REF(fsgnjx, a ^ (b & SIGN))
REF(feq, num(a) == num(b))
REF(fne, num(a) != num(b))
REF(flt, num(a) < num(b))
REF(fle, num(a) <= num(b))
REF(fgt, num(a) > num(b))
REF(fge, num(a) >= num(b))
static uint64_t r_fclass(uint64_t a, uint64_t b, uint64_t c)
{
    (void)b, (void)c;
    double d = num(a);
    switch (fpclassify(d)) {
    case FP_INFINITE: return d < 0 ? 1 : 1 << 7;
    case FP_NORMAL: return d < 0 ? 1 << 1 : 1 << 6;
    case FP_SUBNORMAL: return d < 0 ? 1 << 2 : 1 << 5;
    case FP_ZERO: return signbit(d) ? 1 << 3 : 1 << 4;
    default: return a >> 51 & 1 ? 1 << 9 : 1 << 8;
    }
}
static double integral(double d, uint32_t how)
{
    return how == 0 ? rint(d) : how == 1 ? trunc(d) : how == 2 ? floor(d) : ceil(d);
}
static uint64_t to_s(double d)
{
    return d != d || d >= 0x1p63 ? INT64_MAX : d < -0x1p63 ? 1ull << 63 : (uint64_t)(int64_t)d;
}
static uint64_t to_u(double d) { return d != d || d >= 0x1p64 ? UINT64_MAX : d <= 0 ? 0 : (uint64_t)d; }
REF(to_s, to_s(integral(num(a), mode)))
REF(to_u, to_u(integral(num(a), mode)))
REF(to_s_rtz, to_s(trunc(num(a))))
REF(to_u_rtz, to_u(trunc(num(a))))

// clang-format off
static const struct named_reference references[] = {
#define INTEGER  NAMED
#define FLOATING NAMED
#include "reference.def"
#undef INTEGER
#undef FLOATING
    {"sllw slliw", r_sll}, {"srlw srliw", r_srl}, {"sraw sraiw", r_sra}, {"addw addiw", r_add}, {"subw", r_sub},
    {"vaaddu", r_aaddu}, {"vaadd", r_aadd}, {"vasubu", r_asubu}, {"vasub", r_asub}, {"vsmul", r_smul}, {"vssrl", r_ssrl},
    {"vssra", r_ssra}, {"vmv.x.s vfmv.f.s", r_first},
};
// clang-format on

static reference *reference_of(const char *mnemonic)
{
    return find_reference(references, sizeof references / sizeof *references, mnemonic);
}

static bool has(unsigned op, char letter) { return strchr(isa_table[op].pattern, letter) != NULL; }
static bool is_vector(unsigned op) { return has(op, 'D') || has(op, 'T'); }
static bool has_immediate(unsigned op) { return strpbrk(isa_table[op].pattern, "kizhHUu") != NULL; }

/* Immediates that can be negated and encoded again. */
static int32_t immediate(unsigned op)
{
    uint32_t r = guest_random();
    if (has(op, 'z') || has(op, 'h')) return (int32_t)(r % 32);
    if (has(op, 'H')) return (int32_t)(r % 64);
    if (has(op, 'u')) return (int32_t)(r % 4096);
    if (has(op, 'i')) return (int32_t)(r % 4095) - 2047;
    if (has(op, 'k')) return (int32_t)(r % 31) - 15;
    if (has(op, 'U')) return (int32_t)(r << 12);
    return 0;
}

static bool is_value(enum isa_op op)
{
    const struct isa_kind_desc *kind = &isa_kinds[isa_table[op].kind];
    return kind->expression == EXPRESSION_VALUE && kind->usage == USAGE_PLAIN;
}

/* Arithmetic of the table that an encoding's kind shows; pc-relative auipc and vid.v are not compared by value. */
static bool is_compared(unsigned op, enum isa_profile profile)
{
    const struct isa_desc *d = &isa_table[op];
    return op != OP_INVALID && (d->revisions & profile) && is_value(op) && !(d->flags & ISA_SINGLE) && op != OP_AUIPC &&
           op != OP_VID_V && op != OP_VFEXP;
}

/* ---- pairs ---- */

static bool already_wide(unsigned op) { return !strncmp(isa_table[op].name, "vw", 2); }

static void compare_pairs(const struct trial *t, reference *fn)
{
    unsigned op = t->in.op;
    uint64_t imm = (uint64_t)(int64_t)t->in.imm;
    if (!is_vector(op)) {
        uint64_t want = fn(t->x[0], has(op, 't') ? t->x[1] : imm, t->x[2]);
        if (t->xout != want)
            fail_msg("%s frm %u: %#llx, expected %#llx (%#llx %#llx %#llx %d)", isa_table[op].name, mode, LLU(t->xout),
                     LLU(want), LLU(t->x[0]), LLU(t->x[1]), LLU(t->x[2]), t->in.imm);
        return;
    }
    if (has(op, 'd')) { /* the last lane to a scalar */
        assert_int_equal(t->xout, fn(t->vs2[31], 0, 0));
        return;
    }
    for (int lane = 0; lane < 32; lane++) {
        uint64_t a = has(op, 'u') ? t->vs1[lane] : t->vs2[lane];
        uint64_t b = has_immediate(op) ? imm : has(op, 's') ? t->x[0] : t->vs1[lane];
        uint64_t c = isa_table[op].flags & ISA_V0 ? t->v0 >> lane & 1 : t->vd[lane];
        bool active = t->in.vm || !has(op, 'm') || (t->v0 >> lane & 1);
        uint64_t want = active ? fn(a, b, c) : t->vd[lane];
        if (t->out[lane] != want)
            fail_msg("%s lane %d frm %u: %#llx, expected %#llx (%#llx %#llx %#llx)", isa_table[op].name, lane, mode,
                     LLU(t->out[lane]), LLU(want), LLU(a), LLU(b), LLU(c));
    }
}

static void try_pairs(struct guest *g, enum isa_profile profile, unsigned op, unsigned trials)
{
    reference *fn = reference_of(isa_table[op].name);
    if (!fn) fail_msg("%s has no reference", isa_table[op].name);
    struct trial t = trial_of(profile, isa_table[op].name);
    t.in.prefix = OP_PREFIX;
    t.in.pair = 1;
    for (unsigned i = 0; i < trials; i++) {
        trial_shuffle(&t);
        t.in.imm = immediate(op);
        t.in.vm = !has(op, 'm') || i % 4;
        mode = t.frm = i % 4;
        trial_done(g, &t);
        compare_pairs(&t, fn);
    }
}

static void test_pairs(void **state)
{
    static const enum isa_profile profiles[] = {PROFILE_R21, PROFILE_R2025};
    (void)state;
    for (int p = 0; p < 2; p++) {
        struct guest g;
        unsigned rows = 0;
        trial_open(&g, profiles[p]);
        for (unsigned op = 1; op < OP_COUNT; op++)
            if (is_compared(op, profiles[p]) && !already_wide(op)) {
                try_pairs(&g, profiles[p], op, p ? 4 : 40);
                rows++;
            }
        assert_true(rows > 230);
        guest_close(&g);
    }
}

static void test_pair_odds(void **state)
{
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_R21);
    struct trial t = trial_of(PROFILE_R21, "vid.v");
    t.in.prefix = OP_PREFIX, t.in.pair = 1;
    trial_done(&g, &t);
    for (uint64_t lane = 0; lane < 32; lane++) assert_int_equal(t.out[lane], lane);
    t = trial_of(PROFILE_R21, "vfexp"); /* of binary64 */
    t.in.prefix = OP_PREFIX, t.in.pair = 1;
    trial_done(&g, &t);
    for (int lane = 0; lane < 32; lane++) {
        double want = exp(num(t.vs2[lane])), have = num(t.out[lane]);
        assert_true(want != want ? have != have : have == want || fabs(have / want - 1) < 0x1p-51);
    }
    t = trial_of(PROFILE_R21, "add"); /* the pair x0 */
    t.in.prefix = OP_PREFIX, t.in.pair = 1, t.in.rs1 = 0;
    trial_done(&g, &t);
    assert_int_equal(t.xout, t.x[1]);
    guest_close(&g);
}

/* The upper immediate makes the six bits of a pair's shift. */
static void test_pair_shift(void **state)
{
    (void)state;
    struct guest g;
    trial_open(&g, PROFILE_R21);
    for (int shift = 0; shift < 64; shift += 9) {
        struct trial t = trial_of(PROFILE_R21, "vsll.vi");
        t.in.prefix = OP_PREFIXI_R2_1, t.in.pair = 1, t.in.imm = shift;
        trial_done(&g, &t);
        for (int k = 0; k < 32; k++) assert_int_equal(t.out[k], t.vs2[k] << shift);
    }
    guest_close(&g);
}

/* ---- branches on pairs ---- */

static void try_branch(struct guest *g, const char *name, bool vector, reference *fn)
{
    struct trial t = trial_of(PROFILE_R21, name);
    uint32_t b[ISA_MAX_WORDS];
    char text[900];
    for (int i = 0; i < 60; i++) {
        trial_shuffle(&t);
        for (int k = 0; k < 32; k++)
            if (k % 2) t.vs1[k] = t.vs2[k] ^ (uint64_t)(k % 4 == 3) << 32;
        if (i % 2) t.x[1] = t.x[0] ^ (uint64_t)(i % 4 == 3) << 40;
        t.in.prefix = OP_PREFIX, t.in.pair = 1, t.in.imm = vector ? 16 : 8;
        assert_int_equal(isa_encode_in(PROFILE_R21, &t.in, b, NULL), 2);
        for (int k = 0; k < 32; k++) {
            g->data[k] = (uint32_t)t.vs2[k], g->data[32 + k] = (uint32_t)(t.vs2[k] >> 32);
            g->data[64 + k] = (uint32_t)t.vs1[k], g->data[96 + k] = (uint32_t)(t.vs1[k] >> 32);
            g->data[256 + k] = 9;
        }
        for (int k = 0; k < 2; k++)
            g->data[128 + 2 * k] = (uint32_t)t.x[k], g->data[129 + 2 * k] = (uint32_t)(t.x[k] >> 32);
        snprintf(
            text, sizeof text,
            "lui t0, 0x90000\nvid.v v8\nvsll.vi v8, v8, 2\nvadd.vx v8, v8, t0\nvlw12.v v2, 0(v8)\nvlw12.v v3, 128(v8)\n"
            "vlw12.v v4, 256(v8)\nvlw12.v v5, 384(v8)\nlw x10, 512(t0)\nlw x11, 516(t0)\nlw x12, 520(t0)\nlw x13, "
            "524(t0)\n"
            "1: auipc t1, %%pcrel_hi(2f)\nsetrpc zero, t1, %%pcrel_lo(1b)\n"
            ".word 0x%08x, 0x%08x\n%s2: join\nvsw12.v v6, 1024(v8)\nendprg\n",
            (unsigned)b[0], (unsigned)b[1],
            vector ? "vmv.v.i v6, 1\nj 2f\n.word 0x13\nvmv.v.i v6, 2\n" : "vmv.v.i v6, 1\n");
        guest_assemble(g, text);
        guest_run(g);
        assert_int_equal(g->result.status, LAUNCH_DONE);
        for (int k = 0; k < 32; k++) {
            bool taken = vector ? fn(t.vs2[k], t.vs1[k], 0) : fn(t.x[0], t.x[1], 0);
            assert_int_equal(g->data[256 + k], vector ? (taken ? 2 : 1) : (taken ? 0 : 1));
        }
    }
}

REF(ge, SA >= SB)
REF(geu, a >= b)

static void test_branches(void **state)
{
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_R21);
    try_branch(&g, "beq", false, r_eq);
    try_branch(&g, "blt", false, r_slt);
    try_branch(&g, "bgeu", false, r_geu);
    try_branch(&g, "vbne", true, r_ne);
    try_branch(&g, "vblt", true, r_slt);
    try_branch(&g, "vbge", true, r_ge);
    try_branch(&g, "vbltu", true, r_sltu);
    guest_close(&g);
}

/* ---- abs and neg ---- */

static bool takes_floats(const char *name)
{
    if (!strncmp(name, "fcvt.s.", 7) || !strncmp(name, "vfcvt.f.", 8)) return false;
    return name[0] == 'f' || !strncmp(name, "vf", 2) || !strncmp(name, "vmf", 3);
}

static uint64_t changed(uint64_t v, bool wide, bool abs, bool neg, bool fp)
{
    uint64_t sign = wide ? SIGN : 1u << 31, mask = wide ? ~0ull : 0xffffffff, w = v & mask;
    if (abs) w = fp ? w & ~sign : w & sign ? 0 - w : w;
    if (neg) w = fp ? w ^ sign : 0 - w;
    return (v & ~mask) | (w & mask);
}

static void change_operands(struct trial *t, unsigned abs, unsigned neg)
{
    unsigned op = t->in.op;
    const char *name = isa_table[op].name,
               *w = strstr(name, ".w"); /* vwadd.wv: pairs for vs2, and for vs1 if that is a vector */
    bool fp = takes_floats(name), vector = is_vector(op), widens = already_wide(op), wide1 = w && w[2] == 'v';
    bool wide2 = w && widens;
    for (int k = 0; k < 32; k++) {
        t->vs1[k] = changed(t->vs1[k], wide1, abs & 1, neg & 1, fp);
        t->vs2[k] = changed(t->vs2[k], wide2, abs & 2, neg & 2, fp);
        if (!has(op, 'd')) t->vd[k] = changed(t->vd[k], widens, abs & 4, neg & 4, fp);
    }
    for (int k = 0; k < 3; k++) t->x[k] = changed(t->x[k], false, abs >> k & 1, neg >> k & 1, fp);
    unsigned at = vector ? has(op, 'u') : has(op, 's'); /* which source the immediate is */
    t->in.imm = (int32_t)changed((uint32_t)t->in.imm, false, abs >> at & 1, neg >> at & 1, fp);
}

static void try_signs(struct guest *g, enum isa_profile profile, unsigned op)
{
    bool fixed = has_immediate(op) && !has(op, 'k') && !has(op, 'i'); /* the field does not hold negative ones */
    for (unsigned i = 0; i < 16; i++) {
        struct trial t = trial_of(profile, isa_table[op].name), plain;
        t.in.imm = immediate(op);
        plain = t;
        t.in.prefix = OP_PREFIX;
        t.in.abs = (uint8_t)(guest_random() % 8), t.in.neg = (uint8_t)(guest_random() % 8);
        if (fixed) t.in.abs = t.in.neg = is_vector(op) ? (has(op, 'u') ? 1 : 2) : has(op, 's') ? 1 : 0;
        change_operands(&plain, t.in.abs, t.in.neg);
        trial_done(g, &t);
        trial_done(g, &plain);
        if (t.xout != plain.xout || memcmp(t.out, plain.out, sizeof t.out))
            fail_msg("%s abs %u neg %u", isa_table[op].name, t.in.abs, t.in.neg);
        assert_int_equal(t.fflags, plain.fflags);
    }
}

static void test_signs(void **state)
{
    struct guest g;
    unsigned rows = 0;
    (void)state;
    trial_open(&g, PROFILE_R21);
    for (unsigned op = 1; op < OP_COUNT; op++)
        if (is_compared(op, PROFILE_R21) && isa_table[op].kind != KIND_EX) {
            try_signs(&g, PROFILE_R21, op);
            rows++;
        }
    assert_true(rows > 250);
    guest_close(&g);
}

/* ---- r2.0: even numbers are pairs ---- */

static struct trial even_trial(const char *name, int rd, int rs1, int rs2)
{
    struct trial t = trial_of(PROFILE_R20, name);
    t.in.prefix = OP_REGPAIR;
    t.in.rd = (uint8_t)rd, t.in.rs1 = (uint8_t)rs1, t.in.rs2 = (uint8_t)rs2;
    return t;
}

static void test_even_pairs(void **state)
{
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_R20);
    for (int i = 0; i < 50; i++) {
        struct trial t = even_trial("vmul.vv", TRIAL_VD, TRIAL_VS1 + 1, TRIAL_VS2); /* 64 = sext(32) * 64 */
        trial_done(&g, &t);
        for (int k = 0; k < 32; k++)
            assert_int_equal(t.out[k], t.vs2[k] * (uint64_t)(int64_t)(int32_t)(t.vs1[k] >> 32));
        t = even_trial("vadd.vv", TRIAL_VD + 1, TRIAL_VS1, TRIAL_VS2); /* 32 = the low half of 64 + 64 */
        trial_done(&g, &t);
        for (int k = 0; k < 32; k++) {
            assert_int_equal(t.out[k] >> 32, (uint32_t)(t.vs2[k] + t.vs1[k]));
            assert_int_equal((uint32_t)t.out[k], (uint32_t)t.vd[k]);
        }
        t = even_trial("vsra.vv", TRIAL_VD + 1, TRIAL_VS1 + 1, TRIAL_VS2 + 1); /* no pairs at all */
        trial_done(&g, &t);
        for (int k = 0; k < 32; k++)
            assert_int_equal(t.out[k] >> 32, (uint32_t)((int32_t)(t.vs2[k] >> 32) >> (t.vs1[k] >> 32 & 31)));
        t = even_trial("mul", TRIAL_RD, TRIAL_RS1, TRIAL_RS2 + 1);
        trial_done(&g, &t);
        assert_int_equal(t.xout, t.x[0] * (uint64_t)(int64_t)(int32_t)(t.x[1] >> 32));
        t = even_trial("vfadd.vv", TRIAL_VD, TRIAL_VS1, TRIAL_VS2);
        mode = 0;
        trial_done(&g, &t);
        for (int k = 0; k < 32; k++) assert_int_equal(t.out[k], r_fadd(t.vs2[k], t.vs1[k], 0));
    }
    struct trial t = even_trial("vfadd.vv", TRIAL_VD, TRIAL_VS1 + 1, TRIAL_VS2);
    trial_refused(&g, &t, "floating point");
    guest_close(&g);
}

/* ---- 64-bit compute words ---- */

/* Element `bits` wide of v, its absolute value and negation taken, as a signed number or a pattern. */
static int64_t element(uint64_t v, bool high, unsigned bits, bool abs, bool neg, bool fp)
{
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1, sign = 1u << (bits - 1);
    uint32_t w = (uint32_t)(v >> (high && bits < 32 ? 16 : 0)) & mask;
    if (fp) return (abs ? w & ~sign : w) ^ (neg ? sign : 0);
    int64_t s = w & sign ? (int64_t)w - mask - 1 : (int64_t)w;
    s = abs && s < 0 ? -s : s;
    s = neg ? -s : s;
    w = (uint32_t)s & mask; /* the least number has no absolute value */
    return w & sign ? (int64_t)w - mask - 1 : (int64_t)w;
}

static int64_t wrap(int64_t v, unsigned bits, bool is_signed)
{
    uint64_t mask = (1ull << bits) - 1, w = (uint64_t)v & mask;
    return is_signed && w >> (bits - 1) ? (int64_t)w - (int64_t)mask - 1 : (int64_t)w;
}

static uint64_t scaled(int64_t v, unsigned omod) { return (uint64_t)(omod == 3 ? (v - (v & 1)) / 2 : v * (1 << omod)); }

static uint64_t integer_word(const char *name, int64_t a, int64_t b, unsigned bits, unsigned omod)
{
    int64_t ua = wrap(a, bits, false), ub = wrap(b, bits, false);
    if (!strncmp(name, "vadd", 4)) return scaled(wrap(a + b, bits, true), omod);
    if (!strncmp(name, "vsub", 4)) return scaled(wrap(a - b, bits, true), omod);
    if (!strncmp(name, "vmul", 4)) return scaled(wrap(a * b, bits, true), omod);
    if (!strncmp(name, "vminu", 5)) return scaled(ua < ub ? ua : ub, omod);
    if (!strncmp(name, "vmaxu", 5)) return scaled(ua > ub ? ua : ub, omod);
    return scaled((!strncmp(name, "vmin", 4)) == (a < b) ? a : b, omod);
}

/* softfp.c has tests of its own; what is checked here is what reaches it. */
static uint64_t float_word(const char *name, uint64_t a, uint64_t b, unsigned bits, unsigned omod, unsigned rm)
{
    enum fp_format f = bits == 16 ? FP_F16 : FP_F32;
    struct fp_env env = {.round = (uint8_t)rm};
    static const uint16_t half[] = {0, 0x4000, 0x4400, 0x3800};
    static const uint32_t single[] = {0, 0x40000000, 0x40800000, 0x3f000000};
    uint64_t r = !strncmp(name, "vfadd", 5)   ? fp_add(f, a, b, &env)
                 : !strncmp(name, "vfsub", 5) ? fp_sub(f, a, b, &env)
                 : !strncmp(name, "vfmul", 5) ? fp_mul(f, a, b, &env)
                 : !strncmp(name, "vfmin", 5) ? fp_min(f, a, b, &env)
                                              : fp_max(f, a, b, &env);
    return omod ? fp_mul(f, r, bits == 16 ? half[omod] : single[omod], &env) : r;
}

static void try_word(struct guest *g, struct trial *t, bool fp)
{
    const struct insn *in = &t->in;
    const char *name = isa_table[in->op].name;
    unsigned bits = 32u >> in->elem, shift = (in->opsel & 4) && bits < 32 ? 16 : 0;
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    trial_done(g, t);
    for (int k = 0; k < 32; k++) {
        bool high = in->opsel & 2, active = in->vm || (t->v0 >> k & 1);
        uint64_t s1 = has(in->op, 'J') ? (uint32_t)in->imm : has(in->op, 'I') ? t->x[0] : t->vs1[k];
        if (has(in->op, 'J')) high = false;
        int64_t a = element(t->vs2[k], in->opsel & 1, bits, in->abs & 2, in->neg & 2, fp);
        int64_t b = element(s1, high, bits, in->abs & 1, in->neg & 1, fp);
        unsigned rm = in->rm == 7 ? t->frm : in->rm;
        uint64_t r = fp ? float_word(name, (uint64_t)a, (uint64_t)b, bits, in->omod, rm)
                        : integer_word(name, a, b, bits, in->omod);
        uint32_t old = (uint32_t)t->vd[k],
                 want = active ? (old & ~(mask << shift)) | ((uint32_t)r & mask) << shift : old;
        if ((uint32_t)t->out[k] != want)
            fail_msg(
                "%s lane %d elem %u opsel %u omod %u abs %u neg %u rm %u: %08x, expected %08x (%016llx %016llx %08x)",
                name, k, in->elem, in->opsel, in->omod, in->abs, in->neg, in->rm, (uint32_t)t->out[k], want,
                LLU(t->vs2[k]), LLU(s1), old);
    }
}

static void test_compute_words(void **state)
{
    struct guest g;
    unsigned rows = 0;
    (void)state;
    trial_open(&g, PROFILE_R2025);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (isa_table[op].kind != KIND_EW) continue;
        bool fp = takes_floats(isa_table[op].name);
        struct trial t = trial_of(PROFILE_R2025, isa_table[op].name);
        rows++;
        for (unsigned i = 0; i < 100; i++) {
            trial_shuffle(&t);
            uint32_t r = guest_random();
            t.in.elem = (uint8_t)(i % (fp ? 2 : 3));
            t.in.opsel = r & 7, t.in.omod = r >> 3 & 3, t.in.abs = r >> 5 & 7, t.in.neg = r >> 8 & 7;
            t.in.rm = (uint8_t)(i % 6 == 5 ? 7 : i % 6), t.frm = r >> 12 & 3;
            t.in.imm = has(op, 'J') ? (int32_t)(r >> 16 & 255) - 128 : 0;
            t.in.vm = i % 4 != 0;
            try_word(&g, &t, fp);
        }
        t.in.elem = fp ? 2 : 3;
        trial_refused(&g, &t, "width");
    }
    assert_int_equal(rows, 25);
    struct trial t = trial_of(PROFILE_R2025, "vfadd64.vv");
    t.in.rm = 5;
    trial_refused(&g, &t, "rounding mode");
    guest_close(&g);
}

/* ---- refusals ---- */

static void test_refused(void **state)
{
    // clang-format off
    static const struct { const char *name; bool pair; unsigned abs; const char *text; } rows[] = {
        {"vwadd.vv", true, 0, "pairs"}, {"vwadd.wx", true, 0, "pairs"}, {"vfrec7.v", true, 0, "pairs"},
        {"vfrsqrt7.v", true, 0, "pairs"},
        {"csrrw", false, 1, "prefix"}, {"jalr", true, 0, "prefix"}, {"setrpc", false, 2, "prefix"},
        {"vftta.vv", true, 0, "prefix"},
    };
    // clang-format on
    struct guest g;
    (void)state;
    trial_open(&g, PROFILE_R21);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trial t = trial_of(PROFILE_R21, rows[i].name);
        t.in.prefix = OP_PREFIX;
        t.in.pair = rows[i].pair;
        t.in.abs = (uint8_t)rows[i].abs;
        trial_refused(&g, &t, rows[i].text);
    }
    struct trial t = trial_of(PROFILE_R21, "addw"); /* all pairs already */
    t.in.prefix = OP_PREFIX, t.in.pair = 1;
    trial_done(&g, &t);
    assert_int_equal(t.xout, t.x[0] + t.x[1]);
    t = trial_of(PROFILE_R21, "vadd.vv"); /* a memory prefix is void here, its pair bit too */
    t.in.prefix = OP_PRE_M_64, t.in.pair = 1;
    trial_done(&g, &t);
    for (int k = 0; k < 32; k++)
        assert_int_equal(t.out[k], (t.vd[k] & ~0xffffffffull) | (uint32_t)(t.vs1[k] + t.vs2[k]));
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),         cmocka_unit_test(test_pair_odds), cmocka_unit_test(test_pair_shift),
        cmocka_unit_test(test_branches),      cmocka_unit_test(test_signs),     cmocka_unit_test(test_even_pairs),
        cmocka_unit_test(test_compute_words), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
