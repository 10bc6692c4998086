/* When something happens: by the clock, and in processor time of the whole process. */
#ifndef BENCH_MOMENT_H
#define BENCH_MOMENT_H

/* Seconds. */
struct moment {
    double wall, processor;
    unsigned others; /* threads */
};

struct moment moment_now(void);
struct moment moment_since(struct moment start);

/* Of two doubles, for qsort. */
int rising(const void *a, const void *b);

#endif
