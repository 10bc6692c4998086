/* A device that describes itself as a machine is taken for exactly that machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "driver/backend_machine.h"
#include "isa/isa.h"

static void assert_same(const struct gpu_config *a, const struct gpu_config *b)
{
    assert_int_equal(a->sms, b->sms);
    assert_int_equal(a->warps_per_sm, b->warps_per_sm);
    assert_int_equal(a->groups_per_sm, b->groups_per_sm);
    assert_int_equal(a->threads_per_warp, b->threads_per_warp);
    assert_int_equal(a->lds_bytes, b->lds_bytes);
    assert_int_equal(a->clock_mhz, b->clock_mhz);
    assert_int_equal(a->vgpr_rows, b->vgpr_rows);
    assert_int_equal(a->sgpr_rows, b->sgpr_rows);
    assert_int_equal(a->profile, b->profile);
}

static void test_adopt(void **state)
{
    struct gpu_config is, got;
    (void)state;
    gpu_config_default(&got);
    gpu_config_default(&is);
    is.sms = 3, is.warps_per_sm = 5, is.groups_per_sm = 7, is.threads_per_warp = 16, is.lds_bytes = 0x4000;
    is.clock_mhz = 123, is.vgpr_rows = 4000, is.sgpr_rows = 2000, is.profile = PROFILE_R2025;
    const struct gpu_config other = got;
    assert_true(is.sms != other.sms && is.warps_per_sm != other.warps_per_sm &&
                is.groups_per_sm != other.groups_per_sm);
    assert_true(is.lds_bytes != other.lds_bytes && is.clock_mhz != other.clock_mhz && is.profile != other.profile);
    assert_true(is.vgpr_rows != other.vgpr_rows && is.sgpr_rows != other.sgpr_rows);
    struct ventus_backend_info info = backend_question(&is);
    assert_true(backend_adopt(&got, &info));
    assert_same(&got, &is);
    strcpy(info.profile, "none");
    assert_false(backend_adopt(&got, &info));
    assert_same(&got, &is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adopt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
