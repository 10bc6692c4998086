/* What the design says of an instruction against what the reference did: registers and masks, memory accesses, the SIMT
 * stack. Where more than one value is right the design's is taken, and the reference goes on with it (docs/cosim.md has
 * the rules). Called by cosim.c. */
#include <stdlib.h>
#include <string.h>

#include "cosim/parts.h"
#include "sim/layout.h"

/* ---- which values of loads are possible ---- */

static uint32_t local_serial(const struct place *p, uint32_t addr) { return is_local(addr) ? p->serial : 0; }

/* Has the write happened before whatever the warp does now, for everybody? */
static bool is_ordered(const struct written *by, const struct place *p, const struct ventus_cosim *c,
                       const struct warp *w)
{
    const struct written now = {
        .place = (uint32_t)(p - c->places), .serial = p->serial, .warp = w->wid, .passed = p->passed};
    return words_ordered(by, &now);
}

/* What a load finds in a word. */
static uint32_t extract(uint32_t word, uint32_t addr, const struct isa_memory *m)
{
    const uint32_t value = word >> 8 * (addr & 3);
    if (m->size == 1) return m->is_signed ? (uint32_t)(int8_t)value : (uint8_t)value;
    if (m->size == 2) return m->is_signed ? (uint32_t)(int16_t)value : (uint16_t)value;
    return value;
}

/* Has memory had write number i first, and a store before it that it is not ordered with after it? */
static bool may_be_last(const struct ventus_cosim *c, const struct word *word, uint32_t i, uint32_t addr,
                        uint32_t found)
{
    for (uint32_t k = i + 1; k < word->n; k++)
        if (words_race(word, i, k) && extract(word->last[k].value, addr, &c->event.effects.memory) == found)
            return true;
    return false;
}

/* Writes that the warp is not ordered with may come later for it: then it finds what was there before them. */
static bool may_load(struct ventus_cosim *c, const struct warp *w, uint32_t addr, uint32_t found)
{
    const struct place *p = place_of(c, w->group);
    struct word *word = words_find(&c->words, word_key(addr, local_serial(p, addr)));
    if (!word) return false;
    if (word->open) return true;
    for (uint32_t i = 0; i < word->n; i++) {
        const struct written *by = &word->last[i];
        if (is_ordered(by, p, c, w)) return may_be_last(c, word, i, addr, found);
        if (by->several || extract(by->before, addr, &c->event.effects.memory) == found) return true;
    }
    return word->total > word->n; /* there were older ones, of which nothing is known any more */
}

/* ---- values ---- */

enum verdict { EQUAL, TAKEN, NEAR, DIFFERENT };

/* Of one value: its bits, and which of them are the exponent and the fraction. */
static const struct layout {
    uint32_t bits, exponent, fraction;
} layouts[] = {[F32] = {32, 0x7f800000, 0x7fffff}, [F16] = {16, 0x7c00, 0x3ff}, [BF16] = {16, 0x7f80, 0x7f}};

static bool is_nan(uint32_t x, const struct layout *l) { return (x & l->exponent) == l->exponent && (x & l->fraction); }

static bool is_finite(uint32_t x, const struct layout *l) { return (x & l->exponent) != l->exponent; }

/* Neither a sign, nor an infinity, nor a zero is a matter of rounding. */
static bool is_near(uint32_t a, uint32_t b, const struct layout *l, uint32_t ulps)
{
    const uint32_t size = l->exponent | l->fraction;
    if (a == b || (is_nan(a, l) && is_nan(b, l))) return true;
    if (!is_finite(a, l) || !is_finite(b, l) || !(a & size) || !(b & size) || (a ^ b) & ~size) return false;
    return (a > b ? a - b : b - a) <= ulps;
}

static bool are_near(uint32_t a, uint32_t b, const struct layout *l, uint32_t ulps)
{
    if (l->bits == 32) return is_near(a, b, l, ulps);
    return is_near(a & 0xffff, b & 0xffff, l, ulps) && is_near(a >> 16, b >> 16, l, ulps);
}

/* Counters of time are the design's own. */
static bool is_clock(const struct insn *in)
{
    if (isa_table[in->op].kind != KIND_CSR) return false;
    switch (in->aux) {
    case CSR_CYCLE:
    case CSR_TIME:
    case CSR_INSTRET:
    case CSR_CYCLEH:
    case CSR_TIMEH:
    case CSR_INSTRETH: return true;
    default: return false;
    }
}

static bool is_shared(const struct access *a, unsigned lane)
{
    for (uint32_t left = a->lanes & ~(1u << lane); left; left &= left - 1)
        if (a->addr[__builtin_ctz(left)] == a->addr[lane]) return true;
    return false;
}

/* Is there nobody else who could have written the lane's word, and is it known? */
static bool is_alone(const struct ventus_cosim *c, const struct warp *w, unsigned lane)
{
    const struct access *a = &c->event.access[0];
    const struct launch *l = &c->job.launch;
    const uint32_t addr = a->addr[lane];
    const struct word *word = words_find(&c->words, word_key(addr, local_serial(place_of(c, w->group), addr)));
    const bool others = l->warps > 1 || (!is_local(addr) && l->groups[0] * l->groups[1] * l->groups[2] > 1);
    return !others && !is_shared(a, lane) && !(word && word->open);
}

/* Result number k of the instruction, of a lane (0 for scalars). */
static enum verdict judge(struct ventus_cosim *c, const struct warp *w, unsigned k, unsigned lane, uint32_t expected,
                          uint32_t found)
{
    const struct event *e = &c->event;
    const struct isa_memory *m = &e->effects.memory;
    c->compared++;
    if (expected == found) return EQUAL;
    if (m->words && m->action == ACTION_SC) return found <= 1 ? TAKEN : DIFFERENT;
    if (m->words && m->action == ACTION_AMO) return is_alone(c, w, lane) ? DIFFERENT : TAKEN;
    if (m->words && (m->action == ACTION_LOAD || m->action == ACTION_LR) && k < e->accesses)
        return may_load(c, w, e->access[k].addr[lane], found) ? TAKEN : DIFFERENT;
    if (is_clock(e->insn)) return TAKEN;
    const uint32_t ulps = c->tolerance[e->insn->op];
    return ulps && are_near(expected, found, &layouts[c->format[e->insn->op]], ulps) ? NEAR : DIFFERENT;
}

static void count(struct ventus_cosim *c, enum verdict v, unsigned lane)
{
    c->taken_lanes |= (uint32_t)(v == TAKEN) << lane;
    c->taken += v == TAKEN;
    c->tolerated += v == NEAR;
}

/* ---- registers ---- */

static const struct dut_write *find_write(const struct dut_write *writes, unsigned n, uint32_t reg)
{
    while (n)
        if (writes[--n].reg == reg) return &writes[n];
    return NULL;
}

static bool is_result(const struct event *e, bool is, uint32_t reg) { return is && reg - e->insn->rd < e->results; }

/* One that the instruction does not write. What writes no lane, or x0, does not count. */
static const struct dut_write *find_stray(const struct event *e, bool is, const struct dut_write *writes, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (writes[i].mask && !is_result(e, is, writes[i].reg)) return &writes[i];
    return NULL;
}

static void print_value(const struct ventus_cosim *c, FILE *f, uint32_t value)
{
    float number;
    memcpy(&number, &value, 4);
    fprintf(f, "0x%08x", (unsigned)value);
    if (isa_table[c->event.insn->op].flags & (ISA_FP | ISA_ROUND)) fprintf(f, " (%.9g)", (double)number);
}

/* Where a wrong value has been loaded from. */
static void print_source(const struct ventus_cosim *c, const struct watched *w, FILE *f, unsigned k, unsigned lane)
{
    const struct event *e = &c->event;
    if (!e->effects.memory.words || k >= e->accesses || e->writes_memory) return;
    const uint32_t addr = e->access[k].addr[lane];
    report_writer(c, f, addr, local_serial(place_of(c, w->warp->group), addr));
}

static int differ_x(struct ventus_cosim *c, const struct watched *w, uint32_t reg, uint32_t found)
{
    FILE *f = report_begin(c, w, "the value of x%u (%s)", (unsigned)reg, isa_xreg_name(reg));
    if (!f) return 0;
    fprintf(f, "  expected ");
    print_value(c, f, w->warp->x[reg]);
    fprintf(f, ", found ");
    print_value(c, f, found);
    fprintf(f, "\n");
    print_source(c, w, f, reg - c->event.insn->rd, 0);
    return report_end(c, w, f);
}

static int missing(struct ventus_cosim *c, const struct watched *w, char kind, uint32_t reg)
{
    FILE *f = report_begin(c, w, "%c%u has not been written", kind, (unsigned)reg);
    if (!f) return 0;
    if (kind == 'x') fprintf(f, "  expected 0x%08x\n", (unsigned)w->warp->x[reg]);
    else fprintf(f, "  expected in the lanes 0x%08x\n", (unsigned)c->event.lanes);
    return report_end(c, w, f);
}

static int stray(struct ventus_cosim *c, const struct watched *w, char kind, const struct dut_write *d)
{
    FILE *f =
        report_begin(c, w, "%c%u has been written, which is no result of this instruction", kind, (unsigned)d->reg);
    return f ? report_end(c, w, f) : 0;
}

static int compare_x(struct ventus_cosim *c, struct watched *w)
{
    const struct event *e = &c->event;
    const struct dut *d = &w->dut;
    const struct dut_write *other = find_stray(e, e->to_scalar, d->x, d->nx);
    if (other) return stray(c, w, 'x', other);
    for (unsigned k = 0; e->to_scalar && k < e->results; k++) {
        const uint32_t reg = e->insn->rd + k;
        const struct dut_write *write = find_write(d->x, d->nx, reg);
        if (!reg) continue;
        if (!write) return missing(c, w, 'x', reg);
        const enum verdict v = judge(c, w->warp, k, 0, w->warp->x[reg], write->value[0]);
        if (v == DIFFERENT) return differ_x(c, w, reg, write->value[0]);
        count(c, v, 0);
        w->warp->x[reg] = write->value[0];
    }
    return 1;
}

static int differ_v(struct ventus_cosim *c, const struct watched *w, unsigned k, const struct dut_write *d,
                    uint32_t lanes)
{
    const struct warp *warp = w->warp;
    FILE *f = report_begin(c, w, "the value of v%u in %d of %u lanes", (unsigned)d->reg, __builtin_popcount(lanes),
                           (unsigned)__builtin_popcount(c->event.lanes));
    if (!f) return 0;
    fprintf(f, "  lane  work-item  expected    found\n");
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        fprintf(f, "  %4u  %9u  ", lane, (unsigned)(warp->tid + lane));
        print_value(c, f, warp->v[d->reg][lane]);
        fprintf(f, "  ");
        print_value(c, f, d->value[lane]);
        fprintf(f, "\n");
    }
    print_source(c, w, f, k, (unsigned)__builtin_ctz(lanes));
    return report_end(c, w, f);
}

static int differ_mask(struct ventus_cosim *c, const struct watched *w, const struct dut_write *d)
{
    FILE *f = report_begin(c, w, "the lanes of v%u that are written", (unsigned)d->reg);
    if (!f) return 0;
    fprintf(f, "  expected 0x%08x, found 0x%08x: %s\n", (unsigned)c->event.lanes, (unsigned)d->mask,
            d->mask & ~c->event.lanes ? "inactive lanes are written" : "active lanes are not written");
    return report_end(c, w, f);
}

/* The lanes whose values differ; the others become the design's. */
static uint32_t compare_lanes(struct ventus_cosim *c, struct warp *w, unsigned k, const struct dut_write *d)
{
    uint32_t wrong = 0, *v = w->v[d->reg];
    for (uint32_t left = c->event.lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const enum verdict verdict = judge(c, w, k, lane, v[lane], d->value[lane]);
        count(c, verdict, lane);
        if (verdict == DIFFERENT) wrong |= 1u << lane;
        else v[lane] = d->value[lane];
    }
    return wrong;
}

static int compare_v(struct ventus_cosim *c, struct watched *w)
{
    const struct event *e = &c->event;
    const struct dut *d = &w->dut;
    const struct dut_write *other = find_stray(e, e->to_vector, d->v, d->nv);
    if (other) return stray(c, w, 'v', other);
    for (unsigned k = 0; e->to_vector && e->lanes && k < e->results; k++) {
        const struct dut_write *write = find_write(d->v, d->nv, e->insn->rd + k);
        if (!write) return missing(c, w, 'v', e->insn->rd + k);
        if (write->mask != e->lanes) return differ_mask(c, w, write);
        const uint32_t wrong = compare_lanes(c, w->warp, k, write);
        if (wrong) return differ_v(c, w, k, write, wrong);
    }
    return 1;
}

/* ---- memory ---- */

static uint32_t kind_of(const struct access *a) { return a->atomic ? 2 : a->write; }

static uint32_t data_mask(uint32_t size) { return size == 4 ? ~0u : (1u << 8 * size) - 1; }

/* Lanes whose address or data differ. */
static uint32_t wrong_lanes(const struct event *e, unsigned k, const struct dut_access *d, bool data)
{
    const struct access *a = &e->access[k];
    uint32_t wrong = 0;
    for (uint32_t left = a->lanes ? a->lanes : 1; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const bool differs =
            data ? (e->data[k][lane] ^ d->data[lane]) & data_mask(a->size) : a->addr[lane] != d->addr[lane];
        wrong |= (uint32_t)differs << lane;
    }
    return wrong;
}

static int differ_access(struct ventus_cosim *c, const struct watched *w, unsigned k, const struct dut_access *d,
                         uint32_t lanes, bool data)
{
    const struct event *e = &c->event;
    const struct access *a = &e->access[k];
    FILE *f = report_begin(c, w, data ? "the data of a store" : "the addresses of a memory access");
    if (!f) return 0;
    fprintf(f, "  lane  %sexpected    found\n", data ? "address     " : "");
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        fprintf(f, "  %4u  ", lane);
        if (data) fprintf(f, "0x%08x  ", (unsigned)a->addr[lane]);
        fprintf(f, "0x%08x  0x%08x\n", (unsigned)(data ? e->data[k][lane] : a->addr[lane]),
                (unsigned)(data ? d->data[lane] : d->addr[lane]));
    }
    return report_end(c, w, f);
}

static int differ_form(struct ventus_cosim *c, const struct watched *w, const struct access *a,
                       const struct dut_access *d)
{
    static const char *const names[] = {"a load", "a store", "an atomic operation"};
    FILE *f = report_begin(c, w, "the form of a memory access");
    if (!f) return 0;
    fprintf(f, "  expected %s of %u bytes, lanes 0x%08x; found %s of %u bytes, lanes 0x%08x\n", names[kind_of(a)],
            (unsigned)a->size, (unsigned)a->lanes, names[d->write], (unsigned)d->size, (unsigned)d->mask);
    return report_end(c, w, f);
}

static int compare_access(struct ventus_cosim *c, const struct watched *w, unsigned k)
{
    const struct event *e = &c->event;
    const struct access *a = &e->access[k];
    const struct dut_access *d = &w->dut.access[k];
    if (d->write != kind_of(a) || d->size != a->size || d->mask != a->lanes) return differ_form(c, w, a, d);
    uint32_t wrong = wrong_lanes(e, k, d, false);
    if (wrong) return differ_access(c, w, k, d, wrong, false);
    if (!a->write || a->atomic || !d->has_data) return 1;
    wrong = wrong_lanes(e, k, d, true);
    return wrong ? differ_access(c, w, k, d, wrong, true) : 1;
}

static int compare_memory(struct ventus_cosim *c, const struct watched *w)
{
    const struct event *e = &c->event;
    if (e->accesses != w->dut.naccess) {
        FILE *f =
            report_begin(c, w, "the number of memory accesses: expected %u, found %u", e->accesses, w->dut.naccess);
        return f ? report_end(c, w, f) : 0;
    }
    for (unsigned k = 0; k < e->accesses; k++)
        if (!compare_access(c, w, k)) return 0;
    return 1;
}

/* ---- SIMT ---- */

static int compare_simt(struct ventus_cosim *c, const struct watched *w)
{
    const struct dut *d = &w->dut;
    const struct warp *warp = w->warp;
    if (warp->state == WARP_ENDED) return 1;
    if (!d->has_simt) {
        FILE *f = report_begin(c, w, "the mask of lanes has not been reported");
        return f ? report_end(c, w, f) : 0;
    }
    const bool mask = d->mask != warp->mask, depth = d->depth != UINT32_MAX && d->depth != warp->depth;
    c->compared += 2;
    if (!mask && !depth) return 1;
    FILE *f = report_begin(c, w, mask ? "the mask of lanes after the instruction" : "the depth of the SIMT stack");
    if (!f) return 0;
    fprintf(f, "  expected lanes 0x%08x and %u entries, found lanes 0x%08x", (unsigned)warp->mask,
            (unsigned)warp->depth, (unsigned)d->mask);
    if (d->depth != UINT32_MAX) fprintf(f, " and %u entries", (unsigned)d->depth);
    fprintf(f, "\n");
    for (uint32_t i = warp->depth; i-- > 0;)
        fprintf(f, "  stack %2u: lanes 0x%08x go on at 0x%08x, reconverge at 0x%08x\n", (unsigned)i,
                (unsigned)warp->stack[i].mask, (unsigned)warp->stack[i].pc, (unsigned)warp->stack[i].rpc);
    return report_end(c, w, f);
}

/* ---- who has written ---- */

/* The order of atomics is the design's, and need not be that in which they retire. The same operation comes to the same
 * in each order, unless it swaps; a conditional store may have been one in the design alone. */
static bool leaves_open(const struct ventus_cosim *c, const struct watched *w, unsigned k, unsigned lane,
                        const struct word *before)
{
    const struct event *e = &c->event;
    const struct access *a = &e->access[k];
    const bool swaps = !strncmp(isa_table[e->insn->op].name, "amoswap", 7);
    if (!a->atomic) return false;
    if ((before && before->open) || (swaps && is_shared(a, lane))) return true;
    if (e->effects.memory.action == ACTION_SC && c->taken_lanes >> lane & 1) return true;
    if (!before || is_ordered(&before->last[0], place_of(c, w->warp->group), c, w->warp)) return false;
    return swaps || before->last[0].op != e->insn->op;
}

static bool note_lane(struct ventus_cosim *c, const struct watched *w, unsigned k, unsigned lane)
{
    const struct place *p = place_of(c, w->warp->group);
    const uint32_t addr = c->event.access[k].addr[lane];
    const uint64_t key = word_key(addr, local_serial(p, addr));
    const bool open = leaves_open(c, w, k, lane, words_find(&c->words, key));
    struct written by = {.before = c->old[k][lane],
                         .place = (uint32_t)(p - c->places),
                         .serial = p->serial,
                         .group = w->warp->group->wgid,
                         .warp = w->warp->wid,
                         .pc = c->event.pc,
                         .op = c->event.insn->op,
                         .passed = p->passed,
                         .stores = !c->event.access[k].atomic,
                         .several = is_shared(&c->event.access[k], lane),
                         .when = c->retired};
    if (!cosim_word(c, addr, &by.value)) return true;
    if (!words_note(&c->words, key, &by)) return false;
    words_find(&c->words, key)->open = open;
    return true;
}

static bool note_writes(struct ventus_cosim *c, const struct watched *w)
{
    const struct event *e = &c->event;
    for (unsigned k = 0; k < e->accesses; k++)
        for (uint32_t left = e->access[k].write ? e->access[k].lanes ? e->access[k].lanes : 1 : 0; left;
             left &= left - 1)
            if (!note_lane(c, w, k, (unsigned)__builtin_ctz(left))) return false;
    return true;
}

int compare_instruction(struct ventus_cosim *c, struct watched *w)
{
    c->taken_lanes = 0;
    if (c->reports & VENTUS_COSIM_MEMORY && !compare_memory(c, w)) return 0;
    if (c->reports & VENTUS_COSIM_X && !compare_x(c, w)) return 0;
    if (c->reports & VENTUS_COSIM_V && !compare_v(c, w)) return 0;
    if (c->reports & VENTUS_COSIM_SIMT && !compare_simt(c, w)) return 0;
    return note_writes(c, w) || cosim_fail(c, "out of memory");
}
