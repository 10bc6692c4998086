/* The Ventus device API: open a device, give it memory and modules, launch kernels.
 *
 * Errors are values of enum ventus_status; a function that fails leaves its outputs untouched. Every
 * function may be called from any thread. Devices share nothing. Sizes are bytes, device addresses have 32 bits, times
 * are nanoseconds. docs/driver.md is the introduction.
 *
 * This header is installed. It is C99 and C++11, and every name that it brings, also from what it includes, begins with
 * ventus_ or VENTUS_. Programs of this project that know the machine find more in driver/gpu.h. */
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

/* Version of this header. A minor one only adds; the major one is that of the library's file name (libventus.so.6). */
#define VENTUS_API_MAJOR   6
#define VENTUS_API_MINOR   2
#define VENTUS_API_VERSION ((uint32_t)VENTUS_API_MAJOR << 16 | VENTUS_API_MINOR)

/* The version the library was built with; a program checks that its major part is the header's. */
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
    VENTUS_TIMEOUT,    /* not ended within the time given, or that of the variable VENTUS_TIMEOUT */
    VENTUS_DEPENDENCY, /* not run: a launch it depends on did not succeed */
    VENTUS_STOPPED,    /* by an observer of the machine */
};

/* Static English text of a status. */
const char *ventus_status_text(enum ventus_status status);

/* ---- device.c ---- */

typedef struct ventus_device ventus_device;
typedef struct ventus_module ventus_module;

/* The devices of this process: one for each machine file that the environment variable VENTUS_CONFIG
 * names (separated by colons), and when it names none, the default machine. */
size_t ventus_device_count(void);

/* What a device is like; a machine file (docs/run.md) has these and more. */
struct ventus_info {
    char name[64];             /* "Ventus GPGPU", with the file's name if there is one */
    const char *profile;       /* its instruction set, static */
    uint32_t sms;              /* streaming multiprocessors */
    uint32_t warps_per_sm;     /* resident warps of one SM, which are also the most of a work-group */
    uint32_t threads_per_warp; /* work-items of a warp */
    uint32_t lds_bytes;        /* local memory of one SM, the stacks of its warps included */
    uint32_t clock_mhz;        /* that the device reports */
    bool modelled;             /* its clock is that of a cycle model (ventus_clock) */
    bool translated;           /* addresses of kernels are virtual, in an address space of the device's own */
};

/* Describes device `index`. VENTUS_BAD_ARGUMENT: there is none. VENTUS_BAD_CONFIG: its file cannot be used, and `why`
 * (if not NULL, `why_size` bytes) receives "file:line: what". */
enum ventus_status ventus_describe(size_t index, struct ventus_info *info, char *why, size_t why_size);

/* Opens a device like device `index`: each call makes a new one. Errors as ventus_describe, and VENTUS_NO_MEMORY. What
 * is wrong with the environment (VENTUS_CONFIG, VENTUS_ENGINE, VENTUS_THREADS) is also a line on standard error, once.
 */
enum ventus_status ventus_open(size_t index, ventus_device **device);

/* The same with a machine file; `why` as above. */
enum ventus_status ventus_open_file(const char *path, ventus_device **device, char *why, size_t why_size);

/* Describes an open device. */
void ventus_device_info(const ventus_device *device, struct ventus_info *info);

/* Cancels what runs or waits and gives all memory back. Events stay valid, mapped memory does not. No other
 * call may be under way with the device; not from a callback. NULL is allowed. */
void ventus_close(ventus_device *device);

/* What the machine counts while kernels run: sim/counters.def, which is installed too, says what each means. */
struct ventus_counters {
#define VENTUS_COUNTER(name, type, how, cl, text) type name;
#include "sim/counters.def"
#undef VENTUS_COUNTER
};

/* What a device has done since it was opened. */
struct ventus_totals {
    uint64_t launches;               /* ended, in whatever way ... */
    uint64_t faults, cancelled;      /* ... of them with VENTUS_FAULT, VENTUS_CANCELLED */
    uint64_t busy_ns;                /* host time in which something ran */
    struct ventus_counters counters; /* sums; max_simt_depth is the maximum */
};

/* Up to now; what runs counts as busy. */
void ventus_totals(ventus_device *device, struct ventus_totals *totals);

/* ---- clock.c ---- */

/* The time of the device, in nanoseconds: the host's monotonic clock, or with `timing = NAME` in the machine file that
 * of the modelled hardware, which begins with the host's time and goes on while launches run. */
uint64_t ventus_clock(const ventus_device *device);

/* ---- memory.c ---- */

/* Bytes of device memory that can be allocated in total, and at once. */
uint64_t ventus_memory_size(const ventus_device *device);

struct ventus_memory {
    uint64_t size;    /* as ventus_memory_size */
    uint64_t used;    /* bytes in allocations, whole pages with what lies closed behind them */
    uint64_t largest; /* the largest size ventus_alloc could give now */
    size_t blocks;    /* allocations, those of running launches included */
};

/* How it is at the moment; launches that run have allocations of their own. */
void ventus_memory(ventus_device *device, struct ventus_memory *memory);

/* How addresses are given out, as flags; 0: first fit with a closed page behind each allocation, so that a
 * kernel that runs past the end of a buffer faults; while the process has 8192 such allocations, further ones are
 * without, and they fault neither when they have been freed. VENTUS_BAD_ARGUMENT when something is allocated. */
enum ventus_heap_flags {
    VENTUS_HEAP_PACKED = 1,    /* without the closed page */
    VENTUS_HEAP_ASCENDING = 2, /* no address is given out twice */
};
enum ventus_status ventus_heap(ventus_device *device, unsigned flags);

/* Allocates `size` bytes (> 0), zero-filled, page-aligned; the address is in *addr. VENTUS_NO_DEVICE_MEMORY: no free
 * range is as large. VENTUS_NO_MEMORY: the host has none. */
enum ventus_status ventus_alloc(ventus_device *device, uint64_t size, uint32_t *addr);

/* The same with memory that this process has at the same addresses (as 64-bit ones), too: host and kernels read what
 * the other writes. VENTUS_NO_DEVICE_MEMORY: no range is free on both sides, or the device translates addresses. A
 * child of fork() shares it. */
enum ventus_status ventus_alloc_shared(ventus_device *device, uint64_t size, uint32_t *addr);

/* Are enough of these addresses free in this process for that to be of use? Not with the address sanitizer, say. */
bool ventus_can_share(void);

/* Frees the allocation that begins at `addr`, VENTUS_BAD_ARGUMENT if none does. Freed memory is reused, neighbouring
 * free ranges are one. A kernel that still uses freed memory faults. */
enum ventus_status ventus_free(ventus_device *device, uint32_t addr);

/* Frees all allocations. No launch may be in flight: it would lose its own. */
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

/* Host address of a device range, NULL if it is not allocated; valid until it is freed. */
void *ventus_map(ventus_device *device, uint32_t addr, uint64_t size);

/* ---- module.c: what a compiled program contains ---- */

/* What it says about its kernels, struct ventus_kernel and struct ventus_arg, is described in asm/kernel.h. */

/* Parses an ELF executable (the bytes are copied) made for this machine. On failure `why` (if not NULL, `why_size`
 * bytes) receives what is wrong and where: the line and column of a mistake in the module note, the kernel
 * that a record is of. A module belongs to no device. Freed, it lives on until the launches that use it have ended. */
enum ventus_status ventus_module_load(const void *elf, size_t size, ventus_module **module, char *why, size_t why_size);
void ventus_module_free(ventus_module *module); /* NULL is allowed */

/* Its kernels: how many, one of them by number or by name (NULL: there is none). They are part of the module. */
size_t ventus_module_kernels(const ventus_module *module);
const struct ventus_kernel *ventus_module_kernel(const ventus_module *module, size_t index);
const struct ventus_kernel *ventus_module_find(const ventus_module *module, const char *name);

/* The instruction set that it is of, static; "" when the file does not say. */
const char *ventus_module_profile(const ventus_module *module);

/* Does the device execute the module's instruction set? False: `why` (if not NULL, `why_size` bytes) names both, and
 * it cannot be launched. A module that does not say what it is of goes with any device. */
bool ventus_module_fits(const ventus_device *device, const ventus_module *module, char *why, size_t why_size);

/* Bytes of its variables, which launches change and which keep what they hold as long as the module is there. */
size_t ventus_module_variables(const ventus_module *module);

/* Is it a draft, which lists kernels and carries what `ventus-cc --link` compiles them of? It cannot be launched. Since
 * version 5.1. */
bool ventus_module_is_draft(const ventus_module *module);

/* Does a kernel of it print? */
bool ventus_module_prints(const ventus_module *module);

/* Source position of `pc`: its line, or 0 when unknown. */
uint32_t ventus_module_line(const ventus_module *module, uint32_t pc);

/* ---- launch.c ---- */

struct ventus_range {
    uint32_t work_dim;                       /* 1..3 */
    uint32_t global[3], local[3], offset[3]; /* work-items; unused dimensions 1, 1, 0 */
};

/* What registers of the hardware say of addresses in profiles r2.1 and r2025. */
struct ventus_spaces {
    uint32_t csr_gds;             /* instructions of the global space add it to their addresses */
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
    /* `global` must be a multiple of `local`. Since version 6.0, and for kernels that are `ungrouped`, not in one
     * dimension, where the last groups have the rest, which must take as many warps as the others: `local` is all of
     * `global` in lower dimensions then, and 1 in higher ones. */
    struct ventus_range range;
    const void *args;            /* kernel->args_size bytes, laid out as kernel->args says; the words of
                                  * VENTUS_ARG_LOCAL arguments are filled in by the driver */
    const uint64_t *local_sizes; /* one per argument, bytes of each VENTUS_ARG_LOCAL; may be NULL */
    const uint32_t *pointers;    /* one per argument, addresses of each VENTUS_ARG_GLOBAL, VENTUS_ARG_CONSTANT and
                                  * VENTUS_ARG_PIPE, and of the texels of each VENTUS_ARG_IMAGE; NULL: they are in args */
    FILE *print;                 /* where printf output goes, from the thread that runs the launch; NULL: stdout */
    /* Called once, when the launch is over but its event does not say so yet, to release what the client has kept for
     * it; NULL: nothing. It runs on the thread that has run the launch, which others wait for. Not called when
     * ventus_launch fails. */
    void (*ending)(void *user, const struct ventus_outcome *outcome);
    void *user;
    struct ventus_sms sms;               /* which run it; a count of 0: all */
    const struct ventus_spaces *spaces;  /* NULL: as the memory map has it (docs/machine.md), csr_gds 0 */
    const struct ventus_gpu_launch *gpu; /* NULL; else what programs that know the machine say to it */
};

/* The print buffer of a launch (isa/abi.h). When it is full, work-items wait until it has been printed. */
enum { VENTUS_PRINT_BYTES = 1 << 20 };

/* Bytes of local memory that a group needs besides the stacks of its warps: static variables and the __local
 * arguments, aligned. `local_sizes` as in struct ventus_launch. UINT64_MAX: beyond 4 GiB. */
uint64_t ventus_local_bytes(const struct ventus_kernel *kernel, const uint64_t *local_sizes);

/* Bytes of local memory that a group can have on such a device, besides the stacks of its warps: what the stacks of as
 * many warps as an SM holds leave of it, and half of it at least. Since version 6.1. */
uint32_t ventus_local_limit(const struct ventus_info *info);

/* Work-items of the largest group this kernel can have on the device with __local arguments of these sizes (NULL:
 * 0 bytes each); 0 when the local memory is beyond ventus_local_limit. */
uint32_t ventus_max_group(const ventus_device *device, const struct ventus_kernel *kernel, const uint64_t *local_sizes);

/* Registers of an SM, which the warps of a group share. Since version 6.1. */
struct ventus_pools {
    uint32_t scalars, vectors;
};
struct ventus_pools ventus_pools_of(const ventus_device *device);

/* Why a group is not larger: a sentence of up to `size` bytes, the closing 0 included, without a full stop or the end
 * of a line. Since version 6.1. */
void ventus_max_group_reason(const ventus_device *device, const struct ventus_kernel *kernel,
                             const uint64_t *local_sizes, char *text, size_t size);

/* ---- what came of a launch ---- */

enum ventus_fault_kind { /* sim/faults.def, which is installed too, says what they are */
#define VENTUS_FAULT_KIND(NAME, key, text) VENTUS_FAULT_##NAME,
#include "sim/faults.def"
#undef VENTUS_FAULT_KIND
};

#define VENTUS_NO_LANE 32u /* more than every lane's number */

/* What went wrong where, as of the failing instruction. */
struct ventus_fault {
    enum ventus_fault_kind kind;
    uint32_t group[3]; /* work-group index */
    uint32_t warp;     /* warp in its group */
    uint32_t lanes;    /* mask of active lanes */
    uint32_t lane;     /* first lane at fault, VENTUS_NO_LANE when it is none in particular */
    uint32_t pc;       /* address of the instruction */
    uint64_t addr;     /* device address of a memory fault */
};

/* The fault is VENTUS_FAULT_NONE unless the launch ended with VENTUS_FAULT or VENTUS_BAD_LAUNCH. */
struct ventus_result {
    struct ventus_fault fault;
    struct ventus_counters counters;
};

/* ---- queue.c, worker.c: what is in flight ----
 *
 * Four kinds of things can be queued. A launch runs on the machine. A call is a function of the caller's, a copy, say.
 * A mark ends as soon as what it depends on has ended: it stands for many. A gate ends when the caller says so. Each
 * starts when what it depends on has ended, and has an event.
 *
 * A device has a thread for launches and one for calls, started by the first of each. A client's thread that waits for
 * ever, for all that is in flight, may do their work meanwhile, if no other thread has ever submitted anything: then
 * callbacks come on that thread, and the wait is over when what it runs has ended, to which another thread may have
 * added launches, or from which it may have cancelled what was waited for. Launches that can start do so in the order
 * of their submission, several at once where the machine has room; so do calls, one after another. The code window
 * holds one module: a launch of another module waits, and later ones behind it, until what runs has ended. printf
 * output appears when a launch ends, in one piece, and earlier pieces when its buffer is full. */

typedef struct ventus_event ventus_event;

#define VENTUS_FOREVER UINT64_MAX

/* An event to wait for, of any device. If it does not succeed, what depends on it is not run and ends with
 * VENTUS_DEPENDENCY once all that it waits for has ended; with `any_end` only the order counts. */
struct ventus_dep {
    ventus_event *event;
    bool any_end;
};

/* Submits a launch that waits for the `ndeps` events of `deps`. Arguments and sizes are copied, the module stays as
 * long as it is needed. The client releases *event; `event` may be NULL. VENTUS_BAD_LAUNCH: sizes that do not fit
 * together, or that the machine has no room for, or SMs that it does not have. VENTUS_BAD_MODULE: ventus_module_fits
 * says why. */
enum ventus_status ventus_launch(ventus_device *device, const struct ventus_launch *launch, size_t ndeps,
                                 const struct ventus_dep *deps, ventus_event **event);

struct ventus_call {
    enum ventus_status (*run)(void *user); /* its value is the event's status; it must not wait for the device */
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

/* Asks a launch to end; it does so, with VENTUS_CANCELLED, within 100 ms, unless it ends by itself before. What
 * it has written stays. A call that has not begun is not run, and ends with VENTUS_CANCELLED; so do marks and gates,
 * once what they wait for has ended. */
void ventus_event_cancel(ventus_event *event);

/* What has been submitted begins at once, if it can. Without this the device leaves short launches to the client's
 * own thread, which as a rule is about to wait for them, and begins with them itself when the client has done neither
 * that nor submitted more for some milliseconds, or has not waited for 50 ms. */
void ventus_flush(ventus_device *device);

/* For a client that goes on submitting: when more than `most` things are in flight, waits until half as many are, or
 * until none of them can proceed before the client does something else. What is in flight takes host memory, a launch
 * some 1.5 KB. Does nothing in a callback or a call. Since version 6.1. */
void ventus_hold_back(ventus_device *device, size_t most);

/* Waits until everything submitted before has ended: VENTUS_OK, or VENTUS_TIMEOUT after `timeout_ns`. */
enum ventus_status ventus_finish(ventus_device *device, uint64_t timeout_ns);

/* Submits a launch and waits. VENTUS_FAULT when the kernel failed: result->fault says where and `message` (if not
 * NULL, `message_size` bytes) receives one line naming kernel, source line when known, pc, work-item and
 * address (struct ventus_outcome). The device stays usable. Not in a callback or a call, which run on the device's own
 * threads. */
enum ventus_status ventus_run(ventus_device *device, const struct ventus_launch *launch, struct ventus_result *result,
                              char *message, size_t message_size);

/* ---- profile.c: profiles (docs/profiler.md), since version 6.2 ---- */

/* Begins a profile of the launches that begin from now on; waits for those that run. Accesses to memory are watched in
 * the first launch of each kernel and in every `watch`th one, which is slow; 0: in none. VENTUS_BAD_ARGUMENT: a profile
 * is being made, by this function or for the variable VENTUS_PROFILE, this is a callback, or launches run on a device
 * behind the driver, which counts nothing by instruction. */
enum ventus_status ventus_profile(ventus_device *device, uint64_t watch);

/* Ends it, once what runs has ended, and writes it into `files`, a list with commas, each in the form that its ending
 * says; NULL: nowhere. VENTUS_BAD_ARGUMENT: none was begun, this is a callback, or a file cannot be written: then `why`
 * (if not NULL, `why_size` bytes) names it, and the profile has ended as well. */
enum ventus_status ventus_profile_end(ventus_device *device, const char *files, char *why, size_t why_size);

/* ---- event.c, worker.c: what becomes of it ---- */

enum ventus_state { VENTUS_QUEUED, VENTUS_RUNNING, VENTUS_ENDED };

struct ventus_outcome {
    enum ventus_status status;   /* VENTUS_OK, _FAULT, _CANCELLED, _TIMEOUT, _STOPPED, _DEPENDENCY, _BAD_LAUNCH, out of
                                  * memory, or what a call or ventus_event_set said */
    struct ventus_result result; /* of a launch: fault and counters; zeros when it was never run */
    const char *message; /* one line for people, the event's; empty on success, unless not all could be printed, or
                          * the machine ignores stray accesses (ignore_stray) and this is the device's first
                          * launch that has made one */
    /* by the device's clock (ventus_clock); started is 0 when it was never run */
    uint64_t submitted, started, ended;
    uint64_t cycles; /* of a launch, by the cycle model; 0: the machine has none */
    /* With VENTUS_DEPENDENCY, how what it depended on ended, or what that depended on: if there were several, rather a
     * failure than VENTUS_CANCELLED. Else the status. Since version 6.1. */
    enum ventus_status cause;
};

/* An event is freed when it has been released as often as it was given out and retained. That ends nothing that is
 * under way. Releasing NULL is allowed. */
void ventus_event_retain(ventus_event *event);
void ventus_event_release(ventus_event *event);

/* How far it is; once VENTUS_ENDED, for ever. */
enum ventus_state ventus_event_state(const ventus_event *event);

/* Waits for the end: VENTUS_TIMEOUT, or the status of the outcome. In a callback or a call, where that could take for
 * ever, VENTUS_BAD_ARGUMENT. */
enum ventus_status ventus_event_wait(ventus_event *event, uint64_t timeout_ns);

/* Waits until it runs or has ended: VENTUS_OK; the rest as above. */
enum ventus_status ventus_event_wait_start(ventus_event *event, uint64_t timeout_ns);

/* How it ended, NULL before. Valid as long as the event. */
const struct ventus_outcome *ventus_event_outcome(const ventus_event *event);

/* Calls `call` once, when the event has reached `state` or has ended without. If it already has, that happens here;
 * else on the thread that brings it about, usually one that does the device's work, for which others wait. False: the
 * host has no memory. */
bool ventus_event_notify(ventus_event *event, enum ventus_state state, void (*call)(ventus_event *event, void *user),
                         void *user);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
