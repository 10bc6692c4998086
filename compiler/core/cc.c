/* The compilation's own services: memory, log, errors.
 *
 * All memory comes from one arena freed at the end, or back to a mark; nothing is freed singly. An error writes its
 * line into the log and leaves through cc->on_error, so no function of the compiler returns an
 * error code. Called by every file of the compiler. */
#include "compiler/core/cc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

/* Bytes: of memory, asked for at a time; of messages, whose rest is lost. */
enum { BLOCK_BYTES = 1 << 16, LOG_LIMIT = 1 << 20 };

/* Blocks form a list; memory is handed out from the newest. */
struct arena {
    struct arena *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

static _Noreturn void leave(struct cc *cc, enum cc_exit status)
{
    cc->status = status;
    longjmp(cc->on_error, 1);
}

static struct arena *arena_grow(struct cc *cc, size_t size)
{
    size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct arena *a = room < SIZE_MAX / 2 ? calloc(1, sizeof *a + room) : NULL;
    if (!a) {
        cc_log(cc, "<source>: error: the program needs more memory than the compiler may have\n");
        leave(cc, CC_FAILED);
    }
    a->size = room;
    a->next = cc->arena;
    cc->arena = a;
    return a;
}

void *cc_alloc(struct cc *cc, size_t size)
{
    if (size > SIZE_MAX - 16) size = SIZE_MAX - 16;
    size = (size + 15) & ~(size_t)15;
    struct arena *a = cc->arena;
    if (!a || a->size - a->used < size) a = arena_grow(cc, size);
    void *p = a->bytes + a->used;
    a->used += size;
    return p;
}

struct cc_mark cc_mark(const struct cc *cc) { return (struct cc_mark){cc->arena, cc->arena ? cc->arena->used : 0}; }

static void free_arenas(struct cc *cc, const struct arena *behind)
{
    while (cc->arena != behind) {
        struct arena *next = cc->arena->next;
        free(cc->arena);
        cc->arena = next;
    }
}

void cc_release(struct cc *cc, struct cc_mark mark)
{
    free_arenas(cc, mark.arena);
    if (!mark.arena) return;
    memset(mark.arena->bytes + mark.used, 0, mark.arena->used - mark.used);
    mark.arena->used = mark.used;
}

void *cc_grow(struct cc *cc, void *array, uint32_t n, uint32_t *room, size_t size)
{
    if (n < *room) return array;
    uint32_t more = *room ? 2 * *room : 8;
    void *bigger = cc_alloc(cc, more * size);
    if (*room) memcpy(bigger, array, *room * size);
    *room = more;
    return bigger;
}

char *cc_printf(struct cc *cc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = cc_alloc(cc, n < 0 ? 1 : (size_t)n + 1);
    va_start(args, format);
    if (n >= 0) vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return text;
}

/* The log is the one thing that must survive lack of memory: then it just stops growing. */
void cc_log_text(struct cc *cc, const char *text, size_t size)
{
    if (cc->log_size >= LOG_LIMIT) return;
    if (size > LOG_LIMIT - cc->log_size) size = LOG_LIMIT - cc->log_size;
    char *log = realloc(cc->log, cc->log_size + size + 1);
    if (!log) return;
    memcpy(log + cc->log_size, text, size);
    cc->log = log;
    cc->log_size += size;
    log[cc->log_size] = 0;
}

static void log_va(struct cc *cc, const char *format, va_list args)
{
    char text[2048];
    int n = vsnprintf(text, sizeof text, format, args);
    if (n < 0) return;
    if ((size_t)n >= sizeof text) { /* cut, but keep the line end */
        n = sizeof text - 1;
        memcpy(text + n - 5, " ...\n", 5);
    }
    cc_log_text(cc, text, (size_t)n);
}

void cc_log(struct cc *cc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_va(cc, format, args);
    va_end(args);
}

/* Source line of an instruction or a function, 0 if unknown. */
static unsigned line_of(LLVMValueRef at)
{
    if (!at) return 0;
    if (LLVMIsAInstruction(at) || LLVMIsAFunction(at)) return LLVMGetDebugLocLine(at);
    return 0;
}

void cc_error(struct cc *cc, enum cc_exit status, LLVMValueRef at, const char *format, ...)
{
    unsigned line = line_of(at), column = line && LLVMIsAInstruction(at) ? LLVMGetDebugLocColumn(at) : 0;
    if (column) cc_log(cc, "<source>:%u:%u: error: ", line, column);
    else if (line) cc_log(cc, "<source>:%u: error: ", line);
    else cc_log(cc, status == CC_ENVIRONMENT ? "ventus-cc: error: " : "<source>: error: ");
    va_list args;
    va_start(args, format);
    log_va(cc, format, args);
    va_end(args);
    cc_log(cc, "\n");
    leave(cc, status);
}

void cc_choose_dumps(struct cc *cc, const char *list)
{
    static const char *const known[] = {"ir", "machine", "asm"};
    for (const char *p = list; p && *p;) {
        const size_t len = strcspn(p, ",");
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found = found || (strlen(known[i]) == len && !strncmp(p, known[i], len));
        if (!found)
            cc_error(cc, CC_ENVIRONMENT, NULL, "VENTUS_CC_DUMP: %.*s is none of ir, machine, asm",
                     (int)(len < 40 ? len : 40), p);
        p += len;
        p += *p == ',';
    }
    cc->dump = list;
}

bool cc_dumps(const struct cc *cc, const char *what)
{
    size_t n = strlen(what);
    for (const char *p = cc->dump; p && *p;) {
        size_t len = strcspn(p, ",");
        if (len == n && !strncmp(p, what, n)) return true;
        p += len;
        p += *p == ',';
    }
    return false;
}

void cc_free(struct cc *cc)
{
    if (cc->lines) LLVMDisposeDIBuilder(cc->lines);
    if (cc->builder) LLVMDisposeBuilder(cc->builder);
    if (cc->module) LLVMDisposeModule(cc->module);
    if (cc->context) LLVMContextDispose(cc->context);
    free_arenas(cc, NULL);
    free(cc->log);
    *cc = (struct cc){0};
}
