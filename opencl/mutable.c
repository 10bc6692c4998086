/* Launches in command buffers that change between enqueuings (cl_khr_command_buffer_mutable_dispatch).
 *
 * The handle of a launch keeps what the client has set: sizes, and a copy of the kernel with its arguments. An update
 * makes new handles' contents and new commands of them for all launches that it changes, checked as when they were
 * recorded; only when all are there do they take the places of the old ones. Copies of the old commands that are in
 * flight stay what they are. Called through icd.c and record.c. */
#include <stdlib.h>
#include <string.h>

#include "command_buffer.h"

/* ---- handles ---- */

static const cl_properties assert_no_more_groups = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;

cl_int mutable_properties(const struct _cl_command_buffer_khr *b, const cl_properties *list, bool has_local,
                          cl_mutable_dispatch_fields_khr *fields, size_t *count)
{
    const cl_properties all_fields = 2 * CL_MUTABLE_DISPATCH_EXEC_INFO_KHR - 1;
    cl_properties asserts = command_buffer_property(b, CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR);
    bool seen[2] = {false};
    size_t n = 0;
    *fields = device_mutable_fields();
    *count = 0;
    for (; list && list[n]; n += 2, *count = n + 1) {
        const bool is_fields = list[n] == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
        if (!is_fields && list[n] != CL_MUTABLE_DISPATCH_ASSERTS_KHR) return CL_INVALID_VALUE;
        if (seen[is_fields] || list[n + 1] & ~(is_fields ? all_fields : assert_no_more_groups)) return CL_INVALID_VALUE;
        seen[is_fields] = true;
        if (is_fields) *fields = list[n + 1];
        else asserts |= list[n + 1];
    }
    if (list) *count = n + 1;
    if (*fields & ~device_mutable_fields()) return CL_INVALID_OPERATION;
    return asserts && !has_local ? CL_INVALID_VALUE : CL_SUCCESS;
}

static void mutable_destroy(struct object *object)
{
    cl_mutable_command_khr m = (cl_mutable_command_khr)object;
    if (m->kernel) clReleaseKernel(m->kernel);
    object_drop(&m->original->base);
    free(m->properties);
    free(m);
}

cl_mutable_command_khr mutable_new(cl_command_buffer_khr b, cl_kernel kernel, const struct sizes *sizes,
                                   cl_mutable_dispatch_fields_khr fields, const cl_properties *list, size_t count)
{
    cl_mutable_command_khr m = calloc(1, sizeof *m);
    if (!m) return NULL;
    object_init(&m->base, KIND_MUTABLE_COMMAND, mutable_destroy);
    m->buffer = b;
    m->original = kernel;
    object_use(&kernel->base);
    m->kernel = kernel_copy(kernel);
    m->sizes = *sizes;
    m->fields = fields;
    m->properties = count ? malloc(count * sizeof *list) : NULL;
    m->nproperties = count;
    if (m->kernel && (m->properties || !count)) {
        if (count) memcpy(m->properties, list, count * sizeof *list);
        return m;
    }
    object_drop(&m->base);
    return NULL;
}

static bool is_mutable(const struct _cl_command_buffer_khr *b)
{
    return command_buffer_property(b, CL_COMMAND_BUFFER_FLAGS_KHR) & CL_COMMAND_BUFFER_MUTABLE_KHR;
}

bool mutable_may_lack(const struct _cl_mutable_command_khr *m)
{
    return m && is_mutable(m->buffer) && m->fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
}

/* ---- updates ---- */

/* The new state of a handle and its command; after the exchange, the old one. */
struct change {
    cl_mutable_command_khr handle;
    cl_kernel kernel;
    struct sizes sizes;
    struct command *command;
};

/* Checks that a list and its length agree, and that its parts may be updated. */
static cl_int list_check(const void *list, cl_uint count, bool may_change)
{
    if (count && !may_change) return CL_INVALID_OPERATION;
    return (count == 0) == (list == NULL) ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int config_check(const struct _cl_mutable_command_khr *m, const struct mutable_dispatch_config *config)
{
    const cl_mutable_dispatch_fields_khr f = m->fields;
    const bool arguments = f & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
    if (config->work_dim && config->work_dim != m->sizes.dim) return CL_INVALID_OPERATION;
    if (config->global_work_offset && !(f & CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR)) return CL_INVALID_OPERATION;
    if (config->global_work_size && !(f & CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR)) return CL_INVALID_OPERATION;
    if (config->local_work_size && !(f & CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR)) return CL_INVALID_OPERATION;
    cl_int error = list_check(config->arg_list, config->num_args, arguments);
    if (!error) error = list_check(config->arg_svm_list, config->num_svm_args, arguments);
    if (!error)
        error = list_check(config->exec_info_list, config->num_exec_infos, f & CL_MUTABLE_DISPATCH_EXEC_INFO_KHR);
    return error;
}

static cl_int set_arguments(cl_kernel kernel, const struct mutable_dispatch_config *config)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < config->num_args && !error; i++) {
        const cl_mutable_dispatch_arg_khr *a = &config->arg_list[i];
        error = clSetKernelArg(kernel, a->arg_index, a->arg_size, a->arg_value);
    }
    for (cl_uint i = 0; i < config->num_svm_args && !error; i++)
        error = clSetKernelArgSVMPointer(kernel, config->arg_svm_list[i].arg_index, config->arg_svm_list[i].arg_value);
    for (cl_uint i = 0; i < config->num_exec_infos && !error; i++) {
        const cl_mutable_dispatch_exec_info_khr *e = &config->exec_info_list[i];
        error = clSetKernelExecInfo(kernel, e->param_name, e->param_value_size, e->param_value);
    }
    return error;
}

static void set_sizes(struct sizes *s, const struct mutable_dispatch_config *config)
{
    const size_t bytes = s->dim * sizeof *s->global;
    if (config->global_work_offset) memcpy(s->offset, config->global_work_offset, bytes);
    if (config->global_work_size) memcpy(s->global, config->global_work_size, bytes);
    if (config->local_work_size) memcpy(s->local, config->local_work_size, bytes);
    if (config->local_work_size) s->has_local = true;
}

/* Fills in one of the changes, on top of those before it for the same launch. */
static cl_int change_make(cl_command_buffer_khr b, const struct mutable_dispatch_config *config,
                          const struct change *changes, struct change *c)
{
    cl_mutable_command_khr m = config->command;
    if (!object_is(m, KIND_MUTABLE_COMMAND) || m->buffer != b) return CL_INVALID_MUTABLE_COMMAND_KHR;
    cl_int error = config_check(m, config);
    if (error) return error;
    const struct change now = {m, m->kernel, m->sizes, NULL}, *last = &now;
    for (const struct change *before = changes; before < c; before++)
        if (before->handle == m) last = before;
    c->handle = m;
    c->sizes = last->sizes;
    if (!(c->kernel = kernel_copy(last->kernel))) return CL_OUT_OF_HOST_MEMORY;
    error = set_arguments(c->kernel, config);
    if (error) return error;
    set_sizes(&c->sizes, config);
    const struct record record = {.buffer = b, .instead = &c->command};
    const struct route to = {.queue = b->queue, .record = &record, .may_lack = mutable_may_lack(m)};
    return launch_kernel(&to, CL_COMMAND_NDRANGE_KERNEL, c->kernel, c->sizes.dim, c->sizes.offset, c->sizes.global,
                         c->sizes.has_local ? c->sizes.local : NULL);
}

static void change_swap(struct change *c)
{
    cl_mutable_command_khr m = c->handle;
    struct recorded *recorded = &m->buffer->commands[m->point - 1];
    const struct change old = {m, m->kernel, m->sizes, recorded->command};
    m->kernel = c->kernel;
    m->sizes = c->sizes;
    recorded->command = c->command;
    *c = old;
}

static void change_free(struct change *c)
{
    if (c->command) command_free(c->command);
    if (c->kernel) clReleaseKernel(c->kernel);
}

static cl_int update_check(cl_command_buffer_khr b, cl_uint count, const cl_uint *types, const void **configs)
{
    if (!object_is(b, KIND_COMMAND_BUFFER)) return CL_INVALID_COMMAND_BUFFER_KHR;
    if (!is_mutable(b)) return CL_INVALID_OPERATION;
    if ((count == 0) != (types == NULL) || (count == 0) != (configs == NULL)) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (types[i] != MUTABLE_DISPATCH_CONFIG || !configs[i]) return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int update(cl_command_buffer_khr b, cl_uint count, const cl_uint *types, const void **configs)
{
    cl_int error = update_check(b, count, types, configs);
    if (error) return error;
    struct change *changes = calloc(count + (size_t)1, sizeof *changes);
    if (!changes) return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&b->lock);
    if (!b->finalized) error = CL_INVALID_OPERATION;
    for (cl_uint i = 0; i < count && !error; i++) error = change_make(b, configs[i], changes, &changes[i]);
    for (cl_uint i = 0; i < count && !error; i++) change_swap(&changes[i]);
    pthread_mutex_unlock(&b->lock);
    for (cl_uint i = 0; i < count; i++) change_free(&changes[i]);
    free(changes);
    return error;
}

/* ---- queries ---- */

static cl_int info_locked(const struct _cl_mutable_command_khr *m, cl_mutable_command_info_khr param, struct info out)
{
    const struct sizes *s = &m->sizes;
    const size_t bytes = s->dim * sizeof *s->global;
    switch (param) {
    case CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: INFO(cl_command_queue, m->buffer->queue);
    case CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: INFO(cl_command_buffer_khr, m->buffer);
    case CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: INFO(cl_command_type, CL_COMMAND_NDRANGE_KERNEL);
    case CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR:
        return info_bytes(out, m->properties, m->nproperties * sizeof *m->properties);
    case CL_MUTABLE_DISPATCH_KERNEL_KHR: INFO(cl_kernel, m->original);
    case CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: INFO(cl_uint, s->dim);
    case CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: return info_bytes(out, s->offset, bytes);
    case CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: return info_bytes(out, s->global, bytes);
    case CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: return info_bytes(out, s->local, bytes);
    default: return CL_INVALID_VALUE;
    }
}

static cl_int info(cl_mutable_command_khr m, cl_mutable_command_info_khr param, size_t size, void *value,
                   size_t *size_ret)
{
    if (!object_is(m, KIND_MUTABLE_COMMAND)) return CL_INVALID_MUTABLE_COMMAND_KHR;
    pthread_mutex_lock(&m->buffer->lock);
    cl_int error = info_locked(m, param, (struct info){size, value, size_ret});
    pthread_mutex_unlock(&m->buffer->lock);
    return error;
}

const struct extension_function mutable_functions[] = {
    {"clGetMutableCommandInfoKHR", (void *)info},
    {"clUpdateMutableCommandsKHR", (void *)update},
    {NULL, NULL},
};
