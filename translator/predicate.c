/* Divergent branches without the SIMT stack: where the lanes of a warp part over a few blocks, these are translated in
 * the branch's place, each under its mask. The stack is made as `step` would have it only where the warp is given back
 * meanwhile, so a full warp needs none, and goes on as a full one behind the join. Called by control.c.
 *
 * Which path runs first shows in memory, in scalar registers and, where one of them stops, in the counters. Paths that
 * have something of the kind are there in either order. */
#include "translator/translator.h"

#include <string.h>

/* What comes of more instructions than this, or of branches in more branches, is left to the stack. Guesses. */
enum { PREDICATED_MOST = 64, PREDICATED_LEVELS = 3 };

/* ---- which ---- */

/* A path, from its first block to the join. */
struct path_size {
    unsigned nodes;   /* that are translated for it; 0 if there is none */
    unsigned moves;   /* among them, from register to register, as around calls: the host has none */
    unsigned levels;  /* of branches on it */
    bool leaves;      /* the warp may be given back on it */
    bool sets_rpc;    /* the reconvergence point of branches changes */
    uint64_t written; /* scalar registers */
};

static bool is_empty(const struct path_size *p) { return !p->nodes; }

static bool is_too_long(const struct path_size *p) { return p->nodes - p->moves > PREDICATED_MOST; }

static bool sets_rpc(const struct node *n) { return n->how == HOW_CONTROL && n->effects.control == CONTROL_SETRPC; }

static bool ends_block(const struct node *n) { return n->how == HOW_CONTROL && !sets_rpc(n); }

static bool add_node(const struct translator *t, const struct node *n, struct path_size *size)
{
    size->written |= node_written(t->flow, n).x;
    size->nodes++;
    size->moves += n->how == HOW_ROW && n->d.in.op == OP_VMV_V_V;
    switch ((enum how)n->how) {
    case HOW_ROW:
    case HOW_CSR:
    case HOW_NOTHING:
    case HOW_ROUTINE: return true;
    case HOW_LOAD:
    case HOW_STORE:
    case HOW_ATOMIC: return size->leaves = true;
    default: size->sets_rpc |= sets_rpc(n); return sets_rpc(n);
    }
}

static bool measure_branch(const struct translator *t, const struct node *n, unsigned most, struct path_size *size);

/* Adds a block to a path, with the paths of its branch, in which there are at most so many levels. *to: where control
 * goes on. */
static bool measure_block(const struct translator *t, const struct block *b, unsigned most, struct path_size *size,
                          uint32_t *to)
{
    const struct node *n = &t->flow->nodes[b->first], *end = n + b->count;
    if (b->leaves || b->checked || &t->functions.list[function_of(&t->functions, b)] != t->current) return false;
    if (!t->facts.reached[b - t->flow->blocks][MASKED]) return false;
    *to = b->end;
    for (; n < end && !ends_block(n); n++)
        if (!add_node(t, n, size)) return false;
    if (n == end) return true;
    size->nodes++;
    switch (n->effects.control) {
    case CONTROL_JUMP: *to = node_target(n); return !n->d.in.rd;
    case CONTROL_JOIN: return true;
    case CONTROL_VBRANCH: *to = paths_rpc(&t->facts.paths, n); return measure_branch(t, n, most, size);
    default: return false;
    }
}

static bool measure_path(const struct translator *t, uint32_t pc, uint32_t join, unsigned most, struct path_size *size)
{
    while (pc != join) {
        const struct block *b = flow_block(t->flow, pc);
        const uint32_t at = pc;
        if (!b || pc > join || is_too_long(size) || !measure_block(t, b, most, size, &pc) || pc <= at) return false;
    }
    return !is_too_long(size);
}

/* Do the paths of a branch run in the order that the lanes tell? */
static bool are_ordered(const struct translator *t, const struct node *n, const struct path_size *next,
                        const struct path_size *target)
{
    const uint64_t at_next = live_at(&t->liveness, node_next(n)).x, at_target = live_at(&t->liveness, node_target(n)).x;
    const uint64_t behind = live_at(&t->liveness, paths_rpc(&t->facts.paths, n)).x;
    if (is_empty(next) || is_empty(target)) return false;
    if (next->leaves || target->leaves || (next->sets_rpc && target->sets_rpc)) return true;
    return (next->written & (at_target | behind)) || (target->written & (at_next | behind));
}

static bool measure_paths(const struct translator *t, const struct node *n, unsigned most, struct path_size *next,
                          struct path_size *target)
{
    const uint32_t join = paths_rpc(&t->facts.paths, n);
    return join > n->pc && begins_with_join(t, join) && measure_path(t, node_next(n), join, most, next) &&
           measure_path(t, node_target(n), join, most, target);
}

static bool measure_branch(const struct translator *t, const struct node *n, unsigned most, struct path_size *size)
{
    struct path_size next = {0}, target = {0};
    if (!most || !measure_paths(t, n, most - 1, &next, &target)) return false;
    const unsigned levels = 1 + (next.levels > target.levels ? next.levels : target.levels);
    if (levels > size->levels) size->levels = levels;
    const unsigned times = are_ordered(t, n, &next, &target) ? 2 : 1;
    size->nodes += (next.nodes + target.nodes) * times, size->moves += (next.moves + target.moves) * times;
    size->leaves |= next.leaves || target.leaves;
    size->sets_rpc |= next.sets_rpc || target.sets_rpc;
    size->written |= next.written | target.written;
    return true;
}

/* Do warps go on behind the join in this version? */
static bool goes_on(const struct translator *t, const struct block *join, enum version version)
{
    const bool *reached = t->facts.reached[join - t->flow->blocks];
    const struct join_ways ways = facts_join(&t->facts, join);
    return reached[MASKED] && reached[version] && (version == FULL ? ways.full : ways.some);
}

/* Where quanta do not end late, the budget is for one path (`need` of struct block). */
static bool may_run(const struct translator *t)
{
    return !t->tallies && t->flow->request->late && t->flow->request->effort != EFFORT_LEAST;
}

unsigned predicate_levels(const struct translator *t, const struct node *n)
{
    struct path_size size = {0};
    if (!may_run(t) || !measure_branch(t, n, PREDICATED_LEVELS, &size) || is_too_long(&size)) return 0;
    const struct block *join = flow_block(t->flow, paths_rpc(&t->facts.paths, n));
    const struct function *function = &t->functions.list[function_of(&t->functions, join)];
    return function == t->current && goes_on(t, join, t->version) ? size.levels : 0;
}

/* ---- their code ---- */

/* Of a branch whose paths are being run. */
struct predicated {
    const struct predicated *outer; /* the branch on whose path this one is; NULL: none */
    uint32_t join;                  /* address */
    LLVMValueRef all, depth;        /* lanes and entries of the SIMT stack in front of the branch */
    LLVMValueRef diverged;          /* do lanes run both paths? */
    /* Of the path in progress: lanes that run the other one, where that begins, and whether this one runs first. */
    LLVMValueRef others, first;
    uint32_t other;
};

static LLVMValueRef number_of(struct translator *t, LLVMValueRef flag) { return LLVMBuildZExt(t->b, flag, t->i32, ""); }

/* Entries on the stack on the path in progress. */
static LLVMValueRef depth_on(struct translator *t, const struct predicated *p)
{
    LLVMValueRef own = LLVMBuildAdd(t->b, number_of(t, p->first), ir_u32(t, 1), "");
    own = LLVMBuildSelect(t->b, p->diverged, own, ir_u32(t, 0), "");
    return LLVMBuildAdd(t->b, p->depth, own, "");
}

static void push(struct translator *t, const struct predicated *p)
{
    LLVMValueRef join = ir_u32(t, p->join), below = LLVMBuildAdd(t->b, p->depth, ir_u32(t, 1), "");
    if (p->outer) push(t, p->outer);
    fill_entry(t, stack_entry(t, p->depth), join, join, p->all);
    fill_entry(t, stack_entry(t, below), join, ir_u32(t, p->other), p->others);
}

void predicate_push(struct translator *t)
{
    push(t, t->predicated);
    ir_store(t, depth_on(t, t->predicated), warp(t), offsetof(struct warp, depth));
}

/* Joins of branches, which count nothing but an instruction each. */
static void count_joins(struct translator *t, LLVMValueRef n)
{
    LLVMValueRef counts = LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), index = ir_u32(t, COUNT_INSTRUCTIONS);
    LLVMValueRef sum = LLVMBuildAdd(t->b, LLVMBuildExtractElement(t->b, counts, index, ""), n, "");
    LLVMBuildStore(t->b, LLVMBuildInsertElement(t->b, counts, sum, index, ""), t->counts);
}

/* The variables become what a block expects, and another one, that this may come to; nothing else comes there. */
static void arrive(struct translator *t, uint32_t pc, uint32_t other)
{
    const struct facts *here = &t->facts.in[flow_block(t->flow, pc) - t->flow->blocks][MASKED];
    const struct facts *there = &t->facts.in[flow_block(t->flow, other) - t->flow->blocks][MASKED];
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (t->stored[r].raw && !(here->v[r].raw && there->v[r].raw)) make_exact(t, r);
}

static void run_branch(struct translator *t, const struct node *n);

/* A path for some lanes, from a block to the join. */
static void run_path(struct translator *t, uint32_t pc, uint32_t join, LLVMValueRef lanes)
{
    while (pc != join) {
        const struct block *b = flow_block(t->flow, pc);
        const struct node *last = b->count ? &t->flow->nodes[b->first + b->count - 1] : NULL;
        const unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
        arrive(t, pc, pc);
        set_mask(t, lanes);
        begin_block(t, b, MASKED, &t->facts.in[b - t->flow->blocks][MASKED]);
        count_block(t);
        translate_nodes(t, b);
        pc = control == CONTROL_JUMP ? node_target(last) : b->end;
        if (control == CONTROL_VBRANCH) run_branch(t, last), pc = paths_rpc(&t->facts.paths, last);
        else settle_at_end(t);
    }
}

/* One of a branch's paths. */
struct side {
    uint32_t pc;
    LLVMValueRef lanes, first; /* that run it; does it run first? */
    LLVMValueRef met;          /* how often lanes come to the join in front of it, and are yet to be counted; NULL: 0 */
};

/* `next`: where control can go if no lane runs it, and comes behind it. */
static void run_side(struct translator *t, struct predicated *p, const struct side *s, const struct side *other,
                     uint32_t next)
{
    LLVMBasicBlockRef some = ir_block(t, "some"), none = ir_block(t, "none"), on = ir_block(t, "");
    struct v_fact stored[ISA_VREGS];
    memcpy(stored, t->stored, sizeof stored);
    LLVMValueRef any = LLVMBuildICmp(t->b, LLVMIntNE, s->lanes, ir_u32(t, 0), "");
    LLVMBuildCondBr(t->b, p->outer ? any : LLVMConstInt(t->i1, 1, false), some, none);
    ir_at(t, none);
    arrive(t, p->join, next);
    LLVMBuildBr(t->b, on);
    memcpy(t->stored, stored, sizeof stored);
    ir_at(t, some);
    p->others = other->lanes, p->other = other->pc, p->first = s->first;
    t->predicated = p;
    if (s->met) count_joins(t, s->met);
    run_path(t, s->pc, p->join, s->lanes);
    t->predicated = p->outer;
    arrive(t, p->join, next);
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
}

/* Both paths, the first one first. */
static void run_in_turn(struct translator *t, struct predicated *p, struct side first, struct side second)
{
    first.first = LLVMConstInt(t->i1, 1, false), second.first = LLVMConstInt(t->i1, 0, false);
    second.met = number_of(t, p->diverged);
    run_side(t, p, &first, &second, second.pc);
    run_side(t, p, &second, &first, p->join);
    count_joins(t, second.met);
}

/* One path, or two in any order. */
static void run_apart(struct translator *t, struct predicated *p, struct side *next, struct side *target, bool leaves)
{
    LLVMValueRef met = NULL, both = LLVMBuildMul(t->b, number_of(t, p->diverged), ir_u32(t, 2), "");
    const bool is_next = next->pc != p->join, is_target = target->pc != p->join;
    struct side *only = is_next ? next : target;
    if (leaves) met = number_of(t, LLVMBuildAnd(t->b, p->diverged, LLVMBuildNot(t->b, only->first, ""), ""));
    only->met = met;
    if (is_target) run_side(t, p, target, next, is_next ? next->pc : p->join);
    if (is_next) run_side(t, p, next, target, p->join);
    count_joins(t, met ? LLVMBuildSub(t->b, both, met, "") : both);
}

static void run_sides(struct translator *t, struct predicated *p, const struct node *n, LLVMValueRef taken,
                      LLVMValueRef rest)
{
    struct path_size sizes[2] = {0};
    measure_paths(t, n, PREDICATED_LEVELS, &sizes[0], &sizes[1]);
    LLVMValueRef first = taken_first(t, ir_popcount(t, taken), ir_popcount(t, rest));
    struct side next = {.pc = node_next(n), .lanes = rest, .first = LLVMBuildNot(t->b, first, "")};
    struct side target = {.pc = node_target(n), .lanes = taken, .first = first};
    if (!are_ordered(t, n, &sizes[0], &sizes[1])) {
        run_apart(t, p, &next, &target, sizes[0].leaves || sizes[1].leaves);
        return;
    }
    LLVMBasicBlockRef before = ir_block(t, "first"), behind = ir_block(t, "second"), on = ir_block(t, "");
    struct v_fact stored[ISA_VREGS];
    memcpy(stored, t->stored, sizeof stored);
    LLVMBuildCondBr(t->b, first, before, behind);
    ir_at(t, before);
    run_in_turn(t, p, target, next);
    LLVMBuildBr(t->b, on);
    memcpy(t->stored, stored, sizeof stored);
    ir_at(t, behind);
    run_in_turn(t, p, next, target);
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
}

static void run_branch(struct translator *t, const struct node *n)
{
    const struct lanes condition = lanes_of_row(t, n);
    LLVMValueRef all = t->lanes, taken = LLVMBuildAnd(t->b, bits_of(t, condition), all, "");
    LLVMValueRef rest = LLVMBuildXor(t->b, taken, all, ""), none = ir_u32(t, 0);
    struct predicated p = {.outer = t->predicated, .join = paths_rpc(&t->facts.paths, n), .all = all};
    p.diverged = LLVMBuildAnd(t->b, LLVMBuildICmp(t->b, LLVMIntNE, taken, none, ""),
                              LLVMBuildICmp(t->b, LLVMIntNE, rest, none, ""), "");
    p.depth = depth_on(t, p.outer);
    count_divergence(t, p.depth, number_of(t, p.diverged));
    settle_at_end(t);
    run_sides(t, &p, n, taken, rest);
}

void predicate_run(struct translator *t, const struct node *n, LLVMValueRef depth, LLVMValueRef taken,
                   LLVMValueRef rest)
{
    const enum version version = t->version;
    const struct block *from = t->block;
    struct predicated p = {.join = paths_rpc(&t->facts.paths, n), .all = active(t), .depth = depth};
    p.diverged = LLVMConstInt(t->i1, 1, false);
    settle_at_end(t);
    run_sides(t, &p, n, taken, rest);
    set_mask(t, p.all);
    t->version = version, t->block = from;
    go_to(t, p.join, version);
}
