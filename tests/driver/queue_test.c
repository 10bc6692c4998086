/* Launches in flight: order, dependencies, modules, cancelling, waiting, callbacks, closing, and all of it from
 * several host threads. Nothing here depends on how fast anything is, but for limits that are far away. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "driver/gpu.h"
#include "isa/abi.h"
#include "program.h"

static const uint64_t MS = 1000000, LONG = 60ull * 1000000000; /* nanoseconds */
static const uint32_t no_args[4];

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static ventus_device *open_device(void)
{
    ventus_device *d = NULL;
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    return d;
}

static uint32_t alloc(ventus_device *d, uint32_t size)
{
    uint32_t addr = 0;
    assert_int_equal(ventus_alloc(d, size, &addr), VENTUS_OK);
    return addr;
}

static uint32_t word(ventus_device *d, uint32_t addr)
{
    uint32_t value = 0;
    assert_int_equal(ventus_read(d, &value, addr, sizeof value), VENTUS_OK);
    return value;
}

/* Submits one work-item of the module's kernel. */
static ventus_event *submit(ventus_device *d, const ventus_module *m, uint32_t a, uint32_t b, size_t ndeps,
                            ventus_event *const *deps)
{
    const uint32_t args[4] = {a, b};
    struct ventus_launch l = program_launch(m, args, 1, 1);
    struct ventus_dep on[2];
    ventus_event *e = NULL;
    for (size_t i = 0; i < ndeps; i++) on[i] = (struct ventus_dep){deps[i], false};
    assert_int_equal(ventus_launch(d, &l, ndeps, on, &e), VENTUS_OK);
    return e;
}

static void check_end(ventus_event *e, enum ventus_status status)
{
    assert_int_equal(ventus_event_wait(e, LONG), status);
    assert_int_equal(ventus_event_state(e), VENTUS_ENDED);
    const struct ventus_outcome *o = ventus_event_outcome(e);
    assert_non_null(o);
    assert_int_equal(o->status, status);
    assert_int_equal(status == VENTUS_OK, !*o->message);
    assert_true(o->submitted > 0 && o->ended >= o->submitted);
    if (o->started) assert_true(o->submitted <= o->started && o->started <= o->ended);
    ventus_event_release(e);
}

/* Waits until the machine has the launch. */
static void await_start(ventus_event *e)
{
    while (ventus_event_state(e) == VENTUS_QUEUED) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    assert_int_equal(ventus_event_state(e), VENTUS_RUNNING);
    assert_null(ventus_event_outcome(e));
}

static void check_usable(ventus_device *d)
{
    ventus_module *store = program_build(STORE);
    uint32_t out = alloc(d, 4);
    check_end(submit(d, store, out, 77, 0, NULL), VENTUS_OK);
    assert_int_equal(word(d, out), 77);
    ventus_free(d, out);
    ventus_module_free(store);
}

/* ---- order and dependencies ---- */

/* Launches begin in the order of submission, and each runs once, several at a time: each appends its number to a list.
 */
static void test_order(void **state)
{
    enum { N = 200 };
    ventus_device *d = open_device();
    ventus_module *m = program_build(ARGS " vmv.v.x v1, x10\n vmv.v.i v2, 1\n amoadd.w v3, v2, (v1)\n vmv.x.s x5, v3\n"
                                          " slli x6, x5, 2\n add x6, x6, x10\n sw x11, 4(x6)\n endprg\n");
    uint32_t list = alloc(d, 4 * (N + 1)), times[N] = {0};
    ventus_event *e[N];
    uint64_t last = 0;
    (void)state;
    for (uint32_t i = 0; i < N; i++) e[i] = submit(d, m, list, i, 0, NULL);
    assert_int_equal(ventus_finish(d, LONG), VENTUS_OK);
    assert_int_equal(word(d, list), N);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t number = word(d, list + 4 + 4 * i);
        assert_true(number < N && !times[number]++);
        assert_true(ventus_event_outcome(e[i])->started >= last);
        last = ventus_event_outcome(e[i])->started;
        ventus_event_release(e[i]);
    }
    struct ventus_totals t;
    ventus_totals(d, &t);
    assert_int_equal(t.launches, N);
    assert_int_equal(t.counters.groups, N);
    assert_int_equal(t.faults + t.cancelled, 0);
    assert_true(t.busy_ns > 0);
    ventus_module_free(m);
    ventus_close(d);
}

/* Every launch depends on the one before, and works on what that left. */
static void test_chain(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(STEP);
    uint32_t at = alloc(d, 4), want = 0;
    ventus_event *last = NULL;
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        ventus_event *e = submit(d, m, at, i, last ? 1 : 0, &last);
        ventus_event_release(last);
        last = e;
        want = want * 3 + i;
    }
    check_end(last, VENTUS_OK);
    assert_int_equal(word(d, at), want);
    ventus_module_free(m);
    ventus_close(d);
}

/* Two launches that wait for each other end only if both are on the machine. */
static void test_resident_together(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(MEET);
    uint32_t a = alloc(d, 4), b = alloc(d, 4);
    (void)state;
    ventus_event *first = submit(d, m, a, b, 0, NULL), *second = submit(d, m, b, a, 0, NULL);
    check_end(first, VENTUS_OK);
    check_end(second, VENTUS_OK);
    ventus_module_free(m);
    ventus_close(d);
}

/* *a = 1, looks for a while whether *b is other than 0, and writes what it has seen behind a. */
#define LOOK \
    ARGS " li x5, 1\n sw x5, 0(x10)\n li x6, 100000\n1: lw x5, 0(x11)\n bne x5, x0, 2f\n addi x6, x6, -1\n" \
         " bne x6, x0, 1b\n2: sw x5, 4(x10)\n endprg\n"

/* Launches that are written to files are on the machine one after the other, also such as could run at once: what each
 * finds in memory is to be there when it is run alone. */
static void test_exported_alone(void **state)
{
    char folder[] = "/tmp/ventus-queue-XXXXXX", command[100];
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("VENTUS_EXPORT", folder, 1);
    ventus_device *d = open_device();
    unsetenv("VENTUS_EXPORT");
    ventus_module *m = program_build(LOOK);
    uint32_t a = alloc(d, 8), b = alloc(d, 8);
    ventus_event *first = submit(d, m, a, b, 0, NULL), *second = submit(d, m, b, a, 0, NULL);
    check_end(first, VENTUS_OK);
    check_end(second, VENTUS_OK);
    assert_int_equal(word(d, a + 4), 0);
    assert_int_equal(word(d, b + 4), 1);
    ventus_module_free(m);
    ventus_close(d);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* What depends on a failure is not run; what does not, is. */
static void test_failed_dependency(void **state)
{
    ventus_device *d = open_device();
    ventus_module *faulty = program_build(FAULTY), *store = program_build(STORE);
    uint32_t out = alloc(d, 12);
    (void)state;
    ventus_event *a = submit(d, faulty, 0, 0, 0, NULL);
    ventus_event *b = submit(d, store, out, 1, 1, &a), *c = submit(d, store, out + 4, 2, 1, &b);
    ventus_event *other = submit(d, store, out + 8, 3, 0, NULL);
    assert_int_equal(ventus_event_wait(c, LONG), VENTUS_DEPENDENCY);
    assert_non_null(strstr(ventus_event_outcome(c)->message, "depends on"));
    assert_int_equal(ventus_event_outcome(c)->started, 0);
    assert_int_equal(ventus_event_outcome(c)->result.counters.instructions, 0);
    check_end(other, VENTUS_OK);
    check_end(b, VENTUS_DEPENDENCY);
    check_end(submit(d, store, out + 4, 2, 1, &a), VENTUS_DEPENDENCY); /* it has failed already */
    assert_int_equal(ventus_event_outcome(a)->result.fault.kind, VENTUS_FAULT_WRITE);
    check_end(a, VENTUS_FAULT);
    ventus_event_release(c);
    assert_int_equal(word(d, out), 0);
    assert_int_equal(word(d, out + 4), 0);
    assert_int_equal(word(d, out + 8), 3);
    struct ventus_totals t;
    ventus_totals(d, &t);
    assert_int_equal(t.launches, 5);
    assert_int_equal(t.faults, 1);
    assert_true(t.counters.groups >= 1 && t.counters.stores >= 1);
    ventus_module_free(faulty);
    ventus_module_free(store);
    ventus_close(d);
}

/* A dependency of another device, whose end must wake this one; and that device may be closed first. */
static void test_two_devices(void **state)
{
    ventus_device *d = open_device(), *other = open_device();
    ventus_module *endless = program_build(ENDLESS), *store = program_build(STORE);
    uint32_t out = alloc(d, 4), there = alloc(other, 4);
    (void)state;
    assert_int_equal(out, there); /* each has an address space of its own */
    for (int i = 0; i < 20; i++) {
        ventus_event *first = submit(other, store, there, 5, 0, NULL);
        check_end(submit(d, store, out, 6, 1, &first), VENTUS_OK);
        ventus_event_release(first);
    }
    assert_int_equal(word(d, out), 6);
    assert_int_equal(word(other, there), 5);
    ventus_event *first = submit(other, endless, 0, 0, 0, NULL), *second = submit(d, store, out, 7, 1, &first);
    assert_int_equal(ventus_event_wait(second, 5 * MS), VENTUS_TIMEOUT);
    check_usable(d);
    ventus_close(other);
    check_end(second, VENTUS_DEPENDENCY);
    check_end(first, VENTUS_CANCELLED);
    assert_int_equal(word(d, out), 6);
    ventus_module_free(endless);
    ventus_module_free(store);
    ventus_close(d);
}

/* ---- modules ---- */

/* A launch of another module waits for the window, and so does what was submitted behind it. */
static void test_window(void **state)
{
    ventus_device *d = open_device();
    ventus_module *endless = program_build(ENDLESS), *store = program_build(STORE);
    uint32_t out = alloc(d, 4);
    (void)state;
    ventus_event *a = submit(d, endless, 0, 0, 0, NULL), *b = submit(d, store, out, 9, 0, NULL),
                 *c = submit(d, endless, 0, 0, 0, NULL);
    await_start(a);
    assert_int_equal(ventus_event_wait(b, 5 * MS), VENTUS_TIMEOUT);
    assert_int_equal(ventus_event_state(b), VENTUS_QUEUED);
    assert_int_equal(ventus_event_state(c), VENTUS_QUEUED);
    ventus_module_free(endless); /* launches keep it */
    ventus_event_cancel(a);
    check_end(a, VENTUS_CANCELLED);
    check_end(b, VENTUS_OK);
    await_start(c);
    ventus_event_cancel(c);
    check_end(c, VENTUS_CANCELLED);
    assert_int_equal(word(d, out), 9);
    ventus_module_free(store);
    ventus_close(d);
}

static void test_module_freed(void **state)
{
    ventus_device *d = open_device();
    uint32_t out = alloc(d, 400);
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        ventus_module *m = program_build(STORE);
        ventus_event_release(submit(d, m, out + 4 * i, i, 0, NULL));
        ventus_module_free(m);
    }
    assert_int_equal(ventus_finish(d, LONG), VENTUS_OK);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(word(d, out + 4 * i), i);
    ventus_close(d);
}

/* A copy from the window waits until the machine is idle, and what was submitted meanwhile until it is done. */
struct reader {
    ventus_device *device;
    ventus_event *running;
    enum ventus_state seen;
    uint32_t word;
};

static void *read_window(void *user)
{
    struct reader *r = user;
    ventus_read(r->device, &r->word, ABI_CODE_BASE, 4);
    r->seen = ventus_event_state(r->running);
    return NULL;
}

static void test_window_copies(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(ENDLESS);
    pthread_t thread;
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct reader r = {.device = d, .running = submit(d, m, 0, 0, 0, NULL)};
        await_start(r.running);
        assert_int_equal(pthread_create(&thread, NULL, read_window, &r), 0);
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
        ventus_event_cancel(r.running);
        pthread_join(thread, NULL);
        assert_int_equal(r.seen, VENTUS_ENDED);
        assert_int_equal(r.word, 0x13); /* nop */
        check_end(r.running, VENTUS_CANCELLED);
    }
    check_usable(d);
    ventus_module_free(m);
    ventus_close(d);
}

/* ---- cancelling and waiting ---- */

static const char *const endless[] = {
    ENDLESS,                 /* scalar */
    "1: barrier 1\n j 1b\n", /* barriers */
    /* Lanes go different ways in every turn. */
    (" vid.v v1\n vand.vi v1, v1, 1\n vmv.v.i v2, 0\n"
     "1: auipc x7, %pcrel_hi(4f)\n setrpc x0, x7, %pcrel_lo(1b)\n vbeq v1, v2, 3f\n"
     "2: vadd.vi v3, v3, 1\n j 4f\n3: vadd.vi v3, v3, 2\n4: join\n j 1b\n"),
    /* Half of the lanes never come out of a loop of their own. */
    (" vid.v v1\n vand.vi v1, v1, 1\n vmv.v.i v2, 0\n1: auipc x7, %pcrel_hi(3f)\n setrpc x0, x7, %pcrel_lo(1b)\n"
     "2: vbeq v1, v2, 2b\n3: join\n endprg\n"),
};

/* Starts an endless launch, cancels it, and tells how many nanoseconds that took. */
static uint64_t cancel_once(ventus_device *d, const ventus_module *m)
{
    struct ventus_launch l = program_launch(m, no_args, 64 * 256, 256);
    ventus_event *e;
    assert_int_equal(ventus_launch(d, &l, 0, NULL, &e), VENTUS_OK);
    await_start(e);
    assert_int_equal(ventus_event_wait(e, 20 * MS), VENTUS_TIMEOUT);
    assert_int_equal(ventus_finish(d, MS), VENTUS_TIMEOUT);
    uint64_t begin = clock_ns();
    ventus_event_cancel(e);
    assert_int_equal(ventus_event_wait(e, LONG), VENTUS_CANCELLED);
    uint64_t took = clock_ns() - begin;
    assert_true(ventus_event_outcome(e)->result.counters.instructions > 0);
    ventus_event_cancel(e); /* once more does no harm */
    check_end(e, VENTUS_CANCELLED);
    return took;
}

static void test_cancel(void **state)
{
    ventus_device *d = open_device();
    (void)state;
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        ventus_module *m = program_build(endless[i]);
        uint64_t took = UINT64_MAX;
        for (int tries = 0; tries < 5 && took >= 100 * MS; tries++) took = cancel_once(d, m); /* the host may be busy */
        print_message("  cancelled after %.2f ms\n", (double)took / 1e6);
        assert_true(took < 100 * MS);
        check_usable(d);
        ventus_module_free(m);
    }
    struct ventus_memory memory;
    ventus_memory(d, &memory);
    assert_int_equal(memory.blocks, 0); /* nothing of a launch is left */
    ventus_close(d);
}

/* VENTUS_TIMEOUT ends what runs for longer, and nothing else. */
static void test_limit(void **state)
{
    (void)state;
    setenv("VENTUS_TIMEOUT", "0.05", 1);
    ventus_device *d = open_device();
    unsetenv("VENTUS_TIMEOUT");
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        ventus_module *m = program_build(endless[i]);
        struct ventus_launch l = program_launch(m, no_args, 64 * 256, 256);
        ventus_event *e;
        assert_int_equal(ventus_launch(d, &l, 0, NULL, &e), VENTUS_OK);
        assert_int_equal(ventus_event_wait(e, LONG), VENTUS_TIMEOUT);
        const struct ventus_outcome *o = ventus_event_outcome(e);
        assert_true(o->ended - o->started >= 50 * MS);
        assert_non_null(strstr(o->message, "in time"));
        check_end(e, VENTUS_TIMEOUT);
        check_usable(d);
        ventus_module_free(m);
    }
    ventus_close(d);
}

/* Of several launches one is cancelled: running, waiting for the window, waiting for a dependency. */
static void test_cancel_one(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(ENDLESS), *store = program_build(STORE);
    uint32_t out = alloc(d, 4);
    (void)state;
    ventus_event *a = submit(d, m, 0, 0, 0, NULL), *b = submit(d, m, 0, 0, 0, NULL);
    ventus_event *c = submit(d, store, out, 1, 0, NULL), *e = submit(d, m, 0, 0, 1, &a),
                 *f = submit(d, store, out, 2, 1, &c);
    await_start(b);
    ventus_event_cancel(b);
    check_end(b, VENTUS_CANCELLED);
    ventus_event_cancel(e);
    check_end(e, VENTUS_CANCELLED);
    ventus_event_cancel(c);
    check_end(f, VENTUS_DEPENDENCY);
    check_end(c, VENTUS_CANCELLED);
    assert_int_equal(ventus_event_state(a), VENTUS_RUNNING);
    ventus_event_cancel(a);
    check_end(a, VENTUS_CANCELLED);
    assert_int_equal(word(d, out), 0);
    ventus_module_free(m);
    ventus_module_free(store);
    ventus_close(d);
}

/* The flag of launch_options, as ventus_run's callers use it. */
static void test_cancel_flag(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(ENDLESS);
    struct ventus_launch l = program_launch(m, no_args, 1, 1);
    static _Atomic bool flag;
    ventus_event *e;
    struct ventus_result result;
    char message[200];
    (void)state;
    l.gpu = &(struct ventus_gpu_launch){.options = {.cancel = &flag}};
    assert_int_equal(ventus_launch(d, &l, 0, NULL, &e), VENTUS_OK);
    await_start(e);
    flag = true;
    check_end(e, VENTUS_CANCELLED);
    assert_int_equal(ventus_run(d, &l, &result, message, sizeof message), VENTUS_CANCELLED);
    assert_string_equal(message, "kernel k: the launch was cancelled");
    ventus_module_free(m);
    ventus_close(d);
}

static void test_close(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(ENDLESS);
    ventus_event *e[3];
    (void)state;
    for (int i = 0; i < 3; i++) e[i] = submit(d, m, 0, 0, i == 2, e);
    await_start(e[0]);
    ventus_close(d);
    for (int i = 0; i < 3; i++) check_end(e[i], VENTUS_CANCELLED);
    ventus_module_free(m);
    ventus_close(open_device()); /* one that never ran anything */
}

/* ---- callbacks ---- */

struct log {
    ventus_device *device;
    const ventus_module *module;
    ventus_event *made;
    int calls, order[4];
    enum ventus_status wait;
};

static void note_first(ventus_event *e, void *user)
{
    struct log *log = user;
    assert_non_null(ventus_event_outcome(e));
    log->order[log->calls++] = 1;
}

/* Launches from a callback, and tries what is forbidden there. */
static void note_second(ventus_event *e, void *user)
{
    struct log *log = user;
    struct ventus_launch l = program_launch(log->module, no_args, 1, 1);
    (void)e;
    log->order[log->calls++] = 2;
    if (ventus_launch(log->device, &l, 0, NULL, &log->made) == VENTUS_OK)
        log->wait = ventus_event_wait(log->made, VENTUS_FOREVER);
    if (ventus_finish(log->device, VENTUS_FOREVER) != VENTUS_BAD_ARGUMENT) log->wait = VENTUS_OK;
    if (ventus_read(log->device, &l, ABI_CODE_BASE, 4) != VENTUS_BAD_ARGUMENT) log->wait = VENTUS_OK;
}

static void test_callbacks(void **state)
{
    ventus_device *d = open_device();
    ventus_module *slow = program_build(ENDLESS), *quick = program_build(" endprg\n");
    struct log log = {.device = d, .module = quick};
    (void)state;
    ventus_event *e = submit(d, slow, 0, 0, 0, NULL);
    assert_true(ventus_event_notify(e, VENTUS_ENDED, note_first, &log));
    assert_true(ventus_event_notify(e, VENTUS_ENDED, note_second, &log));
    ventus_event_cancel(e);
    assert_int_equal(ventus_event_wait(e, LONG), VENTUS_CANCELLED);
    /* Callbacks run after the end can be seen; a launch behind them shows that they are over. */
    check_end(submit(d, quick, 0, 0, 0, NULL), VENTUS_OK);
    assert_int_equal(log.calls, 2);
    assert_int_equal(log.order[0], 1);
    assert_int_equal(log.order[1], 2);
    assert_int_equal(log.wait, VENTUS_BAD_ARGUMENT);
    check_end(log.made, VENTUS_OK);
    assert_true(ventus_event_notify(e, VENTUS_ENDED, note_first, &log)); /* it has ended: at once, here */
    assert_int_equal(log.calls, 3);
    ventus_event_release(e);
    ventus_module_free(slow);
    ventus_module_free(quick);
    ventus_close(d);
}

/* ---- device memory of launches ---- */

/* Each work-item keeps its number in private memory, meets the others of its group, and looks again. */
static const char privacy[] = ARGS
    " vid.v v1\n csrr x5, CSR_TID\n vadd.vx v1, v1, x5\n csrr x5, CSR_GIDX\n slli x6, x5, 6\n vadd.vx v1, v1, x6\n"
    " vmv.v.i v2, 0\n vsw.v v1, 0(v2)\n li x6, 200\n1: barrier 1\n addi x6, x6, -1\n bne x6, x0, 1b\n vlw.v v3, 0(v2)\n"
    " vsll.vi v4, v1, 2\n vadd.vx v4, v4, x10\n vsw12.v v3, 0(v4)\n endprg\n";

static void run_private(ventus_device *d, unsigned bytes, enum ventus_status status)
{
    enum { ITEMS = 64 * 40 };
    ventus_module *m = program_build_private(privacy, bytes);
    uint32_t out = alloc(d, 4 * ITEMS);
    const uint32_t args[4] = {out};
    struct ventus_launch l = program_launch(m, args, ITEMS, 64);
    struct ventus_result result;
    char message[200];
    enum ventus_status got = ventus_run(d, &l, &result, message, sizeof message);
    if (got != status) fail_msg("%s: %s", ventus_status_text(got), message);
    for (uint32_t i = 0; i < ITEMS && status == VENTUS_OK; i++) assert_int_equal(word(d, out + 4 * i), i);
    ventus_free(d, out);
    ventus_module_free(m);
}

/* With room for all, for some and for one resident group, and for none. */
static void test_private(void **state)
{
    ventus_device *d = open_device();
    struct ventus_memory memory;
    uint32_t big;
    (void)state;
    run_private(d, 4, VENTUS_OK);
    run_private(d, 1 << 20, VENTUS_OK); /* 64 MiB each: not all at once */
    run_private(d, 6 << 20, VENTUS_OK); /* one at a time */
    run_private(d, 200 << 20, VENTUS_NO_DEVICE_MEMORY);
    ventus_memory(d, &memory);
    assert_int_equal(ventus_alloc(d, memory.largest - (1 << 20), &big), VENTUS_OK);
    run_private(d, 4096, VENTUS_OK); /* 256 KiB each */
    run_private(d, 1 << 16, VENTUS_NO_DEVICE_MEMORY);
    ventus_free(d, big);
    run_private(d, 1 << 16, VENTUS_OK);
    ventus_close(d);
}

/* A launch that finds no memory while another one runs waits for that to end. */
static void test_memory_comes_back(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build_private(MEET, 20 << 20); /* 640 MiB: three and more do not fit */
    uint32_t a = alloc(d, 64);
    ventus_event *e[4];
    (void)state;
    for (int i = 0; i < 4; i++) e[i] = submit(d, m, a, a, 0, NULL);
    for (int i = 0; i < 4; i++) check_end(e[i], VENTUS_OK);
    ventus_module_free(m);
    ventus_close(d);
}

/* ---- raw launches ---- */

static void test_raw(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(" csrr x5, CSR_KNL\n csrr x6, CSR_GIDX\n slli x7, x6, 2\n add x5, x5, x7\n"
                                     " sw x6, 0(x5)\n endprg\n");
    uint32_t out = alloc(d, 64);
    // clang-format off
    struct launch raw = {.start_pc = ABI_CODE_BASE, .knl = out, .groups = {16, 1, 1}, .warps = 1, .threads_per_warp = 32,
                         .work_items = 32, .sgprs = 32, .vgprs = 1, .lds_bytes = 1024};
    // clang-format on
    struct ventus_launch l = {.module = m, .gpu = &(struct ventus_gpu_launch){.launch = &raw}};
    struct ventus_result result;
    char message[300];
    (void)state;
    assert_int_equal(ventus_run(d, &l, &result, message, sizeof message), VENTUS_OK);
    for (uint32_t i = 0; i < 16; i++) assert_int_equal(word(d, out + 4 * i), i);
    raw.knl = 0x1000;
    l.module = NULL; /* what is in the window stays */
    assert_int_equal(ventus_run(d, &l, &result, message, sizeof message), VENTUS_FAULT);
    assert_non_null(strstr(message, "launch failed: write to unmapped"));
    raw.warps = 1000;
    assert_int_equal(ventus_run(d, &l, &result, message, sizeof message), VENTUS_BAD_LAUNCH);
    ventus_module_free(m);
    ventus_close(d);
}

/* The SM that a launch on these has run on, as the place of its local memory says. */
static uint32_t where_it_runs(ventus_device *d, const ventus_module *m, uint32_t out, struct ventus_sms sms)
{
    const struct gpu_config *c = gpu_config_of(device_gpu(d));
    const uint32_t args[4] = {out};
    struct ventus_launch l = program_launch(m, args, 1, 1);
    struct ventus_result result;
    l.sms = sms;
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    return (word(d, out) - ABI_LOCAL_BASE) / gpu_config_lds_stride(c) / c->groups_per_sm;
}

/* A launch on a part of the machine runs there, also beside one without end on the other part. */
static void test_parts(void **state)
{
    ventus_device *d = open_device();
    uint32_t out = alloc(d, 64);
    ventus_module *m = program_build(ARGS " bne x11, x0, 1f\n csrr x5, CSR_LDS\n sw x5, 0(x10)\n endprg\n1: j 1b\n");
    const uint32_t for_ever[4] = {0, 1};
    struct ventus_launch other = program_launch(m, for_ever, 64, 1);
    ventus_event *e;
    (void)state;
    for (uint32_t own = 0; own < 2; own++) {
        other.sms = (struct ventus_sms){1 - own, 1};
        assert_int_equal(ventus_launch(d, &other, 0, NULL, &e), VENTUS_OK);
        for (int i = 0; i < 3; i++) assert_int_equal(where_it_runs(d, m, out, (struct ventus_sms){own, 1}), own);
        ventus_event_cancel(e);
        check_end(e, VENTUS_CANCELLED);
    }
    other.sms = (struct ventus_sms){1, gpu_config_of(device_gpu(d))->sms}; /* one beyond the machine's last */
    assert_int_equal(ventus_launch(d, &other, 0, NULL, NULL), VENTUS_BAD_LAUNCH);
    ventus_module_free(m);
    ventus_close(d);
}

/* ---- host threads ---- */

struct worker {
    ventus_device *device;
    const ventus_module *modules[2];
    unsigned number, failures;
};

static void work_once(struct worker *w, uint32_t i)
{
    uint32_t at, value = 0, want = 0;
    ventus_event *last = NULL;
    const ventus_module *m = w->modules[(i / 8 + w->number) % 2];
    if (ventus_alloc(w->device, 4 + 5000 * (i % 7), &at) != VENTUS_OK) {
        w->failures++;
        return;
    }
    for (uint32_t k = 0; k < 4; k++, want = want * 3 + i) {
        const uint32_t args[4] = {at, i};
        struct ventus_launch l = program_launch(m, args, 1, 1);
        ventus_event *e = NULL;
        if (ventus_launch(w->device, &l, last ? 1 : 0, &(struct ventus_dep){last, false}, &e) != VENTUS_OK)
            w->failures++;
        ventus_event_release(last);
        last = e;
    }
    w->failures += ventus_event_wait(last, LONG) != VENTUS_OK;
    ventus_event_release(last);
    w->failures += ventus_read(w->device, &value, at, 4) != VENTUS_OK || value != want;
    w->failures += ventus_free(w->device, at) != VENTUS_OK;
}

static void *work(void *user)
{
    struct worker *w = user;
    for (uint32_t i = 0; i < 60; i++) work_once(w, i);
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 6 };
    ventus_device *d[2] = {open_device(), open_device()};
    ventus_module *a = program_build(STEP), *b = program_build(" nop\n" STEP);
    struct worker w[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        w[i] = (struct worker){d[i % 2], {a, b}, i / 2, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(w[i].failures, 0);
    }
    for (int i = 0; i < 2; i++) {
        struct ventus_totals t;
        ventus_totals(d[i], &t);
        assert_int_equal(t.launches, THREADS / 2 * 60 * 4);
        ventus_close(d[i]);
    }
    ventus_module_free(a);
    ventus_module_free(b);
}

static void test_bad_arguments(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(STORE);
    struct ventus_launch good = program_launch(m, no_args, 1, 1), l = good;
    struct ventus_dep none[1] = {{NULL, false}};
    ventus_event *e = NULL;
    (void)state;
    assert_int_equal(ventus_launch(NULL, &l, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_launch(d, NULL, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_launch(d, &l, 1, NULL, &e), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_launch(d, &l, 1, none, &e), VENTUS_BAD_ARGUMENT);
    l.module = NULL;
    assert_int_equal(ventus_launch(d, &l, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    l = good, l.kernel = NULL;
    assert_int_equal(ventus_launch(d, &l, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    l = good, l.args = NULL;
    assert_int_equal(ventus_launch(d, &l, 0, NULL, &e), VENTUS_BAD_ARGUMENT);
    l = good, l.range.local[0] = 2;
    assert_int_equal(ventus_launch(d, &l, 0, NULL, &e), VENTUS_BAD_LAUNCH);
    assert_null(e);
    assert_int_equal(ventus_finish(d, 0), VENTUS_OK);
    assert_int_equal(ventus_finish(NULL, 0), VENTUS_BAD_ARGUMENT);
    ventus_event_release(NULL);
    ventus_module_free(m);
    ventus_close(d);
    ventus_close(NULL);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_chain), cmocka_unit_test(test_resident_together), cmocka_unit_test(test_exported_alone),
        cmocka_unit_test(test_failed_dependency), cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_window), cmocka_unit_test(test_module_freed), cmocka_unit_test(test_window_copies),
        cmocka_unit_test(test_cancel), cmocka_unit_test(test_limit), cmocka_unit_test(test_cancel_one), cmocka_unit_test(test_cancel_flag),
        cmocka_unit_test(test_close), cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_private), cmocka_unit_test(test_memory_comes_back), cmocka_unit_test(test_raw), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_bad_arguments),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, NULL, NULL);
}
