/* ELF32 executables in and out, through libelf.
 *
 * The writer lays the file out itself (ELF_F_LAYOUT), so that the same program gives the same
 * bytes. The reader trusts nothing: every range is checked against the file before it is used.
 * Called by the compiler and the assembler (write), by driver and tools (read). */
#include "asm/owned.h"
#include "isa/isa.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char NOTE_NAME[] = "Ventus";
enum { NOTE_TYPE = 1 };
static const char NOTE_SECTION[] = ".note.ventus", KERNEL_SECTION[] = ".ventus.resource.";

/* ---- writing ---- */

enum {
    SEC_TEXT = 1,
    SEC_RODATA,
    SEC_DATA,
    SEC_BSS,
    SEC_RESOURCE,
    SEC_NOTE,
    SEC_SYMTAB,
    SEC_STRTAB,
    SEC_SHSTRTAB,
    SEC_COUNT
};
static const char SECTION_NAMES[] =
    "\0.text\0.rodata\0.data\0.bss\0.rodata.ventus.resource\0.note.ventus\0.symtab\0.strtab\0.shstrtab";

struct writer {
    const struct elf_image *image;
    Elf *elf;
    int fd;
    uint32_t offset; /* end of the file so far */
    Elf32_Sym *symbols;
    size_t nsymbols, nlocals;
    char *strings;
    uint32_t strings_size;
    uint8_t *note;
    uint32_t note_size;
    uint8_t *resources;      /* records without a kernel, then those that have one */
    uint32_t resources_size; /* of the former */
    char *names;             /* of sections */
    size_t names_size;
};

static bool refuse(const char **why, const char *text)
{
    if (why) *why = text;
    return false;
}

static uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/* Data and bss are in the address space and do not overlap text and constants. */
static bool data_valid(const struct elf_image *m)
{
    uint64_t begin = m->data_addr, end = begin + m->data_size + m->bss_size;
    if (begin == end) return true;
    if (m->data_size > 1u << 30 || m->bss_size > 1u << 30 || end > (uint64_t)1 << 32) return false;
    bool text = m->text_words && m->text_addr < end && begin < m->text_addr + (uint64_t)m->text_words * 4;
    bool rodata = m->rodata_size && m->rodata_addr < end && begin < m->rodata_addr + (uint64_t)m->rodata_size;
    return !text && !rodata;
}

static bool image_valid(const struct elf_image *m, const char **why)
{
    const uint64_t limit = (uint64_t)1 << 32;
    uint64_t text_end = m->text_addr + (uint64_t)m->text_words * 4,
             data_end = m->rodata_addr + (uint64_t)m->rodata_size;
    if (m->text_words > limit / 4 || m->rodata_size > limit || text_end > limit || data_end > limit)
        return refuse(why, "the program does not fit into the address space");
    if (m->text_addr & 3) return refuse(why, "the text is not word-aligned");
    if (m->text_words && m->rodata_size && m->text_addr < data_end && m->rodata_addr < text_end)
        return refuse(why, "text and constants overlap");
    if (!data_valid(m)) return refuse(why, "the writable data overlap the rest, or leave the address space");
    if (m->nsymbols > 1u << 24 || m->nresources > 1u << 15) return refuse(why, "too many symbols or resource records");
    if (text_end - m->text_addr + m->rodata_size > 1u << 30) return refuse(why, "the program is too large");
    return true;
}

static Elf32_Half symbol_section(const struct elf_image *m, uint32_t value)
{
    if (value - m->text_addr < m->text_words * 4) return SEC_TEXT;
    if (value - m->rodata_addr < m->rodata_size) return SEC_RODATA;
    if (value - m->data_addr < m->data_size) return SEC_DATA;
    if (value - m->data_addr < m->data_size + m->bss_size) return SEC_BSS;
    return SHN_ABS;
}

/* ELF wants local symbols before global ones; kernels, being functions, are global. */
static bool build_symbols(struct writer *w)
{
    const struct elf_image *m = w->image;
    size_t strings = 1;
    for (size_t i = 0; i < m->nsymbols; i++) strings += strlen(m->symbols[i].name) + 1;
    if (strings > 1u << 28) return false;
    w->symbols = calloc(m->nsymbols + 1, sizeof *w->symbols);
    w->strings = calloc(strings, 1);
    if (!w->symbols || !w->strings) return false;
    w->nsymbols = 1;
    w->strings_size = 1;
    for (int global = 0; global < 2; global++) {
        for (size_t i = 0; i < m->nsymbols; i++) {
            const struct elf_symbol *s = &m->symbols[i];
            if (s->function != (global == 1)) continue;
            size_t length = strlen(s->name) + 1;
            Elf32_Half section = symbol_section(m, s->value);
            unsigned char type = s->function                                   ? STT_FUNC
                                 : section >= SEC_RODATA && section <= SEC_BSS ? STT_OBJECT
                                                                               : STT_NOTYPE;
            w->symbols[w->nsymbols++] = (Elf32_Sym){.st_name = w->strings_size,
                                                    .st_value = s->value,
                                                    .st_size = s->size,
                                                    .st_info = ELF32_ST_INFO(global ? STB_GLOBAL : STB_LOCAL, type),
                                                    .st_shndx = section};
            memcpy(w->strings + w->strings_size, s->name, length);
            w->strings_size += (uint32_t)length;
        }
        if (!global) w->nlocals = w->nsymbols;
    }
    return true;
}

uint8_t *elf_pack_note(const char *text, uint32_t *size)
{
    size_t length = strlen(text), name = round_up(sizeof NOTE_NAME, 4);
    if (length > 1u << 28) return NULL;
    *size = (uint32_t)(sizeof(Elf32_Nhdr) + name + round_up(length, 4));
    uint8_t *note = calloc(*size, 1);
    if (!note) return NULL;
    Elf32_Nhdr header = {.n_namesz = sizeof NOTE_NAME, .n_descsz = (Elf32_Word)length, .n_type = NOTE_TYPE};
    memcpy(note, &header, sizeof header);
    memcpy(note + sizeof header, NOTE_NAME, sizeof NOTE_NAME);
    memcpy(note + sizeof header + name, text, length);
    return note;
}

static bool build_note(struct writer *w)
{
    if (!w->image->note) return true;
    w->note = elf_pack_note(w->image->note, &w->note_size);
    return w->note != NULL;
}

/* The bytes of all records, and the names of all sections. */
static bool build_resources(struct writer *w)
{
    const struct elf_image *m = w->image;
    size_t at = 0, names = sizeof SECTION_NAMES;
    for (size_t i = 0; i < m->nresources; i++)
        names += m->resources[i].kernel ? strlen(m->resources[i].kernel) + sizeof KERNEL_SECTION : 0;
    for (size_t i = 0; i < m->nsections; i++) names += strlen(m->sections[i].name) + 1;
    if (names > 1u << 28) return false;
    w->resources = malloc((m->nresources + 1) * ABI_RESOURCE_LARGEST);
    w->names = malloc(names);
    if (!w->resources || !w->names) return false;
    memcpy(w->names, SECTION_NAMES, sizeof SECTION_NAMES);
    w->names_size = sizeof SECTION_NAMES;
    for (int named = 0; named < 2; named++) {
        for (size_t i = 0; i < m->nresources; i++) {
            const struct elf_resource *r = &m->resources[i];
            if ((r->kernel != NULL) != (named == 1)) continue;
            at += resource_write(r, w->resources + at);
            if (named)
                w->names_size += (size_t)sprintf(w->names + w->names_size, "%s%s", KERNEL_SECTION, r->kernel) + 1;
        }
        if (!named) w->resources_size = (uint32_t)at;
    }
    for (size_t i = 0; i < m->nsections; i++)
        w->names_size += (size_t)sprintf(w->names + w->names_size, "%s", m->sections[i].name) + 1;
    return true;
}

static uint32_t section_name(const struct writer *w, unsigned section)
{
    const char *p = w->names;
    while (section--) p += strlen(p) + 1;
    return (uint32_t)(p - w->names);
}

/* Adds the next section; sections are added in the order of the SEC_ numbers. Its name is at an offset. */
static bool add_named(struct writer *w, uint32_t name, Elf32_Shdr header, const void *bytes, size_t size, Elf_Type type)
{
    Elf_Scn *scn = elf_newscn(w->elf);
    Elf_Data *data = scn ? elf_newdata(scn) : NULL;
    Elf32_Shdr *sh = scn ? elf32_getshdr(scn) : NULL;
    if (!data || !sh) return false;
    bool loaded = header.sh_flags & SHF_ALLOC;
    uint64_t unit = loaded ? ABI_PAGE : header.sh_addralign;
    header.sh_name = name;
    header.sh_offset = (uint32_t)(round_up(w->offset, unit) + (loaded ? header.sh_addr % ABI_PAGE : 0));
    header.sh_size = (uint32_t)size;
    *sh = header;
    *data = (Elf_Data){.d_buf = (void *)bytes,
                       .d_type = type,
                       .d_version = EV_CURRENT,
                       .d_size = size,
                       .d_align = header.sh_addralign};
    if (header.sh_type != SHT_NOBITS) w->offset = header.sh_offset + header.sh_size;
    return true;
}

static bool add_section(struct writer *w, unsigned number, Elf32_Shdr header, const void *bytes, size_t size,
                        Elf_Type type)
{
    return add_named(w, section_name(w, number), header, bytes, size, type);
}

/* The records of a kernel each, and the sections given, behind all other sections. */
static bool add_further(struct writer *w)
{
    size_t at = w->resources_size;
    uint32_t name = sizeof SECTION_NAMES;
    for (size_t i = 0; i < w->image->nresources; i++) {
        const struct elf_resource *r = &w->image->resources[i];
        uint8_t bytes[ABI_RESOURCE_LARGEST];
        size_t size = resource_write(r, bytes);
        if (!r->kernel) continue;
        const Elf32_Shdr header = {.sh_type = SHT_PROGBITS, .sh_addralign = 8};
        if (!add_named(w, name, header, w->resources + at, size, ELF_T_BYTE)) return false;
        at += size;
        name += (uint32_t)strlen(w->names + name) + 1;
    }
    for (size_t i = 0; i < w->image->nsections; i++) {
        const struct elf_section *s = &w->image->sections[i];
        const Elf32_Shdr header = {.sh_type = SHT_PROGBITS, .sh_addralign = 1};
        if (!add_named(w, name, header, s->bytes, s->size, ELF_T_BYTE)) return false;
        name += (uint32_t)strlen(s->name) + 1;
    }
    return true;
}

static bool add_sections(struct writer *w)
{
    const struct elf_image *m = w->image;
    uint32_t text_align = 4, data_align = m->rodata_addr % 16 ? 1 : 16;
    uint32_t writable = m->data_size || m->bss_size ? m->data_addr : 0;
    return add_section(w, SEC_TEXT,
                       (Elf32_Shdr){.sh_type = SHT_PROGBITS,
                                    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                    .sh_addr = m->text_addr,
                                    .sh_addralign = text_align},
                       m->text, m->text_words * 4, ELF_T_WORD) &&
           add_section(w, SEC_RODATA,
                       (Elf32_Shdr){.sh_type = SHT_PROGBITS,
                                    .sh_flags = SHF_ALLOC,
                                    .sh_addr = m->rodata_addr,
                                    .sh_addralign = data_align},
                       m->rodata, m->rodata_size, ELF_T_BYTE) &&
           add_section(w, SEC_DATA,
                       (Elf32_Shdr){.sh_type = SHT_PROGBITS,
                                    .sh_flags = SHF_ALLOC | SHF_WRITE,
                                    .sh_addr = writable,
                                    .sh_addralign = writable % 16 ? 1 : 16},
                       m->data, m->data_size, ELF_T_BYTE) &&
           add_section(w, SEC_BSS,
                       (Elf32_Shdr){.sh_type = SHT_NOBITS,
                                    .sh_flags = SHF_ALLOC | SHF_WRITE,
                                    .sh_addr = writable + (uint32_t)m->data_size,
                                    .sh_addralign = 1},
                       NULL, m->bss_size, ELF_T_BYTE) &&
           add_section(w, SEC_RESOURCE, (Elf32_Shdr){.sh_type = SHT_PROGBITS, .sh_addralign = 8}, w->resources,
                       w->resources_size, ELF_T_BYTE) &&
           add_section(w, SEC_NOTE, (Elf32_Shdr){.sh_type = w->note ? SHT_NOTE : SHT_PROGBITS, .sh_addralign = 4},
                       w->note, w->note_size, ELF_T_BYTE) &&
           add_section(w, SEC_SYMTAB,
                       (Elf32_Shdr){.sh_type = SHT_SYMTAB,
                                    .sh_link = SEC_STRTAB,
                                    .sh_addralign = 4,
                                    .sh_entsize = sizeof(Elf32_Sym),
                                    .sh_info = (Elf32_Word)w->nlocals},
                       w->symbols, w->nsymbols * sizeof(Elf32_Sym), ELF_T_SYM) &&
           add_section(w, SEC_STRTAB, (Elf32_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, w->strings,
                       w->strings_size, ELF_T_BYTE) &&
           add_section(w, SEC_SHSTRTAB, (Elf32_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, w->names, w->names_size,
                       ELF_T_BYTE) &&
           add_further(w);
}

static bool add_segments(struct writer *w, Elf32_Ehdr *eh)
{
    static const struct {
        unsigned section, flags;
    } loaded[3] = {{SEC_TEXT, PF_R | PF_X}, {SEC_RODATA, PF_R}, {SEC_DATA, PF_R | PF_W}};
    Elf32_Phdr segments[3];
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        Elf32_Shdr *sh = elf32_getshdr(elf_getscn(w->elf, loaded[i].section));
        if (!sh) return false;
        uint32_t memory = sh->sh_size + (loaded[i].section == SEC_DATA ? (uint32_t)w->image->bss_size : 0);
        if (!memory) continue;
        segments[n++] = (Elf32_Phdr){.p_type = PT_LOAD,
                                     .p_offset = sh->sh_offset,
                                     .p_vaddr = sh->sh_addr,
                                     .p_paddr = sh->sh_addr,
                                     .p_filesz = sh->sh_size,
                                     .p_memsz = memory,
                                     .p_flags = loaded[i].flags,
                                     .p_align = ABI_PAGE};
    }
    eh->e_shoff = (uint32_t)round_up(w->offset, 4);
    eh->e_shstrndx = SEC_SHSTRTAB;
    if (!n) return true;
    Elf32_Phdr *ph = elf32_newphdr(w->elf, n);
    if (!ph) return false;
    memcpy(ph, segments, n * sizeof *ph);
    eh->e_phoff = sizeof(Elf32_Ehdr);
    return true;
}

static bool write_elf(struct writer *w)
{
    elf_version(EV_CURRENT);
    w->fd = memfd_create("ventus-elf", MFD_CLOEXEC);
    if (w->fd < 0) return false;
    w->elf = elf_begin(w->fd, ELF_C_WRITE, NULL);
    Elf32_Ehdr *eh = w->elf ? elf32_newehdr(w->elf) : NULL;
    if (!eh) return false;
    eh->e_ident[EI_DATA] = ELFDATA2LSB;
    eh->e_type = ET_EXEC;
    eh->e_machine = EM_RISCV;
    eh->e_version = EV_CURRENT;
    eh->e_flags = w->image->profile << ELF_PROFILE_SHIFT;
    eh->e_entry = w->image->entry;
    w->offset = sizeof(Elf32_Ehdr) + 3 * sizeof(Elf32_Phdr);
    elf_flagelf(w->elf, ELF_C_SET, ELF_F_LAYOUT);
    return add_sections(w) && add_segments(w, eh) && elf_update(w->elf, ELF_C_WRITE) >= 0;
}

bool elf_take_bytes(int fd, void **bytes, size_t *size)
{
    off_t length = lseek(fd, 0, SEEK_END);
    char *p = length > 0 ? malloc((size_t)length) : NULL;
    size_t have = 0;
    while (p && have < (size_t)length) {
        ssize_t n = pread(fd, p + have, (size_t)length - have, (off_t)have);
        if (n <= 0) break;
        have += (size_t)n;
    }
    if (!p || have < (size_t)length) {
        free(p);
        return false;
    }
    *bytes = p;
    *size = have;
    return true;
}

bool elf_write(const struct elf_image *image, void **bytes, size_t *size, const char **why)
{
    struct writer w = {.image = image, .fd = -1};
    if (!image_valid(image, why)) return false;
    bool ok = build_symbols(&w) && build_note(&w) && build_resources(&w) && write_elf(&w) &&
              elf_take_bytes(w.fd, bytes, size);
    if (w.elf) elf_end(w.elf);
    if (w.fd >= 0) close(w.fd);
    free(w.symbols);
    free(w.strings);
    free(w.note);
    free(w.resources);
    free(w.names);
    return ok || refuse(why, "the ELF file cannot be built: no memory, or no room for a temporary file");
}

/* ---- reading ---- */

struct reader {
    const uint8_t *bytes;
    size_t size;
    Elf *elf;
    struct elf_image image;
    struct owned *owned;
};

static bool in_file(const struct reader *r, uint64_t offset, uint64_t length)
{
    return offset <= r->size && length <= r->size - offset;
}

bool elf_profile(uint32_t e_flags, uint32_t *profile)
{
    *profile = e_flags >> ELF_PROFILE_SHIFT;
    return !*profile || isa_profile_known(*profile);
}

static bool read_header(struct reader *r, const char **why)
{
    GElf_Ehdr eh;
    if (r->size < sizeof(Elf32_Ehdr) || memcmp(r->bytes, ELFMAG, SELFMAG))
        return refuse(why, "this is not an ELF file");
    if (r->bytes[EI_CLASS] != ELFCLASS32 || r->bytes[EI_DATA] != ELFDATA2LSB)
        return refuse(why, "this is not a 32-bit little-endian ELF file");
    if (elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &eh)) return refuse(why, "the ELF header is damaged");
    if (eh.e_machine != EM_RISCV) return refuse(why, "this ELF file is for another machine (not RISC-V)");
    if (eh.e_type == ET_REL) return refuse(why, "this ELF file is an object, not a program; `ventus ld` links it");
    if (eh.e_type != ET_EXEC) return refuse(why, "this ELF file is not an executable");
    if (!elf_profile(eh.e_flags, &r->image.profile))
        return refuse(why, "the ELF header names an instruction set that is not known here");
    r->image.entry = (uint32_t)eh.e_entry;
    return true;
}

static bool read_segments(struct reader *r, struct elf_segment *segments, size_t max, size_t *nsegments,
                          const char **why)
{
    size_t n;
    if (elf_getphdrnum(r->elf, &n)) return refuse(why, "the program headers are damaged");
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(r->elf, (int)i, &ph)) return refuse(why, "the program headers are damaged");
        if (ph.p_type != PT_LOAD || !ph.p_memsz) continue;
        if (ph.p_filesz > ph.p_memsz || !in_file(r, ph.p_offset, ph.p_filesz))
            return refuse(why, "a segment lies outside the file");
        if (ph.p_vaddr + ph.p_memsz > (uint64_t)1 << 32) return refuse(why, "a segment lies outside the address space");
        if (*nsegments < max)
            segments[*nsegments] = (struct elf_segment){.addr = (uint32_t)ph.p_vaddr,
                                                        .filesize = (uint32_t)ph.p_filesz,
                                                        .memsize = (uint32_t)ph.p_memsz,
                                                        .executable = ph.p_flags & PF_X,
                                                        .writable = ph.p_flags & PF_W,
                                                        .data = r->bytes + ph.p_offset};
        ++*nsegments;
    }
    return true;
}

/* Copies of section contents are a few bytes longer than the section: zeros, so that text ends in a
 * whole word and an empty section is no NULL. */
static void *copy_section(struct reader *r, const GElf_Shdr *sh)
{
    char *p = calloc(sh->sh_size + 4, 1);
    if (p) memcpy(p, r->bytes + sh->sh_offset, sh->sh_size);
    return p;
}

bool elf_next_note(const uint8_t **at, const uint8_t *end, const char **text, size_t *size, const char **why)
{
    const uint8_t *p = *at;
    *text = NULL;
    while (!*text && (size_t)(end - p) >= sizeof(Elf32_Nhdr)) {
        Elf32_Nhdr header;
        memcpy(&header, p, sizeof header);
        p += sizeof header;
        uint64_t name = round_up(header.n_namesz, 4), room = round_up(header.n_descsz, 4);
        if (name > (size_t)(end - p) || header.n_descsz > (size_t)(end - p) - name)
            return refuse(why, "the module note is damaged");
        bool ours = header.n_type == NOTE_TYPE && header.n_namesz == sizeof NOTE_NAME &&
                    !memcmp(p, NOTE_NAME, sizeof NOTE_NAME);
        p += name;
        if (ours && memchr(p, 0, header.n_descsz)) return refuse(why, "the module note is damaged");
        if (ours) *text = (const char *)p, *size = header.n_descsz;
        p = room < (size_t)(end - p) ? p + room : end;
    }
    *at = p;
    return true;
}

static bool read_note(struct reader *r, const GElf_Shdr *sh, const char **why)
{
    const uint8_t *p = r->bytes + sh->sh_offset;
    const char *text;
    size_t size;
    if (!elf_next_note(&p, p + sh->sh_size, &text, &size, why)) return false;
    if (!text) return true;
    r->owned->note = strndup(text, size);
    r->image.note = r->owned->note;
    return r->owned->note || refuse(why, "out of memory");
}

static bool read_symbols(struct reader *r, Elf_Scn *scn, const GElf_Shdr *sh, const char **why)
{
    GElf_Shdr strings;
    Elf_Scn *link = elf_getscn(r->elf, sh->sh_link);
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t n = data ? data->d_size / sizeof(Elf32_Sym) : 0;
    if (!n) return true;
    if (!link || !gelf_getshdr(link, &strings) || !strings.sh_size || strings.sh_type != SHT_STRTAB ||
        !in_file(r, strings.sh_offset, strings.sh_size) || r->bytes[strings.sh_offset + strings.sh_size - 1])
        return refuse(why, "the symbol names are damaged");
    struct elf_symbol *out = r->owned->symbols = calloc(n, sizeof *out);
    if (!out) return refuse(why, "out of memory");
    size_t kept = 0;
    for (size_t i = 1; i < n; i++) {
        GElf_Sym s;
        if (!gelf_getsym(data, (int)i, &s) || s.st_name >= strings.sh_size)
            return refuse(why, "the symbol table is damaged");
        const char *name = (const char *)r->bytes + strings.sh_offset + s.st_name;
        unsigned type = GELF_ST_TYPE(s.st_info);
        if (!*name || *name == '$' || s.st_shndx == SHN_UNDEF || type > STT_FUNC) continue;
        out[kept++] = (struct elf_symbol){
            .name = name, .value = (uint32_t)s.st_value, .size = (uint32_t)s.st_size, .function = type == STT_FUNC};
    }
    r->image.symbols = out;
    r->image.nsymbols = kept;
    return true;
}

/* Takes what the section is for, if it is one we know and have not seen yet. */
static bool read_section(struct reader *r, Elf_Scn *scn, const GElf_Shdr *sh, const char *name, const char **why)
{
    struct owned *o = r->owned;
    const char *kernel;
    bool failed = false;
    if (sh->sh_type == SHT_PROGBITS && !strcmp(name, ".text") && !o->text) {
        r->image.text = o->text = copy_section(r, sh);
        r->image.text_addr = (uint32_t)sh->sh_addr;
        r->image.text_words = (sh->sh_size + 3) / 4;
        failed = !o->text;
    } else if (sh->sh_type == SHT_PROGBITS && !strcmp(name, ".rodata") && !o->rodata) {
        r->image.rodata = o->rodata = copy_section(r, sh);
        r->image.rodata_addr = (uint32_t)sh->sh_addr;
        r->image.rodata_size = sh->sh_size;
        failed = !o->rodata;
    } else if (sh->sh_type == SHT_PROGBITS && !strcmp(name, ".data") && !o->data) {
        r->image.data = o->data = copy_section(r, sh);
        r->image.data_addr = (uint32_t)sh->sh_addr;
        r->image.data_size = sh->sh_size;
        failed = !o->data;
    } else if (sh->sh_type == SHT_PROGBITS && resource_is_section(name, &kernel)) {
        return resource_append_section(o, r->bytes + sh->sh_offset, sh->sh_size, kernel, why);
    } else if (sh->sh_type == SHT_NOTE && !strcmp(name, NOTE_SECTION) && !o->note) {
        return read_note(r, sh, why);
    } else if (sh->sh_type == SHT_SYMTAB && !o->symbols) {
        return read_symbols(r, scn, sh, why);
    }
    return !failed || refuse(why, "out of memory");
}

/* .bss of our own files follows .data directly; another one is a segment like any other. */
static bool take_bss(struct reader *r, const GElf_Shdr *sh)
{
    if (sh->sh_addr + sh->sh_size > (uint64_t)1 << 32 || sh->sh_size > UINT32_MAX) return false;
    if (r->image.data_size && sh->sh_addr != r->image.data_addr + r->image.data_size) return true;
    if (!r->image.data_size) r->image.data_addr = (uint32_t)sh->sh_addr;
    r->image.bss_size = sh->sh_size;
    return true;
}

static bool read_sections(struct reader *r, const char **why)
{
    size_t names, count;
    if (elf_getshdrnum(r->elf, &count)) return refuse(why, "the section headers are damaged");
    if (!count) return true;
    if (elf_getshdrstrndx(r->elf, &names)) return refuse(why, "the section headers are damaged");
    for (size_t i = 1; i < count; i++) {
        GElf_Shdr sh;
        Elf_Scn *scn = elf_getscn(r->elf, i);
        if (!scn || !gelf_getshdr(scn, &sh)) return refuse(why, "the section headers are damaged");
        if (sh.sh_type == SHT_NULL) continue;
        const char *name = elf_strptr(r->elf, names, sh.sh_name);
        if (sh.sh_type == SHT_NOBITS) {
            if (name && !strcmp(name, ".bss") && !take_bss(r, &sh))
                return refuse(why, "a section lies outside the address space");
            continue;
        }
        if (!in_file(r, sh.sh_offset, sh.sh_size)) return refuse(why, "a section lies outside the file");
        if (name && !read_section(r, scn, &sh, name, why)) return false;
    }
    r->image.resources = r->owned->resources;
    r->image.nresources = r->owned->nresources;
    return resource_own_names(r->owned, why); /* libelf's strings may go with it */
}

/* Text and constants that do not fit the address space would confuse every reader behind us. */
static bool addresses_valid(const struct elf_image *m, const char **why)
{
    const uint64_t limit = (uint64_t)1 << 32;
    if (m->text_addr & 3) return refuse(why, "the text is not word-aligned");
    if (m->text_addr + (uint64_t)m->text_words * 4 > limit || m->rodata_addr + (uint64_t)m->rodata_size > limit ||
        m->data_addr + (uint64_t)m->data_size + m->bss_size > limit)
        return refuse(why, "a section lies outside the address space");
    return true;
}

bool elf_read(const void *bytes, size_t size, struct elf_image *image, struct elf_segment *segments, size_t max,
              size_t *nsegments, const char **why)
{
    struct reader r = {.bytes = bytes, .size = size};
    size_t count = 0;
    elf_version(EV_CURRENT);
    r.owned = calloc(1, sizeof *r.owned);
    r.elf = r.owned && size ? elf_memory((char *)bytes, size) : NULL;
    r.image.owner = r.owned;
    bool ok = r.elf ? read_header(&r, why) && read_segments(&r, segments, max, &count, why) && read_sections(&r, why) &&
                          addresses_valid(&r.image, why)
                    : refuse(why, r.owned ? "this is not an ELF file" : "out of memory");
    if (r.elf) elf_end(r.elf);
    if (!ok) {
        elf_free(&r.image);
        return false;
    }
    *image = r.image;
    if (nsegments) *nsegments = count;
    return true;
}

const uint8_t *elf_draft_object(const struct elf_image *image, size_t *size)
{
    for (size_t i = 0; i < image->nsymbols; i++) {
        const struct elf_symbol *s = &image->symbols[i];
        const uint32_t at = s->value - image->rodata_addr;
        if (strcmp(s->name, ELF_DRAFT_OBJECT) || at > image->rodata_size || s->size > image->rodata_size - at) continue;
        *size = s->size;
        return image->rodata + at;
    }
    return NULL;
}

void elf_free(struct elf_image *image)
{
    struct owned *o = image->owner;
    if (o) {
        free(o->text);
        free(o->rodata);
        free(o->data);
        free(o->symbols);
        free(o->names);
        free(o->note);
        free(o->resources);
        free(o->kernels);
        free(o);
    }
    *image = (struct elf_image){0};
}
