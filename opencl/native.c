/* Native kernels: functions of the client's that run as commands, on the thread beside the machine's, with pointers to
 * the device memory of buffers. Called through icd.c. */
#include <stddef.h>
#include <string.h>

#include "objects.h"

struct native {
    struct command command;
    void(CL_CALLBACK *call)(void *args);
    _Alignas(max_align_t) unsigned char args[]; /* the client's, copied */
};

static enum ventus_status native_run(void *command)
{
    struct native *n = command;
    const uint32_t outer = ranges_enter();
    n->call(n->args);
    ranges_leave(n->command.queue->context, outer);
    return VENTUS_OK;
}

/* Puts the buffer's host address in the place of its handle; NULL stays. */
static cl_int place_buffer(struct native *n, cl_mem mem, size_t offset)
{
    uint32_t addr;
    void *at = NULL;
    cl_int error = mem ? transfer_check(n->command.queue, mem, false, 0) : CL_SUCCESS;
    if (mem && !error) error = command_mem(&n->command, mem, &addr);
    if (mem && !error) at = ventus_map(n->command.queue->context->device, addr, mem->size);
    memcpy(n->args + offset, &at, sizeof at);
    return error;
}

/* Checks that each place has room for a handle inside the arguments. */
static cl_int places_check(const void *args, size_t size, cl_uint nmems, const cl_mem *mems, const void **places)
{
    if (!args != !size || (nmems && !args) || !nmems != !mems || !nmems != !places) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < nmems; i++) {
        uintptr_t offset = (uintptr_t)places[i] - (uintptr_t)args;
        if (offset > size || size - offset < sizeof(cl_mem)) return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

cl_int clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *call)(void *), void *args, size_t size,
                             cl_uint nmems, const cl_mem *mems, const void **places, cl_uint nwaits,
                             const cl_event *waits, cl_event *event)
{
    struct command *c;
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    cl_int error = call ? places_check(args, size, nmems, mems, places) : CL_INVALID_VALUE;
    if (!error)
        error = command_new(q, CL_COMMAND_NATIVE_KERNEL, sizeof(struct native) + size, nwaits, waits, nmems, &c);
    if (error) return error;
    struct native *n = (struct native *)c;
    n->call = call;
    if (size) memcpy(n->args, args, size);
    for (cl_uint i = 0; i < nmems && !error; i++)
        error = place_buffer(n, mems[i], (size_t)((uintptr_t)places[i] - (uintptr_t)args));
    if (error) {
        command_free(c);
        return error;
    }
    c->run = native_run;
    command_is_seen(c);
    return command_submit(c, event);
}
