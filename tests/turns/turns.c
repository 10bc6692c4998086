/* States between the turns of warps (turns.h). */
#include "turns.h"

#include <stdlib.h>
#include <string.h>

#include "isa/abi.h"

enum { DATA_PAGES = 16 };

/* ---- what is seen ---- */

enum part {
    PART_LOOK,
    PART_GROUP,
    PART_LOCAL,
    PART_WARP,
    PART_STACK,
    PART_X,
    PART_V,
    PART_EXPAND,
    PART_RESERVED,
    PART_VALUES,
    PART_DATA,
    PART_LAUNCH,
};

/* Of a warp that has not ended, in this order. */
// clang-format off
#define WARP_WORDS(WORD) \
    WORD(pc) WORD(mask) WORD(depth) WORD(rpc) WORD(lanes) WORD(active) WORD(nactive) WORD(vl) WORD(vtype) \
    WORD(vstart) WORD(vxrm) WORD(frm) WORD(mstatus) WORD(mtvec) WORD(print) WORD(wid) WORD(tid) WORD(reserved_lanes)
// clang-format on

static const char *const warp_words[] = {
#define WORD(name) #name,
    "state", WARP_WORDS(WORD)
#undef WORD
};

static const char *const group_words[] = {
    "number", "x", "y", "z", "warps ended",
#define VENTUS_COUNTER(name, type, how, cl, text) #name,
#include "sim/counters.def"
#undef VENTUS_COUNTER
};

static const char *const look_words[] = {"groups", "one of them goes"};
static const char *const entry_words[] = {"rpc", "pc", "mask"};

static void mix(struct turns *t, const uint32_t *words, size_t n)
{
    uint64_t sum = t->sum, two;
    for (; n >= 2; n -= 2, words += 2) {
        memcpy(&two, words, sizeof two);
        sum = (sum ^ two) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    if (n) sum = (sum ^ *words) * 0x9e3779b97f4a7c15u;
    t->sum = sum ^ sum >> 32;
}

static void *grown(void *array, size_t bytes)
{
    void *more = realloc(array, bytes);
    if (!more) abort();
    return more;
}

/* Every piece of the state comes here, in the same order at each look. */
static void see(struct turns *t, struct turns_part part, const uint32_t *words, uint32_t n)
{
    mix(t, &n, 1);
    mix(t, words, n);
    if (t->count != t->wanted) return;
    part.at = t->nwords;
    part.words = n;
    t->parts = grown(t->parts, (t->nparts + 1) * sizeof part);
    t->words = grown(t->words, (t->nwords + n) * sizeof *words);
    t->parts[t->nparts++] = part;
    memcpy(t->words + t->nwords, words, n * sizeof *words);
    t->nwords += n;
}

/* ---- warps ---- */

/* Lanes that do not count are 0, and so is what a blank warp has not written. */
static void see_lanes(struct turns *t, struct turns_part part, const uint32_t row[ISA_LANES], uint32_t lanes)
{
    uint32_t words[ISA_LANES];
    for (uint32_t i = 0; i < ISA_LANES; i++) words[i] = lanes >> i & 1 ? row[i] : 0;
    see(t, part, words, ISA_LANES);
}

static void see_registers(struct turns *t, struct turns_part part, const struct warp *w)
{
    static const uint32_t zeros[ISA_XREGS];
    part.kind = PART_X;
    see(t, part, w->blank ? zeros : w->x, w->group->launch->sgprs);
    part.kind = PART_V;
    for (part.number = 0; part.number < w->group->launch->vgprs; part.number++)
        see_lanes(t, part, w->v[part.number], w->blank ? 0 : w->lanes);
}

static void see_warp(struct turns *t, const struct warp *w)
{
    struct turns_part part = {.group = w->group->wgid, .warp = w->wid, .kind = PART_WARP};
    const uint32_t words[] = {w->state,
#define WORD(name) w->name,
                              WARP_WORDS(WORD)
#undef WORD
    };
    if (w->state == WARP_ENDED) {
        see(t, part, words, 1);
        return;
    }
    see(t, part, words, sizeof words / sizeof *words);
    part.kind = PART_STACK;
    for (part.number = 0; part.number < w->depth; part.number++) see(t, part, &w->stack[part.number].rpc, 3);
    see_registers(t, part, w);
    part.number = 0;
    part.kind = PART_EXPAND;
    see_lanes(t, part, w->expand, w->lanes);
    part.kind = PART_RESERVED;
    see_lanes(t, part, w->reserved, w->reserved_lanes);
    part.kind = PART_VALUES;
    see_lanes(t, part, w->reserved_value, w->reserved_lanes);
}

/* ---- groups and memory ---- */

static void see_memory(struct turns *t, struct turns_part part, uint32_t addr, uint32_t size)
{
    const uint32_t *words = gpu_mem(t->gpu, addr, size);
    if (words) see(t, part, words, size / 4);
}

/* Of the first pages for data those that are open. */
static void see_data(struct turns *t)
{
    struct turns_part part = {.kind = PART_DATA};
    for (; part.number < DATA_PAGES; part.number++)
        see_memory(t, part, ABI_HEAP_BASE + part.number * ABI_PAGE, ABI_PAGE);
}

static void see_group(struct turns *t, const struct group *g)
{
    const struct counters *c = &g->counters;
    struct turns_part part = {.group = g->wgid, .kind = PART_GROUP};
    const uint32_t words[] = {
        g->wgid, g->index[0], g->index[1], g->index[2], g->ended,
#define VENTUS_COUNTER(name, type, how, cl, text) (uint32_t) c->name,
#include "sim/counters.def"
#undef VENTUS_COUNTER
    };
    see(t, part, words, sizeof words / sizeof *words);
    part.kind = PART_LOCAL;
    see_memory(t, part, g->lds_base, g->launch->lds_bytes);
    for (uint32_t i = 0; i < g->launch->warps; i++) see_warp(t, &g->warps[i]);
}

static void look(struct turns *t, const struct turn *last, const struct group *groups, bool one)
{
    uint32_t words[] = {0, one};
    for (const struct group *g = groups; g; g = one ? NULL : g->next) words[0]++;
    t->sum = 0;
    see(t, (struct turns_part){.kind = PART_LOOK}, words, 2);
    for (const struct group *g = groups; g; g = one ? NULL : g->next) see_group(t, g);
    see_data(t);
    see_memory(t, (struct turns_part){.kind = PART_LAUNCH}, ABI_LAUNCH_BASE, ABI_PAGE);
    if (t->count == t->wanted) t->behind = last->length;
    if (t->count == t->room) t->looks = grown(t->looks, (t->room = 2 * t->room + 64) * sizeof *t->looks);
    t->looks[t->count++] = t->sum;
}

/* ---- the scheduler ---- */

static uint32_t below(struct turns *t, uint32_t n)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(t->random >> 33) % n;
}

/* Short turns end in all places, and leave much to `step`; long ones are translated code's. */
static uint32_t any_length(struct turns *t)
{
    static const uint32_t most[] = {4, 40, 40, 200, 200, 700, 3000};
    return (1 + below(t, most[below(t, sizeof most / sizeof *most)])) * (t->longer ? 16 : 1);
}

/* Does a warp that is alone in its group go on behind a barrier, without anybody's being asked by translated code? Then
 * nobody looks, and its next turn is as long. */
static bool goes_on(const struct turns *t, uint32_t sm)
{
    const struct turn *last = &t->last[sm];
    const struct group *g = last->warp ? last->warp->group : NULL;
    return g && g->launch->warps == 1 && last->warp->state == WARP_WAITING && g->counters.instructions < last->keeps;
}

static struct warp *pick(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    struct turns *t = user;
    struct turn *last = &t->last[sm];
    bool same = goes_on(t, sm);
    if (!same) look(t, last, groups, false);
    struct warp *w = t->usual.pick(t->usual.user, sm, groups, budget);
    last->warp = w;
    last->keeps = t->keeps ? t->usual.keeps(t->usual.user, sm) : 0;
    if (!same) last->length = any_length(t);
    *budget = last->length;
    return w;
}

/* A group whose launch has failed is not looked at: the registers of the warp are lost that has made the access. */
static void removed(void *user, uint32_t sm, const struct group *group)
{
    struct turns *t = user;
    struct turn *last = &t->last[sm];
    look(t, last, group->ended == group->launch->warps ? group : NULL, true);
    if (last->warp && last->warp->group == group) last->warp = NULL;
    t->usual.removed(t->usual.user, sm, group);
}

static uint64_t keeps(void *user, uint32_t sm)
{
    const struct turns *t = user;
    return t->last[sm].keeps;
}

void turns_begin(struct turns *t, struct gpu *gpu)
{
    struct scheduler s = {.user = t, .pick = pick, .removed = removed, .rounds = t->seed & 1};
    const struct gpu_config *c = gpu_config_of(gpu);
    t->keeps = t->seed & 2;
    if (t->keeps) s.keeps = keeps;
    t->gpu = gpu;
    t->last = calloc(c->sms, sizeof *t->last);
    t->random = t->seed * 0x9e3779b97f4a7c15u;
    t->rotation = rotation_new(c->sms, c->quantum);
    if (!t->rotation || !t->last) abort();
    t->usual = rotation_scheduler(t->rotation);
    gpu_schedule(gpu, &s);
}

void turns_end(struct turns *t)
{
    gpu_schedule(t->gpu, NULL);
    rotation_free(t->rotation);
    free(t->last);
}

void turns_free(struct turns *t)
{
    free(t->looks);
    free(t->parts);
    free(t->words);
}

/* ---- differences ---- */

size_t turns_differ(const struct turns *a, const struct turns *b)
{
    size_t n = 0;
    while (n < a->count && n < b->count && a->looks[n] == b->looks[n]) n++;
    return n == a->count && n == b->count ? SIZE_MAX : n;
}

/* What word i of a part is called. */
static void name_word(const struct turns_part *p, uint32_t i, char *name, size_t size)
{
    char word[80] = "";
    unsigned n = (unsigned)p->number;
    switch ((enum part)p->kind) {
    case PART_LOOK: snprintf(name, size, "%s", look_words[i]); return;
    case PART_DATA: snprintf(name, size, "data + 0x%x", n * ABI_PAGE + (unsigned)i * 4); return;
    case PART_LAUNCH: snprintf(name, size, "metadata + 0x%x", (unsigned)i * 4); return;
    case PART_GROUP: snprintf(name, size, "group %u: %s", (unsigned)p->group, group_words[i]); return;
    case PART_LOCAL: snprintf(name, size, "group %u: local memory + 0x%x", (unsigned)p->group, (unsigned)i * 4); return;
    case PART_WARP: snprintf(word, sizeof word, "%s", warp_words[i]); break;
    case PART_STACK: snprintf(word, sizeof word, "stack entry %u %s", n, entry_words[i]); break;
    case PART_X: snprintf(word, sizeof word, "x%u", (unsigned)i); break;
    case PART_V: snprintf(word, sizeof word, "v%u lane %u", n, (unsigned)i); break;
    case PART_EXPAND: snprintf(word, sizeof word, "expand lane %u", (unsigned)i); break;
    case PART_RESERVED: snprintf(word, sizeof word, "reserved address of lane %u", (unsigned)i); break;
    case PART_VALUES: snprintf(word, sizeof word, "reserved word of lane %u", (unsigned)i); break;
    }
    snprintf(name, size, "group %u, warp %u: %s", (unsigned)p->group, (unsigned)p->warp, word);
}

/* Prints where two parts of the same kind differ; returns at how many words. */
static unsigned print_part(const struct turns *a, const struct turns *b, size_t part, unsigned most)
{
    const struct turns_part *p = &a->parts[part], *q = &b->parts[part];
    unsigned n = 0;
    char name[160];
    for (uint32_t i = 0; i < p->words && i < q->words && n < most; i++) {
        uint32_t x = a->words[p->at + i], y = b->words[q->at + i];
        if (x == y) continue;
        name_word(p, i, name, sizeof name);
        printf("  %s: %08x %08x\n", name, (unsigned)x, (unsigned)y);
        n++;
    }
    return n;
}

static bool same_part(const struct turns_part *p, const struct turns_part *q)
{
    return p->kind == q->kind && p->group == q->group && p->warp == q->warp && p->number == q->number;
}

void turns_print(const struct turns *a, const struct turns *b)
{
    enum { MOST = 24 };
    unsigned n = 0;
    printf("look %llu, behind turns of %u and %u instructions at most: step, native\n", (unsigned long long)a->wanted,
           (unsigned)a->behind, (unsigned)b->behind);
    if (!a->nparts || !b->nparts) printf("  there is none of %s\n", a->nparts ? "native" : "step");
    for (size_t i = 0; i < a->nparts && i < b->nparts && n < MOST && same_part(&a->parts[i], &b->parts[i]); i++)
        n += print_part(a, b, i, MOST - n);
}

void turns_show(const struct turns *t, FILE *out)
{
    char name[160];
    if (!t->nparts) {
        fputs("there is no such look\n", out);
        return;
    }
    fprintf(out, "look %zu, behind a turn of %u instructions at most\n", t->wanted, (unsigned)t->behind);
    for (const struct turns_part *p = t->parts; p < t->parts + t->nparts; p++)
        for (uint32_t i = 0; i < p->words; i++) {
            name_word(p, i, name, sizeof name);
            fprintf(out, "%s: %08x\n", name, (unsigned)t->words[p->at + i]);
        }
}
