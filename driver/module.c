/* What a compiled program contains: its segments, and the kernels its note describes, or for lack of one its
 * resource records (isa/abi.h).
 *
 * Nothing in a file is trusted: asm/ refuses what is damaged, and here addresses must lie in the code window. */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

enum { USUAL_STACK = 4096 }; /* private bytes of a stack whose depth is not known: a guess */

struct parser {
    struct ventus_module *m;
    char *why; /* where an error goes: `why_size` bytes, or NULL */
    size_t why_size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (p->why) vsnprintf(p->why, p->why_size, format, args);
    va_end(args);
    return false;
}

static bool executable(const struct ventus_module *m, uint32_t addr)
{
    for (size_t i = 0; i < m->nsegments; i++) {
        const struct segment *s = &m->segments[i];
        if ((s->access & GPU_EXEC) && addr - s->addr < s->memsize) return addr % 4 == 0;
    }
    return false;
}

bool module_has_atomics(const ventus_module *m)
{
    enum { OPCODE = 0x7f, AMO = 0x2f };
    for (size_t i = 0; i < m->nsegments; i++)
        for (uint32_t at = 0; m->segments[i].access & GPU_EXEC && at + 4 <= m->segments[i].filesize; at += 4)
            if ((m->segments[i].data[at] & OPCODE) == AMO) return true;
    return false;
}

/* ---- the note ---- */

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const struct note_string *)a)->id, y = ((const struct note_string *)b)->id;
    return (x > y) - (x < y);
}

static bool has_entry(struct parser *p, const struct ventus_kernel *k)
{
    return executable(p->m, k->entry) ||
           fail(p, "the entry of kernel %.80s, 0x%08x, is not in executable code", k->name, (unsigned)k->entry);
}

static bool read_note(struct parser *p, const char *text)
{
    struct note *note = &p->m->note;
    struct note_error error;
    char what[NOTE_ERROR_ROOM];
    if (!note_read(text, strlen(text), note, &error)) {
        note_explain(&error, what);
        return fail(p, "%s", what);
    }
    for (size_t i = 0; i < note->nkernels; i++) {
        const struct ventus_kernel *k = &note->kernels[i];
        if (!has_entry(p, k)) return false;
        if (k->vgprs == NOTE_AUTO || k->sgprs == NOTE_AUTO)
            return fail(p, "the module note leaves the registers of kernel %.80s to the linker", k->name);
    }
    qsort(note->formats, note->nformats, sizeof *note->formats, by_id);
    qsort(note->strings, note->nstrings, sizeof *note->strings, by_id);
    return p->m->has_note = true;
}

/* ---- programs of other compilers: resource records instead of a note ---- */

/* Sizes of a kernel from its record; registers that nobody counted may be any. */
static bool record_sizes(struct parser *p, const struct elf_resource *r, struct ventus_kernel *k)
{
    bool incomplete = r->flags & ABI_REGISTERS_INCOMPLETE, deep = r->value[ABI_PDS_STACK] == ABI_RESOURCE_UNKNOWN;
    uint64_t stack = deep ? USUAL_STACK : r->value[ABI_PDS_STACK];
    const char *wants = NULL;
    if (r->value[ABI_VGPR] > ISA_VREGS || r->value[ABI_SGPR] > ISA_XREGS) wants = "more registers than there are";
    if (r->value[ABI_LDS] > NOTE_MAX_LDS || r->value[ABI_PDS] > NOTE_MAX_PDS ||
        stack > NOTE_MAX_PDS - r->value[ABI_PDS])
        wants = "more memory than there is";
    if (r->value[ABI_LDS_STACK] > ABI_WARP_STACK && r->value[ABI_LDS_STACK] != ABI_RESOURCE_UNKNOWN)
        wants = "a deeper scalar stack than a warp has";
    if (wants) return fail(p, "the resource record of kernel %.80s wants %s", k->name, wants);
    k->vgprs = incomplete ? ISA_VREGS : (uint32_t)r->value[ABI_VGPR];
    k->sgprs = incomplete ? ISA_XREGS : (uint32_t)r->value[ABI_SGPR];
    k->lds_bytes = (uint32_t)r->value[ABI_LDS];
    k->pds_bytes = (uint32_t)(r->value[ABI_PDS] + stack);
    return true;
}

static bool add_recorded(struct parser *p, const struct elf_resource *r, const struct elf_symbol *s)
{
    struct ventus_kernel k = {.name = s->name, .entry = s->value, .vec_hint = "", .more = ""};
    if (!record_sizes(p, r, &k) || !has_entry(p, &k)) return false;
    if (ventus_module_find(p->m, k.name)) return fail(p, "two kernels of one name: %.80s", k.name);
    p->m->recorded[p->m->note.nkernels++] = k;
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
        if (!found) return fail(p, "a resource record is of kernel %.80s, which has no symbol", wanted.name);
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
static bool read_records(struct parser *p, const struct elf_image *image)
{
    const struct elf_symbol **order = calloc(image->nsymbols + 1, sizeof *order);
    p->m->recorded = p->m->note.kernels = calloc(image->nresources + 1, sizeof *p->m->recorded);
    bool ok = image->nresources <= NOTE_MAX_KERNELS || fail(p, "too many kernels");
    ok = ok && ((order && p->m->recorded) || fail(p, "out of memory"));
    ok = ok && add_named(p, image, order) && add_unnamed(p, image, order);
    free(order);
    return ok;
}

/* ---- segments ---- */

/* A writable segment is kept as a whole, since launches change it. */
static bool keep_variables(struct parser *p, struct segment *s, size_t index)
{
    uint8_t *bytes = p->m->variables[index] = calloc(1, s->memsize);
    if (!bytes) return fail(p, "out of memory");
    if (s->filesize) memcpy(bytes, s->data, s->filesize);
    s->data = bytes;
    s->filesize = s->memsize;
    return true;
}

static bool add_segment(struct parser *p, const struct elf_segment *e)
{
    struct ventus_module *m = p->m;
    if (!e->memsize) return true;
    if (e->addr < ABI_CODE_BASE || e->addr >= ABI_CODE_LIMIT || e->memsize > ABI_CODE_LIMIT - e->addr)
        return fail(p, "the segment at 0x%08x is not in the code window", (unsigned)e->addr);
    if (e->filesize > e->memsize)
        return fail(p, "the segment at 0x%08x is larger in the file than in memory", (unsigned)e->addr);
    unsigned access = GPU_READ | (e->executable ? GPU_EXEC : 0) | (e->writable ? GPU_WRITE : 0);
    struct segment *s = &m->segments[m->nsegments++];
    *s = (struct segment){e->addr, e->filesize, e->memsize, access, e->data};
    return !e->writable || keep_variables(p, s, m->nsegments - 1);
}

static bool read_segments(struct parser *p, const struct elf_segment *e, size_t n)
{
    if (n > MAX_SEGMENTS) return fail(p, "too many segments");
    for (size_t i = 0; i < n; i++)
        if (!add_segment(p, &e[i])) return false;
    return executable(p->m, p->m->entry) ||
           fail(p, "the entry point, 0x%08x, is not in executable code", (unsigned)p->m->entry);
}

/* ---- the interface ---- */

static bool load(struct parser *p, size_t size)
{
    struct ventus_module *m = p->m;
    struct elf_segment segments[MAX_SEGMENTS] = {0};
    struct elf_image image = {0};
    size_t n = 0, object_size;
    const char *why = NULL;
    if (!elf_read(m->bytes, size, &image, segments, MAX_SEGMENTS, &n, &why))
        return fail(p, "%s", why ? why : "damaged ELF file");
    m->entry = image.entry;
    m->profile = image.profile;
    m->is_draft = elf_draft_object(&image, &object_size);
    bool ok = image.note || image.nresources || fail(p, "the program has neither a Ventus note nor resource records");
    ok = ok && read_segments(p, segments, n) && (image.note ? read_note(p, image.note) : read_records(p, &image));
    elf_free(&image); /* names of symbols are in the file's own bytes */
    return ok;
}

enum ventus_status ventus_module_load(const void *elf, size_t size, ventus_module **module, char *why, size_t why_size)
{
    static _Atomic uint64_t serial;
    struct parser p = {.why = why, .why_size = why_size};
    if (!elf || !size || !module) {
        fail(&p, "nothing to load");
        return VENTUS_BAD_ARGUMENT;
    }
    p.m = calloc(1, sizeof *p.m);
    if (p.m) p.m->bytes = malloc(size);
    if (!p.m || !p.m->bytes) {
        free(p.m);
        fail(&p, "out of memory");
        return VENTUS_NO_MEMORY;
    }
    memcpy(p.m->bytes, elf, size);
    p.m->size = size;
    p.m->uses = 1;
    p.m->serial = atomic_fetch_add(&serial, 1) + 1;
    errno = 0;
    if (!load(&p, size)) {
        const bool starved = errno == ENOMEM; /* libelf calls it a damaged file */
        ventus_module_free(p.m);
        if (starved) fail(&p, "out of memory");
        return starved ? VENTUS_NO_MEMORY : VENTUS_BAD_MODULE;
    }
    *module = p.m;
    return VENTUS_OK;
}

void ventus_module_free(ventus_module *m)
{
    if (!m || atomic_fetch_sub(&m->uses, 1) != 1) return;
    for (size_t i = 0; i < MAX_SEGMENTS; i++) free(m->variables[i]);
    free(m->bytes);
    free(m->recorded);
    note_free(&m->note);
    free(m);
}

size_t ventus_module_kernels(const ventus_module *module) { return module->note.nkernels; }

const struct ventus_kernel *ventus_module_kernel(const ventus_module *module, size_t index)
{
    return index < module->note.nkernels ? &module->note.kernels[index] : NULL;
}

const struct ventus_kernel *ventus_module_find(const ventus_module *module, const char *name)
{
    for (size_t i = 0; name && i < module->note.nkernels; i++)
        if (!strcmp(module->note.kernels[i].name, name)) return &module->note.kernels[i];
    return NULL;
}

const char *ventus_module_profile(const ventus_module *module)
{
    return module->profile ? isa_profile_name((enum isa_profile)module->profile) : "";
}

bool ventus_module_fits(const ventus_device *device, const ventus_module *module, char *why, size_t why_size)
{
    uint32_t machine = gpu_config_of(device->gpu)->profile;
    if (isa_profile_runs((enum isa_profile)machine, module->profile)) return true;
    if (why)
        snprintf(why, why_size, "the program is of profile %s, the machine of profile %s",
                 ventus_module_profile(module), isa_profile_name((enum isa_profile)machine));
    return false;
}

size_t ventus_module_variables(const ventus_module *module)
{
    size_t bytes = 0;
    for (size_t i = 0; i < module->nsegments; i++) bytes += module->variables[i] ? module->segments[i].memsize : 0;
    return bytes;
}

bool ventus_module_is_draft(const ventus_module *module) { return module && module->is_draft; }

bool ventus_module_prints(const ventus_module *module) { return module && module->note.nformats; }

uint32_t ventus_module_line(const ventus_module *module, uint32_t pc) { return note_line_at(&module->note, pc); }

/* ---- the code window of a device ---- */

/* The module of the code window has to be there when its variables are taken out again. */
static void hold_variables(ventus_device *d, const ventus_module *m)
{
    bool any = false;
    for (size_t i = 0; i < m->nsegments; i++) any |= m->variables[i] != NULL;
    if (!any) return;
    d->variables = (ventus_module *)m; /* only its uses and variables change */
    atomic_fetch_add(&d->variables->uses, 1);
}

void module_release_variables(ventus_device *d)
{
    ventus_module *m = d->variables;
    for (size_t i = 0; m && i < m->nsegments; i++) {
        const struct segment *s = &m->segments[i];
        const void *now = m->variables[i] ? space_host(d, s->addr, s->memsize) : NULL;
        if (now) memcpy(m->variables[i], now, s->memsize);
    }
    ventus_module_free(m);
    d->variables = NULL;
}

static void unmap_segments(ventus_device *d)
{
    module_release_variables(d);
    for (size_t i = 0; i < d->nsegments; i++) {
        device_notify(d, HOST_CLOSE, d->segments[i].addr, d->segments[i].memsize);
        space_unmap(d, d->segments[i].addr, d->segments[i].memsize);
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

static bool map_segments(ventus_device *d)
{
    unsigned access[MAX_SEGMENTS];
    for (size_t i = 0; i < d->nsegments; i++) {
        struct segment *s = &d->segments[i];
        access[i] = access_of(d, s);
        if (!space_map(d, s->addr, s->memsize, GPU_READ | GPU_WRITE)) return false;
        if (s->filesize) memcpy(space_host(d, s->addr, s->filesize), s->data, s->filesize);
        device_notify_named(d, "the program", s->addr, s->memsize, s->memsize);
        s->data = NULL; /* belongs to the module, which may go away */
    }
    for (size_t i = 0; i < d->nsegments; i++) {
        d->segments[i].access = access[i];
        if (!space_map(d, d->segments[i].addr, d->segments[i].memsize, access[i])) return false;
    }
    gpu_mem_code_changed(d->gpu);
    return true;
}

enum ventus_status module_map(ventus_device *d, const ventus_module *m)
{
    if (d->loaded == m->serial) return VENTUS_OK;
    pthread_mutex_lock(&d->lock);
    unmap_segments(d);
    memcpy(d->segments, m->segments, sizeof d->segments);
    d->nsegments = m->nsegments;
    bool ok = map_segments(d);
    if (ok) d->loaded = m->serial, hold_variables(d, m);
    else unmap_segments(d);
    pthread_mutex_unlock(&d->lock);
    return ok ? VENTUS_OK : VENTUS_NO_MEMORY;
}
