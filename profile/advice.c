/* Rules over the numbers of a kernel (profile.h): what is slow, on which line, and what changing it could gain at most.
 * docs/profiler.md has a section for each. Called by the outputs. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa/effects.h"
#include "profile/profile.h"

enum { FEW_LAUNCHES = 16, SMALL_LAUNCH = 4000 /* instructions of warps: about what it takes to begin one */ };

/* What the rules look at. */
struct view {
    const struct profile_kernel *kernel;
    const struct profile_rows *rows;
    uint32_t threads;           /* of a warp */
    uint32_t profile;           /* enum isa_profile */
    uint64_t kernel_lanes_most; /* that its warps begin with */
    profile_advise *advise;
    void *user;
};

static void say(const struct view *v, const char *rule, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void say(const struct view *v, const char *rule, uint32_t line, const char *format, ...)
{
    struct profile_advice a = {.rule = rule, .line = line};
    va_list args;
    va_start(args, format);
    vsnprintf(a.text, sizeof a.text, format, args);
    va_end(args);
    v->advise(v->user, &a);
}

static double share(uint64_t part, uint64_t all) { return all ? 100.0 * (double)part / (double)all : 0; }

/* Of the first instruction that was executed; NULL: none was. */
static const struct insn_counts *first_of(const struct profile_rows *rows)
{
    for (size_t i = 0; i < rows->ninsns; i++)
        if (rows->insns[i].counts.executions) return &rows->insns[i].counts;
    return NULL;
}

static const struct profile_memory *memory_of(const struct view *v, const struct profile_insn *i)
{
    const struct profile_kernel *k = v->kernel;
    const struct profile_memory *m = k->memory ? &k->memory[(i->pc - k->base) / 4] : NULL;
    return m && m->accesses ? m : NULL;
}

/* Of all instructions that access this kind of memory and are of the same line as number i, which is the first of them;
 * false: it is not. */
static bool sum_of_line(const struct view *v, size_t i, bool local, struct profile_memory *sum)
{
    const struct profile_memory *first = memory_of(v, &v->rows->insns[i]);
    *sum = (struct profile_memory){.local = local};
    if (!first || first->local != local) return false;
    for (size_t k = 0; k < v->rows->ninsns; k++) {
        const struct profile_memory *m = memory_of(v, &v->rows->insns[k]);
        if (!m || m->local != local || v->rows->insns[k].line != v->rows->insns[i].line) continue;
        if (k < i) return false;
        if (m->patterns[PATTERN_BROADCAST] + m->patterns[PATTERN_SINGLE] == m->accesses) continue;
        sum->accesses += m->accesses;
        sum->lanes += m->lanes;
        sum->bytes += m->bytes;
        sum->lines += m->lines;
        sum->conflicts += m->conflicts;
    }
    return sum->accesses;
}

/* Accesses to global memory that touch twice as many lines as their bytes fill, or more. */
static void look_for_uncoalesced(const struct view *v)
{
    struct profile_memory m;
    for (size_t i = 0; i < v->rows->ninsns; i++) {
        if (!sum_of_line(v, i, false, &m)) continue;
        const uint64_t least = (m.bytes + PROFILE_LINE - 1) / PROFILE_LINE,
                       ideal = least > m.accesses ? least : m.accesses;
        if (m.lines < 2 * ideal || m.lanes < 4 * m.accesses) continue;
        say(v, "uncoalesced", v->rows->insns[i].line,
            "an access touches %.1f lines of %d bytes for %.1f lanes, where %.1f would do: let neighbouring work-items "
            "access neighbouring words",
            (double)m.lines / (double)m.accesses, PROFILE_LINE, (double)m.lanes / (double)m.accesses,
            (double)ideal / (double)m.accesses);
    }
}

static void look_for_conflicts(const struct view *v)
{
    struct profile_memory m;
    for (size_t i = 0; i < v->rows->ninsns; i++) {
        if (!sum_of_line(v, i, true, &m) || m.conflicts < m.accesses) continue;
        say(v, "bank-conflict", v->rows->insns[i].line,
            "each access to local memory needs its busiest bank %.1f times, where once would do: pad rows by one word",
            1 + (double)m.conflicts / (double)m.accesses);
    }
}

/* Lines whose branches part lanes, in kernels in which many lanes rest. */
static void look_for_divergence(const struct view *v)
{
    const uint64_t rest = v->rows->executions * v->kernel_lanes_most - v->rows->lanes;
    const double resting = share(rest, v->rows->executions * v->kernel_lanes_most);
    if (resting < 20) return;
    for (size_t i = 0; i < v->rows->nlines; i++) {
        const struct profile_line *l = &v->rows->lines[i];
        if (l->diverged * 20 < l->branches || !l->diverged) continue;
        say(v, "divergence", l->line,
            "lanes part at %.0f %% of its branches; %.0f %% of all lanes rest: give the lanes of a warp work of the "
            "same "
            "length, or compute both sides and select",
            share(l->diverged, l->branches), resting);
        return;
    }
}

/* Warps that begin with idle lanes. */
static void look_for_small_groups(const struct view *v)
{
    const struct insn_counts *c = first_of(v->rows);
    if (!c || c->lanes * 8 > c->executions * v->threads * 7) return;
    say(v, "small-groups", 0, "warps begin with %.1f lanes of %u: make work-groups multiples of %u work-items",
        (double)c->lanes / (double)c->executions, (unsigned)v->threads, (unsigned)v->threads);
}

static bool is_private(const struct view *v, const struct profile_insn *i)
{
    uint32_t words[ISA_MAX_WORDS] = {0};
    const struct profile_kernel *k = v->kernel;
    const size_t left = (k->base + k->size - i->pc) / 4, n = left < ISA_MAX_WORDS ? left : ISA_MAX_WORDS;
    struct insn in;
    memcpy(words, k->code + (i->pc - k->base), n * 4);
    if (!isa_decode_in((enum isa_profile)v->profile, words, n, &in)) return false;
    const unsigned kind = isa_table[in.op].kind;
    return kind == KIND_PLOAD || kind == KIND_PSTORE;
}

/* Private memory: arrays that are no registers, and registers that were too few. */
static void look_for_spills(const struct view *v)
{
    uint64_t sum = 0, most = 0;
    uint32_t line = 0;
    for (size_t i = 0; i < v->rows->ninsns; i++) {
        const struct profile_insn *insn = &v->rows->insns[i];
        if (!is_private(v, insn)) continue;
        sum += insn->counts.executions;
        if (insn->counts.executions > most) most = insn->counts.executions, line = insn->line;
    }
    if (share(sum, v->rows->executions) < 5) return;
    say(v, "private-memory", line,
        "%.0f %% of the instructions access private memory, most of them here: use fewer values at a time, or arrays "
        "whose indices the compiler knows",
        share(sum, v->rows->executions));
}

static void look_for_small_launches(const struct view *v)
{
    const struct profile_kernel *k = v->kernel;
    if (k->launches < FEW_LAUNCHES || k->counters.instructions > k->launches * SMALL_LAUNCH) return;
    say(v, "small-launches", 0, "%llu launches of %.0f instructions each: one launch with more work-items costs less",
        (unsigned long long)k->launches, (double)k->counters.instructions / (double)k->launches);
}

void profile_advise_all(const struct profile *p, const struct profile_kernel *k, const struct profile_rows *rows,
                        profile_advise *advise, void *user)
{
    static void (*const rules[])(const struct view *v) = {look_for_uncoalesced, look_for_conflicts,
                                                          look_for_divergence,  look_for_small_groups,
                                                          look_for_spills,      look_for_small_launches};
    const struct gpu_config *c = profile_config(p);
    const struct insn_counts *first = first_of(rows);
    struct view v = {.kernel = k,
                     .rows = rows,
                     .threads = c->threads_per_warp,
                     .profile = c->profile,
                     .advise = advise,
                     .user = user};
    if (!first) return;
    v.kernel_lanes_most = (first->lanes + first->executions - 1) / first->executions;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) rules[i](&v);
}
