/* What one instruction does, collected from the machine's hooks.
 *
 * Hooks see an instruction three times: before it, at each memory access, and after it. Memory operands
 * are copied when they are announced, because an instruction may overwrite its own address register. Called by the
 * writers of traces (trace.c) and by cosim/, which compares a design with it. */
#include <string.h>

#include "trace/trace.h"

/* The registers that a store takes its data from; they may be gone afterwards (sc.w writes its destination). What an
 * atomic writes is what memory holds afterwards. */
static void copy_store_data(struct event *e, const struct warp *w, const struct insn *in, const struct isa_memory *m)
{
    unsigned reg = (unsigned)isa_get(in, (enum operand_role)m->data);
    e->writes_memory = m->action == ACTION_STORE || m->action == ACTION_AMO || m->action == ACTION_SC;
    for (unsigned k = 0; k < m->words && m->action == ACTION_STORE; k++) {
        if (m->address == ADDRESS_SCALAR) e->data[k][0] = w->x[reg + k];
        else memcpy(e->data[k], w->v[reg + k], sizeof e->data[k]);
    }
}

/* Where results go. Nothing is written of lanes of which none is active, nothing to x0, nor to a pair there, while the
 * words of a load go on behind it. */
static void find_results(struct event *e, const struct warp *w, const struct insn *in,
                         const struct isa_effects *effects)
{
    bool no_lane = isa_table[in->op].kind == KIND_V2X && !w->active;
    bool is_result = effects->writes >> ROLE_RD & 1 && !no_lane, is_vector = effects->vectors >> ROLE_RD & 1;
    e->results = is_result ? effects->count[ROLE_RD] : 1;
    e->to_vector = is_result && is_vector;
    e->to_scalar = is_result && !is_vector && (in->rd || effects->memory.words > 1);
}

void trace_event_begin(struct event *e, const struct warp *w, const struct insn *in)
{
    uint32_t words[ISA_MAX_WORDS] = {0};
    size_t n = warp_code(w, w->pc, words), size = in->size / 4u;
    memset(e->words, 0, sizeof e->words);
    memcpy(e->words, words, 4 * (n < size ? n : size));
    e->effects = isa_effects(in, w->group->launch->threads_per_warp);
    e->mask = w->mask;
    e->depth = w->depth;
    e->lanes = in->vm ? w->active : w->active & warp_v0(w);
    e->accesses = 0;
    find_results(e, w, in, &e->effects);
    copy_store_data(e, w, in, &e->effects.memory);
}

void trace_event_access(struct event *e, const struct access *access)
{
    if (e->accesses == EVENT_WORDS) return;
    unsigned k = e->accesses++;
    e->access[k] = *access;
    if (!access->high) return;
    memcpy(e->high[k], access->high, sizeof e->high[k]);
    e->access[k].high = e->high[k];
}

static uint64_t address(const struct access *a, unsigned lane)
{
    return a->addr[lane] | (a->high ? (uint64_t)a->high[lane] << 32 : 0);
}

/* The next lane that takes part and has the same address, or ISA_LANES. */
static unsigned next_sharing(const struct access *a, unsigned lane)
{
    for (unsigned other = lane + 1; other < ISA_LANES; other++)
        if ((a->lanes >> other & 1) && address(a, other) == address(a, lane)) return other;
    return ISA_LANES;
}

/* What each lane of an atomic wrote: what the next lane with its word found there, or what is there now.
 * Conditional stores that failed show the word too. */
static void read_back(struct event *e, const struct warp *w, const struct insn *in)
{
    const struct access *a = &e->access[0];
    for (uint32_t left = a->lanes ? a->lanes : 1; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), other = next_sharing(a, lane);
        bool found = isa_memory(in).action == ACTION_AMO && other < ISA_LANES;
        const void *p = found ? &w->v[in->rd][other] : warp_memory(w, address(a, lane), 4);
        if (p) memcpy(&e->data[0][lane], p, 4);
    }
}

void trace_event_end(struct event *e, const struct warp *w, uint32_t pc, const struct insn *in)
{
    e->w = w;
    e->insn = in;
    e->pc = pc;
    if (e->accesses && e->access[0].atomic && e->writes_memory) read_back(e, w, in);
}
