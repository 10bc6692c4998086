/* What a kernel has executed, by instruction and by line (profile.h). Called by the outputs. */
#include <stdlib.h>
#include <string.h>

#include "isa/effects.h"
#include "profile/profile.h"

static size_t words_at(const struct profile_kernel *k, uint32_t at, uint32_t words[ISA_MAX_WORDS])
{
    const size_t left = (k->size - at) / 4, n = left < ISA_MAX_WORDS ? left : ISA_MAX_WORDS;
    memset(words, 0, ISA_MAX_WORDS * sizeof *words);
    memcpy(words, k->code + at, n * 4);
    return n;
}

/* Its size in bytes. */
static uint32_t describe(const struct profile *p, const struct profile_kernel *k, struct profile_insn *i)
{
    uint32_t words[ISA_MAX_WORDS];
    struct insn in;
    size_t n = words_at(k, i->pc - k->base, words);
    i->line = note_line_at(k->note, i->pc);
    const bool known = isa_decode_in((enum isa_profile)profile_config(p)->profile, words, n, &in);
    const uint32_t size = known ? in.size : 4;
    i->went = profile_site_at(k, i->pc, i->pc + size);
    if (known) isa_print(&in, i->pc, 0, i->text, sizeof i->text);
    else snprintf(i->text, sizeof i->text, ".word 0x%08x", (unsigned)words[0]);
    for (char *c = i->text; *c; c++)
        if (*c == '\t') *c = ' ';
    return size;
}

/* Without being executed: where a launch failed, or a fault of the modelled hardware obeys an instruction too much. */
static bool waited_at(const struct profile_kernel *k, uint32_t pc)
{
    const struct timing_site s = k->went ? profile_site_at(k, pc, pc + 4) : (struct timing_site){0};
    return profile_cycles_of(&s);
}

static bool add_insn(struct profile_rows *rows, const struct profile_insn *insn)
{
    const size_t room = rows->ninsns;
    if (!(room & (room - 1))) { /* a power of two is full */
        struct profile_insn *more = realloc(rows->insns, (room ? 2 * room : 1) * sizeof *more);
        if (!more) return false;
        rows->insns = more;
    }
    rows->insns[rows->ninsns++] = *insn;
    rows->executions += insn->counts.executions;
    rows->lanes += insn->counts.lanes;
    rows->cycles += profile_cycles_of(&insn->went);
    return true;
}

/* ---- lines ---- */

static int by_line(const void *a, const void *b)
{
    const struct profile_line *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

static int by_heat(const void *a, const void *b)
{
    const struct profile_line *x = a, *y = b;
    if (x->executions != y->executions) return x->executions < y->executions ? 1 : -1;
    return by_line(a, b);
}

static void find_text(const struct profile_kernel *k, const struct profile_insn *i, struct profile_line *line)
{
    line->text = note_text_at(k->note, i->pc, &line->size);
    while (line->text && line->size && (*line->text == ' ' || *line->text == '\t')) line->text++, line->size--;
}

static void merge_lines(struct profile_rows *rows)
{
    size_t n = 0;
    qsort(rows->lines, rows->nlines, sizeof *rows->lines, by_line);
    for (size_t i = 0; i < rows->nlines; i++) {
        struct profile_line *at = &rows->lines[n ? n - 1 : 0], *line = &rows->lines[i];
        if (!n || at->line != line->line) {
            rows->lines[n++] = *line;
            continue;
        }
        at->executions += line->executions;
        at->lanes += line->lanes;
        at->branches += line->branches;
        at->diverged += line->diverged;
        site_add(&at->went, &line->went);
    }
    rows->nlines = n;
    qsort(rows->lines, rows->nlines, sizeof *rows->lines, by_heat);
}

static bool make_lines(const struct profile *p, const struct profile_kernel *k, struct profile_rows *rows)
{
    rows->lines = calloc(rows->ninsns + 1, sizeof *rows->lines);
    if (!rows->lines) return false;
    for (size_t i = 0; i < rows->ninsns; i++) {
        const struct profile_insn *insn = &rows->insns[i];
        struct profile_line *line = &rows->lines[rows->nlines++];
        uint32_t words[ISA_MAX_WORDS];
        struct insn in;
        size_t n = words_at(k, insn->pc - k->base, words);
        bool branch = isa_decode_in((enum isa_profile)profile_config(p)->profile, words, n, &in) &&
                      isa_kinds[isa_table[in.op].kind].control == CONTROL_VBRANCH;
        *line = (struct profile_line){.line = insn->line,
                                      .executions = insn->counts.executions,
                                      .lanes = insn->counts.lanes,
                                      .branches = branch ? insn->counts.executions : 0,
                                      .diverged = insn->counts.diverged,
                                      .went = insn->went};
        find_text(k, insn, line);
    }
    merge_lines(rows);
    return true;
}

bool profile_rows(const struct profile *p, const struct profile_kernel *k, struct profile_rows *rows)
{
    uint32_t end = k->base; /* of the last instruction */
    *rows = (struct profile_rows){0};
    for (uint32_t at = 0; at + 4 <= k->size; at += 4) {
        struct profile_insn insn = {.pc = k->base + at, .counts = counts_at(k->counts, k->base + at)};
        if (!insn.counts.executions && (insn.pc < end || !waited_at(k, insn.pc))) continue;
        end = insn.pc + describe(p, k, &insn);
        if (!add_insn(rows, &insn)) return false;
    }
    return make_lines(p, k, rows);
}

void profile_rows_free(struct profile_rows *rows)
{
    free(rows->insns);
    free(rows->lines);
    *rows = (struct profile_rows){0};
}
