/* The event timeline: its forms, and CSV, which is one. Called through EVENT. */
#include "timing/timeline.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/output.h"

struct timeline {
    FILE *out;
    char *path;
    const struct timeline_form *form;
    void *state; /* of the form */
};

/* ---- CSV ---- */

static void *csv_open(FILE *out, const struct model *m)
{
    (void)m;
    fputs("cycle,event,sm,warp,pc,extra\n", out);
    return out;
}

static void csv_event(void *out, const struct timeline_event *e)
{
    uint64_t cycle = e->cycle - e->core->model->begun;
    fprintf(out, "%llu,%s,%u,%u,", (unsigned long long)cycle, e->name, e->core->number, e->warp);
    if (e->has_pc) fprintf(out, "%08x,", (unsigned)e->pc);
    else fputs("-,", out);
    fprintf(out, "%s\n", e->extra);
}

static void csv_close(void *out, uint64_t now)
{
    (void)out;
    (void)now;
}

static const struct timeline_form csv = {{".csv"}, csv_open, csv_event, NULL, csv_close};

/* ---- opening and closing ---- */

static const struct timeline_form *form_of(const char *path)
{
    static const struct timeline_form *const forms[] = {&timeline_perfetto, &timeline_konata, &timeline_vcd};
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        for (unsigned k = 0; k < 3; k++)
            if (forms[i]->suffixes[k] && output_ends_with(path, forms[i]->suffixes[k])) return forms[i];
    return &csv;
}

struct timeline *timeline_open(const struct model *m, const char *path, char *why, size_t why_size)
{
    struct timeline *t = calloc(1, sizeof *t);
    snprintf(why, why_size, "out of memory");
    if (!t || !(t->path = strdup(path))) {
        free(t);
        return NULL;
    }
    t->form = form_of(path);
    t->out = output_open(path, why, why_size);
    t->state = t->out ? t->form->open(t->out, m) : NULL;
    if (t->state) return t;
    if (t->out) output_close(t->out, path, why, why_size);
    free(t->path);
    free(t);
    return NULL;
}

bool timeline_close(struct timeline *t, uint64_t now, char *why, size_t why_size)
{
    if (!t) return true;
    t->form->close(t->state, now);
    bool written = output_close(t->out, t->path, why, why_size);
    free(t->path);
    free(t);
    return written;
}

void timeline_cycle(const struct timeline *t)
{
    if (t->form->cycle) t->form->cycle(t->state);
}

/* ---- events ---- */

void timeline_write(const struct core *c, const char *event, unsigned warp, uint32_t pc, bool has_pc,
                    const char *format, ...)
{
    const struct timeline *t = c->model->timeline;
    struct timeline_event e = {
        .cycle = c->model->now, .core = c, .name = event, .warp = warp, .has_pc = has_pc, .pc = pc};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e.extra, sizeof e.extra, format, arguments);
    va_end(arguments);
    t->form->event(t->state, &e);
}
