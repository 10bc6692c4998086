/* Calls all hooks of a kind, and keeps the list of a machine's own observers.
 *
 * dispatch.c, group.c and the hooked engine call the hooks of a launch, on the one host thread that runs its groups.
 * Without observers a list is NULL and nothing happens here. */
#include <stdlib.h>

#include "sim/machine.h"

// clang-format off
#define CALL_ALL(list, hook, ...) \
    for (const struct observer *const *o = (list); o && *o; o++) \
        if ((*o)->hook) (*o)->hook((*o)->user, __VA_ARGS__)
// clang-format on

/* ---- lists ---- */

static size_t length(const struct observer *o)
{
    size_t n = 0;
    for (; o; o = o->next) n++;
    return n;
}

bool observers_collect(const struct gpu *gpu, const struct observer *own, const struct observer *const **list)
{
    size_t n = length(gpu->observers) + length(own);
    const struct observer **all = n ? malloc((n + 1) * sizeof *all) : NULL, **end = all;
    *list = all;
    if (!all) return !n;
    for (const struct observer *o = gpu->observers; o; o = o->next) *end++ = o;
    for (const struct observer *o = own; o; o = o->next) *end++ = o;
    *end = NULL;
    return true;
}

bool observers_want_flags(const struct observer *const *list)
{
    for (; list && *list; list++)
        if ((*list)->flags) return true;
    return false;
}

/* ---- the machine's ---- */

void gpu_observe(struct gpu *gpu, struct observer *observer)
{
    const struct observer **end = &gpu->observers;
    while (*end) end = (const struct observer **)&(*end)->next;
    observer->next = NULL;
    *end = observer;
}

bool gpu_observed(const struct gpu *gpu) { return gpu->observers; }

uint32_t gpu_most_launches(const struct gpu *gpu)
{
    uint32_t most = UINT32_MAX;
    for (const struct observer *o = gpu->observers; o; o = o->next) {
        uint32_t launches = o->launches ? o->launches : 1;
        if (launches < most) most = launches;
    }
    return most;
}

void gpu_tell(const struct gpu *gpu, const struct host_event *event)
{
    for (const struct observer *o = gpu->observers; o; o = o->next)
        if (o->host) o->host(o->user, event);
}

/* ---- hooks of launches and work-groups ---- */

void observe_launch_begin(const struct observer *const *list, const struct job *job)
{
    static const struct launch_info unknown;
    const struct launch_info *info = job->options.info ? job->options.info : &unknown;
    CALL_ALL(list, launch_begin, &job->launch, info);
}

void observe_launch_end(const struct observer *const *list, const struct job *job)
{
    CALL_ALL(list, launch_end, &job->launch, &job->result);
}

bool observe_again(const struct observer *const *list)
{
    for (; list && *list; list++)
        if ((*list)->again && (*list)->again((*list)->user)) return true;
    return false;
}

void observe_group_begin(const struct group *g) { CALL_ALL(g->observers, group_begin, g); }

void observe_group_end(const struct group *g) { CALL_ALL(g->observers, group_end, g); }

void observe_released(const struct group *g) { CALL_ALL(g->observers, released, g); }

void observe_fault(const struct warp *w, const struct fault *fault) { CALL_ALL(w->group->observers, fault, w, fault); }

void observe_mistake(const struct warp *w, uint32_t lanes, uint32_t pc, const char *text)
{
    CALL_ALL(w->group->observers, mistake, w, lanes, pc, text);
}

/* ---- hooks of instructions ---- */

bool observe_before(struct warp *w, const struct insn *in, const struct code_page *page, enum stop *stop)
{
    struct code_page *const *place = &w->group->sm->gpu->code[w->pc >> PAGE_BITS];
    const uint32_t pc = w->pc;
    *stop = STOP_QUANTUM;
    for (const struct observer *const *o = w->group->observers; o && *o; o++) {
        if (!(*o)->before) continue;
        const enum observed said = (*o)->before((*o)->user, w, in);
        if (said == STOP) *stop = STOP_OBSERVER;
        if (said == FAIL) *stop = STOP_FAULT;
        if (said != GO_ON || w->pc != pc || (page && *place != page)) return false;
    }
    return true;
}

void observe_access(const struct warp *w, const struct insn *in, const struct access *access)
{
    CALL_ALL(w->group->observers, access, w, in, access);
}

void observe_change(const struct warp *w, uint64_t addr, uint32_t size)
{
    CALL_ALL(w->group->observers, change, w, addr, size);
}

void observe_after(struct warp *w, uint32_t pc, const struct insn *in)
{
    CALL_ALL(w->group->observers, result, w, pc, in);
    CALL_ALL(w->group->observers, after, w, pc, in);
}
