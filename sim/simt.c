/* The SIMT stack says which lanes run and where the others wait (ISA notes 5; docs/machine.md draws it).
 *
 * Invariant: the masks of waiting lanes and the current mask are disjoint subsets of w->lanes,
 * except that a reconvergence entry covers everything above it. Engines, csr.c and group.c call it. */
#include <string.h>

#include "sim/machine.h"

/* The bit of each lane. With a table the compiler does four lanes at a time on any host. */
#define FOUR(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
static const uint32_t lane_bit[ISA_LANES] = {FOUR(0),  FOUR(4),  FOUR(8),  FOUR(12),
                                             FOUR(16), FOUR(20), FOUR(24), FOUR(28)};

void warp_set_mask(struct warp *w, uint32_t mask)
{
    w->mask = mask & w->lanes;
    const uint32_t active = w->vl >= ISA_LANES ? w->mask : w->mask & ((1u << w->vl) - 1);
    w->active = active;
    if (active == ~0u) {
        w->nactive = ISA_LANES;
        memset(w->expand, 0xff, sizeof w->expand);
        return;
    }
    w->nactive = (uint32_t)__builtin_popcount(active);
    for (uint32_t i = 0; i < ISA_LANES; i++) w->expand[i] = active & lane_bit[i] ? ~0u : 0;
}

static bool taken_first(uint32_t taken, uint32_t rest, enum path_order order)
{
    if (order == PATH_TAKEN_FIRST) return true;
    if (order == PATH_FALLTHROUGH_FIRST) return false;
    return __builtin_popcount(taken) <= __builtin_popcount(rest); /* in a tie the target runs first */
}

bool simt_branch(struct warp *w, uint32_t taken, uint32_t target, uint32_t next, enum path_order order, uint32_t *pc)
{
    struct counters *counters = &w->group->counters;
    uint32_t rest = w->mask & ~taken;
    counters->branches++;
    if (!taken || !rest) {
        *pc = taken ? target : next;
        return true;
    }
    if (w->depth + 2 > SIMT_DEPTH) return false;
    counters->divergent++;

    bool first = taken_first(taken, rest, order);
    w->stack[w->depth++] = (struct simt_entry){w->rpc, w->rpc, w->mask};
    w->stack[w->depth++] = (struct simt_entry){w->rpc, first ? next : target, first ? rest : taken};
    if (w->depth > counters->max_simt_depth) counters->max_simt_depth = w->depth;
    warp_set_mask(w, first ? taken : rest);
    *pc = first ? target : next;
    return true;
}

uint32_t simt_join(struct warp *w, uint32_t at, uint32_t next)
{
    if (!w->depth || w->stack[w->depth - 1].rpc != at) return next;
    struct simt_entry e = w->stack[--w->depth];
    warp_set_mask(w, e.mask);
    return e.pc;
}
