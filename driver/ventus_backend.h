/* What stands behind the driver in place of the built-in machine: a library with a device in it, RTL in a simulator,
 * say, or a board. The user names it with VENTUS_BACKEND or with `device = ` in the machine file (docs/hardware.md).
 *
 * Such a library exports one function, ventus_backend_table, that gives a table of functions. The driver checks the
 * version first, and that no function is missing. Its calls come from several threads, but never two at a time for the
 * same device. None of them may end the process, and none may wait for longer than it says.
 *
 * Addresses are physical ones of the device, of 32 bits; sizes are bytes, times nanoseconds. Functions that can fail
 * return 0 when they have done what they are to do; else something else, and `why` (`why_size` bytes, never 0) has a
 * text for people: what is wrong and what to do about it. Whoever allocates frees: the driver's structures are the
 * driver's, and valid until the call returns.
 *
 * This header is installed and needs no other of the project. It is C99 and C++11. */
#ifndef VENTUS_BACKEND_H
#define VENTUS_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of what is declared here. Another one is something else: the driver refuses it. */
#define VENTUS_BACKEND_ABI 1u

/* What a device can do besides running a launch of full warps to its end. What it cannot, the driver does not ask for:
 * launches that need it end with VENTUS_BAD_LAUNCH and say so, and OpenCL does not offer it. */
enum ventus_backend_feature {
    VENTUS_BACKEND_FAULTS = 1 << 0,  /* a launch that does wrong ends, and says where: VENTUS_BACKEND_FAULT */
    VENTUS_BACKEND_PRINT = 1 << 1,   /* a launch whose print buffer is full stops: VENTUS_BACKEND_PRINTS */
    VENTUS_BACKEND_ATOMICS = 1 << 2, /* the instructions of RISC-V's extension A */
    VENTUS_BACKEND_PARTIAL = 1 << 3, /* warps with fewer work-items than lanes, and smaller last groups */
    VENTUS_BACKEND_PARTS = 1 << 4,   /* a launch on some of the SMs: OpenCL's sub-devices */
    VENTUS_BACKEND_SV39 = 1 << 5,    /* translates addresses: `translation = sv39` */
    VENTUS_BACKEND_DOUBLES = 1 << 6, /* OpenCL offers double, ... */
    VENTUS_BACKEND_HALVES = 1 << 7,  /* ... half, ... */
    VENTUS_BACKEND_IMAGES = 1 << 8,  /* ... images, ... */
    VENTUS_BACKEND_SVM = 1 << 9,     /* ... and shared virtual memory, if it is asked for (VENTUS_SVM=1) */
    VENTUS_BACKEND_SLOTS = 1 << 10,  /* any pds_groups areas of private memory do: a group gets one that is free; else
                                      * there are as many as the launch has groups, and as places for groups */
    VENTUS_BACKEND_FEATURES = (1 << 11) - 1
};

struct ventus_backend_options {
    uint32_t size;    /* of this structure */
    const char *text; /* what the user has written behind the library's name, without the first comma: "a=1,b=2"; "".
                       * %p in it has become the process number, and %% has become % */
};

/* What a device is like. The driver has filled it in with what the machine file says, and features with all of them:
 * the device changes what it knows better. The result must be a machine that our machine file could describe
 * (docs/machine.md). */
struct ventus_backend_info {
    uint32_t size;             /* of this structure; stays */
    uint32_t features;         /* enum ventus_backend_feature */
    uint32_t sms;              /* streaming multiprocessors */
    uint32_t warps_per_sm;     /* resident warps of an SM = most warps of a work-group */
    uint32_t groups_per_sm;    /* resident work-groups of an SM */
    uint32_t threads_per_warp; /* lanes of a warp: 4, 8, 16 or 32 */
    uint32_t lds_bytes;        /* local memory of an SM */
    uint32_t vgpr_rows;        /* vector registers of an SM, shared by its warps */
    uint32_t sgpr_rows;        /* scalar registers of an SM */
    uint32_t clock_mhz;        /* what OpenCL says of the clock */
    char profile[16];          /* instruction set: a name that `ventus info` lists */
    char name[48];             /* for people, behind "Ventus GPGPU"; the driver fills in "" */
    uint32_t memory_mib;       /* memory from address 0x90000000 on, for all but code, constants and local memory */
};

/* A launch. Code, arguments and the metadata block have been written into memory. */
struct ventus_backend_launch {
    uint32_t size;             /* of this structure */
    uint32_t start;            /* address of the first instruction of every warp */
    uint32_t metadata;         /* address of the kernel's metadata block, for CSR 0x803 (docs/architecture.md) */
    uint32_t groups[3];        /* work-groups per dimension, each >= 1 */
    uint32_t warps;            /* of a work-group */
    uint32_t threads_per_warp; /* lanes of a warp */
    uint32_t work_items;    /* of a work-group; less than warps * threads_per_warp with VENTUS_BACKEND_PARTIAL alone */
    uint32_t last_items;    /* 0, or with VENTUS_BACKEND_PARTIAL those of the last groups in dimension ... */
    uint32_t last_of;       /* ... last_of; lower dimensions have one group then */
    uint32_t sgprs, vgprs;  /* registers of a warp */
    uint32_t lds_bytes;     /* local memory of a group, the stacks of its warps (1024 bytes each) included */
    uint32_t pds_base;      /* private memory: base address, ... */
    uint32_t pds_bytes;     /* ... bytes of one work-item, ... */
    uint32_t pds_groups;    /* ... and for how many resident groups there is room */
    uint32_t csr_gds;       /* what accesses of the global space add to addresses (profiles r2.1, r2025) */
    uint32_t first_sm, sms; /* which SMs run it; sms = 0: all. Else with VENTUS_BACKEND_PARTS alone */
    uint32_t page_table;    /* physical address of the root of the page table (SV39); 0: none */
    const char *kernel;     /* its name; "" if it has none */
};

enum ventus_backend_state {
    VENTUS_BACKEND_RUNS,    /* not ended within the time: the driver asks again */
    VENTUS_BACKEND_DONE,    /* ended, and all it has written can be read */
    VENTUS_BACKEND_FAULT,   /* ended by a mistake of the kernel: what and where is in the outcome */
    VENTUS_BACKEND_FAILED,  /* ended by a mistake of the device; `text` says which. It is opened anew */
    VENTUS_BACKEND_TIMEOUT, /* ended by a time-out of the device's own. It is opened anew */
    VENTUS_BACKEND_PRINTS   /* a warp waits for room in the print buffer, and all others stand still: the driver makes
                             * some, and asks again */
};

struct ventus_backend_outcome {
    uint32_t size;     /* of this structure */
    uint64_t cycles;   /* of this launch; 0: not known */
    uint32_t print;    /* VENTUS_BACKEND_PRINTS: what the warp has written to CSR 0x80b */
    uint32_t pc;       /* VENTUS_BACKEND_FAULT: address of the instruction, 0: not known */
    uint32_t group[3]; /* ... and of the work-group */
    uint32_t warp;     /* ... the warp in its group */
    char text[160];    /* for people: what has happened; "" */
};

/* One number that the device has counted during the last launch. Those named as in sim/counters.def (`instructions`,
 * `warps`, ...) go into the launch's result; `ventus run --stats` shows all of them. */
struct ventus_backend_counter {
    char name[48];
    uint64_t value;
};
enum { VENTUS_BACKEND_COUNTERS = 256 /* most of one device */ };

struct ventus_backend_device; /* the library's own */

struct ventus_backend {
    uint32_t abi;  /* VENTUS_BACKEND_ABI */
    uint32_t size; /* of this structure as the library has it; the driver looks at nothing behind it */

    /* Makes a device, with all of its memory unwritten. Options that it does not know are an error that names those
     * that it does. Several may be open at once: a library that can have only one makes it at its first write. */
    int (*open)(const struct ventus_backend_options *options, struct ventus_backend_device **device, char *why,
                size_t why_size);

    /* Ends it, with whatever runs. Devices that are open, and run nothing, when the process ends (exit) are closed
     * then. */
    void (*close)(struct ventus_backend_device *device);

    /* Called once, before anything is written. */
    int (*describe)(struct ventus_backend_device *device, struct ventus_backend_info *info, char *why, size_t why_size);

    /* Copies to and from the device's memory, within one page of 4096 bytes or several whole ones. All that a launch
     * may use has been written before it begins. Also while a launch stands still with VENTUS_BACKEND_PRINTS; and reads
     * of one that is given up, whatever they give then. */
    int (*write)(struct ventus_backend_device *device, uint64_t addr, const void *src, uint64_t size, char *why,
                 size_t why_size);
    int (*read)(struct ventus_backend_device *device, uint64_t addr, void *dst, uint64_t size, char *why,
                size_t why_size);

    /* Begins a launch; one at a time. A failure: the device cannot do it, and is as before. */
    int (*launch)(struct ventus_backend_device *device, const struct ventus_backend_launch *launch, char *why,
                  size_t why_size);

    /* Goes on with the launch until it has ended, but for `timeout_ns` at most, give or take some milliseconds. Returns
     * an enum ventus_backend_state. */
    int (*wait)(struct ventus_backend_device *device, uint64_t timeout_ns, struct ventus_backend_outcome *outcome);

    /* Writes up to `room` counters of the last launch. Returns how many. */
    uint32_t (*counters)(struct ventus_backend_device *device, struct ventus_backend_counter *counters, uint32_t room);

    /* May be NULL, or be missing at the end of the table, whose `size` says so. For a device that shows programs to its
     * user, in a debugger or a trace: the ELF file (docs/architecture.md), of `size` bytes, of the launches that
     * follow. Called before the first launch of a program that is not the last launch's, when what it needs has been
     * written and nothing runs. A device that cannot use the file ignores it. OpenCL compiles programs with debug
     * information (-g) for a device with this function. */
    void (*program)(struct ventus_backend_device *device, const void *elf, uint64_t size);
};

/* What the library exports. The table stays as long as the process. */
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
