/* ventus objdump: an executable, or a file of words, as text that `ventus as` reads back.
 *
 * The listing of the text is asm/disasm.c's; here are the other sections, and the files. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "tool.h"

enum { FLAG_RAW, FLAG_BASE, FLAG_TEXT, FLAG_PROFILE };
static const struct flag flags[] = {
    {"raw", 0, NULL, "prefixes as instructions of their own"},
    {"base", 0, "ADDRESS", "address of the first word of a .vmem file; default 0x80000000"},
    {"text", 0, NULL, "the text only, without constants, symbols and note"},
    {"profile", 0, "P", "instructions of default, toolchain, r2.0, r2.1 or r2025"},
    {0},
};

struct how { bool raw, text_only; enum isa_profile profile; };

static const char about[] =
    "Prints one instruction a line: address, words, mnemonic, operands, separated by tabs. FILE is\n"
    "an ELF executable, or text with one hexadecimal word a line (.vmem). `ventus as` turns the\n"
    "output into the same bytes again.";

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

/* A section of data; `usual` is the address at which the assembler would put it. */
static void print_data(const struct elf_image *m, const char *section, uint32_t start, const uint8_t *bytes, size_t size, size_t zeros_behind, uint32_t usual)
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
        size_t limit = next < count ? labels[next]->value - start : end;
        size_t room = (at < size && limit > size ? size : limit) - at;
        size_t zeros = at < size ? zero_run(bytes + at, room) : room;
        bool run = zeros >= 16 || at >= size;
        if (run) printf("%08x:\t...\t.zero\t%zu\n", addr, zeros);
        else print_bytes(bytes + at, addr, room < 4 ? room : 4 - (addr & 3));
        at += run ? zeros : room < 4 ? room : 4 - (addr & 3);
    }
    free(labels);
}

static uint32_t page_behind(uint32_t addr, size_t size) { return (uint32_t)((addr + size + ABI_PAGE - 1) / ABI_PAGE * ABI_PAGE); }

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

static void print_others(const struct elf_image *m)
{
    for (size_t i = 0; i < m->nsymbols; i++) {
        const struct elf_symbol *s = &m->symbols[i];
        if (s->value - m->text_addr >= m->text_words * 4 || (s->value & 3) || !plain_name(s->name)) continue;
        if (s->function) printf("\t.type\t%s, @function\n", s->name);
        if (s->size) printf("\t.size\t%s, %u\n", s->name, s->size);
    }
    uint32_t usual = page_behind(m->text_addr, m->text_words * 4);
    if (m->rodata_size) print_data(m, ".rodata", m->rodata_addr, m->rodata, m->rodata_size, 0, usual);
    if (m->rodata_size) usual = page_behind(m->rodata_addr, m->rodata_size);
    if (m->data_size || m->bss_size) print_data(m, ".data", m->data_addr, m->data, m->data_size, m->bss_size, usual);
    if (m->nresources) puts("\t.section .rodata.ventus.resource");
    for (size_t i = 0; i < m->nresources; i++)
        printf("\t.half\t%u, %u, %u, %u\n", m->resources[i][0], m->resources[i][1], m->resources[i][2], m->resources[i][3]);
    if (m->note) print_note(m->note);
}

/* ---- files ---- */

static void list(const uint32_t *words, size_t n, uint32_t addr, const struct elf_image *image, const struct how *how)
{
    puts("\t.text");
    if (addr != ABI_CODE_BASE) printf("\t.org\t0x%08x\n", addr);
    asm_disassemble_in(how->profile, !how->raw, words, n, addr, image, stdout);
}

static void dump_elf(const void *bytes, size_t size, const char *path, const struct how *how)
{
    struct elf_image m;
    struct elf_segment segments[64];
    size_t n = 0;
    const char *why = "";
    if (!elf_read(bytes, size, &m, segments, 64, &n, &why)) die("%s: %s", path, why);
    if (m.text_words) list(m.text, m.text_words, m.text_addr, &m, how);
    for (size_t i = 0; i < n && i < 64 && !m.text_words; i++) { /* stripped of its sections */
        if (!segments[i].executable) continue;
        uint32_t *words = allocate(segments[i].filesize + 4u);
        memcpy(words, segments[i].data, segments[i].filesize);
        list(words, (segments[i].filesize + 3u) / 4, segments[i].addr & ~3u, &m, how);
        free(words);
    }
    if (!how->text_only) print_others(&m);
    elf_free(&m);
}

/* One hexadecimal word a line; blank lines, and what follows // or #, are skipped. */
static size_t parse_words(char *text, const char *path, uint32_t *words)
{
    size_t n = 0, line = 0;
    for (char *next, *p = text; p; p = next) {
        char *end;
        next = strchr(p, '\n');
        if (next) *next++ = 0;
        line++;
        p += strspn(p, " \t\r");
        if (!*p || *p == '#' || (p[0] == '/' && p[1] == '/')) continue;
        size_t digits = strspn(p, "0123456789abcdefABCDEF");
        if (!digits || digits > 8) die("%s:%zu: this is neither an ELF file nor a line with one hexadecimal word", path, line);
        words[n++] = (uint32_t)strtoul(p, &end, 16);
        end += strspn(end, " \t\r");
        if (*end && *end != '#' && !(end[0] == '/' && end[1] == '/')) die("%s:%zu: unexpected text behind the word", path, line);
    }
    return n;
}

int cmd_objdump(int argc, char **argv)
{
    struct args args = {.command = "objdump", .usage = "[--raw] [--profile P] FILE", .about = about, .flags = flags, .argc = argc, .argv = argv, .at = 1};
    const char *input = NULL;
    uint32_t base = ABI_CODE_BASE;
    struct how how = {.profile = PROFILE_DEFAULT};
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_RAW) how.raw = true;
        else if (flag == FLAG_BASE) base = (uint32_t)number_arg(&args, "--base", args.value, 0, UINT32_MAX) & ~3u;
        else if (flag == FLAG_TEXT) how.text_only = true;
        else if (flag == FLAG_PROFILE) how.profile = (enum isa_profile)profile_arg(&args, args.value);
        else if (input) usage_error(&args, "one file at a time, '%s' is the second", args.value);
        else input = args.value;
    }
    if (!input) usage_error(&args, "a file is needed");
    size_t size;
    char *bytes = read_file(input, &size);
    if (size >= 4 && !memcmp(bytes, "\177ELF", 4)) {
        dump_elf(bytes, size, input, &how);
    } else {
        if (memchr(bytes, 0, size)) die("%s: this is neither an ELF file nor a text of hexadecimal words", input);
        uint32_t *words = allocate((size / 2 + 1) * sizeof *words);
        size_t n = parse_words(bytes, input, words);
        list(words, n, base, NULL, &how);
        free(words);
    }
    free(bytes);
    return fflush(stdout) || ferror(stdout) ? (perror("ventus: standard output"), EXIT_FAILED) : EXIT_OK;
}
