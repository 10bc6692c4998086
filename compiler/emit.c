/* Machine code with registers -> words: joins, reconvergence addresses, branch distances, encoding.
 *
 * Where reconverge.c wants it, setrpc names the join that opens the block where lanes meet (rules R6, R7): relative to
 * a register that holds the kernel's address from its start, in large kernels after an auipc of its own. A branch too
 * far away goes over a jump, both ways of which keep to the blocks' addresses. Addresses are relative to the kernel's
 * first word. */
#include "compiler/backend.h"

#include <string.h>

/* What setrpc counts from, in the order in which emission tries them. */
enum base { BASE_START, BASE_MIDDLE, BASE_NONE };
enum { IMM_MAX = 2047 };

struct out {
    struct func *f;
    enum base base;
    uint32_t *address; /* word index, by machine block */
    uint8_t *far;      /* branches that need the long form */
    uint32_t *words;
    uint32_t n, cap;
    uint32_t line;
    struct line *lines;
    uint32_t nlines, lines_cap;
    bool first_rpc_done; /* mutation of rule R7 */
    bool too_far;        /* a join is not in reach of the base */
    bool sized;          /* addresses are those of a round before, not all 0 */
};

static void to_phys(void *user, int32_t *reg, bool is_def)
{
    struct func *f = user;
    (void)is_def;
    if (f->vregs[*reg].phys < 0) cc_error(f->cc, CC_INTERNAL, NULL, "a register was not allocated");
    *reg = f->vregs[*reg].phys;
}

static void put_words(struct out *o, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        o->words = cc_grow(o->f->cc, o->words, o->n, &o->cap, sizeof *o->words);
        o->words[o->n++] = words[i];
    }
}

static void put(struct out *o, struct insn in)
{
    uint32_t w[ISA_MAX_WORDS];
    const char *why = "";
    in.vm = 1;
    profile_adapt(o->f->cc, &in);
    unsigned n = isa_encode_in(o->f->cc->profile, &in, w, &why);
    if (!n) cc_error(o->f->cc, CC_INTERNAL, NULL, "%s cannot be encoded: %s", isa_table[in.op].name, why);
    put_words(o, w, n);
}

static void note_line(struct out *o, uint32_t place)
{
    uint32_t line = source_line(o->f, place);
    if (!line || line == o->line) return;
    o->line = line;
    o->lines = cc_grow(o->f->cc, o->lines, o->nlines, &o->lines_cap, sizeof *o->lines);
    o->lines[o->nlines++] = (struct line){o->n, line};
}

/* A call of routine number m.imm. In a program of up to a megabyte all are near. */
static void put_call(struct out *o, const struct minsn *m)
{
    const struct cc *cc = o->f->cc;
    uint32_t here = o->f->kernel->address + 4 * o->n, to = cc->routines[m->imm].address;
    int32_t d = (int32_t)(to - here), low = (int32_t)((uint32_t)d << 20) >> 20;
    if (cc->rodata_addr - ABI_CODE_BASE <= 1u << 20) {
        put(o, (struct insn){.op = OP_JAL, .rd = REG_LINK, .imm = d});
        return;
    }
    put(o, (struct insn){.op = OP_AUIPC, .rd = REG_LINK, .imm = d - low});
    put(o, (struct insn){.op = OP_JALR, .rd = REG_LINK, .rs1 = REG_LINK, .imm = low});
}

static void put_minsn(struct out *o, struct minsn m)
{
    if (m.op == OP_ASM) {
        note_line(o, m.place);
        put_words(o, m.text->words, m.text->nwords);
        return;
    }
    visit_insn(&m, to_phys, o->f);
    if (m.op == OP_JAL) {
        note_line(o, m.place);
        put_call(o, &m);
        return;
    }
    if ((m.op == OP_VMV_V_V || (m.op == OP_ADDI && !m.imm)) && m.rd == m.rs1) return;
    note_line(o, m.place);
    put(o, (struct insn){.op = m.op,
                         .aux = m.aux,
                         .imm = m.imm,
                         .rd = (uint8_t)m.rd,
                         .rs1 = (uint8_t)m.rs1,
                         .rs2 = (uint8_t)m.rs2,
                         .rs3 = (uint8_t)m.rs3,
                         .rm = m.rm});
}

static unsigned inverse(unsigned op)
{
    static const uint16_t pairs[][2] = {{OP_BEQ, OP_BNE},   {OP_BLT, OP_BGE},   {OP_BLTU, OP_BGEU},
                                        {OP_VBEQ, OP_VBNE}, {OP_VBLT, OP_VBGE}, {OP_VBLTU, OP_VBGEU}};
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned k = 0; k < 2; k++)
            if (pairs[i][k] == op) return pairs[i][!k];
    return OP_INVALID;
}

static bool is_identity(struct func *f, const struct minsn *m)
{
    return is_copy(m) && f->vregs[m->rd].phys == f->vregs[m->rs1].phys;
}

/* Where control ends up that enters `block`: blocks that copies have left empty are skipped. */
static uint32_t thread(struct func *f, uint32_t block)
{
    for (uint32_t steps = 0; steps < f->nmblocks; steps++) {
        const struct mblock *b = &f->mblocks[block];
        if (b->join || b->sets_rpc || b->term != TERM_JUMP) return block;
        for (uint32_t i = 0; i < b->n; i++)
            if (!is_identity(f, &b->code[i])) return block;
        block = b->succ[0];
    }
    return block;
}

/* Skips empty blocks and drops the code of those that nothing enters any more. */
static void thread_jumps(struct func *f)
{
    uint8_t *entered = cc_alloc(f->cc, f->nmblocks);
    entered[f->order[0]] = entered[f->exit] = 1;
    for (uint32_t i = 0; i < f->norder; i++) {
        struct mblock *b = &f->mblocks[f->order[i]];
        unsigned ways = b->term == TERM_RETURN ? 0 : b->term == TERM_JUMP ? 1 : 2;
        for (unsigned s = 0; s < ways; s++) b->succ[s] = thread(f, b->succ[s]);
        if (ways == 2 && b->succ[0] == b->succ[1]) b->term = TERM_JUMP;
        if (b->divergent || b->sets_rpc) entered[b->rpc] = 1;
    }
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = &f->mblocks[f->order[i]];
        if (b->term != TERM_RETURN) entered[b->succ[0]] = 1;
        if (b->term == TERM_BRANCH) entered[b->succ[1]] = 1;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->norder; i++)
        if (entered[f->order[i]]) f->order[n++] = f->order[i];
    f->norder = n;
}

/* Bytes from here to a block; 0 as long as nothing is known of addresses. */
static int32_t distance(const struct out *o, uint32_t to)
{
    return o->sized ? ((int32_t)o->address[to] - (int32_t)o->n) * 4 : 0;
}

static void put_jump(struct out *o, uint32_t to)
{
    int32_t d = distance(o, to);
    if (d < -(1 << 20) || d >= 1 << 20) fail(o->f, "a kernel of more than one megabyte of code");
    put(o, (struct insn){.op = OP_JAL, .imm = d});
}

/* The address that joins are named from: the kernel's, or what is in reach of more of it. */
static void put_base(struct out *o)
{
    if (o->base == BASE_NONE) return;
    put(o, (struct insn){.op = OP_AUIPC, .rd = REG_BASE});
    if (o->base == BASE_MIDDLE) put(o, (struct insn){.op = OP_ADDI, .rd = REG_BASE, .rs1 = REG_BASE, .imm = IMM_MAX});
}

static void put_rpc(struct out *o, const struct mblock *b)
{
    if (!rule(o->f, 7) && o->first_rpc_done) return;
    o->first_rpc_done = true;
    int32_t d = distance(o, b->rpc), low = (int32_t)((uint32_t)d << 20) >> 20;
    if (o->base != BASE_NONE) {
        int32_t at = o->sized ? (int32_t)o->address[b->rpc] * 4 : 0;
        if (o->base == BASE_MIDDLE) at -= IMM_MAX;
        o->too_far |= at > IMM_MAX;
        put(o, (struct insn){.op = OP_SETRPC, .rs1 = REG_BASE, .imm = o->too_far ? 0 : at});
        return;
    }
    put(o, (struct insn){.op = OP_AUIPC, .rd = REG_BASE, .imm = d - low});
    put(o, (struct insn){.op = OP_SETRPC, .rs1 = REG_BASE, .imm = low});
}

/* A branch to `to`; distances count from the word behind a possible prefix. */
static void put_branch(struct out *o, struct insn in, uint32_t to, uint32_t index)
{
    bool prefixed = in.rs1 > 31 || in.rs2 > 31;
    int32_t d = distance(o, to) - (o->sized ? 4 * prefixed : 0);
    if (d < -4096 || d >= 4096) {
        o->far[index] = 1; /* noticed by the sizing rounds; the value below is never kept */
        d = 0;
    }
    in.imm = d;
    put(o, in);
}

static void put_far_branch(struct out *o, struct insn in, uint32_t to, uint32_t otherwise)
{
    in.imm = 8; /* over the jump */
    put(o, in);
    put_jump(o, otherwise);
    put_jump(o, to);
}

/* The way of a branch that costs a jump besides, if any does, is the one taken less often: out of a loop. */
static bool inverts(const struct func *f, const struct mblock *b, uint32_t next)
{
    if (b->succ[0] == next || b->succ[1] == next) return b->succ[0] == next;
    return f->mblocks[b->succ[1]].depth > f->mblocks[b->succ[0]].depth;
}

static void put_term(struct out *o, uint32_t index, uint32_t next)
{
    struct mblock b = o->f->mblocks[index];
    visit_term(&b, to_phys, o->f);
    note_line(o, b.place);
    if (b.term == TERM_RETURN) {
        bool ends = o->f->cc->kernels_end && !o->f->kernel->is_routine;
        put(o, ends ? (struct insn){.op = OP_ENDPRG} : (struct insn){.op = OP_JALR, .rs1 = (uint8_t)b.rs1});
        return;
    }
    if (b.sets_rpc) put_rpc(o, &b);
    if (b.term == TERM_JUMP) {
        if (b.succ[0] != next) put_jump(o, b.succ[0]);
        return;
    }
    struct insn in = {.op = b.op, .rs1 = (uint8_t)b.rs1, .rs2 = (uint8_t)b.rs2};
    uint32_t to = b.succ[0], otherwise = b.succ[1];
    if (inverts(o->f, &b, next)) {
        in.op = (uint16_t)inverse(in.op);
        to = b.succ[1];
        otherwise = b.succ[0];
    }
    if (o->far[index]) {
        put_far_branch(o, in, to, otherwise);
        return;
    }
    put_branch(o, in, to, index);
    if (otherwise != next) put_jump(o, otherwise);
}

static void put_block(struct out *o, uint32_t index, uint32_t next)
{
    struct mblock *b = &o->f->mblocks[index];
    b->word = o->n;
    if (b->join && rule(o->f, 6)) put(o, (struct insn){.op = OP_JOIN});
    for (uint32_t i = 0; i < b->n; i++) {
        b->code[i].word = o->n;
        put_minsn(o, b->code[i]);
    }
    if (b->join && !rule(o->f, 6)) put(o, (struct insn){.op = OP_JOIN});
    b->term_word = o->n;
    put_term(o, index, next);
}

/* Lays the code out with the addresses of the round before; true when none of them has changed. */
static bool put_all(struct out *o)
{
    struct func *f = o->f;
    bool stable = true;
    uint32_t nfar = 0, nfar_before = 0;
    o->n = o->nlines = o->line = 0;
    o->first_rpc_done = o->too_far = false;
    put_base(o);
    for (uint32_t b = 0; b < f->nmblocks; b++) nfar_before += o->far[b];
    for (uint32_t i = 0; i < f->norder; i++) {
        uint32_t b = f->order[i];
        stable &= o->address[b] == o->n;
        o->address[b] = o->n;
        put_block(o, b, i + 1 < f->norder ? f->order[i + 1] : NO_NODE);
    }
    for (uint32_t b = 0; b < f->nmblocks; b++) nfar += o->far[b];
    bool done = o->sized && stable && nfar == nfar_before && !o->too_far;
    o->base += o->too_far;
    o->sized = true;
    return done;
}

static void count_register(void *user, int32_t *reg, bool is_def)
{
    struct func *f = user;
    const struct vreg *r = &f->vregs[*reg];
    struct code *c = &f->kernel->code;
    uint32_t *max = r->cls == CLASS_S ? &c->sgprs : &c->vgprs, n = ((uint32_t)r->phys + 4) & ~3u;
    if (n > *max) *max = n;
    if (is_def) registers_add(&c->written, r->cls == CLASS_V, (unsigned)r->phys);
}

static void count_block(struct func *f, struct mblock *b)
{
    struct code *c = &f->kernel->code;
    for (uint32_t k = 0; k < b->n; k++) visit_insn(&b->code[k], count_register, f);
    visit_term(b, count_register, f);
    c->sets_rpc |= b->sets_rpc || b->calls_rpc;
    if (b->sets_rpc) registers_add(&c->written, false, REG_BASE);
}

static void count_registers(struct func *f)
{
    struct code *c = &f->kernel->code;
    c->sgprs = 32; /* the start code's as well */
    c->vgprs = 4;
    c->written = f->called;
    for (uint32_t i = 0; i < f->norder; i++) count_block(f, &f->mblocks[f->order[i]]);
    for (uint32_t r = 0; r < ISA_VREGS; r++)
        if ((f->reserved.v[r / 64] | f->called.v[r / 64]) >> r % 64 & 1 && r >= c->vgprs) c->vgprs = (r + 4) & ~3u;
    for (uint32_t r = 32; r < ISA_XREGS; r++)
        if ((f->reserved.x | f->called.x) >> r & 1 && r >= c->sgprs) c->sgprs = (r + 4) & ~3u;
}

/* A base costs its instructions once, and saves one wherever rpc is set. Inline assembly may want its register, and a
 * routine that is called may have a base of its own. */
static enum base first_base(const struct func *f)
{
    uint32_t n = 0;
    if ((f->reserved.x | f->called.x) >> REG_BASE & 1) return BASE_NONE;
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = &f->mblocks[f->order[i]];
        if (b->sets_rpc) n += b->depth ? 2 : 1;
    }
    return n > 1 ? BASE_START : BASE_NONE;
}

static void assemble_texts(struct func *f)
{
    for (uint32_t i = 0; i < f->norder; i++) {
        struct mblock *b = &f->mblocks[f->order[i]];
        for (uint32_t k = 0; k < b->n; k++)
            if (b->code[k].op == OP_ASM) asm_assemble_text(f, b->code[k].text, source_line(f, b->code[k].place));
    }
}

void emit_run(struct func *f)
{
    struct out o = {.f = f,
                    .base = first_base(f),
                    .address = cc_alloc(f->cc, (f->nmblocks + 1) * sizeof(uint32_t)),
                    .far = cc_alloc(f->cc, f->nmblocks + 1)};
    thread_jumps(f);
    assemble_texts(f);
    /* Branches only ever become longer, and the base goes on through its kinds, so this ends. */
    while (!put_all(&o)) {
    }
    count_registers(f);
    struct code *c = &f->kernel->code;
    c->words = o.words;
    c->nwords = o.n;
    c->lines = o.lines;
    c->nlines = o.nlines;
    c->lds_bytes = f->lds_bytes;
    c->pds_bytes = (f->frame + 3) & ~3u;
}

void dump_machine(struct func *f)
{
    const struct code *c = &f->kernel->code;
    fprintf(stderr, "%s: %u words, %u scalar and %u vector registers, %u bytes local, %u private\n", f->kernel->name,
            c->nwords, c->sgprs, c->vgprs, c->lds_bytes, c->pds_bytes);
    for (uint32_t i = 0; i < c->nwords;) {
        struct insn in;
        char text[128];
        isa_decode_in(f->cc->profile, c->words + i, c->nwords - i, &in);
        isa_print(&in, 4 * i, 0, text, sizeof text);
        fprintf(stderr, "%6x:\t%s\n", 4 * i, text);
        i += in.size / 4;
    }
}
