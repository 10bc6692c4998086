/* The debugger as an observer: what stops the machine, standing still, and going on.
 *
 * The thread that runs the machine calls everything here but machine_go and machine_halt, which are the server's. It
 * looks at little as long as `attention` is not set: whether there may be a breakpoint at the instruction. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/parts.h"
#include "isa/abi.h"

/* ---- standing still ---- */

void event_add(struct debugger *d, struct event event)
{
    if (d->nevents < EVENTS_MOST) d->events[d->nevents++] = event;
    d->attention = true;
}

bool event_has_message(const struct debugger *d, const struct event *e)
{
    return *d->message && e->signal && (e->kind == EVENT_SIGNAL || e->kind == EVENT_LIBRARY || e->kind == EVENT_ENDED);
}

void event_add_first(struct debugger *d, struct event event)
{
    if (d->nevents == EVENTS_MOST) d->nevents--;
    memmove(d->events + 1, d->events, d->nevents * sizeof *d->events);
    d->events[0] = event;
    d->nevents++;
}

static bool take_first(void *user, struct item item)
{
    *(struct item *)user = item;
    return false;
}

struct item item_of(const struct debugger *d, tid t)
{
    struct item item;
    if (item_find(d, t, &item) && item.warp) return item;
    if (d->about && d->about->state != WARP_ENDED) return (struct item){d->about, first_lane(d->about->mask)};
    item = (struct item){0};
    items_each(d, take_first, &item);
    return item;
}

bool some_item(const struct debugger *d)
{
    struct item item = {0};
    items_each(d, take_first, &item);
    return item.warp;
}

struct item item_looked_at(const struct debugger *d) { return item_of(d, d->looked_at ? d->looked_at : d->shown_stop); }

static void wake_server(struct debugger *d)
{
    const uint64_t one = 1;
    if (write(d->wake, &one, sizeof one) < 0) return; /* it cannot be full */
}

/* With the lock held, in front of the instruction with this count: until the server lets it go on. The server's thread
 * may have changed the rounding mode of the warp, which is also this thread's own. */
static void stand(struct debugger *d, uint64_t position)
{
    d->position = position;
    if (d->wire.fd < 0) d->nevents = 0;
    if (!d->nevents && !d->stopped) return;
    d->stopped = d->stands = true;
    wake_server(d);
    while (d->stopped) pthread_cond_wait(&d->go, &d->lock);
    d->stands = false;
    if (d->about) warp_set_csr(d->about, CSR_FRM, d->about->frm);
}

static void set_attention(struct debugger *d)
{
    d->attention = d->order.step || d->order.alone || d->points.registers || d->points.hosts || d->interrupt ||
                   d->kill || d->nevents || d->rewind || d->journey.way == RUNS_TO_NOW;
}

/* What has just been added as events happens at the instruction that runs: so far the last that does. */
static void note_found(struct debugger *d)
{
    struct journey *j = &d->journey;
    if (d->nevents) {
        j->then = d->count;
        memcpy(j->found, d->events, d->nevents * sizeof *d->events);
        j->nfound = d->nevents;
    }
    d->nevents = 0;
}

static void on_access(void *user, const struct warp *w, const struct insn *in, const struct access *access)
{
    struct debugger *d = user;
    (void)in;
    if (access->write) history_access(d->history, w, access);
    if (!atomic_load_explicit(&d->watches, memory_order_relaxed)) return;
    pthread_mutex_lock(&d->lock);
    if (d->journey.way == RUNS_ON) {
        stops_access(d, (struct warp *)w, access);
    } else if (d->journey.way == RUNS_TO_NOW && d->journey.back == BACK_CONTINUE) {
        d->nevents = 0;
        stops_access(d, (struct warp *)w, access);
        note_found(d);
    }
    pthread_mutex_unlock(&d->lock);
}

static void on_change(void *user, const struct warp *w, uint64_t addr, uint32_t size)
{
    const struct debugger *d = user;
    history_write(d->history, w, addr, size);
}

void machine_go(struct debugger *d)
{
    stops_settle(d);
    d->watches = d->points.watches > d->points.registers;
    if (d->watches) d->observer.access = on_access; /* until the launch ends: it may run when the debugger goes */
    d->nevents = 0;
    d->fault = (struct fault){0};
    *d->message = 0;
    d->past = 0;
    d->stopped = d->interrupt = d->shown = d->executes = d->idle_turn = false;
    d->until = findings_next(&d->findings, d->position);
    d->journey.way = RUNS_ON;
    set_attention(d);
    pthread_cond_broadcast(&d->go);
}

void machine_go_back(struct debugger *d, enum back back, tid step)
{
    const uint64_t now = d->position;
    d->order = (struct order){0};
    machine_go(d);
    d->journey = (struct journey){.back = back, .step = step, .way = RUNS_TO_NOW, .now = now};
    d->rewind = true;
    d->attention = true;
}

void machine_halt(struct debugger *d)
{
    if (d->stopped) return;
    d->interrupt = true;
    d->attention = true;
    if (d->launch && !d->rests) return;
    d->stopped = true; /* nothing runs: it stands already */
    d->interrupt = false;
    event_add(d, (struct event){EVENT_SIGNAL, d->launch ? item_tid(item_of(d, 0)) : TID_DEVICE, SIGNAL_INT});
}

void debugger_rests(struct debugger *d, bool rests)
{
    pthread_mutex_lock(&d->lock);
    d->rests = d->begun = rests;
    while (!rests && d->stopped) pthread_cond_wait(&d->go, &d->lock);
    pthread_mutex_unlock(&d->lock);
}

/* ---- what stops it ---- */

/* The work-item that steps has executed an instruction: is that what was wanted? */
static void finish_step(struct debugger *d)
{
    struct item item;
    tid t = d->order.step;
    if (!t || !d->executes) return;
    d->executes = false;
    if (item_find(d, t, &item)) {
        uint32_t pc = item_pc(item);
        if (pc < d->order.from || pc >= d->order.end) event_add(d, (struct event){EVENT_STEP, t, SIGNAL_TRAP});
        return;
    }
    d->order.step = 0; /* it has ended; the others go on, if they may */
    if (!d->order.alone) return;
    d->order.alone = 0;
    snprintf(d->message, sizeof d->message, "the work-item has ended");
    event_add(d, (struct event){EVENT_ENDED, t, SIGNAL_TRAP});
}

static void add_break(struct debugger *d, struct warp *w, uint32_t lane)
{
    event_add(d, (struct event){EVENT_BREAK, item_tid((struct item){w, lane}), SIGNAL_TRAP});
}

/* Is the work-item one of those whose instruction is the warp's next one? */
static bool stands_in(const struct debugger *d, tid t, const struct warp *w)
{
    struct item item;
    return item_find(d, t, &item) && item.warp == w && (w->mask >> item.lane & 1);
}

/* One event for each lane, or for the one that is alone. That of the work-item which the user steps comes last, because
 * the debugger then goes on with its step; what it has to report of the step itself is the same stop. In non-stop mode
 * the first stop is the step's end for gdb, whose only thread would be another work-item then: it is told of the one
 * that it steps. */
static void meet_breakpoint(struct debugger *d, struct warp *w)
{
    struct item last = {0};
    tid only = d->order.alone;
    if (!stops_at(&d->points, w->pc)) return;
    if (d->nevents && d->events[d->nevents - 1].kind == EVENT_STEP) {
        if (only || (d->nonstop && !stands_in(d, d->order.step, w))) return;
        d->nevents--;
        if (d->nonstop) only = d->order.step;
    }
    if (only) {
        if (stands_in(d, only, w)) add_break(d, w, (uint32_t)(only - item_tid((struct item){w, 0})));
        return;
    }
    if (!item_find(d, d->user_step, &last) || last.warp != w) last.lane = ISA_LANES;
    for (uint32_t lane = 0; lane < ISA_LANES; lane++)
        if ((w->mask >> lane & 1) && lane != last.lane) add_break(d, w, lane);
    if (last.lane < ISA_LANES && (w->mask >> last.lane & 1)) add_break(d, w, last.lane);
}

static bool take_ready(void *user, struct item item)
{
    *(struct item *)user = item;
    return item.warp->state != WARP_READY;
}

/* Between two turns `about` may have waited for long: then another warp is the one that runs. */
static struct item item_that_runs(const struct debugger *d)
{
    struct item item = {0};
    if (d->about && d->about->state == WARP_READY) return item_of(d, 0);
    items_each(d, take_ready, &item);
    if (!item.warp || item.warp->state != WARP_READY) return item_of(d, 0);
    return (struct item){item.warp, first_lane(item.warp->mask)};
}

static void meet_interrupt(struct debugger *d)
{
    if (d->interrupt) event_add(d, (struct event){EVENT_SIGNAL, item_tid(item_that_runs(d)), SIGNAL_INT});
}

/* Another warp is to run alone. */
static bool is_held(const struct debugger *d, const struct warp *w)
{
    struct item alone;
    return d->order.alone && item_find(d, d->order.alone, &alone) && alone.warp != w;
}

static void arrive(struct debugger *d, const struct event *events, size_t n)
{
    d->journey.way = RUNS_ON;
    d->until = UINT64_MAX;
    memcpy(d->events, events, n * sizeof *events);
    d->nevents = n;
    stand(d, d->count);
}

/* On the way back, in front of an instruction of a warp. */
static void travel(struct debugger *d, struct warp *w)
{
    struct journey *j = &d->journey;
    struct item item;
    const struct event begin = {EVENT_HISTORY, item_tid((struct item){w, first_lane(w->mask)}), SIGNAL_TRAP};
    if (d->interrupt) {
        d->nevents = 0;
        meet_interrupt(d);
        arrive(d, d->events, d->nevents);
    } else if (j->way == RUNS_TO_THEN) {
        if (d->count >= j->then) arrive(d, j->nfound ? j->found : &begin, j->nfound ? j->nfound : 1);
    } else if (d->count >= j->now) {
        d->rewind = true;
    } else if (j->back == BACK_STEP) {
        if (!item_find(d, j->step, &item) || item.warp != w || !(w->mask >> item.lane & 1)) return;
        j->then = d->count;
        j->found[0] = (struct event){EVENT_STEP, j->step, SIGNAL_TRAP};
        j->nfound = 1;
    } else {
        d->nevents = 0;
        meet_breakpoint(d, w);
        note_found(d);
    }
}

/* `text` is not empty. */
static void say_finding(struct debugger *d, const char *text, tid thread)
{
    snprintf(d->message, sizeof d->message, "%s", text);
    d->message[strlen(d->message) - 1] = 0; /* the end of its last line */
    event_add_first(d, (struct event){EVENT_SIGNAL, thread, SIGNAL_ABRT});
}

/* A check has found something here when the launch ran the last time; of several it is one stop. */
static void meet_finding(struct debugger *d)
{
    struct text all = {0};
    if (d->count < d->until) return;
    const struct finding *f = findings_at(&d->findings, d->count, &all);
    if (f) say_finding(d, all.n ? all.data : f->text, f->thread);
    text_free(&all);
    d->until = findings_next(&d->findings, d->count);
}

/* The instruction of a warp is next: what is to stop it? */
static void meet(struct debugger *d, struct warp *w)
{
    if (d->points.hosts && !is_held(d, w)) stops_hosts(d, w);
    if (d->points.registers) stops_registers(d);
    finish_step(d);
    if (!is_held(d, w)) meet_breakpoint(d, w);
    meet_interrupt(d);
    meet_finding(d);
    stand(d, d->count);
}

static enum observed consider(struct debugger *d, struct warp *w)
{
    const uint32_t pc = w->pc;
    struct item stepping;
    pthread_mutex_lock(&d->lock);
    d->about = w;
    if (!d->rewind && d->journey.way != RUNS_ON) travel(d, w);
    else if (!d->rewind) meet(d, w);
    if (w->pc == pc && d->order.step && item_find(d, d->order.step, &stepping) && stepping.warp == w)
        d->executes = w->mask >> stepping.lane & 1;
    set_attention(d);
    enum observed said = d->kill || d->rewind ? STOP : is_held(d, w) ? HOLD : GO_ON;
    if (said == HOLD) d->bent = true;
    if (said == HOLD || w->pc != pc) d->count--; /* it is announced again */
    pthread_mutex_unlock(&d->lock);
    return said;
}

static enum observed on_before(void *user, struct warp *w, const struct insn *in)
{
    struct debugger *d = user;
    (void)in;
    d->count++;
    if (!atomic_load_explicit(&d->attention, memory_order_relaxed) && d->count < d->until &&
        !stops_may_be_at(&d->points, w->pc))
        return GO_ON;
    return consider(d, w);
}

static int signal_of(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_ILLEGAL:
    case FAULT_SIMT_OVERFLOW:
    case FAULT_ENDPRG_DIVERGED: return SIGNAL_ILL;
    case FAULT_MISALIGNED: return SIGNAL_BUS;
    default: return SIGNAL_SEGV;
    }
}

static void on_fault(void *user, const struct warp *w, const struct fault *fault)
{
    struct debugger *d = user;
    pthread_mutex_lock(&d->lock);
    if (d->wire.fd >= 0 && !d->rewind && d->journey.way == RUNS_ON) {
        uint32_t lane = fault->lane < ISA_LANES ? fault->lane : first_lane(w->mask);
        d->about = (struct warp *)w;
        d->fault = *fault;
        d->nevents = 0;
        fault_print(fault, d->message, sizeof d->message);
        event_add(d, (struct event){EVENT_SIGNAL, item_tid((struct item){d->about, lane}), signal_of(fault->kind)});
        stand(d, d->count);
    }
    pthread_mutex_unlock(&d->lock);
}

/* In front of what the instruction has already done to watchpoints, which is reported when it has been executed. */
static void stand_at_mistake(struct debugger *d, struct warp *w, const struct finding *f, bool begun)
{
    struct event later[EVENTS_MOST];
    struct item stepping;
    const size_t n = d->nevents;
    memcpy(later, d->events, n * sizeof *later);
    d->nevents = 0;
    d->about = w;
    d->begun = begun;
    say_finding(d, f->text, f->thread);
    stand(d, f->count);
    d->begun = false;
    if (begun && d->order.step && item_find(d, d->order.step, &stepping) && stepping.warp == w)
        d->executes = w->mask >> stepping.lane & 1;
    for (size_t i = 0; i < n && !d->rewind && d->wire.fd >= 0; i++) event_add(d, later[i]);
    set_attention(d);
}

static void on_mistake(void *user, const struct warp *warp, uint32_t lanes, uint32_t pc, const char *text)
{
    struct debugger *d = user;
    struct warp *w = (struct warp *)warp;
    pthread_mutex_lock(&d->lock);
    const bool begun = pc == w->pc;
    const struct finding f = {d->count + !begun, item_tid((struct item){w, first_lane(lanes ? lanes : w->mask)}),
                              (char *)(uintptr_t)text};
    findings_add(&d->findings, f.count, f.thread, text);
    if (d->wire.fd >= 0 && !d->rewind && d->journey.way == RUNS_ON) stand_at_mistake(d, w, &f, begun);
    pthread_mutex_unlock(&d->lock);
}

/* ---- launches and work-groups ---- */

/* gdb asks for the list of libraries; what lldb is told is for ventus_lldb.py. */
static void announce_program(struct debugger *d)
{
    if (d->lldb) snprintf(d->message, sizeof d->message, "another program: %s", d->program.path);
    event_add(d, (struct event){EVENT_LIBRARY, TID_DEVICE, SIGNAL_TRAP});
}

/* The first launch waits for a debugger; each waits while the machine is stopped, and says when the program is a new
 * one, so that breakpoints are set in it. */
static void on_launch_begin(void *user, const struct launch *launch, const struct launch_info *info)
{
    struct debugger *d = user;
    pthread_mutex_lock(&d->lock);
    d->launch = launch;
    d->info = info;
    d->count = 0;
    scheduler_begin(d);
    if (d->journey.way != RUNS_ON) { /* it is the same launch once more */
        pthread_mutex_unlock(&d->lock);
        return;
    }
    bool changed = program_enter(&d->program, info), waited = false;
    d->number++;
    findings_launch(&d->findings);
    d->bent = false;
    d->kill = false;
    snprintf(d->kernel, sizeof d->kernel, "%s", info->kernel ? info->kernel : "");
    for (; d->waits_for_debugger && d->wire.fd < 0; waited = true) pthread_cond_wait(&d->go, &d->lock);
    d->waits_for_debugger = false;
    if (changed && !waited && d->wire.fd >= 0) announce_program(d);
    stand(d, 0);
    if (d->wire.fd >= 0) history_begin(d->history, d->gpu);
    d->observer.access = d->watches || !history_missing(d->history) ? on_access : NULL;
    pthread_mutex_unlock(&d->lock);
}

static void on_launch_end(void *user, const struct launch *launch, const struct result *result)
{
    struct debugger *d = user;
    (void)launch, (void)result;
    pthread_mutex_lock(&d->lock);
    d->about = NULL;
    d->executes = false;
    d->order = (struct order){0};
    if (d->rewind) {
        pthread_mutex_unlock(&d->lock);
        return;
    }
    d->launch = NULL;
    d->info = NULL;
    d->journey.way = RUNS_ON; /* it has run otherwise than before: there is no way back */
    history_forget(d->history);
    if (d->interrupt) {
        d->interrupt = false;
        machine_halt(d);
        wake_server(d);
    }
    pthread_mutex_unlock(&d->lock);
}

/* Once to see where to go, and once to go there. */
static bool on_again(void *user)
{
    struct debugger *d = user;
    struct journey *j = &d->journey;
    pthread_mutex_lock(&d->lock);
    bool again = d->rewind;
    if (again && d->travels) {
        j->way = RUNS_TO_THEN;
        if (!j->then) j->then = 1;
        d->until = j->then;
    }
    d->travels = again && j->way == RUNS_TO_NOW;
    d->rewind = false;
    if (again) history_restore(d->history);
    set_attention(d);
    pthread_mutex_unlock(&d->lock);
    return again;
}

static void on_host(void *user, const struct host_event *e)
{
    struct debugger *d = user;
    if (e->action != HOST_READ) history_host(d->history, e->addr, e->size);
    if (e->action != HOST_WRITE && e->action != HOST_COPY) return;
    pthread_mutex_lock(&d->lock);
    stops_host_writes(d, e->addr, e->size);
    if (d->points.hosts) d->attention = true;
    pthread_mutex_unlock(&d->lock);
}

static void on_group_begin(void *user, const struct group *g)
{
    struct debugger *d = user;
    pthread_mutex_lock(&d->lock);
    if (d->ngroups == d->groups_room) {
        size_t room = d->groups_room ? 2 * d->groups_room : 16;
        struct group **list = realloc(d->groups, room * sizeof *list);
        if (list) d->groups = list, d->groups_room = room;
    }
    if (d->ngroups < d->groups_room)
        d->groups[d->ngroups++] = (struct group *)g; /* else its work-items are no threads */
    pthread_mutex_unlock(&d->lock);
}

static void on_group_end(void *user, const struct group *g)
{
    struct debugger *d = user;
    pthread_mutex_lock(&d->lock);
    size_t i = 0;
    while (i < d->ngroups && d->groups[i] != g) i++;
    if (i < d->ngroups) memmove(d->groups + i, d->groups + i + 1, (--d->ngroups - i) * sizeof *d->groups);
    if (d->about && d->about->group == g) d->about = NULL;
    pthread_mutex_unlock(&d->lock);
}

/* ---- life ---- */

struct debugger *debugger_new(struct gpu *gpu, const char *where, char *why, size_t why_size)
{
    struct debugger *d = calloc(1, sizeof *d);
    snprintf(why, why_size, "no memory for the debugger");
    if (!d) return NULL;
    d->gpu = gpu;
    d->observer = (struct observer){.user = d,
                                    .launch_begin = on_launch_begin,
                                    .launch_end = on_launch_end,
                                    .again = on_again,
                                    .host = on_host,
                                    .group_begin = on_group_begin,
                                    .group_end = on_group_end,
                                    .before = on_before,
                                    .change = on_change,
                                    .fault = on_fault,
                                    .mistake = on_mistake};
    d->until = UINT64_MAX;
    d->history = history_new();
    if (d->history && scheduler_open(d) && server_open(d, where, why, why_size)) return d;
    scheduler_close(d);
    history_free(d->history);
    free(d);
    return NULL;
}

struct observer *debugger_observer(struct debugger *d) { return &d->observer; }

void debugger_free(struct debugger *d)
{
    if (!d) return;
    server_close(d);
    scheduler_close(d);
    history_free(d->history);
    program_free(&d->program);
    findings_free(&d->findings);
    free(d->points.list);
    free(d->groups);
    text_free(&d->packet);
    text_free(&d->answer);
    free(d);
}

/* Between two turns of warps: a step may be over although nothing is going to be executed. */
void machine_pause(struct debugger *d, const char *why)
{
    if (d->rewind || d->journey.way != RUNS_ON) return; /* an instruction decides */
    pthread_mutex_lock(&d->lock);
    finish_step(d);
    if (why && !some_item(d)) {
        d->order.alone = 0;          /* nobody is held any more */
    } else if (why && !d->nevents) { /* with another signal than that of steps, or gdb would try it again and again */
        snprintf(d->message, sizeof d->message, "%s", why);
        event_add(d, (struct event){EVENT_SIGNAL, item_tid(item_of(d, d->order.alone)), SIGNAL_INT});
    }
    meet_interrupt(d);
    stand(d, d->count + 1);
    set_attention(d);
    pthread_mutex_unlock(&d->lock);
}
