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

/* Runs `work` at once, or on a thread of its own if the client gave a callback, and calls that. */
struct build_job {
    cl_int (*work)(struct build_job *job); /* must not touch the job's program after program_end */
    cl_program program;                    /* held until the end */
    void(CL_CALLBACK *notify)(cl_program program, void *data);
    void *data;
    char *options, *folder;      /* options for the compiler; folder of headers or NULL */
    cl_program_binary_type type; /* of the result */
    struct executable **inputs;  /* to link, or the one to take over */
    cl_uint ninputs;
};

/* Room for `count` inputs. */
static bool job_inputs(struct build_job *job, cl_uint count)
{
    job->inputs = calloc(count, sizeof *job->inputs);
    job->ninputs = job->inputs ? count : 0;
    return job->inputs;
}

/* What the job owns. */
static void job_release(struct build_job *job)
{
    for (cl_uint i = 0; i < job->ninputs; i++) executable_drop(job->inputs[i]);
    free(job->inputs);
    free(job->options);
    folder_remove(job->folder);
}

static cl_int job_run(struct build_job *job)
{
    cl_int result = job->work(job);
    if (job->notify) job->notify(job->program, job->data);
    object_drop(&job->program->base);
    job_release(job);
    free(job);
    return result;
}

static void *job_main(void *job)
{
    job_run(job);
    return NULL;
}

/* A copy of the job is made, which owns options, folder and inputs. */
static cl_int job_start(struct build_job *model)
{
    struct build_job *job = malloc(sizeof *job);
    if (!job) {
        program_end(model->program, NULL, CL_PROGRAM_BINARY_TYPE_NONE, NULL);
        job_release(model);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *job = *model;
    object_use(&job->program->base);
    if (job->notify && host_thread(NULL, job_main, job)) return CL_SUCCESS;
    return job_run(job);
}

/* The log with a line about an ELF that the driver does not take. */
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
    struct ventus_info device;
    ventus_device_info(job->program->context->device, &device);
    b->profile = device.profile;
    b->object = job->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    cl_int error = build_cached(b);
    if (!error && !(executable = executable_new(job->program->context->device, b->bytes, b->size, job->type, why))) {
        b->log = log_with(b->log, why);
        error = CL_BUILD_PROGRAM_FAILURE;
    }
    if (error && b->log) debug("build failed:\n%s", b->log);
    program_end(job->program, executable, job->type, b->log);
    return error;
}

static cl_int job_compile(struct build_job *job)
{
    struct build b = {.program = job->program,
                      .source = job->program->source,
                      .source_size = job->program->source_size,
                      .il = job->program->il,
                      .options = job->options,
                      .headers = job->folder};
    return job_build(job, &b);
}

/* ---- headers: program objects become files of a temporary folder ---- */

/* A relative name that stays below the folder. */
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
    cl_int error = device_list_check(&program->context->devices, count, list, true);
    if (program->il) nheaders = 0; /* a module includes nothing */
    else if (!error) error = headers_check(nheaders, headers, names);
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error && !program->source) error = CL_INVALID_OPERATION;
    if (!error) error = program_begin(program, options);
    if (error) return error;
    // clang-format off
    struct build_job job = {.work = job_object, .program = program, .notify = notify, .data = data,
                      .type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT};
    // clang-format on
    if (nheaders) job.folder = folder_of_headers(nheaders, headers, names);
    if ((!nheaders || job.folder) && (job.options = strdup(options ? options : ""))) return job_start(&job);
    job_release(&job);
    program_end(program, NULL, CL_PROGRAM_BINARY_TYPE_NONE,
                strdup("ventus: cannot write the headers to a temporary folder\n"));
    return CL_OUT_OF_RESOURCES;
}

/* ---- link ---- */

static bool link_option_known(const char *word, size_t length)
{
    static const char *const known[] = {
        "-create-library",       "-enable-link-options",          "-cl-denorms-are-zero",
        "-cl-no-signed-zeros",   "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
        "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp",
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && memcmp(known[i], word, length) == 0) return true;
    return false;
}

/* The type of the result, or NONE for a wrong option. */
static cl_program_binary_type link_type(const char *options)
{
    static const char create[] = "-create-library";
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    size_t n;
    for (const char *p = option_word(options ? options : "", &n); n; p = option_word(p + n, &n)) {
        if (!link_option_known(p, n)) return CL_PROGRAM_BINARY_TYPE_NONE;
        if (n == sizeof create - 1 && memcmp(p, create, n) == 0) type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
    }
    return type;
}

/* The object in `program`, with a use for the caller; NULL if it holds none. */
static struct executable *object_of(cl_program program)
{
    pthread_mutex_lock(&program->lock);
    bool object = !program->building && (program->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                                         program->type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    struct executable *e = object ? executable_use(program->executable) : NULL;
    pthread_mutex_unlock(&program->lock);
    return e;
}

/* Takes a use of each program's object; `job` has them also when this fails. */
static cl_int inputs_take(struct build_job *job, cl_context context, cl_uint count, const cl_program *programs)
{
    if (count == 0 || !programs) return CL_INVALID_VALUE;
    if (!job_inputs(job, count)) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(programs[i], KIND_PROGRAM)) return CL_INVALID_PROGRAM;
        if (programs[i]->context != context) return CL_INVALID_OPERATION;
        job->inputs[i] = object_of(programs[i]);
        if (!job->inputs[i]) return CL_INVALID_OPERATION;
    }
    return CL_SUCCESS;
}

static cl_int job_link(struct build_job *job)
{
    struct build b = {.program = job->program, .source = "", .objects = job->inputs, .nobjects = job->ninputs};
    return job_build(job, &b);
}

static cl_int job_link_only(struct build_job *job)
{
    cl_int error = job_link(job);
    return error == CL_BUILD_PROGRAM_FAILURE ? CL_LINK_PROGRAM_FAILURE : error;
}

static void inputs_drop(struct build_job *job)
{
    for (cl_uint i = 0; i < job->ninputs; i++) executable_drop(job->inputs[i]);
    free(job->inputs);
}

cl_program clLinkProgram(cl_context context, cl_uint count, const cl_device_id *list, const char *options,
                         cl_uint ninputs, const cl_program *inputs, void(CL_CALLBACK *notify)(cl_program, void *),
                         void *data, cl_int *errcode_ret)
{
    cl_program program = NULL;
    struct build_job job = {.work = job_link_only, .notify = notify, .data = data, .type = link_type(options)};
    cl_int error =
        object_is(context, KIND_CONTEXT) ? device_list_check(&context->devices, count, list, true) : CL_INVALID_CONTEXT;
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error) error = inputs_take(&job, context, ninputs, inputs);
    if (!error && job.type == CL_PROGRAM_BINARY_TYPE_NONE) error = CL_INVALID_LINKER_OPTIONS;
    if (!error && !(program = program_new(context))) error = CL_OUT_OF_HOST_MEMORY;
    if (!error) error = program_begin(program, options);
    if (error) {
        inputs_drop(&job);
        if (program) object_drop(&program->base);
        set_error(errcode_ret, error);
        return NULL;
    }
    program->arg_info = true;
    for (cl_uint i = 0; i < ninputs; i++) program->arg_info &= inputs[i]->arg_info;
    job.program = program;
    set_error(errcode_ret, job_start(&job)); /* on a failed link the program carries the log */
    return program;
}

/* ---- build: compile and link, or take over ---- */

/* An executable binary: nothing to compile. */
static cl_int job_adopt(struct build_job *job)
{
    program_end(job->program, executable_use(job->inputs[0]), job->type, NULL);
    return CL_SUCCESS;
}

/* A program from a binary: an executable is ready, an object is linked. */
static cl_int binary_job(cl_program program, struct build_job *job)
{
    if (!program->executable) return CL_INVALID_BINARY; /* a failed link */
    if (!job_inputs(job, 1)) return CL_OUT_OF_HOST_MEMORY;
    job->inputs[0] = executable_use(program->executable);
    job->work = program->executable->module ? job_adopt : job_link;
    return CL_SUCCESS;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *list, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    cl_int error = device_list_check(&program->context->devices, count, list, true);
    if (error) return error;
    if (!notify && data) return CL_INVALID_VALUE;
    error = program_begin(program, options);
    if (error) return error;
    struct build_job job = {.work = job_compile,
                            .program = program,
                            .notify = notify,
                            .data = data,
                            .type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
    if (!program->source) error = binary_job(program, &job);
    else if (!(job.options = strdup(options ? options : ""))) error = CL_OUT_OF_HOST_MEMORY;
    if (!error) return job_start(&job);
    program_end(program, NULL, CL_PROGRAM_BINARY_TYPE_NONE, NULL);
    return error;
}
