/* The RTL simulation library of the public stack as a device library. `ventus backend build --rtlsim` compiles this
 * file on the user's machine against the user's own header, which has changed more than once: what it has is said by
 * macros.
 *
 * HAS_DEFAULTS      ventus_rtlsim_get_default_config
 * HAS_LOG           config.log
 * HAS_FLAT_ARGS     config.verilator_argc rather than config.verilator.argc
 * HAS_KERNEL_NAME   metadata.kernel_name rather than metadata.name
 * HAS_HANG          config.hang_timeout, and hang in the result of a step
 * HAS_ICACHE        ventus_rtlsim_icache_invalidate
 * HAS_PARAMETERS    ventus_rtlsim_get_parameter
 * HAS_PMU           ventus_rtlsim_get_pmu
 * HAS_SIZES         metadata.num_thread_global, num_thread_local, threadIdxOffset
 *
 * Pages are kept here as well: a simulation begins with the first launch, and where code cannot be changed under a
 * simulation (no HAS_ICACHE) each launch has a new one, which gets all of them. One unit of the library's time is half
 * a cycle. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ventus_backend.h"

enum { PAGE = 4096, PAGES = 1 << 20, UNITS = 2 /* of time, a cycle */, FLUSH = 5000 /* steps until L2 is in memory */ };

struct page {
    bool written; /* since the simulation has it */
    unsigned char bytes[PAGE];
};

struct options {
    char waveform[256], snapshot[256], log[32];
    uint64_t from, to, interval, timeout, hang, fresh;
};

struct ventus_backend_device {
    struct options options;
    unsigned number_of_device; /* of the process, of those that write files; 0: not yet */
    int locks[2];              /* its files, which no other process may write meanwhile; -1: none */
    ventus_rtlsim_t *sim;      /* NULL: none yet */
    pid_t process;             /* that has made it: a snapshot's child is another one */
    char scratch[64];          /* a waveform that nobody wants: the library closes one, whether it was opened or not */
    struct page *pages[PAGES];
    ventus_kernel_metadata_t kernel;
    uint64_t buffer[3]; /* of the metadata block: base, size, allocated size */
    uint64_t number;    /* of launches */
    uint64_t begun, ended;
    bool done; /* says the library */
    unsigned flush;
    uint64_t counted[6]; /* before the launch */
};

static int fail(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return 1;
}

/* ---- options ---- */

static bool number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && !*end;
}

static bool text(const char *from, char *to, size_t size)
{
    snprintf(to, size, "%s", from);
    return *from && strlen(from) < size;
}

/* "name=value" */
static bool set(struct options *o, const char *name, const char *value)
{
    if (!strcmp(name, "waveform")) return text(value, o->waveform, sizeof o->waveform);
    if (!strcmp(name, "snapshot")) return text(value, o->snapshot, sizeof o->snapshot);
    if (!strcmp(name, "log")) return text(value, o->log, sizeof o->log);
    if (!strcmp(name, "from")) return number(value, &o->from);
    if (!strcmp(name, "to")) return number(value, &o->to);
    if (!strcmp(name, "interval")) return number(value, &o->interval) && o->interval;
    if (!strcmp(name, "timeout")) return number(value, &o->timeout);
    if (!strcmp(name, "hang")) return number(value, &o->hang);
    if (!strcmp(name, "fresh")) return number(value, &o->fresh) && o->fresh <= 1;
    return false;
}

static bool set_all(struct options *o, char *list, char *why, size_t why_size)
{
    char *rest; /* several devices may be opened at once */
    for (char *item = strtok_r(list, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(item, '=');
        if (value) *value++ = 0;
        if (value && set(o, item, value)) continue;
        snprintf(why, why_size,
                 "'%.60s' is no option, or has no such value; there are: waveform=FILE from=CYCLE to=CYCLE "
                 "snapshot=FILE interval=CYCLES timeout=CYCLES hang=CYCLES log=LEVEL fresh=0 or 1",
                 item);
        return false;
    }
    return true;
}

/* ---- the simulation ---- */

static void configure(struct ventus_backend_device *d, ventus_rtlsim_config_t *c)
{
    const struct options *o = &d->options;
    memset(c, 0, sizeof *c);
#ifdef HAS_DEFAULTS
    ventus_rtlsim_get_default_config(c);
#elif defined HAS_FLAT_ARGS
    c->verilator_argc = 0;
#endif
    c->sim_time_max = UINT64_MAX;
    c->pmem.pagesize = PAGE;
    c->pmem.auto_alloc = 1;
    c->waveform.enable = true;
    c->waveform.time_begin = *o->waveform ? o->from * UNITS : 1;
    c->waveform.time_end = !*o->waveform ? 0 : o->to ? o->to * UNITS : UINT64_MAX;
    c->waveform.levels = 99;
    c->waveform.filename = *o->waveform ? o->waveform : d->scratch;
    c->snapshot.enable = *o->snapshot;
    c->snapshot.time_interval = (o->interval ? o->interval : 50000) * UNITS;
    c->snapshot.num_max = 2;
    c->snapshot.filename = *o->snapshot ? o->snapshot : d->scratch;
#ifdef HAS_LOG
    c->log.file.enable = false;
    c->log.console.enable = *o->log;
    c->log.console.level = *o->log ? o->log : "critical";
    c->log.level = *o->log ? o->log : "critical";
#endif
#ifdef HAS_HANG
    c->hang_timeout = o->hang * UNITS;
#endif
}

/* A snapshot is a child of fork() that sleeps in a step; when it wakes it goes on alone, and must not get out of here.
 */
static bool is_child(const struct ventus_backend_device *d) { return getpid() != d->process; }

/* `again`: from the oldest snapshot on, if there is one. */
static void finish(struct ventus_backend_device *d, bool again)
{
    if (!d->sim) return;
    ventus_rtlsim_finish(d->sim, again && *d->options.snapshot);
    if (is_child(d)) _exit(0);
    d->sim = NULL;
}

/* A second device of the process has files of its own, FILE.2. Of two processes with one file the second does not
 * begin, since it would overwrite it. */
static bool claim(struct ventus_backend_device *d, int which, char *file, size_t size, char *why, size_t why_size)
{
    struct stat is;
    const size_t n = strlen(file);
    if (!n || d->locks[which] >= 0) return true;
    if (d->number_of_device > 1) snprintf(file + n, size - n, ".%u", d->number_of_device);
    const int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    const bool locks = fd >= 0 && !fstat(fd, &is) && S_ISREG(is.st_mode);
    if (fd >= 0 && (!locks || !flock(fd, LOCK_EX | LOCK_NB))) return d->locks[which] = fd, true;
    if (fd < 0) snprintf(why, why_size, "%.150s: %s", file, strerror(errno));
    else snprintf(why, why_size, "another process writes %.150s; with %%p in its name each has its own", file);
    if (fd >= 0) close(fd);
    file[n] = 0; /* the next launch tries again */
    return false;
}

static bool claim_files(struct ventus_backend_device *d, char *why, size_t why_size)
{
    static atomic_uint devices;
    struct options *o = &d->options;
    if (!d->number_of_device && (*o->waveform || *o->snapshot)) d->number_of_device = ++devices;
    return claim(d, 0, o->waveform, sizeof o->waveform, why, why_size) &&
           claim(d, 1, o->snapshot, sizeof o->snapshot, why, why_size);
}

static bool make(struct ventus_backend_device *d)
{
    ventus_rtlsim_config_t config;
    configure(d, &config);
    d->process = getpid();
    d->sim = ventus_rtlsim_init(&config);
    for (size_t i = 0; i < PAGES; i++)
        if (d->pages[i]) d->pages[i]->written = true;
    return d->sim;
}

static bool is_fresh(const struct ventus_backend_device *d)
{
#ifdef HAS_ICACHE
    return d->options.fresh;
#else
    return true;
#endif
}

/* What the simulation does not have yet. */
static bool load(struct ventus_backend_device *d)
{
    bool code = false;
    for (uint64_t i = 0; i < PAGES; i++) {
        struct page *p = d->pages[i];
        if (!p || !p->written) continue;
        if (!ventus_rtlsim_pmemcpy_h2d(d->sim, i * PAGE, p->bytes, PAGE)) return false;
        p->written = false;
        code |= i * PAGE >= 0x80000000u && i * PAGE < 0x90000000u;
    }
#ifdef HAS_ICACHE
    if (code) ventus_rtlsim_icache_invalidate(d->sim);
#endif
    (void)code;
    return true;
}

static void unload(struct ventus_backend_device *d)
{
    for (uint64_t i = 0; i < PAGES; i++)
        if (d->pages[i]) ventus_rtlsim_pmemcpy_d2h(d->sim, d->pages[i]->bytes, i * PAGE, PAGE);
}

/* ---- counters ---- */

static const char *const counter_names[] = {"instructions",          "vector_instructions",  "loads_and_stores",
                                            "data_dep_stall_cycles", "barrier_stall_cycles", "frontend_stall_cycles"};

static void count(const struct ventus_backend_device *d, uint64_t values[6])
{
    memset(values, 0, 6 * sizeof *values);
#ifdef HAS_PMU
    const ventus_rtlsim_pmu_t pmu = ventus_rtlsim_get_pmu(d->sim);
    for (uint32_t i = 0; i < pmu.num_sm; i++) {
        values[0] += pmu.pipeline[i].total_scalar_issued + pmu.pipeline[i].total_vector_issued;
        values[1] += pmu.pipeline[i].total_vector_issued;
        values[2] += pmu.inst_class[i].mem_issued;
        values[3] += pmu.pipeline[i].data_dep_stall_cycles;
        values[4] += pmu.pipeline[i].barrier_stall_cycles;
        values[5] += pmu.pipeline[i].frontend_stall_cycles;
    }
#endif
    (void)d;
}

static uint32_t counters(struct ventus_backend_device *d, struct ventus_backend_counter *out, uint32_t room)
{
#ifdef HAS_PMU
    uint64_t now[6];
    uint32_t n = 0;
    if (!d->sim) return 0;
    for (count(d, now); n < 6 && n < room; n++) {
        snprintf(out[n].name, sizeof out[n].name, "%s", counter_names[n]);
        out[n].value = now[n] - d->counted[n];
    }
    return n;
#else
    return (void)d, (void)out, (void)room, (void)counter_names, 0;
#endif
}

/* ---- the table ---- */

static void close_it(struct ventus_backend_device *d)
{
    finish(d, false);
    if (*d->scratch) unlink(d->scratch);
    for (int i = 0; i < 2; i++)
        if (d->locks[i] >= 0) close(d->locks[i]);
    for (size_t i = 0; i < PAGES; i++) free(d->pages[i]);
    free(d);
}

static int open_it(const struct ventus_backend_options *options, struct ventus_backend_device **device, char *why,
                   size_t why_size)
{
    char list[600];
    if (strlen(options->text) >= sizeof list) return fail(why, why_size, "the options are too long");
    struct ventus_backend_device *d = calloc(1, sizeof *d);
    if (!d) return fail(why, why_size, "out of memory");
    d->locks[0] = d->locks[1] = -1;
    snprintf(list, sizeof list, "%s", options->text);
    const char *folder = secure_getenv("TMPDIR");
    snprintf(d->scratch, sizeof d->scratch, "%.40s/ventus-XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkstemp(d->scratch);
    if (file >= 0) close(file);
    else *d->scratch = 0;
    if (!*d->scratch) fail(why, why_size, "no file can be made in $TMPDIR, /tmp without it");
    if (*d->scratch && set_all(&d->options, list, why, why_size)) return *device = d, 0;
    close_it(d);
    return 1;
}

static void parameter(const char *name, uint32_t *value)
{
#ifdef HAS_PARAMETERS
    uint32_t is;
    if (ventus_rtlsim_get_parameter(name, &is) == 0 && is) *value = is;
#else
    (void)name, (void)value;
#endif
}

static int describe(struct ventus_backend_device *d, struct ventus_backend_info *i, char *why, size_t why_size)
{
    (void)d, (void)why, (void)why_size;
    i->features = VENTUS_BACKEND_ATOMICS | VENTUS_BACKEND_DOUBLES | VENTUS_BACKEND_HALVES | VENTUS_BACKEND_IMAGES;
    parameter("num_sm", &i->sms);
    parameter("num_warp", &i->warps_per_sm);
    parameter("num_block", &i->groups_per_sm);
    parameter("num_thread", &i->threads_per_warp);
    parameter("sharemem_size", &i->lds_bytes);
    snprintf(i->name, sizeof i->name, "RTL");
    return 0;
}

static int put(struct ventus_backend_device *d, uint64_t addr, const void *src, uint64_t size, char *why,
               size_t why_size)
{
    for (uint64_t done = 0, n; done < size; done += n) {
        struct page **p = &d->pages[(addr + done) / PAGE % PAGES];
        n = PAGE - (addr + done) % PAGE < size - done ? PAGE - (addr + done) % PAGE : size - done;
        if (!*p && !(*p = calloc(1, sizeof **p))) return fail(why, why_size, "out of memory");
        memcpy((*p)->bytes + (addr + done) % PAGE, (const char *)src + done, n);
        (*p)->written = true;
    }
    return 0;
}

static int get(struct ventus_backend_device *d, uint64_t addr, void *dst, uint64_t size, char *why, size_t why_size)
{
    for (uint64_t done = 0, n; done < size; done += n) {
        const struct page *p = d->pages[(addr + done) / PAGE % PAGES];
        n = PAGE - (addr + done) % PAGE < size - done ? PAGE - (addr + done) % PAGE : size - done;
        if (!p) return fail(why, why_size, "nobody has written it");
        memcpy((char *)dst + done, p->bytes + (addr + done) % PAGE, n);
    }
    return 0;
}

static void note_end(const ventus_kernel_metadata_t *kernel)
{
    ((struct ventus_backend_device *)kernel->data)->done = true;
}

static void fill(struct ventus_backend_device *d, const struct ventus_backend_launch *l)
{
    ventus_kernel_metadata_t *k = &d->kernel;
    memset(k, 0, sizeof *k);
#ifdef HAS_KERNEL_NAME
    k->kernel_name = "kernel";
#else
    k->name = "kernel";
#endif
    k->data = d;
    k->startaddr = l->start;
    k->kernel_id = d->number++;
    for (int i = 0; i < 3; i++) k->kernel_size[i] = l->groups[i];
    k->wf_size = l->threads_per_warp;
    k->wg_size = l->warps;
    k->metaDataBaseAddr = l->metadata;
    k->ldsSize = l->lds_bytes;
    k->pdsSize = l->pds_bytes;
    k->pdsBaseAddr = l->pds_base;
    k->sgprUsage = l->sgprs;
    k->vgprUsage = l->vgprs;
#ifdef HAS_SIZES
    uint32_t meta[16] = {0};
    get(d, l->metadata, meta, sizeof meta, (char[1]){0}, 1);
    for (int i = 0; i < 3; i++) {
        k->num_thread_global[i] = meta[3 + i]; /* as docs/architecture.md has the block */
        k->num_thread_local[i] = meta[6 + i];
        k->threadIdxOffset[i] = meta[9 + i];
    }
#endif
    d->buffer[0] = l->metadata;
    d->buffer[1] = d->buffer[2] = 64;
    k->num_buffer = 1;
    k->buffer_base = &d->buffer[0];
    k->buffer_size = &d->buffer[1];
    k->buffer_allocsize = &d->buffer[2];
}

static int launch(struct ventus_backend_device *d, const struct ventus_backend_launch *l, char *why, size_t why_size)
{
    if (d->sim && is_fresh(d)) finish(d, false);
    if (!d->sim && !claim_files(d, why, why_size)) return 1;
    if (!d->sim && !make(d)) return fail(why, why_size, "the simulation cannot be begun (ventus_rtlsim_init)");
    if (!load(d)) return fail(why, why_size, "its memory cannot be written (ventus_rtlsim_pmemcpy_h2d)");
    fill(d, l);
    d->done = false;
    d->flush = 0;
    d->begun = d->ended = ventus_rtlsim_get_time(d->sim);
    count(d, d->counted);
    ventus_rtlsim_add_kernel(d->sim, &d->kernel, note_end);
    return 0;
}

/* It has gone wrong; the library goes back to a snapshot, if there is one, when it is finished. */
static int broken(struct ventus_backend_device *d, struct ventus_backend_outcome *o, const char *what)
{
    o->cycles = (ventus_rtlsim_get_time(d->sim) - d->begun) / UNITS;
    snprintf(o->text, sizeof o->text, "%s after %llu cycles%s%.60s", what, (unsigned long long)o->cycles,
             *d->options.snapshot ? "; the waveform of its end is in " : "", d->options.snapshot);
    unload(d);
    finish(d, true);
    return VENTUS_BACKEND_FAILED;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* One unit of time. VENTUS_BACKEND_RUNS: there is more to do. */
static int step(struct ventus_backend_device *d, struct ventus_backend_outcome *o)
{
    const ventus_rtlsim_step_result_t *r = ventus_rtlsim_step(d->sim);
    const uint64_t time = ventus_rtlsim_get_time(d->sim);
    if (!r || r->error) return broken(d, o, "the RTL has stopped with an error");
    if (r->time_exceed) return broken(d, o, "the library's limit of time is reached");
#ifdef HAS_HANG
    if (r->hang) return broken(d, o, "nothing has gone on for too long (hang)");
#endif
    if (!d->done && d->options.timeout && time - d->begun > d->options.timeout * UNITS) {
        broken(d, o, "the launch has not ended (timeout)");
        return VENTUS_BACKEND_TIMEOUT;
    }
    if (!d->done) return VENTUS_BACKEND_RUNS;
    if (!d->flush) d->ended = time;
    if (d->flush++ < FLUSH) return VENTUS_BACKEND_RUNS;
    o->cycles = (d->ended - d->begun) / UNITS;
    unload(d);
    return VENTUS_BACKEND_DONE;
}

static int wait_for(struct ventus_backend_device *d, uint64_t timeout_ns, struct ventus_backend_outcome *o)
{
    enum { AT_ONCE = 256 }; /* steps, by which a timeout is late; how few would do is a guess */
    const uint64_t begun = now();
    int state = VENTUS_BACKEND_RUNS;
    do
        for (int i = 0; i < AT_ONCE && state == VENTUS_BACKEND_RUNS; i++) state = step(d, o);
    while (state == VENTUS_BACKEND_RUNS && (is_child(d) || now() - begun < timeout_ns));
    if (is_child(d)) finish(d, false);
    return state;
}

const struct ventus_backend *ventus_backend_table(void)
{
    static const struct ventus_backend table = {VENTUS_BACKEND_ABI,
                                                sizeof(struct ventus_backend),
                                                open_it,
                                                close_it,
                                                describe,
                                                put,
                                                get,
                                                launch,
                                                wait_for,
                                                counters,
                                                NULL /* program */};
    return &table;
}
