/* Registers that inactive lanes may read later. Where a masked block writes a vector register, its old words in
 * inactive lanes are preserved only if one of these lanes may read them when it is active again. */
#ifndef VENTUS_TRANSLATOR_INACTIVE_H
#define VENTUS_TRANSLATOR_INACTIVE_H

#include "translator/facts.h"

/* Of each block; vector registers only. NULL: the host has no memory. To be freed. */
struct isa_registers *inactive_make(const struct flow *flow, const struct fact_table *facts);

/* Registers whose words in other lanes some instruction reads: v0, whose mask is in one lane, and whatever `step` may
 * read. */
struct isa_registers inactive_read_whole(const struct flow *flow);

#endif
