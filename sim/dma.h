/* Asynchronous copies into local memory: the rows of isa/dma.def (ISA notes 11). */
#ifndef VENTUS_SIM_DMA_H
#define VENTUS_SIM_DMA_H

#include "sim/machine.h"

/* Executes one instruction of kind DMA for the running warp: the copy is complete on return, once for the
 * warp whatever its mask, and not at all when no lane is active. It goes in pieces, in ascending order of the
 * destination, of a page (bulk) or a row (tensor) at most. Returns NULL, or a static text why the instruction is
 * illegal; then nothing was copied. Memory that is not open, or behind the local window, raises the warp's fault
 * and does not return; the pieces before have been copied. */
const char *dma_execute(struct sm *sm, struct warp *w, const struct insn *in);

#endif
