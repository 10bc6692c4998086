/* Matrix multiply-accumulate: the rows of isa/mma.def and MMA64 (ISA notes 10); isa/tile.h says how matrices lie. */
#ifndef VENTUS_SIM_MMA_H
#define VENTUS_SIM_MMA_H

#include "sim/warp.h"

/* Executes one instruction of kind MMA for the running warp: all operands are read before anything is
 * written, inactive lanes keep what they have. Returns NULL, or a static text why the instruction is
 * illegal; then nothing has changed. A matrix in local memory that cannot be read is a fault, which does not return.
 * Matrix instructions round to nearest-even (vftta.vv by frm, mma64 as its rd field says) and leave fflags alone,
 * except vftta.vv. The host's rounding mode is the warp's again afterwards. */
const char *mma_execute(struct warp *w, const struct insn *in);

#endif
