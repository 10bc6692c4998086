/* A server for gdb and lldb in the machine: an observer that stops launches and answers the debugger's requests
 * (docs/debugger.md is for its users, docs/observers.md says what an observer is).
 *
 * The debugger connects to a socket. A thread of the server talks to it; the thread that runs the machine waits inside
 * a hook as long as the machine is stopped. Launches run one at a time. */
#ifndef VENTUS_DEBUG_DEBUGGER_H
#define VENTUS_DEBUG_DEBUGGER_H

#include "sim/observe.h"

struct debugger;

/* A debugger of `gpu`, in which no memory is open yet and which must outlive it. `where` is where it listens:
 * ":PORT" (of this host alone; 0: any free one) or the path of a socket, which is made for this user alone. With
 * ",nowait" behind it launches begin without a debugger; else the first one waits for it. Which address it has become
 * is said on standard error, but with ",quiet" behind it. NULL, and why, when that cannot be. To be given to
 * gpu_observe before other observers. */
struct debugger *debugger_new(struct gpu *gpu, const char *where, char *why, size_t why_size);

/* Does `where` make sense? If not, why. */
bool debugger_where(const char *where, char *why, size_t why_size);

struct observer *debugger_observer(struct debugger *debugger);

/* The machine's thread, in the middle of a launch, waits for somebody else, who may be stopped by the same debugger;
 * and it does no longer: then it waits here while the debugger has stopped the machine. */
void debugger_rests(struct debugger *debugger, bool rests);

/* The process ends, or the device is closed: tells a debugger so, which else would lose its connection, and removes the
 * files that were made for it. NULL is allowed. */
void debugger_process_ends(struct debugger *debugger);

/* Tells a debugger that the program has ended and frees it, when nothing runs any more. NULL is allowed. */
void debugger_free(struct debugger *debugger);

#endif
