/* The engine `native` against `step`: random programs, on every host level, compared in memory, registers, counters and
 * faults. The programs have loops, divergent branches, accesses of every shape and some that fail. native_rules_test.c
 * has programs for what these seldom meet.
 *
 * native_test [ROUNDS [SKIP]]: as many programs on each level; SKIP random numbers are left out first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effects.h"
#include "native_pair.h"

static uint32_t rounds = 5;

/* ---- programs ---- */

struct text {
    char s[1 << 16];
    size_t n;
    unsigned labels;
};

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->s + t->n, sizeof t->s - t->n, format, args);
    va_end(args);
    if (t->n >= sizeof t->s) fail_msg("program too long");
}

static uint32_t below(uint32_t n) { return guest_random() % n; }

/* x5 to x14 and v1 to v12 hold anything; x20 is the data, v16 to v19 are addresses there: consecutive, all the same,
 * the same in each eight lanes, scattered; v20 are offsets of private memory, v21 small numbers, x21 a stride. */
enum { X_FIRST = 5, X_COUNT = 10, V_FIRST = 1, V_COUNT = 12 };
static unsigned any_x(void) { return X_FIRST + below(X_COUNT); }
static unsigned any_v(void) { return V_FIRST + below(V_COUNT); }

static bool is_arithmetic(const struct isa_desc *row)
{
    switch (row->kind) {
    case KIND_X:
    case KIND_V:
    case KIND_VV:
    case KIND_VX:
    case KIND_VI:
    case KIND_V1I:
    case KIND_V2X:
    case KIND_EV: return true;
    default: return false;
    }
}

static uint8_t any_register(const struct isa_effects *e, unsigned role)
{
    if (e->vectors >> role & 1) return (uint8_t)any_v();
    return (uint8_t)(e->scalars >> role & 1 ? any_x() : 0);
}

/* A row that computes. */
static void put_row(struct text *t)
{
    char line[128];
    uint32_t words[ISA_MAX_WORDS];
    struct insn in;
    do {
        in = (struct insn){.op = (uint16_t)(1 + below(OP_COUNT - 1)), .vm = 1, .rm = 7};
        const struct isa_desc *row = &isa_table[in.op];
        struct isa_effects e = isa_effects(&in, ISA_LANES);
        if (!is_arithmetic(row) || isa_find(row->name) != in.op || e.row_pairs) continue;
        in.rd = any_register(&e, ROLE_RD);
        in.rs1 = any_register(&e, ROLE_RS1);
        in.rs2 = any_register(&e, ROLE_RS2);
        in.rs3 = any_register(&e, ROLE_RS3);
        in.imm =
            in.op == OP_LUI || in.op == OP_AUIPC ? (int32_t)(guest_random() & 0xfffff000u) : (int32_t)below(32) - 8;
        if (strchr(row->operands, 'm')) in.vm = below(4) != 0;
        if (strchr(row->operands, 'o') && !below(8)) in.rm = (uint8_t)below(4);
    } while (!is_arithmetic(&isa_table[in.op]) || isa_find(isa_table[in.op].name) != in.op ||
             !isa_encode(&in, words, NULL));
    isa_print(&in, 0, ISA_PRINT_NUMERIC, line, sizeof line);
    put(t, " %s\n", line);
}

static void put_access(struct text *t)
{
    static const char *const loads[] = {"vlw12.v", "vlh12.v", "vlb12.v", "vlhu12.v", "vlbu12.v"};
    static const char *const stores[] = {"vsw12.v", "vsh12.v", "vsb12.v"};
    static const char *const strided[] = {"vle32.v v%u, (x20)",         "vse32.v v%u, (x20)",
                                          "vlse32.v v%u, (x20), x21",   "vsse32.v v%u, (x20), x21",
                                          "vluxei32.v v%u, (x20), v21", "vsuxei32.v v%u, (x20), v21",
                                          "vle16.v v%u, (x20)",         "vse8.v v%u, (x20)"};
    static const char *const atomics[] = {"amoadd.w", "amoxor.w", "amomax.w", "amominu.w", "amoswap.w"};
    unsigned base = 16 + below(4), imm = below(256) * 4;
    switch (below(10)) {
    case 0:
    case 1: put(t, " %s v%u, %u(v%u)\n", loads[below(5)], any_v(), imm, base); break;
    case 2: put(t, " %s v%u, %u(v%u)\n", stores[below(3)], any_v(), imm, base); break;
    case 3:
        put(t, " ");
        put(t, strided[below(8)], any_v());
        put(t, "%s\n", below(3) ? "" : ", v0.t");
        break;
    case 4: put(t, " %s v%u, v%u, (v%u)\n", atomics[below(5)], any_v(), any_v(), base); break;
    case 8: put(t, " lr.w v%u, (v%u)\n", any_v(), base); break;
    case 9: put(t, " sc.w v%u, v%u, (v%u)\n", any_v(), any_v(), base); break;
    case 5: put(t, " %s x%u, %u(x20)\n", below(2) ? "lw" : "lhu", any_x(), imm); break;
    case 6: put(t, " %s x%u, %u(x20)\n", below(2) ? "sw" : "sb", any_x(), imm); break;
    default: put(t, " %s v%u, %u(v20)\n", below(2) ? "vlw.v" : "vsw.v", any_v(), below(8) * 4);
    }
}

/* A division by the size of a work-group, which is a constant of the translation. */
static void put_division(struct text *t)
{
    put(t, " csrr x9, CSR_KNL\n lw x9, %u(x9)\n", (unsigned)ABI_META_LOCAL_SIZE + below(3) * 4);
    put(t, " %s v%u, v%u, x9\n", below(2) ? "vremu.vx" : "vdivu.vx", any_v(), any_v());
}

/* An instruction that translated code leaves to `step`. */
static void put_odd(struct text *t)
{
    static const char *const odd[] = {"csrr x9, CSR_KNL\n li x10, 5\n sw x10, 24(x9)",
                                      "csrr x9, vl",
                                      "csrr x9, instret",
                                      "csrr x9, CSR_NUMW",
                                      "fence",
                                      "csrr x9, CSR_PDS",
                                      "csrw vxrm, x9",
                                      "csrrs x9, mstatus, x10",
                                      "fadd.s x9, x10, x11, rtz",
                                      "barrier 1",
                                      "li x9, 40\n vsetvli x9, x9, e32, m1, ta, ma"};
    put(t, " %s\n", odd[below(sizeof odd / sizeof *odd)]);
}

static void put_block(struct text *t, unsigned depth);

/* Where lanes meet: m and a number, as the compiler says it, or less directly. */
static void put_meeting(struct text *t, unsigned n)
{
    if (below(2)) put(t, "1: auipc x31, %%pcrel_hi(m%u)\n setrpc x0, x31, %%pcrel_lo(1b)\n", n);
    else put(t, " la x31, m%u\n setrpc x0, x31, 0\n", n);
}

/* Lanes part and meet again. */
static void put_if(struct text *t, unsigned depth)
{
    unsigned n = t->labels++;
    put_meeting(t, n);
    put(t, " %s v%u, v%u, e%u\n", below(2) ? "vblt" : "vbne", any_v(), any_v(), n);
    put_block(t, depth + 1);
    if (below(2)) {
        put(t, " j m%u\ne%u:\n", n, n);
        put_block(t, depth + 1);
    } else {
        put(t, "e%u:\n", n);
    }
    put(t, "m%u: join\n", n);
}

/* Some lanes go round more often than others, or each lane more often than the one before, and the last one twice
 * alone. v22 + depth counts. */
static void put_loop(struct text *t, unsigned depth)
{
    unsigned n = t->labels++, counter = 22 + depth;
    if (below(2)) put(t, " vand.vi v%u, v%u, 7\nl%u:\n", counter, any_v(), n);
    else
        put(t, " vid.v v%u\n vadd.vi v%u, v%u, -15\n vsll.vi v%u, v%u, 1\nl%u:\n", counter, counter, counter, counter,
            counter, n);
    put_block(t, depth + 1);
    put(t, " vadd.vi v%u, v%u, -1\n", counter, counter);
    put_meeting(t, n);
    put(t, " vmv.v.i v13, 0\n vbge v%u, v13, l%u\n", counter, n);
    put(t, "m%u: join\n", n);
}

/* All lanes go round. */
static void put_scalar_loop(struct text *t, unsigned depth)
{
    unsigned n = t->labels++;
    put(t, " li x%u, %u\nl%u:\n", 22 + depth, 1 + below(4), n);
    put_block(t, depth + 1);
    put(t, " addi x%u, x%u, -1\n bne x%u, x0, l%u\n", 22 + depth, 22 + depth, 22 + depth, n);
}

static void put_block(struct text *t, unsigned depth)
{
    unsigned most = depth ? 3 : 9;
    for (unsigned i = 0; i < most; i++) {
        uint32_t what = below(16);
        if (what < 8 || depth == 2) put_row(t);
        else if (what < 11) put_access(t);
        else if (what == 11) put_odd(t);
        else if (what == 12) put_scalar_loop(t, depth);
        else if (what == 13) put_loop(t, depth);
        else put_if(t, depth);
    }
}

/* First values, and at the end all of them to memory. */
static void put_program(struct text *t)
{
    t->n = 0;
    put(t, " lui x20, 0x90000\n li x21, 12\n csrr x5, CSR_TID\n vid.v v16\n vadd.vx v16, v16, x5\n");
    put(t, " vsll.vi v16, v16, 2\n vadd.vx v16, v16, x20\n");
    for (unsigned i = 0; i < V_COUNT; i++) put(t, " vlw12.v v%u, %u(v16)\n", V_FIRST + i, i * 128);
    for (unsigned i = 0; i < X_COUNT; i++) put(t, " lw x%u, %u(x20)\n", X_FIRST + i, i * 4 + 512);
    put(t, " vmv.v.x v17, x20\n vsrl.vi v18, v16, 5\n vsll.vi v18, v18, 5\n li x31, 0xffc\n vand.vx v19, v5, x31\n");
    put(t, " vadd.vx v19, v19, x20\n vmv.v.i v20, 0\n vand.vx v21, v6, x31\n vmv.v.v v0, v7\n");
    put_division(t);
    put_block(t, 0);
    put_division(t);
    if (!below(3))
        put(t, " lui x31, 0x12345\n %s\n", below(2) ? "lw x0, 8(x31)" : "vadd.vx v1, v19, x31\n vlw12.v v2, 8(v1)");
    put(t, " li x31, 0x4000\n add x31, x31, x20\n csrr x30, CSR_TID\n slli x30, x30, 9\n add x31, x31, x30\n");
    put(t, " vid.v v15\n vsll.vi v15, v15, 2\n vadd.vx v15, v15, x31\n");
    for (unsigned i = 0; i < V_COUNT; i++) put(t, " vsw12.v v%u, %u(v15)\n", V_FIRST + i, i * 128);
    for (unsigned i = 0; i < X_COUNT; i++) put(t, " sw x%u, %u(x31)\n", X_FIRST + i, 1600 + i * 4);
    put(t, " endprg\n");
}

/* ---- running ---- */

static void test_level(const char *level)
{
    static const struct launch shapes[] = {{.warps = 1, .threads_per_warp = 32, .work_items = 32},
                                           {.warps = 3, .threads_per_warp = 32, .work_items = 75},
                                           {.warps = 2, .threads_per_warp = 16, .work_items = 32},
                                           {.warps = 1, .threads_per_warp = 32, .work_items = 16},
                                           {.warps = 2, .threads_per_warp = 32, .work_items = 37}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    static struct text t;
    uint64_t translated;
    setenv("VENTUS_NATIVE_LEVEL", level, 1);
    for (uint32_t i = 0; i < rounds; i++) {
        put_program(&t);
        struct pair p = {.text = t.s, .shape = shapes[i % SHAPES], .order = (enum path_order)(i / SHAPES % 3)};
        do {
            pair_run(&p, &translated);
            assert_true(translated > 0);
        } while ((p.together = !p.together));
    }
    unsetenv("VENTUS_NATIVE_LEVEL");
}

static void test_programs(void **state)
{
    (void)state;
    if (!engine_usable(&engine_native)) skip();
    const char *level;
    for (unsigned i = 0; (level = pair_level(i)); i++) test_level(level);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs)};
    if (argc > 1) rounds = (uint32_t)strtoul(argv[1], NULL, 0);
    for (unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 0; n; n--) guest_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
