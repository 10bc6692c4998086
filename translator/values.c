/* LLVM values for constants, fields of the machine's structures, registers and results of rows; and exits of translated
 * code. Called by the files below translate.c. */
#include "translator/translator.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const row_names[OP_COUNT] = {
#define INSN(id, ...) [OP_##id] = "row_" #id,
#include "isa/insn.def"
#undef INSN
};

/* ---- small things ---- */

bool set_has(const uint64_t *set, unsigned r) { return set[r / 64] >> (r % 64) & 1; }
static void set_add(uint64_t *set, unsigned r) { set[r / 64] |= 1ull << (r % 64); }

LLVMValueRef ir_u32(struct translator *t, uint32_t n) { return LLVMConstInt(t->i32, n, false); }
LLVMValueRef ir_u64(struct translator *t, uint64_t n) { return LLVMConstInt(t->i64, n, false); }

LLVMBasicBlockRef ir_block(struct translator *t, const char *name)
{
    return LLVMAppendBasicBlockInContext(t->context, t->out->function, name);
}

void ir_at(struct translator *t, LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(t->b, block); }

/* base + offset, in bytes. */
LLVMValueRef ir_field(struct translator *t, LLVMValueRef base, size_t offset)
{
    LLVMValueRef index = ir_u64(t, offset);
    return LLVMBuildGEP2(t->b, t->i8, base, &index, 1, "");
}

LLVMValueRef ir_load(struct translator *t, LLVMTypeRef type, LLVMValueRef base, size_t offset)
{
    return LLVMBuildLoad2(t->b, type, ir_field(t, base, offset), "");
}

LLVMValueRef ir_store(struct translator *t, LLVMValueRef value, LLVMValueRef base, size_t offset)
{
    return LLVMBuildStore(t->b, value, ir_field(t, base, offset));
}

LLVMValueRef warp(struct translator *t) { return LLVMBuildLoad2(t->b, t->ptr, t->w, ""); }

void ir_record(struct translator *t, LLVMValueRef value, LLVMValueRef base, size_t offset)
{
    LLVMSetVolatile(ir_store(t, value, base, offset), true);
}

LLVMValueRef ir_intrinsic(struct translator *t, const char *name, LLVMTypeRef *types, size_t ntypes, LLVMValueRef *args,
                          unsigned nargs)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(t->out->module, id, types, ntypes);
    return LLVMBuildCall2(t->b, LLVMIntrinsicGetType(t->context, id, types, ntypes), f, args, nargs, "");
}

LLVMValueRef ir_popcount(struct translator *t, LLVMValueRef value)
{
    return ir_intrinsic(t, "llvm.ctpop", &t->i32, 1, &value, 1);
}

/* A branch whose condition usually holds. */
void ir_branch_likely(struct translator *t, LLVMValueRef condition, LLVMBasicBlockRef then, LLVMBasicBlockRef other)
{
    LLVMValueRef branch = LLVMBuildCondBr(t->b, condition, then, other);
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(t->context, "branch_weights", 14),
                                LLVMValueAsMetadata(ir_u32(t, 2000)), LLVMValueAsMetadata(ir_u32(t, 1))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(t->context, parts, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(t->context, "prof", 4), LLVMMetadataAsValue(t->context, node));
}

LLVMValueRef ir_splat(struct translator *t, LLVMValueRef scalar)
{
    LLVMValueRef one = LLVMBuildInsertElement(t->b, LLVMGetPoison(t->chunk_type), scalar, ir_u32(t, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(t->i32, t->words));
    return LLVMBuildShuffleVector(t->b, one, LLVMGetPoison(t->chunk_type), zeros, "");
}

LLVMValueRef ir_zero_chunk(struct translator *t) { return LLVMConstNull(t->chunk_type); }

/* A constant chunk: lane i of the warp holds first + i % period * step. */
LLVMValueRef ir_ramp(struct translator *t, unsigned chunk, unsigned period, uint32_t step)
{
    LLVMValueRef lane[16];
    for (unsigned i = 0; i < t->words; i++) lane[i] = ir_u32(t, (chunk * t->words + i) % period * step);
    return LLVMConstVector(lane, t->words);
}

/* ---- registers ---- */

LLVMValueRef get_x(struct translator *t, unsigned r)
{
    if (!r) return ir_u32(t, 0);
    if (t->holds.x[r].known) return ir_u32(t, t->holds.x[r].value);
    return LLVMBuildLoad2(t->b, t->i32, t->x[r], "");
}

void set_x(struct translator *t, unsigned r, LLVMValueRef value)
{
    if (r) LLVMBuildStore(t->b, value, t->x[r]);
}

LLVMValueRef canonical(struct translator *t, LLVMValueRef chunk) { return call_function(t, "canonical", &chunk, 1); }

unsigned chunks_of(const struct translator *t, struct v_fact f)
{
    unsigned own = f.repeat > t->words ? f.repeat / t->words : 1;
    return f.repeat && own < t->chunks ? own : t->chunks;
}

void repeat_chunks(struct translator *t, struct lanes *value, unsigned own)
{
    for (unsigned p = own; p < t->chunks; p++) value->chunk[p] = value->chunk[p - own];
}

struct lanes get_v(struct translator *t, unsigned r)
{
    struct lanes value = get_values(t, r);
    unsigned own = chunks_of(t, t->holds.v[r]);
    for (unsigned p = 0; p < own && t->holds.v[r].raw; p++) t->now[r].chunk[p] = canonical(t, value.chunk[p]);
    repeat_chunks(t, &t->now[r], own);
    t->holds.v[r].raw = false;
    return t->now[r];
}

struct lanes splat_lanes(struct translator *t, uint32_t word)
{
    struct lanes out;
    for (unsigned p = 0; p < t->chunks; p++) out.chunk[p] = ir_splat(t, ir_u32(t, word));
    return out;
}

/* The words of a fact that knows the first one. */
static struct lanes known_lanes(struct translator *t, struct v_fact fact)
{
    struct lanes first = splat_lanes(t, fact.value);
    for (unsigned p = 0; p < t->chunks; p++)
        first.chunk[p] = LLVMBuildAdd(t->b, first.chunk[p], ir_ramp(t, p, ISA_LANES, fact.step), "");
    return first;
}

/* If a register's words repeat, only its first chunks are loaded, and the variables of the others are set to them: so
 * LLVM sees that they are equal, even if they come from `step` or round a loop. */
struct lanes get_values(struct translator *t, unsigned r)
{
    unsigned own = chunks_of(t, t->holds.v[r]);
    if (set_has(t->known.v, r)) return t->now[r];
    set_add(t->known.v, r);
    if (t->holds.v[r].known) return t->now[r] = known_lanes(t, t->holds.v[r]);
    for (unsigned p = 0; p < own; p++) t->now[r].chunk[p] = LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], "");
    repeat_chunks(t, &t->now[r], own);
    for (unsigned p = own; p < t->chunks; p++) LLVMBuildStore(t->b, t->now[r].chunk[p], t->v[r][p]);
    return t->now[r];
}

void set_v(struct translator *t, unsigned r, struct lanes value)
{
    t->now[r] = value;
    set_add(t->known.v, r);
    set_add(t->fresh.v, r);
}

/* One lane of the warp. */
LLVMValueRef get_lane(struct translator *t, struct lanes value, unsigned lane)
{
    return LLVMBuildExtractElement(t->b, value.chunk[lane / t->words], ir_u32(t, lane % t->words), "");
}

/* AVX2 selects lanes by the signs of their words. LLVM 19 does not keep conditions in that form if they come from a
 * number or from another host block: it widens them at each use, or extracts them bit by bit. */
static LLVMValueRef signs_of(struct translator *t, LLVMValueRef bits, unsigned lane)
{
    LLVMValueRef shift[8];
    for (unsigned i = 0; i < 8; i++) shift[i] = ir_u32(t, 31 - lane - i);
    LLVMValueRef words = LLVMBuildShl(t->b, ir_splat(t, bits), LLVMConstVector(shift, 8), "");
    return LLVMBuildICmp(t->b, LLVMIntSLT, words, ir_zero_chunk(t), "");
}

LLVMValueRef lane_flags(struct translator *t, LLVMValueRef bits, unsigned lane, unsigned count)
{
    if (t->words == 8 && count == 8) return signs_of(t, bits, lane);
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, count);
    LLVMValueRef part = LLVMBuildTrunc(t->b, LLVMBuildLShr(t->b, bits, ir_u32(t, lane), ""), narrow, "");
    return LLVMBuildBitCast(t->b, part, LLVMVectorType(t->i1, count), "");
}

/* Lanes of `a` where bits are set, of `b` elsewhere. */
static struct lanes choose(struct translator *t, LLVMValueRef bits, struct lanes a, struct lanes b)
{
    for (unsigned p = 0; p < t->chunks; p++)
        a.chunk[p] = LLVMBuildSelect(t->b, lane_flags(t, bits, p * t->words, t->words), a.chunk[p], b.chunk[p], "");
    return a;
}

/* A register's new words in active lanes, its old ones in the others. If either may be a raw NaN, both are made
 * canonical first. */
static void store_merged(struct translator *t, unsigned r)
{
    struct v_fact value = t->holds.v[r], old = t->kept[r], merged = fact_of_merged(value, old);
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef a = t->now[r].chunk[p], b = LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], "");
        if (value.raw && !merged.raw) a = canonical(t, a);
        if (old.raw && !merged.raw) b = canonical(t, b);
        LLVMBuildStore(t->b, LLVMBuildSelect(t->b, t->chunk_lanes[p], a, b, ""), t->v[r][p]);
    }
    t->stored[r] = merged;
}

static void store_all(struct translator *t, unsigned r)
{
    for (unsigned p = 0; p < t->chunks; p++) LLVMBuildStore(t->b, t->now[r].chunk[p], t->v[r][p]);
    t->stored[r] = t->holds.v[r];
}

/* May lanes that wait read the register later? */
static bool keeps_others(const struct translator *t, unsigned r)
{
    if (t->undo) return set_has(t->waiting.v, r);
    return t->version == MASKED && set_has(t->liveness.others[t->block - t->flow->blocks].v, r);
}

/* v0 as a mask is the first lane's word, which is merged like any other if that lane is inactive. */
LLVMValueRef mask_word(struct translator *t)
{
    LLVMValueRef word = get_lane(t, get_v(t, 0), 0), old, first;
    if (t->version == FULL || !set_has(t->fresh.v, 0)) return word;
    old = LLVMBuildExtractElement(t->b, LLVMBuildLoad2(t->b, t->chunk_type, t->v[0][0], ""), ir_u32(t, 0), "");
    if (t->kept[0].raw) old = call_function(t, "canonical_scalar", &old, 1);
    first = LLVMBuildAnd(t->b, t->lanes, ir_u32(t, 1), "");
    return LLVMBuildSelect(t->b, LLVMBuildICmp(t->b, LLVMIntNE, first, ir_u32(t, 0), ""), word, old, "");
}

/* Stores the block's results to the variables, in the active lanes; the block may continue. */
void store_fresh(struct translator *t)
{
    memcpy(t->stored, t->kept, sizeof t->stored);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(t->fresh.v, r)) keeps_others(t, r) ? store_merged(t, r) : store_all(t, r);
}

/* The same for good: from here on the variables are right. */
void settle(struct translator *t)
{
    store_fresh(t);
    memcpy(t->kept, t->stored, sizeof t->kept);
    memcpy(t->holds.v, t->stored, sizeof t->stored);
    t->known = t->fresh = (struct isa_registers){0};
}

void make_exact(struct translator *t, unsigned r)
{
    for (unsigned p = 0; p < t->chunks && t->stored[r].raw; p++)
        LLVMBuildStore(t->b, canonical(t, LLVMBuildLoad2(t->b, t->chunk_type, t->v[r][p], "")), t->v[r][p]);
    t->stored[r].raw = false;
}

LLVMValueRef active(struct translator *t) { return t->version == FULL ? ir_u32(t, t->full) : t->lanes; }

/* ---- leaving ---- */

/* An undefined value, which tells LLVM that a register is dead. Without its passes LLVM would store that, too. */
static void forget_v(struct translator *t, unsigned r)
{
    for (unsigned p = 0; p < t->chunks && t->flow->request->effort != EFFORT_LEAST; p++)
        LLVMBuildStore(t->b, LLVMGetUndef(t->chunk_type), t->v[r][p]);
}

static void forget_x(struct translator *t, unsigned r)
{
    if (t->flow->request->effort != EFFORT_LEAST) set_x(t, r, LLVMGetUndef(t->i32));
}

void forget_registers(struct translator *t)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (t->used.x >> r & 1) forget_x(t, r);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(t->used.v, r)) forget_v(t, r);
}

void forget_dead(struct translator *t, const struct isa_registers *live)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (t->current->used.x >> r & ~live->x >> r & 1) forget_x(t, r);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (set_has(t->current->used.v, r) && !set_has(live->v, r)) forget_v(t, r);
}

void forget_fresh(struct translator *t, const struct isa_registers *live)
{
    for (unsigned r = 0; r < ISA_VREGS; r++) {
        if (!set_has(t->fresh.v, r) || set_has(live->v, r)) continue;
        forget_v(t, r);
        t->fresh.v[r / 64] &= ~(1ull << (r % 64));
    }
}

/* The bit in exit_raw of a register whose variable is raw; 0: it has been made exact, because there are no bits left.
 */
static uint64_t raw_bit(struct translator *t, unsigned r)
{
    unsigned i = 0;
    while (i < t->nraw && t->raw[i] != r) i++;
    if (i == sizeof t->raw) make_exact(t, r);
    if (i == sizeof t->raw) return 0;
    t->raw[i] = (uint8_t)r;
    if (i == t->nraw) t->nraw++;
    return 1ull << i;
}

/* Gives the warp back in its current state, of which only the registers `live` are stored. */
void leave(struct translator *t, enum native_exit code, LLVMValueRef pc, struct isa_registers live)
{
    struct v_fact stored[ISA_VREGS];
    uint64_t raw = 0;
    if (t->undo) {
        LLVMBuildBr(t->b, t->undo);
        return;
    }
    if (t->predicated) predicate_push(t);
    memcpy(stored, t->stored, sizeof stored);
    if (t->single) single_end(t, &live);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        if (t->stored[r].raw && set_has(live.v, r)) raw |= raw_bit(t, r);
    forget_dead(t, &live);
    LLVMBuildStore(t->b, ir_u64(t, raw), t->exit_raw);
    LLVMValueRef value = ir_u32(t, code);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b);
    if (t->version == FULL) LLVMBuildStore(t->b, ir_u32(t, t->full), t->mask);
    /* Not where all ways meet: a block that has nothing but a branch there costs LLVM much time. */
    ir_record(t, pc, warp(t), offsetof(struct warp, pc));
    struct way_out *exit = &t->exits[t->current - t->functions.list];
    LLVMBuildBr(t->b, exit->block);
    LLVMAddIncoming(exit->code, &value, &from, 1);
    memcpy(t->stored, stored, sizeof stored);
}

/* ---- sites ---- */

struct native_site site_of(const struct node *n, enum native_record how)
{
    struct native_site s = {
        .pc = n->pc, .record = (uint8_t)how, .size = n->effects.memory.size, .period = 1, .repeat = ISA_LANES};
    s.write = n->effects.memory.action != ACTION_LOAD && n->effects.memory.action != ACTION_LR;
    return s;
}

void record_block(struct translator *t)
{
    if (t->undo) return;
    ir_record(t, LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), t->state, offsetof(struct native_state, counts));
    if (t->version != FULL) ir_record(t, active(t), t->state, offsetof(struct native_state, mask));
}

uint32_t last_site(const struct translator *t) { return (uint32_t)t->out->nsites - 1; }

void record_site(struct translator *t, uint32_t site)
{
    ir_record(t, ir_u32(t, site), t->state, offsetof(struct native_state, site));
}

/* Adds the site to the table. False: it is not to be recorded. */
static bool add_site(struct translator *t, const struct node *n, struct native_site site)
{
    struct translation *out = t->out;
    if (t->undo) return false; /* a site would be that of a warp which has done what comes before it */
    struct native_site *more = realloc(out->sites, (out->nsites + 1) * sizeof *more);
    t->failed |= !more;
    if (!more) return false;
    for (int i = 0; i < NATIVE_COUNTS; i++) {
        site.own[i] = n->counts[i];
        site.after[i] = (uint16_t)(t->counted[i] - t->passed[i] - n->counts[i]);
    }
    site.full = t->version == FULL;
    if (!t->recorded) record_block(t);
    out->sites = more;
    out->sites[out->nsites++] = site;
    return true;
}

void pass_site(struct translator *t, const struct node *n, struct native_site site)
{
    if (add_site(t, n, site)) record_site(t, last_site(t));
}

void pass_site_at(struct translator *t, const struct node *n, struct native_site site, LLVMValueRef address)
{
    _Static_assert(offsetof(struct native_state, site) == offsetof(struct native_state, address) + 4, "one store");
    if (!add_site(t, n, site)) return;
    LLVMValueRef both =
        LLVMBuildOr(t->b, LLVMBuildZExt(t->b, address, t->i64, ""), ir_u64(t, (uint64_t)last_site(t) << 32), "");
    ir_record(t, both, t->state, offsetof(struct native_state, address));
}

void leave_at(struct translator *t, const struct node *n)
{
    struct isa_registers live = live_before(&t->liveness, t->block, t->version, n);
    pass_site(t, n, site_of(n, RECORD_NONE));
    store_fresh(t);
    leave(t, EXIT_SITE, ir_u32(t, n->pc), live);
}

void leave_if(struct translator *t, const struct node *n, LLVMValueRef bad)
{
    LLVMBasicBlockRef out = ir_block(t, "odd"), on = ir_block(t, "");
    ir_branch_likely(t, LLVMBuildNot(t->b, bad, ""), on, out);
    ir_at(t, out);
    leave_at(t, n);
    memcpy(t->stored, t->kept, sizeof t->stored);
    ir_at(t, on);
}

/* ---- rows ---- */

/* A function of rows.c, which is linked later. */
static LLVMValueRef row_function(const struct translation *t, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(t->module, name), from = LLVMGetNamedFunction(t->rows, name);
    if (f) return f;
    f = LLVMAddFunction(t->module, name, LLVMGlobalGetValueType(from));
    LLVMSetFunctionCallConv(f, LLVMGetFunctionCallConv(from));
    return f;
}

LLVMValueRef call_function(struct translator *t, const char *name, LLVMValueRef *args, unsigned nargs)
{
    LLVMValueRef f = row_function(t->out, name);
    LLVMValueRef call = LLVMBuildCall2(t->b, LLVMGlobalGetValueType(f), f, args, nargs, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(f));
    return call;
}

enum { MACHINE_ARGS = 5 };

LLVMValueRef call_machine(struct translator *t, LLVMTypeRef result, size_t at, LLVMValueRef *args, unsigned nargs)
{
    LLVMTypeRef types[MACHINE_ARGS];
    assert(nargs <= MACHINE_ARGS);
    for (unsigned i = 0; i < nargs; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, nargs, false);
    return LLVMBuildCall2(t->b, type, ir_load(t, t->ptr, t->state, at), args, nargs, "");
}

LLVMValueRef call_row(struct translator *t, unsigned op, LLVMValueRef *args, unsigned nargs)
{
    return call_function(t, row_names[op], args, nargs);
}

LLVMValueRef scalar_row(struct translator *t, const struct node *n, LLVMValueRef first)
{
    const struct insn *in = &n->d.in;
    if (node_truncates(n))
        return call_function(t, in->op == OP_FCVT_W_S ? "truncated_int" : "truncated_uint", &first, 1);
    LLVMValueRef args[] = {first,
                           get_x(t, n->d.scalars >> ROLE_RS2 & 1 ? in->rs2 : 0),
                           get_x(t, n->d.scalars >> ROLE_RS3 & 1 ? in->rs3 : 0),
                           ir_u32(t, (uint32_t)in->imm),
                           ir_u32(t, in->aux),
                           ir_u32(t, node_here(n))};
    LLVMValueRef value = call_row(t, in->op, args, 6);
    return isa_table[in->op].flags & ISA_CANON ? call_function(t, "canonical_scalar", &value, 1) : value;
}

LLVMValueRef value_of_row(struct translator *t, const struct node *n)
{
    return scalar_row(t, n, get_x(t, n->d.scalars >> ROLE_RS1 & 1 ? n->d.in.rs1 : 0));
}

static struct lanes get_operand(struct translator *t, const struct node *n, enum operand_role role, unsigned r)
{
    struct lanes none;
    for (unsigned p = 0; p < t->chunks; p++) none.chunk[p] = ir_zero_chunk(t);
    if (!(n->d.vectors >> role & 1)) return none;
    bool any_nan = isa_table[n->d.in.op].flags & ISA_VALUES || (n->d.in.op == OP_VMV_V_V && n->d.in.vm);
    return any_nan ? get_values(t, r) : get_v(t, r);
}

/* A chunk divided by a known number, of which LLVM makes shifts and products; NULL: by another one, or by 0 or -1,
 * which it leaves undefined. */
static LLVMValueRef divide_by_known(struct translator *t, const struct insn *in, LLVMValueRef x)
{
    const struct x_fact by = t->holds.x[in->rs1 % ISA_XREGS];
    if (!by.known || by.value + 1 < 2) return NULL;
    LLVMValueRef y = ir_splat(t, ir_u32(t, by.value));
    switch (in->op) {
    case OP_VDIV_VX: return LLVMBuildSDiv(t->b, x, y, "");
    case OP_VDIVU_VX: return LLVMBuildUDiv(t->b, x, y, "");
    case OP_VREM_VX: return LLVMBuildSRem(t->b, x, y, "");
    case OP_VREMU_VX: return LLVMBuildURem(t->b, x, y, "");
    default: return NULL;
    }
}

/* A word known to be uniform, as a constant that translate_shuffle folds. */
static bool is_known_splat(struct translator *t, const struct insn *in, uint32_t *word)
{
    struct x_fact x = t->holds.x[in->rs1 % ISA_XREGS];
    *word = in->op == OP_VMV_V_I ? (uint32_t)in->imm : x.value;
    return in->vm && (in->op == OP_VMV_V_I || (in->op == OP_VMV_V_X && x.known));
}

/* Does a row make numbers that are known of some that are not, as a remainder of numbers of work-items? LLVM finds the
 * others. */
static bool becomes_known(const struct translator *t, const struct insn *in)
{
    return in->op != OP_VID_V && !t->holds.v[in->rs2].known;
}

/* ---- halves ---- */

/* Rows on both halves of words, of which the upper ones are 0 in all operands, and so in what they compute. A host that
 * computes with floats leaves those out anyhow. */
static bool is_of_lower_halves(const struct translator *t, const struct node *n)
{
    const struct insn *in = &n->d.in;
    if (t->flow->request->level != NATIVE_v4fp16) return false;
    if (in->op != OP_VADD_F16X2 && in->op != OP_VMUL_F16X2 && in->op != OP_VFMA_F16X2) return false;
    return fact_of_row(&t->holds, n, t->flow->request).zeros >= 16;
}

static LLVMTypeRef halves_type(struct translator *t, unsigned count) { return LLVMVectorType(t->i16, count); }

/* The lower halves of two chunks as one chunk; and apart. */
static LLVMValueRef join_halves(struct translator *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef order[2 * UNIT_MOST];
    LLVMTypeRef half = halves_type(t, t->words);
    for (unsigned i = 0; i < 2 * t->words; i++) order[i] = ir_u32(t, i);
    a = LLVMBuildTrunc(t->b, a, half, ""), b = LLVMBuildTrunc(t->b, b, half, "");
    LLVMValueRef both = LLVMBuildShuffleVector(t->b, a, b, LLVMConstVector(order, 2 * t->words), "");
    return LLVMBuildBitCast(t->b, both, t->chunk_type, "");
}

static LLVMValueRef take_halves(struct translator *t, LLVMValueRef both, unsigned from)
{
    LLVMValueRef order[UNIT_MOST];
    LLVMTypeRef halves = halves_type(t, 2 * t->words);
    for (unsigned i = 0; i < t->words; i++) order[i] = ir_u32(t, from + i);
    both = LLVMBuildBitCast(t->b, both, halves, "");
    LLVMValueRef part = LLVMBuildShuffleVector(t->b, both, LLVMGetPoison(halves), LLVMConstVector(order, t->words), "");
    return LLVMBuildZExt(t->b, part, t->chunk_type, "");
}

/* A row computes twice as many halves as words: those of two chunks at once. */
static struct lanes lower_halves_of_row(struct translator *t, unsigned op, const struct lanes operands[3], unsigned own)
{
    struct lanes out;
    for (unsigned p = 0; p < own; p += 2) {
        LLVMValueRef args[7];
        for (unsigned i = 0; i < 3; i++) args[i] = join_halves(t, operands[i].chunk[p], operands[i].chunk[p + 1]);
        for (unsigned i = 3; i < 7; i++) args[i] = ir_u32(t, 0);
        LLVMValueRef both = call_row(t, op, args, 7);
        out.chunk[p] = take_halves(t, both, 0), out.chunk[p + 1] = take_halves(t, both, t->words);
    }
    return out;
}

struct lanes lanes_of_row(struct translator *t, const struct node *n)
{
    const struct insn *in = &n->d.in;
    uint32_t word;
    if (is_known_splat(t, in, &word)) return splat_lanes(t, word);
    struct lanes vs2 = get_operand(t, n, ROLE_RS2, in->rs2), vs1 = get_operand(t, n, ROLE_RS1, in->rs1), out;
    struct lanes vd = get_operand(t, n, ROLE_RD, in->rd);
    LLVMValueRef rs1 = get_x(t, n->d.scalars >> ROLE_RS1 & 1 ? in->rs1 : 0);
    LLVMValueRef v0 = n->effects.mask ? mask_word(t) : ir_u32(t, 0);
    const struct v_fact fact = fact_of_row(&t->holds, n, t->flow->request);
    if (fact.known && becomes_known(t, in)) return known_lanes(t, fact);
    const unsigned own = chunks_of(t, fact);
    const bool joined = own % 2 == 0 && is_of_lower_halves(t, n);
    if (joined) out = lower_halves_of_row(t, in->op, (const struct lanes[]){vs2, vs1, vd}, own);
    for (unsigned p = 0; p < own && !joined; p++) {
        out.chunk[p] = divide_by_known(t, in, vs2.chunk[p]);
        if (out.chunk[p]) continue;
        LLVMValueRef args[] = {vs2.chunk[p], vs1.chunk[p],           vd.chunk[p], rs1, ir_u32(t, (uint32_t)in->imm),
                               v0,           ir_u32(t, p * t->words)};
        out.chunk[p] = call_row(t, in->op, args, 7);
    }
    repeat_chunks(t, &out, own);
    return out;
}

/* Sets vd in the lanes that execute the instruction. */
void set_result(struct translator *t, const struct node *n, struct lanes value)
{
    const struct insn *in = &n->d.in;
    bool raw = isa_table[in->op].flags & ISA_CANON;
    for (unsigned p = 0; p < t->chunks && raw && !in->vm; p++) value.chunk[p] = canonical(t, value.chunk[p]);
    if (!in->vm) value = choose(t, mask_word(t), value, get_v(t, in->rd));
    set_v(t, in->rd, value);
}

/* The last active lane's word. */
static LLVMValueRef last_lane(struct translator *t, unsigned r)
{
    const struct v_fact fact = t->holds.v[r];
    const struct lanes value = get_v(t, r);
    if (fact.period == ISA_LANES && !fact.step) return get_lane(t, value, 0);
    if (t->version == FULL) return get_lane(t, value, t->items - 1);
    LLVMValueRef args[] = {t->lanes, LLVMConstInt(t->i1, 1, false)};
    LLVMValueRef zeros = ir_intrinsic(t, "llvm.ctlz", &t->i32, 1, args, 2);
    LLVMValueRef index = LLVMBuildZExt(t->b, LLVMBuildSub(t->b, ir_u32(t, 31), zeros, ""), t->i64, "");
    for (unsigned p = 0; p < t->chunks; p++)
        ir_store(t, value.chunk[p], t->state, offsetof(struct native_state, out) + p * t->words * 4);
    LLVMValueRef out = ir_field(t, t->state, offsetof(struct native_state, out));
    return LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, out, &index, 1, ""), "");
}

void translate_row(struct translator *t, const struct node *n)
{
    unsigned kind = isa_table[n->d.in.op].kind;
    if (kind == KIND_X) set_x(t, n->d.in.rd, value_of_row(t, n));
    else if (kind == KIND_V2X) set_x(t, n->d.in.rd, scalar_row(t, n, last_lane(t, n->d.in.rs2)));
    else set_result(t, n, lanes_of_row(t, n));
}

/* Lanes whose word is not 0, as bits. */
LLVMValueRef bits_of(struct translator *t, struct lanes value)
{
    LLVMValueRef bits = ir_u32(t, 0);
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    for (unsigned p = 0; p < t->chunks; p++) {
        LLVMValueRef flags = LLVMBuildICmp(t->b, LLVMIntNE, value.chunk[p], ir_zero_chunk(t), "");
        LLVMValueRef part = LLVMBuildZExt(t->b, LLVMBuildBitCast(t->b, flags, narrow, ""), t->i32, "");
        bits = LLVMBuildOr(t->b, bits, LLVMBuildShl(t->b, part, ir_u32(t, p * t->words), ""), "");
    }
    return bits;
}
