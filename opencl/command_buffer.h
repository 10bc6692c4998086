/* Command buffers (cl_khr_command_buffer): commands that are recorded once and enqueued together, as often as wanted.
 *
 * A recorded command is one like those of a queue that has never been submitted; each enqueuing of the buffer submits a
 * copy of it. Its synchronization point is its place in the buffer, counted from 1.
 *
 * The entry points are those of the extension's version 0.9.8. CL/cl_ext.h may know an older one, whose commands have
 * other parameters, or none; constants that it may not know are in cl_missing.h. */
#ifndef VENTUS_OPENCL_COMMAND_BUFFER_H
#define VENTUS_OPENCL_COMMAND_BUFFER_H

#include "objects.h"

/* What a recorded command depends on: commands of the buffer, by their synchronization points; 0 is its beginning. */
struct behind {
    cl_sync_point_khr point;
    bool any_end; /* as in struct ventus_dep */
};

struct recorded {
    struct command *command;       /* never submitted itself */
    cl_mutable_command_khr handle; /* NULL: the client has none */
    size_t nbehind;
    struct behind *behind;
};

struct _cl_command_buffer_khr {
    struct object base;
    cl_command_queue queue;                       /* that it is recorded for; it holds it */
    cl_command_buffer_properties_khr *properties; /* as given, with the closing 0; NULL: none were */
    size_t nproperties;
    pthread_mutex_t lock; /* everything below */
    bool finalized;       /* from now on nothing changes */
    struct recorded *commands;
    size_t count, room;
    cl_sync_point_khr last; /* what the next command is behind: in order the one before it, else the latest barrier */
};

/* Where in a command buffer a command goes: struct route. */
struct record {
    cl_command_buffer_khr buffer;
    cl_uint nsyncs;
    const cl_sync_point_khr *syncs;
    cl_sync_point_khr *point;      /* receives its own; may be NULL */
    cl_mutable_command_khr handle; /* the buffer's from now on; NULL: none */
    struct command **instead;      /* NULL; else it is not recorded, but goes here, to replace a recorded one */
};

/* The value of a property that the buffer was made with; 0: it was not given. */
cl_properties command_buffer_property(const struct _cl_command_buffer_khr *buffer, cl_properties name);
/* What CL_COMMAND_BUFFER_STATE_KHR says; with the lock held. */
cl_command_buffer_state_khr command_buffer_state(const struct _cl_command_buffer_khr *buffer);

/* ---- mutable.c: launches that change (cl_khr_command_buffer_mutable_dispatch) ---- */

struct sizes {
    cl_uint dim;
    size_t offset[3], global[3], local[3]; /* 0 where the client gave none */
    bool has_local;
};

/* A recorded launch, as the next enqueuing has it. */
struct _cl_mutable_command_khr {
    struct object base;
    cl_command_buffer_khr buffer; /* which holds it; with its lock held: */
    cl_sync_point_khr point;
    cl_kernel original; /* the client's, which it was recorded of */
    cl_kernel kernel;   /* a copy with the arguments */
    struct sizes sizes;
    cl_mutable_dispatch_fields_khr fields; /* that may change */
    cl_properties *properties;             /* as given, with the closing 0; NULL: none were */
    size_t nproperties;
};

/* Checks the properties of a launch; says what of it may change, and how many words they are with the closing 0. */
cl_int mutable_properties(const struct _cl_command_buffer_khr *buffer, const cl_properties *list, bool has_local,
                          cl_mutable_dispatch_fields_khr *fields, size_t *count);
/* A handle for a launch of `kernel`, to be dropped unless it is recorded; NULL: no memory. `count` words are kept of
 * the list. */
cl_mutable_command_khr mutable_new(cl_command_buffer_khr buffer, cl_kernel kernel, const struct sizes *sizes,
                                   cl_mutable_dispatch_fields_khr fields, const cl_properties *list, size_t count);
/* May its arguments be set after it has been recorded? */
bool mutable_may_lack(const struct _cl_mutable_command_khr *handle);

/* The functions of both extensions, of four files; each list ends with NULL. */
extern const struct extension_function command_buffer_functions[], record_functions[], replay_functions[],
    mutable_functions[];

#endif
