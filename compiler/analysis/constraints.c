/* Inline assembly as LLVM hands it over: a constraint for each operand, separated by commas, and what is clobbered.
 * Called by divergence.c and select/asm.c. */
#include "compiler/analysis/analysis.h"

#include <string.h>

bool is_inline_asm(LLVMValueRef value) { return LLVMIsACallInst(value) && LLVMIsAInlineAsm(LLVMGetCalledValue(value)); }

static void read_letter(struct constraint *c, char letter)
{
    if (letter == '=') c->output = true;
    else if (letter == '&') c->early = true;
    else if (letter == '*') c->indirect = true;
    else if (letter == 'v') c->vector = true;
    else if (letter == 'r' || letter == 'f') c->scalar = true;
    else if (letter == 'm' || letter == 'o') c->memory = true;
    else if (letter == 'X') c->scalar = c->number = true;
    else if (strchr("insIJKLMNOPEF", letter)) c->number = true;
}

bool next_constraint(const char **text, const char *end, struct constraint *c)
{
    const char *p = *text;
    if (p >= end) return false;
    *c = (struct constraint){.tied = -1, .text = p, .clobber = *p == '~'};
    while (p < end && *p != ',') {
        if (!c->clobber && *p >= '0' && *p <= '9') c->tied = (c->tied < 0 ? 0 : c->tied * 10) + (*p - '0');
        else if (!c->clobber) read_letter(c, *p);
        p++;
    }
    c->length = (unsigned)(p - c->text);
    *text = p + (p < end);
    return true;
}

const char *constraints_of(LLVMValueRef inst, const char **end)
{
    size_t n;
    const char *text = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(inst), &n);
    *end = text + n;
    return text;
}

/* Is result number `index` (any result: -1) of this inline assembly in vector registers? */
static bool has_vector_result(LLVMValueRef inst, int index)
{
    const char *end, *p = constraints_of(inst, &end);
    struct constraint c;
    for (int i = 0; next_constraint(&p, end, &c);) {
        if (!c.output || c.indirect) continue;
        if (c.vector && (index < 0 || index == i)) return true;
        i++;
    }
    return false;
}

bool asm_is_uniform(LLVMValueRef value)
{
    if (is_inline_asm(value)) return !has_vector_result(value, -1);
    if (!LLVMIsAExtractValueInst(value) || !is_inline_asm(LLVMGetOperand(value, 0))) return false;
    return !has_vector_result(LLVMGetOperand(value, 0), (int)LLVMGetIndices(value)[0]);
}
