/* Between the machine's hooks and the writers of traces: collects what one instruction does.
 *
 * Hooks see an instruction three times: before it, at each memory access, and after it. Memory operands
 * are copied when they are announced, because an instruction may overwrite its own address register.
 * The three observers differ in what they write: one log, a log for each launch, or one compact file. When that fails,
 * they stop the launch and say why when they are closed. Called by way of the list in sim/observers.c. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "sim/observers.h"

struct tracer {
    struct observer hooks;
    const struct gpu_config *config;
    struct trace_log *log; /* NULL: none is open, or it is ... */
    struct trace_binary *binary;
    const char *dir; /* where each launch has a log; NULL: there is one file */
    struct event event;
    char why[300]; /* what has failed, or "" */
};

/* Without memory a trace would have holes: it ends here. */
static void check_memory(struct tracer *t, bool ok)
{
    if (!ok && !*t->why) snprintf(t->why, sizeof t->why, "out of memory");
}

/* The registers that a store takes its data from; they may be gone afterwards (sc.w writes its destination). What an
 * atomic writes is what memory holds afterwards. */
static void copy_store_data(struct event *e, const struct warp *w, const struct insn *in, const struct isa_memory *m)
{
    unsigned reg = (unsigned)isa_get(in, (enum operand_role)m->data);
    e->writes_memory = m->action == ACTION_STORE || m->action == ACTION_AMO || m->action == ACTION_SC;
    for (unsigned k = 0; k < m->words && m->action == ACTION_STORE; k++) {
        if (m->address == ADDRESS_SCALAR) e->data[k][0] = w->x[reg + k];
        else memcpy(e->data[k], w->v[reg + k], sizeof e->data[k]);
    }
}

/* Where results go. Nothing is written to x0, nor to a pair there, while the words of a load go on behind it. */
static void find_results(struct event *e, const struct insn *in, const struct isa_effects *effects)
{
    bool is_result = effects->writes >> ROLE_RD & 1, is_vector = effects->vectors >> ROLE_RD & 1;
    e->results = is_result ? effects->count[ROLE_RD] : 1;
    e->to_vector = is_result && is_vector;
    e->to_scalar = is_result && !is_vector && (in->rd || effects->memory.words > 1);
}

static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct tracer *t = user;
    struct event *e = &t->event;
    uint32_t words[ISA_MAX_WORDS] = {0};
    size_t n = warp_code(w, w->pc, words), size = in->size / 4u;
    if (*t->why) return STOP;
    memset(e->words, 0, sizeof e->words);
    memcpy(e->words, words, 4 * (n < size ? n : size));
    e->effects = isa_effects(in, w->group->launch->threads_per_warp);
    e->mask = w->mask;
    e->depth = w->depth;
    e->lanes = in->vm ? w->active : w->active & warp_v0(w);
    e->accesses = 0;
    find_results(e, in, &e->effects);
    copy_store_data(e, w, in, &e->effects.memory);
    return GO_ON;
}

static void on_access(void *user, const struct warp *w, const struct insn *in, const struct access *access)
{
    struct event *e = &((struct tracer *)user)->event;
    (void)w, (void)in;
    if (e->accesses == EVENT_WORDS) return;
    unsigned k = e->accesses++;
    e->access[k] = *access;
    if (!access->high) return;
    memcpy(e->high[k], access->high, sizeof e->high[k]);
    e->access[k].high = e->high[k];
}

static uint64_t address(const struct access *a, unsigned lane)
{
    return a->addr[lane] | (a->high ? (uint64_t)a->high[lane] << 32 : 0);
}

/* The next lane that takes part and has the same address, or ISA_LANES. */
static unsigned next_sharing(const struct access *a, unsigned lane)
{
    for (unsigned other = lane + 1; other < ISA_LANES; other++)
        if ((a->lanes >> other & 1) && address(a, other) == address(a, lane)) return other;
    return ISA_LANES;
}

/* What each lane of an atomic wrote: what the next lane with its word found there, or what is there now.
 * Conditional stores that failed show the word too. */
static void read_back(struct event *e, const struct warp *w, const struct insn *in)
{
    const struct access *a = &e->access[0];
    for (uint32_t left = a->lanes ? a->lanes : 1; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), other = next_sharing(a, lane);
        bool found = isa_memory(in).action == ACTION_AMO && other < ISA_LANES;
        const void *p = found ? &w->v[in->rd][other] : warp_memory(w, address(a, lane), 4);
        if (p) memcpy(&e->data[0][lane], p, 4);
    }
}

static void after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    struct tracer *t = user;
    struct event *e = &t->event;
    e->w = w;
    e->insn = in;
    e->pc = pc;
    if (e->accesses && e->access[0].atomic && e->writes_memory) read_back(e, w, in);
    if (t->log) check_memory(t, log_event(t->log, e));
    if (t->binary) check_memory(t, binary_event(t->binary, e));
}

static void group_begin(void *user, const struct group *group)
{
    struct tracer *t = user;
    if (t->log) check_memory(t, log_group_begin(t->log, group));
}

static void group_end(void *user, const struct group *group)
{
    struct tracer *t = user;
    if (t->log) check_memory(t, log_group_end(t->log, group));
}

/* ---- launches, and the files ---- */

/* "DIR/NAME.log" for a kernel, or a recorded launch "folder/NAME.metadata". */
static bool log_path(const char *dir, const char *launch, char *path, size_t size)
{
    const char *name = launch ? strrchr(launch, '/') : NULL;
    name = name ? name + 1 : launch ? launch : "launch";
    const char *end = strstr(name, ".metadata");
    int stem = (int)(end ? (size_t)(end - name) : strcspn(name, "."));
    return (size_t)snprintf(path, size, "%s/%.*s.log", dir, stem, name) < size;
}

static void launch_begin(void *user, const struct launch *launch, const struct launch_info *info)
{
    struct tracer *t = user;
    char path[4096];
    if (t->binary) binary_launch(t->binary, launch);
    if (!t->dir || *t->why) return;
    if (log_path(t->dir, info->kernel, path, sizeof path)) t->log = log_open(t->config, path, t->why, sizeof t->why);
    else snprintf(t->why, sizeof t->why, "the name of the log is too long");
}

/* Closes what is open; the first failure is kept. */
static void close_files(struct tracer *t)
{
    char why[sizeof t->why] = "";
    if (t->log) log_close(t->log, why, sizeof why);
    if (t->binary) binary_close(t->binary, why, sizeof why);
    if (!*t->why) memcpy(t->why, why, sizeof why);
    t->log = NULL;
    t->binary = NULL;
}

static void launch_end(void *user, const struct launch *launch, const struct result *result)
{
    struct tracer *t = user;
    (void)launch, (void)result;
    if (t->dir) close_files(t);
}

static bool trace_close(struct observer *observer, char *why, size_t why_size)
{
    struct tracer *t = observer->user;
    close_files(t);
    bool ok = !*t->why;
    if (!ok) snprintf(why, why_size, "%s", t->why);
    free(t);
    return ok;
}

/* ---- the observers ---- */

static struct tracer *tracer_new(struct gpu *gpu, char *why, size_t why_size)
{
    struct tracer *t = calloc(1, sizeof *t);
    if (!t) {
        snprintf(why, why_size, "out of memory");
        return NULL;
    }
    t->config = gpu_config_of(gpu);
    t->hooks = (struct observer){.user = t,
                                 .launch_begin = launch_begin,
                                 .launch_end = launch_end,
                                 .group_begin = group_begin,
                                 .group_end = group_end,
                                 .before = before,
                                 .after = after,
                                 .access = on_access};
    return t;
}

/* The tracer's observer, if its file could be opened. */
static struct observer *opened(struct tracer *t, bool ok)
{
    if (ok) return &t->hooks;
    free(t);
    return NULL;
}

static struct observer *open_log(struct gpu *gpu, const char *path, char *why, size_t why_size)
{
    struct tracer *t = tracer_new(gpu, why, why_size);
    if (!t) return NULL;
    t->hooks.flags = true;
    t->log = log_open(t->config, path, why, why_size);
    return opened(t, t->log);
}

static struct observer *open_logs(struct gpu *gpu, const char *dir, char *why, size_t why_size)
{
    struct tracer *t = tracer_new(gpu, why, why_size);
    if (!t) return NULL;
    t->hooks.flags = true;
    t->dir = dir;
    return opened(t, true);
}

static struct observer *open_binary(struct gpu *gpu, const char *path, char *why, size_t why_size)
{
    struct tracer *t = tracer_new(gpu, why, why_size);
    if (!t) return NULL;
    t->binary = binary_open(t->config, path, why, why_size);
    return opened(t, t->binary);
}

const struct observer_kind observer_trace = {
    .option = "trace",
    .letter = 't',
    .value = "FILE",
    .help = "write each instruction and its effects in the public simulator's format;\n- is standard output",
    .serial = true,
    .open = open_log,
    .close = trace_close,
};

const struct observer_kind observer_trace_dir = {
    .option = "trace-dir",
    .value = "DIR",
    .help = "the same, a file for each launch: DIR/STEM.log for STEM.metadata",
    .serial = true,
    .open = open_logs,
    .close = trace_close,
};

const struct observer_kind observer_trace_binary = {
    .option = "trace-binary",
    .value = "FILE",
    .help = "write a compact trace, which `ventus trace` prints",
    .open = open_binary,
    .close = trace_close,
};
