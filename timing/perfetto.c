/* The timeline as the JSON that ui.perfetto.dev and chrome://tracing open ("Trace Event Format"): complete events
 * (ph X), a microsecond for each cycle. Processes are the SMs and, behind them, one for launches and memory. */
#include <stdlib.h>
#include <string.h>

#include "sim/output.h"
#include "sim/trace_event.h"
#include "timing/timeline.h"

/* Rows of the picture. What overlaps in one goes into further lanes of it; a warp's row is the lane of its slot. */
enum row { R_LAUNCH, R_WARP, R_FETCH, R_L1I, R_DATA, R_LOCAL, R_L1D, R_L2, R_MEMORY, R_UNIT, ROWS = R_UNIT + UNITS };
enum { LANES = 256 }; /* of a row, a byte each; more spans at a time would lie over one another in the last one */

static const char *const row_names[ROWS] = {
    [R_LAUNCH] = "launch",        [R_WARP] = "warp",
    [R_FETCH] = "fetch",          [R_L1I] = "L1I miss",
    [R_DATA] = "lines asked for", [R_LOCAL] = "local memory rows",
    [R_L1D] = "L1D to memory",    [R_L2] = "L2",
    [R_MEMORY] = "memory",
};

static const char *const unit_names[UNITS] = {
    [U_SALU] = "scalar ALU",   [U_VALU] = "vector ALU", [U_CSR] = "CSRs",
    [U_MUL] = "multiplier",    [U_FPU] = "FPU",         [U_SFU] = "SFU",
    [U_LSU] = "load/store",    [U_SIMT] = "SIMT stack", [U_VBRANCH] = "vector branches",
    [U_WARP] = "warp control", [U_TENSOR] = "matrices",
};

/* What an event does to its row. MOMENT: something that takes a cycle. */
enum action { BEGIN, END, MOMENT };
static const struct rule {
    const char *event;
    enum action action;
    enum row row;
    bool shared; /* by all SMs */
} rules[] = {
    {"host_req", BEGIN, R_LAUNCH, true},  {"host_rsp", END, R_LAUNCH, true}, {"warp_start", BEGIN, R_WARP, false},
    {"warp_end", END, R_WARP, false},     {"issue", BEGIN, R_WARP, false},   {"fetch_req", MOMENT, R_FETCH, false},
    {"l1i_mreq", BEGIN, R_L1I, false},    {"l1i_mrsp", END, R_L1I, false},   {"lsu_dreq", MOMENT, R_DATA, false},
    {"lsu_sreq", MOMENT, R_LOCAL, false}, {"l1d_mreq", BEGIN, R_L1D, false}, {"l1d_mrsp", END, R_L1D, false},
    {"l2_req", BEGIN, R_L2, true},        {"l2_rsp", END, R_L2, true},       {"mem_req", MOMENT, R_MEMORY, true},
};

/* Something that has begun. */
struct span {
    uint64_t begin;
    unsigned process, row, lane, number;
    uint32_t pc;
    char name[96];
};

struct perfetto {
    FILE *out;
    unsigned sms;
    struct span *spans;
    size_t nspans, room;
    uint8_t *named; /* for each process and track: its name has been written */
};

/* ---- writing ---- */

static unsigned track_of(unsigned row, unsigned lane) { return row * LANES + lane; }

/* Names a track before its first event. */
static void name_track(struct perfetto *p, unsigned process, unsigned row, unsigned lane)
{
    unsigned track = track_of(row, lane);
    uint8_t *named = &p->named[(size_t)process * ROWS * LANES + track];
    const char *what = row < R_UNIT ? row_names[row] : unit_names[row - R_UNIT];
    char name[80];
    if (*named) return;
    *named = 1;
    if (row == R_WARP || lane) snprintf(name, sizeof name, "%s %u", what, lane);
    else snprintf(name, sizeof name, "%s", what);
    trace_event_name(p->out, "thread_name", process, track, name);
}

static void put_span(struct perfetto *p, const struct span *s, uint64_t end)
{
    name_track(p, s->process, s->row, s->lane);
    trace_event(p->out, 'X', s->process, track_of(s->row, s->lane));
    fprintf(p->out, ",\"ts\":%llu,\"dur\":%llu,\"name\":", (unsigned long long)s->begin,
            (unsigned long long)(end - s->begin));
    output_json_string(p->out, s->name);
    fputs("}", p->out);
}

/* ---- spans ---- */

/* The lowest lane of the row in which nothing is under way. */
static unsigned free_lane(const struct perfetto *p, unsigned process, unsigned row)
{
    bool taken[LANES] = {false};
    unsigned lane = 0;
    for (const struct span *s = p->spans; s < p->spans + p->nspans; s++)
        if (s->process == process && s->row == row) taken[s->lane] = true;
    while (lane < LANES - 1 && taken[lane]) lane++;
    return lane;
}

/* When there is no memory the span is missing from the picture. */
static void begin_span(struct perfetto *p, const struct span *span)
{
    if (p->nspans == p->room) {
        size_t room = p->room ? 2 * p->room : 64;
        struct span *more = realloc(p->spans, room * sizeof *more);
        if (!more) return;
        p->spans = more;
        p->room = room;
    }
    p->spans[p->nspans++] = *span;
}

/* The youngest one of this row and number, and of this pc if the event has one. */
static void end_span(struct perfetto *p, const struct span *like, const struct timeline_event *e)
{
    for (struct span *s = p->spans + p->nspans; s-- > p->spans;) {
        if (s->process != like->process || s->row != like->row || s->number != like->number) continue;
        if (e->has_pc && s->pc != like->pc) continue;
        put_span(p, s, e->cycle);
        p->nspans--;
        memmove(s, s + 1, (size_t)(p->spans + p->nspans - s) * sizeof *s);
        return;
    }
}

static void end_all(struct perfetto *p, uint64_t now)
{
    for (size_t i = 0; i < p->nspans; i++) put_span(p, &p->spans[i], now);
    p->nspans = 0;
}

/* ---- events ---- */

static void name_span(struct span *s, const struct timeline_event *e)
{
    const struct core *c = e->core;
    if (!strcmp(e->name, "host_req")) snprintf(s->name, sizeof s->name, "%s", running_kernel(c->model, e->warp));
    else if (!strcmp(e->name, "warp_start"))
        snprintf(s->name, sizeof s->name, "warp %u of group %u", c->slot[e->warp].warp->wid,
                 c->slot[e->warp].warp->group->wgid);
    else if (!strcmp(e->name, "issue") || s->row >= R_UNIT)
        code_text(&code_op_alone(c->model, e->pc)->in, e->pc, s->name, sizeof s->name);
    else snprintf(s->name, sizeof s->name, "%08x %s", (unsigned)e->pc, e->extra);
}

static void act(struct perfetto *p, const struct timeline_event *e, enum action action, unsigned row, bool shared)
{
    struct span s = {
        .begin = e->cycle, .process = shared ? p->sms : e->core->number, .row = row, .number = e->warp, .pc = e->pc};
    if (action == END) {
        end_span(p, &s, e);
        return;
    }
    s.lane = row == R_WARP ? e->warp : action == MOMENT ? 0 : free_lane(p, s.process, row);
    name_span(&s, e);
    if (action == MOMENT) put_span(p, &s, e->cycle + 1);
    else begin_span(p, &s);
}

/* An instruction leaves collection for its unit: until write-back, or for a cycle if it writes no register. */
static void leave_collection(struct perfetto *p, const struct timeline_event *e)
{
    const struct op *op = code_op_alone(e->core->model, e->pc);
    act(p, e, END, R_WARP, false);
    act(p, e, op->destination == NO_REGISTER ? MOMENT : BEGIN, R_UNIT + op->unit, false);
}

static void event(void *state, const struct timeline_event *e)
{
    struct perfetto *p = state;
    if (!strcmp(e->name, "host_req") && !e->core->model->running->next)
        end_all(p, e->cycle); /* what a launch without an end has left */
    if (!strcmp(e->name, "oc_out")) leave_collection(p, e);
    else if (!strncmp(e->name, "wb_", 3)) act(p, e, END, R_UNIT + code_op_alone(e->core->model, e->pc)->unit, false);
    for (const struct rule *r = rules; r < rules + sizeof rules / sizeof *rules; r++)
        if (!strcmp(e->name, r->event)) act(p, e, r->action, r->row, r->shared);
}

/* ---- the file ---- */

static void *open_file(FILE *out, const struct model *m)
{
    struct perfetto *p = calloc(1, sizeof *p);
    char name[32];
    if (p) p->named = calloc((size_t)(m->ncores + 1) * ROWS, LANES);
    if (!p || !p->named) {
        free(p);
        return NULL;
    }
    p->out = out;
    p->sms = m->ncores;
    trace_event_open(out, "1 us is a cycle", m->config.name, 0, "SM 0");
    for (unsigned i = 1; i < m->ncores; i++) {
        snprintf(name, sizeof name, "SM %u", i);
        trace_event_name(out, "process_name", i, 0, name);
    }
    trace_event_name(out, "process_name", m->ncores, 0, "launches and memory");
    return p;
}

static void close_file(void *state, uint64_t now)
{
    struct perfetto *p = state;
    end_all(p, now);
    trace_event_close(p->out);
    free(p->spans);
    free(p->named);
    free(p);
}

const struct timeline_form timeline_perfetto = {{".json"}, open_file, event, NULL, close_file};
