/* What translated code concludes from block to block (translator/facts.c): known numbers, words that follow one
 * another, NaNs that are not canonical yet. Programs that break when a conclusion is wrong, on `step` and on every host
 * level of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

/* x20 is the data, v31 the address of each lane's word there, v1 to v3 and x10 are numbers from there; v0 says every
 * other lane. SAVE puts v1 to v5 and x10 to x12 behind the first pages. */
#define LOAD \
    " lui x20, 0x90000\n vid.v v31\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n lui x5, 0x55555\n" \
    " addi x5, x5, 0x555\n vmv.v.x v0, x5\n vlw12.v v1, 0(v31)\n vlw12.v v2, 128(v31)\n vlw12.v v3, 256(v31)\n" \
    " lw x10, 1024(x20)\n"
#define SAVE \
    " lui x31, 0x90004\n vid.v v31\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x31\n vsw12.v v1, 0(v31)\n" \
    " vsw12.v v2, 128(v31)\n vsw12.v v3, 256(v31)\n vsw12.v v4, 384(v31)\n vsw12.v v5, 512(v31)\n" \
    " sw x10, 1024(x31)\n sw x11, 1028(x31)\n sw x12, 1032(x31)\n"

/* Here `step` has one instruction. */
#define BY_STEP " csrr x9, vl\n"

static struct result run(struct pair *p)
{
    p->concludes = true;
    return pair_run_levels(p);
}

static void expect_same_of(struct pair *p) { assert_int_equal(run(p).status, LAUNCH_DONE); }

static void expect_same(const char *text) { expect_same_of(&(struct pair){.text = text}); }

/* ---- numbers ---- */

/* A number that is known in one block and another one elsewhere, where the warp is given back. */
static void test_numbers_at_exits(void **state)
{
    (void)state;
    expect_same(LOAD " li x10, 0\n li x11, 7\n li x9, 192\nloop: addi x10, x10, 64\n barrier 1\n add x12, x12, x10\n"
                     " blt x10, x9, loop\n" BY_STEP " add x12, x12, x11\n li x11, 77\n li x10, 78\n" BY_STEP SAVE
                     " endprg\n");
}

/* The metadata block is read as the warp has changed it; behind it is nothing. */
static void test_metadata_block(void **state)
{
    const uint32_t at = GUEST_BYTES - ABI_META_SIZE;
    static const char inside[] = LOAD " csrr x5, CSR_KNL\n lw x10, 8(x5)\n li x6, 77\n sw x6, 8(x5)\n"
                                      " lw x11, 8(x5)\n lw x12, 60(x5)\n" SAVE " endprg\n";
    static const char *const beyond[] = {"lw x11, 64(x5)", "lh x11, 64(x5)", "lbu x11, 127(x5)", "lw x11, 2044(x5)"};
    (void)state;
    expect_same_of(&(struct pair){.text = inside, .metadata = at});
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        char text[1000];
        snprintf(text, sizeof text, LOAD " csrr x5, CSR_KNL\n lw x10, 60(x5)\n lbu x12, 63(x5)\n %s\n endprg\n",
                 beyond[i]);
        assert_int_equal(run(&(struct pair){.text = text, .metadata = at}).status, LAUNCH_FAULT);
    }
}

/* Scalar registers become integers as the instruction says: toward zero, and in every other way. */
static void test_scalar_conversions(void **state)
{
    static const uint32_t words[] = {0x3fc00000, 0xbfc00000, 0x40200000, 0xbf000000, 0x4effffff, 0x4f000000,
                                     0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x7f800000, 0xff800000,
                                     0x7fc00000, 0xffc00001, 0x80000000, 0x00000001};
    static const char *const modes[] = {"rtz", "rne", "rdn", "rup", "rmm"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[1000];
        const char *other = modes[1 + i % 4];
        snprintf(text, sizeof text,
                 LOAD " li x6, 0x%x\n fcvt.w.s x10, x6, rtz\n fcvt.wu.s x11, x6, rtz\n fcvt.w.s x12, x6, %s\n"
                      " fcvt.wu.s x5, x6, %s\n vmv.v.x v2, x5\n vfcvt.x.f.v v3, v1\n" SAVE " endprg\n",
                 words[i], other, other);
        expect_same(text);
    }
}

/* Two ways that bring different numbers, and two that bring the same. */
static void test_numbers_meet(void **state)
{
    (void)state;
    expect_same(LOAD " andi x5, x10, 1\n li x11, 8\n li x12, 16\n beq x5, x0, even\n li x11, 8\n li x12, 24\n"
                     "even: vdivu.vx v2, v1, x11\n vremu.vx v3, v1, x12\n vid.v v4\n vremu.vx v4, v4, x12\n"
                     " vdivu.vx v5, v1, x12\n" SAVE " endprg\n");
}

/* Sums, products and shifts of known numbers are known: what lanes divide by. */
static void test_numbers_are_computed(void **state)
{
    (void)state;
    expect_same(LOAD " li x5, -3\n li x6, 0x10001\n mul x7, x6, x6\n add x8, x7, x5\n slli x9, x6, 17\n li x11, 7\n"
                     " slli x11, x11, 3\n mul x12, x5, x5\n vremu.vx v2, v1, x7\n vdivu.vx v3, v1, x9\n"
                     " vremu.vx v4, v1, x11\n vadd.vx v4, v4, x8\n vdivu.vx v5, v1, x12\n" SAVE " endprg\n");
}

/* Divisions by known numbers are no divisions: of the least and greatest numbers and of others between them, by those
 * without a quotient, too. What they give is added up. */
static void test_known_divisors(void **state)
{
    static const char *const divisors[] = {"0",  "1",  "2",   "3",          "7",          "8",          "10",
                                           "-1", "-2", "-10", "0x40000000", "0x80000000", "0x7fffffff", "0x80000001"};
    static const char *const rows[] = {"vdiv.vx", "vdivu.vx", "vrem.vx", "vremu.vx"};
    (void)state;
    for (int less = 0; less < 2; less++) {
        char text[8000];
        int n = snprintf(text, sizeof text, LOAD " li x6, 31\n vid.v v1\n vsll.vi v1, v1, 27\n vadd.vi v1, v1, %d\n",
                         -less);
        for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++)
            for (size_t k = 0; k < 4; k++)
                n += snprintf(text + n, sizeof text - (size_t)n,
                              " li x11, %s\n %s v5, v1, x11\n vmul.vx v%zu, v%zu, x6\n vadd.vv v%zu, v%zu, v5\n",
                              divisors[i], rows[k], 2 + k % 3, 2 + k % 3, 2 + k % 3, 2 + k % 3);
        snprintf(text + n, sizeof text - (size_t)n, SAVE " endprg\n");
        expect_same(text);
    }
}

/* Numbers of work-items, warps and lanes, in groups of one warp, where they are known, and of two: divided by lengths
 * that none, the last one or most of them reach, and as addresses. */
static void test_lane_numbers(void **state)
{
    static const struct launch groups[] = {{.warps = 1, .threads_per_warp = 32, .work_items = 24, .groups = {3}},
                                           {.warps = 1, .threads_per_warp = 32, .work_items = 32, .groups = {3}},
                                           {.warps = 2, .threads_per_warp = 32, .work_items = 56, .groups = {2}}};
    static const char *const rows[] = {"vremu.vx", "vdivu.vx", "vand.vx"};
    static const unsigned lengths[] = {1, 23, 24, 25, 32, 56};
    char text[9000];
    int n = snprintf(text, sizeof text,
                     LOAD " csrr x5, CSR_TID\n csrr x10, CSR_WID\n csrr x11, CSR_NUMW\n vid.v v6\n vadd.vx v6, v6, x5\n"
                          " vmv.v.v v1, v6\n vsll.vx v1, v1, x11\n");
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned k = 0; k < 6; k++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          " li x6, %u\n vadd.vi v7, v6, %u\n %s v7, v7, x6\n vsll.vi v4, v7, 2\n%s"
                          " vadd.vx v4, v4, x20\n vlw12.v v4, %zu(v4)\n vxor.vv v2, v2, v4\n vadd.vv v3, v3, v7\n",
                          lengths[i] - (k > 3), k % 2, rows[k / 2], k == 1 ? " barrier 1\n" : "", 4 * i);
    snprintf(text + n, sizeof text - (size_t)n,
             " csrr x5, CSR_TID\n csrr x6, CSR_GIDX\n slli x6, x6, 6\n add x5, x5, x6\n slli x5, x5, 2\n"
             " add x20, x20, x5\n vid.v v31\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n lui x5, 4\n"
             " vadd.vx v31, v31, x5\n vsw12.v v1, 0(v31)\n addi x7, x0, 1024\n vadd.vx v31, v31, x7\n"
             " vsw12.v v2, 0(v31)\n vadd.vx v31, v31, x7\n vsw12.v v3, 0(v31)\n add x10, x10, x11\n"
             " slli x10, x10, 8\n sw x10, 2000(x20)\n endprg\n");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        expect_same_of(&(struct pair){.text = text, .shape = groups[i]});
}

/* The program comes back behind a call that never returns, by a jump whose target it does not show, with something else
 * in a register than the ways that it does show bring: a number, a multiple, words that follow one another, that are
 * the same, canonical NaNs, and halves. Nobody knows that x11 is 0. */
static void test_strays(void **state)
{
    static const struct {
        const char *before, *use, *other;
    } ways[] = {
        {"li x5, 1", "add x10, x10, x5\n vadd.vx v1, v1, x5", "li x5, 2"},
        {"slli x5, x10, 4",
         "vid.v v4\n vadd.vx v4, v4, x5\n vremu.vx v5, v4, x12\n vsll.vi v5, v5, 2\n vadd.vx v5, v5, x20\n vlw12.v v4, "
         "0(v5)",
         "addi x5, x5, 3"},
        {"vadd.vi v6, v31, 4", "vlw12.v v4, 0(v6)", "vrsub.vi v6, v6, 0\n vadd.vx v6, v6, x7"},
        {"vadd.vi v6, v31, 4", "vlw12.v v4, 0(v6)", "vxor.vi v6, v6, 4"},
        {"vadd.vi v6, v31, 4", "vlw12.v v4, 0(v6)", "vadd.vi v6, v6, 8"},
        {"vid.v v6\n vand.vi v6, v6, 7\n vsll.vi v6, v6, 2\n vadd.vx v6, v6, x20", "vlw12.v v4, 0(v6)",
         "vmv.v.v v6, v31"},
        {"vid.v v6\n vand.vi v6, v6, 15\n vmul.vv v6, v6, v6", "vadd.vv v1, v1, v6", "vmul.vv v6, v31, v31"},
        {"li x5, 32\n mul x14, x10, x5\n vid.v v6\n vadd.vx v6, v6, x14\n vremu.vx v6, v6, x5", "vadd.vv v1, v1, v6",
         "vadd.vi v6, v6, 1"},
        {"li x5, 32\n mul x14, x10, x5\n vid.v v6\n vadd.vx v6, v6, x14\n vdivu.vx v6, v6, x5\n vxor.vi v6, v6, 3",
         "vadd.vv v1, v1, v6", "vmv.v.v v6, v31"},
        {"vmv.v.x v6, x20", "vlw12.v v4, 0(v6)", "vadd.vi v6, v31, 8"},
        {"vfadd.vv v6, v1, v2", "vfadd.vv v4, v6, v3\n vxor.vv v4, v6, v4", "vor.vv v6, v3, v8"},
        {"vlhu12.v v6, 0(v31)", "vmul.f16x2 v4, v6, v6\n vadd.f16x2 v4, v4, v6", "vmv.v.v v6, v2"},
        {"vlhu12.v v6, 0(v31)\n lhu x5, 2(x20)", "vmv.v.x v5, x5\n vadd.f16x2 v4, v6, v5", "lw x5, 1024(x20)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD
                 " sub x11, x10, x10\n li x12, 16\n li x13, 2\n li x7, 0x2000\n add x7, x7, x20\n add x7, x7, x20\n"
                 " li x8, -1\n vmv.v.x v8, x8\n %s\n jal x6, f\nbehind: j meet\nf: j meet\n"
                 "meet: %s\n addi x13, x13, -1\n bne x13, x0, meet\n bne x11, x0, out\n %s\n li x11, 1\n li x13, 2\n"
                 " la x9, stray\n sw x9, 0(x20)\n lw x9, 0(x20)\n jal x6, g\n j out\ng: jalr x0, 0(x9)\n"
                 "stray: j behind\nout:" SAVE " endprg\n",
                 ways[i].before, ways[i].use, ways[i].other);
        expect_same(text);
    }
}

/* Behind a barrier `step` goes on with a warp that translated code has left there, as far as its time slice goes, and
 * to a place that the code does not show with another number. */
static void test_stray_behind_barrier(void **state)
{
    (void)state;
    for (unsigned quantum = 20; quantum < 60; quantum++)
        expect_same_of(&(struct pair){
            .text = LOAD " li x5, 1\n li x13, 2\n sub x11, x10, x10\n jal x6, f\nbehind: j meet\nf: j meet\n"
                         "meet: add x10, x10, x5\n vadd.vx v1, v1, x5\n addi x13, x13, -1\n bne x13, x0, meet\n"
                         " bne x11, x0, out\n li x5, 2\n li x11, 1\n li x13, 2\n"
                         " la x9, stray\n sw x9, 0(x20)\n barrier 1\n lw x9, 0(x20)\n jal x6, g\n j out\n"
                         "g: jalr x0, 0(x9)\nstray: j behind\nout:" SAVE " endprg\n",
            .quantum = quantum});
}

/* ---- words that follow one another ---- */

/* Each leaves offsets below 8192 in v6, of words for one access and of bytes for another. */
static const char *const offsets[] = {
    " vid.v v6\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n",
    " vid.v v6\n vsll.vi v6, v6, 3\n",
    " vid.v v6\n vsll.vi v6, v6, 4\n",
    " vid.v v6\n vsll.vi v6, v6, 5\n",
    " vid.v v6\n li x6, 68\n vmul.vx v6, v6, x6\n",
    " vid.v v6\n li x6, 8\n vremu.vx v6, v6, x6\n li x6, 1020\n vmul.vx v6, v6, x6\n",
    " vid.v v6\n li x6, 16\n vremu.vx v6, v6, x6\n vsll.vi v6, v6, 2\n vrsub.vi v6, v6, 15\n vadd.vx v6, v6, x7\n",
    " vid.v v6\n vsll.vi v6, v6, 3\n vand.vi v7, v7, 0\n vadd.vi v6, v6, 12\n",
    " vid.v v6\n vrsub.vi v6, v6, 15\n vsll.vi v6, v6, 2\n vadd.vi v6, v6, 15\n vand.vx v6, v6, x7\n",
    " vid.v v6\n li x6, 8\n vremu.vx v6, v6, x6\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n li x6, 16\n vdivu.vx v6, v6, x6\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n li x6, 12\n vremu.vx v6, v6, x6\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n li x6, 24\n vdivu.vx v6, v6, x6\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n vadd.vi v6, v6, 3\n li x6, 8\n vremu.vx v6, v6, x6\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n vadd.vi v6, v6, 8\n li x6, 16\n vremu.vx v6, v6, x6\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n vand.vi v6, v6, 7\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n vand.vi v6, v6, 12\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n vsrl.vi v6, v6, 3\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n li x6, -16\n vadd.vx v6, v6, x6\n vsrl.vi v6, v6, 4\n vand.vi v6, v6, 7\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n vid.v v7\n vand.vi v7, v7, 7\n li x6, 5\n vmacc.vx v7, x6, v6\n vsll.vi v6, v7, 2\n",
    " vid.v v6\n vsrl.vi v7, v6, 3\n vmul.vx v7, v7, x7\n vand.vi v6, v6, 7\n vadd.vv v6, v6, v7\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n vand.vi v6, v6, 7\n vmul.vv v6, v6, v6\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n li x6, 16\n vremu.vx v6, v6, x6\n vxor.vi v6, v6, 5\n vsll.vi v6, v6, 2\n",
    " vid.v v6\n vand.vi v7, v6, 7\n li x6, 16\n vremu.vx v6, v6, x6\n vmacc.vx v7, x6, v6\n vsll.vi v6, v7, 2\n",
    " vid.v v6\n vand.vi v6, v6, 7\n vsll.vi v6, v6, 5\n vadd.vx v6, v6, x7\n",
    " vmv.v.i v6, 12\n",
    " lw x6, 4(x20)\n andi x6, x6, 1020\n vmv.v.x v6, x6\n",
    (" lw x6, 4(x20)\n andi x6, x6, 7\n vmv.v.x v6, x6\n lw x6, 8(x20)\n andi x6, x6, 31\n vmul.vx v6, v6, x6\n"
     " vsll.vi v6, v6, 2\n"),
    " vid.v v6\n vmv.v.i v7, 8\n vsub.vv v6, v6, v6\n vadd.vv v6, v6, v7\n",
    " vid.v v6\n vsll.vi v6, v6, 2\n vadd.vi v6, v6, 4, v0.t\n",
};

/* Loads and stores at those offsets, in a block of their own, with all lanes or some. */
static const char accesses[] =
    " vmv.v.v v9, v6\n vadd.vx v6, v6, x20\n j on\non: vlw12.v v1, 0(v6)\n vluxei32.v v2, (x20), v9, v0.t\n"
    " vlbu12.v v3, 1(v6)\n vlh12.v v4, 2(v6)\n li x6, 1024\n vadd.vx v7, v6, x6\n vadd.vx v7, v7, x6\n"
    " vadd.vx v7, v7, x6\n vsw12.v v1, 0(v7)\n vsb12.v v3, 3(v7)\n vsh12.v v4, 1028(v7)\n"
    " vsuxei32.v v2, (x20), v9, v0.t\n la x6, meet\n setrpc x0, x6, 0\n vid.v v5\n vmv.v.i v8, 9\n"
    " vblt v8, v5, meet\n vlw12.v v1, 8(v6)\n vsw12.v v1, 512(v7)\n vlw12.v v5, 12(v6)\nmeet: join\n";

/* The same with a scalar that all lanes add, also to indices of one byte. */
static const char indexed_accesses[] =
    " vmv.v.v v9, v6\n j on\non: vluxei32.v v1, (x20), v9\n vloxei32.v v2, (x20), v9, v0.t\n li x6, 0x1000\n"
    " add x8, x20, x6\n vsoxei32.v v1, (x8), v9\n addi x9, x8, 1024\n vsuxei32.v v2, (x9), v9, v0.t\n"
    " vloxei8.v v4, (x20), v9\n vluxei16.v v5, (x20), v9\n la x6, meet\n setrpc x0, x6, 0\n vid.v v3\n"
    " vmv.v.i v8, 9\n vblt v8, v3, meet\n addi x9, x8, 512\n vloxei32.v v3, (x8), v9\n vadd.vv v1, v1, v3\n"
    " vsoxei32.v v3, (x9), v9\nmeet: join\n";

static void expect_offsets(const char *offset, const char *how)
{
    for (uint32_t items = 32; items > 20; items -= 11) {
        char text[3000];
        uint64_t translated;
        snprintf(text, sizeof text, LOAD " li x7, 1020\n%s%s" SAVE " endprg\n", offset, how);
        struct pair p = {.text = text, .shape = {.warps = 1, .threads_per_warp = 32, .work_items = items}};
        if (items == 32) expect_same_of(&p);
        else assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
    }
}

static void test_offsets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        expect_offsets(offsets[i], accesses);
        expect_offsets(offsets[i], indexed_accesses);
    }
}

/* Loads beside each other as of parts of vectors, at places that only the running code knows: so far apart or not. */
static void test_parts(void **state)
{
    static const char *const parts[] = {" vlw12.v v1, 16(v6)\n vlw12.v v2, 20(v6)\n",
                                        " vlw12.v v1, 0(v6)\n vlw12.v v2, 4(v6)\n vlw12.v v3, 8(v6)\n"
                                        " vlw12.v v4, 12(v6)\n"};
    static const char *const places[] = {" vsll.vi v6, v6, 3\n", " vsll.vi v6, v6, 4\n", " vsll.vi v6, v6, 2\n",
                                         " vand.vi v6, v6, 0\n",
                                         " vmul.vv v6, v6, v6\n vsll.vi v6, v6, 2\n vand.vx v6, v6, x7\n"};
    (void)state;
    for (unsigned i = 0; i < 2 * 5; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD " li x7, 1020\n vid.v v6\n%s vadd.vx v6, v6, x20\n vsw12.v v6, 2000(v31)\n"
                      " vlw12.v v6, 2000(v31)\n j on\non:%s" SAVE " endprg\n",
                 places[i / 2], parts[i % 2]);
        expect_same(text);
    }
}

/* Each eight lanes, or each 16, load a word, of which lanes that rest have none: addresses that follow from it. */
static void test_words_of_some(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * 3; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD " vid.v v4\n vsrl.vi v6, v4, %u\n vsll.vi v6, v6, 2\n vadd.vx v6, v6, x20\n vmv.v.i v8, 0\n"
                      " vand.vi v7, v4, %u\n vmv.v.i v9, 12\n la x6, meet\n setrpc x0, x6, 0\n vbeq v7, v8, meet\n"
                      " vlw12.v v5, 4(v6)\n vand.vv v5, v5, v9\n vadd.vv v5, v5, v31\n vlw12.v v1, 0(v5)\n"
                      " vsw12.v v2, 512(v5)\nmeet: join\n" SAVE " endprg\n",
                 3 + i % 2, 1u << i / 2);
        expect_same(text);
    }
}

/* Words with gaps that begin with the first word of memory or end with the last one, and one too far. */
static void test_gaps_at_ends(void **state)
{
    static const char *const uses[] = {"vlw12.v v4, 0(v6)", "vsw12.v v1, 0(v6)"};
    (void)state;
    for (unsigned i = 0; i < 2 * 3 * 4; i++) {
        uint32_t shift = 3 + i / 2 % 3, span = 31u << shift, last = GUEST_BYTES - 4 - span;
        const uint32_t firsts[] = {0, last, 0u - 4, last + 4};
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD " li x6, %d\n add x6, x6, x20\n vid.v v6\n vsll.vi v6, v6, %u\n vadd.vx v6, v6, x6\n"
                      " j on\non: %s\n%s endprg\n",
                 (int)firsts[i / 6], (unsigned)shift, uses[i % 2], i / 6 % 2 ? "" : SAVE);
        enum launch_status status = run(&(struct pair){.text = text}).status;
        assert_int_equal(status, i / 6 < 2 ? LAUNCH_DONE : LAUNCH_FAULT);
    }
}

/* Words that repeat, of which one is behind the end of memory: the first lane that has it fails, of all lanes and of
 * the last fifteen. */
static void test_repeats_at_ends(void **state)
{
    static const char *const uses[] = {"vlw12.v v4, 4(v6)", "vlh12.v v4, 4(v6)", "vluxei32.v v4, (x5), v7"};
    (void)state;
    for (unsigned i = 0; i < 3 * 8; i++) {
        unsigned most = i / 3 % 2 ? 15 : 7, fails = i / 6 % 2 ? most - 1 : 3;
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD " li x6, %d\n add x6, x6, x20\n addi x5, x6, 4\n vid.v v5\n vand.vi v7, v5, %u\n"
                      " vsll.vi v7, v7, 2\n vadd.vx v6, v7, x6\n la x8, met\n setrpc x0, x8, 0\n li x9, %d\n"
                      " vmv.v.x v8, x9\n vbge v8, v5, met\n %s\nmet: join\n endprg\n",
                 (int)(GUEST_BYTES - 4 - fails * 4), most, i / 12 ? 16 : -1, uses[i % 3]);
        struct result r = run(&(struct pair){.text = text});
        assert_int_equal(r.status, LAUNCH_FAULT);
        assert_int_equal(r.fault.addr, 0x90000000 + GUEST_BYTES);
    }
}

/* A pointer that moves from round to round, with all lanes and with those that are left. */
static void test_moving_pointers(void **state)
{
    (void)state;
    expect_same(LOAD " vmv.v.v v6, v31\n li x8, 9\n vid.v v7\nloop: vlw12.v v4, 0(v6)\n vadd.vv v1, v1, v4\n"
                     " vsw12.v v1, 512(v6)\n vadd.vi v6, v6, 4\n addi x8, x8, -1\n bne x8, x0, loop\n"
                     " la x6, meet\n setrpc x0, x6, 0\n vmv.v.i v8, 0\nagain: vlw12.v v5, 0(v6)\n vadd.vv v2, v2, v5\n"
                     " vadd.vi v6, v6, 4\n vadd.vi v8, v8, 1\n vbge v7, v8, again\nmeet: join\n vsw12.v v2, 1024(v6)\n"
                     " vlw12.v v3, 0(v6)\n" SAVE " endprg\n");
}

/* Words that repeat from eight lanes to eight, or from sixteen: going round a loop, on two ways that meet, and in lanes
 * that leave a loop one after the other. */
static void test_words_that_repeat(void **state)
{
    static const char *const ways[] = {
        "vand.vi v6, v7, 7", "vand.vi v6, v7, 15", "vmv.v.x v6, x10", "vmv.v.v v6, v7", "vmul.vv v6, v7, v7",
    };
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD " vid.v v7\n li x8, 9\n andi x10, x10, 31\n andi x5, x10, 1\n vand.vi v6, v7, 7\n"
                      " vmul.vv v6, v6, v6\n beq x5, x8, one\n %s\none: vsll.vi v6, v6, 2\n vadd.vx v6, v6, x20\n"
                      "loop: vlw12.v v4, 0(v6)\n vadd.vv v1, v1, v4\n vlw12.v v5, 8(v6)\n vxor.vv v1, v1, v5\n"
                      " vadd.vi v6, v6, 4\n addi x8, x8, -1\n bne x8, x0, loop\n la x6, meet\n setrpc x0, x6, 0\n"
                      " vmv.v.i v8, 0\nagain: vlw12.v v5, 0(v6)\n vadd.vv v2, v2, v5\n vadd.vi v6, v6, 4\n"
                      " vadd.vi v8, v8, 1\n vbge v7, v8, again\nmeet: join\n vlw12.v v3, 0(v6)\n"
                      " vadd.vv v4, v8, v3\n vadd.vv v4, v4, v6\n" SAVE " endprg\n",
                 ways[i]);
        expect_same(text);
    }
    expect_same(
        LOAD
        " vid.v v6\n vand.vi v6, v6, 7\n vmul.vv v6, v6, v6\n ori x9, x10, 1\n andi x9, x9, 3\nhead: beq x9, x0, over\n"
        " addi x9, x9, -1\n vmul.vv v6, v6, v1\n j head\nover: vadd.vv v2, v2, v6\n" SAVE " endprg\n");
}

/* The deepest word of private memory, and one that differs from lane to lane. */
static void test_private_offsets(void **state)
{
    (void)state;
    expect_same(LOAD " vmv.v.i v6, 8\n vsw.v v1, 4(v6)\n vlw.v v4, 4(v6)\n vlbu.v v5, 5(v6)\n vid.v v7\n"
                     " vand.vi v7, v7, 4\n vsw.v v2, 0(v7)\n vlw.v v3, 0(v7)\n" SAVE " endprg\n");
}

/* ---- NaNs ---- */

/* v6 are numbers, infinities and NaNs whose bits are not the canonical ones; v7 is their difference from themselves. */
static const uint32_t specials[] = {0x7f800000, 0xff800000, 0x3f800000, 0xffc00001, 0x7fc12345, 0xffffffff,
                                    0x80000000, 0x7fffffff, 0x00000001, 0xbf800000, 0x7f7fffff, 0xffc00000};

static void expect_same_of_specials(const char *text)
{
    uint32_t words[300];
    for (uint32_t i = 0; i < 300; i++) words[i] = specials[(i * 7 + i / 12) % 12];
    struct pair p = {.text = text, .words = words, .count = 300};
    p.shape = (struct launch){.warps = 1, .threads_per_warp = 32, .work_items = 32, .vgprs = ISA_VREGS};
    expect_same_of(&p);
}

/* Who sees which NaN it is: stores, moves of bits, masks, integers, branches, scalar registers, signs. */
static void test_nans_are_seen(void **state)
{
    enum { USES = 5 }; /* in a program */
    static const char *const uses[] = {
        " vsw12.v v4, 640(v31)\n",
        " vadd.vi v5, v4, 1\n",
        " vfsgnjn.vv v5, v4, v4\n",
        " vfsgnjx.vv v5, v1, v4\n",
        " vfclass.v v5, v4\n",
        " vfmerge.vfm v5, v4, x10, v0\n",
        " vmerge.vvm v5, v1, v4, v0\n",
        " vmv.v.v v5, v4\n",
        " vmv.v.v v5, v4\n vadd.vi v5, v5, 1\n",
        " vfmv.f.s x11, v4\n",
        " vmv.x.s x11, v4\n",
        " vsb12.v v4, 640(v31)\n",
        " vfadd.vv v5, v4, v1, v0.t\n",
        " vadd.vv v4, v1, v2, v0.t\n",
        " vmseq.vv v5, v4, v1\n",
        " vmfeq.vv v5, v4, v4\n",
        " vfmin.vv v5, v4, v1\n vfmax.vv v4, v4, v4\n",
        " vmv.v.v v0, v4\n vadd.vi v5, v1, 1, v0.t\n",
        BY_STEP,
        " barrier 1\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i += USES) {
        char text[6000];
        size_t n = (size_t)snprintf(text, sizeof text, LOAD " li x8, 128\n");
        for (size_t k = i; k < i + USES; k++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  " vfsub.vv v4, v1, v2\n vfmul.vv v5, v1, v3\n%s j on%zu\non%zu: vfmacc.vv v4, v1, "
                                  "v2\n%s vsw12.v v5, 1024(v31)\n vadd.vx v31, v31, x8\n sw x11, 1500(x20)\n"
                                  " addi x20, x20, 4\n vfadd.vv v3, v4, v5\n",
                                  uses[k], k, k, uses[k]);
        snprintf(text + n, sizeof text - n, SAVE " endprg\n");
        expect_same_of_specials(text);
    }
}

/* The first and last registers of every word of the sets that they are in. */
static void test_nans_in_all_registers(void **state)
{
    char text[4000];
    size_t n = (size_t)snprintf(text, sizeof text, LOAD);
    (void)state;
    for (unsigned r = 62; r < 256; r += r % 64 == 3 ? 59 : 1)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              " vfsub.vv v%u, v1, v2\n vadd.vi v5, v%u, 0\n vsll.vi v4, v4, 1\n vxor.vv v4, v4, v5\n",
                              r, r);
    snprintf(text + n, sizeof text - n, SAVE " endprg\n");
    expect_same_of_specials(text);
}

/* In a loop: a sum that stays a number, one that begins as bits of memory, one that is an integer every other round. */
static void test_nans_in_loops(void **state)
{
    (void)state;
    expect_same_of_specials(
        LOAD " vmv.v.i v4, 0\n vmv.v.v v5, v1\n li x8, 6\nloop: vfmacc.vv v4, v1, v2\n vfadd.vv v5, v5, v3\n"
             " andi x9, x8, 1\n beq x9, x0, even\n vxor.vv v3, v3, v1\n j on\neven: vfsub.vv v3, v3, v2\n"
             "on: vfadd.vv v1, v1, v4\n addi x8, x8, -1\n bne x8, x0, loop\n" SAVE " endprg\n");
    expect_same_of_specials(LOAD " li x8, 5\n vmv.v.i v4, 0\nloop: vfmacc.vv v4, v1, v2\n barrier 1\n"
                                 " vfadd.vv v4, v4, v3\n" BY_STEP " addi x8, x8, -1\n bne x8, x0, loop\n" SAVE
                                 " endprg\n");
}

/* Under masks: lanes that rest keep bits which are no number, others get one that is not canonical. */
static void test_nans_under_masks(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 3; order++) {
        uint32_t words[300];
        for (uint32_t i = 0; i < 300; i++) words[i] = specials[(i * 5 + i / 12) % 12];
        struct pair p = {.words = words,
                         .count = 300,
                         .order = (enum path_order)order,
                         .text = LOAD
                         " vid.v v6\n vand.vi v6, v6, 3\n vmv.v.i v7, 2\n vmv.v.v v4, v1\n vfsub.vv v5, v1, v2\n"
                         " la x6, meet\n setrpc x0, x6, 0\n vblt v6, v7, few\n vfsub.vv v4, v2, v3\n"
                         " vfadd.vv v5, v5, v1\n vfadd.vv v3, v4, v5\n j meet\nfew: vxor.vv v5, v5, v1\n"
                         " vfmul.vv v3, v1, v3\nmeet: join\n vfadd.vv v2, v3, v4\n" SAVE " endprg\n"};
        expect_same_of(&p);
    }
}

/* A result and who takes it, with something in between that changes signs, other bits of a NaN, or some lanes; of
 * halves, floats and both. x8 is the sign of a float, x9 of a half, x12 the bit that tells NaNs from infinities. */
static void test_nans_in_between(void **state)
{
    static const char *const results[] = {"vfmul.vv v4, v1, v2", "vmul.f16x2 v4, v1, v2", "vcvt.fp32.fp16 v4, v1",
                                          "vcvt.fp16.fp32 v4, v1"};
    static const char *const between[] = {
        "vfsgnjn.vv v5, v4, v4", "vfsgnjx.vv v5, v4, v4",      "vxor.vx v5, v4, x8", "vxor.vx v5, v4, x9",
        "vor.vx v5, v4, x8",     "vor.vx v5, v4, x9",          "vand.vx v5, v4, x7", "vxor.vx v5, v4, x12",
        "vand.vx v5, v4, x13",   "vmerge.vvm v5, v3, v4, v0",  "vmv.v.v v5, v4",     "vsll.vi v5, v4, 16",
        "vsrl.vi v5, v4, 16",    "vmerge.vxm v5, v4, x12, v0",
    };
    enum { IN_BETWEEN = sizeof between / sizeof *between };
    (void)state;
    for (size_t r = 0; r < sizeof results / sizeof *results; r++) {
        char text[6000];
        size_t n = (size_t)snprintf(text, sizeof text,
                                    LOAD " lui x8, 0x80000\n lui x9, 8\n xori x7, x8, -1\n lui x12, 0x400\n"
                                         " lui x13, 0xff800\n addi x20, x20, 512\n");
        for (size_t i = 0; i < IN_BETWEEN; i++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  " %s\n %s\n vfadd.vv v6, v5, v3\n vadd.f16x2 v7, v5, v3\n vmflt.vv v8, v5, v3\n"
                                  " vcvt.fp32.fp16 v9, v5\n vxor.vv v6, v6, v7\n vxor.vv v8, v8, v9\n"
                                  " vsll.vi v8, v8, 1\n vadd.vv v10, v10, v6\n vadd.vv v10, v10, v8\n%s",
                                  results[r], between[i], i % 4 ? "" : " vadd.vv v10, v10, v5\n");
        snprintf(text + n, sizeof text - n, " vmv.v.v v1, v10\n" SAVE " endprg\n");
        expect_same_of_specials(text);
    }
}

/* ---- upper bits ---- */

/* Halves are computed with in pairs where the upper ones are known to be 0: v4 has such words, or nearly such ones. x8
 * is 0xffff, x9 0xff, v3 and v5 are below 2^8 and 2^9. */
static void test_upper_halves(void **state)
{
    static const char *const words[] = {
        "vlhu12.v v4, 0(v31)", "vlh12.v v4, 0(v31)",   "vlbu12.v v4, 2(v31)", "vlb12.v v4, 2(v31)",
        "vlw12.v v4, 0(v31)",  "vand.vx v4, v1, x8",   "vsrl.vi v4, v1, 16",  "vsrl.vi v4, v1, 15",
        "vsll.vi v4, v3, 8",   "vsll.vi v4, v3, 9",    "vmul.vv v4, v3, v3",  "vmul.vv v4, v3, v5",
        "vmul.vx v4, v3, x8",  "vmul.vx v4, v3, x9",   "vxor.vx v4, v3, x8",  "vxor.vi v4, v3, -1",
        "vor.vv v4, v3, v1",   "vor.vv v4, v3, v5",    "vand.vv v4, v3, v1",  "vand.vi v4, v1, -2",
        "vmv.v.x v4, x7",      "vmv.v.x v4, x8",       "vmv.v.x v4, x11",     "vmv.v.i v4, -3",
        "vadd.vv v4, v3, v5",  "vadd.vx v4, v3, x8",   "vmv.v.v v4, v5",      "vadd.f16x2 v4, v1, v3",
        "vmseq.vv v4, v1, v1", "vmflt.vv v4, v3, v10", "vmul.vv v4, v6, v5",  "vmul.vv v4, v6, v1",
    };
    enum { COUNT = sizeof words / sizeof *words, IN_PROGRAM = 8 };
    (void)state;
    for (size_t i = 0; i < COUNT; i += IN_PROGRAM) {
        char text[6000];
        size_t n = (size_t)snprintf(text, sizeof text,
                                    LOAD " li x8, 0xffff\n li x9, 0xff\n lhu x7, 1032(x20)\n vmv.v.i v10, 0\n"
                                         " vand.vx v3, v1, x9\n vsrl.vi v5, v2, 23\n vid.v v6\n vand.vi v6, v6, 1\n"
                                         " vmseq.vi v6, v6, 0\n");
        for (size_t k = i; k < i + IN_PROGRAM; k++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  " %s\n vmul.f16x2 v7, v4, v4\n vadd.f16x2 v8, v4, v3\n vfma.f16x2 v8, v7, v4\n"
                                  " vsll.vi v10, v10, 1\n vadd.vv v10, v10, v7\n vadd.vv v10, v10, v8\n",
                                  words[k]);
        snprintf(text + n, sizeof text - n, " vmv.v.v v1, v10\n" SAVE " endprg\n");
        expect_same(text);
    }
}

/* Round a loop they may become others, by choices, too, and some lanes may have others. */
static void test_upper_halves_from_elsewhere(void **state)
{
#define IN_PAIRS " vmul.f16x2 v5, v4, v4\n vadd.f16x2 v5, v5, v4\n vfma.f16x2 v3, v5, v4\n"
    (void)state;
    for (unsigned i = 0; i < 4; i++) /* each level once with the usual effort */
        expect_same(LOAD
                    " lui x5, 0x3f000\n li x9, 0x8001\n vlhu12.v v4, 0(v31)\n vlhu12.v v3, 2(v31)\n li x8, 6\nloop:"
                    " vcvt.fp32.fp16 v6, v4\n vmul.f16x2 v5, v4, v4\n vmfgt.vf v6, v6, x5\n vmul.vv v6, v6, v5\n"
                    " vfma.f16x2 v4, v3, v4\n vxor.vx v6, v6, x9\n vadd.f16x2 v4, v6, v4\n vadd.vv v2, v2, v4\n"
                    " addi x8, x8, -1\n bne x8, x0, loop\n" SAVE " endprg\n");
    expect_same(LOAD " vlhu12.v v4, 0(v31)\n vlhu12.v v3, 2(v31)\n li x8, 6\nloop:" IN_PAIRS
                     " vxor.vv v2, v2, v5\n vmv.v.v v4, v5\n addi x8, x8, -1\n bne x8, x0, loop\n" SAVE " endprg\n");
    expect_same(LOAD " vlhu12.v v4, 0(v31)\n vlhu12.v v3, 2(v31)\n li x8, 6\nloop:" IN_PAIRS
                     " vxor.vv v2, v2, v5\n vsll.vi v4, v5, 1\n addi x8, x8, -1\n bne x8, x0, loop\n" SAVE " endprg\n");
    for (unsigned order = 0; order < 3; order++)
        expect_same_of(&(struct pair){.order = (enum path_order)order,
                                      .text = LOAD
                                      " vid.v v6\n vmv.v.i v7, 5\n la x6, meet\n setrpc x0, x6, 0\n vmv.v.v v4, v1\n"
                                      " vblt v6, v7, few\n vlhu12.v v4, 0(v31)\n vlhu12.v v3, 0(v31)\n" IN_PAIRS
                                      " j meet\nfew: vmul.f16x2 v5, v4, v1\nmeet: join\n" IN_PAIRS SAVE " endprg\n"});
}

/* Equal numbers, both zeros, infinities and NaNs, in order and not. */
static void test_comparisons(void **state)
{
    static const char *const rows[] = {"vmflt.vv", "vmfle.vv", "vmfeq.vv", "vmfne.vv", "vfmin.vv", "vfmax.vv"};
    enum { KINDS = 13 };
    uint32_t words[300] = {0};
    (void)state;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t a = i % KINDS, b = (i * 5 + i / KINDS) % KINDS;
        words[i] = words[64 + i] = a < 12 ? specials[a] : 0;
        words[32 + i] = b < 12 ? specials[b] : 0;
    }
    words[64] = 0xff800000, words[65] = 0x7f800000, words[66 + KINDS - 1] = 0x80000000;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        snprintf(text, sizeof text, LOAD " %s v4, v1, v2\n %s v5, v1, v3\n" SAVE " endprg\n", rows[i], rows[i]);
        expect_same_of(&(struct pair){.text = text, .words = words, .count = 300});
    }
}

/* One path of a branch is the join itself. The other one finds registers as they were at the branch, if it goes first
 * or waits; also where the size of work-groups is not what the translation was told, so that `step` has come there,
 * which the join is an entry for behind an instruction of its own. */
static void test_sides_find_what_was(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD
                 " csrr x8, CSR_KNL\n li x7, %u\n sw x7, 24(x8)\n vand.vi v7, v1, 1\n vmv.v.i v8, 0\n li x13, 4\n"
                 "again: lw x5, 24(x8)\n vid.v v6\n vremu.vx v6, v6, x5\n vsll.vi v6, v6, 2\n vadd.vx v6, v6, x20\n"
                 "1: auipc x9, %%pcrel_hi(3f)\n setrpc x0, x9, %%pcrel_lo(1b)\n vbne v7, v8, 3f\n"
                 " vlw12.v v4, 0(v6)\n vadd.vv v5, v5, v4\n vmul.vv v6, v4, v4\n vadd.vv v4, v4, v6\n%s"
                 "3: join\n vsrl.vi v1, v1, 1\n vand.vi v7, v1, 1\n vxor.vv v3, v3, v6\n addi x13, x13, -1\n"
                 " bne x13, x0, again\n" SAVE " endprg\n",
                 i % 2 ? 8 : 5, i % 4 / 2 ? " barrier 1\n" : "");
        expect_same_of(&(struct pair){.text = text, .order = (enum path_order)(i / 4 % 3), .quantum = i / 12 ? 60 : 0});
    }
}

/* A warp changes the size of work-groups, from which the join follows that its lanes diverge for: `step` has another
 * one in mind than the code shows, and what lanes read that wait for it is kept although nobody else reads it. */
static void test_another_join(void **state)
{
    enum { FIRST = 10, COUNT = 16 };
    char start[COUNT * 24] = "", between[COUNT * 48] = "", text[4000];
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        size_t a = strlen(start), b = strlen(between);
        snprintf(start + a, sizeof start - a, " vadd.vi v%d, v%d, %d\n", FIRST + i, 1 + i % 3, i);
        snprintf(between + b, sizeof between - b, " vadd.vv v%d, v%d, v%d\n vxor.vv v3, v3, v%d\n", FIRST + i,
                 FIRST + (i + 3) % COUNT, 1 + i % 2, FIRST + i);
    }
    snprintf(text, sizeof text,
             LOAD "%s csrr x8, CSR_KNL\n li x16, 1\n sw x16, 1040(x20)\n lw x16, 1040(x20)\n la x6, one\n la x9, two\n"
                  " sub x9, x9, x6\n addi x9, x9, 8\n sw x9, 24(x8)\n vxor.vv v9, v1, v2\n lw x9, 24(x8)\n"
                  " add x6, x6, x9\n setrpc x0, x6, -8\n li x6, 0\n li x9, 0\n li x15, 30\n vid.v v6\n vmv.v.i v7, 5\n"
                  "loop: addi x15, x15, -1\n bne x15, x0, loop\n vblt v6, v7, few\n vadd.vi v9, v2, 3\n"
                  " vadd.vv v3, v9, v3\n bne x16, x0, more\none: join\n" SAVE " endprg\nmore:%s"
                  "two: join\n vadd.vi v1, v2, 2\n" SAVE
                  " endprg\nfew: vsw12.v v9, 1152(v31)\n bne x16, x0, more\n j one\n",
             start, between);
    for (int i = 0; i < 3; i++) expect_same_of(&(struct pair){.text = text, .order = (enum path_order)i});
}

/* A warp changes where the kernel begins and jumps there, as to a call of the kernel: to code that nobody knows, whose
 * lanes diverge for a join of code that is known. What is read there alone is kept on the way and at the join. */
static void test_another_kernel(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct pair p = {.text = LOAD
                         " vid.v v6\n vmv.v.i v7, 5\n la x6, meet\n setrpc x0, x6, 0\n vxor.vv v9, v1, v2\n li x16, 1\n"
                         " sw x16, 1040(x20)\n lw x16, 1040(x20)\n csrr x8, CSR_KNL\n la x9, hidden\n sw x9, 0(x8)\n"
                         " beq x16, x0, parts\n lw x9, 0(x8)\n jalr x0, 0(x9)\nparts: vblt v6, v7, other\n"
                         "on: li x15, 9\nround: addi x15, x15, -1\n bne x15, x0, round\n vadd.vi v9, v2, 3\n vadd.vv "
                         "v3, v9, v3\nmeet: join\n vadd.vi v1, v2, 1\n" SAVE
                         " endprg\nother: vadd.vi v4, v4, 1\n j meet\nhidden: vblt v6, v7, few\n j on\n"
                         "few: vsw12.v v9, 1152(v31)\n j meet\n",
                         .order = (enum path_order)i};
        expect_same_of(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_at_exits),
        cmocka_unit_test(test_numbers_are_computed),
        cmocka_unit_test(test_known_divisors),
        cmocka_unit_test(test_lane_numbers),
        cmocka_unit_test(test_metadata_block),
        cmocka_unit_test(test_scalar_conversions),
        cmocka_unit_test(test_numbers_meet),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_words_of_some),
        cmocka_unit_test(test_gaps_at_ends),
        cmocka_unit_test(test_repeats_at_ends),
        cmocka_unit_test(test_moving_pointers),
        cmocka_unit_test(test_words_that_repeat),
        cmocka_unit_test(test_private_offsets),
        cmocka_unit_test(test_nans_are_seen),
        cmocka_unit_test(test_nans_in_all_registers),
        cmocka_unit_test(test_nans_in_loops),
        cmocka_unit_test(test_nans_under_masks),
        cmocka_unit_test(test_nans_in_between),
        cmocka_unit_test(test_upper_halves),
        cmocka_unit_test(test_upper_halves_from_elsewhere),
        cmocka_unit_test(test_strays),
        cmocka_unit_test(test_stray_behind_barrier),
        cmocka_unit_test(test_sides_find_what_was),
        cmocka_unit_test(test_another_join),
        cmocka_unit_test(test_another_kernel),
    };
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
