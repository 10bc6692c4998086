/* What stands before a module's functions: what it needs, its kernels, names and decorations. */
#include <string.h>

#include "compiler/spirv/reader.h"

LLVMValueRef read_nothing(struct reader *r)
{
    (void)r;
    return NULL;
}

static const struct {
    uint32_t number;
    const char *name;
} capabilities[] = {
#define CAPABILITY(number, name) {number, name},
#include "isa/spirv.def"
};

LLVMValueRef read_capability(struct reader *r)
{
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if (capabilities[i].number == r->operands[0]) {
            if (!lacks_name(r->cc, capabilities[i].name)) return NULL;
            spirv_error(r, "the module needs capability %s, which the device that it is for does not have",
                        capabilities[i].name);
        }
    spirv_error(r, "the module needs capability %u, which this device does not have", r->operands[0]);
}

LLVMValueRef read_memory_model(struct reader *r)
{
    enum { PHYSICAL_32 = 1, PHYSICAL_64 = 2, OPENCL = 2 };
    if (r->operands[0] == PHYSICAL_64)
        spirv_error(r, "the module is for addresses of 64 bits (Physical64); those of this device have 32: Physical32");
    if (r->operands[0] != PHYSICAL_32 || r->operands[1] != OPENCL)
        spirv_error(r, "the module is not for OpenCL: its memory model has to be Physical32 OpenCL");
    return NULL;
}

static struct entry *entry_of(struct reader *r, struct id *id)
{
    if (!id->entry) spirv_error(r, "%%%u is not the function of an entry point", (uint32_t)(id - r->ids));
    return id->entry;
}

LLVMValueRef read_entry_point(struct reader *r)
{
    enum { KERNEL = 6 };
    struct id *id = operand_id(r, 1);
    if (r->operands[0] != KERNEL)
        spirv_error(r, "its execution model is %u; only kernels can run here", r->operands[0]);
    if (id->entry) spirv_error(r, "the function has the name %s as a kernel already", id->entry->name);
    id->entry = cc_alloc(r->cc, sizeof *id->entry);
    id->entry->name = operand_text(r, 2, NULL);
    if (!*id->entry->name) spirv_error(r, "a kernel without a name");
    id->entry->next = r->entries;
    r->entries = id->entry;
    return NULL;
}

LLVMValueRef read_execution_mode(struct reader *r)
{
    enum { SIZE = 17, HINT = 18, VECTOR = 30, CONTRACTION = 31, SIZE_ID = 38, HINT_ID = 39 };
    enum { SUB_GROUP_SIZE = 35, SUB_GROUPS_ID = 37 };
    struct entry *entry = entry_of(r, operand_id(r, 0));
    const uint32_t *literals = r->operands + 2;
    bool size = r->operands[1] == SIZE || r->operands[1] == SIZE_ID;
    bool hint = r->operands[1] == HINT || r->operands[1] == HINT_ID;
    bool vector = r->operands[1] == VECTOR;
    bool one = vector || (r->operands[1] >= SUB_GROUP_SIZE && r->operands[1] <= SUB_GROUPS_ID);
    if (!size && !hint && !one && r->operands[1] != CONTRACTION) /* nothing is contracted */
        spirv_error(r, "execution mode %u is not known here", r->operands[1]);
    if (r->noperands < 2u + (one ? 1 : size || hint ? 3 : 0)) spirv_error(r, "a literal is missing");
    if (r->operands[1] == SUB_GROUP_SIZE && *literals != ISA_LANES)
        spirv_error(r, "sub-groups of %u work-items are asked for; those of this device have %u", *literals, ISA_LANES);
    if (size) entry->size = literals, entry->size_ids = r->operands[1] == SIZE_ID;
    if (hint) entry->hint = literals, entry->hint_ids = r->operands[1] == HINT_ID;
    if (vector) entry->vector = literals;
    return NULL;
}

LLVMValueRef read_import(struct reader *r)
{
    static const char ignored[] = "NonSemantic.";
    const char *name = operand_text(r, 0, NULL);
    bool opencl = !strcmp(name, "OpenCL.std");
    bool silent = !strncmp(name, ignored, sizeof ignored - 1) || !strcmp(name, "OpenCL.DebugInfo.100");
    if (!opencl && !silent) spirv_error(r, "extended instructions \"%.100s\" are not known; OpenCL.std are", name);
    r->result->kind = opencl ? ID_OPENCL : ID_NON_SEMANTIC;
    return NULL;
}

LLVMValueRef read_name(struct reader *r)
{
    operand_id(r, 0)->name = operand_text(r, 1, NULL);
    return NULL;
}

/* Translators from OpenCL C leave kernels' types as "kernel_arg_type.KERNEL.TYPE,TYPE,". */
LLVMValueRef read_string(struct reader *r)
{
    r->result->kind = ID_STRING;
    r->result->text = operand_text(r, 0, NULL);
    if (strncmp(r->result->text, "kernel_arg_", 11)) return NULL;
    struct string *string = cc_alloc(r->cc, sizeof *string);
    *string = (struct string){r->result->text, r->strings};
    r->strings = string;
    return NULL;
}

/* Translators export a kernel's body under the kernel's name, too, which the kernel itself calls. */
static bool is_kernel_name(const struct reader *r, const char *name)
{
    const struct entry *e = r->entries;
    while (e && strcmp(e->name, name)) e = e->next;
    return e;
}

const char *linkage_name(const struct reader *r, const struct id *id, enum linkage *how)
{
    const uint32_t *said = decoration(id, DECORATION_LINKAGE);
    const char *name = (const char *)said;
    if (!said || is_kernel_name(r, name)) return NULL;
    *how = (enum linkage)said[strlen(name) / sizeof *said + 1];
    return name;
}

/* ---- decorations ---- */

bool is_by_value(const struct id *parameter)
{
    enum { BY_VALUE = 2 };
    return parameter->decorations && parameter->decorations->parameter >> BY_VALUE & 1;
}

static struct decorations *decorations_of(struct reader *r, struct id *id)
{
    if (!id->decorations) id->decorations = cc_alloc(r->cc, sizeof *id->decorations);
    return id->decorations;
}

/* By SPIR-V's numbers. The driver writes the values of specialization constants into the module, so that SpecId means
 * nothing here; others are permissions, or without a meaning for kernels. */
static int decoration_index(uint32_t number)
{
    switch (number) {
    case 10: return DECORATION_PACKED;
    case 11: return DECORATION_BUILTIN;
    case 19: return DECORATION_RESTRICT;
    case 21: return DECORATION_VOLATILE;
    case 22: return DECORATION_CONSTANT;
    case 28: return DECORATION_SATURATED;
    case 39: return DECORATION_ROUNDING;
    case 41: return DECORATION_LINKAGE;
    case 44: return DECORATION_ALIGNMENT;
    default: return -1;
    }
}

LLVMValueRef read_decorate(struct reader *r)
{
    enum { PARAMETER = 38 };
    struct decorations *d = decorations_of(r, operand_id(r, 0));
    int which = decoration_index(r->operands[1]);
    bool literal = which == DECORATION_BUILTIN || which == DECORATION_ROUNDING || which == DECORATION_ALIGNMENT ||
                   r->operands[1] == PARAMETER;
    if (literal && r->noperands < 3) spirv_error(r, "a literal is missing");
    if (which == DECORATION_LINKAGE) {
        uint32_t type;
        operand_text(r, 2, &type);
        if (type >= r->noperands) spirv_error(r, "the type of linkage is missing");
    }
    if (r->operands[1] == PARAMETER && r->operands[2] < 32) d->parameter |= 1u << r->operands[2];
    if (which >= 0) d->of[which] = r->operands + 2;
    return NULL;
}

LLVMValueRef read_decoration_group(struct reader *r)
{
    r->result->kind = ID_GROUP;
    return NULL;
}

LLVMValueRef read_group_decorate(struct reader *r)
{
    const struct decorations *from = operand_id(r, 0)->decorations;
    for (uint32_t i = 1; from && i < r->noperands; i++) {
        struct decorations *to = decorations_of(r, operand_id(r, i));
        for (int d = 0; d < DECORATIONS; d++)
            if (from->of[d]) to->of[d] = from->of[d];
        to->parameter |= from->parameter;
    }
    return NULL;
}
