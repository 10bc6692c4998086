/* What counts the records of a nest: a table for nest_count in rows.c, and a function that it calls, which goes through
 * the iterations as the warp would have. Of each it counts the lanes that have executed each block, finds which
 * branches have diverged, and how deep the SIMT stack has been on their paths. Loops and branches of the nest are code
 * of this function, so that their numbers are constants and the depths are values. */
#include "translator/nest.h"

#include <string.h>

struct counting {
    struct translator *t;
    const struct nest *nest;
    LLVMValueRef function, sums; /* the function, its struct nest_sums */
    LLVMValueRef table;          /* a struct nest_table */
    struct level_branches {
        unsigned count, width; /* the width of vectors of them: a power of two */
        uint8_t number[NEST_BRANCHES];
    } branches[NEST_LEVELS];
    /* Variables: of the branches of each level, and the last two of its bits. */
    LLVMValueRef deepest, diverged[NEST_LEVELS], executed[NEST_LEVELS], lanes[NEST_LEVELS];
    uint32_t first_bit[NEST_LEVELS]; /* of each level, in the table */
};

/* ---- the table ---- */

uint32_t nest_words_of(const struct nest *nest, unsigned level) { return (nest->levels[level].nbits + 7u) / 8; }

uint32_t nest_numbers_at(const struct nest *nest, unsigned level) { return 1u + nest->levels[level].nchildren; }

uint32_t nest_record_size(const struct nest *nest, unsigned level)
{
    return nest_numbers_at(nest, level) + nest_words_of(nest, level);
}

static void add_counts(const struct translator *t, const struct block *b, uint32_t *counts)
{
    for (size_t i = b->first; i < b->first + b->count; i++)
        for (unsigned k = 0; k < NATIVE_COUNTS; k++) counts[k] += t->flow->nodes[i].counts[k];
}

static void fill_level(struct counting *c, unsigned level, struct nest_table *table)
{
    const struct nest *nest = c->nest;
    c->first_bit[level] = table->nbits;
    for (unsigned i = 0; i < NEST_BLOCKS; i++)
        if (nest->levels[level].own >> i & 1)
            add_counts(c->t, nest->head + i, table->bit[table->nbits + nest->bit[i]].counts);
    table->nbits += 8 * nest_words_of(nest, level);
}

static LLVMValueRef make_table(struct counting *c)
{
    enum { WORDS = sizeof(struct nest_table) / 4 };
    struct translator *t = c->t;
    struct nest_table table = {.nbranches = c->nest->nbranches};
    uint32_t words[WORDS];
    LLVMValueRef numbers[WORDS];
    for (unsigned i = 0; i < c->nest->nlevels; i++) fill_level(c, i, &table);
    for (unsigned i = 0; i < c->nest->nbranches; i++) {
        const struct block *join = flow_block(t->flow, c->nest->branches[i].rpc);
        for (unsigned k = 0; k < NATIVE_COUNTS; k++) table.branch[i].join[k] = t->flow->nodes[join->first].counts[k];
    }
    const unsigned used = (offsetof(struct nest_table, bit) + table.nbits * sizeof *table.bit) / 4;
    memcpy(words, &table, sizeof words);
    for (unsigned i = 0; i < used; i++) numbers[i] = ir_u32(t, words[i]);
    LLVMValueRef value = LLVMConstArray2(t->i32, numbers, used);
    LLVMValueRef global = LLVMAddGlobal(t->out->module, LLVMTypeOf(value), "nest");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

/* ---- the function ---- */

static LLVMBasicBlockRef new_block(struct counting *c)
{
    return LLVMAppendBasicBlockInContext(c->t->context, c->function, "");
}

static void add_to(struct counting *c, LLVMTypeRef type, LLVMValueRef variable, LLVMValueRef more)
{
    LLVMValueRef sum = LLVMBuildAdd(c->t->b, LLVMBuildLoad2(c->t->b, type, variable, ""), more, "");
    LLVMBuildStore(c->t->b, sum, variable);
}

static unsigned branches_before(const struct nest *nest, unsigned level, unsigned branch)
{
    return (unsigned)__builtin_popcountll(nest->levels[level].branches & ((1ull << branch) - 1));
}

/* Depths of the SIMT stack in an iteration: in front of it, and on the two paths of its first branch, its second ...:
 * on the other one, and on the target's. */
static unsigned place_of(const struct nest *nest, unsigned level, struct nest_path path)
{
    return path.branch == NEST_NONE ? 0 : 1 + 2 * branches_before(nest, level, path.branch) + path.taken;
}

/* Lanes at the branches of a level, one byte each: that have come there, or gone to the side whose bit tells. The first
 * branch again fills up the width. */
struct lanes_at {
    LLVMValueRef branch, side;
};

static struct lanes_at lanes_at_branches(struct counting *c, LLVMValueRef all, unsigned level)
{
    struct translator *t = c->t;
    const struct level_branches *l = &c->branches[level];
    LLVMValueRef branch[NEST_BRANCHES], side[NEST_BRANCHES];
    for (unsigned i = 0; i < l->width; i++) {
        const struct nest_branch *b = &c->nest->branches[l->number[i < l->count ? i : 0]];
        branch[i] = ir_u32(t, c->nest->bit[b->block]);
        side[i] = ir_u32(t, b->bit);
    }
    return (struct lanes_at){LLVMBuildShuffleVector(t->b, all, all, LLVMConstVector(branch, l->width), ""),
                             LLVMBuildShuffleVector(t->b, all, all, LLVMConstVector(side, l->width), "")};
}

/* A condition of each branch as a bit. */
static LLVMValueRef bits_of_branches(struct counting *c, LLVMValueRef conditions, unsigned width)
{
    struct translator *t = c->t;
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, width);
    return LLVMBuildZExtOrBitCast(t->b, LLVMBuildBitCast(t->b, conditions, narrow, ""), t->i32, "");
}

/* Does the target's path of each branch run first? */
static LLVMValueRef targets_first(struct counting *c, unsigned level, struct lanes_at at)
{
    struct translator *t = c->t;
    const struct level_branches *l = &c->branches[level];
    LLVMValueRef tells[NEST_BRANCHES], others = LLVMBuildSub(t->b, at.branch, at.side, ""), target, rest, first;
    for (unsigned i = 0; i < l->width; i++)
        tells[i] = LLVMConstInt(t->i1, c->nest->branches[l->number[i < l->count ? i : 0]].tells, false);
    target = LLVMBuildSelect(t->b, LLVMConstVector(tells, l->width), at.side, others, "");
    rest = LLVMBuildSelect(t->b, LLVMConstVector(tells, l->width), others, at.side, "");
    first = taken_first(t, target, rest);
    if (LLVMTypeOf(first) == t->i1) return LLVMBuildSExt(t->b, first, t->i32, "");
    return bits_of_branches(c, first, l->width);
}

/* One bit as a number. */
static LLVMValueRef bit_at(struct translator *t, LLVMValueRef bits, unsigned i)
{
    return LLVMBuildAnd(t->b, LLVMBuildLShr(t->b, bits, ir_u32(t, i), ""), ir_u32(t, 1), "");
}

/* The ith branch of a level: where it diverges, the path that runs first has two more entries of the stack, the other
 * one has one. */
static void count_branch(struct counting *c, unsigned level, unsigned i, LLVMValueRef diverging, LLVMValueRef first,
                         LLVMValueRef *depths)
{
    struct translator *t = c->t;
    const struct nest_branch *b = &c->nest->branches[c->branches[level].number[i]];
    LLVMValueRef diverges = bit_at(t, diverging, i), takes = LLVMBuildAnd(t->b, diverges, bit_at(t, first, i), "");
    LLVMValueRef one = LLVMBuildAdd(t->b, depths[place_of(c->nest, level, b->path)], diverges, "");
    LLVMValueRef two = LLVMBuildAdd(t->b, one, diverges, "");
    LLVMValueRef deeper[] = {LLVMBuildLoad2(t->b, t->i32, c->deepest, ""), two};
    depths[2 + 2 * i] = LLVMBuildAdd(t->b, one, takes, "");
    depths[1 + 2 * i] = LLVMBuildSub(t->b, two, takes, "");
    LLVMBuildStore(t->b, ir_intrinsic(t, "llvm.umax", &t->i32, 1, deeper, 2), c->deepest);
}

/* A number for each bit of a record, in a vector whose width is a power of two. */
static unsigned width_of(const struct counting *c, unsigned level)
{
    unsigned width = 8;
    while (width < 8 * nest_words_of(c->nest, level)) width *= 2;
    return width;
}

static LLVMTypeRef numbers_of(const struct counting *c, unsigned level, LLVMTypeRef type)
{
    return LLVMVectorType(type, width_of(c, level));
}

/* The lanes that have each bit; those that fill up the vector have none. */
static LLVMValueRef load_numbers(struct counting *c, LLVMValueRef record, unsigned level)
{
    struct translator *t = c->t;
    const unsigned nwords = nest_words_of(c->nest, level);
    LLVMValueRef words = LLVMConstNull(LLVMVectorType(t->i64, width_of(c, level) / 8));
    for (unsigned i = 0; i < nwords; i++) {
        LLVMValueRef word = ir_load(t, t->i64, record, (nest_numbers_at(c->nest, level) + i) * 8ull);
        words = LLVMBuildInsertElement(t->b, words, word, ir_u32(t, i), "");
    }
    return LLVMBuildBitCast(t->b, words, numbers_of(c, level, t->i8), "");
}

/* Does a branch of an iteration diverge? If none does, each bit is one of all lanes that have begun it, or of none. */
static LLVMValueRef some_diverge(struct counting *c, LLVMValueRef record, LLVMValueRef all, unsigned level)
{
    struct translator *t = c->t;
    const struct nest *nest = c->nest;
    const LLVMTypeRef bits = LLVMIntTypeInContext(t->context, width_of(c, level));
    const size_t first = nest_numbers_at(nest, level) * 8ull + nest->bit[nest->levels[level].head];
    LLVMValueRef begun = ir_load(t, t->i8, record, first), none = LLVMConstNull(LLVMTypeOf(all)), differ;
    LLVMValueRef order = LLVMConstNull(numbers_of(c, level, t->i32));
    begun = LLVMBuildInsertElement(t->b, LLVMGetPoison(LLVMTypeOf(all)), begun, ir_u32(t, 0), "");
    begun = LLVMBuildShuffleVector(t->b, begun, begun, order, "");
    differ = LLVMBuildAnd(t->b, LLVMBuildICmp(t->b, LLVMIntNE, all, begun, ""),
                          LLVMBuildICmp(t->b, LLVMIntNE, all, none, ""), "");
    return LLVMBuildICmp(t->b, LLVMIntNE, LLVMBuildBitCast(t->b, differ, bits, ""), LLVMConstNull(bits), "");
}

/* Counts those that diverge, and finds the depths of the SIMT stack on their paths. */
static void count_diverging(struct counting *c, LLVMValueRef all, unsigned level, LLVMValueRef *depths)
{
    struct translator *t = c->t;
    const struct level_branches *l = &c->branches[level];
    const LLVMTypeRef numbers = LLVMVectorType(t->i32, l->width);
    const struct lanes_at at = lanes_at_branches(c, all, level);
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(at.side)), diverge, diverging, first;
    diverge = LLVMBuildAnd(t->b, LLVMBuildICmp(t->b, LLVMIntNE, at.side, none, ""),
                           LLVMBuildICmp(t->b, LLVMIntNE, at.side, at.branch, ""), "");
    add_to(c, numbers, c->diverged[level], LLVMBuildZExt(t->b, diverge, numbers, ""));
    diverging = bits_of_branches(c, diverge, l->width);
    first = targets_first(c, level, at);
    for (unsigned i = 0; i < l->count; i++) count_branch(c, level, i, diverging, first, depths);
}

/* Branches of an iteration. Where none diverges, the SIMT stack is on all paths what it was. */
static void count_branches(struct counting *c, LLVMValueRef record, LLVMValueRef all, unsigned level,
                           LLVMValueRef *depths)
{
    struct translator *t = c->t;
    const unsigned places = 1 + 2 * c->branches[level].count;
    LLVMValueRef before = depths[0];
    if (!c->branches[level].count) return;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), some = new_block(c), behind = new_block(c);
    LLVMBuildCondBr(t->b, some_diverge(c, record, all, level), some, behind);
    ir_at(t, some);
    count_diverging(c, all, level, depths);
    LLVMBuildBr(t->b, behind);
    ir_at(t, behind);
    for (unsigned i = 1; i < places; i++) {
        LLVMValueRef either = LLVMBuildPhi(t->b, t->i32, "");
        LLVMAddIncoming(either, (LLVMValueRef[]){before, depths[i]}, (LLVMBasicBlockRef[]){from, some}, 2);
        depths[i] = either;
    }
}

/* The lanes that have each bit of a record, and the record where some lane has the bit. */
static void add_lanes(struct counting *c, LLVMValueRef all, unsigned level)
{
    struct translator *t = c->t;
    const LLVMTypeRef bytes = numbers_of(c, level, t->i8), words = numbers_of(c, level, t->i32);
    LLVMValueRef some = LLVMBuildICmp(t->b, LLVMIntNE, all, LLVMConstNull(bytes), "");
    add_to(c, words, c->lanes[level], LLVMBuildZExt(t->b, all, words, ""));
    add_to(c, words, c->executed[level], LLVMBuildZExt(t->b, LLVMBuildZExt(t->b, some, bytes, ""), words, ""));
}

static void count_loop(struct counting *c, unsigned level, LLVMValueRef first, LLVMValueRef depth);

/* A loop in the one of whose iteration a record is, if some lane enters it. */
static void count_inner(struct counting *c, LLVMValueRef record, unsigned level, LLVMValueRef depth)
{
    struct translator *t = c->t;
    LLVMBasicBlockRef begins = new_block(c), behind = new_block(c);
    LLVMValueRef first = ir_load(t, t->ptr, record, 8 + c->nest->levels[level].child * 8ull);
    LLVMBuildCondBr(t->b, LLVMBuildIsNotNull(t->b, first, ""), begins, behind);
    ir_at(t, begins);
    count_loop(c, level, first, depth);
    LLVMBuildBr(t->b, behind);
    ir_at(t, behind);
}

/* All iterations of a loop from a record on. */
static void count_loop(struct counting *c, unsigned level, LLVMValueRef first, LLVMValueRef depth)
{
    struct translator *t = c->t;
    const struct nest_level *l = &c->nest->levels[level];
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), loop = new_block(c), behind = new_block(c);
    LLVMValueRef depths[1 + 2 * NEST_BRANCHES], record, next;
    LLVMBuildBr(t->b, loop);
    ir_at(t, loop);
    record = LLVMBuildPhi(t->b, t->ptr, ""), depths[0] = LLVMBuildPhi(t->b, t->i32, "");
    LLVMAddIncoming(record, &first, &from, 1);
    LLVMAddIncoming(depths[0], &depth, &from, 1);
    LLVMValueRef all = load_numbers(c, record, level);
    add_lanes(c, all, level);
    count_branches(c, record, all, level, depths);
    for (unsigned i = 1; i < c->nest->nlevels; i++)
        if (c->nest->levels[i].parent == level)
            count_inner(c, record, i, depths[place_of(c->nest, level, c->nest->levels[i].entry)]);
    next = ir_load(t, t->ptr, record, 0);
    from = LLVMGetInsertBlock(t->b);
    LLVMAddIncoming(record, &next, &from, 1);
    LLVMAddIncoming(depths[0], &depths[place_of(c->nest, level, l->back)], &from, 1);
    LLVMBuildCondBr(t->b, LLVMBuildIsNotNull(t->b, next, ""), loop, behind);
    ir_at(t, behind);
}

static LLVMValueRef new_variable(struct counting *c, LLVMTypeRef type)
{
    LLVMValueRef variable = LLVMBuildAlloca(c->t->b, type, "");
    LLVMBuildStore(c->t->b, LLVMConstNull(type), variable);
    return variable;
}

static void find_branches(struct counting *c, unsigned level)
{
    struct level_branches *l = &c->branches[level];
    for (uint64_t all = c->nest->levels[level].branches; all; all &= all - 1)
        l->number[l->count++] = (uint8_t)__builtin_ctzll(all);
    for (l->width = 8; l->width < l->count;) l->width *= 2;
    c->diverged[level] = new_variable(c, LLVMVectorType(c->t->i32, l->width));
}

static void make_variables(struct counting *c)
{
    c->deepest = new_variable(c, c->t->i32);
    for (unsigned i = 0; i < c->nest->nlevels; i++) {
        find_branches(c, i);
        c->lanes[i] = new_variable(c, numbers_of(c, i, c->t->i32));
        c->executed[i] = new_variable(c, numbers_of(c, i, c->t->i32));
    }
}

/* Of the bits of a level, eight at a time. */
static void store_numbers(struct counting *c, unsigned level, LLVMValueRef variable, size_t at)
{
    struct translator *t = c->t;
    LLVMValueRef all = LLVMBuildLoad2(t->b, numbers_of(c, level, t->i32), variable, ""), order[8];
    for (unsigned i = 0; i < 8 * nest_words_of(c->nest, level); i += 8) {
        for (unsigned k = 0; k < 8; k++) order[k] = ir_u32(t, i + k);
        ir_store(t, LLVMBuildShuffleVector(t->b, all, all, LLVMConstVector(order, 8), ""), c->sums,
                 at + (c->first_bit[level] + i) * 4ull);
    }
}

static void store_diverged(struct counting *c, unsigned level)
{
    struct translator *t = c->t;
    const struct level_branches *l = &c->branches[level];
    LLVMValueRef all = LLVMBuildLoad2(t->b, LLVMVectorType(t->i32, l->width), c->diverged[level], "");
    for (unsigned i = 0; i < l->count; i++)
        ir_store(t, LLVMBuildExtractElement(t->b, all, ir_u32(t, i), ""), c->sums,
                 offsetof(struct nest_sums, diverged) + l->number[i] * 4ull);
}

static void store_sums(struct counting *c)
{
    ir_store(c->t, LLVMBuildLoad2(c->t->b, c->t->i32, c->deepest, ""), c->sums, offsetof(struct nest_sums, deepest));
    for (unsigned i = 0; i < c->nest->nlevels; i++) {
        store_diverged(c, i);
        store_numbers(c, i, c->lanes[i], offsetof(struct nest_sums, lanes));
        store_numbers(c, i, c->executed[i], offsetof(struct nest_sums, executed));
    }
}

struct nest_counting nest_counting_make(struct translator *t, const struct nest *nest)
{
    struct counting c = {.t = t, .nest = nest};
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b);
    LLVMTypeRef types[] = {t->ptr, t->ptr, t->i32}, none = LLVMVoidTypeInContext(t->context);
    c.table = make_table(&c);
    c.function = LLVMAddFunction(t->out->module, "nest_sum", LLVMFunctionType(none, types, 3, false));
    LLVMSetFunctionCallConv(c.function, LLVMPreserveAllCallConv);
    c.sums = LLVMGetParam(c.function, 0);
    ir_at(t, new_block(&c));
    make_variables(&c);
    count_loop(&c, 0, LLVMGetParam(c.function, 1), LLVMGetParam(c.function, 2));
    store_sums(&c);
    LLVMBuildRetVoid(t->b);
    ir_at(t, from);
    return (struct nest_counting){c.table, c.function};
}
