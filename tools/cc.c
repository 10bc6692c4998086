/* ventus cc: runs the compiler, a program of its own.
 *
 * It is looked for as the OpenCL library does: VENTUS_CC, beside this program, ../libexec/ventus. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/isa.h"
#include "tool.h"

static bool try_path(char out[PATH_MAX], const char *dir, const char *rest)
{
    int n = snprintf(out, PATH_MAX, "%s%s", dir, rest);
    return n > 0 && n < PATH_MAX && !access(out, X_OK);
}

static const char *find_compiler(char out[PATH_MAX])
{
    static const char *const places[] = {"/ventus-cc", "/compiler/ventus-cc", "/../libexec/ventus/ventus-cc"};
    const char *chosen = secure_getenv("VENTUS_CC");
    char self[PATH_MAX];
    if (chosen && *chosen) return chosen;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) die("cannot find out where this program is: %s", strerror(errno));
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (try_path(out, self, places[i])) return out;
    die("ventus-cc is neither in %s nor in %s/../libexec/ventus; VENTUS_CC can name it", self, self);
}

int cmd_cc(int argc, char **argv)
{
    char path[PATH_MAX];
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        puts("usage: ventus cc [--options STRING] [--profile P] [--compile] [-o FILE] [FILE]\n"
             "       ventus cc --link [--profile P] [--compile] [-o FILE] FILE...\n\n"
             "Compiles OpenCL C or SPIR-V from FILE or standard input to an ELF executable for `ventus run`, or\n"
             "links objects to one. clCreateProgramWithBinary takes executables and objects, too.\n\n"
             "options:\n"
             "      --options STRING      build options, as clBuildProgram takes them\n"
             "      --profile P           instruction set: " ISA_PROFILE_NAMES "\n"
             "      --compile             make an object, to be linked later\n"
             "      --link                make a program of objects\n"
             "  -o FILE                   where the result goes; default: standard output\n\n"
             "Exit codes: 0 done, 1 the program does not compile, 2 unknown build option or wrong usage,\n"
             "3 no clang-19, no built-in library, or a file cannot be read or written, 4 internal error.");
        return EXIT_OK;
    }
    const char *compiler = find_compiler(path);
    argv[0] = "ventus-cc";
    execv(compiler, argv);
    die("cannot run %s: %s", compiler, strerror(errno));
}
