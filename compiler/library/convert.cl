/* Conversions of floats to integers of up to 32 bits with a rounding mode, saturating or not. The machine's instructions
 * saturate, to nearest even or towards zero; a NaN, which becomes 0 where OpenCL saturates, is the largest number to
 * them. libclc's round to a float first, and compare on both sides of the conversion. */
#include "library.h"

static OVERLOAD int up(float x) { int i = (int)x; return i + ((float)i < x); }
static OVERLOAD int down(float x) { int i = (int)x; return i - ((float)i > x); }
static OVERLOAD uint up_unsigned(float x) { uint i = (uint)x; return i + ((float)i < x); }

/* The bounds of a type with less than 32 bits are floats. A NaN becomes the lower one. */
static float between(float x, float low, float high) { return fmin(fmax(x, low), high); }

#define CONVERT(T, MODE, VALUE) \
    OVERLOAD T convert_##T##MODE(float x) { return (T)(VALUE); } \
    SIZES(CONVERSION_N, T, MODE, float)

#define SIGNED(T)   CONVERT(T, _rte, __ventus_nearest_int(x)) CONVERT(T, _rtp, up(x)) CONVERT(T, _rtn, down(x))
#define UNSIGNED(T) CONVERT(T, _rte, __ventus_nearest_uint(x)) CONVERT(T, _rtp, up_unsigned(x)) CONVERT(T, _rtn, (uint)x)
SIGNED(char) SIGNED(short) SIGNED(int) UNSIGNED(uchar) UNSIGNED(ushort) UNSIGNED(uint)

#define SATURATING(T, NEAREST, CUT, UP, DOWN) \
    CONVERT(T, _sat, CUT) CONVERT(T, _sat_rtz, CUT) CONVERT(T, _sat_rte, NEAREST) CONVERT(T, _sat_rtp, UP) \
    CONVERT(T, _sat_rtn, DOWN)
#define SHORT_UNSIGNED(T, high) \
    SATURATING(T, __ventus_nearest_uint(between(x, 0, high)), (uint)between(x, 0, high), up_unsigned(between(x, 0, high)), \
               (uint)between(x, 0, high))
#define NUMBER(value) (x == x ? (value) : 0)
#define SHORT_SIGNED(T, low, high) \
    SATURATING(T, NUMBER(__ventus_nearest_int(between(x, low, high))), NUMBER((int)between(x, low, high)), \
               NUMBER(up(between(x, low, high))), NUMBER(down(between(x, low, high))))
SHORT_UNSIGNED(uchar, 255) SHORT_UNSIGNED(ushort, 65535) SHORT_SIGNED(char, -128, 127) SHORT_SIGNED(short, -32768, 32767)
SATURATING(uint, __ventus_nearest_uint(fmax(x, 0)), __ventus_cut_uint(fmax(x, 0)), __ventus_cut_uint(ceil(fmax(x, 0))),
           __ventus_cut_uint(fmax(x, 0)))
SATURATING(int, NUMBER(__ventus_nearest_int(x)), NUMBER(__ventus_cut_int(x)), NUMBER(__ventus_cut_int(ceil(x))),
           NUMBER(__ventus_cut_int(floor(x))))
