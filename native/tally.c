/* Executions of blocks to those of instructions (tally.h). Called by engine.c on the thread of the SM, or when nothing
 * runs, and by units.c. */
#include "native/tally.h"

#include <stdlib.h>
#include <string.h>

/* How many numbers an SM keeps. A block's fill whole lines of the cache. */
static size_t numbers_of(const struct native_unit *unit) { return (size_t)unit->nblocks * NATIVE_TALLIES; }

/* Bytes of each instruction, by word of the code; 0: none begins there. */
static void find_sizes(struct gpu *gpu, struct native_unit *unit, uint32_t pc, uint32_t end)
{
    const struct native_request *r = &unit->request;
    while (pc < end) {
        const uint32_t i = (pc - r->code_base) / 4, left = r->code_words - i;
        struct decoded d;
        if (pc < r->code_base || i >= r->code_words) return;
        code_decode(gpu, unit->program + i, left < ISA_MAX_WORDS ? left : ISA_MAX_WORDS, &d);
        unit->sizes[i] = d.in.size ? d.in.size : 4;
        pc += unit->sizes[i];
    }
}

bool tallies_make(struct gpu *gpu, struct native_unit *unit)
{
    const size_t bytes = numbers_of(unit) * sizeof(uint64_t) * gpu->config.sms;
    unit->tallies = aligned_alloc(64, bytes);
    unit->sizes = calloc(1, unit->request.code_words);
    unit->targets = calloc(gpu->config.sms, sizeof *unit->targets);
    unit->sms = gpu->config.sms;
    if (!unit->tallies || !unit->sizes || !unit->targets) return false;
    memset(unit->tallies, 0, bytes);
    for (uint32_t i = 0; i < unit->nblocks; i++) {
        find_sizes(gpu, unit, unit->blocks[i].pc, unit->blocks[i].end);
        find_sizes(gpu, unit, unit->blocks[i].routine, unit->blocks[i].routine_end);
    }
    return true;
}

void tallies_free(struct native_unit *unit)
{
    free(unit->tallies);
    free(unit->sizes);
    free(unit->targets);
}

static uint64_t *tallies_of(const struct native_unit *unit, uint32_t sm)
{
    return unit->tallies + sm * numbers_of(unit);
}

/* ---- instructions ---- */

struct range {
    const struct native_unit *unit;
    struct counts *counts;
    uint32_t sm;
};

static struct insn_counts *counts_of(const struct range *r, uint32_t pc)
{
    return &counts_page(r->counts, r->sm, pc)[pc >> 2 & (PAGE_WORDS - 1)];
}

/* Adds to all instructions in [pc, end); returns the last one's address. */
static uint32_t add(const struct range *r, uint32_t pc, uint32_t end, uint64_t executions, uint64_t lanes)
{
    uint32_t last = pc;
    for (uint8_t size; pc < end && (size = r->unit->sizes[(pc - r->unit->request.code_base) / 4]); pc += size) {
        struct insn_counts *c = counts_of(r, pc);
        c->executions += executions;
        c->lanes += lanes;
        last = pc;
    }
    return last;
}

static void settle_block(const struct range *r, const struct native_block *b, uint64_t *n)
{
    const uint64_t items = r->unit->request.items, executions = n[TALLY_FULL] + n[TALLY_MASKED];
    const uint64_t lanes = n[TALLY_FULL] * items + n[TALLY_LANES];
    if (!executions) return;
    struct insn_counts *branch = counts_of(r, add(r, b->pc, b->end, executions, lanes));
    add(r, b->routine, b->routine_end, executions, lanes);
    branch->taken += n[TALLY_TAKEN_FULL] + n[TALLY_TAKEN_MASKED];
    branch->diverged += n[TALLY_DIVERGED];
    branch->taken_lanes += n[TALLY_TAKEN_FULL] * items + n[TALLY_TAKEN_LANES];
    memset(n, 0, NATIVE_TALLIES * sizeof *n);
}

static void settle(const struct native_unit *unit, uint32_t sm, uint32_t as)
{
    const struct range r = {unit, unit->targets[sm], as};
    uint64_t *n = tallies_of(unit, sm);
    for (uint32_t i = 0; r.counts && i < unit->nblocks; i++) settle_block(&r, &unit->blocks[i], n + i * NATIVE_TALLIES);
    unit->targets[sm] = NULL;
}

uint64_t *tallies_for(const struct native_unit *unit, uint32_t sm, struct counts *counts)
{
    if (!unit || !unit->tallies) return NULL;
    if (unit->targets[sm] != counts) settle(unit, sm, sm);
    unit->targets[sm] = counts;
    return tallies_of(unit, sm);
}

void tallies_settle(const struct native_unit *unit, uint32_t as)
{
    for (uint32_t sm = 0; unit->tallies && sm < unit->sms; sm++) settle(unit, sm, as);
}

/* The block that pc is in: blocks do not overlap. */
static const struct native_block *block_of(const struct native_unit *unit, uint32_t pc)
{
    uint32_t low = 0, high = unit->nblocks;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (unit->blocks[middle].end <= pc) low = middle + 1;
        else high = middle;
    }
    return low < unit->nblocks && unit->blocks[low].pc <= pc ? &unit->blocks[low] : NULL;
}

void tallies_take_back(const struct native_unit *unit, uint32_t sm, struct counts *counts, uint32_t pc, bool own,
                       uint32_t mask)
{
    const struct range r = {unit, counts, sm};
    const struct native_block *b = unit->nblocks ? block_of(unit, pc) : NULL;
    const uint64_t lanes = (uint64_t)__builtin_popcount(mask);
    if (!b || !counts) return;
    if (!own) pc += unit->sizes[(pc - unit->request.code_base) / 4];
    add(&r, pc, b->end, -1ull, -lanes);
    add(&r, b->routine, b->routine_end, -1ull, -lanes);
}
