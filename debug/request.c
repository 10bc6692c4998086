/* Requests of gdb and lldb, one function each, and what is reported when the machine has stopped.
 *
 * Both speak gdb's remote serial protocol ("Debugging with GDB", appendix E); lldb has some requests of its own. A
 * request that is not known here gets an empty answer, which tells the debugger so. */
#include <stdlib.h>
#include <string.h>

#include "debug/parts.h"
#include "isa/abi.h"

static void say(struct debugger *d, const char *text) { text_add(&d->answer, "%s", text); }

/* The selected work-item is one that gdb is to believe to live. */
static bool is_past(const struct debugger *d) { return d->past && d->general == d->past; }

static struct item selected(const struct debugger *d) { return item_of(d, d->general ? d->general : d->shown_stop); }

/* ---- stops ---- */

static const char *watch_key(enum stop_kind kind)
{
    return kind == STOP_READ ? "rwatch" : kind == STOP_ACCESS ? "awatch" : "watch";
}

/* lldb has the reason in words. */
static void add_reason(struct text *t, const struct debugger *d, const struct event *e)
{
    struct item item = item_of(d, e->thread);
    struct text name = {0};
    uint32_t pc = item_pc(item);
    item_name(&name, item);
    text_add(t, "name:%s;%02x:", name.data ? name.data : "", REG_PC);
    text_hex(t, &pc, sizeof pc);
    text_add(t, ";");
    text_free(&name);
    if (e->kind == EVENT_STEP) text_add(t, "reason:trace;");
    if (e->kind == EVENT_BREAK) text_add(t, "reason:breakpoint;");
    if (!event_has_message(d, e)) return;
    text_add(t, "reason:exception;description:");
    text_hex(t, d->message, strlen(d->message));
    text_add(t, ";");
}

void stop_reply(struct text *t, const struct debugger *d, const struct event *e)
{
    text_add(t, "T%02xthread:%llx;", (unsigned)e->signal, (unsigned long long)e->thread);
    if (e->kind == EVENT_BREAK && !d->lldb) text_add(t, "swbreak:;");
    if (e->kind == EVENT_WATCH) text_add(t, "%s:%llx;", watch_key(e->watch), (unsigned long long)e->addr);
    if (e->kind == EVENT_LIBRARY && !d->lldb) text_add(t, "library:;");
    if (e->kind == EVENT_HISTORY) text_add(t, "replaylog:begin;");
    if (d->lldb) add_reason(t, d, e);
}

/* Text for the user, in pieces that any debugger takes. */
static void send_output(struct debugger *d, const char *s, size_t n)
{
    enum { PIECE = 1000 };
    for (size_t at = 0; at < n; at += PIECE) {
        struct text t = {0};
        text_add(&t, "O");
        text_hex(&t, s + at, n - at < PIECE ? n - at : PIECE);
        if (!t.failed) wire_send(&d->wire, t.data, t.n);
        text_free(&t);
    }
}

static void report_message(struct debugger *d)
{
    char line[sizeof d->message + 1];
    if (*d->message && !d->lldb) send_output(d, line, (size_t)snprintf(line, sizeof line, "%s\n", d->message));
}

/* All-stop gdb 13 waits for the work-item that it steps alone, takes a stop of another one for a mistake of its own,
 * and what says that the thread has ended for the end of all that it waits for. So the step is over, and the work-item
 * stands at no address (`past`) until gdb goes on. */
static void take_end(struct debugger *d)
{
    if (d->lldb || d->nonstop) d->last.thread = item_tid(item_of(d, 0));
    else d->past = d->last.thread;
}

void take_event(struct debugger *d)
{
    if (!d->nevents) event_add(d, (struct event){EVENT_SIGNAL, TID_DEVICE, SIGNAL_TRAP});
    d->last = d->events[0];
    memmove(d->events, d->events + 1, --d->nevents * sizeof *d->events);
    d->awaited = d->shown = false;
    if (d->last.kind == EVENT_ENDED) take_end(d);
    d->general = d->looked_at = d->shown_stop = d->last.thread;
}

/* The first event; the others follow if the debugger goes on without having shown it to its user. */
void report_stop(struct debugger *d)
{
    struct text t = {0};
    take_event(d);
    report_message(d);
    if (d->nonstop) {
        nonstop_report(d);
        return;
    }
    stop_reply(&t, d, &d->last);
    wire_send(&d->wire, t.data, t.n);
    text_free(&t);
}

static void ask_status(struct debugger *d, const char *s)
{
    (void)s;
    if (!d->stopped) d->awaited = true;
    else if (d->nevents) report_stop(d);
    else stop_reply(&d->answer, d, &d->last);
    d->shown = true;
    d->later = !d->answer.n; /* it is sent, or will be */
}

/* ---- threads ---- */

static void select_thread(struct debugger *d, const char *s)
{
    uint64_t t = 0;
    struct item item;
    const char kind = *s++;
    bool any = *s == '-' || !hex_number(&s, &t) || !t;
    t = item_named(d, t);
    if (!any && t != d->past && !item_find(d, t, &item)) {
        say(d, "E01");
        return;
    }
    if (kind == 'c') d->chosen = any ? 0 : t;
    else d->general = d->looked_at = any ? d->shown_stop : t;
    say(d, "OK");
}

static void ask_alive(struct debugger *d, const char *s)
{
    uint64_t t;
    struct item item;
    if (!hex_number(&s, &t)) t = 0;
    t = item_named(d, t);
    say(d, t && (t == d->past || (item_find(d, t, &item) && (item.warp || !d->ngroups))) ? "OK" : "E01");
}

static void ask_current(struct debugger *d, const char *s)
{
    (void)s;
    text_add(&d->answer, "QC%llx", (unsigned long long)item_tid(selected(d)));
}

static bool list_thread(void *user, struct item item)
{
    struct debugger *d = user;
    text_add(&d->answer, "%s%llx", d->answer.n ? "," : "m", (unsigned long long)item_tid(item));
    return true;
}

static void ask_first_threads(struct debugger *d, const char *s)
{
    (void)s;
    d->shown = true;
    items_each(d, list_thread, d);
    if (!d->answer.n) text_add(&d->answer, "m%x", TID_DEVICE);
}

static void ask_more_threads(struct debugger *d, const char *s)
{
    (void)s;
    say(d, "l");
}

static void ask_thread_text(struct debugger *d, const char *s)
{
    uint64_t t;
    struct item item;
    struct text about = {0};
    if (!hex_number(&s, &t) || !item_find(d, item_named(d, t), &item)) {
        say(d, "E01");
        return;
    }
    item_name(&about, item);
    text_add(&about, " ");
    item_describe(&about, d, item);
    text_hex(&d->answer, about.data, about.n);
    text_free(&about);
}

static void ask_thread_stop(struct debugger *d, const char *s)
{
    uint64_t t;
    struct item item;
    struct event e = {EVENT_SIGNAL, 0, 0};
    if (!hex_number(&s, &t) || !item_find(d, item_named(d, t), &item)) {
        say(d, "E01");
        return;
    }
    if (t == d->last.thread) e = d->last;
    else if (d->last.kind == EVENT_BREAK && item_is_active(item) && stops_at(&d->points, item_pc(item)))
        e = (struct event){EVENT_BREAK, t, SIGNAL_TRAP};
    e.thread = t;
    stop_reply(&d->answer, d, &e);
}

static void ask_threads_json(struct debugger *d, const char *s)
{
    (void)s;
    d->shown = true;
    document_json(&d->answer, d);
}

/* ---- registers and memory ---- */

static void add_value(struct debugger *d, struct item item, uint32_t number)
{
    uint32_t value = ABI_WINDOW;
    const bool past = is_past(d);
    if (number == REG_PC && (past || (d->aside && d->aside == item_tid(item))))
        text_hex(&d->answer, &value, sizeof value);
    else if (!past && register_read(item, number, &value)) text_hex(&d->answer, &value, sizeof value);
    else say(d, d->lldb ? "E01" : "xxxxxxxx");
}

static void read_registers(struct debugger *d, const char *s)
{
    (void)s;
    for (uint32_t n = 0; n <= REG_PC; n++) add_value(d, selected(d), n);
}

static void write_registers(struct debugger *d, const char *s)
{
    uint32_t value;
    for (uint32_t n = 0; n <= REG_PC && !is_past(d) && hex_bytes(&s, &value, sizeof value); n++)
        register_write(d, selected(d), n, value);
    say(d, "OK");
}

static void read_register(struct debugger *d, const char *s)
{
    uint64_t n;
    if (!hex_number(&s, &n) || n >= register_count()) say(d, "E01");
    else add_value(d, selected(d), (uint32_t)n);
}

static void write_register(struct debugger *d, const char *s)
{
    uint64_t n;
    uint32_t value;
    bool good = hex_number(&s, &n) && *s++ == '=' && hex_bytes(&s, &value, sizeof value) && n < register_count();
    say(d, good && !is_past(d) && register_write(d, selected(d), (uint32_t)n, value) ? "OK" : "E01");
}

/* "ADDRESS,SIZE"; what fits a packet. */
static bool parse_range(const char **s, uint64_t *addr, uint64_t *size)
{
    if (!hex_number(s, addr) || *(*s)++ != ',' || !hex_number(s, size)) return false;
    if (*size > PACKET_MOST / 2) *size = PACKET_MOST / 2;
    return true;
}

static void read_memory(struct debugger *d, const char *s)
{
    uint64_t addr, size;
    uint8_t *bytes = parse_range(&s, &addr, &size) ? malloc(size + 1) : NULL;
    uint32_t n = bytes ? memory_read(d, item_looked_at(d), addr, bytes, (uint32_t)size) : 0;
    if (bytes && (n || !size)) text_hex(&d->answer, bytes, n);
    else say(d, "E01");
    if (bytes && !size) say(d, "");
    free(bytes);
}

static void write_memory_hex(struct debugger *d, const char *s)
{
    uint64_t addr, size;
    uint8_t *bytes = parse_range(&s, &addr, &size) && *s++ == ':' ? malloc(size + 1) : NULL;
    bool good = bytes && hex_bytes(&s, bytes, size) && memory_write(d, item_looked_at(d), addr, bytes, (uint32_t)size);
    say(d, good ? "OK" : "E01");
    free(bytes);
}

static void write_memory_binary(struct debugger *d, const char *s)
{
    uint64_t addr, size;
    bool good = parse_range(&s, &addr, &size) && *s++ == ':';
    good = good && (size_t)(s - d->packet.data) + size <= d->packet.n;
    say(d, good && memory_write(d, item_looked_at(d), addr, s, (uint32_t)size) ? "OK" : "E01");
}

/* ---- breakpoints ---- */

void request_point(struct debugger *d, const char *s, bool set)
{
    uint64_t addr, size;
    const char kind = *s;
    if (kind < '0' || kind > '4') return;
    s++;
    if (*s++ != ',' || !parse_range(&s, &addr, &size)) {
        say(d, "E01");
        return;
    }
    enum stop_kind what = (enum stop_kind)(kind - '0');
    const tid owner = set && what >= STOP_WRITE ? item_tid(item_looked_at(d)) : 0;
    if (!set) stops_clear(d, what, addr, (uint32_t)size);
    say(d, !set || stops_set(d, what, addr, (uint32_t)size, owner) ? "OK" : "E01");
}

static void set_point(struct debugger *d, const char *s) { request_point(d, s, true); }
static void clear_point(struct debugger *d, const char *s) { request_point(d, s, false); }

/* ---- going on ---- */

/* On RISC-V gdb believes that the access which it is told of has yet to be made, and steps over it to see what has
 * become of the memory. It has been made: a step more could be the work-item's last. */
static bool steps_over_access(const struct debugger *d, tid leaves)
{
    return !d->shown && !d->lldb && leaves && d->last.kind == EVENT_WATCH && d->last.thread == leaves;
}

/* What the debugger has not shown to its user it has only looked at: then the next event of the same instruction is
 * its turn, before anything is executed. So a condition is tried for each lane that has come to a breakpoint. gdb wants
 * each of them to leave its breakpoint by a step of its own, which must move it: it is said to be at an address that is
 * none, until gdb goes on. `leaves`: the work-item that is to do such a step; 0: none. False: an event is next, or what
 * is said of that step; true: the machine may run. */
static bool take_next(struct debugger *d, tid leaves)
{
    d->aside = 0;
    if (steps_over_access(d, leaves)) {
        event_add_first(d, (struct event){EVENT_STEP, leaves, SIGNAL_TRAP});
        return false;
    }
    if (d->shown || !d->nevents) return true;
    if (!leaves || leaves == d->user_step) return leaves;
    d->aside = leaves;
    event_add_first(d, (struct event){EVENT_STEP, leaves, SIGNAL_TRAP});
    return false;
}

/* May this be a step that gdb makes to leave a breakpoint? */
static bool leaves_point(const struct debugger *d, const struct order *order)
{
    return d->nonstop ? !order->end : order->alone == order->step;
}

/* False: gdb still wants the work-item that has ended to go alone, and stops at another one. */
static bool leave_past(struct debugger *d, struct order *order)
{
    const tid past = d->past;
    d->past = 0;
    if (!past) return true;
    if (order->step == past) order->step = 0;
    if (order->alone != past) return true;
    order->alone = 0;
    if (!some_item(d)) return true; /* nobody is held */
    snprintf(d->message, sizeof d->message, "the work-item has ended");
    event_add(d, (struct event){EVENT_SIGNAL, item_tid(item_of(d, 0)), SIGNAL_INT});
    return false;
}

static void go(struct debugger *d, struct order order)
{
    d->awaited = true;
    d->later = true;
    if (d->unseen && !d->lldb) {
        d->unseen = false;
        event_add(d, (struct event){EVENT_LIBRARY, TID_DEVICE, SIGNAL_TRAP});
        return;
    }
    if (!leave_past(d, &order)) return;
    if (d->shown) d->user_step = order.step;
    if (!take_next(d, leaves_point(d, &order) ? order.step : 0)) return;
    d->order = order;
    machine_go(d);
}

struct action {
    char kind;
    uint64_t from, end;
    tid thread; /* 0: all others */
};

static bool parse_action(const char **s, struct action *a)
{
    uint64_t signal;
    *a = (struct action){.kind = **s};
    if (!**s || !strchr("cCsSrt", **s)) return false;
    ++*s;
    if ((a->kind == 'C' || a->kind == 'S') && !hex_number(s, &signal)) return false;
    if (a->kind == 'r' && (!hex_number(s, &a->from) || *(*s)++ != ',' || !hex_number(s, &a->end))) return false;
    if (**s != ':') return true;
    ++*s;
    if (**s != '-') return hex_number(s, &a->thread);
    *s += strcspn(*s, ";");
    return true;
}

/* A warp is stepped by one of its work-items. Who is named alone goes alone: all others are held. */
static void take_action(struct order *o, const struct action *a, const struct debugger *d, unsigned *named,
                        bool *others)
{
    bool steps = a->kind == 's' || a->kind == 'S' || a->kind == 'r';
    if (!a->thread || d->nonstop) *others = true;
    else ++*named;
    if (a->thread) o->alone = a->thread;
    if (!steps || o->step) return;
    o->step = a->thread ? a->thread : item_tid(selected(d));
    o->from = (uint32_t)a->from;
    o->end = (uint32_t)a->end;
}

void request_resume(struct debugger *d, const char *s)
{
    struct order order = {0};
    struct action a;
    unsigned named = 0;
    bool others = false;
    while (*s == ';') {
        s++;
        if (!parse_action(&s, &a)) {
            say(d, "E01");
            return;
        }
        a.thread = nonstop_thread(d, item_named(d, a.thread));
        take_action(&order, &a, d, &named, &others);
    }
    if (others || named > 1) order.alone = 0;
    if (d->nonstop) order.alone = nonstop_alone(d, order.step);
    if (order.alone == TID_DEVICE) order = (struct order){0};
    if (order.step == TID_DEVICE) order.step = 0;
    go(d, order);
}

void request_actions(struct debugger *d, const char *s)
{
    (void)s;
    say(d, "vCont;c;C;s;S;r;t");
}

static void resume_all(struct debugger *d, const char *s)
{
    (void)s;
    go(d, (struct order){0});
}

static void step_one(struct debugger *d, const char *s)
{
    (void)s;
    go(d, (struct order){.step = item_tid(selected(d))});
}

static const char *no_way_back(const struct debugger *d)
{
    if (!d->launch || !d->position) return "no kernel runs";
    if (d->bent)
        return "warps of this launch have been held (scheduler-locking): it cannot be run again in the same order";
    return history_missing(d->history);
}

/* "bs", "bc": backwards. */
static void go_back(struct debugger *d, const char *s)
{
    const char *why = no_way_back(d);
    if (*s != 's' && *s != 'c') return;
    d->awaited = d->later = true;
    tid step = *s != 's' ? 0 : d->chosen ? d->chosen : is_past(d) ? d->past : item_tid(selected(d));
    if (d->shown) d->user_step = step;
    if (!take_next(d, step)) return;
    if (!why) {
        machine_go_back(d, step ? BACK_STEP : BACK_CONTINUE, step);
        return;
    }
    d->nevents = 0;
    snprintf(d->message, sizeof d->message, "cannot go back: %s", why);
    event_add(d, (struct event){EVENT_HISTORY, item_tid(selected(d)), SIGNAL_TRAP});
}

/* What the debugger has to say about it comes before what the machine says as it goes on. */
static void detach(struct debugger *d, const char *s)
{
    (void)s;
    wire_send(&d->wire, "OK", 2);
    wire_await_end(&d->wire, 100);
    d->later = true;
    d->waits_for_debugger = false; /* also when no launch has begun yet */
    debugger_gone(d);
}

/* The launch ends, and the debugger goes; the program hears of a launch that was stopped. */
static void end_launch(struct debugger *d, const char *s)
{
    (void)s;
    say(d, *s == ';' ? "OK" : d->lldb ? "X09" : "");
    wire_send(&d->wire, d->answer.data ? d->answer.data : "", d->answer.n);
    d->later = true;
    debugger_gone(d);
    d->kill = d->launch;
    d->attention = true;
}

/* ---- what the server is, and documents ---- */

/* gdb asks for the actions of vCont (vCont?) when it is not told here that there are some, and only then knows of 't'.
 *
 * lldb does not place the programs of a list of libraries where they say they are; it has debug/lldb/ventus.py. */
static void ask_supported(struct debugger *d, const char *s)
{
    d->lldb = strstr(s, "xmlRegisters=i386,") != NULL;
    text_add(&d->answer,
             "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;%s"
             "QNonStop+;swbreak+;hwbreak+;ReverseStep+;ReverseContinue+;multiprocess-",
             PACKET_MOST, d->lldb ? "" : "qXfer:libraries:read+;");
}

static void be_silent(struct debugger *d, const char *s)
{
    (void)s;
    wire_send(&d->wire, "OK", 2);
    d->later = true;
    d->wire.silent = true;
}

static void send_piece(struct debugger *d, const struct text *document, const char *s)
{
    uint64_t from, size;
    if (!parse_range(&s, &from, &size) || from > document->n || document->failed) {
        say(d, "E01");
        return;
    }
    uint64_t left = document->n - from, n = size < left ? size : left;
    text_add(&d->answer, n < left ? "m" : "l");
    if (n) text_bytes(&d->answer, document->data + from, n);
}

static void read_document(struct debugger *d, const char *s)
{
    struct text t = {0};
    const char *what = strchr(s, ':'), *annex = what ? strchr(what + 1, ':') : NULL, *range = NULL;
    if (!annex || strncmp(what, ":read:", 6) != 0 || !(range = strrchr(annex, ':'))) {
        say(d, "E00");
        return;
    }
    if (!strncmp(s, "features:", 9)) document_features(&t);
    else if (!strncmp(s, "threads:", 8)) document_threads(&t, d), d->shown |= !d->nonstop;
    else if (!strncmp(s, "libraries:", 10)) document_libraries(&t, d);
    if (t.n) send_piece(d, &t, range + 1);
    text_free(&t);
}

static void ask_host(struct debugger *d, const char *s)
{
    (void)s;
    d->lldb = true;
    say(d, "triple:");
    text_hex(&d->answer, "riscv32-unknown-unknown-elf", 27);
    say(d, ";ptrsize:4;endian:little;");
}

static void ask_process(struct debugger *d, const char *s)
{
    (void)s;
    d->lldb = true;
    say(d, "pid:1;triple:");
    text_hex(&d->answer, "riscv32-unknown-unknown-elf", 27);
    say(d, ";ptrsize:4;endian:little;ostype:unknown;vendor:unknown;");
}

static void list_in_stops(struct debugger *d, const char *s)
{
    (void)s;
    d->lldb = true;
    say(d, "OK");
}

static void ask_attached(struct debugger *d, const char *s)
{
    (void)s;
    say(d, "1");
}

static void command(struct debugger *d, const char *s)
{
    char text[512];
    size_t n = strlen(s) / 2;
    struct text said = {0};
    if (n >= sizeof text || !hex_bytes(&s, text, n)) {
        say(d, "E01");
        return;
    }
    text[n] = 0;
    monitor(d, text, &said);
    send_output(d, said.data ? said.data : "", said.n);
    say(d, "OK");
    text_free(&said);
}

/* ---- the table ---- */

static const struct {
    const char *begin;
    void (*answer)(struct debugger *d, const char *rest);
    bool runs; /* also while the machine runs */
} requests[] = {
    {"?", ask_status, true},
    {"H", select_thread, true},
    {"T", ask_alive, false},
    {"qC", ask_current, false},
    {"qfThreadInfo", ask_first_threads, false},
    {"qsThreadInfo", ask_more_threads, false},
    {"qThreadExtraInfo,", ask_thread_text, false},
    {"qThreadStopInfo", ask_thread_stop, false},
    {"jThreadsInfo", ask_threads_json, false},
    {"g", read_registers, false},
    {"G", write_registers, false},
    {"p", read_register, false},
    {"P", write_register, false},
    {"m", read_memory, false},
    {"M", write_memory_hex, false},
    {"X", write_memory_binary, false},
    {"Z", set_point, false},
    {"z", clear_point, false},
    {"vCont?", request_actions, true},
    {"vCont", request_resume, false},
    {"c", resume_all, false},
    {"s", step_one, false},
    {"b", go_back, false},
    {"D", detach, true},
    {"k", end_launch, true},
    {"vKill", end_launch, true},
    {"qSupported", ask_supported, true},
    {"QStartNoAckMode", be_silent, true},
    {"qXfer:", read_document, true},
    {"qHostInfo", ask_host, true},
    {"qProcessInfo", ask_process, true},
    {"QListThreadsInStopReply", list_in_stops, true},
    {"qAttached", ask_attached, true},
    {"qRcmd,", command, false},
};

void request_answer(struct debugger *d)
{
    const char *s = d->packet.data;
    text_clear(&d->answer);
    d->later = false;
    bool done = nonstop_answer(d);
    for (size_t i = 0; !done && i < sizeof requests / sizeof *requests; i++) {
        size_t n = strlen(requests[i].begin);
        if (strncmp(s, requests[i].begin, n) != 0) continue;
        if (requests[i].runs || d->stopped) requests[i].answer(d, s + n);
        else say(d, "E01");
        break;
    }
    if (!d->later) wire_send(&d->wire, d->answer.data ? d->answer.data : "", d->answer.n);
}
