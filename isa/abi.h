/* What compiler, driver and machine agree on: memory map, metadata and argument buffers, stacks,
 * print records. Pure C without includes beyond stdint, so that anything may include it.
 * Background: docs/architecture.md, "Contracts". */
#ifndef VENTUS_ABI_H
#define VENTUS_ABI_H

#include <stdint.h>

/* Memory map, byte addresses of the 32-bit device space. */
#define ABI_LOCAL_BASE   0x70000000u /* local memory window */
#define ABI_LOCAL_LIMIT  0x80000000u
#define ABI_CODE_BASE    0x80000000u /* text, constants; execution starts here */
#define ABI_CODE_LIMIT   0x90000000u
#define ABI_HEAP_BASE    0x90000000u /* buffers, argument and metadata blocks, private memory */
#define ABI_HEAP_LIMIT   0xfffff000u
#define ABI_PAGE         4096u

/* Kernel metadata block, addressed by CSR_KNL: byte offset of each word. */
enum abi_metadata {
    ABI_META_ENTRY = 0,          /* address of the kernel */
    ABI_META_ARGS = 4,           /* address of the argument buffer, 0 if none */
    ABI_META_WORK_DIM = 8,
    ABI_META_GLOBAL_SIZE = 12,   /* three words: work-items */
    ABI_META_LOCAL_SIZE = 24,    /* three words: work-items of a group */
    ABI_META_GLOBAL_OFFSET = 36, /* three words */
    ABI_META_PRINT_ADDR = 48,
    ABI_META_PRINT_SIZE = 52,    /* bytes */
    ABI_META_SIZE = 64,
};

/* Scalar stack of a warp: ABI_WARP_STACK bytes of local memory, growing upwards from sp.
 * The work-group's own local data begin behind the stacks of all its warps; s0 (x8) points there. */
#define ABI_WARP_STACK 1024u

/* Argument buffer: the next argument of `size` bytes begins at the next multiple of its alignment:
 * max(4, size rounded up to a power of two). Pointers take four bytes; a __local pointer holds the
 * byte offset from s0 and the kernel adds s0. A 3-component vector has the size of four. */
static inline uint32_t abi_arg_align(uint32_t size)
{
    uint32_t a = 4;
    while (a < size && a < 0x80000000u) a <<= 1;
    return a;
}

static inline uint32_t abi_arg_offset(uint32_t end_of_previous, uint32_t size)
{
    uint32_t a = abi_arg_align(size);
    return (end_of_previous + a - 1) & ~(a - 1);
}

/* Print buffer: word 0 counts the bytes reserved so far, starting at ABI_PRINT_HEADER (an atomic add
 * by each printing work-item, never taken back); records follow. A record that would pass the end of
 * the buffer is not written and is dropped by the reader. Record: word 0 its size in bytes (a
 * multiple of 4, this word included), word 1 the format's number, then the arguments in order, each
 * rounded up to four bytes: integers up to 32 bits and float as one word, 64-bit values as two, low
 * word first, vectors as their elements in this way, pointers one word, %s arguments the number of
 * a literal of the string table. */
#define ABI_PRINT_HEADER 8u

/* CSR numbers: enum abi_csr { CSR_TID = 0x800, ... }. */
enum abi_csr {
#define CSR(number, id, name, access, text) CSR_##id = number,
#include "csr.def"
#undef CSR
};

#endif
