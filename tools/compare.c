/* ventus compare: one program or recorded launch on several design points, as one table. */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { FLAG_CONFIG, FLAG_TIMING, FLAG_CSV };
static const struct flag flags[] = {
    {"config", 0, "FILE", "a design point: a machine file with timing = NAME"},
    {"timing", 0, "NAME", "a design point: the default machine with this cycle model"},
    {"csv", 0, "FILE", "write the table as CSV; - is standard output"},
    {0},
};

static const char about[] =
    "Runs a program, or recorded launches (FILE.metadata), on each design point and prints one table: cycles, time, "
    "and\n"
    "where they differ. What stands behind -- are arguments of `ventus run`.\n\n"
    "Example:  ventus compare saxpy.elf --config configs/verilog.conf --config configs/large.conf \\\n"
    "              -- -g 1024 -a f:2 -a iota:1024 -a buf:4096";

enum { MOST_POINTS = 64 }; /* columns of the table; one more is an error */

struct point {
    const char *option, *value;
    struct measurement m;
};

/* ---- the rows ---- */

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }
static double share(uint64_t part, uint64_t rest) { return 100 * ratio((double)part, (double)(part + rest)); }

/* What a row shows of a kernel; `base` is the same on the first design point. */
struct cell {
    const struct measurement *m;
    const struct measured *k, *base;
};

static double cycles(const struct cell *c) { return (double)c->k->cycles; }
static double time_us(const struct cell *c) { return ratio((double)c->k->cycles, c->m->clock_mhz); }
static double speedup(const struct cell *c) { return ratio((double)c->base->cycles, (double)c->k->cycles); }
static double ipc(const struct cell *c) { return ratio((double)c->k->counts.issued, (double)c->k->cycles); }
static double l1i(const struct cell *c) { return share(c->k->counts.l1i_hits, c->k->counts.l1i_misses); }
static double l1d(const struct cell *c) { return share(c->k->counts.l1d_hits, c->k->counts.l1d_misses); }
static double l2(const struct cell *c) { return share(c->k->counts.l2_hits, c->k->counts.l2_misses); }

static double lines(const struct cell *c)
{
    return ratio((double)c->k->counts.l1d_accesses, (double)c->k->counts.l1d_instructions);
}

static double rows(const struct cell *c)
{
    return ratio((double)c->k->counts.lds_accesses, (double)c->k->counts.lds_instructions);
}

static double bytes(const struct cell *c)
{
    return (double)(c->k->counts.memory_reads + c->k->counts.memory_writes) * c->m->timing.line_bytes;
}

static double bytes_per_cycle(const struct cell *c) { return ratio(bytes(c), (double)c->k->cycles); }

static const struct row {
    const char *name;
    double (*value)(const struct cell *);
    int digits;
} table[] = {
    {"cycles", cycles, 0},
    {"time, us", time_us, 2},
    {"speedup in cycles", speedup, 2},
    {"instructions per cycle", ipc, 3},
    {"L1I hits, %", l1i, 1},
    {"L1D hits, %", l1d, 1},
    {"L2 hits, %", l2, 1},
    {"lines per access", lines, 2},
    {"local rows per access", rows, 2},
    {"bytes of memory", bytes, 0},
    {"bytes per cycle", bytes_per_cycle, 3},
};
enum { ROWS = sizeof table / sizeof *table };

/* ---- the table ---- */

/* A cell of a kernel that has not ended has no value. */
static void put_cells(FILE *out, const struct point *points, unsigned n, uint64_t kernel, const struct row *row,
                      bool csv)
{
    for (unsigned i = 0; i < n; i++) {
        const struct cell c = {&points[i].m, &points[i].m.kernels[kernel], &points[0].m.kernels[kernel]};
        char text[40] = "never ends";
        if (!c.k->hung) snprintf(text, sizeof text, "%.*f", row->digits, row->value(&c));
        if (csv) fprintf(out, ",%s", c.k->hung ? "" : text);
        else fprintf(out, " %20s", text);
    }
    putc('\n', out);
}

/* The end of a path, as wide as a column. */
static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t n = strlen(base);
    return n > 20 ? base + n - 20 : base;
}

static void put_table(FILE *out, const struct point *points, unsigned n)
{
    for (uint64_t k = 0; k < points[0].m.n; k++) {
        fprintf(out, "%s%s\n%24s", k ? "\n" : "", measured_name(&points[0].m.kernels[k]), "");
        for (unsigned i = 0; i < n; i++) fprintf(out, " %20s", short_name(points[i].value));
        putc('\n', out);
        for (const struct row *row = table; row < table + ROWS; row++) {
            fprintf(out, "  %-22s", row->name);
            put_cells(out, points, n, k, row, false);
        }
    }
}

/* A field of CSV in quotation marks. */
static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', out);
}

static void put_csv(FILE *out, const struct point *points, unsigned n)
{
    fputs("kernel,value", out);
    for (unsigned i = 0; i < n; i++) {
        putc(',', out);
        put_quoted(out, points[i].value);
    }
    putc('\n', out);
    for (uint64_t k = 0; k < points[0].m.n; k++)
        for (const struct row *row = table; row < table + ROWS; row++) {
            put_quoted(out, points[0].m.kernels[k].kernel);
            putc(',', out);
            put_quoted(out, row->name);
            put_cells(out, points, n, k, row, true);
        }
}

/* ---- the command ---- */

static void run_point(struct point *p, const struct run_arguments *run)
{
    struct run_arguments args = {0};
    for (int i = 1; i < run->n; i++) run_arguments_add(&args, run->args[i]);
    run_arguments_add(&args, p->option);
    run_arguments_add(&args, p->value);
    int code = measure(args.n, args.args, p->value, &p->m);
    free(args.args);
    if (code != EXIT_OK) exit(code);
}

int cmd_compare(int argc, char **argv)
{
    struct point points[MOST_POINTS] = {0};
    struct run_arguments run = {0};
    unsigned n = 0;
    const char *csv = NULL;
    struct args args = {.command = "compare",
                        .usage = "PROGRAM|FILE.metadata... --config FILE|--timing NAME... [-- RUN-ARGUMENTS]",
                        .about = about,
                        .flags = flags,
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == ARG_PLAIN) run_argument(&run, &args);
        else if (flag == FLAG_CSV) csv = args.value;
        else if (n == MOST_POINTS) usage_error(&args, "more than %d design points", MOST_POINTS);
        else points[n++] = (struct point){flag == FLAG_CONFIG ? "--config" : "--timing", args.value};
    }
    if (!run.n) usage_error(&args, "a program or a recorded launch is needed");
    if (!n) usage_error(&args, "design points are needed: --config FILE or --timing NAME");
    for (unsigned i = 0; i < n; i++) run_point(&points[i], &run);
    FILE *out = csv ? open_output(csv) : NULL;
    if (out) put_csv(out, points, n), close_output(out, csv);
    if (!csv || strcmp(csv, "-")) put_table(stdout, points, n);
    for (unsigned i = 0; i < n; i++) free(points[i].m.kernels);
    free(run.args);
    return EXIT_OK;
}
