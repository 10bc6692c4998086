/* Optimisation, host code, and the file that the machine loads: code and constants as one segment, relocations done.
 *
 * Passes: the row functions are straight-line code, so inlining, values instead of variables, common subexpressions and
 * simple combinations are all that pays (the code generator takes most of the time). */
#include "translator/emit.h"
#include "translator/choices.h"
#include "translator/chunks.h"
#include "translator/gathers.h"
#include "translator/halves.h"
#include "translator/nans.h"
#include "translator/narrow.h"
#include "translator/pairs.h"
#include "translator/parts.h"
#include "translator/ranges.h"

#include <elf.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const passes[] = {
    [EFFORT_USUAL] = "always-inline,globaldce,function(mem2reg,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
                     "early-cse,aggressive-instcombine)",
    /* Variables stay in memory: of values that live through many blocks the code generator without optimisation makes
     * copies at each of them, and twice the code. */
    [EFFORT_LEAST] = "always-inline,globaldce,function(early-cse,simplifycfg)",
};

/* Register allocation splits live ranges by regions of blocks, which takes most of the time where many registers live
 * through many blocks: constants are not split but made again, and the search for a region ends earlier than usual
 * (10000). With 100 kernels run an eighth longer. */
static const char *const llvm_options[] = {"ventus-translate", "-huge-size-for-split=0",
                                           "-grow-region-complexity-budget=1500"};

void emit_begin(void)
{
    LLVMParseCommandLineOptions(sizeof llvm_options / sizeof *llvm_options, llvm_options, "");
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser(); /* of empty text, see `keep` in translate.c */
}

uint32_t emit_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint32_t)(now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

/* ---- LLVM ---- */

static void add_attribute(const struct translation *t, LLVMValueRef f, const char *name)
{
    unsigned id = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(LLVMGetModuleContext(t->module), id, 0));
}

static void add_text(const struct translation *t, LLVMValueRef f, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(LLVMGetModuleContext(t->module), name, (unsigned)strlen(name),
                                                      value, (unsigned)strlen(value)));
}

/* To what LLVM knows of the processor, for a function. */
static void add_feature(const struct translation *t, LLVMValueRef f, const char *feature)
{
    unsigned length;
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-features", 15);
    const char *features = a ? LLVMGetStringAttributeValue(a, &length) : NULL;
    char text[2048];
    int n = features ? snprintf(text, sizeof text, "%.*s,%s", (int)length, features, feature) : -1;
    if (n >= 0 && n < (int)sizeof text) add_text(t, f, "target-features", text);
}

/* Unless the function has such a text of its own. */
static void copy_text(LLVMValueRef from, LLVMValueRef to, const char *name)
{
    const unsigned size = (unsigned)strlen(name), at = LLVMAttributeFunctionIndex;
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(from, at, name, size);
    if (a && !LLVMGetStringAttributeAtIndex(to, at, name, size)) LLVMAddAttributeAtIndex(to, at, a);
}

/* A function that the translator has made is for the same processor as `from`. */
static void copy_processor(LLVMValueRef from, LLVMValueRef to)
{
    copy_text(from, to, "target-cpu");
    copy_text(from, to, "target-features");
}

/* A processor by name, because LLVM takes an unnamed one of that level for one whose gathers are slow, and loads lane
 * by lane, behind a branch for each under a mask. It says so of AMD's too, but they gather as fast as they load. */
static void tune(const struct translation *t)
{
    static const char *const cpus[] = {
#define TUNING(name, cpu) cpu,
        NATIVE_TUNINGS(TUNING)
#undef TUNING
    };
    if (t->flow->request->level != NATIVE_v3) return;
    add_text(t, t->function, "tune-cpu", cpus[t->flow->request->tuning]);
    add_feature(t, t->function, "+fast-gather");
}

/* Chunks on the stack lie at multiples of their size, so that none lies across two pages, where each access would take
 * as long as dozens of others. The machine keeps to 16 bytes, and to align the stack in the function itself would take
 * a register of it: `entry` does that and calls. */
static void align_stack(const struct translation *t)
{
    static const char flag[] = "override-stack-alignment";
    LLVMContextRef context = LLVMGetModuleContext(t->module);
    LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(context), t->words * 4, false), args[3];
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMAddModuleFlag(t->module, LLVMModuleFlagBehaviorError, flag, sizeof flag - 1, LLVMValueAsMetadata(number));
    add_text(t, t->entry, "stackrealign", "");
    LLVMSetLinkage(t->function, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, t->entry, ""));
    LLVMGetParams(t->entry, args);
    LLVMBuildRet(b, LLVMBuildCall2(b, LLVMGlobalGetValueType(t->function), t->function, args, 3, ""));
    LLVMDisposeBuilder(b);
}

/* Row functions that are called, and what these call: the linker reads and copies no other ones of such linkage. */
static bool link_rows(struct translation *t)
{
    LLVMModuleRef rows = t->rows;
    bool known = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(rows); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        if (!known) copy_processor(f, t->function);
        known = true;
        if (LLVMGetLinkage(f) == LLVMExternalLinkage) LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    }
    t->rows = NULL; /* linking consumes it */
    return !LLVMLinkModules2(t->module, rows);
}

/* Row functions are inlined, but for the cold ones. These keep the caller's registers, but LLVM would clear the upper
 * halves of all behind that, as if they had been theirs. */
static void prepare_functions(const struct translation *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f)) {
        if (f == t->function || f == t->entry || LLVMIsDeclaration(f)) continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        copy_processor(t->function, f);
        add_attribute(t, f, "nounwind");
        if (LLVMGetFunctionCallConv(f) == LLVMCCallConv) add_attribute(t, f, "alwaysinline");
        else add_feature(t, f, "-vzeroupper");
    }
    tune(t);
    add_text(t, t->function, "prefer-vector-width", "512");
    add_text(t, t->function, "min-legal-vector-width", "512");
    add_attribute(t, t->function, "nounwind");
    align_stack(t);
}

static const char *level_cpu(enum native_level level)
{
    static const char *const cpus[] = {
#define LEVEL(name, words, cpu) cpu,
        NATIVE_LEVELS(LEVEL)
#undef LEVEL
    };
    return cpus[level];
}

static LLVMTargetMachineRef make_machine(const struct translation *t, char **error)
{
    LLVMTargetRef target;
    enum native_level level = (enum native_level)t->flow->request->level;
    char *triple = LLVMGetDefaultTargetTriple();
    LLVMTargetMachineRef machine = NULL;
    bool least = t->flow->request->effort == EFFORT_LEAST;
    LLVMCodeGenOptLevel effort = least ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
    LLVMSetTarget(t->module, triple);
    if (!LLVMGetTargetFromTriple(triple, &target, error))
        machine = LLVMCreateTargetMachine(target, triple, level_cpu(level), level <= NATIVE_v4 ? "-prefer-256-bit" : "",
                                          effort, LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMDisposeMessage(triple);
    return machine;
}

/* ---- long blocks ---- */

/* The time that LLVM takes to choose a block's instructions grows faster than the block, to minutes for those of some
 * ten thousand, which kernels of halves have where the host knows none. One of 21,000 (level base, processor time of
 * the translator): 3.3 s, with 500 4.5, with 2000 5.0, undivided 16; with the least effort 1.8, 1.5, 2.0, 13. Blocks of
 * 2000 to 14,000 in four kernels of bench/ (d_cholesky, longest_common, aes_bytes, rc4) run as fast. */
enum { BLOCK_MOST = 1000 };

/* The first instructions of a block become one in front of it. LLVM's function for that is not in its C interface. */
static void split_block(LLVMContextRef context, LLVMBuilderRef b, LLVMBasicBlockRef block, unsigned count)
{
    LLVMBasicBlockRef front = LLVMInsertBasicBlockInContext(context, block, "");
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    LLVMPositionBuilderAtEnd(b, front);
    for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; count--; insn = next) {
        next = LLVMGetNextInstruction(insn);
        LLVMInstructionRemoveFromParent(insn);
        LLVMInsertIntoBuilder(b, insn);
    }
    LLVMInstructionRemoveFromParent(end); /* without it, phis behind the block go on naming the block */
    LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(front));
    LLVMBuildBr(b, block);
    LLVMPositionBuilderAtEnd(b, block);
    LLVMInsertIntoBuilder(b, end);
    LLVMBlockAddress(LLVMGetBasicBlockParent(block), block); /* or LLVM joins them again when it prepares the choice */
}

static unsigned block_length(LLVMBasicBlockRef block)
{
    unsigned count = 0;
    for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn)) count++;
    return count;
}

/* Behind the passes, which would put the parts together again. */
static void split_blocks(const struct translation *t)
{
    LLVMContextRef context = LLVMGetModuleContext(t->module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(t->function); block; block = LLVMGetNextBasicBlock(block))
        for (unsigned n = block_length(block); n > 2 * BLOCK_MOST; n -= BLOCK_MOST)
            split_block(context, b, block, BLOCK_MOST);
    LLVMDisposeBuilder(b);
}

bool emit_asked(const char *variable)
{
    const char *said = secure_getenv(variable);
    return said && !strcmp(said, "1");
}

/* Asks LLVM's verifier, if the user wants that; a module is taken to be valid otherwise. */
static bool is_valid(const struct translation *t, char *why, size_t why_size)
{
    char *error = NULL;
    if (!emit_asked("VENTUS_TRANSLATE_VERIFY")) return true;
    const bool valid = !LLVMVerifyModule(t->module, LLVMReturnStatusAction, &error);
    if (!valid) snprintf(why, why_size, "%s", error);
    LLVMDisposeMessage(error);
    return valid;
}

/* What LLVM's passes leave undone for vectors of lanes. */
static LLVMErrorRef use_vectors(struct translation *t, LLVMTargetMachineRef machine, LLVMPassBuilderOptionsRef options)
{
    LLVMErrorRef error = NULL;
    const bool whole = t->words == RANGE_LANES, halves = t->flow->request->level == NATIVE_v4fp16;
    if (whole) {
        parts_join(t->function, halves);
        narrow_words(t->function);
        gathers_load(t->function);
    }
    const bool joined = halves && halves_keep(t->function, t->words);
    if (pairs_keep(t->function, t->words) || joined)
        error = LLVMRunPasses(t->module, "function(early-cse,adce)", machine, options);
    if (!error && pairs_store(t->function, t->words))
        error = LLVMRunPasses(t->module, "function(early-cse,adce)", machine, options);
    if (whole && !error) chunks_join(t->function);
    return error;
}

static bool run_passes(struct translation *t, LLVMTargetMachineRef machine, char *why, size_t why_size)
{
    uint32_t start = emit_clock();
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(t->module, passes[t->flow->request->effort], machine, options);
    if (!error) choices_find(t->function);
    if (!error && t->flow->request->effort == EFFORT_USUAL) error = use_vectors(t, machine, options);
    LLVMDisposePassBuilderOptions(options);
    t->pass_us = emit_clock() - start;
    if (!error) {
        nans_skip(t->function);
        if (t->words == 16) nans_fix_up(t->function);
        choices_mend(t->function, t->flow->request->level == NATIVE_v4fp16);
        split_blocks(t);
        return is_valid(t, why, why_size);
    }
    char *text = LLVMGetErrorMessage(error);
    snprintf(why, why_size, "%s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

static bool emit_object(struct translation *t, LLVMTargetMachineRef machine, LLVMMemoryBufferRef *object, char **error)
{
    uint32_t start = emit_clock();
    bool failed = LLVMTargetMachineEmitToMemoryBuffer(machine, t->module, LLVMObjectFile, error, object);
    t->code_us = emit_clock() - start;
    return !failed;
}

static LLVMMemoryBufferRef make_object(struct translation *t, char *why, size_t why_size)
{
    char *error = NULL;
    LLVMMemoryBufferRef object = NULL;
    if (!link_rows(t)) {
        snprintf(why, why_size, "the row functions do not link");
        return NULL;
    }
    prepare_functions(t);
    LLVMTargetMachineRef machine = make_machine(t, &error);
    if (machine && is_valid(t, why, why_size) && run_passes(t, machine, why, why_size) &&
        !emit_object(t, machine, &object, &error))
        snprintf(why, why_size, "%s", error);
    if (!machine) snprintf(why, why_size, "%s", error ? error : "no target machine");
    if (error) LLVMDisposeMessage(error);
    if (machine) LLVMDisposeTargetMachine(machine);
    return object;
}

/* ---- the object's sections ---- */

enum { ALIGN = 64 };

struct linker {
    const uint8_t *object;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    const Elf64_Sym *symbols;
    const char *names; /* of symbols */
    uint64_t *place;   /* of each section in the image, 0: not in it */
    uint8_t *image;
    uint64_t size;
    char *why;
    size_t why_size;
};

static bool refuse(struct linker *l, const char *what)
{
    snprintf(l->why, l->why_size, "%s", what);
    return false;
}

static const char *section_name(const struct linker *l, const Elf64_Shdr *s)
{
    return (const char *)l->object + l->sections[l->header->e_shstrndx].sh_offset + s->sh_name;
}

/* Code and constants; tables for unwinding are not needed. */
static bool is_wanted(const struct linker *l, const Elf64_Shdr *s)
{
    return (s->sh_flags & SHF_ALLOC) && s->sh_size && strcmp(section_name(l, s), ".eh_frame");
}

static bool place_sections(struct linker *l)
{
    for (unsigned i = 0; i < l->header->e_shnum; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type == SHT_SYMTAB) {
            l->symbols = (const Elf64_Sym *)(l->object + s->sh_offset);
            l->names = (const char *)l->object + l->sections[s->sh_link].sh_offset;
        }
        if (!is_wanted(l, s)) continue;
        if ((s->sh_flags & SHF_WRITE) || s->sh_type == SHT_NOBITS)
            return refuse(l, "translated code has data to write");
        l->size = (l->size + ALIGN - 1) / ALIGN * ALIGN;
        l->place[i] = l->size;
        l->size += s->sh_size;
    }
    return true;
}

static bool relocate_one(struct linker *l, uint64_t section, const Elf64_Rela *r)
{
    const Elf64_Sym *symbol = &l->symbols[ELF64_R_SYM(r->r_info)];
    bool known = symbol->st_shndx < l->header->e_shnum && l->place[symbol->st_shndx];
    if (!known) {
        snprintf(l->why, l->why_size, "translated code needs the host's %s", l->names + symbol->st_name);
        return false;
    }
    uint64_t at = section + r->r_offset, to = l->place[symbol->st_shndx] + symbol->st_value;
    uint32_t value = (uint32_t)(to + (uint64_t)r->r_addend - at);
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32: memcpy(l->image + at, &value, 4); return true;
    default: return refuse(l, "translated code has a relocation of an unknown type");
    }
}

static bool relocate(struct linker *l)
{
    for (unsigned i = 0; i < l->header->e_shnum; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type != SHT_RELA || !l->place[s->sh_info]) continue;
        const Elf64_Rela *r = (const Elf64_Rela *)(l->object + s->sh_offset);
        for (uint64_t k = 0; k < s->sh_size / sizeof *r; k++)
            if (!relocate_one(l, l->place[s->sh_info], &r[k])) return false;
    }
    return true;
}

/* Address in the image of the function `native`. */
static uint64_t find_code(const struct linker *l)
{
    for (unsigned i = 0; i < l->header->e_shnum; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type != SHT_SYMTAB) continue;
        for (uint64_t k = 0; k < s->sh_size / sizeof *l->symbols; k++)
            if (!strcmp(l->names + l->symbols[k].st_name, "native"))
                return l->place[l->symbols[k].st_shndx] + l->symbols[k].st_value;
    }
    return 0;
}

/* ---- the image ---- */

static uint32_t tallied_blocks(const struct translation *t)
{
    return t->flow->request->tallies ? (uint32_t)t->flow->nblocks : 0;
}

static void write_blocks(const struct translation *t, struct native_block *out)
{
    const struct flow *f = t->flow;
    for (uint32_t i = 0; i < tallied_blocks(t); i++) {
        const struct block *b = &f->blocks[i];
        const struct node *last = b->count ? &f->nodes[b->first + b->count - 1] : NULL;
        const struct routine *r = last && last->how == HOW_ROUTINE ? &f->routines[last->number] : NULL;
        out[i] = (struct native_block){b->pc, b->end, r ? r->pc : 0, r ? r->end : 0};
    }
}

static void write_headers(struct linker *l, const struct translation *t, uint64_t tables)
{
    Elf64_Ehdr *e = (Elf64_Ehdr *)l->image;
    *e = *l->header;
    e->e_type = ET_DYN;
    e->e_entry = tables;
    e->e_phoff = sizeof *e;
    e->e_phentsize = sizeof(Elf64_Phdr), e->e_phnum = 1;
    e->e_shoff = 0, e->e_shentsize = 0, e->e_shnum = 0, e->e_shstrndx = 0;
    *(Elf64_Phdr *)(e + 1) = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = l->size, .p_memsz = l->size, .p_align = 4096};
    struct native_header *h = (struct native_header *)(l->image + tables);
    *h = (struct native_header){
        .magic = NATIVE_MAGIC,
        .layout = native_layout(),
        .nentries = (uint32_t)t->nentries,
        .nsites = (uint32_t)t->nsites,
        .nblocks = tallied_blocks(t),
        .code = find_code(l),
        .reserves = t->flow->reserves,
        .insns = (uint32_t)t->flow->nnodes,
        .helped = (uint32_t)t->helped,
        .build_us = t->build_us,
        .pass_us = t->pass_us,
        .code_us = t->code_us,
    };
    struct native_entry *entries = (struct native_entry *)(h + 1);
    memcpy(entries, t->entries, t->nentries * sizeof *entries);
    struct native_site *sites = (struct native_site *)(entries + t->nentries);
    if (t->nsites) memcpy(sites, t->sites, t->nsites * sizeof *t->sites);
    write_blocks(t, (struct native_block *)(sites + t->nsites));
}

static bool link_image(struct linker *l, const struct translation *t, struct image *image)
{
    l->header = (const Elf64_Ehdr *)l->object;
    l->sections = (const Elf64_Shdr *)(l->object + l->header->e_shoff);
    l->place = calloc(l->header->e_shnum, sizeof *l->place);
    l->size = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    if (!l->place) return refuse(l, "out of memory");
    if (!place_sections(l)) return false;
    uint64_t tables = (l->size + ALIGN - 1) / ALIGN * ALIGN;
    l->size = tables + sizeof(struct native_header) + t->nentries * sizeof *t->entries + t->nsites * sizeof *t->sites +
              tallied_blocks(t) * sizeof(struct native_block);
    l->image = calloc(1, l->size);
    if (!l->image) return refuse(l, "out of memory");
    for (unsigned i = 0; i < l->header->e_shnum; i++)
        if (l->place[i]) memcpy(l->image + l->place[i], l->object + l->sections[i].sh_offset, l->sections[i].sh_size);
    if (!relocate(l)) return false;
    write_headers(l, t, tables);
    *image = (struct image){l->image, l->size};
    l->image = NULL;
    return true;
}

bool emit_image(struct translation *t, struct image *image, char *why, size_t why_size)
{
    *image = (struct image){0};
    LLVMMemoryBufferRef object = make_object(t, why, why_size);
    if (!object) return false;
    struct linker l = {.object = (const uint8_t *)LLVMGetBufferStart(object), .why = why, .why_size = why_size};
    bool ok = link_image(&l, t, image);
    free(l.place);
    free(l.image);
    LLVMDisposeMemoryBuffer(object);
    return ok;
}
