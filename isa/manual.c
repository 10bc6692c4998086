/* The manual, printed from the table: one entry per instruction with its bits, operands, meaning and
 * revisions; and the explanation of a single word, field by field. Called by `ventus isa`. */
#include "manual.h"

#include <stdlib.h>
#include <string.h>

#include "effects.h"
#include "tables.h"

static const char *const unit_names[] = {
    "none",       "scalar ALU", "vector ALU", "multiplier", "FPU", "special functions",
    "load/store", "CSR",        "branch",     "tensor",     "DMA",
};

static void print_revisions(unsigned revisions, FILE *out)
{
    // clang-format off
    static const struct { unsigned bit; const char *name; } names[] = {
        {ISA_R20, "r2.0"}, {ISA_R21, "r2.1"}, {ISA_R2025, "r2025"}, {ISA_IMPL, "tool chain"}, {ISA_EXTRA, "default profile"},
    };
    // clang-format on
    const char *separator = "";
    if ((revisions & ISA_BASE) == ISA_BASE) {
        fputs("all", out);
        return;
    }
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (revisions & names[i].bit) {
            fprintf(out, "%s%s", separator, names[i].name);
            separator = ", ";
        }
}

/* "vd, vs2, vs1[, v0.t]": the operand string with letters replaced by their names. */
static void print_syntax(const struct isa_desc *d, FILE *out)
{
    fputs(d->name, out);
    if (*d->operands) fputc(' ', out);
    for (const char *p = d->operands; *p; p++) {
        const struct isa_operand *o = isa_operand(*p);
        if (!strncmp(p, ",K{", 3)) {
            fputs("[, v0.t]", out);
            p++;
            continue;
        }
        if (!strcmp(p, ",m")) {
            fputs("[, v0.t]", out);
            return;
        }
        if (!strcmp(p, ",o")) {
            fputs("[, rm]", out);
            return;
        }
        if (*p == '{') break;
        if (!strcmp(p, "v0")) {
            fputs("v0", out);
            return;
        }
        if (o) fputs(o->name, out);
        else if (*p == ',') fputs(", ", out);
        else fputc(*p, out);
    }
    struct isa_modifier m[ISA_MAX_MODIFIERS];
    struct insn in = {.op = (uint16_t)(d - isa_table)};
    size_t n = isa_modifiers(&in, m);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%s%s", i ? ", " : " [{", m[i].name, m[i].width > 1 ? "=N" : "");
    if (n) fputs("}]", out);
}

/* The fields of a pattern from the most significant bit: runs of fixed bits and of one letter. */
static void print_bits(const char *pattern, const char *last, FILE *out)
{
    size_t bits = strlen(pattern);
    for (size_t i = 0; i < bits;) {
        size_t end = i + 1;
        bool fixed = pattern[i] == '0' || pattern[i] == '1';
        while (end < bits && (fixed ? pattern[end] == '0' || pattern[end] == '1' : pattern[end] == pattern[i])) end++;
        const struct isa_operand *o = isa_operand(pattern[i]);
        size_t hi = bits - 1 - i, lo = bits - end;
        if (hi == lo) fprintf(out, "%s[%zu] ", i ? " | " : "", hi);
        else fprintf(out, "%s[%zu:%zu] ", i ? " | " : "", hi, lo);
        if (fixed) fprintf(out, "%.*s", (int)(end - i), pattern + i);
        else fputs(o ? o->name : "-", out);
        i = end;
    }
    fputs(last, out);
}

/* What another line of the same name has that this one has not. */
static void print_difference(const struct isa_desc *d, const struct isa_desc *other, FILE *out)
{
    bool same_bits = isa_match((enum isa_op)(d - isa_table)) == isa_match((enum isa_op)(other - isa_table));
    bool shown = false;
    fputs(" In ", out);
    print_revisions(other->revisions, out);
    if (!same_bits) {
        fputs(" it is encoded as `", out);
        print_bits(other->pattern, "", out);
        fputs("`", out);
        shown = true;
    }
    if (strcmp(d->operands, other->operands)) {
        fputs(shown ? ", written `" : " the same word is written `", out);
        print_syntax(other, out);
        fputs("`", out);
        shown = true;
    }
    if (strcmp(d->text, other->text)) fprintf(out, "%s means: %s", shown ? ", and" : " it", other->text);
    fputs(".", out);
}

/* notes.def, one row a note: the mnemonics it is about, separated by spaces. */
static const struct {
    const char *names, *text;
} notes[] = {
#define NOTE(names, text) {names, text},
#include "notes.def"
#undef NOTE
};

static bool names_contain(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = names; (p = strstr(p, name)); p += n)
        if ((p == names || p[-1] == ' ') && (p[n] == ' ' || !p[n])) return true;
    return false;
}

static void print_notes(const char *name, FILE *out)
{
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (names_contain(notes[i].names, name)) fprintf(out, "Note: %s.\n\n", notes[i].text);
}

/* The reason, if the table has one, is a C string. */
static void print_absent(const char *reason, FILE *out)
{
    fputs(" Not executed by the machine", out);
    if (*reason == '"') fprintf(out, ": %.*s", (int)strlen(reason) - 2, reason + 1);
    fputc('.', out);
}

/* The types of memory accesses. */
static void print_types(enum isa_op op, FILE *out)
{
    struct isa_memory m = isa_memory(&(struct insn){.op = (uint16_t)op});
    if (!m.words) return;
    fprintf(out, " Accesses `%sint%u_t`", m.is_signed ? "" : "u", 8u * m.size);
    if (m.index) fprintf(out, " at offsets of type `uint%u_t`", 8u * m.index);
    fputc('.', out);
}

static void print_entry(enum isa_op op, FILE *out)
{
    const struct isa_desc *d = &isa_table[op];
    fprintf(out, "### %s\n\n```\n", d->name);
    print_syntax(d, out);
    fputs("\n\n", out);
    print_bits(d->pattern, "\n", out);
    fprintf(out, "\n%s\n```\n\n", d->text);
    fputs("Revisions: ", out);
    print_revisions(d->revisions, out);
    fprintf(out, ". Unit: %s.", unit_names[d->unit]);
    if (d->flags & ISA_ROUND) fputs(" Rounds by frm or rm.", out);
    if (isa_kinds[d->kind].expression == EXPRESSION_REASON) print_absent(d->expr, out);
    else if (strcmp(d->expr, "0")) fprintf(out, " Executed as `%s`.", d->expr);
    print_types(op, out);
    for (unsigned other = 1; other < OP_COUNT; other++)
        if (other != op && !strcmp(isa_table[other].name, d->name)) print_difference(d, &isa_table[other], out);
    fputs("\n\n", out);
    print_notes(d->name, out);
}

void isa_manual(FILE *out)
{
    isa_init();
    fputs("# Ventus instruction set\n\n"
          "Printed from the tables in `isa/` by `ventus isa --manual`. Register numbers above 31, longer\n"
          "immediates and other modifiers come from a prefix word in front of the instruction. Vector\n"
          "lines apply to every lane that is active in the SIMT mask; `v[i]` is lane i.\n\n",
          out);
    fputs("## Operands\n\n| name | bits | meaning |\n| --- | --- | --- |\n", out);
    for (int c = 33; c < 127; c++) {
        const struct isa_operand *o = isa_operand((char)c);
        if (!o) continue;
        fprintf(out, "| %s | ", o->name);
        for (unsigned r = 0; r < o->nranges; r++) fprintf(out, "%s%u:%u", r ? ", " : "", o->hi[r], o->lo[r]);
        fprintf(out, " | %s |\n", o->text);
    }
    fputs("\n## Control and status registers\n\n| number | name | access | meaning |\n| --- | --- | --- | --- |\n",
          out);
    for (size_t i = 0; i < isa_ncsrs; i++)
        fprintf(out, "| 0x%03x | %s | %s | %s |\n", isa_csrs[i].number, isa_csrs[i].name,
                isa_csrs[i].access == ACCESS_RW ? "read, write" : "read", isa_csrs[i].text);
    fputs("\n## Instructions\n\n", out);
    for (unsigned op = 1; op < OP_COUNT; op++) print_entry((enum isa_op)op, out);
}

bool isa_explain_name(const char *name, FILE *out)
{
    bool found = false;
    isa_init();
    for (unsigned op = 1; op < OP_COUNT; op++)
        if (!strcmp(isa_table[op].name, name)) {
            print_entry((enum isa_op)op, out);
            found = true;
        }
    return found;
}

static void print_fields(const struct insn *in, FILE *out)
{
    for (const struct isa_operand *const *p = isa_fixed(in->op)->operands; *p; p++) {
        int32_t v = isa_get(in, (enum operand_role)(*p)->role);
        fprintf(out, "  %-9s = %-8d %s", (*p)->name, v, (*p)->text);
        if ((*p)->kind == OPERAND_REG_X) fprintf(out, ", %s", isa_xreg_name((unsigned)v));
        if ((*p)->kind == OPERAND_CSR && isa_csr_number((unsigned)v))
            fprintf(out, ", %s", isa_csr_number((unsigned)v)->name);
        if ((*p)->role == ROLE_AUX || v > 9 || v < -9) fprintf(out, " (0x%x)", (unsigned)v);
        fputc('\n', out);
    }
}

bool isa_explain_word(enum isa_profile profile, const uint32_t *words, size_t nwords, FILE *out)
{
    struct insn in, prefix;
    char text[256];
    if (!isa_decode_in(profile, words, nwords, &in) && !isa_decode_raw(profile, words, nwords, &in)) return false;
    isa_print(&in, 0, 0, text, sizeof text);
    fprintf(out, "%s\n\n", text);
    if (in.prefix && isa_decode_raw(profile, words, nwords, &prefix)) {
        fprintf(out, "prefix %s\n", isa_table[in.prefix].name);
        print_fields(&prefix, out);
        fprintf(out, "instruction %s, registers and immediate with the prefix applied\n", isa_table[in.op].name);
    }
    print_fields(&in, out);
    fputc('\n', out);
    print_entry((enum isa_op)in.op, out);
    return true;
}
