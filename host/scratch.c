/* Temporary folders that go with their process. Anybody may make files of any name in /tmp: a sweep removes only
 * folders of this user that nobody else can enter, empties them by their descriptors, and keeps out of places where
 * others could have given such a name to a folder. */
#include "host/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/host.h"

#define NAME "ventus-session-"
enum { LETTERS = 6 }; /* behind it, by mkdtemp */

enum { PLACES = 3 };

static const char *place(unsigned i)
{
    const char *const variable = i == 0 ? "XDG_RUNTIME_DIR" : "TMPDIR";
    const char *said = i < 2 ? secure_getenv(variable) : "/tmp";
    return said && *said == '/' ? said : NULL;
}

/* A descriptor of a folder of ours, with its lock; -1: it is none, or somebody has the lock. On file systems without
 * such locks nobody gets one, unless `made`: folders stay. */
static int lock_folder(int above, const char *name, bool made)
{
    struct stat s;
    int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fd = host_above_standard(fd)) < 0) return -1;
    const bool own = !fstat(fd, &s) && s.st_uid == geteuid() && !(s.st_mode & 077);
    if (own && (!flock(fd, LOCK_EX | LOCK_NB) || (made && errno != EWOULDBLOCK))) return fd;
    close(fd);
    return -1;
}

/* ---- removing ---- */

static void remove_files(int folder)
{
    const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    if (!d && copy >= 0) close(copy);
    for (struct dirent *e; d && (e = readdir(d));) unlinkat(folder, e->d_name, 0); /* not "." and other folders */
    if (d) closedir(d);
}

static bool is_name(const char *name)
{
    return !strncmp(name, NAME, sizeof NAME - 1) && strlen(name) == sizeof NAME - 1 + LETTERS;
}

/* Can nobody else rename our folders there? With a name like a session's any private folder of ours would go. */
static bool is_safe(int place)
{
    struct stat s;
    return !fstat(place, &s) && (!(s.st_mode & 022) || s.st_mode & S_ISVTX);
}

static void sweep_place(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && is_safe(dirfd(d)) && (e = readdir(d));) {
        const int folder = is_name(e->d_name) ? lock_folder(dirfd(d), e->d_name, false) : -1;
        if (folder < 0) continue;
        remove_files(folder);
        unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
        close(folder);
    }
    if (d) closedir(d);
}

void scratch_sweep(void)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (place(i)) sweep_place(place(i));
}

void scratch_remove(struct scratch *s)
{
    if (!*s->path) return;
    remove_files(s->lock);
    rmdir(s->path);
    close(s->lock);
    *s->path = 0;
}

/* ---- making ---- */

/* Somebody who sweeps may find the folder before it is locked: then it is gone, or going. */
static bool make_in(struct scratch *s, const char *where)
{
    for (int tries = 0; tries < 10; tries++) {
        errno = ENAMETOOLONG;
        if ((size_t)snprintf(s->path, sizeof s->path, "%s/" NAME "XXXXXX", where) >= sizeof s->path) return false;
        if (!mkdtemp(s->path)) return false;
        s->lock = lock_folder(AT_FDCWD, s->path, true);
        if (s->lock >= 0 && !access(s->path, F_OK)) return true;
        if (s->lock >= 0) close(s->lock);
        rmdir(s->path);
    }
    errno = EAGAIN;
    return false;
}

bool scratch_make(struct scratch *s)
{
    scratch_sweep();
    for (unsigned i = 0; i < PLACES; i++)
        if (place(i) && make_in(s, place(i))) return true;
    *s->path = 0;
    return false;
}
