/* What writes random programs (random.c) and their instructions (random_rows.c) share. */
#ifndef VENTUS_TOOLS_RANDOM_H
#define VENTUS_TOOLS_RANDOM_H

#include <stdio.h>

#include "isa/abi.h"
#include "isa/isa.h"

/* Bytes of the buffer that belong to a work-item:
 *
 *     0    of the work-item: loads, stores, atomics on its own words
 *     96   results: registers at the end
 *     208  in work-item 0 of the launch: words that all warps have together, for atomics that commute
 *     240  what nobody writes
 *     256  in the first work-item of a warp: words, halfwords and bytes, one of each lane
 *     480  there: words for the warp's scalar accesses */
enum {
    ITEM_BYTES = 512,
    RESULTS = 96,
    SHARED = 208,
    CONSTANT = 240,
    LANE_WORDS = 256,
    LANE_HALVES = 384,
    LANE_BYTES = 448,
    WARP_WORDS = 480,
    WARP_BYTES = 32,
};

/* Bytes of a warp's stack, which is in local memory: scalar accesses; those of divergent code, which nobody reads; what
 * asynchronous copies write; then 8 bytes of each lane, where a stack has room for them (isa/abi.h). */
enum { STACK_SINK = 64, STACK_COPIES = 128, STACK_LANES = ABI_WARP_SCRATCH, STACK_LANE_BYTES = 8 };

/* x12 to x19 and v1 to v12, v33 to v40 hold anything. Of the others: */
enum {
    X_FIRST = 12,
    X_COUNT = 8,
    X_BUFFER = 20,
    X_TEMP = 21,   /* and x22: for the moment */
    X_LOOP = 23,   /* to x25: count loops */
    X_WARP = 26,   /* bytes of the warp's first work-item */
    X_UNUSED = 28, /* and x29: results that nobody reads */
    X_LONG = 30,   /* and x31: an address of 64 bits */

    LOW_COUNT = 12, /* v1 on */
    HIGH_FIRST = 33,
    HIGH_COUNT = 8,
    V_ITEM = 13, /* the work-item's bytes */
    V_LANE = 14,
    V_SMALL = 15,    /* the lane's number modulo 8 */
    V_TEMP = 16,     /* for the moment */
    V_LOCAL = 17,    /* 8 bytes of the lane in local memory */
    V_UNUSED = 18,   /* and v19: results that nobody reads */
    V_LONG = 20,     /* and v21: an address of 64 bits */
    V_MATRICES = 48, /* on: operands of matrix instructions */
};

struct writer {
    FILE *out;
    uint64_t state;
    enum isa_profile profile;
    unsigned lanes;
    const struct coverage *missing; /* NULL: nothing is known */
    bool without[OP_COUNT];         /* the design does not have it ... */
    bool rounds_dynamically;        /* ... or no rounding modes but the dynamic one */
    uint32_t weight[OP_COUNT], total;
    unsigned labels, left;   /* statements that are still to come */
    unsigned last_x, last_v; /* written last: hazards come of them */
    unsigned branches;       /* divergent ones around the place */
};

uint32_t random_below(struct writer *w, uint32_t n);

/* A line of assembly. */
void random_line(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Why programs for warps of so many lanes do not have the instruction, a static text; NULL: they have it. */
const char *random_left_out(enum isa_op op, unsigned lanes);

/* Is it one that random_row writes? The others stand where the structure of the program needs them. */
bool random_is_row(enum isa_op op);

/* Is it one that programs have in convergent code alone? */
bool random_is_convergent(enum isa_op op);

/* The instruction with random operands, and what makes them valid in front of it. False: not with these, or not at
 * this place. */
bool random_row(struct writer *w, enum isa_op op);

#endif
