/* Observers that have a name: one list, from which `ventus run` takes an option for each. Whoever adds one writes a
 * file with its hooks and its struct observer_kind, and a name in OBSERVERS. */
#ifndef VENTUS_SIM_OBSERVERS_H
#define VENTUS_SIM_OBSERVERS_H

#include "sim/observe.h"

struct observer_kind {
    /* The option of `ventus run`. */
    const char *option; /* "trace": --trace */
    char letter;        /* its short form, 0: none */
    const char *value;  /* what its value is called; "[=X]": it may be left out, and is NULL then; NULL: it has none */
    const char *help;
    /* Work-groups must run one after another, and their warps take turns after each instruction. */
    bool serial;
    /* It decides which warp runs next, as a cycle model does: the two exclude each other. */
    bool schedules;

    /* Whether `value` makes sense, and if not, why. NULL: any value does. */
    bool (*valid)(const char *value, char *why, size_t why_size);
    /* Makes an observer for a machine in which no memory is open yet; the caller gives it to gpu_observe. NULL, and
     * why, when it cannot be made. `value` stays valid until `close`. */
    struct observer *(*open)(struct gpu *gpu, const char *value, char *why, size_t why_size);

    /* What it has found out, as a value of JSON, which `ventus run --json` shows under the name `findings`; `user` is
     * the observer's. Returns how many mistakes of the program these are: any make `ventus run` fail. NULL: nothing. */
    const char *findings;
    size_t (*find)(const void *user, FILE *json);

    /* What it has counted, as lines of `ventus run --stats`. NULL: nothing. */
    void (*stats)(const void *user, FILE *out);
    /* Why a launch may have failed, or left other memory than expected, through no mistake of the program: one line.
     * Returns its length as snprintf does. NULL: it knows of nothing. */
    int (*excuse)(const void *user, char *text, size_t size);

    /* Ends and frees it, when nothing runs any more and the machine still exists. False, and why, when something that
     * it should have written is missing. */
    bool (*close)(struct observer *observer, char *why, size_t why_size);
};

/* All of them, in the order in which they watch: what changes or stops launches comes first. OBSERVER(x) is
 * observer_x, in a file of its own. */
#define OBSERVERS(OBSERVER) \
    OBSERVER(gdb) \
    OBSERVER(quirks) OBSERVER(check) OBSERVER(trace) OBSERVER(trace_dir) OBSERVER(trace_binary) OBSERVER(coverage)

#define DECLARE(name) extern const struct observer_kind observer_##name;
OBSERVERS(DECLARE)
#undef DECLARE

#define COUNT(name) +1
enum { OBSERVER_KINDS = 0 OBSERVERS(COUNT) };
#undef COUNT

/* The same as a list. */
extern const struct observer_kind *const observer_kinds[OBSERVER_KINDS];

#endif
