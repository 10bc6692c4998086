/* Issue: of the warps whose next instruction nothing blocks one, round robin as in the RTL (section 5) or as
 * `scheduler` says. */
#include "timing/model.h"

/* With two ports: 0 scalar ALU, CSRs and warps, 1 all others. */
static unsigned port_of(const struct core *c, const struct op *op)
{
    if (c->model->config.issue_ports == 1) return 0;
    return !(op->unit == U_SALU || op->unit == U_CSR || op->unit == U_WARP);
}

static const struct op *next_op(const struct slot_state *s) { return s->gr.op[!(s->gr.mask & 1)]; }

/* The first of `candidates` from the pointer on. */
static int round_robin(uint64_t candidates, unsigned pointer)
{
    uint64_t above = candidates & ~((1ull << pointer) - 1);
    return !candidates ? -1 : __builtin_ctzll(above ? above : candidates);
}

/* The one that has issued last, else the oldest. */
static int greedy_then_oldest(const struct core *c, uint64_t candidates, unsigned next)
{
    const unsigned last = (next + c->nslots - 1) % c->nslots;
    int oldest = -1;
    if (candidates >> last & 1) return (int)last;
    for (uint64_t left = candidates; left; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        if (oldest < 0 || c->slot[i].started < c->slot[oldest].started) oldest = i;
    }
    return oldest;
}

/* Round robin in the group of the one that has issued last, if one of it can, else from the next group on. */
static int two_levels(const struct core *c, uint64_t candidates, unsigned next)
{
    enum { GROUP = 4 };
    const unsigned last = (next + c->nslots - 1) % c->nslots, first = last / GROUP * GROUP;
    const uint64_t group = candidates & (((1ull << GROUP) - 1) << first);
    if (group) return round_robin(group, next);
    return round_robin(candidates, first + GROUP < 64 ? first + GROUP : 0);
}

static int choose(const struct core *c, uint64_t candidates, unsigned next)
{
    switch (c->model->config.scheduler) {
    case 1: return greedy_then_oldest(c, candidates, next);
    case 2: return two_levels(c, candidates, next);
    default: return round_robin(candidates, next);
    }
}

void issue_decide(struct core *c)
{
    struct front *f = &c->front;
    uint64_t candidates[2] = {0};
    unsigned room = collect_room(c);
    f->refill = 0;
    for (uint64_t left = c->active; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        const struct slot_state *s = &c->slot[i];
        if (s->at_barrier || (!s->gr.mask && !s->fifo_used) || scoreboard_blocks(c, s)) continue;
        if (s->gr.mask) candidates[port_of(c, next_op(s))] |= 1ull << i;
        else if (room) f->refill |= 1ull << i;
    }
    for (unsigned p = 0; p < 2; p++) {
        int slot = choose(c, candidates[p], f->pointers[p]);
        f->issue_slot[p] = slot >= 0 && room ? slot : -1;
        room -= f->issue_slot[p] >= 0;
        if (slot >= 0) f->pointers[p] = (unsigned)(slot + 1) % c->nslots;
    }
}

static void issue_from(struct core *c, unsigned port, unsigned slot)
{
    struct slot_state *s = &c->slot[slot];
    const struct op *op = next_op(s);
    struct flight *f = flight_new(c, op, slot);
    EVENT(c, "issue", slot, op->pc, "%08x", op->word);
    s->gr.mask &= (uint8_t)(s->gr.mask - 1);
    scoreboard_set(s, op);
    c->collection.arriving[port] = f;
    c->counts.issued++;
    c->model->last_issue = c->model->now;
    if (op->class != C_END) c->request[c->nrequests++] = f;
}

void issue(struct core *c)
{
    for (unsigned p = 0; p < 2; p++)
        if (c->front.issue_slot[p] >= 0) issue_from(c, p, (unsigned)c->front.issue_slot[p]);
}
