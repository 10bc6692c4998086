/* The interface: what the design says is taken in, the reference makes the same step, and both are compared. */
#include "cosim/ventus_cosim.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "asm/image.h"
#include "cosim/parts.h"
#include "sim/layout.h"
#include "vt/case.h"

static _Thread_local char no_reference[400]; /* why there is none, or that none was given */

int cosim_fail(struct ventus_cosim *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c ? c->error : no_reference, sizeof no_reference, format, args);
    va_end(args);
    return 0;
}

const char *ventus_cosim_error(const struct ventus_cosim *c) { return c ? c->error : no_reference; }

/* The reference and what a pointer of the caller's has to point to. */
static int given(struct ventus_cosim *c, const void *argument)
{
    return (c && argument) || cosim_fail(c, c ? "an argument is a null pointer" : "the reference is a null pointer");
}

struct place *place_of(const struct ventus_cosim *c, const struct group *g)
{
    return &c->places[g->sm->index * gpu_config_of(c->gpu)->groups_per_sm + g->slot];
}

/* ---- the reference ---- */

/* Format NULL: the one they have. */
static bool set_tolerance(struct ventus_cosim *c, const char *pattern, const enum value_format *format, uint32_t ulps)
{
    bool some = false;
    for (int op = OP_INVALID + 1; op < OP_COUNT; op++) {
        if (fnmatch(pattern, isa_table[op].name, 0) != 0) continue;
        c->tolerance[op] = ulps;
        if (format) c->format[op] = (uint8_t)*format;
        some = true;
    }
    return some;
}

static void default_tolerances(struct ventus_cosim *c)
{
    static const struct {
        const char *pattern;
        enum value_format format;
        uint32_t ulps;
    } rows[] = {
#define TOLERANCE(pattern, format, ulps, why) {pattern, format, ulps},
#include "cosim/tolerance.def"
#undef TOLERANCE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool some = set_tolerance(c, rows[i].pattern, &rows[i].format, rows[i].ulps);
        assert(some); /* a row of no instruction is a slip of the pen */
        (void)some;
    }
}

int ventus_cosim_ref_tolerance(struct ventus_cosim *c, const char *pattern, uint32_t ulps)
{
    if (!given(c, pattern)) return 0;
    return set_tolerance(c, pattern, NULL, ulps) || cosim_fail(c, "%.80s: there is no such instruction", pattern);
}

struct ventus_cosim *ventus_cosim_ref_init(const char *machine, uint32_t reports)
{
    struct gpu_config config;
    gpu_config_default(&config);
    if (machine && *machine && !gpu_config_read(&config, machine, no_reference, sizeof no_reference)) return NULL;
    if (reports & ~(uint32_t)VENTUS_COSIM_ALL)
        return cosim_fail(NULL, "0x%x: no set of reports", (unsigned)reports), NULL;
    if (config.translation) return cosim_fail(NULL, "addresses are not translated in co-simulation"), NULL;
    struct ventus_cosim *c = calloc(1, sizeof *c);
    if (c && reference_open(c, &config)) {
        c->reports = reports;
        default_tolerances(c);
        return c;
    }
    snprintf(no_reference, sizeof no_reference, "%s", c ? c->error : "out of memory");
    if (c) reference_close(c);
    free(c);
    return NULL;
}

static void forget_program(struct ventus_cosim *c)
{
    note_free(&c->note);
    c->note = (struct note){0};
}

static void forget_harts(struct ventus_cosim *c)
{
    for (uint32_t i = 0; i < c->nharts; i++) free(c->harts[i]);
    free(c->harts);
    c->harts = NULL;
    c->nharts = 0;
}

void ventus_cosim_ref_shutdown(struct ventus_cosim *c)
{
    if (!c) return;
    if (c->launched) reference_end(c);
    forget_harts(c);
    forget_program(c);
    words_forget(&c->words);
    reference_close(c);
    free(c->report);
    free(c);
}

/* ---- memory ---- */

/* Executable where it meets the code window. */
static unsigned access_of(uint32_t addr, uint64_t size)
{
    const bool code = addr < ABI_CODE_LIMIT && (addr >= ABI_CODE_BASE || size > ABI_CODE_BASE - addr);
    return GPU_READ | GPU_WRITE | (code ? GPU_EXEC : 0);
}

/* The host has written the words: they are known. */
static void close_words(struct ventus_cosim *c, uint32_t addr, uint64_t size)
{
    for (uint64_t at = addr & ~3u; c->words.n && at < addr + size; at += 4) {
        struct word *w = words_find(&c->words, word_key((uint32_t)at, 0));
        if (w) w->n = w->total = w->open = 0;
    }
}

int ventus_cosim_ref_memory_open(struct ventus_cosim *c, uint32_t addr, uint64_t size)
{
    if (!given(c, c)) return 0;
    return gpu_mem_open(c->gpu, addr, size, access_of(addr, size)) ||
           cosim_fail(c, "0x%08x and %llu bytes from there cannot be opened", (unsigned)addr, (unsigned long long)size);
}

int ventus_cosim_ref_memory_write(struct ventus_cosim *c, uint32_t addr, const void *bytes, uint64_t size)
{
    if (!given(c, bytes)) return 0;
    if (c->launched) return cosim_fail(c, "memory is written while a launch is under way");
    if (!size) return 1;
    if (!gpu_mem(c->gpu, addr, size) && !ventus_cosim_ref_memory_open(c, addr, size)) return 0;
    memcpy(gpu_mem(c->gpu, addr, size), bytes, size);
    close_words(c, addr, size);
    if (access_of(addr, size) & GPU_EXEC) gpu_mem_code_changed(c->gpu);
    return 1;
}

static const uint8_t *open_bytes(struct ventus_cosim *c, uint32_t addr, uint64_t size)
{
    const uint8_t *p = gpu_mem(c->gpu, addr, size);
    if (!p)
        cosim_fail(c, "0x%08x and %llu bytes from there are not all open", (unsigned)addr, (unsigned long long)size);
    return p;
}

int ventus_cosim_ref_memory_read(struct ventus_cosim *c, uint32_t addr, void *bytes, uint64_t size)
{
    if (!given(c, bytes)) return 0;
    if (!size) return 1;
    const void *p = open_bytes(c, addr, size);
    if (!p) return 0;
    memcpy(bytes, p, size);
    return 1;
}

uint32_t ventus_cosim_ref_word(const struct ventus_cosim *c, uint32_t addr)
{
    uint32_t value;
    return c && cosim_word(c, addr, &value) ? value : 0;
}

/* ---- programs ---- */

/* The bytes of a file, or NULL: it is none, or too large. */
static char *read_open(FILE *f, size_t *size)
{
    enum { MOST = 64 << 20 }; /* as large as a program of `ventus ld` can be */
    struct stat s;
    if (fstat(fileno(f), &s) || !S_ISREG(s.st_mode) || s.st_size > MOST) return NULL;
    char *bytes = malloc((size_t)s.st_size + 1);
    *size = bytes ? fread(bytes, 1, (size_t)s.st_size, f) : 0;
    return bytes;
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rbe");
    char *bytes = f ? read_open(f, size) : NULL;
    if (f) fclose(f);
    return bytes;
}

static int read_program(struct ventus_cosim *c, const char *path, const char *bytes, size_t size)
{
    struct elf_image image;
    struct elf_segment segments[16];
    struct note_error error;
    size_t n;
    const char *why;
    char what[NOTE_ERROR_ROOM];
    if (!elf_read(bytes, size, &image, segments, 16, &n, &why)) return cosim_fail(c, "%.200s: %s", path, why);
    forget_program(c);
    const bool good = !image.note || note_read(image.note, strlen(image.note), &c->note, &error);
    if (!good) note_explain(&error, what);
    elf_free(&image);
    return good || cosim_fail(c, "%.150s: %s", path, what);
}

int ventus_cosim_ref_program_load(struct ventus_cosim *c, const char *path)
{
    size_t size;
    if (!given(c, path)) return 0;
    char *bytes = read_whole(path, &size);
    const int good = bytes ? read_program(c, path, bytes, size)
                           : cosim_fail(c, "%.200s: cannot be read, or is no file of up to 64 MiB", path);
    free(bytes);
    return good;
}

/* ---- launches ---- */

static int begin_launch(struct ventus_cosim *c, const struct launch *l)
{
    const char *why = l->sv39 ? "its addresses are translated" : group_check(gpu_config_of(c->gpu), l);
    if (c->launched) return cosim_fail(c, "a launch begins while another one is under way");
    if (why) return cosim_fail(c, "the launch does not fit the machine: %s", why);
    if ((uint64_t)l->groups[0] * l->groups[1] * l->groups[2] > 1u << 24)
        return cosim_fail(c, "more than 2^24 work-groups");
    c->job = (struct job){.launch = *l};
    words_forget(&c->words);
    forget_harts(c);
    c->launched = reference_begin(c);
    return c->launched || cosim_fail(c, "out of memory");
}

int ventus_cosim_ref_last_groups(struct ventus_cosim *c, uint32_t work_items, uint32_t dimension)
{
    if (!given(c, c)) return 0;
    if (c->launched) return cosim_fail(c, "a launch is under way: the last groups are said before it begins");
    if (dimension > 2) return cosim_fail(c, "dimension %u: there are 0 to 2", (unsigned)dimension);
    c->last_items = work_items;
    c->last_of = dimension;
    return 1;
}

int ventus_cosim_ref_launch(struct ventus_cosim *c, const struct ventus_cosim_launch *in)
{
    if (!given(c, in)) return 0;
    const uint32_t lanes = in->warps * in->threads_per_warp;
    const struct launch l = {.start_pc = in->start_pc,
                             .knl = in->knl,
                             .groups = {in->groups[0], in->groups[1], in->groups[2]},
                             .warps = in->warps,
                             .threads_per_warp = in->threads_per_warp,
                             .work_items = in->work_items ? in->work_items : lanes,
                             .last_items = c->last_items,
                             .last_of = c->last_of,
                             .sgprs = in->sgprs ? in->sgprs : ISA_XREGS,
                             .vgprs = in->vgprs ? in->vgprs : ISA_VREGS,
                             .lds_bytes = in->lds_bytes,
                             .pds_base = in->pds_base,
                             .pds_bytes = in->pds_bytes};
    if (!c->launched) c->last_items = c->last_of = 0; /* whether it begins or not */
    return begin_launch(c, &l);
}

/* NAME.elf of NAME.metadata, if it is there. */
static int load_names(struct ventus_cosim *c, const char *data)
{
    char path[4096];
    const size_t stem = strlen(data) - strlen(".data");
    snprintf(path, sizeof path, "%.*s.elf", (int)stem, data);
    FILE *f = fopen(path, "rbe");
    if (f) fclose(f);
    return !f || ventus_cosim_ref_program_load(c, path);
}

int ventus_cosim_ref_case(struct ventus_cosim *c, const char *metadata)
{
    struct recorded r;
    if (!given(c, metadata)) return 0;
    if (c->launched) return cosim_fail(c, "a launch begins while another one is under way");
    char *data = case_data_path(metadata);
    bool good = data ? case_read(metadata, data, &r, c->error, sizeof c->error) : cosim_fail(c, "out of memory");
    if (good) {
        /* The files have constants for registers, which no design may take for what a warp needs. */
        good = case_load(c->gpu, &r) || cosim_fail(c, "%.200s: the buffers do not fit into memory", metadata);
        good = good && load_names(c, data) && begin_launch(c, &r.launch);
        case_free(&r);
    }
    free(data);
    return good;
}

uint32_t ventus_cosim_ref_launch_field(const struct ventus_cosim *c, uint32_t field)
{
    if (!c) return 0;
    const struct launch *l = &c->job.launch;
    const uint32_t fields[] = {
        l->start_pc,   l->knl,   l->groups[0], l->groups[1], l->groups[2], l->warps,    l->threads_per_warp,
        l->work_items, l->sgprs, l->vgprs,     l->lds_bytes, l->pds_base,  l->pds_bytes};
    return field < sizeof fields / sizeof *fields ? fields[field] : 0;
}

int ventus_cosim_ref_launch_end(struct ventus_cosim *c)
{
    if (!given(c, c)) return 0;
    if (!c->launched) return cosim_fail(c, "no launch is under way");
    const struct launch *l = &c->job.launch;
    const uint32_t groups = l->groups[0] * l->groups[1] * l->groups[2];
    if (!c->report && c->groups_ended < groups) {
        FILE *f = report_begin(c, NULL, "the launch has ended, but %u of %u work-groups have begun and %u have ended",
                               (unsigned)c->groups_begun, (unsigned)groups, (unsigned)c->groups_ended);
        if (f) report_end(c, NULL, f);
    }
    reference_end(c);
    forget_harts(c);
    c->launched = false;
    return !c->report;
}

static int differ_memory(struct ventus_cosim *c, uint32_t addr, uint32_t expected, uint32_t found)
{
    FILE *f = report_begin(c, NULL, "the byte of memory at 0x%08x", (unsigned)addr);
    if (!f) return 0;
    fprintf(f, "  expected 0x%02x, found 0x%02x\n", (unsigned)expected, (unsigned)found);
    report_writer(c, f, addr, 0);
    return report_end(c, NULL, f);
}

/* May memory have the byte, too: is the order of the atomics open that have written the word, or has an earlier store
 * that is not ordered with the last one left it? */
static bool may_have(const struct ventus_cosim *c, uint32_t addr, uint8_t found)
{
    const struct word *w = words_find(&c->words, word_key(addr, 0));
    bool may = w && w->open;
    for (uint32_t k = 1; w && k < w->n; k++)
        may |= words_race(w, 0, k) && (uint8_t)(w->last[k].value >> 8 * (addr & 3)) == found;
    return may;
}

int ventus_cosim_ref_memory_compare(struct ventus_cosim *c, uint32_t addr, const void *bytes, uint64_t size)
{
    if (!given(c, bytes) || c->report) return 0;
    if (!size) return 1;
    const uint8_t *own = open_bytes(c, addr, size), *other = bytes;
    if (!own) return 0;
    c->compared += size / 4;
    if (!memcmp(own, other, size)) return 1;
    for (uint64_t at = 0; at < size; at++) {
        if (own[at] == other[at]) continue;
        if (!may_have(c, (uint32_t)(addr + at), other[at]))
            return differ_memory(c, (uint32_t)(addr + at), own[at], other[at]);
        c->taken++;
    }
    return 1;
}

/* ---- work-groups and warps of the design ---- */

static struct place *find_place(struct ventus_cosim *c, uint32_t sm, uint32_t slot)
{
    if (!given(c, c)) return NULL;
    const struct gpu_config *config = gpu_config_of(c->gpu);
    if (!c->launched) cosim_fail(c, "no launch is under way");
    else if (sm < config->sms && slot < config->groups_per_sm) return &c->places[sm * config->groups_per_sm + slot];
    else
        cosim_fail(c, "SM %u, slot %u: the machine has %u SMs with %u slots each", (unsigned)sm, (unsigned)slot,
                   (unsigned)config->sms, (unsigned)config->groups_per_sm);
    return NULL;
}

static int differ_local(struct ventus_cosim *c, const struct place *p, uint32_t group, uint32_t lds_base,
                        const struct place *other)
{
    const struct group *g = &reference_slot(c, other)->group;
    FILE *f = report_begin(c, NULL, "work-group %u begins with local memory that work-group %u has", (unsigned)group,
                           (unsigned)g->wgid);
    if (!f) return 0;
    fprintf(f, "  SM %u, slot %u at 0x%08x, and slot %u at 0x%08x: each has %u bytes\n", (unsigned)p->sm,
            (unsigned)p->slot, (unsigned)lds_base, (unsigned)other->slot, (unsigned)g->lds_base,
            (unsigned)c->job.launch.lds_bytes);
    return report_end(c, NULL, f);
}

int ventus_cosim_dut_group_begin(struct ventus_cosim *c, uint32_t sm, uint32_t slot, uint32_t group, uint32_t lds_base,
                                 uint32_t pds_base)
{
    struct place *p = find_place(c, sm, slot);
    if (!p || c->report) return 0;
    const struct launch *l = &c->job.launch;
    if (group >= l->groups[0] * l->groups[1] * l->groups[2])
        return cosim_fail(c, "work-group %u: the launch has fewer", (unsigned)group);
    if (p->used)
        return cosim_fail(c, "SM %u, slot %u: a work-group begins where another one is", (unsigned)sm, (unsigned)slot);
    if (c->begun[group / 8] >> group % 8 & 1)
        return cosim_fail(c, "work-group %u begins for the second time", (unsigned)group);
    const struct place *other = reference_sharing(c, p, lds_base);
    if (other) return differ_local(c, p, group, lds_base, other);
    const char *why = reference_place(c, p, group, lds_base, pds_base);
    if (why) return cosim_fail(c, "work-group %u: %s", (unsigned)group, why);
    c->begun[group / 8] |= (uint8_t)(1u << group % 8);
    c->groups_begun++;
    return 1;
}

static bool room_for_hart(struct ventus_cosim *c, uint32_t hart)
{
    uint32_t n = c->nharts ? c->nharts : 64;
    while (n <= hart) n *= 2;
    if (n == c->nharts) return true;
    struct watched **more = realloc(c->harts, n * sizeof *more);
    if (!more) return false;
    memset(more + c->nharts, 0, (n - c->nharts) * sizeof *more);
    c->harts = more;
    c->nharts = n;
    return true;
}

static struct watched *make_hart(struct ventus_cosim *c, uint32_t hart)
{
    if (hart >= VENTUS_COSIM_HARTS) cosim_fail(c, "hart %u: there are %d at most", (unsigned)hart, VENTUS_COSIM_HARTS);
    else if (!room_for_hart(c, hart) || (!c->harts[hart] && !(c->harts[hart] = calloc(1, sizeof **c->harts))))
        cosim_fail(c, "out of memory");
    else return c->harts[hart];
    return NULL;
}

static const struct watched *hart_with(const struct ventus_cosim *c, const struct warp *warp)
{
    for (uint32_t i = 0; i < c->nharts; i++)
        if (c->harts[i] && c->harts[i]->warp == warp) return c->harts[i];
    return NULL;
}

int ventus_cosim_dut_warp_begin(struct ventus_cosim *c, uint32_t hart, uint32_t sm, uint32_t slot, uint32_t warp)
{
    struct place *p = find_place(c, sm, slot);
    if (!p || c->report) return 0;
    if (!p->used || warp >= c->job.launch.warps)
        return cosim_fail(c, "hart %u: there is no warp %u on SM %u, slot %u", (unsigned)hart, (unsigned)warp,
                          (unsigned)sm, (unsigned)slot);
    struct watched *w = make_hart(c, hart);
    if (!w) return 0;
    if (w->warp && w->warp->state != WARP_ENDED)
        return cosim_fail(c, "hart %u: a warp begins where another one has not ended", (unsigned)hart);
    struct warp *own = &reference_slot(c, p)->warps[warp];
    const struct watched *other = hart_with(c, own);
    if (other) return cosim_fail(c, "hart %u: its warp is on hart %u", (unsigned)hart, (unsigned)other->number);
    memset(w, 0, sizeof *w);
    w->warp = own;
    w->number = hart;
    return 1;
}

static struct watched *find_hart(const struct ventus_cosim *c, uint32_t hart)
{
    struct watched *w = c && hart < c->nharts ? c->harts[hart] : NULL;
    return w && w->warp ? w : NULL;
}

/* The group goes: its harts have no warp any more. */
static void clear_harts(struct ventus_cosim *c, const struct group *g)
{
    for (uint32_t i = 0; i < c->nharts; i++)
        if (c->harts[i] && c->harts[i]->warp && c->harts[i]->warp->group == g) c->harts[i]->warp = NULL;
}

static const struct watched *first_running(const struct ventus_cosim *c, const struct group *g)
{
    for (uint32_t i = 0; i < c->nharts; i++) {
        const struct watched *w = c->harts[i];
        if (w && w->warp && w->warp->group == g && w->warp->state != WARP_ENDED) return w;
    }
    return NULL;
}

int ventus_cosim_dut_group_end(struct ventus_cosim *c, uint32_t sm, uint32_t slot)
{
    struct place *p = find_place(c, sm, slot);
    if (!p || c->report) return 0;
    if (!p->used)
        return cosim_fail(c, "SM %u, slot %u: no work-group is there that could end", (unsigned)sm, (unsigned)slot);
    struct group *g = &reference_slot(c, p)->group;
    if (g->ended < c->job.launch.warps) {
        const struct watched *w = first_running(c, g);
        FILE *f = report_begin(c, w, "work-group %u has ended, but %u of its %u warps have not", (unsigned)g->wgid,
                               (unsigned)(c->job.launch.warps - g->ended), (unsigned)c->job.launch.warps);
        return f ? report_end(c, w, f) : 0;
    }
    clear_harts(c, g);
    reference_remove(c, p);
    c->groups_ended++;
    return 1;
}

/* ---- what the design says of an instruction ---- */

static struct watched *hart_of(struct ventus_cosim *c, uint32_t hart)
{
    struct watched *w = find_hart(c, hart);
    if (!given(c, c) || c->report) return NULL;
    if (!w) cosim_fail(c, "hart %u: no warp has begun there", (unsigned)hart);
    return w;
}

static struct dut_write *next_write(struct ventus_cosim *c, struct dut_write *list, unsigned *n)
{
    if (*n < DUT_WRITES) return &list[(*n)++];
    cosim_fail(c, "more than %d registers written by one instruction", DUT_WRITES);
    return NULL;
}

int ventus_cosim_dut_x_set(struct ventus_cosim *c, uint32_t hart, uint32_t reg, uint32_t value)
{
    struct watched *w = hart_of(c, hart);
    struct dut_write *d = w ? next_write(c, w->dut.x, &w->dut.nx) : NULL;
    if (d) d->reg = reg, d->mask = reg != 0, d->value[0] = value;
    return d != NULL;
}

int ventus_cosim_dut_v_set(struct ventus_cosim *c, uint32_t hart, uint32_t reg, uint32_t mask, const uint32_t *values)
{
    struct watched *w = hart_of(c, hart);
    struct dut_write *d = w && given(c, values) ? next_write(c, w->dut.v, &w->dut.nv) : NULL;
    if (!d) return 0;
    d->reg = reg;
    d->mask = mask;
    memcpy(d->value, values, sizeof d->value);
    return 1;
}

int ventus_cosim_dut_bus(struct ventus_cosim *c, uint32_t hart, uint32_t write, uint32_t bytes, uint32_t mask,
                         const uint32_t *addr, const uint32_t *data)
{
    struct watched *w = hart_of(c, hart);
    if (!w || !given(c, addr)) return 0;
    if (write > 2 || (bytes != 1 && bytes != 2 && bytes != 4))
        return cosim_fail(c, "no memory access: write %u, %u bytes", (unsigned)write, (unsigned)bytes);
    if (w->dut.naccess == EVENT_WORDS)
        return cosim_fail(c, "more than %d memory accesses by one instruction", EVENT_WORDS);
    struct dut_access *d = &w->dut.access[w->dut.naccess++];
    *d = (struct dut_access){.write = write, .size = bytes, .mask = mask, .has_data = data};
    memcpy(d->addr, addr, mask ? sizeof d->addr : 4);
    if (data) memcpy(d->data, data, mask ? sizeof d->data : 4);
    return 1;
}

int ventus_cosim_dut_simt_set(struct ventus_cosim *c, uint32_t hart, uint32_t mask, uint32_t depth)
{
    struct watched *w = hart_of(c, hart);
    if (!w) return 0;
    w->dut.has_simt = true;
    w->dut.mask = mask;
    w->dut.depth = depth;
    return 1;
}

/* ---- retirement ---- */

static int differ_state(struct ventus_cosim *c, const struct watched *w, uint32_t pc, const char *what)
{
    FILE *f = report_begin(c, w, "%s", what);
    if (!f) return 0;
    fprintf(f, "  found an instruction at 0x%08x", (unsigned)pc);
    report_line(c, f, pc);
    fprintf(f, "\n");
    return report_end(c, w, f);
}

/* May the warp go on at all? */
static int compare_state(struct ventus_cosim *c, const struct watched *w, uint32_t pc)
{
    if (w->warp->state != WARP_READY && w->warp->state != WARP_ENDED) reference_wake(c, w->warp->group);
    switch (w->warp->state) {
    case WARP_READY: return 1;
    case WARP_ENDED: return differ_state(c, w, pc, "the warp has ended, and goes on");
    case WARP_WAITING:
        return differ_state(c, w, pc, "the warp passes a barrier that not all warps of its work-group have reached");
    default: return differ_state(c, w, pc, "the warp does not wait for its copies");
    }
}

static int differ_pc(struct ventus_cosim *c, const struct watched *w, uint32_t expected, uint32_t pc)
{
    FILE *f = report_begin(c, w, "the address of the instruction");
    if (!f) return 0;
    fprintf(f, "  expected 0x%08x", (unsigned)expected);
    report_line(c, f, expected);
    fprintf(f, "\n  found    0x%08x", (unsigned)pc);
    report_line(c, f, pc);
    fprintf(f, "\n");
    return report_end(c, w, f);
}

static int differ_word(struct ventus_cosim *c, const struct watched *w, uint32_t expected, uint32_t word)
{
    FILE *f = report_begin(c, w, "the instruction word");
    if (!f) return 0;
    fprintf(f, "  expected 0x%08x, found 0x%08x\n", (unsigned)expected, (unsigned)word);
    report_writer(c, f, w->warp->pc, 0);
    return report_end(c, w, f);
}

enum fetched { WRONG, WHOLE, PREFIX_ALONE };

/* Is it the warp's next instruction, or the prefix of that? */
static enum fetched compare_fetch(struct ventus_cosim *c, const struct watched *w, uint32_t pc, uint32_t word)
{
    uint32_t words[ISA_MAX_WORDS];
    struct insn in;
    const uint32_t own = w->warp->pc;
    const size_t n = code_words(c->gpu, own, words);
    if (!n || !code_look(c->gpu, own, &in))
        return pc == own ? WHOLE : (differ_pc(c, w, own, pc), WRONG); /* it will fail */
    const uint32_t after = own + in.size - 4, last = words[in.size / 4 - 1];
    if (in.prefix && pc == own && word == words[0] && !w->prefixed) return PREFIX_ALONE;
    if (pc != after && (pc != own || w->prefixed)) return differ_pc(c, w, w->prefixed ? after : own, pc), WRONG;
    return word == last ? WHOLE : (differ_word(c, w, last, word), WRONG);
}

static int differ_fault(struct ventus_cosim *c, const struct watched *w)
{
    char text[300];
    FILE *f = report_begin(c, w, "the instruction fails in the reference");
    if (!f) return 0;
    fault_print(&w->warp->group->sm->fault, text, sizeof text);
    fprintf(f, "  %s\n", text);
    return report_end(c, w, f);
}

static void note_past(struct ventus_cosim *c, struct watched *w)
{
    const struct event *e = &c->event;
    struct past *p = &w->past[w->count++ % HISTORY];
    *p = (struct past){.pc = e->pc, .size = e->insn->size, .mask = e->mask, .serial = c->retired};
    memcpy(p->words, e->words, sizeof p->words);
}

static bool writes_some(const struct dut_write *writes, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (writes[i].mask) return true;
    return false;
}

/* It writes nothing and accesses nothing. */
static int retire_prefix(struct ventus_cosim *c, struct watched *w)
{
    const struct dut *d = &w->dut;
    w->prefixed = true;
    const char *what = c->reports & VENTUS_COSIM_MEMORY && d->naccess            ? "accessed memory"
                       : c->reports & VENTUS_COSIM_X && writes_some(d->x, d->nx) ? "written a scalar register"
                       : c->reports & VENTUS_COSIM_V && writes_some(d->v, d->nv) ? "written a vector register"
                                                                                 : NULL;
    FILE *f = what ? report_begin(c, w, "the prefix alone has %s", what) : NULL;
    return !what || (f && report_end(c, w, f));
}

/* Results of 64 bits are in pairs of registers. */
static bool is_wide(const struct ventus_cosim *c, const struct warp *w)
{
    struct insn in;
    return vtype_sew(w->vtype) == 64 && code_look(c->gpu, w->pc, &in) &&
           isa_effects(&in, c->job.launch.threads_per_warp).vectors;
}

static int retire_whole(struct ventus_cosim *c, struct watched *w)
{
    if (c->reports & VENTUS_COSIM_V && is_wide(c, w->warp))
        return cosim_fail(c, "0x%08x: elements of 64 bits (e64) are not compared", (unsigned)w->warp->pc);
    const enum stop stop = reference_step(c, w->warp);
    if (stop == STOP_FAULT) return differ_fault(c, w);
    c->executing = true;
    const int equal = compare_instruction(c, w);
    c->executing = false;
    note_past(c, w);
    w->prefixed = false;
    return equal;
}

static int retire(struct ventus_cosim *c, struct watched *w, uint32_t pc, uint32_t word)
{
    if (!compare_state(c, w, pc)) return 0;
    switch (compare_fetch(c, w, pc, word)) {
    case WRONG: return 0;
    case PREFIX_ALONE: return retire_prefix(c, w);
    default: return retire_whole(c, w);
    }
}

int ventus_cosim_dut_retire(struct ventus_cosim *c, uint32_t hart, uint32_t pc, uint32_t word)
{
    struct watched *w = hart_of(c, hart);
    if (!w) return 0;
    c->retired++;
    const int equal = retire(c, w, pc, word);
    w->dut.nx = w->dut.nv = w->dut.naccess = 0;
    w->dut.has_simt = false;
    return equal;
}

/* ---- the reference alone ---- */

/* May the warp go on? */
static int can_step(struct ventus_cosim *c, const struct watched *w)
{
    if (w->warp->state != WARP_READY && w->warp->state != WARP_ENDED) reference_wake(c, w->warp->group);
    switch (w->warp->state) {
    case WARP_READY: return 1;
    case WARP_ENDED: return cosim_fail(c, "hart %u: the warp has ended", (unsigned)w->number);
    default: return cosim_fail(c, "hart %u: the warp waits for others, or for its copies", (unsigned)w->number);
    }
}

static void note_written(struct ventus_cosim *c)
{
    const struct event *e = &c->event;
    c->written.reg = e->insn->rd;
    c->written.mask = e->to_vector ? e->lanes : 1;
    c->written.kind = e->to_vector ? VENTUS_COSIM_V : e->to_scalar && e->insn->rd ? VENTUS_COSIM_X : 0;
}

static int step_whole(struct ventus_cosim *c, struct watched *w)
{
    char text[300];
    if (reference_step(c, w->warp) == STOP_FAULT) {
        fault_print(&w->warp->group->sm->fault, text, sizeof text);
        return cosim_fail(c, "hart %u: %s", (unsigned)w->number, text);
    }
    note_past(c, w);
    note_written(c);
    w->prefixed = false;
    return 1;
}

int ventus_cosim_ref_step(struct ventus_cosim *c, uint32_t hart)
{
    struct insn in;
    struct watched *w = hart_of(c, hart);
    if (!w || !can_step(c, w)) return 0;
    c->retired++;
    c->written.kind = 0;
    if (w->prefixed || !code_look(c->gpu, w->warp->pc, &in) || !in.prefix) return step_whole(c, w);
    w->prefixed = true;
    return 1;
}

uint32_t ventus_cosim_ref_written(const struct ventus_cosim *c, uint32_t *reg, uint32_t *mask)
{
    if (!c || !reg || !mask || !c->written.kind) return 0;
    *reg = c->written.reg;
    *mask = c->written.mask;
    return c->written.kind;
}

int ventus_cosim_ref_ended(const struct ventus_cosim *c, uint32_t hart)
{
    const struct watched *w = find_hart(c, hart);
    return w && w->warp->state == WARP_ENDED;
}

/* ---- state of the reference ---- */

uint32_t ventus_cosim_ref_pc(const struct ventus_cosim *c, uint32_t hart)
{
    const struct watched *w = find_hart(c, hart);
    return w ? w->warp->pc + (w->prefixed ? 4u : 0) : 0;
}

uint32_t ventus_cosim_ref_x(const struct ventus_cosim *c, uint32_t hart, uint32_t reg)
{
    const struct watched *w = find_hart(c, hart);
    return w && reg < ISA_XREGS ? w->warp->x[reg] : 0;
}

uint32_t ventus_cosim_ref_v(const struct ventus_cosim *c, uint32_t hart, uint32_t reg, uint32_t lane)
{
    const struct watched *w = find_hart(c, hart);
    return w && reg < c->job.launch.vgprs && lane < ISA_LANES ? w->warp->v[reg][lane] : 0;
}

uint32_t ventus_cosim_ref_mask(const struct ventus_cosim *c, uint32_t hart)
{
    const struct watched *w = find_hart(c, hart);
    return w ? w->warp->mask : 0;
}

int ventus_cosim_ref_x_set(struct ventus_cosim *c, uint32_t hart, uint32_t reg, uint32_t value)
{
    struct watched *w = hart_of(c, hart);
    return w && (warp_set_x(w->warp, reg, value) || cosim_fail(c, "x%u: there is no such register", (unsigned)reg));
}

int ventus_cosim_ref_v_set(struct ventus_cosim *c, uint32_t hart, uint32_t reg, uint32_t lane, uint32_t value)
{
    struct watched *w = hart_of(c, hart);
    return w && (warp_set_v(w->warp, reg, lane, value) ||
                 cosim_fail(c, "v%u, lane %u: there is none", (unsigned)reg, (unsigned)lane));
}

/* ---- results ---- */

const char *ventus_cosim_report(const struct ventus_cosim *c) { return c && c->report ? c->report : ""; }

uint64_t ventus_cosim_metric(const struct ventus_cosim *c, uint32_t metric)
{
    if (!c) return 0;
    switch (metric) {
    case VENTUS_COSIM_RETIRED: return c->retired;
    case VENTUS_COSIM_COMPARED: return c->compared;
    case VENTUS_COSIM_TAKEN: return c->taken;
    case VENTUS_COSIM_TOLERATED: return c->tolerated;
    case VENTUS_COSIM_DIFFERENCES: return c->report != NULL;
    default: return 0;
    }
}
