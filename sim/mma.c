/* Matrix multiply-accumulate: every row is one `struct tile` (isa/tile.h) and three steps: gather A, B and C from
 * the registers, multiply, scatter D. Called by engines. */
#include "sim/mma.h"

#include <string.h>

#include "isa/tile.h"
#include "sim/lane.h"
#include "sim/layout.h"
#include "sim/machine.h"
#include "sim/softfp.h"

enum class { FLOAT, SIGNED, BINARY };
#define NEVER UINT32_MAX

/* How bits encode an element. For a FLOAT: the place of the sign, the bits of the magnitude, how much further left
 * binary32 has them, the difference of the exponents' biases, and the magnitude from which on it is no finite number
 * though binary32 would make it one. */
struct type {
    uint8_t class, sign, shift;
    uint32_t magnitude, special;
    float scale;
};
static const struct type types[TILE_ELEMENTS] = {
    [TILE_TF32] = {FLOAT, 31, 0, 0x7fffe000, NEVER, 1},
    [TILE_F16] = {FLOAT, 15, 13, 0x7fff, 0x7c00, 0x1p112f},
    [TILE_BF16] = {FLOAT, 15, 16, 0x7fff, NEVER, 1},
    [TILE_E4M3] = {FLOAT, 7, 20, 0x7f, 0x7f, 0x1p120f},
    [TILE_E5M2] = {FLOAT, 7, 21, 0x7f, 0x7c, 0x1p112f},
    [TILE_S8] = {.class = SIGNED},
    [TILE_S4] = {.class = SIGNED},
    [TILE_B1] = {.class = BINARY},
    [TILE_E3M2] = {FLOAT, 5, 21, 0x1f, NEVER, 0x1p124f},
    [TILE_E2M3] = {FLOAT, 5, 20, 0x1f, NEVER, 0x1p126f},
    [TILE_E2M1] = {FLOAT, 3, 22, 0x7, NEVER, 0x1p126f},
    [TILE_E3M0] = {FLOAT, 3, 23, 0x7, NEVER, 0x1p124f},
    [TILE_F32] = {FLOAT, 31, 0, 0x7fffffff, NEVER, 1},
};

static const struct type *type_of(const struct tile *t) { return &types[t->element]; }

/* ---- four numbers at a time, or twice four; arrays have room for as many behind their end ---- */

enum { FOUR = 4, EIGHT = 8 };
typedef uint32_t words __attribute__((vector_size(4 * FOUR)));
typedef int32_t ints __attribute__((vector_size(4 * FOUR)));
typedef float floats __attribute__((vector_size(4 * FOUR)));

/* Elements of 32 bits: binary32, or integers. */
struct matrices {
    uint32_t a[TILE_MAX_INPUTS + EIGHT];  /* a[m * K + k] */
    uint32_t b[TILE_MAX_INPUTS + EIGHT];  /* b[k * N + n] */
    uint32_t c[TILE_MAX_RESULTS + EIGHT]; /* c[m * N + n] */
};

/* Converts small floats to binary32 exactly, but for the bits of a NaN. */
static void to_binary32(const struct type *type, uint32_t *x, unsigned count)
{
    for (unsigned i = 0; i < count; i += FOUR) {
        words bits, magnitude, value, special;
        memcpy(&bits, x + i, sizeof bits);
        magnitude = bits & type->magnitude;
        special = (words)(magnitude >= type->special);
        magnitude <<= type->shift;
        value = (words)((floats)magnitude * type->scale);
        value = (value & ~special) | ((magnitude | 0x7f800000) & special) | (bits >> type->sign & 1) << 31;
        memcpy(x + i, &value, sizeof value);
    }
}

static void extend_sign(unsigned bits, uint32_t *x, unsigned count)
{
    for (unsigned i = 0; i < count; i++) x[i] = (uint32_t)((int32_t)(x[i] << (32 - bits)) >> (32 - bits));
}

/* Unpacks elements of a constant number of bits. */
static inline __attribute__((always_inline)) void unpack_as(const uint32_t *packed, unsigned count, uint32_t *out,
                                                            const unsigned bits)
{
    for (unsigned i = 0; i < count; i += 32 / bits, packed++)
        for (unsigned part = 0; part < 32 / bits; part++) *out++ = *packed << (32 - bits - part * bits) >> (32 - bits);
}

/* Unpacks whole words: up to 31 elements more than `count`. */
static void unpack(const uint32_t *packed, unsigned bits, unsigned count, uint32_t *out)
{
    switch (bits) {
    case 1: unpack_as(packed, count, out, 1); break;
    case 4: unpack_as(packed, count, out, 4); break;
    case 8: unpack_as(packed, count, out, 8); break;
    case 16: unpack_as(packed, count, out, 16); break;
    default: memcpy(out, packed, count * sizeof *out);
    }
}

/* ---- gather ---- */

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/* Reads the first words of the group at `base`; 0 where the warp has no lane, since engines may write anything there.
 */
static void read_group(const struct warp *w, const struct tile *t, unsigned base, unsigned count, uint32_t *out)
{
    unsigned lanes = (unsigned)__builtin_popcount(w->lanes);
    memset(out, 0, count * sizeof *out);
    for (unsigned i = 0; i < count; i += t->lanes) memcpy(out + i, w->v[base++], smaller(lanes, count - i) * 4);
}

/* How A or B lies: vectors (its rows or columns) of `inner` elements side by side. Element i of vector v goes to
 * x[v + i * step], or to x[v * inner + i] with a step of 1. */
struct order {
    uint32_t *x;
    unsigned vectors, inner, step;
};

enum { MAX_VECTOR = 64 /* bytes */, ROOM = 32 /* for what unpack writes behind the end */ };

/* Reads from local memory; `offset` is that of the first vector. */
static const char *read_memory(const struct warp *w, const struct tile *t, const uint32_t *descriptor, uint64_t offset,
                               const struct order *o, uint32_t *elements)
{
    uint32_t packed[MAX_VECTOR / 4] = {0}, size = o->inner * t->bits / 8;
    uint64_t at = descriptor[TILE_ADDRESS] + offset;
    for (unsigned v = 0; v < o->vectors; v++, at += descriptor[TILE_STRIDE]) {
        if (!is_local(at) || !is_local(at + size - 1)) return "mma64 with wg = 1 and a matrix outside local memory";
        guest_read(w->group->sm, at, packed, size);
        unpack(packed, t->bits, o->inner, elements + v * o->inner);
    }
    return NULL;
}

static void read_registers(const struct warp *w, const struct tile *t, unsigned base, unsigned count,
                           uint32_t *elements)
{
    uint32_t packed[TILE_MAX_INPUTS];
    read_group(w, t, base, count, packed);
    unpack(packed, t->bits, count * 32 / t->bits, elements);
}

static void place(const struct tile *t, const struct order *o, uint32_t *elements)
{
    unsigned count = o->vectors * o->inner;
    if (type_of(t)->class == FLOAT) to_binary32(type_of(t), elements, count);
    if (type_of(t)->class == SIGNED) extend_sign(t->bits, elements, count);
    if (o->step == 1) memcpy(o->x, elements, count * sizeof *elements);
    for (unsigned v = 0; v < o->vectors && o->step != 1; v++)
        for (unsigned i = 0; i < o->inner; i++) o->x[v + i * o->step] = *elements++;
}

/* Reorders C, which has 16 or 32 bits for each element, from the order in its group to that of rows, or back. */
static void order_c(const struct tile *t, uint32_t *rows, uint32_t *group, bool back)
{
    for (unsigned n = 0; n < t->n; n += t->block)
        for (unsigned m = 0; m < t->m; m++, group += t->block) {
            uint32_t *row = rows + m * t->n + n;
            memcpy(back ? group : row, back ? row : group, smaller(t->block, t->n - n) * 4);
        }
}

static void gather_c(const struct warp *w, const struct tile *t, uint32_t *c)
{
    uint32_t packed[TILE_MAX_RESULTS], elements[TILE_MAX_RESULTS + ROOM];
    unsigned count = t->words_c * (t->half ? 2u : 1u);
    read_group(w, t, t->c, t->words_c, packed);
    unpack(packed, t->half ? 16 : 32, count, elements);
    if (t->half) to_binary32(&types[TILE_F16], elements, count);
    order_c(t, c, elements, false);
}

static const char *gather(const struct warp *w, const struct tile *t, const struct insn *in, struct matrices *x)
{
    unsigned M = t->m, N = t->n, K = t->k;
    const struct order a = t->a_col ? (struct order){x->a, K, M, K} : (struct order){x->a, M, K, 1};
    const struct order b = t->b_col ? (struct order){x->b, N, K, N} : (struct order){x->b, K, N, 1};
    const uint32_t *in_a = w->v[in->rs1], *in_b = w->v[in->rs2];
    uint64_t row = (uint64_t)(w->wid % TILE_GROUP) * M, own = t->a_col ? row * t->bits / 8 : row * in_a[TILE_STRIDE];
    uint32_t elements[2][TILE_MAX_INPUTS + ROOM];
    const char *why = NULL;
    if (t->b_memory) why = read_memory(w, t, in_b, 0, &b, elements[1]);
    else read_registers(w, t, in->rs2, t->words_b, elements[1]);
    if (!why && t->a_memory) why = read_memory(w, t, in_a, own, &a, elements[0]);
    else if (!why) read_registers(w, t, in->rs1, t->words_a, elements[0]);
    if (why) return why;
    place(t, &a, elements[0]);
    place(t, &b, elements[1]);
    gather_c(w, t, x->c);
    return NULL;
}

/* ---- multiply: results into x->c ---- */

/* Adds with k ascending; the host, whose rounding mode is the tile's, rounds every product and every sum to binary32.
 * The function is not inlined, so that no arithmetic moves across the change of that mode. */
__attribute__((noinline)) static void multiply_float(const struct tile *t, struct matrices *x)
{
    for (unsigned m = 0; m < t->m; m++)
        for (unsigned n = 0; n < t->n; n += EIGHT) {
            uint32_t *c = x->c + m * t->n + n;
            const uint32_t *a = x->a + m * t->k, *b = x->b + n;
            floats sum[2], right[2];
            memcpy(sum, c, sizeof sum);
            for (unsigned k = 0; k < t->k; k++, b += t->n) {
                floats left = (floats)(a[k] - (words){0});
                memcpy(right, b, sizeof right);
                sum[0] += left * right[0];
                sum[1] += left * right[1];
            }
            memcpy(c, sum, smaller(EIGHT, t->n - n) * sizeof *c);
        }
}

/* Rounds once for each k. Returns the flags raised. */
static unsigned multiply_fused(const struct tile *t, struct matrices *x)
{
    unsigned M = t->m, N = t->n, K = t->k;
    struct fp_env env = {t->round, 0};
    for (unsigned i = 0; i < M * N; i++)
        for (unsigned k = 0; k < K; k++)
            x->c[i] = (uint32_t)fp_fma(FP_F32, x->a[i / N * K + k], x->b[k * N + i % N], x->c[i], &env);
    return env.flags;
}

static uint32_t add(const struct tile *t, uint32_t a, int32_t b)
{
    int64_t sum = (int64_t)(int32_t)a + b;
    if (t->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* Computes the exact sum, which 32 bits hold without C, and wraps or saturates it. The product of single bits is
 * their AND. */
static void multiply_integer(const struct tile *t, struct matrices *x)
{
    for (unsigned m = 0; m < t->m; m++)
        for (unsigned n = 0; n < t->n; n += FOUR) {
            ints sum = {0}, right;
            for (unsigned k = 0; k < t->k; k++) {
                memcpy(&right, x->b + k * t->n + n, sizeof right);
                sum += (int32_t)x->a[m * t->k + k] * right;
            }
            for (unsigned i = 0; i < FOUR && n + i < t->n; i++) {
                uint32_t *c = &x->c[m * t->n + n + i];
                *c = add(t, *c, sum[i]);
            }
        }
}

/* max(x, 0) as everywhere: 0 for NaN and -0. */
static uint32_t relu(uint32_t x) { return x >> 31 || x > 0x7f800000 ? 0 : x; }

/* Converts binary32 to what the register gets: f16, or binary32 with the canonical NaN. */
static uint32_t finish(const struct tile *t, uint32_t x)
{
    if (t->relu) x = relu(x);
    if (t->half && t->round == FP_RNE) return f_to_f16(x);
    if (t->half) {
        struct fp_env env = {t->round, 0};
        return (uint32_t)fp_convert(FP_F16, FP_F32, x, &env);
    }
    return f_canon(x);
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
    for (unsigned i = 0; i < (unsigned)t->m * t->n; i++) x->c[i] = finish(t, x->c[i]);
}

/* ---- scatter ---- */

/* Words of the group that hold no element of the tile become 0. */
static void scatter(struct warp *w, const struct tile *t, const struct insn *in, struct matrices *x)
{
    uint32_t out[TILE_MAX_RESULTS] = {0}, active = active_lanes(w, in);
    order_c(t, x->c, out, true);
    for (unsigned i = 0; i < t->words_c && t->half; i++) out[i] = out[2 * i] | out[2 * i + 1] << 16;
    for (unsigned i = 0, r = in->rd; i < t->words_c; i += t->lanes, r++)
        for (unsigned lane = 0; lane < smaller(t->words_c - i, t->lanes); lane++)
            if (active >> lane & 1) w->v[r][lane] = out[i + lane];
}

/* Returns why mma or mma64 cannot run in the warp; the test words and vftta.vv run in any. */
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
    const char *why =
        isa_tile(in, (enum isa_profile)w->group->sm->gpu->config.profile, w->group->launch->threads_per_warp, &t);
    if (!why) why = check_warp(w, &t, in);
    if (why) return why;
    if (t.fused) t.round = (uint8_t)w->frm;
    why = gather(w, &t, in, &x);
    if (why) return why;
    multiply(w, &t, &x);
    scatter(w, &t, in, &x);
    return NULL;
}
