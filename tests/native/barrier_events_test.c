/* What can come in between while the warps of a group go on behind barriers in translated code: copies that warps wait
 * for, the end of a quantum, groups of another launch on the same SM, and the end of the launch from outside. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "native/native.h"
#include "pair.h"

/* x20 is the data, x5 the group's number, x6 the warp's first work-item, x21 the group's part of the data, v11 the
 * lane's word there, v31 the address of a counter that all warps take numbers from. */
#define BEGIN \
    " lui x20, 0x90000\n csrr x5, CSR_GIDX\n csrr x6, CSR_TID\n slli x21, x5, 9\n lui x7, 4\n add x21, x21, x7\n" \
    " add x21, x21, x20\n vid.v v9\n vadd.vx v10, v9, x6\n vsll.vi v10, v10, 2\n vadd.vx v11, v10, x21\n" \
    " vmv.v.i v30, 1\n vmv.v.x v31, x20\n"

#define FOUR " vadd.vi v5, v5, 1\n vadd.vi v5, v5, 1\n vadd.vi v5, v5, 1\n vadd.vi v5, v5, 1\n"

#define TAKE " amoadd.w v3, v30, (v31)\n vadd.vv v1, v1, v3\n"

static struct pair pair_of(const char *text, uint32_t items, uint64_t quantum)
{
    struct pair p = {.text = text, .quantum = quantum};
    p.shape = (struct launch){.warps = (items + 31) / 32, .threads_per_warp = 32, .work_items = items, .groups = {12}};
    return p;
}

/* ---- copies ---- */

/* Each warp copies its part of the data to local memory in a loop with barriers, and reads another warp's part: behind
 * a wait and a barrier, behind a wait alone, in one warp of the group, and without a wait, so that the next group comes
 * while copies are under way. x8 is local memory, x9 the warp's bytes there, v12 the address of them. */
static void test_copies(void **state)
{
    static const char *const ways[] = {
        "loop: cp_dma_bulk v12, x10, x12\n cp_dma_mbarrier\n barrier 1\n vlw12.v v4, 0(v13)\n vadd.vv v1, v1, v4\n"
        " barrier 1\n",
        "loop: cp_dma_bulk v12, x10, x12\n barrier 1\n cp_dma_mbarrier\n vlw12.v v4, 0(v14)\n vadd.vv v1, v1, "
        "v4\n " TAKE,
        "loop: bne x6, x0, 1f\n cp_dma_bulk v12, x10, x12\n cp_dma_mbarrier\n1: barrier 1\n vlw12.v v4, 0(v15)\n"
        " vadd.vv v1, v1, v4\n barrier 1\n",
        "loop: barrier 1\n" TAKE " cp_dma_bulk v12, x10, x12\n barrier 1\n vlw12.v v4, 0(v13)\n vadd.vv v1, v1, v4\n",
        "loop: beq x6, x0, 1f\n cp_dma_bulk v12, x10, x12\n1: barrier 1\n cp_dma_mbarrier\n barrier 1\n" TAKE,
    };
    static const uint32_t items[] = {32, 160, 70};
    static const uint64_t quanta[] = {1 << 20, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways * 3; i++) {
        char text[1500];
        struct pair p = pair_of(text, items[i % 3], quanta[i % 2]);
        snprintf(text, sizeof text,
                 BEGIN " csrr x8, CSR_LDS\n addi x8, x8, 1024\n slli x9, x6, 2\n add x10, x20, x9\n li x12, 128\n"
                       " add x13, x8, x9\n vmv.v.x v12, x13\n xori x9, x9, 128\n add x13, x8, x9\n vsll.vi v13, v9, 2\n"
                       " vadd.vx v13, v13, x13\n vadd.vx v14, v10, x8\n vsll.vi v15, v9, 2\n vadd.vx v15, v15, x8\n"
                       " addi x10, x10, 256\n li x7, 20\n %s addi x10, x10, 16\n addi x7, x7, -1\n bne x7, x0, loop\n"
                       " vsw12.v v1, 0(v11)\n endprg\n",
                 ways[i / 3]);
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* ---- quanta ---- */

/* Quanta end late where `step` has ended them, at the vsetvli: the barrier or the end of the warp that comes before
 * control goes back is met in translated code. What begins there has a quantum of its own. */
static void test_late(void **state)
{
    static const char *const ends[] = {"barrier 1\n",
                                       "bne x7, x9, 3f\n endprg\n3:", "bne x6, x0, 3f\n endprg\n3: barrier 1\n"};
    static const uint32_t items[] = {32, 64, 100};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends * 3; i++) {
        for (uint64_t quantum = 1060; quantum < 1120; quantum += 12) {
            char text[1500];
            struct pair p = pair_of(text, items[i % 3], quantum);
            snprintf(text, sizeof text,
                     BEGIN
                     " li x7, 6\nloop: li x8, 40\n1: " TAKE " addi x8, x8, -1\n bne x8, x0, 1b\n li x8, 300\n"
                     "2: vadd.vi v5, v5, 1\n addi x8, x8, -1\n bne x8, x0, 2b\n" FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR
                     " vsetvli x9, x0, e32, m1, ta, ma\n vadd.vi v5, v5, 1\n li x9, 1\n %s addi x7, x7, -1\n"
                     " bne x7, x0, loop\n vsw12.v v1, 0(v11)\n endprg\n",
                     ends[i / 3]);
            assert_int_equal(pair_run(&p, &(uint64_t){0}).status, LAUNCH_DONE);
        }
    }
}

/* Some end between barriers; only those of 1000 and more are for code that goes on by itself. The mark of a routine
 * makes them 16 times as long. Who comes when stays the same. */
static void test_quanta(void **state)
{
    static const char *const marks[] = {"", " slti x0, x0, 0x5d0\n"};
    static const uint32_t items[] = {32, 64, 75};
    static const uint64_t quanta[] = {40, 1000, 1100, 10000};
    (void)state;
    for (size_t i = 0; i < 24; i++) {
        char text[1000];
        uint64_t translated;
        struct pair p = pair_of(text, items[i % 3], quanta[i / 6]);
        snprintf(text, sizeof text,
                 BEGIN " srli x8, x6, 4\n li x7, 20\n sub x7, x7, x8\nloop: slli x9, x6, 3\n addi x9, x9, 100\n1: " TAKE
                       " addi x9, x9, -1\n bne x9, x0, 1b\n barrier 1\n addi x7, x7, -1\n bne x7, x0, loop\n"
                       " vsw12.v v1, 0(v11)\n endprg\n%s",
                 marks[i / 3 % 2]);
        assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
        assert_true(translated);
    }
}

/* ---- launches ---- */

/* A machine of one SM on a thread, or of four on as many as are given. */
static void open_machine(struct guest *g, const struct engine *engine, uint32_t threads, uint64_t quantum)
{
    struct gpu_config c;
    gpu_config_default(&c);
    c.engine = engine;
    c.sms = threads > 1 ? 4 : 1;
    c.host_threads = threads;
    c.quantum = quantum;
    guest_open_config(g, &c);
}

static void set_shape(struct launch *l, uint32_t warps, uint32_t groups)
{
    l->warps = warps;
    l->work_items = 32 * warps - 5 * (warps == 3);
    l->groups[0] = groups;
}

enum { JOBS = 2, SECOND = 512 /* bytes from the first program to the second */ };

struct together {
    struct result results[JOBS];
    uint32_t data[GUEST_BYTES / 4];
    uint64_t translated;
};

struct queue {
    struct job jobs[JOBS];
    unsigned given, done;
};

static struct job *queue_next(void *user)
{
    struct queue *q = user;
    return q->given < JOBS ? &q->jobs[q->given++] : NULL;
}

static void queue_done(void *user, struct job *job)
{
    struct queue *q = user;
    (void)job;
    q->done++;
}

/* The groups of the first launch go from barrier to barrier until the first group of the second one has written a word,
 * and those of the second until they have seen a word of the first: neither ends without the other's being resident. */
static const char meeting[] =
    "first: " BEGIN "1: " TAKE " barrier 1\n li x8, 1\n sw x8, 132(x20)\n vadd.vi v2, v2, 1\n lw x8, 128(x20)\n"
    " beq x8, x0, 1b\n barrier 1\n " TAKE " vsw12.v v1, 0(v11)\n vsw12.v v2, 256(v11)\n endprg\n .balign 512\n"
    "second: " BEGIN " lui x7, 2\n add x21, x21, x7\n vadd.vx v11, v11, x7\n li x7, 90\n"
    "1: " TAKE " barrier 1\n addi x7, x7, -1\n bne x7, x0, 1b\n2: barrier 1\n " TAKE " lw x8, 132(x20)\n"
    " beq x8, x0, 2b\n bne x6, x0, 3f\n sw x8, 128(x20)\n3: barrier 1\n " TAKE " vsw12.v v1, 0(v11)\n"
    " vsw12.v v3, 256(v11)\n endprg\n";

static void run_together(const struct engine *engine, const uint32_t *warps, uint64_t quantum, uint32_t threads,
                         struct together *out)
{
    struct guest g;
    struct queue q = {.given = 0};
    const struct job_source source = {.user = &q, .next = queue_next, .done = queue_done};
    open_machine(&g, engine, threads, quantum);
    guest_assemble(&g, meeting);
    memset(g.data, 0, GUEST_BYTES);
    for (int i = 0; i < JOBS; i++) {
        q.jobs[i] = (struct job){.launch = g.launch};
        set_shape(&q.jobs[i].launch, warps[i], 5);
        q.jobs[i].launch.start_pc = ABI_CODE_BASE + i * SECOND;
    }
    gpu_run(g.gpu, &source);
    assert_int_equal(q.done, JOBS);
    for (int i = 0; i < JOBS; i++) out->results[i] = q.jobs[i].result;
    memcpy(out->data, g.data, sizeof out->data);
    out->translated = engine == &engine_native ? native_executed(g.gpu) : 0;
    guest_close(&g);
}

static uint64_t takes(const struct together *t)
{
    return t->results[0].counters.atomics + t->results[1].counters.atomics;
}

/* Also on several threads, where only sums are the same every time. */
static void test_two_launches(void **state)
{
    static const uint32_t warps[][JOBS] = {{1, 1}, {1, 3}, {2, 1}, {2, 2}, {3, 2}};
    static const uint64_t quanta[] = {25, 1000, 1111};
    static struct together step, native;
    (void)state;
    for (size_t i = 0; i < sizeof warps / sizeof *warps * 3; i++) {
        const uint32_t *w = warps[i / 3];
        run_together(&engine_step, w, quanta[i % 3], 1, &step);
        run_together(&engine_native, w, quanta[i % 3], 1, &native);
        assert_true(native.translated > takes(&native));
        assert_memory_equal(native.results, step.results, sizeof step.results);
        assert_memory_equal(native.data, step.data, sizeof step.data);
        run_together(&engine_native, w, quanta[i % 3], 4, &native);
        for (int k = 0; k < JOBS; k++) {
            assert_int_equal(native.results[k].status, LAUNCH_DONE);
            assert_int_equal(native.results[k].counters.warps, 5 * w[k]);
        }
        if (w[0] < 3 && w[1] < 3) assert_int_equal(native.data[0], 32 * takes(&native));
    }
}

/* ---- the end from outside ---- */

/* Every round of the loop adds 1 to the first word of the data in each lane. */
#define COUNTING " lui x5, 0x90000\n vmv.v.x v1, x5\n vmv.v.i v2, 1\nloop: amoadd.w v3, v2, (v1)\n"

enum { LOOP = ABI_CODE_BASE + 3 * 4, ROUNDS = 2000 };

struct watch {
    const uint32_t *count;
    _Atomic bool cancel;
};

static void *cancel_later(void *user)
{
    static const struct timespec soon = {.tv_nsec = 100000};
    struct watch *w = user;
    while (__atomic_load_n(w->count, __ATOMIC_RELAXED) < 32 * ROUNDS) nanosleep(&soon, NULL);
    w->cancel = true;
    return NULL;
}

/* Translated code had been running it for a good while, and one of its warps was in the loop. */
static void assert_cancelled(const struct guest *g)
{
    const struct fault *f = &g->result.fault;
    assert_int_equal(g->result.status, LAUNCH_CANCELLED);
    assert_int_equal(f->kind, FAULT_NONE);
    assert_int_not_equal(f->profile, 0);
    assert_in_range(f->pc, LOOP, LOOP + 5 * 4);
    assert_true(native_executed(g->gpu) > ROUNDS);
}

/* By another thread, as for a time-out or Ctrl-C. */
static void test_cancelled(void **state)
{
    static const char *const programs[] = {COUNTING " barrier 1\n j loop\n",
                                           COUNTING " barrier 1\n barrier 1\n vadd.vv v4, v3, v3\n j loop\n"};
    static const uint64_t quanta[] = {10000, 50, 1 << 30};
    (void)state;
    for (uint32_t i = 0; i < 24; i++) {
        struct guest g;
        pthread_t thread;
        open_machine(&g, &engine_native, 1 + i % 2, quanta[i / 8]);
        guest_assemble(&g, programs[i / 2 % 2]);
        g.data[0] = 0;
        struct watch w = {.count = g.data};
        g.options.cancel = &w.cancel;
        set_shape(&g.launch, 1 + i / 2 % 4, 8);
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, &w), 0);
        guest_run(&g);
        pthread_join(thread, NULL);
        assert_cancelled(&g);
        guest_close(&g);
    }
}

/* By the launch itself: its group ends with the time slice, and one of several warps at the next barrier. */
static void test_cancelled_at_once(void **state)
{
    static const char text[] = COUNTING " barrier 1\n addi x7, x7, 1\n li x8, 2000\n bltu x7, x8, loop\n"
                                        " li x8, 1\n sb x8, 64(x5)\n j loop\n";
    enum { QUANTUM = 1000, SLICE = 17 * QUANTUM, ROUND = 5 };
    (void)state;
    for (uint32_t warps = 1; warps <= 4; warps++) {
        struct guest g;
        open_machine(&g, &engine_native, 1, QUANTUM);
        guest_assemble(&g, text);
        memset(g.data, 0, 128);
        g.options.cancel = (_Atomic bool *)(g.data + 16);
        set_shape(&g.launch, warps, 1);
        guest_run(&g);
        assert_cancelled(&g);
        uint64_t beyond = g.result.counters.instructions - warps * ROUNDS * ROUND;
        assert_in_range(beyond, 0, warps == 1 ? SLICE : 100);
        guest_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late),         cmocka_unit_test(test_copies),    cmocka_unit_test(test_quanta),
        cmocka_unit_test(test_two_launches), cmocka_unit_test(test_cancelled), cmocka_unit_test(test_cancelled_at_once),
    };
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
