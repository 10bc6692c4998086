/* The words of a kernel, decoded again: each is an instruction of the profile, branches go to instructions, and what
 * setrpc names is a join. Called behind emission in builds with assertions. */
#include "compiler/codegen/codegen.h"

struct words {
    struct func *f;
    const struct code *code;
    uint16_t *op;  /* of the instruction that begins at a word, OP_INVALID where none does */
    uint32_t base; /* what register REG_BASE holds, as a byte address relative to the kernel */
};

static _Noreturn void broken(const struct words *w, uint32_t word, const char *what)
{
    cc_error(w->f->cc, CC_INTERNAL, NULL, "emission has gone wrong: kernel %s, word %u: %s", w->f->kernel->name, word,
             what);
}

static uint32_t decode(const struct words *w, uint32_t at, struct insn *in)
{
    isa_decode_in(w->f->cc->profile, w->code->words + at, w->code->nwords - at, in);
    if (in->op == OP_INVALID) broken(w, at, "no instruction of the machine");
    return at + in->size / 4;
}

static uint16_t target(const struct words *w, uint32_t at, uint32_t address)
{
    if (address % 4 || address / 4 >= w->code->nwords || w->op[address / 4] == OP_INVALID)
        broken(w, at, "a way to no instruction");
    return w->op[address / 4];
}

/* The register that joins are named from is set by an auipc and perhaps an addi behind it. */
static void follow_base(struct words *w, uint32_t at, const struct insn *in)
{
    if (in->rd != REG_BASE) return;
    if (in->op == OP_AUIPC) w->base = 4 * at + (uint32_t)in->imm;
    if (in->op == OP_ADDI && in->rs1 == REG_BASE) w->base += (uint32_t)in->imm;
}

static void check_insn(struct words *w, uint32_t at, const struct insn *in)
{
    unsigned control = isa_kinds[isa_table[in->op].kind].control;
    uint32_t behind_prefix = 4 * at + in->size - 4; /* what distances count from */
    follow_base(w, at, in);
    if (control == CONTROL_BRANCH || control == CONTROL_VBRANCH || (control == CONTROL_JUMP && !in->rd))
        target(w, at, behind_prefix + (uint32_t)in->imm);
    if (control == CONTROL_SETRPC && target(w, at, w->base + (uint32_t)in->imm) != OP_JOIN)
        broken(w, at, "lanes are to meet where no join is");
}

void verify_words(struct func *f)
{
    struct words w = {.f = f, .code = &f->kernel->code};
    struct insn in;
    w.op = cc_alloc(f->cc, (w.code->nwords + 1) * sizeof *w.op);
    for (uint32_t at = 0; at < w.code->nwords;) {
        uint32_t next = decode(&w, at, &in);
        w.op[at] = in.op;
        at = next;
    }
    for (uint32_t at = 0; at < w.code->nwords;) {
        uint32_t next = decode(&w, at, &in);
        check_insn(&w, at, &in);
        at = next;
    }
}
