/* Host threads help to run a machine; they sleep until they are called. */
#ifndef VENTUS_SIM_WORKERS_H
#define VENTUS_SIM_WORKERS_H

#include <stdint.h>

struct workers;

/* Starts `count` threads, each of which calls run(user, number), with numbers from 1 on, once for each workers_call.
 * NULL: the host has no memory or no threads left. */
struct workers *workers_new(uint32_t count, void (*run)(void *user, uint32_t number));
void workers_free(struct workers *w);

/* Wakes them all; those that are in run() call it again when it has returned. The call takes some microseconds. */
void workers_call(struct workers *w, void *user);

/* Returns when no thread is in run(); none calls it any more until the next workers_call. */
void workers_dismiss(struct workers *w);

#endif
