/* A translation to a file of host code. */
#ifndef VENTUS_TRANSLATOR_EMIT_H
#define VENTUS_TRANSLATOR_EMIT_H

#include "translator/translate.h"

/* Bytes of a file, to be freed; size 0: none. */
struct image {
    void *bytes;
    size_t size;
};

/* Prepares LLVM; once a process, before anything else. */
void emit_begin(void);

/* Processor time of this process so far, in microseconds; wraps after an hour. */
uint32_t emit_clock(void);

/* Does this variable of the environment say 1? The client complains of other words than 0. */
bool emit_asked(const char *variable);

/* Optimises the module and makes the answer to the request (native/native.h). On failure *image is empty, and `why`
 * says what is wrong. */
bool emit_image(struct translation *t, struct image *image, char *why, size_t why_size);

#endif
