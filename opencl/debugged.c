/* Programs for a device that shows them to somebody, in a debugger say (device_shows_program): they are built with -g,
 * and their source, which is a string, is also a file that the debugger finds by the name in the debug information. The
 * files are in the cache, or, without one, in a folder of the user's below the one for temporary files. Called by
 * build_cache.c. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/disk_cache.h"
#include "objects.h"

/* Makes a folder that only this user may enter. */
static bool make_folder(char folder[PATH_MAX])
{
    const char *temporary = secure_getenv("TMPDIR");
    struct disk_cache cache;
    struct stat s;
    disk_cache_open(&cache);
    int n = *cache.folder ? snprintf(folder, PATH_MAX, "%s/sources", cache.folder)
                          : snprintf(folder, PATH_MAX, "%s/ventus-sources-%u",
                                     temporary && *temporary == '/' ? temporary : "/tmp", (unsigned)geteuid());
    if (n < 0 || n >= PATH_MAX - 32) return false;
    if (*cache.folder) mkdir(cache.folder, 0700);
    if (mkdir(folder, 0700) && errno != EEXIST) return false;
    return !lstat(folder, &s) && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & 022);
}

/* FNV-1a. */
static uint64_t hash(const char *text, size_t size)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) h = (h ^ (uint8_t)text[i]) * 0x100000001b3;
    return h;
}

/* Writes the file atomically: other processes may be reading it. */
static bool write_file(const char *path, const char *text, size_t size)
{
    char *fresh;
    if (asprintf(&fresh, "%s.%ld.new", path, (long)getpid()) < 0) return false;
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = fd >= 0;
    for (ssize_t n; good && size; text += n, size -= (size_t)n) good = (n = write(fd, text, size)) > 0;
    good = fd >= 0 && !close(fd) && good && !rename(fresh, path);
    free(fresh);
    return good;
}

/* Prints a name with the escapes that the preprocessor expects. */
static void print_name(FILE *out, const char *path)
{
    fputs("#line 1 \"", out);
    for (; *path; path++) {
        if (*path == '"' || *path == '\\') fputc('\\', out);
        fputc(*path, out);
    }
    fputs("\"\n", out);
}

/* The source with a first line that names its file; NULL: it has none. */
static char *named_source(const struct build *b, size_t *size)
{
    char folder[PATH_MAX], path[PATH_MAX + 32], *text = NULL;
    if (!host_may_write(b->source_size) || !make_folder(folder)) return NULL;
    snprintf(path, sizeof path, "%s/%016" PRIx64 ".cl", folder, hash(b->source, b->source_size));
    if (strpbrk(path, "\n\r") || !write_file(path, b->source, b->source_size)) return NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) return NULL;
    print_name(out, path);
    fwrite(b->source, 1, b->source_size, out);
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

cl_int build_debugged(struct build *b)
{
    const struct build asked = *b;
    char *options = NULL, *source = NULL;
    size_t size = 0;
    if (!b->shown || b->objects) return build_cached(b);
    if (asprintf(&options, "-g %s", b->options ? b->options : "") < 0) return CL_OUT_OF_HOST_MEMORY;
    if (!b->il && (source = named_source(b, &size))) b->source = source, b->source_size = size;
    b->options = options;
    cl_int error = build_cached(b);
    b->source = asked.source;
    b->source_size = asked.source_size;
    b->options = asked.options;
    free(options);
    free(source);
    return error;
}
