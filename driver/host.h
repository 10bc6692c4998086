/* What driver/ and opencl/ need of the host: its clock, short waits, and threads that leave the client's
 * signals alone. */
#ifndef VENTUS_HOST_H
#define VENTUS_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of the monotonic clock. */
uint64_t host_ns(void);

/* Another thread often answers sooner than the host would put this one to sleep and wake it again. Until when (host_ns)
 * it pays to look for its answer again and again: some microseconds from now; now, if there is only one processor. */
uint64_t host_spin_end(void);

/* Between two looks. False: `end` has come. */
bool host_spin(uint64_t end);

/* Starts run(argument) on a thread on which all signals are blocked but those that say what the thread itself did,
 * which the machine needs for its memory faults. The thread is to be joined; it is detached if `thread` is NULL.
 * False: the host has no thread left. */
bool host_thread(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
