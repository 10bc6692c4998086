/* Modules of SPIR-V: the words of a module become instructions, and each is read as its row of spirv.def says.
 *
 * A module is read twice: first what stands outside of functions, with the functions' own declarations and the labels
 * of their blocks, which may be named before they come; then the blocks. Apart from those, what an instruction names
 * has come before it, as blocks come behind those that dominate them. Called by main.c in the place of the front end.
 */
#include <string.h>

#include <llvm-c/Analysis.h>

#include "compiler/spirv/reader.h"

enum { MAGIC = 0x07230203, SWAPPED_MAGIC = 0x03022307, HEADER_WORDS = 5, MAX_BOUND = 0x3fffff };
#define FIRST_VERSION 0x10000u
#define LAST_VERSION  0x10600u

static const struct op ops[] = {
#define OP(number, name, result, where, operands, how, read) \
    {#name, number, RESULT_##result, WHERE_##where, operands, how, read},
#include "compiler/spirv/spirv.def"
};
enum { OPS = sizeof ops / sizeof *ops };

/* ---- instructions ---- */

/* Sets op, type, result and operands from the instruction's words. */
static void decode(struct reader *r, uint32_t nwords)
{
    const uint32_t *words = r->words + r->at;
    uint32_t number = words[0] & 0xffff, fixed = 1;
    r->op = op_find(r, number);
    if (!r->op) spirv_error(r, "word %u: instruction %u is not one of kernels, or not known here", r->at, number);
    fixed += r->op->result == RESULT_TYPED ? 2 : r->op->result == RESULT_ID;
    if (nwords < fixed + r->op->operands) spirv_error(r, "it is too short");
    r->type = r->op->result == RESULT_TYPED ? type_of(r, words[1]) : NULL;
    r->nwritten = r->op->result ? words[fixed - 1] : 0;
    r->result = r->op->result ? id_of(r, r->nwritten) : NULL;
    r->operands = words + fixed;
    r->noperands = nwords - fixed;
}

static void define(struct reader *r, LLVMValueRef value)
{
    if (!r->type || LLVMTypeOf(value) != r->type->llvm) spirv_error(r, "its result is not of the type that it names");
    r->result->value = value;
    r->result->type = r->type;
    r->result->kind = ID_VALUE;
}

static void check_place(struct reader *r)
{
    if (r->op->where == WHERE_MODULE && r->function) spirv_error(r, "it stands in a function");
    if ((r->op->where == WHERE_BLOCK || r->op->where == WHERE_FOLDED) && !r->label)
        spirv_error(r, "it stands outside of a block");
}

/* The first pass has no blocks: what it passes over are their instructions. */
static bool is_for_this_pass(const struct reader *r)
{
    if (r->is_body) return r->function || r->op->where == WHERE_FUNCTION;
    return !r->function || r->op->where == WHERE_FUNCTION;
}

static void instruction(struct reader *r)
{
    if (!is_for_this_pass(r)) return;
    check_place(r);
    bool again = r->is_body && r->op->where == WHERE_FUNCTION;
    if (r->result && r->result->kind != ID_NONE && !again && !(r->op->number == OP_TypePointer && r->result->type))
        spirv_error(r, "%%%u has a meaning already", r->nwritten);
    LLVMValueRef value = r->op->read(r);
    if (value) define(r, value);
}

static void pass(struct reader *r, bool is_body)
{
    r->is_body = is_body;
    for (r->at = HEADER_WORDS; r->at < r->nwords;) {
        uint32_t n = r->words[r->at] >> 16;
        r->op = NULL;
        if (!n || n > r->nwords - r->at) spirv_error(r, "word %u: an instruction of %u words does not fit", r->at, n);
        decode(r, n);
        instruction(r);
        r->at += n;
    }
    r->op = NULL;
    if (r->function) spirv_error(r, "the last function has no end");
}

/* ---- the module ---- */

bool spirv_is(const void *bytes, size_t size)
{
    uint32_t magic;
    if (size < sizeof magic) return false;
    memcpy(&magic, bytes, sizeof magic);
    return magic == MAGIC || magic == SWAPPED_MAGIC;
}

static void check_header(struct reader *r, size_t size)
{
    const uint32_t *words = r->words;
    if (words[0] != MAGIC) spirv_error(r, "the module is of the other byte order");
    if (size % sizeof *words || r->nwords < HEADER_WORDS) spirv_error(r, "the module is cut off");
    if (words[1] < FIRST_VERSION || words[1] > LAST_VERSION || words[1] & 0xff)
        spirv_error(r, "version %u.%u of the module is not known; 1.0 to 1.6 are", words[1] >> 16 & 255,
                    words[1] >> 8 & 255);
    if (!words[3] || words[3] > MAX_BOUND)
        spirv_error(r, "the bound %u of ids is not from 1 to %d", words[3], MAX_BOUND);
}

/* What the rules for whole functions forbid (a value that does not dominate its use, ...) is found by LLVM. */
static void check_module(struct reader *r)
{
    char *why = NULL;
    bool bad = LLVMVerifyModule(r->module, LLVMReturnStatusAction, &why);
    const char *copy = cc_printf(r->cc, "%s", why ? why : "");
    LLVMDisposeMessage(why);
    if (bad) spirv_error(r, "the module is not valid; what LLVM says of what it made of it: %s", copy);
}

LLVMModuleRef spirv_run(struct cc *cc, const char *bytes, size_t size)
{
    context_make(cc);
    uint32_t *words = cc_alloc(cc, size + sizeof *words); /* aligned */
    memcpy(words, bytes, size);
    struct reader *r = cc_alloc(cc, sizeof *r);
    *r = (struct reader){.cc = cc,
                         .b = cc->builder,
                         .words = words,
                         .nwords = (uint32_t)(size / sizeof *words),
                         .ops = ops,
                         .nops = OPS};
    check_header(r, size);
    r->bound = words[3];
    r->ids = cc_alloc(cc, (size_t)r->bound * sizeof *r->ids);
    r->module = cc->module = LLVMModuleCreateWithNameInContext("source", cc->context);
    LLVMSetTarget(r->module, "spir-unknown-unknown");
    LLVMSetDataLayout(r->module, SPIR_LAYOUT);
    pass(r, false);
    pass(r, true);
    lines_end(r);
    check_module(r);
    return r->module;
}
