/* Faults with which a launch never ends. The machine ends it where the hardware would stand still. Called by the hook
 * in quirks.c before each instruction. */
#include "isa/effects.h"
#include "isa/latency.h"
#include "quirks/parts.h"

/* In so many instructions of a warp, one after another, a warp mixes latencies that has all of them: a guess that holds
 * for all recorded launches. */
enum { NEAR = 4 };

static const char *atomics(const struct insn *in)
{
    const struct isa_memory m = isa_memory(in);
    return isa_is_atomic(&m) ? "atomics: the data cache never answers" : NULL;
}

/* vmv.x.s itself goes on; what needs its register does not. */
static const char *vmv_x_s(struct quirk_warp *kept, const struct insn *in)
{
    const struct isa_effects e = isa_effects(in, ISA_LANES);
    const uint64_t uses = isa_registers_read(in, &e).x | isa_registers_written(in, &e).x;
    if (kept->pending & uses) return "vmv-x-s: a register it needs is never written";
    if (in->op == OP_VMV_X_S || in->op == OP_VFMV_F_S) kept->pending |= (UINT64_C(1) << in->rd) & ~UINT64_C(1);
    return NULL;
}

/* Of the FPU's three latencies, that of an instruction; LATENCIES: it is not of the FPU. */
static unsigned fpu_latency(const struct insn *in)
{
    if (isa_table[in->op].unit != UNIT_FPU) return LATENCIES;
    switch (isa_execution((enum isa_op)in->op)) {
    case EXECUTION_CONVERT: return 0;
    case EXECUTION_FLOAT: return 1;
    case EXECUTION_FUSED: return 2;
    default: return LATENCIES;
    }
}

/* Has the warp mixed latencies, with this instruction? */
static bool mixes(struct quirk_warp *kept, unsigned latency)
{
    unsigned near = 0;
    for (unsigned i = 0; i < LATENCIES; i++) {
        if (i == latency) kept->left[i] = NEAR;
        else if (kept->left[i]) kept->left[i]--;
        near += kept->left[i] != 0;
    }
    return kept->mixed |= near == LATENCIES;
}

static const char *float_mix(struct quirks *q, const struct warp *w, struct quirk_warp *kept, const struct insn *in)
{
    const unsigned latency = fpu_latency(in);
    uint32_t warps = 0;
    if (!mixes(kept, latency) || latency == LATENCIES) return NULL;
    for (uint32_t i = 0; i < w->group->launch->warps; i++) warps += quirks_warp(q, w->group, i)->mixed;
    return warps > 1 ? "float-mix: the FPU loses a result of two warps' different latencies" : NULL;
}

const char *hang_before(struct quirks *q, const struct warp *w, const struct insn *in)
{
    struct quirk_warp *kept = quirks_warp(q, w->group, w->wid);
    const char *why = quirks_has(q, QUIRK_ATOMICS) ? atomics(in) : NULL;
    enum quirk which = QUIRK_ATOMICS;
    if (!why && quirks_has(q, QUIRK_VMV_X_S)) why = vmv_x_s(kept, in), which = QUIRK_VMV_X_S;
    if (!why && quirks_has(q, QUIRK_FLOAT_MIX)) why = float_mix(q, w, kept, in), which = QUIRK_FLOAT_MIX;
    if (!why) return NULL;
    q->total[which]++;
    q->launch[which]++;
    return why;
}
