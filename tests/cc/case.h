/* Differential cases: one OpenCL C text, built for the device by ventus-cc and for the host by clang
 * (with host.h), run on the same arguments, all global buffers compared byte for byte.
 *
 *   case.c    "// run:" lines, argument values, comparison
 *   build.c   running the two compilers
 *   host.c    work-items on the host as coroutines
 *
 * A case carries one line per launch, anywhere in its text:
 *   // run: KERNEL global=X[,Y[,Z]] local=X[,Y[,Z]] [offset=X[,Y[,Z]]] args=A,A,...
 * with one A per argument:
 *   bN  buffer of N random bytes       zN  buffer of N zero bytes
 *   fN  buffer of N bytes of floats    iN  buffer of N bytes holding 0, 1, 2, ... as ints
 *   lN  N bytes of local memory        r   a value of random bytes
 *   anything else: an integer (any base), or a float when it contains a point
 * and, behind each kernel, #ifdef HOST / ARGSn(KERNEL, types) / #endif. */
#ifndef CASE_H
#define CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/gpu.h"

enum { CASE_ARGS = 8, CASE_RUNS = 64 };

struct case_arg {
    char kind;      /* b z f i l r, n: integer, p: float */
    uint32_t bytes; /* of a buffer */
    uint64_t integer;
    float number;
};

struct case_run {
    char kernel[64];
    struct ventus_range range;
    unsigned nargs;
    struct case_arg args[CASE_ARGS];
};

/* One text built for one side or both. */
struct case_program {
    ventus_module *module;
    void *host; /* dlopen handle */
    unsigned nruns;
    struct case_run runs[CASE_RUNS];
};

struct case_options {
    const char *clang_flags;          /* extra flags for the host build, or NULL */
    const char *cc_options;           /* OpenCL build options, or NULL */
    const struct gpu_config *machine; /* as build_device takes it */
    uint64_t seed;                    /* of random buffer contents */
    unsigned seconds;                 /* a launch that takes longer is cancelled */
};

/* ---- build.c ---- */

/* The executable `name` in the nearest folder above this program. */
bool find_tool(const char *name, char *path, size_t size);

/* Builds `text` with ventus-cc ($VENTUS_CC, or the nearest one) / clang ($VENTUS_CLANG, or clang-19). On failure the
 * outputs stay and `message` says why. The program is for `machine`, NULL: the first device. */
bool build_device(const char *text, const char *options, const struct gpu_config *machine, ventus_module **module,
                  char *message, size_t size);
bool build_host(const char *text, const char *flags, void **host, char *message, size_t size);
/* Makes the temporary folder and parses host.h; build_host does it when nobody did. */
bool build_begin(char *message, size_t size);
/* Removes the temporary folder; the program may build again afterwards. */
void build_end(void);
char *read_file(const char *path, size_t *size); /* malloc'ed, NUL-terminated; NULL on failure */

/* ---- host.c ---- */

/* Runs all work-items of a launch through the ARGSn wrapper of a kernel. `args` holds the address of
 * each argument's value; `backwards` turns the order of a group's items round. Returns false when
 * memory runs out. */
bool host_run(void (*kernel)(const uint64_t *args), const uint64_t *args, const struct ventus_range *range,
              bool backwards);

/* ---- case.c ---- */

/* Reads the run lines and builds both sides. */
bool case_open(struct case_program *program, const char *text, const struct case_options *options, char *message,
               size_t size);
/* Builds the device's side of an open case again, with another compiler or other options. */
bool case_rebuild(struct case_program *program, const char *text, const struct case_options *options, char *message,
                  size_t size);
void case_close(struct case_program *program);

/* Runs one launch on the host, in two orders of the work-items, and on the device under each of the
 * three path orders. Returns true when all agree; otherwise `message` names kernel, order and first
 * difference. A case whose result depends on the host's order is "not deterministic". */
bool case_run(const struct case_program *program, unsigned run, ventus_device *device,
              const struct case_options *options, char *message, size_t size);

#endif
