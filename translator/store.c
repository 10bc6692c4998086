/* Stores of all lanes, by the shape of their addresses. */
#include "translator/access.h"

/* Lanes so many bytes apart at most share a masked store of so many bytes. */
enum { GAPS_MOST = 16, GAPS_BYTES = 64 };

/* A scatter takes as long for no lane as for all. */
static void scatter(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMTypeRef types[] = {t->chunk_type, LLVMVectorType(t->ptr, t->words)};
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef to = host_addresses(t, guest_addresses(t, a, p));
        LLVMValueRef args[] = {data.chunk[p], to, ir_u32(t, 1), chunk_flags(t, a, p)};
        LLVMBasicBlockRef some = ir_block(t, ""), done = ir_block(t, "");
        LLVMValueRef bits = a->all ? ir_u32(t, 1) : chunk_bits(t, a, p);
        LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, bits, ir_u32(t, 0), ""), some, done);
        ir_at(t, some);
        ir_intrinsic(t, "llvm.masked.scatter", types, 2, args, 4);
        LLVMBuildBr(t->b, done);
        ir_at(t, done);
    }
}

static void store_one_by_one(struct translator *t, const struct vector_access *a, struct lanes data)
{
    static const char *const names[5] = {"", "store_u8", "store_u16", "", "store_u32"};
    LLVMValueRef args[] = {t->mem, sums_in_memory(t, a), ir_u32(t, a->imm),
                           ir_field(t, t->state, offsetof(struct native_state, in)), a->lanes};
    store_scratch(t, data, offsetof(struct native_state, in));
    call_function(t, names[a->size], args, 5);
}

/* Stores the word of a lane, which is in native_state.in, to its address. */
static void store_lane(struct translator *t, const struct vector_access *a, LLVMValueRef sums, LLVMValueRef lane)
{
    LLVMValueRef wide = LLVMBuildZExt(t->b, lane, t->i64, "");
    LLVMValueRef words = ir_field(t, t->state, offsetof(struct native_state, in));
    LLVMValueRef sum = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, sums, &wide, 1, ""), "");
    LLVMValueRef word = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, words, &wide, 1, ""), "");
    LLVMValueRef to = host_address(t, LLVMBuildAdd(t->b, sum, ir_u32(t, a->imm), ""));
    if (a->size < 4) word = LLVMBuildTrunc(t->b, word, memory_type(t, a->size), "");
    LLVMSetAlignment(LLVMBuildStore(t->b, word, to), 1);
}

/* The active lanes, one by one. */
static void store_few(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->b), loop = ir_block(t, "each"), done = ir_block(t, "");
    store_scratch(t, data, offsetof(struct native_state, in));
    LLVMValueRef sums = sums_in_memory(t, a);
    LLVMBuildBr(t->b, loop);
    ir_at(t, loop);
    LLVMValueRef left = LLVMBuildPhi(t->b, t->i32, "");
    LLVMValueRef args[] = {left, LLVMConstInt(t->i1, 1, false)};
    store_lane(t, a, sums, ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2));
    LLVMValueRef more = LLVMBuildAnd(t->b, left, LLVMBuildSub(t->b, left, ir_u32(t, 1), ""), "");
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, more, ir_u32(t, 0), ""), loop, done);
    LLVMAddIncoming(left, (LLVMValueRef *)&a->lanes, &before, 1);
    LLVMAddIncoming(left, &more, &loop, 1);
    ir_at(t, done);
}

/* A scatter takes as long for one lane as for all. */
static void store_few_or_many(struct translator *t, const struct vector_access *a, struct lanes data)
{
    const unsigned most = has_fast_gathers(t) ? 3 : 10; /* guesses */
    LLVMBasicBlockRef few = ir_block(t, "few"), many = ir_block(t, ""), done = ir_block(t, "");
    LLVMValueRef is = LLVMBuildICmp(t->b, LLVMIntULE, ir_popcount(t, a->lanes), ir_u32(t, most), "");
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

/* All lanes, one by one, in line. */
static void store_each(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMTypeRef type = memory_type(t, a->size);
    LLVMValueRef sums = sums_in_memory(t, a);
    for (unsigned lane = 0; lane < lanes_computed(t); lane++) {
        LLVMValueRef at = ir_load(t, t->i32, sums, lane * 4);
        LLVMValueRef value = get_lane(t, data, lane);
        if (a->size < 4) value = LLVMBuildTrunc(t->b, value, type, "");
        LLVMValueRef to = host_address(t, LLVMBuildAdd(t->b, at, ir_u32(t, a->imm), ""));
        LLVMSetAlignment(LLVMBuildStore(t->b, value, to), 1);
    }
}

/* Of bytes and half words there are no scatters. A function out of line makes the code around it keep all vectors of
 * 16 words in memory. */
static void store_scattered(struct translator *t, const struct vector_access *a, struct lanes data)
{
    if (a->size == 4 && t->words == 16) a->all ? scatter(t, a, data) : store_few_or_many(t, a, data);
    else if (!a->all && t->words == 16 && a->n->d.in.vm) store_few(t, a, data);
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

typedef void store_function(struct translator *t, const struct vector_access *a, struct lanes data);

/* Stores in one way where a condition holds, which is probable, and else in another one. */
static void store_either(struct translator *t, const struct vector_access *a, struct lanes data, LLVMValueRef likely,
                         store_function *store, store_function *store_other)
{
    LLVMBasicBlockRef done = ir_block(t, ""), here = ir_block(t, ""), other = ir_block(t, "");
    ir_branch_likely(t, likely, here, other);
    ir_at(t, here);
    store(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, other);
    store_other(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
}

static void store_alone(struct translator *t, const struct vector_access *a, struct lanes data)
{
    if (is_known_spaced(t, a)) store_spaced(t, a, data);
    else store_scattered(t, a, data);
}

/* Is everything on one page, from the first lane's first byte to the last one's last, which has so many? Where lanes
 * have several periods, in each. */
static LLVMValueRef are_on_one_page(struct translator *t, const struct vector_access *a, unsigned bytes)
{
    LLVMValueRef ends = ir_u32(t, 0);
    for (unsigned lane = 0; lane < t->items; lane += a->fact.period) {
        const unsigned lanes = t->items - lane < a->fact.period ? t->items - lane : a->fact.period;
        const uint32_t span = (lanes - 1) * a->fact.step + bytes;
        LLVMValueRef first = guest_address(t, a, lane), last = LLVMBuildAdd(t->b, first, ir_u32(t, span - 1), "");
        ends = LLVMBuildOr(t->b, ends, LLVMBuildXor(t->b, first, last, ""), "");
    }
    ends = LLVMBuildAnd(t->b, ends, ir_u32(t, ABI_PAGE), "");
    return LLVMBuildICmp(t->b, LLVMIntEQ, ends, ir_u32(t, 0), "");
}

/* How many lanes fit a vector register, with what is between them: a power of two. */
static unsigned lanes_with_gaps(const struct vector_access *a)
{
    return a->fact.step <= 4 ? 16 : a->fact.step <= 8 ? 8 : 4;
}

static bool has_gaps(const struct translator *t, const struct vector_access *a)
{
    const bool near = a->fact.step > a->size && a->fact.step <= GAPS_MOST && a->fact.step % a->size == 0;
    return near && a->all && t->words == 16 && a->fact.period >= lanes_with_gaps(a);
}

/* One masked store for as many lanes as fit. */
static void store_gapped(struct translator *t, const struct vector_access *a, struct lanes data)
{
    const unsigned step = a->fact.step, n = GAPS_BYTES / a->size, each = lanes_with_gaps(a);
    LLVMTypeRef type = memory_type(t, a->size), types[] = {LLVMVectorType(type, n), t->ptr};
    LLVMValueRef index[GAPS_BYTES], is[GAPS_BYTES];
    for (unsigned lane = 0; lane < lanes_computed(t); lane += each) {
        LLVMValueRef part = data.chunk[lane / t->words], spread;
        for (unsigned i = 0; i < n; i++) {
            const unsigned k = i * a->size / step;
            is[i] = LLVMConstInt(t->i1, k < each && i * a->size % step == 0, false);
            index[i] = ir_u32(t, k < each ? lane % t->words + k : 0);
        }
        if (a->size < 4) part = LLVMBuildTrunc(t->b, part, LLVMVectorType(type, t->words), "");
        spread = LLVMBuildShuffleVector(t->b, part, LLVMGetPoison(LLVMTypeOf(part)), LLVMConstVector(index, n), "");
        LLVMValueRef args[] = {spread, lane_address(t, a, lane), ir_u32(t, 1), LLVMConstVector(is, n)};
        ir_intrinsic(t, "llvm.masked.store", types, 2, args, 4);
    }
}

/* The active lanes' words. */
static void store_masked_gaps(struct translator *t, const struct vector_access *a, struct lanes data)
{
    const unsigned each = a->fact.step / 4, n = a->unit * each;
    LLVMTypeRef types[] = {LLVMVectorType(t->i32, n), t->ptr};
    LLVMValueRef index[UNIT_MOST * GAPS_MOST / 4];
    for (unsigned lane = 0; lane < lanes_computed(t); lane += a->unit) {
        LLVMValueRef part = data.chunk[lane / t->words];
        for (unsigned i = 0; i < n; i++) index[i] = ir_u32(t, lane % t->words + i / each);
        part = LLVMBuildShuffleVector(t->b, part, LLVMGetPoison(t->chunk_type), LLVMConstVector(index, n), "");
        LLVMValueRef args[] = {part, lane_address(t, a, lane), ir_u32(t, 1), gap_flags(t, a, lane)};
        ir_intrinsic(t, "llvm.masked.store", types, 2, args, 4);
    }
}

/* A masked store that fails stores nothing, not even for the lanes in front of the one that fails. */
static void store_gaps(struct translator *t, const struct vector_access *a, struct lanes data)
{
    if (a->all) store_either(t, a, data, are_on_one_page(t, a, a->size), store_gapped, store_alone);
    else store_either(t, a, data, are_on_one_page(t, a, a->size), store_masked_gaps, store_scattered);
}

/* One by one, at addresses whose stride is not a constant. */
static void store_even(struct translator *t, const struct vector_access *a, struct lanes data, LLVMValueRef step)
{
    LLVMValueRef first = NULL;
    for (unsigned lane = 0; lane < lanes_computed(t); lane++) {
        if (lane % 8 == 0) first = lane_address(t, a, lane);
        LLVMValueRef to = even_address(t, first, step, lane % 8);
        LLVMSetAlignment(LLVMBuildStore(t->b, get_lane(t, data, lane), to), 1);
    }
}

/* ---- adjacent stores of each lane: vectors, doubles and longs, members of structures, pixels ---- */

static unsigned size_of(const struct node *n) { return n->effects.memory.size; }

/* Does n store so many bytes behind the first one, in one word? */
static bool is_row_store(const struct node *first, const struct node *n, unsigned at)
{
    const struct isa_memory *m = &n->effects.memory;
    bool lanes = n->how == HOW_STORE && m->action == ACTION_STORE && m->address == ADDRESS_LANES && at % m->size == 0;
    return lanes && n->d.in.vm && n->d.in.rs1 == first->d.in.rs1 && n->d.in.imm == first->d.in.imm + (int32_t)at;
}

/* Can an instruction neither fail nor see what is stored? */
static bool is_pure(const struct translator *t, const struct facts *holds, const struct node *n)
{
    uint32_t word;
    return n->how == HOW_ROW || n->how == HOW_NOTHING ||
           (n->how == HOW_LOAD && fact_constant(holds, n, t->flow, &word));
}

static bool is_same_load(const struct node *a, const struct node *b)
{
    const struct isa_memory *of[] = {&a->effects.memory, &b->effects.memory};
    bool same = a->d.in.rs1 == b->d.in.rs1 && a->d.in.imm == b->d.in.imm && of[0]->size == of[1]->size;
    for (unsigned i = 0; i < 2; i++) {
        const struct node *n = i ? b : a;
        same = same && n->how == HOW_LOAD && n->d.in.vm && of[i]->action == ACTION_LOAD && of[i]->words == 1 &&
               of[i]->address == ADDRESS_LANES;
    }
    return same;
}

/* Does n load again, from addresses of a known shape, what the block has loaded in front of the first store? Then it
 * cannot fail, and where it is is known there. Compilers load again behind a store that might be to the same place. */
static bool loads_again(const struct translator *t, const struct node *first, const struct node *n)
{
    const struct v_fact fact = t->holds.v[n->d.in.rs1];
    const struct node *e = n;
    if (!is_same_load(n, n) || fact.period != ISA_LANES || fact.step > ABI_PAGE / ISA_LANES) return false;
    while (e-- > &t->flow->nodes[t->block->first]) {
        if (set_has(node_written(t->flow, e).v, n->d.in.rs1)) return false;
        if (e < first && is_same_load(e, n)) return true;
    }
    return false;
}

/* The stores that begin there, with nothing between them that is not pure or changes their addresses. */
static unsigned find_rows(const struct translator *t, const struct node *first, bool all, struct rows *rows)
{
    const struct node *end = &t->flow->nodes[t->block->first + t->block->count];
    struct facts holds = t->holds;
    unsigned count = 0, at = 0;
    rows->nloads = 0;
    for (const struct node *n = first; n < end && at < ROW_WORDS * 4; n++) {
        if (is_row_store(first, n, at)) {
            rows->stores[count] = n, rows->at[count++] = (uint8_t)at;
            at += size_of(n);
        } else {
            const bool again = all && rows->nloads < ROW_LOADS && loads_again(t, first, n);
            if (again) rows->loads[rows->nloads++] = n;
            if (!again && !is_pure(t, &holds, n)) break;
            if (set_has(node_written(t->flow, n).v, first->d.in.rs1)) break;
        }
        facts_step(&holds, n, t->flow);
    }
    return count;
}

bool is_between_stores(const struct translator *t, const struct node *n)
{
    const struct rows *rows = &t->rows;
    unsigned i = 0;
    while (i < rows->nloads && rows->loads[i] != n) i++;
    return rows->count && i < rows->nloads;
}

/* Can so many stores be made together, of so many bytes? They are one, two or four words, or, without gaps between
 * lanes, three words, or two or three bytes or half words; of some lanes two or four words without gaps, in
 * several periods two. */
static bool are_rows(const struct vector_access *a, const struct rows *rows, unsigned count, unsigned bytes)
{
    bool same = count <= 3;
    if (a->fact.step < bytes || a->fact.step > ABI_PAGE / ISA_LANES) return false;
    if (a->fact.step != bytes && (!a->all || a->fact.period < ISA_LANES)) return false;
    if (a->fact.period < ISA_LANES) return bytes == 8;
    if (!a->all) return bytes == 8 || bytes == 16;
    for (unsigned i = 0; i < count; i++) same &= size_of(rows->stores[i]) == a->size;
    if (bytes == 4 || bytes == 8 || bytes == 16) return true;
    return a->fact.step == bytes && (bytes == 12 || (bytes % 4 && same));
}

/* Do stores begin there that can be made together? As many as can. */
static bool begins_rows(struct translator *t, const struct vector_access *a)
{
    struct rows *rows = &t->rows;
    rows->count = 0, rows->anywhere = false;
    const bool shaped = a->fact.period == ISA_LANES || (t->words == 16 && a->fact.period >= 8);
    if (!shaped || t->words < 8 || !(a->all || has_masked_gaps(t, a))) return false;
    for (unsigned count = find_rows(t, a->n, a->all && a->fact.period == ISA_LANES, rows); count > 1 && !rows->count;
         count--) {
        rows->bytes = rows->at[count - 1] + size_of(rows->stores[count - 1]);
        if (are_rows(a, rows, count, rows->bytes)) rows->count = count;
    }
    return rows->count;
}

/* Do two stores begin there of a pair of words of each lane, at addresses of which nothing is known? */
static bool begins_pairs_anywhere(struct translator *t, const struct vector_access *a)
{
    struct rows *rows = &t->rows;
    if (!flow_has_routines(t->flow)) return false;
    if (t->words != 16 || a->fact.period || a->size != 4) return false;
    if (find_rows(t, a->n, false, rows) < 2 || size_of(rows->stores[1]) != 4) return false;
    rows->count = 2, rows->bytes = 8, rows->anywhere = true;
    return true;
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

/* The two words of a chunk's lanes, in turn. */
static LLVMValueRef join_pairs(struct translator *t, const struct lanes word[2], unsigned p)
{
    LLVMValueRef index[2 * UNIT_MOST];
    for (unsigned i = 0; i < 2 * t->words; i++) index[i] = ir_u32(t, i % 2 * t->words + i / 2);
    LLVMValueRef order = LLVMConstVector(index, 2 * t->words);
    return LLVMBuildShuffleVector(t->b, word[0].chunk[p], word[1].chunk[p], order, "");
}

/* Four words of each active lane, without gaps: pairs of a chunk's lanes in turn, four lanes at a time. */
static void store_some_rows(struct translator *t, const struct vector_access *a, unsigned p, LLVMValueRef address)
{
    LLVMTypeRef longs = LLVMVectorType(t->i64, t->words), type = LLVMVectorType(t->i64, 8), types[] = {type, t->ptr};
    LLVMValueRef pairs[2], index[8];
    for (unsigned k = 0; k < 2; k++)
        pairs[k] = LLVMBuildBitCast(t->b, join_pairs(t, t->rows.data + 2 * k, p), longs, "");
    for (unsigned lane = 0; lane < t->words; lane += 4) {
        for (unsigned i = 0; i < 8; i++) index[i] = ir_u32(t, i % 2 * t->words + lane + i / 2);
        LLVMValueRef part = LLVMBuildShuffleVector(t->b, pairs[0], pairs[1], LLVMConstVector(index, 8), "");
        LLVMValueRef to = ir_field(t, address, ((size_t)p * t->words + lane) * ROW_WORDS * 4);
        LLVMValueRef args[] = {part, to, ir_u32(t, 1), repeated_flags(t, a, p * t->words + lane, 4, 2)};
        ir_intrinsic(t, "llvm.masked.store", types, 2, args, 4);
    }
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

static void store_pairs(struct translator *t, const struct lanes word[2], unsigned p, LLVMValueRef address, size_t step)
{
    LLVMValueRef both = join_pairs(t, word, p), to = ir_field(t, address, p * t->words * step);
    for (unsigned i = 0; i < t->words; i++) store_part(t, both, 2 * i, 2, ir_field(t, to, i * step));
}

/* The pairs of a unit's lanes, which lie without gaps, or of each of them the lower word alone. */
static void store_longs(struct translator *t, const struct vector_access *a, unsigned lane, bool lower)
{
    const struct rows *rows = &t->rows;
    const unsigned period = a->fact.period, n = a->unit;
    LLVMTypeRef longs = LLVMVectorType(t->i64, n), type = lower ? LLVMVectorType(t->i32, 2 * n) : longs;
    LLVMValueRef to = ir_field(t, host_address(t, rows->from[lane / period]), lane % period * 8), index[2 * UNIT_MOST];
    LLVMValueRef both = join_pairs(t, rows->data, lane / t->words), none = LLVMGetPoison(LLVMTypeOf(both));
    for (unsigned i = 0; i < 2 * n; i++) index[i] = ir_u32(t, lane % t->words * 2 + i);
    both = LLVMBuildShuffleVector(t->b, both, none, LLVMConstVector(index, 2 * n), "");
    both = LLVMBuildBitCast(t->b, both, type, "");
    if (a->all && !lower) {
        LLVMSetAlignment(LLVMBuildStore(t->b, both, to), 1);
        return;
    }
    LLVMTypeRef types[] = {type, t->ptr};
    LLVMValueRef flags = lower ? gap_flags(t, a, lane) : lane_flags(t, a->lanes, lane, n);
    LLVMValueRef args[] = {both, to, ir_u32(t, 1), flags};
    ir_intrinsic(t, "llvm.masked.store", types, 2, args, 4);
}

/* Pairs without gaps. The lower words in front of the last period are stored first, by themselves, so that a page that
 * is not there is found when as much has been stored as by the first store alone. */
static void store_all_longs(struct translator *t, const struct vector_access *a)
{
    const unsigned n = t->items, last = (n - 1) / a->fact.period * a->fact.period;
    for (unsigned lane = 0; lane < last; lane += a->unit) store_longs(t, a, lane, true);
    for (unsigned lane = last; lane < n; lane += a->unit) store_longs(t, a, lane, false);
    for (unsigned lane = 0; lane < last; lane += a->unit) store_longs(t, a, lane, false);
}

/* The numbers of a chunk's lanes, two or three of each, without gaps. */
static void store_interleaved(struct translator *t, const struct lanes *column, unsigned count, unsigned size,
                              unsigned p, LLVMValueRef address)
{
    const unsigned n = t->words;
    LLVMTypeRef type = LLVMVectorType(memory_type(t, size), n);
    LLVMValueRef index[3 * UNIT_MOST], part[4];
    for (unsigned k = 0; k < 4; k++)
        part[k] = k < count ? LLVMBuildTrunc(t->b, column[k].chunk[p], type, "") : LLVMGetPoison(type);
    for (unsigned i = 0; i < 2 * n; i++) index[i] = ir_u32(t, i);
    for (unsigned k = 0; k < 2; k++)
        part[k] = LLVMBuildShuffleVector(t->b, part[2 * k], part[2 * k + 1], LLVMConstVector(index, 2 * n), "");
    for (unsigned i = 0; i < count * n; i++) index[i] = ir_u32(t, i % count * n + i / count);
    LLVMValueRef all = LLVMBuildShuffleVector(t->b, part[0], part[1], LLVMConstVector(index, count * n), "");
    LLVMSetAlignment(LLVMBuildStore(t->b, all, ir_field(t, address, p * n * (size_t)size * count)), 1);
}

/* The words of a chunk's lanes. */
static void store_words(struct translator *t, const struct lanes *word, unsigned p, LLVMValueRef address, size_t step)
{
    LLVMValueRef to = ir_field(t, address, p * t->words * step);
    if (step == 4) {
        LLVMSetAlignment(LLVMBuildStore(t->b, word->chunk[p], to), 1);
        return;
    }
    for (unsigned i = 0; i < t->words; i++) store_part(t, word->chunk[p], i, 1, ir_field(t, to, i * step));
}

/* Bytes, half words and words as words. */
static void pack(struct translator *t, struct rows *rows)
{
    for (unsigned k = 0; k < rows->count; k++)
        for (unsigned p = 0; p < t->chunks; p++) {
            const unsigned bits = size_of(rows->stores[k]) * 8, shift = rows->at[k] % 4 * 8;
            LLVMValueRef value = rows->data[k].chunk[p], *word = &rows->data[rows->at[k] / 4].chunk[p];
            if (shift + bits < 32) value = and_all(t, value, (1u << bits) - 1);
            if (shift) value = LLVMBuildShl(t->b, value, ir_splat(t, ir_u32(t, shift)), "");
            *word = shift ? LLVMBuildOr(t->b, *word, value, "") : value;
        }
}

/* Three bytes of each lane of a chunk, which are words, without gaps. */
static void store_three(struct translator *t, LLVMValueRef words, unsigned p, LLVMValueRef address)
{
    LLVMValueRef index[3 * UNIT_MOST], bytes = LLVMBuildBitCast(t->b, words, LLVMVectorType(t->i8, 4 * t->words), "");
    for (unsigned i = 0; i < 3 * t->words; i++) index[i] = ir_u32(t, i / 3 * 4 + i % 3);
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(bytes)), order = LLVMConstVector(index, 3 * t->words);
    bytes = LLVMBuildShuffleVector(t->b, bytes, none, order, "");
    LLVMSetAlignment(LLVMBuildStore(t->b, bytes, ir_field(t, address, (size_t)p * t->words * 3)), 1);
}

static void store_together(struct translator *t, const struct vector_access *a)
{
    struct rows *rows = &t->rows;
    const unsigned words = rows->bytes / 4;
    const size_t step = a->fact.step;
    LLVMValueRef to = host_address(t, rows->from[0]);
    if (rows->bytes % 4 == 0 || rows->bytes == 3) pack(t, rows);
    if (words == 2 && step == 8) {
        store_all_longs(t, a);
        return;
    }
    for (unsigned lane = 0; lane < lanes_computed(t) && words == ROW_WORDS && a->all; lane += 8)
        store_eight_rows(t, rows->data, lane, to, step);
    for (unsigned p = 0; p < t->chunks && !(words == ROW_WORDS && a->all); p++) {
        if (rows->bytes == 3) store_three(t, rows->data[0].chunk[p], p, to);
        else if (rows->bytes % 4) store_interleaved(t, rows->data, rows->count, a->size, p, to);
        else if (words == ROW_WORDS) store_some_rows(t, a, p, to);
        else if (words == 3) store_interleaved(t, rows->data, 3, 4, p, to);
        else if (words == 2) store_pairs(t, rows->data, p, to, step);
        else store_words(t, rows->data, p, to, step);
    }
}

/* Are the bytes of a load in front of those that are stored, or behind them? */
static LLVMValueRef is_apart(struct translator *t, const struct vector_access *a, const struct node *load)
{
    const uint32_t imm = (uint32_t)load->d.in.imm, lanes = t->items - 1;
    const struct vector_access l = {.n = load, .base = get_v(t, load->d.in.rs1), .imm = imm};
    const uint32_t loaded = lanes * t->holds.v[load->d.in.rs1].step + load->effects.memory.size;
    LLVMValueRef behind = LLVMBuildSub(t->b, guest_address(t, &l, 0), t->rows.from[0], "");
    behind = LLVMBuildAdd(t->b, behind, ir_u32(t, loaded - 1), "");
    const uint32_t all = lanes * a->fact.step + t->rows.bytes + loaded - 1;
    return LLVMBuildICmp(t->b, LLVMIntUGE, behind, ir_u32(t, all), "");
}

/* Are the active lanes' pairs aligned, and all on one page? Then no two of them share one word alone, so that each may
 * be stored as a long, and either all can be stored or none. */
static LLVMValueRef are_longs_on_one_page(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef args[] = {a->lanes, LLVMConstInt(t->i1, 0, false)};
    LLVMValueRef lane = a->all ? ir_u32(t, 0) : ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2);
    LLVMValueRef first = a->all ? guest_address(t, a, 0) : recorded_address(t, a, lane);
    LLVMValueRef page = ir_splat(t, LLVMBuildAnd(t->b, first, ir_u32(t, ~(ABI_PAGE - 1u)), ""));
    struct lanes off;
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef other = LLVMBuildXor(t->b, guest_addresses(t, a, p), page, "");
        off.chunk[p] = and_all(t, other, ~(ABI_PAGE - 8u));
        if (!a->all) off.chunk[p] = LLVMBuildSelect(t->b, chunk_flags(t, a, p), off.chunk[p], ir_zero_chunk(t), "");
    }
    return is_zero(t, off);
}

/* Eight lanes' pairs as longs, and where they go: of the first of them, or of each. */
static void store_eight_longs(struct translator *t, const struct vector_access *a, unsigned lane, bool consecutive)
{
    const unsigned p = lane / t->words;
    LLVMTypeRef longs = LLVMVectorType(t->i64, 8), pointers = LLVMVectorType(t->ptr, 8);
    LLVMValueRef index[16], both = join_pairs(t, t->rows.data, p), flags = lane_flags(t, a->lanes, lane, 8);
    for (unsigned i = 0; i < 16; i++) index[i] = ir_u32(t, lane % t->words * 2 + i);
    both = LLVMBuildShuffleVector(t->b, both, LLVMGetPoison(LLVMTypeOf(both)), LLVMConstVector(index, 16), "");
    both = LLVMBuildBitCast(t->b, both, longs, "");
    LLVMValueRef args[] = {both, NULL, ir_u32(t, 1), flags};
    if (consecutive) {
        args[1] = lane_address(t, a, lane);
        ir_intrinsic(t, "llvm.masked.store", (LLVMTypeRef[]){longs, t->ptr}, 2, args, 4);
        return;
    }
    for (unsigned i = 0; i < 8; i++) index[i] = ir_u32(t, lane % t->words + i);
    LLVMValueRef guest = LLVMBuildAdd(t->b, guest_addresses(t, a, p), ir_splat(t, ir_u32(t, 1u << 31)), "");
    guest = LLVMBuildShuffleVector(t->b, guest, LLVMGetPoison(t->chunk_type), LLVMConstVector(index, 8), "");
    args[1] = LLVMBuildGEP2(t->b, t->i8, ir_field(t, t->mem, 1u << 31), &guest, 1, "");
    ir_intrinsic(t, "llvm.masked.scatter", (LLVMTypeRef[]){longs, pointers}, 2, args, 4);
}

/* The pairs of the last two stores, `a` being the second. Of equal addresses the highest lane stays. */
static void store_pairs_anywhere(struct translator *t, const struct vector_access *a)
{
    struct vector_access first = *a;
    first.imm -= 4;
    LLVMBasicBlockRef near = ir_block(t, "consecutive"), far = ir_block(t, ""), done = ir_block(t, "");
    ir_branch_likely(t, has_step(t, &first, 8), near, far);
    ir_at(t, far);
    for (unsigned lane = 0; lane < lanes_computed(t); lane += 8) store_eight_longs(t, &first, lane, false);
    LLVMBuildBr(t->b, done);
    ir_at(t, near);
    first.fact = (struct v_fact){.period = 8, .step = 8};
    for (unsigned lane = 0; lane < lanes_computed(t); lane += 8) store_eight_longs(t, &first, lane, true);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
}

/* Can stores that begin with a's be made together? Where they are on one page, in each period, and no period reaches
 * into the next one, with which another order would be another result. */
static LLVMValueRef can_store_together(struct translator *t, const struct vector_access *a)
{
    struct rows *rows = &t->rows;
    const unsigned period = a->fact.period, n = (t->items + period - 1) / period;
    LLVMValueRef is = are_on_one_page(t, a, rows->bytes);
    for (unsigned i = 0; i < n; i++) rows->from[i] = guest_address(t, a, i * period);
    for (unsigned i = 1; i < n; i++) {
        LLVMValueRef last = LLVMBuildAdd(t->b, rows->from[i - 1], ir_u32(t, period * a->fact.step - 1), "");
        is = LLVMBuildAnd(t->b, is, LLVMBuildICmp(t->b, LLVMIntUGT, rows->from[i], last, ""), "");
    }
    for (unsigned i = 0; i < rows->nloads; i++) is = LLVMBuildAnd(t->b, is, is_apart(t, a, rows->loads[i]), "");
    return is;
}

/* Tests the shape of the addresses. */
static void store_as_found(struct translator *t, const struct vector_access *a, struct lanes data)
{
    store_either(t, a, data, has_step(t, a, a->size), store_consecutive, store_scattered);
}

/* The ith of the stores. The last one stores all of them, if they can be made together. It fails exactly if the first
 * one would, so it does so at that one's site. */
static void store_row(struct translator *t, const struct vector_access *a, unsigned i, struct lanes data)
{
    struct rows *rows = &t->rows;
    const bool last = i + 1 == rows->count;
    LLVMBasicBlockRef alone = ir_block(t, ""), done = ir_block(t, ""), all = last ? ir_block(t, "rows") : done;
    if (i == 0) {
        rows->together = rows->anywhere ? are_longs_on_one_page(t, a) : can_store_together(t, a);
        rows->site = last_site(t);
    }
    rows->data[i] = data;
    ir_branch_likely(t, rows->together, all, alone);
    if (last) {
        ir_at(t, all);
        record_site(t, rows->site);
        if (rows->anywhere) store_pairs_anywhere(t, a);
        else store_together(t, a);
        record_site(t, last_site(t));
        LLVMBuildBr(t->b, done);
    }
    ir_at(t, alone);
    if (rows->anywhere && can_split(t, a)) store_as_found(t, a, data);
    else store_alone(t, a, data);
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

void store_vector(struct translator *t, const struct vector_access *a, struct lanes data)
{
    unsigned i = 0;
    while (i < t->rows.count && t->rows.stores[i] != a->n) i++;
    if (is_known_consecutive(t, a)) store_consecutive(t, a, data);
    else if (i < t->rows.count) store_row(t, a, i, data);
    else if (begins_rows(t, a) || begins_pairs_anywhere(t, a)) store_row(t, a, 0, data);
    else if (has_gaps(t, a) || has_masked_gaps(t, a)) store_gaps(t, a, data);
    else if (is_known_spaced(t, a) && !has_fast_gathers(t)) store_spaced(t, a, data);
    else if (seems_even(t, a) && !has_fast_gathers(t)) store_seems_even(t, a, data);
    else if (a->fact.period || !can_split(t, a)) store_scattered(t, a, data);
    else store_as_found(t, a, data);
}
