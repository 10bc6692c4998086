/* Objects for listings: sections, symbols and relocations as the file has them, and what kernels need.
 *
 * The linker's reader checks them. Called by tools. */
#include "asm/linker.h"
#include "asm/listing.h"

#include <stdlib.h>
#include <string.h>

struct listed {
    struct object object;
    struct elf_symbol *symbols;
    struct asm_relocation *relocations;
};

static const char *type_name(unsigned type)
{
#define NAME(t) [R_RISCV_##t] = "R_RISCV_" #t
    static const char *const names[] = {
        NAME(NONE),     NAME(32),         NAME(64),           NAME(BRANCH),       NAME(JAL),     NAME(CALL),
        NAME(CALL_PLT), NAME(PCREL_HI20), NAME(PCREL_LO12_I), NAME(PCREL_LO12_S), NAME(HI20),    NAME(LO12_I),
        NAME(LO12_S),   NAME(ADD8),       NAME(ADD16),        NAME(ADD32),        NAME(SUB6),    NAME(SUB8),
        NAME(SUB16),    NAME(SUB32),      NAME(SET6),         NAME(SET8),         NAME(SET16),   NAME(SET32),
        NAME(32_PCREL), NAME(ALIGN),      NAME(RELAX),        NAME(RVC_BRANCH),   NAME(RVC_JUMP)};
#undef NAME
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

static bool list_sections(struct linker *l, const struct object *o, struct asm_section *sections)
{
    for (size_t i = 0; i < o->nparts; i++) {
        const struct part *p = &o->parts[i];
        sections[i] = (struct asm_section){.kind = (enum asm_section_kind)p->out, .name = p->name ? p->name : ""};
        if (p->out == OUT_NONE) continue;
        sections[i].addr = (uint32_t)l->size[p->out];
        sections[i].size = (uint32_t)p->header.sh_size;
        if (p->out != OUT_BSS) sections[i].bytes = link_contents(o, p);
        l->size[p->out] = round_up(l->size[p->out] + p->header.sh_size, 4);
        if (l->size[p->out] > MAX_BYTES) return link_error(l, o, "the program is larger than %d MiB", MAX_BYTES >> 20);
    }
    return true;
}

/* Counted first, then filled in behind the symbols of the sections before. */
static bool list_symbols(struct linker *l, const struct object *o, struct asm_section *sections, struct elf_symbol *out)
{
    for (int round = 0; round < 2; round++) {
        for (size_t i = 1; i < o->nsymbols; i++) {
            Elf32_Sym s;
            const char *name = "";
            if (!link_symbol(l, o, i, &s, &name)) return false;
            if (s.st_shndx >= o->nparts || !*name || *name == '$' || ELF32_ST_TYPE(s.st_info) > STT_FUNC) continue;
            struct asm_section *in = &sections[s.st_shndx];
            if (in->kind == ASM_OTHER) continue;
            if (s.st_value > in->size) return link_error(l, o, "a symbol is outside its section");
            if (round)
                out[in->symbols - out + (ptrdiff_t)in->nsymbols] =
                    (struct elf_symbol){.name = name,
                                        .value = in->addr + s.st_value,
                                        .size = s.st_size,
                                        .function = ELF32_ST_TYPE(s.st_info) == STT_FUNC};
            in->nsymbols++;
        }
        size_t at = 0;
        for (size_t i = 0; i < o->nparts && !round; i++) {
            sections[i].symbols = out + at;
            at += sections[i].nsymbols;
            sections[i].nsymbols = 0;
        }
    }
    return true;
}

static bool list_relocation(struct linker *l, const struct object *o, const struct asm_section *sections,
                            const struct asm_section *in, Elf32_Rela r, struct asm_relocation *out)
{
    Elf32_Sym s = {0};
    const char *name = "";
    size_t index = ELF32_R_SYM(r.r_info);
    unsigned type = ELF32_R_TYPE(r.r_info);
    if (r.r_offset > in->size) return link_error(l, o, "a relocation lies outside its section");
    if (index && !link_symbol(l, o, index, &s, &name)) return false;
    bool local = s.st_shndx != SHN_UNDEF && s.st_shndx < o->nparts &&
                 (!*name || !strncmp(name, ".L", 2)); /* a name that no listing shows */
    *out = (struct asm_relocation){.addr = in->addr + r.r_offset,
                                   .type = type,
                                   .type_name = type_name(type),
                                   .addend = r.r_addend,
                                   .symbol = local ? sections[s.st_shndx].name : name,
                                   .value = local ? s.st_value : 0};
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct asm_relocation *x = a, *y = b;
    return x->addr != y->addr ? (x->addr < y->addr ? -1 : 1) : x->type < y->type ? -1 : x->type > y->type;
}

static bool list_relocations(struct linker *l, const struct object *o, struct asm_section *sections,
                             struct asm_relocation **out)
{
    size_t total = 0, at = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 1; i < o->nparts; i++) {
            const struct part *table = &o->parts[i];
            if (table->header.sh_type == SHT_REL) return link_error(l, o, "relocations without addends are not known");
            if (table->header.sh_type != SHT_RELA) continue;
            if (table->header.sh_info >= o->nparts)
                return link_error(l, o, "relocations of a section that is not there");
            struct asm_section *in = &sections[table->header.sh_info];
            size_t count = in->kind == ASM_OTHER ? 0 : table->header.sh_size / sizeof(Elf32_Rela);
            for (size_t k = 0; k < count && round; k++)
                if (!list_relocation(l, o, sections, in, link_entry(o, table, k),
                                     &(*out)[in->relocations - *out + (ptrdiff_t)(in->nrelocations + k)]))
                    return false;
            in->nrelocations += count;
            total += count;
            if (total > MAX_BYTES / sizeof(Elf32_Rela)) return link_error(l, o, "too many relocations");
        }
        if (round) break;
        *out = link_zeroed(total, sizeof **out);
        if (!*out) return link_error(l, NULL, "out of memory");
        for (size_t i = 0; i < o->nparts; i++) {
            sections[i].relocations = *out + at;
            at += sections[i].nrelocations;
            sections[i].nrelocations = 0;
        }
        total = 0;
    }
    for (size_t i = 0; i < o->nparts; i++) /* of this one's own memory */
        qsort(*out + (sections[i].relocations - *out), sections[i].nrelocations, sizeof **out, by_place);
    return true;
}

bool asm_read_object(const struct asm_input *input, struct asm_object *object, FILE *log)
{
    struct linker l = {.log = log};
    struct listed *listed = calloc(1, sizeof *listed);
    *object = (struct asm_object){.owner = listed};
    if (!listed) return link_error(&l, NULL, "out of memory");
    struct object *o = &listed->object;
    o->input = input;
    elf_version(EV_CURRENT);
    bool ok = link_read(&l, o);
    if (ok) {
        object->profile = o->profile;
        object->nsections = o->nparts;
        object->sections = link_zeroed(o->nparts, sizeof *object->sections);
        listed->symbols = link_zeroed(o->nsymbols, sizeof *listed->symbols);
        ok = (object->sections && listed->symbols) || link_error(&l, NULL, "out of memory");
    }
    ok = ok && list_sections(&l, o, object->sections) && list_symbols(&l, o, object->sections, listed->symbols) &&
         list_relocations(&l, o, object->sections, &listed->relocations);
    if (!ok) asm_free_object(object);
    return ok;
}

static bool print_records(struct linker *l, const struct owned *owned, FILE *out)
{
    if (!link_records(l)) return false;
    for (size_t i = 0; i < owned->nresources; i++) resource_print(&owned->resources[i], out);
    return summary_print(l, out);
}

bool asm_print_resources(const struct asm_input *input, FILE *out, FILE *log)
{
    struct owned owned = {0};
    struct object object = {.input = input};
    struct linker l = {.log = log, .owned = &owned, .objects = &object, .nobjects = 1};
    elf_version(EV_CURRENT);
    bool ok = link_read(&l, &object) && link_names(&l) && link_bind(&l) && print_records(&l, &owned, out);
    link_free(&object);
    free(l.names);
    free(owned.resources);
    return ok;
}

void asm_free_object(struct asm_object *object)
{
    struct listed *listed = object->owner;
    if (listed) {
        link_free(&listed->object);
        free(listed->symbols);
        free(listed->relocations);
    }
    free(listed);
    free(object->sections);
    *object = (struct asm_object){0};
}
