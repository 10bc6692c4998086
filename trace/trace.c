/* Between the machine's hooks and the writers of traces.
 *
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

static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct tracer *t = user;
    if (*t->why) return STOP;
    trace_event_begin(&t->event, w, in);
    return GO_ON;
}

static void on_access(void *user, const struct warp *w, const struct insn *in, const struct access *access)
{
    (void)w, (void)in;
    trace_event_access(&((struct tracer *)user)->event, access);
}

static void after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    struct tracer *t = user;
    struct event *e = &t->event;
    trace_event_end(e, w, pc, in);
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
