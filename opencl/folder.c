/* Temporary folders, in which headers and objects reach the compiler. Called by compile.c and build.c. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "objects.h"

static const char *folder_above(void)
{
    const char *tmp = secure_getenv("TMPDIR");
    return tmp && *tmp ? tmp : "/tmp";
}

char *folder_make(void)
{
    char *folder = NULL;
    if (asprintf(&folder, "%s/ventus-XXXXXX", folder_above()) < 0) return NULL;
    if (mkdtemp(folder)) return folder;
    free(folder);
    return NULL;
}

char *folder_problem(const char *what)
{
    char *text = NULL;
    const char *reason = strerror(errno);
    return asprintf(&text, "ventus: cannot write %s to a temporary folder in %s: %s; TMPDIR can name another\n", what,
                    folder_above(), reason) < 0
               ? NULL
               : text;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void folder_remove(char *folder)
{
    const int error = errno;
    if (folder) nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(folder);
    errno = error;
}

bool folder_write(const char *folder, const char *name, const void *bytes, size_t size)
{
    char *path = NULL;
    errno = EFBIG;
    if (!host_may_write(size) || asprintf(&path, "%s/%s", folder, name) < 0) return false;
    for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(path, 0700); /* there already is fine; if not, opening the file tells */
        *p = '/';
    }
    FILE *file = fopen(path, "wbe");
    bool ok = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file)) ok = false;
    free(path); /* which leaves errno alone */
    return ok;
}
