/* Fuzz target: files of settings. The same text as one of a machine, of the cycle model and of a sweep: each is refused
 * with a reason that begins with its path, or what was read is, written and read again, the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "file.h"
#include "fuzz.h"
#include "sim/machine.h"
#include "timing/parameters.h"
#include "tools/sweep.h"
#include "tools/tool.h"

/* What a sweep's file needs of the tools. */
static jmp_buf dead;
static char last_words[400];

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_words, sizeof last_words, format, args);
    va_end(args);
    longjmp(dead, 1);
}

void run_arguments_add(struct run_arguments *r, const char *text)
{
    char **more = realloc(r->args, ((size_t)r->n + 1) * sizeof *more);
    if (!more) abort();
    r->args = more;
    r->args[r->n++] = (char *)text;
}

void config_file(struct gpu_config *c, const char *path)
{
    char why[400];
    if (!gpu_config_read(c, path, why, sizeof why)) die("%s", why);
}

static void check_why(const char *why, const char *path)
{
    if (strncmp(why, path, strlen(path)) || why[strlen(path)] != ':') abort();
}

static char *text_of(void (*print)(const void *, FILE *), const void *what, size_t *size)
{
    char *text;
    FILE *out = open_memstream(&text, size);
    if (!out) abort();
    print(what, out);
    if (fclose(out)) abort();
    return text;
}

static void print_machine(const void *c, FILE *out) { gpu_config_print(c, out); }
static void print_model(const void *c, FILE *out) { timing_config_print(c, out); }

static void check_machine(const char *path)
{
    struct gpu_config c, again;
    char why[400];
    size_t size, size2;
    gpu_config_default(&c);
    if (!gpu_config_read(&c, path, why, sizeof why)) {
        check_why(why, path);
        return;
    }
    char *text = text_of(print_machine, &c, &size);
    struct fuzz_file f = fuzz_file((const uint8_t *)text, size);
    gpu_config_default(&again);
    if (!gpu_config_read(&again, f.path, why, sizeof why)) abort();
    char *text2 = text_of(print_machine, &again, &size2);
    if (strcmp(text, text2)) abort();
    fuzz_file_close(&f);
    free(text);
    free(text2);
}

static void check_model(const char *path)
{
    struct timing_config c, again;
    char why[400];
    size_t size, size2;
    if (!timing_config_read(&c, path, why, sizeof why)) {
        check_why(why, path);
        return;
    }
    char *text = text_of(print_model, &c, &size);
    struct fuzz_file f = fuzz_file((const uint8_t *)text, size);
    if (!timing_config_read(&again, f.path, why, sizeof why)) abort();
    char *text2 = text_of(print_model, &again, &size2);
    if (strcmp(text, text2)) abort();
    fuzz_file_close(&f);
    free(text);
    free(text2);
}

/* A tool that dies leaves its memory to the system. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* The first and the last design of a sweep. */
static void check_sweep(const char *path)
{
    static struct sweep s;
    s = (struct sweep){0};
    *last_words = 0;
    if (__lsan_disable) __lsan_disable();
    if (!setjmp(dead)) {
        sweep_read(&s, path);
        for (uint64_t design = 0; design<s.designs; design += s.designs> 1 ? s.designs - 1 : 1) {
            struct sweep_design d = sweep_design(&s, design);
            if (!(sweep_cost(&s, &d) >= 0)) abort();
            sweep_name(&s, &d, design * s.nruns);
            sweep_design_free(&d);
        }
    } else if (!*last_words) abort();
    if (__lsan_enable) __lsan_enable();
    sweep_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file f = fuzz_file(data, size);
    check_machine(f.path);
    check_model(f.path);
    check_sweep(f.path);
    fuzz_file_close(&f);
    return 0;
}
