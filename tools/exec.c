/* ventus exec: runs a program that uses OpenCL on the device of this build or installation.
 *
 * It becomes the program, with variables of the environment set: those by which OpenCL's loader finds the device, and
 * those of the device for what is asked for (docs/opencl.md). So the exit code, the terminal and signals are the
 * program's own. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/check.h"
#include "sim/engine.h"
#include "sim/launch.h"
#include "tool.h"

enum {
    PROFILE,
    PROFILE_MEMORY,
    TIMELINE,
    CHECK,
    CHECK_FILE,
    ERROR_EXITCODE,
    TIMING,
    CONFIG,
    ENGINE,
    TIMEOUT,
    EXPORT,
    GDB,
    BACKEND
};

static const struct flag flags[] = {
    [PROFILE] = {"profile", 0, "[=FILE]",
                 "count instructions by line and kernel, exactly: a table, or FILE ending in .html,\n.callgrind or "
                 ".speedscope.json; several with commas (docs/profiler.md). With --timing\nalso what warps "
                 "waited for, and how many there were over time"},
    [PROFILE_MEMORY] = {"profile-memory", 0, "[=N]",
                        "also watch the accesses of each kernel's first launch, or of every Nth\n(slow): lines, bank "
                        "conflicts, patterns, barriers; and advice from them"},
    [TIMELINE] = {"timeline", 0, "FILE",
                  "write what was queued, ran and waited when, as JSON for ui.perfetto.dev\n(docs/profiler.md)"},
    [CHECK] = {"check", 0, "[=KINDS]", "look for mistakes of kernels: all, or a list as for `ventus run`"},
    [CHECK_FILE] = {"check-file", 0, "FILE", "reports go to the end of FILE, not to standard error"},
    [ERROR_EXITCODE] = {"error-exitcode", 0, "N", "exit code when --check has found mistakes (1..255)"},
    [TIMING] = {"timing", 0, "NAME", "run on a model of the hardware's cycles: a name or file as for\n`ventus run`"},
    [CONFIG] = {"config", 0, "FILE", "the machine, as `ventus info` prints one"},
    [ENGINE] = {"engine", 0, "NAME", "what executes instructions: `ventus info` lists the engines"},
    [TIMEOUT] = {"timeout", 0, "S", "end kernels that run for longer than S seconds, and say where they were"},
    [EXPORT] = {"export", 0, "DIR", "write each launch to DIR as files that other simulators run"},
    [GDB] =
        {"gdb", 0, "ADDRESS",
         "wait for gdb or lldb at :PORT or at the path of a socket (docs/debugger.md;\n`ventus debug` starts both)"},
    [BACKEND] = {"backend", 0, "LIBRARY", "run kernels on the device of this library (docs/hardware.md)"},
    {0},
};

/* The variable that stands for each option. */
static const char *const variables[] = {
    [PROFILE] = "VENTUS_PROFILE",       [PROFILE_MEMORY] = "VENTUS_PROFILE_MEMORY",
    [TIMELINE] = "VENTUS_TIMELINE",     [CHECK] = "VENTUS_CHECK",
    [CHECK_FILE] = "VENTUS_CHECK_FILE", [ERROR_EXITCODE] = "VENTUS_CHECK_EXITCODE",
    [TIMING] = "VENTUS_TIMING",         [CONFIG] = "VENTUS_CONFIG",
    [ENGINE] = "VENTUS_ENGINE",         [TIMEOUT] = "VENTUS_TIMEOUT",
    [EXPORT] = "VENTUS_EXPORT",         [GDB] = "VENTUS_GDB",
    [BACKEND] = "VENTUS_BACKEND",
};

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1)) die("out of memory");
}

/* The name of a file stays right when the program goes to another folder. */
static char *absolute(const char *path)
{
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0), *all;
    if (asprintf(&all, "%s%s%s", here ? here : "", here ? "/" : "", path) < 0) die("out of memory");
    free(here);
    return all;
}

/* Of several, with commas. */
static char *all_absolute(const char *paths)
{
    char *list = strdup(paths), *rest = list, *all = strdup("");
    for (char *path; list && (path = strsep(&rest, ","));) {
        char *whole = absolute(path), *longer;
        if (asprintf(&longer, "%s%s%s", all, *all ? "," : "", whole) < 0) die("out of memory");
        free(whole);
        free(all);
        all = longer;
    }
    free(list);
    return all;
}

/* ---- the device ---- */

static bool try_library(char out[PATH_MAX], const char *folder, const char *rest)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s/libventus-opencl.so", folder, rest);
    return n > 0 && n < (int)sizeof path && !access(path, R_OK) && realpath(path, out);
}

/* Beside this program, or where it is installed with it. */
static void find_library(char out[PATH_MAX])
{
    static const char *const places[] = {".", VENTUS_LIBRARIES_OF_COMMAND};
    char self[PATH_MAX];
    if (!realpath((const char *)getauxval(AT_EXECFN), self))
        die("cannot find out where this program is: %s", strerror(errno));
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (try_library(out, self, places[i])) return;
    die("libventus-opencl.so is neither in %s nor in %s/%s", self, self, VENTUS_LIBRARIES_OF_COMMAND);
}

/* Debian's loader takes a library for the first variable, and then no other devices; that of Khronos takes a folder for
 * it, in which it finds none, and the library for the second. */
static void choose_device(void)
{
    char library[PATH_MAX];
    find_library(library);
    set("OCL_ICD_VENDORS", library);
    set("OCL_ICD_FILENAMES", library);
}

/* ---- the options ---- */

static void check_seconds(const struct args *args)
{
    char *end;
    const double seconds = strtod(args->value, &end);
    if (end == args->value || *end || !(seconds > 0 && seconds < 1e9))
        usage_error(args, "--timeout: '%s' is no number of seconds", args->value);
}

static void check_engine(const struct args *args)
{
    const struct engine *engine;
    char names[200];
    engine_names(names, sizeof names);
    if (!engine_find(args->value, &engine)) usage_error(args, "--engine is %s, not '%s'", names, args->value);
}

/* Is a device's library given by its file, not by its name alone? What follows a comma is for the library. */
static bool names_file(const char *library)
{
    size_t n = strcspn(library, ",");
    return memchr(library, '/', n) || (n > 3 && !memcmp(library + n - 3, ".so", 3));
}

/* Makes it if need be. Now, not when the first launch is to be written. */
static void check_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) && errno != EEXIST) die("cannot make %s: %s", path, strerror(errno));
    if (stat(path, &st) || !S_ISDIR(st.st_mode)) die("--export: %s is no folder", path);
    if (access(path, W_OK | X_OK)) die("--export: no file can be made in %s: %s", path, strerror(errno));
}

/* The value of the option's variable; a usage error when it makes no sense. */
static const char *value_of(const struct args *args, int flag)
{
    struct gpu_config config;
    char why[200];
    unsigned what;
    switch (flag) {
    case CHECK:
        if (!check_parse(args->value, &what, why, sizeof why)) usage_error(args, "--check: %s", why);
        return args->value && *args->value ? args->value : "all";
    case ERROR_EXITCODE: number_arg(args, "--error-exitcode", args->value, 1, 255); return args->value;
    case PROFILE_MEMORY:
        if (!secure_getenv(variables[PROFILE])) set(variables[PROFILE], "1");
        if (!args->value) return "1000000000";
        number_arg(args, "--profile-memory", args->value, 1, UINT32_MAX);
        return args->value;
    case CONFIG:
        gpu_config_default(&config);
        config_file(&config, args->value);
        return absolute(args->value);
    case ENGINE: check_engine(args); return args->value;
    case TIMEOUT: check_seconds(args); return args->value;
    case EXPORT: check_folder(args->value); return absolute(args->value);
    case GDB: return args->value[0] == ':' ? args->value : absolute(args->value);
    case BACKEND: return names_file(args->value) ? absolute(args->value) : args->value;
    case TIMELINE:
    case CHECK_FILE: return absolute(args->value);
    case PROFILE: return args->value && *args->value ? all_absolute(args->value) : "1";
    default: return args->value;
    }
}

int cmd_exec(int argc, char **argv)
{
    struct args args = {
        .command = "exec",
        .usage = "[OPTIONS] [--] PROGRAM [ARGUMENTS]",
        .about =
            "Runs a program that uses OpenCL, built anywhere, on the Ventus device: no variable of the environment\n"
            "is needed. Each option has its variable, for programs that are not started by hand: docs/opencl.md.\n"
            "The exit code is the program's; 126 or 127: it cannot be started.",
        .flags = flags,
        .argc = argc,
        .at = 1,
        .argv = argv,
    };
    int flag;
    while ((flag = args_next(&args)) >= 0) set(variables[flag], value_of(&args, flag));
    if (flag == ARG_END) usage_error(&args, "which program?");
    choose_device();
    set("VENTUS_INTERRUPT", "1");
    execvp(args.value, argv + args.at - 1);
    fprintf(stderr, "ventus: cannot run '%s': %s\n", args.value, strerror(errno));
    return errno == ENOENT ? 127 : 126;
}
