/* The translator that all machines of a test share (shared_translator.c): where it says nothing, programs run without
 * it, and tests fail instead of waiting for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pair.h"

/* A program that goes on when its client has ended, and neither reads nor writes; two programs, two machines. */
static void test_silent_translator(void **state)
{
    char script[] = "/tmp/ventus-silent-XXXXXX";
    const int file = mkstemp(script);
    FILE *f = fdopen(file, "w");
    uint64_t translated;
    (void)state;
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nexec sleep 1000\n");
    assert_int_equal(fchmod(file, 0700), 0);
    assert_int_equal(fclose(f), 0);
    setenv("VENTUS_TRANSLATE", script, 1);
    setenv("VENTUS_TRANSLATE_PATIENCE", "1", 1);
    for (int i = 0; i < 2; i++) {
        pair_run(&(struct pair){.text = i ? " endprg\n" : " li x5, 3\n endprg\n"}, &translated);
        assert_int_equal(translated, 0);
    }
    unlink(script);
}

/* A mistake may have it wait for ever: then the signal ends it. */
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_silent_translator)};
    if (!engine_usable(&engine_native)) return 77;
    alarm(200);
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
