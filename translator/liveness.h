/* Live registers. Translated code that gives a warp back stores no others, because a register that is written before it
 * is read again cannot be observed. With REGISTERS_ALL in the request every register of every lane is live everywhere.
 */
#ifndef VENTUS_TRANSLATOR_LIVENESS_H
#define VENTUS_TRANSLATOR_LIVENESS_H

#include "translator/inactive.h"

struct liveness {
    const struct flow *flow;
    const struct fact_table *facts;
    struct isa_registers (*in)[VERSIONS]; /* at the beginning of each block */
    struct isa_registers *others;         /* of each block that is masked: what lanes that wait may read (inactive.h) */
    struct isa_registers diverged; /* where lanes diverge, what some read of others; only if that is for `step` */
};

/* False: the host has no memory. */
bool liveness_make(struct liveness *l, const struct flow *flow, const struct fact_table *facts);
void liveness_free(struct liveness *l);

/* At the end of a block. */
struct isa_registers live_behind(const struct liveness *l, const struct block *b, enum version version);

/* In front of the instruction n of a block. */
struct isa_registers live_before(const struct liveness *l, const struct block *b, enum version version,
                                 const struct node *n);

struct isa_registers all_registers(void);

/* When `step` goes on at pc: all registers if that is no block. */
struct isa_registers live_at(const struct liveness *l, uint32_t pc);

/* The same for one version of the block: in full code a write defines all lanes of a register. */
struct isa_registers live_in(const struct liveness *l, uint32_t pc, enum version version);

#endif
