/* Inline assembly: the operands of a template get registers, and the assembler (asm/) makes words of it at the end.
 *
 * LLVM hands over GCC's form: a template in which $N stands for operand N, a constraint for each operand, separated by
 * commas, and what is clobbered. `r` and `f` are scalar registers, whose value all work-items must share, `v` vector
 * registers, `i` and its like numbers, `m` the address of memory in a register. Registers that a template writes by
 * their names are found by assembling it: they are no other value's for the whole kernel. */
#include "compiler/select/select.h"

#include <stdlib.h>
#include <string.h>

/* ---- operands ---- */

struct selection {
    struct func *f;
    LLVMValueRef inst;
    struct asm_text *text;
    unsigned argument; /* of the call: the next operand's */
    bool direct;       /* the template's words are not the table's: no prefix can be put before them */
};

static _Noreturn void refuse(struct selection *s, const struct constraint *c, const char *what)
{
    cc_error(s->f->cc, CC_FAILED, s->inst, "kernel %s: inline assembly: operand %u, constraint \"%.*s\": %s",
             s->f->kernel->name, s->text->nvalues, (int)(c->length < 40 ? c->length : 40), c->text, what);
}

static void make_group(struct selection *s, struct asm_value *v)
{
    struct func *f = s->f;
    if (v->nregs < 2) return;
    f->groups = cc_grow(f->cc, f->groups, f->ngroups, &f->groups_cap, sizeof *f->groups);
    int32_t *regs = cc_alloc(f->cc, v->nregs * sizeof *regs);
    memcpy(regs, v->regs, v->nregs * sizeof *regs);
    f->groups[f->ngroups++] = (struct group){regs, v->nregs, s->direct};
    if (f->ngroups > UINT16_MAX) fail(f, "more than %d operands of several registers", UINT16_MAX);
    for (uint32_t i = 0; i < v->nregs; i++) f->vregs[v->regs[i]].group = (uint16_t)f->ngroups;
}

/* Registers of its own for an operand of `n` parts. */
static void make_registers(struct selection *s, const struct constraint *c, struct asm_value *v, unsigned n)
{
    enum { MOST = 32 };
    if (n < 1 || n > (c->vector ? MOST : 1))
        refuse(s, c, c->vector ? "a vector operand has 1 to 32 words" : "a scalar operand has up to 32 bits");
    v->operand.kind = c->vector ? ASM_OPERAND_V : ASM_OPERAND_X;
    v->nregs = n;
    v->regs = cc_alloc(s->f->cc, n * sizeof *v->regs);
    for (unsigned i = 0; i < n; i++) {
        v->regs[i] = new_vreg(s->f, c->vector ? CLASS_V : CLASS_S);
        s->f->vregs[v->regs[i]].direct = s->direct;
    }
    make_group(s, v);
}

static void check_uniform(struct selection *s, const struct constraint *c, struct opd o)
{
    if (is_v(s->f, o))
        refuse(s, c, "a scalar register, but the value may differ between work-items; vector registers are \"vr\"");
}

static void copy_in(struct selection *s, const struct constraint *c, struct asm_value *v, LLVMValueRef value)
{
    const struct opd *p = parts(s->f, value);
    if (type_parts(s->f, LLVMTypeOf(value)) != v->nregs)
        refuse(s, c, "its size is not that of the operand it is tied to");
    for (uint32_t i = 0; i < v->nregs; i++) {
        if (v->operand.kind == ASM_OPERAND_X) check_uniform(s, c, p[i]);
        emit_copy(s->f, v->regs[i], p[i]);
    }
    v->read = true;
}

/* A register that holds the value already, or is made to. */
static void read_register(struct selection *s, const struct constraint *c, struct asm_value *v, LLVMValueRef value)
{
    struct func *f = s->f;
    unsigned n = type_parts(f, LLVMTypeOf(value));
    if (n != 1 || s->direct) {
        make_registers(s, c, v, n);
        copy_in(s, c, v, value);
        return;
    }
    struct opd o = parts(f, value)[0];
    if (!c->vector) check_uniform(s, c, o);
    v->operand.kind = c->vector ? ASM_OPERAND_V : ASM_OPERAND_X;
    v->regs = cc_alloc(f->cc, sizeof *v->regs);
    v->regs[0] = c->vector ? to_v(f, o) : to_s(f, o);
    v->nregs = 1;
    v->read = true;
}

/* The address of an operand in memory; a register of the kind that it is in. */
static void read_address(struct selection *s, const struct constraint *c, struct asm_value *v, LLVMValueRef pointer)
{
    struct constraint address = *c;
    address.vector = is_v(s->f, parts(s->f, pointer)[0]);
    read_register(s, &address, v, pointer);
    v->operand.kind = address.vector ? ASM_OPERAND_AT_V : ASM_OPERAND_AT_X;
}

static void read_number(struct selection *s, const struct constraint *c, struct asm_value *v, LLVMValueRef value)
{
    if (type_parts(s->f, LLVMTypeOf(value)) != 1 || !is_imm(parts(s->f, value)[0])) refuse(s, c, "not a constant");
    unsigned unused = 32 - type_bits(LLVMTypeOf(value));
    int32_t number = (int32_t)(parts(s->f, value)[0].imm << unused) >> unused;
    v->operand = (struct asm_operand){ASM_OPERAND_NUMBER, number};
}

static void read_input(struct selection *s, const struct constraint *c, struct asm_value *v)
{
    LLVMValueRef value = LLVMGetOperand(s->inst, s->argument++);
    if (c->indirect) read_address(s, c, v, value);
    else if (c->number && (LLVMIsConstant(value) || !(c->scalar || c->vector))) read_number(s, c, v, value);
    else if (c->scalar || c->vector) read_register(s, c, v, value);
    else refuse(s, c, "the constraints are r f vr v m and i");
}

static LLVMTypeRef result_type(LLVMValueRef inst, unsigned index)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index) : type;
}

static void tie(struct selection *s, const struct constraint *c)
{
    struct asm_value *v = (unsigned)c->tied < s->text->nvalues ? &s->text->values[c->tied] : NULL;
    struct constraint scalar_or_vector = *c;
    if (!v || !v->written) refuse(s, c, "it is tied to what is no result");
    scalar_or_vector.vector = v->operand.kind == ASM_OPERAND_V;
    copy_in(s, &scalar_or_vector, v, LLVMGetOperand(s->inst, s->argument++));
    s->text->values[s->text->nvalues] = (struct asm_value){.operand = v->operand, .regs = v->regs};
}

/* One operand for each constraint. Those that are tied to a result have its place; they are not visited twice. */
static void read_operands(struct selection *s)
{
    const char *end, *p = constraints_of(s->inst, &end);
    struct constraint c;
    unsigned results = 0;
    s->text->values = cc_alloc(s->f->cc, (size_t)(end - p + 1) * sizeof *s->text->values);
    while (next_constraint(&p, end, &c)) {
        struct asm_value *v = &s->text->values[s->text->nvalues];
        if (c.clobber) continue;
        if (memchr(c.text, '{', c.length) || memchr(c.text, '!', c.length)) refuse(s, &c, "not possible");
        if (c.tied >= 0) {
            tie(s, &c);
        } else if (c.output && !c.indirect) {
            if (!c.scalar && !c.vector) refuse(s, &c, "a result is in a register: =r, =f or =vr");
            make_registers(s, &c, v, type_parts(s->f, result_type(s->inst, results++)));
            v->written = true;
            s->text->early |= c.early;
        } else {
            read_input(s, &c, v);
        }
        s->text->nvalues++;
    }
}

/* ---- the template ---- */

/* `log` is the assembler's; what stands before its first message is the place in the template. */
static _Noreturn void refuse_text(struct func *f, uint32_t line, const char *log)
{
    const char *why = strstr(log, "error: ");
    cc_log(f->cc, line ? "<source>:%u: error: " : "<source>: error: ", line);
    cc_log(f->cc, "kernel %s: inline assembly: %s", f->kernel->name, why ? why + 7 : log);
    f->cc->status = CC_FAILED;
    longjmp(f->cc->on_error, 1);
}

enum { MOST_WORDS = 1 << 16 };

/* Assembles the text with these operands; the words are the compilation's. */
static void assemble(struct func *f, struct asm_text *t, const struct asm_operand *operands, uint32_t line)
{
    char *log = NULL;
    size_t size;
    uint32_t *words = NULL;
    FILE *out = open_memstream(&log, &size);
    if (!out) cc_error(f->cc, CC_ENVIRONMENT, NULL, "out of memory");
    bool ok = asm_template(&(struct asm_options){.profile = f->cc->profile}, t->text, operands, t->nvalues, &words,
                           &t->nwords, out);
    fclose(out);
    const char *copy = cc_printf(f->cc, "%s", log);
    free(log);
    if (!ok) refuse_text(f, line, copy);
    if (t->nwords > MOST_WORDS) {
        free(words);
        refuse_text(f, line, "too long\n");
    }
    t->words = cc_alloc(f->cc, (t->nwords + 1) * sizeof *t->words);
    memcpy(t->words, words, t->nwords * sizeof *words);
    free(words);
}

typedef void (*visit_written)(struct func *f, const struct insn *in, const struct isa_effects *e, void *user);

static void each_instruction(struct func *f, const struct asm_text *t, visit_written visit, void *user)
{
    struct insn in;
    for (size_t i = 0; i < t->nwords; i += in.size / 4) {
        if (!isa_decode_in(f->cc->profile, t->words + i, t->nwords - i, &in))
            continue; /* a word that only the machine will judge */
        struct isa_effects e = isa_effects(&in, ISA_LANES);
        visit(f, &in, &e, user);
    }
}

static void add_written(struct func *f, const struct insn *in, const struct isa_effects *e, void *user)
{
    struct isa_registers w = isa_registers_written(in, e), *set = user;
    (void)f;
    set->x |= w.x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) set->v[i] |= w.v[i];
}

/* The compiler arranges which lanes run; what would upset that cannot stand in a template. */
static void check_control(struct func *f, const struct insn *in, const struct isa_effects *e, void *user)
{
    (void)user;
    bool leaves = e->control == CONTROL_INDIRECT || e->control == CONTROL_END;
    if (leaves || (e->state_writes & (STATE_RPC | STATE_SIMT)))
        cc_error(f->cc, CC_FAILED, f->at,
                 "kernel %s: inline assembly: %s would change which work-items go on, and where", f->kernel->name,
                 isa_table[in->op].name);
}

static struct isa_registers written_with(struct func *f, struct asm_text *t, int32_t x, int32_t v)
{
    struct isa_registers set = {0};
    struct asm_operand *operands = cc_alloc(f->cc, (t->nvalues + 1) * sizeof *operands);
    for (uint32_t i = 0; i < t->nvalues; i++) {
        operands[i] = t->values[i].operand;
        bool vector = operands[i].kind == ASM_OPERAND_V || operands[i].kind == ASM_OPERAND_AT_V;
        if (operands[i].kind != ASM_OPERAND_NUMBER) operands[i].value = vector ? v : x;
    }
    assemble(f, t, operands, LLVMGetDebugLocLine(f->at));
    each_instruction(f, t, check_control, NULL);
    each_instruction(f, t, add_written, &set);
    return set;
}

/* The registers that the text writes whatever its operands are. */
static void reserve_named(struct func *f, struct asm_text *t)
{
    enum { X1 = 12, X2 = 14, V1 = 8, V2 = 24 };
    struct isa_registers a = written_with(f, t, X1, V1), b = written_with(f, t, X2, V2);
    uint64_t kept = 1u << REG_RA | 1u << 2 | 1u << 3 | 1u << 4 | 1u << REG_LOCAL, x = a.x & b.x;
    if (x & kept)
        cc_error(f->cc, CC_FAILED, f->at, "kernel %s: inline assembly writes %s, which the program needs",
                 f->kernel->name, isa_xreg_name((unsigned)__builtin_ctzll(x & kept)));
    f->reserved.x |= x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) f->reserved.v[i] |= a.v[i] & b.v[i];
}

/* Registers below FIRST_VREG are those of the machine. */
static int32_t number_of(const struct func *f, int32_t reg) { return reg < FIRST_VREG ? reg : f->vregs[reg].phys; }

void asm_assemble_text(struct func *f, struct asm_text *t, uint32_t line)
{
    struct isa_registers allowed = f->reserved, written = {0};
    struct asm_operand *operands = cc_alloc(f->cc, (t->nvalues + 1) * sizeof *operands);
    for (uint32_t i = 0; i < t->nvalues; i++) {
        struct asm_value *v = &t->values[i];
        for (uint32_t k = 0; k < v->nregs; k++) {
            unsigned n = (unsigned)number_of(f, v->regs[k]);
            if (v->written && v->operand.kind == ASM_OPERAND_X) allowed.x |= 1ull << n;
            if (v->written && v->operand.kind == ASM_OPERAND_V) allowed.v[n / 64] |= 1ull << n % 64;
        }
        operands[i] = v->operand;
        if (v->operand.kind != ASM_OPERAND_NUMBER) operands[i].value = number_of(f, v->regs[0]);
    }
    assemble(f, t, operands, line);
    each_instruction(f, t, add_written, &written);
    bool more = written.x & ~allowed.x;
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) more |= (written.v[i] & ~allowed.v[i]) != 0;
    if (more) refuse_text(f, line, "it writes registers behind those of a result, or of an operand that is none\n");
}

/* ---- the statement ---- */

/* Results go on in registers of their own where those of the operand are few. */
static void take_results(struct selection *s, struct opd *out)
{
    for (uint32_t i = 0, n = 0, result = 0; i < s->text->nvalues; i++) {
        const struct asm_value *v = &s->text->values[i];
        bool bit = v->written && type_bits(result_type(s->inst, result)) == 1;
        if (v->written) result++;
        for (uint32_t k = 0; v->written && k < v->nregs; k++) {
            struct opd from = opd_reg(v->regs[k]);
            out[n] = opd_reg(new_vreg(s->f, (enum reg_class)s->f->vregs[from.reg].cls));
            emit_copy(s->f, out[n].reg, from);
            if (bit) out[n] = alu(s->f, AND, out[n], opd_imm(1));
            n++;
        }
    }
}

void select_asm(struct func *f, LLVMValueRef inst, struct opd *out)
{
    size_t n;
    struct asm_text *t = cc_alloc(f->cc, sizeof *t);
    t->text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(inst), &n);
    if (strlen(t->text) != n) fail(f, "inline assembly with a zero byte");
    struct selection s = {.f = f, .inst = inst, .text = t, .direct = strstr(t->text, ".insn") != NULL};
    read_operands(&s);
    reserve_named(f, t);
    emit(f, OP_ASM, 0, 0, 0, 0)->text = t;
    take_results(&s, out);
}
