/* The objects behind the OpenCL handles, grouped by the file that owns them.
 *
 * Every object begins with struct object; the loader needs the dispatch pointer first. Locks are held
 * briefly and never while client code runs; where two are needed the order is context, queue, then those of the
 * driver. */
#ifndef VENTUS_OPENCL_OBJECTS_H
#define VENTUS_OPENCL_OBJECTS_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "opencl/cl_missing.h"

#include <CL/cl_icd.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/host.h"
#include "host/spares.h"
#include "host/word.h"
#include "driver/ventus.h"
#include "isa/image.h"
#include "version.h"

/* ---- object.c: reference counts ---- */

/* Tags that client data will hardly resemble by chance. */
// clang-format off
enum kind {
    KIND_PLATFORM = 0x56c10001, KIND_DEVICE, KIND_CONTEXT, KIND_QUEUE, KIND_MEM,
    KIND_PROGRAM, KIND_KERNEL, KIND_EVENT, KIND_SAMPLER, KIND_COMMAND_BUFFER,
    KIND_SEMAPHORE, KIND_MUTABLE_COMMAND,
};
// clang-format on

struct object {
    const cl_icd_dispatch *dispatch;
    uint32_t kind;
    uint32_t process; /* which process made it, counted by forks; static ones are of all */
    atomic_uint refs; /* the client's references: CL_*_REFERENCE_COUNT */
    atomic_uint uses; /* what keeps it alive: one for all client references, one per internal one */
    void (*destroy)(struct object *object); /* when no use is left; NULL: static */
};

/* Initialises an object with one client reference. */
void object_init(struct object *object, enum kind kind, void (*destroy)(struct object *object));
/* Is this handle an object of that kind, and made by this process? NULL is not. */
bool object_is(const void *handle, enum kind kind);
/* The client's retain and release; false when the handle is not of this kind (or has no reference to give back).
 * *first: the client had no reference. *last: it has none any more, and the caller must drop one use. */
bool object_retain(void *handle, enum kind kind, bool *first);
bool object_release(void *handle, enum kind kind, bool *last);
/* Adds an internal reference; the object is destroyed with the last one. */
void object_use(struct object *object);
void object_drop(struct object *object);
cl_uint object_count(const struct object *object);
/* In a forked child: the parent's objects are not valid in it. */
void object_disown_all(void);

/* ---- info.c: the rules of every clGet*Info ---- */

struct info {
    size_t size;
    void *value;
    size_t *size_ret;
};

cl_int info_bytes(struct info out, const void *data, size_t size);
cl_int info_text(struct info out, const char *text); /* NULL counts as "" */

/* For use in a switch over parameters, where `out` is the struct info of the call. */
#define INFO(type, ...) return info_bytes(out, &(type){__VA_ARGS__}, sizeof(type))

/* Sets *errcode_ret if the client wants it. */
void set_error(cl_int *errcode_ret, cl_int error);

/* A line to standard error when VENTUS_DEBUG is set; returns whether there was one. */
bool debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print a line to standard error unless VENTUS_DEBUG is 0; the second one once for each flag. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void complain_once(atomic_flag *said, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that the word of VENTUS_DEBUG is wrong, which may not be needed before something else is. */
void debug_check(void);

/* A driver status as an OpenCL error. */
cl_int driver_error(enum ventus_status status);

/* ---- icd.c ---- */

extern const cl_icd_dispatch dispatch_table;

/* A function of an extension, found by its name. Lists end with NULL. */
struct extension_function {
    const char *name;
    void *function;
};

extern const struct extension_function semaphore_functions[], range_functions[];

/* ---- platform.c, device.c: one platform with one device, static; subdevice.c: parts of that ---- */

struct _cl_platform_id {
    struct object base;
};

struct _cl_device_id {
    struct object base;
    cl_device_id parent;                     /* of a sub-device; NULL: the whole device */
    struct ventus_sms sms;                   /* its compute units; of the whole device a count of 0 */
    cl_device_partition_property *partition; /* how it was made, as given, with the closing 0 */
    size_t npartition;
};

extern struct _cl_platform_id the_platform;
extern struct _cl_device_id the_device;

cl_int platform_info(cl_platform_id platform, cl_platform_info param, size_t size, void *value, size_t *size_ret);
cl_int platform_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);

/* The device's properties, known without starting anything; NULL: the machine description is not usable, and there is
 * no device. */
const struct ventus_info *device_info(void);

/* The device's UUID, made of the machine and the device's part of it, and the library's, made of its version. */
void device_uuid(cl_device_id device, cl_uchar uuid[CL_UUID_SIZE_KHR]);
void driver_uuid(cl_uchar uuid[CL_UUID_SIZE_KHR]);

/* Is the device's clock that of the host, for all contexts? Then both count nanoseconds. */
bool device_has_timer(void);

/* Does the device have this enum ventus_backend_feature? The simulated machine has all; another device behind the
 * driver may not. */
bool device_can(uint32_t feature);

/* The same for the feature on which an extension, a language feature or a SPIR-V capability depends. */
bool device_has(const char *name);

/* Features that the device lacks and the compiler has to know: words for `ventus-cc --lacks`, or "". */
void device_lacks(char *text, size_t size);

/* Leaves out, of `n` extensions or features, those that the device lacks; returns how many are left. */
size_t device_offers(const cl_name_version *all, size_t n, cl_name_version *offered);

/* Which parts of recorded launches a client may update. */
cl_mutable_dispatch_fields_khr device_mutable_fields(void);

/* How many compute units the device has. */
cl_uint device_units(cl_device_id device);
/* Writes how the device can be partitioned, with a closing 0; returns the number of words. */
enum { PARTITIONS = 3 };
size_t device_partitions(cl_device_id device, cl_device_partition_property kinds[PARTITIONS]);
/* Is `device` the device `whole`, or a part of it? */
bool device_is_part(cl_device_id device, cl_device_id whole);

cl_uint device_max_group(const struct ventus_info *info);
cl_ulong device_global_memory(void);
cl_ulong device_max_alloc(void);
cl_ulong device_local_memory(const struct ventus_info *info);

enum { MEM_ALIGN = 128, MAX_PARAMETER_SIZE = 1024 }; /* bytes */

/* The devices of a context or of a program: each once, with a reference. */
struct devices {
    cl_uint count;
    cl_device_id *list;
};

/* Takes the client's list without repetitions. False: out of memory. */
bool devices_init(struct devices *devices, cl_uint count, const cl_device_id *list);
void devices_close(struct devices *devices);
/* The index of a device in the list; `count`: it is not there. */
cl_uint devices_find(const struct devices *devices, cl_device_id device);

/* Checks the (count, list) pair of devices that many functions take; 0 and NULL mean all of `among`. Each has to be
 * one of `among` (NULL: a device). */
cl_int device_list_check(const struct devices *among, cl_uint count, const cl_device_id *list, bool may_be_empty);

/* ---- machine.c: the machines behind the device ---- */

/* A machine for a context; NULL (with a debug message): none can start. The context returns it once nothing of the
 * context is left on it. */
struct machine *machine_get(void);
ventus_device *machine_device(const struct machine *machine);
void machine_give_back(struct machine *machine);

/* ---- range.c: what programs name themselves, for the timeline (cl_ventus.h) ---- */

/* Around each call of a function of the client's: it cannot end ranges from before the call, and those that it leaves
 * open end with it. The context is whose clock tells when; `outer` is what ranges_enter() has returned. */
uint32_t ranges_enter(void);
void ranges_leave(cl_context context, uint32_t outer);

/* ---- notify.c: the thread on which a context's callbacks run ---- */

struct notice {
    struct notice *next;
    void (*run)(struct notice *notice); /* frees it */
};

struct notifier;
struct notifier *notifier_new(void);
/* Starts the thread if it is not running; notices are posted only after that succeeded. */
bool notifier_start(struct notifier *notifier);
void notifier_post(struct notifier *notifier, struct notice *notice);
/* The thread ends once it has run what was posted. */
void notifier_close(struct notifier *notifier);

/* ---- context.c ---- */

/* Callbacks that run when an object is destroyed, the last registered first. */
struct destructor {
    struct destructor *next;
    void(CL_CALLBACK *call)(void *object, void *data);
    void *data;
};

struct _cl_context {
    struct object base;
    cl_context_properties *properties; /* as given, with the closing 0 */
    size_t nproperties;
    struct devices devices;
    void(CL_CALLBACK *notify)(const char *text, const void *private_info, size_t cb, void *data);
    void *notify_data;
    struct machine *machine; /* that they all are, or are parts of; */
    ventus_device *device;   /* what the driver calls it */
    struct notifier *notifier;
    struct spares commands; /* memory of those that are over */
    atomic_uint witnesses;  /* by which the client can see what commands do: see context_witness */
    pthread_mutex_t lock;   /* what is below */
    struct destructor *destructors;
    cl_command_queue queues;
    struct svm *svm; /* allocations of shared virtual memory */
};

/* A queue is created; it is destroyed. */
void context_add_queue(cl_context context, cl_command_queue queue);
void context_remove_queue(cl_context context, cl_command_queue queue);

/* Counts by what the client can see what commands do: the queues, buffers, shared memory and events it holds, callbacks
 * not yet called, of destructors, too, and commands in flight that print or call the client. When the last is gone,
 * whatever is in flight is cancelled. */
void context_witness(cl_context context);
void context_witness_gone(cl_context context);

/* Hands a message to the client's callback and to standard error. */
void context_report(cl_context context, const char *message);
cl_int destructor_add(cl_context context, struct destructor **list, pthread_mutex_t *lock, void (*call)(void),
                      void *data);
void destructor_run(cl_context context, struct destructor *list, void *object);

/* ---- event.c ---- */

struct _cl_event {
    struct object base;
    cl_context context;
    cl_command_queue queue; /* NULL: user event */
    cl_command_type type;
    ventus_event *under;    /* of the driver; a gate for a user event */
    ventus_event *begin;    /* of a command buffer, whose end `under` is: it runs when this has ended; else NULL */
    uint64_t queued;        /* host_ns */
    atomic_bool shown;      /* the client knows that it has failed, or it is nothing that fails itself */
    atomic_int user_status; /* of a user event: CL_SUBMITTED until it has been set */
};

/* A client's event, whose `under` the caller fills in; released with clReleaseEvent. */
cl_event event_new(cl_context context, cl_command_queue queue, cl_command_type type, uint64_t queued);
/* Checks a wait list against the context of the call. */
cl_int event_list_check(cl_context context, cl_uint count, const cl_event *list);

/* ---- flight.c: what a queue has in flight; under the queue's lock ---- */

struct flight {
    ventus_event **events; /* each retained; some have ended */
    size_t count, room;
};

/* Makes room for one more command; false: out of memory. */
bool flight_room(struct flight *flight);
void flight_add(struct flight *flight, ventus_event *event);
/* Drops the commands that have ended. */
void flight_forget(struct flight *flight);
void flight_cancel(struct flight *flight);
void flight_close(struct flight *flight);

/* ---- failure.c: what has failed on a queue and the client has not been shown; from any thread ---- */

struct failures {
    atomic_uint state; /* twice how many commands, and 1 when the client has been told of all of them */
};

/* Is it the end of a command that has failed, or has not been run because another one failed? Not if the client, or
 * that nobody can see what it does, has ended it. */
bool failure_counts(const struct ventus_outcome *outcome);
/* Notes that a command has failed. */
void failure_note(struct failures *failures);
/* CL_SUCCESS, or the error of a call that waits while there is a failure which the client has not been shown. */
cl_int failure_pending(struct failures *failures);
/* The same, which counts as telling the client: a launch that is enqueued after that ends what it has been told of. */
cl_int failure_tell(struct failures *failures);
/* A launch is being enqueued: forgets what the client has been told. */
void failure_forget(struct failures *failures);
/* The client has been shown the status of one of them. */
void failure_show(struct failures *failures);
/* The client has been shown the status of a command buffer, which stands for all of its commands. */
void failure_show_all(struct failures *failures);

/* ---- queue.c: commands and their order ---- */

struct _cl_command_queue {
    struct object base;
    cl_context context;
    cl_device_id device;
    cl_command_queue next; /* of the context */
    cl_command_queue_properties properties;
    uint32_t number;            /* of the process, from 1 on */
    cl_queue_properties *array; /* as given, with the closing 0; NULL: made by the old function */
    size_t narray;
    pthread_mutex_t lock; /* held while a command is submitted; guards the next two */
    struct flight flight;
    ventus_event *last; /* in order: the latest command; else the latest barrier. NULL: none */
    struct failures failures;
};

static inline bool queue_in_order(const struct _cl_command_queue *queue)
{
    return !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* One command until it ends. What it is: a launch (`launch`), a transfer (`run`), or nothing but a place in the order.
 */
struct command {
    cl_command_queue queue;
    cl_command_type type;
    uint64_t queued;                    /* ventus_clock; 0: nobody wants to know */
    uint64_t bytes;                     /* that it moves, for the timeline; 0: none, or not said */
    bool blocking;                      /* the client waits */
    bool after_all;                     /* it is behind all commands before it, in an out-of-order queue, too */
    bool member;                        /* of a command buffer: nothing but `deps` orders it */
    bool seen;                          /* it prints or calls the client: a witness of its context */
    const struct ventus_launch *launch; /* until it is submitted */
    enum ventus_status (*run)(void *command);
    void (*dispose)(struct command *command); /* gives back what else it holds; NULL: nothing */
    size_t size;                              /* of the struct that it begins */
    size_t ndeps;
    struct ventus_dep *deps; /* the wait list; with room for one more */
    cl_uint nmems;
    cl_mem *mems; /* used until the command has ended */
};

/* A command for `queue` with the wait list checked and places for `nmems` buffers. It begins a struct of `size` bytes,
 * whose rest is 0. */
cl_int command_new(cl_command_queue queue, cl_command_type type, size_t size, cl_uint nwaits, const cl_event *waits,
                   cl_uint nmems, struct command **command);
/* A copy of a recorded command, for `queue`, with room for `ndeps` dependencies; NULL: out of memory. */
struct command *command_copy(const struct command *recorded, cl_command_queue queue, size_t ndeps);
/* Adds a buffer: takes a reference, allocates its device memory if need be, and tells its address. */
cl_int command_mem(struct command *command, cl_mem mem, uint32_t *addr);
/* It prints or calls the client: so it is a witness of its context until it is freed. */
void command_is_seen(struct command *command);
/* Frees a command that was not submitted. */
void command_free(struct command *command);
/* Submits the command, which the caller owns no longer, also on failure, and waits for its end if it is blocking. */
cl_int command_submit(struct command *command, cl_event *event);
/* The part of this that is done under the queue's lock, for several commands between which no other may get. One that
 * has not been submitted, or is a mark, is still the caller's to free. */
cl_int command_enter(struct command *command, ventus_event **event);
bool command_is_mark(const struct command *command);
/* The name of the command in a timeline; static. */
const char *command_name(cl_command_type type);
/* For struct ventus_launch: drops what the command references. */
void command_ending(void *command, const struct ventus_outcome *outcome);

/* Where a command goes: to a queue, or into a command buffer that is recorded for the queue. */
struct route {
    cl_command_queue queue;
    cl_uint nwaits;
    const cl_event *waits;
    cl_event *event;
    const struct record *record; /* command_buffer.h. NULL: to the queue */
    bool may_lack;               /* a launch whose arguments may be set later: until then it is a mark */
};

/* Submits the command or records it; the caller owns it no longer, also on failure. In command_buffer.c. */
cl_int command_send(const struct route *to, struct command *command);

/* ---- format.c: image formats ---- */

/* Is it a format of OpenCL? */
bool format_valid(const cl_image_format *format);
/* Can images of this type have the format? */
bool format_offered(const cl_image_format *format, cl_mem_object_type image);
/* Writes the first `room` of the formats of this type of image; returns how many there are. */
cl_uint format_list(cl_mem_object_type image, cl_uint room, cl_image_format *formats);
/* Fills in what kernels must know of the format; false if the device does not offer it. */
bool format_describe(const cl_image_format *format, struct abi_image *image);
/* A colour as a client gives it (four words of float, int or uint as the format says, one for depth) as a texel. */
void format_pack(const struct abi_image *image, const void *color, unsigned char texel[16]);

/* ---- image.c ---- */

/* Arguments of a kernel: every full profile has so many, and clients ask for no more. */
enum { IMAGE_MAX_ARGS = 128, MAX_SAMPLERS = 16 };
/* Most texels a side, and layers. */
enum { IMAGE_MAX_2D = 16384, IMAGE_MAX_3D = 2048, IMAGE_MAX_LAYERS = 2048, IMAGE_MAX_BUFFER = 1 << 24 };

struct image {
    cl_image_format format;
    cl_image_desc desc;    /* with the pitches that the client left open; type 0: a buffer */
    struct abi_image seen; /* as kernels see it, but for the address */
};

/* ---- pipe.c ---- */

/* What kernels may use of pipes: as many arguments as each full profile has, and no more reservations at a time than a
 * pipe has packets, whatever this number says. */
enum { PIPE_MAX_ARGS = 16, PIPE_MAX_RESERVATIONS = 1 << 14, PIPE_MAX_PACKET_SIZE = 1 << 16 };

struct pipe {
    cl_uint packet_size, packets; /* 0 packets: it is none */
};

/* ---- buffer.c: memory objects ---- */

/* Places of rows in two memories: region[0] bytes each, region[1] rows in region[2] slices. */
enum { SOURCE, TARGET };
struct box {
    size_t region[3];
    size_t offset[2], row[2], slice[2]; /* bytes, of SOURCE and TARGET */
};

struct mapping {
    struct mapping *next;
    void *ptr;
    struct box box; /* of the object and, in the same places, of its host pointer */
    cl_map_flags flags;
};

struct _cl_mem {
    struct object base;
    atomic_uint weak; /* keeps the struct: one for all uses, one per kernel argument */
    cl_context context;
    cl_mem_flags flags;
    size_t size;
    void *host_ptr; /* CL_MEM_USE_HOST_PTR */
    bool svm;       /* that is shared virtual memory, and the object is in it */
    cl_mem parent;  /* of a sub-buffer, or of an image of a buffer or image */
    size_t origin;
    struct image image;
    struct pipe pipe;
    cl_mem_properties *properties;
    size_t nproperties;
    pthread_mutex_t lock; /* everything below */
    uint32_t addr;        /* device memory, taken at first use; 0: none yet. Only without a parent. */
    struct mapping *maps;
    cl_uint nmaps;
    struct destructor *destructors;
};

/* Weak references: the struct stays, its contents may be destroyed. */
void mem_watch(cl_mem mem);
void mem_unwatch(cl_mem mem);
/* Takes a reference if the object still lives. */
bool mem_use(cl_mem mem);
/* Address in device memory, allocated now if need be. */
cl_int mem_address(cl_mem mem, uint32_t *addr);
bool mem_is_image(cl_mem mem);
bool mem_is_pipe(cl_mem mem);
bool mem_is_buffer(cl_mem mem);
/* Follows the parents to the object that owns the memory; returns the offset of the given object in it. */
size_t mem_root(cl_mem *mem);

cl_int mem_flags_check(cl_mem_flags flags);
/* Flags of an object in another one's memory. It may restrict the access, never widen it, and shares the host
 * pointer. */
cl_int mem_inherit_flags(cl_mem_flags parent, cl_mem_flags *flags);
/* An object with flags that have been checked, in the memory of `parent` if there is one. */
cl_int mem_create(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_mem parent, cl_mem *mem);
/* Gives a new object (NULL: there is none) its empty list of properties; releases it if that fails. */
cl_mem mem_with_properties(cl_mem mem, const cl_mem_properties *properties, cl_int *errcode_ret);

/* ---- svm_memory.c: shared virtual memory ---- */

/* Which kinds of shared virtual memory the device offers. */
cl_device_svm_capabilities svm_capabilities(void);
/* Does VENTUS_SVM ask for it? A wrong word is said. */
bool svm_wanted(void);
/* Do these bytes lie inside one allocation of the context? */
bool svm_holds(cl_context context, const void *ptr, size_t size);
/* A new allocation; NULL: there is no room. Frees the one that begins at `ptr`; false: none does. */
void *svm_add(cl_context context, size_t size);
bool svm_remove(cl_context context, const void *ptr);
/* Frees what the client has not, with the context. */
void svm_close(cl_context context);
/* Called for a launch: warns once if the kernel follows pointers in structures that are laid out differently on the
 * host. */
void svm_warn_of_links(cl_context context, const struct ventus_kernel *kernel);

/* ---- transfer.c: the commands on memory objects, and what those on images have in common with them ---- */

/* Checks that a command may use the object: it is valid for the queue and has none of the `forbidden` flags. */
cl_int transfer_check(cl_command_queue q, cl_mem mem, bool image, cl_mem_flags forbidden);
/* What fills, maps and migrations of all kinds of memory have in common. */
enum { MAX_PATTERN = 128 };
bool pattern_valid(const void *pattern, size_t size);
bool map_flags_valid(cl_map_flags flags);
cl_mem_flags map_forbids(cl_map_flags flags); /* for transfer_check */
bool migration_flags_valid(cl_mem_migration_flags flags);
/* Enqueues a transfer between host memory and `mem`, which is its `side`. */
cl_int transfer_host(cl_command_queue q, cl_command_type type, cl_mem mem, int side, const struct box *box, void *host,
                     bool blocking, cl_uint nwaits, const cl_event *waits, cl_event *event);
cl_int transfer_copy(const struct route *to, cl_command_type type, cl_mem source, cl_mem target, const struct box *box);
/* Each row is filled with repetitions of `pattern`. */
cl_int transfer_fill(const struct route *to, cl_command_type type, cl_mem mem, const struct box *box,
                     const void *pattern, size_t size);
/* Maps the bytes from the box's TARGET offset on; *ptr is where they are. */
cl_int transfer_map(cl_command_queue q, cl_command_type type, cl_mem mem, const struct box *box, size_t size,
                    bool blocking, cl_map_flags flags, void **ptr, cl_uint nwaits, const cl_event *waits,
                    cl_event *event);

/* The functions of OpenCL with these names, for a queue and for a command buffer; those on images are in
 * image_transfer.c. */
cl_int copy_buffer(const struct route *to, cl_mem source, cl_mem target, size_t source_offset, size_t target_offset,
                   size_t size);
cl_int copy_buffer_rect(const struct route *to, cl_mem source, cl_mem target, const size_t *source_origin,
                        const size_t *target_origin, const size_t *region, size_t source_row, size_t source_slice,
                        size_t target_row, size_t target_slice);
cl_int copy_buffer_to_image(const struct route *to, cl_mem buffer, cl_mem image, size_t offset, const size_t *origin,
                            const size_t *region);
cl_int copy_image(const struct route *to, cl_mem source, cl_mem target, const size_t *source_origin,
                  const size_t *target_origin, const size_t *region);
cl_int copy_image_to_buffer(const struct route *to, cl_mem image, cl_mem buffer, const size_t *origin,
                            const size_t *region, size_t offset);
cl_int fill_buffer(const struct route *to, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,
                   size_t size);
cl_int fill_image(const struct route *to, cl_mem image, const void *color, const size_t *origin, const size_t *region);
/* The same for shared virtual memory: svm.c. */
cl_int svm_copy(const struct route *to, bool blocking, void *target, const void *source, size_t size);
cl_int svm_fill(const struct route *to, void *ptr, const void *pattern, size_t pattern_size, size_t size);

/* ---- sampler.c ---- */

struct _cl_sampler {
    struct object base;
    cl_context context;
    uint32_t word; /* as kernels see it */
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties *properties; /* as given, with the closing 0; NULL: none were */
    size_t nproperties;
};

/* ---- executable.c, program.c, il.c, compile.c, build.c, build_cache.c, binary.c, draft.c ---- */

/* The outcome of a successful build, shared by programs and kernels: an ELF with its module, or an
 * object (of clCompileProgram, or a library), which only the compiler can read. */
struct executable {
    atomic_uint uses;
    ventus_module *module; /* NULL: an object */
    unsigned char *bytes;
    size_t size;
    struct draft *draft; /* NULL: its kernels are compiled; else the module only says what they are like */
};

/* Owns `bytes`. CL_INVALID_BINARY: they are not what `type` says, and `why` receives what is wrong.
 * CL_OUT_OF_HOST_MEMORY. */
enum { EXECUTABLE_WHY = 300 };
cl_int executable_new(const ventus_device *device, unsigned char *bytes, size_t size, cl_program_binary_type type,
                      char why[EXECUTABLE_WHY], struct executable **executable);
struct executable *executable_use(struct executable *executable); /* NULL stays NULL */
void executable_drop(struct executable *executable);

/* The kernels of a draft that have been compiled. */
struct draft {
    pthread_mutex_t lock;
    struct executable *whole; /* NULL: not compiled yet */
    struct part {
        struct part *next;
        struct executable *executable;
        char name[];
    } * parts; /* kernels that have been compiled alone */
    size_t nparts;
};

/* draft.c. What has the code of a kernel, or of all: `executable` itself if it is no draft, else what is compiled of
 * it, now if need be, which lives as long. NULL: that failed. */
struct executable *draft_kernel(struct executable *executable, const ventus_device *device, const char *kernel);
struct executable *draft_whole(struct executable *executable, const ventus_device *device);

/* What a program is on one of its devices. */
struct device_build {
    cl_build_status status;      /* CL_BUILD_IN_PROGRESS: only who has claimed it may change it */
    cl_program_binary_type type; /* of `executable`; NONE: there is none */
    char *options, *log;         /* of the last build; NULL: none */
    struct executable *executable;
    bool arg_info; /* clGetKernelArgInfo has an answer */
};

/* Is there an executable from which kernels can be made? */
bool build_is_ready(const struct device_build *build);
/* Drops what it references. */
void build_close(struct device_build *build);
/* Fills one from what build_binary wrote. */
cl_int build_load(struct device_build *build, const ventus_device *device, const unsigned char *data, size_t size);
/* A binary of what is compiled of its executable, to be freed; NULL: no memory. */
unsigned char *build_binary(const struct device_build *build, const struct executable *whole, size_t *size);

struct child; /* build.c */

struct _cl_program {
    struct object base;
    cl_context context;
    struct devices devices;
    char *source; /* NULL: made from a binary or by linking */
    size_t source_size;
    unsigned char
        *il; /* NULL, or the module of SPIR-V that it was made from, of the same size; `source` is as compiled */
    pthread_mutex_t lock;        /* everything below */
    pthread_cond_t ended;        /* a build has */
    struct child *children;      /* compilers that builds are waiting for */
    bool abandoned;              /* the client has let go of it: no build is to go on */
    cl_uint kernels;             /* kernel objects the client holds */
    struct device_build *builds; /* one for each device */
};

/* A program for these devices of the context; 0 and NULL: for all. */
cl_program program_new(cl_context context, cl_uint count, const cl_device_id *list);

/* A kernel object of the client was created (1) or freed (-1). */
void program_kernels(cl_program program, int change);

/* Beginning and end of a build for the devices that are marked in an array. program_begin claims the program for them
 * (it fails while a build for one of them runs or kernels exist), program_end stores the result, taking over log and
 * executable. */
cl_int program_begin(cl_program program, const bool *marked, const char *options);
void program_end(cl_program program, const bool *marked, struct executable *executable, cl_program_binary_type type,
                 char *log);
/* Is a build running? Called with the lock held. */
bool program_is_building(const struct _cl_program *program);
/* Waits until there is an executable for a device, or no build that could make one. Called with the lock held, which is
 * released meanwhile. */
void program_await_build(cl_program program);
/* Ends the compilers of the program's builds; called with the lock held. In build.c. */
void program_stop_children(cl_program program);

/* The first word of build options; its length is 0 when there is none. Words end at blanks outside of quotes, as the
 * compiler reads them. */
const char *option_word(const char *options, size_t *length);

/* One thing to be compiled or linked. */
struct build {
    cl_program program; /* whose build it is; NULL: nobody's who could let go of it */
    const char *source;
    size_t source_size;
    const char *options;         /* may be NULL */
    const char *profile;         /* of the device, by build_for */
    char pools[48];              /* its registers, as ventus-cc takes them */
    char lacks[64];              /* what it cannot do, the same; "" */
    const char *headers;         /* folder that is searched first, or NULL */
    struct executable **objects; /* to link instead of compiling */
    cl_uint nobjects;
    const char *kernel;   /* the one of a draft that is to be linked; NULL: all */
    bool shown;           /* somebody will look at the program on the device, by build_for */
    bool draft;           /* the result may be a draft */
    bool il;              /* the source is a module of SPIR-V */
    bool object;          /* the result is an object */
    bool kept;            /* result: it was there from an equal build before */
    char *log;            /* result, NULL if empty; the caller's to free */
    unsigned char *bytes; /* result, NULL unless CL_SUCCESS; the caller's to free */
    size_t size;
};

/* Says what machine a build is for. */
void build_for(struct build *build, const ventus_device *device);
/* Runs ventus-cc, until the client lets go of the program. CL_SUCCESS, CL_BUILD_PROGRAM_FAILURE,
 * CL_INVALID_BUILD_OPTIONS, CL_COMPILER_NOT_AVAILABLE, CL_OUT_OF_RESOURCES or CL_OUT_OF_HOST_MEMORY. */
cl_int build_run(struct build *build);
/* The same, or the kept result of an equal build: build_cache.c. */
cl_int build_cached(struct build *build);
/* The same, with debug information and a file of the source for a program that is `shown`: debugged.c. */
cl_int build_debugged(struct build *build);
/* Adds what a source includes to a key; false: only the preprocessor knows that. In includes.c. */
bool includes_add(FILE *key, const char *source, size_t size, const char *options);

/* When a build has ended because the compiler or what it needs cannot be had, a line to standard error, once, with the
 * cause out of its log: most programs show the error's number alone. */
void compiler_complain(cl_int error, const char *log);

/* Where ventus-cc is, to be freed, or NULL. */
char *compiler_path(void);
/* What ventus-cc writes when it is given this input and these arguments (argv[0] is filled in, argv closed by NULL), to
 * be freed. NULL: it does not succeed. For a build of `program`, which may be NULL. */
unsigned char *compiler_answer(cl_program program, char *argv[], const char *input, size_t input_size, size_t *size);
/* The option string for ventus-cc, to be freed, or NULL. */
char *build_options(const struct build *build);

/* ---- folder.c: temporary folders ---- */

/* The name of a new one, or NULL. */
char *folder_make(void);
/* Writes a file; `name` may have folders in front. */
bool folder_write(const char *folder, const char *name, const void *bytes, size_t size);
/* Removes it with all that is in it, and frees the name; NULL is none. */
void folder_remove(char *folder);
/* Why folder_make or folder_write has just failed (errno) for `what`, to be freed, or NULL. */
char *folder_problem(const char *what);

/* Program binaries. binary_make allocates; binary_read points into `data`. */
struct binary {
    cl_program_binary_type type;
    const char *options; /* not terminated */
    size_t options_size;
    const unsigned char *payload;
    size_t payload_size;
};

unsigned char *binary_make(const struct binary *binary, size_t *size);
bool binary_read(const unsigned char *data, size_t size, struct binary *binary);

/* ---- kernel.c, ndrange.c ---- */

/* A copy with the current arguments; NULL: out of memory. */
cl_kernel kernel_copy(cl_kernel source);
/* CL_INVALID_KERNEL_ARGS: some are not set. */
cl_int kernel_arguments_check(cl_kernel kernel);

/* clEnqueueNDRangeKernel and clEnqueueTask, for a queue and for a command buffer. */
cl_int launch_kernel(const struct route *to, cl_command_type type, cl_kernel kernel, cl_uint dim, const size_t *offset,
                     const size_t *global, const size_t *local);

/* clGetKernelSuggestedLocalWorkSizeKHR. */
cl_int kernel_suggested_local_size(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                   const size_t *global, size_t *local);

struct argument {
    bool set;
    cl_mem mem;   /* VENTUS_ARG_GLOBAL, VENTUS_ARG_CONSTANT, _IMAGE, _PIPE; watched; NULL: there is none, but ... */
    uint32_t svm; /* ... this address, or the null pointer */
};

/* What a kernel is on one device of its program. */
struct kernel_code {
    struct executable *executable; /* NULL: it is not there */
    const struct ventus_kernel *info;
};

/* Has the program been built for the device, with this kernel? */
bool kernel_is_on(const struct _cl_kernel *kernel, cl_device_id device);
/* What it is there, compiled by now; its executable is the kernel's. CL_INVALID_PROGRAM_EXECUTABLE: it is not there.
 * CL_OUT_OF_RESOURCES: it could not be compiled. */
cl_int kernel_on(const struct _cl_kernel *kernel, cl_device_id device, struct kernel_code *code);

struct _cl_kernel {
    struct object base;
    cl_program program;
    struct kernel_code *code;         /* one for each device of the program */
    const struct ventus_kernel *info; /* of one of them: name and arguments are the same on all */
    bool arg_info;
    unsigned char *image;  /* argument buffer, info->args_size bytes */
    uint64_t *local_sizes; /* one per argument */
    struct argument *arguments;
};

#endif
