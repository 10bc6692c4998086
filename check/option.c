/* The check as an observer with a name: `ventus run --check`. Called by way of the list in sim/observers.c. */
#include "check/check.h"
#include "sim/observers.h"

static bool option_valid(const char *list, char *why, size_t why_size)
{
    unsigned what;
    return check_parse(list, &what, why, why_size);
}

static struct observer *option_open(struct gpu *gpu, const char *list, char *why, size_t why_size)
{
    unsigned what;
    struct check *c = check_parse(list, &what, why, why_size) ? check_new(gpu, what, stderr) : NULL;
    if (c) return check_observer(c);
    snprintf(why, why_size, "no memory for checks");
    return NULL;
}

static size_t option_find(const void *check, FILE *json)
{
    check_json(check, json);
    return check_count(check);
}

static bool option_close(struct observer *observer, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    check_summary(observer->user, false);
    check_free(observer->user);
    return true;
}

const struct observer_kind observer_check = {
    .option = "check",
    .value = "[=KINDS]",
    .help = "look for mistakes of the kernel: all, or a list of bounds, overflow,\nuninit, races, barriers, align; "
            "docs/check.md explains them",
    .valid = option_valid,
    .open = option_open,
    .findings = "checks",
    .find = option_find,
    .close = option_close,
};
