/* One instruction on the machine, all its operands and results as 64-bit values, for the tests of the
 * arithmetic rows. An instruction that is tried names these registers; each is the low half of a pair. */
#ifndef TRIAL_H
#define TRIAL_H

#include "guest.h"

#define LLU(x) ((unsigned long long)(x)) /* for %llx */

enum { TRIAL_VS2 = 2, TRIAL_VS1 = 4, TRIAL_VD = 6, TRIAL_RS1 = 10, TRIAL_RS2 = 12, TRIAL_RS3 = 14, TRIAL_RD = 16 };

struct trial {
    struct insn in;
    uint32_t items, vl; /* lanes that exist; active ones */
    uint32_t v0, frm, vxrm;
    uint32_t vtype;                              /* e32, m1, unless the test sets another one */
    uint64_t vs2[32], vs1[32], vd[32], x[3], rd; /* before the instruction; x: rs1, rs2, rs3 */
    uint64_t out[32], xout;                      /* destinations after it */
    uint32_t fflags, vxsat;                      /* both 0 before it */
};

/* A trial of an operation of `profile`, by mnemonic, with operands in the registers above as far as it has
 * them, 32 lanes and random values. Fails the test if there is no such operation. */
struct trial trial_of(enum isa_profile profile, const char *mnemonic);

/* New random operands: random bits, edges of integers and of binary32 and binary64. */
void trial_shuffle(struct trial *t);

/* False if the machine refused; g->result says why. */
bool trial_run(struct guest *g, struct trial *t);

/* The same, failing the test then. */
void trial_done(struct guest *g, struct trial *t);

/* Fails unless the trial is an illegal instruction whose detail contains `text`. */
void trial_refused(struct guest *g, struct trial *t, const char *text);

/* A machine of this profile. */
void trial_open(struct guest *g, enum isa_profile profile);

/* A random value as trial_shuffle makes them. */
uint64_t trial_value(void);

#endif
