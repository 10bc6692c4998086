/* Types of the IR as 32-bit parts, the size of a register, and as text for messages. */
#include "compiler/analysis/analysis.h"

unsigned type_bits(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMHalfTypeKind) return 16;
    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind) return 64;
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 32;
}

static const char *own_text(struct func *f, char *text)
{
    const char *copy = cc_printf(f->cc, "%.120s", text);
    LLVMDisposeMessage(text);
    return copy;
}

const char *text_of(struct func *f, LLVMValueRef v) { return own_text(f, LLVMPrintValueToString(v)); }
const char *text_of_type(struct func *f, LLVMTypeRef type) { return own_text(f, LLVMPrintTypeToString(type)); }

static unsigned checked_parts(struct func *f, uint64_t n)
{
    if (n > 4096) fail(f, "a value of more than 16 KiB");
    return (unsigned)n;
}

unsigned type_parts(struct func *f, LLVMTypeRef type)
{
    uint64_t n = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind:
    case LLVMMetadataTypeKind:
    case LLVMTargetExtTypeKind: /* an image, a sampler or a pipe, which nothing uses any more */
    case LLVMLabelTypeKind: return 0;
    case LLVMIntegerTypeKind: return checked_parts(f, (LLVMGetIntTypeWidth(type) + 31) / 32);
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMPointerTypeKind: return 1;
    case LLVMDoubleTypeKind: return 2;
    case LLVMVectorTypeKind:
        return checked_parts(f, (uint64_t)LLVMGetVectorSize(type) * type_parts(f, LLVMGetElementType(type)));
    case LLVMArrayTypeKind:
        return checked_parts(f, LLVMGetArrayLength2(type) * type_parts(f, LLVMGetElementType(type)));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            n += type_parts(f, LLVMStructGetTypeAtIndex(type, i));
        return checked_parts(f, n);
    default: fail(f, "a value of type %s", text_of_type(f, type));
    }
}

unsigned member_part(struct func *f, LLVMTypeRef type, unsigned index)
{
    unsigned n = 0;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind) return index * type_parts(f, LLVMGetElementType(type));
    for (unsigned i = 0; i < index; i++) n += type_parts(f, LLVMStructGetTypeAtIndex(type, i));
    return n;
}
