/* The last straight-line rewrites before the back end: intrinsics without a short machine form
 * become shifts, logic, compares and selects; short memory moves become loads and stores; markers
 * disappear. Nothing here makes new blocks. Runs after every pass that could form them again. Called by
 * prepare.c. */
#include <string.h>

#include "compiler/passes/passes.h"

/* Bytes: lower.c makes calls of longer moves of memory (INLINE_BYTES). */
enum { MAX_UNITS = 64 };

struct expansion {
    struct cc *cc;
    LLVMBuilderRef b;
    LLVMValueRef call;
    LLVMTypeRef type; /* of the result, or of its element */
    unsigned width;   /* of integers */
};

typedef LLVMValueRef value;
typedef value (*expander)(struct expansion *e, value *args);

/* ---- short names for building ---- */

static value number(struct expansion *e, uint64_t n) { return LLVMConstInt(e->type, n, false); }
static value op(struct expansion *e, LLVMOpcode code, value a, value b) { return LLVMBuildBinOp(e->b, code, a, b, ""); }
static value shift_right(struct expansion *e, value a, unsigned n)
{
    return op(e, LLVMLShr, a, LLVMConstInt(LLVMTypeOf(a), n, false));
}
static value choose(struct expansion *e, LLVMIntPredicate p, value a, value b, value yes, value no)
{
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, p, a, b, ""), yes, no, "");
}
static LLVMTypeRef int_type(struct expansion *e, unsigned width) { return LLVMIntTypeInContext(e->cc->context, width); }
static value constant(struct expansion *e, unsigned width, uint64_t n)
{
    return LLVMConstInt(int_type(e, width), n, false);
}

/* ---- counting bits ---- */

static value count32(struct expansion *e, value x)
{
    value m1 = constant(e, 32, 0x55555555), m2 = constant(e, 32, 0x33333333), m4 = constant(e, 32, 0x0f0f0f0f);
    x = op(e, LLVMSub, x, op(e, LLVMAnd, shift_right(e, x, 1), m1));
    x = op(e, LLVMAdd, op(e, LLVMAnd, x, m2), op(e, LLVMAnd, shift_right(e, x, 2), m2));
    x = op(e, LLVMAnd, op(e, LLVMAdd, x, shift_right(e, x, 4)), m4);
    return shift_right(e, op(e, LLVMMul, x, constant(e, 32, 0x01010101)), 24);
}

static value low_half(struct expansion *e, value x) { return LLVMBuildTrunc(e->b, x, int_type(e, 32), ""); }
static value high_half(struct expansion *e, value x) { return low_half(e, shift_right(e, x, 32)); }
static value widen(struct expansion *e, value x, unsigned width)
{
    return LLVMBuildIntCast2(e->b, x, int_type(e, width), false, "");
}

static value count(struct expansion *e, value x)
{
    if (e->width <= 32) return widen(e, count32(e, widen(e, x, 32)), e->width);
    return widen(e, op(e, LLVMAdd, count32(e, low_half(e, x)), count32(e, high_half(e, x))), 64);
}

static value ctpop(struct expansion *e, value *args) { return count(e, args[0]); }

/* The exponent of a word as a float, without its bias: the number of its highest bit; -127 for 0. */
static value exponent(struct expansion *e, value x)
{
    value f = LLVMBuildUIToFP(e->b, x, LLVMFloatTypeInContext(e->cc->context), "");
    value bits = shift_right(e, LLVMBuildBitCast(e->b, f, int_type(e, 32), ""), 23);
    return op(e, LLVMAdd, bits, LLVMConstInt(int_type(e, 32), (uint64_t)-127, true));
}
static value smaller(struct expansion *e, value a, value b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    unsigned id = LLVMLookupIntrinsicID("llvm.umin", 9);
    value f = LLVMGetIntrinsicDeclaration(e->cc->module, id, &type, 1);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cc->context, id, &type, 1), f, (value[]){a, b}, 2, "");
}

/* Trailing zeros of a word, 32 for 0. The lowest set bit alone is exact as a float. */
static value trailing32(struct expansion *e, value x)
{
    value lowest = op(e, LLVMAnd, x, LLVMBuildNeg(e->b, x, ""));
    return smaller(e, exponent(e, lowest), constant(e, 32, 32));
}
/* The bit below the highest one is cleared, if set, so that rounding cannot reach the next power of two. */
static value leading32(struct expansion *e, value x)
{
    value rounded_down = op(e, LLVMAnd, x, LLVMBuildNot(e->b, shift_right(e, x, 1), ""));
    value n = op(e, LLVMSub, constant(e, 32, 31), exponent(e, rounded_down));
    return smaller(e, n, constant(e, 32, 32));
}

/* Counts in the first word, or, if that is 0, in the second, and adds 32 then. */
static value count64(struct expansion *e, value first, value second, value (*count_word)(struct expansion *, value))
{
    value empty = LLVMBuildICmp(e->b, LLVMIntEQ, first, constant(e, 32, 0), "");
    value n = count_word(e, LLVMBuildSelect(e->b, empty, second, first, ""));
    return op(e, LLVMAdd, n, op(e, LLVMShl, widen(e, empty, 32), constant(e, 32, 5)));
}

static value cttz(struct expansion *e, value *args)
{
    value x = args[0];
    if (e->width > 32) return widen(e, count64(e, low_half(e, x), high_half(e, x), trailing32), e->width);
    x = widen(e, x, 32);
    if (e->width < 32) x = op(e, LLVMOr, x, constant(e, 32, 1ull << e->width)); /* ends the count for 0 */
    return widen(e, trailing32(e, x), e->width);
}

static value ctlz(struct expansion *e, value *args)
{
    value x = args[0],
          n = e->width > 32 ? count64(e, high_half(e, x), low_half(e, x), leading32) : leading32(e, widen(e, x, 32));
    unsigned width = e->width > 32 ? 64 : 32;
    return widen(e, op(e, LLVMSub, n, constant(e, 32, width - e->width)), e->width);
}

/* ---- moving bits ---- */

/* Swaps neighbouring groups of `n` bits; `mask` selects the lower of each pair. */
static value swap_groups(struct expansion *e, value x, unsigned n, uint64_t mask)
{
    value m = number(e, mask);
    value down = op(e, LLVMAnd, shift_right(e, x, n), m);
    return op(e, LLVMOr, down, op(e, LLVMShl, op(e, LLVMAnd, x, m), number(e, n)));
}

static value swap_down_to(struct expansion *e, value x, unsigned smallest)
{
    static const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                     0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    for (unsigned i = 0, n = 1; n < e->width && i < 6; i++, n *= 2)
        if (n >= smallest) x = swap_groups(e, x, n, masks[i]);
    return x;
}

static value bswap(struct expansion *e, value *args) { return swap_down_to(e, args[0], 8); }

/* Of a width that is no power of two in the next one that is: the result is at its upper end. */
static value bitreverse(struct expansion *e, value *args)
{
    struct expansion wide = *e;
    for (wide.width = 8; wide.width < e->width;) wide.width *= 2;
    wide.type = int_type(e, wide.width);
    value x = swap_down_to(&wide, widen(e, args[0], wide.width), 1);
    return widen(e, shift_right(e, x, wide.width - e->width), e->width);
}

/* For widths that are powers of two. With a variable amount, the extra shift by one keeps amount 0 apart. */
static value funnel(struct expansion *e, value *args, bool left)
{
    value high = args[0], low = args[1], mask = number(e, e->width - 1);
    value n = op(e, LLVMAnd, args[2], mask), rest = op(e, LLVMXor, n, mask);
    if (LLVMIsAConstantInt(n)) {
        uint64_t c = LLVMConstIntGetZExtValue(n);
        if (!c) return left ? high : low;
        value up = number(e, left ? c : e->width - c), down = number(e, left ? e->width - c : c);
        return op(e, LLVMOr, op(e, LLVMShl, high, up), op(e, LLVMLShr, low, down));
    }
    if (left) return op(e, LLVMOr, op(e, LLVMShl, high, n), op(e, LLVMLShr, op(e, LLVMLShr, low, number(e, 1)), rest));
    return op(e, LLVMOr, op(e, LLVMShl, op(e, LLVMShl, high, number(e, 1)), rest), op(e, LLVMLShr, low, n));
}
static value fshl(struct expansion *e, value *args) { return funnel(e, args, true); }
static value fshr(struct expansion *e, value *args) { return funnel(e, args, false); }

/* ---- arithmetic ---- */

static value umin(struct expansion *e, value *a) { return choose(e, LLVMIntULT, a[0], a[1], a[0], a[1]); }
static value umax(struct expansion *e, value *a) { return choose(e, LLVMIntUGT, a[0], a[1], a[0], a[1]); }
static value smin(struct expansion *e, value *a) { return choose(e, LLVMIntSLT, a[0], a[1], a[0], a[1]); }
static value smax(struct expansion *e, value *a) { return choose(e, LLVMIntSGT, a[0], a[1], a[0], a[1]); }

static value absolute(struct expansion *e, value *a)
{
    value sign = op(e, LLVMAShr, a[0], number(e, e->width - 1));
    return op(e, LLVMSub, op(e, LLVMXor, a[0], sign), sign);
}

static value uadd_sat(struct expansion *e, value *a)
{
    value sum = op(e, LLVMAdd, a[0], a[1]);
    return choose(e, LLVMIntULT, sum, a[0], LLVMConstAllOnes(e->type), sum);
}
static value usub_sat(struct expansion *e, value *a)
{
    return choose(e, LLVMIntULT, a[0], a[1], number(e, 0), op(e, LLVMSub, a[0], a[1]));
}

/* The sign of the result is wrong: for a sum where both operands differ from it, for a difference
 * where the operands differ from each other and the first from the result. */
static value overflow_bits(struct expansion *e, value *a, value result, bool subtract)
{
    value first = op(e, LLVMXor, a[0], result);
    return op(e, LLVMAnd, first, subtract ? op(e, LLVMXor, a[0], a[1]) : op(e, LLVMXor, a[1], result));
}

static value signed_sat(struct expansion *e, value *a, bool subtract)
{
    value result = op(e, subtract ? LLVMSub : LLVMAdd, a[0], a[1]);
    value bound =
        op(e, LLVMXor, op(e, LLVMAShr, a[0], number(e, e->width - 1)), number(e, (1ull << (e->width - 1)) - 1));
    return choose(e, LLVMIntSLT, overflow_bits(e, a, result, subtract), number(e, 0), bound, result);
}
static value sadd_sat(struct expansion *e, value *a) { return signed_sat(e, a, false); }
static value ssub_sat(struct expansion *e, value *a) { return signed_sat(e, a, true); }

/* ---- {result, overflow} pairs ---- */

static value pair(struct expansion *e, value result, value flag)
{
    value p = LLVMBuildInsertValue(e->b, LLVMGetPoison(LLVMTypeOf(e->call)), result, 0, "");
    return LLVMBuildInsertValue(e->b, p, flag, 1, "");
}
static value is_negative(struct expansion *e, value x)
{
    return LLVMBuildICmp(e->b, LLVMIntSLT, x, LLVMConstNull(LLVMTypeOf(x)), "");
}
static value uadd_overflow(struct expansion *e, value *a)
{
    value sum = op(e, LLVMAdd, a[0], a[1]);
    return pair(e, sum, LLVMBuildICmp(e->b, LLVMIntULT, sum, a[0], ""));
}
static value usub_overflow(struct expansion *e, value *a)
{
    return pair(e, op(e, LLVMSub, a[0], a[1]), LLVMBuildICmp(e->b, LLVMIntULT, a[0], a[1], ""));
}
static value sadd_overflow(struct expansion *e, value *a)
{
    value sum = op(e, LLVMAdd, a[0], a[1]);
    return pair(e, sum, is_negative(e, overflow_bits(e, a, sum, false)));
}
static value ssub_overflow(struct expansion *e, value *a)
{
    value difference = op(e, LLVMSub, a[0], a[1]);
    return pair(e, difference, is_negative(e, overflow_bits(e, a, difference, true)));
}

/* Products of up to 32 bits, in 64. */
static value wide_product(struct expansion *e, value *a, bool is_signed)
{
    LLVMTypeRef t = LLVMTypeOf(a[0]), wide = int_type(e, 64);
    if (LLVMGetIntTypeWidth(t) > 32)
        cc_error(e->cc, CC_FAILED, e->call, "a 64-bit product with overflow check is not possible");
    value product = op(e, LLVMMul, LLVMBuildIntCast2(e->b, a[0], wide, is_signed, ""),
                       LLVMBuildIntCast2(e->b, a[1], wide, is_signed, ""));
    value result = LLVMBuildTrunc(e->b, product, t, "");
    value again = LLVMBuildIntCast2(e->b, result, wide, is_signed, "");
    return pair(e, result, LLVMBuildICmp(e->b, LLVMIntNE, again, product, ""));
}
static value umul_overflow(struct expansion *e, value *a) { return wide_product(e, a, false); }
static value smul_overflow(struct expansion *e, value *a) { return wide_product(e, a, true); }

/* ---- floats as bits ---- */

static value same(struct expansion *e, value *a)
{
    (void)e;
    return a[0];
}

static value in_range(struct expansion *e, value x, uint64_t low, uint64_t high)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(x));
    value offset = op(e, LLVMSub, x, constant(e, width, low));
    return LLVMBuildICmp(e->b, LLVMIntULE, offset, constant(e, width, high - low), "");
}

/* Mask bits: 0 sNaN, 1 qNaN, 2 -inf ... 9 +inf, as LLVM's FPClassTest. */
static value is_fpclass(struct expansion *e, value *a)
{
    static const struct {
        LLVMTypeKind kind;
        unsigned width, mantissa;
    } reals[] = {{LLVMHalfTypeKind, 16, 10}, {LLVMFloatTypeKind, 32, 23}, {LLVMDoubleTypeKind, 64, 52}};
    unsigned r = 0;
    while (r < 3 && reals[r].kind != LLVMGetTypeKind(LLVMTypeOf(a[0]))) r++;
    if (r == 3) cc_error(e->cc, CC_FAILED, e->call, "only half, float and double can be classified");
    unsigned width = reals[r].width;
    uint64_t normal = 1ull << reals[r].mantissa, sign = 1ull << (width - 1), inf = sign - normal;
    uint64_t mask = LLVMConstIntGetZExtValue(a[1]), quiet = inf + normal / 2;
    const uint64_t low[] = {0, 1, normal, inf}, high[] = {0, normal - 1, inf - 1, inf}; /* zero to infinity */
    value bits = LLVMBuildBitCast(e->b, a[0], int_type(e, width), "");
    value magnitude = op(e, LLVMAnd, bits, constant(e, width, sign - 1)), result = constant(e, 1, 0);
    if (mask & 1) result = op(e, LLVMOr, result, in_range(e, magnitude, inf + 1, quiet - 1));
    if (mask & 2) result = op(e, LLVMOr, result, in_range(e, magnitude, quiet, sign - 1));
    for (unsigned i = 0; i < 4; i++) {
        if (mask & 1u << (5 - i)) result = op(e, LLVMOr, result, in_range(e, bits, sign + low[i], sign + high[i]));
        if (mask & 1u << (6 + i)) result = op(e, LLVMOr, result, in_range(e, bits, low[i], high[i]));
    }
    return result;
}

/* The machine's conversion saturates to 32 bits; NaN has to be told apart, narrower types clamped. */
static value float_to_int(struct expansion *e, value *a, bool is_signed)
{
    LLVMTypeRef word = int_type(e, 32);
    value x = a[0], zero = constant(e, 32, 0), r;
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMHalfTypeKind)
        x = LLVMBuildFPExt(e->b, x, LLVMFloatTypeInContext(e->cc->context), "");
    if (e->width > 32 || LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMFloatTypeKind)
        cc_error(e->cc, CC_FAILED, e->call, "only half and float can be converted to %u bits", e->width);
    r = is_signed ? LLVMBuildFPToSI(e->b, x, word, "") : LLVMBuildFPToUI(e->b, x, word, "");
    r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealORD, x, x, ""), r, zero, "");
    if (e->width == 32) return r;
    uint64_t top = (1ull << (e->width - is_signed)) - 1;
    value high = constant(e, 32, top), low = constant(e, 32, is_signed ? ~top : 0);
    r = choose(e, is_signed ? LLVMIntSGT : LLVMIntUGT, r, high, high, r);
    if (is_signed) r = choose(e, LLVMIntSLT, r, low, low, r);
    return LLVMBuildTrunc(e->b, r, e->type, "");
}
static value fptosi_sat(struct expansion *e, value *a) { return float_to_int(e, a, true); }
static value fptoui_sat(struct expansion *e, value *a) { return float_to_int(e, a, false); }

/* ---- the table ---- */

static const struct rule {
    const char *name; /* behind "llvm." */
    expander expand;
    bool keep32; /* the back end has the 32-bit form */
    // clang-format off
} rules[] = {
    {"ctpop", ctpop}, {"cttz", cttz}, {"ctlz", ctlz}, {"bswap", bswap}, {"bitreverse", bitreverse},
    {"fshl", fshl}, {"fshr", fshr},
    {"umin", umin, true}, {"umax", umax, true}, {"smin", smin, true}, {"smax", smax, true}, {"abs", absolute, true},
    {"uadd.sat", uadd_sat}, {"usub.sat", usub_sat}, {"sadd.sat", sadd_sat}, {"ssub.sat", ssub_sat},
    {"uadd.with.overflow", uadd_overflow}, {"usub.with.overflow", usub_overflow}, {"umul.with.overflow", umul_overflow},
    {"sadd.with.overflow", sadd_overflow}, {"ssub.with.overflow", ssub_overflow}, {"smul.with.overflow", smul_overflow},
    {"fptosi.sat", fptosi_sat}, {"fptoui.sat", fptoui_sat},
    {"is.fpclass", is_fpclass}, {"canonicalize", same}, {"expect", same},
};
// clang-format on

static bool named(const char *have, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(have + 5, name, n) && (have[5 + n] == '.' || !have[5 + n]);
}

static const struct rule *find_rule(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (named(name, rules[i].name)) return &rules[i];
    return NULL;
}

static bool is_vector(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMVectorTypeKind; }

static value apply(struct expansion *e, expander expand, int lane)
{
    unsigned n = LLVMGetNumArgOperands(e->call);
    value args[4];
    for (unsigned i = 0; i < n && i < 4; i++) {
        args[i] = LLVMGetOperand(e->call, i);
        if (lane >= 0 && is_vector(LLVMTypeOf(args[i])))
            args[i] = LLVMBuildExtractElement(e->b, args[i], constant(e, 32, (unsigned)lane), "");
    }
    return expand(e, args);
}

static void expand_rule(struct expansion *e, const struct rule *r)
{
    LLVMTypeRef type = LLVMTypeOf(e->call);
    bool vector = is_vector(type);
    e->type = vector ? LLVMGetElementType(type) : type;
    e->width = LLVMGetTypeKind(e->type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(e->type) : 0;
    if (r->keep32 && !vector && e->width == 32) return;
    bool whole = r->expand != fshl && r->expand != fshr && r->expand != bswap; /* any width will do */
    if (e->width > 64 || (!whole && (e->width & (e->width - 1))))
        cc_error(e->cc, CC_FAILED, e->call, "%u-bit integers are not possible here", e->width);
    value result = vector ? LLVMGetPoison(type) : apply(e, r->expand, -1);
    for (unsigned i = 0; vector && i < LLVMGetVectorSize(type); i++)
        result = LLVMBuildInsertElement(e->b, result, apply(e, r->expand, (int)i), constant(e, 32, i), "");
    LLVMReplaceAllUsesWith(e->call, result);
    LLVMInstructionEraseFromParent(e->call);
}

/* ---- short memory moves ---- */

static unsigned pointer_align(struct expansion *e, unsigned argument)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(e->call, argument + 1, kind);
    uint64_t n = a ? LLVMGetEnumAttributeValue(a) : 1;
    return n >= 4 ? 4 : n >= 2 ? 2 : 1;
}

static value at_offset(struct expansion *e, value pointer, uint64_t offset)
{
    return LLVMBuildGEP2(e->b, int_type(e, 8), pointer, (value[]){constant(e, 32, offset)}, 1, "");
}

static unsigned unit_at(uint64_t left, unsigned align)
{
    return align >= 4 && left >= 4 ? 4 : align >= 2 && left >= 2 ? 2 : 1;
}

/* All loads come before all stores, so that overlapping moves are right too. */
static void copy_memory(struct expansion *e, value to, value from, uint64_t size)
{
    unsigned to_align = pointer_align(e, 0), from_align = pointer_align(e, 1), n = 0;
    unsigned align = to_align < from_align ? to_align : from_align;
    value units[MAX_UNITS];
    for (uint64_t at = 0, unit; at < size; at += unit) {
        unit = unit_at(size - at, align);
        units[n] = LLVMBuildLoad2(e->b, int_type(e, (unsigned)unit * 8), at_offset(e, from, at), "");
        LLVMSetAlignment(units[n++], (unsigned)unit);
    }
    n = 0;
    for (uint64_t at = 0, unit; at < size; at += unit) {
        unit = unit_at(size - at, align);
        LLVMSetAlignment(LLVMBuildStore(e->b, units[n++], at_offset(e, to, at)), (unsigned)unit);
    }
}

static void set_memory(struct expansion *e, value to, value byte, uint64_t size)
{
    unsigned align = pointer_align(e, 0);
    value word = op(e, LLVMMul, widen(e, byte, 32), constant(e, 32, 0x01010101));
    for (uint64_t at = 0, unit; at < size; at += unit) {
        unit = unit_at(size - at, align);
        LLVMSetAlignment(LLVMBuildStore(e->b, widen(e, word, (unsigned)unit * 8), at_offset(e, to, at)),
                         (unsigned)unit);
    }
}

static bool expand_memory(struct expansion *e, const char *name)
{
    bool set = named(name, "memset");
    if (!set && !named(name, "memcpy") && !named(name, "memmove")) return false;
    value size = LLVMGetOperand(e->call, 2);
    uint64_t n = LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : MAX_UNITS + 1;
    if (n > MAX_UNITS) cc_error(e->cc, CC_INTERNAL, e->call, "a long memory move was left over");
    if (set) set_memory(e, LLVMGetOperand(e->call, 0), LLVMGetOperand(e->call, 1), n);
    else copy_memory(e, LLVMGetOperand(e->call, 0), LLVMGetOperand(e->call, 1), n);
    return true;
}

/* ---- sums ---- */

/* Does an address follow from the value in so many steps? */
static bool is_for_address(value v, unsigned steps)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u && steps; u = LLVMGetNextUse(u)) {
        value user = LLVMGetUser(u);
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMGetElementPtr: return true;
        case LLVMAdd:
        case LLVMSub:
        case LLVMShl:
        case LLVMMul:
        case LLVMOr:
            if (is_for_address(user, steps - 1)) return true;
            break;
        default: break;
        }
    }
    return false;
}

/* LLVM makes an `or` of a sum that carries nothing. In an address the sum is left: the translator sees from it how the
 * lanes' addresses follow each other (translator/facts.c), as in a[i * 8 + (k & 7)]. */
static void restore_sum(LLVMBuilderRef b, value v)
{
    enum { STEPS = 3 }; /* that many operations make an address of it, as in a[(i * 8 | k) + 1]; more is a guess */
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 32) return;
    if (!LLVMGetIsDisjoint(v) || !is_for_address(v, STEPS)) return;
    LLVMPositionBuilderBefore(b, v);
    LLVMReplaceAllUsesWith(v, LLVMBuildAdd(b, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1), ""));
    LLVMInstructionEraseFromParent(v);
}

/* ---- all of it ---- */

static bool is_marker(const char *name)
{
    static const char *const markers[] = {
        "lifetime", "assume", "experimental.noalias.scope.decl", "dbg", "invariant", "donothing", "sideeffect"};
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (named(name, markers[i])) return true;
    return false;
}

static void expand(struct cc *cc, LLVMBuilderRef b, value call)
{
    value f = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(f) || !LLVMGetIntrinsicID(f)) return;
    const char *name = LLVMGetValueName(f);
    struct expansion e = {.cc = cc, .b = b, .call = call};
    LLVMPositionBuilderBefore(b, call);
    const struct rule *r = find_rule(name);
    if (r) expand_rule(&e, r);
    else if (is_marker(name) || expand_memory(&e, name)) LLVMInstructionEraseFromParent(call);
}

void expand_module(struct cc *cc)
{
    LLVMBuilderRef b = cc->builder;
    for (value f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (value i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsACallInst(i)) expand(cc, b, i);
                else if (LLVMGetInstructionOpcode(i) == LLVMOr) restore_sum(b, i);
            }
}
