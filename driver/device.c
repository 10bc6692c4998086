/* Devices: which there are, opening and closing one, and what can be asked about it.
 *
 * A device is a machine of its own; two devices share nothing. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

uint32_t ventus_api_version(void) { return VENTUS_API_VERSION; }

/* ---- which devices there are ---- */

/* The part of VENTUS_CONFIG that names file `index`: its length, 0 when there are not so many. Empty parts
 * do not count. */
static size_t config_file(size_t index, const char **name)
{
    const char *s = getenv("VENTUS_CONFIG");
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

static enum ventus_status read_config(const char *path, struct gpu_config *config, char *why, size_t why_size)
{
    char text[512] = "";
    gpu_config_default(config);
    if (gpu_config_read(config, path, text, sizeof text)) return VENTUS_OK;
    if (why && why_size) snprintf(why, why_size, "%s", text);
    return VENTUS_BAD_CONFIG;
}

static void name_device(struct ventus_info *info, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(info->name, sizeof info->name, "Ventus GPGPU (%.40s)", slash ? slash + 1 : path);
}

enum ventus_status ventus_describe(size_t index, struct ventus_info *info, char *why, size_t why_size)
{
    struct ventus_info found = {.name = "Ventus GPGPU"};
    enum ventus_status status = VENTUS_OK;
    const char *name;
    if (!info || index >= ventus_device_count()) return VENTUS_BAD_ARGUMENT;
    size_t n = config_file(index, &name);
    if (n) {
        char *path = strndup(name, n);
        if (!path) return VENTUS_NO_MEMORY;
        name_device(&found, path);
        status = read_config(path, &found.config, why, why_size);
        free(path);
    } else {
        gpu_config_default(&found.config);
    }
    if (status == VENTUS_OK) *info = found;
    return status;
}

/* ---- opening and closing ---- */

static ventus_device *device_new(const struct gpu_config *config)
{
    ventus_device *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->uses = 1;
    d->queue.machine.run = machine_run;
    d->queue.host.run = queue_run_calls;
    bool lock = pthread_mutex_init(&d->lock, NULL) == 0;
    if (lock && queue_init(&d->queue)) {
        d->gpu = gpu_create(config, NULL);
        if (d->gpu) return d;
        device_release(d);
        return NULL;
    }
    if (lock) pthread_mutex_destroy(&d->lock);
    free(d);
    return NULL;
}

enum ventus_status ventus_open(const struct gpu_config *config, ventus_device **device)
{
    struct ventus_info first;
    if (!device) return VENTUS_BAD_ARGUMENT;
    if (!config) {
        enum ventus_status status = ventus_describe(0, &first, NULL, 0);
        if (status != VENTUS_OK) return status;
        config = &first.config;
    }
    if (gpu_config_check(config)) return VENTUS_BAD_CONFIG;
    ventus_device *d = device_new(config);
    if (!d) return VENTUS_NO_MEMORY;
    device_check_environment(d);
    *device = d;
    return VENTUS_OK;
}

enum ventus_status ventus_open_file(const char *path, ventus_device **device, char *why, size_t why_size)
{
    struct gpu_config config;
    if (!path || !device) return VENTUS_BAD_ARGUMENT;
    enum ventus_status status = read_config(path, &config, why, why_size);
    return status == VENTUS_OK ? ventus_open(&config, device) : status;
}

void ventus_close(ventus_device *device)
{
    if (!device) return;
    queue_close(device);
    device_check_end(device);
    gpu_destroy(device->gpu);
    device->gpu = NULL;
    free(device->heap.blocks);
    device->heap = (struct heap){0};
    device_release(device);
}

/* ---- questions ---- */

const struct gpu_config *ventus_config(const ventus_device *device) { return gpu_config_of(device->gpu); }

struct gpu *ventus_gpu(ventus_device *device) { return device->gpu; }

void ventus_totals(ventus_device *device, struct ventus_totals *totals)
{
    struct queue *q = &device->queue;
    pthread_mutex_lock(&q->lock);
    *totals = q->totals;
    if (q->busy) totals->busy_ns += host_ns() - q->began;
    pthread_mutex_unlock(&q->lock);
}
