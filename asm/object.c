/* Objects: what an assembled source looks like before it is linked, as an ELF32 ET_REL file.
 *
 * Places in an object are relative to their sections. What the assembler cannot know (the place of
 * another section, or of a symbol that is not here) becomes one of the RISC-V ABI's relocations.
 * Notes say "auto" and entry 0 where only link.c knows. Called by layout.c and asm.c. */
#include "asm/as.h"

#include <elf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_SECTION_SYMBOL = 1, LOADED = SECTION_BSS + 1 };

/* ---- relocations ---- */

/* What an operand (its letter) under %hi and the like (the operator, or EXPR_NUMBER) is for the linker. */
static unsigned operand_type(char letter, enum expr_op function)
{
    // clang-format off
    static const struct { char letter; enum expr_op function; unsigned type; } types[] = {
        {'b', EXPR_NUMBER, R_RISCV_BRANCH}, {'j', EXPR_NUMBER, R_RISCV_JAL},
        {'U', EXPR_HI, R_RISCV_HI20}, {'i', EXPR_LO, R_RISCV_LO12_I}, {'g', EXPR_LO, R_RISCV_LO12_S},
        {'U', EXPR_PCREL_HI, R_RISCV_PCREL_HI20}, {'i', EXPR_PCREL_LO, R_RISCV_PCREL_LO12_I},
        {'g', EXPR_PCREL_LO, R_RISCV_PCREL_LO12_S}};
    // clang-format on
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].letter == letter && types[i].function == function) return types[i].type;
    return R_RISCV_NONE;
}

static bool record(struct as *as, const char *at, enum section_id section, uint32_t offset, unsigned type,
                   const struct place *p)
{
    if (p->kind == PLACE_SECTION && p->section >= LOADED)
        return as_error(as, at, "notes and resource records have no address");
    struct relocation *r = as_alloc(as, sizeof *r);
    *r = (struct relocation){.section = section, .offset = offset, .type = type, .place = *p};
    if (p->kind == PLACE_SYMBOL) p->symbol->used = true;
    *as->relocations.last = r;
    as->relocations.last = &r->next;
    as->relocations.n++;
    return true;
}

/* The auipc that %pcrel_lo(label) belongs to has its own name for the linker. */
static bool low_of(struct as *as, const struct item *i, unsigned type, bool *known)
{
    const struct item *high = expr_pcrel_item(as, i->expr);
    struct place p;
    if (!high || !expr_target(as, high->expr->a, &p)) return false;
    *known = p.kind == PLACE_SECTION && p.section == high->section;
    if (*known) return true;
    p = (struct place){.kind = PLACE_ITEM, .item = high};
    return record(as, i->at, i->section, i->addr + i->size - 4, type, &p);
}

bool object_operand(struct as *as, const struct item *i, int64_t *value, bool *relocated)
{
    const struct expr *e = i->expr;
    bool function = e->op == EXPR_HI || e->op == EXPR_LO || e->op == EXPR_PCREL_HI || e->op == EXPR_PCREL_LO, known;
    unsigned type = operand_type(i->letter, function ? e->op : EXPR_NUMBER);
    bool relative = isa_operand(i->letter)->kind == OPERAND_TARGET || e->op == EXPR_PCREL_HI;
    struct place p;
    *relocated = false;
    if (e->op == EXPR_PCREL_LO) {
        if (!low_of(as, i, type, &known)) return false;
        *relocated = !known;
        return *relocated || expr_value(as, e, value);
    }
    if (!expr_target(as, function ? e->a : e, &p)) return false;
    if (relative && p.kind == PLACE_SECTION && p.section == i->section) {
        *value = p.value;
        return true;
    }
    if (p.kind == PLACE_NUMBER && !relative) return expr_value(as, e, value);
    if (p.kind == PLACE_NUMBER)
        return as_error(as, e->at, "the distance to an absolute address is not known in an object");
    if (type == R_RISCV_NONE)
        return as_error(as, e->at, "this operand cannot hold an address that only the linker knows");
    *value = 0;
    *relocated = true;
    return record(as, i->at, i->section, i->addr + i->size - 4, type, &p);
}

/* A jump to what is not in this section: `offset` bytes into the item. */
bool object_jump(struct as *as, const struct item *i, uint32_t offset, bool call)
{
    struct place p;
    if (!expr_target(as, i->expr, &p)) return false;
    if (p.kind == PLACE_NUMBER)
        return as_error(as, i->expr->at, "the distance to an absolute address is not known in an object");
    return record(as, i->at, i->section, i->addr + offset, call ? R_RISCV_CALL_PLT : R_RISCV_JAL, &p);
}

/* The distance to the target of a halfword; 0 when the linker will know it. */
bool object_half(struct as *as, const struct item *i, int64_t *distance)
{
    struct place p;
    *distance = 0;
    if (!expr_target(as, i->expr, &p)) return false;
    if (p.kind == PLACE_NUMBER)
        return as_error(as, i->expr->at, "the distance to an absolute address is not known in an object");
    if (p.kind != PLACE_SECTION || p.section != i->section)
        return record(as, i->at, i->section, i->addr, asm_half(i->letter)->relocation, &p);
    *distance = p.value - i->addr;
    return true;
}

bool object_value(struct as *as, const struct item *i, int64_t *value)
{
    struct place p;
    if (!expr_target(as, i->expr, &p)) return false;
    *value = p.kind == PLACE_NUMBER ? p.value : 0;
    if (p.kind == PLACE_NUMBER) return true;
    if (i->width != 4 || (i->section > SECTION_DATA && i->section != SECTION_SUMMARY))
        return as_error(as, i->expr->at, "only a .word of .text, .rodata, .data or .ventus.resobj can hold an address");
    return record(as, i->expr->at, i->section, i->addr, R_RISCV_32, &p);
}

/* ---- the symbol table ---- */

struct writer {
    struct as *as;
    uint8_t **sections;
    Elf32_Sym *symbols;
    uint32_t nsymbols, nlocals;
    char *strings;
    uint32_t strings_size;
    Elf32_Rela *relocations[SECTION_COUNT];
    size_t nrelocations[SECTION_COUNT];
    uint32_t index_of[SECTION_COUNT]; /* section header of a section */
    char *names;                      /* of sections: the known ones, then kernels' */
    size_t names_size;
    Elf *elf;
};

static uint32_t add_symbol(struct writer *w, const char *name, Elf32_Sym symbol)
{
    size_t n = strlen(name) + 1;
    symbol.st_name = *name ? w->strings_size : 0;
    if (*name) {
        memcpy(w->strings + w->strings_size, name, n);
        w->strings_size += (uint32_t)n;
    }
    w->symbols[w->nsymbols] = symbol;
    return w->nsymbols++;
}

static bool in_table(const struct symbol *s)
{
    if (!s || strchr(s->name, '#')) return false;
    if (s->item) return s->item->section < LOADED && (!s->hidden || s->global);
    return s->defined ? s->global : s->used || s->weak;
}

static bool write_symbol(struct writer *w, struct symbol *s)
{
    int64_t size = 0;
    struct place p = {.kind = PLACE_NUMBER};
    if (s->size && !expr_value(w->as, s->size, &size)) return false;
    if (s->defined && !symbol_place(w->as, s, s->defined, &p)) return false;
    unsigned type = s->function                                            ? STT_FUNC
                    : p.kind == PLACE_SECTION && p.section != SECTION_TEXT ? STT_OBJECT
                                                                           : STT_NOTYPE;
    unsigned binding = s->weak ? STB_WEAK : s->global || !s->defined ? STB_GLOBAL : STB_LOCAL;
    uint32_t section = p.kind == PLACE_SECTION ? w->index_of[p.section] : s->defined ? SHN_ABS : SHN_UNDEF;
    if (p.kind == PLACE_SYMBOL) return as_error(w->as, s->defined, "'%s' cannot be another file's symbol", s->name);
    s->index = add_symbol(w, s->name,
                          (Elf32_Sym){.st_value = (uint32_t)p.value,
                                      .st_size = (uint32_t)size,
                                      .st_info = (unsigned char)ELF32_ST_INFO(binding, type),
                                      .st_shndx = (Elf32_Section)section});
    return true;
}

/* Sections first, then local symbols, places of auipc, and what other files see. */
static bool build_symbols(struct writer *w)
{
    struct as *as = w->as;
    size_t room = 64, count = 64;
    char name[32];
    for (size_t i = 0; i < as->symbols.room; i++)
        if (in_table(as->symbols.table[i])) room += as->symbols.table[i]->length + 1, count++;
    w->symbols = as_alloc(as, (count + as->relocations.n) * sizeof *w->symbols);
    w->strings = as_alloc(as, room + as->relocations.n * sizeof name);
    w->strings_size = w->nsymbols = 1;
    for (int s = 0; s < LOADED; s++)
        add_symbol(
            w, "",
            (Elf32_Sym){.st_info = ELF32_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = (Elf32_Section)w->index_of[s]});
    for (struct relocation *r = as->relocations.first; r; r = r->next) {
        if (r->place.kind != PLACE_ITEM) continue;
        snprintf(name, sizeof name, ".Lpcrel%u", w->nsymbols);
        r->symbol = add_symbol(w, name,
                               (Elf32_Sym){.st_value = r->place.item->addr + r->place.item->size - 4,
                                           .st_info = ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE),
                                           .st_shndx = (Elf32_Section)w->index_of[r->place.item->section]});
    }
    for (int global = 0; global < 2; global++) {
        for (size_t i = 0; i < as->symbols.room; i++) {
            struct symbol *s = as->symbols.table[i];
            if (in_table(s) && (s->global || s->weak || !s->defined) == (global != 0) && !write_symbol(w, s))
                return false;
        }
        if (!global) w->nlocals = w->nsymbols;
    }
    return true;
}

static void build_relocations(struct writer *w)
{
    struct as *as = w->as;
    for (struct relocation *r = as->relocations.first; r; r = r->next) w->nrelocations[r->section]++;
    for (int s = 0; s < SECTION_COUNT; s++)
        w->relocations[s] = as_alloc(as, (w->nrelocations[s] + 1) * sizeof **w->relocations), w->nrelocations[s] = 0;
    for (struct relocation *r = as->relocations.first; r; r = r->next) {
        const struct place *p = &r->place;
        uint32_t symbol = p->kind == PLACE_SECTION  ? FIRST_SECTION_SYMBOL + (uint32_t)p->section
                          : p->kind == PLACE_SYMBOL ? p->symbol->index
                                                    : r->symbol;
        w->relocations[r->section][w->nrelocations[r->section]++] =
            (Elf32_Rela){.r_offset = r->offset, .r_info = ELF32_R_INFO(symbol, r->type), .r_addend = (int32_t)p->value};
    }
}

/* ---- the file ---- */

static const char names[] =
    "\0.text\0.rodata\0.data\0.bss\0.rela.text\0.rela.rodata\0.rela.data\0.rela.ventus.resobj\0.note.ventus\0"
    ".rodata.ventus.resource\0.ventus.resobj\0.symtab\0.strtab\0.shstrtab";

static uint32_t name_offset(const char *name)
{
    uint32_t at = 1;
    while (strcmp(names + at, name)) at += (uint32_t)strlen(names + at) + 1;
    return at;
}

/* Adds a section, whose name is at an offset; returns its number, 0 on failure. */
static uint32_t add_named(struct writer *w, uint32_t name, Elf32_Shdr header, const void *bytes, size_t size,
                          Elf_Type type)
{
    Elf_Scn *scn = elf_newscn(w->elf);
    Elf_Data *data = scn ? elf_newdata(scn) : NULL;
    Elf32_Shdr *sh = scn ? elf32_getshdr(scn) : NULL;
    if (!data || !sh) return 0;
    header.sh_name = name;
    header.sh_size = (uint32_t)size;
    *sh = header;
    *data = (Elf_Data){.d_buf = (void *)bytes,
                       .d_type = type,
                       .d_version = EV_CURRENT,
                       .d_size = size,
                       .d_align = header.sh_addralign};
    return (uint32_t)elf_ndxscn(scn);
}

static uint32_t add_section(struct writer *w, const char *name, Elf32_Shdr header, const void *bytes, size_t size,
                            Elf_Type type)
{
    return add_named(w, name_offset(name), header, bytes, size, type);
}

static uint32_t alignment_of(const struct as *as, int section)
{
    uint32_t most = 4;
    for (const struct item *i = as->sections[section].first; i; i = i->next)
        if (i->kind == ITEM_ALIGN && i->alignment > most) most = i->alignment;
    return most;
}

static bool add_loaded(struct writer *w)
{
    // clang-format off
    static const struct { const char *name; unsigned type, flags; } kinds[LOADED] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR}, {".rodata", SHT_PROGBITS, SHF_ALLOC},
        {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE}, {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE}};
    // clang-format on
    for (int s = 0; s < LOADED; s++) {
        Elf32_Shdr header = {
            .sh_type = kinds[s].type, .sh_flags = kinds[s].flags, .sh_addralign = alignment_of(w->as, s)};
        w->index_of[s] = add_section(w, kinds[s].name, header, s == SECTION_BSS ? NULL : w->sections[s],
                                     w->as->sections[s].bytes, ELF_T_BYTE);
        if (!w->index_of[s]) return false;
    }
    return true;
}

/* Records of one kernel are a section each; the others are in one together. */
static bool add_resources(struct writer *w, const struct owned *made)
{
    const char *const prefix = ".ventus.resource.";
    size_t size = sizeof names, joined = 0, n;
    for (size_t i = 0; i < made->nresources; i++)
        size += made->resources[i].kernel ? strlen(prefix) + strlen(made->resources[i].kernel) + 1 : 0;
    w->names = memcpy(as_alloc(w->as, size), names, sizeof names);
    w->names_size = sizeof names;
    uint8_t *p = as_alloc(w->as, (made->nresources + 1) * ABI_RESOURCE_LARGEST);
    for (size_t i = 0; i < made->nresources; i++)
        if (!made->resources[i].kernel) joined += resource_write(&made->resources[i], p + joined);
    const Elf32_Shdr header = {.sh_type = SHT_PROGBITS, .sh_addralign = 8};
    if (joined && !add_section(w, ".rodata.ventus.resource", header, p, joined, ELF_T_BYTE)) return false;
    p += joined;
    for (size_t i = 0; i < made->nresources; i++) {
        if (!made->resources[i].kernel) continue;
        n = resource_write(&made->resources[i], p);
        if (!add_named(w, (uint32_t)w->names_size, header, p, n, ELF_T_BYTE)) return false;
        w->names_size += (size_t)sprintf(w->names + w->names_size, "%s%s", prefix, made->resources[i].kernel) + 1;
        p += n;
    }
    return true;
}

static bool add_summary(struct writer *w)
{
    size_t size = w->as->sections[SECTION_SUMMARY].bytes;
    if (!size) return true;
    const Elf32_Shdr header = {.sh_type = SHT_PROGBITS, .sh_addralign = 8};
    w->index_of[SECTION_SUMMARY] =
        add_section(w, ".ventus.resobj", header, w->sections[SECTION_SUMMARY], size, ELF_T_BYTE);
    return w->index_of[SECTION_SUMMARY];
}

static bool add_others(struct writer *w, const void *note, size_t note_size)
{
    static const char *const rela[SECTION_COUNT] = {".rela.text", ".rela.rodata",
                                                    ".rela.data", [SECTION_SUMMARY] = ".rela.ventus.resobj"};
    uint32_t strings = add_section(w, ".strtab", (Elf32_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, w->strings,
                                   w->strings_size, ELF_T_BYTE);
    uint32_t symbols = add_section(w, ".symtab",
                                   (Elf32_Shdr){.sh_type = SHT_SYMTAB,
                                                .sh_link = strings,
                                                .sh_info = w->nlocals,
                                                .sh_addralign = 4,
                                                .sh_entsize = sizeof(Elf32_Sym)},
                                   w->symbols, w->nsymbols * sizeof(Elf32_Sym), ELF_T_SYM);
    bool ok = strings && symbols && add_summary(w);
    for (int s = 0; s < SECTION_COUNT && ok; s++)
        ok = !w->nrelocations[s] || add_section(w, rela[s],
                                                (Elf32_Shdr){.sh_type = SHT_RELA,
                                                             .sh_flags = SHF_INFO_LINK,
                                                             .sh_link = symbols,
                                                             .sh_info = w->index_of[s],
                                                             .sh_addralign = 4,
                                                             .sh_entsize = sizeof(Elf32_Rela)},
                                                w->relocations[s], w->nrelocations[s] * sizeof(Elf32_Rela), ELF_T_RELA);
    if (ok && note_size)
        ok = add_section(w, ".note.ventus", (Elf32_Shdr){.sh_type = SHT_NOTE, .sh_addralign = 4}, note, note_size,
                         ELF_T_BYTE);
    return ok;
}

static bool write_file(struct writer *w, int fd, const struct owned *made, const void *note, size_t note_size)
{
    elf_version(EV_CURRENT);
    w->elf = elf_begin(fd, ELF_C_WRITE, NULL);
    Elf32_Ehdr *eh = w->elf ? elf32_newehdr(w->elf) : NULL;
    if (!eh) return false;
    eh->e_ident[EI_DATA] = ELFDATA2LSB;
    eh->e_type = ET_REL;
    eh->e_machine = EM_RISCV;
    eh->e_flags = (uint32_t)w->as->mnemonics.profile << ELF_PROFILE_SHIFT;
    eh->e_version = EV_CURRENT;
    if (!add_loaded(w) || !build_symbols(w)) return false;
    build_relocations(w);
    if (!add_others(w, note, note_size) || !add_resources(w, made)) return false;
    uint32_t strings = add_section(w, ".shstrtab", (Elf32_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, w->names,
                                   w->names_size, ELF_T_BYTE);
    eh = elf32_getehdr(w->elf);
    if (!strings || !eh) return false;
    eh->e_shstrndx = (Elf32_Half)strings;
    return elf_update(w->elf, ELF_C_WRITE) >= 0;
}

bool object_write(struct as *as, uint8_t *sections[SECTION_COUNT], const struct owned *made, void **bytes, size_t *size)
{
    const char *note = made->note;
    struct writer w = {.as = as, .sections = sections};
    uint32_t note_size = 0;
    uint8_t *packed = note ? elf_pack_note(note, &note_size) : NULL;
    int fd = memfd_create("ventus-object", MFD_CLOEXEC);
    bool ok =
        fd >= 0 && (!note || packed) && write_file(&w, fd, made, packed, note_size) && elf_take_bytes(fd, bytes, size);
    if (w.elf) elf_end(w.elf);
    if (fd >= 0) close(fd);
    free(packed);
    return ok || as->messages.errors || as_error(as, NULL, "the object cannot be written (out of memory?)");
}
