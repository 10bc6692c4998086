/* Temporary folders of debugging sessions, for this user alone, that go with their process. A process locks its folder
 * (flock) for as long as it lives; a folder that nobody has locked belonged to a process that a signal has ended, and
 * the next process that makes one removes it. They are in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, the first where one can be
 * made and its path is short enough for a socket. */
#ifndef VENTUS_HOST_SCRATCH_H
#define VENTUS_HOST_SCRATCH_H

#include <stdbool.h>

enum { SCRATCH_PATH = 96 }; /* leaves room for the name of a socket in sockaddr_un */

struct scratch {
    char path[SCRATCH_PATH]; /* "": there is none */
    int lock; /* a descriptor of the folder; a child of fork() holds the lock, too, until it ends or calls exec */
};

/* Makes a folder, and sweeps first. It has room for names of 10 bytes where a path must fit a sockaddr_un. False: there
 * can be none, and errno says why. */
bool scratch_make(struct scratch *s);

/* Removes the folder with the files in it, but no folders. Does nothing when `path` is "". */
void scratch_remove(struct scratch *s);

/* Removes the folders of processes that have ended, except in a directory that others can write to and that is not
 * sticky. Ignores errors: what cannot be removed stays. */
void scratch_sweep(void);

#endif
