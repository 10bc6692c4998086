/* The timeline as a waveform (VCD, IEEE 1364-2005, section 18), for GTKWave and the like. Its signals are the rows of
 * waves.def.
 *
 * A cycle is two units of time: the clock rises at its beginning and falls in its middle. As in a simulation of RTL a
 * register shows in a cycle what it holds at its beginning; what happens in the cycle is shown in it. */
#include <stdlib.h>
#include <string.h>

#include "timing/timeline.h"

/* ---- what the rows call ---- */

static unsigned stages_of(const struct pipe *p)
{
    unsigned set = 0;
    for (unsigned i = 0; i < p->stages; i++) set |= (unsigned)(p->stage[i] != NULL) << i;
    return set;
}

/* Units, as enum unit counts them, whose result waits for write-back into a scalar (0) or a vector (1) register. */
static unsigned results_of(const struct core *c, unsigned vector)
{
    unsigned set = 0;
    for (unsigned u = 0; u < UNITS; u++) set |= (unsigned)(c->units.out[u][vector] != NULL) << u;
    return set;
}

static unsigned pending_of(const struct slot_state *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < REGISTERS / 64; i++) n += (unsigned)__builtin_popcountll(s->busy[i]);
    return n;
}

/* ---- the rows ---- */

enum scope { SM, SLOT, MEMORY };

struct wave {
    enum scope scope;
    const char *part, *name;
    unsigned (*bits)(const struct core *c);
    uint64_t (*value)(const struct core *c, const struct slot_state *s, const struct l2 *l);
};

struct grant {
    const char *part, *event;
    unsigned ways;
};

#define GRANT(part, event, ways)
#define WAVE(scope, part, name, width, expr) \
    static unsigned bits_##part##_##name(const struct core *c) \
    { \
        (void)c; \
        return (width); \
    } \
    static uint64_t value_##part##_##name(const struct core *c, const struct slot_state *s, const struct l2 *l) \
    { \
        (void)c, (void)s, (void)l; \
        return (uint64_t)(expr); \
    }
#include "timing/waves.def"
#undef WAVE

static const struct wave waves[] = {
#define WAVE(scope, part, name, width, expr) {scope, #part, #name, bits_##part##_##name, value_##part##_##name},
#include "timing/waves.def"
#undef WAVE
#undef GRANT
};

static const struct grant grants[] = {
#define WAVE(scope, part, name, width, expr)
#define GRANT(part, event, ways) {#part, #event, ways},
#include "timing/waves.def"
#undef GRANT
#undef WAVE
};

enum { WAVES = sizeof waves / sizeof *waves, GRANTS = sizeof grants / sizeof *grants, MOST_WAYS = 2 };

/* ---- signals ---- */

/* What an event in one of its ways shows. */
struct happened {
    uint64_t valid, number, address;
};

struct signal {
    const struct wave *wave; /* of the SM and the slot: a register; NULL: ... */
    const struct core *core;
    const struct slot_state *slot;
    const uint64_t *happened; /* ... this word of an event */
    unsigned bits;
    uint64_t held, written; /* by the register at the end of the last cycle; to the file */
    bool known;             /* something has been written */
};

struct vcd {
    FILE *out;
    const struct model *m;
    struct signal *signals;
    size_t count, room;
    struct happened (*happened)[GRANTS][MOST_WAYS]; /* of each SM */
    bool failed;                                    /* no memory */
};

/* The identifier of signal n: printable characters, as few as possible. */
static const char *identifier(size_t n, char text[8])
{
    char *at = text;
    for (*at++ = (char)('!' + n % 94); n /= 94;) *at++ = (char)('!' + n % 94);
    *at = 0;
    return text;
}

/* ---- declarations ---- */

enum { CLOCK = 0, FIRST = 1 }; /* identifiers */

static void declare(struct vcd *v, struct signal signal, const char *name)
{
    char id[8];
    if (v->count == v->room) {
        size_t room = v->room ? 2 * v->room : 256;
        struct signal *more = realloc(v->signals, room * sizeof *more);
        v->failed |= !more;
        if (!more) return;
        v->signals = more;
        v->room = room;
    }
    fprintf(v->out, "$var wire %u %s %s $end\n", signal.bits, identifier(FIRST + v->count, id), name);
    v->signals[v->count++] = signal;
}

static void begin_scope(struct vcd *v, const char *name) { fprintf(v->out, "$scope module %s $end\n", name); }
static void end_scope(struct vcd *v) { fputs("$upscope $end\n", v->out); }

static void declare_waves(struct vcd *v, enum scope scope, const char *part, const struct core *c,
                          const struct slot_state *s)
{
    for (size_t i = 0; i < WAVES; i++) {
        struct signal signal = {.wave = &waves[i], .core = c, .slot = s, .bits = waves[i].bits(c)};
        if (waves[i].scope == scope && !strcmp(waves[i].part, part)) declare(v, signal, waves[i].name);
    }
}

static void declare_grant(struct vcd *v, const struct core *c, size_t g, unsigned way)
{
    const struct happened *h = &v->happened[c->number][g][way];
    const struct {
        const char *name;
        const uint64_t *word;
        unsigned bits;
    } words[] = {{"valid", &h->valid, 1}, {"number", &h->number, 8}, {"address", &h->address, 32}};
    char name[64], which[12] = "";
    if (grants[g].ways > 1) snprintf(which, sizeof which, "%u", way);
    for (unsigned i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s_%s", grants[g].event, which, words[i].name);
        declare(v, (struct signal){.happened = words[i].word, .bits = words[i].bits}, name);
    }
}

static void declare_grants(struct vcd *v, const char *part, const struct core *c)
{
    for (size_t g = 0; g < GRANTS; g++)
        for (unsigned way = 0; way < grants[g].ways && !strcmp(grants[g].part, part); way++)
            declare_grant(v, c, g, way);
}

static void declare_core(struct vcd *v, const struct core *c)
{
    static const char *const parts[] = {"control", "front", "l1i", "issue", "collect",
                                        "units",   "lsu",   "lds", "l1d",   "memory"};
    char name[32];
    snprintf(name, sizeof name, "sm%u", c->number);
    begin_scope(v, name);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        begin_scope(v, parts[i]);
        declare_waves(v, SM, parts[i], c, NULL);
        declare_grants(v, parts[i], c);
        end_scope(v);
    }
    for (unsigned i = 0; i < c->nslots; i++) {
        snprintf(name, sizeof name, "slot%u", i);
        begin_scope(v, name);
        declare_waves(v, SLOT, "slot", c, &c->slot[i]);
        end_scope(v);
    }
    end_scope(v);
}

static void declare_all(struct vcd *v)
{
    char id[8];
    fputs("$version ventus $end\n$timescale 1 ns $end\n", v->out);
    begin_scope(v, "ventus");
    fprintf(v->out, "$var wire 1 %s clk $end\n", identifier(CLOCK, id));
    begin_scope(v, "l2");
    declare_waves(v, MEMORY, "l2", &v->m->cores[0], NULL);
    end_scope(v);
    for (unsigned i = 0; i < v->m->ncores; i++) declare_core(v, &v->m->cores[i]);
    end_scope(v);
    fputs("$enddefinitions $end\n", v->out);
}

/* ---- values ---- */

static void put(struct vcd *v, size_t n, uint64_t value)
{
    struct signal *s = &v->signals[n];
    char id[8], digits[65], *at = digits + 64;
    if (s->known && s->written == value) return;
    s->known = true;
    s->written = value;
    identifier(FIRST + n, id);
    *at = 0;
    do *--at = (char)('0' + (value & 1));
    while (value >>= 1);
    fprintf(v->out, s->bits == 1 ? "%s%s\n" : "b%s %s\n", at, id);
}

static void event(void *state, const struct timeline_event *e)
{
    struct vcd *v = state;
    for (size_t g = 0; g < GRANTS; g++) {
        struct happened *h = v->happened[e->core->number][g];
        if (strcmp(grants[g].event, e->name)) continue;
        for (unsigned way = 0; way < grants[g].ways; way++)
            if (!h[way].valid) {
                h[way] = (struct happened){1, e->warp, e->pc};
                break;
            }
        return;
    }
}

static void cycle(void *state)
{
    struct vcd *v = state;
    const struct model *m = v->m;
    char id[8];
    fprintf(v->out, "#%llu\n1%s\n", 2 * (unsigned long long)m->now, identifier(CLOCK, id));
    for (size_t i = 0; i < v->count; i++) {
        struct signal *s = &v->signals[i];
        put(v, i, s->wave ? s->held : *s->happened);
        if (s->wave) s->held = s->wave->value(s->core, s->slot, &m->l2);
    }
    fprintf(v->out, "#%llu\n0%s\n", 2 * (unsigned long long)m->now + 1, id);
    for (unsigned i = 0; i < m->ncores; i++)
        for (size_t k = 0; k < GRANTS * MOST_WAYS; k++) v->happened[i][k / MOST_WAYS][k % MOST_WAYS].valid = 0;
}

/* ---- the file ---- */

static void close_file(void *state, uint64_t now)
{
    struct vcd *v = state;
    if (!v->failed) {
        cycle(v);
        fprintf(v->out, "#%llu\n", 2 * (unsigned long long)now + 2);
    }
    free(v->signals);
    free(v->happened);
    free(v);
}

static void *open_file(FILE *out, const struct model *m)
{
    struct vcd *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    *v = (struct vcd){.out = out, .m = m, .happened = calloc(m->ncores, sizeof *v->happened)};
    v->failed = !v->happened;
    if (!v->failed) declare_all(v);
    if (!v->failed) return v;
    close_file(v, 0);
    return NULL;
}

const struct timeline_form timeline_vcd = {{".vcd"}, open_file, event, cycle, close_file};
