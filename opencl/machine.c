/* Machines: each context has one to itself, so that a kernel without end keeps nothing from the kernels of other
 * contexts. A machine that a context has given back goes to the next one; none is taken down, because contexts come and
 * go quickly in some programs, and a process that ends has nothing to wait for. When the host has no room for another
 * machine, contexts share one. Called by context.c.
 *
 * After fork() the child has machines without threads: it leaves them alone, and its contexts make their own. */
#include <stdlib.h>

#include "objects.h"

struct machine {
    struct machine *next;
    ventus_device *device;
    unsigned contexts; /* that use it */
    bool of_parent;    /* its threads are in the process that this one was forked from: nobody's to use */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct machine *machines;

/* ---- fork ---- */

static void before_fork(void) { pthread_mutex_lock(&lock); }

static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void in_child(void)
{
    for (struct machine *m = machines; m; m = m->next) m->of_parent = true;
    object_disown_all();
    after_fork();
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

/* ---- machines ---- */

/* Another one; NULL: there is no room. With the lock held. */
static struct machine *add(void)
{
    struct machine *m = malloc(sizeof *m);
    enum ventus_status status = m ? ventus_open(0, &m->device) : VENTUS_NO_MEMORY;
    if (status != VENTUS_OK) {
        static atomic_flag said = ATOMIC_FLAG_INIT;
        complain_once(&said, "the device does not start: %s%s", ventus_status_text(status),
                      status == VENTUS_NO_MEMORY ? "; it needs 4 GiB of addresses (ulimit -v)" : "");
        free(m);
        return NULL;
    }
    m->contexts = 0;
    m->of_parent = false;
    m->next = machines;
    return machines = m;
}

/* The one with the fewest contexts; NULL: there is none. With the lock held. */
static struct machine *least_used(void)
{
    struct machine *best = NULL;
    for (struct machine *m = machines; m; m = m->next)
        if (!m->of_parent && (!best || m->contexts < best->contexts)) best = m;
    return best;
}

ventus_device *machine_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!device_info()) return NULL;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    struct machine *m = least_used();
    if (!m || m->contexts) m = add();
    if (!m && !device_info()->translated) m = least_used();
    if (m) m->contexts++;
    pthread_mutex_unlock(&lock);
    return m ? m->device : NULL;
}

void machine_give_back(const ventus_device *device)
{
    pthread_mutex_lock(&lock);
    for (struct machine *m = machines; m; m = m->next)
        if (m->device == device) m->contexts--;
    pthread_mutex_unlock(&lock);
}
