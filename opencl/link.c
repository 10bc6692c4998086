/* clCompileProgram and clLinkProgram over a compiler that makes whole programs.
 * Compiling builds the source with its headers, so an object is complete in itself; linking turns one
 * object into an executable or a library. What needs several objects in one program is refused with a
 * link error that says so. Called through icd.c. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "objects.h"

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

static bool header_write(const char *folder, const char *name, cl_program header)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) return false;
    for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(path, 0700); /* there already is fine; if not, opening the file tells */
        *p = '/';
    }
    FILE *file = fopen(path, "wbe");
    bool ok = file && fwrite(header->source, 1, header->source_size, file) == header->source_size;
    if (file && fclose(file)) ok = false;
    free(path);
    return ok;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static void folder_remove(const char *folder)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* The folder's name (the caller's to free), or NULL. */
static char *folder_make(cl_uint count, const cl_program *headers, const char **names)
{
    const char *tmp = secure_getenv("TMPDIR");
    char *folder = NULL;
    if (asprintf(&folder, "%s/ventus-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0) return NULL;
    if (!mkdtemp(folder)) {
        free(folder);
        return NULL;
    }
    for (cl_uint i = 0; i < count; i++)
        if (!header_write(folder, names[i], headers[i])) {
            folder_remove(folder);
            free(folder);
            return NULL;
        }
    return folder;
}

/* ---- compile ---- */

static cl_int compile_error(cl_int error)
{
    if (error == CL_BUILD_PROGRAM_FAILURE) return CL_COMPILE_PROGRAM_FAILURE;
    return error == CL_INVALID_BUILD_OPTIONS ? CL_INVALID_COMPILER_OPTIONS : error;
}

static cl_int job_object(struct job *job)
{
    cl_int error = job_compile(job);
    if (job->folder) folder_remove(job->folder);
    return compile_error(error);
}

static cl_int headers_check(cl_uint count, const cl_program *headers, const char **names)
{
    if ((count == 0) != (headers == NULL) || (count == 0) != (names == NULL)) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(headers[i], KIND_PROGRAM)) return CL_INVALID_PROGRAM;
        if (!names[i] || !header_name_valid(names[i])) return CL_INVALID_VALUE;
        if (!headers[i]->source) return CL_INVALID_OPERATION;
    }
    return CL_SUCCESS;
}

/* The compiler's options: the client's, then the folder of headers, quoted. */
static char *options_with(const char *options, const char *folder)
{
    char *text = NULL;
    if (!folder) return strdup(options ? options : "");
    return asprintf(&text, "%s -I \"%s\"", options ? options : "", folder) < 0 ? NULL : text;
}

cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id *list, const char *options, cl_uint nheaders,
                        const cl_program *headers, const char **names, void (CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    if (!object_is(program, KIND_PROGRAM)) return CL_INVALID_PROGRAM;
    cl_int error = device_list_check(count, list, true);
    if (!error) error = headers_check(nheaders, headers, names);
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error && !program->source) error = CL_INVALID_OPERATION;
    if (!error) error = program_begin(program, options);
    if (error) return error;
    struct job job = {.work = job_object, .program = program, .notify = notify, .data = data,
                      .type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT};
    if (nheaders) job.folder = folder_make(nheaders, headers, names);
    job.options = nheaders && !job.folder ? NULL : options_with(options, job.folder);
    if (job.options) return job_start(&job);
    if (job.folder) folder_remove(job.folder);
    free(job.folder);
    program_end(program, NULL, CL_PROGRAM_BINARY_TYPE_NONE, strdup("ventus: cannot write the headers to a temporary folder\n"));
    return CL_OUT_OF_RESOURCES;
}

/* ---- link ---- */

static bool link_option_known(const char *word, size_t length)
{
    static const char *const known[] = {
        "-create-library", "-enable-link-options", "-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp",
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
    for (const char *p = options ? options : ""; *(p += strspn(p, " \t\n\r\v\f"));) {
        size_t n = strcspn(p, " \t\n\r\v\f");
        if (!link_option_known(p, n)) return CL_PROGRAM_BINARY_TYPE_NONE;
        if (n == sizeof create - 1 && memcmp(p, create, n) == 0) type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
        p += n;
    }
    return type;
}

/* The object in `program`, with a use for the caller; NULL if it holds none. */
static struct executable *object_of(cl_program program)
{
    pthread_mutex_lock(&program->lock);
    bool object = program->executable && !program->building && (program->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                                                                program->type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    struct executable *e = object ? program->executable : NULL;
    if (e) atomic_fetch_add(&e->uses, 1);
    pthread_mutex_unlock(&program->lock);
    return e;
}

static cl_int inputs_check(cl_context context, cl_uint count, const cl_program *inputs)
{
    if (count == 0 || !inputs) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(inputs[i], KIND_PROGRAM)) return CL_INVALID_PROGRAM;
        if (inputs[i]->context != context) return CL_INVALID_OPERATION;
        struct executable *object = object_of(inputs[i]);
        if (!object) return CL_INVALID_OPERATION;
        executable_drop(object);
    }
    return CL_SUCCESS;
}

static cl_int job_link(struct job *job)
{
    static const char many[] = "ventus: linking several objects into one program is not supported; put their sources into one program\n";
    struct executable *object = job->input;
    if (object) atomic_fetch_add(&object->uses, 1);
    program_end(job->program, object, job->type, object ? NULL : strdup(many));
    return object ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE;
}

cl_program clLinkProgram(cl_context context, cl_uint count, const cl_device_id *list, const char *options, cl_uint ninputs,
                         const cl_program *inputs, void (CL_CALLBACK *notify)(cl_program, void *), void *data, cl_int *errcode_ret)
{
    cl_program program = NULL;
    cl_program_binary_type type = link_type(options);
    cl_int error = object_is(context, KIND_CONTEXT) ? device_list_check(count, list, true) : CL_INVALID_CONTEXT;
    if (!error) error = inputs_check(context, ninputs, inputs);
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error && type == CL_PROGRAM_BINARY_TYPE_NONE) error = CL_INVALID_LINKER_OPTIONS;
    if (!error && !(program = program_new(context))) error = CL_OUT_OF_HOST_MEMORY;
    if (!error) {
        program->arg_info = inputs[0]->arg_info;
        program_begin(program, options);
        struct job job = {.work = job_link, .program = program, .notify = notify, .data = data, .type = type};
        if (ninputs == 1) job.input = object_of(inputs[0]);
        error = job_start(&job);
    }
    set_error(errcode_ret, error); /* on a failed link the program carries the log */
    return program;
}
