/* Arithmetic on binary16, in the lower bits, with integers alone: halves and their products are multiples of 2^-48. */
#ifndef VENTUS_HALF_REFERENCE_H
#define VENTUS_HALF_REFERENCE_H

#include <stdint.h>

/* a * b + c of binary16, rounded once, to nearest even. */
uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c);
/* To nearest even; exact. */
uint32_t half_of_float(uint32_t a);
uint32_t float_of_half(uint32_t a);

#endif
