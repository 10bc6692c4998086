/* What watched launches say of lines and barriers, against a list of all accesses, for random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "tests/rng.h"

enum { ROUNDS = 200, ACCESSES = 400 };

static uint32_t below(uint32_t n) { return rng() % n; }

/* ---- barriers ---- */

struct seen {
    uint32_t warp, word;
    bool write;
};

/* Two accesses to a word by different warps, one of them a write, on either side. */
static bool is_needed(const struct seen *before, size_t nbefore, const struct seen *behind, size_t nbehind)
{
    for (size_t i = 0; i < nbefore; i++)
        for (size_t k = 0; k < nbehind; k++)
            if (before[i].word == behind[k].word && before[i].warp != behind[k].warp &&
                (before[i].write || behind[k].write))
                return true;
    return false;
}

/* Segments of a few accesses, few words and few warps, so that some barriers are needed and some are not. */
static void one_group(void)
{
    struct seen seen[ACCESSES];
    struct profile_memory barriers = {0};
    struct segments *s = segments_new();
    size_t before = 0, from = 0, all = 0, needless = 0, n = 0;
    const uint32_t words = 1 + below(40), warps = 1 + below(4);
    for (; n < ACCESSES; n++) {
        if (below(6) == 0) {
            if (all) needless += !is_needed(seen + before, from - before, seen + from, n - from);
            all++;
            before = from;
            from = n;
            segments_barrier(s, &barriers);
        }
        seen[n] = (struct seen){below(warps), below(words), below(3) == 0};
        segments_access(s, seen[n].warp, 0x90000000u + 4 * seen[n].word * 1021 + below(4), seen[n].write);
    }
    segments_free(s);
    if (all) needless += !is_needed(seen + before, from - before, seen + from, n - from);
    assert_int_equal(barriers.barriers, all);
    assert_int_equal(barriers.needless, needless);
}

static void test_barriers(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) one_group();
}

static void test_unknown(void **state)
{
    struct profile_memory barriers = {0};
    struct segments *s = segments_new();
    (void)state;
    segments_barrier(s, &barriers);
    segments_barrier(s, &barriers);
    segments_unknown(s);
    segments_barrier(s, &barriers);
    segments_free(s);
    assert_int_equal(barriers.barriers, 3);
    assert_int_equal(barriers.needless, 1);
}

/* ---- lines ---- */

static void test_touched(void **state)
{
    enum { LINES = 32 };
    uint32_t last[LINES] = {0}, line[LINES];
    struct touched *t = touched_new();
    (void)state;
    for (uint32_t i = 0; i < LINES; i++) line[i] = below((1u << 25) / LINES) + i * ((1u << 25) / LINES);
    for (uint32_t now = 1; now < 2000; now++) {
        const uint32_t i = below(LINES);
        assert_int_equal(touched_again(t, line[i]), last[i] ? now - last[i] : 0);
        last[i] = now;
    }
    touched_free(t);
    assert_int_equal(touched_again(NULL, 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_barriers), cmocka_unit_test(test_unknown),
                                       cmocka_unit_test(test_touched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
