/* .debug_frame: for each function, how a debugger gets from an instruction in it to its caller. Two descriptions are
 * common to many: of functions that return through a register, and of those that nothing has called. */
#include "compiler/dwarf/dwarf.h"

enum {
    CIE_ID = 0xffffffff,
    VERSION = 4,
    CFA_undefined = 0x07,
    CFA_same_value = 0x08,
    CFA_register = 0x09,
    CFA_def_cfa_expression = 0x0f,
    CFA_expression = 0x10,
    CFA_advance_loc1 = 0x02,
    CFA_advance_loc4 = 0x04,
    CODE_ALIGN = 4,
    ADDRESS_SIZE = 4,
};

/* Entries end at multiples of the size of an address. */
static void end_entry(struct cc *cc, struct bytes *b, uint32_t begin)
{
    while (b->n % ADDRESS_SIZE) put_u8(cc, b, 0);
    unit_end(b, begin);
}

uint32_t frame_common(struct cc *cc, struct bytes *section, uint32_t link, const uint32_t *same, uint32_t nsame)
{
    uint32_t at = section->n, begin = unit_begin(cc, section);
    put_u32(cc, section, CIE_ID);
    put_u8(cc, section, VERSION);
    put_text(cc, section, ""); /* no augmentation */
    put_u8(cc, section, ADDRESS_SIZE);
    put_u8(cc, section, 0); /* size of a segment selector */
    put_uleb(cc, section, CODE_ALIGN);
    put_sleb(cc, section, 1); /* of data */
    put_uleb(cc, section, link);
    if (!nsame) put_u8(cc, section, CFA_undefined), put_uleb(cc, section, link);
    for (uint32_t i = 0; i < nsame; i++) {
        put_u8(cc, section, CFA_same_value);
        put_uleb(cc, section, same[i]);
    }
    end_entry(cc, section, begin);
    return at;
}

static void advance(struct cc *cc, struct bytes *b, uint32_t bytes)
{
    uint32_t n = bytes / CODE_ALIGN;
    if (!n) return;
    put_u8(cc, b, n < 256 ? CFA_advance_loc1 : CFA_advance_loc4);
    if (n < 256) put_u8(cc, b, n);
    else put_u32(cc, b, n);
}

/* A block of an expression that is a number. */
static void put_number(struct cc *cc, struct bytes *b, uint32_t number)
{
    struct bytes expression = {0};
    put_u8(cc, &expression, DW_OP_constu);
    put_uleb(cc, &expression, number);
    put_uleb(cc, b, expression.n);
    put_bytes(cc, b, expression.data, expression.n);
}

static void put_place(struct cc *cc, struct bytes *b, uint32_t link, const struct frame_place *p)
{
    uint32_t op = p->kind == FRAME_LOST                            ? CFA_undefined
                  : p->kind == FRAME_MEMORY                        ? CFA_expression
                  : p->kind == FRAME_REGISTER && p->number == link ? CFA_same_value
                                                                   : CFA_register;
    put_u8(cc, b, op);
    put_uleb(cc, b, link);
    if (op == CFA_register) put_uleb(cc, b, p->number);
    if (op == CFA_expression) put_number(cc, b, p->number);
}

void frame_add(struct cc *cc, struct bytes *section, const struct frame *f)
{
    uint32_t begin = unit_begin(cc, section), at = 0;
    put_u32(cc, section, f->common);
    put_u32(cc, section, f->address);
    put_u32(cc, section, f->bytes);
    put_u8(cc, section, CFA_def_cfa_expression);
    put_number(cc, section, f->identity);
    for (uint32_t i = 0; i < f->nlost; i++) {
        put_u8(cc, section, CFA_undefined);
        put_uleb(cc, section, f->lost[i]);
    }
    for (uint32_t i = 0; i < f->nplaces; i++) {
        advance(cc, section, f->places[i].at - at);
        at = f->places[i].at;
        put_place(cc, section, f->link, &f->places[i]);
    }
    end_entry(cc, section, begin);
}
