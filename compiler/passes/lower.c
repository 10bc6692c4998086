/* Constructs without a short machine form become calls of ordinary functions of library/lowered.cl
 * or libclc: 64-bit division and conversions, doubles, rounding, transcendental intrinsics, memory
 * moves, and what the machine's profile lacks. Runs before inlining; what is straight-line code is left to expand.c.
 * Vectors are taken apart. Called by prepare.c. */
#include <string.h>

#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

/* INLINE_BYTES is a guess: the kernels of bench/code execute the same instructions with 32 and with 128. */
enum { MAX_OPERANDS = 4, INLINE_BYTES = 64 };

/* A library function by the kinds of its result and operands: f float, d double, w i32, l i64, and as integers of their
 * bits h half, b double. */
struct helper {
    const char *name, *signature;
};

/* Intrinsics on floats and doubles, by the part of the name between "llvm." and the type suffix. The others on floats
 * are machine instructions. */
static const struct {
    const char *intrinsic;
    struct helper on_float, on_double;
    // clang-format off
} intrinsics[] = {
    {"floor", {"__ventus_floor", "ff"}, {"__ventus_routine_floor", "bb"}},
    {"ceil", {"__ventus_ceil", "ff"}, {"__ventus_routine_ceil", "bb"}},
    {"trunc", {"__ventus_trunc", "ff"}, {"__ventus_routine_trunc", "bb"}},
    {"rint", {"__ventus_rint", "ff"}, {"__ventus_routine_rint", "bb"}},
    {"nearbyint", {"__ventus_rint", "ff"}, {"__ventus_routine_rint", "bb"}},
    {"roundeven", {"__ventus_rint", "ff"}, {"__ventus_routine_rint", "bb"}},
    {"round", {"__ventus_round", "ff"}, {"__ventus_routine_round", "bb"}},
    {"sqrt", {0}, {"__ventus_routine_sqrt", "bb"}},
    {"fma", {0}, {"__ventus_routine_fma", "bbbb"}},
    {"fmuladd", {0}, {"__ventus_routine_fma", "bbbb"}},
    {"minnum", {0}, {"__ventus_routine_min", "bbb"}},
    {"maxnum", {0}, {"__ventus_routine_max", "bbb"}},
    {"sin", {"_Z3sinf", "ff"}, {"_Z3sind", "dd"}},         {"cos", {"_Z3cosf", "ff"}, {"_Z3cosd", "dd"}},
    {"tan", {"_Z3tanf", "ff"}, {"_Z3tand", "dd"}},         {"exp", {"_Z3expf", "ff"}, {"_Z3expd", "dd"}},
    {"exp2", {"_Z4exp2f", "ff"}, {"_Z4exp2d", "dd"}},      {"exp10", {"_Z5exp10f", "ff"}, {"_Z5exp10d", "dd"}},
    {"log", {"_Z3logf", "ff"}, {"_Z3logd", "dd"}},         {"log2", {"_Z4log2f", "ff"}, {"_Z4log2d", "dd"}},
    {"log10", {"_Z5log10f", "ff"}, {"_Z5log10d", "dd"}},   {"pow", {"_Z3powff", "fff"}, {"_Z3powdd", "ddd"}},
    {"powi", {"_Z4pownfi", "ffw"}, {"_Z4powndi", "ddw"}},  {"ldexp", {"_Z5ldexpfi", "ffw"}, {"_Z5ldexpdi", "ddw"}},
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
    struct func *analysed; /* late: the function, if it has divisions of 64 bits */
};

static LLVMTypeRef letter_type(struct cc *cc, char letter)
{
    switch (letter) {
    case 'f': return LLVMFloatTypeInContext(cc->context);
    case 'd': return LLVMDoubleTypeInContext(cc->context);
    case 'l':
    case 'b': return LLVMInt64TypeInContext(cc->context);
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

/* What the functions of floats are for: halves are widened for them. */
static bool is_short_real(LLVMTypeRef type)
{
    return is_kind(type, LLVMFloatTypeKind) || is_kind(type, LLVMHalfTypeKind);
}

/* Operands that go in as their bits or wider, and a result that comes out as such. */
static LLVMValueRef scalar(struct lowering *l, const struct helper *h, LLVMValueRef *args, LLVMTypeRef result)
{
    for (unsigned i = 0; h->signature[i + 1]; i++) {
        LLVMTypeRef type = letter_type(l->cc, h->signature[i + 1]);
        if (strchr("hb", h->signature[i + 1])) args[i] = LLVMBuildBitCast(l->b, args[i], type, "");
        else if (is_kind(LLVMTypeOf(args[i]), LLVMHalfTypeKind)) args[i] = LLVMBuildFPExt(l->b, args[i], type, "");
    }
    LLVMValueRef v = call_helper(l, h, args);
    if (h->signature[0] == 'f' && is_kind(result, LLVMHalfTypeKind)) return LLVMBuildFPTrunc(l->b, v, result, "");
    return LLVMTypeOf(v) == result ? v : LLVMBuildBitCast(l->b, v, result, "");
}

/* A comparison of doubles finds one of the bits that LLVM's predicates are made of. */
static LLVMValueRef scalar_compare(struct lowering *l, const struct helper *h, LLVMValueRef *args, LLVMValueRef inst)
{
    LLVMValueRef wanted = LLVMConstInt(letter_type(l->cc, 'w'), LLVMGetFCmpPredicate(inst), false);
    LLVMValueRef found = LLVMBuildAnd(l->b, scalar(l, h, args, letter_type(l->cc, 'w')), wanted, "");
    return LLVMBuildICmp(l->b, LLVMIntNE, found, LLVMConstInt(letter_type(l->cc, 'w'), 0, false), "");
}

/* ---- divisions of 64 bits by constants: the upper half of a product ---- */

static LLVMValueRef long_constant(struct lowering *l, uint64_t n)
{
    return LLVMConstInt(letter_type(l->cc, 'l'), n, false);
}

/* a / d for d > 1. With s bits that d - 1 has, a product with 2^(63 + s) / d, rounded up, has the quotient where that
 * is exact enough for all numbers of 64 bits. Else the factor is one of 65 bits, whose first bit is an addition. */
static LLVMValueRef quotient_by(struct lowering *l, LLVMValueRef a, uint64_t d)
{
    static const struct helper upper_product = {"__ventus_mulhi64", "lll"};
    const unsigned s = 64 - (unsigned)__builtin_clzll(d - 1);
    const unsigned __int128 power = (unsigned __int128)1 << (63 + s), factor = power / d + 1;
    if (!(d & (d - 1))) return LLVMBuildLShr(l->b, a, long_constant(l, s), "");
    if (factor * d - power <= (unsigned __int128)1 << (s - 1)) {
        LLVMValueRef args[] = {a, long_constant(l, (uint64_t)factor)};
        return LLVMBuildLShr(l->b, call_helper(l, &upper_product, args), long_constant(l, s - 1), "");
    }
    const unsigned __int128 rest = ((unsigned __int128)1 << s) - d;
    LLVMValueRef args[] = {a, long_constant(l, (uint64_t)((rest << 64) / d + 1))};
    LLVMValueRef product = call_helper(l, &upper_product, args), half = LLVMBuildSub(l->b, a, product, "");
    half = LLVMBuildLShr(l->b, half, long_constant(l, 1), "");
    return LLVMBuildLShr(l->b, LLVMBuildAdd(l->b, half, product, ""), long_constant(l, s - 1), "");
}

/* Towards zero. */
static LLVMValueRef signed_quotient_by(struct lowering *l, LLVMValueRef a, int64_t d)
{
    LLVMValueRef sign = LLVMBuildAShr(l->b, a, long_constant(l, 63), "");
    LLVMValueRef magnitude = LLVMBuildSub(l->b, LLVMBuildXor(l->b, a, sign, ""), sign, "");
    LLVMValueRef q = quotient_by(l, magnitude, d < 0 ? 0 - (uint64_t)d : (uint64_t)d);
    if (d < 0) sign = LLVMBuildNot(l->b, sign, "");
    return LLVMBuildSub(l->b, LLVMBuildXor(l->b, q, sign, ""), sign, "");
}

static bool is_division(LLVMOpcode op) { return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem; }

/* What a division is of one element by a constant; NULL: it is by something else, or by 0, 1 or -1. */
static LLVMValueRef divided_by_constant(struct lowering *l, LLVMOpcode op, LLVMValueRef *args)
{
    const bool is_signed = op == LLVMSDiv || op == LLVMSRem;
    if (!is_division(op) || !LLVMIsAConstantInt(args[1])) return NULL;
    const uint64_t d = LLVMConstIntGetZExtValue(args[1]);
    if (d <= 1 || (is_signed && d == UINT64_MAX)) return NULL;
    LLVMValueRef q = is_signed ? signed_quotient_by(l, args[0], (int64_t)d) : quotient_by(l, args[0], d);
    if (op == LLVMUDiv || op == LLVMSDiv) return q;
    return LLVMBuildSub(l->b, args[0], LLVMBuildMul(l->b, q, args[1], ""), "");
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
        bool compare = LLVMGetInstructionOpcode(inst) == LLVMFCmp;
        LLVMValueRef v = divided_by_constant(l, LLVMGetInstructionOpcode(inst), args);
        if (!v) v = compare ? scalar_compare(l, h, args, inst) : scalar(l, h, args, element(type));
        result = vector ? LLVMBuildInsertElement(l->b, result, v, index, "") : v;
    }
    LLVMReplaceAllUsesWith(inst, result);
    LLVMInstructionEraseFromParent(inst);
    l->changed = true;
}

/* ---- which instructions ---- */

/* LLVM's main passes can do something about these: they know numbers that need fewer bits. */
static bool is_long_division(LLVMValueRef inst)
{
    return is_division(LLVMGetInstructionOpcode(inst)) && int_width(LLVMTypeOf(inst)) == 64;
}

static bool is_divergent(const struct func *f, LLVMValueRef inst)
{
    uint32_t v = value_of(f, inst);
    return v != NO_NODE && f->values[v].divergent;
}

/* How many loops are around what computes a value; arguments are in none. */
static uint32_t depth_of(const struct func *f, LLVMValueRef value)
{
    uint32_t v = LLVMIsAInstruction(value) ? value_of(f, value) : NO_NODE;
    return v == NO_NODE ? 0 : f->blocks[f->values[v].block].depth;
}

/* Is the upper word known to be 0, as far as it shows? */
static bool fits_word(LLVMValueRef v)
{
    if (LLVMIsAConstantInt(v)) return LLVMConstIntGetZExtValue(v) <= UINT32_MAX;
    if (LLVMIsAZExtInst(v)) return int_width(LLVMTypeOf(LLVMGetOperand(v, 0))) <= 32;
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMCall;
    if (op == LLVMLShr && LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) >= 32;
    if (op == LLVMAnd) return fits_word(LLVMGetOperand(v, 0)) || fits_word(LLVMGetOperand(v, 1));
    return op == LLVMOr && fits_word(LLVMGetOperand(v, 0)) && fits_word(LLVMGetOperand(v, 1));
}

/* Is a routine best, which hosts have an operation for? Not where a loop divides by one number, since half of the work
 * is done in front of it then. */
static bool is_for_routine(const struct func *f, LLVMValueRef inst)
{
    return is_divergent(f, inst) && depth_of(f, LLVMGetOperand(inst, 1)) == depth_of(f, inst);
}

static const struct helper *division(struct lowering *l, LLVMValueRef inst)
{
    // clang-format off
    static const struct helper helpers[3][4] = {
        {{"__ventus_udiv64", "lll"}, {"__ventus_sdiv64", "lll"}, {"__ventus_urem64", "lll"}, {"__ventus_srem64", "lll"}},
        {{"__ventus_udiv64_lanes", "lll"}, {"__ventus_sdiv64_lanes", "lll"}, {"__ventus_urem64_lanes", "lll"},
         {"__ventus_srem64_lanes", "lll"}},
        {{"__ventus_udiv_word_lanes", "lll"}, {"__ventus_sdiv_word_lanes", "lll"}, {"__ventus_urem_word_lanes", "lll"},
         {"__ventus_srem_word_lanes", "lll"}},
    };
    // clang-format on
    unsigned width = int_width(LLVMTypeOf(inst));
    if (width <= 32 || (is_long_division(inst) && !l->late)) return NULL;
    if (width != 64) cc_error(l->cc, CC_FAILED, inst, "division of %u-bit integers is not possible", width);
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    unsigned how = !is_for_routine(l->analysed, inst) ? 0 : fits_word(LLVMGetOperand(inst, 1)) ? 2 : 1;
    return &helpers[how][op == LLVMUDiv ? 0 : op == LLVMSDiv ? 1 : op == LLVMURem ? 2 : 3];
}

static const struct helper *conversion(LLVMValueRef inst)
{
    static const struct helper to_float[] = {{"__ventus_utof64", "fl"}, {"__ventus_stof64", "fl"}};
    static const struct helper to_int[] = {{"__ventus_ftou64", "lf"}, {"__ventus_ftos64", "lf"}};
    LLVMTypeRef to = LLVMTypeOf(inst), from = LLVMTypeOf(LLVMGetOperand(inst, 0));
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMUIToFP: return int_width(from) == 64 && is_short_real(to) ? &to_float[0] : NULL;
    case LLVMSIToFP: return int_width(from) == 64 && is_short_real(to) ? &to_float[1] : NULL;
    case LLVMFPToUI: return int_width(to) == 64 && is_short_real(from) ? &to_int[0] : NULL;
    case LLVMFPToSI: return int_width(to) == 64 && is_short_real(from) ? &to_int[1] : NULL;
    default: return NULL;
    }
}

static const struct helper *remainder_of(LLVMValueRef inst)
{
    static const struct helper h = {"__ventus_frem", "fff"};
    return is_short_real(LLVMTypeOf(inst)) ? &h : NULL;
}

static const struct helper *intrinsic(LLVMValueRef call)
{
    bool is_double = is_kind(LLVMTypeOf(call), LLVMDoubleTypeKind);
    if (!is_double && !is_short_real(LLVMTypeOf(call))) return NULL;
    for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++) {
        const struct helper *h = is_double ? &intrinsics[i].on_double : &intrinsics[i].on_float;
        if (h->name && intrinsic_is(call, intrinsics[i].intrinsic)) return h;
    }
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
    *h = (struct helper){p->instead, p->kind == PRIMITIVE_FLOAT ? "ff" : "www"};
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

/* ---- doubles: what the machine has no instructions for at all ---- */

static LLVMTypeRef with_element(LLVMTypeRef type, LLVMTypeRef e)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMVectorType(e, LLVMGetVectorSize(type)) : e;
}

/* Integers of less than 32 bits count as 32 bits. */
static LLVMValueRef widen_operand(struct lowering *l, LLVMValueRef v, bool is_signed)
{
    if (int_width(LLVMTypeOf(v)) >= 32) return v;
    return LLVMBuildIntCast2(l->b, v, with_element(LLVMTypeOf(v), letter_type(l->cc, 'w')), is_signed, "");
}

static const struct helper *from_integer(struct lowering *l, LLVMValueRef inst)
{
    static const struct helper helpers[] = {{"__ventus_routine_from_uint", "bw"},
                                            {"__ventus_routine_from_int", "bw"},
                                            {"__ventus_routine_from_ulong", "bl"},
                                            {"__ventus_routine_from_long", "bl"}};
    bool is_signed = LLVMGetInstructionOpcode(inst) == LLVMSIToFP;
    LLVMPositionBuilderBefore(l->b, inst);
    LLVMSetOperand(inst, 0, widen_operand(l, LLVMGetOperand(inst, 0), is_signed));
    return &helpers[is_signed + 2 * (int_width(LLVMTypeOf(LLVMGetOperand(inst, 0))) > 32)];
}

static const struct helper *to_integer(unsigned width, bool is_signed)
{
    static const struct helper helpers[] = {{"__ventus_routine_to_uint", "wb"},
                                            {"__ventus_routine_to_int", "wb"},
                                            {"__ventus_routine_to_ulong", "lb"},
                                            {"__ventus_routine_to_long", "lb"}};
    return &helpers[is_signed + 2 * (width > 32)];
}

/* Conversions to less than 32 bits go by 32, which are cut, or brought into range first. */
static LLVMValueRef clamp_to(struct lowering *l, LLVMValueRef v, unsigned width, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(v), e = element(type);
    uint64_t top = (1ull << (width - is_signed)) - 1;
    unsigned n = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
    LLVMValueRef bounds[2][16], high = LLVMConstInt(e, top, false), low = LLVMConstInt(e, is_signed ? ~top : 0, true);
    for (unsigned i = 0; i < n; i++) bounds[0][i] = low, bounds[1][i] = high;
    if (type != e) low = LLVMConstVector(bounds[0], n), high = LLVMConstVector(bounds[1], n);
    LLVMValueRef above = LLVMBuildICmp(l->b, is_signed ? LLVMIntSGT : LLVMIntUGT, v, high, "");
    v = LLVMBuildSelect(l->b, above, high, v, "");
    if (!is_signed) return v;
    return LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntSLT, v, low, ""), low, v, "");
}

static void lower_to_integer(struct lowering *l, LLVMValueRef inst, bool is_signed, bool saturates)
{
    LLVMTypeRef type = LLVMTypeOf(inst), wide = with_element(type, letter_type(l->cc, 'w'));
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    unsigned width = int_width(type);
    if (width >= 32) {
        replace(l, inst, to_integer(width, is_signed));
        return;
    }
    LLVMPositionBuilderBefore(l->b, inst);
    LLVMValueRef word = is_signed ? LLVMBuildFPToSI(l->b, v, wide, "") : LLVMBuildFPToUI(l->b, v, wide, "");
    LLVMValueRef r = saturates ? clamp_to(l, word, width, is_signed) : word;
    LLVMReplaceAllUsesWith(inst, LLVMBuildTrunc(l->b, r, type, ""));
    LLVMInstructionEraseFromParent(inst);
    if (LLVMIsAInstruction(word)) replace(l, word, to_integer(32, is_signed));
}

static const struct helper *double_arithmetic(struct lowering *l, LLVMValueRef inst)
{
    static const struct helper add = {"__ventus_routine_add", "bbb"}, mul = {"__ventus_routine_mul", "bbb"},
                               div = {"__ventus_routine_div", "bbb"}, rem = {"_Z4fmoddd", "ddd"},
                               compare = {"__ventus_routine_compare", "wbb"};
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMFAdd: return &add;
    case LLVMFMul: return &mul;
    case LLVMFDiv: return &div;
    case LLVMFRem: return &rem;
    case LLVMFCmp: return &compare;
    case LLVMFSub:
        LLVMPositionBuilderBefore(l->b, inst);
        LLVMSetOperand(inst, 1, LLVMBuildFNeg(l->b, LLVMGetOperand(inst, 1), ""));
        return &add;
    default: return NULL;
    }
}

/* The routine that converts a double to or from a shorter type. */
static const struct helper *double_to_real(LLVMValueRef inst)
{
    static const struct helper from_float = {"__ventus_routine_from_float", "bf"},
                               to_float = {"__ventus_routine_to_float", "fb"},
                               from_half = {"__ventus_routine_from_half", "bh"},
                               to_half = {"__ventus_routine_to_half", "hb"};
    bool extends = LLVMGetInstructionOpcode(inst) == LLVMFPExt;
    LLVMTypeRef other = extends ? LLVMTypeOf(LLVMGetOperand(inst, 0)) : LLVMTypeOf(inst);
    if (is_kind(other, LLVMHalfTypeKind)) return extends ? &from_half : &to_half;
    return extends ? &from_float : &to_float;
}

static bool has_double(LLVMValueRef inst)
{
    if (is_kind(LLVMTypeOf(inst), LLVMDoubleTypeKind)) return true;
    return LLVMGetNumOperands(inst) > 0 && is_kind(LLVMTypeOf(LLVMGetOperand(inst, 0)), LLVMDoubleTypeKind);
}

/* Late, because LLVM knows how to simplify operations, and not calls. */
static void lower_double(struct lowering *l, LLVMValueRef inst)
{
    const struct helper *h = NULL;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    bool saturates = opcode == LLVMCall && (intrinsic_is(inst, "fptosi.sat") || intrinsic_is(inst, "fptoui.sat"));
    if (!l->late) return;
    if (opcode == LLVMFPToSI || opcode == LLVMFPToUI || saturates) {
        lower_to_integer(l, inst, opcode == LLVMFPToSI || (saturates && intrinsic_is(inst, "fptosi.sat")), saturates);
        return;
    }
    if (opcode == LLVMSIToFP || opcode == LLVMUIToFP) h = from_integer(l, inst);
    else if (opcode == LLVMFPExt || opcode == LLVMFPTrunc) h = double_to_real(inst);
    else h = opcode == LLVMCall ? intrinsic(inst) : double_arithmetic(l, inst);
    if (h) replace(l, inst, h);
}

/* ---- sine and cosine ---- */

/* Calls of the library's for one number become calls of one function, which LLVM makes once where a program has both. A
 * program's own functions of these names have a body. */
static bool unite_sine_and_cosine(struct lowering *l, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call), x = LLVMGetOperand(call, 0);
    if (!LLVMIsAFunction(f) || !LLVMIsDeclaration(f) || LLVMGetNumArgOperands(call) != 1) return false;
    bool cosine = !strcmp(LLVMGetValueName(f), "_Z3cosf");
    if (!cosine && strcmp(LLVMGetValueName(f), "_Z3sinf")) return false;
    LLVMTypeRef one = letter_type(l->cc, 'f'), type = LLVMFunctionType(LLVMVectorType(one, 2), &one, 1, false);
    LLVMPositionBuilderBefore(l->b, call);
    LLVMValueRef both = call_typed(l, "__ventus_sincos", type, &x, 1);
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6); /* value 0: none */
    LLVMAddCallSiteAttribute(both, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->cc->context, memory, 0));
    LLVMValueRef index = LLVMConstInt(letter_type(l->cc, 'w'), cosine, false);
    LLVMReplaceAllUsesWith(call, LLVMBuildExtractElement(l->b, both, index, ""));
    LLVMInstructionEraseFromParent(call);
    l->changed = true;
    return true;
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
    bool generic = space(to) > 3 || (!set && space(what) > 3);
    if (is_short(size) && !generic) return;
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
    if (has_double(inst)) {
        lower_double(l, inst);
        return;
    }
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: h = division(l, inst); break;
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPToUI:
    case LLVMFPToSI: h = conversion(inst); break;
    case LLVMFRem: h = remainder_of(inst); break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: lower_atomic(l, inst); return;
    case LLVMCall:
        if (unite_sine_and_cosine(l, inst)) return;
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

static bool has_long_division(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_long_division(i)) return true;
    return false;
}

bool lower_divides(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (has_long_division(f)) return true;
    return false;
}

static void lower_function(struct lowering *l, LLVMValueRef function)
{
    struct kernel kernel = {.function = function};
    struct func f = {.cc = l->cc, .kernel = &kernel, .data = LLVMGetModuleDataLayout(l->cc->module)};
    if (l->late && has_long_division(function)) {
        kernel.name = LLVMGetValueName(function);
        kernel.is_routine = is_routine(function);
        flow_run(&f);
        divergence_run(&f);
        l->analysed = &f;
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            lower(l, i);
        }
    l->analysed = NULL;
}

bool lower_calls(struct cc *cc, bool late)
{
    struct lowering l = {.cc = cc, .b = cc->builder, .late = late};
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) lower_function(&l, f);
    return l.changed;
}
