/* Finds blocks: first all instructions that can be reached, then the addresses at which blocks begin.
 *
 * Indirect jumps are taken to go behind calls of their function or to the kernel; translated code that meets another
 * target gives the warp back. Called by translate.c. */
#include "translator/flow.h"

#include <stdlib.h>
#include <string.h>

enum { ROUTINE_MOST = 4000 /* instructions: a guess */ };
enum { BLOCK_MOST = 1 << 15 /* instructions: what a block counts are numbers of 16 bits */ };
enum { REACHED = 1, LEADER = 2, CHECKED = 4, ENTRY = 8, PATH = 16 /* a side of a vector branch */ };

/* One byte of marks for each word of code, and the words yet to be followed. */
struct search {
    struct flow *f;
    const struct gpu *gpu; /* of the request's profile, for code_decode */
    uint8_t *marks;
    uint32_t *todo;
    size_t ntodo;
    size_t room; /* for nodes */
    bool has_routines, has_loops;
};

static bool index_of(const struct search *s, uint32_t pc, uint32_t *index)
{
    const struct native_request *r = s->f->request;
    *index = (pc - r->code_base) / 4;
    return pc >= r->code_base && *index < r->code_words && !(pc & 3);
}

static void mark(struct search *s, uint32_t pc, unsigned marks)
{
    uint32_t i;
    if (!index_of(s, pc, &i)) return;
    if (!(s->marks[i] & REACHED)) s->todo[s->ntodo++] = pc;
    s->marks[i] |= (uint8_t)(marks | REACHED);
}

static bool has_mark(const struct search *s, uint32_t pc, unsigned marks)
{
    uint32_t i;
    return index_of(s, pc, &i) && (s->marks[i] & marks);
}

/* ---- what an instruction is ---- */

static enum how how_csr(const struct insn *in)
{
    bool writes = (isa_table[in->op].flags & ISA_ALWAYS) || in->rs1 || in->imm;
    if (isa_csr_per_lane(in->aux)) return HOW_LEAVE;
    switch (in->aux) {
    case CSR_TID:
    case CSR_NUMW:
    case CSR_NUMT:
    case CSR_KNL:
    case CSR_WID:
    case CSR_MHARTID:
    case CSR_LDS:
    case CSR_GIDX:
    case CSR_GIDY:
    case CSR_GIDZ: return writes ? HOW_LEAVE : HOW_CSR;
    case CSR_MSTATUS: return HOW_MSTATUS;
    case CSR_PDS:
    case CSR_WGID:
    case CSR_VLENB: return HOW_HELP;
    default: return HOW_LEAVE;
    }
}

bool node_truncates(const struct node *n)
{
    const struct insn *in = &n->d.in;
    return (in->op == OP_FCVT_W_S || in->op == OP_FCVT_WU_S) && in->rm == FP_RTZ;
}

/* How an instruction that no prefix changes is translated. */
static enum how how_kind(const struct node *n)
{
    const struct insn *in = &n->d.in;
    const struct isa_desc *row = &isa_table[in->op];
    bool own_mode = (row->flags & ISA_ROUND) && in->rm != 7 && in->rm != 0 && !node_truncates(n);
    switch (row->kind) {
    case KIND_X:
    case KIND_V:
    case KIND_VV:
    case KIND_VX:
    case KIND_VI:
    case KIND_V1I:
    case KIND_V2X: return own_mode ? HOW_HELP : HOW_ROW;
    case KIND_XLOAD:
    case KIND_VLOAD:
    case KIND_PLOAD:
    case KIND_ULOAD:
    case KIND_SLOAD:
    case KIND_ILOAD: return HOW_LOAD;
    case KIND_XSTORE:
    case KIND_VSTORE:
    case KIND_PSTORE:
    case KIND_USTORE:
    case KIND_SSTORE:
    case KIND_ISTORE: return HOW_STORE;
    case KIND_AMO: return HOW_ATOMIC;
    case KIND_CSR: return how_csr(in);
    case KIND_VSET: return in->op == OP_VSETVLI && in->rs1 ? HOW_VSET : HOW_LEAVE;
    case KIND_FENCE: return HOW_FENCE;
    case KIND_BARRIERSUB: return HOW_NOTHING;
    case KIND_BRANCH:
    case KIND_VBRANCH:
    case KIND_JAL:
    case KIND_JALR:
    case KIND_JOIN:
    case KIND_SETRPC:
    case KIND_BARRIER:
    case KIND_ENDPRG: return HOW_CONTROL;
    case KIND_EV: return in->op == OP_VSHUFFLE_DOWN_RAW && in->vm ? HOW_SHUFFLE : HOW_HELP;
    case KIND_EX:
    case KIND_EW:
    case KIND_MMA: return HOW_HELP;
    default: return HOW_LEAVE;
    }
}

/* lr.w and sc.w of lanes, of addresses that are as they stand in the register. */
static bool is_plain_reservation(const struct node *n)
{
    const struct insn *in = &n->d.in;
    unsigned kind = isa_table[in->op].kind;
    return (kind == KIND_LR || kind == KIND_SC) && in->vm && !in->imm && !in->space && !n->effects.memory.is_long;
}

static enum how how_of(const struct flow *f, const struct node *n)
{
    const struct native_request *r = f->request;
    if (n->d.vregs > r->vgprs || n->d.xregs > r->sgprs) return HOW_LEAVE;
    bool by_lane = n->effects.mask && isa_is_document((enum isa_profile)r->profile); /* warp_v0 */
    if (n->d.dispatch == n->d.in.op) return by_lane && how_kind(n) != HOW_LEAVE ? HOW_HELP : how_kind(n);
    if (n->d.dispatch == DISPATCH_EXACT) return HOW_HELP;
    if (n->d.dispatch == DISPATCH_MEMORY && is_plain_reservation(n)) return HOW_ATOMIC;
    return n->d.dispatch == DISPATCH_MEMORY ? HOW_HELP : HOW_LEAVE;
}

/* An instruction that `step` executes within a block counts itself, but for being one. */
static void set_counts(struct node *n)
{
    const struct isa_memory *m = &n->effects.memory;
    memset(n->counts, 0, sizeof n->counts);
    if (n->how == HOW_LEAVE) return;
    n->counts[COUNT_INSTRUCTIONS] = 1;
    if (n->how == HOW_HELP) return;
    n->counts[COUNT_VECTOR] = n->effects.vectors != 0;
    n->counts[COUNT_BRANCHES] = n->effects.control == CONTROL_VBRANCH;
    n->counts[COUNT_LOADS] = m->action == ACTION_LOAD && m->words;
    n->counts[COUNT_STORES] = m->action == ACTION_STORE && m->words;
    n->counts[COUNT_ATOMICS] = isa_is_atomic(m);
}

static void decode_single(const struct search *s, uint32_t pc, struct node *n)
{
    uint32_t i = (pc - s->f->request->code_base) / 4;
    size_t left = s->f->request->code_words - i;
    code_decode(s->gpu, s->f->code + i, left < ISA_MAX_WORDS ? left : ISA_MAX_WORDS, &n->d);
    n->effects = isa_effects(&n->d.in, s->f->request->threads);
    n->pc = pc;
    n->how = (uint8_t)how_of(s->f, n);
    s->f->reserves |= n->effects.memory.action == ACTION_LR;
    set_counts(n);
}

/* ---- routines that stand for an operation ---- */

static bool is_return(const struct node *n, unsigned link)
{
    const struct insn *in = &n->d.in;
    return n->how == HOW_CONTROL && n->effects.control == CONTROL_INDIRECT && !in->rd && in->rs1 == link && !in->imm;
}

/* The code from pc on up to its return, if all of it is translated and nothing else is control flow. */
static bool read_routine(const struct search *s, uint32_t pc, unsigned link, struct routine *r)
{
    uint32_t i;
    struct node n = {0};
    *r = (struct routine){.pc = pc};
    while (index_of(s, pc, &i) && r->counts[COUNT_INSTRUCTIONS] < ROUTINE_MOST) {
        decode_single(s, pc, &n);
        for (int k = 0; k < NATIVE_COUNTS; k++) r->counts[k] = (uint16_t)(r->counts[k] + n.counts[k]);
        r->end = node_next(&n);
        if (is_return(&n, link)) return true;
        struct isa_registers written = isa_registers_written(&n.d.in, &n.effects);
        registers_add(&r->written, &written);
        if (n.how == HOW_LEAVE || n.how == HOW_HELP || n.how == HOW_CONTROL || n.effects.control) return false;
        pc = node_next(&n);
    }
    return false;
}

/* The operation that a call's target stands for; ROUTINES: none, or none that this host has. */
static uint32_t find_routine(const struct search *s, uint32_t pc, unsigned link)
{
    uint32_t i, number;
    if (!index_of(s, pc, &i) || i < ROUTINE_MARK_WORDS) return ROUTINES;
    number = routine_marked(s->f->code + i - ROUTINE_MARK_WORDS);
    if (number == ROUTINES || s->f->request->level + routine_rows[number].level > NATIVE_base) return ROUTINES;
    struct routine *r = &s->f->routines[number], found;
    if (!r->pc && read_routine(s, pc, link, &found)) *r = found;
    return r->pc == pc ? number : ROUTINES;
}

static void decode(const struct search *s, uint32_t pc, struct node *n)
{
    decode_single(s, pc, n);
    if (n->how != HOW_CONTROL || n->effects.control != CONTROL_JUMP || !n->d.in.rd) return;
    uint32_t number = find_routine(s, node_target(n), n->d.in.rd);
    if (number == ROUTINES) return;
    n->how = HOW_ROUTINE;
    n->number = (uint8_t)number;
    for (int k = 0; k < NATIVE_COUNTS; k++) n->counts[k] = (uint16_t)(n->counts[k] + s->f->routines[number].counts[k]);
}

/* v[first], v[first + 1], ... */
static void add_vectors(struct isa_registers *to, unsigned first, unsigned count)
{
    while (count-- > 0) to->v[0] |= 1ull << (first + count);
}

struct isa_registers node_read(const struct node *n)
{
    struct isa_registers set = isa_registers_read(&n->d.in, &n->effects);
    if (n->how == HOW_ROUTINE) add_vectors(&set, 0, routine_result(n->number));
    return set;
}

struct isa_registers node_written(const struct flow *f, const struct node *n)
{
    struct isa_registers set = isa_registers_written(&n->d.in, &n->effects);
    if (n->how != HOW_ROUTINE) return set;
    registers_add(&set, &f->routines[n->number].written);
    add_vectors(&set, routine_result(n->number), routine_width(routine_rows[n->number].result));
    return set;
}

/* Does it end its block? A block with tallies has those of one routine. Several divisions of longs in a block take 1.18
 * of the time (l_division). */
static bool ends(const struct flow *f, const struct node *n)
{
    const bool apart = n->how == HOW_ROUTINE && (f->request->tallies || routine_divides(n->number));
    return n->how == HOW_LEAVE || apart || (n->how == HOW_CONTROL && n->effects.control != CONTROL_SETRPC);
}

/* ---- where control goes ---- */

/* The block of `from` goes on at `to`. */
static void edge(struct search *s, uint32_t from, uint32_t to)
{
    s->has_loops |= to <= from;
    mark(s, to, LEADER | (to <= from ? CHECKED | ENTRY : 0));
}

static bool add_call(struct flow *f, uint32_t back, uint32_t to)
{
    for (size_t i = 0; i < f->ncalls; i++)
        if (f->calls[i].back == back) return true;
    struct call *more = realloc(f->calls, (f->ncalls + 1) * sizeof *more);
    if (!more) return false;
    more[f->ncalls++] = (struct call){back, to};
    f->calls = more;
    return true;
}

static bool follow(struct search *s, const struct node *n)
{
    uint32_t pc = n->pc, next = node_next(n);
    if (n->how == HOW_LEAVE) {
        mark(s, next, LEADER | ENTRY);
        return true;
    }
    s->has_routines |= n->how == HOW_ROUTINE;
    if (!ends(s->f, n)) {
        mark(s, next, 0);
        return true;
    }
    if (n->how == HOW_ROUTINE) {
        mark(s, next, LEADER);
        return true;
    }
    switch (n->effects.control) {
    case CONTROL_VBRANCH:
        edge(s, pc, node_target(n));
        edge(s, pc, next);
        mark(s, node_target(n), PATH);
        mark(s, next, PATH);
        return true;
    case CONTROL_BRANCH:
        edge(s, pc, node_target(n));
        edge(s, pc, next);
        return true;
    case CONTROL_JUMP: edge(s, pc, node_target(n)); break;
    case CONTROL_JOIN:
        mark(s, pc, LEADER);
        edge(s, pc, next);
        return true;
    case CONTROL_BARRIER: mark(s, next, LEADER | ENTRY); return true;
    case CONTROL_END: return true;
    default: break;
    }
    if (!n->d.in.rd) return true;
    mark(s, next, LEADER | ENTRY);
    return add_call(s->f, next, n->effects.control == CONTROL_JUMP ? node_target(n) : 0);
}

static bool search(struct search *s)
{
    const struct native_request *r = s->f->request;
    struct node n;
    mark(s, r->start, LEADER | ENTRY);
    mark(s, r->entry, LEADER);
    if (!add_call(s->f, r->entry, 0)) return false;
    while (s->ntodo) {
        decode(s, s->todo[--s->ntodo], &n);
        if (!follow(s, &n)) return false;
    }
    return true;
}

/* ---- blocks ---- */

static size_t count_marks(const struct search *s, unsigned marks)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->f->request->code_words; i++) n += (s->marks[i] & marks) != 0;
    return n;
}

/* May warps enter code at a block? A quantum may end where a join goes back to a side of its branch, and `step` goes on
 * up to the next entry. Of a routine it executes some hundred instructions where translated code has three, so in loops
 * with routines these sides are entries. Elsewhere they would be code for little. */
static bool is_entry(const struct search *s, uint32_t pc)
{
    return has_mark(s, pc, s->has_routines && s->has_loops ? ENTRY | PATH : ENTRY);
}

/* The nodes of one block from its first word on. */
static void fill_block(struct search *s, struct block *b)
{
    struct flow *f = s->f;
    b->first = f->nnodes;
    b->end = b->pc;
    b->checked = has_mark(s, b->pc, CHECKED);
    b->entry = is_entry(s, b->pc);
    for (uint32_t counted = 0;;) {
        struct node *n = &f->nodes[f->nnodes];
        b->leaves = f->nnodes == s->room || !has_mark(s, b->end, REACHED);
        if (b->leaves) return;
        decode(s, b->end, n);
        b->leaves = n->how == HOW_LEAVE;
        if (b->leaves) {
            b->resume = node_next(n);
            b->strays = n->effects.control == CONTROL_BRANCH || n->effects.control == CONTROL_VBRANCH;
            return;
        }
        f->nnodes++;
        b->count++;
        b->end = node_next(n);
        counted += n->counts[COUNT_INSTRUCTIONS];
        if (counted >= BLOCK_MOST && !ends(f, n)) mark(s, b->end, LEADER);
        if (ends(f, n) || has_mark(s, b->end, LEADER)) return;
    }
}

/* Where control goes into the middle of an instruction, words belong to several blocks: each has nodes of its own. When
 * they are more than sensible code has, blocks end early and `step` goes on. */
static bool make_blocks(struct search *s)
{
    struct flow *f = s->f;
    s->room = count_marks(s, REACHED) * 2;
    f->blocks = calloc(count_marks(s, LEADER) + s->room / (BLOCK_MOST / ROUTINE_MOST) + 1, sizeof *f->blocks);
    f->nodes = malloc((s->room + 1) * sizeof *f->nodes);
    if (!f->blocks || !f->nodes) return false;
    for (uint32_t i = 0; i < f->request->code_words; i++) {
        if (!(s->marks[i] & LEADER)) continue;
        struct block *b = &f->blocks[f->nblocks++];
        b->pc = f->request->code_base + i * 4;
        fill_block(s, b);
    }
    return true;
}

const struct block *flow_block(const struct flow *f, uint32_t pc)
{
    size_t low = 0, high = f->nblocks;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->blocks[middle].pc < pc) low = middle + 1;
        else high = middle;
    }
    return low < f->nblocks && f->blocks[low].pc == pc ? &f->blocks[low] : NULL;
}

/* ---- returns ---- */

uint32_t flow_function(const struct flow *f, const struct node *jump)
{
    uint32_t function = 0;
    for (size_t i = 0; i < f->ncalls; i++)
        if (f->calls[i].to <= jump->pc && f->calls[i].to > function) function = f->calls[i].to;
    return function;
}

/* ---- registers ---- */

void registers_add(struct isa_registers *to, const struct isa_registers *from)
{
    to->x |= from->x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) to->v[i] |= from->v[i];
}

/* ---- the budget ---- */

/* What follows at pc without another look at the budget. */
static uint32_t need_at(const struct flow *f, uint32_t pc)
{
    const struct block *b = flow_block(f, pc);
    return b && !b->checked ? b->need : 0;
}

/* Edges upward end in blocks that are checked, so blocks in descending order know what follows them. */
static void set_need(const struct flow *f, struct block *b)
{
    const struct node *last = b->count ? &f->nodes[b->first + b->count - 1] : NULL;
    uint32_t most = 0, n;
    for (size_t i = b->first; i < b->first + b->count; i++) b->need += f->nodes[i].counts[COUNT_INSTRUCTIONS];
    if (!last || b->leaves) return;
    unsigned control = last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    if (control == CONTROL_BRANCH || control == CONTROL_VBRANCH || control == CONTROL_JUMP)
        most = need_at(f, node_target(last));
    if (control != CONTROL_JUMP && control != CONTROL_INDIRECT && (n = need_at(f, b->end)) > most) most = n;
    b->need += most;
}

/* ---- */

bool flow_has_routines(const struct flow *f)
{
    unsigned i = 0;
    while (i < ROUTINES && !f->routines[i].pc) i++;
    return i < ROUTINES;
}

bool flow_constant(const struct flow *f, uint32_t addr, const struct isa_memory *m, uint32_t *word)
{
    const struct native_request *r = f->request;
    const uint32_t at = addr - r->constant_base, unused = 32 - 8 * m->size;
    const uint64_t size = (uint64_t)r->constant_words * 4;
    uint32_t bits = 0;
    if (m->words != 1 || at + (uint64_t)m->size > size) return false;
    memcpy(&bits, (const uint8_t *)(f->code + r->code_words) + at, m->size);
    *word = m->is_signed ? (uint32_t)((int32_t)(bits << unused) >> unused) : bits;
    return true;
}

bool flow_make(struct flow *f, const struct native_request *request, const uint32_t *program)
{
    static const struct gpu none;
    struct gpu *gpu = malloc(sizeof *gpu);
    *f = (struct flow){.request = request, .code = program};
    struct search s = {.f = f, .gpu = gpu};
    s.marks = calloc(request->code_words + 1, 1);
    s.todo = malloc((request->code_words + 1) * sizeof *s.todo);
    bool ok = gpu && s.marks && s.todo;
    if (ok) {
        *gpu = none;
        gpu->config.profile = request->profile;
        ok = search(&s) && make_blocks(&s);
    }
    for (size_t i = ok ? f->nblocks : 0; i-- > 0;) set_need(f, &f->blocks[i]);
    free(gpu);
    free(s.marks);
    free(s.todo);
    return ok;
}

void flow_free(struct flow *f)
{
    free(f->nodes);
    free(f->blocks);
    free(f->calls);
}
