/* How many instructions a second co-simulation compares, when a design reports all it does: one warp of 32 lanes in an
 * endless loop of an addition, a store and a load of vectors, a scalar addition and a jump. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cosim/ventus_cosim.h"

enum { LANES = 32, CODE = 0x80000000u, DATA = 0x90000000u, ALL = 0xffffffffu, ROUNDS = 200000 };

static const uint32_t code[] = {
    0x0212c0d7, /* vadd.vx v1, v1, x5 */
    0x00128293, /* addi x5, x5, 1 */
    0x0011607b, /* vsw12.v v1, 0(v2) */
    0x000121fb, /* vlw12.v v3, 0(v2) */
    0xff1ff06f, /* j back */
};

static void check(int good, const ventus_cosim *c)
{
    if (good) return;
    fprintf(stderr, "%s%s\n", ventus_cosim_report(c), ventus_cosim_error(c));
    exit(1);
}

static ventus_cosim *start(const uint32_t *addr)
{
    const struct ventus_cosim_launch launch = {
        .start_pc = CODE, .groups = {1, 1, 1}, .warps = 1, .threads_per_warp = LANES};
    ventus_cosim *c = ventus_cosim_ref_init(NULL, VENTUS_COSIM_ALL);
    check(c && ventus_cosim_ref_memory_write(c, CODE, code, sizeof code), c);
    check(ventus_cosim_ref_memory_open(c, DATA, 4096) && ventus_cosim_ref_launch(c, &launch), c);
    check(ventus_cosim_dut_group_begin(c, 0, 0, 0, 0, 0) && ventus_cosim_dut_warp_begin(c, 0, 0, 0, 0), c);
    for (uint32_t i = 0; i < LANES; i++) check(ventus_cosim_ref_v_set(c, 0, 2, i, addr[i]), c);
    return c;
}

static void retire(ventus_cosim *c, uint32_t number)
{
    ventus_cosim_dut_simt_set(c, 0, ALL, 0);
    check(ventus_cosim_dut_retire(c, 0, CODE + 4 * number, code[number]), c);
}

static void loop(ventus_cosim *c, const uint32_t *addr)
{
    uint32_t v1[LANES] = {0};
    for (uint32_t x5 = 0; x5 < ROUNDS;) {
        for (uint32_t i = 0; i < LANES; i++) v1[i] += x5;
        ventus_cosim_dut_v_set(c, 0, 1, ALL, v1);
        retire(c, 0);
        ventus_cosim_dut_x_set(c, 0, 5, ++x5);
        retire(c, 1);
        ventus_cosim_dut_bus(c, 0, 1, 4, ALL, addr, v1);
        retire(c, 2);
        ventus_cosim_dut_bus(c, 0, 0, 4, ALL, addr, NULL);
        ventus_cosim_dut_v_set(c, 0, 3, ALL, v1);
        retire(c, 3);
        retire(c, 4);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    uint32_t addr[LANES];
    for (uint32_t i = 0; i < LANES; i++) addr[i] = DATA + 4 * i;
    ventus_cosim *c = start(addr);
    const double from = seconds();
    loop(c, addr);
    printf("%.2f million instructions a second\n",
           1e-6 * (double)ventus_cosim_metric(c, VENTUS_COSIM_RETIRED) / (seconds() - from));
    ventus_cosim_ref_shutdown(c);
    return 0;
}
