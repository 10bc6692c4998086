/* Numbers that variables of the environment say. */
#ifndef VENTUS_HOST_NUMBER_H
#define VENTUS_HOST_NUMBER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A variable, and what it may say: a whole number from `least` to `most`, which is `what` ("number of seconds"). One
 * that is not set, or empty, or says something else, counts as `usual`; the last is a line on standard error, once.
 * `said` begins as zero. */
struct host_number {
    const char *variable, *what;
    uint64_t least, most, usual;
    atomic_bool said;
};

uint64_t host_number(struct host_number *number);

/* What a compilation may take, in seconds of processor time (VENTUS_CC_SECONDS) and by the clock (VENTUS_CC_PATIENCE).
 * What is wrong with the variables is said by who starts the compiler, whose own standard error is a log. */
struct host_compile_limits {
    unsigned seconds, patience;
};
struct host_compile_limits host_compile_limits(bool says);

#endif
