/* Launches that run at the same time on the modelled hardware: they share the SMs and the clock, each has its own begin
 * and end, and what they compute is what they compute without the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "sim/observe.h"
#include "tests/sim/guest.h"
#include "timing/timing.h"

/* Kernels: one that never ends, one whose group 0 fails after as many rounds as its word says while the others end at
 * once, one that counts its group's word up, one with accesses to memory and to local memory, and without an active
 * lane, and one whose groups store to lines of their own but for group 0, which fails after as many rounds as its word
 * says, none: not at all. */
// clang-format off
static const char programs[] =
    "1: j 1b\n"
    "  csrr x5, CSR_KNL\n  csrr x6, CSR_GIDX\n  bnez x6, 4f\n  lw x8, 0(x5)\n"
    "3: addi x8, x8, -1\n  bnez x8, 3b\n  lui x5, 0x20000\n  lw x5, 0(x5)\n"
    "4: endprg\n"
    "  csrr x5, CSR_KNL\n  csrr x6, CSR_GIDX\n  slli x6, x6, 2\n  add x5, x5, x6\n  li x8, 200\n"
    "2: lw x7, 0(x5)\n  add x7, x7, x8\n  sw x7, 0(x5)\n  addi x8, x8, -1\n  bnez x8, 2b\n"
    "  endprg\n"
    "  csrr x5, CSR_KNL\n  csrr x6, CSR_GIDX\n  slli x6, x6, 7\n  add x5, x5, x6\n  csrr x10, CSR_LDS\n  li x8, 20\n"
    "5: lw x7, 0(x5)\n  vle32.v v1, (x5), v0.t\n  lw x9, 0(x10)\n  vle32.v v2, (x5)\n  addi x8, x8, -1\n  bnez x8, 5b\n"
    "  endprg\n"
    "  csrr x5, CSR_KNL\n  csrr x6, CSR_GIDX\n  lw x8, 0(x5)\n  beqz x6, 7f\n  li x8, 32\n  slli x6, x6, 12\n  add x5, x5, x6\n"
    "6: sw x8, 0(x5)\n  addi x5, x5, 128\n  addi x8, x8, -1\n  bnez x8, 6b\n  endprg\n"
    "7: beqz x8, 8f\n9: addi x8, x8, -1\n  bnez x8, 9b\n  lui x5, 0x20000\n  lw x5, 0(x5)\n8: endprg\n";
// clang-format on
enum {
    ENDLESS = ABI_CODE_BASE,
    FAILING = ENDLESS + 4,
    COUNTING = FAILING + 36,
    MASKED = COUNTING + 44,
    STORING = MASKED + 52
};
enum { COUNTED = 200 * 201 / 2 };
enum { GROUPS = 2, SLOTS = 16, MOST = 4 };

/* A machine with jobs that it is given as their time comes. */
struct bench {
    struct guest g;
    struct model *model;
    struct job jobs[MOST];
    unsigned first, late; /* how many jobs are there from the beginning, and behind how many ends another one comes */
    unsigned given, ended, njobs, asked;
    _Atomic bool cancel;
};

static void open_bench(struct bench *b, unsigned sms, const char *model)
{
    char why[300];
    struct gpu_config config;
    *b = (struct bench){0};
    gpu_config_default(&config);
    config.sms = sms;
    config.warps_per_sm = config.groups_per_sm = SLOTS;
    config.host_threads = 1;
    guest_open_config(&b->g, &config);
    if (model) b->model = timing_open(b->g.gpu, model, NULL, why, sizeof why);
    if (model && !b->model) fail_msg("%s", why);
    guest_assemble(&b->g, programs);
}

static void close_bench(struct bench *b)
{
    char why[300];
    assert_true(timing_close(b->model, b->g.gpu, why, sizeof why));
    guest_close(&b->g);
}

/* One more job; its words are its own. */
static struct job *add(struct bench *b, uint32_t start_pc, uint32_t groups)
{
    struct job *j = &b->jobs[b->njobs];
    *j = (struct job){.launch = b->g.launch};
    j->launch.start_pc = start_pc;
    j->launch.knl = GUEST_DATA + 1024 * b->njobs++;
    j->launch.groups[0] = groups;
    b->first++;
    return j;
}

static struct job *next(void *user)
{
    struct bench *b = user;
    bool comes = b->given < b->first || (b->given < b->njobs && (b->late ? b->ended >= b->late : b->asked++ == 3));
    return comes ? &b->jobs[b->given++] : NULL;
}

static void done(void *user, struct job *job)
{
    struct bench *b = user;
    (void)job;
    b->cancel |= ++b->ended == b->njobs - 1;
}

static const struct timing_launch *run(struct bench *b)
{
    size_t n = b->njobs;
    gpu_run(b->g.gpu, &(struct job_source){b, next, done});
    assert_int_equal(b->ended, b->njobs);
    const struct timing_launch *launches = b->model ? timing_launches(b->model, &n) : NULL;
    assert_int_equal(n, b->njobs);
    return launches;
}

static void assert_counted(const struct bench *b, unsigned job)
{
    assert_int_equal(b->jobs[job].result.status, LAUNCH_DONE);
    for (unsigned i = 0; i < b->jobs[job].launch.groups[0]; i++) assert_int_equal(b->g.data[256 * job + i], COUNTED);
}

static uint64_t end_of(const struct timing_launch *l) { return l->begun + l->cycles; }

/* The cycles of a launch of `groups` groups alone. */
static uint64_t cycles_alone(unsigned sms, const char *model, uint32_t groups)
{
    struct bench b;
    open_bench(&b, sms, model);
    add(&b, COUNTING, groups);
    uint64_t cycles = run(&b)->cycles;
    close_bench(&b);
    return cycles;
}

/* ---- what overlaps ---- */

/* Two launches on `sms` SMs from the beginning; the cycles from the first request to the last response. */
static uint64_t cycles_of_two(unsigned sms, struct timing_launch two[2])
{
    struct bench b, plain;
    open_bench(&b, sms, "large");
    open_bench(&plain, sms, NULL);
    for (int i = 0; i < 2; i++) {
        add(&b, COUNTING, GROUPS);
        add(&plain, COUNTING, GROUPS);
    }
    assert_true(gpu_most_launches(b.g.gpu) >= 2);
    memcpy(two, run(&b), 2 * sizeof *two);
    run(&plain);
    for (unsigned i = 0; i < 2; i++) {
        assert_counted(&b, i);
        assert_memory_equal(&b.jobs[i].result.counters, &plain.jobs[i].result.counters, sizeof(struct counters));
    }
    assert_memory_equal(b.g.data, plain.g.data, GUEST_BYTES);
    close_bench(&b);
    close_bench(&plain);
    return end_of(&two[1]) - two[0].begun;
}

/* Each has half of the SMs: both together take hardly longer than one. */
static void test_halves(void **state)
{
    struct timing_launch two[2];
    (void)state;
    uint64_t alone = cycles_alone(2 * GROUPS, "large", GROUPS), both = cycles_of_two(2 * GROUPS, two);
    assert_in_range(both, alone, alone * 11 / 10);
    assert_int_equal(two[0].begun, two[1].begun);
}

/* They share an SM, which has room for both. */
static void test_one_sm(void **state)
{
    struct timing_launch two[2];
    (void)state;
    uint64_t alone = cycles_alone(1, "large", GROUPS), both = cycles_of_two(1, two);
    assert_in_range(both, alone + 1, 2 * alone * 9 / 10);
    assert_true(two[1].begun < end_of(&two[0]));
}

static void test_same_again(void **state)
{
    struct timing_launch two[2], again[2];
    (void)state;
    cycles_of_two(3, two);
    cycles_of_two(3, again);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(two[i].begun, again[i].begun);
        assert_int_equal(two[i].cycles, again[i].cycles);
        assert_memory_equal(&two[i].counts, &again[i].counts, sizeof two[i].counts);
    }
}

/* ---- what comes later ---- */

/* What is given to the machine when another launch has ended begins behind that one's response, beside a third. */
static void test_in_order(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, 2 * GROUPS, "large");
    add(&b, COUNTING, GROUPS);
    add(&b, ENDLESS, GROUPS)->options.cancel = &b.cancel;
    add(&b, COUNTING, GROUPS);
    b.first = 2;
    b.late = 1;
    const struct timing_launch *l = run(&b);
    assert_counted(&b, 0);
    assert_counted(&b, 2);
    assert_int_equal(b.jobs[1].result.status, LAUNCH_CANCELLED);
    assert_int_equal(l[1].begun, end_of(&l[0]));
    assert_int_equal(l[2].begun, l[0].begun);
    assert_in_range(l[1].cycles, l[0].cycles * 9 / 10, l[0].cycles);
    assert_true(end_of(&l[1]) <= end_of(&l[2]));
    close_bench(&b);
}

/* An SM with work to do still looks for new launches. */
static void test_late(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, 1, "large");
    add(&b, ENDLESS, 1)->options.cancel = &b.cancel;
    add(&b, COUNTING, GROUPS);
    b.first = 1;
    const struct timing_launch *l = run(&b);
    assert_counted(&b, 1);
    assert_int_equal(b.jobs[0].result.status, LAUNCH_CANCELLED);
    assert_true(l[0].begun > l[1].begun && end_of(&l[0]) <= end_of(&l[1]));
    close_bench(&b);
}

/* The hardware of the measurements runs one kernel at a time. */
static void test_one_by_one(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, 1, "verilog");
    assert_int_equal(gpu_most_launches(b.g.gpu), 1);
    close_bench(&b);
}

/* ---- ends before their time ---- */

/* A launch that fails after `rounds` rounds takes nothing from the one that it shares the SM with, nor from the one
 * that has waited for its slots and gets them while its instructions are on their way. */
static void fail_after(uint32_t rounds, uint64_t alone)
{
    struct bench b;
    open_bench(&b, 1, "ideal");
    add(&b, COUNTING, GROUPS);
    add(&b, FAILING, 1000);
    add(&b, COUNTING, SLOTS - GROUPS);
    b.g.data[256] = rounds;
    const struct timing_launch *l = run(&b);
    assert_counted(&b, 0);
    assert_counted(&b, 2);
    assert_int_equal(b.jobs[1].result.status, LAUNCH_FAULT);
    assert_true(end_of(&l[0]) < end_of(&l[1]) && end_of(&l[1]) < end_of(&l[2]));
    for (int i = 1; i < 3; i++) {
        assert_false(l[i].hung);
        assert_in_range(l[i].cycles, alone / 4, alone * 11 / 10);
    }
    close_bench(&b);
}

/* What a launch that failed has left on its way is gone when the next one begins: it points to code that is forgotten
 * then, which a build with sanitizers sees. */
static void test_after_failure(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, 1, "ideal");
    add(&b, FAILING, 1000);
    add(&b, COUNTING, SLOTS);
    b.first = b.late = 1;
    b.g.data[0] = 20;
    const struct timing_launch *l = run(&b);
    assert_counted(&b, 1);
    assert_int_equal(b.jobs[0].result.status, LAUNCH_FAULT);
    assert_true(l[1].begun >= end_of(&l[0]));
    assert_false(l[1].hung);
    close_bench(&b);
}

/* The warps of a launch that begins while others run are all handed to an SM that a failed one has left. */
static void test_begins_after_failure(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, 1, "ideal");
    add(&b, COUNTING, GROUPS);
    add(&b, FAILING, 1);
    struct job *later = add(&b, COUNTING, 1);
    later->launch.warps = 2;
    later->launch.work_items = 64;
    b.first = 2;
    b.late = 1;
    b.g.data[256] = 1;
    const struct timing_launch *l = run(&b);
    assert_counted(&b, 0);
    assert_int_equal(later->result.status, LAUNCH_DONE);
    assert_true(l[2].begun == end_of(&l[0]) && l[2].begun < end_of(&l[1])); /* in the order of their ends */
    assert_false(l[2].hung);
    close_bench(&b);
}

/* A launch of STORING alone, whose group 0 ends or fails; the machine has had others. */
static uint64_t store(struct bench *b, uint32_t rounds, enum launch_status expected)
{
    b->njobs = b->first = b->given = b->ended = 0;
    timing_forget(b->model);
    add(b, STORING, 12);
    b->g.data[0] = rounds;
    const uint64_t cycles = run(b)->cycles;
    assert_int_equal(b->jobs[0].result.status, expected);
    return cycles;
}

/* Nobody waits for writes that were under way when a launch failed: their entries are free again. */
static void test_writes_after_failure(void **state)
{
    struct bench b;
    uint64_t first = 0;
    (void)state;
    open_bench(&b, 1, "verilog");
    for (unsigned i = 0; i < 25; i++) {
        for (uint32_t rounds = 60; rounds < 68; rounds++) store(&b, rounds, LAUNCH_FAULT);
        const uint64_t cycles = store(&b, 0, LAUNCH_DONE);
        if (!i) first = cycles;
        assert_int_equal(cycles, first);
    }
    close_bench(&b);
}

static void test_failure(void **state)
{
    (void)state;
    uint64_t alone = cycles_alone(1, "ideal", SLOTS);
    for (uint32_t rounds = 10; rounds < 40; rounds++) fail_after(rounds, alone);
}

/* ---- an end at last ---- */

/* An access without lanes is over at once, also when another one gets its last line in the same cycle; those beside it
 * go where their own addresses are. */
static void run_masked(const char *model)
{
    enum { ROUNDS = 20 * SLOTS };
    struct bench b;
    open_bench(&b, 1, model);
    add(&b, MASKED, SLOTS)->launch.lds_bytes = 1024;
    const struct timing_launch *l = run(&b);
    assert_false(l->hung);
    assert_int_equal(l->counts.memory_instructions, 4 * ROUNDS);
    assert_int_equal(l->counts.l1d_instructions, 2 * ROUNDS);
    assert_int_equal(l->counts.lds_instructions, ROUNDS);
    close_bench(&b);
}

static void test_accesses(void **state)
{
    (void)state;
    run_masked("large");
    run_masked("chisel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_one_sm),
        cmocka_unit_test(test_same_again),
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_one_by_one),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_after_failure),
        cmocka_unit_test(test_begins_after_failure),
        cmocka_unit_test(test_writes_after_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
