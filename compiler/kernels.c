/* Kernels of a module: what clGetKernelArgInfo and a launch must know about them.
 *
 * Reads the kernel_arg_* metadata clang attaches and writes the module note (docs/architecture.md,
 * "Module note"). Argument places follow isa/abi.h and nothing else. kernels_collect runs at the
 * end of prepare_module, kernels_note in output.c. */
#include <ctype.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "compiler/prepare.h"

enum { SPIR_KERNEL = 76, MAX_ARGS = 1024 };

/* Formats and literals are found before the kernels are collected; a module holds them as named
 * metadata, so they need no place in struct cc. */
static const char format_list[] = "ventus.formats", string_list[] = "ventus.strings";

bool kernel_is(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == SPIR_KERNEL ||
           LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "ventus-kernel", 13) != NULL;
}

static LLVMValueRef function_metadata(LLVMValueRef function, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned wanted = LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name));
    size_t n;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &n);
    LLVMValueRef found = NULL;
    for (unsigned i = 0; i < n; i++)
        if (LLVMValueMetadataEntriesGetKind(entries, i) == wanted)
            found = LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i));
    LLVMDisposeValueMetadataEntries(entries);
    return found;
}

/* Operand i of a metadata node, or NULL. */
static LLVMValueRef operand(LLVMValueRef node, unsigned i)
{
    if (!node) return NULL;
    unsigned n = LLVMGetMDNodeNumOperands(node);
    if (i >= n) return NULL;
    LLVMValueRef operands[n];
    LLVMGetMDNodeOperands(node, operands);
    return operands[i];
}

static const char *text_of(struct cc *cc, LLVMValueRef value)
{
    unsigned n = 0;
    const char *text = value ? LLVMGetMDString(value, &n) : NULL;
    return text ? cc_printf(cc, "%.*s", (int)n, text) : "";
}

static uint32_t number_of(LLVMValueRef value)
{
    return value && LLVMIsAConstantInt(value) ? (uint32_t)LLVMConstIntGetZExtValue(value) : 0;
}

void kernel_sizes(LLVMValueRef function, const char *name, uint32_t out[3])
{
    LLVMValueRef node = function_metadata(function, name);
    for (unsigned i = 0; i < 3; i++) out[i] = number_of(operand(node, i));
}

/* ---- argument places ---- */

static LLVMTypeRef byval_type(LLVMValueRef function, unsigned i)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(function, i + 1, kind);
    return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

static uint32_t argument_size(struct cc *cc, LLVMValueRef function, unsigned i)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cc->module);
    LLVMTypeRef type = byval_type(function, i);
    if (!type) type = LLVMTypeOf(LLVMGetParam(function, i));
    if (LLVMGetTypeKind(type) == LLVMTargetExtTypeKind)
        cc_error(cc, CC_FAILED, function,
                 "argument %u of kernel %s is an image, sampler, event or pipe, which this "
                 "device does not have",
                 i + 1, LLVMGetValueName(function));
    unsigned long long size = LLVMABISizeOfType(layout, type);
    if (size > 1 << 20)
        cc_error(cc, CC_FAILED, function, "argument %u of kernel %s is too large (%llu bytes)", i + 1,
                 LLVMGetValueName(function), size);
    return (uint32_t)size;
}

uint32_t kernel_layout(struct cc *cc, LLVMValueRef function, uint32_t *offsets)
{
    uint32_t end = 0;
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        uint32_t size = argument_size(cc, function, i);
        offsets[i] = abi_arg_offset(end, size);
        end = offsets[i] + size;
    }
    return (end + 3) & ~3u;
}

/* ---- collecting ---- */

/* Vector types appear in the base type as "T __attribute__((ext_vector_type(N)))", in the type as
 * written; "unsigned int" and friends are to be shown as "uint". */
static const char *type_name(struct cc *cc, const char *written)
{
    // clang-format off
    static const char *const unsigned_types[][2] = {
        { "unsigned char", "uchar" }, { "unsigned short", "ushort" }, { "unsigned int", "uint" }, { "unsigned long", "ulong" },
    };
    // clang-format on
    for (size_t i = 0; i < 4; i++) {
        size_t n = strlen(unsigned_types[i][0]);
        if (!strncmp(written, unsigned_types[i][0], n) && !isalnum((unsigned char)written[n]))
            return cc_printf(cc, "%s%s", unsigned_types[i][1], written + n);
    }
    return written;
}

static const char *argument_kind(LLVMValueRef function, unsigned i, uint32_t space)
{
    static const char *const kinds[] = {"value", "global", "constant", "local"};
    if (byval_type(function, i)) return "value";
    return LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, i))) == LLVMPointerTypeKind && space < 4 ? kinds[space]
                                                                                                      : "value";
}

/* Generic and private pointers, and pointers inside pointers, cannot be kernel arguments; clang
 * has refused them already. */
static void collect_arg(struct cc *cc, LLVMValueRef f, unsigned i, struct arg *a)
{
    static const char *const spaces[] = {"private", "global", "constant", "local"};
    uint32_t space = number_of(operand(function_metadata(f, "kernel_arg_addr_space"), i));
    a->kind = argument_kind(f, i, space);
    a->size = argument_size(cc, f, i);
    a->align = abi_arg_align(a->size);
    a->name = text_of(cc, operand(function_metadata(f, "kernel_arg_name"), i));
    a->type = type_name(cc, text_of(cc, operand(function_metadata(f, "kernel_arg_type"), i)));
    a->access = text_of(cc, operand(function_metadata(f, "kernel_arg_access_qual"), i));
    a->address = space < 4 ? spaces[space] : "private";
    a->qualifiers = text_of(cc, operand(function_metadata(f, "kernel_arg_type_qual"), i));
}

/* vec_type_hint is (undef of the type, signedness). */
static const char *vector_hint(struct cc *cc, LLVMValueRef function)
{
    LLVMValueRef node = function_metadata(function, "vec_type_hint");
    LLVMValueRef value = operand(node, 0);
    if (!value) return NULL;
    LLVMTypeRef type = LLVMTypeOf(value), element = type;
    char count[8] = "";
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        element = LLVMGetElementType(type);
        snprintf(count, sizeof count, "%u", LLVMGetVectorSize(type));
    }
    const char *sign = number_of(operand(node, 1)) ? "" : "u", *name = "float";
    if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind) {
        unsigned bits = LLVMGetIntTypeWidth(element);
        name = cc_printf(cc, "%s%s", sign, bits == 8 ? "char" : bits == 16 ? "short" : bits == 32 ? "int" : "long");
    }
    return cc_printf(cc, "%s%s", name, count);
}

static void collect_kernel(struct cc *cc, LLVMValueRef f, struct kernel *k)
{
    size_t n;
    const char *name = LLVMGetValueName2(f, &n);
    k->name = cc_printf(cc, "%.*s", (int)n, name);
    k->function = f;
    k->nargs = LLVMCountParams(f);
    if (k->nargs > MAX_ARGS) cc_error(cc, CC_FAILED, f, "kernel %s has more than %d arguments", k->name, MAX_ARGS);
    k->args = cc_alloc(cc, (k->nargs + 1) * sizeof *k->args);
    uint32_t *offsets = cc_alloc(cc, (k->nargs + 1) * sizeof *offsets);
    k->args_size = kernel_layout(cc, f, offsets);
    for (unsigned i = 0; i < k->nargs; i++) {
        collect_arg(cc, f, i, &k->args[i]);
        k->args[i].offset = offsets[i];
    }
    kernel_sizes(f, "reqd_work_group_size", k->reqd);
    kernel_sizes(f, "work_group_size_hint", k->hint);
    k->vec_hint = vector_hint(cc, f);
}

void kernels_collect(struct cc *cc)
{
    uint32_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        n += !LLVMIsDeclaration(f) && kernel_is(f);
    cc->kernels = cc_alloc(cc, (n + 1) * sizeof *cc->kernels);
    cc->nkernels = n;
    n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && kernel_is(f)) collect_kernel(cc, f, &cc->kernels[n++]);
}

/* ---- printf tables ---- */

/* The number of `text` in a list of strings kept in the module; added when new. */
static uint32_t list_number(struct cc *cc, const char *list, const char *text, size_t size)
{
    unsigned n = LLVMGetNamedMetadataNumOperands(cc->module, list);
    LLVMValueRef nodes[n + 1];
    LLVMGetNamedMetadataOperands(cc->module, list, nodes);
    for (unsigned i = 0; i < n; i++) {
        unsigned length;
        const char *have = LLVMGetMDString(operand(nodes[i], 0), &length);
        if (have && length == size && !memcmp(have, text, size)) return i;
    }
    LLVMMetadataRef string = LLVMMDStringInContext2(cc->context, text, size);
    LLVMMetadataRef node = LLVMMDNodeInContext2(cc->context, &string, 1);
    LLVMAddNamedMetadataOperand(cc->module, list, LLVMMetadataAsValue(cc->context, node));
    return n;
}

uint32_t kernel_format(struct cc *cc, const char *text, size_t size)
{
    return list_number(cc, format_list, text, size);
}

uint32_t kernel_string(struct cc *cc, const char *text, size_t size)
{
    return list_number(cc, string_list, text, size);
}

/* ---- the note ---- */

struct text {
    struct cc *cc;
    char *bytes;
    size_t size, room;
};

static void put(struct text *t, const char *bytes, size_t n)
{
    if (t->size + n + 1 > t->room) {
        size_t room = (t->size + n + 1) * 2 + 1024;
        char *larger = cc_alloc(t->cc, room);
        if (t->size) memcpy(larger, t->bytes, t->size);
        t->bytes = larger;
        t->room = room;
    }
    memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
    t->bytes[t->size] = 0;
}

static void put_text(struct text *t, const char *s) { put(t, s, strlen(s)); }

/* ` key=value`, the value escaped. */
static void put_field(struct text *t, const char *key, const char *value, size_t n)
{
    put_text(t, " ");
    put_text(t, key);
    put_text(t, "=");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)value[i];
        char escaped[4];
        if (c <= ' ' || c == '%' || c == '=' || c == 127) {
            snprintf(escaped, sizeof escaped, "%%%02X", c);
            put(t, escaped, 3);
        } else {
            put(t, &value[i], 1);
        }
    }
}

static void put_string(struct text *t, const char *key, const char *value) { put_field(t, key, value, strlen(value)); }

static void put_number(struct text *t, const char *key, uint32_t value)
{
    put_text(t, cc_printf(t->cc, " %s=%u", key, value));
}

static void put_kernel(struct text *t, const struct kernel *k)
{
    put_text(t, "kernel");
    put_string(t, "name", k->name);
    put_text(t, cc_printf(t->cc, " entry=0x%x", k->address));
    put_number(t, "vgpr", k->code.vgprs);
    put_number(t, "sgpr", k->code.sgprs);
    put_number(t, "lds", k->code.lds_bytes);
    put_number(t, "pds", k->code.pds_bytes);
    put_number(t, "args", k->args_size);
    put_text(t, cc_printf(t->cc, " reqd=%u,%u,%u hint=%u,%u,%u", k->reqd[0], k->reqd[1], k->reqd[2], k->hint[0],
                          k->hint[1], k->hint[2]));
    put_string(t, "vechint", k->vec_hint ? k->vec_hint : "");
    put_text(t, "\n");
}

static void put_arg(struct text *t, const struct arg *a)
{
    put_text(t, "arg");
    put_string(t, "kind", a->kind);
    put_number(t, "size", a->size);
    put_number(t, "offset", a->offset);
    put_number(t, "align", a->align);
    put_string(t, "name", a->name);
    put_string(t, "type", a->type);
    put_string(t, "access", a->access);
    put_string(t, "address", a->address);
    put_string(t, "qual", a->qualifiers);
    put_text(t, "\n");
}

static void put_lines(struct text *t, const struct kernel *k)
{
    for (uint32_t i = 0; i < k->code.nlines; i++)
        put_text(t, cc_printf(t->cc, "line pc=0x%x line=%u\n", k->address + 4 * k->code.lines[i].word,
                              k->code.lines[i].line));
}

static void put_list(struct text *t, const char *record, const char *list)
{
    unsigned n = LLVMGetNamedMetadataNumOperands(t->cc->module, list);
    LLVMValueRef nodes[n + 1];
    LLVMGetNamedMetadataOperands(t->cc->module, list, nodes);
    for (unsigned i = 0; i < n; i++) {
        unsigned length = 0;
        const char *bytes = LLVMGetMDString(operand(nodes[i], 0), &length);
        put_text(t, record);
        put_number(t, "id", i);
        put_field(t, "text", bytes ? bytes : "", length);
        put_text(t, "\n");
    }
}

/* Where listings find the text of the lines. */
static void put_source(struct text *t)
{
    const struct cc *cc = t->cc;
    if (!cc->source_name && !cc->source) return;
    put_text(t, "source");
    if (cc->source_name) put_string(t, "name", cc->source_name);
    if (cc->source) put_field(t, "text", cc->source, cc->source_size);
    put_text(t, "\n");
}

char *kernels_note(struct cc *cc)
{
    struct text t = {.cc = cc};
    put_text(&t, "ventus-module 1\n");
    for (uint32_t i = 0; i < cc->nkernels; i++) {
        put_kernel(&t, &cc->kernels[i]);
        for (uint32_t j = 0; j < cc->kernels[i].nargs; j++) put_arg(&t, &cc->kernels[i].args[j]);
    }
    for (uint32_t i = 0; i < cc->nkernels; i++) put_lines(&t, &cc->kernels[i]);
    put_list(&t, "format", format_list);
    put_list(&t, "string", string_list);
    put_source(&t);
    return t.bytes;
}
