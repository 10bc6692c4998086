/* What accesses of a kernel look like: an observer of chosen launches, which run with hooks (profile.h). Called by the
 * machine, on one thread, and by driver/report.c. */
#include <stdlib.h>

#include "isa/abi.h"
#include "isa/effects.h"
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

/* Lanes that want the word that most of them want. */
static unsigned same_word_of(const uint32_t *addr, unsigned n)
{
    unsigned most = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned same = 0;
        for (unsigned k = 0; k < n; k++) same += addr[k] / 4 == addr[i] / 4;
        most = same > most ? same : most;
    }
    return most;
}

/* ---- launches that are watched ---- */

/* A work-group of one. */
struct watched_group {
    struct watched_group *next;
    const struct group *group;
    struct segments *segments;
    uint32_t barrier; /* that warps have come to */
};

struct watching {
    bool runs; /* a launch of it */
    struct touched *touched;
    struct watched_group *groups;
};

/* The lines that the access touches, in the order of its lanes, and whether the launch had touched them. */
static void see_lines(struct profile_memory *m, struct touched *touched, const uint32_t *addr, unsigned n,
                      uint32_t size)
{
    uint32_t lines[2 * ISA_LANES];
    for (unsigned i = 0; i < n; i++) lines[2 * i] = addr[i] / LINE, lines[2 * i + 1] = (addr[i] + size - 1) / LINE;
    for (unsigned i = 0; i < 2 * n; i++) {
        unsigned k = 0;
        while (lines[k] != lines[i]) k++;
        if (k < i) continue;
        const uint32_t since = touched_again(touched, lines[i]);
        m->lines++;
        m->again += since != 0;
        m->distance += since;
    }
}

static struct watched_group *group_of(const struct watching *w, const struct group *group)
{
    struct watched_group *g = w->groups;
    while (g && g->group != group) g = g->next;
    return g;
}

static bool is_private(const struct insn *in)
{
    const unsigned kind = isa_table[in->op].kind;
    return kind == KIND_PLOAD || kind == KIND_PSTORE;
}

static void see_shared(const struct profile_kernel *k, const struct warp *w, const struct access *a)
{
    const struct watched_group *g = group_of(k->watching, w->group);
    const uint32_t lanes = a->lanes ? a->lanes : 1;
    if (!g) return;
    for (uint32_t left = lanes; left; left &= left - 1)
        segments_access(g->segments, (uint32_t)(w - w->group->warps), a->addr[__builtin_ctz(left)],
                        a->write || a->atomic);
}

static void launch_begin(void *user, const struct launch *launch, const struct launch_info *info)
{
    struct watching *w = ((struct profile_kernel *)user)->watching;
    (void)launch, (void)info;
    w->runs = true;
    w->touched = touched_new();
}

static void launch_end(void *user, const struct launch *launch, const struct result *result)
{
    struct watching *w = ((struct profile_kernel *)user)->watching;
    (void)launch, (void)result;
    w->runs = false;
    touched_free(w->touched);
    w->touched = NULL;
}

static void group_begin(void *user, const struct group *group)
{
    struct watching *w = ((struct profile_kernel *)user)->watching;
    struct watched_group *g = calloc(1, sizeof *g);
    if (!g) return;
    *g = (struct watched_group){w->groups, group, segments_new(), 0};
    w->groups = g;
}

static void group_end(void *user, const struct group *group)
{
    struct watching *w = ((struct profile_kernel *)user)->watching;
    struct watched_group **link = &w->groups;
    while (*link && (*link)->group != group) link = &(*link)->next;
    struct watched_group *g = *link;
    if (!g) return;
    *link = g->next;
    segments_free(g->segments);
    free(g);
}

static enum observed see_before(void *user, struct warp *w, const struct insn *insn)
{
    const struct profile_kernel *k = user;
    const unsigned kind = isa_table[insn->op].kind;
    if (isa_kinds[kind].control != CONTROL_BARRIER && kind != KIND_DMA) return GO_ON;
    struct watched_group *g = group_of(k->watching, w->group);
    if (g && kind == KIND_DMA) segments_unknown(g->segments);
    else if (g) g->barrier = w->pc;
    return GO_ON;
}

static void see_released(void *user, const struct group *group)
{
    struct profile_kernel *k = user;
    const struct watched_group *g = group_of(k->watching, group);
    if (g && g->barrier - k->base < k->size) segments_barrier(g->segments, &k->memory[(g->barrier - k->base) / 4]);
}

static void see_access(void *user, const struct warp *w, const struct insn *insn, const struct access *a)
{
    const struct profile_kernel *k = user;
    const uint32_t at = w->pc - k->base;
    uint32_t addr[ISA_LANES];
    unsigned n = 0;
    if (!is_private(insn)) see_shared(k, w, a);
    for (uint32_t lanes = a->lanes; lanes; lanes &= lanes - 1) addr[n++] = a->addr[__builtin_ctz(lanes)];
    if (at >= k->size || !n || !k->memory) return;
    struct profile_memory *m = &k->memory[at / 4];
    m->accesses++;
    m->lanes += n;
    m->bytes += (uint64_t)n * a->size;
    m->write |= a->write;
    m->patterns[pattern_of(addr, n, a->size)]++;
    m->local = addr[0] - ABI_LOCAL_BASE < ABI_LOCAL_LIMIT - ABI_LOCAL_BASE;
    m->program |= !m->local && addr[0] < ABI_HEAP_BASE;
    if (a->atomic) m->atomics++, m->same_word += same_word_of(addr, n);
    if (m->local) m->conflicts += conflicts_of(addr, n);
    else see_lines(m, k->watching->touched, addr, n, a->size);
}

const struct observer *profile_watch(struct profile_kernel *k)
{
    if (!k->memory) k->memory = calloc(k->size / 4 + 1, sizeof *k->memory);
    if (!k->watching) k->watching = calloc(1, sizeof *k->watching);
    if (!k->memory || !k->watching) return NULL;
    if (k->watching->runs) return NULL; /* on another thread, perhaps */
    k->watched++;
    k->watch = (struct observer){.user = k,
                                 .launch_begin = launch_begin,
                                 .launch_end = launch_end,
                                 .group_begin = group_begin,
                                 .group_end = group_end,
                                 .before = see_before,
                                 .access = see_access,
                                 .released = see_released};
    return &k->watch;
}

void profile_watching_free(struct watching *w)
{
    while (w && w->groups) group_end(&(struct profile_kernel){.watching = w}, w->groups->group);
    if (w) touched_free(w->touched);
    free(w);
}

const struct profile_memory *profile_memory_at(const struct profile_kernel *k, uint32_t pc)
{
    const struct profile_memory *m = k->memory ? &k->memory[(pc - k->base) / 4] : NULL;
    return m && m->accesses ? m : NULL;
}

const char *profile_pattern_name(enum profile_pattern pattern)
{
    static const char *const names[PATTERNS] = {"single", "broadcast", "consecutive", "strided", "scattered"};
    return names[pattern];
}
