/* Guest memory, out of line: every form of access, slowly, each byte checked before the first one moves.
 *
 * An engine makes plain loads, stores and atomics itself (access.h). It hands over what is rare: 64-bit
 * addresses, the spaces and widths of memory prefixes, the flat range check of r2025, scalar atomics,
 * reservations, and everything of a launch under SV39. guest_read and guest_may_write serve other parts of the
 * machine. Called on the host thread that runs the warp; a refused access raises the warp's fault and does
 * not return. */
#include <string.h>

#include "sim/layout.h"
#include "sim/machine.h"
#include "sim/reserve.h"

/* ---- reservations ---- */

typedef void visit_fn(struct reservations *r, struct group *g, uint32_t at);

/* Calls `visit` for the groups that have reservations which a write of this SM may end. */
static void visit_reservations(struct sm *sm, visit_fn *visit, uint32_t at)
{
    struct gpu *gpu = sm->gpu;
    bool all = sm->reservations == &gpu->reservations;
    for (uint32_t i = all ? 0 : sm->index; i <= (all ? gpu->config.sms - 1 : sm->index); i++)
        for (struct group *g = gpu->sms[i].groups; g; g = g->next)
            if (g->reservations) visit(sm->reservations, g, at);
}

static void count_words(struct reservations *r, struct group *g, uint32_t at)
{
    (void)at;
    for (uint32_t k = 0; k < g->launch->warps; k++) reserve_count(r, &g->warps[k], g->warps[k].reserved_lanes, 1);
}

static void end_of_word(struct reservations *r, struct group *g, uint32_t at)
{
    for (uint32_t k = 0; k < g->launch->warps; k++) {
        struct warp *w = &g->warps[k];
        if (w->reserved_lanes) reserve_none(r, w, w->reserved_lanes & lanes_at(w->reserved, at));
    }
}

void end_reservations(struct sm *sm, uint32_t addr, uint32_t size)
{
    struct reservations *r = sm->reservations;
    uint32_t first = addr & ~3u, words = (uint32_t)(((uint64_t)(addr & 3) + size + 3) / 4);
    if (r->count && !r->counted) {
        memset(r->of, 0, sizeof r->of);
        visit_reservations(sm, count_words, 0);
        r->counted = true;
    }
    for (uint32_t i = 0; i < words && r->count; i++)
        if (r->of[reservation_place(first + i * 4)]) visit_reservations(sm, end_of_word, first + i * 4);
}

void end_reservations_of_access(struct sm *sm)
{
    const struct access *a = &sm->access;
    if (!a->lanes) end_reservations(sm, a->addr[0], a->size);
    for (uint32_t lanes = a->lanes; lanes; lanes &= lanes - 1)
        end_reservations(sm, a->addr[__builtin_ctz(lanes)], a->size);
}

void drop_reservations(struct sm *sm, struct group *g)
{
    for (uint32_t i = 0; i < g->launch->warps; i++)
        reserve_none(sm->reservations, &g->warps[i], g->warps[i].reserved_lanes);
}

/* ---- bytes ---- */

/* Which warp makes an access, and what a fault reports about it. */
struct accessor {
    struct sm *sm;
    uint32_t lane;   /* ISA_LANES: no lane in particular */
    uint64_t named;  /* the address that the fault names; for a range it is the first byte refused */
    unsigned access; /* GPU_READ or GPU_WRITE */
    bool range;
};

/* An access to a closed page: a fault, unless the machine ignores such accesses. A group's first one is noted. */
static void stray(const struct accessor *p, uint64_t named, const char *detail)
{
    const enum fault_kind kind = p->access == GPU_WRITE ? FAULT_WRITE : FAULT_READ;
    struct group *g = p->sm->warp->group;
    if (!p->sm->gpu->config.ignore_stray) fault_throw(p->sm, kind, p->lane, named, detail);
    if (g->stray.kind) return;
    fault_raise(p->sm, p->sm->warp, kind, p->lane, named, detail);
    g->stray = p->sm->fault;
}

/* The same for a byte whose address is translated, or that is not open. */
static bool locate_odd(const struct accessor *p, uint64_t addr, uint32_t *at)
{
    const uint64_t named = p->range ? addr : p->named;
    char detail[48] = "";
    if (is_translated(p->sm->warp->group->launch, addr)) {
        const char *why = translate(p->sm, addr, p->access, at);
        if (why) fault_throw(p->sm, FAULT_PAGE, p->lane, named, why);
        snprintf(detail, sizeof detail, "physical address 0x%08x", (unsigned)*at);
        addr = *at;
    }
    if (addr < MEM_SPAN && mem_allows(p->sm->gpu, *at, 1, p->access)) return true;
    stray(p, named, *detail ? detail : NULL);
    return false;
}

/* Finds the byte at a guest address, for *at. False: it does not exist, and the machine ignores that. */
static bool locate(const struct accessor *p, uint64_t addr, uint32_t *at)
{
    const struct gpu *gpu = p->sm->gpu;
    *at = (uint32_t)addr;
    bool open = addr < MEM_SPAN && (gpu->pages[addr >> PAGE_BITS] & p->access);
    return (open && !p->sm->warp->group->launch->sv39) || locate_odd(p, addr, at);
}

static uint64_t left_of_page(uint64_t addr) { return ABI_PAGE - addr % ABI_PAGE; }

/* May all bytes be accessed? */
static void check(const struct accessor *p, uint64_t addr, uint64_t size)
{
    uint32_t at;
    for (uint64_t n; size; addr += n, size -= n) {
        n = left_of_page(addr) < size ? left_of_page(addr) : size;
        locate(p, addr, &at);
    }
}

/* Whole words move at once: other host threads may look at them. */
static void move(void *to, const void *from, size_t n)
{
    if (n == 4) memcpy(to, from, 4);
    else memcpy(to, from, n);
}

static void load(const struct accessor *p, uint64_t addr, void *bytes, uint64_t size)
{
    uint8_t *to = bytes;
    uint32_t at;
    for (uint64_t n; size; addr += n, to += n, size -= n) {
        n = left_of_page(addr) < size ? left_of_page(addr) : size;
        if (locate(p, addr, &at)) move(to, p->sm->mem + at, n);
        else memset(to, 0, n);
    }
}

static void store(const struct accessor *p, uint64_t addr, const void *bytes, uint64_t size)
{
    const uint8_t *from = bytes;
    uint32_t at;
    for (uint64_t n; size; addr += n, from += n, size -= n) {
        n = left_of_page(addr) < size ? left_of_page(addr) : size;
        if (!locate(p, addr, &at)) continue;
        move(p->sm->mem + at, from, n);
        if (p->sm->reservations->count) end_reservations(p->sm, at, (uint32_t)n);
    }
}

void guest_read(struct sm *sm, uint64_t addr, void *dst, uint64_t size)
{
    struct accessor p = {.sm = sm, .lane = ISA_LANES, .access = GPU_READ, .range = true};
    check(&p, addr, size);
    load(&p, addr, dst, size);
}

void guest_may_write(struct sm *sm, uint64_t addr, uint64_t size)
{
    struct accessor p = {.sm = sm, .lane = ISA_LANES, .access = GPU_WRITE, .range = true};
    check(&p, addr, size);
}

/* ---- what an instruction accesses ---- */

/* One instruction's accesses; a scalar one is that of lane 0. */
struct request {
    struct warp *w;
    const struct insn *in;
    uint32_t lanes; /* that take part */
    struct isa_memory m;
    bool scalar, writes;
    uint32_t crossing;           /* lanes whose private access would leave its word */
    uint64_t addr[4][ISA_LANES]; /* of each word */
};

/* Indexed data are elements, unless a prefix says how many words. */
static void take_elements(struct isa_memory *m, uint32_t vtype)
{
    unsigned sew = vtype_sew(vtype);
    if (m->address != ADDRESS_INDEXED || m->words > 1 || sew == 32) return;
    m->words = sew == 64 ? 2 : 1;
    m->size = sew == 64 ? 4 : (uint8_t)(sew / 8);
    m->is_signed = sew < 32;
}

static struct request request_of(struct warp *w, const struct insn *in)
{
    struct request r = {.w = w, .in = in, .m = isa_memory(in)};
    take_elements(&r.m, w->vtype);
    r.scalar = r.m.address == ADDRESS_SCALAR;
    r.lanes = r.scalar ? 1 : active_lanes(w, in);
    r.writes = r.m.action == ACTION_STORE || r.m.action == ACTION_AMO || r.m.action == ACTION_SC;
    return r;
}

/* ---- addresses ---- */

/* rs1, or the pair {rs1 + 1, rs1}; a pair at x0 is zero. */
static uint64_t base_address(const struct request *r, uint32_t lane)
{
    const struct warp *w = r->w;
    unsigned rs1 = r->in->rs1;
    if (r->m.address == ADDRESS_LANES || r->m.address == ADDRESS_PRIVATE)
        return w->v[rs1][lane] | (r->m.is_long ? (uint64_t)w->v[rs1 + 1][lane] << 32 : 0);
    return w->x[rs1] | (r->m.is_long && rs1 ? (uint64_t)w->x[rs1 + 1] << 32 : 0);
}

/* What the lane adds to the base. */
static uint64_t offset(const struct request *r, uint32_t lane)
{
    unsigned rs2 = r->in->rs2;
    switch (r->m.address) {
    case ADDRESS_UNIT: return (uint64_t)lane * r->m.size;
    case ADDRESS_STRIDED: return lane * (uint64_t)(int64_t)(int32_t)r->w->x[rs2];
    case ADDRESS_INDEXED: return r->w->v[rs2][lane] & (~0ull >> (64 - 8 * r->m.index));
    default: return (uint64_t)(int64_t)r->in->imm;
    }
}

/* The space is named by a prefix, else by the row. code.c refuses scalar accesses of the private one. */
static enum space space_of(const struct request *r)
{
    const struct isa_desc *row = &isa_table[r->in->op];
    if (r->in->space) return (enum space)r->in->space;
    if (r->m.address == ADDRESS_PRIVATE) return SPACE_PRIVATE;
    return (enum space)(row->flags >> ISA_SPACE_SHIFT & 3);
}

/* The address of offset o in a space. */
static uint64_t address_in(const struct request *r, enum space space, uint64_t o, uint32_t lane)
{
    const struct group *g = r->w->group;
    switch (space) {
    case SPACE_GLOBAL: return o + g->launch->csr_gds;
    case SPACE_LOCAL: return o + g->lds_base;
    case SPACE_PRIVATE: return private_address(r->w, o, lane);
    default: return o;
    }
}

/* The range check of flat accesses, in the document's order. */
static bool is_private(const struct launch *l, uint64_t base)
{
    bool global = l->gds_limit && base >= l->gds_base && base <= l->gds_limit;
    bool local = l->lds_limit && base >= l->lds_base && base <= l->lds_limit;
    return !global && !local && private_is_flat(base);
}

static void set_addresses(struct request *r, enum isa_profile profile)
{
    bool flat = code_is_flat(profile, r->in);
    enum space space = space_of(r);
    for (uint32_t left = r->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t base = base_address(r, lane), o = base + offset(r, lane);
        enum space here = flat && is_private(r->w->group->launch, base) ? SPACE_PRIVATE : space;
        if (here == SPACE_PRIVATE && (o & 3) + r->m.size > 4) r->crossing |= 1u << lane;
        for (unsigned k = 0; k < r->m.words; k++) {
            uint64_t a = address_in(r, here, o + 4 * k, lane);
            r->addr[k][lane] = r->m.is_long ? a : (uint32_t)a;
        }
    }
}

/* ---- the access ---- */

static struct accessor accessor_of(struct sm *sm, const struct request *r, unsigned k, uint32_t lane)
{
    return (struct accessor){.sm = sm,
                             .lane = r->scalar ? ISA_LANES : lane,
                             .named = r->addr[k][lane],
                             .access = r->writes ? GPU_WRITE : GPU_READ};
}

/* Atomics are on words; a private access stays within its word. */
static void check_alignment(struct sm *sm, const struct request *r)
{
    bool on_word = isa_is_atomic(&r->m);
    for (uint32_t left = r->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct accessor p = accessor_of(sm, r, 0, lane);
        if ((on_word && (p.named & 3)) || (r->crossing >> lane & 1))
            fault_throw(sm, FAULT_MISALIGNED, p.lane, p.named, NULL);
    }
}

static void check_open(struct sm *sm, const struct request *r)
{
    for (uint32_t left = r->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (unsigned k = 0; k < r->m.words; k++) {
            struct accessor p = accessor_of(sm, r, k, lane);
            check(&p, p.named, r->m.size);
        }
    }
}

/* Observers see one access for each word. */
static void observe(struct sm *sm, const struct request *r)
{
    struct access *a = &sm->access;
    if (!r->w->group->observers || !r->lanes) return;
    a->lanes = r->scalar ? 0 : r->lanes;
    a->size = r->m.size;
    a->write = r->writes;
    a->atomic = isa_is_atomic(&r->m);
    a->high = r->m.is_long ? sm->access_high : NULL;
    for (unsigned k = 0; k < r->m.words; k++) {
        for (uint32_t left = r->lanes; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            a->addr[lane] = (uint32_t)r->addr[k][lane];
            sm->access_high[lane] = (uint32_t)(r->addr[k][lane] >> 32);
        }
        observe_access(r->w, r->in, a);
    }
}

static uint32_t *cell(const struct request *r, unsigned reg, uint32_t lane)
{
    return r->scalar ? &r->w->x[reg] : &r->w->v[reg][lane];
}

static unsigned data_register(const struct request *r)
{
    return (unsigned)isa_get(r->in, (enum operand_role)r->m.data);
}

static uint32_t load_one(struct sm *sm, const struct request *r, unsigned k, uint32_t lane)
{
    struct accessor p = accessor_of(sm, r, k, lane);
    uint32_t value = 0, sign = 1u << (8 * r->m.size - 1);
    load(&p, p.named, &value, r->m.size);
    return r->m.is_signed ? (value ^ sign) - sign : value;
}

static void load_all(struct sm *sm, const struct request *r)
{
    uint32_t out[4][ISA_LANES];
    unsigned rd = data_register(r);
    for (uint32_t left = r->lanes; left; left &= left - 1)
        for (unsigned k = 0; k < r->m.words; k++)
            out[k][__builtin_ctz(left)] = load_one(sm, r, k, (uint32_t)__builtin_ctz(left));
    for (uint32_t left = r->lanes; left; left &= left - 1)
        for (unsigned k = 0; k < r->m.words; k++)
            *cell(r, rd + k, (uint32_t)__builtin_ctz(left)) = out[k][__builtin_ctz(left)];
}

/* Where addresses are equal the word of the highest lane stays. */
static void store_all(struct sm *sm, const struct request *r)
{
    unsigned data = data_register(r);
    for (uint32_t left = r->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (unsigned k = 0; k < r->m.words; k++) {
            struct accessor p = accessor_of(sm, r, k, lane);
            store(&p, p.named, cell(r, data + k, lane), r->m.size);
        }
    }
}

/* ---- atomics: one word of each lane, ascending ---- */

static uint32_t amo_one(const struct request *r, uint32_t *p, uint32_t operand)
{
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED), next;
    do {
        struct operands o = {.vd = old, .vs2 = operand};
        next = (uint32_t)eval32((enum isa_op)r->in->op, &o);
    } while (!__atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
}

static uint32_t amo_at(struct sm *sm, const struct request *r, uint32_t lane, uint32_t at)
{
    uint32_t old = amo_one(r, (uint32_t *)(sm->mem + at), *cell(r, r->in->rs2, lane));
    if (sm->reservations->count) end_reservations(sm, at, 4);
    return old;
}

/* lr.w: the words go to `out`. */
static void reserve(struct sm *sm, const struct request *r, uint32_t lanes, const uint32_t *at, uint32_t *out)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        out[lane] = __atomic_load_n((uint32_t *)(sm->mem + at[lane]), __ATOMIC_SEQ_CST);
    }
    reserve_lanes(sm->reservations, r->w, lanes, at, out);
}

/* sc.w: `out` becomes 0 for lanes that have stored, 1 for the others. */
static void store_reserved(struct sm *sm, const struct request *r, uint32_t lanes, const uint32_t *at, uint32_t *out)
{
    uint32_t value[ISA_LANES];
    for (uint32_t left = lanes; left; left &= left - 1)
        value[__builtin_ctz(left)] = *cell(r, r->in->rs2, (uint32_t)__builtin_ctz(left));
    uint32_t others = reserve_store(sm->reservations, r->w, sm->mem, lanes, at, value, out, false);
    for (; others; others &= others - 1) end_reservations(sm, at[__builtin_ctz(others)], 4);
}

/* Where the words of lanes are, in `at`. Returns the lanes that have one. */
static uint32_t locate_all(struct sm *sm, const struct request *r, uint32_t *at)
{
    uint32_t there = 0;
    for (uint32_t left = r->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct accessor p = accessor_of(sm, r, 0, lane);
        there |= (uint32_t)locate(&p, p.named, &at[lane]) << lane;
    }
    return there;
}

/* A word that does not exist reads as 0, and sc.w to it succeeds. */
static void atomic_all(struct sm *sm, const struct request *r)
{
    uint32_t at[ISA_LANES], out[ISA_LANES] = {0}, lanes = locate_all(sm, r, at);
    if (r->m.action == ACTION_LR) reserve(sm, r, lanes, at, out);
    else if (r->m.action == ACTION_SC) store_reserved(sm, r, lanes, at, out);
    for (uint32_t left = r->m.action == ACTION_AMO ? lanes : 0; left; left &= left - 1)
        out[__builtin_ctz(left)] = amo_at(sm, r, (uint32_t)__builtin_ctz(left), at[__builtin_ctz(left)]);
    for (uint32_t left = r->lanes; left; left &= left - 1)
        *cell(r, r->in->rd, (uint32_t)__builtin_ctz(left)) =
            lanes >> __builtin_ctz(left) & 1 ? out[__builtin_ctz(left)] : 0;
}

/* ---- instructions ---- */

static void count(const struct request *r)
{
    struct counters *c = &r->w->group->counters;
    if (!r->scalar) c->vector_instructions++, c->lanes += r->w->nactive;
    if (r->m.action == ACTION_LOAD) c->loads++;
    else if (r->m.action == ACTION_STORE) c->stores++;
    else c->atomics++;
}

void memory_run(struct sm *sm, struct warp *w, const struct insn *in)
{
    struct request r = request_of(w, in);
    count(&r);
    set_addresses(&r, (enum isa_profile)sm->gpu->config.profile);
    check_alignment(sm, &r); /* of all lanes, and only then the rest, as in an engine's own accesses */
    observe(sm, &r);
    check_open(sm, &r);
    if (r.m.action == ACTION_LOAD) load_all(sm, &r);
    else if (r.m.action == ACTION_STORE) store_all(sm, &r);
    else atomic_all(sm, &r);
    w->x[0] = 0;
}
