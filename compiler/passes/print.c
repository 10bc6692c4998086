/* printf: each call becomes a packed array of words and a call of __ventus_print (native.cl), which
 * writes the record of isa/abi.h. The format, which must be a literal, and literals for %s go into the note's tables;
 * other strings in constant memory are passed by address. Conversions of floating-point numbers get the length that
 * says how many words a number has. Runs before everything else, while literals are still visible. Called by prepare.c.
 */
#include <string.h>

#include <llvm-c/Target.h>

#include "compiler/passes/passes.h"

/* A longer record than 16 KiB is refused. Choices between literals are followed so deep; a guess. */
enum { MAX_WORDS = 4096, MAX_CHOICES = 8, CONSTANT_SPACE = 2 };

struct printer {
    struct cc *cc;
    LLVMBuilderRef b;
    LLVMValueRef call;
    LLVMValueRef words[MAX_WORDS]; /* what the record holds behind the format number */
    unsigned nwords;
    char *format; /* as it goes into the table */
    size_t length;
};

static bool is_taken(const struct texts *table, uint32_t id)
{
    for (uint32_t i = 0; i < table->n; i++)
        if (table->list[i].id == id) return true;
    return false;
}

/* The number of a new text: the next one, or in an object one that other objects have for no other text. It is below
 * all addresses. */
static uint32_t new_number(struct cc *cc, const struct texts *table, const char *text)
{
    uint32_t h = 2166136261u;
    if (!cc->object) return table->n;
    for (const char *p = text; *p; p++) h = (h ^ (unsigned char)*p) * 16777619u;
    for (h &= 0x3fffffff; is_taken(table, h); h = (h + 1) & 0x3fffffff) {
    }
    return h;
}

/* The number of a text in a table, which it joins when it is new. */
static uint32_t number_of(struct cc *cc, struct texts *table, const char *text)
{
    for (uint32_t i = 0; i < table->n; i++)
        if (!strcmp(table->list[i].text, text)) return table->list[i].id;
    uint32_t id = new_number(cc, table, text);
    table->list = cc_grow(cc, table->list, table->n, &table->room, sizeof *table->list);
    table->list[table->n++] = (struct note_string){.id = id, .text = text};
    return id;
}

static LLVMTypeRef i32(struct printer *p) { return LLVMInt32TypeInContext(p->cc->context); }

/* The bytes of a string literal, without the zero; NULL if `v` is none. */
static const char *literal(struct cc *cc, LLVMValueRef v, size_t *size)
{
    if (!LLVMIsAGlobalVariable(v) || !LLVMIsGlobalConstant(v)) return NULL;
    LLVMValueRef init = LLVMGetInitializer(v);
    if (!init) return NULL;
    if (LLVMIsAConstantAggregateZero(init)) {
        *size = 0;
        return "";
    }
    if (!LLVMIsConstantString(init)) return NULL;
    size_t n;
    const char *bytes = LLVMGetAsString(init, &n);
    *size = strnlen(bytes, n);
    return cc_printf(cc, "%.*s", (int)*size, bytes);
}

static void put(struct printer *p, LLVMValueRef word)
{
    if (p->nwords == MAX_WORDS) cc_error(p->cc, CC_FAILED, p->call, "printf has too many arguments");
    p->words[p->nwords++] = word;
}

/* Small integers are extended with their sign; the reader cuts them to what the format says. */
static void put_integer(struct printer *p, LLVMValueRef v)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (width > 64) cc_error(p->cc, CC_FAILED, p->call, "printf cannot print a %u-bit integer", width);
    put(p, LLVMBuildIntCast2(p->b, v, i32(p), true, ""));
    if (width <= 32) return;
    LLVMValueRef high = LLVMBuildLShr(p->b, v, LLVMConstInt(LLVMTypeOf(v), 32, false), "");
    put(p, LLVMBuildTrunc(p->b, high, i32(p), ""));
}

static bool is_double(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* A float or half as it was before the language made it a double, as a float; NULL if it was none. */
static LLVMValueRef as_float(struct printer *p, LLVMValueRef v)
{
    LLVMTypeRef f = LLVMFloatTypeInContext(p->cc->context);
    LLVMBool inexact;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMDoubleTypeKind) return NULL;
    if (LLVMIsAConstantFP(v)) {
        double d = LLVMConstRealGetDouble(v, &inexact);
        return (double)(float)d == d || d != d ? LLVMConstReal(f, d) : NULL;
    }
    if (!LLVMIsAFPExtInst(v)) return NULL;
    LLVMValueRef from = LLVMGetOperand(v, 0);
    return LLVMTypeOf(from) == f ? from : LLVMBuildFPExt(p->b, from, f, "");
}

static void put_argument(struct printer *p, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: put_integer(p, v); return;
    case LLVMHalfTypeKind: v = LLVMBuildFPExt(p->b, v, LLVMFloatTypeInContext(p->cc->context), ""); /* fallthrough */
    case LLVMFloatTypeKind: put(p, LLVMBuildBitCast(p->b, v, i32(p), "")); return;
    case LLVMDoubleTypeKind:
        put_integer(p, LLVMBuildBitCast(p->b, v, LLVMInt64TypeInContext(p->cc->context), ""));
        return;
    case LLVMPointerTypeKind: put(p, LLVMBuildPtrToInt(p->b, v, i32(p), "")); return;
    case LLVMVectorTypeKind:
        for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
            put_argument(p, LLVMBuildExtractElement(p->b, v, LLVMConstInt(i32(p), i, false), ""));
        return;
    default: cc_error(p->cc, CC_FAILED, p->call, "printf cannot print an argument of this type");
    }
}

static LLVMValueRef string_number(struct printer *p, LLVMValueRef v);

static LLVMValueRef phi_number(struct printer *p, LLVMValueRef phi)
{
    unsigned n = LLVMCountIncoming(phi);
    LLVMValueRef *numbers = cc_alloc(p->cc, n * sizeof *numbers);
    LLVMBasicBlockRef *blocks = cc_alloc(p->cc, n * sizeof *blocks);
    for (unsigned i = 0; i < n; i++) {
        numbers[i] = string_number(p, LLVMGetIncomingValue(phi, i));
        blocks[i] = LLVMGetIncomingBlock(phi, i);
    }
    LLVMPositionBuilderBefore(p->b, phi);
    LLVMValueRef result = LLVMBuildPhi(p->b, i32(p), "");
    LLVMAddIncoming(result, numbers, blocks, n);
    return result;
}

static LLVMValueRef select_number(struct printer *p, LLVMValueRef select)
{
    LLVMValueRef yes = string_number(p, LLVMGetOperand(select, 1));
    LLVMValueRef no = string_number(p, LLVMGetOperand(select, 2));
    LLVMPositionBuilderBefore(p->b, select);
    return LLVMBuildSelect(p->b, LLVMGetOperand(select, 0), yes, no, "");
}

/* Is this string one of literals that are known here? */
static bool is_known(struct printer *p, LLVMValueRef v, unsigned nesting)
{
    size_t size;
    if (LLVMIsAConstantPointerNull(v) || literal(p->cc, v, &size)) return true;
    if (nesting == MAX_CHOICES) return false;
    if (LLVMIsASelectInst(v))
        return is_known(p, LLVMGetOperand(v, 1), nesting + 1) && is_known(p, LLVMGetOperand(v, 2), nesting + 1);
    if (!LLVMIsAPHINode(v)) return false;
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
        if (!is_known(p, LLVMGetIncomingValue(v, i), nesting + 1)) return false;
    return true;
}

/* A literal's number in the table, or the same choice between numbers as `v`, which is known, is between literals. */
static LLVMValueRef string_number(struct printer *p, LLVMValueRef v)
{
    size_t size;
    if (LLVMIsAPHINode(v)) return phi_number(p, v);
    if (LLVMIsASelectInst(v)) return select_number(p, v);
    const char *text = LLVMIsAConstantPointerNull(v) ? "(null)" : literal(p->cc, v, &size);
    return LLVMConstInt(i32(p), number_of(p->cc, &p->cc->literals, text), false);
}

/* A string that is not known here is passed by its address: the host reads it where the device has it, which must be in
 * constant memory, where it is still the same when the host comes to print it. */
static void put_string(struct printer *p, LLVMValueRef v)
{
    bool known = is_known(p, v, 0);
    if (!known && LLVMGetPointerAddressSpace(LLVMTypeOf(v)) != CONSTANT_SPACE)
        cc_error(p->cc, CC_FAILED, p->call, "the argument of %%s must be a string in constant memory");
    LLVMValueRef number = known ? string_number(p, v) : NULL;
    LLVMPositionBuilderBefore(p->b, p->call);
    put(p, known ? number : LLVMBuildPtrToInt(p->b, v, i32(p), ""));
}

/* What the next argument of the format is: its conversion letter, `*` for a width or precision, 0
 * at the end of the format. *inside says that *at stands behind the % of an unfinished conversion. */
static char next_argument(const char **at, const char *end, bool *inside)
{
    const char *s = *at;
    while (!*inside) {
        while (s < end && *s != '%') s++;
        if (s == end) return 0;
        *inside = *++s != '%'; /* the literal's zero byte is behind `end` */
        s += !*inside;
    }
    while (s < end && strchr("-+ #0123456789.vhl", *s)) s++;
    if (s == end) return 0;
    *at = s + 1;
    *inside = *s == '*';
    return *s;
}

static void copy_format(struct printer *p, const char *from, const char *to)
{
    memcpy(p->format + p->length, from, (size_t)(to - from));
    p->length += (size_t)(to - from);
}

/* Copies a conversion of floating-point numbers, from `from` to its letter in front of `end`, with the length of its
 * argument: l for doubles, hl for vectors of floats, which those of halves become. */
static void copy_real(struct printer *p, const char *from, const char *end, LLVMTypeRef type)
{
    const char *length = end - 1, *wanted = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? "hl" : "";
    while (strchr("hl", length[-1])) length--;
    if (is_double(type)) wanted = "l";
    copy_format(p, from, length);
    copy_format(p, wanted, wanted + strlen(wanted));
    copy_format(p, end - 1, end);
}

static void pack_arguments(struct printer *p, const char *format, size_t size)
{
    const char *at = format, *from = format, *end = format + size;
    unsigned n = LLVMGetNumArgOperands(p->call), next = 1;
    bool inside = false;
    p->format = cc_alloc(p->cc, 3 * size + 1);
    p->length = 0;
    for (char c; (c = next_argument(&at, end, &inside)); next++, from = at) {
        if (next >= n) cc_error(p->cc, CC_FAILED, p->call, "printf has fewer arguments than its format takes");
        LLVMValueRef v = LLVMGetOperand(p->call, next), narrow = as_float(p, v);
        if (narrow) v = narrow;
        if (c == 's') put_string(p, v);
        else put_argument(p, v);
        if (strchr("aAeEfFgG", c)) copy_real(p, from, at, LLVMTypeOf(v));
        else copy_format(p, from, at);
    }
    copy_format(p, from, end);
}

static LLVMValueRef store_words(struct printer *p)
{
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(p->call));
    LLVMTypeRef array = LLVMArrayType2(i32(p), p->nwords ? p->nwords : 1);
    LLVMBuilderRef entry = LLVMCreateBuilderInContext(p->cc->context);
    LLVMPositionBuilderBefore(entry, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    LLVMValueRef words = LLVMBuildAlloca(entry, array, "");
    LLVMDisposeBuilder(entry);
    for (unsigned i = 0; i < p->nwords; i++) {
        LLVMValueRef index = LLVMConstInt(i32(p), i, false);
        LLVMBuildStore(p->b, p->words[i], LLVMBuildGEP2(p->b, i32(p), words, &index, 1, ""));
    }
    return words;
}

static void lower_print(struct printer *p)
{
    size_t size = 0;
    const char *format = LLVMGetNumArgOperands(p->call) ? literal(p->cc, LLVMGetOperand(p->call, 0), &size) : NULL;
    if (!format) cc_error(p->cc, CC_FAILED, p->call, "the format of printf must be a string literal");
    LLVMPositionBuilderBefore(p->b, p->call);
    p->nwords = 0;
    pack_arguments(p, format, size);
    LLVMTypeRef types[] = {i32(p), i32(p), LLVMPointerTypeInContext(p->cc->context, 0)};
    LLVMTypeRef type = LLVMFunctionType(i32(p), types, 3, false);
    LLVMValueRef f = LLVMGetNamedFunction(p->cc->module, "__ventus_print");
    if (!f) f = LLVMAddFunction(p->cc->module, "__ventus_print", type);
    LLVMValueRef args[] = {LLVMConstInt(i32(p), number_of(p->cc, &p->cc->formats, p->format), false),
                           LLVMConstInt(i32(p), p->nwords, false), store_words(p)};
    LLVMValueRef result = LLVMBuildCall2(p->b, type, f, args, 3, "");
    LLVMReplaceAllUsesWith(p->call, result);
    LLVMInstructionEraseFromParent(p->call);
}

/* In the order of the source, so that formats are numbered as they stand there. */
void print_lower(struct cc *cc)
{
    LLVMValueRef f = LLVMGetNamedFunction(cc->module, "printf");
    if (!f || !LLVMIsDeclaration(f)) return;
    struct printer *p = cc_alloc(cc, sizeof *p);
    p->cc = cc;
    p->b = cc->builder;
    for (LLVMValueRef g = LLVMGetFirstFunction(cc->module); g; g = LLVMGetNextFunction(g))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(g); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                p->call = i;
                if (LLVMIsACallInst(i) && LLVMGetCalledValue(i) == f && LLVMTypeOf(i) == i32(p)) lower_print(p);
            }
}
