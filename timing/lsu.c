/* The load/store unit: address unit and coalescer (section 8). */
#include <string.h>

#include "timing/model.h"

bool lsu_empty(const struct core *c) { return !c->lsu.inside && !c->l1d.have_stage1; }

bool lsu_ready(const struct core *c, const struct flight *f)
{
    const struct lsu *l = &c->lsu;
    unsigned ended = l->ended_at == c->model->now && l->ended_slot == f->slot;
    return !l->input && c->slot[f->slot].in_lsu + ended < c->model->config.lsu_per_warp;
}

void lsu_take(struct core *c, struct flight *f)
{
    c->lsu.input = f;
    c->lsu.input_at = c->model->now + 1;
    c->lsu.inside++;
    c->slot[f->slot].in_lsu++;
    c->counts.memory_instructions++;
}

/* ---- coalescer ---- */

struct flight *lsu_result(const struct core *c)
{
    const struct lsu *l = &c->lsu;
    struct flight *f = l->coalescer == CO_OUT2 ? l->entry[l->leaving] : NULL;
    return f && f->op->destination != NO_REGISTER ? f : NULL;
}

void lsu_written(struct core *c) { c->lsu.written = true; }

/* The instruction has ended. */
static void end_entry(struct core *c)
{
    struct lsu *l = &c->lsu;
    struct flight *f = l->entry[l->leaving];
    struct slot_state *s = &c->slot[f->slot];
    l->entry[l->leaving] = NULL;
    l->inside--;
    l->ended_slot = f->slot;
    l->ended_at = c->model->now;
    if (s->in_lsu && !--s->in_lsu) s->fence = false;
    flight_free(c, f);
}

static void take_answer(struct core *c, struct queue *q, const char *event)
{
    struct lsu *l = &c->lsu;
    struct line_access *a = queue_head(q);
    unsigned entry = a->flight->entry;
    EVENT0(c, event, entry, "mask%x", a->lanes);
    l->missing[entry] &= ~a->lanes;
    if (!l->missing[entry]) l->finished |= 1ull << entry;
    queue_pop(q);
}

static bool answers(struct core *c, struct queue *q) { return q->count && queue_head(q)->at <= c->model->now; }

static bool take_any_answer(struct core *c)
{
    if (answers(c, &c->l1d.answers)) take_answer(c, &c->l1d.answers, "lsu_drsp");
    else if (answers(c, &c->lds.answers)) take_answer(c, &c->lds.answers, "lsu_srsp");
    else return false;
    return true;
}

/* A new entry for the instruction in the address unit. */
static bool add_entry(struct core *c)
{
    struct lsu *l = &c->lsu;
    unsigned n = 0, entries = c->model->config.coalescer_entries;
    while (n < entries && l->entry[n]) n++;
    if (n == entries) return false;
    struct flight *f = l->flight;
    l->entry[n] = f;
    l->missing[n] = f->lanes;
    f->entry = (uint8_t)n;
    if (!f->lanes) l->finished |= 1ull << n;
    return true;
}

static bool in_lds(const struct core *c, const struct flight *f)
{
    const struct timing_config *config = &c->model->config;
    for (uint32_t left = f->lanes; left; left &= left - 1)
        if (f->address[__builtin_ctz(left)] - config->lds_base >= config->lds_window) return false;
    return f->lanes;
}

static uint32_t loaded_from_lds(const struct core *c, const struct isa_memory *m, uint32_t address)
{
    const struct timing_config *config = &c->model->config;
    uint32_t row = config->lds_base + (address - config->lds_base) % config->lds_window, value = 0, most = ~0u;
    const void *at = config->lds_window ? gpu_mem(c->model->gpu, row, m->size) : NULL;
    if (at) memcpy(&value, at, m->size);
    if (m->size < 4) most = (1u << 8 * m->size) - 1;
    return m->is_signed && value > most / 2 ? value | ~most : value;
}

/* A load from elsewhere is answered by local memory, with what is there: the machine has executed it, but nobody has
 * read its registers, for which the scoreboard waits. */
static void load_from_lds(struct core *c, const struct flight *f)
{
    struct isa_memory m = isa_memory(&f->op->in);
    struct slot_state *s = &c->slot[f->slot];
    unsigned reg = f->op->destination;
    if (s->drains || m.action != ACTION_LOAD || m.words != 1) return;
    for (uint32_t left = f->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t value = loaded_from_lds(c, &m, f->address[lane]);
        if (reg >= 256) s->warp->v[reg - 256][lane] = value;
        else if (reg) s->warp->x[reg] = value;
    }
}

/* Local memory or L1D. The Verilog RTL looks at the addresses in the input register: of the next instruction, if there
 * is one. */
static void saved(struct core *c)
{
    struct lsu *l = &c->lsu;
    const struct timing_config *config = &c->model->config;
    bool next = config->fault_lds_next && l->input && l->input_at <= c->model->now;
    l->to_lds = in_lds(c, next ? l->input : l->flight);
    if (config->fault_lds_data && l->to_lds && !in_lds(c, l->flight)) load_from_lds(c, l->flight);
    l->left = l->flight->lanes;
    l->state = !l->left ? LSU_IDLE : l->to_lds ? LSU_LDS : LSU_L1D;
}

/* Where the instruction's result is written. */
static enum lsu_port port_of(const struct flight *f)
{
    return f->op->destination == NO_REGISTER ? PORT_NONE : f->op->destination >= 256 ? PORT_VECTOR : PORT_SCALAR;
}

static void coalesce(struct core *c)
{
    struct lsu *l = &c->lsu;
    bool answer, add, ready;
    switch (l->coalescer) {
    case CO_IDLE:
        answer = take_any_answer(c);
        add = l->state == LSU_SAVE && add_entry(c);
        if (add) saved(c);
        l->coalescer = answer && add ? CO_ADD : l->finished ? CO_OUT1 : CO_IDLE;
        break;
    case CO_ADD: l->coalescer = l->finished ? CO_OUT1 : CO_IDLE; break;
    case CO_OUT1:
        ready = l->port == PORT_NONE || !c->units.port_taken[l->port == PORT_VECTOR];
        l->leaving = (unsigned)__builtin_ctzll(l->finished);
        l->port = port_of(l->entry[l->leaving]);
        if (!ready) return;
        l->coalescer = CO_OUT2;
        l->finished &= l->finished - 1;
        break;
    case CO_OUT2:
        if (lsu_result(c) && !l->written) return;
        end_entry(c);
        l->written = false;
        l->coalescer = l->finished ? CO_OUT1 : CO_IDLE;
        break;
    }
}

/* ---- address unit ---- */

/* All remaining lanes of the line of the lowest one; atomics one by one. */
static struct line_access next_access(const struct core *c)
{
    const struct flight *f = c->lsu.flight;
    uint32_t first = (uint32_t)__builtin_ctz(c->lsu.left), lanes = 0;
    uint32_t line = line_of(c->model, f->address[first]);
    for (uint32_t left = c->lsu.left; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (line_of(c->model, f->address[lane]) == line) lanes |= 1u << lane;
    }
    return (struct line_access){.kind = f->op->store ? A_WRITE : A_READ,
                                .line = line,
                                .flight = (struct flight *)f,
                                .lanes = lanes,
                                .at = c->model->now + 1};
}

static void send(struct core *c)
{
    struct lsu *l = &c->lsu;
    bool store = l->flight->op->store;
    if (l->to_lds ? !lds_ready(c) : !l1d_ready(c)) return;
    struct line_access a = next_access(c);
    bool first = l->left == l->flight->lanes;
    if (l->to_lds) {
        c->counts.lds_instructions += first;
        EVENT0(c, "lsu_sreq", l->flight->entry, "%s", store ? "write" : "read");
        lds_take(c, &a);
    } else {
        c->counts.l1d_instructions += first;
        EVENT(c, "lsu_dreq", l->flight->entry, a.line, "%s", store ? "write" : "read");
        l1d_take(c, &a);
    }
    if (__builtin_expect(c->model->account != NULL, 0)) account_access(c, l->flight, l->to_lds, first);
    l->left &= ~a.lanes;
    if (!l->left) l->state = LSU_IDLE;
}

/* The hardware looks thread ids up a cycle early, for the instruction before, or for slot 0 when there is none: what
 * the accesses touch is not what the machine has executed. */
static void shift_private(const struct core *c, struct flight *f)
{
    uint32_t shift = c->private_start[c->lsu.ids_slot] - c->private_start[f->slot];
    for (unsigned lane = 0; lane < ISA_LANES; lane++) f->address[lane] += shift;
}

static void address_unit(struct core *c, enum lsu_state state)
{
    struct lsu *l = &c->lsu;
    if (state == LSU_L1D || state == LSU_LDS) send(c);
    if (state == LSU_IDLE && l->input && l->input_at <= c->model->now) {
        l->flight = l->input;
        l->input = NULL;
        if (c->model->config.fault_private_warp && l->flight->op->private_memory) shift_private(c, l->flight);
        l->state = LSU_SAVE;
    }
}

void lsu_cycle(struct core *c)
{
    struct lsu *l = &c->lsu;
    enum lsu_state state = l->state;
    unsigned slot = state == LSU_IDLE ? 0 : l->flight->slot;
    lds_cycle(c);
    coalesce(c);
    address_unit(c, state);
    l->ids_slot = slot;
}
