/* What a device adds to the timeline of its process: an event that has ended is a slice, with what is known of it and
 * arrows from what it has waited for; with a cycle model, work-groups on their SMs. Called by queue.c and device.c. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

/* What is kept of an event until it ends. */
struct timeline_event {
    struct timeline_label label; /* zeros: the client has said nothing */
    uint64_t arrow;              /* from the slice in which it was submitted; 0: none */
    size_t ndeps;
    uint32_t line; /* of the fault; 0: not known, or none */
    char name[];
};

/* ---- devices ---- */

/* Work-groups that are on their SMs. */
struct timeline_groups {
    struct observer observer;
    const ventus_device *device;
    uint32_t process; /* of the trace */
    uint32_t slots;   /* of an SM */
    uint64_t begun[]; /* by SM and slot */
};

static uint64_t *begun_of(struct timeline_groups *g, const struct group *group)
{
    return &g->begun[(size_t)group_sm(group) * g->slots + group->slot];
}

static void group_begun(void *user, const struct group *group)
{
    struct timeline_groups *g = user;
    *begun_of(g, group) = clock_of_machine(g->device);
}

static void group_ended(void *user, const struct group *group)
{
    struct timeline_groups *g = user;
    const ventus_event *e = group->job->user;
    char name[64];
    struct timeline_slice slice = {.name = name,
                                   .process = g->process,
                                   .kind = ROW_SM,
                                   .number = group_sm(group) * g->slots + group->slot,
                                   .begin = *begun_of(g, group),
                                   .end = clock_of_machine(g->device)};
    const struct timeline_fact facts[] = {{"kernel", e->timeline ? e->timeline->name : "", 0},
                                          {"command", NULL, e->number},
                                          {"warps", NULL, group->launch->warps},
                                          {"instructions", NULL, group->counters.instructions},
                                          {0}};
    snprintf(name, sizeof name, "group (%u,%u,%u)", group->index[0], group->index[1], group->index[2]);
    snprintf(slice.title, sizeof slice.title, "SM %u slot %u", group_sm(group), group->slot);
    if (!timeline_enter()) return;
    timeline_slice(&slice, facts);
    timeline_leave();
}

/* Without memory for them groups are missing. */
static void watch_groups(ventus_device *d)
{
    const struct gpu_config *c = gpu_config_of(d->gpu);
    struct timeline_groups *g = calloc(1, sizeof *g + (size_t)c->sms * c->groups_per_sm * sizeof *g->begun);
    if (!g) return;
    g->observer =
        (struct observer){.user = g, .group_begin = group_begun, .group_end = group_ended, .launches = UINT32_MAX};
    g->device = d;
    g->process = d->timeline_process + 1;
    g->slots = c->groups_per_sm;
    d->groups = g;
    gpu_observe(d->gpu, &g->observer);
}

bool device_timeline_environment(ventus_device *d)
{
    static atomic_uint devices;
    char name[100], sms[100];
    if (!timeline_on()) return false;
    const uint32_t number = atomic_fetch_add(&devices, 1);
    snprintf(name, sizeof name, "%s, device %u", d->info.name, number);
    snprintf(sms, sizeof sms, "SMs of device %u", number);
    d->timeline_process = timeline_processes(name, d->clock ? sms : NULL);
    if (d->timeline_process && d->clock) watch_groups(d);
    return d->timeline_process;
}

/* ---- submission ---- */

static const char *name_of(const ventus_event *e, const struct timeline_label *label)
{
    static const char *const kinds[] = {
        [EVENT_LAUNCH] = "launch", [EVENT_CALL] = "call", [EVENT_MARK] = "mark", [EVENT_GATE] = "gate"};
    if (e->kind == EVENT_LAUNCH && !e->raw) return e->in.kernel->name;
    return label->what ? label->what : kinds[e->kind];
}

/* Without memory for it the event is missing. So are marks that nobody has named. */
void timeline_event_submitted(ventus_event *e, size_t ndeps)
{
    struct timeline_label label = {0};
    if (!timeline_take_label(&label) && e->kind == EVENT_MARK) return;
    const char *name = name_of(e, &label);
    struct timeline_event *t = calloc(1, sizeof *t + strlen(name) + 1);
    if (!t) return;
    t->label = label;
    t->ndeps = ndeps;
    strcpy(t->name, name);
    if (label.what && timeline_enter()) {
        t->arrow = timeline_arrow_here(e->outcome.submitted);
        timeline_leave();
    }
    e->timeline = t;
}

/* ---- the end ---- */

void timeline_launch_ended(ventus_event *e)
{
    const struct ventus_fault *f = &e->outcome.result.fault;
    if (f->kind != VENTUS_FAULT_NONE && e->in.module) e->timeline->line = ventus_module_line(e->in.module, f->pc);
}

/* Those of a fault, of sizes, and what is told of every command; each counter; and the end of the list. */
enum {
    FAULT_FACTS = 5,
    SIZE_FACTS = 2,
    COMMAND_FACTS = 7,
    OTHER_FACTS = FAULT_FACTS + SIZE_FACTS + COMMAND_FACTS,
#define VENTUS_COUNTER(name, type, how, cl, text) COUNTER_##name,
#include "sim/counters.def"
#undef VENTUS_COUNTER
    MOST_FACTS,
};

struct facts {
    struct timeline_fact list[MOST_FACTS];
    size_t count;
};

static void add_text(struct facts *f, const char *name, const char *text)
{
    if (*text) f->list[f->count++] = (struct timeline_fact){name, text, 0};
}

static void add_number(struct facts *f, const char *name, uint64_t number)
{
    f->list[f->count++] = (struct timeline_fact){name, NULL, number};
}

static void print_sizes(char text[40], const uint32_t size[3])
{
    snprintf(text, 40, "%u x %u x %u", size[0], size[1], size[2]);
}

/* What a launch is and what it has counted. */
struct launch_texts {
    char global[40], local[40], group[40], pc[16], lanes[16];
};

static void add_fault(struct facts *f, const ventus_event *e, struct launch_texts *t)
{
    const struct ventus_fault *fault = &e->outcome.result.fault;
    if (fault->kind == VENTUS_FAULT_NONE) return;
    print_sizes(t->group, fault->group);
    snprintf(t->pc, sizeof t->pc, "0x%08x", fault->pc);
    snprintf(t->lanes, sizeof t->lanes, "0x%08x", fault->lanes);
    add_text(f, "fault_pc", t->pc);
    if (e->timeline->line) add_number(f, "fault_line", e->timeline->line);
    add_text(f, "fault_group", t->group);
    add_number(f, "fault_warp", fault->warp);
    add_text(f, "fault_lanes", t->lanes);
}

static void add_counted(struct facts *f, const ventus_event *e, struct launch_texts *t)
{
#define VENTUS_COUNTER(name, type, how, cl, text) add_number(f, #name, e->outcome.result.counters.name);
#include "sim/counters.def"
#undef VENTUS_COUNTER
    if (e->outcome.cycles) add_number(f, "cycles", e->outcome.cycles);
    add_fault(f, e, t);
}

static void add_sizes(struct facts *f, const ventus_event *e, struct launch_texts *t)
{
    if (e->raw) return;
    print_sizes(t->global, e->in.range.global);
    print_sizes(t->local, e->in.range.local);
    add_text(f, "global_size", t->global);
    add_text(f, "local_size", t->local);
}

static struct timeline_slice slice_of(const ventus_event *e, bool ended)
{
    const struct timeline_label *l = &e->timeline->label;
    struct timeline_slice s = {.name = e->timeline->name, .process = e->device->timeline_process, .number = l->queue};
    s.kind = l->queue ? ROW_QUEUE : e->kind == EVENT_GATE ? ROW_USER : ROW_OTHER;
    s.end = ended ? e->outcome.ended : ventus_clock(e->device);
    s.begin = e->outcome.started && e->outcome.started < s.end ? e->outcome.started : s.end;
    if (s.kind == ROW_QUEUE)
        snprintf(s.title, sizeof s.title, "queue %u%s", l->queue, l->in_order ? "" : ", out of order");
    else snprintf(s.title, sizeof s.title, "%s", s.kind == ROW_USER ? "user events" : "without a queue");
    return s;
}

/* One for each that waits for it and has not ended. */
static void write_arrows_out(const ventus_event *e, const struct timeline_slice *s, uint32_t row)
{
    for (struct dependency *d = e->dependents; d; d = d->next) {
        const ventus_event *w = d->waiting;
        if (w->device != e->device || !w->timeline || w->state == VENTUS_ENDED) continue;
        d->arrow = timeline_new_arrow();
        timeline_arrow(s, row, d->arrow, true);
    }
}

static void write_arrows_in(const ventus_event *e, const struct timeline_slice *s, uint32_t row)
{
    if (e->timeline->arrow) timeline_arrow(s, row, e->timeline->arrow, false);
    for (size_t i = 0; i < e->timeline->ndeps; i++)
        if (e->deps[i].arrow) timeline_arrow(s, row, e->deps[i].arrow, false);
}

static void write_event(const ventus_event *e, const struct timeline_slice *s, const struct facts *f)
{
    const uint32_t row = timeline_slice(s, f->list);
    if (!row) return;
    write_arrows_in(e, s, row);
    write_arrows_out(e, s, row);
    if (s->begin > e->outcome.submitted && s->kind == ROW_QUEUE) timeline_wait(s, row, e->outcome.submitted);
}

/* An event that runs has no outcome yet that this thread may look at. */
static void tell(const ventus_event *e, bool ended)
{
    const struct timeline_label *l = &e->timeline->label;
    const struct timeline_slice s = slice_of(e, ended);
    struct launch_texts texts;
    struct facts f = {0};
    add_number(&f, "command", e->number);
    if (l->bytes) add_number(&f, "bytes", l->bytes);
    if (l->queued) add_number(&f, "from_queued_ns", s.begin - l->queued);
    add_number(&f, "from_submitted_ns", s.begin - e->outcome.submitted);
    if (e->kind == EVENT_LAUNCH) add_sizes(&f, e, &texts);
    if (e->kind == EVENT_LAUNCH && ended) add_counted(&f, e, &texts);
    if (!ended) add_text(&f, "status", e->state == VENTUS_RUNNING ? "still running" : "still waiting");
    else if (e->outcome.status != VENTUS_OK) add_text(&f, "status", ventus_status_text(e->outcome.status));
    if (ended) add_text(&f, "message", e->outcome.message);
    if (!timeline_enter()) return;
    write_event(e, &s, &f);
    timeline_leave();
}

void timeline_event_ended(ventus_event *e)
{
    if (e->device->timeline_process) tell(e, true);
}

void device_timeline_end(ventus_device *d)
{
    if (!d->timeline_process || !timeline_on()) return;
    pthread_mutex_lock(&d->queue.lock);
    for (const ventus_event *e = d->queue.all.first; e; e = e->link[ALL].next)
        if (e->timeline) tell(e, false);
    d->timeline_process = 0;
    pthread_mutex_unlock(&d->queue.lock);
}
