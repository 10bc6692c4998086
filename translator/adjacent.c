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

static bool is_within(const struct node *n, const struct adjacent *set)
{
    int32_t offset = n->d.in.imm - set->imm, size = n->effects.memory.size;
    return offset >= 0 && offset + size <= set->bytes && offset % size == 0;
}

bool adjacent_has(const struct adjacent *set, const struct node *n)
{
    return set->first && n >= set->first && n < set->end && is_like(n, set->first) && is_within(n, set);
}

/* Where a set may end that begins with n. `least`: loads of fewer bytes behind the address are none of it. */
static struct adjacent find_end(const struct flow *flow, const struct block *block, const struct node *n, int32_t least)
{
    const struct node *end = &flow->nodes[block->first + block->count];
    struct adjacent set = {.first = n, .end = n, .imm = n->d.in.imm, .bytes = ADJACENT_BYTES};
    for (bool more = true; more && set.end < end; set.end++) {
        more = !stops(flow, set.end, n->d.in.rs1);
        if (is_like(set.end, n) && set.end->d.in.imm >= least && set.end->d.in.imm < set.imm)
            set.imm = set.end->d.in.imm;
    }
    return set;
}

/* Counts its loads. Returns where the last byte is. */
static int32_t count_loads(struct adjacent *set)
{
    int32_t last = set->imm;
    for (const struct node *n = set->first; n < set->end; n++) {
        int32_t behind = n->d.in.imm + n->effects.memory.size;
        if (!adjacent_has(set, n)) continue;
        set->count++;
        if (behind > last) last = behind;
    }
    return last;
}

static struct adjacent if_several(struct adjacent set)
{
    return adjacent_has(&set, set.first) && set.count > 1 ? set : (struct adjacent){0};
}

struct adjacent adjacent_find(const struct flow *flow, const struct block *block, const struct node *n)
{
    if (!is_like(n, n)) return (struct adjacent){0};
    struct adjacent set = find_end(flow, block, n, n->d.in.imm + n->effects.memory.size - ADJACENT_BYTES);
    int32_t bytes = count_loads(&set) - set.imm;
    set.words = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
    return if_several(set);
}

struct adjacent adjacent_in_step(const struct flow *flow, const struct block *block, const struct node *n,
                                 uint32_t step)
{
    if (!is_like(n, n)) return (struct adjacent){0};
    struct adjacent set = find_end(flow, block, n, n->d.in.imm);
    set.imm = (int32_t)((uint32_t)n->d.in.imm & ~(step - 1)), set.bytes = (int32_t)step;
    count_loads(&set);
    set.words = step / 4;
    return if_several(set);
}

struct adjacent adjacent_within(const struct flow *flow, const struct block *block, const struct node *n, uint32_t step)
{
    if (!is_like(n, n)) return (struct adjacent){0};
    struct adjacent set = find_end(flow, block, n, n->d.in.imm + n->effects.memory.size - (int32_t)step);
    set.bytes = (int32_t)step;
    count_loads(&set);
    set.words = 1;
    return if_several(set);
}
