/* Co-simulation: a design (RTL, another simulator) and the functional machine execute the same launch in lock step, and
 * the library reports the first difference. docs/cosim.md is the introduction.
 *
 * The design drives: it reports what its warps have done (`dut` functions, for the device under test), and with
 * ventus_cosim_dut_retire that an instruction is complete. The reference (`ref` functions) then executes the same
 * instruction of the same warp and compares. Names follow the RISC-V Verification Interface.
 *
 * A `hart` is a warp slot of the design, with a number of the design's choice below VENTUS_COSIM_HARTS; a work-group is
 * on a slot of an SM. Functions that can fail return 1 for success or equality, 0 for failure or a difference;
 * ventus_cosim_error explains a failure in one line. After a difference nothing more is compared, and
 * ventus_cosim_dut_retire and the others return 0. A null pointer where none is allowed is a failure; functions that
 * return a value then return 0. Arguments are copied. Addresses are guest addresses, sizes bytes; bit k of a mask
 * stands for lane k. A ventus_cosim belongs to the calling thread; several are independent. The header is C99 and
 * C++11; ventus_cosim.sv imports the same functions by DPI. */
#ifndef VENTUS_COSIM_H
#define VENTUS_COSIM_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define VENTUS_COSIM_API_MAJOR 1
#define VENTUS_COSIM_API_MINOR 2
#define VENTUS_COSIM_HARTS     65536

typedef struct ventus_cosim ventus_cosim;

/* What the design reports, as a set: it must report these for each instruction, and they are compared. */
enum ventus_cosim_reports {
    VENTUS_COSIM_X = 1,      /* scalar registers written */
    VENTUS_COSIM_V = 2,      /* vector registers written, with masks */
    VENTUS_COSIM_MEMORY = 4, /* memory accesses */
    VENTUS_COSIM_SIMT = 8,   /* mask of lanes and depth of the SIMT stack after the instruction */
    VENTUS_COSIM_ALL = 15,
};

/* ---- the reference ---- */

/* Makes a reference of the machine that a machine file describes (docs/machine.md: profile, SMs, slots for work-groups,
 * local memory, known faults); NULL or "": the default machine. `reports` is a set of enum ventus_cosim_reports.
 * Returns NULL if that fails (a wrong file, too little memory, an unknown bit, a machine that translates addresses);
 * ventus_cosim_error(NULL) explains it. Release with ventus_cosim_ref_shutdown. */
ventus_cosim *ventus_cosim_ref_init(const char *machine, uint32_t reports);

/* Releases it; NULL is allowed. */
void ventus_cosim_ref_shutdown(ventus_cosim *cosim);

/* The reason of this reference's last failure, or with NULL why this thread could not make one: one line, "" if nothing
 * has failed yet. Success does not clear it. Valid until the next call. */
const char *ventus_cosim_error(const ventus_cosim *cosim);

/* Opens memory for kernels, rounded outward to pages of 4 KiB; new pages read as zero. Pages of the code window can be
 * executed. Returns 0 if the host has no memory, or outside the 32-bit address space. */
int ventus_cosim_ref_memory_open(ventus_cosim *cosim, uint32_t addr, uint64_t size);

/* Writes memory, as the host did in the design, and opens it where necessary; reads memory. Reading fails unless all of
 * it is open; a size of 0 succeeds. Writing is not allowed during a launch. */
int ventus_cosim_ref_memory_write(ventus_cosim *cosim, uint32_t addr, const void *bytes, uint64_t size);
int ventus_cosim_ref_memory_read(ventus_cosim *cosim, uint32_t addr, void *bytes, uint64_t size);

/* Reads kernel names and source lines for reports from an executable of this project; does not load its code. Later
 * programs replace earlier ones. */
int ventus_cosim_ref_program_load(ventus_cosim *cosim, const char *elf);

/* A launch, as the design's dispatcher gets it (sim/launch.h explains the same fields). */
struct ventus_cosim_launch {
    uint32_t start_pc;         /* first instruction of every warp */
    uint32_t knl;              /* CSR_KNL: address of the metadata block */
    uint32_t groups[3];        /* work-groups per dimension */
    uint32_t warps;            /* of a work-group */
    uint32_t threads_per_warp; /* lanes, 1 to 32 */
    uint32_t work_items;       /* of a work-group; 0: all lanes of its warps */
    uint32_t sgprs, vgprs;     /* registers of a warp; 0: all */
    uint32_t lds_bytes;        /* local memory of a work-group, scalar stacks included */
    uint32_t pds_base;         /* private memory: base address and ... */
    uint32_t pds_bytes;        /* ... bytes of a work-item */
};

/* In the next launch, the last work-groups in `dimension` (0 to 2) have `work_items` work-items, in as many warps as
 * the others; lower dimensions have one group each. With 0 work-items all groups have the same size, as without this
 * call. Returns 0 if there is no such dimension, or during a launch. (API 1.2) */
int ventus_cosim_ref_last_groups(ventus_cosim *cosim, uint32_t work_items, uint32_t dimension);

/* Starts a launch, whose memory has been written; one at a time. Returns 0 also if the machine has no room for its
 * work-groups, or if there are more than 2^24. */
int ventus_cosim_ref_launch(ventus_cosim *cosim, const struct ventus_cosim_launch *launch);

/* Memory and launch from files: loads the buffers of a recorded launch (NAME.metadata and NAME.data, as VENTUS_EXPORT
 * writes them), the names and lines of NAME.elf if it exists, and starts the launch. */
int ventus_cosim_ref_case(ventus_cosim *cosim, const char *metadata);

/* The loaded launch, for designs that take it from here: a field by its index in struct
 * ventus_cosim_launch (0: start_pc ... 12: pds_bytes), and a word of memory (0 when it is not open). */
uint32_t ventus_cosim_ref_launch_field(const ventus_cosim *cosim, uint32_t field);
uint32_t ventus_cosim_ref_word(const ventus_cosim *cosim, uint32_t addr);

/* The design has ended the launch. Returns 0 if a work-group has not started, or not ended. */
int ventus_cosim_ref_launch_end(ventus_cosim *cosim);

/* Compares `size` bytes of the design's memory with the reference's from addr on, after a launch. Local memory is not
 * compared, since it ends with its group. */
int ventus_cosim_ref_memory_compare(ventus_cosim *cosim, uint32_t addr, const void *bytes, uint64_t size);

/* Sets the tolerance, in units in the last place of 32 bits (for pairs of halves, of f16 or bf16), for results of the
 * instructions whose mnemonics match `pattern` (* and ? as in file names). Any NaN equals any NaN; infinities, zeros
 * and signs must match. The defaults are in tolerance.def. Returns 0 if there is no such instruction. */
int ventus_cosim_ref_tolerance(ventus_cosim *cosim, const char *pattern, uint32_t ulps);

/* ---- the design: where warps are ---- */

/* The dispatcher has put work-group `group` (linear number, x fastest) on a slot of an SM. `lds_base` and `pds_base`
 * are its values of CSR_LDS and CSR_PDS in the design. Local memory belongs to the SM, so groups of different SMs may
 * have the same addresses; overlapping groups of one SM are a difference. Local memory, rounded up to pages of 4 KiB,
 * outside its window (0x70000000 up to 0x7fffffff) is an error. */
int ventus_cosim_dut_group_begin(ventus_cosim *cosim, uint32_t sm, uint32_t slot, uint32_t group, uint32_t lds_base,
                                 uint32_t pds_base);

/* From now on `hart` is warp number `warp` of that group. */
int ventus_cosim_dut_warp_begin(ventus_cosim *cosim, uint32_t hart, uint32_t sm, uint32_t slot, uint32_t warp);

/* The group has left its slot; all its warps must have ended. */
int ventus_cosim_dut_group_end(ventus_cosim *cosim, uint32_t sm, uint32_t slot);

/* ---- the design: effects of the instruction that retires next on `hart` ---- */

/* It has written a scalar register, x0 to x63; up to 64 registers of each kind per instruction. */
int ventus_cosim_dut_x_set(ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t value);

/* It has written the lanes in `mask` of a vector register; values[lane], 32 words, of which other lanes are
 * ignored. */
int ventus_cosim_dut_v_set(ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t mask, const uint32_t *values);

/* It has accessed memory: `bytes` (1, 2 or 4) of each lane in `mask` at addr[lane]; mask 0: once for the warp, at
 * addr[0]. `addr` has 32 words, or 1 where the mask is 0; so has `data`. `write`: 0 a load, 1 a store, 2 an atomic
 * operation. data[lane] is the value that a store writes, in the lowest bytes; it is ignored for others, and may be
 * NULL: then it is not compared. An access of several words takes up to 4 calls, in the order of the words. */
int ventus_cosim_dut_bus(ventus_cosim *cosim, uint32_t hart, uint32_t write, uint32_t bytes, uint32_t mask,
                         const uint32_t *addr, const uint32_t *data);

/* The active lanes after it, and the depth of the SIMT stack. UINT32_MAX: the depth is not compared. */
int ventus_cosim_dut_simt_set(ventus_cosim *cosim, uint32_t hart, uint32_t mask, uint32_t depth);

/* The instruction `word` at `pc` is complete. A prefix (regext) may retire alone, or as part of the instruction after
 * it, with the pc of either. A barrier retires when the warp arrives at it. */
int ventus_cosim_dut_retire(ventus_cosim *cosim, uint32_t hart, uint32_t pc, uint32_t word);

/* ---- the reference alone, for designs that compare for themselves (API 1.1) ---- */

/* Executes the next instruction of a hart's warp, and compares nothing. A prefix (regext) is a step of its own, which
 * writes nothing. Returns 0 if the warp cannot continue: it waits at a barrier for warps that have not arrived, has
 * ended, or the instruction fails. */
int ventus_cosim_ref_step(ventus_cosim *cosim, uint32_t hart);

/* What the last step, of any hart, wrote: VENTUS_COSIM_X a scalar register, VENTUS_COSIM_V a vector register with the
 * lanes *mask, or 0 nothing. ventus_cosim_ref_x and _v return the values. If it wrote several registers, as for a pair
 * or a tile, *reg is the first. */
uint32_t ventus_cosim_ref_written(const ventus_cosim *cosim, uint32_t *reg, uint32_t *mask);

/* Has a hart's warp executed all its instructions? */
int ventus_cosim_ref_ended(const ventus_cosim *cosim, uint32_t hart);

/* ---- state of the reference ---- */

/* Of a hart's warp: the address of the next instruction (after a prefix that has retired alone), a scalar register, a
 * lane of a vector register, and the mask of active lanes; 0 if there is none. */
uint32_t ventus_cosim_ref_pc(const ventus_cosim *cosim, uint32_t hart);
uint32_t ventus_cosim_ref_x(const ventus_cosim *cosim, uint32_t hart, uint32_t reg);
uint32_t ventus_cosim_ref_v(const ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t lane);
uint32_t ventus_cosim_ref_mask(const ventus_cosim *cosim, uint32_t hart);

/* Sets a register to the design's value, e.g. at the start of a warp, where a design need not clear registers. */
int ventus_cosim_ref_x_set(ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t value);
int ventus_cosim_ref_v_set(ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t lane, uint32_t value);

/* ---- results ---- */

/* The report of the first difference, several lines, or "" if there is none: the place, the values, the last
 * instructions of the warp, the state of others, the last writer of memory. Valid until the reference is released. */
const char *ventus_cosim_report(const ventus_cosim *cosim);

enum ventus_cosim_metric {
    VENTUS_COSIM_RETIRED,     /* instructions of the design */
    VENTUS_COSIM_COMPARED,    /* values compared */
    VENTUS_COSIM_TAKEN,       /* values taken from the design, where memory allows several */
    VENTUS_COSIM_TOLERATED,   /* values that differ within their tolerance */
    VENTUS_COSIM_DIFFERENCES, /* 0 or 1 */
};
uint64_t ventus_cosim_metric(const ventus_cosim *cosim, uint32_t metric);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
