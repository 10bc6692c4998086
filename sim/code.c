/* Decoded code: whole pages, decoded when the first instruction of the page is fetched.
 *
 * Invariant: a page of gpu->code is also on gpu->code_list, and agrees with memory since the last
 * code_drop (the driver's writes and fence.i drop everything; so do changes of the mapping). */
#include <stdlib.h>
#include <string.h>

#include "sim/machine.h"
#include "sim/mma.h"

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
    if (desc->kind == KIND_CSR && csr_per_lane(d->in.aux)) need(&d->vregs, d->in.rd);
    if ((desc->flags & ISA_V0) || !d->in.vm) need(&d->vregs, 0);
    if (desc->kind == KIND_MMA && mma_registers(&d->in)) need(&d->vregs, mma_registers(&d->in) - 1);
}

static void decode_page(struct gpu *gpu, struct code_page *page)
{
    const uint32_t *words = (const uint32_t *)(gpu->mem + ((size_t)page->number << PAGE_BITS));
    bool more = page->number + 1 < PAGES && (gpu->pages[page->number + 1] & GPU_EXEC);
    unsigned end = PAGE_WORDS + (more ? ISA_MAX_WORDS : 0);
    for (unsigned i = 0; i < PAGE_WORDS; i++) {
        struct decoded *d = &page->insns[i];
        *d = (struct decoded){0};
        size_t nwords = end - i < ISA_MAX_WORDS ? end - i : ISA_MAX_WORDS;
        if (isa_decode_in((enum isa_profile)gpu->config.profile, words + i, nwords, &d->in)) count_registers(d);
    }
}

static struct code_page *make_page(struct gpu *gpu, uint32_t number)
{
    struct code_page *page = malloc(sizeof *page);
    if (!page) return NULL;
    page->number = number;
    decode_page(gpu, page);
    page->next = gpu->code_list;
    gpu->code_list = page;
    __atomic_store_n(&gpu->code[number], page, __ATOMIC_RELEASE);
    return page;
}

const struct code_page *code_page(struct gpu *gpu, uint32_t pc)
{
    uint32_t number = pc >> PAGE_BITS;
    struct code_page *page = __atomic_load_n(&gpu->code[number], __ATOMIC_ACQUIRE);
    if (page) return page;
    if (!(gpu->pages[number] & GPU_EXEC)) return NULL;
    pthread_mutex_lock(&gpu->code_lock);
    page = gpu->code[number];
    if (!page) page = make_page(gpu, number);
    pthread_mutex_unlock(&gpu->code_lock);
    return page;
}

void code_drop(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->code_lock);
    while (gpu->code_list) {
        struct code_page *page = gpu->code_list;
        gpu->code_list = page->next;
        __atomic_store_n(&gpu->code[page->number], NULL, __ATOMIC_RELEASE);
        page->next = gpu->code_dropped;
        gpu->code_dropped = page;
    }
    pthread_mutex_unlock(&gpu->code_lock);
}

void code_sweep(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->code_lock);
    while (gpu->code_dropped) {
        struct code_page *page = gpu->code_dropped;
        gpu->code_dropped = page->next;
        free(page);
    }
    pthread_mutex_unlock(&gpu->code_lock);
}
