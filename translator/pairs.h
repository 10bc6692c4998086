/* Doubles and longs are two words of a lane for the guest, and one element of a vector for the host's operations. */
#ifndef VENTUS_TRANSLATOR_PAIRS_H
#define VENTUS_TRANSLATOR_PAIRS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Where words are joined that have been taken apart before, keeps them together: through choices, signs and loops.
 * False: there was nothing to do. `words` is the number of words of a chunk. */
bool pairs_keep(LLVMValueRef function, unsigned words);

/* Where words are only stored behind a phi, as those of a warp that is given back, keeps both together up to there. To
 * be called when nothing is left that pairs_keep has replaced. False: there was nothing to do. */
bool pairs_store(LLVMValueRef function, unsigned words);

#endif
