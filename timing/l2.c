/* The second level, and memory behind it (section 10).
 *
 * A request that is accepted is looked up in the directory a cycle later, and then waits in the list of the entry of
 * its line. An entry asks memory; when the line has come, it answers the requests of its list, one after another. */
#include "timing/model.h"

enum { INPUTS = 2, LINE_DELAY = 2, PUT_DELAY = 3, HIT_DELAY = 3 };

bool l2_open(struct model *m)
{
    const struct timing_config *config = &m->config;
    m->l2.flush_done = NEVER;
    return tags_open(&m->l2.tags, config->l2_sets, config->l2_ways, config);
}

static struct core *core_of(struct model *m, const struct message *a) { return &m->cores[a->core]; }

static bool is_write(const struct message *a) { return a->kind == M_PUT || a->kind == M_PUT_PART; }

/* ---- from the SMs: instructions before data, lower SMs first ---- */

static void take(struct model *m, struct message message)
{
    struct l2 *l = &m->l2;
    message.at = m->now + 1;
    l->input[l->ninput++] = message;
}

void l2_take_messages(struct model *m)
{
    bool full = m->l2.input_full;
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

static bool put(struct model *m)
{
    struct l2 *l = &m->l2;
    struct message *p = &l->puts[l->first_put];
    if (!l->nputs || p->at > m->now) return false;
    EVENT(core_of(m, p), "mem_req", 4, p->line, "put");
    memory_access(core_of(m, p), p->line);
    core_of(m, p)->counts.memory_writes++;
    l->first_put = (l->first_put + 1) % L2_PUTS;
    l->nputs--;
    return true;
}

static void put_later(struct model *m, struct message p)
{
    struct l2 *l = &m->l2;
    p.at = m->now + PUT_DELAY;
    l->puts[(l->first_put + l->nputs++) % L2_PUTS] = p;
}

static void ask_memory(struct model *m, unsigned k)
{
    struct l2_entry *e = &m->l2.entry[k];
    struct core *c = core_of(m, &e->list[0]);
    EVENT(c, "mem_req", k, e->line, "get");
    e->want_at = NEVER;
    c->counts.memory_reads++;
    e->line_at = memory_access(c, e->line) + LINE_DELAY;
}

/* ---- answers ---- */

/* A line that stays: the one it replaces is written back if it is dirty. */
static void keep(struct model *m, uint32_t line, uint16_t core)
{
    struct l2 *l = &m->l2;
    if (m->config.fault_l2_misses || tags_find(&l->tags, line)) return;
    struct tag *victim = tags_victim(&l->tags, line);
    if (victim->valid && victim->dirty) put_later(m, (struct message){.line = victim->line, .core = core});
    *victim = (struct tag){.line = line, .valid = true};
    tags_use(&l->tags, victim);
}

static void write_line(struct model *m, const struct message *a)
{
    struct tag *tag = m->config.fault_l2_misses ? NULL : tags_find(&m->l2.tags, a->line);
    if (tag) tag->dirty = true;
    else put_later(m, *a);
}

/* The oldest request of the list is answered in the next cycle. */
static void respond(struct model *m, struct l2_entry *e)
{
    struct l2 *l = &m->l2;
    struct message a = e->list[0];
    keep(m, a.line, a.core);
    if (is_write(&a)) {
        l->nwrites--;
        write_line(m, &a);
    }
    a.at = m->now + 1;
    l->answer = a;
    l->have_answer = true;
    e->nlist--;
    l->nrequests--;
    for (unsigned i = 0; i < e->nlist; i++) e->list[i] = e->list[i + 1];
    l->nentries -= !e->nlist;
}

/* To its SM, if that can take it. */
static void answer(struct model *m)
{
    struct l2 *l = &m->l2;
    const struct message *a = &l->answer;
    struct core *c = core_of(m, a);
    if (!l->have_answer || a->at > m->now || !(a->instruction ? l1i_can_answer(c) : l1d_can_answer(c))) return;
    EVENT(c, "l2_rsp", a->number, a->line, "%s", a->kind == M_GET ? "data" : "ack");
    if (a->instruction) l1i_answer(c, a);
    else l1d_answer(c, a);
    l->have_answer = false;
}

/* ---- turns ---- */

/* Does the entry want its turn? One whose request memory can take, whose line can be written into the directory, or
 * that has an answer. */
static bool wants(const struct l2_entry *e, uint64_t now, bool memory_ready, bool may_respond)
{
    return e->nlist && ((e->want_at <= now && memory_ready) || (e->line_at <= now && (e->fills || may_respond)));
}

static void fill(struct l2 *l, struct l2_entry *e)
{
    l->filling = e->fills;
    l->filled = e->line;
    e->fills = false;
}

/* One entry has its turn in a cycle, round robin. A write takes the memory from it: then the turn is lost. */
static void schedule(struct model *m, bool may_respond)
{
    struct l2 *l = &m->l2;
    unsigned n = m->config.l2_mshrs;
    bool memory_ready = m->now >= l->memory_next, written = memory_ready && put(m);
    l->filling = false;
    for (unsigned i = 0; l->nentries && i < n; i++) {
        unsigned k = (l->pointer + i) % n;
        struct l2_entry *e = &l->entry[k];
        if (!wants(e, m->now, memory_ready, may_respond)) continue;
        l->pointer = (k + 1) % n;
        if (e->line_at > m->now) {
            if (!written) ask_memory(m, k);
            return;
        }
        fill(l, e);
        if (may_respond) respond(m, e);
        return;
    }
}

/* ---- the directory ---- */

static struct l2_entry *same_line(struct model *m, uint32_t line)
{
    struct l2 *l = &m->l2;
    for (unsigned i = 0; l->nentries && i < m->config.l2_mshrs; i++)
        if (l->entry[i].nlist && l->entry[i].line == line) return &l->entry[i];
    return NULL;
}

/* A line that requests of two kinds wait for is not written into the directory. In the Verilog RTL a request on a line
 * of its own counts as one on that of entry 0. */
static struct l2_entry *mixed_by(struct model *m, struct l2_entry *same)
{
    struct l2 *l = &m->l2;
    if (!same && m->config.fault_l2_mixes) same = &l->entry[0];
    return same && same->kind != l->looked_up.kind ? same : NULL;
}

static struct l2_entry *new_entry(struct model *m, const struct message *a)
{
    struct l2 *l = &m->l2;
    struct l2_entry *e = l->entry;
    struct tag *tag = m->config.fault_l2_misses ? NULL : tags_find(&l->tags, a->line);
    while (e->nlist) e++;
    *e = (struct l2_entry){
        .kind = a->kind, .line = a->line, .fills = a->kind == M_GET && !tag, .want_at = m->now + 1, .line_at = NEVER};
    l->nentries++;
    if (!tag) core_of(m, a)->counts.l2_misses++;
    else {
        core_of(m, a)->counts.l2_hits++;
        tags_hit(&l->tags, tag);
        e->want_at = NEVER;
        e->line_at = m->now + HIT_DELAY;
    }
    return e;
}

/* The request in the directory goes to the list of its entry, if there is room. Returns the entry whose line it keeps
 * out of the directory, from the next cycle on; NULL: none. */
static struct l2_entry *enter(struct model *m)
{
    struct l2 *l = &m->l2;
    if (!l->looking_up) return NULL;
    struct message *a = &l->looked_up;
    struct l2_entry *e = same_line(m, a->line), *mixed = mixed_by(m, e);
    if (l->nrequests == m->config.l2_mshrs) return mixed;
    if (e) core_of(m, a)->counts.l2_hits++;
    else e = new_entry(m, a);
    e->list[e->nlist++] = *a;
    l->nrequests++;
    l->looking_up = false;
    return e->nlist == 1 && e == mixed ? NULL : mixed;
}

/* ---- acceptance ---- */

static bool accept_flush(struct model *m, const struct message *a)
{
    m->l2.flush = *a;
    m->l2.flush_done = m->now + m->config.flush_cycles;
    return true;
}

static uint32_t tag_of(const struct model *m, uint32_t line) { return line / m->config.line_bytes / m->config.l2_sets; }
static uint32_t set_of(const struct model *m, uint32_t line) { return line / m->config.line_bytes % m->config.l2_sets; }

/* The directory is being written, and does not hold the line that is asked for: it would, when the requests before it
 * were on that line or its neighbour. */
static bool directory_taken(const struct model *m, const struct message *a)
{
    const struct l2 *l = &m->l2;
    uint32_t tag = tag_of(m, l->filled);
    return l->filling &&
           (tag_of(m, a->line) != tag || tag_of(m, l->looked_up.line) != tag || l->asked_set != set_of(m, l->filled));
}

static bool accept_access(struct model *m, const struct message *a)
{
    struct l2 *l = &m->l2;
    bool taken = directory_taken(m, a);
    l->asked_set = set_of(m, a->line);
    if (taken) return false;
    l->looked_up = *a;
    l->looking_up = true;
    l->nwrites += is_write(a);
    return true;
}

/* How full the second level was before the events of this cycle. */
struct fullness {
    unsigned entries, requests, writes;
};

static bool has_room(const struct model *m, const struct message *a, const struct fullness *before)
{
    unsigned n = m->config.l2_mshrs;
    if (a->kind == M_FLUSH) return !before->entries && !m->l2.nwrites;
    return before->entries < n && before->requests < n && (!is_write(a) || before->writes < n);
}

static void accept(struct model *m, const struct fullness *before)
{
    static const char *const names[] = {"get", "put", "putpart", "flush p1"};
    struct l2 *l = &m->l2;
    const struct message a = l->input[0];
    if (!l->ninput || a.at > m->now || l->flush_done != NEVER || !has_room(m, &a, before)) return;
    if (!(a.kind == M_FLUSH ? accept_flush(m, &a) : accept_access(m, &a))) return;
    EVENT(core_of(m, &a), "l2_req", a.number, a.line, "%s", names[a.kind]);
    l->input[0] = l->input[1];
    l->ninput--;
}

static void end_flush(struct model *m)
{
    struct l2 *l = &m->l2;
    struct core *c = core_of(m, &l->flush);
    if (l->flush_done != m->now) return;
    l->flush_done = NEVER;
    c->l1d.flushing = false;
    group_flushed(c);
}

void l2_cycle(struct model *m)
{
    struct l2 *l = &m->l2;
    struct fullness before = {l->nentries, l->nrequests, l->nwrites};
    bool may_respond = !l->have_answer && l->nputs < L2_PUTS; /* an answer makes one put at most */
    l->input_full = l->ninput == INPUTS;
    end_flush(m);
    answer(m);
    struct l2_entry *mixed = enter(m);
    schedule(m, may_respond);
    if (mixed) mixed->fills = false;
    accept(m, &before);
}
