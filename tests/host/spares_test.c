/* host/spares.h: memory of what is in flight. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/spares.h"

enum { SIZE = 100, MOST = 4, TAKEN = 7 };

static void check_zero(const unsigned char *memory, size_t size)
{
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(memory[i], 0);
}

/* What comes back is zero again, of any size, and no more is kept than was said. */
static void test_blocks(void **state)
{
    static const size_t sizes[] = {SIZE, 1, SIZE - 1, SIZE + 1, 10 * SIZE, 0};
    struct spares s;
    void *taken[TAKEN];
    (void)state;
    assert_true(spares_open(&s, SIZE, MOST));
    const size_t most = s.most; /* 0 with the sanitizer that looks for uses of freed memory */
    assert_true(most == MOST || most == 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int k = 0; k < TAKEN; k++) {
            taken[k] = spares_take(&s, sizes[i]);
            check_zero(taken[k], sizes[i]);
            memset(taken[k], 0xa5, sizes[i]);
        }
        assert_int_equal(s.count, sizes[i] <= SIZE ? 0 : most);
        for (int k = 0; k < TAKEN; k++) spares_give(&s, taken[k]);
        assert_int_equal(s.count, most);
    }
    spares_close(&s);
}

/* A block that is kept is the next one taken. */
static void test_kept(void **state)
{
    struct spares s;
    (void)state;
    assert_true(spares_open(&s, SIZE, MOST));
    if (!s.most) skip();
    void *first = spares_take(&s, SIZE), *large = spares_take(&s, SIZE + 1);
    spares_give(&s, first);
    spares_give(&s, large);
    assert_ptr_equal(spares_take(&s, SIZE / 2), first);
    spares_give(&s, first);
    assert_ptr_equal(spares_take(&s, SIZE), first);
    spares_give(&s, first);
    spares_close(&s);
}

struct exchange {
    struct spares spares;
    unsigned char *_Atomic passed;
};

enum { PASSES = 20000 };

static void *give_back(void *user)
{
    struct exchange *x = user;
    for (int i = 0; i < PASSES; i++) {
        unsigned char *memory;
        while (!(memory = x->passed)) sched_yield();
        x->passed = NULL;
        memset(memory, i, SIZE);
        spares_give(&x->spares, memory);
    }
    return NULL;
}

/* One thread takes, another gives back. */
static void test_threads(void **state)
{
    struct exchange x = {.passed = NULL};
    pthread_t thread;
    (void)state;
    assert_true(spares_open(&x.spares, SIZE, MOST));
    assert_int_equal(pthread_create(&thread, NULL, give_back, &x), 0);
    for (int i = 0; i < PASSES; i++) {
        unsigned char *memory = spares_take(&x.spares, SIZE);
        check_zero(memory, SIZE);
        while (x.passed) sched_yield();
        x.passed = memory;
    }
    pthread_join(thread, NULL);
    spares_close(&x.spares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks), cmocka_unit_test(test_kept),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
