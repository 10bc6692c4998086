/* The host's clock, short waits and threads (host.h). */
#include "driver/host.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

uint64_t host_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

enum { SPIN_NS = 20000 }; /* twice what it takes to sleep and be woken, or more */

uint64_t host_spin_end(void)
{
    cpu_set_t processors;
    bool several = sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) > 1;
    return host_ns() + (several ? SPIN_NS : 0);
}

bool host_spin(uint64_t end)
{
    if (host_ns() >= end) return false;
    sched_yield(); /* on a busy host it may be the one waited for that needs this processor */
    return true;
}

/* The client's signals: all but those that a thread raises itself. */
static void client_signals(sigset_t *set)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigfillset(set);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(set, own[i]);
}

bool host_thread(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    pthread_t started;
    sigset_t blocked, old;
    client_signals(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &old); /* inherited by the new thread */
    bool ok = pthread_create(&started, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (ok && thread) *thread = started;
    else if (ok) pthread_detach(started);
    return ok;
}
