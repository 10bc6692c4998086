/* Adding an arithmetic instruction is one line: extra.def has it, and the assembler, the disassembler,
 * the manual and the machine, built with that line, know it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "asm/listing.h"
#include "isa/abi.h"
#include "isa/manual.h"
#include "sim/launch.h"

static const char program[] = "vid.v v1\n"
                              "vsll.vi v33, v1, 2\n"
                              "test.avg.vv v40, v1, v33\n"
                              "test.avg.vv v40, v1, v1, v0.t\n" /* v0 is 0: no lane */
                              "li t0, 0x90000000\n"
                              "vmv.v.x v2, t0\n"
                              "vadd.vv v2, v2, v33\n"
                              "vsw12.v v40, 0(v2)\n"
                              "endprg\n";

static void assemble(struct elf_image *m)
{
    assert_true(asm_assemble("t.s", program, strlen(program), ABI_CODE_BASE, m, stderr));
}

static void test_table(void **state)
{
    (void)state;
    const char *why = isa_check();
    if (why) fail_msg("%s", why);
    assert_int_equal(isa_find("test.avg.vv"), OP_TEST_AVG_VV);
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_true(isa_explain_name("test.avg.vv", f));
    fclose(f);
    assert_non_null(strstr(text, "rounded down"));
    free(text);
}

static void test_listing(void **state)
{
    (void)state;
    struct elf_image m, again;
    char *text;
    size_t size;
    assemble(&m);
    FILE *f = open_memstream(&text, &size);
    asm_disassemble(&(struct asm_listing){0}, m.text, m.text_words, ABI_CODE_BASE, NULL, f);
    fclose(f);
    assert_non_null(strstr(text, "test.avg.vv\tv40, v1, v33\n"));
    assert_non_null(strstr(text, "test.avg.vv\tv40, v1, v1, v0.t\n"));
    assert_true(asm_assemble("t.s", text, size, ABI_CODE_BASE, &again, stderr));
    assert_int_equal(again.text_words, m.text_words);
    assert_memory_equal(again.text, m.text, 4 * m.text_words);
    elf_free(&again);
    elf_free(&m);
    free(text);
}

static void test_machine(void **state)
{
    (void)state;
    struct gpu_config config;
    gpu_config_default(&config);
    struct gpu *gpu = gpu_create(&config, NULL);
    struct elf_image m;
    struct result result;
    assert_non_null(gpu);
    assemble(&m);
    assert_true(gpu_mem_open(gpu, ABI_CODE_BASE, ABI_PAGE, GPU_READ | GPU_WRITE));
    assert_true(gpu_mem_open(gpu, ABI_HEAP_BASE, ABI_PAGE, GPU_READ | GPU_WRITE));
    memcpy(gpu_mem(gpu, ABI_CODE_BASE, ABI_PAGE), m.text, 4 * m.text_words);
    // clang-format off
    const struct launch launch = {.start_pc = ABI_CODE_BASE, .groups = {1, 1, 1}, .warps = 1, .threads_per_warp = 32, .work_items = 32,
        .sgprs = 64, .vgprs = 64, .lds_bytes = 4096, .pds_base = ABI_HEAP_BASE};
    // clang-format on
    assert_true(gpu_mem_open(gpu, ABI_CODE_BASE, ABI_PAGE, GPU_READ | GPU_EXEC));
    gpu_mem_code_changed(gpu);
    gpu_launch(gpu, &launch, NULL, &result);
    char why[256] = "";
    fault_print(&result.fault, why, sizeof why);
    if (result.status != LAUNCH_DONE) fail_msg("%s", why);
    const uint32_t *out = gpu_mem(gpu, ABI_HEAP_BASE, 128);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], (i + 4 * i) / 2);
    elf_free(&m);
    gpu_destroy(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_listing),
                                       cmocka_unit_test(test_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
