/* The machine: a 4 GiB memory, streaming multiprocessors and the warps on them.
 *
 * A launch is data in, a result is data out: guest errors are results, never host failures. */
#ifndef VENTUS_SIM_H
#define VENTUS_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/isa.h"

/* ---- config.c: machine parameters ---- */

struct gpu_config {
    uint32_t sms;              /* streaming multiprocessors, reported as compute units */
    uint32_t warps_per_sm;     /* resident warps of one SM = most warps of a work-group */
    uint32_t threads_per_warp; /* lanes: 4, 8, 16 or 32 */
    uint32_t lds_bytes;        /* local memory of one SM, scalar stacks included */
    uint32_t vgpr_rows;        /* vector registers of one SM, shared by its warps */
    uint32_t sgpr_rows;        /* scalar registers of one SM */
    uint32_t clock_mhz;        /* what one instruction slot of the functional model stands for */
    uint64_t quantum;          /* instructions a warp runs before the next one gets its turn */
};

/* Fills in the default machine. */
void gpu_config_default(struct gpu_config *config);

/* NULL if the machine can be built, else a static text naming the offending parameter. */
const char *gpu_config_check(const struct gpu_config *config);

/* ---- gpu.c: the machine as a whole ---- */

struct gpu;

/* Builds a machine. Returns NULL and sets *error (static text) when the configuration is bad or
 * the 4 GiB window cannot be reserved. Nothing is committed until memory is opened. */
struct gpu *gpu_create(const struct gpu_config *config, const char **error);
void gpu_destroy(struct gpu *gpu);
const struct gpu_config *gpu_config_of(const struct gpu *gpu);

/* ---- mem.c: the guest address space ---- */

enum gpu_access { GPU_READ = 1, GPU_WRITE = 2, GPU_EXEC = 4 };

/* Opens [addr, addr + size) with the given access; both are rounded outward to pages. New pages
 * read as zero. Returns false when the host is out of memory or the range is not inside the
 * 32-bit space. */
bool gpu_mem_open(struct gpu *gpu, uint32_t addr, uint64_t size, unsigned access);

/* Closes a range: later guest accesses fault, host memory is given back. */
void gpu_mem_close(struct gpu *gpu, uint32_t addr, uint64_t size);

/* Host pointer to [addr, addr + size) if all of it is open, else NULL. Writing through it to code
 * needs gpu_mem_code_changed afterwards. Valid until the range is closed. */
void *gpu_mem(struct gpu *gpu, uint32_t addr, uint64_t size);

/* Drops decoded instructions; call after writing into the code window. */
void gpu_mem_code_changed(struct gpu *gpu);

/* ---- launch.c: dispatch of work-groups ---- */

/* Everything the host signals of a launch say (architecture: "Life of one launch"). */
struct launch {
    uint32_t start_pc;          /* first instruction of every warp */
    uint32_t knl;               /* CSR_KNL: address of the metadata block */
    uint32_t groups[3];         /* work-groups per dimension, each >= 1 */
    uint32_t warps;             /* warps of a work-group */
    uint32_t threads_per_warp;  /* lanes of a warp, 1..32, normally the machine's */
    uint32_t work_items;        /* work-items of a group; the last warp's excess lanes are masked */
    uint32_t sgprs, vgprs;      /* registers of a warp; others fault as illegal instructions */
    uint32_t lds_bytes;         /* local memory of a group, scalar stacks included */
    uint32_t pds_base;          /* private memory: base address ... */
    uint32_t pds_bytes;         /* ... and bytes of one work-item */
};

enum fault_kind {
    FAULT_NONE,
    FAULT_READ, FAULT_WRITE,    /* address not open for this access */
    FAULT_FETCH,                /* pc not in open, executable memory or misaligned */
    FAULT_MISALIGNED,           /* private access that crosses its word; atomic not on a word */
    FAULT_ILLEGAL,              /* undecodable word, or a register the launch did not ask for */
    FAULT_SIMT_OVERFLOW,        /* SIMT stack overflow */
    FAULT_ENDPRG_DIVERGED,      /* endprg with lanes waiting on the SIMT stack */
    FAULT_BARRIER_DEADLOCK,     /* warps can never meet: none can run */
    FAULT_LAUNCH,               /* launch parameters the machine cannot hold */
};

/* Who was at fault where. All fields are as of the failing instruction. */
struct fault {
    enum fault_kind kind;
    uint32_t group[3];          /* work-group index */
    uint32_t warp;              /* warp in its group */
    uint32_t lanes;             /* mask of active lanes */
    uint32_t lane;              /* first lane at fault, or ISA_LANES when not per lane */
    uint32_t pc, word;          /* address (of the prefix if there is one) and bits of the instruction */
    uint32_t prefix;            /* bits of its register-extension prefix, 0 if none */
    uint32_t addr;              /* guest address of a memory fault */
    char detail[96];            /* further explanation, may be empty */
};

struct counters {
    uint64_t instructions;      /* warp instructions, a prefix counted with its instruction */
    uint64_t lanes;             /* active lanes summed over vector instructions */
    uint64_t vector_instructions;
    uint64_t branches;          /* vector branches executed ... */
    uint64_t divergent;         /* ... of which diverged */
    uint64_t loads, stores, atomics; /* memory instructions */
    uint64_t barriers;          /* barrier arrivals of warps */
    uint64_t groups, warps;     /* dispatched */
    uint32_t max_simt_depth;    /* deepest SIMT stack seen */
};

enum launch_status { LAUNCH_DONE, LAUNCH_FAULT, LAUNCH_CANCELLED };

struct result {
    enum launch_status status;
    struct fault fault;
    struct counters counters;
};

/* Observer of a launch. With any hook set the hooked build of the engine runs. */
struct warp;
struct trace {
    void *user;
    /* After an instruction of `warp` has been executed; `pc` is its address. */
    void (*after)(void *user, const struct warp *warp, uint32_t pc, const struct insn *insn);
};

/* Which side of a diverged branch runs first. The architecture's order is fewer lanes first; the
 * others exist so that tests can prove a program does not depend on it. */
enum path_order { PATH_FEWER_FIRST, PATH_TAKEN_FIRST, PATH_FALLTHROUGH_FIRST };

struct launch_options {
    const struct trace *trace;     /* NULL: none */
    enum path_order order;
    const volatile bool *cancel;   /* polled about every quantum; NULL: never */
};

/* Runs a launch to its end on the calling thread. `options` may be NULL. One launch at a time per
 * machine; the caller serialises. */
void gpu_launch(struct gpu *gpu, const struct launch *launch, const struct launch_options *options, struct result *result);

/* Static name of a fault kind, e.g. "read of unmapped memory". */
const char *fault_name(enum fault_kind kind);

/* Prints a fault in one line without newline: kind, address, work-group, warp, lane, pc and the
 * disassembled instruction. Returns the length as snprintf does. */
int fault_print(const struct fault *fault, char *buf, size_t size);

#endif
