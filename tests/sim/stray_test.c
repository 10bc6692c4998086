/* A machine that ignores stray accesses: reads give 0, writes are dropped, the first is noted, the rest of an
 * instruction is done as ever; and nothing else is different there. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"

enum { WORDS = GUEST_BYTES / 4, IN = 16 /* words before the end */ };

static void open(struct guest *g, uint32_t ignore)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.ignore_stray = ignore;
    guest_open_config(g, &config);
}

/* v1 and x6: the addresses of words that begin before the end of the data and go on behind it. Results go to the
 * beginning of the data, KEEP's a vector each. */
#define KEEP(v, at) " addi x7, x5, " #at "\n vse32.v " v ", (x7)\n"
// clang-format off
static const char strays[] =
    " lui x5, 0x90000\n lui x6, 0x90010\n addi x6, x6, -64\n vid.v v1\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, x6\n"
    " vmv.v.i v2, -1\n vlw12.v v2, 0(v1)\n" KEEP("v2", 0)
    " vmv.v.i v3, 1\n amoadd.w v4, v3, (v1)\n" KEEP("v4", 128)
    " lr.w v4, (v1)\n" KEEP("v4", 256)
    " sc.w v4, v3, (v1)\n" KEEP("v4", 384)
    " vle32.v v4, (x6)\n" KEEP("v4", 512)
    " li x8, 9\n lw x8, 16(x0)\n sw x8, 640(x5)\n"
    " sw x5, 0(x0)\n lui x9, 0x80000\n sw x5, 0(x9)\n"
    " lh x8, 63(x6)\n sh x8, 63(x6)\n sw x8, 644(x5)\n"
    " vmv.v.i v3, 3\n vsw12.v v3, 0(v1)\n endprg\n";
// clang-format on
#undef KEEP

static void test_accesses(void **state)
{
    struct guest g;
    (void)state;
    open(&g, 1);
    guest_assemble(&g, strays);
    for (uint32_t i = 0; i < IN; i++) g.data[WORDS - IN + i] = 0xaa000000 + i;
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    for (uint32_t i = 0; i < 32; i++) {
        const bool in = i < IN;
        assert_int_equal(g.data[i], in ? 0xaa000000 + i : 0);
        assert_int_equal(g.data[32 + i], in ? 0xaa000000 + i : 0);
        assert_int_equal(g.data[64 + i], in ? 0xaa000001 + i : 0);
        assert_int_equal(g.data[96 + i], 0); /* sc has stored, or seems to have */
        assert_int_equal(g.data[128 + i], in);
        if (in) assert_int_equal(g.data[WORDS - IN + i], 3);
    }
    assert_int_equal(g.data[160], 0);
    assert_int_equal(g.data[161], 0); /* one byte of each side */
    assert_int_equal(g.result.stray.kind, FAULT_READ);
    assert_int_equal(g.result.stray.lane, IN);
    assert_int_equal(g.result.stray.addr, GUEST_DATA + GUEST_BYTES);
    assert_int_equal(g.result.stray.pc, ABI_CODE_BASE + 28);
    assert_int_equal(g.result.fault.kind, FAULT_NONE);
    guest_close(&g);
}

/* What is wrong in another way stays a fault. */
static void test_faults(void **state)
{
    // clang-format off
    static const struct { enum fault_kind kind; const char *source; } rows[] = {
        {FAULT_MISALIGNED, " vmv.v.i v1, 2\n amoadd.w v2, v1, (v1)\n endprg\n"},
        {FAULT_FETCH, " jalr x0, 0(x0)\n"},
        {FAULT_ILLEGAL, " .word 0\n"},
    };
    // clang-format on
    struct guest g;
    (void)state;
    open(&g, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        guest_assemble(&g, rows[i].source);
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_FAULT);
        assert_int_equal(g.result.fault.kind, rows[i].kind);
    }
    guest_close(&g);
}

/* Many groups of a program that keeps to its memory: the same results and counts in both machines. One that strays is
 * found among them. */
static void test_groups(void **state)
{
    enum { GROUPS = 64 };
    struct counters counts[2];
    struct guest g;
    (void)state;
    for (uint32_t ignore = 0; ignore < 2; ignore++) {
        open(&g, ignore);
        g.launch.groups[0] = GROUPS;
        guest_assemble(&g, " lui x5, 0x90000\n csrr x6, CSR_GIDX\n slli x6, x6, 7\n add x5, x5, x6\n li x8, 50\n"
                           "1: vle32.v v1, (x5)\n vadd.vi v1, v1, 1\n vse32.v v1, (x5)\n addi x8, x8, -1\n"
                           " bne x8, x0, 1b\n vmv.v.i v2, 1\n vmv.v.x v3, x5\n amoadd.w v2, v2, (v3)\n endprg\n");
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(g.result.stray.kind, FAULT_NONE);
        for (uint32_t i = 0; i < GROUPS * 32; i++) assert_int_equal(g.data[i], i % 32 ? 50 : 82);
        counts[ignore] = g.result.counters;
        guest_close(&g);
    }
#define VENTUS_COUNTER(name, type, how, cl, text) assert_int_equal(counts[0].name, counts[1].name);
#include "sim/counters.def"
#undef VENTUS_COUNTER
    open(&g, 1);
    g.launch.groups[0] = GROUPS;
    guest_assemble(&g, " csrr x6, CSR_GIDX\n li x7, 40\n lui x5, 0x90000\n bne x6, x7, 1f\n sw x6, -4(x5)\n"
                       "1: endprg\n");
    guest_run(&g);
    assert_int_equal(g.result.stray.kind, FAULT_WRITE);
    assert_int_equal(g.result.stray.group[0], 40);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_groups),
    };
    return guest_run_tests(tests) + guest_run_tests_native(tests);
}
