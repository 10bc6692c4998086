/* Launches that run, from their request to their response, and what is kept of those that have ended.
 *
 * Several may run at a time: the SMs take their work-groups as the machine places them. A launch has ended when the
 * last of its groups has been through the caches. Until then the machine waits for the endprg of its last warp, so that
 * whatever comes after the launch begins behind its response. */
#include <stdlib.h>
#include <string.h>

#include "timing/model.h"

static struct running *find(const struct model *m, const struct launch *launch)
{
    struct running *r = m->running;
    while (r && r->launch != launch) r = r->next;
    return r;
}

struct running *running_of(const struct model *m, const struct group *group) { return find(m, group->launch); }

static struct timing_counts sum_of_counts(const struct model *m)
{
    struct timing_counts sum = {0};
    for (const struct core *c = m->cores; c < m->cores + m->ncores; c++) {
#define COUNT(name, text) sum.name += c->counts.name;
#include "timing/counts.def"
#undef COUNT
    }
    return sum;
}

/* ---- the request ---- */

/* While nothing runs, time stands still but for what the host needs from a response to its next request. */
static void begin_first(struct model *m)
{
    if (m->now) m->now += m->config.request_cycles;
    m->begun = m->now;
    code_forget(m);
    for (unsigned i = 0; i < m->ncores; i++) m->cores[i].counts = (struct timing_counts){0};
}

static unsigned free_number(const struct model *m)
{
    unsigned number = 0;
    for (const struct running *r = m->running; r;)
        if (r->number == number) number++, r = m->running;
        else r = r->next;
    return number;
}

static struct running *running_new(const struct model *m, const struct launch *l, const struct launch_info *info)
{
    struct running *r = calloc(1, sizeof *r);
    char *kernel = strdup(info->kernel ? info->kernel : "");
    if (!r || !kernel) {
        free(r);
        free(kernel);
        return NULL;
    }
    uint64_t groups = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2];
    *r = (struct running){.launch = l,
                          .info = info,
                          .kernel = kernel,
                          .number = free_number(m),
                          .begun = m->now,
                          .warps_left = groups * l->warps,
                          .groups_left = groups,
                          .before = sum_of_counts(m),
                          .account = m->account ? account_begin(m) : NULL,
                          .hung = m->hung};
    return r;
}

void running_begin(struct model *m, const struct launch *launch, const struct launch_info *info)
{
    if (!m->running) begin_first(m);
    struct running *r = running_new(m, launch, info), **end = &m->running;
    m->changes++;
    m->last_issue = m->now;
    if (!r) {
        m->nabandoned++;
        return;
    }
    r->serial = ++m->serials;
    while (*end) end = &(*end)->next;
    *end = r;
    if (m->ncores) EVENT0(&m->cores[0], "host_req", r->number, "0");
}

/* ---- the end ---- */

void running_answer(struct model *m, struct running *r)
{
    r->answered = true;
    m->nanswered++;
}

void running_abandon(struct model *m, struct running *r)
{
    m->nabandoned += !r->abandoned;
    r->abandoned = m->remains = true;
}

void running_hang(struct model *m)
{
    m->hung = m->remains = true;
    for (struct running *r = m->running; r; r = r->next) r->hung = true;
}

static struct warp *any_ready(struct group *g)
{
    group_wake(g);
    for (uint32_t i = 0; i < g->launch->warps; i++)
        if (g->warps[i].state == WARP_READY) return &g->warps[i];
    return NULL;
}

struct warp *running_rest(const struct model *m, struct group *groups, uint64_t *budget)
{
    if (!m->hung && !m->nabandoned && !m->nanswered) return NULL;
    for (struct group *g = groups; g; g = g->next) {
        const struct running *r = running_of(m, g);
        struct warp *w = !r || r->hung || r->abandoned || r->answered ? any_ready(g) : NULL;
        if (!w) continue;
        *budget = 1000;
        return w;
    }
    return NULL;
}

/* All counts only grow. */
static struct timing_counts counted_since(const struct model *m, const struct timing_counts *before)
{
    struct timing_counts counts = sum_of_counts(m);
#define COUNT(name, text) counts.name -= before->name;
#include "timing/counts.def"
#undef COUNT
    return counts;
}

/* Without memory for it, it is missing from the list. */
static void record(struct model *m, struct running *r)
{
    if (m->nlaunches == m->room) {
        size_t room = m->room ? 2 * m->room : 16;
        struct timing_launch *more = realloc(m->launches, room * sizeof *more);
        if (!more) return;
        m->launches = more;
        m->room = room;
    }
    m->launches[m->nlaunches++] = (struct timing_launch){.kernel = r->kernel,
                                                         .hung = r->hung,
                                                         .begun = r->begun,
                                                         .cycles = m->now - r->begun,
                                                         .line_bytes = m->config.line_bytes,
                                                         .threads_per_warp = r->launch->threads_per_warp,
                                                         .counts = counted_since(m, &r->before),
                                                         .account = account_end(m, r)};
    r->kernel = NULL;
}

/* Ends of its groups that are still on their way through the caches are nobody's. */
static void forget(struct model *m, const struct running *r)
{
    for (struct core *c = m->cores; c < m->cores + m->ncores; c++)
        for (unsigned i = 0; i < MOST_RESIDENT; i++)
            if (c->resident[i].launch == r) c->resident[i].launch = NULL;
}

static void running_free(struct running *r)
{
    account_drop(r->account);
    free(r->kernel);
    free(r);
}

void running_end(struct model *m, const struct launch *launch)
{
    struct running *r = find(m, launch), **link = &m->running;
    m->changes++;
    if (!r) {
        m->nabandoned--;
        return;
    }
    if (m->ncores) EVENT0(&m->cores[0], "host_rsp", r->number, "0");
    record(m, r);
    m->nanswered -= r->answered;
    m->nabandoned -= r->abandoned;
    if (!r->answered) forget(m, r);
    while (*link != r) link = &(*link)->next;
    *link = r->next;
    running_free(r);
}

void timing_forget(struct model *m)
{
    for (size_t i = 0; i < m->nlaunches; i++) {
        free(m->launches[i].kernel);
        account_free(m->launches[i].account);
    }
    m->nlaunches = 0;
}

void running_close(struct model *m)
{
    for (struct running *r = m->running, *next; r; r = next) {
        next = r->next;
        running_free(r);
    }
    timing_forget(m);
    free(m->launches);
}
