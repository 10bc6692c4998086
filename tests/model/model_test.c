/* Every standard RISC-V instruction of the table against an independent model, QEMU's user mode.
 *
 * The list of rows comes from the table: a row with a standard encoding is compared, or is an exception with
 * a reason (rows.c), or the test fails. Rows without semantics (ABSENT) wait until they have some. Without
 * qemu-riscv32 the test skips, loudly. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/launch.h"

enum { MOST_PER_SECTION = 2, MOST_IN_ALL = 60 }; /* mismatches printed */

static struct input input;

/* ---- our side ---- */

static struct gpu *machine(enum isa_profile profile, const struct program *p)
{
    struct gpu_config config;
    const char *why = NULL;
    gpu_config_default(&config);
    config.profile = profile;
    struct gpu *gpu = gpu_create(&config, &why);
    if (!gpu) fail_msg("%s", why);
    uint32_t data = (uint32_t)MODEL_OUTPUT - (uint32_t)MODEL_INPUT + p->out_bytes;
    assert_true(gpu_mem_open(gpu, (uint32_t)MODEL_CODE, p->n[0] * 4, GPU_READ | GPU_WRITE | GPU_EXEC));
    assert_true(gpu_mem_open(gpu, (uint32_t)MODEL_INPUT, data, GPU_READ | GPU_WRITE));
    memcpy(gpu_mem(gpu, (uint32_t)MODEL_CODE, p->n[0] * 4), p->code[0], p->n[0] * 4);
    memcpy(gpu_mem(gpu, (uint32_t)MODEL_INPUT, sizeof input), &input, sizeof input);
    gpu_mem_code_changed(gpu);
    return gpu;
}

/* The instruction under test whose section holds code word `index`. */
static const char *section_name(const struct program *p, uint32_t index)
{
    const char *name = "none";
    for (size_t i = 0; i < p->nsections && p->sections[i].code <= index; i++)
        name = isa_table[p->sections[i].in.op].name;
    return name;
}

static void run_ours(const struct program *p, struct gpu *gpu)
{
    // clang-format off
    const struct launch launch = {.start_pc = (uint32_t)MODEL_CODE, .groups = {1, 1, 1}, .warps = 1, .threads_per_warp = 32,
                                  .work_items = 32, .sgprs = 32, .vgprs = 32, .lds_bytes = 4096};
    // clang-format on
    struct result result;
    gpu_launch(gpu, &launch, NULL, &result);
    if (result.status == LAUNCH_DONE) return;
    char text[300];
    fault_print(&result.fault, text, sizeof text);
    fail_msg("in the test of %s: %s", section_name(p, (result.fault.pc - (uint32_t)MODEL_CODE) / 4), text);
}

/* ---- comparison ---- */

struct tally {
    size_t words, mismatches, printed;
};

static void print_operands(const struct section *s, uint32_t record, uint32_t word)
{
    if (s->operands == OPERANDS_TRIPLE) {
        const struct triple *t = &input.triples[s->pool][s->first + record];
        print_error("; rs1 0x%08x, rs2 0x%08x, rs3 0x%08x", t->a, t->b, t->c);
    } else if (s->operands == OPERANDS_BATCH) {
        const void *at = (const uint8_t *)&input.batches[s->pool][s->first] + record * s->step;
        const struct batch *b = at;
        uint32_t i = s->step == sizeof *b ? word % 32 : 0;
        print_error("; lane %u of %u: vs2 0x%08x (0x%08x), vs1 0x%08x", i, b->avl, b->vs2[i], b->vs2_high[i],
                    b->vs1[i]);
        print_error(", vd 0x%08x (0x%08x), v0 0x%08x, rs1 0x%08x, rs2 0x%08x", b->vd[i], b->vd_high[i], b->v0[0],
                    b->scalar, b->scalar2);
    }
}

static void print_mismatch(const struct section *s, uint32_t record, uint32_t word, uint32_t ours, uint32_t theirs)
{
    static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm"};
    char text[100];
    bool flag = word >= s->record / 4 - s->flag_words;
    isa_print(&s->in, 0, ISA_PRINT_NUMERIC, text, sizeof text);
    print_error("%s, frm %s, rm %u, vxrm %u: record %u word %u%s: ours 0x%08x, QEMU 0x%08x", text, modes[s->frm],
                s->in.rm, s->vxrm, record, word, flag ? " (flags)" : "", ours, theirs);
    print_operands(s, record, word);
    print_error("\n");
}

static void compare_section(const struct section *s, const uint8_t *ours, const uint8_t *theirs, bool flags,
                            struct tally *tally)
{
    uint32_t words = s->record / 4, compared = words - (flags ? 0 : s->flag_words), here = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = 0; k < compared; k++) {
            uint32_t a, b, at = s->out + i * s->record + k * 4;
            memcpy(&a, ours + at, 4), memcpy(&b, theirs + at, 4);
            tally->words++;
            if (a == b) continue;
            tally->mismatches++;
            if (here++ < MOST_PER_SECTION && tally->printed++ < MOST_IN_ALL) print_mismatch(s, i, k, a, b);
        }
    }
}

static void compare(const struct program *p, enum isa_profile profile, const uint8_t *theirs, bool flags,
                    struct tally *tally)
{
    struct gpu *gpu = machine(profile, p);
    run_ours(p, gpu);
    const uint8_t *ours = gpu_mem(gpu, (uint32_t)MODEL_OUTPUT, p->out_bytes);
    for (size_t i = 0; i < p->nsections; i++) compare_section(&p->sections[i], ours, theirs, flags, tally);
    gpu_destroy(gpu);
}

/* ---- programs ---- */

/* The profile of the machine that a row is tested on: the default one if it has the row. */
static enum isa_profile row_profile(enum isa_op op)
{
    static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_R21, PROFILE_R20, PROFILE_R2025};
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (isa_table[op].revisions & profiles[i]) return profiles[i];
    return PROFILE_DEFAULT;
}

static bool row_live(enum isa_op op)
{
    return row_standard(op) && !row_exception(op) && isa_table[op].kind != KIND_ABSENT;
}

/* All rows of one kind of machine; returns how many. */
static unsigned build(struct program *p, enum isa_profile profile, enum cpu cpu, bool control)
{
    unsigned rows = 0;
    for (unsigned op = OP_INVALID + 1; op < OP_COUNT; op++) {
        if (!row_live((enum isa_op)op) || row_profile((enum isa_op)op) != profile) continue;
        if (row_cpu((enum isa_op)op) != cpu || row_control((enum isa_op)op) != control) continue;
        if (!row_put(p, (enum isa_op)op)) fail_msg("%s: no section tests it", isa_table[op].name);
        rows++;
    }
    program_end(p);
    return rows;
}

/* With flags, and once more without: a program that cannot see them may run on another engine. */
static unsigned run(enum isa_profile profile, enum cpu cpu, bool control)
{
    struct program p = {.flags = true};
    struct tally tally = {0};
    uint8_t *theirs;
    size_t size;
    char why[200];
    unsigned rows = build(&p, profile, cpu, control);
    if (rows) {
        if (!qemu_run(&p, cpu, &input, &theirs, &size, why)) {
            size_t k = 0;
            while (k + 1 < p.nsections && p.sections[k].out + p.sections[k].record * p.sections[k].count <= size) k++;
            fail_msg("QEMU: %s, in the test of %s", why, isa_table[p.sections[k].in.op].name);
        }
        compare(&p, profile, theirs, true, &tally);
        if (!control) {
            program_free(&p);
            build(&p, profile, cpu, control);
            compare(&p, profile, theirs, false, &tally);
        }
        free(theirs);
        print_message("%s: %u rows, %zu words compared, %zu differ\n", isa_profile_name(profile), rows, tally.words,
                      tally.mismatches);
    }
    program_free(&p);
    assert_int_equal(tally.mismatches, 0);
    return rows;
}

/* ---- the tests ---- */

/* How many rows the test runs below must have covered. */
static unsigned live, covered;

static void test_list(void **state)
{
    (void)state;
    unsigned standard = 0, absent = 0, exceptions = 0;
    for (unsigned op = OP_INVALID + 1; op < OP_COUNT; op++) {
        if (row_exception((enum isa_op)op) && !row_standard((enum isa_op)op))
            fail_msg("%s is an exception but not standard", isa_table[op].name);
        if (!row_standard((enum isa_op)op)) continue;
        if (row_exception((enum isa_op)op)) {
            exceptions++;
            continue;
        }
        standard++;
        if (isa_table[op].kind == KIND_ABSENT) absent++;
        if (row_live((enum isa_op)op)) live++;
    }
    print_message("%u standard rows, %u of them without semantics yet; %u others with reasons\n", standard, absent,
                  exceptions);
    assert_int_equal(live, standard - absent);
    assert_true(live >= 364);
}

static void run_profiles(enum cpu cpu, bool control)
{
    static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_R20, PROFILE_R21, PROFILE_R2025};
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) covered += run(profiles[i], cpu, control);
}

static void test_scalar(void **state) { (void)state, run_profiles(CPU_ZFINX, false); }
static void test_vector(void **state) { (void)state, run_profiles(CPU_VECTOR, false); }
static void test_control(void **state) { (void)state, run_profiles(CPU_VECTOR, true); }
static void test_all_covered(void **state) { (void)state, assert_int_equal(covered, live); }

int main(void)
{
    if (!qemu_found()) {
        printf("SKIPPED: no qemu-riscv32 (install the package qemu-user)\n");
        return 77;
    }
    input_fill(&input);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_list), cmocka_unit_test(test_scalar),
                                       cmocka_unit_test(test_control), cmocka_unit_test(test_vector),
                                       cmocka_unit_test(test_all_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
