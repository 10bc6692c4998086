/* Co-simulation: a design (RTL, another simulator) and the functional machine execute the same launch, instruction by
 * instruction, and the first difference is reported. docs/cosim.md is the introduction.
 *
 * The design drives: it says what each of its warps has done (`dut` functions, of the device under test), and with
 * ventus_cosim_dut_retire that an instruction is complete. The reference (`ref` functions) then executes the same
 * instruction of the same warp and compares. Names follow the RISC-V Verification Interface.
 *
 * A `hart` is the design's own number of a place for a warp, below VENTUS_COSIM_HARTS; a work-group is on a slot of an
 * SM. Functions that can fail return 1 for done or equal, 0 for failed or different; ventus_cosim_error says why, in a
 * line. After a difference nothing is compared any more: ventus_cosim_dut_retire and the others return 0. A null
 * pointer is such an error, too, where none is allowed; functions that return a value return 0 then. What the caller
 * passes stays his and is not kept. Addresses are guest addresses, sizes bytes, masks bit k for lane k. A ventus_cosim
 * belongs to the thread that calls; several are independent. The header is C99 and C++11; ventus_cosim.sv imports the
 * same functions by DPI. */
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

/* What the design reports for each instruction, as a set: what is in it is compared, and must be said. */
enum ventus_cosim_reports {
    VENTUS_COSIM_X = 1,      /* scalar registers written */
    VENTUS_COSIM_V = 2,      /* vector registers written, with masks */
    VENTUS_COSIM_MEMORY = 4, /* memory accesses */
    VENTUS_COSIM_SIMT = 8,   /* mask of lanes and depth of the SIMT stack after the instruction */
    VENTUS_COSIM_ALL = 15,
};

/* ---- the reference ---- */

/* Makes a reference of the machine that a machine file describes (docs/machine.md: profile, SMs, slots for work-groups,
 * local memory, known faults); NULL or "": the default machine. `reports` is a set of enum ventus_cosim_reports. NULL
 * when it cannot be had (the file, the host's memory, a bit that is no report, a machine that translates addresses);
 * ventus_cosim_error(NULL) says why. Release with ventus_cosim_ref_shutdown. */
ventus_cosim *ventus_cosim_ref_init(const char *machine, uint32_t reports);

/* Releases it; NULL is allowed. */
void ventus_cosim_ref_shutdown(ventus_cosim *cosim);

/* Why a function of this reference failed last, or why there is none (NULL; of this thread): one line, "" if nothing
 * has failed yet. Functions that succeed leave it as it is. Valid until the next call. */
const char *ventus_cosim_error(const ventus_cosim *cosim);

/* Opens memory for kernels, rounded outward to pages of 4 KiB; new pages read as zero. Pages of the code window can be
 * executed. 0: no host memory, or outside of the 32-bit address space. */
int ventus_cosim_ref_memory_open(ventus_cosim *cosim, uint32_t addr, uint64_t size);

/* Writes memory, which is opened where it is not open, as the host did in the design's; reads it. Reading fails when
 * not all of it is open; no bytes are no error. Not while a launch is under way, except for reading. */
int ventus_cosim_ref_memory_write(ventus_cosim *cosim, uint32_t addr, const void *bytes, uint64_t size);
int ventus_cosim_ref_memory_read(ventus_cosim *cosim, uint32_t addr, void *bytes, uint64_t size);

/* Reads names of kernels and lines of the source from an executable of this project, for reports; its code is not
 * loaded. Later programs replace earlier ones. */
int ventus_cosim_ref_program_load(ventus_cosim *cosim, const char *elf);

/* A launch: what the design's dispatcher gets (sim/launch.h explains the same fields). */
struct ventus_cosim_launch {
    uint32_t start_pc;         /* first instruction of every warp */
    uint32_t knl;              /* CSR_KNL: address of the metadata block */
    uint32_t groups[3];        /* work-groups per dimension */
    uint32_t warps;            /* of a work-group */
    uint32_t threads_per_warp; /* lanes, 1 to 32 */
    uint32_t work_items;       /* of a work-group; 0: all lanes of its warps */
    uint32_t sgprs, vgprs;     /* registers of a warp; 0: as many as there are */
    uint32_t lds_bytes;        /* local memory of a work-group, scalar stacks included */
    uint32_t pds_base;         /* private memory, and */
    uint32_t pds_bytes;        /* ... bytes of a work-item */
};

/* In the next launch, the last work-groups in `dimension` (0 to 2) have `work_items` work-items, in as many warps as
 * the others; lower dimensions have one group each. 0 work-items: all groups are alike, as in launches without this
 * call. 0: there is no such dimension, or a launch is under way. (API 1.2) */
int ventus_cosim_ref_last_groups(ventus_cosim *cosim, uint32_t work_items, uint32_t dimension);

/* Begins a launch. Its memory has been written. One at a time; 0, too, when the machine has no room for its
 * work-groups, or when there are more than 2^24. */
int ventus_cosim_ref_launch(ventus_cosim *cosim, const struct ventus_cosim_launch *launch);

/* Memory and launch from files: loads the buffers of a recorded launch (NAME.metadata and NAME.data, as VENTUS_EXPORT
 * writes them), the names and lines of NAME.elf if it is there, and begins the launch. */
int ventus_cosim_ref_case(ventus_cosim *cosim, const char *metadata);

/* What has been loaded, for designs that take it from here: a field of the launch by its place in struct
 * ventus_cosim_launch (0: start_pc ... 12: pds_bytes), and a word of memory (0 when it is not open). */
uint32_t ventus_cosim_ref_launch_field(const ventus_cosim *cosim, uint32_t field);
uint32_t ventus_cosim_ref_word(const ventus_cosim *cosim, uint32_t addr);

/* The launch is over in the design. 0 when work-groups have not begun, or not ended. */
int ventus_cosim_ref_launch_end(ventus_cosim *cosim);

/* Compares a piece of the design's memory, `size` bytes, with the reference's from addr on, after a launch. Local
 * memory is not compared: it is gone with its group. */
int ventus_cosim_ref_memory_compare(ventus_cosim *cosim, uint32_t addr, const void *bytes, uint64_t size);

/* How many units in the last place of 32 bits a result may be away, of instructions whose mnemonics are like `pattern`
 * (* and ? as in names of files); of pairs of halves, units of f16 or bf16. NaN equals any NaN; infinities, zeros and
 * signs must be equal. The defaults are in tolerance.def. 0: there is no such instruction. */
int ventus_cosim_ref_tolerance(ventus_cosim *cosim, const char *pattern, uint32_t ulps);

/* ---- the design: where warps are ---- */

/* The dispatcher has put work-group `group` (linear number, x fastest) on a slot of an SM. `lds_base` and `pds_base`
 * are what the design has in CSR_LDS and CSR_PDS for it: local memory belongs to the SM, so that groups of different
 * SMs may have the same addresses. Two of one SM with common bytes are a difference; local memory that leaves its
 * window (0x70000000 up to 0x7fffffff), rounded up to pages of 4 KiB, is an error. */
int ventus_cosim_dut_group_begin(ventus_cosim *cosim, uint32_t sm, uint32_t slot, uint32_t group, uint32_t lds_base,
                                 uint32_t pds_base);

/* From now on `hart` is warp number `warp` of that group. */
int ventus_cosim_dut_warp_begin(ventus_cosim *cosim, uint32_t hart, uint32_t sm, uint32_t slot, uint32_t warp);

/* The group has left its slot; all its warps must have ended. */
int ventus_cosim_dut_group_end(ventus_cosim *cosim, uint32_t sm, uint32_t slot);

/* ---- the design: what the instruction has done that retires next on `hart` ---- */

/* It has written a scalar register, x0 to x63. Of each kind of register up to 64. */
int ventus_cosim_dut_x_set(ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t value);

/* It has written the lanes in `mask` of a vector register; values[lane], 32 words, of which those of other lanes do not
 * count. */
int ventus_cosim_dut_v_set(ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t mask, const uint32_t *values);

/* It has accessed memory: `bytes` (1, 2 or 4) of each lane in `mask` at addr[lane]; mask 0: once for the warp, at
 * addr[0]. `addr` has 32 words, or 1 where the mask is 0; so has `data`. `write`: 0 a load, 1 a store, 2 an atomic
 * operation. data[lane] is what a store writes, in the lowest bytes; not looked at for others, and may be NULL: then it
 * is not compared. An access of several words is up to 4 of these, in the order of the words. */
int ventus_cosim_dut_bus(ventus_cosim *cosim, uint32_t hart, uint32_t write, uint32_t bytes, uint32_t mask,
                         const uint32_t *addr, const uint32_t *data);

/* After it these lanes run, and so many entries are on the SIMT stack. UINT32_MAX: the depth is not compared. */
int ventus_cosim_dut_simt_set(ventus_cosim *cosim, uint32_t hart, uint32_t mask, uint32_t depth);

/* The instruction `word` at `pc` is complete. A prefix (regext) may retire alone, or be a part of the one after it,
 * whose pc or its own is said then. A barrier retires when the warp arrives at it. */
int ventus_cosim_dut_retire(ventus_cosim *cosim, uint32_t hart, uint32_t pc, uint32_t word);

/* ---- the reference alone, for designs that compare for themselves (API 1.1) ---- */

/* Executes the next instruction of a hart's warp, and compares nothing. A prefix (regext) is a step of its own, which
 * writes nothing. 0 when the warp cannot go on: it waits at a barrier for warps that have not come there, has ended, or
 * the instruction fails. */
int ventus_cosim_ref_step(ventus_cosim *cosim, uint32_t hart);

/* What the last step, of any hart, has written: VENTUS_COSIM_X a scalar register, VENTUS_COSIM_V a vector register, and
 * then *mask are the lanes; 0 nothing. ventus_cosim_ref_x and _v say the values. Of several registers, as of a pair or
 * a tile, *reg is the first. */
uint32_t ventus_cosim_ref_written(const ventus_cosim *cosim, uint32_t *reg, uint32_t *mask);

/* 1: all instructions of a hart's warp have been executed. */
int ventus_cosim_ref_ended(const ventus_cosim *cosim, uint32_t hart);

/* ---- state of the reference ---- */

/* The next instruction (behind a prefix that has retired alone), a scalar register, a lane of a vector register, and
 * the mask of lanes of a hart's warp; 0 when there is none. */
uint32_t ventus_cosim_ref_pc(const ventus_cosim *cosim, uint32_t hart);
uint32_t ventus_cosim_ref_x(const ventus_cosim *cosim, uint32_t hart, uint32_t reg);
uint32_t ventus_cosim_ref_v(const ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t lane);
uint32_t ventus_cosim_ref_mask(const ventus_cosim *cosim, uint32_t hart);

/* Makes a register what the design has in it, e.g. at the start of a warp, where a design need not clear them. */
int ventus_cosim_ref_x_set(ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t value);
int ventus_cosim_ref_v_set(ventus_cosim *cosim, uint32_t hart, uint32_t reg, uint32_t lane, uint32_t value);

/* ---- results ---- */

/* The first difference as a text of several lines, "" if there is none: what differs where, values, the last
 * instructions of the warp, what others did, who wrote the memory. Valid until the reference is released. */
const char *ventus_cosim_report(const ventus_cosim *cosim);

enum ventus_cosim_metric {
    VENTUS_COSIM_RETIRED,     /* instructions of the design */
    VENTUS_COSIM_COMPARED,    /* values compared */
    VENTUS_COSIM_TAKEN,       /* values taken from the design, since memory allows several */
    VENTUS_COSIM_TOLERATED,   /* values that differ within their tolerance */
    VENTUS_COSIM_DIFFERENCES, /* 0 or 1 */
};
uint64_t ventus_cosim_metric(const ventus_cosim *cosim, uint32_t metric);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
