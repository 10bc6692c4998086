/* The program as a whole: start code, kernels, constants -> ELF.
 *
 * Constants are referred to by absolute address, so the place of .rodata must be known before a
 * kernel is compiled, when the size of the text is not. It is estimated; when the estimate was too
 * small or wastes much, everything is compiled once more with what is known then. */
#include "asm/image.h"
#include "asm/listing.h"
#include "asm/resource.h"
#include "compiler/analysis/analysis.h"
#include "compiler/codegen/codegen.h"
#include "compiler/debug/debug.h"
#include "compiler/output/output.h"
#include "compiler/passes/passes.h"
#include "isa/routine.h"

#include <string.h>

#include "start_alone.h"
#include "start_short.h"
#include "start_stacks.h"

enum { MAX_ROUNDS = 4, WASTE = 1 << 20 };

static uint32_t page_up(uint32_t a) { return (a + ABI_PAGE - 1) & ~(ABI_PAGE - 1); }

static bool has_assembly(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (is_inline_asm(i)) return true;
    return false;
}

static void set_start(struct cc *cc, const uint32_t *words, size_t size)
{
    cc->start = words;
    cc->start_words = (uint32_t)(size / sizeof *words);
}

/* Inline assembly may use all that a warp finds by the contract (docs/architecture.md, "Start code"). */
static void choose_start(struct cc *cc)
{
    cc->start_sets_local = has_assembly(cc);
    cc->kernels_end = !cc->start_sets_local;
    if (cc->start_sets_local) set_start(cc, start_stacks, sizeof start_stacks);
    else if (cc->nkernels == 1 && !cc->nroutines) set_start(cc, start_alone, sizeof start_alone);
    else set_start(cc, start_short, sizeof start_short);
}

static uint32_t estimate(struct cc *cc)
{
    uint64_t bytes = 4 * (uint64_t)cc->start_words;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) bytes += 24;
    return bytes < 1u << 26 ? page_up(ABI_CODE_BASE + (uint32_t)bytes) : ABI_CODE_BASE + (1u << 26);
}

/* Which operation a routine of the library stands for; ROUTINES: none. */
static uint32_t operation_of(const struct kernel *k) { return k->is_routine ? routine_named(k->name) : ROUTINES; }

/* Compiles kernels or routines to words from address `at` on; returns the end. */
static uint64_t compile_list(struct cc *cc, struct kernel *list, uint32_t n, uint64_t at)
{
    for (uint32_t k = 0; k < n; k++) {
        struct kernel *kernel = &list[k];
        if (LLVMIsDeclaration(kernel->function)) continue;
        kernel->code = (struct code){0};
        if (operation_of(kernel) < ROUTINES) at += 4 * ROUTINE_MARK_WORDS;
        kernel->address = (uint32_t)at;
        backend_kernel(cc, kernel);
        at += 4 * (uint64_t)kernel->code.nwords;
        if (at > cc->data_addr - ABI_PAGE) cc_error(cc, CC_FAILED, kernel->function, "the program is too large");
    }
    return at;
}

/* Compiles everything for the present place of .rodata; returns the end of the text. */
static uint32_t compile_kernels(struct cc *cc)
{
    cc->rodata_size = cc->nconstants = 0;
    cc->rodata_room = 0;
    uint64_t at = compile_list(cc, cc->routines, cc->nroutines, ABI_CODE_BASE + 4 * cc->start_words);
    at = compile_list(cc, cc->kernels, cc->nkernels, at);
    variables_write(cc);
    return (uint32_t)at;
}

static uint32_t compile_all(struct cc *cc)
{
    uint32_t end = 0;
    choose_start(cc);
    variables_place(cc);
    limits_run(cc);
    uniform_run(cc);
    cc->rodata_addr = estimate(cc);
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        end = compile_kernels(cc);
        if (!cc->rodata_size) cc->rodata_addr = page_up(end);
        if (page_up(end) <= cc->rodata_addr && cc->rodata_addr - end <= WASTE) return end;
        cc->rodata_addr = page_up(end);
    }
    cc_error(cc, CC_INTERNAL, NULL, "text and constants do not settle");
}

static void copy_code(uint32_t *text, const struct kernel *list, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t *to = text + (list[k].address - ABI_CODE_BASE) / 4, operation = operation_of(&list[k]);
        memcpy(to, list[k].code.words, 4 * (size_t)list[k].code.nwords);
        if (operation == ROUTINES) continue;
        to[-2] = routine_word(ROUTINE_MARK);
        to[-1] = routine_word(operation);
    }
}

void output_compile(struct cc *cc)
{
    cc->start_sets_local = true;
    variables_place(cc);
    limits_run(cc);
    uniform_run(cc);
    cc->rodata_addr = estimate(cc);
    compile_kernels(cc);
    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetInitializer(g) && LLVMGetLinkage(g) == LLVMExternalLinkage) rodata_name(cc, g); /* for others */
}

const uint32_t *output_mark(struct cc *cc, const struct kernel *kernel, uint32_t *n)
{
    uint32_t *words = cc_alloc(cc, ROUTINE_MARK_WORDS * sizeof *words), operation = operation_of(kernel);
    *n = operation < ROUTINES ? ROUTINE_MARK_WORDS : 0;
    words[0] = routine_word(ROUTINE_MARK);
    words[1] = *n ? routine_word(operation) : 0;
    return words;
}

static uint32_t *join_text(struct cc *cc, uint32_t end)
{
    uint32_t *text = cc_alloc(cc, end - ABI_CODE_BASE + 4);
    memcpy(text, cc->start, 4 * (size_t)cc->start_words);
    copy_code(text, cc->routines, cc->nroutines);
    copy_code(text, cc->kernels, cc->nkernels);
    return text;
}

/* ---- what the device lacks ---- */

static uint32_t line_of(const struct code *code, uint32_t word)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < code->nlines && code->lines[i].word <= word; i++) line = code->lines[i].line;
    return line;
}

static bool is_atomic(const struct insn *in)
{
    const unsigned action = isa_effects(in, ISA_LANES).memory.action;
    return action == ACTION_AMO || action == ACTION_LR || action == ACTION_SC;
}

/* The driver launches no program with such an instruction on a device without them. */
static void refuse_atomics(struct cc *cc, const struct kernel *k)
{
    const struct code *code = &k->code;
    struct insn in;
    for (uint32_t i = 0; i < code->nwords; i += in.size / 4) {
        if (!isa_decode_in(cc->profile, code->words + i, code->nwords - i, &in) || !is_atomic(&in)) continue;
        const uint32_t line = line_of(code, i);
        cc_log(cc, line ? "<source>:%u: " : "<source>: ", (unsigned)line);
        cc_log(cc, "error: %s needs the atomic instruction %s, and the device that the program is for has no atomics\n",
               k->name, isa_table[in.op].name);
        cc->status = CC_FAILED;
        longjmp(cc->on_error, 1);
    }
}

static void check_atomics(struct cc *cc)
{
    if (!lacks_atomics(cc)) return;
    for (uint32_t i = 0; i < cc->nroutines; i++) refuse_atomics(cc, &cc->routines[i]);
    for (uint32_t i = 0; i < cc->nkernels; i++) refuse_atomics(cc, &cc->kernels[i]);
}

static void add_symbols(struct elf_symbol *symbols, const struct kernel *list, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        symbols[k] = (struct elf_symbol){list[k].name, list[k].address, 4 * list[k].code.nwords, true};
}

static uint16_t as_u16(uint32_t v) { return v > UINT16_MAX ? UINT16_MAX : (uint16_t)v; }

void output_program(struct cc *cc, void **bytes, size_t *size)
{
    uint32_t end = compile_all(cc), *text = join_text(cc, end);
    check_atomics(cc);
    struct elf_symbol *symbols = cc_alloc(cc, (cc->nroutines + cc->nkernels + 1) * sizeof *symbols);
    struct elf_resource *resources = cc_alloc(cc, (cc->nkernels + 1) * sizeof *resources);
    symbols[0] = (struct elf_symbol){"_start", ABI_CODE_BASE, 4 * cc->start_words, true};
    add_symbols(symbols + 1, cc->routines, cc->nroutines);
    add_symbols(symbols + 1 + cc->nroutines, cc->kernels, cc->nkernels);
    for (uint32_t k = 0; k < cc->nkernels; k++) {
        const struct kernel *kernel = &cc->kernels[k];
        /* The note has the full numbers; this record is what other tools read. */
        resources[k] = (struct elf_resource){.value = {[ABI_VGPR] = as_u16(kernel->code.vgprs),
                                                       [ABI_SGPR] = as_u16(kernel->code.sgprs),
                                                       [ABI_LDS] = as_u16(kernel->code.lds_bytes),
                                                       [ABI_PDS] = as_u16(kernel->code.pds_bytes)}};
    }
    uint32_t zeros = 0;
    while (zeros < cc->data_size && !cc->data[cc->data_size - 1 - zeros]) zeros++;
    // clang-format off
    const struct note note = program_note(cc);
    struct elf_image image = {.profile = cc->profile, .entry = ABI_CODE_BASE, .text_addr = ABI_CODE_BASE, .text = text, .text_words = (end - ABI_CODE_BASE) / 4,
        .rodata_addr = cc->rodata_addr, .rodata = cc->rodata, .rodata_size = cc->rodata_size,
        .data_addr = cc->data_size ? cc->data_addr : 0, .data = cc->data, .data_size = cc->data_size - zeros, .bss_size = zeros,
        .symbols = symbols, .nsymbols = cc->nroutines + cc->nkernels + 1, .note = program_note_text(cc, &note),
        .resources = resources, .nresources = cc->nkernels};
    // clang-format on
    image.sections = debug_sections(cc, end, &image.nsections);
    const struct asm_listing how = {.profile = cc->profile, .lines = note.lines, .nlines = note.nlines};
    if (cc_dumps(cc, "asm")) asm_disassemble(&how, text, image.text_words, ABI_CODE_BASE, &image, stderr);
    const char *why = "";
    if (!elf_write(&image, bytes, size, &why))
        cc_error(cc, CC_ENVIRONMENT, NULL, "cannot make the program file: %s", why);
    for (uint32_t k = 0; k < cc->nkernels; k++) cc->kernels[k].function = NULL;
}

/* The last instruction of the start code, which ends a warp, is the entry of all kernels. */
void output_draft(struct cc *cc, const void *object, size_t object_size, void **bytes, size_t *size)
{
    set_start(cc, start_short, sizeof start_short);
    for (uint32_t k = 0; k < cc->nkernels; k++) cc->kernels[k].address = ABI_CODE_BASE + 4 * (cc->start_words - 1);
    const uint32_t at = page_up(ABI_CODE_BASE + 4 * cc->start_words);
    const struct elf_symbol symbols[] = {{"_start", ABI_CODE_BASE, 4 * cc->start_words, true},
                                         {ELF_DRAFT_OBJECT, at, (uint32_t)object_size, false}};
    const struct note note = program_note(cc);
    const struct elf_image image = {.profile = cc->profile,
                                    .entry = ABI_CODE_BASE,
                                    .text_addr = ABI_CODE_BASE,
                                    .text = cc->start,
                                    .text_words = cc->start_words,
                                    .rodata_addr = at,
                                    .rodata = object,
                                    .rodata_size = object_size,
                                    .symbols = symbols,
                                    .nsymbols = 2,
                                    .note = program_note_text(cc, &note)};
    const char *why = "";
    if (!elf_write(&image, bytes, size, &why))
        cc_error(cc, CC_ENVIRONMENT, NULL, "cannot make the program file: %s", why);
}
