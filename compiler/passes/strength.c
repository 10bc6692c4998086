/* Addresses in loops, and unrolling.
 *
 * An address that grows by the same amount in each round becomes a pointer that is advanced, where selection would
 * shift, multiply and add anew: LLVM's own strength reduction chooses for targets with addressing modes and knows
 * nothing of the price of vector arithmetic here. Small innermost loops whose trip count all lanes share are
 * marked for LLVM to unroll: what is constant from one round to the next then goes into the offsets of accesses.
 *
 * Works on loops in simplify form (one block before the header, one back to it). Called by prepare.c. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

/* Warp instructions over the kernels of bench/code (bench/instructions, geometric mean): with UNROLL 2 0.9 % more, with
 * 8 0.3 % fewer and longer code; with SMALL_BODY 16 0.3 % more, with 64 as many. A pointer takes a register for as long
 * as its loop runs; beyond so many indices are computed anew, which is never wrong. Deeper than MAX_DEPTH operands
 * nothing is known of a value. A loop over a private array is unrolled so often, arrays of 16 words wholly, if no more
 * than so many instructions come of it. These four are guesses. */
enum { MAX_POINTERS = 12, MAX_DEPTH = 16, UNROLL = 4, SMALL_BODY = 32, PRIVATE_UNROLL = 16, PRIVATE_SIZE = 2048 };

typedef LLVMValueRef value;

struct loop {
    struct func *f;
    LLVMBuilderRef b;
    uint8_t *mark; /* blocks of the loop */
    uint32_t header, before, latch;
    value index, start, step; /* the phi in question: its first value, and what each round adds */
    struct pointer {
        value core; /* the variable index without its constant summand */
        value gep;  /* an address made with it */
        value phi;
    } pointers[MAX_POINTERS];
    uint32_t npointers;
};

/* ---- what an expression is made of ---- */

static bool is_op(value v, LLVMOpcode op) { return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op; }

static bool is_invariant(const struct loop *l, value v)
{
    if (!LLVMIsAInstruction(v)) return true;
    uint32_t n = value_of(l->f, v);
    return n != NO_NODE && !l->mark[l->f->values[n].block]; /* new instructions are not looked at */
}

static bool is_disjoint_or(value v) { return is_op(v, LLVMOr) && LLVMGetIsDisjoint(v); }

/* Is v a sum of invariant values and invariant multiples of the loop's index? */
static bool is_linear(const struct loop *l, value v, unsigned depth)
{
    if (v == l->index || is_invariant(l, v)) return true;
    if (depth == MAX_DEPTH || LLVMTypeOf(v) != LLVMTypeOf(l->index)) return false;
    value a = LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 0) : NULL, b = a ? LLVMGetOperand(v, 1) : NULL;
    if (is_op(v, LLVMAdd) || is_op(v, LLVMSub) || is_disjoint_or(v))
        return is_linear(l, a, depth + 1) && is_linear(l, b, depth + 1);
    if (is_op(v, LLVMMul))
        return (is_invariant(l, b) && is_linear(l, a, depth + 1)) || (is_invariant(l, a) && is_linear(l, b, depth + 1));
    return is_op(v, LLVMShl) && LLVMIsAConstantInt(b) && is_linear(l, a, depth + 1);
}

static LLVMOpcode sum_of(value v) { return is_op(v, LLVMSub) ? LLVMSub : LLVMAdd; }

/* A linear expression's value in the first round, at the builder's place. */
static value first_value(const struct loop *l, value v)
{
    if (v == l->index) return l->start;
    if (is_invariant(l, v)) return v;
    LLVMOpcode op = is_disjoint_or(v) ? LLVMAdd : LLVMGetInstructionOpcode(v);
    return LLVMBuildBinOp(l->b, op, first_value(l, LLVMGetOperand(v, 0)), first_value(l, LLVMGetOperand(v, 1)), "");
}

/* What a linear expression grows by in each round. */
static value growth(const struct loop *l, value v)
{
    if (v == l->index) return l->step;
    if (is_invariant(l, v)) return LLVMConstNull(LLVMTypeOf(v));
    value a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMMul:
        return is_invariant(l, b) ? LLVMBuildMul(l->b, growth(l, a), b, "") : LLVMBuildMul(l->b, a, growth(l, b), "");
    case LLVMShl: return LLVMBuildShl(l->b, growth(l, a), b, "");
    default: return LLVMBuildBinOp(l->b, sum_of(v), growth(l, a), growth(l, b), "");
    }
}

/* ---- addresses ---- */

static LLVMTypeRef byte_type(const struct loop *l) { return LLVMInt8TypeInContext(l->f->cc->context); }

static value number(const struct loop *l, uint32_t n) { return LLVMConstInt(LLVMTypeOf(l->index), n, false); }

/* The one index of an address that varies, if it is an array's and linear; 0 if there is none. */
static unsigned varying_index(const struct loop *l, value gep, uint32_t *scale)
{
    unsigned n = (unsigned)LLVMGetNumOperands(gep), found = 0;
    if (!is_invariant(l, LLVMGetOperand(gep, 0))) return 0;
    gep_offset(l->f, gep, scale);
    for (unsigned i = 1; i < n; i++) {
        value index = LLVMGetOperand(gep, i);
        if (is_invariant(l, index)) continue;
        if (found || !scale[i] || !is_linear(l, index, 0)) return 0;
        found = i;
    }
    return found;
}

/* Private memory is left alone: its accesses must show the object that they are in. */
static bool is_candidate(value gep)
{
    LLVMTypeRef type = LLVMTypeOf(gep);
    unsigned space = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetPointerAddressSpace(type) : 0;
    return space >= 1 && space <= 3;
}

/* Takes constant summands off an index. */
static value split_constant(value index, uint32_t *constant)
{
    while ((is_op(index, LLVMAdd) || is_disjoint_or(index)) && LLVMIsAConstantInt(LLVMGetOperand(index, 1))) {
        *constant += (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(index, 1));
        index = LLVMGetOperand(index, 0);
    }
    return index;
}

static bool same_but(value a, value b, unsigned index)
{
    int n = LLVMGetNumOperands(a);
    if (n != LLVMGetNumOperands(b) || LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b)) return false;
    for (int i = 0; i < n; i++)
        if ((unsigned)i != index && LLVMGetOperand(a, (unsigned)i) != LLVMGetOperand(b, (unsigned)i)) return false;
    return true;
}

static value advanced_pointer(struct loop *l, value gep, unsigned at, value core, uint32_t scale)
{
    unsigned n = (unsigned)LLVMGetNumOperands(gep);
    value *indices = cc_alloc(l->f->cc, n * sizeof *indices);
    LLVMBasicBlockRef before = l->f->blocks[l->before].ref, header = l->f->blocks[l->header].ref,
                      latch = l->f->blocks[l->latch].ref;
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(before));
    for (unsigned i = 1; i < n; i++) indices[i - 1] = i == at ? first_value(l, core) : LLVMGetOperand(gep, i);
    value first = LLVMBuildGEP2(l->b, LLVMGetGEPSourceElementType(gep), LLVMGetOperand(gep, 0), indices, n - 1, "");
    value stride = LLVMBuildMul(l->b, growth(l, core), number(l, scale), "");
    LLVMPositionBuilderBefore(l->b, LLVMGetFirstInstruction(header));
    value phi = LLVMBuildPhi(l->b, LLVMTypeOf(gep), "");
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(latch));
    value next = LLVMBuildGEP2(l->b, byte_type(l), phi, &stride, 1, "");
    LLVMAddIncoming(phi, (value[]){first, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    return phi;
}

/* Addresses that differ by a constant share one pointer. */
static struct pointer *pointer_for(struct loop *l, value gep, unsigned at, value core, uint32_t scale)
{
    for (uint32_t i = 0; i < l->npointers; i++)
        if (l->pointers[i].core == core && same_but(l->pointers[i].gep, gep, at)) return &l->pointers[i];
    if (l->npointers == MAX_POINTERS) return NULL;
    struct pointer *p = &l->pointers[l->npointers++];
    *p = (struct pointer){core, gep, advanced_pointer(l, gep, at, core, scale)};
    return p;
}

static void reduce_address(struct loop *l, value gep)
{
    uint32_t *scale = cc_alloc(l->f->cc, ((size_t)LLVMGetNumOperands(gep) + 1) * sizeof *scale), constant = 0;
    unsigned at = varying_index(l, gep, scale);
    if (!at || LLVMTypeOf(LLVMGetOperand(gep, at)) != LLVMTypeOf(l->index)) return;
    value core = split_constant(LLVMGetOperand(gep, at), &constant);
    if (is_invariant(l, core)) return;
    struct pointer *p = pointer_for(l, gep, at, core, scale[at]);
    if (!p) return;
    value offset = number(l, constant * scale[at]), address = p->phi;
    LLVMPositionBuilderBefore(l->b, gep);
    if (constant) address = LLVMBuildGEP2(l->b, byte_type(l), address, &offset, 1, "");
    LLVMReplaceAllUsesWith(gep, address); /* dead now; it still tells addresses like it that there is a pointer */
}

/* ---- loops ---- */

/* The only predecessor of the header inside or outside of the loop; NO_NODE if there are several. */
static uint32_t only_predecessor(const struct loop *l, bool inside)
{
    uint32_t found = NO_NODE;
    for (uint32_t e = l->f->pred.first[l->header]; e < l->f->pred.first[l->header + 1]; e++) {
        uint32_t p = l->f->pred.to[e];
        if ((l->mark[p] != 0) != inside) continue;
        if (found != NO_NODE) return NO_NODE;
        found = p;
    }
    return found;
}

/* A phi of 32 bits to which each round adds the same. */
static bool find_index(struct loop *l, value phi)
{
    if (LLVMTypeOf(phi) != LLVMInt32TypeInContext(l->f->cc->context) || LLVMCountIncoming(phi) != 2) return false;
    unsigned from_latch = LLVMGetIncomingBlock(phi, 0) == l->f->blocks[l->latch].ref ? 0 : 1;
    value next = LLVMGetIncomingValue(phi, from_latch);
    if (!is_op(next, LLVMAdd) || LLVMGetOperand(next, 0) != phi || !is_invariant(l, LLVMGetOperand(next, 1)))
        return false;
    l->index = phi;
    l->start = LLVMGetIncomingValue(phi, !from_latch);
    l->step = LLVMGetOperand(next, 1);
    return true;
}

/* Only what each round computes: elsewhere, advancing could cost more than it saves. */
static bool in_each_round(const struct loop *l, const uint32_t *idom, uint32_t block)
{
    uint32_t b = l->latch;
    while (b > block && b != NO_NODE) b = idom[b];
    return b == block;
}

static void reduce_index(struct loop *l, const uint32_t *idom, const uint32_t *body, uint32_t n)
{
    l->npointers = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct block *b = &l->f->blocks[body[k]];
        if (!in_each_round(l, idom, body[k])) continue;
        for (uint32_t v = b->first; v < b->end; v++) {
            value gep = l->f->values[v].ref;
            if (LLVMIsAGetElementPtrInst(gep) && is_candidate(gep)) reduce_address(l, gep);
        }
    }
}

static void reduce_loop(struct loop *l, const uint32_t *idom, const uint32_t *body, uint32_t n)
{
    const struct block *h = &l->f->blocks[l->header];
    for (uint32_t v = h->first; v < h->end && LLVMIsAPHINode(l->f->values[v].ref); v++)
        if (find_index(l, l->f->values[v].ref)) reduce_index(l, idom, body, n);
}

/* ---- unrolling ---- */

/* Is a value the same in all lanes, as far as its operands say? A guess: what is wrong costs time, not results. */
static bool is_uniform(const struct loop *l, value v, unsigned depth)
{
    if (!LLVMIsAInstruction(v)) return true;
    if (depth == MAX_DEPTH || LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v)) return false;
    if (is_op(v, LLVMLoad) && !is_candidate(LLVMGetOperand(v, 0))) return false;
    if (is_op(v, LLVMCall) && !strcmp(LLVMGetValueName(LLVMGetCalledValue(v)), "__ventus_lane")) return false;
    if (is_op(v, LLVMPHI)) return v == l->index;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!is_uniform(l, LLVMGetOperand(v, (unsigned)i), depth + 1)) return false;
    return true;
}

/* The loop ends at its latch alone, by a comparison of its index with something uniform. */
static bool has_uniform_end(struct loop *l, uint32_t n)
{
    value end = LLVMGetBasicBlockTerminator(l->f->blocks[l->latch].ref);
    if (n != 1 || !LLVMIsConditional(end) || !LLVMIsAICmpInst(LLVMGetCondition(end))) return false;
    const struct block *h = &l->f->blocks[l->header];
    for (uint32_t v = h->first; v < h->end && LLVMIsAPHINode(l->f->values[v].ref); v++) {
        if (!find_index(l, l->f->values[v].ref)) continue;
        value next = LLVMGetOperand(LLVMGetCondition(end), 0);
        if ((next == l->index || (is_op(next, LLVMAdd) && LLVMGetOperand(next, 0) == l->index)) &&
            is_uniform(l, l->start, 0) && is_uniform(l, LLVMGetOperand(LLVMGetCondition(end), 1), 0))
            return true;
    }
    return false;
}

static LLVMMetadataRef text(LLVMContextRef c, const char *s) { return LLVMMDStringInContext2(c, s, strlen(s)); }

/* Asks LLVM's pass to unroll; the loop's node names itself as its first operand. */
static void ask_to_unroll(struct loop *l, value end, unsigned count)
{
    LLVMContextRef c = l->f->cc->context;
    LLVMMetadataRef times = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(c), count, false));
    LLVMMetadataRef wish = LLVMMDNodeInContext2(c, (LLVMMetadataRef[]){text(c, "llvm.loop.unroll.count"), times}, 2);
    LLVMMetadataRef self = LLVMTemporaryMDNode(c, NULL, 0);
    LLVMMetadataRef node = LLVMMDNodeInContext2(c, (LLVMMetadataRef[]){self, wish}, 2);
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(end, LLVMGetMDKindIDInContext(c, "llvm.loop", 9), LLVMMetadataAsValue(c, node));
}

/* Has the program said itself what is to be done with the loop? */
static bool has_wish(struct loop *l, value end)
{
    value node = LLVMGetMetadata(end, LLVMGetMDKindIDInContext(l->f->cc->context, "llvm.loop", 9));
    unsigned n = node ? LLVMGetMDNodeNumOperands(node) : 0;
    value *operands = cc_alloc(l->f->cc, (n + 1) * sizeof *operands);
    if (node) LLVMGetMDNodeOperands(node, operands);
    for (unsigned i = 1; i < n; i++) {
        unsigned length = 0;
        value name = operands[i] && LLVMGetMDNodeNumOperands(operands[i]) ? LLVMGetOperand(operands[i], 0) : NULL;
        const char *s = name ? LLVMGetMDString(name, &length) : NULL;
        if (s && length > 16 && !strncmp(s, "llvm.loop.unroll", 16)) return true;
    }
    return false;
}

static bool is_barrier(value v)
{
    return is_op(v, LLVMCall) && !strcmp(LLVMGetValueName(LLVMGetCalledValue(v)), "__ventus_barrier");
}

/* Is a value made of constants and of what grows by the same amount in each iteration? */
static bool is_counted(struct loop *l, value v, unsigned depth)
{
    if (is_invariant(l, v)) return true;
    if (is_op(v, LLVMPHI)) return find_index(l, v);
    if (depth == MAX_DEPTH || is_op(v, LLVMLoad) || is_op(v, LLVMCall)) return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!is_counted(l, LLVMGetOperand(v, (unsigned)i), depth + 1)) return false;
    return true;
}

/* A private array whose index differs from iteration to iteration by a known amount: in unrolled ones it may become
 * registers. The pointer of a stack, say, which moves as the data wants, is no such index. */
static bool indexes_private_array(struct loop *l, value v)
{
    if (!LLVMIsAGetElementPtrInst(v) || is_candidate(v) || !LLVMIsAAllocaInst(address_object(v))) return false;
    for (int i = 1; i < LLVMGetNumOperands(v); i++) {
        value index = LLVMGetOperand(v, (unsigned)i);
        if (!is_invariant(l, index) && is_counted(l, index, 0)) return true;
    }
    return false;
}

struct content {
    uint32_t size;
    bool barrier, private_array;
};

static struct content content_of(struct loop *l, const uint32_t *body, uint32_t n)
{
    struct content c = {0};
    for (uint32_t k = 0; k < n; k++) {
        const struct block *b = &l->f->blocks[body[k]];
        c.size += b->end - b->first;
        for (uint32_t v = b->first; v < b->end; v++) {
            c.barrier |= is_barrier(l->f->values[v].ref);
            c.private_array |= indexes_private_array(l, l->f->values[v].ref);
        }
    }
    return c;
}

static bool has_inner_loop(const struct loop *l, const uint32_t *body, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t e = l->f->pred.first[body[k]]; e < l->f->pred.first[body[k] + 1]; e++)
            if (body[k] != l->header && l->f->pred.to[e] >= body[k]) return true;
    return false;
}

static void consider_unrolling(struct loop *l, const uint32_t *body, uint32_t n)
{
    value end = LLVMGetBasicBlockTerminator(l->f->blocks[l->latch].ref);
    struct content c = content_of(l, body, n);
    if (c.barrier || has_wish(l, end) || has_inner_loop(l, body, n)) return;
    if (c.private_array && c.size * PRIVATE_UNROLL <= PRIVATE_SIZE) ask_to_unroll(l, end, PRIVATE_UNROLL);
    else if (c.size <= 2 * SMALL_BODY && has_uniform_end(l, n))
        ask_to_unroll(l, end, c.size <= SMALL_BODY ? UNROLL : UNROLL / 2);
}

bool strength_run(struct cc *cc, LLVMValueRef function)
{
    struct kernel kernel = {.name = LLVMGetValueName(function), .function = function};
    struct func f = {.cc = cc, .kernel = &kernel, .data = LLVMGetModuleDataLayout(cc->module)};
    flow_number(&f);
    uint32_t *idom = graph_dominators(cc, &f.succ, 0), *body = cc_alloc(cc, (f.nblocks + 1) * sizeof *body);
    struct loop l = {.f = &f, .b = cc->builder, .mark = cc_alloc(cc, f.nblocks + 2)};
    bool found = false;
    for (l.header = f.nblocks; l.header-- > 0;) { /* inner loops first: they have the higher numbers */
        uint32_t n = graph_loop(&f.pred, idom, l.header, l.mark, body);
        l.before = only_predecessor(&l, false);
        l.latch = only_predecessor(&l, true);
        found |= n != 0;
        if (n && l.before != NO_NODE && l.latch != NO_NODE) {
            consider_unrolling(&l, body, n);
            reduce_loop(&l, idom, body, n);
        }
        for (uint32_t i = 0; i < n; i++) l.mark[body[i]] = 0;
    }
    return found;
}
