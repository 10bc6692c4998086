/* What a loop's variable was before its last step. Where both are wanted behind the loop, as of a search that goes on
 * from what it has found, the variable and its next value would take two registers, and a copy in each iteration. So
 * what stands behind takes the step back, which an address often has as its offset.
 *
 * Called by prepare.c behind LLVM's passes, which would undo it. */
#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

typedef LLVMValueRef value;

struct stepper {
    struct func *f;
    const uint32_t *idom;
    LLVMBuilderRef b;
    uint8_t *mark; /* blocks of the loop */
    const uint32_t *body;
    uint32_t header, nbody;
};

/* The block of an instruction; NO_NODE for those that were made here, and for what no lane reaches. */
static uint32_t block_of(const struct stepper *s, value inst)
{
    uint32_t v = value_of(s->f, inst);
    return v == NO_NODE ? NO_NODE : s->f->values[v].block;
}

static bool adds_constant(value next, value phi)
{
    bool sum = LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd;
    bool pointer = LLVMIsAGetElementPtrInst(next) && LLVMGetNumOperands(next) == 2 &&
                   LLVMGetTypeKind(LLVMGetGEPSourceElementType(next)) == LLVMIntegerTypeKind &&
                   LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(next)) == 8;
    if ((!sum && !pointer) || LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return false;
    return pointer || LLVMTypeOf(next) == LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(next)));
}

/* Do all lanes that leave the loop have the next value? */
static bool is_at_all_exits(const struct stepper *s, uint32_t block)
{
    for (uint32_t i = 0; i < s->nbody; i++) {
        const struct block *b = &s->f->blocks[s->body[i]];
        for (unsigned k = 0; k < b->nsucc; k++)
            if ((b->succ[k] == s->f->nblocks || !s->mark[b->succ[k]]) && !graph_dominates(s->idom, block, s->body[i]))
                return false;
    }
    return true;
}

/* Is the variable read where lanes have its next value already? Then it keeps its register for that. */
static bool is_read_late(const struct stepper *s, value phi, value next)
{
    uint32_t made = block_of(s, next);
    for (LLVMUseRef u = LLVMGetFirstUse(phi); u; u = LLVMGetNextUse(u)) {
        value user = LLVMGetUser(u);
        uint32_t block = block_of(s, user);
        if (block == NO_NODE || !s->mark[block] || user == next) continue;
        if (LLVMIsAPHINode(user)) return true;
        if (block == made ? value_of(s->f, user) > value_of(s->f, next) : graph_dominates(s->idom, made, block))
            return true;
    }
    return false;
}

/* The block that lanes come to from the loop alone, and that all of them have come through who are in `block`. */
static uint32_t exit_above(const struct stepper *s, uint32_t block)
{
    for (uint32_t b = block; b != NO_NODE && !s->mark[b]; b = s->idom[b]) {
        const struct graph *pred = &s->f->pred;
        bool only = pred->first[b] < pred->first[b + 1];
        for (uint32_t e = pred->first[b]; e < pred->first[b + 1]; e++) only &= s->mark[pred->to[e]] != 0;
        if (only) return b;
    }
    return NO_NODE;
}

static value step_back(const struct stepper *s, value next, uint32_t block)
{
    value back = LLVMConstNeg(LLVMGetOperand(next, 1)), first = LLVMGetFirstInstruction(s->f->blocks[block].ref);
    while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(s->b, first);
    if (!LLVMIsAGetElementPtrInst(next)) return LLVMBuildAdd(s->b, next, back, "");
    /* Selection, which adds up offsets, must not find the variable itself below the two steps. */
    value whole = LLVMBuildFreeze(s->b, next, "");
    return LLVMBuildGEP2(s->b, LLVMGetGEPSourceElementType(next), whole, &back, 1, "");
}

/* Where the value is read behind the loop: the exit block above, or NO_NODE if it is not behind or there is none. */
static uint32_t exit_of_use(const struct stepper *s, LLVMUseRef u, value phi, bool *behind)
{
    value user = LLVMGetUser(u);
    uint32_t block = block_of(s, user);
    *behind = block != NO_NODE && !s->mark[block];
    if (!*behind) return NO_NODE;
    if (!LLVMIsAPHINode(user)) return exit_above(s, block);
    uint32_t found = NO_NODE;
    for (unsigned i = 0; i < LLVMCountIncoming(user); i++) {
        if (LLVMGetIncomingValue(user, i) != phi) continue;
        uint32_t from = block_of(s, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, i)));
        uint32_t exit = from == NO_NODE || s->mark[from] ? NO_NODE : exit_above(s, from);
        if (exit == NO_NODE || (found != NO_NODE && found != exit)) return NO_NODE;
        found = exit;
    }
    return found;
}

/* The uses of a value behind the loop, and the exit that all of these have above them; NO_NODE: there are none, or
 * several exits. */
static uint32_t common_exit(const struct stepper *s, value phi)
{
    uint32_t found = NO_NODE;
    for (LLVMUseRef u = LLVMGetFirstUse(phi); u; u = LLVMGetNextUse(u)) {
        bool behind;
        uint32_t exit = exit_of_use(s, u, phi, &behind);
        if (!behind) continue;
        if (exit == NO_NODE || (found != NO_NODE && found != exit)) return NO_NODE;
        found = exit;
    }
    return found;
}

static void replace_behind(const struct stepper *s, value phi, value by)
{
    for (LLVMUseRef u = LLVMGetFirstUse(phi), following; u; u = following) {
        value user = LLVMGetUser(u);
        uint32_t block = block_of(s, user);
        following = LLVMGetNextUse(u);
        if (block == NO_NODE || s->mark[block]) continue;
        for (int i = 0; i < LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, (unsigned)i) == phi) LLVMSetOperand(user, (unsigned)i, by);
        following = LLVMGetFirstUse(phi); /* the list has changed; those behind the loop are fewer each time */
    }
}

static void look_at(const struct stepper *s, value phi)
{
    if (LLVMCountIncoming(phi) != 2) return;
    unsigned from_loop = s->mark[block_of(s, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, 0)))] ? 0 : 1;
    value next = LLVMGetIncomingValue(phi, from_loop);
    if (!adds_constant(next, phi) || !s->mark[block_of(s, next)]) return;
    if (!is_at_all_exits(s, block_of(s, next)) || is_read_late(s, phi, next)) return;
    uint32_t exit = common_exit(s, phi);
    if (exit != NO_NODE) replace_behind(s, phi, step_back(s, next, exit));
}

static void look_at_loops(struct cc *cc, value function)
{
    struct kernel kernel = {.name = LLVMGetValueName(function), .function = function};
    struct func f = {.cc = cc, .kernel = &kernel, .data = LLVMGetModuleDataLayout(cc->module)};
    flow_number(&f);
    uint32_t *body = cc_alloc(cc, (f.nblocks + 1) * sizeof *body);
    struct stepper s = {.f = &f, .b = cc->builder, .mark = cc_alloc(cc, f.nblocks + 2), .body = body};
    s.idom = graph_dominators(cc, &f.succ, 0);
    for (s.header = f.nblocks; s.header-- > 0;) {
        s.nbody = graph_loop(&f.pred, s.idom, s.header, s.mark, body);
        const struct block *h = &f.blocks[s.header];
        for (uint32_t v = h->first; s.nbody && v < h->end && LLVMIsAPHINode(f.values[v].ref); v++)
            look_at(&s, f.values[v].ref);
        for (uint32_t i = 0; i < s.nbody; i++) s.mark[body[i]] = 0;
    }
}

void steps_take_back(struct cc *cc)
{
    for (value f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) look_at_loops(cc, f);
}
