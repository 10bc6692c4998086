/* Faults that change results. `imitate_before` keeps what the instruction is about to read or overwrite,
 * `imitate_result` puts into its register what the hardware would have written. Called by the hooks in quirks.c. */
#include <string.h>

#include "isa/effects.h"
#include "quirks/parts.h"

/* ---- which instructions ---- */

static bool is_min_max(unsigned op)
{
    return op == OP_FMIN_S || op == OP_FMAX_S || op == OP_VFMIN_VV || op == OP_VFMIN_VF || op == OP_VFMAX_VV ||
           op == OP_VFMAX_VF;
}

static bool is_root(unsigned op) { return op == OP_FSQRT_S || op == OP_VFSQRT_V; }

static bool is_division(unsigned op)
{
    return op == OP_FDIV_S || op == OP_VFDIV_VV || op == OP_VFDIV_VF || op == OP_VFRDIV_VF || is_root(op);
}

/* Loads of bytes and halves of the hardware's: others it does not decode. */
static bool is_narrow_load(const struct insn *in)
{
    const struct isa_memory m = isa_memory(in);
    return m.action == ACTION_LOAD && m.words == 1 && m.size < 4 && !m.is_long && m.address >= ADDRESS_SCALAR &&
           m.address <= ADDRESS_PRIVATE;
}

static bool is_move(unsigned op) { return op == OP_FMV_W_X || op == OP_FMV_X_W; }

static bool concerns(const struct quirks *q, const struct insn *in)
{
    return (quirks_has(q, QUIRK_REGEXTI_IMM) && in->prefix == OP_REGEXTI) ||
           (quirks_has(q, QUIRK_UNSIGNED_LOADS) && is_narrow_load(in)) ||
           (quirks_has(q, QUIRK_MIN_MAX) && is_min_max(in->op)) ||
           (quirks_has(q, QUIRK_DIVIDE) && is_division(in->op)) || (quirks_has(q, QUIRK_FMV) && is_move(in->op));
}

/* ---- before ---- */

/* Is this operand a vector register; its value in a lane. */
static bool is_vector(const struct insn *in, enum operand_role role)
{
    return isa_effects(in, ISA_LANES).vectors >> role & 1;
}

static void keep_operand(const struct warp *w, const struct insn *in, enum operand_role role, uint32_t to[ISA_LANES])
{
    const unsigned reg = (unsigned)isa_get(in, role);
    if (!isa_has((enum isa_op)in->op, role)) return;
    if (is_vector(in, role)) memcpy(to, w->v[reg], sizeof w->v[reg]);
    else
        for (unsigned lane = 0; lane < ISA_LANES; lane++) to[lane] = w->x[reg];
}

/* Of the highest lane, active or not; of a scalar load its own. Private memory is words of lanes: the low bits are
 * those of the offset. */
static uint32_t deciding_address(const struct warp *w, const struct insn *in)
{
    const uint32_t lane = w->group->launch->threads_per_warp - 1;
    return (is_vector(in, ROLE_RS1) ? w->v[in->rs1][lane] : w->x[in->rs1]) + (uint32_t)in->imm;
}

/* Five bits are left of the immediate. */
static int32_t five_bits(int32_t imm) { return (int32_t)((uint32_t)imm << 27) >> 27; }

void imitate_before(struct quirks *q, const struct warp *w, const struct insn *in)
{
    struct quirk_insn *now = &q->now;
    now->lanes = active_lanes(w, in);
    now->changes = concerns(q, in);
    if (!now->changes) return;
    keep_operand(w, in, ROLE_RD, now->old);
    keep_operand(w, in, ROLE_RS1, now->first);
    keep_operand(w, in, ROLE_RS2, now->second);
    now->imm = five_bits(in->imm);
    now->rerun = in->prefix == OP_REGEXTI && now->imm != in->imm && is_vector(in, ROLE_RD);
    if (is_narrow_load(in)) now->at = deciding_address(w, in);
}

/* ---- values ---- */

enum { SIGN_SHIFT = 31 };
#define MAGNITUDE UINT32_C(0x7fffffff)
#define INFINITE  UINT32_C(0x7f800000)
#define QUIET     UINT32_C(0x00400000)

static bool is_nan(uint32_t a) { return (a & MAGNITUDE) > INFINITE; }
static bool is_signalling(uint32_t a) { return is_nan(a) && !(a & QUIET); }
static bool is_ordinary(uint32_t a) { return (a & MAGNITUDE) && (a & MAGNITUDE) < INFINITE; }

static bool less(uint32_t a, uint32_t b)
{
    bool negative = a >> SIGN_SHIFT;
    if (is_nan(a) || is_nan(b) || !((a | b) & MAGNITUDE)) return false;
    if (negative != b >> SIGN_SHIFT) return negative;
    return negative ? a > b : a < b;
}

static uint32_t min_max(unsigned op, uint32_t a, uint32_t b)
{
    bool largest = op == OP_FMAX_S || op == OP_VFMAX_VV || op == OP_VFMAX_VF;
    if (is_signalling(a) || is_signalling(b)) return 0;
    return less(a, b) != largest ? a : b;
}

/* Results without rounding are right. */
static uint32_t divided(unsigned op, uint32_t first, uint32_t second, unsigned round, uint32_t right)
{
    if (op == OP_FSQRT_S) second = first;
    if (is_root(op)) return is_ordinary(second) && !(second >> SIGN_SHIFT) ? quirk_root(second, round) : right;
    if (!is_ordinary(first) || !is_ordinary(second)) return right;
    bool forward = op == OP_FDIV_S || op == OP_VFRDIV_VF; /* of vectors, vs2 is divided by vs1 */
    return forward ? quirk_quotient(first, second, round) : quirk_quotient(second, first, round);
}

/* The last byte or half of a word is taken for an unsigned one. */
static uint32_t loaded(const struct insn *in, uint32_t at, uint32_t value)
{
    const unsigned size = isa_memory(in).size, above = 32 - 8 * size;
    const uint32_t bits = value << above;
    return (at & 3 & ~(size - 1)) == 4 - size ? bits >> above : (uint32_t)((int32_t)bits >> above);
}

/* What the hardware leaves instead of `right`. */
static uint32_t imitated(struct quirks *q, const struct warp *w, const struct insn *in, unsigned lane, uint32_t right,
                         enum quirk *which)
{
    const struct quirk_insn *now = &q->now;
    const uint32_t first = now->first[lane], second = now->second[lane];
    if (quirks_has(q, QUIRK_FMV) && is_move(in->op)) return *which = QUIRK_FMV, now->old[0];
    if (quirks_has(q, QUIRK_MIN_MAX) && is_min_max(in->op))
        return *which = QUIRK_MIN_MAX, min_max(in->op, first, second);
    if (quirks_has(q, QUIRK_DIVIDE) && is_division(in->op))
        return *which = QUIRK_DIVIDE, divided(in->op, first, second, w->frm, right);
    if (quirks_has(q, QUIRK_UNSIGNED_LOADS) && is_narrow_load(in))
        return *which = QUIRK_UNSIGNED_LOADS, loaded(in, now->at, right);
    return right;
}

/* ---- results ---- */

static void acted(struct quirks *q, enum quirk which)
{
    q->total[which]++;
    q->launch[which]++;
}

/* Executes the instruction once more, with another immediate. */
static void run_again(struct quirks *q, struct warp *w, uint32_t pc, const struct insn *in)
{
    uint32_t words[ISA_MAX_WORDS], right[ISA_LANES];
    struct decoded d;
    memcpy(right, w->v[in->rd], sizeof right);
    code_decode(q->gpu, words, warp_code(w, pc, words), &d);
    d.in.imm = q->now.imm;
    memcpy(w->v[in->rd], q->now.old, sizeof right);
    exact_run(w, &d, pc + in->size - 4);
    if (memcmp(right, w->v[in->rd], sizeof right) != 0) acted(q, QUIRK_REGEXTI_IMM);
}

static void change_result(struct quirks *q, struct warp *w, const struct insn *in)
{
    enum quirk which = QUIRKS;
    bool changed = false;
    if (!is_vector(in, ROLE_RD)) {
        const uint32_t value = imitated(q, w, in, 0, w->x[in->rd], &which);
        changed = in->rd && value != w->x[in->rd];
        if (changed) w->x[in->rd] = value;
    }
    for (uint32_t left = is_vector(in, ROLE_RD) ? q->now.lanes : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint32_t value = imitated(q, w, in, lane, w->v[in->rd][lane], &which);
        changed |= value != w->v[in->rd][lane];
        w->v[in->rd][lane] = value;
    }
    if (changed) acted(q, which);
}

/* Of all registers that the instruction has written. */
static void clear_inactive(struct quirks *q, struct warp *w, const struct insn *in)
{
    const struct isa_effects e = isa_effects(in, w->group->launch->threads_per_warp);
    const uint32_t rest = w->lanes & ~q->now.lanes;
    uint32_t held = 0;
    if (!rest || !(e.writes & e.vectors & 1 << ROLE_RD)) return;
    for (unsigned reg = in->rd; reg < in->rd + e.count[ROLE_RD] && reg < w->group->launch->vgprs; reg++)
        for (uint32_t left = rest; left; left &= left - 1) {
            uint32_t *value = &w->v[reg][__builtin_ctz(left)];
            held |= *value;
            *value = 0;
        }
    if (held) acted(q, QUIRK_INACTIVE_LANES);
}

void imitate_result(struct quirks *q, struct warp *w, uint32_t pc, const struct insn *in)
{
    if (q->now.changes && q->now.rerun) run_again(q, w, pc, in);
    if (q->now.changes) change_result(q, w, in);
    if (quirks_has(q, QUIRK_INACTIVE_LANES)) clear_inactive(q, w, in);
}
