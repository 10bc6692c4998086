/* Execution units and write-back (section 7).
 *
 * A unit has stages and an output register, from which its result is written. Every cycle begins with write-back, so
 * that what leaves an output register makes room for the stage before it. */
#include "timing/model.h"

void unit_open(struct core *c)
{
    const struct timing_config *config = &c->model->config;
    c->units = (struct units){.mul.stages = config->mul_stages, .tensor.stages = 1};
    fpu_open(c);
}

/* ---- write-back: one scalar and one vector result in a cycle ---- */

static const char *name_of(unsigned unit)
{
    static const char *const names[UNITS] = {"salu", "valu", "csr",  "mul",  "fpu",   "sfu",
                                             "lsu",  "simt", "simt", "warp", "tensor"};
    return names[unit];
}

/* Of the register that an instruction writes: 0 scalar, 1 vector. */
static bool port_of(const struct flight *f) { return f->op->destination >= 256; }

/* What the unit has for this port. */
static struct flight *result_of(const struct core *c, unsigned unit, bool port)
{
    struct flight *f = unit == U_LSU ? lsu_result(c) : unit == U_FPU ? fpu_result(c) : c->units.out[unit][port];
    return f && f->ready <= c->model->now && port_of(f) == port ? f : NULL;
}

static void write_result(struct core *c, unsigned unit, struct flight *f)
{
    unsigned reg = f->op->destination;
    EVENT(c, reg >= 256 ? "wb_v" : "wb_x", f->slot, f->op->pc, "%c%u %s", reg >= 256 ? 'v' : 'x', reg & 255,
          name_of(unit));
    scoreboard_clear(&c->slot[f->slot], reg);
    if (unit == U_LSU) lsu_written(c);
    if (unit == U_LSU || unit == U_FPU) return; /* fpu_cycle */
    c->units.out[unit][port_of(f)] = NULL;
    flight_free(c, f);
}

/* The first unit of `order` that has a result for this port writes it. Returns its place in the order. */
static unsigned write_port(struct core *c, const uint8_t *order, unsigned n, bool port)
{
    for (unsigned i = 0; i < n; i++) {
        struct flight *f = result_of(c, order[i], port);
        if (!f) continue;
        write_result(c, order[i], f);
        return i;
    }
    return n;
}

static void write_back(struct core *c)
{
    static const uint8_t scalar[] = {U_SALU, U_VALU, U_FPU, U_LSU, U_CSR, U_SFU, U_MUL};
    static const uint8_t vector[] = {U_VALU, U_FPU, U_LSU, U_SFU, U_MUL, U_TENSOR};
    unsigned writes[2] = {write_port(c, scalar, sizeof scalar, 0), write_port(c, vector, sizeof vector, 1)};
    c->units.port_taken[0] = writes[0] < 3; /* before the LSU */
    c->units.port_taken[1] = writes[1] < 2;
    fpu_cycle(c, (const bool[2]){writes[0] >= 2, writes[1] >= 1});
}

/* ---- stages ---- */

/* Results without a register to write are gone at once. */
static void put_out(struct core *c, unsigned unit, struct flight *f)
{
    if (f->op->destination == NO_REGISTER) flight_free(c, f);
    else c->units.out[unit][port_of(f)] = f;
}

static void advance(struct core *c, struct pipe *p, unsigned unit)
{
    struct flight **last = &p->stage[p->stages - 1];
    if (*last && !c->units.out[unit][port_of(*last)]) {
        put_out(c, unit, *last);
        *last = NULL;
    }
    for (unsigned i = p->stages - 1; i > 0; i--) {
        if (p->stage[i] || !p->stage[i - 1]) continue;
        p->stage[i] = p->stage[i - 1];
        p->stage[i - 1] = NULL;
    }
}

void unit_cycle(struct core *c)
{
    struct units *u = &c->units;
    uint64_t now = c->model->now;
    write_back(c);
    advance(c, &u->mul, U_MUL);
    advance(c, &u->tensor, U_TENSOR);
    if (u->sfu && u->sfu->ready <= now + 1 && !u->out[U_SFU][port_of(u->sfu)]) {
        put_out(c, U_SFU, u->sfu);
        u->sfu = NULL;
        u->sfu_next = now + 1;
    }
}

/* ---- taking instructions from operand collection ---- */

static struct pipe *pipe_of(struct units *u, const struct op *op)
{
    return op->unit == U_MUL ? &u->mul : op->unit == U_TENSOR ? &u->tensor : NULL;
}

bool unit_ready(const struct core *c, const struct flight *f)
{
    const struct units *u = &c->units;
    const struct pipe *p = pipe_of((struct units *)u, f->op);
    switch (f->op->unit) {
    case U_LSU: return lsu_ready(c, f);
    case U_SFU: return !u->sfu && u->sfu_next <= c->model->now;
    case U_FPU: return fpu_ready(c, f->op);
    case U_VALU: return !u->out[U_VALU][0] && !u->out[U_VALU][1] && u->valu_next <= c->model->now;
    case U_SALU: return !u->out[U_SALU][0] && !(f->op->control && u->branch[1]);
    case U_CSR: return !u->out[U_CSR][0];
    default: return !p->stage[0] && p->next <= c->model->now;
    }
}

/* Cycles in which the instruction takes the first stage of its unit: its lanes are more than the unit's. */
static uint32_t passes_of(const struct core *c, const struct flight *f)
{
    const struct timing_config *config = &c->model->config;
    uint32_t lanes = c->slot[f->slot].lanes;
    if (f->op->unit == U_TENSOR) return config->tensor_cycles;
    return config->lanes && config->lanes < lanes ? lanes / config->lanes : 1;
}

static void take_at_once(struct core *c, struct flight *f)
{
    struct units *u = &c->units;
    unsigned unit = f->op->unit;
    bool writes = f->op->destination != NO_REGISTER;
    uint32_t passes = passes_of(c, f);
    f->ready = c->model->now + 1;
    if (unit == U_VALU) {
        u->valu_next = c->model->now + passes;
        f->ready += passes - 1;
    }
    if (f->op->class == C_FENCE) c->slot[f->slot].fence = true;
    if (!f->op->control) {
        put_out(c, unit, f);
        return;
    }
    u->branch[u->branch[0] != NULL] = f; /* freed by control.c, where its link is written from a copy */
    if (!writes) return;
    struct flight *link = flight_new(c, f->op, f->slot);
    link->ready = f->ready;
    u->out[unit][0] = link;
}

void unit_take(struct core *c, struct flight *f)
{
    struct units *u = &c->units;
    struct pipe *p = pipe_of(u, f->op);
    if (f->op->unit == U_LSU) lsu_take(c, f);
    else if (f->op->unit == U_FPU) fpu_take(c, f, passes_of(c, f));
    else if (f->op->unit == U_SFU) {
        f->ready = c->model->now + f->cycles;
        u->sfu = f;
    } else if (p) {
        f->ready = c->model->now + (f->op->unit == U_TENSOR ? c->model->config.tensor_cycles : p->stages + 1);
        p->stage[0] = f;
        p->next = c->model->now + passes_of(c, f);
    } else take_at_once(c, f);
}
