/* ventus run --trace: one line for each executed instruction, with what it wrote.
 *
 * Columns, separated by tabs: warp, address, SIMT mask after the instruction, instruction, result
 * (a vector register lane by lane, - for lanes that were not active). Called by run.c. */
#include <string.h>

#include "run.h"
#include "sim/warp.h"

static void print_vector(FILE *out, const struct warp *w, unsigned vd)
{
    fprintf(out, "v%u =", vd);
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        if (!(w->lanes >> lane & 1)) continue;
        if (w->active >> lane & 1) fprintf(out, " %x", w->v[vd][lane]);
        else fputs(" -", out);
    }
}

static void print_result(FILE *out, const struct warp *w, const struct insn *in)
{
    const char *pattern = isa_table[in->op].pattern;
    if (strchr(pattern, 'd') && in->rd) fprintf(out, "%s = %x", isa_xreg_name(in->rd), w->x[in->rd]);
    else if (strchr(pattern, 'D')) print_vector(out, w, in->rd);
}

static void after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    FILE *out = user;
    char text[160];
    isa_print(in, pc, 0, text, sizeof text);
    char *tab = strchr(text, '\t');
    if (tab) *tab = ' ';
    fprintf(out, "%u\t%08x\t%08x\t%s\t", w->wid, pc, w->mask, text);
    print_result(out, w, in);
    fputc('\n', out);
}

struct trace trace_into(FILE *out) { return (struct trace){.user = out, .after = after}; }
