/* Reads from /proc, and from the allocator, what this process holds. */
#include <dirent.h>
#include <malloc.h>

#include "soak.h"

const char *const amount_names[AMOUNTS] = {"bytes of heap", "KiB in memory", "mappings",
                                           "threads",       "files",         "children"};

static long entries(const char *path)
{
    DIR *folder = opendir(path);
    long n = -2; /* . and .. */
    assert_non_null(folder);
    while (readdir(folder)) n++;
    closedir(folder);
    return n;
}

/* Lines of a file. */
static long lines(const char *path)
{
    char part[4096];
    FILE *file = fopen(path, "r");
    long n = 0;
    assert_non_null(file);
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
        for (size_t i = 0; i < got; i++) n += part[i] == '\n';
    fclose(file);
    return n;
}

/* Words of the files that name the children of each thread. */
static long children(void)
{
    DIR *threads = opendir("/proc/self/task");
    long n = 0;
    assert_non_null(threads);
    for (struct dirent *thread; (thread = readdir(threads));) {
        char path[300], pid[32];
        snprintf(path, sizeof path, "/proc/self/task/%s/children", thread->d_name);
        FILE *file = *thread->d_name == '.' ? NULL : fopen(path, "r");
        while (file && fscanf(file, "%31s", pid) == 1) n++;
        if (file) fclose(file);
    }
    closedir(threads);
    return n;
}

static long resident(void)
{
    long all, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &all, &pages), 2);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Of the sanitizers, which keep what has been freed, in mappings of their own. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static long heap_bytes(void)
{
    if (__sanitizer_get_current_allocated_bytes) return (long)__sanitizer_get_current_allocated_bytes();
    const struct mallinfo2 heap = mallinfo2();
    return (long)(heap.uordblks + heap.hblkhd);
}

static struct amounts look(void)
{
    const bool sanitized = __sanitizer_get_current_allocated_bytes;
    return (struct amounts){.n = {[HEAP] = heap_bytes(),
                                  [RESIDENT] = sanitized ? 0 : resident(),
                                  [MAPPINGS] = sanitized ? 0 : lines("/proc/self/maps"),
                                  [THREADS] = entries("/proc/self/task"),
                                  [FILES] = entries("/proc/self/fd") - 1, /* the one that counts */
                                  [CHILDREN] = children()}};
}

/* Releases do not wait: threads of what has been released may still be ending. They have when nothing changes any more.
 */
struct amounts amounts_now(void)
{
    enum { ROUNDS = 200, SAME = 5, PAUSE = 10000 /* microseconds */ };
    struct amounts last = look();
    for (int i = 0, same = 0; i < ROUNDS && same < SAME; i++) {
        usleep(PAUSE);
        struct amounts now = look();
        same = memcmp(&now, &last, sizeof now) ? 0 : same + 1;
        last = now;
    }
    return last;
}
