/* Decode, the FIFO of fetch groups, and the group register (section 4). */
#include "timing/model.h"

/* A word of a group: no instruction is left in its place if it is a prefix or belongs to the instruction before. */
static void decode_word(struct core *c, struct slot_state *s, struct bundle *b, unsigned i)
{
    if (!(b->mask >> i & 1)) return;
    if (s->skip) {
        s->skip--;
        b->mask &= (uint8_t) ~(1u << i);
        return;
    }
    const struct op *op = code_op(c->model, b->pc + 4 * i, s->prefixed);
    s->prefixed = op->prefix;
    b->op[i] = op;
    if (op->prefix) b->mask &= (uint8_t) ~(1u << i);
    else s->skip = (uint8_t)(op->bytes / 4 - 1);
}

void buffer_push(struct core *c, unsigned slot, uint32_t pc, uint8_t mask)
{
    struct slot_state *s = &c->slot[slot];
    struct bundle b = {.pc = pc, .mask = mask};
    b.op[0] = code_op(c->model, pc, false); /* looked at even when it is not wanted */
    for (unsigned i = 0; i < 2; i++) decode_word(c, s, &b, i);
    s->fifo[s->fifo_used++] = b;
}

/* The warps that front_decide has chosen get their next group. */
void buffer_refill(struct core *c)
{
    for (uint64_t left = c->front.refill; left; left &= left - 1) {
        struct slot_state *s = &c->slot[__builtin_ctzll(left)];
        if (!s->fifo_used) continue; /* flushed in this cycle */
        s->gr = s->fifo[0];
        s->fifo_used--;
        for (unsigned i = 0; i < s->fifo_used; i++) s->fifo[i] = s->fifo[i + 1];
    }
}
