/* Blocks are united along every edge that is neither a call nor a return, and then small functions that are called at
 * one place with their callers, so that nothing is stored there. Which blocks a function gets decides how fast the code
 * is and how long it takes to make, not what it does: code that jumps into another function is one function with it.
 * Called by translate.c. */
#include "translator/functions.h"

#include <stdlib.h>

/* Most instructions of a function and its caller that become one: a guess. */
enum { SMALL = 400 };

/* The first block of a block's function, as far as it is known. */
static uint32_t first_of(struct function_table *t, uint32_t block)
{
    while (t->of_block[block] != block) block = t->of_block[block] = t->of_block[t->of_block[block]];
    return block;
}

/* Control goes from a block to an address: makes one function of the two if it has so many instructions at most. */
static void unite_small(struct function_table *t, uint32_t block, uint32_t pc, size_t most)
{
    const struct block *to = flow_block(t->flow, pc);
    if (!to) return;
    uint32_t a = first_of(t, block), b = first_of(t, (uint32_t)(to - t->flow->blocks));
    uint32_t first = a < b ? a : b, second = a < b ? b : a;
    if (a == b || t->insns[a] + t->insns[b] > most) return;
    t->insns[first] += t->insns[second];
    t->of_block[second] = first;
}

static void unite(struct function_table *t, uint32_t block, uint32_t pc) { unite_small(t, block, pc, SIZE_MAX); }

/* Does an indirect jump go back behind a call of the function that it stands in? */
static bool is_return(const struct flow *f, const struct node *jump, uint32_t target)
{
    uint32_t function = flow_function(f, jump);
    for (size_t i = 0; i < f->ncalls && function && !jump->d.in.rd; i++)
        if (f->calls[i].back == target && f->calls[i].to == function) return true;
    return false;
}

/* The last instruction of a block if that is an indirect jump. */
static const struct node *indirect_jump(const struct flow *f, const struct block *b)
{
    const struct node *last = b->count && !b->leaves ? &f->nodes[b->first + b->count - 1] : NULL;
    return last && last->how == HOW_CONTROL && last->effects.control == CONTROL_INDIRECT ? last : NULL;
}

/* Where the indirect jump at the end of a block is known to go: returns, or all others. */
static void unite_indirect(struct function_table *t, const struct fact_table *facts, uint32_t block, bool returns)
{
    const struct block *b = &t->flow->blocks[block];
    const struct node *jump = indirect_jump(t->flow, b);
    uint32_t target;
    for (int v = 0; v < VERSIONS && jump; v++)
        if (facts->reached[block][v] && facts_target(facts, b, (enum version)v, &target, NULL) &&
            is_return(t->flow, jump, target) == returns)
            unite_small(t, block, target, returns ? SMALL : SIZE_MAX);
}

static void unite_block(struct function_table *t, const struct fact_table *facts, uint32_t block)
{
    const struct block *b = &t->flow->blocks[block];
    const struct node *last = b->count ? &t->flow->nodes[b->first + b->count - 1] : NULL;
    unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    if (b->leaves) {
        unite(t, block, b->resume);
        return;
    }
    switch (control) {
    case CONTROL_INDIRECT:
        unite_indirect(t, facts, block, false);
        if (last->d.in.rd) unite(t, block, b->end);
        return;
    case CONTROL_JUMP: unite(t, block, last->d.in.rd ? b->end : node_target(last)); return;
    case CONTROL_END: return;
    case CONTROL_JOIN:
        for (const struct path *path = NULL; (path = path_next(&facts->paths, last, path));) unite(t, block, path->pc);
        break;
    case CONTROL_BRANCH:
    case CONTROL_VBRANCH: unite(t, block, node_target(last)); break;
    default: break;
    }
    unite(t, block, b->end);
}

static void add_registers(struct function *f, const struct flow *flow, const struct block *b)
{
    for (size_t i = b->first; i < b->first + b->count; i++) {
        const struct node *n = &flow->nodes[i];
        struct isa_registers written = node_written(flow, n);
        struct isa_registers read = node_read(n);
        registers_add(&f->written, &written);
        registers_add(&f->used, &written);
        registers_add(&f->used, &read);
    }
}

/* From the first block of each to numbers. */
static void number(struct function_table *t)
{
    for (uint32_t i = 0; i < t->flow->nblocks; i++) {
        uint32_t first = first_of(t, i);
        t->of_block[i] = first;
    }
    for (uint32_t i = 0; i < t->flow->nblocks; i++) {
        uint32_t first = t->of_block[i];
        t->of_block[i] = first == i ? t->count++ : t->of_block[first];
        add_registers(&t->list[t->of_block[i]], t->flow, &t->flow->blocks[i]);
    }
}

bool functions_make(struct function_table *t, const struct fact_table *facts)
{
    size_t n = facts->flow->nblocks + 1;
    *t = (struct function_table){.flow = facts->flow,
                                 .of_block = malloc(n * sizeof *t->of_block),
                                 .insns = malloc(n * sizeof *t->insns),
                                 .list = calloc(n, sizeof *t->list)};
    if (!t->of_block || !t->insns || !t->list) return false;
    for (uint32_t i = 0; i < t->flow->nblocks; i++) {
        t->of_block[i] = i;
        t->insns[i] = t->flow->blocks[i].count;
    }
    for (uint32_t i = 0; i < t->flow->nblocks; i++) unite_block(t, facts, i);
    for (uint32_t i = 0; i < t->flow->nblocks; i++) unite_indirect(t, facts, i, true);
    number(t);
    return true;
}

void functions_free(struct function_table *t)
{
    free(t->of_block);
    free(t->insns);
    free(t->list);
}
