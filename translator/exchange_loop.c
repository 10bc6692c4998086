/* Loops that exchange a word by lr.w and sc.w, such as a sum of floats in memory:
 *
 *     again: lr.w old, (at)    new = f(old)    sc.w failed, new, (at)    vbne failed, zero, again    join
 *
 * If n lanes share a word, only one of them succeeds in each iteration, and the loop takes n iterations. Here the lanes
 * whose sc.w has failed complete one after the other with scalars: the word they share is loaded once, f is applied for
 * each lane in the order in which they would succeed, and the last result is stored, so that threads of the host seldom
 * disturb each other. The counters get the iterations that this replaces, which follow from the number of lanes of each
 * word (plan_exchange in rows.c).
 *
 * The budget must allow all these iterations. sc.w has checked the pages, and its addresses are still recorded; other
 * reservations of these words were lost to the lane that stored. Called by control.c at the vector branch. */
#include "translator/translator.h"

/* A block that is such a loop, and its registers. */
struct loop {
    const struct node *first, *store, *last, *join; /* lr.w, sc.w, the branch, and what is behind it */
    unsigned zero;                                  /* lanes go on where `failed` is what this register holds */
    struct isa_registers in,
        out; /* vector registers that it reads, those that it writes and somebody reads behind it */
};

/* ---- which blocks ---- */

static bool is_reserved_access(const struct node *n, enum isa_action action)
{
    const struct isa_memory *m = &n->effects.memory;
    return n->how == HOW_ATOMIC && m->action == action && m->address == ADDRESS_LANES && n->d.in.vm;
}

/* lr.w, rows, one sc.w to the same address, rows. */
static const struct node *find_store(const struct node *first, const struct node *last)
{
    const struct node *store = NULL;
    if (!is_reserved_access(first, ACTION_LR)) return NULL;
    for (const struct node *n = first + 1; n < last; n++) {
        if (is_plain_row(n)) continue;
        if (store || !is_reserved_access(n, ACTION_SC)) return NULL;
        store = n;
    }
    return store && store->d.in.rs1 == first->d.in.rs1 ? store : NULL;
}

/* Finds the registers that it reads. False: it reads a result of the previous iteration, or changes addresses or the
 * register that says which lanes have failed. */
static bool find_registers(const struct translator *t, struct loop *l)
{
    struct isa_registers written = {0}, all = {0};
    for (const struct node *n = l->first; n < l->last; n++) {
        struct isa_registers w = node_written(t->flow, n);
        registers_add(&all, &w);
        if (n > l->store && set_has(w.v, l->store->d.in.rd)) return false;
    }
    for (const struct node *n = l->first; n < l->last; n++) {
        struct isa_registers r = node_read(n), w = node_written(t->flow, n);
        for (unsigned i = 0; i < ISA_VREGS / 64; i++) {
            if (r.v[i] & all.v[i] & ~written.v[i]) return false;
            l->in.v[i] |= r.v[i] & ~all.v[i];
        }
        registers_add(&written, &w);
    }
    l->out = live_in(&t->liveness, l->join->pc, t->version);
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) l->out.v[i] &= all.v[i];
    return !set_has(all.v, l->first->d.in.rs1);
}

/* The branch goes back unless what sc.w has said is what another register holds. */
static bool find_zero(struct loop *l)
{
    const struct insn *in = &l->last->d.in;
    const unsigned failed = l->store->d.in.rd;
    if (in->op != OP_VBNE || !in->vm || (in->rs1 == failed) == (in->rs2 == failed)) return false;
    l->zero = in->rs1 == failed ? in->rs2 : in->rs1;
    for (const struct node *n = l->first; n < l->last; n++)
        if (n->d.in.rd == l->zero) return false;
    return true;
}

static bool find_loop(const struct translator *t, const struct node *branch, struct loop *l)
{
    *l = (struct loop){.first = &t->flow->nodes[t->block->first], .last = branch, .join = join_behind(t, branch)};
    if (!l->join || node_target(branch) != t->block->pc) return false;
    l->store = find_store(l->first, branch);
    return l->store && find_registers(t, l) && find_zero(l) && count_registers(&l->in) <= EXCHANGE_ROWS &&
           count_registers(&l->out) <= EXCHANGE_ROWS;
}

/* ---- one lane ---- */

static void compute(struct translator *t, const struct node *from, const struct node *to)
{
    for (const struct node *n = from; n < to; n++) {
        set_own(t, n->d.in.rd, single_row(t, n));
        t->holds.v[n->d.in.rd].raw = false;
    }
}

/* Stores what has been computed from `old`; goes on in `stored`, or again with another word. */
static void exchange(struct translator *t, LLVMValueRef word, LLVMValueRef old, LLVMValueRef value, LLVMValueRef is_own,
                     LLVMBasicBlockRef again, LLVMBasicBlockRef stored)
{
    LLVMBasicBlockRef own = ir_block(t, ""), shared = ir_block(t, "");
    LLVMBuildCondBr(t->b, is_own, own, shared);
    ir_at(t, own);
    LLVMSetAlignment(LLVMBuildStore(t->b, value, word), 4);
    LLVMBuildBr(t->b, stored);
    ir_at(t, shared);
    LLVMValueRef found = LLVMBuildAtomicCmpXchg(t->b, word, old, value, LLVMAtomicOrderingSequentiallyConsistent,
                                                LLVMAtomicOrderingMonotonic, false);
    LLVMValueRef other = LLVMBuildExtractValue(t->b, found, 0, "");
    LLVMBuildCondBr(t->b, LLVMBuildExtractValue(t->b, found, 1, ""), stored, again);
    LLVMAddIncoming(old, &other, &shared, 1);
    ir_at(t, stored);
}

static LLVMValueRef first_lane(struct translator *t, LLVMValueRef lanes)
{
    LLVMValueRef args[] = {lanes, LLVMConstInt(t->i1, 1, false)};
    return ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2);
}

/* Those of `lanes` for which sc.w has recorded this address. */
static LLVMValueRef with_address(struct translator *t, LLVMValueRef lanes, LLVMValueRef address)
{
    struct lanes differ;
    LLVMValueRef same = ir_splat(t, address);
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef at = ir_load(t, t->chunk_type, t->sm, offsetof(struct sm, access.addr) + p * t->words * 4);
        differ.chunk[p] = LLVMBuildXor(t->b, at, same, "");
    }
    return LLVMBuildAnd(t->b, lanes, LLVMBuildNot(t->b, bits_of(t, differ), ""), "");
}

/* What a lane makes of its word. */
static LLVMValueRef take_turn(struct translator *t, const struct loop *l, LLVMValueRef lane, LLVMValueRef old)
{
    LLVMValueRef index = LLVMBuildZExt(t->b, lane, t->i64, ""), made;
    LLVMBuildStore(t->b, lane, t->lane);
    load_words(t, &l->in, index);
    set_own(t, l->first->d.in.rd, old);
    t->holds.v[l->first->d.in.rd].raw = false;
    compute(t, l->first + 1, l->store);
    made = get_own(t, l->store->d.in.rs2);
    set_own(t, l->store->d.in.rd, ir_u32(t, 0));
    t->holds.v[l->store->d.in.rd].raw = false;
    compute(t, l->store + 1, l->last);
    save_words(t, &l->out, index);
    return made;
}

/* The turns of the first of some lanes and of all others with the same word, which is loaded and stored once. If
 * somebody else changes it meanwhile, they come again. Returns the lanes with other words. */
static LLVMValueRef take_word(struct translator *t, const struct loop *l, LLVMValueRef lanes, LLVMValueRef is_own)
{
    LLVMBasicBlockRef before, again = ir_block(t, "again"), turn = ir_block(t, "turn"), done = ir_block(t, ""), from;
    LLVMValueRef index = LLVMBuildZExt(t->b, first_lane(t, lanes), t->i64, ""), first, old, left, has, more;
    LLVMValueRef row = ir_field(t, t->sm, offsetof(struct sm, access.addr));
    LLVMValueRef address = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, row, &index, 1, ""), "");
    LLVMValueRef sharing = with_address(t, lanes, address), word = host_address(t, address);
    first = LLVMBuildLoad2(t->b, t->i32, word, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, 4);
    before = LLVMGetInsertBlock(t->b);
    LLVMBuildBr(t->b, again);
    ir_at(t, again);
    old = LLVMBuildPhi(t->b, t->i32, "");
    LLVMAddIncoming(old, &first, &before, 1);
    LLVMBuildBr(t->b, turn);
    ir_at(t, turn);
    left = LLVMBuildPhi(t->b, t->i32, ""), has = LLVMBuildPhi(t->b, t->i32, "");
    LLVMAddIncoming(left, &sharing, &again, 1);
    LLVMAddIncoming(has, &old, &again, 1);
    LLVMValueRef made = take_turn(t, l, first_lane(t, left), has);
    more = LLVMBuildAnd(t->b, left, LLVMBuildSub(t->b, left, ir_u32(t, 1), ""), "");
    from = LLVMGetInsertBlock(t->b);
    LLVMAddIncoming(left, &more, &from, 1);
    LLVMAddIncoming(has, &made, &from, 1);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, more, ir_u32(t, 0), ""), turn, done);
    ir_at(t, done);
    exchange(t, word, old, made, is_own, again, ir_block(t, "stored"));
    return LLVMBuildXor(t->b, lanes, sharing, "");
}

/* Writes the results of the lanes that have taken their turns. */
static void merge_rows(struct translator *t, const struct isa_registers *set, LLVMValueRef lanes)
{
    for (unsigned r = 0, row = 0; r < ISA_VREGS; r++) {
        if (!set_has(set->v, r)) continue;
        for (unsigned p = 0; p < t->chunks; p++) {
            LLVMValueRef now = ir_load(t, t->chunk_type, row_of(t, EXCHANGE_ROWS + row), p * t->words * 4);
            LLVMValueRef old = LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], "");
            LLVMValueRef here = lane_flags(t, lanes, p * t->words, t->words);
            LLVMBuildStore(t->b, LLVMBuildSelect(t->b, here, now, old, ""), t->v[r][p]);
        }
        row++;
    }
}

static void take_turns(struct translator *t, const struct loop *l, LLVMValueRef lanes)
{
    LLVMBasicBlockRef before, loop = ir_block(t, "word"), done = ir_block(t, ""), end;
    LLVMValueRef is_own = is_own_memory(t), left, more;
    struct facts holds = t->holds;
    save_rows(t, &l->in);
    before = LLVMGetInsertBlock(t->b);
    LLVMBuildBr(t->b, loop);
    ir_at(t, loop);
    left = LLVMBuildPhi(t->b, t->i32, "");
    LLVMAddIncoming(left, &lanes, &before, 1);
    more = take_word(t, l, left, is_own);
    end = LLVMGetInsertBlock(t->b);
    LLVMAddIncoming(left, &more, &end, 1);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, more, ir_u32(t, 0), ""), loop, done);
    ir_at(t, done);
    t->holds = holds;
    merge_rows(t, &l->out, lanes);
}

/* ---- what is counted ---- */

/* In front of each iteration lanes diverge, and those that it has go to the branch's target. */
static void tally_exchange(struct translator *t, const struct loop *l, LLVMValueRef rounds, LLVMValueRef lanes,
                           LLVMValueRef met)
{
    if (!t->tallies) return;
    tally_iterations(t, l->join, rounds, lanes, rounds, met);
    tally(t, t->block, TALLY_DIVERGED, rounds);
    tally(t, t->block, TALLY_TAKEN_LANES, lanes);
}

/* An iteration is the block and two joins; `plan` is what plan_exchange has said. */
static void count_iterations(struct translator *t, const struct loop *l, LLVMValueRef plan)
{
    LLVMValueRef parts[NATIVE_COUNTS], all, part[3];
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef at = LLVMBuildLShr(t->b, plan, ir_u64(t, 16ull * i), "");
        part[i] = LLVMBuildAnd(t->b, LLVMBuildTrunc(t->b, at, t->i32, ""), ir_u32(t, 0xffff), "");
    }
    LLVMValueRef lanes = LLVMBuildMul(t->b, part[1], ir_u32(t, t->counted[COUNT_VECTOR]), "");
    LLVMValueRef met = LLVMBuildMul(t->b, part[2], ir_u32(t, l->join->counts[COUNT_VECTOR]), "");
    all = LLVMBuildLoad2(t->b, t->counts_type, t->counts, "");
    for (unsigned i = 0; i < NATIVE_COUNTS; i++) {
        LLVMValueRef n = LLVMBuildMul(t->b, part[0], ir_u32(t, counts_of_round(t, l->join, (enum native_count)i)), "");
        parts[i] = i == COUNT_LANES ? LLVMBuildAdd(t->b, lanes, met, "") : n;
        n = LLVMBuildExtractElement(t->b, all, ir_u32(t, i), "");
        all = LLVMBuildInsertElement(t->b, all, LLVMBuildAdd(t->b, n, parts[i], ""), ir_u32(t, i), "");
    }
    LLVMBuildStore(t->b, all, t->counts);
    tally_exchange(t, l, part[0], part[1], part[2]);
}

/* Do all lanes in which the block has run hold 0, and do they part for the join behind the loop? */
static LLVMValueRef is_usual(struct translator *t, const struct loop *l)
{
    LLVMValueRef other = LLVMBuildAnd(t->b, bits_of(t, get_v(t, l->zero)), active(t), "");
    return LLVMBuildAnd(t->b, meet_at(t, l->join), LLVMBuildICmp(t->b, LLVMIntEQ, other, ir_u32(t, 0), ""), "");
}

LLVMValueRef exchange_plan(struct translator *t, const struct node *branch, LLVMValueRef lanes)
{
    struct loop l;
    if (!find_loop(t, branch, &l)) return NULL;
    uint32_t need = t->block->need + flow_block(t->flow, l.join->pc)->need;
    LLVMValueRef args[] = {t->sm,
                           lanes,
                           active(t),
                           LLVMBuildSelect(t->b, is_usual(t, &l), budget_left(t), ir_u32(t, 0), ""),
                           ir_u32(t, need),
                           ir_u32(t, counts_of_round(t, l.join, COUNT_INSTRUCTIONS)),
                           ir_u32(t, t->flow->request->order)};
    return call_function(t, "plan_exchange", args, 7);
}

void exchange_run(struct translator *t, const struct node *branch, LLVMValueRef lanes, LLVMValueRef plan)
{
    struct loop l;
    if (!find_loop(t, branch, &l)) return;
    count_iterations(t, &l, plan);
    take_turns(t, &l, lanes);
}
