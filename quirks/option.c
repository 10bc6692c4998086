/* Known faults as an observer with a name: `ventus run --quirks`. Called by way of the list in sim/observers.c. */
#include "quirks/quirks.h"
#include "sim/observers.h"

static bool option_valid(const char *names, char *why, size_t why_size)
{
    uint32_t set;
    return quirks_parse(names, &set, why, why_size);
}

static struct observer *option_open(struct gpu *gpu, const char *names, char *why, size_t why_size)
{
    struct quirks *q = quirks_new(gpu, names, why, why_size);
    return q ? quirks_observer(q) : NULL;
}

static size_t option_find(const void *quirks, FILE *json)
{
    quirks_json(quirks, json);
    return 0;
}

static void option_stats(const void *quirks, FILE *out) { quirks_stats(quirks, out); }

static int option_excuse(const void *quirks, char *text, size_t size)
{
    int n = snprintf(text, size, "known faults of the hardware that acted: ");
    return n + quirks_print(quirks, true, text + n, size - (size_t)n);
}

static bool option_close(struct observer *observer, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    quirks_free(observer->user);
    return true;
}

const struct observer_kind observer_quirks = {
    .option = "quirks",
    .value = "NAME[,NAME...]",
    .help =
        "with known faults of hardware, as `ventus info --quirks` lists them,\nor all of a version (verilog-192d1e0)",
    .valid = option_valid,
    .open = option_open,
    .findings = "quirks",
    .find = option_find,
    .stats = option_stats,
    .excuse = option_excuse,
    .close = option_close,
};
