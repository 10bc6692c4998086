/* Two contents of memory: bytes, or words of text, which may be what a launch has left (`VENTUS_EXPORT`, docs/run.md);
 * then its metadata beside them say which buffers there are. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diff.h"
#include "sim/output.h"
#include "tool.h"
#include "vt/case.h"

enum { SHOWN = 16 /* differences */ };

/* Of one file. */
struct content {
    const char *path;
    uint8_t *bytes;
    size_t size;
    bool is_launch;
    struct recorded launch;
};

/* A range of both. */
struct piece {
    const uint8_t *a, *b;
    uint64_t size, base;
    bool has_base;
};

/* ---- reading ---- */

/* `path` with what is behind its last point replaced; malloc'ed. */
static char *beside(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/'), *point = strrchr(path, '.');
    char *other;
    const size_t n = point && (!slash || point > slash + 1) ? (size_t)(point - path) : strlen(path);
    if (asprintf(&other, "%.*s%s", (int)n, path, suffix) < 0) die("out of memory");
    return other;
}

static bool is_launch(const char *metadata, const char *words, struct recorded *out)
{
    char why[400];
    return !access(metadata, R_OK) && !access(words, R_OK) && case_read(metadata, words, out, why, sizeof why);
}

/* Without those of which nothing is known, as private memory: where it is, and how much, is the device's business. */
static void drop_empty(struct recorded *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->nbuffers; i++)
        if (c->buffers[i].size) c->buffers[n++] = c->buffers[i];
    c->nbuffers = n;
}

/* The file is the words of a launch, or its metadata, whose results are beside them. */
static bool read_launch(const char *path, struct recorded *out)
{
    char *metadata = beside(path, ".metadata"), *expect = beside(path, ".expect"), *data = beside(path, ".data");
    struct recorded initial;
    const bool is = (strcmp(path, expect) && is_launch(path, expect, out)) ||
                    (strcmp(path, metadata) && is_launch(metadata, path, out));
    if (!is && strcmp(path, data) && is_launch(path, data, &initial))
        die("%s: there is no %s with what the launch has left; VENTUS_EXPORT writes it when a launch ends well", path,
            expect);
    if (is) drop_empty(out);
    free(metadata);
    free(expect);
    free(data);
    return is;
}

static struct content read_content(const struct diff_file *f)
{
    struct content c = {.path = f->path};
    c.bytes = read_stream(f->in, f->path, &c.size);
    if (f->kind != DIFF_WORDS) return c;
    if (strlen((char *)c.bytes) != c.size) die("%s: there is a zero byte", f->path);
    c.is_launch = read_launch(f->path, &c.launch);
    uint32_t *words = allocate((c.size / 2 + 2) * sizeof *words);
    c.size = c.is_launch ? 0 : 4 * parse_words((char *)c.bytes, f->path, words);
    free(c.bytes);
    c.bytes = (uint8_t *)words;
    return c;
}

static void free_content(struct content *c)
{
    free(c->bytes);
    if (c->is_launch) case_free(&c->launch);
}

/* ---- comparing ---- */

static uint32_t word_at(const uint8_t *bytes, uint64_t size, uint64_t at)
{
    uint32_t word = 0;
    memcpy(&word, bytes + at, size - at < 4 ? size - at : 4);
    return word;
}

static bool differs(const struct piece *p, uint64_t at)
{
    return memcmp(p->a + at, p->b + at, p->size - at < 4 ? p->size - at : 4) != 0;
}

/* Words that differ; the first one's place at *first. */
static uint64_t count_words(const struct piece *p, uint64_t *first)
{
    uint64_t n = 0;
    for (uint64_t at = 0; at < p->size; at += 4)
        if (differs(p, at) && !n++) *first = at;
    return n;
}

static uint64_t first_byte(const struct piece *p, uint64_t at)
{
    while (p->a[at] == p->b[at]) at++;
    return at;
}

static void print_words(const struct piece *p, uint64_t count, uint64_t first)
{
    unsigned shown = 0;
    printf("  %-10s  expected    found\n", p->has_base ? "address" : "offset");
    for (uint64_t at = first; at < p->size && shown < SHOWN; at += 4)
        if (differs(p, at) && ++shown)
            printf("  0x%08llx  0x%08x  0x%08x\n", (unsigned long long)(p->base + at), word_at(p->a, p->size, at),
                   word_at(p->b, p->size, at));
    if (count > shown) printf("  and %llu more words\n", (unsigned long long)(count - shown));
}

/* `what` tells where the piece is: a line, or "". */
static bool same_piece(const struct piece *p, const char *what)
{
    uint64_t first = 0;
    const uint64_t count = p->size ? count_words(p, &first) : 0;
    if (!count) return true;
    const uint64_t byte = first_byte(p, first);
    printf("first difference: the byte of memory at %s0x%08llx\n%s", p->has_base ? "" : "offset ",
           (unsigned long long)(p->base + byte), what);
    printf("  expected 0x%02x, found 0x%02x; %llu of %llu words differ\n", p->a[byte], p->b[byte],
           (unsigned long long)count, (unsigned long long)(p->size + 3) / 4);
    print_words(p, count, first);
    return false;
}

static bool same_bytes(const struct diff *d, const struct content *a, const struct content *b)
{
    const struct piece p = {a->bytes, b->bytes, a->size < b->size ? a->size : b->size, d->base, d->has_base};
    if (!same_piece(&p, "")) return false;
    if (a->size == b->size) return printf("equal: %zu bytes\n", a->size), true;
    printf("first difference: %s has %zu bytes, %s has %zu; those that both have are equal\n", a->path, a->size,
           b->path, b->size);
    return false;
}

/* ---- launches ---- */

static const char *kernel_of(const struct diff *d, const struct recorded *launch)
{
    for (size_t i = 0; i < launch->nbuffers; i++) {
        const struct case_buffer *b = &launch->buffers[i];
        if (b->base != launch->launch.knl || b->size < 4) continue;
        for (size_t k = 0; k < d->note.nkernels; k++)
            if (d->note.kernels[k].entry == b->words[0]) return d->note.kernels[k].name;
    }
    return "(no name known)";
}

/* Of two runs of a program, whose buffers are at the same places. */
static bool same_buffers(const struct content *a, const struct content *b)
{
    const struct recorded *x = &a->launch, *y = &b->launch;
    if (x->nbuffers != y->nbuffers) {
        printf("first difference: the number of buffers: expected %zu, found %zu\n", x->nbuffers, y->nbuffers);
        return false;
    }
    for (size_t i = 0; i < x->nbuffers; i++) {
        const struct case_buffer *p = &x->buffers[i], *q = &y->buffers[i];
        if (p->base == q->base && p->size == q->size) continue;
        printf("first difference: buffer %zu of %zu\n  expected 0x%08x with %llu bytes, found 0x%08x with %llu\n",
               i + 1, x->nbuffers, p->base, (unsigned long long)p->size, q->base, (unsigned long long)q->size);
        return false;
    }
    return true;
}

static bool same_launches(const struct diff *d, const struct content *a, const struct content *b)
{
    uint64_t words = 0;
    if (!same_buffers(a, b)) return false;
    for (size_t i = 0; i < a->launch.nbuffers; i++) {
        const struct case_buffer *x = &a->launch.buffers[i], *y = &b->launch.buffers[i];
        const struct piece p = {(const uint8_t *)x->words, (const uint8_t *)y->words, x->size, x->base, true};
        char what[600];
        snprintf(what, sizeof what, "  kernel %.100s, buffer %zu of %zu at 0x%08x, %llu bytes, of %.300s\n",
                 kernel_of(d, &a->launch), i + 1, a->launch.nbuffers, x->base, (unsigned long long)x->size, b->path);
        if (!same_piece(&p, what)) return false;
        words += (x->size + 3) / 4;
    }
    printf("equal: %zu buffers, %llu words%s%s\n", a->launch.nbuffers, (unsigned long long)words,
           d->folder ? " of " : "", d->folder ? b->path : "");
    return true;
}

bool diff_memory(const struct diff *d)
{
    struct content a = read_content(&d->a), b = read_content(&d->b);
    if (a.is_launch != b.is_launch)
        die("%s is what a launch has left, by the metadata beside it, and %s is not", a.is_launch ? a.path : b.path,
            a.is_launch ? b.path : a.path);
    const bool same = a.is_launch ? same_launches(d, &a, &b) : same_bytes(d, &a, &b);
    free_content(&a);
    free_content(&b);
    return same;
}

/* ---- folders ---- */

static int is_result(const struct dirent *e) { return output_ends_with(e->d_name, ".expect"); }

/* In the order of launches, which is the number behind the kernel's name. */
static int by_number(const struct dirent **a, const struct dirent **b)
{
    const char *x = strrchr((*a)->d_name, '_'), *y = strrchr((*b)->d_name, '_');
    const unsigned long n = x ? strtoul(x + 1, NULL, 10) : 0, m = y ? strtoul(y + 1, NULL, 10) : 0;
    return n != m ? (n > m) - (n < m) : strcmp((*a)->d_name, (*b)->d_name);
}

static struct dirent **results_in(const char *folder, int *n)
{
    struct dirent **list;
    *n = scandir(folder, &list, is_result, by_number);
    if (*n < 0) die("%s: %s", folder, strerror(errno));
    if (!*n) die("%s: there are no results of launches (.expect) in the folder; VENTUS_EXPORT writes them", folder);
    return list;
}

static bool same_file(const struct diff *d, const char *name)
{
    struct diff each = *d;
    struct diff_file *const files[] = {&each.a, &each.b};
    char *paths[2];
    bool same = true;
    each.folder = true;
    for (int i = 0; i < 2; i++) {
        if (asprintf(&paths[i], "%s/%s", files[i]->path, name) < 0) die("out of memory");
        *files[i] = (struct diff_file){.in = open_input(paths[i]), .path = paths[i], .kind = DIFF_WORDS};
    }
    same = diff_memory(&each);
    for (int i = 0; i < 2; i++) {
        fclose(files[i]->in);
        free(paths[i]);
    }
    return same;
}

/* The first name of one list alone; NULL: there is none. */
static const char *only_in(struct dirent **a, int n, struct dirent **b, int m)
{
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < m && strcmp(a[i]->d_name, b[k]->d_name) != 0) k++;
        if (k == m) return a[i]->d_name;
    }
    return NULL;
}

static void free_list(struct dirent **list, int n)
{
    while (n) free(list[--n]);
    free(list);
}

bool diff_folders(const struct diff *d)
{
    int n, m;
    struct dirent **a = results_in(d->a.path, &n), **b = results_in(d->b.path, &m);
    const char *missing = only_in(a, n, b, m), *stray = only_in(b, m, a, n);
    bool same = true;
    for (int i = 0; i < n && same && (!missing || strcmp(missing, a[i]->d_name) != 0); i++)
        same = same_file(d, a[i]->d_name);
    if (same && (missing || stray)) {
        printf("first difference: %s has no %s\n", missing ? d->b.path : d->a.path, missing ? missing : stray);
        same = false;
    }
    free_list(a, n);
    free_list(b, m);
    return same;
}
