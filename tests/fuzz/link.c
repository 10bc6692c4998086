/* Fuzz target: the linker. Any bytes, as an object, are refused with a message or linked. Built as a
 * libFuzzer program by run.sh, as a test over corpus/ by replay.c. */
#include <stdlib.h>

#include "asm/asm.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_image m;
    const struct asm_input in = {"fuzz.o", data, size};
    char *log;
    size_t length;
    FILE *f = open_memstream(&log, &length);
    bool ok = asm_link(&(struct asm_options){0}, &in, 1, ABI_CODE_BASE, NULL, 0, &m, f);
    fclose(f);
    if (ok) elf_free(&m);
    else if (!length) abort();
    free(log);
    return 0;
}
