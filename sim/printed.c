/* Closes and reopens the print buffer while work-items reserve room in it by atomic additions. driver/print.c and
 * tools/run_case.c call these functions. */
#include "sim/printed.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "isa/abi.h"

static _Atomic uint32_t *words_of(uint8_t *buffer) { return (_Atomic uint32_t *)(void *)buffer; }

uint32_t printed_close(uint8_t *buffer, uint32_t size, uint32_t full)
{
    if (size <= ABI_PRINT_HEADER) return 0;
    _Atomic uint32_t *words = words_of(buffer);
    uint32_t used = atomic_load(&words[0]);
    const uint32_t complete = atomic_load(&words[1]), end = used > size ? full : used;
    if (end < ABI_PRINT_HEADER || end > size || complete != end - ABI_PRINT_HEADER) return 0;
    return used > size || atomic_compare_exchange_strong(&words[0], &used, size + 1) ? end : 0;
}

void printed_reopen(uint8_t *buffer, uint32_t end)
{
    _Atomic uint32_t *words = words_of(buffer);
    memset(buffer + ABI_PRINT_HEADER, 0, end - ABI_PRINT_HEADER);
    atomic_store(&words[1], 0);
    atomic_store(&words[0], ABI_PRINT_HEADER);
}
