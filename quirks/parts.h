/* What the files of this folder share. */
#ifndef VENTUS_QUIRKS_PARTS_H
#define VENTUS_QUIRKS_PARTS_H

#include "quirks/quirks.h"
#include "sim/machine.h"

enum { LATENCIES = 3 }; /* of the FPU */

/* What is kept of a warp from one instruction to the next. */
struct quirk_warp {
    uint64_t pending;        /* scalar registers that will never be written, bit r for x[r] */
    uint8_t left[LATENCIES]; /* for so many instructions it has used this latency lately */
    bool mixed;              /* it has mixed latencies */
};

/* The instruction in progress, as it was before it: what its result is made of. */
struct quirk_insn {
    bool changes;                                 /* some fault concerns it */
    uint32_t lanes;                               /* those that take part */
    uint32_t first[ISA_LANES], second[ISA_LANES]; /* operands of floating point: rs1 or vs1, rs2 or vs2 */
    uint32_t old[ISA_LANES];                      /* v[rd], or x[rd] in place 0 */
    uint32_t at;                                  /* address that decides about the sign of a load */
    int32_t imm;                                  /* what regexti leaves of the immediate ... */
    bool rerun;                                   /* ... if it is another one */
};

struct quirks {
    struct gpu *gpu;
    struct observer observer;
    uint32_t set;
    struct quirk_warp *warps; /* by SM, slot and number in the group */
    struct quirk_insn now;
    uint64_t total[QUIRKS], launch[QUIRKS];
};

static inline bool quirks_has(const struct quirks *q, enum quirk quirk) { return q->set >> quirk & 1; }

/* What is kept of a warp. */
struct quirk_warp *quirks_warp(struct quirks *q, const struct group *group, uint32_t wid);

/* Hooks: imitate.c changes results, hang.c ends launches (a text that says why, or NULL). */
void imitate_before(struct quirks *q, const struct warp *w, const struct insn *in);
void imitate_result(struct quirks *q, struct warp *w, uint32_t pc, const struct insn *in);
const char *hang_before(struct quirks *q, const struct warp *w, const struct insn *in);

/* divide.c: binary32 bit patterns, finite and not 0, a root's positive; `round` is what frm holds. */
uint32_t quirk_quotient(uint32_t a, uint32_t b, unsigned round);
uint32_t quirk_root(uint32_t a, unsigned round);

#endif
