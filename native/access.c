/* Accesses to memory: each is recorded (sim/native.h), looked at for its shape, and made. */
#include "native/translator.h"

LLVMValueRef host_address(struct translator *t, LLVMValueRef guest)
{
    LLVMValueRef index = LLVMBuildZExt(t->b, guest, t->i64, "");
    return LLVMBuildGEP2(t->b, t->i8, t->mem, &index, 1, "");
}

static LLVMTypeRef memory_type(struct translator *t, unsigned size)
{
    return size == 1 ? t->i8 : size == 2 ? t->i16 : t->i32;
}

static LLVMValueRef extend(struct translator *t, LLVMValueRef value, bool is_signed, LLVMTypeRef type)
{
    return is_signed ? LLVMBuildSExt(t->b, value, type, "") : LLVMBuildZExt(t->b, value, type, "");
}

/* Volatile: it may fail, also when nobody reads what is loaded. */
static LLVMValueRef load_unaligned(struct translator *t, LLVMTypeRef type, LLVMValueRef address)
{
    LLVMValueRef value = LLVMBuildLoad2(t->b, type, address, "");
    LLVMSetAlignment(value, 1);
    LLVMSetVolatile(value, true);
    return value;
}

/* The same for loads that cannot be volatile: an empty piece of assembly reads their result. */
static LLVMValueRef keep(struct translator *t, LLVMValueRef value)
{
    LLVMTypeRef types[] = {LLVMTypeOf(value)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->context), types, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "v", 1, true, false, LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(t->b, type, nothing, &value, 1, "");
    return value;
}

/* ---- writes to local memory: the machine clears it for the next group only if there were any ---- */

struct window {
    uint32_t base, size;
};
static const struct window local_window = {ABI_LOCAL_BASE, ABI_LOCAL_LIMIT - ABI_LOCAL_BASE};
static const struct window watched_window = {WATCHED_BASE, WATCHED_SIZE};

/* Does one of `span` bytes lie in the window? `first`: the first one's address, a number or a piece. */
static LLVMValueRef reaches(struct translator *t, struct window window, LLVMValueRef first, uint32_t span)
{
    bool piece = LLVMTypeOf(first) == t->piece_type;
    LLVMValueRef back = ir_u32(t, span - 1 - window.base);
    LLVMValueRef size = ir_u32(t, window.size + span - 1);
    LLVMValueRef at = LLVMBuildAdd(t->b, first, piece ? ir_splat(t, back) : back, "");
    return LLVMBuildICmp(t->b, LLVMIntULT, at, piece ? ir_splat(t, size) : size, "");
}

static LLVMValueRef reaches_noted(struct translator *t, LLVMValueRef first, uint32_t span)
{
    return reaches(t, t->early ? watched_window : local_window, first, span);
}

static void note_local(struct translator *t, LLVMValueRef is)
{
    size_t at = offsetof(struct group, local_written);
    LLVMValueRef was = ir_load(t, t->i8, t->group, at);
    ir_store(t, LLVMBuildOr(t->b, was, LLVMBuildZExt(t->b, is, t->i8, ""), ""), t->group, at);
}

static LLVMValueRef scalar_address(struct translator *t, const struct node *n)
{
    LLVMValueRef address = LLVMBuildAdd(t->b, get_x(t, n->d.in.rs1), ir_u32(t, (uint32_t)n->d.in.imm), "");
    if (fact_metadata(&t->holds, n, t->flow->request)) return host_address(t, address); /* cannot fail */
    if (n->effects.memory.action != ACTION_LOAD) note_local(t, reaches_noted(t, address, n->effects.memory.size));
    ir_record(t, address, t->sm, offsetof(struct sm, access.addr));
    pass_site(t, n, site_of(n, RECORD_SCALAR));
    return host_address(t, address);
}

static void load_scalar_register(struct translator *t, const struct node *n)
{
    uint32_t told;
    struct early_word word;
    if (t->early && fact_early(&t->holds, n, t->flow->request, &word)) {
        set_x(t, n->d.in.rd, early_value(t, n, word));
        return;
    }
    if (fact_told(&t->holds, n, t->flow->request, &told)) {
        LLVMValueRef held = load_unaligned(t, t->i32, scalar_address(t, n));
        leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntNE, held, ir_u32(t, told), ""));
        set_x(t, n->d.in.rd, ir_u32(t, told));
        return;
    }
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef value = load_unaligned(t, memory_type(t, m->size), scalar_address(t, n));
    set_x(t, n->d.in.rd, m->size == 4 ? value : extend(t, value, m->is_signed, t->i32));
}

/* Where a number is not 0, the machine ends the reservations of what the access in progress has written. */
static void end_reservations_if(struct translator *t, LLVMValueRef is_some)
{
    LLVMBasicBlockRef some = ir_block(t, "reservations"), on = ir_block(t, "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, is_some, ir_u32(t, 0), ""), on, some);
    ir_at(t, some);
    LLVMTypeRef types[] = {t->ptr, t->i32};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->context), types, 2, false);
    LLVMValueRef wrote = ir_load(t, t->ptr, t->state, offsetof(struct native_state, wrote));
    LLVMBuildCall2(t->b, type, wrote, (LLVMValueRef[]){t->sm, active(t)}, 2, "");
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
}

/* A store behind which the machine looks for reservations that it ends, if there are any. */
static void look_for_reservations(struct translator *t)
{
    if (!t->flow->reserves) return;
    LLVMValueRef reservations = ir_load(t, t->ptr, t->sm, offsetof(struct sm, reservations));
    end_reservations_if(t, ir_load(t, t->i32, reservations, offsetof(struct reservations, count)));
}

static void store_scalar_register(struct translator *t, const struct node *n)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef address = scalar_address(t, n), value = get_x(t, n->d.in.rs2);
    if (m->size < 4) value = LLVMBuildTrunc(t->b, value, memory_type(t, m->size), "");
    LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
    look_for_reservations(t);
}

/* An access of lanes: at base + scalar + imm. */
struct vector_access {
    const struct node *n;
    unsigned size;
    bool is_signed;
    struct lanes base;
    LLVMValueRef scalar; /* what all lanes add; NULL: nothing */
    uint32_t imm;
    struct v_fact fact; /* what is known of base + scalar */
    unsigned unit;      /* adjacent lanes that one access of the host serves when their addresses have a shape */
    LLVMValueRef lanes; /* that take part, as bits */
    bool all;           /* they are known to be all */
};

/* base + scalar, which is what is recorded: of a lane, and of a piece. */
static LLVMValueRef lane_sum(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMValueRef base = get_lane(t, a->base, lane);
    return a->scalar ? LLVMBuildAdd(t->b, base, a->scalar, "") : base;
}

static LLVMValueRef piece_sum(struct translator *t, const struct vector_access *a, unsigned p)
{
    return a->scalar ? LLVMBuildAdd(t->b, a->base.piece[p], ir_splat(t, a->scalar), "") : a->base.piece[p];
}

/* Where lanes access memory. */
static LLVMValueRef guest_address(struct translator *t, const struct vector_access *a, unsigned lane)
{
    return LLVMBuildAdd(t->b, lane_sum(t, a, lane), ir_u32(t, a->imm), "");
}

static LLVMValueRef guest_addresses(struct translator *t, const struct vector_access *a, unsigned p)
{
    return LLVMBuildAdd(t->b, piece_sum(t, a, p), ir_splat(t, ir_u32(t, a->imm)), "");
}

/* Words that are known to follow one another are found from the first of them: with that one in the guest's window the
 * others are there, or on the closed pages behind it. */
static LLVMValueRef lane_address(struct translator *t, const struct vector_access *a, unsigned lane)
{
    bool near = a->fact.period && a->fact.step <= MEM_GUARD / ISA_LANES;
    unsigned behind = near ? lane % a->fact.period : 0;
    return ir_field(t, host_address(t, guest_address(t, a, lane - behind)), (size_t)behind * a->fact.step);
}

/* Do all lanes hold 0? */
static LLVMValueRef is_zero(struct translator *t, struct lanes value)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    LLVMValueRef some = value.piece[0];
    for (unsigned p = 1; p < t->pieces; p++) some = LLVMBuildOr(t->b, some, value.piece[p], "");
    some = LLVMBuildICmp(t->b, LLVMIntNE, some, ir_zero_piece(t), "");
    return LLVMBuildICmp(t->b, LLVMIntEQ, LLVMBuildBitCast(t->b, some, narrow, ""), LLVMConstNull(narrow), "");
}

/* Holds when in every unit lane i accesses `step` bytes behind lane i - 1. */
static LLVMValueRef has_step(struct translator *t, const struct vector_access *a, uint32_t step)
{
    struct lanes off;
    LLVMValueRef index[16];
    for (unsigned p = 0; p < t->pieces; p++) {
        for (unsigned i = 0; i < t->words; i++) index[i] = ir_u32(t, i / a->unit * a->unit);
        LLVMValueRef first = LLVMBuildShuffleVector(t->b, a->base.piece[p], LLVMGetPoison(t->piece_type),
                                                    LLVMConstVector(index, t->words), "");
        LLVMValueRef expected = step ? LLVMBuildAdd(t->b, first, ir_ramp(t, p, a->unit, step), "") : first;
        off.piece[p] = LLVMBuildXor(t->b, a->base.piece[p], expected, "");
    }
    for (unsigned p = 0; p < t->pieces && t->words == 8 && !a->all; p++) {
        LLVMValueRef flags = lane_flags(t, a->lanes, p * t->words, t->words);
        off.piece[p] = LLVMBuildSelect(t->b, flags, off.piece[p], ir_zero_piece(t), "");
    }
    if (a->all || t->words == 8) return is_zero(t, off);
    /* Not as conditions of the host's vectors: where pieces are equal, LLVM 19 rewrites these for ever. */
    return LLVMBuildICmp(t->b, LLVMIntEQ, LLVMBuildAnd(t->b, bits_of(t, off), a->lanes, ""), ir_u32(t, 0), "");
}

/* Can lanes of an access be left out by the host's own masked moves? */
static bool can_mask(const struct translator *t, unsigned size)
{
    return t->words == 16 || (t->words == 8 && size == 4);
}

/* The lanes of a piece that take part, as its lowest bits. */
static LLVMValueRef piece_bits(struct translator *t, const struct vector_access *a, unsigned p)
{
    LLVMValueRef bits = LLVMBuildLShr(t->b, a->lanes, ir_u32(t, p * t->words), "");
    return LLVMBuildAnd(t->b, bits, ir_u32(t, (1u << t->words) - 1), "");
}

/* Where a masked load of a unit reads. Lanes that rest hold any address, and AVX2's masked loads take a hundred times
 * as long where there is no memory, also if they read nothing: without lanes they go where there is some. */
static LLVMValueRef masked_address(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMValueRef address = lane_address(t, a, lane);
    if (t->words != 8) return address;
    LLVMValueRef some = LLVMBuildICmp(t->b, LLVMIntNE, piece_bits(t, a, lane / t->words), ir_u32(t, 0), "");
    return LLVMBuildSelect(t->b, some, address, ir_field(t, t->state, offsetof(struct native_state, in)), "");
}

static LLVMValueRef load_unit(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMTypeRef type = LLVMVectorType(memory_type(t, a->size), a->unit), full = LLVMVectorType(t->i32, a->unit);
    LLVMValueRef value;
    if (a->all) {
        value = load_unaligned(t, type, lane_address(t, a, lane));
    } else {
        LLVMTypeRef types[] = {type, t->ptr};
        LLVMValueRef args[] = {masked_address(t, a, lane), ir_u32(t, 1), lane_flags(t, a->lanes, lane, a->unit),
                               LLVMConstNull(type)};
        value = ir_intrinsic(t, "llvm.masked.load", types, 2, args, 4);
    }
    if (a->size < 4) value = extend(t, value, a->is_signed, full);
    return a->all ? value : keep(t, value);
}

/* Units as pieces; a piece has one or two. */
static struct lanes join_units(struct translator *t, const struct vector_access *a, LLVMValueRef unit[ISA_LANES])
{
    struct lanes out;
    LLVMValueRef index[16];
    for (unsigned i = 0; i < 16; i++) index[i] = ir_u32(t, i);
    for (unsigned p = 0; p < t->pieces; p++)
        out.piece[p] = a->unit == t->words
                           ? unit[p]
                           : LLVMBuildShuffleVector(t->b, unit[2 * p], unit[2 * p + 1], LLVMConstVector(index, 16), "");
    return out;
}

static struct lanes load_consecutive(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef unit[ISA_LANES];
    for (unsigned u = 0; u < lanes_computed(t) / a->unit; u++) unit[u] = load_unit(t, a, u * a->unit);
    return join_units(t, a, unit);
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

/* Equal addresses within each unit, all lanes. */
static struct lanes load_uniform(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef unit[ISA_LANES];
    for (unsigned u = 0; u < lanes_computed(t) / a->unit; u++) unit[u] = unit_splat(t, a, load_one(t, a, u * a->unit));
    return join_units(t, a, unit);
}

/* Equal addresses in all lanes, of which at least one takes part. */
static struct lanes load_for_all(struct translator *t, const struct vector_access *a)
{
    struct lanes out;
    LLVMValueRef word = ir_splat(t, load_one(t, a, 0));
    for (unsigned p = 0; p < t->pieces; p++) out.piece[p] = word;
    return out;
}

static LLVMValueRef and_all(struct translator *t, LLVMValueRef piece, uint32_t bits)
{
    return LLVMBuildAnd(t->b, piece, ir_splat(t, ir_u32(t, bits)), "");
}

/* Of lanes. The host's gathers and scatters take 16 indices at a time if these are signed and have 32 bits: they count
 * from the middle of the guest's window. */
static LLVMValueRef host_addresses(struct translator *t, LLVMValueRef guest)
{
    const uint32_t half = 1u << 31;
    LLVMValueRef middle = ir_field(t, t->mem, half);
    LLVMValueRef index = LLVMBuildAdd(t->b, guest, ir_splat(t, ir_u32(t, half)), "");
    return LLVMBuildGEP2(t->b, t->i8, middle, &index, 1, "");
}

static LLVMValueRef piece_flags(struct translator *t, const struct vector_access *a, unsigned p)
{
    return a->all ? LLVMConstAllOnes(t->flags_type) : lane_flags(t, a->lanes, p * t->words, t->words);
}

/* Words; or bytes, taken from the words they are in, which are on the same page. */
static struct lanes gather(struct translator *t, const struct vector_access *a)
{
    LLVMTypeRef types[] = {t->piece_type, LLVMVectorType(t->ptr, t->words)};
    struct lanes out;
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef guest = guest_addresses(t, a, p), from = a->size == 1 ? and_all(t, guest, ~3u) : guest;
        LLVMValueRef args[] = {host_addresses(t, from), ir_u32(t, 1), piece_flags(t, a, p), ir_zero_piece(t)};
        LLVMValueRef part[] = {keep(t, ir_intrinsic(t, "llvm.masked.gather", types, 2, args, 4)), guest};
        out.piece[p] = a->size == 4 ? part[0] : call_function(t, a->is_signed ? "bytes_i8" : "bytes_u8", part, 2);
    }
    return out;
}

static void scatter(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMTypeRef types[] = {t->piece_type, LLVMVectorType(t->ptr, t->words)};
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef to = host_addresses(t, guest_addresses(t, a, p));
        LLVMValueRef args[] = {data.piece[p], to, ir_u32(t, 1), piece_flags(t, a, p)};
        ir_intrinsic(t, "llvm.masked.scatter", types, 2, args, 4);
    }
}

static void store_scratch(struct translator *t, struct lanes value, size_t offset)
{
    for (unsigned p = 0; p < t->pieces; p++) ir_store(t, value.piece[p], t->state, offset + p * t->words * 4);
}

static struct lanes load_scratch(struct translator *t, size_t offset)
{
    struct lanes out;
    for (unsigned p = 0; p < t->pieces; p++)
        out.piece[p] = ir_load(t, t->piece_type, t->state, offset + p * t->words * 4);
    return out;
}

/* One lane after the other, out of line. */
static struct lanes load_one_by_one(struct translator *t, const struct vector_access *a)
{
    static const char *const names[2][5] = {{"", "load_u8", "load_u16", "", "load_u32"},
                                            {"", "load_i8", "load_i16", "", "load_u32"}};
    LLVMValueRef args[] = {t->mem, ir_field(t, t->sm, offsetof(struct sm, access.addr)), ir_u32(t, a->imm),
                           ir_field(t, t->state, offsetof(struct native_state, out)), a->lanes};
    call_function(t, names[a->is_signed][a->size], args, 5);
    return load_scratch(t, offsetof(struct native_state, out));
}

static void store_one_by_one(struct translator *t, const struct vector_access *a, struct lanes data)
{
    static const char *const names[5] = {"", "store_u8", "store_u16", "", "store_u32"};
    LLVMValueRef args[] = {t->mem, ir_field(t, t->sm, offsetof(struct sm, access.addr)), ir_u32(t, a->imm),
                           ir_field(t, t->state, offsetof(struct native_state, in)), a->lanes};
    store_scratch(t, data, offsetof(struct native_state, in));
    call_function(t, names[a->size], args, 5);
}

/* One of several ways to a value: the builder is where it has been made. */
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
    for (unsigned p = 0; p < t->pieces; p++) {
        out.piece[p] = LLVMBuildPhi(t->b, t->piece_type, "");
        for (unsigned i = 0; i < n; i++)
            LLVMAddIncoming(out.piece[p], (LLVMValueRef *)&ways[i].value.piece[p], (LLVMBasicBlockRef *)&ways[i].from,
                            1);
    }
    return out;
}

/* Is the next lane's address known to be `step` bytes further, in all units? */
static bool is_known_step(const struct vector_access *a, uint32_t step)
{
    return a->fact.period && a->fact.step == step;
}

/* Can the lanes that take part be accessed a unit at a time? */
static bool can_split(const struct translator *t, const struct vector_access *a)
{
    return a->all || can_mask(t, a->size);
}

static bool is_known_consecutive(const struct translator *t, const struct vector_access *a)
{
    return is_known_step(a, a->size) && can_split(t, a) && a->n->effects.memory.action <= ACTION_STORE;
}

static bool is_known_same(const struct vector_access *a)
{
    bool whole = a->fact.period == ISA_LANES && a->n->d.in.vm;
    return is_known_step(a, 0) && (whole || a->all) && a->n->effects.memory.action == ACTION_LOAD;
}

/* Words that are known to be as far from each other in all lanes of a piece: with the first one in the guest's window
 * the others are there, or on the closed pages behind it. */
static bool is_known_spaced(const struct translator *t, const struct vector_access *a)
{
    bool near = a->fact.period >= 8 && a->fact.step <= MEM_GUARD / 8;
    return near && a->all && a->size == 4 && t->words == 8 && a->n->effects.memory.action <= ACTION_STORE;
}

/* The same gap of one, three or seven words behind each? Eight such words are not far apart: what is between them is on
 * pages that they reach. */
static bool has_small_gaps(const struct vector_access *a)
{
    return a->fact.step == 8 || a->fact.step == 16 || a->fact.step == 32;
}

/* A piece of such words. Each of the host's loads finds some of them at places that the others leave free, so that no
 * more is read than from the first word to the last: every second, fourth or eighth place, one behind those of the load
 * before. */
static LLVMValueRef load_gapped_piece(struct translator *t, const struct vector_access *a, unsigned p)
{
    unsigned loads = a->fact.step / 4, each = 8 / loads;
    LLVMValueRef first = lane_address(t, a, p * 8), words = NULL, places[8], order[8];
    for (unsigned k = 0; k < loads; k++) {
        LLVMValueRef part = load_unaligned(t, t->piece_type, ir_field(t, first, k * 28));
        for (unsigned i = 0; i < 8; i++) places[i] = ir_u32(t, i % loads == k ? 8 + i : i);
        words = words ? LLVMBuildShuffleVector(t->b, words, part, LLVMConstVector(places, 8), "") : part;
    }
    for (unsigned i = 0; i < 8; i++) order[i] = ir_u32(t, i % each * loads + i / each);
    return LLVMBuildShuffleVector(t->b, words, LLVMGetPoison(t->piece_type), LLVMConstVector(order, 8), "");
}

static LLVMValueRef load_spaced_piece(struct translator *t, const struct vector_access *a, unsigned p)
{
    LLVMValueRef first = lane_address(t, a, p * 8), words = LLVMGetPoison(t->piece_type);
    for (unsigned i = 0; i < 8; i++) {
        LLVMValueRef word = load_unaligned(t, t->i32, ir_field(t, first, (size_t)a->fact.step * i));
        words = LLVMBuildInsertElement(t->b, words, word, ir_u32(t, i), "");
    }
    return words;
}

static struct lanes load_spaced(struct translator *t, const struct vector_access *a)
{
    struct lanes out;
    for (unsigned p = 0; p < t->pieces; p++)
        out.piece[p] = has_small_gaps(a) ? load_gapped_piece(t, a, p) : load_spaced_piece(t, a, p);
    return out;
}

/* The words of the lanes that take part, one after the other. */
static struct lanes load_few(struct translator *t, const struct vector_access *a)
{
    struct lanes out, next;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->b), loop = ir_block(t, "each"), done = ir_block(t, "");
    LLVMValueRef left, one = ir_u32(t, 1), more;
    LLVMBuildBr(t->b, loop);
    ir_at(t, loop);
    left = LLVMBuildPhi(t->b, t->i32, "");
    for (unsigned p = 0; p < t->pieces; p++) out.piece[p] = LLVMBuildPhi(t->b, t->piece_type, "");
    LLVMValueRef args[] = {left, LLVMConstInt(t->i1, 1, false)};
    LLVMValueRef lane = ir_intrinsic(t, "llvm.cttz", &t->i32, 1, args, 2), wide = LLVMBuildZExt(t->b, lane, t->i64, "");
    LLVMValueRef base = ir_field(t, t->sm, offsetof(struct sm, access.addr));
    LLVMValueRef at = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, base, &wide, 1, ""), "");
    LLVMValueRef word = load_unaligned(t, t->i32, host_address(t, LLVMBuildAdd(t->b, at, ir_u32(t, a->imm), "")));
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef here = LLVMBuildICmp(t->b, LLVMIntEQ, ir_splat(t, lane), ir_ramp(t, p, ISA_LANES, 1), "");
        next.piece[p] = LLVMBuildSelect(t->b, here, ir_splat(t, word), out.piece[p], "");
    }
    more = LLVMBuildAnd(t->b, left, LLVMBuildSub(t->b, left, one, ""), "");
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntNE, more, ir_u32(t, 0), ""), loop, done);
    LLVMAddIncoming(left, (LLVMValueRef *)&a->lanes, &before, 1);
    LLVMAddIncoming(left, &more, &loop, 1);
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef zero = ir_zero_piece(t);
        LLVMAddIncoming(out.piece[p], &zero, &before, 1);
        LLVMAddIncoming(out.piece[p], &next.piece[p], &loop, 1);
    }
    ir_at(t, done);
    return next;
}

static struct lanes load_scattered(struct translator *t, const struct vector_access *a)
{
    return a->size == 2 || t->words < 8 ? load_one_by_one(t, a) : gather(t, a);
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

/* How far apart lanes' words probably are, as parts of vectors of two or four, of which the block loads others; 0: they
 * are none. A guess, which the code looks at. */
static uint32_t likely_gap(const struct translator *t, const struct vector_access *a)
{
    uint32_t parts = 1, at = (uint32_t)a->n->d.in.imm;
    if (!a->all || a->size != 4 || t->words != 8 || a->n->effects.memory.address != ADDRESS_LANES) return 0;
    for (int32_t i = 4; i <= 12 && has_neighbour(t, a->n, i); i += 4) parts++;
    for (int32_t i = 4; i <= 12 && has_neighbour(t, a->n, -i); i += 4) parts++, at -= 4;
    uint32_t gap = parts == 2 ? 8 : 16;
    return parts < 2 || parts > 4 || at % gap ? 0 : gap;
}

static struct lanes load_with_gap(struct translator *t, struct vector_access a, uint32_t gap)
{
    a.fact = (struct v_fact){.period = 8, .step = gap};
    return load_spaced(t, &a);
}

/* ---- loads beside each other (beside.h) ---- */

/* Is what each lane loads of a set on one page? Then the first of the loads fails if another one would. */
static LLVMValueRef is_on_one_page(struct translator *t, const struct vector_access *a, const struct beside *set)
{
    enum { PAGE = 4096 };
    LLVMValueRef first = ir_splat(t, ir_u32(t, (uint32_t)set->imm)), span = ir_splat(t, ir_u32(t, set->words * 4 - 1));
    struct lanes ends;
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef at = LLVMBuildAdd(t->b, a->base.piece[p], first, ""), last = LLVMBuildAdd(t->b, at, span, "");
        ends.piece[p] = and_all(t, LLVMBuildXor(t->b, at, last, ""), PAGE);
    }
    return is_zero(t, ends);
}

/* What a lane loads of a set: one number of its words. Addresses without a known shape have been recorded. */
static LLVMValueRef load_beside(struct translator *t, const struct vector_access *a, const struct beside *set,
                                unsigned lane)
{
    LLVMTypeRef type = set->words == 1 ? t->i32 : set->words == 2 ? t->i64 : LLVMVectorType(t->i32, 4);
    if (a->fact.period) {
        int64_t further = (int64_t)set->imm - (int32_t)a->imm;
        return load_unaligned(t, type, ir_field(t, lane_address(t, a, lane), (size_t)further));
    }
    LLVMValueRef base = ir_load(t, t->i32, t->sm, offsetof(struct sm, access.addr) + lane * 4);
    LLVMValueRef at = LLVMBuildAdd(t->b, base, ir_u32(t, (uint32_t)set->imm), "");
    return load_unaligned(t, type, host_address(t, at));
}

static LLVMValueRef shuffle8(struct translator *t, LLVMValueRef a, LLVMValueRef b, const uint8_t order[8])
{
    LLVMValueRef index[8];
    for (unsigned i = 0; i < 8; i++) index[i] = ir_u32(t, order[i]);
    return LLVMBuildShuffleVector(t->b, a, b, LLVMConstVector(index, 8), "");
}

/* One word of each of eight lanes. */
static void take_words(struct translator *t, const struct vector_access *a, const struct beside *set, unsigned p,
                       struct lanes word[4])
{
    word[0].piece[p] = LLVMGetPoison(t->piece_type);
    for (unsigned i = 0; i < 8; i++) {
        LLVMValueRef value = load_beside(t, a, set, p * 8 + i);
        word[0].piece[p] = LLVMBuildInsertElement(t->b, word[0].piece[p], value, ir_u32(t, i), "");
    }
}

/* Two words of each: those of lanes 0, 1, 4, 5 and of 2, 3, 6, 7 are put together first. */
static void take_pairs(struct translator *t, const struct vector_access *a, const struct beside *set, unsigned p,
                       struct lanes word[4])
{
    static const uint8_t lane[2][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}}, low[8] = {0, 2, 8, 10, 4, 6, 12, 14},
                         high[8] = {1, 3, 9, 11, 5, 7, 13, 15};
    LLVMValueRef part[2];
    for (unsigned k = 0; k < 2; k++) {
        part[k] = LLVMGetPoison(LLVMVectorType(t->i64, 4));
        for (unsigned i = 0; i < 4; i++) {
            LLVMValueRef value = load_beside(t, a, set, p * 8 + lane[k][i]);
            part[k] = LLVMBuildInsertElement(t->b, part[k], value, ir_u32(t, i), "");
        }
        part[k] = LLVMBuildBitCast(t->b, part[k], t->piece_type, "");
    }
    word[0].piece[p] = shuffle8(t, part[0], part[1], low);
    word[1].piece[p] = shuffle8(t, part[0], part[1], high);
}

/* Of two pieces with lanes of four in each half: words in turn, of the first or second half of these lanes; pairs of
 * words in turn. */
static const uint8_t words_in_turn[2][8] = {{0, 8, 1, 9, 4, 12, 5, 13}, {2, 10, 3, 11, 6, 14, 7, 15}};
static const uint8_t pairs_in_turn[2][8] = {{0, 1, 8, 9, 4, 5, 12, 13}, {2, 3, 10, 11, 6, 7, 14, 15}};

/* In each half, four pieces as rows of a matrix become its columns. */
static void turn(struct translator *t, const LLVMValueRef row[4], LLVMValueRef column[4])
{
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef first = shuffle8(t, row[0], row[1], words_in_turn[k / 2]);
        LLVMValueRef second = shuffle8(t, row[2], row[3], words_in_turn[k / 2]);
        column[k] = shuffle8(t, first, second, pairs_in_turn[k % 2]);
    }
}

/* Four words of each, as rows of two matrices that are turned: lane i beside lane i + 4. */
static void take_rows(struct translator *t, const struct vector_access *a, const struct beside *set, unsigned p,
                      struct lanes word[4])
{
    static const uint8_t both[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    LLVMValueRef row[4], column[4];
    for (unsigned i = 0; i < 4; i++)
        row[i] = shuffle8(t, load_beside(t, a, set, p * 8 + i), load_beside(t, a, set, p * 8 + i + 4), both);
    turn(t, row, column);
    for (unsigned k = 0; k < 4; k++) word[k].piece[p] = column[k];
}

static void take_set(struct translator *t, const struct vector_access *a, const struct beside *set,
                     struct lanes word[4])
{
    for (unsigned p = 0; p < t->pieces; p++) {
        if (set->words == 1) take_words(t, a, set, p, word);
        else if (set->words == 2) take_pairs(t, a, set, p, word);
        else take_rows(t, a, set, p, word);
    }
}

/* What one of the loads finds in the words of its set. */
static struct lanes part_of_set(struct translator *t, const struct vector_access *a, const struct taken *set)
{
    uint32_t offset = a->imm - (uint32_t)set->set.imm, bits = 8 * a->size;
    struct lanes out = set->word[offset / 4];
    for (unsigned p = 0; p < t->pieces && bits < 32; p++) {
        LLVMValueRef left = ir_splat(t, ir_u32(t, 32 - bits - offset % 4 * 8)),
                     right = ir_splat(t, ir_u32(t, 32 - bits));
        LLVMValueRef high = LLVMBuildShl(t->b, out.piece[p], left, "");
        out.piece[p] = a->is_signed ? LLVMBuildAShr(t->b, high, right, "") : LLVMBuildLShr(t->b, high, right, "");
    }
    return out;
}

/* The set that a load belongs to, or begins; NULL: it is alone, or not one for this way, as vectors of two words are.
 */
static struct taken *set_of(struct translator *t, const struct vector_access *a)
{
    if (!a->all || t->words != 8) return NULL;
    for (unsigned i = 0; i < SETS; i++)
        if (beside_has(&t->taken[i].set, a->n)) return &t->taken[i];
    struct taken *set = &t->taken[t->ntaken % SETS];
    struct beside found = beside_find(t->flow, t->block, a->n);
    bool pairs = found.words < 4 && likely_gap(t, a);
    if (!found.first || pairs) return NULL;
    t->ntaken++;
    *set = (struct taken){.set = found};
    return set;
}

/* ---- loads of any shape ---- */

/* Where the words of a set are taken, its other loads will find them; `from` is the host block in which that has been
 * done, of the ways that meet here. */
static void remember_set(struct translator *t, struct taken *set, const struct lanes word[4], const struct way *ways,
                         unsigned n, LLVMBasicBlockRef from)
{
    LLVMValueRef nothing = LLVMGetPoison(t->piece_type);
    set->found = LLVMBuildPhi(t->b, t->i1, "");
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef here = LLVMConstInt(t->i1, ways[i].from == from, false);
        LLVMAddIncoming(set->found, &here, (LLVMBasicBlockRef *)&ways[i].from, 1);
    }
    for (unsigned k = 0; k < set->set.words; k++)
        for (unsigned p = 0; p < t->pieces; p++) {
            set->word[k].piece[p] = LLVMBuildPhi(t->b, t->piece_type, "");
            for (unsigned i = 0; i < n; i++) {
                LLVMValueRef value = ways[i].from == from ? word[k].piece[p] : nothing;
                LLVMAddIncoming(set->word[k].piece[p], &value, (LLVMBasicBlockRef *)&ways[i].from, 1);
            }
        }
}

/* Looks at the addresses when the code runs, if nothing is known of them. The load begins `set`, if that is not NULL.
 */
static struct lanes load_as_found(struct translator *t, const struct vector_access *a, struct taken *set)
{
    struct way ways[5];
    struct taken taken;
    LLVMBasicBlockRef from = NULL;
    unsigned n = 0;
    LLVMBasicBlockRef done = ir_block(t, "");
    uint32_t gap = likely_gap(t, a);
    bool unknown = !a->fact.period;
    if (unknown && gap) {
        LLVMBasicBlockRef spaced = ir_block(t, "spaced"), other = ir_block(t, "");
        ir_branch_likely(t, has_step(t, a, gap), spaced, other);
        ir_at(t, spaced);
        ways[n++] = way_of(t, load_with_gap(t, *a, gap), done);
        ir_at(t, other);
    }
    if (unknown && (a->all || can_mask(t, a->size))) {
        LLVMBasicBlockRef fast = ir_block(t, "consecutive"), other = ir_block(t, "");
        ir_branch_likely(t, has_step(t, a, a->size), fast, other);
        ir_at(t, fast);
        ways[n++] = way_of(t, load_consecutive(t, a), done);
        ir_at(t, other);
    }
    if (unknown && a->all) {
        LLVMBasicBlockRef same = ir_block(t, "uniform"), other = ir_block(t, "");
        LLVMBuildCondBr(t->b, has_step(t, a, 0), same, other);
        ir_at(t, same);
        ways[n++] = way_of(t, load_uniform(t, a), done);
        ir_at(t, other);
    }
    if (set) {
        LLVMBasicBlockRef beside = ir_block(t, "beside"), other = ir_block(t, "");
        ir_branch_likely(t, is_on_one_page(t, a, &set->set), beside, other);
        ir_at(t, beside);
        taken.set = set->set;
        take_set(t, a, &set->set, taken.word);
        ways[n] = way_of(t, part_of_set(t, a, &taken), done);
        from = ways[n++].from;
        ir_at(t, other);
    }
    ways[n++] = way_of(t, is_known_spaced(t, a) ? load_spaced(t, a) : load_scattered(t, a), done);
    ir_at(t, done);
    struct lanes out = meet(t, ways, n);
    if (set) remember_set(t, set, taken.word, ways, n, from);
    return out;
}

static struct lanes load_many(struct translator *t, const struct vector_access *a)
{
    struct taken *set = set_of(t, a);
    struct way ways[2];
    if (!set && a->fact.period) return is_known_spaced(t, a) ? load_spaced(t, a) : load_scattered(t, a);
    if (!set || !set->found) return load_as_found(t, a, set);
    LLVMBasicBlockRef done = ir_block(t, ""), taken = ir_block(t, "taken"), other = ir_block(t, "");
    LLVMBuildCondBr(t->b, set->found, taken, other);
    ir_at(t, taken);
    ways[0] = way_of(t, part_of_set(t, a, set), done);
    ir_at(t, other);
    ways[1] = way_of(t, load_as_found(t, a, NULL), done);
    ir_at(t, done);
    return meet(t, ways, 2);
}

/* With AVX2 a gather takes as long for one lane as for all, and the look at the addresses as long as some loads: before
 * that a few lanes' words are looked up one after the other. */
static struct lanes load_few_or_many(struct translator *t, const struct vector_access *a)
{
    enum { FEW = 10 };
    struct way ways[2];
    LLVMBasicBlockRef done = ir_block(t, ""), few = ir_block(t, "few"), many = ir_block(t, "");
    LLVMValueRef is = LLVMBuildICmp(t->b, LLVMIntULE, ir_popcount(t, a->lanes), ir_u32(t, FEW), "");
    if (!a->n->d.in.vm) is = LLVMBuildAnd(t->b, is, LLVMBuildICmp(t->b, LLVMIntNE, a->lanes, ir_u32(t, 0), ""), "");
    LLVMBuildCondBr(t->b, is, few, many);
    ir_at(t, few);
    ways[0] = way_of(t, load_few(t, a), done);
    ir_at(t, many);
    ways[1] = way_of(t, load_many(t, a), done);
    ir_at(t, done);
    return meet(t, ways, 2);
}

static struct lanes load_vector(struct translator *t, const struct vector_access *a)
{
    if (is_known_same(a)) return a->fact.period == ISA_LANES ? load_for_all(t, a) : load_uniform(t, a);
    if (is_known_consecutive(t, a)) return load_consecutive(t, a);
    if (is_known_spaced(t, a) && has_small_gaps(a)) return load_spaced(t, a);
    return t->words == 8 && !a->all && a->size == 4 ? load_few_or_many(t, a) : load_many(t, a);
}

static void store_masked(struct translator *t, const struct vector_access *a, LLVMValueRef value, LLVMValueRef address,
                         unsigned lane)
{
    LLVMTypeRef types[] = {LLVMTypeOf(value), t->ptr};
    LLVMValueRef args[] = {value, address, ir_u32(t, 1), lane_flags(t, a->lanes, lane, a->unit)};
    ir_intrinsic(t, "llvm.masked.store", types, 2, args, 4);
}

/* AVX2's masked stores cost as much as ten others and more: pieces with all lanes do without, and those with none. */
static void store_piece(struct translator *t, const struct vector_access *a, LLVMValueRef value, LLVMValueRef address,
                        unsigned p)
{
    LLVMBasicBlockRef some = ir_block(t, ""), all = ir_block(t, ""), part = ir_block(t, ""), done = ir_block(t, "");
    LLVMValueRef bits = piece_bits(t, a, p), full = ir_u32(t, (1u << t->words) - 1);
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

static void store_unit(struct translator *t, const struct vector_access *a, struct lanes data, unsigned lane)
{
    LLVMTypeRef type = LLVMVectorType(memory_type(t, a->size), a->unit);
    LLVMValueRef index[UNIT_MOST], address = lane_address(t, a, lane), value = data.piece[lane / t->words];
    for (unsigned i = 0; i < a->unit && a->unit < t->words; i++) index[i] = ir_u32(t, lane % t->words + i);
    if (a->unit < t->words)
        value = LLVMBuildShuffleVector(t->b, value, LLVMGetPoison(t->piece_type), LLVMConstVector(index, a->unit), "");
    if (a->size < 4) value = LLVMBuildTrunc(t->b, value, type, "");
    if (a->all) {
        LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
        return;
    }
    if (t->words == 8) store_piece(t, a, value, address, lane / t->words);
    else store_masked(t, a, value, address, lane);
}

static void store_consecutive(struct translator *t, const struct vector_access *a, struct lanes data)
{
    for (unsigned u = 0; u < lanes_computed(t) / a->unit; u++) store_unit(t, a, data, u * a->unit);
}

/* One after the other, in line: all lanes, whose addresses have been recorded. */
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
    if (a->size == 4 && t->words == 16) scatter(t, a, data);
    else if (a->all && t->words == 8) store_each(t, a, data);
    else store_one_by_one(t, a, data);
}

/* One after the other, but where each goes need not be looked up. */
static void store_spaced(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMValueRef first = NULL;
    for (unsigned lane = 0; lane < lanes_computed(t); lane++) {
        if (lane % t->words == 0) first = lane_address(t, a, lane);
        LLVMValueRef to = ir_field(t, first, (size_t)a->fact.step * (lane % t->words));
        LLVMSetAlignment(LLVMBuildStore(t->b, get_lane(t, data, lane), to), 1);
    }
}

/* ---- stores of four words of each lane, one behind the other, as vectors of four are ---- */

/* Does the ith of four such stores follow? */
static bool is_row_store(const struct node *first, unsigned i)
{
    const struct isa_memory *m = &first[i].effects.memory;
    const struct insn *in = &first[i].d.in;
    bool lanes = first[i].how == HOW_STORE && m->action == ACTION_STORE && m->address == ADDRESS_LANES && m->size == 4;
    return lanes && in->vm && in->rs1 == first->d.in.rs1 && in->imm == first->d.in.imm + 4 * (int32_t)i;
}

static bool begins_rows(const struct translator *t, const struct vector_access *a)
{
    const struct node *end = &t->flow->nodes[t->block->first + t->block->count];
    if (!is_known_spaced(t, a) || a->fact.period != ISA_LANES || a->fact.step != ROW_WORDS * 4) return false;
    for (unsigned i = 0; i < ROW_WORDS; i++)
        if (a->n + i >= end || !is_row_store(a->n, i)) return false;
    return true;
}

static struct lanes stored_by(struct translator *t, const struct node *n)
{
    return get_v(t, n->effects.memory.data == ROLE_RS2 ? n->d.in.rs2 : n->d.in.rs3);
}

/* Eight lanes' rows. */
static void store_rows_of_piece(struct translator *t, const struct lanes word[ROW_WORDS], unsigned p,
                                LLVMValueRef address)
{
    static const uint8_t halves[2][8] = {{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}};
    LLVMValueRef column[ROW_WORDS], row[ROW_WORDS];
    for (unsigned k = 0; k < ROW_WORDS; k++) column[k] = word[k].piece[p];
    turn(t, column, row); /* row k: of lane k, and of lane k + 4 */
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef two = shuffle8(t, row[k % 2 * 2], row[k % 2 * 2 + 1], halves[k / 2]);
        LLVMSetAlignment(LLVMBuildStore(t->b, two, ir_field(t, address, (p * 4 + k) * 32)), 1);
    }
}

/* The first of four stores makes all where what they reach is on one page: then it fails if another one would, and
 * before anything is stored. */
static void store_rows(struct translator *t, const struct vector_access *a)
{
    enum { PAGE = 4096 };
    const uint32_t span = t->items * ROW_WORDS * 4;
    struct lanes word[ROW_WORDS];
    LLVMBasicBlockRef rows = ir_block(t, "rows"), other = ir_block(t, ""), done = ir_block(t, ""), from[2];
    LLVMValueRef first = guest_address(t, a, 0), last = LLVMBuildAdd(t->b, first, ir_u32(t, span - 1), "");
    for (unsigned i = 0; i < ROW_WORDS; i++) word[i] = stored_by(t, a->n + i);
    LLVMValueRef ends = LLVMBuildAnd(t->b, LLVMBuildXor(t->b, first, last, ""), ir_u32(t, PAGE), "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, ends, ir_u32(t, 0), ""), rows, other);
    ir_at(t, rows);
    for (unsigned p = 0; p < t->pieces; p++) store_rows_of_piece(t, word, p, host_address(t, first));
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
    t->rows_first = a->n;
}

/* One of the other three, where the first has not made them. */
static void store_rest_of_rows(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMBasicBlockRef other = ir_block(t, ""), done = ir_block(t, "");
    LLVMBuildCondBr(t->b, t->rows_stored, done, other);
    ir_at(t, other);
    store_spaced(t, a, data);
    LLVMBuildBr(t->b, done);
    ir_at(t, done);
}

/* Looks at the addresses when the code runs. */
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

/* Of equal addresses the highest lane stays: units are stored ascending, and so are lanes by a scatter. */
static void store_vector(struct translator *t, const struct vector_access *a, struct lanes data)
{
    if (is_known_consecutive(t, a)) store_consecutive(t, a, data);
    else if (t->rows_first && a->n > t->rows_first && a->n < t->rows_first + ROW_WORDS) store_rest_of_rows(t, a, data);
    else if (begins_rows(t, a)) store_rows(t, a);
    else if (is_known_spaced(t, a)) store_spaced(t, a, data);
    else if (a->fact.period || !can_split(t, a)) store_scattered(t, a, data);
    else store_as_found(t, a, data);
}

/* ---- addresses ---- */

static struct lanes strides(struct translator *t, LLVMValueRef stride)
{
    struct lanes offset;
    for (unsigned p = 0; p < t->pieces; p++)
        offset.piece[p] = LLVMBuildMul(t->b, ir_ramp(t, p, ISA_LANES, 1), ir_splat(t, stride), "");
    return offset;
}

static struct lanes indices(struct translator *t, const struct node *n)
{
    struct lanes offset = get_v(t, n->d.in.rs2);
    uint32_t mask = ~0u >> (32 - 8 * n->effects.memory.index);
    for (unsigned p = 0; p < t->pieces && ~mask; p++)
        offset.piece[p] = LLVMBuildAnd(t->b, offset.piece[p], ir_splat(t, ir_u32(t, mask)), "");
    return offset;
}

LLVMValueRef launch_field(struct translator *t, size_t offset) { return ir_load(t, t->i32, t->launch, offset); }

/* Private memory (PRIVATE_OFFSET of sim/layout.h): work-items of a group, and where the first lane's words are. An
 * access that would leave its word is one for `step`. */
static LLVMValueRef private_items(struct translator *t)
{
    return LLVMBuildMul(t->b, launch_field(t, offsetof(struct launch, warps)),
                        launch_field(t, offsetof(struct launch, threads_per_warp)), "");
}

static LLVMValueRef private_base(struct translator *t)
{
    LLVMValueRef tid = LLVMBuildShl(t->b, ir_load(t, t->i32, warp(t), offsetof(struct warp, tid)), ir_u32(t, 2), "");
    return LLVMBuildAdd(t->b, ir_load(t, t->i32, t->group, offsetof(struct group, pds_base)), tid, "");
}

static struct lanes private_lanes(struct translator *t, const struct node *n)
{
    LLVMValueRef items = private_items(t), base = private_base(t);
    struct lanes offset = get_v(t, n->d.in.rs1), crossing, out;
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef o = LLVMBuildAdd(t->b, offset.piece[p], ir_splat(t, ir_u32(t, (uint32_t)n->d.in.imm)), "");
        LLVMValueRef low = and_all(t, o, 3), word = LLVMBuildMul(t->b, and_all(t, o, ~3u), ir_splat(t, items), "");
        LLVMValueRef item = LLVMBuildAdd(t->b, ir_splat(t, base), ir_ramp(t, p, ISA_LANES, 4), "");
        out.piece[p] = LLVMBuildAdd(t->b, LLVMBuildAdd(t->b, word, item, ""), low, "");
        LLVMValueRef last = ir_splat(t, ir_u32(t, 4u - n->effects.memory.size));
        LLVMValueRef beyond = LLVMBuildICmp(t->b, LLVMIntUGT, low, last, "");
        crossing.piece[p] = LLVMBuildZExt(t->b, beyond, t->piece_type, "");
    }
    LLVMValueRef bad = LLVMBuildAnd(t->b, bits_of(t, crossing), active(t), "");
    leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntNE, bad, ir_u32(t, 0), ""));
    return out;
}

/* What is known of the addresses, before the immediate: of those in private memory, words at the same offset follow one
 * another. */
static struct v_fact fact_of_addresses(const struct translator *t, const struct node *n)
{
    struct v_fact base = t->holds.v[n->d.in.rs1], nothing = {0};
    struct x_fact stride = t->holds.x[n->d.in.rs2 % ISA_XREGS];
    switch (n->effects.memory.address) {
    case ADDRESS_PRIVATE:
        return base.period && !base.step ? (struct v_fact){.period = base.period, .step = 4} : nothing;
    case ADDRESS_UNIT: return (struct v_fact){.period = ISA_LANES, .step = n->effects.memory.size};
    case ADDRESS_STRIDED: return stride.known ? (struct v_fact){.period = ISA_LANES, .step = stride.value} : nothing;
    case ADDRESS_LANES: return base;
    case ADDRESS_INDEXED: return fact_of_indexed(&t->holds, n);
    default: return nothing;
    }
}

static void set_addresses(struct translator *t, struct vector_access *a)
{
    const struct insn *in = &a->n->d.in;
    enum isa_address form = a->n->effects.memory.address;
    bool behind_scalar = form == ADDRESS_UNIT || form == ADDRESS_STRIDED || form == ADDRESS_INDEXED;
    if (behind_scalar) a->scalar = get_x(t, in->rs1);
    switch (form) {
    case ADDRESS_PRIVATE: a->base = private_lanes(t, a->n); break;
    case ADDRESS_UNIT: a->base = strides(t, ir_u32(t, a->size)); break;
    case ADDRESS_STRIDED: a->base = strides(t, get_x(t, in->rs2)); break;
    case ADDRESS_INDEXED: a->base = indices(t, a->n); break;
    default: a->base = get_v(t, in->rs1), a->imm = (uint32_t)in->imm; break;
    }
}

enum { SPAN_MOST = 4096 };

static void note_local_lanes(struct translator *t, const struct vector_access *a)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    LLVMValueRef any = NULL;
    if (a->fact.period == ISA_LANES && a->fact.step <= SPAN_MOST / ISA_LANES) {
        LLVMValueRef first = guest_address(t, a, 0);
        note_local(t, reaches_noted(t, first, a->fact.step * (t->items - 1) + a->size));
        return;
    }
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef lanes = reaches_noted(t, guest_addresses(t, a, p), a->size);
        any = any ? LLVMBuildOr(t->b, any, lanes, "") : lanes;
    }
    note_local(t, LLVMBuildICmp(t->b, LLVMIntNE, LLVMBuildBitCast(t->b, any, narrow, ""), LLVMConstNull(narrow), ""));
}

/* Records where an access is made: all addresses, or of each `period` lanes that follow one another the first. */
static void record_access(struct translator *t, const struct vector_access *a)
{
    bool runs = is_known_same(a) || is_known_consecutive(t, a) || is_known_spaced(t, a);
    struct native_site site = site_of(a->n, runs ? RECORD_RUNS : RECORD_LANES);
    size_t addr = offsetof(struct sm, access.addr);
    site.imm = a->imm;
    site.all = runs && a->n->d.in.vm;
    if (runs) site.period = a->fact.period, site.step = a->fact.step;
    for (unsigned lane = 0; lane < lanes_computed(t) && runs; lane += a->fact.period)
        ir_record(t, lane_sum(t, a, lane), t->sm, addr + lane * 4);
    for (unsigned p = 0; p < t->pieces && !runs; p++) ir_record(t, piece_sum(t, a, p), t->sm, addr + p * t->words * 4);
    if (!site.all) ir_record(t, a->lanes, t->sm, offsetof(struct sm, access.lanes));
    pass_site(t, a->n, site);
}

/* Finds addresses and lanes of an access and records it. */
static struct vector_access begin_access(struct translator *t, const struct node *n)
{
    struct vector_access a = {.n = n, .size = n->effects.memory.size, .is_signed = n->effects.memory.is_signed};
    a.fact = fact_of_addresses(t, n);
    a.unit = a.fact.period >= t->words ? t->words : t->words < 8 ? t->words : 8;
    set_addresses(t, &a);
    a.all = t->version == FULL && n->d.in.vm && pieces_are_whole(t);
    a.lanes = active(t);
    if (!n->d.in.vm) a.lanes = LLVMBuildAnd(t->b, a.lanes, get_lane(t, get_v(t, 0), 0), "");
    if (n->effects.memory.action != ACTION_LOAD && n->effects.memory.action != ACTION_LR) note_local_lanes(t, &a);
    record_access(t, &a);
    return a;
}

void translate_load(struct translator *t, const struct node *n)
{
    if (n->effects.memory.address == ADDRESS_SCALAR) {
        load_scalar_register(t, n);
        return;
    }
    struct vector_access a = begin_access(t, n);
    set_result(t, n, load_vector(t, &a));
}

void translate_store(struct translator *t, const struct node *n)
{
    if (n->effects.memory.address == ADDRESS_SCALAR) {
        store_scalar_register(t, n);
        return;
    }
    struct vector_access a = begin_access(t, n);
    store_vector(t, &a, stored_by(t, n));
    look_for_reservations(t);
}

/* 1 if all lanes that take part access words of local memory, 0 otherwise. */
static LLVMValueRef is_all_local(struct translator *t, const struct vector_access *a)
{
    struct lanes local;
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef flags = reaches(t, local_window, guest_addresses(t, a, p), a->size);
        local.piece[p] = LLVMBuildZExt(t->b, flags, t->piece_type, "");
    }
    LLVMValueRef others = LLVMBuildAnd(t->b, a->lanes, LLVMBuildNot(t->b, bits_of(t, local), ""), "");
    return LLVMBuildZExt(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, others, ir_u32(t, 0), ""), t->i32, "");
}

/* sc.w; writes that have taken place are those of the access from then on. */
static void store_conditional(struct translator *t, const struct vector_access *a, LLVMValueRef *args)
{
    LLVMValueRef others = call_function(t, "store_reserved", args, 6);
    leave_if(t, a->n, LLVMBuildICmp(t->b, LLVMIntEQ, others, ir_u64(t, RESERVED_ODD), ""));
    others = LLVMBuildTrunc(t->b, others, t->i32, "");
    ir_record(t, others, t->sm, offsetof(struct sm, access.lanes));
    end_reservations_if(t, others);
}

void translate_atomic(struct translator *t, const struct node *n)
{
    enum isa_action action = n->effects.memory.action;
    struct lanes base = get_v(t, n->d.in.rs1), low;
    for (unsigned p = 0; p < t->pieces; p++) low.piece[p] = and_all(t, base.piece[p], 3);
    LLVMValueRef bad = LLVMBuildAnd(t->b, bits_of(t, low), active(t), "");
    leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntNE, bad, ir_u32(t, 0), ""));
    struct vector_access a = begin_access(t, n);
    LLVMValueRef addr = ir_field(t, t->sm, offsetof(struct sm, access.addr));
    LLVMValueRef in = ir_field(t, t->state, offsetof(struct native_state, in));
    LLVMValueRef out = ir_field(t, t->state, offsetof(struct native_state, out));
    if (action == ACTION_LR) {
        call_function(t, "reserve", (LLVMValueRef[]){t->sm, addr, out, active(t)}, 4);
    } else {
        store_scratch(t, get_v(t, n->d.in.rs2), offsetof(struct native_state, in));
        LLVMValueRef args[] = {action == ACTION_SC ? t->sm : t->mem, addr, in, out, active(t), is_all_local(t, &a)};
        if (action == ACTION_SC) store_conditional(t, &a, args);
        else call_row(t, n->d.in.op, args, 6);
        if (action == ACTION_AMO) look_for_reservations(t);
    }
    set_result(t, n, load_scratch(t, offsetof(struct native_state, out)));
}

/* ---- a lane alone ---- */

static LLVMValueRef private_alone(struct translator *t, const struct node *n, LLVMValueRef lane)
{
    LLVMValueRef at = LLVMBuildAdd(t->b, get_own(t, n->d.in.rs1), ir_u32(t, (uint32_t)n->d.in.imm), "");
    LLVMValueRef low = LLVMBuildAnd(t->b, at, ir_u32(t, 3), "");
    LLVMValueRef word = LLVMBuildMul(t->b, LLVMBuildAnd(t->b, at, ir_u32(t, ~3u), ""), private_items(t), "");
    LLVMValueRef item = LLVMBuildAdd(t->b, private_base(t), LLVMBuildShl(t->b, lane, ir_u32(t, 2), ""), "");
    LLVMValueRef last = ir_u32(t, 4u - n->effects.memory.size);
    leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntUGT, low, last, ""));
    return LLVMBuildAdd(t->b, LLVMBuildAdd(t->b, word, item, ""), low, "");
}

/* What is recorded; *imm is to be added. */
static LLVMValueRef alone_sum(struct translator *t, const struct node *n, LLVMValueRef lane, uint32_t *imm)
{
    const struct insn *in = &n->d.in;
    LLVMValueRef mask = ir_u32(t, n->effects.memory.index ? ~0u >> (32 - 8 * n->effects.memory.index) : 0);
    *imm = 0;
    switch (n->effects.memory.address) {
    case ADDRESS_PRIVATE: return private_alone(t, n, lane);
    case ADDRESS_INDEXED:
        return LLVMBuildAdd(t->b, LLVMBuildAnd(t->b, get_own(t, in->rs2), mask, ""), get_x(t, in->rs1), "");
    default: *imm = (uint32_t)in->imm; return get_own(t, in->rs1);
    }
}

static LLVMValueRef alone_address(struct translator *t, const struct node *n, LLVMValueRef lane)
{
    struct native_site site = site_of(n, RECORD_LANES);
    LLVMValueRef sum = alone_sum(t, n, lane, &site.imm), index = LLVMBuildZExt(t->b, lane, t->i64, "");
    LLVMValueRef address = LLVMBuildAdd(t->b, sum, ir_u32(t, site.imm), "");
    LLVMValueRef addresses = ir_field(t, t->sm, offsetof(struct sm, access.addr));
    if (n->effects.memory.action != ACTION_LOAD) note_local(t, reaches_noted(t, address, n->effects.memory.size));
    ir_record(t, sum, LLVMBuildGEP2(t->b, t->i32, addresses, &index, 1, ""), 0);
    ir_record(t, active(t), t->sm, offsetof(struct sm, access.lanes));
    pass_site(t, n, site);
    return host_address(t, address);
}

LLVMValueRef alone_load(struct translator *t, const struct node *n, LLVMValueRef lane)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef value = load_unaligned(t, memory_type(t, m->size), alone_address(t, n, lane));
    return m->size == 4 ? value : extend(t, value, m->is_signed, t->i32);
}

void alone_store(struct translator *t, const struct node *n, LLVMValueRef lane)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef address = alone_address(t, n, lane),
                 value = get_own(t, m->data == ROLE_RS2 ? n->d.in.rs2 : n->d.in.rs3);
    if (m->size < 4) value = LLVMBuildTrunc(t->b, value, memory_type(t, m->size), "");
    LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
    look_for_reservations(t);
}
