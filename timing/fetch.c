/* Fetch: which warp asks for which two instructions, and replays (section 3).
 *
 * A request takes two cycles after its own; a warp whose request is not served goes back to it. */
#include "timing/model.h"

enum { NOBODY = -1, FLUSHED = -2 /* the selected warp: no request in this cycle */ };

static bool fetches(const struct core *c, unsigned slot)
{
    return slot_is_active(c, slot) && c->slot[slot].fifo_used < c->model->config.fifo_groups;
}

static bool has_answer(const struct fetch_request *r) { return r->valid && !r->killed; }

/* What depends on the state before the cycle's own events. */
void front_decide(struct core *c)
{
    struct front *f = &c->front;
    const struct fetch_request *answer = &f->stage[1];
    f->fetch_slot = NOBODY;
    for (uint64_t left = c->active; left && f->fetch_slot == NOBODY; left &= left - 1) {
        unsigned slot = (unsigned)__builtin_ctzll(left);
        if (fetches(c, slot)) f->fetch_slot = (int)slot;
    }
    f->replay = has_answer(answer) && (!answer->hit || !fetches(c, answer->slot));
}

void front_jump(struct core *c, unsigned slot, uint32_t pc)
{
    struct slot_state *s = &c->slot[slot];
    s->pc = pc & ~(GROUP_BYTES - 1u);
    s->mask = pc & 4 ? 2 : 3;
}

/* The answer that comes in this cycle: into the FIFO, or the warp asks again. */
static void take_answer(struct core *c)
{
    struct front *f = &c->front;
    struct fetch_request *r = &f->stage[1];
    if (!has_answer(r)) return;
    struct slot_state *s = &c->slot[r->slot];
    EVENT(c, "fetch_rsp", r->slot, r->pc, "%s mask%x", !r->hit ? "miss" : f->replay ? "full" : "hit", r->mask);
    if (r->flushed) return;
    if (!f->replay) {
        c->counts.l1i_hits++;
        buffer_push(c, r->slot, r->pc, r->mask);
        return;
    }
    s->pc = r->pc;
    s->mask = r->mask;
    if (f->stage[0].slot == r->slot) f->stage[0].killed = true;
}

/* The warp that nobody has selected: slot 0 counts as selected without a request. */
static void idle_fetch(struct core *c)
{
    struct slot_state *s = &c->slot[0];
    bool answer = has_answer(&c->front.stage[1]);
    bool held = (c->active & (c->active - 1)) || (c->active == 1 && !answer);
    if (held) return;
    s->pc += GROUP_BYTES;
    s->mask = 3;
}

static struct fetch_request select_request(struct core *c)
{
    struct front *f = &c->front;
    if (f->fetch_slot < 0) {
        if (f->fetch_slot == NOBODY) idle_fetch(c);
        return (struct fetch_request){0};
    }
    struct slot_state *s = &c->slot[f->fetch_slot];
    struct fetch_request r = {.at = c->model->now,
                              .pc = s->pc,
                              .mask = s->mask,
                              .slot = (uint8_t)f->fetch_slot,
                              .valid = slot_is_active(c, (unsigned)f->fetch_slot)};
    s->pc += GROUP_BYTES;
    s->mask = 3;
    if (!r.valid) return r;
    EVENT(c, "fetch_req", r.slot, r.pc, "mask%x", r.mask);
    r.killed = f->replay && r.slot == f->stage[1].slot;
    r.valid = !r.killed; /* its warp asks again: it reads no tags */
    r.hit = r.valid && l1i_lookup(c, r.pc);
    return r;
}

/* One cycle: a new request, the miss of the last one's, the answer to the one before. */
void front_fetch(struct core *c)
{
    struct front *f = &c->front;
    struct fetch_request new = select_request(c);
    if (f->stage[0].valid && !f->stage[0].hit) l1i_miss(c, f->stage[0].pc);
    take_answer(c);
    f->stage[1] = f->stage[0];
    f->stage[0] = new;
}

/* The same behind the cycle, for a warp that has ended in it: its request of this cycle has not been sent. */
void front_drop(struct core *c, unsigned slot)
{
    struct front *f = &c->front;
    front_flush(c, slot);
    if (f->stage[0].slot == slot) f->stage[0].valid = false;
    if (f->stage[1].slot == slot) f->stage[1].killed = true;
}

/* Before front_fetch of the cycle: the stages are those of this cycle. */
void front_flush(struct core *c, unsigned slot)
{
    struct front *f = &c->front;
    struct slot_state *s = &c->slot[slot];
    EVENT0(c, "flush", slot, "0");
    s->fifo_used = 0;
    s->gr = (struct bundle){0};
    s->prefixed = false;
    s->skip = 0;
    if (f->stage[0].slot == slot) f->stage[0].killed = true;
    if (f->stage[1].slot == slot) f->stage[1].flushed = true;
    if (f->fetch_slot == (int)slot || (f->fetch_slot == NOBODY && slot == 0)) f->fetch_slot = FLUSHED;
}
