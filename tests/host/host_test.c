/* What host/host.h tells of the host's memory, and the lock that a fork leaves free. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/host.h"

enum { PAGES = 1500 /* more than are looked at together */ };

/* Pages count as touched once they are written or read, and looking at them does not touch them. */
static void test_touched_pages(void **state)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *memory =
        mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct host_pages pages;
    (void)state;
    assert_ptr_not_equal(memory, MAP_FAILED);
    madvise((void *)memory, PAGES * size, MADV_NOHUGEPAGE);
    memory[7 * size + 5] = 1;
    (void)memory[1300 * size];
    uintptr_t first = (uintptr_t)memory / size;
    for (int round = 0; round < 2; round++) {
        host_pages_open(&pages);
        if (pages.file < 0) skip();
        assert_int_equal(host_touched(&pages, first, first + PAGES), first + 7);
        assert_int_equal(host_touched(&pages, first + 7, first + PAGES), first + 7);
        assert_int_equal(host_touched(&pages, first + 8, first + PAGES), first + 1300);
        assert_int_equal(host_touched(&pages, first + 1301, first + PAGES), first + PAGES);
        assert_int_equal(host_touched(&pages, first, first + 7), first + 7);
        host_pages_close(&pages);
    }
    host_pages_open(&pages);
    assert_int_equal(host_touched(&pages, first + 8, first + 100), first + 100);
    memory[20 * size] = 1;
    host_pages_look(&pages);
    assert_int_equal(host_touched(&pages, first + 8, first + 100), first + 20);
    host_pages_close(&pages);
    munmap((void *)memory, PAGES * size);
}

/* Without the host's word, every page may have been. */
static void test_unknown_pages(void **state)
{
    struct host_pages pages;
    (void)state;
    host_pages_open(&pages);
    host_pages_close(&pages);
    pages.file = -1;
    assert_int_equal(host_touched(&pages, 5, 9), 5);
}

static atomic_bool held;

static void *hold(void *unused)
{
    host_lock();
    atomic_store(&held, true);
    usleep(50000);
    host_unlock();
    return unused;
}

/* The thread that holds the lock is not in the child. */
static void test_fork(void **state)
{
    pthread_t thread;
    int status;
    (void)state;
    assert_true(host_thread(&thread, hold, NULL));
    while (!atomic_load(&held)) usleep(100);
    pid_t child = fork();
    if (!child) {
        alarm(10);
        host_lock();
        host_unlock();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pthread_join(thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_touched_pages), cmocka_unit_test(test_unknown_pages),
                                       cmocka_unit_test(test_fork)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
