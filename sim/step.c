/* The engine: runs one warp, instruction by instruction.
 *
 * One switch; each case is one line of isa/insn.def, expanded by the macro of its kind. Arithmetic
 * comes from the table's expression, memory, control flow and CSRs are written out here. Compiled
 * several times (STEP_NAME): per host instruction set, and with STEP_HOOKED calling the observer.
 * Invariants: w->pc is the address of the instruction in progress; x[0] is 0. Called by group.c. */
#include "isa/flags.h"
#include "sim/access.h"
#include "sim/dma.h"
#include "sim/lane.h"
#include "sim/machine.h"
#include "sim/mma.h"

#define UNUSED __attribute__((unused))

#ifdef STEP_HOOKED
/* False: the instruction is not to be executed, the engine returns *stop. */
static bool announce_insn(struct sm *sm, struct warp *w, const struct insn *in, const struct code_page *page,
                          enum stop *stop)
{
    sm->insn = in;
    w->raised = 0;
    return observe_before(w, in, page, stop);
}

static void announce_access(struct sm *sm)
{
    unsigned kind = isa_table[sm->insn->op].kind;
    if (!sm->access.lanes && kind != KIND_XLOAD && kind != KIND_XSTORE) return; /* no lane takes part */
    sm->access.atomic = kind == KIND_AMO;
    observe_access(sm->warp, sm->insn, &sm->access);
}
#endif

/* Rows whose flags somebody may see are computed out of line. */
#ifdef STEP_HOOKED
#define ACCRUES(row_flags) (((row_flags) & (ROUND | FP | SAT)) && w->group->flags)
#else
#define ACCRUES(row_flags) false
#endif

/* The memory type of a row: its bytes, its sign, and a word of as many ones. */
#define BYTES(flags)  ((flags) >> ISA_BYTES_SHIFT & 7u)
#define SIGNED(flags) (((flags)&ISA_SIGNED) != 0)
#define ONES(flags)   (~0u >> (32 - 8 * BYTES(flags)))

/* ---- arithmetic: one function over all lanes per row ---- */

/* Lanes an instruction works on, as a mask and as words of all ones or zeros. */
INLINE uint32_t active_lanes(const struct warp *w, const struct insn *in)
{
    return in->vm ? w->active : w->active & w->v[0][0];
}

NOINLINE void expand_mask(uint32_t lanes, uint32_t *words) { LANE_LOOP words[lane] = 0u - (lanes >> lane & 1); }

/* When all lanes that exist are active the others may be written too: nobody sees them. */
#define LANES(id, operands, expr) \
    NOINLINE void lanes_##id(struct warp *w, const struct insn *in) \
    { \
        const uint32_t *p2 UNUSED = w->v[in->rs2], *p1 UNUSED = w->v[in->rs1], *m = w->expand; \
        uint32_t *d = w->v[in->rd], words[ISA_LANES], lanes = active_lanes(w, in); \
        const uint32_t v0 UNUSED = w->v[0][0]; \
        operands; \
        if (lanes == w->lanes) { \
            LANE_LOOP \
            { \
                const uint32_t vs2 UNUSED = p2[lane], vs1 UNUSED = p1[lane], vd UNUSED = d[lane]; \
                const uint32_t mask_bit UNUSED = v0 >> lane & 1; \
                d[lane] = (uint32_t)(expr); \
            } \
            return; \
        } \
        if (!in->vm) expand_mask(lanes, words), m = words; \
        LANE_LOOP \
        { \
            const uint32_t vs2 UNUSED = p2[lane], vs1 UNUSED = p1[lane], vd UNUSED = d[lane]; \
            const uint32_t mask_bit UNUSED = v0 >> lane & 1; \
            uint32_t r = (uint32_t)(expr); \
            d[lane] = (r & m[lane]) | (vd & ~m[lane]); \
        } \
    }

/* Lanes for which a branch's condition holds. */
#define TAKEN(id, expr) \
    NOINLINE uint32_t taken_##id(const struct warp *w, const struct insn *in) \
    { \
        const uint32_t *p2 = w->v[in->rs2], *p1 = w->v[in->rs1]; \
        uint32_t taken = 0; \
        LANE_LOOP \
        { \
            const uint32_t vs2 = p2[lane], vs1 = p1[lane]; \
            taken |= (uint32_t)(expr) << lane; \
        } \
        return taken & w->mask; \
    }

/* One atomic per active lane, ascending. False when an address is not on a word. */
#define ATOMIC(id, expr) \
    NOINLINE bool amo_##id(struct sm *sm, struct warp *w, const struct insn *in) \
    { \
        uint32_t out[ISA_LANES], lanes = w->active; \
        flat_addresses(sm, w->v[in->rs1], 0); \
        struct access *a = announce(sm, lanes, 4, true); \
        if (off_word(a->addr, lanes)) return false; \
        for (uint32_t left = lanes; left; left &= left - 1) { \
            uint32_t lane = (uint32_t)__builtin_ctz(left); \
            uint32_t *p = (uint32_t *)(sm->mem + a->addr[lane]); \
            uint32_t t = __atomic_load_n(p, __ATOMIC_RELAXED), next; \
            const uint32_t s = w->v[in->rs2][lane]; \
            do next = (uint32_t)(expr); \
            while (!__atomic_compare_exchange_n(p, &t, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
            out[lane] = t; \
        } \
        for (; lanes; lanes &= lanes - 1) w->v[in->rd][__builtin_ctz(lanes)] = out[__builtin_ctz(lanes)]; \
        if (*sm->reservations) end_reservations_of_access(sm); \
        return true; \
    }

#define FN_V(id, expr)       LANES(id, , expr)
#define FN_VV(id, expr)      LANES(id, , expr)
#define FN_VX(id, expr)      LANES(id, const uint32_t rs1 = w->x[in->rs1], expr)
#define FN_VI(id, expr)      LANES(id, const uint32_t imm = (uint32_t)in->imm, expr)
#define FN_V1I(id, expr)     LANES(id, const uint32_t imm = (uint32_t)in->imm, expr)
#define FN_VBRANCH(id, expr) TAKEN(id, expr)
#define FN_AMO(id, expr)     ATOMIC(id, expr)
#define FN_X(id, expr)
#define FN_V2X(id, expr)
#define FN_EX(id, expr)
#define FN_EV(id, expr)
#define FN_EW(id, expr)
#define FN_RTLOAD(id, expr)
#define FN_RTSTORE(id, expr)
#define FN_BRANCH(id, expr)
#define FN_JAL(id, expr)
#define FN_JALR(id, expr)
#define FN_XLOAD(id, expr)
#define FN_XSTORE(id, expr)
#define FN_VLOAD(id, expr)
#define FN_VSTORE(id, expr)
#define FN_PLOAD(id, expr)
#define FN_PSTORE(id, expr)
#define FN_ULOAD(id, expr)
#define FN_USTORE(id, expr)
#define FN_SLOAD(id, expr)
#define FN_SSTORE(id, expr)
#define FN_ILOAD(id, expr)
#define FN_ISTORE(id, expr)
#define FN_LR(id, expr)
#define FN_SC(id, expr)
#define FN_XAMO(id, expr)
#define FN_XLR(id, expr)
#define FN_XSC(id, expr)
#define FN_CSR(id, expr)
#define FN_VSET(id, expr)
#define FN_FENCE(id, expr)
#define FN_FENCE_I(id, expr)
#define FN_JOIN(id, expr)
#define FN_SETRPC(id, expr)
#define FN_PREFIX(id, expr)
#define FN_ENDPRG(id, expr)
#define FN_BARRIER(id, expr)
#define FN_BARRIERSUB(id, expr)
#define FN_MMA(id, expr)
#define FN_DMA(id, expr)
#define FN_MBARRIER(id, expr)
#define FN_ABSENT(id, expr)

#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) FN_##kind(id, expr)
#include "isa/insn.def"
#undef INSN

NOINLINE void read_thread_csr(struct sm *sm, struct warp *w, const struct insn *in)
{
    uint32_t ids[ISA_LANES];
    csr_read_lanes(sm, w, in->aux, ids);
    for (uint32_t lanes = w->active; lanes; lanes &= lanes - 1)
        w->v[in->rd][__builtin_ctz(lanes)] = ids[__builtin_ctz(lanes)];
}

/* ---- faults ---- */

NOINLINE enum stop illegal(struct sm *sm, const struct warp *w, const struct decoded *d)
{
    const char *why = NULL;
    char text[96];
    const struct launch *l = w->group->launch;
    if (d->vregs > l->vgprs) {
        snprintf(text, sizeof text, "v%u is beyond the %u vector registers of the launch", d->vregs - 1u,
                 (unsigned)l->vgprs);
        why = text;
    } else if (d->xregs > l->sgprs) {
        snprintf(text, sizeof text, "x%u is beyond the %u scalar registers of the launch", d->xregs - 1u,
                 (unsigned)l->sgprs);
        why = text;
    } else {
        why = code_refusal(d);
    }
    return fault_raise(sm, w, FAULT_ILLEGAL, ISA_LANES, 0, why);
}

NOINLINE enum stop no_code(struct sm *sm, const struct warp *w)
{
    const char *why = w->pc & 3 ? "not on a word" : NULL;
    if (!why && mem_allows(sm->gpu, w->pc, 4, GPU_EXEC)) why = "the host has no memory for decoded code";
    return fault_raise(sm, w, FAULT_FETCH, ISA_LANES, 0, why);
}

/* The first of `lanes` made the access in progress badly. */
NOINLINE enum stop misaligned(struct sm *sm, const struct warp *w, uint32_t lanes)
{
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    return fault_raise(sm, w, FAULT_MISALIGNED, lane, sm->access.addr[lane], NULL);
}

#define FAULT_NOW(kind, why)  return fault_raise(sm, w, kind, ISA_LANES, 0, why)
#define MISALIGNED_NOW(lanes) return misaligned(sm, w, lanes)

/* ---- the cases, by kind ---- */

// clang-format off
#define COUNT_VECTOR  (counters->vector_instructions++, counters->lanes += w->nactive)
#define COUNT_LOAD    (COUNT_VECTOR, counters->loads++)
#define COUNT_STORE   (COUNT_VECTOR, counters->stores++)
#define WRITE_X(value) do { x[in->rd] = (value); x[0] = 0; } while (0)
#define HERE (ip + in->size - 4u) /* address of the instruction word, behind its prefix */
// clang-format on

#define DO_CALL(call) \
    { \
        const char *why = call; \
        if (why) FAULT_NOW(FAULT_ILLEGAL, why); \
        break; \
    }

#define DO_X(id, expr, flags) \
    { \
        const uint32_t rs1 UNUSED = x[in->rs1], rs2 UNUSED = x[in->rs2], rs3 UNUSED = x[in->rs3]; \
        const uint32_t imm UNUSED = (uint32_t)in->imm, pc UNUSED = HERE; \
        if (ACCRUES(flags) || (((flags)&ROUND) && ((in->rm != 7 && in->rm != w->frm) || w->frm > 3))) \
            DO_CALL(exact_run(w, d, HERE)) \
        WRITE_X((uint32_t)(expr)); \
        break; \
    }

#define DO_LANES(id, flags) \
    COUNT_VECTOR; \
    if (ACCRUES(flags) || (((flags)&ROUND) && w->frm > 3)) DO_CALL(exact_run(w, d, HERE)) \
    lanes_##id(w, in); \
    break;
#define DO_V(id, expr, flags)   DO_LANES(id, flags)
#define DO_VV(id, expr, flags)  DO_LANES(id, flags)
#define DO_VX(id, expr, flags)  DO_LANES(id, flags)
#define DO_VI(id, expr, flags)  DO_LANES(id, flags)
#define DO_V1I(id, expr, flags) DO_LANES(id, flags)

#define DO_EX(id, expr, flags) DO_CALL(exact_run(w, d, HERE))
#define DO_EV(id, expr, flags) \
    COUNT_VECTOR; \
    DO_CALL(exact_run(w, d, HERE))
#define DO_EW(id, expr, flags) DO_EV(id, expr, flags)

#define DO_V2X(id, expr, flags) \
    COUNT_VECTOR; \
    if (w->active) { \
        const uint32_t vs2 = v[in->rs2][31 - __builtin_clz(w->active)]; \
        WRITE_X((uint32_t)(expr)); \
    } \
    break;

#define DO_BRANCH(id, expr, flags) \
    { \
        const uint32_t rs1 = x[in->rs1], rs2 = x[in->rs2]; \
        if (expr) next = HERE + (uint32_t)in->imm; \
        break; \
    }
#define DO_TAKEN(lanes) \
    { \
        uint32_t taken = (lanes), depth = w->depth; \
        COUNT_VECTOR; \
        counters->branches++; \
        if (!simt_branch(w, taken, HERE + (uint32_t)in->imm, next, sm->order, &next)) \
            FAULT_NOW(FAULT_SIMT_OVERFLOW, NULL); \
        if (w->depth != depth) counters->divergent++; \
        if (w->depth > counters->max_simt_depth) counters->max_simt_depth = w->depth; \
        break; \
    }
#define DO_VBRANCH(id, expr, flags) DO_TAKEN(taken_##id(w, in))
#define DO_JOIN(id, expr, flags) \
    next = simt_join(w, HERE, next); \
    break;
#define DO_SETRPC(id, expr, flags) \
    { \
        const uint32_t rs1 = x[in->rs1], imm = (uint32_t)in->imm; \
        w->rpc = (expr); \
        WRITE_X(w->rpc); \
        break; \
    }
#define DO_JUMP(expr) \
    { \
        const uint32_t rs1 UNUSED = x[in->rs1], imm = (uint32_t)in->imm, link = next; \
        const uint32_t pc UNUSED = HERE; \
        next = (expr); \
        WRITE_X(link); \
        break; \
    }
#define DO_JAL(id, expr, flags)  DO_JUMP(expr)
#define DO_JALR(id, expr, flags) DO_JUMP(expr)

/* Rows that only memory_run knows: code.c dispatches them there at once. */
#define OUT_OF_LINE(flags) ((flags) & (LONG | SPACE(3)))

#define DO_XLOAD(id, expr, flags) \
    if (OUT_OF_LINE(flags)) goto memory; \
    counters->loads++; \
    WRITE_X(load_scalar(sm, x[in->rs1] + (uint32_t)in->imm, BYTES(flags), SIGNED(flags))); \
    break;
#define DO_XSTORE(id, expr, flags) \
    if (OUT_OF_LINE(flags)) goto memory; \
    counters->stores++; \
    store_scalar(sm, x[in->rs1] + (uint32_t)in->imm, BYTES(flags), x[in->rs2]); \
    break;
#define DO_VLOAD(id, expr, flags) \
    if (OUT_OF_LINE(flags)) goto memory; \
    COUNT_LOAD; \
    flat_addresses(sm, v[in->rs1], (uint32_t)in->imm); \
    load_lanes(sm, v[in->rd], w->active, BYTES(flags), SIGNED(flags)); \
    break;
#define DO_VSTORE(id, expr, flags) \
    if (OUT_OF_LINE(flags)) goto memory; \
    COUNT_STORE; \
    flat_addresses(sm, v[in->rs1], (uint32_t)in->imm); \
    store_lanes(sm, v[in->rs2], w->active, BYTES(flags)); \
    break;
#define PRIVATE(flags) \
    uint32_t bad = w->active & private_addresses(sm, w, v[in->rs1], (uint32_t)in->imm, BYTES(flags)); \
    if (bad) MISALIGNED_NOW(bad);
#define DO_PLOAD(id, expr, flags) \
    { \
        COUNT_LOAD; \
        PRIVATE(flags) \
        load_lanes(sm, v[in->rd], w->active, BYTES(flags), SIGNED(flags)); \
        break; \
    }
#define DO_PSTORE(id, expr, flags) \
    { \
        COUNT_STORE; \
        PRIVATE(flags) \
        store_lanes(sm, v[in->rs2], w->active, BYTES(flags)); \
        break; \
    }

/* The RVV forms: the store data of these is the rd field. */
// clang-format off
#define RVV_LOAD(size, sign)  load_lanes(sm, v[in->rd], active_lanes(w, in), size, sign)
#define RVV_STORE(size)       store_lanes(sm, v[in->rs3], active_lanes(w, in), size)
#define STRIDED(stride)       strided_addresses(sm, x[in->rs1], stride)
#define INDEXED(flags)        indexed_addresses(sm, x[in->rs1], v[in->rs2], ONES(flags))
#define DO_ULOAD(id, expr, flags)  COUNT_LOAD; STRIDED(BYTES(flags)); RVV_LOAD(BYTES(flags), SIGNED(flags)); break;
#define DO_USTORE(id, expr, flags) COUNT_STORE; STRIDED(BYTES(flags)); RVV_STORE(BYTES(flags)); break;
#define DO_SLOAD(id, expr, flags)  COUNT_LOAD; STRIDED(x[in->rs2]); RVV_LOAD(BYTES(flags), SIGNED(flags)); break;
#define DO_SSTORE(id, expr, flags) COUNT_STORE; STRIDED(x[in->rs2]); RVV_STORE(BYTES(flags)); break;
#define DO_ILOAD(id, expr, flags)  COUNT_LOAD; INDEXED(flags); RVV_LOAD(4, false); break;
#define DO_ISTORE(id, expr, flags) COUNT_STORE; INDEXED(flags); RVV_STORE(4); break;
// clang-format on

#define DO_AMO(id, expr, flags) \
    COUNT_VECTOR; \
    counters->atomics++; \
    if (!amo_##id(sm, w, in)) MISALIGNED_NOW(off_word(sm->access.addr, w->active)); \
    break;

/* Without an inline form. */
#define DO_LR(id, expr, flags)   goto memory;
#define DO_SC(id, expr, flags)   goto memory;
#define DO_XAMO(id, expr, flags) goto memory;
#define DO_XLR(id, expr, flags)  goto memory;
#define DO_XSC(id, expr, flags)  goto memory;

#define DO_CSR(id, expr, flags) \
    { \
        const uint32_t rs1 UNUSED = x[in->rs1], imm UNUSED = (uint32_t)in->imm; \
        bool writes = ((flags)&ALWAYS) || in->rs1 || in->imm; \
        uint32_t old; \
        if (isa_csr_per_lane(in->aux) && sm->gpu->config.thread_csrs && !writes) { \
            read_thread_csr(sm, w, in); \
            break; \
        } \
        if (!csr_read(w, in->aux, &old)) FAULT_NOW(FAULT_ILLEGAL, "no such control register"); \
        if (writes && !csr_write(w, in->aux, (expr))) FAULT_NOW(FAULT_ILLEGAL, "read-only control register"); \
        WRITE_X(old); \
        break; \
    }
#define DO_VSET(id, expr, flags) \
    { \
        const uint32_t rs2 UNUSED = x[in->rs2], aux UNUSED = in->aux; \
        if (!csr_vtype_ok(expr)) FAULT_NOW(FAULT_ILLEGAL, "vector type other than e32, m1"); \
        WRITE_X(csr_set_vl(w, in, (expr))); \
        break; \
    }
#define DO_FENCE(id, expr, flags) \
    __sync_synchronize(); \
    FORGET; \
    break;
/* Ends the turn: what has been decoded is forgotten, the page of this instruction too. */
#define DO_FENCE_I(id, expr, flags) \
    FORGET; \
    OBSERVE(next); \
    w->pc = next; \
    code_drop(sm->gpu); \
    return STOP_QUANTUM;
#define DO_PREFIX(id, expr, flags)     return illegal(sm, w, d);
#define DO_BARRIERSUB(id, expr, flags) break; /* a subgroup is a warp, and a warp is in step with itself */
#define DO_ABSENT(id, expr, flags) \
    { \
        const char *why = (expr); \
        FAULT_NOW(FAULT_ILLEGAL, why ? why : "an instruction this machine does not execute"); \
    }
#define DO_MMA(id, expr, flags) \
    COUNT_VECTOR; \
    DO_CALL(mma_execute(w, in))
#define DO_DMA(id, expr, flags) \
    COUNT_VECTOR; \
    DO_CALL(dma_execute(sm, w, in))
#define DO_RTLOAD(id, expr, flags) \
    COUNT_VECTOR; \
    DO_CALL(ray_load(sm, w, in))
#define DO_RTSTORE(id, expr, flags) \
    COUNT_VECTOR; \
    DO_CALL(ray_store(sm, w, in))
#define DO_WAIT(waiting) \
    counters->barriers++; \
    w->state = waiting; \
    w->pc = next; \
    OBSERVE(next); \
    return STOP_BARRIER;
#define DO_BARRIER(id, expr, flags)  DO_WAIT(WARP_WAITING)
#define DO_MBARRIER(id, expr, flags) DO_WAIT(WARP_WAITING_DMA)
#define DO_ENDPRG(id, expr, flags) \
    if (w->depth) FAULT_NOW(FAULT_ENDPRG_DIVERGED, NULL); \
    w->state = WARP_ENDED; \
    OBSERVE(next); \
    return STOP_END;

#ifdef STEP_HOOKED
#define OBSERVE(to) (w->pc = (to), observe_after(w, ip, in))
#define PREPARE \
    enum stop stop; \
    if (!announce_insn(sm, w, in, page, &stop)) { \
        counters->instructions--; \
        return stop; \
    }
#define TRANSLATED (w->group->launch->sv39)
#define DISPATCH   (TRANSLATED && memory_access(in) && d->dispatch != DISPATCH_REFUSED ? DISPATCH_MEMORY : d->dispatch)
#define FORGET     translate_forget(sm)
#else
#define OBSERVE(to) ((void)0)
#define PREPARE
#define TRANSLATED false
#define DISPATCH   d->dispatch
#define FORGET     ((void)0)
#endif

enum stop STEP_NAME(struct sm *sm, struct warp *w, uint64_t budget)
{
    struct counters *const counters = &w->group->counters;
    uint32_t(*const v)[ISA_LANES] = w->v;
    uint32_t *const x = w->x;
    const struct code_page *page = NULL;
    uint32_t ip = w->pc;
    uint64_t base = MEM_SPAN; /* address of `page`; no address of the guest when there is none */
    const uint32_t vgprs = w->group->launch->vgprs, sgprs = w->group->launch->sgprs;
    round_set(w->frm);
    for (; budget; budget--) {
        w->pc = ip;
        if (!TRANSLATED && ((ip ^ base) & ~(PAGE_WORDS * 4ull - 4))) { /* another page, or misaligned */
            page = ip & 3 ? NULL : code_page(sm, ip);
            if (!page) return no_code(sm, w);
            base = ip & ~(PAGE_WORDS * 4u - 1);
        }
        const struct decoded *d = TRANSLATED ? translate_fetch(sm, ip) : &page->insns[ip >> 2 & (PAGE_WORDS - 1)];
        const struct insn *in = &d->in;
        uint32_t next = ip + in->size;
        counters->instructions++;
        if (d->vregs > vgprs || d->xregs > sgprs) return illegal(sm, w, d);
        PREPARE
        unsigned dispatch = DISPATCH;
    again:
        switch (dispatch) {
#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) \
    case OP_##id: \
        DO_##kind(id, expr, flags)
#include "isa/insn.def"
#undef INSN
        case DISPATCH_FLAT:
            dispatch = w->active & below_private_limit(v[in->rs1]) ? DISPATCH_MEMORY : in->op;
            goto again;
        case DISPATCH_MEMORY:
        memory:
            memory_run(sm, w, in);
            break;
        case DISPATCH_EXACT:
            if (d->vectors) COUNT_VECTOR;
            DO_CALL(exact_run(w, d, HERE))
        case DISPATCH_BRANCH:
            if (exact_condition(w, d)) next = HERE + (uint32_t)in->imm;
            break;
        case DISPATCH_VBRANCH: DO_TAKEN(exact_taken(w, d))
        default: return illegal(sm, w, d);
        }
        OBSERVE(next);
        ip = next;
    }
    w->pc = ip;
    return STOP_QUANTUM;
}
