/* Between the machine's hooks and the writers of traces: collects what one instruction does.
 *
 * Hooks see an instruction three times: before it, at each memory access, and after it. Memory operands
 * are copied when they are announced, because an instruction may overwrite its own address register.
 * Called by `ventus run`. */
#include "sim/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "isa/tile.h"

struct tracer {
    struct observer hooks;
    struct trace_log *log;
    struct trace_binary *binary;
    struct event event;
};

/* Registers that a store takes its data from; they may be gone afterwards (sc.w writes its destination). */
static void take_data(struct event *e, const struct warp *w, const struct insn *in)
{
    struct isa_memory m = isa_memory(in);
    unsigned reg = (unsigned)isa_get(in, (enum operand_role)m.data);
    e->writes_memory = true;
    switch (isa_table[in->op].kind) {
    case KIND_XSTORE:
        for (unsigned k = 0; k < m.words; k++) e->data[k][0] = w->x[reg + k];
        break;
    case KIND_VSTORE:
    case KIND_PSTORE:
    case KIND_USTORE:
    case KIND_SSTORE:
    case KIND_ISTORE:
        for (unsigned k = 0; k < m.words; k++) memcpy(e->data[k], w->v[reg + k], sizeof e->data[k]);
        break;
    case KIND_AMO:
    case KIND_SC:
    case KIND_XAMO:
    case KIND_XSC: break; /* what memory holds afterwards */
    default: e->writes_memory = false;
    }
}

/* Where results go: to more than one register in pairs, wide loads and matrices. */
static void find_results(struct event *e, const struct warp *w, const struct insn *in)
{
    struct isa_memory m = isa_memory(in);
    struct isa_registers r = isa_registers(in);
    struct tile tile;
    unsigned kind = isa_table[in->op].kind;
    bool ids = kind == KIND_CSR && isa_csr_per_lane(in->aux);
    e->to_vector = ids || (r.vectors >> ROLE_RD & 1);
    e->results = 1;
    if (m.words && m.data == ROLE_RD) e->results = m.words;
    if (!m.words && ((r.row_pairs | r.prefix_pairs) >> ROLE_RD & 1)) e->results = 2;
    if (kind == KIND_MMA && !isa_tile(in, w->group->launch->threads_per_warp, &tile))
        e->results = (tile.words_c + tile.lanes - 1u) / tile.lanes;
    e->to_scalar =
        !ids && (r.scalars >> ROLE_RD & 1) && (in->rd || (m.words && e->results > 1)); /* a pair at x0 is none */
}

static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct tracer *t = user;
    struct event *e = &t->event;
    uint32_t words[ISA_MAX_WORDS] = {0};
    size_t n = warp_code(w, w->pc, words), size = in->size / 4u;
    memset(e->words, 0, sizeof e->words);
    memcpy(e->words, words, 4 * (n < size ? n : size));
    e->mask = w->mask;
    e->depth = w->depth;
    e->lanes = in->vm ? w->active : w->active & w->v[0][0];
    e->accesses = 0;
    find_results(e, w, in);
    take_data(e, w, in);
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
        bool found = isa_table[in->op].kind == KIND_AMO && other < ISA_LANES;
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
    t->hooks = (struct observer){.user = t,
                                 .group_begin = group_begin,
                                 .group_end = group_end,
                                 .before = before,
                                 .after = after,
                                 .access = on_access,
                                 .flags = files->log};
    if (files->log) t->log = log_open(gpu, files->log);
    if (files->binary) t->binary = binary_open(gpu_config_of(gpu), files->binary);
    return t;
}

const struct observer *trace_hooks(struct tracer *t) { return t ? &t->hooks : NULL; }

void trace_close(struct tracer *t)
{
    if (!t) return;
    if (t->log) log_close(t->log);
    if (t->binary) binary_close(t->binary);
    free(t);
}
