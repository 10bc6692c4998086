/* Graphs as arrays of edges, and sets as rows of bits. All memory is of the compilation. */
#ifndef VENTUS_GRAPH_H
#define VENTUS_GRAPH_H

#include "compiler/core/cc.h"

struct graph {
    uint32_t n;
    uint32_t *first; /* n + 1 entries: the edges of node i are to[first[i]] .. to[first[i + 1] - 1] */
    uint32_t *to;
};
enum { NO_NODE = UINT32_MAX };

struct edge {
    uint32_t from, to;
};
/* Edges as they are found, one after another. */
struct edges {
    struct edge *list;
    uint32_t n, room;
};
void edges_add(struct cc *cc, struct edges *e, uint32_t from, uint32_t to);
struct graph graph_make(struct cc *cc, uint32_t n, const struct edge *edges, uint32_t nedges);
struct graph graph_reverse(struct cc *cc, const struct graph *g);
/* Reverse postorder from `root`; returns how many nodes it reaches. Successors are visited in edge
 * order, so the last edge of a node comes right behind it. */
uint32_t graph_order(struct cc *cc, const struct graph *g, uint32_t root, uint32_t *order);
/* Immediate dominators; NO_NODE for the root and what it does not reach. */
uint32_t *graph_dominators(struct cc *cc, const struct graph *g, uint32_t root);

/* Does `a` dominate `b`, in a graph whose numbers are a reverse postorder? */
bool graph_dominates(const uint32_t *idom, uint32_t a, uint32_t b);
/* What `from` reaches, itself included, without entering `stop` and what is marked in `set` (n bytes) already: marks it
 * there, lists it in `list` and returns how much it is. */
uint32_t graph_reach(const struct graph *g, uint32_t from, uint32_t stop, uint8_t *set, uint32_t *list);
/* Liveness, in time of the size of its result: edges from each block to the values that are live where it begins.
 * `uses` has edges from values to the blocks that read them before they write them, `defs` to those that write them. */
struct graph graph_live(struct cc *cc, const struct graph *pred, const struct graph *uses, const struct graph *defs);
/* The natural loop with this header, in a graph numbered in reverse postorder: marks its blocks in `mark` (all clear
 * before), lists them in `blocks` and returns how many there are, 0 if nothing leads back to the header. */
uint32_t graph_loop(const struct graph *pred, const uint32_t *idom, uint32_t header, uint8_t *mark, uint32_t *blocks);

/* ---- bit sets ---- */

typedef uint64_t bits;
static inline size_t bits_words(size_t n) { return (n + 63) / 64; }
static inline bool bit_test(const bits *s, uint32_t i) { return s[i / 64] >> (i % 64) & 1; }
static inline void bit_set(bits *s, uint32_t i) { s[i / 64] |= (bits)1 << (i % 64); }
static inline void bit_clear(bits *s, uint32_t i) { s[i / 64] &= ~((bits)1 << (i % 64)); }

#endif
