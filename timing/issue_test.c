/* Which of the warps that can issue does, by each scheduler, against a search through their slots one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "timing/model.h"

enum { GROUP = 4, ROUNDS = 2000 };

static struct model model;
static struct core core;

/* The first slot that is set, from `from` on and round. */
static int search(uint64_t set, unsigned from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (set >> (from + i) % n & 1) return (int)((from + i) % n);
    return -1;
}

static int expected(uint64_t set, unsigned last)
{
    const unsigned n = core.nslots, group = last / GROUP * GROUP;
    switch (model.config.scheduler) {
    case 1:
        for (unsigned oldest = n; oldest--;) /* the higher, the earlier it has started */
            if (set >> last & 1 || set >> oldest & 1) return (int)(set >> last & 1 ? last : oldest);
        return -1;
    case 2:
        for (unsigned i = 1; i <= GROUP; i++) {
            const unsigned slot = group + (last - group + i) % GROUP;
            if (set >> slot & 1) return (int)slot;
        }
        return search(set, group + GROUP, n);
    default: return search(set, last + 1, n);
    }
}

static void test_schedulers(void **state)
{
    static const struct op op = {.unit = U_SALU, .destination = NO_REGISTER};
    uint64_t random = 1;
    char why[200];
    assert_true(timing_config_read(&model.config, "ideal", why, sizeof why));
    model.config.issue_ports = 1;
    core.model = &model;
    for (unsigned i = 0; i < MOST_WARPS; i++) {
        core.slot[i].started = MOST_WARPS - i;
        core.slot[i].gr = (struct bundle){.op = {&op, &op}, .mask = 1};
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const unsigned last = (unsigned)(random >> 40);
        core.nslots = round % 2 ? MOST_WARPS : GROUP << (round / 2 % 5);
        core.active = random;
        for (unsigned i = 0; i < round % 8; i++) core.active &= core.active << 7 ^ random >> (5 * i); /* fewer */
        core.active &= ~0ull >> (64 - core.nslots);
        core.front.pointers[0] = (last + 1) % core.nslots;
        model.config.scheduler = round / 10 % 3;
        issue_decide(&core);
        assert_int_equal(core.front.issue_slot[0], expected(core.active, last % core.nslots));
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_schedulers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
