/* What launches have exercised of each instruction: lanes, masks, depth of divergence, registers, hazards. */
#ifndef VENTUS_COVERAGE_COVERAGE_H
#define VENTUS_COVERAGE_COVERAGE_H

#include <stdint.h>
#include <stdio.h>

#include "isa/isa.h"

/* Instructions that can have a bin. */
enum coverage_of {
    OF_ANY = 0,
    OF_VECTOR = 1, /* a vector register is an operand */
    OF_MASKED = 2, /* v0 can be its mask */
    OF_READS = 4,  /* registers */
    OF_WRITES = 8,
    OF_READS_X = 16, /* scalar ones */
    OF_WRITES_X = 32,
    OF_IMMEDIATE = 64,
    OF_SIGNED = 128, /* with a sign */
};

enum coverage_bin {
#define BIN(group, name, of, holds, text) BIN_##group##_##name,
#include "coverage/bins.def"
#undef BIN
    COVERAGE_BINS
};

/* A row of bins.def. */
struct coverage_row {
    const char *group, *name, *text;
    uint32_t of;
};
extern const struct coverage_row coverage_rows[COVERAGE_BINS];

struct coverage {
    enum isa_profile profile; /* of the machine */
    uint64_t executed[OP_COUNT];
    uint64_t bins[OP_COUNT][COVERAGE_BINS]; /* 0 where the instruction cannot have it */
};

/* Can the instruction have the bin? */
bool coverage_can(enum isa_op op, enum coverage_bin bin);

/* The counts as JSON, version 1 (docs/coverage.md); as a table of what is there and what is missing, with at most
 * `most` instructions in each list; as a page of its own. */
void coverage_json(const struct coverage *c, FILE *out);
void coverage_table(const struct coverage *c, unsigned most, FILE *out);
void coverage_page(const struct coverage *c, FILE *out);

#endif
