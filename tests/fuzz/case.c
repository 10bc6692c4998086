/* Fuzz target: the reader of recorded launches. The input is a .metadata and a .data file with a line "-" in between.
 * Both are refused with a reason, or what was read lies in the data and in the address space. */
#include <string.h>

#include "file.h"
#include "fuzz.h"
#include "vt/case.h"

static void check(const struct recorded *c)
{
    size_t words = 0;
    for (size_t i = 0; i < c->nbuffers; i++) {
        const struct case_buffer *b = &c->buffers[i];
        if (b->size > b->alloc || b->base + b->alloc > (uint64_t)1 << 32 || b->words != c->words + words) abort();
        words += (size_t)((b->size + 3) / 4);
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < words; i++) sum += c->words[i]; /* a sanitizer sees what is not there */
    if (!c->nbuffers || words != c->nwords || (sum && !words)) abort();
    if (c->launch.threads_per_warp > 32 || c->launch.warps > 64) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *between = memmem(data, size, "\n-\n", 3);
    size_t n = between ? (size_t)(between - data) + 1 : size;
    struct fuzz_file metadata = fuzz_file(data, n),
                     words = fuzz_file(data + n + 2 * (n < size), size - n - 2 * (n < size));
    struct recorded c;
    char why[300] = "";
    if (case_read(metadata.path, words.path, &c, why, sizeof why)) {
        check(&c);
        case_free(&c);
    } else if (strncmp(why, "/proc/self/fd/", 14)) abort();
    fuzz_file_close(&metadata);
    fuzz_file_close(&words);
    return 0;
}
