/* Opening and closing a device, and what can be asked about it.
 *
 * A device is a machine of its own; two devices share nothing. */
#include <stdlib.h>

#include "driver/driver.h"

const char *ventus_status_text(enum ventus_status status)
{
    switch (status) {
    case VENTUS_OK: return "success";
    case VENTUS_BAD_ARGUMENT: return "invalid argument";
    case VENTUS_BAD_CONFIG: return "invalid machine parameters";
    case VENTUS_NO_MEMORY: return "out of host memory";
    case VENTUS_NO_DEVICE_MEMORY: return "out of device memory";
    case VENTUS_OUT_OF_RANGE: return "device address range is not allocated";
    case VENTUS_BAD_MODULE: return "not a program for this device";
    case VENTUS_NO_KERNEL: return "no such kernel";
    case VENTUS_BAD_LAUNCH: return "launch sizes or resources that the device cannot hold";
    case VENTUS_FAULT: return "the kernel failed";
    case VENTUS_CANCELLED: return "the launch was cancelled";
    }
    return "unknown status";
}

enum ventus_status ventus_open(const struct gpu_config *config, ventus_device **device)
{
    struct gpu_config standard;
    enum ventus_status status = VENTUS_NO_MEMORY;
    if (!device) return VENTUS_BAD_ARGUMENT;
    if (!config) {
        gpu_config_default(&standard);
        config = &standard;
    }
    if (gpu_config_check(config)) return VENTUS_BAD_CONFIG;
    ventus_device *d = calloc(1, sizeof *d);
    if (!d) return VENTUS_NO_MEMORY;
    if (mtx_init(&d->lock, mtx_plain) != thrd_success) goto no_lock;
    if (mtx_init(&d->running, mtx_plain) != thrd_success) goto no_running;
    d->gpu = gpu_create(config, NULL);
    if (d->gpu) {
        *device = d;
        return VENTUS_OK;
    }
    mtx_destroy(&d->running);
no_running:
    mtx_destroy(&d->lock);
no_lock:
    free(d);
    return status;
}

void ventus_close(ventus_device *device)
{
    if (!device) return;
    gpu_destroy(device->gpu);
    mtx_destroy(&device->lock);
    mtx_destroy(&device->running);
    free(device->blocks);
    free(device);
}

const struct gpu_config *ventus_config(const ventus_device *device) { return gpu_config_of(device->gpu); }

struct gpu *ventus_gpu(ventus_device *device) { return device->gpu; }

/* One page is lost to the closed page behind an allocation. */
uint64_t ventus_memory_size(const ventus_device *device)
{
    (void)device;
    return ABI_HEAP_LIMIT - ABI_HEAP_BASE - ABI_PAGE;
}
