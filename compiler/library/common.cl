/* Common functions of all types that are an instruction or two here. For floats, min and max may do as they like with NaN,
 * and clamp is defined by fmin and fmax. */
#include "library.h"

#define BOUND(T) \
    OVERLOAD T min(T a, T b) { return (T)__builtin_elementwise_min(a, b); } \
    OVERLOAD T max(T a, T b) { return (T)__builtin_elementwise_max(a, b); } \
    OVERLOAD T clamp(T x, T a, T b) { return min(max(x, a), b); }
#define BOUND_N(T, n) \
    BOUND(T##n) \
    OVERLOAD T##n min(T##n a, T b) { return min(a, (T##n)b); } \
    OVERLOAD T##n max(T##n a, T b) { return max(a, (T##n)b); } \
    OVERLOAD T##n clamp(T##n x, T a, T b) { return clamp(x, (T##n)a, (T##n)b); }
#define BOUND_ALL(T) BOUND(T) BOUND_N(T, 2) BOUND_N(T, 3) BOUND_N(T, 4) BOUND_N(T, 8) BOUND_N(T, 16)
BOUND_ALL(char) BOUND_ALL(uchar) BOUND_ALL(short) BOUND_ALL(ushort) BOUND_ALL(int) BOUND_ALL(uint)
BOUND_ALL(long) BOUND_ALL(ulong) BOUND_ALL(float)
