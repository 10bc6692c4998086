/* Random statements. Every loop counts down fuel of its own or a counter nothing else assigns, so
 * that all programs end. A construct that needs several statements to stay correct (a barrier pair,
 * for instance) is printed on one line: the reducer removes whole lines. Called by gen.c. */
#include "gen.h"

/* A variable that may be assigned at this place with this tier, or NULL. */
static struct var *target(struct gen *g, struct place place)
{
    struct var *found = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < g->nvars; i++) {
        struct var *v = &g->vars[i];
        if (v->constant || v->length || v->memory || (v->tier == UNIFORM && !place.uniform)) continue;
        if (gen_below(g, ++seen) == 0) found = v;
    }
    return found;
}

static unsigned depth_of(struct gen *g) { return gen_chance(g, 60) ? 1 + gen_below(g, 2) : 3; }

static enum tier tier_here(struct gen *g, struct place place)
{
    return place.uniform ? (enum tier)gen_below(g, 3) : gen_chance(g, 45) ? SCALARISH : ANY;
}

static void assignment(struct gen *g, struct place place)
{
    struct var *v = target(g, place);
    if (!v) return;
    gen_line(g);
    if (v->type.width > 1 && gen_chance(g, 30)) {
        fprintf(g->out, "%s.s%u = ", v->name, gen_below(g, v->type.width));
        gen_expr(g, (struct type){v->type.base, 1}, depth_of(g), v->tier);
    } else if (v->type.width == 1 && !base_signed(v->type.base) && gen_chance(g, 40)) {
        static const char *const ops[] = {"+=", "-=", "*=", "^=", "|=", "&=", "+=", "^="};
        fprintf(g->out, "%s %s ", v->name, v->type.base == USHORT ? "^=" : ops[gen_below(g, 8)]);
        gen_expr(g, v->type, depth_of(g), v->tier);
    } else {
        fprintf(g->out, "%s = ", v->name);
        gen_expr(g, v->type, depth_of(g), v->tier);
    }
    fputs(";\n", g->out);
}

static void declaration(struct gen *g, struct place place)
{
    struct type t = any_type(g);
    enum tier tier = tier_here(g, place);
    gen_line(g);
    gen_type(g, t);
    /* the initialiser must not see the variable: name it after printing */
    fprintf(g->out, " v%u = ", g->serial);
    gen_expr(g, t, depth_of(g), tier);
    fputs(";\n", g->out);
    gen_declare(g, t, tier);
}

static void array(struct gen *g)
{
    static const struct type types[] = {{UINT, 1}, {UCHAR, 1},  {SHORT, 1}, {FLOAT, 1}, {ULONG, 1},
                                        {INT, 4},  {USHORT, 2}, {INT, 1},   {DOUBLE, 1}};
    struct type t = types[gen_below(g, sizeof types / sizeof *types)];
    unsigned n = 2u << gen_below(g, 3), id = g->serial;
    gen_line(g);
    gen_type(g, t);
    fprintf(g->out, " v%u[%u]; for (uint i = 0; i < %uu; i++) v%u[i] = (%s%.0u)(%s)(i * %uu + ", id, n, n, id,
            base_names[t.base], t.width > 1 ? t.width : 0, base_names[t.base], gen_below(g, 1000));
    gen_expr(g, (struct type){UINT, 1}, 1, SCALARISH);
    fputs(");\n", g->out);
    gen_declare(g, t, ANY)->length = n;
}

static void array_store(struct gen *g)
{
    const struct var *v = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < g->nvars; i++)
        if (g->vars[i].length && gen_below(g, ++seen) == 0) v = &g->vars[i];
    if (!v) {
        array(g);
        return;
    }
    gen_line(g);
    fprintf(g->out, "%s[", v->name);
    gen_index(g, v->length, 1, ANY);
    fputs("] = ", g->out);
    gen_expr(g, v->type, depth_of(g), ANY);
    fputs(";\n", g->out);
}

/* The item's own eight words of the result buffer. */
static void store(struct gen *g)
{
    gen_line(g);
    if (gen_chance(g, 20)) { /* bytes may alias words, halfwords may not */
        enum base base = gen_chance(g, 50) ? CHAR : UCHAR;
        fprintf(g->out, "((global %s *)o)[", base_names[base]);
        gen_index(g, 32, 1, ANY);
        fputs("] = ", g->out);
        gen_expr(g, (struct type){base, 1}, depth_of(g), ANY);
    } else {
        fputs("o[", g->out);
        gen_index(g, 8, 1, gen_chance(g, 50) ? SCALARISH : ANY);
        fprintf(g->out, "] %s= ", gen_chance(g, 50) ? "" : gen_chance(g, 50) ? "+" : "^");
        gen_expr(g, (struct type){UINT, 1}, depth_of(g), ANY);
    }
    fputs(";\n", g->out);
}

/* Every item that gets here stores the same value to the same place. */
static void invariant_store(struct gen *g)
{
    if (g->stores == 8) return;
    gen_line(g);
    fprintf(g->out, "acc[68 + group * 8u + %uu] = n * %uu + group + (uint)p.a0;\n", g->stores++, gen_below(g, 1000));
}

/* Operations that commute share slots of acc, the 64-bit ones those behind acc[32]; results are not looked at. An
 * exchange always brings the same number. */
static void atomic(struct gen *g)
{
    // clang-format off
    static const struct { const char *call; unsigned slot, slots; enum base argument; const char *value; } table[] = {
        {"atomic_add(&acc[", 0, 4, UINT}, {"atomic_sub(&acc[", 0, 4, UINT}, {"cas_add(&acc[", 0, 4, UINT},
        {"atomic_inc(&acc[", 0, 4, UINT, ""}, {"atomic_dec(&acc[", 0, 4, UINT, ""},
        {"atomic_or(&acc[", 4, 4, UINT}, {"atomic_xor(&acc[", 8, 4, UINT}, {"atomic_max(&acc[", 12, 4, UINT},
        {"atomic_min(&acc[", 16, 4, UINT}, {"atomic_and(&acc[", 20, 4, UINT},
        {"atomic_min(&((global int *)acc)[", 24, 4, INT}, {"atomic_max(&((global int *)acc)[", 28, 4, INT},
        {"atom_add(&((global ulong *)acc)[", 16, 2, ULONG}, {"atom_sub(&((global ulong *)acc)[", 16, 2, ULONG},
        {"cas_add_wide(&((global ulong *)acc)[", 16, 2, ULONG}, {"atom_or(&((global ulong *)acc)[", 18, 2, ULONG},
        {"atom_xor(&((global ulong *)acc)[", 20, 2, ULONG}, {"atom_and(&((global ulong *)acc)[", 22, 2, ULONG},
        {"atom_max(&((global ulong *)acc)[", 24, 2, ULONG}, {"atom_min(&((global ulong *)acc)[", 26, 2, ULONG},
        {"atom_max(&((global long *)acc)[", 28, 2, LONG}, {"atom_min(&((global long *)acc)[", 30, 2, LONG},
        {"atom_xchg(&((global ulong *)acc)[", 32, 2, ULONG, ", 0xfedcba9876543210ul"},
    };
    // clang-format on
    unsigned i = gen_below(g, sizeof table / sizeof *table);
    enum tier tier = gen_chance(g, 50) ? SCALARISH : ANY;
    gen_line(g);
    fprintf(g->out, "%s%uu + ", table[i].call, table[i].slot);
    gen_index(g, table[i].slots, 1, tier);
    fputc(']', g->out);
    if (table[i].value) fputs(table[i].value, g->out);
    else {
        fputs(", ", g->out);
        gen_expr(g, (struct type){table[i].argument, 1}, 2, tier);
    }
    fputs(");\n", g->out);
}

/* Atomic operations of one kind on local 64-bit numbers, between barriers. */
static void wide_exchange(struct gen *g, const struct var *v)
{
    static const char *const calls[] = {"atom_add(&",
                                        "atom_xor(&",
                                        "atom_or(&",
                                        "atom_and(&",
                                        "atom_max(&",
                                        "atom_min(&",
                                        "atom_max((local long *)&",
                                        "atom_min((local long *)&"};
    static const char fence[] = "barrier(CLK_LOCAL_MEM_FENCE);";
    gen_line(g);
    fprintf(g->out, "{ %s for (uint i = lid; i < 8u; i += group_size) wide[i] = i * 0x%08x00000001ul; %s if ", fence,
            gen_below(g, UINT32_MAX), fence);
    gen_cond(g, 2, ANY);
    fprintf(g->out, " %swide[", calls[gen_below(g, sizeof calls / sizeof *calls)]);
    gen_index(g, 8, 1, ANY);
    fputs("], ", g->out);
    gen_expr(g, (struct type){gen_chance(g, 50) ? LONG : ULONG, 1}, 2, ANY);
    fprintf(g->out, "); %s %s = (%s)wide[lid & 7u]; %s }\n", fence, v->name, base_names[v->type.base], fence);
}

/* A value from another item of the group through local memory. */
static void exchange(struct gen *g, struct place place)
{
    static const char fence[] = "barrier(CLK_LOCAL_MEM_FENCE);";
    struct var *v = target(g, place);
    if (!v || v->type.width > 1 || v->tier != ANY) return;
    if (gen_chance(g, 30)) {
        wide_exchange(g, v);
        return;
    }
    const char *tile = gen_chance(g, 50) ? "tile" : "scratch";
    gen_line(g);
    if (gen_chance(g, 70)) {
        fprintf(g->out, "{ %s %s[lid] = ", fence, tile);
        gen_expr(g, (struct type){UINT, 1}, 2, ANY);
        fprintf(g->out, "; %s %s = (%s)%s[", fence, v->name, base_names[v->type.base], tile);
        gen_expr(g, (struct type){UINT, 1}, 2, ANY);
        fprintf(g->out, " %% group_size]; %s }\n", fence);
    } else {
        fprintf(g->out, "{ %s for (uint i = lid; i < 8u; i += group_size) tile[i] = i; %s if ", fence, fence);
        gen_cond(g, 2, ANY);
        fputs(" atomic_add(&tile[", g->out);
        gen_index(g, 8, 1, ANY);
        fputs("], ", g->out);
        gen_expr(g, (struct type){UINT, 1}, 2, ANY);
        fprintf(g->out, "); %s %s = (%s)tile[lid & 7u]; %s }\n", fence, v->name, base_names[v->type.base], fence);
    }
}

static void helper_call(struct gen *g, struct place place)
{
    struct var *v = target(g, place);
    if (!g->helpers || !v || v->type.width > 1 || base_floating(v->type.base)) return;
    gen_line(g);
    fprintf(g->out, "%s = (%s)h%u_%u(", v->name, base_names[v->type.base], g->index, gen_below(g, g->helpers));
    gen_expr(g, (struct type){UINT, 1}, 1, v->tier);
    fputs(", ", g->out);
    gen_expr(g, (struct type){INT, 1}, 1, v->tier);
    fputs(");\n", g->out);
}

/* Structs by value: passed and returned, copied, chosen, in an array whose index differs. */
static void object(struct gen *g)
{
    static const char *const copies[] = {"q = r", "r = q", "many[", "q = many[", "r = many["};
    unsigned choice = gen_below(g, 10);
    gen_line(g);
    if (choice < 5) {
        fprintf(g->out, "%s = g%u(%s", gen_chance(g, 50) ? "q" : "r", g->index, gen_chance(g, 50) ? "q" : "r");
        for (unsigned i = 0; i < g->nparams; i++) {
            fputs(", ", g->out);
            gen_expr(g, g->params[i], 1, gen_chance(g, 40) ? SCALARISH : ANY);
        }
        fputs(");\n", g->out);
        return;
    }
    if (gen_chance(g, 40)) fputs("if ", g->out), gen_cond(g, 1, ANY), fputc(' ', g->out);
    fputs(copies[choice - 5], g->out);
    if (choice >= 7) gen_index(g, 4, 1, ANY), fputc(']', g->out);
    fprintf(g->out, "%s;\n", choice == 7 ? " = q" : "");
}

/* What other items of the sub-group hold, all of which get here. The last one may be short. */
static void sub_group(struct gen *g, struct place place)
{
    static const char *const functions[] = {"reduce_add",
                                            "reduce_min",
                                            "reduce_max",
                                            "scan_inclusive_add",
                                            "scan_exclusive_add",
                                            "scan_inclusive_max",
                                            "scan_exclusive_min",
                                            "broadcast",
                                            "shuffle",
                                            "any",
                                            "all"};
    static const enum base bases[] = {INT, UINT, UINT, INT, LONG, ULONG};
    unsigned i = gen_below(g, sizeof functions / sizeof *functions);
    struct type t = {bases[gen_below(g, 6)], 1};
    struct var *v = target(g, place);
    if (!v || v->type.width > 1 || v->tier != ANY || base_floating(v->type.base)) return;
    gen_line(g);
    fprintf(g->out, "%s = (%s)sub_group_%s(", v->name, base_names[v->type.base], functions[i]);
    if (i > 8) gen_cond(g, 2, ANY);
    else gen_expr(g, t, 2, ANY);
    if (i == 7) fputs(", 0u", g->out);
    if (i == 8)
        fputs(", ", g->out), gen_expr(g, (struct type){UINT, 1}, 1, ANY), fputs(" % get_sub_group_size()", g->out);
    fputs(");\n", g->out);
}

/* A pointer that depends on a condition. */
static void pointer(struct gen *g, struct place place)
{
    enum tier tier = tier_here(g, place);
    gen_line(g);
    fprintf(g->out, "global const uint *v%u = ", g->serial);
    gen_cond(g, 1, tier);
    fprintf(g->out, " ? in + %uu : in + ", gen_below(g, 200));
    gen_index(g, 128, 1, tier);
    fputs(";\n", g->out);
    gen_declare(g, (struct type){UINT, 1}, tier)->memory = true;
}

static void if_statement(struct gen *g, struct place place)
{
    enum tier tier = tier_here(g, place);
    struct place inner = place;
    inner.uniform = place.uniform && tier == UNIFORM;
    gen_line(g);
    fputs("if ", g->out);
    gen_cond(g, 2, tier);
    gen_block(g, inner, 1 + gen_below(g, 4));
    if (gen_chance(g, 45)) {
        gen_line(g);
        fputs("else", g->out);
        gen_block(g, inner, 1 + gen_below(g, 4));
    }
}

static void switch_statement(struct gen *g, struct place place)
{
    enum tier tier = tier_here(g, place);
    struct place inner = place;
    unsigned cases = 2 + gen_below(g, 4), other = gen_below(g, cases + 1), value = 0;
    inner.uniform = false;
    inner.in_switch = true;
    gen_line(g);
    fputs("switch (", g->out);
    gen_index(g, 8, 2, tier);
    fputs(") {\n", g->out);
    for (unsigned i = 0; i < cases; i++) {
        gen_line(g);
        fprintf(g->out, "%scase %u:", i == other ? "default: " : "", value);
        value += 1 + gen_below(g, 3);
        gen_block(g, inner, 1 + gen_below(g, 3));
        if (gen_chance(g, 70)) gen_line(g), fputs("break;\n", g->out);
    }
    gen_line(g);
    fputs("}\n", g->out);
}

static void loop(struct gen *g, struct place place)
{
    static const unsigned most[] = {8, 5, 3, 2};
    unsigned shape = gen_below(g, 4), id = g->serial++, limit = 1 + gen_below(g, most[place.loops]);
    struct place inner = place;
    inner.divergent_exit = !place.uniform || gen_chance(g, 60);
    inner.uniform = place.uniform && !inner.divergent_exit;
    inner.in_loop = true;
    inner.in_switch = false;
    inner.loops++;
    enum tier tier = inner.uniform ? UNIFORM : tier_here(g, inner);
    unsigned saved = g->nvars;
    gen_line(g);
    if (shape == 0) {
        fprintf(g->out, "for (uint v%u = 0; v%u < ", id, id);
        if (gen_chance(g, 50)) fprintf(g->out, "%uu", limit);
        else gen_index(g, limit > 4 ? 8 : limit > 2 ? 4 : 2, 1, tier);
        fprintf(g->out, "; v%u++)", id);
    } else if (shape == 1) {
        fprintf(g->out, "for (int v%u = %u; v%u-- > 0 && ", id, limit, id);
        gen_cond(g, 2, tier);
        fputs(";)", g->out);
    } else if (shape == 2) {
        fprintf(g->out, "for (uint v%u = 0;; v%u++)", id, id);
    } else fprintf(g->out, "for (uint v%u = 0, once = 1; once; once = 0) do", id);
    /* the counter: what each item sees of it depends on how the others leave */
    struct var *counter = &g->vars[g->nvars++];
    *counter = (struct var){
        .type = {shape == 1 ? INT : UINT, 1}, .tier = inner.uniform ? UNIFORM : SCALARISH, .constant = true};
    snprintf(counter->name, sizeof counter->name, "v%u", id);
    if (shape == 2) {
        fputs(" {\n", g->out);
        g->indent++;
        gen_line(g);
        fprintf(g->out, "if (v%u >= %uu || ", id, limit);
        gen_cond(g, 2, tier);
        fputs(") break;\n", g->out);
        gen_line(g);
    }
    gen_block(g, inner, 1 + gen_below(g, 5));
    if (shape == 2) {
        g->indent--;
        gen_line(g);
        fputs("}\n", g->out);
    } else if (shape == 3) {
        gen_line(g);
        fprintf(g->out, "while (++v%u < %uu && ", id, limit);
        gen_cond(g, 2, tier);
        fputs(");\n", g->out);
    }
    g->nvars = saved;
}

/* break, continue or return under a condition. */
static void jump(struct gen *g, struct place place)
{
    unsigned choice = gen_below(g, 100);
    bool exits = place.in_loop && (place.divergent_exit || place.uniform);
    enum tier tier = place.divergent_exit || !place.in_loop ? tier_here(g, place) : UNIFORM;
    const char *what = choice < 45 && exits && !place.in_switch ? "break" : choice < 80 && exits ? "continue" : NULL;
    if (!what && g->returns) what = "return", tier = tier_here(g, place);
    if (!what) return;
    gen_line(g);
    fputs("if ", g->out);
    gen_cond(g, 2, tier);
    if (what[0] != 'r') fprintf(g->out, " %s;\n", what);
    else if (g->in_kernel) fputs(" { o[7] += 1u; return; }\n", g->out);
    else fprintf(g->out, " return %s;\n", g->result);
}

/* What takes many registers, of a maze but one in a kernel. */
static void crowd(struct gen *g, struct place place)
{
    struct var *v = target(g, place);
    if (!v || v->type.width > 1 || v->tier != ANY || base_floating(v->type.base)) return;
    if (gen_chance(g, 60)) {
        g->mazes = false;
        gen_maze(g, v);
    } else gen_copies(g, v);
}

static void statement(struct gen *g, struct place place)
{
    unsigned choice = gen_below(g, 100);
    bool nest = place.depth < 5 && g->budget > 2;
    if (g->mazes && g->in_kernel && place.loops < 2 && gen_chance(g, 15)) crowd(g, place);
    else if (choice < 32) assignment(g, place);
    else if (choice < 44 && nest) if_statement(g, place);
    else if (choice < 54 && nest && place.loops < 4) loop(g, place);
    else if (choice < 58 && nest) switch_statement(g, place);
    else if (choice < 66) jump(g, place);
    else if (choice < 71) declaration(g, place);
    else if (choice < 76) array_store(g);
    else if (!g->in_kernel) assignment(g, place);
    else if (choice < 82) store(g);
    else if (choice < 84) invariant_store(g);
    else if (choice < 87) atomic(g);
    else if (choice < 89) helper_call(g, place);
    else if (choice < 92) g->nmembers ? object(g) : helper_call(g, place);
    else if (choice < 93) pointer(g, place);
    else if (choice < 95 && g->barriers && place.uniform) exchange(g, place);
    else if (choice < 98 && g->barriers && place.uniform) sub_group(g, place);
    else assignment(g, place);
}

void gen_block(struct gen *g, struct place place, unsigned statements)
{
    unsigned saved = g->nvars;
    place.depth++;
    fputs(" {\n", g->out);
    g->indent++;
    for (unsigned i = 0; i < statements && g->budget > 0; i++) {
        g->budget--;
        statement(g, place);
    }
    g->indent--;
    gen_line(g);
    fputs("}\n", g->out);
    g->nvars = saved;
}
