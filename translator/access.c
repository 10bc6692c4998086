/* Accesses to memory: records of them (native/native.h), the shapes of their addresses, and the accesses themselves. */
#include "translator/access.h"

#include "translator/lane_private.h"

#include <string.h>

LLVMValueRef host_address(struct translator *t, LLVMValueRef guest)
{
    LLVMValueRef index = LLVMBuildZExt(t->b, guest, t->i64, "");
    return LLVMBuildGEP2(t->b, t->i8, t->mem, &index, 1, "");
}

LLVMTypeRef memory_type(struct translator *t, unsigned size) { return size == 1 ? t->i8 : size == 2 ? t->i16 : t->i32; }

LLVMValueRef extend(struct translator *t, LLVMValueRef value, bool is_signed, LLVMTypeRef type)
{
    return is_signed ? LLVMBuildSExt(t->b, value, type, "") : LLVMBuildZExt(t->b, value, type, "");
}

LLVMValueRef load_unaligned(struct translator *t, LLVMTypeRef type, LLVMValueRef address)
{
    LLVMValueRef value = LLVMBuildLoad2(t->b, type, address, "");
    LLVMSetAlignment(value, 1);
    LLVMSetVolatile(value, true);
    return value;
}

LLVMValueRef keep(struct translator *t, LLVMValueRef value)
{
    LLVMTypeRef types[] = {LLVMTypeOf(value)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->context), types, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "v", 1, true, false, LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(t->b, type, nothing, &value, 1, "");
    return value;
}

/* ---- writes to local memory: the machine clears what a group has written before the next one ---- */

struct window {
    uint32_t base, size;
};
static const struct window local_window = {ABI_LOCAL_BASE, ABI_LOCAL_LIMIT - ABI_LOCAL_BASE};
static const struct window watched_window = {WATCHED_BASE, WATCHED_SIZE};

/* Does one of `span` bytes lie in the window? `first`: the first one's address, a number or a chunk. */
static LLVMValueRef reaches(struct translator *t, struct window window, LLVMValueRef first, uint32_t span)
{
    bool chunk = LLVMTypeOf(first) == t->chunk_type;
    LLVMValueRef back = ir_u32(t, span - 1 - window.base);
    LLVMValueRef size = ir_u32(t, window.size + span - 1);
    LLVMValueRef at = LLVMBuildAdd(t->b, first, chunk ? ir_splat(t, back) : back, "");
    return LLVMBuildICmp(t->b, LLVMIntULT, at, chunk ? ir_splat(t, size) : size, "");
}

static LLVMValueRef reaches_noted(struct translator *t, LLVMValueRef first, uint32_t span)
{
    return reaches(t, t->hoisted ? watched_window : local_window, first, span);
}

static void note_most(struct translator *t, const char *which, LLVMValueRef value, size_t at)
{
    LLVMValueRef args[] = {ir_load(t, t->i32, t->group, at), value};
    ir_store(t, ir_intrinsic(t, which, &t->i32, 1, args, 2), t->group, at);
}

/* Bytes that are written, from `first` on, which lies in front of local memory if only inactive lanes would write
 * there.
 */
struct span {
    LLVMValueRef first;
    uint32_t bytes;
};

static LLVMValueRef extreme(struct translator *t, const char *which, LLVMValueRef a, LLVMValueRef b)
{
    return a ? ir_intrinsic(t, which, &t->i32, 1, (LLVMValueRef[]){a, b}, 2) : b;
}

/* With barriers: between where the group has written its local memory, or that it has written something else that is
 * watched. */
static bool notes_own(const struct translator *t) { return t->hoisted && t->barriers; }

/* Of so many bytes: do those that an access writes from `at` on, counted from the first, lie in them? Of all lanes, if
 * `at` is a chunk. */
static LLVMValueRef is_within(struct translator *t, LLVMValueRef at, LLVMValueRef bytes, uint32_t span)
{
    LLVMValueRef args[] = {bytes, ir_u32(t, span - 1)}, most = ir_intrinsic(t, "llvm.usub.sat", &t->i32, 1, args, 2);
    return LLVMBuildICmp(t->b, LLVMIntULT, at, LLVMTypeOf(at) == t->chunk_type ? ir_splat(t, most) : most, "");
}

/* From where on, or enum noted. */
static void note_from(struct translator *t, LLVMValueRef from)
{
    LLVMValueRef args[] = {LLVMBuildLoad2(t->b, t->i32, t->noted, ""), from};
    LLVMBuildStore(t->b, ir_intrinsic(t, "llvm.smin", &t->i32, 1, args, 2), t->noted);
}

static LLVMValueRef noted_if_watched(struct translator *t, LLVMValueRef watched)
{
    return LLVMBuildSelect(t->b, watched, ir_u32(t, (uint32_t)NOTED_WATCHED), ir_u32(t, NOTED_NONE), "");
}

static void note_own(struct translator *t, LLVMValueRef own, LLVMValueRef from, LLVMValueRef end, LLVMValueRef local,
                     LLVMValueRef watched)
{
    LLVMValueRef ends[] = {LLVMBuildLoad2(t->b, t->i32, t->noted_end, ""),
                           LLVMBuildSelect(t->b, own, end, ir_u32(t, 0), "")};
    LLVMBuildStore(t->b, ir_intrinsic(t, "llvm.umax", &t->i32, 1, ends, 2), t->noted_end);
    LLVMValueRef other = noted_if_watched(t, watched);
    other = LLVMBuildSelect(t->b, local, ir_u32(t, (uint32_t)NOTED_LOCAL), other, "");
    note_from(t, LLVMBuildSelect(t->b, own, from, other, ""));
}

static LLVMValueRef local_base(struct translator *t)
{
    return ir_load(t, t->i32, t->group, offsetof(struct group, lds_base));
}

/* From the first one to the last. Behind the group's arrays, up to the end of the page, inactive lanes may lie. */
static void note_own_spans(struct translator *t, const struct span *spans, unsigned n)
{
    LLVMValueRef base = local_base(t), first = NULL, last = NULL;
    for (unsigned i = 0; i < n; i++) {
        first = extreme(t, "llvm.umin", first, spans[i].first);
        last = extreme(t, "llvm.umax", last, spans[i].first);
    }
    LLVMValueRef from = LLVMBuildSub(t->b, first, base, ""), to = LLVMBuildSub(t->b, last, base, "");
    LLVMValueRef own = is_within(t, to, t->local_open, spans[0].bytes),
                 watched = reaches_noted(t, last, spans[0].bytes);
    if (n > 1) own = LLVMBuildAnd(t->b, own, LLVMBuildICmp(t->b, LLVMIntULE, from, to, ""), "");
    for (unsigned i = 0; i < n && n > 1; i++)
        watched = LLVMBuildOr(t->b, watched, reaches_noted(t, spans[i].first, spans[i].bytes), "");
    LLVMValueRef end = LLVMBuildAdd(t->b, to, ir_u32(t, spans[0].bytes), "");
    note_own(t, own, from, end, reaches(t, local_window, first, 1), watched);
}

static LLVMValueRef is_any(struct translator *t, LLVMValueRef flags)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    LLVMValueRef bits = LLVMBuildBitCast(t->b, flags, narrow, "");
    return LLVMBuildICmp(t->b, LLVMIntNE, bits, LLVMConstNull(narrow), "");
}

static void note_lanes(struct translator *t, const char *which, LLVMValueRef own, LLVMValueRef value, LLVMValueRef at)
{
    LLVMValueRef was = LLVMBuildLoad2(t->b, t->chunk_type, at, ""), args[] = {was, value};
    LLVMValueRef is = ir_intrinsic(t, which, &t->chunk_type, 1, args, 2);
    LLVMBuildStore(t->b, LLVMBuildSelect(t->b, own, is, was, ""), at);
}

/* Active lanes whose addresses have no shape. From where on and up to where all of them have written is found out when
 * somebody asks (noted_of_all). */
static void note_any_lanes(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef base = ir_splat(t, local_base(t)), other = NULL;
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef at = guest_addresses(t, a, p), from = LLVMBuildSub(t->b, at, base, "");
        LLVMValueRef own = is_within(t, from, t->local_open, a->size);
        LLVMValueRef lost = LLVMBuildAnd(t->b, reaches_noted(t, at, a->size), LLVMBuildNot(t->b, own, ""), "");
        if (!a->all) own = LLVMBuildAnd(t->b, own, chunk_flags(t, a, p), "");
        if (!a->all) lost = LLVMBuildAnd(t->b, lost, chunk_flags(t, a, p), "");
        other = other ? LLVMBuildOr(t->b, other, lost, "") : lost;
        note_lanes(t, "llvm.smin", own, from, t->noted_lanes);
        note_lanes(t, "llvm.smax", own, LLVMBuildAdd(t->b, from, ir_splat(t, ir_u32(t, a->size)), ""),
                   t->noted_lanes_end);
    }
    note_from(t, noted_if_watched(t, is_any(t, other)));
}

void forget_noted(struct translator *t)
{
    LLVMBuildStore(t->b, ir_u32(t, notes_own(t) ? NOTED_NONE : 0), t->noted);
    LLVMBuildStore(t->b, ir_u32(t, 0), t->noted_end);
    LLVMBuildStore(t->b, ir_splat(t, ir_u32(t, NOTED_NONE)), t->noted_lanes);
    LLVMBuildStore(t->b, ir_zero_chunk(t), t->noted_lanes_end);
}

/* What is noted, with that of lanes. */
static LLVMValueRef noted_of_all(struct translator *t, const char *which, const char *of_lanes, LLVMValueRef at,
                                 LLVMValueRef lanes)
{
    LLVMValueRef all[] = {LLVMBuildLoad2(t->b, t->chunk_type, lanes, "")};
    LLVMValueRef args[] = {LLVMBuildLoad2(t->b, t->i32, at, ""), ir_intrinsic(t, of_lanes, &t->chunk_type, 1, all, 1)};
    return ir_intrinsic(t, which, &t->i32, 1, args, 2);
}

void store_noted(struct translator *t)
{
    const size_t at = offsetof(struct group, local_end);
    LLVMValueRef noted = LLVMBuildLoad2(t->b, t->i32, t->noted, "");
    if (!notes_own(t)) {
        ir_store(t, LLVMBuildOr(t->b, ir_load(t, t->i32, t->group, at), noted, ""), t->group, at);
        return;
    }
    noted = noted_of_all(t, "llvm.smin", "llvm.vector.reduce.smin", t->noted, t->noted_lanes);
    LLVMValueRef none = LLVMBuildICmp(t->b, LLVMIntEQ, noted, ir_u32(t, NOTED_NONE), "");
    LLVMValueRef other = LLVMBuildICmp(t->b, LLVMIntSLT, noted, ir_u32(t, 0), "");
    LLVMValueRef end = noted_of_all(t, "llvm.smax", "llvm.vector.reduce.smax", t->noted_end, t->noted_lanes_end);
    end = LLVMBuildSelect(t->b, other, ir_u32(t, UINT32_MAX), end, "");
    note_most(t, "llvm.umin", LLVMBuildSelect(t->b, none, ir_u32(t, UINT32_MAX), noted, ""),
              offsetof(struct group, local_from));
    note_most(t, "llvm.umax", end, at);
}

/* Code without barriers seldom has local memory and records only whether anything is written: in a variable, which is
 * stored where the code is left or a stretch is over. Where an access fails the machine takes it for granted. */
static bool notes_any(const struct translator *t) { return t->hoisted && !t->barriers; }

/* Notes, where `is` holds, that all of local memory may have been written. */
static void note_any(struct translator *t, LLVMValueRef is)
{
    LLVMValueRef at = t->noted;
    if (!notes_any(t)) at = ir_field(t, t->group, offsetof(struct group, local_end));
    LLVMValueRef was = LLVMBuildLoad2(t->b, t->i32, at, "");
    LLVMBuildStore(t->b, LLVMBuildOr(t->b, was, LLVMBuildSExt(t->b, is, t->i32, ""), ""), at);
}

/* Records what is written. What is watched lies beyond the local memory that a group has, which ends a stretch. */
static void note_spans(struct translator *t, const struct span *spans, unsigned n)
{
    if (notes_own(t)) {
        note_own_spans(t, spans, n);
        return;
    }
    LLVMValueRef base = local_base(t), from = NULL, end = NULL;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef is = reaches_noted(t, spans[i].first, spans[i].bytes), range[] = {spans[i].first, base};
        if (notes_any(t)) {
            note_any(t, is);
            continue;
        }
        LLVMValueRef begins = ir_intrinsic(t, "llvm.usub.sat", &t->i32, 1, range, 2);
        LLVMValueRef ends = LLVMBuildSub(t->b, spans[i].first, base, "");
        ends = LLVMBuildAdd(t->b, ends, ir_u32(t, spans[i].bytes), "");
        from = extreme(t, "llvm.umin", from, LLVMBuildSelect(t->b, is, begins, ir_u32(t, UINT32_MAX), ""));
        end = extreme(t, "llvm.umax", end, LLVMBuildSelect(t->b, is, ends, ir_u32(t, 0), ""));
    }
    if (notes_any(t)) return;
    note_most(t, "llvm.umin", from, offsetof(struct group, local_from));
    note_most(t, "llvm.umax", end, offsetof(struct group, local_end));
}

static void note_span(struct translator *t, LLVMValueRef first, uint32_t bytes)
{
    note_spans(t, &(struct span){first, bytes}, 1);
}

static LLVMValueRef scalar_address(struct translator *t, const struct node *n)
{
    LLVMValueRef address = LLVMBuildAdd(t->b, get_x(t, n->d.in.rs1), ir_u32(t, (uint32_t)n->d.in.imm), "");
    if (fact_metadata(&t->holds, n, t->flow->request)) return host_address(t, address); /* cannot fail */
    if (n->effects.memory.action != ACTION_LOAD) note_span(t, address, n->effects.memory.size);
    t->told.known = false;
    pass_site_at(t, n, site_of(n, RECORD_SCALAR), address);
    return host_address(t, address);
}

static void load_scalar_register(struct translator *t, const struct node *n)
{
    uint32_t told, word;
    if (fact_constant(&t->holds, n, t->flow, &word)) {
        set_x(t, n->d.in.rd, ir_u32(t, word));
        return;
    }
    if (hoist_can(t, n)) {
        set_x(t, n->d.in.rd, hoist_value(t, n));
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

/* Has the machine end the reservations of the words that the current access has written, unless `is_some` is 0. It adds
 * to the recorded addresses what the site says. */
static void end_reservations_if(struct translator *t, LLVMValueRef is_some)
{
    t->told.known = false;
    LLVMBasicBlockRef some = ir_block(t, "reservations"), on = ir_block(t, "");
    ir_branch_likely(t, LLVMBuildICmp(t->b, LLVMIntEQ, is_some, ir_u32(t, 0), ""), on, some);
    ir_at(t, some);
    call_machine(t, LLVMVoidTypeInContext(t->context), offsetof(struct native_state, wrote),
                 (LLVMValueRef[]){t->sm, active(t)}, 2);
    LLVMBuildBr(t->b, on);
    ir_at(t, on);
}

/* A store that ends reservations, if there are any. */
static void look_for_reservations(struct translator *t)
{
    if (!t->flow->reserves || t->undo) return; /* a nest stores to private memory alone, and has no sites */
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

/* A word of a vector register, moved to a general register of the host. LLVM would both move it for the access and
 * store it from the vector register, and such stores wait for the pipes that load vectors. */
static LLVMValueRef as_scalar(struct translator *t, LLVMValueRef word)
{
    static const char *const attributes[] = {"memory", "nounwind", "willreturn"}; /* of memory: none, which is 0 */
    LLVMTypeRef type = LLVMFunctionType(t->i32, &t->i32, 1, false);
    LLVMValueRef same = LLVMGetInlineAsm(type, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef call = LLVMBuildCall2(t->b, type, same, &word, 1, "");
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        unsigned id = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 LLVMCreateEnumAttribute(t->context, id, 0));
    }
    return call;
}

LLVMValueRef lane_sum(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMValueRef base = as_scalar(t, get_lane(t, a->base, lane));
    return a->scalar ? LLVMBuildAdd(t->b, base, a->scalar, "") : base;
}

LLVMValueRef chunk_sum(struct translator *t, const struct vector_access *a, unsigned p)
{
    return a->scalar ? LLVMBuildAdd(t->b, a->base.chunk[p], ir_splat(t, a->scalar), "") : a->base.chunk[p];
}

LLVMValueRef guest_address(struct translator *t, const struct vector_access *a, unsigned lane)
{
    return LLVMBuildAdd(t->b, lane_sum(t, a, lane), ir_u32(t, a->imm), "");
}

LLVMValueRef guest_addresses(struct translator *t, const struct vector_access *a, unsigned p)
{
    return LLVMBuildAdd(t->b, chunk_sum(t, a, p), ir_splat(t, ir_u32(t, a->imm)), "");
}

LLVMValueRef lane_address(struct translator *t, const struct vector_access *a, unsigned lane)
{
    bool near = a->fact.period && a->fact.step <= MEM_GUARD / ISA_LANES;
    unsigned behind = near ? lane % a->fact.period : 0;
    return ir_field(t, host_address(t, guest_address(t, a, lane - behind)), (size_t)behind * a->fact.step);
}

/* Are all lanes known to be equally far apart, so that the first one's address says where all are? */
static bool is_one_run(const struct translator *t, const struct vector_access *a)
{
    return a->fact.period >= lanes_computed(t) && a->n->effects.memory.action <= ACTION_STORE;
}

LLVMValueRef sums_in_memory(struct translator *t, const struct vector_access *a)
{
    const size_t addr = offsetof(struct sm, access.addr);
    for (unsigned p = 0; p < t->chunks && is_one_run(t, a); p++)
        ir_store(t, chunk_sum(t, a, p), t->sm, addr + p * t->words * 4);
    return ir_field(t, t->sm, addr);
}

LLVMValueRef recorded_address(struct translator *t, const struct vector_access *a, LLVMValueRef lane)
{
    LLVMValueRef place = LLVMBuildZExt(t->b, LLVMBuildAnd(t->b, lane, ir_u32(t, ISA_LANES - 1), ""), t->i64, "");
    LLVMValueRef base = ir_field(t, t->sm, offsetof(struct sm, access.addr));
    LLVMValueRef at = LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, base, &place, 1, ""), "");
    return LLVMBuildAdd(t->b, at, ir_u32(t, a->imm), "");
}

LLVMValueRef is_zero(struct translator *t, struct lanes value)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    LLVMValueRef some = value.chunk[0];
    for (unsigned p = 1; p < t->chunks; p++) some = LLVMBuildOr(t->b, some, value.chunk[p], "");
    some = LLVMBuildICmp(t->b, LLVMIntNE, some, ir_zero_chunk(t), "");
    return LLVMBuildICmp(t->b, LLVMIntEQ, LLVMBuildBitCast(t->b, some, narrow, ""), LLVMConstNull(narrow), "");
}

/* Do the lanes' addresses in every unit have these offsets from the first one? NULL: all are 0. */
static LLVMValueRef has_offsets(struct translator *t, const struct vector_access *a, const struct lanes *offsets)
{
    struct lanes off;
    LLVMValueRef index[16];
    for (unsigned p = 0; p < t->chunks; p++) {
        for (unsigned i = 0; i < t->words; i++) index[i] = ir_u32(t, i / a->unit * a->unit);
        LLVMValueRef first = LLVMBuildShuffleVector(t->b, a->base.chunk[p], LLVMGetPoison(t->chunk_type),
                                                    LLVMConstVector(index, t->words), "");
        LLVMValueRef expected = offsets ? LLVMBuildAdd(t->b, first, offsets->chunk[p], "") : first;
        off.chunk[p] = LLVMBuildXor(t->b, a->base.chunk[p], expected, "");
    }
    for (unsigned p = 0; p < t->chunks && t->words == 8 && !a->all; p++) {
        LLVMValueRef flags = lane_flags(t, a->lanes, p * t->words, t->words);
        off.chunk[p] = LLVMBuildSelect(t->b, flags, off.chunk[p], ir_zero_chunk(t), "");
    }
    if (a->all || t->words == 8) return is_zero(t, off);
    /* Not as conditions of the host's vectors: where chunks are equal, LLVM 19 rewrites these for ever. */
    return LLVMBuildICmp(t->b, LLVMIntEQ, LLVMBuildAnd(t->b, bits_of(t, off), a->lanes, ""), ir_u32(t, 0), "");
}

LLVMValueRef has_step(struct translator *t, const struct vector_access *a, uint32_t step)
{
    struct lanes offsets;
    for (unsigned p = 0; p < t->chunks; p++) offsets.chunk[p] = ir_ramp(t, p, a->unit, step);
    return has_offsets(t, a, step ? &offsets : NULL);
}

bool seems_even(const struct translator *t, const struct vector_access *a)
{
    return a->fact.even && !a->fact.period && a->all && a->size == 4 && t->words >= 8;
}

LLVMValueRef has_even_step(struct translator *t, const struct vector_access *a, LLVMValueRef *step)
{
    struct lanes offsets;
    *step = LLVMBuildSub(t->b, get_lane(t, a->base, 1), get_lane(t, a->base, 0), "");
    for (unsigned p = 0; p < t->chunks; p++)
        offsets.chunk[p] = LLVMBuildMul(t->b, ir_splat(t, *step), ir_ramp(t, p, a->unit, 1), "");
    LLVMValueRef near = LLVMBuildICmp(t->b, LLVMIntULE, *step, ir_u32(t, MEM_GUARD / 8), "");
    return LLVMBuildAnd(t->b, near, has_offsets(t, a, &offsets), "");
}

LLVMValueRef even_address(struct translator *t, LLVMValueRef first, LLVMValueRef step, unsigned i)
{
    LLVMValueRef index = LLVMBuildMul(t->b, LLVMBuildZExt(t->b, step, t->i64, ""), ir_u64(t, i), "");
    return LLVMBuildGEP2(t->b, t->i8, first, &index, 1, "");
}

bool can_mask(const struct translator *t, unsigned size) { return t->words == 16 || (t->words == 8 && size == 4); }

/* Intel's do from the first processors with arithmetic on halves. AMD's do not, and older ones of Intel gather slowly
 * since their microcode keeps a gather's results from speculation. */
bool has_fast_gathers(const struct translator *t) { return t->flow->request->level == NATIVE_v4fp16; }

/* AMD's take a third longer (bench/measurements.md); of hosts with AVX-512, those without arithmetic on halves are
 * AMD's or the older ones of Intel. */
bool has_slow_gathers(const struct translator *t)
{
    const struct native_request *r = t->flow->request;
    return r->level == NATIVE_v4 || (r->level == NATIVE_v3 && r->tuning == NATIVE_FOR_amd);
}

LLVMValueRef chunk_bits(struct translator *t, const struct vector_access *a, unsigned p)
{
    LLVMValueRef bits = LLVMBuildLShr(t->b, a->lanes, ir_u32(t, p * t->words), "");
    return LLVMBuildAnd(t->b, bits, ir_u32(t, (1u << t->words) - 1), "");
}

LLVMValueRef and_all(struct translator *t, LLVMValueRef chunk, uint32_t bits)
{
    return LLVMBuildAnd(t->b, chunk, ir_splat(t, ir_u32(t, bits)), "");
}

/* AVX-512 has masks for words, and its processors have an instruction that spreads bits. */
bool has_masked_gaps(const struct translator *t, const struct vector_access *a)
{
    const uint32_t step = a->fact.step;
    return t->words == 16 && !a->all && a->size == 4 && a->fact.period >= 8 && (step == 8 || step == 12 || step == 16);
}

/* The bits of so many lanes, from one on: each `each` places behind the one before it. */
static LLVMValueRef spread_bits(struct translator *t, const struct vector_access *a, unsigned lane, unsigned lanes,
                                unsigned each)
{
    uint64_t places = 0;
    for (unsigned i = 0; i < lanes; i++) places |= 1ull << (i * each);
    LLVMValueRef bits = LLVMBuildZExt(t->b, LLVMBuildLShr(t->b, a->lanes, ir_u32(t, lane), ""), t->i64, "");
    LLVMValueRef args[] = {bits, ir_u64(t, places)};
    return ir_intrinsic(t, "llvm.x86.bmi.pdep.64", NULL, 0, args, 2);
}

static LLVMValueRef as_flags(struct translator *t, LLVMValueRef bits, unsigned count)
{
    LLVMTypeRef type = LLVMIntTypeInContext(t->context, count);
    return LLVMBuildBitCast(t->b, LLVMBuildTrunc(t->b, bits, type, ""), LLVMVectorType(t->i1, count), "");
}

LLVMValueRef gap_flags(struct translator *t, const struct vector_access *a, unsigned lane)
{
    const unsigned each = a->fact.step / 4;
    return as_flags(t, spread_bits(t, a, lane, a->unit, each), a->unit * each);
}

LLVMValueRef repeated_flags(struct translator *t, const struct vector_access *a, unsigned lane, unsigned lanes,
                            unsigned each)
{
    LLVMValueRef bits = spread_bits(t, a, lane, lanes, each);
    return as_flags(t, LLVMBuildMul(t->b, bits, ir_u64(t, (1u << each) - 1), ""), lanes * each);
}

LLVMValueRef host_addresses(struct translator *t, LLVMValueRef guest)
{
    const uint32_t half = 1u << 31;
    LLVMValueRef middle = ir_field(t, t->mem, half), halves[UNIT_MOST];
    const unsigned n = LLVMGetVectorSize(LLVMTypeOf(guest));
    for (unsigned i = 0; i < n; i++) halves[i] = ir_u32(t, half);
    LLVMValueRef index = LLVMBuildAdd(t->b, guest, LLVMConstVector(halves, n), "");
    return LLVMBuildGEP2(t->b, t->i8, middle, &index, 1, "");
}

LLVMValueRef chunk_flags(struct translator *t, const struct vector_access *a, unsigned p)
{
    return a->all ? LLVMConstAllOnes(t->flags_type) : lane_flags(t, a->lanes, p * t->words, t->words);
}

void store_scratch(struct translator *t, struct lanes value, size_t offset)
{
    for (unsigned p = 0; p < t->chunks; p++) ir_store(t, value.chunk[p], t->state, offset + p * t->words * 4);
}

struct lanes load_scratch(struct translator *t, size_t offset)
{
    struct lanes out;
    for (unsigned p = 0; p < t->chunks; p++)
        out.chunk[p] = ir_load(t, t->chunk_type, t->state, offset + p * t->words * 4);
    return out;
}

bool is_known_step(const struct vector_access *a, uint32_t step) { return a->fact.period && a->fact.step == step; }

bool can_split(const struct translator *t, const struct vector_access *a) { return a->all || can_mask(t, a->size); }

bool is_known_consecutive(const struct translator *t, const struct vector_access *a)
{
    return is_known_step(a, a->size) && can_split(t, a) && a->n->effects.memory.action <= ACTION_STORE;
}

bool is_known_same(const struct vector_access *a)
{
    bool whole = a->fact.period == ISA_LANES && a->n->d.in.vm;
    return is_known_step(a, 0) && (whole || a->all) && a->n->effects.memory.action == ACTION_LOAD;
}

bool is_known_spaced(const struct translator *t, const struct vector_access *a)
{
    bool near = a->fact.period >= 8 && a->fact.step <= MEM_GUARD / a->unit;
    return near && a->all && a->size == 4 && t->words >= 8 && a->n->effects.memory.action <= ACTION_STORE;
}

LLVMValueRef shuffle8(struct translator *t, LLVMValueRef a, LLVMValueRef b, const uint8_t order[8])
{
    LLVMValueRef index[8];
    for (unsigned i = 0; i < 8; i++) index[i] = ir_u32(t, order[i]);
    return LLVMBuildShuffleVector(t->b, a, b, LLVMConstVector(index, 8), "");
}

/* Of two chunks with lanes of four in each half: words alternate, of the first or second half of these lanes; pairs of
 * words alternate. */
static const uint8_t alternate_words[2][8] = {{0, 8, 1, 9, 4, 12, 5, 13}, {2, 10, 3, 11, 6, 14, 7, 15}};
static const uint8_t alternate_pairs[2][8] = {{0, 1, 8, 9, 4, 5, 12, 13}, {2, 3, 10, 11, 6, 7, 14, 15}};

void transpose4(struct translator *t, const LLVMValueRef row[4], LLVMValueRef column[4])
{
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef first = shuffle8(t, row[0], row[1], alternate_words[k / 2]);
        LLVMValueRef second = shuffle8(t, row[2], row[3], alternate_words[k / 2]);
        column[k] = shuffle8(t, first, second, alternate_pairs[k % 2]);
    }
}

/* ---- addresses ---- */

static struct lanes strides(struct translator *t, LLVMValueRef stride)
{
    struct lanes offset;
    for (unsigned p = 0; p < t->chunks; p++)
        offset.chunk[p] = LLVMBuildMul(t->b, ir_ramp(t, p, ISA_LANES, 1), ir_splat(t, stride), "");
    return offset;
}

static struct lanes indices(struct translator *t, const struct node *n)
{
    struct lanes offset = get_v(t, n->d.in.rs2);
    uint32_t mask = ~0u >> (32 - 8 * n->effects.memory.index);
    for (unsigned p = 0; p < t->chunks && ~mask; p++)
        offset.chunk[p] = LLVMBuildAnd(t->b, offset.chunk[p], ir_splat(t, ir_u32(t, mask)), "");
    return offset;
}

LLVMValueRef launch_field(struct translator *t, size_t offset) { return ir_load(t, t->i32, t->launch, offset); }

/* PRIVATE_OFFSET of sim/layout.h. */
uint32_t private_items(const struct translator *t) { return t->flow->request->warps * t->flow->request->threads; }

LLVMValueRef private_base(struct translator *t)
{
    LLVMValueRef tid = LLVMBuildShl(t->b, ir_load(t, t->i32, warp(t), offsetof(struct warp, tid)), ir_u32(t, 2), "");
    return LLVMBuildAdd(t->b, ir_load(t, t->i32, t->group, offsetof(struct group, pds_base)), tid, "");
}

/* An access that would leave its word is one for `step`, and so is a store of a nest that could not be taken back. */
static struct lanes private_lanes(struct translator *t, const struct node *n)
{
    LLVMValueRef items = ir_u32(t, private_items(t)), base = private_base(t), saved = NULL;
    struct lanes offset = get_v(t, n->d.in.rs1), crossing, out;
    if (t->undo && n->effects.memory.action != ACTION_LOAD)
        saved = ir_splat(t, launch_field(t, offsetof(struct launch, pds_bytes)));
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef o = LLVMBuildAdd(t->b, offset.chunk[p], ir_splat(t, ir_u32(t, (uint32_t)n->d.in.imm)), "");
        LLVMValueRef low = and_all(t, o, 3), word = LLVMBuildMul(t->b, and_all(t, o, ~3u), ir_splat(t, items), "");
        LLVMValueRef item = LLVMBuildAdd(t->b, ir_splat(t, base), ir_ramp(t, p, ISA_LANES, 4), "");
        out.chunk[p] = LLVMBuildAdd(t->b, LLVMBuildAdd(t->b, word, item, ""), low, "");
        LLVMValueRef last = ir_splat(t, ir_u32(t, 4u - n->effects.memory.size));
        LLVMValueRef beyond = LLVMBuildICmp(t->b, LLVMIntUGT, low, last, "");
        if (saved) beyond = LLVMBuildOr(t->b, beyond, LLVMBuildICmp(t->b, LLVMIntUGE, o, saved, ""), "");
        crossing.chunk[p] = LLVMBuildZExt(t->b, beyond, t->chunk_type, "");
    }
    LLVMValueRef bad = LLVMBuildAnd(t->b, bits_of(t, crossing), active(t), "");
    leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntNE, bad, ir_u32(t, 0), ""));
    return out;
}

/* What is known of the addresses, before the immediate: of those in private memory, words at the same offset follow one
 * another. */
static struct v_fact fact_of_addresses(const struct translator *t, const struct node *n)
{
    struct v_fact base = t->holds.v[n->d.in.rs1], nothing = {0}, even = {.even = true};
    struct x_fact stride = t->holds.x[n->d.in.rs2 % ISA_XREGS];
    switch (n->effects.memory.address) {
    case ADDRESS_PRIVATE:
        return base.period && !base.step ? (struct v_fact){.period = base.period, .step = 4} : nothing;
    case ADDRESS_UNIT: return (struct v_fact){.period = ISA_LANES, .step = n->effects.memory.size};
    case ADDRESS_STRIDED: return stride.known ? (struct v_fact){.period = ISA_LANES, .step = stride.value} : even;
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

enum { SPAN_MOST = 4096 }; /* bytes that all lanes span: a guess */

static void note_local_lanes(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef any = NULL;
    if (a->fact.period >= 8 && a->fact.step <= SPAN_MOST / ISA_LANES) {
        struct span spans[ISA_LANES / 8];
        unsigned n = 0;
        for (unsigned lane = 0; lane < t->items; lane += a->fact.period) {
            unsigned lanes = a->fact.period < t->items - lane ? a->fact.period : t->items - lane;
            spans[n++] = (struct span){guest_address(t, a, lane), a->fact.step * (lanes - 1) + a->size};
        }
        note_spans(t, spans, n);
        return;
    }
    if (notes_own(t)) {
        note_any_lanes(t, a);
        return;
    }
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef lanes = reaches_noted(t, guest_addresses(t, a, p), a->size);
        any = any ? LLVMBuildOr(t->b, any, lanes, "") : lanes;
    }
    note_any(t, is_any(t, any));
}

/* Does sm->access say already where an access is made? Of members of structures, parts of vectors and neighbours, only
 * what the site says differs. */
static bool is_told(const struct translator *t, const struct vector_access *a, bool runs)
{
    const struct told *told = &t->told;
    bool same = told->known && told->runs == runs && told->scalar == a->scalar;
    if (runs) same = same && told->fact.period == a->fact.period && told->fact.repeat == a->fact.repeat;
    for (unsigned p = 0; p < t->chunks; p++) same = same && told->base.chunk[p] == a->base.chunk[p];
    return same;
}

/* Records where an access is made: all addresses, or of each `period` lanes that follow one another the first. */
static void record_access(struct translator *t, const struct vector_access *a)
{
    const bool some = has_masked_gaps(t, a) && a->n->effects.memory.action == ACTION_LOAD;
    bool runs = is_one_run(t, a) || is_known_same(a) || is_known_consecutive(t, a) || is_known_spaced(t, a) || some ||
                load_is_near(t, a);
    struct native_site site = site_of(a->n, runs ? RECORD_RUNS : RECORD_LANES);
    size_t addr = offsetof(struct sm, access.addr);
    site.imm = a->imm;
    site.all = runs && a->n->d.in.vm;
    if (runs) site.period = a->fact.period, site.step = a->fact.step;
    if (runs && a->fact.repeat) site.repeat = a->fact.repeat;
    const bool told = is_told(t, a, runs);
    const bool one = runs && (site.period >= lanes_computed(t) || site.period >= site.repeat);
    if (one) site.record = RECORD_RUN;
    for (unsigned lane = 0; lane < lanes_computed(t) && lane < site.repeat && runs && !one && !told;
         lane += a->fact.period)
        ir_record(t, lane_sum(t, a, lane), t->sm, addr + lane * 4);
    for (unsigned p = 0; p < t->chunks && !runs && !told; p++)
        ir_record(t, chunk_sum(t, a, p), t->sm, addr + p * t->words * 4);
    if (!site.all && !(told && t->told.lanes == a->lanes))
        ir_record(t, a->lanes, t->sm, offsetof(struct sm, access.lanes));
    t->told = (struct told){true, runs, a->fact, a->base, a->scalar, site.all ? NULL : a->lanes};
    if (one && !told) pass_site_at(t, a->n, site, lane_sum(t, a, 0));
    else pass_site(t, a->n, site);
}

/* Finds addresses and lanes of an access. */
static struct vector_access find_access(struct translator *t, const struct node *n)
{
    struct vector_access a = {.n = n, .size = n->effects.memory.size, .is_signed = n->effects.memory.is_signed};
    a.fact = fact_of_addresses(t, n);
    a.unit = a.fact.period >= t->words ? t->words : t->words < 8 ? t->words : 8;
    set_addresses(t, &a);
    a.all = t->version == FULL && n->d.in.vm && chunks_are_whole(t);
    a.lanes = active(t);
    if (!n->d.in.vm) a.lanes = LLVMBuildAnd(t->b, a.lanes, mask_word(t), "");
    return a;
}

/* The same, and records it. */
static struct vector_access begin_access(struct translator *t, const struct node *n)
{
    struct vector_access a = find_access(t, n);
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
    uint32_t word;
    if (fact_constant(&t->holds, n, t->flow, &word)) {
        set_v(t, n->d.in.rd, splat_lanes(t, word));
        return;
    }
    struct vector_access a = find_access(t, n);
    struct lanes value;
    if (!load_has(t, &a, &value)) {
        record_access(t, &a);
        value = load_vector(t, &a);
    }
    set_result(t, n, value);
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

LLVMValueRef is_own_memory(struct translator *t)
{
    LLVMValueRef gpu = ir_load(t, t->ptr, t->sm, offsetof(struct sm, gpu));
    LLVMValueRef all = ir_field(t, gpu, offsetof(struct gpu, reservations));
    return LLVMBuildICmp(t->b, LLVMIntEQ, ir_load(t, t->ptr, t->sm, offsetof(struct sm, reservations)), all, "");
}

/* 1 if no other thread accesses the words of the active lanes, else 0: they are in local memory, or this is the only
 * one. */
static LLVMValueRef is_all_own(struct translator *t, const struct vector_access *a)
{
    struct lanes local;
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef flags = reaches(t, local_window, guest_addresses(t, a, p), a->size);
        local.chunk[p] = LLVMBuildZExt(t->b, flags, t->chunk_type, "");
    }
    LLVMValueRef others = LLVMBuildAnd(t->b, a->lanes, LLVMBuildNot(t->b, bits_of(t, local), ""), "");
    LLVMValueRef all_local = LLVMBuildICmp(t->b, LLVMIntEQ, others, ir_u32(t, 0), "");
    return LLVMBuildZExt(t->b, LLVMBuildOr(t->b, all_local, is_own_memory(t), ""), t->i32, "");
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
    for (unsigned p = 0; p < t->chunks; p++) low.chunk[p] = and_all(t, base.chunk[p], 3);
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
        LLVMValueRef args[] = {action == ACTION_SC ? t->sm : t->mem, addr, in, out, active(t), is_all_own(t, &a)};
        if (action == ACTION_SC) store_conditional(t, &a, args);
        else call_row(t, n->d.in.op, args, 6);
        if (action == ACTION_AMO) look_for_reservations(t);
    }
    set_result(t, n, load_scratch(t, offsetof(struct native_state, out)));
}

/* ---- single-lane code ---- */

void stop_if(struct translator *t, LLVMValueRef condition, LLVMBasicBlockRef bad)
{
    LLVMBasicBlockRef on = ir_block(t, "");
    ir_branch_likely(t, LLVMBuildNot(t->b, condition, ""), on, bad);
    ir_at(t, on);
}

/* A word that lies across two is not accessed: `step` says why. */
static LLVMValueRef private_single(struct translator *t, const struct node *n, LLVMValueRef lane)
{
    LLVMValueRef at = LLVMBuildAdd(t->b, get_own(t, n->d.in.rs1), ir_u32(t, (uint32_t)n->d.in.imm), "");
    LLVMValueRef low = LLVMBuildAnd(t->b, at, ir_u32(t, 3), "");
    LLVMValueRef items = ir_u32(t, private_items(t)), item;
    LLVMValueRef word = LLVMBuildMul(t->b, LLVMBuildAnd(t->b, at, ir_u32(t, ~3u), ""), items, "");
    item = LLVMBuildAdd(t->b, private_base(t), LLVMBuildShl(t->b, lane, ir_u32(t, 2), ""), "");
    leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntUGT, low, ir_u32(t, 4u - n->effects.memory.size), ""));
    return LLVMBuildAdd(t->b, LLVMBuildAdd(t->b, word, item, ""), low, "");
}

/* The address that is recorded for the lane, to which *imm is to be added. */
static LLVMValueRef single_sum(struct translator *t, const struct node *n, LLVMValueRef lane, uint32_t *imm)
{
    const struct insn *in = &n->d.in;
    LLVMValueRef mask = ir_u32(t, n->effects.memory.index ? ~0u >> (32 - 8 * n->effects.memory.index) : 0);
    *imm = 0;
    switch (n->effects.memory.address) {
    case ADDRESS_PRIVATE: return private_single(t, n, lane);
    case ADDRESS_INDEXED:
        return LLVMBuildAdd(t->b, LLVMBuildAnd(t->b, get_own(t, in->rs2), mask, ""), get_x(t, in->rs1), "");
    case ADDRESS_SCALAR: *imm = (uint32_t)in->imm; return get_x(t, in->rs1);
    default: *imm = (uint32_t)in->imm; return get_own(t, in->rs1);
    }
}

static LLVMValueRef single_address(struct translator *t, const struct node *n, LLVMValueRef lane)
{
    struct native_site site = site_of(n, RECORD_LANES);
    LLVMValueRef sum = single_sum(t, n, lane, &site.imm), index = LLVMBuildZExt(t->b, lane, t->i64, "");
    LLVMValueRef address = LLVMBuildAdd(t->b, sum, ir_u32(t, site.imm), "");
    LLVMValueRef addresses = ir_field(t, t->sm, offsetof(struct sm, access.addr));
    if (n->effects.memory.action != ACTION_LOAD) note_span(t, address, n->effects.memory.size);
    ir_record(t, sum, LLVMBuildGEP2(t->b, t->i32, addresses, &index, 1, ""), 0);
    ir_record(t, active(t), t->sm, offsetof(struct sm, access.lanes));
    t->told.known = false;
    pass_site(t, n, site);
    return host_address(t, address);
}

LLVMValueRef single_load(struct translator *t, const struct node *n, LLVMValueRef lane)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef value = load_unaligned(t, memory_type(t, m->size), single_address(t, n, lane));
    return m->size == 4 ? value : extend(t, value, m->is_signed, t->i32);
}

static LLVMValueRef single_try_address(struct translator *t, const struct node *n, LLVMBasicBlockRef bad)
{
    uint32_t imm;
    if (bad && n->effects.memory.address == ADDRESS_PRIVATE) return lane_private_address(t, t->private_rows, n, bad);
    LLVMValueRef sum = single_sum(t, n, LLVMBuildLoad2(t->b, t->i32, t->lane, ""), &imm);
    return host_address(t, LLVMBuildAdd(t->b, sum, ir_u32(t, imm), ""));
}

LLVMValueRef single_try_load(struct translator *t, const struct node *n, LLVMBasicBlockRef bad)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef value = load_unaligned(t, memory_type(t, m->size), single_try_address(t, n, bad));
    return m->size == 4 ? value : extend(t, value, m->is_signed, t->i32);
}

static bool loads_word(const struct node *n)
{
    const struct isa_memory *m = &n->effects.memory;
    return n->how == HOW_LOAD && m->action == ACTION_LOAD && m->address == ADDRESS_LANES && m->size == 4 &&
           m->words == 1;
}

bool single_is_pair(const struct node *n, const struct node *end)
{
    const struct insn *low = &n->d.in, *high = &n[1].d.in;
    return n + 1 < end && loads_word(n) && loads_word(n + 1) && low->rs1 == high->rs1 && low->rd != low->rs1 &&
           low->rd != high->rd && high->imm - low->imm == 4;
}

void single_try_load_pair(struct translator *t, const struct node *n)
{
    LLVMValueRef value = load_unaligned(t, t->i64, single_try_address(t, n, NULL));
    set_own(t, n->d.in.rd, LLVMBuildTrunc(t->b, value, t->i32, ""));
    set_own(t, n[1].d.in.rd, LLVMBuildTrunc(t->b, LLVMBuildLShr(t->b, value, ir_u64(t, 32), ""), t->i32, ""));
}

void single_try_store(struct translator *t, const struct node *n, LLVMBasicBlockRef bad)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef address = single_try_address(t, n, bad);
    LLVMValueRef value = get_own(t, m->data == ROLE_RS2 ? n->d.in.rs2 : n->d.in.rs3);
    if (m->size < 4) value = LLVMBuildTrunc(t->b, value, memory_type(t, m->size), "");
    LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
}

void single_store(struct translator *t, const struct node *n, LLVMValueRef lane)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef address = single_address(t, n, lane),
                 value = get_own(t, m->data == ROLE_RS2 ? n->d.in.rs2 : n->d.in.rs3);
    if (m->size < 4) value = LLVMBuildTrunc(t->b, value, memory_type(t, m->size), "");
    LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
    look_for_reservations(t);
}
