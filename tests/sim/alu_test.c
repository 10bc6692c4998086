/* Every arithmetic row of the table against C written here, over edge values and random ones.
 *
 * Each row runs on the machine: vector rows with full, partial and v0 masks, in all five rounding modes. References
 * use wider types (double, __float128, 64-bit integers), not the machine's helpers. A row without a reference fails. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "half_reference.h"
#include "sim/machine.h"

typedef uint32_t word;
typedef int32_t sword;
typedef uint64_t double_word;
typedef int64_t double_sword;
#include "reference.h"

static uint32_t mode; /* rounding mode of the references: RNE RTZ RDN RUP RMM */
static bool unsure;   /* the reference cannot decide this one */

/* ---- floating point references: computed in double, which makes the second rounding harmless ---- */

static float fl(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static uint32_t bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return f != f ? 0x7fc00000 : u;
}
static bool is_nan(uint32_t u) { return (u & 0x7fffffff) > 0x7f800000; }

/* Ties away: r is the nearest-even rounding of the exact q. */
static uint32_t ties_away(float r, __float128 q)
{
    float away = nextafterf(r, q < 0 ? -INFINITY : INFINITY);
    if (isinf(r) || r != r || isinf(away)) return bits(r);
    __float128 below = q - r, above = (__float128)away - q;
    return bits(below == above ? away : r);
}

typedef double binary(double a, double b);
static double op_add(double a, double b) { return a + b; }
static double op_sub(double a, double b) { return a - b; }
static double op_mul(double a, double b) { return a * b; }
static double op_div(double a, double b) { return a / b; }

static uint32_t rounded(uint32_t a, uint32_t b, binary *op)
{
    static const int modes[5] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(modes[mode]);
    volatile double x = fl(a), y = fl(b), d = op(x, y);
    volatile float f = (float)d;
    fesetround(FE_TONEAREST);
    if (mode != 4 || !isfinite(f)) return bits(f);
    __float128 p = x, q = y, exact = op == op_add ? p + q : op == op_sub ? p - q : op == op_mul ? p * q : p / q;
    return ties_away(f, exact);
}

static uint32_t r_fadd(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return rounded(a, b, op_add);
}
static uint32_t r_fsub(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return rounded(a, b, op_sub);
}
static uint32_t r_frsub(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return rounded(b, a, op_sub);
}
static uint32_t r_fmul(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return rounded(a, b, op_mul);
}
static uint32_t r_fdiv(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return rounded(a, b, op_div);
}
static uint32_t r_frdiv(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return rounded(b, a, op_div);
}

static uint32_t r_fsqrt(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    static const int modes[5] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(modes[mode]);
    volatile double x = fl(a), d = sqrt(x);
    volatile float f = (float)d;
    fesetround(FE_TONEAREST);
    return bits(f);
}

static uint32_t fma_of(float a, float b, float c)
{
    static const int modes[5] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(modes[mode]);
    volatile float x = a, y = b, z = c, f = fmaf(x, y, z);
    fesetround(FE_TONEAREST);
    if (mode != 4 || !isfinite(f)) return bits(f);
    __float128 p = (__float128)a * b, q = p + c;
    if (q - p != c || q - c != p) unsure = true; /* more than 113 bits */
    return ties_away(f, q);
}
static uint32_t r_fmacc(uint32_t a, uint32_t b, uint32_t c) { return fma_of(fl(b), fl(a), fl(c)); }
static uint32_t r_fnmacc(uint32_t a, uint32_t b, uint32_t c) { return fma_of(-fl(b), fl(a), -fl(c)); }
static uint32_t r_fmsac(uint32_t a, uint32_t b, uint32_t c) { return fma_of(fl(b), fl(a), -fl(c)); }
static uint32_t r_fnmsac(uint32_t a, uint32_t b, uint32_t c) { return fma_of(-fl(b), fl(a), fl(c)); }
static uint32_t r_fmadd(uint32_t a, uint32_t b, uint32_t c) { return fma_of(fl(b), fl(c), fl(a)); }
static uint32_t r_fnmadd(uint32_t a, uint32_t b, uint32_t c) { return fma_of(-fl(b), fl(c), -fl(a)); }
static uint32_t r_fmsub(uint32_t a, uint32_t b, uint32_t c) { return fma_of(fl(b), fl(c), -fl(a)); }
static uint32_t r_fnmsub(uint32_t a, uint32_t b, uint32_t c) { return fma_of(-fl(b), fl(c), fl(a)); }

static uint32_t r_fsgnj(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return (a & ~(1u << 31)) | (b & 1u << 31);
}
static uint32_t r_fsgnjn(uint32_t a, uint32_t b, uint32_t c) { return r_fsgnj(a, ~b, c); }
static uint32_t r_fsgnjx(uint32_t a, uint32_t b, uint32_t c) { return r_fsgnj(a, a ^ b, c); }
static uint32_t minmax(uint32_t a, uint32_t b, bool max)
{
    if (is_nan(a)) return is_nan(b) ? 0x7fc00000 : b;
    if (is_nan(b)) return a;
    if (fl(a) == fl(b)) return (signbit(fl(a)) != 0) == max ? b : a;
    return (fl(a) > fl(b)) == max ? a : b;
}
static uint32_t r_fmin(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return minmax(a, b, false);
}
static uint32_t r_fmax(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return minmax(a, b, true);
}
static uint32_t r_feq(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return fl(a) == fl(b);
}
static uint32_t r_fne(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return fl(a) != fl(b);
}
static uint32_t r_flt(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return fl(a) < fl(b);
}
static uint32_t r_fle(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return fl(a) <= fl(b);
}
static uint32_t r_fgt(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return fl(a) > fl(b);
}
static uint32_t r_fge(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return fl(a) >= fl(b);
}
static uint32_t r_fclass(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    float f = fl(a);
    switch (fpclassify(f)) {
    case FP_INFINITE: return f < 0 ? 1 << 0 : 1 << 7;
    case FP_NORMAL: return f < 0 ? 1 << 1 : 1 << 6;
    case FP_SUBNORMAL: return f < 0 ? 1 << 2 : 1 << 5;
    case FP_ZERO: return signbit(f) ? 1 << 3 : 1 << 4;
    default: return a & 1u << 22 ? 1 << 9 : 1 << 8;
    }
}

static double round_by(double d, uint32_t how)
{
    switch (how) {
    case 0: return rint(d); /* the host rounds to nearest even here */
    case 1: return trunc(d);
    case 2: return floor(d);
    case 3: return ceil(d);
    default: return round(d);
    }
}
static uint32_t to_int(uint32_t a, uint32_t how, double low, double high)
{
    if (is_nan(a)) return (uint32_t)(int64_t)high;
    double d = round_by(fl(a), how);
    return (uint32_t)(int64_t)(d < low ? low : d > high ? high : d);
}
static uint32_t r_to_s(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return to_int(a, mode, -2147483648.0, 2147483647.0);
}
static uint32_t r_to_u(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return to_int(a, mode, 0, 4294967295.0);
}
static uint32_t r_to_s_rtz(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return to_int(a, 1, -2147483648.0, 2147483647.0);
}
static uint32_t r_to_u_rtz(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return to_int(a, 1, 0, 4294967295.0);
}
static uint32_t from_int(double d)
{
    static const int modes[5] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(modes[mode]);
    volatile double x = d;
    volatile float f = (float)x;
    fesetround(FE_TONEAREST);
    return mode == 4 ? ties_away(f, d) : bits(f);
}
static uint32_t r_from_s(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return from_int((int32_t)a);
}
static uint32_t r_from_u(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return from_int(a);
}

/* Of both halves of a word. A product has the sign of the zero that is added to it. */
static uint32_t r_fma_f16(uint32_t a, uint32_t b, uint32_t c)
{
    return half_fma(a, b, c) | half_fma(a >> 16, b >> 16, c >> 16) << 16;
}
static uint32_t r_add_f16(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return r_fma_f16(a, 0x3c003c00, b);
}
static uint32_t r_mul_f16(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return r_fma_f16(a, b, (a ^ b) & 0x80008000);
}
static uint32_t r_to_f16(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return half_of_float(a);
}
static uint32_t r_from_f16(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return float_of_half(a);
}

// clang-format off
static const struct named_reference references[] = {
#define INTEGER  NAMED
#define FLOATING NAMED
#include "reference.def"
#undef INTEGER
#undef FLOATING
    {"auipc", r_add}, {"vsub12", r_sub}, {"fmv.x.w fmv.w.x", r_first},
    {"vfma.f16x2", r_fma_f16}, {"vadd.f16x2", r_add_f16}, {"vmul.f16x2", r_mul_f16}, {"vcvt.fp16.fp32", r_to_f16}, {"vcvt.fp32.fp16", r_from_f16},
};
// clang-format on

static reference *reference_of(enum isa_op op)
{
    return find_reference(references, sizeof references / sizeof *references, isa_table[op].name);
}

/* ---- operands ---- */

static const uint32_t edges[] = {
    0,          1,          2,           3,           31,          32,         33,         0xffffffff,
    0xfffffffe, 0x7fffffff, 0x80000000,  0x80000001,  0x55555555,  0xaaaaaaaa, 0x10000,    0xffff,
    0x00000001, 0x007fffff, 0x00800000,  0x00800001,  0x807fffff,  0x80800000, /* subnormal to normal */
    0x3f800000, 0xbf800000, 0x3f000000,  0xbf000000,  0x3fc00000,  0x40200000, 0xc0200000, 0x40600000,
    0x3f7fffff, 0x3f800001, 0x7f7fffff,  0xff7fffff,  0x7f800000,  0xff800000, 0x7fc00000, 0xffc00000,
    0x7f800001, 0xffbfffff, 0x7fffffff,  0x4effffff,  0x4f000000,  0xcf000000, 0xcf000001, 0x4f7fffff,
    0x3bff0400, 0x7bff03ff, 0x7c00fc00,  0x00013c01,  0x477fefff,  0x477ff000, 0x33000000, 0x38800000, /* binary16 */
    0x4f800000, 0x4b800001, 0x4b000001,  0x33800000,  0x33800001,  0x01000001, 0x02000003, 16777217,
    16777219,   33554434,   4294967040u, 4294967167u, 4294967168u, 2147483584, 2147483583,
};
enum { NEDGES = sizeof edges / sizeof *edges };

/* Random bits, an edge, or a float of moderate size, so that sums do not just return one side. */
static uint32_t operand(void)
{
    uint32_t r = guest_random();
    switch (r % 4) {
    case 0: return guest_random();
    case 1: return 0x3e000000 + guest_random() % 0x04000000 + (r & 1u << 31);
    default: return edges[guest_random() % NEDGES];
    }
}

/* ---- running one instruction ---- */

enum { VS1 = 0, VS2 = 32, VD = 64, MASK = 96, SCALARS = 128, OUT_V = 160, OUT_X = 192 }; /* words of the data page */

struct trial {
    enum isa_op op;
    struct insn in;
    uint32_t frm, items, v0;
};

static size_t emit(uint32_t *code, size_t n, enum isa_op op, struct insn in)
{
    uint32_t words[ISA_MAX_WORDS];
    const char *why = "";
    in.op = (uint16_t)op;
    unsigned k = isa_encode(&in, words, &why);
    if (!k) fail_msg("%s: %s", isa_table[op].name, why);
    memcpy(code + n, words, k * 4);
    return n + k;
}

#define EMIT(op, ...) (n = emit(code, n, op, (struct insn){__VA_ARGS__, .vm = 1}))

/* x5 data, v4 = data + 4 * lane, operands in v1 v2 v3 and x6 x7 x8, v0 the mask; results v3, x9. */
static void run_trial(struct guest *g, const struct trial *t)
{
    uint32_t code[64];
    size_t n = 0;
    EMIT(OP_LUI, .rd = 5, .imm = (int32_t)GUEST_DATA);
    EMIT(OP_VID_V, .rd = 4);
    EMIT(OP_VSLL_VI, .rd = 4, .rs2 = 4, .imm = 2);
    EMIT(OP_VADD_VX, .rd = 4, .rs2 = 4, .rs1 = 5);
    EMIT(OP_VLW12_V, .rd = 1, .rs1 = 4, .imm = VS1 * 4);
    EMIT(OP_VLW12_V, .rd = 2, .rs1 = 4, .imm = VS2 * 4);
    EMIT(OP_VLW12_V, .rd = 3, .rs1 = 4, .imm = VD * 4);
    EMIT(OP_VLW12_V, .rd = 0, .rs1 = 4, .imm = MASK * 4);
    for (uint8_t i = 0; i < 3; i++) EMIT(OP_LW, .rd = (uint8_t)(6 + i), .rs1 = 5, .imm = (SCALARS + i) * 4);
    EMIT(OP_CSRRWI, .aux = CSR_FRM, .imm = (int32_t)t->frm);
    n = emit(code, n, t->op, t->in);
    EMIT(OP_VSW12_V, .rs2 = 3, .rs1 = 4, .imm = OUT_V * 4);
    EMIT(OP_SW, .rs2 = 9, .rs1 = 5, .imm = OUT_X * 4);
    EMIT(OP_ENDPRG, .rd = 0);
    guest_code(g, code, n);
    g->launch.work_items = t->items;
    guest_run(g);
    if (g->result.status != LAUNCH_DONE) {
        char text[300];
        fault_print(&g->result.fault, text, sizeof text);
        fail_msg("%s: %s", isa_table[t->op].name, text);
    }
}

static bool has_letter(enum isa_op op, char letter) { return strchr(isa_table[op].pattern, letter) != NULL; }

/* Random immediates that the instruction's field holds. */
static int32_t immediate(enum isa_op op)
{
    uint32_t r = guest_random();
    if (has_letter(op, 'h') || has_letter(op, 'z')) return (int32_t)(r % 32);
    if (has_letter(op, 'u')) return (int32_t)(r % 4096);
    if (has_letter(op, 'i')) return (int32_t)(r % 4096) - 2048;
    if (has_letter(op, 'k')) return (int32_t)(r % 2048) - 1024; /* behind regexti */
    if (has_letter(op, 'U')) return (int32_t)(r << 12);
    return 0;
}

static void compare(const struct trial *t, uint32_t lane, uint32_t have, uint32_t want, const uint32_t abc[3])
{
    if (have != want && !unsure)
        fail_msg("%s lane %u frm %u rm %u: 0x%08x, expected 0x%08x (0x%08x, 0x%08x, 0x%08x)", isa_table[t->op].name,
                 lane, t->frm, t->in.rm, have, want, abc[0], abc[1], abc[2]);
}

/* ---- the tests ---- */

static void fill_operands(struct guest *g, uint32_t v0)
{
    for (uint32_t i = 0; i < 192; i++) g->data[i] = operand();
    for (uint32_t i = 0; i < 32; i++) g->data[OUT_V + i] = 0xdeadbeef;
    g->data[MASK] = v0;
}

static void try_vector(struct guest *g, struct trial *t)
{
    reference *fn = reference_of(t->op);
    const struct isa_desc *d = &isa_table[t->op];
    bool masked = has_letter(t->op, 'm') && !t->in.vm, merge = d->flags & ISA_V0;
    bool lane_number = t->op == OP_VID_V;
    if (!fn && !lane_number) fail_msg("%s has no reference", d->name);
    fill_operands(g, t->v0);
    uint32_t before[256];
    memcpy(before, g->data, sizeof before);
    run_trial(g, t);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t a = before[VS2 + lane], b = before[VS1 + lane], c = before[VD + lane], old = c;
        if (d->kind == KIND_VX) b = before[SCALARS];
        if (d->kind == KIND_VI || d->kind == KIND_V1I) b = (uint32_t)t->in.imm;
        if (d->kind == KIND_V1I) a = before[VS1 + lane];
        if (merge) c = t->v0 >> lane & 1;
        bool active = lane < t->items && (!masked || (t->v0 >> lane & 1));
        const uint32_t abc[3] = {a, b, c};
        unsure = false;
        uint32_t want = active ? (lane_number ? lane : fn(a, b, c)) : old;
        if (lane >= t->items) want = 0xdeadbeef; /* not even stored */
        compare(t, lane, g->data[OUT_V + lane], want, abc);
    }
}

static void vector_row(struct guest *g, enum isa_op op)
{
    static const uint32_t items[] = {32, 32, 19, 1};
    bool rounds = isa_table[op].flags & ISA_ROUND;
    uint8_t rs1 = isa_table[op].kind == KIND_VX ? 6 : has_letter(op, 'S') ? 1 : 0;
    for (uint32_t i = 0; i < 20; i++) {
        struct trial t = {.op = op, .items = items[i % 4], .v0 = i % 8 == 7 ? 0 : guest_random()};
        t.in = (struct insn){.rd = 3, .rs1 = rs1, .rs2 = has_letter(op, 'T') ? 2 : 0, .imm = immediate(op)};
        t.in.vm = !has_letter(op, 'm') || i % 2 == 0;
        for (uint32_t k = 0; k < (rounds ? 5 : 1); k++) {
            mode = t.frm = rounds ? k : i % 5; /* the host's mode is not to matter to the others */
            try_vector(g, &t);
        }
    }
}

static void try_scalar(struct guest *g, struct trial *t)
{
    reference *fn = reference_of(t->op);
    if (!fn) fail_msg("%s has no reference", isa_table[t->op].name);
    fill_operands(g, 0);
    uint32_t s[3] = {g->data[SCALARS], g->data[SCALARS + 1], g->data[SCALARS + 2]};
    uint32_t b = has_letter(t->op, 't') ? s[1] : (uint32_t)t->in.imm, a = s[0];
    if (t->op == OP_AUIPC) a = ABI_CODE_BASE + 12 * 4; /* behind twelve instructions */
    if (t->op == OP_FMADD_S || t->op == OP_FMSUB_S || t->op == OP_FNMADD_S || t->op == OP_FNMSUB_S) b = s[1];
    run_trial(g, t);
    const uint32_t abc[3] = {a, b, s[2]};
    unsure = false;
    compare(t, 0, g->data[OUT_X], fn(a, b, s[2]), abc);
}

static void scalar_row(struct guest *g, enum isa_op op)
{
    bool rounds = isa_table[op].flags & ISA_ROUND;
    for (uint32_t i = 0; i < (rounds ? 20 : 60); i++) {
        struct trial t = {.op = op, .items = 32};
        t.in = (struct insn){.rd = 9,
                             .rs1 = has_letter(op, 's') ? 6 : 0,
                             .rs2 = has_letter(op, 't') ? 7 : 0,
                             .rs3 = has_letter(op, 'r') ? 8 : 0,
                             .imm = immediate(op),
                             .vm = 1};
        if (!rounds) try_scalar(g, &t);
        for (uint32_t k = 0; rounds && k < 10; k++) { /* rm static, then dynamic; frm another one */
            mode = k % 5;
            t.in.rm = k < 5 ? (uint8_t)mode : 7;
            t.frm = k < 5 ? (mode + i) % 5 : mode;
            try_scalar(g, &t);
        }
    }
}

/* Rows that move the last active lane to a scalar. */
static void move_row(struct guest *g, enum isa_op op)
{
    for (uint32_t items = 1; items <= 32; items++) {
        struct trial t = {.op = op, .items = items, .in = {.rd = 9, .rs2 = 2, .vm = 1}};
        fill_operands(g, 0);
        uint32_t want = g->data[VS2 + items - 1];
        run_trial(g, &t);
        assert_int_equal(g->data[OUT_X], want);
    }
}

/* Every inline row on one engine. */
static void run_rows(const struct engine *engine)
{
    struct guest g;
    unsigned rows = 0;
    guest_open(&g);
    assert_true(engine_use(g.gpu, engine));
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (isa_table[op].flags & ISA_NEAREST) continue; /* rows_test.c has them */
        rows++;
        switch (isa_table[op].kind) {
        case KIND_X: scalar_row(&g, (enum isa_op)op); break;
        case KIND_V2X: move_row(&g, (enum isa_op)op); break;
        case KIND_V:
        case KIND_VV:
        case KIND_VX:
        case KIND_VI:
        case KIND_V1I: vector_row(&g, (enum isa_op)op); break;
        default: rows--;
        }
    }
    print_message("%u rows on %s %s\n", rows, engine->name, engine->builds->name);
    assert_true(rows > 150);
    guest_close(&g);
}

static void test_rows(void **state)
{
    struct guest_engine e;
    unsigned n = 0;
    (void)state;
    while (guest_engine(n, &e)) run_rows(&e.engine), n++;
    assert_true(n >= 2);
}

/* The host's rounding mode and flags are not the guest's business, nor the other way round. */
static void test_host_environment(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    struct trial t = {.op = OP_FADD_S, .items = 32, .frm = 3, .in = {.rd = 9, .rs1 = 6, .rs2 = 7, .rm = 0}};
    fill_operands(&g, 0);
    g.data[SCALARS] = 0x3f800000;
    g.data[SCALARS + 1] = 0x33800000; /* half an ulp: a tie to even */
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    run_trial(&g, &t);
    assert_int_equal(fegetround(), FE_UPWARD);
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
    fesetround(FE_TONEAREST);
    assert_int_equal(g.data[OUT_X], 0x3f800000);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_host_environment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
