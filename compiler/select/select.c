/* From IR to machine instructions on virtual registers: the walk over blocks, branches and phis.
 *
 * Every value is an array of 32-bit parts, held in scalar registers when it is uniform and in
 * vector registers when it is divergent. What an instruction computes from is decided where it
 * stands, so all operands are read in their own block (flow.c lists the exceptions). Phi copies go
 * to the end of predecessors or into blocks on edges, never behind the join (rule R6). */
#include "compiler/select/select.h"

#include <string.h>

/* Code is made of instruction v from now on. One without a line belongs to that of the one before. */
static void note_place(struct func *f, uint32_t v)
{
    uint32_t line = LLVMGetDebugLocLine(f->values[v].ref);
    f->values[v].line = line ? line : source_line(f, f->place);
    f->place = v + 1;
}

/* ---- values ---- */

/* Binds the result of an instruction, in the class that the divergence analysis gave it. */
static void define(struct func *f, uint32_t v, struct opd *out, unsigned n)
{
    bool divergent = f->values[v].divergent;
    for (unsigned i = 0; i < n; i++) {
        if (is_imm(out[i])) continue;
        if (divergent) out[i] = opd_reg(to_v(f, out[i]));
        else out[i] = opd_reg(to_s(f, out[i]));
    }
    f->values[v].parts = out;
}

static void define_phi(struct func *f, uint32_t v)
{
    LLVMTypeRef type = LLVMTypeOf(f->values[v].ref);
    unsigned n = type_parts(f, type);
    struct opd *out = cc_alloc(f->cc, (n + 1) * sizeof *out);
    bool one_bit = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && type_bits(type) == 1;
    for (unsigned i = 0; i < n; i++) {
        out[i] = opd_reg(new_vreg(f, f->values[v].divergent ? CLASS_V : CLASS_S));
        if (one_bit) f->vregs[out[i].reg].zbits = 1;
    }
    f->values[v].parts = out;
}

/* ---- instructions that only rearrange parts ---- */

static unsigned constant_index(struct func *f, LLVMValueRef index, unsigned count)
{
    uint64_t i = LLVMConstIntGetZExtValue(index);
    (void)f;
    return i < count ? (unsigned)i : 0; /* out of range is poison: any element will do */
}

static void select_extract(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef vec = LLVMGetOperand(inst, 0), index = LLVMGetOperand(inst, 1);
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(vec)), n = type_parts(f, LLVMTypeOf(inst));
    const struct opd *p = parts(f, vec);
    if (LLVMIsAConstantInt(index)) {
        memcpy(out, p + constant_index(f, index, count) * n, n * sizeof *out);
        return;
    }
    struct num k = num_of(f, index);
    num_extend(f, &k, false);
    memcpy(out, p, n * sizeof *out);
    for (unsigned e = 1; e < count; e++) {
        struct opd hit = alu(f, SEQ, k.p[0], opd_imm(e));
        for (unsigned i = 0; i < n; i++) out[i] = select_opd(f, hit, p[e * n + i], out[i]);
    }
}

static void select_insert(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef vec = LLVMGetOperand(inst, 0), element = LLVMGetOperand(inst, 1), index = LLVMGetOperand(inst, 2);
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(vec)), n = type_parts(f, LLVMTypeOf(element));
    const struct opd *p = parts(f, vec), *q = parts(f, element);
    memcpy(out, p, count * n * sizeof *out);
    if (LLVMIsAConstantInt(index)) {
        memcpy(out + constant_index(f, index, count) * n, q, n * sizeof *out);
        return;
    }
    struct num k = num_of(f, index);
    num_extend(f, &k, false);
    for (unsigned e = 0; e < count; e++) {
        struct opd hit = alu(f, SEQ, k.p[0], opd_imm(e));
        for (unsigned i = 0; i < n; i++) out[e * n + i] = select_opd(f, hit, q[i], p[e * n + i]);
    }
}

static void select_shuffle(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef a = LLVMGetOperand(inst, 0), b = LLVMGetOperand(inst, 1);
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(a)), n = type_parts(f, LLVMGetElementType(LLVMTypeOf(a)));
    const struct opd *p = parts(f, a), *q = parts(f, b);
    for (unsigned e = 0; e < LLVMGetNumMaskElements(inst); e++) {
        int m = LLVMGetMaskValue(inst, e);
        const struct opd *from = m < 0 ? p : (unsigned)m < count ? p + (unsigned)m * n : q + ((unsigned)m - count) * n;
        memcpy(out + e * n, from, n * sizeof *out);
    }
}

static unsigned aggregate_part(struct func *f, LLVMTypeRef type, LLVMValueRef inst, LLVMTypeRef *member)
{
    unsigned at = 0, n = LLVMGetNumIndices(inst);
    const unsigned *index = LLVMGetIndices(inst);
    for (unsigned i = 0; i < n; i++) {
        at += member_part(f, type, index[i]);
        type = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index[i])
                                                           : LLVMGetElementType(type);
    }
    *member = type;
    return at;
}

static bool select_aggregate(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef whole = LLVMGetOperand(inst, 0);
    LLVMTypeRef type = LLVMTypeOf(whole), member;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMExtractElement: select_extract(f, inst, out); return true;
    case LLVMInsertElement: select_insert(f, inst, out); return true;
    case LLVMShuffleVector: select_shuffle(f, inst, out); return true;
    case LLVMFreeze: memcpy(out, parts(f, whole), type_parts(f, type) * sizeof *out); return true;
    case LLVMExtractValue: {
        unsigned at = aggregate_part(f, type, inst, &member);
        memcpy(out, parts(f, whole) + at, type_parts(f, member) * sizeof *out);
        return true;
    }
    case LLVMInsertValue: {
        unsigned at = aggregate_part(f, type, inst, &member);
        memcpy(out, parts(f, whole), type_parts(f, type) * sizeof *out);
        memcpy(out + at, parts(f, LLVMGetOperand(inst, 1)), type_parts(f, member) * sizeof *out);
        return true;
    }
    default: return false;
    }
}

static void select_select(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef cond = LLVMGetOperand(inst, 0), va = LLVMGetOperand(inst, 1), vb = LLVMGetOperand(inst, 2);
    LLVMTypeRef type = LLVMTypeOf(inst);
    unsigned n = type_parts(f, type), per = n;
    const struct opd *c = parts(f, cond), *a = parts(f, va), *b = parts(f, vb);
    if (LLVMGetTypeKind(LLVMTypeOf(cond)) == LLVMVectorTypeKind) per = n / LLVMGetVectorSize(LLVMTypeOf(cond));
    for (unsigned i = 0; i < n; i++) out[i] = select_opd(f, c[per ? i / per : 0], a[i], b[i]);
}

static bool is_real(LLVMTypeRef t) { return LLVMGetTypeKind(t) == LLVMFloatTypeKind; }

static void negate_doubles(struct func *f, const struct opd *a, unsigned n, struct opd *out)
{
    for (unsigned i = 0; i < n; i++) {
        out[2 * i] = a[2 * i];
        out[2 * i + 1] = alu(f, XOR, a[2 * i + 1], opd_imm(0x80000000u));
    }
}

/* Floating point, element by element when the scalarizer has left a vector. */
static bool select_float(struct func *f, LLVMValueRef inst, struct opd *out)
{
    static const struct {
        LLVMOpcode opcode;
        enum alu op;
    } binary[] = {{LLVMFAdd, FADD}, {LLVMFSub, FSUB}, {LLVMFMul, FMUL}, {LLVMFDiv, FDIV}};
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    if (!LLVMGetNumOperands(inst)) return false;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0)), element = type;
    unsigned n = 1, row = 0;
    while (row < 4 && binary[row].opcode != opcode) row++;
    if (opcode != LLVMFNeg && opcode != LLVMFCmp && row == 4) return false;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) element = LLVMGetElementType(type), n = LLVMGetVectorSize(type);
    if (opcode == LLVMFNeg && LLVMGetTypeKind(element) == LLVMDoubleTypeKind) {
        negate_doubles(f, parts(f, LLVMGetOperand(inst, 0)), n, out);
        return true;
    }
    if (LLVMGetTypeKind(element) == LLVMHalfTypeKind && (opcode == LLVMFAdd || opcode == LLVMFMul)) {
        const struct opd *p = parts(f, LLVMGetOperand(inst, 0)), *q = parts(f, LLVMGetOperand(inst, 1));
        for (unsigned i = 0; i < n; i++)
            out[i] = halves_opd(f, opcode == LLVMFAdd ? OP_VADD_F16X2 : OP_VMUL_F16X2, p[i], q[i]);
        return true;
    }
    if (!is_real(element)) fail(f, "arithmetic on values of type %s", text_of_type(f, element));
    const struct opd *a = parts(f, LLVMGetOperand(inst, 0)),
                     *b = opcode == LLVMFNeg ? a : parts(f, LLVMGetOperand(inst, 1));
    for (unsigned i = 0; i < n; i++) {
        bool negate = false;
        if (opcode == LLVMFNeg) {
            out[i] = is_imm(a[i]) ? opd_imm(a[i].imm ^ 0x80000000u) : alu(f, FSGNJN, a[i], a[i]);
        } else if (opcode == LLVMFCmp) {
            out[i] = float_compare(f, LLVMGetFCmpPredicate(inst), a[i], b[i], &negate);
            if (negate) out[i] = not1(f, out[i]);
        } else {
            out[i] = alu(f, binary[row].op, a[i], b[i]);
        }
    }
    return true;
}

static void select_instruction(struct func *f, uint32_t v)
{
    LLVMValueRef inst = f->values[v].ref;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    unsigned n = type_parts(f, LLVMTypeOf(inst));
    struct opd *out = cc_alloc(f->cc, (n + 1) * sizeof *out);
    f->at = inst;
    note_place(f, v);
    if (opcode == LLVMAlloca) return;                     /* select_frame has done it */
    if (opcode == LLVMFence) select_memory(f, inst, out); /* alone in having no operand to look at */
    else if (opcode == LLVMSelect) select_select(f, inst, out);
    else if (is_inline_asm(inst)) select_asm(f, inst, out);
    else if (opcode == LLVMCall) select_call(f, inst, out);
    else if (!select_aggregate(f, inst, out) && !select_wide(f, inst, out) && !select_float(f, inst, out) &&
             !select_cast(f, inst, out) && !select_integer(f, inst, out) && !select_memory(f, inst, out))
        fail(f, "an instruction the back end does not know: %s", text_of(f, inst));
    define(f, v, out, n);
}

/* ---- branches ---- */

static void finish_jump(struct func *f, uint32_t to)
{
    f->mblocks[f->cur].term = TERM_JUMP;
    f->mblocks[f->cur].succ[0] = to;
}

static uint32_t machine_block(const struct func *f, uint32_t block)
{
    return block == f->nblocks ? f->exit : f->blocks[block].mfirst;
}

struct condition {
    unsigned sop, vop;
    struct opd a, b;
    bool negate;
};

static struct condition integer_condition(struct func *f, LLVMValueRef cmp)
{
    // clang-format off
    static const struct { LLVMIntPredicate p; uint16_t sop, vop; bool swap, is_signed; } t[] = {
        {LLVMIntEQ, OP_BEQ, OP_VBEQ, false, false},   {LLVMIntNE, OP_BNE, OP_VBNE, false, false},
        {LLVMIntULT, OP_BLTU, OP_VBLTU, false, false}, {LLVMIntUGE, OP_BGEU, OP_VBGEU, false, false},
        {LLVMIntUGT, OP_BLTU, OP_VBLTU, true, false},  {LLVMIntULE, OP_BGEU, OP_VBGEU, true, false},
        {LLVMIntSLT, OP_BLT, OP_VBLT, false, true},    {LLVMIntSGE, OP_BGE, OP_VBGE, false, true},
        {LLVMIntSGT, OP_BLT, OP_VBLT, true, true},     {LLVMIntSLE, OP_BGE, OP_VBGE, true, true},
    };
    // clang-format on
    struct num a = num_of(f, LLVMGetOperand(cmp, 0)), b = num_of(f, LLVMGetOperand(cmp, 1));
    for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
        if (t[i].p == LLVMGetICmpPredicate(cmp)) {
            num_extend(f, &a, t[i].is_signed);
            num_extend(f, &b, t[i].is_signed);
            return (struct condition){t[i].sop, t[i].vop, t[i].swap ? b.p[0] : a.p[0], t[i].swap ? a.p[0] : b.p[0],
                                      false};
        }
    fail(f, "an integer comparison the back end does not know");
}

/* What computes a bit in this block, by its operation; otherwise 0. */
static LLVMOpcode opcode_here(LLVMValueRef bit, LLVMBasicBlockRef block)
{
    bool here = LLVMIsAInstruction(bit) && LLVMGetInstructionParent(bit) == block;
    return here ? LLVMGetInstructionOpcode(bit) : (LLVMOpcode)0;
}

static bool compares_words(struct func *f, LLVMValueRef cmp)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(cmp, 0));
    return LLVMGetTypeKind(type) != LLVMVectorTypeKind && type_parts(f, type) == 1;
}

/* The operands of an `and` or `or` of two bits, which LLVM may write as a choice between one of them and a constant. */
static bool is_pair(LLVMValueRef bit, LLVMOpcode opcode, LLVMValueRef operand[2], bool *is_or)
{
    if (opcode == LLVMAnd || opcode == LLVMOr) {
        operand[0] = LLVMGetOperand(bit, 0);
        operand[1] = LLVMGetOperand(bit, 1);
        *is_or = opcode == LLVMOr;
        return true;
    }
    if (opcode != LLVMSelect || type_bits(LLVMTypeOf(LLVMGetOperand(bit, 0))) != 1) return false;
    LLVMValueRef yes = LLVMGetOperand(bit, 1), no = LLVMGetOperand(bit, 2);
    *is_or = LLVMIsAConstantInt(yes) && !LLVMIsNull(yes);
    if (!*is_or && !(LLVMIsAConstantInt(no) && LLVMIsNull(no))) return false;
    operand[0] = LLVMGetOperand(bit, 0);
    operand[1] = *is_or ? no : yes;
    return true;
}

/* The comparison that is an instruction where this one is not; otherwise 0. */
static LLVMIntPredicate inverse_of(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntUGE: return LLVMIntULT;
    case LLVMIntULE: return LLVMIntUGT;
    case LLVMIntSGE: return LLVMIntSLT;
    case LLVMIntSLE: return LLVMIntSGT;
    default: return (LLVMIntPredicate)0;
    }
}

/* A bit without its final inversion, which *negate tells about: only some comparisons are instructions, and of two that
 * are inverted the other combination is. */
static struct opd bare_bit(struct func *f, LLVMValueRef bit, LLVMBasicBlockRef block, unsigned depth, bool *negate)
{
    enum { DEEPEST = 8 };
    LLVMOpcode opcode = depth < DEEPEST ? opcode_here(bit, block) : (LLVMOpcode)0;
    LLVMValueRef operand[2];
    bool is_or, negated[2];
    *negate = false;
    if (opcode == LLVMFCmp && is_real(LLVMTypeOf(LLVMGetOperand(bit, 0))))
        return float_compare(f, LLVMGetFCmpPredicate(bit), parts(f, LLVMGetOperand(bit, 0))[0],
                             parts(f, LLVMGetOperand(bit, 1))[0], negate);
    if (opcode == LLVMICmp && compares_words(f, bit)) {
        LLVMIntPredicate inverse = inverse_of(LLVMGetICmpPredicate(bit));
        *negate = inverse != 0;
        return inverse ? num_compare(f, inverse, num_of(f, LLVMGetOperand(bit, 0)), num_of(f, LLVMGetOperand(bit, 1)))
                       : parts(f, bit)[0];
    }
    if (type_bits(LLVMTypeOf(bit)) != 1 || !is_pair(bit, opcode, operand, &is_or)) return parts(f, bit)[0];
    struct opd a = bare_bit(f, operand[0], block, depth + 1, &negated[0]);
    struct opd b = bare_bit(f, operand[1], block, depth + 1, &negated[1]);
    *negate = negated[0] && negated[1];
    if (negated[0] != negated[1]) return parts(f, bit)[0];
    return alu(f, is_or != *negate ? OR : AND, a, b);
}

/* The condition of a branch: comparisons of the same block are done by the branch itself. */
static struct condition branch_condition(struct func *f, LLVMValueRef cond, LLVMBasicBlockRef block)
{
    if (opcode_here(cond, block) == LLVMICmp && compares_words(f, cond)) return integer_condition(f, cond);
    struct condition c = {OP_BNE, OP_VBNE, opd_imm(0), opd_imm(0), false};
    c.a = bare_bit(f, cond, block, 0, &c.negate);
    return c;
}

static void finish_branch(struct func *f, struct block *b, LLVMValueRef inst)
{
    struct condition c = branch_condition(f, LLVMGetCondition(inst), b->ref);
    int32_t ra = b->divergent ? to_v(f, c.a) : to_s(f, c.a), rb = b->divergent ? to_v(f, c.b) : to_s(f, c.b);
    struct mblock *m = &f->mblocks[f->cur];
    m->term = TERM_BRANCH;
    m->op = (uint16_t)(b->divergent ? c.vop : c.sop);
    m->rs1 = b->divergent ? rb : ra;
    m->rs2 = b->divergent ? ra : rb;
    m->succ[c.negate] = machine_block(f, b->succ[0]);
    m->succ[!c.negate] = machine_block(f, b->succ[1]);
    m->divergent = b->divergent;
    if (b->divergent) m->rpc = machine_block(f, b->ipdom);
    if (b->divergent) f->mblocks[m->rpc].join = true;
}

static void select_block(struct func *f, uint32_t index)
{
    struct block *b = &f->blocks[index];
    f->cur = b->mfirst;
    if (index == 0 && f->kernel->is_routine) select_routine_arguments(f);
    else if (index == 0) select_arguments(f);
    for (uint32_t v = b->first; v < b->end; v++) {
        LLVMValueRef inst = f->values[v].ref;
        f->at = inst;
        if (LLVMGetInstructionOpcode(inst) == LLVMPHI) continue;
        if (!LLVMIsATerminatorInst(inst)) {
            select_instruction(f, v);
            continue;
        }
        note_place(f, v);
        f->mblocks[f->cur].place = f->place;
        if (f->kernel->is_routine) select_routine_return(f, inst);
        if (b->nsucc == 2) finish_branch(f, b, inst);
        else finish_jump(f, machine_block(f, b->succ[0]));
    }
    b->mlast = f->cur;
}

/* ---- phis ---- */

struct copy {
    int32_t to;
    struct opd from;
    bool done;
};

static bool is_read(const struct copy *c, unsigned n, int32_t reg)
{
    for (unsigned i = 0; i < n; i++)
        if (!c[i].done && c[i].to != c[i].from.reg && c[i].from.reg == reg) return true;
    return false;
}

/* All copies at once: those whose target nobody still reads go first, a cycle is cut by a temporary. */
static void parallel_copies(struct func *f, struct copy *c, unsigned n)
{
    for (unsigned left = n; left;) {
        bool progress = false;
        for (unsigned i = 0; i < n; i++) {
            if (c[i].done || is_read(c, n, c[i].to)) continue;
            emit_copy(f, c[i].to, c[i].from);
            c[i].done = progress = true;
            left--;
        }
        if (progress || !left) continue;
        unsigned i = 0;
        while (c[i].done || c[i].to == c[i].from.reg) i++;
        int32_t keep = new_vreg(f, (enum reg_class)f->vregs[c[i].to].cls);
        emit_copy(f, keep, opd_reg(c[i].to));
        for (unsigned k = 0; k < n; k++)
            if (!c[k].done && c[k].from.reg == c[i].to) c[k].from = opd_reg(keep);
    }
}

/* Gathers what the phis of `to` take over on the edge from `from`. */
static unsigned edge_copies(struct func *f, uint32_t from, uint32_t to, struct copy **out)
{
    unsigned n = 0, cap = 0;
    for (uint32_t v = f->blocks[to].first; v < f->blocks[to].end; v++) {
        LLVMValueRef phi = f->values[v].ref;
        if (LLVMGetInstructionOpcode(phi) != LLVMPHI) break;
        unsigned k = 0, count = LLVMCountIncoming(phi), np = type_parts(f, LLVMTypeOf(phi));
        while (k < count && LLVMGetIncomingBlock(phi, k) != f->blocks[from].ref) k++;
        if (k == count) fail(f, "a phi without operand for a predecessor");
        LLVMValueRef x = LLVMGetIncomingValue(phi, k);
        bool one_bit = type_bits(LLVMTypeOf(phi)) == 1; /* must stay 0 or 1 */
        const struct opd *phi_parts = f->values[v].parts;
        if (LLVMIsUndef(x) && !one_bit) { /* any content will do; poison is a kind of undef */
            for (unsigned i = 0; i < np; i++) f->vregs[phi_parts[i].reg].undefined = true;
            continue;
        }
        f->at = phi;
        const struct opd *p = parts(f, x);
        for (unsigned i = 0; i < np; i++) {
            *out = cc_grow(f->cc, *out, n, &cap, sizeof **out);
            (*out)[n++] = (struct copy){phi_parts[i].reg, p[i], false};
        }
    }
    return n;
}

/* R4: lanes that run first may advance a scalar before the others reach the edge, so it is
 * broadcast before the branch. */
static void snapshot_scalars(struct func *f, struct copy *c, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (f->vregs[c[i].to].cls == CLASS_V && !is_imm(c[i].from) && !is_v(f, c[i].from))
            c[i].from = opd_reg(to_v(f, c[i].from));
}

static uint32_t split_edge(struct func *f, uint32_t from, uint32_t way)
{
    uint32_t to = f->mblocks[from].succ[way];
    uint32_t depth = f->mblocks[from].depth < f->mblocks[to].depth ? f->mblocks[from].depth : f->mblocks[to].depth;
    uint32_t e = new_block(f, depth);
    f->mblocks[from].succ[way] = e;
    f->mblocks[e].term = TERM_JUMP;
    f->mblocks[e].succ[0] = to;
    f->mblocks[e].place = f->mblocks[from].place;
    return e;
}

static void place_copies(struct func *f, uint32_t from, uint32_t to)
{
    struct copy *c = NULL;
    struct block *b = &f->blocks[from];
    f->cur = b->mlast; /* constants that need an instruction go before the branch, too */
    f->place = f->mblocks[f->cur].place;
    unsigned n = edge_copies(f, from, to, &c);
    if (!n) return;
    if (f->mblocks[b->mlast].term == TERM_BRANCH) {
        uint32_t way = f->mblocks[b->mlast].succ[0] == machine_block(f, to) ? 0 : 1;
        if (b->divergent && rule(f, 4)) snapshot_scalars(f, c, n);
        f->cur = split_edge(f, b->mlast, way);
    }
    parallel_copies(f, c, n);
}

static void select_phis(struct func *f)
{
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
            if (f->blocks[b].succ[s] != f->nblocks) place_copies(f, b, f->blocks[b].succ[s]);
}

void select_run(struct func *f)
{
    for (int32_t i = 0; i < FIRST_VREG; i++) new_vreg(f, CLASS_S);
    for (uint32_t b = 0; b < f->nblocks; b++) {
        f->blocks[b].mfirst = new_block(f, f->blocks[b].depth);
        for (uint32_t v = f->blocks[b].first; v < f->blocks[b].end; v++) {
            f->at = f->values[v].ref;
            if (LLVMGetInstructionOpcode(f->at) == LLVMPHI) define_phi(f, v);
        }
    }
    f->exit = new_block(f, 0);
    f->mblocks[f->exit].term = TERM_RETURN;
    f->mblocks[f->exit].rs1 = REG_RA;
    select_routine_calls(f);
    select_routine_frame(f);
    select_frame(f);
    for (uint32_t b = 0; b < f->nblocks; b++) select_block(f, b);
    select_phis(f);
}
