/* For targets whose input is what a file holds: a file without a name, and its path. */
#ifndef VENTUS_TESTS_FUZZ_FILE_H
#define VENTUS_TESTS_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file {
    int fd;
    char path[40];
};

static inline struct fuzz_file fuzz_file(const uint8_t *data, size_t size)
{
    struct fuzz_file f = {.fd = memfd_create("fuzz", 0)};
    if (f.fd < 0 || write(f.fd, data, size) != (ssize_t)size) abort();
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
}

static inline void fuzz_file_close(const struct fuzz_file *f) { close(f->fd); }

#endif
