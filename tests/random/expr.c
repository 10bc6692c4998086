/* Random expressions. Signed arithmetic is done in unsigned types, division and conversion from
 * float go through the guarded functions of the prelude, and no operation with more than one right
 * answer is used (no fmin of zeros, no payload of a NaN). Called by stmt.c. */
#include "gen.h"

const char *const base_names[BASES] = {"char", "uchar", "short", "ushort", "int",
                                       "uint", "long",  "ulong", "float",  "double"};

bool base_floating(enum base base) { return base == FLOAT || base == DOUBLE; }
unsigned base_bits(enum base base) { return base == FLOAT ? 32 : base == DOUBLE ? 64 : 8u << (base / 2); }
bool base_signed(enum base base) { return base_floating(base) || base % 2 == 0; }
enum base base_partner(enum base base, bool is_signed)
{
    if (base_floating(base)) base = base == FLOAT ? INT : LONG;
    return (enum base)(base / 2 * 2 + !is_signed);
}

struct type any_scalar(struct gen *g)
{
    static const uint8_t weights[BASES] = {6, 7, 6, 7, 23, 25, 5, 5, 8, 8};
    unsigned at = gen_below(g, 100), b = 0;
    while (at >= weights[b]) at -= weights[b++];
    return (struct type){(enum base)b, 1};
}

struct type any_type(struct gen *g)
{
    static const uint8_t widths[] = {2, 4, 4, 3, 8};
    struct type t = any_scalar(g);
    if (gen_chance(g, 18)) {
        t.width = widths[gen_below(g, sizeof widths)];
        if (base_bits(t.base) == 64 && t.width > 4) t.width = 2;
    }
    return t;
}

static void constant(struct gen *g, enum base base)
{
    static const char *const floats[] = {"0.0f",   "1.0f",  "-1.5f",         "0.1f", "3.25f",
                                         "-1e-3f", "1e10f", "0x1.fffffep3f", "7.0f", "1e-38f"};
    static const int32_t edges[] = {0,   1,   2,     3,     5,     7,          31, 32, 127,  128,
                                    255, 256, 32767, 32768, 65535, 0x7fffffff, -1, -2, -128, -32768};
    static const char *const doubles[] = {"0.0",     "1.0",  "-1.5", "0.1",  "0x1.fffffffffffffp52",
                                          "-1e-3",   "1e10", "7.0",  "1e39", "1e-320",
                                          "-0x1p63", "1e308"};
    if (base == FLOAT) fprintf(g->out, "%s", floats[gen_below(g, sizeof floats / sizeof *floats)]);
    else if (base == DOUBLE) fprintf(g->out, "%s", doubles[gen_below(g, sizeof doubles / sizeof *doubles)]);
    else if (gen_chance(g, 70))
        fprintf(g->out, "(%s)%d", base_names[base], edges[gen_below(g, sizeof edges / sizeof *edges)]);
    else if (base_bits(base) == 64)
        fprintf(g->out, "(%s)0x%08x%08xul", base_names[base], gen_below(g, UINT32_MAX), gen_below(g, UINT32_MAX));
    else fprintf(g->out, "(%s)0x%xu", base_names[base], gen_below(g, UINT32_MAX));
}

/* A readable variable of this tier that `fits`, or NULL. */
static const struct var *pick(struct gen *g, bool (*fits)(const struct var *, struct type), struct type type,
                              enum tier tier)
{
    const struct var *found = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < g->nvars; i++)
        if (g->vars[i].tier <= tier && fits(&g->vars[i], type) && gen_below(g, ++seen) == 0) found = &g->vars[i];
    return found;
}

static bool is_same(const struct var *v, struct type t)
{
    return !v->memory && !v->length && v->type.base == t.base && v->type.width == t.width;
}
static bool is_scalar(const struct var *v, struct type t)
{
    (void)t;
    return !v->memory && !v->length && v->type.width == 1;
}
static bool is_vector(const struct var *v, struct type t)
{
    return !v->memory && !v->length && v->type.base == t.base && v->type.width > 1;
}
static bool is_element(const struct var *v, struct type t)
{
    return v->length && v->type.base == t.base && v->type.width == t.width;
}
static bool is_memory(const struct var *v, struct type t)
{
    (void)t;
    return v->memory;
}

/* Opens a conversion of a scalar of type `from`; one parenthesis is to be closed behind it. */
static void cast(struct gen *g, enum base from, enum base to)
{
    const char letter = base_bits(to) == 64 ? 'l' : to == UINT ? 'u' : 'i';
    fprintf(g->out, "(%s)", base_names[to]);
    if (base_floating(from) && !base_floating(to)) fprintf(g->out, "%c2%c", base_names[from][0], letter);
    fputc('(', g->out);
}

static void load(struct gen *g, struct type type, unsigned depth, enum tier tier)
{
    const struct var *m = pick(g, is_memory, type, tier);
    if (!m) {
        constant(g, type.base);
        return;
    }
    if (type.base == FLOAT) fprintf(g->out, "as_float(");
    else if (type.base == DOUBLE) fprintf(g->out, "as_double(0x100000001ul * ");
    else fprintf(g->out, "(%s)(", base_names[type.base]);
    fprintf(g->out, "%s[", m->name);
    gen_index(g, 32, depth, tier);
    fprintf(g->out, "])");
}

static void component(struct gen *g, const struct var *v, unsigned depth, enum tier tier)
{
    if (v->constant || v->type.width == 3 || gen_chance(g, 65)) {
        fprintf(g->out, "%s.s%u", v->name, gen_below(g, v->type.width));
        return;
    }
    fprintf(g->out, "((%s *)&%s)[", base_names[v->type.base], v->name); /* variable index */
    gen_index(g, v->type.width, depth, tier);
    fputc(']', g->out);
}

static void leaf(struct gen *g, struct type type, unsigned depth, enum tier tier)
{
    const struct var *v;
    unsigned choice = gen_below(g, 100);
    unsigned less = depth ? depth - 1 : 0;
    if (choice < 50 && (v = pick(g, is_same, type, tier))) fprintf(g->out, "%s", v->name);
    else if (choice < 68 && (v = pick(g, is_scalar, type, tier))) {
        cast(g, v->type.base, type.base);
        fprintf(g->out, "%s)", v->name);
    } else if (choice < 74 && tier == ANY && (v = pick(g, is_element, type, tier))) {
        fprintf(g->out, "%s[", v->name);
        gen_index(g, v->length, less, tier);
        fputc(']', g->out);
    } else if (choice < 80 && (v = pick(g, is_vector, type, tier))) component(g, v, less, tier);
    else if (choice < 90) load(g, type, less, tier);
    else constant(g, type.base);
}

static void call(struct gen *g, struct type type, const char *name, unsigned n, unsigned depth, enum tier tier)
{
    fprintf(g->out, "%s(", name);
    for (unsigned i = 0; i < n; i++) {
        if (i) fputs(", ", g->out);
        gen_expr(g, type, depth, tier);
    }
    fputc(')', g->out);
}

static void int_builtin(struct gen *g, struct type t, unsigned depth, enum tier tier)
{
    // clang-format off
    static const struct { const char *name; unsigned n; } table[] = {
        {"min", 2}, {"max", 2}, {"abs_diff", 2}, {"abs", 1}, {"add_sat", 2}, {"sub_sat", 2}, {"hadd", 2}, {"rhadd", 2},
        {"rotate", 2}, {"mul_hi", 2}, {"popcount", 1}, {"clz", 1}, {"bitselect", 3}, {"mad_hi", 3}, {"mad_sat", 3},
    };
    // clang-format on
    unsigned i = gen_below(g, sizeof table / sizeof *table + 2);
    if (base_bits(t.base) == 64 && i > 10) i = gen_below(g, 4); /* the wide ones are long-winded */
    if (i < sizeof table / sizeof *table) {
        fprintf(g->out, "(%s)", base_names[t.base]);
        call(g, t, table[i].name, table[i].n, depth, tier);
    } else if (t.base == INT || t.base == UINT) { /* factors below 2^16: the product fits */
        bool with_sum = t.base == UINT;
        fputs(with_sum ? "mad24(" : "mul24(", g->out);
        gen_expr(g, t, depth, tier);
        fprintf(g->out, " & (%s)0x7fff, ", base_names[t.base]);
        gen_expr(g, t, depth, tier);
        fprintf(g->out, " & (%s)0xffff", base_names[t.base]);
        if (with_sum) fputs(", ", g->out), gen_expr(g, t, depth, tier);
        fputc(')', g->out);
    } else {
        struct type s = {base_partner(t.base, false), 1};
        fprintf(g->out, "select(");
        gen_expr(g, t, depth, tier);
        fputs(", ", g->out);
        gen_expr(g, t, depth, tier);
        fputs(", ", g->out);
        gen_expr(g, s, depth, tier);
        fputc(')', g->out);
    }
}

/* (T)((U)a op (U)b) */
static void binary(struct gen *g, struct type t, const char *op, unsigned depth, enum tier tier)
{
    const char *u = base_bits(t.base) == 64 ? "ulong" : "uint";
    fprintf(g->out, "(%s)((%s)", base_names[t.base], u);
    gen_expr(g, t, depth, tier);
    fprintf(g->out, " %s (%s)", op, u);
    gen_expr(g, t, depth, tier);
    fputc(')', g->out);
}

static void int_expr(struct gen *g, struct type t, unsigned depth, enum tier tier)
{
    static const char *const ops[] = {"+", "-", "*", "&", "|", "^", "+", "-", "^", "*"};
    const char *name = base_names[t.base];
    struct type other;
    unsigned choice = gen_below(g, 100);
    if (choice < 44) binary(g, t, ops[gen_below(g, 10)], depth, tier);
    else if (choice < 52) { /* shifts: OpenCL takes the amount modulo the width */ fprintf(g->out, "(%s)(", name);
        gen_expr(g, t, depth, tier);
        fputs(gen_chance(g, 50) ? " << " : " >> ", g->out);
        gen_expr(g, gen_chance(g, 70) ? t : (struct type){UINT, 1}, depth, tier);
        fputc(')', g->out);
    } else if (choice < 57 && (base_bits(t.base) < 64 || gen_chance(g, 20))) {
        char function[16];
        snprintf(function, sizeof function, "%s_%s", gen_chance(g, 50) ? "div" : "mod", name);
        call(g, t, function, 2, depth, tier);
    } else if (choice < 64) { /* of type int when T is narrower */
        fprintf(g->out, "(%s)(", name);
        gen_cond(g, depth, tier);
        fputs(" ? ", g->out);
        gen_expr(g, t, depth, tier);
        fputs(" : ", g->out);
        gen_expr(g, t, depth, tier);
        fputc(')', g->out);
    } else if (choice < 70) {
        fprintf(g->out, "(%s)", name);
        gen_cond(g, depth, tier);
    } else if (choice < 78) {
        other = any_scalar(g);
        cast(g, other.base, t.base);
        gen_expr(g, other, depth, tier);
        fputc(')', g->out);
    } else if (choice < 82) {
        fprintf(g->out, "(%s)(%s(%s)", name, gen_chance(g, 50) ? "0u - " : "~",
                base_bits(t.base) == 64 ? "ulong" : "uint");
        gen_expr(g, t, depth, tier);
        fputc(')', g->out);
    } else if (choice < 94) int_builtin(g, t, depth, tier);
    else leaf(g, t, depth, tier);
}

/* A product of floats is exact as a double, so that it makes no difference whether the sum is fused. */
static void through_doubles(struct gen *g, unsigned depth, enum tier tier)
{
    static const char *const before[] = {"(float)(((double)", " * (double)", " + (double)", ") / (double)"};
    for (unsigned i = 0; i < 4; i++) {
        fputs(before[i], g->out);
        gen_expr(g, (struct type){i == 2 ? any_scalar(g).base : FLOAT, 1}, depth, tier);
    }
    fputc(')', g->out);
}

/* Each operation of halves is rounded, as contraction is off. */
static void through_halves(struct gen *g, unsigned depth, enum tier tier)
{
    static const char ops[] = "+-*/";
    for (unsigned i = 0; i < 3; i++) {
        fputs(i == 0 ? "(float)(((half)" : "(half)", g->out);
        gen_expr(g, (struct type){i == 2 ? any_scalar(g).base : FLOAT, 1}, depth, tier);
        if (i < 2) fprintf(g->out, i == 0 ? " %c " : ") %c ", ops[gen_below(g, 4)]);
    }
    fputc(')', g->out);
}

/* Of floats or doubles. */
static void floating_expr(struct gen *g, struct type t, unsigned depth, enum tier tier)
{
    static const char *const ops[] = {"+", "-", "*", "/", "+", "-", "*"};
    static const char *const exact[] = {"sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round"};
    unsigned choice = gen_below(g, 100);
    if (choice < 45) {
        fputc('(', g->out);
        gen_expr(g, t, depth, tier);
        fprintf(g->out, " %s ", ops[gen_below(g, 7)]);
        gen_expr(g, t, depth, tier);
        fputc(')', g->out);
    } else if (choice < 55) call(g, t, "fma", 3, depth, tier);
    else if (choice < 65) call(g, t, exact[gen_below(g, 7)], 1, depth, tier);
    else if (choice < 75) {
        fputc('(', g->out);
        gen_cond(g, depth, tier);
        fputs(" ? ", g->out);
        gen_expr(g, t, depth, tier);
        fputs(" : ", g->out);
        gen_expr(g, t, depth, tier);
        fputc(')', g->out);
    } else if (choice < 82) {
        fprintf(g->out, "(%s)", base_names[t.base]);
        struct type s = any_scalar(g);
        gen_expr(g, s, depth, tier);
    } else if (choice < 84) {
        fputs("-", g->out);
        gen_expr(g, t, depth, tier);
    } else if (choice < 90 && t.base == FLOAT) through_doubles(g, depth, tier);
    else if (choice < 95 && t.base == FLOAT) through_halves(g, depth, tier);
    else leaf(g, t, depth, tier);
}

static void vector_compare(struct gen *g, struct type t, unsigned depth, enum tier tier)
{
    static const char *const ops[] = {"<", ">", "<=", ">=", "==", "!="};
    fputc('(', g->out);
    gen_expr(g, t, depth, tier);
    fprintf(g->out, " %s ", ops[gen_below(g, 6)]);
    gen_expr(g, t, depth, tier);
    fputc(')', g->out);
}

/* Signed vectors calculate as unsigned ones. */
static void vector_binary(struct gen *g, struct type t, unsigned depth, enum tier tier)
{
    static const char *const ints[] = {"+", "-", "*", "&", "|", "^", "<<", ">>"};
    static const char *const floats[] = {"+", "-", "*", "/"};
    struct type u = t;
    if (!base_floating(t.base)) u.base = base_partner(t.base, false);
    if (u.base != t.base) fprintf(g->out, "as_%s%u(", base_names[t.base], t.width);
    fputc('(', g->out);
    gen_expr(g, u, depth, tier);
    fprintf(g->out, " %s ", base_floating(t.base) ? floats[gen_below(g, 4)] : ints[gen_below(g, 8)]);
    gen_expr(g, u, depth, tier);
    fputs(u.base != t.base ? "))" : ")", g->out);
}

static void vector_leaf(struct gen *g, struct type t, unsigned depth, enum tier tier)
{
    const struct var *v = pick(g, is_same, t, tier), *m;
    const struct type s = {t.base, 1};
    if (v && gen_chance(g, 75)) {
        fprintf(g->out, "%s", v->name);
        return;
    }
    if (t.base == UINT && t.width != 3 && (m = pick(g, is_memory, t, tier)) && gen_chance(g, 50)) {
        fprintf(g->out, "vload%u(", t.width);
        gen_index(g, 32 / t.width, 0, tier);
        fprintf(g->out, ", %s)", m->name);
        return;
    }
    fprintf(g->out, "(%s%u)(", base_names[t.base], t.width);
    unsigned n = gen_chance(g, 30) ? 1 : t.width;
    for (unsigned i = 0; i < n; i++) {
        if (i) fputs(", ", g->out);
        gen_expr(g, s, depth > 1 ? 1 : 0, tier);
    }
    fputc(')', g->out);
}

static void vector_convert(struct gen *g, struct type t, unsigned depth, enum tier tier)
{
    static const char *const modes[] = {"_sat", "_sat_rte", "_sat_rtp", "_sat_rtn", "_sat_rtz"};
    struct type from = {any_scalar(g).base, t.width};
    if (base_bits(from.base) == 64 && t.base == FLOAT) from.base = INT;
    if (base_bits(t.base) == 64 && from.base == FLOAT) from.base = INT;
    if (base_floating(t.base) && base_floating(from.base)) from.base = INT;
    fprintf(g->out, "convert_%s%u%s(", base_names[t.base], t.width,
            base_floating(t.base)      ? ""
            : base_floating(from.base) ? modes[gen_below(g, 5)]
            : gen_chance(g, 50)        ? "_sat"
                                       : "");
    gen_expr(g, from, depth, tier);
    fputc(')', g->out);
}

static void vector_expr(struct gen *g, struct type t, unsigned depth, enum tier tier)
{
    static const char *const builtins[] = {"min", "max", "add_sat", "sub_sat", "hadd", "rotate", "mul_hi"};
    static const char *const swizzles[] = {"yx", "xx", "zyx", "yzz", "wzyx", "xxyy", "ywxz", "zwxy"};
    unsigned choice = gen_below(g, 100);
    if (choice < 40) vector_binary(g, t, depth, tier);
    else if (choice < 52) {
        struct type c = {gen_chance(g, 50) ? t.base : base_partner(t.base, false), t.width};
        bool as_select = gen_chance(g, 50);
        fputs(as_select ? "select(" : "(", g->out);
        if (!as_select) {
            vector_compare(g, c, depth, tier);
            fputs(" ? ", g->out);
        }
        gen_expr(g, t, depth, tier);
        fputs(as_select ? ", " : " : ", g->out);
        gen_expr(g, t, depth, tier);
        if (as_select) {
            fputs(", ", g->out);
            vector_compare(g, c, depth, tier);
        }
        fputc(')', g->out);
    } else if (choice < 62 && t.width <= 4) {
        gen_expr(g, t, depth, tier);
        fprintf(g->out, ".%s",
                t.width == 4 ? swizzles[4 + gen_below(g, 4)] : swizzles[(t.width - 2) * 2 + gen_below(g, 2)]);
    } else if (choice < 72) vector_convert(g, t, depth, tier);
    else if (choice < 80 && !base_floating(t.base) && base_bits(t.base) < 64)
        call(g, t, builtins[gen_below(g, 7)], 2, depth, tier);
    else if (choice < 84 && t.width != 3 && base_bits(t.base) == 32) {
        fputs("shuffle(", g->out);
        gen_expr(g, t, depth, tier);
        fputs(", ", g->out);
        gen_expr(g, (struct type){UINT, t.width}, depth, tier);
        fputc(')', g->out);
    } else vector_leaf(g, t, depth, tier);
}

void gen_expr(struct gen *g, struct type type, unsigned depth, enum tier tier)
{
    fputc('(', g->out);
    if (type.width > 1) {
        if (depth == 0) vector_leaf(g, type, depth, tier);
        else vector_expr(g, type, depth - 1, tier);
    } else if (depth == 0 || gen_chance(g, 15)) leaf(g, type, depth, tier);
    else if (base_floating(type.base)) floating_expr(g, type, depth - 1, tier);
    else int_expr(g, type, depth - 1, tier);
    fputc(')', g->out);
}

void gen_cond(struct gen *g, unsigned depth, enum tier tier)
{
    static const char *const ops[] = {"<", ">", "<=", ">=", "==", "!="};
    unsigned choice = gen_below(g, 100), less = depth ? depth - 1 : 0;
    struct type t = any_scalar(g);
    fputc('(', g->out);
    if (choice < 30) { /* taken by about half */
        fputs("(uint)", g->out);
        gen_expr(g, (struct type){gen_chance(g, 70) ? UINT : INT, 1}, less, tier);
        fprintf(g->out, " %% %uu %s %uu", 2 + gen_below(g, 5), gen_chance(g, 70) ? "==" : "<", 1 + gen_below(g, 2));
    } else if (choice < 75 || depth == 0) {
        gen_expr(g, t, less, tier);
        fprintf(g->out, " %s ", ops[gen_below(g, 6)]);
        gen_expr(g, t, less, tier);
    } else if (choice < 90) {
        gen_cond(g, less, tier);
        fputs(gen_chance(g, 50) ? " && " : " || ", g->out);
        gen_cond(g, less, tier);
    } else if (choice < 95) {
        fputc('!', g->out);
        gen_cond(g, less, tier);
    } else {
        fputs(gen_chance(g, 50) ? "any" : "all", g->out);
        vector_compare(g, (struct type){gen_chance(g, 50) ? INT : FLOAT, 2 + 2 * gen_below(g, 2)}, less, tier);
    }
    fputc(')', g->out);
}

void gen_index(struct gen *g, unsigned n, unsigned depth, enum tier tier)
{
    fprintf(g->out, "(");
    gen_expr(g,
             (struct type){gen_chance(g, 60)                   ? UINT
                           : base_floating(any_scalar(g).base) ? INT
                                                               : UCHAR,
                           1},
             depth, tier);
    fprintf(g->out, " & %uu)", n - 1);
}

static void fold_scalar(struct gen *g, enum base base, const char *name, const char *suffix)
{
    if (base_floating(base)) fprintf(g->out, "%s_bits(%s%s)", base_names[base], name, suffix);
    else if (base_bits(base) == 64)
        fprintf(g->out, "((uint)%s%s + (uint)(%s%s >> 32) * 7u)", name, suffix, name, suffix);
    else fprintf(g->out, "(uint)%s%s", name, suffix);
}

void gen_fold(struct gen *g, const struct var *var)
{
    char suffix[16];
    unsigned n = var->length ? var->length : var->type.width;
    for (unsigned i = 0; i < n; i++) {
        if (i) fputs(" * 3u + ", g->out);
        if (var->length) snprintf(suffix, sizeof suffix, var->type.width > 1 ? "[%u].s1" : "[%u]", i);
        else if (var->type.width > 1) snprintf(suffix, sizeof suffix, ".s%u", i);
        else suffix[0] = 0;
        fold_scalar(g, var->type.base, var->name, suffix);
    }
}
