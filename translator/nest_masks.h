/* The code of a loop nest (nest.h) for all lanes together, in which a mask of each block says which lanes execute it.
 *
 * Masked code keeps lanes that wait on the SIMT stack, and the same host blocks serve wherever they wait. In a nest it
 * is known which paths meet where: an iteration executes its blocks once, in the order of their addresses, each for the
 * lanes that have come to it, and the masks are words in registers of the host. */
#ifndef VENTUS_TRANSLATOR_NEST_MASKS_H
#define VENTUS_TRANSLATOR_NEST_MASKS_H

#include "translator/nest.h"

/* What a nest has done, as numbers of 32 bits. */
struct nest_done {
    LLVMValueRef iterations; /* of the outermost loop */
    LLVMValueRef instructions;
    LLVMValueRef diverged; /* how many branches have */
    LLVMValueRef deepest;  /* entries on the SIMT stack */
};

/* Runs the nest for the lanes of t->mask; the builder is left behind it, where t->counts has its counts. Goes to `bad`
 * where vectors cannot do an access, or behind some iteration with more than `most` instructions. False: no memory. */
bool nest_masks_run(struct translator *t, const struct nest *nest, LLVMValueRef most, LLVMBasicBlockRef bad,
                    struct nest_done *done);

/* Behind the nest, in code of its own: what the variables hold. */
void nest_masks_hold(struct translator *t, const struct nest *nest);

/* A variable of translated code. */
LLVMValueRef nest_variable(struct translator *t, LLVMTypeRef type);

#endif
