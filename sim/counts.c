/* Counts of instructions (counts.h): pages of them, made when an SM first executes something there. Called by the
 * engines, and by who reads them. */
#include "sim/counts.h"

#include <stdlib.h>
#include <string.h>

#include "sim/machine.h"

struct counts {
    uint32_t sms, first, npages;            /* number of the first page of code */
    struct insn_counts nowhere[PAGE_WORDS]; /* what is counted for code elsewhere, and without memory */
    _Atomic(struct insn_counts *) pages[];  /* of each SM, npages of them; written by its own thread */
};

struct counts *counts_new(uint32_t sms, uint32_t first, uint32_t end)
{
    uint32_t page = first >> PAGE_BITS, n = end > first ? ((end - 1) >> PAGE_BITS) - page + 1 : 0;
    struct counts *c = calloc(1, sizeof *c + (size_t)sms * n * sizeof *c->pages);
    if (c) c->sms = sms, c->first = page, c->npages = n;
    return c;
}

void counts_free(struct counts *c)
{
    for (size_t i = 0; c && i < (size_t)c->sms * c->npages; i++) free(c->pages[i]);
    free(c);
}

struct insn_counts *counts_page(struct counts *c, uint32_t sm, uint32_t pc)
{
    const uint32_t n = (pc >> PAGE_BITS) - c->first;
    if (n >= c->npages) return c->nowhere;
    struct insn_counts *page = c->pages[(size_t)sm * c->npages + n];
    if (!page) page = c->pages[(size_t)sm * c->npages + n] = calloc(PAGE_WORDS, sizeof *page);
    return page ? page : c->nowhere;
}

struct insn_counts counts_at(const struct counts *c, uint32_t pc)
{
    const uint32_t n = (pc >> PAGE_BITS) - c->first;
    struct insn_counts sum = {0};
    for (uint32_t sm = 0; n < c->npages && sm < c->sms; sm++) {
        const struct insn_counts *page = c->pages[(size_t)sm * c->npages + n];
        if (!page) continue;
        page += pc >> 2 & (PAGE_WORDS - 1);
        sum.executions += page->executions;
        sum.lanes += page->lanes;
        sum.taken += page->taken;
        sum.diverged += page->diverged;
        sum.taken_lanes += page->taken_lanes;
    }
    return sum;
}

void gpu_settle_counts(struct gpu *gpu)
{
    if (gpu->engine->settle) gpu->engine->settle(gpu->engine_data);
}
