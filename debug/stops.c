/* Breakpoints and watchpoints: where they are, and what an access or an instruction does to them.
 *
 * A watchpoint on private memory or on the window belongs to the work-item that was selected when it was first set.
 * Debuggers take all points away when the machine stops and set them again before it runs; so one that has been taken
 * away is kept, with its owner, until then. */
#include <stdlib.h>
#include <string.h>

#include "debug/parts.h"
#include "isa/abi.h"
#include "sim/layout.h"

static bool is_watch(const struct stop_point *p) { return p->kind >= STOP_WRITE; }
static bool is_break(const struct stop_point *p) { return !is_watch(p); }
static bool in_window(uint64_t addr) { return addr - ABI_WINDOW < ABI_WINDOW_BYTES; }
static bool is_own(const struct stop_point *p)
{
    return is_watch(p) && (private_is_flat(p->addr) || in_window(p->addr));
}

/* ---- the list ---- */

static struct stop_point *find(struct stop_points *s, enum stop_kind kind, uint64_t addr, uint32_t size)
{
    for (size_t i = 0; i < s->n; i++) {
        struct stop_point *p = &s->list[i];
        if (p->kind == kind && p->addr == addr && (is_break(p) || p->size == size)) return p;
    }
    return NULL;
}

/* The machine may run meanwhile: each word goes from what it was to what it is. */
static void note(struct debugger *d)
{
    struct stop_points *s = &d->points;
    uint32_t filter[sizeof s->filter / sizeof *s->filter] = {0};
    s->breaks = s->watches = s->registers = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct stop_point *p = &s->list[i];
        uint32_t pc = (uint32_t)p->addr;
        if (!p->set) continue;
        if (is_break(p)) filter[pc >> 7 & 2047] |= 1u << (pc >> 2 & 31);
        s->breaks += is_break(p);
        s->watches += is_watch(p);
        s->registers += is_watch(p) && in_window(p->addr);
    }
    for (size_t i = 0; i < sizeof filter / sizeof *filter; i++)
        atomic_store_explicit(&s->filter[i], filter[i], memory_order_relaxed);
}

bool stops_at(const struct stop_points *s, uint32_t pc)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].set && is_break(&s->list[i]) && s->list[i].addr == pc) return true;
    return false;
}

static struct stop_point *add(struct stop_points *s)
{
    enum { MOST = 4096 }; /* 192 KiB */
    if (s->n == s->room) {
        size_t room = s->room ? 2 * s->room : 16;
        struct stop_point *list = room <= MOST ? realloc(s->list, room * sizeof *list) : NULL;
        if (!list) return NULL;
        s->list = list;
        s->room = room;
    }
    return &s->list[s->n++];
}

bool stops_set(struct debugger *d, enum stop_kind kind, uint64_t addr, uint32_t size, tid owner)
{
    struct stop_point *p = find(&d->points, kind, addr, size);
    if (kind >= STOP_WRITE && (!size || size > (in_window(addr) ? sizeof p->last : 4096))) return false;
    if (!p) {
        if (!(p = add(&d->points))) return false;
        *p = (struct stop_point){.kind = kind, .addr = addr, .size = size};
        if (is_own(p)) p->owner = owner;
    }
    p->set = true;
    note(d);
    return true;
}

void stops_clear(struct debugger *d, enum stop_kind kind, uint64_t addr, uint32_t size)
{
    struct stop_point *p = find(&d->points, kind, addr, size);
    if (p) p->set = false;
    note(d);
}

/* What the owner has in the window now. */
static bool look(const struct debugger *d, const struct stop_point *p, uint8_t now[8])
{
    struct item item;
    return item_find(d, p->owner, &item) && memory_read(d, item, p->addr, now, p->size) == p->size;
}

void stops_settle(struct debugger *d)
{
    struct stop_points *s = &d->points;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].set) s->list[n++] = s->list[i];
    s->n = n;
    for (size_t i = 0; i < n; i++)
        if (is_watch(&s->list[i]) && in_window(s->list[i].addr)) look(d, &s->list[i], s->list[i].last);
}

void stops_clear_all(struct debugger *d)
{
    d->points.n = 0;
    note(d);
}

/* ---- what happens to watchpoints ---- */

static bool concerns(const struct stop_point *p, const struct access *a)
{
    bool reads = !a->write || a->atomic;
    if (!p->set || !is_watch(p) || in_window(p->addr)) return false;
    return p->kind == STOP_ACCESS || (p->kind == STOP_READ ? reads : a->write);
}

static bool touches(const struct debugger *d, const struct stop_point *p, const struct access *a, uint32_t i)
{
    uint64_t addr = a->addr[i] | (a->high ? (uint64_t)a->high[i] << 32 : 0), at = p->addr;
    struct item item;
    if (p->owner) { /* private memory, whose words are apart */
        if (!item_find(d, p->owner, &item) || !item.warp) return false;
        for (uint32_t k = 0; k < p->size; k++)
            if (private_address(item.warp, at + k, item.lane) - addr < a->size) return true;
        return false;
    }
    return at - addr < a->size || addr - at < p->size;
}

static void add_watch(struct debugger *d, const struct stop_point *p, struct item item)
{
    event_add(d, (struct event){EVENT_WATCH, item_tid(item), SIGNAL_TRAP, p->kind, p->addr});
}

/* If several lanes write the same word, the last one's value stays: it is named first. */
void stops_access(struct debugger *d, struct warp *w, const struct access *a)
{
    for (size_t i = 0; i < d->points.n; i++) {
        const struct stop_point *p = &d->points.list[i];
        if (!concerns(p, a)) continue;
        if (!a->lanes && touches(d, p, a, 0)) add_watch(d, p, (struct item){w, first_lane(w->mask)});
        for (uint32_t lane = ISA_LANES; lane-- > 0;)
            if ((a->lanes >> lane & 1) && touches(d, p, a, lane)) add_watch(d, p, (struct item){w, lane});
    }
}

void stops_registers(struct debugger *d)
{
    for (size_t i = 0; i < d->points.n; i++) {
        struct stop_point *p = &d->points.list[i];
        struct item item;
        uint8_t now[8];
        if (!p->set || !is_watch(p) || !in_window(p->addr) || !look(d, p, now)) continue;
        if (!memcmp(now, p->last, p->size)) continue;
        memcpy(p->last, now, p->size);
        if (item_find(d, p->owner, &item)) add_watch(d, p, item);
    }
}

void stops_host_writes(struct debugger *d, uint64_t addr, uint64_t size)
{
    for (size_t i = 0; i < d->points.n; i++) {
        struct stop_point *p = &d->points.list[i];
        if (p->kind != STOP_WRITE || p->owner || p->addr >= addr + size || addr >= p->addr + p->size) continue;
        p->hosts = d->points.hosts = true;
    }
}

/* The debugger compares the value with the one that it has seen, and goes on if that is the same. */
void stops_hosts(struct debugger *d, struct warp *w)
{
    d->points.hosts = false;
    for (size_t i = 0; i < d->points.n; i++) {
        struct stop_point *p = &d->points.list[i];
        if (p->hosts && p->set) add_watch(d, p, (struct item){w, first_lane(w->mask)});
        p->hosts = false;
    }
}
