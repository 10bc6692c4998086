/* The one control register with rules of its own about what is written to it; also for code that is compiled to
 * bitcode (translator/rows.c). */
#ifndef VENTUS_SIM_MSTATUS_H
#define VENTUS_SIM_MSTATUS_H

#include <stdint.h>

/* Returns what mstatus holds after a write of `value`; vector state is on from the start. Extension state is off or
 * dirty, as in the public simulator; the summary bit says that some is dirty. */
static inline uint32_t csr_mstatus(uint32_t value)
{
    const uint32_t vector_state = 0x600, float_state = 0x6000, summary = 0x80000000u;
    if (value & vector_state) value |= vector_state;
    if (value & float_state) value |= float_state;
    return value & (vector_state | float_state) ? value | summary : value & ~summary;
}
enum { MSTATUS_START = 0x600 };

#endif
