/* The machine of `ventus debug --host`: a machine with a debugger's server, which programs find behind a socket.
 * Machine and debugger stay from one program to the next. */
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "debug/debugger.h"
#include "driver/backend_machine.h"
#include "driver/driver.h"
#include "driver/remote.h"
#include "host/host.h"
#include "isa/abi.h"
#include "sim/engine.h"

struct machine {
    struct ventus_backend_device device; /* first: its functions get its address */
    struct debugger *debugger;
    const char *path;      /* of the socket for programs */
    ventus_module *module; /* NULL: no program is known */
    uint8_t *elf;
    uint64_t programs;
    struct launch_info info;
};

/* ---- a program's device ---- */

static struct ventus_backend_device *open_device(void *user)
{
    struct machine *m = user;
    backend_machine_init(&m->device, m->device.gpu);
    return &m->device;
}

static void forget_program(struct machine *m)
{
    ventus_module_free(m->module);
    free(m->elf);
    m->module = NULL;
    m->elf = NULL;
    m->info = (struct launch_info){.kernel = m->device.kernel};
}

static void close_device(struct ventus_backend_device *d)
{
    backend_machine_end(d);
    forget_program((struct machine *)d);
    gpu_mem_close(d->gpu, 0, (uint64_t)UINT32_MAX + 1);
}

/* The program may have read another machine file. */
static int describe(struct ventus_backend_device *d, struct ventus_backend_info *i, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    *i = backend_question(gpu_config_of(d->gpu));
    return 0;
}

/* Local and private memory is the machine's own; with SV39 the memory of programs lies there, too. */
static int write_device(struct ventus_backend_device *d, uint64_t addr, const void *src, uint64_t size, char *why,
                        size_t why_size)
{
    const bool own = addr < ABI_CODE_BASE && gpu_config_of(d->gpu)->translation != GPU_SV39;
    if (!own) return backend_machine_write(d, addr, src, size, why, why_size);
    snprintf(why, why_size, "local and private memory is the machine's own");
    return 1;
}

static uint32_t line_of(const void *module, uint32_t pc) { return ventus_module_line(module, pc); }

/* Kernels may write to a program's variables, not to its code and constants. */
static void protect(const struct machine *m)
{
    for (size_t i = 0; i < m->module->nsegments; i++) {
        const struct segment *s = &m->module->segments[i];
        if (gpu_mem(m->device.gpu, s->addr, s->memsize)) gpu_mem_open(m->device.gpu, s->addr, s->memsize, s->access);
    }
}

static void take_program(struct ventus_backend_device *d, const void *elf, uint64_t size)
{
    struct machine *m = (struct machine *)d;
    char why[300];
    if (d->started) return; /* whose program it is */
    forget_program(m);
    if (ventus_module_load(elf, size, &m->module, why, sizeof why) != VENTUS_OK || !(m->elf = malloc(size))) return;
    memcpy(m->elf, elf, size);
    protect(m);
    m->info.line = line_of;
    m->info.user = m->module;
    m->info.elf = m->elf;
    m->info.elf_size = size;
    m->info.elf_serial = ++m->programs;
}

static void rest(struct ventus_backend_device *d, bool rests)
{
    debugger_rests(((struct machine *)d)->debugger, rests);
}

static const struct ventus_backend table = {.abi = VENTUS_BACKEND_ABI,
                                            .size = sizeof table,
                                            .close = close_device,
                                            .describe = describe,
                                            .write = write_device,
                                            .read = backend_machine_read,
                                            .launch = backend_machine_launch,
                                            .wait = backend_machine_wait,
                                            .counters = backend_machine_counters,
                                            .program = take_program};

/* ---- the end ---- */

static sigset_t end_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

/* A thread that waits for the end: others may wait for a launch, a program or a debugger. That debugger may hold up the
 * files' removal, but not for long. */
static void *await_end(void *user)
{
    const struct machine *m = user;
    const sigset_t set = end_signals();
    char folder[sizeof((struct sockaddr_un *)NULL)->sun_path];
    int which;
    while (sigwait(&set, &which)) {
    }
    alarm(2);
    snprintf(folder, sizeof folder, "%s", m->path);
    debugger_process_ends(m->debugger);
    unlink(m->path);
    rmdir(dirname(folder));
    _exit(0);
}

/* ---- the beginning ---- */

static bool open_machine(struct machine *m, const struct gpu_config *config, const char *gdb, char *why,
                         size_t why_size)
{
    struct gpu_config c = *config;
    const char *wrong = "";
    c.host_threads = 1;
    engine_find("step", &c.engine);
    if (!(m->device.gpu = gpu_create(&c, &wrong))) return snprintf(why, why_size, "%s", wrong), false;
    if (!(m->debugger = debugger_new(m->device.gpu, gdb, why, why_size))) return false;
    gpu_observe(m->device.gpu, debugger_observer(m->debugger));
    m->device.info = &m->info;
    m->device.rests = rest;
    forget_program(m);
    return true;
}

void remote_machine(const struct gpu_config *config, const char *path, const char *gdb, char *why, size_t why_size)
{
    struct machine m = {.path = path};
    const struct remote_service service = {&table, open_device, &m};
    const sigset_t set = end_signals();
    int listener;
    pthread_t end;
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* in the threads to come, too */
    if (!open_machine(&m, config, gdb, why, why_size)) return;
    if ((listener = remote_listen(path)) < 0) {
        snprintf(why, why_size, "cannot listen at %s: %s", path, strerror(errno));
        return;
    }
    if (host_thread(&end, await_end, &m)) remote_serve(&service, listener);
    snprintf(why, why_size, "no thread");
}
