/* Blocks and values of the kernel's IR: numbering, post-dominators, loops, liveness.
 *
 * Invariant for all later stages: the uses listed here are the ones selection will make. Constant
 * address offsets fold into loads and stores, so such an access uses the base in place of its
 * pointer operand; liveness, and with it rule R2, must see that. Called by backend_kernel. */
#include "compiler/analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash(const struct func *f, const void *p)
{
    uint64_t h = (uintptr_t)p * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) & (f->map_size - 1);
}

uint32_t value_of(const struct func *f, LLVMValueRef v)
{
    for (uint32_t i = hash(f, v); f->map[i]; i = (i + 1) & (f->map_size - 1))
        if (f->values[f->map[i] - 1].ref == v) return f->map[i] - 1;
    return NO_NODE;
}

static void add_value(struct func *f, LLVMValueRef v, uint32_t block)
{
    uint32_t n = f->nvalues++, i = hash(f, v);
    f->values[n] = (struct value){.ref = v, .block = block};
    while (f->map[i]) i = (i + 1) & (f->map_size - 1);
    f->map[i] = n + 1;
}

uint64_t type_size(struct func *f, LLVMTypeRef type) { return LLVMABISizeOfType(f->data, type); }

/* ---- blocks ---- */

static uint32_t block_index(LLVMBasicBlockRef *refs, const uint32_t *by_address, uint32_t n, LLVMBasicBlockRef ref)
{
    uint32_t lo = 0, hi = n;
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) / 2;
        if ((uintptr_t)refs[by_address[mid]] <= (uintptr_t)ref) lo = mid;
        else hi = mid;
    }
    return by_address[lo];
}

static int compare_blocks(const void *a, const void *b, void *refs)
{
    const LLVMBasicBlockRef *r = refs;
    uintptr_t x = (uintptr_t)r[*(const uint32_t *)a], y = (uintptr_t)r[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

/* Blocks as LLVM has them, by which the graph is made. */
struct ir_blocks {
    LLVMBasicBlockRef *refs;
    uint32_t *by_address, n;
    uint8_t *doomed; /* all that lanes can come to from here is an `unreachable` */
};

static struct ir_blocks list_blocks(struct func *f)
{
    struct ir_blocks b = {.n = LLVMCountBasicBlocks(f->kernel->function)};
    b.refs = cc_alloc(f->cc, (b.n + 1) * sizeof(void *));
    b.by_address = cc_alloc(f->cc, (b.n + 1) * sizeof *b.by_address);
    b.doomed = cc_alloc(f->cc, b.n + 1);
    LLVMGetBasicBlocks(f->kernel->function, b.refs);
    for (uint32_t i = 0; i < b.n; i++) b.by_address[i] = i;
    qsort_r(b.by_address, b.n, sizeof *b.by_address, compare_blocks, b.refs);
    return b;
}

/* Leaves out the ways of a branch that no lane takes: the other one of a constant condition, and one that can only end
 * in an `unreachable`. They would put off the meeting of lanes to the end of the kernel, behind barriers. */
static uint32_t leave_out(const struct ir_blocks *b, LLVMValueRef branch, uint32_t succ[2])
{
    LLVMValueRef condition = LLVMGetCondition(branch);
    bool constant = LLVMIsAConstantInt(condition), first = constant && !LLVMIsNull(condition);
    if (succ[0] == succ[1]) return 1;
    if (!constant && b->doomed[succ[0]] == b->doomed[succ[1]]) return 2;
    if (!constant) first = b->doomed[succ[1]];
    succ[0] = succ[!first];
    return 1;
}

/* Successors of a block as numbers; the exit is node n. */
static uint32_t successors(struct func *f, const struct ir_blocks *b, uint32_t i, uint32_t succ[2])
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(b->refs[i]);
    if (!term) fail(f, "a basic block has no terminator");
    f->at = term;
    switch (LLVMGetInstructionOpcode(term)) {
    case LLVMRet:
    case LLVMUnreachable: succ[0] = b->n; return 1;
    case LLVMBr: break;
    default: fail(f, "control transfer the back end does not know (opcode %d)", (int)LLVMGetInstructionOpcode(term));
    }
    unsigned k = LLVMGetNumSuccessors(term);
    for (unsigned s = 0; s < k; s++) succ[s] = block_index(b->refs, b->by_address, b->n, LLVMGetSuccessor(term, s));
    return k == 2 ? leave_out(b, term, succ) : k;
}

static bool is_doomed(struct func *f, const struct ir_blocks *b, uint32_t i)
{
    uint32_t succ[2], k = successors(f, b, i, succ);
    if (succ[0] == b->n) return LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(b->refs[i]));
    return b->doomed[succ[0]] && b->doomed[succ[k - 1]];
}

static void find_doomed(struct func *f, struct ir_blocks *b)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = b->n; i--;) {
            if (b->doomed[i] || !is_doomed(f, b, i)) continue;
            b->doomed[i] = changed = true;
        }
    }
}

/* Numbers the reachable blocks in reverse postorder and makes the graphs over them. */
static void number_blocks(struct func *f)
{
    struct ir_blocks all = list_blocks(f);
    uint32_t n = all.n, nedges = 0, *order = cc_alloc(f->cc, (n + 2) * sizeof *order);
    struct edge *edges = cc_alloc(f->cc, (2 * n + 1) * sizeof *edges);
    find_doomed(f, &all);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t succ[2], k = successors(f, &all, i, succ);
        while (k--) edges[nedges++] = (struct edge){i, succ[k]};
    }
    struct graph g = graph_make(f->cc, n + 1, edges, nedges);
    uint32_t entry = block_index(all.refs, all.by_address, n, LLVMGetEntryBasicBlock(f->kernel->function));
    uint32_t norder = graph_order(f->cc, &g, entry, order), *number = cc_alloc(f->cc, (n + 2) * sizeof *number);

    f->blocks = cc_alloc(f->cc, (norder + 1) * sizeof *f->blocks);
    for (uint32_t i = 0; i < norder; i++)
        if (order[i] != n) {
            number[order[i]] = f->nblocks;
            f->blocks[f->nblocks++].ref = all.refs[order[i]];
        }
    number[n] = f->nblocks;
    nedges = 0;
    for (uint32_t i = 0; i < norder; i++) {
        uint32_t succ[2];
        if (order[i] == n) continue;
        struct block *b = &f->blocks[number[order[i]]];
        b->nsucc = successors(f, &all, order[i], succ);
        for (uint32_t s = 0; s < b->nsucc; s++) {
            b->succ[s] = number[succ[s]];
            edges[nedges++] = (struct edge){number[order[i]], b->succ[s]};
        }
    }
    f->succ = graph_make(f->cc, f->nblocks + 1, edges, nedges);
    f->pred = graph_reverse(f->cc, &f->succ);
}

/* Post-dominators. A loop without way out gets an edge to the exit that is never taken, so that
 * every branch has a block in which its lanes would meet. */
static void post_dominators(struct func *f)
{
    uint32_t exit = f->nblocks, nedges = 0, total = f->succ.first[exit + 1];
    struct edge *edges = cc_alloc(f->cc, (total + f->nblocks + 1) * sizeof *edges);
    uint8_t *reaches = cc_alloc(f->cc, exit + 1);
    uint32_t *stack = cc_alloc(f->cc, (exit + 2) * sizeof *stack);
    graph_reach(&f->pred, exit, NO_NODE, reaches, stack);
    for (uint32_t i = 0; i < exit; i++)
        for (uint32_t s = 0; s < f->blocks[i].nsucc; s++) edges[nedges++] = (struct edge){f->blocks[i].succ[s], i};
    for (uint32_t i = exit; i-- > 0;)
        if (!reaches[i]) {
            edges[nedges++] = (struct edge){exit, i};
            graph_reach(&f->pred, i, NO_NODE, reaches, stack);
        }
    struct graph back = graph_make(f->cc, exit + 1, edges, nedges);
    uint32_t *idom = graph_dominators(f->cc, &back, exit);
    for (uint32_t i = 0; i < exit; i++) f->blocks[i].ipdom = idom[i];
}

/* Counts for each block the natural loops around it. */
static void loop_depths(struct func *f)
{
    uint32_t *idom = graph_dominators(f->cc, &f->succ, 0);
    uint8_t *mark = cc_alloc(f->cc, f->nblocks + 1);
    uint32_t *body = cc_alloc(f->cc, (f->nblocks + 1) * sizeof *body);
    for (uint32_t h = 0; h < f->nblocks; h++) {
        uint32_t n = graph_loop(&f->pred, idom, h, mark, body);
        for (uint32_t i = 0; i < n; i++) {
            f->blocks[body[i]].depth++;
            mark[body[i]] = 0;
        }
    }
}

/* ---- addresses ---- */

static bool is_gep(LLVMValueRef v)
{
    if (LLVMIsAInstruction(v)) return LLVMGetInstructionOpcode(v) == LLVMGetElementPtr;
    return LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr;
}

uint32_t gep_offset(struct func *f, LLVMValueRef gep, uint32_t *scale)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    uint32_t offset = 0;
    int n = LLVMGetNumOperands(gep);
    for (int i = 1; i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        bool constant = LLVMIsAConstantInt(index);
        uint32_t size = 0, k = constant ? (uint32_t)LLVMConstIntGetSExtValue(index) : 0;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            if (!constant) fail(f, "structure member by variable index");
            offset += (uint32_t)LLVMOffsetOfElement(f->data, type, k);
            type = LLVMStructGetTypeAtIndex(type, k);
            if (scale) scale[i] = 0;
            continue;
        }
        if (i > 1) type = LLVMGetElementType(type);
        size = (uint32_t)type_size(f, type);
        if (scale) scale[i] = constant ? 0 : size;
        offset += size * k;
    }
    return offset;
}

static bool gep_is_constant(LLVMValueRef gep)
{
    int n = LLVMGetNumOperands(gep);
    for (int i = 1; i < n; i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(gep, (unsigned)i))) return false;
    return true;
}

LLVMValueRef address_base(struct func *f, LLVMValueRef pointer, uint32_t *offset)
{
    while (is_gep(pointer) && gep_is_constant(pointer)) {
        *offset += gep_offset(f, pointer, NULL);
        pointer = LLVMGetOperand(pointer, 0);
    }
    return pointer;
}

LLVMValueRef address_object(LLVMValueRef pointer)
{
    while (is_gep(pointer)) pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

/* ---- values ---- */

static bool is_address_operand(LLVMValueRef inst, unsigned i)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return i == 0;
    case LLVMStore: return i == 1;
    default: return false;
    }
}

static void list_uses(struct func *f, struct value *v)
{
    unsigned n = (unsigned)LLVMGetNumOperands(v->ref);
    if (n > UINT16_MAX) fail(f, "an instruction has %u operands", n);
    f->at = v->ref;
    v->nuses = (uint16_t)n;
    v->uses = cc_alloc(f->cc, (n + 1) * sizeof *v->uses);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef o = LLVMGetOperand(v->ref, i);
        uint32_t offset = 0;
        if (is_address_operand(v->ref, i)) o = address_base(f, o, &offset);
        v->uses[i] = value_of(f, o);
    }
}

static void number_values(struct func *f)
{
    uint32_t n = f->nparams = LLVMCountParams(f->kernel->function);
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->blocks[b].ref); i; i = LLVMGetNextInstruction(i)) n++;
    for (f->map_size = 16; f->map_size < 2 * n;) f->map_size *= 2;
    f->map = cc_alloc(f->cc, f->map_size * sizeof *f->map);
    f->values = cc_alloc(f->cc, (n + 1) * sizeof *f->values);

    for (uint32_t i = 0; i < f->nparams; i++) add_value(f, LLVMGetParam(f->kernel->function, i), 0);
    for (uint32_t b = 0; b < f->nblocks; b++) {
        f->blocks[b].first = f->nvalues;
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            add_value(f, i, b);
        f->blocks[b].end = f->nvalues;
    }
    for (uint32_t i = f->nparams; i < f->nvalues; i++) list_uses(f, &f->values[i]);
}

/* ---- liveness ---- */

static bool is_phi(const struct value *v) { return LLVMGetInstructionOpcode(v->ref) == LLVMPHI; }

/* A value is read in a block; what the block itself has made is not live where it begins. */
static void add_use(struct func *f, struct edges *uses, uint32_t value, uint32_t block)
{
    if (value != NO_NODE && (f->values[value].block != block || value < f->nparams))
        edges_add(f->cc, uses, value, block);
}

/* Phis read their operands at the ends of the blocks these come from. */
static void add_phi_uses(struct func *f, struct edges *uses, const struct value *phi)
{
    for (unsigned k = 0; k < phi->nuses; k++) {
        uint32_t end = value_of(f, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi->ref, k)));
        if (end != NO_NODE) add_use(f, uses, phi->uses[k], f->values[end].block);
    }
}

static void ir_liveness(struct func *f)
{
    struct edges uses = {0}, defs = {0};
    for (uint32_t i = f->nparams; i < f->nvalues; i++) {
        const struct value *v = &f->values[i];
        edges_add(f->cc, &defs, i, v->block);
        if (is_phi(v)) add_phi_uses(f, &uses, v);
        else
            for (uint32_t u = 0; u < v->nuses; u++) add_use(f, &uses, v->uses[u], v->block);
    }
    struct graph use = graph_make(f->cc, f->nvalues, uses.list, uses.n);
    struct graph def = graph_make(f->cc, f->nvalues, defs.list, defs.n);
    f->live_in = graph_live(f->cc, &f->pred, &use, &def);
}

/* ---- struct arguments ---- */

/* True if every use of this pointer reads the argument buffer in place. */
static bool only_read(LLVMValueRef pointer)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user)) return false;
        LLVMOpcode op = LLVMGetInstructionOpcode(user);
        if (op == LLVMLoad) continue;
        if (op != LLVMGetElementPtr || LLVMGetOperand(user, 0) != pointer || !only_read(user)) return false;
    }
    return true;
}

static void find_escapes(struct func *f)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    for (uint32_t i = 0; i < f->nparams; i++)
        if (LLVMGetEnumAttributeAtIndex(f->kernel->function, i + 1, kind))
            f->values[i].escapes = !only_read(f->values[i].ref);
        else f->values[i].escapes = f->kernel->is_routine;
}

void flow_number(struct func *f)
{
    number_blocks(f);
    number_values(f);
}

void flow_run(struct func *f)
{
    flow_number(f);
    post_dominators(f);
    loop_depths(f);
    find_escapes(f);
    ir_liveness(f);
}
