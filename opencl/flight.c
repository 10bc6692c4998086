/* The commands of a queue that may not have ended, as events of the driver. Those that have ended are forgotten when
 * room is needed, so that there are never many more than commands in flight. Under the queue's lock; called by
 * queue.c and, when a context is abandoned, by context.c. */
#include <stdlib.h>

#include "objects.h"

void flight_forget(struct flight *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++)
        if (ventus_event_state(f->events[i]) != VENTUS_ENDED) f->events[kept++] = f->events[i];
        else ventus_event_release(f->events[i]);
    f->count = kept;
}

bool flight_room(struct flight *f)
{
    if (f->count < f->room) return true;
    flight_forget(f);
    if (f->room && f->count <= f->room / 2) return true;
    size_t room = f->room ? 2 * f->room : 16;
    ventus_event **events = realloc(f->events, room * sizeof *events);
    if (!events) return f->count < f->room;
    f->events = events;
    f->room = room;
    return true;
}

void flight_add(struct flight *f, ventus_event *event)
{
    ventus_event_retain(event);
    f->events[f->count++] = event;
}

/* Cancels the latest first: a dependent command must not start because the one before it has been cancelled. */
void flight_cancel(struct flight *f)
{
    for (size_t i = f->count; i-- > 0;) ventus_event_cancel(f->events[i]);
}

void flight_close(struct flight *f)
{
    for (size_t i = 0; i < f->count; i++) ventus_event_release(f->events[i]);
    free(f->events);
}
