/* Where blocks of device memory lie (heap.h): a treap by address, whose nodes know the largest gap below them, so that
 * the first that fits, a block by its address, and a new one cost the logarithm of how many there are. Called by
 * memory.c.
 *
 * A gap belongs to the block behind it; the one behind all blocks belongs to the end, a block of no bytes. Invariant: a
 * node's rank is at least that of its children, and `most` is as heap.h says. */
#include "driver/heap.h"

#include <stdlib.h>

static uint64_t most_of(const struct block *b) { return b ? b->most : 0; }

static void update(struct block *b)
{
    uint64_t left = most_of(b->left), right = most_of(b->right);
    b->most = b->gap;
    if (b->most < left) b->most = left;
    if (b->most < right) b->most = right;
}

/* ---- the tree ---- */

/* Parts a tree into what is below addr and the rest. */
static void split(struct block *tree, uint64_t addr, struct block **below, struct block **rest)
{
    if (!tree) {
        *below = *rest = NULL;
    } else if (tree->addr < addr) {
        split(tree->right, addr, &tree->right, rest);
        update(*below = tree);
    } else {
        split(tree->left, addr, below, &tree->left);
        update(*rest = tree);
    }
}

/* All of `below` is below all of `above`. */
static struct block *merge(struct block *below, struct block *above)
{
    if (!below || !above) return below ? below : above;
    struct block *top = below->rank > above->rank ? below : above;
    if (top == below) below->right = merge(below->right, above);
    else above->left = merge(below, above->left);
    update(top);
    return top;
}

static struct block *lowest(struct block *tree)
{
    while (tree && tree->left) tree = tree->left;
    return tree;
}

/* Changes the gap in front of a tree's lowest block. */
static void change_first_gap(struct block *tree, uint64_t gap)
{
    if (tree->left) change_first_gap(tree->left, gap);
    else tree->gap = gap;
    update(tree);
}

/* As random, and the same in every run. */
static uint32_t rank_of(uint32_t addr)
{
    uint64_t x = (addr >> 12) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)((x ^ x >> 29) * 0xbf58476d1ce4e5b9ull >> 32);
}

/* ---- blocks ---- */

static struct block *new_node(struct blocks *p)
{
    struct block *b = p->free;
    if (!b) return malloc(sizeof *b);
    p->free = b->left;
    return b;
}

bool blocks_open(struct blocks *p, uint64_t base, uint64_t end)
{
    *p = (struct blocks){.base = base, .end = end, .root = malloc(sizeof *p->root)};
    if (!p->root) return false;
    *p->root = (struct block){.addr = (uint32_t)end, .gap = end - base, .most = end - base};
    return true;
}

static void free_tree(struct block *b)
{
    if (!b) return;
    free_tree(b->left);
    free_tree(b->right);
    free(b);
}

void blocks_close(struct blocks *p)
{
    free_tree(p->root);
    for (struct block *b; (b = p->free);) {
        p->free = b->left;
        free(b);
    }
    *p = (struct blocks){0};
}

bool blocks_add(struct blocks *p, const struct block *block)
{
    struct block *b = new_node(p), *below, *above;
    if (!b) return false;
    *b = *block;
    b->rank = rank_of(b->addr);
    b->left = b->right = NULL;
    split(p->root, b->addr, &below, &above);
    const struct block *behind = lowest(above);
    b->gap = b->addr - (behind->addr - behind->gap);
    update(b);
    change_first_gap(above, behind->addr - (b->addr + b->span));
    p->root = merge(merge(below, b), above);
    p->count++;
    p->used += b->span;
    return true;
}

bool blocks_remove(struct blocks *p, uint32_t addr, struct block *was)
{
    struct block *below, *b, *above;
    split(p->root, addr, &below, &above);
    split(above, (uint64_t)addr + 1, &b, &above);
    if (!b || !above) { /* the end is no block */
        p->root = merge(merge(below, b), above);
        return false;
    }
    *was = *b;
    change_first_gap(above, lowest(above)->gap + b->span + b->gap);
    p->root = merge(below, above);
    p->count--;
    p->used -= b->span;
    b->left = p->free;
    p->free = b;
    return true;
}

/* ---- questions ---- */

/* In a tree, as blocks_find. */
static const struct block *find(const struct block *b, uint64_t from, uint64_t need)
{
    if (!b || b->most < need) return NULL;
    if (b->addr <= from) return find(b->right, from, need);
    const struct block *first = find(b->left, from, need);
    if (first) return first;
    uint64_t begins = b->addr - b->gap, at = begins < from ? from : begins;
    return b->addr - at >= need ? b : find(b->right, from, need);
}

bool blocks_find(const struct blocks *p, uint64_t from, uint64_t need, uint64_t *addr, uint64_t *bytes)
{
    const struct block *b = find(p->root, from, need);
    if (!b) return false;
    uint64_t begins = b->addr - b->gap;
    *addr = begins < from ? from : begins;
    *bytes = b->addr - *addr;
    return true;
}

const struct block *blocks_at(const struct blocks *p, uint64_t addr)
{
    const struct block *at = NULL;
    for (const struct block *b = p->root; b; b = b->addr <= addr ? b->right : b->left)
        if (b->addr <= addr) at = b;
    return at && at->span ? at : NULL;
}

const struct block *blocks_above(const struct blocks *p, uint64_t addr)
{
    const struct block *above = NULL;
    for (const struct block *b = p->root; b; b = b->addr > addr ? b->left : b->right)
        if (b->addr > addr) above = b;
    return above && above->span ? above : NULL;
}

uint64_t blocks_largest(const struct blocks *p) { return most_of(p->root); }
