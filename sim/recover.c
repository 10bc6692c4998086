/* Host signals of guest accesses: a SIGSEGV or SIGBUS inside the guest window ends the launch, not
 * the process.
 *
 * Invariant: `current` is set only while this thread runs a work-group, and the handlers are in place only
 * while some thread does: a program may set handlers of its own at any other time (test frameworks and
 * language runtimes do), and finds them again afterwards. A signal that is not ours goes to whoever was
 * there before. Somebody may set a handler while a launch runs, too: nobody tells us, so it is looked for, at the start
 * of each launch unless that was done after its submission, and once a millisecond, and ours goes over it. Called by
 * dispatch.c and group.c. */
#include <string.h>
#include <pthread.h>

#include "host/host.h"
#include "sim/machine.h"

/* The SM whose accesses this thread makes. Initial-exec: the handler must not run into a lazy allocation of
 * thread-local storage. */
static _Thread_local struct sm *volatile current __attribute__((tls_model("initial-exec")));
static _Thread_local sigset_t mask; /* of this thread outside the handler */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static _Atomic uint64_t looked; /* when both signals were last seen to be ours (host_ns), written after the look */
static struct sigaction previous[2];
static const int signals[2] = {SIGSEGV, SIGBUS};

static bool is_ours(const struct sm *sm, const siginfo_t *info)
{
    if (!sm || info->si_code <= 0) return false;
    uintptr_t at = (uintptr_t)info->si_addr, base = (uintptr_t)sm->mem;
    return at - (base - MEM_GUARD) < MEM_SPAN + 2 * MEM_GUARD;
}

/* Gives the signal to the previous owner. Its default action: we take our handler away and let the access fault
 * again. */
static void chain(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *p = &previous[sig == SIGBUS];
    if (p->sa_flags & SA_SIGINFO) {
        p->sa_sigaction(sig, info, context);
    } else if (p->sa_handler == SIG_DFL || (p->sa_handler == SIG_IGN && info->si_code > 0)) {
        signal(sig, SIG_DFL);
        if (info->si_code <= 0) raise(sig);
    } else if (p->sa_handler != SIG_IGN) {
        p->sa_handler(sig);
    }
}

/* A handler set over ours may hand on to ours what it does not know. Then we call it and it calls us, with the same
 * signal and deeper in the stack, and nobody is left to turn to. (It may also jump away: then a later signal finds
 * what is noted here, but is not deeper.) */
static void turn_to_others(int sig, siginfo_t *info, void *context)
{
    static _Thread_local struct {
        const void *info;
        const void *volatile frame;
    } last __attribute__((tls_model("initial-exec")));
    const void *frame = __builtin_frame_address(0);
    if (last.info == info && frame < last.frame) {
        signal(sig, SIG_DFL);
        return;
    }
    last.info = info;
    last.frame = frame;
    chain(sig, info, context);
    last.frame = NULL;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct sm *sm = current;
    if (is_ours(sm, info)) siglongjmp(*sm->jump, 1);
    turn_to_others(sig, info, context);
}

static bool install(int i)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    return sigaction(signals[i], &action, &previous[i]) == 0;
}

static bool is_installed(int i)
{
    struct sigaction now;
    return sigaction(signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal;
}

/* Gives the signal back, unless somebody has put a handler over ours meanwhile: then the signal is
 * theirs, and the next launch goes over it. */
static void uninstall(int i)
{
    if (is_installed(i)) sigaction(signals[i], &previous[i], NULL);
}

/* After fork() no work-group runs in the child, whatever its parent was doing. */
static void before_fork(void) { pthread_mutex_lock(&lock); }

static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void in_child(void)
{
    for (int i = 0; i < 2 && users; i++) uninstall(i);
    users = 0;
    after_fork();
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

static bool recover_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool ok = true;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    if (users == 0) {
        const uint64_t now = host_ns();
        ok = install(0);
        if (ok && !install(1)) {
            uninstall(0);
            ok = false;
        }
        looked = now;
    }
    if (ok) users++;
    pthread_mutex_unlock(&lock);
    return ok;
}

static void recover_remove(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0)
        for (int i = 0; i < 2; i++) uninstall(i);
    pthread_mutex_unlock(&lock);
}

bool recover_enter(void *stack, struct recover_thread *old)
{
    sigset_t ours;
    if (!recover_install()) return false;
    sigemptyset(&ours);
    for (int i = 0; i < 2; i++) sigaddset(&ours, signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, &old->mask);
    mask = old->mask;
    for (int i = 0; i < 2; i++) sigdelset(&mask, signals[i]);
    stack_t own = {.ss_sp = stack, .ss_size = RECOVER_STACK};
    if (sigaltstack(NULL, &old->stack) == 0 && (old->stack.ss_flags & SS_DISABLE)) sigaltstack(&own, NULL);
    return true;
}

void recover_renew(uint64_t since)
{
    if (looked > since) return;
    pthread_mutex_lock(&lock);
    if (looked <= since) {
        const uint64_t now = host_ns(); /* before the look: what is set during it counts as later */
        for (int i = 0; i < 2; i++)
            if (!is_installed(i)) install(i);
        looked = now;
    }
    pthread_mutex_unlock(&lock);
}

void recover_look(uint64_t *due)
{
    enum { MILLISECOND = 1000000 }; /* a look is two system calls, 0.4 us: 0.04 % of the time */
    uint64_t now = host_ns();
    if (now < *due) return;
    *due = now + MILLISECOND;
    recover_renew(now);
}

void recover_guard(struct sm *sm) { current = sm; }

void recover_again(void) { pthread_sigmask(SIG_SETMASK, &mask, NULL); }

void recover_leave(const struct recover_thread *old)
{
    if (old->stack.ss_flags & SS_DISABLE) sigaltstack(&old->stack, NULL);
    if (sigismember(&old->mask, SIGSEGV) || sigismember(&old->mask, SIGBUS))
        pthread_sigmask(SIG_SETMASK, &old->mask, NULL);
    recover_remove();
}
