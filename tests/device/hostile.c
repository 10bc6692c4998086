/* Device libraries that are wrong: the number in HOSTILE says in what way. tests/shell/backend.sh compiles one for all
 * of them, and one for the case without a symbol. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ventus_backend.h"

enum {
    NO_SYMBOL = 1, /* WITHOUT_SYMBOL is defined */
    NO_TABLE,
    OTHER_ABI,
    SHORT_TABLE,
    NO_WAIT,
    NO_OPEN,
    OPEN_FAILS,
    OPEN_SILENT,
    OPEN_NOTHING,
    NO_SMS,
    OTHER_SIZE,
    NEW_FEATURES,
    NO_END,
    OTHER_PROFILE,
    WRITE_FAILS,
    LAUNCH_FAILS,
    NEVER_ENDS,
    OTHER_STATE,
    READ_FAILS,
    MANY_COUNTERS,
    DEVICE_FAILS,
    OWN_TIMEOUT,
    LONG_TEXT,
    NEVER_READ,
    GOOD,
    OLD_TABLE /* one that ends before the functions that may be missing: what is behind it is anything */
};

struct ventus_backend_device {
    int unused;
};

#define CASE number()

static int number(void)
{
    const char *text = getenv("HOSTILE");
    return text ? atoi(text) : GOOD;
}

static int open_it(const struct ventus_backend_options *options, struct ventus_backend_device **device, char *why,
                   size_t why_size)
{
    (void)options;
    if (CASE == OPEN_FAILS) return snprintf(why, why_size, "the board is not plugged in");
    if (CASE == OPEN_SILENT) return -1;
    if (CASE == LONG_TEXT) return memset(why, 'x', why_size), 1;
    if (CASE != OPEN_NOTHING) *device = calloc(1, sizeof **device);
    return 0;
}

static void close_it(struct ventus_backend_device *d) { free(d); }

static int describe(struct ventus_backend_device *d, struct ventus_backend_info *i, char *why, size_t why_size)
{
    (void)d, (void)why, (void)why_size;
    if (CASE == NO_SMS) i->sms = 0;
    if (CASE == OTHER_SIZE) i->size += 8;
    if (CASE == NEW_FEATURES) i->features = ~0u;
    if (CASE == NO_END) memset(i->name, 'x', sizeof i->name);
    if (CASE == OTHER_PROFILE) strcpy(i->profile, "arm");
    return 0;
}

static int put(struct ventus_backend_device *d, uint64_t addr, const void *src, uint64_t size, char *why,
               size_t why_size)
{
    (void)d, (void)addr, (void)src, (void)size;
    return CASE == WRITE_FAILS ? snprintf(why, why_size, "no such memory") : 0;
}

static int get(struct ventus_backend_device *d, uint64_t addr, void *dst, uint64_t size, char *why, size_t why_size)
{
    (void)d, (void)addr;
    memset(dst, 0, size);
    return CASE == READ_FAILS || CASE == NEVER_READ ? snprintf(why, why_size, "no such memory") : 0;
}

static int launch(struct ventus_backend_device *d, const struct ventus_backend_launch *l, char *why, size_t why_size)
{
    (void)d, (void)l;
    return CASE == LAUNCH_FAILS ? snprintf(why, why_size, "too many groups") : 0;
}

static int wait_for(struct ventus_backend_device *d, uint64_t timeout_ns, struct ventus_backend_outcome *o)
{
    (void)d, (void)timeout_ns, (void)o;
    if (CASE == DEVICE_FAILS) return snprintf(o->text, sizeof o->text, "assertion 17"), VENTUS_BACKEND_FAILED;
    if (CASE == OWN_TIMEOUT) return VENTUS_BACKEND_TIMEOUT;
    return CASE == NEVER_ENDS || CASE == NEVER_READ ? VENTUS_BACKEND_RUNS
           : CASE == OTHER_STATE                    ? 77
                                                    : VENTUS_BACKEND_DONE;
}

static uint32_t count(struct ventus_backend_device *d, struct ventus_backend_counter *counters, uint32_t room)
{
    (void)d;
    for (uint32_t i = 0; i < room; i++) memset(counters[i].name, 'x', sizeof counters[i].name);
    return CASE == MANY_COUNTERS ? 1u << 30 : room;
}

#ifdef WITHOUT_SYMBOL
#define ventus_backend_table another_table
#endif
const struct ventus_backend *ventus_backend_table(void);
const struct ventus_backend *ventus_backend_table(void)
{
    static struct ventus_backend t = {VENTUS_BACKEND_ABI, sizeof t, open_it, close_it, describe, put, get, launch,
                                      wait_for,           count};
    if (CASE == NO_TABLE) return NULL;
    if (CASE == OTHER_ABI) t.abi = 7;
    if (CASE == SHORT_TABLE) t.size = 16;
    if (CASE == NO_WAIT) t.wait = NULL;
    if (CASE == NO_OPEN) t.open = NULL;
    if (CASE == OLD_TABLE)
        t.size = offsetof(struct ventus_backend, program), memset(&t.program, 0x55, sizeof t.program);
    return &t;
}
