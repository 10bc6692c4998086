/* Kernel arguments of `ventus run`: text to values and device buffers, and back.
 *
 * The kernel's argument records say how wide a value is, so that i:5 serves every integer type.
 * Called by run.c alone. */
#include "arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/observe.h"

enum { MOST_NUMBERS = 1 << 24 }; /* 64 MiB of an argument */

static bool prefix(const char *spec, const char *name, const char **rest)
{
    size_t n = strlen(name);
    if (strncmp(spec, name, n) || spec[n] != ':') return false;
    *rest = spec + n + 1;
    return true;
}

static size_t count_numbers(const char *text)
{
    size_t n = 1;
    for (; *text; text++) n += *text == ',';
    return n;
}

static bool store_integer(const char *text, const char **end, uint8_t *out, size_t width)
{
    char *stop;
    errno = 0;
    bool negative = *text == '-';
    uint64_t v = negative ? (uint64_t)strtoll(text, &stop, 0) : strtoull(text, &stop, 0);
    *end = stop;
    if (errno || stop == text) return false;
    if (width < 8) {
        uint64_t span = (uint64_t)1 << (8 * width);
        if (negative ? (int64_t)v < -(int64_t)(span / 2) : v >= span) return false;
    }
    memcpy(out, &v, width);
    return true;
}

static bool store_float(const char *text, const char **end, uint8_t *out, size_t width)
{
    char *stop;
    float f = strtof(text, &stop);
    double d = strtod(text, &stop);
    *end = stop;
    if (stop == text || (width != 4 && width != 8)) return false;
    memcpy(out, width == 4 ? (void *)&f : (void *)&d, width);
    return true;
}

static _Noreturn void bad_number(const struct args *args, const struct argument *a, const char *text, size_t width)
{
    int n = (int)strcspn(text, ",");
    usage_error(args, "--arg %s: '%.*s' is no %s of %zu byte%s", a->spec, n < 40 ? n : 40, text,
                a->floating ? "floating-point number" : "integer", width, width == 1 ? "" : "s");
}

/* "1,2,3" as numbers of `width` bytes. */
static void store_numbers(const struct args *args, const struct argument *a, const char *text, size_t width,
                          uint8_t *out)
{
    for (;; out += width) {
        const char *end;
        bool ok = a->floating ? store_float(text, &end, out, width) : store_integer(text, &end, out, width);
        if (!ok || (*end && *end != ',')) bad_number(args, a, text, width);
        if (!*end) return;
        text = end + 1;
    }
}

void argument_free(struct argument *a)
{
    free(a->bytes);
    free(a->text);
}

/* "1,2,3", or of "@FILE" the file's numbers with commas between them, which may be on several lines. */
static const char *numbers_of(const struct args *args, struct argument *a, const char *text)
{
    size_t size;
    if (*text != '@') return text;
    char *s = a->text = read_file(text + 1, &size), *to = s;
    if (memchr(s, 0, size)) usage_error(args, "--arg %s: not a text file", a->spec);
    for (const char *p = s; *p;) {
        size_t gap = strspn(p, " \t\r\n,"), word = strcspn(p + gap, " \t\r\n,");
        if (word && to != s) *to++ = ',';
        memmove(to, p + gap, word);
        to += word;
        p += gap + word;
    }
    *to = 0;
    if (!*s) usage_error(args, "--arg %s: the file has no numbers", a->spec);
    return s;
}

static void parse_list(const struct args *args, struct argument *a, const char *text, bool floating)
{
    text = numbers_of(args, a, text);
    size_t n = count_numbers(text);
    if (n > MOST_NUMBERS) usage_error(args, "--arg: too many numbers");
    a->kind = ARGUMENT_BUFFER;
    a->floating = floating;
    a->size = 4 * n;
    a->bytes = allocate(a->size);
    store_numbers(args, a, text, 4, a->bytes);
}

static void parse_file(struct argument *a, enum argument_kind kind, const char *path)
{
    size_t size;
    a->kind = kind;
    a->bytes = read_file(path, &size);
    a->size = size;
    if (!size) die("%s is empty", path);
}

/* BYTES, @FILE, or BYTES:FILE for a buffer that is written to FILE afterwards. */
static void parse_buffer(const struct args *args, struct argument *a, const char *text, bool output)
{
    const char *colon = strrchr(text, ':');
    char *size = allocate(strlen(text) + 1);
    a->kind = ARGUMENT_BUFFER;
    if (output && (!colon || !colon[1])) usage_error(args, "--arg %s: out:BYTES:FILE is meant", a->spec);
    if (output) a->file = colon + 1;
    memcpy(size, text, output ? (size_t)(colon - text) : strlen(text));
    if (*size == '@') parse_file(a, ARGUMENT_BUFFER, size + 1);
    else a->size = number_arg(args, a->spec, size, 1, (uint64_t)1 << 32);
    free(size);
}

static void parse_iota(const struct args *args, struct argument *a, const char *text)
{
    uint32_t n = (uint32_t)number_arg(args, a->spec, text, 1, MOST_NUMBERS);
    a->kind = ARGUMENT_BUFFER;
    a->size = 4 * (uint64_t)n;
    a->bytes = allocate(a->size);
    for (uint32_t i = 0; i < n; i++) memcpy(a->bytes + 4 * (size_t)i, &i, 4);
}

struct argument argument_parse(const struct args *args, const char *spec)
{
    static const char *const kinds[] = {"i",    "f",      "bytes", "buf",   "new",  "out",
                                        "ints", "floats", "iota",  "local", "null", NULL};
    struct argument a = {.spec = spec};
    const char *rest;
    if (prefix(spec, "i", &rest) || prefix(spec, "f", &rest)) {
        a.kind = ARGUMENT_NUMBERS;
        a.numbers = numbers_of(args, &a, rest);
        a.floating = *spec == 'f';
    } else if (prefix(spec, "bytes", &rest) && *rest == '@') {
        parse_file(&a, ARGUMENT_BYTES, rest + 1);
    } else if (prefix(spec, "buf", &rest)) {
        parse_buffer(args, &a, rest, false);
    } else if (prefix(spec, "new", &rest)) {
        a.kind = ARGUMENT_BUFFER;
        a.size = number_arg(args, spec, rest, 1, (uint64_t)1 << 32);
        a.unwritten = true;
    } else if (prefix(spec, "out", &rest)) {
        parse_buffer(args, &a, rest, true);
    } else if (prefix(spec, "ints", &rest) || prefix(spec, "floats", &rest)) {
        parse_list(args, &a, rest, *spec == 'f');
    } else if (prefix(spec, "iota", &rest)) {
        parse_iota(args, &a, rest);
    } else if (prefix(spec, "local", &rest)) {
        a.kind = ARGUMENT_LOCAL;
        a.size = number_arg(args, spec, rest, 1, UINT32_MAX);
    } else if (!strcmp(spec, "null")) {
        a.kind = ARGUMENT_NULL;
    } else {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(spec, ":"), spec);
        const char *near = nearest_word(word, kinds);
        usage_error(args, "--arg: '%s' is no argument%s%s%s", spec, near ? "; did you mean '" : "", near ? near : "",
                    near ? ":...'?" : "");
    }
    return a;
}

uint32_t argument_bytes(const struct argument *a)
{
    size_t n = a->kind == ARGUMENT_NUMBERS ? count_numbers(a->numbers) : 1;
    if (a->kind == ARGUMENT_BYTES) return (uint32_t)a->size;
    return 4 * (uint32_t)(n == 3 ? 4 : n); /* a vector of three takes the room of four */
}

/* ---- onto the device ---- */

// clang-format off
static const char *const kind_names[] = {[VENTUS_ARG_VALUE] = "a value", [VENTUS_ARG_GLOBAL] = "a __global pointer",
    [VENTUS_ARG_CONSTANT] = "a __constant pointer", [VENTUS_ARG_LOCAL] = "a __local pointer",
    [VENTUS_ARG_IMAGE] = "an image", [VENTUS_ARG_SAMPLER] = "a sampler", [VENTUS_ARG_PIPE] = "a pipe"};
// clang-format on

static void place_value(const struct args *args, const struct argument *a, unsigned index,
                        const struct ventus_arg *want, uint8_t *out)
{
    if (a->kind == ARGUMENT_BYTES) {
        if (a->size != want->size)
            usage_error(args, "argument %u (%s) has %u bytes, the file %llu", index, want->name, want->size,
                        (unsigned long long)a->size);
        memcpy(out, a->bytes, a->size);
        return;
    }
    size_t n = count_numbers(a->numbers), elements = n == 3 ? 4 : n; /* a vector of three takes the room of four */
    size_t width = n <= 16 ? want->size / elements : 0;
    if (!(width == 1 || width == 2 || width == 4 || width == 8) || width * elements != want->size)
        usage_error(args, "argument %u (%s) has %u bytes, not %zu number%s", index, want->name, want->size, n,
                    n == 1 ? "" : "s");
    store_numbers(args, a, a->numbers, width, out);
}

static void place_buffer(struct argument *a, unsigned index, ventus_device *device, uint8_t *out)
{
    enum ventus_status status = ventus_alloc(device, a->size, &a->addr);
    if (status == VENTUS_OK && a->bytes) status = ventus_write(device, a->addr, a->bytes, a->size);
    else if (status == VENTUS_OK && !a->unwritten && gpu_observed(device_gpu(device)))
        status = ventus_fill(device, a->addr, "", 1, a->size);
    if (status != VENTUS_OK) die("argument %u (%s): %s", index, a->spec, ventus_status_text(status));
    memcpy(out, &a->addr, 4);
}

void argument_place(const struct args *args, struct argument *a, unsigned index, const struct ventus_arg *want,
                    ventus_device *device, uint8_t *image, uint64_t *local_size)
{
    bool pointer =
        want->kind == VENTUS_ARG_GLOBAL || want->kind == VENTUS_ARG_CONSTANT || want->kind == VENTUS_ARG_PIPE;
    bool fits = want->kind == VENTUS_ARG_VALUE   ? a->kind == ARGUMENT_NUMBERS || a->kind == ARGUMENT_BYTES
                : want->kind == VENTUS_ARG_LOCAL ? a->kind == ARGUMENT_LOCAL
                                                 : pointer && (a->kind == ARGUMENT_BUFFER || a->kind == ARGUMENT_NULL);
    if (!fits)
        usage_error(args, "argument %u (%s) is %s, which '%s' is not", index, want->name, kind_names[want->kind],
                    a->spec);
    uint8_t *out = image + want->offset;
    if (want->kind == VENTUS_ARG_VALUE) place_value(args, a, index, want, out);
    else if (a->kind == ARGUMENT_BUFFER) place_buffer(a, index, device, out);
    else if (a->kind == ARGUMENT_LOCAL) *local_size = a->size;
}

/* ---- and back ---- */

static void show(const struct argument *a, unsigned index, const uint8_t *bytes)
{
    uint64_t words = a->size / 4, n = a->show_count < words ? a->show_count : words;
    printf("argument %u, %llu of %llu words:", index, (unsigned long long)n, (unsigned long long)words);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t v;
        float f;
        memcpy(&v, bytes + 4 * i, 4);
        memcpy(&f, bytes + 4 * i, 4);
        fputs(i % 8 ? " " : "\n  ", stdout);
        if (a->show == 'f') printf("%.9g", f);
        else if (a->show == 'x') printf("%08x", v);
        else if (a->show == 'u') printf("%u", v);
        else printf("%d", (int)v);
    }
    putchar('\n');
}

void argument_finish(const struct argument *a, unsigned index, ventus_device *device)
{
    if (a->kind != ARGUMENT_BUFFER || (!a->file && !a->show)) return;
    uint8_t *bytes = allocate(a->size);
    enum ventus_status status = ventus_read(device, bytes, a->addr, a->size);
    if (status != VENTUS_OK) die("argument %u: %s", index, ventus_status_text(status));
    if (a->show) show(a, index, bytes);
    if (a->file) write_file(a->file, bytes, a->size);
    free(bytes);
}
