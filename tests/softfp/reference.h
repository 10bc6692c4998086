/* What the results of sim/softfp.h must be, found another way: patterns become long doubles, the host
 * computes in its long double rounded to odd (at least 64 bits, so that rounding again to at most 53 is as
 * good as rounding once), and the result is counted in units of its last place. */
#ifndef VENTUS_TESTS_SOFTFP_REFERENCE_H
#define VENTUS_TESTS_SOFTFP_REFERENCE_H

#include "sim/softfp.h"

enum { FORMATS = FP_E3M0 + 1, MODES = FP_ROD + 1 };

/* A format by its definition. The largest number is (2 - 2^(1 - digits)) * 2^exp_max, less one unit for FP_E4M3. */
struct ref_format {
    const char *name;
    int width, digits, exp_min, exp_max; /* digits counts the leading one */
    int unused;                          /* low bits */
    bool infinity, nan;
    uint64_t canonical; /* NaN, or what stands for it */
};
extern const struct ref_format ref_formats[FORMATS];

bool ref_is_nan(enum fp_format f, uint64_t a);
bool ref_is_signalling(enum fp_format f, uint64_t a);

/* The value of a pattern that is no NaN. */
long double ref_value(enum fp_format f, uint64_t a);

/* The pattern and the flags (added to *flags) of x, that may be infinite and may be rounded to odd. */
uint64_t ref_round(enum fp_format f, long double x, unsigned mode, unsigned *flags);

/* Rounds x to an integer. */
long double ref_integer(long double x, unsigned mode);

enum ref_op { REF_ADD, REF_SUB, REF_MUL, REF_DIV, REF_SQRT, REF_FMA, REF_OPS };

/* An operation in all modes at once: result[m] and flags[m] for mode m. */
void ref_compute(enum ref_op op, enum fp_format f, const uint64_t operand[3], uint64_t result[MODES],
                 unsigned flags[MODES]);

/* Deterministic random bits, and a pattern likely to lie at an edge: of the format, of a binade, of a tie. */
uint64_t ref_random(void);
uint64_t ref_pattern(enum fp_format f);

#endif
