/* How long divisions take, by the values that are divided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/launch.h"
#include "sim/warp.h"
#include "timing/model.h"

enum { LANES = 4, BEFORE = 2 /* cycles of an operation but for those of its divisions */ };

static struct model model;
static struct core core;
static uint32_t v[3][ISA_LANES];

/* x5 / x6, v1 / v2, masked by v0 or not. */
static uint32_t cycles_of(enum isa_op code, const struct warp *w, bool masked)
{
    bool vector = isa_table[code].name[0] == 'v';
    struct op op = {
        .in = {.op = (uint16_t)code, .vm = !masked}, .class = C_INT_DIVIDE, .destination = vector ? 259 : 7};
    op.source[0] = vector ? 258 : 5; /* of a vector division the divisor is the first operand */
    op.source[1] = vector ? 257 : 6;
    return sfu_cycles(&core, &op, w);
}

static void setup(struct warp *w)
{
    static const struct launch launch = {.threads_per_warp = LANES};
    static struct group group = {.launch = &launch};
    char why[200];
    assert_true(timing_config_read(&model.config, "verilog", why, sizeof why));
    core.model = &model;
    *w = (struct warp){.group = &group, .v = v, .active = (1u << LANES) - 1};
}

/* A bit of the quotient a cycle, from the place of the divisor's first bit under that of the dividend on. The number of
 * these steps has five bits: 32 of them count as none, and take as long as one. */
static void test_scalar(void **state)
{
    static const struct {
        uint32_t dividend, divisor, is_signed, is_unsigned; /* cycles as one, as the other */
    } rows[] = {
        {7, 7, 5, 5},
        {100, 7, 9, 9},
        {0x40000000, 1, 35, 35},
        {0x7fffffff, 1, 35, 35},
        {0x80000000, 1, 5, 5},
        {0xffffffff, 1, 5, 5},
        {0xffffffff, 2, 3, 35},
        {0xffffff9c, 7, 9, 34},
        {6, 7, 3, 3},
        {0, 7, 3, 3},
        {7, 0, 2, 2},
        {0x80000000, 0xffffffff, 2, 3},
        {0xffffffff, 0xffffffff, 5, 5},
    };
    static struct warp w;
    setup(&w);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        w.x[5] = rows[i].dividend;
        w.x[6] = rows[i].divisor;
        for (int rest = 0; rest < 2; rest++) {
            assert_int_equal(cycles_of(rest ? OP_REM : OP_DIV, &w, false), BEFORE + rows[i].is_signed);
            assert_int_equal(cycles_of(rest ? OP_REMU : OP_DIVU, &w, false), BEFORE + rows[i].is_unsigned);
        }
    }
    (void)state;
}

/* Lanes one after another; those that are not active are left out, but for the first if there is no other. */
static void test_vector(void **state)
{
    static const uint32_t cycles[LANES] = {5, 8, 14, 21};
    static struct warp w;
    setup(&w);
    for (unsigned lane = 0; lane < LANES; lane++) {
        v[1][lane] = 1u << (cycles[lane] - 5);
        v[2][lane] = 1;
    }
    for (uint32_t mask = 0; mask < 1u << LANES; mask++) {
        uint32_t sum = mask ? BEFORE : BEFORE + cycles[0];
        for (unsigned lane = 0; lane < LANES; lane++) sum += mask >> lane & 1 ? cycles[lane] : 0;
        w.active = mask;
        assert_int_equal(cycles_of(OP_VDIVU_VV, &w, false), sum);
        w.active = (1u << LANES) - 1;
        v[0][0] = mask;
        assert_int_equal(cycles_of(OP_VREM_VV, &w, true), sum);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scalar), cmocka_unit_test(test_vector)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
