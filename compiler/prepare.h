/* Private to the front half of the compiler (main.c ... kernels.c). What the back half may use is
 * in cc.h. */
#ifndef VENTUS_PREPARE_H
#define VENTUS_PREPARE_H

#include "compiler/cc.h"

/* ---- cc.c ---- */
void cc_log_text(struct cc *cc, const char *text, size_t size);
/* Source line of an instruction or a function, 0 if unknown. */
unsigned cc_line(LLVMValueRef at);
void cc_free(struct cc *cc);

/* ---- confine.c ---- */
/* How much processor time a compilation may take. */
unsigned confine_seconds(void);
/* From now on this process, and what it executes, has limits of time and memory, and ends with its parent. */
void confine_resources(void);
/* From now on it can open no file to write, make or remove none, and use no TCP, if the kernel can see to that; and, if
 * `readable` is not NULL, read no files but these and those below these folders. The list ends with NULL. */
void confine_files(const char *const readable[]);

/* ---- files.c ---- */
#define LIBRARY "ventus-builtins.bc" /* the others are beside it */
enum library { LIBRARY_BASE, LIBRARY_FAMILIES, LIBRARY_DOUBLE, LIBRARY_HALF, LIBRARIES };
const char *library_name(enum library which);
/* NULL if there is none. */
const char *library_file(struct cc *cc, enum library which);

/* ---- frontend.c ---- */
/* How types lie in memory. */
#define SPIR_LAYOUT \
    "e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n32-S32-G1"

/* ---- module.c ---- */
/* Makes cc->context when there is none yet. */
void context_make(struct cc *cc);
/* Bitcode as a module of cc->context, made if need be; NULL if LLVM cannot read it. */
LLVMModuleRef module_read(struct cc *cc, const void *bytes, size_t size);
/* The same, but functions are read when LLVM's linker asks for them: `bytes` are to stay until then. */
LLVMModuleRef module_open(struct cc *cc, const void *bytes, size_t size);

/* ---- asm_source.c ---- */
/* The source with inline assembly as clang takes it; `source` itself where it has none. */
const char *asm_source(struct cc *cc, const char *source, size_t size);

/* ---- spirv.c ---- */
/* Are these bytes a module of SPIR-V? */
bool spirv_is(const void *bytes, size_t size);
/* Reads one, in the place of the front end. Ends with CC_FAILED when it is not valid or not for this device. */
LLVMModuleRef spirv_run(struct cc *cc, const char *bytes, size_t size);

/* ---- object.c: separate compilation ---- */
/* cc->module as an object (malloc'ed). */
void object_save(struct cc *cc, void **bytes, size_t *size);
/* Adds an object to cc->module, or makes it that; `name` is for messages. Ends with CC_FAILED. */
void object_link(struct cc *cc, const void *bytes, size_t size, const char *name);

/* ---- draft.c: programs whose kernels are compiled one by one ---- */
/* Is a module, as the front end has left it, of many kernels, and so that none of them can be refused once its calls
 * have been checked? */
bool draft_is_possible(struct cc *cc);
/* Between the halves of prepare.c: is such a program large enough, and not too large? */
bool draft_is_worthwhile(struct cc *cc);
/* Makes a draft of cc->module (malloc'ed). */
void draft_save(struct cc *cc, void **bytes, size_t *size);
/* False if this is no draft. Else cc->module is what the first half of prepare.c has left of the program, with `kernel`
 * as its only kernel; NULL: with all. Ends with CC_FAILED if there is no such kernel; `name` is for messages. */
bool draft_open(struct cc *cc, const void *bytes, size_t size, const char *name, const char *kernel);

/* ---- link.c: the built-in library ---- */
/* Adds to cc->module the library functions it calls, and theirs. Ends with CC_ENVIRONMENT when there is no
 * library. Names the library does not have stay undefined. */
void link_library(struct cc *cc);
/* Opens the library for the first link_library, if it can; what is wrong with it is said there. */
void library_open_early(struct cc *cc);

/* ---- lower.c: constructs without a short machine form ---- */
/* Replaces them by calls of library functions; true if it did anything. `late` also takes memory
 * moves, which the main passes would rather see whole. */
bool lower_calls(struct cc *cc, bool late);
/* Is it a call of LLVM's intrinsic of that name, for any types? */
bool intrinsic_is(LLVMValueRef call, const char *name);
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

/* ---- retry.c ---- */
/* Behind all passes: loops around an exchange that go on until it has taken place become loops of lr.w and sc.w. */
void retry_lower(struct cc *cc);

/* ---- shape.c ---- */
bool is_intrinsic(LLVMValueRef function);
/* One of the functions that the back end turns into instructions (docs/architecture.md), or __ventus_meta. */
bool is_primitive(LLVMValueRef function);
/* One of those that objects.c replaces: what an image or a sampler is like, where a pipe is. */
bool is_object_primitive(LLVMValueRef function);
/* The calling convention of LLVM that kernels come with. */
enum { SPIR_KERNEL = 76 };
#define KERNEL_MARK "ventus-kernel" /* the attribute by which they are known when that is gone */
/* A kernel; a function that stays one, and is called (README.md, "Routines"); one that the program wants to be that. */
bool kernel_is(LLVMValueRef function);
bool is_routine(LLVMValueRef function);
/* Of objects: a function with the convention of docs/abi.md, which other objects see, or define if it has no body. */
bool is_external(LLVMValueRef function);
void shape_external(struct cc *cc, LLVMValueRef function);
/* Makes those functions of an object external that can be. */
void calls_export(struct cc *cc);
bool is_noinline(LLVMValueRef function);
bool is_ungrouped(LLVMValueRef kernel); /* shape_ungrouped has been called for it */
void shape_ungrouped(struct cc *cc, LLVMValueRef kernel);
bool has_links(LLVMValueRef kernel); /* shape_links has been called for it */
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

/* ---- flatten.c ---- */
/* Short ways of divergent branches become straight-line code, when loops and returns have the back end's form, which is
 * to be made anew then. True if there were any. */
bool flatten_run(struct cc *cc);

/* ---- expand.c: the same in straight-line code, after all passes ---- */
void expand_module(struct cc *cc);

/* ---- halves.c: operations on halves, after all passes ---- */
void halves_lower(struct cc *cc);

/* ---- kernels.c ---- */
/* Of a parameter. */
bool is_image_type(LLVMTypeRef type);
bool is_sampler_type(LLVMTypeRef type);
bool is_pipe_type(LLVMTypeRef type);
/* Of any value: reserve_id_t. */
bool is_reservation_type(LLVMTypeRef type);
/* The three values of a function's `reqd_work_group_size` or the like, zero if it has none. */
void kernel_sizes(LLVMValueRef function, const char *name, uint32_t out[3]);
/* Byte offsets of the arguments in the argument buffer, one per parameter; returns the total. */
uint32_t kernel_layout(struct cc *cc, LLVMValueRef function, uint32_t *offsets);

#endif
