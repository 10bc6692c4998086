/* Rows on all lanes (lanes.h): loops over the table's expressions, which the compiler vectorises.
 *
 * The build compiles this file for each host instruction set; LANES_NAME is the name of its table. Engines call the
 * functions. */
#include "sim/lanes.h"

#define LANE_DIVIDE
#include "sim/access.h"
#include "sim/lane.h"
#include "sim/rows.h"

/* A row's expression for one lane. */
typedef uint32_t value_fn(uint32_t vs2, uint32_t vs1, uint32_t vd, uint32_t rs1, uint32_t imm, uint32_t mask_bit,
                          uint32_t lane);

NOINLINE void expand_mask(uint32_t lanes, uint32_t *words) { LANE_LOOP words[lane] = 0u - (lanes >> lane & 1); }

/* When all lanes that exist are active, the loop writes the others, too: nobody sees them. The number of a scalar rs1
 * may be that of no register of `v`: then vs1 is rs2's, which is there. */
INLINE void run_lanes(struct warp *w, const struct insn *in, bool is_scalar, value_fn *value)
{
    const uint32_t *vs2 = w->v[in->rs2], *vs1 = is_scalar ? vs2 : w->v[in->rs1], *mask = w->expand;
    const uint32_t rs1 = is_scalar ? w->x[in->rs1] : 0;
    const uint32_t imm = (uint32_t)in->imm, v0 = warp_v0(w), lanes = active_lanes(w, in);
    uint32_t *vd = w->v[in->rd], words[ISA_LANES];
    if (lanes == w->lanes) {
        LANE_LOOP vd[lane] = value(vs2[lane], vs1[lane], vd[lane], rs1, imm, v0 >> lane & 1, lane);
        return;
    }
    if (!in->vm) expand_mask(lanes, words), mask = words;
    LANE_LOOP
    {
        uint32_t result = value(vs2[lane], vs1[lane], vd[lane], rs1, imm, v0 >> lane & 1, lane);
        vd[lane] = (result & mask[lane]) | (vd[lane] & ~mask[lane]);
    }
}

INLINE uint32_t run_branch(const struct warp *w, const struct insn *in, value_fn *condition)
{
    const uint32_t *vs2 = w->v[in->rs2], *vs1 = w->v[in->rs1];
    uint32_t taken = 0;
    LANE_LOOP taken |= condition(vs2[lane], vs1[lane], 0, 0, 0, 0, lane) << lane;
    return taken & w->mask;
}

/* The new word of an atomic from the old one and the operand. */
typedef uint32_t update_fn(uint32_t t, uint32_t s);

/* Replaces the word at p and returns the old one. */
INLINE uint32_t update(uint32_t *p, uint32_t operand, update_fn *next)
{
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, next(old, operand), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return old;
}

INLINE uint32_t run_atomic(struct sm *sm, struct warp *w, const struct insn *in, update_fn *next)
{
    uint32_t out[ISA_LANES], lanes = w->active, bad;
    flat_addresses(sm, w->v[in->rs1], 0);
    struct access *a = announce(sm, lanes, 4, true);
    if (lanes && w->group->observers) {
        a->atomic = true;
        a->high = NULL;
        observe_access(w, in, a);
    }
    if ((bad = off_word(a->addr, lanes))) return bad;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        out[lane] = update((uint32_t *)(sm->mem + a->addr[lane]), w->v[in->rs2][lane], next);
    }
    for (; lanes; lanes &= lanes - 1) w->v[in->rd][__builtin_ctz(lanes)] = out[__builtin_ctz(lanes)];
    if (sm->reservations->count) end_reservations_of_access(sm);
    return 0;
}

/* ---- the rows ---- */

#define ROW_V       ~, LANES
#define ROW_VV      ~, LANES
#define ROW_VX      ~, LANES_X
#define ROW_VI      ~, LANES
#define ROW_V1I     ~, LANES
#define ROW_VBRANCH ~, TAKEN
#define ROW_AMO     ~, ATOMIC

#define VALUE(id, expr) \
    INLINE uint32_t value_##id(uint32_t vs2, uint32_t vs1, uint32_t vd, uint32_t rs1, uint32_t imm, uint32_t mask_bit, \
                               uint32_t lane) \
    { \
        (void)vs2, (void)vs1, (void)vd, (void)rs1, (void)imm, (void)mask_bit, (void)lane; \
        return (uint32_t)(expr); \
    }
#define LANES_FROM(id, expr, is_scalar) \
    VALUE(id, expr) \
    static void lanes_##id(struct warp *w, const struct insn *in) { run_lanes(w, in, is_scalar, value_##id); }
#define LANES(id, expr)   LANES_FROM(id, expr, false)
#define LANES_X(id, expr) LANES_FROM(id, expr, true)
#define TAKEN(id, expr) \
    VALUE(id, expr) \
    static uint32_t taken_##id(const struct warp *w, const struct insn *in) { return run_branch(w, in, value_##id); }
#define ATOMIC(id, expr) \
    INLINE uint32_t update_##id(uint32_t t, uint32_t s) \
    { \
        (void)t; \
        return (uint32_t)(expr); \
    } \
    static uint32_t amo_##id(struct sm *sm, struct warp *w, const struct insn *in) \
    { \
        return run_atomic(sm, w, in, update_##id); \
    }

#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) ROW(kind)(id, expr)
#include "isa/insn.def"

#undef LANES
#undef LANES_X
#undef TAKEN
#undef ATOMIC
#define LANES(id, expr)   [OP_##id] = {.lanes = lanes_##id},
#define LANES_X(id, expr) [OP_##id] = {.lanes = lanes_##id},
#define TAKEN(id, expr)   [OP_##id] = {.taken = taken_##id},
#define ATOMIC(id, expr)  [OP_##id] = {.amo = amo_##id},

const struct lane_row LANES_NAME[DISPATCH_COUNT] = {
#include "isa/insn.def"
};
