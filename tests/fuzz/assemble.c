/* Fuzz target: the assembler. Any text gives an image or messages; an image can be written as an ELF
 * file and read back; an object can be listed, and linked or not. Built as a libFuzzer program by run.sh, as a test
 * over corpus/ by replay.c. */
#include <stdlib.h>
#include <string.h>

#include "asm/assemble.h"
#include "asm/link.h"
#include "asm/listing.h"
#include "isa/abi.h"
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

static void check_object(const uint8_t *data, size_t size, FILE *log)
{
    void *bytes;
    struct asm_input in = {"fuzz.o", NULL, 0};
    struct asm_object o;
    struct elf_image m;
    if (!asm_assemble_object(&(struct asm_options){0}, "fuzz.s", (const char *)data, size, &bytes, &in.size, log))
        return;
    in.bytes = bytes;
    if (!asm_read_object(&in, &o, log)) abort();
    asm_free_object(&o);
    if (asm_link(&(struct asm_link_options){0}, &in, 1, ABI_CODE_BASE, &m, log)) elf_free(&m);
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
    fflush(f);
    bool told = length;
    check_object(data, size, f);
    fclose(f);
    if (ok) {
        if (m.text_words + m.rodata_size < 1 << 20) check_image(&m);
        elf_free(&m);
    } else if (!told) {
        abort(); /* refused without a message */
    }
    free(log);
    return 0;
}
