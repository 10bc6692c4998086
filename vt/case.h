/* Recorded launches: the .metadata and .data files that the public tool chain writes for each kernel
 * launch. Several launches of one program share one memory: load and run them in order. */
#ifndef VENTUS_VT_CASE_H
#define VENTUS_VT_CASE_H

#include "sim/launch.h"

struct case_buffer {
    uint32_t base;
    uint64_t size;         /* bytes that .data holds, may be 0 */
    uint64_t alloc;        /* bytes to open, at least `size` */
    const uint32_t *words; /* (size + 3) / 4 words */
};

struct recorded {
    struct launch launch;
    size_t nbuffers;
    struct case_buffer *buffers;
    uint32_t *words; /* all of .data */
    size_t nwords;
};

/* Name of the .data file of a .metadata or .meta file, malloc'ed; NULL when out of memory. */
char *case_data_path(const char *metadata);
/* The same of the .expect file, which has the words of .data as the launch leaves them. */
char *case_expect_path(const char *metadata);

/* Reads a launch. False, with "file:line: what" in `why`, when the files are missing, malformed or do
 * not belong together. Release with case_free. */
bool case_read(const char *metadata, const char *data, struct recorded *out, char *why, size_t why_size);
void case_free(struct recorded *c);

/* Opens the launch's buffers and writes those that .data lists; others keep what they hold. False when
 * a buffer leaves the 32-bit space or the host is out of memory. */
bool case_load(struct gpu *gpu, const struct recorded *c);

/* Opens all of the local, code and heap windows, as the memory of the public simulator is: launches that
 * touch bytes of no buffer find zeros there. False when the host is out of memory. */
bool case_open_flat(struct gpu *gpu);

/* Machine parameters that hold every recorded launch. */
void case_config(struct gpu_config *config);

#endif
