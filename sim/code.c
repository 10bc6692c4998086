/* Decoded code: whole pages, decoded when the first instruction of the page is fetched.
 *
 * Invariant: a page of gpu->code is also on gpu->code_list, and agrees with memory since the last
 * code_drop (the driver's writes and fence.i drop everything; so do changes of the mapping). An SM says which
 * page it is in (sm->page) before it looks whether the page is still current, code_drop takes a page out
 * before it looks who is in it: so either the SM tries again or the page is kept. */
#include <stdlib.h>
#include <string.h>

#include "sim/machine.h"
#include "sim/mma.h"

static void need(uint16_t *count, unsigned reg)
{
    if (*count < reg + 1) *count = (uint16_t)(reg + 1);
}

/* ---- what the engine wants to know beforehand ---- */

static bool is_register(const struct isa_operand *o) { return o && (o->kind == OPERAND_REG_X || o->kind == OPERAND_REG_V); }

static unsigned register_of(const struct decoded *d, unsigned role) { return (unsigned)isa_get(&d->in, (enum operand_role)role); }

static unsigned registers(const struct decoded *d) { return d->vectors | d->scalars; }

static void find_operands(struct decoded *d)
{
    for (const char *p = isa_table[d->in.op].pattern; *p; p++) {
        const struct isa_operand *o = isa_operand(*p);
        if (!is_register(o)) continue;
        if (o->kind == OPERAND_REG_V) d->vectors |= 1u << o->role & 15;
        else d->scalars |= 1u << o->role & 15;
    }
}

/* The operands that the row itself has in pairs. */
static unsigned row_pairs(const struct decoded *d)
{
    uint32_t flags = isa_table[d->in.op].flags;
    unsigned pairs = (flags & ISA_PAIR_D ? 1u << ROLE_RD : 0) | (flags & ISA_PAIR_1 ? 1u << ROLE_RS1 : 0) |
                     (flags & ISA_PAIR_2 ? 1u << ROLE_RS2 : 0);
    return pairs & registers(d);
}

/* A prefix makes pairs of all operands, or (r2.0) of those with even numbers. */
static unsigned prefix_pairs(const struct decoded *d)
{
    uint32_t flags = isa_table[d->in.prefix].flags;
    unsigned pairs = 0;
    if (flags & ISA_MEMORY) return 0;
    if (d->in.pair) return registers(d);
    for (unsigned role = ROLE_RD; (flags & ISA_EVEN) && role <= ROLE_RS3; role++)
        if ((registers(d) >> role & 1) && register_of(d, role) % 2 == 0) pairs |= 1u << role;
    return pairs;
}

/* Numbers of registers, so that the engine compares two of them and no more. */
static void count_registers(struct decoded *d)
{
    const struct isa_desc *desc = &isa_table[d->in.op];
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++) {
        unsigned reg = register_of(d, role) + (d->pairs >> role & 1);
        if (d->vectors >> role & 1) need(&d->vregs, reg);
        if (d->scalars >> role & 1) need(&d->xregs, reg);
    }
    if (desc->kind == KIND_MMA && mma_registers(&d->in)) need(&d->vregs, mma_registers(&d->in) - 1);
    if (memory_access(&d->in)) {
        bool vector = d->vectors >> memory_data(&d->in) & 1;
        need(vector ? &d->vregs : &d->xregs, register_of(d, memory_data(&d->in)) + memory_words(&d->in) - 1);
        if (memory_long(&d->in)) need(d->vectors >> ROLE_RS1 & 1 ? &d->vregs : &d->xregs, d->in.rs1 + 1u);
    }
    if (desc->kind == KIND_CSR && csr_per_lane(d->in.aux)) need(&d->vregs, d->in.rd);
    if ((desc->flags & ISA_V0) || !d->in.vm) need(&d->vregs, 0);
}

static bool is_arithmetic(unsigned kind) { return kind <= KIND_EV || kind == KIND_BRANCH || kind == KIND_VBRANCH; }

/* Is there more to the instruction than the engine's inline arithmetic can do? */
static bool is_modified(const struct decoded *d)
{
    bool own = isa_table[d->in.op].kind == KIND_EW; /* these have abs and neg of their own */
    return prefix_pairs(d) || (!own && (d->in.abs || d->in.neg));
}

static const char *refuse_pairs(const struct decoded *d)
{
    uint32_t flags = isa_table[d->in.op].flags;
    unsigned row = row_pairs(d);
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++)
        if ((d->pairs >> role & 1) && (register_of(d, role) & 1)) return "a register pair has an even number";
    if ((flags & ISA_SINGLE) || (row && d->pairs != row)) return "an instruction that has no form on register pairs";
    bool mixed = d->extend && d->pairs != registers(d);
    if (mixed && (flags & (ISA_FP | ISA_ROUND))) return "floating point on pairs and single registers";
    return NULL;
}

const char *code_refusal(const struct decoded *d)
{
    const struct isa_desc *row = &isa_table[d->in.op];
    if (is_modified(d) && !is_arithmetic(row->kind)) return "a prefix that this instruction does not take";
    if (row->kind == KIND_EW && d->in.elem > (row->flags & ISA_FP ? 1 : 2)) return "elements of a width that does not exist";
    return d->pairs ? refuse_pairs(d) : NULL;
}

static enum dispatch choose_dispatch(enum isa_profile profile, const struct decoded *d)
{
    unsigned kind = isa_table[d->in.op].kind;
    if (code_refusal(d)) return DISPATCH_REFUSED;
    if (memory_rare(&d->in)) return DISPATCH_MEMORY;
    if (memory_flat(profile, &d->in)) return DISPATCH_FLAT;
    if (!is_modified(d)) return (enum dispatch)d->in.op;
    return kind == KIND_BRANCH ? DISPATCH_BRANCH : kind == KIND_VBRANCH ? DISPATCH_VBRANCH : DISPATCH_EXACT;
}

static void analyse(enum isa_profile profile, struct decoded *d)
{
    find_operands(d);
    d->pairs = (row_pairs(d) | prefix_pairs(d)) & 15;
    d->extend = d->pairs && (isa_table[d->in.prefix].flags & ISA_EVEN);
    count_registers(d);
    d->dispatch = (uint16_t)choose_dispatch(profile, d);
}

void code_decode(const struct gpu *gpu, const uint32_t *words, size_t nwords, struct decoded *d)
{
    enum isa_profile profile = (enum isa_profile)gpu->config.profile;
    *d = (struct decoded){0};
    if (isa_decode_in(profile, words, nwords, &d->in)) analyse(profile, d);
}

size_t code_words(const struct gpu *gpu, uint32_t pc, uint32_t words[ISA_MAX_WORDS])
{
    size_t n = 0;
    uint64_t at = pc;
    for (; n < ISA_MAX_WORDS && pc % 4 == 0 && at < MEM_SPAN && mem_allows(gpu, (uint32_t)at, 4, GPU_EXEC); n++, at += 4)
        memcpy(&words[n], gpu->mem + at, 4);
    return n;
}

bool code_look(const struct gpu *gpu, uint32_t pc, struct insn *in)
{
    uint32_t words[ISA_MAX_WORDS];
    size_t n = code_words(gpu, pc, words);
    if (n) isa_decode_in((enum isa_profile)gpu->config.profile, words, n, in);
    return n;
}

/* ---- pages ---- */

static void decode_page(struct gpu *gpu, struct code_page *page)
{
    const uint32_t *words = (const uint32_t *)(gpu->mem + ((size_t)page->number << PAGE_BITS));
    bool more = page->number + 1 < PAGES && (gpu->pages[page->number + 1] & GPU_EXEC);
    unsigned end = PAGE_WORDS + (more ? ISA_MAX_WORDS : 0);
    for (unsigned i = 0; i < PAGE_WORDS; i++) {
        size_t nwords = end - i < ISA_MAX_WORDS ? end - i : ISA_MAX_WORDS;
        code_decode(gpu, words + i, nwords, &page->insns[i]);
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
    __atomic_store_n(&gpu->code[number], page, __ATOMIC_SEQ_CST);
    return page;
}

/* The current page; made if there is none. */
static struct code_page *find_page(struct gpu *gpu, uint32_t number)
{
    struct code_page *page = __atomic_load_n(&gpu->code[number], __ATOMIC_SEQ_CST);
    if (page || !(gpu->pages[number] & GPU_EXEC)) return page;
    pthread_mutex_lock(&gpu->code_lock);
    page = gpu->code[number];
    if (!page) page = make_page(gpu, number);
    pthread_mutex_unlock(&gpu->code_lock);
    return page;
}

const struct code_page *code_page(struct sm *sm, uint32_t pc)
{
    const struct code_page *page;
    while ((page = find_page(sm->gpu, pc >> PAGE_BITS)) && page != sm->page)
        __atomic_store_n(&sm->page, page, __ATOMIC_SEQ_CST);
    return page;
}

static bool in_use(const struct gpu *gpu, const struct code_page *page)
{
    for (uint32_t i = 0; i < gpu->config.sms; i++)
        if (__atomic_load_n(&gpu->sms[i].page, __ATOMIC_SEQ_CST) == page) return true;
    return false;
}

/* Frees dropped pages that no SM is in. With the lock held. */
static void sweep(struct gpu *gpu)
{
    for (struct code_page **link = &gpu->code_dropped, *page; (page = *link);) {
        if (in_use(gpu, page)) {
            link = &page->next;
            continue;
        }
        *link = page->next;
        free(page);
    }
}

void code_drop(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->code_lock);
    gpu->flags_known = false;
    while (gpu->code_list) {
        struct code_page *page = gpu->code_list;
        gpu->code_list = page->next;
        __atomic_store_n(&gpu->code[page->number], NULL, __ATOMIC_SEQ_CST);
        page->next = gpu->code_dropped;
        gpu->code_dropped = page;
    }
    sweep(gpu);
    pthread_mutex_unlock(&gpu->code_lock);
}

void code_leave(struct gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->config.sms; i++) __atomic_store_n(&gpu->sms[i].page, NULL, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&gpu->code_lock);
    sweep(gpu);
    pthread_mutex_unlock(&gpu->code_lock);
}

/* ---- flags ---- */

/* A csr instruction that names fflags, fcsr or vxsat. */
static bool names_flags(uint32_t word)
{
    uint32_t csr = word >> 20;
    return (word & 0x7f) == 0x73 && (word & 0x7000) && (csr == CSR_FFLAGS || csr == CSR_FCSR || csr == CSR_VXSAT);
}

static bool page_names_flags(const struct gpu *gpu, uint32_t number)
{
    const uint32_t *words = (const uint32_t *)(gpu->mem + ((size_t)number << PAGE_BITS));
    for (unsigned i = 0; i < PAGE_WORDS; i++)
        if (names_flags(words[i])) return true;
    return false;
}

static bool scan_code(const struct gpu *gpu)
{
    for (uint32_t first = 0; first < PAGES; first += 8) {
        uint64_t any;
        memcpy(&any, gpu->pages + first, sizeof any);
        for (uint32_t i = first; any && i < first + 8; i++)
            if ((gpu->pages[i] & GPU_EXEC) && page_names_flags(gpu, i)) return true;
    }
    return false;
}

bool code_reads_flags(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->code_lock);
    if (!gpu->flags_known) gpu->flags_read = scan_code(gpu);
    gpu->flags_known = true;
    bool reads = gpu->flags_read;
    pthread_mutex_unlock(&gpu->code_lock);
    return reads;
}
