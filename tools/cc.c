/* ventus cc: runs the compiler, a program of its own.
 *
 * It is looked for as the OpenCL library does: VENTUS_CC, beside this program, ../libexec/ventus. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "host/number.h"
#include "isa/isa.h"
#include "sim/launch.h"
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
    if (!realpath((const char *)getauxval(AT_EXECFN), self))
        die("cannot find out where this program is: %s", strerror(errno));
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (try_path(out, self, places[i])) return out;
    die("ventus-cc is neither in %s nor in %s/../libexec/ventus; VENTUS_CC can name it", self, self);
}

/* ---- where the result goes ---- */

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word)) list++;
    return *list;
}

enum { MACHINE_OPTIONS = 4 };

static const char *const with_value[] = {"--options", "--profile", "--config", "--pools", "--lacks",
                                         "--avoid",   "--kernel",  "-o",       NULL};
static const char *const without_value[] = {"--compile", "--draft", "--link", "--preprocess",
                                            "--files",   "--help",  NULL};

/* An option in the place of a value means that the value is missing. */
static void check_values(int argc, char **argv)
{
    const struct args args = {.command = "cc"};
    for (int i = 1; i + 1 < argc; i++) {
        const char *next = argv[i + 1];
        if (!is_one_of(argv[i], with_value)) continue;
        if (is_one_of(next, without_value) || (is_one_of(next, with_value) && strcmp(next, "-o") != 0))
            usage_error(&args, "%s wants a value; '%s' is an option", argv[i], next);
        i++;
    }
}

/* The result's name, where the assembler and the linker would put theirs; NULL: the command line says it, or the result
 * goes to standard output. Whether the line is right is the compiler's to say. */
static const char *choose_output(int argc, char **argv)
{
    static const char *const printed[] = {"-o", "--preprocess", "--files", "--help", NULL};
    const struct args args = {.command = "cc"};
    const char *input = NULL, *suffix = ".elf";
    bool link = false;
    for (int i = 1; i < argc; i++) {
        if (is_one_of(argv[i], printed)) return NULL;
        if (is_one_of(argv[i], with_value)) i++;
        else if (!strcmp(argv[i], "--compile") || !strcmp(argv[i], "-c")) suffix = ".o";
        else if (!strcmp(argv[i], "--link")) link = true;
        else input = argv[i];
    }
    if (!input || !strcmp(input, "-")) return NULL;
    return default_output(&args, link ? "a" : input, suffix);
}

/* What the compiler has to know of a machine, in place of `--config FILE`: MACHINE_OPTIONS. */
static void put_machine(const struct gpu_config *config, char **out)
{
    char *pools;
    if (asprintf(&pools, "%u,%u,%u,%u", config->sgpr_rows, config->vgpr_rows, config->threads_per_warp,
                 config->warps_per_sm * config->threads_per_warp) < 0)
        die("out of memory");
    char *const options[MACHINE_OPTIONS] = {
        "--profile", (char *)(uintptr_t)isa_profile_name((enum isa_profile)config->profile), "--pools", pools};
    memcpy(out, options, sizeof options);
}

/* The machine of VENTUS_CONFIG, where no option says one. How many options that makes. */
static int put_environment(int argc, char **argv, char **out)
{
    static const char *const said[] = {"--config", "--profile", "--pools", "--files", NULL};
    struct gpu_config config;
    for (int i = 1; i < argc; i++)
        if (is_one_of(argv[i], said)) return 0;
    gpu_config_default(&config);
    if (!config_environment(&config)) return 0;
    put_machine(&config, out);
    return MACHINE_OPTIONS;
}

/* The arguments for the compiler. */
static char **translated(int argc, char **argv)
{
    char **out = allocate((2 * (size_t)argc + 3 + MACHINE_OPTIONS) * sizeof *out);
    struct gpu_config config;
    check_values(argc, argv);
    const char *output = choose_output(argc, argv);
    int n = 0;
    out[n++] = (char *)"ventus-cc";
    if (output) out[n++] = (char *)"-o", out[n++] = (char *)output;
    n += put_environment(argc, argv, out + n);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--config") || i + 1 == argc) {
            out[n++] = argv[i];
            continue;
        }
        gpu_config_default(&config);
        config_file(&config, argv[++i]);
        put_machine(&config, out + n);
        n += MACHINE_OPTIONS;
    }
    return out;
}

/* ---- the command ---- */

int cmd_cc(int argc, char **argv)
{
    char path[PATH_MAX];
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        puts(
            "usage: ventus cc [--options STRING] [--profile P|--config M] [--compile|-c] [-o FILE] [FILE]\n"
            "       ventus cc --link [--profile P|--config M] [--compile] [-o FILE] FILE...\n\n"
            "Compiles OpenCL C or SPIR-V from FILE or standard input to an ELF executable for `ventus run`, or\n"
            "links objects to one. clCreateProgramWithBinary takes executables and objects, too.\n\n"
            "options:\n"
            "      --options STRING      build options, as clBuildProgram takes them\n"
            "      --profile P           instruction set: " ISA_PROFILE_NAMES "\n"
            "      --config M            machine file: its instruction set, and no more registers than it has for\n"
            "                            the warps of its largest work-group; default: that of VENTUS_CONFIG\n"
            "      --lacks LIST          what the device does not have, of doubles, halves, images, atomics:\n"
            "                            programs that use it do not compile\n"
            "      --avoid NAME[,NAME]   known faults of the hardware that the code does without, or a version of it:\n"
            "                            `ventus info --quirks` lists them; -mavoid=NAME among the build options does\n"
            "                            the same\n"
            "      --compile             make an object, to be linked later with --link\n"
            "      --link                make a program of objects\n"
            "  -c                        make an ELF object for `ventus ld`: other objects, in assembly\n"
            "                            too, call its functions, and it theirs (docs/abi.md)\n"
            "  -o FILE                   where the result goes; default: the source with the suffix .elf (.o with\n"
            "                            --compile or -c), a.elf with --link, standard output when there is no FILE\n\n"
            "Exit codes: 0 done, 1 the program does not compile, 2 unknown build option or wrong usage,\n"
            "3 no clang-19, no built-in library, or a file cannot be read or written, 4 internal error.");
        return EXIT_OK;
    }
    const char *compiler = find_compiler(path);
    host_compile_limits(true);
    execv(compiler, translated(argc, argv));
    die("cannot run the compiler %s: %s; set VENTUS_CC or install it", compiler, strerror(errno));
}
