/* What the device that a program is for cannot do: doubles, halves, images (`--lacks`; rows PART of features.def). That
 * there are no atomics is seen to where instructions are known (output.c).
 *
 * clang refuses most of it itself, when the extensions are off (frontend.c). What it lets pass, as images in OpenCL C
 * 1.2, and what comes from objects and modules of SPIR-V, is found here. Functions of the built-in library may use
 * doubles inside: this is for what the program says, and before they are there. */
#include <string.h>

#include "compiler/ir/ir.h"

static const struct {
    const char *word, *part;
} parts[] = {
#define PART(feature, word, part) {word, part},
#include "isa/features.def"
};
enum { PARTS = sizeof parts / sizeof *parts };
_Static_assert(PARTS <= 32, "a bit each");

bool lacks_parse(const char *text, unsigned *lacks)
{
    for (*lacks = 0; *text;) {
        const size_t n = strcspn(text, ",");
        unsigned found = 0;
        for (unsigned i = 0; i < PARTS; i++)
            if (strlen(parts[i].word) == n && !memcmp(parts[i].word, text, n)) found |= 1u << i;
        if (!found) return false;
        *lacks |= found;
        text += n + (text[n] == ',');
    }
    return true;
}

static bool lacks_word(const struct cc *cc, const char *word)
{
    for (unsigned i = 0; i < PARTS; i++)
        if (cc->lacks >> i & 1 && !strcmp(parts[i].word, word)) return true;
    return false;
}

bool lacks_atomics(const struct cc *cc) { return lacks_word(cc, "atomics"); }

bool lacks_name(const struct cc *cc, const char *name)
{
    for (unsigned i = 0; i < PARTS; i++) {
        const char *part = parts[i].part;
        if (!(cc->lacks >> i & 1)) continue;
        if (*part == '=' ? !strcmp(name, part + 1) : strstr(name, part) != NULL) return true;
    }
    return false;
}

void lacks_note(struct cc *cc)
{
    const char *last = "", *before = "";
    if (!cc->lacks) return;
    cc_log(cc, "<source>: note: the device that this program is for has no");
    for (unsigned i = 0; i < PARTS; last = parts[i++].word)
        if (cc->lacks >> i & 1 && strcmp(parts[i].word, last) != 0) {
            cc_log(cc, "%s %s", before, parts[i].word);
            before = ",";
        }
    cc_log(cc, "\n");
}

/* ---- types ---- */

static bool is_double(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMDoubleTypeKind; }

static bool is_half(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMHalfTypeKind; }

static const struct kind {
    const char *word, *what;
    bool (*is)(LLVMTypeRef type);
} kinds[] = {{"doubles", "double", is_double}, {"halves", "half", is_half}, {"images", "an image", is_image_type}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool holds(LLVMTypeRef type, const struct kind *k)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind: return holds(LLVMGetElementType(type), k);
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (holds(LLVMStructGetTypeAtIndex(type, i), k)) return true;
        return false;
    default: return k->is(type);
    }
}

static void refuse(struct cc *cc, LLVMValueRef at, const struct kind *k)
{
    cc_error(cc, CC_FAILED, at, "this uses %s, and the device that the program is for has no %s", k->what, k->word);
}

static void check_instruction(struct cc *cc, LLVMValueRef i, const struct kind *k)
{
    bool has = holds(LLVMTypeOf(i), k) || (LLVMIsAAllocaInst(i) && holds(LLVMGetAllocatedType(i), k));
    for (int o = 0; o < LLVMGetNumOperands(i) && !has; o++) {
        const LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
        has = !LLVMIsABasicBlock(operand) && holds(LLVMTypeOf(operand), k);
    }
    if (has) refuse(cc, i, k);
}

static void check_function(struct cc *cc, LLVMValueRef f, const struct kind *k)
{
    for (LLVMValueRef p = LLVMGetFirstParam(f); p; p = LLVMGetNextParam(p))
        if (holds(LLVMTypeOf(p), k)) refuse(cc, f, k);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) check_instruction(cc, i, k);
}

void lacks_check(struct cc *cc)
{
    for (size_t n = 0; n < KINDS; n++) {
        const struct kind *k = &kinds[n];
        if (!lacks_word(cc, k->word)) continue;
        for (LLVMValueRef g = LLVMGetFirstGlobal(cc->module); g; g = LLVMGetNextGlobal(g))
            if (holds(LLVMGlobalGetValueType(g), k)) refuse(cc, NULL, k);
        for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
            if (!LLVMIsDeclaration(f)) check_function(cc, f, k);
    }
}
