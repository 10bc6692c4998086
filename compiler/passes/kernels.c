/* Kernels of a module: what clGetKernelArgInfo and a launch must know about them.
 *
 * Reads the kernel_arg_* metadata clang attaches and fills in the module note (asm/note.h). Argument places follow
 * isa/abi.h and nothing else. kernels_collect runs at the end of prepare_module, program_note in output.c. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "compiler/passes/passes.h"

/* As many as bytes that a kernel's arguments may take (docs/opencl.md), so no more of them could be set. */
enum { MAX_ARGS = 1024 };

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
    return node && i < LLVMGetMDNodeNumOperands(node) ? LLVMGetOperand(node, i) : NULL;
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
    if (is_image_type(type)) return sizeof(struct abi_image);
    if (is_sampler_type(type) || is_pipe_type(type)) return sizeof(uint32_t);
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
        {"unsigned char", "uchar"}, {"unsigned short", "ushort"}, {"unsigned int", "uint"}, {"unsigned long", "ulong"},
    };
    // clang-format on
    for (size_t i = 0; i < 4; i++) {
        size_t n = strlen(unsigned_types[i][0]);
        if (!strncmp(written, unsigned_types[i][0], n) && !isalnum((unsigned char)written[n]))
            return cc_printf(cc, "%s%s", unsigned_types[i][1], written + n);
    }
    return written;
}

static enum ventus_arg_kind argument_kind(LLVMValueRef function, unsigned i, uint32_t space)
{
    static const enum ventus_arg_kind kinds[] = {VENTUS_ARG_VALUE, VENTUS_ARG_GLOBAL, VENTUS_ARG_CONSTANT,
                                                 VENTUS_ARG_LOCAL};
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, i));
    bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    if (is_image_type(type)) return VENTUS_ARG_IMAGE;
    if (is_sampler_type(type)) return VENTUS_ARG_SAMPLER;
    if (is_pipe_type(type)) return VENTUS_ARG_PIPE;
    return pointer && !byval_type(function, i) && space < 4 ? kinds[space] : VENTUS_ARG_VALUE;
}

/* How the memory of a __local argument is to be aligned: clang says it of what the pointer points to, but for void
 * and types that are not complete, which may be anything. */
static uint32_t local_align(struct cc *cc, LLVMValueRef function, unsigned i)
{
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(function, i + 1, LLVMGetEnumAttributeKindForName("align", 5));
    uint64_t align = a ? LLVMGetEnumAttributeValue(a) : ABI_ANY_ALIGN;
    if (align > NOTE_MAX_ALIGN)
        cc_error(cc, CC_FAILED, function,
                 "argument %u of kernel %s wants local memory aligned to %u bytes; at most %d are possible", i + 1,
                 LLVMGetValueName(function), (unsigned)align, NOTE_MAX_ALIGN);
    return (uint32_t)align;
}

/* Generic and private pointers, and pointers inside pointers, cannot be kernel arguments; clang
 * has refused them already. */
static void collect_arg(struct cc *cc, LLVMValueRef f, unsigned i, struct ventus_arg *a)
{
    static const char *const spaces[] = {"private", "global", "constant", "local"};
    uint32_t space = number_of(operand(function_metadata(f, "kernel_arg_addr_space"), i));
    a->kind = argument_kind(f, i, space);
    a->size = argument_size(cc, f, i);
    a->align = a->kind == VENTUS_ARG_LOCAL ? local_align(cc, f, i) : abi_arg_align(a->size);
    a->name = text_of(cc, operand(function_metadata(f, "kernel_arg_name"), i));
    a->type = type_name(cc, text_of(cc, operand(function_metadata(f, "kernel_arg_type"), i)));
    a->access = text_of(cc, operand(function_metadata(f, "kernel_arg_access_qual"), i));
    a->address = space < 4 ? spaces[space] : "private";
    a->qualifiers = text_of(cc, operand(function_metadata(f, "kernel_arg_type_qual"), i));
}

/* The name of a scalar type in OpenCL C. */
static const char *scalar_name(LLVMTypeRef type, bool is_signed)
{
    static const char *const names[][2] = {{"uchar", "char"}, {"ushort", "short"}, {"uint", "int"}, {"ulong", "long"}};
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind: return "half";
    case LLVMFloatTypeKind: return "float";
    case LLVMDoubleTypeKind: return "double";
    case LLVMIntegerTypeKind: break;
    default: return ""; /* an object may have anything here */
    }
    const unsigned bits = LLVMGetIntTypeWidth(type);
    return names[bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3][is_signed];
}

/* vec_type_hint is (undef of the type, signedness): clang takes no other types than integers of 8 to 64 bits and
 * floats. */
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
    return cc_printf(cc, "%s%s", scalar_name(element, number_of(operand(node, 1))), count);
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
    k->ungrouped = (uint8_t)is_ungrouped(f);
    if (k->ungrouped == 2 && rows_are_best(cc, f)) k->ungrouped = 3;
    k->links = has_links(f);
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
    routines_collect(cc);
}

/* ---- the note ---- */

/* `spills` is for profiles alone, and the driver does not look at it. */
static struct ventus_kernel describe(struct cc *cc, const struct kernel *k)
{
    const uint32_t spills = k->code.spill_bytes;
    return (struct ventus_kernel){.name = k->name,
                                  .entry = k->address,
                                  .vgprs = k->code.vgprs,
                                  .sgprs = k->code.sgprs,
                                  .lds_bytes = k->code.lds_bytes,
                                  .pds_bytes = k->code.pds_bytes,
                                  .args_size = k->args_size,
                                  .reqd = {k->reqd[0], k->reqd[1], k->reqd[2]},
                                  .hint = {k->hint[0], k->hint[1], k->hint[2]},
                                  .ungrouped = k->ungrouped,
                                  .links = k->links,
                                  .vec_hint = k->vec_hint,
                                  .nargs = k->nargs,
                                  .args = k->args,
                                  .more = spills ? cc_printf(cc, " spills=%u", (unsigned)spills) : NULL};
}

static void add_lines(struct note *note, const struct kernel *list, uint32_t n)
{
    for (const struct kernel *k = list; k < list + n; k++)
        for (uint32_t j = 0; j < k->code.nlines; j++)
            note->lines[note->nlines++] =
                (struct note_line){.pc = k->address + 4 * k->code.lines[j].word, .line = k->code.lines[j].line};
}

static void describe_lines(struct cc *cc, struct note *note)
{
    size_t n = 0;
    for (uint32_t i = 0; i < cc->nroutines; i++) n += cc->routines[i].code.nlines;
    for (uint32_t i = 0; i < cc->nkernels; i++) n += cc->kernels[i].code.nlines;
    note->lines = cc_alloc(cc, (n + 1) * sizeof *note->lines);
    add_lines(note, cc->routines, cc->nroutines); /* they stand before the kernels */
    add_lines(note, cc->kernels, cc->nkernels);
}

struct note program_note(struct cc *cc)
{
    struct note note = {.nkernels = cc->nkernels,
                        .formats = cc->formats.list,
                        .nformats = cc->formats.n,
                        .strings = cc->literals.list,
                        .nstrings = cc->literals.n};
    note.kernels = cc_alloc(cc, (cc->nkernels + 1) * sizeof *note.kernels);
    for (uint32_t i = 0; i < cc->nkernels; i++) note.kernels[i] = describe(cc, &cc->kernels[i]);
    describe_lines(cc, &note);
    note.sources = cc_alloc(cc, sizeof *note.sources); /* where listings find the text of the lines */
    *note.sources = (struct note_source){.name = cc->source_name, .text = cc->source, .size = cc->source_size};
    note.nsources = cc->source_name || cc->source;
    return note;
}

char *program_note_text(struct cc *cc, const struct note *note)
{
    char *text = note_write(note, 1);
    if (!text) cc_error(cc, CC_ENVIRONMENT, NULL, "out of memory");
    char *copy = cc_alloc(cc, strlen(text) + 1);
    strcpy(copy, text);
    free(text);
    return copy;
}
