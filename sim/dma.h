/* Asynchronous copies into local memory: the rows of isa/dma.def (ISA notes 11). */
#ifndef VENTUS_SIM_DMA_H
#define VENTUS_SIM_DMA_H

#include "sim/machine.h"

/* Executes one instruction of kind DMA for the running warp: the copy is complete on return, once for the
 * warp whatever its mask, and not at all when no lane is active. Bytes are copied in ascending order of
 * the destination. Returns NULL, or a static text why the instruction is illegal; then nothing was copied.
 * Memory that is not open raises the warp's fault and does not return; what comes before has been
 * copied. The destination begins in local memory, so that a copy ends there at the latest. */
const char *dma_execute(struct sm *sm, struct warp *w, const struct insn *in);

#endif
