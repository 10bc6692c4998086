/* Time of the process by its threads' clocks; see moment.h. */
#include "moment.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double clock_seconds(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the other threads have used, by the clock of each (clock_getres(2) says how it is numbered), and how many there
 * are. The clock of the process lags behind threads that run, by some milliseconds: if a device's thread goes to sleep
 * a little later than the launch ends, it looks as if the launch had cost nothing. */
static double others_seconds(unsigned *count)
{
    double sum = 0;
    DIR *threads = opendir("/proc/self/task");
    *count = 0;
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        const long thread = strtol(entry->d_name, NULL, 10);
        if (thread <= 0 || thread == gettid()) continue;
        sum += clock_seconds((clockid_t)(~(unsigned long)thread << 3 | 6));
        ++*count;
    }
    if (threads) closedir(threads);
    return sum;
}

/* In an order that leaves out what asking takes. */
struct moment moment_now(void)
{
    struct moment m;
    m.processor = others_seconds(&m.others);
    m.processor += clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    m.wall = clock_seconds(CLOCK_MONOTONIC);
    return m;
}

struct moment moment_since(struct moment start)
{
    struct moment m = {.wall = clock_seconds(CLOCK_MONOTONIC) - start.wall};
    const double own = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    m.processor = own + others_seconds(&m.others) - start.processor;
    if (m.others < start.others) m.processor = m.wall; /* a thread has ended, and its time is gone */
    return m;
}

int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
