/* Devices: which there are, opening and closing one, and what can be asked about it.
 *
 * A device is a machine of its own; two devices share nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "quirks/quirks.h"

uint32_t ventus_api_version(void) { return VENTUS_API_VERSION; }

/* ---- which devices there are ---- */

/* The part of VENTUS_CONFIG that names file `index`: its length, 0 when there are not so many. Empty parts
 * do not count. */
static size_t config_file(size_t index, const char **name)
{
    const char *s = secure_getenv("VENTUS_CONFIG");
    while (s && *s) {
        size_t n = strcspn(s, ":");
        *name = s;
        if (n && !index--) return n;
        s += n + (s[n] == ':');
    }
    return 0;
}

size_t ventus_device_count(void)
{
    const char *name;
    size_t n = 0;
    while (config_file(n, &name)) n++;
    return n ? n : 1;
}

/* Are the known faults of a machine file known? */
static bool quirks_check(const struct gpu_config *c, char *why, size_t why_size)
{
    uint32_t set;
    return !*c->quirks || quirks_parse(c->quirks, &set, why, why_size);
}

static bool quirks_open(ventus_device *d, const struct gpu_config *c)
{
    char why[64];
    if (!*c->quirks) return true;
    d->quirks = quirks_new(d->gpu, c->quirks, why, sizeof why);
    if (d->quirks) gpu_observe(d->gpu, quirks_observer(d->quirks));
    return d->quirks;
}

/* A file's parameters over those in `config`, which stays as it is when something is wrong. */
static enum ventus_status read_config(const char *path, struct gpu_config *config, char *why, size_t why_size)
{
    char text[800] = "";
    struct gpu_config c = *config;
    if (gpu_config_read(&c, path, text, sizeof text) && clock_check(&c, text, sizeof text) &&
        quirks_check(&c, text, sizeof text)) {
        *config = c;
        return VENTUS_OK;
    }
    if (why && why_size) snprintf(why, why_size, "%s", text);
    return VENTUS_BAD_CONFIG;
}

/* VENTUS_TIMING, which takes the place of what the machine's file says of a model of its cycles. False: the text, of
 * why it cannot be. */
static bool timing_of_environment(struct gpu_config *c, char *why, size_t why_size)
{
    const char *said = secure_getenv("VENTUS_TIMING");
    if (!said || !*said) return true;
    char text[300] = "the name is too long";
    const bool fits = strlen(said) < sizeof c->timing;
    if (fits) strcpy(c->timing, said);
    if (fits && clock_check(c, text, sizeof text)) return true;
    snprintf(why, why_size, "VENTUS_TIMING: %s", text);
    return false;
}

/* The machine without a file; what is wrong then is a variable of the environment. */
static enum ventus_status plain_config(struct gpu_config *config, char *why, size_t why_size)
{
    const char *wrong = gpu_config_check(config);
    if (wrong && why && why_size) snprintf(why, why_size, "%s", wrong);
    if (wrong) return VENTUS_BAD_CONFIG;
    return timing_of_environment(config, why, why_size) ? VENTUS_OK : VENTUS_BAD_CONFIG;
}

/* What VENTUS_CONFIG and VENTUS_TIMING say, over `config`. */
static enum ventus_status environment_config(size_t index, struct gpu_config *config, char *why, size_t why_size)
{
    const char *name;
    if (!config || index >= ventus_device_count()) return VENTUS_BAD_ARGUMENT;
    size_t n = config_file(index, &name);
    if (!n) return plain_config(config, why, why_size);
    char text[600] = "", *path = strndup(name, n);
    if (!path) return VENTUS_NO_MEMORY;
    enum ventus_status status = read_config(path, config, text, sizeof text);
    if (status == VENTUS_OK && !timing_of_environment(config, text, sizeof text)) status = VENTUS_BAD_CONFIG;
    if (status != VENTUS_OK && why && why_size)
        snprintf(why, why_size, "%s (VENTUS_CONFIG names the machine's file; `ventus info` prints one)", text);
    free(path);
    return status;
}

/* The same, with the device behind the driver. */
static enum ventus_status device_config(size_t index, struct gpu_config *config, struct backend_summary *summary,
                                        char *why, size_t why_size)
{
    char text[600] = "";
    if (config) gpu_config_default(config);
    enum ventus_status status = environment_config(index, config, why, why_size);
    if (status != VENTUS_OK || backend_config(config, summary, text, sizeof text)) return status;
    if (why && why_size) snprintf(why, why_size, "%s", text);
    return VENTUS_BAD_CONFIG;
}

enum ventus_status device_environment_config(struct gpu_config *config, bool *named, char *why, size_t why_size)
{
    const char *name;
    *named = config_file(0, &name) > 0;
    return environment_config(0, config, why, why_size);
}

bool device_backend_config(struct gpu_config *config, uint32_t *features, uint32_t *memory_mib, char *why,
                           size_t why_size)
{
    struct backend_summary summary;
    const bool good = backend_config(config, &summary, why, why_size);
    if (features) *features = summary.features;
    if (memory_mib) *memory_mib = summary.memory_mib;
    return good;
}

uint32_t device_features_of(size_t index, uint64_t *memory)
{
    struct gpu_config config;
    struct backend_summary summary;
    const enum ventus_status status = device_config(index, &config, &summary, NULL, 0);
    *memory = status == VENTUS_OK ? (uint64_t)summary.memory_mib << 20 : 0;
    return status == VENTUS_OK ? summary.features : (uint32_t)VENTUS_BACKEND_FEATURES;
}

enum ventus_status device_gpu_config(size_t index, struct gpu_config *config, char *why, size_t why_size)
{
    struct backend_summary summary;
    return device_config(index, config, &summary, why, why_size);
}

/* A device by its file, `n` bytes at `path` (0: it has none), and its machine. */
static struct ventus_info info_of(const char *path, size_t n, const struct gpu_config *c,
                                  const struct backend_summary *behind)
{
    struct ventus_info info = {.name = "Ventus GPGPU"};
    const char *slash = n ? memrchr(path, '/', n) : NULL, *base = slash ? slash + 1 : path;
    int length = (int)(n - (size_t)(base - path));
    if (n) snprintf(info.name, sizeof info.name, "Ventus GPGPU (%.*s)", length < 40 ? length : 40, base);
    else if (*c->device)
        snprintf(info.name, sizeof info.name, "Ventus GPGPU (%.40s)", *behind->name ? behind->name : "device library");
    info.profile = isa_profile_name((enum isa_profile)c->profile);
    info.sms = c->sms;
    info.warps_per_sm = c->warps_per_sm;
    info.threads_per_warp = c->threads_per_warp;
    info.lds_bytes = c->lds_bytes;
    info.clock_mhz = c->clock_mhz;
    info.modelled = *c->timing;
    info.translated = c->translation != GPU_PHYSICAL;
    return info;
}

enum ventus_status ventus_describe(size_t index, struct ventus_info *info, char *why, size_t why_size)
{
    struct gpu_config config;
    struct backend_summary summary;
    const char *path = "";
    if (!info) return VENTUS_BAD_ARGUMENT;
    enum ventus_status status = device_config(index, &config, &summary, why, why_size);
    if (status != VENTUS_OK) return status;
    size_t n = config_file(index, &path);
    *info = info_of(path, n, &config, &summary);
    return VENTUS_OK;
}

/* ---- opening and closing ---- */

/* VENTUS_TIMEOUT, seconds, in nanoseconds; 0: none. */
static uint64_t limit_of_environment(void)
{
    const char *said = secure_getenv("VENTUS_TIMEOUT");
    char *end;
    if (!said || !*said) return 0;
    const struct host_client client = host_neutral_begin();
    const double seconds = strtod(said, &end);
    const bool good = !*end && seconds >= 0 && seconds < 1e9;
    const uint64_t limit = good ? (uint64_t)(seconds * 1e9) : 0;
    host_neutral_end(&client);
    if (good) return limit;
    char text[200];
    snprintf(text, sizeof text, "%.100s is no number of seconds; kernels may run for ever", said);
    host_say("VENTUS_TIMEOUT", text);
    return 0;
}

/* Memory of events that is kept: of so many, at most 9 MB, with places for so many dependencies. */
enum { SPARE_EVENTS = 8192, SPARE_DEPS = 2 };

static ventus_device *device_new(const struct gpu_config *config, uint64_t memory_end)
{
    ventus_device *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->uses = 1;
    d->queue.machine = (struct worker){worker_run, machine_work, machine_held_until, &d->queue};
    d->queue.host = (struct worker){worker_run, call_run, NULL, &d->queue};
    bool lock = pthread_mutex_init(&d->lock, NULL) == 0 && pthread_mutex_init(&d->print_lock, NULL) == 0 &&
                spares_open(&d->events, sizeof(ventus_event) + SPARE_DEPS * sizeof(struct dependency), SPARE_EVENTS);
    if (lock && queue_init(&d->queue)) {
        struct gpu_config c = *config;
        if (*c.timing) c.host_threads = 1; /* the model's */
        d->gpu = gpu_create(&c, NULL);
        if (d->gpu && quirks_open(d, &c) && memory_open(d, memory_end) && space_open(d) && clock_open(d, &c)) return d;
        memory_close(d);
        gpu_destroy(d->gpu);
        quirks_free(d->quirks);
        d->gpu = NULL;
        device_release(d);
        return NULL;
    }
    if (lock) {
        spares_close(&d->events);
        pthread_mutex_destroy(&d->print_lock);
        pthread_mutex_destroy(&d->lock);
    }
    free(d);
    return NULL;
}

/* A program that opens what its environment names has no place for the reason why that cannot be: it is said here. */
static void complain_of_environment(const char *why)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[700];
    snprintf(text, sizeof text, "no device: %s", why);
    if (!atomic_flag_test_and_set(&said)) host_say("ventus", text);
}

/* `path` and `n` as above. */
static enum ventus_status open_named(const char *path, size_t n, const struct gpu_config *config,
                                     ventus_device **device)
{
    struct gpu_config is = *config;
    struct backend_summary summary;
    struct backend *backend = NULL;
    char why[600] = "";
    if (gpu_config_check(config)) return VENTUS_BAD_CONFIG;
    if (!backend_config(&is, &summary, why, sizeof why) ||
        (*is.device && !(backend = backend_new(&is, why, sizeof why)))) {
        if (!backend_is_open()) complain_of_environment(why); /* else that one does */
        return VENTUS_BAD_CONFIG;
    }
    timeline_on(); /* it begins before any clock of a device does */
    ventus_device *d = device_new(&is, backend_memory_end(backend));
    if (!d) return backend_free(backend), VENTUS_NO_MEMORY;
    d->backend = backend;
    d->info = info_of(path, n, &is, &summary);
    d->queue.limit_ns = limit_of_environment();
    d->queue.interrupts = interrupt_begin();
    d->queue.shows = host_wants_progress();
    device_debug_environment(d);
    environment_check();
    device_check_environment(d);
    device_profile_environment(d);
    if (device_timeline_environment(d)) report_at_end(d);
    device_export_environment(d);
    *device = d;
    return VENTUS_OK;
}

enum ventus_status ventus_open(size_t index, ventus_device **device)
{
    struct gpu_config config;
    const char *path = "";
    char why[600] = "";
    if (!device) return VENTUS_BAD_ARGUMENT;
    enum ventus_status status = device_gpu_config(index, &config, why, sizeof why);
    if (status == VENTUS_BAD_CONFIG) complain_of_environment(why);
    if (status != VENTUS_OK) return status;
    size_t n = config_file(index, &path);
    return open_named(path, n, &config, device);
}

enum ventus_status ventus_open_file(const char *path, ventus_device **device, char *why, size_t why_size)
{
    struct gpu_config config;
    if (!path || !device) return VENTUS_BAD_ARGUMENT;
    gpu_config_default(&config);
    enum ventus_status status = read_config(path, &config, why, why_size);
    return status == VENTUS_OK ? open_named(path, strlen(path), &config, device) : status;
}

enum ventus_status device_open_gpu(const struct gpu_config *config, ventus_device **device)
{
    return config && device ? open_named("", 0, config, device) : VENTUS_BAD_ARGUMENT;
}

void ventus_close(ventus_device *device)
{
    if (!device) return;
    queue_close(device);
    device_debug_end(device);
    device_check_end(device);
    clock_close(device);
    module_release_variables(device);
    memory_close(device);
    backend_free(device->backend);
    device->backend = NULL;
    gpu_destroy(device->gpu);
    quirks_free(device->quirks);
    device->gpu = NULL;
    device->quirks = NULL;
    device->heap = (struct heap){0};
    free(device->groups);
    device->groups = NULL;
    free(device->export_folder);
    device->export_folder = NULL;
    device_release(device);
}

/* ---- questions ---- */

void ventus_device_info(const ventus_device *device, struct ventus_info *info) { *info = device->info; }

const char *device_backend(const ventus_device *device) { return device->backend ? device->backend->spec : ""; }

bool device_shows_program(const ventus_device *device)
{
    return device->debugger || backend_shows_program(device->backend);
}

struct gpu *device_gpu(const ventus_device *device) { return device->gpu; }

bool device_regroups(const ventus_device *device)
{
    return !device->info.modelled && !device->backend && !device->export_folder && !device->profile &&
           !gpu_observed(device->gpu);
}

void ventus_totals(ventus_device *device, struct ventus_totals *totals)
{
    struct queue *q = &device->queue;
    pthread_mutex_lock(&q->lock);
    *totals = q->totals;
    totals->counters = launch_counters(&q->counters);
    if (q->began) totals->busy_ns += host_ns() - q->began;
    pthread_mutex_unlock(&q->lock);
}
