/* Objects as the linker reads them: sections, symbols, relocations and resource records.
 *
 * They come from files that nobody vouches for: every range of a file is checked here, before it is used. Called by
 * everything that links or lists objects. */
#include "asm/linker.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool link_error(struct linker *l, const struct object *o, const char *format, ...)
{
    va_list args;
    l->errors++;
    if (!l->log || l->errors > MAX_ERRORS) return false;
    fprintf(l->log, "%s: error: ", o ? o->input->name : "ld");
    va_start(args, format);
    vfprintf(l->log, format, args);
    va_end(args);
    fputc('\n', l->log);
    return false;
}

void *link_zeroed(size_t n, size_t size) { return calloc(n ? n : 1, size); }

const uint8_t *link_contents(const struct object *o, const struct part *p)
{
    return (const uint8_t *)o->input->bytes + p->header.sh_offset;
}

static bool has_program(unsigned type)
{
    return type == SHT_PROGBITS || type == SHT_NOBITS || type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY ||
           type == SHT_PREINIT_ARRAY;
}

/* Which part of the program a section belongs to. */
static int kind_of(const GElf_Shdr *sh)
{
    if (!(sh->sh_flags & SHF_ALLOC) || !has_program(sh->sh_type)) return OUT_NONE;
    if (sh->sh_flags & SHF_EXECINSTR) return OUT_TEXT;
    if (!(sh->sh_flags & SHF_WRITE)) return OUT_RODATA;
    return sh->sh_type == SHT_NOBITS ? OUT_BSS : OUT_DATA;
}

/* Records and summaries are read, and not a part of the program, whatever their flags. */
static bool is_record(const struct part *p)
{
    const char *kernel;
    return !strcmp(p->name, SUMMARY_SECTION) || resource_is_section(p->name, &kernel);
}

static bool read_part(struct linker *l, struct object *o, size_t index, size_t names)
{
    struct part *p = &o->parts[index];
    Elf_Scn *scn = elf_getscn(o->elf, index);
    if (!scn || !gelf_getshdr(scn, &p->header)) return link_error(l, o, "the section headers are damaged");
    const GElf_Shdr *sh = &p->header;
    p->name = elf_strptr(o->elf, names, sh->sh_name);
    if (!p->name) p->name = "";
    p->out = is_record(p) ? OUT_NONE : kind_of(sh);
    if (sh->sh_type != SHT_NOBITS && (sh->sh_offset > o->input->size || sh->sh_size > o->input->size - sh->sh_offset))
        return link_error(l, o, "section %zu lies outside the file", index);
    if (sh->sh_addralign > MAX_ALIGN || (sh->sh_addralign & (sh->sh_addralign - 1)))
        return link_error(l, o, "section %zu has an alignment that is not possible", index);
    p->align = sh->sh_addralign ? (uint32_t)sh->sh_addralign : 1;
    if (p->out != OUT_NONE && (sh->sh_size > MAX_BYTES || (p->out <= OUT_RODATA && sh->sh_type == SHT_NOBITS)))
        return link_error(l, o, "section %zu is too large, or has no contents", index);
    return true;
}

static bool read_symbols(struct linker *l, struct object *o, const struct part *p)
{
    if (o->symbols) return link_error(l, o, "it has two symbol tables");
    if (p->header.sh_link >= o->nparts || o->parts[p->header.sh_link].header.sh_type != SHT_STRTAB)
        return link_error(l, o, "the symbol names are damaged");
    const struct part *strings = &o->parts[p->header.sh_link];
    o->symbols = p;
    o->strings = (const char *)link_contents(o, strings);
    o->strings_size = strings->header.sh_size;
    if (!o->strings_size || o->strings[o->strings_size - 1]) return link_error(l, o, "the symbol names are damaged");
    o->nsymbols = p->header.sh_size / sizeof(Elf32_Sym);
    o->addresses = link_zeroed(o->nsymbols, sizeof *o->addresses);
    o->known = link_zeroed(o->nsymbols, 1);
    return (o->addresses && o->known) || link_error(l, NULL, "out of memory");
}

bool link_symbol(struct linker *l, const struct object *o, size_t i, Elf32_Sym *s, const char **name)
{
    if (i >= o->nsymbols) return link_error(l, o, "there is no symbol %zu", i);
    memcpy(s, link_contents(o, o->symbols) + i * sizeof *s, sizeof *s);
    if (s->st_name >= o->strings_size) return link_error(l, o, "the name of symbol %zu is damaged", i);
    *name = o->strings + s->st_name;
    return true;
}

bool link_read(struct linker *l, struct object *o)
{
    GElf_Ehdr eh;
    size_t names;
    const uint8_t *p = o->input->bytes;
    if (o->input->size < sizeof(Elf32_Ehdr) || memcmp(p, ELFMAG, SELFMAG))
        return link_error(l, o, "this is not an ELF file");
    if (p[EI_CLASS] != ELFCLASS32 || p[EI_DATA] != ELFDATA2LSB)
        return link_error(l, o, "this is not a 32-bit little-endian ELF file");
    o->elf = elf_memory((char *)p, o->input->size);
    if (!o->elf || elf_kind(o->elf) != ELF_K_ELF || !gelf_getehdr(o->elf, &eh))
        return link_error(l, o, "the ELF header is damaged");
    if (eh.e_machine != EM_RISCV) return link_error(l, o, "this file is for another machine (not RISC-V)");
    if (eh.e_type != ET_REL) return link_error(l, o, "this is not an object; `ventus as -c` makes them");
    if (!elf_profile((uint32_t)eh.e_flags, &o->profile))
        return link_error(l, o, "the ELF header names an instruction set that is not known here");
    if (elf_getshdrnum(o->elf, &o->nparts) || elf_getshdrstrndx(o->elf, &names))
        return link_error(l, o, "the section headers are damaged");
    if (!o->nparts) return link_error(l, o, "there are no section headers; the file may be cut off");
    o->parts = link_zeroed(o->nparts, sizeof *o->parts);
    if (!o->parts) return link_error(l, NULL, "out of memory");
    for (size_t i = 0; i < o->nparts; i++) o->parts[i].out = OUT_NONE;
    for (size_t i = 1; i < o->nparts; i++)
        if (!read_part(l, o, i, names)) return false;
    for (size_t i = 1; i < o->nparts; i++)
        if (o->parts[i].header.sh_type == SHT_SYMTAB && !read_symbols(l, o, &o->parts[i])) return false;
    return true;
}

void link_free(struct object *o)
{
    if (o->elf) elf_end(o->elf);
    free(o->parts);
    free(o->addresses);
    free(o->known);
}

Elf32_Rela link_entry(const struct object *o, const struct part *table, size_t i)
{
    Elf32_Rela r;
    memcpy(&r, link_contents(o, table) + i * sizeof r, sizeof r);
    return r;
}

bool link_records(struct linker *l)
{
    const char *kernel, *why;
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            const struct object *o = &l->objects[k];
            const struct part *p = &o->parts[i];
            if (p->header.sh_type != SHT_PROGBITS || !resource_is_section(p->name, &kernel)) continue;
            if (!resource_append_section(l->owned, link_contents(o, p), p->header.sh_size, kernel, &why))
                return link_error(l, o, "%s: %s", p->name, why);
        }
    return true;
}
