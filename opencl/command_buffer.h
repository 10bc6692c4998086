/* Command buffers (cl_khr_command_buffer): commands that are recorded once and enqueued together, as often as wanted.
 *
 * A recorded command is one like those of a queue that has never been submitted; each enqueuing of the buffer submits a
 * copy of it. Its synchronization point is its place in the buffer, counted from 1.
 *
 * The entry points are those of the extension's version 1.0.0. CL/cl_ext.h may know an older one, whose commands have
 * other parameters, or none; constants that it may not know are in cl_missing.h. */
#ifndef VENTUS_OPENCL_COMMAND_BUFFER_H
#define VENTUS_OPENCL_COMMAND_BUFFER_H

#include "objects.h"

/* What a recorded command is behind: commands of the buffer by their synchronization points, 0 for its beginning. */
struct behind {
    cl_sync_point_khr point;
    bool any_end; /* as in struct ventus_dep */
};

struct recorded {
    struct command *command; /* never submitted itself */
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
    cl_sync_point_khr *point; /* receives its own; may be NULL */
};

bool command_buffer_finalized(cl_command_buffer_khr buffer);

/* The functions of the extension, of three files; each list ends with NULL. */
extern const struct extension_function command_buffer_functions[], record_functions[], replay_functions[];

#endif
