/* What holds for registers wherever a block begins: numbers that are known, words that follow one another from lane to
 * lane, and numbers whose NaNs have not been made canonical yet. */
#ifndef VENTUS_TRANSLATOR_FACTS_H
#define VENTUS_TRANSLATOR_FACTS_H

#include "translator/paths.h"
#include "translator/simt_top.h"

/* How a block is translated: for some lanes, where a vector register that is written keeps its other lanes, or all. */
enum version { MASKED, FULL, VERSIONS };

/* A scalar register. */
struct x_fact {
    bool known;    /* it is `value` */
    bool knl;      /* it is CSR_KNL, the address of the metadata block */
    bool args;     /* it is the address of the arguments, which the metadata block holds */
    bool told;     /* it is known as long as the metadata block says what the request tells */
    uint8_t align; /* it is a multiple of 2^align */
    uint8_t zeros; /* so many upper bits are 0, as of bytes and halves */
    uint32_t value;
};

/* A vector register, in all lanes, also those that are not active. */
struct v_fact {
    uint8_t period; /* 8, 16 or 32: in each `period` lanes word i is the first one + i * step; 0: not known */
    uint8_t align;  /* the first ones are multiples of 2^align; only with a period */
    uint8_t repeat; /* 8 or 16: each `repeat` lanes hold the same words; 0: not known */
    uint8_t zeros;  /* so many upper bits of the words are 0 */
    bool number;    /* every NaN is the canonical one; ... */
    bool raw;       /* ... or is to be made so, before anybody sees which it is */
    bool even;      /* a guess, where there is no period: words of each eight lanes are equally far from each other */
    bool known;     /* the first one is `value`; with a period of 32 */
    uint32_t step, value;
};

struct facts {
    struct x_fact x[ISA_XREGS];
    struct v_fact v[ISA_VREGS];
    struct x_fact rpc;   /* what `setrpc` has set */
    struct top_set tops; /* in masked code */
    bool stored;         /* since the warp began, it may have written to memory */
    bool whole;          /* all lanes are active: what is loaded is there in all of them */
};

struct fact_table {
    const struct flow *flow;
    struct facts (*in)[VERSIONS]; /* where each block begins */
    bool (*reached)[VERSIONS];
    struct paths paths;
    struct joins joins;
    bool closed; /* control cannot come to code that is in no block */
};

/* False: the host has no memory. */
bool facts_make(struct fact_table *table, const struct flow *flow);
void facts_free(struct fact_table *table);

/* Where the indirect jump at the end of a block goes. False: that is not known. *told, unless it is NULL: words of the
 * metadata block say so, and if a warp changes them it goes elsewhere, with `step`. */
bool facts_target(const struct fact_table *table, const struct block *block, enum version version, uint32_t *pc,
                  bool *told);

/* Does a path that waits for a join find registers as they were at its branch? It does where the other path has nothing
 * to do, and comes to the join in translated code only. */
bool facts_path_keeps(const struct fact_table *table, const struct node *join, const struct path *path);

/* Ways on from the join at the end of a masked block. What they leave out happens to warps only that `step` has brought
 * there in a way of its own. */
struct join_ways {
    bool next; /* it is passed: others wait, for another join or in lanes that the warp does not have */
    bool pop;  /* a path goes on, or lanes meet: */
    bool full; /* all, ... */
    bool met;  /* ... or others wait still, for another join; */
    bool some; /* it goes on with some lanes, which have met or are a path that has nothing to do */
};
struct join_ways facts_join(const struct fact_table *table, const struct block *block);

/* What holds behind an instruction of a block, from what holds in front of it. */
void facts_step(struct facts *facts, const struct node *n, const struct flow *flow);

/* What holds of a register that has been written under a mask: `old` in lanes that are not active. */
struct v_fact fact_of_merged(struct v_fact value, struct v_fact old);

/* What holds of registers wherever the block begins, in either version. */
struct facts facts_of_block(const struct fact_table *table, const struct block *block);

/* What holds of a control register, for all warps of the request. */
struct x_fact fact_of_csr(unsigned csr, const struct native_request *request);

/* What holds of a control register, for all warps of the request. */
struct x_fact fact_of_csr(unsigned csr, const struct native_request *request);

/* What holds of what a row computes, in all lanes. */
struct v_fact fact_of_row(const struct facts *facts, const struct node *n, const struct native_request *request);

/* What holds of the addresses of an indexed access. */
struct v_fact fact_of_indexed(const struct facts *facts, const struct node *n);

/* Does a scalar load read the metadata block, which can be read as long as the launch runs? */
bool fact_metadata(const struct facts *facts, const struct node *n, const struct native_request *r);

/* Does a scalar load read a word of the metadata block, or of the arguments (`args`), that nobody can have written
 * since the warp began? `at` is its offset there. */
struct hoisted_word {
    bool args;
    uint32_t at;
};
bool fact_hoistable(const struct facts *facts, const struct node *n, const struct native_request *r,
                    struct hoisted_word *w);

/* Does a load, in all lanes of a vector register, read constants of the program? `word` is what it loads. */
bool fact_constant(const struct facts *facts, const struct node *n, const struct flow *flow, uint32_t *word);

/* Does a scalar load read a word of the metadata block that the request tells? */
bool fact_told(const struct facts *facts, const struct node *n, const struct native_request *r, uint32_t *value);

#endif
