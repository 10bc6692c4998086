/* The print buffer (isa/abi.h), which the host empties while work-items wait for room in it: launch_options.print. */
#ifndef VENTUS_SIM_PRINTED_H
#define VENTUS_SIM_PRINTED_H

#include <stdint.h>

/* Closes the buffer of `size` bytes to work-items, unless it is full and they have closed it: then `full`, which they
 * wrote to CSR_PRINT, is where its records end. Returns that end, complete records from ABI_PRINT_HEADER to there; 0: a
 * record is not complete yet, or the buffer's words are none that a program leaves, and nothing has changed. */
uint32_t printed_close(uint8_t *buffer, uint32_t size, uint32_t full);

/* Clears the records of a closed buffer up to `end`, and lets work-items go on. */
void printed_reopen(uint8_t *buffer, uint32_t end);

#endif
