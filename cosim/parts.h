/* Between the files of cosim/: the reference machine, the warps that are watched, and who has written which word. */
#ifndef VENTUS_COSIM_PARTS_H
#define VENTUS_COSIM_PARTS_H

#include "asm/note.h"
#include "cosim/ventus_cosim.h"
#include "quirks/quirks.h"
#include "sim/machine.h"
#include "trace/trace.h"

enum {
    HISTORY = 20,    /* instructions of a warp that a report shows */
    DUT_WRITES = 64, /* registers that an instruction writes: a tile in a warp of one lane */
    WORD_WRITES = 2, /* of a word that are kept */
    NOBODY = UINT32_MAX,
};

/* ---- what the design says of an instruction ---- */

struct dut_write {
    uint32_t reg, mask; /* mask: lanes of a vector register; of a scalar one 1, and 0 for x0 */
    uint32_t value[ISA_LANES];
};

struct dut_access {
    uint32_t write, size, mask;
    bool has_data;
    uint32_t addr[ISA_LANES], data[ISA_LANES];
};

struct dut {
    unsigned nx, nv, naccess;
    struct dut_write x[DUT_WRITES], v[DUT_WRITES];
    struct dut_access access[EVENT_WORDS];
    bool has_simt;
    uint32_t mask, depth;
};

/* ---- warps ---- */

/* One that has retired. */
struct past {
    uint32_t pc, words[ISA_MAX_WORDS], size, mask;
    uint64_t serial; /* number of the retirement, over all warps */
};

/* A place of the design for a warp. */
struct watched {
    struct warp *warp; /* of the reference; NULL: none */
    uint32_t number;   /* of the hart */
    uint64_t count;    /* instructions retired */
    bool prefixed;     /* the prefix of its next instruction has retired alone */
    struct past past[HISTORY];
    struct dut dut; /* said so far of the next instruction */
};

/* A work-group of the reference: the machine's slot, and what is ours. */
struct place {
    bool used;
    uint32_t serial; /* of the groups that were here: names its local memory */
    uint32_t passed; /* barriers that it has passed */
    uint32_t sm, slot;
    uint8_t *local; /* its local memory while another group's is at its addresses ... */
    bool away;      /* ... which is so now */
};

/* ---- words.c: who has written the words of memory ---- */

struct written {
    uint32_t before, value;
    uint32_t place, serial; /* the group's; NOBODY: the host */
    uint32_t group, warp, pc, passed;
    uint16_t op;   /* enum isa_op */
    bool stores;   /* and is no atomic operation: what it leaves depends on nobody */
    bool several;  /* lanes of one address: values in between may have been seen, too */
    uint64_t when; /* serial number of the retirement */
};

struct word {
    uint64_t key;      /* word_key, 0: the entry is free */
    uint32_t n, total; /* in `last`, the newest first; and ever */
    bool open;         /* the order of atomics that have written it is not known: several values are possible */
    struct written last[WORD_WRITES];
};

struct words {
    struct word *table;
    size_t n, room; /* a power of two */
};

/* Local memory is another one in each group. */
uint64_t word_key(uint32_t addr, uint32_t local_serial);

/* NULL: nobody has written it. */
struct word *words_find(const struct words *t, uint64_t key);

/* Has one write come before the other for everybody: of one warp, or with a barrier of their group in between? */
bool words_ordered(const struct written *first, const struct written *then);

/* Is number k of the word's last writes a store that may have come after number i, a later one, as well as before? */
bool words_race(const struct word *w, uint32_t i, uint32_t k);

/* Notes a write. False: no memory. */
bool words_note(struct words *t, uint64_t key, const struct written *w);
void words_forget(struct words *t);

/* ---- the whole ---- */

/* Of the values in a word, which a tolerance is counted in: one, or two halves. */
enum value_format { F32, F16, BF16 };

struct ventus_cosim {
    struct gpu *gpu;
    uint32_t reports;
    bool launched;
    bool executing; /* the event is the instruction that is being compared */
    struct {
        uint32_t kind, reg, mask;
    } written; /* by the last step (ventus_cosim_ref_written) */
    struct job job;
    uint32_t last_items, last_of; /* of the next launch (ventus_cosim_ref_last_groups) */
    struct place *places;         /* sms * groups_per_sm */
    uint32_t nplaces, groups_begun, groups_ended, serials;
    uint8_t *begun; /* bit per work-group of the launch */
    struct watched **harts;
    uint32_t nharts;       /* room */
    struct quirks *quirks; /* of the machine file; NULL: none */
    struct observer observer;
    const struct observer *observers[3];  /* what changes results comes first */
    struct event event;                   /* of the instruction in progress ... */
    uint32_t old[EVENT_WORDS][ISA_LANES]; /* ... and the words that it overwrites, as they were */
    struct words words;
    uint32_t tolerance[OP_COUNT], taken_lanes; /* of the instruction in progress */
    uint8_t format[OP_COUNT];                  /* enum value_format */
    struct note note;
    uint64_t retired, compared, taken, tolerated;
    char error[400];
    char *report;
    size_t report_size;
};

/* Fails with a line of text: returns 0. */
__attribute__((format(printf, 2, 3))) int cosim_fail(struct ventus_cosim *c, const char *format, ...);

struct place *place_of(const struct ventus_cosim *c, const struct group *g);

/* The reference's value of the word at addr; false: it is not open. Local memory is that of the groups whose bytes are
 * in the machine. */
bool cosim_word(const struct ventus_cosim *c, uint32_t addr, uint32_t *value);

/* ---- reference.c: running one instruction ---- */

/* False, and why in c->error. */
bool reference_open(struct ventus_cosim *c, const struct gpu_config *config);
void reference_close(struct ventus_cosim *c);

/* Room for the launch's groups, and the other way round. */
bool reference_begin(struct ventus_cosim *c);
void reference_end(struct ventus_cosim *c);

/* NULL, or why the group cannot be there. */
const char *reference_place(struct ventus_cosim *c, struct place *p, uint32_t group, uint32_t lds_base,
                            uint32_t pds_base);
void reference_remove(struct ventus_cosim *c, struct place *p);

/* Lets the group's warps go on that wait for each other or for copies, when none is left that they wait for. */
void reference_wake(struct ventus_cosim *c, struct group *g);

/* Another group of its SM with bytes of the same local memory, or NULL. */
const struct place *reference_sharing(const struct ventus_cosim *c, const struct place *p, uint32_t lds_base);

/* Executes the warp's instruction; c->event says what it was, unless it failed (STOP_FAULT, with the SM's fault). */
enum stop reference_step(struct ventus_cosim *c, struct warp *w);

/* The group's slot of the machine. */
struct slot *reference_slot(const struct ventus_cosim *c, const struct place *p);

/* ---- compare.c ---- */

/* What the design has said of the instruction that has just been executed against what the reference did. 0: there was
 * a difference, which is reported. */
int compare_instruction(struct ventus_cosim *c, struct watched *w);

/* ---- report.c ---- */

/* A difference: the headline, where the warp is; the caller prints details after it, and then ends the report. NULL:
 * out of memory, which is the error then. */
__attribute__((format(printf, 3, 4))) FILE *report_begin(struct ventus_cosim *c, const struct watched *w,
                                                         const char *format, ...);
/* Returns 0. */
int report_end(struct ventus_cosim *c, const struct watched *w, FILE *f);

/* "0x90000010: last written by warp 1 of work-group 3 ...", a line. */
void report_writer(const struct ventus_cosim *c, FILE *f, uint32_t addr, uint32_t local_serial);

/* " at line 12: TEXT" or nothing. */
void report_line(const struct ventus_cosim *c, FILE *f, uint32_t pc);

#endif
