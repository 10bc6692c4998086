/* Removes code that makes NaNs canonical where no instruction can tell one NaN from another. Runs behind LLVM's passes,
 * for emit.c. */
#ifndef VENTUS_TRANSLATOR_NANS_H
#define VENTUS_TRANSLATOR_NANS_H

#include <llvm-c/Core.h>

/* Lets arithmetic in the function take its operands as they were before their NaNs were made canonical. What makes them
 * so stays, for others that use it; the code generator drops it where there are none. */
void nans_skip(LLVMValueRef function);

/* What still makes NaNs canonical becomes one instruction; for hosts with AVX-512. */
void nans_fix_up(LLVMValueRef function);

#endif
