/* The JSON that ui.perfetto.dev and chrome://tracing open ("Trace Event Format"), event by event: processes are groups
 * of tracks, tracks have slices. The timelines of the cycle model and of programs (driver/timeline.c) write it. */
#ifndef VENTUS_SIM_TRACE_EVENT_H
#define VENTUS_SIM_TRACE_EVENT_H

#include <stdint.h>
#include <stdio.h>

/* Writes the text in front of the first event: what `clock` says of the times, what machine they are of
 * (`configuration`), and the name of process `process`. */
void trace_event_open(FILE *out, const char *clock, const char *configuration, unsigned process, const char *name);
/* Writes the text behind the last event. */
void trace_event_close(FILE *out);

/* Names a process ("process_name") or a track of it ("thread_name"). */
void trace_event_name(FILE *out, const char *what, unsigned process, unsigned track, const char *name);

/* Begins an event of this phase; members are added (`,"ts":1`), and "}" ends it. */
void trace_event(FILE *out, char phase, unsigned process, unsigned track);

#endif
