/* Tables of functions, by operation, that execute rows of the instruction table on all lanes of a warp.
 *
 * Engines share them, so that the meaning of a row is compiled once for each host instruction set. The functions only
 * compute: engines count, see to flags, rounding modes other than the host's and prefixes that change operands (see
 * enum dispatch), and do what follows from a branch. The host rounds as the warp's frm says. */
#ifndef VENTUS_SIM_LANES_H
#define VENTUS_SIM_LANES_H

#include "sim/machine.h"

/* At most one of these functions is set; none for rows of other kinds, and for what enum dispatch adds to the
 * operations. */
struct lane_row {
    /* Kinds V VV VX VI V1I: sets the destination of the active lanes; lanes that do not exist may change, too. */
    void (*lanes)(struct warp *w, const struct insn *in);
    /* Kind VBRANCH: the lanes of the mask whose condition holds. */
    uint32_t (*taken)(const struct warp *w, const struct insn *in);
    /* Kind AMO: one atomic operation for each active lane, ascending; announces the access (sim/engine.h). Returns 0,
     * or the lanes whose address is not on a word; then nothing has been done. */
    uint32_t (*amo)(struct sm *sm, struct warp *w, const struct insn *in);
};

/* For any host; for x86-64-v3 and -v4 hosts (host_is_v3, host_is_v4), only where that is the host's family. */
extern const struct lane_row lanes_base[DISPATCH_COUNT] __attribute__((visibility("hidden")));
extern const struct lane_row lanes_v3[DISPATCH_COUNT] __attribute__((visibility("hidden")));
extern const struct lane_row lanes_v4[DISPATCH_COUNT] __attribute__((visibility("hidden")));

#endif
