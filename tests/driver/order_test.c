/* Marks, gates and calls: what they wait for, how they end, what that means for those that wait for them, and that
 * launches and all of these keep every order asked for, from several threads on several devices. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "program.h"

static const uint64_t MS = 1000000, LONG = 60ull * 1000000000; /* nanoseconds */
static const uint32_t no_args[4];

/* One dependency that must succeed. */
#define ON(event) \
    1, &(struct ventus_dep) { event, false }
/* One that may also fail. */
#define AFTER(event) \
    1, &(struct ventus_dep) { event, true }

struct fixture {
    ventus_device *device;
    ventus_module *store, *endless, *faulty;
    uint32_t word; /* one in device memory */
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (!f || ventus_open(0, &f->device) != VENTUS_OK) return -1;
    f->store = program_build(STORE);
    f->endless = program_build(ENDLESS);
    f->faulty = program_build(FAULTY);
    return ventus_alloc(f->device, 4, &f->word) == VENTUS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    if (f->device) ventus_close(f->device);
    ventus_module_free(f->store);
    ventus_module_free(f->endless);
    ventus_module_free(f->faulty);
    free(f);
    return 0;
}

static ventus_event *launch(struct fixture *f, const ventus_module *m, uint32_t value, size_t ndeps,
                            const struct ventus_dep *deps)
{
    const uint32_t args[4] = {f->word, value};
    struct ventus_launch l = program_launch(m, args, 1, 1);
    ventus_event *e = NULL;
    assert_int_equal(ventus_launch(f->device, &l, ndeps, deps, &e), VENTUS_OK);
    return e;
}

static ventus_event *mark(struct fixture *f, size_t ndeps, const struct ventus_dep *deps)
{
    ventus_event *e = NULL;
    assert_int_equal(ventus_mark(f->device, ndeps, deps, &e), VENTUS_OK);
    return e;
}

static ventus_event *gate(struct fixture *f, size_t ndeps, const struct ventus_dep *deps)
{
    ventus_event *e = NULL;
    assert_int_equal(ventus_gate(f->device, ndeps, deps, &e), VENTUS_OK);
    return e;
}

static void check_end(ventus_event *e, enum ventus_status status)
{
    assert_int_equal(ventus_event_wait(e, LONG), status);
    const struct ventus_outcome *o = ventus_event_outcome(e);
    assert_non_null(o);
    assert_int_equal(status == VENTUS_OK, !*o->message);
    assert_true(o->submitted > 0 && o->ended >= o->submitted);
    if (o->started) assert_true(o->submitted <= o->started && o->started <= o->ended);
    ventus_event_release(e);
}

static enum ventus_status cause_of(ventus_event *e)
{
    assert_int_equal(ventus_event_wait(e, LONG), VENTUS_DEPENDENCY);
    return ventus_event_outcome(e)->cause;
}

static uint32_t word(struct fixture *f)
{
    uint32_t value = 0;
    assert_int_equal(ventus_read(f->device, &value, f->word, sizeof value), VENTUS_OK);
    return value;
}

/* ---- marks ---- */

static void test_mark(void **state)
{
    struct fixture *f = *state;
    ventus_event *e = mark(f, 0, NULL);
    assert_int_equal(ventus_event_state(e), VENTUS_ENDED);
    assert_true(ventus_event_outcome(e)->started > 0);
    check_end(e, VENTUS_OK);
    ventus_event *slow = launch(f, f->endless, 0, 0, NULL);
    ventus_event *strict = mark(f, ON(slow)), *lax = mark(f, AFTER(slow)), *behind = mark(f, ON(lax));
    assert_int_equal(ventus_event_wait(lax, 5 * MS), VENTUS_TIMEOUT);
    assert_int_equal(ventus_event_state(strict), VENTUS_QUEUED);
    ventus_event_cancel(slow);
    check_end(behind, VENTUS_OK);
    check_end(strict, VENTUS_DEPENDENCY);
    check_end(lax, VENTUS_OK);
    check_end(slow, VENTUS_CANCELLED);
}

/* The first failure is the cause for all behind it; it counts for more than something that was cancelled. */
static void test_cause(void **state)
{
    struct fixture *f = *state;
    static const enum ventus_status ends[][3] = {
        {VENTUS_OK, VENTUS_FAULT, VENTUS_FAULT},
        {VENTUS_CANCELLED, VENTUS_OK, VENTUS_CANCELLED},
        {VENTUS_CANCELLED, VENTUS_TIMEOUT, VENTUS_TIMEOUT},
        {VENTUS_FAULT, VENTUS_CANCELLED, VENTUS_FAULT},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        ventus_event *a = gate(f, 0, NULL), *b = gate(f, 0, NULL);
        const struct ventus_dep both[] = {{a, false}, {b, false}};
        ventus_event *first = mark(f, 2, both), *second = mark(f, ON(first)), *beside = mark(f, AFTER(first));
        ventus_event_set(a, ends[i][0]);
        ventus_event_set(b, ends[i][1]);
        assert_int_equal(cause_of(first), ends[i][2]);
        assert_int_equal(cause_of(second), ends[i][2]);
        assert_int_equal(ventus_event_outcome(a)->cause, ends[i][0]);
        check_end(a, ends[i][0]);
        check_end(b, ends[i][1]);
        check_end(beside, VENTUS_OK);
        ventus_event_release(first);
        ventus_event_release(second);
    }
}

/* It ends when all of several have, and a failure among them does not make it earlier. */
static void test_mark_of_many(void **state)
{
    enum { N = 40 };
    struct fixture *f = *state;
    struct ventus_dep deps[N];
    for (int i = 0; i < N; i++) deps[i].event = gate(f, 0, NULL), deps[i].any_end = i % 2;
    ventus_event *all = mark(f, N, deps);
    for (int i = 0; i < N; i++) {
        assert_int_equal(ventus_event_state(all), VENTUS_QUEUED);
        assert_int_equal(ventus_event_set(deps[i].event, i == 4 ? VENTUS_FAULT : VENTUS_OK), VENTUS_OK);
        ventus_event_release(deps[i].event);
    }
    assert_int_equal(ventus_event_state(all), VENTUS_ENDED);
    check_end(all, VENTUS_DEPENDENCY);
}

/* The end of the first is the end of all, on whatever little stack. */
static void *open_gate(void *event)
{
    ventus_event_set(event, VENTUS_OK);
    return NULL;
}

static void test_long_chain(void **state)
{
    struct fixture *f = *state;
    ventus_event *first = gate(f, 0, NULL), *last = first;
    pthread_attr_t small;
    pthread_t thread;
    ventus_event_retain(first);
    for (int i = 0; i < 100000; i++) {
        ventus_event *e = mark(f, ON(last));
        ventus_event_release(last);
        last = e;
    }
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, 256 << 10), 0);
    assert_int_equal(pthread_create(&thread, &small, open_gate, first), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&small);
    assert_int_equal(ventus_event_state(last), VENTUS_ENDED);
    check_end(last, VENTUS_OK);
    ventus_event_release(first);
}

/* ---- gates ---- */

static void test_gate(void **state)
{
    struct fixture *f = *state;
    ventus_event *open = gate(f, 0, NULL), *e = launch(f, f->store, 7, ON(open));
    assert_int_equal(ventus_event_state(open), VENTUS_RUNNING);
    assert_int_equal(ventus_event_wait(e, 5 * MS), VENTUS_TIMEOUT);
    assert_int_equal(word(f), 0);
    assert_int_equal(ventus_event_set(e, VENTUS_OK), VENTUS_BAD_ARGUMENT); /* a launch */
    assert_int_equal(ventus_event_set(open, VENTUS_OK), VENTUS_OK);
    assert_int_equal(ventus_event_set(open, VENTUS_FAULT), VENTUS_BAD_ARGUMENT);
    check_end(e, VENTUS_OK);
    assert_int_equal(word(f), 7);
    ventus_event *late = gate(f, ON(open)); /* which has ended */
    assert_int_equal(ventus_event_state(late), VENTUS_RUNNING);
    assert_int_equal(ventus_event_set(late, VENTUS_NO_MEMORY), VENTUS_OK);
    check_end(launch(f, f->store, 8, ON(late)), VENTUS_DEPENDENCY);
    check_end(launch(f, f->store, 9, AFTER(late)), VENTUS_OK);
    assert_int_equal(word(f), 9);
    check_end(late, VENTUS_NO_MEMORY);
    check_end(open, VENTUS_OK);
}

/* One that waits for something itself. */
static void test_gate_behind(void **state)
{
    struct fixture *f = *state;
    ventus_event *slow = launch(f, f->endless, 0, 0, NULL);
    ventus_event *lax = gate(f, AFTER(slow)), *strict = gate(f, ON(slow));
    assert_int_equal(ventus_event_wait_start(lax, 5 * MS), VENTUS_TIMEOUT);
    assert_int_equal(ventus_event_set(lax, VENTUS_OK), VENTUS_BAD_ARGUMENT);
    ventus_event_cancel(slow);
    assert_int_equal(ventus_event_wait_start(lax, LONG), VENTUS_OK);
    assert_int_equal(ventus_event_wait_start(strict, LONG), VENTUS_OK);
    assert_int_equal(ventus_event_state(lax), VENTUS_RUNNING);
    assert_int_equal(ventus_event_set(strict, VENTUS_OK), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_event_set(lax, VENTUS_OK), VENTUS_OK);
    check_end(strict, VENTUS_DEPENDENCY);
    check_end(lax, VENTUS_OK);
    check_end(slow, VENTUS_CANCELLED);
}

/* A gate that its waiter ends the moment it opens, while the thread that opened it is still at it. */
static void *pass(void *user)
{
    ventus_event *e = user;
    ventus_event_wait_start(e, LONG);
    ventus_event_set(e, VENTUS_OK);
    ventus_event_release(e);
    return NULL;
}

static void test_gate_passed_at_once(void **state)
{
    struct fixture *f = *state;
    pthread_t thread;
    for (int i = 0; i < 1000; i++) {
        ventus_event *first = gate(f, 0, NULL), *second = gate(f, ON(first)), *last = mark(f, ON(second));
        assert_int_equal(pthread_create(&thread, NULL, pass, second), 0);
        ventus_event_set(first, VENTUS_OK);
        check_end(last, VENTUS_OK);
        pthread_join(thread, NULL);
        ventus_event_release(first);
    }
}

/* ---- calls ---- */

struct call {
    struct fixture *fixture;
    ventus_event *self;
    enum ventus_status status, waited;
    enum ventus_state state; /* when `ending` was called */
    uint32_t seen;
    int runs, ends;
};

static enum ventus_status call_run(void *user)
{
    struct call *c = user;
    c->runs++;
    c->seen = word(c->fixture);
    c->waited = ventus_finish(c->fixture->device, VENTUS_FOREVER);
    return c->status;
}

static void call_ending(void *user, const struct ventus_outcome *outcome)
{
    struct call *c = user;
    c->ends++;
    c->status = outcome->status;
    if (c->self) c->state = ventus_event_state(c->self);
}

static ventus_event *call(struct fixture *f, struct call *c, size_t ndeps, const struct ventus_dep *deps)
{
    const struct ventus_call how = {call_run, call_ending, c};
    ventus_event *e = NULL;
    c->fixture = f;
    assert_int_equal(ventus_call(f->device, &how, ndeps, deps, &e), VENTUS_OK);
    return e;
}

/* It runs between what it waits for and what waits for it, beside a launch that goes on. */
static void test_call(void **state)
{
    struct fixture *f = *state;
    struct call good = {0}, bad = {.status = VENTUS_OUT_OF_RANGE};
    ventus_event *first = launch(f, f->store, 5, 0, NULL), *seen = call(f, &good, ON(first));
    ventus_event *second = launch(f, f->store, 6, ON(seen)), *failed = call(f, &bad, ON(second));
    check_end(launch(f, f->store, 7, ON(failed)), VENTUS_DEPENDENCY);
    check_end(failed, VENTUS_OUT_OF_RANGE);
    assert_int_equal(good.runs + good.ends + bad.runs + bad.ends, 4);
    assert_int_equal(good.seen, 5);
    assert_int_equal(bad.seen, 6);
    assert_int_equal(good.waited, VENTUS_BAD_ARGUMENT); /* it would wait for itself */
    ventus_event *slow = launch(f, f->endless, 0, 0, NULL);
    check_end(call(f, &good, 0, NULL), VENTUS_OK);
    assert_int_not_equal(ventus_event_state(slow), VENTUS_ENDED);
    ventus_event_cancel(slow);
    ventus_event_release(slow);
    ventus_event_release(first);
    ventus_event_release(seen);
    ventus_event_release(second);
}

/* What was lent is given back once, before the end can be seen, whether the call was run or not. */
static void test_ending(void **state)
{
    struct fixture *f = *state;
    struct call c[4] = {{0}};
    ventus_event *e[4], *open = gate(f, 0, NULL), *wrong = gate(f, 0, NULL);
    for (int i = 0; i < 3; i++) e[i] = c[i].self = call(f, &c[i], ON(i == 1 ? wrong : open));
    const struct ventus_launch l = {.module = f->store,
                                    .kernel = ventus_module_kernel(f->store, 0),
                                    .args = no_args,
                                    .range = {1, {1, 1, 1}, {1, 1, 1}, {0}},
                                    .ending = call_ending,
                                    .user = &c[3]};
    assert_int_equal(ventus_launch(f->device, &l, ON(open), &e[3]), VENTUS_OK);
    c[3].self = e[3];
    ventus_event_cancel(e[2]); /* ends although its turn has not come */
    assert_int_equal(ventus_event_wait(e[2], LONG), VENTUS_CANCELLED);
    ventus_event_set(wrong, VENTUS_FAULT);
    ventus_event_set(open, VENTUS_OK);
    check_end(e[0], VENTUS_OK);
    check_end(e[1], VENTUS_DEPENDENCY);
    check_end(e[2], VENTUS_CANCELLED);
    check_end(e[3], VENTUS_FAULT); /* it writes to address 0 */
    for (int i = 0; i < 4; i++) {
        assert_int_equal(c[i].ends, 1);
        assert_int_not_equal(c[i].state, VENTUS_ENDED);
        assert_int_equal(c[i].runs, i == 0);
    }
    assert_int_equal(c[1].status, VENTUS_DEPENDENCY);
    assert_int_equal(c[3].status, VENTUS_FAULT);
    ventus_event_release(open);
    ventus_event_release(wrong);
}

/* ---- callbacks ---- */

struct log {
    char text[16];
};

static void note_running(ventus_event *e, void *user)
{
    struct log *log = user;
    strcat(log->text, ventus_event_state(e) == VENTUS_RUNNING ? "r" : "R");
}

static void note_ended(ventus_event *e, void *user)
{
    struct log *log = user;
    strcat(log->text, ventus_event_outcome(e) ? "e" : "?");
}

/* Those for an earlier state come first, and late ones at once. */
static void test_notify(void **state)
{
    struct fixture *f = *state;
    for (int fails = 0; fails < 2; fails++) {
        struct log log = {0};
        ventus_event *open = gate(f, 0, NULL), *e = gate(f, ON(open));
        assert_true(ventus_event_notify(e, VENTUS_ENDED, note_ended, &log));
        assert_true(ventus_event_notify(e, VENTUS_RUNNING, note_running, &log));
        ventus_event_set(open, fails ? VENTUS_FAULT : VENTUS_OK);
        assert_string_equal(log.text, fails ? "Re" : "r");
        assert_true(ventus_event_notify(e, VENTUS_RUNNING, note_running, &log));
        assert_true(ventus_event_notify(e, VENTUS_ENDED, note_ended, &log));
        ventus_event_set(e, VENTUS_OK);
        assert_string_equal(log.text, fails ? "ReRe" : "rree");
        ventus_event_release(e);
        ventus_event_release(open);
    }
}

/* ---- closing ---- */

static void test_close(void **state)
{
    struct fixture *f = *state;
    struct call c[2] = {{0}};
    ventus_event *slow = launch(f, f->endless, 0, 0, NULL), *open = gate(f, 0, NULL), *e[4];
    e[0] = call(f, &c[0], ON(slow));
    e[1] = call(f, &c[1], ON(open));
    e[2] = mark(f, ON(open));
    e[3] = launch(f, f->store, 1, AFTER(e[2]));
    ventus_close(f->device);
    f->device = NULL;
    check_end(slow, VENTUS_CANCELLED);
    assert_int_equal(ventus_event_set(open, VENTUS_OK), VENTUS_BAD_ARGUMENT);
    check_end(open, VENTUS_CANCELLED);
    for (int i = 0; i < 4; i++) check_end(e[i], VENTUS_CANCELLED);
    assert_int_equal(c[0].runs + c[1].runs, 0);
    assert_int_equal(c[0].ends + c[1].ends, 2);
}

static void test_bad_arguments(void **state)
{
    struct fixture *f = *state;
    struct ventus_call call = {0};
    ventus_event *e = NULL;
    assert_int_equal(ventus_mark(NULL, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_mark(f->device, 1, NULL, &e), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_mark(f->device, ON(NULL), &e), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_gate(f->device, 0, NULL, NULL), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_gate(NULL, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_call(f->device, NULL, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_call(f->device, &call, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    assert_null(e);
    assert_int_equal(ventus_mark(f->device, 0, NULL, NULL), VENTUS_OK);
}

/* ---- any order asked for ---- */

/* A random graph: nodes of all kinds on two devices, each behind some earlier ones. */
enum { NODES = 300, MAX_DEPS = 5, THREADS = 4 };

struct node {
    ventus_event *event;
    bool gate;
    enum ventus_status status; /* it must end with */
    size_t ndeps;
    struct ventus_dep deps[MAX_DEPS];
    size_t on[MAX_DEPS]; /* numbers of those nodes */
};

struct graph {
    struct fixture *f[2];
    unsigned seed;
    struct node nodes[NODES];
    unsigned failures;
};

static enum ventus_status give_back(void *user) { return *(enum ventus_status *)user; }

static unsigned draw(struct graph *g, unsigned n)
{
    g->seed = g->seed * 1103515245 + 12345;
    return (g->seed >> 16) % n;
}

/* Chooses what node `i` waits for, and says whether all that must succeed does. */
static bool choose_deps(struct graph *g, size_t i)
{
    struct node *n = &g->nodes[i];
    bool fine = true;
    n->ndeps = i ? draw(g, MAX_DEPS + 1) : 0;
    for (size_t k = 0; k < n->ndeps; k++) {
        n->on[k] = i - 1 - draw(g, i < 20 ? (unsigned)i : 20);
        n->deps[k] = (struct ventus_dep){g->nodes[n->on[k]].event, draw(g, 4) > 0};
        fine &= n->deps[k].any_end || g->nodes[n->on[k]].status == VENTUS_OK;
    }
    return fine;
}

static enum ventus_status submit_node(struct graph *g, struct node *n, struct fixture *f)
{
    const uint32_t args[4] = {f->word, 1};
    bool fails = draw(g, 10) == 0;
    unsigned kind = draw(g, 5);
    if (kind == 4) n->gate = true;
    if (kind < 2) {
        struct ventus_launch l = program_launch(fails ? f->faulty : f->store, args, 1, 1);
        if (n->status == VENTUS_OK && fails) n->status = VENTUS_FAULT;
        return ventus_launch(f->device, &l, n->ndeps, n->deps, &n->event);
    }
    if (n->status == VENTUS_OK && fails && kind != 3) n->status = VENTUS_OUT_OF_RANGE;
    const struct ventus_call call = {.run = give_back, .user = &n->status};
    if (kind == 2) return ventus_call(f->device, &call, n->ndeps, n->deps, &n->event);
    return (kind == 3 ? ventus_mark : ventus_gate)(f->device, n->ndeps, n->deps, &n->event);
}

/* Nothing began before what it waits for had ended. */
static bool in_order(const struct graph *g, const struct node *n)
{
    const struct ventus_outcome *o = ventus_event_outcome(n->event);
    for (size_t k = 0; k < n->ndeps; k++)
        if ((o->started ? o->started : o->ended) < ventus_event_outcome(g->nodes[n->on[k]].event)->ended) return false;
    return o->status == n->status && (n->status != VENTUS_DEPENDENCY || !o->started);
}

static void *run_graph(void *user)
{
    struct graph *g = user;
    for (size_t i = 0; i < NODES; i++) {
        struct node *n = &g->nodes[i];
        n->status = choose_deps(g, i) ? VENTUS_OK : VENTUS_DEPENDENCY;
        if (submit_node(g, n, g->f[draw(g, 2)]) != VENTUS_OK) abort();
    }
    for (size_t i = 0; i < NODES; i++) { /* a gate waits for earlier ones only */
        struct node *n = &g->nodes[i];
        if (!n->gate) continue;
        g->failures += ventus_event_wait_start(n->event, LONG) != VENTUS_OK;
        bool open = ventus_event_set(n->event, n->status) == VENTUS_OK;
        g->failures += open != (n->status != VENTUS_DEPENDENCY);
    }
    for (size_t i = 0; i < NODES; i++) {
        ventus_event_wait(g->nodes[i].event, LONG);
        g->failures += !in_order(g, &g->nodes[i]);
    }
    for (size_t i = 0; i < NODES; i++) ventus_event_release(g->nodes[i].event);
    return NULL;
}

static void test_graphs(void **state)
{
    static struct graph graphs[THREADS];
    pthread_t threads[THREADS];
    struct fixture *other;
    assert_int_equal(setup((void **)&other), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        graphs[i] = (struct graph){.f = {*state, other}, .seed = i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_graph, &graphs[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(graphs[i].failures, 0);
    }
    teardown((void **)&other);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(mark),        TEST(mark_of_many),        TEST(cause),  TEST(long_chain), TEST(gate),
        TEST(gate_behind), TEST(gate_passed_at_once), TEST(call),   TEST(ending),     TEST(notify),
        TEST(close),       TEST(bad_arguments),       TEST(graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
