/* Where blocks of device memory lie: the places alone, without the memory (memory.c). */
#ifndef VENTUS_DRIVER_HEAP_H
#define VENTUS_DRIVER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of device memory, or the end of all. A tree by address; of equal depth on average, because what is above is
 * of higher rank, and ranks are as random. */
struct block {
    uint32_t addr;
    uint32_t rank;
    uint64_t size; /* as asked for */
    uint64_t span; /* with what it ends on: whole pages, and one that is closed, if it has one behind it */
    bool shared;   /* with the host, at the same address */
    bool packed;   /* without a closed page behind it */
    bool open;     /* of one that rests (memory.c): its pages have not been closed yet */
    uint64_t gap;  /* free bytes in front of it */
    uint64_t most; /* the largest gap of it and all below it in the tree */
    struct block *left, *right;
};

struct blocks {
    uint64_t base, end;
    struct block *root; /* NULL: not open */
    struct block *free; /* nodes for new blocks, linked by `left` */
    size_t count;       /* blocks */
    uint64_t used;      /* bytes of their spans */
};

/* All of [base, end) is free. False: out of memory. */
bool blocks_open(struct blocks *p, uint64_t base, uint64_t end);
void blocks_close(struct blocks *p);

/* The lowest free range that begins at `from` or above it (where a range is that begins in front of it and ends behind,
 * its part from there on) and has `need` bytes. Sets where it begins, and its bytes; false: there is none. */
bool blocks_find(const struct blocks *p, uint64_t from, uint64_t need, uint64_t *addr, uint64_t *bytes);

/* Puts a block into a free range, with addr, size, span, shared and packed of *block. False: out of memory. */
bool blocks_add(struct blocks *p, const struct block *block);

/* Takes the block that begins at addr out and gives its range back; *was is what it was. False: there is none. */
bool blocks_remove(struct blocks *p, uint32_t addr, struct block *was);

/* The block with the highest address at or below `addr`, and the one with the lowest above; NULL: there is none. */
const struct block *blocks_at(const struct blocks *p, uint64_t addr);
const struct block *blocks_above(const struct blocks *p, uint64_t addr);

/* The largest free range. */
uint64_t blocks_largest(const struct blocks *p);

#endif
