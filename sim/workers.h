/* Host threads that help to run a machine: they sleep until they are called. */
#ifndef VENTUS_SIM_WORKERS_H
#define VENTUS_SIM_WORKERS_H

#include <stdint.h>

struct workers;

/* `count` threads, each of which calls run(user, number), number from 1 on, once for each call below. NULL: the host
 * has no memory or no threads left. */
struct workers *workers_new(uint32_t count, void (*run)(void *user, uint32_t number));
void workers_free(struct workers *w);

/* Wakes them all; those that are in run() come again when they have returned. Takes some microseconds. */
void workers_call(struct workers *w, void *user);

/* Returns when none is in run(), and none comes there any more until the next call. */
void workers_dismiss(struct workers *w);

#endif
