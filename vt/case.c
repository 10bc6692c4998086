/* Reader of recorded launches (case.h).
 *
 * Metadata is a list of 64-bit values, each two lines of hex, low word first. Which form it has follows
 * from the number of values, since each form has another length for its number of buffers; where that
 * leaves a choice, the length of .data decides. Comments and blank lines of hand-edited files are
 * skipped. Called by `ventus run --case` and the corpus test. */
#include "vt/case.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "isa/abi.h"
#include "isa/isa.h"

enum { MAX_BUFFERS = 4096, MAX_FILE = 1 << 28, MAX_WARPS = 64 };

/* Where an error message goes. */
struct why {
    char *text;
    size_t size;
};

/* "path:line: ...", or "path: ..." when line is 0. Returns false. */
__attribute__((format(printf, 4, 5))) static bool fail(const struct why *why, const char *path, size_t line,
                                                       const char *format, ...)
{
    va_list args;
    int n =
        line ? snprintf(why->text, why->size, "%s:%zu: ", path, line) : snprintf(why->text, why->size, "%s: ", path);
    va_start(args, format);
    if (n >= 0 && (size_t)n < why->size) vsnprintf(why->text + n, why->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* ---- files of hex words ---- */

struct words {
    const char *path;
    uint32_t *word, *line; /* its line in the file, from 1 */
    size_t n;
};

static char *read_text(const char *path, size_t *length, const struct why *why)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    struct stat st;
    long size = -1;
    if (!f) {
        fail(why, path, 0, "%s", strerror(errno));
        return NULL;
    }
    bool folder = !fstat(fileno(f), &st) && S_ISDIR(st.st_mode); /* whose end is far away */
    if (!folder && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size >= 0 && size <= MAX_FILE && fseek(f, 0, SEEK_SET) == 0) text = malloc((size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
        free(text);
        text = NULL;
    }
    *length = (size_t)size;
    if (text) text[size] = 0;
    else fail(why, path, 0, folder ? "is a folder" : size > MAX_FILE ? "larger than 256 MiB" : "cannot be read");
    fclose(f);
    return text;
}

/* The word of one line: true and *some = false for a line without one. */
static bool line_word(const char *s, const char *end, uint32_t *word, bool *some)
{
    uint64_t v = 0;
    unsigned digits = 0;
    while (s < end && (*s == ' ' || *s == '\t' || *s == '\r')) s++;
    for (; s < end && digits < 9; s++, digits++) {
        char c = *s;
        if (c >= '0' && c <= '9') v = v << 4 | (uint64_t)(c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f') v = v << 4 | (uint64_t)((c | 32) - 'a' + 10);
        else break;
    }
    while (s < end && (*s == ' ' || *s == '\t' || *s == '\r')) s++;
    *some = digits > 0;
    *word = (uint32_t)v;
    return digits <= 8 && (s == end || (end - s >= 2 && s[0] == '/' && s[1] == '/'));
}

static bool read_words(const char *path, struct words *w, const struct why *why)
{
    size_t size, lines = 1, line = 0;
    char *text = read_text(path, &size, why);
    bool ok = true, some;
    if (!text) return false;
    for (const char *s = text; *s; s++) lines += *s == '\n';
    *w = (struct words){.path = path, .word = malloc(lines * sizeof *w->word), .line = malloc(lines * sizeof *w->line)};
    if (!w->word || !w->line) ok = fail(why, path, 0, "out of memory");
    for (const char *s = text, *end; ok && *s; s = *end ? end + 1 : end) {
        end = s + strcspn(s, "\n");
        w->line[w->n] = (uint32_t)++line;
        if (!line_word(s, end, &w->word[w->n], &some))
            ok = fail(why, path, line, "'%.*s' is not a word of at most eight hex digits",
                      (int)(end - s < 40 ? end - s : 40), s);
        w->n += ok && some;
    }
    if (ok && strlen(text) < size) ok = fail(why, path, line + 1, "there is a zero byte: is this a file of text?");
    free(text);
    return ok;
}

static void free_words(struct words *w)
{
    free(w->word);
    free(w->line);
}

/* ---- metadata ---- */

/* Lengths in 64-bit values. The plain form has 14 before the buffers, the number of buffers being the
 * last, and then bases, sizes and allocations. Two older forms lack the start pc, one of them the
 * allocations too. Newer tool chains insert ten or more values before the number of buffers (work
 * dimension, sizes and offset of the range, ...), which say nothing that the launch needs. */
struct form {
    size_t head, per_buffer;
    bool start;
};
static const struct form plain = {14, 3, true}, without_start = {13, 3, false}, without_allocation = {13, 2, false};
enum { LONGEST_HEAD = 32 };

struct values {
    struct words words;
    const struct why *why;
    bool ok; /* no field was too large */
};

static uint64_t value(const struct values *v, size_t i)
{
    const uint32_t *w = &v->words.word[2 * i];
    return w[0] | (uint64_t)w[1] << 32;
}

/* A field that may be at most `most`; the first larger one is the error. */
static uint32_t field(struct values *v, size_t i, uint32_t most, const char *name)
{
    uint64_t x = value(v, i);
    size_t line = v->words.line[2 * i];
    if (x > most && v->ok)
        v->ok = fail(v->why, v->words.path, line, "%s is 0x%llx, more than 0x%x", name, (unsigned long long)x, most);
    return (uint32_t)x;
}

/* Words of .data that the buffers of a form ask for; SIZE_MAX when the form does not fit the metadata. */
static size_t data_words(const struct values *v, const struct form *f)
{
    size_t n = v->words.n / 2, sum = 0;
    if (v->words.n % 2 || n < f->head) return SIZE_MAX;
    uint64_t count = value(v, f->head - 1);
    if (!count || count > MAX_BUFFERS || n != f->head + count * f->per_buffer) return SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t size = value(v, f->head + count + i);
        sum += size <= UINT32_MAX ? (size_t)((size + 3) / 4) : 0;
    }
    return sum;
}

/* The form of the metadata, preferably one that agrees with .data; head 0: none. */
static struct form find_form(const struct values *v, size_t nwords)
{
    const struct form older[] = {plain, without_start, without_allocation};
    struct form found = {0};
    for (size_t i = 0; i < 3 + LONGEST_HEAD - plain.head; i++) {
        struct form f = i < 3 ? older[i] : (struct form){plain.head + i - 2, 3, true};
        size_t words = data_words(v, &f);
        if (words == nwords) return f;
        if (words != SIZE_MAX && !found.head) found = f;
    }
    return found;
}

static void read_launch(struct values *v, const struct form *f, struct launch *l)
{
    size_t at = f->start;
    l->start_pc = f->start ? field(v, 0, UINT32_MAX, "the start pc") : ABI_CODE_BASE;
    for (size_t d = 0; d < 3; d++) l->groups[d] = field(v, at + 1 + d, UINT32_MAX, "the number of work-groups");
    l->threads_per_warp = field(v, at + 4, ISA_LANES, "the number of threads of a warp");
    l->warps = field(v, at + 5, MAX_WARPS, "the number of warps");
    l->knl = field(v, at + 6, UINT32_MAX, "the address of the metadata block");
    uint32_t lds =
        field(v, at + 7, ABI_LOCAL_LIMIT - ABI_LOCAL_BASE - MAX_WARPS * ABI_WARP_STACK, "the size of local memory");
    l->pds_bytes = field(v, at + 8, UINT32_MAX, "the size of private memory");
    /* Fields 9 and 10 are register counts, constants that programs do not keep to. */
    l->sgprs = ISA_XREGS;
    l->vgprs = ISA_VREGS;
    l->pds_base = field(v, at + 11, UINT32_MAX, "the address of private memory");
    l->work_items = l->warps * l->threads_per_warp;
    /* The recorded size is a constant that does not hold the stacks of more than four warps. */
    l->lds_bytes = lds + l->warps * ABI_WARP_STACK;
}

static void read_buffers(struct values *v, const struct form *f, struct recorded *c)
{
    size_t n = c->nbuffers, at = 0;
    for (size_t i = 0; i < n; i++) {
        struct case_buffer *b = &c->buffers[i];
        b->base = field(v, f->head + i, UINT32_MAX, "a buffer's address");
        b->size = field(v, f->head + n + i, UINT32_MAX, "a buffer's size");
        b->alloc = f->per_buffer == 3 ? field(v, f->head + 2 * n + i, UINT32_MAX, "a buffer's allocation") : b->size;
        if (b->alloc < b->size) b->alloc = b->size;
        b->words = c->words + at;
        at += (size_t)((b->size + 3) / 4);
        size_t line = v->words.line[2 * (f->head + i)];
        if (v->ok && b->base + b->alloc > (uint64_t)1 << 32)
            v->ok = fail(v->why, v->words.path, line, "the buffer at 0x%08x leaves the address space", b->base);
    }
}

static bool parse(struct values *v, const char *data, struct recorded *c)
{
    const struct form form = find_form(v, c->nwords), *f = &form;
    if (!f->head) return fail(v->why, v->words.path, 0, "%zu words are no known layout", v->words.n);
    c->nbuffers = (size_t)value(v, f->head - 1);
    c->buffers = calloc(c->nbuffers, sizeof *c->buffers);
    if (!c->buffers) return fail(v->why, v->words.path, 0, "out of memory");
    read_launch(v, f, &c->launch);
    size_t want = data_words(v, f);
    if (v->ok && want != c->nwords)
        return fail(v->why, data, 0, "%zu words, but the buffers of %s take %zu", c->nwords, v->words.path, want);
    if (v->ok) read_buffers(v, f, c);
    return v->ok;
}

/* ---- the interface ---- */

/* The path with another ending. */
static char *sibling_path(const char *metadata, const char *ending)
{
    static const char *const endings[] = {".bak.metadata", ".metadata", ".meta"};
    size_t n = strlen(metadata);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t e = strlen(endings[i]);
        if (n > e && !strcmp(metadata + n - e, endings[i])) {
            n -= e;
            break;
        }
    }
    char *path;
    return asprintf(&path, "%.*s%s", (int)n, metadata, ending) < 0 ? NULL : path;
}

char *case_data_path(const char *metadata) { return sibling_path(metadata, ".data"); }
char *case_expect_path(const char *metadata) { return sibling_path(metadata, ".expect"); }

bool case_read(const char *metadata, const char *data, struct recorded *out, char *text, size_t size)
{
    struct why why = {text, size};
    struct values v = {.why = &why, .ok = true};
    struct words d = {0};
    bool ok = read_words(metadata, &v.words, &why) && read_words(data, &d, &why);
    struct recorded c = {.words = d.word, .nwords = d.n};
    ok = ok && parse(&v, data, &c);
    free_words(&v.words);
    free(d.line);
    if (ok) *out = c;
    else case_free(&c);
    return ok;
}

void case_free(struct recorded *c)
{
    free(c->buffers);
    free(c->words);
    *c = (struct recorded){0};
}

bool case_load(struct gpu *gpu, const struct recorded *c)
{
    for (size_t i = 0; i < c->nbuffers; i++) {
        const struct case_buffer *b = &c->buffers[i];
        bool code = (b->base >= ABI_CODE_BASE && b->base < ABI_CODE_LIMIT) || c->launch.start_pc - b->base < b->alloc;
        unsigned access = GPU_READ | GPU_WRITE | (code ? GPU_EXEC : 0);
        if (b->alloc && !gpu_mem_open(gpu, b->base, b->alloc, access)) return false;
        if (b->size) memcpy(gpu_mem(gpu, b->base, b->size), b->words, b->size);
    }
    gpu_mem_code_changed(gpu);
    return true;
}

bool case_open_flat(struct gpu *gpu)
{
    return gpu_mem_open(gpu, ABI_LOCAL_BASE, ABI_LOCAL_LIMIT - ABI_LOCAL_BASE, GPU_READ | GPU_WRITE) &&
           gpu_mem_open(gpu, ABI_CODE_BASE, ABI_CODE_LIMIT - ABI_CODE_BASE, GPU_READ | GPU_WRITE | GPU_EXEC) &&
           gpu_mem_open(gpu, ABI_HEAP_BASE, ABI_HEAP_LIMIT - ABI_HEAP_BASE, GPU_READ | GPU_WRITE);
}

void case_config(struct gpu_config *config)
{
    gpu_config_default(config);
    config->sms = config->groups_per_sm = 1;
    config->warps_per_sm = MAX_WARPS;
    config->lds_bytes = ABI_LOCAL_LIMIT - ABI_LOCAL_BASE;
    config->vgpr_rows = config->warps_per_sm * ISA_VREGS;
    config->sgpr_rows = config->warps_per_sm * ISA_XREGS;
}
