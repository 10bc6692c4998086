/* Files that processes of a user keep for later ones: translations of kernels, compiled programs.
 *
 * A file is content with the key behind it that it was made from; all of the key is compared when it is loaded, with a
 * checksum over the file; so nothing that can happen to a file makes wrong content come out, but one who may write the
 * user's files. Files are never changed, only replaced and removed, and each is read once, into memory of its own,
 * which is checked as it was read. Nothing here fails: without a cache, or with a full one, things are made again.
 *
 * Environment, not of programs with more rights than their user:
 *   VENTUS_CACHE        0: no cache
 *   VENTUS_CACHE_DIR    the folder; empty: no cache; else $XDG_CACHE_HOME/ventus or $HOME/.cache/ventus,
 *                       if these names begin at the root
 *   VENTUS_CACHE_LIMIT  how large the files may be together, in MiB (256) */
#ifndef VENTUS_HOST_DISK_CACHE_H
#define VENTUS_HOST_DISK_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disk_cache {
    char folder[PATH_MAX]; /* empty: there is no cache */
    uint64_t limit;        /* bytes, of all files together */
};

/* What files hold; the names end in this. */
#define DISK_CACHE_KINDS(KIND) KIND(native) KIND(build)
enum disk_kind {
#define KIND(name) DISK_CACHE_##name,
    DISK_CACHE_KINDS(KIND)
#undef KIND
};

/* Everything that the content was made from. */
struct disk_key {
    enum disk_kind kind;
    const void *bytes;
    size_t size;
};

struct disk_content {
    void *bytes;
    size_t size;   /* of the content; there may be other bytes behind it, */
    size_t mapped; /* so many with it */
};

/* What changes when a file is replaced. */
struct file_version {
    uint64_t inode, size, modified;
};

/* The cache of the environment. */
void disk_cache_open(struct disk_cache *c);

/* What was stored for this key, not to be written, and given back with disk_cache_unload. False: there is none. */
bool disk_cache_load(const struct disk_cache *c, const struct disk_key *key, bool executable,
                     struct disk_content *content);
void disk_cache_unload(const struct disk_content *content);

/* Keeps content of so many bytes. Removes other files, those first that have not been used for longest, when all
 * together are too large; not every time, so that they can be larger than the limit by some hundredths for a while. */
void disk_cache_store(const struct disk_cache *c, const struct disk_key *key, const void *content, size_t size);

/* False: there is no such file. */
bool disk_file_version(const char *path, struct file_version *v);

#endif
