/* ELF objects: functions and kernels that `ventus ld` links with those of other objects (docs/abi.md).
 *
 * The words of the back end go through the assembler as text, with names in the place of what only the linker knows:
 * calls of others' functions, and addresses of variables. Called by main.c. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "asm/assemble.h"
#include "compiler/machine/machine.h"
#include "compiler/output/output.h"
#include "compiler/passes/passes.h"

/* ---- text ---- */

static void write_words(FILE *out, const uint32_t *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) fprintf(out, "\t.word 0x%08x\n", words[i]);
}

static void write_reference(FILE *out, const struct reference *r)
{
    if (r->rd == REG_RA) fprintf(out, "\tcall %s\n", r->symbol);
    else fprintf(out, "\tla x%u, %s\n", r->rd, r->symbol);
}

static void write_function(struct cc *cc, FILE *out, const struct kernel *k)
{
    uint32_t n, at = 0;
    const uint32_t *mark = output_mark(cc, k, &n);
    if (!symbol_is_plain(k->name)) cc_error(cc, CC_FAILED, k->function, "'%s' cannot be the name of a symbol", k->name);
    write_words(out, mark, n);
    if (!k->is_routine || k->external) fprintf(out, "\t.globl %s\n", k->name);
    fprintf(out, "\t.type %s, @function\n%s:\n", k->name, k->name);
    for (uint32_t i = 0; i < k->code.nreferences; i++) {
        const struct reference *r = &k->code.references[i];
        write_words(out, k->code.words + at, r->word - at);
        write_reference(out, r);
        at = r->word + r->nwords;
    }
    write_words(out, k->code.words + at, k->code.nwords - at);
    fprintf(out, "\t.size %s, %u\n", k->name, 4 * k->code.nwords);
}

static void write_text(struct cc *cc, FILE *out)
{
    fprintf(out, "\t.option profile, %s\n\t.text\n", isa_profile_name(cc->profile));
    for (uint32_t i = 0; i < cc->nroutines; i++)
        if (!LLVMIsDeclaration(cc->routines[i].function)) write_function(cc, out, &cc->routines[i]);
    for (uint32_t i = 0; i < cc->nkernels; i++) write_function(cc, out, &cc->kernels[i]);
}

/* ---- variables ---- */

static int by_place(const void *a, const void *b)
{
    const struct fixup *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void write_bytes(FILE *out, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) fprintf(out, i % 32 ? ",%u" : "\n\t.byte %u", bytes[i]);
    fputc('\n', out);
}

/* The `size` bytes of a variable from byte `at` of all on, with names in the place of addresses. */
static void write_variable(struct cc *cc, FILE *out, LLVMValueRef global, const uint8_t *bytes, uint32_t at,
                           uint32_t size)
{
    const char *symbol = object_symbol(cc, global);
    uint32_t end = at + size;
    if (symbol_is_visible(global)) fprintf(out, "\t.globl %s\n", symbol);
    fprintf(out, "\t.type %s, @object\n\t.size %s, %u\n%s:", symbol, symbol, size, symbol);
    for (uint32_t i = 0; i < cc->nfixups; i++) {
        const struct fixup *fixup = &cc->fixups[i];
        if (fixup->in != global) continue;
        write_bytes(out, bytes + at, fixup->at - at);
        fprintf(out, "\t.word %s + %u\n", object_symbol(cc, fixup->global), fixup->addend);
        at = fixup->at + 4;
    }
    write_bytes(out, bytes + at, end - at);
}

static void write_variables(struct cc *cc, FILE *out, const struct constant *list, uint32_t n, const uint8_t *bytes)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(cc->module);
    for (uint32_t i = 0; i < n; i++) {
        LLVMTypeRef type = LLVMGlobalGetValueType(list[i].global);
        uint64_t align = LLVMGetAlignment(list[i].global), least = LLVMABIAlignmentOfType(data, type);
        if (!LLVMGetInitializer(list[i].global)) continue;
        fprintf(out, "\t.balign %u\n", (unsigned)(align > least ? align : least));
        write_variable(cc, out, list[i].global, bytes, list[i].offset, (uint32_t)LLVMABISizeOfType(data, type));
    }
}

/* Variables keep their values from one launch to the next, so that none is in .bss, which start code clears. */
static void write_data(struct cc *cc, FILE *out)
{
    qsort(cc->fixups, cc->nfixups, sizeof *cc->fixups, by_place);
    fputs("\t.rodata\n", out);
    write_variables(cc, out, cc->constants, cc->nconstants, cc->rodata);
    fputs("\t.data\n", out);
    write_variables(cc, out, cc->variables, cc->nvariables, cc->data);
}

/* ---- the module note ---- */

/* Which function calls which of another object or of this one, for the linker: a circle is a mistake. */
static void write_calls(struct cc *cc, FILE *out, const struct kernel *from)
{
    LLVMValueRef f = from->function;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            const struct kernel *to = LLVMIsACallInst(i) ? routine_find(cc, LLVMGetCalledValue(i)) : NULL;
            if (to && to->external) fprintf(out, "\t.word %s, %s\n", from->name, to->name);
        }
}

static void write_all_calls(struct cc *cc, FILE *out)
{
    fputs("\t.section .ventus.calls, \"\", @progbits\n", out);
    for (uint32_t i = 0; i < cc->nroutines; i++)
        if (cc->routines[i].external && !LLVMIsDeclaration(cc->routines[i].function))
            write_calls(cc, out, &cc->routines[i]);
}

/* What the linker has to fill in, and the private memory that a program of assembly would have for its callees. */
static void leave_open(struct ventus_kernel *to, const struct kernel *k)
{
    to->entry = 0;
    if (!k->code.calls_others) return;
    to->vgprs = to->sgprs = NOTE_AUTO;
    to->pds_bytes += ABI_PRIVATE_BYTES;
}

static void write_note(struct cc *cc, FILE *out)
{
    struct note note = program_note(cc);
    note.nlines = 0; /* nobody knows addresses yet */
    if (!note.nkernels && !note.nformats && !note.nstrings) return;
    for (uint32_t i = 0; i < cc->nkernels; i++) leave_open(&note.kernels[i], &cc->kernels[i]);
    fputs("\t.section .note.ventus\n\t.ascii \"", out);
    for (const char *p = program_note_text(cc, &note); *p; p++) {
        if (*p == '"' || *p == '\\' || !isprint((unsigned char)*p)) fprintf(out, "\\%03o", (unsigned char)*p);
        else fputc(*p, out);
    }
    fputs("\"\n", out);
}

/* ---- the object ---- */

static char *write_source(struct cc *cc, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) cc_error(cc, CC_ENVIRONMENT, NULL, "out of memory");
    write_text(cc, out);
    write_data(cc, out);
    write_all_calls(cc, out);
    write_note(cc, out);
    if (fclose(out)) cc_error(cc, CC_ENVIRONMENT, NULL, "out of memory");
    return text;
}

void object_program(struct cc *cc, void **bytes, size_t *size)
{
    const struct asm_options options = {.profile = cc->profile};
    size_t length;
    output_compile(cc);
    char *text = write_source(cc, &length);
    if (cc_dumps(cc, "asm")) fwrite(text, 1, length, stderr);
    bool ok = asm_assemble_object(&options, "object", text, length, bytes, size, stderr);
    free(text);
    if (!ok) cc_error(cc, CC_INTERNAL, NULL, "the object cannot be assembled");
    for (uint32_t k = 0; k < cc->nkernels; k++) cc->kernels[k].function = NULL;
}
