/* A device library whose device is our own machine (driver/backend_machine.h), another one than the driver's: what a
 * test runs on it goes through the whole interface (driver/ventus_backend.h).
 *
 * Options: lack=BITS takes features away, slow=1 has launches wait a moment, hang=1 for ever;
 * once=1 with it: only the first launch of the process. memory=MIB: so much from 0x90000000 on. single=1: one at a
 * time. count=1: it counts instructions, and what our machine does not count. With VENTUS_MACHINE_TELLS it says on
 * standard error which programs it is told of. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/backend_machine.h"
#include "isa/abi.h"
#include "sim/engine.h"

struct device {
    struct ventus_backend_device machine; /* first: the functions get its address */
    unsigned lack, slow, hang, once, memory, single, count;
    bool hangs, waits; /* a launch that never begins; one that seems to run once more */
};

static struct device *device_of(struct ventus_backend_device *d) { return (struct device *)d; }

static int fail(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return 1;
}

/* ---- opening ---- */

static bool read_options(struct device *d, const char *text)
{
    for (int n; *text; text += n + (text[n] == ',')) {
        n = 0;
        sscanf(text, "lack=%u%n", &d->lack, &n);
        if (!n) sscanf(text, "slow=%u%n", &d->slow, &n);
        if (!n) sscanf(text, "hang=%u%n", &d->hang, &n);
        if (!n) sscanf(text, "once=%u%n", &d->once, &n);
        if (!n) sscanf(text, "memory=%u%n", &d->memory, &n);
        if (!n) sscanf(text, "single=%u%n", &d->single, &n);
        if (!n) sscanf(text, "count=%u%n", &d->count, &n);
        if (!n || (text[n] && text[n] != ',')) return false;
    }
    return true;
}

static atomic_uint opened;

static int open_machine(const struct ventus_backend_options *options, struct ventus_backend_device **device, char *why,
                        size_t why_size)
{
    struct device *d = calloc(1, sizeof *d);
    if (!d) return fail(why, why_size, "out of memory");
    if (!read_options(d, options->text)) {
        free(d);
        return fail(why, why_size, "an option is none of lack, slow, hang, once, memory, single, count");
    }
    if (atomic_fetch_add(&opened, 1) && d->single) {
        atomic_fetch_sub(&opened, 1);
        free(d);
        return fail(why, why_size, "there is only one, which is open");
    }
    backend_machine_init(&d->machine, NULL);
    *device = &d->machine;
    return 0;
}

static void close_machine(struct ventus_backend_device *d)
{
    backend_machine_end(d);
    gpu_destroy(d->gpu);
    atomic_fetch_sub(&opened, 1);
    free(device_of(d));
}

static int describe(struct ventus_backend_device *d, struct ventus_backend_info *i, char *why, size_t why_size)
{
    const struct device *own = device_of(d);
    struct gpu_config c;
    const char *wrong = "";
    gpu_config_default(&c);
    if (!backend_adopt(&c, i)) return fail(why, why_size, "unknown profile");
    c.host_threads = 1;             /* it stands still while the host prints */
    engine_find("step", &c.engine); /* the translator lies beside other files */
    d->gpu = gpu_create(&c, &wrong);
    if (!d->gpu) return fail(why, why_size, wrong);
    i->features &= ~own->lack;
    if (own->memory) i->memory_mib = own->memory;
    snprintf(i->name, sizeof i->name, "the machine again");
    return 0;
}

/* ---- memory and launches ---- */

static int put(struct ventus_backend_device *d, uint64_t addr, const void *src, uint64_t size, char *why,
               size_t why_size)
{
    const uint64_t mib = device_of(d)->memory;
    if (mib && addr >= ABI_HEAP_BASE + (mib << 20)) return fail(why, why_size, "no such memory");
    return backend_machine_write(d, addr, src, size, why, why_size);
}

static int launch(struct ventus_backend_device *d, const struct ventus_backend_launch *l, char *why, size_t why_size)
{
    static atomic_uint launches;
    struct device *own = device_of(d);
    own->hangs = own->hang && !(atomic_fetch_add(&launches, 1) && own->once);
    own->waits = own->slow;
    return own->hangs ? 0 : backend_machine_launch(d, l, why, why_size);
}

static int wait_for(struct ventus_backend_device *d, uint64_t timeout_ns, struct ventus_backend_outcome *o)
{
    struct device *own = device_of(d);
    if (own->hangs || own->waits) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        own->waits = false;
        return VENTUS_BACKEND_RUNS;
    }
    const int state = backend_machine_wait(d, timeout_ns, o);
    if (state == VENTUS_BACKEND_DONE || state == VENTUS_BACKEND_FAULT) o->cycles = d->result.counters.instructions;
    return state;
}

static uint32_t count(struct ventus_backend_device *d, struct ventus_backend_counter *counters, uint32_t room)
{
    if (!device_of(d)->count) return backend_machine_counters(d, counters, room);
    counters[0] = (struct ventus_backend_counter){"instructions", d->result.counters.instructions};
    counters[1] = (struct ventus_backend_counter){"stalls of \"memory\"\n", 77};
    return 2;
}

static void tell(struct ventus_backend_device *d, const void *elf, uint64_t size)
{
    (void)d;
    fprintf(stderr, "a program of %llu bytes, %.3s\n", (unsigned long long)size, (const char *)elf + 1);
}

const struct ventus_backend *ventus_backend_table(void)
{
    static struct ventus_backend table = {.abi = VENTUS_BACKEND_ABI,
                                          .size = sizeof table,
                                          .open = open_machine,
                                          .close = close_machine,
                                          .describe = describe,
                                          .write = put,
                                          .read = backend_machine_read,
                                          .launch = launch,
                                          .wait = wait_for,
                                          .counters = count};
    if (getenv("VENTUS_MACHINE_TELLS")) table.program = tell;
    return &table;
}
