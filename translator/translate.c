/* Guest code to LLVM's intermediate representation.
 *
 * A register is a variable: an alloca for a scalar register, one for each chunk of a vector register; LLVM promotes
 * them to SSA values. A row becomes a call of its function in rows.c, which LLVM inlines. Every block is translated
 * twice, on demand: for all lanes of a warp (FULL), and under a SIMT mask (MASKED). Within a masked block an
 * instruction's result replaces the register in all lanes, and is merged with the old value only at the block's end:
 * addresses in inactive lanes stay consecutive with those in active ones, and dead merges vanish.
 *
 * Order of memory: what describes an access (sm->access, state->site) is written by volatile stores in front of it, and
 * LLVM keeps loads and stores behind a volatile store that comes first. */
#include "translator/translate.h"

#include <stdlib.h>
#include <string.h>

#include "native/stretch.h"
#include "translator/translator.h"

/* ---- blocks ---- */

void count_constants(struct translator *t, unsigned lanes)
{
    LLVMValueRef parts[NATIVE_COUNTS], sum = LLVMBuildLoad2(t->b, t->counts_type, t->counts, "");
    for (unsigned i = 0; i < NATIVE_COUNTS; i++) parts[i] = ir_u32(t, t->counted[i]);
    parts[COUNT_LANES] = ir_u32(t, t->counted[COUNT_VECTOR] * lanes);
    LLVMBuildStore(t->b, LLVMBuildAdd(t->b, sum, LLVMConstVector(parts, NATIVE_COUNTS), ""), t->counts);
}

void count_block(struct translator *t)
{
    tally_block(t);
    LLVMValueRef parts[NATIVE_COUNTS], sum;
    for (unsigned i = 0; i < NATIVE_COUNTS; i++) parts[i] = ir_u32(t, t->counted[i]);
    parts[COUNT_LANES] = ir_u32(t, t->counted[COUNT_VECTOR] * (t->single ? 1 : t->items));
    LLVMValueRef add = LLVMConstVector(parts, NATIVE_COUNTS);
    if (t->version == MASKED && !t->single && t->counted[COUNT_VECTOR]) {
        LLVMValueRef n = LLVMBuildMul(t->b, ir_popcount(t, t->lanes), ir_u32(t, t->counted[COUNT_VECTOR]), "");
        add = LLVMBuildInsertElement(t->b, add, n, ir_u32(t, COUNT_LANES), "");
    }
    sum = LLVMBuildAdd(t->b, LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), add, "");
    LLVMBuildStore(t->b, sum, t->counts);
}

/* Does an instruction pass a site on every path through the block? */
static bool has_site(const struct translator *t, const struct node *n)
{
    switch ((enum how)n->how) {
    case HOW_ROW:
    case HOW_CSR:
    case HOW_MSTATUS:
    case HOW_VSET: /* one only where the warp leaves */
    case HOW_FENCE:
    case HOW_ROUTINE:
    case HOW_NOTHING:
    case HOW_CONTROL: return false;
    case HOW_LOAD: return !hoist_can(t, n) && !fact_metadata(&t->holds, n, t->flow->request);
    default: return true;
    }
}

void begin_block(struct translator *t, const struct block *block, enum version version, const struct facts *holds)
{
    const struct flow *f = t->flow;
    t->block = block;
    t->version = version;
    t->current = &t->functions.list[function_of(&t->functions, block)];
    t->known = t->fresh = (struct isa_registers){0};
    t->holds = *holds;
    for (unsigned r = 0; r < ISA_VREGS; r++) t->holds.v[r].raw &= set_has(t->current->used.v, r); /* see spill_live */
    memcpy(t->kept, t->holds.v, sizeof t->kept);
    memcpy(t->stored, t->holds.v, sizeof t->stored);
    memset(t->taken, 0, sizeof t->taken);
    t->told.known = false;
    t->rows.count = 0;
    memset(t->counted, 0, sizeof t->counted);
    memset(t->passed, 0, sizeof t->passed);
    for (size_t i = block->first; i < block->first + block->count; i++)
        for (int k = 0; k < NATIVE_COUNTS; k++) t->counted[k] = (uint16_t)(t->counted[k] + f->nodes[i].counts[k]);
    t->recorded = false;
    if (version == FULL) return;
    t->lanes = LLVMBuildLoad2(t->b, t->i32, t->mask, "");
    for (unsigned p = 0; p < t->chunks && !t->single; p++)
        t->chunk_lanes[p] = lane_flags(t, t->lanes, p * t->words, t->words);
}

/* What comes in front of the block's instructions: the budget, and other ways to run it. */
static void enter_block(struct translator *t, const struct block *block, enum version version)
{
    begin_block(t, block, version, &t->facts.in[block - t->flow->blocks][version]);
    if (block->checked) check_budget(t, block->need, block->pc, version);
    t->run = !t->single && load_loop_can(t, block);
    if (t->run) run_lanes(t);
    nest_enter(t);
    if (block->count) count_block(t);
    t->recorded = false;
}

/* In front of an instruction: everything behind it in the block has been recorded then, too. */
static void record_for(struct translator *t, const struct node *n)
{
    if (t->recorded || !has_site(t, n)) return;
    record_block(t);
    t->recorded = true;
}

/* Sites say what the block has counted by an instruction but for the last one. */
static void pass(struct translator *t, const struct block *block, size_t i)
{
    for (int k = 0; k < NATIVE_COUNTS && i + 1 < block->first + block->count; k++)
        t->passed[k] = (uint16_t)(t->passed[k] + t->flow->nodes[i].counts[k]);
}

void translate_nodes(struct translator *t, const struct block *block)
{
    for (size_t i = block->first; i < block->first + block->count; i++) {
        const struct node *n = &t->flow->nodes[i];
        record_for(t, n);
        translate_node(t, n);
        facts_step(&t->holds, n, t->flow);
        pass(t, block, i);
    }
}

static void translate_block(struct translator *t, const struct block *block, enum version version)
{
    ir_at(t, t->versions[version][block - t->flow->blocks]);
    enter_block(t, block, version);
    translate_nodes(t, block);
    finish_block(t, block);
}

/* In single-lane code. */
static void translate_single(struct translator *t, const struct block *block)
{
    ir_at(t, t->single_blocks[block - t->flow->blocks]);
    t->single = true;
    enter_block(t, block, MASKED);
    for (size_t i = block->first; i < block->first + block->count; i++) {
        record_for(t, &t->flow->nodes[i]);
        single_node(t, &t->flow->nodes[i]);
        pass(t, block, i);
    }
    finish_single(t, block);
    t->single = false;
}

/* Every reachable version of a block. */
static void translate_blocks(struct translator *t)
{
    enum { WAYS = VERSIONS + 1 };
    size_t n = t->flow->nblocks;
    LLVMBasicBlockRef *ways[WAYS] = {t->versions[MASKED], t->versions[FULL], t->single_blocks};
    bool *done = calloc(WAYS * n + 1, sizeof *done);
    t->failed |= !done;
    for (bool more = done != NULL; more;) {
        more = false;
        for (size_t i = 0; i < WAYS * n; i++) {
            const struct block *block = &t->flow->blocks[i / WAYS];
            if (done[i] || !ways[i % WAYS][i / WAYS]) continue;
            done[i] = more = true;
            if (i % WAYS == VERSIONS) translate_single(t, block);
            else translate_block(t, block, (enum version)(i % WAYS));
        }
    }
    free(done);
}

/* ---- entry and exit ---- */

static void make_variables(struct translator *t)
{
    for (uint32_t i = 0; i < t->functions.count; i++) registers_add(&t->used, &t->functions.list[i].used);
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (t->used.x >> r & 1) t->x[r] = LLVMBuildAlloca(t->b, t->i32, "x");
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->chunks && set_has(t->used.v, r); p++)
            t->v[r][p] = LLVMBuildAlloca(t->b, t->chunk_type, "v");
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(t->used.v, r)) t->own[r] = LLVMBuildAlloca(t->b, t->i32, "own");
    t->lane = LLVMBuildAlloca(t->b, t->i32, "lane");
    t->w = LLVMBuildAlloca(t->b, t->ptr, "w");
    t->budget = LLVMBuildAlloca(t->b, t->i32, "budget");
    t->mask = LLVMBuildAlloca(t->b, t->i32, "mask");
    t->rpc = LLVMBuildAlloca(t->b, t->i32, "rpc");
    t->vtype = LLVMBuildAlloca(t->b, t->i32, "vtype");
    t->mstatus = LLVMBuildAlloca(t->b, t->i32, "mstatus");
    t->end = LLVMBuildAlloca(t->b, t->i32, "end");
    t->behind = LLVMBuildAlloca(t->b, t->i32, "behind");
    t->noted = LLVMBuildAlloca(t->b, t->i32, "noted");
    t->noted_end = LLVMBuildAlloca(t->b, t->i32, "noted_end");
    t->noted_lanes = LLVMBuildAlloca(t->b, t->chunk_type, "noted_lanes");
    t->noted_lanes_end = LLVMBuildAlloca(t->b, t->chunk_type, "noted_lanes_end");
    t->round = LLVMBuildAlloca(t->b, t->i32, "round");
    t->counts = LLVMBuildAlloca(t->b, t->counts_type, "counts");
    t->exit_raw = LLVMBuildAlloca(t->b, t->i64, "raw");
    t->may_run = LLVMBuildAlloca(t->b, t->i1, "may_run");
    load_loop_make(t);
}

/* Runs w, which is sm->warp, for at most so many instructions. */
static void run_warp(struct translator *t, LLVMValueRef w, LLVMValueRef budget)
{
    LLVMBuildStore(t->b, w, t->w);
    LLVMBuildStore(t->b, LLVMConstInt(t->i1, 1, false), t->may_run);
    LLVMBuildStore(t->b, budget, t->budget);
    set_mask(t, ir_load(t, t->i32, w, offsetof(struct warp, mask)));
}

/* Runs sm->warp for at most state->budget instructions. */
static void take_warp(struct translator *t)
{
    LLVMValueRef w = ir_load(t, t->ptr, t->sm, offsetof(struct sm, warp));
    run_warp(t, w, ir_load(t, t->i32, t->state, offsetof(struct native_state, budget)));
}

/* A new warp: all registers are 0. */
static void clear_registers(struct translator *t)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (t->used.x >> r & 1) set_x(t, r, ir_u32(t, 0));
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->chunks && set_has(t->used.v, r); p++)
            LLVMBuildStore(t->b, ir_zero_chunk(t), t->v[r][p]);
    start_controls(t);
    struct isa_registers live = live_at(&t->liveness, t->flow->request->start);
    const struct block *start = flow_block(t->flow, t->flow->request->start);
    if (!start) return;
    t->current = &t->functions.list[function_of(&t->functions, start)];
    if (t->facts.closed) forget_dead(t, &live);
}

/* Is the block reached in the analysis of facts? Otherwise its successors' facts do not hold. */
static bool is_reached(const struct translator *t, const struct block *block)
{
    const bool *reached = t->facts.reached[block - t->flow->blocks];
    return reached[MASKED] || reached[FULL];
}

static void store_progress(struct translator *t)
{
    ir_store(t, LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), t->state, offsetof(struct native_state, counts));
    ir_store(t, LLVMBuildLoad2(t->b, t->i32, t->mask, ""), t->state, offsetof(struct native_state, mask));
    ir_store(t, LLVMBuildLoad2(t->b, t->i32, t->budget, ""), t->state, offsetof(struct native_state, budget));
}

/* Leaves the warp unchanged: `step` executes the instruction. */
static void make_refusal(struct translator *t, LLVMBasicBlockRef refuse)
{
    ir_at(t, refuse);
    store_progress(t);
    LLVMBuildRet(t->b, ir_u32(t, EXIT_STEP));
}

/* Warps that begin do not come in by an entry; the one at the start is there for what it says of the budget. */
static void make_entries(struct translator *t, LLVMValueRef choice, LLVMBasicBlockRef refuse)
{
    const struct flow *f = t->flow;
    struct translation *out = t->out;
    out->entries = calloc(f->nblocks + 1, sizeof *out->entries);
    t->failed |= !out->entries;
    for (size_t i = 0; i < f->nblocks && out->entries; i++) {
        const struct block *b = &f->blocks[i];
        if (!b->entry || !is_reached(t, b) || (!b->count && b->leaves)) continue;
        bool comes_in = b->pc != f->request->start || b->checked;
        LLVMBasicBlockRef block = comes_in ? ir_block(t, "enter") : refuse;
        LLVMAddCase(choice, ir_u32(t, (uint32_t)out->nentries), block);
        out->entries[out->nentries++] = (struct native_entry){b->pc, f->request->late ? 1 : b->need};
        if (!comes_in) continue;
        ir_at(t, block);
        t->current = &t->functions.list[function_of(&t->functions, b)];
        enter_checked(t, b, refuse);
    }
}

static void begin_at(struct translator *t, const struct block *start)
{
    if (t->flow->request->lanes != LANES_ANY) {
        set_mask(t, ir_u32(t, t->full));
        LLVMBuildBr(t->b, version_of(t, start, FULL));
        return;
    }
    LLVMValueRef mask = LLVMBuildLoad2(t->b, t->i32, t->mask, "");
    LLVMValueRef full = LLVMBuildICmp(t->b, LLVMIntEQ, mask, ir_u32(t, t->full), "");
    LLVMBuildCondBr(t->b, full, version_of(t, start, FULL), version_of(t, start, MASKED));
}

/* A warp comes in from elsewhere: if that is in a stretch, the stretch begins with it. */
static void enter_round(struct translator *t)
{
    LLVMValueRef last = ir_load(t, t->ptr, t->state, offsetof(struct native_state, stretch_last));
    LLVMValueRef is = LLVMBuildICmp(t->b, LLVMIntNE, last, LLVMConstNull(t->ptr), "");
    LLVMBuildStore(t->b, LLVMBuildSelect(t->b, is, ir_u32(t, ROUND_FIRST), ir_u32(t, ROUND_NONE), ""), t->round);
}

/* Where a warp begins or goes on: `entry` says at which of the entries. */
static void make_entry(struct translator *t, LLVMValueRef entry)
{
    const struct block *start = flow_block(t->flow, t->flow->request->start);
    LLVMBasicBlockRef warm = ir_block(t, "warm"), wrong = ir_block(t, "wrong"), refuse = ir_block(t, "refuse"),
                      first = ir_block(t, "");
    t->entered = ir_block(t, "entered"), t->refuse = refuse;
    ir_at(t, t->entered);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, entry, ir_u32(t, NATIVE_START), ""), first, warm);
    ir_at(t, first);
    LLVMTypeRef none = LLVMVoidTypeInContext(t->context);
    LLVMValueRef args[] = {t->sm, t->state};
    if (t->rounds) call_machine(t, none, offsetof(struct native_state, stretch_enter), args, 2);
    enter_round(t);
    LLVMBuildBr(t->b, t->begin);
    ir_at(t, t->begin);
    clear_registers(t);
    if (start) begin_at(t, start);
    else LLVMBuildBr(t->b, wrong);
    ir_at(t, wrong);
    LLVMBuildUnreachable(t->b);
    make_refusal(t, refuse);
    ir_at(t, warm);
    enter_round(t);
    LLVMValueRef choice = LLVMBuildSwitch(t->b, entry, wrong, 8);
    make_entries(t, choice, refuse);
}

/* A register that is raw if the bit is set. */
static void make_exact_if(struct translator *t, unsigned r, unsigned bit)
{
    LLVMValueRef bits = LLVMBuildLoad2(t->b, t->i64, t->exit_raw, "");
    LLVMValueRef set = LLVMBuildAnd(t->b, bits, ir_u64(t, 1ull << bit), "");
    LLVMValueRef raw = LLVMBuildICmp(t->b, LLVMIntNE, set, ir_u64(t, 0), "");
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef value = LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], "");
        LLVMBuildStore(t->b, LLVMBuildSelect(t->b, raw, canonical(t, value), value, ""), t->v[r][p]);
    }
}

static void make_exit(struct translator *t, const struct function *function, struct way_out exit)
{
    ir_at(t, exit.block);
    fill_blank(t);
    for (unsigned i = 0; i < t->nraw; i++)
        if (set_has(function->written.v, t->raw[i])) make_exact_if(t, t->raw[i], i);
    spill(t, &function->written);
    store_progress(t);
    store_noted(t);
    LLVMBuildRet(t->b, exit.code);
}

static void make_exits(struct translator *t)
{
    for (uint32_t i = 0; i < t->functions.count; i++) make_exit(t, &t->functions.list[i], t->exits[i]);
}

/* The next warp of the round, and whether it begins, are what `entry` says. */
static void follow(struct translator *t, LLVMValueRef entry)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b);
    take_warp(t);
    LLVMBuildBr(t->b, t->enter);
    LLVMAddIncoming(t->enter_entry, &entry, &from, 1);
}

/* What warps of the code may have done when they come to their end; to be asked when all is translated but exits. */
static uint32_t asks_of_stretch(const struct translator *t)
{
    return (t->rounds ? STRETCH_ASKS_ROUNDS : 0) | (t->spills ? STRETCH_ASKS_BLANK : 0) |
           (t->flow->reserves ? STRETCH_ASKS_RESERVED : 0) | (t->barriers ? STRETCH_ASKS_LOCAL : 0);
}

/* Goes on in a new host block where the stretch goes on. */
static void end_stretch_if(struct translator *t, LLVMValueRef is, LLVMBasicBlockRef none)
{
    LLVMBasicBlockRef on = ir_block(t, "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, is, ir_u32(t, 0), ""), on, none);
    ir_at(t, on);
}

void set_warp(struct translator *t, LLVMValueRef w)
{
    ir_store(t, w, t->sm, offsetof(struct sm, warp));
    LLVMBuildStore(t->b, w, t->w);
}

static LLVMValueRef budget_from(struct translator *t, LLVMValueRef done, size_t at)
{
    return LLVMBuildAdd(t->b, done, ir_load(t, t->i32, t->state, at), "");
}

/* A warp of the stretch, which has become sm->warp, begins. */
static void begin_in_stretch(struct translator *t, LLVMValueRef w, LLVMValueRef done)
{
    run_warp(t, w, budget_from(t, done, offsetof(struct native_state, start_budget)));
    LLVMBuildBr(t->b, t->begin);
}

/* The next one of the group runs; goes on in a new host block if there is none or no stretch. */
static void follow_in_group(struct translator *t, LLVMValueRef done)
{
    LLVMBasicBlockRef within = ir_block(t, "within"), behind = ir_block(t, "behind");
    LLVMValueRef last = ir_load(t, t->ptr, t->state, offsetof(struct native_state, stretch_last)), w = warp(t);
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntULT, w, last, ""), within, behind);
    ir_at(t, within);
    if (t->rounds) {
        LLVMBuildStore(t->b, ir_u32(t, ROUND_ENDS), t->round);
        LLVMBuildBr(t->b, t->round_next);
    } else {
        w = ir_field(t, w, sizeof(struct warp));
        set_warp(t, w);
        begin_in_stretch(t, w, done);
    }
    ir_at(t, behind);
}

/* Goes on in a new host block where those in front of it in the round have ended, too, and nothing else is written than
 * the group's local memory. */
static void end_unless_round_ends(struct translator *t, LLVMBasicBlockRef none)
{
    LLVMValueRef round = LLVMBuildLoad2(t->b, t->i32, t->round, "");
    LLVMValueRef waits = LLVMBuildICmp(t->b, LLVMIntULT, round, ir_u32(t, ROUND_ENDS), "");
    LLVMValueRef noted = LLVMBuildLoad2(t->b, t->i32, t->noted, "");
    end_stretch_if(t, LLVMBuildZExt(t->b, waits, t->i32, ""), none);
    LLVMValueRef watched = LLVMBuildICmp(t->b, LLVMIntEQ, noted, ir_u32(t, (uint32_t)NOTED_WATCHED), "");
    end_stretch_if(t, LLVMBuildZExt(t->b, watched, t->i32, ""), none);
}

/* The next warp of a stretch begins; goes on in a new host block if there is none. */
static void follow_in_stretch(struct translator *t, LLVMValueRef done)
{
    const bool one = t->flow->request->warps == 1;
    LLVMBasicBlockRef follows = ir_block(t, "stretch"), none = ir_block(t, "");
    LLVMValueRef asks = ir_u32(t, asks_of_stretch(t)), w = warp(t);
    if (t->rounds) {
        LLVMValueRef blank = ir_u32(t, asks_of_stretch(t) & STRETCH_ASKS_BLANK);
        LLVMValueRef args[] = {t->state, t->group, w, blank};
        end_unless_round_ends(t, none);
        end_stretch_if(t, call_function(t, "is_stretch_over", args, 4), none);
        follow_in_group(t, done);
    }
    if (t->barriers) store_noted(t);
    else end_stretch_if(t, LLVMBuildLoad2(t->b, t->i32, t->noted, ""), none);
    end_stretch_if(t, call_function(t, "is_stretch_over", (LLVMValueRef[]){t->state, t->group, w, asks}, 4), none);
    if (!one && !t->rounds) follow_in_group(t, done);
    LLVMValueRef args[] = {t->sm, t->state, t->group, done, asks}, next;
    next = call_function(t, "next_group_in_stretch", args, 5);
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntNE, next, ir_u32(t, 0), ""), follows, none);
    ir_at(t, follows);
    if (t->barriers) forget_noted(t);
    LLVMBuildStore(t->b, ir_u32(t, ROUND_FIRST), t->round);
    if (!one) w = ir_load(t, t->ptr, t->group, offsetof(struct group, warps));
    if (!one) set_warp(t, w);
    begin_in_stretch(t, w, done);
    ir_at(t, none);
}

/* sm->warp comes in behind a barrier of its round. */
static void make_round_entry(struct translator *t, uint32_t entry)
{
    const struct block *block = flow_block(t->flow, t->out->entries[entry].pc);
    const struct isa_registers live = live_in(&t->liveness, block->pc, FULL);
    ir_at(t, t->round_entries[entry]);
    t->current = &t->functions.list[function_of(&t->functions, block)];
    run_warp(t, warp(t), budget_from(t, instructions_done(t), offsetof(struct native_state, barrier_budget)));
    set_mask(t, ir_u32(t, t->full));
    forget_registers(t);
    reload(t, &live);
    LLVMBuildBr(t->b, version_of(t, block, FULL));
}

/* The warps of a round, which come in where the first one has. */
static void make_rounds(struct translator *t)
{
    ir_at(t, t->round_next);
    set_warp(t, ir_field(t, warp(t), sizeof(struct warp)));
    LLVMBasicBlockRef begin = ir_block(t, "begins");
    LLVMValueRef from = ir_load(t, t->i32, t->state, offsetof(struct native_state, round_entry));
    LLVMValueRef choice = LLVMBuildSwitch(t->b, from, begin, 8);
    ir_at(t, begin);
    begin_in_stretch(t, warp(t), instructions_done(t));
    for (uint32_t i = 0; i < t->out->nentries; i++) {
        if (!t->round_entries[i]) continue;
        LLVMAddCase(choice, ir_u32(t, i), t->round_entries[i]);
        make_round_entry(t, i);
    }
}

/* From `block` on a warp has ended or waits. The function at `chooser` in the state, which also gets the mask of a warp
 * that waits, chooses the next one, or leaves that to the machine. */
static void make_stop(struct translator *t, LLVMBasicBlockRef block, enum native_exit exit, size_t chooser)
{
    LLVMBasicBlockRef on = ir_block(t, "follow"), over = ir_block(t, "over");
    LLVMValueRef code = ir_u32(t, exit);
    ir_at(t, block);
    LLVMValueRef done = instructions_done(t);
    if (exit == EXIT_END && t->hoisted) follow_in_stretch(t, done);
    if (t->hoisted) {
        store_noted(t);
        forget_noted(t);
    }
    LLVMValueRef args[] = {t->sm, t->state, done, LLVMBuildLoad2(t->b, t->i32, t->mask, ""),
                           LLVMBuildLoad2(t->b, t->i32, t->behind, "")};
    LLVMValueRef entry = call_machine(t, t->i32, chooser, args, exit == EXIT_BARRIER ? 5 : 3);
    LLVMValueRef none = LLVMBuildICmp(t->b, LLVMIntEQ, entry, ir_u32(t, NATIVE_NOWHERE), "");
    ir_branch_likely(t, LLVMBuildNot(t->b, none, ""), on, over);
    ir_at(t, on);
    follow(t, entry);
    ir_at(t, over);
    if (exit == EXIT_END) ir_store(t, LLVMBuildLoad2(t->b, t->i32, t->end, ""), warp(t), offsetof(struct warp, pc));
    store_progress(t);
    LLVMBuildBr(t->b, t->paused);
    LLVMAddIncoming(t->paused_exit, &code, &over, 1);
}

/* Continues behind a warp that has ended or waits with the next one, if that begins or continues in this code. */
static void make_paused(struct translator *t)
{
    LLVMBasicBlockRef none = ir_block(t, "none");
    LLVMValueRef args[] = {t->sm, t->paused_exit};
    ir_at(t, t->paused);
    LLVMValueRef entry = call_machine(t, t->i32, offsetof(struct native_state, next), args, 2);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, entry, ir_u32(t, NATIVE_NOWHERE), ""), none, t->next);
    LLVMAddIncoming(t->next_entry, &entry, &t->paused, 1);
    ir_at(t, none);
    LLVMBuildRet(t->b, ir_u32(t, EXIT_NEXT));
}

static void make_types(struct translator *t)
{
    LLVMContextRef c = t->context;
    t->i1 = LLVMInt1TypeInContext(c), t->i8 = LLVMInt8TypeInContext(c), t->i16 = LLVMInt16TypeInContext(c);
    t->i32 = LLVMInt32TypeInContext(c), t->i64 = LLVMInt64TypeInContext(c), t->ptr = LLVMPointerTypeInContext(c, 0);
    t->chunk_type = LLVMVectorType(t->i32, t->words);
    t->flags_type = LLVMVectorType(t->i1, t->words);
    t->counts_type = LLVMVectorType(t->i32, NATIVE_COUNTS);
}

/* A host block of its own that begins with the value which comes from elsewhere. */
static LLVMBasicBlockRef block_with_phi(struct translator *t, const char *name, LLVMValueRef *phi)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), block = ir_block(t, name);
    ir_at(t, block);
    *phi = LLVMBuildPhi(t->b, t->i32, "");
    ir_at(t, from);
    return block;
}

static LLVMValueRef local_open(struct translator *t)
{
    LLVMValueRef slots = ir_load(t, t->ptr, t->sm, offsetof(struct sm, slots));
    LLVMValueRef slot = LLVMBuildZExt(t->b, ir_load(t, t->i32, t->group, offsetof(struct group, slot)), t->i64, "");
    LLVMValueRef at = LLVMBuildMul(t->b, slot, ir_u64(t, sizeof(struct slot)), "");
    slot = LLVMBuildGEP2(t->b, t->i8, slots, &at, 1, "");
    return LLVMBuildTrunc(t->b, ir_load(t, t->i64, slot, offsetof(struct slot, lds_open)), t->i32, "");
}

static void make_function(struct translator *t)
{
    LLVMTypeRef types[] = {t->ptr, t->ptr, t->i32}, type = LLVMFunctionType(t->i32, types, 3, false);
    t->out->entry = LLVMAddFunction(t->out->module, "native", type);
    LLVMValueRef f = t->out->function = LLVMAddFunction(t->out->module, "code", type), entry;
    t->sm = LLVMGetParam(f, 0), t->state = LLVMGetParam(f, 1), entry = LLVMGetParam(f, 2);
    LLVMBasicBlockRef begin = ir_block(t, "begin");
    ir_at(t, begin);
    t->mem = ir_load(t, t->ptr, t->sm, offsetof(struct sm, mem));
    t->group = ir_load(t, t->ptr, ir_load(t, t->ptr, t->sm, offsetof(struct sm, warp)), offsetof(struct warp, group));
    t->launch = ir_load(t, t->ptr, t->group, offsetof(struct group, launch));
    t->knl = ir_load(t, t->i32, t->launch, offsetof(struct launch, knl));
    if (t->flow->request->tallies) t->tallies = ir_load(t, t->ptr, t->state, offsetof(struct native_state, tallies));
    t->tried = ir_load(t, t->ptr, t->state, offsetof(struct native_state, tried));
    t->number = ir_load(t, t->i32, t->state, offsetof(struct native_state, number));
    hoist_begin(t);
    if (t->barriers) t->local_open = local_open(t);
    make_variables(t);
    t->next = block_with_phi(t, "next", &t->next_entry);
    t->enter = block_with_phi(t, "enter", &t->enter_entry);
    t->paused = block_with_phi(t, "paused", &t->paused_exit);
    for (uint32_t i = 0; i < t->functions.count; i++) t->exits[i].block = block_with_phi(t, "exit", &t->exits[i].code);
    if (t->rounds) t->round_next = ir_block(t, "round");
    t->begin = ir_block(t, "start"), t->ended = ir_block(t, "ended"), t->waits = ir_block(t, "waits");
    LLVMBuildBr(t->b, t->next);
    LLVMAddIncoming(t->next_entry, &entry, &begin, 1);
    ir_at(t, t->next);
    LLVMBuildStore(t->b, LLVMConstNull(t->counts_type), t->counts);
    forget_noted(t);
    take_warp(t);
    LLVMBuildBr(t->b, t->enter);
    LLVMAddIncoming(t->enter_entry, &t->next_entry, &t->next, 1);
}

/* Runs the analyses of the code and makes tables for their results. False: out of memory. */
static bool find_facts(struct translator *t)
{
    size_t n = t->flow->nblocks + 1;
    bool ok = facts_make(&t->facts, t->flow) && liveness_make(&t->liveness, t->flow, &t->facts) &&
              functions_make(&t->functions, &t->facts);
    for (int i = 0; i < VERSIONS; i++) {
        t->versions[i] = calloc(n, sizeof *t->versions[i]);
        t->arrivals[i] = calloc(n, sizeof *t->arrivals[i]);
        ok &= t->versions[i] && t->arrivals[i];
    }
    t->single_blocks = calloc(n, sizeof *t->single_blocks);
    t->single_arrivals = calloc(n, sizeof *t->single_arrivals);
    t->exits = calloc(n, sizeof *t->exits);
    t->scattered = calloc(n, sizeof *t->scattered);
    t->round_entries = calloc(n, sizeof *t->round_entries);
    t->nests = calloc(n, sizeof *t->nests);
    return ok && t->nests && t->scattered && t->round_entries && t->single_blocks && t->single_arrivals && t->exits;
}

static void forget_facts(struct translator *t)
{
    functions_free(&t->functions);
    liveness_free(&t->liveness);
    facts_free(&t->facts);
    for (int i = 0; i < VERSIONS; i++) {
        free(t->versions[i]);
        free(t->arrivals[i]);
    }
    free(t->single_blocks);
    free(t->single_arrivals);
    free(t->exits);
    free(t->scattered);
    free(t->round_entries);
    nests_free(t);
}

/* An empty module for the same processor as that of the row functions. */
static LLVMModuleRef make_module(LLVMModuleRef rows)
{
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("translation", LLVMGetModuleContext(rows));
    LLVMSetTarget(module, LLVMGetTarget(rows));
    LLVMSetDataLayout(module, LLVMGetDataLayoutStr(rows));
    return module;
}

bool translate_flow(struct translation *out, LLVMModuleRef rows, const struct flow *flow)
{
    static const unsigned words[] = {
#define LEVEL(name, words, cpu) words,
        NATIVE_LEVELS(LEVEL)
#undef LEVEL
    };
    struct translator *t = calloc(1, sizeof *t);
    *out = (struct translation){
        .module = make_module(rows), .rows = rows, .flow = flow, .words = words[flow->request->level]};
    if (!t) return false;
    *t = (struct translator){.out = out, .flow = flow, .context = LLVMGetModuleContext(rows)};
    t->words = out->words;
    t->items = flow->request->items;
    t->full = ~0u >> (ISA_LANES - t->items);
    t->chunks = (t->items + t->words - 1) / t->words;
    t->b = LLVMCreateBuilderInContext(t->context);
    t->failed = !find_facts(t);
    if (!t->failed) {
        make_types(t);
        make_function(t);
        make_entry(t, t->enter_entry);
        translate_blocks(t);
        nests_make(t);
        if (t->rounds) make_rounds(t);
        make_stop(t, t->ended, EXIT_END,
                  t->hoisted ? offsetof(struct native_state, next_behind_stretch)
                             : offsetof(struct native_state, next_behind_end));
        make_stop(t, t->waits, EXIT_BARRIER, offsetof(struct native_state, next_behind_barrier));
        make_paused(t);
        hoist_end(t);
        make_exits(t);
    }
    LLVMDisposeBuilder(t->b);
    forget_facts(t);
    bool ok = !t->failed;
    free(t);
    return ok;
}

void translation_free(struct translation *t)
{
    free(t->entries);
    free(t->sites);
    if (t->rows) LLVMDisposeModule(t->rows);
    if (t->module) LLVMDisposeModule(t->module);
}
