/* What every clGet*Info has in common (size queries, too small buffers), and small helpers of all files.
 * An answer is copied only if it fits; both pointers may be absent. Nothing here knows an object. */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "objects.h"

cl_int info_bytes(struct info out, const void *data, size_t size)
{
    if (out.value) {
        if (out.size < size) return CL_INVALID_VALUE;
        if (size) memcpy(out.value, data, size);
    }
    if (out.size_ret) *out.size_ret = size;
    return CL_SUCCESS;
}

cl_int info_text(struct info out, const char *text)
{
    if (!text) text = "";
    return info_bytes(out, text, strlen(text) + 1);
}

void set_error(cl_int *errcode_ret, cl_int error)
{
    if (errcode_ret) *errcode_ret = error;
}

void debug(const char *format, ...)
{
    const char *wanted = getenv("VENTUS_DEBUG");
    if (!wanted || !*wanted || strcmp(wanted, "0") == 0) return;
    char line[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    fprintf(stderr, "ventus: %s\n", line);
}

uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Signals that the machine itself may need for its memory faults stay deliverable. */
static void client_signals(sigset_t *set)
{
    static const int ours[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigfillset(set);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) sigdelset(set, ours[i]);
}

bool start_thread(void *(*run)(void *), void *arg)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t blocked, old;
    if (pthread_attr_init(&attr)) return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    client_signals(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    int failed = pthread_create(&thread, &attr, run, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return !failed;
}

cl_int driver_error(enum ventus_status status)
{
    switch (status) {
    case VENTUS_OK: return CL_SUCCESS;
    case VENTUS_NO_MEMORY: return CL_OUT_OF_HOST_MEMORY;
    case VENTUS_NO_DEVICE_MEMORY: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case VENTUS_OUT_OF_RANGE:
    case VENTUS_BAD_ARGUMENT: return CL_INVALID_VALUE;
    default: return CL_OUT_OF_RESOURCES;
    }
}
