/* Instructions that go on at the next one. */
#include "translator/translator.h"
#include "sim/next.h"

#include <stdio.h>
#include <string.h>

/* ---- what `step` does ---- */

void fill_blank(struct translator *t)
{
    LLVMBasicBlockRef clear = ir_block(t, "blank"), on = ir_block(t, "");
    t->spills = true;
    LLVMValueRef blank = ir_load(t, t->i8, warp(t), offsetof(struct warp, blank));
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, blank, LLVMConstNull(t->i8), ""), on, clear);
    ir_at(t, clear);
    LLVMValueRef w = warp(t);
    call_machine(t, LLVMVoidTypeInContext(t->context), offsetof(struct native_state, clear), &w, 1);
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
}

/* As variables: most warps end before anybody looks at them. */
struct control control_register(const struct translator *t, unsigned i)
{
    const struct control all[CONTROLS] = {
        {t->rpc, offsetof(struct warp, rpc), 0},
        {t->vtype, offsetof(struct warp, vtype), START_VTYPE},
        {t->mstatus, offsetof(struct warp, mstatus), csr_mstatus(MSTATUS_START)},
    };
    return all[i];
}

void start_controls(struct translator *t)
{
    for (unsigned i = 0; i < CONTROLS; i++)
        LLVMBuildStore(t->b, ir_u32(t, control_register(t, i).start), control_register(t, i).variable);
}

static void spill_controls(struct translator *t, LLVMValueRef w)
{
    for (unsigned i = 0; i < CONTROLS; i++)
        ir_store(t, LLVMBuildLoad2(t->b, t->i32, control_register(t, i).variable, ""), w,
                 control_register(t, i).offset);
}

static void reload_controls(struct translator *t, LLVMValueRef w)
{
    for (unsigned i = 0; i < CONTROLS; i++)
        LLVMBuildStore(t->b, ir_load(t, t->i32, w, control_register(t, i).offset), control_register(t, i).variable);
}

void spill(struct translator *t, const struct isa_registers *set)
{
    LLVMValueRef w = warp(t), rows = ir_load(t, t->ptr, w, offsetof(struct warp, v));
    spill_controls(t, w);
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (set->x >> r & 1)
            ir_store(t, LLVMBuildLoad2(t->b, t->i32, t->x[r], ""), w, offsetof(struct warp, x) + r * 4);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->chunks && set_has(set->v, r); p++)
            ir_store(t, LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], ""), rows,
                     (size_t)r * ISA_LANES * 4 + p * t->words * 4);
}

void reload(struct translator *t, const struct isa_registers *set)
{
    LLVMValueRef w = warp(t), rows = ir_load(t, t->ptr, w, offsetof(struct warp, v));
    reload_controls(t, w);
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (set->x >> r & t->used.x >> r & 1) set_x(t, r, ir_load(t, t->i32, w, offsetof(struct warp, x) + r * 4));
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->chunks && set_has(set->v, r) && set_has(t->used.v, r); p++)
            LLVMBuildStore(t->b, ir_load(t, t->chunk_type, rows, (size_t)r * ISA_LANES * 4 + p * t->words * 4),
                           t->v[r][p]);
}

static struct isa_registers common(struct isa_registers a, const struct isa_registers *b)
{
    a.x &= b->x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) a.v[i] &= b->v[i];
    return a;
}

void spill_live(struct translator *t, struct isa_registers live)
{
    struct isa_registers own = common(live, &t->current->written);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(own.v, r)) make_exact(t, r);
    t->spills = true;
    if (memcmp(&own, &live, sizeof live) != 0) fill_blank(t);
    ir_store(t, LLVMConstNull(t->i8), warp(t), offsetof(struct warp, blank));
    ir_store(t, ir_u32(t, 0), warp(t), offsetof(struct warp, x)); /* x0, of a warp that has been blank so far */
    spill(t, &own);
}

bool may_spill_in_round(const struct translator *t, const struct isa_registers *live)
{
    return registers_within(live, &t->current->written);
}

void spill_in_round(struct translator *t, const struct isa_registers *live)
{
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(live->v, r)) make_exact(t, r);
    spill(t, live);
}

void reload_live(struct translator *t, struct isa_registers live)
{
    struct isa_registers own = common(live, &t->current->used);
    forget_dead(t, &live);
    reload(t, &own);
}

static void translate_help(struct translator *t, const struct node *n)
{
    struct isa_registers written = isa_registers_written(&n->d.in, &n->effects);
    struct isa_registers touched = isa_registers_read(&n->d.in, &n->effects);
    registers_add(&touched, &written);
    settle(t);
    fill_blank(t);
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        if (set_has(touched.v, r)) make_exact(t, r);
        t->kept[r] = t->holds.v[r] = t->stored[r];
    }
    spill(t, &touched);
    ir_record(t, ir_u32(t, n->pc), warp(t), offsetof(struct warp, pc));
    pass_site(t, n, site_of(n, RECORD_NONE));
    LLVMValueRef args[] = {t->sm, warp(t), active(t)};
    LLVMValueRef failed = call_machine(t, t->i1, offsetof(struct native_state, help), args, 3);
    LLVMAddCallSiteAttribute(failed, LLVMAttributeReturnIndex,
                             LLVMCreateEnumAttribute(t->context, LLVMGetEnumAttributeKindForName("zeroext", 7), 0));
    LLVMBasicBlockRef out = ir_block(t, "failed"), on = ir_block(t, "");
    ir_branch_likely(t, LLVMBuildNot(t->b, failed, ""), on, out);
    ir_at(t, out);
    leave(t, EXIT_FAULT, ir_u32(t, n->pc), (struct isa_registers){0});
    ir_at(t, on);
    reload(t, &written);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(written.v, r)) t->kept[r] = t->stored[r] = (struct v_fact){0};
    t->out->helped++;
    t->told.known = false; /* `step` may have accessed memory */
}

/* ---- the rest ---- */

static LLVMValueRef csr_value(struct translator *t, unsigned csr)
{
    struct x_fact known = fact_of_csr(csr, t->flow->request);
    if (known.known) return ir_u32(t, known.value);
    switch (csr) {
    case CSR_TID: return ir_load(t, t->i32, warp(t), offsetof(struct warp, tid));
    case CSR_WID:
    case CSR_MHARTID: return ir_load(t, t->i32, warp(t), offsetof(struct warp, wid));
    case CSR_LDS: return ir_load(t, t->i32, t->group, offsetof(struct group, lds_base));
    case CSR_GIDX: return ir_load(t, t->i32, t->group, offsetof(struct group, index));
    case CSR_GIDY: return ir_load(t, t->i32, t->group, offsetof(struct group, index) + 4);
    case CSR_GIDZ: return ir_load(t, t->i32, t->group, offsetof(struct group, index) + 8);
    default: return t->knl; /* CSR_KNL */
    }
}

static void translate_mstatus(struct translator *t, const struct node *n)
{
    const struct insn *in = &n->d.in;
    LLVMValueRef old = LLVMBuildLoad2(t->b, t->i32, t->mstatus, ""), zero = ir_u32(t, 0);
    LLVMValueRef args[] = {
        get_x(t, n->d.scalars >> ROLE_RS1 & 1 ? in->rs1 : 0), old, zero, ir_u32(t, (uint32_t)in->imm), zero, zero};
    if ((isa_table[in->op].flags & ISA_ALWAYS) || in->rs1 || in->imm)
        LLVMBuildStore(t->b, call_row(t, in->op, args, 6), t->mstatus);
    set_x(t, in->rd, old);
}

/* More lanes are asked for than there are: all of them, as before. */
static void translate_vset(struct translator *t, const struct node *n)
{
    LLVMValueRef threads = ir_u32(t, t->flow->request->threads);
    LLVMValueRef few = LLVMBuildICmp(t->b, LLVMIntULT, get_x(t, n->d.in.rs1), threads, "");
    if (!vtype_is_words(n->d.in.aux)) few = LLVMConstInt(t->i1, 1, false);
    leave_if(t, n, few);
    LLVMBuildStore(t->b, ir_u32(t, n->d.in.aux), t->vtype);
    set_x(t, n->d.in.rd, threads);
}

/* ---- words of other lanes ---- */

/* The lanes that the warp has. */
static LLVMValueRef lanes_of_warp(struct translator *t)
{
    if (t->flow->request->lanes != LANES_ANY) return ir_u32(t, t->full);
    return ir_load(t, t->i32, warp(t), offsetof(struct warp, lanes));
}

/* Do all lanes want the word of a lane equally far from them, and is the distance known? */
static bool is_known_distance(const struct translator *t, const struct lanes *ways, uint32_t *distance)
{
    for (unsigned p = 0; p < t->chunks; p++)
        if (!LLVMIsConstant(ways->chunk[p]) || ways->chunk[p] != ways->chunk[0]) return false;
    LLVMValueRef word = LLVMGetAggregateElement(ways->chunk[0], 0);
    for (unsigned i = 1; i < t->words; i++)
        if (LLVMGetAggregateElement(ways->chunk[0], i) != word) return false;
    if (!word || !LLVMIsAConstantInt(word)) return false;
    *distance = (uint32_t)LLVMConstIntGetZExtValue(word);
    return t->flow->request->lanes != LANES_ANY;
}

/* Chunk p of words that are moved by a known distance; lanes for which the warp has no such lane keep their own. */
static LLVMValueRef moved_chunk(struct translator *t, const struct lanes *words, unsigned p, uint32_t distance)
{
    LLVMValueRef out = words->chunk[p], index[ISA_LANES];
    for (unsigned source = 0; source < t->chunks; source++) {
        bool any = false;
        for (unsigned i = 0; i < t->words; i++) {
            uint32_t from = p * t->words + i + distance;
            bool here = from < ISA_LANES && t->full >> from & 1 && from / t->words == source;
            index[i] = ir_u32(t, here ? t->words + from % t->words : i);
            any |= here;
        }
        if (any) out = LLVMBuildShuffleVector(t->b, out, words->chunk[source], LLVMConstVector(index, t->words), "");
    }
    return out;
}

/* Lanes that wait hold what they had: so the variables are made right first. */
static void translate_shuffle(struct translator *t, const struct node *n)
{
    enum { CHUNKS = CHUNK_MOST };
    LLVMValueRef args[CHUNKS + 4];
    if (t->version == MASKED) settle(t);
    struct lanes words = get_v(t, n->d.in.rs2), ways = get_v(t, n->d.in.rs1), out = words;
    uint32_t distance;
    if (is_known_distance(t, &ways, &distance)) {
        for (unsigned p = 0; p < t->chunks; p++) out.chunk[p] = moved_chunk(t, &words, p, distance);
        set_v(t, n->d.in.rd, out);
        return;
    }
    for (unsigned p = 0; p < CHUNKS; p++) args[p] = p < t->chunks ? words.chunk[p] : ir_zero_chunk(t);
    args[CHUNKS + 2] = lanes_of_warp(t);
    for (unsigned p = 0; p < t->chunks; p++) {
        args[CHUNKS] = words.chunk[p];
        args[CHUNKS + 1] = ways.chunk[p];
        args[CHUNKS + 3] = ir_u32(t, p * t->words);
        out.chunk[p] = call_function(t, "shuffle", args, CHUNKS + 4);
    }
    set_v(t, n->d.in.rd, out);
}

/* ---- routines of the library that the host has an operation for ---- */

/* Half of the words of a vector that is twice a chunk. */
static LLVMValueRef half_of(struct translator *t, LLVMValueRef wide, unsigned half)
{
    LLVMValueRef lane[16];
    for (unsigned i = 0; i < t->words; i++) lane[i] = ir_u32(t, half * t->words + i);
    return LLVMBuildShuffleVector(t->b, wide, LLVMGetPoison(LLVMTypeOf(wide)), LLVMConstVector(lane, t->words), "");
}

static void translate_routine(struct translator *t, const struct node *n)
{
    const struct routine_row *row = &routine_rows[n->number];
    unsigned nargs = routine_result(n->number), width = routine_width(row->result);
    struct lanes args[6], result[2];
    char name[32];
    snprintf(name, sizeof name, "routine_%s", row->name);
    unsigned own = 1;
    for (unsigned r = 0; r < nargs; r++) {
        const unsigned chunks = chunks_of(t, t->holds.v[r]);
        if (chunks > own) own = chunks;
        args[r] = get_v(t, r);
    }
    for (unsigned p = 0; p < own; p++) {
        LLVMValueRef chunks[6];
        for (unsigned r = 0; r < nargs; r++) chunks[r] = args[r].chunk[p];
        LLVMValueRef value = call_function(t, name, chunks, nargs);
        for (unsigned i = 0; i < width; i++) result[i].chunk[p] = width == 1 ? value : half_of(t, value, i);
    }
    for (unsigned i = 0; i < width; i++) {
        repeat_chunks(t, &result[i], own);
        set_v(t, nargs + i, result[i]);
    }
    set_x(t, n->d.in.rd, ir_u32(t, node_next(n)));
}

void translate_node(struct translator *t, const struct node *n)
{
    switch ((enum how)n->how) {
    case HOW_ROW: translate_row(t, n); break;
    case HOW_LOAD: translate_load(t, n); break;
    case HOW_STORE: translate_store(t, n); break;
    case HOW_ATOMIC: translate_atomic(t, n); break;
    case HOW_CSR: set_x(t, n->d.in.rd, csr_value(t, n->d.in.aux)); break;
    case HOW_MSTATUS: translate_mstatus(t, n); break;
    case HOW_VSET: translate_vset(t, n); break;
    case HOW_FENCE: LLVMBuildFence(t->b, LLVMAtomicOrderingSequentiallyConsistent, false, ""); break;
    case HOW_SHUFFLE: translate_shuffle(t, n); break;
    case HOW_HELP: translate_help(t, n); break;
    case HOW_ROUTINE: translate_routine(t, n); break;
    case HOW_CONTROL: /* setrpc; the others end their block */
        if (n->effects.control == CONTROL_SETRPC) {
            LLVMValueRef rpc = value_of_row(t, n);
            LLVMBuildStore(t->b, rpc, t->rpc);
            set_x(t, n->d.in.rd, rpc);
        }
        break;
    case HOW_NOTHING:
    case HOW_LEAVE: break;
    }
}
