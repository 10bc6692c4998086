/* ventus run --timing: the cycle model of the machine that runs, and what it has counted.
 *
 * Called by run_observe.c with the other observers. */
#include <stdlib.h>

#include "run.h"
#include "timing/account.h"

void timing_begin(struct request *r, struct gpu *gpu)
{
    char why[300];
    if (!r->timing) return;
    r->model = timing_open(gpu, r->timing, r->timeline, why, sizeof why);
    if (!r->model) usage_error(&r->args, "--timing: %s", why);
    r->report.model = *timing_config_of(r->model);
    if ((r->json || r->stats) && !timing_account(r->model)) die("out of memory");
    r->report.timing = r->timing;
}

static char *text_of(const struct timing_launch *launch, void (*write)(const struct timing_launch *, FILE *))
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) die("out of memory");
    write(launch, out);
    if (fclose(out)) die("out of memory");
    return text;
}

/* Each launch's counts as text, in the order of the launches. */
static void collect(struct report *report, const struct model *model)
{
    size_t n;
    const struct timing_launch *launches = timing_launches(model, &n);
    for (size_t i = 0; i < n && i < report->n; i++) {
        struct reported *l = &report->launches[i];
        l->timing = text_of(&launches[i], timing_json);
        l->cycle_table = text_of(&launches[i], timing_table);
        l->timed = launches[i];
        l->timed.kernel = NULL;
        l->timed.account = NULL;
    }
}

int timing_end(struct request *r, struct gpu *gpu, int code)
{
    char why[300];
    if (!r->model) return code;
    collect(&r->report, r->model);
    if (!timing_close(r->model, gpu, why, sizeof why)) {
        fprintf(stderr, "ventus run: --timeline: %s\n", why);
        code = EXIT_FAILED;
    }
    r->model = NULL;
    for (size_t i = 0; i < r->report.n && !r->silent; i++) {
        const struct reported *l = &r->report.launches[i];
        if (!l->timing) continue;
        if (l->timed.hung) printf("%s: the modelled hardware never ends\n", l->name);
        else printf("%s: %llu cycles\n", l->name, (unsigned long long)l->timed.cycles);
    }
    return code;
}
