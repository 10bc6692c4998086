/* What is found and what is taken, rule by rule: the test is the design, and says what it wants of a few instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "../sim/guest.h"
#include "cosim/ventus_cosim.h"

enum { CODE = ABI_CODE_BASE, DATA = GUEST_DATA, LOCAL = ABI_LOCAL_BASE, ROOM = 64 /* words of code */ };

static const struct ventus_cosim_launch one_lane = {
    .start_pc = CODE, .groups = {1, 1, 1}, .warps = 1, .threads_per_warp = 1, .lds_bytes = 4096};
static const struct ventus_cosim_launch four_lanes = {
    .start_pc = CODE, .groups = {1, 1, 1}, .warps = 1, .threads_per_warp = 4, .lds_bytes = 4096};
static const struct ventus_cosim_launch two_warps = {
    .start_pc = CODE, .groups = {1, 1, 1}, .warps = 2, .threads_per_warp = 1, .lds_bytes = 4096};
static const struct ventus_cosim_launch two_groups = {
    .start_pc = CODE, .groups = {2, 1, 1}, .warps = 1, .threads_per_warp = 4, .lds_bytes = 4096};

/* A launch that has begun, no group of it. */
static ventus_cosim *launch(const char *source, uint32_t reports, const struct ventus_cosim_launch *l)
{
    struct guest g;
    guest_open(&g);
    guest_assemble(&g, source);
    ventus_cosim *c = ventus_cosim_ref_init(NULL, reports);
    assert_non_null(c);
    assert_true(ventus_cosim_ref_memory_write(c, CODE, gpu_mem(g.gpu, CODE, 4 * ROOM), 4 * ROOM));
    assert_true(ventus_cosim_ref_memory_open(c, DATA, 4096));
    guest_close(&g);
    if (!ventus_cosim_ref_launch(c, l)) fail_msg("%s", ventus_cosim_error(c));
    return c;
}

/* Each group on an SM of its own, at the same local memory; harts in the order of the warps. */
static ventus_cosim *start(const char *source, uint32_t reports, const struct ventus_cosim_launch *l)
{
    ventus_cosim *c = launch(source, reports, l);
    for (uint32_t g = 0; g < l->groups[0]; g++) {
        if (!ventus_cosim_dut_group_begin(c, g, 0, g, LOCAL, 0)) fail_msg("%s", ventus_cosim_error(c));
        for (uint32_t w = 0; w < l->warps; w++)
            assert_true(ventus_cosim_dut_warp_begin(c, g * l->warps + w, g, 0, w));
    }
    return c;
}

static int next(ventus_cosim *c, uint32_t hart)
{
    const uint32_t pc = ventus_cosim_ref_pc(c, hart);
    return ventus_cosim_dut_retire(c, hart, pc, ventus_cosim_ref_word(c, pc));
}

static void go(ventus_cosim *c, uint32_t hart, unsigned n)
{
    while (n--)
        if (!next(c, hart)) fail_msg("%s%s", ventus_cosim_report(c), ventus_cosim_error(c));
}

static int next_x(ventus_cosim *c, uint32_t hart, uint32_t reg, uint32_t value)
{
    return ventus_cosim_dut_x_set(c, hart, reg, value) && next(c, hart);
}

static void found(ventus_cosim *c, int good, const char *text)
{
    assert_int_equal(good, 0);
    if (!strstr(ventus_cosim_report(c), text))
        fail_msg("no '%s' in '%s' (%s)", text, ventus_cosim_report(c), ventus_cosim_error(c));
    ventus_cosim_ref_shutdown(c);
}

/* ---- local memory ---- */

/* Two groups have different local memory at one address; the first copies a word into it. */
static void assert_copied(const char *wait, unsigned waiting)
{
    char source[500];
    snprintf(source, sizeof source,
             " lui x5, 0x90000\n lui x8, 0x70000\n addi x6, x0, 16\n sw x6, 0(x5)\n vmv.v.x v1, x8\n"
             " csrr x9, CSR_GIDX\n bne x9, x0, other\n cp_dma v1, x5, x6, 16\n%s endprg\n"
             "other: lw x7, 0(x8)\n lw x7, 0(x8)\n endprg\n",
             wait);
    ventus_cosim *c = start(source, 0, &two_groups);
    go(c, 0, 8);
    go(c, 1, 8); /* now its bytes are those in the machine */
    go(c, 0, waiting);
    if (waiting > 1) assert_int_equal(ventus_cosim_ref_x(c, 0, 7), 16);
    assert_int_equal(ventus_cosim_ref_x(c, 1, 7), 0);
    go(c, 1, 1);
    assert_int_equal(ventus_cosim_ref_x(c, 1, 7), 0);
    ventus_cosim_ref_shutdown(c);
}

static void test_copies_stay_in_their_group(void **state)
{
    (void)state;
    assert_copied(" cp_dma_mbarrier\n lw x7, 0(x8)\n", 2);
    assert_copied("", 1); /* the warp ends */
}

static void test_window_of_local_memory(void **state)
{
    struct ventus_cosim_launch l = one_lane;
    l.lds_bytes = 16;
    ventus_cosim *c = launch(" addi x5, x0, 1\n endprg\n", 0, &l);
    const uint32_t code = ventus_cosim_ref_word(c, CODE);
    (void)state;
    assert_false(ventus_cosim_dut_group_begin(c, 0, 0, 0, ABI_LOCAL_LIMIT - 16, 0));
    assert_non_null(strstr(ventus_cosim_error(c), "in whole pages, is not in the window"));
    assert_int_equal(ventus_cosim_ref_word(c, CODE), code);
    assert_true(ventus_cosim_dut_group_begin(c, 0, 0, 0, ABI_LOCAL_LIMIT - ABI_PAGE, 0));
    ventus_cosim_ref_shutdown(c);
}

static void test_groups_share_no_local_memory(void **state)
{
    ventus_cosim *c = launch(" endprg\n", 0, &two_groups);
    (void)state;
    assert_true(ventus_cosim_dut_group_begin(c, 0, 0, 0, LOCAL, 0));
    found(c, ventus_cosim_dut_group_begin(c, 0, 1, 1, LOCAL + 4092, 0),
          "work-group 1 begins with local memory that work-group 0 has");
    c = launch(" endprg\n", 0, &two_groups);
    assert_true(ventus_cosim_dut_group_begin(c, 0, 0, 0, LOCAL, 0));
    assert_true(ventus_cosim_dut_group_begin(c, 0, 1, 1, LOCAL + 4096, 0));
    ventus_cosim_ref_shutdown(c);
}

/* ---- what has to be said, and what must not ---- */

static void test_strays(void **state)
{
    const uint32_t values[ISA_LANES] = {0};
    ventus_cosim *c = start(" addi x0, x0, 1\n", VENTUS_COSIM_X, &one_lane);
    (void)state;
    assert_true(ventus_cosim_dut_x_set(c, 0, 0, 1));
    found(c, next_x(c, 0, 5, 99), "x5 has been written");
    c = start(" addi x0, x0, 1\n", VENTUS_COSIM_V, &one_lane);
    assert_true(ventus_cosim_dut_v_set(c, 0, 9, 0, values));
    assert_true(ventus_cosim_dut_v_set(c, 0, 8, 1, values));
    found(c, next(c, 0), "v8 has been written");
}

static void test_simt_is_said(void **state)
{
    ventus_cosim *c = start(" addi x5, x0, 1\n addi x5, x0, 1\n endprg\n", VENTUS_COSIM_SIMT, &four_lanes);
    (void)state;
    assert_true(ventus_cosim_dut_simt_set(c, 0, 15, UINT32_MAX));
    go(c, 0, 1);
    found(c, next(c, 0), "the mask of lanes has not been reported");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_stay_in_their_group),
        cmocka_unit_test(test_window_of_local_memory),
        cmocka_unit_test(test_groups_share_no_local_memory),
        cmocka_unit_test(test_strays),
        cmocka_unit_test(test_simt_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
