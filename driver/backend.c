/* Devices behind the driver that are not the machine: opening one, what it is like, and running launches on it.
 *
 * A launch goes to the device as machine.c would give it to the machine: the same source of jobs, one at a time. The
 * client's thread may leave a launch that runs; the next call goes on with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver/backend.h"
#include "driver/backend_library.h"
#include "driver/backend_machine.h"
#include "driver/driver.h"

/* ---- opening ---- */

/* The options for the library: %p is the process number, so that files of several processes have their own names, and
 * %% is %. */
static bool expand_options(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (; *text && n < size; text++) {
        if (text[0] == '%' && text[1] == 'p') n += (size_t)snprintf(out + n, size - n, "%ld", (long)getpid()), text++;
        else out[n++] = *text, text += text[0] == '%' && text[1] == '%';
    }
    if (n < size) out[n] = 0;
    return n < size;
}

static bool open_device(struct backend *b, char *why, size_t why_size)
{
    const char *comma = strchr(b->spec, ',');
    char text[2 * DEVICE_NAME];
    const struct ventus_backend_options options = {sizeof options, text};
    char said[300] = "";
    if (!expand_options(comma ? comma + 1 : "", text, sizeof text))
        return snprintf(why, why_size, "device %.200s: its options are too long", b->spec), false;
    b->device = NULL;
    b->program = 0;
    const int failed = b->table->open(&options, &b->device, said, sizeof said);
    said[sizeof said - 1] = 0;
    if (!failed && b->device) return true;
    snprintf(why, why_size, "device %.200s: %s", b->spec,
             *said    ? said
             : failed ? "it cannot be opened, and does not say why"
                      : "opening it gave no device");
    b->device = NULL;
    return false;
}

/* MiB of the window for buffers, which is what the machine has; and what a launch takes with its output, and more. */
enum { MEMORY_MOST = (0x100000000 - ABI_HEAP_BASE) >> 20, MEMORY_LEAST = 16 };

static bool describe(struct backend *b, const struct gpu_config *c, char *why, size_t why_size)
{
    char said[300] = "";
    b->info = backend_question(c);
    if (b->table->describe(b->device, &b->info, said, sizeof said)) {
        said[sizeof said - 1] = 0;
        snprintf(why, why_size, "device %.200s: %s", b->spec, *said ? said : "it does not say what it is like");
        return false;
    }
    return true;
}

/* What the device says of itself goes into the configuration, if that is a machine. */
static bool take_over(const struct backend *b, struct gpu_config *c, char *why, size_t why_size)
{
    const struct ventus_backend_info *i = &b->info;
    const char *wrong = NULL;
    if (i->size != sizeof *i) wrong = "the size of its description has changed";
    else if (i->features & ~(unsigned)VENTUS_BACKEND_FEATURES) wrong = "it has features that nobody knows";
    else if (!memchr(i->name, 0, sizeof i->name) || !memchr(i->profile, 0, sizeof i->profile))
        wrong = "its name or profile has no end";
    else if (!backend_adopt(c, i)) wrong = "its profile is none of " ISA_PROFILE_NAMES;
    else if (c->translation == GPU_SV39 && !(i->features & VENTUS_BACKEND_SV39))
        wrong = "it does not translate addresses (translation = sv39)";
    else if (i->memory_mib < MEMORY_LEAST || i->memory_mib > MEMORY_MOST) wrong = "memory_mib must be 16 to 1792";
    else if (c->translation == GPU_SV39 && i->memory_mib < MEMORY_MOST)
        wrong = "it has too little memory for translation = sv39";
    if (!wrong) wrong = gpu_config_check(c);
    if (wrong) snprintf(why, why_size, "device %.200s: what it says of itself is wrong: %s", b->spec, wrong);
    return !wrong;
}

static struct backend *backend_open(struct gpu_config *c, char *why, size_t why_size)
{
    struct backend *b = calloc(1, sizeof *b);
    char name[DEVICE_NAME];
    if (b && pthread_mutex_init(&b->lock, NULL)) free(b), b = NULL;
    if (!b) {
        snprintf(why, why_size, "out of memory");
        return NULL;
    }
    snprintf(b->spec, sizeof b->spec, "%s", c->device);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(c->device, ","), c->device);
    b->table = backend_library(name, why, why_size);
    if (b->table && open_device(b, why, why_size) && describe(b, c, why, why_size) && take_over(b, c, why, why_size))
        return b;
    backend_free(b);
    return NULL;
}

/* With its lock held, or nobody else there. */
static void close_device(struct backend *b)
{
    mirror_forget(b);
    if (b->device) b->table->close(b->device);
    b->device = NULL;
}

/* ---- the end of the process ---- */

static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;
static struct backend *opened;

/* False: somebody holds it for longer than a device may take to answer. */
static bool lock_in_time(pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    return pthread_mutex_timedlock(lock, &until) == 0;
}

/* Who leaves devices open, as OpenCL does, which keeps some for contexts to come: a simulation has files to write yet,
 * and a board is to be free for others. What somebody launches afterwards gets a new device. One that runs something
 * stays open: threads that wait for it are to go on waiting while another one ends the process. */
static void close_all(void)
{
    if (!lock_in_time(&opened_lock)) return;
    for (struct backend *b = opened; b; b = b->next) {
        if (b->process != getpid() || !lock_in_time(&b->lock)) continue;
        if (!b->runs) close_device(b);
        pthread_mutex_unlock(&b->lock);
    }
    pthread_mutex_unlock(&opened_lock);
}

static void add_opened(struct backend *b)
{
    b->process = getpid();
    pthread_mutex_lock(&opened_lock);
    b->next = opened;
    opened = b;
    pthread_mutex_unlock(&opened_lock);
    atexit(close_all);
}

static void remove_opened(const struct backend *b)
{
    pthread_mutex_lock(&opened_lock);
    struct backend **link = &opened;
    while (*link && *link != b) link = &(*link)->next;
    if (*link) *link = b->next;
    pthread_mutex_unlock(&opened_lock);
}

struct backend *backend_new(const struct gpu_config *config, char *why, size_t why_size)
{
    struct gpu_config c = *config;
    struct backend *b = backend_open(&c, why, why_size);
    if (b) add_opened(b);
    return b;
}

void backend_free(struct backend *b)
{
    if (!b) return;
    remove_opened(b);
    close_device(b);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* ---- which one ---- */

/* What only the machine can do: an option of the environment that asks for it. */
static const char *needs_machine(const struct gpu_config *c)
{
    static const char *const variables[] = {"VENTUS_CHECK", "VENTUS_PROFILE", "VENTUS_GDB"};
    if (*c->timing) return "a model of cycles (timing, VENTUS_TIMING)";
    if (*c->quirks) return "an imitation of known faults (quirks)";
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *said = secure_getenv(variables[i]);
        if (said && *said && strcmp(said, "0") != 0) return variables[i];
    }
    return NULL;
}

/* Answers of devices, which it may take long to open. */
struct answer {
    struct answer *next;
    struct gpu_config asked, is;
    struct backend_summary summary;
};

static pthread_mutex_t answers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct answer *answers;

static bool is_same(const struct gpu_config *a, const struct gpu_config *b)
{
    const struct ventus_backend_info x = backend_question(a), y = backend_question(b);
    return !memcmp(&x, &y, sizeof x) && a->translation == b->translation && !strcmp(a->device, b->device);
}

/* What has been an answer is one to itself. */
static const struct answer *answer_to(const struct gpu_config *c)
{
    const struct answer *a = answers;
    while (a && !is_same(&a->asked, c) && !is_same(&a->is, c)) a = a->next;
    return a;
}

/* With the lock held. */
static const struct answer *ask(const struct gpu_config *c, char *why, size_t why_size)
{
    struct answer *a = calloc(1, sizeof *a);
    if (!a) return snprintf(why, why_size, "out of memory"), NULL;
    a->asked = a->is = *c;
    struct backend *b = backend_open(&a->is, why, why_size);
    if (!b) return free(a), NULL;
    a->summary.features = b->info.features;
    snprintf(a->summary.name, sizeof a->summary.name, "%s", b->info.name);
    a->summary.memory_mib = b->info.memory_mib;
    backend_free(b);
    a->next = answers;
    return answers = a;
}

bool backend_config(struct gpu_config *c, struct backend_summary *summary, char *why, size_t why_size)
{
    const char *said = secure_getenv("VENTUS_BACKEND"), *machine;
    *summary = (struct backend_summary){.features = VENTUS_BACKEND_FEATURES, .memory_mib = MEMORY_MOST};
    if (said && strlen(said) >= sizeof c->device)
        return snprintf(why, why_size, "VENTUS_BACKEND: the name is too long"), false;
    if (said && *said) snprintf(c->device, sizeof c->device, "%s", strcmp(said, "none") ? said : "");
    if (!*c->device) return true;
    if ((machine = needs_machine(c))) {
        snprintf(why, why_size,
                 "%s needs the built-in machine, and launches are to run on device %.200s; unset one of both", machine,
                 c->device);
        return false;
    }
    pthread_mutex_lock(&answers_lock);
    const struct answer *a = answer_to(c);
    if (!a) a = ask(c, why, why_size);
    if (a) {
        const struct ventus_backend_info is = backend_question(&a->is);
        backend_adopt(c, &is);
        *summary = a->summary;
    }
    pthread_mutex_unlock(&answers_lock);
    return a != NULL;
}

uint64_t backend_memory_end(const struct backend *b)
{
    const uint64_t end = ABI_HEAP_BASE + ((uint64_t)(b ? b->info.memory_mib : MEMORY_MOST) << 20);
    return end < ABI_HEAP_LIMIT ? end : ABI_HEAP_LIMIT;
}

bool backend_shows_program(const struct backend *b) { return b && backend_library_shows_program(b->table); }

bool backend_is_open(void)
{
    pthread_mutex_lock(&opened_lock);
    const bool is = opened && opened->process == getpid();
    pthread_mutex_unlock(&opened_lock);
    return is;
}

uint32_t device_features(const ventus_device *d)
{
    return d->backend ? d->backend->info.features : (uint32_t)VENTUS_BACKEND_FEATURES;
}

/* ---- a launch ---- */

static ventus_event *event_of(const struct job *j) { return j->user; }

/* What the launch needs and the device lacks; NULL: nothing. */
static const char *lacks(const ventus_event *e, uint32_t features)
{
    const struct launch *l = &e->job.launch;
    if (!(features & VENTUS_BACKEND_PARTIAL) && (l->last_items || l->work_items != l->warps * l->threads_per_warp))
        return "it has no warps with fewer work-items than lanes: choose work-groups of whole warps";
    if (!(features & VENTUS_BACKEND_PARTS) && e->job.options.sms && e->job.options.sms != e->device->info.sms)
        return "it cannot run a launch on a part of its SMs";
    if (!(features & VENTUS_BACKEND_ATOMICS) && e->in.module && module_has_atomics(e->in.module))
        return "the program has atomic instructions, which it cannot do";
    if (!(features & VENTUS_BACKEND_SLOTS) && l->pds_bytes && l->pds_groups &&
        l->pds_groups < (uint64_t)l->groups[0] * l->groups[1] * l->groups[2])
        return "there is too little memory for the private memory of all its groups: launch fewer";
    return NULL;
}

static struct ventus_backend_launch launch_of(const struct job *j)
{
    const struct launch *l = &j->launch;
    return (struct ventus_backend_launch){.size = sizeof(struct ventus_backend_launch),
                                          .start = l->start_pc,
                                          .metadata = l->knl,
                                          .groups = {l->groups[0], l->groups[1], l->groups[2]},
                                          .warps = l->warps,
                                          .threads_per_warp = l->threads_per_warp,
                                          .work_items = l->work_items,
                                          .last_items = l->last_items,
                                          .last_of = l->last_of,
                                          .sgprs = l->sgprs,
                                          .vgprs = l->vgprs,
                                          .lds_bytes = l->lds_bytes,
                                          .pds_base = l->pds_base,
                                          .pds_bytes = l->pds_bytes,
                                          .pds_groups = l->pds_groups,
                                          .csr_gds = l->csr_gds,
                                          .first_sm = j->options.first_sm,
                                          .sms = j->options.sms,
                                          .page_table = l->sv39 ? l->page_table : 0,
                                          .kernel = j->options.kernel ? j->options.kernel : ""};
}

/* After a launch that has not ended. The device has to be as it was. */
static void open_anew(struct backend *b, const ventus_device *d)
{
    const struct ventus_backend_info was = b->info;
    if (!open_device(b, b->says, sizeof b->says)) return;
    bool good = describe(b, gpu_config_of(d->gpu), b->says, sizeof b->says);
    if (good && memcmp(&was, &b->info, sizeof was) != 0) {
        snprintf(b->says, sizeof b->says, "device %.200s: it is another one than before", b->spec);
        good = false;
    }
    b->info = was;
    if (good) return;
    b->table->close(b->device);
    b->device = NULL;
}

static void refuse(struct job *j)
{
    j->result.status = LAUNCH_FAULT;
    j->result.fault.kind = FAULT_LAUNCH;
}

/* A device that shows it to its user gets the program, unless that is the last launch's. */
static void tell_program(struct backend *b, const struct job *j)
{
    const ventus_module *m = event_of(j)->in.module;
    if (!m || m->serial == b->program || !backend_shows_program(b)) return;
    b->program = m->serial;
    b->table->program(b->device, m->bytes, m->size);
}

/* False: it is over, and the result says how. With the lock held. */
static bool begin(struct backend *b, struct job *j)
{
    const struct ventus_backend_launch launch = launch_of(j);
    const char *lack = lacks(event_of(j), b->info.features);
    j->result = (struct result){.status = LAUNCH_DONE, .fault.lane = ISA_LANES};
    b->counted.cycles = b->counted.n = 0;
    *b->says = 0;
    if (!b->device) open_anew(b, event_of(j)->device);
    if (!b->device) return j->result.status = LAUNCH_FAULT, false;
    char why[300] = "";
    bool good = !lack && mirror_push(event_of(j)->device);
    if (good) tell_program(b, j);
    if (lack) snprintf(b->says, sizeof b->says, "device %.150s: %s", b->spec, lack);
    if (good && b->table->launch(b->device, &launch, why, sizeof why)) {
        why[sizeof why - 1] = 0;
        snprintf(b->says, sizeof b->says, "device %.90s: %s", b->spec, *why ? why : "it does not accept the launch");
        good = false;
    }
    if (!good) refuse(j);
    /* Functions of exit() run in reverse order: this one before those of what the library has made only now. */
    if (good && !b->launched) atexit(close_all);
    b->launched |= good;
    return b->runs = good;
}

static void take_counters(struct backend *b, struct job *j)
{
    static const struct {
        const char *name;
        size_t at, bytes;
    } known[] = {
#define VENTUS_COUNTER(name, type, how, cl, text) {#name, offsetof(struct counters, name), sizeof(type)},
#include "sim/counters.def"
#undef VENTUS_COUNTER
    };
    struct ventus_backend_counter *c = b->counted.counter;
    memset(c, 0, sizeof b->counted.counter);
    const uint32_t n = b->table->counters(b->device, c, VENTUS_BACKEND_COUNTERS);
    if (n > VENTUS_BACKEND_COUNTERS && !b->warned) {
        char text[300];
        snprintf(text, sizeof text, "device %.150s: it says it has %u counters, more than %u: none is taken", b->spec,
                 (unsigned)n, (unsigned)VENTUS_BACKEND_COUNTERS);
        host_say("ventus", text);
        b->warned = true;
    }
    b->counted.n = n <= VENTUS_BACKEND_COUNTERS ? n : 0;
    for (uint32_t i = 0; i < b->counted.n; i++) {
        c[i].name[sizeof c[i].name - 1] = 0;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            if (strcmp(c[i].name, known[k].name) != 0) continue;
            void *to = (char *)&j->result.counters + known[k].at;
            if (known[k].bytes == sizeof(uint64_t)) *(uint64_t *)to = c[i].value;
            else *(uint32_t *)to = (uint32_t)c[i].value;
        }
    }
}

/* It is over, and the result and `says` say how. */
static void take_outcome(struct backend *b, struct job *j, int state, const struct ventus_backend_outcome *o)
{
    struct fault *f = &j->result.fault;
    b->counted.cycles = o->cycles;
    j->result.status = state == VENTUS_BACKEND_DONE ? LAUNCH_DONE : LAUNCH_FAULT;
    if (state == VENTUS_BACKEND_DONE || *b->says) return; /* its memory has failed while it printed */
    if (state == VENTUS_BACKEND_TIMEOUT) {
        event_set_overdue(event_of(j));
        j->result.status = LAUNCH_CANCELLED;
    }
    if (state == VENTUS_BACKEND_FAULT) {
        f->pc = o->pc, f->warp = o->warp;
        memcpy(f->group, o->group, sizeof f->group);
    }
    snprintf(b->says, sizeof b->says, "device %.150s: %s", b->spec,
             *o->text                          ? o->text
             : state == VENTUS_BACKEND_FAULT   ? "the kernel has failed"
             : state == VENTUS_BACKEND_TIMEOUT ? "the launch has not ended within the time-out of the device"
             : state == VENTUS_BACKEND_FAILED  ? "the device has failed, and does not say why"
                                               : "its answer to a launch is none that there is (wait)");
}

void backend_outcome(ventus_event *e)
{
    const struct backend *b = e->device->backend;
    e->outcome.cycles = b->counted.cycles;
    if (e->counted) *e->counted = b->counted;
}

/* The device stands still: the host prints, and makes room. */
static bool print(struct job *j, uint32_t value)
{
    ventus_device *d = event_of(j)->device;
    if (!j->options.print || !(d->backend->info.features & VENTUS_BACKEND_PRINT)) return false;
    if (!mirror_pull(d)) return false;
    j->options.print(j->options.print_user, value);
    return mirror_push(d);
}

enum { SLICE_NS = 20000000 }; /* so late, at most, a launch is cancelled; of a second, 50 calls */

static void cancel(struct backend *b, struct job *j)
{
    j->result.status = LAUNCH_CANCELLED;
    snprintf(b->says, sizeof b->says, "device %.150s was stopped: the launch had not ended%s", b->spec,
             event_of(j)->overdue ? " in time" : "");
}

/* Goes on with the launch for a moment. False: it is over. With the lock held. */
static bool proceed(struct backend *b, struct job *j)
{
    struct ventus_backend_outcome o = {.size = sizeof o};
    const int state = b->table->wait(b->device, SLICE_NS, &o);
    const bool is_over = event_is_over(event_of(j));
    o.text[sizeof o.text - 1] = 0;
    if (state == VENTUS_BACKEND_PRINTS && !is_over && print(j, o.print)) return true;
    if (state == VENTUS_BACKEND_RUNS && !is_over) return true;
    if (is_over && (state == VENTUS_BACKEND_RUNS || state == VENTUS_BACKEND_PRINTS)) cancel(b, j);
    else take_outcome(b, j, state, &o);
    const bool stuck = state != VENTUS_BACKEND_DONE && state != VENTUS_BACKEND_FAULT;
    if (!mirror_pull(event_of(j)->device) && state == VENTUS_BACKEND_DONE) j->result.status = LAUNCH_FAULT;
    if (!stuck) take_counters(b, j);
    if (stuck) b->anew = true;
    return b->runs = false;
}

/* A device that has not ended its launch is opened anew, with nothing in its memory. */
static void end(struct backend *b, const struct job_source *source, struct job *j)
{
    b->job = NULL;
    b->begun = false;
    if (b->anew) {
        pthread_mutex_lock(&b->lock);
        close_device(b);
        pthread_mutex_unlock(&b->lock);
    }
    b->anew = false;
    source->done(source->user, j);
    *b->says = 0; /* launches that never get here have reasons of their own */
    b->counted.cycles = b->counted.n = 0;
}

static bool locked(struct backend *b, struct job *j, bool (*act)(struct backend *b, struct job *j))
{
    pthread_mutex_lock(&b->lock);
    const bool goes_on = act(b, j);
    pthread_mutex_unlock(&b->lock);
    return goes_on;
}

void backend_run(ventus_device *d, const struct job_source *source)
{
    struct backend *b = d->backend;
    while (b->job || (b->job = source->next(source->user))) {
        struct job *j = b->job;
        bool runs = b->begun || (b->begun = locked(b, j, begin));
        while (runs && (runs = locked(b, j, proceed))) {
            source->next(source->user); /* what is to be ended ends; it gives no launch while one runs */
            if (source->leave && source->leave(source->user)) return;
        }
        end(b, source, j);
    }
}
