/* What sim/, native/, driver/ and opencl/ need of the host: its clock, short waits, threads that leave the client's
 * signals alone, and programs of ours. */
#ifndef VENTUS_HOST_HOST_H
#define VENTUS_HOST_HOST_H

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Nanoseconds of the monotonic clock. */
uint64_t host_ns(void);

/* Processors that this process may use; at least 1. */
uint32_t host_processors(void);

/* Is it an x86-64, of level 3 (AVX2, FMA, BMI), of level 4 (also AVX-512 F, BW, CD, DQ and VL), with AVX-512 FP16? */
bool host_is_base(void);
bool host_is_v3(void);
bool host_is_v4(void);
bool host_is_v4fp16(void);

/* Is its processor made by AMD? */
bool host_is_amd(void);

/* Another thread often answers sooner than the host would put this one to sleep and wake it again. Until when (host_ns)
 * it pays to look for its answer again and again: some microseconds from now; now, if there is only one processor. */
uint64_t host_spin_end(void);

/* Between two looks. False: `end` has come. */
bool host_spin(uint64_t end);

/* Finds pages of memory that nobody has touched yet, without touching them. */
struct host_pages {
    int file;               /* /proc/self/pagemap, or -1: all count as touched */
    uintptr_t size;         /* of a page, bytes */
    uintptr_t first, count; /* the pages whose entries are here */
    uint64_t entries[512];
};

/* For private memory, mapped once. It keeps the host's answers: call host_pages_look if memory may have been written.
 * Pages are numbered by their addresses, divided by the size of the host's pages. To be closed. */
void host_pages_open(struct host_pages *h);
void host_pages_look(struct host_pages *h);
/* The number of the first touched page of those from `first` on and below `end`, else `end`. */
uintptr_t host_touched(struct host_pages *h, uintptr_t first, uintptr_t end);
void host_pages_close(struct host_pages *h);

/* Starts run(argument) on a thread on which all signals are blocked but those that say what the thread itself did,
 * which the machine needs for its memory faults. The thread is to be joined; it is detached if `thread` is NULL.
 * False: the host has no thread left. */
bool host_thread(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* ---- what a client may have set for its thread ---- */

/* Rounding, traps and flushing of floating point, and the locale, which decides what a decimal point looks like. */
struct host_client {
    fenv_t floating;
    locale_t locale;
};

/* What this thread computes, reads and prints between these two is the same for every client. */
struct host_client host_neutral_begin(void);
void host_neutral_end(const struct host_client *client);

/* ---- what a process has once ---- */

/* The lock of the few lists that a process has once, held for moments. The child of a fork() finds it free and the
 * lists whole, whatever other threads of its parent were at. */
void host_lock(void);
void host_unlock(void);

/* ---- what is said to the user ---- */

/* A pipe that nobody reads ends a process that writes to it. What a client writes may do that; what this thread writes
 * for it between these two only fails. */
struct host_writing {
    sigset_t mask;
    bool pending; /* a SIGPIPE of the client's */
};
struct host_writing host_writing_begin(void);
void host_writing_end(const struct host_writing *w);

/* "WHO: TEXT", a line to standard error, in one piece. On the thread of a client, which may have the smallest stack
 * that there is (16 KiB): printing to a stream without a buffer takes half of that. */
void host_say(const char *who, const char *text);

/* ---- what takes long, on the user's terminal ---- */

/* Does the user want to see it ($VENTUS_PROGRESS), and is standard error a terminal? */
bool host_wants_progress(void);

/* Replaces the line there that the last call has written; "" leaves it empty. */
void host_show_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- programs of ours, which run beside the client ---- */

/* Where the program `name` is: what the environment variable says, if it is not empty (and the client has no more
 * rights than its user); else beside the file that this code is in; else where it is installed with it. When it is
 * nowhere, the last place that was looked at. To be freed; NULL: the host has no memory. */
char *host_program(const char *variable, const char *name);

/* The first of `places`, up to NULL, that is a folder, from the folder that this code is in; when none is, the last. To
 * be freed; NULL: the host has no memory. */
char *host_folder(const char *const *places);

/* Starts argv[0] with fd[i], all above 2 (the client may have closed its own), as descriptor i and no others, and with
 * signals as a fresh process has them. Returns 0, or an errno. */
int host_spawn(pid_t *pid, char *const argv[], const int fd[3]);

/* Writes all of it, however often the host takes a part. False: it could not be written, see errno. */
bool host_write(int fd, const void *bytes, size_t size);

/* May this process write a file of so many bytes? Beyond its limit, writing would end it with a signal. */
bool host_may_write(uint64_t size);

/* `fd`, or in its place one above 2; -1: there is none left, and `fd` is closed. */
int host_above_standard(int fd);

#endif
