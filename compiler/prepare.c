/* From clang's module to what the back end accepts (README: "What the back end accepts").
 *
 * Links the built-ins, turns constructs without a machine form into library calls, inlines
 * everything, runs an explicit list of LLVM passes - never a default pipeline, whose passes assume
 * that branches are uniform. Invariant: all functions and calls have convention 0 before the first
 * pass; LLVM treats a mismatch as undefined behaviour and deletes the kernel. Called by main.c. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "compiler/debug.h"
#include "compiler/prepare.h"

/* Inlining everything can explode: a chain of functions that each call the next twice doubles at
 * every step. All functions together may reach so many instructions, counted when they have been simplified (before
 * that they are two to ten times as many), and calls so deep. */
enum { INLINED_LIMIT = 3000000, CALL_DEPTH = 200 };

/* LLVM's rotation and unrolling of loops, and its work on their indices, follow the values of each loop through all
 * that come behind it. A function with so many loops, times instructions, does without: beyond this it would be many
 * seconds.
 */
enum { LOOP_WORK_LIMIT = 8000000 };

/* Every name is there on purpose; see the compiler notes in README before adding one. Left out:
 * vectorisers, jump threading, unswitching (they multiply divergent branches), globalopt (it would
 * fold store-once __local variables), loop idioms (they call memset). */
static const char print_list[] = "function(sroa<modify-cfg>)"; /* shows which literals a %s can be */
/* Simplified before they are inlined, large functions are copied at a fraction of the cost. */
static const char simplify_list[] = "function(sroa<modify-cfg>,early-cse,simplifycfg<no-switch-to-lookup>,"
                                    "instcombine<no-verify-fixpoint>)";
static const char inline_list[] = "always-inline,globaldce";
/* The main passes, with what works on loops (three places) and without. */
#define MAIN_LIST(first, second, third) \
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg<no-switch-to-lookup>," \
    "instcombine<no-verify-fixpoint>,reassociate," first "simplifycfg<no-switch-to-lookup>," \
    "instcombine<no-verify-fixpoint>," second "sroa<modify-cfg>,gvn,sccp,bdce," \
    "instcombine<no-verify-fixpoint>,dse," third "adce," \
    "simplifycfg<no-switch-to-lookup;sink-common-insts;hoist-common-insts>," \
    "instcombine<no-verify-fixpoint>),globaldce"
static const char main_list[] = MAIN_LIST("loop-mssa(loop-rotate<header-duplication>,licm),",
                                          "loop(indvars,loop-deletion,loop-unroll-full),", "loop-mssa(licm),");
static const char main_list_in_time[] = MAIN_LIST("", "", "loop-mssa(licm),");
static const char late_list[] =
    "always-inline,globaldce,function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg<no-switch-to-lookup>)";
static const char lowering_list[] =
    "function(scalarizer,early-cse,instcombine<no-verify-fixpoint>,lower-switch,mergereturn,dce,"
    "fix-irreducible,loop-simplify,lcssa)";
/* Behind strength.c. instcombine puts the constant steps of unrolled rounds together. */
static const char unroll_list[] = "function(dce,loop-mssa(licm),loop-unroll<O2>,"
                                  "instcombine<no-verify-fixpoint>,sroa<modify-cfg>,"
                                  "early-cse<memssa>,instcombine<no-verify-fixpoint>,dce,loop-simplify,lcssa)";
static const char final_list[] = "function(early-cse,dce),globaldce";

static void run(struct cc *cc, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(cc->module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) return;
    char *text = LLVMGetErrorMessage(error);
    const char *copy = cc_printf(cc, "%s", text);
    LLVMDisposeErrorMessage(text);
    cc_error(cc, CC_INTERNAL, NULL, "LLVM passes: %s", copy);
}

/* ---- the call graph: what cannot be inlined is refused ---- */

/* Open addressing by function. */
struct visited {
    LLVMValueRef function;
    bool done;      /* false while the function is being visited */
    uint32_t depth; /* of the calls below it */
    uint64_t size;  /* instructions after inlining */
};

struct graph {
    struct cc *cc;
    struct visited *table;
    size_t mask;
    uint64_t total, limit;
};

/* A sum of sizes, which doubling can bring beyond all numbers. */
static uint64_t size_sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static struct visited *lookup(struct graph *g, LLVMValueRef f)
{
    size_t i = ((uintptr_t)f >> 4) * 0x9e3779b1u & g->mask;
    while (g->table[i].function && g->table[i].function != f) i = (i + 1) & g->mask;
    return &g->table[i];
}

static struct visited *visit(struct graph *g, LLVMValueRef f, unsigned nesting);

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

/* The callee, visited; NULL for what stays a call. */
static struct visited *visit_call(struct graph *g, LLVMValueRef call, unsigned nesting)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (LLVMIsAInlineAsm(callee)) return NULL;
    if (!LLVMIsAFunction(callee)) cc_error(g->cc, CC_FAILED, call, "calls through a pointer are not possible");
    if (LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(callee))
        cc_error(g->cc, CC_FAILED, call, "call of \"%s\" with the wrong argument types", LLVMGetValueName(callee));
    if (is_intrinsic(callee) || is_primitive(callee)) return NULL;
    if (LLVMIsDeclaration(callee)) refuse_undefined(g->cc, call, callee);
    struct visited *v = lookup(g, callee);
    if (v->done && is_routine(callee)) return NULL;
    if (v->function && !v->done)
        cc_error(g->cc, CC_FAILED, call, "function \"%s\" is recursive, which OpenCL C does not allow",
                 LLVMGetValueName(callee));
    if (!v->function) v = visit(g, callee, nesting + 1);
    return is_routine(callee) ? NULL : v;
}

static void check_limits(struct graph *g, LLVMValueRef at, uint32_t depth, uint64_t size)
{
    if (depth > CALL_DEPTH) cc_error(g->cc, CC_FAILED, at, "function calls are nested more than %d deep", CALL_DEPTH);
    if (size_sum(g->total, size) > g->limit)
        cc_error(g->cc, CC_FAILED, at, "the program is too large once its function calls are inlined");
}

static struct visited *visit(struct graph *g, LLVMValueRef f, unsigned nesting)
{
    struct visited *v = lookup(g, f);
    v->function = f;
    check_limits(g, f, nesting, 0);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            struct visited *callee = LLVMIsACallInst(i) ? visit_call(g, i, nesting) : NULL;
            v->size = size_sum(v->size, callee ? callee->size : 1);
            if (callee && callee->depth >= v->depth) v->depth = callee->depth + 1;
            check_limits(g, i, v->depth, v->size);
        }
    g->total = size_sum(g->total, v->size);
    v->done = true;
    return v;
}

/* The functions together may have `limit` instructions once all is inlined. */
static void check_calls(struct cc *cc, uint64_t limit)
{
    size_t n = 64;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) n += 2;
    struct graph g = {.cc = cc, .mask = 1, .limit = limit};
    while (g.mask < n) g.mask = g.mask * 2 + 1;
    g.table = cc_alloc(cc, (g.mask + 1) * sizeof *g.table);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !lookup(&g, f)->function) visit(&g, f, 0);
}

/* ---- how long loop passes would take ---- */

static int by_address(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return x < y ? -1 : x > y;
}

static size_t instructions_in(LLVMBasicBlockRef block)
{
    size_t n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) n++;
    return n;
}

/* Loops times instructions of a function. A branch back to a block that stands before it counts as a loop. */
static uint64_t loop_work(struct cc *cc, LLVMValueRef f)
{
    unsigned n = LLVMCountBasicBlocks(f);
    LLVMBasicBlockRef *blocks = cc_alloc(cc, (n + 1) * sizeof *blocks);
    uint8_t *seen = cc_alloc(cc, n + 1);
    uint64_t loops = 0, instructions = 0;
    LLVMGetBasicBlocks(f, blocks);
    qsort(blocks, n, sizeof *blocks, by_address);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMBasicBlockRef *at = bsearch(&b, blocks, n, sizeof *blocks, by_address);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        seen[at - blocks] = 1;
        instructions += instructions_in(b);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, s);
            at = bsearch(&to, blocks, n, sizeof *blocks, by_address);
            loops += seen[at - blocks];
        }
    }
    return loops * instructions;
}

static bool loops_take_long(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && loop_work(cc, f) > LOOP_WORK_LIMIT) return true;
    return false;
}

/* ---- the pipeline ---- */

static void lower_arguments(struct cc *cc)
{
    LLVMBuilderRef b = cc->builder;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) structs_lower(cc, b, f);
    objects_lower(cc, b);
    reservations_lower(cc, b);
    metadata_lower(cc, b);
}

/* Lowering can ask for library functions, which may need lowering themselves. No pass may see calls before they are
 * checked. */
static void resolve(struct cc *cc, bool late, uint64_t limit)
{
    do link_library(cc);
    while (lower_calls(cc, late));
    shape_module(cc);
    check_calls(cc, limit);
}

/* What the main passes have left of the constructs without a machine form: true if that needs another round. */
static bool lower_late(struct cc *cc)
{
    bool changed = false;
    if (generic_is_used(cc)) {
        run(cc, "function(lower-switch)");
        changed = generic_lower(cc);
    }
    return lower_calls(cc, true) || changed;
}

static void verify(struct cc *cc, const char *when)
{
    char *why = NULL;
    bool bad = LLVMVerifyModule(cc->module, LLVMReturnStatusAction, &why);
    const char *copy = cc_printf(cc, "%s", why ? why : "");
    LLVMDisposeMessage(why);
    if (bad) cc_error(cc, CC_INTERNAL, NULL, "broken module %s: %s", when, copy);
}

static void dump(struct cc *cc)
{
    if (!cc_dumps(cc, "ir")) return;
    char *text = LLVMPrintModuleToString(cc->module);
    fputs(text, stderr);
    LLVMDisposeMessage(text);
}

/* Assembly inside functions is the back end's to refuse; it never sees what stands outside. */
static void refuse_assembly(struct cc *cc)
{
    size_t size;
    LLVMGetModuleInlineAsm(cc->module, &size);
    if (size) cc_error(cc, CC_FAILED, NULL, "inline assembly outside functions is not possible");
}

/* Of C++: what would have to run before the first kernel. */
static void refuse_constructors(struct cc *cc)
{
    if (LLVMGetNamedGlobal(cc->module, "llvm.global_ctors"))
        cc_error(cc, CC_FAILED, NULL, "program-scope variables with constructors that run are not possible");
}

/* True if some kernel has a loop. */
static bool reduce_loops(struct cc *cc)
{
    bool found = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && kernel_is(f)) found |= strength_run(cc, f);
    return found;
}

void prepare_module(struct cc *cc)
{
    refuse_assembly(cc);
    refuse_constructors(cc);
    LLVMSetDataLayout(cc->module, SPIR_LAYOUT);
    if (cc->debug) debug_prepare(cc);
    shape_kernels(cc);
    reservations_prepare(cc, cc->builder);
    run(cc, "globaldce");
    if (LLVMGetNamedFunction(cc->module, "printf")) {
        run(cc, print_list);
        print_lower(cc);
    }
    lower_calls(cc, false);
    resolve(cc, false, UINT64_MAX);
    run(cc, simplify_list);
    check_calls(cc, INLINED_LIMIT);
    run(cc, inline_list);
    lower_arguments(cc);
    verify(cc, "after inlining");
    run(cc, loops_take_long(cc) ? main_list_in_time : main_list);
    while (lower_late(cc)) {
        resolve(cc, true, INLINED_LIMIT);
        run(cc, late_list);
        lower_arguments(cc);
    }
    run(cc, lowering_list);
    if (reduce_loops(cc) && !loops_take_long(cc)) run(cc, unroll_list);
    expand_module(cc);
    halves_lower(cc);
    run(cc, final_list);
    verify(cc, "before the back end");
    if (cc->debug) debug_collect(cc);
    dump(cc);
    kernels_collect(cc);
}
