/* The program in the code window as a file, for debuggers that read symbols from files: in a folder for this user
 * alone, which goes with the process (host/scratch.h). A program that is another one gets another name, so that
 * debuggers notice. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "debug/parts.h"

static bool write_file(const char *path, const uint8_t *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    for (ssize_t n; size; bytes += n, size -= (size_t)n)
        if ((n = write(fd, bytes, size)) <= 0) break;
    if (close(fd) == 0 && !size) return true;
    unlink(path); /* the disk is full */
    return false;
}

static void forget(struct program *p)
{
    if (*p->path) unlink(p->path);
    *p->path = 0;
    p->elf = NULL;
}

bool program_enter(struct program *p, const struct launch_info *info)
{
    if (info->elf == p->elf && info->elf_serial == p->serial) return false;
    bool was = *p->path;
    forget(p);
    p->elf = info->elf;
    p->serial = info->elf_serial;
    if (!info->elf || (!*p->folder.path && !scratch_make(&p->folder))) return was;
    snprintf(p->path, sizeof p->path, "%s/program-%llu.elf", p->folder.path, (unsigned long long)info->elf_serial);
    if (!write_file(p->path, info->elf, info->elf_size)) *p->path = 0;
    return true;
}

void program_free(struct program *p)
{
    forget(p);
    scratch_remove(&p->folder);
}
