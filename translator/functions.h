/* Functions of guest code: blocks that control goes between without a call or a return. What runs at a time is one of
 * them, and only its registers are variables of the translation; the others are in struct warp meanwhile. */
#ifndef VENTUS_TRANSLATOR_FUNCTIONS_H
#define VENTUS_TRANSLATOR_FUNCTIONS_H

#include "translator/facts.h"

struct function {
    struct isa_registers used, written; /* by its own instructions */
};

struct function_table {
    const struct flow *flow;
    uint32_t *of_block; /* number of each block's function */
    size_t *insns;      /* of each function while it grows, at its first block */
    struct function *list;
    uint32_t count;
};

/* False: the host has no memory. */
bool functions_make(struct function_table *table, const struct fact_table *facts);
void functions_free(struct function_table *table);

static inline uint32_t function_of(const struct function_table *t, const struct block *b)
{
    return t->of_block[b - t->flow->blocks];
}

#endif
