/* Local memory: rows are taken in bursts (section 8). */
#include "timing/model.h"

static unsigned burst_rows(const struct core *c, bool store)
{
    return store ? c->model->config.lds_store_burst : c->model->config.lds_load_burst;
}

/* A burst is full, or its first answer is there: the next one waits for the last answer. */
bool lds_ready(const struct core *c, bool store)
{
    const struct lds *l = &c->lds;
    if (l->answers.count == MOST_ENTRIES) return false;
    if (c->model->now >= l->next_burst) return true;
    return l->rows < burst_rows(c, store) && l->store == store && c->model->now < l->accepts_until;
}

void lds_take(struct core *c, const struct line_access *a)
{
    struct lds *l = &c->lds;
    struct line_access answer = *a;
    bool store = a->kind == A_WRITE;
    uint32_t latency = c->model->config.lds_latency;
    if (c->model->now >= l->next_burst) {
        l->rows = 0;
        l->store = store;
        l->accepts_until = c->model->now + latency;
    }
    l->rows++;
    l->next_burst = c->model->now + latency + 1;
    answer.at = c->model->now + latency;
    queue_push(&l->answers, &answer);
    c->counts.lds_accesses++;
}
