/* ventus roofline: the kernels of a program under the roofs of a design point, as a table and a picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "plot.h"

enum { FLAG_OUTPUT, FLAG_CONFIG, FLAG_TIMING };
static const struct flag flags[] = {
    {"output", 'o', "FILE", "the picture, SVG; default roofline.svg"},
    {"config", 0, "FILE", "the design point: a machine file with timing = NAME"},
    {"timing", 0, "NAME", "... or the default machine with this cycle model"},
    {0},
};

static const char about[] =
    "Runs a program, or recorded launches (FILE.metadata), and shows how near each kernel comes to what the machine "
    "can do:\n"
    "lane operations per cycle against lane operations per byte of memory traffic. A lane operation is an active lane "
    "of a\n"
    "vector instruction, of whatever kind. The roofs are the memory's bytes per cycle and one vector instruction per "
    "SM and\n"
    "cycle on all its lanes. What stands behind -- are arguments of `ventus run`.\n\n"
    "Example:  ventus roofline saxpy.elf --config configs/large.conf -- -g 1024 -a f:2 -a iota:1024 -a buf:4096";

/* What the machine can do. */
struct roofs {
    double operations; /* lane operations per cycle */
    double bytes;      /* of memory per cycle */
};

static struct roofs roofs_of(const struct measurement *m)
{
    uint32_t lanes = m->timing.lanes && m->timing.lanes < m->threads_per_warp ? m->timing.lanes : m->threads_per_warp;
    return (struct roofs){.operations = (double)m->sms * lanes,
                          .bytes = (double)m->timing.line_bytes / m->timing.memory_interval};
}

/* A kernel in the picture. One without memory traffic counts as if it had moved a byte. */
struct place {
    double intensity, performance; /* lane operations per byte, per cycle */
    double limit;                  /* the lower roof at this intensity */
};

static struct place place_of(const struct measurement *m, const struct measured *k)
{
    struct roofs roofs = roofs_of(m);
    double bytes = (double)(k->counts.memory_reads + k->counts.memory_writes) * m->timing.line_bytes;
    double operations = (double)k->lane_operations;
    struct place p = {.intensity = operations / (bytes > 0 ? bytes : 1),
                      .performance = k->cycles ? operations / (double)k->cycles : 0};
    p.limit = fmin(roofs.operations, p.intensity * roofs.bytes);
    return p;
}

/* Has it run to its end, and is there a vector instruction in it? */
static bool is_seen(const struct place *p, const struct measured *k) { return !k->hung && p->performance > 0; }

static void put_table(const struct measurement *m)
{
    struct roofs roofs = roofs_of(m);
    printf("roofs: %.0f lane operations per cycle, %.2f bytes of memory per cycle\n", roofs.operations, roofs.bytes);
    printf("%-40s %10s %14s %14s %8s\n", "kernel", "cycles", "operations/byte", "operations/cycle", "of roof");
    for (uint64_t i = 0; i < m->n; i++) {
        const struct measured *k = &m->kernels[i];
        struct place p = place_of(m, k);
        if (is_seen(&p, k))
            printf("%-40s %10llu %15.3f %16.3f %6.1f %%\n", measured_name(k), (unsigned long long)k->cycles,
                   p.intensity, p.performance, 100 * p.performance / p.limit);
        else printf("%-40s %s\n", measured_name(k), k->hung ? "never ends" : "has no vector instruction");
    }
}

/* The ridge, where the roofs meet, and all kernels have to be in the picture. */
static void choose_range(struct plot *plot, const struct measurement *m)
{
    struct roofs roofs = roofs_of(m);
    double ridge = roofs.operations / roofs.bytes;
    plot->least[0] = ridge / 10, plot->most[0] = ridge * 10;
    plot->least[1] = roofs.operations / 100, plot->most[1] = roofs.operations * 2;
    for (uint64_t i = 0; i < m->n; i++) {
        struct place p = place_of(m, &m->kernels[i]);
        if (!is_seen(&p, &m->kernels[i])) continue;
        plot->least[0] = fmin(plot->least[0], p.intensity), plot->most[0] = fmax(plot->most[0], p.intensity);
        plot->least[1] = fmin(plot->least[1], p.performance);
    }
}

static void draw(const char *path, const struct measurement *m, const char *point)
{
    struct roofs roofs = roofs_of(m);
    double ridge = roofs.operations / roofs.bytes;
    struct plot plot;
    char title[300], memory[80], lanes[80];
    FILE *out = open_output(path);
    snprintf(title, sizeof title, "Kernels under the roofs of %s", point);
    snprintf(memory, sizeof memory, "memory: %.2f bytes per cycle", roofs.bytes);
    snprintf(lanes, sizeof lanes, "lanes: %.0f operations per cycle", roofs.operations);
    choose_range(&plot, m);
    plot_begin(&plot, out, title, "lane operations per byte of memory", "lane operations per cycle");
    plot_line(&plot, plot.least[0], plot.least[0] * roofs.bytes, ridge, roofs.operations, memory);
    plot_line(&plot, ridge, roofs.operations, plot.most[0], roofs.operations, lanes);
    for (uint64_t i = 0; i < m->n; i++) {
        struct place p = place_of(m, &m->kernels[i]);
        if (is_seen(&p, &m->kernels[i]))
            plot_point(&plot, p.intensity, p.performance, measured_name(&m->kernels[i]), 1);
    }
    plot_end(&plot);
    close_output(out, path);
}

int cmd_roofline(int argc, char **argv)
{
    struct run_arguments run = {0};
    struct measurement m;
    const char *path = "roofline.svg", *point = NULL;
    struct args args = {.command = "roofline",
                        .usage =
                            "PROGRAM|FILE.metadata... --config FILE|--timing NAME [-o FILE.svg] [-- RUN-ARGUMENTS]",
                        .about = about,
                        .flags = flags,
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == ARG_PLAIN) run_argument(&run, &args);
        else if (flag == FLAG_OUTPUT) path = args.value;
        else {
            if (point) usage_error(&args, "one design point at a time");
            run_arguments_add(&run, flag == FLAG_CONFIG ? "--config" : "--timing");
            run_arguments_add(&run, point = args.value);
        }
    }
    if (!point) usage_error(&args, "a design point is needed: --config FILE or --timing NAME");
    int code = measure(run.n, run.args, point, &m);
    free(run.args);
    if (code != EXIT_OK) return code;
    put_table(&m);
    draw(path, &m, point);
    free(m.kernels);
    return EXIT_OK;
}
