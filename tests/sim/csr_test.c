/* Control registers: what each of them holds and keeps, what the csr instructions write, and the rules of vsetvli.
 * A case is a program that leaves its results in x10, x11, ... */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"

enum { MOST = 6, FIRST = 10 };
#define NOT_TESTED 0xdeadbeef

struct csr_case {
    const char *program;
    uint32_t want[MOST];
};

/* Runs the program of a case with its results stored behind it. Registers that it leaves alone hold 77. */
static void run_case(struct guest *g, const char *program)
{
    char text[2000] = " li x10, 77\n li x11, 77\n li x12, 77\n li x13, 77\n li x14, 77\n li x15, 77\n";
    strcat(text, program);
    strcat(text, "\n lui x5, 0x90000\n");
    for (unsigned i = 0; i < MOST; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " sw x%u, %u(x5)\n", FIRST + i, 4 * i);
    strcat(text, " endprg\n");
    guest_assemble(g, text);
    guest_run(g);
}

static void check_case(struct guest *g, const struct csr_case *c)
{
    run_case(g, c->program);
    if (g->result.status != LAUNCH_DONE) fail_msg("'%s' fails: %s", c->program, fault_name(g->result.fault.kind));
    for (unsigned i = 0; i < MOST; i++)
        if (c->want[i] != NOT_TESTED && g->data[i] != c->want[i])
            fail_msg("'%s': x%u is 0x%x, not 0x%x", c->program, FIRST + i, g->data[i], c->want[i]);
}

/* Registers that a case does not name keep 77. */
#define WANT1(a) \
    { \
        a, 77, 77, 77, 77, 77 \
    }
#define WANT2(a, b) \
    { \
        a, b, 77, 77, 77, 77 \
    }
#define WANT3(a, b, c) \
    { \
        a, b, c, 77, 77, 77 \
    }
#define WANT4(a, b, c, d) \
    { \
        a, b, c, d, 77, 77 \
    }

static void check_cases(const struct csr_case *cases, size_t n)
{
    struct guest g;
    guest_open(&g);
    for (size_t i = 0; i < n; i++) check_case(&g, &cases[i]);
    guest_close(&g);
}
#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof *(cases))

static void check_refused(const char *const *programs, size_t n)
{
    struct guest g;
    guest_open(&g);
    for (size_t i = 0; i < n; i++) {
        run_case(&g, programs[i]);
        if (g.result.fault.kind != FAULT_ILLEGAL) fail_msg("'%s' is executed", programs[i]);
    }
    guest_close(&g);
}
#define CHECK_REFUSED(programs) check_refused(programs, sizeof(programs) / sizeof *(programs))

/* ---- vl and vtype ---- */

#define SET(avl) " li x6, " #avl "\n vsetvli x10, x6, e32, m1, ta, ma\n csrr x11, vl\n"
#define FIVE     " vsetivli x0, 5, e32, m1, tu, mu\n"
#define LOOK_VL  " csrr x11, vl\n csrr x12, vtype\n"
#define TA_MA    0xd0
#define TU_MU    0x10

/* In a warp of 32 lanes. x0 as the requested length means all lanes, or, when the result goes to x0 too, as many as
 * before; that is the number of the register, not its value. */
static void test_vl(void **state)
{
    // clang-format off
    static const struct csr_case cases[] = {
        {LOOK_VL, {77, 32, TU_MU, 77, 77, 77}},
        {SET(0), WANT2(0, 0)}, {SET(1), WANT2(1, 1)}, {SET(31), WANT2(31, 31)}, {SET(32), WANT2(32, 32)},
        {SET(33), WANT2(32, 32)}, {SET(-1), WANT2(32, 32)}, {SET(0x80000000), WANT2(32, 32)},
        {FIVE " vsetvli x10, x0, e32, m1, ta, ma\n" LOOK_VL, WANT3(32, 32, TA_MA)},
        {FIVE " vsetvli x0, x0, e32, m1, ta, ma\n" LOOK_VL, {77, 5, TA_MA, 77, 77, 77}},
        {FIVE " li x6, 9\n vsetvli x0, x6, e32, m1, ta, ma\n" LOOK_VL, {77, 9, TA_MA, 77, 77, 77}},
        {FIVE " li x6, 0\n vsetvli x0, x6, e32, m1, ta, ma\n" LOOK_VL, {77, 0, TA_MA, 77, 77, 77}},
        {FIVE " li x7, 0xd0\n vsetvl x10, x0, x7\n" LOOK_VL, WANT3(32, 32, TA_MA)},
        {FIVE " li x7, 0xd0\n vsetvl x0, x0, x7\n" LOOK_VL, {77, 5, TA_MA, 77, 77, 77}},
        {FIVE " li x7, 0xd0\n li x6, 9\n vsetvl x10, x6, x7\n" LOOK_VL, WANT3(9, 9, TA_MA)},
        {FIVE " li x7, 0xd0\n li x6, 40\n vsetvl x0, x6, x7\n" LOOK_VL, {77, 32, TA_MA, 77, 77, 77}},
        {FIVE " vsetivli x10, 0, e32, m1, ta, ma\n" LOOK_VL, WANT3(0, 0, TA_MA)},
        {FIVE " vsetivli x0, 0, e32, m1, ta, ma\n" LOOK_VL, {77, 0, TA_MA, 77, 77, 77}},
        {FIVE " vsetivli x10, 31, e32, m1, ta, ma\n" LOOK_VL, WANT3(31, 31, TA_MA)},
        {FIVE " vsetivli x0, 7, e32, m1, ta, ma\n" LOOK_VL, {77, 7, TA_MA, 77, 77, 77}},
    };
    // clang-format on
    (void)state;
    CHECK_CASES(cases);
}

/* Fewer lanes: no more than there are. */
static void test_vl_of_small_warps(void **state)
{
    static const struct csr_case cases[] = {
        {LOOK_VL, {77, 8, TU_MU, 77, 77, 77}},
        {SET(7), WANT2(7, 7)},
        {SET(9), WANT2(8, 8)},
        {" vsetvli x10, x0, e32, m1, ta, ma\n" LOOK_VL, WANT3(8, 8, TA_MA)},
        {" vsetivli x10, 31, e32, m1, ta, ma\n" LOOK_VL, WANT3(8, 8, TA_MA)},
        {" csrr x10, vlenb\n csrr x11, CSR_NUMT\n", WANT2(32, 8)},
    };
    struct guest g;
    (void)state;
    guest_open(&g);
    g.launch.threads_per_warp = g.launch.work_items = 8;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&g, &cases[i]);
    guest_close(&g);
}

/* Vector instructions work on the lanes below vl, at once: vmv.x.s gives the last of them, lane 0 to 31 hold their
 * numbers. */
static void test_vl_lanes(void **state)
{
    // clang-format off
    static const struct csr_case cases[] = {
        {" vid.v v1\n vmv.x.s x10, v1\n" FIVE " vmv.x.s x11, v1\n vsetvli x12, x0, e32, m1\n vmv.x.s x13, v1\n", WANT4(31, 4, 32, 31)},
        {" vid.v v1\n" FIVE " vsetvli x0, x0, e32, m1, ta, ma\n vmv.x.s x11, v1\n", {77, 4, 77, 77, 77, 77}},
        {" vid.v v1\n vsetivli x0, 0, e32, m1\n vmv.x.s x10, v1\n vmv.v.i v1, 3\n vsetivli x0, 1, e32, m1\n vmv.x.s x11, v1\n", WANT2(77, 0)},
    };
    // clang-format on
    (void)state;
    CHECK_CASES(cases);
}

/* Types other than words, one register each; the fault names the type, and the place. */
static void test_vtype_refused(void **state)
{
    // clang-format off
    static const struct { const char *program, *type; } cases[] = {
        {" vsetvli x10, x0, e8, m1\n", "e8,m1,tu,mu"}, {" vsetvli x10, x0, e16, m1\n", "e16,m1,tu,mu"},
        {" vsetvli x10, x0, e64, m1, ta\n", "e64,m1,ta,mu"}, {" vsetvli x10, x0, e32, m2, ta, ma\n", "e32,m2,ta,ma"},
        {" vsetvli x10, x0, e32, mf2\n", "e32,mf2,tu,mu"}, {" vsetivli x10, 4, e16, m1\n", "e16,m1,tu,mu"},
        {" li x7, 0x110\n vsetvl x10, x0, x7\n", "272"}, {" vsetvl x10, x0, x0\n", "e8,m1,tu,mu"},
        {" li x7, 0xd1\n vsetvl x10, x0, x7\n", "e32,m2,ta,ma"},
        {" lui x7, 0x80000\n addi x7, x7, 0x10\n vsetvl x10, x0, x7\n", "2147483664"},
    };
    char text[200], want[80];
    // clang-format on
    struct guest g;
    (void)state;
    guest_open(&g);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(&g, cases[i].program);
        if (g.result.fault.kind != FAULT_ILLEGAL) fail_msg("'%s' is executed", cases[i].program);
        fault_print(&g.result.fault, text, sizeof text);
        snprintf(want, sizeof want, "(vector type %s; ", cases[i].type);
        if (!strstr(text, want) || !strstr(text, ", pc 0x80000")) fail_msg("'%s': %s", cases[i].program, text);
    }
    guest_close(&g);
}

/* ---- registers that can be written ---- */

#define WRITE_ONES(csr) \
    " li x6, -1\n csrrw x10, " csr ", x6\n csrr x11, " csr "\n csrw " csr ", x0\n csrr x12, " csr "\n"

/* What they hold at first, after all ones and after zero has been written. */
static void test_fields(void **state)
{
    // clang-format off
    static const struct csr_case cases[] = {
        {WRITE_ONES("fflags"), WANT3(0, 31, 0)}, {WRITE_ONES("frm"), WANT3(0, 7, 0)}, {WRITE_ONES("fcsr"), WANT3(0, 255, 0)},
        {WRITE_ONES("vstart"), WANT3(0, 0, 0)}, {WRITE_ONES("vxsat"), WANT3(0, 1, 0)}, {WRITE_ONES("vxrm"), WANT3(0, 3, 0)},
        {WRITE_ONES("mtvec"), WANT3(0, ~0u, 0)}, {WRITE_ONES("CSR_PRINT"), WANT3(0, ~0u, 0)},
        {" li x6, 0xab\n csrw fcsr, x6\n csrr x10, frm\n csrr x11, fflags\n", WANT2(5, 11)},
        {" csrwi frm, 3\n csrwi fflags, 9\n csrr x10, fcsr\n csrwi fflags, 0\n csrr x11, fcsr\n", WANT2(0x69, 0x60)},
        {" csrwi fflags, 9\n csrwi frm, 3\n csrr x10, fflags\n", WANT1(9)},
        {" csrwi vxrm, 2\n csrwi vxsat, 1\n csrr x10, vxrm\n csrr x11, vxsat\n", WANT2(2, 1)},
    };
    // clang-format on
    (void)state;
    CHECK_CASES(cases);
}

/* Parts of mstatus say that vector or floating-point state is in use: it is off or dirty, and the top bit says that
 * some is. Other bits are kept. */
static void test_mstatus(void **state)
{
    // clang-format off
    static const struct csr_case cases[] = {
        {" li x6, 0x200\n csrw mstatus, x6\n csrr x10, mstatus\n", WANT1(0x80000600)},
        {" li x6, 0x400\n csrw mstatus, x6\n csrr x10, mstatus\n", WANT1(0x80000600)},
        {" li x6, 0x2000\n csrw mstatus, x6\n csrr x10, mstatus\n", WANT1(0x80006000)},
        {" li x6, 0x4000\n csrw mstatus, x6\n csrr x10, mstatus\n", WANT1(0x80006000)},
        {" li x6, 0x80000008\n csrw mstatus, x6\n csrr x10, mstatus\n", WANT1(8)},
        {" li x6, 0x2208\n csrw mstatus, x6\n csrr x10, mstatus\n", WANT1(0x80006608)},
    };
    // clang-format on
    (void)state;
    CHECK_CASES(cases);
}

/* ---- csr instructions ---- */

#define THREE " csrwi fflags, 3\n"

/* They give the old value; the set and clear forms write unless their operand field is 0: x0, not a register that
 * holds 0. */
static void test_instructions(void **state)
{
    // clang-format off
    static const struct csr_case cases[] = {
        {THREE " li x6, 9\n csrrw x10, fflags, x6\n csrr x11, fflags\n", WANT2(3, 9)},
        {THREE " li x6, 9\n csrrs x10, fflags, x6\n csrr x11, fflags\n", WANT2(3, 11)},
        {THREE " li x6, 9\n csrrc x10, fflags, x6\n csrr x11, fflags\n", WANT2(3, 2)},
        {THREE " csrrwi x10, fflags, 9\n csrr x11, fflags\n", WANT2(3, 9)},
        {THREE " csrrsi x10, fflags, 9\n csrr x11, fflags\n", WANT2(3, 11)},
        {THREE " csrrci x10, fflags, 9\n csrr x11, fflags\n", WANT2(3, 2)},
        {THREE " csrrw x10, fflags, x0\n csrr x11, fflags\n", WANT2(3, 0)},
        {THREE " csrrwi x10, fflags, 0\n csrr x11, fflags\n", WANT2(3, 0)},
        {THREE " csrrs x10, fflags, x0\n csrrc x11, fflags, x0\n csrrsi x12, fflags, 0\n csrrci x13, fflags, 0\n", WANT4(3, 3, 3, 3)},
        {THREE " li x10, 9\n csrrw x10, fflags, x10\n csrr x11, fflags\n", WANT2(3, 9)},
        {" csrrs x10, CSR_NUMT, x0\n csrrc x11, CSR_NUMT, x0\n csrrsi x12, CSR_NUMT, 0\n csrrci x13, CSR_NUMT, 0\n", WANT4(32, 32, 32, 32)},
        {" csrrw x0, fflags, x6\n add x10, x0, x0\n", WANT1(0)},
    };
    static const char *const refused[] = {
        " csrrw x0, CSR_NUMT, x0\n", " csrrwi x0, CSR_NUMT, 0\n", " li x6, 0\n csrrs x10, CSR_NUMT, x6\n", " li x6, 0\n csrrc x10, CSR_NUMT, x6\n",
        " csrrsi x10, CSR_NUMT, 1\n", " csrrci x10, CSR_NUMT, 1\n", " csrwi vl, 1\n", " csrwi vtype, 16\n", " csrwi CSR_RPC, 4\n",
        " csrwi cycle, 1\n", " csrr x10, 0x7ff\n", " csrwi 0x7ff, 1\n", " csrr x10, 0x80d\n",
    };
    // clang-format on
    (void)state;
    CHECK_CASES(cases);
    CHECK_REFUSED(refused);
}

#define SUM(rd, set) set " fadd.s " #rd ", x6, x7\n"
#define SUMS(to_nearest) \
    " lui x6, 0x3f800\n lui x7, 0x33800\n" SUM(x10, "") SUM(x11, " csrwi frm, 3\n") SUM(x12, to_nearest) \
        SUM(x13, " csrrsi x0, frm, 4\n") SUM(x14, " csrrci x0, frm, 4\n")

/* The next instruction rounds by it; at reserved modes there is none. 1 + 2^-24 lies halfway. Code that names fcsr is
 * executed by another engine, for its flags. */
static void test_frm(void **state)
{
    // clang-format off
    static const struct csr_case cases[] = {
        {SUMS(" csrwi frm, 0\n"), {0x3f800000, 0x3f800001, 0x3f800000, 0x3f800001, 0x3f800000, 77}},
        {SUMS(" csrwi fcsr, 0\n"), {0x3f800000, 0x3f800001, 0x3f800000, 0x3f800001, 0x3f800000, 77}},
    };
    static const char *const refused[] = {" csrwi frm, 5\n fadd.s x10, x6, x7\n", " csrwi frm, 6\n fadd.s x10, x6, x7\n",
                                          " li x6, 0xe0\n csrw fcsr, x6\n fadd.s x10, x6, x7\n"};
    // clang-format on
    (void)state;
    CHECK_CASES(cases);
    CHECK_REFUSED(refused);
}

/* ---- what the launch says ---- */

/* The second warp of the last of 2 x 3 x 4 groups, of three warps of 16 lanes. */
static const char ids[] =
    " csrr x6, CSR_GIDX\n csrr x7, CSR_GIDY\n add x6, x6, x7\n csrr x7, CSR_GIDZ\n add x6, x6, x7\n li x7, 6\n"
    " bne x6, x7, done\n csrr x6, CSR_WID\n li x7, 1\n bne x6, x7, done\n"
    " csrr x10, %s\n csrr x11, %s\n csrr x12, %s\n csrr x13, %s\n csrr x14, %s\n csrr x15, %s\n"
    " lui x5, 0x90000\n sw x10, 0(x5)\n sw x11, 4(x5)\n sw x12, 8(x5)\n sw x13, 12(x5)\n sw x14, 16(x5)\n"
    " sw x15, 20(x5)\ndone: endprg\n";

static void check_ids(struct guest *g, const char *const names[MOST], const uint32_t want[MOST])
{
    char text[1000];
    snprintf(text, sizeof text, ids, names[0], names[1], names[2], names[3], names[4], names[5]);
    guest_assemble(g, text);
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_DONE);
    for (unsigned i = 0; i < MOST; i++)
        if (g->data[i] != want[i]) fail_msg("%s is 0x%x, not 0x%x", names[i], g->data[i], want[i]);
}

static void open_grid(struct guest *g, enum isa_profile profile)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    config.sms = config.groups_per_sm = 1; /* one group after another in the same local memory */
    guest_open_config(g, &config);
    // clang-format off
    g->launch = (struct launch){.start_pc = ABI_CODE_BASE, .knl = 0x90001230, .groups = {2, 3, 4}, .warps = 3, .threads_per_warp = 16,
                                .work_items = 48, .sgprs = 64, .vgprs = 4, .pds_base = 0x98000000, .pds_bytes = 18};
    // clang-format on
}

static void test_ids(void **state)
{
    static const char *const place[] = {"CSR_TID", "CSR_WID", "CSR_WGID", "CSR_GIDX", "CSR_GIDY", "CSR_GIDZ"};
    static const char *const sizes[] = {"CSR_NUMW", "CSR_NUMT", "CSR_KNL", "CSR_LDS", "mhartid", "vlenb"};
    struct guest g;
    (void)state;
    open_grid(&g, PROFILE_DEFAULT);
    check_ids(&g, place, (const uint32_t[]){16, 1, 23, 1, 2, 3});
    check_ids(&g, sizes, (const uint32_t[]){3, 16, 0x90001230, ABI_LOCAL_BASE, 1, 64});
    guest_close(&g);
}

/* Of two groups that are on the SM at once, in each of three pairs: the documents number their slots. */
static void test_group_number(void **state)
{
    static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_TOOLCHAIN, PROFILE_R20, PROFILE_R21,
                                                PROFILE_R2025};
    (void)state;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct gpu_config config;
        struct guest g;
        gpu_config_default(&config);
        config.profile = profiles[i];
        config.sms = 1, config.groups_per_sm = 2;
        guest_open_config(&g, &config);
        g.launch = (struct launch){.start_pc = ABI_CODE_BASE,
                                   .groups = {6, 1, 1},
                                   .warps = 1,
                                   .threads_per_warp = 4,
                                   .work_items = 4,
                                   .sgprs = 32,
                                   .vgprs = 4};
        guest_assemble(&g,
                       " csrr x5, CSR_GIDX\n csrr x6, CSR_WGID\n addi x6, x6, 1\n slli x7, x5, 2\n lui x8, 0x90000\n"
                       " add x9, x7, x8\n sw x6, 0(x9)\n xori x7, x7, 4\n add x9, x7, x8\n"
                       "1: lw x10, 0(x9)\n beqz x10, 1b\n endprg\n");
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        bool linear = profiles[i] == PROFILE_DEFAULT || profiles[i] == PROFILE_TOOLCHAIN;
        for (uint32_t k = 0; k < 6; k += 2) {
            assert_int_equal(g.data[k] + g.data[k + 1], linear ? 2 * k + 3 : 3);
            assert_true(g.data[k] != g.data[k + 1]);
        }
        guest_close(&g);
    }
}

/* Private memory begins at the same place for all warps of a group; in r2025 at the warp's own part, 16 lanes times 20
 * bytes behind that of the warp before. */
static void test_private_base(void **state)
{
    static const char *const names[] = {"CSR_PDS", "CSR_PDS", "CSR_PDS", "cycleh", "timeh", "instreth"};
    (void)state;
    for (unsigned per_warp = 0; per_warp < 2; per_warp++) {
        struct guest g;
        open_grid(&g, per_warp ? PROFILE_R2025 : PROFILE_DEFAULT);
        uint32_t pds = g.launch.pds_base + per_warp * 16 * 20;
        check_ids(&g, names, (const uint32_t[]){pds, pds, pds, 0, 0, 0});
        guest_close(&g);
    }
}

/* They count instructions, the one that reads included. setrpc is the only way to write CSR_RPC. */
static void test_counters(void **state)
{
    static const struct csr_case cases[] = {
        {" csrr x10, cycle\n csrr x11, time\n csrr x12, instret\n sub x12, x12, x10\n sub x11, x11, x10\n",
         {NOT_TESTED, 1, 2, 77, 77, 77}},
        {" li x6, 0x1230\n setrpc x10, x6, 4\n csrr x11, CSR_RPC\n", WANT2(0x1234, 0x1234)},
    };
    (void)state;
    CHECK_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vl),           cmocka_unit_test(test_vl_of_small_warps),
        cmocka_unit_test(test_vl_lanes),     cmocka_unit_test(test_vtype_refused),
        cmocka_unit_test(test_fields),       cmocka_unit_test(test_mstatus),
        cmocka_unit_test(test_instructions), cmocka_unit_test(test_frm),
        cmocka_unit_test(test_ids),          cmocka_unit_test(test_group_number),
        cmocka_unit_test(test_private_base), cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
