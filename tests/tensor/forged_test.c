/* Copies that a kernel has forged: sizes, addresses and descriptors of the kind that finds mistakes. They end with the
 * launch done or failed and write nothing but local memory; with the sanitizers, nothing of the host either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/guest.h"

enum {
    LDS = 0x70000000,
    LDS_BYTES = 64 * 1024,
    TENSOR = 0,
    BOX = 32,
    OPERANDS = 64,
    SCRATCH = 128 /* words of data */
};
enum { ROUNDS = 1500, DONE_AT_LEAST = ROUNDS / 50 };

static uint32_t among(uint32_t n) { return guest_random() % n; }

static uint32_t odd(void)
{
    static const uint32_t edges[] = {
        0,          1,          2,          4,          8,     15,         16,         17,
        255,        256,        257,        4095,       65536, 0x10000000, 0x7fffffff, 0x80000000,
        0x80000001, 0xfffffff0, 0xfffffffe, 0xffffffff, LDS,   LDS - 16,   GUEST_DATA, GUEST_DATA + GUEST_BYTES - 16};
    return among(4) ? edges[among(sizeof edges / sizeof *edges)] : guest_random() >> among(32);
}

/* Each copy in a program; the operands of all are in memory, as dma_test has them. */
static void open_program(struct guest *g, const char *copy)
{
    char text[640];
    snprintf(text, sizeof text,
             "lui t0, 0x90000\nvid.v v1\nvsll.vi v1, v1, 2\nvadd.vx v1, v1, t0\n"
             "vlw12.v v2, 0(v1)\nvlw12.v v3, 128(v1)\n"
             "lw t1, 256(t0)\nlw t2, 260(t0)\nlw t3, 264(t0)\nvmv.v.x v4, t3\n%s\ncp_dma_mbarrier\nendprg\n",
             copy);
    guest_open(g);
    g->launch.lds_bytes = LDS_BYTES;
    guest_assemble(g, text);
}

/* A tensor of some dimensions in the data, a box in it, and its place in local memory: a copy that may well be right.
 */
static void make_sound(uint32_t *data)
{
    static const uint32_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    uint32_t rank = 1 + among(5), type = among(13), stride = 16 * (1 + among(8));
    memset(data, 0, SCRATCH * 4);
    data[TENSOR] = type;
    data[TENSOR + 1] = rank;
    data[TENSOR + 2] = GUEST_DATA + SCRATCH * 4 + 16 * among(16);
    for (uint32_t d = 0; d < rank; d++) {
        data[TENSOR + 3 + d] = 1 + among(d ? 6 : 16 / sizes[type]);
        if (d) data[TENSOR + 7 + d] = stride, stride *= 1 + among(4);
        data[BOX + 1 + d] = 1 + among(8);
        data[BOX + 6 + d] = 1 + among(3);
    }
    data[BOX] = data[TENSOR + 2] + (among(3) ? 0 : sizes[type] * among(4)) - (among(4) ? 0 : 16);
    data[BOX + 14] = among(2);
    data[OPERANDS] = GUEST_DATA + SCRATCH * 4 + 16 * among(64);
    data[OPERANDS + 1] = 4 * among(600);
    data[OPERANDS + 2] = LDS + 16 * among(256);
}

static void spoil(uint32_t *data)
{
    for (uint32_t n = among(4); n; n--) data[among(2) ? among(BOX + 15) : OPERANDS + among(3)] = odd();
}

/* What the program and the tensor are in is as it was, but for the descriptors of this round. */
static void forge(const char *copy)
{
    static uint32_t before[GUEST_BYTES / 4];
    struct guest g;
    unsigned done = 0;
    const unsigned rounds = guest_translates() ? ROUNDS / 10 : ROUNDS;
    open_program(&g, copy);
    for (unsigned i = SCRATCH; i < GUEST_BYTES / 4; i++) g.data[i] = guest_random();
    for (unsigned i = 0; i < rounds; i++) {
        make_sound(g.data);
        spoil(g.data);
        memcpy(before, g.data, sizeof before);
        guest_run(&g);
        assert_true(g.result.status == LAUNCH_DONE || g.result.status == LAUNCH_FAULT);
        done += g.result.status == LAUNCH_DONE;
        assert_memory_equal(g.data, before, sizeof before);
    }
    assert_in_range(done, DONE_AT_LEAST / (ROUNDS / rounds), rounds - 1);
    guest_close(&g);
}

static void test_small(void **state)
{
    (void)state;
    forge("cp_dma v4, t1, t2, 16");
}

static void test_bulk(void **state)
{
    (void)state;
    forge("cp_dma_bulk v4, t1, t2");
}

static void test_tensor(void **state)
{
    (void)state;
    forge("cp_dma_tensor v4, v2, v3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_bulk),
                                       cmocka_unit_test(test_tensor)};
    return guest_run_tests(tests) + guest_run_tests_native(tests);
}
