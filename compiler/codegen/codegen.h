/* The back end: one kernel through all stages (backend.c has their order), of which those on machine code are in this
 * folder. */
#ifndef VENTUS_CODEGEN_H
#define VENTUS_CODEGEN_H

#include "compiler/machine/machine.h"

/* ---- backend.c: divergence, select, liveness, regalloc, emit, in that order ---- */
/* Compiles one kernel into kernel->code. cc->rodata_addr is already final. Constants are referenced
 * by absolute address through rodata_address. */
void backend_kernel(struct cc *cc, struct kernel *kernel);

/* ---- peephole.c ---- */
void peephole_run(struct func *f);

/* ---- indexed.c ---- */
/* Lets accesses of words add what their addresses are the sum of. */
void indexed_run(struct func *f);

/* ---- pool.c ---- */
/* Loads long constants from a table, where that is shorter. */
void pool_run(struct func *f);

/* ---- liveness.c ---- */
/* Where each register is live, in order of the layout. */
void liveness_run(struct func *f);
/* Does a register hold a value at this position that is still read? */
bool is_live(const struct func *f, int32_t reg, uint32_t position);
/* One register for both sides of a copy, where that is possible; ranges stay right. */
void coalesce_run(struct func *f);

/* ---- hoist.c ---- */
/* Moves out of loops what stays the same in them; true if that changed anything, which liveness then has to see. */
bool hoist_run(struct func *f);
/* By class and block's place: registers that are taken at most. */
void peaks_find(struct func *f, uint32_t *peak[2]);

/* ---- share.c ---- */
/* Reads what blocks in front have computed in place of computing it again; true if that changed anything, which
 * liveness then has to see. */
bool share_run(struct func *f);

/* ---- fuse.c ---- */
/* Chooses what multiply-adds replace; true if that changed anything, which liveness then has to see. */
bool fuse_run(struct func *f);

/* ---- schedule.c ---- */
/* Orders the instructions of each block anew, to wait less for results, behind coalesce_run; those of `copy`, from
 * verify_copy, in the same way, if there is one. True if that changed anything, which liveness then has to see. */
bool schedule_run(struct func *f, struct mblock *copy);

/* ---- groups.c ---- */
/* Gives adjacent registers to all groups, and marks them in `taken`, a bit per vector register, as those already
 * marked there are kept from them. */
void groups_place(struct func *f, uint64_t taken[ISA_VREGS / 64]);

/* ---- regalloc.c, spill.c ---- */
/* Gives every virtual register a place and returns 0; or finds none for some, which it lists in *unplaced and
 * counts. If a class has such, there are more of it: what is listed leaves `spare` registers to the spiller's
 * temporaries. */
uint32_t regalloc_run(struct func *f, uint32_t spare, uint32_t **unplaced);
/* How many registers of a class need no prefix, and are for values that live over calls as well. */
uint32_t regalloc_direct(const struct func *f, enum reg_class cls);
/* Splits these registers: rewrites the code so that others that live for shorter take their places, or, `to_the_end`,
 * temporaries of single instructions. */
void spill_run(struct func *f, const uint32_t *vregs, uint32_t n, bool to_the_end);

/* ---- loops.c ---- */

/* Blocks by their places in the layout, f->order. */
struct mloop {
    uint32_t header, parent, depth; /* number of the loop around it or NO_NODE; 1: outermost */
    uint32_t preheader;             /* the only block before it, which does nothing else than enter it; or NO_NODE */
    uint32_t *blocks, n;
    uint32_t *exits, nexits; /* where its blocks lead to out of it, in any order */
    bool shares_exits;       /* one of these can be entered from elsewhere, too */
};
struct mloops {
    struct graph succ, pred;
    uint32_t *place;     /* of a machine block */
    uint32_t *innermost; /* the loop around a block or NO_NODE */
    struct mloop *list;  /* outer ones before those in them */
    uint32_t n;
};
/* Behind liveness_run, which lays the code out. */
struct mloops loops_find(struct func *f);

/* ---- reconverge.c ---- */
/* Decides where rpc is set, so that each divergent branch finds its own there (rule R7). */
void reconverge_run(struct func *f);

/* ---- verify.c, verify_places.c, verify_words.c: checks between the stages, which end the compilation with CC_INTERNAL
 * ---- */
/* Checks the code that `stage` has left, on virtual registers. */
void verify_run(struct func *f, const char *stage);
/* The blocks and their code as they are now, to be compared with what the merging of registers makes of them. */
struct mblock *verify_copy(struct func *f);
/* Checks that what f->mblocks reads with the registers given is what `before`, the same code before registers were
 * merged, reads by their names: in all orders in which lanes that have diverged can run. */
void verify_places(struct func *f, const struct mblock *before);
/* Checks the words that emit_run has made. */
void verify_words(struct func *f);

/* ---- emit.c ---- */
void emit_run(struct func *f);
void dump_machine(struct func *f);

#endif
