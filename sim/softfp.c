/* Floating point on bit patterns: unpack, compute exactly (or far beyond any format, with what was lost
 * kept as a sticky last bit), pack with one rounding. One path for all formats; a table says how they look.
 *
 * Between unpack and pack a signalling NaN also stands for the result of an invalid operation: pack makes
 * both the canonical NaN and raises NV. */
#include "sim/softfp.h"

typedef unsigned __int128 u128;

enum specials { IEEE, NAN_ONLY, NUMBERS_ONLY };

/* These patterns have no sign and none of the `pad` unused bits below the fraction. */
struct layout {
    uint8_t exp_bits, frac_bits, pad;
    uint8_t specials;
    bool quiet_only;                 /* the format has no signalling NaN */
    uint64_t largest, infinity, nan; /* largest number; what stands for infinity and for NaN */
};

static const struct layout layouts[] = {
    [FP_F16] = {5, 10, 0, IEEE, false, 0x7bff, 0x7c00, 0x7e00},
    [FP_BF16] = {8, 7, 0, IEEE, false, 0x7f7f, 0x7f80, 0x7fc0},
    [FP_F32] = {8, 23, 0, IEEE, false, 0x7f7fffff, 0x7f800000, 0x7fc00000},
    [FP_F64] = {11, 52, 0, IEEE, false, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000},
    [FP_TF32] = {8, 10, 13, IEEE, false, 0x3fbff, 0x3fc00, 0x3fe00},
    [FP_E4M3] = {4, 3, 0, NAN_ONLY, true, 0x7e, 0x7f, 0x7f},
    [FP_E5M2] = {5, 2, 0, IEEE, true, 0x7b, 0x7c, 0x7f},
    [FP_E3M2] = {3, 2, 0, NUMBERS_ONLY, true, 0x1f, 0x1f, 0x1f},
    [FP_E2M3] = {2, 3, 0, NUMBERS_ONLY, true, 0x1f, 0x1f, 0x1f},
    [FP_E2M1] = {2, 1, 0, NUMBERS_ONLY, true, 0x7, 0x7, 0x7},
    [FP_E3M0] = {3, 0, 0, NUMBERS_ONLY, true, 0x7, 0x7, 0x7},
};

/* QUIET and all kinds behind it are NaNs. */
enum kind { ZERO, FINITE, INFINITE, QUIET, SIGNALLING };

/* The bit of `sig` that weighs 2^exp. Two bits above it are free, one for the carry of a sum; an operand's
 * 53 bits and a product's 106 leave at least 20 bits below. */
enum { LEAD = 125 };

/* FINITE: sig * 2^(exp - LEAD), with bit LEAD the highest one. */
struct number {
    enum kind kind;
    bool sign;
    int exp;
    u128 sig;
};

/* ---- patterns ---- */

static inline bool sign_of(const struct layout *l, uint64_t a)
{
    return a >> (l->pad + l->frac_bits + l->exp_bits) & 1;
}

static inline uint64_t magnitude(const struct layout *l, uint64_t a)
{
    return a >> l->pad & (((uint64_t)1 << (l->exp_bits + l->frac_bits)) - 1);
}

static inline uint64_t pattern(const struct layout *l, bool sign, uint64_t magnitude)
{
    return ((uint64_t)sign << (l->exp_bits + l->frac_bits) | magnitude) << l->pad;
}

static inline uint64_t infinity(const struct layout *l, bool sign)
{
    return pattern(l, sign && l->specials != NAN_ONLY, l->infinity);
}

/* The exponent of the smallest normal number. */
static inline int exp_min(const struct layout *l) { return 2 - (1 << (l->exp_bits - 1)); }

static inline enum kind kind_of(const struct layout *l, uint64_t a)
{
    uint64_t m = magnitude(l, a);
    if (m <= l->largest) return m ? FINITE : ZERO;
    if (l->specials == IEEE && m == l->infinity) return INFINITE;
    return l->quiet_only || m >> (l->frac_bits - 1) & 1 ? QUIET : SIGNALLING;
}

/* ---- numbers ---- */

static inline int highest_bit(u128 x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)x);
}

/* x / 2^n, the last bit set if others were lost. */
static inline u128 shift_right_sticky(u128 x, int n)
{
    if (n > LEAD) return x != 0;
    u128 r = x >> n;
    return r | (r << n != x);
}

/* Moves the highest one of a sig that is not 0 to bit LEAD. */
static inline struct number normalised(bool sign, int exp, u128 sig)
{
    int up = LEAD - highest_bit(sig);
    sig = up >= 0 ? sig << up : shift_right_sticky(sig, -up);
    return (struct number){FINITE, sign, exp - up, sig};
}

static inline struct number unpack(const struct layout *l, uint64_t a)
{
    uint64_t m = magnitude(l, a), field = m >> l->frac_bits;
    struct number n = {kind_of(l, a), sign_of(l, a), 0, 0};
    if (n.kind != FINITE) return n;
    uint64_t frac = m & (((uint64_t)1 << l->frac_bits) - 1);
    if (!field) return normalised(n.sign, exp_min(l) + LEAD - l->frac_bits, frac);
    n.exp = exp_min(l) + (int)field - 1;
    n.sig = (u128)(frac | (uint64_t)1 << l->frac_bits) << (LEAD - l->frac_bits);
    return n;
}

/* ---- rounding ---- */

/* sig / 2^drop as an integer. What is dropped is less than a half if drop > LEAD + 1, whatever its size. */
static inline u128 round_off(u128 sig, int drop, bool sign, unsigned mode, bool *inexact)
{
    if (drop > LEAD + 2) drop = LEAD + 2;
    u128 one = (u128)1 << drop, rest = sig & (one - 1), half = one >> 1, r = sig >> drop;
    *inexact = rest != 0;
    if (!rest) return r;
    switch (mode) {
    case FP_RNE: return r + (rest > half || (rest == half && (r & 1)));
    case FP_RTZ: return r;
    case FP_RDN: return r + sign;
    case FP_RUP: return r + !sign;
    case FP_RMM: return r + (rest >= half);
    default: return r | 1;
    }
}

static uint64_t overflow(const struct layout *l, bool sign, struct fp_env *env)
{
    unsigned mode = env->round;
    bool away = mode == FP_RNE || mode == FP_RMM || mode == (sign ? FP_RDN : FP_RUP);
    env->flags |= FP_OF | FP_NX;
    return away ? infinity(l, sign) : pattern(l, sign, l->largest);
}

/* Is the number smaller than the smallest normal one, even if rounded as though exponents had no end? */
static bool is_tiny(const struct layout *l, struct number n, unsigned mode)
{
    bool inexact;
    int below = exp_min(l) - n.exp;
    return below > 1 ||
           (below == 1 && !(round_off(n.sig, LEAD - l->frac_bits, n.sign, mode, &inexact) >> (l->frac_bits + 1)));
}

static inline uint64_t pack_finite(const struct layout *l, struct number n, struct fp_env *env)
{
    int above = n.exp - exp_min(l), drop = LEAD - l->frac_bits;
    if (above < 0) drop -= above, above = 0;
    if (above >> l->exp_bits) return overflow(l, n.sign, env);

    /* The leading one, if the number is normal, and the carry of rounding count the exponent up. */
    bool inexact;
    uint64_t sig = (uint64_t)round_off(n.sig, drop, n.sign, env->round, &inexact);
    uint64_t m = ((uint64_t)above << l->frac_bits) + sig;
    if (m > l->largest) return overflow(l, n.sign, env);
    if (inexact) env->flags |= is_tiny(l, n, env->round) ? FP_NX | FP_UF : FP_NX;
    return pattern(l, n.sign, m);
}

static inline uint64_t pack(const struct layout *l, struct number n, struct fp_env *env)
{
    switch (n.kind) {
    case ZERO: return pattern(l, n.sign, 0);
    case FINITE: return pack_finite(l, n, env);
    case INFINITE:
        if (l->specials != IEEE) env->flags |= FP_OF | FP_NX;
        return infinity(l, n.sign);
    default:
        if (n.kind == SIGNALLING || l->specials == NUMBERS_ONLY) env->flags |= FP_NV;
        return pattern(l, false, l->nan);
    }
}

/* ---- arithmetic ---- */

static inline struct number special(enum kind kind, bool sign) { return (struct number){kind, sign, 0, 0}; }

/* Returns the result of operands with a NaN among them. */
static inline struct number nan_of(struct number a, struct number b)
{
    return special(a.kind == SIGNALLING || b.kind == SIGNALLING ? SIGNALLING : QUIET, false);
}

/* Bits lost below the smaller operand do no harm: then the operands are more than one place apart, so the
 * leading bit of a difference moves by at most one, far above the sticky bit. */
static inline struct number sum_finite(struct number a, struct number b, unsigned mode)
{
    if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
        struct number t = a;
        a = b;
        b = t;
    }
    b.sig = shift_right_sticky(b.sig, a.exp - b.exp);
    u128 sig = a.sign == b.sign ? a.sig + b.sig : a.sig - b.sig;
    return sig ? normalised(a.sign, a.exp, sig) : special(ZERO, mode == FP_RDN);
}

static inline struct number sum(struct number a, struct number b, unsigned mode)
{
    if (a.kind == FINITE && b.kind == FINITE) return sum_finite(a, b, mode);
    if (a.kind >= QUIET || b.kind >= QUIET) return nan_of(a, b);
    if (a.kind == INFINITE && b.kind == INFINITE) return a.sign == b.sign ? a : special(SIGNALLING, false);
    if (a.kind == ZERO && b.kind == ZERO) return special(ZERO, a.sign == b.sign ? a.sign : mode == FP_RDN);
    return a.kind > b.kind ? a : b; /* infinity over number over zero */
}

static inline struct number product(struct number a, struct number b)
{
    bool sign = a.sign != b.sign;
    if (a.kind == FINITE && b.kind == FINITE)
        return normalised(sign, a.exp + b.exp - 1, (a.sig >> (LEAD - 63)) * (uint64_t)(b.sig >> (LEAD - 63)));
    if (a.kind >= QUIET || b.kind >= QUIET) return nan_of(a, b);
    if (a.kind == INFINITE || b.kind == INFINITE)
        return special(a.kind == ZERO || b.kind == ZERO ? SIGNALLING : INFINITE, sign);
    return special(ZERO, sign);
}

/* The quotient of a 126 bit sig and a 64 bit one has at least 62. */
static inline struct number quotient_finite(struct number a, struct number b)
{
    u128 divisor = b.sig >> (LEAD - 63), q = a.sig / divisor;
    return normalised(a.sign != b.sign, a.exp - b.exp + 63, q | (q * divisor != a.sig));
}

static struct number quotient(struct number a, struct number b, struct fp_env *env)
{
    bool sign = a.sign != b.sign;
    if (a.kind >= QUIET || b.kind >= QUIET) return nan_of(a, b);
    if (a.kind == b.kind && a.kind != FINITE) return special(SIGNALLING, false);
    if (a.kind == INFINITE || b.kind == INFINITE) return special(a.kind == INFINITE ? INFINITE : ZERO, sign);
    if (a.kind == ZERO) return special(ZERO, sign);
    if (b.kind == FINITE) return quotient_finite(a, b);
    env->flags |= FP_DZ;
    return special(INFINITE, sign);
}

/* The largest r with r * r <= x, for x < 2^(2 * bits): bit by bit, from the highest. */
static uint64_t integer_root(u128 x, int bits)
{
    uint64_t r = 0;
    for (int i = bits - 1; i >= 0; i--) {
        uint64_t t = r | (uint64_t)1 << i;
        if ((u128)t * t <= x) r = t;
    }
    return r;
}

/* With an even exponent the radicand has 126 or 127 bits; of them twice as many are used as the root needs
 * to be right, the rest only says whether it is exact. */
static struct number root(const struct layout *l, struct number a)
{
    if (a.kind == ZERO || a.kind >= QUIET) return a;
    if (a.sign) return special(SIGNALLING, false);
    if (a.kind == INFINITE) return a;
    int exp = a.exp - LEAD, odd = exp & 1, bits = l->frac_bits + 4, drop = 128 - 2 * bits;
    u128 radicand = a.sig << odd;
    uint64_t r = integer_root(radicand >> drop, bits);
    bool exact = (u128)r * r << drop == radicand;
    return normalised(false, LEAD - 1 + (drop + exp - odd) / 2, (u128)r << 1 | !exact);
}

uint64_t fp_add(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    return pack(l, sum(unpack(l, a), unpack(l, b), env->round), env);
}

uint64_t fp_sub(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    struct number n = unpack(l, b);
    n.sign = !n.sign;
    return pack(l, sum(unpack(l, a), n, env->round), env);
}

uint64_t fp_mul(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    return pack(l, product(unpack(l, a), unpack(l, b)), env);
}

uint64_t fp_fma(enum fp_format f, uint64_t a, uint64_t b, uint64_t c, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    return pack(l, sum(product(unpack(l, a), unpack(l, b)), unpack(l, c), env->round), env);
}

uint64_t fp_div(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    return pack(l, quotient(unpack(l, a), unpack(l, b), env), env);
}

uint64_t fp_sqrt(enum fp_format f, uint64_t a, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    return pack(l, root(l, unpack(l, a)), env);
}

/* ---- order and class ---- */

/* Maps patterns to integers of the same order; both zeros are 0. */
static inline int64_t order(const struct layout *l, uint64_t a)
{
    int64_t m = (int64_t)magnitude(l, a);
    return sign_of(l, a) ? -m : m;
}

/* Is one of them a NaN? Raises NV if it signals, and with `any` for every NaN. */
static inline bool unordered(const struct layout *l, uint64_t a, uint64_t b, bool any, struct fp_env *env)
{
    enum kind ka = kind_of(l, a), kb = kind_of(l, b);
    if (ka < QUIET && kb < QUIET) return false;
    if (any || ka == SIGNALLING || kb == SIGNALLING) env->flags |= FP_NV;
    return true;
}

bool fp_eq(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    return !unordered(l, a, b, false, env) && order(l, a) == order(l, b);
}

bool fp_lt(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    return !unordered(l, a, b, true, env) && order(l, a) < order(l, b);
}

bool fp_le(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    return !unordered(l, a, b, true, env) && order(l, a) <= order(l, b);
}

/* Returns the smaller one, or with `larger` the larger one. */
static uint64_t extremum(const struct layout *l, uint64_t a, uint64_t b, bool larger, struct fp_env *env)
{
    bool first;
    if (unordered(l, a, b, false, env)) {
        first = kind_of(l, b) >= QUIET;
        if (first && kind_of(l, a) >= QUIET) return pattern(l, false, l->nan);
    } else {
        int64_t x = order(l, a), y = order(l, b);
        first = (x < y || (x == y && sign_of(l, a))) != larger;
    }
    uint64_t r = first ? a : b;
    return pattern(l, sign_of(l, r), magnitude(l, r));
}

uint64_t fp_min(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    return extremum(&layouts[f], a, b, false, env);
}

uint64_t fp_max(enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env)
{
    return extremum(&layouts[f], a, b, true, env);
}

unsigned fp_class(enum fp_format f, uint64_t a)
{
    const struct layout *l = &layouts[f];
    struct number n = unpack(l, a);
    if (n.kind >= QUIET) return n.kind == QUIET ? 1u << 9 : 1u << 8;
    unsigned size = n.kind == ZERO ? 0 : n.kind == INFINITE ? 3 : n.exp < exp_min(l) ? 1 : 2;
    return n.sign ? 1u << (3 - size) : 1u << (4 + size);
}

/* ---- conversions ---- */

uint64_t fp_convert(enum fp_format to, enum fp_format from, uint64_t a, struct fp_env *env)
{
    return pack(&layouts[to], unpack(&layouts[from], a), env);
}

uint64_t fp_to_int(enum fp_format f, uint64_t a, unsigned bits, bool is_signed, struct fp_env *env)
{
    struct number n = unpack(&layouts[f], a);
    if (n.kind == ZERO) return 0;

    bool negative = n.sign && n.kind < QUIET, inexact = false;
    u128 limit = negative ? (u128)is_signed << (bits - 1) : ((u128)1 << (bits - is_signed)) - 1;
    u128 r = limit + 1;
    if (n.kind == FINITE && n.exp < 64) r = round_off(n.sig, LEAD - n.exp, n.sign, env->round, &inexact);
    if (r > limit) {
        env->flags |= FP_NV;
        r = limit;
    } else if (inexact) {
        env->flags |= FP_NX;
    }
    return negative ? -(uint64_t)r : (uint64_t)r;
}

uint64_t fp_from_int(enum fp_format f, uint64_t a, bool is_signed, struct fp_env *env)
{
    bool sign = is_signed && a >> 63;
    uint64_t m = sign ? -a : a;
    return pack(&layouts[f], m ? normalised(sign, LEAD, m) : special(ZERO, false), env);
}

/* ---- estimates ---- */

/* The specification gives tables of the 128 intervals of an operand with seven leading bits; an entry is the
 * function's value at the interval's middle, rounded to a leading one and seven bits. */

static uint64_t eight_bits(const struct layout *l, bool sign, int exp, uint64_t eight, struct fp_env *env)
{
    return pack(l, normalised(sign, exp + LEAD - 7, eight), env);
}

uint32_t fp_rec7(enum fp_format f, uint32_t a, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    struct number n = unpack(l, a), one = {FINITE, false, 0, (u128)1 << LEAD};
    if (n.kind != FINITE) return (uint32_t)pack(l, quotient(one, n, env), env);

    uint32_t middle = 2 * (uint32_t)(n.sig >> (LEAD - 7)) + 1; /* of the interval, in 1/256: 257 to 511 */
    uint32_t estimate = (2 * 65536 / middle + 1) / 2;          /* 256 / (middle / 256), to nearest */
    return (uint32_t)eight_bits(l, n.sign, -1 - n.exp, estimate, env);
}

uint32_t fp_rsqrt7(enum fp_format f, uint32_t a, struct fp_env *env)
{
    const struct layout *l = &layouts[f];
    struct number n = unpack(l, a), one = {FINITE, false, 0, (u128)1 << LEAD};
    if (n.kind != FINITE || n.sign) return (uint32_t)pack(l, quotient(one, root(l, n), env), env);

    int odd = n.exp & 1;
    uint32_t middle = (2 * (uint32_t)(n.sig >> (LEAD - 6)) + 1) << odd;  /* in 1/128, below 4 * 128 */
    uint64_t twice = integer_root((u128)(4 * 65536 * 128) / middle, 10); /* 512 / sqrt(middle / 128) */
    return (uint32_t)eight_bits(l, false, -1 - (n.exp - odd) / 2, (twice + 1) / 2, env);
}
