/* SV39 translates the virtual addresses of a launch that asks for it.
 *
 * Tables have three levels of 512 entries of eight bytes; pages are of 4 KiB, superpages of 2 MiB and 1 GiB. The
 * machine obeys V, R, W and X. It ignores U, because there is one mode, and neither needs nor writes A and D, because
 * the public driver writes V, R, W and X alone and nobody evicts pages. Physical addresses are those of the 4 GiB
 * window. Engines that offer it (NEEDS_SV39) and access.c translate.
 *
 * Each SM keeps the pages it used last. It forgets them when a work-group starts, at fence and fence.i, and when
 * another root is used; it sees a table that changes in between late, as hardware does. */
#include <string.h>

#include "sim/layout.h"
#include "sim/machine.h"
#include "sim/sv39.h"

#define PTE_RESERVED (~0ull << 54)
#define PPN_MASK     ((1ull << 44) - 1)

void translate_forget(struct sm *sm) { memset(sm->tlb, 0, sizeof sm->tlb); }

/* Bits 63 to 39 repeat bit 38. */
static bool is_canonical(uint64_t addr) { return (uint64_t)((int64_t)(addr << 25) >> 25) == addr; }

/* Reads an entry; false when the table is not in open memory. */
static bool read_entry(const struct gpu *gpu, uint64_t addr, uint64_t *entry)
{
    if (addr >= MEM_SPAN || !mem_allows(gpu, (uint32_t)addr, SV39_ENTRY_BYTES, GPU_READ)) return false;
    *entry = __atomic_load_n((const uint64_t *)(gpu->mem + addr), __ATOMIC_RELAXED);
    return true;
}

static const char *refused(uint64_t entry, unsigned access)
{
    if (access == GPU_READ && !(entry & SV39_R)) return "page is not readable";
    if (access == GPU_WRITE && !(entry & SV39_W)) return "page is not writable";
    if (access == GPU_EXEC && !(entry & SV39_X)) return "page is not executable";
    return NULL;
}

/* Finds the physical address of `addr` by the leaf entry of a level. */
static const char *leaf(uint64_t entry, unsigned level, uint64_t addr, uint64_t *physical)
{
    uint64_t span = 1ull << (PAGE_BITS + level * SV39_INDEX_BITS), base = (entry >> SV39_NUMBER_SHIFT & PPN_MASK)
                                                                          << PAGE_BITS;
    if (base & (span - 1)) return "misaligned superpage";
    *physical = base | (addr & (span - 1));
    return *physical < MEM_SPAN ? NULL : "physical address beyond 4 GiB";
}

/* Walks the tables. Returns NULL, or why the address has no translation. */
static const char *walk(const struct gpu *gpu, uint64_t table, uint64_t addr, uint64_t *entry, uint64_t *physical)
{
    if (!is_canonical(addr)) return "address is not sign-extended from bit 38";
    for (unsigned level = SV39_LEVELS; level--;) {
        uint64_t index = addr >> (PAGE_BITS + level * SV39_INDEX_BITS) & ((1 << SV39_INDEX_BITS) - 1);
        if (!read_entry(gpu, table + index * SV39_ENTRY_BYTES, entry)) return "page table outside memory";
        if (!(*entry & SV39_V)) return "not present";
        if (*entry & PTE_RESERVED) return "reserved bits of the page table entry are set";
        if ((*entry & SV39_W) && !(*entry & SV39_R)) return "writable but not readable is reserved";
        if (*entry & (SV39_R | SV39_X)) return leaf(*entry, level, addr, physical);
        table = (*entry >> SV39_NUMBER_SHIFT & PPN_MASK) << PAGE_BITS;
    }
    return "page table of more than three levels";
}

static uint8_t granted(uint64_t entry)
{
    return (uint8_t)((entry & SV39_R ? GPU_READ : 0) | (entry & SV39_W ? GPU_WRITE : 0) |
                     (entry & SV39_X ? GPU_EXEC : 0));
}

/* Scatters pages over the entries, because code, data and private memory begin at round addresses. */
static struct tlb_entry *tlb_place(struct sm *sm, uint64_t page)
{
    return &sm->tlb[(page * 0x9e3779b97f4a7c15) >> (64 - TLB_BITS)];
}

const char *translate(struct sm *sm, uint64_t addr, unsigned access, uint32_t *physical)
{
    uint64_t page = addr >> PAGE_BITS, entry, at;
    uint32_t root = sm->warp->group->launch->page_table;
    struct tlb_entry *t = tlb_place(sm, page);
    if (root != sm->tlb_root) translate_forget(sm);
    sm->tlb_root = root;
    if (t->page != page || !(t->access & access)) {
        const char *why = walk(sm->gpu, root, addr, &entry, &at);
        if (!why) why = refused(entry, access);
        if (why) return why;
        *t = (struct tlb_entry){.page = page, .frame = (uint32_t)(at >> PAGE_BITS), .access = granted(entry)};
    }
    *physical = t->frame << PAGE_BITS | (uint32_t)(addr & (ABI_PAGE - 1));
    return NULL;
}

bool is_translated(const struct launch *l, uint64_t addr) { return l->sv39 && !is_local(addr); }

const void *launch_memory(struct gpu *gpu, const struct launch *l, uint64_t addr, uint32_t size)
{
    uint64_t entry, at = addr;
    bool translated = is_translated(l, addr);
    if (translated && (addr % ABI_PAGE + size > ABI_PAGE || walk(gpu, l->page_table, addr, &entry, &at))) return NULL;
    return at < MEM_SPAN ? gpu_mem(gpu, (uint32_t)at, size) : NULL;
}

/* ---- words of code ---- */

size_t translate_code(struct sm *sm, uint64_t pc, uint32_t *words, size_t most, const char **why)
{
    uint32_t at;
    size_t left = (ABI_PAGE - pc % ABI_PAGE) / 4;
    *why = translate(sm, pc, GPU_EXEC, &at);
    if (*why || !mem_allows(sm->gpu, at, 4, GPU_EXEC)) return 0;
    if (most > left) most = left;
    memcpy(words, sm->mem + at, most * 4);
    return most;
}

static size_t translate_words(struct sm *sm, uint32_t pc, uint32_t words[ISA_MAX_WORDS])
{
    const char *why;
    size_t n = translate_code(sm, pc, words, ISA_MAX_WORDS, &why);
    uint64_t next = (uint64_t)pc + 4 * n;
    if (n && n < ISA_MAX_WORDS && next < MEM_SPAN) n += translate_code(sm, next, words + n, ISA_MAX_WORDS - n, &why);
    return n;
}

size_t warp_code(const struct warp *w, uint32_t pc, uint32_t words[ISA_MAX_WORDS])
{
    struct sm *sm = w->group->sm;
    if (pc % 4) return 0;
    return w->group->launch->sv39 ? translate_words(sm, pc, words) : code_words(sm->gpu, pc, words);
}
