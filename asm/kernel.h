/* A program's description of its kernels: the records `kernel` and `arg` of its module note (asm/note.h).
 *
 * The compiler and the assembler fill these in, and the driver's API returns them unchanged and is installed with this
 * file: hence the names, and no include beyond stdint. */
#ifndef VENTUS_ASM_KERNEL_H
#define VENTUS_ASM_KERNEL_H

#include <stdint.h>

/* Kinds of arguments. note_arg_kind has their names in the note and in .arg. */
enum ventus_arg_kind {
    VENTUS_ARG_VALUE,
    VENTUS_ARG_GLOBAL,
    VENTUS_ARG_CONSTANT,
    VENTUS_ARG_LOCAL,
    VENTUS_ARG_IMAGE,
    VENTUS_ARG_SAMPLER,
    VENTUS_ARG_PIPE
};
enum { VENTUS_ARG_KINDS = VENTUS_ARG_PIPE + 1 };

struct ventus_arg {
    enum ventus_arg_kind kind;
    uint32_t size;   /* bytes in the argument buffer: 4 for every pointer, struct abi_image for an image */
    uint32_t offset; /* byte offset in the argument buffer */
    uint32_t align; /* VENTUS_ARG_LOCAL: alignment of the memory it points to, else that of the argument itself; a power
                     * of two, at most 1024 */
    const char *name, *type, *access, *address, *qualifiers; /* for clGetKernelArgInfo; may be "" */
    const char *more; /* unknown fields, as in the note, each after a space; may be "" */
};

struct ventus_kernel {
    const char *name;
    uint32_t entry; /* address of the kernel */
    uint32_t vgprs, sgprs;
    uint32_t lds_bytes;   /* static local memory, without stacks */
    uint32_t pds_bytes;   /* private memory of one work-item */
    uint32_t args_size;   /* bytes of the argument buffer */
    uint32_t reqd[3];     /* reqd_work_group_size, zeros if absent */
    uint32_t hint[3];     /* work_group_size_hint, zeros if absent */
    const char *vec_hint; /* vec_type_hint, "" if absent */
    uint32_t nargs;
    const struct ventus_arg *args;
    const char *more;   /* as above */
    uint32_t ungrouped; /* 1: the kernel cannot observe how its work-items are grouped; 2: nor does any of them
                         * wait for another; 3: and work-items in long rows along the first dimension take the least
                         * time. Since version 6.0 */
    uint32_t links;     /* 1: it reads or writes 32-bit pointers in global memory. Since version 6.1 */
};

#endif
