/* ventus run: reads the command line and hands over to run_kernel.c or run_case.c. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "vt/case.h"
#include "sim/engine.h"
#include "timing/parameters.h"

// clang-format off
enum { FLAG_KERNEL, FLAG_GLOBAL, FLAG_LOCAL, FLAG_OFFSET, FLAG_GDS, FLAG_ARG, FLAG_SHOW, FLAG_SAVE, FLAG_CASE, FLAG_STRICT, FLAG_EXPECT,
       FLAG_DUMP, FLAG_STATS, FLAG_JSON, FLAG_TIMING, FLAG_TIMELINE, FLAG_CONFIG, FLAG_PROFILE, FLAG_LANES, FLAG_WARPS, FLAG_THREADS, FLAG_ENGINE, FLAG_ORDER,
       FLAGS, FLAG_OBSERVER = FLAGS /* and those behind it, as in observer_kinds */ };
// clang-format on
static const struct flag own_flags[FLAGS] = {
    {"kernel", 'k', "NAME", "kernel to run; not needed when there is only one"},
    {"global", 'g', "X[,Y[,Z]]", "work-items in each dimension"},
    {"local", 'l', "X[,Y[,Z]]",
     "work-items of a group; default: what the kernel asks for, or the\nlargest that divides the work"},
    {"offset", 0, "X[,Y[,Z]]", "offset of the global ids; default 0"},
    {"csr-gds", 0, "ADDRESS",
     "csr_gds: what instructions of the global space add to addresses (r2.1,\nr2025); default 0"},
    {"arg", 'a', "SPEC", "the next kernel argument, see above"},
    {"show", 0, "N[:F[:COUNT]]", "print buffer argument N after the run; F is i u x or f"},
    {"save", 0, "N:FILE", "write buffer argument N after the run"},
    {"case", 'c', "METADATA[:DATA]", "run a recorded launch; several share one memory, in this order"},
    {"strict", 0, NULL,
     "recorded launches may touch their buffers alone; otherwise the rest of\nmemory reads as zero and can be written"},
    {"expect", 0, NULL,
     "compare memory behind each recorded launch with its .expect file, of the\nsame words as .data"},
    {"dump", 0, "ADDR:BYTES:FILE", "write device memory after recorded launches"},
    {"stats", 's', NULL, "print what the machine counted"},
    {"json", 'j', "FILE", "write counters, configuration and faults as JSON; - is standard output"},
    {"timing", 0, "NAME", "cycles of the hardware, by a model: " TIMING_NAMES ",\nor a file of its parameters"},
    {"timeline", 0, "FILE",
     "write the model's events: FILE.json for Perfetto, FILE.kanata for Konata,\nFILE.vcd for GTKWave, any other as "
     "CSV; goes with --timing"},
    {"config", 0, "FILE",
     "machine parameters, as `ventus info` prints them; default: those of\nVENTUS_CONFIG, with the model of "
     "VENTUS_TIMING"},
    {"profile", 0, "P",
     "instruction set: " ISA_PROFILE_NAMES ";\ndefault: that of --config, else that of the executable"},
    {"lanes", 0, "N", "lanes of a warp: 4 8 16 32"},
    {"warps", 0, "N", "warps of a processor"},
    {"threads", 0, "N", "host threads"},
    {"engine", 0, "NAME", "what executes instructions: auto (the best for this host) or one that\n`ventus info` lists"},
    {"order", 0, "ORDER", "which side of a divergent branch runs first: fewer (the machine's),\ntaken, fallthrough"},
};

static const char about[] =
    "Runs one kernel of an ELF executable (ventus cc, ventus as), a program without kernel records (an ELF\n"
    "file or a .vmem text of words), or launches recorded as .metadata and .data files.\n\n"
    "Arguments, in the kernel's order, one --arg each:\n"
    "  i:5  i:1,-2,0x3     integers of the width the kernel wants; several make a vector\n"
    "  f:1.5  f:1,2,3,4    floating point, likewise\n"
    "  i:@FILE  f:@FILE    the same, from a text file\n"
    "  bytes:@FILE         a value as bytes, for structs\n"
    "  buf:BYTES           a buffer of zeros\n"
    "  buf:@FILE           a buffer with a file's contents\n"
    "  ints:1,2,3  floats:1,2.5   a buffer of 32-bit words; ints:@FILE floats:@FILE from a text file\n"
    "  iota:N              a buffer of the words 0 to N-1\n"
    "  new:BYTES           a buffer that nobody has written: --check reports uses of its contents\n"
    "  out:BYTES:FILE      a buffer of zeros, written to FILE (- is standard output) after the run;\n"
    "  out:@IN:FILE        the same with first contents\n"
    "  local:BYTES         local memory for a __local pointer\n"
    "  null                a pointer that is NULL\n\n"
    "Example:  ventus run saxpy.elf -g 64 -a f:2 -a iota:64 -a out:256:y.bin --show 2:f\n"
    "Exit codes: 0 done, 1 the kernel failed, does not fit or --check found something,\n2 wrong usage.";

/* What a command line has of each; one more is an error. MOST_WARPS, MOST_THREADS: of the machine (sim/config.c). */
enum { MOST_ARGUMENTS = 256, MOST_CASES = 4096, MOST_DUMPS = 64, MOST_WARPS = 64, MOST_THREADS = 256 };

/* Parameters of the command line, which go over those of --config; 0: not given. */
struct overrides {
    const char *config;
    uint32_t profile, lanes, warps, threads;
    bool have_engine;
    const struct engine *engine;
};

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

static void parse_engine(const struct args *args, struct overrides *o)
{
    char names[200];
    o->have_engine = engine_find(args->value, &o->engine);
    if (o->have_engine) return;
    engine_names(names, sizeof names);
    usage_error(args, "--engine: '%s' is none of %s", args->value, names);
}

static void add_argument(struct request *r)
{
    if (!r->arguments) r->arguments = allocate(MOST_ARGUMENTS * sizeof *r->arguments);
    if (r->narguments == MOST_ARGUMENTS) usage_error(&r->args, "more than %d arguments", MOST_ARGUMENTS);
    r->arguments[r->narguments++] = argument_parse(&r->args, r->args.value);
}

static void parse_flag(struct request *r, struct overrides *o, int flag)
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
    case FLAG_GDS: r->csr_gds = (uint32_t)number_arg(a, "--csr-gds", a->value, 0, UINT32_MAX); break;
    case FLAG_ARG: add_argument(r); break;
    case FLAG_SHOW: append(a, &r->shows, &r->nshows, MOST_ARGUMENTS); break;
    case FLAG_SAVE: append(a, &r->saves, &r->nsaves, MOST_ARGUMENTS); break;
    case FLAG_CASE: append(a, &r->cases, &r->ncases, MOST_CASES); break;
    case FLAG_STRICT: r->strict = true; break;
    case FLAG_EXPECT: r->expect = true; break;
    case FLAG_DUMP: append(a, &r->dumps, &r->ndumps, MOST_DUMPS); break;
    case FLAG_STATS: r->stats = true; break;
    case FLAG_JSON: r->json = a->value; break;
    case FLAG_TIMING: r->timing = a->value; break;
    case FLAG_TIMELINE: r->timeline = a->value; break;
    case FLAG_CONFIG: o->config = a->value; break;
    case FLAG_PROFILE: o->profile = profile_arg(a, a->value); break;
    case FLAG_LANES: o->lanes = (uint32_t)number_arg(a, "--lanes", a->value, 1, ISA_LANES); break;
    case FLAG_WARPS: o->warps = (uint32_t)number_arg(a, "--warps", a->value, 1, MOST_WARPS); break;
    case FLAG_THREADS: o->threads = (uint32_t)number_arg(a, "--threads", a->value, 1, MOST_THREADS); break;
    case FLAG_ENGINE: parse_engine(a, o); break;
    case FLAG_ORDER: r->options.order = parse_order(a); break;
    case ARG_PLAIN:
        if (r->file) usage_error(a, "one executable at a time, '%s' is the second", a->value);
        r->file = a->value;
        break;
    default: observers_enable(r, (unsigned)(flag - FLAG_OBSERVER));
    }
}

/* The model is made here, and not by the driver. It needs a machine with one host thread. */
static void configure_timing(struct request *r)
{
    struct gpu_config *c = &r->config;
    if (!r->timing && *c->timing) r->timing = strcpy(r->config_timing, c->timing);
    *c->timing = 0;
    if (r->timing) c->host_threads = 1;
    else if (r->timeline) usage_error(&r->args, "--timeline goes with --timing");
}

/* So are known faults of the machine file: an observer that the option opens. */
static void configure_quirks(struct request *r)
{
    struct gpu_config *c = &r->config;
    unsigned i = 0;
    while (observer_kinds[i] != &observer_quirks) i++;
    struct watch *w = &r->observers[i];
    if (!w->wanted && *c->quirks) {
        char why[700];
        w->wanted = true;
        w->value = strcpy(r->config_quirks, c->quirks);
        if (!observer_quirks.valid(w->value, why, sizeof why)) usage_error(&r->args, "machine: quirks: %s", why);
    }
    *c->quirks = 0;
    r->quirks = w->wanted ? w->value : NULL;
}

/* Parameters of --config, or else of the environment; true: a file says them. What other options say is not looked up
 * in the environment. */
static bool read_machine(struct gpu_config *c, const struct overrides *o)
{
    if (o->threads) c->host_threads = o->threads;
    if (o->have_engine) c->engine = o->engine;
    if (!o->config) return config_environment(c);
    config_file(c, o->config);
    return true;
}

static void configure(struct request *r, const struct overrides *o)
{
    struct gpu_config *c = &r->config;
    if (r->ncases) case_config(c);
    else gpu_config_default(c);
    const bool named = read_machine(c, o);
    if (o->profile) c->profile = o->profile;
    r->given_profile = named || o->profile;
    if (o->lanes) c->threads_per_warp = o->lanes;
    if (o->warps) c->warps_per_sm = o->warps;
    if (o->threads) c->host_threads = o->threads;
    if (o->have_engine) c->engine = o->engine;
    if (r->options.serial) c->quantum = 1;
    configure_timing(r);
    configure_quirks(r);
    const char *wrong = gpu_config_check(c);
    if (wrong) usage_error(&r->args, "machine: %s", wrong);
    r->report.config = *c;
    if (r->timing) snprintf(r->report.config.timing, TIMING_NAME, "%s", r->timing);
    if (r->quirks) snprintf(r->report.config.quirks, QUIRKS_NAME, "%s", r->quirks);
}

/* Options that make no sense together. */
static void check(const struct request *r)
{
    const struct args *a = &r->args;
    if (r->ncases && r->file) usage_error(a, "either an executable or --case");
    if (!r->ncases && !r->file) usage_error(a, "an executable or --case is needed");
    if (!r->ncases && r->ndumps) usage_error(a, "--dump goes with --case; --save writes an argument");
    if (!r->ncases && r->expect) usage_error(a, "--expect goes with --case; --save writes an argument");
    if (!r->ncases && r->strict) usage_error(a, "--strict goes with --case; other runs always are");
    if (!r->ncases) return;
    const char *behind = secure_getenv("VENTUS_BACKEND");
    if (behind && *behind && strcmp(behind, "none") != 0)
        usage_error(a, "--case runs on the built-in machine, not on VENTUS_BACKEND=%s; unset that", behind);
    const char *alone = r->kernel           ? "--kernel"
                        : r->range.work_dim ? "--global"
                        : r->have_local     ? "--local"
                        : r->csr_gds        ? "--csr-gds"
                        : r->narguments     ? "--arg"
                        : r->nshows         ? "--show"
                        : r->nsaves         ? "--save"
                                            : NULL;
    if (alone) usage_error(a, "%s goes with an executable, not with --case", alone);
}

static bool is_standard(const char *path) { return path && !strcmp(path, "-"); }

/* What the observers need, before the machine is made. */
static void consider_observers(struct request *r)
{
    for (unsigned i = 0; i < OBSERVER_KINDS; i++) {
        if (!r->observers[i].wanted) continue;
        r->options.serial |= observer_kinds[i]->serial;
        r->silent |= is_standard(r->observers[i].value);
    }
}

/* When the cycle model is known. */
static void check_schedulers(const struct request *r)
{
    for (unsigned i = 0; i < OBSERVER_KINDS; i++)
        if (r->timing && r->observers[i].wanted && observer_kinds[i]->schedules)
            usage_error(&r->args, "--%s and --timing each decide which warp runs next: one at a time",
                        observer_kinds[i]->option);
}

/* The options of the command: its own, and those of observers. */
static void list_flags(struct flag flags[FLAGS + OBSERVER_KINDS + 1])
{
    memcpy(flags, own_flags, sizeof own_flags);
    for (unsigned i = 0; i < OBSERVER_KINDS; i++) {
        const struct observer_kind *k = observer_kinds[i];
        flags[FLAG_OBSERVER + i] = (struct flag){k->option, k->letter, k->value, k->help};
    }
    flags[FLAGS + OBSERVER_KINDS] = (struct flag){0};
}

static void release(struct request *r)
{
    for (unsigned i = 0; i < r->narguments; i++) argument_free(&r->arguments[i]);
    free(r->arguments);
    free(r->shows);
    free(r->saves);
    free(r->cases);
    free(r->dumps);
    report_free(&r->report);
}

int run_command(int argc, char **argv, struct report *report)
{
    struct request r = {.range = {.global = {1, 1, 1}, .local = {1, 1, 1}}};
    struct overrides o = {0};
    struct flag flags[FLAGS + OBSERVER_KINDS + 1];
    list_flags(flags);
    r.args = (struct args){.command = "run",
                           .usage = "FILE [--kernel NAME] --global X[,Y[,Z]] [--arg SPEC]...\n"
                                    "       ventus run --case METADATA...",
                           .about = about,
                           .flags = flags,
                           .argc = argc,
                           .argv = argv,
                           .at = 1};
    for (int flag; (flag = args_next(&r.args)) != ARG_END;) parse_flag(&r, &o, flag);
    check(&r);
    r.silent = report || is_standard(r.json);
    consider_observers(&r);
    configure(&r, &o);
    check_schedulers(&r);
    int code = r.ncases ? run_cases(&r) : run_kernel(&r);
    fflush(stdout);
    if (r.stats) report_print(&r.report, stderr);
    if (r.json) report_json(&r.report, r.json);
    if (report) {
        *report = r.report;
        r.report = (struct report){0};
    }
    release(&r);
    return code;
}

int cmd_run(int argc, char **argv) { return run_command(argc, argv, NULL); }
