/* The instruction cache of the Verilog RTL: which way a line is in, which one it takes, and what counts as a use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/abi.h"
#include "timing/model.h"

enum { SET_BYTES = 32 * 8, A = ABI_CODE_BASE, B = A + SET_BYTES, C = B + SET_BYTES /* lines of one set */ };

static struct model model;
static struct core core;

static int setup(void **state)
{
    char why[200];
    *state = NULL;
    core = (struct core){.model = &model};
    model = (struct model){.now = 1};
    if (!timing_config_read(&model.config, "verilog", why, sizeof why)) return 1;
    const struct timing_config *config = &model.config;
    if (!tags_open(&core.front.l1i.tags, config->l1i_sets, config->l1i_ways, config)) return 1;
    l1i_reset(&core);
    return 0;
}

static int teardown(void **state)
{
    tags_close(&core.front.l1i.tags);
    (void)state;
    return 0;
}

static void cycle(void)
{
    model.now++;
    l1i_cycle(&core);
}

/* The memory's answer to the next request comes, and is written at the beginning of a cycle. */
static void answer(uint32_t line)
{
    struct message m;
    assert_true(l1i_message(&core, &m));
    assert_int_equal(m.line, line);
    l1i_answer(&core, &m);
    cycle();
}

static void fill(uint32_t line)
{
    l1i_miss(&core, line);
    answer(line);
    cycle();
}

static const struct tag *way(unsigned n) { return tags_set(&core.front.l1i.tags, A) + n; }

static bool holds(unsigned n, uint32_t line) { return way(n)->valid && way(n)->line == line; }

/* A line that was filled twice is in both ways, and a hit is one of way 0 | way 1. */
static void test_twice(void **state)
{
    l1i_miss(&core, A);
    answer(A);
    l1i_miss(&core, A + 8); /* is given the entry that is being answered, which asks for A again */
    cycle();
    answer(A);
    cycle();
    assert_true(holds(0, A) && holds(1, A));
    assert_true(l1i_lookup(&core, A));
    assert_ptr_equal(core.front.l1i.hit, way(1));
    cycle();
    fill(B);
    assert_true(holds(0, B) && holds(1, A));
    assert_true(l1i_lookup(&core, A) && l1i_lookup(&core, B));
    assert_ptr_equal(core.front.l1i.hit, way(0));
    (void)state;
}

/* The victim is the way that has not been used for the longest time, whether or not another one is free. */
static void test_victim(void **state)
{
    fill(A);
    assert_true(holds(0, A));
    l1i_reset(&core);
    assert_false(l1i_lookup(&core, A));
    fill(B);
    assert_true(!way(0)->valid && holds(1, B));
    fill(A);
    assert_true(holds(0, A) && holds(1, B));
    assert_true(l1i_lookup(&core, A));
    cycle();
    fill(C);
    assert_true(holds(0, A) && holds(1, C));
    (void)state;
}

/* A request in the cycle of its own warp's replay reads no tags: it uses no line, and its warp asks again. */
static void test_replay(void **state)
{
    fill(A);
    for (unsigned slot = 0; slot < 2; slot++) {
        struct front *f = &core.front;
        core.active = 1;
        core.slot[0].pc = A;
        f->stage[0] = (struct fetch_request){0};
        f->stage[1] = (struct fetch_request){.valid = true, .pc = B, .slot = (uint8_t)slot};
        front_decide(&core);
        assert_true(f->replay);
        front_fetch(&core);
        assert_ptr_equal(f->l1i.hit, slot ? way(0) : NULL);
        assert_int_equal(f->stage[0].valid, slot);
        assert_int_equal(core.slot[0].pc, slot ? A + 8 : B);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_twice, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_victim, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_replay, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
