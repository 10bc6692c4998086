/* The debugger as an observer with a name: `ventus run --gdb`. Called by way of the list of observers. */
#include "debug/debugger.h"
#include "sim/observers.h"

static struct observer *option_open(struct gpu *gpu, const char *where, char *why, size_t why_size)
{
    struct debugger *d = debugger_new(gpu, where, why, why_size);
    return d ? debugger_observer(d) : NULL;
}

static bool option_close(struct observer *observer, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    debugger_free(observer->user);
    return true;
}

const struct observer_kind observer_gdb = {
    .option = "gdb",
    .value = "WHERE",
    .help = "wait for gdb or lldb at :PORT or at the path of a socket; docs/debugger.md",
    .schedules = true,
    .valid = debugger_where,
    .open = option_open,
    .close = option_close,
};
