/* Bytes of DWARF: numbers of fixed size, numbers of as many bytes as they need (LEB128), texts. */
#include "compiler/dwarf/dwarf.h"

#include <string.h>

void put_u8(struct cc *cc, struct bytes *b, uint32_t v)
{
    b->data = cc_grow(cc, b->data, b->n, &b->room, 1);
    b->data[b->n++] = (uint8_t)v;
}

void put_u16(struct cc *cc, struct bytes *b, uint32_t v)
{
    put_u8(cc, b, v);
    put_u8(cc, b, v >> 8);
}

void put_u32(struct cc *cc, struct bytes *b, uint32_t v)
{
    put_u16(cc, b, v);
    put_u16(cc, b, v >> 16);
}

void put_uleb(struct cc *cc, struct bytes *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) put_u8(cc, b, 0x80 | (v & 0x7f));
    put_u8(cc, b, (uint32_t)v);
}

void put_sleb(struct cc *cc, struct bytes *b, int64_t v)
{
    for (; v < -0x40 || v >= 0x40; v >>= 7) put_u8(cc, b, 0x80 | (v & 0x7f));
    put_u8(cc, b, v & 0x7f);
}

void put_bytes(struct cc *cc, struct bytes *b, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) put_u8(cc, b, ((const uint8_t *)from)[i]);
}

void put_text(struct cc *cc, struct bytes *b, const char *text) { put_bytes(cc, b, text, strlen(text) + 1); }

uint32_t unit_begin(struct cc *cc, struct bytes *b)
{
    put_u32(cc, b, 0);
    return b->n;
}

void unit_end(struct bytes *b, uint32_t begin)
{
    uint32_t size = b->n - begin;
    for (unsigned i = 0; i < 4; i++) b->data[begin - 4 + i] = (uint8_t)(size >> 8 * i);
}
