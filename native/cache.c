/* What a translation is kept under (host/disk_cache.h). Called by units.c. */
#include "native/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/process.h"

/* In front of the program. */
struct origin {
    struct native_request request;
    struct file_version translator[2];
};
_Static_assert(sizeof(struct origin) == sizeof(struct native_request) + 2 * sizeof(struct file_version),
               "keys are compared as bytes");

/* Its bytes are to be freed; NULL: no memory. */
static struct disk_key make_key(const struct native_cache *c, const struct native_request *r, const uint32_t *program)
{
    struct origin o = {.request = *r};
    size_t program_size = native_program_words(r) * 4;
    memcpy(o.translator, c->translator, sizeof o.translator);
    char *bytes = malloc(sizeof o + program_size);
    if (bytes) {
        memcpy(bytes, &o, sizeof o);
        memcpy(bytes + sizeof o, program, program_size);
    }
    return (struct disk_key){DISK_CACHE_native, bytes, sizeof o + program_size};
}

void *cache_load(const struct native_cache *c, const struct native_request *r, const uint32_t *program, size_t *size)
{
    struct disk_key key = make_key(c, r, program);
    struct disk_content content;
    bool found = key.bytes && disk_cache_load(&c->files, &key, true, &content);
    free((void *)key.bytes);
    if (!found) return NULL;
    *size = content.mapped;
    return content.bytes;
}

void cache_store(const struct native_cache *c, const struct native_request *r, const uint32_t *program,
                 const void *image, size_t size)
{
    struct disk_key key = make_key(c, r, program);
    if (key.bytes) disk_cache_store(&c->files, &key, image, size);
    free((void *)key.bytes);
}

/* Another program, or other row functions, may translate otherwise. */
static bool set_translator(struct native_cache *c, const char *level)
{
    char *path = translator_program(), real[PATH_MAX];
    bool known = path && realpath(path, real) && disk_file_version(real, &c->translator[0]);
    free(path);
    if (!known) return false;
    size_t at = (size_t)(strrchr(real, '/') + 1 - real);
    return snprintf(real + at, PATH_MAX - at, NATIVE_ROWS, level) < (int)(PATH_MAX - at) &&
           disk_file_version(real, &c->translator[1]);
}

void cache_open(struct native_cache *c, const char *level)
{
    *c = (struct native_cache){0};
    disk_cache_open(&c->files);
    if (!set_translator(c, level)) *c->files.folder = 0;
}
