/* Fuzz target: the assembler. Any text gives an image or messages; an image can be written as an ELF
 * file and read back. Built as a libFuzzer program by run.sh, as a test over corpus/ by replay.c. */
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "fuzz.h"

static void check_image(const struct elf_image *m)
{
    void *bytes;
    size_t size, n;
    const char *why;
    struct elf_image back;
    struct elf_segment segments[8];
    if (!elf_write(m, &bytes, &size, &why)) return;
    if (!elf_read(bytes, size, &back, segments, 8, &n, &why)) abort();
    if (back.text_words != m->text_words || (m->text_words && memcmp(back.text, m->text, m->text_words * 4))) abort();
    elf_free(&back);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_image m;
    char *log;
    size_t length;
    if (size > 1 << 14) return 0;
    FILE *f = open_memstream(&log, &length);
    bool ok = asm_assemble("fuzz.s", (const char *)data, size, ABI_CODE_BASE, &m, f);
    fclose(f);
    if (ok) {
        if (m.text_words + m.rodata_size < 1 << 20) check_image(&m);
        elf_free(&m);
    } else if (!length) {
        abort(); /* refused without a message */
    }
    free(log);
    return 0;
}
