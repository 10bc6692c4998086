/* ventus run --case: recorded launches (.metadata and .data) in order on one memory.
 *
 * Later launches of a program see what earlier ones left, as on the device they were recorded on. Groups
 * run one after another, as in the public simulator. Memory is flat, as there: bytes of no buffer read as
 * zero and can be written. --strict opens the buffers alone, so that anything else is a fault.
 * Called by run.c. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isa/abi.h"
#include "run.h"
#include "sim/printed.h"
#include "vt/case.h"

struct dump {
    uint32_t addr;
    uint64_t bytes;
    const char *file;
};

/* "ADDR:BYTES:FILE" */
static struct dump parse_dump(const struct args *args, const char *text)
{
    char part[2][24];
    const char *p = text;
    struct dump d;
    for (int i = 0; i < 2; i++) {
        size_t n = strcspn(p, ":");
        if (n >= sizeof part[i] || !p[n]) usage_error(args, "--dump %s: ADDR:BYTES:FILE is meant", text);
        memcpy(part[i], p, n);
        part[i][n] = 0;
        p += n + 1;
    }
    if (!*p) usage_error(args, "--dump %s: ADDR:BYTES:FILE is meant", text);
    d.addr = (uint32_t)number_arg(args, "--dump", part[0], 0, UINT32_MAX);
    d.bytes = number_arg(args, "--dump", part[1], 1, (uint64_t)1 << 32);
    d.file = p;
    return d;
}

static void write_dump(struct gpu *gpu, const struct dump *d)
{
    const void *bytes = gpu_mem(gpu, d->addr, d->bytes);
    if (!bytes)
        die("--dump: no buffer covers 0x%08x and the %llu bytes from there", d->addr, (unsigned long long)d->bytes);
    write_file(d->file, bytes, d->bytes);
}

/* ---- flat memory ---- */

enum { PAGES = 1 << 20 };

/* Pages that belong to buffers, a byte each. */
static void cover(uint8_t *covered, uint64_t addr, uint64_t size)
{
    uint64_t last = (addr + size - 1) / ABI_PAGE;
    for (uint64_t p = addr / ABI_PAGE; size && p <= last && p < PAGES; p++) covered[p] = 1;
}

/* What a series of launches shares. */
struct session {
    struct gpu *gpu;
    uint8_t *covered;
    struct case_buffer *known; /* what observers add_known of: base and alloc */
    size_t nknown;
    uint32_t lds_bytes; /* of groups; on flat memory it never shrinks, since the machine would close the rest */
};

static void cover_case(const struct session *s, const struct recorded *c, uint32_t lds_bytes)
{
    for (size_t i = 0; i < c->nbuffers; i++) cover(s->covered, c->buffers[i].base, c->buffers[i].alloc);
    cover(s->covered, ABI_LOCAL_BASE, lds_bytes);
}

/* Pages in [base, limit) that the host had to provide although no buffer covers them. The host knows what
 * has been touched, so that runs need not be watched. */
static uint64_t stray_pages(struct gpu *gpu, const uint8_t *covered, uint32_t base, uint32_t limit)
{
    size_t n = (limit - base) / ABI_PAGE;
    unsigned char *resident = allocate(n);
    void *host = gpu_mem(gpu, base, limit - base);
    uint64_t stray = 0;
    if (host && !mincore(host, (size_t)n * ABI_PAGE, resident))
        for (size_t i = 0; i < n; i++) stray += (resident[i] & 1) && !covered[base / ABI_PAGE + i];
    free(resident);
    return stray;
}

static void open_flat(struct gpu *gpu)
{
    if (sysconf(_SC_PAGESIZE) != ABI_PAGE || !case_open_flat(gpu))
        die("flat memory cannot be had on this host; try --strict");
    /* Large pages would count as many touched pages each. */
    madvise(gpu_mem(gpu, ABI_LOCAL_BASE, ABI_HEAP_LIMIT - ABI_LOCAL_BASE), ABI_HEAP_LIMIT - ABI_LOCAL_BASE,
            MADV_NOHUGEPAGE);
}

/* ---- what observers learn ---- */

static bool is_known(const struct session *s, const struct case_buffer *b)
{
    for (size_t i = 0; i < s->nknown; i++)
        if (s->known[i].base == b->base && s->known[i].alloc == b->alloc) return true;
    return false;
}

static bool overlap(const struct case_buffer *a, const struct case_buffer *b)
{
    return a->base < b->base + (uint64_t)b->alloc && b->base < a->base + (uint64_t)a->alloc;
}

/* A new buffer; older ones that lie there are gone. */
static void add_known(struct session *s, const struct case_buffer *b)
{
    size_t n = 0;
    for (size_t i = 0; i < s->nknown; i++)
        if (!overlap(&s->known[i], b)) s->known[n++] = s->known[i];
    s->known = realloc(s->known, (n + 1) * sizeof *s->known);
    if (!s->known) die("out of memory");
    s->known[n] = *b;
    s->nknown = n + 1;
}

/* Buffers that launches share keep what is known of them; of new ones the recorded bytes are written. */
static void notify_buffers(struct session *s, const struct recorded *c)
{
    for (size_t i = 0; i < c->nbuffers; i++) {
        const struct case_buffer *b = &c->buffers[i];
        if (!is_known(s, b)) {
            gpu_tell(s->gpu, &(struct host_event){HOST_OPEN, b->base, b->alloc});
            add_known(s, b);
        }
        gpu_tell(s->gpu, &(struct host_event){HOST_WRITE, b->base, b->size});
    }
}

/* ---- what launches are to leave behind ---- */

/* Words that differ in a buffer; with the first one at *first. */
static uint64_t differences(const uint32_t *found, const struct case_buffer *b, uint64_t *first)
{
    uint64_t count = 0;
    for (uint64_t i = 0; 4 * i < b->size; i++)
        if (memcmp(&found[i], &b->words[i], b->size - 4 * i < 4 ? b->size - 4 * i : 4) && !count++) *first = i;
    return count;
}

/* Says the first word of a buffer that differs, and how many do. */
static bool is_expected(struct gpu *gpu, const char *path, const struct case_buffer *b)
{
    uint64_t first = 0;
    const uint32_t *found = gpu_mem(gpu, b->base, b->size);
    if (b->size && !found) die("%s: the buffer at 0x%08x is not in memory", path, b->base);
    const uint64_t count = differences(found, b, &first);
    if (count)
        fprintf(
            stderr,
            "ventus run: %s: 0x%08llx holds 0x%08x, 0x%08x is expected (%llu of %llu words of this buffer differ)\n",
            path, (unsigned long long)(b->base + 4 * first), found[first], b->words[first], (unsigned long long)count,
            (unsigned long long)((b->size + 3) / 4));
    return !count;
}

static bool compare_memory(struct gpu *gpu, const char *metadata)
{
    struct recorded expected;
    char text[400], *path = case_expect_path(metadata);
    bool same = true;
    if (!path) die("out of memory");
    if (!case_read(metadata, path, &expected, text, sizeof text)) die("%s", text);
    for (size_t i = 0; i < expected.nbuffers; i++) same &= is_expected(gpu, metadata, &expected.buffers[i]);
    case_free(&expected);
    free(path);
    return same;
}

/* ---- what kernels print ---- */

struct printing {
    struct gpu *gpu;
    const struct launch *launch;
    const char *path;
    bool told;
};

/* launch_options.print: makes room in the full print buffer (isa/abi.h), for which work-items wait. The formats of what
 * is in it are in the executable, which a recorded launch has not. */
static void drop_records(void *user, uint32_t full)
{
    struct printing *p = user;
    uint32_t where[2]; /* address and size */
    const uint8_t *metadata = gpu_mem(p->gpu, p->launch->knl, ABI_META_PRINT_SIZE + 4);
    if (!metadata) return;
    memcpy(where, metadata + ABI_META_PRINT_ADDR, sizeof where);
    uint8_t *buffer = where[0] % 4 ? NULL : gpu_mem(p->gpu, where[0], where[1]);
    const uint32_t end = buffer ? printed_close(buffer, where[1], full) : 0;
    if (!end) return;
    printed_reopen(buffer, end);
    if (!p->told)
        fprintf(stderr,
                "ventus run: %s: what it prints is dropped when the print buffer is full: the formats are in the "
                "executable\n",
                p->path);
    p->told = true;
}

/* ---- runs ---- */

/* Local memory of this launch's groups. */
static uint32_t local_bytes(const struct request *r, struct session *s, const struct launch *l)
{
    if (r->strict) return l->lds_bytes;
    if (l->lds_bytes > s->lds_bytes) s->lds_bytes = l->lds_bytes;
    return s->lds_bytes;
}

/* "METADATA[:DATA]" into two malloc'ed paths. */
static void case_paths(const char *spec, char **metadata, char **data)
{
    const char *colon = strrchr(spec, ':');
    *metadata = strdup(spec);
    if (*metadata && colon) (*metadata)[colon - spec] = 0;
    *data = !*metadata ? NULL : colon ? strdup(colon + 1) : case_data_path(*metadata);
    if (!*data) die("out of memory");
}

/* Runs one launch; false when the program failed or has left other memory than expected, which is reported. */
static bool run_one(struct request *r, struct session *s, const char *spec)
{
    struct recorded c;
    struct result result = {0};
    char text[400], *path, *data;
    struct launch_options options = r->options;
    case_paths(spec, &path, &data);
    if (!case_read(path, data, &c, text, sizeof text)) die("%s", text);
    if (!case_load(s->gpu, &c)) die("%s: the buffers do not fit into memory", path);
    c.launch.lds_bytes = local_bytes(r, s, &c.launch);
    cover_case(s, &c, c.launch.lds_bytes);
    notify_buffers(s, &c);
    options.serial = true;
    options.info = &(struct launch_info){.kernel = path, .local_set = true};
    options.print = drop_records;
    options.print_user = &(struct printing){s->gpu, &c.launch, path, false};
    gpu_launch(s->gpu, &c.launch, &options, &result);
    fault_print(&result.fault, text, sizeof text);
    if (result.status == LAUNCH_STOPPED) snprintf(text, sizeof text, "an observer stopped the launch");
    if (result.status != LAUNCH_DONE) fprintf(stderr, "ventus run: %s: %s\n", path, text);
    else if (!r->silent) printf("%s: %llu warp instructions\n", path, (unsigned long long)result.counters.instructions);
    report_add(&r->report, path, c.launch.groups, &result, NULL);
    const bool ok = result.status == LAUNCH_DONE && (!r->expect || compare_memory(s->gpu, path));
    case_free(&c);
    free(path);
    free(data);
    return ok;
}

static void count_strays(struct report *report, const struct session *s)
{
    report->flat = true;
    report->stray_pages = stray_pages(s->gpu, s->covered, ABI_LOCAL_BASE, ABI_HEAP_LIMIT);
}

int run_cases(struct request *r)
{
    const char *why = "";
    bool ok = true;
    struct session s = {.covered = allocate(PAGES)};
    struct dump *dumps = allocate(r->ndumps * sizeof *dumps);
    for (unsigned i = 0; i < r->ndumps; i++) dumps[i] = parse_dump(&r->args, r->dumps[i]);
    s.gpu = gpu_create(&r->config, &why);
    if (!s.gpu) usage_error(&r->args, "machine: %s", why);
    observers_open(r, s.gpu);
    if (!r->strict) open_flat(s.gpu);
    for (unsigned i = 0; i < r->ncases && ok; i++) ok = run_one(r, &s, r->cases[i]);
    for (unsigned i = 0; i < r->ndumps && ok; i++) write_dump(s.gpu, &dumps[i]);
    if (!r->strict) count_strays(&r->report, &s);
    int code = observers_close(r, s.gpu, ok ? EXIT_OK : EXIT_FAILED);
    gpu_destroy(s.gpu);
    free(dumps);
    free(s.covered);
    free(s.known);
    return code;
}
