/* What the host does at its best, by one thread and by two: for bench/scale.
 *
 * Prints lines of a name and two numbers, of one thread and of both together:
 *   memory    GB/s read and written by copies that no cache holds
 *   exchange  ns for an atomic exchange of one word
 *   lock      ns for taking and giving back a lock
 *   wake      us until a sleeping thread runs, and how much of that whoever wakes it is kept
 * Each is the best of some rounds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "moment.h"

enum { ROUNDS = 5, BYTES = 64 << 20, TIMES = 1 << 19, WAKES = 50 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *memory; /* 2 * BYTES of each thread */
static _Alignas(64) atomic_uint word;
static _Alignas(64) pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;

static void copy(size_t thread)
{
    char *at = memory + thread * 2 * BYTES;
    memcpy(at, at + BYTES, BYTES);
}

static void exchange(size_t thread)
{
    (void)thread;
    for (unsigned i = 0; i < TIMES; i++) {
        unsigned seen = word;
        atomic_compare_exchange_strong(&word, &seen, seen + 1);
    }
}

static void take_lock(size_t thread)
{
    (void)thread;
    for (unsigned i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
}

struct half {
    void (*run)(size_t thread);
    size_t thread;
};

static void *run_half(void *half)
{
    const struct half *h = half;
    pthread_barrier_wait(&start);
    h->run(h->thread);
    pthread_barrier_wait(&start);
    return NULL;
}

static void fail(const char *what)
{
    fprintf(stderr, "host: %s\n", what);
    exit(1);
}

static void begin(pthread_t *thread, void *(*run)(void *), void *user)
{
    if (pthread_create(thread, NULL, run, user)) fail("the host has no thread left");
}

/* Seconds that so many threads take. */
static double measure(void (*run)(size_t thread), unsigned threads)
{
    double least = 1e9;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct half halves[2] = {{run, 0}, {run, 1}};
        pthread_t thread[2];
        pthread_barrier_init(&start, NULL, threads + 1);
        for (unsigned i = 0; i < threads; i++) begin(&thread[i], run_half, &halves[i]);
        pthread_barrier_wait(&start);
        const double before = now();
        pthread_barrier_wait(&start);
        const double time = now() - before;
        for (unsigned i = 0; i < threads; i++) pthread_join(thread[i], NULL);
        pthread_barrier_destroy(&start);
        if (time < least) least = time;
    }
    return least;
}

/* ---- waking ---- */

static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static unsigned calls, answers; /* under the lock */
static double ran;              /* the wall time when the sleeper last ran */

static void *sleeper(void *user)
{
    (void)user;
    pthread_mutex_lock(&lock);
    while (answers < WAKES) {
        while (calls == answers) pthread_cond_wait(&called, &lock);
        ran = now();
        answers++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void measure_wake(double *late, double *kept)
{
    pthread_t thread;
    double lates[WAKES], kepts[WAKES];
    begin(&thread, sleeper, NULL);
    for (unsigned i = 0; i < WAKES; i++) {
        usleep(1000); /* so that it sleeps deeply, as between launches */
        const double before = now();
        pthread_mutex_lock(&lock);
        calls++;
        pthread_cond_broadcast(&called);
        pthread_mutex_unlock(&lock);
        kepts[i] = now() - before;
        usleep(1000);
        pthread_mutex_lock(&lock);
        lates[i] = ran - before;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    qsort(lates, WAKES, sizeof *lates, rising);
    qsort(kepts, WAKES, sizeof *kepts, rising);
    *late = lates[WAKES / 2];
    *kept = kepts[WAKES / 2];
}

static void print_operations(const char *name, void (*run)(size_t thread))
{
    printf("%s %.1f %.1f\n", name, measure(run, 1) / TIMES * 1e9, measure(run, 2) / (2.0 * TIMES) * 1e9);
}

int main(void)
{
    double late, kept;
    memory = malloc(4ull * BYTES);
    if (!memory) fail("the host has no memory");
    memset(memory, 1, 4ull * BYTES);
    printf("memory %.1f %.1f\n", 2e-9 * BYTES / measure(copy, 1), 4e-9 * BYTES / measure(copy, 2));
    print_operations("exchange", exchange);
    print_operations("lock", take_lock);
    measure_wake(&late, &kept);
    printf("wake %.1f %.1f\n", late * 1e6, kept * 1e6);
    free(memory);
    return 0;
}
