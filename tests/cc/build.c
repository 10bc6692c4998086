/* Runs the compilers: ventus-cc for the device, clang for the reference. Both are child processes
 * working on files of one temporary folder, which is removed at the end.
 * Called by case.c; build_end by the test programs. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "isa/isa.h"

extern char **environ;

static char folder[256];
static unsigned serial;
static bool have_header;

static bool failed(char *message, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool failed(char *message, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
    return false;
}

static bool open_folder(char *message, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    if (folder[0]) return true;
    if (snprintf(folder, sizeof folder, "%s/ventus-case-XXXXXX", tmp && *tmp ? tmp : "/tmp") <
            (int)sizeof folder - 40 &&
        mkdtemp(folder))
        return true;
    folder[0] = 0;
    return failed(message, size, "no temporary folder: %s", strerror(errno));
}

static void name_file(char *path, size_t size, const char *suffix)
{
    snprintf(path, size, "%s/%u%s", folder, serial, suffix);
}

static bool write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f) return false;
    bool ok = fputs(text, f) >= 0;
    return (fclose(f) == 0) && ok;
}

char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    size_t n = 0, room = 0;
    if (!f) return NULL;
    do {
        char *grown = realloc(bytes, (room = room ? room * 2 : 65536) + 1);
        if (!grown) break;
        bytes = grown;
        n += fread(bytes + n, 1, room - n, f);
    } while (n == room);
    fclose(f);
    if (bytes) bytes[n] = 0;
    *size = n;
    return bytes;
}

/* Runs argv with standard error (and output) in `log`. Returns the wait status, -1 on failure. */
static int run(char *const *argv, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions)) return -1;
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

/* What a compiler left in its log, behind what it is called and how it ended. */
static bool log_failure(const char *who, int status, const char *log, char *message, size_t size)
{
    size_t n = 0;
    char *text = read_file(log, &n);
    if (status == -1) failed(message, size, "%s cannot be run", who);
    else if (WIFSIGNALED(status))
        failed(message, size, "%s died of signal %d\n%s", who, WTERMSIG(status), text ? text : "");
    else failed(message, size, "%s: exit code %d\n%s", who, WEXITSTATUS(status), text ? text : "");
    free(text);
    return false;
}

bool find_tool(const char *name, char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 64);
    if (n <= 0) return false;
    path[n] = 0;
    for (char *slash; (slash = strrchr(path, '/')); *slash = 0) {
        snprintf(slash, size - (size_t)(slash - path), "/%s", name);
        if (access(path, X_OK) == 0) return true;
    }
    return false;
}

static bool find_cc(char *path, size_t size)
{
    const char *set = getenv("VENTUS_CC");
    return set && *set ? snprintf(path, size, "%s", set) < (int)size : find_tool("ventus-cc", path, size);
}

bool build_device(const char *text, const char *options, const struct gpu_config *machine, ventus_module **module,
                  char *message, size_t size)
{
    char cc[4096], source[300], elf[300], log[300], pools[64];
    char why[300];
    size_t bytes = 0;
    if (!find_cc(cc, sizeof cc)) return failed(message, size, "no ventus-cc above this program; set VENTUS_CC");
    if (!open_folder(message, size)) return false;
    serial++;
    name_file(source, sizeof source, ".cl");
    name_file(elf, sizeof elf, ".elf");
    name_file(log, sizeof log, ".log");
    if (!write_file(source, text)) return failed(message, size, "cannot write %s", source);
    struct gpu_config first;
    if (!machine && device_gpu_config(0, &first, message, size) != VENTUS_OK) return false;
    if (!machine) machine = &first;
    snprintf(pools, sizeof pools, "%u,%u,%u,%u", machine->sgpr_rows, machine->vgpr_rows, machine->threads_per_warp,
             machine->warps_per_sm * machine->threads_per_warp);
    int status =
        run((char *[]){cc, "--profile", (char *)isa_profile_name((enum isa_profile)machine->profile), "--pools", pools,
                       "--options", (char *)(options ? options : ""), "-o", elf, source, NULL},
            log);
    char *image = status == 0 ? read_file(elf, &bytes) : NULL;
    bool ok = status != 0 ? log_failure("ventus-cc", status, log, message, size) : image != NULL;
    if (status == 0 && !image) failed(message, size, "ventus-cc wrote no ELF");
    if (ok && ventus_module_load(image, bytes, module, why, sizeof why) != VENTUS_OK)
        ok = failed(message, size, "ventus_module_load: %s", why);
    free(image);
    unlink(source);
    unlink(elf);
    unlink(log);
    return ok;
}

#define HOST_FLAGS \
    "-target", "x86_64-linux-gnu", "-cl-std=CL1.2", "-cl-no-stdinc", "-O1", "-fPIC", "-w", "-ffp-contract=off"

static const char *clang_name(void)
{
    const char *set = getenv("VENTUS_CLANG");
    return set && *set ? set : "clang-19";
}

/* host.h is parsed once per process. */
static bool build_header(const char *clang, char *message, size_t size)
{
    char pch[300], log[300];
    snprintf(pch, sizeof pch, "%s/host.pch", folder);
    snprintf(log, sizeof log, "%s/host.log", folder);
    if (have_header) return true;
    int status = run((char *[]){(char *)clang, "-x", "cl", HOST_FLAGS, "-include", "opencl-c-base.h", "-Xclang",
                                "-emit-pch", "-c", CASE_FOLDER "/host.h", "-o", pch, NULL},
                     log);
    if (status != 0) return log_failure("clang (host.h)", status, log, message, size);
    unlink(log);
    return have_header = true;
}

bool build_begin(char *message, size_t size)
{
    return open_folder(message, size) && build_header(clang_name(), message, size);
}

bool build_host(const char *text, const char *flags, void **host, char *message, size_t size)
{
    char source[300], object[300], log[300], pch[300];
    if (!build_begin(message, size)) return false;
    serial++;
    name_file(source, sizeof source, ".cl");
    name_file(object, sizeof object, ".so");
    name_file(log, sizeof log, ".log");
    snprintf(pch, sizeof pch, "%s/host.pch", folder);
    if (!write_file(source, text)) return failed(message, size, "cannot write %s", source);
    int status = run((char *[]){(char *)clang_name(), HOST_FLAGS, "-shared", "-include-pch", pch, "-x", "cl", source,
                                "-o", object, "-lm", (char *)flags, NULL},
                     log);
    bool ok = status == 0 || log_failure("clang", status, log, message, size);
    if (ok && !(*host = dlopen(object, RTLD_NOW | RTLD_LOCAL))) ok = failed(message, size, "dlopen: %s", dlerror());
    unlink(source);
    unlink(object);
    unlink(log);
    return ok;
}

void build_end(void)
{
    char pattern[300];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    if (folder[0] && glob(pattern, 0, NULL, &found) == 0) { /* a killed child may have left files */
        for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    if (folder[0]) rmdir(folder);
    folder[0] = 0;
    have_header = false;
}
