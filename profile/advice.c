/* Rules over the numbers of a kernel (profile.h): what is slow, on which line, and what changing it could gain at most.
 * docs/profiler.md has a section for each. Called by the outputs. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa/effects.h"
#include "isa/routine.h"
#include "profile/profile.h"

enum {
    FEW_LAUNCHES = 16, /* what is not worth advice, as FEW_ROUNDS: guesses */
    SMALL_LAUNCH =
        4000, /* instructions of warps: 1 us (jacobi) to 10 (bfs) in translated code; a launch by itself takes 6 */
    FEW_ROUNDS = 4,
    SMALL_TRIP = 4096, /* bytes for each launch, below 1 us of copying out of no cache; a copy by itself takes 2
                          (bench/launch) */
};

/* What the rules look at. */
struct view {
    const struct profile_kernel *kernel;
    const struct profile_rows *rows;
    const struct profile *profile_of;
    const struct gpu_config *config;
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
    return profile_memory_at(v->kernel, i->pc);
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

/* Lines with divergent branches, in kernels in which many lanes are idle. */
static void look_for_divergence(const struct view *v)
{
    const uint64_t rest = v->rows->executions * v->kernel_lanes_most - v->rows->lanes;
    const double resting = share(rest, v->rows->executions * v->kernel_lanes_most);
    if (resting < 20) return;
    for (size_t i = 0; i < v->rows->nlines; i++) {
        const struct profile_line *l = &v->rows->lines[i];
        if (l->diverged * 20 < l->branches || !l->diverged) continue;
        say(v, "divergence", l->line,
            "lanes diverge at %.0f %% of its branches; %.0f %% of all lanes are idle: give the lanes of a warp work of "
            "the same length, or compute both sides and select",
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

static bool decode(const struct view *v, const struct profile_insn *i, struct insn *in)
{
    uint32_t words[ISA_MAX_WORDS] = {0};
    const struct profile_kernel *k = v->kernel;
    const size_t left = (k->base + k->size - i->pc) / 4, n = left < ISA_MAX_WORDS ? left : ISA_MAX_WORDS;
    memcpy(words, k->code + (i->pc - k->base), n * 4);
    return isa_decode_in((enum isa_profile)v->profile, words, n, in);
}

static bool is_private(const struct view *v, const struct profile_insn *i)
{
    struct insn in;
    if (!decode(v, i, &in)) return false;
    const unsigned kind = isa_table[in.op].kind;
    return kind == KIND_PLOAD || kind == KIND_PSTORE;
}

/* The kernel in its program's note. */
static const struct ventus_kernel *described(const struct profile_kernel *k)
{
    for (size_t i = 0; i < k->note->nkernels; i++)
        if (k->note->kernels[i].entry == k->entry) return &k->note->kernels[i];
    return NULL;
}

/* Bytes of its private memory that spilled registers are in. */
static uint64_t spill_bytes(const struct ventus_kernel *k)
{
    const char *at = k && k->more ? strstr(k->more, " spills=") : NULL;
    return at ? strtoull(at + strlen(" spills="), NULL, 10) : 0;
}

/* Private memory: registers that were too few, else arrays that are no registers. */
static void look_for_private_memory(const struct view *v)
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
    const struct ventus_kernel *k = described(v->kernel);
    const uint64_t spills = spill_bytes(k);
    if (k && spills * 2 >= k->pds_bytes && spills)
        say(v, "spills", line,
            "%.0f %% of the instructions move values between registers and private memory, most of them here: there "
            "are no "
            "registers for %llu values of a work-item; use fewer at a time, or unroll loops less",
            share(sum, v->rows->executions), (unsigned long long)(spills / 4));
    else
        say(v, "private-memory", line,
            "%.0f %% of the instructions access private memory, most of them here: use fewer values at a time, or "
            "arrays "
            "whose indices the compiler knows",
            share(sum, v->rows->executions));
}

/* ---- what all lanes of a warp do alike ---- */

/* Lines whose vector loads want one word for all lanes: the compiler did not know that their address is the same. */
static void look_for_uniform(const struct view *v)
{
    for (size_t i = 0; i < v->rows->nlines; i++) {
        const struct profile_line *l = &v->rows->lines[i];
        uint64_t accesses = 0, alike = 0;
        for (size_t k = 0; k < v->rows->ninsns; k++) {
            const struct profile_insn *insn = &v->rows->insns[k];
            const struct profile_memory *m = insn->line == l->line ? memory_of(v, insn) : NULL;
            if (!m || m->write || m->local || m->program || m->lanes < 16 * m->accesses) continue;
            accesses += m->accesses;
            if (m->patterns[PATTERN_BROADCAST] * 20 >= m->accesses * 19) alike += m->accesses;
        }
        if (!alike || alike * 2 < accesses || share(l->executions, v->rows->executions) < 10) continue;
        say(v, "uniform", l->line,
            "all lanes load the same word at %.0f %% of its loads, which one load for the warp could do: compute the "
            "index "
            "from what the compiler knows to be the same in a warp (arguments, get_group_id, get_sub_group_id)",
            share(alike, accesses));
    }
}

/* ---- barriers and atomics ---- */

/* Instruction number i is the first of its line that `counts` says something of. */
static bool is_first(const struct view *v, size_t i, uint64_t (*counts)(const struct profile_memory *m))
{
    const struct profile_kernel *k = v->kernel;
    for (size_t n = 0; n < i; n++) {
        const struct profile_insn *insn = &v->rows->insns[n];
        if (insn->line == v->rows->insns[i].line && counts(&k->memory[(insn->pc - k->base) / 4])) return false;
    }
    return counts(&k->memory[(v->rows->insns[i].pc - k->base) / 4]);
}

static uint64_t barriers_of(const struct profile_memory *m) { return m->barriers; }
static uint64_t atomics_of(const struct profile_memory *m) { return m->atomics; }

/* The sums over the instructions of the line of number i that are barriers, or atomic accesses. */
static struct profile_insn line_of(const struct view *v, size_t i, uint64_t (*counts)(const struct profile_memory *m),
                                   struct profile_memory *sum)
{
    const struct profile_kernel *k = v->kernel;
    struct profile_insn all = {.line = v->rows->insns[i].line};
    *sum = (struct profile_memory){0};
    for (size_t n = i; n < v->rows->ninsns; n++) {
        const struct profile_insn *insn = &v->rows->insns[n];
        const struct profile_memory *m = &k->memory[(insn->pc - k->base) / 4];
        if (insn->line != all.line || !counts(m)) continue;
        all.counts.executions += insn->counts.executions;
        site_add(&all.went, &insn->went);
        sum->barriers += m->barriers;
        sum->needless += m->needless;
        sum->atomics += m->atomics;
        sum->same_word += m->same_word;
    }
    return all;
}

/* In watched launches no group has needed it: it is named if it costs anything. */
static void look_for_needless_barriers(const struct view *v)
{
    struct profile_memory m;
    for (size_t i = 0; v->kernel->memory && i < v->rows->ninsns; i++) {
        if (!is_first(v, i, barriers_of)) continue;
        const struct profile_insn line = line_of(v, i, barriers_of, &m);
        const bool costs = share(line.counts.executions, v->rows->executions) >= 2 ||
                           share(line.went.slots[SLOT_barrier], v->rows->cycles) >= 5;
        if (m.needless != m.barriers || !costs) continue;
        if (v->kernel->launch.warps == 1)
            say(v, "needless-barrier", line.line,
                "groups of one warp wait for themselves: reqd_work_group_size tells the compiler that there is but "
                "one");
        else
            say(v, "needless-barrier", line.line,
                "of %llu times that a group waited here none was needed: behind the barrier no warp accesses what "
                "another "
                "one has accessed since the barrier before it, one of them to write",
                (unsigned long long)m.barriers);
    }
}

static void look_for_contention(const struct view *v)
{
    struct profile_memory m;
    for (size_t i = 0; v->kernel->memory && i < v->rows->ninsns; i++) {
        if (!is_first(v, i, atomics_of)) continue;
        const struct profile_insn line = line_of(v, i, atomics_of, &m);
        if (m.same_word < 4 * m.atomics || share(line.counts.executions, v->rows->executions) < 0.5) continue;
        say(v, "atomic-contention", line.line,
            "an atomic access has %.1f lanes at one word, which take turns: add up within the warp "
            "(sub_group_reduce_add) "
            "or the group first",
            (double)m.same_word / (double)m.atomics);
    }
}

/* ---- doubles ---- */

/* Where the next function begins behind pc: a routine that is marked, or a kernel. */
static uint32_t next_function(const struct profile_kernel *k, uint32_t pc)
{
    uint32_t end = k->base + k->size;
    for (size_t i = 0; i < k->note->nkernels; i++) {
        const uint32_t entry = k->note->kernels[i].entry;
        if (entry > pc && entry < end) end = entry;
    }
    for (uint32_t at = pc + 4; at + 8 <= end; at += 4) {
        uint32_t words[ROUTINE_MARK_WORDS];
        memcpy(words, k->code + (at - k->base), sizeof words);
        if (routine_marked(words) != ROUTINES) return at;
    }
    return end;
}

/* Instructions in routines of the compiler's library for doubles, for which the machine has none. */
static void look_for_doubles(const struct view *v)
{
    const struct profile_kernel *k = v->kernel;
    uint64_t sum = 0;
    for (uint32_t at = 0; at + 8 <= k->size; at += 4) {
        uint32_t words[ROUTINE_MARK_WORDS];
        memcpy(words, k->code + at, sizeof words);
        if (routine_marked(words) == ROUTINES || routine_divides(routine_marked(words))) continue;
        const uint32_t first = k->base + at, end = next_function(k, first);
        for (size_t i = 0; i < v->rows->ninsns; i++)
            if (v->rows->insns[i].pc >= first && v->rows->insns[i].pc < end) sum += v->rows->insns[i].counts.executions;
        at = end - k->base - 4;
    }
    if (share(sum, v->rows->executions) < 10) return;
    say(v, "double", 0,
        "%.0f %% of the instructions are routines for doubles, for which the machine has no instructions: use float "
        "where "
        "its 24 bits do, or fixed point",
        share(sum, v->rows->executions));
}

/* ---- integers of 64 bits ---- */

/* What makes the upper word of a sum, a difference or a product of two words out of two operands of one kind (`low` is
 * the lower word of the same): carry = low < operand, borrow = operand < operand, upper product. */
static bool makes_upper(const struct insn *in, const struct insn *low)
{
    static const struct {
        uint16_t upper, low;
        enum { CARRY, BORROW, PRODUCT } how;
    } pairs[] = {{OP_VMSLTU_VV, OP_VADD_VV, CARRY},   {OP_VMSLTU_VX, OP_VADD_VX, CARRY},   {OP_SLTU, OP_ADD, CARRY},
                 {OP_VMSLTU_VV, OP_VSUB_VV, BORROW},  {OP_VMSLTU_VX, OP_VSUB_VX, BORROW},  {OP_SLTU, OP_SUB, BORROW},
                 {OP_VMULHU_VV, OP_VMUL_VV, PRODUCT}, {OP_VMULHU_VX, OP_VMUL_VX, PRODUCT}, {OP_MULHU, OP_MUL, PRODUCT}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (in->op != pairs[i].upper || low->op != pairs[i].low) continue;
        const bool scalar = in->op == OP_SLTU;
        const uint8_t a = scalar ? in->rs1 : in->rs2, b = scalar ? in->rs2 : in->rs1; /* of a < b */
        if (pairs[i].how == CARRY) return a == low->rd && (b == low->rs1 || (b == low->rs2 && in->op != OP_VMSLTU_VX));
        return in->rs1 == low->rs1 && in->rs2 == low->rs2;
    }
    return false;
}

/* Is it the call of a division, which itself has no line? */
static bool calls_division(const struct profile_kernel *k, const struct profile_insn *insn, const struct insn *in)
{
    uint32_t words[ROUTINE_MARK_WORDS], at = insn->pc + (uint32_t)in->imm - k->base - (uint32_t)sizeof words;
    if (in->op != OP_JAL || at + (uint64_t)sizeof words > k->size) return false;
    memcpy(words, k->code + at, sizeof words);
    return routine_divides(routine_marked(words));
}

/* Does the word occur in the source, perhaps with a number behind it? True when the source is not known. */
static bool source_says(const struct view *v, const char *word)
{
    const struct note *note = v->kernel->note;
    const char *text = note->nsources ? note->sources->text : NULL;
    const size_t size = text ? note->sources->size : 0, n = strlen(word);
    for (size_t i = 0; i + n <= size; i++) {
        if (memcmp(text + i, word, n) != 0) continue;
        const bool begins = !i || text[i - 1] == 'u' || !(isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_');
        const bool ends = i + n == size || !(isalpha((unsigned char)text[i + n]) || text[i + n] == '_');
        if (begins && ends) return true;
    }
    return !text;
}

/* Upper words of sums, differences and products near the lower ones, in programs that say `long`. */
static void look_for_longs(const struct view *v)
{
    enum { NEAR = 8 }; /* instructions that the scheduler may have put between the two: a guess */
    struct insn *in = calloc(v->rows->ninsns + 1, sizeof *in);
    uint64_t sum = 0, most = 0;
    uint32_t line = 0;
    for (size_t i = 0; in && i < v->rows->ninsns; i++)
        if (!decode(v, &v->rows->insns[i], &in[i])) in[i] = (struct insn){0};
    for (size_t i = 0; in && i < v->rows->ninsns; i++) {
        const struct profile_insn *insn = &v->rows->insns[i];
        bool found = calls_division(v->kernel, insn, &in[i]);
        for (size_t k = i < NEAR ? 0 : i - NEAR; k < i + NEAR && k < v->rows->ninsns && !found; k++)
            found = makes_upper(&in[i], &in[k]);
        if (!found) continue;
        sum += insn->counts.executions;
        if (insn->line && insn->counts.executions > most) most = insn->counts.executions, line = insn->line;
    }
    free(in);
    if (share(sum, v->rows->executions) < 4 || !source_says(v, "long")) return;
    say(v, "long", line,
        "%.0f %% of the instructions make upper words of integers with 64 bits, and others work on them: registers "
        "have 32, "
        "so that an addition takes four instructions and a multiplication six; use int where it is wide enough",
        share(sum, v->rows->executions));
}

/* ---- how the machine is filled ---- */

/* Something else than warp slots keeps half of them empty, and there were groups to fill them with. */
static void look_for_low_occupancy(const struct view *v)
{
    const struct launch *l = &v->kernel->launch;
    const struct gpu_config *c = v->config;
    const struct profile_fit fit = profile_fit(v->profile_of, v->kernel);
    const uint64_t groups = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2];
    if (!fit.groups || fit.groups * l->warps * 2 > c->warps_per_sm || groups <= fit.groups * c->sms) return;
    if (fit.needs == 1)
        say(v, "low-occupancy", 0,
            "at most %llu of %u warps are on an SM, which holds %u work-groups, and these have %u warp%s: larger ones "
            "fill "
            "it, so that other warps hide what one waits for",
            (unsigned long long)(fit.groups * l->warps), (unsigned)c->warps_per_sm, (unsigned)c->groups_per_sm,
            (unsigned)l->warps, l->warps == 1 ? "" : "s");
    else
        say(v, "low-occupancy", 0,
            "at most %llu of %u warps are on an SM: a work-group needs %llu %s and an SM has %llu, so that %llu "
            "group%s: "
            "with fewer of them for a group, other warps hide what one waits for",
            (unsigned long long)(fit.groups * l->warps), (unsigned)c->warps_per_sm, (unsigned long long)fit.needs,
            fit.limit, (unsigned long long)fit.has, (unsigned long long)fit.groups,
            fit.groups == 1 ? " fits" : "s fit");
}

static void look_for_idle_sms(const struct view *v)
{
    const struct profile_kernel *k = v->kernel;
    const struct launch *l = &k->launch;
    const uint64_t groups = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2];
    if (!groups || groups >= v->config->sms || k->counters.instructions < k->launches * SMALL_LAUNCH) return;
    say(v, "idle-sms", 0,
        "%llu work-group%s for %u SMs: with smaller work-groups, or more of them, the other SMs have something to do, "
        "too",
        (unsigned long long)groups, groups == 1 ? "" : "s", (unsigned)v->config->sms);
}

/* ---- what warps wait for, by a cycle model ---- */

/* The line with the most of something. */
static const struct profile_line *line_with_most(const struct view *v, uint64_t (*amount)(const struct timing_site *s))
{
    const struct profile_line *most = NULL;
    for (size_t i = 0; i < v->rows->nlines; i++) {
        const struct profile_line *l = &v->rows->lines[i];
        if (!most || amount(&l->went) > amount(&most->went)) most = l;
    }
    return most;
}

static uint64_t misses_of(const struct timing_site *s) { return s->l1d_misses; }
static uint64_t waits_of(const struct timing_site *s) { return s->slots[SLOT_barrier]; }

/* Long enough that what its first warps wait for does not count. */
static bool is_modelled(const struct view *v)
{
    const struct profile_cycles *c = v->kernel->went;
    return c && c->launches && v->kernel->counters.instructions >= v->kernel->launches * SMALL_LAUNCH;
}

static void look_for_cache_misses(const struct view *v)
{
    struct timing_site all = {0};
    if (!is_modelled(v)) return;
    for (size_t i = 0; i < v->rows->nlines; i++) site_add(&all, &v->rows->lines[i].went);
    const uint64_t looked = all.l1d_hits + all.l1d_misses;
    if (share(all.slots[SLOT_memory], v->rows->cycles) < 40 || share(all.l1d_misses, looked) < 30) return;
    say(v, "cache-misses", line_with_most(v, misses_of)->line,
        "warps wait for memory in %.0f %% of their cycles, and %.0f %% of the lines that they ask the data cache for "
        "are not "
        "there, most of them of this line's: use what has been loaded more often (registers, local memory) before it "
        "goes",
        share(all.slots[SLOT_memory], v->rows->cycles), share(all.l1d_misses, looked));
}

static void look_for_barrier_waits(const struct view *v)
{
    const struct profile_line *l = line_with_most(v, waits_of);
    if (!is_modelled(v) || !l || share(waits_of(&l->went), v->rows->cycles) < 50) return;
    say(v, "barrier-wait", l->line,
        "warps wait at this barrier in %.0f %% of all their cycles: give the warps of a group the same work, or let "
        "more and "
        "smaller groups be on an SM, which go on meanwhile",
        share(waits_of(&l->went), v->rows->cycles));
}

/* ---- between launches ---- */

static void look_for_round_trips(const struct view *v)
{
    const struct profile_kernel *k = v->kernel;
    if (k->launches < FEW_ROUNDS || k->round_trip < k->launches * SMALL_TRIP) return;
    say(v, "round-trip", 0,
        "before a launch the host writes %.0f bytes on average that it has read after the one before: leave them in "
        "device memory, and change them there with a kernel",
        (double)k->round_trip / (double)k->launches);
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
    static void (*const rules[])(const struct view *v) = {
        look_for_uncoalesced,    look_for_conflicts,      look_for_divergence,   look_for_small_groups,
        look_for_private_memory, look_for_small_launches, look_for_uniform,      look_for_needless_barriers,
        look_for_contention,     look_for_doubles,        look_for_longs,        look_for_low_occupancy,
        look_for_idle_sms,       look_for_round_trips,    look_for_cache_misses, look_for_barrier_waits};
    const struct gpu_config *c = profile_config(p);
    const struct insn_counts *first = first_of(rows);
    struct view v = {.kernel = k,
                     .rows = rows,
                     .profile_of = p,
                     .config = c,
                     .threads = c->threads_per_warp,
                     .profile = c->profile,
                     .advise = advise,
                     .user = user};
    if (!first) return;
    v.kernel_lanes_most = (first->lanes + first->executions - 1) / first->executions;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) rules[i](&v);
}
