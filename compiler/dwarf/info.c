/* .debug_info, the tree of what a program consists of, and .debug_abbrev, which says what its entries look like.
 *
 * The tree is built in any order, with references between entries; their offsets are computed first and written then.
 */
#include "compiler/dwarf/dwarf.h"

#include <string.h>

struct attribute {
    uint16_t at, form;
    uint64_t number;
    const struct die *ref;
    struct bytes bytes; /* of an expression, or a text with its zero */
    struct spans spans; /* its number is their place, once they have one */
};

struct die {
    uint16_t tag;
    struct attribute *attributes;
    uint32_t nattributes, room;
    struct die *children, *last, *next;
    uint32_t abbrev, offset;
};

struct die *die_new(struct cc *cc, struct die *parent, enum dwarf_tag tag)
{
    struct die *d = cc_alloc(cc, sizeof *d);
    d->tag = (uint16_t)tag;
    if (!parent) return d;
    if (parent->last) parent->last->next = d;
    else parent->children = d;
    parent->last = d;
    return d;
}

static struct attribute *add(struct cc *cc, struct die *d, enum dwarf_at at, enum dwarf_form form)
{
    d->attributes = cc_grow(cc, d->attributes, d->nattributes, &d->room, sizeof *d->attributes);
    d->attributes[d->nattributes] = (struct attribute){.at = (uint16_t)at, .form = (uint16_t)form};
    return &d->attributes[d->nattributes++];
}

void die_number(struct cc *cc, struct die *d, enum dwarf_at at, enum dwarf_form form, uint64_t number)
{
    add(cc, d, at, form)->number = number;
}

void die_text(struct cc *cc, struct die *d, enum dwarf_at at, const char *text)
{
    put_text(cc, &add(cc, d, at, DW_FORM_string)->bytes, text);
}

void die_flag(struct cc *cc, struct die *d, enum dwarf_at at) { add(cc, d, at, DW_FORM_flag_present); }

void die_ref(struct cc *cc, struct die *d, enum dwarf_at at, const struct die *to)
{
    add(cc, d, at, DW_FORM_ref4)->ref = to;
}

void die_expression(struct cc *cc, struct die *d, enum dwarf_at at, struct bytes expression)
{
    add(cc, d, at, DW_FORM_exprloc)->bytes = expression;
}

void die_spans(struct cc *cc, struct die *d, enum dwarf_at at, struct spans spans)
{
    add(cc, d, at, DW_FORM_sec_offset)->spans = spans;
}

/* ---- abbreviations: one for all entries with the same tag, attributes and forms ---- */

struct abbrevs {
    const struct die **list; /* an entry of each; its number is its place + 1 */
    uint32_t n, room;
};

static bool same_shape(const struct die *a, const struct die *b)
{
    if (a->tag != b->tag || !a->children != !b->children || a->nattributes != b->nattributes) return false;
    for (uint32_t i = 0; i < a->nattributes; i++)
        if (a->attributes[i].at != b->attributes[i].at || a->attributes[i].form != b->attributes[i].form) return false;
    return true;
}

static void write_abbrev(struct cc *cc, struct bytes *b, const struct die *d, uint32_t number)
{
    put_uleb(cc, b, number);
    put_uleb(cc, b, d->tag);
    put_u8(cc, b, d->children != NULL);
    for (uint32_t i = 0; i < d->nattributes; i++) {
        put_uleb(cc, b, d->attributes[i].at);
        put_uleb(cc, b, d->attributes[i].form);
    }
    put_u16(cc, b, 0); /* no attribute, no form */
}

static uint32_t abbrev_of(struct cc *cc, struct abbrevs *a, struct bytes *section, const struct die *d)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (same_shape(a->list[i], d)) return i + 1;
    a->list = cc_grow(cc, a->list, a->n, &a->room, sizeof *a->list);
    a->list[a->n++] = d;
    write_abbrev(cc, section, d, a->n);
    return a->n;
}

/* ---- entries ---- */

static void put_attribute(struct cc *cc, struct bytes *b, const struct attribute *a)
{
    switch (a->form) {
    case DW_FORM_addr:
    case DW_FORM_data4:
    case DW_FORM_sec_offset: put_u32(cc, b, (uint32_t)a->number); break;
    case DW_FORM_udata: put_uleb(cc, b, a->number); break;
    case DW_FORM_sdata: put_sleb(cc, b, (int64_t)a->number); break;
    case DW_FORM_ref4: put_u32(cc, b, a->ref->offset); break;
    case DW_FORM_exprloc: put_uleb(cc, b, a->bytes.n); /* fallthrough */
    case DW_FORM_string: put_bytes(cc, b, a->bytes.data, a->bytes.n); break;
    default: break; /* DW_FORM_flag_present is nothing but its place in the abbreviation */
    }
}

static void put_die(struct cc *cc, struct bytes *b, struct die *d)
{
    d->offset = b->n;
    put_uleb(cc, b, d->abbrev);
    for (uint32_t i = 0; i < d->nattributes; i++) put_attribute(cc, b, &d->attributes[i]);
    if (!d->children) return;
    for (struct die *c = d->children; c; c = c->next) put_die(cc, b, c);
    put_u8(cc, b, 0); /* no further child */
}

static void give_abbrevs(struct cc *cc, struct abbrevs *a, struct bytes *section, struct die *d)
{
    d->abbrev = abbrev_of(cc, a, section, d);
    for (uint32_t i = 0; i < d->nattributes; i++)
        if (d->attributes[i].spans.n) d->attributes[i].number = list_add(cc, &d->attributes[i].spans);
    for (struct die *c = d->children; c; c = c->next) give_abbrevs(cc, a, section, c);
}

static void put_unit(struct cc *cc, struct bytes *info, struct die *root)
{
    enum { DW_UT_compile = 1 };
    uint32_t unit = unit_begin(cc, info);
    put_u16(cc, info, 5); /* version */
    put_u8(cc, info, DW_UT_compile);
    put_u8(cc, info, 4);  /* size of an address */
    put_u32(cc, info, 0); /* its abbreviations: the first in their section */
    put_die(cc, info, root);
    unit_end(info, unit);
}

void info_write(struct cc *cc, struct die *root, struct bytes *info, struct bytes *abbrev)
{
    struct abbrevs a = {0};
    struct bytes draft = {0};
    give_abbrevs(cc, &a, abbrev, root);
    put_u8(cc, abbrev, 0);      /* no further abbreviation */
    put_unit(cc, &draft, root); /* all entries have their offsets now: references have one size, whatever they say */
    put_unit(cc, info, root);
}
