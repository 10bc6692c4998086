/* Kernel arguments as the command line gives them: see the help of `ventus run`. */
#ifndef VENTUS_TOOL_ARGUMENTS_H
#define VENTUS_TOOL_ARGUMENTS_H

#include "driver/gpu.h"
#include "tool.h"

enum argument_kind { ARGUMENT_NUMBERS, ARGUMENT_BYTES, ARGUMENT_BUFFER, ARGUMENT_LOCAL, ARGUMENT_NULL };

struct argument {
    enum argument_kind kind;
    const char *spec;
    uint8_t *bytes;      /* BYTES: the value; BUFFER: first contents */
    uint64_t size;       /* BYTES, BUFFER, LOCAL */
    const char *numbers; /* NUMBERS: "1,2,3"; their width follows from the kernel's argument */
    char *text;          /* what `numbers` was made of when it came from a file */
    bool floating;
    bool unwritten;   /* BUFFER: its contents are undefined, although they are zeros */
    const char *file; /* BUFFER: where it is written afterwards, NULL: nowhere */
    char show;        /* BUFFER: printed afterwards as i, u, x or f, 0: not */
    uint64_t show_count;
    uint32_t addr; /* BUFFER: on the device */
};

/* Reads one SPEC; a mistake is a usage error. */
struct argument argument_parse(const struct args *args, const char *spec);

/* Bytes it takes in the argument buffer of a program that does not say: numbers have four each. */
uint32_t argument_bytes(const struct argument *a);

/* Checks an argument against the kernel's, puts buffers on the device and the value into `image`. */
void argument_place(const struct args *args, struct argument *a, unsigned index, const struct ventus_arg *want,
                    ventus_device *device, uint8_t *image, uint64_t *local_size);

void argument_free(struct argument *a);

/* After the run: writes and prints what was asked for. */
void argument_finish(const struct argument *a, unsigned index, ventus_device *device);

#endif
