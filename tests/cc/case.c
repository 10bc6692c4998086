/* The differential harness: reads the run lines of a case, makes argument values, runs both sides and
 * compares. Invariant: the device gets exactly the bytes the host got, pointers excepted; every
 * buffer is followed by guard bytes on both sides, which are compared too.
 * Called by cc_test, math_test and the random-kernel test. */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "case.h"

enum { GUARD = 256, VALUE = 512, MESSAGE = 512 };

static bool failed(char *message, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool failed(char *message, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
    return false;
}

/* ---- run lines ---- */

static bool read_triple(const char *line, const char *key, uint32_t v[3], uint32_t missing)
{
    const char *p = strstr(line, key);
    v[0] = v[1] = v[2] = missing;
    if (!p) return false;
    p += strlen(key);
    for (int i = 0; i < 3; i++) {
        char *end;
        v[i] = (uint32_t)strtoul(p, &end, 0);
        if (end == p) return false;
        if (*end != ',') break;
        p = end + 1;
    }
    return true;
}

static bool read_arg(const char *text, size_t length, struct case_arg *arg)
{
    char word[64], *end;
    if (length == 0 || length >= sizeof word) return false;
    memcpy(word, text, length);
    word[length] = 0;
    if (strcmp(word, "r") == 0) return arg->kind = 'r', true;
    if (strchr("bzfil", word[0])) {
        arg->kind = word[0];
        arg->bytes = (uint32_t)strtoul(word + 1, &end, 0);
        return end != word + 1 && *end == 0 && arg->bytes > 0 && arg->bytes < 1u << 24;
    }
    arg->kind = strchr(word, '.') ? 'p' : 'n';
    if (arg->kind == 'p') arg->number = strtof(word, &end);
    else arg->integer = word[0] == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
    return *end == 0;
}

static bool read_run(const char *line, struct case_run *run)
{
    memset(run, 0, sizeof *run);
    if (sscanf(line, "%63s", run->kernel) != 1) return false;
    if (!read_triple(line, "global=", run->range.global, 1) || !read_triple(line, "local=", run->range.local, 1))
        return false;
    if (strstr(line, "offset=")) read_triple(line, "offset=", run->range.offset, 0);
    run->range.work_dim = run->range.global[2] > 1 ? 3 : run->range.global[1] > 1 ? 2 : 1;
    for (int i = 0; i < 3; i++)
        if (!run->range.local[i] || run->range.global[i] % run->range.local[i]) return false;
    const char *p = strstr(line, "args=");
    if (!p) return false;
    for (p += 5; *p && *p != ' ' && run->nargs < CASE_ARGS; p++) {
        size_t n = strcspn(p, ", ");
        if (!read_arg(p, n, &run->args[run->nargs++])) return false;
        p += n;
        if (*p != ',') break;
    }
    return true;
}

static bool read_runs(struct case_program *program, const char *text, char *message, size_t size)
{
    static const char mark[] = "// run:";
    for (const char *p = text; (p = strstr(p, mark)); p++) {
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        if (program->nruns == CASE_RUNS) return failed(message, size, "too many run lines");
        if (!read_run(line + sizeof mark - 1, &program->runs[program->nruns++]))
            return failed(message, size, "bad run line: %s", line);
    }
    return program->nruns > 0 || failed(message, size, "no run line");
}

bool case_open(struct case_program *program, const char *text, const struct case_options *options, char *message,
               size_t size)
{
    memset(program, 0, sizeof *program);
    if (read_runs(program, text, message, size) &&
        build_host(text, options->clang_flags, &program->host, message, size) &&
        build_device(text, options->cc_options, options->machine, &program->module, message, size))
        return true;
    case_close(program);
    return false;
}

bool case_rebuild(struct case_program *program, const char *text, const struct case_options *options, char *message,
                  size_t size)
{
    if (program->module) ventus_module_free(program->module);
    program->module = NULL;
    return build_device(text, options->cc_options, options->machine, &program->module, message, size);
}

void case_close(struct case_program *program)
{
    if (program->module) ventus_module_free(program->module);
    if (program->host) dlclose(program->host);
    program->module = NULL;
    program->host = NULL;
}

/* ---- argument values ---- */

/* One launch's arguments. Buffers have GUARD bytes more than the kernel is told. */
struct memory {
    uint32_t bytes;   /* of the buffer or value */
    uint8_t *initial; /* contents before the launch */
    uint8_t *host;    /* ... on the host, after it */
    uint8_t *other;   /* ... after running its work-items in the other order */
    uint64_t pointer; /* host address handed to the kernel */
    uint32_t device;  /* device address */
    _Alignas(128) uint8_t value[VALUE];
};

struct launch_state {
    const struct case_run *run;
    unsigned count;
    struct memory memory[CASE_ARGS];
};

/* Bytes of a buffer with its guard. */
static uint32_t whole(uint32_t bytes) { return (bytes + 3) / 4 * 4 + GUARD; }

static uint32_t mix(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + (i + 1) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

static uint32_t initial_word(char kind, uint64_t seed, uint32_t i)
{
    uint32_t r = mix(seed, i), bits;
    float f;
    switch (kind) {
    case 'b': return r % 5 ? r : r % 3 ? r & 0xff : 0xffffff00u | r; /* small numbers of both signs too */
    case 'i': return i;
    case 'f':
        f = r % 4 ? (float)((int)(r >> 8 & 0xffff) - 32768) / 256.0f : (float)(int)(r >> 8) * 0.37f - 1000.0f;
        memcpy(&bits, &f, 4);
        return bits;
    default: return 0;
    }
}

static bool fill_buffer(struct memory *m, const struct case_arg *arg, uint64_t seed)
{
    uint32_t all = whole(arg->bytes);
    m->bytes = arg->bytes;
    m->initial = malloc(all);
    m->host = aligned_alloc(256, (all + 255) / 256 * 256);
    m->other = aligned_alloc(256, (all + 255) / 256 * 256);
    if (!m->initial || !m->host || !m->other) return false;
    for (uint32_t i = 0; i < all / 4; i++) {
        uint32_t word = i * 4 < arg->bytes ? initial_word(arg->kind, seed, i) : 0xa5c3a5c3u;
        memcpy(m->initial + i * 4, &word, 4);
    }
    memcpy(m->host, m->initial, all);
    memcpy(m->other, m->initial, all);
    m->pointer = (uint64_t)(uintptr_t)m->host;
    return true;
}

static void fill_value(struct memory *m, const struct case_arg *arg, uint64_t seed)
{
    if (arg->kind == 'r')
        for (uint32_t i = 0; i < VALUE / 4; i++) {
            uint32_t word = initial_word('b', seed, i);
            memcpy(m->value + i * 4, &word, 4);
        }
    else if (arg->kind == 'p') memcpy(m->value, &arg->number, 4);
    else memcpy(m->value, &arg->integer, 8);
}

static void state_free(struct launch_state *s, ventus_device *device)
{
    for (unsigned i = 0; i < s->count; i++) {
        free(s->memory[i].initial);
        free(s->memory[i].host);
        free(s->memory[i].other);
        if (s->memory[i].device) ventus_free(device, s->memory[i].device);
    }
}

/* ---- host side ---- */

static bool run_host(const struct case_program *program, struct launch_state *s, char *message, size_t size)
{
    char name[96];
    uint64_t args[CASE_ARGS];
    void (*kernel)(const uint64_t *);
    snprintf(name, sizeof name, "host_size_%s", s->run->kernel);
    const uint32_t *sizes = dlsym(program->host, name);
    snprintf(name, sizeof name, "host_%s", s->run->kernel);
    *(void **)&kernel = dlsym(program->host, name);
    if (!kernel || !sizes) return failed(message, size, "%s: no ARGS line", s->run->kernel);
    for (unsigned i = 0; i < s->count; i++) {
        struct memory *m = &s->memory[i];
        if (!m->initial) m->bytes = sizes[i];
        if (sizes[i] == 0 || sizes[i] > VALUE || (m->initial && sizes[i] != 8))
            return failed(message, size, "%s: argument %u does not fit its ARGS type", s->run->kernel, i);
        args[i] = (uint64_t)(uintptr_t)(m->initial ? (void *)&m->pointer : (void *)m->value);
    }
    /* once backwards: a result that depends on the order is no reference */
    if (!host_run(kernel, args, &s->run->range, true)) return failed(message, size, "no memory");
    for (unsigned i = 0; i < s->count; i++) {
        uint8_t *backwards = s->memory[i].other;
        s->memory[i].other = s->memory[i].host;
        s->memory[i].host = backwards;
        s->memory[i].pointer = (uint64_t)(uintptr_t)backwards;
    }
    if (!host_run(kernel, args, &s->run->range, false)) return failed(message, size, "no memory");
    for (unsigned i = 0; i < s->count; i++)
        if (s->memory[i].initial && s->run->args[i].kind != 'l' &&
            memcmp(s->memory[i].host, s->memory[i].other, whole(s->memory[i].bytes)))
            return failed(message, size, "%s: not deterministic", s->run->kernel);
    return true;
}

/* ---- device side ---- */

static _Atomic bool timed_out;

static void on_alarm(int signal)
{
    (void)signal;
    timed_out = true;
}

static void set_timer(unsigned seconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    struct sigaction action = {.sa_handler = on_alarm};
    timed_out = false;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Copies buffers to the device and lays out the argument buffer. */
static bool device_args(struct launch_state *s, ventus_device *device, const struct ventus_kernel *kernel,
                        uint8_t *image, uint64_t *locals, char *message, size_t size)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct memory *m = &s->memory[i];
        const struct ventus_arg *arg = &kernel->args[i];
        uint32_t all = whole(m->bytes);
        bool pointer = arg->kind == VENTUS_ARG_GLOBAL || arg->kind == VENTUS_ARG_CONSTANT;
        if (arg->offset + (uint64_t)arg->size > kernel->args_size || arg->size > VALUE ||
            pointer != (m->initial && s->run->args[i].kind != 'l') ||
            (arg->kind == VENTUS_ARG_VALUE && arg->size != m->bytes))
            return failed(message, size, "%s: note of argument %u is wrong (size %u, expected %u)", s->run->kernel, i,
                          arg->size, m->bytes);
        if (arg->kind == VENTUS_ARG_LOCAL) locals[i] = m->bytes;
        if (arg->kind == VENTUS_ARG_VALUE) memcpy(image + arg->offset, m->value, arg->size);
        if (!pointer) continue;
        if (!m->device && ventus_alloc(device, all, &m->device) != VENTUS_OK)
            return failed(message, size, "ventus_alloc");
        if (ventus_write(device, m->device, m->initial, all) != VENTUS_OK) return failed(message, size, "ventus_write");
        memcpy(image + arg->offset, &m->device, 4);
    }
    return true;
}

static bool compare(const struct launch_state *s, ventus_device *device, const char *order, char *message, size_t size)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct memory *m = &s->memory[i];
        uint32_t all = whole(m->bytes), at = 0;
        const uint8_t *got = m->device ? ventus_map(device, m->device, all) : NULL;
        if (!m->device) continue;
        if (!got) return failed(message, size, "ventus_map");
        if (memcmp(got, m->host, all) == 0) continue;
        while (got[at] == m->host[at]) at++;
        uint32_t word = at & ~3u, a, b;
        memcpy(&a, got + word, 4);
        memcpy(&b, m->host + word, 4);
        return failed(message, size, "%s, %s: argument %u word %u is 0x%08x, expected 0x%08x%s", s->run->kernel, order,
                      i, word / 4, a, b, at >= m->bytes ? " (behind the buffer)" : "");
    }
    return true;
}

static bool run_device(const struct case_program *program, struct launch_state *s, ventus_device *device,
                       enum path_order order, unsigned seconds, char *message, size_t size)
{
    static const char *const orders[] = {"fewer lanes first", "taken first", "fall-through first"};
    const struct ventus_kernel *kernel = ventus_module_find(program->module, s->run->kernel);
    uint64_t locals[CASE_ARGS] = {0};
    struct ventus_result result;
    char why[MESSAGE] = "";
    if (!kernel) return failed(message, size, "%s: not in the module", s->run->kernel);
    if (kernel->nargs != s->count)
        return failed(message, size, "%s: %u arguments, expected %u", s->run->kernel, kernel->nargs, s->count);
    uint8_t *image = calloc(1, kernel->args_size + 1);
    struct ventus_gpu_launch gpu = {.options = {.order = order, .cancel = &timed_out}};
    // clang-format off
    struct ventus_launch launch = {.module = program->module, .kernel = kernel, .range = s->run->range, .args = image,
                                   .local_sizes = locals, .gpu = &gpu};
    // clang-format on
    bool ok = image && device_args(s, device, kernel, image, locals, message, size);
    if (ok) {
        set_timer(seconds);
        enum ventus_status status = ventus_run(device, &launch, &result, why, sizeof why);
        set_timer(0);
        if (status == VENTUS_CANCELLED)
            ok = failed(message, size, "%s, %s: still running after %u s", s->run->kernel, orders[order], seconds);
        else if (status != VENTUS_OK)
            ok =
                failed(message, size, "%s, %s: %s: %s", s->run->kernel, orders[order], ventus_status_text(status), why);
    }
    free(image);
    return ok && compare(s, device, orders[order], message, size);
}

/* ---- both ---- */

bool case_run(const struct case_program *program, unsigned run, ventus_device *device,
              const struct case_options *options, char *message, size_t size)
{
    struct launch_state s = {.run = &program->runs[run], .count = program->runs[run].nargs};
    bool ok = true;
    for (unsigned i = 0; ok && i < s.count; i++) {
        const struct case_arg *arg = &s.run->args[i];
        uint64_t seed = options->seed * 31 + i;
        if (strchr("bzfil", arg->kind)) ok = fill_buffer(&s.memory[i], arg, seed) || failed(message, size, "no memory");
        else fill_value(&s.memory[i], arg, seed);
    }
    ok = ok && run_host(program, &s, message, size);
    for (int order = PATH_FEWER_FIRST; ok && order <= PATH_FALLTHROUGH_FIRST; order++)
        ok = run_device(program, &s, device, (enum path_order)order, options->seconds, message, size);
    state_free(&s, device);
    return ok;
}
