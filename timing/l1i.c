/* The instruction cache: tags, misses, and what comes back (section 3).
 *
 * Called by fetch.c for lookups and by l2.c for messages. */
#include "timing/model.h"

void l1i_reset(struct core *c)
{
    struct l1i *l = &c->front.l1i;
    tags_clear(&l->tags);
    l->filling = UINT32_MAX;
}

static uint32_t set_number(const struct tags *t, uint32_t line) { return line >> t->shift & (t->sets - 1); }

/* A line that is in several ways is taken for that of their numbers, combined. It is when it was filled twice, and in
 * the cycle of a fill, in which all ways of the set show the new line. */
static struct tag *find(struct l1i *l, uint32_t line, bool all_show_filled)
{
    struct tag *set = tags_set(&l->tags, line);
    bool found = false;
    uint32_t way = 0;
    for (uint32_t i = 0; i < l->tags.ways; i++) {
        if (!set[i].valid || (all_show_filled ? l->filled : set[i].line) != line) continue;
        found = true;
        way |= i;
    }
    return found ? set + way % l->tags.ways : NULL;
}

/* A request at `pc` in this cycle. That a line has been used is known a cycle later. */
bool l1i_lookup(struct core *c, uint32_t pc)
{
    struct l1i *l = &c->front.l1i;
    const struct timing_config *config = &c->model->config;
    uint32_t line = line_of(c->model, pc);
    if (config->perfect_caches) return true;
    l->hit = find(l, line, config->fault_fill_lookup && l->filling == set_number(&l->tags, line));
    return l->hit;
}

/* A request that has missed, in its second cycle: it waits for the line, or is dropped when no entry is free. In the
 * Verilog RTL it is an entry of a lower number that it gets when that is being filled; but the line of such an entry
 * cannot be changed, and the hardware asks for it once more, in place of the one that missed. */
void l1i_miss(struct core *c, uint32_t pc)
{
    struct l1i *l = &c->front.l1i;
    const struct timing_config *config = &c->model->config;
    uint32_t line = line_of(c->model, pc);
    struct miss *free = NULL;
    if (l->answered && line == l->filled) return;
    for (struct miss *m = l->misses + config->l1i_mshrs; m-- > l->misses;) {
        if (!m->used) free = m;
        else if (m->line == line && m != l->answered) return;
    }
    if (!free) return;
    if (l->answered && l->answered < free && config->fault_fill_lookup) {
        free = l->answered;
        line = l->filled;
        l->answered = NULL;
    } else l->nmisses++;
    *free = (struct miss){.line = line, .used = true, .order = ++l->orders};
    c->counts.l1i_misses++;
}

/* The oldest miss that has not been sent. */
bool l1i_message(struct core *c, struct message *out)
{
    struct l1i *l = &c->front.l1i;
    struct miss *first = NULL;
    if (!l->nmisses) return false;
    for (struct miss *m = l->misses; m < l->misses + c->model->config.l1i_mshrs; m++)
        if (m->used && !m->sent && (!first || m->order < first->order)) first = m;
    if (!first) return false;
    first->sent = true;
    *out = (struct message){.kind = M_GET,
                            .line = first->line,
                            .core = (uint16_t)c->number,
                            .instruction = true,
                            .number = (uint16_t)(first - l->misses)};
    EVENT(c, "l1i_mreq", 0, first->line, "0");
    return true;
}

enum { ANSWERS = 2 };

bool l1i_can_answer(const struct core *c) { return c->front.l1i.nanswers < ANSWERS; }

void l1i_answer(struct core *c, const struct message *answer)
{
    struct l1i *l = &c->front.l1i;
    EVENT(c, "l1i_mrsp", 0, answer->line, "0");
    l->answers[l->nanswers++] = (struct fetch_answer){answer->line, answer->number, c->model->now + 1};
}

/* Writes a line that has come back, into the way that has not been used for the longest time, valid or not. */
static struct tag *fill(struct l1i *l, struct miss *m)
{
    struct tag *victim = tags_oldest(&l->tags, m->line);
    victim->line = m->line;
    victim->valid = true;
    l->filling = set_number(&l->tags, m->line);
    l->filled = m->line;
    l->answered = m;
    l->nanswers--;
    for (unsigned i = 0; i < l->nanswers; i++) l->answers[i] = l->answers[i + 1];
    return victim;
}

/* The request of the cycle before has used a line, and a fill does so, unless they are in the same set: then the fill
 * is not seen. */
void l1i_cycle(struct core *c)
{
    struct l1i *l = &c->front.l1i;
    struct tag *filled = NULL, *hit = l->hit;
    l->hit = NULL;
    l->filling = UINT32_MAX;
    if (l->answered) { /* its entry is taken until the cycle of the fill is over */
        l->answered->used = false;
        l->answered = NULL;
        l->nmisses--;
    }
    if (l->nanswers && l->answers[0].at <= c->model->now) filled = fill(l, &l->misses[l->answers[0].miss]);
    if (hit) tags_hit(&l->tags, hit);
    if (filled && !(hit && (uint32_t)(hit - l->tags.way) / l->tags.ways == l->filling)) tags_use(&l->tags, filled);
}
