/* Gathers of words whose distances are known become loads and a permutation. Runs behind LLVM's passes, for emit.c. */
#ifndef VENTUS_TRANSLATOR_GATHERS_H
#define VENTUS_TRANSLATOR_GATHERS_H

#include <llvm-c/Core.h>

void gathers_load(LLVMValueRef function);

#endif
