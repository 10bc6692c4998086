/* Loop nests whose lanes run one after the other, or together under masks (nest_masks.c), and the choice between the
 * two. Where lanes diverge in a loop, the warp executes every path that one of them takes, as often as the lane that
 * takes it most often. If each of a warp's lanes goes its own way, that is slower than to run them one by one with
 * scalars, as a processor would:
 *
 *     for each active lane: load its words; run the blocks of the nest; store its words
 *
 * The counters get what the warp would have counted. Each lane adds to a record of each iteration which blocks it has
 * executed (nest_table.h); behind the last lane, nest_count in rows.c goes through the records, as the warp would have
 * gone through the iterations.
 *
 * A nest writes no memory but the lane's own (nest_find.c), so that lanes do not depend on each other, but for programs
 * with data races. If something goes wrong (an access fails or is not aligned, there are too many records, the budget
 * too small), the stores are taken back, and the warp is where it was in front of the nest. Lanes run one after the
 * other where that has taken less time, by the host's clock, than the same number of instructions under masks; the
 * slower way is tried now and then.
 *
 * Quanta end late in such a nest, by as many instructions as it has, unless warps might see that: see
 * most_instructions. Launches with tallies have no nests. Called by translate.c. */
#include "translator/lane_private.h"
#include "translator/nest_masks.h"

#include <stdlib.h>
#include <string.h>

struct nest_code {
    struct nest nest;
    uint32_t number;                               /* how many were found before it */
    LLVMBasicBlockRef each, bad, behind[VERSIONS]; /* lanes begin; nothing has happened; results are there */
    LLVMBasicBlockRef together, undone, over_together[VERSIONS]; /* the same for all lanes together, with masks */
    struct nest_counting counting;
    /* Variables: lanes to come and how many have run, the records of the iterations of the one that runs, to which
     * these words are added at their ends, and whether the nest was entered by a full block. */
    LLVMValueRef left, ran, record[NEST_LEVELS], word[NEST_LEVELS][NEST_WORDS], full;
    LLVMBasicBlockRef start[NEST_BLOCKS], over; /* of each block; the lane has left the nest */
    struct lane_private *private_rows;          /* of each block, while it is made */
};

static bool has(uint64_t set, unsigned i) { return set >> i & 1; }

static LLVMValueRef tried_field(struct translator *t, size_t offset) { return ir_field(t, t->tried, offset); }

/* ---- records ---- */

static void set_bit(struct translator *t, const struct nest_code *c, unsigned level, unsigned bit)
{
    LLVMValueRef word = c->word[level][bit / 8], set = ir_u64(t, 1ull << bit % 8 * 8);
    LLVMBuildStore(t->b, LLVMBuildOr(t->b, LLVMBuildLoad2(t->b, t->i64, word, ""), set, ""), word);
}

static void clear_bit(struct translator *t, const struct nest_code *c, unsigned level, unsigned bit)
{
    LLVMValueRef word = c->word[level][bit / 8], others = ir_u64(t, ~(1ull << bit % 8 * 8));
    LLVMBuildStore(t->b, LLVMBuildAnd(t->b, LLVMBuildLoad2(t->b, t->i64, word, ""), others, ""), word);
}

/* The lane begins a block: the bits of this one, and of one that is ahead. */
static void set_bits(struct translator *t, const struct nest_code *c, unsigned block)
{
    const struct nest *nest = &c->nest;
    bool is_set = !has(nest->marks, block);
    for (unsigned k = 0; k < nest->nbranches; k++) {
        const struct nest_branch *b = &nest->branches[k];
        is_set |= b->ahead == block;
        if (b->block == block && b->ahead != NEST_NONE) set_bit(t, c, b->level, nest->bit[b->ahead]);
    }
    if (!is_set) set_bit(t, c, nest->owner[block], nest->bit[block]);
}

/* Of the iteration of a loop that the lane is in. */
static LLVMValueRef record_of(struct translator *t, const struct nest_code *c, unsigned level)
{
    return LLVMBuildLoad2(t->b, t->ptr, c->record[level], "");
}

/* Makes the record of an iteration that no lane has executed before. */
static LLVMValueRef new_record(struct translator *t, const struct nest_code *c, unsigned level)
{
    const uint32_t size = nest_record_size(&c->nest, level);
    LLVMBasicBlockRef fits = ir_block(t, "");
    LLVMValueRef record = ir_load(t, t->ptr, t->tried, offsetof(struct native_tried, free));
    LLVMValueRef behind = ir_field(t, record, size * 8ull);
    LLVMValueRef end = tried_field(t, offsetof(struct native_tried, records[NATIVE_RECORDS]));
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntULE, behind, end, ""), fits, c->bad);
    ir_at(t, fits);
    ir_store(t, behind, t->tried, offsetof(struct native_tried, free));
    for (uint32_t i = 0; i < size; i++) ir_store(t, ir_u64(t, 0), record, i * 8ull);
    return record;
}

/* The lane begins an iteration of a loop, whose record is that at `link`, if there is one. Where it is made it is
 * loaded as well, and volatile, so that LLVM makes no choice of it, which takes copies wherever there is a record. */
static void begin_iteration(struct translator *t, const struct nest_code *c, unsigned level, LLVMValueRef link)
{
    LLVMBasicBlockRef begin = ir_block(t, "begin"), make = ir_block(t, "record"), on = ir_block(t, "");
    LLVMBuildBr(t->b, begin);
    ir_at(t, begin);
    LLVMValueRef record = ir_load(t, t->ptr, link, 0);
    LLVMSetVolatile(record, true);
    LLVMBuildStore(t->b, record, c->record[level]);
    ir_branch_likely(t, LLVMBuildIsNotNull(t->b, record, ""), on, make);
    ir_at(t, make);
    ir_store(t, new_record(t, c, level), link, 0);
    LLVMBuildBr(t->b, begin);
    ir_at(t, on);
    for (unsigned i = 0; i < nest_words_of(&c->nest, level); i++) LLVMBuildStore(t->b, ir_u64(t, 0), c->word[level][i]);
}

static void end_iteration(struct translator *t, const struct nest_code *c, unsigned level)
{
    LLVMValueRef record = record_of(t, c, level);
    for (unsigned i = 0; i < nest_words_of(&c->nest, level); i++) {
        const size_t at = (nest_numbers_at(&c->nest, level) + i) * 8ull;
        LLVMValueRef lanes = ir_load(t, t->i64, record, at), own = LLVMBuildLoad2(t->b, t->i64, c->word[level][i], "");
        ir_store(t, LLVMBuildAdd(t->b, lanes, own, ""), record, at);
    }
}

/* ---- the code of a lane ---- */

/* The loop whose head a block is; NEST_NONE: it is none. */
static unsigned level_at(const struct nest *nest, unsigned block)
{
    unsigned i = 0;
    while (i < nest->nlevels && nest->levels[i].head != block) i++;
    return i < nest->nlevels ? i : NEST_NONE;
}

/* The lane leaves a block for an address: iterations of loops end that it leaves, and one may begin. */
static void change_iterations(struct translator *t, const struct nest_code *c, unsigned from, uint32_t pc)
{
    const struct nest *nest = &c->nest;
    const unsigned to = pc == nest->exit ? NEST_NONE : nest_number(t, nest, pc);
    const unsigned begins = to == NEST_NONE ? NEST_NONE : level_at(nest, to);
    const bool again = begins != NEST_NONE && has(nest->levels[begins].body, from);
    unsigned level = nest->owner[from], last = to == NEST_NONE ? NEST_NONE : nest->owner[to];
    if (begins != NEST_NONE && !again) last = nest->levels[begins].parent;
    for (; level != last; level = nest->levels[level].parent) end_iteration(t, c, level);
    if (begins == NEST_NONE) return;
    if (again) end_iteration(t, c, begins);
    LLVMValueRef link = record_of(t, c, again ? begins : last);
    if (!again) link = ir_field(t, link, 8 + nest->levels[begins].child * 8ull);
    begin_iteration(t, c, begins, link);
}

/* A host block for an edge from a block to an address: on one of the two paths of a divergent branch, or of none. */
static LLVMBasicBlockRef edge(struct translator *t, struct nest_code *c, unsigned from, uint32_t pc,
                              const struct nest_branch *b, bool taken)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(t->b), way = ir_block(t, "edge");
    ir_at(t, way);
    if (b && b->marks && b->tells == taken) set_bit(t, c, b->level, b->bit);
    if (b && b->ahead != NEST_NONE && !b->goes_back[taken]) clear_bit(t, c, b->level, c->nest.bit[b->ahead]);
    change_iterations(t, c, from, pc);
    LLVMBuildBr(t->b, pc == c->nest.exit ? c->over : c->start[nest_number(t, &c->nest, pc)]);
    ir_at(t, here);
    return way;
}

static void run_routine(struct translator *t, const struct node *n)
{
    const struct routine_row *row = &routine_rows[n->number];
    const unsigned nargs = routine_result(n->number);
    LLVMValueRef args[6], value;
    char name[40];
    snprintf(name, sizeof name, "single_routine_%s", row->name);
    for (unsigned r = 0; r < nargs; r++) args[r] = get_own(t, r);
    value = call_function(t, name, args, nargs);
    if (routine_width(row->result) == 2) {
        set_own(t, nargs + 1, LLVMBuildTrunc(t->b, LLVMBuildLShr(t->b, value, ir_u64(t, 32), ""), t->i32, ""));
        value = LLVMBuildTrunc(t->b, value, t->i32, "");
    }
    set_own(t, nargs, value);
    set_x(t, n->d.in.rd, ir_u32(t, node_next(n)));
}

static void run_access(struct translator *t, const struct nest_code *c, const struct node *n)
{
    if (n->how == HOW_STORE) {
        single_try_store(t, n, c->bad);
    } else if (n->effects.memory.address != ADDRESS_SCALAR) {
        set_own(t, n->d.in.rd, single_try_load(t, n, c->bad));
    } else {
        set_x(t, n->d.in.rd, hoist_can(t, n) ? hoist_value(t, n) : single_try_load(t, n, c->bad));
    }
}

/* What holds behind it. */
static void pass_node(struct translator *t, const struct node *n)
{
    const unsigned kind = isa_table[n->d.in.op].kind;
    const bool is_lane_row = n->how == HOW_ROW && kind != KIND_X && kind != KIND_V2X;
    const struct isa_registers written = node_written(t->flow, n);
    lane_private_step(t, t->private_rows, n);
    facts_step(&t->holds, n, t->flow);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(written.v, r) && !is_lane_row) t->holds.v[r].raw = false;
}

/* Anything that does not end its block. The reconvergence point is that of the exit, whatever is set meanwhile. */
static void run_node(struct translator *t, const struct nest_code *c, const struct node *n)
{
    const unsigned kind = isa_table[n->d.in.op].kind;
    if (n->how == HOW_LOAD || n->how == HOW_STORE) run_access(t, c, n);
    else if (n->how == HOW_ROUTINE) run_routine(t, n);
    else if (n->how == HOW_ROW && kind == KIND_V2X) set_x(t, n->d.in.rd, scalar_row(t, n, get_own(t, n->d.in.rs2)));
    else if (n->how == HOW_ROW && kind != KIND_X) set_own(t, n->d.in.rd, single_raw_row(t, n));
    else if (n->how != HOW_CONTROL) translate_node(t, n);
    else if (n->effects.control == CONTROL_SETRPC && n->d.in.rd) set_x(t, n->d.in.rd, value_of_row(t, n));
}

/* Those that do not end the block. */
static void run_nodes(struct translator *t, const struct nest_code *c, const struct block *b)
{
    const struct node *n = &t->flow->nodes[b->first], *end = n + b->count;
    while (n < end) {
        const struct node *next = n + (single_is_pair(n, end) ? 2 : 1);
        if (next == n + 2) single_try_load_pair(t, n);
        else run_node(t, c, n);
        for (; n < next; n++) pass_node(t, n);
    }
}

/* Words that are raw stay so where the code at an address takes them for raw; behind the nest nobody does. */
static void make_exact_for(struct translator *t, const struct nest *nest, uint32_t pc)
{
    const bool leaves = pc == nest->exit;
    const struct facts there = facts_of_block(&t->facts, flow_block(t->flow, pc));
    const struct isa_registers live = leaves ? nest->out : live_at(&t->liveness, pc);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(live.v, r) && t->holds.v[r].raw && (leaves || !there.v[r].raw)) get_own(t, r);
}

static void finish_run(struct translator *t, struct nest_code *c, unsigned i)
{
    const struct nest *nest = &c->nest;
    const struct block *b = nest->head + i;
    const struct node *last = b->count ? &t->flow->nodes[b->first + b->count - 1] : NULL;
    const unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    const struct nest_branch *branch = NULL;
    LLVMValueRef holds = NULL;
    if (control == CONTROL_VBRANCH) holds = single_row(t, last);
    if (control == CONTROL_BRANCH) holds = value_of_row(t, last);
    if (!holds) {
        const uint32_t pc = control == CONTROL_JUMP ? node_target(last) : b->end;
        make_exact_for(t, nest, pc);
        LLVMBuildBr(t->b, edge(t, c, i, pc, NULL, false));
        return;
    }
    make_exact_for(t, nest, node_target(last));
    make_exact_for(t, nest, node_next(last));
    for (unsigned k = 0; k < nest->nbranches; k++)
        if (nest->branches[k].block == i) branch = &nest->branches[k];
    LLVMBasicBlockRef then = edge(t, c, i, node_target(last), branch, true);
    LLVMBasicBlockRef other = edge(t, c, i, node_next(last), branch, false);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, holds, ir_u32(t, 0), ""), then, other);
}

/* What is known of private memory where a block begins: where there is one way to it, what is known behind that. */
static void find_private(struct translator *t, struct nest_code *c, unsigned i)
{
    const struct nest *nest = &c->nest;
    unsigned ways = i == 0, from = 0;
    for (unsigned k = 0; k < NEST_BLOCKS; k++) {
        uint32_t to[2];
        if (!has(nest->blocks, k)) continue;
        for (unsigned n = nest_successors(t, nest->head + k, to); n--;)
            if (to[n] == nest->head[i].pc) ways++, from = k;
    }
    t->private_rows = &c->private_rows[i];
    if (ways == 1 && from < i) *t->private_rows = c->private_rows[from];
    else lane_private_forget(t->private_rows);
}

static void run_block(struct translator *t, struct nest_code *c, unsigned i)
{
    const struct nest *nest = &c->nest;
    const struct block *b = nest->head + i;
    t->block = b;
    t->holds = facts_of_block(&t->facts, b);
    memcpy(t->kept, t->holds.v, sizeof t->kept);
    memcpy(t->stored, t->holds.v, sizeof t->stored);
    ir_at(t, c->start[i]);
    set_bits(t, c, i);
    find_private(t, c, i);
    run_nodes(t, c, b);
    finish_run(t, c, i);
}

/* ---- lane after lane ---- */

static LLVMValueRef warp_row(struct translator *t, unsigned r, LLVMValueRef lane)
{
    LLVMValueRef rows = ir_load(t, t->ptr, warp(t), offsetof(struct warp, v));
    LLVMValueRef index =
        LLVMBuildAdd(t->b, LLVMBuildZExt(t->b, lane, t->i64, ""), ir_u64(t, r * (uint64_t)ISA_LANES), "");
    return LLVMBuildGEP2(t->b, t->i32, rows, &index, 1, "");
}

/* What a register holds in front of the nest. */
static LLVMValueRef first_word(struct translator *t, const struct nest_code *c, unsigned r, LLVMValueRef lane)
{
    const struct v_fact fact = facts_of_block(&t->facts, c->nest.head).v[r];
    if (!set_has(c->nest.in.v, r)) return LLVMGetUndef(t->i32);
    if (fact.known && !fact.step) return ir_u32(t, fact.value);
    return LLVMBuildLoad2(t->b, t->i32, warp_row(t, r, lane), "");
}

/* The next lane begins with its own words and with what scalar registers held in front of the nest. */
static void begin_lane(struct translator *t, struct nest_code *c)
{
    const uint64_t x = c->nest.x & live_at(&t->liveness, c->nest.head->pc).x;
    LLVMValueRef left = LLVMBuildLoad2(t->b, t->i32, c->left, ""), last = LLVMConstInt(t->i1, 1, false), lane;
    lane = ir_intrinsic(t, "llvm.cttz", &t->i32, 1, (LLVMValueRef[]){left, last}, 2);
    LLVMBuildStore(t->b, lane, t->lane);
    lane_private_begin(t);
    begin_iteration(t, c, 0, tried_field(t, offsetof(struct native_tried, first)));
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(t->current->used.v, r)) set_own(t, r, first_word(t, c, r, lane));
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (x >> r & 1) set_x(t, r, ir_load(t, t->i32, warp(t), offsetof(struct warp, x) + r * 4));
    LLVMBuildBr(t->b, c->start[0]);
}

static LLVMValueRef result_at(struct translator *t, unsigned row)
{
    return tried_field(t, offsetof(struct native_tried, results) + row * 4ull * ISA_LANES);
}

/* Of all nests that the SM runs: the number of the translation and that of the nest in it. */
static LLVMValueRef owner_of(struct translator *t, const struct nest_code *c)
{
    return LLVMBuildAdd(t->b, LLVMBuildMul(t->b, t->number, ir_u32(t, 1 << 16), ""), ir_u32(t, c->number + 1), "");
}

/* The place of what is known of the nest. */
static LLVMValueRef nest_of(struct translator *t, const struct nest_code *c)
{
    LLVMValueRef number =
        LLVMBuildAdd(t->b, LLVMBuildMul(t->b, t->number, ir_u32(t, 37), ""), ir_u32(t, c->number), "");
    number = LLVMBuildAnd(t->b, number, ir_u32(t, NATIVE_NESTS - 1), "");
    LLVMValueRef index = LLVMBuildZExt(t->b, number, t->i64, "");
    LLVMValueRef at = LLVMBuildMul(t->b, index, ir_u64(t, sizeof(struct native_nest)), "");
    return LLVMBuildGEP2(t->b, t->i8, tried_field(t, offsetof(struct native_tried, nests)), &at, 1, "");
}

/* Another nest may have had the place. */
static void take_place(struct translator *t, const struct nest_code *c, LLVMValueRef at)
{
    LLVMBasicBlockRef take = ir_block(t, "take"), on = ir_block(t, "");
    LLVMValueRef args[] = {at, owner_of(t, c)}, owner = ir_load(t, t->i32, at, offsetof(struct native_nest, owner));
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, owner, args[1], ""), on, take);
    ir_at(t, take);
    call_function(t, "nest_take_place", args, 2);
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
}

static bool has_atomics(const struct flow *flow)
{
    size_t i = 0;
    while (i < flow->nnodes && !isa_is_atomic(&flow->nodes[i].effects.memory)) i++;
    return i < flow->nnodes;
}

/* How many instructions the nest may have. Within its budget warps take turns as in `step`. Where quanta end late, they
 * may end later still if nothing but a data race could tell: by a number whose lanes 32 bits can count, as often as
 * warps follow one another in a call. */
enum { LATE_MOST = 1 << 20 };
static LLVMValueRef most_instructions(struct translator *t, const struct nest_code *c)
{
    LLVMValueRef args[] = {budget_left(t), ir_u32(t, flow_block(t->flow, c->nest.exit)->need)};
    if (t->flow->request->late && !has_atomics(t->flow)) return ir_u32(t, LATE_MOST);
    return ir_intrinsic(t, "llvm.usub.sat", &t->i32, 1, args, 2);
}

/* What the nest has done stays. */
static void end_try(struct translator *t, const struct nest_code *c)
{
    if (c->nest.stores) ir_store(t, ir_u32(t, 0), t->tried, offsetof(struct native_tried, rows));
    lanes_set_pc(t, 0);
}

static void end_lane(struct translator *t, struct nest_code *c)
{
    LLVMBasicBlockRef more = ir_block(t, "more"), decide = ir_block(t, "decide"), done = ir_block(t, "done");
    LLVMBasicBlockRef counted = ir_block(t, "counted");
    LLVMValueRef lane = LLVMBuildZExt(t->b, LLVMBuildLoad2(t->b, t->i32, t->lane, ""), t->i64, ""), left, ran, is;
    for (unsigned r = 0, row = 0; r < ISA_VREGS; r++)
        if (set_has(c->nest.out.v, r))
            LLVMBuildStore(t->b, get_own(t, r), LLVMBuildGEP2(t->b, t->i32, result_at(t, row++), &lane, 1, ""));
    left = LLVMBuildLoad2(t->b, t->i32, c->left, "");
    left = LLVMBuildAnd(t->b, left, LLVMBuildSub(t->b, left, ir_u32(t, 1), ""), "");
    ran = LLVMBuildAdd(t->b, LLVMBuildLoad2(t->b, t->i32, c->ran, ""), ir_u32(t, 1), "");
    LLVMBuildStore(t->b, left, c->left);
    LLVMBuildStore(t->b, ran, c->ran);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, left, ir_u32(t, 0), ""), more, done);
    ir_at(t, more);
    is = LLVMBuildICmp(t->b, LLVMIntEQ, ran, ir_u32(t, NEST_FIRST), "");
    LLVMBuildCondBr(t->b, is, decide, c->each);
    ir_at(t, decide);
    LLVMValueRef args[] = {t->sm, t->tried, c->counting.table, c->counting.sum, nest_of(t, c), most_instructions(t, c)};
    is = LLVMBuildICmp(t->b, LLVMIntNE, call_function(t, "nest_may_follow", args, 6), ir_u32(t, 0), "");
    LLVMBuildCondBr(t->b, is, c->each, c->bad);
    ir_at(t, done);
    LLVMValueRef all[] = {t->sm, t->tried, c->counting.table, c->counting.sum, nest_of(t, c), most_instructions(t, c)};
    is = LLVMBuildICmp(t->b, LLVMIntNE, call_function(t, "nest_count", all, 6), ir_u32(t, 0), "");
    ir_branch_likely(t, is, counted, c->bad);
    ir_at(t, counted);
    end_try(t, c);
    LLVMBasicBlockRef full = c->behind[FULL], masked = c->behind[MASKED];
    if (full && masked) LLVMBuildCondBr(t->b, LLVMBuildLoad2(t->b, t->i1, c->full, ""), full, masked);
    else LLVMBuildBr(t->b, full ? full : masked);
}

static void make_nest(struct translator *t, struct nest_code *c)
{
    t->version = MASKED;
    t->current = &t->functions.list[function_of(&t->functions, c->nest.head)];
    t->known = t->fresh = (struct isa_registers){0};
    t->block = c->nest.head;
    t->single = true;
    for (unsigned i = 0; i < NEST_BLOCKS; i++)
        if (has(c->nest.blocks, i)) c->start[i] = ir_block(t, "lane");
    c->over = ir_block(t, "left");
    ir_at(t, c->each);
    t->lanes = LLVMBuildLoad2(t->b, t->i32, t->mask, "");
    begin_lane(t, c);
    c->private_rows = calloc(NEST_BLOCKS, sizeof *c->private_rows);
    for (unsigned i = 0; i < NEST_BLOCKS && c->private_rows; i++)
        if (has(c->nest.blocks, i)) run_block(t, c, i);
    t->failed |= !c->private_rows;
    free(c->private_rows);
    t->private_rows = NULL;
    ir_at(t, c->over);
    for (unsigned r = 0; r < ISA_VREGS; r++) t->holds.v[r].raw = false; /* see make_exact_for */
    end_lane(t, c);
    ir_at(t, c->bad);
    LLVMValueRef nest = nest_of(t, c);
    call_function(t, "nest_give_up", &nest, 1);
    LLVMBuildRet(t->b, ir_u32(t, EXIT_TRIED));
    t->single = false;
}

/* All lanes together. */
static void make_masks(struct translator *t, struct nest_code *c)
{
    struct nest_done done;
    LLVMBasicBlockRef counted = ir_block(t, "counted"), full = c->over_together[FULL],
                      masked = c->over_together[MASKED];
    t->version = MASKED;
    t->current = &t->functions.list[function_of(&t->functions, c->nest.head)];
    t->block = c->nest.head;
    t->run = false;
    ir_at(t, c->together);
    LLVMValueRef most = most_instructions(t, c), at = nest_of(t, c), is;
    t->failed |= !nest_masks_run(t, &c->nest, most, c->undone, &done);
    if (t->failed) return;
    LLVMValueRef args[] = {t->sm, at, done.iterations, done.instructions, done.diverged, done.deepest, most};
    is = LLVMBuildICmp(t->b, LLVMIntNE, call_function(t, "nest_masks_end", args, 7), ir_u32(t, 0), "");
    ir_branch_likely(t, is, counted, c->undone);
    ir_at(t, counted);
    end_try(t, c);
    if (full && masked) LLVMBuildCondBr(t->b, LLVMBuildLoad2(t->b, t->i1, c->full, ""), full, masked);
    else LLVMBuildBr(t->b, full ? full : masked);
    ir_at(t, c->undone); /* also from begin_try, where nothing has been computed */
    LLVMValueRef nest = nest_of(t, c);
    call_function(t, "nest_masks_fail", &nest, 1);
    LLVMBuildRet(t->b, ir_u32(t, EXIT_TRIED));
}

void nests_make(struct translator *t)
{
    for (size_t i = 0; i < t->flow->nblocks; i++) {
        if (!t->nests[i] || !t->nests[i]->together) continue;
        if (t->nests[i]->each) make_nest(t, t->nests[i]);
        make_masks(t, t->nests[i]);
    }
}

void nests_free(struct translator *t)
{
    for (size_t i = 0; i < t->flow->nblocks && t->nests; i++) free(t->nests[i]);
    free(t->nests);
}

/* ---- in front of the nest and behind it ---- */

static void set_u32(struct translator *t, LLVMValueRef variable, uint32_t n)
{
    LLVMBuildStore(t->b, ir_u32(t, n), variable);
}

/* The nest of the block in progress, made when it is first asked for; NULL: there is none. */
static struct nest_code *find_nest(struct translator *t)
{
    const size_t i = (size_t)(t->block - t->flow->blocks);
    struct nest_code *c = t->nests[i];
    struct nest nest;
    if (c || !nest_find(t, t->block, &nest)) return c;
    if (count_registers(&nest.out) > NATIVE_RESULTS || !lanes_have_registers(t, t->block)) return NULL;
    c = t->nests[i] = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->nest = nest;
    for (size_t k = 0; k < t->flow->nblocks; k++) c->number += t->nests[k] && t->nests[k] != c;
    c->counting = nest_counting_make(t, &nest);
    c->left = nest_variable(t, t->i32), c->ran = nest_variable(t, t->i32);
    c->full = nest_variable(t, t->i1);
    for (unsigned k = 0; k < nest.nlevels; k++) {
        c->record[k] = nest_variable(t, t->ptr);
        for (unsigned w = 0; w < nest_words_of(&nest, k); w++) c->word[k][w] = nest_variable(t, t->i64);
    }
    return c;
}

static bool may_enter(const struct translator *t)
{
    const struct native_request *r = t->flow->request;
    return !t->single && !t->run && !t->tallies && r->lanes != LANES_CONVERGENT && t->block->checked;
}

/* Goes on in `each`, or in `bad` if private memory cannot be saved. */
static void begin_try(struct translator *t, struct nest_code *c, LLVMBasicBlockRef each, LLVMBasicBlockRef bad)
{
    lanes_save_warp(t);
    lanes_set_pc(t, t->block->pc);
    LLVMBuildStore(t->b, active(t), t->mask);
    LLVMBuildStore(t->b, LLVMConstInt(t->i1, t->version == FULL, false), c->full);
    call_function(t, "nest_begin", (LLVMValueRef[]){nest_of(t, c)}, 1);
    if (!c->nest.stores) {
        LLVMBuildBr(t->b, each);
        return;
    }
    LLVMValueRef saved = call_function(t, "nest_save", (LLVMValueRef[]){t->sm, t->tried}, 2);
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntNE, saved, ir_u32(t, 0), ""), each, bad);
}

static void begin_nest(struct translator *t, struct nest_code *c)
{
    LLVMBuildStore(t->b, active(t), c->left);
    ir_store(t, active(t), t->tried, offsetof(struct native_tried, active));
    set_u32(t, c->ran, 0);
    ir_store(t, LLVMConstNull(t->ptr), t->tried, offsetof(struct native_tried, first));
    ir_store(t, tried_field(t, offsetof(struct native_tried, records)), t->tried, offsetof(struct native_tried, free));
    begin_try(t, c, c->each, c->bad);
}

/* Registers that somebody may read are those of the warp in memory, or what lanes have left. */
static void take_results(struct translator *t, const struct nest_code *c)
{
    const struct isa_registers live = live_in(&t->liveness, c->nest.exit, t->version);
    LLVMValueRef rows = ir_load(t, t->ptr, warp(t), offsetof(struct warp, v));
    LLVMValueRef mask = LLVMBuildLoad2(t->b, t->i32, t->mask, "");
    forget_dead(t, &live);
    for (unsigned r = 0, row = 0; r < ISA_VREGS; r++) {
        const bool is_result = set_has(c->nest.out.v, r);
        for (unsigned p = 0; p < t->chunks && set_has(t->current->used.v, r) && set_has(live.v, r); p++) {
            LLVMValueRef old = ir_load(t, t->chunk_type, rows, (size_t)r * ISA_LANES * 4 + p * t->words * 4), now;
            if (is_result) now = ir_load(t, t->chunk_type, result_at(t, row), p * t->words * 4);
            if (is_result && t->version == FULL) old = now;
            else if (is_result) old = LLVMBuildSelect(t->b, lane_flags(t, mask, p * t->words, t->words), now, old, "");
            LLVMBuildStore(t->b, old, t->v[r][p]);
        }
        row += is_result;
        t->stored[r].raw = false;
    }
}

/* What is set behind the nest; the blocks of the nest set nothing. */
static struct x_fact rpc_behind(const struct translator *t, const struct nest_code *c)
{
    const struct block *exit = flow_block(t->flow, c->nest.exit);
    return t->facts.in[exit - t->flow->blocks][t->version].rpc;
}

static void set_rpc_behind(struct translator *t, const struct nest_code *c)
{
    const struct x_fact rpc = rpc_behind(t, c);
    if (rpc.known) set_u32(t, t->rpc, rpc.value);
}

static void end_nest(struct translator *t, const struct nest_code *c)
{
    LLVMValueRef counts = LLVMBuildLoad2(t->b, t->counts_type, t->counts, "");
    LLVMValueRef more = ir_load(t, t->counts_type, t->tried, offsetof(struct native_tried, counts));
    LLVMBuildStore(t->b, LLVMBuildAdd(t->b, counts, more, ""), t->counts);
    set_rpc_behind(t, c);
    take_results(t, c);
    go_to(t, c->nest.exit, t->version);
}

/* Is the SIMT stack as the analyses say? A warp that `step` has brought here in a way of its own may differ. */
static LLVMValueRef is_usual(struct translator *t, const struct nest *nest)
{
    const uint32_t rpc = facts_of_block(&t->facts, nest->head).rpc.value;
    LLVMValueRef usual = LLVMConstInt(t->i1, 1, false), top, none;
    if (nest->keeps_rpc) {
        LLVMValueRef set = LLVMBuildLoad2(t->b, t->i32, t->rpc, "");
        usual = LLVMBuildICmp(t->b, LLVMIntEQ, set, ir_u32(t, rpc), "");
    }
    if (t->version == FULL) return usual;
    LLVMValueRef depth = ir_load(t, t->i32, warp(t), offsetof(struct warp, depth));
    none = LLVMBuildICmp(t->b, LLVMIntEQ, depth, ir_u32(t, 0), "");
    LLVMValueRef less = LLVMBuildSelect(t->b, none, depth, LLVMBuildSub(t->b, depth, ir_u32(t, 1), ""), "");
    top = ir_load(t, t->i32, stack_entry(t, less), offsetof(struct simt_entry, rpc));
    for (unsigned k = 0; k < nest->nbranches; k++) {
        if (nest->branches[k].rpc == nest->exit) continue;
        LLVMValueRef other = LLVMBuildICmp(t->b, LLVMIntNE, top, ir_u32(t, nest->branches[k].rpc), "");
        usual = LLVMBuildAnd(t->b, usual, LLVMBuildOr(t->b, none, other, ""), "");
    }
    return usual;
}

/* The lanes have run together: the registers are in their variables. */
static void end_masks(struct translator *t, const struct nest_code *c)
{
    set_rpc_behind(t, c);
    nest_masks_hold(t, &c->nest);
    go_to(t, c->nest.exit, t->version);
}

/* Goes to `stack` where vectors have failed a while ago, or the SIMT stack is unusual. */
static void skip_nest(struct translator *t, const struct nest_code *c, LLVMBasicBlockRef stack)
{
    LLVMBasicBlockRef look = ir_block(t, "look");
    LLVMValueRef at = nest_of(t, c), left, none;
    take_place(t, c, at);
    left = ir_load(t, t->i32, at, offsetof(struct native_nest, stack));
    none = LLVMBuildICmp(t->b, LLVMIntEQ, left, ir_u32(t, 0), "");
    left = ir_intrinsic(t, "llvm.usub.sat", &t->i32, 1, (LLVMValueRef[]){left, ir_u32(t, 1)}, 2);
    ir_store(t, left, at, offsetof(struct native_nest, stack));
    ir_branch_likely(t, LLVMBuildAnd(t->b, none, is_usual(t, &c->nest), ""), look, stack);
    ir_at(t, look);
}

/* One lane after the other, where it is time to try that or known to pay; the builder is left where not. */
static void try_lanes(struct translator *t, struct nest_code *c)
{
    LLVMBasicBlockRef begin = ir_block(t, "nest"), on = ir_block(t, "");
    struct v_fact stored[ISA_VREGS];
    memcpy(stored, t->stored, sizeof stored);
    if (!c->each) c->each = ir_block(t, "each"), c->bad = ir_block(t, "bad");
    LLVMValueRef wait = ir_load(t, t->i32, nest_of(t, c), offsetof(struct native_nest, wait));
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, wait, ir_u32(t, 0), ""), on, begin);
    ir_at(t, begin);
    begin_nest(t, c);
    c->behind[t->version] = ir_block(t, "behind");
    ir_at(t, c->behind[t->version]);
    end_nest(t, c);
    memcpy(t->stored, stored, sizeof stored);
    ir_at(t, on);
}

/* All lanes together. */
static void try_masks(struct translator *t, struct nest_code *c)
{
    struct v_fact stored[ISA_VREGS];
    memcpy(stored, t->stored, sizeof stored);
    if (!c->together) c->together = ir_block(t, "together"), c->undone = ir_block(t, "undone");
    begin_try(t, c, c->together, c->undone);
    c->over_together[t->version] = ir_block(t, "behind");
    ir_at(t, c->over_together[t->version]);
    end_masks(t, c);
    memcpy(t->stored, stored, sizeof stored);
}

void nest_enter(struct translator *t)
{
    struct nest_code *c = may_enter(t) ? find_nest(t) : NULL;
    LLVMBasicBlockRef stack;
    if (!c) return;
    const struct block *exit = flow_block(t->flow, c->nest.exit);
    if (!t->facts.reached[exit - t->flow->blocks][t->version]) return;
    if (!rpc_behind(t, c).known && nest_rpc_is_read(t, &c->nest)) return;
    stack = ir_block(t, "");
    skip_nest(t, c, stack);
    if (t->flow->request->nests == NESTS_MEASURED) try_lanes(t, c);
    try_masks(t, c);
    t->known = t->fresh = (struct isa_registers){0};
    ir_at(t, stack);
}
