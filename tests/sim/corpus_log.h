/* The commit log of a recorded launch, and its comparison with a run, instruction by instruction. */
#ifndef CORPUS_LOG_H
#define CORPUS_LOG_H

#include "sim/observe.h"

enum { LOG_WARPS = 4096 };

/* One executed instruction: where its effects stand in the text. */
struct commit {
    uint32_t pc, word;
    const char *effects;
};

struct log {
    char *text;
    unsigned harts;  /* as many as the log numbers */
    bool concurrent; /* set by log_compare: more harts than a group has warps, so groups ran at once */
    size_t n[LOG_WARPS], at[LOG_WARPS]; /* commits of each warp; next one to compare */
    struct commit *commits[LOG_WARPS];
    uint32_t shift[LOG_WARPS]; /* of concurrent groups: their local memory behind the first one's */
    size_t compared;           /* instructions found equal */
    char error[400];           /* the first difference, empty if none */
};

/* Reads the commit lines of each hart, from the boot code's end to endprg, again and again where groups ran
 * one after another on the same harts. */
bool log_read(const char *path, struct log *log);
void log_free(struct log *log);

/* Does every warp's log end where the run ended? */
bool log_finished(const struct log *log);

/* A hook (struct observer.after) with a struct log as user. */
void log_compare(void *user, const struct warp *w, uint32_t pc, const struct insn *insn);

/* Calls `store` for each store of the log, in its order. */
void log_stores(const struct log *log, void (*store)(void *user, uint32_t addr, uint32_t value, unsigned size),
                void *user);

#endif
