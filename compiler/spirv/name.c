/* Calls of built-in functions by name. The library has them with the types of their parameters in the name, as the C++
 * ABI writes them: a type that has been named before, and is no single letter, is replaced by its number. Names are put
 * together from types at full length and shortened at the end. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/reader.h"

/* ---- at full length ---- */

static char letter(const struct type *t, char sign)
{
    static const char is_signed[] = {[1] = 'c', [2] = 's', [4] = 'i', [8] = 'l'};
    static const char is_unsigned[] = {[1] = 'h', [2] = 't', [4] = 'j', [8] = 'm'};
    return sign == 's' ? is_signed[t->size] : is_unsigned[t->size];
}

/* Pointers to private memory have a qualifier, which is numbered, but has no text: Q. */
static const char *pointer_name(struct reader *r, const struct type *t, char sign, const char *qualifiers)
{
    unsigned space = space_number(r, t->count);
    const char *where = space ? cc_printf(r->cc, "U3AS%u", space) : "Q";
    if (!t->element) spirv_error(r, "what a pointer points to is not known");
    return cc_printf(r->cc, "P%s%s%s", where, qualifiers, type_name_of(r, t->element, sign, ""));
}

const char *type_name_of(struct reader *r, const struct type *t, char sign, const char *qualifiers)
{
    static const char *const floats[] = {[2] = "Dh", [4] = "f", [8] = "d"};
    switch (t->op) {
    case OP_TypeBool: return "b";
    case OP_TypeInt: return cc_printf(r->cc, "%c", letter(t, sign));
    case OP_TypeFloat: return floats[t->size];
    case OP_TypeVector: return cc_printf(r->cc, "Dv%u_%s", t->count, type_name_of(r, t->element, sign, ""));
    case OP_TypePointer: return pointer_name(r, t, sign, qualifiers);
    case OP_TypeImage:
    case OP_TypeSampler:
    case OP_TypePipe:
    case OP_TypeReserveId:
    case OP_TypeEvent: return t->mangled;
    default: spirv_error(r, "a built-in function has no arguments of such a type");
    }
}

/* ---- shortened ---- */

enum { MAX_SEEN = 36 }; /* types that have numbers */

struct shortening {
    struct {
        const char *start;
        size_t length;
    } seen[MAX_SEEN];
    unsigned n;
    char *out;
};

/* What stands in front of a type: P, Q or U3AS., V, K, U7_Atomic, Dv._; 0 if the type itself begins here. */
static size_t prefix(const char *p)
{
    if (strchr("PQVK", *p)) return 1;
    if (*p == 'U') return p[1] == '3' ? 5 : 9;
    if (p[0] == 'D' && p[1] == 'v') return (size_t)(strchr(p, '_') + 1 - p);
    return 0;
}

static size_t type_length(const char *start)
{
    const char *p = start;
    while (prefix(p)) p += prefix(p);
    if (isdigit((unsigned char)*p)) {
        char *name;
        size_t n = strtoul(p, &name, 10);
        return (size_t)(name - start) + n;
    }
    return (size_t)(p - start) + (*p == 'D' ? 2 : 1);
}

static void put(struct shortening *s, const char *text, size_t n)
{
    memcpy(s->out, text, n);
    s->out += n;
}

static bool put_number(struct shortening *s, const char *type, size_t length)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (s->seen[i].length != length || memcmp(s->seen[i].start, type, length)) continue;
        put(s, "S", 1);
        if (i) put(s, &"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 1], 1);
        put(s, "_", 1);
        return true;
    }
    return false;
}

/* All qualifiers of a type together are one prefix. */
static size_t whole_prefix(const char *p)
{
    size_t n = prefix(p);
    bool qualifier = *p == 'Q' || (*p == 'U' && p[1] == '3');
    while (qualifier && (p[n] == 'V' || p[n] == 'K')) n++;
    return n;
}

static void put_type(struct shortening *s, const char *type)
{
    size_t length = type_length(type), before = whole_prefix(type);
    if (!before && !isdigit((unsigned char)*type)) {
        put(s, type, length);
        return;
    }
    if (put_number(s, type, length)) return;
    if (before) {
        if (*type == 'Q') put(s, type + 1, before - 1);
        else put(s, type, before);
        put_type(s, type + before);
    } else {
        put(s, type, length);
    }
    if (s->n < MAX_SEEN) {
        s->seen[s->n].start = type;
        s->seen[s->n++].length = length;
    }
}

/* A number is never longer than what it stands for. */
static const char *shortened(struct reader *r, const char *types)
{
    char *out = cc_alloc(r->cc, strlen(types) + 1);
    struct shortening s = {.out = out};
    for (const char *p = types; *p; p += type_length(p)) put_type(&s, p);
    return out;
}

/* ---- calls ---- */

static void add_attribute(struct reader *r, LLVMValueRef f, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(r->cc->context, kind, 0));
}

/* Convergent like all functions of clang's: nothing is known of what they call. */
LLVMValueRef function_add(struct reader *r, const char *name, LLVMTypeRef type)
{
    LLVMValueRef f = *name ? LLVMGetNamedFunction(r->module, name) : NULL;
    if (f && LLVMGlobalGetValueType(f) == type) return f;
    if (f || (*name && LLVMGetNamedGlobal(r->module, name)))
        spirv_error(r, "the name %.100s stands for things of different types", name);
    f = LLVMAddFunction(r->module, name, type);
    add_attribute(r, f, "convergent");
    add_attribute(r, f, "nounwind");
    return f;
}

void function_keep(struct reader *r, LLVMValueRef function) { add_attribute(r, function, "noinline"); }

void argument_add(struct reader *r, struct arguments *a, LLVMValueRef value, const char *type)
{
    if (a->n == MAX_ARGUMENTS) spirv_error(r, "there are more than %d arguments", MAX_ARGUMENTS);
    a->value[a->n++] = value;
    a->types = cc_printf(r->cc, "%s%s", a->types, type);
}

LLVMValueRef builtin_call(struct reader *r, const char *name, LLVMTypeRef result, const struct arguments *a)
{
    LLVMTypeRef types[MAX_ARGUMENTS];
    for (unsigned i = 0; i < a->n; i++) types[i] = LLVMTypeOf(a->value[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, a->n, false);
    const char *full = cc_printf(r->cc, "_Z%zu%s%s", strlen(name), name, shortened(r, a->types));
    return LLVMBuildCall2(r->b, type, function_add(r, full, type), (LLVMValueRef *)a->value, a->n, "");
}
