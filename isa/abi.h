/* What compiler, driver and machine agree on: memory map, metadata and argument buffers, stacks,
 * print records. Pure C without includes beyond stdint, so that anything may include it, the built-in
 * functions in OpenCL C too.
 * Background: docs/architecture.md, "Contracts". */
#ifndef VENTUS_ABI_H
#define VENTUS_ABI_H

#ifdef __OPENCL_C_VERSION__
typedef uint uint32_t;
#else
#include <stdint.h>
#endif

/* Memory map, byte addresses of the 32-bit device space. */
#define ABI_LOCAL_BASE      0x70000000u /* local memory window */
#define ABI_LOCAL_LIMIT     0x80000000u
#define ABI_CODE_BASE       0x80000000u /* text, constants; execution starts here */
#define ABI_CODE_LIMIT      0x90000000u
#define ABI_VARIABLES_LIMIT (64u << 20) /* bytes of a program's variables, at the end of the code window */
#define ABI_HEAP_BASE       0x90000000u /* buffers, argument and metadata blocks, private memory */
#define ABI_LAUNCH_BASE     0xfc000000u /* of the heap: where our driver puts argument and metadata blocks */
#define ABI_HEAP_LIMIT      0xfffff000u
#define ABI_PAGE            4096u

/* Kernel metadata block, addressed by CSR_KNL: byte offset of each word. */
enum abi_metadata {
    ABI_META_ENTRY = 0, /* address of the kernel */
    ABI_META_ARGS = 4,  /* address of the argument buffer, 0 if none */
    ABI_META_WORK_DIM = 8,
    ABI_META_GLOBAL_SIZE = 12,   /* three words: work-items */
    ABI_META_LOCAL_SIZE = 24,    /* three words: work-items of a group */
    ABI_META_GLOBAL_OFFSET = 36, /* three words */
    ABI_META_PRINT_ADDR = 48,
    ABI_META_PRINT_SIZE = 52, /* bytes */
    ABI_META_SIZE = 64,
};

/* Scalar stack of a warp: ABI_WARP_STACK bytes of local memory, growing upwards from sp.
 * The work-group's own local data begin behind the stacks of all its warps; s0 (x8) points there. */
#define ABI_WARP_STACK 1024u
/* Functions of a whole work-group pass values through the last part of it, eight bytes a lane. */
#define ABI_WARP_SCRATCH (ABI_WARP_STACK - 256u)

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

/* Numbers of registers in debug information. The psABI of RISC-V has numbers for x0 to x31, v0 to v31 and all CSRs;
 * those of our further ones are in its range for extensions like ours, 3072 to 4095. */
static inline uint32_t abi_dwarf_x(uint32_t n) { return n < 32 ? n : 3584 + n; }
static inline uint32_t abi_dwarf_v(uint32_t n) { return n < 32 ? 96 + n : 3072 + n; }
static inline uint32_t abi_dwarf_csr(uint32_t n) { return 4096 + n; }

/* What a debugger reads of a work-item as memory (docs/debugging.md): a window behind its private memory, which no
 * program can access. In words: its lane of each vector register, its warp's scalar registers, ids, control registers
 * by their numbers, and last all lanes of each vector register. */
#define ABI_WINDOW       0x01000000u
#define ABI_WINDOW_BYTES 0x10000u
enum abi_window {
    ABI_WINDOW_V = 0,
    ABI_WINDOW_X = 0x100,
    ABI_WINDOW_IDS = 0x140,
    ABI_WINDOW_CSR = 0x1000,
    ABI_WINDOW_LANES = 0x2000,
};
static inline uint32_t abi_window_v(uint32_t n) { return ABI_WINDOW + 4 * (ABI_WINDOW_V + n); }
static inline uint32_t abi_window_x(uint32_t n) { return ABI_WINDOW + 4 * (ABI_WINDOW_X + n); }
static inline uint32_t abi_window_csr(uint32_t n) { return ABI_WINDOW + 4 * (ABI_WINDOW_CSR + n); }
/* From ABI_WINDOW_IDS on; those of three words in x, y, z. */
enum abi_window_id {
    ABI_WINDOW_LANE,
    ABI_WINDOW_WARP,
    ABI_WINDOW_LOCAL,
    ABI_WINDOW_GLOBAL = ABI_WINDOW_LOCAL + 3,
    ABI_WINDOW_GROUP = ABI_WINDOW_GLOBAL + 3,
    ABI_WINDOW_ACTIVE = ABI_WINDOW_GROUP + 3, /* the lanes of its warp that are */
};

/* Registers are given to warps in multiples of four: those that `n` take. */
static inline uint32_t abi_registers(uint32_t n) { return (n + 3) & ~3u; }

/* Private memory of a work-item, in bytes, for a kernel in assembly that does not say how much it wants. */
#define ABI_PRIVATE_BYTES 1024u

/* Alignment that suits every type of OpenCL C (long16): of memory for a __local argument when nobody says what it is
 * for. The group's own local data begin at a multiple of ABI_WARP_STACK, so that no more than that can be asked. */
#define ABI_ANY_ALIGN 128u

/* Print buffer: word 0 counts the bytes reserved so far, starting at ABI_PRINT_HEADER (an atomic add by each printing
 * work-item), word 1 the bytes of complete records (an atomic add behind the record); records follow. A record that
 * would pass the end is not written: its work-item waits until word 0 is within the buffer again. The one of those
 * whose place begins in the buffer waits until all records in front of it are complete, and writes that place to
 * CSR_PRINT; the host prints the records, clears them and word 1, and last sets word 0 to ABI_PRINT_HEADER.
 * Record: word 0 its size in bytes (a multiple of 4, this word included), word 1 the format's number, then the
 * arguments in order, each rounded up to four bytes: integers up to 32 bits and float as one word, 64-bit values as
 * two, low word first, vectors as their elements in this way, pointers one word, %s arguments the number of a literal
 * of the string table or the address of a string in constant memory. A conversion of floating-point numbers has
 * length l if they are doubles, else none or (vectors) hl. */
#define ABI_PRINT_HEADER 8u

/* Resource record of a kernel: what it needs, for launchers that do not know the module note. Little-endian,
 * one behind the other, in a section that is not loaded: .ventus.resource.KERNEL, or .rodata.ventus.resource
 * for records that do not say whose they are. All versions hold the same values in the same order:
 *
 *   version  bytes  begins with                       values
 *   0        8      -                                 4 x u16: vgpr, sgpr, lds, pds
 *   1        24     "VRES", u16 1, u16 24             4 x u32: vgpr, sgpr, lds, pds
 *   2, 3     56     u32 version, u32 flags            6 x u64: vgpr, sgpr, lds, pds, lds stack, pds stack
 *   4        96     u32 version, u32 flags            6 x u64 as in 2, then 10 x u32 for ray tracing
 *
 * vgpr and sgpr are numbers of registers, the others bytes: lds of a work-group, pds of a work-item. In
 * versions 0 and 1 lds and pds are all of it; from 2 on they are what is fixed, and the stacks at their deepest
 * come on top. A function has at least one scalar register, so a first word of 1 to 65535 is a version. */
enum abi_resource_value { ABI_VGPR, ABI_SGPR, ABI_LDS, ABI_PDS, ABI_LDS_STACK, ABI_PDS_STACK, ABI_RESOURCE_VALUES };
enum { ABI_RESOURCE_VERSIONS = 5, ABI_RESOURCE_LARGEST = 96, ABI_RESOURCE_RAY = 10 };
#define ABI_RESOURCE_UNKNOWN UINT64_MAX /* of a stack */

/* Flags of a record: what its call graph has, and what of the values is not known for that reason. */
enum abi_resource_flag {
    ABI_DYNAMIC_ALLOCA = 1 << 0,
    ABI_RECURSION = 1 << 1,
    ABI_INDIRECT_CALL = 1 << 2,
    ABI_UNKNOWN_CALLEE = 1 << 3,
    ABI_STACK_UNKNOWN = 1 << 4,
    ABI_REGISTERS_INCOMPLETE = 1 << 5, /* vgpr and sgpr are lower bounds */
};

/* Summary of an object's functions, section .ventus.resobj, from which a linker makes the records of the
 * entries. Nine u32: magic, version 1, flags, numbers of functions, edges and references, offsets of the three
 * tables. Symbols are words that a relocation fills in.
 *
 *   function   64 bytes: u32 symbol, u32 flags, u64 vgpr, sgpr, lds stack, pds stack, outgoing private bytes,
 *              u32 first edge, edges, first reference, references
 *   edge        8 bytes: u32 symbol of the callee, u32 flags
 *   reference  16 bytes: u32 symbol of a variable, u32 flags, u64 bytes */
// clang-format off
enum { ABI_SUMMARY_MAGIC = 0x5652534f, ABI_SUMMARY_VERSION = 1, ABI_SUMMARY_HEADER = 36, ABI_SUMMARY_FUNCTION = 64, ABI_SUMMARY_EDGE = 8,
       ABI_SUMMARY_REFERENCE = 16 };
// clang-format on
enum { ABI_FUNCTION_ENTRY = 1, ABI_FUNCTION_DYNAMIC_ALLOCA = 2, ABI_FUNCTION_INDIRECT_CALL = 4 };
enum { ABI_EDGE_TAIL = 1 };
enum { ABI_REFERENCE_LDS = 1, ABI_REFERENCE_PDS = 2 };

/* CSR numbers: enum abi_csr { CSR_TID = 0x800, ... }. */
enum abi_csr {
#define CSR(number, id, ...) CSR_##id = number,
#include "csr.def"
#undef CSR
};

#endif
