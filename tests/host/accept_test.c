/* A server that has no descriptor for a connection does not ask for it without pause (host/accept.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/accept.h"
#include "host/host.h"

enum { MILLISECOND = 1000000 };

static void test_full(void **state)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX}; /* a name that the host gives */
    socklen_t size = sizeof a.sun_family;
    struct rlimit was, less;
    (void)state;
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&a, size), 0);
    size = sizeof a;
    assert_int_equal(getsockname(listener, (struct sockaddr *)&a, &size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&a, size), 0);

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    less = was;
    less.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
    const uint64_t begin = host_ns();
    const int none = host_accept(listener);
    const uint64_t took = host_ns() - begin;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
    assert_int_equal(none, -1);
    assert_true(took >= 10 * MILLISECOND);

    const int fd = host_accept(listener);
    assert_true(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    assert_int_equal(host_accept(listener), -1); /* nobody comes */
    assert_int_equal(errno, EAGAIN);
    close(fd);
    close(client);
    close(listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
