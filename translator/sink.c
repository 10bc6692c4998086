/* Results that no instruction of their own block reads (sink.h).
 *
 * A block leaves all its results to the blocks behind it as the guest has them: doubles as two words each, their NaNs
 * canonical. Of these blocks most are masked code, and places where the warp is given back, which hardly ever run; the
 * full code that follows takes doubles as the host has them. So the instructions between the two become those of the
 * blocks that read their results: each has a copy of its own, where no path comes through two of them, or round a loop
 * through one, and where some path comes through none. What is left to the other blocks is what these instructions
 * read, one value for one or two. */
#include "translator/sink.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "translator/patterns.h"

/* The search takes so much longer with many blocks that larger functions are left as they are; results that so many
 * blocks read stay where they are. Both are guesses. */
enum { BLOCKS_MOST = 4096, PLACES_MOST = 64, EDGES_MOST = 256, NOWHERE = -1 };

struct sink {
    LLVMBuilderRef b;
    LLVMBasicBlockRef *blocks; /* in reverse postorder: */
    int count;
    int *dominator; /* immediate one of each; its own of the first */
    struct slot {
        LLVMBasicBlockRef block;
        int number;
    } * slots; /* numbers of blocks, by hash */
    unsigned mask;
    /* Successors and predecessors of block i: behind[first_behind[i]], before[first_before[i]] and on, to those of
     * block i + 1. */
    int *first_behind, *behind, *first_before, *before;
    int *queue;
    bool *seen;
};

/* Blocks that are to have a copy. */
struct places {
    int at[PLACES_MOST];
    int count;
};

/* ---- what is moved ---- */

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

/* x, or NaNs that are canonical. */
static bool makes_canonical(LLVMValueRef v)
{
    LLVMValueRef test = LLVMGetOperand(v, 0);
    if (!LLVMIsAFCmpInst(test) || !LLVMIsConstant(LLVMGetOperand(test, 1))) return false;
    const bool first = LLVMIsConstant(LLVMGetOperand(v, 2));
    if (!first && !LLVMIsConstant(LLVMGetOperand(v, 1))) return false;
    return behind_casts(LLVMGetOperand(v, first ? 1 : 2)) == behind_casts(LLVMGetOperand(test, 0));
}

/* Is it made of one vector, by an instruction or two of the host? */
static bool is_light(LLVMValueRef v)
{
    if (!is_vector(v)) return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMShuffleVector:
    case LLVMFCmp: return LLVMIsConstant(LLVMGetOperand(v, 1));
    case LLVMBitCast:
    case LLVMTrunc: return is_vector(LLVMGetOperand(v, 0));
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: return LLVMIsConstant(LLVMGetOperand(v, 1));
    case LLVMFNeg: return true;
    case LLVMSelect: return makes_canonical(v);
    default: return false;
    }
}

/* ---- edges ---- */

static unsigned successors(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    return end ? LLVMGetNumSuccessors(end) : 0;
}

static LLVMBasicBlockRef successor(LLVMBasicBlockRef block, unsigned i)
{
    return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), i);
}

/* Edges to a block that have got blocks of their own. */
struct edges {
    LLVMBasicBlockRef from[EDGES_MOST], between[EDGES_MOST];
    unsigned count;
};

static unsigned edges_to(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    unsigned count = 0;
    for (unsigned k = successors(from); k--;) count += successor(from, k) == to;
    return count;
}

static LLVMBasicBlockRef between(const struct edges *e, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < e->count; i++)
        if (e->from[i] == from) return e->between[i];
    return NULL;
}

/* Does the phi take a light result of a block from which control may go elsewhere? */
static bool takes_result(LLVMValueRef phi, unsigned i)
{
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    return LLVMIsAInstruction(value) && is_light(value) && successors(from) > 1 &&
           edges_to(from, LLVMGetInstructionParent(phi)) == 1;
}

static void split_edge(LLVMBuilderRef b, struct edges *e, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(to)));
    LLVMBasicBlockRef block = LLVMInsertBasicBlockInContext(context, to, "");
    LLVMValueRef last = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = successors(from); k--;)
        if (LLVMGetSuccessor(last, k) == to) LLVMSetSuccessor(last, k, block);
    LLVMPositionBuilderAtEnd(b, block);
    LLVMBuildBr(b, to);
    e->from[e->count] = from, e->between[e->count++] = block;
}

/* The phi that takes the place of one when edges have got blocks. LLVM's interface in C cannot change it. */
static void build_again(LLVMBuilderRef b, const struct edges *e, LLVMValueRef phi)
{
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef new = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i), block = between(e, from);
        LLVMAddIncoming(new, &value, block ? &block : &from, 1);
    }
    LLVMReplaceAllUsesWith(phi, new);
    LLVMInstructionEraseFromParent(phi);
}

/* Edges on which such results leave a block get blocks, in which copies can be made. */
static void split_edges(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    struct edges e = {.count = 0};
    LLVMValueRef phi = LLVMGetFirstInstruction(block), next;
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        for (unsigned i = LLVMCountIncoming(phi); i-- && e.count < EDGES_MOST;)
            if (!between(&e, LLVMGetIncomingBlock(phi, i)) && takes_result(phi, i))
                split_edge(b, &e, LLVMGetIncomingBlock(phi, i), block);
    for (phi = LLVMGetFirstInstruction(block); e.count && LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        build_again(b, &e, phi);
    }
}

static void split_all_edges(LLVMBuilderRef b, LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        split_edges(b, block);
}

/* ---- the graph ---- */

static struct slot *slot_of(const struct sink *s, LLVMBasicBlockRef block)
{
    unsigned i = (unsigned)((uintptr_t)block >> 4) * 2654435761u & s->mask;
    while (s->slots[i].block && s->slots[i].block != block) i = (i + 1) & s->mask;
    return &s->slots[i];
}

static int number_of_block(const struct sink *s, LLVMBasicBlockRef block)
{
    const struct slot *slot = slot_of(s, block);
    return slot->block ? slot->number : NOWHERE;
}

/* Numbers those that can be reached, in reverse postorder. */
static bool number_blocks(struct sink *s, LLVMValueRef function)
{
    const int most = (int)LLVMCountBasicBlocks(function);
    struct step {
        LLVMBasicBlockRef block;
        unsigned next;
    } *stack = malloc((size_t)most * sizeof *stack);
    int depth = 0, left = most;
    if (!stack) return false;
    stack[depth++] = (struct step){LLVMGetEntryBasicBlock(function), 0};
    *slot_of(s, stack[0].block) = (struct slot){stack[0].block, NOWHERE};
    while (depth) {
        struct step *top = &stack[depth - 1];
        if (top->next == successors(top->block)) {
            s->blocks[--left] = top->block;
            depth--;
            continue;
        }
        LLVMBasicBlockRef next = successor(top->block, top->next++);
        struct slot *slot = slot_of(s, next);
        if (slot->block) continue;
        *slot = (struct slot){next, NOWHERE};
        stack[depth++] = (struct step){next, 0};
    }
    free(stack);
    s->count = most - left;
    memmove(s->blocks, s->blocks + left, (size_t)s->count * sizeof *s->blocks);
    for (int i = 0; i < s->count; i++) slot_of(s, s->blocks[i])->number = i;
    return true;
}

static bool find_edges(struct sink *s)
{
    int edges = 0;
    for (int i = 0; i < s->count; i++) edges += (int)successors(s->blocks[i]);
    s->behind = calloc((size_t)edges + 1, sizeof *s->behind), s->before = calloc((size_t)edges + 1, sizeof *s->before);
    if (!s->behind || !s->before) return false;
    edges = 0;
    for (int i = 0; i < s->count; s->first_behind[++i] = edges)
        for (unsigned k = successors(s->blocks[i]); k--; edges++) {
            s->behind[edges] = number_of_block(s, successor(s->blocks[i], k));
            s->first_before[s->behind[edges] + 1]++;
        }
    for (int i = 0; i < s->count; i++) s->first_before[i + 1] += s->first_before[i];
    memcpy(s->queue, s->first_before, (size_t)s->count * sizeof *s->queue);
    for (int i = 0; i < s->count; i++)
        for (int k = s->first_behind[i]; k < s->first_behind[i + 1]; k++) s->before[s->queue[s->behind[k]]++] = i;
    return true;
}

/* The last block that every path to a and every path to b comes through. */
static int common(const struct sink *s, int a, int b)
{
    while (a != b)
        if (a > b) a = s->dominator[a];
        else b = s->dominator[b];
    return a;
}

static void find_dominators(struct sink *s)
{
    for (int i = 1; i < s->count; i++) s->dominator[i] = NOWHERE;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < s->count; i++) {
            int of = NOWHERE;
            for (int k = s->first_before[i]; k < s->first_before[i + 1]; k++) {
                const int from = s->before[k];
                if (s->dominator[from] != NOWHERE) of = of == NOWHERE ? from : common(s, of, from);
            }
            changed |= s->dominator[i] != of;
            s->dominator[i] = of;
        }
    }
}

static void end(struct sink *s)
{
    if (s->b) LLVMDisposeBuilder(s->b);
    free(s->blocks);
    free(s->dominator);
    free(s->slots);
    free(s->first_behind);
    free(s->behind);
    free(s->first_before);
    free(s->before);
    free(s->queue);
    free(s->seen);
}

static bool begin(struct sink *s, LLVMValueRef function)
{
    if (LLVMCountBasicBlocks(function) > BLOCKS_MOST) return false;
    s->b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    split_all_edges(s->b, function);
    const size_t most = LLVMCountBasicBlocks(function);
    for (s->mask = 1; s->mask < 2 * most; s->mask = 2 * s->mask + 1) {
    }
    s->blocks = calloc(most, sizeof *s->blocks), s->dominator = calloc(most, sizeof *s->dominator);
    s->first_behind = calloc(most + 1, sizeof *s->first_behind), s->queue = calloc(most, sizeof *s->queue);
    s->first_before = calloc(most + 1, sizeof *s->first_before), s->seen = calloc(most, sizeof *s->seen);
    s->slots = calloc((size_t)s->mask + 1, sizeof *s->slots);
    if (!s->blocks || !s->dominator || !s->slots || !s->queue || !s->seen) return false;
    if (!s->first_behind || !s->first_before || !number_blocks(s, function) || !find_edges(s)) return false;
    find_dominators(s);
    return true;
}

/* ---- paths ---- */

static bool is_place(const struct places *p, int block)
{
    int i = 0;
    while (i < p->count && p->at[i] != block) i++;
    return i < p->count;
}

static void visit_successors(struct sink *s, int block, int *waiting)
{
    for (int k = s->first_behind[block]; k < s->first_behind[block + 1]; k++) {
        const int next = s->behind[k];
        if (!s->seen[next]) s->queue[(*waiting)++] = next;
        s->seen[next] = true;
    }
}

/* Does a path lead from behind block `from` to the end, or round to it, without a place? */
static bool some_path_avoids(struct sink *s, int from, const struct places *p)
{
    int waiting = 0;
    memset(s->seen, 0, (size_t)s->count * sizeof *s->seen);
    visit_successors(s, from, &waiting);
    while (waiting) {
        const int block = s->queue[--waiting];
        if (block == from || (!is_place(p, block) && s->first_behind[block] == s->first_behind[block + 1])) return true;
        if (!is_place(p, block)) visit_successors(s, block, &waiting);
    }
    return false;
}

/* A place that a path leads to from behind `place` without coming through `home` again; NOWHERE: there is none. */
static int place_behind(struct sink *s, int home, int place, const struct places *p)
{
    int waiting = 0;
    memset(s->seen, 0, (size_t)s->count * sizeof *s->seen);
    visit_successors(s, place, &waiting);
    while (waiting) {
        const int block = s->queue[--waiting];
        if (is_place(p, block)) return block;
        if (block != home) visit_successors(s, block, &waiting);
    }
    return NOWHERE;
}

/* ---- places ---- */

static bool add_place(struct places *p, int block)
{
    if (is_place(p, block)) return true;
    if (p->count == PLACES_MOST) return false;
    p->at[p->count++] = block;
    return true;
}

/* Where a use wants the value: in its block; a phi, at the end of the block that it comes from. */
static bool add_use(const struct sink *s, struct places *p, LLVMValueRef user, LLVMValueRef value)
{
    if (!LLVMIsAPHINode(user)) return add_place(p, number_of_block(s, LLVMGetInstructionParent(user)));
    for (unsigned i = LLVMCountIncoming(user); i--;)
        if (LLVMGetIncomingValue(user, i) == value && !add_place(p, number_of_block(s, LLVMGetIncomingBlock(user, i))))
            return false;
    return true;
}

/* Two places become the one that leads to both. */
static void join_places(const struct sink *s, struct places *p, int a, int b)
{
    const int both = common(s, a, b);
    int n = 0;
    for (int i = 0; i < p->count; i++)
        if (p->at[i] != a && p->at[i] != b) p->at[n++] = p->at[i];
    p->count = n;
    add_place(p, both);
}

/* Where the uses of a value want it; false: in too many blocks. */
static bool find_uses(const struct sink *s, LLVMValueRef value, struct places *p)
{
    p->count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (!add_use(s, p, LLVMGetUser(use), value)) return false;
    return true;
}

/* From where uses want a value of block `home` to where copies are to be; false: it stays. */
static bool place_copies(struct sink *s, int home, struct places *p)
{
    if (is_place(p, NOWHERE)) return false;
    for (int i = 0; i < p->count && !is_place(p, home);) {
        const int behind = place_behind(s, home, p->at[i], p);
        if (behind == p->at[i]) return false; /* a loop */
        if (behind == NOWHERE) i++;
        else join_places(s, p, p->at[i], behind), i = 0;
    }
    return !is_place(p, home) && some_path_avoids(s, home, p);
}

static bool are_same(const struct places *a, const struct places *b)
{
    int i = 0;
    while (i < a->count && is_place(b, a->at[i])) i++;
    return a->count == b->count && i == a->count;
}

/* ---- moving ---- */

static LLVMValueRef first_behind_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
    return first;
}

static bool dominates(const struct sink *s, int a, int b) { return common(s, a, b) == a; }

static void use_copy(const struct sink *s, LLVMValueRef user, LLVMValueRef value, LLVMValueRef copy, int place)
{
    for (unsigned i = (unsigned)LLVMGetNumOperands(user); i--;) {
        if (LLVMGetOperand(user, i) != value) continue;
        LLVMBasicBlockRef block = LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, i) : LLVMGetInstructionParent(user);
        if (dominates(s, place, number_of_block(s, block))) LLVMSetOperand(user, i, copy);
    }
}

static void move(struct sink *s, LLVMValueRef value, const struct places *p)
{
    for (int i = 0; i < p->count; i++) {
        LLVMValueRef copy = LLVMInstructionClone(value);
        LLVMPositionBuilderBefore(s->b, first_behind_phis(s->blocks[p->at[i]]));
        LLVMInsertIntoBuilder(s->b, copy);
        for (LLVMUseRef use = LLVMGetFirstUse(value), next; use; use = next) {
            next = LLVMGetNextUse(use);
            LLVMValueRef user = LLVMGetUser(use);
            while (next && LLVMGetUser(next) == user) next = LLVMGetNextUse(next);
            use_copy(s, user, value, copy, p->at[i]);
        }
    }
    LLVMInstructionEraseFromParent(value);
}

/* Backwards: what a result that has moved was made of may move, too. Most results are wanted where the last one was. */
static void sink_block(struct sink *s, int home)
{
    struct places wanted, last = {.count = 0}, copies = {.count = 0};
    bool moves = false;
    for (LLVMValueRef insn = LLVMGetLastInstruction(s->blocks[home]), next; insn; insn = next) {
        next = LLVMGetPreviousInstruction(insn);
        if (!is_light(insn)) continue;
        if (!LLVMGetFirstUse(insn)) {
            LLVMInstructionEraseFromParent(insn);
            continue;
        }
        if (!find_uses(s, insn, &wanted) || is_place(&wanted, home)) continue;
        if (!are_same(&wanted, &last)) last = copies = wanted, moves = place_copies(s, home, &copies);
        if (moves) move(s, insn, &copies);
    }
}

void sink_results(LLVMValueRef function)
{
    struct sink s = {0};
    if (begin(&s, function))
        for (int i = s.count; i--;) sink_block(&s, i);
    end(&s);
}
