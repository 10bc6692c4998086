/* Pipes: memory objects that kernels alone read and write. The memory (isa/pipe.h) is filled in when a pipe is made;
 * from then on it is the built-in functions' (compiler/library/pipe.cl). Called through icd.c. */
#include <stdlib.h>

#include "isa/pipe.h"
#include "objects.h"

static cl_int pipe_check(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint packets,
                         const cl_pipe_properties *properties)
{
    const cl_mem_flags allowed = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    if (flags & ~allowed || properties) return CL_INVALID_VALUE; /* no properties are known */
    if (packet_size == 0 || packet_size > PIPE_MAX_PACKET_SIZE || packets == 0) return CL_INVALID_PIPE_SIZE;
    return CL_SUCCESS;
}

static uint64_t head_bytes(uint64_t packets)
{
    const uint64_t bytes = sizeof(struct abi_pipe) + packets * sizeof(struct abi_slot);
    return (bytes + ABI_PIPE_ALIGN - 1) / ABI_PIPE_ALIGN * ABI_PIPE_ALIGN;
}

/* Writes the head and the slots of an empty pipe. */
static cl_int pipe_init(cl_mem mem)
{
    const uint32_t slots = mem->pipe.packets, bytes = (uint32_t)head_bytes(slots);
    struct abi_pipe *head = calloc(1, bytes);
    uint32_t addr;
    if (!head) return CL_OUT_OF_HOST_MEMORY;
    *head = (struct abi_pipe){.packet_bytes = mem->pipe.packet_size,
                              .slots = slots,
                              .numbers = INT32_MAX / slots * slots,
                              .first_packet = bytes};
    struct abi_slot *slot = (struct abi_slot *)(head + 1);
    for (uint32_t i = 0; i < slots; i++) slot[i].state = i;
    cl_int error = mem_address(mem, &addr);
    if (!error) error = driver_error(ventus_write(mem->context->device, addr, head, bytes));
    free(head);
    return error;
}

static cl_int pipe_create(cl_context context, cl_mem_flags flags, const struct pipe *pipe, cl_mem *mem)
{
    const uint64_t size = head_bytes(pipe->packets) + (uint64_t)pipe->packets * pipe->packet_size;
    if (size > device_max_alloc()) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    cl_int error = mem_create(context, flags, size, NULL, NULL, mem);
    if (error) return error;
    (*mem)->pipe = *pipe;
    error = pipe_init(*mem);
    if (!error) return CL_SUCCESS;
    clReleaseMemObject(*mem);
    *mem = NULL;
    return error;
}

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint packets,
                    const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    cl_mem mem = NULL;
    cl_int error = pipe_check(context, flags, packet_size, packets, properties);
    if (!flags) flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    if (!error) error = pipe_create(context, flags, &(struct pipe){packet_size, packets}, &mem);
    set_error(errcode_ret, error);
    return mem;
}

cl_int clGetPipeInfo(cl_mem mem, cl_pipe_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(mem, KIND_MEM) || !mem_is_pipe(mem)) return CL_INVALID_MEM_OBJECT;
    switch (param) {
    case CL_PIPE_PACKET_SIZE: INFO(cl_uint, mem->pipe.packet_size);
    case CL_PIPE_MAX_PACKETS: INFO(cl_uint, mem->pipe.packets);
    case CL_PIPE_PROPERTIES: return info_bytes(out, NULL, 0);
    default: return CL_INVALID_VALUE;
    }
}
