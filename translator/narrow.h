/* Bytes and half words of lanes, computed with as such. */
#ifndef VENTUS_TRANSLATOR_NARROW_H
#define VENTUS_TRANSLATOR_NARROW_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Computes with bytes or half words what is known to fit, in vectors of 16 words. False: the host has no memory. */
bool narrow_words(LLVMValueRef function);

#endif
