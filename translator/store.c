/* Stores of all lanes, by the shape of their addresses. */
#include "translator/access.h"

static void scatter(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMTypeRef types[] = {t->chunk_type, LLVMVectorType(t->ptr, t->words)};
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef to = host_addresses(t, guest_addresses(t, a, p));
        LLVMValueRef args[] = {data.chunk[p], to, ir_u32(t, 1), chunk_flags(t, a, p)};
        ir_intrinsic(t, "llvm.masked.scatter", types, 2, args, 4);
    }
}

static void store_one_by_one(struct translator *t, const struct vector_access *a, struct lanes data)
{
    static const char *const names[5] = {"", "store_u8", "store_u16", "", "store_u32"};
    LLVMValueRef args[] = {t->mem, ir_field(t, t->sm, offsetof(struct sm, access.addr)), ir_u32(t, a->imm),
                           ir_field(t, t->state, offsetof(struct native_state, in)), a->lanes};
    store_scratch(t, data, offsetof(struct native_state, in));
    call_function(t, names[a->size], args, 5);
}

/* Stores the word of a lane, which is in native_state.in, to the lane's recorded address. */
static void store_lane(struct translator *t, const struct vector_access *a, LLVMValueRef lane)
{
    LLVMValueRef wide = LLVMBuildZExt(t->b, lane, t->i64, "");
    LLVMValueRef sums = ir_field(t, t->sm, offsetof(struct sm, access.addr));
    LLVMValueRef words = ir_field(t, t->state, offsetof(struct native_state, in));
    LLVMValueRef sum = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, sums, &wide, 1, ""), "");
    LLVMValueRef word = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, words, &wide, 1, ""), "");
    LLVMValueRef to = host_address(t, LLVMBuildAdd(t->b, sum, ir_u32(t, a->imm), ""));
    LLVMSetAlignment(LLVMBuildStore(t->b, word, to), 1);
}

/* The active lanes, one by one. */
static void store_few(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->b), loop = ir_block(t, "each"), done = ir_block(t, "");
    store_scratch(t, data, offsetof(struct native_state, in));
    LLVMBuildBr(t->b, loop);
    ir_at(t, loop);
    LLVMValueRef left = LLVMBuildPhi(t->b, t->i32, "");
    LLVMValueRef args[] = {left, LLVMConstInt(t->i1, 1, false)};
    store_lane(t, a, ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2));
    LLVMValueRef more = LLVMBuildAnd(t->b, left, LLVMBuildSub(t->b, left, ir_u32(t, 1), ""), "");
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, more, ir_u32(t, 0), ""), loop, done);
    LLVMAddIncoming(left, (LLVMValueRef *)&a->lanes, &before, 1);
    LLVMAddIncoming(left, &more, &loop, 1);
    ir_at(t, done);
}

/* A scatter takes as long for one lane as for all. */
static void store_few_or_many(struct translator *t, const struct vector_access *a, struct lanes data)
{
    enum { FEW = 10 }; /* a guess */
    LLVMBasicBlockRef few = ir_block(t, "few"), many = ir_block(t, ""), done = ir_block(t, "");
    LLVMValueRef is = LLVMBuildICmp(t->b, LLVMIntULE, ir_popcount(t, a->lanes), ir_u32(t, FEW), "");
    if (!a->n->d.in.vm) is = LLVMBuildAnd(t->b, is, LLVMBuildICmp(t->b, LLVMIntNE, a->lanes, ir_u32(t, 0), ""), "");
    LLVMBuildCondBr(t->b, is, few, many);
    ir_at(t, few);
    store_few(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, many);
    scatter(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
}

static void store_masked(struct translator *t, const struct vector_access *a, LLVMValueRef value, LLVMValueRef address,
                         unsigned lane)
{
    LLVMTypeRef types[] = {LLVMTypeOf(value), t->ptr};
    LLVMValueRef args[] = {value, address, ir_u32(t, 1), lane_flags(t, a->lanes, lane, a->unit)};
    ir_intrinsic(t, "llvm.masked.store", types, 2, args, 4);
}

/* AVX2's masked stores cost as much as ten plain ones: chunks whose lanes are all active, or none, do without. */
static void store_chunk(struct translator *t, const struct vector_access *a, LLVMValueRef value, LLVMValueRef address,
                        unsigned p)
{
    LLVMBasicBlockRef some = ir_block(t, ""), all = ir_block(t, ""), part = ir_block(t, ""), done = ir_block(t, "");
    LLVMValueRef bits = chunk_bits(t, a, p), full = ir_u32(t, (1u << t->words) - 1);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, bits, ir_u32(t, 0), ""), done, some);
    ir_at(t, some);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, bits, full, ""), all, part);
    ir_at(t, all);
    LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
    LLVMBuildBr(t->b, done);
    ir_at(t, part);
    store_masked(t, a, value, address, p * t->words);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
}

/* So many lanes from one on, all or half of a chunk. */
static LLVMValueRef unit_of(struct translator *t, const struct lanes *data, unsigned lane, unsigned count)
{
    LLVMValueRef index[UNIT_MOST], chunk = data->chunk[lane / t->words];
    for (unsigned i = 0; i < count; i++) index[i] = ir_u32(t, lane % t->words + i);
    if (count == t->words) return chunk;
    return LLVMBuildShuffleVector(t->b, chunk, LLVMGetPoison(t->chunk_type), LLVMConstVector(index, count), "");
}

static void store_unit(struct translator *t, const struct vector_access *a, struct lanes data, unsigned lane)
{
    LLVMTypeRef type = LLVMVectorType(memory_type(t, a->size), a->unit);
    LLVMValueRef address = lane_address(t, a, lane), value = unit_of(t, &data, lane, a->unit);
    if (a->size < 4) value = LLVMBuildTrunc(t->b, value, type, "");
    if (a->all) {
        LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
        return;
    }
    if (t->words == 8) store_chunk(t, a, value, address, lane / t->words);
    else store_masked(t, a, value, address, lane);
}

static void store_consecutive(struct translator *t, const struct vector_access *a, struct lanes data)
{
    for (unsigned u = 0; u < lanes_computed(t) / a->unit; u++) store_unit(t, a, data, u * a->unit);
}

/* All lanes, one by one, in line; their addresses have been recorded. */
static void store_each(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMTypeRef type = memory_type(t, a->size);
    for (unsigned lane = 0; lane < lanes_computed(t); lane++) {
        LLVMValueRef at = ir_load(t, t->i32, t->sm, offsetof(struct sm, access.addr) + lane * 4);
        LLVMValueRef value = get_lane(t, data, lane);
        if (a->size < 4) value = LLVMBuildTrunc(t->b, value, type, "");
        LLVMValueRef to = host_address(t, LLVMBuildAdd(t->b, at, ir_u32(t, a->imm), ""));
        LLVMSetAlignment(LLVMBuildStore(t->b, value, to), 1);
    }
}

static void store_scattered(struct translator *t, const struct vector_access *a, struct lanes data)
{
    if (a->size == 4 && t->words == 16)
        a->all || has_fast_gathers(t) ? scatter(t, a, data) : store_few_or_many(t, a, data);
    else if (a->all && t->words >= 8) store_each(t, a, data);
    else store_one_by_one(t, a, data);
}

/* One by one, at addresses with a known stride. */
static void store_spaced(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMValueRef first = NULL;
    for (unsigned lane = 0; lane < lanes_computed(t); lane++) {
        if (lane % a->unit == 0) first = lane_address(t, a, lane);
        LLVMValueRef to = ir_field(t, first, (size_t)a->fact.step * (lane % a->unit));
        LLVMSetAlignment(LLVMBuildStore(t->b, get_lane(t, data, lane), to), 1);
    }
}

/* The same for a stride that is not a constant. */
static void store_even(struct translator *t, const struct vector_access *a, struct lanes data, LLVMValueRef step)
{
    LLVMValueRef first = NULL;
    for (unsigned lane = 0; lane < lanes_computed(t); lane++) {
        if (lane % 8 == 0) first = lane_address(t, a, lane);
        LLVMValueRef to = even_address(t, first, step, lane % 8);
        LLVMSetAlignment(LLVMBuildStore(t->b, get_lane(t, data, lane), to), 1);
    }
}

/* ---- stores of two or four adjacent words of each lane: vectors, doubles and longs, members of structures ---- */

enum { PAGE = 4096 };

/* Does the ith of such stores follow? */
static bool is_row_store(const struct node *first, unsigned i)
{
    const struct isa_memory *m = &first[i].effects.memory;
    const struct insn *in = &first[i].d.in;
    bool lanes = first[i].how == HOW_STORE && m->action == ACTION_STORE && m->address == ADDRESS_LANES && m->size == 4;
    return lanes && in->vm && in->rs1 == first->d.in.rs1 && in->imm == first->d.in.imm + 4 * (int32_t)i;
}

/* The bytes from the first lane's first word to the last lane's last one. */
static uint32_t span_of(const struct translator *t, const struct vector_access *a, unsigned words)
{
    return (t->items - 1) * a->fact.step + words * 4;
}

/* Do stores of so many adjacent words of each lane begin there, of lanes whose words fit one page? */
static bool are_rows(const struct translator *t, const struct vector_access *a, unsigned words)
{
    const struct node *end = &t->flow->nodes[t->block->first + t->block->count];
    if (a->fact.step < words * 4 || a->fact.step > PAGE / ISA_LANES || span_of(t, a, words) > PAGE) return false;
    for (unsigned i = 0; i < words; i++)
        if (a->n + i >= end || !is_row_store(a->n, i)) return false;
    return true;
}

/* How many begin there; 0: none. */
static unsigned begins_rows(const struct translator *t, const struct vector_access *a)
{
    if (!is_known_spaced(t, a) || a->fact.period != ISA_LANES) return 0;
    return are_rows(t, a, ROW_WORDS) ? ROW_WORDS : are_rows(t, a, 2) ? 2 : 0;
}

struct lanes stored_by(struct translator *t, const struct node *n)
{
    return get_v(t, n->effects.memory.data == ROLE_RS2 ? n->d.in.rs2 : n->d.in.rs3);
}

/* `count` words of a vector, from one on. */
static void store_part(struct translator *t, LLVMValueRef vector, unsigned from, unsigned count, LLVMValueRef address)
{
    LLVMValueRef index[ROW_WORDS];
    for (unsigned i = 0; i < count; i++) index[i] = ir_u32(t, from + i);
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(vector)), order = LLVMConstVector(index, count);
    LLVMSetAlignment(LLVMBuildStore(t->b, LLVMBuildShuffleVector(t->b, vector, none, order, ""), address), 1);
}

/* Eight lanes' rows, so many bytes from each other. */
static void store_eight_rows(struct translator *t, const struct lanes word[ROW_WORDS], unsigned lane,
                             LLVMValueRef address, size_t step)
{
    static const uint8_t halves[2][8] = {{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}};
    LLVMValueRef column[ROW_WORDS], row[ROW_WORDS];
    for (unsigned k = 0; k < ROW_WORDS; k++) column[k] = unit_of(t, &word[k], lane, 8);
    transpose4(t, column, row); /* row k: of lane k, and of lane k + 4 */
    if (step > ROW_WORDS * 4) {
        for (unsigned k = 0; k < 8; k++)
            store_part(t, row[k % 4], k / 4 * 4, ROW_WORDS, ir_field(t, address, (lane + k) * step));
        return;
    }
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef two = shuffle8(t, row[k % 2 * 2], row[k % 2 * 2 + 1], halves[k / 2]);
        LLVMSetAlignment(LLVMBuildStore(t->b, two, ir_field(t, address, lane * 16 + k * 32)), 1);
    }
}

/* The two words of a chunk's lanes. */
static void store_pairs(struct translator *t, const struct lanes word[2], unsigned p, LLVMValueRef address, size_t step)
{
    LLVMValueRef index[2 * UNIT_MOST], both;
    for (unsigned i = 0; i < 2 * t->words; i++) index[i] = ir_u32(t, i % 2 * t->words + i / 2);
    LLVMValueRef order = LLVMConstVector(index, 2 * t->words), to = ir_field(t, address, p * t->words * step);
    both = LLVMBuildShuffleVector(t->b, word[0].chunk[p], word[1].chunk[p], order, "");
    if (step == 8) {
        LLVMSetAlignment(LLVMBuildStore(t->b, both, to), 1);
        return;
    }
    for (unsigned i = 0; i < t->words; i++) store_part(t, both, 2 * i, 2, ir_field(t, to, i * step));
}

/* The first of the stores stores all of them if they are on one page: then it faults exactly if one of them would,
 * before anything is stored. */
static void store_rows(struct translator *t, const struct vector_access *a, unsigned words)
{
    const uint32_t step = a->fact.step;
    struct lanes word[ROW_WORDS];
    LLVMBasicBlockRef rows = ir_block(t, "rows"), other = ir_block(t, ""), done = ir_block(t, ""), from[2];
    LLVMValueRef first = guest_address(t, a, 0),
                 last = LLVMBuildAdd(t->b, first, ir_u32(t, span_of(t, a, words) - 1), "");
    for (unsigned i = 0; i < words; i++) word[i] = stored_by(t, a->n + i);
    LLVMValueRef ends = LLVMBuildAnd(t->b, LLVMBuildXor(t->b, first, last, ""), ir_u32(t, PAGE), "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, ends, ir_u32(t, 0), ""), rows, other);
    ir_at(t, rows);
    for (unsigned p = 0; p < t->chunks && words == 2; p++) store_pairs(t, word, p, host_address(t, first), step);
    for (unsigned lane = 0; lane < lanes_computed(t) && words == ROW_WORDS; lane += 8)
        store_eight_rows(t, word, lane, host_address(t, first), step);
    from[0] = LLVMGetInsertBlock(t->b);
    LLVMBuildBr(t->b, done);
    ir_at(t, other);
    store_spaced(t, a, word[0]);
    from[1] = LLVMGetInsertBlock(t->b);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
    t->rows_stored = LLVMBuildPhi(t->b, t->i1, "");
    LLVMValueRef is[2] = {LLVMConstInt(t->i1, 1, false), LLVMConstInt(t->i1, 0, false)};
    LLVMAddIncoming(t->rows_stored, is, from, 2);
    t->rows_first = a->n, t->rows_words = words;
}

/* One of the others, unless the first has stored it. */
static void store_rest_of_rows(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMBasicBlockRef other = ir_block(t, ""), done = ir_block(t, "");
    LLVMBuildCondBr(t->b, t->rows_stored, done, other);
    ir_at(t, other);
    store_spaced(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
}

/* Tests whether the addresses have one stride, which is probable. */
static void store_seems_even(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMBasicBlockRef even = ir_block(t, "even"), near = ir_block(t, "consecutive"), apart = ir_block(t, ""),
                      other = ir_block(t, ""), done = ir_block(t, "");
    LLVMValueRef step;
    ir_branch_likely(t, has_even_step(t, a, &step), even, other);
    ir_at(t, even);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, step, ir_u32(t, a->size), ""), near, apart);
    ir_at(t, near);
    store_consecutive(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, apart);
    store_even(t, a, data, step);
    LLVMBuildBr(t->b, done);
    ir_at(t, other);
    store_one_by_one(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
}

/* Tests the shape of the addresses. */
static void store_as_found(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMBasicBlockRef done = ir_block(t, ""), fast = ir_block(t, "consecutive"), other = ir_block(t, "");
    ir_branch_likely(t, has_step(t, a, a->size), fast, other);
    ir_at(t, fast);
    store_consecutive(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, other);
    store_scattered(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
}

void store_vector(struct translator *t, const struct vector_access *a, struct lanes data)
{
    const bool rest = t->rows_first && a->n > t->rows_first && a->n < t->rows_first + t->rows_words;
    const unsigned rows = begins_rows(t, a);
    if (is_known_consecutive(t, a)) store_consecutive(t, a, data);
    else if (rest) store_rest_of_rows(t, a, data);
    else if (rows) store_rows(t, a, rows);
    else if (is_known_spaced(t, a) && !has_fast_gathers(t)) store_spaced(t, a, data);
    else if (seems_even(t, a) && !has_fast_gathers(t)) store_seems_even(t, a, data);
    else if (a->fact.period || !can_split(t, a)) store_scattered(t, a, data);
    else store_as_found(t, a, data);
}
