/* Guest code to LLVM's intermediate representation.
 *
 * A register is a variable: an alloca for a scalar register, one for each piece of a vector register; LLVM makes values
 * of them. What a row does is a call of its function in rows.c, which LLVM inlines. Every block is translated twice, on
 * demand: for all 32 lanes (FULL), and under a SIMT mask (MASKED). In a masked block the result of an instruction takes
 * the place of the register for the rest of the block, in all lanes, and is merged with the old value at its end only:
 * so what inactive lanes hold stays in step with the active ones, addresses stay consecutive, and merges that nobody
 * reads vanish.
 *
 * SIMT rules: a full mask means an empty stack, because its lowest entry holds all lanes. So a full block falls through
 * a join, and masked code comes back to full blocks where the last lanes meet: at a join that finds the mask full.
 *
 * Order of memory: what describes an access (sm->access, state->site) is written by volatile stores in front of it, and
 * LLVM keeps loads and stores behind a volatile store that comes first. */
#include "native/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/liveness.h"

enum { UNIT_MOST = 8, PIECES_MOST = 8, PRESERVE_ALL = 15 /* LLVM's number of the calling convention */ };

/* One vector register (or vector of conditions), as pieces. */
struct lanes {
    LLVMValueRef piece[PIECES_MOST];
};

struct translator {
    struct translation *out;
    const struct flow *flow;
    struct liveness liveness;
    LLVMContextRef context;
    LLVMBuilderRef b;
    unsigned words, pieces, unit; /* lanes of a piece, pieces of a register, lanes of a unit of shape: at most 8 */
    LLVMTypeRef i1, i8, i16, i32, i64, ptr, counts_type, piece_type, flags_type;

    /* arguments, and what stays the same */
    LLVMValueRef w, sm, state, entry, budget, mem, rows, group;
    /* variables */
    LLVMValueRef x[ISA_XREGS], v[ISA_VREGS][PIECES_MOST], mask, counts, exit_pc;
    struct isa_registers used, written;
    LLVMBasicBlockRef exit, *versions[2]; /* leaving with all registers; of each block */
    LLVMValueRef exit_code;               /* its phi */

    /* the block in progress */
    const struct block *block;
    enum version version;
    LLVMValueRef lanes, piece_lanes[PIECES_MOST]; /* the mask and its pieces as vectors of i1, MASKED only */
    struct lanes now[ISA_VREGS];                  /* current values; only where: */
    struct isa_registers known, fresh;            /* they are known here, and not yet stored to the variable */
    uint16_t counted[NATIVE_COUNTS];              /* of the whole block, and up to ... */
    uint16_t passed[NATIVE_COUNTS];               /* ... the instruction in progress, without it */
    bool failed;                                  /* no host memory */
};

static const char *const row_names[OP_COUNT] = {
#define INSN(id, ...) [OP_##id] = "row_" #id,
#include "isa/insn.def"
#undef INSN
};

/* ---- small things ---- */

static bool has(const uint64_t *set, unsigned r) { return set[r / 64] >> (r % 64) & 1; }
static void add(uint64_t *set, unsigned r) { set[r / 64] |= 1ull << (r % 64); }

static LLVMValueRef number(struct translator *t, uint32_t n) { return LLVMConstInt(t->i32, n, false); }
static LLVMValueRef wide(struct translator *t, uint64_t n) { return LLVMConstInt(t->i64, n, false); }

static LLVMBasicBlockRef new_block(struct translator *t, const char *name)
{
    return LLVMAppendBasicBlockInContext(t->context, t->out->function, name);
}

static void at(struct translator *t, LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(t->b, block); }

/* base + offset, in bytes. */
static LLVMValueRef field(struct translator *t, LLVMValueRef base, size_t offset)
{
    LLVMValueRef index = wide(t, offset);
    return LLVMBuildGEP2(t->b, t->i8, base, &index, 1, "");
}

static LLVMValueRef load(struct translator *t, LLVMTypeRef type, LLVMValueRef base, size_t offset)
{
    return LLVMBuildLoad2(t->b, type, field(t, base, offset), "");
}

static LLVMValueRef store(struct translator *t, LLVMValueRef value, LLVMValueRef base, size_t offset)
{
    return LLVMBuildStore(t->b, value, field(t, base, offset));
}

static void record(struct translator *t, LLVMValueRef value, LLVMValueRef base, size_t offset)
{
    LLVMSetVolatile(store(t, value, base, offset), true);
}

static LLVMValueRef intrinsic(struct translator *t, const char *name, LLVMTypeRef *types, size_t ntypes,
                              LLVMValueRef *args, unsigned nargs)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(t->out->module, id, types, ntypes);
    return LLVMBuildCall2(t->b, LLVMIntrinsicGetType(t->context, id, types, ntypes), f, args, nargs, "");
}

static LLVMValueRef popcount(struct translator *t, LLVMValueRef value)
{
    return intrinsic(t, "llvm.ctpop", &t->i32, 1, &value, 1);
}

/* A branch whose condition usually holds. */
static void branch_likely(struct translator *t, LLVMValueRef condition, LLVMBasicBlockRef then, LLVMBasicBlockRef other)
{
    LLVMValueRef branch = LLVMBuildCondBr(t->b, condition, then, other);
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(t->context, "branch_weights", 14),
                                LLVMValueAsMetadata(number(t, 2000)), LLVMValueAsMetadata(number(t, 1))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(t->context, parts, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(t->context, "prof", 4), LLVMMetadataAsValue(t->context, node));
}

static LLVMValueRef splat(struct translator *t, LLVMValueRef scalar)
{
    LLVMValueRef one = LLVMBuildInsertElement(t->b, LLVMGetPoison(t->piece_type), scalar, number(t, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(t->i32, t->words));
    return LLVMBuildShuffleVector(t->b, one, LLVMGetPoison(t->piece_type), zeros, "");
}

static LLVMValueRef zero_piece(struct translator *t) { return LLVMConstNull(t->piece_type); }

/* A constant piece: lane i of the warp holds first + i % period * step. */
static LLVMValueRef ramp(struct translator *t, unsigned piece, unsigned period, uint32_t step)
{
    LLVMValueRef lane[16];
    for (unsigned i = 0; i < t->words; i++) lane[i] = number(t, (piece * t->words + i) % period * step);
    return LLVMConstVector(lane, t->words);
}

/* ---- registers ---- */

static LLVMValueRef get_x(struct translator *t, unsigned r)
{
    return r ? LLVMBuildLoad2(t->b, t->i32, t->x[r], "") : number(t, 0);
}

static void set_x(struct translator *t, unsigned r, LLVMValueRef value)
{
    if (r) LLVMBuildStore(t->b, value, t->x[r]);
}

static struct lanes get_v(struct translator *t, unsigned r)
{
    for (unsigned p = 0; p < t->pieces && !has(t->known.v, r); p++)
        t->now[r].piece[p] = LLVMBuildLoad2(t->b, t->piece_type, t->v[r][p], "");
    add(t->known.v, r);
    return t->now[r];
}

static void set_v(struct translator *t, unsigned r, struct lanes value)
{
    t->now[r] = value;
    add(t->known.v, r);
    add(t->fresh.v, r);
}

/* One lane of the warp. */
static LLVMValueRef get_lane(struct translator *t, struct lanes value, unsigned lane)
{
    return LLVMBuildExtractElement(t->b, value.piece[lane / t->words], number(t, lane % t->words), "");
}

static LLVMValueRef lane_flags(struct translator *t, LLVMValueRef bits, unsigned lane, unsigned count)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, count);
    LLVMValueRef part = LLVMBuildTrunc(t->b, LLVMBuildLShr(t->b, bits, number(t, lane), ""), narrow, "");
    return LLVMBuildBitCast(t->b, part, LLVMVectorType(t->i1, count), "");
}

/* Lanes of `a` where bits are set, of `b` elsewhere. */
static struct lanes choose(struct translator *t, LLVMValueRef bits, struct lanes a, struct lanes b)
{
    for (unsigned p = 0; p < t->pieces; p++)
        a.piece[p] = LLVMBuildSelect(t->b, lane_flags(t, bits, p * t->words, t->words), a.piece[p], b.piece[p], "");
    return a;
}

/* Stores what the block has computed to the variables, in the active lanes; the block may go on. */
static void store_fresh(struct translator *t)
{
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->pieces && has(t->fresh.v, r); p++) {
            LLVMValueRef value = t->now[r].piece[p];
            if (t->version == MASKED) {
                LLVMValueRef old = LLVMBuildLoad2(t->b, t->piece_type, t->v[r][p], "");
                value = LLVMBuildSelect(t->b, t->piece_lanes[p], value, old, "");
            }
            LLVMBuildStore(t->b, value, t->v[r][p]);
        }
}

/* The same for good: from here on the variables are right. */
static void settle(struct translator *t)
{
    store_fresh(t);
    t->known = t->fresh = (struct isa_registers){0};
}

static LLVMValueRef active(struct translator *t) { return t->version == FULL ? number(t, ~0u) : t->lanes; }

/* ---- leaving ---- */

/* Registers that nobody will read need not be kept for the way out. */
static void forget_dead(struct translator *t, const struct isa_registers *live)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (t->written.x >> r & ~live->x >> r & 1) set_x(t, r, LLVMGetUndef(t->i32));
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->pieces && has(t->written.v, r) && !has(live->v, r); p++)
            LLVMBuildStore(t->b, LLVMGetUndef(t->piece_type), t->v[r][p]);
}

/* Gives the warp back as it is here: `live` are the registers that matter then. */
static void leave(struct translator *t, enum native_exit code, LLVMValueRef pc, struct isa_registers live)
{
    forget_dead(t, &live);
    LLVMValueRef value = number(t, code);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b);
    if (t->version == FULL) LLVMBuildStore(t->b, number(t, ~0u), t->mask);
    LLVMBuildStore(t->b, pc, t->exit_pc);
    LLVMBuildBr(t->b, t->exit);
    LLVMAddIncoming(t->exit_code, &value, &from, 1);
}

/* ---- sites ---- */

/* The number of a new site at n; 0 and `failed` when there is no memory. */
static uint32_t add_site(struct translator *t, const struct node *n, enum native_record how, uint32_t imm)
{
    struct translation *out = t->out;
    struct native_site *more = realloc(out->sites, (out->nsites + 1) * sizeof *more);
    if (!more) {
        t->failed = true;
        return 0;
    }
    out->sites = more;
    struct native_site *s = &more[out->nsites];
    *s = (struct native_site){.pc = n->pc, .imm = imm, .record = (uint8_t)how, .size = n->effects.memory.size};
    s->write = n->effects.memory.action != ACTION_LOAD;
    for (int i = 0; i < NATIVE_COUNTS; i++) {
        s->own[i] = n->counts[i];
        s->after[i] = (uint16_t)(t->counted[i] - t->passed[i] - n->counts[i]);
    }
    return (uint32_t)out->nsites++;
}

static uint32_t pass_site(struct translator *t, const struct node *n, enum native_record how, uint32_t imm)
{
    uint32_t site = add_site(t, n, how, imm);
    record(t, number(t, site), t->state, offsetof(struct native_state, site));
    return site;
}

/* When `bad` holds the instruction is one for `step`: goes on in a new block when it does not. */
static void leave_if(struct translator *t, const struct node *n, LLVMValueRef bad)
{
    LLVMBasicBlockRef out = new_block(t, "odd"), on = new_block(t, "");
    branch_likely(t, LLVMBuildNot(t->b, bad, ""), on, out);
    at(t, out);
    pass_site(t, n, RECORD_NONE, 0);
    store_fresh(t);
    leave(t, EXIT_SITE, number(t, n->pc), live_before(&t->liveness, t->block, t->version, n));
    at(t, on);
}

/* ---- rows ---- */

static LLVMValueRef call_function(struct translator *t, const char *name, LLVMValueRef *args, unsigned nargs)
{
    LLVMValueRef f = LLVMGetNamedFunction(t->out->module, name);
    LLVMValueRef call = LLVMBuildCall2(t->b, LLVMGlobalGetValueType(f), f, args, nargs, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(f));
    return call;
}

static LLVMValueRef scalar_row(struct translator *t, const struct node *n, LLVMValueRef first)
{
    const struct insn *in = &n->d.in;
    LLVMValueRef args[] = {first,
                           get_x(t, n->d.scalars >> ROLE_RS2 & 1 ? in->rs2 : 0),
                           get_x(t, n->d.scalars >> ROLE_RS3 & 1 ? in->rs3 : 0),
                           number(t, (uint32_t)in->imm),
                           number(t, in->aux),
                           number(t, node_here(n))};
    return call_function(t, row_names[in->op], args, 6);
}

static LLVMValueRef value_of_row(struct translator *t, const struct node *n)
{
    return scalar_row(t, n, get_x(t, n->d.scalars >> ROLE_RS1 & 1 ? n->d.in.rs1 : 0));
}

static struct lanes get_operand(struct translator *t, const struct node *n, enum operand_role role, unsigned r)
{
    struct lanes none;
    for (unsigned p = 0; p < t->pieces; p++) none.piece[p] = zero_piece(t);
    return n->d.vectors >> role & 1 ? get_v(t, r) : none;
}

static struct lanes lanes_of_row(struct translator *t, const struct node *n)
{
    const struct insn *in = &n->d.in;
    struct lanes vs2 = get_operand(t, n, ROLE_RS2, in->rs2), vs1 = get_operand(t, n, ROLE_RS1, in->rs1), out;
    struct lanes vd = get_operand(t, n, ROLE_RD, in->rd);
    LLVMValueRef rs1 = get_x(t, n->d.scalars >> ROLE_RS1 & 1 ? in->rs1 : 0);
    LLVMValueRef v0 = n->effects.mask ? get_lane(t, get_v(t, 0), 0) : number(t, 0);
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef args[] = {vs2.piece[p], vs1.piece[p],           vd.piece[p], rs1, number(t, (uint32_t)in->imm),
                               v0,           number(t, p * t->words)};
        out.piece[p] = call_function(t, row_names[in->op], args, 7);
    }
    return out;
}

/* Sets vd in the lanes that the instruction works on. */
static void set_result(struct translator *t, const struct node *n, struct lanes value)
{
    const struct insn *in = &n->d.in;
    if (!in->vm) value = choose(t, get_lane(t, get_v(t, 0), 0), value, get_v(t, in->rd));
    set_v(t, in->rd, value);
}

/* The last active lane's word. */
static LLVMValueRef last_lane(struct translator *t, struct lanes value)
{
    if (t->version == FULL) return get_lane(t, value, ISA_LANES - 1);
    LLVMValueRef args[] = {t->lanes, LLVMConstInt(t->i1, 1, false)};
    LLVMValueRef zeros = intrinsic(t, "llvm.ctlz", &t->i32, 1, args, 2);
    LLVMValueRef index = LLVMBuildZExt(t->b, LLVMBuildSub(t->b, number(t, 31), zeros, ""), t->i64, "");
    for (unsigned p = 0; p < t->pieces; p++)
        store(t, value.piece[p], t->state, offsetof(struct native_state, out) + p * t->words * 4);
    LLVMValueRef out = field(t, t->state, offsetof(struct native_state, out));
    return LLVMBuildLoad2(t->b, t->i32, LLVMBuildGEP2(t->b, t->i32, out, &index, 1, ""), "");
}

static void translate_row(struct translator *t, const struct node *n)
{
    unsigned kind = isa_table[n->d.in.op].kind;
    if (kind == KIND_X) set_x(t, n->d.in.rd, value_of_row(t, n));
    else if (kind == KIND_V2X) set_x(t, n->d.in.rd, scalar_row(t, n, last_lane(t, get_v(t, n->d.in.rs2))));
    else set_result(t, n, lanes_of_row(t, n));
}

/* Lanes whose word is not 0, as bits. */
static LLVMValueRef bits_of(struct translator *t, struct lanes value)
{
    LLVMValueRef bits = number(t, 0);
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef flags = LLVMBuildICmp(t->b, LLVMIntNE, value.piece[p], zero_piece(t), "");
        LLVMValueRef part = LLVMBuildZExt(t->b, LLVMBuildBitCast(t->b, flags, narrow, ""), t->i32, "");
        bits = LLVMBuildOr(t->b, bits, LLVMBuildShl(t->b, part, number(t, p * t->words), ""), "");
    }
    return bits;
}

/* ---- memory ---- */

static LLVMValueRef host_address(struct translator *t, LLVMValueRef guest)
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

static LLVMValueRef scalar_address(struct translator *t, const struct node *n)
{
    LLVMValueRef address = LLVMBuildAdd(t->b, get_x(t, n->d.in.rs1), number(t, (uint32_t)n->d.in.imm), "");
    record(t, address, t->sm, offsetof(struct sm, access.addr));
    pass_site(t, n, RECORD_SCALAR, 0);
    return host_address(t, address);
}

static void load_scalar_register(struct translator *t, const struct node *n)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef value = load_unaligned(t, memory_type(t, m->size), scalar_address(t, n));
    set_x(t, n->d.in.rd, m->size == 4 ? value : extend(t, value, m->is_signed, t->i32));
}

static void store_scalar_register(struct translator *t, const struct node *n)
{
    const struct isa_memory *m = &n->effects.memory;
    LLVMValueRef address = scalar_address(t, n), value = get_x(t, n->d.in.rs2);
    if (m->size < 4) value = LLVMBuildTrunc(t->b, value, memory_type(t, m->size), "");
    LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
}

/* An access of lanes: at base + imm. */
struct vector_access {
    const struct node *n;
    unsigned size;
    bool is_signed;
    struct lanes base;
    uint32_t imm;
    LLVMValueRef lanes; /* that take part, as bits */
    bool all;           /* they are known to be all */
    uint32_t site;
};

/* Where lane `lane` accesses memory. */
static LLVMValueRef lane_address(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMValueRef guest = LLVMBuildAdd(t->b, get_lane(t, a->base, lane), number(t, a->imm), "");
    return host_address(t, guest);
}

/* Holds when in every unit lane i accesses `step` bytes behind lane i - 1. */
static LLVMValueRef has_step(struct translator *t, const struct vector_access *a, uint32_t step)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(t->context, t->words);
    LLVMValueRef off = NULL, index[16];
    for (unsigned p = 0; p < t->pieces; p++) {
        for (unsigned i = 0; i < t->words; i++) index[i] = number(t, i / t->unit * t->unit);
        LLVMValueRef first = LLVMBuildShuffleVector(t->b, a->base.piece[p], LLVMGetPoison(t->piece_type),
                                                    LLVMConstVector(index, t->words), "");
        LLVMValueRef expected = step ? LLVMBuildAdd(t->b, first, ramp(t, p, t->unit, step), "") : first;
        LLVMValueRef differs = LLVMBuildICmp(t->b, LLVMIntNE, a->base.piece[p], expected, "");
        if (!a->all) differs = LLVMBuildAnd(t->b, differs, lane_flags(t, a->lanes, p * t->words, t->words), "");
        off = off ? LLVMBuildOr(t->b, off, differs, "") : differs;
    }
    return LLVMBuildICmp(t->b, LLVMIntEQ, LLVMBuildBitCast(t->b, off, narrow, ""), LLVMConstNull(narrow), "");
}

/* Can lanes of an access be left out by the host's own masked moves? */
static bool can_mask(const struct translator *t, unsigned size)
{
    return t->words == 16 || (t->words == 8 && size == 4);
}

static LLVMValueRef load_unit(struct translator *t, const struct vector_access *a, unsigned lane)
{
    LLVMTypeRef type = LLVMVectorType(memory_type(t, a->size), t->unit), full = LLVMVectorType(t->i32, t->unit);
    LLVMValueRef address = lane_address(t, a, lane), value;
    if (a->all) {
        value = load_unaligned(t, type, address);
    } else {
        LLVMTypeRef types[] = {type, t->ptr};
        LLVMValueRef args[] = {address, number(t, 1), lane_flags(t, a->lanes, lane, t->unit), LLVMConstNull(type)};
        value = intrinsic(t, "llvm.masked.load", types, 2, args, 4);
    }
    if (a->size < 4) value = extend(t, value, a->is_signed, full);
    return a->all ? value : keep(t, value);
}

/* Units as pieces; a piece has one or two. */
static struct lanes join_units(struct translator *t, LLVMValueRef unit[ISA_LANES])
{
    struct lanes out;
    LLVMValueRef index[16];
    for (unsigned i = 0; i < 16; i++) index[i] = number(t, i);
    for (unsigned p = 0; p < t->pieces; p++)
        out.piece[p] = t->unit == t->words
                           ? unit[p]
                           : LLVMBuildShuffleVector(t->b, unit[2 * p], unit[2 * p + 1], LLVMConstVector(index, 16), "");
    return out;
}

static struct lanes load_consecutive(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef unit[ISA_LANES];
    for (unsigned u = 0; u < ISA_LANES / t->unit; u++) unit[u] = load_unit(t, a, u * t->unit);
    return join_units(t, unit);
}

static LLVMValueRef unit_splat(struct translator *t, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMVectorType(t->i32, t->unit);
    LLVMValueRef one = LLVMBuildInsertElement(t->b, LLVMGetPoison(type), scalar, number(t, 0), "");
    return LLVMBuildShuffleVector(t->b, one, LLVMGetPoison(type), LLVMConstNull(type), "");
}

/* Equal addresses within each unit, all lanes. */
static struct lanes load_uniform(struct translator *t, const struct vector_access *a)
{
    LLVMValueRef unit[ISA_LANES];
    for (unsigned u = 0; u < ISA_LANES / t->unit; u++) {
        LLVMValueRef value = load_unaligned(t, memory_type(t, a->size), lane_address(t, a, u * t->unit));
        unit[u] = unit_splat(t, a->size == 4 ? value : extend(t, value, a->is_signed, t->i32));
    }
    return join_units(t, unit);
}

static LLVMValueRef and_all(struct translator *t, LLVMValueRef piece, uint32_t bits)
{
    return LLVMBuildAnd(t->b, piece, splat(t, number(t, bits)), "");
}

static LLVMValueRef guest_addresses(struct translator *t, const struct vector_access *a, unsigned p)
{
    return LLVMBuildAdd(t->b, a->base.piece[p], splat(t, number(t, a->imm)), "");
}

static LLVMValueRef host_addresses(struct translator *t, LLVMValueRef guest)
{
    LLVMValueRef index = LLVMBuildZExt(t->b, guest, LLVMVectorType(t->i64, t->words), "");
    return LLVMBuildGEP2(t->b, t->i8, t->mem, &index, 1, "");
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
        LLVMValueRef args[] = {host_addresses(t, from), number(t, 1), piece_flags(t, a, p), zero_piece(t)};
        LLVMValueRef part[] = {keep(t, intrinsic(t, "llvm.masked.gather", types, 2, args, 4)), guest};
        out.piece[p] = a->size == 4 ? part[0] : call_function(t, a->is_signed ? "bytes_i8" : "bytes_u8", part, 2);
    }
    return out;
}

static void scatter(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMTypeRef types[] = {t->piece_type, LLVMVectorType(t->ptr, t->words)};
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef to = host_addresses(t, guest_addresses(t, a, p));
        LLVMValueRef args[] = {data.piece[p], to, number(t, 1), piece_flags(t, a, p)};
        intrinsic(t, "llvm.masked.scatter", types, 2, args, 4);
    }
}

static void store_scratch(struct translator *t, struct lanes value, size_t offset)
{
    for (unsigned p = 0; p < t->pieces; p++) store(t, value.piece[p], t->state, offset + p * t->words * 4);
}

static struct lanes load_scratch(struct translator *t, size_t offset)
{
    struct lanes out;
    for (unsigned p = 0; p < t->pieces; p++) out.piece[p] = load(t, t->piece_type, t->state, offset + p * t->words * 4);
    return out;
}

/* One lane after the other, out of line. */
static struct lanes load_one_by_one(struct translator *t, const struct vector_access *a)
{
    static const char *const names[2][5] = {{"", "load_u8", "load_u16", "", "load_u32"},
                                            {"", "load_i8", "load_i16", "", "load_u32"}};
    LLVMValueRef args[] = {t->mem, field(t, t->sm, offsetof(struct sm, access.addr)), number(t, a->imm),
                           field(t, t->state, offsetof(struct native_state, out)), a->lanes};
    call_function(t, names[a->is_signed][a->size], args, 5);
    return load_scratch(t, offsetof(struct native_state, out));
}

static void store_one_by_one(struct translator *t, const struct vector_access *a, struct lanes data)
{
    static const char *const names[5] = {"", "store_u8", "store_u16", "", "store_u32"};
    LLVMValueRef args[] = {t->mem, field(t, t->sm, offsetof(struct sm, access.addr)), number(t, a->imm),
                           field(t, t->state, offsetof(struct native_state, in)), a->lanes};
    store_scratch(t, data, offsetof(struct native_state, in));
    call_function(t, names[a->size], args, 5);
}

static struct lanes load_scattered(struct translator *t, const struct vector_access *a)
{
    return a->size != 2 && t->words >= 8 ? gather(t, a) : load_one_by_one(t, a);
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

static struct lanes load_vector(struct translator *t, const struct vector_access *a)
{
    struct way ways[3];
    unsigned n = 0;
    LLVMBasicBlockRef done = new_block(t, "");
    if (a->all || can_mask(t, a->size)) {
        LLVMBasicBlockRef fast = new_block(t, "consecutive"), other = new_block(t, "");
        branch_likely(t, has_step(t, a, a->size), fast, other);
        at(t, fast);
        ways[n++] = way_of(t, load_consecutive(t, a), done);
        at(t, other);
    }
    if (a->all) {
        LLVMBasicBlockRef same = new_block(t, "uniform"), other = new_block(t, "");
        LLVMBuildCondBr(t->b, has_step(t, a, 0), same, other);
        at(t, same);
        ways[n++] = way_of(t, load_uniform(t, a), done);
        at(t, other);
    }
    ways[n++] = way_of(t, load_scattered(t, a), done);
    at(t, done);
    return meet(t, ways, n);
}

static void store_unit(struct translator *t, const struct vector_access *a, struct lanes data, unsigned lane)
{
    LLVMTypeRef type = LLVMVectorType(memory_type(t, a->size), t->unit);
    LLVMValueRef index[8], address = lane_address(t, a, lane), value = data.piece[lane / t->words];
    for (unsigned i = 0; i < t->unit; i++) index[i] = number(t, lane % t->words + i);
    if (t->unit < t->words)
        value = LLVMBuildShuffleVector(t->b, value, LLVMGetPoison(t->piece_type), LLVMConstVector(index, t->unit), "");
    if (a->size < 4) value = LLVMBuildTrunc(t->b, value, type, "");
    if (a->all) {
        LLVMSetAlignment(LLVMBuildStore(t->b, value, address), 1);
        return;
    }
    LLVMTypeRef types[] = {type, t->ptr};
    LLVMValueRef args[] = {value, address, number(t, 1), lane_flags(t, a->lanes, lane, t->unit)};
    intrinsic(t, "llvm.masked.store", types, 2, args, 4);
}

/* Of equal addresses the highest lane stays: units are stored ascending, and so are lanes by a scatter. */
static void store_vector(struct translator *t, const struct vector_access *a, struct lanes data)
{
    LLVMBasicBlockRef done = new_block(t, "");
    if (a->all || can_mask(t, a->size)) {
        LLVMBasicBlockRef fast = new_block(t, "consecutive"), other = new_block(t, "");
        branch_likely(t, has_step(t, a, a->size), fast, other);
        at(t, fast);
        for (unsigned u = 0; u < ISA_LANES / t->unit; u++) store_unit(t, a, data, u * t->unit);
        LLVMBuildBr(t->b, done);
        at(t, other);
    }
    if (a->size == 4 && t->words == 16) scatter(t, a, data);
    else store_one_by_one(t, a, data);
    LLVMBuildBr(t->b, done);
    at(t, done);
}

/* ---- addresses ---- */

static struct lanes from_base(struct translator *t, LLVMValueRef base, struct lanes offset)
{
    for (unsigned p = 0; p < t->pieces; p++) offset.piece[p] = LLVMBuildAdd(t->b, splat(t, base), offset.piece[p], "");
    return offset;
}

static struct lanes strided(struct translator *t, const struct node *n, LLVMValueRef stride)
{
    struct lanes offset;
    for (unsigned p = 0; p < t->pieces; p++)
        offset.piece[p] = LLVMBuildMul(t->b, ramp(t, p, ISA_LANES, 1), splat(t, stride), "");
    return from_base(t, get_x(t, n->d.in.rs1), offset);
}

static struct lanes indexed(struct translator *t, const struct node *n)
{
    struct lanes offset = get_v(t, n->d.in.rs2);
    uint32_t mask = ~0u >> (32 - 8 * n->effects.memory.index);
    for (unsigned p = 0; p < t->pieces; p++)
        offset.piece[p] = LLVMBuildAnd(t->b, offset.piece[p], splat(t, number(t, mask)), "");
    return from_base(t, get_x(t, n->d.in.rs1), offset);
}

static LLVMValueRef launch_field(struct translator *t, size_t offset)
{
    return load(t, t->i32, load(t, t->ptr, t->group, offsetof(struct group, launch)), offset);
}

/* Private memory (PRIVATE_OFFSET of sim/layout.h). An access that would leave its word is one for `step`. */
static struct lanes private_lanes(struct translator *t, const struct node *n)
{
    LLVMValueRef items = LLVMBuildMul(t->b, launch_field(t, offsetof(struct launch, warps)),
                                      launch_field(t, offsetof(struct launch, threads_per_warp)), "");
    LLVMValueRef tid = LLVMBuildShl(t->b, load(t, t->i32, t->w, offsetof(struct warp, tid)), number(t, 2), "");
    LLVMValueRef base = LLVMBuildAdd(t->b, load(t, t->i32, t->group, offsetof(struct group, pds_base)), tid, "");
    struct lanes offset = get_v(t, n->d.in.rs1), crossing, out;
    for (unsigned p = 0; p < t->pieces; p++) {
        LLVMValueRef o = LLVMBuildAdd(t->b, offset.piece[p], splat(t, number(t, (uint32_t)n->d.in.imm)), "");
        LLVMValueRef low = and_all(t, o, 3), word = LLVMBuildMul(t->b, and_all(t, o, ~3u), splat(t, items), "");
        LLVMValueRef item = LLVMBuildAdd(t->b, splat(t, base), ramp(t, p, ISA_LANES, 4), "");
        out.piece[p] = LLVMBuildAdd(t->b, LLVMBuildAdd(t->b, word, item, ""), low, "");
        LLVMValueRef last = splat(t, number(t, 4u - n->effects.memory.size));
        LLVMValueRef beyond = LLVMBuildICmp(t->b, LLVMIntUGT, low, last, "");
        crossing.piece[p] = LLVMBuildZExt(t->b, beyond, t->piece_type, "");
    }
    LLVMValueRef bad = LLVMBuildAnd(t->b, bits_of(t, crossing), active(t), "");
    leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntNE, bad, number(t, 0), ""));
    return out;
}

static struct lanes base_addresses(struct translator *t, const struct node *n, uint32_t *imm)
{
    *imm = 0;
    switch (n->effects.memory.address) {
    case ADDRESS_PRIVATE: return private_lanes(t, n);
    case ADDRESS_UNIT: return strided(t, n, number(t, n->effects.memory.size));
    case ADDRESS_STRIDED: return strided(t, n, get_x(t, n->d.in.rs2));
    case ADDRESS_INDEXED: return indexed(t, n);
    default: *imm = (uint32_t)n->d.in.imm; return get_v(t, n->d.in.rs1);
    }
}

/* Finds addresses and lanes of an access and records it. */
static struct vector_access begin_access(struct translator *t, const struct node *n)
{
    struct vector_access a = {.n = n, .size = n->effects.memory.size, .is_signed = n->effects.memory.is_signed};
    a.base = base_addresses(t, n, &a.imm);
    a.all = t->version == FULL && n->d.in.vm;
    a.lanes = active(t);
    if (!n->d.in.vm) a.lanes = LLVMBuildAnd(t->b, a.lanes, get_lane(t, get_v(t, 0), 0), "");
    for (unsigned p = 0; p < t->pieces; p++)
        record(t, a.base.piece[p], t->sm, offsetof(struct sm, access.addr) + p * t->words * 4);
    record(t, a.lanes, t->sm, offsetof(struct sm, access.lanes));
    a.site = pass_site(t, n, RECORD_LANES, a.imm);
    return a;
}

static void translate_load(struct translator *t, const struct node *n)
{
    if (n->effects.memory.address == ADDRESS_SCALAR) {
        load_scalar_register(t, n);
        return;
    }
    struct vector_access a = begin_access(t, n);
    set_result(t, n, load_vector(t, &a));
}

static void translate_store(struct translator *t, const struct node *n)
{
    if (n->effects.memory.address == ADDRESS_SCALAR) {
        store_scalar_register(t, n);
        return;
    }
    struct vector_access a = begin_access(t, n);
    store_vector(t, &a, get_v(t, n->effects.memory.data == ROLE_RS2 ? n->d.in.rs2 : n->d.in.rs3));
}

static void translate_atomic(struct translator *t, const struct node *n)
{
    struct lanes base = get_v(t, n->d.in.rs1), low;
    for (unsigned p = 0; p < t->pieces; p++) low.piece[p] = and_all(t, base.piece[p], 3);
    LLVMValueRef bad = LLVMBuildAnd(t->b, bits_of(t, low), active(t), "");
    leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntNE, bad, number(t, 0), ""));
    begin_access(t, n);
    store_scratch(t, get_v(t, n->d.in.rs2), offsetof(struct native_state, in));
    LLVMValueRef args[] = {t->mem, field(t, t->sm, offsetof(struct sm, access.addr)),
                           field(t, t->state, offsetof(struct native_state, in)),
                           field(t, t->state, offsetof(struct native_state, out)), active(t)};
    call_function(t, row_names[n->d.in.op], args, 5);
    set_result(t, n, load_scratch(t, offsetof(struct native_state, out)));
}

/* ---- what `step` does ---- */

static void spill(struct translator *t, const struct isa_registers *set)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (set->x >> r & 1) store(t, get_x(t, r), t->w, offsetof(struct warp, x) + r * 4);
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->pieces && has(set->v, r); p++)
            store(t, LLVMBuildLoad2(t->b, t->piece_type, t->v[r][p], ""), t->rows,
                  (size_t)r * ISA_LANES * 4 + p * t->words * 4);
}

static void reload(struct translator *t, const struct isa_registers *set)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (set->x >> r & 1) set_x(t, r, load(t, t->i32, t->w, offsetof(struct warp, x) + r * 4));
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->pieces && has(set->v, r); p++)
            LLVMBuildStore(t->b, load(t, t->piece_type, t->rows, (size_t)r * ISA_LANES * 4 + p * t->words * 4),
                           t->v[r][p]);
}

static struct isa_registers both(struct isa_registers a, struct isa_registers b)
{
    a.x |= b.x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) a.v[i] |= b.v[i];
    return a;
}

static void translate_help(struct translator *t, const struct node *n)
{
    struct isa_registers written = isa_registers_written(&n->d.in, &n->effects);
    struct isa_registers touched = both(isa_registers_read(&n->d.in, &n->effects), written);
    settle(t);
    spill(t, &touched);
    record(t, number(t, n->pc), t->w, offsetof(struct warp, pc));
    pass_site(t, n, RECORD_NONE, 0);
    LLVMTypeRef types[] = {t->ptr, t->ptr, t->i32};
    LLVMValueRef args[] = {t->sm, t->w, active(t)};
    LLVMValueRef help = load(t, t->ptr, t->state, offsetof(struct native_state, help));
    LLVMTypeRef type = LLVMFunctionType(t->i1, types, 3, false);
    LLVMValueRef failed = LLVMBuildCall2(t->b, type, help, args, 3, "");
    LLVMAddCallSiteAttribute(failed, LLVMAttributeReturnIndex,
                             LLVMCreateEnumAttribute(t->context, LLVMGetEnumAttributeKindForName("zeroext", 7), 0));
    LLVMBasicBlockRef out = new_block(t, "failed"), on = new_block(t, "");
    branch_likely(t, LLVMBuildNot(t->b, failed, ""), on, out);
    at(t, out);
    leave(t, EXIT_FAULT, number(t, n->pc), (struct isa_registers){0});
    at(t, on);
    reload(t, &written);
    t->out->helped++;
}

/* ---- the rest ---- */

static LLVMValueRef csr_value(struct translator *t, unsigned csr)
{
    switch (csr) {
    case CSR_TID: return load(t, t->i32, t->w, offsetof(struct warp, tid));
    case CSR_WID:
    case CSR_MHARTID: return load(t, t->i32, t->w, offsetof(struct warp, wid));
    case CSR_WGID: return load(t, t->i32, t->group, offsetof(struct group, wgid));
    case CSR_LDS: return load(t, t->i32, t->group, offsetof(struct group, lds_base));
    case CSR_GIDX: return load(t, t->i32, t->group, offsetof(struct group, index));
    case CSR_GIDY: return load(t, t->i32, t->group, offsetof(struct group, index) + 4);
    case CSR_GIDZ: return load(t, t->i32, t->group, offsetof(struct group, index) + 8);
    case CSR_NUMW: return launch_field(t, offsetof(struct launch, warps));
    case CSR_KNL: return launch_field(t, offsetof(struct launch, knl));
    default: return number(t, t->flow->request->threads); /* CSR_NUMT */
    }
}

static void translate_mstatus(struct translator *t, const struct node *n)
{
    const struct insn *in = &n->d.in;
    size_t at = offsetof(struct warp, mstatus);
    LLVMValueRef old = load(t, t->i32, t->w, at), zero = number(t, 0);
    LLVMValueRef args[] = {
        get_x(t, n->d.scalars >> ROLE_RS1 & 1 ? in->rs1 : 0), old, zero, number(t, (uint32_t)in->imm), zero, zero};
    if ((isa_table[in->op].flags & ISA_ALWAYS) || in->rs1 || in->imm)
        store(t, call_function(t, row_names[in->op], args, 6), t->w, at);
    set_x(t, in->rd, old);
}

/* More lanes are asked for than there are: all of them, as before. */
static void translate_vset(struct translator *t, const struct node *n)
{
    LLVMValueRef threads = number(t, t->flow->request->threads);
    LLVMValueRef few = LLVMBuildICmp(t->b, LLVMIntULT, get_x(t, n->d.in.rs1), threads, "");
    if (!csr_vtype_ok(n->d.in.aux)) few = LLVMConstInt(t->i1, 1, false);
    leave_if(t, n, few);
    store(t, number(t, n->d.in.aux), t->w, offsetof(struct warp, vtype));
    set_x(t, n->d.in.rd, threads);
}

static void translate_node(struct translator *t, const struct node *n)
{
    switch ((enum how)n->how) {
    case HOW_ROW: translate_row(t, n); break;
    case HOW_LOAD: translate_load(t, n); break;
    case HOW_STORE: translate_store(t, n); break;
    case HOW_ATOMIC: translate_atomic(t, n); break;
    case HOW_CSR: set_x(t, n->d.in.rd, csr_value(t, n->d.in.aux)); break;
    case HOW_MSTATUS: translate_mstatus(t, n); break;
    case HOW_VSET: translate_vset(t, n); break;
    case HOW_FENCE: LLVMBuildFence(t->b, LLVMAtomicOrderingSequentiallyConsistent, false, ""); break;
    case HOW_HELP: translate_help(t, n); break;
    case HOW_CONTROL: /* setrpc; the others end their block */
        if (n->effects.control == CONTROL_SETRPC) {
            LLVMValueRef rpc = value_of_row(t, n);
            store(t, rpc, t->w, offsetof(struct warp, rpc));
            set_x(t, n->d.in.rd, rpc);
        }
        break;
    case HOW_NOTHING:
    case HOW_LEAVE: break;
    }
}

/* ---- control flow ---- */

static LLVMBasicBlockRef version_of(struct translator *t, const struct block *block, enum version version)
{
    LLVMBasicBlockRef *known = &t->versions[version][block - t->flow->blocks];
    char name[32];
    if (!*known) {
        snprintf(name, sizeof name, "%s_%08x", version == FULL ? "full" : "masked", (unsigned)block->pc);
        *known = new_block(t, name);
    }
    return *known;
}

/* Ends the host block: goes on at a guest address, in a version. */
static void go(struct translator *t, uint32_t pc, enum version version)
{
    const struct block *block = flow_block(t->flow, pc);
    if (block) LLVMBuildBr(t->b, version_of(t, block, version));
    else leave(t, EXIT_STEP, number(t, pc), live_at(&t->liveness, pc));
}

/* A host block that does so. */
static LLVMBasicBlockRef way_to(struct translator *t, uint32_t pc, enum version version)
{
    const struct block *block = flow_block(t->flow, pc);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), way;
    if (block) return version_of(t, block, version);
    way = new_block(t, "out");
    at(t, way);
    leave(t, EXIT_STEP, number(t, pc), live_at(&t->liveness, pc));
    at(t, from);
    return way;
}

/* Leaves when fewer than `need` instructions are allowed. */
static void check_budget(struct translator *t, uint32_t need, uint32_t pc)
{
    LLVMBasicBlockRef out = new_block(t, "budget"), on = new_block(t, "");
    LLVMValueRef counts = LLVMBuildLoad2(t->b, t->counts_type, t->counts, "");
    LLVMValueRef done = LLVMBuildExtractElement(t->b, counts, number(t, COUNT_INSTRUCTIONS), "");
    LLVMValueRef left = LLVMBuildSub(t->b, t->budget, done, "");
    branch_likely(t, LLVMBuildICmp(t->b, LLVMIntUGE, left, number(t, need), ""), on, out);
    at(t, out);
    leave(t, EXIT_BUDGET, number(t, pc), live_at(&t->liveness, pc));
    at(t, on);
}

/* A host block that goes on at a place known when the code runs only: the budget is looked at, because control may go
 * round that way. */
static LLVMBasicBlockRef checked_way(struct translator *t, uint32_t pc, enum version version)
{
    const struct block *block = flow_block(t->flow, pc);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b), way;
    if (!block || block->checked) return way_to(t, pc, version);
    way = new_block(t, "");
    at(t, way);
    check_budget(t, block->need, pc);
    go(t, pc, version);
    at(t, from);
    return way;
}

static void leave_to(struct translator *t, LLVMBasicBlockRef block, LLVMValueRef pc)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->b);
    at(t, block);
    leave(t, EXIT_STEP, pc, all_registers());
    at(t, from);
}

static void jump_indirect(struct translator *t, const struct node *n)
{
    const struct flow *f = t->flow;
    LLVMValueRef target = value_of_row(t, n);
    LLVMBasicBlockRef elsewhere = new_block(t, "elsewhere");
    set_x(t, n->d.in.rd, number(t, node_next(n)));
    LLVMValueRef choice = LLVMBuildSwitch(t->b, target, elsewhere, (unsigned)f->nreturns);
    for (size_t i = 0; i < f->nreturns; i++)
        LLVMAddCase(choice, number(t, f->returns[i]), checked_way(t, f->returns[i], t->version));
    leave_to(t, elsewhere, target);
}

static void set_mask(struct translator *t, LLVMValueRef mask) { LLVMBuildStore(t->b, mask, t->mask); }

/* Address of an entry of the SIMT stack. */
static LLVMValueRef stack_entry(struct translator *t, LLVMValueRef number)
{
    LLVMValueRef index = LLVMBuildZExt(t->b, number, t->i64, "");
    LLVMValueRef bytes = LLVMBuildMul(t->b, index, wide(t, sizeof(struct simt_entry)), "");
    LLVMValueRef stack = field(t, t->w, offsetof(struct warp, stack));
    return LLVMBuildGEP2(t->b, t->i8, stack, &bytes, 1, "");
}

static void fill_entry(struct translator *t, LLVMValueRef entry, LLVMValueRef rpc, LLVMValueRef pc, LLVMValueRef mask)
{
    store(t, rpc, entry, offsetof(struct simt_entry, rpc));
    store(t, pc, entry, offsetof(struct simt_entry, pc));
    store(t, mask, entry, offsetof(struct simt_entry, mask));
}

static void count_divergence(struct translator *t, LLVMValueRef depth)
{
    size_t counters = offsetof(struct group, counters);
    size_t divergent = counters + offsetof(struct counters, divergent);
    size_t deepest = counters + offsetof(struct counters, max_simt_depth);
    store(t, LLVMBuildAdd(t->b, load(t, t->i64, t->group, divergent), wide(t, 1), ""), t->group, divergent);
    LLVMValueRef args[] = {load(t, t->i32, t->group, deepest), depth};
    store(t, intrinsic(t, "llvm.umax", &t->i32, 1, args, 2), t->group, deepest);
}

/* Does the target's side run first? */
static LLVMValueRef taken_first(struct translator *t, LLVMValueRef taken, LLVMValueRef rest)
{
    uint32_t order = t->flow->request->order;
    if (order != PATH_FEWER_FIRST) return LLVMConstInt(t->i1, order == PATH_TAKEN_FIRST, false);
    return LLVMBuildICmp(t->b, LLVMIntULE, popcount(t, taken), popcount(t, rest), "");
}

/* Lanes part: simt_branch of sim/simt.c. */
static void diverge(struct translator *t, const struct node *n, LLVMValueRef taken, LLVMValueRef rest)
{
    LLVMValueRef depth = load(t, t->i32, t->w, offsetof(struct warp, depth));
    LLVMValueRef deeper = LLVMBuildAdd(t->b, depth, number(t, 2), "");
    leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntUGT, deeper, number(t, SIMT_DEPTH), ""));
    count_divergence(t, deeper);
    LLVMValueRef rpc = load(t, t->i32, t->w, offsetof(struct warp, rpc)), first = taken_first(t, taken, rest);
    LLVMValueRef target = number(t, node_target(n)), next = number(t, node_next(n));
    LLVMValueRef other_pc = LLVMBuildSelect(t->b, first, next, target, "");
    LLVMValueRef other = LLVMBuildSelect(t->b, first, rest, taken, "");
    fill_entry(t, stack_entry(t, depth), rpc, rpc, active(t));
    fill_entry(t, stack_entry(t, LLVMBuildAdd(t->b, depth, number(t, 1), "")), rpc, other_pc, other);
    store(t, deeper, t->w, offsetof(struct warp, depth));
    settle(t);
    set_mask(t, LLVMBuildSelect(t->b, first, taken, rest, ""));
    t->version = MASKED;
    LLVMBuildCondBr(t->b, first, way_to(t, node_target(n), MASKED), way_to(t, node_next(n), MASKED));
}

static void branch_vector(struct translator *t, const struct node *n)
{
    LLVMBasicBlockRef not_none = new_block(t, ""), both_sides = new_block(t, "diverge"), none, all;
    enum version version = t->version;
    LLVMValueRef taken = LLVMBuildAnd(t->b, bits_of(t, lanes_of_row(t, n)), active(t), "");
    LLVMValueRef rest = LLVMBuildXor(t->b, taken, active(t), "");
    none = new_block(t, ""), all = new_block(t, "");
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, taken, number(t, 0), ""), none, not_none);
    at(t, not_none);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, rest, number(t, 0), ""), all, both_sides);
    at(t, none);
    store_fresh(t);
    go(t, node_next(n), version);
    at(t, all);
    store_fresh(t);
    go(t, node_target(n), version);
    at(t, both_sides);
    diverge(t, n, taken, rest);
}

/* To the side that waits at `pc`. */
static void go_to_side(struct translator *t, const struct node *join, LLVMValueRef pc)
{
    LLVMBasicBlockRef elsewhere = new_block(t, "elsewhere");
    LLVMValueRef choice = LLVMBuildSwitch(t->b, pc, elsewhere, 8);
    uint32_t side;
    for (size_t i = 0; flow_side(t->flow, join, i, &side); i++)
        LLVMAddCase(choice, number(t, side), checked_way(t, side, MASKED));
    leave_to(t, elsewhere, pc);
}

/* simt_join of sim/simt.c; in a full block nobody waits. */
static void join(struct translator *t, const struct node *n)
{
    if (t->version == FULL) {
        go(t, node_next(n), FULL);
        return;
    }
    LLVMBasicBlockRef look = new_block(t, ""), pop = new_block(t, "pop"), met = new_block(t, ""),
                      side = new_block(t, "");
    LLVMBasicBlockRef next = way_to(t, node_next(n), MASKED);
    LLVMValueRef depth = load(t, t->i32, t->w, offsetof(struct warp, depth));
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, depth, number(t, 0), ""), next, look);
    at(t, look);
    LLVMValueRef less = LLVMBuildSub(t->b, depth, number(t, 1), ""), top = stack_entry(t, less);
    LLVMValueRef here =
        LLVMBuildICmp(t->b, LLVMIntEQ, load(t, t->i32, top, offsetof(struct simt_entry, rpc)), number(t, n->pc), "");
    LLVMBuildCondBr(t->b, here, pop, next);
    at(t, pop);
    store(t, less, t->w, offsetof(struct warp, depth));
    LLVMValueRef mask = load(t, t->i32, top, offsetof(struct simt_entry, mask));
    LLVMValueRef pc = load(t, t->i32, top, offsetof(struct simt_entry, pc));
    set_mask(t, mask);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, pc, number(t, n->pc), ""), met, side);
    at(t, met);
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, mask, number(t, ~0u), ""), checked_way(t, n->pc, FULL),
                    checked_way(t, n->pc, MASKED));
    at(t, side);
    go_to_side(t, n, pc);
}

/* Registers of a warp that has ended are not stored. */
static void end_warp(struct translator *t, const struct node *n)
{
    LLVMValueRef depth = load(t, t->i32, t->w, offsetof(struct warp, depth));
    if (t->version == MASKED) leave_if(t, n, LLVMBuildICmp(t->b, LLVMIntNE, depth, number(t, 0), ""));
    store(t, LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), t->state, offsetof(struct native_state, counts));
    store(t, active(t), t->state, offsetof(struct native_state, mask));
    store(t, number(t, node_next(n)), t->w, offsetof(struct warp, pc));
    LLVMBuildRet(t->b, number(t, EXIT_END));
}

static void branch_scalar(struct translator *t, const struct node *n)
{
    LLVMValueRef holds = LLVMBuildICmp(t->b, LLVMIntNE, value_of_row(t, n), number(t, 0), "");
    LLVMBasicBlockRef then = way_to(t, node_target(n), t->version), other = way_to(t, node_next(n), t->version);
    LLVMBuildCondBr(t->b, holds, then, other);
}

static void finish_block(struct translator *t, const struct block *block)
{
    const struct node *last = block->count ? &t->flow->nodes[block->first + block->count - 1] : NULL;
    unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    if (control == CONTROL_VBRANCH) {
        branch_vector(t, last);
        return;
    }
    if (control != CONTROL_END) settle(t);
    if (block->leaves) {
        leave(t, EXIT_STEP, number(t, block->end), all_registers());
        return;
    }
    switch (control) {
    case CONTROL_BRANCH: branch_scalar(t, last); break;
    case CONTROL_JUMP:
        set_x(t, last->d.in.rd, number(t, node_next(last)));
        go(t, node_target(last), t->version);
        break;
    case CONTROL_INDIRECT: jump_indirect(t, last); break;
    case CONTROL_JOIN: join(t, last); break;
    case CONTROL_BARRIER:
        leave(t, EXIT_BARRIER, number(t, node_next(last)), live_at(&t->liveness, node_next(last)));
        break;
    case CONTROL_END: end_warp(t, last); break;
    default: go(t, block->end, t->version);
    }
}

/* ---- blocks ---- */

/* Adds what the whole block counts. */
static void count_block(struct translator *t)
{
    LLVMValueRef parts[NATIVE_COUNTS], sum;
    for (unsigned i = 0; i < NATIVE_COUNTS; i++) parts[i] = number(t, t->counted[i]);
    parts[COUNT_LANES] = number(t, t->counted[COUNT_VECTOR] * ISA_LANES);
    LLVMValueRef add = LLVMConstVector(parts, NATIVE_COUNTS);
    if (t->version == MASKED && t->counted[COUNT_VECTOR]) {
        LLVMValueRef n = LLVMBuildMul(t->b, popcount(t, t->lanes), number(t, t->counted[COUNT_VECTOR]), "");
        add = LLVMBuildInsertElement(t->b, add, n, number(t, COUNT_LANES), "");
    }
    sum = LLVMBuildAdd(t->b, LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), add, "");
    LLVMBuildStore(t->b, sum, t->counts);
}

/* For whoever looks at a site of the block. */
static void record_block(struct translator *t)
{
    record(t, LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), t->state, offsetof(struct native_state, counts));
    record(t, active(t), t->state, offsetof(struct native_state, mask));
}

static bool has_sites(const struct flow *f, const struct block *block)
{
    for (size_t i = block->first; i < block->first + block->count; i++)
        if (f->nodes[i].how != HOW_ROW && f->nodes[i].how != HOW_CSR && f->nodes[i].how != HOW_MSTATUS &&
            f->nodes[i].how != HOW_NOTHING)
            return true;
    return false;
}

static void begin_block(struct translator *t, const struct block *block, enum version version)
{
    const struct flow *f = t->flow;
    t->block = block;
    t->version = version;
    t->known = t->fresh = (struct isa_registers){0};
    memset(t->counted, 0, sizeof t->counted);
    memset(t->passed, 0, sizeof t->passed);
    for (size_t i = block->first; i < block->first + block->count; i++)
        for (int k = 0; k < NATIVE_COUNTS; k++) t->counted[k] = (uint16_t)(t->counted[k] + f->nodes[i].counts[k]);
    if (version == MASKED) {
        t->lanes = LLVMBuildLoad2(t->b, t->i32, t->mask, "");
        for (unsigned p = 0; p < t->pieces; p++) t->piece_lanes[p] = lane_flags(t, t->lanes, p * t->words, t->words);
    }
    if (block->checked) check_budget(t, block->need, block->pc);
    if (block->count) count_block(t);
    if (has_sites(f, block)) record_block(t);
}

static void translate_block(struct translator *t, const struct block *block, enum version version)
{
    at(t, t->versions[version][block - t->flow->blocks]);
    begin_block(t, block, version);
    for (size_t i = block->first; i < block->first + block->count; i++) {
        const struct node *n = &t->flow->nodes[i];
        translate_node(t, n);
        if (i + 1 < block->first + block->count)
            for (int k = 0; k < NATIVE_COUNTS; k++) t->passed[k] = (uint16_t)(t->passed[k] + n->counts[k]);
    }
    finish_block(t, block);
}

/* Every version of a block that something leads to. */
static void translate_blocks(struct translator *t)
{
    size_t n = t->flow->nblocks;
    bool *done = calloc(2 * n + 1, sizeof *done);
    t->failed |= !done;
    for (bool more = done != NULL; more;) {
        more = false;
        for (size_t i = 0; i < 2 * n; i++) {
            if (done[i] || !t->versions[i % 2][i / 2]) continue;
            done[i] = more = true;
            translate_block(t, &t->flow->blocks[i / 2], i % 2 ? FULL : MASKED);
        }
    }
    free(done);
}

/* ---- entry and exit ---- */

static struct isa_registers registers_of(const struct flow *f, bool written_only)
{
    struct isa_registers all = {0};
    for (size_t i = 0; i < f->nnodes; i++) {
        const struct node *n = &f->nodes[i];
        all = both(all, isa_registers_written(&n->d.in, &n->effects));
        if (!written_only) all = both(all, isa_registers_read(&n->d.in, &n->effects));
    }
    return all;
}

static void make_variables(struct translator *t)
{
    t->used = registers_of(t->flow, false);
    t->written = registers_of(t->flow, true);
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (t->used.x >> r & 1) t->x[r] = LLVMBuildAlloca(t->b, t->i32, "x");
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->pieces && has(t->used.v, r); p++)
            t->v[r][p] = LLVMBuildAlloca(t->b, t->piece_type, "v");
    t->mask = LLVMBuildAlloca(t->b, t->i32, "mask");
    t->counts = LLVMBuildAlloca(t->b, t->counts_type, "counts");
    t->exit_pc = LLVMBuildAlloca(t->b, t->i32, "pc");
    LLVMBuildStore(t->b, LLVMConstNull(t->counts_type), t->counts);
    set_mask(t, load(t, t->i32, t->w, offsetof(struct warp, mask)));
}

/* A warp that has just been made: all registers are 0. */
static void clear_registers(struct translator *t)
{
    for (unsigned r = 1; r < ISA_XREGS; r++)
        if (t->used.x >> r & 1) set_x(t, r, number(t, 0));
    for (unsigned r = 0; r < ISA_VREGS; r++)
        for (unsigned p = 0; p < t->pieces && has(t->used.v, r); p++) LLVMBuildStore(t->b, zero_piece(t), t->v[r][p]);
}

static void enter_at(struct translator *t, const struct block *block)
{
    LLVMValueRef mask = LLVMBuildLoad2(t->b, t->i32, t->mask, "");
    LLVMBasicBlockRef masked = version_of(t, block, MASKED);
    if (t->flow->request->threads < ISA_LANES) LLVMBuildBr(t->b, masked);
    else
        LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, mask, number(t, ~0u), ""), version_of(t, block, FULL),
                        masked);
}

static void make_entries(struct translator *t, LLVMValueRef choice)
{
    const struct flow *f = t->flow;
    struct translation *out = t->out;
    out->entries = calloc(f->nblocks + 1, sizeof *out->entries);
    t->failed |= !out->entries;
    for (size_t i = 0; i < f->nblocks && out->entries; i++) {
        const struct block *b = &f->blocks[i];
        if (!b->entry || (!b->count && b->leaves)) continue;
        LLVMBasicBlockRef block = new_block(t, "enter");
        LLVMAddCase(choice, number(t, (uint32_t)out->nentries), block);
        out->entries[out->nentries++] = (struct native_entry){b->pc, b->need};
        at(t, block);
        enter_at(t, b);
    }
}

static void make_entry(struct translator *t)
{
    const struct block *start = flow_block(t->flow, t->flow->request->start);
    LLVMBasicBlockRef cold = new_block(t, "cold"), warm = new_block(t, "warm"), wrong = new_block(t, "wrong");
    LLVMBuildCondBr(t->b, LLVMBuildICmp(t->b, LLVMIntEQ, t->entry, number(t, NATIVE_START), ""), cold, warm);
    at(t, cold);
    clear_registers(t);
    if (start) enter_at(t, start);
    else LLVMBuildBr(t->b, wrong);
    at(t, wrong);
    LLVMBuildUnreachable(t->b);
    at(t, warm);
    reload(t, &t->used);
    LLVMValueRef choice = LLVMBuildSwitch(t->b, t->entry, wrong, 8);
    make_entries(t, choice);
}

static void make_exit(struct translator *t)
{
    at(t, t->exit);
    spill(t, &t->written);
    store(t, LLVMBuildLoad2(t->b, t->counts_type, t->counts, ""), t->state, offsetof(struct native_state, counts));
    store(t, LLVMBuildLoad2(t->b, t->i32, t->mask, ""), t->state, offsetof(struct native_state, mask));
    store(t, LLVMBuildLoad2(t->b, t->i32, t->exit_pc, ""), t->w, offsetof(struct warp, pc));
    LLVMBuildRet(t->b, t->exit_code);
}

static void make_types(struct translator *t)
{
    LLVMContextRef c = t->context;
    t->i1 = LLVMInt1TypeInContext(c), t->i8 = LLVMInt8TypeInContext(c), t->i16 = LLVMInt16TypeInContext(c);
    t->i32 = LLVMInt32TypeInContext(c), t->i64 = LLVMInt64TypeInContext(c), t->ptr = LLVMPointerTypeInContext(c, 0);
    t->piece_type = LLVMVectorType(t->i32, t->words);
    t->flags_type = LLVMVectorType(t->i1, t->words);
    t->counts_type = LLVMVectorType(t->i32, NATIVE_COUNTS);
}

static void make_function(struct translator *t)
{
    LLVMTypeRef types[] = {t->ptr, t->ptr, t->ptr, t->i32, t->i32};
    LLVMValueRef f = LLVMAddFunction(t->out->module, "native", LLVMFunctionType(t->i32, types, 5, false));
    t->out->function = f;
    t->w = LLVMGetParam(f, 0), t->sm = LLVMGetParam(f, 1), t->state = LLVMGetParam(f, 2);
    t->entry = LLVMGetParam(f, 3), t->budget = LLVMGetParam(f, 4);
    at(t, new_block(t, "begin"));
    t->mem = load(t, t->ptr, t->sm, offsetof(struct sm, mem));
    t->rows = load(t, t->ptr, t->w, offsetof(struct warp, v));
    t->group = load(t, t->ptr, t->w, offsetof(struct warp, group));
    make_variables(t);
    LLVMBasicBlockRef begin = LLVMGetInsertBlock(t->b);
    t->exit = new_block(t, "exit");
    at(t, t->exit);
    t->exit_code = LLVMBuildPhi(t->b, t->i32, "");
    at(t, begin);
}

bool translate_flow(struct translation *out, LLVMModuleRef module, const struct flow *flow)
{
    static const unsigned words[] = {
#define LEVEL(name, words, cpu) words,
        NATIVE_LEVELS(LEVEL)
#undef LEVEL
    };
    struct translator *t = calloc(1, sizeof *t);
    *out = (struct translation){.module = module, .flow = flow};
    if (!t) return false;
    *t = (struct translator){.out = out, .flow = flow, .context = LLVMGetModuleContext(module)};
    t->words = words[flow->request->level];
    t->pieces = ISA_LANES / t->words;
    t->unit = t->words < UNIT_MOST ? t->words : UNIT_MOST;
    t->b = LLVMCreateBuilderInContext(t->context);
    for (int i = 0; i < 2; i++) {
        t->versions[i] = calloc(flow->nblocks + 1, sizeof *t->versions[i]);
        t->failed |= !t->versions[i];
    }
    t->failed |= !liveness_make(&t->liveness, flow);
    if (!t->failed) {
        make_types(t);
        make_function(t);
        make_entry(t);
        translate_blocks(t);
        make_exit(t);
    }
    LLVMDisposeBuilder(t->b);
    liveness_free(&t->liveness);
    free(t->versions[0]);
    free(t->versions[1]);
    bool ok = !t->failed;
    free(t);
    return ok;
}

void translation_free(struct translation *t)
{
    free(t->entries);
    free(t->sites);
}
