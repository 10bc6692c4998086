/* What stands before a module's functions: what it needs, its kernels, names and decorations. */
#include <string.h>

#include "compiler/spirv.h"

LLVMValueRef read_nothing(struct reader *r)
{
    (void)r;
    return NULL;
}

/* What the device has; `feature` is a row of isa/features.def that says whether it has. */
static const struct {
    uint32_t number;
    const char *name, *feature;
} capabilities[] = {
    {0, "Matrix", NULL},
    {4, "Addresses", NULL},
    {5, "Linkage", NULL},
    {6, "Kernel", NULL},
    {7, "Vector16", NULL},
    {8, "Float16Buffer", NULL},
    {9, "Float16", "cl_khr_fp16"},
    {10, "Float64", "cl_khr_fp64"},
    {11, "Int64", NULL},
    {12, "Int64Atomics", "cl_khr_int64_base_atomics"},
    {13, "ImageBasic", NULL},
    {14, "ImageReadWrite", NULL},
    {17, "Pipes", "__opencl_c_pipes"},
    {18, "Groups", "__opencl_c_work_group_collective_functions"},
    {20, "LiteralSampler", NULL},
    {22, "Int16", NULL},
    {38, "GenericPointer", NULL},
    {39, "Int8", NULL},
    {43, "Sampled1D", NULL},
    {44, "Image1D", NULL},
    {46, "SampledBuffer", NULL},
    {47, "ImageBuffer", NULL},
    {58, "SubgroupDispatch", "cl_khr_subgroups"},
    {61, "GroupNonUniform", "cl_khr_subgroup_non_uniform_vote"},
    {62, "GroupNonUniformVote", "cl_khr_subgroup_non_uniform_vote"},
    {63, "GroupNonUniformArithmetic", "cl_khr_subgroup_non_uniform_arithmetic"},
    {64, "GroupNonUniformBallot", "cl_khr_subgroup_ballot"},
    {65, "GroupNonUniformShuffle", "cl_khr_subgroup_shuffle"},
    {66, "GroupNonUniformShuffleRelative", "cl_khr_subgroup_shuffle_relative"},
    {67, "GroupNonUniformClustered", "cl_khr_subgroup_clustered_reduce"},
    {71, "UniformDecoration", NULL},
    {5055, "ShaderClockKHR", "cl_khr_kernel_clock"},
    {5629, "ExpectAssumeKHR", "cl_khr_expect_assume"},
    {6017, "DotProductInput4x8Bit", "__opencl_c_integer_dot_product_input_4x8bit"},
    {6018, "DotProductInput4x8BitPacked", "__opencl_c_integer_dot_product_input_4x8bit_packed"},
    {6019, "DotProduct", "cl_khr_integer_dot_product"},
    {6025, "BitInstructions", "cl_khr_extended_bit_ops"},
    {6026, "GroupNonUniformRotateKHR", "cl_khr_subgroup_rotate"},
};

static bool has_feature(const char *name)
{
    static const char *const there[] = {
#define EXTENSION(name, ...) name,
#define FEATURE(name, ...)   name,
#include "isa/features.def"
    };
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        if (!strcmp(there[i], name)) return true;
    return false;
}

LLVMValueRef read_capability(struct reader *r)
{
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
        if (capabilities[i].number != r->operands[0]) continue;
        const char *feature = capabilities[i].feature;
        if (feature && !has_feature(feature))
            spirv_error(r, "the module needs %s (%s), which this device does not have", capabilities[i].name, feature);
        return NULL;
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
