/* Kernel objects: arguments, and what clients ask about a kernel.
 * clSetKernelArg copies values straight to their places in the argument image; buffers are only watched
 * (their address is looked up at enqueue, their reference count never changes). A kernel shares its
 * program's executable and stays usable when the program is gone. Called through icd.c and ndrange.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* ---- lifetime ---- */

static void kernel_destroy(struct object *object)
{
    cl_kernel kernel = (cl_kernel)object;
    for (uint32_t i = 0; kernel->arguments && i < kernel->info->nargs; i++)
        if (kernel->arguments[i].mem) mem_unwatch(kernel->arguments[i].mem);
    executable_drop(kernel->executable);
    object_drop(&kernel->program->base);
    free(kernel->image);
    free(kernel->local_sizes);
    free(kernel->arguments);
    free(kernel);
}

/* Takes over the use of `executable`. */
static cl_kernel kernel_new(cl_program program, struct executable *executable, const struct ventus_kernel *info)
{
    cl_kernel kernel = calloc(1, sizeof *kernel);
    if (!kernel) {
        executable_drop(executable);
        return NULL;
    }
    object_init(&kernel->base, KIND_KERNEL, kernel_destroy);
    kernel->program = program;
    object_use(&program->base);
    kernel->executable = executable;
    kernel->info = info;
    kernel->image = calloc(1, info->args_size + 1u);
    kernel->local_sizes = calloc(info->nargs + 1u, sizeof *kernel->local_sizes);
    kernel->arguments = calloc(info->nargs + 1u, sizeof *kernel->arguments);
    if (!kernel->image || !kernel->local_sizes || !kernel->arguments) {
        object_drop(&kernel->base);
        return NULL;
    }
    program_kernels(program, 1);
    return kernel;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret)
{
    cl_kernel kernel = NULL;
    struct executable *executable = NULL;
    const struct ventus_kernel *info = NULL;
    cl_int error = CL_SUCCESS;
    if (!object_is(program, KIND_PROGRAM)) error = CL_INVALID_PROGRAM;
    else if (!name) error = CL_INVALID_VALUE;
    else if (!(executable = program_executable(program))) error = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (!(info = ventus_module_find(executable->module, name))) error = CL_INVALID_KERNEL_NAME;
    if (error) executable_drop(executable);
    else if (!(kernel = kernel_new(program, executable, info))) error = CL_OUT_OF_HOST_MEMORY;
    set_error(errcode_ret, error);
    return kernel;
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count_ret)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    struct executable *executable = program_executable(program);
    if (!executable) return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_uint count = (cl_uint)ventus_module_kernels(executable->module), made = 0;
    cl_int error = kernels && room < count ? CL_INVALID_VALUE : CL_SUCCESS;
    for (; !error && kernels && made < count; made++) {
        atomic_fetch_add(&executable->uses, 1);
        kernels[made] = kernel_new(program, executable, ventus_module_kernel(executable->module, made));
        if (!kernels[made]) error = CL_OUT_OF_HOST_MEMORY;
    }
    if (error && made)
        for (made--; made > 0; made--) clReleaseKernel(kernels[made - 1]);
    executable_drop(executable);
    if (!error && count_ret) *count_ret = count;
    return error;
}

cl_kernel kernel_copy(cl_kernel source)
{
    const struct ventus_kernel *info = source->info;
    atomic_fetch_add(&source->executable->uses, 1);
    cl_kernel kernel = kernel_new(source->program, source->executable, info);
    if (!kernel) return NULL;
    memcpy(kernel->image, source->image, info->args_size);
    memcpy(kernel->local_sizes, source->local_sizes, info->nargs * sizeof *kernel->local_sizes);
    memcpy(kernel->arguments, source->arguments, info->nargs * sizeof *kernel->arguments);
    for (uint32_t i = 0; i < info->nargs; i++)
        if (kernel->arguments[i].mem) mem_watch(kernel->arguments[i].mem);
    return kernel;
}

cl_kernel clCloneKernel(cl_kernel source, cl_int *errcode_ret)
{
    if (!object_is(source, KIND_KERNEL)) {
        set_error(errcode_ret, CL_INVALID_KERNEL);
        return NULL;
    }
    cl_kernel kernel = kernel_copy(source);
    set_error(errcode_ret, kernel ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return kernel;
}

/* The client's references to kernels keep the program from being rebuilt, so both ends are counted. */
cl_int clRetainKernel(cl_kernel kernel)
{
    return object_retain(kernel, KIND_KERNEL, &(bool){false}) ? CL_SUCCESS : CL_INVALID_KERNEL;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    bool last;
    if (!object_release(kernel, KIND_KERNEL, &last)) return CL_INVALID_KERNEL;
    if (!last) return CL_SUCCESS;
    program_kernels(kernel->program, -1);
    object_drop(&kernel->base);
    return CL_SUCCESS;
}

/* ---- arguments ---- */

static cl_int set_local(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (value) return CL_INVALID_ARG_VALUE;
    if (size == 0) return CL_INVALID_ARG_SIZE;
    kernel->local_sizes[index] = size;
    return CL_SUCCESS;
}

static cl_int set_value(cl_kernel kernel, const struct ventus_arg *arg, size_t size, const void *value)
{
    if (!value) return CL_INVALID_ARG_VALUE;
    if (size != arg->size) return CL_INVALID_ARG_SIZE;
    if (arg->offset > kernel->info->args_size || size > kernel->info->args_size - arg->offset)
        return CL_INVALID_ARG_SIZE;
    memcpy(kernel->image + arg->offset, value, size);
    return CL_SUCCESS;
}

static void watch_instead(struct argument *argument, cl_mem mem)
{
    if (mem) mem_watch(mem);
    if (argument->mem) mem_unwatch(argument->mem);
    argument->mem = mem;
    argument->svm = 0;
}

/* Does the parameter's type let the kernel write there? */
static bool may_write(const struct ventus_arg *arg)
{
    return arg->kind == VENTUS_ARG_GLOBAL && !strstr(arg->qualifiers, "const");
}

static cl_int set_buffer(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_mem mem = NULL;
    if (size != sizeof mem) return CL_INVALID_ARG_SIZE;
    if (value) memcpy(&mem, value, sizeof mem);
    if (mem && (!object_is(mem, KIND_MEM) || mem->context != kernel->program->context || !mem_is_buffer(mem)))
        return CL_INVALID_MEM_OBJECT;
    if (mem && (mem->flags & CL_MEM_IMMUTABLE_EXT) && may_write(&kernel->info->args[index]))
        return CL_INVALID_ARG_VALUE;
    watch_instead(&kernel->arguments[index], mem);
    return CL_SUCCESS;
}

/* What the parameter's type says of images that it takes. */
static bool image_fits(const struct ventus_arg *arg, const struct image *image)
{
    static const struct {
        const char *name;
        cl_mem_object_type type;
        bool depth;
    } types[] = {
        {"image1d_t", CL_MEM_OBJECT_IMAGE1D, false},
        {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, false},
        {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, false},
        {"image2d_t", CL_MEM_OBJECT_IMAGE2D, false},
        {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, true},
        {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, false},
        {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, true},
        {"image3d_t", CL_MEM_OBJECT_IMAGE3D, false},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, arg->type))
            return types[i].type == image->desc.image_type &&
                   types[i].depth == (image->format.image_channel_order == CL_DEPTH);
    return true; /* a typedef of one of these, whose name says nothing */
}

static bool access_allowed(const struct ventus_arg *arg, cl_mem_flags flags)
{
    const cl_mem_flags no_write = CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT;
    const cl_mem_flags missing = !strcmp(arg->access, "read_only")    ? CL_MEM_WRITE_ONLY
                                 : !strcmp(arg->access, "write_only") ? no_write
                                                                      : no_write | CL_MEM_WRITE_ONLY;
    return !(flags & missing);
}

/* The memory object that is given for an argument which must have one. */
static cl_int read_mem(cl_kernel kernel, size_t size, const void *value, cl_mem *mem)
{
    if (!value) return CL_INVALID_ARG_VALUE;
    if (size != sizeof *mem) return CL_INVALID_ARG_SIZE;
    memcpy(mem, value, sizeof *mem);
    return object_is(*mem, KIND_MEM) && (*mem)->context == kernel->program->context ? CL_SUCCESS
                                                                                    : CL_INVALID_MEM_OBJECT;
}

/* The image is described in the argument itself; the driver adds the address. */
static cl_int set_image(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    const struct ventus_arg *arg = &kernel->info->args[index];
    cl_mem mem;
    cl_int error = read_mem(kernel, size, value, &mem);
    if (error) return error;
    if (!mem_is_image(mem) || !image_fits(arg, &mem->image)) return CL_INVALID_MEM_OBJECT;
    if (!access_allowed(arg, mem->flags)) return CL_INVALID_ARG_VALUE;
    error = set_value(kernel, arg, sizeof mem->image.seen, &mem->image.seen);
    if (!error) watch_instead(&kernel->arguments[index], mem);
    return error;
}

static cl_int set_pipe(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_mem mem;
    cl_int error = read_mem(kernel, size, value, &mem);
    if (!error && !mem_is_pipe(mem)) error = CL_INVALID_MEM_OBJECT;
    if (!error) watch_instead(&kernel->arguments[index], mem);
    return error;
}

static cl_int set_sampler(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_sampler sampler;
    if (!value) return CL_INVALID_ARG_VALUE;
    if (size != sizeof sampler) return CL_INVALID_ARG_SIZE;
    memcpy(&sampler, value, sizeof sampler);
    if (!object_is(sampler, KIND_SAMPLER) || sampler->context != kernel->program->context) return CL_INVALID_SAMPLER;
    return set_value(kernel, &kernel->info->args[index], sizeof sampler->word, &sampler->word);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    if (index >= kernel->info->nargs) return CL_INVALID_ARG_INDEX;
    const struct ventus_arg *arg = &kernel->info->args[index];
    cl_int error = CL_INVALID_ARG_VALUE;
    switch (arg->kind) {
    case VENTUS_ARG_VALUE: error = set_value(kernel, arg, size, value); break;
    case VENTUS_ARG_GLOBAL:
    case VENTUS_ARG_CONSTANT: error = set_buffer(kernel, index, size, value); break;
    case VENTUS_ARG_LOCAL: error = set_local(kernel, index, size, value); break;
    case VENTUS_ARG_IMAGE: error = set_image(kernel, index, size, value); break;
    case VENTUS_ARG_SAMPLER: error = set_sampler(kernel, index, size, value); break;
    case VENTUS_ARG_PIPE: error = set_pipe(kernel, index, size, value); break;
    }
    if (!error) kernel->arguments[index].set = true;
    return error;
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    if (!svm_capabilities()) return CL_INVALID_OPERATION;
    if (index >= kernel->info->nargs) return CL_INVALID_ARG_INDEX;
    const enum ventus_arg_kind kind = kernel->info->args[index].kind;
    if (kind != VENTUS_ARG_GLOBAL && kind != VENTUS_ARG_CONSTANT) return CL_INVALID_ARG_VALUE;
    if (value && !svm_holds(kernel->program->context, value, 0)) return CL_INVALID_ARG_VALUE;
    struct argument *argument = &kernel->arguments[index];
    watch_instead(argument, NULL);
    argument->svm = (uint32_t)(uintptr_t)value;
    argument->set = true;
    return CL_SUCCESS;
}

/* Every kernel reaches all shared memory of its context, so there is nothing to remember. */
cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param, size_t size, const void *value)
{
    cl_bool system;
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    if (!svm_capabilities()) return CL_INVALID_OPERATION;
    if ((size == 0) != (value == NULL)) return CL_INVALID_VALUE;
    if (param == CL_KERNEL_EXEC_INFO_SVM_PTRS) return size % sizeof(void *) ? CL_INVALID_VALUE : CL_SUCCESS;
    if (param != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM || size != sizeof system) return CL_INVALID_VALUE;
    memcpy(&system, value, sizeof system);
    return system ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* ---- queries ---- */

/* Attributes as the source has them, one blank between two. */
static void attributes(const struct ventus_kernel *info, char *text, size_t size)
{
    const struct {
        const char *name;
        const uint32_t *v;
    } sizes[] = {{"reqd_work_group_size", info->reqd}, {"work_group_size_hint", info->hint}};
    size_t n = 0;
    text[0] = 0;
    for (int i = 0; i < 2; i++)
        if (sizes[i].v[0])
            n += (size_t)snprintf(text + n, size - n, "%s%s(%u,%u,%u)", n ? " " : "", sizes[i].name, sizes[i].v[0],
                                  sizes[i].v[1], sizes[i].v[2]);
    if (info->vec_hint[0]) snprintf(text + n, size - n, "%svec_type_hint(%.64s)", n ? " " : "", info->vec_hint);
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    char text[256];
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    switch (param) {
    case CL_KERNEL_FUNCTION_NAME: return info_text(out, kernel->info->name);
    case CL_KERNEL_NUM_ARGS: INFO(cl_uint, kernel->info->nargs);
    case CL_KERNEL_REFERENCE_COUNT: INFO(cl_uint, object_count(&kernel->base));
    case CL_KERNEL_CONTEXT: INFO(cl_context, kernel->program->context);
    case CL_KERNEL_PROGRAM: INFO(cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES: attributes(kernel->info, text, sizeof text); return info_text(out, text);
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param, size_t size,
                                void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    if (device && !object_is(device, KIND_DEVICE)) return CL_INVALID_DEVICE;
    const uint32_t *reqd = kernel->info->reqd;
    switch (param) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        INFO(size_t, ventus_max_group(kernel->program->context->device, kernel->info, kernel->local_sizes));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return info_bytes(out, (size_t[3]){reqd[0], reqd[1], reqd[2]}, 3 * sizeof(size_t));
    case CL_KERNEL_LOCAL_MEM_SIZE: INFO(cl_ulong, ventus_local_bytes(kernel->info, kernel->local_sizes));
    case CL_KERNEL_PRIVATE_MEM_SIZE: INFO(cl_ulong, kernel->info->pds_bytes);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: INFO(size_t, device_info()->threads_per_warp);
    default: return CL_INVALID_VALUE; /* CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels */
    }
}

/* ---- sub-groups: a warp is one ---- */

/* Work-items of a group of up to three sizes; 0 if they are none. */
static size_t items_of(size_t bytes, const size_t *sizes)
{
    size_t n = bytes / sizeof *sizes, items = 1;
    if (!sizes || bytes % sizeof *sizes || n < 1 || n > 3) return 0;
    for (size_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(items, sizes[i], &items)) return 0;
    return items;
}

/* The size of a group of so many sub-groups, in one dimension; zeros if there is none. `out` wants up to three sizes.
 */
static cl_int size_for_sub_groups(struct info out, size_t bytes, const size_t *wanted, size_t largest)
{
    size_t lanes = device_info()->threads_per_warp, sizes[3] = {0, 1, 1}, n = out.value ? out.size / sizeof *sizes : 3;
    if (!wanted || bytes != sizeof *wanted || n < 1 || (out.value && out.size % sizeof *sizes)) return CL_INVALID_VALUE;
    if (*wanted && *wanted <= largest / lanes) sizes[0] = *wanted * lanes;
    else sizes[1] = sizes[2] = 0;
    return info_bytes(out, sizes, (n < 3 ? n : 3) * sizeof *sizes);
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param, size_t input_size,
                               const void *input, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    if (device && !object_is(device, KIND_DEVICE)) return CL_INVALID_DEVICE;
    size_t largest = ventus_max_group(kernel->program->context->device, kernel->info, kernel->local_sizes);
    size_t lanes = device_info()->threads_per_warp, items = items_of(input_size, input);
    switch (param) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        if (!items) return CL_INVALID_VALUE;
        INFO(size_t, lanes);
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        if (!items) return CL_INVALID_VALUE;
        INFO(size_t, items / lanes + (items % lanes != 0));
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: return size_for_sub_groups(out, input_size, input, largest);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: INFO(size_t, (largest + lanes - 1) / lanes);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: INFO(size_t, 0); /* no attribute says so in OpenCL C */
    default: return CL_INVALID_VALUE;
    }
}

static cl_kernel_arg_address_qualifier address_qualifier(const char *address)
{
    if (!strcmp(address, "global")) return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    if (!strcmp(address, "constant")) return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    return !strcmp(address, "local") ? CL_KERNEL_ARG_ADDRESS_LOCAL : CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

static cl_kernel_arg_access_qualifier access_qualifier(const char *access)
{
    if (!strcmp(access, "read_only")) return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    if (!strcmp(access, "write_only")) return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    return !strcmp(access, "read_write") ? CL_KERNEL_ARG_ACCESS_READ_WRITE : CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_kernel_arg_type_qualifier type_qualifiers(const struct ventus_arg *arg)
{
    cl_kernel_arg_type_qualifier q = CL_KERNEL_ARG_TYPE_NONE;
    if (strstr(arg->qualifiers, "const") || !strcmp(arg->address, "constant")) q |= CL_KERNEL_ARG_TYPE_CONST;
    if (strstr(arg->qualifiers, "restrict")) q |= CL_KERNEL_ARG_TYPE_RESTRICT;
    if (strstr(arg->qualifiers, "volatile")) q |= CL_KERNEL_ARG_TYPE_VOLATILE;
    if (arg->kind == VENTUS_ARG_PIPE) q |= CL_KERNEL_ARG_TYPE_PIPE;
    return q;
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info param, size_t size, void *value,
                          size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    if (index >= kernel->info->nargs) return CL_INVALID_ARG_INDEX;
    if (!kernel->program->builds[0].arg_info) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    const struct ventus_arg *arg = &kernel->info->args[index];
    switch (param) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: INFO(cl_kernel_arg_address_qualifier, address_qualifier(arg->address));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: INFO(cl_kernel_arg_access_qualifier, access_qualifier(arg->access));
    case CL_KERNEL_ARG_TYPE_QUALIFIER: INFO(cl_kernel_arg_type_qualifier, type_qualifiers(arg));
    case CL_KERNEL_ARG_TYPE_NAME: return info_text(out, arg->type);
    case CL_KERNEL_ARG_NAME: return info_text(out, arg->name);
    default: return CL_INVALID_VALUE;
    }
}
