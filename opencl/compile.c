/* clBuildProgram, clCompileProgram and clLinkProgram.
 * The compiler turns a source with its headers into an object, and objects into an executable or a
 * library. Headers and objects reach it as files of a temporary folder that exists for one run only;
 * names of headers come from the client and must stay below it. Builds with a callback run on
 * a thread of their own. Called through icd.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* ---- jobs ---- */

/* A build for some devices of a program. It runs at once, or on a thread of its own if the client gave a callback,
 * which is called at the end. All devices are of one kind, so what is made of the same inputs serves them all. */
struct build_job {
    cl_int (*work)(struct build_job *job); /* builds for `group` */
    cl_program program;                    /* held until the end */
    void(CL_CALLBACK *notify)(cl_program program, void *data);
    void *data;
    char *options, *folder;      /* options for the compiler; folder of headers or NULL */
    cl_program_binary_type type; /* of the result */
    bool *marked, *group;        /* devices: those that wait for the build, those that it is made for now ... */
    struct executable **of;      /* ... with these inputs */
    struct executable **inputs;  /* `ninputs` of each device, to link, or one to take over */
    cl_uint ninputs;
};

/* Marks the devices of the list, or all, and their parts: a program that is built for a device runs on them. False: no
 * memory. */
static bool job_mark(struct build_job *job, cl_uint count, const cl_device_id *list)
{
    const struct devices *all = &job->program->devices;
    job->marked = calloc(all->count, sizeof *job->marked);
    job->group = calloc(all->count, sizeof *job->group);
    if (!job->marked || !job->group) return false;
    for (cl_uint i = 0; i < all->count; i++) {
        job->marked[i] = count == 0;
        for (cl_uint k = 0; k < count; k++) job->marked[i] |= device_is_part(all->list[i], list[k]);
    }
    return true;
}

/* Room for `count` inputs of each device. */
static bool job_inputs(struct build_job *job, cl_uint count)
{
    job->inputs = calloc((size_t)count * job->program->devices.count, sizeof *job->inputs);
    job->ninputs = job->inputs ? count : 0;
    return job->inputs;
}

/* What the job owns. */
static void job_release(struct build_job *job)
{
    for (size_t i = 0; i < (size_t)job->ninputs * job->program->devices.count; i++) executable_drop(job->inputs[i]);
    free(job->inputs);
    free(job->marked);
    free(job->group);
    free(job->options);
    folder_remove(job->folder);
}

/* Does the device have the same inputs as the group? */
static bool in_group(const struct build_job *job, cl_uint device)
{
    for (cl_uint i = 0; i < job->ninputs; i++)
        if (job->inputs[(size_t)device * job->ninputs + i] != job->of[i]) return false;
    return true;
}

/* Moves the first marked device, and those with the same inputs, to the group; false: there is none. */
static bool next_group(struct build_job *job)
{
    bool found = false;
    for (cl_uint i = 0; i < job->program->devices.count; i++) {
        if (job->marked[i] && !found && job->ninputs) job->of = &job->inputs[(size_t)i * job->ninputs];
        job->group[i] = job->marked[i] && in_group(job, i);
        if (job->group[i]) found = true;
        if (job->group[i]) job->marked[i] = false;
    }
    return found;
}

static cl_int job_run(struct build_job *job)
{
    cl_int result = CL_SUCCESS;
    while (next_group(job)) {
        cl_int error = job->work(job);
        if (!result) result = error;
    }
    const uint32_t outer = ranges_enter();
    if (job->notify) job->notify(job->program, job->data);
    ranges_leave(job->program->context, outer);
    cl_program program = job->program;
    job_release(job);
    object_drop(&program->base);
    free(job);
    return result;
}

static void *job_main(void *job)
{
    job_run(job);
    return NULL;
}

/* Ends a build that has begun and cannot continue. */
static void job_fail(struct build_job *job, char *log)
{
    program_end(job->program, job->marked, NULL, CL_PROGRAM_BINARY_TYPE_NONE, log);
    job_release(job);
}

/* Will a check or a profile show lines of the source? Then the program carries it (-g). */
static bool is_source_wanted(void)
{
    static const char *const variables[] = {"VENTUS_CHECK", "VENTUS_PROFILE"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *said = secure_getenv(variables[i]);
        if (said && *said && strcmp(said, "0") != 0) return true;
    }
    return false;
}

/* What the compiler gets for the options of a build; to be freed. */
static char *compiler_options(const char *options)
{
    char *text;
    return asprintf(&text, "%s%s", options ? options : "", is_source_wanted() ? " -g" : "") < 0 ? NULL : text;
}

/* Claims the program for the devices of the list, or all; on failure the job holds nothing. */
static cl_int job_begin(struct build_job *job, cl_uint count, const cl_device_id *list, const char *options)
{
    cl_int error =
        job_mark(job, count, list) ? program_begin(job->program, job->marked, options) : CL_OUT_OF_HOST_MEMORY;
    if (error) job_release(job);
    return error;
}

/* Starts a copy of the job, which takes over what the job owns. */
static cl_int job_start(struct build_job *model)
{
    struct build_job *job = malloc(sizeof *job);
    if (!job) {
        job_fail(model, NULL);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *job = *model;
    object_use(&job->program->base);
    if (job->notify && host_thread(NULL, job_main, job)) return CL_SUCCESS;
    return job_run(job);
}

/* The log, with a line about an ELF file that the driver rejects. */
static char *log_with(char *log, const char *why)
{
    char *text = NULL;
    if (asprintf(&text, "%sventus: the compiled program is not usable: %s\n", log ? log : "", why) < 0) return log;
    free(log);
    return text;
}

/* Runs the compiler as `b` says and ends the job's build with the outcome. */
static cl_int job_build(struct build_job *job, struct build *b)
{
    struct executable *executable = NULL;
    char why[EXECUTABLE_WHY];
    build_for(b, job->program->context->device);
    b->object = job->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    cl_int error = build_debugged(b);
    if (!error) error = executable_new(job->program->context->device, b->bytes, b->size, job->type, why, &executable);
    if (error == CL_INVALID_BINARY) {
        b->log = log_with(b->log, why);
        error = CL_BUILD_PROGRAM_FAILURE;
    }
    if (error && b->log && !debug("build failed:\n%s", b->log)) compiler_complain(error, b->log);
    program_end(job->program, job->group, executable, job->type, b->log);
    return error;
}

static cl_int job_compile(struct build_job *job)
{
    struct build b = {.program = job->program,
                      .source = job->program->source,
                      .source_size = job->program->source_size,
                      .il = job->program->il,
                      .options = job->options,
                      .headers = job->folder,
                      .draft = job->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
    return job_build(job, &b);
}

/* ---- headers: program objects become files of a temporary folder ---- */

/* Is it a relative name that stays below the folder? */
static bool header_name_valid(const char *name)
{
    if (!*name || *name == '/') return false;
    for (const char *p = name; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL) {
        size_t n = strcspn(p, "/");
        if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.')) return false;
    }
    return true;
}

/* A folder with these headers, or NULL. */
static char *folder_of_headers(cl_uint count, const cl_program *headers, const char **names)
{
    char *folder = folder_make();
    for (cl_uint i = 0; folder && i < count; i++)
        if (!folder_write(folder, names[i], headers[i]->source, headers[i]->source_size)) {
            folder_remove(folder);
            folder = NULL;
        }
    return folder;
}

/* ---- compile ---- */

static cl_int compile_error(cl_int error)
{
    if (error == CL_BUILD_PROGRAM_FAILURE) return CL_COMPILE_PROGRAM_FAILURE;
    return error == CL_INVALID_BUILD_OPTIONS ? CL_INVALID_COMPILER_OPTIONS : error;
}

static cl_int job_object(struct build_job *job) { return compile_error(job_compile(job)); }

static cl_int headers_check(cl_uint count, const cl_program *headers, const char **names)
{
    if ((count == 0) != (headers == NULL) || (count == 0) != (names == NULL)) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(headers[i], KIND_PROGRAM)) return CL_INVALID_PROGRAM;
        if (!names[i] || !header_name_valid(names[i])) return CL_INVALID_VALUE;
        if (!headers[i]->source || headers[i]->il) return CL_INVALID_OPERATION;
    }
    return CL_SUCCESS;
}

cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id *list, const char *options,
                        cl_uint nheaders, const cl_program *headers, const char **names,
                        void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    struct build_job job = {.work = job_object, .program = program, .notify = notify, .data = data};
    job.type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    cl_int error = device_list_check(&program->devices, count, list, true);
    if (program->il) nheaders = 0; /* a module includes nothing */
    else if (!error) error = headers_check(nheaders, headers, names);
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error && !program->source) error = CL_INVALID_OPERATION;
    if (!error) error = job_begin(&job, count, list, options);
    if (error) return error;
    if (nheaders) job.folder = folder_of_headers(nheaders, headers, names);
    if ((!nheaders || job.folder) && (job.options = compiler_options(options))) return job_start(&job);
    char *log = folder_problem("the headers");
    if (log) compiler_complain(CL_OUT_OF_RESOURCES, log);
    job_fail(&job, log);
    return CL_OUT_OF_RESOURCES;
}

/* ---- link ---- */

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(text, word, length) == 0;
}

static bool link_option_known(const char *word, size_t length)
{
    static const char *const known[] = {
        "-create-library",       "-enable-link-options",          "-cl-denorms-are-zero",
        "-cl-no-signed-zeros",   "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
        "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp",           "-cl-no-signed-zeroes", /* in older specifications */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (word_is(word, length, known[i])) return true;
    return false;
}

/* The type of the result, or NONE for a wrong option. Only libraries have options for what is linked with them. */
static cl_program_binary_type link_type(const char *options)
{
    bool library = false, for_libraries = false;
    size_t n;
    for (const char *p = option_word(options ? options : "", &n); n; p = option_word(p + n, &n)) {
        if (!link_option_known(p, n)) return CL_PROGRAM_BINARY_TYPE_NONE;
        library |= word_is(p, n, "-create-library");
        for_libraries |= word_is(p, n, "-enable-link-options");
    }
    if (for_libraries && !library) return CL_PROGRAM_BINARY_TYPE_NONE;
    return library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

/* The object that `program` has for a device, with a reference for the caller; NULL: it has none there. */
static struct executable *object_of(cl_program program, cl_device_id device, bool *arg_info)
{
    const cl_uint place = devices_find(&program->devices, device);
    if (place == program->devices.count) return NULL;
    pthread_mutex_lock(&program->lock);
    const struct device_build *b = &program->builds[place];
    bool object = b->status != CL_BUILD_IN_PROGRESS &&
                  (b->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || b->type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    struct executable *e = object ? executable_use(b->executable) : NULL;
    *arg_info &= b->arg_info;
    pthread_mutex_unlock(&program->lock);
    return e;
}

/* Takes a use of each program's object for a marked device; without any there is nothing to link for it. */
static cl_int device_inputs_take(struct build_job *job, cl_uint device, const cl_program *programs)
{
    struct executable **own = &job->inputs[(size_t)device * job->ninputs];
    bool *arg_info = &job->program->builds[device].arg_info;
    cl_uint found = 0;
    *arg_info = true;
    for (cl_uint i = 0; i < job->ninputs; i++) {
        own[i] = object_of(programs[i], job->program->devices.list[device], arg_info);
        found += own[i] != NULL;
    }
    job->marked[device] = found > 0;
    return found == 0 || found == job->ninputs ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* The same for all marked devices. */
static cl_int inputs_take(struct build_job *job, const cl_program *programs)
{
    bool any = false;
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < job->program->devices.count && !error; i++) {
        if (job->marked[i]) error = device_inputs_take(job, i, programs);
        any |= job->marked[i];
    }
    return error || any ? error : CL_INVALID_OPERATION;
}

static cl_int inputs_check(cl_context context, cl_uint count, const cl_program *programs)
{
    if (count == 0 || !programs) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(programs[i], KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    for (cl_uint i = 0; i < count; i++)
        if (programs[i]->context != context) return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

static cl_int job_link(struct build_job *job)
{
    struct build b = {.program = job->program, .source = "", .objects = job->of, .nobjects = job->ninputs};
    return job_build(job, &b);
}

static cl_int job_link_only(struct build_job *job)
{
    cl_int error = job_link(job);
    return error == CL_BUILD_PROGRAM_FAILURE ? CL_LINK_PROGRAM_FAILURE : error;
}

/* Makes the program that is linked, and a job that has begun. */
static cl_int link_begin(struct build_job *job, cl_context context, cl_uint count, const cl_device_id *list,
                         const char *options, cl_uint ninputs, const cl_program *inputs)
{
    job->program = program_new(context, count, list);
    if (!job->program) return CL_OUT_OF_HOST_MEMORY;
    cl_int error =
        job_mark(job, 0, NULL) && job_inputs(job, ninputs) ? inputs_take(job, inputs) : CL_OUT_OF_HOST_MEMORY;
    if (!error) error = program_begin(job->program, job->marked, options);
    if (!error) return CL_SUCCESS;
    job_release(job);
    object_drop(&job->program->base);
    return error;
}

cl_program clLinkProgram(cl_context context, cl_uint count, const cl_device_id *list, const char *options,
                         cl_uint ninputs, const cl_program *inputs, void(CL_CALLBACK *notify)(cl_program, void *),
                         void *data, cl_int *errcode_ret)
{
    struct build_job job = {.work = job_link_only, .notify = notify, .data = data, .type = link_type(options)};
    cl_int error = CL_INVALID_CONTEXT;
    if (object_is(context, KIND_CONTEXT)) error = device_list_check(&context->devices, count, list, true);
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error) error = inputs_check(context, ninputs, inputs);
    if (!error && job.type == CL_PROGRAM_BINARY_TYPE_NONE) error = CL_INVALID_LINKER_OPTIONS;
    if (!error) error = link_begin(&job, context, count, list, options, ninputs, inputs);
    if (error) {
        set_error(errcode_ret, error);
        return NULL;
    }
    cl_program program = job.program;
    set_error(errcode_ret, job_start(&job)); /* on a failed link the program carries the log */
    return program;
}

/* ---- build: compile and link, or take over ---- */

/* From a binary: an executable is there already, an object is linked. */
static cl_int job_binary(struct build_job *job)
{
    if (!job->of[0]->module) return job_link(job);
    program_end(job->program, job->group, executable_use(job->of[0]), job->type, NULL);
    return CL_SUCCESS;
}

static cl_int binaries_take(struct build_job *job)
{
    if (!job_inputs(job, 1)) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < job->program->devices.count; i++) {
        if (!job->marked[i]) continue;
        job->inputs[i] = executable_use(job->program->builds[i].executable);
        if (!job->inputs[i]) return CL_INVALID_BINARY; /* a failed link */
    }
    return CL_SUCCESS;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *list, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    struct build_job job = {.work = program->source ? job_compile : job_binary,
                            .program = program,
                            .notify = notify,
                            .data = data,
                            .type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
    cl_int error = device_list_check(&program->devices, count, list, true);
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error) error = job_begin(&job, count, list, options);
    if (error) return error;
    if (!program->source) error = binaries_take(&job);
    else if (!(job.options = compiler_options(options))) error = CL_OUT_OF_HOST_MEMORY;
    if (!error) return job_start(&job);
    job_fail(&job, NULL);
    return error;
}
