/* Translations and copies of code that no launch needs any more do not pile up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "guest.h"
#include "isa/abi.h"
#include "sim/native.h"

enum { METADATA = 0x8000, LAUNCHES = 100, MIB = 1 << 20 };

static long resident_bytes(void)
{
    long all, resident;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &all, &resident), 2);
    fclose(f);
    return resident * sysconf(_SC_PAGESIZE);
}

/* Launches of two megabytes of code for work-groups of other sizes each time, so that each is a translation of its
 * own: 200 MiB of code in all. */
static void test_memory(void **state)
{
    struct gpu_config c;
    struct guest g;
    (void)state;
    gpu_config_default(&c);
    c.host_threads = 1;
    c.engine = &engine_native;
    guest_open_config(&g, &c);
    guest_assemble(&g, " li x5, 1\n endprg\n .zero 2000000\n");
    assert_true(engine_use(g.gpu, NULL)); /* nothing is hot, so nothing is translated */
    g.launch.knl = GUEST_DATA + METADATA;
    long before = resident_bytes();
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        g.data[(METADATA + ABI_META_LOCAL_SIZE) / 4] = 8 + i;
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
    }
#ifdef __SANITIZE_ADDRESS__ /* keeps what is freed for some time */
    (void)before;
#else
    assert_true(resident_bytes() - before < 120l * MIB);
#endif
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
