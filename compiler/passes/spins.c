/* Loops in which work-items wait for each other keep what they do before they leave.
 *
 *     for (;;)
 *         if (atomic_cmpxchg(lock, 0, 1) == 0) {
 *             ...;
 *             atomic_xchg(lock, 0);
 *             break;
 *         }
 *
 * Lanes that leave a loop meet behind it, and what is done on the way out alone is behind it for LLVM. A lane that has
 * taken the lock would wait then, before it gives it back, for those that wait for the lock. So, in loops with atomic
 * operations, what stands in the loop, by clang's notes, belongs to the iteration; an exit in a branch of it becomes a
 * number, `code`, that is looked at in front of the back edge; and where exits go to different places, all go to one
 * block, which looks at the number. Primitives that return their argument hide numbers, and flags that end a loop, from
 * LLVM until all of its passes on control flow have run. Works on loops of clang's, whose variables are in memory.
 * Called by prepare.c. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/core/graph.h"
#include "compiler/passes/passes.h"

/* Loops with more exits stay as they are. So do the loops of a function from where their number times the square of
 * that of its blocks, which is about what this takes, is beyond the limit: some tenths of a second. */
enum { MOST_EXITS = 32, WORK_LIMIT = 4000000 };

static const char hidden_name[] = "__ventus_hidden";

/* The functions that execute atomic operations, themselves or in what they call. */
struct functions {
    LLVMValueRef *list;
    uint32_t n;
};

struct shape {
    struct cc *cc;
    const struct functions *atomic;
    LLVMValueRef function;
    uint32_t n;
    LLVMBasicBlockRef *blocks; /* in reverse postorder, without what is not reached */
    struct graph succ, pred;
    uint32_t *idom;
    uint8_t *mark;  /* blocks of the loop */
    uint32_t *body; /* the same as a list */
};

struct loop {
    uint32_t header, latch, size;
    struct exit {
        LLVMValueRef end; /* the terminator, and its successor, that leave */
        unsigned successor;
        LLVMBasicBlockRef to;
        bool in_branch; /* not every iteration gets there */
    } exits[MOST_EXITS];
    unsigned nexits;
    LLVMBasicBlockRef places[MOST_EXITS]; /* where they go to, each once */
    unsigned nplaces;
    bool branches, differ; /* is there an exit in a branch, do they end in different places? */
};

/* ---- atomic operations ---- */

static bool is_listed(const struct functions *fs, LLVMValueRef f)
{
    uint32_t i = 0;
    while (i < fs->n && fs->list[i] != f) i++;
    return i < fs->n;
}

static bool is_atomic(const struct functions *fs, LLVMValueRef inst)
{
    if (LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst)) return true;
    return LLVMIsACallInst(inst) && is_listed(fs, LLVMGetCalledValue(inst));
}

static bool has_atomic(const struct functions *fs, LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (i && !is_atomic(fs, i)) i = LLVMGetNextInstruction(i);
    return i != NULL;
}

static void add_function(struct functions *fs, LLVMValueRef f)
{
    if (!is_listed(fs, f)) fs->list[fs->n++] = f;
}

/* The library's and those that execute an operation themselves, and then the callers of what is listed. */
static struct functions find_atomic(struct cc *cc)
{
    const struct functions none = {0};
    struct functions fs = {0};
    uint32_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) n++;
    fs.list = cc_alloc(cc, (n + 1) * sizeof *fs.list);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);
        while (b && !has_atomic(&none, b)) b = LLVMGetNextBasicBlock(b);
        if (b || (LLVMIsDeclaration(f) && strstr(LLVMGetValueName(f), "atomic"))) add_function(&fs, f);
    }
    for (uint32_t i = 0; i < fs.n; i++)
        for (LLVMUseRef u = LLVMGetFirstUse(fs.list[i]); u; u = LLVMGetNextUse(u))
            if (LLVMIsACallInst(LLVMGetUser(u)))
                add_function(&fs, LLVMGetBasicBlockParent(LLVMGetInstructionParent(LLVMGetUser(u))));
    return fs;
}

/* ---- the graph ---- */

/* The graph of n blocks as they are numbered; what has the number NO_NODE is left out. */
static struct graph graph_of(struct cc *cc, const struct block_numbers *b, uint32_t n)
{
    uint32_t nedges = 0, room = 0;
    for (uint32_t i = 0; i < b->count; i++) room += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b->list[i].block));
    struct edge *edges = cc_alloc(cc, (room + 1) * sizeof *edges);
    for (uint32_t i = 0; i < b->count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b->list[i].block);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end) && b->list[i].number != NO_NODE; s++)
            edges[nedges++] = (struct edge){b->list[i].number, *block_number(b, LLVMGetSuccessor(end, s))};
    }
    return graph_make(cc, n, edges, nedges);
}

static struct shape shape_of(struct cc *cc, const struct functions *atomic, LLVMValueRef f)
{
    struct shape g = {.cc = cc, .atomic = atomic, .function = f};
    const struct block_numbers b = blocks_number(cc, f);
    const struct graph raw = graph_of(cc, &b, b.count);
    uint32_t *order = cc_alloc(cc, b.count * sizeof *order), *place = cc_alloc(cc, b.count * sizeof *place);
    g.n = graph_order(cc, &raw, 0, order);
    g.blocks = cc_alloc(cc, g.n * sizeof *g.blocks);
    for (uint32_t i = 0; i < b.count; i++) place[i] = NO_NODE;
    for (uint32_t i = 0; i < g.n; i++) place[order[i]] = i;
    for (uint32_t i = 0; i < b.count; i++) {
        b.list[i].number = place[b.list[i].number];
        if (b.list[i].number != NO_NODE) g.blocks[b.list[i].number] = b.list[i].block;
    }
    g.succ = graph_of(cc, &b, g.n);
    g.pred = graph_reverse(cc, &g.succ);
    g.idom = graph_dominators(cc, &g.succ, 0);
    g.mark = cc_alloc(cc, g.n + 1);
    g.body = cc_alloc(cc, (g.n + 1) * sizeof *g.body);
    return g;
}

/* ---- what a loop is like ---- */

static bool begins_with_phi(LLVMBasicBlockRef b) { return LLVMIsAPHINode(LLVMGetFirstInstruction(b)); }

/* Where the way from a block leads, up to where there is more than one. */
static LLVMBasicBlockRef end_of_way(LLVMBasicBlockRef b, uint32_t most)
{
    for (LLVMValueRef end; most--; b = LLVMGetSuccessor(end, 0)) {
        end = LLVMGetBasicBlockTerminator(b);
        if (LLVMGetNumSuccessors(end) != 1) break;
    }
    return b;
}

/* False: too many. */
static bool add_exit(const struct shape *g, struct loop *l, uint32_t from, unsigned s)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[from]);
    LLVMBasicBlockRef to = LLVMGetSuccessor(end, s);
    unsigned k = 0;
    if (LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(to))) return true; /* nobody goes on there */
    if (l->nexits == MOST_EXITS || begins_with_phi(to)) return false;
    const bool in_branch = !graph_dominates(g->idom, from, l->latch);
    l->exits[l->nexits++] = (struct exit){end, s, to, in_branch};
    l->branches |= in_branch;
    while (k < l->nplaces && l->places[k] != to) k++;
    if (k == l->nplaces) l->places[l->nplaces++] = to;
    l->differ |= end_of_way(to, g->n) != end_of_way(l->places[0], g->n);
    return true;
}

static bool find_exits(const struct shape *g, struct loop *l)
{
    for (uint32_t i = 0; i < l->size; i++) {
        const uint32_t b = g->body[i];
        for (uint32_t e = g->succ.first[b]; e < g->succ.first[b + 1]; e++)
            if (!g->mark[g->succ.to[e]] && !add_exit(g, l, b, e - g->succ.first[b])) return false;
    }
    return true;
}

static bool waits(const struct shape *g, const struct loop *l)
{
    uint32_t i = 0;
    while (i < l->size && !has_atomic(g->atomic, g->blocks[g->body[i]])) i++;
    return i < l->size;
}

/* One block leads back, unless the loop is not as clang makes them. */
static bool find_latch(const struct shape *g, struct loop *l)
{
    unsigned found = 0;
    for (uint32_t e = g->pred.first[l->header]; e < g->pred.first[l->header + 1]; e++)
        if (g->mark[g->pred.to[e]]) l->latch = g->pred.to[e], found++;
    return found == 1 && !begins_with_phi(g->blocks[l->header]);
}

/* ---- what stands in a loop and does not lead back ---- */

struct position {
    unsigned line, column;
};

static bool is_before(struct position a, struct position b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static struct position position_of(LLVMMetadataRef location)
{
    return (struct position){LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location)};
}

/* From where to where a loop stands in the source, as clang notes at its back edge. False: it does not. */
static bool find_extent(struct cc *cc, LLVMValueRef back, struct position extent[2])
{
    LLVMValueRef node = LLVMGetMetadata(back, LLVMGetMDKindIDInContext(cc->context, "llvm.loop", 9));
    unsigned n = node ? LLVMGetMDNodeNumOperands(node) : 0, found = 0;
    LLVMValueRef *operands = cc_alloc(cc, (n + 1) * sizeof *operands);
    if (node) LLVMGetMDNodeOperands(node, operands);
    for (unsigned i = 1; i < n && found < 2; i++) {
        LLVMMetadataRef m = operands[i] ? LLVMValueAsMetadata(operands[i]) : NULL;
        if (m && LLVMGetMetadataKind(m) == LLVMDILocationMetadataKind) extent[found++] = position_of(m);
    }
    return found == 2;
}

/* Not of a block that waits for all lanes, nor of the end of the function. */
static bool is_within(LLVMBasicBlockRef block, const struct position extent[2])
{
    bool found = false;
    if (LLVMIsAReturnInst(LLVMGetFirstInstruction(block))) return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
        if (callee && LLVMIsAFunction(callee) && strstr(LLVMGetValueName(callee), "barrier")) return false;
        if (!location || !LLVMDILocationGetLine(location)) continue;
        const struct position at = position_of(location);
        if (is_before(at, extent[0]) || is_before(extent[1], at)) return false;
        found = true;
    }
    return found;
}

/* Adds what is executed on the way out, and stands in the loop: it belongs to an iteration. */
static void add_ways_out(const struct shape *g, struct loop *l)
{
    struct position extent[2];
    if (!find_extent(g->cc, LLVMGetBasicBlockTerminator(g->blocks[l->latch]), extent)) return;
    for (uint32_t i = 0; i < l->size; i++) {
        const uint32_t b = g->body[i];
        for (uint32_t e = g->succ.first[b]; e < g->succ.first[b + 1]; e++) {
            const uint32_t to = g->succ.to[e];
            if (g->mark[to] || !graph_dominates(g->idom, l->header, to) || !is_within(g->blocks[to], extent)) continue;
            g->mark[to] = 1;
            g->body[l->size++] = to;
        }
    }
}

/* ---- making it another one ---- */

static LLVMTypeRef word(const struct shape *g) { return LLVMInt32TypeInContext(g->cc->context); }

static LLVMValueRef number(const struct shape *g, unsigned n) { return LLVMConstInt(word(g), n, false); }

static LLVMBasicBlockRef new_block(const struct shape *g, const char *name)
{
    LLVMBasicBlockRef b = LLVMAppendBasicBlockInContext(g->cc->context, g->function, name);
    LLVMPositionBuilderAtEnd(g->cc->builder, b);
    return b;
}

/* A variable of the function. */
static LLVMValueRef new_code(const struct shape *g)
{
    LLVMPositionBuilderBefore(g->cc->builder, LLVMGetFirstInstruction(g->blocks[0]));
    return LLVMBuildAlloca(g->cc->builder, word(g), "code");
}

/* The number, without LLVM's knowing on which way it is which; at the builder's place. */
static LLVMValueRef hide(const struct shape *g, LLVMValueRef n)
{
    LLVMTypeRef type = LLVMFunctionType(word(g), (LLVMTypeRef[]){word(g)}, 1, false);
    LLVMValueRef hidden = LLVMGetNamedFunction(g->cc->module, hidden_name);
    if (!hidden) hidden = LLVMAddFunction(g->cc->module, hidden_name, type);
    return LLVMBuildCall2(g->cc->builder, type, hidden, &n, 1, "");
}

static LLVMValueRef hidden_value(const struct shape *g, LLVMValueRef code)
{
    return hide(g, LLVMBuildLoad2(g->cc->builder, word(g), code, ""));
}

/* An edge that sets the number on its way to a block. */
static void lead_to(const struct shape *g, LLVMValueRef end, unsigned successor, LLVMValueRef code, unsigned n,
                    LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef way = new_block(g, "way");
    LLVMBuildStore(g->cc->builder, number(g, n), code);
    LLVMValueRef go = LLVMBuildBr(g->cc->builder, to);
    LLVMInstructionSetDebugLoc(go, LLVMInstructionGetDebugLoc(end));
    LLVMSetSuccessor(end, successor, way);
}

static unsigned place_number(const struct loop *l, LLVMBasicBlockRef to)
{
    unsigned k = 0;
    while (l->places[k] != to) k++;
    return k + 1;
}

/* Where all go that leave: the only place, or blocks that look at the number, each for itself: an outer loop may lead
 * to one of them past those in front of it. */
static LLVMBasicBlockRef make_end(const struct shape *g, const struct loop *l, LLVMValueRef code)
{
    LLVMBuilderRef b = g->cc->builder;
    LLVMBasicBlockRef at = l->places[l->nplaces - 1];
    for (unsigned k = l->nplaces - 1; k-- > 0;) {
        LLVMBasicBlockRef next = at;
        at = new_block(g, "left");
        LLVMValueRef here = LLVMBuildICmp(b, LLVMIntEQ, hidden_value(g, code), number(g, k + 1), "");
        LLVMBuildCondBr(b, here, l->places[k], next);
    }
    return at;
}

/* The block in front of the back edge, which looks whether a lane has left. */
static LLVMBasicBlockRef make_latch(const struct shape *g, const struct loop *l, LLVMValueRef code,
                                    LLVMBasicBlockRef left)
{
    LLVMBuilderRef b = g->cc->builder;
    LLVMBasicBlockRef latch = new_block(g, "stay"), header = g->blocks[l->header];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[l->latch]);
    LLVMValueRef leaves = LLVMBuildICmp(b, LLVMIntNE, hidden_value(g, code), number(g, 0), "");
    LLVMValueRef go = LLVMBuildCondBr(b, leaves, left, header);
    loop_hints_move(g->cc, end, go);
    LLVMInstructionSetDebugLoc(go, LLVMInstructionGetDebugLoc(end));
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
        if (LLVMGetSuccessor(end, s) == header) lead_to(g, end, s, code, 0, latch);
    return latch;
}

/* Is it a variable that is compared with a constant, or is true or not? */
static bool is_flag(LLVMValueRef condition)
{
    while (LLVMIsAInstruction(condition) && !LLVMIsALoadInst(condition)) {
        const LLVMOpcode op = LLVMGetInstructionOpcode(condition);
        const bool equal = op == LLVMICmp && LLVMGetICmpPredicate(condition) <= LLVMIntNE; /* or LLVMIntEQ */
        if (!equal && op != LLVMXor && op != LLVMTrunc && op != LLVMZExt) return false;
        if (op != LLVMTrunc && op != LLVMZExt && !LLVMIsAConstant(LLVMGetOperand(condition, 1))) return false;
        condition = LLVMGetOperand(condition, 0);
    }
    return LLVMIsALoadInst(condition) && LLVMIsAAllocaInst(LLVMGetOperand(condition, 0));
}

/* The way to where a flag is set stays in the loop as long as LLVM does not know that it leads out. */
static void hide_flag(const struct shape *g, LLVMValueRef end)
{
    LLVMBuilderRef b = g->cc->builder;
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) || !is_flag(LLVMGetCondition(end))) return;
    LLVMPositionBuilderBefore(b, end);
    LLVMValueRef flag = hide(g, LLVMBuildZExt(b, LLVMGetCondition(end), word(g), ""));
    LLVMSetCondition(end, LLVMBuildICmp(b, LLVMIntNE, flag, number(g, 0), ""));
}

static void rebuild(const struct shape *g, const struct loop *l)
{
    LLVMSetCurrentDebugLocation2(g->cc->builder, NULL);
    for (unsigned i = 0; i < l->nexits; i++) hide_flag(g, l->exits[i].end);
    if (!l->branches && !l->differ) return;
    LLVMValueRef code = new_code(g);
    LLVMBasicBlockRef left = make_end(g, l, code), latch = l->branches ? make_latch(g, l, code, left) : NULL;
    for (unsigned i = 0; i < l->nexits; i++) {
        const struct exit *e = &l->exits[i];
        if (e->in_branch) lead_to(g, e->end, e->successor, code, place_number(l, e->to), latch);
        else if (l->differ) lead_to(g, e->end, e->successor, code, place_number(l, e->to), left);
    }
}

/* The first of the loops from a header on downwards that is not as it should be. */
static bool rebuild_next(struct shape *g, LLVMBasicBlockRef *done, uint32_t *ndone)
{
    for (uint32_t h = g->n; h-- > 0;) {
        struct loop l = {.header = h};
        uint32_t k = 0;
        l.size = graph_loop(&g->pred, g->idom, h, g->mark, g->body);
        while (k < *ndone && done[k] != g->blocks[h]) k++;
        bool wrong = l.size && k == *ndone && find_latch(g, &l) && waits(g, &l);
        if (wrong) add_ways_out(g, &l);
        wrong = wrong && find_exits(g, &l);
        for (uint32_t i = 0; i < l.size; i++) g->mark[g->body[i]] = 0;
        if (!wrong) continue;
        done[(*ndone)++] = g->blocks[h];
        rebuild(g, &l);
        return true;
    }
    return false;
}

/* Returns stand in blocks of their own, so that there is an edge to each. */
static void part_returns(struct cc *cc, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsAReturnInst(end) || LLVMGetNumOperands(end) || end == LLVMGetFirstInstruction(b)) continue;
        LLVMBasicBlockRef last = LLVMAppendBasicBlockInContext(cc->context, f, "return");
        LLVMSetCurrentDebugLocation2(cc->builder, LLVMInstructionGetDebugLoc(end));
        LLVMInstructionEraseFromParent(end);
        LLVMPositionBuilderAtEnd(cc->builder, b);
        LLVMBuildBr(cc->builder, last);
        LLVMPositionBuilderAtEnd(cc->builder, last);
        LLVMBuildRetVoid(cc->builder);
    }
}

void spins_keep(struct cc *cc)
{
    const struct functions atomic = find_atomic(cc);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) || !is_listed(&atomic, f)) continue;
        part_returns(cc, f);
        const uint32_t n = LLVMCountBasicBlocks(f);
        LLVMBasicBlockRef *done = cc_alloc(cc, n * sizeof *done);
        uint32_t ndone = 0;
        for (struct shape g = shape_of(cc, &atomic, f); (uint64_t)(ndone + 1) * n * n < WORK_LIMIT;
             g = shape_of(cc, &atomic, f))
            if (!rebuild_next(&g, done, &ndone)) break;
    }
}

/* ---- the end ---- */

void spins_show(struct cc *cc)
{
    LLVMValueRef hidden = LLVMGetNamedFunction(cc->module, hidden_name);
    if (!hidden) return;
    for (LLVMUseRef u; (u = LLVMGetFirstUse(hidden));) {
        LLVMValueRef call = LLVMGetUser(u);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(hidden);
}
