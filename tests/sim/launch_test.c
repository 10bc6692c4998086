/* Launches: dispatch, barriers, partial warps, local and private memory, atomics, cancelling, and every
 * kind of fault with the machine usable afterwards. Programs are assembled here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/machine.h"
#include "sim/observe.h"

static void assert_done(const struct guest *g)
{
    char text[300];
    fault_print(&g->result.fault, text, sizeof text);
    if (g->result.status != LAUNCH_DONE) fail_msg("status %d: %s", (int)g->result.status, text);
}

/* A small program that works, to show that the machine does. */
static void assert_usable(struct guest *g)
{
    struct launch saved = g->launch;
    // clang-format off
    g->launch = (struct launch){.start_pc = ABI_CODE_BASE, .groups = {1, 1, 1}, .warps = 1, .threads_per_warp = 32,
                                .work_items = 32, .sgprs = 64, .vgprs = 64, .lds_bytes = 4096};
    // clang-format on
    memset(&g->options, 0, sizeof g->options);
    guest_assemble(
        g, " lui x5, 0x90000\n li x6, 77\n sw x6, 0(x5)\n lui x7, 0x70000\n lw x8, 0(x7)\n sw x8, 4(x5)\n endprg\n");
    g->data[0] = 0;
    guest_run(g);
    assert_done(g);
    assert_int_equal(g->data[0], 77);
    assert_int_equal(g->data[1], 0); /* local memory is fresh */
    g->launch = saved;
}

/* ---- dispatch ---- */

/* On one thread: with more, groups on different SMs overtake each other. */
static void test_groups_in_order(void **state)
{
    struct gpu_config c;
    struct guest g;
    (void)state;
    gpu_config_default(&c);
    c.host_threads = 1;
    guest_open_config(&g, &c);
    g.launch.groups[0] = 3;
    g.launch.groups[1] = 2;
    g.launch.groups[2] = 2;
    guest_assemble(&g,
                   " lui x5, 0x90000\n csrr x6, CSR_GIDX\n csrr x7, CSR_GIDY\n csrr x8, CSR_GIDZ\n csrr x9, CSR_WGID\n"
                   " slli x7, x7, 4\n slli x8, x8, 8\n or x6, x6, x7\n or x6, x6, x8\n"
                   " lw x10, 0(x5)\n addi x10, x10, 4\n sw x10, 0(x5)\n add x11, x5, x10\n sw x6, 0(x11)\n sw x9, "
                   "64(x11)\n endprg\n");
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.result.counters.groups, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(g.data[1 + i], (i % 3) | (i / 3 % 2) << 4 | (i / 6) << 8);
        assert_int_equal(g.data[17 + i], i);
    }
    guest_close(&g);
}

/* Three warps, the last with 5 lanes: every lane adds one to its own word, and to a common one. */
static void test_partial_warp(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    for (uint32_t threads = 4; threads <= 32; threads *= 2) {
        memset(g.data, 0, 4096);
        g.launch.warps = 3;
        g.launch.threads_per_warp = threads;
        g.launch.work_items = 2 * threads + threads / 4 + (threads > 4);
        guest_assemble(&g, " lui x5, 0x90000\n csrr x6, CSR_TID\n vid.v v1\n vadd.vx v1, v1, x6\n vsll.vi v1, v1, 2\n "
                           "vadd.vx v1, v1, x5\n"
                           " vlw12.v v2, 0(v1)\n vadd.vi v2, v2, 1\n vsw12.v v2, 0(v1)\n"
                           " vmv.v.x v3, x5\n vmv.v.i v4, 1\n amoadd.w v5, v4, (v3)\n endprg\n");
        guest_run(&g);
        assert_done(&g);
        assert_int_equal(g.data[0], 1 + g.launch.work_items);
        for (uint32_t i = 1; i < 128; i++) assert_int_equal(g.data[i], i < g.launch.work_items);
    }
    guest_close(&g);
}

/* The last groups of a dimension have fewer work-items, which count themselves in a word of their group. */
static void test_last_groups(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    for (uint32_t d = 0; d < 3; d++) {
        const uint32_t groups[3] = {d ? 1 : 3, d > 1 ? 1 : d + 2, 4};
        memset(g.data, 0, 4096);
        memcpy(g.launch.groups, groups, sizeof groups);
        g.launch.warps = 2;
        g.launch.work_items = 40;
        g.launch.last_items = 33;
        g.launch.last_of = d;
        guest_assemble(&g, " lui x5, 0x90000\n csrr x6, CSR_GIDX\n csrr x7, CSR_GIDY\n csrr x8, CSR_GIDZ\n"
                           " slli x7, x7, 2\n slli x8, x8, 4\n add x6, x6, x7\n add x6, x6, x8\n slli x6, x6, 2\n"
                           " add x5, x5, x6\n vmv.v.x v3, x5\n vmv.v.i v4, 1\n amoadd.w v5, v4, (v3)\n endprg\n");
        guest_run(&g);
        assert_done(&g);
        for (uint32_t z = 0; z < groups[2]; z++)
            for (uint32_t y = 0; y < groups[1]; y++)
                for (uint32_t x = 0; x < groups[0]; x++) {
                    const uint32_t at[3] = {x, y, z};
                    assert_int_equal(g.data[x + 4 * y + 16 * z], at[d] + 1 == groups[d] ? 33 : 40);
                }
    }
    guest_close(&g);
}

/* Registers and local memory are zero at the start of every group. */
static void test_fresh_state(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    g.launch.groups[0] = 3;
    guest_assemble(
        &g, " lui x5, 0x90000\n csrr x6, CSR_LDS\n vmv.x.s x7, v9\n lw x8, 4(x6)\n or x7, x7, x8\n or x7, x7, x20\n"
            " lw x9, 0(x5)\n or x9, x9, x7\n sw x9, 0(x5)\n li x20, 255\n vmv.v.x v9, x20\n sw x20, 4(x6)\n endprg\n");
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[0], 0);
    guest_close(&g);
}

/* ---- barriers ---- */

/* Each warp writes its number before the barrier and reads its neighbour's behind it. Warp 2 ends early,
 * warp 1 comes many quanta late. */
static void test_barrier_with_early_exit(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    g.launch.warps = 4;
    g.launch.work_items = 128;
    guest_assemble(&g, " csrr x6, CSR_WID\n li x15, 1\n bne x6, x15, go\n li x16, 50000\nlate: addi x16, x16, -1\n bne "
                       "x16, x0, late\ngo:"
                       " lui x5, 0x70000\n lui x12, 0x90000\n slli x7, x6, 2\n add x8, x5, x7\n addi x9, x6, 100\n"
                       " sw x9, 0(x8)\n li x10, 2\n beq x6, x10, out\n barrier 1\n"
                       " addi x11, x6, 1\n andi x11, x11, 3\n slli x11, x11, 2\n add x11, x11, x5\n lw x13, 0(x11)\n"
                       " barrier 1\n add x14, x12, x7\n sw x13, 0(x14)\nout: endprg\n");
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[0], 101);
    assert_int_equal(g.data[1], 102);
    assert_int_equal(g.data[2], 0);
    assert_int_equal(g.data[3], 100);
    assert_int_equal(g.result.counters.barriers, 6);
    guest_close(&g);
}

/* A warp that spins on another's store gets it: the quantum hands the turn over. */
static void test_spin_across_warps(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    g.launch.warps = 2;
    g.launch.work_items = 64;
    guest_assemble(&g, " lui x5, 0x90000\n csrr x6, CSR_WID\n bne x6, x0, set\nspin: lw x7, 0(x5)\n beq x7, x0, spin\n "
                       "sw x7, 4(x5)\n endprg\n"
                       "set: li x8, 9\n sw x8, 0(x5)\n endprg\n");
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[1], 9);
    guest_close(&g);
}

/* A loop of calls, which never goes back as loops do, lets the other warp run, too: that ends it before its counter
 * does. */
static void test_loop_of_calls(void **state)
{
    static const char text[] = " lui x5, 0x90000\n csrr x6, CSR_WID\n bnez x6, 2f\n li x7, 1000000\n"
                               "1: lw x8, 0(x5)\n bnez x8, 3f\n addi x7, x7, -1\n beqz x7, 3f\n jal x1, 1b\n"
                               "2: li x8, 1\n sw x8, 0(x5)\n endprg\n"
                               "3: sw x7, 4(x5)\n endprg\n";
    struct guest g;
    (void)state;
    guest_open(&g);
    guest_assemble(&g, text);
    g.launch.warps = 2, g.launch.work_items = 64;
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    assert_int_equal(g.data[0], 1);
    assert_int_not_equal(g.data[1], 0);
    guest_close(&g);
}

/* Before it begins, and from within: the program sets the flag itself, and goes on for ever. */
static void test_cancel(void **state)
{
    struct guest g;
    _Atomic bool stop = true;
    (void)state;
    guest_open(&g);
    g.options.cancel = &stop;
    guest_assemble(&g, "loop: jal x0, loop\n");
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_CANCELLED);
    g.options.cancel = (_Atomic bool *)g.data;
    guest_assemble(&g, " lui x5, 0x90000\n li x6, 1\n sb x6, 0(x5)\nloop: jal x0, loop\n");
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_CANCELLED);
    assert_true(g.result.counters.instructions > 3);
    assert_usable(&g);
    guest_close(&g);
}

/* ---- memory ---- */

/* Private memory is each lane's own, words interleaved over the group. */
static void test_private(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    g.launch.warps = 2;
    g.launch.work_items = 64;
    g.launch.pds_base = GUEST_DATA + 4096;
    g.launch.pds_bytes = 16;
    guest_assemble(&g, " lui x5, 0x90000\n csrr x6, CSR_TID\n vid.v v1\n vadd.vx v1, v1, x6\n vmv.v.i v2, 8\n"
                       " vsw.v v1, 0(v2)\n vsb.v v1, 5(v2)\n vlw.v v3, 0(v2)\n vlbu.v v4, 5(v2)\n vlh.v v6, 0(v2)\n"
                       " vadd.vv v3, v3, v4\n vadd.vv v3, v3, v6\n vsll.vi v5, v1, 2\n vadd.vx v5, v5, x5\n vsw12.v "
                       "v3, 0(v5)\n endprg\n");
    guest_run(&g);
    assert_done(&g);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(g.data[i], 3 * i);
        assert_int_equal(g.data[1024 + 2 * 64 + i], i);      /* offset 8: third word of each */
        assert_int_equal(g.data[1024 + 3 * 64 + i], i << 8); /* byte 13 */
    }
    guest_close(&g);
}

/* Misaligned, strided, overlapping and narrow accesses, against the same done here. */
static void test_access_shapes(void **state)
{
    // clang-format off
    static const struct { const char *source; uint32_t scale, offset; } shapes[] = {
        {" li x6, 4\n", 4, 0}, {" li x6, 4\n", 4, 1}, {" li x6, 0\n", 0, 8}, {" li x6, 12\n", 12, 3}, {" li x6, 1\n", 1, 0}, {" li x6, 2\n", 2, 0},
    };
    // clang-format on
    static const char *const ops[][2] = {{"vlw12.v", "vsw12.v"},
                                         {"vlh12.v", "vsh12.v"},
                                         {"vlhu12.v", "vsh12.v"},
                                         {"vlb12.v", "vsb12.v"},
                                         {"vlbu12.v", "vsb12.v"}};
    static const unsigned sizes[] = {4, 2, 2, 1, 1};
    struct guest g;
    (void)state;
    guest_open(&g);
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned k = 0; k < 5; k++)
            for (uint32_t items = 32; items > 0; items /= 3) {
                uint8_t want[4096];
                char source[1024];
                for (uint32_t i = 0; i < 2048; i++) g.data[i] = guest_random();
                memcpy(want, g.data, sizeof want);
                uint32_t loaded[32], o = shapes[s].offset;
                for (uint32_t i = 0; i < items; i++) {
                    uint32_t v = 0;
                    memcpy(&v, want + i * shapes[s].scale + o, sizes[k]);
                    if (k == 1) v = (uint32_t)(int16_t)v;
                    if (k == 3) v = (uint32_t)(int8_t)v;
                    loaded[i] = v + 5;
                }
                for (uint32_t i = 0; i < items; i++) memcpy(want + i * shapes[s].scale + o, &loaded[i], sizes[k]);
                snprintf(source, sizeof source,
                         " lui x5, 0x90000\n%s vid.v v1\n vmul.vx v1, v1, x6\n vadd.vx v1, v1, x5\n %s v2, %u(v1)\n "
                         "vadd.vi v2, v2, 5\n"
                         " %s v2, %u(v1)\n endprg\n",
                         shapes[s].source, ops[k][0], (unsigned)o, ops[k][1], (unsigned)o);
                guest_assemble(&g, source);
                g.launch.work_items = items;
                guest_run(&g);
                assert_done(&g);
                if (memcmp(want, g.data, sizeof want)) fail_msg("shape %u, %s, %u items", s, ops[k][0], items);
            }
    guest_close(&g);
}

/* The RVV forms: unit stride, strided, indexed, masked. */
static void test_rvv_memory(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    for (uint32_t i = 0; i < 256; i++) g.data[i] = 0x01010101u * i;
    guest_assemble(&g,
                   " lui x5, 0x90000\n addi x6, x5, 1024\n addi x7, x5, 1280\n vle32.v v1, (x5)\n vse32.v v1, (x6)\n"
                   " li x8, 8\n vlse32.v v2, (x5), x8\n vse32.v v2, (x7)\n"
                   " vid.v v3\n vsll.vi v3, v3, 3\n vluxei32.v v4, (x5), v3\n addi x9, x7, 256\n vse32.v v4, (x9)\n"
                   " li x10, 0x55\n vmv.v.x v0, x10\n addi x11, x9, 256\n vse32.v v1, (x11), v0.t\n endprg\n");
    guest_run(&g);
    assert_done(&g);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(g.data[256 + i], 0x01010101u * i);
        assert_int_equal(g.data[320 + i], 0x01010101u * (2 * i));
        assert_int_equal(g.data[384 + i], 0x01010101u * (2 * i));
        assert_int_equal(g.data[448 + i], (0x55 >> i & 1 && i < 8) ? 0x01010101u * i : 0);
    }
    guest_close(&g);
}

/* Every atomic, on one word, all lanes: results are the words before each lane's turn. */
static void test_atomics(void **state)
{
    static const char *const names[] = {"amoadd.w", "amoswap.w", "amoxor.w",  "amoand.w", "amoor.w",
                                        "amomin.w", "amomax.w",  "amominu.w", "amomaxu.w"};
    struct guest g;
    (void)state;
    guest_open(&g);
    for (int local = 0; local < 2; local++)
        for (unsigned k = 0; k < 9; k++) {
            char source[512];
            for (uint32_t i = 0; i < 32; i++) g.data[64 + i] = guest_random();
            g.data[0] = guest_random();
            uint32_t t = g.data[0], old[32];
            for (uint32_t i = 0; i < 32; i++) {
                uint32_t s = g.data[64 + i];
                // clang-format off
                const uint32_t next[9] = {t + s, s, t ^ s, t & s, t | s, (int32_t)t < (int32_t)s ? t : s,
                                          (int32_t)t > (int32_t)s ? t : s, t < s ? t : s, t > s ? t : s};
                // clang-format on
                old[i] = t;
                t = next[k];
            }
            snprintf(
                source, sizeof source,
                " lui x5, 0x90000\n lui x6, %s\n lw x7, 0(x5)\n sw x7, 0(x6)\n addi x8, x5, 256\n vle32.v v2, (x8)\n"
                " vmv.v.x v1, x6\n %s v1, v2, (v1)\n addi x8, x8, 256\n vse32.v v1, (x8)\n lw x7, 0(x6)\n sw x7, "
                "4(x5)\n endprg\n",
                local ? "0x70000" : "0x90000", names[k]);
            guest_assemble(&g, source);
            guest_run(&g);
            assert_done(&g);
            assert_int_equal(g.data[1], t);
            assert_memory_equal(g.data + 128, old, sizeof old);
            assert_int_equal(g.result.counters.atomics, 1);
        }
    guest_close(&g);
}

/* lr/sc: own words succeed, a word written in between fails, of equal words the first lane wins. */
static void test_reservations(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    guest_assemble(
        &g, " lui x5, 0x90000\n vid.v v1\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, x5\n vmv.v.i v2, 7\n addi x6, x5, 1024\n"
            " lr.w v3, (v1)\n sc.w v4, v2, (v1)\n vse32.v v4, (x6)\n sc.w v4, v2, (v1)\n addi x7, x6, 128\n vse32.v "
            "v4, (x7)\n"
            " lr.w v3, (v1)\n sw x0, 8(x5)\n sc.w v4, v2, (v1)\n addi x7, x7, 128\n vse32.v v4, (x7)\n"
            " lr.w v3, (v1)\n amoswap.w v3, v3, (v1)\n sc.w v4, v2, (v1)\n addi x7, x7, 128\n vse32.v v4, (x7)\n"
            " vmv.v.x v1, x5\n lr.w v3, (v1)\n sc.w v4, v2, (v1)\n addi x7, x7, 128\n vse32.v v4, (x7)\n endprg\n");
    guest_run(&g);
    assert_done(&g);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(g.data[256 + i], 0);
        assert_int_equal(g.data[288 + i], 1); /* no reservation any more */
        assert_int_equal(g.data[320 + i], i == 2);
        assert_int_equal(g.data[352 + i], 1); /* an atomic has ended it */
        assert_int_equal(g.data[384 + i], i != 0);
        assert_int_equal(g.data[i], i == 2 ? 0 : 7);
    }
    guest_close(&g);
}

/* Of lanes with one word the first stores, also where the word stays what it was: four lanes a word, or the first lane
 * with a word of its own, store what they have read, or one more. */
static void test_reservations_of_a_word(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t own = i & 1 ? 3 : 0, more = i / 2;
        char source[400];
        snprintf(source, sizeof source,
                 " lui x5, 0x90000\n vid.v v1\n vadd.vi v1, v1, %u\n vsrl.vi v1, v1, 2\n vsll.vi v1, v1, 2\n"
                 " vadd.vx v1, v1, x5\n lr.w v3, (v1)\n vadd.vi v3, v3, %u\n sc.w v4, v3, (v1)\n addi x6, x5, 1024\n"
                 " vse32.v v4, (x6)\n endprg\n",
                 own, more);
        guest_assemble(&g, source);
        for (uint32_t k = 0; k < 9; k++) g.data[k] = k;
        guest_run(&g);
        assert_done(&g);
        for (uint32_t k = 0; k < 32; k++) assert_int_equal(g.data[256 + k], k && (k + own) % 4 != 0);
        for (uint32_t k = 0; k < 8; k++) assert_int_equal(g.data[k], k + more);
    }
    guest_close(&g);
}

/* Words that are counted in one place (reserve.h): a write to one of them ends no reservation of another. */
static void test_reservations_of_a_place(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    guest_assemble(
        &g, " lui x5, 0x90000\n vid.v v1\n li x6, 0x50c\n vmul.vx v1, v1, x6\n vadd.vx v1, v1, x5\n vmv.v.i v2, 7\n"
            " lr.w v3, (v1)\n sc.w v4, v2, (v1)\n lui x6, 0x9000c\n vse32.v v4, (x6)\n"
            " lr.w v3, (v1)\n sw x0, 0x50c(x5)\n sc.w v4, v2, (v1)\n addi x6, x6, 128\n vse32.v v4, (x6)\n endprg\n");
    guest_run(&g);
    assert_done(&g);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(g.data[0x3000 + i], 0);
        assert_int_equal(g.data[0x3020 + i], i == 1);
    }
    guest_close(&g);
}

/* Odd lanes branch past sc.w with their reservations. The stores of even ones end those of odd lanes with the same
 * word, two lanes a word or one. */
static void test_reservations_of_other_lanes(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    for (unsigned two = 0; two < 2; two++) {
        char source[600];
        snprintf(source, sizeof source,
                 " lui x5, 0x90000\n vid.v v1\n vand.vi v5, v1, 1\n vsrl.vi v1, v1, %u\n vsll.vi v1, v1, 2\n"
                 " vadd.vx v1, v1, x5\n vmv.v.i v2, 7\n vmv.v.i v6, 0\n la x8, out\n setrpc x0, x8, 0\n"
                 " lr.w v3, (v1)\n vbne v5, v6, out\n sc.w v4, v2, (v1)\nout: join\n sc.w v4, v2, (v1)\n"
                 " addi x6, x5, 1024\n vse32.v v4, (x6)\n endprg\n",
                 two);
        guest_assemble(&g, source);
        for (uint32_t k = 0; k < 32; k++) g.data[k] = 7; /* what is stored: the reservation alone tells */
        guest_run(&g);
        assert_done(&g);
        for (uint32_t k = 0; k < 32; k++) assert_int_equal(g.data[256 + k], two || k % 2 == 0);
        for (uint32_t k = 0; k < 32u >> two; k++) assert_int_equal(g.data[k], 7);
    }
    guest_close(&g);
}

/* ---- faults ---- */

struct expected {
    enum fault_kind kind;
    uint32_t lane, lanes, addr;
    const char *source;
};

static const struct expected faults[] = {
    {FAULT_READ, 32, ~0u, 0x10, " lw x5, 16(x0)\n"},
    {FAULT_WRITE, 32, ~0u, 0xfffffff0, " sw x5, -16(x0)\n"},
    {FAULT_READ, 5, ~0u, 0xa0000014,
     " lui x5, 0x90000\n lui x6, 0xa0000\n vid.v v1\n li x7, 5\n vmseq.vx v2, v1, x7\n sub x8, x6, x5\n vmul.vx v2, "
     "v2, x8\n"
     " vsll.vi v1, v1, 2\n vadd.vv v1, v1, v2\n vadd.vx v1, v1, x5\n fault: vlw12.v v3, 0(v1)\n"},
    {FAULT_WRITE, 0, ~0u, 0x80000000,
     " lui x5, 0x80000\n vid.v v1\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, x5\n vsw12.v v1, 0(v1)\n"},
    {FAULT_WRITE, 0, ~0u, 0x80000000, " lui x5, 0x80000\n vmv.v.x v1, x5\n amoadd.w v2, v1, (v1)\n"},
    {FAULT_READ, 0, ~0u, 0xffff0000, " lui x5, 0xffff0\n vmv.v.x v1, x5\n lr.w v2, (v1)\n"},
    {FAULT_MISALIGNED, 1, ~0u, 0x90000001,
     " lui x5, 0x90000\n vid.v v1\n vadd.vx v1, v1, x5\n amoadd.w v2, v1, (v1)\n"},
    {FAULT_MISALIGNED, 0, ~0u, 0, " vmv.v.i v1, 2\n vlw.v v2, 0(v1)\n"},
    {FAULT_MISALIGNED, 0, ~0u, 0, " vmv.v.i v1, 3\n vsh.v v2, 0(v1)\n"},
    {FAULT_FETCH, 32, ~0u, 0, " jalr x0, 0(x0)\n"},
    {FAULT_FETCH, 32, ~0u, 0, " lui x5, 0x90000\n jalr x0, 0(x5)\n"},
    {FAULT_FETCH, 32, ~0u, 0, " auipc x5, 0\n jalr x0, 6(x5)\n"},
    {FAULT_ILLEGAL, 32, ~0u, 0, " .word 0\n"},
    {FAULT_ILLEGAL, 32, ~0u, 0, " .word 0xffffffff\n"},
    {FAULT_ILLEGAL, 32, ~0u, 0, " vmv.v.i v64, 1\n"},
    {FAULT_ILLEGAL, 32, ~0u, 0, " csrrw x0, CSR_TID, x5\n"},
    {FAULT_ILLEGAL, 32, ~0u, 0, " csrrs x5, 0x7c0, x0\n"},
    {FAULT_ILLEGAL, 32, ~0u, 0, " vsetvli x5, x0, e16, m1, ta, ma\n"},
    {FAULT_ILLEGAL, 32, ~0u, 0, " csrrwi x0, frm, 5\n vfadd.vv v1, v2, v3\n"},
    {FAULT_ENDPRG_DIVERGED, 32, 0xff, 0,
     " vid.v v1\n li x5, 8\n vmv.v.x v2, x5\n vblt v1, v2, out\n nop\nout: endprg\n"},
};

static void test_faults(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct expected *e = &faults[i];
        char source[1024], text[300];
        snprintf(source, sizeof source, "%s endprg\n", e->source);
        guest_assemble(&g, source);
        g.launch.pds_base = 0;
        guest_run(&g);
        fault_print(&g.result.fault, text, sizeof text);
        if (g.result.status != LAUNCH_FAULT || g.result.fault.kind != e->kind) fail_msg("fault %u: got %s", i, text);
        if (e->kind != FAULT_MISALIGNED || e->addr) assert_int_equal(g.result.fault.addr, e->addr);
        assert_int_equal(g.result.fault.lane, e->lane);
        assert_int_equal(g.result.fault.lanes, e->lanes);
        assert_true(strstr(text, fault_name(e->kind)) == text);
        assert_usable(&g);
    }
    guest_close(&g);
}

/* A divergence splits the mask, so 32 lanes never need more than 62 entries; the 64 are there for safety.
 * The observer fills the stack behind the engine's back to show that the limit holds. */
static void fill_stack(void *user, const struct warp *w, uint32_t pc, const struct insn *insn)
{
    (void)user, (void)pc;
    if (insn->op == OP_VID_V) ((struct warp *)w)->depth = SIMT_DEPTH - 1;
}

static void test_simt_overflow(void **state)
{
    struct guest g;
    const struct observer observer = {.after = fill_stack};
    (void)state;
    guest_open(&g);
    g.options.observers = &observer;
    guest_assemble(&g, " vmv.v.i v2, 8\n vid.v v1\n vblt v1, v2, out\nout: endprg\n");
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_FAULT);
    assert_int_equal(g.result.fault.kind, FAULT_SIMT_OVERFLOW);
    assert_int_equal(g.result.fault.pc, ABI_CODE_BASE + 8);
    assert_usable(&g);
    guest_close(&g);
}

/* Where: group, warp and pc of the instruction, its prefix included. */
static void test_fault_place(void **state)
{
    struct guest g;
    char text[300];
    (void)state;
    guest_open(&g);
    g.launch.groups[0] = 4;
    g.launch.groups[1] = 2;
    g.launch.warps = 3;
    g.launch.work_items = 70;
    guest_assemble(&g, " csrr x5, CSR_WGID\n csrr x6, CSR_WID\n li x7, 6\n bne x5, x7, good\n li x7, 2\n bne x6, x7, "
                       "good\n vmv.v.i v40, 8\n"
                       " vlw12.v v41, 4(v40)\ngood: endprg\n");
    guest_run(&g);
    const struct fault *f = &g.result.fault;
    assert_int_equal(f->kind, FAULT_READ);
    assert_int_equal(f->group[0], 2);
    assert_int_equal(f->group[1], 1);
    assert_int_equal(f->group[2], 0);
    assert_int_equal(f->warp, 2);
    assert_int_equal(f->lanes, 0x3f);
    assert_int_equal(f->lane, 0);
    assert_int_equal(f->pc, ABI_CODE_BASE + 8 * 4);
    assert_int_equal(f->addr, 12);
    fault_print(f, text, sizeof text);
    assert_string_equal(
        text,
        "read of unmapped memory at 0x0000000c, work-group (2,1,0) warp 2 lane 0, pc 0x80000020: vlw12.v v41, 4(v40)");
    assert_int_equal(fault_print(f, NULL, 0), strlen(text));
    guest_close(&g);
}

/* A register beyond the launch's own is told. */
static void test_register_limits(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    g.launch.vgprs = 8;
    g.launch.sgprs = 16;
    guest_assemble(&g, " vmv.v.i v7, 1\n li x15, 1\n vmv.v.i v8, 1\n endprg\n");
    guest_run(&g);
    assert_int_equal(g.result.fault.kind, FAULT_ILLEGAL);
    assert_int_equal(g.result.fault.pc, ABI_CODE_BASE + 8);
    assert_string_equal(g.result.fault.detail, "v8 is beyond the 8 vector registers of the launch");
    guest_assemble(&g, " li x16, 1\n endprg\n");
    guest_run(&g);
    assert_string_equal(g.result.fault.detail, "x16 is beyond the 16 scalar registers of the launch");
    assert_usable(&g);
    guest_close(&g);
}

static void refuse(struct guest *g, const struct launch *bad)
{
    g->launch = *bad;
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_FAULT);
    assert_int_equal(g->result.fault.kind, FAULT_LAUNCH);
    assert_true(g->result.fault.detail[0] != 0);
}

static void test_launch_limits(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    const struct launch good = g.launch;
    struct launch bad;
// clang-format off
#define REFUSE(change) do { bad = good; change; refuse(&g, &bad); } while (0)
    // clang-format on
    REFUSE(bad.groups[1] = 0);
    REFUSE(bad.warps = 0);
    REFUSE(bad.warps = 33);
    REFUSE(bad.threads_per_warp = 0);
    REFUSE(bad.threads_per_warp = 33);
    REFUSE(bad.work_items = 0);
    REFUSE(bad.work_items = 33);
    REFUSE((bad.warps = 2, bad.work_items = 32));
    REFUSE(bad.last_items = 33);
    REFUSE((bad.warps = 2, bad.work_items = 64, bad.last_items = 32));
    REFUSE((bad.last_items = 5, bad.last_of = 3));
    REFUSE((bad.last_items = 5, bad.last_of = 1, bad.groups[0] = 2));
    REFUSE(bad.vgprs = 257);
    REFUSE(bad.sgprs = 65);
    REFUSE(bad.lds_bytes = 1u << 31);
    REFUSE(bad.pds_bytes = UINT32_MAX);
    REFUSE((bad.pds_base = 0xffff0000, bad.pds_bytes = 2049)); /* 32 lanes, whole words: one page too many */
    REFUSE((bad.pds_base = 4, bad.pds_bytes = 1 << 23, bad.pds_groups = UINT32_MAX)); /* 16 slots of 256 MiB */
    g.launch = good;
    g.launch.pds_base = 0xffff0000;
    g.launch.pds_bytes = 2048;
    assert_usable(&g);
    guest_close(&g);
}

/* No first instruction is at an odd address, not even in a page that could be executed. */
static void test_odd_start(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    assert_true(gpu_mem_open(g.gpu, 0, ABI_PAGE, GPU_EXEC));
    for (uint32_t odd = 1; odd < 4; odd++) {
        g.launch.start_pc = odd;
        guest_run(&g);
        assert_int_equal(g.result.fault.kind, FAULT_FETCH);
        assert_string_equal(g.result.fault.detail, "not on a word");
        assert_int_equal(g.result.fault.pc, odd);
    }
    guest_close(&g);
}

/* The machine finds its local memory again after somebody else has changed its pages. */
static void test_local_closed(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    guest_assemble(
        &g, " csrr x5, CSR_LDS\n li x6, 7\n sw x6, 0(x5)\n lw x7, 0(x5)\n lui x8, 0x90000\n sw x7, 0(x8)\n endprg\n");
    for (int i = 0; i < 4; i++) {
        g.data[0] = 0;
        guest_run(&g);
        assert_done(&g);
        assert_int_equal(g.data[0], 7);
        if (i % 2) gpu_mem_close(g.gpu, 0x60000000, 0x20000000);
        else assert_true(gpu_mem_open(g.gpu, ABI_LOCAL_BASE, ABI_PAGE, GPU_READ));
    }
    guest_close(&g);
}

/* Kernels with more and with less local memory take turns: each finds its own, cleared, and nothing behind it. Where
 * an SM has several slots, it is the same one each time, and no pages are opened or closed, unless programs see which
 * slot it is. */
static void take_turns(uint32_t slots, uint32_t profile)
{
    const bool own = slots > 1 && profile & ISA_IMPL;
    struct guest g;
    struct gpu_config c;
    gpu_config_default(&c);
    c.sms = 1, c.groups_per_sm = slots, c.profile = profile;
    guest_open_config(&g, &c);
    guest_assemble(&g, " csrr x5, CSR_LDS\n lui x6, 0x90000\n sw x5, 8(x6)\n lw x7, 4(x6)\n add x5, x5, x7\n"
                       " lw x8, 0(x5)\n sw x8, 0(x6)\n sw x6, 0(x5)\n endprg\n");
    for (unsigned i = 0; i < 12; i++) {
        const bool large = i % 2 == 0, beyond = !large && i % 4 == 1;
        g.launch.lds_bytes = (large ? 4 : 1) * ABI_PAGE;
        g.data[0] = 5;
        g.data[1] = large || beyond ? ABI_PAGE + 4 * (i % 3) : 8;
        guest_run(&g);
        assert_int_equal(g.result.status, beyond ? LAUNCH_FAULT : LAUNCH_DONE);
        assert_int_equal(g.data[0], beyond ? 5 : 0);
        assert_int_equal(g.data[2], ABI_LOCAL_BASE + (own && !large ? gpu_config_lds_stride(&c) : 0));
    }
    guest_close(&g);
}

static void test_local_turns(void **state)
{
    (void)state;
    take_turns(1, PROFILE_DEFAULT);
    take_turns(4, PROFILE_DEFAULT);
    take_turns(4, PROFILE_R21);
}

/* What may be written may be read, inline and out of line (lr.w). */
static void test_write_only(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    guest_assemble(&g, " lui x5, 0x90000\n lw x6, 0(x5)\n vmv.v.x v1, x5\n lr.w v2, (v1)\n sw x6, 4(x5)\n endprg\n");
    g.data[0] = 5;
    assert_true(gpu_mem_open(g.gpu, GUEST_DATA, GUEST_BYTES, GPU_WRITE));
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[1], 5);
    guest_close(&g);
}

/* ---- code ---- */

/* Code written by the host, and by the guest before fence.i, is what runs. */
static void test_code_changes(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    assert_usable(&g);
    assert_usable(&g);
    const char *source = " auipc x5, 0\n lw x6, 28(x5)\n sw x6, 24(x5)\n fence.i\n lui x7, 0x90000\n li x8, 1\n li x8, "
                         "2\n li x8, 3\n sw x8, 0(x7)\n endprg\n";
    guest_assemble(&g, source);
    assert_true(gpu_mem_open(g.gpu, ABI_CODE_BASE, 64, GPU_READ | GPU_WRITE | GPU_EXEC));
    uint32_t *code = gpu_mem(g.gpu, ABI_CODE_BASE, 64);
    code[7] = code[6]; /* li x8, 2 */
    code[6] = 0;
    gpu_mem_code_changed(g.gpu);
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[0], 2);
    guest_close(&g);
}

/* The second time round an instruction is another one than the first time. */
static void test_code_patched(void **state)
{
    struct guest g;
    (void)state;
    guest_open(&g);
    guest_assemble(&g, " la x5, patch\n la x6, other\n lw x6, 0(x6)\n li x9, 0\n li x10, 2\n"
                       "loop:\npatch: li x8, 1\n add x9, x9, x8\n sw x6, 0(x5)\n fence.i\n addi x10, x10, -1\n"
                       " bne x10, x0, loop\n lui x7, 0x90000\n sw x9, 0(x7)\n endprg\nother: li x8, 20\n");
    assert_true(gpu_mem_open(g.gpu, ABI_CODE_BASE, 64, GPU_READ | GPU_WRITE | GPU_EXEC));
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[0], 21);
    guest_close(&g);
}

/* A page of code that has run is gone when it is closed, with the page behind it or in front of it. */
static void test_code_closed(void **state)
{
    const uint32_t second = ABI_CODE_BASE + ABI_PAGE;
    struct guest g;
    (void)state;
    guest_open(&g);
    for (uint32_t first = second - ABI_PAGE; first <= second; first += ABI_PAGE) {
        guest_assemble(&g, " .zero 4096\n endprg\n");
        assert_true(gpu_mem_open(g.gpu, ABI_CODE_BASE, ABI_PAGE, GPU_READ));
        g.launch.start_pc = second;
        guest_run(&g);
        assert_done(&g);
        gpu_mem_close(g.gpu, first, 2 * ABI_PAGE);
        guest_run(&g);
        assert_int_equal(g.result.fault.kind, FAULT_FETCH);
    }
    guest_close(&g);
}

/* A prefix at the end of a page is an instruction with what the next page holds, as long as that is code. */
static void test_code_across_pages(void **state)
{
    const uint32_t second = ABI_CODE_BASE + ABI_PAGE;
    struct guest g;
    (void)state;
    guest_open(&g);
    guest_assemble(&g, " .zero 4092\n .word 0x0000200b\n addi x6, x0, 1\n endprg\n");
    g.launch.start_pc = second - 4;
    for (int i = 0; i < 2; i++) {
        assert_true(gpu_mem_open(g.gpu, second, ABI_PAGE, GPU_READ | GPU_EXEC));
        guest_run(&g);
        assert_done(&g);
        assert_true(gpu_mem_open(g.gpu, second, ABI_PAGE, GPU_READ));
        guest_run(&g);
        assert_int_equal(g.result.fault.kind, FAULT_ILLEGAL);
        assert_int_equal(g.result.fault.pc, second - 4);
    }
    guest_close(&g);
}

/* What the host writes into open code runs once the machine has been told. */
static void test_code_written(void **state)
{
    const uint32_t add[] = {0x00128293, 0x00228293}; /* addi x5, x5, 1 or 2 */
    struct guest g;
    (void)state;
    guest_open(&g);
    guest_assemble(&g, " addi x5, x5, 1\n lui x6, 0x90000\n sw x5, 0(x6)\n endprg\n");
    assert_true(gpu_mem_open(g.gpu, ABI_CODE_BASE, ABI_PAGE, GPU_READ | GPU_WRITE | GPU_EXEC));
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(gpu_mem(g.gpu, ABI_CODE_BASE, 4), &add[i], 4);
        gpu_mem_code_changed(g.gpu);
        guest_run(&g);
        assert_done(&g);
        assert_int_equal(g.data[0], i + 1);
    }
    guest_close(&g);
}

/* Memory ends at 2^32, and nothing is open half-way. What has been closed reads as zero when it is opened again. */
static void test_memory_range(void **state)
{
    const uint32_t last = 0u - ABI_PAGE;
    struct guest g;
    (void)state;
    guest_open(&g);
    assert_false(gpu_mem_open(g.gpu, last, 2 * ABI_PAGE, GPU_READ));
    assert_false(gpu_mem_open(g.gpu, last, 0, GPU_READ));
    assert_null(gpu_mem(g.gpu, last, ABI_PAGE));
    assert_true(gpu_mem_open(g.gpu, last, ABI_PAGE, GPU_WRITE));
    assert_non_null(gpu_mem(g.gpu, last, ABI_PAGE));
    assert_null(gpu_mem(g.gpu, last, ABI_PAGE + 1));
    assert_null(gpu_mem(g.gpu, last - 1, 2));
    memset(gpu_mem(g.gpu, last, ABI_PAGE), 1, ABI_PAGE);
    gpu_mem_close(g.gpu, last, 2 * ABI_PAGE);
    assert_non_null(gpu_mem(g.gpu, last, ABI_PAGE));
    gpu_mem_close(g.gpu, last, ABI_PAGE);
    assert_null(gpu_mem(g.gpu, last, ABI_PAGE));
    assert_true(gpu_mem_open(g.gpu, last, ABI_PAGE, GPU_READ));
    assert_int_equal(*(uint32_t *)gpu_mem(g.gpu, last, 4), 0);
    guest_close(&g);
}

/* Where memory can be written begins and ends, with gaps of a page and of much, and at the end of the address space. */
static void test_writable(void **state)
{
    static const uint32_t opened[][2] = {{3, 1}, {5, 11}, {17, 40}, {0x7ff, 1}, {0x93456, 1025}, {0xffff9, 7}};
    struct gpu_config config;
    uint64_t at = 0;
    (void)state;
    gpu_config_default(&config);
    struct gpu *gpu = gpu_create(&config, NULL);
    assert_non_null(gpu);
    assert_int_equal(gpu_mem_writable(gpu, 0), (uint64_t)1 << 32);
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        assert_true(gpu_mem_open(gpu, opened[i][0] * ABI_PAGE, (uint64_t)opened[i][1] * ABI_PAGE, GPU_WRITE));
    assert_true(gpu_mem_open(gpu, 60 * ABI_PAGE, ABI_PAGE, GPU_READ));
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++) {
        at = gpu_mem_writable(gpu, at);
        assert_int_equal(at, (uint64_t)opened[i][0] * ABI_PAGE);
        assert_int_equal(gpu_mem_writable(gpu, at), at);
        at += (uint64_t)opened[i][1] * ABI_PAGE;
        assert_int_equal(gpu_mem_writable(gpu, at - ABI_PAGE), at - ABI_PAGE);
        if (at <= UINT32_MAX) assert_int_not_equal(gpu_mem_writable(gpu, at), at);
    }
    assert_int_equal(gpu_mem_writable(gpu, at), (uint64_t)1 << 32);
    assert_int_equal(gpu_mem_shared(gpu, 0), (uint64_t)1 << 32);
    gpu_mem_close(gpu, 0x93456 * ABI_PAGE, 1025 * ABI_PAGE);
    assert_int_equal(gpu_mem_writable(gpu, 0x800 * ABI_PAGE), 0xffff9000);
    if (gpu_mem_can_share(0xa0000000, 9 * ABI_PAGE)) { /* a range of its own */
        assert_true(gpu_mem_open_shared(gpu, 0xa0000000, 9 * ABI_PAGE));
        assert_true(gpu_mem_open(gpu, 0xa0000000 - 8 * ABI_PAGE, 8 * ABI_PAGE, GPU_WRITE));
        assert_int_equal(gpu_mem_shared(gpu, 0), 0xa0000000);
        assert_int_equal(gpu_mem_shared(gpu, 0xa0000000 - 8 * ABI_PAGE), 0xa0000000);
        assert_int_equal(gpu_mem_shared(gpu, 0xa0000000 + 8 * ABI_PAGE), 0xa0000000 + 8 * ABI_PAGE);
        assert_int_equal(gpu_mem_shared(gpu, 0xa0000000 + 9 * ABI_PAGE), (uint64_t)1 << 32);
        gpu_mem_close_shared(gpu, 0xa0000000, 9 * ABI_PAGE);
        assert_int_equal(gpu_mem_shared(gpu, 0), (uint64_t)1 << 32);
    }
    gpu_destroy(gpu);
}

static void test_config(void **state)
{
    struct gpu_config c;
    const char *why = NULL;
    (void)state;
    gpu_config_default(&c);
    assert_null(gpu_config_check(&c));
    c.threads_per_warp = 5;
    assert_null(gpu_create(&c, &why));
    assert_non_null(strstr(why, "threads_per_warp"));
    gpu_config_default(&c);
    c.quantum = 0;
    assert_non_null(gpu_config_check(&c));
}

static uint64_t address_space(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A machine that is gone has left no address space taken: less than one guard for each. */
static void test_closed_machines(void **state)
{
    enum { WARM = 4, MACHINES = 32 };
    struct gpu_config c;
    uint64_t before = 0;
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ /* whose own memory grows with each */
    skip();
#endif
    gpu_config_default(&c);
    for (int i = 0; i < WARM + MACHINES; i++) {
        if (i == WARM) before = address_space();
        struct gpu *gpu = gpu_create(&c, NULL);
        assert_non_null(gpu);
        assert_true(gpu_mem_open(gpu, ABI_HEAP_BASE, ABI_PAGE, GPU_WRITE));
        gpu_destroy(gpu);
    }
    assert_true(address_space() < before + (uint64_t)MACHINES * MEM_GUARD);
}

/* ---- control registers of each work-item ---- */

/* Groups of 8 x 4 x 2 work-items in a grid of 2 x 3 x 2: every id of every work-item, against plain C. */
static void test_thread_csrs(void **state)
{
    enum { IDS = 7, ITEMS = 64, META = 0x8000 };
    static const uint32_t global[3] = {16, 12, 4}, local[3] = {8, 4, 2}, offset[3] = {100, 200, 300};
    struct gpu_config config;
    struct guest g;
    char text[2000] =
        " csrr x5, CSR_WGID\n slli x5, x5, 11\n lui x6, 0x90000\n add x6, x6, x5\n csrr x7, CSR_TID\n vid.v v1\n"
        " vadd.vx v1, v1, x7\n vsll.vi v1, v1, 5\n vadd.vx v1, v1, x6\n";
    (void)state;
    for (unsigned i = 0; i < IDS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " .word 0x%08x\n vsw12.v v2, %u(v1)\n",
                 (0x80du + i) << 20 | 0x2173, 4 * i);
    strcat(text, " endprg\n");
    gpu_config_default(&config);
    for (config.thread_csrs = 0; config.thread_csrs < 2; config.thread_csrs++) {
        guest_open_config(&g, &config);
        guest_assemble(&g, text);
        memcpy(g.data + META / 4 + 3, global, sizeof global);
        memcpy(g.data + META / 4 + 6, local, sizeof local);
        memcpy(g.data + META / 4 + 9, offset, sizeof offset);
        // clang-format off
        g.launch = (struct launch){.start_pc = ABI_CODE_BASE, .knl = GUEST_DATA + META, .groups = {2, 3, 2}, .warps = 2,
                                   .threads_per_warp = 32, .work_items = ITEMS, .sgprs = 8, .vgprs = 4};
        // clang-format on
        guest_run(&g);
        if (!config.thread_csrs) {
            assert_int_equal(g.result.fault.kind, FAULT_ILLEGAL);
            guest_close(&g);
            continue;
        }
        assert_done(&g);
        for (uint32_t group = 0; group < 12; group++)
            for (uint32_t item = 0; item < ITEMS; item++) {
                const uint32_t *have = g.data + group * 512 + item * 8;
                const uint32_t at[3] = {group % 2, group / 2 % 3, group / 6},
                               id[3] = {item % 8, item / 8 % 4, item / 32};
                uint32_t want[3];
                for (int d = 0; d < 3; d++) want[d] = at[d] * local[d] + id[d];
                for (int d = 0; d < 3; d++) assert_int_equal(have[d], want[d] + offset[d]);
                assert_int_equal(have[3], (want[2] * global[1] + want[1]) * global[0] + want[0]);
                for (int d = 0; d < 3; d++) assert_int_equal(have[4 + d], id[d]);
            }
        guest_close(&g);
    }
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_in_order), cmocka_unit_test(test_partial_warp),
        cmocka_unit_test(test_last_groups), cmocka_unit_test(test_fresh_state),
        cmocka_unit_test(test_barrier_with_early_exit), cmocka_unit_test(test_spin_across_warps), cmocka_unit_test(test_loop_of_calls), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_private), cmocka_unit_test(test_access_shapes), cmocka_unit_test(test_rvv_memory),
        cmocka_unit_test(test_atomics), cmocka_unit_test(test_reservations), cmocka_unit_test(test_reservations_of_a_word), cmocka_unit_test(test_reservations_of_a_place),
        cmocka_unit_test(test_reservations_of_other_lanes), cmocka_unit_test(test_faults), cmocka_unit_test(test_simt_overflow),
        cmocka_unit_test(test_fault_place), cmocka_unit_test(test_register_limits), cmocka_unit_test(test_launch_limits),
        cmocka_unit_test(test_odd_start), cmocka_unit_test(test_local_closed), cmocka_unit_test(test_local_turns), cmocka_unit_test(test_write_only),
        cmocka_unit_test(test_code_changes), cmocka_unit_test(test_code_patched), cmocka_unit_test(test_code_closed), cmocka_unit_test(test_code_across_pages), cmocka_unit_test(test_code_written), cmocka_unit_test(test_memory_range), cmocka_unit_test(test_writable), cmocka_unit_test(test_config), cmocka_unit_test(test_closed_machines), cmocka_unit_test(test_thread_csrs),
    };
    // clang-format on
    return guest_run_tests(tests) + guest_run_tests_native(tests);
}
