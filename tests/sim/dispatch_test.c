/* Dispatch against a model: how many work-groups are resident at once under which resources, several jobs on
 * one machine, host threads, and cancelling.
 *
 * Residency is made visible by a program whose groups wait for one another: it ends exactly if as many as it
 * waits for can be resident. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <time.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/machine.h"

/* Every work-item counts itself in word 0; a warp ends when word 0 has reached word 1. */
static const char rendezvous[] = " lui x5, 0x90000\n vmv.v.x v1, x5\n vmv.v.i v2, 1\n amoadd.w v3, v2, (v1)\n"
                                 " lw x6, 4(x5)\nspin: lw x7, 0(x5)\n bltu x7, x6, spin\n endprg\n";

/* Each group writes where its local memory is, which says on which SM it runs. */
static const char places[] = " csrr x6, CSR_LDS\n lui x5, 0x90000\n csrr x7, CSR_GIDX\n slli x7, x7, 2\n"
                             " add x5, x5, x7\n sw x6, 0(x5)\n endprg\n";

/* ---- a host thread that cancels after a while ---- */

struct alarm {
    _Atomic bool cancel;
    uint32_t milliseconds;
    const uint32_t *word; /* the while begins when the word has `value`; NULL: at once */
    uint32_t value;
    pthread_t thread;
};

static void rest(uint32_t milliseconds)
{
    struct timespec t = {.tv_nsec = (long)milliseconds * 1000000};
    nanosleep(&t, NULL);
}

static void *alarm_main(void *user)
{
    struct alarm *a = user;
    for (int i = 0; i < 5000 && a->word && __atomic_load_n(a->word, __ATOMIC_RELAXED) < a->value; i++) rest(1);
    rest(a->milliseconds);
    a->cancel = true;
    return NULL;
}

/* The thread of an alarm whose fields say when. */
static void alarm_begin(struct alarm *a) { assert_int_equal(pthread_create(&a->thread, NULL, alarm_main, a), 0); }

static void alarm_start(struct alarm *a, uint32_t milliseconds)
{
    *a = (struct alarm){.milliseconds = milliseconds};
    alarm_begin(a);
}

static void alarm_end(struct alarm *a) { pthread_join(a->thread, NULL); }

/* ---- admission ---- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t rows(uint32_t registers) { return (registers + 3) / 4 * 4; }

/* Work-groups that the machine holds at once. */
static uint32_t capacity(const struct gpu_config *c, const struct launch *l)
{
    uint32_t n = least(c->groups_per_sm, c->warps_per_sm / l->warps);
    n = least(n, c->vgpr_rows / (l->warps * rows(l->vgprs)));
    n = least(n, c->sgpr_rows / (l->warps * rows(l->sgprs)));
    if (l->lds_bytes) n = least(n, c->lds_bytes / l->lds_bytes);
    n *= c->sms;
    return l->pds_groups ? least(n, l->pds_groups) : n;
}

static uint32_t among(uint32_t low, uint32_t high) { return low + guest_random() % (high - low + 1); }

static struct gpu_config random_machine(void)
{
    struct gpu_config c;
    gpu_config_default(&c);
    c.sms = among(1, 4);
    c.groups_per_sm = among(1, 8);
    c.warps_per_sm = among(4, 16);
    c.vgpr_rows = among(64, 512);
    c.sgpr_rows = among(64, 256);
    c.lds_bytes = among(4096, 65536);
    c.quantum = among(1, 2000);
    return c;
}

static void random_launch(const struct gpu_config *c, struct launch *l)
{
    do {
        l->warps = among(1, 4);
        l->vgprs = among(4, 40);
        l->sgprs = among(8, 64);
        l->lds_bytes = guest_random() % 3 ? among(0, 16384) : 0;
        l->work_items = l->warps * 32 - guest_random() % 32;
        l->pds_groups = guest_random() % 3 ? 0 : among(1, 6);
    } while (!capacity(c, l));
}

static void invite(struct guest *g, uint32_t groups)
{
    g->launch.groups[0] = groups;
    g->data[0] = 0;
    g->data[1] = groups * g->launch.work_items;
}

static void meet(struct guest *g, uint32_t groups)
{
    invite(g, groups);
    guest_run(g);
}

static void test_admission(void **state)
{
    (void)state;
    for (int round = 0; round < 25; round++) {
        struct gpu_config c = random_machine();
        struct guest g;
        struct alarm alarm;
        guest_open_config(&g, &c);
        guest_assemble(&g, rendezvous);
        random_launch(&c, &g.launch);
        uint32_t n = capacity(&c, &g.launch);
        meet(&g, n);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(g.result.counters.groups, n);
        assert_int_equal(g.data[0], n * g.launch.work_items);
        invite(&g, n + 1); /* the last one will find no room: the others wait for ever */
        alarm = (struct alarm){.milliseconds = 20, .word = g.data, .value = n * g.launch.work_items};
        alarm_begin(&alarm);
        g.options.cancel = &alarm.cancel;
        guest_run(&g);
        alarm_end(&alarm);
        assert_int_equal(g.result.status, LAUNCH_CANCELLED);
        assert_int_equal(g.data[0], n * g.launch.work_items);
        guest_close(&g);
    }
}

/* A serial launch has one group at a time, at the base of local memory. */
static void test_serial(void **state)
{
    struct guest g;
    struct alarm alarm;
    (void)state;
    guest_open(&g);
    guest_assemble(&g, rendezvous);
    g.options.serial = true;
    meet(&g, 1);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    alarm_start(&alarm, 20);
    g.options.cancel = &alarm.cancel;
    meet(&g, 2);
    alarm_end(&alarm);
    assert_int_equal(g.result.status, LAUNCH_CANCELLED);
    g.options.cancel = NULL;
    g.launch.groups[0] = 50;
    guest_assemble(&g, places);
    guest_run(&g);
    for (int i = 0; i < 50; i++) assert_int_equal(g.data[i], ABI_LOCAL_BASE);
    guest_close(&g);
}

/* ---- some of the SMs ---- */

enum { PLACED = 40 };

static void assert_places(struct guest *g, const struct gpu_config *c, uint32_t low, uint32_t high)
{
    memset(g->data, 0xff, PLACED * sizeof *g->data);
    g->launch.groups[0] = PLACED;
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_DONE);
    for (int i = 0; i < PLACED; i++) {
        uint32_t sm = (g->data[i] - ABI_LOCAL_BASE) / gpu_config_lds_stride(c) / c->groups_per_sm;
        assert_in_range(sm, low, high);
    }
}

/* Plain, observed and serial launches. */
static void run_on_some(const struct gpu_config *c, uint32_t first, uint32_t sms)
{
    struct guest g;
    const struct observer observer = {0};
    uint32_t most = (sms ? sms : c->sms - first) * c->groups_per_sm;
    guest_open_config(&g, c);
    g.options.first_sm = first;
    g.options.sms = sms;
    guest_assemble(&g, rendezvous);
    meet(&g, most);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    guest_assemble(&g, places);
    assert_places(&g, c, first, first + most / c->groups_per_sm - 1);
    g.options.observers = &observer;
    assert_places(&g, c, first, first + most / c->groups_per_sm - 1);
    g.options.serial = true;
    assert_places(&g, c, first, first);
    guest_close(&g);
}

static void test_some_sms(void **state)
{
    static const uint32_t parts[][2] = {{0, 0}, {0, 1}, {0, 3}, {1, 1}, {1, 2}, {2, 2}, {3, 1}, {3, 0}};
    struct gpu_config c;
    (void)state;
    gpu_config_default(&c);
    c.sms = 4;
    c.groups_per_sm = 4;
    for (c.host_threads = 1; c.host_threads <= 4; c.host_threads++)
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) run_on_some(&c, parts[i][0], parts[i][1]);
}

static void test_sms_that_are_not_there(void **state)
{
    static const uint32_t parts[][2] = {{2, 0}, {2, 1}, {1, 2}, {0, 3}, {UINT32_MAX, 2}, {1, UINT32_MAX}};
    struct guest g;
    (void)state;
    guest_open(&g);
    assert_int_equal(gpu_config_of(g.gpu)->sms, 2);
    guest_assemble(&g, places);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        g.options.first_sm = parts[i][0];
        g.options.sms = parts[i][1];
        guest_run(&g);
        assert_int_equal(g.result.fault.kind, FAULT_LAUNCH);
    }
    guest_close(&g);
}

/* ---- jobs ---- */

/* A source of jobs that may all start at once. */
struct bag {
    struct job *jobs;
    unsigned count, given, done;
    struct job *order[64];
};

static struct job *bag_next(void *user)
{
    struct bag *b = user;
    return b->given < b->count ? &b->jobs[b->given++] : NULL;
}

static void bag_done(void *user, struct job *job)
{
    struct bag *b = user;
    b->order[b->done++] = job;
}

static void run_bag(struct gpu *gpu, struct bag *b)
{
    const struct job_source source = {b, bag_next, bag_done};
    gpu_run(gpu, &source);
    assert_int_equal(b->done, b->count);
}

/* Programs one behind another; job k starts at program k. */
static uint32_t place(struct guest *g, const char *const *programs, unsigned n, uint32_t *entry)
{
    char all[4096] = "";
    for (unsigned i = 0; i < n; i++) {
        strcat(all, programs[i]);
        strcat(all, " .balign 256\n");
    }
    guest_assemble(g, all);
    for (unsigned i = 0; i < n; i++) entry[i] = ABI_CODE_BASE + 256 * i;
    return n;
}

/* The first job's groups wait for a word that the second one writes. */
static void test_jobs_together(void **state)
{
    static const char *const programs[] = {
        " lui x5, 0x90000\nwait: lw x6, 0(x5)\n beq x6, x0, wait\n sw x6, 4(x5)\n endprg\n",
        " lui x5, 0x90000\n li x6, 7\n sw x6, 0(x5)\n endprg\n"};
    uint32_t entry[2];
    struct guest g;
    (void)state;
    guest_open(&g);
    place(&g, programs, 2, entry);
    struct job jobs[2] = {{.launch = g.launch}, {.launch = g.launch}};
    for (int i = 0; i < 2; i++) jobs[i].launch.start_pc = entry[i];
    jobs[0].launch.groups[0] = 4;
    struct bag bag = {.jobs = jobs, .count = 2};
    run_bag(g.gpu, &bag);
    assert_int_equal(jobs[0].result.status, LAUNCH_DONE);
    assert_int_equal(jobs[1].result.status, LAUNCH_DONE);
    assert_int_equal(g.data[1], 7);
    assert_ptr_equal(bag.order[0], &jobs[1]);
    assert_int_equal(jobs[0].result.counters.groups, 4);
    assert_int_equal(jobs[1].result.counters.instructions, 4);
    guest_close(&g);
}

/* One job faults, one does not fit, one is cancelled before it starts: the others do not notice. */
static void test_one_fails_alone(void **state)
{
    static const char *const programs[] = {" lui x5, 0x90000\n csrr x6, CSR_GIDX\n slli x7, x6, 2\n add x7, x7, x5\n "
                                           "addi x6, x6, 1\n sw x6, 64(x7)\n endprg\n",
                                           " lw x5, 16(x0)\n endprg\n"};
    uint32_t entry[2];
    struct guest g;
    _Atomic bool cancel = true;
    (void)state;
    guest_open(&g);
    place(&g, programs, 2, entry);
    struct job jobs[5];
    for (int i = 0; i < 5; i++) jobs[i] = (struct job){.launch = g.launch};
    jobs[0].launch.groups[0] = 40;
    jobs[1].launch.start_pc = entry[1];
    jobs[1].launch.groups[0] = 40;
    jobs[2].launch.warps = 1000;
    jobs[3].options.cancel = &cancel;
    struct bag bag = {.jobs = jobs, .count = 5};
    run_bag(g.gpu, &bag);
    assert_int_equal(jobs[0].result.status, LAUNCH_DONE);
    for (uint32_t i = 0; i < 40; i++) assert_int_equal(g.data[16 + i], i + 1);
    assert_int_equal(jobs[1].result.status, LAUNCH_FAULT);
    assert_int_equal(jobs[1].result.fault.kind, FAULT_READ);
    assert_int_equal(jobs[1].result.fault.addr, 16);
    assert_int_equal(jobs[2].result.fault.kind, FAULT_LAUNCH);
    assert_int_equal(jobs[3].result.status, LAUNCH_CANCELLED);
    assert_int_equal(jobs[4].result.status, LAUNCH_DONE);
    guest_close(&g);
}

/* ---- faults ---- */

/* A machine of 4 SMs on so many threads, with one launch of so many groups. */
static void open_threads(struct guest *g, unsigned threads, uint32_t groups, const char *source)
{
    struct gpu_config c;
    gpu_config_default(&c);
    c.sms = 4;
    c.host_threads = threads;
    guest_open_config(g, &c);
    guest_assemble(g, source);
    memset(g->data, 0, GUEST_BYTES);
    g->launch.groups[0] = groups;
}

/* Groups 3, 10, 17 ... read where nothing is, group 3 long after all others; groups 4, 11, 18 ... take as long as that.
 * On any number of threads the fault is that of group 3, and all in front of it have come to their end. */
static void test_first_group_at_fault(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct guest g;
        open_threads(&g, threads, 1 << 16,
                     " lui x5, 0x90000\n csrr x6, CSR_GIDX\n li x7, 7\n li x8, 3\n li x9, 200000\n remu x7, x6, x7\n"
                     " beq x6, x8, loop\n addi x12, x7, -4\n bnez x12, look\nloop: addi x9, x9, -1\n bnez x9, loop\n"
                     "look: slli x10, x6, 2\n beq x7, x8, bad\n"
                     " bltu x6, x8, mark\n endprg\nmark: add x5, x5, x10\n sw x8, 0(x5)\n endprg\n"
                     "bad: lw x11, 64(x10)\n endprg\n");
        for (int i = 0; i < 20; i++) {
            memset(g.data, 0, 64);
            guest_run(&g);
            assert_int_equal(g.result.status, LAUNCH_FAULT);
            assert_int_equal(g.result.fault.kind, FAULT_READ);
            assert_int_equal(g.result.fault.addr, 64 + 4 * 3);
            assert_int_equal(g.result.fault.group[0], 3);
            for (uint32_t k = 0; k < 3; k++) assert_int_equal(g.data[k], 3);
            assert_true(g.result.counters.groups < 1 << 15);
        }
        guest_close(&g);
    }
}

/* Group 0 waits for group 1, which fails: the fault is that of group 1. A launch behind it runs. */
static void test_wait_for_group_at_fault(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct guest g;
        open_threads(&g, threads, 40,
                     " lui x5, 0x90000\n csrr x6, CSR_GIDX\n bnez x6, bad\n"
                     "loop: lw x7, 0(x5)\n beqz x7, loop\n endprg\nbad: lw x11, 64(x0)\n endprg\n");
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_FAULT);
        assert_int_equal(g.result.fault.group[0], 1);
        guest_assemble(&g, " endprg\n");
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(g.result.counters.groups, 40);
        guest_close(&g);
    }
}

/* ---- callbacks ---- */

/* Whatever mode the guest leaves behind, done is called in the host's. */
static void note_rounding(void *user, struct job *job)
{
    *(int *)job->user = fegetround();
    bag_done(user, job);
}

static void test_rounding_of_callbacks(void **state)
{
    static const char *const programs[] = {" csrrwi x0, frm, 3\n endprg\n", " csrrwi x0, frm, 1\n lw x5, 16(x0)\n"};
    uint32_t entry[2];
    struct guest g;
    (void)state;
    guest_open(&g);
    place(&g, programs, 2, entry);
    for (int i = 0; i < 2; i++) {
        int rounding = -1;
        struct job job = {.launch = g.launch, .user = &rounding};
        job.launch.start_pc = entry[i];
        struct bag bag = {.jobs = &job, .count = 1};
        const struct job_source source = {&bag, bag_next, note_rounding};
        gpu_run(g.gpu, &source);
        assert_int_equal(job.result.status, i ? LAUNCH_FAULT : LAUNCH_DONE);
        assert_int_equal(rounding, FE_TONEAREST);
    }
    guest_close(&g);
}

/* ---- claims ---- */

/* A machine on so many threads of the host whose warps take turns often, with a program. */
static struct gpu_config open_machine(struct guest *g, uint32_t threads, uint64_t quantum, const char *text)
{
    struct gpu_config c;
    gpu_config_default(&c);
    c.host_threads = threads;
    c.quantum = quantum;
    guest_open_config(g, &c);
    guest_assemble(g, text);
    return c;
}

/* Every group counts itself, once: short ones, of which an SM claims several, and every seventh so long that others
 * come beside it on its SM and overtake it. */
static const char counting[] = " csrr x5, CSR_GIDX\n csrr x6, CSR_GIDY\n li x7, 20\n mul x6, x6, x7\n add x5, x5, x6\n"
                               " csrr x14, CSR_WGID\n bne x14, x5, out\n li x7, 7\n remu x8, x5, x7\n li x9, 3\n"
                               " bne x8, x9, short\n li x8, 2000\nloop: addi x8, x8, -1\n bne x8, x0, loop\n"
                               "short: slli x5, x5, 2\n lui x10, 0x90000\n add x10, x10, x5\n vmv.v.x v1, x10\n"
                               " vmv.v.i v2, 1\n amoadd.w v3, v2, (v1)\nout: endprg\n";
enum { COUNTING_GROUPS = 600 };

static void open_counting(struct guest *g, uint32_t threads)
{
    open_machine(g, threads, 20, counting);
    g->launch.groups[0] = 20;
    g->launch.groups[1] = COUNTING_GROUPS / 20;
}

static void test_each_group_once(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct guest g;
        open_counting(&g, threads);
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(g.result.counters.groups, COUNTING_GROUPS);
        for (uint32_t i = 0; i < COUNTING_GROUPS; i++) assert_int_equal(g.data[i], 32);
        guest_close(&g);
    }
}

/* A bag whose jobs are left again and again, and the last time with nothing at work. */
struct left_bag {
    struct bag bag; /* first: bag_next and bag_done know no other */
    unsigned asked, runs;
};

static bool leave_often(void *user)
{
    struct left_bag *b = user;
    return ++b->asked % 10 == 0 || b->bag.done == b->bag.count;
}

static void *run_once(void *both)
{
    void *const *gpu_and_source = both;
    gpu_run(gpu_and_source[0], gpu_and_source[1]);
    return NULL;
}

/* A thread goes on with what the one before has left. */
static void run_left(struct guest *g, struct left_bag *b)
{
    const struct job_source source = {b, bag_next, bag_done, NULL, leave_often};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_once, (void *[]){g->gpu, (void *)&source}), 0);
    pthread_join(thread, NULL);
    b->runs++;
}

static void test_left(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct guest g;
        open_counting(&g, threads);
        struct job jobs[2] = {{.launch = g.launch}, {.launch = g.launch}};
        struct left_bag b = {.bag = {.jobs = jobs, .count = 2}};
        while (b.bag.done < 2) run_left(&g, &b);
        assert_true(b.runs > 2 || threads > 1);
        for (int i = 0; i < 2; i++) assert_int_equal(jobs[i].result.counters.groups, COUNTING_GROUPS);
        for (uint32_t i = 0; i < COUNTING_GROUPS; i++) assert_int_equal(g.data[i], 64);
        guest_close(&g);
    }
}

/* The thread that goes on has nothing to do itself: it calls the other one, whose SM waits for a word. */
static void test_left_to_others(void **state)
{
    struct guest g;
    (void)state;
    open_machine(&g, 2, 100, " lui x5, 0x90000\nwait: lw x6, 0(x5)\n beq x6, x0, wait\n endprg\n");
    struct job job = {.launch = g.launch, .options = {.first_sm = 1}};
    struct left_bag b = {.bag = {.jobs = &job, .count = 1}};
    for (int i = 0; i < 3; i++) run_left(&g, &b);
    assert_int_equal(b.bag.done, 0);
    g.data[0] = 1;
    while (!b.bag.done) run_left(&g, &b);
    assert_int_equal(job.result.status, LAUNCH_DONE);
    guest_close(&g);
}

/* One group reserves a word and waits; when the machine has been left and goes on, the other one stores there what it
 * holds already: the first one's sc.w fails in all lanes. */
static void test_reserved_and_left(void **state)
{
    struct guest g;
    (void)state;
    open_machine(&g, 1, 100,
                 " csrr x5, CSR_GIDX\n li x6, 1\n lui x20, 0x90000\n vmv.v.x v1, x20\n bne x5, x0, other\n"
                 " lr.w v2, (v1)\n sw x6, 4(x20)\nwait: lw x7, 8(x20)\n beq x7, x0, wait\n sc.w v3, v2, (v1)\n"
                 " addi x8, x20, 128\n vse32.v v3, (x8)\n endprg\n"
                 "other: lw x7, 12(x20)\n beq x7, x0, other\n sw x0, 0(x20)\n sw x6, 8(x20)\n endprg\n");
    g.launch.groups[0] = 2;
    struct job job = {.launch = g.launch};
    struct left_bag b = {.bag = {.jobs = &job, .count = 1}};
    while (!g.data[1]) run_left(&g, &b);
    g.data[3] = 1;
    while (!b.bag.done) run_left(&g, &b);
    assert_int_equal(job.result.status, LAUNCH_DONE);
    for (int i = 0; i < 32; i++) assert_int_equal(g.data[32 + i], 1);
    guest_close(&g);
}

/* The last groups wait until all of them have begun, as many as the machine has room for, and SMs claim many groups at
 * a time, because those before have been short. */
static void test_all_are_placed(void **state)
{
    enum { GROUPS = 600 };
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct guest g;
        struct gpu_config c =
            open_machine(&g, threads, 100,
                         " csrr x5, CSR_WGID\n lui x10, 0x90000\n lw x7, 4(x10)\n blt x5, x7, out\n vmv.v.x v1, x10\n"
                         " vmv.v.i v2, 1\n amoadd.w v3, v2, (v1)\n lw x7, 8(x10)\nwait: lw x6, 0(x10)\n"
                         " bne x6, x7, wait\nout: endprg\n");
        uint32_t resident = c.sms * c.groups_per_sm;
        g.data[1] = GROUPS - resident;
        g.data[2] = resident * 32;
        g.launch.groups[0] = GROUPS;
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(g.data[0], resident * 32);
        guest_close(&g);
    }
}

/* Launches end while another SM has a claim on them: short groups, some longer, few of each launch. */
static void test_claims_outlive_no_launch(void **state)
{
    enum { LAUNCHES = 60, TIMES = 30, GROUPS = 24 };
    struct guest g;
    (void)state;
    open_machine(&g, 4, 20,
                 " csrr x5, CSR_WGID\n andi x6, x5, 7\n bne x6, x0, short\n li x8, 60\nloop: addi x8, x8, -1\n"
                 " bne x8, x0, loop\nshort: lui x10, 0x90000\n vmv.v.x v1, x10\n vmv.v.i v2, 1\n"
                 " amoadd.w v3, v2, (v1)\n endprg\n");
    g.launch.groups[0] = GROUPS;
    for (int i = 0; i < TIMES; i++) {
        struct job jobs[LAUNCHES];
        for (int k = 0; k < LAUNCHES; k++) jobs[k] = (struct job){.launch = g.launch};
        struct bag bag = {.jobs = jobs, .count = LAUNCHES};
        run_bag(g.gpu, &bag);
        for (int k = 0; k < LAUNCHES; k++) assert_int_equal(jobs[k].result.counters.groups, GROUPS);
    }
    assert_int_equal(g.data[0], 32 * GROUPS * LAUNCHES * TIMES);
    guest_close(&g);
}

/* ---- host threads ---- */

/* Each work-item writes a hash of its ids to its own word, and adds to a common sum; barriers in between. */
static const char hashes[] =
    " csrr x5, CSR_GIDX\n csrr x6, CSR_TID\n csrr x14, CSR_LDS\n li x7, 96\n mul x8, x5, x7\n add x8, x8, x6\n vid.v "
    "v1\n vadd.vx v1, v1, x8\n"
    " li x9, 0x9e3779b1\n vmul.vx v2, v1, x9\n vsrl.vi v3, v2, 15\n vxor.vv v2, v2, v3\n vmul.vx v2, v2, x9\n"
    " vid.v v7\n vadd.vx v7, v7, x6\n vsll.vi v7, v7, 2\n vadd.vx v7, v7, x14\n vsw12.v v2, 0(v7)\n barrier 1\n "
    "vlw12.v v2, 0(v7)\n"
    " vsll.vi v4, v1, 2\n lui x10, 0x90000\n addi x10, x10, 64\n vadd.vx v4, v4, x10\n vsw12.v v2, 0(v4)\n"
    " lui x10, 0x90000\n vmv.v.x v5, x10\n amoadd.w v6, v2, (v5)\n endprg\n";

static void test_host_threads(void **state)
{
    enum { GROUPS = 100, ITEMS = 96 };
    struct counters first = {0};
    uint32_t *expected = malloc((GROUPS * ITEMS + 16) * 4);
    (void)state;
    assert_non_null(expected);
    for (uint32_t n = 1; n <= 4; n++) {
        struct gpu_config c;
        struct guest g;
        gpu_config_default(&c);
        c.sms = 4;
        c.host_threads = n;
        c.quantum = 50;
        guest_open_config(&g, &c);
        guest_assemble(&g, hashes);
        g.launch.warps = 3;
        g.launch.work_items = ITEMS;
        g.launch.groups[0] = GROUPS;
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        if (n == 1) {
            first = g.result.counters;
            memcpy(expected, g.data, (GROUPS * ITEMS + 16) * 4);
        }
        assert_memory_equal(g.data, expected, (GROUPS * ITEMS + 16) * 4);
        assert_memory_equal(&g.result.counters, &first, sizeof first);
        guest_close(&g);
    }
    assert_int_not_equal(expected[0], 0);
    free(expected);
}

/* Jobs on several threads, one of them observed: its hooks are called from one thread. */
static void count_after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    (void)w, (void)pc, (void)in;
    ++*(uint64_t *)user;
}

static void test_threads_and_hooks(void **state)
{
    struct gpu_config c;
    struct guest g;
    uint64_t seen = 0;
    const struct observer observer = {.user = &seen, .after = count_after};
    (void)state;
    gpu_config_default(&c);
    c.sms = 4;
    c.host_threads = 4;
    guest_open_config(&g, &c);
    guest_assemble(&g, hashes);
    g.launch.warps = 3;
    g.launch.work_items = 96;
    g.launch.groups[0] = 20;
    struct job jobs[3] = {
        {.launch = g.launch}, {.launch = g.launch, .options.observers = &observer}, {.launch = g.launch}};
    struct bag bag = {.jobs = jobs, .count = 3};
    jobs[0].launch.start_pc = jobs[2].launch.start_pc = ABI_CODE_BASE + 4096; /* nothing there */
    run_bag(g.gpu, &bag);
    assert_int_equal(jobs[0].result.fault.kind, FAULT_FETCH);
    assert_int_equal(jobs[1].result.status, LAUNCH_DONE);
    assert_int_equal(seen, jobs[1].result.counters.instructions);
    guest_close(&g);
}

/* ---- cancelling ---- */

/* A source of one endless job, which is cancelled when the machine has asked for the 5th time whether to leave: worker
 * 0 asks whenever its SMs have had their turns. */
struct cancelling {
    struct bag bag; /* first: bag_next and bag_done know no other */
    _Atomic bool cancel;
    uint32_t asked, asked_later;
};

static bool cancel_later(void *user)
{
    struct cancelling *c = user;
    c->asked++;
    c->asked_later += c->cancel;
    c->cancel = c->asked >= 5;
    return false;
}

/* How often the machine has asked again before the job had ended. */
static uint32_t turns_to_cancel(const char *program, uint32_t threads)
{
    struct guest g;
    struct cancelling c = {.bag = {.count = 1}};
    const struct job_source source = {&c, bag_next, bag_done, NULL, cancel_later};
    open_machine(&g, threads, 20, program);
    g.launch.warps = 4;
    g.launch.work_items = 128;
    g.launch.groups[0] = 1000;
    struct job job = {.launch = g.launch, .options = {.cancel = &c.cancel}};
    c.bag.jobs = &job;
    gpu_run(g.gpu, &source);
    assert_int_equal(c.bag.done, 1);
    assert_int_equal(job.result.status, LAUNCH_CANCELLED);
    if (threads == 1) assert_in_range(job.result.counters.instructions, 1, 100000);
    guest_close(&g);
    return c.asked_later;
}

/* No group begins any more, and those that run do so for one turn: one thread needs no second one, of several each ends
 * its own. */
static void test_cancel_in_time(void **state)
{
    static const char *const programs[] = {
        "loop: j loop\n", "loop: barrier 1\n j loop\n", " vid.v v1\n vmv.v.i v2, 7\nloop: vbge v1, v2, loop\n j loop\n",
        " lui x5, 0x90000\n vmv.v.x v1, x5\n vmv.v.i v2, 1\nloop: amoadd.w v3, v2, (v1)\n j loop\n",
        "loop: fence.i\n j loop\n"};
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        assert_in_range(turns_to_cancel(programs[i], 1), 0, 1);
        turns_to_cancel(programs[i], 2);
    }
}

/* ---- code that is dropped while others run it ---- */

/* 0, too, while the machine holds the lock: it may take it again before whoever waits for it has woken up. */
static unsigned kept_pages(struct gpu *gpu)
{
    unsigned n = 0;
    if (pthread_mutex_trylock(&gpu->code_lock)) return 0;
    for (const struct code_page *p = gpu->code_dropped; p; p = p->next) n++;
    pthread_mutex_unlock(&gpu->code_lock);
    return n;
}

/* The page that an SM is in, whichever of them, is kept until it has left. */
static void test_dropped_page(void **state)
{
    enum { SMS = 3 };
    struct gpu_config c;
    struct guest g;
    (void)state;
    gpu_config_default(&c);
    c.sms = SMS;
    guest_open_config(&g, &c);
    guest_assemble(&g, " endprg\n");
    for (unsigned i = 0; i < SMS; i++) {
        const struct code_page *page = code_page(&g.gpu->sms[i], ABI_CODE_BASE);
        assert_non_null(page);
        code_drop(g.gpu);
        assert_int_equal(kept_pages(g.gpu), 1);
        assert_ptr_equal(g.gpu->code_dropped, page);
        code_leave(g.gpu);
        assert_int_equal(kept_pages(g.gpu), 0);
    }
    guest_close(&g);
}

/* Looks until the guest has dropped code often enough, which it counts. */
struct watch {
    struct gpu *gpu;
    const uint32_t *count;
    unsigned most;
    _Atomic bool cancel;
};

enum { ITEMS = 32, DROPS = 300 };

static void *watch_main(void *user)
{
    struct watch *w = user;
    while (__atomic_load_n(w->count, __ATOMIC_RELAXED) < ITEMS * DROPS) {
        unsigned n = kept_pages(w->gpu);
        if (n > w->most) w->most = n;
    }
    w->cancel = true;
    return NULL;
}

/* However often fence.i is executed, no more dropped pages are kept than there are SMs to be in one. */
static void test_dropped_code(void **state)
{
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct gpu_config c;
        struct guest g;
        pthread_t thread;
        (void)state;
        gpu_config_default(&c);
        c.sms = 4;
        c.host_threads = threads;
        guest_open_config(&g, &c);
        guest_assemble(&g, " lui x5, 0x90000\n vmv.v.x v1, x5\n vmv.v.i v2, 1\nloop: fence.i\n j next\n"
                           " .balign 4096\nnext: fence.i\n amoadd.w v3, v2, (v1)\n j loop\n");
        struct watch w = {.gpu = g.gpu, .count = g.data};
        g.data[0] = 0;
        g.options.cancel = &w.cancel;
        g.launch.groups[0] = 8;
        assert_int_equal(pthread_create(&thread, NULL, watch_main, &w), 0);
        guest_run(&g);
        pthread_join(thread, NULL);
        assert_int_equal(g.result.status, LAUNCH_CANCELLED);
        assert_true(w.most <= c.sms);
        assert_int_equal(kept_pages(g.gpu), 0);
        guest_close(&g);
    }
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission), cmocka_unit_test(test_serial), cmocka_unit_test(test_some_sms),
        cmocka_unit_test(test_sms_that_are_not_there), cmocka_unit_test(test_jobs_together),
        cmocka_unit_test(test_one_fails_alone), cmocka_unit_test(test_first_group_at_fault),
        cmocka_unit_test(test_wait_for_group_at_fault), cmocka_unit_test(test_rounding_of_callbacks),
        cmocka_unit_test(test_each_group_once), cmocka_unit_test(test_left), cmocka_unit_test(test_left_to_others),
        cmocka_unit_test(test_reserved_and_left), cmocka_unit_test(test_all_are_placed),
        cmocka_unit_test(test_claims_outlive_no_launch),
        cmocka_unit_test(test_host_threads), cmocka_unit_test(test_threads_and_hooks),
        cmocka_unit_test(test_cancel_in_time), cmocka_unit_test(test_dropped_page), cmocka_unit_test(test_dropped_code),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, NULL, NULL);
}
