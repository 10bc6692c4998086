/* The second level, and memory behind it (section 10). */
#include "timing/model.h"

enum { INPUTS = 2, PUTS = 256, RESPOND_DELAY = 2, PUT_DELAY = 2, HIT_CYCLES = 4 };

bool l2_open(struct model *m)
{
    const struct timing_config *config = &m->config;
    m->l2.flush_done = NEVER;
    return tags_open(&m->l2.tags, config->l2_sets, config->l2_ways, config->line_bytes);
}

static struct core *core_of(struct model *m, const struct message *a) { return &m->cores[a->core]; }

/* ---- from the SMs: instructions before data, lower SMs first ---- */

static void take(struct model *m, struct message message)
{
    struct l2 *l = &m->l2;
    message.at = m->now + 1;
    l->input[l->ninput++] = message;
}

void l2_take_messages(struct model *m)
{
    bool full = m->l2.ninput == INPUTS;
    for (unsigned i = 0; i < m->ncores; i++) {
        struct core *c = &m->cores[i];
        struct message message;
        for (int data = 0; data < 2; data++) {
            if (data) c->l1d.port_ready = !full;
            if (full || !(data ? l1d_message(c, &message) : l1i_message(c, &message))) continue;
            take(m, message);
            full = true;
        }
    }
}

/* ---- memory ---- */

/* When the line's bank has it for a request that is made now. A bank serves one request after another, and one in
 * another row than the last has to wait for that row; other banks go on meanwhile. */
static uint64_t bank_access(struct core *c, uint32_t line)
{
    const struct timing_config *config = &c->model->config;
    uint32_t row = line / config->dram_row_bytes;
    struct dram_bank *bank = &c->model->l2.banks[row % config->dram_banks];
    uint64_t at = bank->free_at > c->model->now ? bank->free_at : c->model->now;
    if (bank->row != row) {
        c->counts.row_misses++;
        at += config->dram_row_miss;
        bank->row = row;
    }
    bank->free_at = at + config->memory_interval;
    return at;
}

/* When a request that is made now has been served. The port takes another one after memory_interval: the limit of the
 * bandwidth. */
static uint64_t memory_access(struct core *c, uint32_t line)
{
    struct model *m = c->model;
    uint64_t at = m->config.dram_banks ? bank_access(c, line) : m->now;
    m->l2.memory_next = m->now + m->config.memory_interval;
    return at + m->config.memory_latency;
}

/* The answer goes to its SM in the cycle `at`, or when those before it have gone. */
static void answer_later(struct l2 *l, struct message a, uint64_t at)
{
    const struct message *last = &l->answers[(l->first_answer + l->nanswers - 1) % MOST_ENTRIES];
    a.at = l->nanswers && at <= last->at ? last->at + 1 : at;
    l->answers[(l->first_answer + l->nanswers++) % MOST_ENTRIES] = a;
}

static bool put(struct model *m)
{
    struct l2 *l = &m->l2;
    struct message *p = &l->puts[l->first_put];
    if (!l->nputs || p->at > m->now) return false;
    EVENT(core_of(m, p), "mem_req", 4, p->line, "put");
    memory_access(core_of(m, p), p->line);
    core_of(m, p)->counts.memory_writes++;
    l->first_put = (l->first_put + 1) % PUTS;
    l->nputs--;
    return true;
}

/* Does the entry want its turn? One whose request memory can take, or whose line has come. */
static bool wants(const struct l2_entry *e, uint64_t now, bool memory_ready)
{
    return e->used && ((e->want_at <= now && memory_ready) || e->respond_at <= now);
}

static void ask_memory(struct model *m, unsigned k)
{
    struct l2_entry *e = &m->l2.entry[k];
    EVENT(core_of(m, &e->message), "mem_req", k, e->message.line, "get");
    e->want_at = NEVER;
    core_of(m, &e->message)->counts.memory_reads++;
    e->respond_at = memory_access(core_of(m, &e->message), e->message.line) + RESPOND_DELAY;
}

/* The entry is free for a request that is accepted in this cycle, or goes on with the next one on its line. */
static void respond(struct model *m, struct l2_entry *e)
{
    struct l2 *l = &m->l2;
    l->filling = e->message.kind == M_GET;
    l->filled = e->message.line;
    answer_later(l, e->message, m->now + 1);
    e->respond_at = m->now + 2;
    if (e->nlist) e->message = e->list[0];
    for (unsigned i = 1; i < e->nlist; i++) e->list[i - 1] = e->list[i];
    if (e->nlist) e->nlist--;
    else {
        e->used = false;
        l->used--;
    }
}

/* One entry has its turn in a cycle, round robin. A write takes the memory from it: then the turn is lost. */
static void schedule(struct model *m)
{
    struct l2 *l = &m->l2;
    unsigned n = m->config.l2_mshrs;
    bool memory_ready = m->now >= l->memory_next, written = memory_ready && put(m);
    l->filling = false;
    for (unsigned i = 0; l->used && i < n; i++) {
        unsigned k = (l->pointer + i) % n;
        struct l2_entry *e = &l->entry[k];
        if (!wants(e, m->now, memory_ready)) continue;
        l->pointer = (k + 1) % n;
        if (e->respond_at <= m->now) respond(m, e);
        else if (!written) ask_memory(m, k);
        return;
    }
}

/* ---- answers ---- */

static void write_line(struct model *m, const struct message *a)
{
    struct l2 *l = &m->l2;
    struct message p = *a;
    struct tag *tag = m->config.fault_l2_misses ? NULL : tags_find(&l->tags, a->line);
    if (tag) {
        tag->dirty = true;
        return;
    }
    if (l->nputs == PUTS) return;
    p.at = m->now + PUT_DELAY;
    l->puts[(l->first_put + l->nputs++) % PUTS] = p;
}

/* A line that stays: the one it replaces is written back if it is dirty. */
static void keep(struct model *m, uint32_t line, uint16_t core)
{
    struct l2 *l = &m->l2;
    if (m->config.fault_l2_misses || tags_find(&l->tags, line)) return;
    struct tag *victim = tags_victim(&l->tags, line);
    struct message old = {.line = victim->line, .core = core};
    bool dirty = victim->valid && victim->dirty;
    *victim = (struct tag){.line = line, .valid = true};
    tags_use(&l->tags, victim);
    if (dirty && l->nputs < PUTS) {
        old.at = m->now + PUT_DELAY;
        l->puts[(l->first_put + l->nputs++) % PUTS] = old;
    }
}

/* The oldest answer, if its SM can take it. */
static void answer(struct model *m)
{
    struct l2 *l = &m->l2;
    const struct message *a = &l->answers[l->first_answer];
    if (!l->nanswers || a->at > m->now) return;
    struct core *c = core_of(m, a);
    if (!(a->instruction ? l1i_can_answer(c) : l1d_can_answer(c))) return;
    EVENT(c, "l2_rsp", a->number, a->line, "%s", a->kind == M_GET ? "data" : "ack");
    keep(m, a->line, a->core);
    if (a->instruction) l1i_answer(c, a);
    else l1d_answer(c, a);
    if (a->kind != M_GET) write_line(m, a);
    l->first_answer = (l->first_answer + 1) % MOST_ENTRIES;
    l->nanswers--;
}

/* ---- acceptance ---- */

static void pop_input(struct l2 *l)
{
    l->ninput--;
    l->input[0] = l->input[1];
}

static bool accept_flush(struct model *m, const struct message *a)
{
    struct l2 *l = &m->l2;
    if (l->used || l->nanswers) return false;
    l->flush = *a;
    l->flush_done = m->now + m->config.flush_cycles;
    return true;
}

static struct l2_entry *same_line(struct model *m, uint32_t line)
{
    struct l2 *l = &m->l2;
    for (unsigned i = 0; l->used && i < m->config.l2_mshrs; i++)
        if (l->entry[i].used && l->entry[i].message.line == line) return &l->entry[i];
    return NULL;
}

static bool accept_access(struct model *m, const struct message *a)
{
    struct l2 *l = &m->l2;
    struct l2_entry *e = same_line(m, a->line);
    if (e) {
        if (e->nlist == sizeof e->list / sizeof *e->list) return false;
        e->list[e->nlist++] = *a;
        core_of(m, a)->counts.l2_hits++;
        return true;
    }
    if (l->used == m->config.l2_mshrs || l->nanswers == MOST_ENTRIES) return false;
    for (e = l->entry; e->used;) e++;
    struct tag *tag = m->config.fault_l2_misses ? NULL : tags_find(&l->tags, a->line);
    *e = (struct l2_entry){.used = true, .message = *a, .want_at = m->now + 2, .respond_at = NEVER};
    l->used++;
    if (!tag) core_of(m, a)->counts.l2_misses++;
    else {
        core_of(m, a)->counts.l2_hits++;
        tags_use(&l->tags, tag);
        e->want_at = NEVER;
        e->respond_at = m->now + HIT_CYCLES;
    }
    return true;
}

static uint32_t tag_of(const struct model *m, uint32_t line) { return line / m->config.line_bytes / m->config.l2_sets; }

static void accept(struct model *m)
{
    static const char *const names[] = {"get", "put", "putpart", "flush p1"};
    struct l2 *l = &m->l2;
    const struct message a = l->input[0];
    if (!l->ninput || a.at > m->now || l->flush_done != NEVER) return;
    if (l->filling && tag_of(m, l->filled) != tag_of(m, a.line)) return; /* the directory is being written */
    if (!(a.kind == M_FLUSH ? accept_flush(m, &a) : accept_access(m, &a))) return;
    EVENT(core_of(m, &a), "l2_req", a.number, a.line, "%s", names[a.kind]);
    pop_input(l);
}

static void end_flush(struct model *m)
{
    struct l2 *l = &m->l2;
    struct core *c = core_of(m, &l->flush);
    if (l->flush_done != m->now) return;
    l->flush_done = NEVER;
    c->l1d.flushing = false;
    m->flushing--;
}

void l2_cycle(struct model *m)
{
    end_flush(m);
    answer(m);
    schedule(m);
    accept(m);
}
