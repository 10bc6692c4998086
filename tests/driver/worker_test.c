/* Who does a device's work: its own threads, or the client's while it waits. */
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "program.h"

enum { MANY = 200, SHORT_NS = 10000 };

static const uint32_t no_args[4];

/* What `ending` has seen, on the thread that has done the work. */
struct seen {
    ventus_device *device;
    pthread_t thread;
    enum ventus_status wait, finish;
};

static void note_thread(void *user, const struct ventus_outcome *outcome)
{
    (void)outcome;
    ((struct seen *)user)->thread = pthread_self();
}

static ventus_device *open_device(void)
{
    ventus_device *d = NULL;
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    return d;
}

static ventus_event *launch(ventus_device *d, const ventus_module *m, struct seen *s, size_t ndeps,
                            const struct ventus_dep *deps)
{
    struct ventus_launch l = program_launch(m, no_args, 1, 1);
    ventus_event *e;
    l.ending = s ? note_thread : NULL;
    l.user = s;
    assert_int_equal(ventus_launch(d, &l, ndeps, deps, &e), VENTUS_OK);
    return e;
}

static void wait(ventus_event *e, enum ventus_status status)
{
    assert_int_equal(ventus_event_wait(e, VENTUS_FOREVER), status);
    ventus_event_release(e);
}

/* A busy host may let the device's threads do the work again and again: tests try until it has been this one. */
static bool is_here(const struct seen *s) { return pthread_equal(s->thread, pthread_self()); }

static enum ventus_status nothing(void *user) { return user ? VENTUS_OK : VENTUS_BAD_ARGUMENT; }

/* A launch, a call behind it and a mark: the client does both, nearly always. */
static unsigned helps(ventus_device *d, const ventus_module *m)
{
    unsigned here = 0;
    for (int i = 0; i < MANY; i++) {
        struct seen a = {0}, b = {0};
        struct ventus_dep on = {launch(d, m, &a, 0, NULL), false}, last = {0};
        assert_int_equal(ventus_call(d, &(struct ventus_call){nothing, note_thread, &b}, 1, &on, &last.event),
                         VENTUS_OK);
        ventus_event *mark;
        assert_int_equal(ventus_mark(d, 1, &last, &mark), VENTUS_OK);
        wait(mark, VENTUS_OK);
        wait(on.event, VENTUS_OK);
        wait(last.event, VENTUS_OK);
        here += is_here(&a) + is_here(&b);
    }
    return here;
}

/* The client does nothing but ask: a thread of the device does the work, although nobody waits for it. */
static void check_unattended(ventus_device *d, const ventus_module *m)
{
    struct seen s = {0};
    ventus_event *e = launch(d, m, &s, 0, NULL);
    while (ventus_event_state(e) != VENTUS_ENDED) nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    assert_false(is_here(&s));
    ventus_event_release(e);
}

/* So it does with a call alone. */
static void check_call(ventus_device *d)
{
    struct seen s = {0};
    for (int i = 0; i < MANY && !is_here(&s); i++) {
        ventus_event *e;
        assert_int_equal(ventus_call(d, &(struct ventus_call){nothing, note_thread, &s}, 0, NULL, &e), VENTUS_OK);
        wait(e, VENTUS_OK);
    }
    assert_true(is_here(&s));
}

static void test_client_helps(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(" endprg\n");
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(helps(d, m) > 0);
        check_call(d);
        for (int k = 0; k < 20; k++) check_unattended(d, m);
    }
    struct seen s = {0};
    while (!is_here(&s)) {
        ventus_event_release(launch(d, m, &s, 0, NULL));
        assert_int_equal(ventus_finish(d, VENTUS_FOREVER), VENTUS_OK);
    }
    ventus_module_free(m);
    ventus_close(d);
}

/* A rush of short launches is the client's, which waits for them behind it. */
static void test_rush(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(" endprg\n");
    struct seen s[MANY];
    (void)state;
    for (unsigned here = 0; here < MANY;) {
        for (unsigned i = 0; i < MANY; i++) ventus_event_release(launch(d, m, &s[i], 0, NULL));
        assert_int_equal(ventus_finish(d, VENTUS_FOREVER), VENTUS_OK);
        here = 0;
        for (unsigned i = 0; i < MANY; i++) here += is_here(&s[i]);
    }
    ventus_module_free(m);
    ventus_close(d);
}

/* One that never waits gets them done by the device, whether it says that they are to begin or just goes on
 * submitting. */
static void test_rush_unattended(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(" endprg\n");
    struct seen first = {0}, other = {0};
    (void)state;
    assert_true(helps(d, m) > 0);
    for (int round = 0; round < 4; round++) { /* a thread that sleeps begins at once; later it only naps */
        ventus_event *e = launch(d, m, &first, 0, NULL);
        while (ventus_event_state(e) != VENTUS_ENDED) {
            nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
            ventus_event_release(launch(d, m, &other, 0, NULL));
            if (round & 1) ventus_flush(d);
        }
        assert_false(is_here(&first));
        ventus_event_release(e);
    }
    assert_int_equal(ventus_finish(d, VENTUS_FOREVER), VENTUS_OK);
    ventus_module_free(m);
    ventus_close(d);
}

/* A launch that goes on until the client writes a word holds up nobody who waits for another one. */
static void test_waits_for_one_of_two(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(MEET);
    uint32_t block;
    (void)state;
    assert_int_equal(ventus_alloc(d, 16, &block), VENTUS_OK);
    for (int i = 0; i < 20; i++) {
        const uint32_t words[4] = {0, 0, 0, 1}, one = 1;
        const uint32_t args[2][4] = {{block, block + 4}, {block + 8, block + 12}};
        ventus_event *e[2];
        assert_int_equal(ventus_write(d, block, words, sizeof words), VENTUS_OK);
        for (int k = 0; k < 2; k++) {
            struct ventus_launch l = program_launch(m, args[k], 1, 1);
            assert_int_equal(ventus_launch(d, &l, 0, NULL, &e[k]), VENTUS_OK);
        }
        wait(e[1], VENTUS_OK);
        assert_int_equal(ventus_write(d, block + 4, &one, sizeof one), VENTUS_OK);
        wait(e[0], VENTUS_OK);
    }
    ventus_module_free(m);
    ventus_close(d);
}

/* Who waits until something runs wants to go on as soon as it does. */
static void test_waits_for_a_start(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(ENDLESS);
    (void)state;
    for (int i = 0; i < 20; i++) {
        ventus_event *e = launch(d, m, NULL, 0, NULL);
        assert_int_equal(ventus_event_wait_start(e, VENTUS_FOREVER), VENTUS_OK);
        assert_int_equal(ventus_event_state(e), VENTUS_RUNNING);
        ventus_event_cancel(e);
        wait(e, VENTUS_CANCELLED);
    }
    ventus_module_free(m);
    ventus_close(d);
}

/* Launches that meet the client: each goes on until the client writes its word. */
struct meetings {
    ventus_device *device;
    ventus_module *module;
    uint32_t block; /* two words of each */
    struct ventus_launch first, second;
    uint32_t args[2][4];
    ventus_event *begun; /* at the end of the first */
};

static void open_meetings(struct meetings *t)
{
    *t = (struct meetings){.device = open_device(), .module = program_build(MEET)};
    assert_int_equal(ventus_alloc(t->device, 16, &t->block), VENTUS_OK);
    const uint32_t args[2][4] = {{t->block, t->block + 4}, {t->block + 8, t->block + 12}};
    memcpy(t->args, args, sizeof args);
    t->first = program_launch(t->module, t->args[0], 1, 1);
    t->second = program_launch(t->module, t->args[1], 1, 1);
}

/* Which of the two need not wait. */
static void let_go(const struct meetings *t, uint32_t first, uint32_t second)
{
    const uint32_t words[4] = {0, first, 0, second};
    assert_int_equal(ventus_write(t->device, t->block, words, sizeof words), VENTUS_OK);
}

static void close_meetings(struct meetings *t)
{
    ventus_module_free(t->module);
    ventus_close(t->device);
}

/* A launch whose only follower has been cancelled goes on, and holds up nobody who waits for another one. */
static void test_waits_beside_a_cancelled_follower(void **state)
{
    struct meetings t;
    (void)state;
    open_meetings(&t);
    for (int i = 0; i < 20; i++) {
        struct ventus_dep on = {0};
        ventus_event *follower, *last, *other;
        let_go(&t, 0, 1);
        assert_int_equal(ventus_launch(t.device, &t.first, 0, NULL, &on.event), VENTUS_OK);
        assert_int_equal(ventus_launch(t.device, &t.second, 1, &on, &follower), VENTUS_OK);
        const struct ventus_dep behind = {follower, false};
        assert_int_equal(ventus_launch(t.device, &t.second, 1, &behind, &last), VENTUS_OK);
        ventus_event_cancel(follower);
        wait(last, VENTUS_DEPENDENCY);
        wait(follower, VENTUS_CANCELLED);
        assert_int_equal(ventus_launch(t.device, &t.second, 0, NULL, &other), VENTUS_OK);
        wait(other, VENTUS_OK);
        let_go(&t, 1, 1);
        wait(on.event, VENTUS_OK);
    }
    close_meetings(&t);
}

static void launch_second(void *user, const struct ventus_outcome *outcome)
{
    struct meetings *t = user;
    (void)outcome;
    assert_int_equal(ventus_launch(t->device, &t->second, 0, NULL, &t->begun), VENTUS_OK);
}

/* What is launched at an end is not what the client waits for. */
static void test_launched_at_an_end(void **state)
{
    struct meetings t;
    (void)state;
    open_meetings(&t);
    t.first.ending = launch_second;
    t.first.user = &t;
    for (int i = 0; i < 20; i++) {
        ventus_event *e;
        let_go(&t, 1, 0);
        assert_int_equal(ventus_launch(t.device, &t.first, 0, NULL, &e), VENTUS_OK);
        wait(e, VENTUS_OK);
        assert_int_equal(ventus_finish(t.device, 0), VENTUS_TIMEOUT);
        let_go(&t, 1, 1);
        assert_int_equal(ventus_finish(t.device, VENTUS_FOREVER), VENTUS_OK);
        ventus_event_release(t.begun);
    }
    close_meetings(&t);
}

/* A device whose client has seen no other thread and runs what it waits for itself; the first launch is under way. */
static void open_alone(struct meetings *t)
{
    open_meetings(t);
    let_go(t, 1, 1);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(ventus_launch(t->device, &t->first, 0, NULL, &t->begun), VENTUS_OK);
        wait(t->begun, VENTUS_OK);
    }
    let_go(t, 0, 0);
    assert_int_equal(ventus_launch(t->device, &t->first, 0, NULL, &t->begun), VENTUS_OK);
}

/* Submits MANY short launches, one behind the other, of which the one with number `other` is the second; returns how
 * many of them this thread has run meanwhile; all, where they are not short, as with TSan. */
static unsigned rush(struct meetings *t, unsigned other)
{
    struct seen s[MANY] = {0};
    ventus_event *e[MANY];
    unsigned here = 0, slow = 0;
    for (int k = 0; k < 5; k++) { /* the device's thread then leaves launches to this one again */
        assert_int_equal(ventus_launch(t->device, &t->first, 0, NULL, &e[0]), VENTUS_OK);
        wait(e[0], VENTUS_OK);
    }
    for (unsigned i = 0; i < MANY; i++) {
        struct ventus_launch l = i == other ? t->second : t->first;
        l.ending = note_thread;
        l.user = &s[i];
        ventus_hold_back(t->device, 10 * MANY);
        const struct ventus_dep on = {i ? e[i - 1] : NULL, true};
        assert_int_equal(ventus_launch(t->device, &l, i > 0, &on, &e[i]), VENTUS_OK);
    }
    for (unsigned i = 0; i < MANY; i++) here += ventus_event_state(e[i]) == VENTUS_ENDED && is_here(&s[i]);
    let_go(t, 1, 1);
    assert_int_equal(ventus_finish(t->device, VENTUS_FOREVER), VENTUS_OK);
    for (unsigned i = 0; i < MANY; i++) {
        const struct ventus_outcome *o = ventus_event_outcome(e[i]);
        slow += o->ended - o->started > SHORT_NS;
        ventus_event_release(e[i]);
    }
    return slow > MANY / 4 ? MANY : here;
}

/* A client that goes on submitting short launches runs them when there are many, but none for ever: one that waits for
 * the client it leaves to the device. */
static void test_rush_held_back(void **state)
{
    struct meetings t;
    unsigned here = 0; /* the device's thread is quicker at times */
    (void)state;
    open_meetings(&t);
    for (unsigned i = 0; i < 40; i++) {
        let_go(&t, 1, 1);
        here += rush(&t, MANY);
        let_go(&t, 1, 0);
        rush(&t, i % 5);
    }
    assert_true(here > 0);
    close_meetings(&t);
}

/* Another thread's launch, when the first one runs. */
static ventus_event *launch_beside(const struct meetings *t)
{
    ventus_event *e = NULL;
    while (ventus_event_state(t->begun) < VENTUS_RUNNING) nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    return ventus_launch(t->device, &t->second, 0, NULL, &e) == VENTUS_OK ? e : NULL;
}

/* Waits for the first launch while another thread does something; returns what that returns. */
static void *wait_beside(const struct meetings *t, void *(*other)(void *meetings))
{
    pthread_t thread;
    void *result;
    assert_int_equal(pthread_create(&thread, NULL, other, (void *)t), 0);
    wait(t->begun, VENTUS_OK);
    pthread_join(thread, &result);
    return result;
}

/* Has the first one end while the second goes on. */
static void *end_first(void *meetings)
{
    const struct meetings *t = meetings;
    const uint32_t one = 1;
    ventus_event *e = launch_beside(t);
    if (!e) return NULL;
    ventus_event_wait_start(e, VENTUS_FOREVER);
    ventus_write(t->device, t->block + 4, &one, sizeof one);
    return e;
}

/* What joins a launch that the client runs itself, and goes on behind its end, does not hold up the client. */
static void test_joined_by_another_thread(void **state)
{
    struct meetings t;
    (void)state;
    for (int i = 0; i < 5; i++) {
        open_alone(&t);
        ventus_event *beside = wait_beside(&t, end_first);
        let_go(&t, 1, 1);
        wait(beside, VENTUS_OK);
        close_meetings(&t);
    }
}

static void *meet_first(void *meetings)
{
    ventus_event *e = launch_beside(meetings);
    return e && ventus_event_wait(e, VENTUS_FOREVER) == VENTUS_OK ? e : NULL;
}

/* A launch that the client runs itself, and one of another thread, go on when each has seen the other. */
static void test_meets_another_thread(void **state)
{
    struct meetings t;
    (void)state;
    for (int i = 0; i < 5; i++) {
        open_alone(&t);
        const uint32_t swapped[4] = {t.block + 4, t.block};
        memcpy(t.args[1], swapped, sizeof swapped);
        ventus_event *other = wait_beside(&t, meet_first);
        assert_non_null(other);
        ventus_event_release(other);
        close_meetings(&t);
    }
}

static void *cancel_when_it_runs(void *event)
{
    while (ventus_event_state(event) < VENTUS_RUNNING) nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    ventus_event_cancel(event);
    return NULL;
}

static void test_cancelled_by_another(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(ENDLESS);
    (void)state;
    for (int i = 0; i < 20; i++) {
        pthread_t other;
        ventus_event *e = launch(d, m, NULL, 0, NULL);
        assert_int_equal(pthread_create(&other, NULL, cancel_when_it_runs, e), 0);
        assert_int_equal(ventus_event_wait(e, VENTUS_FOREVER), VENTUS_CANCELLED);
        pthread_join(other, NULL);
        ventus_event_release(e);
    }
    ventus_module_free(m);
    ventus_close(d);
}

static void wait_inside(void *user, const struct ventus_outcome *outcome)
{
    struct seen *s = user;
    note_thread(user, outcome);
    ventus_event *gate;
    assert_int_equal(ventus_gate(s->device, 0, NULL, &gate), VENTUS_OK);
    s->wait = ventus_event_wait_start(gate, 0) == VENTUS_OK ? ventus_event_wait(gate, VENTUS_FOREVER) : VENTUS_OK;
    ventus_event_set(gate, VENTUS_OK);
    ventus_event_release(gate);
    s->finish = ventus_finish(s->device, VENTUS_FOREVER);
}

/* On whichever thread: what is called at an end must not wait. */
static void test_wait_inside(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(" endprg\n");
    struct seen s = {.device = d};
    (void)state;
    while (!is_here(&s)) {
        struct ventus_launch l = program_launch(m, no_args, 1, 1);
        struct ventus_result result;
        l.ending = wait_inside;
        l.user = &s;
        s.wait = s.finish = VENTUS_OK;
        assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
        assert_int_equal(s.wait, VENTUS_BAD_ARGUMENT);
        assert_int_equal(s.finish, VENTUS_BAD_ARGUMENT);
    }
    ventus_module_free(m);
    ventus_close(d);
}

/* A client that blocks all signals and rounds upward finds both as it left them, and kernels do not notice. */
static void test_strange_client(void **state)
{
    ventus_device *d = open_device();
    ventus_module *faulty = program_build(FAULTY);
    ventus_module *halve =
        program_build(ARGS " vmv.v.x v1, x11\n vfmul.vf v1, v1, x12\n vmv.x.s x5, v1\n sw x5, 0(x10)\n endprg\n");
    sigset_t all, before, after;
    uint32_t out, result;
    (void)state;
    assert_int_equal(ventus_alloc(d, 4, &out), VENTUS_OK);
    const uint32_t odd = 0x00800001, half = 0x3f000000, args[4] = {out, odd, half};
    struct seen s = {0};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_sigmask(SIG_SETMASK, NULL, &all);
    fesetround(FE_UPWARD);
    while (!is_here(&s)) {
        wait(launch(d, faulty, &s, 0, NULL), VENTUS_FAULT);
        struct ventus_launch l = program_launch(halve, args, 1, 1);
        struct ventus_result r;
        assert_int_equal(ventus_run(d, &l, &r, NULL, 0), VENTUS_OK);
        assert_int_equal(ventus_read(d, &result, out, sizeof result), VENTUS_OK);
        assert_int_equal(result, odd / 2); /* rounded to the nearest even subnormal */
    }
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    pthread_sigmask(SIG_SETMASK, &before, &after);
    for (int i = 1; i < NSIG; i++) assert_int_equal(sigismember(&after, i), sigismember(&all, i));
    ventus_module_free(faulty);
    ventus_module_free(halve);
    ventus_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client_helps),
        cmocka_unit_test(test_rush),
        cmocka_unit_test(test_rush_unattended),
        cmocka_unit_test(test_rush_held_back),
        cmocka_unit_test(test_waits_for_one_of_two),
        cmocka_unit_test(test_cancelled_by_another),
        cmocka_unit_test(test_joined_by_another_thread),
        cmocka_unit_test(test_meets_another_thread),
        cmocka_unit_test(test_wait_inside),
        cmocka_unit_test(test_strange_client),
        cmocka_unit_test(test_waits_for_a_start),
        cmocka_unit_test(test_waits_beside_a_cancelled_follower),
        cmocka_unit_test(test_launched_at_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
