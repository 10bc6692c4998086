/* Asynchronous copies into local memory: the rows of isa/dma.def (ISA notes 11). */
#ifndef VENTUS_SIM_DMA_H
#define VENTUS_SIM_DMA_H

#include "sim/machine.h"

/* Executes one instruction of kind DMA for the running warp: a copy, once for the warp whatever its mask, and not at
 * all when no lane is active. Its source has been read on return; its destination is written later (dma_complete), or
 * when very much is under way. Returns NULL, or a static text why the instruction is illegal. Memory that is not open,
 * or behind the local window, raises the warp's fault and does not return. */
const char *dma_execute(struct sm *sm, struct warp *w, const struct insn *in);

/* Writes what the warp's copies have read, in the order of the instructions. */
void dma_complete(struct warp *w);
/* Drops copies that will never be complete, because the warp has been removed. */
void dma_forget(struct warp *w);

#endif
