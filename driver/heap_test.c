/* Places of blocks against a map of pages: the same place for every block, the same gaps, whatever has come and gone.
 */
#include "driver/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { PAGE = 4096, PAGES = 600, BASE = 0x90000000u };

static uint32_t seed = 1;
static uint32_t random_below(uint32_t n) { return (seed = seed * 1664525u + 1013904223u) / 65536 % n; }

/* Of each page, which block has it: the page where that begins, + 1; 0: it is free. */
static unsigned owner[PAGES];

static unsigned free_pages(unsigned first)
{
    unsigned n = 0;
    while (first + n < PAGES && !owner[first + n]) n++;
    return n;
}

/* As blocks_find, page by page. */
static bool find(unsigned from, unsigned need, unsigned *first)
{
    for (*first = from; *first < PAGES; ++*first)
        if ((*first == from || owner[*first - 1]) && free_pages(*first) >= need) return true;
    return false;
}

static unsigned largest(void)
{
    unsigned most = 0;
    for (unsigned i = 0; i < PAGES; i++)
        if (free_pages(i) > most) most = free_pages(i);
    return most;
}

static void try_add(struct blocks *p)
{
    unsigned need = 1 + random_below(random_below(8) ? 6 : 40), from = random_below(3) ? 0 : random_below(PAGES), first;
    uint64_t addr, bytes;
    bool there = find(from, need, &first);
    assert_int_equal(blocks_find(p, BASE + (uint64_t)from * PAGE, (uint64_t)need * PAGE, &addr, &bytes), there);
    if (!there) return;
    assert_int_equal(addr, BASE + (uint64_t)first * PAGE);
    assert_int_equal(bytes, (uint64_t)free_pages(first) * PAGE);
    assert_true(blocks_add(p, &(struct block){.addr = (uint32_t)addr, .size = 5, .span = (uint64_t)need * PAGE}));
    for (unsigned i = 0; i < need; i++) owner[first + i] = first + 1;
}

static void try_remove(struct blocks *p)
{
    struct block was;
    unsigned page = random_below(PAGES + 1);
    bool there = page < PAGES && owner[page] == page + 1;
    assert_int_equal(blocks_remove(p, BASE + page * PAGE, &was), there);
    for (unsigned i = page; there && i < PAGES && owner[i] == page + 1; i++) owner[i] = 0, was.span -= PAGE;
    if (there) assert_int_equal(was.span, 0);
}

static void look(const struct blocks *p)
{
    unsigned page = random_below(PAGES), at = page, above = page + 1;
    const struct block *b = blocks_at(p, BASE + (uint64_t)page * PAGE + random_below(PAGE));
    while (at + 1 && owner[at] != at + 1) at--;
    assert_int_equal(b ? b->addr : 0, at + 1 ? BASE + at * PAGE : 0);
    b = blocks_above(p, BASE + (uint64_t)page * PAGE);
    while (above < PAGES && owner[above] != above + 1) above++;
    assert_int_equal(b ? b->addr : 0, above < PAGES ? BASE + above * PAGE : 0);
    assert_int_equal(blocks_largest(p), (uint64_t)largest() * PAGE);
}

static void test_places(void **state)
{
    struct blocks p;
    size_t blocks = 0, used = 0;
    (void)state;
    assert_true(blocks_open(&p, BASE, BASE + (uint64_t)PAGES * PAGE));
    for (int i = 0; i < 60000; i++) {
        if (random_below(2)) try_add(&p);
        else try_remove(&p);
        if (i % 16 == 0) look(&p);
    }
    for (unsigned i = 0; i < PAGES; i++) blocks += owner[i] == i + 1, used += owner[i] ? PAGE : 0;
    assert_int_equal(p.count, blocks);
    assert_int_equal(p.used, used);
    blocks_close(&p);
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* As many blocks as there are pages, taken and given back in orders that are the worst for some structure or other: a
 * hole at the beginning that is too small for all that come after it, the lowest first, every other one, at random. */
static void test_many(void **state)
{
    enum { N = 450000 };
    const struct block one = {.size = PAGE, .span = PAGE};
    struct blocks p;
    struct block was;
    uint64_t addr, bytes;
    (void)state;
    const double begin = processor_seconds();
    assert_true(blocks_open(&p, BASE, BASE + (uint64_t)(N + 8) * PAGE));
    for (int order = 0; order < 3; order++) {
        for (uint32_t i = 0; i < N; i++) {
            struct block b = one;
            assert_true(blocks_find(&p, BASE, PAGE, &addr, &bytes));
            b.addr = (uint32_t)addr;
            assert_int_equal(b.addr, BASE + i * PAGE);
            assert_true(blocks_add(&p, &b));
        }
        assert_true(blocks_remove(&p, BASE, &was));
        for (uint32_t i = 1; i < N; i++) {
            uint32_t at = order == 0 ? i : order == 1 ? N - i : (uint32_t)((uint64_t)i * 7919 % N);
            assert_true(blocks_find(&p, BASE, 2 * PAGE, &addr, &bytes)); /* never in the first hole */
            assert_true(blocks_remove(&p, BASE + at * PAGE, &was));
        }
        assert_int_equal(p.count, 0);
    }
    blocks_close(&p);
    assert_true(processor_seconds() - begin < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
