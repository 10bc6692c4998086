/* Integer functions that libclc lacks. */
#include "library.h"

#define MAD_HI(T) OVERLOAD T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
#define MAD_HI_N(T, n) MAD_HI(T)
#define MAD_HI_ALL(T) MAD_HI(T) VECTORS(MAD_HI_N, T)
MAD_HI_ALL(char) MAD_HI_ALL(uchar) MAD_HI_ALL(short) MAD_HI_ALL(ushort)
MAD_HI_ALL(int) MAD_HI_ALL(uint) MAD_HI_ALL(long) MAD_HI_ALL(ulong)

/* The bits below the lowest set one: x ^ (x - 1) is 2^(ctz+1) - 1, and 0 gives all bits, so the
 * count is the width for 0, as 3.0 asks. */
#define CTZ(T) OVERLOAD T ctz(T x) { return popcount((T)(~x & (x - (T)1))); }
#define CTZ_N(T, n) CTZ(T)
#define CTZ_ALL(T) CTZ(T) VECTORS(CTZ_N, T)
CTZ_ALL(char) CTZ_ALL(uchar) CTZ_ALL(short) CTZ_ALL(ushort) CTZ_ALL(int) CTZ_ALL(uint) CTZ_ALL(long) CTZ_ALL(ulong)
