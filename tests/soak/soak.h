/* What a client does for hours, and what a process holds meanwhile. */
#ifndef SOAK_H
#define SOAK_H

#include "tests/opencl/check.h"

/* Makes objects of a kind, computes with them, checks every result, and releases all that it made. */
struct activity {
    const char *name;
    void (*run)(void);
    unsigned rounds; /* so many take a part of a second, or show what each of them leaves behind */
};
extern const struct activity activities[];
extern const size_t activity_count;

/* What all of them share, made before the first and released behind the last. */
void activities_begin(void);
void activities_end(void);

/* What a process can have more and more of. */
enum amount { HEAP, RESIDENT, MAPPINGS, THREADS, FILES, CHILDREN, AMOUNTS };
struct amounts {
    long n[AMOUNTS]; /* HEAP in bytes, RESIDENT in KiB */
};
extern const char *const amount_names[AMOUNTS];

/* What this process has once its threads have ended what they were at. */
struct amounts amounts_now(void);

#endif
