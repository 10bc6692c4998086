/* Machine code with registers -> words: joins, reconvergence addresses, branch distances, encoding.
 *
 * Where reconverge.c wants it, setrpc names the join that opens the block where lanes meet (rules R6, R7): relative to
 * a register that holds the kernel's address from its start, in large kernels after an auipc of its own. A branch too
 * far away goes over a jump, both ways of which keep to the blocks' addresses. Addresses are relative to the kernel's
 * first word. */
#include "compiler/codegen/codegen.h"
#include "compiler/core/registers.h"
#include "compiler/select/select.h"

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
    struct reference *references;
    uint32_t nreferences, references_cap;
    struct isa_registers saved; /* on the stacks while the function runs */
    uint32_t nsaved;            /* scalar ones, with the return address */
    bool saves_link;
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

/* Words that the linker fills in. */
static void note_reference(struct out *o, uint32_t word, int32_t rd, const char *symbol)
{
    o->references = cc_grow(o->f->cc, o->references, o->nreferences, &o->references_cap, sizeof *o->references);
    o->references[o->nreferences++] = (struct reference){word, o->n - word, (uint8_t)rd, symbol};
}

/* rd = rs1 + value, through `high` when the value is large. */
static void put_sum(struct out *o, unsigned rd, unsigned rs1, int32_t value, unsigned high)
{
    int32_t low = (int32_t)((uint32_t)value << 20) >> 20;
    if (value != low) {
        put(o, (struct insn){.op = OP_LUI, .rd = (uint8_t)high, .imm = value - low});
        put(o, (struct insn){.op = OP_ADD, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .rs2 = (uint8_t)high});
        rs1 = rd;
    }
    if (low || rs1 != rd) put(o, (struct insn){.op = OP_ADDI, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .imm = low});
}

static int32_t frame_size(const struct out *o) { return (int32_t)((o->f->frame + 3) & ~3u); }

/* A jump of any distance, to `callee` if that is compiled: its words are the linker's if the object does not have it.
 */
static void put_long_call(struct out *o, uint8_t link, const struct kernel *callee)
{
    bool here = !LLVMIsDeclaration(callee->function);
    uint32_t word = o->n;
    int32_t d = here ? (int32_t)(callee->address - (o->f->kernel->address + 4 * o->n)) : 0;
    int32_t low = (int32_t)((uint32_t)d << 20) >> 20;
    put(o, (struct insn){.op = OP_AUIPC, .rd = link, .imm = d - low});
    put(o, (struct insn){.op = OP_JALR, .rd = link, .rs1 = link, .imm = low});
    if (!here) note_reference(o, word, link, callee->name);
}

/* The callee's private memory begins behind the caller's. Nothing lives in REG_LINK over a call. */
static void put_call_of_other(struct out *o, const struct kernel *callee)
{
    put_sum(o, REG_PRIVATE, REG_PRIVATE, frame_size(o), REG_LINK);
    put_long_call(o, REG_RA, callee);
    put_sum(o, REG_PRIVATE, REG_PRIVATE, -frame_size(o), REG_LINK);
}

/* The address of variable number m.imm, FRAME_END or frame_place. */
static void put_address(struct out *o, const struct minsn *m)
{
    uint32_t word = o->n;
    if (m->imm < 0) {
        int32_t offset = m->imm == FRAME_END ? frame_size(o) : -2 - m->imm;
        put_sum(o, (unsigned)m->rd, REG_PRIVATE, offset, (unsigned)m->rd);
        return;
    }
    put(o, (struct insn){.op = OP_AUIPC, .rd = (uint8_t)m->rd});
    put(o, (struct insn){.op = OP_ADDI, .rd = (uint8_t)m->rd, .rs1 = (uint8_t)m->rd});
    note_reference(o, word, m->rd, object_symbol(o->f->cc, o->f->cc->named[m->imm]));
}

/* ---- what a function that other objects see does for its callers ---- */

enum { REG_T1 = 6, REG_V48 = 48 }; /* of nobody where a function begins and ends */

/* Which registers it has to save: the return address where there are calls, and of those that belong to the caller what
 * it writes. */
static void find_saved(struct out *o)
{
    struct func *f = o->f;
    const struct isa_registers theirs = convention_saved(), *written = &f->kernel->code.written;
    o->saves_link = f->calls_others;
    if (o->saves_link) registers_add(&o->saved, false, REG_RA);
    for (unsigned i = 0; f->save_area && i < ISA_VREGS / 64; i++)
        o->saved.v[i] = theirs.v[i] & (written->v[i] | f->reserved.v[i]);
    if (f->save_area) o->saved.x |= theirs.x & (written->x | f->reserved.x);
    for (unsigned n = 0; n < ISA_XREGS; n++) o->nsaved += o->saved.x >> n & 1;
}

/* Stores or loads them, when sp is that of the caller: behind the last word that is in use there. */
static void put_scalars(struct out *o, bool load)
{
    int32_t at = 0;
    for (unsigned n = 0; n < ISA_XREGS; n++) {
        if (!(o->saved.x >> n & 1)) continue;
        at += 4;
        if (load) put(o, (struct insn){.op = OP_LW, .rd = (uint8_t)n, .rs1 = REG_SP, .imm = at});
        else put(o, (struct insn){.op = OP_SW, .rs1 = REG_SP, .rs2 = (uint8_t)n, .imm = at});
    }
}

/* Each lane that has come here its own. */
static void put_vectors(struct out *o, bool load)
{
    int32_t at = 0;
    const uint64_t saved = o->saved.v[0];
    if (!saved) return;
    put_sum(o, REG_T1, REG_PRIVATE, (int32_t)o->f->save_area, REG_T1);
    put(o, (struct insn){.op = OP_VMV_V_X, .rd = REG_V48, .rs1 = REG_T1});
    for (unsigned n = 0; n < 64; n++) {
        if (!(saved >> n & 1)) continue;
        if (load) put(o, (struct insn){.op = OP_VLW_V, .rd = (uint8_t)n, .rs1 = REG_V48, .imm = at});
        else put(o, (struct insn){.op = OP_VSW_V, .rs1 = REG_V48, .rs2 = (uint8_t)n, .imm = at});
        at += 4;
    }
}

static void put_prologue(struct out *o)
{
    put_scalars(o, false);
    if (o->nsaved) put_sum(o, REG_SP, REG_SP, 4 * (int32_t)o->nsaved, REG_T1);
    put_vectors(o, false);
}

static void put_epilogue(struct out *o)
{
    put_vectors(o, true);
    if (o->nsaved) put_sum(o, REG_SP, REG_SP, -4 * (int32_t)o->nsaved, REG_T1);
    put_scalars(o, true);
}

/* A call of routine number m.imm. In a program of up to a megabyte all are near. */
static void put_call(struct out *o, const struct minsn *m)
{
    const struct cc *cc = o->f->cc;
    const struct kernel *callee = &cc->routines[m->imm];
    int32_t d = (int32_t)(callee->address - (o->f->kernel->address + 4 * o->n));
    if (callee->external) put_call_of_other(o, callee);
    else if (cc->rodata_addr - ABI_CODE_BASE > 1u << 20) put_long_call(o, REG_LINK, callee);
    else put(o, (struct insn){.op = OP_JAL, .rd = REG_LINK, .imm = d});
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
    if (m.op == OP_AUIPC) {
        note_line(o, m.place);
        put_address(o, &m);
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
        put_epilogue(o);
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
    o->n = o->nlines = o->line = o->nreferences = 0;
    o->first_rpc_done = o->too_far = false;
    put_base(o);
    put_prologue(o);
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
    count_registers(f);
    find_saved(&o);
    /* Branches only ever become longer, and the base goes on through its kinds, so this ends. */
    while (!put_all(&o)) {
    }
    struct code *c = &f->kernel->code;
    if (f->kernel->external) c->written = convention_written(), c->sets_rpc = true;
    c->references = o.references;
    c->nreferences = o.nreferences;
    c->calls_others = f->calls_others;
    c->words = o.words;
    c->nwords = o.n;
    c->lines = o.lines;
    c->nlines = o.nlines;
    c->lds_bytes = f->lds_bytes;
    c->pds_bytes = (f->frame + 3) & ~3u;
    c->spill_bytes = f->spilled;
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
