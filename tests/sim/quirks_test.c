/* Known faults: what each does to its instructions, that it does so to no others, and that nothing happens without it.
 * (The faults of whole programs: tests/shell/quirks.sh.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "quirks/parts.h"

static struct quirks *have(struct guest *g, const char *names)
{
    char why[400];
    struct quirks *q = quirks_new(g->gpu, names, why, sizeof why);
    if (!q) fail_msg("%s", why);
    gpu_observe(g->gpu, quirks_observer(q));
    return q;
}

/* Runs a program, which ends by itself, on a machine with these faults; x5 is the address of the data. */
static struct quirks *run(struct guest *g, const char *names, const char *program)
{
    char text[1500];
    guest_open(g);
    struct quirks *q = names ? have(g, names) : NULL;
    g->launch.sgprs = g->launch.vgprs = 64;
    snprintf(text, sizeof text, "  lui x5, 0x90000\n%s  endprg\n", program);
    guest_assemble(g, text);
    guest_run(g);
    return q;
}

static void end(struct guest *g, struct quirks *q)
{
    guest_close(g);
    quirks_free(q);
}

/* A value of the program's data, with and without the fault, which acts so many times. */
static void expect(const char *name, enum quirk which, const char *program, unsigned word, uint32_t right,
                   uint32_t wrong, uint64_t times)
{
    struct guest g;
    struct quirks *q = run(&g, NULL, program);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    if (g.data[word] != right) fail_msg("%s: %08x without the fault, not %08x", name, g.data[word], right);
    end(&g, q);
    q = run(&g, name, program);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    if (g.data[word] != wrong) fail_msg("%s: %08x, not %08x", name, g.data[word], wrong);
    assert_int_equal(quirks_count(q, which), times);
    end(&g, q);
}

/* ---- results ---- */

/* Lane 3 alone adds in a branch: the others' sums are gone. */
#define STORE_LANES "  vid.v v2\n  vsll.vi v2, v2, 2\n  vadd.vx v2, v2, x5\n"
static const char divergent[] = STORE_LANES "  vid.v v1\n  li x6, 3\n  vmv.v.x v3, x6\n  vadd.vi v4, v1, 1\n"
                                            "  la x7, meet\n  setrpc x0, x7, 0\n  vbne v1, v3, meet\n"
                                            "  vadd.vi v4, v4, 10\nmeet: join\n  vsw12.v v4, 0(v2)\n";

static void test_inactive_lanes(void **state)
{
    (void)state;
    expect("inactive-lanes", QUIRK_INACTIVE_LANES, divergent, 5, 6, 0, 1);
    expect("inactive-lanes", QUIRK_INACTIVE_LANES, divergent, 3, 14, 14, 1);
}

static void test_masked_lanes(void **state)
{
    static const char masked[] = STORE_LANES "  li x6, 8\n  vmv.v.x v0, x6\n  vid.v v1\n  vid.v v3\n"
                                             "  vadd.vi v3, v1, 4, v0.t\n  vsw12.v v3, 0(v2)\n";
    (void)state;
    expect("inactive-lanes", QUIRK_INACTIVE_LANES, masked, 3, 7, 7, 1);
    expect("inactive-lanes", QUIRK_INACTIVE_LANES, masked, 4, 4, 0, 1);
}

/* The register is above 31 all the same; its old value is a source. */
static void test_regexti(void **state)
{
    (void)state;
    expect("regexti-imm", QUIRK_REGEXTI_IMM, STORE_LANES "  vid.v v40\n  vadd.vi v40, v40, 100\n  vsw12.v v40, 0(v2)\n",
           3, 103, 7, 1);
    expect("regexti-imm", QUIRK_REGEXTI_IMM, STORE_LANES "  vid.v v40\n  vadd.vi v40, v40, -16\n  vsw12.v v40, 0(v2)\n",
           3, 3u - 16, 3u - 16, 0);
}

#define BYTES "  li x6, 0xf1f2f384\n  sw x6, 0(x5)\n"
static void test_unsigned_loads(void **state)
{
    (void)state;
    expect("unsigned-loads", QUIRK_UNSIGNED_LOADS, BYTES "  lbu x7, 0(x5)\n  sw x7, 4(x5)\n", 1, 0x84, 0xffffff84, 1);
    expect("unsigned-loads", QUIRK_UNSIGNED_LOADS, BYTES "  lb x7, 0(x5)\n  sw x7, 4(x5)\n", 1, 0xffffff84, 0xffffff84,
           0);
    expect("unsigned-loads", QUIRK_UNSIGNED_LOADS, BYTES "  lb x7, 3(x5)\n  sw x7, 4(x5)\n", 1, 0xfffffff1, 0xf1, 1);
    expect("unsigned-loads", QUIRK_UNSIGNED_LOADS, BYTES "  lhu x7, 0(x5)\n  sw x7, 4(x5)\n", 1, 0xf384, 0xfffff384, 1);
    expect("unsigned-loads", QUIRK_UNSIGNED_LOADS, BYTES "  lh x5, 2(x5)\n  lui x8, 0x90000\n  sw x5, 4(x8)\n", 1,
           0xfffff1f2, 0xf1f2, 1);
}

/* Lane 31 loads byte 3 of the word: all lanes take theirs for unsigned. */
static void test_loads_of_lanes(void **state)
{
    static const char bytes[] =
        BYTES "  vid.v v1\n  vand.vi v1, v1, 3\n  vadd.vx v1, v1, x5\n  vlb12.v v3, 0(v1)\n" STORE_LANES
              "  vsw12.v v3, 8(v2)\n";
    static const char same[] = BYTES "  vmv.v.x v1, x5\n  vlbu12.v v3, 0(v1)\n" STORE_LANES "  vsw12.v v3, 8(v2)\n";
    (void)state;
    expect("unsigned-loads", QUIRK_UNSIGNED_LOADS, bytes, 2, 0xffffff84, 0x84, 1);
    expect("unsigned-loads", QUIRK_UNSIGNED_LOADS, same, 2, 0x84, 0xffffff84, 1);
}

/* rs1 and rs2 of an operation of two scalars. */
static void expect_scalars(const char *name, enum quirk which, const char *op, const char *first, const char *second,
                           uint32_t right, uint32_t wrong)
{
    char program[300];
    snprintf(program, sizeof program, "  li x6, %s\n  li x7, %s\n  %s x8, x6, x7\n  sw x8, 0(x5)\n", first, second, op);
    expect(name, which, program, 0, right, wrong, right != wrong);
}

static void test_min_max(void **state)
{
    const uint32_t one = 0x3f800000;
    (void)state;
    expect_scalars("min-max", QUIRK_MIN_MAX, "fmin.s", "0x3f800000", "0x7fc00000", one, 0x7fc00000);
    expect_scalars("min-max", QUIRK_MIN_MAX, "fmin.s", "0x7fc00000", "0x3f800000", one, one);
    expect_scalars("min-max", QUIRK_MIN_MAX, "fmax.s", "0x7fc00001", "0x3f800000", one, 0x7fc00001);
    expect_scalars("min-max", QUIRK_MIN_MAX, "fmax.s", "0x3f800000", "0x7fc00000", one, one);
    expect_scalars("min-max", QUIRK_MIN_MAX, "fmax.s", "0x3f800000", "0x7f800001", one, 0);
    expect_scalars("min-max", QUIRK_MIN_MAX, "fmin.s", "0x80000000", "0", 0x80000000, 0);
    expect_scalars("min-max", QUIRK_MIN_MAX, "fmin.s", "0xc0000000", "0xbf800000", 0xc0000000, 0xc0000000);
    expect_scalars("min-max", QUIRK_MIN_MAX, "fmax.s", "0xc0000000", "0x3f800000", one, one);
    expect("min-max", QUIRK_MIN_MAX,
           STORE_LANES
           "  li x6, 0x7fc00000\n  vmv.v.x v1, x6\n  li x6, 0x3f800000\n  vfmin.vf v3, v1, x6\n  vsw12.v v3, 0(v2)\n",
           7, one, 0x7fc00000, 1);
}

/* What the RTL's unit gives in simulation. */
static void test_divide(void **state)
{
    static const struct {
        bool root;
        uint32_t a, b;
        unsigned round;
        uint32_t result;
    } cases[] = {
        {false, 0x40c0d628, 0x3fe725ea, 0, 0x405591c2}, {false, 0xced5669f, 0x4153bbc7, 0, 0xcd01020a},
        {false, 0x3f082769, 0x40498d32, 0, 0x3e2cef7a}, {false, 0x3f800000, 0x40400000, 0, 0x3eaaaaaa},
        {false, 0x3f672d45, 0x3fea0bac, 2, 0x3efcdcb5}, {false, 0xb6aafae5, 0x446056bf, 3, 0xb1c31c52},
        {false, 0x3f55984f, 0xff5cb569, 0, 0x801ef7f6}, {false, 0x80da4049, 0xe501b223, 2, 0x00000000},
        {false, 0x73f7ba8e, 0x03ba33db, 0, 0x7f7fffff}, {false, 0x7f7fffff, 0x3f000000, 0, 0x7f800000},
        {false, 0x7f000000, 0x3f000000, 0, 0x7f800000}, {false, 0x00000001, 0x3f000000, 0, 0x00000002},
        {false, 0x3f800000, 0x40e00000, 4, 0x3e124924}, {false, 0x40000000, 0x40400000, 4, 0x3f2aaaaa},
        {true, 0x3fd32340, 0x00000000, 0, 0x3fa4650c},  {true, 0x3f8fb1d6, 0x00000000, 0, 0x3f879ed8},
        {true, 0x404ff7c1, 0x00000000, 2, 0x3fe6bcc7},  {true, 0x40000000, 0x00000000, 0, 0x3fb504f3},
        {true, 0x00000003, 0x00000000, 0, 0x1a9cc471},  {true, 0x40400000, 0x00000000, 4, 0x3fddb3d8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t a = cases[i].a, b = cases[i].b;
        uint32_t got = cases[i].root ? quirk_root(a, cases[i].round) : quirk_quotient(a, b, cases[i].round);
        if (got != cases[i].result)
            fail_msg("%08x, %08x, frm %u: %08x, not %08x", a, b, cases[i].round, got, cases[i].result);
    }
    expect_scalars("divide", QUIRK_DIVIDE, "fdiv.s", "0x3f800000", "0x40400000", 0x3eaaaaab, 0x3eaaaaaa);
    expect_scalars("divide", QUIRK_DIVIDE, "fdiv.s", "0x3f800000", "0x40800000", 0x3e800000, 0x3e800000);
    expect_scalars("divide", QUIRK_DIVIDE, "fdiv.s", "0x3f800000", "0", 0x7f800000, 0x7f800000);
    expect("divide", QUIRK_DIVIDE,
           STORE_LANES
           "  li x6, 0x3f800000\n  vmv.v.x v1, x6\n  li x6, 0x40400000\n  vfdiv.vf v3, v1, x6\n  vsw12.v v3, 0(v2)\n",
           9, 0x3eaaaaab, 0x3eaaaaaa, 1);
    expect("divide", QUIRK_DIVIDE,
           STORE_LANES
           "  li x6, 0x40400000\n  vmv.v.x v1, x6\n  li x6, 0x3f800000\n  vfrdiv.vf v3, v1, x6\n  vsw12.v v3, 0(v2)\n",
           9, 0x3eaaaaab, 0x3eaaaaaa, 1);
    expect("divide", QUIRK_DIVIDE,
           STORE_LANES "  li x6, 0x3fd32340\n  vmv.v.x v1, x6\n  vfsqrt.v v3, v1\n  vsw12.v v3, 0(v2)\n", 9, 0x3fa4650d,
           0x3fa4650c, 1);
}

static void test_fmv(void **state)
{
    (void)state;
    expect("fmv", QUIRK_FMV, "  li x6, 5\n  li x7, 9\n  fmv.w.x x7, x6\n  sw x7, 0(x5)\n", 0, 5, 9, 1);
    expect("fmv", QUIRK_FMV, "  li x6, 5\n  li x7, 9\n  fmv.x.w x7, x6\n  sw x7, 0(x5)\n", 0, 5, 9, 1);
}

/* ---- launches that never end ---- */

static void expect_hang(const char *name, enum quirk which, const char *program, uint32_t warps, bool hangs)
{
    char text[600];
    struct guest g;
    guest_open(&g);
    struct quirks *q = have(&g, name);
    g.launch.sgprs = g.launch.vgprs = 64;
    g.launch.warps = warps;
    g.launch.work_items = 32 * warps;
    g.launch.lds_bytes = 4096;
    snprintf(text, sizeof text, "  lui x5, 0x90000\n%s  endprg\n", program);
    guest_assemble(&g, text);
    guest_run(&g);
    assert_int_equal(g.result.status, hangs ? LAUNCH_FAULT : LAUNCH_DONE);
    assert_int_equal(quirks_count(q, which), hangs);
    fault_print(&g.result.fault, text, sizeof text);
    if (hangs && (g.result.fault.kind != FAULT_HANG || !strstr(text, name))) fail_msg("%s: %s", name, text);
    end(&g, q);
}

static void test_hangs(void **state)
{
    static const char mix[] = "  fmadd.s x6, x7, x8, x9\n  flt.s x6, x7, x8\n  fadd.s x6, x7, x8\n";
    (void)state;
    expect_hang("float-mix", QUIRK_FLOAT_MIX, mix, 1, false);
    expect_hang("float-mix", QUIRK_FLOAT_MIX, mix, 2, true);
    expect_hang("float-mix", QUIRK_FLOAT_MIX, "  fadd.s x6, x7, x8\n  fmul.s x6, x7, x8\n  fdiv.s x6, x7, x8\n", 4,
                false);
    expect_hang("vmv-x-s", QUIRK_VMV_X_S, "  vid.v v1\n  vmv.x.s x6, v1\n", 1, false);
    expect_hang("vmv-x-s", QUIRK_VMV_X_S, "  vid.v v1\n  vmv.x.s x6, v1\n  addi x7, x6, 1\n", 1, true);
    expect_hang("atomics", QUIRK_ATOMICS, "  vmv.v.x v1, x5\n  vid.v v2\n  amoadd.w v3, v2, (v1)\n", 1, true);
    expect_hang("atomics", QUIRK_ATOMICS, "  lw x6, 0(x5)\n", 1, false);
}

/* ---- names, and several at once ---- */

static void test_names(void **state)
{
    char why[500];
    uint32_t set = 0;
    (void)state;
    assert_true(quirks_parse("fmv,min-max", &set, why, sizeof why));
    assert_int_equal(set, 1 << QUIRK_FMV | 1 << QUIRK_MIN_MAX);
    assert_true(quirks_parse("verilog-192d1e0", &set, why, sizeof why));
    assert_int_equal(set, (1 << QUIRKS) - 1);
    set = 77;
    assert_false(quirks_parse("fmv,", &set, why, sizeof why));
    assert_false(quirks_parse("fmv,lbu", &set, why, sizeof why));
    assert_int_equal(set, 77);
    assert_non_null(strstr(why, "'lbu'; there are: verilog-192d1e0, "));
    for (unsigned i = 0; i < QUIRKS; i++) assert_non_null(strstr(why, quirk_table[i].name));
}

static void test_counts(void **state)
{
    struct guest g;
    char text[300];
    struct quirks *q = run(&g, "verilog-192d1e0", BYTES "  fmv.w.x x7, x6\n  lbu x7, 0(x5)\n  lhu x7, 0(x5)\n");
    (void)state;
    assert_int_equal(g.result.status, LAUNCH_DONE);
    quirks_print(q, true, text, sizeof text);
    assert_string_equal(text, "unsigned-loads 2 times, fmv once");
    guest_run(&g);
    quirks_print(q, false, text, sizeof text);
    assert_string_equal(text, "unsigned-loads 2 times, fmv once");
    assert_int_equal(quirks_count(q, QUIRK_UNSIGNED_LOADS), 4);
    end(&g, q);
    q = run(&g, "verilog-192d1e0", "  nop\n");
    quirks_print(q, true, text, sizeof text);
    assert_string_equal(text, "none acted");
    end(&g, q);
}

/* What others see behind an instruction is what the fault has made of it. */
static uint32_t seen;
static void look(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    (void)user, (void)pc;
    if (in->op == OP_LBU) seen = w->x[in->rd];
}

static void test_others_see_it(void **state)
{
    struct guest g;
    struct observer first = {.after = look};
    (void)state;
    guest_open(&g);
    gpu_observe(g.gpu, &first);
    struct quirks *q = have(&g, "unsigned-loads");
    guest_assemble(&g, "  lui x5, 0x90000\n" BYTES "  lbu x7, 0(x5)\n  endprg\n");
    guest_run(&g);
    assert_int_equal(seen, 0xffffff84);
    end(&g, q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inactive_lanes), cmocka_unit_test(test_masked_lanes),
        cmocka_unit_test(test_regexti),        cmocka_unit_test(test_unsigned_loads),
        cmocka_unit_test(test_loads_of_lanes), cmocka_unit_test(test_min_max),
        cmocka_unit_test(test_divide),         cmocka_unit_test(test_fmv),
        cmocka_unit_test(test_hangs),          cmocka_unit_test(test_names),
        cmocka_unit_test(test_counts),         cmocka_unit_test(test_others_see_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
