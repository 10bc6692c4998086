/* Our machine as a device behind the driver (ventus_backend.h): for the one in another process (remote_machine.c), and
 * for tests. The functions are those of a table; an owner's `open` and `describe` make the device and the machine. */
#ifndef VENTUS_DRIVER_BACKEND_MACHINE_H
#define VENTUS_DRIVER_BACKEND_MACHINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "driver/ventus_backend.h"
#include "sim/launch.h"

/* What a device is asked: whether it is the machine of the configuration, with all features. */
struct ventus_backend_info backend_question(const struct gpu_config *config);

/* Has the configuration say what the device has said of itself. False: its profile is none; nothing has changed. */
bool backend_adopt(struct gpu_config *config, const struct ventus_backend_info *info);

struct ventus_backend_device {
    /* The owner's. A launch gets `info` (NULL: nothing is known of it), and `rests`, if not NULL, is called on its
     * thread while it waits for the host to print, and when it no longer does. */
    struct gpu *gpu;
    const struct launch_info *info;
    void (*rests)(struct ventus_backend_device *device, bool rests);

    char kernel[128]; /* of the last launch */
    struct launch launch;
    struct launch_options options;
    struct result result;
    pthread_t thread;
    bool started;
    _Atomic bool cancel;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    enum ventus_backend_state state;
    bool told, printed; /* that the print buffer is full, to the host; by the host */
    uint32_t print;
};

/* A device with this machine, which the owner may also give it later, before anything is written. */
void backend_machine_init(struct ventus_backend_device *device, struct gpu *gpu);
/* Ends what runs. Machine and structure stay the owner's. */
void backend_machine_end(struct ventus_backend_device *device);

/* What stands in a table. Pages open when they are first written; those of the code window hold code. */
int backend_machine_write(struct ventus_backend_device *device, uint64_t addr, const void *src, uint64_t size,
                          char *why, size_t why_size);
int backend_machine_read(struct ventus_backend_device *device, uint64_t addr, void *dst, uint64_t size, char *why,
                         size_t why_size);
int backend_machine_launch(struct ventus_backend_device *device, const struct ventus_backend_launch *launch, char *why,
                           size_t why_size);
int backend_machine_wait(struct ventus_backend_device *device, uint64_t timeout_ns,
                         struct ventus_backend_outcome *outcome);
uint32_t backend_machine_counters(struct ventus_backend_device *device, struct ventus_backend_counter *counters,
                                  uint32_t room);

#endif
