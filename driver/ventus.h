/* The Ventus device API: open a device, give it memory and modules, launch kernels.
 *
 * Errors are values of enum ventus_status; a function that fails leaves its outputs untouched. Every
 * function may be called from any thread. Devices share nothing. Sizes are bytes, device addresses have 32 bits, times
 * are nanoseconds. docs/driver.md is the introduction.
 *
 * This header is installed. It is C99 and C++11, and every name that it declares, also through its includes, begins
 * with ventus_ or VENTUS_. Programs of this project that know the machine find more in driver/gpu.h. */
#ifndef VENTUS_H
#define VENTUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "asm/kernel.h"

/* The library exports what is declared here, and nothing else. */
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header. Minor versions only add; the major version is in the library's file name (libventus.so.6). */
#define VENTUS_API_MAJOR   6
#define VENTUS_API_MINOR   2
#define VENTUS_API_VERSION ((uint32_t)VENTUS_API_MAJOR << 16 | VENTUS_API_MINOR)

/* The version that the library was built with; a program checks that the major version is the header's. */
uint32_t ventus_api_version(void);

enum ventus_status {
    VENTUS_OK,
    VENTUS_BAD_ARGUMENT, /* NULL, zero size, unknown handle, misuse */
    VENTUS_BAD_CONFIG,   /* machine parameters */
    VENTUS_NO_MEMORY,    /* host memory */
    VENTUS_NO_DEVICE_MEMORY,
    VENTUS_OUT_OF_RANGE, /* a copy leaves its allocation */
    VENTUS_BAD_MODULE,   /* not an ELF for this machine, or damaged */
    VENTUS_NO_KERNEL,    /* no kernel of that name */
    VENTUS_BAD_LAUNCH,   /* sizes or resources the machine cannot hold */
    VENTUS_FAULT,        /* the kernel failed; see the result */
    VENTUS_CANCELLED,
    VENTUS_TIMEOUT,    /* not ended within the given time, or that of the variable VENTUS_TIMEOUT */
    VENTUS_DEPENDENCY, /* not run: a launch it depends on did not succeed */
    VENTUS_STOPPED,    /* by an observer of the machine */
};

/* Static English text of a status. */
const char *ventus_status_text(enum ventus_status status);

/* ---- device.c ---- */

typedef struct ventus_device ventus_device;
typedef struct ventus_module ventus_module;

/* The number of devices of this process: one for each machine file that the environment variable VENTUS_CONFIG names
 * (separated by colons); if it names none, one, the default machine. */
size_t ventus_device_count(void);

/* Properties of a device; a machine file (docs/run.md) has these and more. */
struct ventus_info {
    char name[64];             /* "Ventus GPGPU", with the file's name if there is one */
    const char *profile;       /* its instruction set, static */
    uint32_t sms;              /* streaming multiprocessors */
    uint32_t warps_per_sm;     /* most resident warps of one SM, and so of a work-group */
    uint32_t threads_per_warp; /* work-items of a warp */
    uint32_t lds_bytes;        /* local memory of one SM, the stacks of its warps included */
    uint32_t clock_mhz;        /* as the device reports it */
    bool modelled;             /* its clock is that of a cycle model (ventus_clock) */
    bool translated;           /* kernels use virtual addresses, in the device's own address space */
};

/* Describes device `index`. VENTUS_BAD_ARGUMENT: there is none. VENTUS_BAD_CONFIG: its file cannot be used, and `why`
 * (if not NULL, `why_size` bytes) receives "file:line: what". */
enum ventus_status ventus_describe(size_t index, struct ventus_info *info, char *why, size_t why_size);

/* Opens a device like device `index`: each call makes a new one. Errors as ventus_describe, and VENTUS_NO_MEMORY. An
 * error in the environment (VENTUS_CONFIG, VENTUS_ENGINE, VENTUS_THREADS) is also a line on standard error, once. */
enum ventus_status ventus_open(size_t index, ventus_device **device);

/* The same with a machine file; `why` as above. */
enum ventus_status ventus_open_file(const char *path, ventus_device **device, char *why, size_t why_size);

/* Describes an open device. */
void ventus_device_info(const ventus_device *device, struct ventus_info *info);

/* Cancels everything that runs or waits, and frees all memory. Events stay valid, mapped memory does not. No other call
 * on the device may be in progress, and no callback may call this. NULL is allowed. */
void ventus_close(ventus_device *device);

/* Counters of running kernels; sim/counters.def, which is installed as well, explains each. */
struct ventus_counters {
#define VENTUS_COUNTER(name, type, how, cl, text) type name;
#include "sim/counters.def"
#undef VENTUS_COUNTER
};

/* Totals of a device since it was opened. */
struct ventus_totals {
    uint64_t launches;               /* all that have ended, ... */
    uint64_t faults, cancelled;      /* ... and those of them with VENTUS_FAULT, VENTUS_CANCELLED */
    uint64_t busy_ns;                /* host time during which launches or calls ran */
    struct ventus_counters counters; /* sums; max_simt_depth is the maximum */
};

/* The totals up to now; running launches and calls count as busy. */
void ventus_totals(ventus_device *device, struct ventus_totals *totals);

/* ---- clock.c ---- */

/* The device's time in nanoseconds: the host's monotonic clock, or with `timing = NAME` in the machine file the clock
 * of the modelled hardware, which starts at the host's time and advances while launches run. */
uint64_t ventus_clock(const ventus_device *device);

/* ---- memory.c ---- */

/* Bytes of device memory, in total and for one allocation. */
uint64_t ventus_memory_size(const ventus_device *device);

struct ventus_memory {
    uint64_t size;    /* as ventus_memory_size */
    uint64_t used;    /* bytes in allocations, in whole pages, with the closed pages behind them */
    uint64_t largest; /* the largest size that ventus_alloc could provide now */
    size_t blocks;    /* allocations, those of running launches included */
};

/* The current state; running launches have allocations of their own. */
void ventus_memory(ventus_device *device, struct ventus_memory *memory);

/* How addresses are assigned, as flags. 0: first fit, with a closed page behind each allocation, so that a kernel that
 * runs past the end of a buffer faults; if the process has 8192 such allocations, further ones have no closed page, and
 * accesses to them do not fault after they are freed. VENTUS_BAD_ARGUMENT if something is allocated. */
enum ventus_heap_flags {
    VENTUS_HEAP_PACKED = 1,    /* without the closed page */
    VENTUS_HEAP_ASCENDING = 2, /* never assign an address twice */
};
enum ventus_status ventus_heap(ventus_device *device, unsigned flags);

/* Allocates `size` bytes (> 0), zero-filled and page-aligned, and stores the address in *addr. VENTUS_NO_DEVICE_MEMORY:
 * no free range is large enough. VENTUS_NO_MEMORY: the host has no memory. */
enum ventus_status ventus_alloc(ventus_device *device, uint64_t size, uint32_t *addr);

/* Allocates memory that this process also has at the same addresses (as 64-bit ones): host and kernels see each other's
 * writes. VENTUS_NO_DEVICE_MEMORY: no range is free on both sides, or the device translates addresses. A child of
 * fork() shares it. */
enum ventus_status ventus_alloc_shared(ventus_device *device, uint64_t size, uint32_t *addr);

/* Does this process have enough of these addresses free to make that useful? Not with the address sanitizer, say. */
bool ventus_can_share(void);

/* Frees the allocation that starts at `addr`; VENTUS_BAD_ARGUMENT if there is none. Freed memory is reused, and
 * adjacent free ranges are merged. A kernel that still uses freed memory faults. */
enum ventus_status ventus_free(ventus_device *device, uint32_t addr);

/* Frees all allocations. No launch may be in flight, since it would lose its allocations. */
enum ventus_status ventus_free_all(ventus_device *device);

/* Copies between host and device. The device range must lie inside one allocation or the loaded
 * module, else VENTUS_OUT_OF_RANGE. The overlap of a device-to-device copy is handled as memmove does. ventus_fill
 * repeats `pattern`; `size` is a multiple of its size. Copies do not wait for launches, except those to and from the
 * module, for which no launch may run meanwhile. */
enum ventus_status ventus_write(ventus_device *device, uint32_t addr, const void *src, uint64_t size);
enum ventus_status ventus_read(ventus_device *device, void *dst, uint32_t addr, uint64_t size);
enum ventus_status ventus_copy(ventus_device *device, uint32_t dst, uint32_t src, uint64_t size);
enum ventus_status ventus_fill(ventus_device *device, uint32_t addr, const void *pattern, size_t pattern_size,
                               uint64_t size);

/* Host address of a device range, valid until the range is freed; NULL if it is not allocated. */
void *ventus_map(ventus_device *device, uint32_t addr, uint64_t size);

/* ---- module.c: what a compiled program contains ---- */

/* asm/kernel.h declares the descriptions of kernels, struct ventus_kernel and struct ventus_arg. */

/* Parses an ELF executable (the bytes are copied) made for this machine. On failure `why` (if not NULL, `why_size`
 * bytes) receives the error and its place: line and column in the module note, or the kernel whose record is wrong. A
 * module belongs to no device. A freed module stays until the launches that use it have ended. */
enum ventus_status ventus_module_load(const void *elf, size_t size, ventus_module **module, char *why, size_t why_size);
void ventus_module_free(ventus_module *module); /* NULL is allowed */

/* The number of its kernels, and a kernel by number or by name (NULL: there is none), which belongs to the module. */
size_t ventus_module_kernels(const ventus_module *module);
const struct ventus_kernel *ventus_module_kernel(const ventus_module *module, size_t index);
const struct ventus_kernel *ventus_module_find(const ventus_module *module, const char *name);

/* Its instruction set, a static text; "" if the file does not say. */
const char *ventus_module_profile(const ventus_module *module);

/* Does the device execute the module's instruction set? False: `why` (if not NULL, `why_size` bytes) names both, and
 * it cannot be launched. A module that names no instruction set fits every device. */
bool ventus_module_fits(const ventus_device *device, const ventus_module *module, char *why, size_t why_size);

/* Bytes of its variables, which keep their values from launch to launch as long as the module exists. */
size_t ventus_module_variables(const ventus_module *module);

/* Is it a draft, which lists kernels and holds the input from which `ventus-cc --link` compiles them? It cannot be
 * launched. Since version 5.1. */
bool ventus_module_is_draft(const ventus_module *module);

/* Does any of its kernels print? */
bool ventus_module_prints(const ventus_module *module);

/* Source position of `pc`: its line, or 0 when unknown. */
uint32_t ventus_module_line(const ventus_module *module, uint32_t pc);

/* ---- launch.c ---- */

struct ventus_range {
    uint32_t work_dim;                       /* 1..3 */
    uint32_t global[3], local[3], offset[3]; /* work-items; unused dimensions 1, 1, 0 */
};

/* The hardware's address registers of profiles r2.1 and r2025. */
struct ventus_spaces {
    uint32_t csr_gds;             /* added to the addresses of instructions of the global space */
    uint32_t gds_base, gds_limit; /* r2025: first and last flat address that is global, ... */
    uint32_t lds_base, lds_limit; /* ... or local; of the others those below 2^24 are private. A limit of 0: none */
};

/* A part of the machine: `count` streaming multiprocessors from number `first` on. */
struct ventus_sms {
    uint32_t first, count;
};

struct ventus_outcome;
struct ventus_gpu_launch; /* driver/gpu.h */

struct ventus_launch {
    const ventus_module *module;
    const struct ventus_kernel *kernel;
    /* `global` must be a multiple of `local`. Since version 6.0, for kernels that are `ungrouped`, one dimension is
     * exempt: there the last groups have the remainder, which must take as many warps as the other groups, `local`
     * equals `global` in lower dimensions, and it is 1 in higher ones. */
    struct ventus_range range;
    const void *args;            /* kernel->args_size bytes, laid out as kernel->args says; the words of
                                  * VENTUS_ARG_LOCAL arguments are filled in by the driver */
    const uint64_t *local_sizes; /* one per argument, bytes of each VENTUS_ARG_LOCAL; may be NULL */
    const uint32_t *pointers;    /* one per argument, addresses of each VENTUS_ARG_GLOBAL, VENTUS_ARG_CONSTANT and
                                  * VENTUS_ARG_PIPE, and of the texels of each VENTUS_ARG_IMAGE; NULL: they are in args */
    FILE *print;                 /* where printf output goes, from the thread that runs the launch; NULL: stdout */
    /* Called once, when the launch is over but its event has not ended yet, to release what the client keeps for it;
     * NULL: nothing. It runs on the thread that ran the launch, for which others wait. Not called if ventus_launch
     * fails. */
    void (*ending)(void *user, const struct ventus_outcome *outcome);
    void *user;
    struct ventus_sms sms;               /* the SMs that run it; a count of 0: all */
    const struct ventus_spaces *spaces;  /* NULL: the memory map's (docs/machine.md), csr_gds 0 */
    const struct ventus_gpu_launch *gpu; /* NULL; else options of programs that know the machine */
};

/* The print buffer of a launch (isa/abi.h). When it is full, work-items wait until it has been printed. */
enum { VENTUS_PRINT_BYTES = 1 << 20 };

/* Bytes of local memory that a group needs besides the stacks of its warps: static variables and the __local
 * arguments, aligned. `local_sizes` as in struct ventus_launch. UINT64_MAX: beyond 4 GiB. */
uint64_t ventus_local_bytes(const struct ventus_kernel *kernel, const uint64_t *local_sizes);

/* Bytes of local memory that a group can have on such a device, besides the stacks of its warps: all but the stacks of
 * as many warps as an SM holds, and at least half of it. Since version 6.1. */
uint32_t ventus_local_limit(const struct ventus_info *info);

/* Work-items of the largest group that this kernel can have on the device with __local arguments of these sizes (NULL:
 * 0 bytes each); 0 if it needs more local memory than ventus_local_limit. */
uint32_t ventus_max_group(const ventus_device *device, const struct ventus_kernel *kernel, const uint64_t *local_sizes);

/* Registers of an SM, which the warps of a group share. Since version 6.1. */
struct ventus_pools {
    uint32_t scalars, vectors;
};
struct ventus_pools ventus_pools_of(const ventus_device *device);

/* Why a group cannot be larger: a sentence of up to `size` bytes including the closing 0, without full stop or newline.
 * Since version 6.1. */
void ventus_max_group_reason(const ventus_device *device, const struct ventus_kernel *kernel,
                             const uint64_t *local_sizes, char *text, size_t size);

/* ---- the result of a launch ---- */

enum ventus_fault_kind { /* sim/faults.def, which is installed as well, explains them */
#define VENTUS_FAULT_KIND(NAME, key, text) VENTUS_FAULT_##NAME,
#include "sim/faults.def"
#undef VENTUS_FAULT_KIND
};

#define VENTUS_NO_LANE 32u /* above the number of every lane */

/* A fault and its place, as of the failing instruction. */
struct ventus_fault {
    enum ventus_fault_kind kind;
    uint32_t group[3]; /* work-group index */
    uint32_t warp;     /* warp in its group */
    uint32_t lanes;    /* mask of active lanes */
    uint32_t lane;     /* first lane at fault, or VENTUS_NO_LANE if no lane in particular is */
    uint32_t pc;       /* address of the instruction */
    uint64_t addr;     /* device address of a memory fault */
};

/* The fault is VENTUS_FAULT_NONE unless the launch ended with VENTUS_FAULT or VENTUS_BAD_LAUNCH. */
struct ventus_result {
    struct ventus_fault fault;
    struct ventus_counters counters;
};

/* ---- queue.c, worker.c: commands in flight ----
 *
 * There are four kinds of commands. A launch runs on the machine. A call runs a function of the caller, a copy for
 * example. A mark ends as soon as its dependencies have: it stands for many events. A gate ends when the caller says
 * so. Each command has an event, and starts when its dependencies have ended.
 *
 * A device has a thread for launches and one for calls, started by the first of each. A client's thread that waits
 * without a limit for everything in flight may do their work itself, if no other thread has ever submitted anything:
 * callbacks then run on that thread, and the wait ends when the thread's work has, to which another thread may
 * meanwhile have added launches, or in which it may have cancelled those that were waited for. Launches that can start
 * do so in the order of submission, several at once if the machine has room; so do calls, one after another. The code
 * window holds one module: a launch of another module, and all later ones, wait until the running launches have ended.
 * printf output appears as a whole when a launch ends, and earlier in pieces when its buffer is full. */

typedef struct ventus_event ventus_event;

#define VENTUS_FOREVER UINT64_MAX

/* An event to wait for, of any device. If it fails, the dependent command is not run and ends with VENTUS_DEPENDENCY as
 * soon as all its dependencies have ended; with `any_end` only the order counts. */
struct ventus_dep {
    ventus_event *event;
    bool any_end;
};

/* Submits a launch that waits for the `ndeps` events of `deps`. Arguments and sizes are copied, and the module is kept
 * as long as it is needed. The client releases *event; `event` may be NULL. VENTUS_BAD_LAUNCH: the sizes contradict
 * each other or exceed the machine, or it does not have these SMs. VENTUS_BAD_MODULE: ventus_module_fits says why. */
enum ventus_status ventus_launch(ventus_device *device, const struct ventus_launch *launch, size_t ndeps,
                                 const struct ventus_dep *deps, ventus_event **event);

struct ventus_call {
    enum ventus_status (*run)(void *user); /* returns the event's status; must not wait for the device */
    void (*ending)(void *user, const struct ventus_outcome *outcome); /* as in struct ventus_launch; also if not run */
    void *user;
};

/* Submits a call, as ventus_launch does a launch. */
enum ventus_status ventus_call(ventus_device *device, const struct ventus_call *call, size_t ndeps,
                               const struct ventus_dep *deps, ventus_event **event);

/* An event that ends when all of `deps` have. */
enum ventus_status ventus_mark(ventus_device *device, size_t ndeps, const struct ventus_dep *deps,
                               ventus_event **event);

/* An event that is VENTUS_RUNNING when all of `deps` have ended, and ends with ventus_event_set. */
enum ventus_status ventus_gate(ventus_device *device, size_t ndeps, const struct ventus_dep *deps,
                               ventus_event **event);

/* Ends a gate with `status`. VENTUS_BAD_ARGUMENT: no gate, not VENTUS_RUNNING, or set before. */
enum ventus_status ventus_event_set(ventus_event *event, enum ventus_status status);

/* Asks a launch to end; it does so, with VENTUS_CANCELLED, within 100 ms, unless it ends by itself before. Its writes
 * remain. A call that has not started is not run, and ends with VENTUS_CANCELLED; so do marks and gates, as soon as
 * their dependencies have ended. */
void ventus_event_cancel(ventus_event *event);

/* Starts submitted commands at once, if they can start. Otherwise the device leaves short launches to the client's own
 * thread, which usually is about to wait for them, and starts them itself when the client has neither waited nor
 * submitted more for some milliseconds, or has not waited for 50 ms. */
void ventus_flush(ventus_device *device);

/* For a client that keeps submitting: runs short launches that have come together, for a millisecond or two; and if
 * more than `most` commands are in flight, waits until half as many are, or until none can proceed before the client
 * does something else. Commands in flight take host memory, a launch some 1.5 KB. Does nothing in a callback or a call.
 * Since version 6.1. */
void ventus_hold_back(ventus_device *device, size_t most);

/* Waits until everything submitted before has ended: VENTUS_OK, or VENTUS_TIMEOUT after `timeout_ns`. */
enum ventus_status ventus_finish(ventus_device *device, uint64_t timeout_ns);

/* Submits a launch and waits. VENTUS_FAULT when the kernel failed: result->fault says where and `message` (if not
 * NULL, `message_size` bytes) receives one line naming kernel, source line when known, pc, work-item and
 * address (struct ventus_outcome). The device stays usable. Must not be used in a callback or a call, which run on the
 * device's own threads. */
enum ventus_status ventus_run(ventus_device *device, const struct ventus_launch *launch, struct ventus_result *result,
                              char *message, size_t message_size);

/* ---- profile.c: profiles (docs/profiler.md), since version 6.2 ---- */

/* Starts a profile of all later launches, after waiting for those that run. Memory accesses are watched in the first
 * launch of each kernel and in every `watch`th one, which is slow; 0: in none. VENTUS_BAD_ARGUMENT: a profile is
 * already being made, by this function or for the variable VENTUS_PROFILE; the caller is a callback; or launches run on
 * a device behind the driver, which does not count instructions. */
enum ventus_status ventus_profile(ventus_device *device, uint64_t watch);

/* Ends it when running launches have ended, and writes it to `files`, a comma-separated list, in the format that each
 * name's ending selects; NULL: nowhere. VENTUS_BAD_ARGUMENT: none was started; the caller is a callback; or a file
 * cannot be written, in which case `why` (if not NULL, `why_size` bytes) names it, and the profile has ended
 * nevertheless. */
enum ventus_status ventus_profile_end(ventus_device *device, const char *files, char *why, size_t why_size);

/* ---- event.c, worker.c: events and outcomes ---- */

enum ventus_state { VENTUS_QUEUED, VENTUS_RUNNING, VENTUS_ENDED };

struct ventus_outcome {
    enum ventus_status status;   /* VENTUS_OK, _FAULT, _CANCELLED, _TIMEOUT, _STOPPED, _DEPENDENCY, _BAD_LAUNCH, out of
                                  * memory, or the status of a call or ventus_event_set */
    struct ventus_result result; /* of a launch: fault and counters; zeros if it never ran */
    const char *message; /* one line for people, owned by the event; empty on success, unless some output of printf is
                          * lost, or the machine ignores stray accesses (ignore_stray) and this is the device's
                          * first launch with one */
    /* on the device's clock (ventus_clock); started is 0 if it never ran */
    uint64_t submitted, started, ended;
    uint64_t cycles; /* of a launch, by the cycle model; 0: the machine has none */
    /* With VENTUS_DEPENDENCY, the status of the dependency that failed, followed to its origin; if there were several,
     * a failure is preferred to VENTUS_CANCELLED. Else the status. Since version 6.1. */
    enum ventus_status cause;
};

/* An event is freed when it has been released as often as it was returned and retained. Releasing does not end its
 * command. Releasing NULL is allowed. */
void ventus_event_retain(ventus_event *event);
void ventus_event_release(ventus_event *event);

/* Its state; VENTUS_ENDED is final. */
enum ventus_state ventus_event_state(const ventus_event *event);

/* Waits for the end and returns the status of the outcome, or VENTUS_TIMEOUT. VENTUS_BAD_ARGUMENT in a callback or a
 * call, where it could wait forever. */
enum ventus_status ventus_event_wait(ventus_event *event, uint64_t timeout_ns);

/* Waits until it runs or has ended, and then returns VENTUS_OK; the rest as above. */
enum ventus_status ventus_event_wait_start(ventus_event *event, uint64_t timeout_ns);

/* Its outcome, valid as long as the event; NULL before the end. */
const struct ventus_outcome *ventus_event_outcome(const ventus_event *event);

/* Calls `call` once, when the event reaches `state` or ends without reaching it. If it already has, the call is made
 * here; else on the thread that causes it, usually one that does the device's work, for which others wait. False: the
 * host is out of memory. */
bool ventus_event_notify(ventus_event *event, enum ventus_state state, void (*call)(ventus_event *event, void *user),
                         void *user);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
