/* Where the cycles of a launch went: what every warp slot of every SM did in each of them, by slot and by instruction.
 *
 * Counted only for those who ask (timing_account): it takes up to as long as the model itself. */
#ifndef VENTUS_TIMING_ACCOUNT_H
#define VENTUS_TIMING_ACCOUNT_H

#include "timing/timing.h"

enum timing_slot { /* slots.def says what they mean */
#define SLOT(name, title, text) SLOT_##name,
#include "timing/slots.def"
#undef SLOT
                   TIMING_SLOTS
};

/* An instruction. */
struct timing_site {
    uint32_t pc, line; /* of the source; 0: not known */
    struct insn in;
    uint64_t slots[TIMING_SLOTS];                   /* cycles of all warps */
    uint64_t accesses, lines, l1d_hits, l1d_misses; /* of data cache: instructions, lines asked for ... */
    uint64_t local_accesses, rows;                  /* of local memory: instructions, rows asked for */
};

/* What slots did over time, from the request on: at most so many buckets of 2^shift cycles. */
enum {
    TIMING_BUCKETS = 128
}; /* 10 KiB a launch and 1 KiB for each SM; more than 64 of them are used, unless there are fewer cycles */

struct timing_series {
    unsigned shift;
    size_t n;                                     /* the last one may be shorter */
    uint64_t slots[TIMING_BUCKETS][TIMING_SLOTS]; /* cycles of the slots of all SMs */
    uint64_t *warps; /* cycles of slots with a warp: bucket b of SM s is number s * TIMING_BUCKETS + b */
};

struct timing_account {
    unsigned sms, warps;             /* slots of an SM */
    uint64_t (*slots)[TIMING_SLOTS]; /* cycles; slot w of SM s is number s * warps + w */
    struct timing_counts *counts;    /* of each SM */
    struct timing_site *sites;       /* all that a warp has reached, by address */
    size_t nsites;
    struct timing_series series;
};

/* ---- reading one ---- */

/* The cycles of all warp slots, and which part of them held a warp. */
void account_total(const struct timing_account *a, uint64_t slots[TIMING_SLOTS]);
double account_occupancy(const struct timing_account *a);

/* The sum of the sites of the lowest line above `line`, or of the first one when it is negative; code without a line
 * counts as line 0. False: there is none, or no line is known at all. */
bool account_line(const struct timing_account *a, int64_t line, struct timing_site *sum);

/* Adds the numbers of one to those of another. */
void site_add(struct timing_site *sum, const struct timing_site *site);

/* The members of a series' object of JSON: "interval": 4, "slots": {"issued": [...], ...}, "warps": [[...], ...], of
 * each SM the cycles of slots with a warp. */
void timing_series_json(const struct timing_series *series, unsigned sms, FILE *out);

/* The instruction as text. */
void site_text(const struct timing_site *site, char *text, size_t size);

/* ---- asking for them ---- */

/* Counts from the next launch on; each launch then has an account. Asking twice is asking once. Nothing runs. False: no
 * memory. */
bool timing_account(struct model *model);

/* No longer. Nothing runs; does nothing when nobody has asked. */
void timing_account_end(struct model *model);

#endif
