/* Instructions that are built-in functions of OpenCL C: those of OpenCL.std, of work-groups, barriers, atomics. */
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/reader.h"

/* Adds operand `i` under the name of its type. */
static void add_operand(struct reader *r, struct arguments *a, uint32_t i, char sign, const char *qualifiers)
{
    argument_add(r, a, operand_value(r, i), type_name_of(r, operand_value_id(r, i)->type, sign, qualifiers));
}

LLVMValueRef generic(struct reader *r, LLVMValueRef pointer)
{
    return LLVMBuildAddrSpaceCast(r->b, pointer, LLVMPointerTypeInContext(r->cc->context, 4), "");
}

static void check_result(struct reader *r)
{
    if (!r->type->llvm || r->type->op == OP_TypeFunction) spirv_error(r, "a function does not return its type");
}

/* ---- OpenCL.std ---- */

enum std_kind { PLAIN, LOAD, LOAD_N, STORE, STORE_N, STORE_R, PRINTF, NOTHING };
static const struct std {
    uint16_t number;
    uint8_t operands;
    enum std_kind kind;
    const char *name, *signs;
} std[] = {
#define STD(number, name, signs, operands, kind) {number, operands, kind, #name, signs},
#include "compiler/spirv/std.def"
};

static int compare_std(const void *number, const void *row)
{
    return (int)*(const uint32_t *)number - ((const struct std *)row)->number;
}

static LLVMValueRef call_printf(struct reader *r)
{
    LLVMValueRef *args = cc_alloc(r->cc, r->noperands * sizeof *args);
    for (uint32_t i = 2; i < r->noperands; i++) args[i - 2] = operand_value(r, i);
    if (LLVMGetTypeKind(LLVMTypeOf(args[0])) != LLVMPointerTypeKind) spirv_error(r, "printf's format is no pointer");
    LLVMTypeRef type = LLVMFunctionType(int_type(r, 32), (LLVMTypeRef[]){LLVMTypeOf(args[0])}, 1, true);
    return LLVMBuildCall2(r->b, type, function_add(r, "printf", type), args, r->noperands - 2, "");
}

/* Operand 2 is the first of the function's own; the number of elements or the rounding, behind `n` of them, stands in
 * its name. */
static const char *std_name(struct reader *r, const struct std *f, uint32_t *n)
{
    static const char *const roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};
    const char *name = f->name;
    if (f->kind == LOAD_N) {
        if (*n != 3) spirv_error(r, "it needs an offset, a pointer and the number of elements");
        *n = 2;
        return cc_printf(r->cc, "%s%u", name, r->operands[4]);
    }
    if (f->kind != STORE_N && f->kind != STORE_R) return name;
    if (*n != (f->kind == STORE_R ? 4 : 3)) spirv_error(r, "it needs data, an offset and a pointer");
    *n = 3;
    unsigned count = vector_count(LLVMTypeOf(operand_value(r, 2)));
    if (count) name = cc_printf(r->cc, "%s%u", name, count);
    if (f->kind == STORE_N) return name;
    if (r->operands[5] > 3) spirv_error(r, "there is no rounding mode %u", r->operands[5]);
    return cc_printf(r->cc, "%s%s", name, roundings[r->operands[5]]);
}

LLVMValueRef read_extended(struct reader *r)
{
    const struct id *set = operand_id(r, 0);
    if (set->kind == ID_NON_SEMANTIC) return NULL;
    if (set->kind != ID_OPENCL) spirv_error(r, "%%%u is no set of instructions", r->operands[0]);
    if (!r->label) spirv_error(r, "it stands outside of a block");
    const struct std *f = bsearch(&r->operands[1], std, sizeof std / sizeof *std, sizeof *std, compare_std);
    if (!f) spirv_error(r, "OpenCL.std has no instruction %u", r->operands[1]);
    uint32_t n = r->noperands - 2;
    if (n < f->operands) spirv_error(r, "%s needs %u operands", f->name, f->operands);
    check_result(r);
    if (f->kind == NOTHING) return NULL;
    if (f->kind == PRINTF) return call_printf(r);
    struct arguments a = {.types = ""};
    const char *name = std_name(r, f, &n), *sign = f->signs;
    for (uint32_t i = 0; i < n; i++) {
        add_operand(r, &a, i + 2, *sign, f->kind == LOAD || f->kind == LOAD_N ? "K" : "");
        if (sign[1]) sign++;
    }
    return builtin_call(r, name, r->type->llvm, &a);
}

/* Of operands of the result's kind: dot, popcount. */
LLVMValueRef read_builtin(struct reader *r)
{
    struct arguments a = {.types = ""};
    check_result(r);
    for (uint32_t i = 0; i < r->noperands; i++) add_operand(r, &a, i, 'u', "");
    return builtin_call(r, r->op->number == OP_Dot ? "dot" : "popcount", r->type->llvm, &a);
}

/* NULL if the pointer does not point there. */
LLVMValueRef read_generic_cast(struct reader *r)
{
    static const char *const names[] = {"__to_private", "__to_global", NULL, "__to_local"};
    LLVMTypeRef from = LLVMPointerTypeInContext(r->cc->context, 4);
    LLVMValueRef pointer = operand_of(r, 0, from);
    unsigned space = r->type->op == OP_TypePointer ? space_number(r, r->type->count) : 4;
    if (space > 3 || !names[space]) spirv_error(r, "its type is no pointer to private, local or global memory");
    LLVMTypeRef type = LLVMFunctionType(r->type->llvm, &from, 1, false);
    return LLVMBuildCall2(r->b, type, function_add(r, names[space], type), &pointer, 1, "");
}

/* get_fence's flags are SPIR-V's bits for the kinds of memory, eight places lower. */
LLVMValueRef read_generic_semantics(struct reader *r)
{
    struct arguments a = {.types = ""};
    argument_add(r, &a, operand_of(r, 0, LLVMPointerTypeInContext(r->cc->context, 4)), "PU3AS4v");
    return LLVMBuildShl(r->b, builtin_call(r, "get_fence", int_type(r, 32), &a), int_value(r, 8), "");
}

/* ---- work-groups ---- */

enum { SCOPE_DEVICE = 1, SCOPE_WORK_GROUP = 2, SCOPE_SUB_GROUP = 3, SCOPE_WORK_ITEM = 4 };

const char *group_name(struct reader *r, uint32_t i)
{
    uint64_t scope = operand_constant(r, i);
    if (scope != SCOPE_WORK_GROUP && scope != SCOPE_SUB_GROUP) spirv_error(r, "it is of no work-group or sub-group");
    return scope == SCOPE_WORK_GROUP ? "work_group" : "sub_group";
}

LLVMValueRef read_group_boolean(struct reader *r)
{
    struct arguments a = {.types = ""};
    const char *name = cc_printf(r->cc, "%s_%s", group_name(r, 0), r->op->how ? "any" : "all");
    argument_add(r, &a, LLVMBuildZExt(r->b, operand_of(r, 1, int_type(r, 1)), int_type(r, 32), ""), "i");
    LLVMValueRef value = builtin_call(r, name, int_type(r, 32), &a);
    return LLVMBuildICmp(r->b, LLVMIntNE, value, int_value(r, 0), "");
}

/* Values of fewer bits than the functions have go as ints. */
static LLVMValueRef widened(struct reader *r, LLVMValueRef v, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    bool narrow = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 32;
    return narrow ? LLVMBuildIntCast2(r->b, v, int_type(r, 32), is_signed, "") : v;
}

static LLVMValueRef group_call(struct reader *r, const char *name, struct arguments *a, LLVMValueRef v, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef wide = widened(r, v, is_signed);
    const char *letter = wide == v ? type_name_of(r, r->type, is_signed ? 's' : 'u', "") : is_signed ? "i" : "j";
    a->value[0] = wide;
    a->types = cc_printf(r->cc, "%s%s", letter, a->types);
    LLVMValueRef result = builtin_call(r, name, LLVMTypeOf(wide), a);
    return wide == v ? result : LLVMBuildTrunc(r->b, result, type, "");
}

/* The work-item is said by one number, or by two or three. */
LLVMValueRef read_group_broadcast(struct reader *r)
{
    LLVMValueRef v = operand_of(r, 1, r->type->llvm), from = operand_value(r, 2);
    unsigned n = vector_count(LLVMTypeOf(from));
    if (scalar_type(LLVMTypeOf(from)) != int_type(r, 32) || n > 3) spirv_error(r, "it says no work-item");
    if (r->type->op != OP_TypeInt && r->type->op != OP_TypeFloat) spirv_error(r, "only numbers can be broadcast");
    struct arguments a = {.n = 1, .types = ""};
    for (unsigned i = 0; i < (n ? n : 1); i++)
        argument_add(r, &a, n ? LLVMBuildExtractElement(r->b, from, int_value(r, i), "") : from, "j");
    return group_call(r, cc_printf(r->cc, "%s_broadcast", group_name(r, 0)), &a, v, true);
}

/* how: a, n, x; of unsigned numbers N, X. */
LLVMValueRef read_group_reduce(struct reader *r)
{
    static const char *const operations[] = {"reduce", "scan_inclusive", "scan_exclusive"};
    bool is_unsigned = r->op->how == 'N' || r->op->how == 'X';
    const char *what = r->op->how == 'a' ? "add" : r->op->how == 'n' || r->op->how == 'N' ? "min" : "max";
    LLVMValueRef v = operand_of(r, 2, r->type->llvm);
    if (r->type->op != OP_TypeInt && r->type->op != OP_TypeFloat) spirv_error(r, "only numbers can be reduced");
    if (r->operands[1] > 2) spirv_error(r, "there is no group operation %u", r->operands[1]);
    struct arguments a = {.n = 1, .types = ""};
    const char *name = cc_printf(r->cc, "%s_%s_%s", group_name(r, 0), operations[r->operands[1]], what);
    return group_call(r, name, &a, v, !is_unsigned);
}

/* Scope, to, from, number, stride, event. */
LLVMValueRef read_async_copy(struct reader *r)
{
    struct arguments a = {.types = ""};
    if (r->type->op != OP_TypeEvent) spirv_error(r, "its type is no event");
    add_operand(r, &a, 1, 'u', "");
    add_operand(r, &a, 2, 'u', "K");
    for (uint32_t i = 3; i < 5; i++) argument_add(r, &a, operand_of(r, i, int_type(r, 32)), "j");
    add_operand(r, &a, 5, 'u', "");
    return builtin_call(r, "async_work_group_strided_copy", r->type->llvm, &a);
}

LLVMValueRef read_wait(struct reader *r)
{
    struct arguments a = {.types = ""};
    LLVMValueRef events = operand_value(r, 2);
    if (LLVMGetTypeKind(LLVMTypeOf(events)) != LLVMPointerTypeKind) spirv_error(r, "it needs a pointer to events");
    argument_add(r, &a, operand_of(r, 1, int_type(r, 32)), "i");
    argument_add(r, &a, generic(r, events), "PU3AS49ocl_event");
    builtin_call(r, "wait_group_events", LLVMVoidTypeInContext(r->cc->context), &a);
    return NULL;
}

/* ---- barriers ---- */

/* SPIR-V's semantics are bits for the order and for the kinds of memory. */
enum {
    ACQUIRE = 2,
    RELEASE = 4,
    ACQUIRE_RELEASE = 8,
    SEQUENTIAL = 16,
    LOCAL_MEMORY = 0x100,
    GLOBAL_MEMORY = 0x200,
    IMAGE_MEMORY = 0x800
};

static bool is_constant(struct reader *r, uint32_t i) { return LLVMIsAConstantInt(operand_value(r, i)); }

/* CLK_LOCAL_MEM_FENCE and the others; all, if it is not known when the program is compiled. */
static LLVMValueRef fence_flags(struct reader *r, uint32_t i)
{
    uint64_t s = is_constant(r, i) ? operand_constant(r, i) : LOCAL_MEMORY | GLOBAL_MEMORY | IMAGE_MEMORY;
    return int_value(r, (s & LOCAL_MEMORY ? 1 : 0) | (s & GLOBAL_MEMORY ? 2 : 0) | (s & IMAGE_MEMORY ? 4 : 0));
}

/* memory_order; the strongest, if it is not known. */
static LLVMValueRef order_of(struct reader *r, uint32_t i)
{
    enum { ORDER_RELAXED = 0, ORDER_ACQUIRE = 2, ORDER_RELEASE = 3, ORDER_ACQ_REL = 4, ORDER_SEQ_CST = 5 };
    uint64_t s = is_constant(r, i) ? operand_constant(r, i) : SEQUENTIAL;
    return int_value(r, s & SEQUENTIAL                                        ? ORDER_SEQ_CST
                        : s & ACQUIRE_RELEASE || (s & ACQUIRE && s & RELEASE) ? ORDER_ACQ_REL
                        : s & RELEASE                                         ? ORDER_RELEASE
                        : s & ACQUIRE                                         ? ORDER_ACQUIRE
                                                                              : ORDER_RELAXED);
}

/* memory_scope; the device, if it is not known, and for what the host could see too. */
static LLVMValueRef scope_of(struct reader *r, uint32_t i)
{
    enum { ITEM = 0, WORK_GROUP = 1, DEVICE = 2, SUB_GROUP = 4 };
    uint64_t scope = is_constant(r, i) ? operand_constant(r, i) : SCOPE_DEVICE;
    return int_value(r, scope == SCOPE_WORK_ITEM    ? ITEM
                        : scope == SCOPE_WORK_GROUP ? WORK_GROUP
                        : scope == SCOPE_SUB_GROUP  ? SUB_GROUP
                                                    : DEVICE);
}

LLVMValueRef read_barrier(struct reader *r)
{
    struct arguments a = {.types = ""};
    const char *name = cc_printf(r->cc, "%s_barrier", group_name(r, 0));
    argument_add(r, &a, fence_flags(r, 2), "j");
    argument_add(r, &a, scope_of(r, 1), "12memory_scope");
    builtin_call(r, name, LLVMVoidTypeInContext(r->cc->context), &a);
    return NULL;
}

LLVMValueRef read_memory_barrier(struct reader *r)
{
    struct arguments a = {.types = ""};
    argument_add(r, &a, fence_flags(r, 1), "j");
    argument_add(r, &a, order_of(r, 1), "12memory_order");
    argument_add(r, &a, scope_of(r, 0), "12memory_scope");
    builtin_call(r, "atomic_work_item_fence", LLVMVoidTypeInContext(r->cc->context), &a);
    return NULL;
}

/* ---- atomics ---- */

static const struct atomic {
    const char *name;
    char sign;
    bool value; /* it takes one, or for increments 1 */
} atomics[] = {
    [0] = {"atomic_load_explicit", 's', false},
    [OP_AtomicStore - OP_AtomicLoad] = {"atomic_store_explicit", 's', true},
    [OP_AtomicExchange - OP_AtomicLoad] = {"atomic_exchange_explicit", 's', true},
    [OP_AtomicIIncrement - OP_AtomicLoad] = {"atomic_fetch_add_explicit", 's', true},
    [OP_AtomicIDecrement - OP_AtomicLoad] = {"atomic_fetch_sub_explicit", 's', true},
    [OP_AtomicIAdd - OP_AtomicLoad] = {"atomic_fetch_add_explicit", 's', true},
    [OP_AtomicISub - OP_AtomicLoad] = {"atomic_fetch_sub_explicit", 's', true},
    [OP_AtomicSMin - OP_AtomicLoad] = {"atomic_fetch_min_explicit", 's', true},
    [OP_AtomicUMin - OP_AtomicLoad] = {"atomic_fetch_min_explicit", 'u', true},
    [OP_AtomicSMax - OP_AtomicLoad] = {"atomic_fetch_max_explicit", 's', true},
    [OP_AtomicUMax - OP_AtomicLoad] = {"atomic_fetch_max_explicit", 'u', true},
    [OP_AtomicAnd - OP_AtomicLoad] = {"atomic_fetch_and_explicit", 's', true},
    [OP_AtomicOr - OP_AtomicLoad] = {"atomic_fetch_or_explicit", 's', true},
    [OP_AtomicXor - OP_AtomicLoad] = {"atomic_fetch_xor_explicit", 's', true},
};

/* What the atomic operation is on: a number of 32 or 64 bits in memory. */
static const struct type *atomic_type(struct reader *r, const struct id *pointer)
{
    const struct type *t = pointer->type->op == OP_TypePointer ? pointer->type->element : NULL;
    if (!t || (t->op != OP_TypeInt && t->op != OP_TypeFloat) || t->count < 32)
        spirv_error(r, "atomic operations are on numbers of 32 or 64 bits in memory");
    return t;
}

static void add_atomic(struct reader *r, struct arguments *a, const struct type *t, char sign)
{
    argument_add(r, a, generic(r, operand_value(r, 0)),
                 cc_printf(r->cc, "PU3AS4VU7_Atomic%s", type_name_of(r, t, sign, "")));
}

/* C11's function leaves the value that was there in what it was expected to be. */
static LLVMValueRef compare_exchange(struct reader *r, const struct type *t)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(r->b), entry = LLVMGetEntryBasicBlock(r->function->value);
    LLVMValueRef value = operand_of(r, 4, t->llvm), wanted = operand_of(r, 5, t->llvm);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    if (first) LLVMPositionBuilderBefore(r->b, first);
    LLVMValueRef expected = LLVMBuildAlloca(r->b, t->llvm, "");
    LLVMPositionBuilderAtEnd(r->b, here);
    LLVMBuildStore(r->b, wanted, expected);
    struct arguments a = {.types = ""};
    add_atomic(r, &a, t, 's');
    argument_add(r, &a, generic(r, expected), cc_printf(r->cc, "PU3AS4%s", type_name_of(r, t, 's', "")));
    argument_add(r, &a, value, type_name_of(r, t, 's', ""));
    argument_add(r, &a, order_of(r, 2), "12memory_order");
    argument_add(r, &a, order_of(r, 3), "12memory_order");
    argument_add(r, &a, scope_of(r, 1), "12memory_scope");
    builtin_call(r, "atomic_compare_exchange_strong_explicit", int_type(r, 1), &a);
    return LLVMBuildLoad2(r->b, t->llvm, expected, "");
}

/* Flags are atomic ints. */
static LLVMValueRef flag(struct reader *r, const struct type *t, bool set)
{
    struct arguments a = {.types = ""};
    if (t->llvm != int_type(r, 32)) spirv_error(r, "a flag is an integer of 32 bits");
    add_atomic(r, &a, t, 's');
    argument_add(r, &a, order_of(r, 2), "12memory_order");
    argument_add(r, &a, scope_of(r, 1), "12memory_scope");
    if (set) return builtin_call(r, "atomic_flag_test_and_set_explicit", int_type(r, 1), &a);
    builtin_call(r, "atomic_flag_clear_explicit", LLVMVoidTypeInContext(r->cc->context), &a);
    return NULL;
}

/* Pointer, scope, semantics, value. */
LLVMValueRef read_atomic(struct reader *r)
{
    const struct type *t = atomic_type(r, operand_value_id(r, 0));
    uint32_t op = r->op->number;
    if (op == OP_AtomicFlagTestAndSet || op == OP_AtomicFlagClear) return flag(r, t, op == OP_AtomicFlagTestAndSet);
    if (op == OP_AtomicCompareExchange || op == OP_AtomicCompareExchangeWeak) return compare_exchange(r, t);
    const struct atomic *f = &atomics[op - OP_AtomicLoad];
    bool by_one = op == OP_AtomicIIncrement || op == OP_AtomicIDecrement;
    if (t->op == OP_TypeFloat && op > OP_AtomicExchange) spirv_error(r, "it is not done on floating-point numbers");
    struct arguments a = {.types = ""};
    add_atomic(r, &a, t, f->sign);
    if (f->value)
        argument_add(r, &a, by_one ? LLVMConstInt(t->llvm, 1, false) : operand_of(r, 3, t->llvm),
                     type_name_of(r, t, f->sign, ""));
    argument_add(r, &a, order_of(r, 2), "12memory_order");
    argument_add(r, &a, scope_of(r, 1), "12memory_scope");
    if (r->type) return builtin_call(r, f->name, t->llvm, &a);
    builtin_call(r, f->name, LLVMVoidTypeInContext(r->cc->context), &a);
    return NULL;
}
