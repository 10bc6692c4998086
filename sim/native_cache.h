/* Translations on disk, shared by all processes of a user.
 *
 * A file is a translation with what it was made from behind it: the request, the code and what the translator was. All
 * of this is compared when it is loaded, with a checksum over the file; so nothing that can happen to a file makes
 * wrong code run, but one who may write the user's files. Files are never changed, only replaced and removed: one that
 * is mapped stays as it is. Nothing here fails: without a cache, or with a full one, translations are made again.
 *
 * Environment, not of programs with more rights than their user:
 *   VENTUS_CACHE        0: no cache
 *   VENTUS_CACHE_DIR    the folder; empty: no cache; else $XDG_CACHE_HOME/ventus/native or $HOME/.cache/ventus/native
 *   VENTUS_CACHE_LIMIT  how large the files may be together, in MiB (256) */
#ifndef VENTUS_SIM_NATIVE_CACHE_H
#define VENTUS_SIM_NATIVE_CACHE_H

#include <limits.h>

#include "sim/native.h"

/* What changes when a file is replaced. */
struct file_version {
    uint64_t inode, size, modified;
};

struct native_cache {
    char folder[PATH_MAX];             /* empty: there is no cache */
    uint64_t limit;                    /* bytes */
    struct file_version translator[2]; /* the program and its row functions */
};

/* `level`: the name of that which requests will be for. */
void cache_open(struct native_cache *c, const char *level);

/* The translation for a request whose code_words words of code are `code`: executable and not to be written, in a
 * mapping of *size bytes that the caller unmaps. There may be other bytes behind it. NULL: there is none. */
void *cache_load(const struct native_cache *c, const struct native_request *r, const uint32_t *code, size_t *size);

/* Keeps a translation of so many bytes. Removes others, those first that have not been used for longest, when all
 * together are too large. */
void cache_store(const struct native_cache *c, const struct native_request *r, const uint32_t *code, const void *image,
                 size_t size);

#endif
