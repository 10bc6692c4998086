/* The process ventus-translate, as the machine talks to it (native/native.h has the words). */
#ifndef VENTUS_NATIVE_PROCESS_H
#define VENTUS_NATIVE_PROCESS_H

#include <stddef.h>

#include "native/native.h"

/* Where the program is: host_program with $VENTUS_TRANSLATE; NULL: that is empty, or the host has no memory. To be
 * freed.
 */
char *translator_program(void);

/* One process, started when it is first needed; one thread at a time may use it. */
struct translator_process {
    pthread_mutex_t lock; /* of `socket` */
    int socket;           /* -1: not started, or lost */
    bool stopped;
    int pid;
    int said;          /* what it has written to its error output; -1: it is not kept */
    _Atomic bool sent; /* a whole request, since whoever asks has set this to false */
    unsigned starts;   /* how often it has been started: one that keeps dying is left alone */
};

/* False: the host has no memory. */
bool translator_init(struct translator_process *p);

/* From any thread: an answer that is being waited for does not come, and no other either. */
void translator_stop(struct translator_process *p);

/* Ends it, if it runs; for good. */
void translator_close(struct translator_process *p);

/* Has `request`, with the words of its program behind it, translated. Returns the image, to be freed, and its size;
 * NULL when there is none, for whatever reason: no program, no memory, an answer that is nonsense, or a minute in which
 * the translator neither reads nor answers (VENTUS_TRANSLATE_PATIENCE). */
void *translator_ask(struct translator_process *p, const struct native_request *request, const uint32_t *program,
                     size_t *size);

/* Appends a request and its program to a file, as the translator reads them. False: there is no room, and the file is
 * as it was. */
bool translator_write(int file, const struct native_request *request, const uint32_t *program);

/* Has the requests in a file translated into the cache by another process, which yields to others and may outlive this
 * one, and closes the file; -1: there is none. */
void translator_leave(int file);

#endif
