/* What accesses of a kernel look like: an observer of chosen launches, which run with hooks (profile.h). Called by the
 * machine, on one thread, and by driver/report.c. */
#include <stdlib.h>

#include "isa/abi.h"
#include "profile/profile.h"
#include "sim/warp.h"

enum { BANKS = 32, LINE = PROFILE_LINE };

/* Numbers that differ among n, which is at most ISA_LANES. */
static unsigned count_different(const uint32_t *numbers, unsigned n)
{
    unsigned different = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned k = 0;
        while (k < i && numbers[k] != numbers[i]) k++;
        different += k == i;
    }
    return different;
}

/* Lines of the cache that an access touches. */
static unsigned lines_of(const uint32_t *addr, unsigned n, uint32_t size)
{
    uint32_t lines[2 * ISA_LANES];
    for (unsigned i = 0; i < n; i++) lines[2 * i] = addr[i] / LINE, lines[2 * i + 1] = (addr[i] + size - 1) / LINE;
    return count_different(lines, 2 * n);
}

/* How often the busiest bank of local memory is needed beyond the first time: lanes with the same word share it. */
static unsigned conflicts_of(const uint32_t *addr, unsigned n)
{
    uint32_t words[ISA_LANES];
    unsigned most = 0;
    for (uint32_t bank = 0; bank < BANKS; bank++) {
        unsigned here = 0;
        for (unsigned i = 0; i < n; i++)
            if (addr[i] / 4 % BANKS == bank) words[here++] = addr[i] / 4;
        here = count_different(words, here);
        most = here > most ? here : most;
    }
    return most - 1;
}

static enum profile_pattern pattern_of(const uint32_t *addr, unsigned n, uint32_t size)
{
    if (n == 1) return PATTERN_SINGLE;
    const uint32_t step = addr[1] - addr[0];
    for (unsigned i = 2; i < n; i++)
        if (addr[i] - addr[i - 1] != step) return PATTERN_SCATTERED;
    return !step ? PATTERN_BROADCAST : step == size ? PATTERN_CONSECUTIVE : PATTERN_STRIDED;
}

static void see_access(void *user, const struct warp *w, const struct insn *insn, const struct access *a)
{
    const struct profile_kernel *k = user;
    const uint32_t at = w->pc - k->base;
    uint32_t addr[ISA_LANES];
    unsigned n = 0;
    (void)insn;
    for (uint32_t lanes = a->lanes; lanes; lanes &= lanes - 1) addr[n++] = a->addr[__builtin_ctz(lanes)];
    if (at >= k->size || !n || !k->memory) return;
    struct profile_memory *m = &k->memory[at / 4];
    m->accesses++;
    m->lanes += n;
    m->bytes += (uint64_t)n * a->size;
    m->write |= a->write;
    m->patterns[pattern_of(addr, n, a->size)]++;
    m->local = addr[0] - ABI_LOCAL_BASE < ABI_LOCAL_LIMIT - ABI_LOCAL_BASE;
    if (m->local) m->conflicts += conflicts_of(addr, n);
    else m->lines += lines_of(addr, n, a->size);
}

const struct observer *profile_watch(struct profile_kernel *k)
{
    if (!k->memory) k->memory = calloc(k->size / 4 + 1, sizeof *k->memory);
    if (!k->memory) return NULL;
    k->watched++;
    k->watch = (struct observer){.user = k, .access = see_access};
    return &k->watch;
}

const char *profile_pattern_name(enum profile_pattern pattern)
{
    static const char *const names[PATTERNS] = {"single", "broadcast", "consecutive", "strided", "scattered"};
    return names[pattern];
}
