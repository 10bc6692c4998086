/* Chunks of bytes or half words, which do not fill a register of the host. */
#ifndef VENTUS_TRANSLATOR_CHUNKS_H
#define VENTUS_TRANSLATOR_CHUNKS_H

#include <llvm-c/Core.h>

/* Computes for both chunks of 16 lanes at once what is stored side by side. */
void chunks_join(LLVMValueRef function);

#endif
