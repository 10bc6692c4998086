/* Operand collection: collectors, banks, the path that all results share (section 6). */
#include "timing/model.h"

static unsigned bank_of(const struct core *c, unsigned reg, unsigned slot)
{
    unsigned banks = c->model->config.banks;
    return (reg >= 256 ? banks : 0) + (reg + slot) % banks;
}

static void free_collector(struct collection *n, struct collector *k, uint64_t now)
{
    k->flight = NULL;
    k->free_at = now + 1;
    n->used--;
}

/* ---- leaving ---- */

static bool leaves(const struct core *c, const struct flight *f)
{
    return f->op->unit == U_WARP || f->op->unit == U_SIMT || f->op->unit == U_VBRANCH ? control_ready(c, f)
                                                                                      : unit_ready(c, f);
}

static const char *unit_name(const struct op *op)
{
    static const char *const names[UNITS] = {"salu", "valu", "csr",       "mul",  "fpu",   "sfu",
                                             "lsu",  "simt", "valu+simt", "warp", "tensor"};
    return names[op->unit];
}

static void leave(struct core *c, struct collector *k)
{
    struct flight *f = k->flight;
    EVENT(c, "oc_out", f->slot, f->op->pc, "%s", unit_name(f->op));
    c->slot[f->slot].collecting = false;
    free_collector(&c->collection, k, c->model->now);
    if (f->op->unit == U_WARP || f->op->unit == U_SIMT || f->op->unit == U_VBRANCH) control_take(c, f);
    else unit_take(c, f);
}

/* The lowest-numbered collector that is complete, of one output. */
static void offer(struct core *c, int port)
{
    struct collection *n = &c->collection;
    for (struct collector *k = n->collectors; k < n->collectors + c->model->config.collectors; k++) {
        if (!k->flight || k->offered > c->model->now) continue;
        unsigned unit = k->flight->op->unit;
        if (port >= 0 && port != !(unit == U_SALU || unit == U_CSR || unit == U_WARP)) continue;
        if (leaves(c, k->flight)) leave(c, k);
        else EVENT(c, "oc_stall", k->flight->slot, k->flight->op->pc, "0");
        return;
    }
}

/* ---- reading ---- */

static void start(struct core *c, struct flight *f)
{
    struct collection *n = &c->collection;
    struct collector *k = n->collectors;
    while (k->flight || k->free_at > c->model->now) k++;
    unsigned first = (unsigned)(k - n->collectors) * OPERANDS;
    *k = (struct collector){.flight = f};
    n->used++;
    for (unsigned i = 0; i < OPERANDS; i++) {
        if (f->op->source[i] == NO_REGISTER) continue;
        k->want |= (uint8_t)(1u << i);
        n->asks[bank_of(c, f->op->source[i], f->slot)] |= 1ull << (first + i);
    }
    k->offered = k->want ? NEVER : c->model->now + 1;
}

static void arrive(struct core *c, unsigned bank, unsigned operand)
{
    struct collection *n = &c->collection;
    struct collector *k = &n->collectors[operand / OPERANDS];
    uint8_t bit = (uint8_t)(1u << operand % OPERANDS);
    n->asks[bank] &= ~(1ull << operand);
    if (!(k->want & bit)) return; /* read once more */
    k->want &= (uint8_t)~bit;
    if (!k->want) k->offered = c->model->now + 2;
}

/* What comes out of the banks; with one path for all, that of the lowest bank. */
static uint64_t deliver(struct core *c, unsigned *from)
{
    struct collection *n = &c->collection;
    unsigned banks = c->model->config.banks;
    uint64_t delivered = 0;
    for (unsigned b = 0; b < 2 * banks; b++) {
        unsigned bank = b / 2 + (b & 1 ? banks : 0);
        if (n->granted[bank] < 0) continue;
        from[n->granted[bank]] = bank;
        delivered |= 1ull << n->granted[bank];
        if (c->model->config.fault_delivery) break;
    }
    return delivered;
}

static void grant(struct core *c, unsigned bank)
{
    struct collection *n = &c->collection;
    uint64_t asks = n->asks[bank], above = asks & ~((1ull << n->pointer[bank]) - 1);
    n->granted[bank] = -1;
    if (!asks) return;
    c->counts.register_conflicts += (unsigned)__builtin_popcountll(asks & (asks - 1));
    unsigned operand = (unsigned)__builtin_ctzll(above ? above : asks);
    n->granted[bank] = (int8_t)operand;
    n->pointer[bank] = (uint8_t)((operand + 1) % (MOST_COLLECTORS * OPERANDS));
}

void collect_cycle(struct core *c)
{
    struct collection *n = &c->collection;
    unsigned from[64];
    if (c->model->config.collect_outputs == 1) offer(c, -1);
    else offer(c, 0), offer(c, 1);
    for (unsigned p = 0; p < 2; p++)
        if (n->arriving[p]) start(c, n->arriving[p]);
    n->arriving[0] = n->arriving[1] = NULL;
    uint64_t delivered = deliver(c, from);
    for (unsigned b = 0; b < 2 * c->model->config.banks; b++) grant(c, b);
    for (; delivered; delivered &= delivered - 1)
        arrive(c, from[__builtin_ctzll(delivered)], (unsigned)__builtin_ctzll(delivered));
}
