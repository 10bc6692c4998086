#include "translator/nest_masks.h"

#include <stdlib.h>
#include <string.h>

struct nest_masks {
    const struct nest *nest;
    struct isa_registers written, raw;                   /* by the nest; that may hold raw NaNs */
    struct isa_registers live[NEST_BLOCKS + 1], outside; /* that lanes read from each block or (the last one) the exit
                                                          * on; lanes that do not run the nest */
    /* Variables: lanes that have come to each block of the iteration, that begin the next iteration of each loop; depth
     * of the SIMT stack in front of it and on the paths of each branch; how often branches diverge. */
    LLVMValueRef in[NEST_BLOCKS], next[NEST_LEVELS], depth[NEST_LEVELS], paths[NEST_BRANCHES][2];
    LLVMValueRef diverged, deepest, iterations;
    LLVMValueRef lanes;       /* what COUNT_LANES is for the nest: a variable of its own takes fewer instructions */
    LLVMValueRef begun, most; /* numbers: instructions in front of the nest, and how many it may have */
};

static bool has(uint64_t set, unsigned i) { return set >> i & 1; }

LLVMValueRef nest_variable(struct translator *t, LLVMTypeRef type)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), first = LLVMGetEntryBasicBlock(t->out->function);
    LLVMPositionBuilderBefore(t->b, LLVMGetFirstInstruction(first));
    LLVMValueRef v = LLVMBuildAlloca(t->b, type, "nest");
    ir_at(t, from);
    return v;
}

static LLVMValueRef get(struct translator *t, LLVMValueRef variable)
{
    return LLVMBuildLoad2(t->b, t->i32, variable, "");
}

static void set(struct translator *t, LLVMValueRef variable, LLVMValueRef value)
{
    LLVMBuildStore(t->b, value, variable);
}

static void add(struct translator *t, LLVMValueRef variable, LLVMValueRef n)
{
    set(t, variable, LLVMBuildAdd(t->b, get(t, variable), n, ""));
}

/* ---- what holds of registers ---- */

static void find_written(const struct translator *t, struct nest_masks *m)
{
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        if (!has(m->nest->blocks, i)) continue;
        const struct block *b = m->nest->head + i;
        for (size_t k = b->first; k < b->first + b->count; k++) {
            const struct isa_registers w = node_written(t->flow, &t->flow->nodes[k]);
            registers_add(&m->written, &w);
        }
    }
}

static struct facts facts_here(const struct translator *t, const struct nest_masks *m, const struct block *b)
{
    const struct facts first = facts_of_block(&t->facts, m->nest->head);
    struct facts facts = facts_of_block(&t->facts, b);
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        facts.v[r] = set_has(m->written.v, r) ? (struct v_fact){0} : first.v[r];
        facts.v[r].raw = set_has(m->raw.v, r);
    }
    return facts;
}

/* ---- which lanes wait where ---- */

static unsigned number_of(const struct translator *t, const struct nest *nest, uint32_t pc)
{
    return pc == nest->exit ? NEST_BLOCKS : nest_number(t, nest, pc);
}

/* In front of a block, what the lane reads that executes it. */
static struct isa_registers live_before_block(const struct translator *t, const struct nest_masks *m, unsigned i)
{
    const struct block *b = m->nest->head + i;
    struct isa_registers live = {0};
    uint32_t to[2];
    for (unsigned n = nest_successors(t, b, to); n--;) registers_add(&live, &m->live[number_of(t, m->nest, to[n])]);
    for (size_t k = b->first + b->count; k-- > b->first;) {
        const struct isa_registers w = node_written(t->flow, &t->flow->nodes[k]), r = node_read(&t->flow->nodes[k]);
        for (unsigned v = 0; v < ISA_VREGS / 64; v++) live.v[v] &= ~w.v[v];
        registers_add(&live, &r);
    }
    return live;
}

static void find_live(const struct translator *t, struct nest_masks *m)
{
    const size_t head = (size_t)(m->nest->head - t->flow->blocks);
    bool changed = true;
    m->live[NEST_BLOCKS] = live_at(&t->liveness, m->nest->exit);
    if (t->facts.reached[head][MASKED]) m->outside = t->liveness.others[head];
    while (changed) {
        changed = false;
        for (unsigned i = NEST_BLOCKS; i-- > 0;) {
            if (!has(m->nest->blocks, i)) continue;
            const struct isa_registers live = live_before_block(t, m, i);
            changed |= memcmp(&live, &m->live[i], sizeof live) != 0;
            m->live[i] = live;
        }
    }
}

/* Wherever lanes wait that read a register, from a block or (NEST_BLOCKS) the exit on: is it a number there? */
static void forget_raw(const struct translator *t, struct nest_masks *m, unsigned i, struct isa_registers *numbers)
{
    const struct block *b = i == NEST_BLOCKS ? flow_block(t->flow, m->nest->exit) : m->nest->head + i;
    const struct facts facts = facts_of_block(&t->facts, b);
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        if (facts.v[r].raw) m->raw.v[r / 64] |= 1ull << r % 64;
        if (set_has(m->live[i].v, r) && !facts.v[r].number) numbers->v[r / 64] &= ~(1ull << r % 64);
    }
}

/* Lanes wait in other places than in masked code, so that registers which the nest writes may hold anything in those
 * that do. NaNs are raw, wherever they are in some block, only in registers that are numbers for whoever reads them:
 * where words are made canonical, bits of lanes that wait would be, too. */
static void find_raw(const struct translator *t, struct nest_masks *m)
{
    struct isa_registers numbers = {0};
    for (unsigned k = 0; k < ISA_VREGS / 64; k++) numbers.v[k] = ~m->outside.v[k];
    for (unsigned i = 0; i <= NEST_BLOCKS; i++)
        if (i == NEST_BLOCKS || has(m->nest->blocks, i)) forget_raw(t, m, i, &numbers);
    for (unsigned k = 0; k < ISA_VREGS / 64; k++) m->raw.v[k] &= numbers.v[k];
}

static void find_registers(const struct translator *t, struct nest_masks *m)
{
    find_written(t, m);
    find_live(t, m);
    find_raw(t, m);
}

/* The part of a loop's iteration that a block is in: its own number, or that of the head of a loop in the iteration;
 * NEST_NONE: it is outside. */
static unsigned part_of(const struct nest *nest, unsigned level, unsigned block)
{
    unsigned k = nest->owner[block];
    if (k == level) return block;
    while (k != NEST_NONE && nest->levels[k].parent != level) k = nest->levels[k].parent;
    return k == NEST_NONE ? NEST_NONE : nest->levels[k].head;
}

/* May lanes that have gone from a block to another one, or to the exit, wait there while a third one is executed? Parts
 * of an iteration are executed in the order of their numbers, but blocks of a loop in it may have higher ones than
 * those behind it. */
static bool may_wait(const struct nest *nest, unsigned from, unsigned to, unsigned block)
{
    unsigned level;
    bool again = false; /* for the next iteration */
    if (to == NEST_BLOCKS) return true;
    level = nest->owner[to];
    for (unsigned k = 0; k < nest->nlevels; k++) {
        if (nest->levels[k].head != to) continue;
        again = has(nest->levels[k].body, from);
        if (!again) level = nest->levels[k].parent;
    }
    const unsigned here = part_of(nest, level, block), before = part_of(nest, level, from);
    if (here == NEST_NONE) return false;
    if (here == before) return nest->owner[from] != level; /* it has left a loop */
    return before < here && (again || here < to);
}

static struct isa_registers read_by_others(const struct translator *t, const struct nest_masks *m, unsigned block)
{
    struct isa_registers all = m->outside;
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        uint32_t to[2];
        if (!has(m->nest->blocks, i)) continue;
        for (unsigned n = nest_successors(t, m->nest->head + i, to); n--;) {
            const unsigned number = number_of(t, m->nest, to[n]);
            if (may_wait(m->nest, i, number, block)) registers_add(&all, &m->live[number]);
        }
    }
    return all;
}

/* The block whose lanes are those of another one, and which is executed first. */
static unsigned leader_of(const struct nest *nest, unsigned block)
{
    unsigned i = 0;
    while (!has(nest->marks, i) || nest->owner[i] != nest->owner[block] || nest->bit[i] != nest->bit[block]) i++;
    return i;
}

/* ---- a block ---- */

/* Lanes go from a block to an address. */
static void go(struct translator *t, struct nest_masks *m, unsigned from, uint32_t pc, LLVMValueRef lanes)
{
    const unsigned to = pc == m->nest->exit ? NEST_NONE : nest_number(t, m->nest, pc);
    LLVMValueRef variable = to == NEST_NONE ? NULL : m->in[to];
    if (to == NEST_NONE) return; /* all lanes go there */
    for (unsigned k = 0; k < m->nest->nlevels; k++)
        if (m->nest->levels[k].head == to && has(m->nest->levels[k].body, from)) variable = m->next[k];
    set(t, variable, LLVMBuildOr(t->b, get(t, variable), lanes, ""));
}

static LLVMValueRef depth_at(struct translator *t, const struct nest_masks *m, unsigned level, struct nest_path path)
{
    return get(t, path.branch == NEST_NONE ? m->depth[level] : m->paths[path.branch][path.taken]);
}

/* What masked code would do to the SIMT stack where some lanes of a branch are taken. */
static void count_branch(struct translator *t, struct nest_masks *m, unsigned branch, LLVMValueRef taken,
                         LLVMValueRef rest)
{
    const struct nest_branch *b = &m->nest->branches[branch];
    LLVMValueRef one = ir_u32(t, 1), depth = depth_at(t, m, b->level, b->path), first, deeper, other;
    /* Some, but not all of them. */
    one =
        LLVMBuildICmp(t->b, LLVMIntULT, LLVMBuildSub(t->b, taken, one, ""), LLVMBuildSub(t->b, t->lanes, one, ""), "");
    one = LLVMBuildZExt(t->b, one, t->i32, "");
    add(t, m->diverged, one);
    other = LLVMBuildAdd(t->b, depth, one, "");
    deeper = LLVMBuildAdd(t->b, other, one, "");
    set(t, m->deepest, ir_intrinsic(t, "llvm.umax", &t->i32, 1, (LLVMValueRef[]){get(t, m->deepest), deeper}, 2));
    first = taken_first(t, ir_popcount(t, taken), ir_popcount(t, rest));
    set(t, m->paths[branch][true], LLVMBuildSelect(t->b, first, deeper, other, ""));
    set(t, m->paths[branch][false], LLVMBuildSelect(t->b, first, other, deeper, ""));
}

/* Behind the block the variables hold what it has written, in its lanes; what these do not read stays as other lanes
 * have left it. */
static void store_results(struct translator *t, const struct nest_masks *m)
{
    struct isa_registers read = {0};
    uint32_t to[2];
    for (unsigned n = nest_successors(t, t->block, to); n--;)
        registers_add(&read, &m->live[number_of(t, m->nest, to[n])]);
    for (unsigned k = 0; k < ISA_VREGS / 64; k++) t->fresh.v[k] &= read.v[k] | ~t->waiting.v[k];
    registers_add(&read, &t->waiting);
    forget_fresh(t, &read);
    settle(t);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (t->stored[r].raw && !set_has(m->raw.v, r)) make_exact(t, r);
}

static void finish(struct translator *t, struct nest_masks *m, unsigned i)
{
    const struct block *b = m->nest->head + i;
    const struct node *last = b->count ? &t->flow->nodes[b->first + b->count - 1] : NULL;
    const unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    LLVMValueRef taken = NULL, rest, zero = ir_u32(t, 0);
    if (control == CONTROL_VBRANCH) taken = LLVMBuildAnd(t->b, bits_of(t, lanes_of_row(t, last)), t->lanes, "");
    if (control == CONTROL_BRANCH)
        taken =
            LLVMBuildSelect(t->b, LLVMBuildICmp(t->b, LLVMIntNE, value_of_row(t, last), zero, ""), t->lanes, zero, "");
    store_results(t, m);
    if (!taken) {
        go(t, m, i, control == CONTROL_JUMP ? node_target(last) : b->end, t->lanes);
        return;
    }
    rest = LLVMBuildXor(t->b, taken, t->lanes, "");
    go(t, m, i, node_target(last), taken);
    go(t, m, i, node_next(last), rest);
    for (unsigned k = 0; k < m->nest->nbranches; k++)
        if (m->nest->branches[k].block == i) count_branch(t, m, k, taken, rest);
}

/* Counts all blocks that the same lanes execute, at the first of them. */
static void count_blocks(struct translator *t, struct nest_masks *m, unsigned leader)
{
    const struct nest *nest = m->nest;
    uint16_t own[NATIVE_COUNTS];
    memcpy(own, t->counted, sizeof own);
    for (unsigned i = leader + 1; i < NEST_BLOCKS; i++) {
        if (!has(nest->blocks, i) || leader_of(nest, i) != leader) continue;
        const struct block *b = nest->head + i;
        for (size_t n = b->first; n < b->first + b->count; n++)
            for (unsigned k = 0; k < NATIVE_COUNTS; k++)
                t->counted[k] = (uint16_t)(t->counted[k] + t->flow->nodes[n].counts[k]);
    }
    tally_block(t);
    LLVMValueRef vectors = ir_u32(t, t->counted[COUNT_VECTOR]);
    add(t, m->lanes, LLVMBuildMul(t->b, ir_popcount(t, t->lanes), vectors, ""));
    count_constants(t, 0);
    memcpy(t->counted, own, sizeof own);
}

static void run_block(struct translator *t, struct nest_masks *m, unsigned i)
{
    const struct block *b = m->nest->head + i;
    const struct facts facts = facts_here(t, m, b);
    const unsigned leader = leader_of(m->nest, i);
    t->waiting = read_by_others(t, m, i);
    set_mask(t, get(t, m->in[leader]));
    begin_block(t, b, MASKED, &facts);
    if (leader == i) count_blocks(t, m, i);
    translate_nodes(t, b);
    finish(t, m, i);
}

/* ---- loops ---- */

static void run_level(struct translator *t, struct nest_masks *m, unsigned level);

/* The loop in this one whose head a block is; NEST_NONE: it is none. */
static unsigned loop_at(const struct nest *nest, unsigned level, unsigned block)
{
    for (unsigned k = level + 1; k < nest->nlevels; k++)
        if (nest->levels[k].parent == level && nest->levels[k].head == block) return k;
    return NEST_NONE;
}

/* The next part of an iteration from a number on: a block or the head of a loop in it. NEST_BLOCKS: there is none. */
static unsigned next_part(const struct nest *nest, unsigned level, unsigned i)
{
    while (i < NEST_BLOCKS && !has(nest->levels[level].own, i) && loop_at(nest, level, i) == NEST_NONE) i++;
    return i;
}

/* Behind a part: a loop, or a block and those behind it that the same lanes execute. */
static unsigned end_of_part(const struct nest *nest, unsigned level, unsigned i)
{
    const bool is_loop = loop_at(nest, level, i) != NEST_NONE;
    unsigned end = next_part(nest, level, i + 1);
    while (!is_loop && end < NEST_BLOCKS && loop_at(nest, level, end) == NEST_NONE &&
           leader_of(nest, end) == leader_of(nest, i))
        end = next_part(nest, level, end + 1);
    return end;
}

/* Branches that no lane comes to leave the SIMT stack as it is. */
static void pass_branches(struct translator *t, struct nest_masks *m, unsigned level, unsigned from, unsigned to)
{
    for (unsigned k = 0; k < m->nest->nbranches; k++) {
        const struct nest_branch *b = &m->nest->branches[k];
        if (b->level != level || b->block < from || b->block >= to) continue;
        LLVMValueRef depth = depth_at(t, m, level, b->path);
        for (unsigned i = 0; i < 2; i++) set(t, m->paths[k][i], depth);
    }
}

/* A part of an iteration, if lanes have come there. Returns the next one. */
static unsigned run_part(struct translator *t, struct nest_masks *m, unsigned level, unsigned i)
{
    const unsigned loop = loop_at(m->nest, level, i), end = end_of_part(m->nest, level, i);
    const unsigned first = loop == NEST_NONE ? leader_of(m->nest, i) : i;
    LLVMBasicBlockRef some = ir_block(t, "some"), on = ir_block(t, "");
    LLVMValueRef any = LLVMBuildICmp(t->b, LLVMIntNE, get(t, m->in[first]), ir_u32(t, 0), "");
    if (loop == NEST_NONE) pass_branches(t, m, level, i, end);
    if (first == m->nest->levels[level].head) LLVMBuildBr(t->b, some);
    else LLVMBuildCondBr(t->b, any, some, on);
    ir_at(t, some);
    if (loop != NEST_NONE) run_level(t, m, loop);
    for (; loop == NEST_NONE && i < end; i = next_part(m->nest, level, i + 1)) run_block(t, m, i);
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
    return end;
}

static void check_length(struct translator *t, struct nest_masks *m)
{
    LLVMBasicBlockRef on = ir_block(t, "");
    LLVMValueRef done = LLVMBuildSub(t->b, instructions_done(t), m->begun, "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntULE, done, m->most, ""), on, t->undo);
    ir_at(t, on);
}

/* All iterations of a loop, for lanes that have come to its head. */
static void run_level(struct translator *t, struct nest_masks *m, unsigned level)
{
    const struct nest *nest = m->nest;
    const struct nest_level *l = &nest->levels[level];
    LLVMBasicBlockRef iteration = ir_block(t, "iteration"), over = ir_block(t, "over");
    set(t, m->next[level], get(t, m->in[l->head]));
    if (level) set(t, m->depth[level], depth_at(t, m, l->parent, l->entry));
    LLVMBuildBr(t->b, iteration);
    ir_at(t, iteration);
    check_length(t, m);
    if (!level) add(t, m->iterations, ir_u32(t, 1));
    for (unsigned i = next_part(nest, level, 0); i < NEST_BLOCKS; i = next_part(nest, level, i + 1))
        set(t, m->in[i], ir_u32(t, 0));
    set(t, m->in[l->head], get(t, m->next[level]));
    set(t, m->next[level], ir_u32(t, 0));
    for (unsigned i = next_part(nest, level, 0); i < NEST_BLOCKS;) i = run_part(t, m, level, i);
    set(t, m->depth[level], depth_at(t, m, level, l->back));
    LLVMValueRef more = LLVMBuildICmp(t->b, LLVMIntNE, get(t, m->next[level]), ir_u32(t, 0), "");
    LLVMBuildCondBr(t->b, more, iteration, over);
    ir_at(t, over);
}

/* ---- the nest ---- */

static void make_variables(struct translator *t, struct nest_masks *m)
{
    const struct nest *nest = m->nest;
    for (unsigned i = 0; i < NEST_BLOCKS; i++)
        if (has(nest->blocks, i)) set(t, m->in[i] = nest_variable(t, t->i32), ir_u32(t, 0));
    for (unsigned k = 0; k < nest->nlevels; k++) {
        set(t, m->next[k] = nest_variable(t, t->i32), ir_u32(t, 0));
        set(t, m->depth[k] = nest_variable(t, t->i32), ir_u32(t, 0));
    }
    for (unsigned k = 0; k < nest->nbranches; k++) {
        for (unsigned i = 0; i < 2; i++) set(t, m->paths[k][i] = nest_variable(t, t->i32), ir_u32(t, 0));
    }
    set(t, m->diverged = nest_variable(t, t->i32), ir_u32(t, 0));
    set(t, m->lanes = nest_variable(t, t->i32), ir_u32(t, 0));
    set(t, m->deepest = nest_variable(t, t->i32), ir_u32(t, 0));
    set(t, m->iterations = nest_variable(t, t->i32), ir_u32(t, 0));
}

/* What the blocks have not counted: lanes, and the joins of branches that have diverged, each executed twice more. A
 * join has no operands that lanes count. */
static void count_rest(struct translator *t, const struct nest_masks *m)
{
    const struct block *join = flow_block(t->flow, m->nest->branches[0].rpc);
    const uint16_t *counts = t->flow->nodes[join->first].counts;
    LLVMValueRef sum = LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), diverged = get(t, m->diverged);
    for (unsigned c = 0; c < NATIVE_COUNTS; c++) {
        LLVMValueRef old = LLVMBuildExtractElement(t->b, sum, ir_u32(t, c), "");
        LLVMValueRef more =
            c == COUNT_LANES ? get(t, m->lanes) : LLVMBuildMul(t->b, diverged, ir_u32(t, 2u * counts[c]), "");
        sum = LLVMBuildInsertElement(t->b, sum, LLVMBuildAdd(t->b, old, more, ""), ir_u32(t, c), "");
    }
    LLVMBuildStore(t->b, sum, t->counts);
}

bool nest_masks_run(struct translator *t, const struct nest *nest, LLVMValueRef most, LLVMBasicBlockRef bad,
                    struct nest_done *done)
{
    struct nest_masks *m = calloc(1, sizeof *m);
    if (!m) return false;
    m->nest = nest, m->most = most;
    m->begun = instructions_done(t);
    find_registers(t, m);
    make_variables(t, m);
    set(t, m->in[0], get(t, t->mask));
    set(t, m->depth[0], ir_load(t, t->i32, warp(t), offsetof(struct warp, depth)));
    t->undo = bad;
    LLVMValueRef all = get(t, t->mask);
    run_level(t, m, 0);
    set_mask(t, all);
    t->undo = NULL;
    count_rest(t, m);
    done->diverged = get(t, m->diverged);
    done->iterations = get(t, m->iterations), done->deepest = get(t, m->deepest);
    done->instructions = LLVMBuildSub(t->b, instructions_done(t), m->begun, "");
    free(m);
    return true;
}

void nest_masks_hold(struct translator *t, const struct nest *nest)
{
    struct nest_masks m = {.nest = nest};
    find_registers(t, &m);
    for (unsigned r = 0; r < ISA_VREGS; r++) t->stored[r].raw = set_has(m.raw.v, r) && set_has(t->current->used.v, r);
}
