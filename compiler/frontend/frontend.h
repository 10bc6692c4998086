/* From a source and build options to a module of LLVM, by clang-19 as a confined child. */
#ifndef VENTUS_FRONTEND_H
#define VENTUS_FRONTEND_H

#include "compiler/ir/ir.h"

/* ---- options.c ---- */
/* Splits an OpenCL build option string (quotes, -D name) and sorts it. Ends with CC_BAD_OPTION. */
void options_parse(struct cc *cc, const char *options);

/* ---- frontend.c ---- */
/* Runs clang-19 on `source`; returns a parsed module in cc->context. Warnings go to the log. `program`: it is all of
 * one; then the built-in library is opened while clang runs, and the module has only what kernels reach. */
LLVMModuleRef frontend_run(struct cc *cc, const char *source, size_t size, bool program);
/* `source` with the files that it includes and without macros, for which nothing but the text itself and the options
 * matters any more. */
const char *frontend_preprocess(struct cc *cc, const char *source, size_t size, size_t *text_size);
/* The program clang-19; ends with CC_ENVIRONMENT if there is none. */
const char *frontend_clang(struct cc *cc);

/* ---- confine.c ---- */
/* How much processor time a compilation may take. */
unsigned confine_seconds(void);
/* From now on this process, and what it executes, has limits of time and memory, and ends with its parent. */
void confine_resources(void);
/* From now on it can open no file to write, make or remove none, and use no TCP, if the kernel can see to that; and, if
 * `readable` is not NULL, read no files but these and those below these folders. The list ends with NULL. */
void confine_files(const char *const readable[]);

/* ---- asm_source.c ---- */
/* The source with inline assembly as clang takes it; `source` itself where it has none. */
const char *asm_source(struct cc *cc, const char *source, size_t size);

/* ---- object.c: separate compilation ---- */
/* cc->module as an object (malloc'ed). */
void object_save(struct cc *cc, void **bytes, size_t *size);
/* Adds an object to cc->module, or makes it that; `name` is for messages. Ends with CC_FAILED. */
void object_link(struct cc *cc, const void *bytes, size_t size, const char *name);

#endif
