/* Fetches instructions by virtual address (SV39): the page behind a page may be anywhere in physical memory.
 *
 * Decoded pages are physical (code.c), so an instruction at the end of one is decoded by itself. Engines call this. */
#include "sim/machine.h"

_Noreturn static void refuse_fetch(struct sm *sm, uint64_t addr, const char *why)
{
    fault_throw(sm, why ? FAULT_PAGE : FAULT_FETCH, ISA_LANES, addr, why);
}

/* Do the words begin an instruction that has more of them? */
static bool goes_on(enum isa_profile profile, const uint32_t *words, size_t n)
{
    struct insn in;
    size_t first = isa_decode_raw(profile, words, n, &in) && isa_table[in.op].kind == KIND_PREFIX;
    if (first == n) return true;
    return !isa_decode_raw(profile, words + first, n - first, &in) && n - first == 1 && (words[first] & 0x7f) == 0x3f;
}

/* Fetches an instruction near the end of its page, which may continue in the next one. */
static const struct decoded *fetch_across(struct sm *sm, uint32_t pc)
{
    enum isa_profile profile = (enum isa_profile)sm->gpu->config.profile;
    uint32_t words[ISA_MAX_WORDS];
    const char *why;
    size_t n = translate_code(sm, pc, words, ISA_MAX_WORDS, &why), more = 0;
    uint64_t next = (uint64_t)pc + 4 * n;
    if (!n) refuse_fetch(sm, pc, why);
    if (n < ISA_MAX_WORDS && next < MEM_SPAN) more = translate_code(sm, next, words + n, ISA_MAX_WORDS - n, &why);
    if (!more && n < ISA_MAX_WORDS && goes_on(profile, words, n)) refuse_fetch(sm, next, next < MEM_SPAN ? why : NULL);
    code_decode(sm->gpu, words, n + more, &sm->across);
    return &sm->across;
}

const struct decoded *fetch_translated(struct sm *sm, uint32_t pc)
{
    uint32_t at, index = pc % ABI_PAGE / 4;
    if (pc & 3) fault_throw(sm, FAULT_FETCH, ISA_LANES, pc, "not on a word");
    if (index + ISA_MAX_WORDS > PAGE_WORDS) return fetch_across(sm, pc);
    const char *why = translate(sm, pc, GPU_EXEC, &at);
    const struct code_page *page = why ? NULL : code_page(sm, at);
    if (!page) refuse_fetch(sm, pc, why);
    return &page->insns[index];
}
