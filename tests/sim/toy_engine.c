/* The toy engine: a plain switch over kinds, in which the machine's own functions do all the work (toy_engine.h).
 *
 * It keeps decoded instructions of its own, to have something that must be forgotten when code changes. */
#include "toy_engine.h"

#include <stdlib.h>

#include "sim/dma.h"
#include "sim/lanes.h"
#include "sim/machine.h"
#include "sim/mma.h"

/* ---- decoded instructions ---- */

enum { KEPT = 256 };

/* Of one SM. */
struct cache {
    uint32_t version; /* gpu->code_version when they were decoded */
    struct kept {
        uint32_t pc;
        struct decoded d; /* of size 0: there is none */
    } kept[KEPT];
};

static void *open_toy(struct gpu *gpu) { return calloc(gpu->config.sms, sizeof(struct cache)); }

/* The instruction at w->pc; NULL if there is none. */
static const struct decoded *fetch(struct sm *sm, const struct warp *w, struct cache *cache)
{
    struct kept *k = &cache->kept[w->pc / 4 % KEPT];
    if (w->group->launch->sv39) return fetch_translated(sm, w->pc);
    if (w->pc % 4) return NULL;
    if (k->d.in.size && k->pc == w->pc) return &k->d;
    const struct code_page *page = code_page(sm, w->pc);
    if (page) *k = (struct kept){w->pc, page->insns[w->pc / 4 % PAGE_WORDS]};
    return page ? &k->d : NULL;
}

/* ---- one instruction ---- */

struct now {
    struct sm *sm;
    struct warp *w;
    const struct decoded *d;
    const struct insn *in;
    uint32_t at, next; /* address of its word, of the next instruction */
};

static void count_vector(struct now *n)
{
    n->w->group->counters.vector_instructions++;
    n->w->group->counters.lanes += n->w->nactive;
}

static void write_x(struct now *n, uint32_t value)
{
    n->w->x[n->in->rd] = value;
    n->w->x[0] = 0;
}

static uint32_t value(const struct now *n, uint32_t old) { return exact_value(n->w, n->d, n->at, old); }

static enum stop illegal(struct now *n, const char *why)
{
    return why ? fault_raise(n->sm, n->w, FAULT_ILLEGAL, ISA_LANES, 0, why) : STOP_NOT;
}

/* Arithmetic: by the table of lanes.c, or out of line when there is more to the instruction. */
static enum stop compute(struct now *n)
{
    const struct lane_row *row = &lanes_base[n->in->op];
    uint32_t flags = isa_table[n->in->op].flags;
    bool seen = n->w->group->flags && (flags & (ISA_ROUND | ISA_FP | ISA_SAT));
    bool exact = seen || n->d->dispatch == DISPATCH_EXACT || ((flags & ISA_ROUND) && n->w->frm > 3);
    if (n->d->vectors) count_vector(n);
    if (exact || !row->lanes) return illegal(n, exact_run(n->w, n->d, n->at));
    row->lanes(n->w, n->in);
    return STOP_NOT;
}

static enum stop branch_lanes(struct now *n)
{
    bool modified = n->d->dispatch == DISPATCH_VBRANCH;
    uint32_t taken = modified ? exact_taken(n->w, n->d) : lanes_base[n->in->op].taken(n->w, n->in);
    count_vector(n);
    if (simt_branch(n->w, taken, n->at + (uint32_t)n->in->imm, n->next, n->sm->order, &n->next)) return STOP_NOT;
    return fault_raise(n->sm, n->w, FAULT_SIMT_OVERFLOW, ISA_LANES, 0, NULL);
}

static enum stop jump(struct now *n)
{
    uint32_t link = n->next;
    n->next = value(n, 0);
    write_x(n, link);
    return STOP_NOT;
}

static enum stop run_amo(struct now *n)
{
    if (n->d->dispatch == DISPATCH_MEMORY || n->w->group->launch->sv39) return memory_run(n->sm, n->w, n->in), STOP_NOT;
    count_vector(n);
    n->w->group->counters.atomics++;
    uint32_t bad = lanes_base[n->in->op].amo(n->sm, n->w, n->in);
    return bad ? fault_misaligned(n->sm, n->w, bad) : STOP_NOT;
}

static enum stop run_csr(struct now *n)
{
    bool writes = (isa_table[n->in->op].flags & ISA_ALWAYS) || n->in->rs1 || n->in->imm;
    uint32_t old;
    if (n->sm->gpu->config.thread_csrs && !writes && isa_csr_per_lane(n->in->aux))
        return csr_read_lanes(n->sm, n->w, n->in), STOP_NOT;
    if (!csr_read(n->w, n->in->aux, &old)) return illegal(n, "no such control register");
    if (writes && !csr_write(n->w, n->in->aux, value(n, old))) return illegal(n, "read-only control register");
    write_x(n, old);
    return STOP_NOT;
}

static enum stop set_vl(struct now *n)
{
    uint32_t vtype = value(n, 0);
    if (!csr_vtype_ok(n->sm->gpu, vtype)) return fault_vtype(n->sm, n->w, vtype);
    write_x(n, csr_set_vl(n->w, n->in, vtype));
    return vtype_is_words(vtype) ? STOP_NOT : STOP_QUANTUM;
}

static enum stop become(struct now *n, enum warp_state state, enum stop stop)
{
    n->w->group->counters.barriers += stop == STOP_BARRIER;
    n->w->state = state;
    return stop;
}

// clang-format off
static enum stop execute(struct now *n)
{
    switch (isa_table[n->in->op].kind) {
    case KIND_X: case KIND_V: case KIND_VV: case KIND_VX: case KIND_VI: case KIND_V1I: case KIND_V2X:
    case KIND_EX: case KIND_EV: case KIND_EW: return compute(n);
    case KIND_BRANCH: if (exact_condition(n->w, n->d)) n->next = n->at + (uint32_t)n->in->imm; return STOP_NOT;
    case KIND_VBRANCH: return branch_lanes(n);
    case KIND_JAL: case KIND_JALR: return jump(n);
    case KIND_JOIN: n->next = simt_join(n->w, n->at, n->next); return STOP_NOT;
    case KIND_SETRPC: write_x(n, n->w->rpc = value(n, 0)); return STOP_NOT;
    case KIND_CSR: return run_csr(n);
    case KIND_VSET: return set_vl(n);
    case KIND_FENCE: __sync_synchronize(); translate_forget(n->sm); return STOP_NOT;
    case KIND_FENCE_I: translate_forget(n->sm); code_drop(n->sm->gpu); return STOP_QUANTUM;
    case KIND_BARRIERSUB: return STOP_NOT;
    case KIND_BARRIER: return become(n, WARP_WAITING, STOP_BARRIER);
    case KIND_MBARRIER: return become(n, WARP_WAITING_DMA, STOP_BARRIER);
    case KIND_ENDPRG:
        if (n->w->depth) return fault_raise(n->sm, n->w, FAULT_ENDPRG_DIVERGED, ISA_LANES, 0, NULL);
        return become(n, WARP_ENDED, STOP_END);
    case KIND_MMA: count_vector(n); return illegal(n, mma_execute(n->w, n->in));
    case KIND_DMA: count_vector(n); return illegal(n, dma_execute(n->sm, n->w, n->in));
    case KIND_RTLOAD: count_vector(n); return illegal(n, ray_load(n->sm, n->w, n->in));
    case KIND_RTSTORE: count_vector(n); return illegal(n, ray_store(n->sm, n->w, n->in));
    case KIND_AMO: return run_amo(n);
    default: memory_run(n->sm, n->w, n->in); return STOP_NOT;
    }
}
// clang-format on

/* The instruction at w->pc, with everything around it. */
static enum stop step(struct sm *sm, struct warp *w, struct cache *cache)
{
    const struct decoded *d = fetch(sm, w, cache);
    struct counters *c = &w->group->counters;
    uint32_t pc = w->pc;
    enum stop stop;
    if (!d) return fault_fetch(sm, w);
    struct now n = {sm, w, d, &d->in, pc + d->in.size - 4, pc + d->in.size};
    c->instructions++;
    if (d->vregs > w->group->launch->vgprs || d->xregs > w->group->launch->sgprs) return fault_illegal(sm, w, d);
    w->raised = 0;
    if (!observe_before(w, n.in, w->group->launch->sv39 ? NULL : code_page(sm, pc), &stop))
        return c->instructions--, stop;
    stop = d->dispatch == DISPATCH_REFUSED ? fault_illegal(sm, w, d) : execute(&n);
    if (stop == STOP_FAULT) return stop;
    w->pc = n.next;
    observe_after(w, pc, n.in);
    return stop;
}

static enum stop run(struct sm *sm, struct warp *w, uint64_t budget)
{
    if (!vtype_is_words(w->vtype)) return engine_choose(&engine_step, NEEDS_HOOKS)->run(sm, w, budget);
    struct cache *cache = (struct cache *)sm->gpu->engine_data + sm->index;
    uint32_t version = sm->gpu->code_version;
    enum stop stop = STOP_NOT;
    if (cache->version != version) *cache = (struct cache){.version = version};
    round_set(w->frm);
    while (stop == STOP_NOT && budget--) stop = step(sm, w, cache);
    return stop == STOP_NOT ? STOP_QUANTUM : stop;
}

static const struct engine_build builds[] = {{"toy", NULL, NEEDS_HOOKS | NEEDS_FLAGS | NEEDS_SV39, run}, {0}};
const struct engine engine_toy = {"toy", "for tests", builds, open_toy, free};
