/* Executables, and what a program is on each of its devices: beginnings and ends of builds.
 *
 * Only one build runs for a device at a time, and none while kernels exist; that claim (CL_BUILD_IN_PROGRESS) lets the
 * compiler run without a lock held. All devices are the same machine or parts of it, so that one executable serves all
 * for which a program is built together; it is shared with kernels too, which may outlive the client's references to
 * the program. Called by program.c, compile.c and kernel.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* ---- executables ---- */

/* NULL without memory. */
static struct draft *draft_new(void)
{
    struct draft *d = calloc(1, sizeof *d);
    if (!d || !pthread_mutex_init(&d->lock, NULL)) return d;
    free(d);
    return NULL;
}

static void draft_free(struct draft *d)
{
    if (!d) return;
    executable_drop(d->whole);
    for (struct part *p = d->parts, *next; p; p = next) {
        next = p->next;
        executable_drop(p->executable);
        free(p);
    }
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static cl_int load_module(struct executable *e, const ventus_device *device, char why[EXECUTABLE_WHY])
{
    enum ventus_status status = ventus_module_load(e->bytes, e->size, &e->module, why, EXECUTABLE_WHY);
    if (status == VENTUS_NO_MEMORY) return CL_OUT_OF_HOST_MEMORY;
    if (status != VENTUS_OK || !ventus_module_fits(device, e->module, why, EXECUTABLE_WHY)) return CL_INVALID_BINARY;
    if (ventus_module_is_draft(e->module) && !(e->draft = draft_new())) return CL_OUT_OF_HOST_MEMORY;
    return CL_SUCCESS;
}

/* Only the beginning of LLVM bitcode is checked here; the compiler reads the rest. */
static cl_int check_object(const struct executable *e, char why[EXECUTABLE_WHY])
{
    snprintf(why, EXECUTABLE_WHY, "it is no object");
    return e->size > 4 && memcmp(e->bytes, "BC\xc0\xde", 4) == 0 ? CL_SUCCESS : CL_INVALID_BINARY;
}

cl_int executable_new(const ventus_device *device, unsigned char *bytes, size_t size, cl_program_binary_type type,
                      char why[EXECUTABLE_WHY], struct executable **result)
{
    struct executable *e = calloc(1, sizeof *e);
    if (!e) {
        free(bytes);
        return CL_OUT_OF_HOST_MEMORY;
    }
    atomic_init(&e->uses, 1);
    e->bytes = bytes;
    e->size = size;
    cl_int error = type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? load_module(e, device, why) : check_object(e, why);
    if (error) executable_drop(e);
    else *result = e;
    return error;
}

struct executable *executable_use(struct executable *e)
{
    if (e) atomic_fetch_add(&e->uses, 1);
    return e;
}

void executable_drop(struct executable *e)
{
    if (!e || atomic_fetch_sub(&e->uses, 1) != 1) return;
    draft_free(e->draft);
    if (e->module) ventus_module_free(e->module);
    free(e->bytes);
    free(e);
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

/* Does clGetKernelArgInfo answer? It may for any program, but must not unless it was asked to. */
static bool wants_arg_info(const char *options)
{
    static const char wanted[] = "-cl-kernel-arg-info";
    size_t n;
    for (const char *p = option_word(options, &n); n; p = option_word(p + n, &n))
        if (n == sizeof wanted - 1 && memcmp(p, wanted, n) == 0) return true;
    return false;
}

/* ---- a program on one device ---- */

bool build_is_ready(const struct device_build *b)
{
    return b->status == CL_BUILD_SUCCESS && b->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE && b->executable;
}

void build_close(struct device_build *b)
{
    executable_drop(b->executable);
    free(b->options);
    free(b->log);
}

cl_int build_load(struct device_build *b, const ventus_device *device, const unsigned char *data, size_t size)
{
    struct binary from;
    char why[EXECUTABLE_WHY];
    if (!binary_read(data, size, &from)) return CL_INVALID_BINARY;
    unsigned char *bytes = malloc(from.payload_size ? from.payload_size : 1);
    char *options = strndup(from.options, from.options_size);
    if (!bytes || !options) {
        free(bytes);
        free(options);
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(bytes, from.payload, from.payload_size);
    build_close(b); /* a device may have been named twice */
    *b = (struct device_build){.status = CL_BUILD_NONE, .type = from.type, .options = options};
    b->arg_info = wants_arg_info(options);
    cl_int error = executable_new(device, bytes, from.payload_size, from.type, why, &b->executable);
    if (error == CL_INVALID_BINARY) debug("a program binary is refused: %s", why);
    return error;
}

unsigned char *build_binary(const struct device_build *b, const struct executable *executable, size_t *size)
{
    const struct binary binary = {.type = b->type,
                                  .options = b->options,
                                  .options_size = b->options ? strlen(b->options) : 0,
                                  .payload = executable->bytes,
                                  .payload_size = executable->size};
    return binary_make(&binary, size);
}

/* ---- a program on all of its devices ---- */

bool program_is_building(const struct _cl_program *program)
{
    for (cl_uint i = 0; i < program->devices.count; i++)
        if (program->builds[i].status == CL_BUILD_IN_PROGRESS) return true;
    return false;
}

static bool has_executable(const struct _cl_program *program)
{
    for (cl_uint i = 0; i < program->devices.count; i++)
        if (build_is_ready(&program->builds[i])) return true;
    return false;
}

void program_await_build(cl_program program)
{
    while (!has_executable(program) && program_is_building(program)) pthread_cond_wait(&program->ended, &program->lock);
}

void program_kernels(cl_program program, int change)
{
    pthread_mutex_lock(&program->lock);
    program->kernels += (cl_uint)change;
    pthread_mutex_unlock(&program->lock);
}

static bool may_begin(const struct _cl_program *program, const bool *marked)
{
    bool free = program->kernels == 0;
    for (cl_uint i = 0; i < program->devices.count; i++)
        if (marked[i] && program->builds[i].status == CL_BUILD_IN_PROGRESS) free = false;
    return free;
}

/* False: no memory for the options. */
static bool build_begin(cl_program program, struct device_build *b, const char *options)
{
    b->status = CL_BUILD_IN_PROGRESS;
    free(b->options);
    b->options = strdup(options);
    if (program->source) b->arg_info = program->il || wants_arg_info(options);
    return b->options;
}

cl_int program_begin(cl_program program, const bool *marked, const char *options)
{
    bool memory = true;
    pthread_mutex_lock(&program->lock);
    bool claimed = may_begin(program, marked);
    if (claimed) program->abandoned = false;
    for (cl_uint i = 0; i < program->devices.count && claimed; i++)
        if (marked[i]) memory &= build_begin(program, &program->builds[i], options ? options : "");
    pthread_mutex_unlock(&program->lock);
    if (!memory) program_end(program, marked, NULL, CL_PROGRAM_BINARY_TYPE_NONE, NULL);
    if (!memory) return CL_OUT_OF_HOST_MEMORY;
    return claimed ? CL_SUCCESS : CL_INVALID_OPERATION;
}

static void build_end(struct device_build *b, struct executable *executable, cl_program_binary_type type,
                      const char *log)
{
    executable_drop(b->executable);
    free(b->log);
    b->executable = executable_use(executable);
    b->log = log ? strdup(log) : NULL;
    b->type = executable ? type : CL_PROGRAM_BINARY_TYPE_NONE;
    b->status = executable ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
}

void program_end(cl_program program, const bool *marked, struct executable *executable, cl_program_binary_type type,
                 char *log)
{
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; i < program->devices.count; i++)
        if (marked[i]) build_end(&program->builds[i], executable, type, log);
    pthread_cond_broadcast(&program->ended);
    pthread_mutex_unlock(&program->lock);
    executable_drop(executable);
    free(log);
}
