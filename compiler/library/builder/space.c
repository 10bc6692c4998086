/* Copies of functions whose pointers are to another address space.
 *
 * LLVM has no such copy: the types of instructions are fixed when they are made. So those whose type changes, which are
 * few kinds in a library, are made anew, and all others cloned; operands are looked up in a table of what became of
 * each value. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/library/builder/builder.h"

typedef LLVMValueRef value;

#define MOVED "moved." /* stands in front of the name of a variable whose copy has taken the name */

struct pair {
    value old, new;
};

struct copy {
    unsigned from, to;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    struct pair *pairs; /* a hash table with open addressing; `room` is a power of two */
    size_t count, room;
};

static struct pair *find(struct copy *c, value old)
{
    size_t at = (uintptr_t)old / 16 * 0x9e3779b9u;
    while (c->pairs[at & (c->room - 1)].old && c->pairs[at & (c->room - 1)].old != old) at++;
    return &c->pairs[at & (c->room - 1)];
}

static void grow(struct copy *c)
{
    struct pair *old = c->pairs;
    size_t room = c->room;
    c->room = room ? 2 * room : 256;
    c->pairs = calloc(c->room, sizeof *c->pairs);
    if (!c->pairs) fail("out of memory");
    for (size_t i = 0; i < room; i++)
        if (old[i].old) *find(c, old[i].old) = old[i];
    free(old);
}

static void note(struct copy *c, value old, value new)
{
    if (2 * ++c->count > c->room) grow(c);
    *find(c, old) = (struct pair){old, new};
}

static LLVMTypeRef type_of(struct copy *c, LLVMTypeRef type)
{
    bool changes = LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == c->from;
    return changes ? LLVMPointerTypeInContext(LLVMGetGlobalContext(), c->to) : type;
}

static LLVMTypeRef function_type(struct copy *c, LLVMTypeRef old)
{
    LLVMTypeRef parameters[64];
    unsigned count = LLVMCountParamTypes(old);
    if (count > 64) fail("a function has too many parameters");
    LLVMGetParamTypes(old, parameters);
    for (unsigned i = 0; i < count; i++) parameters[i] = type_of(c, parameters[i]);
    return LLVMFunctionType(type_of(c, LLVMGetReturnType(old)), parameters, count, LLVMIsFunctionVarArg(old));
}

char *name_respace(const char *name, unsigned from, unsigned to)
{
    char *copy = strdup(name);
    if (!copy) fail("out of memory");
    for (char *p = copy; (p = strstr(p, "PU3AS")); p += 5)
        if (p[5] == (char)('0' + from)) p[5] = (char)('0' + to);
    return copy;
}

/* The function of this name, which becomes a declaration like `model` if there is none. */
static value function_of(struct copy *c, value model, LLVMTypeRef type, const char *name)
{
    value f = LLVMGetNamedFunction(c->module, name);
    if (f) return f;
    f = LLVMAddFunction(c->module, name, type);
    function_adopt(f, model);
    return f;
}

/* ---- variables ---- */

static void variable_respace(LLVMModuleRef module, value old, unsigned to)
{
    char *name = strdup(LLVMGetValueName(old)), moved[256];
    snprintf(moved, sizeof moved, MOVED "%s", name);
    LLVMSetValueName2(old, moved, strlen(moved));
    value new = LLVMAddGlobalInAddressSpace(module, LLVMGlobalGetValueType(old), name, to);
    LLVMSetInitializer(new, LLVMGetInitializer(old));
    LLVMSetGlobalConstant(new, LLVMIsGlobalConstant(old));
    LLVMSetLinkage(new, LLVMGetLinkage(old));
    LLVMSetAlignment(new, LLVMGetAlignment(old));
    LLVMSetUnnamedAddress(new, LLVMGetUnnamedAddress(old));
    free(name);
}

void variables_respace(LLVMModuleRef module, unsigned from, unsigned to)
{
    for (value v = LLVMGetFirstGlobal(module), last = LLVMGetLastGlobal(module), next; v; v = next) {
        next = v == last ? NULL : LLVMGetNextGlobal(v);
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == from) variable_respace(module, v, to);
    }
}

void variables_drop_unused(LLVMModuleRef module)
{
    for (value v = LLVMGetFirstGlobal(module), next; v; v = next) {
        next = LLVMGetNextGlobal(v);
        if (!LLVMGetFirstUse(v)) LLVMDeleteGlobal(v);
    }
}

/* ---- operands ---- */

/* Variables have been moved by variables_respace. */
static value constant(struct copy *c, value old)
{
    LLVMTypeRef type = type_of(c, LLVMTypeOf(old));
    if (type == LLVMTypeOf(old)) return old;
    value new = NULL;
    if (LLVMIsAGlobalVariable(old)) new = LLVMGetNamedGlobal(c->module, LLVMGetValueName(old) + strlen(MOVED));
    else if (LLVMIsNull(old)) new = LLVMConstNull(type);
    else if (LLVMIsPoison(old)) new = LLVMGetPoison(type);
    if (!new) fail("a constant pointer cannot be moved to address space %u", c->to);
    return new;
}

static value mapped(struct copy *c, value old)
{
    if (LLVMIsConstant(old)) return constant(c, old);
    if (LLVMGetValueKind(old) == LLVMMetadataAsValueValueKind || LLVMIsAInlineAsm(old)) return old;
    value new = find(c, old)->new;
    if (!new) fail("a value is used in front of its definition");
    return new;
}

/* ---- instructions ---- */

static value gep(struct copy *c, value old)
{
    value indices[16];
    unsigned count = LLVMGetNumIndices(old);
    if (count > 16) fail("an address has too many indices");
    for (unsigned i = 0; i < count; i++) indices[i] = mapped(c, LLVMGetOperand(old, i + 1));
    return LLVMBuildGEPWithNoWrapFlags(c->builder, LLVMGetGEPSourceElementType(old), mapped(c, LLVMGetOperand(old, 0)),
                                       indices, count, "", LLVMGEPGetNoWrapFlags(old));
}

static value call(struct copy *c, value old)
{
    value arguments[64], callee = LLVMGetCalledValue(old);
    LLVMTypeRef type = function_type(c, LLVMGetCalledFunctionType(old));
    unsigned count = LLVMGetNumArgOperands(old);
    if (count > 64 || !LLVMIsAFunction(callee)) fail("a call cannot be copied");
    char *name = name_respace(LLVMGetValueName(callee), c->from, c->to);
    if (type != LLVMGetCalledFunctionType(old)) callee = function_of(c, callee, type, name);
    free(name);
    for (unsigned i = 0; i < count; i++) arguments[i] = mapped(c, LLVMGetOperand(old, i));
    value new = LLVMBuildCall2(c->builder, type, callee, arguments, count, "");
    LLVMSetInstructionCallConv(new, LLVMGetInstructionCallConv(old));
    LLVMSetTailCallKind(new, LLVMGetTailCallKind(old));
    for (int index = LLVMAttributeFunctionIndex; index <= (int)count; index++) {
        LLVMAttributeRef attributes[64];
        unsigned n = LLVMGetCallSiteAttributeCount(old, (LLVMAttributeIndex)index);
        if (n > 64) fail("a call has too many attributes");
        LLVMGetCallSiteAttributes(old, (LLVMAttributeIndex)index, attributes);
        for (unsigned i = 0; i < n; i++) LLVMAddCallSiteAttribute(new, (LLVMAttributeIndex)index, attributes[i]);
    }
    return new;
}

/* Its operands follow when all blocks are there. */
static value clone(struct copy *c, value old)
{
    value new = LLVMInstructionClone(old);
    LLVMInsertIntoBuilder(c->builder, new);
    return new;
}

static bool takes_moved(struct copy *c, value call)
{
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    return function_type(c, type) != type;
}

static value instruction(struct copy *c, value old)
{
    switch (LLVMGetInstructionOpcode(old)) {
    case LLVMGetElementPtr: return gep(c, old);
    case LLVMPHI: return LLVMBuildPhi(c->builder, type_of(c, LLVMTypeOf(old)), "");
    case LLVMCall: return takes_moved(c, old) ? call(c, old) : clone(c, old);
    default:
        if (type_of(c, LLVMTypeOf(old)) != LLVMTypeOf(old))
            fail("an instruction that makes a pointer cannot be copied");
        return clone(c, old);
    }
}

static void finish_phi(struct copy *c, value old, value new)
{
    for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
        value from = mapped(c, LLVMGetIncomingValue(old, i));
        LLVMBasicBlockRef block =
            LLVMValueAsBasicBlock(find(c, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(old, i)))->new);
        LLVMAddIncoming(new, &from, &block, 1);
    }
}

static void finish(struct copy *c, value old)
{
    value new = mapped(c, old);
    if (LLVMGetInstructionOpcode(old) == LLVMPHI) {
        finish_phi(c, old, new);
        return;
    }
    if (LLVMIsACallInst(old) && takes_moved(c, old)) return; /* has them */
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(old); i++)
        LLVMSetOperand(new, i, mapped(c, LLVMGetOperand(old, i)));
}

/* ---- functions ---- */

static void copy_body(struct copy *c, value old, value new)
{
    for (unsigned i = 0; i < LLVMCountParams(old); i++) note(c, LLVMGetParam(old, i), LLVMGetParam(new, i));
    EACH_BLOCK (b, old) note(c, LLVMBasicBlockAsValue(b), LLVMBasicBlockAsValue(LLVMAppendBasicBlock(new, "")));
    EACH_BLOCK (b, old) {
        LLVMPositionBuilderAtEnd(c->builder, LLVMValueAsBasicBlock(mapped(c, LLVMBasicBlockAsValue(b))));
        EACH_INSTRUCTION (i, b) note(c, i, instruction(c, i));
    }
    EACH_BLOCK (b, old)
        EACH_INSTRUCTION (i, b) finish(c, i);
}

LLVMValueRef function_respace(LLVMValueRef function, unsigned from, unsigned to, const char *name)
{
    struct copy c = {.from = from, .to = to, .module = LLVMGetGlobalParent(function), .builder = LLVMCreateBuilder()};
    grow(&c);
    value copy = function_of(&c, function, function_type(&c, LLVMGlobalGetValueType(function)), name);
    if (!LLVMIsDeclaration(copy)) fail("%s is there twice", name);
    LLVMSetLinkage(copy, LLVMGetLinkage(function));
    LLVMSetUnnamedAddress(copy, LLVMGetUnnamedAddress(function));
    copy_body(&c, function, copy);
    LLVMDisposeBuilder(c.builder);
    free(c.pairs);
    return copy;
}
