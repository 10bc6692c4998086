/* What has been exercised, as JSON, a table and a page. */
#include <string.h>

#include "coverage/coverage.h"
#include "isa/effects.h"

const struct coverage_row coverage_rows[COVERAGE_BINS] = {
#define BIN(group, name, of, holds, text) {#group, #name, text, of},
#include "coverage/bins.def"
#undef BIN
};

/* ---- which instructions ---- */

/* Is the instruction one of the profile? */
static bool is_counted(const struct coverage *c, enum isa_op op)
{
    return op != OP_INVALID && isa_table[op].kind != KIND_PREFIX && isa_table[op].revisions & c->profile &&
           isa_find_in(c->profile, isa_table[op].name) == op;
}

static bool has_sign(enum isa_op op)
{
    for (const char *letter = isa_table[op].operands; *letter; letter++) {
        const struct isa_operand *o = isa_operand(*letter);
        if (o && o->role == ROLE_IMM && o->kind != OPERAND_UIMM) return true;
    }
    return false;
}

/* Its effects with registers that say nothing, and without a mask. */
static uint32_t kinds_of(enum isa_op op)
{
    const struct insn in = {.op = (uint16_t)op, .rd = 1, .rs1 = 2, .rs2 = 3, .rs3 = 4, .vm = 1, .rm = 7, .size = 4};
    const struct isa_effects e = isa_effects(&in, ISA_LANES);
    uint32_t of = 0;
    if (e.vectors) of |= OF_VECTOR;
    if (isa_has(op, ROLE_VM)) of |= OF_MASKED;
    if (e.reads & (e.scalars | e.vectors)) of |= OF_READS;
    if (e.writes & (e.scalars | e.vectors)) of |= OF_WRITES;
    if (e.reads & e.scalars) of |= OF_READS_X;
    if (e.writes & e.scalars) of |= OF_WRITES_X;
    if (isa_has(op, ROLE_IMM)) of |= OF_IMMEDIATE;
    if (has_sign(op)) of |= OF_SIGNED;
    return of;
}

bool coverage_can(enum isa_op op, enum coverage_bin bin)
{
    const uint32_t of = coverage_rows[bin].of;
    return (kinds_of(op) & of) == of;
}

/* ---- JSON ---- */

static void json_bins(const struct coverage *c, enum isa_op op, FILE *out)
{
    const char *comma = "";
    for (unsigned b = 0; b < COVERAGE_BINS; b++) {
        if (!c->bins[op][b]) continue;
        fprintf(out, "%s\"%s.%s\": %llu", comma, coverage_rows[b].group, coverage_rows[b].name,
                (unsigned long long)c->bins[op][b]);
        comma = ", ";
    }
}

void coverage_json(const struct coverage *c, FILE *out)
{
    const char *comma = "";
    fprintf(out, "{\n  \"version\": 1,\n  \"profile\": \"%s\",\n  \"instructions\": [", isa_profile_name(c->profile));
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!c->executed[op]) continue;
        fprintf(out, "%s\n    {\"name\": \"%s\", \"executed\": %llu, \"bins\": {", comma, isa_table[op].name,
                (unsigned long long)c->executed[op]);
        json_bins(c, (enum isa_op)op, out);
        fprintf(out, "}}");
        comma = ",";
    }
    fprintf(out, "\n  ]\n}\n");
}

/* ---- sums ---- */

/* Of the instructions that can have a bin, those that have had it. */
struct share {
    unsigned had, can;
};

static struct share share_of(const struct coverage *c, enum coverage_bin bin)
{
    struct share s = {0, 0};
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!is_counted(c, (enum isa_op)op) || !coverage_can((enum isa_op)op, bin)) continue;
        s.can++;
        s.had += c->bins[op][bin] != 0;
    }
    return s;
}

static struct share share_executed(const struct coverage *c)
{
    struct share s = {0, 0};
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!is_counted(c, (enum isa_op)op)) continue;
        s.can++;
        s.had += c->executed[op] != 0;
    }
    return s;
}

static struct share share_total(const struct coverage *c)
{
    struct share all = {0, 0};
    for (unsigned b = 0; b < COVERAGE_BINS; b++) {
        const struct share s = share_of(c, (enum coverage_bin)b);
        all.had += s.had, all.can += s.can;
    }
    return all;
}

static double percent(struct share s) { return s.can ? 100.0 * s.had / s.can : 100; }

/* ---- the table ---- */

/* Names of executed instructions that have not had a bin, or of those not executed (COVERAGE_BINS), in lines. */
static void list_missing(const struct coverage *c, unsigned bin, unsigned most, FILE *out)
{
    unsigned n = 0, column = 0;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const bool all = bin == COVERAGE_BINS;
        if (!is_counted(c, (enum isa_op)op) || (!all && !coverage_can((enum isa_op)op, (enum coverage_bin)bin)))
            continue;
        if (all ? c->executed[op] : c->bins[op][bin] || !c->executed[op]) continue;
        if (!n) fprintf(out, all ? "\n  never executed:" : "; executed without it:");
        if (n++ == most) {
            fprintf(out, " ...");
            break;
        }
        if (!column || column + strlen(isa_table[op].name) > 100) column = (unsigned)fprintf(out, "\n     ") - 1;
        column += (unsigned)fprintf(out, " %s", isa_table[op].name);
    }
    fprintf(out, "\n");
}

void coverage_table(const struct coverage *c, unsigned most, FILE *out)
{
    const struct share executed = share_executed(c), total = share_total(c);
    fprintf(out, "instructions of %s: %u of %u executed (%.1f %%); of what they can exercise: %u of %u (%.1f %%)\n",
            isa_profile_name(c->profile), executed.had, executed.can, percent(executed), total.had, total.can,
            percent(total));
    for (unsigned b = 0; b < COVERAGE_BINS; b++) {
        const struct coverage_row *row = &coverage_rows[b];
        const struct share s = share_of(c, (enum coverage_bin)b);
        fprintf(out, "\n  %s.%s: %u of %u (%.1f %%): %s", row->group, row->name, s.had, s.can, percent(s), row->text);
        list_missing(c, b, most, out);
    }
    list_missing(c, COVERAGE_BINS, most, out);
}

/* ---- the page ---- */

static void page_row(const struct coverage *c, enum isa_op op, FILE *out)
{
    fprintf(out, "<tr class=\"%s\"><th>%s</th><td>%llu</td>", c->executed[op] ? "yes" : "no", isa_table[op].name,
            (unsigned long long)c->executed[op]);
    for (unsigned b = 0; b < COVERAGE_BINS; b++) {
        const char *class = !coverage_can(op, (enum coverage_bin)b) ? "never" : c->bins[op][b] ? "had" : "missing";
        fprintf(out, "<td class=\"%s\" title=\"%s %s.%s: %llu\"></td>", class, isa_table[op].name,
                coverage_rows[b].group, coverage_rows[b].name, (unsigned long long)c->bins[op][b]);
    }
    fprintf(out, "</tr>\n");
}

void coverage_page(const struct coverage *c, FILE *out)
{
    const struct share executed = share_executed(c), total = share_total(c);
    fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Coverage</title><style>\n"
        "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}th{text-align:left;font-weight:normal;"
        "font-family:monospace;padding-right:1em}td{border:1px solid #fff;text-align:right}td[class]{min-width:1.6em}"
        "thead th{writing-mode:vertical-rl;transform:rotate(180deg);padding:.3em}.had{background:#2a9d5c}"
        ".missing{background:#e76f51}.never{background:#eee}tr.no th{color:#999}\n"
        "</style></head><body>\n<h1>What has been exercised</h1>\n"
        "<p>Profile %s. Executed: %u of %u instructions (%.1f %%). Of what they can exercise: %u of %u (%.1f %%). "
        "Green has "
        "been exercised, red has not, grey cannot be; point at a field for its count.</p>\n"
        "<p><label><input type=\"checkbox\" onchange=\"for(const r of document.querySelectorAll('tr.no'))"
        "r.hidden=this.checked\"> only instructions that have been executed</label></p>\n<table><thead><tr><th></th>"
        "<th>executed</th>",
        isa_profile_name(c->profile), executed.had, executed.can, percent(executed), total.had, total.can,
        percent(total));
    for (unsigned b = 0; b < COVERAGE_BINS; b++)
        fprintf(out, "<th title=\"%s\">%s.%s</th>", coverage_rows[b].text, coverage_rows[b].group,
                coverage_rows[b].name);
    fprintf(out, "</tr></thead><tbody>\n");
    for (unsigned op = 1; op < OP_COUNT; op++)
        if (is_counted(c, (enum isa_op)op)) page_row(c, (enum isa_op)op, out);
    fprintf(out, "</tbody></table></body></html>\n");
}
