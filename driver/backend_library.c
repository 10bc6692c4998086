/* Libraries of devices: which there are, finding and loading the one that is named, and whether it is one. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/backend_library.h"
#include "driver/remote.h"
#include "driver/ventus_backend.h"
#include "host/host.h"

/* ---- names ---- */

static bool is_path(const char *name)
{
    const size_t n = strlen(name);
    return strchr(name, '/') || (n > 3 && !strcmp(name + n - 3, ".so"));
}

/* The folder of installed ones. malloc'd; NULL: the host has no memory. */
static char *folder(void)
{
    static const char *const places[] = {"devices", VENTUS_DEVICES_OF_LIBRARY, VENTUS_DEVICES_OF_COMMAND, NULL};
    return host_folder(places);
}

/* Appends the names in the folder; how many there are. */
static size_t list(const char *path, char *text, size_t size)
{
    DIR *d = opendir(path);
    size_t count = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        const size_t n = strlen(e->d_name), used = strlen(text);
        if (n <= 3 || strcmp(e->d_name + n - 3, ".so") != 0 || used + n + 4 > size) continue;
        snprintf(text + used, size - used, "%s%.*s", count++ ? ", " : "", (int)n - 3, e->d_name);
    }
    if (d) closedir(d);
    return count;
}

/* What the public stack calls the machine that this project has built in. */
static const char *is_ours(const char *name)
{
    if (!strcmp(name, "spike")) return "; for the built-in machine name none";
    if (!strcmp(name, "cyclesim")) return "; for the built-in cycle model name none, and set VENTUS_TIMING";
    return "";
}

static void no_such_name(const char *name, const char *where, char *why, size_t why_size)
{
    char names[200] = "";
    const size_t n = where ? list(where, names, sizeof names) : 0;
    snprintf(why, why_size, "there is no device '%.60s'; %s%s in %.150s%s; the path of a device library works too",
             name, n ? "there are: " : "none is installed", names, where ? where : "the library's folder",
             is_ours(name));
}

/* The file of a library. malloc'd; NULL: why. */
static char *file_of(const char *name, char *why, size_t why_size)
{
    char *path = NULL;
    if (is_path(name)) return strchr(name, '/') ? strdup(name) : asprintf(&path, "./%s", name) < 0 ? NULL : path;
    char *where = folder();
    if (where && asprintf(&path, "%s/%s.so", where, name) < 0) path = NULL;
    if (path && access(path, R_OK) == 0) return free(where), path;
    no_such_name(name, where, why, why_size);
    free(where);
    free(path);
    return NULL;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    size_t at;
} functions[] = {
#define FUNCTION(name) \
    { \
#name, offsetof(struct ventus_backend, name) \
    }
    FUNCTION(open), FUNCTION(close),  FUNCTION(describe), FUNCTION(write),
    FUNCTION(read), FUNCTION(launch), FUNCTION(wait),     FUNCTION(counters),
#undef FUNCTION
};

bool backend_library_shows_program(const struct ventus_backend *t)
{
    return t->size >= offsetof(struct ventus_backend, program) + sizeof t->program && t->program;
}

static bool is_whole(const struct ventus_backend *t, const char *path, char *why, size_t why_size)
{
    const size_t least = offsetof(struct ventus_backend, program);
    if (t->abi != VENTUS_BACKEND_ABI || t->size < least) {
        snprintf(
            why, why_size,
            "%.200s was built for version %u of ventus_backend.h, %u bytes; this driver wants %u, %zu: build it anew",
            path, (unsigned)t->abi, (unsigned)t->size, VENTUS_BACKEND_ABI, least);
        return false;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function;
        memcpy(&function, (const char *)t + functions[i].at, sizeof function);
        if (function) continue;
        snprintf(why, why_size, "%.200s: the table of the device has no function '%s'", path, functions[i].name);
        return false;
    }
    return true;
}

/* The library stays loaded: what simulators leave behind in a process does not bear being taken away. */
static const struct ventus_backend *load(const char *path, char *why, size_t why_size)
{
    const struct ventus_backend *(*get)(void), *table;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        snprintf(why, why_size,
                 "the device library cannot be loaded: %s (VENTUS_BACKEND or the machine's file names it)", dlerror());
        return NULL;
    }
    void *symbol = dlsym(library, VENTUS_BACKEND_SYMBOL);
    memcpy(&get, &symbol, sizeof get);
    if (!symbol || !(table = get())) {
        snprintf(why, why_size, "%.200s is no device library: it %s" VENTUS_BACKEND_SYMBOL " (ventus_backend.h)", path,
                 symbol ? "gives no table from " : "has no ");
        dlclose(library);
        return NULL;
    }
    return is_whole(table, path, why, why_size) ? table : NULL;
}

const struct ventus_backend *backend_library(const char *name, char *why, size_t why_size)
{
    *why = 0;
    if (!strcmp(name, "remote")) return remote_backend();
    char *path = file_of(name, why, why_size);
    const struct ventus_backend *table = path ? load(path, why, why_size) : NULL;
    if (!path && !*why) snprintf(why, why_size, "out of memory");
    free(path);
    return table;
}
