/* Which word somebody may have meant: for "did you mean". */
#ifndef VENTUS_ASM_NEAR_H
#define VENTUS_ASM_NEAR_H

#include <stddef.h>

/* Edits between two words, the swap of neighbours counting once. Words of more
 * than 40 letters are never near. */
unsigned asm_edit_distance(const char *a, size_t n, const char *b, size_t m);

/* Looks for the word nearest to `word` among candidates that are offered one by one; `best` is it, or NULL. */
struct nearest {
    const char *word;
    size_t length;
    unsigned distance; /* edits: at first, those that are too many */
    const char *best;
};

/* Offers a candidate; it must outlive the search. Of those that are equally near the one with the same letters at its
 * ends wins. */
void near_offer(struct nearest *nearest, const char *candidate);

#endif
