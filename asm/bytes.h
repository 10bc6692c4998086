/* Numbers in the bytes of a file, which need not be aligned; files and host are little-endian. */
#ifndef VENTUS_ASM_BYTES_H
#define VENTUS_ASM_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t read16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t read32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t read64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void write32(uint8_t *p, uint32_t v) { memcpy(p, &v, sizeof v); }

#endif
