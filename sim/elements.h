/* Element widths other than a word's, of the documents' machines (docs/documents.md). */
#ifndef VENTUS_SIM_ELEMENTS_H
#define VENTUS_SIM_ELEMENTS_H

#include "sim/machine.h"

/* Does the vector type change what the instruction does? */
bool elements_matter(const struct insn *in);

/* The instruction as a warp with this vector type executes it: *d is *plain with the widths and pairs of its operands,
 * and the registers that it needs. Returns NULL, or why there is no such instruction. */
const char *elements_decode(uint32_t vtype, const struct decoded *plain, struct decoded *d);

#endif
