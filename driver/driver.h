/* What the files of driver/ share: the device and the allocations on it.
 *
 * Two locks: `lock` guards the table of allocations and is held for the time of a copy; `running` is
 * held for a launch and for anything that replaces the loaded module. Who takes both takes `running`
 * first. */
#ifndef VENTUS_DRIVER_H
#define VENTUS_DRIVER_H

#include <threads.h>

#include "asm/asm.h"
#include "driver/ventus.h"
#include "isa/abi.h"

struct block { uint32_t addr; uint64_t size; }; /* size as asked for; ends on a page, then a closed page */

enum { MAX_SEGMENTS = 16 };

/* A piece of a program at its place in the code window. */
struct segment {
    uint32_t addr;
    uint32_t filesize, memsize;
    unsigned access;      /* enum gpu_access */
    const uint8_t *data;
};

struct ventus_device {
    struct gpu *gpu;
    mtx_t lock, running;
    struct block *blocks;  /* ascending */
    size_t nblocks, capacity;
    uint64_t loaded;       /* serial number of the module in the code window, 0: none */
    struct segment segments[MAX_SEGMENTS];
    size_t nsegments;
};

struct line { uint32_t pc, line; };
struct text { uint32_t id; const char *text; };

struct ventus_module {
    uint64_t serial;        /* never reused: tells a module from another at the same address */
    void *bytes;            /* the file */
    char *note;             /* its note, cut into the strings below */
    uint32_t entry;
    struct segment segments[MAX_SEGMENTS];
    size_t nsegments;
    struct ventus_kernel *kernels;
    struct ventus_arg *args;
    struct line *lines;
    struct text *formats, *strings; /* ascending by id */
    size_t nkernels, nargs, nlines, nformats, nstrings;
};

/* module.c: puts the module into the code window unless it is there. `running` is held. */
enum ventus_status module_place(ventus_device *device, const ventus_module *module);

/* print.c: decodes the print buffer of `size` bytes and writes its records to `out`. */
void print_records(const ventus_module *module, const uint8_t *buffer, uint32_t size, FILE *out);

#endif
