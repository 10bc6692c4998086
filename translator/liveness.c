/* Backward over the blocks of both versions until nothing changes. At an indirect jump whose targets are not known
 * everything is live. Called by translate.c. */
#include "translator/liveness.h"

#include <stdlib.h>
#include <string.h>

struct isa_registers all_registers(void)
{
    struct isa_registers all;
    memset(&all, 0xff, sizeof all);
    return all;
}

/* Is every register live, because somebody looks at whole warps? */
static bool is_whole(const struct liveness *l) { return l->flow->request->registers == REGISTERS_ALL; }

static void take(struct isa_registers *from, const struct isa_registers *what, bool vectors)
{
    from->x &= ~what->x;
    for (unsigned i = 0; i < ISA_VREGS / 64 && vectors; i++) from->v[i] &= ~what->v[i];
}

/* Registers that are read later in lanes that are active now, and in any lane. A masked write ends the first, but the
 * second only if it writes all lanes, or if no inactive lane reads the register later. */
struct needs {
    struct isa_registers active, all;
};

/* Does the instruction look at lanes that are not active? At a mask in v0, whose bits are one lane's word, too. */
static struct isa_registers reads_whole(const struct node *n)
{
    struct isa_registers whole = {0};
    if (node_looks_across(n)) return isa_registers_read(&n->d.in, &n->effects);
    if (n->effects.mask) whole.v[0] |= 1;
    return whole;
}

/* From behind an instruction to the place in front of it. */
static void step_back(const struct flow *flow, struct needs *needs, const struct node *n,
                      const struct isa_registers *others)
{
    struct isa_registers reads = node_read(n), whole = reads_whole(n);
    struct isa_registers writes = node_written(flow, n), gone = writes;
    bool every = n->d.in.vm || n->how == HOW_ROUTINE; /* lane that is active */
    if (n->how != HOW_HELP) {                         /* help may write in part */
        take(&needs->active, &writes, every);
        for (unsigned i = 0; i < ISA_VREGS / 64; i++) gone.v[i] &= ~others->v[i];
        take(&needs->all, &gone, every);
    }
    if (n->how == HOW_VSET) needs->all = all_registers(); /* with fewer lanes, what is written next keeps the others */
    registers_add(&needs->active, &reads);
    registers_add(&needs->all, &whole);
}

static void add_block(const struct liveness *l, struct isa_registers *live, uint32_t pc, enum version version)
{
    const struct block *b = flow_block(l->flow, pc);
    struct isa_registers all = all_registers();
    registers_add(live, b ? &l->in[b - l->flow->blocks][version] : &all);
}

static void add_both(const struct liveness *l, struct isa_registers *live, uint32_t pc)
{
    add_block(l, live, pc, MASKED);
    add_block(l, live, pc, FULL);
}

struct isa_registers live_in(const struct liveness *l, uint32_t pc, enum version version)
{
    struct isa_registers live = {0};
    if (version == FULL) add_block(l, &live, pc, FULL);
    else add_both(l, &live, pc);
    return live;
}

struct isa_registers live_at(const struct liveness *l, uint32_t pc)
{
    struct isa_registers live = {0};
    add_both(l, &live, pc);
    return live;
}

/* Behind the join of a masked block: the join's block again, when all lanes have arrived, or the path that waits. */
static void add_join(const struct liveness *l, struct isa_registers *live, const struct block *b,
                     const struct node *join)
{
    struct join_ways ways = facts_join(l->facts, b);
    if (!l->facts->closed) { /* what waits may be code that nobody knows */
        *live = all_registers();
        return;
    }
    if (ways.next) add_block(l, live, node_next(join), MASKED);
    if (ways.full) add_block(l, live, join->pc, FULL);
    if (ways.some) add_block(l, live, join->pc, MASKED);
    for (const struct path *path = NULL; ways.pop && (path = path_next(&l->facts->paths, join, path));)
        add_block(l, live, path->pc, MASKED);
}

struct isa_registers live_behind(const struct liveness *l, const struct block *b, enum version version)
{
    const struct node *last = b->count ? &l->flow->nodes[b->first + b->count - 1] : NULL;
    unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    struct isa_registers live = {0};
    uint32_t target;
    bool told;
    if (b->leaves || is_whole(l)) return all_registers();
    switch (control) {
    case CONTROL_BRANCH:
        add_block(l, &live, node_target(last), version);
        add_block(l, &live, b->end, version);
        break;
    case CONTROL_VBRANCH:
        add_block(l, &live, node_target(last), version);
        add_block(l, &live, b->end, version);
        if (version == FULL) {
            add_block(l, &live, node_target(last), MASKED);
            add_block(l, &live, b->end, MASKED);
        }
        registers_add(&live, &l->diverged);
        break;
    case CONTROL_JUMP: add_block(l, &live, node_target(last), version); break;
    case CONTROL_INDIRECT:
        if (!facts_target(l->facts, b, version, &target, &told) || told) return all_registers();
        add_block(l, &live, target, version);
        break;
    case CONTROL_JOIN:
        if (version == FULL) add_block(l, &live, b->end, version);
        else add_join(l, &live, b, last);
        break;
    case CONTROL_BARRIER: return live_in(l, b->end, version);
    case CONTROL_END: break;
    default: add_block(l, &live, b->end, version);
    }
    return live;
}

struct isa_registers live_before(const struct liveness *l, const struct block *b, enum version version,
                                 const struct node *n)
{
    static const struct isa_registers nobody;
    const struct isa_registers *others = version == FULL ? &nobody : &l->others[b - l->flow->blocks];
    struct needs needs = {.all = live_behind(l, b, version)};
    if (is_whole(l)) return needs.all;
    for (size_t i = b->first + b->count; i-- > b->first && &l->flow->nodes[i] >= n;)
        step_back(l->flow, &needs, &l->flow->nodes[i], others);
    registers_add(&needs.all, &needs.active);
    return needs.all;
}

static bool update(struct liveness *l, size_t block, enum version version)
{
    const struct block *b = &l->flow->blocks[block];
    if (l->facts->closed && !l->facts->reached[block][version]) return false;
    struct isa_registers live = live_before(l, b, version, &l->flow->nodes[b->first]);
    if (!memcmp(&live, &l->in[block][version], sizeof live)) return false;
    l->in[block][version] = live;
    return true;
}

static void make_whole(struct liveness *l)
{
    l->diverged = all_registers();
    memset(l->in, 0xff, l->flow->nblocks * sizeof *l->in);
    memset(l->others, 0xff, l->flow->nblocks * sizeof *l->others);
}

bool liveness_make(struct liveness *l, const struct flow *flow, const struct fact_table *facts)
{
    *l = (struct liveness){.flow = flow, .facts = facts, .in = calloc(flow->nblocks + 1, sizeof *l->in)};
    l->others = inactive_make(flow, facts);
    if (flow->request->lanes == LANES_CONVERGENT) l->diverged = inactive_read_whole(flow);
    if (l->in && l->others && is_whole(l)) make_whole(l);
    for (bool changed = l->in && l->others; changed;) {
        changed = false;
        for (size_t i = 2 * flow->nblocks; i-- > 0;) changed |= update(l, i / 2, (enum version)(i % 2));
    }
    return l->in && l->others;
}

void liveness_free(struct liveness *l)
{
    free(l->in);
    free(l->others);
}
