/* The files that a source can include, found without the preprocessor, which takes much longer than to look up a
 * result.
 *
 * It is taken for granted that whatever looks like an #include is one, that each of the folders searched may be the one
 * that has the file, and that all files found are read: what a build depends on is a part of that. Names that macros
 * make, files that are nowhere to be found (some are beside the compiler), and whatever else reads files or the clock,
 * are left to the preprocessor. Called by build_cache.c. */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "objects.h"

/* What is read, and held in memory, to find out whether a build is in the cache; with more it is not looked for. */
enum { MOST_FILES = 256, MOST_BYTES = 16 << 20 };

/* Texts that can be read: the source, then files in the order in which they are found. */
struct reading {
    FILE *key;
    char **folders; /* that are searched: the current one, for names in quotes, and those of the options */
    size_t nfolders;
    struct text {
        char *path; /* NULL: the source */
        char *bytes;
        size_t size;
    } texts[MOST_FILES];
    size_t ntexts, bytes;
};

/* ---- folders ---- */

/* A word of build options without its quotes, as the compiler reads it, to be freed. */
static char *unquoted(const char *word, size_t length)
{
    char *text = malloc(length + 1), *out = text, quote = 0;
    for (const char *p = word; text && p < word + length; p++) {
        if (*p == '\\' && p + 1 < word + length && strchr("\\\"' \t", p[1])) *out++ = *++p;
        else if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
        else *out++ = *p;
    }
    if (text) *out = 0;
    return text;
}

static bool add_folder(struct reading *r, char *name)
{
    char **folders = name ? realloc(r->folders, (r->nfolders + 1) * sizeof *folders) : NULL;
    if (!folders) {
        free(name);
        return false;
    }
    r->folders = folders;
    r->folders[r->nfolders++] = name;
    return true;
}

/* The current folder, and those of the options, each in one word or two. */
static bool find_folders(struct reading *r, const char *options)
{
    size_t n;
    bool good = add_folder(r, strdup("."));
    for (const char *p = option_word(options, &n); n && good; p = option_word(p + n, &n)) {
        char *word = unquoted(p, n);
        good = word;
        if (word && !strcmp(word, "-I")) {
            p = option_word(p + n, &n);
            good = n && add_folder(r, unquoted(p, n));
        } else if (word && !strncmp(word, "-I", 2)) {
            good = add_folder(r, strdup(word + 2));
        } else if (word && !strcmp(word, "-D")) {
            p = option_word(p + n, &n);
        }
        free(word);
    }
    return good;
}

/* ---- files ---- */

static bool is_known(const struct reading *r, const char *path)
{
    for (size_t i = 0; i < r->ntexts; i++)
        if (r->texts[i].path && !strcmp(r->texts[i].path, path)) return true;
    return false;
}

/* The bytes of a regular file, at most `most`, to be freed. */
static char *read_file(const char *path, size_t most, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a pipe does not stop us */
    bool regular = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size < most;
    FILE *f = regular ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !f) close(fd);
    char *bytes = f ? malloc((size_t)st.st_size + 1) : NULL;
    *size = bytes ? fread(bytes, 1, (size_t)st.st_size, f) : 0;
    bool good = bytes && *size == (size_t)st.st_size && !ferror(f);
    if (f) fclose(f);
    if (good) return bytes;
    free(bytes);
    return NULL;
}

/* Takes over `path`. One that is not there may come later. False: it is there and cannot be used. */
static bool look_at(struct reading *r, char *path, bool *found)
{
    struct text t = {.path = path};
    if (!path) return false;
    bool exists = access(path, F_OK) == 0, known = is_known(r, path);
    fprintf(r->key, "%s%c%d", path, 0, exists);
    *found |= exists;
    if (!exists || known) {
        free(path);
        return true;
    }
    if (r->ntexts < MOST_FILES) t.bytes = read_file(path, MOST_BYTES - r->bytes, &t.size);
    if (!t.bytes) {
        free(path);
        return false;
    }
    fwrite(&t.size, sizeof t.size, 1, r->key);
    fwrite(t.bytes, 1, t.size, r->key);
    r->bytes += t.size;
    r->texts[r->ntexts++] = t;
    return true;
}

static char *joined(const char *folder, size_t length, const char *name, size_t size)
{
    char *path = NULL;
    return asprintf(&path, "%.*s/%.*s", (int)length, folder, (int)size, name) < 0 ? NULL : path;
}

/* Everywhere where a name in a text may be looked for; one in quotes beside the text, too. */
static bool look_for(struct reading *r, const char *beside, const char *name, size_t size)
{
    const bool quoted = name[size] == '"';
    const char *slash = beside && quoted ? strrchr(beside, '/') : NULL;
    bool found = false, good = true;
    if (*name == '/') return look_at(r, strndup(name, size), &found) && found;
    if (slash) good = look_at(r, joined(beside, (size_t)(slash - beside), name, size), &found);
    for (size_t i = !quoted; i < r->nfolders && good; i++)
        good = look_at(r, joined(r->folders[i], strlen(r->folders[i]), name, size), &found);
    return good && found;
}

/* ---- texts ---- */

/* What stands at `at`, behind any backslash that continues the line: a word may be cut by them. `size`: the end. */
static size_t skip_continuations(const char *text, size_t size, size_t at)
{
    while (at < size && text[at] == '\\') {
        size_t next = at + 1;
        while (next < size && strchr(" \t\r\v\f", text[next])) next++;
        if (next == size || text[next] != '\n') break;
        at = next + 1;
    }
    return at;
}

static bool is_word_at(const char *text, size_t size, size_t at, const char *word)
{
    for (; *word && at < size && text[at] == *word; word++) at = skip_continuations(text, size, at + 1);
    return !*word;
}

static bool has_word(const char *text, size_t size, const char *word)
{
    for (size_t i = 0; i < size; i++)
        if (is_word_at(text, size, i, word)) return true;
    return false;
}

/* Can something else than the text and the files that it includes decide what it becomes? */
static bool is_open(const char *text, size_t size)
{
    static const char *const words[] = {
        "import", "embed", "__has_", "__DATE__", "__TIME__", "__TIMESTAMP__", "?\?/" /* a backslash */,
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(text, size, words[i])) return true;
    return has_word(text, size, "module") && has_word(text, size, "clang"); /* a pragma */
}

static const char blanks[] = " \t\v\f\r"; /* and zero bytes */

static bool is_name_part(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80); }

/* Can the word at `at` be a directive's? What stands before it, or the end of the line before, says so. */
static bool may_be_directive(const char *text, size_t at)
{
    while (at && strchr(blanks, text[at - 1])) at--;
    if (at > 1 && text[at - 1] == '\n' && strchr(blanks, text[at - 2])) return true; /* perhaps behind a backslash */
    return at && (strchr("#:/=", text[at - 1]) || (at > 1 && text[at - 1] == '\n' && text[at - 2] == '\\'));
}

/* What stands behind the word `include` at `at` of texts[which]. False: that is not known. */
static bool read_include(struct reading *r, size_t which, size_t at)
{
    const struct text t = r->texts[which];
    size_t p = at + strlen("include");
    if (at && is_name_part(t.bytes[at - 1])) return false;                /* __has_include */
    if (p < t.size && is_name_part(t.bytes[p])) return t.bytes[p] != '_'; /* included */
    while (p < t.size && strchr(blanks, t.bytes[p])) p++;
    if (p == t.size || !strchr("\"<", t.bytes[p])) return !may_be_directive(t.bytes, at);
    const char *name = t.bytes + p + 1, end = t.bytes[p] == '<' ? '>' : '"', *q = name;
    while (q < t.bytes + t.size && *q && *q != end && *q != '\n' && *q != '\\') q++;
    return q < t.bytes + t.size && *q == end && q > name && look_for(r, t.path, name, (size_t)(q - name));
}

static bool read_text(struct reading *r, size_t which)
{
    const struct text t = r->texts[which];
    if (is_open(t.bytes, t.size)) return false;
    for (size_t i = 0; i < t.size; i++) {
        if (!is_word_at(t.bytes, t.size, i, "include")) continue;
        bool whole = t.size - i >= strlen("include") && !strncmp(t.bytes + i, "include", strlen("include"));
        if (!whole || !read_include(r, which, i)) return false;
    }
    return true;
}

static bool read_all(struct reading *r, const char *options)
{
    bool good = !is_open(options, strlen(options)) && find_folders(r, options);
    for (size_t i = 0; i < r->ntexts && good; i++) good = read_text(r, i);
    return good;
}

bool includes_add(FILE *key, const char *source, size_t size, const char *options)
{
    struct reading *r = calloc(1, sizeof *r);
    if (!r) return false;
    r->key = key;
    r->texts[r->ntexts++] = (struct text){NULL, (char *)(uintptr_t)source, size};
    bool good = read_all(r, options);
    for (size_t i = 1; i < r->ntexts; i++) free(r->texts[i].path), free(r->texts[i].bytes);
    for (size_t i = 0; i < r->nfolders; i++) free(r->folders[i]);
    free(r->folders);
    free(r);
    return good;
}
