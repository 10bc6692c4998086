/* Modules of LLVM: where they come from, and what is in them. */
#ifndef VENTUS_IR_H
#define VENTUS_IR_H

#include "compiler/core/cc.h"
#include "isa/quirk.h"

/* How types lie in memory. */
#define SPIR_LAYOUT \
    "e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n32-S32-G1"

/* ---- files.c ---- */
#define LIBRARY "ventus-builtins.bc" /* the others are beside it */
enum library { LIBRARY_BASE, LIBRARY_FAMILIES, LIBRARY_DOUBLE, LIBRARY_HALF, LIBRARIES };
const char *library_name(enum library which);
/* NULL if there is none. */
const char *library_file(struct cc *cc, enum library which);

/* ---- module.c ---- */
/* Makes cc->context when there is none yet. */
void context_make(struct cc *cc);
/* Bitcode as a module of cc->context, made if need be; NULL if LLVM cannot read it. */
LLVMModuleRef module_read(struct cc *cc, const void *bytes, size_t size);
/* The same, but functions are read when LLVM's linker asks for them: `bytes` are to stay until then. */
LLVMModuleRef module_open(struct cc *cc, const void *bytes, size_t size);

/* ---- link.c: the built-in library ---- */
/* Adds to cc->module the library functions it calls, and theirs. Ends with CC_ENVIRONMENT when there is no
 * library. Names the library does not have stay undefined. */
void link_library(struct cc *cc);
/* Opens the library for the first link_library, if it can; what is wrong with it is said there. */
void library_open_early(struct cc *cc);

/* ---- blocks.c ---- */
/* The blocks of a function, found by their address; each has a number, from 0 on in the function's order. */
struct block_numbers {
    struct block_number {
        LLVMBasicBlockRef block;
        uint32_t number;
    } * list;
    uint32_t count;
};
struct block_numbers blocks_number(struct cc *cc, LLVMValueRef function);
/* The number of a block that the function had then, which the caller may change. */
uint32_t *block_number(const struct block_numbers *blocks, LLVMBasicBlockRef block);
/* What a program says of a loop, such as how often to unroll it, stands at one of its back edges: moves it from one
 * branch to another, if it stands there. */
void loop_hints_move(struct cc *cc, LLVMValueRef from, LLVMValueRef to);
/* The value that a phi has from a block; NULL: none, the block does not lead to it. */
LLVMValueRef phi_value(LLVMValueRef phi, LLVMBasicBlockRef from);
/* A new phi in front of another one, where the builder is left, with its values but those from `n` blocks. */
LLVMValueRef phi_without(LLVMBuilderRef b, LLVMValueRef phi, const LLVMBasicBlockRef *blocks, unsigned n);

/* ---- avoid.c: known faults of hardware that code must not meet ---- */

/* Adds faults by name (isa/quirk.def); ends the compilation if there is none, or nothing can be done about it. */
void avoid_add(struct cc *cc, const char *names);
/* The program says so itself, so that it holds when objects and drafts of it are linked. */
void avoid_note(struct cc *cc);
/* Adds what the program says. */
void avoid_read(struct cc *cc);
/* Is it to avoid this one? */
bool avoids(const struct cc *cc, enum quirk quirk);

/* ---- lacks.c: what the device that the program is for cannot do ---- */
/* Words of features.def, with commas between them. False: there is no such word. */
bool lacks_parse(const char *text, unsigned *lacks);
/* Does an extension, a feature of the language or a capability of SPIR-V go with what is lacking? */
bool lacks_name(const struct cc *cc, const char *name);
/* Are those atomic instructions? */
bool lacks_atomics(const struct cc *cc);
/* Ends with CC_FAILED where cc->module has what is lacking. Before the built-in library is linked. */
void lacks_check(struct cc *cc);
/* Behind messages of clang, which does not know of devices. */
void lacks_note(struct cc *cc);

/* ---- facts.c: what a function, a call or a type is ---- */

bool is_intrinsic(LLVMValueRef function);
/* One of the functions that the back end turns into instructions (docs/architecture.md), or __ventus_meta. */
bool is_primitive(LLVMValueRef function);
/* One of those that objects.c replaces: what an image or a sampler is like, where a pipe is. */
bool is_object_primitive(LLVMValueRef function);
/* Lane number, CSR and metadata reads and special functions have no effect and may be merged and moved. */
bool is_pure_primitive(LLVMValueRef function);
/* The calling convention of LLVM that kernels come with. */
enum { SPIR_KERNEL = 76 };
#define KERNEL_MARK "ventus-kernel" /* the attribute by which they are known when that is gone */
/* A kernel; a function that stays one, and is called (passes/routines.md); one that the program wants to be
 * that. */
bool kernel_is(LLVMValueRef function);
bool is_routine(LLVMValueRef function);
/* Of objects: a function with the convention of docs/abi.md, which other objects see, or define if it has no body. */
bool is_external(LLVMValueRef function);
bool is_noinline(LLVMValueRef function);
/* 0: shape_ungrouped has not been called for it; 1: it has; 2: it has, and the kernel waits for nobody. */
unsigned is_ungrouped(LLVMValueRef kernel);
bool has_links(LLVMValueRef kernel); /* shape_links has been called for it */
/* Is it the library's, and does nothing but compute a result from its arguments? */
bool is_pure_routine(LLVMValueRef function);
/* Is it a call of LLVM's intrinsic of that name, for any types? */
bool intrinsic_is(LLVMValueRef call, const char *name);
/* Is a load lr.w, or a cmpxchg sc.w, of a loop that ends when sc.w has stored? The first value of such a cmpxchg is
 * then 0. */
bool retry_is(LLVMValueRef inst);
void retry_mark(struct cc *cc, LLVMValueRef inst);
/* Of a parameter. */
bool is_image_type(LLVMTypeRef type);
bool is_sampler_type(LLVMTypeRef type);
bool is_pipe_type(LLVMTypeRef type);
/* Of any value: reserve_id_t. */
bool is_reservation_type(LLVMTypeRef type);

/* ---- routines.c ---- */
/* Lists the routines in cc->routines. */
void routines_collect(struct cc *cc);
/* The routine that a function is; NULL: it is none. */
struct kernel *routine_find(const struct cc *cc, LLVMValueRef function);

#endif
