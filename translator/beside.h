/* Loads of a block that find bytes beside each other in each lane: rows of a matrix that lanes go along, parts of
 * vectors, bytes and half words of a word. Where lanes' addresses have no shape they are loaded together. */
#ifndef VENTUS_TRANSLATOR_BESIDE_H
#define VENTUS_TRANSLATOR_BESIDE_H

#include "translator/flow.h"

enum { BESIDE_BYTES = 16 };

struct beside {
    const struct node *first; /* of the loads, which all have its address register; NULL: there are none */
    const struct node *end;   /* behind the last of them */
    int32_t imm;              /* of the first byte */
    unsigned words;           /* 1, 2 or 4 */
    unsigned count;           /* loads */
};

/* Those that begin with n, a load of all lanes' own addresses: nothing between them stores, or writes the register. */
struct beside beside_find(const struct flow *flow, const struct block *block, const struct node *n);

/* Is n one of them? */
bool beside_has(const struct beside *set, const struct node *n);

#endif
