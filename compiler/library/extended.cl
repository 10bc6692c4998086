/* Functions of small extensions: bit fields, dot products of bytes, clocks. */
#include "library.h"

/* ---- cl_khr_extended_bit_ops ---- */

/* Of types of at most 32 bits, which are computed in a word, and of 64. A field of no bits is zero, or nothing. */
static uint field(uint count) { return count < 32 ? (1u << count) - 1 : ~0u; }
static ulong wide_field(uint count) { return count < 64 ? (1ul << count) - 1 : ~0ul; }

/* W: the type to compute in, with `bits` bits; F: masks of that type */
#define BIT_FIELDS(T, U, S, W, bits, F) \
    OVERLOAD T bitfield_insert(T base, T value, uint offset, uint count) \
    { \
        W mask = F(count) << offset; \
        return (T)(((W)base & ~mask) | ((W)value << offset & mask)); \
    } \
    OVERLOAD U bitfield_extract_unsigned(T x, uint offset, uint count) { return (U)((W)x >> offset & F(count)); } \
    OVERLOAD S bitfield_extract_signed(T x, uint offset, uint count) \
    { \
        W value = (W)x >> offset & F(count), sign = count ? (W)1 << (count - 1) : 0; \
        return (S)((value ^ sign) - sign); \
    } \
    OVERLOAD T bit_reverse(T x) { return (T)(__builtin_bitreverse##bits((W)x) >> (bits - 8 * sizeof x)); } \
    MAP1(bit_reverse, T, T) SIZES(INSERT_N, T) SIZES(EXTRACT_N, T, U, unsigned) SIZES(EXTRACT_N, T, S, signed)
#define INSERT_N(n, lo, hi, T) \
    OVERLOAD T##n bitfield_insert(T##n base, T##n value, uint offset, uint count) \
    { \
        return (T##n)(bitfield_insert(base.lo, value.lo, offset, count), bitfield_insert(base.hi, value.hi, offset, count)); \
    }
#define EXTRACT_N(n, lo, hi, T, R, SUFFIX) \
    OVERLOAD R##n bitfield_extract_##SUFFIX(T##n x, uint offset, uint count) \
    { \
        return (R##n)(bitfield_extract_##SUFFIX(x.lo, offset, count), bitfield_extract_##SUFFIX(x.hi, offset, count)); \
    }
#define BIT_FIELDS_OF(T, W, bits, F) BIT_FIELDS(T, u##T, T, W, bits, F) BIT_FIELDS(u##T, u##T, T, W, bits, F)
BIT_FIELDS_OF(char, uint, 32, field)
BIT_FIELDS_OF(short, uint, 32, field)
BIT_FIELDS_OF(int, uint, 32, field)
BIT_FIELDS_OF(long, ulong, 64, wide_field)

/* ---- cl_khr_integer_dot_product ---- */

#define DOT(R, A, B, LETTERS) \
    OVERLOAD R dot(A##4 a, B##4 b) { return (R)a.x * (R)b.x + (R)a.y * (R)b.y + (R)a.z * (R)b.z + (R)a.w * (R)b.w; } \
    OVERLOAD R dot_acc_sat(A##4 a, B##4 b, R sum) { return add_sat(dot(a, b), sum); } \
    OVERLOAD R dot_4x8packed_##LETTERS##_##R(uint a, uint b) { return dot(as_##A##4(a), as_##B##4(b)); } \
    OVERLOAD R dot_acc_sat_4x8packed_##LETTERS##_##R(uint a, uint b, R sum) { return dot_acc_sat(as_##A##4(a), as_##B##4(b), sum); }
DOT(uint, uchar, uchar, uu) DOT(int, char, char, ss) DOT(int, uchar, char, us) DOT(int, char, uchar, su)

/* ---- cl_khr_kernel_clock: the instructions that the warps of the work-group have executed ---- */

OVERLOAD uint2 clock_read_hilo_work_group(void)
{
    uint high, low;
    do {
        high = __ventus_csr_poll(CSR_CYCLEH);
        low = __ventus_csr_poll(CSR_CYCLE);
    } while (high != __ventus_csr_poll(CSR_CYCLEH));
    return (uint2)(low, high);
}
OVERLOAD ulong clock_read_work_group(void) { return as_ulong(clock_read_hilo_work_group()); }
OVERLOAD uint2 clock_read_hilo_sub_group(void) { return clock_read_hilo_work_group(); }
OVERLOAD ulong clock_read_sub_group(void) { return clock_read_work_group(); }
