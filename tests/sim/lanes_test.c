/* Functions of rows on all lanes (sim/lanes.h) as a compiler makes them that does not optimise: they touch no more
 * registers than the row has operands, and leave the same as the optimised ones. Of a scalar operand the number may be
 * that of a vector register which the warp does not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "sim/lanes.h"
#include "guest.h"

enum { REGISTERS = 4, SCALAR = 63, CLOSED = 1 << 16 /* bytes */ };

extern const struct lane_row lanes_unoptimised[DISPATCH_COUNT] __attribute__((visibility("hidden")));

/* The registers of a warp end where the next pages are closed. */
static void give_registers(struct warp *w)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, page + CLOSED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + page, CLOSED, PROT_NONE), 0);
    w->v = (void *)(p + page - REGISTERS * sizeof *w->v);
}

static void set_registers(struct warp *w)
{
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        for (unsigned i = 0; i < REGISTERS; i++) w->v[i][lane] = 0x3f800000u + (i * ISA_LANES + lane) * 0x12345u;
}

static void test_operands(void **state)
{
    static struct group group;
    static struct warp w = {.group = &group, .lanes = ~0u, .mask = ~0u, .x = {[SCALAR] = 0x40490fdb}};
    static const uint32_t masks[] = {~0u, 0x0ff0a5c3};
    uint32_t before[REGISTERS][ISA_LANES];
    unsigned rows = 0;
    (void)state;
    give_registers(&w);
    for (unsigned op = 0; op < OP_COUNT; op++) {
        if (!lanes_unoptimised[op].lanes) continue;
        const bool scalar = isa_table[op].kind == KIND_VX;
        const struct insn in = {.op = (uint16_t)op, .rd = 3, .rs1 = scalar ? SCALAR : 1, .rs2 = 2, .imm = 3, .vm = 1};
        for (unsigned k = 0; k < 2; k++) {
            w.active = masks[k];
            for (unsigned lane = 0; lane < ISA_LANES; lane++) w.expand[lane] = 0u - (masks[k] >> lane & 1);
            set_registers(&w);
            lanes_base[op].lanes(&w, &in);
            memcpy(before, w.v, sizeof before);
            set_registers(&w);
            lanes_unoptimised[op].lanes(&w, &in);
            if (memcmp(before, w.v, sizeof before)) fail_msg("%s: another result", isa_table[op].name);
        }
        rows++;
    }
    assert_true(rows > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
