/* The observers that every device can have (a debugger, checks) and profiles, and what they report when the device is
 * closed or the process ends. Called by device.c and launch.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/debugger.h"
#include "driver/driver.h"
#include "host/number.h"
#include "profile/profile.h"

/* ---- profiles ---- */

static const char *profile_wanted(void)
{
    const char *said = secure_getenv("VENTUS_PROFILE");
    return said && *said && strcmp(said, "0") != 0 ? said : NULL;
}

/* Accesses of every so manieth launch of a kernel are watched, its first one among them; 0: of none. */
static uint64_t accesses_every(void)
{
    static struct host_number every = {"VENTUS_PROFILE_MEMORY", "number of launches", 0, UINT32_MAX, 0, false};
    return host_number(&every);
}

struct profile *device_profile_new(ventus_device *device)
{
    struct profile *profile = profile_new(device->gpu);
    if (profile) profile_set_roofs(profile, clock_roofs(device));
    if (profile && clock_account(device)) return profile;
    profile_free(profile);
    return NULL;
}

void device_profile_environment(ventus_device *device)
{
    device->profile_watch = accesses_every();
    if (!profile_wanted()) return;
    device->profile = device_profile_new(device);
    if (device->profile) report_at_end(device);
    else host_say("VENTUS_PROFILE", "no memory for a profile");
}

/* The part of a module's code that can be executed. */
static const struct segment *code_of(const ventus_module *m)
{
    size_t i = 0;
    while (i < m->nsegments && !(m->segments[i].access & GPU_EXEC)) i++;
    return i < m->nsegments ? &m->segments[i] : NULL;
}

/* A module with a kernel in the profile stays as long as that. */
void launch_profile(ventus_event *e)
{
    const struct ventus_module *m = e->in.module;
    const struct segment *code = m && !e->raw ? code_of(m) : NULL;
    bool fresh = false;
    if (!code) return;
    const struct profile_kernel given = {.program = m->serial,
                                         .entry = e->in.kernel->entry,
                                         .name = e->in.kernel->name,
                                         .note = &m->note,
                                         .code = code->data,
                                         .base = code->addr,
                                         .size = code->filesize,
                                         .owner = (void *)(uintptr_t)m};
    e->profiled = profile_kernel(e->device->profile, &given, &fresh);
    if (fresh && e->profiled) atomic_fetch_add(&((ventus_module *)(uintptr_t)m)->uses, 1);
    if (e->profiled) profile_begin(e->device->profile, e->profiled, &e->job.launch);
    const uint64_t every = e->device->profile_watch;
    if (e->profiled && every && !e->job.options.observers && e->profiled->begun++ % every == 0)
        e->job.options.observers = profile_watch(e->profiled);
    e->job.options.counts = e->profiled ? e->profiled->counts : NULL;
}

void device_profile_host(const ventus_device *d, bool write, uint32_t addr, uint64_t size)
{
    if (d->profile) profile_host(d->profile, write, addr, size);
}

void launch_profiled(ventus_event *e) { profile_launch(e->profiled, &e->job.result.counters, host_ns() - e->began); }

static void report_profile(ventus_device *device)
{
    char why[300];
    if (!device->profile || device->profile_asked || !profile_wanted()) return;
    gpu_settle_counts(device->gpu);
    if (!profile_write(device->profile, profile_wanted(), why, sizeof why)) host_say("VENTUS_PROFILE", why);
}

void device_profile_forget(ventus_device *device)
{
    const struct profile_kernel *k = device->profile ? profile_kernels(device->profile) : NULL;
    for (; k; k = k->next) ventus_module_free(k->owner);
    if (device->profile) clock_account_end(device);
    profile_free(device->profile);
    device->profile = NULL;
    device->profile_asked = false;
}

/* ---- a debugger ---- */

/* VENTUS_GDB says where one may come. What is wrong with it is said, and the program runs without. */
void device_debug_environment(ventus_device *device)
{
    const char *where = secure_getenv("VENTUS_GDB");
    char why[300] = "a cycle model decides which warp runs next, which a debugger wants to do; choose one of them";
    if (!where || !*where) return;
    if (!device->clock) device->debugger = debugger_new(device->gpu, where, why, sizeof why);
    if (device->debugger) gpu_observe(device->gpu, debugger_observer(device->debugger));
    if (device->debugger) report_at_end(device);
    else host_say("VENTUS_GDB", why);
}

void device_debug_end(ventus_device *device)
{
    debugger_free(device->debugger);
    device->debugger = NULL;
}

/* ---- the end ---- */

/* Devices whose observers have something to say when they are closed or, as an OpenCL device never is, when the process
 * ends; and how many mistakes those have found that are no longer in the list. */
static ventus_device *reporting;
static size_t mistakes;
static pid_t process; /* a child of fork() has nothing to say */

static void report(ventus_device *device)
{
    report_profile(device);
    device_timeline_end(device);
    debugger_process_ends(device->debugger);
    check_summary(device->check, device->check_environment);
    mistakes += check_count(device->check);
}

void report_at_end(ventus_device *device)
{
    host_lock();
    if (process != getpid()) reporting = NULL; /* in a child: devices of its parent */
    process = getpid();
    ventus_device **link = &reporting;
    while (*link && *link != device) link = &(*link)->reporting;
    if (!*link) device->reporting = reporting, reporting = device;
    host_unlock();
}

static void report_now(ventus_device *device)
{
    host_lock();
    ventus_device **link = &reporting;
    while (*link && *link != device) link = &(*link)->reporting;
    if (*link) {
        report(device);
        *link = device->reporting;
    }
    host_unlock();
}

/* VENTUS_CHECK_EXITCODE, 0: the program's own. */
static int exit_code(void)
{
    static struct host_number code = {"VENTUS_CHECK_EXITCODE", "exit code", 0, 255, 0, false};
    return (int)host_number(&code);
}

void report_all(void)
{
    host_lock();
    for (ventus_device *d = reporting; d; d = d->reporting) report(d);
    reporting = NULL;
    timeline_finish();
    host_unlock();
}

/* Behind the functions that the program has given to atexit. */
__attribute__((destructor)) static void process_ends(void)
{
    if (process != getpid()) return;
    report_all();
    if (!mistakes || !exit_code()) return;
    fflush(NULL);
    _exit(exit_code());
}

/* ---- checks ---- */

enum ventus_status device_check(ventus_device *device, unsigned what, FILE *out)
{
    if (!device || !what) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&device->lock);
    bool fresh = !device->check && !device->heap.blocks.count && !device->nsegments;
    if (fresh) device->check = check_new(device->gpu, what, out);
    if (fresh && device->check) gpu_observe(device->gpu, check_observer(device->check));
    if (fresh && device->check) report_at_end(device);
    enum ventus_status status = !fresh ? VENTUS_BAD_ARGUMENT : device->check ? VENTUS_OK : VENTUS_NO_MEMORY;
    pthread_mutex_unlock(&device->lock);
    return status;
}

const struct check *device_checks(const ventus_device *device) { return device ? device->check : NULL; }

/* VENTUS_CHECK asks for checks in any program, VENTUS_CHECK_FILE says where reports go. A mistake in them must not
 * change what the program sees: it is reported, and the rest holds. */
void device_check_environment(ventus_device *device)
{
    const char *list = secure_getenv("VENTUS_CHECK"), *path = secure_getenv("VENTUS_CHECK_FILE");
    unsigned what = CHECK_ALL;
    device->check_environment = list && *list && strcmp(list, "0") != 0;
    char why[160], text[600];
    exit_code(); /* what is wrong with it is said now, not only when something is found */
    if (!device->check_environment) return;
    if (!check_parse(list, &what, why, sizeof why)) {
        snprintf(text, sizeof text, "%s; everything is checked", why);
        host_say("VENTUS_CHECK", text);
    }
    if (path && *path && !(device->check_file = fopen(path, "a"))) {
        snprintf(text, sizeof text, "cannot write %.400s: %s; reports come here", path, strerror(errno));
        host_say("VENTUS_CHECK_FILE", text);
    }
    if (device_check(device, what, device->check_file ? device->check_file : stderr) != VENTUS_OK)
        host_say("VENTUS_CHECK", "no memory for checks");
}

void device_check_end(ventus_device *device)
{
    report_now(device);
    device_profile_forget(device);
    check_free(device->check);
    device->check = NULL;
    if (device->check_file) fclose(device->check_file);
    device->check_file = NULL;
}
