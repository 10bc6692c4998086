/* ventus-cc: OpenCL C from a file or standard input, Ventus ELF to a file, log on standard error.
 *
 * A separate program so that a client of the OpenCL library never holds an LLVM of ours and a crash
 * here cannot take the client down. Command line and exit codes: docs/architecture.md. The output
 * file appears whole or not at all. Called by opencl/program.c and by `ventus cc`. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <llvm-c/ErrorHandling.h>

#include "compiler/debug/debug.h"
#include "compiler/frontend/frontend.h"
#include "compiler/output/output.h"
#include "compiler/passes/passes.h"
#include "compiler/spirv/spirv.h"
#include "host/host.h"

/* Bytes of a source, which is in memory as a whole; and of one that a debugger is to find in the program. */
enum { SOURCE_LIMIT = 64 << 20, KEPT_LIMIT = 4 << 20 };

struct request {
    const char *options, *input, *output;
    enum isa_profile profile;
    struct pools pools;
    unsigned lacks;
    const char *avoid;  /* faults by name; NULL: none */
    bool object, link;  /* result is an object for --link; inputs are such objects */
    bool elf;           /* result is an ELF object */
    bool draft;         /* result may be a draft ... */
    const char *kernel; /* ... of which this is to be compiled; NULL: all of it */
    bool preprocess;    /* result is text */
    bool files;         /* no result: names what this compiler is made of */
    char **objects;     /* of --link */
    int nobjects;
};

static int usage(FILE *to, int status)
{
    fputs("usage: ventus-cc [--options STRING] [MACHINE] [--compile|--draft|-c] [-o FILE] [FILE]\n"
          "       ventus-cc --link [MACHINE] [--compile] [-o FILE] FILE...\n"
          "       ventus-cc --link [MACHINE] [--kernel NAME] [-o FILE] DRAFT\n"
          "       ventus-cc --preprocess [--options STRING] [MACHINE] [-o FILE] [FILE]\n"
          "       ventus-cc --files\n"
          "Compiles OpenCL C or SPIR-V (standard input if no FILE) to a Ventus ELF file, or links objects to one.\n"
          "With --draft a program of many kernels can become a draft, of which --link makes them all, or one.\n"
          "With -c the result is an ELF object for `ventus ld`, with functions as docs/abi.md says.\n"
          "With --compile the result is an object for --link, with --preprocess the text behind the preprocessor.\n"
          "MACHINE is --profile P, its instruction set: " ISA_PROFILE_NAMES ", and\n"
          "--pools SCALARS,VECTORS,LANES,GROUP, the registers of an SM, which the warps of LANES lanes of the largest\n"
          "work-group share; without it each warp has all that it can name. --lacks LIST: what it cannot do, of\n"
          "doubles, halves, images, atomics; programs with one of them do not compile.\n"
          "--avoid NAMES: known faults of the hardware that code does without (`ventus info --quirks`).\n"
          "--files names the files that this compiler is made of.\n",
          to);
    return status;
}

static int wrong(const char *what, const char *argument)
{
    fprintf(stderr, "ventus-cc: %s: %s\n", argument, what);
    return usage(stderr, CC_BAD_OPTION) + 1;
}

/* 0, or the exit code + 1 with which to stop. */
static int arguments(int argc, char **argv, struct request *r)
{
    *r = (struct request){.options = "", .profile = PROFILE_DEFAULT, .objects = argv};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--help")) return usage(stdout, CC_OK) + 1;
        if (!strcmp(a, "--options") && i + 1 < argc) r->options = argv[++i];
        else if (!strcmp(a, "-o") && i + 1 < argc) r->output = argv[++i];
        else if (!strcmp(a, "--profile") && i + 1 < argc) {
            if (!isa_profile_find(argv[++i], &r->profile))
                return wrong("programs are made for " ISA_PROFILE_NAMES, argv[i]);
        } else if (!strcmp(a, "--pools") && i + 1 < argc) {
            if (!limits_parse(argv[++i], &r->pools)) return wrong("is not SCALARS,VECTORS,LANES,GROUP", argv[i]);
        } else if (!strcmp(a, "--lacks") && i + 1 < argc) {
            if (!lacks_parse(argv[++i], &r->lacks))
                return wrong("devices may lack doubles, halves, images, atomics", argv[i]);
        } else if (!strcmp(a, "--avoid") && i + 1 < argc) r->avoid = argv[++i];
        else if (!strcmp(a, "--kernel") && i + 1 < argc) r->kernel = argv[++i];
        else if (!strcmp(a, "--compile")) r->object = true;
        else if (!strcmp(a, "--draft")) r->draft = true;
        else if (!strcmp(a, "-c")) r->elf = true;
        else if (!strcmp(a, "--link")) r->link = true;
        else if (!strcmp(a, "--preprocess")) r->preprocess = true;
        else if (!strcmp(a, "--files")) r->files = true;
        else if (r->link && a[0] != '-') r->objects[r->nobjects++] = argv[i]; /* argv is reused from its start */
        else if ((a[0] != '-' || !a[1]) && !r->input) r->input = a;
        else
            return wrong(a[0] != '-' || !a[1] ? "one source at a time; this is the second"
                                              : "unknown option, or no value behind it",
                         a);
    }
    if (r->elf && (r->object || r->link || r->draft || r->preprocess))
        return wrong("it goes without --compile, --draft, --link and --preprocess", "-c");
    if (r->link && r->input) return wrong("--link comes before the objects", r->input);
    if (r->link && !r->nobjects) return wrong("it needs objects", "--link");
    if (r->kernel && (!r->link || r->object)) return wrong("it is a kernel of a draft to be linked", r->kernel);
    if (!r->output && !r->preprocess && !r->files && isatty(STDOUT_FILENO)) {
        fputs("ventus-cc: standard output is a terminal; use -o FILE\n", stderr);
        return CC_BAD_OPTION + 1;
    }
    return 0;
}

static char *read_all(struct cc *cc, const char *path, size_t *size)
{
    bool standard = !path || !strcmp(path, "-");
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f) cc_error(cc, CC_ENVIRONMENT, NULL, "cannot open %s: %s", path, strerror(errno));
    size_t room = 1 << 16, n = 0, got;
    char *text = cc_alloc(cc, room);
    while ((got = fread(text + n, 1, room - n, f)) > 0) {
        n += got;
        if (n < room) continue;
        if (room >= SOURCE_LIMIT) cc_error(cc, CC_FAILED, NULL, "the source is larger than %d MiB", SOURCE_LIMIT >> 20);
        char *larger = cc_alloc(cc, room * 2);
        memcpy(larger, text, n);
        text = larger;
        room *= 2;
    }
    bool bad = ferror(f);
    if (!standard) fclose(f);
    if (bad) cc_error(cc, CC_ENVIRONMENT, NULL, "cannot read %s", path ? path : "standard input");
    *size = n;
    return text;
}

/* That of any new file. */
static mode_t file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes beside the target and renames, so that a reader never sees half a file. A target that is
 * no regular file (a pipe, /dev/null) is written directly. */
static bool write_file(struct cc *cc, const char *path, const void *bytes, size_t size)
{
    char *part = cc_printf(cc, "%s.XXXXXX", path);
    struct stat st;
    bool direct = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    int fd = direct ? open(path, O_WRONLY | O_CLOEXEC) : mkstemp(part);
    if (fd < 0) return false;
    bool good = host_write(fd, bytes, size);
    if (!direct) good = fchmod(fd, file_mode()) == 0 && good;
    good = close(fd) == 0 && good;
    if (!direct && (!good || rename(part, path) != 0)) {
        int saved = errno;
        unlink(part);
        errno = saved;
        return false;
    }
    return good;
}

/* By the name that this program was started with, since not every process has /proc. */
static const char *tool_dir(struct cc *cc)
{
    char path[PATH_MAX];
    if (!realpath((const char *)getauxval(AT_EXECFN), path))
        cc_error(cc, CC_ENVIRONMENT, NULL, "cannot find out where this program is: %s", strerror(errno));
    *strrchr(path, '/') = 0;
    return cc_printf(cc, "%s", path);
}

/* One a line: another version of any of them may compile otherwise, as one of this program itself may. */
static void list_files(struct cc *cc)
{
    Dl_info self, llvm;
    puts(frontend_clang(cc));
    for (int i = 0; i < LIBRARIES; i++)
        if (library_file(cc, (enum library)i)) puts(library_file(cc, (enum library)i));
    if (dladdr((void *)&list_files, &self) && dladdr((void *)&LLVMContextCreate, &llvm) &&
        llvm.dli_fbase != self.dli_fbase) /* it may be a part of this program */
        puts(llvm.dli_fname);
}

static bool write_result(struct cc *cc, const struct request *r, const void *bytes, size_t size)
{
    return r->output ? write_file(cc, r->output, bytes, size) : host_write(STDOUT_FILENO, bytes, size);
}

static _Noreturn void cannot_write(struct cc *cc, const struct request *r, int reason)
{
    cc_error(cc, CC_ENVIRONMENT, NULL, "cannot write %s: %s", r->output ? r->output : "standard output",
             strerror(reason));
}

static const char *read_source(struct cc *cc, const struct request *r, size_t *size)
{
    const char *source = read_all(cc, r->input, size);
    if (r->input && strcmp(r->input, "-")) cc->source_name = r->input;
    if (cc->debug && *size <= KEPT_LIMIT) cc->source = source, cc->source_size = *size;
    return source;
}

static void preprocess(struct cc *cc, const struct request *r)
{
    size_t size;
    const char *source = read_source(cc, r, &size);
    if (spirv_is(source, size)) cc_error(cc, CC_FAILED, NULL, "a module of SPIR-V has no text to preprocess");
    const char *text = frontend_preprocess(cc, source, size, &size);
    if (!write_result(cc, r, text, size)) cannot_write(cc, r, errno);
}

/* Reads what is to be linked. True: it is a draft. */
static bool read_objects(struct cc *cc, const struct request *r)
{
    for (int i = 0; i < r->nobjects; i++) {
        size_t size;
        char *bytes = read_all(cc, r->objects[i], &size);
        if (r->nobjects == 1 && !r->object && draft_open(cc, bytes, size, r->objects[i], r->kernel)) return true;
        if (r->kernel) cc_error(cc, CC_FAILED, NULL, "%s is no draft", r->objects[i]);
        object_link(cc, bytes, size, r->objects[i]);
    }
    return false;
}

static void read_program(struct cc *cc, const struct request *r)
{
    size_t size;
    const char *source = read_source(cc, r, &size);
    cc->module =
        spirv_is(source, size) ? spirv_run(cc, source, size) : frontend_run(cc, source, size, !r->object && !r->elf);
    if (cc->debug) debug_request(cc);
    avoid_note(cc);
}

/* The result, malloc'ed. */
static void *make(struct cc *cc, const struct request *r, size_t *size)
{
    void *result;
    bool begun = r->link && read_objects(cc, r);
    if (!r->link) read_program(cc, r);
    if (!begun) lacks_check(cc);
    avoid_read(cc);
    cc->debug = debug_requested(cc) && !r->elf;
    if (r->object) {
        object_save(cc, &result, size);
        return result;
    }
    if (!begun) prepare_functions(cc);
    if (r->draft && cc->for_draft && !cc->dump && !lacks_atomics(cc)) { /* a dump is of everything */
        draft_save(cc, &result, size);
        return result;
    }
    prepare_kernels(cc);
    if (r->elf) object_program(cc, &result, size);
    else output_program(cc, &result, size);
    return result;
}

static void compile(struct cc *cc, const struct request *r)
{
    size_t size;
    void *result = make(cc, r, &size);
    bool good = write_result(cc, r, result, size);
    int reason = errno;
    free(result);
    if (!good) cannot_write(cc, r, reason);
}

static void run(struct cc *cc, const struct request *r)
{
    cc->tool_dir = tool_dir(cc);
    cc_choose_dumps(cc, secure_getenv("VENTUS_CC_DUMP"));
    cc->profile = r->profile;
    cc->pools = r->pools;
    cc->lacks = r->lacks;
    cc->object = r->elf;
    options_parse(cc, r->options);
    if (r->avoid) avoid_add(cc, r->avoid);
    if (r->files) list_files(cc);
    else if (r->preprocess) preprocess(cc, r);
    else compile(cc, r);
}

/* LLVM's way of saying that it cannot go on. */
static void llvm_died(const char *reason)
{
    fprintf(stderr, "<source>: error: internal error of the compiler: %s\n", reason);
    _exit(CC_INTERNAL);
}

/* What LLVM holds goes with the process: to take it apart would cost more than most passes. */
static _Noreturn void leave(struct cc *cc, int status)
{
#ifdef __SANITIZE_ADDRESS__ /* looks for leaks */
    cc_free(cc);
    exit(status);
#else
    (void)cc;
    fflush(NULL);
    _exit(status);
#endif
}

int main(int argc, char **argv)
{
    struct request request;
    int stop = arguments(argc, argv, &request);
    if (stop) return stop - 1;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* who ignores it may leave that to us, and clang's exit code would be lost */
    confine_resources();
    if (!request.output) confine_files(NULL);
    LLVMInstallFatalErrorHandler(llvm_died);
    struct cc cc = {0};
    if (!setjmp(cc.on_error)) run(&cc, &request);
    if (cc.log) fwrite(cc.log, 1, cc.log_size, stderr);
    leave(&cc, cc.status);
}
