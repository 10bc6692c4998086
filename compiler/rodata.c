/* Constant variables: laid out behind one another in .rodata, in the order in which the code first refers to them.
 *
 * Their place is known before the code is (output.c), so that a reference is an absolute address. Called by
 * select_value.c. */
#include "compiler/cc.h"

#include <string.h>

#include <llvm-c/Target.h>

static void write_bits(uint8_t *to, uint64_t value, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes && i < 8; i++) to[i] = (uint8_t)(value >> (8 * i));
}

static void write_constant(struct cc *cc, LLVMValueRef global, LLVMValueRef v, uint8_t *to);

static void write_members(struct cc *cc, LLVMValueRef global, LLVMValueRef v, LLVMTypeRef type, uint8_t *to)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(cc->module);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t n = kind == LLVMStructTypeKind   ? LLVMCountStructElementTypes(type)
                 : kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
                                              : LLVMGetArrayLength2(type);
    for (uint64_t i = 0; i < n; i++) {
        LLVMValueRef e = LLVMGetAggregateElement(v, (unsigned)i);
        if (!e) cc_error(cc, CC_FAILED, global, "unsupported initializer of a __constant variable");
        uint64_t at = kind == LLVMStructTypeKind
                          ? LLVMOffsetOfElement(data, type, (unsigned)i)
                          : i * (kind == LLVMVectorTypeKind ? LLVMStoreSizeOfType(data, LLVMTypeOf(e))
                                                            : LLVMABISizeOfType(data, LLVMTypeOf(e)));
        write_constant(cc, global, e, to + at);
    }
}

/* Nothing but plain data: an address inside a constant would need a relocation. */
static void write_constant(struct cc *cc, LLVMValueRef global, LLVMValueRef v, uint8_t *to)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    size_t n;
    if (LLVMIsUndef(v) || LLVMIsNull(v)) return;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind: write_members(cc, global, v, type, to); return;
    case LLVMFloatTypeKind: v = LLVMConstBitCast(v, LLVMInt32TypeInContext(cc->context)); break;
    case LLVMHalfTypeKind: v = LLVMConstBitCast(v, LLVMInt16TypeInContext(cc->context)); break;
    case LLVMDoubleTypeKind: v = LLVMConstBitCast(v, LLVMInt64TypeInContext(cc->context)); break;
    default: break;
    }
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        cc_error(cc, CC_FAILED, global,
                 "the initializer of __constant variable '%s' contains an address or another value that is not "
                 "known here",
                 LLVMGetValueName2(global, &n));
    write_bits(to, LLVMConstIntGetZExtValue(v), (LLVMGetIntTypeWidth(LLVMTypeOf(v)) + 7) / 8);
}

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
    LLVMValueRef init = LLVMGetInitializer(global);
    if (!init) cc_error(cc, CC_FAILED, global, "__constant variable '%s' has no value", LLVMGetValueName2(global, &n));
    uint64_t align = LLVMGetAlignment(global), size = LLVMABISizeOfType(data, type);
    if (align < LLVMABIAlignmentOfType(data, type)) align = LLVMABIAlignmentOfType(data, type);
    uint64_t at = (cc->rodata_size + align - 1) & ~(align - 1);
    if (align > ABI_PAGE || size > ABI_CODE_LIMIT - cc->rodata_addr || at > ABI_CODE_LIMIT - cc->rodata_addr - size)
        cc_error(cc, CC_FAILED, global, "__constant variable '%s' is too large", LLVMGetValueName2(global, &n));
    cc->constants = cc_grow(cc, cc->constants, cc->nconstants, &cc->constants_room, sizeof *cc->constants);
    cc->constants[cc->nconstants++] = (struct constant){global, (uint32_t)at};
    reserve(cc, (uint32_t)(at + size));
    write_constant(cc, global, init, cc->rodata + at);
    return cc->rodata_addr + (uint32_t)at;
}

uint32_t rodata_words(struct cc *cc, const uint32_t *words, uint32_t n)
{
    uint32_t at = (cc->rodata_size + 3) & ~3u;
    if (at > ABI_CODE_LIMIT - cc->rodata_addr - 4 * n) cc_error(cc, CC_FAILED, NULL, "the constants are too large");
    reserve(cc, at + 4 * n);
    for (uint32_t i = 0; i < n; i++) write_bits(cc->rodata + at + 4 * i, words[i], 4);
    return cc->rodata_addr + at;
}
