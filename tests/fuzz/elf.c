/* Fuzz target: the reader of ELF files. Any bytes are refused or give an image whose parts can all
 * be read. Built as a libFuzzer program by run.sh, as a test over corpus/ by replay.c. */
#include <string.h>

#include "asm/asm.h"
#include "fuzz.h"

static volatile uint8_t sink;

static void touch(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) sink ^= ((const uint8_t *)p)[i];
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
    touch(m.resources, m.nresources * sizeof *m.resources);
    for (size_t i = 0; i < m.nresources; i++)
        if (m.resources[i].kernel) touch(m.resources[i].kernel, strlen(m.resources[i].kernel));
    if (m.note) touch(m.note, strlen(m.note));
    elf_free(&m);
    return 0;
}
