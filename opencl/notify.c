/* The thread on which a context's event callbacks run, one after the other, in the order posted.
 * It starts when the first callback is registered and belongs to nobody: the context closes it when it goes, and the
 * thread frees the notifier after the last callback. No lock is held while a callback runs, so a
 * callback may release anything, even the context itself. Called by event.c and context.c. */
#include <stdlib.h>

#include "objects.h"

struct notifier {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct notice *head, **tail;
    bool started, stop;
};

struct notifier *notifier_new(void)
{
    struct notifier *n = calloc(1, sizeof *n);
    bool lock = n && pthread_mutex_init(&n->lock, NULL) == 0;
    if (lock && pthread_cond_init(&n->wake, NULL) == 0) {
        n->tail = &n->head;
        return n;
    }
    if (lock) pthread_mutex_destroy(&n->lock);
    free(n);
    return NULL;
}

static void notifier_free(struct notifier *n)
{
    pthread_cond_destroy(&n->wake);
    pthread_mutex_destroy(&n->lock);
    free(n);
}

static struct notice *notifier_next(struct notifier *n)
{
    pthread_mutex_lock(&n->lock);
    while (!n->head && !n->stop) pthread_cond_wait(&n->wake, &n->lock);
    struct notice *notice = n->head;
    if (notice) {
        n->head = notice->next;
        if (!n->head) n->tail = &n->head;
    }
    pthread_mutex_unlock(&n->lock);
    return notice;
}

static void *notifier_main(void *arg)
{
    struct notifier *n = arg;
    for (struct notice *notice; (notice = notifier_next(n));) notice->run(notice);
    notifier_free(n);
    return NULL;
}

bool notifier_start(struct notifier *n)
{
    pthread_mutex_lock(&n->lock);
    if (!n->started) n->started = host_thread(NULL, notifier_main, n);
    bool started = n->started;
    pthread_mutex_unlock(&n->lock);
    return started;
}

void notifier_post(struct notifier *n, struct notice *notice)
{
    notice->next = NULL;
    pthread_mutex_lock(&n->lock);
    *n->tail = notice;
    n->tail = &notice->next;
    pthread_cond_signal(&n->wake);
    pthread_mutex_unlock(&n->lock);
}

void notifier_close(struct notifier *n)
{
    pthread_mutex_lock(&n->lock);
    n->stop = true;
    bool started = n->started;
    pthread_cond_signal(&n->wake);
    pthread_mutex_unlock(&n->lock);
    if (!started) notifier_free(n);
}
