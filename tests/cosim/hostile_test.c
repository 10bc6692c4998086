/* Calls that cannot be right: each is an error with a reason and no difference, and leaves the reference as it was. And
 * launches from files. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cosim/ventus_cosim.h"
#include "tests/rng.h"

enum { CODE = 0x80000000u, DATA = 0x90000000u, ENDPRG = 0x0000400b, ADDI = 0x00100293 /* addi x5, x0, 1 */ };

static const struct ventus_cosim_launch one_warp = {
    .start_pc = CODE, .groups = {1, 1, 1}, .warps = 1, .threads_per_warp = 4, .lds_bytes = 4096};

static ventus_cosim *open_with(uint32_t reports)
{
    const uint32_t code[] = {ADDI, ENDPRG};
    ventus_cosim *c = ventus_cosim_ref_init(NULL, reports);
    assert_non_null(c);
    assert_true(ventus_cosim_ref_memory_write(c, CODE, code, sizeof code));
    return c;
}

static void start(ventus_cosim *c)
{
    assert_true(ventus_cosim_ref_launch(c, &one_warp));
    assert_true(ventus_cosim_dut_group_begin(c, 0, 0, 0, 0x70000000, 0));
    assert_true(ventus_cosim_dut_warp_begin(c, 0, 0, 0, 0));
}

/* With a warp on hart 0. */
static ventus_cosim *started(uint32_t reports)
{
    ventus_cosim *c = open_with(reports);
    start(c);
    return c;
}

static void failed(const ventus_cosim *c, int good, const char *why)
{
    assert_int_equal(good, 0);
    if (!strstr(ventus_cosim_error(c), why)) fail_msg("no '%s' in '%s'", why, ventus_cosim_error(c));
    assert_string_equal(ventus_cosim_report(c), "");
}

/* ---- null pointers ---- */

static void test_no_reference(void **state)
{
    uint32_t word[32] = {0};
    (void)state;
    const int results[] = {
        ventus_cosim_ref_memory_open(NULL, DATA, 4),
        ventus_cosim_ref_memory_write(NULL, DATA, word, 4),
        ventus_cosim_ref_memory_read(NULL, DATA, word, 4),
        ventus_cosim_ref_program_load(NULL, "x.elf"),
        ventus_cosim_ref_launch(NULL, &one_warp),
        ventus_cosim_ref_last_groups(NULL, 1, 0),
        ventus_cosim_ref_case(NULL, "x.metadata"),
        ventus_cosim_ref_launch_end(NULL),
        ventus_cosim_ref_memory_compare(NULL, DATA, word, 4),
        ventus_cosim_ref_tolerance(NULL, "*", 1),
        ventus_cosim_dut_group_begin(NULL, 0, 0, 0, 0, 0),
        ventus_cosim_dut_warp_begin(NULL, 0, 0, 0, 0),
        ventus_cosim_dut_group_end(NULL, 0, 0),
        ventus_cosim_dut_x_set(NULL, 0, 5, 0),
        ventus_cosim_dut_v_set(NULL, 0, 5, 1, word),
        ventus_cosim_dut_bus(NULL, 0, 0, 4, 1, word, NULL),
        ventus_cosim_dut_simt_set(NULL, 0, 1, 0),
        ventus_cosim_dut_retire(NULL, 0, CODE, 0),
        ventus_cosim_ref_x_set(NULL, 0, 5, 0),
        ventus_cosim_ref_v_set(NULL, 0, 5, 0, 0),
        (int)ventus_cosim_ref_launch_field(NULL, 0),
        (int)ventus_cosim_ref_word(NULL, CODE),
        (int)ventus_cosim_ref_pc(NULL, 0),
        (int)ventus_cosim_ref_x(NULL, 0, 1),
        (int)ventus_cosim_ref_v(NULL, 0, 1, 0),
        (int)ventus_cosim_ref_mask(NULL, 0),
        (int)ventus_cosim_metric(NULL, VENTUS_COSIM_RETIRED),
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) assert_int_equal(results[i], 0);
    failed(NULL, 0, "the reference is a null pointer");
    ventus_cosim_ref_shutdown(NULL);
}

static void test_null_arguments(void **state)
{
    ventus_cosim *c = open_with(VENTUS_COSIM_ALL);
    const char *why = "an argument is a null pointer";
    (void)state;
    failed(c, ventus_cosim_ref_memory_write(c, DATA, NULL, 4), why);
    failed(c, ventus_cosim_ref_memory_read(c, CODE, NULL, 4), why);
    failed(c, ventus_cosim_ref_memory_compare(c, CODE, NULL, 4), why);
    failed(c, ventus_cosim_ref_program_load(c, NULL), why);
    failed(c, ventus_cosim_ref_launch(c, NULL), why);
    failed(c, ventus_cosim_ref_case(c, NULL), why);
    failed(c, ventus_cosim_ref_tolerance(c, NULL, 1), why);
    ventus_cosim_ref_shutdown(c);
    c = started(VENTUS_COSIM_ALL);
    failed(c, ventus_cosim_dut_v_set(c, 0, 5, 1, NULL), why);
    failed(c, ventus_cosim_dut_bus(c, 0, 0, 4, 1, NULL, NULL), why);
    ventus_cosim_ref_shutdown(c);
}

/* ---- numbers out of range ---- */

static void test_machines(void **state)
{
    const char *source = getenv("VENTUS_SOURCE");
    char path[PATH_MAX];
    (void)state;
    assert_null(ventus_cosim_ref_init(NULL, 16));
    failed(NULL, 0, "0x10: no set of reports");
    if (!source) skip();
    snprintf(path, sizeof path, "%s/configs/sv39.conf", source);
    assert_null(ventus_cosim_ref_init(path, 0));
    failed(NULL, 0, "addresses are not translated");
    snprintf(path, sizeof path, "%s/configs/r2.0.conf", source);
    ventus_cosim *c = ventus_cosim_ref_init(path, 0);
    assert_non_null(c);
    ventus_cosim_ref_shutdown(c);
}

static void test_memory(void **state)
{
    ventus_cosim *c = open_with(VENTUS_COSIM_ALL);
    uint32_t word = 5;
    (void)state;
    failed(c, ventus_cosim_ref_memory_open(c, 0xfffff000, 8192), "cannot be opened");
    failed(c, ventus_cosim_ref_memory_open(c, DATA, UINT64_MAX), "cannot be opened");
    failed(c, ventus_cosim_ref_memory_write(c, 0xffffffff, &word, UINT64_MAX), "cannot be opened");
    failed(c, ventus_cosim_ref_memory_read(c, DATA, &word, 4), "not all open");
    failed(c, ventus_cosim_ref_memory_read(c, CODE + 4094, &word, 4), "not all open");
    failed(c, ventus_cosim_ref_memory_compare(c, DATA, &word, 4), "not all open");
    assert_int_equal(ventus_cosim_ref_word(c, DATA), 0);
    assert_int_equal(ventus_cosim_ref_word(c, UINT32_MAX), 0);
    assert_true(ventus_cosim_ref_memory_write(c, DATA, &word, 4));
    assert_int_equal(ventus_cosim_ref_word(c, DATA + 3), 5); /* of the word that the byte is in */
    word = 0;
    assert_true(ventus_cosim_ref_memory_read(c, DATA, &word, 4));
    assert_int_equal(word, 5);
    assert_true(ventus_cosim_ref_memory_compare(c, DATA, &word, 4));
    ventus_cosim_ref_shutdown(c);
}

static void test_launches(void **state)
{
    ventus_cosim *c = open_with(VENTUS_COSIM_ALL);
    struct ventus_cosim_launch l = one_warp;
    (void)state;
    failed(c, ventus_cosim_ref_launch_end(c), "no launch is under way");
    failed(c, ventus_cosim_dut_group_begin(c, 0, 0, 0, 0, 0), "no launch is under way");
    l.warps = UINT32_MAX;
    failed(c, ventus_cosim_ref_launch(c, &l), "does not fit");
    l = one_warp;
    l.threads_per_warp = 33;
    failed(c, ventus_cosim_ref_launch(c, &l), "does not fit");
    l = one_warp;
    l.groups[0] = l.groups[1] = l.groups[2] = UINT32_MAX;
    failed(c, ventus_cosim_ref_launch(c, &l), "more than 2^32 work-groups");
    l = one_warp;
    l.vgprs = UINT32_MAX;
    failed(c, ventus_cosim_ref_launch(c, &l), "does not fit");
    failed(c, ventus_cosim_ref_last_groups(c, 1, 3), "there are 0 to 2");
    assert_true(ventus_cosim_ref_last_groups(c, UINT32_MAX, 2));
    failed(c, ventus_cosim_ref_launch(c, &one_warp), "work-items of the last group do not fit");
    assert_true(ventus_cosim_ref_launch(c, &one_warp)); /* it was for one launch */
    failed(c, ventus_cosim_ref_launch(c, &one_warp), "another one is under way");
    failed(c, ventus_cosim_ref_last_groups(c, 1, 0), "a launch is under way");
    failed(c, ventus_cosim_dut_group_begin(c, 0, 0, 0, 0x60000000, 0), "not in the window of local memory");
    failed(c, ventus_cosim_dut_group_begin(c, UINT32_MAX, 0, 0, 0x70000000, 0), "the machine has");
    failed(c, ventus_cosim_dut_group_begin(c, 0, UINT32_MAX, 0, 0x70000000, 0), "the machine has");
    failed(c, ventus_cosim_dut_group_begin(c, 0, 0, UINT32_MAX, 0x70000000, 0), "the launch has fewer");
    assert_int_equal(ventus_cosim_ref_launch_field(c, 5), 1);
    assert_int_equal(ventus_cosim_ref_launch_field(c, 13), 0);
    assert_int_equal(ventus_cosim_metric(c, 99), 0);
    ventus_cosim_ref_shutdown(c); /* in the middle of a launch */
}

static void test_harts(void **state)
{
    ventus_cosim *c = started(VENTUS_COSIM_ALL);
    (void)state;
    failed(c, ventus_cosim_dut_warp_begin(c, VENTUS_COSIM_HARTS, 0, 0, 0), "there are 65536 at most");
    failed(c, ventus_cosim_dut_warp_begin(c, 1, 0, 0, 1), "there is no warp 1");
    failed(c, ventus_cosim_dut_warp_begin(c, 1, 0, 0, 0), "hart 1: its warp is on hart 0");
    failed(c, ventus_cosim_dut_x_set(c, 1, 5, 0), "no warp has begun there");
    failed(c, ventus_cosim_dut_retire(c, UINT32_MAX, CODE, ADDI), "no warp has begun there");
    failed(c, ventus_cosim_ref_x_set(c, 0, UINT32_MAX, 0), "no such register");
    failed(c, ventus_cosim_ref_v_set(c, 0, UINT32_MAX, 0, 0), "there is none");
    failed(c, ventus_cosim_ref_v_set(c, 0, 5, 32, 0), "there is none");
    assert_true(ventus_cosim_ref_x_set(c, 0, 9, 77));
    assert_true(ventus_cosim_ref_v_set(c, 0, 9, 3, 78));
    assert_int_equal(ventus_cosim_ref_x(c, 0, 9), 77);
    assert_int_equal(ventus_cosim_ref_v(c, 0, 9, 3), 78);
    assert_int_equal(ventus_cosim_ref_x(c, 0, UINT32_MAX) | ventus_cosim_ref_v(c, 0, UINT32_MAX, 0), 0);
    assert_int_equal(ventus_cosim_ref_v(c, 0, 9, 32) | ventus_cosim_ref_x(c, 1, 9), 0);
    assert_int_equal(ventus_cosim_ref_mask(c, 0), 15);
    assert_int_equal(ventus_cosim_ref_pc(c, 0), CODE);
    ventus_cosim_ref_shutdown(c);
}

static void test_too_much_of_an_instruction(void **state)
{
    ventus_cosim *c = started(VENTUS_COSIM_ALL);
    const uint32_t words[32] = {0};
    (void)state;
    failed(c, ventus_cosim_dut_bus(c, 0, 3, 4, 1, words, NULL), "no memory access: write 3, 4 bytes");
    failed(c, ventus_cosim_dut_bus(c, 0, 1, 3, 1, words, words), "no memory access: write 1, 3 bytes");
    for (int i = 0; i < 4; i++) assert_true(ventus_cosim_dut_bus(c, 0, 0, 4, 0, words, NULL));
    failed(c, ventus_cosim_dut_bus(c, 0, 0, 4, 0, words, NULL), "more than 4 memory accesses");
    for (uint32_t i = 0; i < 64; i++) assert_true(ventus_cosim_dut_x_set(c, 0, UINT32_MAX - i, 0));
    failed(c, ventus_cosim_dut_x_set(c, 0, 5, 0), "more than 64 registers");
    assert_false(ventus_cosim_dut_retire(c, 0, CODE, ADDI));
    assert_non_null(
        strstr(ventus_cosim_report(c), "first difference: the number of memory accesses: expected 0, found 4"));
    assert_false(ventus_cosim_dut_retire(c, 0, CODE + 4, ENDPRG)); /* nothing is compared any more */
    assert_int_equal(ventus_cosim_metric(c, VENTUS_COSIM_DIFFERENCES), 1);
    ventus_cosim_ref_shutdown(c);
}

static void test_wrong_addresses_of_instructions(void **state)
{
    const uint32_t places[] = {0, 1, CODE + 1, CODE + 2, CODE - 4, UINT32_MAX, DATA};
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        ventus_cosim *c = started(0);
        assert_false(ventus_cosim_dut_retire(c, 0, places[i], ADDI));
        assert_non_null(strstr(ventus_cosim_report(c), "first difference: the address of the instruction"));
        ventus_cosim_ref_shutdown(c);
    }
}

/* A launch that begins where no code is. */
static void test_no_code(void **state)
{
    ventus_cosim *c = ventus_cosim_ref_init("", 0);
    (void)state;
    start(c);
    assert_false(ventus_cosim_dut_retire(c, 0, CODE, ADDI));
    assert_non_null(strstr(ventus_cosim_report(c), "the instruction fails in the reference"));
    ventus_cosim_ref_shutdown(c);
}

/* ---- all at once ---- */

/* Numbers that are often right. */
static uint32_t any(void)
{
    static const uint32_t likely[] = {0, 1, 2, 3, 4, 5, 15, 31, CODE, CODE + 4, DATA, 0x70000000, UINT32_MAX};
    const uint32_t n = rng() % 20;
    return n < sizeof likely / sizeof *likely ? likely[n] : n < 17 ? rng() % 8 : rng();
}

static void retire_next(ventus_cosim *c, uint32_t hart, bool wrong)
{
    const uint32_t pc = ventus_cosim_ref_pc(c, hart);
    if (rng() % 8) ventus_cosim_dut_simt_set(c, hart, ventus_cosim_ref_mask(c, hart), UINT32_MAX);
    ventus_cosim_dut_retire(c, hart, pc + wrong, ventus_cosim_ref_word(c, pc));
}

static void any_call(ventus_cosim *c)
{
    const uint32_t n = rng() % 200, a = any(), b = any(), d = any();
    uint32_t words[32];
    for (int i = 0; i < 32; i++) words[i] = any();
    const struct ventus_cosim_launch l = {CODE, DATA, {a % 4, 1, b % 3}, d, b, any(), a, b, any(), DATA, d};
    switch (n) {
    case 0: ventus_cosim_ref_memory_write(c, CODE + a % 64 * 4, words, sizeof words); break;
    case 1: ventus_cosim_ref_launch(c, rng() & 1 ? &l : &one_warp); break;
    case 2: ventus_cosim_dut_group_begin(c, a, b, d, 0x70000000 + a * 64, DATA); break;
    case 3: ventus_cosim_dut_group_begin(c, 0, 0, 0, 0x70000000, DATA); break;
    case 4: ventus_cosim_dut_warp_begin(c, a % 8, b, d, 0); break;
    case 5: ventus_cosim_dut_warp_begin(c, a % 8, 0, 0, 0); break;
    case 6: ventus_cosim_dut_group_end(c, a % 3, b % 3); break;
    case 7: ventus_cosim_ref_launch_end(c); break;
    case 8: ventus_cosim_dut_x_set(c, a % 8, b, d); break;
    case 9: ventus_cosim_dut_v_set(c, a % 8, b, d, words); break;
    case 10: ventus_cosim_dut_bus(c, a % 8, b % 4, d, a, words, words); break;
    case 11: ventus_cosim_dut_simt_set(c, a % 8, b, d); break;
    case 12: ventus_cosim_ref_x_set(c, a % 8, b, d); break;
    case 13: ventus_cosim_ref_v_set(c, a % 8, b % 64, d, any()); break;
    case 14: ventus_cosim_ref_memory_compare(c, a, words, d % 128); break;
    case 15: ventus_cosim_ref_memory_open(c, a, d % 100000); break;
    default: retire_next(c, a % 8, n == 199);
    }
}

/* Words of all kinds of instructions, most of them valid. */
static void write_noise(ventus_cosim *c)
{
    static const uint32_t opcodes[] = {0x13, 0x13, 0x13, 0x13, 0x33, 0x33, 0x03, 0x23, 0x57,
                                       0x57, 0x7b, 0x0b, 0x5b, 0x2f, 0x63, 0x6f, 0x53};
    uint32_t words[32];
    for (int i = 0; i < 32; i++) words[i] = (rng() & ~0x7fu) | opcodes[rng() % (sizeof opcodes / sizeof *opcodes)];
    assert_true(ventus_cosim_ref_memory_write(c, CODE, words, sizeof words));
    assert_true(ventus_cosim_ref_memory_open(c, DATA, 65536));
}

/* Calls in any order, of programs that are noise, neither crash nor leak. */
static void test_any_calls(void **state)
{
    uint32_t executed = 0;
    (void)state;
    for (int run = 0; run < 1000; run++) {
        ventus_cosim *c = open_with(run % 4 ? 0 : VENTUS_COSIM_SIMT | VENTUS_COSIM_V);
        write_noise(c);
        if (run % 3) start(c);
        for (uint32_t i = 1; i < 32; i++) ventus_cosim_ref_x_set(c, 0, i, DATA + 4096 + 4 * i);
        for (int i = 0; i < 200; i++) any_call(c);
        executed += ventus_cosim_metric(c, VENTUS_COSIM_RETIRED) > 2;
        ventus_cosim_ref_shutdown(c);
    }
    assert_true(executed > 20);
}

/* ---- files ---- */

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

/* Words in the form of recorded launches, each of metadata with a zero behind it. */
static void write_words(const char *name, const uint32_t *words, size_t n, bool doubled)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    for (size_t i = 0; i < n; i++) fprintf(f, doubled ? "%08x\n00000000\n" : "%08x\n", (unsigned)words[i]);
    fclose(f);
}

/* Two groups of a warp of four lanes; buffers for a word of data and for the code. */
static const uint32_t metadata[] = {CODE, 0,  2, 1, 1,    4,    1, 0x90001000, 4096, 0,
                                    64,   64, 0, 2, DATA, CODE, 4, 8,          4096, 4096};
static const uint32_t data[] = {1234, ADDI, ENDPRG};

static int enter(void **state)
{
    static char folder[] = "/tmp/cosim.XXXXXX";
    *state = mkdtemp(folder);
    return !*state || chdir(*state);
}

static int leave(void **state)
{
    static const char *const names[] = {"two.metadata", "two.data", "two.elf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(names[i]);
    return chdir("/") || rmdir(*state);
}

static void run_group(ventus_cosim *c, uint32_t group)
{
    assert_true(ventus_cosim_dut_group_begin(c, group, 0, group, 0x70000000, 0));
    assert_true(ventus_cosim_dut_warp_begin(c, group, group, 0, 0));
    assert_true(ventus_cosim_dut_retire(c, group, CODE, ADDI));
    assert_true(ventus_cosim_dut_retire(c, group, CODE + 4, ENDPRG));
    assert_true(ventus_cosim_dut_group_end(c, group, 0));
}

static void test_case(void **state)
{
    (void)state;
    ventus_cosim *c = ventus_cosim_ref_init(NULL, 0);
    failed(c, ventus_cosim_ref_case(c, "two.metadata"), "two.metadata");
    failed(c, ventus_cosim_ref_case(c, ""), ": No such file or directory");
    write_words("two.metadata", metadata, sizeof metadata / sizeof *metadata, true);
    failed(c, ventus_cosim_ref_case(c, "two.metadata"), "two.data");
    write_words("two.data", data, sizeof data / sizeof *data, false);
    if (!ventus_cosim_ref_case(c, "two.metadata")) fail_msg("%s", ventus_cosim_error(c));
    assert_int_equal(ventus_cosim_ref_launch_field(c, 0), CODE);
    assert_int_equal(ventus_cosim_ref_launch_field(c, 2), 2);
    assert_int_equal(ventus_cosim_ref_launch_field(c, 6), 4);
    assert_int_equal(ventus_cosim_ref_word(c, DATA), 1234);
    assert_int_equal(ventus_cosim_ref_word(c, CODE + 4), ENDPRG);
    run_group(c, 0);
    run_group(c, 1);
    assert_true(ventus_cosim_ref_launch_end(c));
    write_words("two.metadata", metadata, 9, true);
    failed(c, ventus_cosim_ref_case(c, "two.metadata"), "two.metadata");
    ventus_cosim_ref_shutdown(c);
}

/* A file of names that is none spoils the launch, rather than the report in the end. */
static void test_programs(void **state)
{
    ventus_cosim *c = ventus_cosim_ref_init(NULL, 0);
    (void)state;
    failed(c, ventus_cosim_ref_program_load(c, "missing.elf"), "missing.elf: cannot be read");
    failed(c, ventus_cosim_ref_program_load(c, "/"), "/: cannot be read, or is no file of up to 64 MiB");
    FILE *large = fopen("two.elf", "w");
    assert_non_null(large);
    assert_int_equal(ftruncate(fileno(large), (64 << 20) + 1), 0);
    fclose(large);
    failed(c, ventus_cosim_ref_program_load(c, "two.elf"), "two.elf: cannot be read, or is no file of up to 64 MiB");
    write_file("two.elf",
               "\x7f"
               "ELF",
               4);
    failed(c, ventus_cosim_ref_program_load(c, "two.elf"), "two.elf: ");
    write_words("two.metadata", metadata, sizeof metadata / sizeof *metadata, true);
    write_words("two.data", data, sizeof data / sizeof *data, false);
    failed(c, ventus_cosim_ref_case(c, "two.metadata"), "two.elf: ");
    failed(c, ventus_cosim_ref_launch_end(c), "no launch is under way");
    ventus_cosim_ref_shutdown(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_reference),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_harts),
        cmocka_unit_test(test_too_much_of_an_instruction),
        cmocka_unit_test(test_wrong_addresses_of_instructions),
        cmocka_unit_test(test_no_code),
        cmocka_unit_test(test_any_calls),
        cmocka_unit_test(test_case),
        cmocka_unit_test(test_programs),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
