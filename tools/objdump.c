/* ventus objdump: an executable, an object or a file of words, as text that `ventus as` reads back.
 *
 * The listing of the text is asm/disasm.c's; here are the other sections, and the files. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asm/image.h"
#include "asm/listing.h"
#include "asm/resource.h"
#include "tool.h"

enum {
    FLAG_RAW,
    FLAG_BASE,
    FLAG_TEXT,
    FLAG_PROFILE,
    FLAG_SOURCE,
    FLAG_SOURCE_FILE,
    FLAG_RESOURCES,
    FLAG_GNU,
    FLAG_START,
    FLAG_STOP,
    FLAG_DEMANGLE
};
static const struct flag flags[] = {
    {"raw", 0, NULL, "prefixes as instructions of their own"},
    {"base", 0, "ADDRESS", "address of the first word of a .vmem file; default 0x80000000"},
    {"text", 0, NULL, "the text only, without constants, symbols and note"},
    {"profile", 0, "P", "instructions of a profile, in place of the file's own:\n" ISA_PROFILE_NAMES},
    {"source", 'S', NULL,
     "lines of the source, as comments in front of what was made of them; of programs\nof `ventus cc`"},
    {"source-file", 0, "FILE", "the same, with the source in FILE"},
    {"resources", 0, NULL, "only what kernels need, one line each: records of any version"},
    {"disassemble", 'd', NULL, "as --text, for programs that read GNU objdump's listings: a space behind the words"},
    {"start-address", 0, "ADDRESS", "only instructions from here on"},
    {"stop-address", 0, "ADDRESS", "only instructions in front of this"},
    {"demangle", 'C', NULL, "nothing: names are as they are in OpenCL C"},
    {0},
};

enum { SOURCE_LIMIT = 64 << 20 }; /* bytes of memory */

struct how {
    struct asm_listing listing;
    bool text_only, resources, source;
    const char *source_file;
};

static const char about[] =
    "Prints one instruction a line: address, words, mnemonic, operands, separated by tabs. FILE is\n"
    "an ELF executable or object, or text with one hexadecimal word a line (.vmem). `ventus as` turns\n"
    "the output into the same bytes again; of an object, into the same words of text: relocations are\n"
    "comments in front of what they change.";

/* ---- sections behind the text ---- */

static void print_bytes(const uint8_t *p, uint32_t addr, size_t n)
{
    uint32_t word;
    if (n == 4 && !(addr & 3)) {
        memcpy(&word, p, 4);
        printf("%08x:\t%08x\t.word\t0x%08x\n", addr, word, word);
        return;
    }
    for (size_t i = 0; i < n; i++) printf("%08x:\t%02x\t.byte\t0x%02x\n", (unsigned)(addr + i), p[i], p[i]);
}

static size_t zero_run(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i < n && !p[i]) i++;
    return i & ~(size_t)3;
}

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = *(const struct elf_symbol *const *)a, *y = *(const struct elf_symbol *const *)b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->name, y->name);
}

static bool plain_name(const char *s)
{
    size_t n = strlen(s);
    if (!n || n > 200 || isdigit((unsigned char)*s)) return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_' && *s != '.' && *s != '$') return false;
    return true;
}

/* Nothing that a terminal would take for more than text? */
static bool plain_path(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 127) return false;
    return true;
}

/* Relocations of a section that are still to be printed. */
struct pending {
    const struct asm_relocation *next, *end;
};

/* "# R_RISCV_JAL name+4" for those in front of an address; false: there was none. */
static bool print_relocations(struct pending *p, uint64_t before)
{
    bool any = false;
    for (; p->next < p->end && p->next->addr < before; p->next++, any = true) {
        const struct asm_relocation *r = p->next;
        int64_t distance = (int64_t)r->value + r->addend;
        if (r->type_name) printf("# %s", r->type_name);
        else printf("# R_RISCV_type_%u", r->type);
        if (*r->symbol) printf(" %s", plain_name(r->symbol) ? r->symbol : "?");
        if (distance || !*r->symbol) printf(*r->symbol ? "%+lld" : " %lld", (long long)distance);
        putchar('\n');
    }
    return any;
}

/* A section of data; `usual` is the address at which the assembler would put it. */
static void print_data(const struct elf_image *m, const char *section, uint32_t start, const uint8_t *bytes,
                       size_t size, size_t zeros_behind, uint32_t usual, struct pending *relocations)
{
    const struct elf_symbol **labels = allocate((m->nsymbols + 1) * sizeof *labels);
    size_t count = 0, next = 0, end = size + zeros_behind;
    for (size_t i = 0; i < m->nsymbols; i++)
        if (m->symbols[i].value - start < end && plain_name(m->symbols[i].name)) labels[count++] = &m->symbols[i];
    qsort(labels, count, sizeof *labels, by_address);
    printf("\t.section %s\n", section);
    if (start != usual && !(start & 3)) printf("\t.org\t0x%08x\n", start);
    for (size_t at = 0; at < end;) {
        uint32_t addr = start + (uint32_t)at;
        if (at == size) puts("\t.bss");
        for (; next < count && labels[next]->value == addr; next++) printf("%s:\n", labels[next]->name);
        bool relocated = print_relocations(relocations, (uint64_t)addr + 1);
        size_t limit = next < count ? labels[next]->value - start : end;
        if (relocated && limit > at + 4) limit = at + 4;
        if (relocations->next < relocations->end && limit > relocations->next->addr - start)
            limit = relocations->next->addr - start;
        size_t room = (at < size && limit > size ? size : limit) - at;
        size_t zeros = at < size ? zero_run(bytes + at, room) : room;
        size_t word = 4 - (addr & 3), part = room < word ? room : word;
        bool run = zeros >= 16 || at >= size;
        if (run) printf("%08x:\t...\t.zero\t%zu\n", addr, zeros);
        else print_bytes(bytes + at, addr, part);
        at += run ? zeros : part;
    }
    print_relocations(relocations, UINT64_MAX);
    free(labels);
}

static uint32_t page_behind(uint32_t addr, size_t size)
{
    return (uint32_t)((addr + size + ABI_PAGE - 1) / ABI_PAGE * ABI_PAGE);
}

static void print_note(const char *note)
{
    puts("\t.section .note.ventus");
    for (const char *p = note; *p;) {
        fputs("\t.ascii\t\"", stdout);
        do {
            if (*p == '\n') fputs("\\n", stdout);
            else if (*p == '"' || *p == '\\') printf("\\%c", *p);
            else if (isprint((unsigned char)*p)) putchar(*p);
            else printf("\\%03o", (unsigned char)*p);
        } while (*p++ != '\n' && *p);
        puts("\"");
    }
}

static void print_numbers(const char *directive, const uint64_t *numbers, unsigned n)
{
    printf("\t%s\t", directive);
    for (unsigned i = 0; i < n; i++) printf(i ? ", %lld" : "%lld", (long long)numbers[i]); /* what is not known is -1 */
    putchar('\n');
}

/* The directives that make the same bytes, with the values as numbers. */
static void print_resource(const struct elf_resource *r)
{
    if (r->version == 0) print_numbers(".half", r->value, 4);
    else if (r->version == 1) puts("\t.ascii\t\"VRES\"\n\t.half\t1, 24"), print_numbers(".word", r->value, 4);
    else printf("\t.word\t%u, 0x%x\n", r->version, r->flags), print_numbers(".quad", r->value, ABI_RESOURCE_VALUES);
    for (unsigned i = 0; i < ABI_RESOURCE_RAY && r->version == 4; i++) printf("\t.word\t0x%x\n", r->ray[i]);
}

static void print_resources(const struct elf_image *m)
{
    for (int named = 0; named < 2; named++) /* as elf_write has them */
        for (size_t i = 0, any = 0; i < m->nresources; i++) {
            const struct elf_resource *r = &m->resources[i];
            if ((r->kernel && plain_name(r->kernel)) != (named == 1)) continue;
            if (named) printf("\t.section .ventus.resource.%s\n", r->kernel);
            else if (!any++) puts("\t.section .rodata.ventus.resource");
            print_resource(r);
        }
}

/* Types and sizes of the symbols in the text. */
static void print_types(const struct elf_image *m)
{
    for (size_t i = 0; i < m->nsymbols; i++) {
        const struct elf_symbol *s = &m->symbols[i];
        if (s->value - m->text_addr >= m->text_words * 4 || (s->value & 3) || !plain_name(s->name)) continue;
        if (s->function) printf("\t.type\t%s, @function\n", s->name);
        if (s->size) printf("\t.size\t%s, %u\n", s->name, s->size);
    }
}

static void print_others(const struct elf_image *m)
{
    struct pending none = {0};
    print_types(m);
    uint32_t usual = page_behind(m->text_addr, m->text_words * 4);
    if (m->rodata_size) print_data(m, ".rodata", m->rodata_addr, m->rodata, m->rodata_size, 0, usual, &none);
    if (m->rodata_size) usual = page_behind(m->rodata_addr, m->rodata_size);
    if (m->data_size || m->bss_size)
        print_data(m, ".data", m->data_addr, m->data, m->data_size, m->bss_size, usual, &none);
    print_resources(m);
    if (m->note) print_note(m->note);
}

/* ---- files ---- */

static void list(const uint32_t *words, size_t n, uint32_t addr, const struct elf_image *image, const struct how *how)
{
    puts("\t.text");
    if (addr != ABI_CODE_BASE) printf("\t.org\t0x%08x\n", addr);
    asm_disassemble(&how->listing, words, n, addr, image, stdout);
}

/* ---- the source ---- */

/* The text of a file, if it is one; programs name what they like. */
static char *read_source(const char *path, size_t *size)
{
    struct stat s;
    return stat(path, &s) || !S_ISREG(s.st_mode) || s.st_size > SOURCE_LIMIT || access(path, R_OK)
               ? NULL
               : read_file(path, size);
}

/* The file as the program names it, else that name beside the program. */
static char *find_source(const char *name, const char *program, size_t *size)
{
    const char *slash = strrchr(program, '/'), *last = strrchr(name, '/');
    char *text = read_source(name, size);
    if (text) return text;
    size_t folder = slash ? (size_t)(slash + 1 - program) : 0, room = folder + strlen(name) + 1;
    char *beside = allocate(room);
    snprintf(beside, room, "%.*s%s", (int)folder, program, last ? last + 1 : name);
    text = read_source(beside, size);
    free(beside);
    return text;
}

/* A copy of the source that a note carries, with its size; NULL: it does not. */
static char *carried_source(const struct note_source *source, size_t *size)
{
    if (!source->text) return NULL;
    *size = source->size;
    return memcpy(allocate(source->size + 1), source->text, source->size);
}

/* Fills in the source of a listing: what the command line names, what the program carries, what it names. */
static void load_source(struct how *how, const struct note *note, const char *program)
{
    const struct note_source source = note->nsources ? note->sources[0] : (struct note_source){.name = ""};
    size_t size = 0;
    if (!note->nlines) {
        fprintf(stderr, "ventus: %s has no line records: programs of `ventus cc` have them, assembled ones have none\n",
                program);
        return;
    }
    char *text = how->source_file ? read_file(how->source_file, &size) : carried_source(&source, &size);
    if (!text && *source.name) text = find_source(source.name, program, &size);
    if (!text && *source.name)
        fprintf(stderr, "ventus: the source '%s' is not there, or no file; --source-file says where it is\n",
                plain_path(source.name) ? source.name : "?");
    if (!text && !*source.name)
        fprintf(stderr, "ventus: the program does not say what it was made of; --source-file does\n");
    how->listing.source = text;
    how->listing.source_size = size;
}

/* A note that is wrong is part of the listing all the same, but says nothing about it. */
static void read_note(const char *text, const char *path, struct note *note)
{
    struct note_error error;
    char what[NOTE_ERROR_ROOM];
    if (!text || note_read(text, strlen(text), note, &error)) return;
    note_explain(&error, what);
    fprintf(stderr, "%s: warning: %s\n", path, what);
}

/* That of the command line, else that of the file. */
static void choose_profile(struct how *how, uint32_t profile)
{
    if (!how->listing.profile) how->listing.profile = (enum isa_profile)profile;
}

static void dump_elf(const void *bytes, size_t size, const char *path, struct how *how)
{
    struct elf_image m;
    struct elf_segment segments[64];
    size_t n = 0;
    const char *why = "";
    if (!elf_read(bytes, size, &m, segments, 64, &n, &why)) die("%s: %s", path, why);
    for (size_t i = 0; i < m.nresources && how->resources; i++) resource_print(&m.resources[i], stdout);
    if (how->resources) {
        elf_free(&m);
        return;
    }
    struct note note = {0};
    read_note(m.note, path, &note);
    choose_profile(how, m.profile);
    how->listing.lines = note.lines;
    how->listing.nlines = note.nlines;
    if (how->source) load_source(how, &note, path);
    if (m.text_words) list(m.text, m.text_words, m.text_addr, &m, how);
    for (size_t i = 0; i < n && i < 64 && !m.text_words; i++) { /* stripped of its sections */
        if (!segments[i].executable) continue;
        uint32_t *words = allocate(segments[i].filesize + 4u);
        memcpy(words, segments[i].data, segments[i].filesize);
        list(words, (segments[i].filesize + 3u) / 4, segments[i].addr & ~3u, &m, how);
        free(words);
    }
    if (!how->text_only) print_others(&m);
    note_free(&note);
    elf_free(&m);
}

/* The listing of a text with its relocations in front of the instructions. */
static void list_relocated(const uint32_t *words, size_t n, const struct elf_image *m, const struct how *how,
                           struct pending *relocations)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) die("out of memory");
    asm_disassemble(&how->listing, words, n, m->text_addr, m, f);
    if (fclose(f)) die("out of memory");
    for (char *end, *line = text; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) end++;
        if (strspn(line, "0123456789abcdef") == 8 && line[8] == ':') /* "ADDRESS:<tab>WORD WORD<tab>" */
            print_relocations(relocations,
                              strtoul(line, NULL, 16) + (uint64_t)4 * ((strcspn(line + 10, "\t") + 1) / 9));
        fwrite(line, 1, (size_t)(end - line), stdout);
    }
    print_relocations(relocations, UINT64_MAX);
    free(text);
}

/* Sections of a kind follow each other, as the assembler will put them. */
static void list_section(const struct asm_section *s, const struct how *how)
{
    static const char *const names[] = {".text", ".rodata", ".data", ".bss"};
    struct elf_image m = {.symbols = s->symbols, .nsymbols = s->nsymbols};
    struct pending relocations = {s->relocations, s->relocations + s->nrelocations};
    if (strcmp(s->name, names[s->kind]) && plain_name(s->name)) printf("# section %s\n", s->name);
    if (s->kind != ASM_TEXT) {
        if (s->addr) printf("\t.section %s\n\t.balign\t4\n", names[s->kind]);
        bool bss = s->kind == ASM_BSS;
        print_data(&m, names[s->kind], s->addr, s->bytes, bss ? 0 : s->size, bss ? s->size : 0, s->addr, &relocations);
        return;
    }
    uint32_t *words = allocate(s->size + 4u);
    m.text_addr = s->addr;
    m.text_words = (s->size + 3u) / 4;
    words[s->size / 4] = 0;
    memcpy(words, s->bytes, s->size);
    puts("\t.text");
    if (!s->addr) puts("\t.org\t0x00000000");
    list_relocated(words, m.text_words, &m, how, &relocations);
    if (!how->text_only) print_types(&m);
    free(words);
}

static bool dump_object(const void *bytes, size_t size, const char *path, struct how *how)
{
    struct asm_object object;
    const struct asm_input input = {path, bytes, size};
    if (how->resources) return asm_print_resources(&input, stdout, stderr);
    if (!asm_read_object(&input, &object, stderr)) return false;
    choose_profile(how, object.profile);
    for (int kind = ASM_TEXT; kind <= (how->text_only ? ASM_TEXT : ASM_BSS); kind++)
        for (size_t i = 0; i < object.nsections; i++)
            if ((int)object.sections[i].kind == kind && object.sections[i].size) list_section(&object.sections[i], how);
    asm_free_object(&object);
    return true;
}

static bool is_object(const char *bytes, size_t size) { return size > 17 && bytes[16] == 1 && !bytes[17]; } /* ET_REL */

int cmd_objdump(int argc, char **argv)
{
    struct args args = {.command = "objdump",
                        .usage = "[--raw] [-S] [--profile P] FILE",
                        .about = about,
                        .flags = flags,
                        .argc = argc,
                        .argv = argv,
                        .at = 1};
    const char *input = NULL;
    uint32_t base = ABI_CODE_BASE;
    struct how how = {0};
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_RAW) how.listing.raw = true;
        else if (flag == FLAG_BASE) base = base_arg(&args);
        else if (flag == FLAG_TEXT) how.text_only = true;
        else if (flag == FLAG_RESOURCES) how.resources = true;
        else if (flag == FLAG_GNU) how.text_only = how.listing.gnu = true;
        else if (flag == FLAG_START)
            how.listing.start = (uint32_t)number_arg(&args, "address", args.value, 0, UINT32_MAX);
        else if (flag == FLAG_STOP)
            how.listing.stop = (uint32_t)number_arg(&args, "address", args.value, 0, UINT32_MAX);
        else if (flag == FLAG_DEMANGLE) continue;
        else if (flag == FLAG_SOURCE) how.source = true;
        else if (flag == FLAG_SOURCE_FILE) how.source = true, how.source_file = args.value;
        else if (flag == FLAG_PROFILE) how.listing.profile = (enum isa_profile)profile_arg(&args, args.value);
        else if (input) usage_error(&args, "one file at a time, '%s' is the second", args.value);
        else input = args.value;
    }
    if (!input) usage_error(&args, "a file is needed");
    size_t size;
    char *bytes = read_file(input, &size);
    if (size >= 4 && !memcmp(bytes, "\177ELF", 4)) {
        if (!is_object(bytes, size)) dump_elf(bytes, size, input, &how);
        else if (!dump_object(bytes, size, input, &how)) return free(bytes), EXIT_FAILED;
    } else {
        if (how.resources) die("%s: only ELF files have resource records", input);
        if (memchr(bytes, 0, size)) die("%s: this is neither an ELF file nor a text of hexadecimal words", input);
        uint32_t *words = allocate((size / 2 + 1) * sizeof *words);
        size_t n = parse_words(bytes, input, words);
        list(words, n, base, NULL, &how);
        free(words);
    }
    free(bytes);
    free((char *)how.listing.source);
    return EXIT_OK;
}
