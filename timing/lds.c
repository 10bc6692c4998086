/* Local memory (section 8): a row is taken in cycle t, and answered in t + lds_latency. Lanes that want the same bank
 * are served one after another. */
#include "timing/model.h"

/* Cycles after a row was taken in which its conflicts, and a store, keep the next one out. */
enum { FIRST_STALL = 2, WORD_BYTES = 4 };

/* An answer that waits for the coalescer is taken for a full queue, but more of them are not (fault). */
bool lds_ready(const struct core *c)
{
    const struct lds *l = &c->lds;
    uint64_t now = c->model->now;
    if (l->answers.count + ISA_LANES > MOST_ENTRIES) return false;
    if (!c->model->config.lds_stalls) return true;
    return l->waiting != 1 && !(now >= l->stalls_from && now < l->stalls_until);
}

static uint32_t bank_of(const struct core *c, const struct line_access *a, unsigned lane)
{
    return a->flight->address[lane] % c->model->config.line_bytes / WORD_BYTES;
}

/* The lanes of the row that are served together: the lowest one of each bank. */
static uint32_t served(const struct core *c, const struct line_access *a, uint32_t lanes)
{
    uint64_t banks = 0;
    uint32_t first = 0;
    if (!c->model->config.lds_stalls) return lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t bank = 1ull << bank_of(c, a, lane);
        if (!(banks & bank)) first |= 1u << lane;
        banks |= bank;
    }
    return first;
}

void lds_take(struct core *c, const struct line_access *a)
{
    struct lds *l = &c->lds;
    uint64_t now = c->model->now;
    struct line_access answer = *a;
    unsigned n = 0;
    for (uint32_t left = a->lanes; left; left &= ~answer.lanes, n++) {
        answer.lanes = served(c, a, left);
        answer.at = now + c->model->config.lds_latency + n;
        queue_push(&l->answers, &answer);
    }
    c->counts.lds_accesses++;
    c->counts.lds_conflicts += n - 1;
    if (n == 1 && a->kind == A_READ) return;
    if (now + FIRST_STALL > l->stalls_until) l->stalls_from = now + FIRST_STALL;
    l->stalls_until = now + FIRST_STALL + n - (a->kind == A_READ);
}

/* Before the events of a cycle. */
void lds_cycle(struct core *c)
{
    struct lds *l = &c->lds;
    l->waiting = 0;
    while (l->waiting < l->answers.count && queue_at(&l->answers, l->waiting)->at <= c->model->now) l->waiting++;
}
