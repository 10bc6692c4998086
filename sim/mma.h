/* Matrix multiply-accumulate: the rows of isa/mma.def and MMA64 (ISA notes 10).
 *
 * A matrix lies in a group of consecutive vector registers, 32 / w elements of w bits in each lane, low
 * bits first. Element number i of a group is part i % (32/w) of word i / (32/w), and word j is lane
 * j % lanes of register j / lanes. The 6-bit formats take a byte each, its upper two bits ignored. */
#ifndef VENTUS_SIM_MMA_H
#define VENTUS_SIM_MMA_H

#include "sim/warp.h"

/* Executes one instruction of kind MMA for the running warp: all operands are read before anything is
 * written, inactive lanes keep what they have. Returns NULL, or a static text why the instruction is
 * illegal; then nothing has changed. Matrix instructions round to nearest-even (vftta.vv by frm, mma64 as
 * its rd field says) and leave fflags alone, except vftta.vv. The host's rounding mode is the warp's again
 * afterwards. */
const char *mma_execute(struct warp *w, const struct insn *in);

/* Vector registers that an instruction of kind MMA needs in a warp of 32 lanes: the highest number of its
 * groups + 1, which may exceed 256. Narrower warps need more for tc.*, which mma_execute checks. 0 for an
 * mma64 whose codes name no tile. */
unsigned mma_registers(const struct insn *in);

#endif
