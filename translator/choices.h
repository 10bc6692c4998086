/* Choices that LLVM's code generator gets wrong. Runs last in front of it, for emit.c. */
#ifndef VENTUS_TRANSLATOR_CHOICES_H
#define VENTUS_TRANSLATOR_CHOICES_H

#include <llvm-c/Core.h>

/* Gives those of the function another form. */
void choices_mend(LLVMValueRef function);

#endif
