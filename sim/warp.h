/* The state of one warp and of the work-group it belongs to, as the engine keeps it.
 *
 * Public within the project for observers (trace hooks, tests, tools); only sim/ writes it.
 * Invariants: x[0] is 0; `active` and `expand` follow `mask` and `vl` (warp_set_mask). */
#ifndef VENTUS_SIM_WARP_H
#define VENTUS_SIM_WARP_H

#include "sim/sim.h"

enum { SIMT_DEPTH = 64 };

struct simt_entry {
    uint32_t rpc;  /* the join at this address pops the entry */
    uint32_t pc;   /* where the lanes of the entry go on */
    uint32_t mask;
};

enum warp_state { WARP_READY, WARP_WAITING /* at a barrier */, WARP_ENDED };

struct warp {
    uint32_t (*v)[ISA_LANES];    /* vector registers, launch->vgprs rows, 64-byte aligned */
    uint32_t x[ISA_XREGS];
    uint32_t pc, rpc;
    uint32_t mask;               /* SIMT mask */
    uint32_t lanes;              /* lanes that exist; the mask never leaves them */
    uint32_t active;             /* mask & lanes below vl ... */
    uint32_t nactive;            /* ... and how many they are */
    uint32_t vl;
    uint32_t depth;              /* entries on the SIMT stack */
    struct simt_entry stack[SIMT_DEPTH];
    uint32_t wid, tid;
    enum warp_state state;
    uint32_t fflags, frm, vstart, vxsat, vxrm, mstatus, mtvec, print, vtype;
    uint32_t reserved_lanes;     /* lanes with a valid lr.w reservation ... */
    uint32_t reserved[ISA_LANES]; /* ... and its address */
    _Alignas(64) uint32_t expand[ISA_LANES]; /* all ones for an active lane, else 0 */
};

#endif
