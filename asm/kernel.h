/* What a program says about its kernels: the records `kernel` and `arg` of its module note (asm/note.h).
 *
 * The compiler and the assembler fill these in, the driver's interface hands them out as they are and is installed with
 * this file: hence the names, and no include beyond stdint. */
#ifndef VENTUS_ASM_KERNEL_H
#define VENTUS_ASM_KERNEL_H

#include <stdint.h>

/* What a kernel takes as an argument. Their names in the note, and in .arg, are note_arg_kind's. */
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
    const char *more; /* fields that are not known here, as they stand in the note, each behind a space; may be "" */
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
    uint32_t ungrouped; /* 1: nothing shows the kernel how its work-items are grouped; 2: and none of them waits for
                         * what another one does. Since version 6.0 */
    uint32_t links;     /* 1: it reads or writes pointers in global memory, of 32 bits. Since version 6.1 */
};

#endif
