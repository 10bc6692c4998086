/* Decoded code: whole pages, decoded when the first instruction of the page is fetched.
 *
 * Invariant: a page of gpu->code is also on gpu->code_list, and agrees with memory since the last
 * code_drop (the driver's writes and fence.i drop everything; so do changes of the mapping). */
#include <stdlib.h>
#include <string.h>

#include "sim/machine.h"

static void need(uint16_t *count, unsigned reg)
{
    if (*count < reg + 1) *count = (uint16_t)(reg + 1);
}

/* Registers the instruction names, so that the engine compares two numbers and no more. */
static void count_registers(struct decoded *d)
{
    const struct isa_desc *desc = &isa_table[d->in.op];
    for (const char *p = desc->pattern; *p; p++) {
        const struct isa_operand *o = isa_operand(*p);
        if (!o || (o->kind != OPERAND_REG_X && o->kind != OPERAND_REG_V)) continue;
        unsigned reg = (unsigned)isa_get(&d->in, (enum operand_role)o->role);
        need(o->kind == OPERAND_REG_X ? &d->xregs : &d->vregs, reg);
    }
    if ((desc->flags & ISA_V0) || !d->in.vm) need(&d->vregs, 0);
}

static void decode_page(struct gpu *gpu, struct code_page *page)
{
    const uint32_t *words = (const uint32_t *)(gpu->mem + ((size_t)page->number << PAGE_BITS));
    bool more = page->number + 1 < PAGES && (gpu->pages[page->number + 1] & GPU_EXEC);
    for (unsigned i = 0; i < PAGE_WORDS; i++) {
        struct decoded *d = &page->insns[i];
        *d = (struct decoded){0};
        size_t nwords = i + 1 < PAGE_WORDS || more ? 2 : 1;
        if (isa_decode(words + i, nwords, &d->in)) count_registers(d);
    }
}

const struct code_page *code_page(struct gpu *gpu, uint32_t pc)
{
    uint32_t number = pc >> PAGE_BITS;
    struct code_page *page = gpu->code[number];
    if (page) return page;
    if (!(gpu->pages[number] & GPU_EXEC)) return NULL;
    page = malloc(sizeof *page);
    if (!page) return NULL;
    page->number = number;
    decode_page(gpu, page);
    page->next = gpu->code_list;
    gpu->code_list = page;
    gpu->code[number] = page;
    return page;
}

void code_drop(struct gpu *gpu)
{
    while (gpu->code_list) {
        struct code_page *page = gpu->code_list;
        gpu->code_list = page->next;
        gpu->code[page->number] = NULL;
        free(page);
    }
}
