/* What a compiled program contains: its segments, and the kernels its note describes, or for lack of one its
 * resource records (isa/abi.h).
 *
 * The grammar of the note is in docs/architecture.md. Nothing in a file is trusted: numbers have
 * limits, addresses must lie in the code window, and a damaged note is refused with a reason. The
 * strings of a module are cut out of its own copy of the note. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

enum { MAX_KEYS = 32, MAX_ARGS_SIZE = 1 << 16, MAX_ALIGN = 1024, MAX_KERNELS = 4096, MAX_PDS = 1 << 28 };
enum { USUAL_STACK = 4096 }; /* private bytes of a stack whose depth is not known */

struct parser {
    struct ventus_module *m;
    const char *why;
    size_t nkernels, nargs, nlines, nformats, nstrings; /* room for, in the arrays */
};

static bool fail(struct parser *p, const char *why)
{
    if (!p->why) p->why = why;
    return false;
}

/* ---- fields ---- */

struct fields {
    size_t n;
    const char *key[MAX_KEYS], *value[MAX_KEYS];
};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* Replaces %XX in place; false when a value holds a broken one or %00. */
static bool unescape(char *s)
{
    char *to = s;
    for (; *s; s++) {
        if (*s != '%') {
            *to++ = *s;
            continue;
        }
        int hi = hex_digit(s[1]), lo = hi < 0 ? -1 : hex_digit(s[2]);
        if (lo < 0 || (hi | lo) == 0) return false;
        *to++ = (char)(hi << 4 | lo);
        s += 2;
    }
    *to = 0;
    return true;
}

/* Cuts "key=value key=value" apart. */
static bool split(struct parser *p, char *text, struct fields *f)
{
    f->n = 0;
    for (char *next; text && *text; text = next) {
        next = strchr(text, ' ');
        if (next) *next++ = 0;
        char *value = strchr(text, '=');
        if (!value || value == text) return fail(p, "a field of the module note is not key=value");
        if (f->n == MAX_KEYS) return fail(p, "too many fields in a record of the module note");
        *value++ = 0;
        if (!unescape(value)) return fail(p, "a bad escape in the module note");
        f->key[f->n] = text;
        f->value[f->n++] = value;
    }
    return true;
}

static const char *find(const struct fields *f, const char *key)
{
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->key[i], key)) return f->value[i];
    return NULL;
}

/* One unsigned number, decimal or 0x, followed by `end`; *s moves behind it. */
static bool number_at(const char **s, char end, uint32_t limit, uint32_t *out)
{
    char *stop;
    if (!((**s >= '0') && (**s <= '9'))) return false;
    int base = (*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X') ? 16 : 10;
    unsigned long long v = strtoull(*s, &stop, base);
    if (*stop != end || v > limit) return false;
    *out = (uint32_t)v;
    *s = end ? stop + 1 : stop;
    return true;
}

static bool number(struct parser *p, const struct fields *f, const char *key, uint32_t limit, uint32_t *out)
{
    const char *s = find(f, key);
    if (!s) return fail(p, "a record of the module note lacks a field");
    return number_at(&s, 0, limit, out) || fail(p, "a number in the module note is malformed or too large");
}

static bool triple(struct parser *p, const struct fields *f, const char *key, uint32_t out[3])
{
    const char *s = find(f, key);
    if (!s) return true; /* zeros */
    return (number_at(&s, ',', UINT32_MAX, &out[0]) && number_at(&s, ',', UINT32_MAX, &out[1]) &&
            number_at(&s, 0, UINT32_MAX, &out[2])) ||
           fail(p, "a size in the module note is not three numbers");
}

static const char *string(const struct fields *f, const char *key)
{
    const char *s = find(f, key);
    return s ? s : "";
}

/* ---- records ---- */

static bool executable(const struct ventus_module *m, uint32_t addr)
{
    for (size_t i = 0; i < m->nsegments; i++) {
        const struct segment *s = &m->segments[i];
        if ((s->access & GPU_EXEC) && addr - s->addr < s->memsize) return addr % 4 == 0;
    }
    return false;
}

static bool kernel_record(struct parser *p, const struct fields *f)
{
    struct ventus_kernel *k = &p->m->kernels[p->m->nkernels];
    *k = (struct ventus_kernel){
        .name = string(f, "name"), .vec_hint = string(f, "vechint"), .args = p->m->args + p->m->nargs};
    if (!*k->name) return fail(p, "a kernel without a name");
    if (ventus_module_find(p->m, k->name)) return fail(p, "two kernels of one name");
    p->m->nkernels++;
    if (!number(p, f, "entry", UINT32_MAX, &k->entry) || !number(p, f, "vgpr", ISA_VREGS, &k->vgprs) ||
        !number(p, f, "sgpr", ISA_XREGS, &k->sgprs) ||
        !number(p, f, "lds", ABI_LOCAL_LIMIT - ABI_LOCAL_BASE, &k->lds_bytes) ||
        !number(p, f, "pds", MAX_PDS, &k->pds_bytes) || !number(p, f, "args", MAX_ARGS_SIZE, &k->args_size) ||
        !triple(p, f, "reqd", k->reqd) || !triple(p, f, "hint", k->hint))
        return false;
    return executable(p->m, k->entry) || fail(p, "a kernel's entry is not in executable code");
}

static bool arg_kind(const char *s, enum ventus_arg_kind *kind)
{
    static const char *const names[] = {"value", "global", "constant", "local", "image", "sampler"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(s, names[i])) {
            *kind = (enum ventus_arg_kind)i;
            return true;
        }
    return false;
}

static bool arg_record(struct parser *p, const struct fields *f)
{
    struct ventus_arg *a = &p->m->args[p->m->nargs];
    if (!p->m->nkernels) return fail(p, "an argument before the first kernel");
    struct ventus_kernel *k = &p->m->kernels[p->m->nkernels - 1];
    *a = (struct ventus_arg){.align = 4,
                             .name = string(f, "name"),
                             .type = string(f, "type"),
                             .access = string(f, "access"),
                             .address = string(f, "address"),
                             .qualifiers = string(f, "qual")};
    if (!arg_kind(string(f, "kind"), &a->kind)) return fail(p, "an argument of unknown kind");
    if (!number(p, f, "size", MAX_ARGS_SIZE, &a->size) || !number(p, f, "offset", MAX_ARGS_SIZE, &a->offset))
        return false;
    if (find(f, "align") && !number(p, f, "align", MAX_ALIGN, &a->align)) return false;
    if (!a->align || (a->align & (a->align - 1))) return fail(p, "an alignment is not a power of two");
    if (a->kind != ARG_VALUE && a->size != 4) return fail(p, "a pointer argument is not four bytes");
    if (a->offset + a->size > k->args_size) return fail(p, "an argument lies outside the argument buffer");
    p->m->nargs++;
    k->nargs++;
    return true;
}

static bool line_record(struct parser *p, const struct fields *f)
{
    struct line *l = &p->m->lines[p->m->nlines];
    if (!number(p, f, "pc", UINT32_MAX, &l->pc) || !number(p, f, "line", UINT32_MAX, &l->line)) return false;
    if (p->m->nlines && l->pc < l[-1].pc) return fail(p, "source lines are not in ascending order");
    p->m->nlines++;
    return true;
}

static bool text_record(struct parser *p, const struct fields *f, struct text *table, size_t *n)
{
    const char *s = find(f, "text");
    if (!s) return fail(p, "a printf string without text");
    if (!number(p, f, "id", UINT32_MAX, &table[*n].id)) return false;
    table[(*n)++].text = s;
    return true;
}

static bool record(struct parser *p, char *text)
{
    struct ventus_module *m = p->m;
    struct fields f;
    char *rest = strchr(text, ' ');
    if (rest) *rest++ = 0;
    if (!strcmp(text, "kernel")) return split(p, rest, &f) && kernel_record(p, &f);
    if (!strcmp(text, "arg")) return split(p, rest, &f) && arg_record(p, &f);
    if (!strcmp(text, "line")) return split(p, rest, &f) && line_record(p, &f);
    if (!strcmp(text, "format")) return split(p, rest, &f) && text_record(p, &f, m->formats, &m->nformats);
    if (!strcmp(text, "string")) return split(p, rest, &f) && text_record(p, &f, m->strings, &m->nstrings);
    return true; /* from a newer compiler */
}

/* ---- the note as a whole ---- */

static bool starts(const char *s, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(s, word, n) && s[n] == ' ';
}

static void count_records(struct parser *p, const char *s)
{
    for (; s; s = strchr(s, '\n'), s = s ? s + 1 : NULL) {
        p->nkernels += starts(s, "kernel");
        p->nargs += starts(s, "arg");
        p->nlines += starts(s, "line");
        p->nformats += starts(s, "format");
        p->nstrings += starts(s, "string");
    }
}

/* One element more than needed, so that a record without fields has somewhere to go and fail. */
static bool allocate(struct parser *p)
{
    struct ventus_module *m = p->m;
    m->kernels = calloc(p->nkernels + 1, sizeof *m->kernels);
    m->args = calloc(p->nargs + 1, sizeof *m->args);
    m->lines = calloc(p->nlines + 1, sizeof *m->lines);
    m->formats = calloc(p->nformats + 1, sizeof *m->formats);
    m->strings = calloc(p->nstrings + 1, sizeof *m->strings);
    return m->kernels && m->args && m->lines && m->formats && m->strings;
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const struct text *)a)->id, y = ((const struct text *)b)->id;
    return (x > y) - (x < y);
}

static bool parse_note(struct parser *p)
{
    struct ventus_module *m = p->m;
    static const char first[] = "ventus-module 1";
    count_records(p, m->note);
    if (p->nkernels > MAX_KERNELS) return fail(p, "too many kernels");
    if (!allocate(p)) return fail(p, "out of memory");
    char *line = m->note, *next = strchr(line, '\n');
    if (next) *next++ = 0;
    if (strcmp(line, first)) return fail(p, "the module note is not of version 1");
    for (line = next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (*line && !record(p, line)) return false;
    }
    qsort(m->formats, m->nformats, sizeof *m->formats, by_id);
    qsort(m->strings, m->nstrings, sizeof *m->strings, by_id);
    return true;
}

/* ---- programs of other compilers: resource records instead of a note ---- */

/* Sizes of a kernel from its record; registers that nobody counted may be any. */
static bool record_sizes(struct parser *p, const struct elf_resource *r, struct ventus_kernel *k)
{
    bool incomplete = r->flags & ABI_REGISTERS_INCOMPLETE, deep = r->value[ABI_PDS_STACK] == ABI_RESOURCE_UNKNOWN;
    uint64_t stack = deep ? USUAL_STACK : r->value[ABI_PDS_STACK];
    if (r->value[ABI_VGPR] > ISA_VREGS || r->value[ABI_SGPR] > ISA_XREGS)
        return fail(p, "a resource record wants more registers than there are");
    if (r->value[ABI_LDS] > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE || r->value[ABI_PDS] > MAX_PDS ||
        stack > MAX_PDS - r->value[ABI_PDS])
        return fail(p, "a resource record wants more memory than there is");
    if (r->value[ABI_LDS_STACK] > ABI_WARP_STACK && r->value[ABI_LDS_STACK] != ABI_RESOURCE_UNKNOWN)
        return fail(p, "a resource record wants a deeper scalar stack than a warp has");
    k->vgprs = incomplete ? ISA_VREGS : (uint32_t)r->value[ABI_VGPR];
    k->sgprs = incomplete ? ISA_XREGS : (uint32_t)r->value[ABI_SGPR];
    k->lds_bytes = (uint32_t)r->value[ABI_LDS];
    k->pds_bytes = (uint32_t)(r->value[ABI_PDS] + stack);
    return true;
}

static bool add_recorded(struct parser *p, const struct elf_resource *r, const struct elf_symbol *s)
{
    struct ventus_kernel k = {.name = s->name, .entry = s->value, .vec_hint = ""};
    if (!record_sizes(p, r, &k)) return false;
    if (!executable(p->m, k.entry)) return fail(p, "a kernel's entry is not in executable code");
    if (ventus_module_find(p->m, k.name)) return fail(p, "two kernels of one name");
    p->m->kernels[p->m->nkernels++] = k;
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = *(const struct elf_symbol *const *)a, *y = *(const struct elf_symbol *const *)b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct elf_symbol *const *)a)->name, (*(const struct elf_symbol *const *)b)->name);
}

/* Records that name their kernels. */
static bool add_named(struct parser *p, const struct elf_image *image, const struct elf_symbol **order)
{
    for (size_t i = 0; i < image->nsymbols; i++) order[i] = &image->symbols[i];
    qsort(order, image->nsymbols, sizeof *order, by_name);
    for (size_t i = 0; i < image->nresources; i++) {
        const struct elf_symbol wanted = {.name = image->resources[i].kernel}, *key = &wanted;
        if (!wanted.name) continue;
        const struct elf_symbol *const *found = bsearch(&key, order, image->nsymbols, sizeof *order, by_name);
        if (!found) return fail(p, "a resource record is of a kernel that has no symbol");
        if (!add_recorded(p, &image->resources[i], *found)) return false;
    }
    return true;
}

/* Records without names belong to the functions in the order of their addresses, if there are as many. */
static bool add_unnamed(struct parser *p, const struct elf_image *image, const struct elf_symbol **order)
{
    size_t n = 0, count = 0;
    for (size_t i = 0; i < image->nresources; i++) count += !image->resources[i].kernel;
    for (size_t i = 0; i < image->nsymbols; i++)
        if (image->symbols[i].function && strcmp(image->symbols[i].name, "_start")) order[n++] = &image->symbols[i];
    qsort(order, n, sizeof *order, by_address);
    if (count && n != count)
        return fail(p, "there is no Ventus note, and its resource records do not say whose they are");
    for (size_t i = 0, next = 0; i < image->nresources; i++)
        if (!image->resources[i].kernel && !add_recorded(p, &image->resources[i], order[next++])) return false;
    return true;
}

/* Nobody says what arguments these kernels have; they get none. */
static bool take_records(struct parser *p, const struct elf_image *image)
{
    const struct elf_symbol **order = calloc(image->nsymbols + 1, sizeof *order);
    p->nkernels = image->nresources;
    bool ok = p->nkernels <= MAX_KERNELS || fail(p, "too many kernels");
    ok = ok && ((order && allocate(p)) || fail(p, "out of memory"));
    ok = ok && add_named(p, image, order) && add_unnamed(p, image, order);
    free(order);
    return ok;
}

/* ---- segments ---- */

static bool add_segment(struct parser *p, const struct elf_segment *e)
{
    struct ventus_module *m = p->m;
    if (!e->memsize) return true;
    if (e->addr < ABI_CODE_BASE || e->addr >= ABI_CODE_LIMIT || e->memsize > ABI_CODE_LIMIT - e->addr)
        return fail(p, "the program is not placed in the code window");
    if (e->filesize > e->memsize) return fail(p, "a segment is larger in the file than in memory");
    unsigned access = GPU_READ | (e->executable ? GPU_EXEC : 0) | (e->writable ? GPU_WRITE : 0);
    m->segments[m->nsegments++] = (struct segment){e->addr, e->filesize, e->memsize, access, e->data};
    return true;
}

static bool take_segments(struct parser *p, const struct elf_segment *e, size_t n)
{
    if (n > MAX_SEGMENTS) return fail(p, "too many segments");
    for (size_t i = 0; i < n; i++)
        if (!add_segment(p, &e[i])) return false;
    return executable(p->m, p->m->entry) || fail(p, "the entry point is not in executable code");
}

/* ---- the interface ---- */

static bool load(struct parser *p, size_t size)
{
    struct ventus_module *m = p->m;
    struct elf_segment segments[MAX_SEGMENTS] = {0};
    struct elf_image image = {0};
    size_t n = 0;
    const char *why = NULL;
    if (!elf_read(m->bytes, size, &image, segments, MAX_SEGMENTS, &n, &why))
        return fail(p, why ? why : "damaged ELF file");
    m->entry = image.entry;
    m->note = image.note ? strdup(image.note) : NULL;
    bool ok = m->note || !image.note || fail(p, "out of memory");
    ok = ok && (m->note || image.nresources || fail(p, "the program has neither a Ventus note nor resource records"));
    ok = ok && take_segments(p, segments, n) && (m->note ? parse_note(p) : take_records(p, &image));
    elf_free(&image); /* names of symbols are in the file's own bytes */
    return ok;
}

enum ventus_status ventus_module_load(const void *elf, size_t size, ventus_module **module, const char **why)
{
    static _Atomic uint64_t serial;
    struct parser p = {0};
    if (!elf || !size || !module) {
        if (why) *why = "nothing to load";
        return VENTUS_BAD_ARGUMENT;
    }
    p.m = calloc(1, sizeof *p.m);
    if (p.m) p.m->bytes = malloc(size);
    if (!p.m || !p.m->bytes) {
        free(p.m);
        if (why) *why = "out of memory";
        return VENTUS_NO_MEMORY;
    }
    memcpy(p.m->bytes, elf, size);
    p.m->uses = 1;
    p.m->serial = atomic_fetch_add(&serial, 1) + 1;
    if (!load(&p, size)) {
        ventus_module_free(p.m);
        if (why) *why = p.why;
        return VENTUS_BAD_MODULE;
    }
    *module = p.m;
    return VENTUS_OK;
}

void ventus_module_free(ventus_module *m)
{
    if (!m || atomic_fetch_sub(&m->uses, 1) != 1) return;
    free(m->bytes);
    free(m->note);
    free(m->kernels);
    free(m->args);
    free(m->lines);
    free(m->formats);
    free(m->strings);
    free(m);
}

size_t ventus_module_kernels(const ventus_module *module) { return module->nkernels; }

const struct ventus_kernel *ventus_module_kernel(const ventus_module *module, size_t index)
{
    return index < module->nkernels ? &module->kernels[index] : NULL;
}

const struct ventus_kernel *ventus_module_find(const ventus_module *module, const char *name)
{
    for (size_t i = 0; name && i < module->nkernels; i++)
        if (!strcmp(module->kernels[i].name, name)) return &module->kernels[i];
    return NULL;
}

uint32_t ventus_module_line(const ventus_module *module, uint32_t pc)
{
    size_t lo = 0, hi = module->nlines; /* first record above pc */
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (module->lines[mid].pc > pc) hi = mid;
        else lo = mid + 1;
    }
    return lo ? module->lines[lo - 1].line : 0;
}

/* ---- the code window of a device ---- */

static void take_out(ventus_device *d)
{
    for (size_t i = 0; i < d->nsegments; i++) {
        if (d->check) check_closed(d->check, d->segments[i].addr, d->segments[i].memsize);
        gpu_mem_close(d->gpu, d->segments[i].addr, d->segments[i].memsize);
    }
    d->nsegments = 0;
    d->loaded = 0;
}

static bool share_page(const struct segment *a, const struct segment *b)
{
    uint64_t a_end = ((uint64_t)a->addr + a->memsize - 1) / ABI_PAGE,
             b_end = ((uint64_t)b->addr + b->memsize - 1) / ABI_PAGE;
    return a->addr / ABI_PAGE <= b_end && b->addr / ABI_PAGE <= a_end;
}

/* A page that belongs to two segments allows what either does. */
static unsigned access_of(const ventus_device *d, const struct segment *s)
{
    unsigned access = 0;
    for (size_t i = 0; i < d->nsegments; i++)
        if (share_page(s, &d->segments[i])) access |= d->segments[i].access;
    return access;
}

static bool put_in(ventus_device *d)
{
    unsigned access[MAX_SEGMENTS];
    for (size_t i = 0; i < d->nsegments; i++) {
        struct segment *s = &d->segments[i];
        access[i] = access_of(d, s);
        if (!gpu_mem_open(d->gpu, s->addr, s->memsize, GPU_READ | GPU_WRITE)) return false;
        if (s->filesize) memcpy(gpu_mem(d->gpu, s->addr, s->filesize), s->data, s->filesize);
        if (d->check) {
            check_opened(d->check, s->addr, s->memsize, "the program");
            check_wrote(d->check, s->addr, s->memsize);
        }
        s->data = NULL; /* belongs to the module, which may go away */
    }
    for (size_t i = 0; i < d->nsegments; i++) {
        d->segments[i].access = access[i];
        if (!gpu_mem_open(d->gpu, d->segments[i].addr, d->segments[i].memsize, access[i])) return false;
    }
    gpu_mem_code_changed(d->gpu);
    return true;
}

enum ventus_status module_place(ventus_device *d, const ventus_module *m)
{
    if (d->loaded == m->serial) return VENTUS_OK;
    pthread_mutex_lock(&d->lock);
    take_out(d);
    memcpy(d->segments, m->segments, sizeof d->segments);
    d->nsegments = m->nsegments;
    bool ok = put_in(d);
    if (ok) d->loaded = m->serial;
    else take_out(d);
    pthread_mutex_unlock(&d->lock);
    return ok ? VENTUS_OK : VENTUS_NO_MEMORY;
}
