/* What kernels of a module say of themselves, as clang would, and the lines of the source that it was made of. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/spirv/reader.h"

static void set_metadata(struct reader *r, LLVMValueRef f, const char *name, LLVMMetadataRef *list, unsigned n)
{
    unsigned kind = LLVMGetMDKindIDInContext(r->cc->context, name, (unsigned)strlen(name));
    LLVMGlobalSetMetadata(f, kind, LLVMMDNodeInContext2(r->cc->context, list, n));
}

static LLVMMetadataRef number(struct reader *r, uint64_t n) { return LLVMValueAsMetadata(int_value(r, n)); }

static LLVMMetadataRef text(struct reader *r, const char *s)
{
    return LLVMMDStringInContext2(r->cc->context, s, strlen(s));
}

/* ---- arguments ---- */

/* In the words of OpenCL C. */
static const char *type_text(struct reader *r, const struct type *t)
{
    static const char *const ints[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};
    static const char *const floats[] = {[2] = "half", [4] = "float", [8] = "double"};
    switch (t->op) {
    case OP_TypeInt: return ints[t->size];
    case OP_TypeFloat: return floats[t->size];
    case OP_TypeVector: return cc_printf(r->cc, "%s%u", type_text(r, t->element), t->count);
    case OP_TypePointer: return cc_printf(r->cc, "%s*", t->element ? type_text(r, t->element) : "void");
    case OP_TypeSampler: return "sampler_t";
    case OP_TypeImage: { /* ocl_image2d_ro, behind its length */
        const char *name = strchr(t->mangled, '_') + 1;
        return cc_printf(r->cc, "%.*s_t", (int)strlen(name) - 3, name);
    }
    case OP_TypeBool: return "bool";
    case OP_TypeStruct: return "struct";
    default: return "void";
    }
}

/* Element `i` of the translator's list `what` for a kernel, or NULL. */
static const char *said(struct reader *r, const char *what, const char *kernel, uint32_t i)
{
    const char *start = cc_printf(r->cc, "kernel_arg_%s.%s.", what, kernel);
    const struct string *s = r->strings;
    while (s && strncmp(s->text, start, strlen(start))) s = s->next;
    if (!s) return NULL;
    const char *p = s->text + strlen(start);
    for (; i; i--) {
        p = strchr(p, ',');
        if (!p++) return NULL;
    }
    const char *end = strchr(p, ',');
    return end ? cc_printf(r->cc, "%.*s", (int)(end - p), p) : NULL;
}

static const char *qualifiers(struct reader *r, const struct id *p)
{
    enum { NO_WRITE = 6 };
    bool constant = p->type->count == SPACE_CONSTANT || (p->decorations && p->decorations->parameter >> NO_WRITE & 1);
    if (p->type->op == OP_TypePipe) return "pipe";
    if (p->type->op != OP_TypePointer) return "";
    const char *list =
        cc_printf(r->cc, "%s%s%s", constant ? " const" : "", decoration(p, DECORATION_RESTRICT) ? " restrict" : "",
                  decoration(p, DECORATION_VOLATILE) ? " volatile" : "");
    return *list ? list + 1 : list;
}

static const char *access_of(const struct type *t)
{
    if (t->op == OP_TypePipe) return t->count ? "write_only" : "read_only";
    if (t->op != OP_TypeImage) return "none";
    switch (t->mangled[strlen(t->mangled) - 1]) { /* _ro, _wo, _rw */
    case 'w': return "read_write";
    default: return t->mangled[strlen(t->mangled) - 2] == 'w' ? "write_only" : "read_only";
    }
}

static uint64_t space_of(struct reader *r, const struct id *p)
{
    if (p->type->op == OP_TypeImage || p->type->op == OP_TypePipe) return 1;
    return p->type->op == OP_TypePointer && !is_by_value(p) ? space_number(r, p->type->count) : 0;
}

static void check_parameter(struct reader *r, const struct entry *e, uint32_t i)
{
    const struct id *p = e->parameters[i];
    bool pointer = p->type->op == OP_TypePointer && !is_by_value(p);
    uint32_t space = p->type->count;
    if (pointer && space != SPACE_GLOBAL && space != SPACE_CONSTANT && space != SPACE_LOCAL)
        spirv_error(r, "argument %u of kernel %s points to memory that only it has", i + 1, e->name);
    if (p->type->op == OP_TypeEvent || p->type->op == OP_TypeReserveId || p->type->op == OP_TypeBool)
        spirv_error(r, "argument %u of kernel %s cannot be of its type", i + 1, e->name);
}

static void describe_arguments(struct reader *r, LLVMValueRef f, const struct entry *e, uint32_t n)
{
    enum { SPACE, ACCESS, TYPE, QUALIFIER, NAME, LISTS };
    static const char *const names[LISTS] = {"kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
                                             "kernel_arg_type_qual", "kernel_arg_name"};
    LLVMMetadataRef *lists[LISTS];
    for (int i = 0; i < LISTS; i++) lists[i] = cc_alloc(r->cc, (n + 1) * sizeof **lists);
    for (uint32_t i = 0; i < n; i++) {
        const struct id *p = e->parameters[i];
        check_parameter(r, e, i);
        const char *type = said(r, "type", e->name, i), *qualifier = said(r, "type_qual", e->name, i);
        lists[SPACE][i] = number(r, space_of(r, p));
        lists[ACCESS][i] = text(r, access_of(p->type));
        lists[TYPE][i] = text(r, type ? type : type_text(r, p->type));
        lists[QUALIFIER][i] = text(r, qualifier ? qualifier : qualifiers(r, p));
        lists[NAME][i] = text(r, p->name ? p->name : "");
    }
    for (int i = 0; i < LISTS; i++) set_metadata(r, f, names[i], lists[i], n);
}

/* ---- sizes, types ---- */

static void describe_size(struct reader *r, LLVMValueRef f, const char *name, const uint32_t *said, bool ids)
{
    LLVMMetadataRef list[3];
    if (!said) return;
    for (int i = 0; i < 3; i++) list[i] = number(r, ids ? constant_of(r, said[i]) : said[i]);
    set_metadata(r, f, name, list, 3);
}

/* The number of elements is in the upper half; integers have no sign. */
static void describe_vector(struct reader *r, LLVMValueRef f, uint32_t said)
{
    LLVMContextRef c = r->cc->context;
    LLVMTypeRef types[] = {
        int_type(r, 8),           int_type(r, 16),           int_type(r, 32),           int_type(r, 64),
        LLVMHalfTypeInContext(c), LLVMFloatTypeInContext(c), LLVMDoubleTypeInContext(c)};
    uint32_t kind = said & 0xffff, n = said >> 16;
    if (kind >= sizeof types / sizeof *types || n > 16) spirv_error(r, "a type hint is not known");
    LLVMTypeRef type = n > 1 ? LLVMVectorType(types[kind], n) : types[kind];
    set_metadata(r, f, "vec_type_hint", (LLVMMetadataRef[]){LLVMValueAsMetadata(LLVMGetUndef(type)), number(r, 1)}, 2);
}

void kernel_describe(struct reader *r, struct id *id)
{
    const struct entry *e = id->entry;
    LLVMSetFunctionCallConv(id->value, SPIR_KERNEL);
    describe_arguments(r, id->value, e, id->type->count);
    describe_size(r, id->value, "reqd_work_group_size", e->size, e->size_ids);
    describe_size(r, id->value, "work_group_size_hint", e->hint, e->hint_ids);
    if (e->vector) describe_vector(r, id->value, *e->vector);
}

/* ---- lines ---- */

static void lines_begin(struct reader *r, const char *name)
{
    r->cc->lines = LLVMCreateDIBuilder(r->module);
    r->file = LLVMDIBuilderCreateFile(r->cc->lines, name, strlen(name), "", 0);
    LLVMDIBuilderCreateCompileUnit(r->cc->lines, LLVMDWARFSourceLanguageC, r->file, "", 0, false, "", 0, 0, "", 0,
                                   LLVMDWARFEmissionLineTablesOnly, 0, false, false, "", 0, "", 0);
    LLVMAddModuleFlag(r->module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18,
                      LLVMValueAsMetadata(int_value(r, LLVMDebugMetadataVersion())));
}

/* The first Line of a function, or NULL. */
static const uint32_t *first_line(const struct reader *r)
{
    for (uint32_t at = r->at; (r->words[at] & 0xffff) != OP_FunctionEnd; at += r->words[at] >> 16)
        if ((r->words[at] & 0xffff) == OP_Line) return r->words + at + 1;
    return NULL;
}

static void set_line(struct reader *r, unsigned line, unsigned column)
{
    if (r->scope)
        LLVMSetCurrentDebugLocation2(r->b,
                                     LLVMDIBuilderCreateDebugLocation(r->cc->context, line, column, r->scope, NULL));
    else LLVMSetCurrentDebugLocation2(r->b, NULL);
}

/* A function with lines has them from its beginning: LLVM wants one, if it is 0, of each call there. */
void lines_of_function(struct reader *r)
{
    const uint32_t *line = first_line(r);
    r->scope = NULL;
    if (line && line[0] < r->bound && r->ids[line[0]].kind == ID_STRING) {
        const char *name = LLVMGetValueName(r->function->value);
        if (!r->cc->lines) lines_begin(r, r->ids[line[0]].text);
        LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(r->cc->lines, r->file, NULL, 0, LLVMDIFlagZero);
        r->scope = LLVMDIBuilderCreateFunction(r->cc->lines, r->file, name, strlen(name), name, strlen(name), r->file,
                                               line[1], type, false, true, line[1], LLVMDIFlagZero, false);
        LLVMSetSubprogram(r->function->value, r->scope);
    }
    set_line(r, 0, 0);
}

LLVMValueRef read_line(struct reader *r)
{
    if (operand_id(r, 0)->kind != ID_STRING) spirv_error(r, "the file has no name");
    set_line(r, r->operands[1], r->operands[2]);
    return NULL;
}

LLVMValueRef read_no_line(struct reader *r)
{
    set_line(r, 0, 0);
    return NULL;
}

void lines_end(struct reader *r)
{
    if (!r->cc->lines) return;
    LLVMDIBuilderFinalize(r->cc->lines);
    LLVMDisposeDIBuilder(r->cc->lines);
    r->cc->lines = NULL;
}
