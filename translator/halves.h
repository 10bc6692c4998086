/* Halves of two chunks, which values.c computes as one chunk, kept together from one operation to the next. */
#ifndef VENTUS_TRANSLATOR_HALVES_H
#define VENTUS_TRANSLATOR_HALVES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Where halves are joined that have been taken apart before, keeps them together: through bits, choices, comparisons
 * and loops. False: there was nothing to do. `words` is the number of words of a chunk. */
bool halves_keep(LLVMValueRef function, unsigned words);

#endif
