/* Choices (select), comparisons and carries that pairs.c and LLVM's code generator want in another form, for emit.c. */
#ifndef VENTUS_TRANSLATOR_CHOICES_H
#define VENTUS_TRANSLATOR_CHOICES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* In front of pairs.c: makes choices of differences that are chosen and added again. */
void choices_find(LLVMValueRef function);

/* Last, in front of the code generator: gives those that it gets wrong another form. `halves`: the host has halves. */
void choices_mend(LLVMValueRef function, bool halves);

#endif
