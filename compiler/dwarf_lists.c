/* .debug_rnglists and .debug_loclists: lists of code, and of what is where in it.
 *
 * Both sections begin with the same header, for one contribution without a table of offsets: attributes name a list by
 * its place in the section. Addresses count from the unit's low_pc, so no entry holds a whole one. */
#include "compiler/dwarf.h"

enum { DW_RLE_end_of_list = 0, DW_RLE_offset_pair = 4, DW_LLE_end_of_list = 0, DW_LLE_offset_pair = 4 };

/* The place of the next list. The first one puts the header in front of itself. */
static uint32_t begin_list(struct cc *cc, struct bytes *section)
{
    if (section->n) return section->n;
    unit_begin(cc, section);
    put_u16(cc, section, 5); /* version */
    put_u8(cc, section, 4);  /* size of an address */
    put_u8(cc, section, 0);  /* of a segment selector */
    put_u32(cc, section, 0); /* offsets in the table */
    return section->n;
}

uint32_t ranges_add(struct cc *cc, struct bytes *section, const struct span *spans, uint32_t n)
{
    uint32_t at = begin_list(cc, section);
    for (uint32_t i = 0; i < n; i++) {
        put_u8(cc, section, DW_RLE_offset_pair);
        put_uleb(cc, section, spans[i].from);
        put_uleb(cc, section, spans[i].to);
    }
    put_u8(cc, section, DW_RLE_end_of_list);
    return at;
}

uint32_t locations_add(struct cc *cc, struct bytes *section, const struct span *spans, const struct bytes *expressions,
                       uint32_t n)
{
    uint32_t at = begin_list(cc, section);
    for (uint32_t i = 0; i < n; i++) {
        put_u8(cc, section, DW_LLE_offset_pair);
        put_uleb(cc, section, spans[i].from);
        put_uleb(cc, section, spans[i].to);
        put_uleb(cc, section, expressions[i].n);
        put_bytes(cc, section, expressions[i].data, expressions[i].n);
    }
    put_u8(cc, section, DW_LLE_end_of_list);
    return at;
}

void lists_end(struct bytes *section)
{
    if (section->n) unit_end(section, 4);
}
