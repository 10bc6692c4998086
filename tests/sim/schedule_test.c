/* Schedulers: what they are asked, that their choices are followed to the instruction, and that results do not
 * depend on them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/observe.h"
#include "sim/schedule.h"

enum { MOST = 4096 };

/* Each warp adds its 32 lanes' ids into a word of its group, 3 times with a barrier behind each. */
static const char program[] = "  lui x5, 0x90000\n  csrr x6, CSR_GIDX\n  slli x6, x6, 2\n  add x5, x5, x6\n"
                              "  vmv.v.x v1, x5\n  vid.v v2\n  li x7, 3\n"
                              "1: amoadd.w v3, v2, (v1)\n  barrier x0, x0, 0\n  addi x7, x7, -1\n  bnez x7, 1b\n"
                              "  endprg\n";

static void open_groups(struct guest *g, const char *source, uint32_t groups, uint32_t warps)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.sms = 1;
    guest_open_config(g, &config);
    guest_assemble(g, source);
    g->launch.groups[0] = groups;
    g->launch.warps = warps;
    g->launch.work_items = 32 * warps;
}

static void run(struct guest *g)
{
    char text[300];
    guest_run(g);
    fault_print(&g->result.fault, text, sizeof text);
    if (g->result.status != LAUNCH_DONE) fail_msg("status %d: %s", (int)g->result.status, text);
}

/* ---- one instruction of each ready warp in turn, over all groups, once the SM is full ---- */

struct fair {
    uint32_t last;          /* warps are numbered through, as they stand in the list of groups */
    uint32_t most_groups;   /* resident at a time */
    uint64_t picks, slices; /* warps picked, slices ended */
    unsigned removed;
    bool wake; /* does not wait for the machine to let warps go on */
};

static struct warp *fair_pick(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    struct fair *f = user;
    struct warp *first = NULL, *next = NULL;
    uint32_t n = 0, ngroups = 0, chosen = 0, first_number = 0;
    assert_int_equal(sm, 0);
    for (struct group *g = groups; g; g = g->next, ngroups++) {
        if (g->next) assert_true(g->wgid < g->next->wgid); /* oldest first */
        if (f->wake) group_wake(g);
        for (uint32_t i = 0; i < g->launch->warps; i++, n++) {
            if (g->warps[i].state != WARP_READY) continue;
            if (!first) first = &g->warps[i], first_number = n;
            if (!next && n > f->last) next = &g->warps[i], chosen = n;
        }
    }
    bool grows = ngroups > f->most_groups;
    if (grows) f->most_groups = ngroups;
    if (grows || !first) return f->slices++, NULL;
    f->last = next ? chosen : first_number;
    f->picks++;
    *budget = 1;
    return next ? next : first;
}

static void fair_removed(void *user, uint32_t sm, const struct group *group)
{
    struct fair *f = user;
    assert_int_equal(sm, 0);
    assert_int_equal(group->ended, group->launch->warps);
    f->removed++;
}

static struct fair run_fairly(struct guest *g, bool wake)
{
    struct fair f = {.wake = wake, .last = UINT32_MAX};
    const struct scheduler s = {&f, fair_pick, fair_removed};
    gpu_schedule(g->gpu, &s);
    run(g);
    return f;
}

/* The words of the groups. */
static void assert_sums(const struct guest *g, uint32_t groups, uint32_t warps)
{
    for (uint32_t i = 0; i < groups; i++) assert_int_equal(g->data[i], 3 * warps * (31 * 32 / 2));
}

static void test_every_instruction_is_picked(void **state)
{
    (void)state;
    for (int wake = 0; wake < 2; wake++) {
        struct guest g;
        open_groups(&g, program, 5, 3);
        struct fair f = run_fairly(&g, wake);
        assert_sums(&g, 5, 3);
        assert_int_equal(f.picks, g.result.counters.instructions);
        assert_int_equal(f.most_groups, 5);
        assert_int_equal(f.removed, 5);
        guest_close(&g);
    }
}

/* ---- what is executed is what was picked ---- */

struct order {
    uint32_t warps[MOST]; /* group << 8 | warp, of each instruction */
    size_t n;
};

static enum observed note(void *user, struct warp *w, const struct insn *in)
{
    struct order *o = user;
    (void)in;
    assert_true(o->n < MOST);
    o->warps[o->n++] = w->group->wgid << 8 | w->wid;
    return GO_ON;
}

/* Three groups of two warps: each instruction is of the next warp, over all groups, as long as all run. */
static void test_warps_alternate(void **state)
{
    struct order o = {.n = 0};
    const struct observer observer = {.user = &o, .before = note};
    struct guest g;
    (void)state;
    open_groups(&g, "  nop\n  nop\n  nop\n  endprg\n", 3, 2);
    g.options.observers = &observer;
    run_fairly(&g, true);
    assert_int_equal(o.n, 3 * 2 * 4);
    for (size_t i = 0; i < 3 * 6 + 2; i++) assert_int_equal(o.warps[i], (i % 6 / 2) << 8 | i % 2);
    guest_close(&g);
}

/* The default runs a group to its end, and a warp to the barrier. */
static void test_default_order(void **state)
{
    static const struct scheduler none = {0};
    struct order o = {.n = 0};
    const struct observer observer = {.user = &o, .before = note};
    struct guest g;
    (void)state;
    open_groups(&g, "  nop\n  barrier x0, x0, 0\n  endprg\n", 2, 2);
    gpu_schedule(g.gpu, &none);
    gpu_schedule(g.gpu, NULL);
    g.options.observers = &observer;
    run(&g);
    static const uint32_t expected[] = {0, 0, 1, 1, 0, 1, 0x100, 0x100, 0x101, 0x101, 0x100, 0x101};
    assert_int_equal(o.n, sizeof expected / sizeof *expected);
    assert_memory_equal(o.warps, expected, sizeof expected);
    guest_close(&g);
}

/* ---- always the oldest ready warp of the SM, for as long as it runs ---- */

static struct warp *oldest(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    (void)user, (void)sm;
    *budget = 1000;
    return guest_oldest_ready(groups);
}

static void test_oldest_first(void **state)
{
    const struct scheduler s = {.pick = oldest};
    struct guest g;
    (void)state;
    open_groups(&g, program, 40, 4);
    gpu_schedule(g.gpu, &s);
    run(&g);
    assert_sums(&g, 40, 4);
    guest_close(&g);
}

/* ---- rounds: the first ready warp is picked, the others of its group follow ---- */

struct rounds {
    uint64_t budget;
    unsigned picks;
};

static struct warp *pick_first(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    struct rounds *r = user;
    struct warp *w = guest_oldest_ready(groups);
    (void)sm;
    *budget = r->budget;
    r->picks += w != NULL;
    return w;
}

/* How often it was picked for one group of four warps, each of which executes 3 nops with a barrier behind the first.
 */
static unsigned count_rounds(uint64_t budget)
{
    struct rounds r = {.budget = budget};
    const struct scheduler s = {&r, pick_first, .rounds = true};
    struct guest g;
    open_groups(&g, "  nop\n  barrier x0, x0, 0\n  nop\n  nop\n  endprg\n", 1, 4);
    gpu_schedule(g.gpu, &s);
    run(&g);
    assert_int_equal(g.result.counters.instructions, 4 * 5);
    guest_close(&g);
    return r.picks;
}

static void test_warps_follow_in_a_round(void **state)
{
    (void)state;
    assert_int_equal(count_rounds(1), 5);
    assert_int_equal(count_rounds(2), 3); /* up to the barrier; the nops; the end */
    assert_int_equal(count_rounds(1000), 2);
}

/* A launch that fails in one group does not run on in the others, whoever is picked. */
static void test_failure_ends_all(void **state)
{
    static const char faulty[] = "  csrr x6, CSR_GIDX\n  li x7, 1\n  bne x6, x7, 1f\n  sw x0, 0(x0)\n1:  j 1b\n";
    struct fair f = {.last = UINT32_MAX};
    const struct scheduler s = {&f, fair_pick, NULL};
    struct guest g;
    (void)state;
    open_groups(&g, faulty, 3, 2);
    gpu_schedule(g.gpu, &s);
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_FAULT);
    assert_int_equal(g.result.fault.group[0], 1);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_instruction_is_picked),
        cmocka_unit_test(test_warps_alternate),
        cmocka_unit_test(test_default_order),
        cmocka_unit_test(test_oldest_first),
        cmocka_unit_test(test_warps_follow_in_a_round),
        cmocka_unit_test(test_failure_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
