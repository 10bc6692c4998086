/* Finds loop nests for nest.c: the blocks of the outermost loop and of those in it, what is between them and the
 * address for which all lanes leave, and whether their lanes can run one after the other.
 *
 * Scalar registers have one value for all lanes of a warp. Lanes that run one after the other each compute them anew,
 * which is the same only if no lane reads what another one has written on its path; see shares_scalars. */
#include "translator/nest.h"

#include <string.h>

/* ---- blocks ---- */

unsigned nest_number(const struct translator *t, const struct nest *nest, uint32_t pc)
{
    const struct block *b = flow_block(t->flow, pc);
    return b && b >= nest->head && b < nest->head + NEST_BLOCKS ? (unsigned)(b - nest->head) : NEST_NONE;
}

static uint64_t bit(unsigned i) { return i < NEST_BLOCKS ? 1ull << i : 0; }

static const struct node *last_of(const struct translator *t, const struct block *b)
{
    return b->count ? &t->flow->nodes[b->first + b->count - 1] : NULL;
}

static unsigned control_of(const struct node *n)
{
    return n && n->how == HOW_CONTROL ? n->effects.control : CONTROL_NEXT;
}

unsigned nest_successors(const struct translator *t, const struct block *b, uint32_t to[2])
{
    const struct node *last = last_of(t, b);
    switch (control_of(last)) {
    case CONTROL_VBRANCH:
    case CONTROL_BRANCH: to[0] = node_next(last), to[1] = node_target(last); return 2;
    case CONTROL_JUMP: to[0] = node_target(last); return 1;
    case CONTROL_JOIN: to[0] = node_next(last); return 1;
    default: to[0] = b->end; return 1;
    }
}

static uint64_t successor_set(const struct translator *t, const struct nest *nest, unsigned i)
{
    uint32_t to[2];
    uint64_t set = 0;
    for (unsigned n = nest_successors(t, nest->head + i, to); n--;) set |= bit(nest_number(t, nest, to[n]));
    return set;
}

static bool is_there(const struct translator *t, const struct nest *nest, unsigned i)
{
    return nest->head + i < t->flow->blocks + t->flow->nblocks;
}

/* ---- instructions ---- */

static bool can_access(const struct node *n)
{
    switch (n->effects.memory.address) {
    case ADDRESS_SCALAR:
    case ADDRESS_LANES:
    case ADDRESS_INDEXED: return n->how == HOW_LOAD;
    case ADDRESS_PRIVATE: return true;
    default: return false;
    }
}

/* A jump that leaves a return address calls a function. */
static bool can_control(const struct node *n)
{
    switch (n->effects.control) {
    case CONTROL_SETRPC:
    case CONTROL_VBRANCH:
    case CONTROL_BRANCH:
    case CONTROL_JOIN: return true;
    case CONTROL_JUMP: return !n->d.in.rd;
    default: return false;
    }
}

/* May it be executed by one lane after the other? Memory must be the lane's own where it is written, and the last
 * active lane's word be that of all. */
static bool can_run(const struct node *n, const struct facts *holds)
{
    const struct v_fact word = holds->v[n->d.in.rs2];
    if (!n->d.in.vm || n->effects.mask) return false;
    switch ((enum how)n->how) {
    case HOW_ROW: return isa_table[n->d.in.op].kind != KIND_V2X || (word.period == ISA_LANES && !word.step);
    case HOW_CSR:
    case HOW_NOTHING:
    case HOW_ROUTINE: return true;
    case HOW_LOAD:
    case HOW_STORE: return can_access(n);
    case HOW_CONTROL: return can_control(n);
    default: return false;
    }
}

static bool can_run_block(const struct translator *t, const struct nest *nest, unsigned i)
{
    const struct block *b = nest->head + i;
    const struct node *n = &t->flow->nodes[b->first], *end = n + b->count;
    const bool *reached = t->facts.reached[b - t->flow->blocks];
    if (b->leaves || (!reached[MASKED] && !reached[FULL])) return false;
    if (function_of(&t->functions, b) != function_of(&t->functions, nest->head)) return false;
    struct facts holds = facts_of_block(&t->facts, b);
    for (; n < end && can_run(n, &holds); n++) facts_step(&holds, n, t->flow);
    return n == end;
}

/* ---- loops ---- */

/* Blocks of `within`, or anywhere behind the head, that can come to a block without leaving this set. */
static uint64_t loop_body(const struct translator *t, const struct nest *nest, unsigned head, uint64_t within)
{
    uint64_t body = 0, old;
    do {
        old = body;
        for (unsigned i = head; i < NEST_BLOCKS && is_there(t, nest, i); i++)
            if (within >> i & 1 && successor_set(t, nest, i) & (body | bit(head))) body |= bit(i);
    } while (body != old);
    return body & bit(head) ? body : 0;
}

/* Of the branches that leave a loop, the reconvergence point that all divergent ones have; without any, the address for
 * which they leave. 0: there is none, or several. */
static uint32_t find_exit(const struct translator *t, const struct nest *nest, uint64_t body)
{
    uint32_t to[2], rpc = 0, target = 0;
    bool differ = false;
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        const struct block *b = nest->head + i;
        if (!(body >> i & 1)) continue;
        for (unsigned n = nest_successors(t, b, to); n--;) {
            const struct node *last = last_of(t, b);
            if (body & bit(nest_number(t, nest, to[n]))) continue;
            differ |= target && target != to[n];
            target = to[n];
            if (control_of(last) != CONTROL_VBRANCH) continue;
            const uint32_t own = paths_rpc(&t->facts.paths, last);
            if (!own || (rpc && rpc != own)) return 0;
            rpc = own;
        }
    }
    return rpc ? rpc : differ ? 0 : target;
}

/* Adds what is between the loop and its exit. False: that is too much, or goes elsewhere. */
static bool add_ways_out(const struct translator *t, struct nest *nest)
{
    uint64_t old;
    do {
        old = nest->blocks;
        for (unsigned i = 0; i < NEST_BLOCKS; i++) {
            uint32_t to[2];
            if (!(old >> i & 1)) continue;
            for (unsigned n = nest_successors(t, nest->head + i, to); n--;) {
                if (to[n] == nest->exit) continue;
                if (nest_number(t, nest, to[n]) == NEST_NONE) return false;
                nest->blocks |= bit(nest_number(t, nest, to[n]));
            }
        }
    } while (nest->blocks != old);
    return !(nest->blocks & bit(nest_number(t, nest, nest->exit)));
}

/* Is a block of `set` but `head` reached from outside the set? */
static bool is_entered(const struct translator *t, const struct nest *nest, uint64_t set, unsigned head)
{
    for (const struct block *b = t->flow->blocks; b < t->flow->blocks + t->flow->nblocks; b++) {
        const unsigned i = nest_number(t, nest, b->pc);
        uint32_t to[2];
        if (set & bit(i)) continue;
        for (unsigned n = nest_successors(t, b, to); n--;)
            if (set & ~bit(head) & bit(nest_number(t, nest, to[n]))) return true;
    }
    return false;
}

static bool is_head(const struct nest *nest, unsigned block, unsigned from)
{
    unsigned i = 0;
    while (i < nest->nlevels && (nest->levels[i].head != block || !(nest->levels[i].body >> from & 1))) i++;
    return i < nest->nlevels;
}

/* Does control go backward, in the order of addresses, to heads of loops only? */
static bool goes_forward(const struct translator *t, const struct nest *nest)
{
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        const uint64_t upto = bit(i) | (bit(i) - 1);
        uint64_t back = nest->blocks >> i & 1 ? successor_set(t, nest, i) & nest->blocks & upto : 0;
        for (; back; back &= back - 1)
            if (!is_head(nest, (unsigned)__builtin_ctzll(back), i)) return false;
    }
    return true;
}

static bool find_levels(const struct translator *t, struct nest *nest)
{
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        if (!(nest->blocks >> i & 1)) continue;
        const uint64_t body = loop_body(t, nest, i, nest->blocks);
        if (!body) continue;
        if (nest->nlevels == NEST_LEVELS || is_entered(t, nest, body, i)) return false;
        struct nest_level *l = &nest->levels[nest->nlevels];
        *l = (struct nest_level){.body = body, .head = (uint8_t)i, .parent = NEST_NONE};
        for (unsigned k = 0; k < nest->nlevels; k++)
            if (nest->levels[k].body >> i & 1) l->parent = (uint8_t)k;
        if (l->parent == NEST_NONE && nest->nlevels) return false; /* on a way out */
        nest->nlevels++;
    }
    return goes_forward(t, nest);
}

/* The innermost loop of a block. */
static unsigned level_of(const struct nest *nest, unsigned block)
{
    unsigned level = NEST_NONE;
    for (unsigned k = 0; k < nest->nlevels; k++)
        if (nest->levels[k].body >> block & 1) level = k;
    return level;
}

/* ---- divergent branches ---- */

/* Blocks from `start` on in front of the branch's reconvergence point, in one iteration of its loop. False: they are
 * not all on the way there, or to another iteration of this loop. */
static bool find_path(const struct translator *t, const struct nest *nest, struct nest_branch *b, bool taken,
                      uint32_t start)
{
    const struct nest_level *own = &nest->levels[b->level];
    uint64_t *path = &b->paths[taken], from = 0;
    uint32_t to[2] = {start};
    unsigned i = b->block, n = 1;
    for (;;) {
        while (n--) {
            const unsigned next = nest_number(t, nest, to[n]);
            if (to[n] == b->rpc) continue;
            if (to[n] == nest->exit) return false;
            if (next > i) from |= bit(next) & ~*path;
            else if (next == own->head) b->goes_back[taken] = true;
            else if (is_head(nest, next, b->block)) return false;
        }
        if (!from) return true;
        i = (unsigned)__builtin_ctzll(from);
        from &= from - 1;
        *path |= bit(i);
        n = nest_successors(t, nest->head + i, to);
    }
}

bool begins_with_join(const struct translator *t, uint32_t pc)
{
    const struct block *b = flow_block(t->flow, pc);
    return b && b->count == 1 && !b->leaves && control_of(last_of(t, b)) == CONTROL_JOIN;
}

static bool find_branch(const struct translator *t, const struct nest *nest, struct nest_branch *b)
{
    const unsigned join = nest_number(t, nest, b->rpc);
    const bool within = b->rpc != nest->exit && nest->levels[b->level].body & bit(join);
    if (!b->rpc || (b->rpc != nest->exit && !(nest->blocks & bit(join))) || !begins_with_join(t, b->rpc)) return false;
    if (!find_path(t, nest, b, false, node_next(b->node)) || !find_path(t, nest, b, true, node_target(b->node)))
        return false;
    if (b->paths[0] & b->paths[1] || (b->goes_back[0] && b->goes_back[1])) return false;
    return !within || (!b->goes_back[0] && !b->goes_back[1]);
}

/* With one branch alone, the lanes of a loop differ in nothing but how often they iterate: vectors are faster. */
static bool find_branches(const struct translator *t, struct nest *nest)
{
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        const struct node *last = nest->blocks >> i & 1 ? last_of(t, nest->head + i) : NULL;
        if (control_of(last) != CONTROL_VBRANCH) continue;
        if (nest->nbranches == NEST_BRANCHES || level_of(nest, i) == NEST_NONE) return false;
        struct nest_branch *b = &nest->branches[nest->nbranches];
        *b = (struct nest_branch){.node = last, .rpc = paths_rpc(&t->facts.paths, last), .block = (uint8_t)i};
        b->level = (uint8_t)level_of(nest, i);
        if (!find_branch(t, nest, b)) return false;
        nest->levels[b->level].branches |= bit(nest->nbranches++);
    }
    return nest->nbranches > 1;
}

/* Do all lanes take part in each iteration, and need its branches no SIMT stack? Then it is as fast without a nest. */
static bool is_predicated(const struct translator *t, const struct nest *nest)
{
    bool all = nest->nlevels == 1;
    for (unsigned k = 0; k < nest->nbranches; k++) {
        const struct nest_branch *b = &nest->branches[k];
        all &= !b->goes_back[0] && !b->goes_back[1] && b->rpc != nest->exit && predicate_levels(t, b->node);
    }
    return all;
}

/* A block on a way out of a loop is executed once for each iteration in which lanes leave. False: so are branches of
 * the loop around it. */
static bool find_own(struct nest *nest)
{
    bool apart = true;
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        unsigned level = level_of(nest, i);
        if (!(nest->blocks >> i & 1)) continue;
        for (unsigned k = 0; k < nest->nbranches; k++) {
            const struct nest_branch *b = &nest->branches[k];
            const bool on_path = (b->paths[0] | b->paths[1]) >> i & 1;
            if (on_path && (level == NEST_NONE || nest->levels[level].body >> nest->levels[b->level].head & 1))
                level = b->level;
        }
        nest->owner[i] = (uint8_t)(level == NEST_NONE ? 0 : level);
        nest->levels[nest->owner[i]].own |= bit(i);
    }
    for (unsigned k = 0; k < nest->nbranches; k++)
        apart &= nest->levels[nest->branches[k].level].own >> nest->branches[k].block & 1;
    return apart;
}

/* The innermost path of a level's branches that a block is on. */
static struct nest_path path_of(const struct nest *nest, unsigned level, unsigned block)
{
    struct nest_path path = {NEST_NONE, false};
    uint64_t least = 0;
    for (unsigned k = 0; k < nest->nbranches; k++) {
        const struct nest_branch *b = &nest->branches[k];
        const uint64_t both = b->paths[0] | b->paths[1];
        if (b->level != level || !(both >> block & 1) || (path.branch != NEST_NONE && both & ~least)) continue;
        path = (struct nest_path){(uint8_t)k, b->paths[1] >> block & 1};
        least = both;
    }
    return path;
}

static bool is_same(struct nest_path a, struct nest_path b) { return a.branch == b.branch && a.taken == b.taken; }

/* On which path does a block go back to the head of its loop? It does so behind its own branch, if it has one. */
static struct nest_path way_back(const struct nest *nest, unsigned level, unsigned block)
{
    for (unsigned k = 0; k < nest->nbranches; k++)
        if (nest->branches[k].block == block && nest->branches[k].level == level)
            return (struct nest_path){(uint8_t)k,
                                      node_target(nest->branches[k].node) == nest->head[nest->levels[level].head].pc};
    return path_of(nest, level, block);
}

/* All ways back are on one path. */
static bool find_back(const struct translator *t, struct nest *nest, unsigned level)
{
    struct nest_level *l = &nest->levels[level];
    bool found = false;
    for (unsigned i = l->head; i < NEST_BLOCKS; i++) {
        if (!(l->body >> i & 1) || !(successor_set(t, nest, i) & bit(l->head))) continue;
        struct nest_path path = way_back(nest, level, i);
        if (!(l->own >> i & 1) || (found && !is_same(path, l->back))) return false;
        l->back = path;
        found = true;
    }
    return found;
}

static bool find_paths(const struct translator *t, struct nest *nest)
{
    for (unsigned k = 0; k < nest->nbranches; k++)
        nest->branches[k].path = path_of(nest, nest->branches[k].level, nest->branches[k].block);
    for (unsigned k = 0; k < nest->nlevels; k++) {
        struct nest_level *l = &nest->levels[k];
        if (!find_back(t, nest, k)) return false;
        l->entry = k ? path_of(nest, l->parent, l->head) : (struct nest_path){NEST_NONE, false};
    }
    return true;
}

/* ---- registers ---- */

static uint64_t scalars_written(const struct translator *t, const struct nest *nest, uint64_t blocks)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        if (!(blocks >> i & 1)) continue;
        const struct block *b = nest->head + i;
        for (size_t k = b->first; k < b->first + b->count; k++) x |= node_written(t->flow, &t->flow->nodes[k]).x;
    }
    return x;
}

/* Blocks that are looked at on the ways behind one, and where there is one way. */
enum { WALK_BLOCKS = 64, BLOCKS_BEHIND = 16 };
struct walk {
    const struct block *blocks[WALK_BLOCKS]; /* each once */
    unsigned count;
};

/* False: that is no block, or one too many. */
static bool walk_add(struct walk *walk, const struct block *b)
{
    for (unsigned i = 0; i < walk->count; i++)
        if (walk->blocks[i] == b) return true;
    if (!b || walk->count == WALK_BLOCKS) return false;
    walk->blocks[walk->count++] = b;
    return true;
}

/* Can control come from `pc` to the nest in front of the join? */
static bool leads_to_nest(const struct translator *t, const struct nest *nest, uint32_t pc, const struct node *join)
{
    struct walk walk = {.count = 0};
    if (pc == join->pc) return false;
    if (!walk_add(&walk, flow_block(t->flow, pc))) return true;
    for (unsigned i = 0; i < walk.count; i++) {
        const struct block *b = walk.blocks[i];
        const unsigned control = control_of(last_of(t, b));
        uint32_t to[2];
        if (control == CONTROL_END) continue;
        if (b->leaves || control == CONTROL_INDIRECT || nest->blocks & bit(nest_number(t, nest, b->pc))) return true;
        for (unsigned n = nest_successors(t, b, to); n--;)
            if (to[n] != join->pc && !walk_add(&walk, flow_block(t->flow, to[n]))) return true;
    }
    return false;
}

/* Is there one way on, for all lanes? */
static bool goes_straight(const struct translator *t, const struct block *b)
{
    const unsigned control = b && !b->leaves ? control_of(last_of(t, b)) : CONTROL_END;
    return control == CONTROL_NEXT || (control == CONTROL_JUMP && !last_of(t, b)->d.in.rd);
}

/* Scalar registers that are read in front of where they are written. */
struct uses {
    uint64_t read, written;
};

static void use_block(const struct translator *t, const struct block *b, struct uses *uses)
{
    for (const struct node *n = &t->flow->nodes[b->first]; n < &t->flow->nodes[b->first + b->count]; n++) {
        uses->read |= node_read(n).x & ~uses->written;
        uses->written |= node_written(t->flow, n).x;
    }
}

/* Scalar registers that lanes may read which wait on a path: up to the join where that is in no branch, since what
 * follows the join is the same for all. */
static uint64_t live_on_path(const struct translator *t, const struct path *path)
{
    struct uses uses = {0};
    uint32_t pc = path->pc, to[2];
    for (unsigned i = 0; i < BLOCKS_BEHIND && pc != path->rpc && goes_straight(t, flow_block(t->flow, pc)); i++) {
        use_block(t, flow_block(t->flow, pc), &uses);
        nest_successors(t, flow_block(t->flow, pc), to);
        pc = to[0];
    }
    return pc == path->rpc ? uses.read : live_at(&t->liveness, path->pc).x;
}

/* The same of all that wait for a join. Of a branch whose other path does not lead to the nest, lanes of the nest have
 * been on this one, and nobody waits there. */
static uint64_t live_where_waits(const struct translator *t, const struct nest *nest, const struct node *join)
{
    const struct paths *s = &t->facts.paths;
    uint64_t x = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct path *p = &s->list[i], *other = &s->list[i ^ 1];
        if (!path_waits_for(p, join) || p->pc == join->pc || nest->blocks & bit(nest_number(t, nest, p->pc))) continue;
        if (!p->rpc || leads_to_nest(t, nest, other->pc, join)) x |= live_on_path(t, p);
    }
    return x;
}

/* Scalar registers that somebody may read behind the nest, along the blocks that all lanes of it execute. liveness.h
 * does not know which paths nobody waits on. */
static uint64_t live_behind_exit(const struct translator *t, const struct nest *nest)
{
    struct uses uses = {0};
    uint32_t pc = nest->exit, to[2];
    if (t->flow->request->registers == REGISTERS_ALL) return ~0ull;
    for (unsigned i = 0; i < BLOCKS_BEHIND; i++, pc = to[0]) {
        const struct block *b = flow_block(t->flow, pc);
        const bool joins = begins_with_join(t, pc) && (i == 0 || t->facts.closed); /* paths.h, path_next */
        if (!joins && !goes_straight(t, b)) break;
        use_block(t, b, &uses);
        if (joins) uses.read |= live_where_waits(t, nest, last_of(t, b)) & ~uses.written;
        nest_successors(t, b, to);
    }
    return uses.read | (live_at(&t->liveness, pc).x & ~uses.written);
}

/* In front of a block, what the lane reads that executes it. */
static uint64_t live_before_block(const struct translator *t, const struct nest *nest, const uint64_t *live,
                                  const struct block *b)
{
    uint32_t to[2];
    uint64_t x = 0;
    for (unsigned n = nest_successors(t, b, to); n--;)
        x |= live[to[n] == nest->exit ? NEST_BLOCKS : nest_number(t, nest, to[n])];
    for (size_t k = b->first + b->count; k-- > b->first;)
        x = (x & ~node_written(t->flow, &t->flow->nodes[k]).x) | node_read(&t->flow->nodes[k]).x;
    return x;
}

/* Of a lane alone, in front of each block and (the last one) of the exit. The registers of liveness.h are also those
 * that lanes read which wait meanwhile. */
static void find_live(const struct translator *t, const struct nest *nest, uint64_t live[NEST_BLOCKS + 1])
{
    bool changed = true;
    memset(live, 0, (NEST_BLOCKS + 1) * sizeof *live);
    live[NEST_BLOCKS] = live_behind_exit(t, nest);
    while (changed) {
        changed = false;
        for (unsigned i = NEST_BLOCKS; i-- > 0;) {
            if (!(nest->blocks >> i & 1)) continue;
            const uint64_t x = live_before_block(t, nest, live, nest->head + i);
            changed |= x != live[i];
            live[i] = x;
        }
    }
}

static uint64_t live_there(const struct translator *t, const struct nest *nest, const uint64_t *live, uint32_t pc)
{
    return live[pc == nest->exit ? NEST_BLOCKS : nest_number(t, nest, pc)];
}

/* What a path writes, with all iterations that follow on it. */
static uint64_t written_on(const struct translator *t, const struct nest *nest, const struct nest_branch *b, bool taken)
{
    return scalars_written(t, nest, b->paths[taken] | (b->goes_back[taken] ? nest->levels[b->level].body : 0));
}

/* Does a lane read a scalar register that others have written on another path? */
static bool shares_scalars(const struct translator *t, const struct nest *nest)
{
    uint64_t live[NEST_BLOCKS + 1], shared;
    find_live(t, nest, live);
    shared = nest->x & live[NEST_BLOCKS];
    for (unsigned k = 0; k < nest->nbranches; k++) {
        const struct nest_branch *b = &nest->branches[k];
        const uint64_t next = written_on(t, nest, b, false), target = written_on(t, nest, b, true);
        shared |= next & live_there(t, nest, live, node_target(b->node));
        shared |= target & live_there(t, nest, live, node_next(b->node));
        shared |= (next | target) & live_there(t, nest, live, b->rpc);
    }
    return shared & ~1ull;
}

static void find_registers(const struct translator *t, struct nest *nest)
{
    struct isa_registers used = {0}, written = {0}, before = live_at(&t->liveness, nest->head->pc);
    struct isa_registers behind = live_at(&t->liveness, nest->exit);
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        if (!(nest->blocks >> i & 1)) continue;
        const struct block *b = nest->head + i;
        for (size_t k = b->first; k < b->first + b->count; k++) {
            struct isa_registers r = node_read(&t->flow->nodes[k]), w = node_written(t->flow, &t->flow->nodes[k]);
            registers_add(&used, &r);
            registers_add(&written, &w);
            nest->stores |= t->flow->nodes[k].how == HOW_STORE;
        }
    }
    registers_add(&used, &written);
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) {
        nest->in.v[i] = used.v[i] & before.v[i];
        nest->out.v[i] = written.v[i] & behind.v[i];
    }
    nest->x = written.x;
}

static bool sets_rpc(const struct translator *t, const struct block *b)
{
    bool sets = false;
    for (size_t i = b->first; i < b->first + b->count; i++) {
        const struct node *n = &t->flow->nodes[i];
        sets |= n->how == HOW_CONTROL && n->effects.control == CONTROL_SETRPC;
    }
    return sets;
}

/* Does control come from the head to a branch without another reconvergence point? */
static bool keeps_rpc(const struct translator *t, const struct nest *nest)
{
    uint64_t without = bit(0), old;
    do {
        old = without;
        for (unsigned i = 0; i < NEST_BLOCKS; i++)
            if (old >> i & 1 && !sets_rpc(t, nest->head + i)) without |= successor_set(t, nest, i) & nest->blocks;
    } while (without != old);
    for (unsigned k = 0; k < nest->nbranches; k++)
        if (without & bit(nest->branches[k].block) && !sets_rpc(t, nest->head + nest->branches[k].block)) return true;
    return false;
}

enum rpc_use { RPC_READ, RPC_SET, RPC_ON };

/* What a block does first with the reconvergence point that is set in front of it. */
static enum rpc_use use_of_rpc(const struct translator *t, const struct block *b)
{
    for (size_t i = b->first; i < b->first + b->count; i++) {
        const struct node *n = &t->flow->nodes[i];
        if (n->how == HOW_HELP || n->how == HOW_LEAVE || (n->how == HOW_CSR && n->d.in.aux == CSR_RPC)) return RPC_READ;
        switch (control_of(n)) {
        case CONTROL_SETRPC:
        case CONTROL_END: return RPC_SET;
        case CONTROL_VBRANCH:
        case CONTROL_INDIRECT: return RPC_READ;
        default: break;
        }
    }
    return b->leaves ? RPC_READ : RPC_ON;
}

bool nest_rpc_is_read(const struct translator *t, const struct nest *nest)
{
    struct walk walk = {.count = 0};
    if (t->flow->request->registers == REGISTERS_ALL || !walk_add(&walk, flow_block(t->flow, nest->exit))) return true;
    for (unsigned i = 0; i < walk.count; i++) {
        const enum rpc_use use = use_of_rpc(t, walk.blocks[i]);
        uint32_t to[2];
        if (use == RPC_READ) return true;
        for (unsigned n = use == RPC_ON ? nest_successors(t, walk.blocks[i], to) : 0; n--;)
            if (!walk_add(&walk, flow_block(t->flow, to[n]))) return true;
    }
    return false;
}

/* The stack has no entry on top that a join in the nest would pop before any of its branches diverges. */
static bool keeps_stack(const struct translator *t, const struct nest *nest)
{
    const size_t head = (size_t)(nest->head - t->flow->blocks);
    if (!t->facts.reached[head][MASKED]) return true;
    for (unsigned i = 0; i < NEST_BLOCKS; i++) {
        const struct node *last = nest->blocks >> i & 1 ? last_of(t, nest->head + i) : NULL;
        if (control_of(last) != CONTROL_JOIN) continue;
        const unsigned element = joins_element(&t->facts.joins, last->pc);
        if (element == TOP_COUNT || top_set_has(&t->facts.in[head][MASKED].tops, element)) return false;
    }
    return true;
}

/* ---- nests ---- */

bool nest_find(const struct translator *t, const struct block *head, struct nest *nest)
{
    *nest = (struct nest){.head = head};
    nest->blocks = loop_body(t, nest, 0, ~0ull);
    nest->exit = find_exit(t, nest, nest->blocks);
    const struct block *exit = nest->exit ? flow_block(t->flow, nest->exit) : NULL;
    if (!exit || function_of(&t->functions, exit) != function_of(&t->functions, head)) return false;
    if (!add_ways_out(t, nest) || is_entered(t, nest, nest->blocks, 0)) return false;
    for (unsigned i = 0; i < NEST_BLOCKS; i++)
        if (nest->blocks >> i & 1 && !can_run_block(t, nest, i)) return false;
    if (!find_levels(t, nest) || !find_branches(t, nest) || is_predicated(t, nest) || !find_own(nest) ||
        !find_paths(t, nest))
        return false;
    if (!nest_find_record(t, nest)) return false;
    find_registers(t, nest);
    nest->keeps_rpc = keeps_rpc(t, nest);
    if (nest->keeps_rpc && !facts_of_block(&t->facts, head).rpc.known) return false;
    return !shares_scalars(t, nest) && keeps_stack(t, nest);
}
