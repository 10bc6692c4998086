/* Kernels with a mistake that the checks must find, and that they must not find when WRONG is 0. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "check/check.h"

/* An argument: 'w' a buffer of so many words, all written; 'n' the same, never written; 'l' bytes of local memory; 'i'
 * an integer. */
struct sample_arg {
    char kind;
    uint32_t value;
};

struct sample {
    const char *name, *source; /* the kernel is called k */
    uint32_t global, local;
    struct sample_arg args[4];
    enum check_kind kind;
    uint32_t line, other; /* lines of the first report of this kind; other 0: it has no other side */
    uint32_t item, lanes; /* first work-item (global id) and how many at once */
    uint32_t other_item;  /* of a race */
    const char *where;    /* part of the text that names the memory */
};

extern const struct sample samples[];
extern const size_t nsamples;

#endif
