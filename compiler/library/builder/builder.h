/* The program that makes the libraries of built-in functions from libclc's bitcode and our own (main.c). It runs when
 * the project is built and is not installed.
 *
 * Modules are of the global context and live until the program ends. Every function here ends the program, with a line
 * on standard error, when something is not as it must be: a library that is wrong must not come to be. */
#ifndef VENTUS_LIBRARY_BUILDER_H
#define VENTUS_LIBRARY_BUILDER_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* Address spaces of pointers: ours, which are OpenCL's numbers in SPIR, and libclc's for constant memory. */
enum { SPACE_GLOBAL = 1, SPACE_CONSTANT = 2, SPACE_GENERIC = 4, SPACE_CLC_CONSTANT = 4 };

/* Prints "ventus-library: MESSAGE" and ends the program with exit code 1. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ---- module.c: what LLVM's interface for C lacks ---- */

LLVMModuleRef module_read(const char *path);
void module_write(LLVMModuleRef module, const char *path);

/* Gives a module the triple and the data layout of programs. */
void module_retarget(LLVMModuleRef module);

/* Moves all of `from` into `to`; a function that both define is taken from `from`. `from` is gone. */
void module_override(LLVMModuleRef to, LLVMModuleRef from);

/* Gives a function the calling convention and the attributes of another one of as many parameters. */
void function_adopt(LLVMValueRef function, LLVMValueRef model);

/* Leaves of a function its declaration, or nothing if nobody uses it. */
void function_undefine(LLVMValueRef function);

/* Does its name begin with `beginning`, behind the length that mangling puts in front? */
bool function_is_called(LLVMValueRef function, const char *beginning);

/* Is a result or a parameter of this kind, or a vector of it? */
bool function_is_about(LLVMValueRef function, LLVMTypeKind kind);

/* Loops that may delete or replace what they are at. */
#define EACH_FUNCTION(f, module) \
    for (LLVMValueRef f = LLVMGetFirstFunction(module), f##_next; f && (f##_next = LLVMGetNextFunction(f), true); \
         f = f##_next)
#define EACH_BLOCK(b, function) \
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
#define EACH_INSTRUCTION(i, block) \
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), i##_next; i && (i##_next = LLVMGetNextInstruction(i), true); \
         i = i##_next)

/* ---- space.c ---- */

/* A copy of a function named `name`, in whose types and instructions pointers to address space `from` are pointers to
 * `to`. A function that it calls with such pointers must be there under the name that `rename` makes of its own.
 * Returns the copy, which is behind the last function of the module. */
LLVMValueRef function_respace(LLVMValueRef function, unsigned from, unsigned to, const char *name);

/* Gives each variable of address space `from` a copy in `to`, which has its name and is what copies of functions use.
 * The old ones go with variables_drop_unused when no function uses them. */
void variables_respace(LLVMModuleRef module, unsigned from, unsigned to);
void variables_drop_unused(LLVMModuleRef module);

/* A name with every `PU3AS<from>` (a pointer to that address space, as it is mangled) replaced by `PU3AS<to>`. The
 * caller frees it. */
char *name_respace(const char *name, unsigned from, unsigned to);

/* ---- clc.c ---- */

/* Corrects libclc, which must be version 19 for 32-bit NVPTX, and brings it into our address spaces. */
void clc_correct(LLVMModuleRef clc);

/* Makes calls of the intrinsics that have no machine form. */
void clc_lower(LLVMModuleRef clc);

/* Of libclc's functions leaves those that are about doubles, or the others. */
void clc_keep(LLVMModuleRef clc, bool doubles);

#endif
