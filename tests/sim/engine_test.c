/* Engines: finding them, which one runs a launch, what one keeps for a machine; and where engines could differ. That
 * they agree on programs is the business of corpus_test and hostile_test, which run all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/machine.h"
#include "toy_engine.h"

/* ---- engines that say who has been called ---- */

static unsigned plain_runs, rich_runs, opened, closed;
static bool host_is_new, no_memory;

static enum stop run_plain(struct sm *sm, struct warp *w, uint64_t budget)
{
    plain_runs++;
    return engine_choose(&engine_step, 0)->run(sm, w, budget);
}

static enum stop run_rich(struct sm *sm, struct warp *w, uint64_t budget)
{
    rich_runs++;
    return engine_choose(&engine_step, NEEDS_HOOKS | NEEDS_FLAGS)->run(sm, w, budget);
}

static bool is_new(void) { return host_is_new; }

static void *open_data(struct gpu *gpu)
{
    opened++;
    return no_memory ? NULL : gpu;
}

static void close_data(void *data)
{
    assert_non_null(data);
    closed++;
}

/* For new hosts alone: launches without needs, and those with observers. */
static const struct engine_build new_builds[] = {
    {"plain", is_new, 0, run_plain}, {"rich", is_new, NEEDS_HOOKS, run_rich}, {0}};
static const struct engine new_engine = {"new", "for new hosts", new_builds, open_data, close_data};

static int reset(void **state)
{
    (void)state;
    plain_runs = rich_runs = opened = closed = 0;
    host_is_new = true;
    no_memory = false;
    return 0;
}

static enum observed ignore(void *user, struct warp *w, const struct insn *in)
{
    (void)user, (void)w, (void)in;
    return GO_ON;
}

static const struct observer observer = {.before = ignore};

static void run_done(struct guest *g, const char *source)
{
    guest_assemble(g, source);
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_DONE);
}

/* ---- the list ---- */

static void test_names(void **state)
{
    const struct engine *found = &new_engine;
    char names[64], cut[7];
    (void)state;
    assert_true(engine_find("step", &found));
    assert_ptr_equal(found, &engine_step);
    assert_true(engine_find("auto", &found));
    assert_null(found);
    assert_false(engine_find("", &found));
    assert_false(engine_find("toy", &found));
    assert_int_equal(engine_names(names, sizeof names), strlen("auto, native, step"));
    assert_string_equal(names, "auto, native, step");
    assert_int_equal(engine_names(cut, sizeof cut), strlen("auto, native, step"));
    assert_string_equal(cut, "auto, ");
    for (const struct engine *const *e = engines; *e; e++) {
        assert_true(engine_find((*e)->name, &found));
        assert_ptr_equal(found, *e);
    }
}

/* `step` runs on every host whatever a launch needs. */
static void test_step_runs_all(void **state)
{
    (void)state;
    assert_true(engine_usable(&engine_step));
    for (unsigned needs = 0; needs < 8; needs++) assert_non_null(engine_choose(&engine_step, needs));
}

/* A launch goes to the first build that offers what it needs, and to `step` if there is none. */
static void test_choice(void **state)
{
    struct gpu_config config;
    struct guest g;
    (void)state;
    gpu_config_default(&config);
    config.engine = &new_engine;
    assert_null(gpu_config_check(&config));
    guest_open_config(&g, &config);
    run_done(&g, " endprg\n");
    assert_int_equal(plain_runs, 1);
    g.options.observers = &observer;
    run_done(&g, " endprg\n");
    assert_int_equal(rich_runs, 1);
    run_done(&g, " csrr x5, fflags\n endprg\n"); /* flags can be seen */
    assert_int_equal(plain_runs + rich_runs, 2);
    host_is_new = false;
    assert_non_null(gpu_config_check(&config));
    assert_ptr_equal(engine_choose(&new_engine, 0), engine_choose(&engine_step, 0));
    guest_close(&g);
}

/* What an engine keeps lives as long as the machine uses it. */
static void test_open_and_close(void **state)
{
    struct gpu_config config;
    const char *why = NULL;
    struct guest g;
    (void)state;
    gpu_config_default(&config);
    config.engine = &new_engine;
    guest_open_config(&g, &config);
    assert_int_equal(opened, 1);
    assert_ptr_equal(g.gpu->engine_data, g.gpu);
    assert_true(engine_use(g.gpu, &engine_toy));
    assert_int_equal(closed, 1);
    no_memory = true;
    assert_false(engine_use(g.gpu, &new_engine));
    assert_ptr_equal(g.gpu->engine, &engine_toy);
    assert_null(gpu_create(&config, &why));
    assert_non_null(strstr(why, "engine"));
    no_memory = false;
    assert_true(engine_use(g.gpu, &new_engine));
    guest_close(&g);
    assert_int_equal(opened, 4);
    assert_int_equal(closed, 2);
}

/* ---- where engines could differ ---- */

/* A private access: lane 0 would be of closed memory, lane 1 leaves its word, which is found first. */
static void test_alignment_first(void **state)
{
    struct guest_engine e;
    struct guest g;
    (void)state;
    guest_open(&g);
    for (unsigned n = 0; guest_any_engine(n, &e); n++) {
        assert_true(engine_use(g.gpu, &e.engine));
        g.launch.pds_base = GUEST_DATA;
        guest_assemble(&g, " lui x5, 0x1000\n vid.v v1\n vadd.vx v1, v1, x5\n vsw.v v2, 0(v1)\n endprg\n");
        guest_run(&g);
        assert_int_equal(g.result.fault.kind, FAULT_MISALIGNED);
        assert_int_equal(g.result.fault.lane, 1);
        engine_leave(g.gpu);
    }
    guest_close(&g);
}

/* A program for two warps that take turns after each instruction. */
static void open_alternating(struct guest *g, const char *source)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.quantum = 1;
    guest_open_config(g, &config);
    guest_assemble(g, source);
    g->launch.warps = 2;
    g->launch.work_items = 64;
}

/* With a quantum of one, warps alternate instruction by instruction: both of them add to what the word was at first. */
static void test_budget_of_one(void **state)
{
    struct guest_engine e;
    struct guest g;
    (void)state;
    open_alternating(&g, " lui x5, 0x90000\n lw x6, 0(x5)\n addi x6, x6, 1\n sw x6, 0(x5)\n endprg\n");
    for (unsigned n = 0; guest_any_engine(n, &e); n++) {
        assert_true(engine_use(g.gpu, &e.engine));
        g.data[0] = 0;
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(g.data[0], 1);
        engine_leave(g.gpu);
    }
    guest_close(&g);
}

/* Warps that round in different directions, down and up, take turns: 1 + 2^-25 of each is what it asks for. */
static void test_rounding_of_each_warp(void **state)
{
    struct guest_engine e;
    struct guest g;
    (void)state;
    open_alternating(&g, " csrr x5, CSR_WID\n lui x6, 0x90000\n slli x7, x5, 2\n add x6, x6, x7\n addi x8, x5, 2\n"
                         " csrw frm, x8\n lui x9, 0x3f800\n lui x10, 0x33000\n vmv.v.x v1, x9\n"
                         " vfadd.vf v1, v1, x10\n vmv.x.s x11, v1\n sw x11, 0(x6)\n endprg\n");
    for (unsigned n = 0; guest_any_engine(n, &e); n++) {
        assert_true(engine_use(g.gpu, &e.engine));
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(g.data[0], 0x3f800000);
        assert_int_equal(g.data[1], 0x3f800001);
        engine_leave(g.gpu);
    }
    guest_close(&g);
}

/* ---- what observers are told of accesses ---- */

struct told {
    uint32_t lanes, size, write, atomic, addr;
};

static struct told told[16];
static unsigned ntold;

static void note_access(void *user, const struct warp *w, const struct insn *in, const struct access *a)
{
    (void)user, (void)w, (void)in;
    assert_true(ntold < 16);
    told[ntold++] = (struct told){a->lanes, a->size, a->write, a->atomic, a->addr[0]};
}

/* Each access once, before it happens, and none of an instruction for which no lane is active. */
static void test_announcements(void **state)
{
    static const char source[] =
        " lui x5, 0x90000\n vid.v v1\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, x5\n lw x6, 4(x5)\n sb x6, 9(x5)\n"
        " vlh12.v v2, 2(v1)\n vsw12.v v2, 4(v1)\n amoadd.w v3, v2, (v1)\n lr.w v3, (v1)\n vle32.v v2, (x5)\n"
        " vsetivli x0, 0, e32, m1\n vlh12.v v2, 2(v1)\n vsw12.v v2, 4(v1)\n amoadd.w v3, v2, (v1)\n lr.w v3, (v1)\n"
        " endprg\n";
    static const struct told want[] = {
        {0, 4, 0, 0, GUEST_DATA + 4},   {0, 1, 1, 0, GUEST_DATA + 9}, {~0u, 2, 0, 0, GUEST_DATA + 2},
        {~0u, 4, 1, 0, GUEST_DATA + 4}, {~0u, 4, 1, 1, GUEST_DATA},   {~0u, 4, 0, 1, GUEST_DATA},
        {~0u, 4, 0, 0, GUEST_DATA},
    };
    const struct observer watch = {.access = note_access};
    struct guest_engine e;
    struct guest g;
    (void)state;
    guest_open(&g);
    g.options.observers = &watch;
    for (unsigned n = 0; guest_any_engine(n, &e); n++) {
        assert_true(engine_use(g.gpu, &e.engine));
        ntold = 0;
        run_done(&g, source);
        assert_int_equal(ntold, sizeof want / sizeof *want);
        assert_memory_equal(told, want, sizeof want);
        engine_leave(g.gpu);
    }
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_names, reset),
        cmocka_unit_test_setup(test_step_runs_all, reset),
        cmocka_unit_test_setup(test_choice, reset),
        cmocka_unit_test_setup(test_open_and_close, reset),
        cmocka_unit_test_setup(test_alignment_first, reset),
        cmocka_unit_test_setup(test_budget_of_one, reset),
        cmocka_unit_test_setup(test_rounding_of_each_warp, reset),
        cmocka_unit_test_setup(test_announcements, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
