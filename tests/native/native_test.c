/* The engine `native` against `step`: random programs (programs.h), on every host level, compared in memory,
 * registers, counters and faults at their ends, and in the whole state in their middle (tests/turns/turns.h). The other
 * native_*_test.c have programs for what these seldom meet.
 *
 * native_test [ROUNDS [FIRST [LEVEL]]]: so many programs, from number FIRST on, on each level or this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "programs.h"

static uint32_t rounds = 4, first = 2; /* 0 and 1 are long */
static uint64_t all, between;          /* instructions in translated code: of programs, and of those with turns */
static const char *only_level;

/* Code for convergent warps, which is made only where the other is not kept, and code for divergent ones with
 * two more sets of data. */
static void run_program(uint32_t number)
{
    static struct program p;
    uint64_t translated;
    program_make(&p, number);
    p.pair.counts = number % 2;
    for (unsigned i = 0; i < 3; i++) {
        p.pair.convergent = !i;
        if (i) unsetenv("VENTUS_CACHE");
        else setenv("VENTUS_CACHE", "0", 1);
        pair_run(&p.pair, &translated);
        all += translated;
        program_fill(&p);
    }
}

/* The whole state between turns, in the one code or the other. */
static void run_turns(uint32_t number)
{
    static struct program p;
    uint64_t translated;
    program_make(&p, number);
    p.pair.turns = number + 1;
    p.pair.convergent = number % 3 == 0;
    setenv("VENTUS_CACHE", "0", 1);
    pair_run(&p.pair, &translated);
    unsetenv("VENTUS_CACHE");
    between += translated;
}

static void test_level(const char *level)
{
    setenv("VENTUS_NATIVE_LEVEL", level, 1);
    for (uint32_t i = 0; i < rounds; i++) {
        run_program(first + i);
        run_turns(first + i);
    }
    unsetenv("VENTUS_NATIVE_LEVEL");
    assert_true(all > 0 && between > 0);
    all = between = 0;
}

static void test_programs(void **state)
{
    (void)state;
    if (!engine_usable(&engine_native)) skip();
    const char *level;
    for (unsigned i = 0; (level = pair_level(i)); i++)
        if (!only_level || !strcmp(level, only_level)) test_level(level);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs)};
    if (argc > 1) rounds = (uint32_t)strtoul(argv[1], NULL, 0);
    if (argc > 2) first = (uint32_t)strtoul(argv[2], NULL, 0);
    if (argc > 3) only_level = argv[3];
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
