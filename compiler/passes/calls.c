/* The call graph of a program: what is refused, and which functions become routines instead of being inlined
 * (passes/routines.md).
 *
 * Everything else is inlined. That costs nothing but size for functions that are small or called once, so routines are
 * those that the program wants to be, and those whose copies together would be large. Callees are decided before their
 * callers, whose size depends on it. Called by prepare.c. */
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

/* What cannot be a routine can explode when it is inlined: a chain of functions that each call the next twice doubles
 * at every step. All functions together may reach so many instructions, counted when they have been simplified (before
 * that they are two to ten times as many), and calls so deep. */
enum { INLINED_LIMIT = 3000000, CALL_DEPTH = 200 };

/* A function that is not SMALL and whose copies would be more instructions than COPIES_LIMIT is a routine. PASSED_LIMIT
 * is for the words of its arguments and result, which it has in vector registers. */
enum { SMALL = 50, COPIES_LIMIT = 20000, PASSED_LIMIT = 64 };

/* Words of arguments in memory, of functions that other objects see. */
enum { STACK_LIMIT = 240 };

/* Open addressing by function. */
struct visited {
    LLVMValueRef function;
    bool done;      /* false while the function is being visited */
    uint32_t depth; /* of the calls below it */
    uint64_t size;  /* instructions after inlining */
    bool bound;     /* has, after inlining, what only kernels can have */
    bool grouped;   /* does, with what it calls, what shows how work-items are grouped */
    bool links;     /* reads or writes, with what it calls, pointers in global memory */
    bool waits;     /* may wait, with what it calls, for what other work-items do */
};

struct walk {
    struct cc *cc;
    struct visited *table;
    size_t mask;
    struct call_sizes sizes;
    uint64_t limit;
    enum { CHECKS, MEASURES, CHOOSES } does;
};

/* A sum of sizes, which doubling can bring beyond all numbers. */
static uint64_t size_sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static struct visited *lookup(struct walk *g, LLVMValueRef f)
{
    size_t i = ((uintptr_t)f >> 4) * 0x9e3779b1u & g->mask;
    while (g->table[i].function && g->table[i].function != f) i = (i + 1) & g->mask;
    return &g->table[i];
}

/* A function's name as the program has it: the library's are mangled, _Z LENGTH NAME TYPES. */
static const char *plain_name(struct cc *cc, LLVMValueRef f)
{
    const char *name = LLVMGetValueName(f);
    if (strncmp(name, "_Z", 2)) return name;
    char *end;
    unsigned long length = strtoul(name + 2, &end, 10);
    return length && length <= strlen(end) ? cc_printf(cc, "%.*s", (int)length, end) : name;
}

static _Noreturn void refuse_undefined(struct cc *cc, LLVMValueRef call, LLVMValueRef callee)
{
    const char *name = plain_name(cc, callee);
    cc_error(cc, CC_FAILED, call, "undefined function \"%s\"", name);
}

/* ---- what can be a routine ---- */

/* Variables in local memory are laid out for each kernel. */
static bool is_local_variable(LLVMValueRef v)
{
    if (LLVMIsAGlobalVariable(v)) return LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3;
    if (!LLVMIsAConstant(v) || LLVMIsAGlobalValue(v)) return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (is_local_variable(LLVMGetOperand(v, (unsigned)i))) return true;
    return false;
}

/* Inline assembly names registers, which are reserved in the whole kernel. */
static bool is_bound(LLVMValueRef inst)
{
    if (is_inline_asm(inst)) return true;
    for (int i = 0; i < LLVMGetNumOperands(inst); i++)
        if (is_local_variable(LLVMGetOperand(inst, (unsigned)i))) return true;
    return false;
}

/* The words of a function's arguments and of its result. Images and their like, of which code knows nothing but the
 * kernel's argument, have none: false. */
static bool count_words(struct cc *cc, LLVMValueRef f, uint64_t *arguments, uint64_t *result)
{
    struct kernel kernel = {.name = LLVMGetValueName(f), .function = f};
    struct func part = {.cc = cc, .kernel = &kernel};
    LLVMTypeRef type = LLVMGlobalGetValueType(f), returned = LLVMGetReturnType(type);
    if (LLVMIsFunctionVarArg(type) || LLVMGetTypeKind(returned) == LLVMTargetExtTypeKind) return false;
    *result = type_parts(&part, returned);
    *arguments = 0;
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(f, i));
        if (LLVMGetTypeKind(t) == LLVMTargetExtTypeKind) return false;
        *arguments += type_parts(&part, t);
    }
    return true;
}

static bool can_be_passed(struct cc *cc, LLVMValueRef f)
{
    uint64_t arguments, result;
    return count_words(cc, f, &arguments, &result) && arguments + result <= PASSED_LIMIT;
}

/* By the convention of docs/abi.md, of whose words on the stack accesses reach so many. A word can be left out in front
 * of each argument. */
static bool can_be_external(struct cc *cc, LLVMValueRef f)
{
    uint64_t arguments, result;
    return count_words(cc, f, &arguments, &result) && result <= CONVENTION_WORDS &&
           arguments + LLVMCountParams(f) <= CONVENTION_WORDS + STACK_LIMIT;
}

void calls_export(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f && cc->object; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage && !kernel_is(f) &&
            can_be_external(cc, f))
            shape_external(cc, f);
}

/* True for a function that another object has to define: those of the library have been linked by now. */
static bool is_elsewhere(struct cc *cc, LLVMValueRef call, LLVMValueRef callee)
{
    if (!cc->object || !strncmp(LLVMGetValueName(callee), "__ventus", 8)) return false;
    if (!can_be_external(cc, callee))
        cc_error(cc, CC_FAILED, call,
                 "function \"%s\" is not defined, and another object's cannot be called with such arguments",
                 LLVMGetValueName(callee));
    shape_external(cc, callee);
    return true;
}

static bool is_large(LLVMValueRef f, uint64_t size)
{
    uint64_t calls = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) calls++;
    return calls > 1 && size > SMALL && size > COPIES_LIMIT / calls;
}

static bool is_wanted(struct cc *cc, const struct visited *v)
{
    LLVMValueRef f = v->function;
    if (cc->object || v->bound || kernel_is(f) || is_routine(f) || !LLVMGetFirstUse(f)) return false;
    return (is_noinline(f) || is_large(f, v->size)) && can_be_passed(cc, f);
}

static void choose(struct walk *g, struct visited *v)
{
    if (g->does == CHOOSES && is_external(v->function)) structs_copy(g->cc->builder, v->function);
    if (g->does == CHECKS || !is_wanted(g->cc, v)) return;
    g->sizes.routines++;
    if (g->does == MEASURES) return;
    shape_routine(g->cc, v->function);
    structs_copy(g->cc->builder, v->function);
}

/* ---- how work-items are grouped ---- */

/* Functions of the library that are the same for a work-item in any group. */
static bool is_of_range(LLVMValueRef f)
{
    static const char *const names[] = {"_Z13get_global_idj", "_Z15get_global_sizej", "_Z17get_global_offsetj",
                                        "_Z12get_work_dimv", "_Z20get_global_linear_idv"};
    const char *name = LLVMGetValueName(f);
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(names[i], name)) i++;
    return i < sizeof names / sizeof *names;
}

/* The same of what has no body: the machine's functions of one work-item's numbers, and of images. */
static bool is_of_item(LLVMValueRef f)
{
    const char *name = LLVMGetValueName(f);
    return primitive_computes(name) || !strcmp(name, "__ventus_sampler") || !strcmp(name, "__ventus_hidden") ||
           strstr(name, "__ventus_image");
}

static bool is_in_local_memory(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    return (pointer && LLVMGetPointerAddressSpace(type) == 3) || is_local_variable(v);
}

/* Local memory, barriers, ids in the group, whatever lanes do together: all but what is known not to. What the
 * instruction calls has been visited. */
static bool shows_groups(struct walk *g, LLVMValueRef inst)
{
    for (int i = 0; i < LLVMGetNumOperands(inst); i++)
        if (is_in_local_memory(LLVMGetOperand(inst, (unsigned)i))) return true;
    if (!LLVMIsACallInst(inst)) return false;
    LLVMValueRef callee = LLVMGetCalledValue(inst);
    if (!LLVMIsAFunction(callee)) return true; /* assembly */
    if (is_intrinsic(callee) || is_of_range(callee)) return false;
    return LLVMIsDeclaration(callee) ? !is_of_item(callee) : lookup(g, callee)->grouped;
}

/* ---- pointers in memory ---- */

static bool is_pointer_in(LLVMValueRef value, LLVMValueRef place)
{
    enum { GLOBAL = 1 };
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(place)) == GLOBAL;
}

/* What the instruction calls has been visited. */
static bool is_link(struct walk *g, LLVMValueRef inst)
{
    if (LLVMIsACallInst(inst)) return lookup(g, LLVMGetCalledValue(inst))->links;
    if (LLVMIsALoadInst(inst)) return is_pointer_in(inst, LLVMGetOperand(inst, 0));
    return LLVMIsAStoreInst(inst) && is_pointer_in(LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1));
}

/* ---- waiting for others ---- */

/* Does it look at what others write meanwhile? A work-item that waits for one of another group, as for a lock, must not
 * be in a warp with it. What the instruction calls has been visited. */
static bool may_wait(struct walk *g, LLVMValueRef inst)
{
    if (LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst)) return true;
    if (LLVMIsALoadInst(inst)) return LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
    if (!LLVMIsACallInst(inst) || !LLVMIsAFunction(LLVMGetCalledValue(inst))) return false;
    LLVMValueRef callee = LLVMGetCalledValue(inst);
    if (is_intrinsic(callee) || is_of_range(callee)) return false;
    return LLVMIsDeclaration(callee) ? !is_of_item(callee) : lookup(g, callee)->waits;
}

/* ---- the walk ---- */

static struct visited *visit(struct walk *g, LLVMValueRef f, unsigned nesting);

/* The callee, visited; NULL for what stays a call. */
static struct visited *visit_call(struct walk *g, LLVMValueRef call, unsigned nesting)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (LLVMIsAInlineAsm(callee)) return NULL;
    if (!LLVMIsAFunction(callee)) cc_error(g->cc, CC_FAILED, call, "calls through a pointer are not possible");
    if (LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(callee))
        cc_error(g->cc, CC_FAILED, call, "call of \"%s\" with the wrong argument types", LLVMGetValueName(callee));
    if (is_intrinsic(callee) || is_primitive(callee)) return NULL;
    if (LLVMIsDeclaration(callee) && is_elsewhere(g->cc, call, callee)) return NULL;
    if (LLVMIsDeclaration(callee)) refuse_undefined(g->cc, call, callee);
    struct visited *v = lookup(g, callee);
    if (v->done && is_routine(callee)) return NULL;
    if (v->function && !v->done)
        cc_error(g->cc, CC_FAILED, call, "function \"%s\" is recursive, which OpenCL C does not allow",
                 LLVMGetValueName(callee));
    if (!v->function) v = visit(g, callee, nesting + 1);
    return is_routine(callee) ? NULL : v;
}

static void check_limits(struct walk *g, LLVMValueRef at, uint32_t depth, uint64_t size)
{
    if (depth > CALL_DEPTH) cc_error(g->cc, CC_FAILED, at, "function calls are nested more than %d deep", CALL_DEPTH);
    if (size_sum(g->sizes.all, size) > g->limit)
        cc_error(g->cc, CC_FAILED, at, "the program is too large once its function calls are inlined");
}

static struct visited *visit(struct walk *g, LLVMValueRef f, unsigned nesting)
{
    struct visited *v = lookup(g, f);
    v->function = f;
    check_limits(g, f, nesting, 0);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            struct visited *callee = LLVMIsACallInst(i) ? visit_call(g, i, nesting) : NULL;
            v->size = size_sum(v->size, callee ? callee->size : 1);
            v->bound |= callee ? callee->bound : g->does != CHECKS && is_bound(i);
            v->grouped |= shows_groups(g, i);
            v->links |= is_link(g, i);
            v->waits |= may_wait(g, i);
            if (callee && callee->depth >= v->depth) v->depth = callee->depth + 1;
            check_limits(g, i, v->depth, v->size);
        }
    g->sizes.all = size_sum(g->sizes.all, v->size);
    if (v->size > g->sizes.largest) g->sizes.largest = v->size;
    v->done = true;
    if (g->does == CHOOSES && kernel_is(f) && !v->grouped) shape_ungrouped(g->cc, f, v->waits);
    if (g->does == CHOOSES && kernel_is(f) && v->links) shape_links(g->cc, f);
    choose(g, v);
    return v;
}

static struct call_sizes walk_all(struct cc *cc, uint64_t limit, int does)
{
    size_t n = 64;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) n += 2;
    struct walk g = {.cc = cc, .mask = 1, .limit = limit, .does = does};
    while (g.mask < n) g.mask = g.mask * 2 + 1;
    g.table = cc_alloc(cc, (g.mask + 1) * sizeof *g.table);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !lookup(&g, f)->function) visit(&g, f, 0);
    return g.sizes;
}

void calls_check(struct cc *cc, bool sized) { walk_all(cc, sized ? INLINED_LIMIT : UINT64_MAX, CHECKS); }

struct call_sizes calls_measure(struct cc *cc) { return walk_all(cc, UINT64_MAX, MEASURES); }

void calls_choose(struct cc *cc) { walk_all(cc, INLINED_LIMIT, CHOOSES); }
