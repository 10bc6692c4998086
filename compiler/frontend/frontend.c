/* The front end: clang-19 as a child process turns OpenCL C into LLVM bitcode.
 *
 * Source goes in through its standard input, bitcode and messages come back through pipes, so there
 * are no temporary files to leak. Nothing is interpreted by a shell. clang only translates: it runs no
 * passes and links no library. Called once by main.c. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <llvm-c/Linker.h>

#include "compiler/frontend/frontend.h"

#define CLANG "clang-19"

enum { BITCODE_LIMIT = 256 << 20 }; /* bytes of memory for what clang answers */

/* -cc1 is clang's compiler without the driver around it, which would also obey configuration files and
 * environment variables and hand an option's value on as a word of its own, to be read as a response file
 * if it begins with `@`.
 * SPIR, because its types are ours (32-bit pointers, private in address space 0); -U__SPIR__ and
 * -cl-ext=-all take away what the base header then believes to be supported. -disable-llvm-passes
 * with -O2 leaves out `optnone` and keeps the aliasing information. With lifetime markers, clang would leave a loop
 * past a declared variable by a flag that says whether it has ended: a second divergent branch each round. */
// clang-format off
static const char *const fixed_args[] = {
    "-cc1", "-triple", "spir-unknown-unknown", "-x", "cl", "-O2", "-disable-llvm-passes",
    "-disable-free", "-disable-lifetime-markers", "-disable-llvm-verifier", "-discard-value-names", "-nostdsysteminc",
    "-finclude-default-header",
    "-fdeclare-opencl-builtins", "-fno-builtin", "-fgnuc-version=4.2.1", "-ffp-contract=on",
    "-U__SPIR__", "-D__OPENCL_VERSION__=300",
    "-DCLK_UNORM_INT_2_101010_EXT=0x10E5", /* a format's type that is younger than the base header */
    "-cl-ext=-all"
#define EXTENSION(name, ...) ",+" name
#define FEATURE(name, ...)   ",+" name
#include "isa/features.def"
    ,
#define EXTENSION(name, ...) "-D" name "=1", /* clang does not know all of them */
#include "isa/features.def"
    "-cl-kernel-arg-info", "-ferror-limit", "0",
};
// clang-format on

struct buffer {
    char *bytes;
    size_t size, room;
};

struct child {
    pid_t pid;
    int in, out, err; /* our ends */
    uint64_t used;    /* processor time, nanoseconds, when it was last looked at */
    unsigned idle;    /* seconds without any */
};

static bool executable(const char *path) { return access(path, X_OK) == 0; }

/* Only in folders that are named from the root: an empty one, or `.`, would be where the client happens to be. */
static const char *search_path(struct cc *cc, const char *name)
{
    const char *path = secure_getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        const char *file = cc_printf(cc, "%.*s/%s", (int)n, p, name);
        if (*p == '/' && executable(file)) return file;
        p += n;
        p += *p == ':';
    }
    return NULL;
}

const char *frontend_clang(struct cc *cc)
{
    const char *name = secure_getenv("VENTUS_CLANG");
    if (name && *name) {
        const char *file = strchr(name, '/') ? (executable(name) ? name : NULL) : search_path(cc, name);
        if (!file) cc_error(cc, CC_ENVIRONMENT, NULL, "VENTUS_CLANG names \"%s\", which cannot be executed", name);
        return file;
    }
    const char *file = search_path(cc, CLANG);
    if (!file) cc_error(cc, CC_ENVIRONMENT, NULL, CLANG " was not found; install it: apt install " CLANG);
    return file;
}

/* Macros for the parts of <ventus.h> that the machine has instructions for. */
static const struct {
    const char *definition;
    enum isa_op op;
} machine_macros[] = {
#define MACHINE(name, instruction) {"-D" name "=1", OP_##instruction},
#include "isa/features.def"
};
enum { MACHINE_MACROS = sizeof machine_macros / sizeof *machine_macros };

/* What fixed_args switch on. */
static const char *const offered[] = {
#define EXTENSION(name, ...) name,
#define FEATURE(name, ...)   name,
#include "isa/features.def"
};
enum { OFFERED = sizeof offered / sizeof *offered, LACKING_ARGS = 2 * OFFERED + 1 };

/* Switches off again what goes with something that the device lacks. How many arguments that takes. */
static size_t lacking_arguments(struct cc *cc, char **out)
{
    size_t n = 0;
    for (size_t i = 0; i < OFFERED; i++) {
        if (!lacks_name(cc, offered[i])) continue;
        out[n++] = cc_printf(cc, "-cl-ext=-%s", offered[i]);
        out[n++] = cc_printf(cc, "-U%s", offered[i]);
    }
    if (lacks_name(cc, "__opencl_c_images")) out[n++] = cc_printf(cc, "-U__IMAGE_SUPPORT__");
    return n;
}

/* That header lies beside the library. */
static const char *header_folder(struct cc *cc)
{
    const char *file = library_file(cc, LIBRARY_BASE), *slash = file ? strrchr(file, '/') : NULL;
    return slash ? cc_printf(cc, "%.*s", (int)(slash - file), file) : ".";
}

/* For each place that it notes, clang counts from the start of the line, which takes forever in a source of one line.
 * Such programs are without line numbers. */
static bool has_long_line(const char *source, size_t size)
{
    enum { LONG = 1 << 15 };
    for (const char *line = source, *end = source + size; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if ((next ? next : end) - line > LONG) return true;
        line = next ? next + 1 : end;
    }
    return false;
}

/* `action`: what the result is; `lines`: with line numbers. */
static char **argument_vector(struct cc *cc, const char *clang, const char *action, bool lines)
{
    size_t nfixed = sizeof fixed_args / sizeof *fixed_args, nuser = 0, n = 0;
    while (cc->clang_args[nuser]) nuser++;
    char **argv = cc_alloc(cc, (nfixed + nuser + MACHINE_MACROS + LACKING_ARGS + 10) * sizeof *argv);
    argv[n++] = (char *)clang;
    for (size_t i = 0; i < nfixed; i++) argv[n++] = (char *)fixed_args[i];
    for (size_t i = 0; i < MACHINE_MACROS; i++)
        if (profile_has(cc, machine_macros[i].op)) argv[n++] = (char *)machine_macros[i].definition;
    n += lacking_arguments(cc, argv + n);
    argv[n++] = "-internal-isystem";
    argv[n++] = (char *)header_folder(cc);
    for (size_t i = 0; i < nuser; i++) argv[n++] = (char *)cc->clang_args[i];
    if (lines) {
        argv[n++] = cc->debug ? "-debug-info-kind=limited" : "-debug-info-kind=line-tables-only";
        argv[n++] = "-dwarf-version=5";
    }
    argv[n++] = (char *)action;
    argv[n++] = "-o";
    argv[n++] = "-";
    argv[n++] = "-";
    return argv;
}

/* The folder that a file is in, with `below` behind it; NULL: it has none. */
static const char *folder_of(struct cc *cc, const char *path, const char *below)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? cc_printf(cc, "%.*s%s", (int)(slash - path), path, below) : NULL;
}

/* What the system has of programs, libraries and headers, and what the loader looks at. */
static const char *const system_files[] = {
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/proc/cpuinfo",
};
enum { SYSTEM_FILES = sizeof system_files / sizeof *system_files, OTHER_FILES = 32 };

/* A list of paths, which ends with NULL. */
struct paths {
    const char **list;
    size_t n, room;
};

/* Not all that there is, only because somebody works in the root. */
static void add_path(struct paths *p, const char *path)
{
    if (path && *path && strcmp(path, "/") && p->n < p->room) p->list[p->n++] = path;
}

/* Where the loader looks first. */
static void add_library_paths(struct cc *cc, struct paths *p)
{
    const char *said = secure_getenv("LD_LIBRARY_PATH");
    char *paths = cc_printf(cc, "%s", said ? said : ""), *rest;
    for (char *path = strtok_r(paths, ":", &rest); path; path = strtok_r(NULL, ":", &rest)) add_path(p, path);
}

/* What clang may read: what it is made of; the headers beside our library; and of the client's files those below the
 * current folder, from which names in quotes are looked up, and below the folders of the options. */
static const char *const *readable_files(struct cc *cc, const char *clang)
{
    size_t nuser = 0;
    char *real = realpath(clang, NULL), *here = realpath(".", NULL);
    while (cc->clang_args[nuser]) nuser++;
    struct paths p = {.room = SYSTEM_FILES + nuser + OTHER_FILES};
    p.list = cc_alloc(cc, (p.room + 1) * sizeof *p.list);
    for (size_t i = 0; i < SYSTEM_FILES; i++) p.list[p.n++] = system_files[i];
    for (size_t i = 0; i < nuser; i++)
        if (!strncmp(cc->clang_args[i], "-I", 2)) p.list[p.n++] = cc->clang_args[i] + 2;
    add_path(&p, here ? cc_printf(cc, "%s", here) : NULL);
    add_path(&p, header_folder(cc));
    add_path(&p, folder_of(cc, clang, ""));
    add_path(&p, folder_of(cc, real, ""));
    add_path(&p, folder_of(cc, real, "/../lib"));
    add_library_paths(cc, &p);
    free(real);
    free(here);
    return p.list;
}

/* The child writes into its pipes only, whatever a source asks for (`#pragma clang module build` makes a
 * temporary file, and so does a crash, for a symbolizer). Without Landlock it still cannot make a temporary file, and
 * may not write into one. The limits hold for this process too until clang has replaced it, and a sanitized one is
 * beyond them from its start: they come last, behind what allocates or may fail. */
static _Noreturn void run_child(char **argv, const char *const *readable, const int fds[3])
{
    struct rlimit no_file = {0, 0};
    for (int i = 0; i < 3; i++)
        if (dup2(fds[i], i) < 0) _exit(127);
    setenv("TMPDIR", "/dev/null", 1);
    setenv("LLVM_DISABLE_SYMBOLIZATION", "1", 1);
    confine_resources(); /* macro bombs end, and so does #include "/dev/zero" */
    confine_files(readable);
    setrlimit(RLIMIT_FSIZE, &no_file);
    execv(argv[0], argv);
    _exit(127);
}

/* Opens three pipes; pipes[i][0] is read, [1] written. All numbers are above 2, so that the child's
 * dup2 calls cannot overwrite one another even if we were started with closed standard files. */
static bool open_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++) {
        int pair[2];
        if (pipe2(pair, O_CLOEXEC) != 0) return false;
        for (int j = 0; j < 2; j++) {
            pipes[i][j] = fcntl(pair[j], F_DUPFD_CLOEXEC, 3);
            close(pair[j]);
        }
        if (pipes[i][0] < 0 || pipes[i][1] < 0) return false;
    }
    return true;
}

static void start(struct cc *cc, char **argv, struct child *c)
{
    const char *const *readable = readable_files(cc, argv[0]);
    int pipes[3][2];
    if (!open_pipes(pipes))
        cc_error(cc, CC_ENVIRONMENT, NULL, "cannot open pipes for %s: %s", argv[0], strerror(errno));
    c->pid = fork();
    if (c->pid == 0) run_child(argv, readable, (int[]){pipes[0][0], pipes[1][1], pipes[2][1]});
    if (c->pid < 0) cc_error(cc, CC_ENVIRONMENT, NULL, "cannot start %s: %s", argv[0], strerror(errno));
    close(pipes[0][0]);
    close(pipes[1][1]);
    close(pipes[2][1]);
    c->in = pipes[0][1];
    c->out = pipes[1][0];
    c->err = pipes[2][0];
    fcntl(c->in, F_SETFL, O_NONBLOCK);
}

/* Reads what is there; false at the end of the stream, which is then closed. */
static bool receive(struct cc *cc, int *fd, struct buffer *b)
{
    if (b->size == b->room) {
        size_t room = b->room ? b->room * 2 : 1 << 16;
        char *bytes = cc_alloc(cc, room);
        if (b->size) memcpy(bytes, b->bytes, b->size);
        b->bytes = bytes;
        b->room = room;
    }
    ssize_t n = read(*fd, b->bytes + b->size, b->room - b->size);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (n > 0 && (b->size += (size_t)n) <= BITCODE_LIMIT) return true;
    close(*fd);
    *fd = -1;
    return false;
}

static void send_source(int *fd, const char **source, size_t *size)
{
    ssize_t n = *size ? write(*fd, *source, *size) : 0;
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n > 0) {
        *source += n;
        *size -= (size_t)n;
    }
    if (n <= 0 || !*size) { /* all written, or clang does not want more */
        close(*fd);
        *fd = -1;
    }
}

/* Processor time so far. */
static uint64_t time_used(pid_t pid)
{
    clockid_t clock;
    struct timespec t = {0};
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t)) return 0;
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

enum { IDLE_SECONDS = 10 };

/* Ends clang when it has been idle for too long: all that it waits for is a file, and a source can name a pipe into
 * which nobody writes. Called when a second has passed in which it has said nothing. */
static void end_idle(struct cc *cc, struct child *c)
{
    uint64_t used = time_used(c->pid);
    c->idle = used == c->used ? c->idle + 1 : 0;
    c->used = used;
    if (c->idle < IDLE_SECONDS && c->idle < confine_seconds()) return;
    kill(c->pid, SIGKILL);
    cc_error(
        cc, CC_FAILED, NULL,
        "clang waits for a file and does nothing; is one that the source includes a pipe, or on a host that is gone?");
}

static int exchange(struct cc *cc, struct child *c, const char *source, size_t size, struct buffer *out,
                    struct buffer *err)
{
    while (c->out >= 0 || c->err >= 0) {
        struct pollfd fds[3] = {{c->in, POLLOUT, 0}, {c->out, POLLIN, 0}, {c->err, POLLIN, 0}};
        int events = poll(fds, 3, 1000);
        if (events < 0 && errno != EINTR) break;
        if (events == 0) end_idle(cc, c);
        if (events <= 0) continue;
        if (fds[0].revents) send_source(&c->in, &source, &size);
        if (fds[1].revents) receive(cc, &c->out, out);
        if (fds[2].revents) receive(cc, &c->err, err);
    }
    if (c->in >= 0) close(c->in);
    if (c->out >= 0) close(c->out); /* if there is no waiting for it, clang is not to wait for us either */
    if (c->err >= 0) close(c->err);
    int status = -1;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* What clang says, and what we say instead: its name for standard input, and of a file that it may not read. */
static const struct {
    const char *theirs, *ours;
} phrases[] = {
    {"<stdin>", "<source>"},
    {": fatal error: cannot open file '", ": fatal error: file not found: '"},
    {"': Permission denied\n", "'; only those below the current folder, folders of -I and the system's can be read\n"},
};
enum { PHRASES = sizeof phrases / sizeof *phrases };

/* The next of them; NULL: there is none. */
static const char *next_phrase(const char *p, const char *end, size_t *which)
{
    const char *first = NULL;
    for (size_t i = 0; i < PHRASES; i++) {
        const char *hit = memmem(p, (size_t)(end - p), phrases[i].theirs, strlen(phrases[i].theirs));
        if (!hit || (first && first < hit)) continue;
        first = hit;
        *which = i;
    }
    return first;
}

/* clang's messages, without what it says when it crashes: that is for those who work on it. */
static void log_messages(struct cc *cc, const struct buffer *b)
{
    static const char crash[] = "PLEASE submit a bug report";
    const char *report = b->size ? memmem(b->bytes, b->size, crash, sizeof crash - 1) : NULL;
    const char *p = b->bytes, *end = report ? report : p + b->size, *hit;
    for (size_t which; p < end && (hit = next_phrase(p, end, &which)); p = hit + strlen(phrases[which].theirs)) {
        cc_log_text(cc, p, (size_t)(hit - p));
        cc_log_text(cc, phrases[which].ours, strlen(phrases[which].ours));
    }
    cc_log_text(cc, p, (size_t)(end - p));
}

/* `no_memory`: it has said so. */
static void check_status(struct cc *cc, const char *clang, int status, bool no_memory)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) { /* the messages say why */
        if (!cc->log_size) cc_log(cc, "<source>: error: %s failed without a message\n", clang);
        lacks_note(cc);
        cc->status = CC_FAILED;
        longjmp(cc->on_error, 1);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) cc_error(cc, CC_ENVIRONMENT, NULL, "cannot execute %s", clang);
    if (WIFSIGNALED(status) &&
        (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGKILL || no_memory))
        cc_error(cc, CC_FAILED, NULL, "%s took too long or too much memory", clang);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) /* its stack is at its end */
        cc_error(cc, CC_FAILED, NULL, "%s crashed; are statements or expressions nested in thousands?", clang);
    cc_error(cc, CC_INTERNAL, NULL, "%s crashed (%s %d)", clang, WIFSIGNALED(status) ? "signal" : "exit code",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* What clang makes of `source`; its messages go to the log. Meanwhile, when it has the beginning of the source, the
 * library may be opened. */
static struct buffer run_clang(struct cc *cc, const char *action, const char *source, size_t size, bool opens_library)
{
    const char *clang = frontend_clang(cc);
    struct child child = {0};
    struct buffer out = {0}, err = {0};
    start(cc, argument_vector(cc, clang, action, !has_long_line(source, size)), &child);
    if (opens_library) {
        send_source(&child.in, &source, &size);
        library_open_early(cc);
    }
    int status = exchange(cc, &child, source, size, &out, &err);
    log_messages(cc, &err);
    check_status(cc, clang, status, err.size && memmem(err.bytes, err.size, "out of memory", 13));
    return out;
}

/* Programs include whole libraries of their own: functions that no kernel reaches are not even read. */
static LLVMModuleRef read_reached(struct cc *cc, const struct buffer *b)
{
    LLVMModuleRef all = module_open(cc, b->bytes, b->size), reached;
    if (!all) return NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(all); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !kernel_is(f)) LLVMSetLinkage(f, LLVMInternalLinkage);
    reached = LLVMModuleCreateWithNameInContext("source", cc->context);
    return LLVMLinkModules2(reached, all) ? NULL : reached;
}

LLVMModuleRef frontend_run(struct cc *cc, const char *source, size_t size, bool program)
{
    struct buffer out = run_clang(cc, "-emit-llvm-bc", asm_source(cc, source, size), size, program);
    LLVMModuleRef module = program ? read_reached(cc, &out) : module_read(cc, out.bytes, out.size);
    if (!module) cc_error(cc, CC_ENVIRONMENT, NULL, "%s wrote no bitcode that LLVM 19 can read", frontend_clang(cc));
    return module;
}

const char *frontend_preprocess(struct cc *cc, const char *source, size_t size, size_t *text_size)
{
    struct buffer out = run_clang(cc, "-E", source, size, false);
    *text_size = out.size;
    return out.bytes;
}
