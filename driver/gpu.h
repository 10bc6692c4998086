/* The machine behind a device, for programs of this project that know it: `ventus run`, the drop-in library, tests. It
 * is not installed, and what uses it is built together with the driver. */
#ifndef VENTUS_DRIVER_GPU_H
#define VENTUS_DRIVER_GPU_H

#include "driver/ventus.h"
#include "driver/ventus_backend.h"
#include "check/check.h"
#include "sim/launch.h"

/* ---- device.c ---- */

/* The machine that device `index` (ventus_describe) would have; same errors. */
enum ventus_status device_gpu_config(size_t index, struct gpu_config *config, char *why, size_t why_size);

/* The same over the parameters in `config`, without the device that VENTUS_BACKEND names. *named: VENTUS_CONFIG names a
 * file, whose parameters they are. */
enum ventus_status device_environment_config(struct gpu_config *config, bool *named, char *why, size_t why_size);

/* As ventus_open, with this machine. VENTUS_BAD_CONFIG: it cannot be built (gpu_config_check says why). */
enum ventus_status device_open_gpu(const struct gpu_config *config, ventus_device **device);

struct model;

/* The machine has got this cycle model (timing/timing.h), which profiles ask where cycles go. NULL: no longer. Not
 * while launches run. */
void device_set_model(ventus_device *device, struct model *model);

/* The machine, which is the device's: what is allocated and loaded there is the driver's business. */
struct gpu *device_gpu(const ventus_device *device);

/* What it can do, enum ventus_backend_feature: all of it, unless another device stands behind the driver. */
uint32_t device_features(const ventus_device *device);
/* The same of device `index`, when it can be opened, and how many bytes it has for buffers. */
uint32_t device_features_of(size_t index, uint64_t *memory);

/* Does somebody look at the programs that the device runs: a debugger, or a device behind the driver that shows them?
 */
bool device_shows_program(const ventus_device *device);

/* The library of the device that runs launches, with its options; "": the machine does. */
const char *device_backend(const ventus_device *device);

/* Puts VENTUS_BACKEND in the place of config->device, and what that device says of itself in the place of what the
 * machine file says; *features and *memory_mib (unless NULL) are what it can do and has. False: `why` has the reason.
 * Without such a device nothing changes. */
bool device_backend_config(struct gpu_config *config, uint32_t *features, uint32_t *memory_mib, char *why,
                           size_t why_size);

/* May a launch of a kernel that is `ungrouped` run in other work-groups than its program says? Not where somebody sees
 * them: on a device with a cycle model, observers, a profile, or a folder for exported launches. */
bool device_regroups(const ventus_device *device);

/* ---- observe.c: looking for mistakes of kernels (docs/check.md) ---- */

/* Turns checks on: `what` as in check/check.h, reports go to `out` as launches end (NULL: they are only
 * kept). Only before anything is allocated or run, else VENTUS_BAD_ARGUMENT; opening a device does it when the
 * environment variable VENTUS_CHECK asks for it. Launches then run one at a time, and much slower. */
enum ventus_status device_check(ventus_device *device, unsigned what, FILE *out);

/* For check_count, check_get and check_json while no launch is under way; NULL: there are no checks. */
const struct check *device_checks(const ventus_device *device);

/* ---- launch.c ---- */

/* What ventus_launch.spaces is when nobody says: as the memory map has it, csr_gds 0. */
extern const struct ventus_spaces launch_spaces;

/* What a device behind the driver has said of a launch: its own numbers, by its own names, which may be anything. */
struct device_counters {
    uint64_t cycles; /* 0: not known */
    uint32_t n;
    struct ventus_backend_counter counter[VENTUS_BACKEND_COUNTERS]; /* names end with 0 */
};

/* What ventus_launch.gpu can say. It is copied; what it points to, but for `launch`, stays until the launch has ended.
 */
struct ventus_gpu_launch {
    struct launch_options options; /* `info` is the driver's */
    const struct launch *launch;   /* not NULL: goes to the machine as it is, with the module (which may be NULL) in the
                                    * code window; kernel, range and arguments do not count */
    struct result *result;         /* receives what the machine says at the end; may be NULL */
    struct device_counters *device; /* receives what the device says that stands in its place; may be NULL */
};

/* ---- environment.c ---- */

/* Says, once in a process, which variables of the environment are spelt almost as one of ours. */
void environment_check(void);

#endif
