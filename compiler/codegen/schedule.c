/* The order of instructions within a block: slow ones, loads above all, away from what waits for them.
 *
 * A warp issues in order and stops at the first instruction whose operands are not there yet, so instructions that do
 * not need a load's result should be between the load and its use. Other warps hide what is left: SMs with few of them
 * profit most.
 *
 * List scheduling from the first instruction on: of those whose predecessors in the graph of dependences have been
 * placed, the one that can be issued first comes next, and of several the one with the most cycles behind it. A piece
 * of a block keeps its order where the new one would not be faster, or would need registers behind a prefix. Called by
 * backend_kernel when copies have been merged: the new order then cannot make copies necessary that merging removed. */
#include "compiler/codegen/codegen.h"

#include <string.h>

#include "isa/latency.h"

enum {
    PIECE = 256,  /* instructions ordered at a time: work per block is not to grow with the square of its length */
    OPERANDS = 4, /* registers that an instruction names, at most */
    MORE = 2,     /* vector registers that a new order may need beyond the old one's: each is a lot of room in the
                   * simulator's native code, and what more would give is a thousandth of the cycles */
    SPARE = 4,    /* registers that are left, because the allocator cannot make use of each hole between two values */
};

/* A register that an instruction names. */
struct access {
    int32_t reg;
    bool read, written;
};

struct node {
    const struct minsn *insn;
    struct access access[OPERANDS];
    uint32_t naccesses;
    int32_t edges;      /* the first one, a list in scheduler.edges; NOREG: none */
    uint32_t latency;   /* from its issue to that of what reads its result; 0: it is no instruction in the end */
    uint32_t way;       /* cycles from its issue to the end of all that waits for it */
    uint32_t npreds;    /* edges to it */
    uint32_t waits_for; /* those that come from nodes that have not been placed */
    uint32_t earliest;  /* cycle in which it can be issued */
};

/* The node `to` is issued behind another one, at least `latency` cycles later. */
struct dependence {
    uint32_t to, latency;
    int32_t next;
};

struct reader {
    uint32_t node;
    int32_t next;
};

/* A register in the piece that is looked at. */
struct history {
    uint32_t piece;    /* what follows is about it */
    int32_t def;       /* the last node that writes the register, NOREG: none so far */
    int32_t readers;   /* nodes behind it that read it, a list in scheduler.readers */
    bool begins, ends; /* it is live from its first name in the piece on, until the last one */
    bool live;         /* it has begun */
    uint32_t left;     /* nodes that name it and have not been placed */
};

struct scheduler {
    struct func *f;
    struct mblock *block;
    uint32_t first, n; /* the piece, as instructions of the block */
    uint32_t piece;    /* its number */
    struct node node[PIECE];
    struct dependence *edges;
    struct reader *readers;
    uint32_t nedges, edges_room, nreaders, readers_room;
    struct history *history; /* by register */
    uint32_t *pressure[2];   /* by class and position: registers that are taken there */
    uint32_t limit[2];       /* as many need no prefix */
    uint32_t allowed[2];     /* in the new order of this piece */
    uint32_t now;            /* the node whose registers are visited */
    /* The order that is being made. */
    uint32_t order[PIECE], ready[PIECE], nready;
    uint32_t time, end, live[2], peak[2];
};

/* ---- instructions that keep their place, and all others on their side of it ---- */

struct check {
    const struct func *f;
    bool stays;
};

/* Groups and fixed registers are placed by rules of their own, which know nothing of pressure. */
static void check_register(void *user, int32_t *reg, bool is_def)
{
    struct check *c = user;
    const struct vreg *v = &c->f->vregs[*reg];
    (void)is_def;
    c->stays |= v->fixed || v->group || v->direct;
}

/* A register with a name of its own, other than those that nothing in the code changes. */
static bool is_hard(int8_t cls, int32_t reg)
{
    return cls >= 0 && reg > 0 && reg < FIRST_VREG && reg != REG_LOCAL && reg != REG_KNL;
}

static bool names_hard(const struct minsn *m)
{
    const struct roles *r = insn_roles(m->op);
    return is_hard(r->rd, m->rd) || is_hard(r->rs1, m->rs1) || is_hard(r->rs2, m->rs2) || is_hard(r->rs3, m->rs3);
}

/* Is it state that an instruction may have changed? What only some instruction's flags add to counts for reads of it.
 */
static bool reads_state(const struct minsn *m)
{
    const struct isa_csr *csr = isa_table[m->op].kind == KIND_CSR ? isa_csr_number(m->aux) : NULL;
    return csr && csr->state != STATE_NONE;
}

static unsigned action_of(const struct minsn *m) { return isa_kinds[isa_table[m->op].kind].action; }
static bool is_load(const struct minsn *m) { return action_of(m) == ACTION_LOAD; }
static bool is_store(const struct minsn *m) { return action_of(m) == ACTION_STORE; }

static bool stays(const struct func *f, struct minsn *m)
{
    if (m->op == OP_ASM) return true;
    struct check c = {f, !(is_pure(m) || (is_store(m) && !m->keep)) || names_hard(m) || reads_state(m)};
    if (!c.stays) visit_insn(m, check_register, &c);
    return c.stays;
}

/* ---- the graph of dependences ---- */

static void add_edge(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency)
{
    s->edges = cc_grow(s->f->cc, s->edges, s->nedges, &s->edges_room, sizeof *s->edges);
    s->edges[s->nedges] = (struct dependence){to, latency, s->node[from].edges};
    s->node[from].edges = (int32_t)s->nedges++;
    s->node[to].npreds++;
}

static struct history *history_of(struct scheduler *s, int32_t reg)
{
    struct history *h = &s->history[reg];
    uint32_t from = s->block->start + 2 * s->first, to = from + 2 * s->n;
    if (h->piece == s->piece) return h;
    *h = (struct history){.piece = s->piece, .def = NOREG, .readers = NOREG};
    h->begins = !is_live(s->f, reg, from);
    h->ends = !is_live(s->f, reg, to);
    return h;
}

static struct access *access_of(struct node *n, int32_t reg)
{
    uint32_t i = 0;
    while (i < n->naccesses && n->access[i].reg != reg) i++;
    if (i == n->naccesses) n->access[n->naccesses++] = (struct access){.reg = reg};
    return &n->access[i];
}

static void add_read(struct scheduler *s, struct history *h)
{
    if (h->def != NOREG) add_edge(s, (uint32_t)h->def, s->now, s->node[h->def].latency);
    s->readers = cc_grow(s->f->cc, s->readers, s->nreaders, &s->readers_room, sizeof *s->readers);
    s->readers[s->nreaders] = (struct reader){s->now, h->readers};
    h->readers = (int32_t)s->nreaders++;
}

/* Behind what reads the register before, and behind what writes it before, which has to be over. */
static void add_write(struct scheduler *s, struct history *h)
{
    for (int32_t i = h->readers; i != NOREG; i = s->readers[i].next)
        if (s->readers[i].node != s->now) add_edge(s, s->readers[i].node, s->now, 0);
    if (h->def != NOREG) add_edge(s, (uint32_t)h->def, s->now, s->node[h->def].latency);
    h->def = (int32_t)s->now;
    h->readers = NOREG;
}

static void note_access(void *user, int32_t *reg, bool is_def)
{
    struct scheduler *s = user;
    struct access *a = access_of(&s->node[s->now], *reg);
    struct history *h = history_of(s, *reg);
    if (is_def) add_write(s, h);
    else if (!a->read) add_read(s, h);
    if (is_def) a->written = true;
    else a->read = true;
}

static unsigned address_of(const struct minsn *m) { return isa_kinds[isa_table[m->op].kind].address; }
static bool is_private(const struct minsn *m) { return address_of(m) == ADDRESS_PRIVATE; }
static bool is_indexed(const struct minsn *m) { return address_of(m) == ADDRESS_INDEXED; }

static int64_t bytes_of(const struct minsn *m) { return isa_memory(&(struct insn){.op = m->op, .vm = 1}).size; }

/* Can two accesses be of the same byte? Private memory is apart from the rest, address spaces are from one another, and
 * from one address in a register the distance is known. If the register is written in between, it keeps them apart. */
static bool may_meet(const struct node *a, const struct node *b)
{
    int64_t d = (int64_t)b->insn->imm - a->insn->imm;
    if (is_private(a->insn) != is_private(b->insn)) return false;
    if (a->insn->space && b->insn->space && a->insn->space != b->insn->space) return false;
    if (a->insn->rs1 != b->insn->rs1 || is_indexed(a->insn) || is_indexed(b->insn)) return true;
    return d < bytes_of(a->insn) && -d < bytes_of(b->insn);
}

/* Stores keep their order, and so do a store and a load that can be of the same byte. */
static void order_memory(struct scheduler *s)
{
    uint32_t memory[PIECE], n = 0, stores = 0;
    for (uint32_t i = 0; i < s->n; i++) stores += is_store(s->node[i].insn);
    for (uint32_t i = 0; stores && i < s->n; i++) {
        bool store = is_store(s->node[i].insn);
        if (!store && !is_load(s->node[i].insn)) continue;
        for (uint32_t k = 0; k < n; k++) {
            bool other = is_store(s->node[memory[k]].insn);
            if ((store && other) || ((store || other) && may_meet(&s->node[memory[k]], &s->node[i])))
                add_edge(s, memory[k], i, 0);
        }
        memory[n++] = i;
    }
}

/* A copy to the same register is no instruction in the end, and nothing waits for a store. */
static unsigned latency_of(const struct minsn *m)
{
    if (is_copy(m) && m->rd == m->rs1) return 0;
    return is_store(m) ? CYCLES_ISSUE : insn_roles(m->op)->latency;
}

static void build_graph(struct scheduler *s)
{
    s->nedges = s->nreaders = 0;
    s->piece++;
    for (s->now = 0; s->now < s->n; s->now++) {
        struct minsn *m = &s->block->code[s->first + s->now];
        struct node *n = &s->node[s->now];
        *n = (struct node){.insn = m, .edges = NOREG, .latency = latency_of(m)};
        visit_insn(m, note_access, s);
    }
    order_memory(s);
}

static void find_ways(struct scheduler *s)
{
    for (uint32_t i = s->n; i-- > 0;) {
        struct node *n = &s->node[i];
        n->way = n->latency;
        for (int32_t e = n->edges; e != NOREG; e = s->edges[e].next) {
            uint32_t way = s->edges[e].latency + s->node[s->edges[e].to].way;
            if (way > n->way) n->way = way;
        }
    }
}

/* ---- orders ---- */

static void begin_order(struct scheduler *s)
{
    s->time = s->end = s->nready = 0;
    for (unsigned c = 0; c < 2; c++) s->live[c] = s->peak[c] = s->pressure[c][s->block->start + 2 * s->first];
    for (uint32_t i = 0; i < s->n; i++) {
        struct node *n = &s->node[i];
        n->earliest = 0;
        n->waits_for = n->npreds;
        if (!n->npreds) s->ready[s->nready++] = i;
        for (uint32_t k = 0; k < n->naccesses; k++) s->history[n->access[k].reg].live = false;
        for (uint32_t k = 0; k < n->naccesses; k++) s->history[n->access[k].reg].left = 0;
    }
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->node[i].naccesses; k++) s->history[s->node[i].access[k].reg].left++;
}

/* Registers of a class that are read for the last time, and that are written for the first time. */
static uint32_t count_freed(const struct scheduler *s, const struct node *n, unsigned cls)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->naccesses; i++) {
        const struct access *a = &n->access[i];
        const struct history *h = &s->history[a->reg];
        count += s->f->vregs[a->reg].cls == cls && !a->written && h->ends && h->left == 1;
    }
    return count;
}

static uint32_t count_begun(const struct scheduler *s, const struct node *n, unsigned cls)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->naccesses; i++) {
        const struct access *a = &n->access[i];
        const struct history *h = &s->history[a->reg];
        count += s->f->vregs[a->reg].cls == cls && a->written && h->begins && !h->live;
    }
    return count;
}

/* The registers of a node that comes next. One that is written and not read again is free behind it. */
static void place_registers(struct scheduler *s, const struct node *n)
{
    for (unsigned c = 0; c < 2; c++) {
        s->live[c] += count_begun(s, n, c) - count_freed(s, n, c);
        if (s->live[c] > s->peak[c]) s->peak[c] = s->live[c];
    }
    for (uint32_t i = 0; i < n->naccesses; i++) {
        const struct access *a = &n->access[i];
        struct history *h = &s->history[a->reg];
        h->left--;
        h->live |= a->written;
        if (a->written && h->ends && !h->left) s->live[s->f->vregs[a->reg].cls]--;
    }
}

static uint32_t start_of(const struct scheduler *s, const struct node *n)
{
    return n->earliest > s->time ? n->earliest : s->time;
}

static void place(struct scheduler *s, uint32_t node)
{
    struct node *n = &s->node[node];
    uint32_t start = start_of(s, n);
    place_registers(s, n);
    s->time = start + (n->latency ? CYCLES_ISSUE : 0);
    if (start + n->latency > s->end) s->end = start + n->latency;
    for (int32_t e = n->edges; e != NOREG; e = s->edges[e].next) {
        struct node *to = &s->node[s->edges[e].to];
        if (to->earliest < start + s->edges[e].latency) to->earliest = start + s->edges[e].latency;
        if (!--to->waits_for) s->ready[s->nready++] = s->edges[e].to;
    }
}

/* How far a node that comes next goes beyond the registers that it may use. */
static uint32_t excess(const struct scheduler *s, const struct node *n)
{
    uint32_t sum = 0;
    for (unsigned c = 0; c < 2; c++) {
        uint32_t live = s->live[c] + count_begun(s, n, c) - count_freed(s, n, c);
        if (live > s->allowed[c]) sum += live - s->allowed[c];
    }
    return sum;
}

static bool is_better(const struct scheduler *s, uint32_t a, uint32_t b)
{
    const struct node *x = &s->node[a], *y = &s->node[b];
    uint32_t excess_x = excess(s, x), excess_y = excess(s, y), start_x = start_of(s, x), start_y = start_of(s, y);
    if (excess_x != excess_y) return excess_x < excess_y;
    if (start_x != start_y) return start_x < start_y;
    return x->way != y->way ? x->way > y->way : a < b;
}

static uint32_t take_best(struct scheduler *s)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->nready; i++)
        if (is_better(s, s->ready[i], s->ready[best])) best = i;
    uint32_t node = s->ready[best];
    s->ready[best] = s->ready[--s->nready];
    return node;
}

/* Places all nodes, in a new order or as they are; returns how many cycles that takes. */
static uint32_t try_order(struct scheduler *s, bool renew)
{
    begin_order(s);
    for (uint32_t i = 0; i < s->n; i++) place(s, s->order[i] = renew ? take_best(s) : i);
    return s->end > s->time ? s->end : s->time;
}

static void reorder(struct scheduler *s, struct minsn *code)
{
    struct minsn old[PIECE];
    memcpy(old, code + s->first, s->n * sizeof *old);
    for (uint32_t i = 0; i < s->n; i++) code[s->first + i] = old[s->order[i]];
}

/* ---- pieces ---- */

/* Is there anything to wait for? */
static bool is_slow(const struct scheduler *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (latency_of(&s->block->code[s->first + i]) > CYCLES_ISSUE) return true;
    return false;
}

static bool is_within(const struct scheduler *s, const uint32_t most[2])
{
    return s->peak[0] <= most[0] && s->peak[1] <= most[1];
}

/* How many registers a new order may use, when the old one has been tried. */
static void find_allowed(struct scheduler *s)
{
    uint32_t vectors = s->peak[CLASS_V] + MORE;
    s->allowed[CLASS_S] = s->limit[CLASS_S];
    s->allowed[CLASS_V] = vectors < s->limit[CLASS_V] ? vectors : s->limit[CLASS_V];
}

static bool schedule_piece(struct scheduler *s, struct mblock *copy)
{
    if (s->n < 3 || !is_slow(s)) return false;
    build_graph(s);
    uint32_t before = try_order(s, false);
    if (!is_within(s, s->limit)) return false;
    find_allowed(s);
    find_ways(s);
    if (try_order(s, true) >= before || !is_within(s, s->allowed)) return false;
    reorder(s, s->block->code);
    if (copy) reorder(s, copy->code);
    return true;
}

static bool schedule_block(struct scheduler *s, struct mblock *copy)
{
    bool changed = false;
    for (s->first = 0; s->first < s->block->n; s->first += s->n + 1) {
        uint32_t end = s->first;
        while (end < s->block->n && end - s->first < PIECE && !stays(s->f, &s->block->code[end])) end++;
        s->n = end - s->first;
        changed |= schedule_piece(s, copy);
    }
    return changed;
}

static void find_pressure(struct scheduler *s)
{
    const struct func *f = s->f;
    uint32_t size = f->mblocks[f->order[f->norder - 1]].end + 2;
    for (unsigned c = 0; c < 2; c++) s->pressure[c] = cc_alloc(f->cc, size * sizeof **s->pressure);
    for (uint32_t v = FIRST_VREG; v < f->nvregs; v++) {
        const struct range *r = &f->ranges[v];
        uint32_t *pressure = s->pressure[f->vregs[v].cls];
        if (f->vregs[v].fixed || f->vregs[v].group) continue;
        for (uint32_t i = 0; i < r->n; i++) {
            pressure[r->seg[i].from]++;
            pressure[r->seg[i].to]--;
        }
    }
    for (unsigned c = 0; c < 2; c++)
        for (uint32_t i = 1; i < size; i++) s->pressure[c][i] += s->pressure[c][i - 1];
}

bool schedule_run(struct func *f, struct mblock *copy)
{
    struct scheduler *s = cc_alloc(f->cc, sizeof *s);
    bool changed = false;
    *s = (struct scheduler){.f = f};
    for (unsigned c = 0; c < 2; c++) {
        uint32_t direct = regalloc_direct(f, (enum reg_class)c);
        s->limit[c] = direct > SPARE ? direct - SPARE : 0;
    }
    s->history = cc_alloc(f->cc, f->nvregs * sizeof *s->history);
    find_pressure(s);
    for (uint32_t i = 0; i < f->norder; i++) {
        s->block = &f->mblocks[f->order[i]];
        changed |= schedule_block(s, copy ? &copy[f->order[i]] : NULL);
    }
    return changed;
}
