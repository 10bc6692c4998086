/* Threads wait here for work. dispatch.c calls these functions on the thread in gpu_run. */
#include "sim/workers.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "host/host.h"

struct thread {
    struct workers *all;
    pthread_t thread;
    uint32_t number;
};

struct workers {
    void (*run)(void *user, uint32_t number);
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t called, left;
    _Atomic uint64_t calls;
    void *user;            /* of the last call; NULL: dismissed */
    uint32_t asleep;       /* threads that wait for `called` */
    _Atomic uint32_t busy; /* threads in run() */
    bool closing;
    uint32_t count;
    struct thread threads[];
};

/* For a call that is not the one `known`: soon after the last one, because launches come one behind the other, and
 * being woken takes half as long as many of them; then asleep. With the lock held, which is given up meanwhile. */
static void await_call(struct workers *w, uint64_t known)
{
    pthread_mutex_unlock(&w->lock);
    for (uint64_t end = host_spin_end(); w->calls == known && host_spin(end);) {
    }
    pthread_mutex_lock(&w->lock);
    w->asleep++;
    while (w->calls == known && !w->closing) pthread_cond_wait(&w->called, &w->lock);
    w->asleep--;
}

static void *thread_main(void *argument)
{
    struct thread *t = argument;
    struct workers *w = t->all;
    uint64_t seen = 0;
    pthread_mutex_lock(&w->lock);
    while (!w->closing) {
        await_call(w, seen);
        seen = w->calls;
        void *user = w->user;
        if (!user) continue;
        w->busy++;
        pthread_mutex_unlock(&w->lock);
        w->run(user, t->number);
        pthread_mutex_lock(&w->lock);
        if (--w->busy == 0) pthread_cond_signal(&w->left);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool start(struct workers *w, uint32_t count)
{
    for (; w->count < count; w->count++) {
        struct thread *t = &w->threads[w->count];
        *t = (struct thread){.all = w, .number = w->count + 1};
        if (!host_thread(&t->thread, thread_main, t)) return false;
    }
    return true;
}

struct workers *workers_new(uint32_t count, void (*run)(void *user, uint32_t number))
{
    struct workers *w = calloc(1, sizeof *w + count * sizeof *w->threads);
    if (!w) return NULL;
    w->run = run;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->called, NULL);
    pthread_cond_init(&w->left, NULL);
    if (start(w, count)) return w;
    workers_free(w);
    return NULL;
}

void workers_free(struct workers *w)
{
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_broadcast(&w->called);
    pthread_mutex_unlock(&w->lock);
    for (uint32_t i = 0; i < w->count; i++) pthread_join(w->threads[i].thread, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->called);
    pthread_cond_destroy(&w->left);
    free(w);
}

void workers_call(struct workers *w, void *user)
{
    pthread_mutex_lock(&w->lock);
    w->user = user;
    w->calls++;
    if (w->asleep) pthread_cond_broadcast(&w->called);
    pthread_mutex_unlock(&w->lock);
}

void workers_dismiss(struct workers *w)
{
    pthread_mutex_lock(&w->lock);
    w->user = NULL;
    pthread_mutex_unlock(&w->lock);
    for (uint64_t end = host_spin_end(); w->busy && host_spin(end);) {
    }
    pthread_mutex_lock(&w->lock);
    while (w->busy) pthread_cond_wait(&w->left, &w->lock);
    pthread_mutex_unlock(&w->lock);
}
