/* Moves work to the blocks that need it, for emit.c: what only rare paths look at is made there. */
#ifndef VENTUS_TRANSLATOR_SINK_H
#define VENTUS_TRANSLATOR_SINK_H

#include <llvm-c/Core.h>

/* Words that were taken apart, and numbers whose NaNs were made canonical, only for other blocks, of which one may
 * never come: these make them themselves. Behind LLVM's passes, which would put them together again. */
void sink_results(LLVMValueRef function);

#endif
