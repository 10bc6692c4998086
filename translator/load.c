/* Loads of all lanes, by the shape of their addresses: uniform, consecutive (coalesced), strided or any. load_vector
 * chooses: what facts.c knows is decided here, the rest by the code that is made, when it runs. */
#include "translator/access.h"

/* Where a load of a unit reads. A masked load from unmapped memory takes a hundred times as long, even if no lane is
 * active, and inactive lanes may hold any address: a unit without active lanes reads from memory that exists. */
static LLVMValueRef masked_address(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMValueRef bits = LLVMBuildAnd(t->b, a->lanes, ir_u32(t, ((1u << a->unit) - 1) << lane), "");
    LLVMValueRef some = LLVMBuildICmp(t->b, LLVMIntNE, bits, ir_u32(t, 0), ""), address = lane_address(t, a, lane);
    return LLVMBuildSelect(t->b, some, address, ir_field(t, t->state, offsetof(struct native_state, in)), "");
}

static LLVMValueRef load_masked(struct translator *t, const struct vector_access *a, unsigned lane, LLVMTypeRef type,
                                LLVMValueRef address)
{
    LLVMTypeRef types[] = {type, t->ptr};
    LLVMValueRef args[] = {address, ir_u32(t, 1), lane_flags(t, a->lanes, lane, a->unit), LLVMConstNull(type)};
    return ir_intrinsic(t, "llvm.masked.load", types, 2, args, 4);
}

/* Is all of a unit on the page of its first lane? */
static LLVMValueRef is_on_its_page(struct translator *t, const struct vector_access *a, LLVMValueRef address)
{
    LLVMValueRef place = LLVMBuildAnd(t->b, LLVMBuildPtrToInt(t->b, address, t->i64, ""), ir_u64(t, ABI_PAGE - 1), "");
    return LLVMBuildICmp(t->b, LLVMIntULE, place, ir_u64(t, ABI_PAGE - a->unit * a->size), "");
}

/* A unit of bytes or half words. Masked loads of these take several times as long as plain ones, which are enough where
 * the unit is on one page: it faults exactly if an active lane would. */
static LLVMValueRef load_small_unit(struct translator *t, const struct vector_access *a, unsigned lane,
                                    LLVMTypeRef type, LLVMValueRef address)
{
    LLVMBasicBlockRef plain = ir_block(t, "plain"), masked = ir_block(t, "masked"), done = ir_block(t, ""), from[2];
    LLVMValueRef value[2], out;
    ir_branch_likely(t, is_on_its_page(t, a, address), plain, masked);
    ir_at(t, plain);
    value[0] = load_unaligned(t, type, address);
    from[0] = LLVMGetInsertBlock(t->b);
    LLVMBuildBr(t->b, done);
    ir_at(t, masked);
    value[1] = load_masked(t, a, lane, type, address);
    from[1] = LLVMGetInsertBlock(t->b);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
    out = LLVMBuildPhi(t->b, type, "");
    LLVMAddIncoming(out, value, from, 2);
    return out;
}

static LLVMValueRef load_unit(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMTypeRef type = LLVMVectorType(memory_type(t, a->size), a->unit), full = LLVMVectorType(t->i32, a->unit);
    LLVMValueRef value;
    if (a->all) value = load_unaligned(t, type, lane_address(t, a, lane));
    else if (a->size < 4) value = load_small_unit(t, a, lane, type, masked_address(t, a, lane));
    else value = load_masked(t, a, lane, type, masked_address(t, a, lane));
    if (a->size < 4) value = extend(t, value, a->is_signed, full);
    return a->all ? value : keep(t, value);
}

/* Units of so many lanes each as chunks; a chunk has one or two. */
static struct lanes join_units(struct translator *t, unsigned each, LLVMValueRef *unit)
{
    struct lanes out;
    LLVMValueRef index[16];
    for (unsigned i = 0; i < 16; i++) index[i] = ir_u32(t, i);
    for (unsigned p = 0; p < t->chunks; p++)
        out.chunk[p] = each == t->words
                           ? unit[p]
                           : LLVMBuildShuffleVector(t->b, unit[2 * p], unit[2 * p + 1], LLVMConstVector(index, 16), "");
    return out;
}

/* How many chunks have words of their own; the others repeat them. */
static unsigned chunks_loaded(const struct translator *t, const struct vector_access *a)
{
    return a->all ? chunks_of(t, a->fact) : t->chunks;
}

static struct lanes load_consecutive(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef unit[ISA_LANES];
    unsigned own = chunks_loaded(t, a) * t->words / a->unit;
    for (unsigned u = 0; u < lanes_computed(t) / a->unit; u++)
        unit[u] = u < own ? load_unit(t, a, u * a->unit) : unit[u - own];
    return join_units(t, a->unit, unit);
}

static LLVMValueRef unit_splat(struct translator *t, const struct vector_access *a, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMVectorType(t->i32, a->unit);
    LLVMValueRef one = LLVMBuildInsertElement(t->b, LLVMGetPoison(type), scalar, ir_u32(t, 0), "");
    return LLVMBuildShuffleVector(t->b, one, LLVMGetPoison(type), LLVMConstNull(type), "");
}

static LLVMValueRef load_one(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMValueRef value = load_unaligned(t, memory_type(t, a->size), lane_address(t, a, lane));
    return a->size == 4 ? value : extend(t, value, a->is_signed, t->i32);
}

/* Equal addresses within each unit, all lanes. Units of a period have the same one. */
static struct lanes load_uniform(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef unit[ISA_LANES];
    for (unsigned lane = 0, u = 0; lane < lanes_computed(t); lane += a->unit, u++)
        unit[u] = is_known_step(a, 0) && lane % a->fact.period ? unit[u - 1] : unit_splat(t, a, load_one(t, a, lane));
    return join_units(t, a->unit, unit);
}

/* Equal addresses in all lanes, of which at least one is active. */
static struct lanes load_for_all(struct translator *t, const struct vector_access *a)
{
    struct lanes out;
    LLVMValueRef word = ir_splat(t, load_one(t, a, 0));
    for (unsigned p = 0; p < t->chunks; p++) out.chunk[p] = word;
    return out;
}

/* Numbers at so many addresses of the guest, by a load for each. Two addresses at once come to a general register. */
static LLVMValueRef load_each_at(struct translator *t, LLVMValueRef guest, LLVMTypeRef type)
{
    const unsigned n = LLVMGetVectorSize(LLVMTypeOf(guest));
    LLVMValueRef twos = LLVMBuildBitCast(t->b, guest, LLVMVectorType(t->i64, n / 2), "");
    LLVMValueRef out = LLVMGetPoison(LLVMVectorType(type, n));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef two = LLVMBuildExtractElement(t->b, twos, ir_u32(t, i / 2), "");
        LLVMValueRef at =
            i % 2 ? LLVMBuildLShr(t->b, two, ir_u64(t, 32), "") : LLVMBuildAnd(t->b, two, ir_u64(t, UINT32_MAX), "");
        LLVMValueRef number = load_unaligned(t, type, LLVMBuildGEP2(t->b, t->i8, t->mem, &at, 1, ""));
        out = LLVMBuildInsertElement(t->b, out, number, ir_u32(t, i), "");
    }
    return out;
}

/* Numbers of any size, of all lanes. */
static struct lanes load_all_anywhere(struct translator *t, const struct vector_access *a)
{
    struct lanes out;
    const unsigned own = chunks_loaded(t, a);
    for (unsigned p = 0; p < own; p++) {
        LLVMValueRef value = load_each_at(t, guest_addresses(t, a, p), memory_type(t, a->size));
        out.chunk[p] = a->size < 4 ? extend(t, value, a->is_signed, t->chunk_type) : value;
    }
    repeat_chunks(t, &out, own);
    return out;
}

/* Words; or bytes, extracted from the words around them, which are on the same page. */
static struct lanes gather(struct translator *t, const struct vector_access *a)
{
    LLVMTypeRef types[] = {t->chunk_type, LLVMVectorType(t->ptr, t->words)};
    struct lanes out;
    unsigned own = chunks_loaded(t, a);
    for (unsigned p = 0; p < own; p++) {
        LLVMValueRef guest = guest_addresses(t, a, p), from = a->size == 1 ? and_all(t, guest, ~3u) : guest;
        LLVMValueRef args[] = {host_addresses(t, from), ir_u32(t, 1), chunk_flags(t, a, p), ir_zero_chunk(t)};
        LLVMValueRef part[] = {keep(t, ir_intrinsic(t, "llvm.masked.gather", types, 2, args, 4)), guest};
        out.chunk[p] = a->size == 4 ? part[0] : call_function(t, a->is_signed ? "bytes_i8" : "bytes_u8", part, 2);
    }
    repeat_chunks(t, &out, own);
    return out;
}

/* Lane by lane, out of line. */
static struct lanes load_one_by_one(struct translator *t, const struct vector_access *a)
{
    static const char *const names[2][5] = {{"", "load_u8", "load_u16", "", "load_u32"},
                                            {"", "load_i8", "load_i16", "", "load_u32"}};
    LLVMValueRef args[] = {t->mem, sums_in_memory(t, a), ir_u32(t, a->imm),
                           ir_field(t, t->state, offsetof(struct native_state, out)), a->lanes};
    call_function(t, names[a->is_signed][a->size], args, 5);
    return load_scratch(t, offsetof(struct native_state, out));
}

/* A value computed on one of several paths, and the host block in which that path ends. */
struct way {
    LLVMBasicBlockRef from;
    struct lanes value;
};

static struct way way_of(struct translator *t, struct lanes value, LLVMBasicBlockRef to)
{
    struct way way = {LLVMGetInsertBlock(t->b), value};
    LLVMBuildBr(t->b, to);
    return way;
}

static struct lanes meet(struct translator *t, const struct way *ways, unsigned n)
{
    struct lanes out;
    for (unsigned p = 0; p < t->chunks; p++) {
        out.chunk[p] = LLVMBuildPhi(t->b, t->chunk_type, "");
        for (unsigned i = 0; i < n; i++)
            LLVMAddIncoming(out.chunk[p], (LLVMValueRef *)&ways[i].value.chunk[p], (LLVMBasicBlockRef *)&ways[i].from,
                            1);
    }
    return out;
}

/* Paths, of which the code takes the first whose condition holds; the last one has none. */
struct ways {
    struct way way[5];
    unsigned n;
    LLVMBasicBlockRef done;
};

/* Begins the path for a condition, which end_way ends. Returns the block in which the other paths continue. */
static LLVMBasicBlockRef begin_way(struct translator *t, const char *name, LLVMValueRef condition, bool likely)
{
    LLVMBasicBlockRef way = ir_block(t, name), other = ir_block(t, "");
    if (likely) ir_branch_likely(t, condition, way, other);
    else LLVMBuildCondBr(t->b, condition, way, other);
    ir_at(t, way);
    return other;
}

static void end_way(struct translator *t, struct ways *w, struct lanes value, LLVMBasicBlockRef other)
{
    w->way[w->n++] = way_of(t, value, w->done);
    ir_at(t, other);
}

/* Is the stride two, four or eight words? What lies between such words of a unit is on the same pages. */
static bool has_small_gaps(const struct vector_access *a)
{
    return a->fact.step == 8 || a->fact.step == 16 || a->fact.step == 32;
}

/* A unit of such words. Each load is offset so that its words land in elements which the other loads leave free: every
 * second, fourth or eighth one. So nothing outside the first word to the last is read, and shuffles put them in order.
 */
static LLVMValueRef load_gapped(struct translator *t, const struct vector_access *a, unsigned lane)
{
    unsigned n = a->unit, loads = a->fact.step / 4, each = n / loads;
    LLVMTypeRef type = LLVMVectorType(t->i32, n);
    LLVMValueRef first = lane_address(t, a, lane), words = NULL, places[UNIT_MOST], order[UNIT_MOST];
    for (unsigned k = 0; k < loads; k++) {
        LLVMValueRef part = load_unaligned(t, type, ir_field(t, first, (size_t)k * (n - 1) * 4));
        for (unsigned i = 0; i < n; i++) places[i] = ir_u32(t, i % loads == k ? n + i : i);
        words = words ? LLVMBuildShuffleVector(t->b, words, part, LLVMConstVector(places, n), "") : part;
    }
    for (unsigned i = 0; i < n; i++) order[i] = ir_u32(t, i % each * loads + i / each);
    return LLVMBuildShuffleVector(t->b, words, LLVMGetPoison(type), LLVMConstVector(order, n), "");
}

/* A unit of words by one gather, the ith of them offsets[i] bytes behind the first. */
static LLVMValueRef gather_unit(struct translator *t, const struct vector_access *a, LLVMValueRef first,
                                LLVMValueRef offsets)
{
    LLVMTypeRef type = LLVMVectorType(t->i32, a->unit), types[] = {type, LLVMVectorType(t->ptr, a->unit)};
    LLVMValueRef wide = LLVMBuildZExt(t->b, offsets, LLVMVectorType(t->i64, a->unit), "");
    LLVMValueRef all = LLVMConstAllOnes(LLVMVectorType(t->i1, a->unit));
    LLVMValueRef args[] = {LLVMBuildGEP2(t->b, t->i8, first, &wide, 1, ""), ir_u32(t, 1), all, LLVMConstNull(type)};
    return keep(t, ir_intrinsic(t, "llvm.masked.gather", types, 2, args, 4));
}

/* 0, step, 2 * step, ... */
static LLVMValueRef unit_ramp(struct translator *t, const struct vector_access *a, uint32_t step)
{
    LLVMValueRef offsets[UNIT_MOST];
    for (unsigned i = 0; i < a->unit; i++) offsets[i] = ir_u32(t, i * step);
    return LLVMConstVector(offsets, a->unit);
}

static LLVMValueRef load_each(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMValueRef first = lane_address(t, a, lane), words = LLVMGetPoison(LLVMVectorType(t->i32, a->unit));
    if (has_fast_gathers(t)) return gather_unit(t, a, first, unit_ramp(t, a, a->fact.step));
    for (unsigned i = 0; i < a->unit; i++) {
        LLVMValueRef word = load_unaligned(t, t->i32, ir_field(t, first, (size_t)a->fact.step * i));
        words = LLVMBuildInsertElement(t->b, words, word, ir_u32(t, i), "");
    }
    return words;
}

/* Words of the active lanes of a unit, with gaps. */
static LLVMValueRef load_masked_gaps(struct translator *t, const struct vector_access *a, unsigned lane)
{
    const unsigned each = a->fact.step / 4, n = a->unit * each;
    LLVMTypeRef type = LLVMVectorType(t->i32, n), types[] = {type, t->ptr};
    LLVMValueRef args[] = {masked_address(t, a, lane), ir_u32(t, 1), gap_flags(t, a, lane), LLVMConstNull(type)};
    LLVMValueRef all = ir_intrinsic(t, "llvm.masked.load", types, 2, args, 4), index[UNIT_MOST];
    for (unsigned i = 0; i < a->unit; i++) index[i] = ir_u32(t, i * each);
    return keep(t, LLVMBuildShuffleVector(t->b, all, LLVMGetPoison(type), LLVMConstVector(index, a->unit), ""));
}

static struct lanes load_spaced(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef unit[ISA_LANES];
    unsigned own = chunks_loaded(t, a) * t->words / a->unit;
    for (unsigned u = 0; u < lanes_computed(t) / a->unit; u++)
        if (u >= own) unit[u] = unit[u - own];
        else if (!a->all) unit[u] = load_masked_gaps(t, a, u * a->unit);
        else unit[u] = has_small_gaps(a) ? load_gapped(t, a, u * a->unit) : load_each(t, a, u * a->unit);
    return join_units(t, a->unit, unit);
}

/* The same for a stride that is not a constant. */
static struct lanes load_even(struct translator *t, const struct vector_access *a, LLVMValueRef step)
{
    LLVMValueRef unit[ISA_LANES];
    for (unsigned u = 0; u < lanes_computed(t) / a->unit; u++) {
        LLVMValueRef first = lane_address(t, a, u * a->unit), words = LLVMGetPoison(LLVMVectorType(t->i32, a->unit));
        for (unsigned i = 0; i < a->unit; i++) {
            LLVMValueRef word = LLVMBuildLoad2(t->b, t->i32, even_address(t, first, step, i), "");
            LLVMSetAlignment(word, 1);
            words = LLVMBuildInsertElement(t->b, words, word, ir_u32(t, i), "");
        }
        unit[u] = keep(t, words);
    }
    return join_units(t, a->unit, unit);
}

/* So many values of each active lane, one lane after the other, from `imm` bytes behind its address on: words, or one
 * of the access's size. */
static void load_few(struct translator *t, const struct vector_access *a, uint32_t imm, unsigned size, unsigned words,
                     struct lanes *out)
{
    struct lanes old[ADJACENT_BYTES / 4];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->b), loop = ir_block(t, "each"), done = ir_block(t, "");
    LLVMValueRef left, one = ir_u32(t, 1), zero = ir_zero_chunk(t), more, base = sums_in_memory(t, a);
    LLVMBuildBr(t->b, loop);
    ir_at(t, loop);
    left = LLVMBuildPhi(t->b, t->i32, "");
    for (unsigned k = 0; k < words; k++)
        for (unsigned p = 0; p < t->chunks; p++) old[k].chunk[p] = LLVMBuildPhi(t->b, t->chunk_type, "");
    LLVMValueRef args[] = {left, LLVMConstInt(t->i1, 1, false)};
    LLVMValueRef lane = ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2), wide = LLVMBuildZExt(t->b, lane, t->i64, "");
    LLVMValueRef at = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, base, &wide, 1, ""), "");
    LLVMValueRef from = host_address(t, LLVMBuildAdd(t->b, at, ir_u32(t, imm), ""));
    for (unsigned k = 0; k < words; k++) {
        LLVMValueRef word = load_unaligned(t, memory_type(t, size), ir_field(t, from, k * 4));
        word = ir_splat(t, size == 4 ? word : extend(t, word, a->is_signed, t->i32));
        for (unsigned p = 0; p < t->chunks; p++) {
            LLVMValueRef here = LLVMBuildICmp(t->b, LLVMIntEQ, ir_splat(t, lane), ir_ramp(t, p, ISA_LANES, 1), "");
            out[k].chunk[p] = LLVMBuildSelect(t->b, here, word, old[k].chunk[p], "");
        }
    }
    more = LLVMBuildAnd(t->b, left, LLVMBuildSub(t->b, left, one, ""), "");
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, more, ir_u32(t, 0), ""), loop, done);
    LLVMAddIncoming(left, (LLVMValueRef *)&a->lanes, &before, 1);
    LLVMAddIncoming(left, &more, &loop, 1);
    for (unsigned k = 0; k < words; k++)
        for (unsigned p = 0; p < t->chunks; p++) {
            LLVMAddIncoming(old[k].chunk[p], &zero, &before, 1);
            LLVMAddIncoming(old[k].chunk[p], &out[k].chunk[p], &loop, 1);
        }
    ir_at(t, done);
}

/* Counts a load with scattered addresses. */
static void note_scattered(struct translator *t)
{
    LLVMValueRef variable = t->scattered[t->block - t->flow->blocks];
    if (!t->run) return;
    LLVMValueRef more = LLVMBuildAdd(t->b, LLVMBuildLoad2(t->b, t->i32, variable, ""), ir_u32(t, 1), "");
    LLVMBuildStore(t->b, more, variable);
}

/* Up to so many active lanes are loaded one by one sooner than all are gathered, or four words of all loaded as rows:
 * guesses. */
enum { FEW = 10, FEW_OF_SET = 16, FEW_PAIRS = 8, FEW_AS_ROWS = 4 };

static LLVMValueRef are_few(struct translator *t, const struct vector_access *a, unsigned most)
{
    LLVMValueRef few = LLVMBuildICmp(t->b, LLVMIntULE, ir_popcount(t, a->lanes), ir_u32(t, most), "");
    if (a->n->d.in.vm) return few;
    return LLVMBuildAnd(t->b, few, LLVMBuildICmp(t->b, LLVMIntNE, a->lanes, ir_u32(t, 0), ""), "");
}

/* Bytes or half words of some lanes. */
static struct lanes gather_few_or_many(struct translator *t, const struct vector_access *a)
{
    LLVMBasicBlockRef few = ir_block(t, "few"), many = ir_block(t, ""), done = ir_block(t, "");
    struct lanes value;
    struct way ways[2];
    LLVMBuildCondBr(t->b, are_few(t, a, FEW), few, many);
    ir_at(t, few);
    load_few(t, a, a->imm, a->size, 1, &value);
    ways[0] = way_of(t, value, done);
    ir_at(t, many);
    ways[1] = way_of(t, a->size == 2 ? load_one_by_one(t, a) : gather(t, a), done);
    ir_at(t, done);
    return meet(t, ways, 2);
}

static struct lanes load_far(struct translator *t, const struct vector_access *a)
{
    note_scattered(t);
    if (a->all && (has_slow_gathers(t) || (a->size == 2 && t->words >= 8))) return load_all_anywhere(t, a);
    if (a->size == 2 && t->words == 16) return gather_few_or_many(t, a);
    if (a->size == 2 || t->words < 8) return load_one_by_one(t, a);
    return a->size == 1 && !a->all && !has_fast_gathers(t) ? gather_few_or_many(t, a) : gather(t, a);
}

/* A piece of memory that begins at a multiple of its size, and so is on one page. */
enum { WINDOW = 256, WINDOW_CHUNKS = WINDOW / 64 };

/* Are all numbers aligned in the window of the first active lane, whose address this is? */
static LLVMValueRef are_in_window(struct translator *t, const struct vector_access *a, LLVMValueRef first)
{
    LLVMValueRef from = ir_splat(t, LLVMBuildAnd(t->b, first, ir_u32(t, ~(a->size - 1u)), ""));
    struct lanes beyond;
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef other = LLVMBuildXor(t->b, guest_addresses(t, a, p), from, "");
        beyond.chunk[p] = and_all(t, other, ~(WINDOW - 1u) | (a->size - 1u));
        if (a->all) continue;
        beyond.chunk[p] = LLVMBuildSelect(t->b, chunk_flags(t, a, p), beyond.chunk[p], ir_zero_chunk(t), "");
    }
    return is_zero(t, beyond);
}

/* The words around the numbers, from the two halves of the window. */
static LLVMValueRef words_of_window(struct translator *t, const LLVMValueRef window[WINDOW_CHUNKS], LLVMValueRef guest)
{
    LLVMValueRef index = LLVMBuildLShr(t->b, guest, ir_splat(t, ir_u32(t, 2)), ""), half[2];
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef args[] = {window[2 * k], index, window[2 * k + 1]};
        half[k] = ir_intrinsic(t, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
    }
    LLVMValueRef first = LLVMBuildICmp(t->b, LLVMIntEQ, and_all(t, guest, WINDOW / 2), ir_zero_chunk(t), "");
    return LLVMBuildSelect(t->b, first, half[0], half[1], "");
}

static struct lanes load_from_window(struct translator *t, const struct vector_access *a, LLVMValueRef first)
{
    LLVMValueRef from = host_address(t, LLVMBuildAnd(t->b, first, ir_u32(t, ~(WINDOW - 1u)), "")),
                 window[WINDOW_CHUNKS];
    struct lanes out;
    for (unsigned k = 0; k < WINDOW_CHUNKS; k++)
        window[k] = load_unaligned(t, t->chunk_type, ir_field(t, from, k * 64));
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef guest = guest_addresses(t, a, p), word = words_of_window(t, window, guest);
        LLVMValueRef left = ir_splat(t, ir_u32(t, 32 - 8 * a->size));
        LLVMValueRef bits = LLVMBuildShl(t->b, and_all(t, guest, 3), ir_splat(t, ir_u32(t, 3)), "");
        out.chunk[p] = word;
        if (a->size == 4) continue;
        word = LLVMBuildShl(t->b, LLVMBuildLShr(t->b, word, bits, ""), left, "");
        out.chunk[p] = a->is_signed ? LLVMBuildAShr(t->b, word, left, "") : LLVMBuildLShr(t->b, word, left, "");
    }
    return out;
}

/* The first active lane's address; without one, addresses have counted as consecutive before. *apart: bits in which
 * others' differ from it, of three lanes that are cheap to look at, so that tables of a kilobyte, too, are seldom taken
 * for small. */
static LLVMValueRef first_address(struct translator *t, const struct vector_access *a, LLVMValueRef *apart)
{
    LLVMValueRef zero = LLVMConstInt(t->i1, 0, false), args[] = {a->lanes, zero}, first, others[3];
    const unsigned half = t->items > t->words ? t->words : t->items / 2;
    const bool all = t->version == FULL && a->n->d.in.vm;
    const unsigned places[] = {t->items > 1, half, half + 1 < t->items ? half + 1 : half};
    if (all) {
        first = guest_address(t, a, 0);
        for (unsigned i = 0; i < 3; i++) others[i] = guest_address(t, a, places[i]);
    } else {
        LLVMValueRef lane = ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2);
        LLVMValueRef behind = ir_intrinsic(t, "llvm.ctlz", &t->i32, 1, args, 2);
        LLVMValueRef rest[] = {LLVMBuildAnd(t->b, a->lanes, LLVMBuildSub(t->b, a->lanes, ir_u32(t, 1), ""), ""), zero};
        first = recorded_address(t, a, lane);
        others[0] = recorded_address(t, a, LLVMBuildSub(t->b, ir_u32(t, ISA_LANES - 1), behind, ""));
        others[1] = others[2] = recorded_address(t, a, ir_intrinsic(t, "llvm.cttz", &t->i32, 1, rest, 2));
    }
    *apart = ir_u32(t, 0);
    for (unsigned i = 0; i < 3; i++) *apart = LLVMBuildOr(t->b, *apart, LLVMBuildXor(t->b, first, others[i], ""), "");
    return first;
}

/* Lanes often read here and there in one small piece of memory, a table or their own row of local memory: it is loaded,
 * and each lane takes its word of it, which takes less time than slow gathers or a load of each. */
static struct lanes load_scattered(struct translator *t, const struct vector_access *a)
{
    if (t->words < 16 || has_fast_gathers(t) || a->fact.period) return load_far(t, a);
    struct ways w = {.done = ir_block(t, "")};
    LLVMBasicBlockRef near = ir_block(t, "near"), window = ir_block(t, "window"), far = ir_block(t, "far");
    LLVMValueRef apart, first = first_address(t, a, &apart);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntULT, apart, ir_u32(t, WINDOW), ""), near, far);
    ir_at(t, near);
    LLVMBuildCondBr(t->b, are_in_window(t, a, first), window, far);
    ir_at(t, window);
    end_way(t, &w, load_from_window(t, a, first), far);
    w.way[w.n++] = way_of(t, load_far(t, a), w.done);
    ir_at(t, w.done);
    return meet(t, w.way, w.n);
}

/* Does the block load a word of the same base so many bytes further? */
static bool has_neighbour(const struct translator *t, const struct node *n, int32_t further)
{
    const struct node *other = &t->flow->nodes[t->block->first], *end = other + t->block->count;
    for (; other < end; other++) {
        const struct isa_memory *m = &other->effects.memory;
        bool same = m->action == ACTION_LOAD && m->address == ADDRESS_LANES && m->size == 4;
        if (same && other->d.in.rs1 == n->d.in.rs1 && other->d.in.imm == n->d.in.imm + further) return true;
    }
    return false;
}

/* The probable stride of the lanes' words, if the block loads other parts of vectors of two or four words as well; 0:
 * none. A guess, which the code tests. */
static uint32_t likely_gap(const struct translator *t, const struct vector_access *a)
{
    uint32_t parts = 1, at = (uint32_t)a->n->d.in.imm;
    if (!a->all || a->size != 4 || t->words < 8 || a->n->effects.memory.address != ADDRESS_LANES) return 0;
    for (int32_t i = 4; i <= 12 && has_neighbour(t, a->n, i); i += 4) parts++;
    for (int32_t i = 4; i <= 12 && has_neighbour(t, a->n, -i); i += 4) parts++, at -= 4;
    uint32_t gap = parts == 2 ? 8 : 16;
    return parts < 2 || parts > 4 || at % gap ? 0 : gap;
}

static struct lanes load_with_gap(struct translator *t, struct vector_access a, uint32_t gap)
{
    a.fact = (struct v_fact){.period = a.unit, .step = gap, .repeat = a.fact.repeat};
    return load_spaced(t, &a);
}

/* ---- adjacent loads (adjacent.h) ---- */

/* Does each lane load a set from one page? Then the first load faults exactly if one of the set would. */
static LLVMValueRef is_on_one_page(struct translator *t, const struct vector_access *a, const struct adjacent *set)
{
    LLVMValueRef first = ir_splat(t, ir_u32(t, (uint32_t)set->imm)), span = ir_splat(t, ir_u32(t, set->words * 4 - 1));
    struct lanes ends;
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef at = LLVMBuildAdd(t->b, a->base.chunk[p], first, ""), last = LLVMBuildAdd(t->b, at, span, "");
        ends.chunk[p] = and_all(t, LLVMBuildXor(t->b, at, last, ""), ABI_PAGE);
        if (!a->all) ends.chunk[p] = LLVMBuildSelect(t->b, chunk_flags(t, a, p), ends.chunk[p], ir_zero_chunk(t), "");
    }
    return is_zero(t, ends);
}

/* What a lane loads of a set: one number of its words. Addresses without a known shape have been recorded. */
static LLVMValueRef load_adjacent(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                                  unsigned lane)
{
    LLVMTypeRef type = set->words == 1 ? t->i32 : set->words == 2 ? t->i64 : LLVMVectorType(t->i32, 4);
    if (a->fact.period) {
        int64_t further = (int64_t)set->imm - (int32_t)a->imm;
        return load_unaligned(t, type, ir_field(t, lane_address(t, a, lane), (size_t)further));
    }
    LLVMValueRef base = a->filled ? ir_load(t, t->i32, t->state, offsetof(struct native_state, in) + lane * 4)
                                  : ir_load(t, t->i32, t->sm, offsetof(struct sm, access.addr) + lane * 4);
    LLVMValueRef at = LLVMBuildAdd(t->b, base, ir_u32(t, (uint32_t)set->imm), "");
    return load_unaligned(t, type, host_address(t, at));
}

/* One word of each of eight lanes. */
static void take_words(struct translator *t, const struct vector_access *a, const struct adjacent *set, unsigned first,
                       LLVMValueRef word[4])
{
    word[0] = LLVMGetPoison(LLVMVectorType(t->i32, 8));
    for (unsigned i = 0; i < 8; i++)
        word[0] = LLVMBuildInsertElement(t->b, word[0], load_adjacent(t, a, set, first + i), ir_u32(t, i), "");
}

/* Two words of each: those of lanes 0, 1, 4, 5 and of 2, 3, 6, 7 are combined first. */
static void take_pairs(struct translator *t, const struct vector_access *a, const struct adjacent *set, unsigned first,
                       LLVMValueRef word[4])
{
    static const uint8_t lane[2][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}}, low[8] = {0, 2, 8, 10, 4, 6, 12, 14},
                         high[8] = {1, 3, 9, 11, 5, 7, 13, 15};
    LLVMValueRef part[2];
    for (unsigned k = 0; k < 2; k++) {
        part[k] = LLVMGetPoison(LLVMVectorType(t->i64, 4));
        for (unsigned i = 0; i < 4; i++) {
            LLVMValueRef value = load_adjacent(t, a, set, first + lane[k][i]);
            part[k] = LLVMBuildInsertElement(t->b, part[k], value, ir_u32(t, i), "");
        }
        part[k] = LLVMBuildBitCast(t->b, part[k], LLVMVectorType(t->i32, 8), "");
    }
    word[0] = shuffle8(t, part[0], part[1], low);
    word[1] = shuffle8(t, part[0], part[1], high);
}

/* Four words of each, as rows of two matrices that are transposed: lane i beside lane i + 4. */
static void take_rows(struct translator *t, const struct vector_access *a, const struct adjacent *set, unsigned first,
                      LLVMValueRef word[4])
{
    static const uint8_t both[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    LLVMValueRef row[4];
    for (unsigned i = 0; i < 4; i++)
        row[i] = shuffle8(t, load_adjacent(t, a, set, first + i), load_adjacent(t, a, set, first + i + 4), both);
    transpose4(t, row, word);
}

/* Do the lanes' words of a set, two or four of each lane, fill memory without gaps? */
static bool is_whole(const struct translator *t, const struct vector_access *a, const struct adjacent *set)
{
    const uint32_t size = set->words * 4;
    const bool spaced = is_known_spaced(t, a) || has_masked_gaps(t, a);
    return set->words > 1 && spaced && a->fact.step == size && (uint32_t)set->imm % size == 0;
}

/* Eight longs, of lanes of a unit from one on, one or two of each: of the active ones. */
static LLVMValueRef load_masked_longs(struct translator *t, const struct vector_access *a, unsigned lane, unsigned each,
                                      LLVMValueRef address)
{
    LLVMTypeRef type = LLVMVectorType(t->i64, 8), types[] = {type, t->ptr};
    LLVMValueRef flags = each == 1 ? lane_flags(t, a->lanes, lane, 8) : repeated_flags(t, a, lane, 8 / each, each);
    LLVMValueRef args[] = {address, ir_u32(t, 1), flags, LLVMConstNull(type)};
    return keep(t, ir_intrinsic(t, "llvm.masked.load", types, 2, args, 4));
}

/* The words of a set without gaps, of the active lanes of a unit, as they lie. */
static LLVMValueRef load_masked_whole(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                                      unsigned first)
{
    const int64_t further = (int64_t)set->imm - (int32_t)a->imm;
    const unsigned each = set->words / 2, lanes = 8 / each, parts = a->unit / lanes;
    LLVMValueRef from = ir_field(t, masked_address(t, a, first), (size_t)further), part[UNIT_MOST],
                 index[2 * UNIT_MOST];
    for (unsigned i = 0; i < a->unit * each; i++) index[i] = ir_u32(t, i);
    for (unsigned k = 0; k < parts; k++)
        part[k] = load_masked_longs(t, a, first + k * lanes, each, ir_field(t, from, (size_t)k * 64));
    for (unsigned n = parts, longs = 16; n > 1; n /= 2, longs *= 2)
        for (unsigned k = 0; k < n / 2; k++)
            part[k] = LLVMBuildShuffleVector(t->b, part[2 * k], part[2 * k + 1], LLVMConstVector(index, longs), "");
    return part[0];
}

/* Words of lanes that lie one behind the other, so many of each. */
static void split_words(struct translator *t, LLVMValueRef all, unsigned words, unsigned lanes, LLVMValueRef *word)
{
    LLVMValueRef index[UNIT_MOST], none = LLVMGetPoison(LLVMTypeOf(all));
    for (unsigned k = 0; k < words; k++) {
        for (unsigned i = 0; i < lanes; i++) index[i] = ir_u32(t, i * words + k);
        word[k] = LLVMBuildShuffleVector(t->b, all, none, LLVMConstVector(index, lanes), "");
    }
}

/* The words of sixteen lanes' pairs, which are two vectors of longs. */
static void split_pairs(struct translator *t, const LLVMValueRef part[2], LLVMValueRef word[2])
{
    LLVMValueRef index[UNIT_MOST];
    for (unsigned i = 0; i < UNIT_MOST; i++) index[i] = ir_u32(t, i);
    LLVMValueRef all = LLVMBuildShuffleVector(t->b, part[0], part[1], LLVMConstVector(index, UNIT_MOST), "");
    split_words(t, LLVMBuildBitCast(t->b, all, LLVMVectorType(t->i32, 2 * UNIT_MOST), ""), 2, UNIT_MOST, word);
}

/* Words that lie one behind the other, of a unit. */
static void take_whole(struct translator *t, const struct vector_access *a, const struct adjacent *set, unsigned first,
                       LLVMValueRef word[4])
{
    const int64_t further = (int64_t)set->imm - (int32_t)a->imm;
    LLVMTypeRef type = LLVMVectorType(t->i32, a->unit * set->words);
    LLVMValueRef all = a->all ? load_unaligned(t, type, ir_field(t, lane_address(t, a, first), (size_t)further))
                              : load_masked_whole(t, a, set, first);
    all = LLVMBuildBitCast(t->b, all, type, "");
    split_words(t, all, set->words, a->unit, word);
}

/* Are a set's pairs of words two, three or four pairs apart, in all lanes? */
static bool are_pairs_apart(const struct translator *t, const struct vector_access *a, const struct adjacent *set)
{
    const uint32_t step = a->fact.step;
    return set->words == 2 && t->words == 16 && is_known_spaced(t, a) && (step == 16 || step == 24 || step == 32) &&
           set->imm % 8 == 0;
}

/* Eight lanes' pairs that are so far apart, as longs. What is between two of them is on their pages; the last of the
 * loads ends with the last pair. */
static LLVMValueRef load_pairs_apart(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                                     unsigned first)
{
    const int64_t further = (int64_t)set->imm - (int32_t)a->imm;
    const unsigned each = a->fact.step / 8, last = 7 * each - 7, loads = (last + 7) / 8 + 1;
    LLVMTypeRef type = LLVMVectorType(t->i64, 8);
    LLVMValueRef from = ir_field(t, lane_address(t, a, first), (size_t)further), index[8], out = NULL;
    for (unsigned k = 0; k < loads; k++) {
        const unsigned begin = k + 1 < loads ? 8 * k : last;
        LLVMValueRef part = load_unaligned(t, type, ir_field(t, from, begin * 8));
        for (unsigned i = 0; i < 8; i++) {
            const unsigned at = i * each - begin;
            index[i] = ir_u32(t, at < 8 ? (k ? 8 : 0) + at : i);
        }
        out = LLVMBuildShuffleVector(t->b, out ? out : part, part, LLVMConstVector(index, 8), "");
    }
    return out;
}

static void take_pairs_apart(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                             unsigned first, LLVMValueRef word[4])
{
    LLVMValueRef part[2];
    for (unsigned k = 0; k < 2; k++) part[k] = load_pairs_apart(t, a, set, first + 8 * k);
    split_pairs(t, part, word);
}

/* The pairs of the active ones of eight lanes as longs, loaded one by one or gathered: that is half as many steps as of
 * each word. */
static LLVMValueRef gather_longs(struct translator *t, const struct vector_access *a, LLVMValueRef guest, unsigned lane)
{
    LLVMTypeRef longs = LLVMVectorType(t->i64, 8), types[] = {longs, LLVMVectorType(t->ptr, 8)};
    if (lane >= t->items) return LLVMConstNull(longs);
    if (a->all && has_slow_gathers(t)) return load_each_at(t, guest, t->i64);
    LLVMValueRef flags = lane_flags(t, a->lanes, lane, 8);
    LLVMValueRef args[] = {host_addresses(t, guest), ir_u32(t, 1), flags, LLVMConstNull(longs)};
    return keep(t, ir_intrinsic(t, "llvm.masked.gather", types, 2, args, 4));
}

/* Two words of each active lane, anywhere. */
static void gather_pairs(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                         struct lanes word[4])
{
    LLVMValueRef part[2], index[8], taken[2], first = ir_splat(t, ir_u32(t, (uint32_t)set->imm));
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef at = LLVMBuildAdd(t->b, chunk_sum(t, a, p), first, "");
        for (unsigned k = 0; k < 2; k++) {
            for (unsigned i = 0; i < 8; i++) index[i] = ir_u32(t, 8 * k + i);
            LLVMValueRef few =
                LLVMBuildShuffleVector(t->b, at, LLVMGetPoison(LLVMTypeOf(at)), LLVMConstVector(index, 8), "");
            part[k] = gather_longs(t, a, few, p * 16 + 8 * k);
        }
        split_pairs(t, part, taken);
        for (unsigned k = 0; k < 2; k++) word[k].chunk[p] = taken[k];
    }
}

/* Where gathers are slow, other pairs than doubles and longs often lie as take_pairs takes them in less time. */
static bool can_gather_pairs(const struct translator *t, const struct vector_access *a, const struct adjacent *set)
{
    const bool pays = has_fast_gathers(t) || flow_has_routines(t->flow);
    return pays && t->words == 16 && set->words == 2 && !a->fact.period;
}

/* Words that are the same in all lanes of a unit. */
static void take_same(struct translator *t, const struct vector_access *a, const struct adjacent *set, unsigned first,
                      LLVMValueRef word[4])
{
    const int64_t further = (int64_t)set->imm - (int32_t)a->imm;
    LLVMValueRef from = ir_field(t, lane_address(t, a, first), (size_t)further);
    for (unsigned k = 0; k < set->words; k++)
        word[k] = unit_splat(t, a, load_unaligned(t, t->i32, ir_field(t, from, (size_t)k * 4)));
}

static void take_set(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                     struct lanes word[4])
{
    if (can_gather_pairs(t, a, set)) {
        gather_pairs(t, a, set, word);
        return;
    }
    LLVMValueRef unit[4][ISA_LANES / 8], taken[4];
    const bool whole = is_whole(t, a, set), apart = are_pairs_apart(t, a, set), same = is_known_step(a, 0);
    const unsigned each = whole || same ? a->unit : apart ? UNIT_MOST : 8;
    const unsigned own = chunks_loaded(t, a) * t->words / each;
    for (unsigned u = 0; u < lanes_computed(t) / each; u++) {
        if (u < own && same) take_same(t, a, set, u * each, taken);
        else if (u < own && whole) take_whole(t, a, set, u * each, taken);
        else if (u < own && apart) take_pairs_apart(t, a, set, u * each, taken);
        else if (u < own && set->words == 1) take_words(t, a, set, u * 8, taken);
        else if (u < own && set->words == 2) take_pairs(t, a, set, u * 8, taken);
        else if (u < own) take_rows(t, a, set, u * 8, taken);
        for (unsigned k = 0; k < set->words; k++) unit[k][u] = u < own ? taken[k] : unit[k][u - own];
    }
    for (unsigned k = 0; k < set->words; k++) word[k] = join_units(t, each, unit[k]);
}

/* The value of one load of a set, from the words of the set. */
static struct lanes part_of_set(struct translator *t, const struct vector_access *a, const struct taken *set)
{
    uint32_t offset = a->imm - (uint32_t)set->set.imm, bits = 8 * a->size;
    struct lanes out = set->word[offset / 4];
    for (unsigned p = 0; p < t->chunks && bits < 32; p++) {
        LLVMValueRef left = ir_splat(t, ir_u32(t, 32 - bits - offset % 4 * 8)),
                     right = ir_splat(t, ir_u32(t, 32 - bits));
        LLVMValueRef high = LLVMBuildShl(t->b, out.chunk[p], left, "");
        out.chunk[p] = a->is_signed ? LLVMBuildAShr(t->b, high, right, "") : LLVMBuildLShr(t->b, high, right, "");
    }
    return out;
}

/* The set of an earlier load that this one belongs to; NULL: there is none. */
static unsigned number_of_set(const struct translator *t, const struct vector_access *a)
{
    unsigned i = 0;
    while (i < SETS && !adjacent_has(&t->taken[i].set, a->n)) i++;
    return i;
}

static struct taken *known_set(struct translator *t, const struct vector_access *a)
{
    const unsigned i = number_of_set(t, a);
    return i < SETS ? &t->taken[i] : NULL;
}

static struct taken *new_set(struct translator *t, const struct adjacent *set)
{
    struct taken *taken = &t->taken[t->ntaken++ % SETS];
    *taken = (struct taken){.set = *set};
    return taken;
}

/* A set without gaps between lanes, or of pairs with such, that a load begins; NULL: it begins none. */
static struct taken *whole_set_of(struct translator *t, const struct vector_access *a)
{
    const uint32_t step = a->fact.step;
    struct adjacent found = {0};
    if (!a->fact.period || step % 8 || step > 32) return NULL;
    if (step == 8 || step == 16) found = adjacent_in_step(t->flow, t->block, a->n, step);
    if (found.first && is_whole(t, a, &found) && (!a->all || step == 8 || found.count > 2)) return new_set(t, &found);
    found = adjacent_in_step(t->flow, t->block, a->n, 8);
    return found.first && are_pairs_apart(t, a, &found) ? new_set(t, &found) : NULL;
}

/* The set that a load belongs to, or begins; NULL: it is alone, or not one for this way, as vectors of two words are,
 * where gathers are slow, that may have a gap. */
static struct taken *set_of(struct translator *t, const struct vector_access *a)
{
    if (!a->all || t->words < 8) return NULL;
    struct taken *known = known_set(t, a);
    if (known || is_between_stores(t, a->n)) return known;
    struct taken *whole = whole_set_of(t, a);
    if (whole) return whole;
    struct adjacent found = adjacent_find(t->flow, t->block, a->n);
    bool gaps = is_known_spaced(t, a) && has_small_gaps(a);
    bool four = found.words == 4 && (!gaps || a->fact.step == 32);
    if (!found.first) return NULL;
    if ((gaps || likely_gap(t, a)) && !four && !can_gather_pairs(t, a, &found)) return NULL;
    return new_set(t, &found);
}

/* ---- bytes and half words that lie near each other ---- */

enum { NEAR_BYTES = 64 };

/* How many lanes' numbers one load of the host holds, with what is between them; 0: it is not worth it. */
static unsigned lanes_of_near(const struct translator *t, const struct vector_access *a)
{
    unsigned lanes = ISA_LANES;
    while (lanes > a->fact.period || lanes > lanes_computed(t) || (lanes - 1) * a->fact.step + a->size > NEAR_BYTES)
        lanes /= 2;
    return lanes >= 8 ? lanes : 0;
}

bool load_is_near(const struct translator *t, const struct vector_access *a)
{
    const uint32_t step = a->fact.step;
    if (a->size == 4 || a->n->effects.memory.action != ACTION_LOAD || !a->all || t->words != 16) return false;
    if (a->fact.period < 8 || step <= a->size || step > NEAR_BYTES || step % a->size || !lanes_of_near(t, a))
        return false;
    if (number_of_set(t, a) < SETS) return false;
    return step <= 4 || !adjacent_find(t->flow, t->block, a->n).first;
}

/* Those of so many lanes, from one on; what is between them is masked. */
static LLVMValueRef load_near_lanes(struct translator *t, const struct vector_access *a, unsigned lane, unsigned lanes)
{
    const unsigned each = a->fact.step / a->size, span = (lanes - 1) * each + 1;
    const unsigned n = span * a->size <= NEAR_BYTES / 2 ? NEAR_BYTES / 2 / a->size : NEAR_BYTES / a->size;
    LLVMTypeRef type = LLVMVectorType(memory_type(t, a->size), n), types[] = {type, t->ptr};
    LLVMValueRef flags[NEAR_BYTES];
    for (unsigned i = 0; i < n; i++) flags[i] = LLVMConstInt(t->i1, i % each == 0 && i < span, false);
    LLVMValueRef args[] = {lane_address(t, a, lane), ir_u32(t, 1), LLVMConstVector(flags, n), LLVMConstNull(type)};
    return keep(t, ir_intrinsic(t, "llvm.masked.load", types, 2, args, 4));
}

static struct lanes load_near(struct translator *t, const struct vector_access *a)
{
    const unsigned lanes = lanes_of_near(t, a), each = a->fact.step / a->size, own = chunks_loaded(t, a);
    struct lanes out;
    LLVMValueRef part[ISA_LANES / 8], index[UNIT_MOST];
    for (unsigned i = 0; i * lanes < own * t->words; i++) part[i] = load_near_lanes(t, a, i * lanes, lanes);
    for (unsigned p = 0; p < own; p++) {
        const unsigned first = p * t->words / lanes, from = p * t->words % lanes;
        LLVMValueRef low = part[first], high = lanes < t->words ? part[first + 1] : LLVMGetPoison(LLVMTypeOf(low));
        const unsigned n = LLVMGetVectorSize(LLVMTypeOf(low));
        for (unsigned i = 0; i < t->words; i++)
            index[i] = ir_u32(t, (from + i) / lanes * n + (from + i) % lanes * each);
        LLVMValueRef numbers = LLVMBuildShuffleVector(t->b, low, high, LLVMConstVector(index, t->words), "");
        out.chunk[p] = extend(t, numbers, a->is_signed, t->chunk_type);
    }
    repeat_chunks(t, &out, own);
    return out;
}

/* The set of several such loads, two to four bytes of each lane without a gap, that one begins; NULL: it begins none.
 */
static struct taken *near_set_of(struct translator *t, const struct vector_access *a)
{
    if (a->fact.step > 4 || a->fact.period < t->words || is_between_stores(t, a->n)) return NULL;
    const struct adjacent found = adjacent_within(t->flow, t->block, a->n, a->fact.step);
    return found.first ? new_set(t, &found) : NULL;
}

/* The first load of a set loads all of it. It fails exactly if one of them would where the set's first byte and its
 * last one are on the pages of its own; elsewhere `step` executes it. */
static void leave_at_ends(struct translator *t, const struct vector_access *a, const struct adjacent *set)
{
    const uint32_t before = a->imm - (uint32_t)set->imm, step = a->fact.step;
    LLVMValueRef ends = ir_u32(t, 0);
    for (unsigned lane = 0; lane < lanes_computed(t); lane += a->fact.period) {
        LLVMValueRef first = guest_address(t, a, lane), begin = LLVMBuildSub(t->b, first, ir_u32(t, before), "");
        LLVMValueRef last = LLVMBuildAdd(t->b, first, ir_u32(t, (a->fact.period - 1) * step), "");
        LLVMValueRef end = LLVMBuildAdd(t->b, begin, ir_u32(t, a->fact.period * step - 1), "");
        ends = LLVMBuildOr(t->b, ends, LLVMBuildXor(t->b, first, begin, ""), "");
        ends = LLVMBuildOr(t->b, ends, LLVMBuildXor(t->b, last, end, ""), "");
    }
    ends = LLVMBuildAnd(t->b, ends, ir_u32(t, ABI_PAGE), "");
    leave_if(t, a->n, LLVMBuildICmp(t->b, LLVMIntNE, ends, ir_u32(t, 0), ""));
}

/* A word for each lane of a chunk, from the bytes at an address on, so many of each. */
static LLVMValueRef load_words_of(struct translator *t, LLVMValueRef from, unsigned each)
{
    const unsigned n = t->words;
    LLVMTypeRef type = LLVMVectorType(t->i8, each == 2 ? 2 * n : 4 * n), types[] = {type, t->ptr};
    LLVMValueRef flags[4 * UNIT_MOST], index[4 * UNIT_MOST], bytes;
    if (each == 4) return load_unaligned(t, t->chunk_type, from);
    if (each == 2) return extend(t, load_unaligned(t, LLVMVectorType(t->i16, n), from), false, t->chunk_type);
    for (unsigned i = 0; i < 4 * n; i++) {
        flags[i] = LLVMConstInt(t->i1, i < each * n, false);
        index[i] = i % 4 < each ? ir_u32(t, i / 4 * each + i % 4) : LLVMGetPoison(t->i32);
    }
    LLVMValueRef args[] = {from, ir_u32(t, 1), LLVMConstVector(flags, 4 * n), LLVMConstNull(type)};
    bytes = keep(t, ir_intrinsic(t, "llvm.masked.load", types, 2, args, 4));
    bytes = LLVMBuildShuffleVector(t->b, bytes, LLVMGetPoison(type), LLVMConstVector(index, 4 * n), "");
    return LLVMBuildBitCast(t->b, bytes, t->chunk_type, "");
}

static struct lanes load_near_or_set(struct translator *t, const struct vector_access *a)
{
    struct taken *set = near_set_of(t, a);
    const unsigned own = chunks_loaded(t, a);
    if (!set) return load_near(t, a);
    leave_at_ends(t, a, &set->set);
    for (unsigned p = 0; p < own; p++) {
        const int64_t further = (int64_t)set->set.imm - (int32_t)a->imm;
        LLVMValueRef from = ir_field(t, lane_address(t, a, p * t->words), (size_t)further);
        set->word[0].chunk[p] = load_words_of(t, from, a->fact.step);
    }
    repeat_chunks(t, &set->word[0], own);
    set->found = LLVMConstInt(t->i1, 1, false);
    return part_of_set(t, a, set);
}

/* ---- loads of any shape ---- */

/* Ends a path for the words of pairs, as end_way does for a load's value. */
static void end_way_of_pairs(struct translator *t, struct ways w[2], const struct lanes word[2],
                             LLVMBasicBlockRef other)
{
    w[1].way[w[1].n++] = (struct way){LLVMGetInsertBlock(t->b), word[1]};
    end_way(t, &w[0], word[0], other);
}

/* The path for lanes whose pairs are `step` bytes apart. */
static void take_pairs_if(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                          uint32_t step, struct ways w[2])
{
    struct vector_access shaped = *a;
    struct lanes word[4];
    shaped.fact = (struct v_fact){.period = (uint8_t)a->unit, .step = step, .repeat = a->fact.repeat};
    LLVMBasicBlockRef other = begin_way(t, step ? "spaced" : "uniform", has_step(t, a, step), step);
    take_set(t, &shaped, set, word);
    end_way_of_pairs(t, w, word, other);
}

/* The same for those whose first words follow one another, so that each lane's second word is the next one's first. */
static void take_pairs_if_consecutive(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                                      struct ways w[2])
{
    struct vector_access shaped = *a;
    struct lanes word[2];
    LLVMBasicBlockRef other = begin_way(t, "consecutive", has_step(t, a, 4), false);
    shaped.size = 4; /* of a, which may load a part of a word */
    shaped.fact = (struct v_fact){.period = (uint8_t)a->unit, .step = 4, .repeat = a->fact.repeat};
    for (unsigned k = 0; k < 2; k++) {
        shaped.imm = (uint32_t)set->imm + 4 * k;
        word[k] = load_consecutive(t, &shaped);
    }
    end_way_of_pairs(t, w, word, other);
}

/* The same for few active lanes, where a gather takes longer than a load for each of them. */
static void take_pairs_if_few(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                              struct ways w[2])
{
    struct lanes word[2];
    LLVMBasicBlockRef other = begin_way(t, "few", are_few(t, a, FEW_PAIRS), false);
    load_few(t, a, (uint32_t)set->imm, 4, 2, word);
    end_way_of_pairs(t, w, word, other);
}

/* Pairs whose addresses have any shape, each of which lies on one page. */
static void take_pairs_as_found(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                                struct lanes word[4])
{
    struct ways w[2] = {{.done = ir_block(t, "")}};
    if (!a->all && !has_fast_gathers(t)) take_pairs_if_few(t, a, set, w);
    if (set->imm % 8 == 0) take_pairs_if(t, a, set, 8, w);
    if (a->all) take_pairs_if(t, a, set, 0, w);
    take_pairs_if_consecutive(t, a, set, w);
    gather_pairs(t, a, set, word);
    end_way_of_pairs(t, w, word, w[0].done);
    for (unsigned k = 0; k < 2; k++) word[k] = meet(t, w[k].way, w[k].n);
}

/* Keeps the words of a set for its other loads; `from` is the path that has loaded them, of those that meet here. */
static void remember_set(struct translator *t, struct taken *set, const struct lanes word[4], const struct way *ways,
                         unsigned n, LLVMBasicBlockRef from)
{
    LLVMValueRef nothing = LLVMGetPoison(t->chunk_type);
    set->found = LLVMBuildPhi(t->b, t->i1, "");
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef here = LLVMConstInt(t->i1, ways[i].from == from, false);
        LLVMAddIncoming(set->found, &here, (LLVMBasicBlockRef *)&ways[i].from, 1);
    }
    for (unsigned k = 0; k < set->set.words; k++)
        for (unsigned p = 0; p < t->chunks; p++) {
            set->word[k].chunk[p] = LLVMBuildPhi(t->b, t->chunk_type, "");
            for (unsigned i = 0; i < n; i++) {
                LLVMValueRef value = ways[i].from == from ? word[k].chunk[p] : nothing;
                LLVMAddIncoming(set->word[k].chunk[p], &value, (LLVMBasicBlockRef *)&ways[i].from, 1);
            }
        }
}

/* Tests the shape of the addresses, if nothing is known of them. The load begins `set`, if that is not NULL. */
static struct lanes load_as_found(struct translator *t, const struct vector_access *a, struct taken *set)
{
    struct ways w = {.done = ir_block(t, "")};
    struct taken taken;
    LLVMBasicBlockRef from = NULL, other;
    uint32_t gap = likely_gap(t, a);
    const bool pairs = set && can_gather_pairs(t, a, &set->set);
    bool unknown = !a->fact.period && !pairs;
    if (unknown && gap) {
        other = begin_way(t, "spaced", has_step(t, a, gap), true);
        end_way(t, &w, load_with_gap(t, *a, gap), other);
    }
    if (unknown && (a->all || can_mask(t, a->size))) {
        other = begin_way(t, "consecutive", has_step(t, a, a->size), true);
        end_way(t, &w, load_consecutive(t, a), other);
    }
    if (unknown && a->all) {
        other = begin_way(t, "uniform", has_step(t, a, 0), false);
        end_way(t, &w, load_uniform(t, a), other);
    }
    if (set) {
        other = begin_way(t, "adjacent", is_on_one_page(t, a, &set->set), true);
        taken.set = set->set;
        if (pairs) take_pairs_as_found(t, a, &set->set, taken.word);
        else take_set(t, a, &set->set, taken.word);
        end_way(t, &w, part_of_set(t, a, &taken), other);
        from = w.way[w.n - 1].from;
    }
    w.way[w.n++] = way_of(t, is_known_spaced(t, a) ? load_spaced(t, a) : load_scattered(t, a), w.done);
    ir_at(t, w.done);
    struct lanes out = meet(t, w.way, w.n);
    if (set) remember_set(t, set, taken.word, w.way, w.n, from);
    return out;
}

/* The same for addresses that probably have one stride, which may be that of consecutive words. */
static struct lanes load_seems_even(struct translator *t, const struct vector_access *a)
{
    struct ways w = {.done = ir_block(t, "")};
    LLVMValueRef step, even = has_even_step(t, a, &step);
    LLVMBasicBlockRef other = begin_way(t, "even", even, true);
    LLVMValueRef near = LLVMBuildICmp(t->b, LLVMIntEQ, step, ir_u32(t, a->size), "");
    LLVMBasicBlockRef apart = begin_way(t, "consecutive", near, false);
    end_way(t, &w, load_consecutive(t, a), apart);
    end_way(t, &w, load_even(t, a, step), other);
    w.way[w.n++] = way_of(t, load_scattered(t, a), w.done);
    ir_at(t, w.done);
    return meet(t, w.way, w.n);
}

/* Is the first address of a period odd for a set, and are its words on two pages? */
struct oddness {
    LLVMValueRef bits, odd_on_two;
};

static struct oddness find_oddness(struct translator *t, const struct vector_access *a, const struct adjacent *set)
{
    const uint32_t size = set->words * 4, span = (a->fact.period - 1) * a->fact.step + size;
    struct oddness out = {ir_u32(t, 0), LLVMConstInt(t->i1, 0, false)};
    LLVMValueRef zero = ir_u32(t, 0);
    for (unsigned lane = 0; lane < t->items; lane += a->fact.period) {
        LLVMValueRef first = LLVMBuildAdd(t->b, lane_sum(t, a, lane), ir_u32(t, (uint32_t)set->imm), "");
        LLVMValueRef last = LLVMBuildAdd(t->b, first, ir_u32(t, span - 1), "");
        LLVMValueRef odd = LLVMBuildAnd(t->b, first, ir_u32(t, size - 1), "");
        LLVMValueRef ends = LLVMBuildAnd(t->b, LLVMBuildXor(t->b, first, last, ""), ir_u32(t, ABI_PAGE), "");
        out.bits = LLVMBuildOr(t->b, out.bits, odd, "");
        odd = LLVMBuildICmp(t->b, LLVMIntNE, odd, zero, "");
        ends = LLVMBuildICmp(t->b, LLVMIntNE, ends, zero, "");
        out.odd_on_two = LLVMBuildOr(t->b, out.odd_on_two, LLVMBuildAnd(t->b, odd, ends, ""), "");
    }
    return out;
}

/* The first load of a set without gaps, or of the same words for many lanes, loads all of it. It faults exactly if one
 * of the set would where each lane's words are aligned, as vectors are, or all lanes' are on one page; elsewhere `step`
 * executes it. */
static void load_whole(struct translator *t, const struct vector_access *a, struct taken *set)
{
    const struct oddness o = find_oddness(t, a, &set->set);
    LLVMBasicBlockRef odd = ir_block(t, ""), on = ir_block(t, "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, o.bits, ir_u32(t, 0), ""), on, odd);
    ir_at(t, odd);
    leave_if(t, a->n, o.odd_on_two);
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
    take_set(t, a, &set->set, set->word);
    set->found = LLVMConstInt(t->i1, 1, false);
}

/* Are a set's pairs doubles or longs, most likely, which compilers align? */
static bool are_probably_aligned(const struct translator *t, const struct vector_access *a, const struct adjacent *set)
{
    return flow_has_routines(t->flow) && can_gather_pairs(t, a, set);
}

/* Do some lanes have pairs at odd places? */
static LLVMValueRef is_odd(struct translator *t, const struct vector_access *a, const struct adjacent *set)
{
    LLVMValueRef first = ir_splat(t, ir_u32(t, (uint32_t)set->imm));
    struct lanes odd;
    for (unsigned p = 0; p < t->chunks; p++) {
        odd.chunk[p] = and_all(t, LLVMBuildAdd(t->b, chunk_sum(t, a, p), first, ""), 7);
        if (!a->all) odd.chunk[p] = LLVMBuildSelect(t->b, chunk_flags(t, a, p), odd.chunk[p], ir_zero_chunk(t), "");
    }
    return LLVMBuildNot(t->b, is_zero(t, odd), "");
}

/* The first load of a set of pairs that are probably aligned loads all of them. `step` executes it where a lane's pair
 * lies on two pages. */
static void load_aligned_pairs(struct translator *t, const struct vector_access *a, struct taken *set)
{
    LLVMBasicBlockRef odd = ir_block(t, ""), on = ir_block(t, "");
    ir_branch_likely(t, LLVMBuildNot(t->b, is_odd(t, a, &set->set), ""), on, odd);
    ir_at(t, odd);
    leave_if(t, a->n, LLVMBuildNot(t->b, is_on_one_page(t, a, &set->set), ""));
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
    take_pairs_as_found(t, a, &set->set, set->word);
    set->found = LLVMConstInt(t->i1, 1, false);
}

typedef struct lanes load_function(struct translator *t, const struct vector_access *a, struct taken *set);

/* What an earlier load of the set has loaded, if it has, else what `load` does. */
static struct lanes load_from_set_or(struct translator *t, const struct vector_access *a, const struct taken *set,
                                     load_function *load)
{
    struct way ways[2];
    LLVMBasicBlockRef done = ir_block(t, ""), taken = ir_block(t, "taken"), other = ir_block(t, "");
    LLVMBuildCondBr(t->b, set->found, taken, other);
    ir_at(t, taken);
    ways[0] = way_of(t, part_of_set(t, a, set), done);
    ir_at(t, other);
    ways[1] = way_of(t, load(t, a, NULL), done);
    ir_at(t, done);
    return meet(t, ways, 2);
}

static struct lanes load_many(struct translator *t, const struct vector_access *a)
{
    struct taken *set = set_of(t, a);
    const bool at_once = set && (is_known_same(a) || is_whole(t, a, &set->set) || are_pairs_apart(t, a, &set->set));
    if (at_once && !set->found) load_whole(t, a, set);
    if (set && !set->found && are_probably_aligned(t, a, &set->set)) load_aligned_pairs(t, a, set);
    if (set && set->found && LLVMIsConstant(set->found)) return part_of_set(t, a, set);
    if (!set && seems_even(t, a) && !likely_gap(t, a) && !has_fast_gathers(t)) return load_seems_even(t, a);
    if (!set && is_known_same(a)) return load_uniform(t, a);
    if (!set && a->fact.period) return is_known_spaced(t, a) ? load_spaced(t, a) : load_scattered(t, a);
    if (!set || !set->found) return load_as_found(t, a, set);
    return load_from_set_or(t, a, set, load_as_found);
}

/* Words of some lanes, with known gaps: those of a set without any, or each by itself. */
static struct lanes load_some_spaced(struct translator *t, const struct vector_access *a)
{
    struct taken *set = known_set(t, a);
    if (!set) set = whole_set_of(t, a);
    if (!set) return load_spaced(t, a);
    if (!set->found) load_whole(t, a, set);
    return part_of_set(t, a, set);
}

/* The set that a load of few lanes belongs to, or begins; NULL: it is alone. */
static struct taken *few_set_of(struct translator *t, const struct vector_access *a)
{
    struct taken *known = known_set(t, a);
    if (known) return known;
    struct adjacent found = adjacent_find(t->flow, t->block, a->n);
    if (!found.first || (has_fast_gathers(t) && !can_gather_pairs(t, a, &found))) return NULL;
    return new_set(t, &found);
}

/* The words of a set for all lanes, of which the others load what the first active one does. */
static void take_set_filled(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                            struct lanes word[4])
{
    struct vector_access filled = *a;
    struct lanes sums;
    LLVMValueRef args[] = {a->lanes, LLVMConstInt(t->i1, 1, false)};
    LLVMValueRef first = recorded_address(t, a, ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2));
    first = ir_splat(t, LLVMBuildSub(t->b, first, ir_u32(t, a->imm), ""));
    for (unsigned p = 0; p < t->chunks; p++)
        sums.chunk[p] = LLVMBuildSelect(t->b, chunk_flags(t, a, p), chunk_sum(t, a, p), first, "");
    store_scratch(t, sums, offsetof(struct native_state, in));
    filled.filled = true;
    take_set(t, &filled, set, word);
}

/* The words of a set for few lanes, one by one or, of more lanes and four words of each, as rows of all lanes. */
static void take_set_of_few(struct translator *t, const struct vector_access *a, const struct adjacent *set,
                            struct lanes word[4])
{
    struct lanes one[4], rows[4];
    struct way ways[2];
    if (a->fact.period || set->words < 4) {
        load_few(t, a, (uint32_t)set->imm, 4, set->words, word);
        return;
    }
    LLVMBasicBlockRef few = ir_block(t, "few"), more = ir_block(t, "more"), done = ir_block(t, "");
    LLVMBuildCondBr(t->b, are_few(t, a, FEW_AS_ROWS), few, more);
    ir_at(t, few);
    load_few(t, a, (uint32_t)set->imm, 4, set->words, one);
    ways[0] = way_of(t, one[0], done);
    ir_at(t, more);
    take_set_filled(t, a, set, rows);
    ways[1] = way_of(t, rows[0], done);
    ir_at(t, done);
    for (unsigned k = 0; k < set->words; k++) {
        ways[0].value = one[k], ways[1].value = rows[k];
        word[k] = meet(t, ways, 2);
    }
}

/* To test the shape of the addresses takes as long as some loads. The words of a few active lanes are loaded without a
 * test, and lane by lane where a gather takes longer: it takes as long for one lane as for all. The first load of a set
 * then loads all of it. */
static struct lanes load_few_or_many(struct translator *t, const struct vector_access *a, struct taken *set)
{
    struct ways w = {.done = ir_block(t, "")};
    struct lanes few;
    struct taken taken;
    LLVMBasicBlockRef from = NULL, other, alone;
    other = begin_way(t, "few", are_few(t, a, set ? FEW_OF_SET : FEW), false);
    note_scattered(t);
    if (set) {
        alone = begin_way(t, "set", is_on_one_page(t, a, &set->set), true);
        taken.set = set->set;
        take_set_of_few(t, a, &set->set, taken.word);
        end_way(t, &w, part_of_set(t, a, &taken), alone);
        from = w.way[w.n - 1].from;
    }
    if (has_fast_gathers(t)) few = gather(t, a);
    else load_few(t, a, a->imm, 4, 1, &few);
    end_way(t, &w, few, other);
    w.way[w.n++] = way_of(t, load_many(t, a), w.done);
    ir_at(t, w.done);
    struct lanes out = meet(t, w.way, w.n);
    if (set) remember_set(t, set, taken.word, w.way, w.n, from);
    return out;
}

/* Words of some of the lanes, unless an earlier load of a set has loaded them. */
static struct lanes load_some(struct translator *t, const struct vector_access *a)
{
    struct taken *set = few_set_of(t, a);
    /* Where gathers are fast, such a set is of pairs, which one gather loads however many lanes are active. */
    load_function *load = set && has_fast_gathers(t) ? load_as_found : load_few_or_many;
    if (set && !set->found && are_probably_aligned(t, a, &set->set)) load_aligned_pairs(t, a, set);
    if (set && set->found && LLVMIsConstant(set->found)) return part_of_set(t, a, set);
    if (!set || !set->found) return load(t, a, set);
    return load_from_set_or(t, a, set, load);
}

bool load_has(struct translator *t, const struct vector_access *a, struct lanes *value)
{
    const struct taken *set = known_set(t, a);
    if (!set || !set->found || !LLVMIsConstant(set->found)) return false;
    *value = part_of_set(t, a, set);
    return true;
}

struct lanes load_vector(struct translator *t, const struct vector_access *a)
{
    if (is_known_same(a) && a->fact.period == ISA_LANES) return load_for_all(t, a);
    if (is_known_same(a) && a->size == 4) return load_uniform(t, a);
    if (is_known_consecutive(t, a)) return load_consecutive(t, a);
    if (has_masked_gaps(t, a)) return load_some_spaced(t, a);
    if (load_is_near(t, a)) return load_near_or_set(t, a);
    return t->words >= 8 && !a->all && a->size == 4 ? load_some(t, a) : load_many(t, a);
}
