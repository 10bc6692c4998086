/* Results of a sweep: a file for each point, and the table and picture of all. Called by sweep.c. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot.h"
#include "sweep.h"

static const char *const statuses[] = {[SWEEP_NONE] = "none",
                                       [SWEEP_DONE] = "done",
                                       [SWEEP_HUNG] = "never ends",
                                       [SWEEP_FAILED] = "failed",
                                       [SWEEP_KILLED] = "killed"};

/* The numbers of a result, in the order of its file and of the table. */
#define NUMBERS(NUMBER) NUMBER(launches) NUMBER(cycles) NUMBER(instructions) NUMBER(lane_operations)

void sweep_path(const struct sweep *s, char path[SWEEP_PATH], const char *format, ...)
{
    va_list arguments;
    size_t n = (size_t)snprintf(path, SWEEP_PATH, "%s/", s->folder);
    va_start(arguments, format);
    vsnprintf(path + n, SWEEP_PATH - n, format, arguments);
    va_end(arguments);
}

/* ---- one point ---- */

void sweep_store(const struct sweep *s, const struct sweep_name *name, const struct sweep_result *r)
{
    char path[SWEEP_PATH], temporary[SWEEP_PATH];
    sweep_path(s, path, "%s.result", name->text);
    sweep_path(s, temporary, "%s.%ld.new", name->text, (long)getpid());
    FILE *out = open_output(temporary);
    fprintf(out, "%d", (int)r->status);
#define NUMBER(field) fprintf(out, " %llu", (unsigned long long)r->total.field);
    NUMBERS(NUMBER)
#undef NUMBER
#define COUNT(field, text) fprintf(out, " %llu", (unsigned long long)r->total.counts.field);
#include "timing/counts.def"
#undef COUNT
    fputs(" end\n", out);
    fflush(out);
    fsync(fileno(out));
    close_output(out, temporary);
    if (rename(temporary, path)) die("cannot write %s", path);
}

static bool read_number(FILE *in, uint64_t *value)
{
    unsigned long long n;
    bool read = fscanf(in, "%llu", &n) == 1;
    *value = read ? n : 0;
    return read;
}

struct sweep_result sweep_load(const struct sweep *s, const struct sweep_name *name)
{
    struct sweep_result r = {.status = SWEEP_NONE};
    char path[SWEEP_PATH], end[8] = "";
    uint64_t status;
    sweep_path(s, path, "%s.result", name->text);
    FILE *in = fopen(path, "r");
    if (!in) return r;
    bool whole = read_number(in, &status) && status <= SWEEP_KILLED;
#define NUMBER(field) whole = whole && read_number(in, &r.total.field);
    NUMBERS(NUMBER)
#undef NUMBER
#define COUNT(field, text) whole = whole && read_number(in, &r.total.counts.field);
#include "timing/counts.def"
#undef COUNT
    whole = whole && fscanf(in, "%7s", end) == 1 && !strcmp(end, "end");
    fclose(in);
    if (whole) r.status = (enum sweep_status)status;
    return r;
}

/* ---- all ---- */

/* Where a design is in the picture. */
struct spot {
    uint64_t design;
    double cost, us; /* of all runs; 0: one of them has no cycles */
};

static double time_us(const struct sweep_design *d, uint64_t cycles)
{
    return (double)cycles / sweep_number(d, "clock_mhz");
}

static void put_header(const struct sweep *s, FILE *out)
{
    fputs("run", out);
    for (unsigned i = 0; i < s->nvaried; i++) fprintf(out, ",%s", s->varied[i].name);
    fputs(",cost,status,time_us", out);
#define NUMBER(field) fputs("," #field, out);
    NUMBERS(NUMBER)
#undef NUMBER
#define COUNT(field, text) fputs("," #field, out);
#include "timing/counts.def"
#undef COUNT
    putc('\n', out);
}

static void put_point(const struct sweep *s, const struct sweep_design *d, uint64_t point, const struct sweep_result *r,
                      FILE *out)
{
    fputs(s->runs[point % s->nruns].name, out);
    for (unsigned i = 0; i < s->nvaried; i++)
        fprintf(out, ",%s", s->varied[i].values[sweep_value(s, point / s->nruns, i)]);
    fprintf(out, ",%g,%s,%.4f", sweep_cost(s, d), statuses[r->status], time_us(d, r->total.cycles));
#define NUMBER(field) fprintf(out, ",%llu", (unsigned long long)r->total.field);
    NUMBERS(NUMBER)
#undef NUMBER
#define COUNT(field, text) fprintf(out, ",%llu", (unsigned long long)r->total.counts.field);
#include "timing/counts.def"
#undef COUNT
    putc('\n', out);
}

/* Is there a design that costs no more, takes no longer, and is better in one of the two? */
static bool is_beaten(const struct spot *spots, uint64_t n, const struct spot *spot)
{
    for (const struct spot *o = spots; o < spots + n; o++)
        if (o->us > 0 && o->cost <= spot->cost && o->us <= spot->us && (o->cost < spot->cost || o->us < spot->us))
            return true;
    return false;
}

/* "sms=4 timing.l1d_sets=16": what tells the design from the others. */
static void name_design(const struct sweep *s, uint64_t design, char *text, size_t size)
{
    size_t n = 0;
    *text = 0;
    for (unsigned i = 0; i < s->nvaried && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s=%s", i ? " " : "", s->varied[i].name,
                              s->varied[i].values[sweep_value(s, design, i)]);
}

/* False: there is nothing to be drawn. */
static bool draw(const struct sweep *s, const struct spot *spots, const char *path)
{
    struct plot plot = {.least = {INFINITY, INFINITY}};
    char text[1000];
    for (uint64_t i = 0; i < s->designs; i++) {
        if (!(spots[i].us > 0 && spots[i].cost > 0)) continue;
        plot.least[0] = fmin(plot.least[0], spots[i].cost), plot.most[0] = fmax(plot.most[0], spots[i].cost);
        plot.least[1] = fmin(plot.least[1], spots[i].us), plot.most[1] = fmax(plot.most[1], spots[i].us);
    }
    if (!isfinite(plot.least[0]) || s->designs < 2) return false;
    FILE *out = open_output(path);
    plot_begin(&plot, out, "Designs: time of all runs against cost", "cost", "time, us");
    for (uint64_t i = 0; i < s->designs; i++) {
        if (!(spots[i].us > 0 && spots[i].cost > 0)) continue;
        name_design(s, i, text, sizeof text);
        plot_point(&plot, spots[i].cost, spots[i].us, text, !is_beaten(spots, s->designs, &spots[i]));
    }
    plot_end(&plot);
    close_output(out, path);
    return true;
}

/* The rows of one design. */
static uint64_t put_design(const struct sweep *s, uint64_t design, struct spot *spot, FILE *out)
{
    struct sweep_design d = sweep_design(s, design);
    uint64_t failed = 0;
    *spot = (struct spot){.design = design, .cost = sweep_cost(s, &d)};
    for (uint64_t point = design * s->nruns; point < (design + 1) * s->nruns; point++) {
        struct sweep_name name = sweep_name(s, &d, point);
        struct sweep_result r = sweep_load(s, &name);
        failed += r.status != SWEEP_DONE;
        spot->us += time_us(&d, r.total.cycles);
        put_point(s, &d, point, &r, out);
    }
    if (failed) spot->us = 0;
    sweep_design_free(&d);
    return failed;
}

/* Puts a new file in the place of the one of this name. */
static void replace(const struct sweep *s, const char *temporary, const char *name)
{
    char path[SWEEP_PATH];
    sweep_path(s, path, "%s", name);
    if (rename(temporary, path)) die("cannot write %s", path);
}

uint64_t sweep_report(const struct sweep *s)
{
    char temporary[SWEEP_PATH];
    uint64_t failed = 0;
    struct spot *spots = allocate(s->designs * sizeof *spots);
    sweep_path(s, temporary, "results.%ld.new", (long)getpid());
    FILE *out = open_output(temporary);
    put_header(s, out);
    for (uint64_t i = 0; i < s->designs; i++) failed += put_design(s, i, &spots[i], out);
    close_output(out, temporary);
    replace(s, temporary, "results.csv");
    if (draw(s, spots, temporary)) replace(s, temporary, "pareto.svg");
    free(spots);
    return failed;
}
