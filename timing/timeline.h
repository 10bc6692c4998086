/* The event timeline: what happened when, in the form that the file's name asks for.
 *
 *   .json                     for ui.perfetto.dev: SMs as processes; warps, units and memory as their tracks
 *   .kanata .konata .log      for the pipeline viewer Konata: a line for each instruction that was fetched
 *   .vcd                      a waveform, as of a simulation of RTL: what the parts hold and do in each cycle
 *   anything else             CSV, "cycle,event,sm,warp,pc,extra", cycles counted from the
 *                             launch, or from the first of those that run at the same time
 *
 * The model knows one function, timeline_write (model.h). A form gets one event after another. */
#ifndef VENTUS_TIMING_TIMELINE_H
#define VENTUS_TIMING_TIMELINE_H

#include "timing/model.h"

struct timeline_event {
    uint64_t cycle; /* since the model was made */
    const struct core *core;
    const char *name;
    unsigned warp; /* or the number of an entry, or of a launch */
    bool has_pc;
    uint32_t pc; /* or the address of a line */
    char extra[64];
};

struct timeline_form {
    const char *suffixes[3];
    /* What goes before the first event; its state is kept for it. NULL: no memory. */
    void *(*open)(FILE *out, const struct model *m);
    void (*event)(void *state, const struct timeline_event *e);
    void (*cycle)(void *state); /* the cycle has ended, but for the last one; NULL: the form need not know */
    /* What goes behind the last event; frees the state. */
    void (*close)(void *state, uint64_t now);
};

extern const struct timeline_form timeline_perfetto, timeline_konata, timeline_vcd;

#endif
