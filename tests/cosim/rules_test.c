/* What is found and what is taken, rule by rule: the test is the design, and says what it wants of a few instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static ventus_cosim *launch_on(const char *machine, const char *source, uint32_t reports,
                               const struct ventus_cosim_launch *l)
{
    struct guest g;
    guest_open(&g);
    guest_assemble(&g, source);
    ventus_cosim *c = ventus_cosim_ref_init(machine, reports);
    assert_non_null(c);
    assert_true(ventus_cosim_ref_memory_write(c, CODE, gpu_mem(g.gpu, CODE, 4 * ROOM), 4 * ROOM));
    assert_true(ventus_cosim_ref_memory_open(c, DATA, 4096));
    guest_close(&g);
    if (!ventus_cosim_ref_launch(c, l)) fail_msg("%s", ventus_cosim_error(c));
    return c;
}

static ventus_cosim *launch(const char *source, uint32_t reports, const struct ventus_cosim_launch *l)
{
    return launch_on(NULL, source, reports, l);
}

/* Each group on an SM of its own, at the same local memory; harts in the order of the warps. */
static ventus_cosim *start_on(const char *machine, const char *source, uint32_t reports,
                              const struct ventus_cosim_launch *l)
{
    ventus_cosim *c = launch_on(machine, source, reports, l);
    for (uint32_t g = 0; g < l->groups[0]; g++) {
        if (!ventus_cosim_dut_group_begin(c, g, 0, g, LOCAL, 0)) fail_msg("%s", ventus_cosim_error(c));
        for (uint32_t w = 0; w < l->warps; w++) assert_true(ventus_cosim_dut_warp_begin(c, g * l->warps + w, g, 0, w));
    }
    return c;
}

static ventus_cosim *start(const char *source, uint32_t reports, const struct ventus_cosim_launch *l)
{
    return start_on(NULL, source, reports, l);
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

/* What a prefix retires with is its own. */
static void test_prefix(void **state)
{
    const char *source = " vadd.vv v40, v5, v1\n endprg\n";
    ventus_cosim *c = start(source, VENTUS_COSIM_X, &four_lanes);
    (void)state;
    assert_true(ventus_cosim_dut_x_set(c, 0, 9, 77));
    found(c, next(c, 0), "the prefix alone has written a scalar register");
    c = start(source, 0, &four_lanes);
    go(c, 0, 1);
    assert_int_equal(ventus_cosim_ref_pc(c, 0), 0x80000004);
    found(c, ventus_cosim_dut_retire(c, 0, 0x80000000, ventus_cosim_ref_word(c, 0x80000000)),
          "  expected 0x80000004\n  found    0x80000000\n");
}

/* The reference alone: what each step has written, the end, a fault. */
static void test_steps(void **state)
{
    uint32_t reg, mask;
    ventus_cosim *c = start(" li x9, 3\n vadd.vv v40, v5, v1\n addi x0, x9, 1\n endprg\n", 0, &four_lanes);
    (void)state;
    assert_int_equal(ventus_cosim_ref_written(c, &reg, &mask), 0);
    assert_true(ventus_cosim_ref_step(c, 0));
    assert_int_equal(ventus_cosim_ref_written(c, &reg, &mask), VENTUS_COSIM_X);
    assert_int_equal(reg, 9);
    assert_int_equal(ventus_cosim_ref_x(c, 0, reg), 3);
    assert_true(ventus_cosim_ref_step(c, 0));
    assert_int_equal(ventus_cosim_ref_written(c, &reg, &mask), 0);
    assert_true(ventus_cosim_ref_step(c, 0));
    assert_int_equal(ventus_cosim_ref_written(c, &reg, &mask), VENTUS_COSIM_V);
    assert_int_equal(reg, 40);
    assert_int_equal(mask, 15);
    assert_true(ventus_cosim_ref_step(c, 0)); /* x0 is none */
    assert_int_equal(ventus_cosim_ref_written(c, &reg, &mask), 0);
    assert_false(ventus_cosim_ref_ended(c, 0));
    assert_true(ventus_cosim_ref_step(c, 0));
    assert_true(ventus_cosim_ref_ended(c, 0));
    assert_false(ventus_cosim_ref_step(c, 0));
    assert_non_null(strstr(ventus_cosim_error(c), "the warp has ended"));
    assert_false(ventus_cosim_ref_step(c, 9));
    ventus_cosim_ref_shutdown(c);
    c = start(" lw x5, 0(x0)\n endprg\n", 0, &four_lanes);
    assert_false(ventus_cosim_ref_step(c, 0));
    assert_non_null(strstr(ventus_cosim_error(c), "hart 0: "));
    ventus_cosim_ref_shutdown(c);
}

/* A tile in a warp of four lanes has 16 registers. */
static void test_many_registers(void **state)
{
    const uint32_t values[ISA_LANES] = {0};
    ventus_cosim *c = start(" tc.8x8x8.mix v16, v1, v8\n endprg\n", VENTUS_COSIM_V, &four_lanes);
    (void)state;
    for (uint32_t i = 0; i < 16; i++) assert_true(ventus_cosim_dut_v_set(c, 0, 16 + i, 15, values));
    go(c, 0, 1);
    ventus_cosim_ref_shutdown(c);
}

static void test_no_lane_no_result(void **state)
{
    ventus_cosim *c = start(" vsetvli x5, x6, e32\n vmv.x.s x7, v1\n endprg\n", VENTUS_COSIM_X, &four_lanes);
    (void)state;
    assert_true(next_x(c, 0, 5, 0));
    go(c, 0, 1);
    ventus_cosim_ref_shutdown(c);
}

/* ---- tolerances ---- */

/* Of one instruction, "NAME v2, v4" or more, whose registers hold `operand` in each lane. */
static bool is_tolerated(const char *source, uint32_t ulps, uint32_t operand, uint32_t value)
{
    uint32_t values[ISA_LANES];
    ventus_cosim *c = start(source, VENTUS_COSIM_V, &four_lanes);
    if (ulps) assert_true(ventus_cosim_ref_tolerance(c, "*", ulps));
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t reg = 2; reg < 32; reg++) ventus_cosim_ref_v_set(c, 0, reg, i, operand);
    for (uint32_t i = 0; i < ISA_LANES; i++) values[i] = value;
    assert_true(ventus_cosim_dut_v_set(c, 0, 2, 15, values));
    const int good = next(c, 0);
    assert_int_equal(good, ventus_cosim_metric(c, VENTUS_COSIM_TOLERATED) == 4);
    ventus_cosim_ref_shutdown(c);
    return good;
}

static void test_classes_of_numbers(void **state)
{
    (void)state;
    const char *half = " rcp.f16x2 v2, v4\n", *single = " rcp.f32 v2, v4\n", *sum = " vadd.f16x2 v2, v4, v4\n";
    assert_true(is_tolerated(half, 0, 0x3c003c00, 0x3c013bff));  /* 1/1 */
    assert_false(is_tolerated(half, 0, 0x3c003c00, 0x3c023c00)); /* two units */
    assert_false(is_tolerated(half, 0, 0, 0x7c017c01));          /* 1/0 is infinite, not NaN */
    assert_false(is_tolerated(half, 0, 0, 0x7bff7c00));          /* nor finite */
    assert_false(is_tolerated(half, 0, 0x7c007c00, 0x80008000)); /* 1/infinity has a sign */
    assert_true(is_tolerated(half, 0, 0x7e007e00, 0x7c017c01));  /* NaN is NaN */
    assert_true(is_tolerated(single, 0, 0x3f800000, 0x3f800001));
    assert_false(is_tolerated(single, 0, 0, 0x7f7fffff));
    assert_false(is_tolerated(single, 0, 0x7f800000, 0x80000000));
    assert_false(is_tolerated(single, 0, 0x7f800000, 1));
    assert_false(is_tolerated(sum, 0, 0x3c003c00, 0x40014000));
    assert_true(is_tolerated(sum, 1, 0x3c003c00, 0x40014000)); /* units of halves, the upper one, too */
}

/* Accumulators of 32 bits are counted in their own units. */
static void test_tensor_of_singles(void **state)
{
    struct ventus_cosim_launch l = four_lanes;
    uint32_t values[ISA_LANES];
    l.threads_per_warp = 32;
    (void)state;
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
        ventus_cosim *c = start(" tc.8x8x8.mix v4, v1, v2\n", VENTUS_COSIM_V, &l);
        for (uint32_t i = 0; i < 32; i++) {
            ventus_cosim_ref_v_set(c, 0, 4, i, 0x3f800000);
            ventus_cosim_ref_v_set(c, 0, 5, i, 0x3f800000);
            values[i] = wrong ? 0x3f840000 : 0x3f800008; /* 1.03125, and near 1 */
        }
        assert_true(ventus_cosim_dut_v_set(c, 0, 4, ~0u, values) && ventus_cosim_dut_v_set(c, 0, 5, ~0u, values));
        assert_int_equal(next(c, 0), !wrong);
        ventus_cosim_ref_shutdown(c);
    }
}

static void test_elements_of_64_bits(void **state)
{
    const char *folder = getenv("VENTUS_SOURCE");
    (void)state;
    if (!folder) skip();
    char path[4096];
    snprintf(path, sizeof path, "%s/configs/r2.1.conf", folder);
    ventus_cosim *c =
        start_on(path, " vsetvli x5, x0, e64\n vadd.vv v2, v4, v6\n endprg\n", VENTUS_COSIM_V, &four_lanes);
    go(c, 0, 1);
    assert_false(next(c, 0));
    assert_string_equal(ventus_cosim_error(c), "0x80000004: elements of 64 bits (e64) are not compared");
    assert_string_equal(ventus_cosim_report(c), "");
    ventus_cosim_ref_shutdown(c);
}

/* ---- known faults ---- */

static char machine[] = "/tmp/ventus-rules-XXXXXX";

static void remove_machine(void) { unlink(machine); }

/* A machine file, until the next one is asked for or the program ends. */
static const char *machine_with(const char *quirks)
{
    static int fd = -1;
    if (fd < 0) {
        fd = mkstemp(machine);
        assert_true(fd >= 0);
        atexit(remove_machine);
    }
    FILE *f = fopen(machine, "w");
    assert_non_null(f);
    fprintf(f, "quirks = %s\n", quirks);
    fclose(f);
    return machine;
}

/* The design has the faults that the machine file names, and no others. */
static void test_known_faults(void **state)
{
    static const char load[] = " lui x5, 0x90000\n addi x6, x0, -1\n sw x6, 0(x5)\n lb x7, 3(x5)\n fmv.w.x x6, x0\n"
                               " endprg\n";
    (void)state;
    ventus_cosim *c = start_on(machine_with("unsigned-loads"), load, 0, &one_lane);
    go(c, 0, 5);
    assert_int_equal(ventus_cosim_ref_x(c, 0, 7), 0xff); /* the last byte of a word */
    assert_int_equal(ventus_cosim_ref_x(c, 0, 6), 0);
    ventus_cosim_ref_shutdown(c);

    c = start_on(machine_with("fmv,unsigned-loads"), load, VENTUS_COSIM_X, &one_lane);
    assert_true(next_x(c, 0, 5, DATA) && next_x(c, 0, 6, UINT32_MAX) && next(c, 0) && next_x(c, 0, 7, 0xff));
    assert_true(next_x(c, 0, 6, UINT32_MAX));
    ventus_cosim_ref_shutdown(c);

    c = start(load, VENTUS_COSIM_X, &one_lane);
    assert_true(next_x(c, 0, 5, DATA) && next_x(c, 0, 6, UINT32_MAX) && next(c, 0));
    found(c, next_x(c, 0, 7, 0xff), "expected 0xffffffff, found 0x000000ff");
}

/* Where the hardware hangs, a design goes on that has not the fault. What is kept of warps is that of their group. */
static void test_known_hangs(void **state)
{
    static const char move[] = " vmv.x.s x5, v1\n addi x6, x5, 0\n endprg\n";
    (void)state;
    ventus_cosim *c = start_on(machine_with("verilog-192d1e0"), move, 0, &four_lanes);
    go(c, 0, 1);
    found(c, next(c, 0), "vmv-x-s: a register it needs is never written");

    c = launch_on(machine_with("vmv-x-s"), " addi x6, x5, 0\n vmv.x.s x5, v1\n endprg\n", 0, &two_groups);
    for (uint32_t g = 0; g < 2; g++) { /* one after the other in the same slot */
        assert_true(ventus_cosim_dut_group_begin(c, 0, 0, g, LOCAL, 0));
        assert_true(ventus_cosim_dut_warp_begin(c, 0, 0, 0, 0));
        go(c, 0, 3);
        assert_true(ventus_cosim_dut_group_end(c, 0, 0));
    }
    ventus_cosim_ref_shutdown(c);

    assert_null(ventus_cosim_ref_init(machine_with("fmw"), 0));
    assert_non_null(strstr(ventus_cosim_error(NULL), "there is no known fault 'fmw'; there are: verilog-192d1e0"));
}

/* ---- memory: what it may hold ---- */

/* One atomic operation of each warp, whose old value is `old`. */
static ventus_cosim *atomic(const struct ventus_cosim_launch *l, const char *where)
{
    char source[200];
    snprintf(source, sizeof source, " lui x5, %s\n vmv.v.x v1, x5\n amoadd.w v3, v2, (v1)\n endprg\n", where);
    ventus_cosim *c = start(source, VENTUS_COSIM_V, l);
    const uint32_t addr[ISA_LANES] = {(uint32_t)strtoul(where, NULL, 0) << 12};
    go(c, 0, 1);
    assert_true(ventus_cosim_dut_v_set(c, 0, 1, 1, addr));
    go(c, 0, 1);
    const uint32_t old[ISA_LANES] = {0xdeadbeef};
    assert_true(ventus_cosim_dut_v_set(c, 0, 3, 1, old));
    return c;
}

static void test_atomics_of_nobody_else(void **state)
{
    struct ventus_cosim_launch two = two_groups;
    two.threads_per_warp = 1;
    (void)state;
    ventus_cosim *c = atomic(&one_lane, "0x90000");
    found(c, next(c, 0), "the value of v3");
    c = atomic(&two, "0x70000"); /* local memory */
    found(c, next(c, 0), "the value of v3");
    c = atomic(&two, "0x90000");
    go(c, 0, 1);
    ventus_cosim_ref_shutdown(c);
    c = atomic(&two_warps, "0x70000");
    go(c, 0, 1);
    ventus_cosim_ref_shutdown(c);
}

static void test_conditional_store_says_0_or_1(void **state)
{
    const char *source = " lui x5, 0x90000\n vmv.v.x v1, x5\n lr.w v2, (v1)\n sc.w v3, v2, (v1)\n endprg\n";
    (void)state;
    for (uint32_t result = 0; result < 3; result++) {
        const uint32_t addr[ISA_LANES] = {DATA}, zero[ISA_LANES] = {0}, values[ISA_LANES] = {result};
        ventus_cosim *c = start(source, VENTUS_COSIM_V, &one_lane);
        go(c, 0, 1);
        assert_true(ventus_cosim_dut_v_set(c, 0, 1, 1, addr));
        go(c, 0, 1);
        assert_true(ventus_cosim_dut_v_set(c, 0, 2, 1, zero));
        go(c, 0, 1);
        assert_true(ventus_cosim_dut_v_set(c, 0, 3, 1, values));
        assert_int_equal(next(c, 0), result < 2);
        ventus_cosim_ref_shutdown(c);
    }
}

/* The four bytes of a word that a warp stores are one store. */
static void test_stores_of_lanes(void **state)
{
    (void)state;
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
        ventus_cosim *c = start(" lui x5, 0x90000\n csrr x9, CSR_GIDX\n bne x9, x0, other\n vid.v v1\n"
                                " vadd.vx v1, v1, x5\n vsb12.v v1, 0(v1)\n endprg\nother: lw x7, 0(x5)\n endprg\n",
                                VENTUS_COSIM_X, &two_groups);
        for (uint32_t g = 0; g < 2; g++) {
            assert_true(next_x(c, g, 5, DATA));
            assert_true(next_x(c, g, 9, g));
        }
        go(c, 0, 4);
        go(c, 1, 1);
        assert_int_equal(next_x(c, 1, 7, wrong ? 0xdeadbeef : 0), !wrong);
        ventus_cosim_ref_shutdown(c);
    }
}

/* Two warps write their number plus 1 to a word. */
static ventus_cosim *race(const char *write)
{
    char source[300];
    snprintf(source, sizeof source,
             " lui x5, 0x90000\n csrr x6, CSR_WID\n addi x6, x6, 1\n vmv.v.x v1, x5\n vmv.v.x v2, x6\n %s\n"
             " lw x7, 0(x5)\n endprg\n",
             write);
    ventus_cosim *c = start(source, 0, &two_warps);
    for (unsigned i = 0; i < 6; i++)
        for (uint32_t w = 0; w < 2; w++) go(c, w, 1);
    return c;
}

static int left(ventus_cosim *c, uint32_t value)
{
    for (uint32_t w = 0; w < 2; w++) go(c, w, 2);
    assert_true(ventus_cosim_dut_group_end(c, 0, 0) && ventus_cosim_ref_launch_end(c));
    return ventus_cosim_ref_memory_compare(c, DATA, &value, 4);
}

static void test_races_in_memory(void **state)
{
    (void)state;
    static const char *const writes[] = {"amoswap.w v3, v2, (v1)", "sw x6, 0(x5)"};
    for (size_t i = 0; i < 2; i++) {
        ventus_cosim *c = race(writes[i]);
        assert_true(left(c, 1)); /* memory may have had warp 1 first */
        assert_int_equal(ventus_cosim_metric(c, VENTUS_COSIM_TAKEN), 1);
        ventus_cosim_ref_shutdown(c);
    }
    ventus_cosim *c = race("sw x6, 0(x5)");
    found(c, left(c, 0), "the byte of memory at 0x90000000");
    c = race("amoadd.w v3, v2, (v1)");
    found(c, left(c, 1), "the byte of memory at 0x90000000");
}

/* A word that the host has written is known again. */
static void test_host_ends_a_race(void **state)
{
    const uint32_t zero = 0;
    ventus_cosim *c = race("amoswap.w v3, v2, (v1)");
    (void)state;
    assert_true(left(c, 1));
    assert_true(ventus_cosim_ref_memory_write(c, DATA, &zero, 4));
    const uint32_t one = 1;
    found(c, ventus_cosim_ref_memory_compare(c, DATA, &one, 4), "the byte of memory at 0x90000000");
}

static void test_load_of_a_race(void **state)
{
    (void)state;
    for (uint32_t value = 0; value < 3; value++) {
        ventus_cosim *c = start(" lui x5, 0x90000\n csrr x6, CSR_WID\n addi x6, x6, 1\n sw x6, 0(x5)\n lw x7, 0(x5)\n",
                                VENTUS_COSIM_X, &two_warps);
        for (uint32_t w = 0; w < 2; w++) {
            assert_true(next_x(c, w, 5, DATA) && next_x(c, w, 6, w) && next_x(c, w, 6, w + 1));
            go(c, w, 1);
        }
        assert_int_equal(next_x(c, 1, 7, value), value > 0); /* 1: memory has had warp 1 first */
        ventus_cosim_ref_shutdown(c);
    }
}

/* ---- edges ---- */

/* Code of which the first word is outside of the code window. */
static void test_code_behind_data(void **state)
{
    const uint32_t words[] = {0, 0x00100293, 0x0000400b};
    ventus_cosim *c = ventus_cosim_ref_init(NULL, 0);
    (void)state;
    assert_true(ventus_cosim_ref_memory_write(c, CODE - 4, words, sizeof words));
    assert_true(ventus_cosim_ref_launch(c, &one_lane));
    assert_true(ventus_cosim_dut_group_begin(c, 0, 0, 0, LOCAL, 0) && ventus_cosim_dut_warp_begin(c, 0, 0, 0, 0));
    go(c, 0, 2);
    ventus_cosim_ref_shutdown(c);
}

/* The last group has three work-items of four lanes; the next launch has whole groups again. */
static void test_last_group(void **state)
{
    const uint32_t ret = 0x0000400b;
    ventus_cosim *c = ventus_cosim_ref_init(NULL, VENTUS_COSIM_SIMT);
    (void)state;
    assert_true(ventus_cosim_ref_memory_write(c, CODE, &ret, sizeof ret));
    for (uint32_t last = 3; last <= 4; last++) {
        if (last < 4) assert_true(ventus_cosim_ref_last_groups(c, last, 0));
        assert_true(ventus_cosim_ref_launch(c, &two_groups));
        for (uint32_t g = 0; g < 2; g++) {
            const uint32_t lanes = (1u << (g ? last : 4)) - 1;
            assert_true(ventus_cosim_dut_group_begin(c, g, 0, g, LOCAL, 0));
            assert_true(ventus_cosim_dut_warp_begin(c, g, g, 0, 0));
            assert_int_equal(ventus_cosim_ref_mask(c, g), lanes);
            assert_true(ventus_cosim_dut_simt_set(c, g, lanes, 0) && ventus_cosim_dut_retire(c, g, CODE, ret));
            assert_true(ventus_cosim_dut_group_end(c, g, 0));
        }
        assert_true(ventus_cosim_ref_launch_end(c));
    }
    ventus_cosim_ref_shutdown(c);
}

static void test_nothing_at_all(void **state)
{
    uint32_t word = 0;
    ventus_cosim *c = ventus_cosim_ref_init(NULL, 0);
    (void)state;
    assert_true(ventus_cosim_ref_memory_write(c, DATA, &word, 0));
    assert_true(ventus_cosim_ref_memory_read(c, DATA, &word, 0));
    assert_true(ventus_cosim_ref_memory_compare(c, DATA, &word, 0));
    ventus_cosim_ref_shutdown(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_stay_in_their_group),
        cmocka_unit_test(test_window_of_local_memory),
        cmocka_unit_test(test_groups_share_no_local_memory),
        cmocka_unit_test(test_strays),
        cmocka_unit_test(test_simt_is_said),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_many_registers),
        cmocka_unit_test(test_no_lane_no_result),
        cmocka_unit_test(test_classes_of_numbers),
        cmocka_unit_test(test_tensor_of_singles),
        cmocka_unit_test(test_elements_of_64_bits),
        cmocka_unit_test(test_known_faults),
        cmocka_unit_test(test_known_hangs),
        cmocka_unit_test(test_atomics_of_nobody_else),
        cmocka_unit_test(test_conditional_store_says_0_or_1),
        cmocka_unit_test(test_stores_of_lanes),
        cmocka_unit_test(test_races_in_memory),
        cmocka_unit_test(test_host_ends_a_race),
        cmocka_unit_test(test_load_of_a_race),
        cmocka_unit_test(test_code_behind_data),
        cmocka_unit_test(test_last_group),
        cmocka_unit_test(test_nothing_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
