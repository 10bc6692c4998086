/* Programs: source or binary in, executable out, and what clients ask about them.
 * Only one build runs per program at a time, and none while kernels exist; that claim (`building`) lets
 * the compiler run without a lock held. The executable is shared with kernels, which may outlive the
 * client's references. Called through icd.c, and by compile.c. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* ---- executables ---- */

static bool content_valid(struct executable *e, const ventus_device *device, cl_program_binary_type type,
                          char why[EXECUTABLE_WHY])
{
    if (type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        return ventus_module_load(e->bytes, e->size, &e->module, why, EXECUTABLE_WHY) == VENTUS_OK &&
               ventus_module_fits(device, e->module, why, EXECUTABLE_WHY);
    snprintf(why, EXECUTABLE_WHY, "it is no object");
    return e->size > 4 && memcmp(e->bytes, "BC\xc0\xde", 4) == 0; /* LLVM bitcode: only the compiler reads more of it */
}

struct executable *executable_new(const ventus_device *device, unsigned char *bytes, size_t size,
                                  cl_program_binary_type type, char why[EXECUTABLE_WHY])
{
    struct executable *e = calloc(1, sizeof *e);
    snprintf(why, EXECUTABLE_WHY, "out of memory");
    if (!e) {
        free(bytes);
        return NULL;
    }
    atomic_init(&e->uses, 1);
    e->bytes = bytes;
    e->size = size;
    if (content_valid(e, device, type, why)) return e;
    executable_drop(e);
    return NULL;
}

struct executable *executable_use(struct executable *e)
{
    if (e) atomic_fetch_add(&e->uses, 1);
    return e;
}

void executable_drop(struct executable *e)
{
    if (!e || atomic_fetch_sub(&e->uses, 1) != 1) return;
    if (e->module) ventus_module_free(e->module);
    free(e->bytes);
    free(e);
}

struct executable *program_executable(cl_program program)
{
    pthread_mutex_lock(&program->lock);
    bool ready = program->status == CL_BUILD_SUCCESS && program->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    struct executable *e = ready ? executable_use(program->executable) : NULL;
    pthread_mutex_unlock(&program->lock);
    return e;
}

void program_kernels(cl_program program, int change)
{
    pthread_mutex_lock(&program->lock);
    program->kernels += (cl_uint)change;
    pthread_mutex_unlock(&program->lock);
}

/* ---- options ---- */

const char *option_word(const char *options, size_t *length)
{
    static const char blanks[] = " \t\n\r\v\f";
    const char *word = options + strspn(options, blanks), *p = word;
    char quote = 0;
    for (; *p && (quote || !strchr(blanks, *p)); p++) {
        if (*p == '\\' && p[1]) p++;
        else if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
    }
    *length = (size_t)(p - word);
    return word;
}

/* ---- lifetime ---- */

static void program_destroy(struct object *object)
{
    cl_program program = (cl_program)object;
    executable_drop(program->executable);
    object_drop(&program->context->base);
    pthread_mutex_destroy(&program->lock);
    free(program->source);
    free(program->il);
    free(program->options);
    free(program->log);
    free(program);
}

cl_program program_new(cl_context context)
{
    cl_program program = calloc(1, sizeof *program);
    if (!program || pthread_mutex_init(&program->lock, NULL)) {
        free(program);
        return NULL;
    }
    object_init(&program->base, KIND_PROGRAM, program_destroy);
    program->status = CL_BUILD_NONE;
    program->type = CL_PROGRAM_BINARY_TYPE_NONE;
    program->context = context;
    object_use(&context->base);
    return program;
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
    else if (!(program = program_new(context))) error = CL_OUT_OF_HOST_MEMORY;
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

/* Does clGetKernelArgInfo answer? It may for any program, but must not unless it was asked to. */
static bool wants_arg_info(const char *options)
{
    static const char wanted[] = "-cl-kernel-arg-info";
    size_t n;
    for (const char *p = option_word(options, &n); n; p = option_word(p + n, &n))
        if (n == sizeof wanted - 1 && memcmp(p, wanted, n) == 0) return true;
    return false;
}

/* Fills a program from what binary_make wrote. */
static cl_int load_binary(cl_program program, const unsigned char *data, size_t size)
{
    struct binary b;
    char why[EXECUTABLE_WHY];
    if (!binary_read(data, size, &b)) return CL_INVALID_BINARY;
    unsigned char *bytes = malloc(b.payload_size ? b.payload_size : 1);
    program->options = malloc(b.options_size + 1);
    if (!bytes || !program->options) {
        free(bytes);
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(bytes, b.payload, b.payload_size);
    memcpy(program->options, b.options, b.options_size);
    program->options[b.options_size] = 0;
    program->arg_info = wants_arg_info(program->options);
    program->executable = executable_new(program->context->device, bytes, b.payload_size, b.type, why);
    program->type = b.type;
    if (!program->executable) debug("a program binary is refused: %s", why);
    return program->executable ? CL_SUCCESS : CL_INVALID_BINARY;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *list, const size_t *lengths,
                                     const unsigned char **binaries, cl_int *binary_status, cl_int *errcode_ret)
{
    cl_program program = NULL;
    cl_int error = object_is(context, KIND_CONTEXT) ? device_list_check(&context->devices, count, list, false)
                                                    : CL_INVALID_CONTEXT;
    if (!error && (!lengths || !binaries)) error = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count && !error; i++) {
        bool given = lengths[i] && binaries[i];
        if (binary_status) binary_status[i] = given ? CL_SUCCESS : CL_INVALID_VALUE;
        if (!given) error = CL_INVALID_VALUE;
    }
    if (!error && !(program = program_new(context))) error = CL_OUT_OF_HOST_MEMORY;
    if (!error) {
        error = load_binary(program, binaries[0], lengths[0]);
        if (binary_status) binary_status[0] = error;
        if (error) {
            object_drop(&program->base);
            program = NULL;
        }
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
    if (program->compiler) kill(program->compiler, SIGKILL);
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

/* ---- building ---- */

cl_int program_begin(cl_program program, const char *options)
{
    char *copy = strdup(options ? options : "");
    if (!copy) return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&program->lock);
    bool claimed = !program->building && program->kernels == 0;
    if (claimed) {
        program->building = true;
        program->abandoned = false;
        program->status = CL_BUILD_IN_PROGRESS;
        char *old = program->options;
        program->options = copy;
        if (program->source) program->arg_info = program->il || wants_arg_info(copy);
        copy = old;
    }
    pthread_mutex_unlock(&program->lock);
    free(copy);
    return claimed ? CL_SUCCESS : CL_INVALID_OPERATION;
}

void program_end(cl_program program, struct executable *executable, cl_program_binary_type type, char *log)
{
    pthread_mutex_lock(&program->lock);
    struct executable *old = program->executable;
    char *old_log = program->log;
    program->executable = executable;
    program->log = log;
    program->type = executable ? type : CL_PROGRAM_BINARY_TYPE_NONE;
    program->status = executable ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    program->building = false;
    pthread_mutex_unlock(&program->lock);
    executable_drop(old);
    free(old_log);
}

/* ---- queries ---- */

/* What `ask` answers, with the program's lock held: builds change everything below. */
static cl_int kernel_names(cl_program program, struct info out)
{
    if (!program->executable || program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE ||
        program->status != CL_BUILD_SUCCESS)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    const ventus_module *module = program->executable->module;
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
    if (!program->executable || program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE ||
        program->status != CL_BUILD_SUCCESS)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    INFO(size_t, ventus_module_kernels(program->executable->module));
}

static unsigned char *program_binary(cl_program program, size_t *size)
{
    struct binary b = {.type = program->type,
                       .options = program->options,
                       .options_size = program->options ? strlen(program->options) : 0,
                       .payload = program->executable->bytes,
                       .payload_size = program->executable->size};
    return binary_make(&b, size);
}

/* One size, or one pointer to copy to, for the one device. */
static cl_int binary_info(cl_program program, bool content, struct info out)
{
    size_t size = 0;
    unsigned char *data = NULL;
    if (program->executable && !(data = program_binary(program, &size))) return CL_OUT_OF_HOST_MEMORY;
    cl_int error;
    if (content) {
        error = out.value && out.size < sizeof(void *) ? CL_INVALID_VALUE : CL_SUCCESS;
        unsigned char *target = !error && out.value ? *(unsigned char **)out.value : NULL;
        if (target && data) memcpy(target, data, size);
        if (!error && out.size_ret) *out.size_ret = sizeof(void *);
    } else {
        error = info_bytes(out, &size, sizeof size);
    }
    free(data);
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
    case CL_PROGRAM_NUM_DEVICES: INFO(cl_uint, 1);
    case CL_PROGRAM_DEVICES: INFO(cl_device_id, &the_device);
    case CL_PROGRAM_SOURCE: return source_info(program, out);
    case CL_PROGRAM_IL: return info_bytes(out, program->il, program->il ? program->source_size : 0);
    case CL_PROGRAM_BINARY_SIZES: return binary_info(program, false, out);
    case CL_PROGRAM_BINARIES: return binary_info(program, true, out);
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

static size_t variables_size(cl_program program)
{
    const struct executable *e = program->executable;
    return e && e->module ? ventus_module_variables(e->module) : 0;
}

static cl_int build_info(cl_program program, cl_program_build_info param, struct info out)
{
    switch (param) {
    case CL_PROGRAM_BUILD_STATUS: INFO(cl_build_status, program->status);
    case CL_PROGRAM_BUILD_OPTIONS: return info_text(out, program->options);
    case CL_PROGRAM_BUILD_LOG: return info_text(out, program->log);
    case CL_PROGRAM_BINARY_TYPE: INFO(cl_program_binary_type, program->type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: INFO(size_t, variables_size(program));
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param, size_t size,
                             void *value, size_t *size_ret)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    if (!object_is(device, KIND_DEVICE)) return CL_INVALID_DEVICE;
    pthread_mutex_lock(&program->lock);
    cl_int error = build_info(program, param, (struct info){size, value, size_ret});
    pthread_mutex_unlock(&program->lock);
    return error;
}
