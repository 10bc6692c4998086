/* Constant variables: laid out behind one another in .rodata, in the order in which the code first refers to them. And
 * what all variables are to hold at first, which may be addresses of others.
 *
 * Their place is known before the code is (output.c), so that a reference is an absolute address. Called by
 * select/value.c and output.c. */
#include "compiler/machine/machine.h"

#include <string.h>

#include <llvm-c/Target.h>

static void write_bits(uint8_t *to, uint64_t value, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes && i < 8; i++) to[i] = (uint8_t)(value >> (8 * i));
}

/* An initial value on its way to its place: byte `at` of *area, which moves when more constants come in between. */
struct writer {
    struct cc *cc;
    LLVMValueRef global;
    uint8_t **area;
    LLVMValueRef base; /* of an object: the variable that an address is relative to, NULL: none */
};

static _Noreturn void refuse(const struct writer *w)
{
    size_t n;
    cc_error(w->cc, CC_FAILED, w->global, "the initializer of variable '%s' contains a value that is not known here",
             LLVMGetValueName2(w->global, &n));
}

/* ---- addresses ---- */

/* The bytes that a getelementptr with constant indices adds. */
static uint32_t constant_offset(const struct writer *w, LLVMValueRef gep)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(w->cc->module);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    uint64_t offset = 0;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        if (!LLVMIsAConstantInt(index)) refuse(w);
        int64_t k = LLVMConstIntGetSExtValue(index);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            offset += LLVMOffsetOfElement(data, type, (unsigned)k);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)k);
            continue;
        }
        if (i > 1) type = LLVMGetElementType(type);
        offset += (uint64_t)k * LLVMABISizeOfType(data, type);
    }
    return (uint32_t)offset;
}

/* Variables have their addresses before any code has; what does not stands in local memory, or is a function. */
static uint32_t constant_address(struct writer *w, LLVMValueRef v)
{
    if (LLVMIsNull(v)) return 0;
    if (w->cc->object && LLVMIsAGlobalVariable(v) && !w->base) {
        w->base = w->cc->named[rodata_name(w->cc, v)];
        return 0;
    }
    if (LLVMIsAGlobalVariable(v) && LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 2) return rodata_address(w->cc, v);
    if (LLVMIsAGlobalVariable(v) && LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 1) return variable_address(w->cc, v);
    if (LLVMIsAConstantInt(v)) return (uint32_t)LLVMConstIntGetZExtValue(v);
    if (!LLVMIsAConstantExpr(v)) refuse(w);
    switch (LLVMGetConstOpcode(v)) {
    case LLVMGetElementPtr: return constant_address(w, LLVMGetOperand(v, 0)) + constant_offset(w, v);
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt: return constant_address(w, LLVMGetOperand(v, 0));
    default: refuse(w);
    }
}

/* ---- values ---- */

static void write_value(struct writer *w, LLVMValueRef v, uint32_t at);

static void write_members(struct writer *w, LLVMValueRef v, LLVMTypeRef type, uint32_t at)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(w->cc->module);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t n = kind == LLVMStructTypeKind   ? LLVMCountStructElementTypes(type)
                 : kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
                                              : LLVMGetArrayLength2(type);
    for (uint64_t i = 0; i < n; i++) {
        LLVMValueRef e = LLVMGetAggregateElement(v, (unsigned)i);
        if (!e) refuse(w);
        uint64_t offset = kind == LLVMStructTypeKind
                              ? LLVMOffsetOfElement(data, type, (unsigned)i)
                              : i * (kind == LLVMVectorTypeKind ? LLVMStoreSizeOfType(data, LLVMTypeOf(e))
                                                                : LLVMABISizeOfType(data, LLVMTypeOf(e)));
        write_value(w, e, (uint32_t)(at + offset));
    }
}

/* The linker adds the address of what this one is relative to. */
static void note_fixup(struct writer *w, uint32_t at, uint32_t addend)
{
    struct cc *cc = w->cc;
    if (!w->base) return;
    cc->fixups = cc_grow(cc, cc->fixups, cc->nfixups, &cc->fixups_room, sizeof *cc->fixups);
    cc->fixups[cc->nfixups++] = (struct fixup){w->global, w->base, at, addend};
    w->base = NULL;
}

static void write_value(struct writer *w, LLVMValueRef v, uint32_t at)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMContextRef context = w->cc->context;
    if (LLVMIsUndef(v) || LLVMIsNull(v)) return;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind: write_members(w, v, type, at); return;
    case LLVMPointerTypeKind: v = LLVMConstInt(LLVMInt32TypeInContext(context), constant_address(w, v), 0); break;
    case LLVMFloatTypeKind: v = LLVMConstBitCast(v, LLVMInt32TypeInContext(context)); break;
    case LLVMHalfTypeKind: v = LLVMConstBitCast(v, LLVMInt16TypeInContext(context)); break;
    case LLVMDoubleTypeKind: v = LLVMConstBitCast(v, LLVMInt64TypeInContext(context)); break;
    default: break;
    }
    if (LLVMIsAConstantExpr(v)) v = LLVMConstInt(LLVMTypeOf(v), constant_address(w, v), 0);
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) refuse(w);
    note_fixup(w, at, (uint32_t)LLVMConstIntGetZExtValue(v));
    write_bits(*w->area + at, LLVMConstIntGetZExtValue(v), (LLVMGetIntTypeWidth(LLVMTypeOf(v)) + 7) / 8);
}

/* To byte `at` of *area, which may move meanwhile if it is cc->rodata. */
static void initial_value(struct cc *cc, LLVMValueRef global, uint8_t **area, uint32_t at)
{
    write_value(&(struct writer){cc, global, area, NULL}, LLVMGetInitializer(global), at);
}

/* ---- constants ---- */

/* Makes room behind what is there; the old bytes stay in the arena. */
static void reserve(struct cc *cc, uint32_t size)
{
    if (size > cc->rodata_room) {
        uint32_t room = size < 1u << 27 ? 2 * size + 1024 : size;
        uint8_t *bigger = cc_alloc(cc, room);
        if (cc->rodata_size) memcpy(bigger, cc->rodata, cc->rodata_size);
        cc->rodata = bigger;
        cc->rodata_room = room;
    }
    cc->rodata_size = size;
}

uint32_t rodata_address(struct cc *cc, LLVMValueRef global)
{
    size_t n;
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(cc->module);
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    for (uint32_t i = 0; i < cc->nconstants; i++)
        if (cc->constants[i].global == global) return cc->rodata_addr + cc->constants[i].offset;
    if (!LLVMGetInitializer(global))
        cc_error(cc, CC_FAILED, global, "__constant variable '%s' has no value", LLVMGetValueName2(global, &n));
    uint64_t align = LLVMGetAlignment(global), size = LLVMABISizeOfType(data, type);
    if (align < LLVMABIAlignmentOfType(data, type)) align = LLVMABIAlignmentOfType(data, type);
    uint64_t at = (cc->rodata_size + align - 1) & ~(align - 1);
    if (align > ABI_PAGE || size > cc->data_addr - cc->rodata_addr || at > cc->data_addr - cc->rodata_addr - size)
        cc_error(cc, CC_FAILED, global, "__constant variable '%s' is too large", LLVMGetValueName2(global, &n));
    cc->constants = cc_grow(cc, cc->constants, cc->nconstants, &cc->constants_room, sizeof *cc->constants);
    cc->constants[cc->nconstants++] = (struct constant){global, (uint32_t)at};
    reserve(cc, (uint32_t)(at + size));
    initial_value(cc, global, &cc->rodata, (uint32_t)at);
    return cc->rodata_addr + (uint32_t)at;
}

uint32_t rodata_name(struct cc *cc, LLVMValueRef global)
{
    for (uint32_t i = 0; i < cc->nnamed; i++)
        if (cc->named[i] == global) return i;
    if (LLVMGetInitializer(global) && LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == 2) rodata_address(cc, global);
    cc->named = cc_grow(cc, cc->named, cc->nnamed, &cc->named_room, sizeof *cc->named);
    cc->named[cc->nnamed] = global;
    return cc->nnamed++;
}

uint32_t rodata_words(struct cc *cc, const uint32_t *words, uint32_t n)
{
    uint32_t at = (cc->rodata_size + 3) & ~3u;
    if (at > cc->data_addr - cc->rodata_addr - 4 * n) cc_error(cc, CC_FAILED, NULL, "the constants are too large");
    reserve(cc, at + 4 * n);
    for (uint32_t i = 0; i < n; i++) write_bits(cc->rodata + at + 4 * i, words[i], 4);
    return cc->rodata_addr + at;
}

/* ---- program-scope variables ---- */

void variables_write(struct cc *cc)
{
    cc->data = cc_alloc(cc, cc->data_size + 1);
    for (uint32_t i = 0; i < cc->nvariables; i++)
        if (LLVMGetInitializer(cc->variables[i].global))
            initial_value(cc, cc->variables[i].global, &cc->data, cc->variables[i].offset);
}
