/* Decoded code: whole pages, decoded when the first instruction of the page is fetched.
 *
 * Invariant: a page of gpu->code is also on gpu->code_list, and agrees with memory since the last
 * code_drop (the driver's writes and fence.i drop everything; so do changes of the mapping). An SM says which
 * page it is in (sm->page) before it looks whether the page is still current, code_drop takes a page out
 * before it looks who is in it: so either the SM tries again or the page is kept. */
#include <stdlib.h>
#include <string.h>

#include "isa/routine.h"
#include "host/host.h"
#include "sim/machine.h"
#include "sim/rows.h"

/* ---- what the engine wants to know beforehand ---- */

/* The elements of compute words have an abs and neg of their own, in place of the prefix's. */
static bool has_own_modifiers(const struct insn *in) { return isa_kinds[isa_table[in->op].kind].usage == USAGE_PARTS; }

/* Is it a value or condition that exact.c can compute on pairs and with abs and neg? */
static bool is_arithmetic(const struct insn *in)
{
    unsigned expression = isa_kinds[isa_table[in->op].kind].expression;
    return (expression == EXPRESSION_VALUE || expression == EXPRESSION_CONDITION) && !has_own_modifiers(in);
}

/* Does the instruction need more than the engine's inline arithmetic? */
static bool is_modified(const struct insn *in, const struct isa_effects *e)
{
    return in->apart || e->prefix_pairs || (!has_own_modifiers(in) && (in->abs || in->neg));
}

/* Operands that are no pairs are extended (r2.0). */
static bool extends(const struct insn *in) { return isa_table[in->prefix].flags & ISA_EVEN; }

static const char *refuse_pairs(const struct insn *in, const struct isa_effects *e)
{
    uint32_t flags = isa_table[in->op].flags;
    unsigned pairs = e->row_pairs | e->prefix_pairs;
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++)
        if ((pairs >> role & 1) && (isa_get(in, (enum operand_role)role) & 1))
            return "a register pair has an even number";
    if ((flags & ISA_SINGLE) || (e->row_pairs && pairs != e->row_pairs))
        return "an instruction that has no form on register pairs";
    bool mixed = extends(in) && pairs != (e->vectors | e->scalars);
    if (mixed && (flags & (ISA_FP | ISA_ROUND))) return "floating point on pairs and single registers";
    return NULL;
}

/* A scalar access is the warp's, so that a prefix cannot send it to the private memory of a lane. An address may be a
 * pair; behind a prefix of r2.0 words that are loaded or stored, too, nothing else. */
static const char *refuse_memory(const struct insn *in, const struct isa_effects *e)
{
    if (in->space == SPACE_PRIVATE && e->memory.address == ADDRESS_SCALAR)
        return "a scalar access of private memory, which is each lane's own";
    if (e->memory.is_long && in->rs1 & 1) return "a register pair has an even number";
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++) {
        bool used = (e->scalars | e->vectors) >> role & 1 && role != ROLE_RS1;
        bool data = role == e->memory.data && e->memory.words == 2;
        if (used && !data && isa_is_data_pair(in, role)) return "data, an index or a stride that cannot be a pair";
    }
    return NULL;
}

/* Why the machine has no semantics for an instruction. */
static const char *absence(enum isa_op op)
{
    const char *why = NULL;
    switch (op) {
#define ROW_ABSENT ~, REASON
#define REASON(id, expr) \
    case OP_##id: \
        why = (expr); \
        break;
#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) ROW(kind)(id, expr)
#include "isa/insn.def"
#undef INSN
    default: break;
    }
    return why ? why : "an instruction this machine does not execute";
}

static const char *refusal(const struct insn *in, const struct isa_effects *e)
{
    const struct isa_desc *row = &isa_table[in->op];
    if (row->kind == KIND_ABSENT) return absence((enum isa_op)in->op);
    if (is_modified(in, e) && !is_arithmetic(in)) return "a prefix that this instruction does not take";
    if (has_own_modifiers(in) && in->elem > (row->flags & ISA_FP ? 1 : 2))
        return "elements of a width that does not exist";
    if (e->memory.words) return refuse_memory(in, e);
    return e->row_pairs | e->prefix_pairs ? refuse_pairs(in, e) : NULL;
}

const char *code_refusal(const struct decoded *d)
{
    struct isa_effects e = isa_effects(&d->in, ISA_LANES);
    return refusal(&d->in, &e);
}

static unsigned space_of_row(const struct insn *in) { return isa_table[in->op].flags >> ISA_SPACE_SHIFT & 3; }

bool code_is_flat(enum isa_profile profile, const struct insn *in)
{
    struct isa_memory m = isa_memory(in);
    bool long_row = isa_table[in->op].flags & ISA_LONG;
    return profile == PROFILE_R2025 && m.address == ADDRESS_LANES && m.action <= ACTION_STORE && !space_of_row(in) &&
           !long_row && !in->space;
}

/* Memory accesses that the engine leaves to access.c: reservations, scalar atomics, what prefixes and rows say of
 * addresses, widths and spaces. */
static bool is_rare(const struct insn *in, const struct isa_memory *m)
{
    if (!m->words) return false;
    if (m->action == ACTION_LR || m->action == ACTION_SC) return true;
    if (m->action == ACTION_AMO && m->address == ADDRESS_SCALAR) return true;
    return m->is_long || m->words > 1 || in->space || space_of_row(in);
}

static enum dispatch choose_dispatch(enum isa_profile profile, const struct insn *in, const struct isa_effects *e)
{
    if (isa_table[in->op].kind == KIND_PREFIX || refusal(in, e)) return DISPATCH_REFUSED;
    if (is_rare(in, &e->memory)) return DISPATCH_MEMORY;
    if (code_is_flat(profile, in)) return DISPATCH_FLAT;
    if (!is_modified(in, e)) return (enum dispatch)in->op;
    if (e->control == CONTROL_BRANCH) return DISPATCH_BRANCH;
    return e->control == CONTROL_VBRANCH ? DISPATCH_VBRANCH : DISPATCH_EXACT;
}

static void analyse(enum isa_profile profile, struct decoded *d)
{
    struct isa_effects e = isa_effects(&d->in, ISA_LANES);
    d->vectors = e.vectors & 15;
    d->scalars = e.scalars & 15;
    d->pairs = (e.row_pairs | e.prefix_pairs) & 15;
    d->extend = d->pairs && extends(&d->in);
    d->vregs = e.v;
    d->xregs = e.x;
    d->dispatch = (uint16_t)choose_dispatch(profile, &d->in, &e);
}

void code_decode(const struct gpu *gpu, const uint32_t *words, size_t nwords, struct decoded *d)
{
    enum isa_profile profile = (enum isa_profile)gpu->config.profile;
    *d = (struct decoded){.dispatch = DISPATCH_REFUSED};
    if (isa_decode_in(profile, words, nwords, &d->in)) analyse(profile, d);
}

/* Can the word at an address be executed? */
static bool is_code(const struct gpu *gpu, uint64_t addr)
{
    return addr < MEM_SPAN && addr % 4 == 0 && (gpu->pages[addr >> PAGE_BITS] & GPU_EXEC);
}

size_t code_words(const struct gpu *gpu, uint32_t pc, uint32_t words[ISA_MAX_WORDS])
{
    size_t n = 0;
    uint64_t at = pc;
    for (; n < ISA_MAX_WORDS && is_code(gpu, at); n++, at += 4) memcpy(&words[n], gpu->mem + at, 4);
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

/* The page of the current code version, made if it does not exist. */
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

/* Frees dropped pages in which no SM executes. Called with the lock held. */
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
    gpu->code_known = false;
    gpu->code_version++;
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

/* ---- what is in the code ---- */

/* A csr instruction that names fflags, fcsr or vxsat. */
static bool names_flags(uint32_t word)
{
    uint32_t csr = word >> 20;
    return (word & 0x7f) == 0x73 && (word & 0x7000) && (csr == CSR_FFLAGS || csr == CSR_FCSR || csr == CSR_VXSAT);
}

static void look_at_page(struct code_traits *traits, const uint32_t words[PAGE_WORDS])
{
    for (unsigned i = 0; i < PAGE_WORDS; i++) {
        traits->reads_flags |= names_flags(words[i]);
        traits->has_routines |= words[i] == routine_word(ROUTINE_MARK);
    }
}

/* Of guest pages first to end - 1. Most have never been touched, where all of the code window is open; pages of the
 * host may be larger. */
static void look_at_pages(const struct gpu *gpu, struct host_pages *host, uint32_t first, uint32_t end,
                          struct code_traits *traits)
{
    uintptr_t base = (uintptr_t)gpu->mem, each = host->size >> PAGE_BITS;
    uintptr_t next = (base + ((uintptr_t)first << PAGE_BITS)) / host->size;
    uintptr_t behind = (base + ((uintptr_t)end << PAGE_BITS) + host->size - 1) / host->size;
    while ((next = host_touched(host, next, behind)) < behind) {
        uintptr_t page = (next++ * host->size - base) >> PAGE_BITS;
        for (uintptr_t i = page < first ? first : page; i < page + each && i < end; i++)
            look_at_page(traits, (const uint32_t *)(gpu->mem + (i << PAGE_BITS)));
    }
}

/* The first page from `i` on that may be executed, or one from code_end on. */
static uint32_t next_executable(const struct gpu *gpu, uint32_t i)
{
    static const uint8_t none[8];
    while (i < gpu->code_end && !(gpu->pages[i] & GPU_EXEC))
        i += i % sizeof none == 0 && !memcmp(gpu->pages + i, none, sizeof none) ? sizeof none : 1;
    return i;
}

static struct code_traits scan_code(const struct gpu *gpu)
{
    struct host_pages host;
    struct code_traits traits = {0};
    host_pages_open(&host);
    for (uint32_t i = gpu->code_first, end; (i = next_executable(gpu, i)) < gpu->code_end; i = end) {
        for (end = i; end < gpu->code_end && (gpu->pages[end] & GPU_EXEC);) end++;
        look_at_pages(gpu, &host, i, end, &traits);
    }
    host_pages_close(&host);
    return traits;
}

struct code_traits code_traits(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->code_lock);
    if (!gpu->code_known) gpu->code_traits = scan_code(gpu);
    gpu->code_known = true;
    struct code_traits traits = gpu->code_traits;
    pthread_mutex_unlock(&gpu->code_lock);
    return traits;
}

bool code_reads_flags(struct gpu *gpu) { return code_traits(gpu).reads_flags; }

/* Is it a transfer within a function, neither a call nor a return? */
static bool may_end_quantum(const struct insn *in, uint32_t pc, uint32_t to)
{
    switch (isa_effects(in, ISA_LANES).control) {
    case CONTROL_BRANCH:
    case CONTROL_VBRANCH: return true;
    case CONTROL_JUMP: return !in->rd;
    case CONTROL_JOIN: return to < pc;
    default: return false;
    }
}

bool code_went_back(const struct gpu *gpu, uint32_t pc, uint32_t to)
{
    struct insn in;
    return to <= pc && code_look(gpu, pc, &in) && may_end_quantum(&in, pc, to);
}
