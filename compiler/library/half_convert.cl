/* Conversions to and from halves. A float holds every half, and every integer below 2^17, beyond which all are too large for
 * a half: so to round a float is to round any of them. Functions of floats are declared here, because
 * clang's declarations do not show beside our own of the same name. */
#include "library.h"

HALVES_NEAR(float)
HALVES_NEAR(double)

/* ---- to halves ---- */

static OVERLOAD float small(uint x) { return min(x, 0x20000u); }
static OVERLOAD float small(int x) { return clamp(x, -0x20000, 0x20000); }
static OVERLOAD float small(ulong x) { return min(x, 0x20000ul); }
static OVERLOAD float small(long x) { return clamp(x, -0x20000l, 0x20000l); }

/* From T, of which NUMBER makes a float or double. */
#define TO_HALF(T, NUMBER) \
    ROUNDED(T, , (half)NUMBER(a)) ROUNDED(T, _rte, (half)NUMBER(a)) ROUNDED(T, _rtz, as_half(half_inside(NUMBER(a)))) \
    ROUNDED(T, _rtp, as_half(half_up(NUMBER(a)))) ROUNDED(T, _rtn, as_half(half_down(NUMBER(a))))
#define ROUNDED(T, MODE, VALUE) \
    OVERLOAD half convert_half##MODE(T a) { return VALUE; } \
    SIZES(CONVERSION_N, half, MODE, T)
TO_HALF(char, (float)) TO_HALF(uchar, (float)) TO_HALF(short, (float)) TO_HALF(ushort, (float))
TO_HALF(int, small) TO_HALF(uint, small) TO_HALF(long, small) TO_HALF(ulong, small)
TO_HALF(float, ) TO_HALF(double, )

/* ---- from halves ---- */

#define FROM_HALF(T, MODE) \
    OVERLOAD T convert_##T##MODE(float a); \
    OVERLOAD T convert_##T##MODE(half a) { return convert_##T##MODE((float)a); } \
    SIZES(CONVERSION_N, T, MODE, half)
#define EXACT(T, MODE) \
    OVERLOAD T convert_##T##MODE(half a) { return a; } \
    SIZES(CONVERSION_N, T, MODE, half)
#define MODES(M, T, SAT) M(T, SAT) M(T, SAT##_rte) M(T, SAT##_rtz) M(T, SAT##_rtp) M(T, SAT##_rtn)
#define INTEGER(T) MODES(FROM_HALF, T, ) MODES(FROM_HALF, T, _sat)
INTEGER(char) INTEGER(uchar) INTEGER(short) INTEGER(ushort) INTEGER(int) INTEGER(uint) INTEGER(long) INTEGER(ulong)
MODES(EXACT, float, ) MODES(EXACT, double, ) MODES(EXACT, half, )
