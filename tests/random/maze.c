/* What takes many registers: a state of many words that is changed in a loop with several entries, which only `goto`
 * can make, and structs of a hundred bytes that are copied in loops. A jump into the middle is what LLVM makes
 * reducible by a block that knows in numbers where lanes go on, so everything that is live there stays live over all of
 * it. Each part of the maze takes fuel, so that it ends. Called by stmt.c. */
#include "gen.h"

enum { KNOWN = 5 };

struct maze {
    unsigned id, words, parts;
    bool looked_up; /* words by indices that are not constant, so that the state is in memory */
};

static void word(struct gen *g, const struct maze *m)
{
    if (m->looked_up && gen_chance(g, 15)) {
        fprintf(g->out, "m%u[", m->id);
        gen_index(g, m->words, 1, ANY);
        fputc(']', g->out);
    } else fprintf(g->out, "m%u[%u]", m->id, gen_below(g, m->words));
}

/* A change of one word by others. */
static void change(struct gen *g, const struct maze *m)
{
    static const char *const ops[] = {" ^ ", " + ", " & ~", " | ", " * "};
    gen_line(g);
    fprintf(g->out, "m%u[%u] %s= ", m->id, gen_below(g, m->words), gen_chance(g, 50) ? "" : "^");
    for (unsigned i = 0, n = 2 + gen_below(g, 3); i < n; i++) {
        if (i) fputs(ops[gen_below(g, sizeof ops / sizeof *ops)], g->out);
        word(g, m);
    }
    fputs(";\n", g->out);
}

static void jump_to(struct gen *g, const struct maze *m)
{
    fputs("if ", g->out);
    gen_cond(g, 1, (enum tier)gen_below(g, 3));
    fprintf(g->out, " goto l%u_%u;\n", m->id, gen_below(g, m->parts));
}

static void part(struct gen *g, const struct maze *m, unsigned number)
{
    fprintf(g->out, "l%u_%u:\n", m->id, number);
    for (unsigned i = 0, n = 2 + gen_below(g, m->words / 2); i < n; i++) change(g, m);
    gen_line(g);
    fprintf(g->out, "if (--f%u == 0u) goto e%u;\n", m->id, m->id);
    gen_line(g);
    jump_to(g, m);
    if (gen_chance(g, 60)) return;
    gen_line(g);
    fprintf(g->out, "goto l%u_%u;\n", m->id, gen_below(g, m->parts));
}

static void begin(struct gen *g, const struct maze *m)
{
    fprintf(g->out, "{ uint m%u[%u], f%u = %uu, s%u = 0; for (uint i = 0; i < %uu; i++) m%u[i] = in[i * %uu & 255u] + ",
            m->id, m->words, m->id, 3 + gen_below(g, 20), m->id, m->words, m->id, 1 + gen_below(g, 9));
    gen_expr(g, (struct type){UINT, 1}, 1, ANY);
    fputs(";\n", g->out);
    for (unsigned i = 0; i < KNOWN && g->nvars < MAX_VARS; i++) {
        struct var *v = &g->vars[g->nvars++];
        *v = (struct var){.type = {UINT, 1}, .tier = ANY};
        snprintf(v->name, sizeof v->name, "m%u[%u]", m->id, gen_below(g, m->words));
    }
}

void gen_maze(struct gen *g, const struct var *result)
{
    static const unsigned words[] = {16, 32, 64, 64, 128};
    unsigned saved = g->nvars;
    struct maze m = {g->serial++, words[gen_below(g, sizeof words / sizeof *words)], 2 + gen_below(g, 4),
                     gen_chance(g, 20)};
    gen_line(g);
    begin(g, &m);
    gen_line(g);
    jump_to(g, &m);
    for (unsigned i = 0; i < m.parts; i++) part(g, &m, i);
    gen_line(g);
    fprintf(g->out, "goto l%u_0;\ne%u: for (uint i = 0; i < %uu; i++) s%u = s%u * 31u + m%u[i];\n", m.id, m.id, m.words,
            m.id, m.id, m.id);
    gen_line(g);
    fprintf(g->out, "%s = (%s)s%u; }\n", result->name, base_names[result->type.base], m.id);
    g->nvars = saved;
}

/* ---- structs ---- */

void gen_large_struct(struct gen *g)
{
    g->large = 12 + gen_below(g, 12);
    fprintf(g->out, "\nstruct l%u {\n  uint a[%u];\n  ulong b;\n  float c;\n};\n", g->index, g->large);
}

/* One that the buffer holds. */
static void stored_struct(struct gen *g)
{
    fprintf(g->out, "*(global const struct l%u *)(in + 2u * ", g->index);
    gen_index(g, 64, 1, ANY);
    fputc(')', g->out);
}

void gen_copies(struct gen *g, const struct var *result)
{
    unsigned id = g->serial++;
    gen_line(g);
    fprintf(g->out, "{ struct l%u c%u[4]; c%u[0] = c%u[1] = ", g->index, id, id, id);
    stored_struct(g);
    fprintf(g->out, "; c%u[2] = c%u[3] = c%u[0]; for (uint i = ", id, id, id);
    gen_index(g, 4, 1, ANY);
    fprintf(g->out, "; i < %uu; i += 1u + (in[i] & 3u)) { if ", 4 + gen_below(g, 12));
    gen_cond(g, 1, ANY);
    fprintf(g->out, " c%u[i & 3u] = ", id);
    stored_struct(g);
    fprintf(g->out, "; else c%u[i + 1u & 3u] = c%u[i & 3u]; atomic_inc(&counters[c%u[i & 3u].a[%u] & 3u]); } ", id, id,
            id, gen_below(g, g->large));
    fprintf(g->out, "%s = (%s)(c%u[", result->name, base_names[result->type.base], id);
    gen_index(g, 4, 1, ANY);
    fprintf(g->out, "].a[%u] + (uint)(c%u[%u].b >> 7)); }\n", gen_below(g, g->large), id, gen_below(g, 4));
}
