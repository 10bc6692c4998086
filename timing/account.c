/* Where the cycles of a launch went (account.h). Called once a cycle for each SM, and from the memory side, when
 * somebody has asked. */
#include "timing/account.h"

#include <stdlib.h>
#include <string.h>

#include "timing/model.h"

/* What has to be remembered of a warp slot. */
struct slot_account {
    struct running *launch;         /* whose warp is there; NULL: none, or nobody asks */
    const struct op *last;          /* the instruction issued last */
    uint64_t fetching, crowded;     /* cycles without an instruction, or without a collector for it when it comes, which
                                     * the next one is charged with */
    uint64_t loads[REGISTERS / 64]; /* registers whose last writer is a load */
};

/* Of a launch that runs. Sites are found by their address in a table of 2^bits places, each the number of a site plus
 * one. */
struct account {
    struct timing_account *launch;
    uint64_t begun;
    uint32_t *places;
    unsigned bits;
    bool failed; /* there was no memory for a site: */
    struct timing_site nowhere;
};

/* ---- sites ---- */

static uint32_t *place_of(const struct account *a, uint32_t pc)
{
    uint32_t mask = (1u << a->bits) - 1, at = pc * 0x9e3779b1u >> (32 - a->bits);
    while (a->places[at] && a->launch->sites[a->places[at] - 1].pc != pc) at = (at + 1) & mask;
    return &a->places[at];
}

/* Twice the places, and room for half as many sites. */
static bool grow(struct account *a)
{
    unsigned bits = a->bits ? a->bits + 1 : 8;
    uint32_t *places = calloc((size_t)1 << bits, sizeof *places);
    struct timing_site *sites = places ? realloc(a->launch->sites, ((size_t)1 << bits) / 2 * sizeof *sites) : NULL;
    if (!sites) {
        free(places);
        return false;
    }
    free(a->places);
    a->places = places;
    a->bits = bits;
    a->launch->sites = sites;
    for (uint32_t i = 0; i < a->launch->nsites; i++) *place_of(a, sites[i].pc) = i + 1;
    return true;
}

/* The instruction's site. */
static struct timing_site *site_of(struct account *a, const struct op *op)
{
    struct timing_account *l = a->launch;
    if (a->failed) return &a->nowhere;
    if (!a->bits || l->nsites == ((size_t)1 << a->bits) / 2) a->failed = !grow(a);
    if (a->failed) return &a->nowhere;
    uint32_t *place = place_of(a, op->pc);
    if (!*place) {
        l->sites[l->nsites++] = (struct timing_site){.pc = op->pc, .in = op->in};
        *place = (uint32_t)l->nsites;
    }
    return &l->sites[*place - 1];
}

static int by_address(const void *a, const void *b)
{
    const struct timing_site *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* ---- a cycle ---- */

/* Why the instruction that was issued last is still in operand collection. */
static enum timing_slot why_collecting(const struct core *c, const struct slot_state *s)
{
    for (unsigned i = 0; i < c->model->config.collectors; i++) {
        const struct collector *k = &c->collection.collectors[i];
        if (!k->flight || &c->slot[k->flight->slot] != s) continue;
        if (k->offered > c->model->now) return SLOT_collector;
        return k->flight->op->memory ? SLOT_memory : SLOT_unit;
    }
    return SLOT_collector; /* it is on its way there */
}

static enum timing_slot why_blocked(const struct slot_state *s, const struct slot_account *a, const struct op *op)
{
    unsigned reg = scoreboard_register(s, op);
    if (reg == NO_REGISTER) return SLOT_memory; /* a fence */
    return a->loads[reg / 64] >> reg % 64 & 1 ? SLOT_memory : SLOT_scoreboard;
}

static bool issues(const struct core *c, unsigned slot)
{
    return c->front.issue_slot[0] == (int)slot || c->front.issue_slot[1] == (int)slot;
}

/* What the slot does in this cycle, after front_decide, and the instruction that it does it for; NULL: it is not there
 * yet. */
static enum timing_slot what(const struct core *c, unsigned slot, const struct slot_account *a, const struct op **op)
{
    const struct slot_state *s = &c->slot[slot];
    *op = a->last;
    if (!slot_is_active(c, slot)) return SLOT_no_warp;
    if (s->at_barrier) return SLOT_barrier;
    if (s->collecting) return why_collecting(c, s);
    if (s->branch) return SLOT_branch;
    *op = NULL;
    if (!s->gr.mask && !s->fifo_used) return SLOT_fetch;
    if (scoreboard_blocks(c, s)) return why_blocked(s, a, *op = scoreboard_op(c, s));
    if (!s->gr.mask) return collect_room(c) ? SLOT_fetch : SLOT_collector;
    *op = scoreboard_op(c, s);
    return issues(c, slot) ? SLOT_issued : collect_room(c) ? SLOT_other : SLOT_collector;
}

static void charge(struct slot_account *a, struct timing_site *site)
{
    site->slots[SLOT_fetch] += a->fetching;
    site->slots[SLOT_collector] += a->crowded;
    a->fetching = a->crowded = 0;
}

static void count_issue(struct slot_account *a, struct timing_site *site, const struct op *op)
{
    unsigned reg = op->destination;
    charge(a, site);
    a->last = op;
    if (reg == NO_REGISTER) return;
    a->loads[reg / 64] &= ~(1ull << reg % 64);
    a->loads[reg / 64] |= (uint64_t)op->memory << reg % 64;
}

/* ---- over time ---- */

/* Two buckets become one of twice the cycles. */
static void halve(struct timing_series *s, unsigned sms)
{
    for (size_t b = 0; b < TIMING_BUCKETS; b++) {
        const bool kept = b < TIMING_BUCKETS / 2;
        for (unsigned k = 0; k < TIMING_SLOTS; k++)
            s->slots[b][k] = kept ? s->slots[2 * b][k] + s->slots[2 * b + 1][k] : 0;
        for (uint64_t *w = s->warps; w < s->warps + (size_t)sms * TIMING_BUCKETS; w += TIMING_BUCKETS)
            w[b] = kept ? w[2 * b] + w[2 * b + 1] : 0;
    }
    s->shift++;
}

/* That of this cycle; the first one behind the request is number 0. */
static size_t bucket_of(const struct model *m, const struct account *a)
{
    struct timing_series *s = &a->launch->series;
    const uint64_t cycle = m->now - a->begun - 1;
    while (cycle >> s->shift >= TIMING_BUCKETS) halve(s, m->ncores);
    return cycle >> s->shift;
}

/* ---- all slots of an SM ---- */

/* The launch's warp has left the slot, or the launch ends: cycles that no instruction has come after. */
static void leave_slot(struct model *m, size_t number)
{
    struct slot_account *a = &m->account[number];
    const unsigned warps = m->cores[0].nslots;
    if (a->launch && (a->fetching || a->crowded)) {
        const uint32_t pc = m->cores[number / warps].slot[number % warps].pc;
        charge(a, site_of(a->launch->account, a->last ? a->last : code_op(m, pc, false)));
    }
    *a = (struct slot_account){0};
}

/* The slot has a warp of a launch whose cycles are counted. */
static struct account *enter_slot(struct core *c, unsigned slot, size_t number)
{
    struct slot_account *a = &c->model->account[number];
    const struct resident *group = c->slot[slot].group;
    struct running *launch =
        slot_is_active(c, slot) && group && group->launch && group->launch->account ? group->launch : NULL;
    if (a->launch != launch) leave_slot(c->model, number);
    a->launch = launch;
    return launch ? launch->account : NULL;
}

void account_cycle(struct core *c)
{
    const struct op *op;
    for (unsigned i = 0; i < c->nslots; i++) {
        const size_t number = (size_t)c->number * c->nslots + i;
        struct account *account = enter_slot(c, i, number);
        if (!account) continue;
        struct slot_account *a = &c->model->account[number];
        const size_t bucket = bucket_of(c->model, account);
        const enum timing_slot did = what(c, i, a, &op);
        account->launch->slots[number][did]++;
        account->launch->series.slots[bucket][did]++;
        account->launch->series.warps[(size_t)c->number * TIMING_BUCKETS + bucket]++;
        if (!op) {
            *(did == SLOT_fetch ? &a->fetching : &a->crowded) += 1;
            continue;
        }
        struct timing_site *site = site_of(account, op);
        site->slots[did]++;
        if (did == SLOT_issued) count_issue(a, site, op);
    }
}

/* ---- memory ---- */

/* Where the instruction's access counts; NULL: its launch has ended, or nobody asks. */
static struct timing_site *site_of_flight(struct core *c, const struct flight *f)
{
    const struct running *r = c->model->running;
    while (r && r->serial != f->launch) r = r->next;
    return r && r->account ? site_of(r->account, f->op) : NULL;
}

void account_access(struct core *c, const struct flight *f, bool local, bool first)
{
    struct timing_site *site = site_of_flight(c, f);
    if (!site) return;
    *(local ? &site->local_accesses : &site->accesses) += first;
    ++*(local ? &site->rows : &site->lines);
}

void account_lookup(struct core *c, const struct flight *f, bool hit)
{
    struct timing_site *site = site_of_flight(c, f);
    if (site) ++*(hit ? &site->l1d_hits : &site->l1d_misses);
}

/* ---- reading ---- */

void account_total(const struct timing_account *a, uint64_t slots[TIMING_SLOTS])
{
    for (unsigned k = 0; k < TIMING_SLOTS; k++) {
        slots[k] = 0;
        for (size_t i = 0; i < (size_t)a->sms * a->warps; i++) slots[k] += a->slots[i][k];
    }
}

double account_occupancy(const struct timing_account *a)
{
    uint64_t slots[TIMING_SLOTS], all = 0;
    account_total(a, slots);
    for (unsigned k = 0; k < TIMING_SLOTS; k++) all += slots[k];
    return all ? (double)(all - slots[SLOT_no_warp]) / (double)all : 0;
}

void site_add(struct timing_site *sum, const struct timing_site *s)
{
    for (unsigned k = 0; k < TIMING_SLOTS; k++) sum->slots[k] += s->slots[k];
    sum->accesses += s->accesses;
    sum->lines += s->lines;
    sum->l1d_hits += s->l1d_hits;
    sum->l1d_misses += s->l1d_misses;
    sum->local_accesses += s->local_accesses;
    sum->rows += s->rows;
}

bool account_line(const struct timing_account *a, int64_t line, struct timing_site *sum)
{
    int64_t next = INT64_MAX;
    bool known = false;
    for (const struct timing_site *s = a->sites; s < a->sites + a->nsites; s++) {
        known |= s->line != 0;
        if (s->line > line && s->line < next) next = s->line;
    }
    if (!known || next == INT64_MAX) return false;
    *sum = (struct timing_site){.line = (uint32_t)next};
    for (size_t i = 0; i < a->nsites; i++)
        if (a->sites[i].line == next) site_add(sum, &a->sites[i]);
    return true;
}

void site_text(const struct timing_site *site, char *text, size_t size) { code_text(&site->in, site->pc, text, size); }

/* ---- a launch ---- */

void account_free(struct timing_account *a)
{
    if (!a) return;
    free(a->slots);
    free(a->counts);
    free(a->sites);
    free(a->series.warps);
    free(a);
}

static struct timing_account *account_new(const struct model *m)
{
    struct timing_account *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->sms = m->ncores;
    a->warps = gpu_config_of(m->gpu)->warps_per_sm;
    a->slots = calloc((size_t)a->sms * a->warps, sizeof *a->slots);
    a->counts = calloc(a->sms, sizeof *a->counts);
    a->series.warps = calloc((size_t)a->sms * TIMING_BUCKETS, sizeof *a->series.warps);
    if (a->slots && a->counts && a->series.warps) return a;
    account_free(a);
    return NULL;
}

struct account *account_begin(const struct model *m)
{
    struct account *a = calloc(1, sizeof *a);
    if (a) a->launch = account_new(m);
    if (a && a->launch) {
        a->begun = m->now;
        for (unsigned i = 0; i < m->ncores; i++) a->launch->counts[i] = m->cores[i].counts;
        return a;
    }
    free(a);
    return NULL;
}

void account_drop(struct account *a)
{
    if (!a) return;
    account_free(a->launch);
    free(a->places);
    free(a);
}

/* Slots without a warp of the launch, in all its cycles. */
static void add_empty(struct timing_account *l, uint64_t cycles)
{
    struct timing_series *s = &l->series;
    for (size_t i = 0; i < (size_t)l->sms * l->warps; i++) {
        uint64_t there = 0;
        for (unsigned k = 0; k < TIMING_SLOTS; k++) there += l->slots[i][k];
        l->slots[i][SLOT_no_warp] += cycles - there;
    }
    while (cycles && (cycles - 1) >> s->shift >= TIMING_BUCKETS) halve(s, l->sms);
    s->n = cycles ? ((cycles - 1) >> s->shift) + 1 : 0;
    for (size_t b = 0; b < s->n; b++) {
        const uint64_t from = (uint64_t)b << s->shift, left = cycles - from, all = 1ull << s->shift;
        uint64_t there = 0;
        for (unsigned k = 0; k < TIMING_SLOTS; k++) there += s->slots[b][k];
        s->slots[b][SLOT_no_warp] += (left < all ? left : all) * l->sms * l->warps - there;
    }
}

/* What an SM has counted since. */
static void count_since(struct timing_counts *before, const struct timing_counts *now)
{
#define COUNT(name, text) before->name = now->name - before->name;
#include "timing/counts.def"
#undef COUNT
}

struct timing_account *account_end(struct model *m, struct running *r)
{
    struct account *a = r->account;
    const struct launch_info *info = r->info;
    const size_t slots = m->account ? (size_t)m->ncores * m->cores[0].nslots : 0;
    if (!a) return NULL;
    for (size_t i = 0; i < slots; i++)
        if (m->account[i].launch == r) leave_slot(m, i);
    struct timing_account *l = a->failed || !slots ? NULL : a->launch;
    if (l) a->launch = NULL;
    account_drop(a);
    r->account = NULL;
    if (!l) return NULL;
    add_empty(l, m->now - r->begun);
    for (unsigned i = 0; i < m->ncores; i++) count_since(&l->counts[i], &m->cores[i].counts);
    for (size_t i = 0; info->line && i < l->nsites; i++) l->sites[i].line = info->line(info->user, l->sites[i].pc);
    if (l->nsites) qsort(l->sites, l->nsites, sizeof *l->sites, by_address);
    return l;
}

bool timing_account(struct model *m)
{
    if (!m->account) m->account = calloc((size_t)m->ncores * m->cores[0].nslots, sizeof *m->account);
    return m->account;
}

void timing_account_end(struct model *m)
{
    free(m->account);
    m->account = NULL;
}
