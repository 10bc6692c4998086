/* Program binaries as clGetProgramInfo hands them out: a header, the build options, the ELF. Files of `ventus cc` and
 * `ventus as` are binaries, too.
 * They come back from files of any origin, so every field is checked and a hash covers the content; the
 * ELF inside is then checked again by the driver, as any ELF. A change of the format changes the version
 * here and VENTUS_VERSION, which clients use as a key for their caches. Called by program.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

enum { BINARY_VERSION = 1 };

struct header {
    char magic[8];
    uint32_t version, type;
    uint64_t options_size, payload_size;
    uint64_t hash; /* of the header with this field 0, and everything behind it */
};

static const char magic[8] = "VENTUSCL";

static uint64_t fnv(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_of(const struct header *header, const unsigned char *rest, size_t size)
{
    struct header h = *header;
    h.hash = 0;
    return fnv(fnv(0xcbf29ce484222325u, &h, sizeof h), rest, size);
}

unsigned char *binary_make(const struct binary *b, size_t *size)
{
    struct header h = {
        .version = BINARY_VERSION, .type = b->type, .options_size = b->options_size, .payload_size = b->payload_size};
    size_t rest = b->options_size + b->payload_size;
    unsigned char *data = malloc(sizeof h + rest);
    if (!data) return NULL;
    memcpy(h.magic, magic, sizeof magic);
    if (b->options_size) memcpy(data + sizeof h, b->options, b->options_size);
    memcpy(data + sizeof h + b->options_size, b->payload, b->payload_size);
    h.hash = hash_of(&h, data + sizeof h, rest);
    memcpy(data, &h, sizeof h);
    *size = sizeof h + rest;
    return data;
}

/* What `ventus cc` and `ventus as` write, and other compilers of ELF files, stands for itself. */
static bool is_file(const unsigned char *data, size_t size, struct binary *b)
{
    bool elf = size >= 4 && !memcmp(data, "\177ELF", 4), object = size >= 4 && !memcmp(data, "BC\xc0\xde", 4);
    if (!elf && !object) return false;
    b->type = elf ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    b->options = "-cl-kernel-arg-info"; /* they have what the program says of arguments in any case */
    b->options_size = strlen(b->options);
    b->payload = data;
    b->payload_size = size;
    return true;
}

bool binary_read(const unsigned char *data, size_t size, struct binary *b)
{
    struct header h;
    if (is_file(data, size, b)) return true;
    if (size < sizeof h) return false;
    memcpy(&h, data, sizeof h);
    size_t rest = size - sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) || h.version != BINARY_VERSION) return false;
    if (h.options_size > rest || h.payload_size != rest - h.options_size) return false;
    if (h.hash != hash_of(&h, data + sizeof h, rest)) return false;
    if (h.type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT && h.type != CL_PROGRAM_BINARY_TYPE_LIBRARY &&
        h.type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        return false;
    b->type = h.type;
    b->options = (const char *)data + sizeof h;
    b->options_size = h.options_size;
    b->payload = data + sizeof h + h.options_size;
    b->payload_size = h.payload_size;
    return memchr(b->options, 0, b->options_size) == NULL;
}
