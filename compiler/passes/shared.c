/* Blocks that both paths of a divergent branch share.
 *
 * Lanes that a branch has sent different ways wait for each other only where all ways from it meet. A way past the
 * rest, such as a `break` or `continue` in an `if`, puts that off to the end of the iteration, and the rest is executed
 * once for the lanes of either path:
 *
 *     if (a) { x; if (b) continue; } else y;      lanes come to z by y and by x, and the ways from `a` do not meet
 *     z;                                          there, because one of them goes on behind z
 *
 * If z is large, all edges from the paths into what they share, or past it, lead to a new block, the guard, with a
 * number that tells where each lane wants to go, and the guard branches on it. The paths meet there, and z is executed
 * once. If z is small, one of the paths gets a copy of it: nothing is executed less often, but loops whose paths share
 * no block can be translated to better code (translator/nest.h). LLVM's passes on control flow would undo both, so this
 * comes behind them. Called by prepare.c. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

/* A guard costs some instructions: what is shared must be worth so many, about, and a loop in it so many times that.
 * It has at most so many places to go to. A function is changed as long as the number of changes times what one takes,
 * the square of the number of blocks and so much for an instruction, is within the limit: some tenths of a second. */
enum { WORTH = 8, LOOP_WEIGHT = 4, MOST_PLACES = 4, INSTRUCTION_WORK = 20, WORK_LIMIT = 4000000 };

/* A divergent branch whose paths share blocks; all numbers are those of blocks. */
struct fork {
    struct cc *cc;
    struct func *f;
    uint32_t branch, join, first;               /* its own; where its ways meet; the first that is shared */
    uint8_t *reach[2], *behind;                 /* marks: from either successor on; from the first shared block on */
    uint32_t *list;                             /* room */
    unsigned cost;                              /* of what is shared */
    uint32_t places[MOST_PLACES], nplaces;      /* where the guard is to branch to */
    LLVMBasicBlockRef guard, ways[MOST_PLACES]; /* the blocks that branch to each place */
    LLVMValueRef number;                        /* a phi of the guard: which place */
};

/* ---- what it is worth ---- */

static unsigned cost(LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    const bool wide = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 32;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMPHI:
    case LLVMBr: return 0;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: return wide ? 4 * WORTH : WORTH / 2;
    case LLVMLoad:
    case LLVMStore: return WORTH / 2;
    case LLVMCall: return LLVMIsAIntrinsicInst(inst) ? 1 : WORTH; /* so no call that is for all lanes is copied */
    default: return wide ? 2 : 1;
    }
}

static unsigned cost_of_shared(const struct fork *k)
{
    unsigned sum = 0;
    for (uint32_t i = k->first; i < k->f->nblocks && sum < WORTH; i++) {
        const struct block *b = &k->f->blocks[i];
        if (!k->reach[0][i] || !k->reach[1][i]) continue;
        const unsigned weight = b->depth > k->f->blocks[k->branch].depth ? LOOP_WEIGHT : 1;
        for (uint32_t v = b->first; v < b->end; v++) sum += weight * cost(k->f->values[v].ref);
    }
    return sum;
}

/* ---- where it is ---- */

static bool is_on_path(const struct fork *k, uint32_t block) { return k->reach[0][block] || k->reach[1][block]; }

/* Is a block that the branch leads to entered in another way? */
static bool is_entered(const struct fork *k)
{
    const struct graph *pred = &k->f->pred;
    for (uint32_t i = 0; i < k->f->nblocks; i++)
        for (uint32_t e = pred->first[i]; is_on_path(k, i) && e < pred->first[i + 1]; e++)
            if (pred->to[e] != k->branch && !is_on_path(k, pred->to[e])) return true;
    return false;
}

/* Nothing is done where lanes may leave the loop of the branch, or go back to another iteration. */
static bool find_shared(struct fork *k)
{
    const struct func *f = k->f;
    const struct block *b = &f->blocks[k->branch];
    k->join = b->ipdom, k->first = k->branch + 1;
    if (!b->divergent || b->nsucc != 2 || k->join == f->nblocks || k->join < k->branch) return false;
    for (unsigned s = 0; s < 2; s++) {
        memset(k->reach[s], 0, f->nblocks + 1);
        graph_reach(&f->succ, b->succ[s], k->join, k->reach[s], k->list);
    }
    while (k->first < f->nblocks && !(k->reach[0][k->first] && k->reach[1][k->first])) k->first++;
    if (k->first == f->nblocks || f->blocks[k->first].depth != b->depth) return false;
    if (is_on_path(k, k->branch) || is_entered(k)) return false;
    memset(k->behind, 0, f->nblocks + 1);
    graph_reach(&f->succ, k->first, k->join, k->behind, k->list);
    k->cost = cost_of_shared(k);
    return true;
}

static LLVMBasicBlockRef block_of(const struct fork *k, uint32_t i) { return k->f->blocks[i].ref; }

/* ---- a guard ---- */

/* False: there are too many. */
static bool add_place(struct fork *k, uint32_t place)
{
    uint32_t i = 0;
    while (i < k->nplaces && k->places[i] != place) i++;
    if (i == MOST_PLACES) return false;
    if (i == k->nplaces) k->places[k->nplaces++] = place;
    return true;
}

/* In front of what is shared. */
static bool is_in_front(const struct fork *k, uint32_t block)
{
    return block == k->branch || (is_on_path(k, block) && !k->behind[block]);
}

static bool find_places(struct fork *k)
{
    const struct graph *succ = &k->f->succ;
    k->nplaces = 0;
    add_place(k, k->first);
    for (uint32_t i = k->branch; i < k->f->nblocks; i++)
        for (uint32_t e = succ->first[i]; is_in_front(k, i) && e < succ->first[i + 1]; e++)
            if ((k->behind[succ->to[e]] || succ->to[e] == k->join) && !add_place(k, succ->to[e])) return false;
    return true;
}

static LLVMValueRef word(const struct fork *k, unsigned n)
{
    return LLVMConstInt(LLVMInt32TypeInContext(k->cc->context), n, false);
}

static LLVMBasicBlockRef add_block(const struct fork *k, const char *name)
{
    return LLVMInsertBasicBlockInContext(k->cc->context, block_of(k, k->first), name);
}

static uint32_t place_of(const struct fork *k, LLVMBasicBlockRef block)
{
    uint32_t i = 0;
    while (i < k->nplaces && block_of(k, k->places[i]) != block) i++;
    return i;
}

static void branch_to_places(struct fork *k)
{
    LLVMBuilderRef b = k->cc->builder;
    const uint32_t last = k->nplaces - 1;
    LLVMBasicBlockRef block = k->guard, next;
    for (uint32_t i = 0; i < last; i++, block = next) {
        next = i + 1 == last ? block_of(k, k->places[last]) : add_block(k, "guard");
        LLVMPositionBuilderAtEnd(b, block);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, k->number, word(k, i), ""), block_of(k, k->places[i]), next);
        k->ways[i] = k->ways[i + 1] = block;
    }
}

/* An end of the paths goes to the guard. Behind a branch of which both ways do so nothing is left of it. */
static void lead_to_guard(struct fork *k, LLVMBasicBlockRef from)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from), number = NULL;
    unsigned n = LLVMGetNumSuccessors(end), leading = 0;
    uint32_t places[2];
    for (unsigned s = 0; s < n; s++) {
        places[s] = place_of(k, LLVMGetSuccessor(end, s));
        if (places[s] == k->nplaces) continue;
        number = word(k, places[s]);
        leading++;
    }
    if (!leading) return;
    if (leading == 2) {
        LLVMPositionBuilderBefore(k->cc->builder, end);
        number = LLVMBuildSelect(k->cc->builder, LLVMGetCondition(end), word(k, places[0]), word(k, places[1]), "");
        LLVMInstructionSetDebugLoc(LLVMBuildBr(k->cc->builder, k->guard), LLVMInstructionGetDebugLoc(end));
        LLVMInstructionEraseFromParent(end);
    }
    for (unsigned s = 0; leading == 1 && s < n; s++)
        if (places[s] < k->nplaces) LLVMSetSuccessor(end, s, k->guard);
    LLVMAddIncoming(k->number, &number, &from, 1);
}

/* The phis of a place get one value from the guard in the place of those from the paths. It is 0 for lanes that go to
 * another place: they may copy it all the same, and lock step with another machine (docs/cosim.md) compares copies. */
static void move_phis(struct fork *k, uint32_t place)
{
    const unsigned n = LLVMCountIncoming(k->number);
    LLVMBasicBlockRef *from = cc_alloc(k->cc, n * sizeof *from);
    for (unsigned i = 0; i < n; i++) from[i] = LLVMGetIncomingBlock(k->number, i);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block_of(k, k->places[place])), next; LLVMIsAPHINode(phi);
         phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(k->cc->builder, LLVMGetFirstInstruction(k->guard));
        LLVMValueRef there = LLVMBuildPhi(k->cc->builder, LLVMTypeOf(phi), "");
        for (unsigned i = 0; i < n; i++) {
            LLVMValueRef value = phi_value(phi, from[i]);
            if (!value) value = LLVMConstNull(LLVMTypeOf(phi));
            LLVMAddIncoming(there, &value, &from[i], 1);
        }
        LLVMValueRef here = phi_without(k->cc->builder, phi, from, n);
        LLVMAddIncoming(here, &there, &k->ways[place], 1);
        LLVMReplaceAllUsesWith(phi, here);
        LLVMInstructionEraseFromParent(phi);
    }
}

static bool build_guard(struct fork *k)
{
    if (!find_places(k)) return false;
    k->guard = add_block(k, "guard");
    LLVMPositionBuilderAtEnd(k->cc->builder, k->guard);
    k->number = LLVMBuildPhi(k->cc->builder, LLVMInt32TypeInContext(k->cc->context), "");
    branch_to_places(k);
    for (uint32_t i = k->branch; i < k->f->nblocks; i++)
        if (is_in_front(k, i)) lead_to_guard(k, block_of(k, i));
    for (uint32_t i = 0; i < k->nplaces; i++) move_phis(k, i);
    return true;
}

/* ---- a copy ---- */

struct copy {
    struct fork *k;
    LLVMBasicBlockRef old, new, next; /* the block, its copy, the block behind both */
    LLVMBasicBlockRef *from;          /* blocks that go to the copy */
    unsigned nfrom;
    LLVMValueRef (*values)[2]; /* of the block and of its copy */
    unsigned nvalues;
};

/* Only phis of the block behind it read what the block computes. */
static bool is_read_there(const struct copy *c, LLVMValueRef inst)
{
    for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u)) {
        LLVMBasicBlockRef block = LLVMGetInstructionParent(LLVMGetUser(u));
        if (block != c->old && (block != c->next || !LLVMIsAPHINode(LLVMGetUser(u)))) return false;
    }
    return true;
}

/* Not in front of a loop, whose phis may have what the block computes from a later iteration, too. */
static bool can_copy(struct copy *c)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(c->old);
    const struct block *blocks = c->k->f->blocks, *b = &blocks[c->k->first];
    if (LLVMGetNumSuccessors(end) != 1 || !b->depth || blocks[b->succ[0]].depth > b->depth) return false;
    c->next = LLVMGetSuccessor(end, 0);
    for (LLVMValueRef i = LLVMGetFirstInstruction(c->old); i; i = LLVMGetNextInstruction(i)) {
        if (!is_read_there(c, i)) return false;
        c->nvalues++;
    }
    return true;
}

/* The edges of the path from the branch's second successor. */
static void take_edges(struct copy *c)
{
    const struct fork *k = c->k;
    const struct graph *pred = &k->f->pred;
    for (uint32_t e = pred->first[k->first]; e < pred->first[k->first + 1]; e++) {
        const uint32_t from = pred->to[e];
        if (from == k->branch ? k->f->blocks[from].succ[1] != k->first : !k->reach[1][from]) continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block_of(k, from));
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
            if (LLVMGetSuccessor(end, s) == c->old) LLVMSetSuccessor(end, s, c->new);
        c->from[c->nfrom++] = block_of(k, from);
    }
}

static LLVMValueRef copy_of(const struct copy *c, LLVMValueRef value)
{
    unsigned i = 0;
    while (i < c->nvalues && c->values[i][0] != value) i++;
    return i < c->nvalues ? c->values[i][1] : value;
}

static LLVMValueRef copy_phi(struct copy *c, LLVMValueRef phi)
{
    LLVMPositionBuilderAtEnd(c->k->cc->builder, c->new);
    LLVMValueRef new = LLVMBuildPhi(c->k->cc->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < c->nfrom; i++) {
        LLVMValueRef value = phi_value(phi, c->from[i]);
        LLVMAddIncoming(new, &value, &c->from[i], 1);
    }
    return new;
}

static LLVMValueRef copy_instruction(struct copy *c, LLVMValueRef inst)
{
    LLVMValueRef new = LLVMInstructionClone(inst);
    LLVMPositionBuilderAtEnd(c->k->cc->builder, c->new);
    LLVMInsertIntoBuilder(c->k->cc->builder, new);
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(new); i++)
        LLVMSetOperand(new, i, copy_of(c, LLVMGetOperand(new, i)));
    return new;
}

static void fill_copy(struct copy *c)
{
    LLVMValueRef next;
    const unsigned n = c->nvalues;
    c->values = cc_alloc(c->k->cc, n * sizeof *c->values);
    c->nvalues = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(c->old); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef new = LLVMIsAPHINode(i) ? copy_phi(c, i) : copy_instruction(c, i);
        c->values[c->nvalues][0] = i, c->values[c->nvalues++][1] = new;
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(c->next); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = copy_of(c, phi_value(phi, c->old));
        LLVMAddIncoming(phi, &value, &c->new, 1);
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(c->old); LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMReplaceAllUsesWith(phi, phi_without(c->k->cc->builder, phi, c->from, c->nfrom));
        LLVMInstructionEraseFromParent(phi);
    }
}

static bool build_copy(struct fork *k)
{
    struct copy c = {.k = k, .old = block_of(k, k->first)};
    if (!can_copy(&c)) return false;
    c.new = add_block(k, "copy");
    c.from = cc_alloc(k->cc, k->f->nblocks * sizeof *c.from);
    take_edges(&c);
    fill_copy(&c);
    return true;
}

/* ---- functions ---- */

/* The innermost branch comes first. False: there is none that is left. */
static bool change_next(struct cc *cc, LLVMValueRef function)
{
    struct kernel kernel = {.name = LLVMGetValueName(function), .function = function};
    struct func f = {.cc = cc, .kernel = &kernel, .data = LLVMGetModuleDataLayout(cc->module)};
    struct fork k = {.cc = cc, .f = &f};
    bool changed = false;
    kernel.is_routine = is_routine(function);
    flow_run(&f);
    divergence_run(&f);
    for (unsigned s = 0; s < 2; s++) k.reach[s] = cc_alloc(cc, f.nblocks + 1);
    k.behind = cc_alloc(cc, f.nblocks + 1);
    k.list = cc_alloc(cc, (f.nblocks + 1) * sizeof *k.list);
    LLVMSetCurrentDebugLocation2(cc->builder, NULL);
    for (k.branch = f.nblocks; k.branch-- > 0 && !changed;)
        if (find_shared(&k)) changed = k.cost >= WORTH ? build_guard(&k) : build_copy(&k);
    return changed;
}

static uint64_t work_for_change(LLVMValueRef f)
{
    const uint64_t blocks = LLVMCountBasicBlocks(f);
    uint64_t instructions = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) instructions++;
    return blocks * blocks + INSTRUCTION_WORK * instructions;
}

bool shared_part(struct cc *cc)
{
    bool changed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || is_pure_routine(f)) continue;
        const struct cc_mark mark = cc_mark(cc);
        uint64_t changes = 0;
        for (; (changes + 1) * work_for_change(f) < WORK_LIMIT && change_next(cc, f); changes++) cc_release(cc, mark);
        cc_release(cc, mark);
        changed |= changes;
    }
    return changed;
}
