/* ventus run --case: recorded launches (.metadata and .data) in order on one memory.
 *
 * Later launches of a program see what earlier ones left, as on the device they were recorded on.
 * Called by run.c. */
#include <stdlib.h>
#include <string.h>

#include "isa/abi.h"
#include "run.h"
#include "sim/case.h"

struct dump { uint32_t addr; uint64_t bytes; const char *file; };

/* "ADDR:BYTES:FILE" */
static struct dump parse_dump(const struct args *args, const char *text)
{
    char part[2][24];
    const char *p = text;
    struct dump d;
    for (int i = 0; i < 2; i++) {
        size_t n = strcspn(p, ":");
        if (n >= sizeof part[i] || !p[n]) usage_error(args, "--dump %s: ADDR:BYTES:FILE is meant", text);
        memcpy(part[i], p, n);
        part[i][n] = 0;
        p += n + 1;
    }
    if (!*p) usage_error(args, "--dump %s: ADDR:BYTES:FILE is meant", text);
    d.addr = (uint32_t)number_arg(args, "--dump", part[0], 0, UINT32_MAX);
    d.bytes = number_arg(args, "--dump", part[1], 1, (uint64_t)1 << 32);
    d.file = p;
    return d;
}

static void add_counters(struct counters *sum, const struct counters *c)
{
    sum->instructions += c->instructions;
    sum->lanes += c->lanes;
    sum->vector_instructions += c->vector_instructions;
    sum->branches += c->branches;
    sum->divergent += c->divergent;
    sum->loads += c->loads;
    sum->stores += c->stores;
    sum->atomics += c->atomics;
    sum->barriers += c->barriers;
    sum->groups += c->groups;
    sum->warps += c->warps;
    if (c->max_simt_depth > sum->max_simt_depth) sum->max_simt_depth = c->max_simt_depth;
}

/* Runs one launch; false when the program failed, which is reported. */
static bool run_one(struct gpu *gpu, const char *path, const struct launch_options *options, struct counters *sum)
{
    struct recorded c;
    struct result result = {0};
    const char *why = "";
    char *data = case_data_path(path);
    if (!data) die("out of memory");
    if (!case_read(path, data, &c, &why)) die("%s: %s", path, why);
    if (!case_load(gpu, &c)) die("%s: the buffers do not fit into memory", path);
    gpu_launch(gpu, &c.launch, options, &result);
    if (result.status == LAUNCH_FAULT) {
        char text[400];
        fault_print(&result.fault, text, sizeof text);
        fprintf(stderr, "ventus run: %s: %s\n", path, text);
    } else {
        printf("%s: %llu warp instructions\n", path, (unsigned long long)result.counters.instructions);
    }
    add_counters(sum, &result.counters);
    case_free(&c);
    free(data);
    return result.status == LAUNCH_DONE;
}

static void write_dump(struct gpu *gpu, const struct dump *d)
{
    const void *bytes = gpu_mem(gpu, d->addr, d->bytes);
    if (!bytes) die("--dump: no buffer covers 0x%08x and the %llu bytes from there", d->addr, (unsigned long long)d->bytes);
    write_file(d->file, bytes, d->bytes);
}

int run_cases(const struct args *args, const char *const *cases, unsigned ncases, const char *const *dumps, unsigned ndumps,
              bool stats, const struct launch_options *options)
{
    struct gpu_config config;
    struct counters sum = {0};
    const char *why = "";
    bool ok = true;
    struct dump *parsed = allocate(ndumps * sizeof *parsed);
    for (unsigned i = 0; i < ndumps; i++) parsed[i] = parse_dump(args, dumps[i]);
    case_config(&config);
    struct gpu *gpu = gpu_create(&config, &why);
    if (!gpu) die("%s", why);
    for (unsigned i = 0; i < ncases && ok; i++) ok = run_one(gpu, cases[i], options, &sum);
    for (unsigned i = 0; i < ndumps && ok; i++) write_dump(gpu, &parsed[i]);
    fflush(stdout);
    if (stats) run_print_counters(&sum);
    gpu_destroy(gpu);
    free(parsed);
    return ok ? EXIT_OK : EXIT_FAILED;
}
