/* Translations on disk (host/disk_cache.h), kept under the request, the code and what the translator was. */
#ifndef VENTUS_NATIVE_CACHE_H
#define VENTUS_NATIVE_CACHE_H

#include "host/disk_cache.h"
#include "native/native.h"

struct native_cache {
    struct disk_cache files;
    struct file_version translator[2]; /* the program and its row functions */
};

/* `level`: the name of the level that requests will be for. */
void cache_open(struct native_cache *c, const char *level);

/* The translation of `program` for a request: executable and not to be written, in a
 * mapping of *size bytes that the caller unmaps. There may be other bytes behind it. NULL: there is none. */
void *cache_load(const struct native_cache *c, const struct native_request *r, const uint32_t *program, size_t *size);

/* Keeps a translation of so many bytes. */
void cache_store(const struct native_cache *c, const struct native_request *r, const uint32_t *program,
                 const void *image, size_t size);

#endif
