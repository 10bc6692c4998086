/* What access.c, load.c and store.c share: an access of all lanes, and what is known of its addresses. */
#ifndef VENTUS_TRANSLATOR_ACCESS_H
#define VENTUS_TRANSLATOR_ACCESS_H

#include "translator/translator.h"

/* An access of lanes: at base + scalar + imm. */
struct vector_access {
    const struct node *n;
    unsigned size;
    bool is_signed;
    struct lanes base;
    LLVMValueRef scalar; /* what all lanes add; NULL: nothing */
    uint32_t imm;
    struct v_fact fact; /* what is known of base + scalar */
    unsigned unit;      /* adjacent lanes that one access of the host serves when their addresses have a shape */
    LLVMValueRef lanes; /* that take part, as bits */
    bool all;           /* they are known to be all */
    bool filled;        /* native_state.in has addresses for all lanes, of the others those of one that takes part */
};

/* Of a word of memory with so many bytes. */
LLVMTypeRef memory_type(struct translator *t, unsigned size);

/* To a wider type. */
LLVMValueRef extend(struct translator *t, LLVMValueRef value, bool is_signed, LLVMTypeRef type);

/* Volatile: the load may fault, so it stays even if its value is dead. */
LLVMValueRef load_unaligned(struct translator *t, LLVMTypeRef type, LLVMValueRef address);

/* The same for loads that cannot be volatile: an empty chunk of assembly reads their result. */
LLVMValueRef keep(struct translator *t, LLVMValueRef value);

/* Is the next lane's address known to be `step` bytes further, in all units? */
bool is_known_step(const struct vector_access *a, uint32_t step);

/* Can the lanes that take part be accessed a unit at a time? */
bool can_split(const struct translator *t, const struct vector_access *a);

/* base + scalar, which is what is recorded: of a lane, and of a chunk. */
LLVMValueRef lane_sum(struct translator *t, const struct vector_access *a, unsigned lane);
LLVMValueRef chunk_sum(struct translator *t, const struct vector_access *a, unsigned p);

/* Where lanes access memory. */
LLVMValueRef guest_address(struct translator *t, const struct vector_access *a, unsigned lane);
LLVMValueRef guest_addresses(struct translator *t, const struct vector_access *a, unsigned p);

/* Words that are known to follow one another are found from the first of them: with that one in the guest's window the
 * others are there, or on the closed pages behind it. */
LLVMValueRef lane_address(struct translator *t, const struct vector_access *a, unsigned lane);

/* Where all lanes' sums lie in memory, for code that takes lanes one by one: recorded there, or, where the first one
 * alone is recorded, stored there now. */
LLVMValueRef sums_in_memory(struct translator *t, const struct vector_access *a);

/* The address of a lane; of accesses whose addresses have no known shape, which are recorded for all lanes. */
LLVMValueRef recorded_address(struct translator *t, const struct vector_access *a, LLVMValueRef lane);

/* Do all lanes hold 0? */
LLVMValueRef is_zero(struct translator *t, struct lanes value);

/* Holds when in every unit lane i accesses `step` bytes behind lane i - 1. */
LLVMValueRef has_step(struct translator *t, const struct vector_access *a, uint32_t step);

/* Words that may be equally far from each other in each eight lanes, by a step that is found when the code runs. Holds
 * when they are, and as near as is_known_spaced says; where the ith word behind the first one is then. */
bool seems_even(const struct translator *t, const struct vector_access *a);
LLVMValueRef has_even_step(struct translator *t, const struct vector_access *a, LLVMValueRef *step);
LLVMValueRef even_address(struct translator *t, LLVMValueRef first, LLVMValueRef step, unsigned i);

/* Can lanes of an access be left out by the host's own masked moves? */
bool can_mask(const struct translator *t, unsigned size);

/* Do the host's gathers and scatters take no longer than a loop over a few active lanes? */
bool has_fast_gathers(const struct translator *t);
/* Do they take longer than loads of all lanes, each by itself? */
bool has_slow_gathers(const struct translator *t);

/* The lanes of a chunk that take part, as its lowest bits. */
LLVMValueRef chunk_bits(struct translator *t, const struct vector_access *a, unsigned p);

/* The same bits of all lanes of a chunk. */
LLVMValueRef and_all(struct translator *t, LLVMValueRef chunk, uint32_t bits);

/* Of lanes. The host's gathers and scatters take 16 indices at a time if these are signed and have 32 bits: they count
 * from the middle of the guest's window. */
LLVMValueRef host_addresses(struct translator *t, LLVMValueRef guest);

/* The lanes of a chunk that take part, as conditions. */
LLVMValueRef chunk_flags(struct translator *t, const struct vector_access *a, unsigned p);

/* Where functions of rows.c find and leave words of all lanes: an offset in struct native_state. */
void store_scratch(struct translator *t, struct lanes value, size_t offset);
struct lanes load_scratch(struct translator *t, size_t offset);

/* Are some lanes' words known to be two, three or four words apart in each unit, and has the host masks for those? */
bool has_masked_gaps(const struct translator *t, const struct vector_access *a);

/* The flags of these words, and of those between them, which are off: of a unit's lanes, from one on. */
LLVMValueRef gap_flags(struct translator *t, const struct vector_access *a, unsigned lane);

/* The flags of so many numbers of each of so many lanes, from one on. */
LLVMValueRef repeated_flags(struct translator *t, const struct vector_access *a, unsigned lane, unsigned lanes,
                            unsigned each);

/* Are the addresses known to be consecutive in each unit? Known to be uniform? */
bool is_known_consecutive(const struct translator *t, const struct vector_access *a);
bool is_known_same(const struct vector_access *a);

/* Words that are known to be as far from each other in all lanes of a chunk: with the first one in the guest's window
 * the others are there, or on the closed pages behind it. */
bool is_known_spaced(const struct translator *t, const struct vector_access *a);

/* Chunks of eight lanes; `order` counts those of a, then those of b. */
LLVMValueRef shuffle8(struct translator *t, LLVMValueRef a, LLVMValueRef b, const uint8_t order[8]);

/* In each half, four chunks as rows of a matrix become its columns. */
void transpose4(struct translator *t, const LLVMValueRef row[4], LLVMValueRef column[4]);

/* ---- load.c ---- */

struct lanes load_vector(struct translator *t, const struct vector_access *a);

/* Bytes or half words of all lanes, known to be so near each other that they are loaded together? */
bool load_is_near(const struct translator *t, const struct vector_access *a);

/* Has an earlier load of the block loaded the words of this one? Then it reads no memory. */
bool load_has(struct translator *t, const struct vector_access *a, struct lanes *value);

/* ---- store.c ---- */

/* Of equal addresses the highest lane stays: units are stored ascending, and so are lanes by a scatter. */
void store_vector(struct translator *t, const struct vector_access *a, struct lanes data);

/* Is it a load between stores that are made together? Then it is made before them, and may not leave the code. */
bool is_between_stores(const struct translator *t, const struct node *n);

/* What a store is to store. */
struct lanes stored_by(struct translator *t, const struct node *n);

#endif
