/* What counts the records of a nest's lanes: a table for nest_count in rows.c, and a function that it calls, which goes
 * through the iterations as the warp would have. Of each it counts the lanes that have executed each block, finds which
 * branches have diverged, and how deep the SIMT stack has been on their paths. Loops and branches of the nest are code
 * of this function, so that their numbers are constants and the depths are values. */
#include "translator/nest.h"

#include <string.h>

struct counting {
    struct translator *t;
    const struct nest *nest;
    LLVMValueRef function, sums, table;            /* the function, its struct nest_sums, a struct nest_table */
    LLVMValueRef deepest, diverged[NEST_BRANCHES]; /* variables */
    LLVMValueRef iteration[NEST_LEVELS];           /* a struct nest_iteration of each loop */
    uint32_t first_word[NEST_LEVELS], first_child[NEST_LEVELS]; /* in the table */
};

/* ---- the table ---- */

uint32_t nest_words_of(const struct nest *nest, unsigned level)
{
    return nest->levels[level].nbits / 32 + 1; /* NEST_AGAIN is in the first one */
}

static void add_counts(const struct translator *t, const struct block *b, uint32_t *counts)
{
    for (size_t i = b->first; i < b->first + b->count; i++)
        for (unsigned k = 0; k < NATIVE_COUNTS; k++) counts[k] += t->flow->nodes[i].counts[k];
}

static void fill_level(struct counting *c, unsigned level, struct nest_table *table, uint32_t *nchildren)
{
    const struct nest *nest = c->nest;
    struct nest_table_level *to = &table->level[level];
    to->words = nest_words_of(nest, level);
    c->first_word[level] = table->nbits / 32;
    to->child = c->first_child[level] = *nchildren;
    for (unsigned i = 0; i < NEST_BLOCKS; i++)
        if (nest->levels[level].own >> i & 1)
            add_counts(c->t, nest->head + i, table->bit[table->nbits + nest->bit[i]].counts);
    for (unsigned i = 1; i < nest->nlevels; i++)
        if (nest->levels[i].parent == level) table->child[(*nchildren)++].entered = nest->levels[i].entered;
    table->nbits += 32 * to->words;
    to->nchildren = *nchildren - to->child;
}

static LLVMValueRef make_table(struct counting *c)
{
    enum { WORDS = sizeof(struct nest_table) / 4 };
    struct translator *t = c->t;
    struct nest_table table = {.nbranches = c->nest->nbranches};
    uint32_t nchildren = 0, words[WORDS];
    LLVMValueRef numbers[WORDS];
    for (unsigned i = 0; i < c->nest->nlevels; i++) fill_level(c, i, &table, &nchildren);
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

static LLVMValueRef load_variable(struct counting *c, LLVMValueRef variable)
{
    return LLVMBuildLoad2(c->t->b, c->t->i32, variable, "");
}

/* How many lanes of the iteration have a bit in their records. */
static LLVMValueRef lanes_with(struct counting *c, unsigned level, unsigned bit)
{
    struct translator *t = c->t;
    const size_t at = offsetof(struct nest_iteration, count) + NEST_COUNT(bit);
    return LLVMBuildZExt(t->b, ir_load(t, t->i8, c->iteration[level], at), t->i32, "");
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

/* Where it diverges, the path that runs first has two more entries of the stack, the other one has one. */
static void count_branch(struct counting *c, unsigned i, LLVMValueRef *depths)
{
    struct translator *t = c->t;
    const struct nest_branch *b = &c->nest->branches[i];
    LLVMValueRef *paths = depths + 1 + 2 * branches_before(c->nest, b->level, i), zero = ir_u32(t, 0);
    LLVMValueRef depth = depths[place_of(c->nest, b->level, b->path)], diverges, one, two;
    LLVMValueRef n = lanes_with(c, b->level, c->nest->bit[b->block]), side = lanes_with(c, b->level, b->bit);
    LLVMValueRef others = LLVMBuildSub(t->b, n, side, ""), first;
    first = taken_first(t, b->tells ? side : others, b->tells ? others : side);
    diverges = LLVMBuildAnd(t->b, LLVMBuildICmp(t->b, LLVMIntNE, side, zero, ""),
                            LLVMBuildICmp(t->b, LLVMIntNE, side, n, ""), "");
    diverges = LLVMBuildZExt(t->b, diverges, t->i32, "");
    one = LLVMBuildAdd(t->b, depth, diverges, ""), two = LLVMBuildAdd(t->b, one, diverges, "");
    paths[0] = LLVMBuildSelect(t->b, first, one, two, "");
    paths[1] = LLVMBuildSelect(t->b, first, two, one, "");
    LLVMValueRef deeper[] = {load_variable(c, c->deepest), two};
    LLVMBuildStore(t->b, ir_intrinsic(t, "llvm.umax", &t->i32, 1, deeper, 2), c->deepest);
    LLVMBuildStore(t->b, LLVMBuildAdd(t->b, load_variable(c, c->diverged[i]), diverges, ""), c->diverged[i]);
}

/* The lanes of the iteration that have each bit, and iterations in which some lane has it. */
static void add_lanes(struct counting *c, unsigned level)
{
    struct translator *t = c->t;
    for (unsigned from = 0; from < c->nest->levels[level].nbits; from += 8) {
        const unsigned word = from / 32;
        LLVMValueRef count = ir_field(t, c->iteration[level], offsetof(struct nest_iteration, count) + word * 32);
        LLVMValueRef args[] = {c->sums, ir_u32(t, (c->first_word[level] + word) * 4 + from % 32 / 8), count,
                               ir_u32(t, from % 32)};
        call_function(t, "nest_add_bits", args, 4);
    }
}

static void count_loop(struct counting *c, unsigned level, LLVMValueRef active, LLVMValueRef depth);

/* A loop in the one whose iteration it is, if some lane enters it. */
static void count_inner(struct counting *c, unsigned level, unsigned child, LLVMValueRef depth)
{
    struct translator *t = c->t;
    LLVMBasicBlockRef begins = new_block(c), behind = new_block(c);
    const size_t at = offsetof(struct nest_iteration, entered) + child * 4ull;
    LLVMValueRef entered = ir_load(t, t->i32, c->iteration[c->nest->levels[level].parent], at);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, entered, ir_u32(t, 0), ""), begins, behind);
    ir_at(t, begins);
    count_loop(c, level, entered, depth);
    LLVMBuildBr(t->b, behind);
    ir_at(t, behind);
}

/* All iterations of a loop that `active` lanes begin. */
static void count_loop(struct counting *c, unsigned level, LLVMValueRef active, LLVMValueRef depth)
{
    struct translator *t = c->t;
    const struct nest_level *l = &c->nest->levels[level];
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), loop = new_block(c), behind = new_block(c);
    LLVMValueRef depths[1 + 2 * NEST_BRANCHES], lanes, more;
    LLVMBuildBr(t->b, loop);
    ir_at(t, loop);
    lanes = LLVMBuildPhi(t->b, t->i32, ""), depths[0] = LLVMBuildPhi(t->b, t->i32, "");
    LLVMAddIncoming(lanes, &active, &from, 1);
    LLVMAddIncoming(depths[0], &depth, &from, 1);
    const size_t at = offsetof(struct nest_table, level) + level * sizeof(struct nest_table_level);
    LLVMValueRef args[] = {c->sums, c->table, ir_field(t, c->table, at), lanes, c->iteration[level]};
    more = call_function(t, "nest_take", args, 5);
    add_lanes(c, level);
    for (unsigned i = 0; i < c->nest->nbranches; i++)
        if (l->branches >> i & 1) count_branch(c, i, depths);
    for (unsigned i = 1, child = 0; i < c->nest->nlevels; i++)
        if (c->nest->levels[i].parent == level)
            count_inner(c, i, child++, depths[place_of(c->nest, level, c->nest->levels[i].entry)]);
    from = LLVMGetInsertBlock(t->b);
    LLVMAddIncoming(lanes, &more, &from, 1);
    LLVMAddIncoming(depths[0], &depths[place_of(c->nest, level, l->back)], &from, 1);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, more, ir_u32(t, 0), ""), loop, behind);
    ir_at(t, behind);
}

static LLVMValueRef new_variable(struct counting *c)
{
    LLVMValueRef variable = LLVMBuildAlloca(c->t->b, c->t->i32, "");
    LLVMBuildStore(c->t->b, ir_u32(c->t, 0), variable);
    return variable;
}

static void make_variables(struct counting *c)
{
    struct translator *t = c->t;
    c->deepest = new_variable(c);
    for (unsigned i = 0; i < c->nest->nbranches; i++) c->diverged[i] = new_variable(c);
    for (unsigned i = 0; i < c->nest->nlevels; i++) {
        c->iteration[i] = LLVMBuildAlloca(t->b, LLVMArrayType2(t->i8, sizeof(struct nest_iteration)), "");
        LLVMSetAlignment(c->iteration[i], _Alignof(struct nest_iteration));
    }
}

struct nest_counting nest_counting_make(struct translator *t, const struct nest *nest)
{
    struct counting c = {.t = t, .nest = nest};
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b);
    LLVMTypeRef types[] = {t->ptr, t->i32, t->i32}, none = LLVMVoidTypeInContext(t->context);
    c.table = make_table(&c);
    c.function = LLVMAddFunction(t->out->module, "nest_sum", LLVMFunctionType(none, types, 3, false));
    LLVMSetFunctionCallConv(c.function, LLVMPreserveAllCallConv);
    c.sums = LLVMGetParam(c.function, 0);
    ir_at(t, new_block(&c));
    make_variables(&c);
    count_loop(&c, 0, LLVMGetParam(c.function, 1), LLVMGetParam(c.function, 2));
    ir_store(t, load_variable(&c, c.deepest), c.sums, offsetof(struct nest_sums, deepest));
    for (unsigned i = 0; i < nest->nbranches; i++)
        ir_store(t, load_variable(&c, c.diverged[i]), c.sums, offsetof(struct nest_sums, diverged) + i * 4ull);
    LLVMBuildRetVoid(t->b);
    ir_at(t, from);
    return (struct nest_counting){c.table, c.function};
}
