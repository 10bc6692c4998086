/* A device in another process, behind the driver as any other is (ventus_backend.h): VENTUS_BACKEND=remote,SOCKET.
 * `ventus debug --host` starts one that is our machine, so that a debugger that stops the program does not stop the
 * machine.
 *
 * One socket, requests and their answers in turn, in structures of this header: both ends are of one build. */
#ifndef VENTUS_DRIVER_REMOTE_H
#define VENTUS_DRIVER_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/ventus_backend.h"
#include "sim/launch.h"

/* ---- what goes over the socket ---- */

enum remote_call {
    REMOTE_DESCRIBE, /* a struct ventus_backend_info, and so is the answer */
    REMOTE_WRITE,    /* bytes, to `addr` */
    REMOTE_READ,     /* `bytes` of them from `addr` */
    REMOTE_PROGRAM,  /* an ELF file: the program of the launches that follow */
    REMOTE_LAUNCH,   /* a struct remote_launch */
    REMOTE_WAIT,     /* for `addr` nanoseconds; the answer: a struct ventus_backend_outcome, its state as the result */
    REMOTE_COUNTERS, /* the answer: structures ventus_backend_counter */
    REMOTE_CALLS
};

enum { REMOTE_MOST = 1 << 26 /* bytes of memory, on both sides */, REMOTE_KERNEL = 128 };

struct remote_request {
    uint32_t call;
    uint32_t size;  /* of what follows, at most REMOTE_MOST */
    uint32_t bytes; /* REMOTE_READ: how many are wanted, at most REMOTE_MOST */
    uint64_t addr;
};
struct remote_answer {
    int32_t result; /* not 0, but for REMOTE_WAIT: it has failed, and a text follows */
    uint32_t size;  /* of what follows, at most REMOTE_MOST */
};
struct remote_launch {
    struct ventus_backend_launch launch; /* `kernel` is nothing */
    char kernel[REMOTE_KERNEL];
};

/* All `n` bytes. False: the other side has gone. */
bool remote_send(int fd, const void *bytes, size_t n);
bool remote_receive(int fd, void *bytes, size_t n);

/* ---- remote.c: the driver's end ---- */

/* The table of such devices. */
const struct ventus_backend *remote_backend(void);

/* ---- remote_server.c: the device's end ---- */

/* What programs of other processes find at a socket: a device of any table, for one program after another. */
struct remote_service {
    const struct ventus_backend *table;
    /* Makes a device in place of the table's `open`, which nobody calls, for a program that has come. NULL: it cannot.
     */
    struct ventus_backend_device *(*open)(void *user);
    void *user;
};

/* Listens at `path`, a socket for this user alone. -1, and errno, when that cannot be. */
int remote_listen(const char *path);
/* Serves the programs that come to that socket, and does not return. Each request, whatever it is, has an answer or
 * ends the connection. */
_Noreturn void remote_serve(const struct remote_service *service, int listener);

/* ---- remote_machine.c: a machine with a debugger there ---- */

/* Is a machine, with a debugger's server at `gdb` (debug/debugger.h), for the programs that come to the socket `path`,
 * one after another. SIGTERM or SIGHUP ends the process and removes its files: both sockets, what the debugger has been
 * given, and the folder of `path`, if nothing else is in it. Returns when there cannot be a machine; `why` has the
 * reason. */
void remote_machine(const struct gpu_config *config, const char *path, const char *gdb, char *why, size_t why_size);

#endif
