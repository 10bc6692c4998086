/* Loop nests in which lanes diverge, and which can run without the SIMT stack: all lanes together, under masks of the
 * blocks (nest_masks.c), or one lane after the other (nest.c). A nest is entered at the head of its outermost loop, and
 * left for one address.
 *
 * The counters count what a warp executes: a block once for all lanes that execute it together. In the nests found
 * here, they are those that execute it in the same iteration of its loop, which has itself begun with the same lanes:
 * the two paths of a divergent branch share no block in front of their reconvergence point, and only one of them goes
 * on to another iteration. */
#ifndef VENTUS_TRANSLATOR_NEST_H
#define VENTUS_TRANSLATOR_NEST_H

#include "translator/nest_table.h"
#include "translator/translator.h"

enum { NEST_NONE = 255 };

/* A place in an iteration: on one of the two paths of a divergent branch, or (NEST_NONE) on none. */
struct nest_path {
    uint8_t branch;
    bool taken; /* it is the one of the branch's target */
};

struct nest {
    const struct block *head; /* block 0; the others are numbered as they follow it in the flow graph */
    uint32_t exit;            /* where all lanes go on */
    uint64_t blocks;          /* its blocks, as bits */
    unsigned nlevels, nbranches;
    struct nest_level {               /* a loop; the first one is the outermost */
        uint64_t body;                /* blocks that can come back to its head; those of loops in it are among them */
        uint64_t own;                 /* blocks that are executed at most once in each iteration */
        uint64_t branches;            /* divergent branches of these */
        uint8_t head, parent;         /* block and level */
        struct nest_path entry, back; /* in its parent's iteration: where it begins; in its own: where it goes back */
        uint8_t nbits;                /* of what lanes record of an iteration */
        uint8_t child, nchildren;     /* how many loops of its parent stand before it; loops in it */
    } levels[NEST_LEVELS];
    struct nest_branch {
        uint64_t paths[2]; /* blocks of the other path and the target's path in front of the reconvergence point */
        bool goes_back[2]; /* it goes on to another iteration */
        const struct node *node;
        uint32_t rpc;
        uint8_t block, level;
        struct nest_path path;
        uint8_t bit;            /* of the level's record: lanes go one way, ... */
        bool tells;             /* ... to the target (true) or behind the branch, ... */
        bool marks;             /* ... and set it when they do, as no block does */
        uint8_t ahead;          /* the block behind it on the way back, or NEST_NONE: lanes set its bit in front of the
                                 * branch, and clear it where they leave */
    } branches[NEST_BRANCHES];  /* a branch on a path of another one follows it */
    uint8_t owner[NEST_BLOCKS]; /* of each block: the level whose own it is, ... */
    uint8_t bit[NEST_BLOCKS];   /* ... and the bit of its record: lanes execute the block */
    uint64_t marks;             /* blocks where they set it */
    struct isa_registers in, out; /* vector registers: that lanes begin with; written, and read by somebody behind it */
    uint64_t x;                   /* scalar registers that it writes */
    bool stores;                  /* to private memory */
    bool keeps_rpc;               /* a branch diverges for the reconvergence point that is set in front of the head */
};

/* The nest whose outermost loop begins at a block. False: there is none, or it needs the SIMT stack. */
bool nest_find(const struct translator *t, const struct block *head, struct nest *nest);

/* Where a block goes on; returns how many addresses that are. */
unsigned nest_successors(const struct translator *t, const struct block *b, uint32_t to[2]);

/* Is the reconvergence point that is set at the exit read behind it, as far as is known? */
bool nest_rpc_is_read(const struct translator *t, const struct nest *nest);

/* nest_record.c: gives each level's record its bits. False: a block is reached by lanes outside of its iteration. */
bool nest_find_record(const struct translator *t, struct nest *nest);

/* nest_count.c: what counts the records of all iterations. */
struct nest_counting {
    LLVMValueRef table; /* struct nest_table */
    LLVMValueRef sum;   /* nest_sum_function of rows.c */
};
struct nest_counting nest_counting_make(struct translator *t, const struct nest *nest);

/* A level's record in words of native_tried.records: the next record is the first of them, those of loops in the
 * iteration follow, then the numbers of lanes. nest_words_of: words that these fill. */
uint32_t nest_words_of(const struct nest *nest, unsigned level);
uint32_t nest_numbers_at(const struct nest *nest, unsigned level);
uint32_t nest_record_size(const struct nest *nest, unsigned level);

/* The number of the block at an address; NEST_NONE: it is not in the nest. */
unsigned nest_number(const struct translator *t, const struct nest *nest, uint32_t pc);

#endif
