/* From the module that the front end has left to one that the back end accepts (compiler/README.md, "What the back end
 * accepts"): our passes on LLVM's IR, between LLVM's own. prepare.c has their order. */
#ifndef VENTUS_PASSES_H
#define VENTUS_PASSES_H

#include "compiler/ir/ir.h"

/* ---- prepare.c ---- */
/* Leaves in cc->module only fully inlined kernels in the form the back end accepts (compiler
 * README: "What the back end accepts"), and lists them with kernels_collect. */
void prepare_module(struct cc *cc);
/* Its two halves: checks of all functions as they are written, with the library's that they call, and all that changes
 * them. Between the two a module can be kept as bitcode (draft.c). */
void prepare_functions(struct cc *cc);
void prepare_kernels(struct cc *cc);

/* ---- draftable.c ---- */
/* Is a module, as the front end has left it, of many kernels, and so that none of them can be refused once its calls
 * have been checked? */
bool draft_is_possible(struct cc *cc);
/* Between the halves of prepare.c: is such a program large enough, and not too large? */
bool draft_is_worthwhile(struct cc *cc);

/* ---- lower.c: constructs without a short machine form ---- */
/* Replaces them by calls of library functions; true if it did anything. `late` also takes memory
 * moves, which the main passes would rather see whole, and divisions of 64 bits. */
bool lower_calls(struct cc *cc, bool late);
/* Are there such divisions? Then `late` needs a module without switches. */
bool lower_divides(struct cc *cc);
/* Before inlining: printf calls become print records, formats go to the note (print.c). */
void print_lower(struct cc *cc);

/* ---- structs.c ---- */
/* Directs a kernel's struct parameters to the argument buffer. */
void structs_lower(struct cc *cc, LLVMBuilderRef b, LLVMValueRef kernel);
/* A routine's struct parameters become pointers to what it copies itself. */
void structs_copy(LLVMBuilderRef b, LLVMValueRef routine);
/* The first byte of an argument, in the argument buffer, at the builder's place. */
LLVMValueRef argument_address(struct cc *cc, LLVMBuilderRef b, uint32_t offset);

/* ---- objects.c ---- */
/* Answers the primitives once everything is inlined; image, sampler and pipe parameters are left without uses. */
void objects_lower(struct cc *cc, LLVMBuilderRef b);

/* ---- reservations.c ---- */
/* Before all passes: what clang makes of CLK_NULL_RESERVE_ID becomes what the library makes of a word. */
void reservations_prepare(struct cc *cc, LLVMBuilderRef b);
/* Once everything is inlined: values of the type reserve_id_t become words. */
void reservations_lower(struct cc *cc, LLVMBuilderRef b);

/* ---- latches.c ---- */
/* Before all passes: the back edges of a loop become one. */
void latches_unite(struct cc *cc);

/* ---- spins.c ---- */
/* Behind latches_unite: loops in which work-items wait for each other keep what they do before they leave. */
void spins_keep(struct cc *cc);
/* Behind LLVM's passes on control flow: they may see what spins_keep has hidden from them. */
void spins_show(struct cc *cc);

/* ---- switches.c ---- */
/* Before LLVM's pass that lowers switches: those of few cases become comparisons one after the other. */
void switches_lower(struct cc *cc);

/* ---- retry.c ---- */
/* Behind all passes: loops around an exchange that go on until it has taken place become loops of lr.w and sc.w. */
void retry_lower(struct cc *cc);

void shape_ungrouped(struct cc *cc, LLVMValueRef kernel, bool waits);
void shape_links(struct cc *cc, LLVMValueRef kernel);
/* Makes a function a routine. */
void shape_routine(struct cc *cc, LLVMValueRef function);
/* Marks the kernels, for good: the calling convention that tells them goes. So does what is_noinline asks for. Second
 * names of functions give way to the first ones. */
void shape_kernels(struct cc *cc);
/* From now on LLVM's passes leave a function as it is, or no longer. */
void shape_leave(struct cc *cc, LLVMValueRef function, bool as_it_is);
void shape_function(struct cc *cc, LLVMValueRef function);
void shape_module(struct cc *cc);
void shape_ends(struct cc *cc); /* empty blocks one behind the other are no more */
void shape_external(struct cc *cc, LLVMValueRef function);
/* Makes those functions of an object external that can be. */
void calls_export(struct cc *cc);

/* ---- calls.c ---- */
/* Ends with CC_FAILED if there are calls that cannot be compiled: of unknown or recursive functions, with `sized`, too,
 * if the functions together get too large once all but routines is inlined. */
void calls_check(struct cc *cc, bool sized);
/* The same, and chooses what becomes a routine. */
void calls_choose(struct cc *cc);
/* What that would come to. */
struct call_sizes {
    uint64_t all, largest; /* instructions of all functions, and of the largest, with those that are inlined */
    uint32_t routines;     /* chosen */
};
struct call_sizes calls_measure(struct cc *cc);

/* ---- generic.c ---- */
/* Are there generic pointers? */
bool generic_is_used(struct cc *cc);
/* Accesses through generic pointers become plain ones, or calls of functions to be inlined; not copies and
 * fills that may be of private memory or not. There is no `switch` in the program. True if there was one. */
bool generic_lower(struct cc *cc);

/* ---- metadata.c ---- */
/* Replaces the calls of __ventus_meta. */
void metadata_lower(struct cc *cc, LLVMBuilderRef b);
/* Nothing writes what it reads while the kernel runs. */
void load_is_invariant(struct cc *cc, LLVMValueRef load);
/* Reads the word at a byte offset of the metadata block, at the builder's place. */
LLVMValueRef metadata_word(struct cc *cc, LLVMBuilderRef b, LLVMValueRef offset);

/* ---- strength.c ---- */
/* Turns addresses that grow in loops of a kernel into pointers that are advanced, and marks loops to be unrolled. True
 * if there are loops. */
bool strength_run(struct cc *cc, LLVMValueRef kernel);

/* ---- steps.c ---- */
/* Behind LLVM's passes: what stands behind a loop computes a variable's last value but one from the last. */
void steps_take_back(struct cc *cc);

/* ---- flatten.c ---- */
/* Short ways of divergent branches become straight-line code, when loops and returns have the back end's form, which is
 * to be made anew then. True if there were any. */
bool flatten_run(struct cc *cc);

/* ---- meet.c ---- */
/* Lanes that a divergent branch has sent different ways meet earlier; loops have LLVM's forms simple and lcssa, and are
 * to be given them anew behind it. True if anything has changed. */
bool meet_run(struct cc *cc);

/* ---- frozen.c: what a freeze reads is 0 where it is undefined ---- */
void frozen_define(struct cc *cc);

/* ---- packed.c: vectors of bytes, shorts and halves, in front of the scalarizer, become words ---- */
void packed_lower(struct cc *cc);

/* ---- expand.c: the same in straight-line code, after all passes ---- */
void expand_module(struct cc *cc);

/* ---- halves.c: operations on halves, after all passes ---- */
void halves_lower(struct cc *cc);

/* ---- kernels.c ---- */
void kernels_collect(struct cc *cc);
/* What the program says about itself, in the memory of the compilation. */
struct note program_note(struct cc *cc);
/* The same as text. */
char *program_note_text(struct cc *cc, const struct note *note);
/* The three values of a function's `reqd_work_group_size` or the like, zero if it has none. */
void kernel_sizes(LLVMValueRef function, const char *name, uint32_t out[3]);
/* Byte offsets of the arguments in the argument buffer, one per parameter; returns the total. */
uint32_t kernel_layout(struct cc *cc, LLVMValueRef function, uint32_t *offsets);

/* ---- rows.c ---- */
/* Has a kernel that nothing shows how its work-items are grouped no loops, and do work-items that are neighbours along
 * the first dimension access neighbours in memory? */
bool rows_are_best(struct cc *cc, LLVMValueRef kernel);

/* ---- uniform.c ---- */
/* Finds what routines get in scalar registers. */
void uniform_run(struct cc *cc);

#endif
