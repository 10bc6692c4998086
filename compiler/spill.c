/* Values without a register: a scalar moves to the lanes of a vector register, a vector register to
 * private memory.
 *
 * The first is right because a value was left scalar only where all lanes that read it agree on
 * it (rules R1-R3), so its lanes may be written under any mask and the last active one read back.
 * Every use and definition gets a temporary of its own, alive for one instruction. */
#include "compiler/backend.h"

#include <string.h>

struct spiller {
    struct func *f;
    int32_t *home;      /* by register: the vector register of a scalar, else NOREG */
    uint32_t *slot;     /* by register: private address, 0 if the register keeps its place */
    struct minsn *code; /* the block being rewritten */
    uint32_t n, cap;
    struct {
        int32_t reg, temp;
        bool read, written;
    } * moved; /* spilled registers of one instruction */
    uint32_t nmoved, moved_cap, place;
};

static void put(struct spiller *s, struct minsn m)
{
    m.place = s->place;
    m.rm = 7;
    s->code = cc_grow(s->f->cc, s->code, s->n, &s->cap, sizeof *s->code);
    s->code[s->n++] = m;
}

static bool is_spilled(const struct spiller *s, int32_t reg) { return s->home[reg] != NOREG || s->slot[reg]; }

static int32_t temporary(struct func *f, enum reg_class cls)
{
    int32_t t = new_vreg(f, cls);
    f->vregs[t].temporary = true;
    return t;
}

static void rewrite(void *user, int32_t *reg, bool is_def)
{
    struct spiller *s = user;
    uint32_t i = 0;
    if (!is_spilled(s, *reg)) return;
    while (i < s->nmoved && s->moved[i].reg != *reg) i++;
    if (i == s->nmoved) {
        s->moved = cc_grow(s->f->cc, s->moved, s->nmoved++, &s->moved_cap, sizeof *s->moved);
        s->moved[i].reg = *reg;
        s->moved[i].temp = temporary(s->f, (enum reg_class)s->f->vregs[*reg].cls);
        s->f->vregs[s->moved[i].temp].direct = s->f->vregs[*reg].direct;
        s->moved[i].read = s->moved[i].written = false;
    }
    if (is_def) s->moved[i].written = true;
    else s->moved[i].read = true;
    *reg = s->moved[i].temp;
}

/* A vector register with the part of a private address that the offset field cannot hold. */
static int32_t slot_base(struct spiller *s, uint32_t slot, int32_t *offset)
{
    uint32_t high = (slot + 1024) & ~2047u;
    int32_t base = temporary(s->f, CLASS_V);
    *offset = (int32_t)(slot - high);
    if (!high) {
        put(s, (struct minsn){.op = OP_VMV_V_I, .rd = base});
        return base;
    }
    int32_t t = temporary(s->f, CLASS_S), low = (int32_t)(high << 20) >> 20;
    put(s, (struct minsn){.op = OP_LUI, .rd = t, .imm = (int32_t)(high - (uint32_t)low)});
    put(s, (struct minsn){.op = OP_ADDI, .rd = t, .rs1 = t, .imm = low});
    put(s, (struct minsn){.op = OP_VMV_V_X, .rd = base, .rs1 = t});
    return base;
}

static void reload(struct spiller *s, int32_t reg, int32_t temp)
{
    int32_t offset, base;
    if (s->home[reg] != NOREG) {
        put(s, (struct minsn){.op = OP_VMV_X_S, .rd = temp, .rs2 = s->home[reg]});
        return;
    }
    base = slot_base(s, s->slot[reg], &offset);
    put(s, (struct minsn){.op = OP_VLW_V, .rd = temp, .rs1 = base, .imm = offset});
}

static bool is_identity(const struct minsn *m) { return is_copy(m) && m->rd == m->rs1; }

static void save(struct spiller *s, int32_t reg, int32_t temp, const struct minsn *m)
{
    int32_t offset, base;
    if (s->home[reg] != NOREG) {
        put(s,
            (struct minsn){.op = OP_VMV_V_X, .rd = s->home[reg], .rs1 = temp, .made = m->made, .same = is_identity(m)});
        return;
    }
    base = slot_base(s, s->slot[reg], &offset);
    put(s, (struct minsn){.op = OP_VSW_V,
                          .rs1 = base,
                          .rs2 = temp,
                          .imm = offset,
                          .made = m->made,
                          .slot = s->slot[reg],
                          .same = is_identity(m)});
}

/* An instruction that takes a scalar takes the vector register the scalar now lives in as well. */
static void prefer_home(struct spiller *s, struct minsn *m)
{
    unsigned vv = vv_form(m->op);
    if (vv == OP_INVALID || m->rs1 < FIRST_VREG || s->home[m->rs1] == NOREG) return;
    m->rs1 = s->home[m->rs1];
    m->op = (uint16_t)vv;
}

static void rewrite_insn(struct spiller *s, struct minsn m)
{
    s->nmoved = 0;
    s->place = m.place;
    prefer_home(s, &m);
    visit_insn(&m, rewrite, s);
    for (uint32_t i = 0; i < s->nmoved; i++)
        if (s->moved[i].read) reload(s, s->moved[i].reg, s->moved[i].temp);
    uint8_t rm = m.rm;
    bool keep = m.keep;
    put(s, m);
    s->code[s->n - 1].rm = rm;
    s->code[s->n - 1].keep = keep;
    for (uint32_t i = 0; i < s->nmoved; i++)
        if (s->moved[i].written) s->code[s->n - 1].made = 0; /* the value is there when it has been saved */
    for (uint32_t i = 0; i < s->nmoved; i++)
        if (s->moved[i].written) save(s, s->moved[i].reg, s->moved[i].temp, &m);
}

static void rewrite_block(struct spiller *s, struct mblock *b)
{
    struct minsn *old = b->code;
    uint32_t n = b->n;
    s->code = NULL;
    s->n = s->cap = 0;
    for (uint32_t i = 0; i < n; i++) rewrite_insn(s, old[i]);
    s->nmoved = 0;
    s->place = b->place;
    visit_term(b, rewrite, s);
    for (uint32_t i = 0; i < s->nmoved; i++) reload(s, s->moved[i].reg, s->moved[i].temp);
    b->code = s->code;
    b->n = s->n;
    b->cap = s->cap;
}

void spill_run(struct func *f, const uint32_t *vregs, uint32_t n)
{
    uint32_t room = f->nvregs + n; /* what the old code names, and the homes; temporaries are not looked up */
    struct spiller s = {.f = f};
    s.home = cc_alloc(f->cc, room * sizeof *s.home);
    s.slot = cc_alloc(f->cc, room * sizeof *s.slot);
    memset(s.home, 0xff, room * sizeof *s.home); /* NOREG */
    for (uint32_t i = 0; i < n; i++) {
        if (f->vregs[vregs[i]].cls == CLASS_S) {
            s.home[vregs[i]] = new_vreg(f, CLASS_V);
            f->vregs[s.home[vregs[i]]].undefined = f->vregs[vregs[i]].undefined;
            continue;
        }
        if (f->frame + 8 > 1u << 24) fail(f, "too many private variables");
        s.slot[vregs[i]] = f->frame ? f->frame : 4;
        f->frame = s.slot[vregs[i]] + 4;
    }
    for (uint32_t b = 0; b < f->nmblocks; b++) rewrite_block(&s, &f->mblocks[b]);
    track_spill(f, s.home, s.slot);
}
