/* A device that runs launches in place of the machine (driver/ventus_backend.h), and what the driver keeps of it.
 *
 * The machine is there all the same: its memory is a mirror of the device's, in which the driver allocates, copies and
 * maps as ever. mirror.c brings what has changed to the device before a launch, and back behind it. */
#ifndef VENTUS_DRIVER_BACKEND_H
#define VENTUS_DRIVER_BACKEND_H

#include <pthread.h>
#include <sys/types.h>

#include "driver/gpu.h"
#include "driver/ventus.h"
#include "driver/ventus_backend.h"
#include "sim/launch.h"

enum { BACKEND_PAGES = 1 << 20 };

struct backend {
    const struct ventus_backend *table;
    struct ventus_backend_device *device; /* NULL: not open */
    struct ventus_backend_info info;
    char spec[DEVICE_NAME];         /* what it was opened with: library and options */
    struct backend *next;           /* of those that the end of the process closes */
    pid_t process;                  /* whose device it is: not that of a child of fork() */
    pthread_mutex_t lock;           /* of the library's device: a call at a time */
    bool launched, runs;            /* it has run something; something is running */
    struct job *job;                /* that it runs; NULL: none */
    bool begun;                     /* the device has it */
    bool anew;                      /* it is to be closed, and opened again */
    bool warned;                    /* of its counters */
    uint64_t program;               /* serial of the module that it has been told; 0: none */
    struct device_counters counted; /* of the last launch */
    char says[400];                 /* why that one did not end well; "" */
    uint8_t *pages[BACKEND_PAGES];  /* what the device has there, as far as it is known; NULL: nothing was written */
};

/* ---- backend.c ---- */

/* Opens what config->device names. NULL: `why` has the reason. */
struct backend *backend_new(const struct gpu_config *config, char *why, size_t why_size);
/* What is known of a device without one of its own. */
struct backend_summary {
    uint32_t features, memory_mib;
    char name[48];
};

/* NULL is allowed. */
void backend_free(struct backend *b);

/* Has the configuration say what the device that it names, or in its place VENTUS_BACKEND, is like, if there is to be
 * one. False: `why` has the reason. */
bool backend_config(struct gpu_config *config, struct backend_summary *summary, char *why, size_t why_size);

/* Where its memory for buffers ends; NULL: the machine's. */
uint64_t backend_memory_end(const struct backend *b);

/* Does it want to be told the program of launches (ventus_backend.h)? False without one. */
bool backend_shows_program(const struct backend *b);

/* Has this process one open? A library may have only one to give. */
bool backend_is_open(void);

/* What it knows of a launch that has ended goes into the event. */
void backend_outcome(ventus_event *event);

/* What machine.c has gpu_run do otherwise. */
void backend_run(ventus_device *device, const struct job_source *source);

/* ---- mirror.c ---- */

/* Brings what the host has changed to the device; what the device has changed to the host. False: b->says why. */
bool mirror_push(ventus_device *device);
bool mirror_pull(ventus_device *device);
/* Forgets what the device has. */
void mirror_forget(struct backend *b);

#endif
