/* Where control goes at the end of a block: branches, joins and the SIMT stack, jumps, the end of a warp.
 *
 * A full mask means an empty stack, because its lowest entry holds all lanes. So a full block falls through a join, and
 * masked code returns to full blocks where the last lanes reconverge: at a join that finds the mask full. */
#include "translator/translator.h"

#include <stdio.h>
#include <string.h>

LLVMBasicBlockRef version_of(struct translator *t, const struct block *block, enum version version)
{
    LLVMBasicBlockRef *known = &t->versions[version][block - t->flow->blocks];
    char name[32];
    if (!*known) {
        snprintf(name, sizeof name, "%s_%08x", version == FULL ? "full" : "masked", (unsigned)block->pc);
        *known = ir_block(t, name);
    }
    return *known;
}

/* Does a block belong to another function than the one being translated? */
static bool crosses(const struct translator *t, const struct block *block)
{
    return &t->functions.list[function_of(&t->functions, block)] != t->current;
}

/* The host block in front of another function's block: it finds the registers in struct warp, so no SSA value lives
 * across a call. */
static LLVMBasicBlockRef arrival_of(struct translator *t, const struct block *block, enum version version)
{
    LLVMBasicBlockRef *known = &t->arrivals[version][block - t->flow->blocks], from = LLVMGetInsertBlock(t->b);
    const struct function *caller = t->current;
    if (*known) return *known;
    *known = ir_block(t, "arrive");
    ir_at(t, *known);
    t->current = &t->functions.list[function_of(&t->functions, block)];
    reload_live(t, live_at(&t->liveness, block->pc));
    LLVMBuildBr(t->b, version_of(t, block, version));
    t->current = caller;
    ir_at(t, from);
    return *known;
}

/* Does a variable hold a raw NaN where the block expects a canonical one? */
static bool is_too_raw(const struct translator *t, unsigned r, const struct block *block, enum version version)
{
    size_t i = (size_t)(block - t->flow->blocks);
    return t->stored[r].raw && !t->facts.in[i][version].v[r].raw && set_has(t->liveness.in[i][version].v, r);
}

static bool is_any_too_raw(const struct translator *t, const struct block *block, enum version version)
{
    unsigned r = 0;
    while (r < ISA_VREGS && !is_too_raw(t, r, block, version)) r++;
    return r < ISA_VREGS;
}

/* Single-lane code: the first host block of a block. */
static LLVMBasicBlockRef single_block(struct translator *t, const struct block *block)
{
    LLVMBasicBlockRef *known = &t->single_blocks[block - t->flow->blocks];
    if (!*known) *known = ir_block(t, "single");
    return *known;
}

/* In front of it, where masked code arrives with one active lane. */
static LLVMBasicBlockRef single_arrival(struct translator *t, const struct block *block)
{
    LLVMBasicBlockRef *known = &t->single_arrivals[block - t->flow->blocks], from = LLVMGetInsertBlock(t->b);
    if (*known) return *known;
    *known = ir_block(t, "arrive");
    ir_at(t, *known);
    single_begin(t, block);
    LLVMBuildBr(t->b, single_block(t, block));
    ir_at(t, from);
    return *known;
}

/* Ends the host block: masked code branches back to a block, with one active lane or several. */
static void go_back(struct translator *t, const struct block *block)
{
    LLVMValueRef count = ir_popcount(t, LLVMBuildLoad2(t->b, t->i32, t->mask, ""));
    LLVMValueRef more = LLVMBuildICmp(t->b, LLVMIntUGT, count, ir_u32(t, 1), "");
    LLVMBuildCondBr(t->b, more, version_of(t, block, MASKED), single_arrival(t, block));
}

/* True if the edge from the current block to pc goes back, and quanta end late, which is at such edges. */
static bool may_end_quantum(const struct translator *t, uint32_t pc)
{
    return t->flow->request->late && pc < t->block->end;
}

static void check_back(struct translator *t, uint32_t pc, enum version version);

/* Ends the host block with a branch to a guest address, in a version. */
void go_to(struct translator *t, uint32_t pc, enum version version)
{
    const struct block *block = flow_block(t->flow, pc);
    struct v_fact stored[ISA_VREGS];
    if (!block) {
        leave(t, EXIT_STEP, ir_u32(t, pc), live_at(&t->liveness, pc));
        return;
    }
    check_back(t, pc, version);
    memcpy(stored, t->stored, sizeof stored);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (is_too_raw(t, r, block, version)) make_exact(t, r);
    if (crosses(t, block) && !t->spilled) spill_live(t, live_at(&t->liveness, pc));
    memcpy(t->stored, stored, sizeof stored); /* on other ways they are still what they were */
    if (version == MASKED && !crosses(t, block) && single_pays(t, block)) go_back(t, block);
    else LLVMBuildBr(t->b, crosses(t, block) ? arrival_of(t, block, version) : version_of(t, block, version));
}

/* A host block that does so. */
static LLVMBasicBlockRef way_to(struct translator *t, uint32_t pc, enum version version)
{
    const struct block *block = flow_block(t->flow, pc);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), way;
    bool straight = block && !crosses(t, block) && !is_any_too_raw(t, block, version) && !may_end_quantum(t, pc);
    if (straight && (version == FULL || !single_pays(t, block))) return version_of(t, block, version);
    way = ir_block(t, "way");
    ir_at(t, way);
    go_to(t, pc, version);
    ir_at(t, from);
    return way;
}

/* A host block that does so in code for one lane, or ends that. */
static LLVMBasicBlockRef way_single(struct translator *t, uint32_t pc)
{
    const struct block *block = flow_block(t->flow, pc);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), way = ir_block(t, "way");
    struct v_fact stored[ISA_VREGS];
    memcpy(stored, t->stored, sizeof stored);
    ir_at(t, way);
    if (block && !crosses(t, block) && single_can(t, block)) {
        check_back(t, pc, MASKED);
        for (unsigned r = 0; r < ISA_VREGS; r++)
            if (is_too_raw(t, r, block, MASKED)) single_make_exact(t, r);
        LLVMBuildBr(t->b, single_block(t, block));
    } else {
        struct isa_registers live = live_in(&t->liveness, pc, MASKED);
        single_end(t, &live);
        t->single = false;
        go_to(t, pc, MASKED);
        t->single = true;
    }
    memcpy(t->stored, stored, sizeof stored);
    ir_at(t, from);
    return way;
}

LLVMValueRef instructions_done(struct translator *t)
{
    LLVMValueRef counts = LLVMBuildLoad2(t->b, t->counts_type, t->counts, "");
    return LLVMBuildExtractElement(t->b, counts, ir_u32(t, COUNT_INSTRUCTIONS), "");
}

/* 0 where the budget has been exceeded. */
LLVMValueRef budget_left(struct translator *t)
{
    LLVMValueRef budget = LLVMBuildLoad2(t->b, t->i32, t->budget, ""), done = instructions_done(t);
    if (!t->flow->request->late) return LLVMBuildSub(t->b, budget, done, "");
    return ir_intrinsic(t, "llvm.usub.sat", &t->i32, 1, (LLVMValueRef[]){budget, done}, 2);
}

static void leave_unless(struct translator *t, LLVMValueRef holds, enum native_exit why, uint32_t pc,
                         enum version version)
{
    LLVMBasicBlockRef out = ir_block(t, "budget"), on = ir_block(t, "");
    ir_branch_likely(t, holds, on, out);
    ir_at(t, out);
    leave(t, why, ir_u32(t, pc), live_in(&t->liveness, pc, version));
    ir_at(t, on);
}

void check_budget(struct translator *t, uint32_t need, uint32_t pc, enum version version)
{
    if (t->flow->request->late) return; /* see check_back */
    leave_unless(t, LLVMBuildICmp(t->b, LLVMIntUGE, budget_left(t), ir_u32(t, need), ""), EXIT_BUDGET, pc, version);
}

/* Instructions beyond the budget that calls and returns may take, because they could form an endless loop. Their number
 * is a guess. */
enum { CALLS_MOST = 1 << 16 };

/* Looks at the budget in front of a branch back to pc, where a quantum that ends late may end. */
static void check_back(struct translator *t, uint32_t pc, enum version version)
{
    const struct node *last = t->block->count ? &t->flow->nodes[t->block->first + t->block->count - 1] : NULL;
    if (!t->flow->request->late || !last || last->how != HOW_CONTROL || pc > last->pc) return;
    const unsigned control = last->effects.control;
    const bool ends = control == CONTROL_BRANCH || control == CONTROL_VBRANCH ||
                      (control == CONTROL_JUMP && !last->d.in.rd) || (control == CONTROL_JOIN && pc < last->pc);
    if (control == CONTROL_JOIN && !ends) return;
    LLVMValueRef budget = LLVMBuildLoad2(t->b, t->i32, t->budget, "");
    if (!ends) budget = LLVMBuildAdd(t->b, budget, ir_u32(t, CALLS_MOST), "");
    LLVMValueRef within = LLVMBuildICmp(t->b, LLVMIntUGE, budget, instructions_done(t), "");
    leave_unless(t, within, ends ? EXIT_TURN : EXIT_BUDGET, pc, version);
}

/* A host block for an indirect branch: it checks the budget, because such branches may form a loop. */
static LLVMBasicBlockRef checked_way(struct translator *t, uint32_t pc, enum version version)
{
    const struct block *block = flow_block(t->flow, pc);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), way;
    if (!block || block->checked || t->flow->request->late) return way_to(t, pc, version);
    way = ir_block(t, "");
    ir_at(t, way);
    check_budget(t, block->need, pc, version);
    go_to(t, pc, version);
    ir_at(t, from);
    return way;
}

static void leave_to(struct translator *t, LLVMBasicBlockRef block, LLVMValueRef pc, struct isa_registers live)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b);
    ir_at(t, block);
    leave(t, EXIT_STEP, pc, live);
    ir_at(t, from);
}

static void jump_indirect(struct translator *t, const struct node *n)
{
    const struct flow *f = t->flow;
    uint32_t known, function = flow_function(f, n);
    if (facts_target(&t->facts, t->block, t->version, &known, NULL)) {
        set_x(t, n->d.in.rd, ir_u32(t, node_next(n)));
        LLVMBuildBr(t->b, checked_way(t, known, t->version));
        return;
    }
    LLVMValueRef target = value_of_row(t, n);
    LLVMBasicBlockRef elsewhere = ir_block(t, "elsewhere");
    set_x(t, n->d.in.rd, ir_u32(t, node_next(n)));
    spill_live(t, all_registers());
    t->spilled = true;
    LLVMValueRef choice = LLVMBuildSwitch(t->b, target, elsewhere, 8);
    for (size_t i = 0; i < f->ncalls; i++) {
        if (!flow_may_return(&f->calls[i], function)) continue;
        LLVMAddCase(choice, ir_u32(t, f->calls[i].back), checked_way(t, f->calls[i].back, t->version));
    }
    t->spilled = false;
    leave_to(t, elsewhere, target, all_registers());
}

void set_mask(struct translator *t, LLVMValueRef mask) { LLVMBuildStore(t->b, mask, t->mask); }

/* Address of an entry of the SIMT stack. */
LLVMValueRef stack_entry(struct translator *t, LLVMValueRef index)
{
    index = LLVMBuildZExt(t->b, index, t->i64, "");
    LLVMValueRef bytes = LLVMBuildMul(t->b, index, ir_u64(t, sizeof(struct simt_entry)), "");
    LLVMValueRef stack = ir_field(t, warp(t), offsetof(struct warp, stack));
    return LLVMBuildGEP2(t->b, t->i8, stack, &bytes, 1, "");
}

void fill_entry(struct translator *t, LLVMValueRef entry, LLVMValueRef rpc, LLVMValueRef pc, LLVMValueRef mask)
{
    ir_store(t, rpc, entry, offsetof(struct simt_entry, rpc));
    ir_store(t, pc, entry, offsetof(struct simt_entry, pc));
    ir_store(t, mask, entry, offsetof(struct simt_entry, mask));
}

void count_divergence(struct translator *t, LLVMValueRef depth, LLVMValueRef n)
{
    size_t counters = offsetof(struct group, counters);
    size_t divergent = counters + offsetof(struct counters, divergent);
    size_t deepest = counters + offsetof(struct counters, max_simt_depth);
    LLVMValueRef more = LLVMBuildZExt(t->b, n, t->i64, ""), deeper = LLVMBuildMul(t->b, n, ir_u32(t, 2), "");
    ir_store(t, LLVMBuildAdd(t->b, ir_load(t, t->i64, t->group, divergent), more, ""), t->group, divergent);
    LLVMValueRef args[] = {ir_load(t, t->i32, t->group, deepest), LLVMBuildAdd(t->b, depth, deeper, "")};
    ir_store(t, ir_intrinsic(t, "llvm.umax", &t->i32, 1, args, 2), t->group, deepest);
}

LLVMValueRef taken_first(struct translator *t, LLVMValueRef taken, LLVMValueRef rest)
{
    uint32_t order = t->flow->request->order;
    if (order != PATH_FEWER_FIRST) return LLVMConstInt(t->i1, order == PATH_TAKEN_FIRST, false);
    return LLVMBuildICmp(t->b, LLVMIntULE, taken, rest, "");
}

/* store_fresh and settle at the end of the block: registers that are dead behind it are not merged and become
 * undefined. */
static void store_at_end(struct translator *t)
{
    const struct isa_registers live = live_behind(&t->liveness, t->block, t->version), fresh = t->fresh;
    forget_fresh(t, &live);
    store_fresh(t);
    t->fresh = fresh; /* there may be another end */
}

void settle_at_end(struct translator *t)
{
    const struct isa_registers live = live_behind(&t->liveness, t->block, t->version);
    forget_fresh(t, &live);
    settle(t);
}

/* The warp diverges: simt_branch of sim/simt.c. */
static void diverge(struct translator *t, const struct node *n, LLVMValueRef taken, LLVMValueRef rest)
{
    LLVMValueRef depth = t->version == FULL ? ir_u32(t, 0) : ir_load(t, t->i32, warp(t), offsetof(struct warp, depth));
    LLVMValueRef deeper = LLVMBuildAdd(t->b, depth, ir_u32(t, 2), "");
    unsigned levels = predicate_levels(t, n);
    LLVMValueRef most = ir_u32(t, SIMT_DEPTH - 2 * (levels ? levels : 1));
    if (t->version != FULL) leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntUGT, depth, most, ""));
    count_divergence(t, depth, ir_u32(t, 1));
    if (levels) {
        predicate_run(t, n, depth, taken, rest);
        return;
    }
    tally_diverged(t, taken);
    LLVMValueRef rpc = LLVMBuildLoad2(t->b, t->i32, t->rpc, ""), first;
    first = taken_first(t, ir_popcount(t, taken), ir_popcount(t, rest));
    LLVMValueRef target = ir_u32(t, node_target(n)), next = ir_u32(t, node_next(n));
    LLVMValueRef other_pc = LLVMBuildSelect(t->b, first, next, target, "");
    LLVMValueRef other = LLVMBuildSelect(t->b, first, rest, taken, "");
    fill_entry(t, stack_entry(t, depth), rpc, rpc, active(t));
    fill_entry(t, stack_entry(t, LLVMBuildAdd(t->b, depth, ir_u32(t, 1), "")), rpc, other_pc, other);
    ir_store(t, deeper, warp(t), offsetof(struct warp, depth));
    settle_at_end(t);
    set_mask(t, LLVMBuildSelect(t->b, first, taken, rest, ""));
    t->version = MASKED;
    LLVMBuildCondBr(t->b, first, way_to(t, node_target(n), MASKED), way_to(t, node_next(n), MASKED));
}

/* Lanes whose sc.w failed have retried and continue with the others; the builder is where they do not. */
static void take_turns(struct translator *t, const struct node *n, LLVMValueRef lanes)
{
    LLVMValueRef plan = exchange_plan(t, n, lanes);
    if (!plan) return;
    LLVMBasicBlockRef turns = ir_block(t, "turns"), rounds = ir_block(t, "rounds");
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, plan, ir_u64(t, 0), ""), turns, rounds);
    ir_at(t, turns);
    store_at_end(t);
    exchange_run(t, n, lanes, plan);
    go_to(t, node_next(n), t->version);
    ir_at(t, rounds);
}

/* Do all lanes of a full block have the same condition, which says whether they branch? The masks of the host answer
 * that without being moved to a general register. */
static LLVMValueRef all_lanes(struct translator *t, struct lanes condition, bool branch)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    LLVMValueRef flags = NULL;
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef more = LLVMBuildICmp(t->b, LLVMIntNE, condition.chunk[p], ir_zero_chunk(t), "");
        if (!flags) flags = more;
        else flags = branch ? LLVMBuildAnd(t->b, flags, more, "") : LLVMBuildOr(t->b, flags, more, "");
    }
    LLVMValueRef all = branch ? LLVMConstAllOnes(narrow) : LLVMConstNull(narrow);
    return LLVMBuildICmp(t->b, LLVMIntEQ, LLVMBuildBitCast(t->b, flags, narrow, ""), all, "");
}

/* Active lanes that branch, and the others, as numbers. */
static void part_lanes(struct translator *t, struct lanes condition, LLVMValueRef *taken, LLVMValueRef *rest)
{
    *taken = LLVMBuildAnd(t->b, bits_of(t, condition), active(t), "");
    *rest = LLVMBuildXor(t->b, *taken, active(t), "");
}

static void branch_vector(struct translator *t, const struct node *n)
{
    LLVMBasicBlockRef not_none = ir_block(t, ""), both_paths = ir_block(t, "diverge"), none, all;
    enum version version = t->version;
    const struct lanes condition = lanes_of_row(t, n);
    const bool flags = version == FULL && t->words == 16 && chunks_are_whole(t);
    LLVMValueRef taken, rest, is_none, is_all;
    if (!flags) part_lanes(t, condition, &taken, &rest);
    is_none = flags ? all_lanes(t, condition, false) : LLVMBuildICmp(t->b, LLVMIntEQ, taken, ir_u32(t, 0), "");
    none = ir_block(t, ""), all = ir_block(t, "");
    LLVMBuildCondBr(t->b, is_none, none, not_none);
    ir_at(t, not_none);
    is_all = flags ? all_lanes(t, condition, true) : LLVMBuildICmp(t->b, LLVMIntEQ, rest, ir_u32(t, 0), "");
    LLVMBuildCondBr(t->b, is_all, all, both_paths);
    ir_at(t, both_paths);
    if (flags) part_lanes(t, condition, &taken, &rest); /* only where they part */
    ir_at(t, none);
    store_at_end(t);
    go_to(t, node_next(n), version);
    ir_at(t, all);
    tally_taken(t);
    store_at_end(t);
    go_to(t, node_target(n), version);
    ir_at(t, both_paths);
    take_turns(t, n, taken);
    if (t->flow->request->lanes == LANES_CONVERGENT) leave_at(t, n);
    else diverge(t, n, taken, rest);
}

/* To the path that waits at `pc`. */
static void go_to_side(struct translator *t, const struct node *join, LLVMValueRef pc)
{
    LLVMBasicBlockRef elsewhere = ir_block(t, "elsewhere");
    LLVMValueRef choice = LLVMBuildSwitch(t->b, pc, elsewhere, 8);
    for (const struct path *path = NULL; (path = path_next(&t->facts.paths, join, path));)
        LLVMAddCase(choice, ir_u32(t, path->pc), checked_way(t, path->pc, MASKED));
    leave_to(t, elsewhere, pc, t->facts.closed ? live_at(&t->liveness, join->pc) : all_registers());
}

/* Lanes have reconverged at a join: the block continues with all lanes, or with some. */
static void lanes_meet(struct translator *t, const struct node *n, struct join_ways ways, LLVMValueRef mask)
{
    LLVMBasicBlockRef odd = ir_block(t, "odd"), full = odd, some = odd;
    if (ways.full) full = checked_way(t, n->pc, FULL);
    if (ways.some) some = checked_way(t, n->pc, MASKED);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, mask, ir_u32(t, t->full), ""), full, some);
    leave_to(t, odd, ir_u32(t, n->pc), live_at(&t->liveness, n->pc));
}

/* The entry on top of the SIMT stack was pushed for this join. */
static void pop(struct translator *t, const struct node *n, struct join_ways ways, LLVMValueRef top, LLVMValueRef less)
{
    LLVMBasicBlockRef met = ir_block(t, ""), path = ir_block(t, "");
    ir_store(t, less, warp(t), offsetof(struct warp, depth));
    LLVMValueRef mask = ir_load(t, t->i32, top, offsetof(struct simt_entry, mask));
    LLVMValueRef pc = ir_load(t, t->i32, top, offsetof(struct simt_entry, pc));
    set_mask(t, mask);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, pc, ir_u32(t, n->pc), ""), met, path);
    ir_at(t, met);
    lanes_meet(t, n, ways, mask);
    ir_at(t, path);
    go_to_side(t, n, pc);
}

/* simt_join of sim/simt.c; in a full block no lane waits at the join. */
static void join(struct translator *t, const struct node *n)
{
    if (t->version == FULL) {
        go_to(t, node_next(n), FULL);
        return;
    }
    struct join_ways ways = facts_join(&t->facts, t->block);
    LLVMBasicBlockRef look = ir_block(t, ""), here = ir_block(t, "pop"), odd = ir_block(t, "odd");
    LLVMBasicBlockRef next = odd;
    if (ways.next) next = t->single ? way_single(t, node_next(n)) : way_to(t, node_next(n), MASKED);
    LLVMValueRef depth = ir_load(t, t->i32, warp(t), offsetof(struct warp, depth));
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, depth, ir_u32(t, 0), ""), next, look);
    ir_at(t, look);
    LLVMValueRef less = LLVMBuildSub(t->b, depth, ir_u32(t, 1), ""), top = stack_entry(t, less);
    LLVMValueRef rpc = ir_load(t, t->i32, top, offsetof(struct simt_entry, rpc));
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, rpc, ir_u32(t, n->pc), ""), ways.pop ? here : odd, next);
    if (ways.pop) {
        const bool single = t->single;
        const struct isa_registers live = live_behind(&t->liveness, t->block, MASKED);
        ir_at(t, here);
        if (single) single_end(t, &live);
        t->single = false;
        pop(t, n, ways, top, less);
        t->single = single;
    } else {
        LLVMDeleteBasicBlock(here);
    }
    ir_at(t, odd);
    pass_site(t, n, site_of(n, RECORD_NONE));
    leave(t, EXIT_SITE, ir_u32(t, n->pc), live_at(&t->liveness, n->pc));
}

/* The registers of a warp that has ended are not stored. */
static void end_warp(struct translator *t, const struct node *n)
{
    LLVMValueRef depth = ir_load(t, t->i32, warp(t), offsetof(struct warp, depth));
    if (t->version == MASKED) leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntNE, depth, ir_u32(t, 0), ""));
    LLVMBuildStore(t->b, ir_u32(t, node_next(n)), t->end);
    LLVMBuildBr(t->b, t->ended);
}

/* Groups of the size that the launch says are one warp: where all its lanes are there it goes on in this code, if
 * passes_barrier of rows.c lets it. */
static bool may_pass(const struct translator *t)
{
    const struct native_request *r = t->flow->request;
    uint64_t items = (uint64_t)r->local[0] * r->local[1] * r->local[2];
    return t->version == FULL && items <= r->threads;
}

static void pass_barrier(struct translator *t, uint32_t pc)
{
    LLVMBasicBlockRef on = ir_block(t, "passes"), stops = ir_block(t, "");
    LLVMValueRef args[] = {t->sm, t->state, instructions_done(t)}, passes = call_function(t, "passes_barrier", args, 3);
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntNE, passes, ir_u32(t, 0), ""), on, stops);
    ir_at(t, on);
    LLVMBuildFence(t->b, LLVMAtomicOrderingAcquireRelease, false, "");
    LLVMBuildStore(t->b, ir_load(t, t->i32, t->state, offsetof(struct native_state, budget)), t->budget);
    LLVMBuildBr(t->b, checked_way(t, pc, FULL));
    ir_at(t, stops);
}

/* Where all warps go on whose lanes are all there, if any budget will do. */
static uint32_t entry_behind_barrier(const struct translator *t, uint32_t pc)
{
    const struct translation *out = t->out;
    uint32_t entry = 0;
    while (entry < out->nentries && out->entries[entry].pc != pc) entry++;
    return t->version == FULL && t->flow->request->late && entry < out->nentries ? entry : NATIVE_NOWHERE;
}

/* sm->warp is the last warp of a round that has come to a barrier: the first one goes on behind it, or all stop. */
static void begin_round(struct translator *t, uint32_t entry, uint32_t pc, LLVMBasicBlockRef stops)
{
    LLVMBasicBlockRef on = ir_block(t, "passes");
    LLVMValueRef args[] = {t->sm, t->state, t->group, instructions_done(t), ir_u32(t, entry), ir_u32(t, pc)}, passes;
    passes = call_function(t, "passes_round", args, 6);
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntNE, passes, ir_u32(t, 0), ""), on, stops);
    ir_at(t, on);
    LLVMBuildStore(t->b, ir_u32(t, ROUND_FIRST), t->round);
    set_warp(t, ir_load(t, t->ptr, t->group, offsetof(struct group, warps)));
    LLVMBuildFence(t->b, LLVMAtomicOrderingAcquireRelease, false, "");
    LLVMBuildBr(t->b, t->round_entries[entry]);
}

/* In a stretch: where those in front of it have come to the same barrier, the next warp of the round runs. Goes on in a
 * new host block if there is no stretch or it is to end. */
static void go_round(struct translator *t, uint32_t entry, uint32_t pc, const struct isa_registers *live)
{
    LLVMBasicBlockRef fits = ir_block(t, "waits"), last = ir_block(t, "last"), stops = ir_block(t, "");
    LLVMBasicBlockRef first = ir_block(t, ""), other = ir_block(t, "");
    if (!t->round_entries[entry]) t->round_entries[entry] = ir_block(t, "round");
    LLVMValueRef round = LLVMBuildLoad2(t->b, t->i32, t->round, "");
    LLVMValueRef noted = LLVMBuildLoad2(t->b, t->i32, t->noted, "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntNE, noted, ir_u32(t, (uint32_t)NOTED_WATCHED), ""), first, stops);
    ir_at(t, first);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, round, ir_u32(t, entry), ""), fits, other);
    ir_at(t, other);
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, round, ir_u32(t, (uint32_t)ROUND_FIRST), ""), fits, stops);
    ir_at(t, fits);
    spill_in_round(t, live);
    LLVMBuildStore(t->b, ir_u32(t, entry), t->round);
    ir_store(t, ir_u32(t, pc), t->state, offsetof(struct native_state, round_waits));
    LLVMValueRef end = ir_load(t, t->ptr, t->state, offsetof(struct native_state, stretch_last));
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntULT, warp(t), end, ""), t->round_next, last);
    ir_at(t, last);
    begin_round(t, entry, pc, stops);
    ir_at(t, stops);
}

static void wait_at_barrier(struct translator *t, uint32_t pc)
{
    const struct isa_registers live = live_in(&t->liveness, pc, t->version);
    const uint32_t entry = entry_behind_barrier(t, pc);
    if (may_pass(t)) pass_barrier(t, pc);
    if (t->rounds && entry != NATIVE_NOWHERE && may_spill_in_round(t, &live)) go_round(t, entry, pc, &live);
    spill_live(t, live);
    if (t->version == FULL) set_mask(t, ir_u32(t, t->full));
    ir_store(t, ir_u32(t, pc), warp(t), offsetof(struct warp, pc));
    LLVMBuildStore(t->b, ir_u32(t, entry), t->behind);
    LLVMBuildBr(t->b, t->waits);
}

static void branch_scalar(struct translator *t, const struct node *n)
{
    LLVMValueRef holds = LLVMBuildICmp(t->b, LLVMIntNE, value_of_row(t, n), ir_u32(t, 0), "");
    tally_taken_if(t, holds);
    LLVMBasicBlockRef then = way_to(t, node_target(n), t->version), other = way_to(t, node_next(n), t->version);
    LLVMBuildCondBr(t->b, holds, then, other);
}

void finish_block(struct translator *t, const struct block *block)
{
    const struct node *last = block->count ? &t->flow->nodes[block->first + block->count - 1] : NULL;
    unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    if (control == CONTROL_VBRANCH) {
        branch_vector(t, last);
        return;
    }
    if (control != CONTROL_END) settle_at_end(t);
    if (block->leaves) {
        leave(t, EXIT_STEP, ir_u32(t, block->end), all_registers());
        return;
    }
    switch (control) {
    case CONTROL_BRANCH: branch_scalar(t, last); break;
    case CONTROL_JUMP:
        set_x(t, last->d.in.rd, ir_u32(t, node_next(last)));
        go_to(t, node_target(last), t->version);
        break;
    case CONTROL_INDIRECT: jump_indirect(t, last); break;
    case CONTROL_JOIN: join(t, last); break;
    case CONTROL_BARRIER: wait_at_barrier(t, node_next(last)); break;
    case CONTROL_END: end_warp(t, last); break;
    default: go_to(t, block->end, t->version);
    }
}

void finish_single(struct translator *t, const struct block *block)
{
    const struct node *last = block->count ? &t->flow->nodes[block->first + block->count - 1] : NULL;
    unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    const struct isa_registers live = live_behind(&t->liveness, block, MASKED);
    LLVMValueRef holds = NULL;
    if (control == CONTROL_VBRANCH) holds = single_row(t, last);
    if (control == CONTROL_BRANCH) holds = value_of_row(t, last);
    single_forget(t, &live);
    if (holds) {
        holds = LLVMBuildICmp(t->b, LLVMIntNE, holds, ir_u32(t, 0), "");
        tally_taken_if(t, holds);
        LLVMBasicBlockRef then = way_single(t, node_target(last)), other = way_single(t, node_next(last));
        LLVMBuildCondBr(t->b, holds, then, other);
    } else if (control == CONTROL_JOIN) {
        join(t, last);
    } else {
        if (control == CONTROL_JUMP) set_x(t, last->d.in.rd, ir_u32(t, node_next(last)));
        LLVMBuildBr(t->b, way_single(t, control == CONTROL_JUMP ? node_target(last) : block->end));
    }
}
