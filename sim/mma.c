/* Matrix multiply-accumulate: every row is one `struct tile`, made from the instruction's fields, and
 * three steps: gather A, B and C from the registers, multiply, scatter D.
 *
 * Invariant: what a tile's fields name is at most MAX_INPUTS elements of A and of B, MAX_RESULTS of C.
 * Called by step.c; code.c asks for the registers. */
#include "sim/mma.h"

#include <string.h>

#include "sim/machine.h"
#include "sim/softfp.h"

enum { MAX_INPUTS = 1024, MAX_RESULTS = 256 };

enum class { FLOAT, SIGNED, BINARY };

struct shape { uint8_t m, n, k; };

/* Shapes by code; m = 0: no such tile. The first table is the public one, the others the proposed codes. */
static const struct shape shapes_16[8] = {{8, 8, 16}, {16, 8, 16}, {8, 16, 16}, {16, 16, 16},
                                          {8, 8, 8}, {16, 8, 8}, {8, 16, 8}, {16, 16, 8}};
static const struct shape shapes_tf32[8] = {[1] = {16, 8, 16}, [4] = {8, 8, 8}, {16, 8, 8}, {8, 16, 8}, {16, 16, 8}};
static const struct shape shapes_8[8] = {[5] = {16, 8, 32}};
static const struct shape shapes_s8[8] = {[0] = {8, 8, 16}, [3] = {16, 16, 16}};
static const struct shape shapes_s4[8] = {[4] = {8, 8, 32}, {16, 8, 32}, {16, 8, 64}};
static const struct shape shapes_b1[8] = {[4] = {8, 8, 128}};

/* Types of A and B by code (abtype; DT of mma64). */
static const struct type {
    uint8_t class, format; /* format: enum fp_format of a FLOAT */
    uint8_t bits;          /* an element's share of a register */
    const struct shape *shapes;
} types[] = {
    {FLOAT, FP_TF32, 32, shapes_tf32}, {FLOAT, FP_F16, 16, shapes_16}, {FLOAT, FP_BF16, 16, shapes_16},
    {FLOAT, FP_E4M3, 8, shapes_8},     {FLOAT, FP_E5M2, 8, shapes_8},  {SIGNED, 0, 8, shapes_s8},
    {SIGNED, 0, 4, shapes_s4},         {BINARY, 0, 1, shapes_b1},      {FLOAT, FP_E3M2, 8, shapes_8},
    {FLOAT, FP_E2M3, 8, shapes_8},     {FLOAT, FP_E2M1, 4, shapes_8},  {FLOAT, FP_E3M0, 4, shapes_8},
};
static const struct type type_f32 = {FLOAT, FP_F32, 32, NULL}; /* of vftta.vv alone */
enum { TYPE_TF32 = 0, TYPE_F16 = 1, TYPES = sizeof types / sizeof *types };

struct tile {
    const struct type *type;
    struct shape size;
    unsigned lanes;       /* of the warp */
    bool a_col, b_row;    /* A contiguous along m instead of k; B contiguous along k instead of n */
    bool half;            /* C and D are f16, else f32 or s32 */
    uint8_t block;        /* columns of C that lie side by side; all rows of one block, then the next block */
    uint8_t round;        /* enum fp_round, FP_RNE to FP_RUP */
    bool saturate, relu, fused;
};

/* ---- from the instruction to the tile; each returns NULL or why there is none ---- */

/* C and D as f16 exist for f16 inputs; the public code TF32 with f16 results also means f16 inputs. */
static const char *choose_type(struct tile *t, unsigned type, unsigned shape, bool half)
{
    if (type == TYPE_TF32 && half) type = TYPE_F16;
    if (type >= TYPES) return "reserved matrix element type";
    if (half && type != TYPE_F16) return "only f16 matrices have f16 results";
    t->type = &types[type];
    t->size = t->type->shapes[shape];
    t->half = half;
    t->block = t->size.n;
    return t->size.m ? NULL : "matrix shape that the element type does not have";
}

static const char *tile_of_mma(struct tile *t, uint32_t word)
{
    t->a_col = word >> 14 & 1;
    t->b_row = word >> 13 & 1;
    return choose_type(t, word >> 28, word >> 25 & 7, !(word >> 12 & 1));
}

/* The control field, from the top: dt[4] shape[3] al bl ct sp[2] rd[2] wg a. What a warp group's and a
 * sparse operand's registers would mean is not public. */
static const char *tile_of_mma64(struct tile *t, unsigned control)
{
    unsigned rd = control >> 2 & 3;
    if (control >> 1 & 1) return "mma64 with wg = 1: warp-group matrices are not defined";
    if (control >> 4 & 3) return "mma64 with sp other than 0: sparse matrices are not defined";
    t->a_col = control >> 8 & 1;
    t->b_row = control >> 7 & 1;
    const char *why = choose_type(t, control >> 12, control >> 9 & 7, !(control >> 6 & 1));
    if (why) return why;
    if (t->type->class == FLOAT) {
        t->round = (uint8_t)rd;
        return NULL;
    }
    t->saturate = rd == 0;
    return rd < 2 ? NULL : "mma64 with a rounding mode that integers do not have";
}

/* The test words of opcode 0x61, as the public RTL branch lays them out over 32 lanes: A and B contiguous
 * along k, C in f16 eight columns to a row, of which 8x4x8 uses four and clears the others, C in f32 four
 * columns to a row; the second half of an 8x8x8 in f32, which that branch gives to a second issue of the
 * same word, is the next register here. Fewer lanes take more registers by the general rule of mma.h;
 * that is our definition, as is the arithmetic, which is that of mma. */
static const char *tile_of_tc(struct tile *t, uint32_t word)
{
    bool narrow = word >> 26 & 1;
    t->type = &types[TYPE_F16];
    t->size = (struct shape){8, narrow ? 4 : 8, 8};
    t->b_row = true;
    t->half = !(word >> 12 & 1);
    t->block = t->half ? 8 : 4;
    t->relu = word >> 27 & 1;
    return NULL;
}

/* The RTL's tensor unit is 4x4x8 with 32 lanes, 2x2x4 with 8 and 2x2x2 otherwise. */
static const char *tile_of_vftta(struct tile *t)
{
    t->size = t->lanes == 32 ? (struct shape){4, 4, 8} : t->lanes == 8 ? (struct shape){2, 2, 4} : (struct shape){2, 2, 2};
    t->type = &type_f32;
    t->b_row = true;
    t->block = t->size.n;
    t->fused = true;
    return t->lanes < 4 ? "vftta.vv needs four lanes" : NULL;
}

static const char *tile_of(struct tile *t, const struct insn *in, unsigned lanes)
{
    uint32_t word = (uint32_t)isa_match((enum isa_op)in->op);
    *t = (struct tile){.lanes = lanes};
    if (in->op == OP_VFTTA_VV) return tile_of_vftta(t);
    if (in->op == OP_MMA64) return tile_of_mma64(t, in->aux);
    return (word & 0x7f) == 0x61 ? tile_of_tc(t, word) : tile_of_mma(t, word);
}

/* ---- where elements lie ---- */

static unsigned words_of(unsigned elements, unsigned bits) { return (elements * bits + 31) / 32; }

static unsigned words_a(const struct tile *t) { return words_of(t->size.m * t->size.k, t->type->bits); }
static unsigned words_b(const struct tile *t) { return words_of(t->size.k * t->size.n, t->type->bits); }
static unsigned words_c(const struct tile *t)
{
    unsigned columns = (t->size.n + t->block - 1u) / t->block * t->block;
    return words_of(t->size.m * columns, t->half ? 16 : 32);
}

static unsigned element_c(const struct tile *t, unsigned m, unsigned n)
{
    return n / t->block * (t->size.m * t->block) + m * t->block + n % t->block;
}

/* C and D of mma64 are separate; all others accumulate in place. */
static unsigned base_c(const struct insn *in) { return in->op == OP_MMA64 ? in->rs3 : in->rd; }

static unsigned highest(unsigned base, unsigned words, unsigned lanes, unsigned so_far)
{
    unsigned end = base + (words + lanes - 1) / lanes;
    return end > so_far ? end : so_far;
}

static unsigned registers_of(const struct tile *t, const struct insn *in)
{
    unsigned n = highest(in->rs1, words_a(t), t->lanes, 0);
    n = highest(in->rs2, words_b(t), t->lanes, n);
    n = highest(base_c(in), words_c(t), t->lanes, n);
    return highest(in->rd, words_c(t), t->lanes, n);
}

unsigned mma_registers(const struct insn *in)
{
    struct tile t;
    return tile_of(&t, in, ISA_LANES) ? 0 : registers_of(&t, in);
}

/* ---- gather ---- */

union number { float f; uint32_t u; int32_t i; };

struct matrices {
    union number a[MAX_INPUTS]; /* a[m * K + k] */
    union number b[MAX_INPUTS]; /* b[k * N + n] */
    union number c[MAX_RESULTS]; /* c[m * N + n] */
};

/* Word j of the group at `base`. */
static uint32_t *word_of(const struct warp *w, const struct tile *t, unsigned base, unsigned j)
{
    return &w->v[base + j / t->lanes][j % t->lanes];
}

/* An element of A or B as binary32, exactly, or as an integer. */
static union number input(const struct type *type, uint32_t bits)
{
    struct fp_env env = {FP_RNE, 0};
    switch (type->class) {
    case FLOAT: return (union number){.u = (uint32_t)fp_convert(FP_F32, (enum fp_format)type->format, bits, &env)};
    case SIGNED: return (union number){.i = (int32_t)(bits << (32 - type->bits)) >> (32 - type->bits)};
    default: return (union number){.u = bits};
    }
}

/* The elements of A or B in order, the first `inner` of them side by side in x, `step` apart, the next ones
 * one `jump` further. */
static void gather_input(const struct warp *w, const struct tile *t, unsigned base, unsigned words, union number *x,
                         unsigned inner, unsigned step, unsigned jump)
{
    unsigned bits = t->type->bits, i = 0, row = 0;
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    for (unsigned j = 0; j < words; j++) {
        uint64_t word = *word_of(w, t, base, j);
        for (unsigned part = 0; part < 32; part += bits, word >>= bits) {
            x[row * jump + i * step] = input(t->type, (uint32_t)word & mask);
            if (++i == inner) i = 0, row++;
        }
    }
}

static void gather_c(const struct warp *w, const struct tile *t, unsigned base, union number *c)
{
    struct fp_env env = {FP_RNE, 0};
    for (unsigned i = 0; i < (unsigned)t->size.m * t->size.n; i++) {
        unsigned e = element_c(t, i / t->size.n, i % t->size.n);
        if (t->half)
            c[i].u = (uint32_t)fp_convert(FP_F32, FP_F16, *word_of(w, t, base, e / 2) >> (e % 2 * 16), &env);
        else
            c[i].u = *word_of(w, t, base, e);
    }
}

static void gather(const struct warp *w, const struct tile *t, const struct insn *in, struct matrices *x)
{
    unsigned M = t->size.m, N = t->size.n, K = t->size.k;
    gather_input(w, t, in->rs1, words_a(t), x->a, t->a_col ? M : K, t->a_col ? K : 1, t->a_col ? 1 : K);
    gather_input(w, t, in->rs2, words_b(t), x->b, t->b_row ? K : N, t->b_row ? N : 1, t->b_row ? 1 : N);
    gather_c(w, t, base_c(in), x->c);
}

/* ---- multiply: results into x->c ---- */

/* k ascending, every product and every sum rounded to binary32 by the host, whose mode is the tile's. Not
 * inlined, so that no arithmetic moves across the change of that mode. */
__attribute__((noinline)) static void multiply_float(const struct tile *t, struct matrices *x)
{
    unsigned M = t->size.m, N = t->size.n, K = t->size.k;
    for (unsigned m = 0; m < M; m++)
        for (unsigned k = 0; k < K; k++)
            for (unsigned n = 0; n < N; n++) {
                float product = x->a[m * K + k].f * x->b[k * N + n].f;
                x->c[m * N + n].f += product;
            }
}

/* One rounding for each k. Returns the flags raised. */
static unsigned multiply_fused(const struct tile *t, struct matrices *x)
{
    unsigned M = t->size.m, N = t->size.n, K = t->size.k;
    struct fp_env env = {t->round, 0};
    for (unsigned i = 0; i < M * N; i++)
        for (unsigned k = 0; k < K; k++)
            x->c[i].u = (uint32_t)fp_fma(FP_F32, x->a[i / N * K + k].u, x->b[k * N + i % N].u, x->c[i].u, &env);
    return env.flags;
}

/* The exact sum, then wrapped or saturated. The product of single bits is their AND. */
static void multiply_integer(const struct tile *t, struct matrices *x)
{
    unsigned M = t->size.m, N = t->size.n, K = t->size.k;
    for (unsigned i = 0; i < M * N; i++) {
        int64_t sum = x->c[i].i;
        for (unsigned k = 0; k < K; k++) sum += x->a[i / N * K + k].i * x->b[k * N + i % N].i;
        if (t->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        x->c[i].u = (uint32_t)sum;
    }
}

/* max(x, 0) as everywhere: 0 for NaN and -0. */
static uint32_t relu(uint32_t x) { return x >> 31 || x > 0x7f800000 ? 0 : x; }

/* From binary32 to what the register gets: f16, or binary32 without NaNs of its own. */
static uint32_t finish(const struct tile *t, uint32_t x)
{
    struct fp_env env = {t->round, 0};
    if (t->relu) x = relu(x);
    if (t->half) return (uint32_t)fp_convert(FP_F16, FP_F32, x, &env);
    return (x & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : x;
}

static void multiply(struct warp *w, const struct tile *t, struct matrices *x)
{
    if (t->type->class != FLOAT) {
        multiply_integer(t, x);
        return;
    }
    if (t->fused) {
        w->fflags |= w->raised = multiply_fused(t, x);
    } else {
        round_set(t->round);
        multiply_float(t, x);
        round_set(w->frm == FP_RMM ? FP_RNE : w->frm);
    }
    for (unsigned i = 0; i < (unsigned)t->size.m * t->size.n; i++) x->c[i].u = finish(t, x->c[i].u);
}

/* ---- scatter ---- */

/* Words of the group that hold no element of the tile become 0. */
static void scatter(struct warp *w, const struct tile *t, const struct insn *in, const struct matrices *x)
{
    unsigned N = t->size.n, words = words_c(t);
    uint32_t out[MAX_RESULTS] = {0}, active = in->vm ? w->active : w->active & w->v[0][0];
    for (unsigned i = 0; i < t->size.m * N; i++) {
        unsigned e = element_c(t, i / N, i % N);
        if (t->half)
            out[e / 2] |= x->c[i].u << (e % 2 * 16);
        else
            out[e] = x->c[i].u;
    }
    for (unsigned i = 0; i < words; i++)
        if (active >> (i % t->lanes) & 1) *word_of(w, t, in->rd, i) = out[i];
}

/* What mma and mma64 demand of the warp; the test words and vftta.vv run in any. */
static const char *check_warp(const struct warp *w, const struct tile *t, const struct insn *in)
{
    unsigned op = in->op;
    if (op == OP_VFTTA_VV) return w->frm > FP_RMM ? "reserved rounding mode" : NULL;
    bool any_warp = ((uint32_t)isa_match((enum isa_op)op) & 0x7f) == 0x61;
    if (t->lanes != ISA_LANES && !any_warp) return "matrix instruction in a warp of fewer than 32 lanes";
    if (registers_of(t, in) > w->group->launch->vgprs) return "matrix beyond the vector registers of the launch";
    if (any_warp) return NULL;
    if (w->vl != ISA_LANES) return "matrix instruction with vl other than 32";
    if (w->vstart) return "matrix instruction with vstart other than 0";
    return w->active == UINT32_MAX ? NULL : "matrix instruction with inactive lanes";
}

const char *mma_execute(struct warp *w, const struct insn *in)
{
    struct tile t;
    struct matrices x;
    const char *why = tile_of(&t, in, w->group->launch->threads_per_warp);
    if (!why) why = check_warp(w, &t, in);
    if (why) return why;
    if (t.fused) t.round = (uint8_t)w->frm;
    gather(w, &t, in, &x);
    multiply(w, &t, &x);
    scatter(w, &t, in, &x);
    return NULL;
}
