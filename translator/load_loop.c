/* Loops that only compute and load, run lane by lane. In a loop like the one along a row of a sparse matrix,
 *
 *     again: vlw12.v w, (at)    rows    vblt k, end, again    join
 *
 * the warp takes as many iterations as its slowest lane, and if addresses are scattered, an iteration takes nearly as
 * long for a few lanes as for all. Nothing is stored, so lanes do not depend on each other. If the last iteration, of
 * any warp, found scattered addresses, each lane runs all its iterations here with scalars before the next lane begins,
 * and the counters get what the vector iterations would have counted (plan_load_loop in rows.c).
 *
 * The budget must allow all these iterations. If a lane has too many of them, its results are dropped and the loop runs
 * with vectors. If a load faults, it need not be the first one that would fault in vector order: the warp is restored
 * to the beginning of the loop, from where `step` finds the first (`jumped` in native/engine.c). Called by translate.c
 * in front of the block. */
#include "translator/access.h"

#include <string.h>

/* A block that is such a loop, and its vector registers. */
struct loop {
    const struct node *first, *last, *join; /* `last` is the branch, `join` is behind it */
    struct isa_registers in, out; /* read of the iteration before; written, and read by somebody behind the loop */
    uint64_t scalars;             /* written: what they hold follows from the number of the iteration */
    /* An instruction adds 1, once an iteration, to what the branch compares with a register that stays as it is: how
     * many iterations a lane takes is known in front of them. NULL: it is not. */
    const struct node *counter;
};

enum { COUNT_ROW = EXCHANGE_ROWS - 1 }; /* of the state: how many iterations each lane takes */

/* ---- which blocks ---- */

static bool is_load(const struct node *n)
{
    unsigned form = n->effects.memory.address;
    return n->how == HOW_LOAD && n->d.in.vm && (form == ADDRESS_LANES || form == ADDRESS_INDEXED);
}

static bool is_nothing(const struct node *n)
{
    return n->how == HOW_NOTHING || (n->how == HOW_CONTROL && n->effects.control == CONTROL_SETRPC && !n->d.in.rd);
}

static bool is_scalar_row(const struct node *n) { return n->how == HOW_ROW && isa_table[n->d.in.op].kind == KIND_X; }

/* Nothing but rows and at least one load, of which one lane's words are enough. */
static bool is_loop(const struct translator *t, const struct block *block)
{
    const struct node *n = &t->flow->nodes[block->first], *last = n + block->count - 1;
    unsigned loads = 0;
    if (!block->count || last->how != HOW_CONTROL || last->effects.control != CONTROL_VBRANCH || !last->d.in.vm)
        return false;
    for (; n < last; n++) {
        if (!is_load(n) && !is_nothing(n) && !is_scalar_row(n) && !is_plain_row(n)) return false;
        loads += is_load(n);
    }
    return loads && node_target(last) == block->pc;
}

static bool meets(const struct isa_registers *a, const struct isa_registers *b)
{
    uint64_t common = 0;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) common |= a->v[i] & b->v[i];
    return common != 0;
}

/* What follows from loads, and from what does so where an iteration begins. True: an address follows from the latter.
 */
static bool follow_loads(const struct translator *t, const struct loop *l, struct isa_registers *loaded)
{
    struct isa_registers before = *loaded;
    for (const struct node *n = l->first; n < l->last; n++) {
        struct isa_registers r = node_read(n), w = node_written(t->flow, n);
        bool from_load = is_load(n) || meets(&r, loaded), from_before = meets(&r, &before);
        if (is_load(n) && from_before) return true;
        for (unsigned i = 0; i < ISA_VREGS / 64; i++) {
            loaded->v[i] = from_load ? loaded->v[i] | w.v[i] : loaded->v[i] & ~w.v[i];
            before.v[i] = from_before && !is_load(n) ? before.v[i] | w.v[i] : before.v[i] & ~w.v[i];
        }
    }
    return false;
}

/* Does an iteration load from an address that the one before has loaded, as along a list? Vectors then wait for memory
 * once an iteration, lanes one by one once a lane. */
static bool is_chain(const struct translator *t, const struct loop *l)
{
    struct isa_registers loaded = {0}, more = {0};
    do {
        registers_add(&loaded, &more);
        more = loaded;
        if (follow_loads(t, l, &more)) return true;
    } while (!registers_within(&more, &loaded));
    return false;
}

/* The only instruction in front of `end` that writes a register, of the vector's or the scalar ones; NULL: there are
 * others, or none. */
static const struct node *only_writer(const struct translator *t, const struct loop *l, const struct node *end,
                                      bool vector, unsigned r)
{
    const struct node *writer = NULL;
    unsigned writers = 0, before = 0;
    for (const struct node *n = l->first; n < l->last; n++) {
        const struct isa_registers w = node_written(t->flow, n);
        if (!(vector ? set_has(w.v, r) : (w.x >> r & 1) != 0)) continue;
        writers++, before += n < end, writer = n;
    }
    return writers == 1 && before == 1 ? writer : NULL;
}

static bool adds_one(const struct node *n, unsigned op, unsigned from)
{
    return n && n->how == HOW_ROW && n->d.in.op == op && n->d.in.vm && from == n->d.in.rd && n->d.in.imm == 1;
}

/* Of a counter in a vector register, or in a scalar one of which each iteration makes a vector. */
static const struct node *find_counter(const struct translator *t, const struct loop *l,
                                       const struct isa_registers *all)
{
    const struct insn *in = &l->last->d.in;
    if (in->op != OP_VBLT && in->op != OP_VBLTU && in->op != OP_VBNE) return NULL;
    const struct node *n = only_writer(t, l, l->last, true, in->rs2);
    if (!n || set_has(all->v, in->rs1)) return NULL;
    if (adds_one(n, OP_VADD_VI, n->d.in.rs2)) return n;
    if (n->how != HOW_ROW || n->d.in.op != OP_VMV_V_X || !n->d.in.vm) return NULL;
    n = only_writer(t, l, n, false, n->d.in.rs1);
    return n && adds_one(n, OP_ADDI, n->d.in.rs1) ? n : NULL;
}

/* What is read behind the loop of what it writes: by its lanes, which go on behind the join, or by others from them. */
static struct isa_registers read_behind(const struct translator *t, const struct loop *l)
{
    struct isa_registers live = live_in(&t->liveness, l->join->pc, t->version);
    if (t->version == FULL || !t->liveness.facts->closed) return live;
    struct isa_registers own = live_in(&t->liveness, node_next(l->join), MASKED);
    const struct isa_registers whole = inactive_read_whole(t->flow);
    registers_add(&own, &whole);
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) live.v[i] &= own.v[i];
    return live;
}

static bool find_loop(const struct translator *t, const struct block *block, struct loop *l)
{
    struct isa_registers all = {0};
    if (!is_loop(t, block)) return false;
    *l = (struct loop){.first = &t->flow->nodes[block->first]};
    l->last = l->first + block->count - 1;
    l->join = join_behind(t, l->last);
    if (!l->join || is_chain(t, l)) return false;
    for (const struct node *n = l->first; n <= l->last; n++) {
        struct isa_registers r = node_read(n), w = node_written(t->flow, n);
        for (unsigned i = 0; i < ISA_VREGS / 64; i++) l->in.v[i] |= r.v[i] & ~all.v[i];
        registers_add(&all, &w);
    }
    l->scalars = all.x & ~1ull;
    l->counter = find_counter(t, l, &all);
    l->out = read_behind(t, l);
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) l->out.v[i] &= all.v[i];
    if (count_registers(&l->in) > COUNT_ROW) l->counter = NULL;
    return count_registers(&l->in) <= EXCHANGE_ROWS && count_registers(&l->out) <= EXCHANGE_ROWS;
}

bool load_loop_can(const struct translator *t, const struct block *block)
{
    struct loop l;
    return t->scattered[block - t->flow->blocks] && find_loop(t, block, &l);
}

/* ---- whether it pays ---- */

/* Variables hold what was found in the iterations of any warp: 0 at first. There are none where gathers are fast
 * (sparse rows then take 0.68 of the time with vectors), and none in convergent code: lanes that run one by one
 * diverge, and the facts of such code hold only while they do not. */
void load_loop_make(struct translator *t)
{
    struct loop l;
    t->runs = LLVMBuildAlloca(t->b, t->i32, "runs");
    LLVMBuildStore(t->b, ir_u32(t, 0), t->runs);
    if (t->flow->request->lanes == LANES_CONVERGENT || has_fast_gathers(t)) return;
    t->longest = LLVMBuildAlloca(t->b, t->i32, "longest");
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (t->used.x >> r & 1) t->last_x[r] = LLVMBuildAlloca(t->b, t->i32, "last");
    for (size_t i = 0; i < t->flow->nblocks; i++) {
        const struct block *block = &t->flow->blocks[i];
        bool own = lanes_have_registers(t, block);
        if (!find_loop(t, block, &l) || !own) continue;
        t->scattered[i] = LLVMBuildAlloca(t->b, t->i32, "scattered");
        LLVMBuildStore(t->b, ir_u32(t, 0), t->scattered[i]);
    }
}

static LLVMValueRef scattered_of(const struct translator *t) { return t->scattered[t->block - t->flow->blocks]; }

/* What is missing to 0 stays. */
static void forget_scattered(struct translator *t)
{
    LLVMValueRef args[] = {LLVMBuildLoad2(t->b, t->i32, scattered_of(t), ""), ir_u32(t, 0)};
    LLVMBuildStore(t->b, ir_intrinsic(t, "llvm.smin", &t->i32, 1, args, 2), scattered_of(t));
}

/* How many iterations the budget and the array of their counts allow. */
static LLVMValueRef rounds_allowed(struct translator *t, const struct loop *l)
{
    LLVMValueRef args[] = {budget_left(t), ir_u32(t, t->block->need + flow_block(t->flow, l->join->pc)->need)};
    LLVMValueRef most[] = {NULL, ir_u32(t, RUN_ROUNDS - 1)};
    LLVMValueRef left = ir_intrinsic(t, "llvm.usub.sat", &t->i32, 1, args, 2);
    most[0] = LLVMBuildUDiv(t->b, left, ir_u32(t, counts_of_round(t, l->join, COUNT_INSTRUCTIONS)), "");
    return ir_intrinsic(t, "llvm.umin", &t->i32, 1, most, 2);
}

/* A load without shape of all lanes takes as long as so many instructions of one lane (bench/measurements.md);
 * ROUNDS_LEAST is a guess. */
enum { SCATTERED_COST = 400, ROUNDS_LEAST = 8 };

/* In the same measure, guesses: saving the warp and counting its iterations; the branch by which each lane leaves,
 * which the host does not foresee; an iteration with vectors, and each lane that one of its loads serves. Where vectors
 * would have been faster, so many scattered loads pass before lanes run one by one again. */
enum { RUN_COST = 800, LANE_COST = 100, ROUND_COST = 150, SCATTERED_LANE_COST = 20, LOADS_UNTIL_LANES = 1024 };

/* Do the iterations of the active lanes, one by one, take less time than one with vectors? No, as long as the number of
 * scattered loads is below 0. */
static LLVMValueRef is_faster(struct translator *t)
{
    LLVMValueRef own = LLVMBuildMul(t->b, ir_popcount(t, active(t)), ir_u32(t, (unsigned)t->block->count), "");
    LLVMValueRef scattered = LLVMBuildLoad2(t->b, t->i32, scattered_of(t), "");
    return LLVMBuildICmp(t->b, LLVMIntSLT, own, LLVMBuildMul(t->b, scattered, ir_u32(t, SCATTERED_COST), ""), "");
}

/* Do lanes diverge for the join behind the loop, in the first iteration and, if that sets for which, in those behind
 * it?
 */
static LLVMValueRef always_meet(struct translator *t, const struct loop *l)
{
    LLVMValueRef meet = meet_at(t, l->join);
    for (const struct node *n = l->first; n < l->last; n++) {
        if (n->effects.control != CONTROL_SETRPC) continue;
        LLVMValueRef same = LLVMBuildICmp(t->b, LLVMIntEQ, value_of_row(t, n), ir_u32(t, l->join->pc), "");
        meet = LLVMBuildAnd(t->b, meet, same, "");
    }
    return meet;
}

/* Do they so, with a budget for it? */
static LLVMValueRef is_usual(struct translator *t, const struct loop *l, LLVMValueRef most)
{
    LLVMValueRef enough = LLVMBuildICmp(t->b, LLVMIntUGE, most, ir_u32(t, ROUNDS_LEAST), "");
    LLVMValueRef may = LLVMBuildLoad2(t->b, t->i1, t->may_run, "");
    return LLVMBuildAnd(t->b, LLVMBuildAnd(t->b, always_meet(t, l), enough, ""), may, "");
}

/* ---- how many iterations ---- */

/* The branch compares behind the addition, which may wrap around: at least one, also where the counter begins behind
 * the end. 0 stands for 2^32. */
static LLVMValueRef count_of(struct translator *t, const struct loop *l, LLVMValueRef counter, LLVMValueRef end)
{
    const unsigned op = l->last->d.in.op;
    LLVMValueRef one = ir_splat(t, ir_u32(t, 1)), difference = LLVMBuildSub(t->b, end, counter, "");
    if (op == OP_VBNE) return difference;
    LLVMValueRef first = LLVMBuildAdd(t->b, counter, one, "");
    LLVMValueRef more = LLVMBuildICmp(t->b, op == OP_VBLT ? LLVMIntSLT : LLVMIntULT, first, end, "");
    return LLVMBuildSelect(t->b, more, difference, one, "");
}

/* Puts the counts of all lanes into their row. Goes to `bad` if there are too many in one. */
static void save_counts(struct translator *t, const struct loop *l, LLVMValueRef most, LLVMBasicBlockRef bad)
{
    const struct insn *in = &l->last->d.in;
    const bool vector = l->counter->d.in.op == OP_VADD_VI;
    LLVMBasicBlockRef on = ir_block(t, "");
    struct lanes counter = {0}, end = get_values(t, in->rs1), beyond = {0};
    if (vector) counter = get_values(t, l->counter->d.in.rs2);
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef from = vector ? counter.chunk[p] : ir_splat(t, get_x(t, l->counter->d.in.rs1));
        LLVMValueRef n = count_of(t, l, from, end.chunk[p]),
                     last = LLVMBuildSub(t->b, n, ir_splat(t, ir_u32(t, 1)), "");
        LLVMValueRef more = LLVMBuildICmp(t->b, LLVMIntUGE, last, ir_splat(t, most), "");
        ir_store(t, n, row_of(t, COUNT_ROW), p * t->words * 4);
        beyond.chunk[p] = LLVMBuildSExt(t->b, more, t->chunk_type, "");
    }
    LLVMValueRef too_many = LLVMBuildAnd(t->b, bits_of(t, beyond), active(t), "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, too_many, ir_u32(t, 0), ""), on, bad);
    ir_at(t, on);
}

/* ---- one lane ---- */

/* Words that are raw stay so where the iteration that follows takes them for raw. */
static void make_words_exact(struct translator *t, const struct loop *l, const struct facts *head)
{
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(l->in.v, r) && t->holds.v[r].raw && !head->v[r].raw) get_own(t, r);
}

static LLVMValueRef run_round(struct translator *t, const struct loop *l)
{
    for (const struct node *n = l->first, *next; n < l->last; n = next) {
        next = n + (single_is_pair(n, l->last) ? 2 : 1);
        if (next == n + 2) single_try_load_pair(t, n);
        else if (is_load(n)) set_own(t, n->d.in.rd, single_try_load(t, n, NULL));
        else if (is_scalar_row(n)) set_x(t, n->d.in.rd, value_of_row(t, n));
        else if (!is_nothing(n)) set_own(t, n->d.in.rd, single_raw_row(t, n));
        for (const struct node *passed = n; passed < next; passed++) facts_step(&t->holds, passed, t->flow);
    }
    return LLVMBuildICmp(t->b, LLVMIntNE, single_row(t, l->last), ir_u32(t, 0), "");
}

/* All iterations of a lane, whose words are loaded; returns how many, which `count` says if it is not NULL. */
static LLVMValueRef run_lane(struct translator *t, const struct loop *l, LLVMValueRef count, LLVMValueRef most,
                             LLVMBasicBlockRef bad)
{
    const struct facts head = t->holds;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), iteration = ir_block(t, "iteration"), back = ir_block(t, "back");
    LLVMBasicBlockRef over = ir_block(t, "over");
    LLVMValueRef one = ir_u32(t, 1), number, next;
    LLVMBuildBr(t->b, iteration);
    ir_at(t, iteration);
    number = LLVMBuildPhi(t->b, t->i32, "");
    LLVMAddIncoming(number, &one, &from, 1);
    LLVMValueRef again = run_round(t, l);
    if (count) again = LLVMBuildICmp(t->b, LLVMIntNE, number, count, "");
    LLVMBuildCondBr(t->b, again, back, over);
    const struct facts behind = t->holds;
    ir_at(t, back);
    make_words_exact(t, l, &head);
    next = LLVMBuildAdd(t->b, number, one, "");
    from = LLVMGetInsertBlock(t->b);
    LLVMAddIncoming(number, &next, &from, 1);
    if (count) LLVMBuildBr(t->b, iteration);
    else ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntULE, next, most, ""), iteration, bad);
    ir_at(t, over);
    t->holds = behind;
    return count ? count : number;
}

/* Each lane begins with what the scalar registers hold in front of the loop; behind it they hold what the lane with
 * most iterations leaves there. */
static void set_scalars(struct translator *t, const struct loop *l, LLVMValueRef *value)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (l->scalars >> r & 1) set_x(t, r, value[r]);
}

static void get_scalars(struct translator *t, const struct loop *l, LLVMValueRef *value)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (l->scalars >> r & 1) value[r] = get_x(t, r);
}

static void note_scalars(struct translator *t, const struct loop *l, LLVMValueRef number)
{
    LLVMValueRef most = LLVMBuildLoad2(t->b, t->i32, t->longest, ""), value[ISA_XREGS];
    LLVMValueRef longer = LLVMBuildICmp(t->b, LLVMIntUGT, number, most, "");
    LLVMBuildStore(t->b, LLVMBuildSelect(t->b, longer, number, most, ""), t->longest);
    get_scalars(t, l, value);
    for (unsigned r = 1; r < ISA_XREGS; r++) {
        if (!(l->scalars >> r & 1)) continue;
        LLVMValueRef last = LLVMBuildLoad2(t->b, t->i32, t->last_x[r], "");
        LLVMBuildStore(t->b, LLVMBuildSelect(t->b, longer, value[r], last, ""), t->last_x[r]);
    }
}

static void take_scalars(struct translator *t, const struct loop *l)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (l->scalars >> r & 1) set_x(t, r, LLVMBuildLoad2(t->b, t->i32, t->last_x[r], ""));
}

static void run_each(struct translator *t, const struct loop *l, LLVMValueRef most, LLVMValueRef *scalars,
                     LLVMBasicBlockRef bad)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->b), loop = ir_block(t, "each"), done = ir_block(t, "");
    LLVMValueRef left, more, number, count = NULL, lanes = active(t);
    LLVMBuildStore(t->b, ir_u32(t, 0), t->longest);
    LLVMBuildBr(t->b, loop);
    ir_at(t, loop);
    left = LLVMBuildPhi(t->b, t->i32, "");
    LLVMAddIncoming(left, &lanes, &before, 1);
    LLVMValueRef args[] = {left, LLVMConstInt(t->i1, 1, false)};
    LLVMValueRef lane = ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2);
    LLVMValueRef index = LLVMBuildZExt(t->b, lane, t->i64, "");
    LLVMBuildStore(t->b, lane, t->lane);
    load_words(t, &l->in, index);
    if (l->counter) { /* noted while the host loads */
        count = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, row_of(t, COUNT_ROW), &index, 1, ""), "");
        call_function(t, "note_run", (LLVMValueRef[]){t->state, count}, 2);
    }
    set_scalars(t, l, scalars);
    number = run_lane(t, l, count, most, bad);
    save_words(t, &l->out, index);
    note_scalars(t, l, number);
    if (!count) call_function(t, "note_run", (LLVMValueRef[]){t->state, number}, 2);
    more = LLVMBuildAnd(t->b, left, LLVMBuildSub(t->b, left, ir_u32(t, 1), ""), "");
    before = LLVMGetInsertBlock(t->b);
    LLVMAddIncoming(left, &more, &before, 1);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, more, ir_u32(t, 0), ""), loop, done);
    ir_at(t, done);
    take_scalars(t, l);
}

/* ---- before and behind ---- */

/* Every lane leaves the loop once, the last ones together; the branch's target is the loop's beginning. */
static void tally_load_loop(struct translator *t, const struct loop *l, LLVMValueRef rounds, LLVMValueRef lanes,
                            LLVMValueRef diverged, LLVMValueRef met)
{
    if (!t->tallies) return;
    LLVMValueRef others = LLVMBuildSub(t->b, LLVMBuildSub(t->b, rounds, diverged, ""), ir_u32(t, 1), "");
    tally_iterations(t, l->join, rounds, lanes, diverged, met);
    tally(t, t->block, TALLY_DIVERGED, diverged);
    tally(t, t->block, TALLY_TAKEN_MASKED, others);
    tally(t, t->block, TALLY_TAKEN_LANES, LLVMBuildSub(t->b, lanes, ir_popcount(t, active(t)), ""));
}

enum { ROUNDS, LANES, PARTED, MET, PARTS }; /* of what plan_load_loop returns */

static void take_parts(struct translator *t, LLVMValueRef plan, LLVMValueRef *part)
{
    for (unsigned i = 0; i < PARTS; i++) {
        LLVMValueRef at = LLVMBuildLShr(t->b, plan, ir_u64(t, 16ull * i), "");
        part[i] = LLVMBuildAnd(t->b, LLVMBuildTrunc(t->b, at, t->i32, ""), ir_u32(t, 0xffff), "");
    }
}

static void count_iterations(struct translator *t, const struct loop *l, LLVMValueRef *part)
{
    LLVMValueRef all = LLVMBuildLoad2(t->b, t->counts_type, t->counts, "");
    for (unsigned i = 0; i < NATIVE_COUNTS; i++) {
        bool lanes = i == COUNT_LANES;
        unsigned k = lanes ? COUNT_VECTOR : i;
        LLVMValueRef iterations = LLVMBuildMul(t->b, part[lanes ? LANES : ROUNDS], ir_u32(t, t->counted[k]), "");
        LLVMValueRef joins =
            LLVMBuildMul(t->b, part[lanes ? MET : PARTED], ir_u32(t, (lanes ? 1u : 2u) * l->join->counts[k]), "");
        LLVMValueRef n = LLVMBuildAdd(t->b, LLVMBuildExtractElement(t->b, all, ir_u32(t, i), ""), iterations, "");
        all = LLVMBuildInsertElement(t->b, all, LLVMBuildAdd(t->b, n, joins, ""), ir_u32(t, i), "");
    }
    LLVMBuildStore(t->b, all, t->counts);
    tally_load_loop(t, l, part[ROUNDS], part[LANES], part[PARTED], part[MET]);
}

/* Moves what the lanes have computed into the registers; `holds` are the facts about it. */
static void take_results(struct translator *t, const struct loop *l, const struct facts *holds)
{
    for (unsigned r = 0, row = EXCHANGE_ROWS; r < ISA_VREGS; r++) {
        struct v_fact old = t->kept[r], value = holds->v[r], merged;
        if (!set_has(l->out.v, r)) continue;
        value.raw = false;
        merged = t->version == FULL ? value : fact_of_merged(value, old);
        for (unsigned p = 0; p < t->chunks; p++) {
            LLVMValueRef now = ir_load(t, t->chunk_type, row_of(t, row), p * t->words * 4);
            LLVMValueRef before = LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], "");
            if (old.raw && !merged.raw) before = canonical(t, before);
            if (t->version == MASKED) now = LLVMBuildSelect(t->b, t->chunk_lanes[p], now, before, "");
            LLVMBuildStore(t->b, now, t->v[r][p]);
        }
        t->stored[r] = merged;
        row++;
    }
}

static LLVMValueRef times(struct translator *t, LLVMValueRef number, LLVMValueRef cost)
{
    return LLVMBuildMul(t->b, number, cost, "");
}

/* Have lanes probably taken longer than vectors would have? */
static LLVMValueRef was_slower(struct translator *t, LLVMValueRef scattered, LLVMValueRef *part)
{
    LLVMValueRef rounds = LLVMBuildAdd(t->b, part[ROUNDS], part[PARTED], "");
    LLVMValueRef loads = times(t, part[LANES], times(t, scattered, ir_u32(t, SCATTERED_LANE_COST)));
    LLVMValueRef vectors = LLVMBuildAdd(t->b, times(t, rounds, ir_u32(t, ROUND_COST)), loads, "");
    LLVMValueRef own = times(t, part[LANES], ir_u32(t, (unsigned)t->block->count));
    own = LLVMBuildAdd(t->b, own, times(t, ir_popcount(t, active(t)), ir_u32(t, LANE_COST)), "");
    return LLVMBuildICmp(t->b, LLVMIntUGT, LLVMBuildAdd(t->b, own, ir_u32(t, RUN_COST), ""), vectors, "");
}

/* Now and then an iteration runs with vectors, to see whether the addresses have a shape by now. */
static void look_again(struct translator *t, LLVMValueRef *part)
{
    enum { EVERY = 32 }; /* a guess */
    LLVMValueRef runs = LLVMBuildAdd(t->b, LLVMBuildLoad2(t->b, t->i32, t->runs, ""), ir_u32(t, 1), "");
    LLVMValueRef low = LLVMBuildAnd(t->b, runs, ir_u32(t, EVERY - 1), "");
    LLVMValueRef now = LLVMBuildICmp(t->b, LLVMIntEQ, low, ir_u32(t, 0), "");
    LLVMValueRef scattered = LLVMBuildLoad2(t->b, t->i32, scattered_of(t), "");
    LLVMValueRef next = LLVMBuildSelect(t->b, now, ir_u32(t, 0), scattered, "");
    next = LLVMBuildSelect(t->b, was_slower(t, scattered, part), ir_u32(t, (uint32_t)-LOADS_UNTIL_LANES), next, "");
    LLVMBuildStore(t->b, runs, t->runs);
    LLVMBuildStore(t->b, next, scattered_of(t));
}

/* The loop runs with vectors, and the warp does not try again soon. */
static void give_up(struct translator *t, const struct loop *l, LLVMValueRef *scalars, LLVMBasicBlockRef bad,
                    LLVMBasicBlockRef together)
{
    ir_at(t, bad);
    set_scalars(t, l, scalars);
    lanes_set_pc(t, 0);
    call_function(t, "forget_runs", &t->state, 1);
    LLVMBuildStore(t->b, LLVMConstInt(t->i1, 0, false), t->may_run);
    LLVMBuildBr(t->b, together);
}

static void run(struct translator *t, const struct loop *l, LLVMValueRef most, LLVMBasicBlockRef together)
{
    LLVMBasicBlockRef bad = ir_block(t, "bad"), on = ir_block(t, "");
    const struct facts head = t->holds;
    LLVMValueRef scalars[ISA_XREGS];
    get_scalars(t, l, scalars);
    if (l->counter) save_counts(t, l, most, bad);
    lanes_save_warp(t);
    save_rows(t, &l->in);
    lanes_set_pc(t, t->block->pc);
    run_each(t, l, most, scalars, bad);
    lanes_set_pc(t, 0);
    const struct facts behind = t->holds;
    t->holds = head;
    t->known = (struct isa_registers){0};
    LLVMValueRef args[] = {t->sm, t->state, ir_popcount(t, active(t)), ir_u32(t, t->flow->request->order)};
    LLVMValueRef plan = call_function(t, "plan_load_loop", args, 4), part[PARTS];
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntNE, plan, ir_u64(t, 0), ""), on, bad);
    ir_at(t, on);
    take_parts(t, plan, part);
    count_iterations(t, l, part);
    take_results(t, l, &behind);
    look_again(t, part);
    go_to(t, l->join->pc, t->version);
    memcpy(t->stored, t->kept, sizeof t->stored);
    give_up(t, l, scalars, bad, together);
}

/* Might what the branch compares be a NaN that is not canonical yet? A lane alone makes it so, save_counts does not. */
static bool has_raw_count(const struct translator *t, const struct loop *l)
{
    return t->holds.v[l->last->d.in.rs1].raw || t->holds.v[l->last->d.in.rs2].raw;
}

void run_lanes(struct translator *t)
{
    struct loop l;
    LLVMBasicBlockRef look = ir_block(t, "look"), begin = ir_block(t, "run"), together = ir_block(t, "convergent");
    find_loop(t, t->block, &l);
    if (l.counter && has_raw_count(t, &l)) l.counter = NULL;
    LLVMBuildCondBr(t->b, is_faster(t), look, together);
    ir_at(t, look);
    LLVMValueRef most = rounds_allowed(t, &l);
    LLVMBuildCondBr(t->b, is_usual(t, &l, most), begin, together);
    ir_at(t, begin);
    run(t, &l, most, together);
    ir_at(t, together);
    forget_scattered(t);
}
