/* ventus diff: tells the first difference of two files of the same kind, which it finds out by what is in them. Exit
 * codes are those of diff(1). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "asm/image.h"
#include "diff.h"
#include "steps.h"
#include "tool.h"

enum { DIFF_SAME = 0, DIFF_DIFFERENT = 1, DIFF_ERROR = 2 };

enum { FLAG_PROGRAM, FLAG_BASE, FLAG_NO_TIMES };
static const struct flag flags[] = {
    {"program", 'p', "FILE",
     "the executable, for names of kernels, lines of the source, and the instruction set of logs"},
    {"base", 'b', "ADDRESS", "of the first byte of two dumps of memory"},
    {"no-times", 0, NULL, "of timelines: when something happened may differ, but not what, where and in which order"},
    {0},
};

/* ---- what a file is ---- */

enum { PEEK = 4096 }; /* bytes of a file that say what it is: its first lines */

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Lines of one hexadecimal word, or of none, as far as the text goes. */
static bool has_words(const char *text)
{
    bool some = false;
    for (const char *p = text; *p;) {
        p += strspn(p, " \t\r");
        const size_t n = strspn(p, "0123456789abcdefABCDEF");
        p += n;
        p += strspn(p, " \t\r");
        if (n > 8 || (*p && *p != '\n' && *p != '#' && !begins(p, "//"))) return false;
        some |= n > 0;
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return some;
}

/* Is there a line "core N: "? Simulators may say other things first. */
static bool has_core(const char *text)
{
    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (!begins(p, "core") || !isspace((unsigned char)p[4])) continue;
        p += 4 + strspn(p + 4, " \t");
        const size_t n = strspn(p, "0123456789");
        if (n && p[n] == ':') return true;
    }
    return false;
}

static enum diff_kind kind_of(const char *text, size_t size)
{
    const char *first = text + strspn(text, " \t\r\n");
    if (!size) return DIFF_EMPTY;
    if (size >= 4 && !memcmp(text, COMPACT_BEGINS, 4)) return DIFF_COMPACT;
    if (strlen(text) < size) return DIFF_BYTES;
    if (begins(text, "Kanata\t")) return DIFF_KONATA;
    if (begins(text, "cycle,event,sm,warp,pc,extra")) return DIFF_CSV;
    if (has_core(text)) return DIFF_LOG;
    if (*first == '{' || *first == '[') return DIFF_JSON;
    return has_words(text) ? DIFF_WORDS : DIFF_BYTES;
}

/* Pipes are copied: their beginning is looked at, and then all of them is read. */
static FILE *seekable(FILE *in, const char *path)
{
    char buffer[1 << 16];
    FILE *copy = fseek(in, 0, SEEK_CUR) ? tmpfile() : in;
    if (!copy) die("%s: it is no file, and there is no room to copy it: %s", path, strerror(errno));
    if (copy == in) return in;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in));)
        if (fwrite(buffer, 1, n, copy) != n) die("%s: it is no file, and there is no room to copy it", path);
    if (ferror(in)) die("cannot read %s", path);
    if (in != stdin) fclose(in);
    return copy;
}

static struct diff_file open_file(const char *path)
{
    struct diff_file f = {.in = seekable(open_input(path), path), .path = path};
    char text[PEEK + 1];
    rewind(f.in);
    const size_t n = fread(text, 1, PEEK, f.in);
    if (ferror(f.in)) die("cannot read %s: %s", path, strerror(errno));
    text[n] = 0;
    f.kind = kind_of(text, n);
    if (f.kind == DIFF_WORDS && n == PEEK) { /* the last line may be cut off */
        text[strrchr(text, '\n') ? strrchr(text, '\n') - text + 1 : 0] = 0;
        f.kind = has_words(text) ? DIFF_WORDS : DIFF_BYTES;
    }
    if (n >= 4 && !memcmp(text, "\177ELF", 4))
        die("%s is an executable; `ventus objdump` makes a text of it, which diff compares", path);
    rewind(f.in);
    return f;
}

/* ---- the program ---- */

static void read_program(struct diff *d)
{
    enum { MOST = 64 }; /* segments; `ventus ld` makes three at most */
    struct elf_segment segments[MOST];
    struct elf_image image;
    struct note_error error;
    size_t n, size;
    const char *why = "";
    char text[NOTE_ERROR_ROOM];
    void *bytes = read_file(d->program, &size);
    if (!elf_read(bytes, size, &image, segments, MOST, &n, &why)) die("%s: %s", d->program, why);
    if (image.note && !note_read(image.note, strlen(image.note), &d->note, &error)) {
        note_explain(&error, text);
        die("%s: %s", d->program, text);
    }
    if (isa_profile_known(image.profile)) d->profile = image.profile;
    elf_free(&image);
    free(bytes);
}

/* ---- comparing ---- */

static const char *const names[] = {
    [DIFF_EMPTY] = "is empty",
    [DIFF_COMPACT] = "is a compact trace",
    [DIFF_LOG] = "is a log of instructions",
    [DIFF_CSV] = "is a timeline as CSV",
    [DIFF_JSON] = "is JSON",
    [DIFF_KONATA] = "is a timeline for Konata",
    [DIFF_WORDS] = "has words of memory",
    [DIFF_BYTES] = "has bytes, as a dump of memory",
};

static bool is_trace(enum diff_kind kind) { return kind == DIFF_COMPACT || kind == DIFF_LOG; }

static bool is_memory(enum diff_kind kind) { return kind == DIFF_WORDS || kind == DIFF_BYTES; }

static bool go_together(enum diff_kind a, enum diff_kind b)
{
    return a == b || a == DIFF_EMPTY || b == DIFF_EMPTY || (is_trace(a) && is_trace(b)) ||
           (is_memory(a) && is_memory(b));
}

static bool compare(const struct diff *d)
{
    const enum diff_kind kind = d->a.kind == DIFF_EMPTY ? d->b.kind : d->a.kind;
    if (!go_together(d->a.kind, d->b.kind))
        die("%s %s, and %s %s: these cannot be compared", d->a.path, names[d->a.kind], d->b.path, names[d->b.kind]);
    if (is_trace(kind)) return diff_traces(d);
    if (is_memory(kind)) return diff_memory(d);
    switch (kind) {
    case DIFF_CSV: return diff_csv(d);
    case DIFF_KONATA: return diff_lines(d);
    case DIFF_JSON: return diff_json(d);
    default: return puts("equal: both files are empty") >= 0;
    }
}

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool compare_paths(struct diff *d, const char *const paths[2])
{
    const bool folders = is_folder(paths[0]);
    if (folders != is_folder(paths[1]))
        die("%s is a folder, and %s is none", paths[folders ? 0 : 1], paths[folders ? 1 : 0]);
    if (!strcmp(paths[0], "-") && !strcmp(paths[1], "-")) die("standard input cannot be both files");
    d->a.path = paths[0];
    d->b.path = paths[1];
    if (folders) return diff_folders(d);
    d->a = open_file(paths[0]);
    d->b = open_file(paths[1]);
    const bool same = compare(d);
    fclose(d->a.in);
    fclose(d->b.in);
    return same;
}

int cmd_diff(int argc, char **argv)
{
    // clang-format off
    struct args args = {.command = "diff", .usage = "[OPTIONS] A B", .flags = flags, .argc = argc, .argv = argv, .at = 1,
        .about = "Compares two files that are to say the same, and tells the first difference: A is what is expected, B\n"
                 "what is found; - is standard input. Their contents, not their names, say what they are:\n\n"
                 "  traces      of `ventus run --trace-binary`, and logs of `ventus run --trace` and of the public\n"
                 "              simulator; one of each can be compared, too\n"
                 "  timelines   two of the same form: CSV, JSON for ui.perfetto.dev, Konata\n"
                 "  memory      of `ventus run --dump` and `--save`, and words as text\n"
                 "  launches    what launches have left (VENTUS_EXPORT): files .expect or .metadata, or two folders\n\n"
                 "Exit codes: 0 equal, 1 different, 2 an error. docs/diff.md has examples."};
    // clang-format on
    struct diff d = {.program = NULL};
    const char *paths[2];
    int n = 0;
    fail_with(DIFF_ERROR);
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_PROGRAM) d.program = args.value;
        else if (flag == FLAG_BASE)
            d.base = (uint32_t)number_arg(&args, "the address", args.value, 0, UINT32_MAX), d.has_base = true;
        else if (flag == FLAG_NO_TIMES) d.no_times = true;
        else if (n == 2) usage_error(&args, "two files are compared, '%s' is the third", args.value);
        else paths[n++] = args.value;
    }
    if (n < 2) usage_error(&args, "two files are needed");
    if (d.program) read_program(&d);
    const bool same = compare_paths(&d, paths);
    note_free(&d.note);
    return same ? DIFF_SAME : DIFF_DIFFERENT;
}
