/* In which cycles local memory answers a row, and in which it takes no other one: recorded launches lack a load with
 * conflicts that is followed by another access at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "timing/model.h"

enum { LANES = 4, TAKEN = 100 /* in this cycle the row is taken */ };

static void test_rows(void **state)
{
    static const struct {
        uint32_t word[LANES]; /* of the lanes */
        enum access_kind kind;
        unsigned served; /* so many times lanes are served together */
        unsigned last;   /* no row from the second cycle to this one */
    } rows[] = {
        {{0, 1, 2, 3}, A_READ, 1, 1},  {{0, 1, 2, 0}, A_READ, 2, 2},  {{5, 5, 1, 5}, A_READ, 3, 3},
        {{7, 7, 7, 7}, A_READ, 4, 4},  {{0, 1, 2, 3}, A_WRITE, 1, 2}, {{0, 1, 2, 0}, A_WRITE, 2, 3},
        {{5, 5, 1, 5}, A_WRITE, 3, 4}, {{7, 7, 7, 7}, A_WRITE, 4, 5},
    };
    static struct model model;
    static struct core core;
    char why[200];
    assert_true(timing_config_read(&model.config, "verilog", why, sizeof why));
    model.config.line_bytes = 32;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct flight flight = {0};
        const struct line_access row = {.kind = rows[i].kind, .flight = &flight, .lanes = (1u << LANES) - 1};
        for (unsigned lane = 0; lane < LANES; lane++) flight.address[lane] = 4 * rows[i].word[lane];
        core = (struct core){.model = &model};
        model.now = TAKEN;
        lds_take(&core, &row);
        assert_int_equal(core.lds.answers.count, rows[i].served);
        for (unsigned k = 0; k < rows[i].served; k++)
            assert_int_equal(core.lds.answers.item[k].at, TAKEN + model.config.lds_latency + k);
        for (model.now = TAKEN + 1; model.now < TAKEN + 10; model.now++)
            assert_int_equal(lds_ready(&core), model.now < TAKEN + 2 || model.now > TAKEN + rows[i].last);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
