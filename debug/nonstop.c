/* The protocol's non-stop mode (QNonStop), in which gdb talks to the server while the machine runs, so that it can run
 * other programs beside it: the host program, in `ventus debug --host`.
 *
 * All work-items stop and go together here as ever. What gdb would have to be told of each of them, one by one, at
 * every stop, and be asked of each, is left out: there is one thread, TID_DEVICE, which is one work-item, the one that
 * has stopped, until the user selects another one (monitor workitem, warp, lane). Requests that name the thread mean
 * that work-item, which is d->general.
 *
 * A stop is a notification, "%Stop:...", which gdb acknowledges by vStopped. */
#include <string.h>

#include "debug/parts.h"

static void say(struct debugger *d, const char *text) { text_add(&d->answer, "%s", text); }

tid nonstop_thread(const struct debugger *d, tid named) { return d->nonstop && named ? d->general : named; }

/* gdb takes a breakpoint away while its only thread leaves it. The warp that has stopped is the next one anyway; for
 * another one that the user has selected the rest is held, or would pass the breakpoint meanwhile. */
tid nonstop_alone(const struct debugger *d, tid steps)
{
    struct item item;
    return steps && item_find(d, steps, &item) && item.warp != d->about ? steps : 0;
}

/* What gdb is told of a stop: that of its only thread. One that it has asked for itself has no signal. */
static void add_stop(struct text *t, const struct debugger *d)
{
    struct event e = d->last;
    if (d->quiet && e.kind == EVENT_SIGNAL && e.signal == SIGNAL_INT) e.signal = 0;
    e.thread = TID_DEVICE;
    stop_reply(t, d, &e);
}

void nonstop_report(struct debugger *d)
{
    struct text t = {0};
    text_add(&t, "Stop:");
    add_stop(&t, d);
    wire_notify(&d->wire, t.data ? t.data : "", t.n);
    text_free(&t);
    d->quiet = false;
}

/* ---- requests ---- */

static void turn(struct debugger *d, const char *s)
{
    if (d->lldb || (strcmp(s, "1") != 0 && strcmp(s, "0") != 0)) {
        say(d, "E01");
        return;
    }
    d->nonstop = *s == '1';
    d->quiet = false;
    say(d, "OK");
}

/* Which threads have stopped? gdb asks once, when it comes. */
static void ask_status(struct debugger *d, const char *s)
{
    (void)s;
    if (!d->stopped) d->awaited = true;
    if (!d->stopped || d->awaited) {
        say(d, "OK"); /* a notification follows */
        return;
    }
    if (d->nevents) take_event(d);
    d->last = (struct event){EVENT_SIGNAL, d->general, SIGNAL_TRAP};
    add_stop(&d->answer, d);
}

static void acknowledge(struct debugger *d, const char *s)
{
    (void)s;
    say(d, "OK"); /* no thread more */
}

static void halt(struct debugger *d, bool quiet)
{
    say(d, "OK");
    if (d->stopped) return; /* gdb has been told so, or will be */
    d->quiet = quiet;
    machine_halt(d);
}

static void stop_thread(struct debugger *d, const char *s)
{
    (void)s;
    halt(d, true);
}

static void interrupt(struct debugger *d, const char *s)
{
    (void)s;
    halt(d, false);
}

/* To go on: machine_go is request.c's business. A thread that runs already goes on. */
static void resume(struct debugger *d, const char *s)
{
    if (d->stopped && !d->awaited) request_resume(d, s);
    if (d->answer.n) return; /* it is wrong */
    d->later = false;
    say(d, "OK");
}

static void select_thread(struct debugger *d, const char *s)
{
    uint64_t t;
    bool any = !*s || !strcmp(s + 1, "-1");
    s += *s != 0;
    say(d, any || (hex_number(&s, &t) && t <= TID_DEVICE) ? "OK" : "E01");
}

static void ask_alive(struct debugger *d, const char *s)
{
    uint64_t t;
    say(d, hex_number(&s, &t) && t == TID_DEVICE ? "OK" : "E01");
}

static void ask_current(struct debugger *d, const char *s)
{
    (void)s;
    text_add(&d->answer, "QC%x", TID_DEVICE);
}

static void ask_threads(struct debugger *d, const char *s)
{
    (void)s;
    text_add(&d->answer, "m%x", TID_DEVICE);
}

static void ask_thread_text(struct debugger *d, const char *s)
{
    uint64_t t;
    (void)s;
    struct text about = {0};
    if (!hex_number(&s, &t) || t != TID_DEVICE) {
        say(d, "E01");
        return;
    }
    if (d->stopped) item_describe(&about, d, item_of(d, d->general));
    else text_add(&about, "runs");
    text_hex(&d->answer, about.data, about.n);
    text_free(&about);
}

/* From the digit on. */
static void set_point(struct debugger *d, const char *s) { request_point(d, s - 1, true); }
static void clear_point(struct debugger *d, const char *s) { request_point(d, s - 1, false); }

/* Those that are other ones than in all-stop mode, or that gdb has while the machine runs. */
static const struct {
    const char *begin;
    void (*answer)(struct debugger *d, const char *rest);
} requests[] = {
    {"?", ask_status},
    {"vStopped", acknowledge},
    {"vCont?", request_actions},
    {"vCont;t", stop_thread},
    {"vCtrlC", interrupt},
    {"vCont", resume},
    {"H", select_thread},
    {"T", ask_alive},
    {"qC", ask_current},
    {"qfThreadInfo", ask_threads},
    {"qThreadExtraInfo,", ask_thread_text},
    {"Z0", set_point},
    {"z0", clear_point},
    {"Z1", set_point},
    {"z1", clear_point},
};

bool nonstop_answer(struct debugger *d)
{
    const char *s = d->packet.data;
    if (!strncmp(s, "QNonStop:", 9)) {
        turn(d, s + 9);
        return true;
    }
    for (size_t i = 0; d->nonstop && i < sizeof requests / sizeof *requests; i++) {
        size_t n = strlen(requests[i].begin);
        if (strncmp(s, requests[i].begin, n) != 0) continue;
        requests[i].answer(d, s + n);
        return true;
    }
    return false;
}
