/* Instructions in the public simulator's spelling, for logs that existing scripts compare.
 *
 * Differences to isa_print: numeric register names, some pseudo instructions, targets relative to pc,
 * control registers without their CSR_ prefix, a padded mnemonic. Called by log.c. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "trace/trace.h"

struct out {
    char *buf;
    size_t size;
};

__attribute__((format(printf, 3, 4))) static void put(const struct out *o, const char *name, const char *format, ...)
{
    va_list args;
    int n = snprintf(o->buf, o->size, "%-7s ", name);
    va_start(args, format);
    if (n >= 0 && (size_t)n < o->size) vsnprintf(o->buf + n, o->size - (size_t)n, format, args);
    va_end(args);
}

static const char *csr_text(unsigned number, char buf[24])
{
    const struct isa_csr *csr = isa_csr_number(number);
    if (!csr) {
        snprintf(buf, 24, "unknown_%03x", number);
        return buf;
    }
    const char *name = strncmp(csr->name, "CSR_", 4) ? csr->name : csr->name + 4;
    size_t n = 0;
    for (; name[n] && n < 23; n++) buf[n] = (char)tolower((unsigned char)name[n]);
    buf[n] = 0;
    return buf;
}

static const char *sign(int32_t imm) { return imm < 0 ? "-" : "+"; }
static uint32_t magnitude(int32_t imm) { return imm < 0 ? 0u - (uint32_t)imm : (uint32_t)imm; }

/* ---- what has a spelling of its own; false: nothing special ---- */

static bool spell_jump(const struct out *o, const struct insn *in)
{
    if (in->op == OP_JAL) {
        char link[8] = "";
        if (in->rd > 1) snprintf(link, sizeof link, "x%u, ", in->rd);
        put(o, in->rd ? "jal" : "j", "%spc %s 0x%x", link, sign(in->imm), magnitude(in->imm));
        return true;
    }
    if (in->op != OP_JALR || in->imm || in->rd > 1) return false;
    if (!in->rd && in->rs1 == 1) put(o, "ret", "%s", "");
    else put(o, in->rd ? "jalr" : "jr", "x%u", in->rs1);
    return true;
}

static bool spell_branch(const struct out *o, const struct insn *in)
{
    const char *name = isa_table[in->op].name;
    char zero[8];
    snprintf(zero, sizeof zero, "%sz", name);
    bool short_form = in->op == OP_BEQ || in->op == OP_BNE || in->op == OP_BLT || in->op == OP_BGE;
    if (short_form && !in->rs2) put(o, zero, "x%u, pc %s %u", in->rs1, sign(in->imm), magnitude(in->imm));
    else if (!in->rs1 && in->op == OP_BLT) put(o, "bgtz", "x%u, pc %s %u", in->rs2, sign(in->imm), magnitude(in->imm));
    else if (!in->rs1 && in->op == OP_BGE) put(o, "blez", "x%u, pc %s %u", in->rs2, sign(in->imm), magnitude(in->imm));
    else put(o, name, "x%u, x%u, pc %s %u", in->rs1, in->rs2, sign(in->imm), magnitude(in->imm));
    return true;
}

static bool spell_control_register(const struct out *o, const struct insn *in)
{
    char csr[24], source[16];
    const char *name = isa_table[in->op].name;
    bool immediate = in->op == OP_CSRRWI || in->op == OP_CSRRSI || in->op == OP_CSRRCI;
    csr_text(in->aux, csr);
    snprintf(source, sizeof source, immediate ? "%d" : "x%d", immediate ? (int)in->imm : in->rs1);
    if (in->op == OP_CSRRS && !in->rs1) put(o, "csrr", "x%u, %s", in->rd, csr);
    else if (in->rd) put(o, name, "x%u, %s, %s", in->rd, csr, source);
    else {
        char without_read[8] = "csr";
        strcat(without_read, name + 4); /* csrrw, csrrsi: the second r goes */
        put(o, without_read, "%s, %s", csr, source);
    }
    return true;
}

static bool spell_scalar(const struct out *o, const struct insn *in)
{
    bool plain = in->op == OP_ADDI;
    if (plain && !in->rd && !in->rs1 && !in->imm) put(o, "nop", "%s", "");
    else if (plain && !in->rs1) put(o, "li", "x%u, %d", in->rd, in->imm);
    else if (plain && !in->imm) put(o, "mv", "x%u, x%u", in->rd, in->rs1);
    else if (in->op == OP_XORI && in->imm == -1) put(o, "not", "x%u, x%u", in->rd, in->rs1);
    else if (in->op == OP_SLTIU && in->imm == 1) put(o, "seqz", "x%u, x%u", in->rd, in->rs1);
    else if (in->op == OP_SLTU && !in->rs1) put(o, "snez", "x%u, x%u", in->rd, in->rs2);
    else if (in->op == OP_SUB && !in->rs1) put(o, "neg", "x%u, x%u", in->rd, in->rs2);
    else return false;
    return true;
}

/* Multiply-adds have their sources the other way round. */
static bool spell_multiply_add(const struct out *o, const struct insn *in)
{
    const char *operands = isa_table[in->op].operands;
    if (strncmp(operands, "D,S,T", 5) && strncmp(operands, "D,s,T", 5)) return false;
    put(o, isa_table[in->op].name, "v%u, v%u, %c%u%s", in->rd, in->rs2, operands[2] == 'S' ? 'v' : 'x', in->rs1,
        in->vm ? "" : ", v0.t");
    return true;
}

/* The fields that these leave unused are registers to the simulator. */
static bool spell_warp_control(const struct out *o, const struct insn *in, uint32_t word)
{
    const char *name = isa_table[in->op].name;
    unsigned rd = word >> 7 & 31, rs1 = word >> 15 & 31, groups = word >> 20;
    switch (isa_table[in->op].kind) {
    case KIND_JOIN: put(o, name, "v%u, v%u, pc + 0", word >> 20 & 31, rs1); return true;
    case KIND_PREFIX:
        put(o, name, "x%u, x%u,  %u %u %u %u ", rd, rs1, groups >> 9, groups >> 6 & 7, groups >> 3 & 7, groups & 7);
        return true;
    case KIND_ENDPRG: put(o, name, "x%u, x%u, x%u", rd, rs1, word >> 20 & 31); return true;
    case KIND_BARRIER: put(o, name, "x0, x0, %u", rs1); return true;
    case KIND_VBRANCH:
        put(o, name, "v%u, v%u, pc %s %u", in->rs2, in->rs1, sign(in->imm), magnitude(in->imm));
        return true;
    case KIND_PLOAD: put(o, name, "v%u, x%u, %d", in->rd, in->rs1, in->imm); return true;
    case KIND_PSTORE: put(o, name, "v%u, x%u, %d", in->rs2, in->rs1, in->imm); return true;
    case KIND_VLOAD: put(o, name, "v%u, v%u, %d", in->rd, in->rs1, in->imm); return true;
    case KIND_VSTORE: put(o, name, "v%u, v%u, %d", in->rs2, in->rs1, in->imm); return true;
    default: return false;
    }
}

static bool spell(const struct out *o, const struct insn *in, uint32_t word)
{
    switch (isa_table[in->op].kind) {
    case KIND_JAL:
    case KIND_JALR: return spell_jump(o, in);
    case KIND_BRANCH: return spell_branch(o, in);
    case KIND_CSR: return spell_control_register(o, in);
    case KIND_X: return spell_scalar(o, in);
    case KIND_VV:
    case KIND_VX: return spell_multiply_add(o, in);
    default: return spell_warp_control(o, in, word);
    }
}

/* "e32,m1,ta,ma" becomes "e32, m1, ta, ma". */
static void put_generic(const struct out *o, const struct insn *in)
{
    char text[160], spaced[200];
    isa_print(in, 0, ISA_PRINT_NUMERIC, text, sizeof text);
    size_t n = strcspn(text, "\t"), k = 0;
    const char *operands = text[n] ? text + n + 1 : "";
    text[n] = 0;
    for (const char *p = operands; *p && k < sizeof spaced - 2; p++) {
        spaced[k++] = *p;
        if (*p == ',' && p[1] != ' ') spaced[k++] = ' ';
    }
    spaced[k] = 0;
    put(o, text, "%s", spaced);
}

void trace_asm(enum isa_profile profile, const uint32_t *words, size_t nwords, char *buf, size_t size)
{
    struct insn in;
    struct out o = {buf, size};
    if (!isa_decode_raw(profile, words, nwords, &in)) put(&o, "unknown", "%s", "");
    else if (!spell(&o, &in, words[0])) put_generic(&o, &in);
    size_t n = strlen(buf);
    if (n && isa_table[in.op].kind != KIND_PREFIX)
        while (n && buf[n - 1] == ' ') buf[--n] = 0;
}
