/* What lanes record of the iterations of a loop nest (nest.h). A lane that leaves an iteration adds a few bits to its
 * record: which blocks it has executed, of each set of blocks that the same lanes execute, and which way it has gone at
 * a divergent branch where no block tells. How many lanes have a bit is all that is counted (nest_count.c).
 *
 * An iteration is an acyclic graph: its own blocks, and each loop in it as one node, by the number of its head. The
 * same lanes execute two blocks if one dominates the other and is postdominated by it. */
#include "translator/nest.h"

struct iteration {
    unsigned level;
    uint64_t next[NEST_BLOCKS];       /* of each node */
    uint64_t leave;                   /* nodes from which a way leaves the iteration */
    uint64_t dominators[NEST_BLOCKS]; /* of each node, with itself */
    uint64_t postdominators[NEST_BLOCKS];
};

static uint64_t bit(unsigned i) { return 1ull << i; }
static bool has(uint64_t set, unsigned i) { return set >> i & 1; }

/* The node that stands for a block in an iteration of a loop; NEST_NONE: the block is outside. */
static unsigned node_of(const struct nest *nest, unsigned level, unsigned block)
{
    unsigned k = nest->owner[block];
    if (k == level) return block;
    while (k != NEST_NONE && nest->levels[k].parent != level) k = nest->levels[k].parent;
    return k == NEST_NONE ? NEST_NONE : nest->levels[k].head;
}

static void add_edge(const struct translator *t, const struct nest *nest, struct iteration *g, unsigned from,
                     uint32_t pc)
{
    const struct nest_level *l = &nest->levels[g->level];
    const unsigned node = node_of(nest, g->level, from), number = nest_number(t, nest, pc);
    const unsigned to = pc == nest->exit ? NEST_NONE : node_of(nest, g->level, number);
    if (to == NEST_NONE || (number == l->head && has(l->body, from))) g->leave |= bit(node);
    else if (to != node) g->next[node] |= bit(to);
}

static uint64_t nodes_before(const struct iteration *g, unsigned node)
{
    uint64_t before = 0;
    for (unsigned i = 0; i < node; i++) before |= has(g->next[i], node) ? bit(i) : 0;
    return before;
}

/* Control goes forward in the order of numbers. */
static void find_dominators(struct iteration *g)
{
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        uint64_t before = nodes_before(g, i), all = before ? ~0ull : 0;
        for (; before; before &= before - 1) all &= g->dominators[__builtin_ctzll(before)];
        g->dominators[i] = all | bit(i);
    }
    for (unsigned i = NEST_BLOCKS; i-- > 0;) {
        uint64_t all = has(g->leave, i) ? 0 : ~0ull;
        for (uint64_t next = g->next[i]; next; next &= next - 1) all &= g->postdominators[__builtin_ctzll(next)];
        g->postdominators[i] = all | bit(i);
    }
}

/* Does control come from outside into an iteration, but to its head? */
static bool enters(const struct translator *t, const struct nest *nest, unsigned level, uint32_t pc)
{
    const unsigned to = pc == nest->exit ? NEST_NONE : nest_number(t, nest, pc);
    return to != NEST_NONE && to != nest->levels[level].head && node_of(nest, level, to) != NEST_NONE;
}

/* False: a block is reached from another iteration. */
static bool find_iteration(const struct translator *t, const struct nest *nest, unsigned level, struct iteration *g)
{
    *g = (struct iteration){.level = level};
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        uint32_t to[2];
        if (!has(nest->blocks, i)) continue;
        for (unsigned n = nest_successors(t, nest->head + i, to); n--;) {
            if (node_of(nest, level, i) != NEST_NONE) add_edge(t, nest, g, i, to[n]);
            else if (enters(t, nest, level, to[n])) return false;
        }
    }
    find_dominators(g);
    return true;
}

/* The first own block that the same lanes execute as a node; NEST_NONE: there is none in front of it. */
static unsigned equal_block(const struct nest *nest, const struct iteration *g, unsigned node)
{
    uint64_t before = g->dominators[node] & nest->levels[g->level].own & (bit(node) - 1);
    for (; before; before &= before - 1)
        if (has(g->postdominators[__builtin_ctzll(before)], node)) return (unsigned)__builtin_ctzll(before);
    return NEST_NONE;
}

static uint8_t new_bit(struct nest_level *l) { return l->nbits++; }

static void give_blocks_bits(struct nest *nest, const struct iteration *g)
{
    struct nest_level *l = &nest->levels[g->level];
    for (uint64_t own = l->own; own; own &= own - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(own), equal = equal_block(nest, g, i);
        nest->bit[i] = equal == NEST_NONE ? new_bit(l) : nest->bit[equal];
        if (equal == NEST_NONE) nest->marks |= bit(i);
    }
}

/* Does a block tell by its bit that lanes have gone there from a branch? */
static bool tells(const struct translator *t, const struct nest *nest, const struct iteration *g,
                  const struct nest_branch *b, uint32_t pc)
{
    const unsigned to = pc == nest->exit ? NEST_NONE : nest_number(t, nest, pc);
    return to != NEST_NONE && nest->owner[to] == g->level && to != nest->levels[g->level].head &&
           nodes_before(g, to) == bit(b->block) && nest->bit[to] != nest->bit[b->block];
}

/* Most lanes go on to another iteration: what they set in front of the branch costs them nothing behind it. */
static unsigned block_ahead(const struct translator *t, const struct nest *nest, const struct iteration *g,
                            const struct nest_branch *b)
{
    const uint32_t pc = b->goes_back[true] ? node_target(b->node) : node_next(b->node);
    if (!b->goes_back[true] && !b->goes_back[false]) return NEST_NONE;
    return tells(t, nest, g, b, pc) ? nest_number(t, nest, pc) : NEST_NONE;
}

static void give_branches_bits(const struct translator *t, struct nest *nest, const struct iteration *g)
{
    for (unsigned k = 0; k < nest->nbranches; k++) {
        struct nest_branch *b = &nest->branches[k];
        if (b->level != g->level) continue;
        b->tells = true;
        if (tells(t, nest, g, b, node_next(b->node))) b->tells = false;
        else b->marks = !tells(t, nest, g, b, node_target(b->node));
        if (b->marks && b->goes_back[true]) b->tells = false; /* lanes leave a loop but once */
        b->ahead = (uint8_t)block_ahead(t, nest, g, b);
        if (b->marks) b->bit = new_bit(&nest->levels[g->level]);
        else b->bit = nest->bit[nest_number(t, nest, b->tells ? node_target(b->node) : node_next(b->node))];
    }
}

bool nest_find_record(const struct translator *t, struct nest *nest)
{
    struct iteration g;
    for (unsigned k = 1; k < nest->nlevels; k++)
        nest->levels[k].child = nest->levels[nest->levels[k].parent].nchildren++;
    for (unsigned k = 0; k < nest->nlevels; k++) {
        if (!find_iteration(t, nest, k, &g)) return false;
        give_blocks_bits(nest, &g);
        give_branches_bits(t, nest, &g);
    }
    return true;
}
