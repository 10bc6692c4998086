/* Results of the compiler on disk (host/disk_cache.h).
 *
 * A result is kept under everything that it depends on: source, options, the files that the source includes, the
 * objects to link, and the versions of the files that the compiler is made of. Those files are named by the compiler,
 * and that list is kept, too, so that nothing is started when the result is there. Only what succeeded is kept. Called
 * by compile.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/timeline.h"
#include "objects.h"
#include "host/disk_cache.h"

/* ---- keys ---- */

/* A part of a key, with its size in front, so that parts cannot run into each other. */
static void add(FILE *key, const void *bytes, size_t size)
{
    fwrite(&size, sizeof size, 1, key);
    if (size) fwrite(bytes, 1, size, key);
}

static void add_text(FILE *key, const char *text) { add(key, text ? text : "", text ? strlen(text) + 1 : 0); }

/* Zeros, and false, when there is no such file. */
static bool add_version(FILE *key, const char *path)
{
    struct file_version version = {0};
    bool exists = disk_file_version(path, &version);
    add_text(key, path);
    add(key, &version, sizeof version);
    return exists;
}

/* The key that `make` writes; its bytes are to be freed, and NULL when there is none. */
static struct disk_key key_of(bool (*make)(FILE *key, const struct disk_cache *cache, const struct build *b),
                              const struct disk_cache *cache, const struct build *b)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    bool good = file && make(file, cache, b) && !ferror(file);
    if (file && fclose(file)) good = false;
    if (!good) {
        free(bytes);
        bytes = NULL;
    }
    return (struct disk_key){DISK_CACHE_build, bytes, size};
}

/* ---- the compiler's files ---- */

/* What the choice of the compiler's files depends on. */
static bool add_compiler(FILE *key, const struct disk_cache *cache, const struct build *b)
{
    static const char *const variables[] = {"PATH", "VENTUS_CLANG", "VENTUS_BUILTINS"};
    char *path = compiler_path();
    (void)cache, (void)b;
    bool known = path && add_version(key, path);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) add_text(key, secure_getenv(variables[i]));
    free(path);
    return known;
}

/* Their names, one a line, to be freed, or NULL. */
static char *compiler_files(const struct disk_cache *cache)
{
    struct disk_key key = key_of(add_compiler, cache, NULL);
    struct disk_content kept;
    char *names = NULL, *argv[] = {NULL, "--files", NULL};
    size_t size;
    if (key.bytes && disk_cache_load(cache, &key, false, &kept)) {
        names = strndup(kept.bytes, kept.size);
        disk_cache_unload(&kept);
    } else if (key.bytes && (names = (char *)compiler_answer(NULL, argv, "", 0, &size))) {
        disk_cache_store(cache, &key, names, size);
    }
    free((void *)key.bytes);
    return names;
}

static bool add_versions(FILE *key, const struct disk_cache *cache)
{
    char *names = compiler_files(cache), *rest;
    if (!names) return false;
    for (char *name = strtok_r(names, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
        add_version(key, name); /* one that is not there may come later */
    free(names);
    return true;
}

/* ---- sources ---- */

/* Leaves out the name of the folder of headers, which differs each time. */
static void add_neutral(FILE *key, const char *text, size_t size, const char *folder)
{
    const char *end = text + size, *hit;
    size_t n = folder ? strlen(folder) : 0;
    while (n && (hit = memmem(text, (size_t)(end - text), folder, n))) {
        add(key, text, (size_t)(hit - text));
        text = hit + n;
    }
    add(key, text, (size_t)(end - text));
}

static bool add_preprocessed(FILE *key, const struct build *b)
{
    char *options = build_options(b), *lacks = (char *)(uintptr_t)b->lacks,
         *argv[] = {NULL,        "--preprocess", "--profile", (char *)(uintptr_t)b->profile, "--lacks", lacks,
                    "--options", options,        NULL};
    size_t size;
    unsigned char *text = options ? compiler_answer(b->program, argv, b->source, b->source_size, &size) : NULL;
    if (text) add_neutral(key, (char *)text, size, b->headers);
    free(options);
    free(text);
    return text;
}

static bool add_source(FILE *key, const struct build *b)
{
    const char *options = b->options ? b->options : "";
    add(key, b->source, b->source_size);
    add_text(key, options);
    if (b->il) return true; /* a module includes nothing, whatever words are in it */
    return (!b->headers && includes_add(key, b->source, b->source_size, options)) || add_preprocessed(key, b);
}

static bool add_build(FILE *key, const struct disk_cache *cache, const struct build *b)
{
    add_text(key, VENTUS_VERSION);
    add_text(key, b->profile);
    add_text(key, b->pools);
    add_text(key, b->lacks);
    add(key, &b->object, sizeof b->object);
    add(key, &b->draft, sizeof b->draft);
    add_text(key, b->kernel);
    add(key, &b->nobjects, sizeof b->nobjects);
    for (cl_uint i = 0; i < b->nobjects; i++) add(key, b->objects[i]->bytes, b->objects[i]->size);
    return add_compiler(key, cache, b) && add_versions(key, cache) && (b->objects || add_source(key, b));
}

/* ---- results: the log with its 0, then the bytes ---- */

static bool result_read(const struct disk_content *kept, struct build *b)
{
    const char *text = kept->bytes;
    size_t log_size = strnlen(text, kept->size) + 1;
    if (log_size > kept->size) return false;
    b->size = kept->size - log_size;
    b->log = strdup(text);
    b->bytes = malloc(b->size + 1);
    if (b->bytes) memcpy(b->bytes, text + log_size, b->size);
    return b->bytes;
}

static void result_store(const struct disk_cache *cache, const struct disk_key *key, const struct build *b)
{
    const char *log = b->log ? b->log : "";
    size_t log_size = strlen(log) + 1;
    char *content = malloc(log_size + b->size);
    if (!content) return;
    memcpy(content, log, log_size);
    memcpy(content + log_size, b->bytes, b->size);
    disk_cache_store(cache, key, content, log_size + b->size);
    free(content);
}

static cl_int build_kept(const struct disk_cache *cache, const struct disk_key *key, struct build *b)
{
    struct disk_content kept;
    if (disk_cache_load(cache, key, false, &kept)) {
        bool good = result_read(&kept, b);
        disk_cache_unload(&kept);
        b->kept = good;
        return good ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    cl_int error = build_run(b);
    if (!error) result_store(cache, key, b);
    return error;
}

static cl_int build_now(struct build *b)
{
    struct disk_cache cache;
    disk_cache_open(&cache);
    bool used = *cache.folder && !secure_getenv("VENTUS_CC_DUMP"); /* what it shows is shown by a run only */
    struct disk_key key = {0};
    if (used) key = key_of(add_build, &cache, b);
    cl_int error = key.bytes ? build_kept(&cache, &key, b) : build_run(b);
    free((void *)key.bytes);
    return error;
}

/* The timeline shows it as a slice of the thread that builds. */
cl_int build_cached(struct build *b)
{
    const ventus_device *device = b->program ? b->program->context->device : NULL;
    if (!timeline_on()) return build_now(b);
    timeline_begin(device, b->kernel ? "compile a kernel" : b->objects ? "link" : "build", NULL);
    const cl_int error = build_now(b);
    timeline_end(device, (struct timeline_fact[]){{"result", error ? "failed" : "built", 0},
                                                  {"kept", b->kept ? "yes" : "no", 0},
                                                  {"source_bytes", NULL, b->source_size},
                                                  {"program_bytes", NULL, b->size},
                                                  {"kernel", b->kernel ? b->kernel : "all", 0},
                                                  {"log", b->log ? b->log : "", 0},
                                                  {0}});
    return error;
}
