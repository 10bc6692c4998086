/* Between the machine's hooks and the writers of traces: collects what one instruction does.
 *
 * Hooks see an instruction three times: before it, at each memory access, and after it. Memory operands
 * are copied when they are announced, because an instruction may overwrite its own address register.
 * Called by run.c. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

struct tracer {
    struct trace hooks;
    struct gpu *gpu;
    struct trace_log *log;
    struct trace_binary *binary;
    struct event event;
};

/* Registers that a store takes its data from; they may be gone afterwards (sc.w writes its destination). */
static void take_data(struct event *e, const struct warp *w, const struct insn *in)
{
    e->writes_memory = true;
    switch (isa_table[in->op].kind) {
    case KIND_XSTORE: e->data[0] = w->x[in->rs2]; break;
    case KIND_VSTORE: case KIND_PSTORE: memcpy(e->data, w->v[in->rs2], sizeof e->data); break;
    case KIND_USTORE: case KIND_SSTORE: case KIND_ISTORE: memcpy(e->data, w->v[in->rs3], sizeof e->data); break;
    case KIND_AMO: case KIND_SC: break; /* what memory holds afterwards */
    default: e->writes_memory = false;
    }
}

static void before(void *user, const struct warp *w, const struct insn *in)
{
    struct tracer *t = user;
    struct event *e = &t->event;
    e->mask = w->mask;
    e->depth = w->depth;
    e->lanes = in->vm ? w->active : w->active & w->v[0][0];
    e->accessed = false;
    e->fflags = t->log ? trace_flags(w, in, e->lanes) : 0;
    take_data(e, w, in);
}

static void on_access(void *user, const struct warp *w, const struct insn *in, const struct access *access)
{
    struct event *e = &((struct tracer *)user)->event;
    (void)w, (void)in;
    e->accessed = true;
    e->access = *access;
    if (!access->high) return;
    memcpy(e->high, access->high, sizeof e->high);
    e->access.high = e->high;
}

/* The next lane that takes part and has the same address, or ISA_LANES. */
static unsigned next_sharing(const struct access *a, unsigned lane)
{
    for (unsigned other = lane + 1; other < ISA_LANES; other++)
        if ((a->lanes >> other & 1) && a->addr[other] == a->addr[lane]) return other;
    return ISA_LANES;
}

/* What each lane of an atomic wrote: what the next lane with its word found there, or what is there now.
 * Conditional stores that failed show the word too. */
static void read_back(struct tracer *t, struct event *e, const struct warp *w, const struct insn *in)
{
    for (uint32_t left = e->access.lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), other = next_sharing(&e->access, lane);
        bool found = isa_table[in->op].kind == KIND_AMO && other < ISA_LANES;
        const void *p = found ? &w->v[in->rd][other] : gpu_mem(t->gpu, e->access.addr[lane], 4);
        if (p) memcpy(&e->data[lane], p, 4);
    }
}

static void after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    struct tracer *t = user;
    struct event *e = &t->event;
    unsigned kind = isa_table[in->op].kind;
    const void *code = gpu_mem(t->gpu, pc, in->size);
    memset(e->words, 0, sizeof e->words);
    if (code && in->size <= sizeof e->words) memcpy(e->words, code, in->size);
    e->w = w;
    e->insn = in;
    e->pc = pc;
    if (e->accessed && (kind == KIND_AMO || kind == KIND_SC)) read_back(t, e, w, in);
    if (t->log) log_event(t->log, e);
    if (t->binary) binary_event(t->binary, e);
}

static void group_begin(void *user, const struct group *group)
{
    struct tracer *t = user;
    if (t->binary && group->wgid == 0) binary_launch(t->binary, group->launch);
    if (t->log) log_group_begin(t->log, group);
}

static void group_end(void *user, const struct group *group)
{
    struct tracer *t = user;
    if (t->log) log_group_end(t->log, group);
}

struct tracer *trace_open(struct gpu *gpu, const struct trace_files *files)
{
    if (!files->log && !files->binary) return NULL;
    struct tracer *t = allocate(sizeof *t);
    t->gpu = gpu;
    t->hooks = (struct trace){.user = t, .group_begin = group_begin, .group_end = group_end,
                              .before = before, .after = after, .access = on_access};
    if (files->log) t->log = log_open(gpu, files->log);
    if (files->binary) t->binary = binary_open(gpu_config_of(gpu), files->binary);
    return t;
}

const struct trace *trace_hooks(struct tracer *t) { return t ? &t->hooks : NULL; }

void trace_close(struct tracer *t)
{
    if (!t) return;
    if (t->log) log_close(t->log);
    if (t->binary) binary_close(t->binary);
    free(t);
}
