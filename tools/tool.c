/* Options, files and messages of the subcommands.
 *
 * A tool runs once and ends: failures print one message and exit, memory is not always given back.
 * Called by every file of this folder. */
#include "tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "asm/image.h"
#include "asm/near.h"
#include "driver/gpu.h"
#include "isa/isa.h"
#include "sim/launch.h"
#include "sim/output.h"

static int failed = EXIT_FAILED;

void fail_with(int code) { failed = code; }

int fail_code(void) { return failed; }

void die(const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fputs("ventus: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(failed);
}

void usage_error(const struct args *args, const char *format, ...)
{
    va_list list;
    fflush(stdout);
    fprintf(stderr, "ventus %s: ", args->command);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n`ventus %s --help` lists the options.\n", args->command);
    exit(EXIT_USAGE);
}

static unsigned nearer(const char *word, size_t length, const char *candidate, unsigned best)
{
    unsigned d = asm_edit_distance(word, length, candidate, strlen(candidate));
    return d < best && d < length ? d : best;
}

const char *nearest_word(const char *word, const char *const *list)
{
    const char *found = NULL;
    unsigned best = 3;
    for (; *list; list++) {
        unsigned d = nearer(word, strlen(word), *list, best);
        if (d < best) best = d, found = *list;
    }
    return found;
}

static void print_help(const struct args *args)
{
    printf("usage: ventus %s %s\n\n%s\n", args->command, args->usage, args->about);
    if (args->flags->name) puts("\noptions:");
    for (const struct flag *f = args->flags; f->name; f++) {
        char left[80];
        char letter[8] = "    ";
        if (f->letter) snprintf(letter, sizeof letter, "-%c, ", f->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, f->name, f->value && f->value[0] != '[' ? " " : "",
                 f->value ? f->value : "");
        printf("  %-28s", left);
        for (const char *p = f->help; *p; p++) {
            putchar(*p);
            if (*p == '\n') printf("%30s", "");
        }
        putchar('\n');
    }
    exit(EXIT_OK);
}

static _Noreturn void unknown_option(const struct args *args, const char *text)
{
    const char *best = NULL;
    unsigned distance = 3;
    size_t length = strcspn(text + 2, "=");
    static const struct flag help[] = {{.name = "help"}, {0}};
    for (int own = 0; own < 2 && text[1] == '-'; own++)
        for (const struct flag *f = own ? args->flags : help; f->name; f++) {
            unsigned d = nearer(text + 2, length, f->name, distance);
            if (d < distance) distance = d, best = f->name;
        }
    if (best) usage_error(args, "unknown option '%s'; did you mean '--%s'?", text, best);
    usage_error(args, "unknown option '%s'", text);
}

/* Index of the option that "--name" or "--name=value" is, -1: of none. */
static int long_option_index(const struct args *args, const char *text)
{
    const size_t length = strcspn(text + 2, "=");
    for (int i = 0; args->flags[i].name; i++)
        if (strlen(args->flags[i].name) == length && !strncmp(text + 2, args->flags[i].name, length)) return i;
    return -1;
}

/* The next argument, where it is the value of an option: not another option, as that means that the value is missing.
 */
static const char *next_value(struct args *args, const struct flag *f)
{
    const char *text = args->at < args->argc ? args->argv[args->at] : NULL;
    if (!text) usage_error(args, "--%s wants a value: %s", f->name, f->value);
    if (text[0] == '-' && text[1] == '-' && (long_option_index(args, text) >= 0 || !strcmp(text, "--help")))
        usage_error(args, "--%s wants a value: %s; '%s' is an option (if it is the value: --%s=%s)", f->name, f->value,
                    text, f->name, text);
    args->at++;
    return text;
}

/* Reads the value of an option: behind "=", glued to the letter, or the next argument. */
static int option_value(struct args *args, int index, const char *glued)
{
    const struct flag *f = &args->flags[index];
    if (!f->value) {
        if (glued) usage_error(args, "--%s takes no value", f->name);
        return index;
    }
    if (glued || f->value[0] == '[') args->value = glued;
    else args->value = next_value(args, f);
    return index;
}

static int long_option(struct args *args, const char *text)
{
    const int index = long_option_index(args, text);
    const char *value = strchr(text, '=');
    if (index < 0) unknown_option(args, text);
    return option_value(args, index, value ? value + 1 : NULL);
}

int args_next(struct args *args)
{
    if (args->at >= args->argc) return ARG_END;
    const char *text = args->argv[args->at++];
    if (!args->plain && !strcmp(text, "--")) {
        args->plain = true;
        return args_next(args);
    }
    if (args->plain || text[0] != '-' || !text[1]) {
        args->value = text;
        return ARG_PLAIN;
    }
    if (!strcmp(text, "--help") || !strcmp(text, "-h")) print_help(args);
    if (text[1] == '-') return long_option(args, text);
    for (int i = 0; args->flags[i].name; i++)
        if (args->flags[i].letter == text[1]) return option_value(args, i, text[2] ? text + 2 : NULL);
    unknown_option(args, text);
}

static bool parse_number(const char *text, const char **end, uint64_t *value)
{
    char *stop;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *value = strtoull(text, &stop, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    *end = stop;
    return !errno && stop != text;
}

uint64_t number_arg(const struct args *args, const char *what, const char *text, uint64_t min, uint64_t max)
{
    const char *end;
    uint64_t v;
    if (!parse_number(text, &end, &v) || *end) usage_error(args, "%s: '%s' is no number", what, text);
    if (v < min || v > max)
        usage_error(args, "%s: %s is not in %llu..%llu", what, text, (unsigned long long)min, (unsigned long long)max);
    return v;
}

uint32_t base_arg(const struct args *args)
{
    uint32_t base = (uint32_t)number_arg(args, "--base", args->value, 0, UINT32_MAX);
    if (base & 3) usage_error(args, "--base: %s is not a multiple of 4", args->value);
    return base;
}

unsigned profile_arg(const struct args *args, const char *text)
{
    enum isa_profile profile;
    if (!isa_profile_find(text, &profile)) usage_error(args, "--profile is " ISA_PROFILE_NAMES ", not '%s'", text);
    return profile;
}

unsigned triple_arg(const struct args *args, const char *what, const char *text, uint64_t min, uint32_t out[3])
{
    const char *p = text;
    for (unsigned n = 0; n < 3; n++) {
        uint64_t v;
        if (!parse_number(p, &p, &v)) break;
        if (v < min || v > UINT32_MAX) usage_error(args, "%s: '%s' is out of range", what, text);
        out[n] = (uint32_t)v;
        if (!*p) return n + 1;
        if (*p++ != ',') break;
    }
    usage_error(args, "%s: '%s' is not X[,Y[,Z]]", what, text);
}

void config_file(struct gpu_config *config, const char *path)
{
    char why[512];
    if (!gpu_config_read(config, path, why, sizeof why)) die("%s", why);
}

bool config_environment(struct gpu_config *config)
{
    char why[700];
    bool named;
    if (device_environment_config(config, &named, why, sizeof why) != VENTUS_OK) die("%s", why);
    return named;
}

char *default_output(const struct args *args, const char *input, const char *suffix)
{
    const char *slash = strrchr(input, '/'), *dot = strrchr(input, '.');
    size_t stem = dot && (!slash || dot > slash + 1) && dot != input ? (size_t)(dot - input) : strlen(input);
    char *out = allocate(stem + strlen(suffix) + 1);
    memcpy(out, input, stem);
    memcpy(out + stem, suffix, strlen(suffix));
    if (!strcmp(out, input)) usage_error(args, "the source would be overwritten; -o OUT names the output");
    return out;
}

/* ---- files ---- */

enum { MOST_FILE_BYTES = 1 << 30 }; /* of memory: a file is read whole */

void *allocate(size_t size)
{
    void *p = calloc(size ? size : 1, 1);
    if (!p) die("out of memory");
    return p;
}

FILE *open_input(const char *path)
{
    struct stat st;
    FILE *in = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!in) die("cannot open '%s': %s", path, strerror(errno));
    if (!fstat(fileno(in), &st) && S_ISDIR(st.st_mode)) die("%s is a folder", path);
    return in;
}

void *read_stream(FILE *in, const char *path, size_t *size)
{
    size_t have = 0, room = 1 << 16;
    char *bytes = allocate(room + 1);
    for (size_t n; (n = fread(bytes + have, 1, room - have, in));) {
        have += n;
        if (have < room) continue;
        if (room >= MOST_FILE_BYTES) die("%s is too large", path);
        room *= 2;
        bytes = realloc(bytes, room + 1);
        if (!bytes) die("out of memory");
    }
    if (ferror(in)) die("cannot read %s: %s", path, strerror(errno));
    bytes[have] = 0;
    *size = have;
    return bytes;
}

void *read_file(const char *path, size_t *size)
{
    FILE *in = open_input(path);
    void *bytes = read_stream(in, path, size);
    if (in != stdin) fclose(in);
    return bytes;
}

FILE *open_output(const char *path)
{
    char why[300];
    FILE *out = output_open(path, why, sizeof why);
    if (!out) die("%s", why);
    return out;
}

void close_output(FILE *out, const char *path)
{
    char why[300];
    if (!output_close(out, path, why, sizeof why)) die("%s", why);
}

void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *out = open_output(path);
    fwrite(bytes, 1, size, out);
    close_output(out, path);
}

size_t parse_words(char *text, const char *path, uint32_t *words)
{
    size_t n = 0, line = 0;
    for (char *next, *p = text; p; p = next) {
        char *end;
        next = strchr(p, '\n');
        if (next) *next++ = 0;
        line++;
        p += strspn(p, " \t\r");
        if (!*p || *p == '#' || (p[0] == '/' && p[1] == '/')) continue;
        size_t digits = strspn(p, "0123456789abcdefABCDEF");
        if (!digits || digits > 8)
            die("%s:%zu: this is neither an ELF file nor a line with one hexadecimal word", path, line);
        words[n++] = (uint32_t)strtoul(p, &end, 16);
        end += strspn(end, " \t\r");
        if (*end && *end != '#' && !(end[0] == '/' && end[1] == '/'))
            die("%s:%zu: unexpected text behind the word", path, line);
    }
    return n;
}

void write_elf(const char *path, const struct elf_image *m)
{
    void *bytes;
    size_t size;
    const char *why = "";
    if (!elf_write(m, &bytes, &size, &why)) die("%s", why);
    write_file(path, bytes, size);
    free(bytes);
}
