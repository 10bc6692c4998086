/* Fuzz target: readers of objects. Any bytes, as an object, are refused with a message or linked, listed and their
 * resource records and summaries printed; what is linked can be written as an ELF file. The last byte
 * chooses the version of the records. Built as a libFuzzer program by run.sh, as a test over corpus/ by replay.c. */
#include <stdlib.h>
#include <string.h>

#include "asm/image.h"
#include "asm/link.h"
#include "asm/listing.h"
#include "isa/abi.h"
#include "fuzz.h"

static volatile uint8_t sink;

static void touch(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) sink ^= ((const uint8_t *)p)[i];
}

static void check_link(const struct asm_input *in, const uint32_t *version, FILE *log)
{
    struct elf_image m;
    const struct asm_link_options options = {.version = version};
    void *bytes;
    size_t size;
    const char *why;
    long before = ftell(log);
    if (!asm_link(&options, in, 1, ABI_CODE_BASE, &m, log)) {
        if (ftell(log) == before) abort(); /* refused without a message */
        return;
    }
    if (elf_write(&m, &bytes, &size, &why)) free(bytes);
    elf_free(&m);
}

/* Everything that a listing reads. */
static void check_listing(const struct asm_input *in, FILE *log)
{
    struct asm_object o;
    if (!asm_read_object(in, &o, log)) return;
    for (size_t i = 0; i < o.nsections; i++) {
        const struct asm_section *s = &o.sections[i];
        touch(s->name, strlen(s->name));
        if (s->bytes) touch(s->bytes, s->size);
        for (size_t k = 0; k < s->nsymbols; k++) touch(s->symbols[k].name, strlen(s->symbols[k].name));
        for (size_t k = 0; k < s->nrelocations; k++) touch(s->relocations[k].symbol, strlen(s->relocations[k].symbol));
    }
    asm_free_object(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct asm_input in = {"fuzz.o", data, size};
    const uint32_t version = size ? data[size - 1] % 8 : 0;
    char *log;
    size_t length;
    FILE *f = open_memstream(&log, &length);
    check_link(&in, version < ABI_RESOURCE_VERSIONS ? &version : NULL, f);
    check_listing(&in, f);
    asm_print_resources(&in, f, f);
    fclose(f);
    free(log);
    return 0;
}
