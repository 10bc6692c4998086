/* Words that are taken apart to bytes or half words, and joined again. */
#ifndef VENTUS_TRANSLATOR_PARTS_H
#define VENTUS_TRANSLATOR_PARTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Computes with all parts of words at once where they are joined again, in vectors of 16 words. `halves`: the host has
 * such. False: it has no memory. */
bool parts_join(LLVMValueRef function, bool halves);

#endif
