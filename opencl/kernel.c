/* Kernel objects: arguments, and what clients ask about a kernel.
 * clSetKernelArg copies values straight to their places in the argument buffer; buffers are only watched
 * (their address is looked up at enqueue, their reference count never changes). A kernel shares its
 * program's executable and stays usable when the program is gone. Called through icd.c and ndrange.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* ---- lifetime ---- */

static void code_free(struct kernel_code *code, cl_uint ndevices)
{
    for (cl_uint i = 0; code && i < ndevices; i++) executable_drop(code[i].executable);
    free(code);
}

static void kernel_destroy(struct object *object)
{
    cl_kernel kernel = (cl_kernel)object;
    for (uint32_t i = 0; kernel->arguments && i < kernel->info->nargs; i++)
        if (kernel->arguments[i].mem) mem_unwatch(kernel->arguments[i].mem);
    code_free(kernel->code, kernel->program->devices.count);
    object_drop(&kernel->program->base);
    free(kernel->image);
    free(kernel->local_sizes);
    free(kernel->arguments);
    free(kernel);
}

/* Takes over `code`. */
static cl_kernel kernel_new(cl_program program, struct kernel_code *code, const struct ventus_kernel *info)
{
    cl_kernel kernel = calloc(1, sizeof *kernel);
    if (!kernel) {
        code_free(code, program->devices.count);
        return NULL;
    }
    object_init(&kernel->base, KIND_KERNEL, kernel_destroy);
    kernel->program = program;
    object_use(&program->base);
    kernel->code = code;
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

/* Are the arguments the same, and at the same places? */
static bool same_definition(const struct ventus_kernel *a, const struct ventus_kernel *b)
{
    if (a->nargs != b->nargs || a->args_size != b->args_size) return false;
    for (uint32_t i = 0; i < a->nargs; i++) {
        const struct ventus_arg *x = &a->args[i], *y = &b->args[i];
        if (x->kind != y->kind || x->size != y->size || x->offset != y->offset || strcmp(x->type, y->type))
            return false;
    }
    return true;
}

/* What a kernel is on the devices that the program has been built for, with uses of the executables; *first is the
 * place of one that has it. With the program's lock held. */
static cl_int find_code(cl_program program, const char *name, struct kernel_code *code, cl_uint *first)
{
    bool ready = false;
    *first = program->devices.count;
    for (cl_uint i = 0; i < program->devices.count; i++) {
        const struct device_build *b = &program->builds[i];
        const struct ventus_kernel *info = NULL;
        if (!build_is_ready(b)) continue;
        ready = true;
        if (!(info = ventus_module_find(b->executable->module, name))) continue;
        if (*first == program->devices.count) *first = i;
        else if (!same_definition(code[*first].info, info)) return CL_INVALID_KERNEL_DEFINITION;
        code[i] = (struct kernel_code){executable_use(b->executable), info};
    }
    if (!ready) return CL_INVALID_PROGRAM_EXECUTABLE;
    return *first == program->devices.count ? CL_INVALID_KERNEL_NAME : CL_SUCCESS;
}

static cl_int kernel_create(cl_program program, const char *name, cl_kernel *kernel)
{
    cl_uint first;
    struct kernel_code *code = calloc(program->devices.count, sizeof *code);
    if (!code) return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&program->lock);
    program_await_build(program);
    cl_int error = find_code(program, name, code, &first);
    bool arg_info = !error && program->builds[first].arg_info;
    pthread_mutex_unlock(&program->lock);
    if (error) {
        code_free(code, program->devices.count);
        return error;
    }
    if (!(*kernel = kernel_new(program, code, code[first].info))) return CL_OUT_OF_HOST_MEMORY;
    (*kernel)->arg_info = arg_info;
    return CL_SUCCESS;
}

/* NULL: the program has not been built for the device, or not with this kernel. */
static const struct kernel_code *listed_on(const struct _cl_kernel *kernel, cl_device_id device)
{
    const cl_uint place = devices_find(&kernel->program->devices, device);
    if (place == kernel->program->devices.count || !kernel->code[place].executable) return NULL;
    return &kernel->code[place];
}

bool kernel_is_on(const struct _cl_kernel *kernel, cl_device_id device) { return listed_on(kernel, device); }

/* The kernel on a device, compiled now if the program is a draft: the client has relied on what the draft said of it.
 */
cl_int kernel_on(const struct _cl_kernel *kernel, cl_device_id device, struct kernel_code *code)
{
    const struct kernel_code *listed = listed_on(kernel, device);
    if (!listed) return CL_INVALID_PROGRAM_EXECUTABLE;
    *code = *listed;
    if (!listed->executable->draft) return CL_SUCCESS;
    const char *name = listed->info->name;
    code->executable = draft_kernel(listed->executable, kernel->program->context->device, name);
    code->info = code->executable ? ventus_module_find(code->executable->module, name) : NULL;
    return code->info && same_definition(code->info, listed->info) ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret)
{
    cl_kernel kernel = NULL;
    cl_int error = CL_SUCCESS;
    if (!object_is(program, KIND_PROGRAM)) error = CL_INVALID_PROGRAM;
    else error = name ? kernel_create(program, name, &kernel) : CL_INVALID_VALUE;
    set_error(errcode_ret, error);
    return kernel;
}

/* An executable of the program, with a use for the caller; NULL: it has not been built. */
static struct executable *any_executable(cl_program program)
{
    struct executable *e = NULL;
    pthread_mutex_lock(&program->lock);
    program_await_build(program);
    for (cl_uint i = 0; i < program->devices.count && !e; i++)
        if (build_is_ready(&program->builds[i])) e = executable_use(program->builds[i].executable);
    pthread_mutex_unlock(&program->lock);
    return e;
}

/* Creates all kernels of a module, of which there are `room` at most, but those that are not the same on all devices.
 */
static cl_int create_all(cl_program program, const ventus_module *module, cl_uint room, cl_kernel *kernels,
                         cl_uint *count)
{
    cl_int error = CL_SUCCESS;
    *count = 0;
    for (size_t i = 0; i < ventus_module_kernels(module) && !error; i++) {
        cl_kernel kernel;
        error = kernel_create(program, ventus_module_kernel(module, i)->name, &kernel);
        if (!error && *count < room) kernels[*count] = kernel;
        else if (!error) clReleaseKernel(kernel);
        if (!error) ++*count;
        if (error == CL_INVALID_KERNEL_DEFINITION) error = CL_SUCCESS;
    }
    return error || *count <= room || !kernels ? error : CL_INVALID_VALUE;
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count_ret)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    struct executable *executable = any_executable(program);
    if (!executable) return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_uint count;
    if (!kernels) room = 0;
    cl_int error = create_all(program, executable->module, room, kernels, &count);
    for (cl_uint i = 0; error && i < count && i < room; i++) {
        clReleaseKernel(kernels[i]);
        kernels[i] = NULL; /* for clients that release what they find */
    }
    executable_drop(executable);
    if (!error && count_ret) *count_ret = count;
    return error;
}

cl_kernel kernel_copy(cl_kernel source)
{
    const struct ventus_kernel *info = source->info;
    const cl_uint ndevices = source->program->devices.count;
    struct kernel_code *code = malloc(ndevices * sizeof *code);
    if (!code) return NULL;
    memcpy(code, source->code, ndevices * sizeof *code);
    for (cl_uint i = 0; i < ndevices; i++) executable_use(code[i].executable);
    cl_kernel kernel = kernel_new(source->program, code, info);
    if (!kernel) return NULL;
    kernel->arg_info = source->arg_info;
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

/* The client's references to kernels prevent rebuilding the program, so the first and the last are counted. */
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
    if (size != sizeof *mem) return CL_INVALID_ARG_SIZE;
    if (!value) return CL_INVALID_MEM_OBJECT;
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
    if (size != sizeof sampler) return CL_INVALID_ARG_SIZE;
    if (!value) return CL_INVALID_SAMPLER;
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

cl_int kernel_arguments_check(cl_kernel kernel)
{
    for (uint32_t i = 0; i < kernel->info->nargs; i++)
        if (!kernel->arguments[i].set) return CL_INVALID_KERNEL_ARGS;
    return CL_SUCCESS;
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

/* The kernel on a device of its program; NULL for the device is good when there is only one. */
static cl_int code_of(cl_kernel kernel, cl_device_id device, const struct ventus_kernel **info)
{
    struct kernel_code code;
    const struct devices *devices = &kernel->program->devices;
    if (!device && devices->count == 1) device = devices->list[0];
    if (!object_is(device, KIND_DEVICE)) return CL_INVALID_DEVICE;
    cl_int error = kernel_is_on(kernel, device) ? kernel_on(kernel, device, &code) : CL_INVALID_DEVICE;
    if (!error) *info = code.info;
    return error;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param, size_t size,
                                void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    const struct ventus_kernel *info;
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    cl_int error = code_of(kernel, device, &info);
    if (error) return error;
    const uint32_t *reqd = info->reqd;
    switch (param) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        INFO(size_t, ventus_max_group(kernel->program->context->device, info, kernel->local_sizes));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return info_bytes(out, (size_t[3]){reqd[0], reqd[1], reqd[2]}, 3 * sizeof(size_t));
    case CL_KERNEL_LOCAL_MEM_SIZE: INFO(cl_ulong, ventus_local_bytes(info, kernel->local_sizes));
    case CL_KERNEL_PRIVATE_MEM_SIZE: INFO(cl_ulong, info->pds_bytes);
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
    const struct ventus_kernel *info;
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    cl_int error = code_of(kernel, device, &info);
    if (error) return error;
    size_t largest = ventus_max_group(kernel->program->context->device, info, kernel->local_sizes);
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
    if (!kernel->arg_info) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
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
