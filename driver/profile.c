/* Profiles of chosen launches, which a client asks for. report.c has the rest of profiles. */
#include "profile/profile.h"

#include "driver/driver.h"

/* Two threads at once would both find none. */
static enum ventus_status begin_profile(ventus_device *device, uint64_t watch)
{
    pthread_mutex_lock(&device->lock);
    const bool free = !device->profile;
    if (free) device->profile = device_profile_new(device);
    if (free) device->profile_watch = watch, device->profile_asked = device->profile;
    const bool made = device->profile;
    pthread_mutex_unlock(&device->lock);
    return !free ? VENTUS_BAD_ARGUMENT : made ? VENTUS_OK : VENTUS_NO_MEMORY;
}

enum ventus_status ventus_profile(ventus_device *device, uint64_t watch)
{
    if (!device || device->backend || !queue_pause(device)) return VENTUS_BAD_ARGUMENT;
    const enum ventus_status status = begin_profile(device, watch);
    queue_resume(device);
    return status;
}

static enum ventus_status end_profile(ventus_device *device, const char *files, char *why, size_t why_size)
{
    if (!device->profile_asked) return VENTUS_BAD_ARGUMENT;
    gpu_settle_counts(device->gpu);
    const bool written = !files || profile_write(device->profile, files, why, why_size);
    device_profile_forget(device);
    return written ? VENTUS_OK : VENTUS_BAD_ARGUMENT;
}

enum ventus_status ventus_profile_end(ventus_device *device, const char *files, char *why, size_t why_size)
{
    char unused[300];
    if (why && why_size) *why = 0;
    if (!device || !queue_pause(device)) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&device->lock);
    const enum ventus_status status = end_profile(device, files, why ? why : unused, why ? why_size : sizeof unused);
    pthread_mutex_unlock(&device->lock);
    queue_resume(device);
    return status;
}
