/* Fuzz target: the reader of ELF files. Any bytes are refused or give an image whose parts can all
 * be read, listed and printed. Built as a libFuzzer program by run.sh, as a test over corpus/ by replay.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asm/image.h"
#include "asm/listing.h"
#include "asm/resource.h"
#include "fuzz.h"

static volatile uint8_t sink;

static void touch(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) sink ^= ((const uint8_t *)p)[i];
}

/* Records print, and turn into another version or not. */
static void check_resource(struct elf_resource r, uint32_t version)
{
    char *text;
    size_t size, used;
    const char *why;
    uint8_t bytes[ABI_RESOURCE_LARGEST];
    struct elf_resource back;
    FILE *f = open_memstream(&text, &size);
    resource_print(&r, f);
    fclose(f);
    free(text);
    if (r.kernel) touch(r.kernel, strlen(r.kernel));
    if (!resource_convert(&r, version, &why)) return;
    size = resource_write(&r, bytes);
    if (!resource_read(bytes, size, &back, &used, &why) || used != size || memcmp(back.value, r.value, sizeof r.value))
        abort();
}

/* The listing of a program with the source that it carries. */
static void check_listing(const struct elf_image *m)
{
    char *text;
    size_t size;
    struct note note = {0};
    struct note_error error;
    struct asm_listing how = {0};
    if (m->text_words > 1 << 12) return;
    if (m->note && note_read(m->note, strlen(m->note), &note, &error))
        how = (struct asm_listing){.lines = note.lines, .nlines = note.nlines};
    if (note.nsources) how.source = note.sources[0].text, how.source_size = note.sources[0].size;
    FILE *f = open_memstream(&text, &size);
    asm_disassemble(&how, m->text, m->text_words, m->text_addr, m, f);
    fclose(f);
    note_free(&note);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_image m;
    struct elf_segment segments[4];
    size_t n = 0;
    const char *why = NULL;
    if (!elf_read(data, size, &m, segments, 4, &n, &why)) {
        if (!why) __builtin_trap();
        return 0;
    }
    for (size_t i = 0; i < n && i < 4; i++) touch(segments[i].data, segments[i].filesize);
    for (size_t i = 0; i < m.nsymbols; i++) touch(m.symbols[i].name, strlen(m.symbols[i].name));
    touch(m.text, m.text_words * 4);
    touch(m.rodata, m.rodata_size);
    for (size_t i = 0; i < m.nresources; i++) check_resource(m.resources[i], data[size - 1] % 6);
    if (m.note) touch(m.note, strlen(m.note));
    check_listing(&m);
    elf_free(&m);
    return 0;
}
