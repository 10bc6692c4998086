/* The engine `step` runs one warp, instruction by instruction.
 *
 * It calls a function of lanes.c for arithmetic of lanes. For the rest there is one switch with a case for each line of
 * isa/insn.def, which calls the function of the line's kind. Scalar arithmetic comes from the table's expression;
 * memory, control flow and CSRs are written out here.
 * The compiler inlines the functions into the switch, where the arguments that come from the line are constants. The
 * build compiles this file several times (STEP_NAME, with the functions of STEP_LANES): for each instruction set of the
 * host, and with STEP_HOOKED for observers, flags and SV39. Invariants: w->pc is the address of the instruction in
 * progress; x[0] is 0. group.c calls the engine. */
#include "isa/flags.h"
#include "sim/access.h"
#include "sim/dma.h"
#include "sim/elements.h"
#include "sim/lane.h"
#include "sim/lanes.h"
#include "sim/machine.h"
#include "sim/mma.h"
#include "sim/rows.h"

#if STEP_HOOKED
#define STEP_COUNTED 1
#endif
#ifndef STEP_COUNTED
#define STEP_COUNTED 0
#endif

/* The instruction in progress. Only inlined functions see it, so that the loop keeps it in host registers. */
struct step {
    struct sm *sm;
    struct warp *w;
    uint32_t *x; /* the warp's registers */
    uint32_t (*v)[ISA_LANES];
    struct counters *counters; /* of its group */
    const struct decoded *d;
    const struct insn *in;      /* of `d` */
    uint32_t next;              /* address of the instruction behind it, or where it jumps */
    struct insn_counts *counts; /* its own; NULL: none are kept */
};

/* Returns the address of the instruction word, which is behind the prefix; only before a jump. */
INLINE uint32_t here(const struct step *s) { return s->next - 4; }

INLINE void write_x(struct step *s, uint32_t value)
{
    s->x[s->in->rd] = value;
    s->x[0] = 0;
}

/* ---- how the function of an instruction ends: STOP_NOT, or the loop returns what it says ---- */

/* The warp, at w->pc until now, goes on at `next`. */
NOINLINE void executed(struct warp *w, const struct insn *in, uint32_t next)
{
    uint32_t pc = w->pc;
    w->pc = next;
    observe_after(w, pc, in);
}

/* Leaves the loop behind the instruction. */
INLINE enum stop leave(struct step *s, enum stop stop)
{
    if (STEP_HOOKED) executed(s->w, s->in, s->next);
    s->w->pc = s->next;
    return stop;
}

NOINLINE enum stop refuse(struct sm *sm, const struct warp *w, const char *why)
{
    return fault_raise(sm, w, FAULT_ILLEGAL, ISA_LANES, 0, why);
}

/* Faults with the reason why a call could not execute the instruction; NULL: the call has executed it. */
INLINE enum stop refuse_if(struct step *s, const char *why) { return why ? refuse(s->sm, s->w, why) : STOP_NOT; }

/* ---- arithmetic ---- */

/* Evaluates a row's expression of scalar registers, the immediate, and one operand that comes from elsewhere. */
typedef uint32_t value_fn(const struct step *s, uint32_t other);

INLINE void count_vector(struct step *s)
{
    s->counters->vector_instructions++;
    s->counters->lanes += s->w->nactive;
}

INLINE enum stop run_exact(struct step *s) { return refuse_if(s, exact_run(s->w, s->d, here(s))); }

INLINE enum stop run_exact_lanes(struct step *s)
{
    count_vector(s);
    return run_exact(s);
}

/* Executes an instruction behind a prefix that changes its operands. */
INLINE enum stop run_modified(struct step *s) { return s->d->vectors ? run_exact_lanes(s) : run_exact(s); }

/* Does somebody see the flags of the row? Then eval.c computes it. */
INLINE bool accrues(const struct step *s, uint32_t row)
{
    return STEP_HOOKED && (row & (ROUND | FP | SAT)) && s->w->group->flags;
}

/* Does the warp round as the host does not, or otherwise than the row? Then eval.c computes it, too. */
INLINE bool is_exact(const struct step *s, uint32_t row)
{
    return accrues(s, row) || ((row & ROUND) && s->w->frm > 3) || ((row & NEAREST) && s->w->frm != FP_RNE);
}

INLINE enum stop run_scalar(struct step *s, uint32_t row, value_fn *value)
{
    bool own_mode = s->in->rm != 7 && s->in->rm != s->w->frm;
    if (is_exact(s, row) || ((row & ROUND) && own_mode)) return run_exact(s);
    write_x(s, value(s, 0));
    return STOP_NOT;
}

/* Executes a row of lanes.h. */
INLINE enum stop run_lanes(struct step *s, const struct lane_row *row)
{
    bool plain = s->w->frm == FP_RNE && !(STEP_HOOKED && s->w->group->flags); /* then its flags need not be looked up */
    count_vector(s);
    if (!plain && is_exact(s, isa_table[s->in->op].flags)) return run_exact(s);
    row->lanes(s->w, s->in);
    return STOP_NOT;
}

/* Writes a value of the last active lane to rd. */
INLINE enum stop run_last_lane(struct step *s, value_fn *value)
{
    uint32_t active = s->w->active;
    count_vector(s);
    if (active) write_x(s, value(s, s->v[s->in->rs2][31 - __builtin_clz(active)]));
    return STOP_NOT;
}

/* ---- control flow ---- */

INLINE uint32_t target(const struct step *s) { return here(s) + (uint32_t)s->in->imm; }

/* Does this build count instructions one by one? Those for launches that ask for it do, and the hooked one. */
INLINE bool is_counted(const struct step *s) { return STEP_COUNTED && s->counts; }

INLINE enum stop branch(struct step *s, bool taken)
{
    if (taken && is_counted(s)) {
        s->counts->taken++;
        s->counts->taken_lanes += s->w->nactive;
    }
    if (taken) s->next = target(s);
    return STOP_NOT;
}

INLINE enum stop branch_lanes(struct step *s, uint32_t taken)
{
    uint32_t next;
    const uint32_t mask = s->w->mask;
    count_vector(s);
    if (!simt_branch(s->w, taken, target(s), s->next, s->sm->order, &next))
        return fault_raise(s->sm, s->w, FAULT_SIMT_OVERFLOW, ISA_LANES, 0, NULL);
    if (is_counted(s) && taken) {
        s->counts->taken += taken == mask;
        s->counts->diverged += taken != mask;
        s->counts->taken_lanes += (uint32_t)__builtin_popcount(taken);
    }
    s->next = next;
    return STOP_NOT;
}

INLINE enum stop join(struct step *s)
{
    s->next = simt_join(s->w, here(s), s->next);
    return STOP_NOT;
}

INLINE enum stop set_rpc(struct step *s, value_fn *value)
{
    s->w->rpc = value(s, 0);
    write_x(s, s->w->rpc);
    return STOP_NOT;
}

INLINE enum stop jump(struct step *s, value_fn *where)
{
    uint32_t link = s->next;
    s->next = where(s, 0);
    write_x(s, link);
    return STOP_NOT;
}

INLINE enum stop wait_for(struct step *s, enum warp_state state)
{
    s->counters->barriers++;
    s->w->state = state;
    return leave(s, STOP_BARRIER);
}

INLINE enum stop end_warp(struct step *s)
{
    if (s->w->depth) return fault_raise(s->sm, s->w, FAULT_ENDPRG_DIVERGED, ISA_LANES, 0, NULL);
    s->w->state = WARP_ENDED;
    return leave(s, STOP_END);
}

/* ---- memory ---- */

/* The memory type of a row: its bytes, its sign, and a word of as many ones. */
INLINE unsigned bytes(uint32_t row) { return row >> ISA_BYTES_SHIFT & 7u; }
INLINE bool is_signed(uint32_t row) { return row & ISA_SIGNED; }
INLINE uint32_t ones(uint32_t row) { return ~0u >> (32 - 8 * bytes(row)); }

INLINE enum stop run_memory(struct step *s)
{
    memory_run(s->sm, s->w, s->in);
    return STOP_NOT;
}

/* memory_run alone executes these rows: code.c dispatches them there at once. */
INLINE bool out_of_line(uint32_t row) { return row & (LONG | SPACE(3)); }

INLINE uint32_t scalar_address(const struct step *s) { return s->x[s->in->rs1] + (uint32_t)s->in->imm; }

INLINE enum stop load_x(struct step *s, uint32_t row)
{
    if (out_of_line(row)) return run_memory(s);
    s->counters->loads++;
    write_x(s, load_scalar(s->sm, scalar_address(s), bytes(row), is_signed(row)));
    return STOP_NOT;
}

INLINE enum stop store_x(struct step *s, uint32_t row)
{
    if (out_of_line(row)) return run_memory(s);
    s->counters->stores++;
    store_scalar(s->sm, scalar_address(s), bytes(row), s->x[s->in->rs2]);
    return STOP_NOT;
}

INLINE void count_load(struct step *s)
{
    count_vector(s);
    s->counters->loads++;
}

INLINE void count_store(struct step *s)
{
    count_vector(s);
    s->counters->stores++;
}

INLINE enum stop load_flat(struct step *s, uint32_t row)
{
    if (out_of_line(row)) return run_memory(s);
    count_load(s);
    flat_addresses(s->sm, s->v[s->in->rs1], (uint32_t)s->in->imm);
    load_lanes(s->sm, s->v[s->in->rd], s->w->active, bytes(row), is_signed(row));
    return STOP_NOT;
}

INLINE enum stop store_flat(struct step *s, uint32_t row)
{
    if (out_of_line(row)) return run_memory(s);
    count_store(s);
    flat_addresses(s->sm, s->v[s->in->rs1], (uint32_t)s->in->imm);
    store_lanes(s->sm, s->v[s->in->rs2], s->w->active, bytes(row));
    return STOP_NOT;
}

/* Sets the addresses of private memory. Returns the active lanes whose access would leave its word. */
INLINE uint32_t crossing(struct step *s, uint32_t row)
{
    return s->w->active & private_addresses(s->sm, s->w, s->v[s->in->rs1], (uint32_t)s->in->imm, bytes(row));
}

INLINE enum stop load_private(struct step *s, uint32_t row)
{
    count_load(s);
    uint32_t bad = crossing(s, row);
    if (bad) return fault_misaligned(s->sm, s->w, bad);
    load_lanes(s->sm, s->v[s->in->rd], s->w->active, bytes(row), is_signed(row));
    return STOP_NOT;
}

INLINE enum stop store_private(struct step *s, uint32_t row)
{
    count_store(s);
    uint32_t bad = crossing(s, row);
    if (bad) return fault_misaligned(s->sm, s->w, bad);
    store_lanes(s->sm, s->v[s->in->rs2], s->w->active, bytes(row));
    return STOP_NOT;
}

INLINE enum stop load_strided(struct step *s, uint32_t stride, uint32_t row)
{
    count_load(s);
    strided_addresses(s->sm, s->x[s->in->rs1], stride);
    load_lanes(s->sm, s->v[s->in->rd], active_lanes(s->w, s->in), bytes(row), is_signed(row));
    return STOP_NOT;
}

INLINE enum stop store_strided(struct step *s, uint32_t stride, uint32_t row)
{
    count_store(s);
    strided_addresses(s->sm, s->x[s->in->rs1], stride);
    store_lanes(s->sm, s->v[s->in->rs3], active_lanes(s->w, s->in), bytes(row));
    return STOP_NOT;
}

INLINE enum stop load_indexed(struct step *s, uint32_t row)
{
    count_load(s);
    indexed_addresses(s->sm, s->x[s->in->rs1], s->v[s->in->rs2], ones(row));
    load_lanes(s->sm, s->v[s->in->rd], active_lanes(s->w, s->in), 4, false);
    return STOP_NOT;
}

INLINE enum stop store_indexed(struct step *s, uint32_t row)
{
    count_store(s);
    indexed_addresses(s->sm, s->x[s->in->rs1], s->v[s->in->rs2], ones(row));
    store_lanes(s->sm, s->v[s->in->rs3], active_lanes(s->w, s->in), 4);
    return STOP_NOT;
}

INLINE enum stop run_atomic(struct step *s, enum isa_op op)
{
    count_vector(s);
    s->counters->atomics++;
    uint32_t bad = STEP_LANES[op].amo(s->sm, s->w, s->in);
    return bad ? fault_misaligned(s->sm, s->w, bad) : STOP_NOT;
}

/* ---- the rest ---- */

INLINE enum stop run_csr(struct step *s, uint32_t row, value_fn *value)
{
    const struct insn *in = s->in;
    bool writes = (row & ALWAYS) || in->rs1 || in->imm;
    uint32_t old;
    if (s->sm->gpu->config.thread_csrs && !writes && isa_csr_per_lane(in->aux)) {
        csr_read_lanes(s->sm, s->w, in);
        return STOP_NOT;
    }
    if (!csr_read(s->w, in->aux, &old)) return refuse(s->sm, s->w, "no such control register");
    if (writes && !csr_write(s->w, in->aux, value(s, old))) return refuse(s->sm, s->w, "read-only control register");
    write_x(s, old);
    return STOP_NOT;
}

INLINE enum stop set_vl(struct step *s, value_fn *value)
{
    uint32_t vtype = value(s, 0);
    if (!csr_vtype_ok(s->sm->gpu, vtype)) return fault_vtype(s->sm, s->w, vtype);
    write_x(s, csr_set_vl(s->w, s->in, vtype));
    return vtype_is_words(vtype) ? STOP_NOT : leave(s, STOP_QUANTUM); /* goes on in the build that knows others */
}

/* Executes an instruction whose elements, by the vector type, are no words. */
NOINLINE enum stop run_elements(struct step *s)
{
    const struct launch *l = s->w->group->launch;
    struct decoded d;
    const char *why = elements_decode(s->w->vtype, s->d, &d);
    if (why) return refuse(s->sm, s->w, why);
    if (d.vregs > l->vgprs || d.xregs > l->sgprs) return fault_illegal(s->sm, s->w, &d);
    if (isa_memory(&d.in).words) return run_memory(s);
    if (isa_table[d.in.op].kind == KIND_VBRANCH) return branch_lanes(s, exact_taken(s->w, &d));
    count_vector(s);
    return refuse_if(s, exact_run(s->w, &d, here(s)));
}

INLINE enum stop fence(struct step *s)
{
    __sync_synchronize();
    if (STEP_HOOKED) translate_forget(s->sm);
    return STOP_NOT;
}

/* Drops all decoded code, the page of this instruction too, and so ends the run. */
INLINE enum stop fence_code(struct step *s)
{
    if (STEP_HOOKED) translate_forget(s->sm);
    enum stop stop = leave(s, STOP_QUANTUM);
    code_drop(s->sm->gpu);
    return stop;
}

INLINE enum stop run_matrix(struct step *s)
{
    count_vector(s);
    return refuse_if(s, mma_execute(s->w, s->in));
}

INLINE enum stop run_copy(struct step *s)
{
    count_vector(s);
    return refuse_if(s, dma_execute(s->sm, s->w, s->in));
}

typedef const char *ray_fn(struct sm *sm, struct warp *w, const struct insn *in);

INLINE enum stop run_ray(struct step *s, ray_fn *run)
{
    count_vector(s);
    return refuse_if(s, run(s->sm, s->w, s->in));
}

/* ---- the lines of the table ---- */

/* The expressions of these kinds use scalar registers; V2X and CSR give `other` its name. */
#define ROW_X      ~, VALUE
#define ROW_BRANCH ~, VALUE
#define ROW_JAL    ~, VALUE
#define ROW_JALR   ~, VALUE
#define ROW_SETRPC ~, VALUE
#define ROW_VSET   ~, VALUE
#define ROW_V2X    ~, VALUE_VS2
#define ROW_CSR    ~, VALUE_OLD

#define VALUE(id, expr) \
    INLINE uint32_t value_##id(const struct step *s, uint32_t none) \
    { \
        const uint32_t rs1 = s->x[s->in->rs1], rs2 = s->x[s->in->rs2], rs3 = s->x[s->in->rs3]; \
        const uint32_t imm = (uint32_t)s->in->imm, aux = s->in->aux, pc = here(s); \
        (void)rs1, (void)rs2, (void)rs3, (void)imm, (void)aux, (void)pc, (void)none; \
        return (uint32_t)(expr); \
    }
#define VALUE_VS2(id, expr) \
    INLINE uint32_t value_##id(const struct step *s, uint32_t vs2) \
    { \
        (void)s; \
        return (uint32_t)(expr); \
    }
#define VALUE_OLD(id, expr) \
    INLINE uint32_t value_##id(const struct step *s, uint32_t old) \
    { \
        const uint32_t rs1 = s->x[s->in->rs1], imm = (uint32_t)s->in->imm; \
        (void)rs1, (void)imm, (void)old; \
        return (uint32_t)(expr); \
    }
#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) ROW(kind)(id, expr)
#include "isa/insn.def"
#undef INSN

#define DO(call) \
    if ((stop = (call)) != STOP_NOT) return stop; \
    break;
#define DO_X(id, expr, flags)          DO(run_scalar(&s, flags, value_##id))
#define DO_V(id, expr, flags)          break; /* with V, VV, VX, VI, V1I: run_lanes, before the switch */
#define DO_VV(id, expr, flags)         break;
#define DO_VX(id, expr, flags)         break;
#define DO_VI(id, expr, flags)         break;
#define DO_V1I(id, expr, flags)        break;
#define DO_V2X(id, expr, flags)        DO(run_last_lane(&s, value_##id))
#define DO_EX(id, expr, flags)         DO(run_exact(&s))
#define DO_EV(id, expr, flags)         DO(run_exact_lanes(&s))
#define DO_EW(id, expr, flags)         DO(run_exact_lanes(&s))
#define DO_BRANCH(id, expr, flags)     DO(branch(&s, value_##id(&s, 0)))
#define DO_VBRANCH(id, expr, flags)    DO(branch_lanes(&s, STEP_LANES[OP_##id].taken(w, s.in)))
#define DO_JOIN(id, expr, flags)       DO(join(&s))
#define DO_SETRPC(id, expr, flags)     DO(set_rpc(&s, value_##id))
#define DO_JAL(id, expr, flags)        DO(jump(&s, value_##id))
#define DO_JALR(id, expr, flags)       DO(jump(&s, value_##id))
#define DO_XLOAD(id, expr, flags)      DO(load_x(&s, flags))
#define DO_XSTORE(id, expr, flags)     DO(store_x(&s, flags))
#define DO_VLOAD(id, expr, flags)      DO(load_flat(&s, flags))
#define DO_VSTORE(id, expr, flags)     DO(store_flat(&s, flags))
#define DO_PLOAD(id, expr, flags)      DO(load_private(&s, flags))
#define DO_PSTORE(id, expr, flags)     DO(store_private(&s, flags))
#define DO_ULOAD(id, expr, flags)      DO(load_strided(&s, bytes(flags), flags))
#define DO_USTORE(id, expr, flags)     DO(store_strided(&s, bytes(flags), flags))
#define DO_SLOAD(id, expr, flags)      DO(load_strided(&s, s.x[s.in->rs2], flags))
#define DO_SSTORE(id, expr, flags)     DO(store_strided(&s, s.x[s.in->rs2], flags))
#define DO_ILOAD(id, expr, flags)      DO(load_indexed(&s, flags))
#define DO_ISTORE(id, expr, flags)     DO(store_indexed(&s, flags))
#define DO_AMO(id, expr, flags)        DO(run_atomic(&s, OP_##id))
#define DO_LR(id, expr, flags)         DO(run_memory(&s))
#define DO_SC(id, expr, flags)         DO(run_memory(&s))
#define DO_XAMO(id, expr, flags)       DO(run_memory(&s))
#define DO_XLR(id, expr, flags)        DO(run_memory(&s))
#define DO_XSC(id, expr, flags)        DO(run_memory(&s))
#define DO_CSR(id, expr, flags)        DO(run_csr(&s, flags, value_##id))
#define DO_VSET(id, expr, flags)       DO(set_vl(&s, value_##id))
#define DO_FENCE(id, expr, flags)      DO(fence(&s))
#define DO_FENCE_I(id, expr, flags)    DO(fence_code(&s))
#define DO_PREFIX(id, expr, flags)     break; /* code.c refuses it, and the next one */
#define DO_ABSENT(id, expr, flags)     break;
#define DO_MMA(id, expr, flags)        DO(run_matrix(&s))
#define DO_DMA(id, expr, flags)        DO(run_copy(&s))
#define DO_RTLOAD(id, expr, flags)     DO(run_ray(&s, ray_load))
#define DO_RTSTORE(id, expr, flags)    DO(run_ray(&s, ray_store))
#define DO_BARRIER(id, expr, flags)    DO(wait_for(&s, WARP_WAITING))
#define DO_MBARRIER(id, expr, flags)   DO(wait_for(&s, WARP_WAITING_DMA))
#define DO_BARRIERSUB(id, expr, flags) break; /* a subgroup is a warp, and a warp is in step with itself */
#define DO_ENDPRG(id, expr, flags)     DO(end_warp(&s))

/* Where accesses are checked, memory_run executes everything that accesses memory. */
INLINE unsigned dispatch_of(const struct warp *w, const struct decoded *d, bool checked)
{
    if (STEP_HOOKED && !vtype_is_words(w->vtype) && d->dispatch != DISPATCH_REFUSED && elements_matter(&d->in))
        return DISPATCH_ELEMENTS;
    return checked && isa_memory(&d->in).words && d->dispatch != DISPATCH_REFUSED ? DISPATCH_MEMORY : d->dispatch;
}

/* The engine executes a flat access of r2025 itself unless the base address of some lane is private. */
INLINE unsigned dispatch_flat(const struct step *s)
{
    return s->w->active & flat_private(s->v[s->in->rs1]) ? DISPATCH_MEMORY : s->in->op;
}

INLINE void count_insn(struct step *s, int change)
{
    s->counts->executions += (uint64_t)(int64_t)change;
    s->counts->lanes += (uint64_t)(int64_t)(change * (int)s->w->nactive);
}

/* Returns STOP_NOT when the instruction may be executed. */
INLINE enum stop announce_insn(struct step *s, const struct code_page *page)
{
    enum stop stop;
    s->sm->insn = s->in;
    s->w->raised = 0;
    if (observe_before(s->w, s->in, page, &stop)) return STOP_NOT;
    s->counters->instructions--;
    if (is_counted(s)) count_insn(s, -1);
    return stop;
}

engine_run STEP_NAME, step_base_hooked; /* step_builds.c has their names, too */

enum stop STEP_NAME(struct sm *sm, struct warp *w, uint64_t budget)
{
    if (!STEP_HOOKED && !vtype_is_words(w->vtype)) return step_base_hooked(sm, w, budget);
    struct step s = {.sm = sm, .w = w, .x = w->x, .v = w->v, .counters = &w->group->counters};
    const struct launch *launch = w->group->launch;
    const uint32_t vgprs = launch->vgprs, sgprs = launch->sgprs;
    const bool translated = STEP_HOOKED && launch->sv39;
    const bool checked = translated || (STEP_HOOKED && sm->gpu->config.ignore_stray);
    const struct code_page *page = NULL;
    struct insn_counts *counts = NULL; /* of the page */
    uint32_t pc = w->pc;
    uint64_t base = MEM_SPAN; /* address of `page`; no address of the guest when there is none */
    round_set(w->frm);
    for (; budget; budget--, pc = s.next) {
        w->pc = pc;
        if (!translated && ((pc ^ base) & ~(PAGE_WORDS * 4ull - 4))) { /* another page, or misaligned */
            page = pc & 3 ? NULL : code_page(sm, pc);
            if (!page) return fault_fetch(sm, w);
            base = pc & ~(PAGE_WORDS * 4u - 1);
            if (STEP_COUNTED && sm->counts) counts = counts_page(sm->counts, sm->index, pc);
        }
        s.d = translated ? fetch_translated(sm, pc) : &page->insns[pc >> 2 & (PAGE_WORDS - 1)];
        s.in = &s.d->in;
        s.next = pc + s.in->size;
        s.counters->instructions++;
        if (translated && sm->counts) counts = counts_page(sm->counts, sm->index, pc);
        s.counts = counts ? &counts[pc >> 2 & (PAGE_WORDS - 1)] : NULL;
        if (is_counted(&s)) count_insn(&s, 1);
        if (s.d->vregs > vgprs || s.d->xregs > sgprs) return fault_illegal(sm, w, s.d);
        enum stop stop = STEP_HOOKED ? announce_insn(&s, page) : STOP_NOT;
        if (stop != STOP_NOT) return stop;
        unsigned dispatch = dispatch_of(w, s.d, checked);
        const struct lane_row *row = &STEP_LANES[dispatch];
        if (row->lanes) {
            if ((stop = run_lanes(&s, row)) != STOP_NOT) return stop;
        } else {
        again:
            switch (dispatch) {
#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) \
    case OP_##id: \
        DO_##kind(id, expr, flags)
#include "isa/insn.def"
#undef INSN
            case DISPATCH_FLAT: dispatch = dispatch_flat(&s); goto again;
            case DISPATCH_MEMORY: DO(run_memory(&s))
            case DISPATCH_ELEMENTS: DO(run_elements(&s))
            case DISPATCH_EXACT: DO(run_modified(&s))
            case DISPATCH_BRANCH: DO(branch(&s, exact_condition(w, s.d)))
            case DISPATCH_VBRANCH: DO(branch_lanes(&s, exact_taken(w, s.d)))
            default: return fault_illegal(sm, w, s.d);
            }
        }
        if (STEP_HOOKED) executed(w, s.in, s.next);
    }
    w->pc = pc;
    return STOP_QUANTUM;
}
