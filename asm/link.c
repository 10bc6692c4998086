/* The linker: objects to a program.
 *
 * Sections of all objects are laid out one kind behind the other (text, constants, data, bss), then
 * names are bound, relocations applied and the module notes joined. Objects are not trusted: every
 * range of a file is checked before it is used. Called by `ventus ld`, and by `ventus objdump` for the
 * reading of objects alone. */
#include "asm/linker.h"
#include "asm/near.h"
#include "asm/used.h"

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

/* ---- reading objects ---- */

const uint8_t *link_contents(const struct object *o, const struct part *p)
{
    return (const uint8_t *)o->input->bytes + p->header.sh_offset;
}

/* Which part of the program a section belongs to. */
static int kind_of(const GElf_Shdr *sh)
{
    if (!(sh->sh_flags & SHF_ALLOC) || (sh->sh_type != SHT_PROGBITS && sh->sh_type != SHT_NOBITS)) return OUT_NONE;
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

static bool read_object(struct linker *l, struct object *o)
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

static void free_object(struct object *o)
{
    if (o->elf) elf_end(o->elf);
    free(o->parts);
    free(o->addresses);
    free(o->known);
}

static uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/* ---- layout ---- */

/* Offsets inside each kind of section, then where the kinds begin. */
static bool lay_out(struct linker *l, uint32_t base, size_t nstart)
{
    l->size[OUT_TEXT] = nstart * 4;
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            struct part *p = &l->objects[k].parts[i];
            if (p->out == OUT_NONE) continue;
            uint64_t at = round_up(l->size[p->out], p->align < 4 ? 4 : p->align);
            p->addr = (uint32_t)at;
            l->size[p->out] = at + p->header.sh_size;
            if (l->size[p->out] > MAX_BYTES)
                return link_error(l, &l->objects[k], "the program is larger than %d MiB", MAX_BYTES >> 20);
        }
    uint64_t at = base;
    l->size[OUT_TEXT] = round_up(l->size[OUT_TEXT], 4);
    if (l->size[OUT_BSS]) l->size[OUT_DATA] = round_up(l->size[OUT_DATA], MAX_ALIGN > 16 ? 16 : MAX_ALIGN);
    for (int s = 0; s < OUT_COUNT; s++) {
        if (s == OUT_RODATA || s == OUT_DATA) at = round_up(at, ABI_PAGE);
        l->base[s] = (uint32_t)at;
        at += l->size[s];
        if (at > UINT32_MAX) return link_error(l, NULL, "the program leaves the address space");
    }
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            struct part *p = &l->objects[k].parts[i];
            if (p->out == OUT_NONE) continue;
            p->addr += l->base[p->out];
            if (p->addr % p->align)
                return link_error(l, &l->objects[k], "section %s cannot be aligned to %u", p->name, p->align);
        }
    return true;
}

static bool copy_parts(struct linker *l, const uint32_t *start, size_t nstart)
{
    for (int s = 0; s < OUT_BSS; s++) {
        l->bytes[s] = link_zeroed(l->size[s] + 4, 1);
        if (!l->bytes[s]) return link_error(l, NULL, "out of memory");
    }
    l->owned->text = (uint32_t *)l->bytes[OUT_TEXT];
    l->owned->rodata = l->bytes[OUT_RODATA];
    l->owned->data = l->bytes[OUT_DATA];
    if (nstart) memcpy(l->bytes[OUT_TEXT], start, nstart * 4);
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            const struct part *p = &l->objects[k].parts[i];
            if (p->out < OUT_BSS && p->header.sh_size)
                memcpy(l->bytes[p->out] + (p->addr - l->base[p->out]), link_contents(&l->objects[k], p),
                       p->header.sh_size);
        }
    return true;
}

/* ---- names ---- */

struct name *link_find(struct linker *l, const char *text)
{
    uint32_t h = 2166136261u;
    for (const char *p = text; *p; p++) h = (h ^ (unsigned char)*p) * 16777619u;
    size_t i = (h ^ h >> 15) & (l->name_room - 1);
    while (l->names[i].text && strcmp(l->names[i].text, text)) i = (i + 1) & (l->name_room - 1);
    return &l->names[i];
}

static bool make_room(struct linker *l)
{
    size_t total = 16;
    for (size_t k = 0; k < l->nobjects; k++) total += l->objects[k].nsymbols;
    for (l->name_room = 64; l->name_room < 2 * total; l->name_room *= 2) {
    }
    l->names = link_zeroed(l->name_room, sizeof *l->names);
    return l->names || link_error(l, NULL, "out of memory");
}

/* The address of a symbol that its own object defines; false if it does not. */
static bool own_address(struct linker *l, const struct object *o, const Elf32_Sym *s, uint32_t *addr)
{
    *addr = s->st_value;
    if (s->st_shndx == SHN_ABS) return true;
    if (s->st_shndx == SHN_UNDEF) return false;
    if (s->st_shndx >= o->nparts) return link_error(l, o, "a symbol is in a section that is not there");
    const struct part *p = &o->parts[s->st_shndx];
    if (p->out == OUT_NONE) return false;
    if (s->st_value > p->header.sh_size) return link_error(l, o, "a symbol is outside its section");
    *addr += p->addr;
    return true;
}

static void define(struct linker *l, const struct object *o, size_t index, const char *text, bool weak)
{
    struct name *n = link_find(l, text);
    if (n->defined && !n->weak && !weak) {
        link_error(l, o, "'%s' is defined in %s, too", text, n->object->input->name);
        return;
    }
    if (n->defined && weak) return;
    *n = (struct name){.text = text, .object = o, .symbol = index, .defined = true, .weak = weak};
}

static bool collect_names(struct linker *l)
{
    if (!make_room(l)) return false;
    for (size_t k = 0; k < l->nobjects; k++) {
        struct object *o = &l->objects[k];
        for (size_t i = 1; i < o->nsymbols; i++) {
            Elf32_Sym s;
            const char *text;
            if (!link_symbol(l, o, i, &s, &text)) return false;
            unsigned errors = l->errors, binding = ELF32_ST_BIND(s.st_info);
            o->known[i] = own_address(l, o, &s, &o->addresses[i]);
            if (l->errors != errors) return false;
            if (o->known[i] && binding != STB_LOCAL && *text) define(l, o, i, text, binding == STB_WEAK);
        }
    }
    return !l->errors;
}

static const char *near_name(struct linker *l, const char *text)
{
    const char *best = NULL;
    unsigned distance = 3;
    for (size_t i = 0; i < l->name_room; i++) {
        if (!l->names[i].text) continue;
        unsigned d = asm_edit_distance(text, strlen(text), l->names[i].text, strlen(l->names[i].text));
        if (d < distance && d < strlen(text)) distance = d, best = l->names[i].text;
    }
    return best;
}

/* Address of symbol `i` of an object: the program's, if others share the name. */
static bool address(struct linker *l, struct object *o, size_t i, uint32_t *addr)
{
    Elf32_Sym s;
    const char *text;
    if (!i) return *addr = 0, true;
    if (!link_symbol(l, o, i, &s, &text)) return false;
    const struct name *n = ELF32_ST_BIND(s.st_info) == STB_LOCAL ? NULL : link_find(l, text);
    if (n && n->defined) {
        *addr = n->object->addresses[n->symbol];
        return true;
    }
    *addr = o->addresses[i];
    if (o->known[i]) return true;
    if (ELF32_ST_BIND(s.st_info) == STB_WEAK) return *addr = 0, true;
    const char *near = l->errors < MAX_ERRORS ? near_name(l, text) : NULL;
    o->known[i] = 1; /* said once */
    return link_error(l, o, "undefined symbol '%.200s'%s%s%s", text, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

/* ---- relocations ---- */

static uint32_t read32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
static void write32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }

static void patch(uint8_t *p, char letter, int32_t value)
{
    const struct isa_operand *o = isa_operand(letter);
    write32(p, (read32(p) & ~isa_scatter((int32_t)(~0u << o->shift), o)) | isa_scatter(value, o));
}

static bool fits(int64_t v, int bits) { return v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1); }

struct site {
    struct linker *l;
    struct object *o;
    const struct part *part; /* that is changed */
    const Elf32_Rela *highs; /* its relocations of %pcrel_hi, by offset */
    size_t nhighs;
    uint32_t addr; /* of the word */
    uint8_t *bytes;
};

static bool too_far(const struct site *s, int64_t distance)
{
    return link_error(s->l, s->o, "at 0x%08x: the target is %lld bytes away, which is too far", s->addr,
                      (long long)distance);
}

static int by_offset(const void *a, const void *b)
{
    const Elf32_Rela *x = a, *y = b;
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

/* The target of the %pcrel_hi at an address of this section. */
static bool high_target(const struct site *s, uint32_t addr, uint32_t *target)
{
    Elf32_Rela key = {.r_offset = addr - s->part->addr};
    const Elf32_Rela *r = bsearch(&key, s->highs, s->nhighs, sizeof key, by_offset);
    if (!r) return link_error(s->l, s->o, "at 0x%08x: %%pcrel_lo without its %%pcrel_hi", s->addr);
    if (!address(s->l, s->o, ELF32_R_SYM(r->r_info), target)) return false;
    *target += (uint32_t)r->r_addend;
    return true;
}

static bool apply_half(const struct site *s, char letter, int64_t distance)
{
    const uint16_t mask = asm_scatter_half(letter, -1);
    uint16_t half;
    if (!fits(distance, letter == 'b' ? 9 : 12) || distance & 1) return too_far(s, distance);
    memcpy(&half, s->bytes, 2);
    half = (half & ~mask) | asm_scatter_half(letter, (int32_t)distance);
    memcpy(s->bytes, &half, 2);
    return true;
}

static bool apply(const struct site *s, unsigned type, uint32_t target)
{
    int64_t distance = (int32_t)(target - s->addr);
    uint32_t high;
    switch (type) {
    case R_RISCV_NONE:
    case R_RISCV_RELAX:
    case R_RISCV_ALIGN: return true;
    case R_RISCV_32: write32(s->bytes, target); return true;
    case R_RISCV_ADD32: write32(s->bytes, read32(s->bytes) + target); return true;
    case R_RISCV_SUB32: write32(s->bytes, read32(s->bytes) - target); return true;
    case R_RISCV_BRANCH:
        if (!fits(distance, 13) || distance & 1) return too_far(s, distance);
        patch(s->bytes, 'b', (int32_t)distance);
        return true;
    case R_RISCV_JAL:
        if (!fits(distance, 21) || distance & 1) return too_far(s, distance);
        patch(s->bytes, 'j', (int32_t)distance);
        return true;
    case R_RISCV_RVC_BRANCH: return apply_half(s, 'b', distance);
    case R_RISCV_RVC_JUMP: return apply_half(s, 'j', distance);
    case R_RISCV_CALL:
    case R_RISCV_CALL_PLT:
        high = ((uint32_t)distance + 0x800) & 0xfffff000;
        patch(s->bytes, 'U', (int32_t)high);
        patch(s->bytes + 4, 'i', (int32_t)((uint32_t)distance - high));
        return true;
    case R_RISCV_PCREL_HI20: patch(s->bytes, 'U', (int32_t)(((uint32_t)distance + 0x800) & 0xfffff000)); return true;
    case R_RISCV_HI20: patch(s->bytes, 'U', (int32_t)((target + 0x800) & 0xfffff000)); return true;
    case R_RISCV_LO12_I: patch(s->bytes, 'i', (int32_t)target); return true;
    case R_RISCV_LO12_S: patch(s->bytes, 'g', (int32_t)target); return true;
    case R_RISCV_PCREL_LO12_I:
    case R_RISCV_PCREL_LO12_S:
        if (!high_target(s, target, &high)) return false;
        patch(s->bytes, type == R_RISCV_PCREL_LO12_I ? 'i' : 'g', (int32_t)(high - target));
        return true;
    default: return link_error(s->l, s->o, "at 0x%08x: relocation type %u is not known", s->addr, type);
    }
}

Elf32_Rela link_entry(const struct object *o, const struct part *table, size_t i)
{
    Elf32_Rela r;
    memcpy(&r, link_contents(o, table) + i * sizeof r, sizeof r);
    return r;
}

static bool relocate_one(struct site *s, Elf32_Rela r)
{
    uint32_t target, size = (uint32_t)s->part->header.sh_size;
    unsigned type = ELF32_R_TYPE(r.r_info), room = 4;
    if (type == R_RISCV_CALL || type == R_RISCV_CALL_PLT) room = 8;
    if (type == R_RISCV_RVC_BRANCH || type == R_RISCV_RVC_JUMP) room = 2;
    if (type == R_RISCV_NONE || type == R_RISCV_RELAX || type == R_RISCV_ALIGN) return true;
    if (r.r_offset > size || size - r.r_offset < room)
        return link_error(s->l, s->o, "a relocation lies outside its section");
    if (!address(s->l, s->o, ELF32_R_SYM(r.r_info), &target)) return false;
    s->addr = s->part->addr + r.r_offset;
    s->bytes = s->l->bytes[s->part->out] + (s->addr - s->l->base[s->part->out]);
    return apply(s, type, target + (uint32_t)r.r_addend);
}

static bool relocate(struct linker *l, struct object *o, const struct part *table)
{
    if (table->header.sh_info >= o->nparts) return link_error(l, o, "relocations of a section that is not there");
    const struct part *part = &o->parts[table->header.sh_info];
    size_t count = table->header.sh_size / sizeof(Elf32_Rela), n = 0;
    if (part->out == OUT_NONE) return true; /* of what does not get into the program */
    if (part->out == OUT_BSS) return link_error(l, o, "relocations in .bss");
    Elf32_Rela *highs = link_zeroed(count, sizeof *highs);
    if (!highs) return link_error(l, NULL, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (ELF32_R_TYPE(link_entry(o, table, i).r_info) == R_RISCV_PCREL_HI20) highs[n++] = link_entry(o, table, i);
    qsort(highs, n, sizeof *highs, by_offset);
    struct site s = {.l = l, .o = o, .part = part, .highs = highs, .nhighs = n};
    for (size_t i = 0; i < count && l->errors <= MAX_ERRORS; i++)
        relocate_one(&s, link_entry(o, table, i)); /* all mistakes are told */
    free(highs);
    return !l->errors;
}

static bool relocate_all(struct linker *l)
{
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            struct part *p = &l->objects[k].parts[i];
            if (p->header.sh_type == SHT_REL)
                return link_error(l, &l->objects[k], "relocations without addends are not known");
            if (p->header.sh_type == SHT_RELA) relocate(l, &l->objects[k], p);
        }
    return !l->errors;
}

/* ---- symbols, notes and resources of the program ---- */

/* Names that were made up by an assembler, or of another kind than a place, stay out. */
static bool is_kept(const struct object *o, size_t i, const Elf32_Sym *s, const char *name)
{
    unsigned type = ELF32_ST_TYPE(s->st_info);
    return o->known[i] && *name && s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS && type <= STT_FUNC &&
           *name != '$' && strncmp(name, ".L", 2);
}

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->name, y->name);
}

static bool take_symbols(struct linker *l)
{
    size_t count = 0, room = 1, n = 0;
    for (size_t k = 0; k < l->nobjects; k++)
        count += l->objects[k].nsymbols, room += l->objects[k].symbols ? l->objects[k].strings_size : 0;
    for (size_t k = 0; k < l->nobjects; k++) /* names may share their ends */
        for (size_t i = 1; i < l->objects[k].nsymbols; i++) {
            Elf32_Sym s;
            const char *name;
            if (link_symbol(l, &l->objects[k], i, &s, &name)) room += strlen(name) + 1;
            if (room > MAX_BYTES) return link_error(l, &l->objects[k], "too many symbols");
        }
    struct elf_symbol *out = l->owned->symbols = link_zeroed(count, sizeof *out);
    char *p = l->owned->names = malloc(room);
    if (!out || !p) return link_error(l, NULL, "out of memory");
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nsymbols; i++) {
            const struct object *o = &l->objects[k];
            Elf32_Sym s;
            const char *name;
            if (!link_symbol(l, o, i, &s, &name) || !is_kept(o, i, &s, name)) continue;
            size_t length = strlen(name) + 1;
            memcpy(p, name, length);
            out[n++] = (struct elf_symbol){.name = p,
                                           .value = o->addresses[i],
                                           .size = s.st_size,
                                           .function = ELF32_ST_TYPE(s.st_info) == STT_FUNC};
            p += length;
        }
    qsort(out, n, sizeof *out, by_address);
    l->image->symbols = out;
    l->image->nsymbols = n;
    return true;
}

/* What an object does not know of its kernels: where they are, and how many registers the program uses. */
static bool complete_kernels(struct linker *l, const struct object *o, struct note *note)
{
    for (size_t i = 0; i < note->nkernels; i++) {
        struct ventus_kernel *k = &note->kernels[i];
        const struct name *n = link_find(l, k->name);
        if (!n->defined) return link_error(l, o, "the kernel '%s' of the module note is not defined", k->name);
        k->entry = n->object->addresses[n->symbol];
        if (k->vgprs == NOTE_AUTO) k->vgprs = l->vgprs;
        if (k->sgprs == NOTE_AUTO) k->sgprs = l->sgprs;
    }
    return true;
}

static bool read_note(struct linker *l, const struct object *o, const char *text, size_t size)
{
    struct note_error error;
    char what[NOTE_ERROR_ROOM];
    struct note *notes = realloc(l->notes, (l->nnotes + 1) * sizeof *notes);
    if (!notes) return link_error(l, NULL, "out of memory");
    l->notes = notes;
    if (note_read(text, size, &notes[l->nnotes], &error)) return complete_kernels(l, o, &notes[l->nnotes++]);
    note_explain(&error, what);
    return link_error(l, o, "%s", what);
}

/* The notes of one section. */
static bool read_notes(struct linker *l, const struct object *o, const struct part *part)
{
    const uint8_t *p = link_contents(o, part), *end = p + part->header.sh_size;
    const char *text, *why;
    size_t size;
    do {
        if (!elf_next_note(&p, end, &text, &size, &why)) return link_error(l, o, "%s", why);
        if (text && !read_note(l, o, text, size)) return false;
    } while (text);
    return true;
}

static bool take_notes(struct linker *l)
{
    asm_used_registers(l->profile, l->image->text, l->image->text_words, &l->vgprs, &l->sgprs);
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            const struct part *p = &l->objects[k].parts[i];
            bool is_note = p->header.sh_type == SHT_NOTE && !strcmp(p->name, ".note.ventus");
            if (is_note && !read_notes(l, &l->objects[k], p)) return false;
        }
    if (!l->nnotes) return true;
    l->image->note = l->owned->note = note_write(l->notes, l->nnotes);
    return l->owned->note || link_error(l, NULL, "out of memory");
}

static void free_notes(struct linker *l)
{
    for (size_t i = 0; i < l->nnotes; i++) note_free(&l->notes[i]);
    free(l->notes);
}

/* Records as the objects have them. */
static bool collect_records(struct linker *l)
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

/* Records of what the module notes say; names are theirs. */
static bool note_records(struct linker *l)
{
    const char *why;
    for (size_t i = 0; i < l->nnotes; i++)
        for (size_t j = 0; j < l->notes[i].nkernels; j++) {
            const struct ventus_kernel *k = &l->notes[i].kernels[j];
            const struct elf_resource r = {
                .kernel = k->name,
                .value = {
                    [ABI_VGPR] = k->vgprs, [ABI_SGPR] = k->sgprs, [ABI_LDS] = k->lds_bytes, [ABI_PDS] = k->pds_bytes}};
            if (!resource_append(l->owned, &r, &why)) return link_error(l, NULL, "%s", why);
        }
    return true;
}

/* Records of the entries from the summaries, else those of the objects, else, when a version is asked for,
 * what the module note says. */
static bool take_resources(struct linker *l)
{
    struct owned *o = l->owned;
    const char *why = NULL;
    bool summaries;
    if (!summary_records(l, &summaries)) return false;
    if (!summaries && !collect_records(l)) return false;
    if (l->version && !o->nresources && !note_records(l)) return false;
    for (size_t i = 0; i < o->nresources && l->version; i++) {
        struct elf_resource *r = &o->resources[i];
        if (!resource_convert(r, *l->version, &why))
            return link_error(l, NULL, "kernel %s: %s", r->kernel ? r->kernel : "(not named)", why);
    }
    if (!resource_own_names(o, &why)) return link_error(l, NULL, "%s", why);
    l->image->resources = o->resources;
    l->image->nresources = o->nresources;
    return true;
}

/* ---- all of it ---- */

static bool build(struct linker *l, uint32_t base, const uint32_t *start, size_t nstart)
{
    for (size_t k = 0; k < l->nobjects; k++)
        if (!read_object(l, &l->objects[k])) return false;
    if (!lay_out(l, base, nstart) || !copy_parts(l, start, nstart) || !collect_names(l) || !relocate_all(l))
        return false;
    *l->image = (struct elf_image){.entry = base,
                                   .text_addr = base,
                                   .text = l->owned->text,
                                   .text_words = l->size[OUT_TEXT] / 4,
                                   .rodata_addr = l->base[OUT_RODATA],
                                   .rodata = l->owned->rodata,
                                   .rodata_size = l->size[OUT_RODATA],
                                   .data_addr = l->base[OUT_DATA],
                                   .data = l->owned->data,
                                   .data_size = l->size[OUT_DATA],
                                   .bss_size = l->size[OUT_BSS],
                                   .owner = l->owned};
    const struct name *entry = link_find(l, "_start");
    if (entry->defined) l->image->entry = entry->object->addresses[entry->symbol];
    return take_symbols(l) && take_notes(l) && take_resources(l);
}

bool asm_link(const struct asm_link_options *options, const struct asm_input *inputs, size_t ninputs, uint32_t base,
              const uint32_t *start, size_t nstart, struct elf_image *image, FILE *log)
{
    struct elf_image made = {0};
    // clang-format off
    struct linker l = {.profile = options->profile ? options->profile : PROFILE_DEFAULT, .version = options->version, .log = log,
        .image = &made, .owned = calloc(1, sizeof *l.owned)};
    // clang-format on
    elf_version(EV_CURRENT);
    if (ninputs > MAX_INPUTS || (base & 3) || nstart > MAX_BYTES / 4)
        return free(l.owned), link_error(&l, NULL, "too many objects, or an odd base address");
    l.objects = link_zeroed(ninputs, sizeof *l.objects);
    bool ok = l.owned && l.objects;
    if (!ok) link_error(&l, NULL, "out of memory");
    l.nobjects = ok ? ninputs : 0;
    for (size_t k = 0; k < l.nobjects; k++) l.objects[k].input = &inputs[k];
    ok = ok && build(&l, base, start, nstart) && !l.errors;
    for (size_t k = 0; k < l.nobjects; k++) free_object(&l.objects[k]);
    free(l.objects);
    free(l.names);
    free_notes(&l);
    made.owner = l.owned;
    if (ok) *image = made;
    else if (l.owned) elf_free(&made);
    return ok;
}

/* ---- an object for listings ---- */

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
    bool ok = read_object(&l, o);
    if (ok) {
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
    if (!collect_records(l)) return false;
    for (size_t i = 0; i < owned->nresources; i++) resource_print(&owned->resources[i], out);
    return summary_print(l, out);
}

bool asm_print_resources(const struct asm_input *input, FILE *out, FILE *log)
{
    struct owned owned = {0};
    struct object object = {.input = input};
    struct linker l = {.log = log, .owned = &owned, .objects = &object, .nobjects = 1};
    elf_version(EV_CURRENT);
    bool ok = read_object(&l, &object) && collect_names(&l) && print_records(&l, &owned, out);
    free_object(&object);
    free(l.names);
    free(owned.resources);
    return ok;
}

void asm_free_object(struct asm_object *object)
{
    struct listed *listed = object->owner;
    if (listed) {
        free_object(&listed->object);
        free(listed->symbols);
        free(listed->relocations);
    }
    free(listed);
    free(object->sections);
    *object = (struct asm_object){0};
}
