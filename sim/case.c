/* Reader of recorded launches (case.h).
 *
 * Metadata is a list of 64-bit values, each two lines of hex, low word first: A is the complete form,
 * B lacks the start pc, C also the allocation sizes. Which one it is follows from the number of values,
 * since each has another length for its number of buffers. Comments and blank lines of hand-edited
 * files are skipped. Called by `ventus run --case` and the corpus test. */
#include "sim/case.h"

#include <stdlib.h>
#include <string.h>

#include "isa/abi.h"

enum { MAX_BUFFERS = 4096, MAX_FILE = 1 << 28 };

static bool fail(const char **why, const char *text)
{
    if (why) *why = text;
    return false;
}

/* ---- files of hex words ---- */

static char *read_text(const char *path, const char **why)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size >= 0 && size <= MAX_FILE && fseek(f, 0, SEEK_SET) == 0) text = malloc((size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
        free(text);
        text = NULL;
    }
    if (text) text[size] = 0;
    else if (why) *why = f ? "the file cannot be read" : "the file cannot be opened";
    if (f) fclose(f);
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

static bool read_words(const char *path, uint32_t **words, size_t *n, const char **why)
{
    char *text = read_text(path, why);
    size_t lines = 1;
    bool ok = true, some;
    if (!text) return false;
    for (const char *s = text; *s; s++) lines += *s == '\n';
    *n = 0;
    *words = malloc(lines * sizeof **words);
    if (!*words) ok = fail(why, "out of memory");
    for (const char *s = text, *end; ok && *s; s = *end ? end + 1 : end) {
        end = s + strcspn(s, "\n");
        if (!line_word(s, end, &(*words)[*n], &some)) ok = fail(why, "a line is not a word of eight hex digits");
        else *n += some;
    }
    free(text);
    if (!ok) free(*words);
    return ok;
}

/* ---- metadata ---- */

struct form { size_t head, per_buffer; };
static const struct form forms[] = {{14, 3}, {13, 3}, {13, 2}}; /* A, B, C in 64-bit values */

struct values { const uint32_t *words; size_t n; };

static uint64_t value(const struct values *v, size_t i) { return v->words[2 * i] | (uint64_t)v->words[2 * i + 1] << 32; }

/* A 32-bit field; larger ones mark the file as bad through *ok. */
static uint32_t field(const struct values *v, size_t i, bool *ok)
{
    uint64_t x = value(v, i);
    if (x > UINT32_MAX) *ok = false;
    return (uint32_t)x;
}

static const struct form *find_form(const struct values *v)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *f = &forms[i];
        if (v->n < f->head) continue;
        uint64_t count = value(v, f->head - 1);
        if (count && count <= MAX_BUFFERS && v->n == f->head + count * f->per_buffer) return f;
    }
    return NULL;
}

static bool take_launch(const struct values *v, const struct form *f, struct launch *l, uint64_t *groups)
{
    bool ok = true;
    size_t at = f->head == 14;
    l->start_pc = at ? field(v, 0, &ok) : ABI_CODE_BASE;
    *groups = 1;
    for (int d = 0; d < 3; d++) {
        l->groups[d] = field(v, at + 1 + (size_t)d, &ok);
        if (*groups <= UINT32_MAX) *groups *= l->groups[d];
    }
    l->threads_per_warp = field(v, at + 4, &ok);
    l->warps = field(v, at + 5, &ok);
    l->knl = field(v, at + 6, &ok);
    uint32_t lds = field(v, at + 7, &ok);
    l->pds_bytes = field(v, at + 8, &ok);
    /* Fields 9 and 10 are register counts, constants that programs do not keep to. */
    l->sgprs = ISA_XREGS;
    l->vgprs = ISA_VREGS;
    l->pds_base = field(v, at + 11, &ok);
    if (!ok || l->threads_per_warp > ISA_LANES || l->warps > 1024 || lds > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE) return false;
    l->work_items = l->warps * l->threads_per_warp;
    /* The recorded size is a constant that does not hold the stacks of more than four warps. */
    l->lds_bytes = lds + l->warps * ABI_WARP_STACK;
    return true;
}

static bool take_buffers(const struct values *v, const struct form *f, struct recorded *c, const char **why)
{
    size_t n = c->nbuffers = (size_t)value(v, f->head - 1), at = 0;
    bool ok = true;
    c->buffers = calloc(n, sizeof *c->buffers);
    if (!c->buffers) return fail(why, "out of memory");
    for (size_t i = 0; i < n; i++) {
        struct case_buffer *b = &c->buffers[i];
        b->base = field(v, f->head + i, &ok);
        b->size = field(v, f->head + n + i, &ok);
        b->alloc = f->per_buffer == 3 ? field(v, f->head + 2 * n + i, &ok) : b->size;
        if (b->alloc < b->size) b->alloc = b->size;
        size_t words = (size_t)((b->size + 3) / 4);
        if (!ok || words > c->nwords - at) return fail(why, "the data do not belong to the metadata");
        b->words = c->words + at;
        at += words;
    }
    return at == c->nwords || fail(why, "the data do not belong to the metadata");
}

static bool parse(const uint32_t *words, size_t n, struct recorded *c, const char **why)
{
    struct values v = {words, n / 2};
    const struct form *f = n % 2 ? NULL : find_form(&v);
    uint64_t groups;
    if (!f) return fail(why, "the metadata have no known layout");
    if (!take_launch(&v, f, &c->launch, &groups)) return fail(why, "the metadata are out of range");
    return take_buffers(&v, f, c, why);
}

/* ---- the interface ---- */

char *case_data_path(const char *metadata)
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
    char *path = malloc(n + sizeof ".data");
    if (path) {
        memcpy(path, metadata, n);
        memcpy(path + n, ".data", sizeof ".data");
    }
    return path;
}

bool case_read(const char *metadata, const char *data, struct recorded *out, const char **why)
{
    uint32_t *words;
    size_t n;
    struct recorded c = {0};
    if (!read_words(metadata, &words, &n, why)) return false;
    bool ok = read_words(data, &c.words, &c.nwords, why);
    if (ok && !parse(words, n, &c, why)) {
        case_free(&c);
        ok = false;
    }
    free(words);
    if (ok) *out = c;
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
        bool code = b->base >= ABI_CODE_BASE && b->base < ABI_CODE_LIMIT;
        unsigned access = GPU_READ | GPU_WRITE | (code ? GPU_EXEC : 0);
        if (b->alloc && !gpu_mem_open(gpu, b->base, b->alloc, access)) return false;
        if (b->size) memcpy(gpu_mem(gpu, b->base, b->size), b->words, b->size);
    }
    gpu_mem_code_changed(gpu);
    return true;
}

void case_config(struct gpu_config *config)
{
    gpu_config_default(config);
    config->sms = config->groups_per_sm = 1;
    config->lds_bytes = ABI_LOCAL_LIMIT - ABI_LOCAL_BASE;
    config->vgpr_rows = config->warps_per_sm * ISA_VREGS;
    config->sgpr_rows = config->warps_per_sm * ISA_XREGS;
}
