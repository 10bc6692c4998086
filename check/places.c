/* Which memory exists, and what an address in it is called.
 *
 * Buffers are known to the byte; local memory is the group's own, divided into the parts that the launch names. */
#include <stdlib.h>
#include <string.h>

#include "check/parts.h"

/* ---- the map ---- */

/* Index of the first place whose end is above addr. */
static size_t place_above(const struct places *p, uint32_t addr)
{
    size_t lo = 0, hi = p->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (p->list[mid].base + p->list[mid].size > addr) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

void places_remove(struct places *p, uint32_t base, uint64_t size)
{
    size_t from = place_above(p, base), to = from;
    while (to < p->n && p->list[to].base < base + size) to++;
    if (to == from) return;
    memmove(p->list + from, p->list + to, (p->n - to) * sizeof *p->list);
    p->n -= to - from;
}

bool places_add(struct places *p, uint32_t base, uint64_t size, const char *name)
{
    if (!size) return true;
    places_remove(p, base, size);
    if (p->n == p->room) {
        size_t room = p->room ? 2 * p->room : 64;
        struct place *list = realloc(p->list, room * sizeof *list);
        if (!list) return false;
        p->list = list;
        p->room = room;
    }
    size_t i = place_above(p, base);
    memmove(p->list + i + 1, p->list + i, (p->n - i) * sizeof *p->list);
    p->list[i] = (struct place){.base = base, .size = size};
    snprintf(p->list[i].name, sizeof p->list[i].name, "%s", name);
    p->n++;
    return true;
}

const struct place *places_at(const struct places *p, uint32_t addr)
{
    size_t i = place_above(p, addr);
    return i < p->n && p->list[i].base <= addr ? &p->list[i] : NULL;
}

/* ---- the group's own memory ---- */

bool in_local(const struct group *g, uint32_t addr) { return addr - g->lds_base < g->launch->lds_bytes; }

bool in_private(const struct group *g, uint32_t addr) { return addr - g->pds_base < private_group_bytes(g->launch); }

bool in_stack(const struct check *c, const struct group *g, uint32_t addr)
{
    return addr - g->lds_base < (uint64_t)c->about.stack_bytes * g->launch->warps;
}

const struct named_range *places_part(const struct check *c, uint32_t offset)
{
    for (size_t i = 0; i < c->about.nparts; i++)
        if (offset - c->about.parts[i].at < c->about.parts[i].size) return &c->about.parts[i];
    return NULL;
}

/* ---- descriptions ---- */

enum { NEAR = 1 << 20 }; /* bytes around a buffer in which an address is described by it */

static void describe_distance(uint64_t offset, uint64_t size, const char *name, char *text, size_t n)
{
    unsigned long long at = offset, all = size;
    if (at < all) snprintf(text, n, "byte %llu of the %llu bytes of %s", at, all, name);
    else if (at == all) snprintf(text, n, "right behind the %llu bytes of %s", all, name);
    else snprintf(text, n, "%llu bytes behind the %llu bytes of %s", at - all, all, name);
}

static void describe_before(uint32_t distance, uint64_t size, const char *name, char *text, size_t n)
{
    snprintf(text, n, "%u bytes before the %llu bytes of %s", (unsigned)distance, (unsigned long long)size, name);
}

/* Bytes between an offset and a part, 0: it is inside or right behind. */
static uint64_t part_distance(const struct named_range *p, uint32_t offset)
{
    if (offset < p->at) return p->at - offset;
    return offset - p->at <= p->size ? 0 : offset - p->at - p->size;
}

/* The name of a place: that of an argument which points into it, its own, or its address. */
static void name_place(const struct check *c, const struct place *p, char *name, size_t n)
{
    for (size_t i = 0; i < c->about.npointers; i++) {
        if (c->about.pointers[i].at - p->base >= p->size) continue;
        snprintf(name, n, "%s", c->about.pointers[i].name);
        return;
    }
    if (*p->name) snprintf(name, n, "%s", p->name);
    else snprintf(name, n, "the buffer at 0x%08x", (unsigned)p->base);
}

static void describe_local(const struct check *c, const struct group *g, uint32_t addr, char *text, size_t n)
{
    uint32_t offset = addr - g->lds_base;
    const struct named_range *nearest = places_part(c, offset);
    if (in_stack(c, g, addr)) {
        uint32_t warp = offset / c->about.stack_bytes;
        snprintf(text, n, "byte %u of the scalar stack of warp %u", (unsigned)(offset % c->about.stack_bytes),
                 (unsigned)warp);
        return;
    }
    for (size_t i = 0; i < c->about.nparts && (!nearest || part_distance(nearest, offset)); i++)
        if (!nearest || part_distance(&c->about.parts[i], offset) < part_distance(nearest, offset))
            nearest = &c->about.parts[i];
    if (nearest && offset < nearest->at) describe_before(nearest->at - offset, nearest->size, nearest->name, text, n);
    else if (nearest) describe_distance(offset - nearest->at, nearest->size, nearest->name, text, n);
    else describe_distance(offset, g->launch->lds_bytes, "local memory", text, n);
}

static void describe_global(const struct check *c, uint32_t addr, char *text, size_t n)
{
    char name[80];
    size_t i = place_above(&c->places, addr);
    const struct place *in = places_at(&c->places, addr), *before = i ? &c->places.list[i - 1] : NULL;
    const struct place *behind = i < c->places.n ? &c->places.list[i] : NULL;
    if (before && addr - (before->base + before->size) > NEAR) before = NULL;
    if (behind && behind->base - addr > NEAR) behind = NULL;
    if (in) before = in;
    if (!in && behind && (!before || behind->base - addr < addr - (before->base + before->size))) {
        name_place(c, behind, name, sizeof name);
        describe_before(behind->base - addr, behind->size, name, text, n);
    } else if (before) {
        name_place(c, before, name, sizeof name);
        describe_distance(addr - before->base, before->size, name, text, n);
    } else {
        snprintf(text, n, addr < NEAR ? "near the null pointer" : "there is no buffer near");
    }
}

void places_describe(const struct check *c, const struct group *g, uint32_t addr, char *text, size_t n)
{
    if (addr - g->lds_base < gpu_config_lds_stride(gpu_config_of(c->gpu))) describe_local(c, g, addr, text, n);
    else if (in_private(g, addr)) snprintf(text, n, "private memory");
    else describe_global(c, addr, text, n);
}
