/* Types of the source as entries of DWARF: an entry for each of LLVM's nodes, made when something refers to it. */
#include "compiler/debug/debug.h"

#include <stdlib.h>
#include <string.h>

enum { TYPE_NAME = 2, TYPE_BASE = 3, TYPE_ELEMENTS = 4, ENUMERATOR_NAME = 0, POINTER_BYTES = 4 };

static void add_name(struct cc *cc, struct die *d, LLVMMetadataRef node)
{
    const char *name = node_text(cc, node, TYPE_NAME);
    if (*name) die_text(cc, d, DW_AT_name, name);
}

static void add_size(struct cc *cc, struct die *d, LLVMMetadataRef node)
{
    uint64_t size = LLVMDITypeGetSizeInBits(node); /* in bits */
    if (size) die_number(cc, d, DW_AT_byte_size, DW_FORM_udata, (size + 7) / 8);
}

void type_refer(struct types *t, struct die *d, LLVMMetadataRef node)
{
    const struct die *type = type_die(t, node);
    if (type) die_ref(t->cc, d, DW_AT_type, type);
}

/* ---- the kinds of types ---- */

static void describe_basic(struct types *t, struct die *d, LLVMMetadataRef node)
{
    static const struct {
        const char *name;
        uint8_t code;
    } encodings[] = {{"DW_ATE_boolean", 2},     {"DW_ATE_float", 4},    {"DW_ATE_signed", 5},
                     {"DW_ATE_signed_char", 6}, {"DW_ATE_unsigned", 7}, {"DW_ATE_unsigned_char", 8}};
    const char *name = node_field(t->cc, node, "encoding: ");
    add_name(t->cc, d, node);
    add_size(t->cc, d, node);
    for (unsigned i = 0; i < sizeof encodings / sizeof *encodings; i++)
        if (!strcmp(encodings[i].name, name)) die_number(t->cc, d, DW_AT_encoding, DW_FORM_udata, encodings[i].code);
}

static void describe_derived(struct types *t, struct die *d, LLVMMetadataRef node, bool pointer)
{
    add_name(t->cc, d, node);
    if (pointer) die_number(t->cc, d, DW_AT_byte_size, DW_FORM_udata, POINTER_BYTES);
    type_refer(t, d, node_operand(t->cc, node, TYPE_BASE));
}

static void describe_member(struct types *t, struct die *parent, LLVMMetadataRef node)
{
    enum dwarf_tag tag = (enum dwarf_tag)LLVMGetDINodeTag(node);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return; /* functions of C++ */
    if (LLVMDITypeGetFlags(node) & LLVMDIFlagStaticMember) return;
    struct die *d = die_new(t->cc, parent, tag);
    add_name(t->cc, d, node);
    type_refer(t, d, node_operand(t->cc, node, TYPE_BASE));
    die_number(t->cc, d, DW_AT_data_member_location, DW_FORM_udata, LLVMDITypeGetOffsetInBits(node) / 8);
}

static void describe_enumerator(struct types *t, struct die *parent, LLVMMetadataRef node)
{
    struct die *d = die_new(t->cc, parent, DW_TAG_enumerator);
    die_text(t->cc, d, DW_AT_name, node_text(t->cc, node, ENUMERATOR_NAME));
    const char *value = node_field(t->cc, node, "value: ");
    uint64_t n = *value == '-' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10);
    die_number(t->cc, d, DW_AT_const_value, DW_FORM_sdata, n);
}

/* How many elements a dimension has; -1: not known. */
static int64_t dimension(struct cc *cc, LLVMMetadataRef node)
{
    LLVMMetadataRef count = node_operand(cc, node, 0);
    if (!count || LLVMGetMetadataKind(count) != LLVMConstantAsMetadataMetadataKind) return -1;
    LLVMValueRef n = LLVMGetOperand(LLVMMetadataAsValue(cc->context, node), 0);
    return LLVMIsAConstantInt(n) ? LLVMConstIntGetSExtValue(n) : -1;
}

static void describe_dimension(struct types *t, struct die *parent, LLVMMetadataRef node)
{
    struct die *d = die_new(t->cc, parent, DW_TAG_subrange_type);
    int64_t count = dimension(t->cc, node);
    die_number(t->cc, d, DW_AT_lower_bound, DW_FORM_udata, 0);
    if (count >= 0) die_number(t->cc, d, DW_AT_count, DW_FORM_udata, (uint64_t)count);
}

static void describe_composite(struct types *t, struct die *d, LLVMMetadataRef node, enum dwarf_tag tag)
{
    LLVMMetadataRef elements = node_operand(t->cc, node, TYPE_ELEMENTS);
    add_name(t->cc, d, node);
    add_size(t->cc, d, node);
    if (LLVMDITypeGetFlags(node) & LLVMDIFlagVector) die_flag(t->cc, d, DW_AT_GNU_vector);
    if (LLVMDITypeGetFlags(node) & LLVMDIFlagFwdDecl) die_flag(t->cc, d, DW_AT_declaration);
    if (tag == DW_TAG_array_type || tag == DW_TAG_enumeration_type)
        type_refer(t, d, node_operand(t->cc, node, TYPE_BASE));
    for (uint32_t i = 0; elements && i < node_operands(t->cc, elements); i++) {
        LLVMMetadataRef element = node_operand(t->cc, elements, i);
        LLVMMetadataKind kind = element ? LLVMGetMetadataKind(element) : (LLVMMetadataKind)-1;
        if (kind == LLVMDISubrangeMetadataKind) describe_dimension(t, d, element);
        else if (kind == LLVMDIEnumeratorMetadataKind) describe_enumerator(t, d, element);
        else if (kind == LLVMDIDerivedTypeMetadataKind) describe_member(t, d, element);
    }
}

static void describe(struct types *t, struct die *d, LLVMMetadataRef node, enum dwarf_tag tag)
{
    switch (LLVMGetMetadataKind(node)) {
    case LLVMDIBasicTypeMetadataKind: describe_basic(t, d, node); break;
    case LLVMDIDerivedTypeMetadataKind:
        describe_derived(t, d, node, tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type);
        break;
    case LLVMDICompositeTypeMetadataKind: describe_composite(t, d, node, tag); break;
    default: break; /* the type of a function, behind a pointer */
    }
}

const struct die *type_die(struct types *t, LLVMMetadataRef node)
{
    if (!node) return NULL; /* void */
    uint32_t known = *pair_number(t->cc, &t->numbers, node, NULL);
    if (known) return t->list[known - 1];
    enum dwarf_tag tag = (enum dwarf_tag)LLVMGetDINodeTag(node);
    struct die *d = die_new(t->cc, t->parent, tag);
    t->list = cc_grow(t->cc, t->list, t->n, &t->room, sizeof(struct die *));
    t->list[t->n++] = d;
    *pair_number(t->cc, &t->numbers, node, NULL) = t->n; /* before what it is made of, which may lead back to it */
    describe(t, d, node, tag);
    return d;
}

/* ---- sizes ---- */

/* Behind names, `const` and the like, which have no size of their own. */
static LLVMMetadataRef bare_type(struct cc *cc, LLVMMetadataRef node)
{
    while (node && !LLVMDITypeGetSizeInBits(node) && LLVMGetMetadataKind(node) == LLVMDIDerivedTypeMetadataKind)
        node = node_operand(cc, node, TYPE_BASE);
    return node;
}

uint32_t type_bytes(struct cc *cc, LLVMMetadataRef node)
{
    LLVMMetadataRef type = bare_type(cc, node);
    return type ? (uint32_t)((LLVMDITypeGetSizeInBits(type) + 7) / 8) : 0;
}

static bool array_uses(struct cc *cc, LLVMMetadataRef array, LLVMMetadataRef dimensions, int64_t from, int64_t to)
{
    LLVMMetadataRef element = node_operand(cc, array, TYPE_BASE);
    int64_t size = type_bytes(cc, element), n = 1;
    for (uint32_t i = 0; i < node_operands(cc, dimensions) && n > 0; i++)
        n *= dimension(cc, node_operand(cc, dimensions, i));
    if (size <= 0 || n < 0) return true;
    for (int64_t i = from > 0 ? from / size : 0; i < n && i * size < to; i++)
        if (type_uses(cc, element, from - i * size, to - i * size)) return true;
    return false;
}

static bool member_uses(struct cc *cc, LLVMMetadataRef member, int64_t from, int64_t to)
{
    int64_t at;
    if (LLVMGetMetadataKind(member) != LLVMDIDerivedTypeMetadataKind) return false;
    at = (int64_t)LLVMDITypeGetOffsetInBits(member) / 8;
    return type_uses(cc, node_operand(cc, member, TYPE_BASE), from - at, to - at);
}

bool type_uses(struct cc *cc, LLVMMetadataRef node, int64_t from, int64_t to)
{
    LLVMMetadataRef type = bare_type(cc, node);
    if (!type || to <= 0 || from >= type_bytes(cc, type)) return false;
    enum dwarf_tag tag = (enum dwarf_tag)LLVMGetDINodeTag(type);
    LLVMMetadataRef parts =
        LLVMGetMetadataKind(type) == LLVMDICompositeTypeMetadataKind ? node_operand(cc, type, TYPE_ELEMENTS) : NULL;
    if (!parts || tag == DW_TAG_enumeration_type) return true;
    if (tag == DW_TAG_array_type) return array_uses(cc, type, parts, from, to);
    for (uint32_t i = 0; i < node_operands(cc, parts); i++) {
        LLVMMetadataRef part = node_operand(cc, parts, i);
        if (part && member_uses(cc, part, from, to)) return true;
    }
    return false;
}
