/* The scoreboard of a warp, in which x0 is never pending: what its next instruction has to wait for (section 5). */
#include "timing/model.h"

static bool is_busy(const struct slot_state *s, unsigned reg)
{
    return reg && reg != NO_REGISTER && (s->busy[reg / 64] >> reg % 64 & 1);
}

const struct op *scoreboard_op(const struct core *c, const struct slot_state *s)
{
    if (s->gr.mask) return s->gr.op[!(s->gr.mask & 1)];
    return c->model->config.fault_stale_slot ? s->gr.op[0] : NULL;
}

unsigned scoreboard_register(const struct slot_state *s, const struct op *op)
{
    for (unsigned i = 0; i < OPERANDS; i++)
        if (is_busy(s, op->source[i])) return op->source[i];
    return is_busy(s, op->destination) ? op->destination : NO_REGISTER;
}

bool scoreboard_blocks(const struct core *c, const struct slot_state *s)
{
    const struct op *op = scoreboard_op(c, s);
    if (s->branch || s->collecting) return true;
    if (!op) return false;
    if (s->fence && op->memory) return true;
    return is_busy(s, op->source[0]) || is_busy(s, op->source[1]) || is_busy(s, op->source[2]) ||
           is_busy(s, op->source[3]) || is_busy(s, op->destination);
}

void scoreboard_set(struct slot_state *s, const struct op *op)
{
    unsigned reg = op->destination;
    s->collecting = true;
    if (op->control) s->branch = true;
    if (reg && reg != NO_REGISTER) s->busy[reg / 64] |= 1ull << reg % 64;
}

void scoreboard_clear(struct slot_state *s, unsigned reg)
{
    if (reg != NO_REGISTER) s->busy[reg / 64] &= ~(1ull << reg % 64);
}
