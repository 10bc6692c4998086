/* Memory objects, and buffers among them: flags, lifetime, device memory, queries.
 * One without a parent takes device memory at its first use and gives it back when nothing uses it any
 * more: no client, no command, no sub-buffer or image of it. Kernel arguments only watch a buffer (see weak in
 * objects.h), so that they neither keep it alive nor dangle. The device's memory is host memory too, and
 * a mapping without CL_MEM_USE_HOST_PTR is a pointer into it. Called through icd.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

#define ACCESS_FLAGS  (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define POINTER_FLAGS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
#define HOST_FLAGS    (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

/* ---- lifetime ---- */

bool mem_use(cl_mem mem)
{
    unsigned uses = atomic_load(&mem->base.uses);
    do {
        if (uses == 0) return false;
    } while (!atomic_compare_exchange_weak(&mem->base.uses, &uses, uses + 1));
    return true;
}

void mem_watch(cl_mem mem) { atomic_fetch_add(&mem->weak, 1); }

void mem_unwatch(cl_mem mem)
{
    if (atomic_fetch_sub(&mem->weak, 1) != 1) return;
    pthread_mutex_destroy(&mem->lock);
    free(mem);
}

/* Mappings that the client has not unmapped end with the buffer. */
static void mem_destroy(struct object *object)
{
    cl_mem mem = (cl_mem)object;
    cl_context context = mem->context;
    if (mem->addr && !mem->svm) ventus_free(context->device, mem->addr);
    for (struct mapping *m; (m = mem->maps);) {
        mem->maps = m->next;
        free(m);
    }
    free(mem->properties);
    if (mem->parent) object_drop(&mem->parent->base);
    destructor_run(context, mem->destructors, mem);
    mem_unwatch(mem);
    object_drop(&context->base);
}

/* A buffer with a parent is the parent's memory from `origin` on. */
static cl_mem mem_new(cl_context context, cl_mem_flags flags, size_t size, cl_mem parent, size_t origin)
{
    cl_mem mem = calloc(1, sizeof *mem);
    if (!mem || pthread_mutex_init(&mem->lock, NULL)) {
        free(mem);
        return NULL;
    }
    object_init(&mem->base, KIND_MEM, mem_destroy);
    atomic_init(&mem->weak, 1);
    mem->context = context;
    object_use(&context->base);
    context_witness(context);
    mem->flags = flags;
    mem->size = size;
    if (!parent) return mem;
    mem->parent = parent;
    object_use(&parent->base);
    mem->origin = origin;
    if (parent->host_ptr) mem->host_ptr = (char *)parent->host_ptr + origin;
    mem->svm = parent->svm;
    return mem;
}

size_t mem_root(cl_mem *mem)
{
    size_t origin = 0;
    for (; (*mem)->parent; *mem = (*mem)->parent) origin += (*mem)->origin;
    return origin;
}

bool mem_is_image(cl_mem mem) { return mem->image.desc.image_type != 0; }

bool mem_is_pipe(cl_mem mem) { return mem->pipe.packets != 0; }

bool mem_is_buffer(cl_mem mem) { return !mem_is_image(mem) && !mem_is_pipe(mem); }

cl_int mem_address(cl_mem mem, uint32_t *addr)
{
    cl_mem root = mem;
    const uint32_t origin = (uint32_t)mem_root(&root);
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&root->lock);
    if (!root->addr) error = driver_error(ventus_alloc(root->context->device, root->size, &root->addr));
    if (!error) *addr = root->addr + origin;
    pthread_mutex_unlock(&root->lock);
    return error;
}

/* ---- creation ---- */

static bool at_most_one(cl_mem_flags flags) { return (flags & (flags - 1)) == 0; }

cl_int mem_flags_check(cl_mem_flags flags)
{
    const cl_mem_flags writing = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY;
    if (flags & ~(cl_mem_flags)(ACCESS_FLAGS | POINTER_FLAGS | HOST_FLAGS | CL_MEM_IMMUTABLE_EXT))
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_IMMUTABLE_EXT) && (flags & writing)) return CL_INVALID_VALUE;
    if (!at_most_one(flags & ACCESS_FLAGS) || !at_most_one(flags & HOST_FLAGS)) return CL_INVALID_VALUE;
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int create_check(cl_context context, cl_mem_flags flags, size_t size, const void *host_ptr)
{
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    cl_int error = mem_flags_check(flags);
    if (error) return error;
    if (size == 0 || size > device_max_alloc()) return CL_INVALID_BUFFER_SIZE;
    if ((flags & CL_MEM_USE_HOST_PTR) && svm_holds(context, host_ptr, 1) && !svm_holds(context, host_ptr, size))
        return CL_INVALID_BUFFER_SIZE;
    bool wanted = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return wanted == (host_ptr != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

/* Copies the client's data now: later they may have been freed or changed. */
static cl_int initial_copy(cl_mem mem, const void *host_ptr)
{
    uint32_t addr;
    cl_int error = mem_address(mem, &addr);
    return error ? error : driver_error(ventus_write(mem->context->device, addr, host_ptr, mem->size));
}

/* Shared virtual memory backs the object itself. Any other memory of the client's only receives what map and unmap copy
 * there. */
static void use_host_memory(cl_mem mem, void *host_ptr)
{
    mem->host_ptr = host_ptr;
    mem->svm = svm_holds(mem->context, host_ptr, mem->size);
    if (mem->svm) mem->addr = (uint32_t)(uintptr_t)host_ptr;
}

cl_int mem_create(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_mem parent, cl_mem *result)
{
    if ((flags & CL_MEM_IMMUTABLE_EXT) && !parent && !host_ptr) return CL_INVALID_VALUE; /* it could never be filled */
    if (!(flags & (ACCESS_FLAGS | CL_MEM_IMMUTABLE_EXT))) flags |= CL_MEM_READ_WRITE;
    cl_mem mem = mem_new(context, flags, size, parent, 0);
    if (!mem) return CL_OUT_OF_HOST_MEMORY;
    if (host_ptr && (flags & CL_MEM_USE_HOST_PTR)) use_host_memory(mem, host_ptr);
    cl_int error = host_ptr && !mem->svm ? initial_copy(mem, host_ptr) : CL_SUCCESS;
    if (error) clReleaseMemObject(mem);
    else *result = mem;
    return error;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    cl_mem mem = NULL;
    cl_int error = create_check(context, flags, size, host_ptr);
    if (!error) error = mem_create(context, flags, size, host_ptr, NULL, &mem);
    set_error(errcode_ret, error);
    return mem;
}

cl_mem mem_with_properties(cl_mem mem, const cl_mem_properties *properties, cl_int *errcode_ret)
{
    if (!mem || !properties) return mem;
    mem->properties = calloc(1, sizeof *properties);
    if (mem->properties) {
        mem->nproperties = 1;
        return mem;
    }
    clReleaseMemObject(mem);
    set_error(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    return NULL;
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                    size_t size, void *host_ptr, cl_int *errcode_ret)
{
    if (object_is(context, KIND_CONTEXT) && properties && properties[0]) { /* there are none yet */
        set_error(errcode_ret, CL_INVALID_PROPERTY);
        return NULL;
    }
    return mem_with_properties(clCreateBuffer(context, flags, size, host_ptr, errcode_ret), properties, errcode_ret);
}

cl_int mem_inherit_flags(cl_mem_flags parent, cl_mem_flags *flags)
{
    cl_mem_flags access = *flags & ACCESS_FLAGS, host = *flags & HOST_FLAGS;
    const cl_mem_flags immutable = parent & CL_MEM_IMMUTABLE_EXT;
    if ((*flags & POINTER_FLAGS) || mem_flags_check(*flags | immutable)) return CL_INVALID_VALUE;
    if ((*flags & CL_MEM_IMMUTABLE_EXT) && !immutable) return CL_INVALID_VALUE;
    if ((parent & (CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)) && access && access != (parent & ACCESS_FLAGS))
        return CL_INVALID_VALUE;
    if ((parent & HOST_FLAGS) && host && host != (parent & HOST_FLAGS) && host != CL_MEM_HOST_NO_ACCESS)
        return CL_INVALID_VALUE;
    *flags = (access ? access : parent & ACCESS_FLAGS) | (host ? host : parent & HOST_FLAGS) |
             (parent & POINTER_FLAGS) | immutable;
    return CL_SUCCESS;
}

static cl_int region_check(cl_mem parent, cl_buffer_create_type type, const cl_buffer_region *region)
{
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region) return CL_INVALID_VALUE;
    if (region->size == 0) return CL_INVALID_BUFFER_SIZE;
    if (region->origin > parent->size || region->size > parent->size - region->origin) return CL_INVALID_VALUE;
    return region->origin % MEM_ALIGN ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                         cl_int *errcode_ret)
{
    const cl_buffer_region *region = info;
    cl_mem mem = NULL;
    cl_int error = CL_SUCCESS;
    if (!object_is(parent, KIND_MEM) || parent->parent || !mem_is_buffer(parent)) error = CL_INVALID_MEM_OBJECT;
    if (!error) error = mem_inherit_flags(parent->flags, &flags);
    if (!error) error = region_check(parent, type, region);
    if (!error && !(mem = mem_new(parent->context, flags, region->size, parent, region->origin)))
        error = CL_OUT_OF_HOST_MEMORY;
    set_error(errcode_ret, error);
    return mem;
}

/* ---- references and queries ---- */

cl_int clRetainMemObject(cl_mem mem)
{
    bool first;
    if (!object_retain(mem, KIND_MEM, &first)) return CL_INVALID_MEM_OBJECT;
    if (first) context_witness(mem->context);
    return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem mem)
{
    bool last;
    if (!object_release(mem, KIND_MEM, &last)) return CL_INVALID_MEM_OBJECT;
    if (!last) return CL_SUCCESS;
    context_witness_gone(mem->context);
    object_drop(&mem->base);
    return CL_SUCCESS;
}

cl_int clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *call)(cl_mem, void *), void *data)
{
    if (!object_is(mem, KIND_MEM)) return CL_INVALID_MEM_OBJECT;
    if (!call) return CL_INVALID_VALUE;
    return destructor_add(mem->context, &mem->destructors, &mem->lock, (void (*)(void))call, data);
}

static cl_uint map_count(cl_mem mem)
{
    pthread_mutex_lock(&mem->lock);
    cl_uint count = mem->nmaps;
    pthread_mutex_unlock(&mem->lock);
    return count;
}

static cl_mem_object_type mem_type(cl_mem mem)
{
    if (mem_is_pipe(mem)) return CL_MEM_OBJECT_PIPE;
    return mem_is_image(mem) ? mem->image.desc.image_type : CL_MEM_OBJECT_BUFFER;
}

cl_int clGetMemObjectInfo(cl_mem mem, cl_mem_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(mem, KIND_MEM)) return CL_INVALID_MEM_OBJECT;
    switch (param) {
    case CL_MEM_TYPE: INFO(cl_mem_object_type, mem_type(mem));
    case CL_MEM_FLAGS: INFO(cl_mem_flags, mem->flags);
    case CL_MEM_SIZE: INFO(size_t, mem->size);
    case CL_MEM_HOST_PTR: INFO(void *, mem->host_ptr);
    case CL_MEM_MAP_COUNT: INFO(cl_uint, map_count(mem));
    case CL_MEM_REFERENCE_COUNT: INFO(cl_uint, object_count(&mem->base));
    case CL_MEM_CONTEXT: INFO(cl_context, mem->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: INFO(cl_mem, mem->parent);
    case CL_MEM_OFFSET: INFO(size_t, mem->origin);
    case CL_MEM_USES_SVM_POINTER: INFO(cl_bool, mem->svm);
    case CL_MEM_PROPERTIES: return info_bytes(out, mem->properties, mem->nproperties * sizeof *mem->properties);
    default: return CL_INVALID_VALUE;
    }
}
