/* The machine's end of a machine in another process: a machine with a debugger's server, and the requests of the
 * program that uses it. A launch runs on a thread of its own, so that the other thread can answer meanwhile. */
#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "debug/debugger.h"
#include "driver/backend.h"
#include "driver/backend_launch.h"
#include "driver/driver.h"
#include "driver/remote.h"
#include "host/host.h"
#include "isa/abi.h"
#include "sim/engine.h"

struct machine {
    struct gpu *gpu;
    struct debugger *debugger;
    const char *path; /* of the listener's socket */
    int listener, fd; /* fd: the program's */
    uint8_t *bytes;   /* what came with the request */
    struct launch launch;
    struct launch_options options;
    struct launch_info info;
    ventus_module *module; /* NULL: no program is known */
    uint8_t *elf;
    uint64_t programs;
    struct result result;
    char kernel[REMOTE_KERNEL];

    pthread_t thread;
    bool started;
    _Atomic bool cancel;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    enum ventus_backend_state state;
    bool told, printed; /* that the print buffer is full, to the program; by the program */
    uint32_t print;
};

/* ---- answers ---- */

static bool answer(const struct machine *m, int32_t result, const void *bytes, size_t size)
{
    const struct remote_answer a = {result, (uint32_t)size};
    return remote_send(m->fd, &a, sizeof a) && remote_send(m->fd, bytes, size);
}

static bool good(const struct machine *m) { return answer(m, 0, NULL, 0); }
static bool bad(const struct machine *m, const char *text) { return answer(m, 1, text, strlen(text)); }

/* ---- what it is, and its memory ---- */

/* The program may have read another machine file. */
static bool describe(struct machine *m, const struct remote_request *r)
{
    struct ventus_backend_info i = backend_question(gpu_config_of(m->gpu));
    if (r->size != sizeof i) return bad(m, "the machine is of another build");
    i.features &= ~(uint32_t)VENTUS_BACKEND_SVM;
    return answer(m, 0, &i, sizeof i);
}

static bool is_code(uint64_t addr) { return addr - ABI_CODE_BASE < ABI_CODE_LIMIT - ABI_CODE_BASE; }

static bool is_writable(const struct machine *m, uint64_t addr, uint64_t end)
{
    for (uint64_t page = addr & ~(uint64_t)(ABI_PAGE - 1); page < end; page += ABI_PAGE)
        if (gpu_mem_writable(m->gpu, page) != page) return false;
    return true;
}

/* Pages open when they are written. Local and private memory is the machine's own. */
static void *open_memory(struct machine *m, uint64_t addr, uint64_t size)
{
    const unsigned access = GPU_READ | GPU_WRITE | (is_code(addr) ? GPU_EXEC : 0);
    if (addr < ABI_CODE_BASE || addr > UINT32_MAX || size > (uint64_t)UINT32_MAX + 1 - addr) return NULL;
    if (!is_writable(m, addr, addr + size) && !gpu_mem_open(m->gpu, (uint32_t)addr, size, access)) return NULL;
    return gpu_mem(m->gpu, (uint32_t)addr, size);
}

/* While a launch stands still to print its memory is the program's, too. */
static bool write_memory(struct machine *m, const struct remote_request *r)
{
    if (m->started && !m->told) return bad(m, "a launch runs");
    void *to = open_memory(m, r->addr, r->size);
    if (!to) return bad(m, "no such memory");
    memcpy(to, m->bytes, r->size);
    if (is_code(r->addr)) gpu_mem_code_changed(m->gpu);
    return good(m);
}

static void end_launch(struct machine *m)
{
    pthread_mutex_lock(&m->lock);
    m->cancel = m->printed = true;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    if (m->started) pthread_join(m->thread, NULL);
    m->started = m->printed = m->told = false;
    m->cancel = false;
}

static bool read_memory(struct machine *m, const struct remote_request *r)
{
    if (m->started && !m->told) end_launch(m); /* it is given up */
    const bool there = r->addr <= UINT32_MAX && r->bytes <= REMOTE_MOST;
    const void *from = there ? gpu_mem(m->gpu, (uint32_t)r->addr, r->bytes) : NULL;
    return from ? answer(m, 0, from, r->bytes) : bad(m, "nobody has written it");
}

/* ---- launches ---- */

static void set_state(struct machine *m, enum ventus_backend_state state)
{
    pthread_mutex_lock(&m->lock);
    m->state = state;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

/* The machine stands still until the program has printed and asks again, which a debugger may delay. */
static void print(void *user, uint32_t value)
{
    struct machine *m = user;
    debugger_rests(m->debugger, true);
    pthread_mutex_lock(&m->lock);
    m->print = value;
    m->printed = m->cancel;
    m->state = VENTUS_BACKEND_PRINTS;
    pthread_cond_broadcast(&m->changed);
    while (!m->printed) pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
    debugger_rests(m->debugger, false);
}

static void *run(void *user)
{
    struct machine *m = user;
    gpu_launch(m->gpu, &m->launch, &m->options, &m->result);
    set_state(m, m->result.status == LAUNCH_DONE ? VENTUS_BACKEND_DONE : VENTUS_BACKEND_FAULT);
    return NULL;
}

static uint32_t line_of(const void *module, uint32_t pc) { return ventus_module_line(module, pc); }

/* Kernels may write to a program's variables, not to its code and constants. */
static void protect(struct machine *m)
{
    for (size_t i = 0; i < m->module->nsegments; i++) {
        const struct segment *s = &m->module->segments[i];
        if (gpu_mem(m->gpu, s->addr, s->memsize)) gpu_mem_open(m->gpu, s->addr, s->memsize, s->access);
    }
}

static bool take_program(struct machine *m, const struct remote_request *r)
{
    char why[300];
    if (m->started) end_launch(m);
    ventus_module_free(m->module);
    free(m->elf);
    m->module = NULL;
    m->elf = NULL;
    m->info = (struct launch_info){.line = NULL};
    if (ventus_module_load(m->bytes, r->size, &m->module, why, sizeof why) != VENTUS_OK) return bad(m, why);
    if (!(m->elf = malloc(r->size + 1u))) return bad(m, "out of memory");
    memcpy(m->elf, m->bytes, r->size);
    protect(m);
    m->info = (struct launch_info){
        .line = line_of, .user = m->module, .elf = m->elf, .elf_size = r->size, .elf_serial = ++m->programs};
    return good(m);
}

static bool launch(struct machine *m, const struct remote_request *r)
{
    struct remote_launch it;
    if (r->size != sizeof it) return bad(m, "the machine is of another build");
    if (m->started) return bad(m, "a launch runs already");
    memcpy(&it, m->bytes, sizeof it);
    it.kernel[sizeof it.kernel - 1] = 0;
    memcpy(m->kernel, it.kernel, sizeof m->kernel);
    m->info.kernel = m->kernel;
    m->launch = backend_launch(&it.launch);
    m->options = (struct launch_options){.info = &m->info,
                                         .kernel = m->kernel,
                                         .first_sm = it.launch.first_sm,
                                         .sms = it.launch.sms,
                                         .serial = !it.launch.pds_groups,
                                         .cancel = &m->cancel,
                                         .print = print,
                                         .print_user = m};
    m->state = VENTUS_BACKEND_RUNS;
    m->told = false;
    m->cancel = false;
    m->started = host_thread(&m->thread, run, m);
    return m->started ? good(m) : bad(m, "no thread");
}

/* What the machine has come to after some time, without the launch's end. */
static enum ventus_backend_state look(struct machine *m, uint64_t timeout_ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const uint64_t ns = (uint64_t)until.tv_nsec + (timeout_ns < 1000000000 ? timeout_ns : 1000000000);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&m->lock);
    if (m->told && m->state == VENTUS_BACKEND_PRINTS) {
        m->told = false;
        m->state = VENTUS_BACKEND_RUNS;
        m->printed = true;
        pthread_cond_broadcast(&m->changed);
    }
    while (m->state == VENTUS_BACKEND_RUNS && !pthread_cond_timedwait(&m->changed, &m->lock, &until)) {
    }
    const enum ventus_backend_state state = m->state;
    m->told = state == VENTUS_BACKEND_PRINTS;
    pthread_mutex_unlock(&m->lock);
    return state;
}

static bool wait_for(struct machine *m, const struct remote_request *r)
{
    struct ventus_backend_outcome o = {.size = sizeof o};
    if (!m->started) return answer(m, VENTUS_BACKEND_FAILED, &o, sizeof o);
    const enum ventus_backend_state state = look(m, r->addr);
    o.print = m->print;
    if (state == VENTUS_BACKEND_DONE || state == VENTUS_BACKEND_FAULT) {
        const struct fault *f = &m->result.fault;
        end_launch(m);
        if (m->result.status == LAUNCH_FAULT) fault_print(f, o.text, sizeof o.text);
        else if (state == VENTUS_BACKEND_FAULT) snprintf(o.text, sizeof o.text, "stopped by the debugger");
        o.pc = f->pc, o.warp = f->warp;
        memcpy(o.group, f->group, sizeof o.group);
    }
    return answer(m, (int32_t)state, &o, sizeof o);
}

static bool count(struct machine *m, const struct remote_request *r)
{
    (void)r;
    const struct counters *c = &m->result.counters;
    struct ventus_backend_counter list[VENTUS_BACKEND_COUNTERS] = {0};
    uint32_t n = 0;
    if (m->started) return answer(m, 0, NULL, 0);
#define VENTUS_COUNTER(id, type, how, cl, words) \
    snprintf(list[n].name, sizeof list[n].name, "%s", #id); \
    list[n++].value = c->id;
#include "sim/counters.def"
#undef VENTUS_COUNTER
    return answer(m, 0, list, n * sizeof *list);
}

/* ---- the program ---- */

/* False: it has gone, or is none of ours. */
static bool serve_one(struct machine *m)
{
    static bool (*const calls[])(struct machine * m, const struct remote_request *r) = {
        [REMOTE_DESCRIBE] = describe,    [REMOTE_WRITE] = write_memory, [REMOTE_READ] = read_memory,
        [REMOTE_PROGRAM] = take_program, [REMOTE_LAUNCH] = launch,      [REMOTE_WAIT] = wait_for,
        [REMOTE_COUNTERS] = count};
    struct remote_request r;
    if (!remote_receive(m->fd, &r, sizeof r) || r.call >= REMOTE_CALLS || r.size > REMOTE_MOST) return false;
    free(m->bytes);
    m->bytes = malloc(r.size + 1u);
    return m->bytes && remote_receive(m->fd, m->bytes, r.size) && calls[r.call](m, &r);
}

/* Another device of the program finds no machine while this one is in use. */
static void turn_away(const struct machine *m)
{
    const struct machine other = {.fd = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC)};
    if (other.fd < 0) return;
    bad(&other, "the machine is in use: a program can open one such device");
    close(other.fd);
}

static void serve(struct machine *m)
{
    for (bool goes_on = true; goes_on;) {
        struct pollfd fds[2] = {{m->fd, POLLIN, 0}, {m->listener, POLLIN, 0}};
        if (poll(fds, 2, -1) < 0) continue;
        if (fds[0].revents) goes_on = serve_one(m);
        else if (fds[1].revents) turn_away(m);
    }
    end_launch(m);
    gpu_mem_close(m->gpu, ABI_CODE_BASE, (uint64_t)UINT32_MAX + 1 - ABI_CODE_BASE);
}

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

static int listen_at(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if ((size_t)snprintf(a.sun_path, sizeof a.sun_path, "%s", path) >= sizeof a.sun_path) return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (!fchmod(fd, 0600) && !bind(fd, (struct sockaddr *)&a, sizeof a) && !listen(fd, 4)) return fd;
    close(fd);
    return -1;
}

static bool open_machine(struct machine *m, const struct gpu_config *config, const char *gdb, char *why,
                         size_t why_size)
{
    struct gpu_config c = *config;
    const char *wrong = "";
    c.host_threads = 1;
    engine_find("step", &c.engine);
    if (!(m->gpu = gpu_create(&c, &wrong))) return snprintf(why, why_size, "%s", wrong), false;
    if (!(m->debugger = debugger_new(m->gpu, gdb, why, why_size))) return false;
    gpu_observe(m->gpu, debugger_observer(m->debugger));
    return true;
}

void remote_machine(const struct gpu_config *config, const char *path, const char *gdb, char *why, size_t why_size)
{
    struct machine m = {.fd = -1, .path = path};
    const sigset_t set = end_signals();
    pthread_t end;
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* in the threads to come, too */
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.changed, NULL);
    if (!open_machine(&m, config, gdb, why, why_size)) return;
    if ((m.listener = listen_at(path)) < 0) {
        snprintf(why, why_size, "cannot listen at %s: %s", path, strerror(errno));
        return;
    }
    if (!host_thread(&end, await_end, &m)) {
        snprintf(why, why_size, "no thread");
        return;
    }
    for (;;) {
        if ((m.fd = accept4(m.listener, NULL, NULL, SOCK_CLOEXEC)) < 0) continue;
        serve(&m);
        close(m.fd);
    }
}
