/* An instruction as the pipeline sees it: its unit, and which registers wait in scoreboard and operand collection.
 *
 * All of it follows from the instruction table (isa/effects.h) but for what the hardware's decoder does otherwise,
 * which stands here. Decoded once for each address of code. */
#include <stdlib.h>
#include <string.h>

#include "isa/latency.h"
#include "timing/model.h"

enum { PAGE_BITS = 12, PAGE_OPS = 1 << (PAGE_BITS - 2), PAGES = 1 << (32 - PAGE_BITS), VECTOR = 256 };

struct code_page_ops {
    struct code_page_ops *next; /* of all pages */
    uint32_t number;
    struct op op[PAGE_OPS][2]; /* as it is, and behind a prefix */
};
struct code_pages {
    struct code_page_ops *all, *page[PAGES];
};

static uint16_t operand(const struct isa_effects *e, const struct insn *in, enum operand_role role)
{
    if (!(e->reads >> role & 1)) return NO_REGISTER;
    unsigned number = (unsigned)isa_get(in, role);
    return (uint16_t)(e->vectors >> role & 1 ? VECTOR + number : number);
}

/* Data of stores and the target of jalr are third operands, as is an accumulator. */
static void find_sources(struct op *op, const struct isa_effects *e)
{
    const struct insn *in = &op->in;
    bool third = e->memory.action == ACTION_STORE && e->memory.data == ROLE_RS2;
    uint16_t rs1 = operand(e, in, ROLE_RS1), rs2 = operand(e, in, ROLE_RS2), rs3 = operand(e, in, ROLE_RS3);
    if (rs3 == NO_REGISTER) rs3 = operand(e, in, ROLE_RD);
    op->source[0] = e->control == CONTROL_INDIRECT ? NO_REGISTER : rs1;
    op->source[1] = third ? NO_REGISTER : rs2;
    op->source[2] = third ? rs2 : e->control == CONTROL_INDIRECT ? rs1 : rs3;
}

static bool reads_mask(const struct op *op, const struct isa_effects *e)
{
    bool rvv = (op->word & 0x7f) == 0x57 || (e->memory.words && (op->word & 0x77) == 0x07);
    return e->mask || (rvv && op->unit != U_CSR && !(op->word >> 25 & 1));
}

static uint8_t find_unit(const struct op *op, const struct isa_effects *e)
{
    switch (e->control) {
    case CONTROL_VBRANCH: return U_VBRANCH;
    case CONTROL_JOIN: return U_SIMT;
    case CONTROL_BARRIER:
    case CONTROL_BARRIERSUB:
    case CONTROL_WAIT:
    case CONTROL_END: return U_WARP;
    case CONTROL_SETRPC: return U_CSR;
    case CONTROL_FENCE:
    case CONTROL_FENCE_I: return U_SALU;
    default: break;
    }
    switch (isa_execution((enum isa_op)op->in.op)) {
    case EXECUTION_MUL: return U_MUL;
    case EXECUTION_FLOAT:
    case EXECUTION_FUSED:
    case EXECUTION_CONVERT: return U_FPU;
    case EXECUTION_SPECIAL: return U_SFU;
    case EXECUTION_MEMORY: return U_LSU;
    case EXECUTION_TENSOR: return U_TENSOR;
    default: break;
    }
    if (isa_table[op->in.op].unit == UNIT_CSR) return U_CSR;
    return e->vectors ? U_VALU : U_SALU;
}

static uint8_t find_class(const struct op *op, const struct isa_effects *e)
{
    bool real = isa_table[op->in.op].flags & ISA_ROUND;
    if (e->control == CONTROL_END) return C_END;
    if (e->control == CONTROL_BARRIER || e->control == CONTROL_WAIT) return C_BARRIER;
    if (e->control == CONTROL_FENCE || e->control == CONTROL_FENCE_I) return C_FENCE;
    if (e->control == CONTROL_BRANCH || e->control == CONTROL_JUMP || e->control == CONTROL_INDIRECT) return C_BRANCH;
    if (op->unit == U_SFU) return real ? C_FLOAT_SLOW : C_INT_DIVIDE;
    enum isa_execution execution = isa_execution((enum isa_op)op->in.op);
    if (execution == EXECUTION_FUSED) return C_FUSED;
    if (execution == EXECUTION_FLOAT && strstr(isa_table[op->in.op].name, "mul")) return C_PRODUCT;
    return execution == EXECUTION_CONVERT ? C_OTHER_FLOAT : C_PLAIN;
}

/* What the Verilog RTL's decoder does not know passes the scalar ALU and reads and writes nothing. Instructions that
 * the RTL does not have because they are newer are taken as if it had them. */
static bool is_unknown(enum isa_op op)
{
    static const char *const names[] = {"fmv.w.x", "fmv.x.w", "flw",    "fsw",      "fence.i", "vaadd",    "vasub",
                                        "vsmul",   "vssr",    "vfrec7", "vfrsqrt7", "vfmerge", "vsadd",    "vssub",
                                        "vle8",    "vse8",    "vlse8",  "vsse8",    "vle16",   "vse16",    "vlse16",
                                        "vsse16",  "vluxei",  "vsuxei", "vloxei8",  "vsoxei8", "vloxei16", "vsoxei16"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(isa_table[op].name, names[i], strlen(names[i]))) return true;
    return false;
}

static void analyse(struct op *op)
{
    struct isa_effects e = isa_effects(&op->in, ISA_LANES);
    unsigned rd = (unsigned)isa_get(&op->in, ROLE_RD);
    op->unit = find_unit(op, &e);
    find_sources(op, &e);
    if (op->in.op == OP_FCVT_WU_S || op->in.op == OP_FCVT_S_WU)
        op->source[1] = op->word >> 20 & 31; /* a part of the code */
    op->source[3] = reads_mask(op, &e) ? VECTOR : NO_REGISTER;
    op->class = find_class(op, &e);
    if (e.writes >> ROLE_RD & 1) op->destination = (uint16_t)(e.vectors >> ROLE_RD & 1 ? VECTOR + rd : rd);
    if (op->class == C_FENCE) op->destination = (uint16_t)rd; /* the decoder says so */
    op->vector = e.vectors != 0;
    op->store = e.memory.action == ACTION_STORE;
    op->memory = op->unit == U_LSU;
    op->private_memory = e.memory.address == ADDRESS_PRIVATE;
    op->control = op->class == C_BRANCH || op->unit == U_WARP || op->unit == U_SIMT || op->unit == U_VBRANCH;
}

static bool read_words(const struct model *m, uint32_t pc, uint32_t words[ISA_MAX_WORDS], size_t *n)
{
    for (*n = 0; *n < ISA_MAX_WORDS; ++*n) {
        const void *at = gpu_mem(m->gpu, pc + 4 * (uint32_t)*n, 4);
        if (!at) break;
        memcpy(&words[*n], at, 4);
    }
    return *n > 0;
}

static void decode(const struct model *m, struct op *op, uint32_t pc, bool prefixed)
{
    uint32_t words[ISA_MAX_WORDS], start = prefixed ? pc - 4 : pc;
    enum isa_profile profile = (enum isa_profile)gpu_config_of(m->gpu)->profile;
    size_t n;
    *op = (struct op){.pc = pc, .bytes = 4, .destination = NO_REGISTER, .in.vm = 1};
    for (int i = 0; i < OPERANDS; i++) op->source[i] = NO_REGISTER;
    if (!read_words(m, start, words, &n)) return;
    op->word = words[prefixed && n > 1];
    if (!prefixed && isa_decode_raw(profile, words, n, &op->in) && isa_table[op->in.op].kind == KIND_PREFIX) {
        op->prefix = true;
        return;
    }
    op->known = isa_decode_in(profile, words, n, &op->in);
    if (!op->known) return;
    op->bytes = (uint8_t)(op->in.size - (prefixed ? 4 : 0));
    if (!m->config.fault_decoder || !is_unknown((enum isa_op)op->in.op)) analyse(op);
}

static bool add_page(struct code_pages *code, uint32_t number)
{
    struct code_page_ops *page = calloc(1, sizeof *page);
    if (!page) return false;
    page->number = number;
    page->next = code->all;
    code->all = page;
    code->page[number] = page;
    return true;
}

const struct op *code_op(struct model *m, uint32_t pc, bool prefixed)
{
    static const struct op none = {
        .bytes = 4, .destination = NO_REGISTER, .source = {NO_REGISTER, NO_REGISTER, NO_REGISTER, NO_REGISTER}};
    if (!m->code) m->code = calloc(1, sizeof *m->code);
    if (!m->code) return &none;
    struct code_page_ops **page = &m->code->page[pc >> PAGE_BITS];
    if (!*page && !add_page(m->code, pc >> PAGE_BITS)) return &none;
    struct op *op = &(*page)->op[pc >> 2 & (PAGE_OPS - 1)][prefixed];
    if (!op->bytes) decode(m, op, pc, prefixed);
    return op;
}

const struct op *code_op_alone(struct model *m, uint32_t pc)
{
    return code_op(m, pc, code_op(m, pc - 4, false)->prefix);
}

void code_text(const struct insn *in, uint32_t pc, char *text, size_t size)
{
    isa_print(in, pc, 0, text, size);
    for (char *p = text; *p; p++)
        if (*p == '\t') *p = ' ';
}

void code_forget(struct model *m)
{
    while (m->code && m->code->all) {
        struct code_page_ops *page = m->code->all;
        m->code->all = page->next;
        m->code->page[page->number] = NULL;
        free(page);
    }
}
