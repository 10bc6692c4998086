/* Matrix multiply-accumulate: every row is one `struct tile` (isa/tile.h) and three steps: gather A, B and C from
 * the registers, multiply, scatter D. Called by engines. */
#include "sim/mma.h"

#include <string.h>

#include "isa/tile.h"
#include "sim/layout.h"
#include "sim/machine.h"
#include "sim/softfp.h"

enum class { FLOAT, SIGNED, BINARY };

/* How bits are a number: of a FLOAT, enum fp_format says it. */
// clang-format off
static const struct type { uint8_t class, format; } types[TILE_ELEMENTS] = {
    [TILE_TF32] = {FLOAT, FP_TF32}, [TILE_F16] = {FLOAT, FP_F16},   [TILE_BF16] = {FLOAT, FP_BF16}, [TILE_E4M3] = {FLOAT, FP_E4M3},
    [TILE_E5M2] = {FLOAT, FP_E5M2}, [TILE_S8] = {SIGNED, 0},        [TILE_S4] = {SIGNED, 0},        [TILE_B1] = {BINARY, 0},
    [TILE_E3M2] = {FLOAT, FP_E3M2}, [TILE_E2M3] = {FLOAT, FP_E2M3}, [TILE_E2M1] = {FLOAT, FP_E2M1}, [TILE_E3M0] = {FLOAT, FP_E3M0},
    [TILE_F32] = {FLOAT, FP_F32},
};
// clang-format on

static const struct type *type_of(const struct tile *t) { return &types[t->element]; }

/* Number of the element of C in row m, column n. */
static unsigned element_c(const struct tile *t, unsigned m, unsigned n)
{
    return n / t->block * (t->m * t->block) + m * t->block + n % t->block;
}

/* ---- gather ---- */

union number {
    float f;
    uint32_t u;
    int32_t i;
};

struct matrices {
    union number a[TILE_MAX_INPUTS];  /* a[m * K + k] */
    union number b[TILE_MAX_INPUTS];  /* b[k * N + n] */
    union number c[TILE_MAX_RESULTS]; /* c[m * N + n] */
};

/* Word j of the group at `base`. */
static uint32_t *word_of(const struct warp *w, const struct tile *t, unsigned base, unsigned j)
{
    return &w->v[base + j / t->lanes][j % t->lanes];
}

/* An element of A or B as binary32, exactly, or as an integer of as many bits as the tile's. */
static union number input(const struct tile *t, uint32_t bits)
{
    struct fp_env env = {FP_RNE, 0};
    switch (type_of(t)->class) {
    case FLOAT:
        return (union number){.u = (uint32_t)fp_convert(FP_F32, (enum fp_format)type_of(t)->format, bits, &env)};
    case SIGNED: return (union number){.i = (int32_t)(bits << (32 - t->bits)) >> (32 - t->bits)};
    default: return (union number){.u = bits};
    }
}

/* How A or B lies: vectors (its rows or columns) of `inner` elements side by side. Element i of vector v goes to
 * x[v * jump + i * step]. */
struct order {
    union number *x;
    unsigned vectors, inner, step, jump;
};

static void gather_registers(const struct warp *w, const struct tile *t, unsigned base, unsigned words,
                             const struct order *o)
{
    unsigned bits = t->bits, i = 0, vector = 0;
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    for (unsigned j = 0; j < words; j++) {
        uint64_t word = *word_of(w, t, base, j);
        for (unsigned part = 0; part < 32; part += bits, word >>= bits) {
            o->x[vector * o->jump + i * o->step] = input(t, (uint32_t)word & mask);
            if (++i == o->inner) i = 0, vector++;
        }
    }
}

enum { MAX_VECTOR = 64 /* bytes */ };

/* From local memory; `offset` is that of the first vector. */
static const char *gather_memory(const struct warp *w, const struct tile *t, const uint32_t *descriptor,
                                 uint64_t offset, const struct order *o)
{
    uint8_t bytes[MAX_VECTOR + 4] = {0};
    uint32_t size = o->inner * t->bits / 8, mask = t->bits == 32 ? ~0u : (1u << t->bits) - 1, word;
    uint64_t at = descriptor[TILE_ADDRESS] + offset;
    for (unsigned v = 0; v < o->vectors; v++, at += descriptor[TILE_STRIDE]) {
        if (!is_local(at) || !is_local(at + size - 1)) return "mma64 with wg = 1 and a matrix outside local memory";
        guest_read(w->group->sm, at, bytes, size);
        for (unsigned i = 0; i < o->inner; i++) {
            memcpy(&word, bytes + i * t->bits / 8, sizeof word);
            o->x[v * o->jump + i * o->step] = input(t, word >> i * t->bits % 8 & mask);
        }
    }
    return NULL;
}

static void gather_c(const struct warp *w, const struct tile *t, union number *c)
{
    struct fp_env env = {FP_RNE, 0};
    for (unsigned i = 0; i < (unsigned)t->m * t->n; i++) {
        unsigned e = element_c(t, i / t->n, i % t->n);
        if (t->half) c[i].u = (uint32_t)fp_convert(FP_F32, FP_F16, *word_of(w, t, t->c, e / 2) >> (e % 2 * 16), &env);
        else c[i].u = *word_of(w, t, t->c, e);
    }
}

static const char *gather(const struct warp *w, const struct tile *t, const struct insn *in, struct matrices *x)
{
    unsigned M = t->m, N = t->n, K = t->k;
    const struct order a = t->a_col ? (struct order){x->a, K, M, K, 1} : (struct order){x->a, M, K, 1, K};
    const struct order b = t->b_row ? (struct order){x->b, N, K, N, 1} : (struct order){x->b, K, N, 1, N};
    const uint32_t *in_a = w->v[in->rs1], *in_b = w->v[in->rs2];
    uint64_t row = (uint64_t)(w->wid % TILE_GROUP) * M, own = t->a_col ? row * t->bits / 8 : row * in_a[TILE_STRIDE];
    const char *why = NULL;
    if (t->b_memory) why = gather_memory(w, t, in_b, 0, &b);
    else gather_registers(w, t, in->rs2, t->words_b, &b);
    if (!why && t->a_memory) why = gather_memory(w, t, in_a, own, &a);
    else if (!why) gather_registers(w, t, in->rs1, t->words_a, &a);
    if (!why) gather_c(w, t, x->c);
    return why;
}

/* ---- multiply: results into x->c ---- */

/* k ascending, every product and every sum rounded to binary32 by the host, whose mode is the tile's. Not
 * inlined, so that no arithmetic moves across the change of that mode. */
__attribute__((noinline)) static void multiply_float(const struct tile *t, struct matrices *x)
{
    unsigned M = t->m, N = t->n, K = t->k;
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
    unsigned M = t->m, N = t->n, K = t->k;
    struct fp_env env = {t->round, 0};
    for (unsigned i = 0; i < M * N; i++)
        for (unsigned k = 0; k < K; k++)
            x->c[i].u = (uint32_t)fp_fma(FP_F32, x->a[i / N * K + k].u, x->b[k * N + i % N].u, x->c[i].u, &env);
    return env.flags;
}

/* The exact sum, then wrapped or saturated. The product of single bits is their AND. */
static void multiply_integer(const struct tile *t, struct matrices *x)
{
    unsigned M = t->m, N = t->n, K = t->k;
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
    if (type_of(t)->class != FLOAT) {
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
    for (unsigned i = 0; i < (unsigned)t->m * t->n; i++) x->c[i].u = finish(t, x->c[i].u);
}

/* ---- scatter ---- */

/* Words of the group that hold no element of the tile become 0. */
static void scatter(struct warp *w, const struct tile *t, const struct insn *in, const struct matrices *x)
{
    unsigned N = t->n, words = t->words_c;
    uint32_t out[TILE_MAX_RESULTS] = {0}, active = active_lanes(w, in);
    for (unsigned i = 0; i < t->m * N; i++) {
        unsigned e = element_c(t, i / N, i % N);
        if (t->half) out[e / 2] |= x->c[i].u << (e % 2 * 16);
        else out[e] = x->c[i].u;
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
    if (t->registers > w->group->launch->vgprs) return "matrix beyond the vector registers of the launch";
    if (any_warp) return NULL;
    if (w->vl != ISA_LANES) return "matrix instruction with vl other than 32";
    if (w->vstart) return "matrix instruction with vstart other than 0";
    return w->active == UINT32_MAX ? NULL : "matrix instruction with inactive lanes";
}

const char *mma_execute(struct warp *w, const struct insn *in)
{
    struct tile t;
    struct matrices x;
    const char *why = isa_tile(in, w->group->launch->threads_per_warp, &t);
    if (!why) why = check_warp(w, &t, in);
    if (why) return why;
    if (t.fused) t.round = (uint8_t)w->frm;
    why = gather(w, &t, in, &x);
    if (why) return why;
    multiply(w, &t, &x);
    scatter(w, &t, in, &x);
    return NULL;
}
