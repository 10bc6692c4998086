/* Values without a register: their ranges are split. The value has a home, which is a vector register of which lanes
 * hold a scalar, or a word of private memory for a vector register; or it is a constant and made anew. In its loops it
 * has a register of each loop's own, which is loaded before the loop and saved behind it; elsewhere one for each row of
 * uses in a block that follow each other closely. What finds no register then is split again, at the loops within the
 * loop, then in blocks, at last at each instruction: such temporaries always find one.
 *
 * A scalar may live in lanes because it was left scalar only where all lanes that read it agree on it (rules R1-R3),
 * so its lanes may be written under any mask and the last active one read back. */
#include "compiler/codegen/codegen.h"
#include "compiler/debug/debug.h"
#include "compiler/select/select.h"

#include <string.h>

enum {
    LEVEL_ROW = UINT8_MAX, /* of registers that live within a block */
    ROW_GAP = 12,          /* most instructions between two uses of a row */
    MAX_CHAIN = 3,         /* instructions that make a constant */
    SLOT_REACH = 1024,     /* of the offset of an access to private memory, downwards and upwards */
    NOTHING = UINT32_MAX
};
enum answer { UNKNOWN, NO, YES };
enum split { KEPT, SPLIT, SPLIT_CONSTANT, IN_USE };

/* A register in a loop. */
struct section {
    int32_t reg, part; /* that is split, that takes its place */
    uint32_t loop, next;
    bool written;
};

/* An access to a register that is split, by an instruction or by the block's end. */
struct access {
    int32_t reg, part;
    uint32_t insn, head;      /* head: the first access of the row */
    uint32_t end, last_write; /* of a head: the row's last instruction, its last access that writes */
    bool read, written, load, save;
};

struct spiller {
    struct func *f;
    bool to_the_end; /* no loop and no row has registers any more, only each instruction */
    uint32_t nregs;  /* before this round's own */
    struct mloops loops;
    uint8_t *split;      /* by register: enum split */
    struct minsn **made; /* by register: its only definition, NULL if there are several */
    uint32_t *newest;    /* by register: its newest section, NOTHING: none */
    struct section *sections;
    uint32_t nsections, sections_room;
    uint8_t *returned_to; /* by loop: enum answer */
    uint8_t *seen;        /* by place of a block, all clear between uses */
    uint32_t *reached;
    struct graph loads, saves; /* from places of blocks to sections: at its end, at its beginning */
    struct minsn *code;        /* the block being rewritten */
    uint32_t n, cap;
    uint32_t source; /* minsn.place of what is put there */
    struct access *accesses;
    uint32_t naccesses, accesses_room;
    uint32_t insn, first; /* being looked at, its first access */
    uint32_t *latest;     /* by register: its latest access in the block + 1 */
    uint32_t *live_at;    /* by register: a place of a block, where it is live, + 1 */
};

static struct mblock *block_at(const struct spiller *s, uint32_t place) { return &s->f->mblocks[s->f->order[place]]; }

static enum split split_of(const struct spiller *s, int32_t reg)
{
    return reg >= FIRST_VREG && (uint32_t)reg < s->nregs ? (enum split)s->split[reg] : KEPT;
}

/* ---- constants ---- */

static void find_definitions(struct spiller *s)
{
    struct func *f = s->f;
    count_defs(f);
    for (uint32_t b = 0; b < f->nmblocks; b++)
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) {
            struct minsn *m = &f->mblocks[b].code[i];
            if (insn_roles(m->op)->rd >= 0 && m->rd >= FIRST_VREG && f->vregs[m->rd].ndefs == 1) s->made[m->rd] = m;
        }
}

/* How many instructions make the register anew of nothing; more than MAX_CHAIN: it is no constant. */
static uint32_t chain_length(const struct spiller *s, int32_t reg, uint32_t room)
{
    const struct minsn *m = s->made[reg];
    if (!room || !m || !is_pure(m) || m->op == OP_CSRRS) return MAX_CHAIN + 1;
    const struct roles *r = insn_roles(m->op);
    if (isa_kinds[isa_table[m->op].kind].action == ACTION_LOAD || r->reads_rd) return MAX_CHAIN + 1;
    const int32_t operands[] = {r->rs1 < 0 ? 0 : m->rs1, r->rs2 < 0 ? 0 : m->rs2};
    uint32_t length = 1;
    for (unsigned i = 0; i < 2; i++) {
        if (operands[i] >= FIRST_VREG) length += chain_length(s, operands[i], room - 1);
        else if (operands[i]) return MAX_CHAIN + 1; /* a register that others write */
    }
    return length;
}

static bool is_constant(const struct spiller *s, int32_t reg) { return chain_length(s, reg, MAX_CHAIN) <= MAX_CHAIN; }

/* ---- what is put into blocks ---- */

static struct minsn *put(struct spiller *s, struct minsn m)
{
    s->code = cc_grow(s->f->cc, s->code, s->n, &s->cap, sizeof *s->code);
    s->code[s->n] = m;
    return &s->code[s->n++];
}

/* An instruction between a register and its home. */
static struct minsn *put_move(struct spiller *s, struct minsn m)
{
    m.place = s->source;
    m.rm = 7;
    m.moves = true;
    return put(s, m);
}

static int32_t temporary(struct func *f, unsigned cls)
{
    int32_t t = new_vreg(f, (enum reg_class)cls);
    f->vregs[t].temporary = true;
    f->vregs[t].level = LEVEL_ROW;
    return t;
}

static void make_anew(struct spiller *s, int32_t reg, int32_t to)
{
    struct minsn m = *s->made[reg];
    int32_t *operands[] = {&m.rs1, &m.rs2};
    const int8_t classes[] = {insn_roles(m.op)->rs1, insn_roles(m.op)->rs2};
    for (unsigned i = 0; i < 2; i++) {
        if (classes[i] < 0 || *operands[i] < FIRST_VREG) continue;
        int32_t t = temporary(s->f, (unsigned)classes[i]);
        make_anew(s, *operands[i], t);
        *operands[i] = t;
    }
    m.rd = to;
    m.made = 0;
    m.place = s->source;
    put(s, m);
}

/* A vector register with the part of a private address that the offset field cannot hold, one for all slots around it.
 */
static int32_t slot_base(struct spiller *s, uint32_t slot, int32_t *offset)
{
    struct func *f = s->f;
    uint32_t number = (slot + SLOT_REACH) / (2 * SLOT_REACH);
    *offset = (int32_t)(slot - number * 2 * SLOT_REACH);
    while (f->nslot_bases <= number) {
        f->slot_bases = cc_grow(f->cc, f->slot_bases, f->nslot_bases, &f->slot_bases_room, sizeof *f->slot_bases);
        f->slot_bases[f->nslot_bases++] = NOREG;
    }
    if (f->slot_bases[number] == NOREG) f->slot_bases[number] = new_vreg(f, CLASS_V);
    return f->slot_bases[number];
}

static void load(struct spiller *s, int32_t reg, int32_t to)
{
    const struct vreg *v = &s->f->vregs[reg];
    uint32_t slot = v->slot;
    int32_t offset;
    if (split_of(s, reg) == SPLIT_CONSTANT) {
        make_anew(s, reg, to);
    } else if (v->home != NOREG) {
        put_move(s, (struct minsn){.op = OP_VMV_X_S, .rd = to, .rs2 = v->home});
    } else {
        int32_t base = slot_base(s, slot, &offset);
        put_move(s, (struct minsn){.op = OP_VLW_V, .rd = to, .rs1 = base, .imm = offset, .slot = slot});
    }
}

static void save(struct spiller *s, int32_t reg, int32_t from, int32_t made)
{
    const struct vreg *v = &s->f->vregs[reg];
    uint32_t slot = v->slot;
    int32_t offset;
    if (v->home != NOREG) {
        put_move(s, (struct minsn){.op = OP_VMV_V_X, .rd = v->home, .rs1 = from, .made = made});
    } else {
        int32_t base = slot_base(s, slot, &offset);
        put_move(s,
                 (struct minsn){.op = OP_VSW_V, .rs1 = base, .rs2 = from, .imm = offset, .slot = slot, .made = made});
    }
}

/* ---- sections: registers of loops ---- */

/* Can lanes leave the loop at a divergent branch, and come back to its preheader before they meet the others? */
static bool find_return(struct spiller *s, const struct mloop *l)
{
    uint32_t join = NO_NODE, n = 0;
    bool found = false;
    for (uint32_t i = 0; l->parent != NO_NODE && i < l->n && !found; i++) {
        const struct mblock *b = block_at(s, l->blocks[i]);
        if (!b->divergent) continue;
        while (n && s->loops.place[b->rpc] != join) s->seen[s->reached[--n]] = 0;
        join = s->loops.place[b->rpc];
        for (unsigned way = 0; way < 2; way++)
            n += graph_reach(&s->loops.succ, s->loops.place[b->succ[way]], join, s->seen, s->reached + n);
        found = s->seen[l->preheader];
    }
    while (n) s->seen[s->reached[--n]] = 0;
    return found;
}

/* Before such a loop no scalar register can be loaded for it: others may be waiting in it to read the register. */
static bool is_returned_to(struct spiller *s, uint32_t loop)
{
    if (s->returned_to[loop] == UNKNOWN) s->returned_to[loop] = find_return(s, &s->loops.list[loop]) ? YES : NO;
    return s->returned_to[loop] == YES;
}

/* The outermost loop around a block that the register can have a part of its own in; NO_NODE: none. */
static uint32_t loop_for(struct spiller *s, int32_t reg, uint32_t place)
{
    uint32_t found = NO_NODE;
    if (s->to_the_end) return NO_NODE;
    for (uint32_t l = s->loops.innermost[place]; l != NO_NODE; l = s->loops.list[l].parent) {
        const struct mloop *loop = &s->loops.list[l];
        if (loop->depth <= s->f->vregs[reg].level) break;
        if (loop->preheader == NO_NODE || loop->shares_exits) continue;
        if (s->f->vregs[reg].cls == CLASS_V || !is_returned_to(s, l)) found = l;
    }
    return found;
}

static int32_t new_part(struct spiller *s, int32_t reg, uint32_t level)
{
    int32_t part = new_vreg(s->f, (enum reg_class)s->f->vregs[reg].cls);
    const struct vreg *old = &s->f->vregs[reg];
    struct vreg *v = &s->f->vregs[part];
    v->direct = old->direct;
    v->undefined = old->undefined;
    v->level = (uint8_t)level;
    if (split_of(s, reg) == SPLIT_CONSTANT) return part;
    v->home = old->home;
    v->slot = old->slot;
    return part;
}

/* The section of a register that a block is in, NULL if there is none. */
static struct section *section_at(struct spiller *s, int32_t reg, uint32_t place)
{
    uint32_t loop = loop_for(s, reg, place);
    if (loop == NO_NODE) return NULL;
    for (uint32_t i = s->newest[reg]; i != NOTHING; i = s->sections[i].next)
        if (s->sections[i].loop == loop) return &s->sections[i];
    s->sections = cc_grow(s->f->cc, s->sections, s->nsections, &s->sections_room, sizeof *s->sections);
    struct section *new = &s->sections[s->nsections];
    uint32_t depth = s->loops.list[loop].depth;
    *new = (struct section){reg, new_part(s, reg, depth < LEVEL_ROW ? depth : LEVEL_ROW), loop, s->newest[reg], false};
    s->newest[reg] = s->nsections++;
    return new;
}

/* Where the sections may be loaded and saved. */
static void connect_sections(struct spiller *s)
{
    struct edges loads = {0}, saves = {0};
    for (uint32_t i = 0; i < s->nsections; i++) {
        const struct mloop *loop = &s->loops.list[s->sections[i].loop];
        edges_add(s->f->cc, &loads, loop->preheader, i);
        for (uint32_t e = 0; s->sections[i].written && e < loop->nexits; e++)
            edges_add(s->f->cc, &saves, loop->exits[e], i);
    }
    s->loads = graph_make(s->f->cc, s->f->norder, loads.list, loads.n);
    s->saves = graph_make(s->f->cc, s->f->norder, saves.list, saves.n);
}

/* Marks what is live where a block begins. Not what is only to keep its register there (rule R5): at an exit of the
 * loop, lanes that run on may have written that already. */
static void mark_live(struct spiller *s, uint32_t place)
{
    const struct graph *live = &s->f->live;
    uint32_t block = s->f->order[place];
    for (uint32_t e = live->first[block]; e < live->first[block + 1]; e++) s->live_at[live->to[e]] = place + 1;
}

/* At the beginning of a block: saves what comes out of a loop. */
static void save_sections(struct spiller *s, uint32_t place)
{
    if (s->saves.first[place] == s->saves.first[place + 1]) return;
    mark_live(s, place);
    for (uint32_t e = s->saves.first[place]; e < s->saves.first[place + 1]; e++) {
        const struct section *x = &s->sections[s->saves.to[e]];
        if (s->live_at[x->reg] == place + 1) save(s, x->reg, x->part, 0);
    }
}

/* At the end of a block: loads what goes into the loop behind it. */
static void load_sections(struct spiller *s, uint32_t place)
{
    if (s->loads.first[place] == s->loads.first[place + 1]) return;
    uint32_t header = s->loops.list[s->sections[s->loads.to[s->loads.first[place]]].loop].header;
    mark_live(s, header);
    for (uint32_t e = s->loads.first[place]; e < s->loads.first[place + 1]; e++) {
        const struct section *x = &s->sections[s->loads.to[e]];
        /* A constant may have been made in the loop. */
        if (s->live_at[x->reg] == header + 1 || split_of(s, x->reg) == SPLIT_CONSTANT) load(s, x->reg, x->part);
    }
}

/* ---- rows: registers of a few instructions ---- */

static void note_access(void *user, int32_t *reg, bool is_def)
{
    struct spiller *s = user;
    if (!split_of(s, *reg)) return;
    uint32_t i = s->naccesses;
    while (i > s->first && s->accesses[i - 1].reg != *reg) i--;
    if (i == s->first) {
        s->accesses = cc_grow(s->f->cc, s->accesses, s->naccesses, &s->accesses_room, sizeof *s->accesses);
        s->accesses[s->naccesses] = (struct access){.reg = *reg, .insn = s->insn};
        i = ++s->naccesses;
    }
    if (is_def) s->accesses[i - 1].written = true;
    else s->accesses[i - 1].read = true;
}

/* Is it a move between a register that is split and its home? */
static bool is_own_move(const struct spiller *s, const struct minsn *m)
{
    if (!m->moves) return false;
    int32_t reg = m->op == OP_VSW_V ? m->rs2 : m->op == OP_VMV_V_X ? m->rs1 : m->rd;
    int32_t home = m->op == OP_VMV_V_X ? m->rd : m->rs2;
    if (split_of(s, reg) != SPLIT) return false;
    return m->slot ? s->f->vregs[reg].slot == m->slot : s->f->vregs[reg].home == home;
}

/* Such moves, the making of constants, and copies of a register to itself are left out. */
static bool is_dropped(const struct spiller *s, const struct minsn *m)
{
    if (is_own_move(s, m)) return true;
    if (m->op == OP_ASM || insn_roles(m->op)->rd < 0) return false;
    return split_of(s, m->rd) == SPLIT_CONSTANT || (split_of(s, m->rd) && is_copy(m) && m->rd == m->rs1);
}

/* An instruction that takes a scalar takes the vector register the scalar now lives in as well, where it is saved
 * whenever it is written: not in a loop that it has a register of its own in. */
static void prefer_home(struct spiller *s, struct minsn *m, uint32_t place)
{
    unsigned vv = vv_form(m->op);
    if (vv == OP_INVALID || split_of(s, m->rs1) != SPLIT || loop_for(s, m->rs1, place) != NO_NODE) return;
    m->rs1 = s->f->vregs[m->rs1].home;
    m->op = (uint16_t)vv;
}

/* Lists what a block does with registers that are split, apart from what is dropped. */
static void list_accesses(struct spiller *s, uint32_t place)
{
    struct mblock *b = block_at(s, place);
    s->naccesses = 0;
    for (s->insn = 0; s->insn < b->n; s->insn++) {
        struct minsn *m = &b->code[s->insn];
        s->first = s->naccesses;
        if (is_dropped(s, m)) continue;
        prefer_home(s, m, place);
        visit_insn(m, note_access, s);
    }
    s->first = s->naccesses;
    visit_term(b, note_access, s);
}

static void find_sections(struct spiller *s)
{
    for (uint32_t place = 0; place < s->f->norder; place++) {
        list_accesses(s, place);
        for (uint32_t i = 0; i < s->naccesses; i++) {
            struct section *x = section_at(s, s->accesses[i].reg, place);
            if (x) x->written |= s->accesses[i].written;
        }
    }
    connect_sections(s);
}

/* Is the register live behind an instruction, or behind the block's end? */
static bool is_needed_behind(const struct spiller *s, int32_t reg, const struct mblock *b, uint32_t insn)
{
    return is_live(s->f, reg, insn == b->n ? b->end - 1 : b->start + 2 * insn + 2);
}

/* Is all that is left of the register's range single instructions? */
static bool is_at_end(const struct spiller *s, int32_t reg)
{
    return s->to_the_end || s->f->vregs[reg].level == LEVEL_ROW;
}

static void begin_row(struct spiller *s, struct access *a)
{
    a->head = (uint32_t)(a - s->accesses);
    a->last_write = NOTHING;
    a->load = a->read;
    if (!is_at_end(s, a->reg)) {
        a->part = new_part(s, a->reg, LEVEL_ROW);
        return;
    }
    a->part = temporary(s->f, s->f->vregs[a->reg].cls);
    s->f->vregs[a->part].direct = s->f->vregs[a->reg].direct;
}

/* Adds an access to the row of the one before of the same register in the block, or begins one. */
static void add_to_row(struct spiller *s, struct access *a)
{
    uint32_t gap = is_at_end(s, a->reg) ? 0 : ROW_GAP, number = (uint32_t)(a - s->accesses);
    uint32_t before = s->latest[a->reg];
    const struct access *last = before && before <= number ? &s->accesses[before - 1] : NULL;
    s->latest[a->reg] = number + 1;
    if (last && last->reg == a->reg && a->insn - last->insn <= gap) {
        a->head = last->head;
        a->part = last->part;
    } else {
        begin_row(s, a);
    }
    s->accesses[a->head].end = a->insn;
    if (a->written) s->accesses[a->head].last_write = number;
}

/* Is this access the row's last that writes? A scalar is saved by all of them, for what reads its home. */
static bool saves(const struct spiller *s, uint32_t i)
{
    const struct access *a = &s->accesses[i];
    if (a->head == NOTHING || !a->written) return false;
    return s->f->vregs[a->reg].cls == CLASS_S || s->accesses[a->head].last_write == i;
}

/* Gives the accesses of a block their parts, and says which of them load and save. */
static void find_rows(struct spiller *s, uint32_t place)
{
    for (uint32_t i = 0; i < s->naccesses; i++) {
        struct access *a = &s->accesses[i];
        const struct section *x = section_at(s, a->reg, place);
        a->head = NOTHING;
        if (x) a->part = x->part;
        else add_to_row(s, a);
    }
    for (uint32_t i = 0; i < s->naccesses; i++) {
        struct access *a = &s->accesses[i];
        if (!saves(s, i)) continue;
        uint32_t end = s->f->vregs[a->reg].cls == CLASS_S ? a->insn : s->accesses[a->head].end;
        a->save = is_needed_behind(s, a->reg, block_at(s, place), end);
    }
}

/* ---- blocks ---- */

static void rename_access(void *user, int32_t *reg, bool is_def)
{
    struct spiller *s = user;
    (void)is_def;
    if (!split_of(s, *reg)) return;
    uint32_t i = s->first;
    while (s->accesses[i].reg != *reg) i++;
    *reg = s->accesses[i].part;
}

/* Loads what an instruction reads first; returns the next one's first access. */
static uint32_t put_loads(struct spiller *s, uint32_t insn)
{
    uint32_t i = s->first;
    for (; i < s->naccesses && s->accesses[i].insn == insn; i++)
        if (s->accesses[i].load) load(s, s->accesses[i].reg, s->accesses[i].part);
    return i;
}

static void rewrite_insn(struct spiller *s, struct minsn m, uint32_t number)
{
    s->source = m.place;
    uint32_t end = put_loads(s, number);
    visit_insn(&m, rename_access, s);
    put(s, m);
    for (uint32_t i = s->first; i < end; i++)
        if (s->accesses[i].save) save(s, s->accesses[i].reg, s->accesses[i].part, m.made);
    s->first = end;
}

static void rewrite_block(struct spiller *s, uint32_t place)
{
    struct mblock *b = block_at(s, place);
    list_accesses(s, place);
    find_rows(s, place);
    s->code = NULL;
    s->n = s->cap = s->first = 0;
    s->source = b->place;
    save_sections(s, place);
    for (uint32_t i = 0; i < b->n; i++)
        if (!is_dropped(s, &b->code[i])) rewrite_insn(s, b->code[i], i);
    s->source = b->place;
    put_loads(s, b->n);
    visit_term(b, rename_access, s);
    load_sections(s, place);
    b->code = s->code;
    b->n = s->n;
    b->cap = s->cap;
}

/* ---- homes ---- */

/* Homes that this round's code names are split in a later one. Scalars come first in the list of what is split. */
static void set_in_use(struct spiller *s, int32_t home)
{
    if ((uint32_t)home < s->nregs) s->split[home] = IN_USE;
}

static void find_home(struct spiller *s, int32_t reg)
{
    struct func *f = s->f;
    if (s->split[reg] == IN_USE) return;
    s->split[reg] = is_constant(s, reg) ? SPLIT_CONSTANT : SPLIT;
    if (s->split[reg] == SPLIT && f->vregs[reg].home != NOREG) set_in_use(s, f->vregs[reg].home);
    if (s->split[reg] == SPLIT_CONSTANT || f->vregs[reg].home != NOREG || f->vregs[reg].slot) return;
    if (f->vregs[reg].cls == CLASS_S) {
        int32_t home = new_vreg(f, CLASS_V);
        f->vregs[home].undefined = f->vregs[reg].undefined;
        f->vregs[home].apart = true;
        f->vregs[reg].home = home;
        return;
    }
    if (f->frame + 8 > 1u << 24) fail(f, "too many private variables");
    f->vregs[reg].slot = f->frame ? f->frame : 4;
    f->frame = f->vregs[reg].slot + 4;
    f->spilled += 4;
}

/* Bases that are split serve what there is already; those for this round's slots begin anew. */
static void forget_bases(struct spiller *s)
{
    for (uint32_t i = 0; i < s->f->nslot_bases; i++)
        if (split_of(s, s->f->slot_bases[i])) s->f->slot_bases[i] = NOREG;
}

static void put_base(struct func *f, int32_t base, uint32_t address)
{
    if (f->kernel->external) {
        int32_t sum = new_vreg(f, CLASS_S);
        emit(f, OP_AUIPC, sum, 0, 0, frame_place(address));
        emit(f, OP_VMV_V_X, base, sum, 0, 0);
        return;
    }
    if (!address) {
        emit(f, OP_VMV_V_I, base, 0, 0, 0);
        return;
    }
    int32_t high = new_vreg(f, CLASS_S), low = (int32_t)(address << 20) >> 20, sum = high;
    emit(f, OP_LUI, high, 0, 0, (int32_t)(address - (uint32_t)low));
    if (low) emit(f, OP_ADDI, sum = new_vreg(f, CLASS_S), high, 0, low);
    emit(f, OP_VMV_V_X, base, sum, 0, 0);
}

/* Defines this round's bases at the start of the kernel, behind the instruction that takes its argument. */
static void put_bases(struct spiller *s)
{
    struct func *f = s->f;
    struct mblock *b = block_at(s, 0);
    const struct minsn *old = b->code;
    uint32_t n = b->n;
    f->cur = f->order[0];
    f->place = 0;
    b->code = NULL;
    b->n = b->cap = 0;
    for (uint32_t i = 0; i < n || i == 0; i++) {
        if (i < n) {
            b->code = cc_grow(f->cc, b->code, b->n, &b->cap, sizeof *b->code);
            b->code[b->n++] = old[i];
        }
        for (uint32_t k = 0; i == 0 && k < f->nslot_bases; k++)
            if (f->slot_bases[k] >= (int32_t)s->nregs) put_base(f, f->slot_bases[k], k * 2 * SLOT_REACH);
    }
}

void spill_run(struct func *f, const uint32_t *vregs, uint32_t n, bool to_the_end)
{
    struct spiller s = {.f = f, .to_the_end = to_the_end, .nregs = f->nvregs, .loops = loops_find(f)};
    s.split = cc_alloc(f->cc, s.nregs);
    s.made = cc_alloc(f->cc, s.nregs * sizeof *s.made);
    s.newest = cc_alloc(f->cc, s.nregs * sizeof *s.newest);
    s.latest = cc_alloc(f->cc, s.nregs * sizeof *s.latest);
    s.live_at = cc_alloc(f->cc, s.nregs * sizeof *s.live_at);
    memset(s.newest, 0xff, s.nregs * sizeof *s.newest); /* NOTHING */
    s.returned_to = cc_alloc(f->cc, s.loops.n + 1);
    s.seen = cc_alloc(f->cc, f->norder + 1);
    s.reached = cc_alloc(f->cc, (f->norder + 1) * sizeof *s.reached);
    find_definitions(&s);
    for (uint32_t i = 0; i < n; i++) find_home(&s, (int32_t)vregs[i]);
    for (uint32_t v = 0; v < s.nregs; v++)
        if (s.split[v] == IN_USE) s.split[v] = KEPT;
    forget_bases(&s);
    find_sections(&s);
    for (uint32_t place = 0; place < f->norder; place++) rewrite_block(&s, place);
    put_bases(&s);
    track_spill(f, s.split);
}
