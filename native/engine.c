/* The engine `native`: runs translated code where there is some, and `step` elsewhere.
 *
 * Both execute the same instructions in the same order and give a warp back after exactly as many as were asked for:
 * translated code stops where the rest of the budget might not do for what follows, and `step` executes that rest. So
 * nothing that a program can see depends on when a translation is ready. Counters are exact also when an access fails
 * in the middle of a block: the tables of the translation say what the block had counted in advance (native/native.h).
 */
#include "native/native.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "native/entry.h"
#include "native/stretch.h"
#include "native/tally.h"
#include "native/units.h"

enum {
    HINTS = 16,            /* 1, 8 or 32: 0.99 to 1.00 of the time of histogram, fft, bfs, tiny (bench/) */
    HELD = 3,              /* kinds of lanes that a launch may have warps with */
    CALL_MOST = 1 << 26,   /* instructions of a warp in one call: 32 bits count their lanes, twice */
    FOLLOW_MOST = 1 << 20, /* instructions of each: 32 bits count the lanes of all in a round, 64 at most, twice */
};

/* What the engine keeps for one SM. */
struct native_sm {
    struct native_state state;
    uint32_t index;        /* of the SM */
    struct counts *counts; /* that its tallies belong to; NULL: none are kept */
    uint64_t launch;       /* number of the launch that the unit belongs to */
    uint32_t version;      /* of the machine's code then */
    /* For that launch: the unit of all its warps, or those of warps with all lanes and of last ones with fewer; ... */
    struct held {
        uint32_t lanes; /* of the warp that it has been looked for with; 0: not yet */
        struct native_unit *unit;
    } held[HELD];
    struct native_unit *unit; /* ... one of them, or its `divergent`: whose code runs */
    volatile bool inside;     /* translated code */
    uint64_t held_back;       /* what sm->warp has of its budget beyond CALL_MOST */
    struct warp *next;        /* that runs after EXIT_NEXT; NULL: none */
    bool tried;               /* lanes of sm->warp have tried to run in vain; it can enter again at once */
    uint64_t again; /* sm->warp has been left by an access that was only tried, with such a budget; 0: it has not */
    uint32_t hints[HINTS];   /* entries of the unit, by address */
    uint64_t executed, seen; /* instructions in translated code, and all */
    uint64_t cooled;         /* as many were executed when they last counted against divergent code */
    uint64_t before;         /* what the group had counted when the engine last began to run its warps */
};

struct native {
    struct native *next; /* of those that are open */
    struct native_units units;
    struct native_tried *tried; /* of each SM */
    struct native_sm sms[];
};

static struct native_sm *sm_of(const struct sm *sm)
{
    struct native *native = sm->gpu->engine_data;
    return &native->sms[sm->index];
}

/* The build of `step` for this host, and the one that counts instructions. */
static const struct engine_build *step(bool counts)
{
    static const struct engine_build *_Atomic builds_of_step[2];
    const struct engine_build *b = engine_step.builds;
    if (builds_of_step[counts]) return builds_of_step[counts];
    while ((b->usable && !b->usable()) || (counts && !(b->offers & NEEDS_COUNTS))) b++;
    return builds_of_step[counts] = b;
}

/* ---- counters ---- */

static void add_counts(struct counters *c, const uint32_t *n)
{
    c->instructions += n[COUNT_INSTRUCTIONS];
    c->vector_instructions += n[COUNT_VECTOR];
    c->lanes += n[COUNT_LANES];
    c->branches += n[COUNT_BRANCHES];
    c->loads += n[COUNT_LOADS];
    c->stores += n[COUNT_STORES];
    c->atomics += n[COUNT_ATOMICS];
}

/* Takes back what a block has counted for instructions that have not been executed. */
static void take_back(struct native_state *s, const uint16_t *counts)
{
    for (int i = 0; i < NATIVE_COUNTS; i++) s->counts[i] -= counts[i];
    s->counts[COUNT_LANES] -= counts[COUNT_VECTOR] * (uint32_t)__builtin_popcount(s->mask);
}

/* ---- what translated code calls ---- */

/* `step` counts an instruction that the block has counted already. */
static bool help(struct sm *sm, struct warp *w, uint32_t mask)
{
    if (w->mask != mask) warp_set_mask(w, mask);
    w->group->local_end = UINT32_MAX;
    enum stop stop = step(false)->run(sm, w, 1);
    w->group->counters.instructions--;
    return stop == STOP_FAULT;
}

/* What translated code has done for the warp that it gives back or that has ended. */
static void account(struct native_sm *n, struct warp *w)
{
    const uint32_t *counts = n->state.counts;
    add_counts(&w->group->counters, counts);
    n->executed += counts[COUNT_INSTRUCTIONS];
}

/* Are the first pages closed, which an address that wraps at the end of memory reaches? */
static bool is_beginning_closed(const struct gpu *gpu)
{
    static const uint8_t closed[MEM_GUARD >> PAGE_BITS];
    return !memcmp(gpu->pages, closed, sizeof closed);
}

/* What translated code takes for granted of the machine; of warps see may_take. Words that follow one another it finds
 * from the first of them, on the closed pages behind the window if they are beyond its end (access.c of translator/).
 */
static bool may_enter(const struct sm *sm, const struct native_unit *unit)
{
    return (unit->reserves || !sm->reservations->count) && is_beginning_closed(sm->gpu);
}

/* Is the unit's code for warps with these lanes? */
static bool has_lanes(const struct native_sm *n, const struct warp *w)
{
    return !n->state.lanes || w->lanes == n->state.lanes;
}

/* Is the unit's code for warps of which all lanes take part, and this one none? */
static bool is_divergent(const struct native_unit *unit, const struct warp *w)
{
    return unit->divergent && w->mask != w->lanes;
}

/* Can a warp with the unit's lanes begin in its code that has not begun elsewhere? */
static bool can_start(const struct native_unit *unit, const struct warp *w, uint64_t budget)
{
    return w->blank && w->pc == unit->request.start && unit->start_need <= budget;
}

/* The entry at pc: warps come to the same few again and again. */
static uint32_t find_entry(struct native_sm *n, uint32_t pc)
{
    uint32_t *hint = &n->hints[pc / 4 % HINTS];
    if (*hint >= n->unit->nentries || n->unit->entries[*hint].pc != pc) *hint = unit_entry(n->unit, pc);
    return *hint;
}

/* Where the warp can enter the unit's code, NATIVE_NOWHERE: it cannot, or its budget does not cover what follows. */
static uint32_t entry_of(struct native_sm *n, const struct warp *w, uint64_t budget)
{
    const struct native_unit *unit = n->unit;
    if (!has_lanes(n, w) || is_divergent(unit, w)) return NATIVE_NOWHERE;
    if (can_start(unit, w, budget)) return NATIVE_START;
    uint32_t i = may_take(w) ? find_entry(n, w->pc) : NATIVE_NOWHERE;
    return i != NATIVE_NOWHERE && unit->entries[i].need <= budget ? i : NATIVE_NOWHERE;
}

/* Registers of a blank warp are written before it goes on elsewhere than at its beginning. */
static uint32_t prepare(struct sm *sm, struct native_sm *n, uint32_t entry, uint64_t budget)
{
    if (entry == NATIVE_NOWHERE) return entry;
    if (entry != NATIVE_START) warp_clear(sm->warp);
    n->state.budget = budget < CALL_MOST ? (uint32_t)budget : CALL_MOST;
    n->held_back = budget - n->state.budget;
    uint32_t most = sm->budget <= FOLLOW_MOST ? (uint32_t)sm->budget : 0;
    n->state.start_budget = n->unit->start_need <= most ? most : 0;
    n->state.follow_budget = entry == NATIVE_START ? 0 : most;
    n->state.barrier_budget = most;
    n->state.follow_pc = sm->warp->pc;
    n->state.follow_entry = entry;
    return entry;
}

/* See struct native_state. */
static uint32_t next_warp(struct sm *sm, uint32_t exit)
{
    struct native_sm *n = sm_of(sm);
    struct warp *w = sm->warp;
    enum stop stop = STOP_END;
    stretch_settle(sm, &n->state); /* a warp may wait in one that passes barriers as a rule */
    account(n, w);
    w->state = WARP_ENDED;
    if (exit == EXIT_BARRIER) {
        if (n->state.mask != w->mask) warp_set_mask(w, n->state.mask);
        w->group->counters.barriers++;
        w->state = WARP_WAITING;
        w->left = n->state.number;
        stop = STOP_BARRIER;
    }
    n->next = w = slice_next(sm, stop);
    if (!w || !may_enter(sm, n->unit) || n->version != sm->gpu->code_version) return NATIVE_NOWHERE;
    return prepare(sm, n, entry_of(n, w, sm->budget), sm->budget);
}

/* ---- faults ---- */

/* Says of the access in progress what sm->access is to say. */
static void describe_access(struct sm *sm, const struct native_state *s, const struct native_site *site, uint32_t mask)
{
    struct access *a = &sm->access;
    if (site->record == RECORD_NONE) return;
    if (site->record == RECORD_SCALAR || site->record == RECORD_RUN) a->addr[0] = s->address;
    a->size = site->size;
    a->write = site->write;
    if (site->all) a->lanes = mask;
    if (site->record == RECORD_SCALAR) {
        a->lanes = 0;
        return;
    }
    /* Without divisions: while there are reservations, each store comes here. */
    uint32_t first[ISA_LANES];
    memcpy(first, a->addr, sizeof first);
    for (uint32_t i = 0, run = 0, in_run = 0; i < ISA_LANES; i++) {
        a->addr[i] = first[run] + in_run * site->step + site->imm;
        if (++in_run < site->period) continue;
        for (in_run = 0, run += site->period; run >= site->repeat;) run -= site->repeat;
    }
}

/* See struct native_state. */
static void wrote(struct sm *sm, uint32_t mask)
{
    const struct native_sm *n = sm_of(sm);
    describe_access(sm, &n->state, &n->unit->sites[n->state.site], mask);
    end_reservations_of_access(sm);
}

/* The warp as it was at the site, but for registers. What the code has noted of writes (group.local_end) is lost. */
static void restore_at_site(struct warp *w, const struct native_site *site, struct native_state *s)
{
    w->group->local_end = UINT32_MAX;
    w->pc = site->pc;
    w->x[0] = 0;
    if (w->mask != s->mask) warp_set_mask(w, s->mask);
    take_back(s, site->after);
}

/* What lanes have stored is taken back, unless the host has closed their private memory meanwhile. */
static void undo(const struct sm *sm, struct native_tried *t)
{
    if (!t->rows) return;
    const uint32_t from = (uint32_t)((uint8_t *)t->from - sm->mem);
    const uint64_t words = (t->rows - 1) * (uint64_t)t->stride + t->lanes;
    const bool open = mem_allows(sm->gpu, from, words * 4, GPU_WRITE);
    for (uint32_t i = 0; i < t->rows && open; i++)
        memcpy(t->from + (size_t)i * t->stride, t->saved[i], t->lanes * sizeof *t->from);
    t->rows = 0;
}

/* The same in front of a loop that its lanes have tried to run (translator/load_loop.c, nest.c). */
static void restore_at_run(struct native_sm *n, struct warp *w)
{
    struct native_state *s = &n->state;
    w->group->local_end = UINT32_MAX;
    w->pc = s->run_pc;
    w->x[0] = 0;
    w->blank = false;
    w->left = 0;
    w->rpc = s->run_controls[0];
    w->vtype = s->run_controls[1];
    w->mstatus = s->run_controls[2];
    if (w->mask != s->mask) warp_set_mask(w, s->mask);
    s->run_pc = 0;
    memset(s->run_ends, 0, sizeof s->run_ends);
    memset(s->run_seen, 0, sizeof s->run_seen);
    undo(w->group->sm, s->tried);
}

/* A host signal, or a fault that a function of the machine has thrown, has led out of translated code, or of `step`. */
static bool jumped(struct sm *sm, bool refused)
{
    struct native_sm *n = sm_of(sm);
    struct warp *w = sm->warp;
    bool tried = n->inside && n->state.run_pc;
    if (n->inside) stretch_settle(sm, &n->state);
    if (tried) { /* `step` finds out which access fails first, if one does */
        restore_at_run(n, w);
        n->again = n->state.budget - n->state.counts[COUNT_INSTRUCTIONS] + n->held_back;
        account(n, w);
    } else if (n->inside) {
        const struct native_site *site = &n->unit->sites[n->state.site];
        if (site->full) n->state.mask = ~0u >> (ISA_LANES - n->unit->request.items);
        restore_at_site(w, site, &n->state);
        tallies_take_back(n->unit, n->index, sm->counts, site->pc, false, n->state.mask);
        if (refused) describe_access(sm, &n->state, site, n->state.mask);
        if (site->record == RECORD_NONE) w->group->counters.instructions--; /* that `step` has counted, too */
        account(n, w);
    }
    n->inside = false;
    n->seen += w->group->counters.instructions - n->before;
    return tried;
}

/* ---- running ---- */

/* Runs translated code from an entry of sm->warp on, and then perhaps other warps. Returns STOP_NOT when `step` is to
 * go on with sm->warp; *budget is what is left. */
static enum stop run_code(struct sm *sm, struct native_sm *n, uint32_t entry, uint64_t *budget)
{
    struct native_state *s = &n->state;
    const struct native_unit *unit = n->unit;
    s->site = 0; /* a site of this unit, even if the host closes the metadata block under the launch */
    if (n->counts && !s->tallies) s->tallies = tallies_for(unit, n->index, n->counts); /* it was not translated yet */
    n->inside = true;
    enum native_exit exit = (enum native_exit)unit->run(sm, s, prepare(sm, n, entry, *budget));
    n->inside = false;
    stretch_settle(sm, s);
    if (exit == EXIT_NEXT) return STOP_NEXT;
    struct warp *w = sm->warp;
    w->left = 0;
    n->tried = exit == EXIT_TRIED;
    if (n->tried) restore_at_run(n, w);
    if (s->mask != w->mask) warp_set_mask(w, s->mask);
    if (exit == EXIT_SITE || exit == EXIT_FAULT) take_back(s, unit->sites[s->site].after);
    if (exit == EXIT_SITE) take_back(s, unit->sites[s->site].own);
    if ((exit == EXIT_SITE || exit == EXIT_FAULT) && sm->counts)
        tallies_take_back(unit, n->index, sm->counts, unit->sites[s->site].pc, exit == EXIT_SITE, s->mask);
    account(n, w);
    const int64_t left = (int32_t)(s->budget - s->counts[COUNT_INSTRUCTIONS]) + (int64_t)n->held_back;
    *budget = left > 0 ? (uint64_t)left : 0; /* see native_request.late */
    if (exit == EXIT_TURN && left < 0) return STOP_TURN;
    return exit == EXIT_FAULT ? STOP_FAULT : STOP_NOT;
}

/* `divergent` is translated after a quarter of the instructions in `step` that other code needs, because the convergent
 * code shows that the kernel is hot. But only if they are one in 64 or more: divergent code runs convergent warps up to
 * twice as slowly. So what has run in translated code counts against it. Of sgemm, bfs and fft with an empty cache,
 * HEAT 2 or 8 take 0.91 to 1.08 of the time, SHARE 32 or 128 0.98 to 1.04. */
enum { DIVERGENT_HEAT = 4, DIVERGENT_SHARE = 64 };

static void cool(struct native_sm *n, struct native_unit *unit)
{
    if (unit && unit->divergent)
        units_cool(unit->divergent, (n->executed - n->cooled) * DIVERGENT_HEAT / DIVERGENT_SHARE);
    n->cooled = n->executed;
}

/* `step` has executed so many instructions of the warp: for want of the unit, or, when its lanes have diverged,
 * `divergent`.
 */
static void heat(struct sm *sm, struct native_unit *unit, const struct warp *w, uint64_t instructions, bool diverged)
{
    struct native *native = sm->gpu->engine_data;
    struct native_unit *divergent = unit->divergent;
    if (!divergent || (divergent->state == TRANSLATION_COLD && !is_divergent(unit, w) && !diverged)) {
        units_hotness(&native->units, unit, instructions);
        return;
    }
    cool(sm_of(sm), unit);
    units_hotness(&native->units, divergent, DIVERGENT_HEAT * instructions);
}

static void use_unit(struct native_sm *n, struct native_unit *unit)
{
    n->unit = unit;
    n->state.tallies = tallies_for(unit, n->index, n->counts);
    n->state.number = unit ? unit->number : 0;
    n->state.lanes = unit && unit->request.lanes != LANES_ANY ? ~0u >> (ISA_LANES - unit->request.items) : 0;
}

/* Divergent code replaces the convergent one as soon as it is ready. */
static void follow_lanes(struct native_sm *n)
{
    struct native_unit *divergent = n->unit ? n->unit->divergent : NULL;
    if (divergent && divergent->state == TRANSLATION_READY) use_unit(n, divergent);
}

/* `step` goes on with a warp, which translated code has to look at before it takes it again. */
static enum stop step_on(struct sm *sm, struct warp *w, uint64_t most)
{
    warp_clear(w);
    w->left = 0;
    w->group->local_end = UINT32_MAX;
    return step(sm->counts != NULL)->run(sm, w, most);
}

/* At most so many instructions by `step`; *budget is what is left. Returns STOP_NOT when translated code may go on: not
 * when the guest has changed code (fence.i, which ends the run), because the translation is one of the old code. */
static enum stop run_step(struct sm *sm, struct native_sm *n, uint64_t most, uint64_t *budget)
{
    struct warp *w = sm->warp;
    const struct counters *c = &w->group->counters;
    uint64_t before = c->instructions;
    enum stop stop = step_on(sm, w, most < *budget ? most : *budget);
    uint64_t executed = c->instructions - before;
    *budget -= executed;
    heat(sm, n->unit, w, executed, c->divergent);
    return stop == STOP_QUANTUM && sm->gpu->code_version == n->version ? STOP_NOT : stop;
}

/* For how many instructions `step` may run: not past the next entry above, which long code without branches has few of.
 */
static uint64_t up_to_entry(const struct native_unit *unit, uint32_t pc, uint64_t most)
{
    uint32_t i = unit_entry_from(unit, pc + 4);
    if (i == NATIVE_NOWHERE) return most;
    uint64_t least = (unit->entries[i].pc - pc) / (4 * ISA_MAX_WORDS);
    return !least ? 1 : least < most ? least : most;
}

/* STRIDE, half and twice: 0.94 to 1.05 of the time of the kernels at HINTS; the others are guesses. */
enum { SINGLES = 256, STRIDE = 1024, DIVERGED = 16 };

/* Translated code as far as it goes, `step` in between: for one instruction, in case the next is an entry, up to where
 * a loop would have come round; for more then and when there has been none; for some while lanes diverge; and for all
 * of the budget where translated code would not do. */
static enum stop run_warm(struct sm *sm, struct native_sm *n, uint64_t budget)
{
    for (unsigned steps = 1; budget; steps++) {
        follow_lanes(n);
        bool usual = may_enter(sm, n->unit) && may_take(sm->warp);
        uint32_t entry = usual ? entry_of(n, sm->warp, budget) : NATIVE_NOWHERE;
        enum stop stop = STOP_NOT;
        if (entry != NATIVE_NOWHERE) {
            round_set(FP_RNE);
            stop = run_code(sm, n, entry, &budget);
            steps = 1;
            if (stop == STOP_NOT && n->tried) continue;
        }
        uint64_t most = !usual                            ? budget
                        : is_divergent(n->unit, sm->warp) ? DIVERGED
                        : steps % SINGLES                 ? 1
                                                          : up_to_entry(n->unit, sm->warp->pc, STRIDE);
        if (stop == STOP_NOT && budget) stop = run_step(sm, n, most, &budget);
        if (stop != STOP_NOT) return stop;
    }
    return STOP_QUANTUM;
}

static void forget_held(struct native *native, struct native_sm *n)
{
    cool(n, n->unit);
    for (unsigned i = 0; i < HELD; i++) {
        units_let_go(&native->units, n->held[i].unit);
        n->held[i] = (struct held){0};
    }
    use_unit(n, NULL);
}

/* Remembers the launch's units, so that warps after the first do not look for them. */
static struct native_unit *unit_of(struct native *native, struct native_sm *n, const struct warp *w)
{
    const struct group *g = w->group;
    uint32_t version = g->sm->gpu->code_version;
    if (n->launch != g->launch_number || n->version != version) {
        forget_held(native, n);
        n->launch = g->launch_number;
        n->version = version;
        n->counts = g->job->options.counts;
    }
    if (!n->unit || !has_lanes(n, w)) {
        struct held *held = n->held;
        while (held->lanes && held->lanes != w->lanes) held++;
        if (!held->lanes) *held = (struct held){w->lanes, units_hold(&native->units, w)};
        use_unit(n, held->unit);
    }
    follow_lanes(n);
    return n->unit;
}

static enum stop run_cold(struct sm *sm, struct warp *w, struct native_unit *unit, uint64_t budget)
{
    const struct counters *c = &w->group->counters;
    uint64_t divergent = c->divergent;
    enum stop stop = step_on(sm, w, budget);
    if (unit) heat(sm, unit, w, c->instructions - sm_of(sm)->before, c->divergent != divergent);
    return stop;
}

/* Single instructions are for `step`: so translated code, which lets other warps follow with the whole of a quantum,
 * does not run while a quantum ends late (struct sm). */
static enum stop run_native(struct sm *sm, struct warp *w, uint64_t budget)
{
    struct native *native = sm->gpu->engine_data;
    struct native_sm *n = sm_of(sm);
    for (; w; budget = sm->budget) {
        struct native_unit *unit = unit_of(native, n, w);
        if (n->again) budget = n->again;
        bool ready = unit && unit->state == TRANSLATION_READY && budget > 1 && !n->again;
        n->again = 0;
        const uint64_t *count = &w->group->counters.instructions;
        n->before = *count;
        enum stop stop = ready ? run_warm(sm, n, budget) : run_cold(sm, w, unit, budget);
        n->seen += *count - n->before;
        w = stop == STOP_NEXT ? n->next : slice_next(sm, stop);
    }
    return STOP_NEXT;
}

/* ---- the engine ---- */

uint64_t native_executed(const struct gpu *gpu)
{
    const struct native *native = gpu->engine_data;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gpu->config.sms; i++) sum += native->sms[i].executed;
    return sum;
}

uint64_t native_seen(const struct gpu *gpu)
{
    const struct native *native = gpu->engine_data;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gpu->config.sms; i++) sum += native->sms[i].seen;
    return sum;
}

/* ---- statistics ---- */

/* What $VENTUS_STATS says: 1, or a file, which has a slash in it. NULL: nothing is to be printed. */
static const char *stats_wanted(void)
{
    const char *said = secure_getenv("VENTUS_STATS");
    return said && *said && strcmp(said, "0") != 0 ? said : NULL;
}

static void complain_of_stats(const char *where)
{
    char text[600];
    if (strchr(where, '/')) snprintf(text, sizeof text, "cannot write %.400s: %s", where, strerror(errno));
    else snprintf(text, sizeof text, "%.40s is neither 0 nor 1, nor a file with a slash; it counts as 1", where);
    host_say("VENTUS_STATS", text);
}

/* A line of several processes is one write, at the file's end. */
static void print_line(const char *line)
{
    const char *where = stats_wanted();
    FILE *file = where && strchr(where, '/') ? fopen(where, "ae") : NULL;
    if (!file && where && strcmp(where, "1")) complain_of_stats(where);
    fputs(line, file ? file : stderr);
    if (file) fclose(file);
}

/* What share of the work ran in translated code, and what translating cost. */
static void print_stats(const struct native *native)
{
    char line[256];
    const struct gpu *gpu = native->units.gpu;
    uint64_t executed = native_executed(gpu), all = native_seen(gpu), cost = native->units.gone.cost_us;
    unsigned units = native->units.gone.count, insns = native->units.gone.insns, cached = native->units.gone.cached;
    for (const struct native_unit *u = native->units.first; u; u = u->next) {
        if (u->state != TRANSLATION_READY) continue;
        units++;
        insns += u->insns;
        cached += u->cached;
        cost += u->cached ? 0 : u->cost_us;
    }
    snprintf(
        line, sizeof line,
        "ventus: engine native: %llu of %llu warp instructions in translated code (%.1f %%); %u translations of %u "
        "instructions took %.3f s of processor time, %u from the cache\n",
        (unsigned long long)executed, (unsigned long long)all, all ? 100.0 * (double)executed / (double)all : 0.0,
        units, insns, (double)cost / 1e6, cached);
    print_line(line);
}

/* ---- the end of the process ---- */

/* Machines that are still there then, as an OpenCL device is. */
static struct native *opened;
static pid_t process; /* a child of fork() has none of its parent's threads, and leaves its machines alone */

static void end_all(void)
{
    int wanted = -1;
    host_lock();
    for (struct native *n = process == getpid() ? opened : NULL; n; n = n->next) {
        if (stats_wanted()) print_stats(n);
        wanted = units_write_wanted(&n->units, wanted);
    }
    opened = NULL;
    host_unlock();
    translator_leave(wanted);
}

static void add_opened(struct native *native)
{
    static bool registered;
    host_lock();
    if (process != getpid()) opened = NULL;
    process = getpid();
    if (!registered) registered = atexit(end_all) == 0;
    native->next = opened;
    opened = native;
    host_unlock();
}

static void remove_opened(struct native *native)
{
    host_lock();
    struct native **link = &opened;
    while (*link && *link != native) link = &(*link)->next;
    if (*link && stats_wanted()) print_stats(native);
    if (*link) *link = native->next;
    host_unlock();
}

/* ---- opening and closing ---- */

static void *open_native(struct gpu *gpu)
{
    size_t size = sizeof(struct native) + gpu->config.sms * sizeof(struct native_sm);
    struct native *native = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!native) return NULL;
    memset(native, 0, size);
    native->tried = aligned_alloc(64, gpu->config.sms * sizeof *native->tried);
    for (uint32_t i = 0; i < gpu->config.sms; i++) {
        native->sms[i].index = i;
        native->sms[i].state.help = help;
        native->sms[i].state.wrote = wrote;
        native->sms[i].state.next = next_warp;
        native->sms[i].state.entry_holds = entry_holds;
        native->sms[i].state.stretch_enter = stretch_enter;
        native->sms[i].state.next_behind_end = next_behind_end;
        native->sms[i].state.next_behind_stretch = next_behind_stretch;
        native->sms[i].state.next_behind_barrier = next_behind_barrier;
        native->sms[i].state.clear = warp_clear;
        native->sms[i].state.tried = &native->tried[i];
        if (native->tried) memset(&native->tried[i], 0, offsetof(struct native_tried, records));
    }
    if (!native->tried || !units_open(&native->units, gpu, gpu->engine_given)) {
        free(native->tried);
        free(native);
        return NULL;
    }
    add_opened(native);
    return native;
}

static void settle_native(void *data)
{
    struct native *native = data;
    for (const struct native_unit *u = native->units.first; u; u = u->next) tallies_settle(u, 0);
}

static void close_native(void *data)
{
    struct native *native = data;
    remove_opened(native);
    units_close(&native->units);
    free(native->tried);
    free(native);
}

/* One for each host level; they differ in what is asked of the translator alone (units_level). */
static const struct engine_build builds[] = {
#define LEVEL(name, words, cpu) {#name, host_is_##name, NEEDS_COUNTS, run_native, true, true, jumped},
    NATIVE_LEVELS(LEVEL)
#undef LEVEL
        {0}};

const struct engine engine_native = {.name = "native",
                                     .text = "translates hot code to that of this host, in the background",
                                     .builds = builds,
                                     .open = open_native,
                                     .close = close_native,
                                     .settle = settle_native};
