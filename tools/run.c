/* ventus run: one kernel of an executable on the simulator.
 *
 * Everything is checked against the kernel's records before the launch; what goes wrong ends the
 * program, with EXIT_USAGE when the command line is at fault. */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "driver/ventus.h"
#include "run.h"
#include "tool.h"

enum { FLAG_KERNEL, FLAG_GLOBAL, FLAG_LOCAL, FLAG_OFFSET, FLAG_ARG, FLAG_SHOW, FLAG_SAVE, FLAG_STATS, FLAG_TRACE, FLAG_ORDER, FLAG_LANES,
       FLAG_WARPS, FLAG_CASE, FLAG_DUMP };
static const struct flag flags[] = {
    {"kernel", 'k', "NAME", "kernel to run; not needed when there is only one"},
    {"global", 'g', "X[,Y[,Z]]", "work-items in each dimension"},
    {"local", 'l', "X[,Y[,Z]]", "work-items of a group; default: what the kernel asks for, or the\nlargest that divides the work"},
    {"offset", 0, "X[,Y[,Z]]", "offset of the global ids; default 0"},
    {"arg", 'a', "SPEC", "the next kernel argument, see above"},
    {"show", 0, "N[:F[:COUNT]]", "print buffer argument N after the run; F is i u x or f"},
    {"save", 0, "N:FILE", "write buffer argument N after the run"},
    {"stats", 's', NULL, "print what the machine counted"},
    {"trace", 't', "FILE", "write each executed instruction and its result; - is standard output"},
    {"order", 0, "ORDER", "which side of a divergent branch runs first: fewer (the machine's),\ntaken, fallthrough"},
    {"lanes", 0, "N", "lanes of a warp: 4 8 16 32"},
    {"warps", 0, "N", "warps of a processor"},
    {"case", 'c', "FILE.metadata", "run a recorded launch; several share one memory, in this order"},
    {"dump", 0, "ADDR:BYTES:FILE", "write device memory after recorded launches"},
    {0},
};

static const char about[] =
    "Runs one kernel of an ELF executable (ventus cc, ventus as), or launches recorded as .metadata\n"
    "and .data files.\n\n"
    "Arguments, in the kernel's order, one --arg each:\n"
    "  i:5  i:1,-2,0x3     integers of the width the kernel wants; several make a vector\n"
    "  f:1.5  f:1,2,3,4    floating point, likewise\n"
    "  bytes:@FILE         a value as bytes, for structs\n"
    "  buf:BYTES           a buffer of zeros\n"
    "  buf:@FILE           a buffer with a file's contents\n"
    "  ints:1,2,3  floats:1,2.5   a buffer of 32-bit words\n"
    "  iota:N              a buffer of the words 0 to N-1\n"
    "  out:BYTES:FILE      a buffer of zeros, written to FILE (- is standard output) after the run;\n"
    "  out:@IN:FILE        the same with first contents\n"
    "  local:BYTES         local memory for a __local pointer\n"
    "  null                a pointer that is NULL\n\n"
    "Example:  ventus run saxpy.elf -g 64 -a f:2 -a iota:64 -a out:256:y.bin --show 2:f\n"
    "Exit codes: 0 done, 1 the kernel failed or does not fit, 2 wrong usage.";

enum { MOST_ARGUMENTS = 256, MOST_CASES = 4096, MOST_DUMPS = 64, SHOWN_WORDS = 64 };

struct request {
    struct args args;
    const char *file, *kernel, *trace_file;
    struct ventus_range range;
    bool have_local;
    unsigned local_dims;
    struct argument *arguments;
    unsigned narguments;
    const char **shows, **saves;
    unsigned nshows, nsaves;
    bool stats;
    struct launch_options options;
    struct gpu_config config;
    const char **cases, **dumps;
    unsigned ncases, ndumps;
};

static void die_status(const char *what, enum ventus_status status) { die("%s: %s", what, ventus_status_text(status)); }

static void append(const struct args *args, const char ***list, unsigned *n, unsigned most)
{
    if (*n == most) usage_error(args, "more than %u times the same option", most);
    if (!*list) *list = allocate(most * sizeof **list);
    (*list)[(*n)++] = args->value;
}

static enum path_order parse_order(const struct args *args)
{
    static const char *const names[] = {"fewer", "taken", "fallthrough"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(args->value, names[i])) return (enum path_order)i;
    usage_error(args, "--order: '%s' is none of fewer, taken, fallthrough", args->value);
}

static void add_argument(struct request *r)
{
    if (!r->arguments) r->arguments = allocate(MOST_ARGUMENTS * sizeof *r->arguments);
    if (r->narguments == MOST_ARGUMENTS) usage_error(&r->args, "more than %d arguments", MOST_ARGUMENTS);
    r->arguments[r->narguments++] = argument_parse(&r->args, r->args.value);
}

static void parse_flag(struct request *r, int flag)
{
    const struct args *a = &r->args;
    switch (flag) {
    case FLAG_KERNEL: r->kernel = a->value; break;
    case FLAG_GLOBAL: r->range.work_dim = triple_arg(a, "--global", a->value, 1, r->range.global); break;
    case FLAG_LOCAL:
        r->have_local = true;
        r->local_dims = triple_arg(a, "--local", a->value, 1, r->range.local);
        break;
    case FLAG_OFFSET: triple_arg(a, "--offset", a->value, 0, r->range.offset); break;
    case FLAG_ARG: add_argument(r); break;
    case FLAG_SHOW: append(a, &r->shows, &r->nshows, MOST_ARGUMENTS); break;
    case FLAG_SAVE: append(a, &r->saves, &r->nsaves, MOST_ARGUMENTS); break;
    case FLAG_STATS: r->stats = true; break;
    case FLAG_TRACE: r->trace_file = a->value; break;
    case FLAG_ORDER: r->options.order = parse_order(a); break;
    case FLAG_LANES: r->config.threads_per_warp = (uint32_t)number_arg(a, "--lanes", a->value, 1, ISA_LANES); break;
    case FLAG_WARPS: r->config.warps_per_sm = (uint32_t)number_arg(a, "--warps", a->value, 1, 1024); break;
    case FLAG_CASE: append(a, &r->cases, &r->ncases, MOST_CASES); break;
    case FLAG_DUMP: append(a, &r->dumps, &r->ndumps, MOST_DUMPS); break;
    default:
        if (r->file) usage_error(a, "one executable at a time, '%s' is the second", a->value);
        r->file = a->value;
    }
}

/* The argument that "N", "N:..." means; *rest is what follows the colon, or NULL. */
static struct argument *named_argument(struct request *r, const char *option, const char *text, const char **rest)
{
    char digits[24];
    size_t n = strcspn(text, ":");
    snprintf(digits, sizeof digits, "%.*s", (int)(n < 20 ? n : 20), text);
    if (!r->narguments) usage_error(&r->args, "%s: there are no arguments", option);
    struct argument *a = &r->arguments[number_arg(&r->args, option, digits, 0, r->narguments - 1)];
    if (a->kind != ARGUMENT_BUFFER) usage_error(&r->args, "%s: argument %s is no buffer", option, digits);
    *rest = text[n] ? text + n + 1 : NULL;
    return a;
}

static void attach_outputs(struct request *r)
{
    const char *rest;
    for (unsigned i = 0; i < r->nshows; i++) {
        struct argument *a = named_argument(r, "--show", r->shows[i], &rest);
        a->show = rest ? *rest : 'i';
        a->show_count = SHOWN_WORDS;
        if (!a->show || !strchr("iuxf", a->show) || (rest && rest[1] && rest[1] != ':'))
            usage_error(&r->args, "--show %s: N[:F[:COUNT]] is meant, F one of i u x f", r->shows[i]);
        if (rest && rest[1]) a->show_count = number_arg(&r->args, "--show", rest + 2, 1, UINT32_MAX);
    }
    for (unsigned i = 0; i < r->nsaves; i++) {
        struct argument *a = named_argument(r, "--save", r->saves[i], &rest);
        if (!rest || !*rest) usage_error(&r->args, "--save %s: N:FILE is meant", r->saves[i]);
        a->file = rest;
    }
}

static const struct ventus_kernel *choose_kernel(const struct request *r, const ventus_module *module)
{
    size_t n = ventus_module_kernels(module);
    const struct ventus_kernel *k = r->kernel ? ventus_module_find(module, r->kernel) : n == 1 ? ventus_module_kernel(module, 0) : NULL;
    if (k) return k;
    if (r->kernel) fprintf(stderr, "ventus run: there is no kernel '%s'; there are:", r->kernel);
    else fprintf(stderr, "ventus run: --kernel is needed; there are:");
    for (size_t i = 0; i < n; i++) fprintf(stderr, " %s", ventus_module_kernel(module, i)->name);
    fputs(n ? "\n" : " none\n", stderr);
    exit(EXIT_USAGE);
}

static void choose_local(struct request *r, const struct ventus_kernel *k, ventus_device *device)
{
    struct ventus_range *range = &r->range;
    if (r->have_local && r->local_dims != range->work_dim)
        usage_error(&r->args, "--local has %u dimension%s, --global %u", r->local_dims, r->local_dims == 1 ? "" : "s", range->work_dim);
    for (unsigned d = 0; d < 3 && !r->have_local && k->reqd[0]; d++) range->local[d] = k->reqd[d];
    if (!r->have_local && !k->reqd[0]) {
        uint32_t most = ventus_max_group(device, k), n = range->global[0] < most ? range->global[0] : most;
        while (n > 1 && range->global[0] % n) n--;
        range->local[0] = n ? n : 1;
    }
    for (unsigned d = 0; d < 3; d++)
        if (range->global[d] % range->local[d])
            usage_error(&r->args, "--global %u is no multiple of --local %u", range->global[d], range->local[d]);
}

static void *place_arguments(struct request *r, const struct ventus_kernel *k, ventus_device *device, uint64_t *local_sizes)
{
    uint8_t *image = allocate(k->args_size);
    if (r->narguments != k->nargs) {
        fprintf(stderr, "ventus run: kernel %s takes %u arguments, %u are given:", k->name, k->nargs, r->narguments);
        for (unsigned i = 0; i < k->nargs; i++) fprintf(stderr, " %s", k->args[i].name);
        fputc('\n', stderr);
        exit(EXIT_USAGE);
    }
    for (unsigned i = 0; i < k->nargs; i++)
        argument_place(&r->args, &r->arguments[i], i, &k->args[i], device, image, &local_sizes[i]);
    return image;
}

void run_print_counters(const struct counters *c)
{
    double lanes = c->vector_instructions ? (double)c->lanes / (double)c->vector_instructions : 0;
    fprintf(stderr, "work-groups              %llu\n", (unsigned long long)c->groups);
    fprintf(stderr, "warps                    %llu\n", (unsigned long long)c->warps);
    fprintf(stderr, "warp instructions        %llu\n", (unsigned long long)c->instructions);
    fprintf(stderr, "  of them vector         %llu, %.2f lanes active on average\n", (unsigned long long)c->vector_instructions, lanes);
    fprintf(stderr, "vector branches          %llu, %llu divergent\n", (unsigned long long)c->branches, (unsigned long long)c->divergent);
    fprintf(stderr, "deepest SIMT stack       %u\n", c->max_simt_depth);
    fprintf(stderr, "loads stores atomics     %llu %llu %llu\n", (unsigned long long)c->loads, (unsigned long long)c->stores, (unsigned long long)c->atomics);
    fprintf(stderr, "barrier arrivals         %llu\n", (unsigned long long)c->barriers);
}

static ventus_device *open_device(const struct request *r)
{
    ventus_device *device;
    const char *wrong = gpu_config_check(&r->config);
    if (wrong) usage_error(&r->args, "machine: %s", wrong);
    enum ventus_status status = ventus_open(&r->config, &device);
    if (status != VENTUS_OK) die_status("cannot open the device", status);
    return device;
}

static int run_kernel(struct request *r)
{
    size_t size;
    void *elf = read_file(r->file, &size);
    const char *why = "damaged";
    ventus_module *module;
    if (ventus_module_load(elf, size, &module, &why) != VENTUS_OK) die("%s: %s", r->file, why);
    const struct ventus_kernel *k = choose_kernel(r, module);
    if (!r->range.work_dim) usage_error(&r->args, "--global is needed: the number of work-items");
    ventus_device *device = open_device(r);
    choose_local(r, k, device);
    uint64_t *local_sizes = allocate((k->nargs + 1) * sizeof *local_sizes);
    void *image = place_arguments(r, k, device, local_sizes);
    attach_outputs(r);

    struct result result = {0};
    char message[512] = "";
    struct ventus_launch launch = {.module = module, .kernel = k, .range = r->range, .args = image, .local_sizes = local_sizes, .options = r->options};
    enum ventus_status status = ventus_run(device, &launch, &result, message, sizeof message);
    bool ran = status == VENTUS_OK || status == VENTUS_FAULT;
    if (status != VENTUS_OK) fprintf(stderr, "ventus run: %s%s%s\n", ventus_status_text(status), *message ? ": " : "", message);
    for (unsigned i = 0; i < r->narguments && status == VENTUS_OK; i++) argument_finish(&r->arguments[i], i, device);
    fflush(stdout);
    if (r->stats && ran) run_print_counters(&result.counters);
    free(image);
    free(local_sizes);
    ventus_module_free(module);
    ventus_close(device);
    free(elf);
    return status == VENTUS_OK ? EXIT_OK : EXIT_FAILED;
}

/* Runs what was asked for, with the trace file open around it. */
static int execute(struct request *r)
{
    FILE *trace_out = NULL;
    struct trace trace;
    if (r->trace_file) {
        trace_out = strcmp(r->trace_file, "-") ? fopen(r->trace_file, "w") : stdout;
        if (!trace_out) die("cannot write %s", r->trace_file);
        trace = trace_into(trace_out);
        r->options.trace = &trace;
    }
    int code = r->ncases ? run_cases(&r->args, r->cases, r->ncases, r->dumps, r->ndumps, r->stats, &r->options) : run_kernel(r);
    if (trace_out && (ferror(trace_out) | fclose(trace_out))) die("cannot write %s", r->trace_file);
    return code;
}

int cmd_run(int argc, char **argv)
{
    struct request r = {.range = {.global = {1, 1, 1}, .local = {1, 1, 1}}};
    r.args = (struct args){.command = "run", .usage = "FILE.elf --kernel NAME --global X[,Y[,Z]] [--arg SPEC]...\n"
        "       ventus run --case FILE.metadata...", .about = about, .flags = flags, .argc = argc, .argv = argv, .at = 1};
    gpu_config_default(&r.config);
    for (int flag; (flag = args_next(&r.args)) != ARG_END;) parse_flag(&r, flag);
    if (r.ncases && r.file) usage_error(&r.args, "either an executable or --case");
    if (!r.ncases && !r.file) usage_error(&r.args, "an executable or --case is needed");
    if (r.ndumps && !r.ncases) usage_error(&r.args, "--dump goes with --case; --save writes an argument");
    int code = execute(&r);
    for (unsigned i = 0; i < r.narguments; i++) free(r.arguments[i].bytes);
    free(r.arguments);
    free(r.shows);
    free(r.saves);
    free(r.cases);
    free(r.dumps);
    return code;
}
