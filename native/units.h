/* Translations that a machine has or waits for. */
#ifndef VENTUS_NATIVE_UNITS_H
#define VENTUS_NATIVE_UNITS_H

#include "native/native.h"
#include "native/cache.h"
#include "native/process.h"

enum unit_state {
    TRANSLATION_COLD,   /* not asked for yet */
    TRANSLATION_WANTED, /* it waits for the translator */
    TRANSLATION_BEGUN,  /* the translator has it */
    TRANSLATION_READY,
    TRANSLATION_NONE, /* there is none and will be none */
};

/* The translation of one kernel under one set of facts. Where all warps have the same lanes there are two: a convergent
 * one (LANES_CONVERGENT), which has no code under masks, and `divergent`, which is made when a warp diverges. */
struct native_unit {
    struct native_unit *next;      /* older */
    struct native_unit *beside;    /* in the same bucket */
    uint64_t hash;                 /* of request and program */
    struct native_unit *divergent; /* as long as this one is held; NULL: this one is it */
    uint32_t number;               /* of this machine's, from 1 on */
    struct native_request request;
    uint32_t *program;        /* as it follows the request */
    uint32_t version;         /* of the machine's code, when `program` was last seen to be the same */
    _Atomic int state;        /* enum unit_state */
    _Atomic uint64_t hotness; /* instructions that `step` has executed for want of it */
    void *image;              /* mapped, and what stands in it: */
    size_t size;
    native_code *run;
    const struct native_entry *entries;
    const struct native_site *sites;
    const struct native_block *blocks;
    uint32_t nentries, nsites, nblocks;
    uint64_t *tallies;       /* see tally.h; NULL: the unit has none */
    uint8_t *sizes;          /* of its instructions, in bytes, by word of its code; NULL likewise */
    struct counts **targets; /* of each SM: whose its tallies are; NULL: nobody's, they are 0 */
    uint32_t sms;
    uint32_t start_need;     /* of the entry where warps begin; UINT32_MAX: there is none */
    bool reserves;           /* see struct native_header */
    uint32_t insns, cost_us; /* how much was translated, and what that took of the processor */
    bool cached;             /* it was on disk */
    uint32_t holders;        /* SMs that may be in it */
    struct native_symbol *symbol;
    char name[64]; /* of the kernel, for tools of the host */
};

enum { UNIT_BUCKETS = 1024 /* 8 KiB */, TRANSLATORS_MOST = 16 };

struct native_units {
    struct gpu *gpu;
    enum native_level level;
    uint32_t layout; /* native_layout() */
    bool at_once;    /* translate before the first instruction */
    bool convergent; /* convergent code first */
    uint32_t hot;    /* instructions that `step` executes before a translation is asked for */
    pthread_mutex_t lock;
    struct native_unit *first; /* the youngest */
    struct native_unit *buckets[UNIT_BUCKETS];
    struct {
        uint64_t hash;
        uint32_t version, base, words;
    } code; /* whose hash was needed last */
    struct native_ranges {
        uint32_t version, pc, code_base, code_words, constant_base, constant_words;
    } ranges;       /* that were needed last */
    uint32_t made;  /* units, those included that are no longer kept */
    uint64_t bytes; /* of code and translations */
    /* What has been ready and is no longer kept, for statistics. */
    struct {
        unsigned count, insns, cached;
        uint64_t cost_us;
    } gone;
    struct native_cache cache;
    /* Translators, each with a thread that asks it while the machine goes on, as far as they have been started. */
    struct native_translator {
        struct native_units *units;
        struct translator_process process;
        pthread_t thread;
        struct native_unit *unit; /* that it has begun last; NULL: none */
    } translators[TRANSLATORS_MOST];
    unsigned most, started;   /* translators with a thread: so many at most, and now */
    unsigned waiting, wanted; /* threads without a unit, units without a thread */
    bool closing;
    pthread_cond_t changed;
};

/* False: the host has no memory. `at_once`: units are translated when they are first asked for, and divergent code
 * as well, unless VENTUS_TRANSLATE_LANES says "convergent" or "divergent" (translator/README.md). */
bool units_open(struct native_units *u, struct gpu *gpu, bool at_once);
void units_close(struct native_units *u);

/* At the end: writes what still waits to a file for translator_leave, which is made if it is -1. Returns the file, or
 * -1 if there is nothing to write. Not of a machine that is in use, and not without a cache, where nobody would ever
 * read what is made. */
int units_write_wanted(struct native_units *u, int file);

/* The unit for warps of a launch that have as many lanes as this one, or for all of its warps, which an SM holds from
 * now on; its `divergent` is held, too. NULL: there can be none. Units that nobody holds go, the oldest first, when all
 * together are too large. */
struct native_unit *units_hold(struct native_units *u, const struct warp *w);
void units_let_go(struct native_units *u, struct native_unit *unit);

/* The first entry at or above pc of a unit that is ready, or NATIVE_NOWHERE. */
uint32_t unit_entry_from(const struct native_unit *unit, uint32_t pc);

/* The entry at pc of a unit that is ready, or NATIVE_NOWHERE. */
uint32_t unit_entry(const struct native_unit *unit, uint32_t pc);

/* `step` has executed so many instructions for want of the unit, which may be ready. */
void units_hotness(struct native_units *u, struct native_unit *unit, uint64_t instructions);

/* So many count against it. */
void units_cool(struct native_unit *unit, uint64_t instructions);

/* The level that this host can run and, if VENTUS_NATIVE_LEVEL says so, no higher than that; NATIVE_LEVEL_COUNT: none.
 */
enum native_level units_level(void);

#endif
