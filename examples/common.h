/* What the examples share: command line, device choice, building, running, checking, reporting.
 *
 * Plain OpenCL on any device. Every call that fails ends the program with a message: an example
 * has nothing to clean up that the process's end does not. Called by every example's main. */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session {
    const char *name;   /* of the example */
    const char *input;  /* first argument that is no option, or NULL */
    const char *output; /* --output FILE, or NULL */
    unsigned size;      /* --size N, or the example's default */
    unsigned samples;   /* --bench N: measured runs, 0 = ordinary run */

    cl_device_id device;
    char device_name[128];
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    const char *build_options; /* NULL: none */

    double build_seconds;
    double kernel_seconds; /* summed over launches, from the event */
    unsigned launches;
    bool counted; /* the device has counters */
    uint64_t instructions, vector, lanes, branches, divergent;
};

/* Reads the command line, picks a device (--device TEXT: the first whose name or platform contains
 * it; else the first GPU; else the first device) and opens a queue on it. */
void session_open(struct session *s, int argc, char **argv, const char *purpose, unsigned size);

/* The same for a program with options of its own: device (NULL: any, as above) and queue. */
void session_device(struct session *s, const char *wanted);
unsigned option_number(const char *option, const char *text); /* from 1 to 16384; ends the program if it is not */
/* Is the text `yes`, not `no`? Ends the program if it is neither. */
bool option_choice(const char *option, const char *text, const char *no, const char *yes);

/* Builds the program; on failure prints the build log. Then its kernels can be had by name. */
void session_build(struct session *s, const char *source);
void session_build_file(struct session *s, const char *path);
cl_kernel session_kernel(const struct session *s, const char *name);

/* A buffer of `bytes`; `data` may be NULL. */
cl_mem session_buffer(struct session *s, cl_mem_flags access, size_t bytes, const void *data);
void session_read(struct session *s, cl_mem buffer, size_t bytes, void *data);

/* Sets argument `index` of a kernel; the macro takes a value, NULL data makes local memory. */
void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value);
#define SET_ARG(kernel, index, value) set_arg(kernel, index, sizeof(value), &(value))

/* Launches and waits. With --bench it also prints one line per measured run:
 * "bench NAME KERNEL SECONDS", wall time from enqueue to finish. `local` may be NULL. */
void session_run(struct session *s, cl_kernel kernel, const char *label, cl_uint dims, const size_t *global,
                 const size_t *local);

/* Prints device, times and counts, then the verdict; returns main's exit code and frees. */
int session_close(struct session *s, bool ok, const char *checked);

/* Prints a message and ends the program with exit code 1. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check_cl(cl_int error, const char *what);
void *need(void *memory); /* ends the program when an allocation failed */

/* Reproducible numbers for test data. */
uint32_t next_random(uint32_t *state);

#endif
