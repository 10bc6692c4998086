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
    return c;
}

/* Buffers that launches share keep what is known of them; of new ones the recorded bytes are initialised. */
const struct observer *run_check_case(struct check *c, const struct recorded *recorded, const char *name,
                                      const struct observer *next)
{
    struct check_launch launch = {.kernel = name, .local_set = true};
    if (!c) return next;
    for (size_t i = 0; i < recorded->nbuffers; i++) {
        const struct case_buffer *b = &recorded->buffers[i];
        if (!check_has(c, b->base, b->alloc)) check_opened(c, b->base, b->alloc, "");
        check_wrote(c, b->base, b->size);
    }
    return check_begin(c, &launch, next);
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
