/* Machines: each context has one to itself, so that a kernel without end keeps nothing from the kernels of other
 * contexts. A machine that a context has given back goes to the next one; a few are kept for that, because contexts
 * come and go quickly in some programs, and a process that ends has nothing to wait for. The others are taken down by a
 * thread of their own, because it may be one of the machine's threads that gives it back, at the end of a context's
 * last command. When the host has no room for another machine, contexts share one. Called by context.c.
 *
 * After fork() the child has machines without threads: it leaves them alone, and its contexts make their own. */
#include <stdlib.h>

#include "objects.h"

struct machine {
    struct machine *next, *previous, *next_idle;
    ventus_device *device;
    unsigned contexts; /* that use it */
    bool of_parent;    /* its threads are in the process that this one was forked from: nobody's to use */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct machine *machines, *idle; /* all; those without contexts, which are no parent's */
static struct machine *shared;          /* the latest that has become one of several contexts */
static unsigned nidle;
static bool takes_down; /* a thread is at it */

enum { KEPT = 8 }; /* of the idle ones, for the next contexts: a guess */

/* ---- fork ---- */

static void before_fork(void) { pthread_mutex_lock(&lock); }

static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void in_child(void)
{
    for (struct machine *m = machines; m; m = m->next) m->of_parent = true;
    idle = shared = NULL;
    nidle = 0;
    takes_down = false;
    object_disown_all();
    after_fork();
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

/* ---- machines ---- */

static void say_why(enum ventus_status status)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    complain_once(&said, "the device does not start: %s%s", ventus_status_text(status),
                  status == VENTUS_NO_MEMORY ? "; it needs 4 GiB of addresses (ulimit -v)" : "");
}

/* Adds a machine; NULL: there is no room, or no second device behind the driver. Called with the lock held. */
static struct machine *add(enum ventus_status *status)
{
    struct machine *m = calloc(1, sizeof *m);
    debug_check();
    svm_wanted();
    *status = m ? ventus_open(0, &m->device) : VENTUS_NO_MEMORY;
    if (*status != VENTUS_OK) {
        free(m);
        return NULL;
    }
    m->next = machines;
    if (machines) machines->previous = m;
    return machines = m;
}

static struct machine *take_idle(void)
{
    struct machine *m = idle;
    if (m) idle = m->next_idle, nidle--;
    return m;
}

/* Takes out an idle machine that is not needed; NULL: there is none, and the thread can end. */
static struct machine *take_surplus(void)
{
    struct machine *m = NULL;
    pthread_mutex_lock(&lock);
    if (nidle > KEPT) {
        m = take_idle();
        *(m->previous ? &m->previous->next : &machines) = m->next;
        if (m->next) m->next->previous = m->previous;
        if (shared == m) shared = NULL;
    }
    takes_down = m;
    pthread_mutex_unlock(&lock);
    return m;
}

static void *take_down(void *nothing)
{
    for (struct machine *m; (m = take_surplus());) {
        ventus_close(m->device);
        free(m);
    }
    return nothing;
}

/* Round robin, so that contexts are distributed evenly; NULL: there is no machine. Called with the lock held. */
static struct machine *share(void)
{
    struct machine *m = shared && shared->next ? shared->next : machines;
    return shared = m && !m->of_parent ? m : machines && !machines->of_parent ? machines : NULL;
}

struct machine *machine_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!device_info()) return NULL;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    struct machine *m = take_idle();
    enum ventus_status status = VENTUS_OK;
    if (!m) m = add(&status);
    if (!m && !device_info()->translated) m = share();
    if (m) m->contexts++;
    else say_why(status);
    pthread_mutex_unlock(&lock);
    return m;
}

ventus_device *machine_device(const struct machine *machine) { return machine->device; }

void machine_give_back(struct machine *m)
{
    pthread_mutex_lock(&lock);
    if (--m->contexts == 0 && !m->of_parent) {
        m->next_idle = idle;
        idle = m;
        nidle++;
        if (nidle > KEPT && !takes_down) takes_down = host_thread(NULL, take_down, NULL);
    }
    pthread_mutex_unlock(&lock);
}
