/* Devices with address translation: the page table in their memory says what kernels may do where, results are those of
 * physical addresses, and faults name virtual ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "driver/driver.h"
#include "sim/sv39.h"
#include "program.h"

static ventus_device *open_device(enum gpu_translation translation)
{
    ventus_device *d = NULL;
    struct gpu_config config;
    gpu_config_default(&config);
    config.translation = translation;
    assert_int_equal(device_open_gpu(&config, &d), VENTUS_OK);
    return d;
}

static uint32_t alloc(ventus_device *d, uint64_t size)
{
    uint32_t addr = 0;
    assert_int_equal(ventus_alloc(d, size, &addr), VENTUS_OK);
    return addr;
}

/* Entry of the table that translates `addr`, found as the hardware finds it; 0: a table is not there. */
static uint64_t entry_of(const ventus_device *d, uint32_t addr)
{
    uint64_t table = space_root(), entry = 0;
    for (int level = SV39_LEVELS - 1; level >= 0; level--) {
        uint32_t index = (uint32_t)((uint64_t)addr >> (12 + level * SV39_INDEX_BITS) & 511);
        const void *at = gpu_mem(d->gpu, (uint32_t)table + index * SV39_ENTRY_BYTES, SV39_ENTRY_BYTES);
        if (!at) return 0;
        memcpy(&entry, at, sizeof entry);
        if (!level || !(entry & SV39_V)) break;
        assert_int_equal(entry & (SV39_R | SV39_W | SV39_X), 0);
        table = entry >> SV39_NUMBER_SHIFT << 12;
    }
    return entry;
}

static uint32_t page_of(uint64_t entry) { return (uint32_t)(entry >> SV39_NUMBER_SHIFT << 12); }

static void test_table(void **state)
{
    ventus_device *d = open_device(GPU_SV39);
    uint32_t first = alloc(d, 3 * ABI_PAGE), second = alloc(d, 1);
    (void)state;
    assert_int_equal(ventus_write(d, first + 2 * ABI_PAGE, "pages", 6), VENTUS_OK);
    for (uint32_t at = first; at < first + 3 * ABI_PAGE; at += ABI_PAGE) {
        assert_int_equal(entry_of(d, at) & 0xff, SV39_V | SV39_R | SV39_W);
        assert_int_not_equal(page_of(entry_of(d, at)), at);
    }
    assert_string_equal(gpu_mem(d->gpu, page_of(entry_of(d, first + 2 * ABI_PAGE)), 6), "pages");
    assert_int_equal(entry_of(d, first + 3 * ABI_PAGE), 0); /* closed behind the buffer */
    assert_int_equal(entry_of(d, second) & SV39_V, SV39_V);
    assert_int_equal(entry_of(d, ABI_LOCAL_BASE), 0);
    assert_null(gpu_mem(d->gpu, first + ABI_PAGE, ABI_HEAP_LIMIT - first - ABI_PAGE)); /* nor is it physical */
    assert_int_equal(ventus_free(d, first), VENTUS_OK);
    assert_int_equal(entry_of(d, first), 0);
    assert_int_equal(entry_of(d, second) & SV39_V, SV39_V);
    ventus_close(d);
}

/* Of allocations without a closed page behind them, which come when there are thousands, nothing is left in the table.
 */
static void test_packed(void **state)
{
    enum { PARTED = 8192 };
    ventus_device *d = open_device(GPU_SV39);
    uint32_t first = 0, second, last;
    (void)state;
    for (unsigned i = 0; i < PARTED; i++) first = alloc(d, 1);
    second = alloc(d, 1), last = alloc(d, 1);
    assert_int_equal(second, first + 2 * ABI_PAGE);
    assert_int_equal(last, second + ABI_PAGE);
    assert_int_equal(ventus_free(d, second), VENTUS_OK);
    assert_int_equal(entry_of(d, second), 0);
    assert_int_equal(entry_of(d, last) & SV39_V, SV39_V);
    ventus_close(d);
}

/* All of memory at once: every page has a place below local memory. */
static void test_whole_heap(void **state)
{
    ventus_device *d = open_device(GPU_SV39);
    uint64_t size = ventus_memory_size(d);
    uint32_t addr = alloc(d, size), last = addr + (uint32_t)size - 1;
    (void)state;
    assert_int_equal(ventus_write(d, last, "x", 1), VENTUS_OK);
    assert_true(page_of(entry_of(d, addr)) >= ABI_PAGE);
    assert_true(page_of(entry_of(d, last)) < ABI_LOCAL_BASE);
    ventus_close(d);
}

/* A kernel with private memory, arguments and a constant, on both kinds of device. */
static void test_results(void **state)
{
    ventus_module *m = program_build_private(ARGS " vid.v v0\n li x5, 0\n vmv.v.x v1, x5\n vadd.vx v2, v0, x11\n"
                                                  " vsw.v v2, 4(v1)\n la x6, word\n lw x6, 0(x6)\n vlw.v v3, 4(v1)\n"
                                                  " vmul.vx v3, v3, x6\n vsll.vi v4, v0, 2\n vadd.vx v4, v4, x10\n"
                                                  " vsw12.v v3, 0(v4)\n endprg\nword: .word 3\n",
                                             8);
    (void)state;
    for (enum gpu_translation t = GPU_PHYSICAL; t <= GPU_SV39; t++) {
        ventus_device *d = open_device(t);
        uint32_t args[4] = {alloc(d, 2 * ABI_PAGE), 7}, out[32];
        struct ventus_launch launch = program_launch(m, args, 32, 32);
        struct ventus_result result;
        char why[400] = "";
        if (ventus_run(d, &launch, &result, why, sizeof why) != VENTUS_OK) fail_msg("%s", why);
        assert_int_equal(ventus_read(d, out, args[0], sizeof out), VENTUS_OK);
        for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 3 * (i + 7));
        ventus_close(d);
    }
    ventus_module_free(m);
}

/* A kernel that stores to `addr`. */
static void expect_fault(ventus_device *d, ventus_module *m, uint32_t addr, const char *text)
{
    const uint32_t args[4] = {addr, 1};
    struct ventus_launch launch = program_launch(m, args, 1, 1);
    struct ventus_result result;
    char why[400] = "", where[40];
    snprintf(where, sizeof where, "page fault at 0x%08x", (unsigned)addr);
    assert_int_equal(ventus_run(d, &launch, &result, why, sizeof why), VENTUS_FAULT);
    assert_int_equal(result.fault.kind, VENTUS_FAULT_PAGE);
    assert_int_equal(result.fault.addr, addr);
    if (!strstr(why, where) || !strstr(why, text)) fail_msg("no '%s' or '%s' in: %s", where, text, why);
}

static void test_faults(void **state)
{
    ventus_device *d = open_device(GPU_SV39);
    ventus_module *m = program_build(STORE);
    uint32_t freed = alloc(d, ABI_PAGE), kept = alloc(d, ABI_PAGE);
    (void)state;
    assert_int_equal(ventus_free(d, freed), VENTUS_OK);
    expect_fault(d, m, kept + ABI_PAGE, "not present");
    expect_fault(d, m, ABI_PAGE, "not present"); /* where the heap's memory is */
    expect_fault(d, m, ABI_CODE_BASE, "page is not writable");
    expect_fault(d, m, space_root(), "not present");
    assert_int_equal(ventus_alloc_shared(d, ABI_PAGE, &kept), VENTUS_NO_DEVICE_MEMORY);
    ventus_module_free(m);
    ventus_close(d);
}

/* Two devices are two address spaces: the same address, other memory. */
static void test_spaces(void **state)
{
    ventus_device *d[2] = {open_device(GPU_SV39), open_device(GPU_SV39)};
    ventus_module *m = program_build(STORE);
    uint32_t addr[2], got;
    (void)state;
    for (int i = 0; i < 2; i++) addr[i] = alloc(d[i], 4);
    assert_int_equal(addr[0], addr[1]);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t args[4] = {addr[i], 40 + i};
        struct ventus_launch launch = program_launch(m, args, 1, 1);
        struct ventus_result result;
        assert_int_equal(ventus_run(d[i], &launch, &result, NULL, 0), VENTUS_OK);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(ventus_read(d[i], &got, addr[i], 4), VENTUS_OK);
        assert_int_equal(got, 40 + i);
        ventus_close(d[i]);
    }
    ventus_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),  cmocka_unit_test(test_whole_heap), cmocka_unit_test(test_results),
        cmocka_unit_test(test_faults), cmocka_unit_test(test_spaces),     cmocka_unit_test(test_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
