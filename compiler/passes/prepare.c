/* From clang's module to what the back end accepts (README: "What the back end accepts").
 *
 * Links the built-ins, turns constructs without a machine form into library calls, inlines
 * what is no routine (calls.c), runs an explicit list of LLVM passes - never a default pipeline, whose passes assume
 * that branches are uniform. Invariant: all functions and calls have convention 0 before the first
 * pass; LLVM treats a mismatch as undefined behaviour and deletes the kernel. Called by main.c. */
#include <stdlib.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "compiler/debug/debug.h"
#include "compiler/passes/passes.h"

/* LLVM's rotation and unrolling of loops, and its work on their indices, follow the values of each loop through all
 * that come behind it. A function with so many loops, times instructions, does without: beyond this it would be many
 * seconds.
 */
enum { LOOP_WORK_LIMIT = 8000000 };

/* How deep short branches may stand in each other to be made one piece; a guess. */
enum { FLATTEN_ROUNDS = 3 };

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
static const char lowering_list[] = "function(scalarizer,early-cse,instcombine<no-verify-fixpoint>)";
/* Behind flatten.c. */
static const char flattened_list[] =
    "function(simplifycfg<no-switch-to-lookup>,instcombine<no-verify-fixpoint>,early-cse)";
/* Behind either, and switches.c. Branches of constant conditions go first: the back end's graph of blocks does without
 * the way that no lane takes, and passes that go by it must know all ways into a block. */
static const char form_list[] = "function(sccp,lower-switch,mergereturn,dce,fix-irreducible,loop-simplify,lcssa)";
/* Behind strength.c. instcombine puts the constant steps of unrolled rounds together. */
static const char unroll_list[] = "function(dce,loop-mssa(licm),loop-unroll<O2>,"
                                  "instcombine<no-verify-fixpoint>,sroa<modify-cfg>,"
                                  "early-cse<memssa>,instcombine<no-verify-fixpoint>,dce,loop-simplify,lcssa)";
/* Behind meet.c. */
static const char meet_list[] = "function(dce,loop-simplify,lcssa)";
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

/* ---- how long loop passes would take ---- */

static size_t instructions_in(LLVMBasicBlockRef block)
{
    size_t n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) n++;
    return n;
}

/* Loops times instructions of a function. A branch back to a block that stands before it counts as a loop. */
static uint64_t loop_work(struct cc *cc, LLVMValueRef f)
{
    const struct block_numbers blocks = blocks_number(cc, f);
    uint8_t *seen = cc_alloc(cc, blocks.count + 1);
    uint64_t loops = 0, instructions = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        seen[*block_number(&blocks, b)] = 1;
        instructions += instructions_in(b);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
            loops += seen[*block_number(&blocks, LLVMGetSuccessor(end, s))];
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
static void resolve(struct cc *cc, bool late)
{
    do link_library(cc);
    while (lower_calls(cc, late));
    shape_module(cc);
    calls_check(cc, late);
}

/* What the main passes have left of the constructs without a machine form: true if that needs another round. */
static bool lower_late(struct cc *cc)
{
    const bool generic = generic_is_used(cc);
    if (generic || lower_divides(cc)) { /* for the analysis of divergence */
        switches_lower(cc);
        run(cc, "function(lower-switch,div-rem-pairs)");
    }
    cc->has_generic |= generic;
    const bool changed = generic && generic_lower(cc);
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

/* Functions without loops are left as they are, so that what a kernel becomes does not depend on its neighbours. True
 * if some function has a loop. */
static bool reduce_loops(struct cc *cc)
{
    bool found = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        bool loops = !is_pure_routine(f) && strength_run(cc, f);
        if (!loops) shape_leave(cc, f, true);
        found |= loops;
    }
    return found;
}

static void work_on_loops(struct cc *cc)
{
    if (reduce_loops(cc) && !loops_take_long(cc)) run(cc, unroll_list);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) shape_leave(cc, f, false);
}

void prepare_functions(struct cc *cc)
{
    refuse_assembly(cc);
    refuse_constructors(cc);
    LLVMSetDataLayout(cc->module, SPIR_LAYOUT);
    if (cc->debug) debug_prepare(cc);
    calls_export(cc);
    shape_kernels(cc);
    reservations_prepare(cc, cc->builder);
    run(cc, "globaldce");
    latches_unite(cc);
    spins_keep(cc);
    cc->for_draft = draft_is_possible(cc);
    if (LLVMGetNamedFunction(cc->module, "printf")) {
        run(cc, print_list);
        print_lower(cc);
    }
    lower_calls(cc, false);
    resolve(cc, false);
    cc->for_draft = cc->for_draft && draft_is_worthwhile(cc);
}

/* Simplifies control flow, and leaves it in the form that the back end accepts. */
static void run_and_form(struct cc *cc, const char *passes)
{
    run(cc, passes);
    switches_lower(cc);
    run(cc, form_list);
}

void prepare_kernels(struct cc *cc)
{
    run(cc, "globaldce");
    shape_ends(cc);
    run(cc, simplify_list);
    calls_choose(cc);
    run(cc, inline_list);
    lower_arguments(cc);
    verify(cc, "after inlining");
    run(cc, loops_take_long(cc) ? main_list_in_time : main_list);
    while (lower_late(cc)) {
        resolve(cc, true);
        run(cc, late_list);
        lower_arguments(cc);
    }
    packed_lower(cc);
    run_and_form(cc, lowering_list);
    for (int round = 0; round < FLATTEN_ROUNDS && flatten_run(cc); round++) run_and_form(cc, flattened_list);
    if (meet_run(cc)) run(cc, meet_list);
    work_on_loops(cc);
    expand_module(cc);
    halves_lower(cc);
    spins_show(cc);
    run(cc, final_list);
    steps_take_back(cc);
    frozen_define(cc);
    retry_lower(cc);
    verify(cc, "before the back end");
    if (cc->debug) debug_collect(cc);
    dump(cc);
    kernels_collect(cc);
}

void prepare_module(struct cc *cc)
{
    prepare_functions(cc);
    prepare_kernels(cc);
}
