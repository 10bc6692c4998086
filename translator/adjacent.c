/* Which loads of a block find adjacent bytes (adjacent.h). */
#include "translator/adjacent.h"

static bool is_like(const struct node *n, const struct node *first)
{
    const struct isa_memory *m = &n->effects.memory;
    bool lanes = n->how == HOW_LOAD && m->action == ACTION_LOAD && m->address == ADDRESS_LANES && m->words == 1;
    return lanes && n->d.in.vm && n->d.in.rs1 == first->d.in.rs1;
}

/* Behind it loads are made no earlier. */
static bool stops(const struct flow *flow, const struct node *n, unsigned base)
{
    if (n->how != HOW_ROW && n->how != HOW_LOAD && n->how != HOW_CSR && n->how != HOW_NOTHING) return true;
    struct isa_registers written = node_written(flow, n);
    return written.v[base / 64] >> (base % 64) & 1;
}

static bool is_within(const struct node *n, int32_t imm)
{
    int32_t offset = n->d.in.imm - imm, size = n->effects.memory.size;
    return offset >= 0 && offset + size <= ADJACENT_BYTES && offset % size == 0;
}

bool adjacent_has(const struct adjacent *set, const struct node *n)
{
    return set->first && n >= set->first && n < set->end && is_like(n, set->first) && is_within(n, set->imm);
}

struct adjacent adjacent_find(const struct flow *flow, const struct block *block, const struct node *n)
{
    const struct node *end = &flow->nodes[block->first + block->count];
    int32_t least = n->d.in.imm + n->effects.memory.size - ADJACENT_BYTES, last = n->d.in.imm + n->effects.memory.size;
    struct adjacent set = {.first = n, .end = n, .imm = n->d.in.imm};
    if (!is_like(n, n)) return (struct adjacent){0};
    for (bool more = true; more && set.end < end; set.end++) {
        more = !stops(flow, set.end, n->d.in.rs1);
        if (is_like(set.end, n) && set.end->d.in.imm >= least && set.end->d.in.imm < set.imm)
            set.imm = set.end->d.in.imm;
    }
    for (const struct node *other = n; other < set.end; other++) {
        int32_t behind = other->d.in.imm + other->effects.memory.size;
        if (!adjacent_has(&set, other)) continue;
        set.count++;
        if (behind > last) last = behind;
    }
    set.words = last - set.imm <= 4 ? 1 : last - set.imm <= 8 ? 2 : 4;
    return adjacent_has(&set, n) && set.count > 1 ? set : (struct adjacent){0};
}
