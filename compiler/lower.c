/* Constructs without a short machine form become calls of ordinary functions of library/lowered.cl
 * or libclc: 64-bit division and conversions, half, rounding, transcendental intrinsics, memory
 * moves, and what the machine's profile lacks. Runs before inlining; what is straight-line code is left to expand.c.
 * Vectors are taken apart. Called by prepare.c. */
#include <string.h>

#include "compiler/prepare.h"

enum { MAX_OPERANDS = 4, INLINE_BYTES = 64 };

/* A library function by the kinds of its result and operands: f float, w i32, l i64, h i16. */
struct helper {
    const char *name, *signature;
};

/* Intrinsics on float, by the part of the name between "llvm." and the type suffix. */
static const struct {
    const char *intrinsic;
    struct helper helper;
    // clang-format off
} intrinsics[] = {
    {"floor", {"__ventus_floor", "ff"}},     {"ceil", {"__ventus_ceil", "ff"}},
    {"trunc", {"__ventus_trunc", "ff"}},     {"rint", {"__ventus_rint", "ff"}},
    {"nearbyint", {"__ventus_rint", "ff"}},  {"roundeven", {"__ventus_rint", "ff"}},
    {"round", {"__ventus_round", "ff"}},     {"sin", {"_Z3sinf", "ff"}},
    {"cos", {"_Z3cosf", "ff"}},              {"tan", {"_Z3tanf", "ff"}},
    {"exp", {"_Z3expf", "ff"}},              {"exp2", {"_Z4exp2f", "ff"}},
    {"exp10", {"_Z5exp10f", "ff"}},          {"log", {"_Z3logf", "ff"}},
    {"log2", {"_Z4log2f", "ff"}},            {"log10", {"_Z5log10f", "ff"}},
    {"pow", {"_Z3powff", "fff"}},            {"powi", {"_Z4pownfi", "ffw"}},
    {"ldexp", {"_Z5ldexpfi", "ffw"}},
};
// clang-format on

/* Atomic operations, by LLVM's numbers, for machines that have them on scalars alone. */
static const struct helper each_lane[] = {
    [LLVMAtomicRMWBinOpXchg] = {"__ventus_each_xchg", "www"},
    [LLVMAtomicRMWBinOpAdd] = {"__ventus_each_add", "www"},
    [LLVMAtomicRMWBinOpSub] = {"__ventus_each_sub", "www"},
    [LLVMAtomicRMWBinOpAnd] = {"__ventus_each_and", "www"},
    [LLVMAtomicRMWBinOpNand] = {"__ventus_each_nand", "www"},
    [LLVMAtomicRMWBinOpOr] = {"__ventus_each_or", "www"},
    [LLVMAtomicRMWBinOpXor] = {"__ventus_each_xor", "www"},
    [LLVMAtomicRMWBinOpMax] = {"__ventus_each_max", "www"},
    [LLVMAtomicRMWBinOpMin] = {"__ventus_each_min", "www"},
    [LLVMAtomicRMWBinOpUMax] = {"__ventus_each_umax", "www"},
    [LLVMAtomicRMWBinOpUMin] = {"__ventus_each_umin", "www"},
    [LLVMAtomicRMWBinOpFAdd] = {"__ventus_each_fadd", "fwf"},
    [LLVMAtomicRMWBinOpFSub] = {"__ventus_each_fsub", "fwf"},
    [LLVMAtomicRMWBinOpFMax] = {"__ventus_each_fmax", "fwf"},
    [LLVMAtomicRMWBinOpFMin] = {"__ventus_each_fmin", "fwf"},
    [LLVMAtomicRMWBinOpUIncWrap] = {"__ventus_each_uinc_wrap", "www"},
    [LLVMAtomicRMWBinOpUDecWrap] = {"__ventus_each_udec_wrap", "www"},
};
static const struct helper each_lane_compare = {"__ventus_each_cmpxchg", "wwww"};

struct lowering {
    struct cc *cc;
    LLVMBuilderRef b;
    bool late, changed;
};

static LLVMTypeRef letter_type(struct cc *cc, char letter)
{
    switch (letter) {
    case 'f': return LLVMFloatTypeInContext(cc->context);
    case 'l': return LLVMInt64TypeInContext(cc->context);
    case 'h': return LLVMInt16TypeInContext(cc->context);
    default: return LLVMInt32TypeInContext(cc->context);
    }
}

static LLVMValueRef call_typed(struct lowering *l, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned n)
{
    LLVMValueRef f = LLVMGetNamedFunction(l->cc->module, name);
    if (!f) f = LLVMAddFunction(l->cc->module, name, type);
    return LLVMBuildCall2(l->b, type, f, args, n, "");
}

static LLVMValueRef call_helper(struct lowering *l, const struct helper *h, LLVMValueRef *args)
{
    LLVMTypeRef types[MAX_OPERANDS];
    unsigned n = (unsigned)strlen(h->signature) - 1;
    for (unsigned i = 0; i < n; i++) types[i] = letter_type(l->cc, h->signature[i + 1]);
    return call_typed(l, h->name, LLVMFunctionType(letter_type(l->cc, h->signature[0]), types, n, false), args, n);
}

static LLVMTypeRef element(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static unsigned int_width(LLVMTypeRef type)
{
    type = element(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static bool is_kind(LLVMTypeRef type, LLVMTypeKind kind) { return LLVMGetTypeKind(element(type)) == kind; }

/* Half is carried as its 16 bits: operands go in as i16 and a half result comes out of one. */
static LLVMValueRef scalar(struct lowering *l, const struct helper *h, LLVMValueRef *args, LLVMTypeRef result)
{
    for (unsigned i = 0; h->signature[i + 1]; i++)
        if (h->signature[i + 1] == 'h') args[i] = LLVMBuildBitCast(l->b, args[i], letter_type(l->cc, 'h'), "");
    LLVMValueRef v = call_helper(l, h, args);
    return LLVMTypeOf(v) == result ? v : LLVMBuildBitCast(l->b, v, result, "");
}

/* Replaces an instruction by calls of `h` on its operands, one for each vector element. */
static void replace(struct lowering *l, LLVMValueRef inst, const struct helper *h)
{
    LLVMTypeRef type = LLVMTypeOf(inst), i32 = letter_type(l->cc, 'w');
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    unsigned lanes = vector ? LLVMGetVectorSize(type) : 1, n = (unsigned)strlen(h->signature) - 1;
    LLVMPositionBuilderBefore(l->b, inst);
    LLVMValueRef result = vector ? LLVMGetPoison(type) : NULL;
    for (unsigned lane = 0; lane < lanes; lane++) {
        LLVMValueRef args[MAX_OPERANDS], index = LLVMConstInt(i32, lane, false);
        for (unsigned i = 0; i < n; i++) {
            args[i] = LLVMGetOperand(inst, i);
            if (LLVMGetTypeKind(LLVMTypeOf(args[i])) == LLVMVectorTypeKind)
                args[i] = LLVMBuildExtractElement(l->b, args[i], index, "");
        }
        LLVMValueRef v = scalar(l, h, args, element(type));
        result = vector ? LLVMBuildInsertElement(l->b, result, v, index, "") : v;
    }
    LLVMReplaceAllUsesWith(inst, result);
    LLVMInstructionEraseFromParent(inst);
    l->changed = true;
}

/* ---- which instructions ---- */

static const struct helper *division(struct lowering *l, LLVMValueRef inst)
{
    // clang-format off
    static const struct helper helpers[] = {
        {"__ventus_udiv64", "lll"}, {"__ventus_sdiv64", "lll"}, {"__ventus_urem64", "lll"}, {"__ventus_srem64", "lll"},
    };
    // clang-format on
    unsigned width = int_width(LLVMTypeOf(inst));
    if (width <= 32) return NULL;
    if (width != 64) cc_error(l->cc, CC_FAILED, inst, "division of %u-bit integers is not possible", width);
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    return &helpers[op == LLVMUDiv ? 0 : op == LLVMSDiv ? 1 : op == LLVMURem ? 2 : 3];
}

static const struct helper *conversion(LLVMValueRef inst)
{
    static const struct helper to_float[] = {{"__ventus_utof64", "fl"}, {"__ventus_stof64", "fl"}};
    static const struct helper to_int[] = {{"__ventus_ftou64", "lf"}, {"__ventus_ftos64", "lf"}};
    static const struct helper widen = {"__ventus_half_to_float", "fh"}, narrow = {"__ventus_float_to_half", "hf"};
    LLVMTypeRef to = LLVMTypeOf(inst), from = LLVMTypeOf(LLVMGetOperand(inst, 0));
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMUIToFP: return int_width(from) == 64 && is_kind(to, LLVMFloatTypeKind) ? &to_float[0] : NULL;
    case LLVMSIToFP: return int_width(from) == 64 && is_kind(to, LLVMFloatTypeKind) ? &to_float[1] : NULL;
    case LLVMFPToUI: return int_width(to) == 64 && is_kind(from, LLVMFloatTypeKind) ? &to_int[0] : NULL;
    case LLVMFPToSI: return int_width(to) == 64 && is_kind(from, LLVMFloatTypeKind) ? &to_int[1] : NULL;
    case LLVMFPExt: return is_kind(from, LLVMHalfTypeKind) && is_kind(to, LLVMFloatTypeKind) ? &widen : NULL;
    case LLVMFPTrunc: return is_kind(to, LLVMHalfTypeKind) && is_kind(from, LLVMFloatTypeKind) ? &narrow : NULL;
    default: return NULL;
    }
}

static const struct helper *remainder_of(LLVMValueRef inst)
{
    static const struct helper h = {"__ventus_frem", "fff"};
    return is_kind(LLVMTypeOf(inst), LLVMFloatTypeKind) ? &h : NULL;
}

/* "llvm.NAME." at the start of the callee's name. */
static bool intrinsic_is(LLVMValueRef call, const char *name)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(f) || !LLVMGetIntrinsicID(f)) return false;
    const char *have = LLVMGetValueName(f);
    size_t n = strlen(name);
    return !strncmp(have, "llvm.", 5) && !strncmp(have + 5, name, n) && have[5 + n] == '.';
}

static const struct helper *intrinsic(LLVMValueRef call)
{
    if (!is_kind(LLVMTypeOf(call), LLVMFloatTypeKind)) return NULL;
    for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
        if (intrinsic_is(call, intrinsics[i].intrinsic)) return &intrinsics[i].helper;
    return NULL;
}

/* Saturating conversions to 64 bits; narrower ones are straight-line code. */
static const struct helper *saturating(LLVMValueRef call)
{
    static const struct helper u = {"__ventus_ftou64_sat", "lf"}, s = {"__ventus_ftos64_sat", "lf"};
    if (int_width(LLVMTypeOf(call)) != 64) return NULL;
    return intrinsic_is(call, "fptoui.sat") ? &u : intrinsic_is(call, "fptosi.sat") ? &s : NULL;
}

/* ---- what not all machines have ---- */

static const struct helper *special_function(struct lowering *l, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    const struct primitive *p = LLVMIsAFunction(f) ? primitive_find(LLVMGetValueName(f)) : NULL;
    if (!p || !p->instead || profile_has(l->cc, p->op)) return NULL;
    struct helper *h = cc_alloc(l->cc, sizeof *h);
    *h = (struct helper){p->instead, "ff"};
    return h;
}

/* A word in memory, as the helpers take it: its bits as a number of the kind that the letter says. */
static LLVMValueRef as_letter(struct lowering *l, LLVMValueRef v, char letter)
{
    LLVMTypeRef type = letter_type(l->cc, letter);
    return LLVMTypeOf(v) == type ? v : LLVMBuildBitCast(l->b, v, type, "");
}

/* The word that was in memory before. */
static LLVMValueRef call_each_lane(struct lowering *l, LLVMValueRef inst, const struct helper *h, LLVMTypeRef type)
{
    LLVMValueRef args[MAX_OPERANDS];
    LLVMPositionBuilderBefore(l->b, inst);
    args[0] = LLVMBuildPtrToInt(l->b, LLVMGetOperand(inst, 0), letter_type(l->cc, 'w'), "");
    for (unsigned i = 1; h->signature[i + 1]; i++) args[i] = as_letter(l, LLVMGetOperand(inst, i), h->signature[i + 1]);
    LLVMValueRef old = call_helper(l, h, args);
    return LLVMTypeOf(old) == type ? old : LLVMBuildBitCast(l->b, old, type, "");
}

/* Words alone: whatever else is left to the back end, which refuses it. */
static bool is_word(struct lowering *l, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return type == letter_type(l->cc, 'w') || type == letter_type(l->cc, 'f');
}

static void lower_atomic(struct lowering *l, LLVMValueRef inst)
{
    bool compare = LLVMGetInstructionOpcode(inst) == LLVMAtomicCmpXchg;
    unsigned op = compare ? 0 : LLVMGetAtomicRMWBinOp(inst);
    const struct helper *h = compare                                     ? &each_lane_compare
                             : op < sizeof each_lane / sizeof *each_lane ? &each_lane[op]
                                                                         : NULL;
    LLVMValueRef value = LLVMGetOperand(inst, 1);
    if (profile_has(l->cc, OP_AMOADD_W) || !h || !h->name || !is_word(l, value)) return;
    LLVMValueRef old = call_each_lane(l, inst, h, LLVMTypeOf(value));
    if (compare) {
        LLVMValueRef equal = LLVMBuildICmp(l->b, LLVMIntEQ, old, value, "");
        old = LLVMBuildInsertValue(l->b, LLVMGetPoison(LLVMTypeOf(inst)), old, 0, "");
        old = LLVMBuildInsertValue(l->b, old, equal, 1, "");
    }
    LLVMReplaceAllUsesWith(inst, old);
    LLVMInstructionEraseFromParent(inst);
    l->changed = true;
}

/* ---- memory moves ---- */

/* Short moves of known size are left for expand.c. */
static bool is_short(LLVMValueRef size)
{
    return LLVMIsAConstantInt(size) && LLVMConstIntGetZExtValue(size) <= INLINE_BYTES;
}

static unsigned space(LLVMValueRef pointer) { return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)); }

static void move_memory(struct lowering *l, LLVMValueRef call)
{
    bool set = intrinsic_is(call, "memset"), copy = intrinsic_is(call, "memcpy");
    if (!l->late || (!set && !copy && !intrinsic_is(call, "memmove"))) return;
    LLVMValueRef to = LLVMGetOperand(call, 0), what = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    if (is_short(size)) return;
    if (space(to) > 3 || (!set && space(what) > 3))
        cc_error(l->cc, CC_FAILED, call, "copies through generic pointers are not possible");
    const char *name = set ? cc_printf(l->cc, "__ventus_memset_%u", space(to))
                           : cc_printf(l->cc, "__ventus_%s_%u%u", copy ? "memcpy" : "memmove", space(to), space(what));
    LLVMPositionBuilderBefore(l->b, call);
    size = LLVMBuildIntCast2(l->b, size, letter_type(l->cc, 'w'), false, "");
    LLVMTypeRef types[] = {LLVMTypeOf(to), LLVMTypeOf(what), LLVMTypeOf(size)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->cc->context), types, 3, false);
    call_typed(l, name, type, (LLVMValueRef[]){to, what, size}, 3);
    LLVMInstructionEraseFromParent(call);
    l->changed = true;
}

static void lower(struct lowering *l, LLVMValueRef inst)
{
    const struct helper *h = NULL;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: h = division(l, inst); break;
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMFPExt:
    case LLVMFPTrunc: h = conversion(inst); break;
    case LLVMFRem: h = remainder_of(inst); break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: lower_atomic(l, inst); return;
    case LLVMCall:
        h = intrinsic(inst);
        if (!h) h = saturating(inst);
        if (!h) h = special_function(l, inst);
        if (!h) {
            move_memory(l, inst);
            return;
        }
        break;
    default: return;
    }
    if (h) replace(l, inst, h);
}

bool lower_calls(struct cc *cc, bool late)
{
    struct lowering l = {.cc = cc, .b = cc->builder, .late = late};
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                lower(&l, i);
            }
    return l.changed;
}
