/* Expressions of the case format: C's operators over 64-bit integers and doubles.
 *
 * A text becomes a tree, which is evaluated for each element of a buffer. Called by clcase.c and clrun.c. */
#include "clrun.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const type_names[T_COUNT] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                         "long", "ulong", "half",  "float",  "double"};
const uint8_t type_sizes[T_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};

struct node {
    struct value (*eval)(struct node *n, struct scope *scope);
    const char *at; /* what follows it in the text, for messages */
    struct node *operands[3];
    unsigned noperands;
    struct value value; /* of a literal; of a sum's variable at the moment */
    union {
        struct value (*call)(const struct value *operands);
        double (*call1)(double);
        double (*call2)(double, double);
        const char *token; /* of an operator */
        const struct arg *arg;
        enum type type;
    } of;
    struct node *made_before;
};

/* The variable of a sum, and that of the sum around it. */
struct counter {
    char name[32];
    struct node *sum;
    const struct counter *outer;
};

struct parser {
    struct scope *scope;
    const char *at;
    unsigned depth;
    const struct counter *counters;
    struct node *last; /* of all nodes */
};

static struct node *ternary(struct parser *p);

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

static struct value problem(struct scope *scope, const char *at, const char *what)
{
    if (!scope->error[0]) snprintf(scope->error, sizeof scope->error, "%s at '%.20s'", what, at);
    return integer(0);
}

static struct value eval(struct node *n, struct scope *scope) { return n->eval(n, scope); }
static struct value eval_value(struct node *n, struct scope *scope) { return (void)scope, n->value; }

static struct node *new_node(struct parser *p, struct value (*how)(struct node *, struct scope *))
{
    struct node *n = calloc(1, sizeof *n);
    if (!n) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    n->eval = how;
    n->at = p->at;
    n->made_before = p->last;
    return p->last = n;
}

static void add_operand(struct node *n, struct node *operand) { n->operands[n->noperands++] = operand; }

static struct node *constant(struct parser *p, struct value v)
{
    struct node *n = new_node(p, eval_value);
    n->value = v;
    return n;
}

static struct node *mistake(struct parser *p, const char *what) { return constant(p, problem(p->scope, p->at, what)); }

static void space(struct parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
}

static bool is_at(const char *text, const char *token) { return !strncmp(text, token, strlen(token)); }

static bool accept(struct parser *p, const char *token)
{
    space(p);
    if (!is_at(p->at, token)) return false;
    p->at += strlen(token);
    return true;
}

static void require(struct parser *p, const char *token)
{
    if (!accept(p, token)) problem(p->scope, p->at, "syntax error");
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
    uint16_t h = type == T_HALF ? half_bits(d) : 0;
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

static struct value float_bits(const struct value *a)
{
    float f = (float)value_real(*a);
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return integer(u);
}

static struct value bits_float(const struct value *a)
{
    uint32_t u = (uint32_t)whole(*a);
    float f;
    memcpy(&f, &u, sizeof f);
    return real(f);
}

static struct value bits_double(const struct value *a) { return element_load(&a->i, T_DOUBLE); }
static struct value to_real(const struct value *a) { return real(value_real(*a)); }
static struct value random_of(const struct value *a) { return integer((int64_t)scramble((uint64_t)whole(*a))); }
static struct value popcount(const struct value *a) { return integer(__builtin_popcountll((uint64_t)whole(*a))); }
static struct value clz(const struct value *a) { return integer(a->i ? __builtin_clzll((uint64_t)a->i) : 64); }

static struct value magnitude(const struct value *a)
{
    return a->real ? real(fabs(a->d)) : integer(a->i < 0 ? (int64_t)(0 - (uint64_t)a->i) : a->i);
}

static bool is_less(struct value a, struct value b)
{
    if (a.real || b.real) return value_real(a) < value_real(b);
    return a.is_unsigned || b.is_unsigned ? (uint64_t)a.i < (uint64_t)b.i : a.i < b.i;
}

static struct value least(const struct value *a) { return is_less(a[0], a[1]) ? a[0] : a[1]; }
static struct value most(const struct value *a) { return is_less(a[0], a[1]) ? a[1] : a[0]; }

static struct value mulhi(const struct value *a)
{
    int64_t x = whole(a[0]), y = whole(a[1]);
    if (a[0].is_unsigned || a[1].is_unsigned)
        return natural((uint64_t)((unsigned __int128)(uint64_t)x * (uint64_t)y >> 64));
    return integer((int64_t)((__int128)x * y >> 64));
}

static struct value fused(const struct value *a)
{
    return real(fmaf((float)value_real(a[0]), (float)value_real(a[1]), (float)value_real(a[2])));
}

// clang-format off
static const struct { const char *name; unsigned noperands; struct value (*call)(const struct value *); } others[] = {
    {"random", 1, random_of}, {"popcount", 1, popcount}, {"clz", 1, clz}, {"bits", 1, float_bits},
    {"asfloat", 1, bits_float}, {"asdouble", 1, bits_double}, {"real", 1, to_real}, {"abs", 1, magnitude},
    {"min", 2, least}, {"max", 2, most}, {"mulhi", 2, mulhi}, {"fma", 3, fused},
};
// clang-format on

static struct value eval_call(struct node *n, struct scope *scope)
{
    struct value values[3] = {0};
    for (unsigned k = 0; k < n->noperands; k++) values[k] = eval(n->operands[k], scope);
    return n->of.call(values);
}

static struct value eval_call1(struct node *n, struct scope *scope)
{
    return real(n->of.call1(value_real(eval(n->operands[0], scope))));
}

static struct value eval_call2(struct node *n, struct scope *scope)
{
    double a = value_real(eval(n->operands[0], scope));
    return real(n->of.call2(a, value_real(eval(n->operands[1], scope))));
}

static struct value eval_cast(struct node *n, struct scope *scope)
{
    uint64_t raw;
    element_store(&raw, n->of.type, eval(n->operands[0], scope));
    return element_load(&raw, n->of.type);
}

/* Makes the node a call of that function; false: there is none of so many operands. */
static bool find_function(struct node *n, const char *name)
{
    const char *text = name;
    n->of.type = type_parse(&text);
    n->eval = eval_cast;
    if (n->noperands == 1 && n->of.type < T_COUNT && !*text) return true;
    n->eval = eval_call1;
    for (size_t k = 0; n->noperands == 1 && k < sizeof real1 / sizeof *real1; k++)
        if (!strcmp(name, real1[k].name)) return n->of.call1 = real1[k].call, true;
    n->eval = eval_call2;
    for (size_t k = 0; n->noperands == 2 && k < sizeof real2 / sizeof *real2; k++)
        if (!strcmp(name, real2[k].name)) return n->of.call2 = real2[k].call, true;
    n->eval = eval_call;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (n->noperands == others[k].noperands && !strcmp(name, others[k].name))
            return n->of.call = others[k].call, true;
    return false;
}

static struct node *call(struct parser *p, const char *name)
{
    struct node *n = new_node(p, NULL);
    do add_operand(n, ternary(p));
    while (n->noperands < 3 && accept(p, ","));
    require(p, ")");
    return find_function(n, name) ? n : mistake(p, "no such function of so many arguments");
}

static void add_to(struct value *total, struct value v)
{
    if (v.real || total->real) *total = real(value_real(*total) + value_real(v));
    else total->i = (int64_t)((uint64_t)total->i + (uint64_t)v.i);
}

/* sum(k, low, high, term): the term over k = low .. high - 1 */
static struct value eval_sum(struct node *n, struct scope *scope)
{
    struct value total = integer(0);
    int64_t high = whole(eval(n->operands[1], scope));
    for (int64_t k = whole(eval(n->operands[0], scope)); k < high && !scope->error[0]; k++) {
        n->value = integer(k);
        add_to(&total, eval(n->operands[2], scope));
    }
    return total;
}

static struct node *sum(struct parser *p)
{
    struct node *n = new_node(p, eval_sum);
    struct counter counter = {.sum = n, .outer = p->counters};
    size_t length = 0;
    space(p);
    while (isalpha((unsigned char)*p->at) && length + 1 < sizeof counter.name) counter.name[length++] = *p->at++;
    for (int k = 0; k < 3; k++) {
        require(p, ",");
        p->counters = k == 2 ? &counter : counter.outer;
        add_operand(n, ternary(p));
    }
    p->counters = counter.outer;
    require(p, ")");
    return n;
}

/* ---- grammar ---- */

static struct value eval_element(struct node *n, struct scope *scope)
{
    const struct arg *arg = n->of.arg;
    int64_t index = n->noperands ? whole(eval(n->operands[0], scope)) : 0;
    if (index < 0 || (uint64_t)index >= arg->count) return problem(scope, n->at, "index out of range before this");
    return element_load(arg->initial + (size_t)index * type_sizes[arg->type], arg->type);
}

static struct node *argument(struct parser *p, const char *name)
{
    const struct arg *arg = NULL;
    for (unsigned k = 0; k < p->scope->nargs && !arg; k++)
        if (!strcmp(p->scope->args[k].name, name)) arg = &p->scope->args[k];
    if (!arg || !arg->initial) return mistake(p, "unknown name before this");
    struct node *index = NULL;
    if (accept(p, "[")) {
        index = ternary(p);
        require(p, "]");
    }
    struct node *n = new_node(p, eval_element);
    if (index) add_operand(n, index);
    n->of.arg = arg;
    return n;
}

/* sizeof(TYPE) */
static struct node *size_of(struct parser *p)
{
    space(p);
    enum type type = type_parse(&p->at);
    require(p, ")");
    return type == T_COUNT ? mistake(p, "no such type before this") : constant(p, integer(type_sizes[type]));
}

static struct value eval_index(struct node *n, struct scope *scope) { return (void)n, integer(scope->index); }
static struct value eval_counter(struct node *n, struct scope *scope) { return (void)scope, n->operands[0]->value; }

static struct node *variable(struct parser *p, const char *name)
{
    for (const struct counter *c = p->counters; c; c = c->outer)
        if (!strcmp(name, c->name)) {
            struct node *n = new_node(p, eval_counter);
            add_operand(n, c->sum);
            return n;
        }
    return argument(p, name);
}

static struct node *name(struct parser *p)
{
    char word[32];
    size_t n = 0;
    while ((isalnum((unsigned char)*p->at) || *p->at == '_') && n + 1 < sizeof word) word[n++] = *p->at++;
    word[n] = 0;
    if (accept(p, "(")) return !strcmp(word, "sizeof") ? size_of(p) : !strcmp(word, "sum") ? sum(p) : call(p, word);
    if (!strcmp(word, "i")) return new_node(p, eval_index);
    if (!strcmp(word, "inf")) return constant(p, real(INFINITY));
    if (!strcmp(word, "nan")) return constant(p, real(NAN));
    return variable(p, word);
}

static struct node *literal(struct parser *p)
{
    char *end;
    size_t digits = strspn(p->at, "0123456789");
    bool hex = p->at[0] == '0' && (p->at[1] | 32) == 'x';
    bool is_real = !hex && (p->at[digits] == '.' || (p->at[digits] | 32) == 'e');
    struct value v = is_real ? real(strtod(p->at, &end)) : integer((int64_t)strtoull(p->at, &end, 0));
    if (end == p->at) return mistake(p, "syntax error");
    p->at = end;
    return constant(p, v);
}

static struct value eval_unary(struct node *n, struct scope *scope)
{
    struct value v = eval(n->operands[0], scope);
    if (*n->of.token == '!') return integer(value_real(v) == 0);
    if (*n->of.token == '~') return v.is_unsigned ? natural(~(uint64_t)v.i) : integer(~whole(v));
    if (v.real) v.d = -v.d;
    else v.i = (int64_t)(0 - (uint64_t)v.i);
    return v;
}

static struct node *unary(struct parser *p)
{
    if (p->depth > 200) return mistake(p, "too deeply nested");
    p->depth++;
    space(p);
    struct node *n;
    if (*p->at == '-' || *p->at == '~' || *p->at == '!') {
        n = new_node(p, eval_unary);
        n->of.token = p->at++;
        add_operand(n, unary(p));
    } else if (accept(p, "(")) {
        n = ternary(p);
        require(p, ")");
    } else if (isalpha((unsigned char)*p->at)) {
        n = name(p);
    } else {
        n = literal(p);
    }
    p->depth--;
    return n;
}

/* Longer tokens come before their prefixes. */
// clang-format off
static const struct { const char *token; int level; } operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"<", 7}, {">", 7},
    {"|", 3}, {"^", 4}, {"&", 5}, {"+", 9}, {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10},
};
// clang-format on

static struct value apply_real(const struct node *n, struct scope *scope, double a, double b)
{
    const char *op = n->of.token;
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
    return problem(scope, n->at, "operator does not take reals");
}

static struct value divide(bool quotient, int64_t a, int64_t b)
{
    if (b == -1) return integer(quotient ? (int64_t)(0 - (uint64_t)a) : 0);
    return integer(quotient ? a / b : a % b);
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

static struct value apply(const struct node *n, struct scope *scope, struct value x, struct value y)
{
    const char *op = n->of.token;
    if ((x.real || y.real) && op[0] != '%') return apply_real(n, scope, value_real(x), value_real(y));
    int64_t a = whole(x), b = whole(y);
    bool is_unsigned = x.is_unsigned || y.is_unsigned;
    if (!strcmp(op, "<<") || !strcmp(op, ">>")) return shift(op, x, (uint64_t)b);
    if (!strcmp(op, "&&")) return integer(a && b);
    if (!strcmp(op, "||")) return integer(a || b);
    switch (op[0]) {
    case '/':
    case '%':
        if (!b) return problem(scope, n->at, "division by zero");
        if (!is_unsigned) return divide(op[0] == '/', a, b);
        return natural(op[0] == '/' ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
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

/* The right side of || and && only where the left one does not say it all. */
static struct value eval_binary(struct node *n, struct scope *scope)
{
    const char *op = n->of.token;
    struct value left = eval(n->operands[0], scope);
    if (!strcmp(op, "||") && value_real(left) != 0) return integer(1);
    if (!strcmp(op, "&&") && value_real(left) == 0) return integer(0);
    return apply(n, scope, left, eval(n->operands[1], scope));
}

static struct node *binary(struct parser *p, int lowest)
{
    struct node *left = unary(p);
    int level;
    for (const char *op; (op = find_operator(p, &level)) && level >= lowest && !p->scope->error[0];) {
        p->at += strlen(op);
        struct node *right = binary(p, level + 1), *n = new_node(p, eval_binary);
        n->of.token = op;
        add_operand(n, left);
        add_operand(n, right);
        left = n;
    }
    return left;
}

static struct value eval_ternary(struct node *n, struct scope *scope)
{
    return eval(n->operands[value_real(eval(n->operands[0], scope)) != 0 ? 1 : 2], scope);
}

static struct node *ternary(struct parser *p)
{
    struct node *condition = binary(p, 1);
    if (!accept(p, "?")) return condition;
    struct node *n = new_node(p, eval_ternary);
    add_operand(n, condition);
    add_operand(n, ternary(p));
    require(p, ":");
    add_operand(n, ternary(p));
    return n;
}

/* ---- entry points ---- */

/* The tree of the expression at *text, moving behind it; whose memory is given back from its last node on. */
static struct node *parse(struct scope *scope, const char **text, struct node **last)
{
    struct parser p = {.scope = scope, .at = *text};
    struct node *n = ternary(&p);
    space(&p);
    *text = p.at;
    *last = p.last;
    return n;
}

static void free_nodes(struct node *last)
{
    for (struct node *before; last; last = before) {
        before = last->made_before;
        free(last);
    }
}

struct value expr_eval(struct scope *scope, const char **text)
{
    struct node *last, *n = parse(scope, text, &last);
    struct value v = scope->error[0] ? integer(0) : eval(n, scope);
    free_nodes(last);
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
    struct node *last, *n = parse(scope, &text, &last);
    if (!scope->error[0] && *text) snprintf(scope->error, sizeof scope->error, "unexpected '%.20s'", text);
    for (size_t k = 0; k < count && !scope->error[0]; k++) {
        scope->index = (int64_t)k;
        to[k] = eval(n, scope);
    }
    free_nodes(last);
    return !scope->error[0];
}

bool elements_fill(struct scope *scope, const char *text, enum type type, size_t count, void *to)
{
    struct value *values = malloc((count ? count : 1) * sizeof *values);
    bool ok = values && elements_expect(scope, text, count, values);
    for (size_t k = 0; ok && k < count; k++) element_store((uint8_t *)to + k * type_sizes[type], type, values[k]);
    free(values);
    return ok;
}
