/* Guest code to a function of LLVM's. */
#ifndef VENTUS_TRANSLATOR_TRANSLATE_H
#define VENTUS_TRANSLATOR_TRANSLATE_H

#include <llvm-c/Core.h>

#include "translator/flow.h"

/* A translation: a module with `function` (a native_code), and its tables. `entry`, in front of it, has the same type
 * and the name of what the machine calls, and is empty. */
struct translation {
    LLVMModuleRef module;
    LLVMModuleRef rows; /* the row functions, whose bodies are read when they are linked; NULL: they have been */
    LLVMValueRef entry, function;
    const struct flow *flow;
    unsigned words; /* of a chunk */
    struct native_entry *entries;
    size_t nentries;
    struct native_site *sites;
    size_t nsites;
    size_t helped;                       /* instructions that `step` executes */
    uint32_t build_us, pass_us, code_us; /* processor time of the steps */
};

/* Makes both functions in a module of their own, with declarations of the functions of `rows` that they call: those for
 * the request's level (rows.c). False: the host has no memory. translation_free frees all of it, `rows` as well. */
bool translate_flow(struct translation *t, LLVMModuleRef rows, const struct flow *flow);
void translation_free(struct translation *t);

#endif
