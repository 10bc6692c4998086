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

/* The linker reads notes and resource records, and puts what is in other sections into the program, or leaves it out.
 */
static bool has_places(const struct section *s) { return is_loaded(s) || s->kind == SECTION_OTHER; }

static bool record(struct as *as, const char *at, unsigned section, uint32_t offset, unsigned type,
                   const struct place *p)
{
    if (p->kind == PLACE_SECTION && !has_places(as_section(as, p->section)))
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
    if (i->width != 4 || i->section == SECTION_NOTE || i->section == SECTION_RESOURCE)
        return as_error(as, i->expr->at, "only a .word can hold an address, and not in notes and resource records");
    return record(as, i->expr->at, i->section, i->addr, R_RISCV_32, &p);
}

/* ---- the symbol table ---- */

struct writer {
    struct as *as;
    Elf32_Sym *symbols;
    uint32_t nsymbols, nlocals;
    char *strings;
    uint32_t strings_size;
    Elf32_Rela **relocations; /* of each section, by its number, */
    size_t *nrelocations;     /* and how many */
    char *names;              /* of sections */
    size_t names_size, names_room;
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

static bool in_table(const struct as *as, const struct symbol *s)
{
    if (!s || strchr(s->name, '#')) return false;
    if (s->item) return has_places(as_section(as, s->item->section)) && (!s->hidden || s->global);
    return s->defined ? s->global : s->used || s->weak || s->common;
}

/* Space that the linker finds, for all files that name it. */
static void write_common(struct writer *w, struct symbol *s)
{
    s->index = add_symbol(w, s->name,
                          (Elf32_Sym){.st_value = s->common->alignment,
                                      .st_size = s->common->size,
                                      .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT),
                                      .st_shndx = SHN_COMMON});
}

static unsigned symbol_type(const struct as *as, const struct symbol *s, const struct place *p)
{
    if (s->function) return STT_FUNC;
    return p->kind == PLACE_SECTION && as_section(as, p->section)->kind != SECTION_TEXT ? STT_OBJECT : STT_NOTYPE;
}

static bool write_symbol(struct writer *w, struct symbol *s)
{
    int64_t size = 0;
    struct place p = {.kind = PLACE_NUMBER};
    if (s->common && !s->defined) return write_common(w, s), true;
    if (s->size && !expr_value(w->as, s->size, &size)) return false;
    if (s->defined && !symbol_place(w->as, s, s->defined, &p)) return false;
    unsigned binding = s->weak ? STB_WEAK : s->global || !s->defined ? STB_GLOBAL : STB_LOCAL;
    uint32_t section = p.kind == PLACE_SECTION ? as_section(w->as, p.section)->header
                       : s->defined            ? SHN_ABS
                                               : SHN_UNDEF;
    if (p.kind == PLACE_SYMBOL) return as_error(w->as, s->defined, "'%s' cannot be another file's symbol", s->name);
    s->index = add_symbol(w, s->name,
                          (Elf32_Sym){.st_value = (uint32_t)p.value,
                                      .st_size = (uint32_t)size,
                                      .st_info = (unsigned char)ELF32_ST_INFO(binding, symbol_type(w->as, s, &p)),
                                      .st_shndx = (Elf32_Section)section});
    return true;
}

/* Sections first, then local symbols, places of auipc, and what other files see. */
static bool build_symbols(struct writer *w)
{
    struct as *as = w->as;
    size_t room = 64, count = 64 + as->sections.n;
    char name[32];
    for (size_t i = 0; i < as->symbols.room; i++)
        if (in_table(as, as->symbols.table[i])) room += as->symbols.table[i]->length + 1, count++;
    w->symbols = as_alloc(as, (count + as->relocations.n) * sizeof *w->symbols);
    w->strings = as_alloc(as, room + as->relocations.n * sizeof name);
    w->strings_size = w->nsymbols = 1;
    for (unsigned s = 0; s < as->sections.n; s++) {
        struct section *section = as_section(as, s);
        if (!has_places(section)) continue;
        section->symbol = add_symbol(
            w, "",
            (Elf32_Sym){.st_info = ELF32_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = (Elf32_Section)section->header});
    }
    for (struct relocation *r = as->relocations.first; r; r = r->next) {
        if (r->place.kind != PLACE_ITEM) continue;
        snprintf(name, sizeof name, ".Lpcrel%u", w->nsymbols);
        r->symbol = add_symbol(w, name,
                               (Elf32_Sym){.st_value = r->place.item->addr + r->place.item->size - 4,
                                           .st_info = ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE),
                                           .st_shndx = (Elf32_Section)as_section(as, r->place.item->section)->header});
    }
    for (int global = 0; global < 2; global++) {
        for (size_t i = 0; i < as->symbols.room; i++) {
            struct symbol *s = as->symbols.table[i];
            if (in_table(as, s) && (s->global || s->weak || !s->defined) == (global != 0) && !write_symbol(w, s))
                return false;
        }
        if (!global) w->nlocals = w->nsymbols;
    }
    return true;
}

static void build_relocations(struct writer *w)
{
    struct as *as = w->as;
    w->relocations = as_alloc(as, as->sections.n * sizeof *w->relocations);
    w->nrelocations = as_alloc(as, as->sections.n * sizeof *w->nrelocations);
    for (struct relocation *r = as->relocations.first; r; r = r->next) w->nrelocations[r->section]++;
    for (unsigned s = 0; s < as->sections.n; s++)
        w->relocations[s] = as_alloc(as, (w->nrelocations[s] + 1) * sizeof **w->relocations), w->nrelocations[s] = 0;
    for (struct relocation *r = as->relocations.first; r; r = r->next) {
        const struct place *p = &r->place;
        uint32_t symbol = p->kind == PLACE_SECTION  ? as_section(as, p->section)->symbol
                          : p->kind == PLACE_SYMBOL ? p->symbol->index
                                                    : r->symbol;
        w->relocations[r->section][w->nrelocations[r->section]++] =
            (Elf32_Rela){.r_offset = r->offset, .r_info = ELF32_R_INFO(symbol, r->type), .r_addend = (int32_t)p->value};
    }
}

/* ---- the file ---- */

/* Where the name "PREFIX NAME" of a section is in the table of such names. */
static uint32_t add_name(struct writer *w, const char *prefix, const char *name)
{
    size_t at = w->names_size ? w->names_size : 1, size = at + strlen(prefix) + strlen(name) + 1;
    if (size > w->names_room) {
        char *larger = as_alloc(w->as, w->names_room = 2 * size);
        if (w->names) memcpy(larger, w->names, w->names_size);
        w->names = larger;
    }
    w->names_size = size;
    sprintf(w->names + at, "%s%s", prefix, name);
    return (uint32_t)at;
}

/* Adds a section named "PREFIX NAME"; returns its number, 0 on failure. */
static uint32_t add_prefixed(struct writer *w, const char *prefix, const char *name, Elf32_Shdr header,
                             const void *bytes, size_t size, Elf_Type type)
{
    Elf_Scn *scn = elf_newscn(w->elf);
    Elf_Data *data = scn ? elf_newdata(scn) : NULL;
    Elf32_Shdr *sh = scn ? elf32_getshdr(scn) : NULL;
    if (!data || !sh) return 0;
    header.sh_name = add_name(w, prefix, name);
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
    return add_prefixed(w, "", name, header, bytes, size, type);
}

static bool add_items(struct writer *w)
{
    for (unsigned s = 0; s < w->as->sections.n; s++) {
        struct section *section = as_section(w->as, s);
        const Elf32_Shdr header = {.sh_type = section->type,
                                   .sh_flags = section->flags,
                                   .sh_addralign = section->alignment,
                                   .sh_entsize = section->entry_size};
        if (!has_places(section)) continue;
        section->header = add_section(w, section->name, header, section->out, section->bytes, ELF_T_BYTE);
        if (!section->header) return false;
    }
    return true;
}

/* Records of one kernel are a section each; the others are in one together. */
static bool add_resources(struct writer *w, const struct owned *made)
{
    size_t joined = 0, n;
    uint8_t *p = as_alloc(w->as, (made->nresources + 1) * ABI_RESOURCE_LARGEST);
    for (size_t i = 0; i < made->nresources; i++)
        if (!made->resources[i].kernel) joined += resource_write(&made->resources[i], p + joined);
    const Elf32_Shdr header = {.sh_type = SHT_PROGBITS, .sh_addralign = 8};
    if (joined && !add_section(w, ".rodata.ventus.resource", header, p, joined, ELF_T_BYTE)) return false;
    p += joined;
    for (size_t i = 0; i < made->nresources; i++) {
        if (!made->resources[i].kernel) continue;
        n = resource_write(&made->resources[i], p);
        if (!add_prefixed(w, ".ventus.resource.", made->resources[i].kernel, header, p, n, ELF_T_BYTE)) return false;
        p += n;
    }
    return true;
}

static bool add_summary(struct writer *w)
{
    struct section *s = as_section(w->as, SECTION_SUMMARY);
    const Elf32_Shdr header = {.sh_type = SHT_PROGBITS, .sh_addralign = 8};
    if (s->bytes) s->header = add_section(w, s->name, header, s->out, s->bytes, ELF_T_BYTE);
    return !s->bytes || s->header;
}

static bool add_relocations(struct writer *w, uint32_t symbols)
{
    for (unsigned s = 0; s < w->as->sections.n; s++) {
        const struct section *section = as_section(w->as, s);
        const Elf32_Shdr header = {.sh_type = SHT_RELA,
                                   .sh_flags = SHF_INFO_LINK,
                                   .sh_link = symbols,
                                   .sh_info = section->header,
                                   .sh_addralign = 4,
                                   .sh_entsize = sizeof(Elf32_Rela)};
        size_t size = w->nrelocations[s] * sizeof(Elf32_Rela);
        if (size && !add_prefixed(w, ".rela", section->name, header, w->relocations[s], size, ELF_T_RELA)) return false;
    }
    return true;
}

static bool add_others(struct writer *w, const void *note, size_t note_size)
{
    uint32_t strings = add_section(w, ".strtab", (Elf32_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, w->strings,
                                   w->strings_size, ELF_T_BYTE);
    uint32_t symbols = add_section(w, ".symtab",
                                   (Elf32_Shdr){.sh_type = SHT_SYMTAB,
                                                .sh_link = strings,
                                                .sh_info = w->nlocals,
                                                .sh_addralign = 4,
                                                .sh_entsize = sizeof(Elf32_Sym)},
                                   w->symbols, w->nsymbols * sizeof(Elf32_Sym), ELF_T_SYM);
    return strings && symbols && add_summary(w) && add_relocations(w, symbols) &&
           (!note_size || add_section(w, ".note.ventus", (Elf32_Shdr){.sh_type = SHT_NOTE, .sh_addralign = 4}, note,
                                      note_size, ELF_T_BYTE));
}

/* The names of sections, of which its own is the last. */
static uint32_t add_names(struct writer *w)
{
    uint32_t name = add_name(w, "", ".shstrtab");
    Elf_Scn *scn = elf_newscn(w->elf);
    Elf_Data *data = scn ? elf_newdata(scn) : NULL;
    Elf32_Shdr *sh = scn ? elf32_getshdr(scn) : NULL;
    if (!data || !sh) return 0;
    *sh = (Elf32_Shdr){.sh_name = name, .sh_type = SHT_STRTAB, .sh_addralign = 1};
    *data = (Elf_Data){
        .d_buf = w->names, .d_type = ELF_T_BYTE, .d_version = EV_CURRENT, .d_size = w->names_size, .d_align = 1};
    return (uint32_t)elf_ndxscn(scn);
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
    if (!add_items(w) || !build_symbols(w)) return false;
    build_relocations(w);
    if (!add_others(w, note, note_size) || !add_resources(w, made)) return false;
    uint32_t strings = add_names(w);
    eh = elf32_getehdr(w->elf);
    if (!strings || !eh) return false;
    eh->e_shstrndx = (Elf32_Half)strings;
    return elf_update(w->elf, ELF_C_WRITE) >= 0;
}

bool object_write(struct as *as, const struct owned *made, void **bytes, size_t *size)
{
    const char *note = made->note;
    struct writer w = {.as = as};
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
