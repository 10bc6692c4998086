/* The machine: a 4 GiB memory, streaming multiprocessors and the warps on them. What is needed to build one, to give it
 * memory and launches, and to read what came of them; who watches a machine needs sim/observe.h too, and who adds to
 * it sim/engine.h or sim/schedule.h.
 *
 * A launch is data in, a result is data out: guest errors are results, never host failures. Addresses are guest
 * addresses and sizes are bytes. docs/machine.md explains the machine itself. */
#ifndef VENTUS_SIM_LAUNCH_H
#define VENTUS_SIM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- config.c: machine parameters ---- */

struct engine;

enum { HOST_THREADS_MOST = 256, TIMING_NAME = 256, QUIRKS_NAME = 256, DEVICE_NAME = 512 };

/* Whether the addresses of kernels are translated (docs/machine.md). Each launch says so to the machine itself; a
 * device of this configuration is one address space, whose page tables the driver keeps. */
enum gpu_translation { GPU_PHYSICAL, GPU_SV39, GPU_TRANSLATIONS };

struct gpu_config {
    uint32_t sms;                /* streaming multiprocessors, reported as compute units */
    uint32_t warps_per_sm;       /* resident warps of one SM = most warps of a work-group */
    uint32_t groups_per_sm;      /* work-group slots of one SM */
    uint32_t threads_per_warp;   /* lanes: 4, 8, 16 or 32 */
    uint32_t lanes;              /* lanes that execute at once; the functional machine only reports it */
    uint32_t lds_bytes;          /* local memory of one SM, scalar stacks included */
    uint32_t vgpr_rows;          /* vector registers of one SM, shared by its warps */
    uint32_t sgpr_rows;          /* scalar registers of one SM */
    uint32_t clock_mhz;          /* what one instruction slot of the functional model stands for */
    uint32_t profile;            /* enum isa_profile: the instruction set the machine executes */
    uint32_t thread_csrs;        /* 1: CSRs 0x80d to 0x813 (ids of each work-item) exist */
    uint32_t translation;        /* enum gpu_translation */
    uint32_t ignore_stray;       /* 1: what touches closed pages is no fault: reads give 0, writes are dropped */
    uint32_t host_threads;       /* most threads that run the SMs; 0: $VENTUS_THREADS, else one for each processor. With
                                  * 1 every program is deterministic, also one whose atomics depend on order */
    uint64_t quantum;            /* instructions a warp runs before the next one gets its turn */
    const struct engine *engine; /* what executes instructions (sim/engine.h); NULL: the best for this host */
    char timing[TIMING_NAME];    /* cycle model (docs/timing.md): one that is built in, or a file; "": none. The
                                  * machine does not look at it: who makes one makes the model, too */
    char quirks[QUIRKS_NAME];    /* known faults of hardware that it is to imitate (quirks/quirks.h), names with commas;
                                  * "":    none. Likewise those of who makes it */
    char device[DEVICE_NAME]; /* library of another device that is to run launches (driver/ventus_backend.h), with its
                               * options; "": none. The driver's: the machine does not look at it either */
};

/* Fills in the default machine: large register files and warp counts, so that OpenCL work-groups of
 * 1024 work-items fit. docs/machine.md lists the values. */
void gpu_config_default(struct gpu_config *config);

/* NULL if the machine can be built, else a text that names the offending parameter or environment variable; the next
 * call in this thread may overwrite it. */
const char *gpu_config_check(const struct gpu_config *config);

/* layout.c: bytes from one work-group slot's local memory to the next one's; slot k of SM s begins at
 * 0x70000000 + (s * groups_per_sm + k) times this. */
uint32_t gpu_config_lds_stride(const struct gpu_config *config);

/* Reads parameters from a text file over those in *config: one "name = value" a line, named as the
 * fields above; # begins a comment; values are decimal or 0x hexadecimal, with an optional K or M, and
 * names of profiles and engines. The result has passed gpu_config_check. False, with "file:line: what" in why and
 * *config unchanged, otherwise. */
bool gpu_config_read(struct gpu_config *config, const char *path, char *why, size_t why_size);

/* Writes such a file; errors stay in `out`, for ferror. */
void gpu_config_print(const struct gpu_config *config, FILE *out);

/* ---- gpu.c: the machine as a whole ---- */

struct gpu;

/* Builds a machine; *config is copied. Returns NULL and sets *error (static text; `error` may be NULL) when the
 * configuration is bad or the 4 GiB window cannot be reserved. Nothing is committed until memory is opened. */
struct gpu *gpu_create(const struct gpu_config *config, const char **error);

/* Takes a machine down, in which nothing runs, and gives its memory back. NULL is allowed. */
void gpu_destroy(struct gpu *gpu);

/* The machine's parameters; valid as long as the machine. */
const struct gpu_config *gpu_config_of(const struct gpu *gpu);

/* ---- mem.c: the guest address space ---- */

/* A large page of the host: one entry of its TLB serves what else takes 512. */
enum { GPU_LARGE_PAGE = 2 << 20 };

enum gpu_access { GPU_READ = 1, GPU_WRITE = 2, GPU_EXEC = 4, GPU_SHARED = 8 /* by gpu_mem_open_shared alone */ };

/* Opens [addr, addr + size) with the given access (enum gpu_access); both ends are rounded outward to pages. Pages
 * to write or to execute can be read too. New pages read as zero; open ones keep what they hold. Returns false when
 * the host is out of memory or the range is empty or not inside the 32-bit space. The local window is the machine's:
 * it opens there what a work-group needs. Data to write may be opened and closed while jobs run; code, and what can
 * only be read, between them. Of a range of a large page and more the host is asked for large pages: it can give them
 * where addresses are multiples of their size. */
bool gpu_mem_open(struct gpu *gpu, uint32_t addr, uint64_t size, unsigned access);

/* Closes a range, rounded outward to pages: later guest accesses fault, host memory is given back. No effect when
 * the range is empty or not inside the 32-bit space. */
void gpu_mem_close(struct gpu *gpu, uint32_t addr, uint64_t size);

/* Closes pages that are likely to be opened again soon. This and opening them again is quicker than with
 * gpu_mem_close, because they keep their memory and what it holds. */
void gpu_mem_shut(struct gpu *gpu, uint32_t addr, uint64_t size);

/* Fills the pages of a range that is open for writing with zeros; those without host memory get none. */
void gpu_mem_clear(struct gpu *gpu, uint32_t addr, uint64_t size);

/* Gives host memory back, but leaves the pages of a range that is open for data open: they read as zero. */
void gpu_mem_discard(struct gpu *gpu, uint32_t addr, uint64_t size);

/* Opens a range for reading and writing whose memory the host has at the same addresses, too: what one side writes the
 * other reads. Rounded outward to pages, which read as zero. False: the host has something else there, or no memory. */
bool gpu_mem_open_shared(struct gpu *gpu, uint32_t addr, uint64_t size);

/* Closes exactly a range that gpu_mem_open_shared has opened, for the host as well. */
void gpu_mem_close_shared(struct gpu *gpu, uint32_t addr, uint64_t size);

/* Is the range free of the process's own mappings, so that it could be shared? */
bool gpu_mem_can_share(uint32_t addr, uint64_t size);

/* Host pointer to [addr, addr + size) if all of it is open, else NULL. Writing through it to code, or
 * to what the guest can only read, needs gpu_mem_code_changed afterwards. Valid until the range is closed. */
void *gpu_mem(struct gpu *gpu, uint32_t addr, uint64_t size);

/* The address of the first page at or behind `addr` that can be written; 2^32: none. */
uint64_t gpu_mem_writable(const struct gpu *gpu, uint64_t addr);

/* The same for pages that the host writes by pointers of its own (gpu_mem_open_shared). */
uint64_t gpu_mem_shared(const struct gpu *gpu, uint64_t addr);

/* Copy the page at `addr`, a multiple of ABI_PAGE, to 4096 bytes elsewhere, and back. False: nothing has been copied,
 * because the page cannot be written. Another thread that closes it meanwhile waits. */
bool gpu_mem_save_page(struct gpu *gpu, uint32_t addr, void *bytes);
bool gpu_mem_restore_page(struct gpu *gpu, uint32_t addr, const void *bytes);

/* Drops decoded instructions, and constants that are known of a program; call after writing to either. */
void gpu_mem_code_changed(struct gpu *gpu);

/* ---- dispatch.c: launches ---- */

/* A launch as the machine gets it: where its code and metadata are, how many work-groups it has, and what each needs.
 * Memory must have been opened and filled before. */
struct launch {
    uint32_t start_pc;            /* first instruction of every warp */
    uint32_t knl;                 /* CSR_KNL: address of the metadata block */
    uint32_t groups[3];           /* work-groups per dimension, each >= 1 */
    uint32_t warps;               /* warps of a work-group */
    uint32_t threads_per_warp;    /* lanes of a warp, 1..32, normally the machine's */
    uint32_t work_items;          /* work-items of a group; the last warp's excess lanes are masked */
    uint32_t last_items;          /* 0, or those of the last groups in dimension last_of, which have as many warps; */
    uint32_t last_of;             /* lower dimensions have one group each */
    uint32_t sgprs, vgprs;        /* registers of a warp; others fault as illegal instructions */
    uint32_t lds_bytes;           /* local memory of a group, scalar stacks included */
    uint32_t pds_base;            /* private memory: base address, ... */
    uint32_t pds_bytes;           /* ... bytes of one work-item, ... */
    uint32_t pds_groups;          /* ... and for how many resident groups there is room; 0: all use the same,
                                   * which is right when groups run one after another */
    uint32_t csr_gds;             /* what accesses of the global space add to addresses (r2.1, r2025) */
    uint32_t gds_base, gds_limit; /* flat accesses of r2025: addresses that are global, ... */
    uint32_t lds_base, lds_limit; /* ... or local, even if they look private; a limit of 0: none are */
    bool sv39;                    /* addresses are translated: ... */
    uint32_t page_table;          /* ... physical address of the root page table */
};

/* layout.c: bytes of private memory that one work-group of the launch uses: what separates two areas of pds_groups. */
uint64_t launch_private_bytes(const struct launch *launch);

enum fault_kind { /* faults.def says what they are */
#define VENTUS_FAULT_KIND(NAME, key, text) FAULT_##NAME,
#include "sim/faults.def"
#undef VENTUS_FAULT_KIND
};

/* What went wrong where, as of the failing instruction. */
struct fault {
    enum fault_kind kind;
    uint32_t group[3]; /* work-group index */
    uint32_t warp;     /* warp in its group */
    uint32_t lanes;    /* mask of active lanes */
    uint32_t lane;     /* first lane at fault, or ISA_LANES when not per lane */
    uint32_t pc, word; /* address (of the prefix if there is one) and bits of the instruction */
    uint32_t high;     /* upper half of a 64-bit instruction word, else 0 */
    uint32_t prefix;   /* bits of its prefix, 0 if none */
    uint32_t profile;  /* the machine's instruction set (enum isa_profile) */
    uint64_t addr;     /* guest address of a memory fault, before translation */
    char detail[96];   /* further explanation, may be empty */
};

struct counters { /* counters.def says what they are */
#define VENTUS_COUNTER(name, type, how, cl, text) type name;
#include "sim/counters.def"
#undef VENTUS_COUNTER
};

/* Adds the counters of one launch or work-group to a sum; the deepest SIMT stack of both stays. */
void counters_add(struct counters *sum, const struct counters *c);

enum launch_status {
    LAUNCH_DONE,
    LAUNCH_FAULT,
    LAUNCH_CANCELLED, /* by launch_options.cancel */
    LAUNCH_STOPPED    /* by an observer */
};

struct result {
    enum launch_status status;
    /* Of the first group with one, if those in front of it end within a second (docs/machine.md, Faults).
     * LAUNCH_CANCELLED: where a warp of it was, kind FAULT_NONE; profile 0: none was at work. */
    struct fault fault;
    struct fault stray; /* the first access of a group that was ignored (gpu_config.ignore_stray); FAULT_NONE: none */
    struct counters counters;
};

/* Which side of a diverged branch runs first. The architecture's order is fewer lanes first; the
 * others exist so that tests can prove a program does not depend on it. */
enum path_order { PATH_FEWER_FIRST, PATH_TAKEN_FIRST, PATH_FALLTHROUGH_FIRST };

struct observer;
struct launch_info;
struct counts;

struct launch_options {
    const struct observer *observers; /* those of this launch (sim/observe.h), linked by `next`; NULL: none */
    const struct launch_info *info;   /* what observers are told of the launch; NULL: nothing */
    struct counts *counts;            /* where its instructions are counted (sim/counts.h); NULL: nowhere */
    const char *kernel;               /* its name, for tools of the host that show its code; NULL: not known */
    enum path_order order;
    bool serial;                /* one work-group at a time, each at the base of local and private memory,
                                 * as the public simulator runs them */
    uint32_t first_sm, sms;     /* the SMs that run it: `sms` of them from first_sm on; 0: all from there on */
    const _Atomic bool *cancel; /* polled about every quantum; NULL: never */
    /* The host's part of the print handshake: called when a warp writes `value`, not 0, to CSR_PRINT, which is 0 again
     * afterwards. From every thread that runs the machine, also from several at once. NULL: the value stays. */
    void (*print)(void *user, uint32_t value);
    void *print_user;
};

/* Runs a launch to its end on the calling thread. `options` may be NULL. What the machine cannot hold is a fault too,
 * FAULT_LAUNCH. One caller at a time per machine. */
void gpu_launch(struct gpu *gpu, const struct launch *launch, const struct launch_options *options,
                struct result *result);

/* A launch that runs beside others. The caller keeps it, unchanged, until it is done. */
struct job {
    struct launch launch;
    struct launch_options options;
    struct result result; /* valid when done */
    uint64_t submitted;   /* when its submitter let go of it (host_ns): handlers of signals that the program has set
                           * before do not get its faults. 0: now */
    void *user;
    struct job *link; /* for whoever holds the job */
};

/* Where gpu_run gets its work from. All calls come from the thread in gpu_run, floating point rounding to nearest. */
struct job_source {
    void *user;
    struct job *(*next)(void *user);           /* a job that may start now, NULL if there is none at the moment */
    void (*done)(void *user, struct job *job); /* all work-groups of the job have ended */
    /* NULL, or called again and again while jobs run: how many work-groups of the oldest one have ended. */
    void (*progress)(void *user, struct job *job, uint64_t ended, uint64_t total);
    bool (*leave)(void *user); /* NULL, or called as often: is gpu_run to return although jobs run? */
};

/* Runs jobs, several at once where the machine has room, until none is left and `next` has none.
 * Work-groups are placed in order of the jobs' arrival; a later job uses what an earlier one leaves.
 * `next` is asked again and again while jobs run. A job that faults or is cancelled ends alone. One
 * caller at a time per machine. Jobs that it has left go on when it is called the next time, on whichever thread, with
 * a source that knows them. */
void gpu_run(struct gpu *gpu, const struct job_source *source);

/* Static texts of a fault kind: for people, e.g. "read of unmapped memory", and for programs, e.g. "read". */
const char *fault_name(enum fault_kind kind);
const char *fault_key(enum fault_kind kind);

/* Prints a fault in one line without newline: kind, address, work-group, warp, lane, pc and the
 * disassembled instruction. Returns the length as snprintf does. */
int fault_print(const struct fault *fault, char *buf, size_t size);

/* The same without kind and address: the place alone. */
int fault_print_place(const struct fault *fault, char *buf, size_t size);

#endif
