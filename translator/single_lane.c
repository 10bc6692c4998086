/* Single-lane code. A masked iteration of a loop takes as long for one lane as for many, and in a loop with divergent
 * exits a warp may run many iterations for its last lane. When such a loop iterates with one active lane, it
 * continues in a version of its blocks whose words are scalars: no mask, no chunks, no address shapes, no divergence.
 *
 * The lane's words are variables (`own`). They are taken out of the vector registers where single-lane code begins, and
 * put back where it returns to masked code; in between the vector registers are stale. Facts and live registers are
 * those of the masked version. Called by translate.c and control.c. */
#include "translator/translator.h"

static const char *const row_names[OP_COUNT] = {
#define INSN(id, ...) [OP_##id] = "single_" #id,
#include "isa/insn.def"
#undef INSN
};

/* ---- which blocks ---- */

static bool can_control(const struct translator *t, const struct node *n)
{
    const struct block *to;
    switch (n->effects.control) {
    case CONTROL_SETRPC:
    case CONTROL_VBRANCH:
    case CONTROL_BRANCH:
    case CONTROL_JOIN: return true;
    case CONTROL_JUMP:
        to = flow_block(t->flow, node_target(n));
        return to && function_of(&t->functions, to) == function_of(&t->functions, t->block);
    default: return false;
    }
}

static bool can_access(const struct node *n)
{
    unsigned form = n->effects.memory.address;
    return form == ADDRESS_SCALAR || form == ADDRESS_LANES || form == ADDRESS_INDEXED || form == ADDRESS_PRIVATE;
}

static bool can_run(const struct translator *t, const struct node *n)
{
    if (!n->d.in.vm || n->effects.mask) return false; /* a mask in v0 is another lane's word */
    switch ((enum how)n->how) {
    case HOW_ROW:
    case HOW_CSR:
    case HOW_MSTATUS:
    case HOW_NOTHING: return true;
    case HOW_LOAD:
    case HOW_STORE: return can_access(n);
    case HOW_CONTROL: return can_control(t, n);
    default: return false;
    }
}

bool single_can(const struct translator *t, const struct block *block)
{
    const struct node *n = &t->flow->nodes[block->first], *end = n + block->count;
    if (block->leaves || !t->facts.reached[block - t->flow->blocks][MASKED]) return false;
    while (n < end && can_run(t, n)) n++;
    return n == end;
}

/* What lies between is taken for the loop. */
bool single_pays(const struct translator *t, const struct block *block)
{
    const struct block *b = block;
    if (t->single || t->version == FULL || !block->checked || block > t->block) return false;
    while (b <= t->block && single_can(t, b) && function_of(&t->functions, b) == function_of(&t->functions, block)) b++;
    return b > t->block;
}

/* ---- the lane's words ---- */

static LLVMValueRef lane_of(struct translator *t) { return LLVMBuildLoad2(t->b, t->i32, t->lane, ""); }

void set_own(struct translator *t, unsigned r, LLVMValueRef value) { LLVMBuildStore(t->b, value, t->own[r]); }

static LLVMValueRef get_value(struct translator *t, unsigned r) { return LLVMBuildLoad2(t->b, t->i32, t->own[r], ""); }

static void make_own_exact(struct translator *t, unsigned r)
{
    LLVMValueRef value = get_value(t, r);
    set_own(t, r, call_function(t, "canonical_scalar", &value, 1));
}

LLVMValueRef get_own(struct translator *t, unsigned r)
{
    if (t->holds.v[r].raw) make_own_exact(t, r);
    t->holds.v[r].raw = false;
    return get_value(t, r);
}

/* The lane's word of a vector register, by way of memory: not on the stack, which would be aligned for it. */
static LLVMValueRef take_out(struct translator *t, unsigned r)
{
    LLVMValueRef row = ir_field(t, t->state, offsetof(struct native_state, out));
    LLVMValueRef index = LLVMBuildZExt(t->b, lane_of(t), t->i64, "");
    for (unsigned p = 0; p < t->chunks; p++)
        ir_store(t, LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], ""), row, p * t->words * 4);
    return LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, row, &index, 1, ""), "");
}

void single_begin(struct translator *t, const struct block *block)
{
    const struct isa_registers *live = &t->liveness.in[block - t->flow->blocks][MASKED];
    LLVMValueRef args[] = {LLVMBuildLoad2(t->b, t->i32, t->mask, ""), LLVMConstInt(t->i1, 1, false)};
    LLVMBuildStore(t->b, ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2), t->lane);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(t->current->used.v, r)) set_own(t, r, set_has(live->v, r) ? take_out(t, r) : LLVMGetUndef(t->i32));
}

void single_end(struct translator *t, const struct isa_registers *live)
{
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        if (!set_has(t->current->written.v, r) || !set_has(live->v, r)) continue;
        LLVMValueRef own = ir_splat(t, get_value(t, r)), lane = ir_splat(t, lane_of(t));
        for (unsigned p = 0; p < t->chunks; p++) {
            LLVMValueRef here = LLVMBuildICmp(t->b, LLVMIntEQ, lane, ir_ramp(t, p, ISA_LANES, 1), "");
            LLVMValueRef old = LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], "");
            LLVMBuildStore(t->b, LLVMBuildSelect(t->b, here, own, old, ""), t->v[r][p]);
        }
    }
}

void single_forget(struct translator *t, const struct isa_registers *live)
{
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(t->current->used.v, r) && !set_has(live->v, r)) set_own(t, r, LLVMGetUndef(t->i32));
}

void single_make_exact(struct translator *t, unsigned r)
{
    make_exact(t, r);
    make_own_exact(t, r);
}

/* ---- instructions ---- */

static LLVMValueRef operand(struct translator *t, const struct node *n, enum operand_role role, unsigned r)
{
    if (!(n->d.vectors >> role & 1)) return ir_u32(t, 0);
    bool any_nan = isa_table[n->d.in.op].flags & ISA_VALUES || n->d.in.op == OP_VMV_V_V;
    return any_nan ? get_value(t, r) : get_own(t, r);
}

LLVMValueRef single_raw_row(struct translator *t, const struct node *n)
{
    const struct insn *in = &n->d.in;
    LLVMValueRef args[] = {operand(t, n, ROLE_RS2, in->rs2), operand(t, n, ROLE_RS1, in->rs1),
                           operand(t, n, ROLE_RD, in->rd),   get_x(t, n->d.scalars >> ROLE_RS1 & 1 ? in->rs1 : 0),
                           ir_u32(t, (uint32_t)in->imm),     lane_of(t)};
    return call_function(t, row_names[in->op], args, 6);
}

/* A copy of a raw NaN is raw as well. */
LLVMValueRef single_row(struct translator *t, const struct node *n)
{
    bool raw = isa_table[n->d.in.op].flags & ISA_CANON || (n->d.in.op == OP_VMV_V_V && t->holds.v[n->d.in.rs1].raw);
    LLVMValueRef value = single_raw_row(t, n);
    return raw ? call_function(t, "canonical_scalar", &value, 1) : value;
}

/* A register that has been written: the word is exact, and what holds of the vector register is known without it. */
static void note_written(struct translator *t, unsigned r)
{
    struct v_fact old = t->kept[r], merged;
    t->holds.v[r].raw = false;
    merged = fact_of_merged(t->holds.v[r], old);
    t->stored[r] = old;
    if (!merged.raw) make_exact(t, r);
    t->kept[r] = t->stored[r] = merged;
}

void single_node(struct translator *t, const struct node *n)
{
    unsigned kind = isa_table[n->d.in.op].kind;
    struct isa_registers written = isa_registers_written(&n->d.in, &n->effects);
    if (n->how == HOW_ROW && kind == KIND_V2X) set_x(t, n->d.in.rd, scalar_row(t, n, get_own(t, n->d.in.rs2)));
    else if (n->how == HOW_ROW && kind != KIND_X) set_own(t, n->d.in.rd, single_row(t, n));
    else if (n->how == HOW_LOAD && n->effects.memory.address != ADDRESS_SCALAR)
        set_own(t, n->d.in.rd, single_load(t, n, lane_of(t)));
    else if (n->how == HOW_STORE && n->effects.memory.address != ADDRESS_SCALAR) single_store(t, n, lane_of(t));
    else translate_node(t, n);
    facts_step(&t->holds, n, t->flow);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(written.v, r)) note_written(t, r);
}
