/* What narrow.c and parts.c know of vectors of words: between which numbers they lie. */
#ifndef VENTUS_TRANSLATOR_RANGES_H
#define VENTUS_TRANSLATOR_RANGES_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANGE_LANES = 16 }; /* of a vector */

/* Sizes of parts of words. */
enum { RANGE_BYTES, RANGE_HALVES, RANGE_SIZES };

struct range {
    int64_t low, high; /* of words as signed numbers */
};

static const struct range range_any = {INT32_MIN, INT32_MAX};

/* What is known of a vector. */
struct known {
    LLVMValueRef value;
    struct range range;
    LLVMValueRef narrow[RANGE_SIZES]; /* the same as bytes and half words, NULL: not made so far (narrow.c) */
    LLVMValueRef origin;              /* the same, made of words; NULL: itself */
};

struct ranges {
    struct known *known; /* by a hash of the value; no instruction may be freed while there is such a table */
    size_t size;         /* a power of two */
    LLVMTypeRef wide;    /* of vectors of words */
};

/* For a function, with room for twice as many values as it has instructions. False: the host has no memory. */
bool ranges_begin(struct ranges *r, LLVMValueRef function);
void ranges_end(struct ranges *r);

/* The place of a value in the table: that of none if nothing has been noted of it. */
struct known *ranges_find(const struct ranges *r, LLVMValueRef v);

struct known *ranges_note(const struct ranges *r, LLVMValueRef v, struct range range);

/* Of a value noted before, or a constant. */
struct range ranges_of(const struct ranges *r, LLVMValueRef v);

struct range range_of_constant(LLVMValueRef v);

/* What an instruction that makes words makes, as far as follows from its operands. */
struct range ranges_of_result(const struct ranges *r, LLVMValueRef v);

static inline unsigned range_width(unsigned size) { return size == RANGE_BYTES ? 8 : 16; }

static inline bool range_fits(struct range r, unsigned size) { return r.low >= 0 && r.high < 1ll << range_width(size); }

/* As a number with a sign. */
static inline bool range_fits_signed(struct range r, unsigned size)
{
    const int64_t end = 1ll << (range_width(size) - 1);
    return r.low >= -end && r.high < end;
}

enum minimum { NO_MINIMUM, SMIN, SMAX, UMIN, UMAX };

/* Which minimum or maximum a call is. */
enum minimum minimum_of(LLVMValueRef v);
LLVMValueRef minimum_build(LLVMBuilderRef b, enum minimum m, LLVMValueRef x, LLVMValueRef y);

/* The comparison of numbers that have no sign, as far as they are. */
LLVMIntPredicate unsigned_predicate(LLVMIntPredicate p);

/* Erases what nobody uses any more. */
void ranges_erase_idle(LLVMValueRef function);

#endif
