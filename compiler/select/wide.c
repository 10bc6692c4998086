/* Integers of more than 64 bits. No program has any, but LLVM makes them of structures and vectors that it copies as a
 * whole: their bits are moved and put together, nothing is computed with them. */
#include "compiler/select/select.h"

enum { WORD = 32, NARROW = 64 };

static unsigned integer_bits(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

/* The parts of `to` bits: those of `v` from bit `from` on, and zeros behind its end. */
static void take_bits(struct func *f, LLVMValueRef v, unsigned from, unsigned to, struct opd *out)
{
    unsigned size = integer_bits(LLVMTypeOf(v));
    for (unsigned at = 0; at < to; at += WORD) {
        unsigned begin = from + at, width = to - at < WORD ? to - at : WORD;
        bool reaches = begin < size && width > size - begin; /* beyond the end */
        if (reaches) width = size - begin;
        struct opd word = begin < size ? value_bits(f, v, begin, width) : opd_imm(0);
        out[at / WORD] = reaches ? zero_extend(f, word, width) : word;
    }
}

static void shift_left(struct func *f, LLVMValueRef v, unsigned by, struct opd *out)
{
    unsigned size = integer_bits(LLVMTypeOf(v)), n = (size + WORD - 1) / WORD, skip = by / WORD;
    const struct opd *p = parts(f, v);
    for (unsigned i = 0; i < n; i++) {
        struct opd high = i >= skip ? p[i - skip] : opd_imm(0), low = i > skip ? p[i - skip - 1] : opd_imm(0);
        out[i] = high;
        if (by % WORD)
            out[i] = alu(f, OR, alu(f, SLL, high, opd_imm(by % WORD)), alu(f, SRL, low, opd_imm(WORD - by % WORD)));
    }
}

static bool shift(struct func *f, LLVMValueRef inst, bool left, struct opd *out)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0), amount = LLVMGetOperand(inst, 1);
    unsigned size = integer_bits(LLVMTypeOf(inst));
    if (!LLVMIsAConstantInt(amount)) return false;
    unsigned by = parts(f, amount)[0].imm; /* poison if it is not below size */
    if (by >= size) by = 0;
    if (left) shift_left(f, v, by, out);
    else take_bits(f, v, by, size, out);
    return true;
}

static bool logic(struct func *f, LLVMValueRef inst, enum alu op, struct opd *out)
{
    const struct opd *a = parts(f, LLVMGetOperand(inst, 0)), *b = parts(f, LLVMGetOperand(inst, 1));
    for (unsigned i = 0; i < type_parts(f, LLVMTypeOf(inst)); i++) out[i] = alu(f, op, a[i], b[i]);
    return true;
}

bool select_wide(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    LLVMValueRef v = LLVMGetNumOperands(inst) ? LLVMGetOperand(inst, 0) : NULL;
    unsigned from = v ? integer_bits(LLVMTypeOf(v)) : 0, to = integer_bits(LLVMTypeOf(inst));
    if (from <= NARROW && to <= NARROW) return false;
    switch (opcode) {
    case LLVMTrunc:
    case LLVMZExt: take_bits(f, v, 0, to, out); return true;
    case LLVMShl: return shift(f, inst, true, out);
    case LLVMLShr: return shift(f, inst, false, out);
    case LLVMAnd: return logic(f, inst, AND, out);
    case LLVMOr: return logic(f, inst, OR, out);
    case LLVMXor: return logic(f, inst, XOR, out);
    default: return false;
    }
}
