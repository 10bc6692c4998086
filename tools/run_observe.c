/* ventus run: the observers that the command line asks for, and what they have found.
 *
 * Called by run_kernel.c, for the machine of a device, and run_case.c, for a machine without one. */
#include <stdlib.h>

#include "run.h"

void observers_enable(struct request *r, unsigned kind)
{
    const struct observer_kind *k = observer_kinds[kind];
    char why[700];
    if (k->valid && !k->valid(r->args.value, why, sizeof why)) usage_error(&r->args, "--%s: %s", k->option, why);
    r->observers[kind].wanted = true;
    r->observers[kind].value = r->args.value;
}

void observers_open(struct request *r, struct gpu *gpu)
{
    char why[300];
    timing_begin(r, gpu);
    for (unsigned i = 0; i < OBSERVER_KINDS; i++) {
        struct watch *w = &r->observers[i];
        if (!w->wanted) continue;
        w->observer = observer_kinds[i]->open(gpu, w->value, why, sizeof why);
        if (!w->observer) die("--%s: %s", observer_kinds[i]->option, why);
        gpu_observe(gpu, w->observer);
    }
}

int observer_found(struct report *report, const struct observer_kind *kind, const void *user, int code)
{
    size_t size;
    char *before = report->findings;
    if (!kind->find) return code;
    FILE *out = open_memstream(&report->findings, &size);
    if (!out) die("out of memory");
    fprintf(out, "%s,\n  \"%s\": ", before ? before : "", kind->findings);
    size_t mistakes = kind->find(user, out);
    if (fclose(out)) die("out of memory");
    free(before);
    return code == EXIT_OK && mistakes ? EXIT_FAILED : code;
}

/* Its lines for --stats, behind those of others. */
static void keep_stats(struct report *report, const struct observer_kind *kind, const void *user)
{
    size_t size;
    char *before = report->stats;
    if (!kind->stats) return;
    FILE *out = open_memstream(&report->stats, &size);
    if (!out) die("out of memory");
    if (before) fputs(before, out);
    kind->stats(user, out);
    if (fclose(out)) die("out of memory");
    free(before);
}

/* The run has failed: what an observer knows that may be the reason. */
static void excuse(const struct observer_kind *kind, const void *user)
{
    char text[600];
    if (!kind->excuse) return;
    kind->excuse(user, text, sizeof text);
    fprintf(stderr, "ventus run: %s\n", text);
}

int observers_close(struct request *r, struct gpu *gpu, int code)
{
    char why[300];
    const bool failed = code != EXIT_OK;
    code = timing_end(r, gpu, code);
    for (unsigned i = 0; i < OBSERVER_KINDS; i++) {
        struct watch *w = &r->observers[i];
        if (!w->observer) continue;
        code = observer_found(&r->report, observer_kinds[i], w->observer->user, code);
        keep_stats(&r->report, observer_kinds[i], w->observer->user);
        if (failed) excuse(observer_kinds[i], w->observer->user);
        if (observer_kinds[i]->close(w->observer, why, sizeof why)) continue;
        fprintf(stderr, "ventus run: --%s: %s\n", observer_kinds[i]->option, why);
        code = EXIT_FAILED;
    }
    return code;
}
