/* .debug_rnglists and .debug_loclists: lists of code, and of what is where in it.
 *
 * Both sections begin with the same header, for one contribution without a table of offsets: attributes name a list by
 * its place in the section. Addresses count from the unit's low_pc, so no entry holds a whole one. */
#include "compiler/dwarf/dwarf.h"

enum { END_OF_LIST = 0, OFFSET_PAIR = 4 }; /* DW_RLE_ and DW_LLE_: the same numbers */

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

uint32_t list_add(struct cc *cc, const struct spans *spans)
{
    struct bytes *section = spans->section;
    uint32_t at = begin_list(cc, section);
    for (uint32_t i = 0; i < spans->n; i++) {
        put_u8(cc, section, OFFSET_PAIR);
        put_uleb(cc, section, spans->list[i].from);
        put_uleb(cc, section, spans->list[i].to);
        if (!spans->expressions) continue;
        put_uleb(cc, section, spans->expressions[i].n);
        put_bytes(cc, section, spans->expressions[i].data, spans->expressions[i].n);
    }
    put_u8(cc, section, END_OF_LIST);
    return at;
}

void lists_end(struct bytes *section)
{
    if (section->n) unit_end(section, 4);
}
