/* Loads, stores, atomics, addresses, arguments and the private frame.
 *
 * An access is done in pieces of at most a word, each naturally aligned, so that no private access
 * crosses its word. A uniform address outside private memory is accessed by scalar instructions,
 * for a store only when the value is uniform, too. Private offsets start at 4: no variable has the
 * address 0, which is NULL. */
#include "compiler/ir/ir.h"
#include "compiler/select/select.h"

#include <string.h>

enum { FRAME_START = 4 };

struct address {
    struct opd base;
    uint32_t offset;
    bool is_private;
    uint8_t space; /* as minsn.space */
    bool keep;     /* volatile or atomic: not to be dropped, nor done by scalar stores */
    uint32_t align;
};

/* ---- addresses ---- */

static int32_t frame_offset(struct func *f, LLVMValueRef alloca_)
{
    return (int32_t)f->values[value_of(f, alloca_)].offset;
}

static struct opd pointer_parts(struct func *f, LLVMValueRef p)
{
    if (LLVMIsAAllocaInst(p) && !f->kernel->external) return opd_imm((uint32_t)frame_offset(f, p));
    return parts(f, p)[0];
}

/* Takes a constant summand off an index that is computed in the same block; returns what is left. */
static LLVMValueRef split_index(LLVMValueRef gep, LLVMValueRef index, uint32_t *constant)
{
    while (LLVMIsAInstruction(index) && LLVMGetInstructionParent(index) == LLVMGetInstructionParent(gep) &&
           type_bits(LLVMTypeOf(index)) == 32) {
        LLVMOpcode op = LLVMGetInstructionOpcode(index);
        bool sum = op == LLVMAdd || (op == LLVMOr && LLVMGetIsDisjoint(index));
        if (!sum || !LLVMIsAConstantInt(LLVMGetOperand(index, 1))) break;
        *constant += (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(index, 1));
        index = LLVMGetOperand(index, 0);
    }
    return index;
}

/* Adds a part of an address to the sum of those that are the same in all lanes, or to that of the others. */
static void add_part(struct func *f, struct value *v, struct opd part)
{
    struct opd *sum = is_v(f, part) ? &v->lanes : &v->uniform;
    *sum = alu(f, ADD, part, *sum);
}

/* Is this address used by accesses of words alone, which can add a scalar to it? */
static bool is_of_words(struct func *f, LLVMValueRef gep)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(gep));
    for (LLVMUseRef u = LLVMGetFirstUse(gep); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u), data = LLVMIsALoadInst(user) ? user : NULL;
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != gep) data = LLVMGetOperand(user, 0);
        if (!data || LLVMStoreSizeOfType(f->data, LLVMTypeOf(data)) != 4 || LLVMGetAlignment(user) < 4) return false;
    }
    return space >= SPACE_GLOBAL && space <= SPACE_LOCAL;
}

static bool adds_lanes(struct func *f, LLVMValueRef gep, const uint32_t *scale)
{
    unsigned n = (unsigned)LLVMGetNumOperands(gep);
    for (unsigned i = 1; i < n; i++) {
        uint32_t index = scale[i] ? value_of(f, LLVMGetOperand(gep, i)) : NO_NODE;
        if (index != NO_NODE && f->values[index].divergent) return true;
    }
    return false;
}

/* What an address is computed from. Within one block the constant parts of nested addresses add up; in another one
 * those of the inner address are not known to be alive. Its scalar is taken off where lanes are added and the sum then
 * is the base of an indexed access; otherwise several addresses share it. */
static void add_source(struct func *f, struct value *v, LLVMValueRef gep, const uint32_t *scale)
{
    LLVMValueRef from = LLVMGetOperand(gep, 0);
    uint32_t source = value_of(f, from);
    if (source == NO_NODE || !LLVMIsAGetElementPtrInst(from) || f->values[source].block != v->block) {
        add_part(f, v, pointer_parts(f, from));
        return;
    }
    const struct value *inner = &f->values[source];
    v->offset += inner->offset;
    if (v->offset || !is_of_words(f, gep) || !adds_lanes(f, gep, scale)) {
        add_part(f, v, inner->base);
        return;
    }
    v->uniform = inner->uniform;
    v->lanes = inner->lanes;
}

/* Scalars add up in a scalar register, which is added last: indexed.c makes it the base of an indexed access. */
static struct opd select_gep(struct func *f, LLVMValueRef gep)
{
    unsigned n = (unsigned)LLVMGetNumOperands(gep);
    uint32_t *scale = cc_alloc(f->cc, (n + 1) * sizeof *scale);
    struct value *v = &f->values[value_of(f, gep)];
    if (LLVMGetTypeKind(LLVMTypeOf(gep)) != LLVMPointerTypeKind) fail(f, "a vector of addresses");
    v->uniform = v->lanes = opd_imm(0);
    v->offset = gep_offset(f, gep, scale);
    add_source(f, v, gep, scale);
    if (is_imm(v->uniform) && v->uniform.imm < 1u << 16) { /* a private variable: into the offset of the access */
        v->offset += v->uniform.imm;
        v->uniform = opd_imm(0);
    }
    for (unsigned i = 1; i < n; i++) {
        if (!scale[i]) continue;
        uint32_t constant = 0;
        struct num index = num_of(f, split_index(gep, LLVMGetOperand(gep, i), &constant));
        if (index.bits < 32) num_extend(f, &index, true);
        add_part(f, v, alu(f, MUL, index.p[0], opd_imm(scale[i])));
        v->offset += constant * scale[i];
    }
    v->base = alu(f, ADD, v->lanes, v->uniform);
    if (v->divergent && !is_imm(v->base)) v->base = opd_reg(to_v(f, v->base));
    return alu(f, ADD, v->base, opd_imm(v->offset));
}

static bool is_private_pointer(struct func *f, LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    if (space >= 1 && space <= 3) return false;
    if (space != 0) fail(f, "an access through a pointer to address space %u", space);
    uint32_t object = value_of(f, address_object(pointer));
    return !(object < f->nparams && !f->values[object].escapes);
}

/* Which memory is meant, as minsn.space. Of a kernel's arguments: constant memory. Where the program has generic
 * pointers, one to global memory can be to local memory as well (generic.c). */
static uint8_t space_of(const struct func *f, LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    if (space == SPACE_GLOBAL && f->cc->has_generic) return SPACE_ANY;
    return space ? (uint8_t)space : SPACE_CONSTANT;
}

static struct address address_of(struct func *f, LLVMValueRef pointer, uint32_t align)
{
    struct address p = {.align = align ? align : 1};
    p.is_private = is_private_pointer(f, pointer);
    if (!p.is_private) p.space = space_of(f, pointer);
    LLVMValueRef base = address_base(f, pointer, &p.offset);
    uint32_t v = value_of(f, base);
    if (v != NO_NODE && v >= f->nparams && LLVMIsAGetElementPtrInst(base)) {
        p.base = f->values[v].base;
        p.offset += f->values[v].offset;
    } else if (LLVMIsAGlobalVariable(base) && LLVMGetPointerAddressSpace(LLVMTypeOf(base)) == 3) {
        p.base = opd_reg(f->local_base);
        p.offset += local_offset(f, base);
    } else {
        p.base = pointer_parts(f, base);
    }
    return p;
}

/* Brings the access at `extra` bytes into the reach of the instructions' offset field. */
static int32_t reach(struct func *f, const struct address *p, uint32_t extra, struct opd *base)
{
    int32_t limit = p->is_private ? 1024 : 2048;
    uint32_t offset = p->offset + extra;
    *base = p->base;
    if (is_imm(*base)) {
        offset += base->imm;
        *base = opd_imm((offset + (uint32_t)limit) & ~(2u * (uint32_t)limit - 1));
        return (int32_t)(offset - base->imm);
    }
    if ((int32_t)offset >= -limit && (int32_t)offset < limit) return (int32_t)offset;
    int32_t low = (int32_t)((offset + (uint32_t)limit) & (2u * (uint32_t)limit - 1)) - limit;
    *base = alu(f, ADD, *base, opd_imm(offset - (uint32_t)low));
    return low;
}

static bool scalar_access(struct func *f, const struct address *p) { return !p->is_private && !is_v(f, p->base); }

/* ---- pieces ---- */

/* On hardware whose loads take signed and unsigned for one another: the low bits are right. */
static struct opd extended_again(struct func *f, struct opd value, unsigned bits_, bool is_signed)
{
    const struct opd above = opd_imm(32 - bits_);
    struct opd high = alu(f, SLL, value, above), out = alu(f, is_signed ? SRA : SRL, high, above);
    *(is_signed ? &f->vregs[out.reg].sbits : &f->vregs[out.reg].zbits) = (uint8_t)bits_;
    return out;
}

static struct opd load_piece(struct func *f, const struct address *p, uint32_t at, uint32_t size, bool is_signed)
{
    static const uint16_t op[3][5] = {
        {OP_LBU, OP_LB, OP_LHU, OP_LH, OP_LW},
        {OP_VLBU12_V, OP_VLB12_V, OP_VLHU12_V, OP_VLH12_V, OP_VLW12_V},
        {OP_VLBU_V, OP_VLB_V, OP_VLHU_V, OP_VLH_V, OP_VLW_V},
    };
    unsigned kind = p->is_private         ? 2
                    : scalar_access(f, p) ? 0
                                          : 1,
             form = size == 4 ? 4 : (size == 2 ? 2 : 0) + is_signed;
    struct opd base;
    int32_t imm = reach(f, p, at, &base), rb = kind ? to_v(f, base) : to_s(f, base),
            rd = new_vreg(f, kind ? CLASS_V : CLASS_S);
    struct minsn *m = emit(f, op[kind][form], rd, rb, 0, imm);
    m->keep = p->keep;
    m->space = p->space;
    if (size < 4 && avoids(f->cc, QUIRK_UNSIGNED_LOADS)) return extended_again(f, opd_reg(rd), 8 * size, is_signed);
    if (size < 4) *(is_signed ? &f->vregs[rd].sbits : &f->vregs[rd].zbits) = (uint8_t)(8 * size);
    return opd_reg(rd);
}

static void store_piece(struct func *f, const struct address *p, uint32_t at, uint32_t size, struct opd value)
{
    static const uint16_t op[3][3] = {
        {OP_SB, OP_SH, OP_SW}, {OP_VSB12_V, OP_VSH12_V, OP_VSW12_V}, {OP_VSB_V, OP_VSH_V, OP_VSW_V}};
    unsigned kind = p->is_private ? 2 : scalar_access(f, p) && !is_v(f, value) && !p->keep ? 0 : 1;
    struct opd base;
    int32_t imm = reach(f, p, at, &base), rb = kind ? to_v(f, base) : to_s(f, base),
            rv = kind ? to_v(f, value) : to_s(f, value);
    struct minsn *m = emit(f, op[kind][size / 2], 0, rb, rv, imm);
    m->keep = p->keep;
    m->space = p->space;
}

/* Largest access allowed at `at` with `left` bytes to go. */
static uint32_t piece_size(const struct address *p, uint32_t at, uint32_t left)
{
    uint32_t size = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    while (size > 1 && (size > p->align || at % size)) size /= 2;
    return size;
}

/* `bytes` <= 4 bytes as one word. */
static struct opd load_word(struct func *f, const struct address *p, uint32_t at, uint32_t bytes, bool is_signed)
{
    struct opd word = opd_imm(0);
    for (uint32_t done = 0; done < bytes;) {
        uint32_t size = piece_size(p, at + done, bytes - done);
        bool sign = is_signed && done + size == bytes && size < 4;
        struct opd piece = load_piece(f, p, at + done, size, sign);
        word = done ? alu(f, OR, word, alu(f, SLL, piece, opd_imm(8 * done))) : piece;
        done += size;
    }
    return word;
}

static void store_word(struct func *f, const struct address *p, uint32_t at, uint32_t bytes, struct opd value)
{
    for (uint32_t done = 0; done < bytes;) {
        uint32_t size = piece_size(p, at + done, bytes - done);
        store_piece(f, p, at + done, size, alu(f, SRL, value, opd_imm(8 * done)));
        done += size;
    }
}

/* ---- whole values ---- */

struct member {
    LLVMTypeRef type;
    uint32_t offset;
    unsigned part;
};

/* Member i of an aggregate; false behind the last one. Vectors are packed to their element size. */
static bool member_at(struct func *f, LLVMTypeRef type, unsigned i, struct member *m)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMStructTypeKind) {
        if (i >= LLVMCountStructElementTypes(type)) return false;
        m->type = LLVMStructGetTypeAtIndex(type, i);
        m->offset = (uint32_t)LLVMOffsetOfElement(f->data, type, i);
    } else {
        uint64_t n = kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : LLVMGetArrayLength2(type);
        if (i >= n) return false;
        m->type = LLVMGetElementType(type);
        m->offset = i * (uint32_t)(kind == LLVMVectorTypeKind ? (LLVMSizeOfTypeInBits(f->data, m->type) + 7) / 8
                                                              : type_size(f, m->type));
    }
    m->part = member_part(f, type, i);
    return true;
}

/* A vector of single bits: packed in memory. */
static bool is_bit_vector(struct func *f, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMSizeOfTypeInBits(f->data, LLVMGetElementType(type)) % 8 == 0)
        return false;
    if (type_bits(LLVMGetElementType(type)) != 1) fail(f, "a value of type %s in memory", text_of_type(f, type));
    return true;
}

static uint32_t bit_bytes(unsigned left) { return left >= 32 ? 4 : (left + 7) / 8; }

static void load_bits(struct func *f, const struct address *p, uint32_t at, unsigned n, struct opd *out)
{
    struct opd word = opd_imm(0);
    for (unsigned i = 0; i < n; i++) {
        if (i % 32 == 0) word = load_word(f, p, at + i / 8, bit_bytes(n - i), false);
        out[i] = alu(f, AND, alu(f, SRL, word, opd_imm(i % 32)), opd_imm(1));
    }
}

static void store_bits(struct func *f, const struct address *p, uint32_t at, unsigned n, const struct opd *in)
{
    for (unsigned first = 0; first < n; first += 32) {
        struct opd word = in[first];
        for (unsigned i = 1; i < 32 && first + i < n; i++)
            word = alu(f, OR, word, alu(f, SLL, in[first + i], opd_imm(i)));
        store_word(f, p, at + first / 8, bit_bytes(n - first), word);
    }
}

static bool is_aggregate(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMStructTypeKind || kind == LLVMVectorTypeKind || kind == LLVMArrayTypeKind;
}

static void load_type(struct func *f, const struct address *p, uint32_t at, LLVMTypeRef type, bool is_signed,
                      struct opd *out)
{
    struct member m;
    if (is_bit_vector(f, type)) {
        load_bits(f, p, at, LLVMGetVectorSize(type), out);
        return;
    }
    if (is_aggregate(type)) {
        for (unsigned i = 0; member_at(f, type, i, &m); i++)
            load_type(f, p, at + m.offset, m.type, is_signed, out + m.part);
        return;
    }
    uint32_t bytes = (uint32_t)LLVMStoreSizeOfType(f->data, type);
    for (uint32_t done = 0; done < bytes; done += 4)
        out[done / 4] = load_word(f, p, at + done, bytes - done < 4 ? bytes - done : 4, is_signed);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && type_bits(type) == 1) out[0] = alu(f, AND, out[0], opd_imm(1));
}

static void store_type(struct func *f, const struct address *p, uint32_t at, LLVMTypeRef type, const struct opd *in)
{
    struct member m;
    if (is_bit_vector(f, type)) {
        store_bits(f, p, at, LLVMGetVectorSize(type), in);
        return;
    }
    if (is_aggregate(type)) {
        for (unsigned i = 0; member_at(f, type, i, &m); i++) store_type(f, p, at + m.offset, m.type, in + m.part);
        return;
    }
    uint32_t bytes = (uint32_t)LLVMStoreSizeOfType(f->data, type);
    bool padded = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && type_bits(type) % 8 && type_bits(type) > 1;
    for (uint32_t done = 0; done < bytes; done += 4) {
        unsigned left = type_bits(type) - 8 * done;
        struct opd word = padded && left < 32 ? zero_extend(f, in[done / 4], left) : in[done / 4];
        store_word(f, p, at + done, bytes - done < 4 ? bytes - done : 4, word);
    }
}

/* Is a loaded small integer wanted with its sign? Of vectors element i is meant. */
static bool wants_sign(LLVMValueRef loaded, unsigned i)
{
    for (LLVMUseRef u = LLVMGetFirstUse(loaded); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMOpcode op = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : (LLVMOpcode)0;
        if (op == LLVMSExt || op == LLVMSIToFP || (op == LLVMICmp && LLVMGetICmpPredicate(user) >= LLVMIntSGT))
            return true;
        if (op != LLVMExtractElement) continue;
        LLVMValueRef at = LLVMGetOperand(user, 1);
        if (LLVMIsAConstantInt(at) && LLVMConstIntGetZExtValue(at) == i && wants_sign(user, 0)) return true;
    }
    return false;
}

/* All of what a load or a parameter gives. */
static void load_value(struct func *f, const struct address *p, LLVMValueRef loaded, struct opd *out)
{
    LLVMTypeRef type = LLVMTypeOf(loaded);
    struct member m;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || is_bit_vector(f, type)) {
        load_type(f, p, 0, type, wants_sign(loaded, 0), out);
        return;
    }
    for (unsigned i = 0; member_at(f, type, i, &m); i++)
        load_type(f, p, m.offset, m.type, wants_sign(loaded, i), out + m.part);
}

/* ---- atomics: amo, lr and sc work on each lane of vector registers ---- */

static int32_t atomic_address(struct func *f, LLVMValueRef inst, LLVMTypeRef type)
{
    if (type_parts(f, type) != 1 || LLVMStoreSizeOfType(f->data, type) != 4)
        fail(f, "an atomic operation on %s", text_of_type(f, type));
    struct address p = address_of(f, LLVMGetOperand(inst, 0), 4);
    if (p.is_private) fail(f, "an atomic operation on private memory");
    return to_v(f, alu(f, ADD, p.base, opd_imm(p.offset)));
}

static unsigned amo_of(LLVMAtomicRMWBinOp op)
{
    switch (op) {
    case LLVMAtomicRMWBinOpXchg: return OP_AMOSWAP_W;
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub: return OP_AMOADD_W;
    case LLVMAtomicRMWBinOpAnd: return OP_AMOAND_W;
    case LLVMAtomicRMWBinOpOr: return OP_AMOOR_W;
    case LLVMAtomicRMWBinOpXor: return OP_AMOXOR_W;
    case LLVMAtomicRMWBinOpMax: return OP_AMOMAX_W;
    case LLVMAtomicRMWBinOpMin: return OP_AMOMIN_W;
    case LLVMAtomicRMWBinOpUMax: return OP_AMOMAXU_W;
    case LLVMAtomicRMWBinOpUMin: return OP_AMOMINU_W;
    default: return OP_INVALID;
    }
}

/* What the operations without an instruction store, from the old word and the operand. */
static struct opd updated(struct func *f, LLVMAtomicRMWBinOp op, struct opd old, struct opd v)
{
    struct opd next;
    switch (op) {
    case LLVMAtomicRMWBinOpNand: return alu(f, XOR, alu(f, AND, old, v), opd_imm(~0u));
    case LLVMAtomicRMWBinOpFAdd: return alu(f, FADD, old, v);
    case LLVMAtomicRMWBinOpFSub: return alu(f, FSUB, old, v);
    case LLVMAtomicRMWBinOpFMax: return alu(f, FMAX, old, v);
    case LLVMAtomicRMWBinOpFMin: return alu(f, FMIN, old, v);
    case LLVMAtomicRMWBinOpUIncWrap:
        return select_opd(f, alu(f, SLTU, old, v), alu(f, ADD, old, opd_imm(1)), opd_imm(0));
    case LLVMAtomicRMWBinOpUDecWrap:
        next = alu(f, SUB, old, opd_imm(1)); /* of 0: beyond v, or v itself */
        return alu(f, MINU, next, v);
    default: fail(f, "an atomic operation the back end does not know");
    }
}

/* The current machine block ends, and one begins that is repeated by each lane until it has succeeded: from end_loop
 * back to begin_loop as long as `again` (V) is not zero in a lane. Code goes on where the lanes join. */
static void begin_loop(struct func *f)
{
    uint32_t depth = f->mblocks[f->cur].depth, loop = new_block(f, depth + 1);
    f->mblocks[f->cur].term = TERM_JUMP;
    f->mblocks[f->cur].succ[0] = loop;
    f->cur = loop;
}

/* The current machine block ends in a branch to `taken` of the lanes in which a and b (V) differ, the others go to
 * `otherwise`, and all meet in `after`. */
static void part_lanes(struct func *f, int32_t a, int32_t b, uint32_t taken, uint32_t otherwise, uint32_t after)
{
    struct mblock *m = &f->mblocks[f->cur];
    m->term = TERM_BRANCH;
    m->op = OP_VBNE;
    m->rs2 = a;
    m->rs1 = b;
    m->divergent = true;
    m->succ[0] = taken;
    m->succ[1] = otherwise;
    m->rpc = after;
    f->mblocks[after].join = true;
}

static void end_loop(struct func *f, uint32_t loop, int32_t again, uint32_t after)
{
    part_lanes(f, again, to_v(f, opd_imm(0)), loop, after, after);
    f->cur = after;
}

static void select_rmw(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(inst);
    int32_t address = atomic_address(f, inst, LLVMTypeOf(inst)), old = new_vreg(f, CLASS_V);
    struct opd value = parts(f, LLVMGetOperand(inst, 1))[0];
    unsigned amo = amo_of(op);
    out[0] = opd_reg(old);
    if (amo) {
        if (op == LLVMAtomicRMWBinOpSub) value = alu(f, SUB, opd_imm(0), value);
        emit(f, amo, old, address, to_v(f, value), 0);
        return;
    }
    value = opd_reg(to_v(f, value));
    begin_loop(f);
    uint32_t loop = f->cur, after = new_block(f, f->mblocks[loop].depth - 1);
    emit(f, OP_LR_W, old, address, 0, 0);
    int32_t next = to_v(f, updated(f, op, opd_reg(old), value)), failed = new_vreg(f, CLASS_V);
    emit(f, OP_SC_W, failed, address, next, 0);
    end_loop(f, loop, failed, after);
}

/* A lane that finds another value than the expected one leaves the loop at once: a store by it would end the
 * reservations of all lanes that have the same word. */
static void select_cmpxchg(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef expected = LLVMGetOperand(inst, 1);
    int32_t address = atomic_address(f, inst, LLVMTypeOf(expected)), old = new_vreg(f, CLASS_V),
            failed = new_vreg(f, CLASS_V);
    int32_t e = to_v(f, parts(f, expected)[0]), v = to_v(f, parts(f, LLVMGetOperand(inst, 2))[0]);
    begin_loop(f);
    uint32_t loop = f->cur, depth = f->mblocks[loop].depth;
    uint32_t store = new_block(f, depth), after = new_block(f, depth - 1);
    emit(f, OP_LR_W, old, address, 0, 0);
    part_lanes(f, old, e, after, store, after);
    f->cur = store;
    emit(f, OP_SC_W, failed, address, v, 0);
    end_loop(f, loop, failed, after);
    out[0] = opd_reg(old);
    out[1] = alu(f, SEQ, opd_reg(old), opd_reg(e));
}

/* Of a loop around both of them (retry.c): lr.w, and whether sc.w has failed. */
static void select_reserve(struct func *f, LLVMValueRef inst, struct opd *out)
{
    out[0] = opd_reg(new_vreg(f, CLASS_V));
    emit(f, OP_LR_W, out[0].reg, atomic_address(f, inst, LLVMTypeOf(inst)), 0, 0);
}

static void select_conditional(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef value = LLVMGetOperand(inst, 2);
    int32_t address = atomic_address(f, inst, LLVMTypeOf(value)), failed = new_vreg(f, CLASS_V);
    emit(f, OP_SC_W, failed, address, to_v(f, parts(f, value)[0]), 0);
    out[0] = opd_reg(failed);
    out[1] = opd_imm(0); /* nobody asks */
}

bool select_memory(struct func *f, LLVMValueRef inst, struct opd *out)
{
    struct address p;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMGetElementPtr: out[0] = select_gep(f, inst); return true;
    case LLVMLoad:
        if (retry_is(inst)) {
            select_reserve(f, inst, out);
            return true;
        }
        p = address_of(f, LLVMGetOperand(inst, 0), LLVMGetAlignment(inst));
        p.keep = LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
        load_value(f, &p, inst, out);
        return true;
    case LLVMStore:
        p = address_of(f, LLVMGetOperand(inst, 1), LLVMGetAlignment(inst));
        p.keep = LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
        store_type(f, &p, 0, LLVMTypeOf(LLVMGetOperand(inst, 0)), parts(f, LLVMGetOperand(inst, 0)));
        return true;
    case LLVMAtomicRMW: select_rmw(f, inst, out); return true;
    case LLVMAtomicCmpXchg:
        if (retry_is(inst)) select_conditional(f, inst, out);
        else select_cmpxchg(f, inst, out);
        return true;
    case LLVMFence: emit(f, OP_FENCE, 0, 0, 0, 0)->aux = 0xff; return true;
    default: return false;
    }
}

/* ---- arguments and frame ---- */

static uint32_t reserve_frame(struct func *f, uint64_t size, uint64_t align)
{
    if (align < 4) align = 4;
    uint64_t at = f->frame ? f->frame : FRAME_START;
    at = (at + align - 1) & ~(align - 1);
    if (at + size > 1u << 24) fail(f, "private variables of %llu bytes", (unsigned long long)(at + size));
    f->frame = (uint32_t)((at + size + 3) & ~3u);
    return (uint32_t)at;
}

void select_frame(struct func *f)
{
    for (uint32_t i = f->nparams; i < f->nvalues; i++) {
        struct value *v = &f->values[i];
        if (!LLVMIsAAllocaInst(v->ref)) continue;
        f->at = v->ref;
        LLVMValueRef count = LLVMGetOperand(v->ref, 0);
        if (!LLVMIsAConstantInt(count)) fail(f, "an array whose size is not a constant");
        uint64_t n = LLVMConstIntGetZExtValue(count), size = type_size(f, LLVMGetAllocatedType(v->ref));
        if (n && size > (1u << 24) / n)
            fail(f, "a private variable of %llu times %llu bytes", (unsigned long long)n, (unsigned long long)size);
        v->offset = reserve_frame(f, n * size, LLVMGetAlignment(v->ref));
        v->parts = cc_alloc(f->cc, sizeof *v->parts);
        *v->parts = opd_imm(v->offset);
    }
}

void select_frame_addresses(struct func *f)
{
    for (uint32_t i = f->nparams; i < f->nvalues; i++)
        if (LLVMIsAAllocaInst(f->values[i].ref))
            *f->values[i].parts = alu(f, ADD, opd_reg(f->frame_base), opd_imm(f->values[i].offset));
}

/* A struct argument whose address is used in other ways than for reading becomes private. */
static struct opd copy_argument(struct func *f, const struct ventus_arg *a)
{
    uint32_t at = reserve_frame(f, a->size, a->align);
    struct address from = {.base = opd_reg(f->args), .offset = a->offset, .align = 4, .space = SPACE_CONSTANT};
    struct address to = {.base = opd_imm(at), .is_private = true, .align = 4};
    for (uint32_t done = 0; done < a->size; done += 4)
        store_piece(f, &to, done, 4, load_piece(f, &from, done, 4, false));
    return opd_imm(at);
}

static int32_t read_csr(struct func *f, unsigned csr)
{
    int32_t r = new_vreg(f, CLASS_S);
    emit(f, OP_CSRRS, r, 0, 0, 0)->aux = (uint16_t)csr;
    return r;
}

/* It is behind the stacks of all warps. */
void select_local_base(struct func *f)
{
    f->local_base = REG_LOCAL;
    if (f->cc->start_sets_local && !f->kernel->external) return;
    int32_t lds = read_csr(f, CSR_LDS), warps = read_csr(f, CSR_NUMW);
    struct opd stacks = alu(f, MUL, opd_reg(warps), opd_imm(ABI_WARP_STACK));
    f->local_base = alu(f, ADD, opd_reg(lds), stacks).reg;
}

void select_arguments(struct func *f)
{
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    if (f->kernel->nargs != f->nparams)
        fail(f, "kernel with %u arguments has %u parameters", f->kernel->nargs, f->nparams);
    f->args = new_vreg(f, CLASS_S);
    emit(f, OP_ADDI, f->args, REG_ARGS, 0, 0);
    select_local_base(f);
    for (uint32_t i = 0; i < f->nparams; i++) {
        struct value *v = &f->values[i];
        const struct ventus_arg *a = &f->kernel->args[i];
        LLVMTypeRef type = LLVMTypeOf(v->ref);
        struct address p = {.base = opd_reg(f->args), .offset = a->offset, .align = 4, .space = SPACE_CONSTANT};
        v->parts = cc_alloc(f->cc, (type_parts(f, type) + 1) * sizeof *v->parts);
        if (LLVMGetEnumAttributeAtIndex(f->kernel->function, i + 1, byval)) {
            v->parts[0] = v->escapes ? copy_argument(f, a) : alu(f, ADD, p.base, opd_imm(p.offset));
            continue;
        }
        load_value(f, &p, v->ref, v->parts);
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 3)
            v->parts[0] = alu(f, ADD, v->parts[0], opd_reg(f->local_base));
    }
}
