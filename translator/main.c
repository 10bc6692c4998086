/* ventus-translate: reads requests (native/native.h) from standard input and answers each on standard output, until
 * there are no more. It is a program of its own so that no client holds an LLVM, and a crash of it costs nothing but
 * speed. What it makes it keeps on disk, also when its client has ended meanwhile: then the next run is faster. Without
 * a cache on disk it ends with its client. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <llvm-c/BitReader.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "translator/emit.h"
#include "native/cache.h"

enum { MOST_SECONDS = 120 /* of processor time, for one request: a guess; it ends what would hang */ };

static const char *const level_names[] = {
#define LEVEL(name, words, cpu) #name,
    NATIVE_LEVELS(LEVEL)
#undef LEVEL
};

/* ---- row functions ---- */

/* The file of row functions stands beside this program. */
static bool rows_path(enum native_level level, char path[PATH_MAX])
{
    if (!realpath((const char *)getauxval(AT_EXECFN), path)) return false;
    size_t at = (size_t)(strrchr(path, '/') + 1 - path);
    return snprintf(path + at, PATH_MAX - at, NATIVE_ROWS, level_names[level]) < (int)(PATH_MAX - at);
}

/* Read once and kept. NULL: *why says why. */
static LLVMMemoryBufferRef rows_of(enum native_level level, char *why, size_t why_size)
{
    static LLVMMemoryBufferRef kept[NATIVE_LEVEL_COUNT];
    char path[PATH_MAX], *error = NULL;
    if (kept[level]) return kept[level];
    if (!rows_path(level, path)) snprintf(why, why_size, "cannot find the row functions");
    else if (LLVMCreateMemoryBufferWithContentsOfFile(path, &kept[level], &error)) {
        snprintf(why, why_size, "row functions: %s", error);
        LLVMDisposeMessage(error);
        kept[level] = NULL;
    }
    return kept[level];
}

/* Names and types; the body of a function is read when it is linked, for most programs call few of the hundreds. */
static LLVMModuleRef open_rows(LLVMContextRef context, LLVMMemoryBufferRef rows)
{
    LLVMModuleRef module;
    LLVMMemoryBufferRef all =
        LLVMCreateMemoryBufferWithMemoryRange(LLVMGetBufferStart(rows), LLVMGetBufferSize(rows), "rows", false);
    return LLVMGetBitcodeModuleInContext2(context, all, &module) ? NULL : module; /* has taken the buffer */
}

/* ---- one request ---- */

static bool translate_module(LLVMModuleRef rows, const struct native_request *r, const uint32_t *program,
                             struct image *image, char *why, size_t why_size)
{
    struct flow flow;
    struct translation t = {.rows = rows};
    uint32_t start = emit_clock();
    bool ok = flow_make(&flow, r, program) && translate_flow(&t, rows, &flow);
    t.build_us = emit_clock() - start;
    if (!ok) snprintf(why, why_size, "out of memory");
    if (t.module && emit_asked("VENTUS_TRANSLATE_DUMP")) LLVMDumpModule(t.module);
    ok = ok && emit_image(&t, image, why, why_size);
    if (t.module && emit_asked("VENTUS_TRANSLATE_DUMP")) LLVMDumpModule(t.module);
    translation_free(&t);
    flow_free(&flow);
    return ok;
}

static bool answer_request(const struct native_request *r, const uint32_t *program, struct image *image, char *why,
                           size_t why_size)
{
    LLVMMemoryBufferRef rows = rows_of((enum native_level)r->level, why, why_size);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = rows ? open_rows(context, rows) : NULL;
    bool ok = module && translate_module(module, r, program, image, why, why_size);
    if (rows && !module) snprintf(why, why_size, "the row functions cannot be read");
    LLVMContextDispose(context);
    return ok;
}

/* ---- standard input and output ---- */

static bool is_sound(const struct native_request *r)
{
    return r->magic == NATIVE_MAGIC && r->layout == native_layout() && r->level < NATIVE_LEVEL_COUNT &&
           r->tuning < NATIVE_TUNING_COUNT && r->threads >= 1 && r->threads <= ISA_LANES &&
           r->lanes < NATIVE_LANES_COUNT && r->items >= 1 && r->items <= r->threads &&
           r->effort < NATIVE_EFFORT_COUNT && r->registers < NATIVE_REGISTERS_COUNT &&
           r->nests < NATIVE_NEST_RUNS_COUNT && r->vgprs <= ISA_VREGS && r->sgprs <= ISA_XREGS &&
           r->code_base % 4 == 0 && r->code_words <= NATIVE_CODE_LIMIT && r->constant_words <= NATIVE_CONSTANT_LIMIT;
}

/* The signal ends the program. 0: no limit any more. */
static void limit(unsigned seconds) { setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL); }

static void keep(const struct native_request *r, const uint32_t *program, const struct image *image)
{
    struct native_cache cache;
    cache_open(&cache, level_names[r->level]);
    cache_store(&cache, r, program, image->bytes, image->size);
}

static bool answer(const struct native_request *r, const uint32_t *program)
{
    struct image image = {0};
    struct native_answer answer = {.magic = NATIVE_MAGIC};
    limit(MOST_SECONDS);
    if (answer_request(r, program, &image, answer.why, sizeof answer.why)) keep(r, program, &image);
    limit(0);
    answer.size = image.size;
    bool ok = fwrite(&answer, sizeof answer, 1, stdout) == 1;
    if (ok && image.size) ok = fwrite(image.bytes, 1, image.size, stdout) == image.size; /* else there are no bytes */
    free(image.bytes);
    return ok && fflush(stdout) == 0;
}

/* Others may have left the same. Clients look themselves before they ask. */
static bool is_kept(const struct native_request *r, const uint32_t *program)
{
    struct native_cache cache;
    size_t size;
    cache_open(&cache, level_names[r->level]);
    void *image = cache_load(&cache, r, program, &size);
    if (image) munmap(image, size);
    return image;
}

/* False: the end, or nonsense from which no way leads on. */
static bool serve(bool behind)
{
    struct native_request r;
    if (fread(&r, sizeof r, 1, stdin) != 1) return false;
    if (!is_sound(&r)) {
        fprintf(stderr, "ventus-translate: a request that is not of this version\n");
        return false;
    }
    const size_t words = native_program_words(&r);
    uint32_t *program = malloc(words * 4 + 4);
    bool ok = program && fread(program, 4, words, stdin) == words &&
              ((behind && is_kept(&r, program)) || answer(&r, program));
    free(program);
    return ok;
}

static void end_without_client(int number)
{
    struct pollfd client = {.fd = STDIN_FILENO};
    (void)number;
    if (poll(&client, 1, 0) == 1 && client.revents & POLLHUP) _exit(1);
}

/* Without a cache nobody would ever read what is made for a client that has ended. The host sends SIGIO when it has. */
static void watch_client(void)
{
    struct disk_cache cache;
    disk_cache_open(&cache);
    if (*cache.folder) return;
    sigaction(SIGIO, &(struct sigaction){.sa_handler = end_without_client, .sa_flags = SA_RESTART}, NULL);
    fcntl(STDIN_FILENO, F_SETOWN, getpid());
    fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_ASYNC);
    end_without_client(SIGIO);
}

/* Started by the machine, it goes on in a process that is nobody's child, so that it can finish what it has begun when
 * the client ends. */
static void leave_client(void)
{
    struct stat s;
    if (fstat(STDIN_FILENO, &s) || !S_ISSOCK(s.st_mode)) return;
    if (fork() > 0) _exit(0);
    signal(SIGPIPE, SIG_IGN); /* the client need not be there for the answer */
    watch_client();
}

/* What a client has left behind (native/process.c): nobody's child, one after the other of all that use the cache, so
 * that nothing is made twice, and slower than what the user does meanwhile. */
static void follow_client(void)
{
    enum { YIELDS = 10, WAIT = 60, WORK = 600 /* guesses: of 19 levels of priority; seconds by the clock */ };
    struct disk_cache cache;
    if (fork() > 0) _exit(0);
    disk_cache_open(&cache);
    const int folder = open(cache.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)!nice(YIELDS);
    alarm(WAIT);
    if (folder >= 0 && flock(folder, LOCK_EX)) _exit(0);
    alarm(WORK);
}

int main(int argc, char **argv)
{
    const bool behind = argc == 2 && !strcmp(argv[1], TRANSLATE_BEHIND);
    if ((argc > 1 && !behind) || isatty(STDIN_FILENO)) {
        fprintf(stderr, "usage: ventus-translate < REQUESTS > ANSWERS\n"
                        "Translates code of the GPU to code of this host. The machine starts it by itself.\n");
        return 2;
    }
    if (behind) follow_client();
    else leave_client();
    emit_begin();
    while (serve(behind)) {
    }
    return 0;
}
