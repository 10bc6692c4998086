/* Temporary folders of debugging sessions, for this user alone, that go with their process. Its folder is locked
 * (flock) as long as a process has it; one that nobody has locked is of a process that a signal has ended, and is
 * removed by the next that makes one. They are in $XDG_RUNTIME_DIR, $TMPDIR or /tmp. */
#ifndef VENTUS_HOST_SCRATCH_H
#define VENTUS_HOST_SCRATCH_H

#include <stdbool.h>

enum { SCRATCH_PATH = 96 }; /* leaves room for the name of a socket in sockaddr_un */

struct scratch {
    char path[SCRATCH_PATH]; /* "": there is none */
    int lock; /* a descriptor of the folder; a child of fork() keeps the folder, too, a new program not */
};

/* False: there can be none, and errno says why. */
bool scratch_make(struct scratch *s);

/* Removes the folder with the files in it. Without one nothing happens. */
void scratch_remove(struct scratch *s);

/* Removes those of processes that have ended. */
void scratch_sweep(void);

#endif
