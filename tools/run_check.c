/* ventus run --check: what the checks need to know beyond what the device tells them, and their results.
 *
 * Called by run_kernel.c, for a device, and run_case.c, for a machine without one. */
#include <stdlib.h>

#include "run.h"

void run_check_device(const struct request *r, ventus_device *device)
{
    if (r->check && !ventus_checks(device) && ventus_check(device, r->check, stderr) != VENTUS_OK)
        die("no memory for checks");
}

struct check *run_check_machine(const struct request *r, struct gpu *gpu)
{
    struct check *c = r->check ? check_new(gpu, r->check, stderr) : NULL;
    if (r->check && !c) die("no memory for checks");
    if (c) gpu_observe(gpu, check_observer(c));
    return c;
}

int run_check_results(struct report *report, const struct check *c, int code)
{
    size_t size;
    if (!c) return code;
    FILE *out = open_memstream(&report->checks, &size);
    if (!out) die("out of memory");
    check_json(c, out);
    if (fclose(out)) die("out of memory");
    return code == EXIT_OK && check_count(c) ? EXIT_FAILED : code;
}
