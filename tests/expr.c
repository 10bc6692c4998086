/* Expressions of the case format: C's operators over 64-bit integers and doubles.
 *
 * The text is evaluated while it is parsed; an arm that is not taken is parsed with `dead` set, so
 * that it neither reads out of bounds nor divides by zero. Called by clcase.c and clrun.c. */
#include "clrun.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const type_names[T_COUNT] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                         "long", "ulong", "half",  "float",  "double"};
const uint8_t type_sizes[T_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};

/* The variable of a sum, and that of the sum around it. */
struct counter {
    char name[32];
    int64_t value;
    const struct counter *outer;
};

struct parser {
    struct scope *scope;
    const char *at;
    unsigned dead, depth;
    const struct counter *counters;
};

static struct value ternary(struct parser *p);

static struct value integer(int64_t i) { return (struct value){.i = i}; }
static struct value natural(uint64_t u) { return (struct value){.i = (int64_t)u, .is_unsigned = true}; }
static struct value real(double d) { return (struct value){.real = true, .d = d}; }
double value_real(struct value v) { return v.real ? v.d : v.is_unsigned ? (double)(uint64_t)v.i : (double)v.i; }

static int64_t whole(struct value v)
{
    if (!v.real) return v.i;
    if (!(v.d >= -0x1p63 && v.d < 0x1p63)) return 0;
    return (int64_t)v.d;
}

static struct value problem(struct parser *p, const char *what)
{
    if (!p->scope->error[0]) snprintf(p->scope->error, sizeof p->scope->error, "%s at '%.20s'", what, p->at);
    return integer(0);
}

static void space(struct parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
}

/* Texts are evaluated for each element of large buffers: most tokens differ in their first letter. */
static bool is_at(const char *text, const char *token)
{
    return *text == *token && !strncmp(text, token, strlen(token));
}

static bool is_named(const char *name, const char *other) { return *name == *other && !strcmp(name, other); }

static bool accept(struct parser *p, const char *token)
{
    space(p);
    if (!is_at(p->at, token)) return false;
    p->at += strlen(token);
    return true;
}

static void require(struct parser *p, const char *token)
{
    if (!accept(p, token)) problem(p, "syntax error");
}

/* ---- elements ---- */

enum type type_parse(const char **text)
{
    for (int t = 0; t < T_COUNT; t++) {
        size_t n = strlen(type_names[t]);
        if (is_at(*text, type_names[t]) && !isalpha((unsigned char)(*text)[n]) && (*text)[n] != '_') {
            *text += n;
            return (enum type)t;
        }
    }
    return T_COUNT;
}

/* The half nearest to a number, as its bits. */
static uint16_t half_bits(double d)
{
    int e;
    uint16_t sign = signbit(d) ? 0x8000 : 0;
    if (isnan(d)) return 0x7e00;
    if (fabs(d) >= 65520) return sign | 0x7c00;
    frexp(d, &e);
    if (e < -13 || d == 0) e = -13; /* subnormal */
    return (uint16_t)(sign | (((e + 13) << 10) + (int)rint(ldexp(fabs(d), 11 - e))));
}

static double half_value(uint16_t bits)
{
    int e = bits >> 10 & 31, m = bits & 1023;
    double magnitude = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

void element_store(void *to, enum type type, struct value v)
{
    double d = value_real(v);
    float f = (float)d;
    uint16_t h = half_bits(d);
    int64_t i = whole(v);
    const void *from = type == T_HALF     ? (void *)&h
                       : type == T_FLOAT  ? (void *)&f
                       : type == T_DOUBLE ? (void *)&d
                                          : (void *)&i;
    memcpy(to, from, type_sizes[type]);
}

struct value element_load(const void *from, enum type type)
{
    uint64_t bits = 0;
    float f;
    double d;
    memcpy(&bits, from, type_sizes[type]);
    switch (type) {
    case T_CHAR: return integer((int8_t)bits);
    case T_SHORT: return integer((int16_t)bits);
    case T_INT: return integer((int32_t)bits);
    case T_HALF: return real(half_value((uint16_t)bits));
    case T_FLOAT: memcpy(&f, from, sizeof f); return real(f);
    case T_DOUBLE: memcpy(&d, from, sizeof d); return real(d);
    case T_ULONG: return natural(bits);
    default: return integer((int64_t)bits);
    }
}

/* ---- functions ---- */

static uint64_t scramble(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double unit(double x) { return (double)(scramble((uint64_t)x) >> 40) / 16777216.0; }

// clang-format off
static const struct { const char *name; double (*call)(double); } real1[] = {
    {"sin", sin}, {"cos", cos}, {"tan", tan}, {"asin", asin}, {"acos", acos}, {"atan", atan}, {"sinh", sinh},
    {"cosh", cosh}, {"tanh", tanh}, {"exp", exp}, {"exp2", exp2}, {"expm1", expm1}, {"log", log}, {"log2", log2},
    {"log10", log10}, {"log1p", log1p}, {"sqrt", sqrt}, {"cbrt", cbrt}, {"floor", floor}, {"ceil", ceil},
    {"trunc", trunc}, {"round", round}, {"rint", rint}, {"fabs", fabs}, {"erf", erf}, {"erfc", erfc}, {"tgamma", tgamma},
    {"unit", unit},
};

static const struct { const char *name; double (*call)(double, double); } real2[] = {
    {"pow", pow}, {"fmod", fmod}, {"atan2", atan2}, {"hypot", hypot}, {"fmin", fmin}, {"fmax", fmax},
    {"fdim", fdim}, {"copysign", copysign}, {"remainder", remainder},
};
// clang-format on

static struct value float_bits(struct value v)
{
    float f = (float)value_real(v);
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return integer(u);
}

static struct value bits_float(struct value v)
{
    uint32_t u = (uint32_t)whole(v);
    float f;
    memcpy(&f, &u, sizeof f);
    return real(f);
}

static bool is_less(struct value a, struct value b)
{
    if (a.real || b.real) return value_real(a) < value_real(b);
    return a.is_unsigned || b.is_unsigned ? (uint64_t)a.i < (uint64_t)b.i : a.i < b.i;
}

static struct value call2(struct parser *p, const char *name, struct value a, struct value b)
{
    for (size_t k = 0; k < sizeof real2 / sizeof *real2; k++)
        if (is_named(name, real2[k].name)) return real(real2[k].call(value_real(a), value_real(b)));
    if (is_named(name, "min")) return is_less(a, b) ? a : b;
    if (is_named(name, "max")) return is_less(a, b) ? b : a;
    if (is_named(name, "mulhi") && (a.is_unsigned || b.is_unsigned))
        return natural((uint64_t)((unsigned __int128)(uint64_t)whole(a) * (uint64_t)whole(b) >> 64));
    if (is_named(name, "mulhi")) return integer((int64_t)((__int128)whole(a) * whole(b) >> 64));
    return problem(p, "no such function of two arguments");
}

static struct value call1(struct parser *p, const char *name, struct value a)
{
    const char *text = name;
    enum type type = type_parse(&text);
    if (type < T_COUNT && !*text) {
        uint64_t raw;
        element_store(&raw, type, a);
        return element_load(&raw, type);
    }
    for (size_t k = 0; k < sizeof real1 / sizeof *real1; k++)
        if (is_named(name, real1[k].name)) return real(real1[k].call(value_real(a)));
    if (is_named(name, "random")) return integer((int64_t)scramble((uint64_t)whole(a)));
    if (is_named(name, "popcount")) return integer(__builtin_popcountll((uint64_t)whole(a)));
    if (is_named(name, "clz")) return integer(a.i ? __builtin_clzll((uint64_t)a.i) : 64);
    if (is_named(name, "bits")) return float_bits(a);
    if (is_named(name, "asfloat")) return bits_float(a);
    if (is_named(name, "asdouble")) return element_load(&a.i, T_DOUBLE);
    if (is_named(name, "real")) return real(value_real(a));
    if (is_named(name, "abs")) return a.real ? real(fabs(a.d)) : integer(a.i < 0 ? (int64_t)(0 - (uint64_t)a.i) : a.i);
    return problem(p, "no such function of one argument");
}

static void add_to(struct value *total, struct value v)
{
    if (v.real || total->real) *total = real(value_real(*total) + value_real(v));
    else total->i = (int64_t)((uint64_t)total->i + (uint64_t)v.i);
}

/* sum(k, low, high, term): the term over k = low .. high - 1, by going over its text again. */
static struct value sum(struct parser *p)
{
    struct counter counter = {.outer = p->counters};
    size_t n = 0;
    space(p);
    while (isalpha((unsigned char)*p->at) && n + 1 < sizeof counter.name) counter.name[n++] = *p->at++;
    require(p, ",");
    int64_t low = whole(ternary(p));
    require(p, ",");
    int64_t high = whole(ternary(p));
    require(p, ",");
    struct value total = integer(0);
    const char *term = p->at;
    bool none = p->dead || low >= high;
    p->counters = &counter;
    p->dead += none;
    for (counter.value = low; (none || counter.value < high) && !p->scope->error[0]; counter.value++) {
        p->at = term;
        struct value v = ternary(p);
        if (none) break;
        add_to(&total, v);
    }
    p->dead -= none;
    p->counters = counter.outer;
    require(p, ")");
    return total;
}

static struct value call(struct parser *p, const char *name)
{
    if (is_named(name, "sum")) return sum(p);
    struct value a = ternary(p);
    if (accept(p, ")")) return call1(p, name, a);
    require(p, ",");
    struct value b = ternary(p);
    if (accept(p, ")")) return call2(p, name, a, b);
    require(p, ",");
    struct value c = ternary(p);
    require(p, ")");
    if (!is_named(name, "fma")) return problem(p, "no such function of three arguments");
    return real(fmaf((float)value_real(a), (float)value_real(b), (float)value_real(c)));
}

/* ---- grammar ---- */

static struct value argument(struct parser *p, const char *name)
{
    const struct arg *arg = NULL;
    for (unsigned k = 0; k < p->scope->nargs && !arg; k++)
        if (!strcmp(p->scope->args[k].name, name)) arg = &p->scope->args[k];
    if (!arg || !arg->initial) return problem(p, "unknown name before this");
    int64_t index = 0;
    if (accept(p, "[")) {
        index = whole(ternary(p));
        require(p, "]");
    }
    if (p->dead) return integer(0);
    if (index < 0 || (uint64_t)index >= arg->count) return problem(p, "index out of range before this");
    return element_load(arg->initial + (size_t)index * type_sizes[arg->type], arg->type);
}

/* sizeof(TYPE) */
static struct value size_of(struct parser *p)
{
    space(p);
    enum type type = type_parse(&p->at);
    require(p, ")");
    return type == T_COUNT ? problem(p, "no such type before this") : integer(type_sizes[type]);
}

static struct value name(struct parser *p)
{
    char word[32];
    size_t n = 0;
    while ((isalnum((unsigned char)*p->at) || *p->at == '_') && n + 1 < sizeof word) word[n++] = *p->at++;
    word[n] = 0;
    if (accept(p, "(")) return is_named(word, "sizeof") ? size_of(p) : call(p, word);
    if (is_named(word, "i")) return integer(p->scope->index);
    if (is_named(word, "inf")) return real(INFINITY);
    if (is_named(word, "nan")) return real(NAN);
    for (const struct counter *c = p->counters; c; c = c->outer)
        if (is_named(word, c->name)) return integer(c->value);
    return argument(p, word);
}

static struct value literal(struct parser *p)
{
    char *end;
    size_t digits = strspn(p->at, "0123456789");
    bool hex = p->at[0] == '0' && (p->at[1] | 32) == 'x';
    bool is_real = !hex && (p->at[digits] == '.' || (p->at[digits] | 32) == 'e');
    struct value v = is_real ? real(strtod(p->at, &end)) : integer((int64_t)strtoull(p->at, &end, 0));
    if (end == p->at) return problem(p, "syntax error");
    p->at = end;
    return v;
}

static struct value unary(struct parser *p)
{
    if (p->depth > 200) return problem(p, "too deeply nested");
    p->depth++;
    struct value v;
    if (accept(p, "-")) {
        v = unary(p);
        if (v.real) v.d = -v.d;
        else v.i = (int64_t)(0 - (uint64_t)v.i);
    } else if (accept(p, "~")) {
        v = unary(p);
        v = v.is_unsigned ? natural(~(uint64_t)v.i) : integer(~whole(v));
    } else if (accept(p, "!")) {
        v = integer(value_real(unary(p)) == 0);
    } else if (accept(p, "(")) {
        v = ternary(p);
        require(p, ")");
    } else if (isalpha((unsigned char)*p->at)) {
        v = name(p);
    } else {
        v = literal(p);
    }
    p->depth--;
    return v;
}

/* Longer tokens come before their prefixes. */
// clang-format off
static const struct { const char *token; int level; } operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"<", 7}, {">", 7},
    {"|", 3}, {"^", 4}, {"&", 5}, {"+", 9}, {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10},
};
// clang-format on

static struct value apply_real(struct parser *p, const char *op, double a, double b)
{
    switch (op[0]) {
    case '+': return real(a + b);
    case '-': return real(a - b);
    case '*': return real(a * b);
    case '/': return real(a / b);
    case '<': return integer(op[1] ? a <= b : a < b);
    case '>': return integer(op[1] ? a >= b : a > b);
    case '=': return integer(a == b);
    case '!': return integer(a != b);
    case '&':
        if (op[1]) return integer(a != 0 && b != 0);
        break;
    case '|':
        if (op[1]) return integer(a != 0 || b != 0);
        break;
    }
    return problem(p, "operator does not take reals");
}

static struct value divide(struct parser *p, bool quotient, int64_t a, int64_t b)
{
    if (p->dead) return integer(0);
    if (!b) return problem(p, "division by zero");
    if (b == -1) return integer(quotient ? (int64_t)(0 - (uint64_t)a) : 0);
    return integer(quotient ? a / b : a % b);
}

static struct value divide_unsigned(struct parser *p, bool quotient, uint64_t a, uint64_t b)
{
    if (p->dead) return natural(0);
    if (!b) return problem(p, "division by zero");
    return natural(quotient ? a / b : a % b);
}

static struct value shift(const char *op, struct value x, uint64_t n)
{
    uint64_t u = (uint64_t)whole(x);
    if (op[0] == '<') u = n < 64 ? u << n : 0;
    else if (x.is_unsigned) u = n < 64 ? u >> n : 0;
    else u = (uint64_t)((int64_t)u >> (n < 63 ? n : 63));
    return x.is_unsigned ? natural(u) : integer((int64_t)u);
}

/* As C has it: unsigned if one of the two is. */
static struct value apply_bits(const char *op, bool is_unsigned, uint64_t a, uint64_t b)
{
    uint64_t u = a ^ b;
    switch (op[0]) {
    case '+': u = a + b; break;
    case '-': u = a - b; break;
    case '*': u = a * b; break;
    case '&': u = a & b; break;
    case '|': u = a | b; break;
    }
    return is_unsigned ? natural(u) : integer((int64_t)u);
}

static struct value apply(struct parser *p, const char *op, struct value x, struct value y)
{
    if ((x.real || y.real) && op[0] != '%') return apply_real(p, op, value_real(x), value_real(y));
    int64_t a = whole(x), b = whole(y);
    bool is_unsigned = x.is_unsigned || y.is_unsigned;
    if (!strcmp(op, "<<") || !strcmp(op, ">>")) return shift(op, x, (uint64_t)b);
    if (!strcmp(op, "&&")) return integer(a && b);
    if (!strcmp(op, "||")) return integer(a || b);
    switch (op[0]) {
    case '/':
    case '%':
        return is_unsigned ? divide_unsigned(p, op[0] == '/', (uint64_t)a, (uint64_t)b) : divide(p, op[0] == '/', a, b);
    case '<': return integer(op[1] ? !is_less(y, x) : is_less(x, y));
    case '>': return integer(op[1] ? !is_less(x, y) : is_less(y, x));
    case '=': return integer(a == b);
    case '!': return integer(a != b);
    default: return apply_bits(op, is_unsigned, (uint64_t)a, (uint64_t)b);
    }
}

static const char *find_operator(struct parser *p, int *level)
{
    space(p);
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
        if (is_at(p->at, operators[k].token)) {
            *level = operators[k].level;
            return operators[k].token;
        }
    return NULL;
}

static struct value binary(struct parser *p, int lowest)
{
    struct value left = unary(p);
    int level;
    for (const char *op; (op = find_operator(p, &level)) && level >= lowest && !p->scope->error[0];) {
        p->at += strlen(op);
        bool skip = (level == 1 && value_real(left) != 0) || (level == 2 && value_real(left) == 0);
        p->dead += skip;
        struct value right = binary(p, level + 1);
        p->dead -= skip;
        left = apply(p, op, left, right);
    }
    return left;
}

static struct value ternary(struct parser *p)
{
    struct value condition = binary(p, 1);
    if (!accept(p, "?")) return condition;
    bool yes = value_real(condition) != 0;
    p->dead += !yes;
    struct value a = ternary(p);
    p->dead -= !yes;
    require(p, ":");
    p->dead += yes;
    struct value b = ternary(p);
    p->dead -= yes;
    return yes ? a : b;
}

/* ---- entry points ---- */

struct value expr_eval(struct scope *scope, const char **text)
{
    struct parser p = {.scope = scope, .at = *text};
    struct value v = ternary(&p);
    space(&p);
    *text = p.at;
    return v;
}

static bool list(struct scope *scope, const char *text, size_t count, struct value *to)
{
    for (size_t k = 0; k < count; k++) {
        text++; /* the brace or comma before it */
        scope->index = (int64_t)k;
        to[k] = expr_eval(scope, &text);
        if (scope->error[0]) return false;
        if (*text == (k + 1 < count ? ',' : '}')) continue;
        snprintf(scope->error, sizeof scope->error, "list has not %zu elements", count);
        return false;
    }
    return true;
}

bool elements_expect(struct scope *scope, const char *text, size_t count, struct value *to)
{
    while (isspace((unsigned char)*text)) text++;
    if (*text == '{') return list(scope, text, count, to);
    for (size_t k = 0; k < count; k++) {
        const char *at = text;
        scope->index = (int64_t)k;
        to[k] = expr_eval(scope, &at);
        if (!scope->error[0] && *at) snprintf(scope->error, sizeof scope->error, "unexpected '%.20s'", at);
        if (scope->error[0]) return false;
    }
    return true;
}

bool elements_fill(struct scope *scope, const char *text, enum type type, size_t count, void *to)
{
    struct value *values = malloc((count ? count : 1) * sizeof *values);
    bool ok = values && elements_expect(scope, text, count, values);
    for (size_t k = 0; ok && k < count; k++) element_store((uint8_t *)to + k * type_sizes[type], type, values[k]);
    free(values);
    return ok;
}
