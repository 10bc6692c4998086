/* Observers that write what is executed, as a log in the public simulator's format or as a compact binary file;
 * docs/run.md describes both. sim/observers.h has their names. Between the files of this folder, and for
 * tools/trace_read.c. */
#ifndef VENTUS_TRACE_TRACE_H
#define VENTUS_TRACE_TRACE_H

#include "isa/effects.h"
#include "sim/observe.h"

enum { EVENT_WORDS = 4 }; /* of the widest access */

/* What one instruction did, collected between its hooks. Both writers start from this. */
struct event {
    const struct warp *w; /* as it is after the instruction */
    const struct insn *insn;
    struct isa_effects effects;
    uint32_t pc; /* of the prefix if there is one */
    uint32_t words[ISA_MAX_WORDS];
    uint32_t mask, depth;      /* SIMT mask and entries on the SIMT stack before */
    uint32_t lanes;            /* active lanes, of those the v0 mask leaves */
    bool to_scalar, to_vector; /* registers are written ... */
    unsigned results;          /* ... from rd on: how many, at least 1 whatever the instruction is */
    unsigned accesses;         /* memory accesses, one for each word, of the same lanes: */
    struct access access[EVENT_WORDS];
    uint32_t high[EVENT_WORDS][ISA_LANES]; /* upper halves of their addresses */
    uint32_t data[EVENT_WORDS][ISA_LANES]; /* what a store or atomic writes to each lane */
    bool writes_memory;                    /* data is valid */
};

/* ---- event.c: to be called from the hooks `before`, `access` and `after` ---- */

void trace_event_begin(struct event *e, const struct warp *w, const struct insn *in);
void trace_event_access(struct event *e, const struct access *access);
void trace_event_end(struct event *e, const struct warp *w, uint32_t pc, const struct insn *in);

/* ---- asm.c ---- */

/* The instruction of `word` as the public simulator writes it, "mnemonic operands"; a prefix is an
 * instruction of its own there, so register numbers are those of the bare word. */
void trace_asm(enum isa_profile profile, const uint32_t *words, size_t nwords, char *buf, size_t size);

/* ---- log.c: the writer of a log. False, where no reason is said: the host has no memory ---- */

struct trace_log;
struct trace_log *log_open(const struct gpu_config *config, const char *path, char *why, size_t why_size); /* or NULL */
bool log_group_begin(struct trace_log *log, const struct group *group);
bool log_event(struct trace_log *log, const struct event *event);
bool log_group_end(struct trace_log *log, const struct group *group);
bool log_close(struct trace_log *log, char *why, size_t why_size);

/* ---- binary.c: the writer of a compact trace; the same ---- */

struct trace_binary;
struct trace_binary *binary_open(const struct gpu_config *config, const char *path, char *why, size_t why_size);
void binary_launch(struct trace_binary *b, const struct launch *launch);
bool binary_event(struct trace_binary *b, const struct event *event);
bool binary_close(struct trace_binary *b, char *why, size_t why_size);

/* ---- words.c ---- */

struct known {
    uint32_t pc, words[ISA_MAX_WORDS];
    unsigned nwords;
}; /* nwords 1 to ISA_MAX_WORDS, the others 0 */
struct code_words {
    struct known *known;
    size_t n, room;
}; /* starts as zeros; free(known) in the end */

/* The words at pc, or NULL if they are not known. Valid until something is learnt. */
const struct known *words_at(const struct code_words *t, uint32_t pc);

/* Notes the words at an address. */
enum learnt { LEARN_NEW, LEARN_KNOWN /* they were there before */, LEARN_NO_MEMORY };
enum learnt words_learn(struct code_words *t, const struct known *k);

/* The format of a compact trace, which docs/run.md explains; tools/trace_read.c reads it. All numbers are
 * little-endian. */
enum { BINARY_VERSION = 1, BINARY_HEADER = 16 };
#define BINARY_MAGIC "VTRC"
enum binary_record { RECORD_LAUNCH = 1, RECORD_WARP = 2, RECORD_INSN = 0x80 /* and an or of the following */ };
enum binary_insn {
    INSN_PC = 1,
    INSN_WORDS = 2,
    INSN_MASK = 4,
    INSN_SCALAR = 8,
    INSN_VECTOR = 16,
    INSN_MEMORY = 32,
    INSN_WIDE = 64
};
enum binary_access { ACCESS_SIZE = 15, ACCESS_WRITE = 16, ACCESS_ATOMIC = 32, ACCESS_SCALAR = 64, ACCESS_HIGH = 128 };
enum binary_lanes { LANES_EQUAL, LANES_STEP, LANES_LIST, LANES_FORM = 3, LANES_MASK = 4 /* explicit */ };

#endif
