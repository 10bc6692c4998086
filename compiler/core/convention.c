/* The convention of functions that other objects see (docs/abi.md): which registers are whose.
 *
 * Called by select/routine.c and emit.c. */
#include "compiler/core/registers.h"

static bool is_saved(bool vector, unsigned n)
{
    return vector ? n >= 32 && n < 48 : n == 8 || n == 9 || (n >= 18 && n < 28);
}

/* Zero, the stack pointers and the global pointer are nobody's to change. */
static bool is_fixed(bool vector, unsigned n) { return !vector && (n == 0 || (n >= 2 && n <= 4)); }

static struct isa_registers all_that(bool (*is)(bool, unsigned), bool (* or)(bool, unsigned), bool wanted)
{
    struct isa_registers set = {0};
    for (unsigned n = 0; n < ISA_VREGS; n++)
        if ((is(true, n) || or (true, n)) == wanted) registers_add(&set, true, n);
    for (unsigned n = 0; n < ISA_XREGS; n++)
        if ((is(false, n) || or (false, n)) == wanted) registers_add(&set, false, n);
    return set;
}

struct isa_registers convention_written(void) { return all_that(is_saved, is_fixed, false); }

struct isa_registers convention_saved(void) { return all_that(is_saved, is_saved, true); }

bool convention_is_paired(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind ||
           (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
}
