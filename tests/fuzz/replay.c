/* Runs a fuzz target over the files of a folder: what fuzzing has found stays tested. The folder is
 * compiled in, or the first argument. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, room, f) : 0;
    if (f) fclose(f);
    return n;
}

int main(int argc, char **argv)
{
    enum { ROOM = 1 << 20 };
    const char *folder = argc > 1 ? argv[1] : FUZZ_CORPUS;
    DIR *d = opendir(folder);
    unsigned files = 0;
    if (!d) {
        fprintf(stderr, "no folder %s\n", folder);
        return 1;
    }
    for (struct dirent *e; (e = readdir(d));) {
        char path[4096];
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        uint8_t *bytes = malloc(ROOM);
        size_t n = bytes ? read_file(path, bytes, ROOM) : 0;
        uint8_t *exact = realloc(bytes, n + 1); /* so that a sanitizer sees reads behind the end */
        LLVMFuzzerTestOneInput(exact ? exact : bytes, n);
        free(exact ? exact : bytes);
        files++;
    }
    closedir(d);
    printf("%u files\n", files);
    return files ? 0 : 1;
}
