/* DWARF 5 as bytes: what its sections are made of, without any knowledge of compilers.
 *
 * Numbers and their names are those of the standard ("DWARF Debugging Information Format, Version 5"), and only those
 * that we write. Everything is in the memory of the compilation. */
#ifndef VENTUS_DWARF_H
#define VENTUS_DWARF_H

#include "compiler/core/cc.h"

// clang-format off
enum dwarf_tag {
    DW_TAG_array_type = 0x01, DW_TAG_enumeration_type = 0x04, DW_TAG_formal_parameter = 0x05,
    DW_TAG_lexical_block = 0x0b, DW_TAG_member = 0x0d, DW_TAG_pointer_type = 0x0f, DW_TAG_reference_type = 0x10,
    DW_TAG_compile_unit = 0x11, DW_TAG_inheritance = 0x1c, DW_TAG_inlined_subroutine = 0x1d,
    DW_TAG_subrange_type = 0x21, DW_TAG_base_type = 0x24, DW_TAG_enumerator = 0x28, DW_TAG_subprogram = 0x2e,
    DW_TAG_variable = 0x34,
};
enum dwarf_at {
    DW_AT_location = 0x02, DW_AT_name = 0x03, DW_AT_byte_size = 0x0b, DW_AT_stmt_list = 0x10, DW_AT_low_pc = 0x11,
    DW_AT_high_pc = 0x12, DW_AT_language = 0x13, DW_AT_comp_dir = 0x1b, DW_AT_const_value = 0x1c, DW_AT_inline = 0x20,
    DW_AT_lower_bound = 0x22, DW_AT_producer = 0x25, DW_AT_prototyped = 0x27, DW_AT_abstract_origin = 0x31,
    DW_AT_count = 0x37, DW_AT_data_member_location = 0x38, DW_AT_decl_file = 0x3a, DW_AT_decl_line = 0x3b,
    DW_AT_calling_convention = 0x36, DW_AT_declaration = 0x3c, DW_AT_encoding = 0x3e, DW_AT_external = 0x3f, DW_AT_frame_base = 0x40, DW_AT_type = 0x49,
    DW_AT_ranges = 0x55, DW_AT_call_column = 0x57, DW_AT_call_file = 0x58, DW_AT_call_line = 0x59,
    DW_AT_GNU_vector = 0x2107,
};
enum dwarf_form {
    DW_FORM_addr = 0x01, DW_FORM_data4 = 0x06, DW_FORM_string = 0x08, DW_FORM_sdata = 0x0d, DW_FORM_udata = 0x0f,
    DW_FORM_ref4 = 0x13, DW_FORM_sec_offset = 0x17, DW_FORM_exprloc = 0x18, DW_FORM_flag_present = 0x19,
};
enum dwarf_op {
    DW_OP_addr = 0x03, DW_OP_deref = 0x06, DW_OP_constu = 0x10, DW_OP_consts = 0x11, DW_OP_and = 0x1a, DW_OP_div = 0x1b,
    DW_OP_minus = 0x1c, DW_OP_mod = 0x1d, DW_OP_mul = 0x1e, DW_OP_neg = 0x1f, DW_OP_not = 0x20, DW_OP_or = 0x21,
    DW_OP_plus = 0x22, DW_OP_plus_uconst = 0x23, DW_OP_shl = 0x24, DW_OP_shr = 0x25, DW_OP_shra = 0x26, DW_OP_xor = 0x27,
    DW_OP_breg0 = 0x70, DW_OP_regx = 0x90, DW_OP_fbreg = 0x91, DW_OP_bregx = 0x92, DW_OP_piece = 0x93, DW_OP_bit_piece = 0x9d,
    DW_OP_stack_value = 0x9f,
};
// clang-format on
enum { DW_LANG_C99 = 0x0c, DW_INL_inlined = 1, DW_CC_nocall = 3 };

/* ---- dwarf.c: bytes ---- */

struct bytes {
    uint8_t *data;
    uint32_t n, room;
};
void put_u8(struct cc *cc, struct bytes *b, uint32_t v);
void put_u16(struct cc *cc, struct bytes *b, uint32_t v);
void put_u32(struct cc *cc, struct bytes *b, uint32_t v);
void put_uleb(struct cc *cc, struct bytes *b, uint64_t v);
void put_sleb(struct cc *cc, struct bytes *b, int64_t v);
void put_text(struct cc *cc, struct bytes *b, const char *text); /* with the zero behind it */
void put_bytes(struct cc *cc, struct bytes *b, const void *from, size_t n);
/* Every unit begins with the size of the rest of it: leaves room for that, and fills it in at the end. */
uint32_t unit_begin(struct cc *cc, struct bytes *b);
void unit_end(struct bytes *b, uint32_t begin);

/* ---- dwarf/info.c: the tree of .debug_info, and .debug_abbrev ---- */

struct die; /* an entry of the tree */
struct die *die_new(struct cc *cc, struct die *parent, enum dwarf_tag tag);
/* Its attributes. A number that the form has no room for is cut off. */
void die_number(struct cc *cc, struct die *d, enum dwarf_at at, enum dwarf_form form, uint64_t number);
void die_text(struct cc *cc, struct die *d, enum dwarf_at at, const char *text);
void die_flag(struct cc *cc, struct die *d, enum dwarf_at at);
void die_ref(struct cc *cc, struct die *d, enum dwarf_at at, const struct die *to);
void die_expression(struct cc *cc, struct die *d, enum dwarf_at at, struct bytes expression);
/* Addresses in the unit's code, counted from its low_pc. */
struct span {
    uint32_t from, to;
};
/* A list of code, or of what is where in it. */
struct spans {
    struct bytes *section; /* that it is to be added to: .debug_rnglists, or .debug_loclists ... */
    const struct span *list;
    const struct bytes *expressions; /* ... when there is a location for each span; else NULL */
    uint32_t n;
};
void die_spans(struct cc *cc, struct die *d, enum dwarf_at at, struct spans spans);
/* The unit with this root. Adds the lists of its entries to their sections, in the order of the entries. */
void info_write(struct cc *cc, struct die *root, struct bytes *info, struct bytes *abbrev);

/* ---- dwarf/lists.c: .debug_rnglists and .debug_loclists ---- */

/* Adds a list to its section and returns its place there, for DW_FORM_sec_offset. */
uint32_t list_add(struct cc *cc, const struct spans *spans);
/* Ends a section of lists. */
void lists_end(struct bytes *section);

/* ---- dwarf/frame.c: .debug_frame ---- */

/* From a byte of a function on, the address that it returns to is ... */
struct frame_place {
    uint32_t at;
    enum { FRAME_LOST, FRAME_REGISTER, FRAME_MEMORY } kind;
    uint32_t number; /* of the register; the address */
};
struct frame {
    uint32_t common; /* from frame_common */
    uint32_t address, bytes;
    uint32_t identity;    /* what tells it from others, in the place of a canonical frame address: that of a caller is
                           * greater; lldb wants multiples of 16, and no 0 */
    const uint32_t *lost; /* registers in which nothing of the caller's is left */
    uint32_t nlost;
    uint32_t link; /* the register that it is called with */
    const struct frame_place *places;
    uint32_t nplaces;
};
/* What functions have in common that are called with their return address in `link`: registers which are as they were
 * for the caller, where a frame does not say otherwise. None: nothing calls them. */
uint32_t frame_common(struct cc *cc, struct bytes *section, uint32_t link, const uint32_t *same, uint32_t nsame);
void frame_add(struct cc *cc, struct bytes *section, const struct frame *f);

/* ---- dwarf/line.c: .debug_line ---- */

/* Code from an address on was made of this place of the source. */
struct line_row {
    uint32_t address, file, line, column;
    bool prologue_end; /* where a debugger stops that is to stop at the beginning of the function */
};
struct line_files {
    struct line_file {
        const char *folder, *name;
    } * list;
    uint32_t n, room;
};
/* Number of a file in the table; file 0 is the unit's own, entered first. */
uint32_t line_file(struct cc *cc, struct line_files *files, const char *folder, const char *name);
/* Code without gaps, by address; `end` is the address behind it. */
void line_sequence(struct cc *cc, struct bytes *program, const struct line_row *rows, uint32_t n, uint32_t end);
/* The section of these files and sequences. */
void line_write(struct cc *cc, struct bytes *section, const struct line_files *files, const struct bytes *program);

#endif
