/* The format of files, and the folder that they are in. Called by native_units.c.
 *
 * A file's name is a hash of what the translation was made from, and its time of modification is when it was last
 * used: that of access is not kept on every filesystem. */
#include "sim/native_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sim/translator.h"

enum { LIMIT_MIB = 256, HASH_DIGITS = 32, NAME_SIZE = 80 };

struct hash {
    uint64_t h[2];
};

/* Behind the translation and the code. */
struct tail {
    struct native_request request;
    struct file_version translator[2];
    struct hash hash; /* of all before it */
};
_Static_assert(sizeof(struct tail) ==
                   sizeof(struct native_request) + 2 * sizeof(struct file_version) + sizeof(struct hash),
               "tails are compared as bytes");

static uint64_t nanoseconds(struct timespec t) { return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }

static size_t round_up(size_t size) { return (size + 7) / 8 * 8; }

/* ---- hashes ---- */

/* Each step is a bijection of the word and of the hash before: a change of one word is always seen. Rest of less than
 * eight bytes is left out. */
static struct hash add_hash(struct hash a, const void *bytes, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + i, 8);
        a.h[0] = (a.h[0] ^ word) * 0x9e3779b97f4a7c15u;
        a.h[1] = (a.h[1] ^ word) * 0xff51afd7ed558ccdu;
        a.h[0] ^= a.h[0] >> 32;
        a.h[1] ^= a.h[1] >> 29;
    }
    return a;
}

static const struct hash no_bytes = {{0xcbf29ce484222325u, 0x84222325cbf29ce4u}};

/* ---- files ---- */

static struct tail make_tail(const struct native_cache *c, const struct native_request *r)
{
    struct tail t = {.request = *r};
    memcpy(t.translator, c->translator, sizeof t.translator);
    return t;
}

static void make_name(const struct native_cache *c, const struct native_request *r, const uint32_t *code,
                      char name[NAME_SIZE])
{
    struct tail t = make_tail(c, r);
    struct hash h = add_hash(add_hash(no_bytes, &t, sizeof t), code, (size_t)r->code_words * 4);
    snprintf(name, NAME_SIZE, "%016llx%016llx.native", (unsigned long long)h.h[0], (unsigned long long)h.h[1]);
}

/* The size of a file that holds a translation of so many bytes. */
static size_t file_size(const struct native_request *r, size_t size)
{
    return round_up(size) + round_up((size_t)r->code_words * 4) + sizeof(struct tail);
}

/* The bytes of a file, to be freed. NULL: no memory. */
static uint8_t *make_file(const struct native_cache *c, const struct native_request *r, const uint32_t *code,
                          const void *image, size_t size)
{
    size_t all = file_size(r, size);
    struct tail t = make_tail(c, r);
    uint8_t *file = calloc(1, all);
    if (!file) return NULL;
    memcpy(file, image, size);
    memcpy(file + round_up(size), code, (size_t)r->code_words * 4);
    memcpy(file + all - sizeof t, &t, sizeof t);
    t.hash = add_hash(no_bytes, file, all - sizeof t.hash);
    memcpy(file + all - sizeof t, &t, sizeof t);
    return file;
}

/* Whether a file is whole, and was made from this. */
static bool is_sound(const struct native_cache *c, const struct native_request *r, const uint32_t *code,
                     const uint8_t *file, size_t size)
{
    struct tail t = make_tail(c, r);
    if (size < file_size(r, 0)) return false;
    t.hash = add_hash(no_bytes, file, size - sizeof t.hash);
    return !memcmp(file + size - sizeof t, &t, sizeof t) &&
           !memcmp(file + size - file_size(r, 0), code, (size_t)r->code_words * 4);
}

/* ---- the folder ---- */

/* The folders above a path, and the one that it names. */
static void make_folders(const char *path)
{
    char part[PATH_MAX];
    for (size_t n = 1; n < PATH_MAX; n++) {
        if (path[n] && path[n] != '/') continue;
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        mkdir(part, S_IRWXU);
        if (!path[n]) return;
    }
}

/* Belongs to the user, and nobody else may write it. */
static bool is_private(int fd, struct stat *s)
{
    return fstat(fd, s) == 0 && s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

/* -1: it cannot be used. */
static int open_folder(const struct native_cache *c)
{
    struct stat s;
    int folder = *c->folder ? open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder < 0 || is_private(folder, &s)) return folder;
    close(folder);
    return -1;
}

/* ---- loading ---- */

/* For files that cannot be executed: their filesystem is mounted so. */
static void *copy_file(int fd, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (read(fd, p, size) == (ssize_t)size && !mprotect(p, size, PROT_READ | PROT_EXEC)) return p;
    munmap(p, size);
    return NULL;
}

/* Mapped rather than copied, so that tools show the file's name for what runs in it. */
static void *map_file(int fd, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    return p == MAP_FAILED ? copy_file(fd, size) : p;
}

static void *load_file(const struct native_cache *c, const struct native_request *r, const uint32_t *code, int fd,
                       size_t *size)
{
    struct stat s;
    if (!is_private(fd, &s) || !s.st_size || (uint64_t)s.st_size > c->limit) return NULL;
    *size = (size_t)s.st_size;
    void *file = map_file(fd, *size);
    if (!file || is_sound(c, r, code, file, *size)) return file;
    munmap(file, *size);
    return NULL;
}

void *cache_load(const struct native_cache *c, const struct native_request *r, const uint32_t *code, size_t *size)
{
    char name[NAME_SIZE];
    int folder = open_folder(c);
    if (folder < 0) return NULL;
    make_name(c, r, code, name);
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    void *file = fd < 0 ? NULL : load_file(c, r, code, fd, size);
    if (file) futimens(fd, NULL);
    if (fd >= 0) close(fd);
    close(folder);
    return file;
}

/* ---- making room ---- */

struct entry {
    char name[NAME_SIZE];
    uint64_t used; /* nanoseconds */
    uint64_t size;
};

struct entries {
    struct entry *first;
    size_t count;
    uint64_t size; /* of all together */
};

/* Finished and unfinished ones, for processes end while they write; but nothing that somebody else has put there. */
static bool is_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == HASH_DIGITS && !strncmp(name + HASH_DIGITS, ".native", 7) &&
           strlen(name) < NAME_SIZE;
}

static void add_entry(struct entries *e, int folder, const char *name)
{
    struct stat s;
    if (!is_name(name) || fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW)) return;
    if (e->count % 256 == 0) {
        struct entry *more = realloc(e->first, (e->count + 256) * sizeof *more);
        if (!more) return;
        e->first = more;
    }
    struct entry *entry = &e->first[e->count++];
    *entry = (struct entry){.used = nanoseconds(s.st_mtim), .size = (uint64_t)s.st_size};
    strcpy(entry->name, name);
    e->size += entry->size;
}

static struct entries list_entries(int folder)
{
    struct entries e = {0};
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0) close(fd);
    for (struct dirent *file; d && (file = readdir(d));) add_entry(&e, folder, file->d_name);
    if (d) closedir(d);
    return e;
}

static int older_first(const void *a, const void *b)
{
    uint64_t x = ((const struct entry *)a)->used, y = ((const struct entry *)b)->used;
    return (x > y) - (x < y);
}

/* Down to three quarters of the limit, so that not every translation that is added removes one. */
static void make_room(int folder, uint64_t limit)
{
    struct entries e = list_entries(folder);
    if (e.size > limit) {
        qsort(e.first, e.count, sizeof *e.first, older_first);
        for (size_t i = 0; i < e.count && e.size > limit / 4 * 3; i++) {
            unlinkat(folder, e.first[i].name, 0);
            e.size -= e.first[i].size;
        }
    }
    free(e.first);
}

/* ---- storing ---- */

/* A write beyond a process's limit would end it with a signal. */
static bool may_write(size_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && size <= most.rlim_cur;
}

static bool write_file(int folder, const char *name, const uint8_t *bytes, size_t size)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return false;
    bool ok = write(fd, bytes, size) == (ssize_t)size;
    return close(fd) == 0 && ok;
}

/* Written under a name that no other process or thread uses: nobody sees half a file. */
static void add_file(int folder, const char *name, const uint8_t *bytes, size_t size)
{
    char part[NAME_SIZE];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(part, sizeof part, "%.39s.%x-%llx", name, (unsigned)getpid(), (unsigned long long)nanoseconds(now));
    if (!write_file(folder, part, bytes, size) || renameat(folder, part, folder, name)) unlinkat(folder, part, 0);
}

void cache_store(const struct native_cache *c, const struct native_request *r, const uint32_t *code, const void *image,
                 size_t size)
{
    char name[NAME_SIZE];
    size_t all = file_size(r, size);
    if (!*c->folder || all > c->limit || !may_write(all)) return;
    make_folders(c->folder);
    int folder = open_folder(c);
    uint8_t *file = folder < 0 ? NULL : make_file(c, r, code, image, size);
    if (file) {
        make_name(c, r, code, name);
        add_file(folder, name, file, all);
        make_room(folder, c->limit);
        free(file);
    }
    if (folder >= 0) close(folder);
}

/* ---- opening ---- */

static bool set_folder(struct native_cache *c)
{
    const char *chosen = secure_getenv("VENTUS_CACHE_DIR"), *above = secure_getenv("XDG_CACHE_HOME"), *rest = "";
    if (!chosen) {
        rest = "/ventus/native";
        chosen = above;
        if (!chosen || *chosen != '/') chosen = secure_getenv("HOME"), rest = "/.cache/ventus/native";
    }
    return chosen && *chosen && snprintf(c->folder, PATH_MAX, "%s%s", chosen, rest) < PATH_MAX;
}

static bool file_version(const char *path, struct file_version *v)
{
    struct stat s;
    if (stat(path, &s)) return false;
    *v = (struct file_version){s.st_ino, (uint64_t)s.st_size, nanoseconds(s.st_mtim)};
    return true;
}

/* Another program, or other row functions, may translate otherwise. */
static bool set_translator(struct native_cache *c, const char *level)
{
    char *path = translator_program(), real[PATH_MAX];
    bool known = path && realpath(path, real) && file_version(real, &c->translator[0]);
    free(path);
    if (!known) return false;
    size_t at = (size_t)(strrchr(real, '/') + 1 - real);
    return snprintf(real + at, PATH_MAX - at, NATIVE_ROWS, level) < (int)(PATH_MAX - at) &&
           file_version(real, &c->translator[1]);
}

static uint64_t limit_of_environment(void)
{
    const char *mib = secure_getenv("VENTUS_CACHE_LIMIT");
    char *end;
    unsigned long long n = mib ? strtoull(mib, &end, 10) : 0;
    return (mib && end != mib && !*end && n < 1u << 30 ? n : LIMIT_MIB) << 20;
}

void cache_open(struct native_cache *c, const char *level)
{
    const char *wanted = secure_getenv("VENTUS_CACHE");
    *c = (struct native_cache){.limit = limit_of_environment()};
    if ((wanted && !strcmp(wanted, "0")) || !set_folder(c) || !set_translator(c, level)) *c->folder = 0;
}
