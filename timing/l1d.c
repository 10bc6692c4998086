/* The data cache (section 9): a request is accepted in cycle t, decided in t + 1, and its answer is at the LSU in t +
 * 4; what goes to memory leaves in t + 4. Writes that miss do not allocate. */
#include "timing/model.h"

enum { QUEUE_DELAY = 2, HIT_DELAY = 3, FILL_DELAY = 4, WRITE_DELAY = 2 };

bool l1d_ready(const struct core *c) { return !c->l1d.have_input; }

void l1d_take(struct core *c, const struct line_access *a)
{
    c->l1d.input = *a;
    c->l1d.have_input = true;
}

/* One answer reaches the LSU in a cycle, that to a write which leaves for memory before the others: they come later. */
static void answer_lsu(struct core *c, const struct line_access *a, uint64_t at, bool first)
{
    struct queue *q = &c->l1d.answers;
    unsigned i = q->count++;
    for (; i > 0 && queue_at(q, i - 1)->at + first > at; i--) *queue_at(q, i) = *queue_at(q, i - 1);
    *queue_at(q, i) = *a;
    queue_at(q, i)->at = i > 0 && queue_at(q, i - 1)->at >= at ? queue_at(q, i - 1)->at + 1 : at;
    for (; i + 1 < q->count && queue_at(q, i + 1)->at <= queue_at(q, i)->at; i++)
        queue_at(q, i + 1)->at = queue_at(q, i)->at + 1;
}

static struct miss *find_miss(struct core *c, uint32_t line)
{
    struct l1d *d = &c->l1d;
    for (struct miss *m = d->misses; d->nmisses && m < d->misses + c->model->config.l1d_mshrs; m++)
        if (m->used && m->line == line) return m;
    return NULL;
}

static void to_memory(struct core *c, struct line_access a)
{
    a.at = c->model->now + QUEUE_DELAY;
    queue_push(&c->l1d.requests, &a);
}

/* ---- the decision ---- */

static void wait_in(struct miss *m, const struct line_access *a)
{
    m->flight[m->waiting] = a->flight;
    m->lanes[m->waiting++] = a->lanes;
}

static void read_missed(struct core *c, const struct line_access *a)
{
    struct l1d *d = &c->l1d;
    struct miss *m = find_miss(c, a->line);
    d->missed = a->line;
    if (!m) {
        for (m = d->misses; m->used;) m++;
        *m = (struct miss){.line = a->line, .used = true};
        d->nmisses++;
        to_memory(c, *a);
    }
    wait_in(m, a);
}

static bool is_held(struct core *c, const struct line_access *a)
{
    const struct l1d *d = &c->l1d;
    if (a->kind != A_WRITE) return false;
    if (d->write_held) return d->nmisses || c->model->now <= d->answer_next;
    return find_miss(c, a->line) || d->nmisses == c->model->config.l1d_mshrs;
}

static void decide(struct core *c)
{
    struct l1d *d = &c->l1d;
    struct line_access *a = &d->stage1;
    d->missed = UINT32_MAX;
    if (!d->have_stage1) return;
    d->write_held = is_held(c, a);
    if (d->write_held) return;
    struct tag *tag = tags_find(&d->tags, a->line);
    d->have_stage1 = false;
    if (__builtin_expect(c->model->account != NULL, 0))
        account_lookup(c, a->flight, tag || c->model->config.perfect_caches);
    if (tag || c->model->config.perfect_caches) {
        if (tag) tags_hit(&d->tags, tag);
        if (tag && a->kind == A_WRITE) tag->dirty = true;
        c->counts.l1d_hits++;
        answer_lsu(c, a, c->model->now + HIT_DELAY, false);
        return;
    }
    c->counts.l1d_misses++;
    if (a->kind == A_READ) read_missed(c, a);
    else to_memory(c, *a);
}

/* ---- acceptance ---- */

/* Is there an entry for a read of the line? The test looks at the entries as they were before this cycle, and takes a
 * miss that is being decided for one that may need the same entry, whatever its line. */
static bool has_entry(struct core *c, uint32_t line)
{
    const struct l1d *d = &c->l1d;
    const struct timing_config *config = &c->model->config;
    const struct miss *m = d->missed == line ? NULL : find_miss(c, line);
    unsigned missing = d->missed != UINT32_MAX;
    return m ? m->waiting + missing < config->l1d_waiting : d->nmisses_before + missing < config->l1d_mshrs;
}

static bool can_accept(struct core *c, bool has_entry, bool had_entry)
{
    const struct l1d *d = &c->l1d;
    uint64_t now = c->model->now;
    return d->have_input && d->input.at <= now && !d->have_stage1 && now >= d->stall_until && !d->flushing &&
           d->answers.count <= MOST_ENTRIES / 2 && d->nrequests_before + 5 <= c->model->config.l1d_queue &&
           d->missed != d->input.line && has_entry && (had_entry || d->input.kind != A_WRITE);
}

/* The request that is there, or was there last, is tested in every cycle; a write needs the test of the cycle before,
 * too. */
static void accept(struct core *c)
{
    struct l1d *d = &c->l1d;
    bool had_entry = d->had_entry;
    if (d->have_input && d->input.at <= c->model->now) d->tested = d->input.line;
    d->had_entry = has_entry(c, d->tested);
    if (!can_accept(c, d->had_entry, had_entry)) return;
    EVENT(c, "l1d_req", d->input.flight->entry, d->input.line, "%s", d->input.kind == A_WRITE ? "write" : "read");
    c->counts.l1d_accesses++;
    d->stage1 = d->input;
    d->have_stage1 = true;
    d->have_input = false;
}

/* ---- to memory ---- */

static bool is_written(const struct core *c, uint32_t line)
{
    const struct l1d *d = &c->l1d;
    for (unsigned i = 0; d->nwriting && i < c->model->config.l1d_writes; i++)
        if (d->writing[i] && d->written[i] == line) return true;
    return false;
}

static unsigned start_write(struct core *c, uint32_t line)
{
    struct l1d *d = &c->l1d;
    unsigned n = 0;
    while (d->writing[n]) n++;
    d->writing[n] = true;
    d->written[n] = line;
    d->nwriting++;
    return n;
}

/* The oldest request goes to the output register, unless a write of its line is under way. It waits for the way to the
 * second level although the register could take it. */
static void leave(struct core *c)
{
    struct l1d *d = &c->l1d;
    struct line_access *a = queue_head(&d->requests);
    uint64_t now = c->model->now;
    if (d->have_leaving || !d->port_ready || !d->requests.count || a->at > now) return;
    if (now >= d->answers_from && now <= d->answer_next) return;
    struct message m = {.kind = M_FLUSH, .line = a->line, .core = (uint16_t)c->number, .at = now + 1};
    if (a->kind != A_FLUSH && is_written(c, a->line)) return;
    if (a->kind == A_WRITE) {
        if (d->nwriting == c->model->config.l1d_writes) return;
        m.kind = a->flight ? M_PUT_PART : M_PUT;
        m.number = (uint16_t)start_write(c, a->line);
        if (a->flight) answer_lsu(c, a, now + WRITE_DELAY, true);
    } else if (a->kind == A_READ) {
        m.kind = M_GET;
        m.number = (uint16_t)(find_miss(c, a->line) - d->misses);
    }
    d->leaving = m;
    d->have_leaving = true;
    queue_pop(&d->requests);
}

bool l1d_message(struct core *c, struct message *out)
{
    static const char *const names[] = {"get", "put", "putpart", "flush p1"};
    struct l1d *d = &c->l1d;
    if (!d->have_leaving || d->leaving.at > c->model->now) return false;
    *out = d->leaving;
    d->have_leaving = false;
    EVENT(c, "l1d_mreq", out->number, out->line, "%s", names[out->kind]);
    return true;
}

/* ---- from memory ---- */

bool l1d_can_answer(const struct core *c) { return c->l1d.nanswers < c->model->config.l1d_answers; }

void l1d_answer(struct core *c, const struct message *answer)
{
    struct l1d *d = &c->l1d;
    EVENT(c, "l1d_mrsp", answer->number, answer->line, "%s", answer->kind == M_GET ? "data" : "ack");
    d->answer[d->nanswers] = *answer;
    d->answer[d->nanswers++].at = c->model->now + 1;
}

/* A line comes in; a dirty one that it replaces goes out. */
static void fill(struct core *c, struct miss *m)
{
    struct l1d *d = &c->l1d;
    uint64_t now = c->model->now;
    struct tag *victim = tags_victim(&d->tags, m->line);
    bool dirty = victim->valid && victim->dirty;
    if (dirty)
        d->victim = (struct line_access){.kind = A_WRITE, .line = victim->line, .at = now + 2}, d->have_victim = true;
    *victim = (struct tag){.line = m->line, .valid = true};
    tags_use(&d->tags, victim);
    for (unsigned i = 0, n = m->waiting; i < n; i++) { /* the last one first */
        struct line_access a = {.flight = m->flight[n - 1 - i], .lanes = m->lanes[n - 1 - i]};
        answer_lsu(c, &a, now + FILL_DELAY + i, false);
    }
    d->stall_until = now + 2 + dirty;
    d->answer_next = now + 1 + m->waiting;
    d->answers_from = now + 2;
    m->used = false;
    d->nmisses--;
}

static void take_answer(struct core *c)
{
    struct l1d *d = &c->l1d;
    const struct message *a = &d->answer[0];
    if (!d->nanswers || a->at > c->model->now) return;
    if (a->kind == M_GET) {
        if (d->missed != UINT32_MAX || d->answer_next > c->model->now) return; /* the miss has the entries */
        fill(c, &d->misses[a->number]);
    } else {
        d->writing[a->number] = false;
        d->nwriting--;
    }
    d->nanswers--;
    for (unsigned i = 0; i < d->nanswers; i++) d->answer[i] = d->answer[i + 1];
}

/* ---- the end of a group ---- */

void l1d_flush(struct core *c)
{
    c->l1d.flushing = true;
    c->l1d.flush_at = c->model->now + 3;
    c->l1d.flush_way = 0;
    c->l1d.flush_sent = false;
}

/* One dirty line in a cycle, lowest set first; then the request to the second level. */
static void flush(struct core *c)
{
    struct l1d *d = &c->l1d;
    unsigned ways = d->tags.sets * d->tags.ways;
    if (!d->flushing || d->flush_sent || c->model->now < d->flush_at ||
        d->requests.count + 2 > c->model->config.l1d_queue)
        return;
    for (; d->flush_way < ways; d->flush_way++) {
        struct tag *tag = &d->tags.way[d->flush_way];
        if (!tag->valid || !tag->dirty) continue;
        tag->dirty = false;
        to_memory(c, (struct line_access){.kind = A_WRITE, .line = tag->line});
        return;
    }
    to_memory(c, (struct line_access){.kind = A_FLUSH});
    tags_clear(&d->tags);
    d->flush_sent = true;
}

static void evict(struct core *c)
{
    struct l1d *d = &c->l1d;
    if (!d->have_victim || d->victim.at > c->model->now) return;
    to_memory(c, d->victim);
    d->have_victim = false;
}

static bool is_idle(const struct l1d *d)
{
    return !d->have_stage1 && !d->have_input && !d->requests.count && !d->nanswers && !d->flushing && !d->have_victim;
}

void l1d_cycle(struct core *c)
{
    struct l1d *d = &c->l1d;
    d->nmisses_before = d->nmisses;
    d->nrequests_before = d->requests.count;
    if (is_idle(d)) {
        d->missed = UINT32_MAX;
        d->had_entry = has_entry(c, d->tested);
        return;
    }
    evict(c);
    decide(c);
    leave(c);
    take_answer(c);
    accept(c);
    flush(c);
}
