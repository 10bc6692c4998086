#include "host/accept.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>

int host_accept(int listener)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    const bool full = fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
    if (full) nanosleep(&moment, NULL);
    return fd;
}
