/* The Ventus device API: open a device, give it memory and modules, launch kernels.
 *
 * Errors are values of enum ventus_status; a function that fails leaves its outputs untouched.
 * All functions may be called from any thread; launches on one device are serialised inside. */
#ifndef VENTUS_H
#define VENTUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/sim.h"

enum ventus_status {
    VENTUS_OK,
    VENTUS_BAD_ARGUMENT,   /* NULL, zero size, unknown handle, misuse */
    VENTUS_BAD_CONFIG,     /* machine parameters */
    VENTUS_NO_MEMORY,      /* host memory */
    VENTUS_NO_DEVICE_MEMORY,
    VENTUS_OUT_OF_RANGE,   /* a copy leaves its allocation */
    VENTUS_BAD_MODULE,     /* not an ELF for this machine, or damaged */
    VENTUS_NO_KERNEL,      /* no kernel of that name */
    VENTUS_BAD_LAUNCH,     /* sizes or resources the machine cannot hold */
    VENTUS_FAULT,          /* the kernel failed; see the result */
    VENTUS_CANCELLED,
};

/* Static English text of a status. */
const char *ventus_status_text(enum ventus_status status);

/* ---- device.c ---- */

typedef struct ventus_device ventus_device;
typedef struct ventus_module ventus_module;

/* Opens a device of its own with `config` (NULL: the default machine). */
enum ventus_status ventus_open(const struct gpu_config *config, ventus_device **device);
void ventus_close(ventus_device *device);
const struct gpu_config *ventus_config(const ventus_device *device);
struct gpu *ventus_gpu(ventus_device *device);

/* Bytes of device memory that can be allocated in total, and at once. */
uint64_t ventus_memory_size(const ventus_device *device);

/* ---- memory.c ---- */

/* Allocates `size` bytes (> 0), zero-filled, page-aligned; the address is in *addr. Freed memory is
 * reused. */
enum ventus_status ventus_alloc(ventus_device *device, uint64_t size, uint32_t *addr);
enum ventus_status ventus_free(ventus_device *device, uint32_t addr);

/* Copies between host and device. The device range must lie inside one allocation or the loaded
 * module. The overlap of a device-to-device copy is handled as memmove does. */
enum ventus_status ventus_write(ventus_device *device, uint32_t addr, const void *src, uint64_t size);
enum ventus_status ventus_read(ventus_device *device, void *dst, uint32_t addr, uint64_t size);
enum ventus_status ventus_copy(ventus_device *device, uint32_t dst, uint32_t src, uint64_t size);
enum ventus_status ventus_fill(ventus_device *device, uint32_t addr, const void *pattern, size_t pattern_size, uint64_t size);

/* Host address of a device range, NULL if it is not allocated; valid until it is freed. */
void *ventus_map(ventus_device *device, uint32_t addr, uint64_t size);

/* ---- module.c: what a compiled program contains ---- */

enum ventus_arg_kind { ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL, ARG_IMAGE, ARG_SAMPLER };

struct ventus_arg {
    enum ventus_arg_kind kind;
    uint32_t size;       /* bytes in the argument buffer: 4 for every pointer */
    uint32_t offset;     /* byte offset in the argument buffer */
    uint32_t align;      /* ARG_LOCAL: alignment of the pointee, else that of the value */
    const char *name, *type, *access, *address, *qualifiers; /* for clGetKernelArgInfo; may be "" */
};

struct ventus_kernel {
    const char *name;
    uint32_t entry;      /* address of the kernel */
    uint32_t vgprs, sgprs;
    uint32_t lds_bytes;  /* static local memory, without stacks */
    uint32_t pds_bytes;  /* private memory of one work-item */
    uint32_t args_size;  /* bytes of the argument buffer */
    uint32_t reqd[3];    /* reqd_work_group_size, zeros if absent */
    uint32_t hint[3];    /* work_group_size_hint, zeros if absent */
    const char *vec_hint; /* vec_type_hint, "" if absent */
    uint32_t nargs;
    const struct ventus_arg *args;
};

/* Parses an ELF executable (the bytes are copied) made for this machine. On failure *why, if not
 * NULL, is a static text that says what is wrong. A module belongs to no device. */
enum ventus_status ventus_module_load(const void *elf, size_t size, ventus_module **module, const char **why);
void ventus_module_free(ventus_module *module);
size_t ventus_module_kernels(const ventus_module *module);
const struct ventus_kernel *ventus_module_kernel(const ventus_module *module, size_t index);
const struct ventus_kernel *ventus_module_find(const ventus_module *module, const char *name);

/* Source position of `pc`: its line, or 0 when unknown. */
uint32_t ventus_module_line(const ventus_module *module, uint32_t pc);

/* ---- launch.c ---- */

struct ventus_range {
    uint32_t work_dim;   /* 1..3 */
    uint32_t global[3], local[3], offset[3]; /* work-items; unused dimensions 1, 1, 0 */
};

struct ventus_launch {
    const ventus_module *module;
    const struct ventus_kernel *kernel;
    struct ventus_range range;       /* global must be a multiple of local */
    const void *args;                /* kernel->args_size bytes, laid out as kernel->args says;
                                      * the words of ARG_LOCAL arguments are filled in by the driver */
    const uint64_t *local_sizes;     /* one per argument, bytes of each ARG_LOCAL; may be NULL */
    FILE *print;                     /* where printf output goes; NULL: stdout */
    struct launch_options options;
};

/* Runs a kernel to its end. VENTUS_FAULT when the kernel failed: result->fault says where and
 * `message` (if not NULL, `message_size` bytes) receives one line naming kernel, source line when
 * known, pc, work-item and address. The device stays usable. */
enum ventus_status ventus_run(ventus_device *device, const struct ventus_launch *launch, struct result *result,
                              char *message, size_t message_size);

/* Work-items of the largest group this kernel can have on the device. */
uint32_t ventus_max_group(const ventus_device *device, const struct ventus_kernel *kernel);

#endif
