/* ventus backend build: makes a device library (docs/hardware.md) of the public stack's RTL simulation library
 * (--rtlsim), or that simulation's reference of this machine (--gvmref, docs/cosim.md).
 *
 * Our adaptors are compiled against the user's header, because its structures differ between versions. What
 * ventus_rtlsim.h has is found out by compiling a line for each thing. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/backend_library.h"
#include "tool.h"

enum { FLAG_RTLSIM, FLAG_GVMREF, FLAG_OUTPUT };
static const struct flag flags[] = {
    {"rtlsim", 0, "HEADER", "ventus_rtlsim.h, as the library was built with"},
    {"gvmref", 0, "HEADER", "the header with the simulation's gvmref_ functions: make the library that has them"},
    {"output", 'o', "FILE", "the library that is made; default: rtlsim.so, libgvmref.so"},
    {0},
};

/* A function that uses a thing compiles where there is that thing. */
static const struct probe {
    const char *macro, *body;
} probes[] = {
    {"HAS_DEFAULTS", "ventus_rtlsim_get_default_config(c);"},
    {"HAS_LOG", "c->log.file.enable = c->log.console.enable = 0; c->log.level = c->log.console.level = \"\";"},
    {"HAS_FLAT_ARGS", "c->verilator_argc = 0;"},
    {"HAS_KERNEL_NAME", "k->kernel_name = \"\";"},
    {"HAS_HANG", "c->hang_timeout = ventus_rtlsim_step(s)->hang;"},
    {"HAS_ICACHE", "ventus_rtlsim_icache_invalidate(s);"},
    {"HAS_PARAMETERS", "uint32_t v; if (ventus_rtlsim_get_parameter(\"\", &v) == 0) (void)v;"},
    {"HAS_SIZES", "k->num_thread_global[0] = k->num_thread_local[0] = k->threadIdxOffset[0] = 0;"},
    {"HAS_PMU",
     "const ventus_rtlsim_pmu_t p = ventus_rtlsim_get_pmu(s); (void)(p.num_sm + p.pipeline[0].total_scalar_issued + "
     "p.pipeline[0].total_vector_issued + p.pipeline[0].data_dep_stall_cycles + p.pipeline[0].barrier_stall_cycles + "
     "p.pipeline[0].frontend_stall_cycles + p.inst_class[0].mem_issued);"},
};
enum { PROBES = sizeof probes / sizeof *probes };

/* What every version has. */
static const char common[] =
    "ventus_rtlsim_is_idle(s); c->sim_time_max = c->pmem.pagesize = 0; c->waveform.time_end = 0;"
    "c->snapshot.num_max = k->metaDataBaseAddr = k->pdsBaseAddr = 0;";

/* ---- running the compiler ---- */

enum { WORDS = 48 }; /* 30 of ours and CC or CXX; more is an error */

/* A command line, which grows; the words stay whose they are. */
struct words {
    const char *list[WORDS];
    size_t n;
};

static void add(struct words *w, const char *word)
{
    if (w->n + 1 == WORDS) die("CC has too many words");
    w->list[w->n++] = word;
}

/* CC or CXX, which may be several words ("ccache gcc", "gcc -m64"), as make takes it; a path with blanks that is there
 * is one. */
static struct words compiler_in(const char *variable, const char *usual)
{
    static char text[1000];
    const char *said = secure_getenv(variable);
    struct words w = {0};
    if (!said || strspn(said, " \t") == strlen(said)) said = usual;
    if (strlen(said) >= sizeof text) die("%s is too long", variable);
    strcpy(text, said);
    if (access(text, X_OK) == 0) return add(&w, text), w;
    for (char *word = strtok(text, " \t"); word; word = strtok(NULL, " \t")) add(&w, word);
    return w;
}

static struct words compiler_with(const char *const *more, size_t n)
{
    struct words w = compiler_in("CC", "cc");
    for (size_t i = 0; i < n; i++) add(&w, more[i]);
    return w;
}

/* Its exit code. */
static int run(const struct words *w, bool silent)
{
    int status;
    const pid_t pid = fork();
    if (pid < 0) die("cannot run %s: %s", w->list[0], strerror(errno));
    if (!pid) {
        if (silent && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))) _exit(127);
        execvp(w->list[0], (char *const *)(uintptr_t)w->list);
        if (!silent)
            fprintf(stderr, "ventus backend: cannot run %s: %s; install a C compiler, or set CC (C++: CXX)\n",
                    w->list[0], strerror(errno));
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* Compiles a function with this body behind the header; nothing stays. */
static int try(const char *header, const char *body, bool silent)
{
    char file[] = "/tmp/ventus-XXXXXX.c";
    const int fd = mkstemps(file, 2);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) die("%s: %s", file, strerror(errno));
    fprintf(f,
            "void probe(ventus_rtlsim_t *s, ventus_rtlsim_config_t *c, ventus_kernel_metadata_t *k);\n"
            "void probe(ventus_rtlsim_t *s, ventus_rtlsim_config_t *c, ventus_kernel_metadata_t *k)\n"
            "{\n    (void)s, (void)c, (void)k;\n    %s\n}\n",
            body);
    if (fclose(f)) die("%s: %s", file, strerror(errno));
    const char *const more[] = {"-fsyntax-only", "-std=gnu17", "-Werror=implicit-function-declaration",
                                "-include",      "stdbool.h",  "-include",
                                header,          file};
    const struct words w = compiler_with(more, sizeof more / sizeof *more);
    const int code = run(&w, silent);
    unlink(file);
    return code;
}

/* ---- files ---- */

static char *whole_path(const char *path)
{
    char *whole = realpath(path, NULL);
    if (!whole) die("%s: %s", path, strerror(errno));
    return whole;
}

/* The folder of an adaptor and its header: that of this program, or where they are installed. */
static char *folder_of(const char *adaptor)
{
    static const char *const places[] = {".", "../share/ventus"};
    char own[PATH_MAX], *path = NULL, *file = NULL;
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n <= 0) die("cannot find out where this program is: %s", strerror(errno));
    own[n] = 0;
    *strrchr(own, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (asprintf(&path, "%s/%s", own, places[i]) < 0 || asprintf(&file, "%s/%s", path, adaptor) < 0)
            die("out of memory");
        const bool there = access(file, R_OK) == 0;
        free(file);
        if (there) return path;
        free(path);
    }
    die("%s is neither beside this program nor in ../share/ventus", adaptor);
}

/* ---- building ---- */

/* -Wl takes commas for its own. */
static void command_line(struct words *w, const char *header, const char *library, const char *output)
{
    static char macros[PROBES][40];
    char *place, *folder = folder_of("rtlsim.c"), *source, *include;
    if (asprintf(&source, "%s/rtlsim.c", folder) < 0 || asprintf(&include, "-I%s", folder) < 0 ||
        asprintf(&place, "%.*s", (int)(strrchr(library, '/') - library), library) < 0)
        die("out of memory");
    const char *const options[] = {
        "-shared",     "-fPIC",    "-D_GNU_SOURCE", "-O2",      "-g",   "-w",   "-std=gnu17", "-fvisibility=hidden",
        "-Wl,-z,defs", "-include", "stdbool.h",     "-include", header, include};
    *w = compiler_with(options, sizeof options / sizeof *options);
    for (size_t i = 0; i < PROBES; i++) {
        if (try(header, probes[i].body, true)) continue;
        snprintf(macros[i], sizeof macros[i], "-D%s", probes[i].macro);
        add(w, macros[i]);
    }
    const char *const rest[] = {source, "-o", output, library, "-Xlinker", "-rpath", "-Xlinker", *place ? place : "/"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) add(w, rest[i]);
    free(folder);
}

/* The reference is linked with libventus-cosim beside this program, or with the one that is installed. */
static void reference_line(struct words *w, const char *header, const char *output)
{
    char *source, *include, *place, *folder = folder_of("gvmref.cc");
    if (asprintf(&source, "%s/gvmref.cc", folder) < 0 || asprintf(&include, "-I%s", folder) < 0 ||
        asprintf(&place, "-L%s", folder) < 0)
        die("out of memory");
    const char *const options[] = {
        "-shared",     "-fPIC",          "-O2",      "-g",     "-w",       "-std=c++17", "-fvisibility=hidden",
        "-Wl,-z,defs", "-include",       header,     include,  source,     "-o",         output,
        place,         "-lventus-cosim", "-Xlinker", "-rpath", "-Xlinker", folder};
    *w = compiler_in("CXX", "c++");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) add(w, options[i]);
}

/* It becomes what `output` names when it is whole: what is there already may be one that works. No library: the
 * reference. */
static void build(const char *header, const char *library, const char *output)
{
    struct words w;
    char *part;
    if (asprintf(&part, "%s%s.part", strchr(output, '/') ? "" : "./", output) < 0) die("out of memory");
    if (library) command_line(&w, header, library, part);
    else reference_line(&w, header, part);
    if (run(&w, false)) {
        unlink(part);
        die("the adaptor cannot be built with %s%s%s; the compiler has said why", header, library ? " and " : "",
            library ? library : "");
    }
    if (rename(part, output)) die("%s: %s", output, strerror(errno));
    free(part);
}

/* VENTUS_BACKEND has options behind a comma. */
static void check_output(const char *output, const char *library)
{
    struct stat mine, theirs;
    if (strchr(output, ',')) die("%s: a comma in its name would begin the options in VENTUS_BACKEND", output);
    if (!stat(output, &mine) && !stat(library, &theirs) && mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino)
        die("%s is the RTL library itself", output);
}

/* As a shell takes it. */
static void print_quoted(const char *text)
{
    if (!text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-+")]) {
        fputs(text, stdout);
        return;
    }
    putchar('\'');
    for (; *text; text++)
        if (*text == '\'') fputs("'\\''", stdout);
        else putchar(*text);
    putchar('\'');
}

/* Can a program load it? Else it is said now. */
static void check_result(const char *output)
{
    char path[PATH_MAX], why[600];
    snprintf(path, sizeof path, "%s%s", strchr(output, '/') ? "" : "./", output);
    if (!backend_library(path, why, sizeof why)) die("%s", why);
    printf("%s: VENTUS_BACKEND=", output);
    print_quoted(path);
    puts(" makes programs run on it");
}

static void build_device(const char *header, const char *library, const char *output)
{
    char *header_path = whole_path(header), *library_path = whole_path(library);
    if (try(header_path, common, true) && try(header_path, common, false)) /* once more, for what the compiler says */
        die("%s is not the ventus_rtlsim.h of any version that is known; the compiler has said why", header);
    check_output(output, library_path);
    build(header_path, library_path, output);
    check_result(output);
    free(header_path);
    free(library_path);
}

static void build_reference(const char *header, const char *output)
{
    char *path = whole_path(header);
    build(path, NULL, output);
    printf("%s: the gvmref_ functions by this machine\n", output);
    free(path);
}

int cmd_backend(int argc, char **argv)
{
    // clang-format off
    struct args args = {.command = "backend", .usage = "build --rtlsim HEADER [-o FILE] LIBRARY\n"
                                                       "       ventus backend build --gvmref HEADER [-o FILE]",
        .about = "Makes a device library, for VENTUS_BACKEND, of the public stack's RTL simulation library\n"
                 "(libVentusRTL.so): docs/hardware.md. Or makes the library of reference functions that this\n"
                 "simulation compares itself with, in place of the one made of Spike: docs/cosim.md.",
        .flags = flags, .argc = argc, .argv = argv, .at = 1};
    // clang-format on
    const char *verb = NULL, *library = NULL, *header = NULL, *reference = NULL, *output = NULL;
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_RTLSIM) header = args.value;
        else if (flag == FLAG_GVMREF) reference = args.value;
        else if (flag == FLAG_OUTPUT) output = args.value;
        else if (!verb) verb = args.value;
        else if (!library) library = args.value;
        else usage_error(&args, "unexpected argument '%s'", args.value);
    }
    if (!verb || strcmp(verb, "build") != 0)
        usage_error(&args, "'build' is meant%s%s", verb ? ", not " : "", verb ? verb : "");
    if (reference && (header || library)) usage_error(&args, "--gvmref goes without --rtlsim and LIBRARY");
    if (!reference && (!header || !library)) usage_error(&args, "--rtlsim HEADER and LIBRARY are needed");
    if (reference) build_reference(reference, output ? output : "libgvmref.so");
    else build_device(header, library, output ? output : "rtlsim.so");
    return EXIT_OK;
}
