/* What lanes that wait may read: where a masked block writes a vector register, the lanes that are not active keep
 * what they have only if one of them reads it when it goes on. */
#ifndef VENTUS_TRANSLATOR_INACTIVE_H
#define VENTUS_TRANSLATOR_INACTIVE_H

#include "translator/facts.h"

/* Of each block; vector registers only. NULL: the host has no memory. To be freed. */
struct isa_registers *inactive_make(const struct flow *flow, const struct fact_table *facts);

/* Registers of which an instruction reads other lanes' words: a mask in v0 is one lane's, and `step` may. */
struct isa_registers inactive_read_whole(const struct flow *flow);

#endif
