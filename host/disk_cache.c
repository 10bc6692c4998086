/* The format of files, and the folder that they are in. Called by native/cache.c and the OpenCL library.
 *
 * A file is the content, the key and a tail, each beginning at a multiple of 8. Its name is a hash of the key, and its
 * time of modification is when it was last used: that of access is not kept on every filesystem. */
#include "host/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "host/host.h"
#include "host/word.h"

/* LIMIT_MIB: of the disk, in all; a guess. VENTUS_CACHE_LIMIT says another one. */
enum { LIMIT_MIB = 256, HASH_DIGITS = 32, NAME_SIZE = 80 };

static const char *const kinds[] = {
#define KIND(name) #name,
    DISK_CACHE_KINDS(KIND)
#undef KIND
};

struct hash {
    uint64_t h[2];
};

struct tail {
    uint64_t content_size, key_size;
    struct hash hash; /* of all before it */
};

static uint64_t nanoseconds(struct timespec t) { return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }

static uint64_t round_up(uint64_t size) { return (size + 7) / 8 * 8; }

/* ---- hashes ---- */

/* Each step is a bijection of the word and of the hash before: a change of one word is always seen. What is left behind
 * the last whole word is a word with zeros. */
static struct hash add_hash(struct hash a, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, (const char *)bytes + i, size - i < 8 ? size - i : 8);
        a.h[0] = (a.h[0] ^ word) * 0x9e3779b97f4a7c15u;
        a.h[1] = (a.h[1] ^ word) * 0xff51afd7ed558ccdu;
        a.h[0] ^= a.h[0] >> 32;
        a.h[1] ^= a.h[1] >> 29;
    }
    return a;
}

static const struct hash no_bytes = {{0xcbf29ce484222325u, 0x84222325cbf29ce4u}};

/* ---- files ---- */

static void make_name(const struct disk_key *key, char name[NAME_SIZE])
{
    struct hash h = add_hash(no_bytes, key->bytes, key->size);
    snprintf(name, NAME_SIZE, "%016llx%016llx.%s", (unsigned long long)h.h[0], (unsigned long long)h.h[1],
             kinds[key->kind]);
}

static uint64_t file_size(uint64_t content_size, uint64_t key_size)
{
    return round_up(content_size) + round_up(key_size) + sizeof(struct tail);
}

/* The bytes of a file, to be freed. NULL: no memory. */
static uint8_t *make_file(const struct disk_key *key, const void *content, size_t size)
{
    size_t all = file_size(size, key->size);
    struct tail t = {.content_size = size, .key_size = key->size};
    uint8_t *file = calloc(1, all);
    if (!file) return NULL;
    memcpy(file, content, size);
    memcpy(file + round_up(size), key->bytes, key->size);
    memcpy(file + all - sizeof t, &t, sizeof t);
    t.hash = add_hash(no_bytes, file, all - sizeof t.hash);
    memcpy(file + all - sizeof t, &t, sizeof t);
    return file;
}

/* Whether a file is whole, and was made from this. */
static bool is_sound(const struct disk_key *key, const uint8_t *file, size_t size, size_t *content_size)
{
    struct tail t;
    if (size < file_size(0, key->size)) return false;
    memcpy(&t, file + size - sizeof t, sizeof t);
    if (t.key_size != key->size || t.content_size > size || file_size(t.content_size, t.key_size) != size) return false;
    struct hash h = add_hash(no_bytes, file, size - sizeof h);
    *content_size = t.content_size;
    return !memcmp(&h, &t.hash, sizeof h) && !memcmp(file + round_up(t.content_size), key->bytes, key->size);
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
static int open_folder(const struct disk_cache *c)
{
    struct stat s;
    int folder = *c->folder ? open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder < 0 || is_private(folder, &s)) return folder;
    close(folder);
    errno = EPERM;
    return -1;
}

/* The folder that the user has chosen; that there is none where it usually is may be on purpose. */
static void complain_of_folder(int reason)
{
    static atomic_bool said;
    const char *chosen = secure_getenv("VENTUS_CACHE_DIR");
    char text[PATH_MAX + 200];
    if (!chosen || atomic_exchange(&said, true)) return;
    snprintf(text, sizeof text, "%s: %s; nothing is kept between runs", chosen,
             reason == EPERM ? "not a folder that is yours and that nobody else may write" : strerror(reason));
    host_say("VENTUS_CACHE_DIR", text);
}

/* ---- loading ---- */

/* Read once, into memory of this process: whatever somebody does to the file after that, what has been checked is what
 * is used. Code, too: a mapped file that is cut off while the code runs would end the process, and one of a filesystem
 * that is mounted noexec cannot be mapped so. */
static void *read_file(int fd, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (read(fd, p, size) == (ssize_t)size) return p;
    munmap(p, size);
    return NULL;
}

static bool load_file(const struct disk_cache *c, const struct disk_key *key, int fd, bool executable,
                      struct disk_content *content)
{
    struct stat s;
    if (!is_private(fd, &s) || !s.st_size || (uint64_t)s.st_size > c->limit) return false;
    content->mapped = (size_t)s.st_size;
    content->bytes = read_file(fd, content->mapped);
    if (!content->bytes) return false;
    if (is_sound(key, content->bytes, content->mapped, &content->size) &&
        !mprotect(content->bytes, content->mapped, PROT_READ | (executable ? PROT_EXEC : 0)))
        return true;
    disk_cache_unload(content);
    return false;
}

bool disk_cache_load(const struct disk_cache *c, const struct disk_key *key, bool executable,
                     struct disk_content *content)
{
    char name[NAME_SIZE];
    int folder = open_folder(c);
    if (folder < 0) return false;
    make_name(key, name);
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool found = fd >= 0 && load_file(c, key, fd, executable, content);
    if (found) futimens(fd, NULL);
    if (fd >= 0) close(fd);
    close(folder);
    return found;
}

void disk_cache_unload(const struct disk_content *content) { munmap(content->bytes, content->mapped); }

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
    if (strspn(name, "0123456789abcdef") != HASH_DIGITS || name[HASH_DIGITS] != '.' || strlen(name) >= NAME_SIZE)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(name + HASH_DIGITS + 1, kinds[i], strlen(kinds[i]))) return true;
    return false;
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

/* To see how much room there is takes time for each file that is there, thousands perhaps. So not all who store look:
 * each whose file is at least a hundredth of the limit, and of the others, by the hash of their names, one in a
 * hundredth of the limit on average. */
static bool looks_for_room(const struct disk_key *key, uint64_t size, uint64_t limit)
{
    return add_hash(no_bytes, key->bytes, key->size).h[0] % (limit / 100 + 1) <= size;
}

/* Down to three quarters of the limit, so that not every file that is added removes one. */
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

void disk_cache_store(const struct disk_cache *c, const struct disk_key *key, const void *content, size_t size)
{
    char name[NAME_SIZE];
    size_t all = file_size(size, key->size);
    if (!*c->folder || all > c->limit || !host_may_write(all)) return;
    make_folders(c->folder);
    int folder = open_folder(c);
    if (folder < 0) complain_of_folder(errno);
    uint8_t *file = folder < 0 ? NULL : make_file(key, content, size);
    if (file) {
        make_name(key, name);
        add_file(folder, name, file, all);
        if (looks_for_room(key, all, c->limit)) make_room(folder, c->limit);
        free(file);
    }
    if (folder >= 0) close(folder);
}

/* ---- opening ---- */

static bool set_folder(struct disk_cache *c)
{
    const char *chosen = secure_getenv("VENTUS_CACHE_DIR"), *above = secure_getenv("XDG_CACHE_HOME"), *rest = "";
    if (!chosen) {
        rest = "/ventus";
        chosen = above;
        if (!chosen || *chosen != '/') chosen = secure_getenv("HOME"), rest = "/.cache/ventus";
        if (!chosen || *chosen != '/') return false; /* it would be where the client happens to be */
    }
    return *chosen && snprintf(c->folder, PATH_MAX, "%s%s", chosen, rest) < PATH_MAX;
}

static void complain_of_limit(void)
{
    char text[120];
    snprintf(text, sizeof text, "%.40s is no number of MiB; the limit is %d", secure_getenv("VENTUS_CACHE_LIMIT"),
             LIMIT_MIB);
    host_say("VENTUS_CACHE_LIMIT", text);
}

static uint64_t limit_of_environment(void)
{
    static once_flag said = ONCE_FLAG_INIT;
    const char *mib = secure_getenv("VENTUS_CACHE_LIMIT");
    char *end;
    unsigned long long n = mib ? strtoull(mib, &end, 10) : 0;
    if (!mib || !*mib) return (uint64_t)LIMIT_MIB << 20;
    if (end != mib && !*end && *mib != '-' && n < 1u << 30) return n << 20;
    call_once(&said, complain_of_limit);
    return (uint64_t)LIMIT_MIB << 20;
}

void disk_cache_open(struct disk_cache *c)
{
    static struct host_word wanted = {"VENTUS_CACHE", {"1", "0"}, false};
    *c = (struct disk_cache){.limit = limit_of_environment()};
    if (host_word(&wanted) == 1 || !set_folder(c)) *c->folder = 0;
}

bool disk_file_version(const char *path, struct file_version *v)
{
    struct stat s;
    if (stat(path, &s)) return false;
    *v = (struct file_version){s.st_ino, (uint64_t)s.st_size, nanoseconds(s.st_mtim)};
    return true;
}
