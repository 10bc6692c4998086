/* Accesses that are not inside any memory, overflow a stack, or are at odd addresses.
 *
 * Private memory is checked by the offset of each work-item. */
#include "check/parts.h"

static bool inside_place(const struct place *p, const struct touch *t)
{
    return p && t->size <= p->size - (t->addr - p->base);
}

/* Vector accesses have no business in the scalar stacks, scalar ones only in their own warp's; but the last part of
 * each is where the library's functions of groups and sub-groups exchange values. */
static bool stack_ok(const struct check *c, const struct touch *t, uint32_t offset)
{
    uint32_t stack = c->about.stack_bytes, at = offset % stack;
    bool own = t->scalar && offset / stack == t->warp->wid;
    return (own || at >= ABI_WARP_SCRATCH) && at + t->size <= stack;
}

static bool local_ok(const struct check *c, const struct touch *t)
{
    const struct group *g = t->warp->group;
    uint32_t offset = t->addr - g->lds_base;
    if (!c->about.stack_bytes || !c->about.parts) return true;
    if (in_stack(c, g, t->addr)) return stack_ok(c, t, offset);
    const struct named_range *p = places_part(c, offset);
    return p && t->size <= p->size - (offset - p->at);
}

static bool access_ok(const struct check *c, const struct touch *t)
{
    const struct group *g = t->warp->group;
    if (t->addr > UINT32_MAX - (t->size - 1)) return false;
    if (in_local(g, t->addr)) return in_local(g, t->addr + t->size - 1) && local_ok(c, t);
    if (in_private(g, t->addr) || inside_place(places_at(&c->places, t->addr), t)) return true;
    return c->about.open_memory && !places_at(&c->places, t->addr) && t->addr < ABI_HEAP_BASE &&
           gpu_mem(c->gpu, t->addr, t->size);
}

/* Is it the stack pointer that has left the warp's own stack? */
static bool stack_overflow(const struct check *c, const struct touch *t, const struct insn *in)
{
    enum { SP = 2 };
    const struct group *g = t->warp->group;
    uint32_t stack = c->about.stack_bytes, offset = t->addr - g->lds_base - t->warp->wid * stack;
    return stack && t->scalar && in->rs1 == SP && offset + t->size > stack;
}

static void bounds(struct check *c, const struct warp *w, const struct access *a, uint32_t bad)
{
    struct check_report *r =
        bad && checks(c, CHECK_BOUNDS) ? report_new(c, CHECK_BOUNDS, 0, w, a->lanes ? bad : w->active) : NULL;
    if (!r) return;
    uint32_t lane = (uint32_t)__builtin_ctz(bad);
    report_access(c, r, w, a, lane);
    bool local = a->addr[lane] - w->group->lds_base < gpu_config_lds_stride(gpu_config_of(c->gpu));
    snprintf(r->what, sizeof r->what, "%s of %u bytes outside %s", r->by.does, (unsigned)a->size,
             local ? "the parts of local memory" : "every buffer");
}

static void overflow(struct check *c, const struct warp *w, const struct access *a, uint32_t bad, const char *what)
{
    struct check_report *r =
        bad && checks(c, CHECK_OVERFLOW) ? report_new(c, CHECK_OVERFLOW, 0, w, a->lanes ? bad : w->active) : NULL;
    if (!r) return;
    report_access(c, r, w, a, (uint32_t)__builtin_ctz(bad));
    snprintf(r->what, sizeof r->what, "%s", what);
}

static void alignment(struct check *c, const struct warp *w, const struct access *a, uint32_t bad)
{
    struct check_report *r =
        bad && checks(c, CHECK_ALIGN) ? report_new(c, CHECK_ALIGN, 0, w, a->lanes ? bad : w->active) : NULL;
    if (!r) return;
    report_access(c, r, w, a, (uint32_t)__builtin_ctz(bad));
    snprintf(r->what, sizeof r->what, "%s of %u bytes at an address that is no multiple of %u", r->by.does,
             (unsigned)a->size, (unsigned)a->size);
}

/* Lanes whose offset is not in their private memory. */
static uint32_t beyond_private(const struct warp *w, const struct insn *in, const struct access *a, uint32_t *offset)
{
    uint64_t limit = private_item_bytes(w->group->launch);
    uint32_t bad = 0;
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), o = w->v[in->rs1][lane] + (uint32_t)in->imm;
        if (o < limit && a->size <= limit - o) continue;
        if (!bad) *offset = o;
        bad |= 1u << lane;
    }
    return bad;
}

static uint32_t check_private(struct check *c, const struct warp *w, const struct insn *in, const struct access *a)
{
    char what[120];
    uint32_t offset = 0, bad = beyond_private(w, in, a, &offset);
    snprintf(what, sizeof what, "%s at byte %u of the %u bytes of private memory of a work-item",
             a->write ? "store" : "load", (unsigned)offset, (unsigned)w->group->launch->pds_bytes);
    overflow(c, w, a, bad, what);
    return a->lanes & ~bad;
}

uint32_t bounds_check(struct check *c, const struct warp *w, const struct insn *in, const struct access *a)
{
    uint32_t outside = 0, off = 0, over = 0, all = a->lanes ? a->lanes : 1;
    if (isa_memory(in).address == ADDRESS_PRIVATE && a->lanes) return check_private(c, w, in, a);
    for (uint32_t left = all; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct touch t = {.warp = w, .lane = lane, .addr = a->addr[lane], .size = a->size, .scalar = !a->lanes};
        if (stack_overflow(c, &t, in)) over |= 1u << lane;
        else if ((a->high && a->high[lane]) || !access_ok(c, &t)) outside |= 1u << lane;
        if (a->size <= 4 && t.addr % a->size) off |= 1u << lane;
    }
    bounds(c, w, a, outside);
    overflow(c, w, a, over, "the scalar stack of the warp is too small");
    alignment(c, w, a, off);
    return all & ~(outside | over);
}
