/* Programs: made from source or binaries, and what clients ask about them. What they are on their devices is
 * executable.c's. Called through icd.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* ---- lifetime ---- */

static void program_destroy(struct object *object)
{
    cl_program program = (cl_program)object;
    for (cl_uint i = 0; i < program->devices.count && program->builds; i++) build_close(&program->builds[i]);
    free(program->builds);
    devices_close(&program->devices);
    object_drop(&program->context->base);
    pthread_mutex_destroy(&program->lock);
    pthread_cond_destroy(&program->ended);
    free(program->source);
    free(program->il);
    free(program);
}

/* One state of being built for each device. */
static bool set_devices(cl_program program, cl_uint count, const cl_device_id *list)
{
    const struct devices *all = &program->context->devices;
    if (!devices_init(&program->devices, list ? count : all->count, list ? list : all->list)) return false;
    program->builds = calloc(program->devices.count, sizeof *program->builds);
    if (!program->builds) return false;
    for (cl_uint i = 0; i < program->devices.count; i++) program->builds[i].status = CL_BUILD_NONE;
    return true;
}

cl_program program_new(cl_context context, cl_uint count, const cl_device_id *list)
{
    cl_program program = calloc(1, sizeof *program);
    if (!program || pthread_mutex_init(&program->lock, NULL)) {
        free(program);
        return NULL;
    }
    program->ended = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    object_init(&program->base, KIND_PROGRAM, program_destroy);
    program->context = context;
    object_use(&context->base);
    if (set_devices(program, count, list)) return program;
    object_drop(&program->base);
    return NULL;
}

static bool source_size(cl_uint count, const char **strings, const size_t *lengths, size_t *total)
{
    *total = 0;
    if (count == 0 || !strings) return false;
    for (cl_uint i = 0; i < count; i++) {
        if (!strings[i]) return false;
        if (__builtin_add_overflow(*total, lengths && lengths[i] ? lengths[i] : strlen(strings[i]), total))
            return false;
    }
    return *total < SIZE_MAX;
}

static char *source_join(cl_uint count, const char **strings, const size_t *lengths, size_t total)
{
    char *source = malloc(total + 1), *p = source;
    if (!source) return NULL;
    for (cl_uint i = 0; i < count; i++) {
        size_t n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(p, strings[i], n);
        p += n;
    }
    *p = 0;
    return source;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings, const size_t *lengths,
                                     cl_int *errcode_ret)
{
    cl_program program = NULL;
    cl_int error = CL_SUCCESS;
    size_t size = 0;
    if (!object_is(context, KIND_CONTEXT)) error = CL_INVALID_CONTEXT;
    else if (!source_size(count, strings, lengths, &size)) error = CL_INVALID_VALUE;
    else if (!(program = program_new(context, 0, NULL))) error = CL_OUT_OF_HOST_MEMORY;
    if (program) {
        program->source = source_join(count, strings, lengths, size);
        program->source_size = size;
        if (!program->source) {
            object_drop(&program->base);
            program = NULL;
            error = CL_OUT_OF_HOST_MEMORY;
        }
    }
    set_error(errcode_ret, error);
    return program;
}

/* One binary for each device. Their verdicts go to `status` if it is not NULL. */
static cl_int load_binaries(cl_program program, cl_uint count, const cl_device_id *list, const size_t *sizes,
                            const unsigned char **binaries, cl_int *status)
{
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        struct device_build *b = &program->builds[devices_find(&program->devices, list[i])];
        cl_int error = build_load(b, program->context->device, binaries[i], sizes[i]);
        if (status) status[i] = error;
        if (error) result = error;
    }
    return result;
}

static cl_int binaries_check(cl_uint count, const size_t *sizes, const unsigned char **binaries, cl_int *status)
{
    cl_int error = sizes && binaries ? CL_SUCCESS : CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count && sizes && binaries; i++) {
        bool given = sizes[i] && binaries[i];
        if (status) status[i] = given ? CL_SUCCESS : CL_INVALID_VALUE;
        if (!given) error = CL_INVALID_VALUE;
    }
    return error;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *list, const size_t *lengths,
                                     const unsigned char **binaries, cl_int *binary_status, cl_int *errcode_ret)
{
    cl_program program = NULL;
    cl_int error = CL_INVALID_CONTEXT;
    if (object_is(context, KIND_CONTEXT)) error = device_list_check(&context->devices, count, list, false);
    if (!error) error = binaries_check(count, lengths, binaries, binary_status);
    if (!error && !(program = program_new(context, count, list))) error = CL_OUT_OF_HOST_MEMORY;
    if (!error) error = load_binaries(program, count, list, lengths, binaries, binary_status);
    if (error && program) {
        object_drop(&program->base);
        program = NULL;
    }
    set_error(errcode_ret, error);
    return program;
}

cl_int clRetainProgram(cl_program program)
{
    return object_retain(program, KIND_PROGRAM, &(bool){false}) ? CL_SUCCESS : CL_INVALID_PROGRAM;
}

/* Nobody will use what a build makes. */
static void abandon(cl_program program)
{
    pthread_mutex_lock(&program->lock);
    program->abandoned = true;
    program_stop_children(program);
    pthread_mutex_unlock(&program->lock);
    object_drop(&program->base);
}

cl_int clReleaseProgram(cl_program program)
{
    bool last;
    if (!object_release(program, KIND_PROGRAM, &last)) return CL_INVALID_PROGRAM;
    if (last) abandon(program);
    return CL_SUCCESS;
}

/* ---- queries, with the program's lock held: builds change what they are about ---- */

/* The module of a device for which the program has been built; NULL: there is none. */
static const ventus_module *ready_module(cl_program program)
{
    for (cl_uint i = 0; i < program->devices.count; i++)
        if (build_is_ready(&program->builds[i])) return program->builds[i].executable->module;
    return NULL;
}

static cl_int kernel_names(cl_program program, struct info out)
{
    const ventus_module *module = ready_module(program);
    if (!module) return CL_INVALID_PROGRAM_EXECUTABLE;
    size_t count = ventus_module_kernels(module), size = 1;
    for (size_t i = 0; i < count; i++) size += strlen(ventus_module_kernel(module, i)->name) + 1;
    char *text = malloc(size), *p = text;
    if (!text) return CL_OUT_OF_HOST_MEMORY;
    *p = 0;
    for (size_t i = 0; i < count; i++) {
        if (i) *p++ = ';';
        p = stpcpy(p, ventus_module_kernel(module, i)->name);
    }
    cl_int error = info_text(out, text);
    free(text);
    return error;
}

static cl_int kernel_count(cl_program program, struct info out)
{
    const ventus_module *module = ready_module(program);
    if (!module) return CL_INVALID_PROGRAM_EXECUTABLE;
    INFO(size_t, ventus_module_kernels(module));
}

/* Writes a device's binary to `target` (NULL: nowhere) and its size to *size; 0: there is none. */
static cl_int copy_binary(cl_program program, cl_uint device, unsigned char *target, size_t *size)
{
    const struct device_build *build = &program->builds[device];
    *size = 0;
    if (!build->executable) return CL_SUCCESS;
    const struct executable *whole = draft_whole(build->executable, program->context->device);
    if (!whole) return CL_OUT_OF_RESOURCES;
    unsigned char *data = build_binary(build, whole, size);
    if (!data) return CL_OUT_OF_HOST_MEMORY;
    if (target) memcpy(target, data, *size);
    free(data);
    return CL_SUCCESS;
}

static cl_int binary_sizes(cl_program program, struct info out)
{
    const cl_uint count = program->devices.count;
    size_t *sizes = calloc(count, sizeof *sizes);
    cl_int error = sizes ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count && !error; i++) error = copy_binary(program, i, NULL, &sizes[i]);
    if (!error) error = info_bytes(out, sizes, count * sizeof *sizes);
    free(sizes);
    return error;
}

/* The answer's place has pointers to where the binaries are to go; NULL for those that are not wanted. */
static cl_int binaries(cl_program program, struct info out)
{
    unsigned char **targets = out.value;
    const size_t size = program->devices.count * sizeof *targets;
    size_t written;
    cl_int error = targets && out.size < size ? CL_INVALID_VALUE : CL_SUCCESS;
    for (cl_uint i = 0; i < program->devices.count && targets && !error; i++)
        if (targets[i]) error = copy_binary(program, i, targets[i], &written);
    if (!error && out.size_ret) *out.size_ret = size;
    return error;
}

static cl_int source_info(cl_program program, struct info out)
{
    bool text = program->source && !program->il;
    return info_bytes(out, text ? program->source : "", text ? program->source_size + 1 : 1);
}

static cl_int program_info(cl_program program, cl_program_info param, struct info out)
{
    switch (param) {
    case CL_PROGRAM_REFERENCE_COUNT: INFO(cl_uint, object_count(&program->base));
    case CL_PROGRAM_CONTEXT: INFO(cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES: INFO(cl_uint, program->devices.count);
    case CL_PROGRAM_DEVICES:
        return info_bytes(out, program->devices.list, program->devices.count * sizeof *program->devices.list);
    case CL_PROGRAM_SOURCE: return source_info(program, out);
    case CL_PROGRAM_IL: return info_bytes(out, program->il, program->il ? program->source_size : 0);
    case CL_PROGRAM_BINARY_SIZES: return binary_sizes(program, out);
    case CL_PROGRAM_BINARIES: return binaries(program, out);
    case CL_PROGRAM_NUM_KERNELS: return kernel_count(program, out);
    case CL_PROGRAM_KERNEL_NAMES: return kernel_names(program, out);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: INFO(cl_bool, CL_FALSE);
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetProgramInfo(cl_program program, cl_program_info param, size_t size, void *value, size_t *size_ret)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    pthread_mutex_lock(&program->lock);
    cl_int error = program_info(program, param, (struct info){size, value, size_ret});
    pthread_mutex_unlock(&program->lock);
    return error;
}

static size_t variables_size(const struct device_build *build)
{
    const struct executable *e = build->executable;
    return e && e->module ? ventus_module_variables(e->module) : 0;
}

static cl_int build_info(const struct device_build *build, cl_program_build_info param, struct info out)
{
    switch (param) {
    case CL_PROGRAM_BUILD_STATUS: INFO(cl_build_status, build->status);
    case CL_PROGRAM_BUILD_OPTIONS: return info_text(out, build->options);
    case CL_PROGRAM_BUILD_LOG: return info_text(out, build->log);
    case CL_PROGRAM_BINARY_TYPE: INFO(cl_program_binary_type, build->type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: INFO(size_t, variables_size(build));
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param, size_t size,
                             void *value, size_t *size_ret)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    cl_int error = device_list_check(&program->devices, 1, &device, false);
    if (error) return error;
    pthread_mutex_lock(&program->lock);
    error = build_info(&program->builds[devices_find(&program->devices, device)], param,
                       (struct info){size, value, size_ret});
    pthread_mutex_unlock(&program->lock);
    return error;
}
