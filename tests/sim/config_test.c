/* The ranges of the machine's parameters: the least and the most are a machine, one less and one more are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/abi.h"
#include "sim/launch.h"

#define FIELD(name, least, most) \
    { \
#name, offsetof(struct gpu_config, name), least, most \
    }
static const struct {
    const char *name;
    size_t at;
    uint32_t least, most;
} fields[] = {
    FIELD(sms, 1, 1024),         FIELD(warps_per_sm, 1, 64),
    FIELD(groups_per_sm, 1, 64), FIELD(threads_per_warp, 4, 32),
    FIELD(lanes, 1, 32),         FIELD(lds_bytes, ABI_WARP_STACK, ABI_LOCAL_LIMIT - ABI_LOCAL_BASE),
    FIELD(vgpr_rows, 32, 65536), FIELD(sgpr_rows, 32, 65536),
    FIELD(clock_mhz, 1, 100000), FIELD(thread_csrs, 0, 1),
    FIELD(host_threads, 0, 256), FIELD(translation, GPU_PHYSICAL, GPU_SV39),
    FIELD(ignore_stray, 0, 1),
};

static void try(size_t field, uint32_t value, bool good)
{
    struct gpu_config c;
    gpu_config_default(&c);
    c.sms = c.groups_per_sm = 1;
    c.lds_bytes = 4096;
    memcpy((char *)&c + fields[field].at, &value, sizeof value);
    const char *why = gpu_config_check(&c);
    if (good && why) fail_msg("%s = %u is refused: %s", fields[field].name, value, why);
    if (!good && (!why || strncmp(why, fields[field].name, strlen(fields[field].name))))
        fail_msg("%s = %u: %s", fields[field].name, value, why ? why : "accepted");
}

static void test_ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        try(i, fields[i].least, true);
        try(i, fields[i].most, true);
        try(i, fields[i].least - 1, false);
        try(i, fields[i].most + 1, false);
    }
}

static void test_others(void **state)
{
    (void)state;
    struct gpu_config c;
    gpu_config_default(&c);
    c.threads_per_warp = 12;
    assert_string_equal(gpu_config_check(&c), "threads_per_warp must be 4, 8, 16 or 32");
    gpu_config_default(&c);
    c.lanes = 3;
    assert_string_equal(gpu_config_check(&c), "lanes must be 1, 2, 4, 8, 16 or 32");
    gpu_config_default(&c);
    c.quantum = 1u << 30;
    assert_null(gpu_config_check(&c));
    c.quantum++;
    assert_string_equal(gpu_config_check(&c), "quantum must be 1 to 2^30");
    c.quantum = 0;
    assert_string_equal(gpu_config_check(&c), "quantum must be 1 to 2^30");
    gpu_config_default(&c);                                /* all of the window */
    c.sms = 64, c.groups_per_sm = 64, c.lds_bytes = 61440; /* and a page between */
    assert_null(gpu_config_check(&c));
    c.sms = 65;
    assert_non_null(strstr(gpu_config_check(&c), "must fit into the local window"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
