/* Guest code to a function of LLVM's. */
#ifndef VENTUS_TRANSLATOR_TRANSLATE_H
#define VENTUS_TRANSLATOR_TRANSLATE_H

#include <llvm-c/Core.h>

#include "translator/flow.h"

/* A translation: the module of row functions with `function` (a native_code) added to it, and its tables. `entry`, in
 * front of it, has the same type and the name of what the machine calls, and is empty. */
struct translation {
    LLVMModuleRef module;
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

/* Adds both functions to `module`, which holds the row functions for the request's level (rows.c). False: the host has
 * no memory. translation_free frees the tables, not the module. */
bool translate_flow(struct translation *t, LLVMModuleRef module, const struct flow *flow);
void translation_free(struct translation *t);

#endif
