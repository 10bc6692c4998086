/* Inline assembly: one template with its operands filled in, to words.
 *
 * The template is a source like any other; $0 or %0 (also ${0}) stand for operands,
 * $$ and %% for themselves. The words must not depend on where they end up, and belong to no section
 * but the text. Called by the compiler. */
#include "asm/template.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE = 0x10000 };

static bool print_operand(const struct asm_operand *o, FILE *out)
{
    switch (o->kind) {
    case ASM_OPERAND_X: return o->value >= 0 && o->value < ISA_XREGS && fprintf(out, "x%d", o->value) > 0;
    case ASM_OPERAND_V: return o->value >= 0 && o->value < ISA_VREGS && fprintf(out, "v%d", o->value) > 0;
    case ASM_OPERAND_NUMBER: return fprintf(out, o->value < 0 ? "(%d)" : "%d", o->value) > 0;
    case ASM_OPERAND_AT_X: return o->value >= 0 && o->value < ISA_XREGS && fprintf(out, "0(x%d)", o->value) > 0;
    case ASM_OPERAND_AT_V: return o->value >= 0 && o->value < ISA_VREGS && fprintf(out, "0(v%d)", o->value) > 0;
    }
    return false;
}

static bool fail(FILE *log, const char *what)
{
    if (log) fprintf(log, "<inline asm>: error: %s\n", what);
    return false;
}

/* The operand as its modifier, a letter or 0, wants it written. */
static bool print_modified(const struct asm_operand *o, char modifier, FILE *out)
{
    bool number = o->kind == ASM_OPERAND_NUMBER;
    if (modifier == 'i') return !number || fputc('i', out) != EOF;
    if (modifier == 'z' && number && !o->value) return fputs("zero", out) != EOF;
    return print_operand(o, out);
}

/* Reads the number of an operand, and its modifier in braces; the place behind it, or NULL. */
static const char *read_place(const char *p, unsigned long *operand, char *modifier)
{
    bool braces = p[1] == '{';
    const char *digits = p + 1 + braces;
    char *end;
    *operand = strtoul(digits, &end, 10);
    if (!isdigit((unsigned char)*digits) || end - digits > 3) return NULL;
    *modifier = 0;
    if (!braces) return end;
    if (*end == ':' && (end[1] == 'z' || end[1] == 'i')) *modifier = end[1], end += 2;
    return *end == '}' ? end + 1 : NULL;
}

/* Writes what stands for the operand that is named at p; the place behind the name, or NULL. */
static const char *substitute(const char *p, const struct asm_operand *operands, size_t n, FILE *out, FILE *log)
{
    static const char unique[] = "{:uid}";
    unsigned long i;
    char modifier;
    if (!strncmp(p + 1, unique, sizeof unique - 1)) return fputc('0', out) == EOF ? NULL : p + sizeof unique;
    const char *end = read_place(p, &i, &modifier);
    if (!end || i >= n) {
        fail(log, "the template names an operand that is not there");
        return NULL;
    }
    if (print_modified(&operands[i], modifier, out)) return end;
    fail(log, "an operand is no register of the machine");
    return NULL;
}

static bool write_source(const char *text, const struct asm_operand *operands, size_t n, FILE *out, FILE *log)
{
    for (const char *p = text; *p;) {
        bool mark = *p == '$' || *p == '%';
        if (mark && p[1] == *p) {
            fputc(*p, out);
            p += 2;
        } else if (mark && (isdigit((unsigned char)p[1]) || p[1] == '{')) {
            p = substitute(p, operands, n, out, log);
            if (!p) return false;
        } else {
            fputc(*p++, out);
        }
    }
    return true;
}

static bool text_only(const struct elf_image *m)
{
    return !m->rodata_size && !m->data_size && !m->bss_size && !m->note && !m->nresources && m->text_addr % PROBE == 0;
}

/* Assembles at two addresses: the same words, or the template depends on its place. */
static bool assemble(const struct asm_options *options, const char *source, size_t size, uint32_t **words,
                     size_t *nwords, FILE *log)
{
    struct elf_image m[2];
    if (!asm_assemble_with(options, "<inline asm>", source, size, PROBE, &m[0], log)) return false;
    bool ok = text_only(&m[0]) || fail(log, "only instructions and words can stand in inline assembly");
    if (ok) {
        ok = asm_assemble_with(options, "<inline asm>", source, size, 2 * PROBE, &m[1], log);
        bool same = ok && m[0].text_words == m[1].text_words && !memcmp(m[0].text, m[1].text, m[0].text_words * 4);
        if (ok) elf_free(&m[1]);
        ok = ok && (same || fail(log, "the instructions depend on their place"));
    }
    if (ok) {
        *words = malloc(m[0].text_words * 4 + 4);
        *nwords = m[0].text_words;
        ok = *words || fail(log, "out of memory");
        if (ok) memcpy(*words, m[0].text, m[0].text_words * 4);
    }
    elf_free(&m[0]);
    return ok;
}

bool asm_template(const struct asm_options *options, const char *text, const struct asm_operand *operands,
                  size_t noperands, uint32_t **words, size_t *nwords, FILE *log)
{
    static const struct asm_options usual;
    char *source = NULL;
    size_t size;
    FILE *out = open_memstream(&source, &size);
    if (!out) return fail(log, "out of memory");
    bool ok = write_source(text, operands, noperands, out, log);
    ok = !fclose(out) && ok && assemble(options ? options : &usual, source, size, words, nwords, log);
    free(source);
    return ok;
}
