/* Words that variables of the environment say. */
#ifndef VENTUS_HOST_WORD_H
#define VENTUS_HOST_WORD_H

#include <stdatomic.h>
#include <stdbool.h>

enum { HOST_WORDS = 4 };

/* A variable, and the words that it may be, NULL behind the last. One that is not set, or empty, or something else,
 * counts as the first; the last is a line on standard error, once. `said` begins as zero. */
struct host_word {
    const char *variable, *words[HOST_WORDS + 1];
    atomic_bool said;
};

/* Which word it is, from 0. */
unsigned host_word(struct host_word *word);

#endif
