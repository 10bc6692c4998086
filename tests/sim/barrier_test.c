/* Barriers against a model: random work-groups whose warps come to barriers at different times and end after
 * different numbers of phases. In each phase a warp writes the phase's number, waits, reads what all the others
 * have written, and waits again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"

enum { WARPS = 8, PHASES = 6, TEXT = 1 << 16, ROUNDS = 60, TRANSLATED = 8 /* programs of some 260 instructions */ };

struct plan {
    uint32_t warps, phases[WARPS]; /* a warp ends after so many phases */
    uint32_t delay[WARPS][PHASES]; /* turns of a loop in front of the barrier */
};

static uint32_t among(uint32_t low, uint32_t high) { return low + guest_random() % (high - low + 1); }

static void make_plan(struct plan *p)
{
    p->warps = among(1, WARPS);
    for (uint32_t w = 0; w < p->warps; w++) {
        p->phases[w] = among(0, PHASES);
        for (uint32_t k = 0; k < PHASES; k++) p->delay[w][k] = guest_random() % 4 ? among(1, 20) : among(1, 2000);
    }
}

static void append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, TEXT - used, format, args);
    va_end(args);
}

/* x5 local memory, x6 this warp's row of results in global memory. */
static void write_phase(char *text, const struct plan *p, uint32_t w, uint32_t k)
{
    append(text, " li x7, %u\n1: addi x7, x7, -1\n bnez x7, 1b\n", p->delay[w][k]);
    append(text, " li x7, %u\n sw x7, %u(x5)\n barrier %u\n", k + 1, 4 * w, guest_random() % 8);
    for (uint32_t v = 0; v < p->warps; v++)
        append(text, " lw x7, %u(x5)\n sw x7, %u(x6)\n", 4 * v, 4 * (k * WARPS + v));
    append(text, " barrier 1\n");
}

static void write_program(char *text, const struct plan *p)
{
    *text = 0;
    append(text,
           " csrr x5, CSR_LDS\n csrr x8, CSR_WID\n lui x6, 0x90000\n li x7, %u\n mul x9, x8, x7\n add x6, x6, x9\n",
           4 * PHASES * WARPS);
    for (uint32_t w = 0; w < p->warps; w++) append(text, " li x7, %u\n bne x8, x7, 2f\n j warp%u\n2:\n", w, w);
    for (uint32_t w = 0; w < p->warps; w++) {
        append(text, "warp%u:\n", w);
        for (uint32_t k = 0; k < p->phases[w]; k++) write_phase(text, p, w, k);
        append(text, " endprg\n");
    }
}

static void check_results(const struct plan *p, const uint32_t *results)
{
    for (uint32_t w = 0; w < p->warps; w++)
        for (uint32_t k = 0; k < p->phases[w]; k++)
            for (uint32_t v = 0; v < p->warps; v++) {
                uint32_t expected = p->phases[v] > k ? k + 1 : p->phases[v];
                assert_int_equal(results[(w * PHASES + k) * WARPS + v], expected);
            }
}

static void test_random_groups(void **state)
{
    char *text = malloc(TEXT);
    (void)state;
    assert_non_null(text);
    for (int round = 0; round < (guest_translates() ? TRANSLATED : ROUNDS); round++) {
        struct gpu_config c;
        struct plan plan;
        struct guest g;
        uint32_t arrivals = 0;
        gpu_config_default(&c);
        c.quantum = among(1, 300);
        guest_open_config(&g, &c);
        make_plan(&plan);
        write_program(text, &plan);
        guest_assemble(&g, text);
        g.launch.warps = plan.warps;
        g.launch.work_items = plan.warps * 32 - guest_random() % 32;
        g.launch.vgprs = 8;
        memset(g.data, 0xff, WARPS * PHASES * WARPS * 4);
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        check_results(&plan, g.data);
        for (uint32_t w = 0; w < plan.warps; w++) arrivals += 2 * plan.phases[w];
        assert_int_equal(g.result.counters.barriers, arrivals);
        guest_close(&g);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_groups)};
    return guest_run_tests(tests) + guest_run_tests_native(tests);
}
