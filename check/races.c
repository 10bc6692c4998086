/* Data races: two accesses to a byte by different work-items, at least one a plain write, that nothing orders.
 *
 * Within a work-group a barrier orders what it fences (local, global memory or both), within a warp a
 * sub-group barrier everything. Atomics order, too: machine code does not tell a relaxed one from others, so
 * each counts as acquire and release of its word, and what comes after it as ordered behind all that came
 * before the last one to that word. A plain access between two fences is how the library loads and stores
 * atomically; it counts as atomic.
 *
 * Of each unit of memory the last plain write, the last atomic and two reads are remembered; two, because a
 * write may be allowed after one's own read but not after another's. Whether a race is seen does not depend
 * on the order in which the machine happens to run warps, but for those that atomics hide. */
#include <stdlib.h>
#include <string.h>

#include "check/parts.h"

enum { WORD_SHIFT = 2, NEARBY = 8 };
static const uint64_t most_bytes = 1ull << 30;

bool races_init(struct races *r)
{
    r->pages = calloc(PAGES, sizeof(struct race_page *));
    return r->pages != NULL;
}

void races_free(struct races *r)
{
    for (uint32_t i = 0; i < PAGES && r->pages; i++) free(r->pages[i]);
    free(r->pages);
}

/* ---- pages ---- */

static size_t page_bytes(uint32_t shift)
{
    return sizeof(struct race_page) + ((size_t)ABI_PAGE >> shift) * sizeof(struct unit);
}

static struct race_page *make_page(struct races *r, uint32_t shift)
{
    struct race_page *page = r->bytes + page_bytes(shift) <= most_bytes ? calloc(1, page_bytes(shift)) : NULL;
    if (!page) {
        r->full = true;
        return NULL;
    }
    page->shift = shift;
    r->bytes += page_bytes(shift);
    return page;
}

/* From words to bytes: each inherits what its word knows. */
static struct race_page *refine(struct races *r, uint32_t number)
{
    struct race_page *old = r->pages[number], *page = make_page(r, 0);
    if (!page) return old;
    page->launch = old->launch;
    for (uint32_t i = 0; i < ABI_PAGE; i++) page->units[i] = old->units[i >> old->shift];
    r->bytes -= page_bytes(old->shift);
    free(old);
    return r->pages[number] = page;
}

/* The page that knows of an address; NULL: it is not watched. */
static struct race_page *page_for(struct check *c, uint32_t addr, bool bytes)
{
    struct races *r = &c->races;
    uint32_t number = addr >> PAGE_BITS;
    if (!r->pages[number]) r->pages[number] = make_page(r, bytes ? 0 : WORD_SHIFT);
    struct race_page *page = r->pages[number];
    if (!page) return NULL;
    if (page->launch != c->launch) {
        memset(page->units, 0, page_bytes(page->shift) - sizeof *page);
        page->launch = c->launch;
    }
    return bytes && page->shift ? refine(r, number) : page;
}

void races_forget(struct races *r, uint32_t addr, uint64_t size)
{
    for (uint64_t a = addr; a < addr + size; a += ABI_PAGE)
        if (r->pages[a >> PAGE_BITS]) r->pages[a >> PAGE_BITS]->launch = 0;
}

/* ---- loops of compare and exchange ----
 *
 * They begin with a plain load that races with the atomics of others; it is harmless, since the exchange fails if
 * another value is there by then. So a load whose work-item goes on to an atomic of the same word does not race
 * with atomics. */

static void note_load(struct checked_warp *cw, const struct warp *w, const struct access *a)
{
    unsigned i = cw->nloads++ % RECENT_LOADS;
    cw->loads[i].pc = w->pc;
    cw->loads[i].lanes = a->lanes;
    memcpy(cw->loads[i].addr, a->addr, sizeof cw->loads[i].addr);
}

static void note_poll(struct races *r, uint32_t pc)
{
    for (unsigned i = 0; i < r->npolls; i++)
        if (r->polls[i] == pc) return;
    if (r->npolls < MOST_POLLS) r->polls[r->npolls++] = pc;
}

static void note_atomic(struct races *r, const struct checked_warp *cw, const struct access *a)
{
    uint32_t lane = a->lanes ? (uint32_t)__builtin_ctz(a->lanes) : 0, addr = a->addr[lane];
    for (unsigned i = 0; i < RECENT_LOADS && i < cw->nloads; i++) {
        bool scalar = !cw->loads[i].lanes,
             same = scalar ? cw->loads[i].addr[0] == addr : cw->loads[i].addr[lane] == addr;
        if (same && (scalar || cw->loads[i].lanes >> lane & 1)) note_poll(r, cw->loads[i].pc);
    }
}

bool races_excused(const struct races *r, const struct check_report *report)
{
    const struct check_side *load = report_load_of_exchange(report);
    for (unsigned i = 0; load && i < r->npolls; i++)
        if (r->polls[i] == load->pc) return true;
    return false;
}

/* ---- order ---- */

struct accessor {
    struct checked_group *group;
    const struct touch *touch;
    struct stamp stamp;
};

static bool same_warp(const struct accessor *me, const struct stamp *s)
{
    uint32_t threads = me->touch->warp->group->launch->threads_per_warp;
    return s->group == me->stamp.group && s->item / threads == me->stamp.item / threads;
}

/* Scalar accesses stand for several work-items, each of which has also done it itself. */
static bool same_items(const struct accessor *me, const struct stamp *s, bool was_write)
{
    if (s->group != me->stamp.group) return false;
    if (!s->wide && !me->stamp.wide) return s->item == me->stamp.item;
    return same_warp(me, s) && ((s->wide && me->stamp.wide) || (s->wide && was_write && !me->touch->write));
}

static bool ordered(const struct check *c, const struct accessor *me, const struct stamp *s, bool was_write)
{
    bool local = is_local(me->touch->addr);
    if (!s->valid || same_items(me, s, was_write)) return true;
    if (s->time <= me->group->ordered[me->stamp.item]) return true;
    if (s->group != me->stamp.group) return local; /* each group has its own */
    if (s->time <= me->group->met[local]) return true;
    if (!same_warp(me, s)) return false;
    return s->time <= me->group->warps[me->touch->warp->wid].met ||
           (c->what & CHECK_LOCKSTEP && s->time < me->stamp.time);
}

/* ---- reports ---- */

static void report(struct check *c, const struct accessor *me, const struct access *a, const struct stamp *s,
                   const char *does)
{
    const struct warp *w = me->touch->warp;
    const uint32_t threads = w->group->launch->threads_per_warp;
    uint32_t lanes = a->lanes ? 1u << me->touch->lane : w->active, other = (uint32_t)s->item;
    /* Nobody collides with himself: of a scalar access it is another one of its lanes. */
    if (same_warp(me, s) && other == me->stamp.item && s->wide) other += s->second - other % threads;
    else if (same_warp(me, s) && !a->lanes) lanes &= ~(1u << other % threads);
    struct check_report *r = report_new(c, CHECK_RACES, s->pc, w, lanes);
    if (!r) return;
    report_access(c, r, w, a, a->lanes ? me->touch->lane : 0);
    report_other(c, r, "not ordered with", does, s->pc);
    report_item(c, &r->other.first, s->group, w->group->launch, other);
    r->other.lanes = s->wide ? 0 : 1u << r->other.first.lane;
    const char *who = s->group != me->stamp.group ? "work-items of different groups"
                      : !same_warp(me, s)         ? "work-items of a group"
                      : s->time == me->stamp.time ? "work-items of one warp in the same instruction"
                                                  : "work-items of one warp";
    snprintf(r->what, sizeof r->what, "data race between %s", who);
}

/* Does the store leave the byte as it is, or as the other lane of the same instruction leaves it? */
static bool same_value(const struct check *c, const struct accessor *me, const struct insn *in, const struct access *a,
                       const struct stamp *s)
{
    const struct warp *w = me->touch->warp;
    unsigned reg = (unsigned)isa_get(in, (enum operand_role)isa_memory(in).data) + (c->word ? c->word - 1 : 0);
    uint32_t value = a->lanes ? w->v[reg][me->touch->lane] : w->x[reg % ISA_XREGS], other;
    uint32_t mask = a->size == 4 ? ~0u : (1u << 8 * a->size) - 1;
    if (a->lanes && same_warp(me, s) && s->time == me->stamp.time) {
        uint32_t lane = (uint32_t)s->item % w->group->launch->threads_per_warp;
        return a->addr[lane] == me->touch->addr && !((w->v[reg][lane] ^ value) & mask);
    }
    const void *now = warp_memory(w, me->touch->addr, a->size);
    if (!now || a->size > 4) return false;
    other = 0;
    memcpy(&other, now, a->size);
    return !((other ^ value) & mask);
}

/* ---- one access ---- */

/* Of two readers, keep those that tell most: of different groups if possible, else of different items. */
static void note_read(struct unit *u, const struct stamp *me)
{
    struct stamp last = u->read[0], far = u->read[1];
    bool far_counts = far.valid && far.group != me->group;
    if (last.valid && (last.group != me->group || (!far_counts && last.item != me->item))) u->read[1] = last;
    u->read[0] = *me;
}

static void plain(struct check *c, const struct accessor *me, const struct insn *in, const struct access *a,
                  struct unit *u)
{
    if (!ordered(c, me, &u->atomic, true)) report(c, me, a, &u->atomic, "atomic");
    if (!ordered(c, me, &u->write, true) && !(a->write && same_value(c, me, in, a, &u->write)))
        report(c, me, a, &u->write, "store");
    for (int i = 0; i < 2 && a->write; i++)
        if (!ordered(c, me, &u->read[i], false)) report(c, me, a, &u->read[i], "load");
    if (a->write) u->write = me->stamp;
    else note_read(u, &me->stamp);
}

static void atomic(struct check *c, const struct accessor *me, const struct access *a, struct unit *u)
{
    uint64_t *mine = &me->group->ordered[me->stamp.item];
    if (u->atomic.valid && u->atomic.time > *mine) *mine = u->atomic.time;
    if (!ordered(c, me, &u->write, true)) report(c, me, a, &u->write, "store");
    for (int i = 0; i < 2 && a->write; i++)
        if (!ordered(c, me, &u->read[i], false)) report(c, me, a, &u->read[i], "load");
    u->atomic = me->stamp;
}

/* The instructions that follow in a straight line reach a fence before they touch memory. */
static bool fence_follows(const struct check *c, const struct warp *w, const struct insn *in)
{
    uint32_t pc = w->pc + in->size;
    for (int i = 0; i < NEARBY; i++) {
        struct insn next;
        if (!code_look(c->gpu, pc, &next)) return false;
        unsigned control = isa_kinds[isa_table[next.op].kind].control;
        if (control == CONTROL_FENCE) return true;
        if (isa_memory(&next).words || control == CONTROL_BRANCH || control == CONTROL_VBRANCH ||
            control == CONTROL_JUMP || control == CONTROL_INDIRECT)
            return false;
        pc += next.size;
    }
    return false;
}

static unsigned second_lane(const struct warp *w)
{
    const uint32_t others = w->active & (w->active - 1);
    return others ? (unsigned)__builtin_ctz(others) : 0;
}

void races_access(struct check *c, const struct warp *w, const struct insn *in, const struct access *a, uint32_t lanes)
{
    const struct group *g = w->group;
    struct checked_warp *cw = &c->group->warps[w->wid];
    bool as_atomic = a->atomic || (cw->fenced && fence_follows(c, w, in));
    if (a->atomic) note_atomic(&c->races, cw, a);
    else if (!a->write) note_load(cw, w, a);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), addr = a->addr[lane];
        if (in_private(g, addr) || in_stack(c, g, addr) ||
            (addr >= ABI_CODE_BASE && addr < ABI_CODE_LIMIT && !a->write))
            continue;
        // clang-format off
        struct touch t = {.warp = w, .lane = a->lanes ? lane : first_lane(w), .addr = addr, .size = a->size,
                          .scalar = !a->lanes, .write = a->write};
        // clang-format on
        struct accessor me = {.group = c->group, .touch = &t};
        me.stamp = (struct stamp){.group = g->wgid,
                                  .pc = w->pc,
                                  .time = c->races.time,
                                  .item = (uint16_t)(w->tid + t.lane),
                                  .valid = 1,
                                  .wide = !a->lanes && w->nactive > 1,
                                  .second = second_lane(w)};
        struct race_page *page = page_for(c, addr, a->size < 4 || addr % 4);
        if (!page) continue;
        for (uint32_t i = 0; i < a->size && addr % ABI_PAGE + i < ABI_PAGE; i += 1u << page->shift) {
            struct unit *u = &page->units[(addr % ABI_PAGE + i) >> page->shift];
            if (as_atomic) atomic(c, &me, a, u);
            else plain(c, &me, in, a, u);
        }
    }
}
