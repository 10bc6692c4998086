/* Branches, the SIMT stack, barriers and the ends of warps: what a warp waits for until it is resolved (section 7).
 *
 * A fetch replay goes before everything here, a scalar branch before a vector one, a branch before barrier and endprg.
 */
#include "timing/model.h"

static void resolve(struct core *c, struct flight *f)
{
    struct slot_state *s = &c->slot[f->slot];
    s->branch = false;
    if (f->jumps) {
        front_flush(c, f->slot);
        front_jump(c, f->slot, f->target);
    }
    flight_free(c, f);
}

/* ---- scalar branches ---- */

static bool resolve_branch(struct core *c)
{
    struct flight *f = c->units.branch[0];
    if (!f || f->ready > c->model->now || c->front.replay) return false;
    EVENT(c, "branch", f->slot, f->target, f->jumps ? "taken" : "not taken");
    c->units.branch[0] = c->units.branch[1];
    c->units.branch[1] = NULL;
    resolve(c, f);
    return true;
}

/* ---- vector branches and joins ---- */

/* The first stage finds out whether the warp jumps; a join goes through the second one also if it does not. */
static void simt_first(struct core *c)
{
    struct flight **stage = c->units.simt, *f = stage[0];
    c->units.simt_taken = f;
    if (!f || f->ready > c->model->now || stage[1]) return;
    if (f->jumps || f->op->unit == U_SIMT) {
        f->ready = c->model->now + 1;
        stage[1] = f;
    } else {
        EVENT0(c, "simt_done", f->slot, "0");
        resolve(c, f);
    }
    stage[0] = NULL;
}

static bool simt_jump(struct core *c, bool blocked)
{
    struct flight *f = c->units.simt[1];
    if (!f || f->ready > c->model->now || c->front.replay || blocked) return false;
    EVENT(c, "branch", f->slot, f->target, f->jumps ? "taken" : "not taken");
    c->units.simt[1] = NULL;
    resolve(c, f);
    return true;
}

/* ---- all ---- */

void control_cycle(struct core *c)
{
    simt_first(c);
    bool branch = resolve_branch(c);
    branch |= simt_jump(c, branch);
    c->units.branched = branch;
}

bool control_ready(const struct core *c, const struct flight *f)
{
    if (f->op->unit == U_WARP) return !c->front.replay && !c->units.branched;
    if (c->units.simt_taken) return false;
    return f->op->unit == U_SIMT || (!c->units.out[U_VALU][1] && c->units.valu_next <= c->model->now);
}

static void take_warp(struct core *c, struct flight *f)
{
    struct slot_state *s = &c->slot[f->slot];
    EVENT(c, "warp_ctl", f->slot, f->op->pc, "%d", f->op->class == C_END);
    if (f->op->class == C_END && !s->drains) {
        c->request[c->nrequests++] = f;
        return; /* group_warp_ended at the end of the cycle */
    }
    if (f->op->class == C_BARRIER && !s->drains) group_arrived(c, s);
    s->branch = false;
    flight_free(c, f);
}

void control_take(struct core *c, struct flight *f)
{
    if (f->op->unit == U_WARP) {
        take_warp(c, f);
        return;
    }
    f->ready = c->model->now + 1;
    c->units.simt[0] = f;
}
