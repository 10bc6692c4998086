/* A device library takes the place of the built-in machine behind the driver: RTL in a simulator, for example, or a
 * board. The user names it with VENTUS_BACKEND or with `device = ` in the machine file (docs/hardware.md).
 *
 * The library exports one function, ventus_backend_table, which returns a table of functions. The driver first checks
 * the version, and that no function is missing. It calls from several threads, but never makes two calls at a time for
 * the same device. No function may end the process, and none may wait for longer than documented here.
 *
 * Addresses are physical addresses of the device, of 32 bits; sizes are bytes, times nanoseconds. Functions that can
 * fail return 0 for success; any other value is a failure, and `why` (`why_size` bytes, never 0) receives a message for
 * the user: what is wrong and what to do about it. Each side frees what it allocates; the driver's structures are valid
 * until the call returns.
 *
 * This header is installed and needs no other of the project. It is C99 and C++11. */
#ifndef VENTUS_BACKEND_H
#define VENTUS_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. The driver refuses every other one. */
#define VENTUS_BACKEND_ABI 1u

/* What a device can do besides running a launch of full warps to its end. The driver does not use missing features:
 * launches that need one end with VENTUS_BAD_LAUNCH and a message, and OpenCL does not offer it. */
enum ventus_backend_feature {
    VENTUS_BACKEND_FAULTS = 1 << 0,  /* a launch that fails ends, and reports where: VENTUS_BACKEND_FAULT */
    VENTUS_BACKEND_PRINT = 1 << 1,   /* a launch whose print buffer is full stops: VENTUS_BACKEND_PRINTS */
    VENTUS_BACKEND_ATOMICS = 1 << 2, /* the instructions of RISC-V's extension A */
    VENTUS_BACKEND_PARTIAL = 1 << 3, /* warps with fewer work-items than lanes, and smaller last groups */
    VENTUS_BACKEND_PARTS = 1 << 4,   /* a launch on some of the SMs: OpenCL's sub-devices */
    VENTUS_BACKEND_SV39 = 1 << 5,    /* translates addresses: `translation = sv39` */
    VENTUS_BACKEND_DOUBLES = 1 << 6, /* OpenCL offers double, ... */
    VENTUS_BACKEND_HALVES = 1 << 7,  /* ... half, ... */
    VENTUS_BACKEND_IMAGES = 1 << 8,  /* ... images, ... */
    VENTUS_BACKEND_SVM = 1 << 9,     /* ... and shared virtual memory, if requested (VENTUS_SVM=1) */
    VENTUS_BACKEND_SLOTS = 1 << 10,  /* any number pds_groups of areas of private memory suffices: a group takes a free
                                      * one; else there is one for every group of the launch and every slot */
    VENTUS_BACKEND_FEATURES = (1 << 11) - 1
};

struct ventus_backend_options {
    uint32_t size;    /* of this structure */
    const char *text; /* the text behind the library's name, without the first comma: "a=1,b=2"; may be "". The driver
                       * has replaced %p by the process number, and %% by % */
};

/* Properties of a device. The driver fills in the values of the machine file, and all features; the device corrects
 * them. The result must be a machine that a machine file can describe (docs/machine.md). */
struct ventus_backend_info {
    uint32_t size;             /* of this structure; not to be changed */
    uint32_t features;         /* enum ventus_backend_feature */
    uint32_t sms;              /* streaming multiprocessors */
    uint32_t warps_per_sm;     /* resident warps of an SM = most warps of a work-group */
    uint32_t groups_per_sm;    /* resident work-groups of an SM */
    uint32_t threads_per_warp; /* lanes of a warp: 4, 8, 16 or 32 */
    uint32_t lds_bytes;        /* local memory of an SM */
    uint32_t vgpr_rows;        /* vector registers of an SM, shared by its warps */
    uint32_t sgpr_rows;        /* scalar registers of an SM */
    uint32_t clock_mhz;        /* the clock that OpenCL reports */
    char profile[16];          /* instruction set: a name that `ventus info` lists */
    char name[48];             /* shown after "Ventus GPGPU"; the driver fills in "" */
    uint32_t memory_mib; /* memory from address 0x90000000 on, for everything except code, constants, local memory */
};

/* A launch. Code, arguments and the metadata block have been written into memory. */
struct ventus_backend_launch {
    uint32_t size;             /* of this structure */
    uint32_t start;            /* address of the first instruction of every warp */
    uint32_t metadata;         /* address of the kernel's metadata block, for CSR 0x803 (docs/architecture.md) */
    uint32_t groups[3];        /* work-groups per dimension, each >= 1 */
    uint32_t warps;            /* of a work-group */
    uint32_t threads_per_warp; /* lanes of a warp */
    uint32_t work_items;    /* of a work-group; fewer than warps * threads_per_warp only with VENTUS_BACKEND_PARTIAL */
    uint32_t last_items;    /* 0, or with VENTUS_BACKEND_PARTIAL those of the last groups in dimension ... */
    uint32_t last_of;       /* ... last_of; lower dimensions have one group then */
    uint32_t sgprs, vgprs;  /* registers of a warp */
    uint32_t lds_bytes;     /* local memory of a group, the stacks of its warps (1024 bytes each) included */
    uint32_t pds_base;      /* private memory: base address, ... */
    uint32_t pds_bytes;     /* ... bytes of one work-item, ... */
    uint32_t pds_groups;    /* ... and for how many resident groups there is room */
    uint32_t csr_gds;       /* added to addresses by accesses of the global space (profiles r2.1, r2025) */
    uint32_t first_sm, sms; /* the SMs that run it; sms = 0: all. Others only with VENTUS_BACKEND_PARTS */
    uint32_t page_table;    /* physical address of the root of the page table (SV39); 0: none */
    const char *kernel;     /* its name; "" if it has none */
};

enum ventus_backend_state {
    VENTUS_BACKEND_RUNS,    /* not ended in time: the driver calls again */
    VENTUS_BACKEND_DONE,    /* ended, and all its writes can be read */
    VENTUS_BACKEND_FAULT,   /* ended by a fault of the kernel, which the outcome describes */
    VENTUS_BACKEND_FAILED,  /* ended by an error of the device; `text` explains it. The driver opens it again */
    VENTUS_BACKEND_TIMEOUT, /* ended by the device's own time-out. The driver opens it again */
    VENTUS_BACKEND_PRINTS   /* a warp waits for room in the print buffer, and all others are stopped: the driver
                             * makes room, and calls again */
};

struct ventus_backend_outcome {
    uint32_t size;     /* of this structure */
    uint64_t cycles;   /* of this launch; 0: unknown */
    uint32_t print;    /* VENTUS_BACKEND_PRINTS: the value that the warp wrote to CSR 0x80b */
    uint32_t pc;       /* VENTUS_BACKEND_FAULT: address of the instruction, 0: unknown */
    uint32_t group[3]; /* ... and of the work-group */
    uint32_t warp;     /* ... the warp in its group */
    char text[160];    /* a message for the user; may be "" */
};

/* A counter of the last launch. Counters named as in sim/counters.def (`instructions`, `warps`, ...) go into the
 * launch's result; `ventus run --stats` shows them all. */
struct ventus_backend_counter {
    char name[48];
    uint64_t value;
};
enum { VENTUS_BACKEND_COUNTERS = 256 /* most of one device */ };

struct ventus_backend_device; /* the library's own */

struct ventus_backend {
    uint32_t abi;  /* VENTUS_BACKEND_ABI */
    uint32_t size; /* of this structure in the library; the driver reads nothing beyond it */

    /* Makes a device, with all of its memory unwritten. An unknown option is an error whose message lists the known
     * ones. Several devices may be open at once: a library that can have only one makes it at its first write. */
    int (*open)(const struct ventus_backend_options *options, struct ventus_backend_device **device, char *why,
                size_t why_size);

    /* Closes it and ends whatever runs. When the process ends (exit), the driver closes devices that are open and
     * idle. */
    void (*close)(struct ventus_backend_device *device);

    /* Called once, before anything is written. */
    int (*describe)(struct ventus_backend_device *device, struct ventus_backend_info *info, char *why, size_t why_size);

    /* Copies to and from the device's memory, within one page of 4096 bytes or several whole ones. Everything that a
     * launch may use is written before it starts. Also called while a launch is stopped with VENTUS_BACKEND_PRINTS; and
     * `read` after a launch was given up, with whatever contents. */
    int (*write)(struct ventus_backend_device *device, uint64_t addr, const void *src, uint64_t size, char *why,
                 size_t why_size);
    int (*read)(struct ventus_backend_device *device, uint64_t addr, void *dst, uint64_t size, char *why,
                size_t why_size);

    /* Starts a launch, one at a time. On failure the device cannot run it, and is unchanged. */
    int (*launch)(struct ventus_backend_device *device, const struct ventus_backend_launch *launch, char *why,
                  size_t why_size);

    /* Continues the launch until it has ended, for at most `timeout_ns`, give or take some milliseconds. Returns an
     * enum ventus_backend_state. */
    int (*wait)(struct ventus_backend_device *device, uint64_t timeout_ns, struct ventus_backend_outcome *outcome);

    /* Writes up to `room` counters of the last launch. Returns how many. */
    uint32_t (*counters)(struct ventus_backend_device *device, struct ventus_backend_counter *counters, uint32_t room);

    /* Optional: may be NULL, or beyond the table's `size`. For a device that shows programs to its user, in a debugger
     * or a trace: receives the ELF file (docs/architecture.md), of `size` bytes, of the following launches. Called
     * before a launch whose program differs from the previous launch's, after its memory has been written and while
     * nothing runs. A device that cannot use the file ignores it. For a device with this function OpenCL compiles
     * programs with debug information (-g). */
    void (*program)(struct ventus_backend_device *device, const void *elf, uint64_t size);
};

/* The library's export. The table must stay valid as long as the process. */
#define VENTUS_BACKEND_SYMBOL "ventus_backend_table"
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
const struct ventus_backend *
ventus_backend_table(void);

#ifdef __cplusplus
}
#endif

#endif
