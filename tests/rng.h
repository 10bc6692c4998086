/* A pseudo-random sequence for tests and benchmarks, the same in every run. */
#ifndef RNG_H
#define RNG_H

#include <stdint.h>

static uint64_t rng_state = 88172645463325252ull;

static inline uint32_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 16);
}

#endif
