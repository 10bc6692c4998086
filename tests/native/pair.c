/* Programs on two engines (pair.h). */
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/turns/turns.h"
#include "isa/effects.h"
#include "sim/counts.h"
#include "sim/observe.h"
#include "native/native.h"

/* Sanitizers see what the engine and the translator do, not the code that they make, and with them a translation takes
 * several times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static bool is_chosen(const struct engine_build *b)
{
    const bool end = b == engine_native.builds || !b[1].run || !b[-1].usable();
    return b->usable() && (end || !SANITIZED);
}

/* One that the host lacks would be translated for the next one, once more. */
const char *pair_level(unsigned n)
{
    const struct engine_build *b = engine_native.builds;
    while (b->run && (!is_chosen(b) || n--)) b++;
    return b->name;
}

/* ---- translations that are kept ---- */

static char folder[] = "/tmp/pair-XXXXXX";

/* Nobody hears of memory that a machine's translator leaks: it is not our child, and what it says is not shown
 * (native/process.c). So it need not look for that. */
static void skip_leaks_of_children(void)
{
    const char *options = getenv("ASAN_OPTIONS");
    char text[1000];
    snprintf(text, sizeof text, "%s:detect_leaks=0", options ? options : "");
    setenv("ASAN_OPTIONS", text, 1);
}

int pair_setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    if (SANITIZED) skip_leaks_of_children();
    setenv("VENTUS_CACHE_DIR", folder, 1);
    setenv("VENTUS_TRANSLATE_VERIFY", "1", 1); /* what LLVM finds is an answer without an image, see expect_image */
    return unsetenv("VENTUS_CACHE");
}

int pair_teardown(void **state)
{
    char command[sizeof folder + 10];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* ---- running ---- */

enum { CODE_WORDS = 1 << 14 };

struct outcome {
    struct result result;
    uint64_t translated;
    uint32_t data[GUEST_BYTES / 4];
    struct turns turns;                    /* of a pair that has such */
    struct insn_counts counts[CODE_WORDS]; /* likewise */
};

static uint32_t metadata_of(const struct pair *p) { return p->metadata ? p->metadata : PAIR_METADATA; }

/* Opens a page for the metadata block, which it returns, and arguments behind that. */
static uint32_t *place_arguments(struct guest *g)
{
    assert_true(gpu_mem_open(g->gpu, ABI_LAUNCH_BASE, ABI_PAGE, GPU_READ | GPU_WRITE));
    uint32_t *block = gpu_mem(g->gpu, ABI_LAUNCH_BASE, ABI_PAGE);
    for (uint32_t i = 0; i < PAIR_ARGS; i++) block[ABI_META_SIZE / 4 + i] = i + 1;
    g->launch.knl = ABI_LAUNCH_BASE;
    return block;
}

static void open_ends(struct guest *g)
{
    assert_true(gpu_mem_open(g->gpu, 0, ABI_PAGE, GPU_READ | GPU_WRITE));
    assert_true(gpu_mem_open(g->gpu, 0u - ABI_PAGE, ABI_PAGE, GPU_READ | GPU_WRITE));
}

static void place_constants(struct guest *g, const uint32_t *words)
{
    assert_true(gpu_mem_open(g->gpu, PAIR_CONSTANTS, ABI_PAGE, GPU_READ | GPU_WRITE));
    memcpy(gpu_mem(g->gpu, PAIR_CONSTANTS, ABI_PAGE), words, ABI_PAGE);
    assert_true(gpu_mem_open(g->gpu, PAIR_CONSTANTS, ABI_PAGE, GPU_READ));
}

static void fill(struct guest *g, const struct pair *p)
{
    uint32_t state = 12345;
    for (uint32_t i = 0; i < GUEST_BYTES / 4; i++) {
        state = state * 1664525u + 1013904223u;
        g->data[i] = i % 3 ? state : (state >> 9) | 0x3f800000u; /* floats between 1 and 2 among them */
    }
    if (p->count) memcpy(g->data, p->words, p->count * 4);
    uint32_t *meta = &g->data[metadata_of(p) / 4];
    if (p->watched) meta = place_arguments(g);
    memset(meta, 0, ABI_META_SIZE);
    if (p->watched) meta[ABI_META_ARGS / 4] = ABI_LAUNCH_BASE + ABI_META_SIZE;
    meta[ABI_META_ENTRY / 4] = ABI_CODE_BASE;
    for (int i = 0; i < 3; i++) meta[ABI_META_LOCAL_SIZE / 4 + i] = p->local[0] ? p->local[i] : 8;
}

static void set_variable(const char *name, const char *value, bool set)
{
    if (set) setenv(name, value, 1);
    else unsetenv(name);
}

/* `wanted`: see struct turns. */
static void run_guest(struct guest *g, const struct pair *p, struct outcome *out, size_t wanted)
{
    turns_free(&out->turns);
    out->turns = (struct turns){.seed = p->turns, .wanted = wanted};
    if (p->turns) turns_begin(&out->turns, g->gpu);
    guest_run(g);
    if (p->turns) turns_end(&out->turns);
    assert_true(!p->turns || out->turns.count > 1); /* somebody has looked */
}

/* Fills all registers by another launch of the same shape. Those of new warps are 0 whatever is left there; what a warp
 * has in memory is not what the same program left on `step`, in a machine whose memory the host gives out again. */
static void leave_registers(struct guest *g, const struct engine *engine)
{
    char text[1 << 13] = "";
    size_t n = 0;
    for (unsigned r = 1; r < g->launch.sgprs; r++)
        n += (size_t)snprintf(text + n, sizeof text - n, " li x%u, 0x5bad%04x\n", r, r);
    for (unsigned r = 0; r < g->launch.vgprs; r++)
        n += (size_t)snprintf(text + n, sizeof text - n, " vmv.v.x v%u, x%u\n", r, 1 + r % 31);
    snprintf(text + n, sizeof text - n, " endprg\n");
    guest_assemble(g, text);
    assert_true(engine_use(g->gpu, &engine_step));
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_DONE);
    assert_true(engine_use(g->gpu, engine));
}

/* ---- counts as an observer sees them, instruction by instruction ---- */

static struct {
    struct insn_counts counts[CODE_WORDS];
    uint32_t mask, depth; /* before the instruction */
    bool announced;       /* it has been, and has not ended */
} seen;

static struct insn_counts *seen_at(uint32_t pc) { return &seen.counts[(pc - ABI_CODE_BASE) / 4 % CODE_WORDS]; }

static void see(const struct warp *w)
{
    seen_at(w->pc)->executions++;
    seen_at(w->pc)->lanes += w->nactive;
}

static enum observed see_before(void *user, struct warp *w, const struct insn *insn)
{
    (void)user, (void)insn;
    see(w);
    seen.mask = w->mask;
    seen.depth = w->depth;
    seen.announced = true;
    return GO_ON;
}

static void see_after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    const unsigned control = isa_kinds[isa_table[in->op].kind].control;
    const uint32_t target = pc + in->size - 4u + (uint32_t)in->imm;
    struct insn_counts *c = seen_at(pc);
    (void)user;
    seen.announced = false;
    if (control != CONTROL_BRANCH && control != CONTROL_VBRANCH) return;
    if (w->depth > seen.depth) {
        c->diverged++;
        c->taken_lanes += (uint32_t)__builtin_popcount(w->pc == target ? w->mask : seen.mask & ~w->mask);
    } else if (w->pc == target) {
        c->taken++;
        c->taken_lanes += w->nactive;
    }
}

/* An instruction that is refused is not announced, but counted. */
static void see_fault(void *user, const struct warp *w, const struct fault *fault)
{
    (void)user, (void)fault;
    if (!seen.announced) see(w);
    seen.announced = false;
}

static const struct observer seeing = {.before = see_before, .after = see_after, .fault = see_fault};

/* Not of programs that are longer than what is counted here; a line of text has eight characters and more. */
static bool counts_wanted(const struct pair *p)
{
    return (p->counts || getenv("NATIVE_COUNTS")) && strlen(p->text) / 8 < CODE_WORDS;
}

/* What has been counted; all of it is what the counters say. */
static void take_counts(struct guest *g, struct outcome *out)
{
    uint64_t executions = 0;
    memset(out->counts, 0, sizeof out->counts);
    if (!g->options.counts) return;
    gpu_settle_counts(g->gpu);
    for (uint32_t i = 0; i < CODE_WORDS; i++) {
        out->counts[i] = counts_at(g->options.counts, ABI_CODE_BASE + 4 * i);
        executions += out->counts[i].executions;
    }
    counts_free(g->options.counts);
    g->options.counts = NULL;
    if (executions != g->result.counters.instructions)
        fail_msg("%llu instructions counted one by one, %llu in all", (unsigned long long)executions,
                 (unsigned long long)g->result.counters.instructions);
}

static bool run_hooked; /* with an observer */

static void run_on(const struct engine *engine, const struct pair *p, struct outcome *out, size_t wanted)
{
    struct guest g;
    set_variable("VENTUS_TRANSLATE_LANES", "divergent", p->convergent);
    set_variable("VENTUS_TRANSLATE_REGISTERS", "all", p->turns);
    struct gpu_config c;
    gpu_config_default(&c);
    c.engine = engine;
    c.host_threads = 1;
    c.quantum = p->quantum ? p->quantum : 700;
    if (p->profile) c.profile = p->profile;
    guest_open_config(&g, &c);
    if (p->shape.warps) {
        g.launch.warps = p->shape.warps;
        g.launch.threads_per_warp = p->shape.threads_per_warp;
        g.launch.work_items = p->shape.work_items;
        g.launch.last_items = p->shape.last_items;
        g.launch.last_of = p->shape.last_of;
        if (p->shape.vgprs) g.launch.vgprs = p->shape.vgprs;
    }
    for (int i = 0; i < 2; i++)
        if (p->shape.groups[i]) g.launch.groups[i] = p->shape.groups[i];
    leave_registers(&g, engine);
    guest_assemble(&g, p->text);
    g.launch.pds_base = GUEST_DATA + PAIR_PRIVATE;
    g.launch.pds_bytes = 32;
    g.launch.knl = GUEST_DATA + metadata_of(p);
    g.options.order = p->order;
    if (p->ends) open_ends(&g);
    if (p->constants) place_constants(&g, p->constants);
    fill(&g, p);
    if (counts_wanted(p)) g.options.counts = counts_new(c.sms, ABI_CODE_BASE, ABI_CODE_BASE + 4 * CODE_WORDS);
    if (run_hooked) g.options.observers = &seeing;
    run_guest(&g, p, out, wanted);
    take_counts(&g, out);
    out->result = g.result;
    out->translated = engine == &engine_native ? native_executed(g.gpu) : 0;
    memcpy(out->data, g.data, sizeof out->data);
    guest_close(&g);
}

/* print_message cuts long texts off. */
static void print_program(const struct pair *p)
{
    for (const char *line = p->text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        print_message("%.*s", (int)(end - line), line);
    }
}

/* Both once more, to say how they differ in the middle. */
static void fail_between(const struct pair *p, struct outcome *a, struct outcome *b, size_t look)
{
    print_program(p);
    run_on(&engine_step, p, a, look);
    run_on(&engine_native, p, b, look);
    turns_print(&a->turns, &b->turns);
    fail_msg("native differs from step between turns of warps");
}

static void compare_counts(const struct pair *p, const struct outcome *a, const struct outcome *b)
{
    uint32_t i = 0;
    while (i < CODE_WORDS && !memcmp(&a->counts[i], &b->counts[i], sizeof *a->counts)) i++;
    if (i == CODE_WORDS) return;
    print_program(p);
    for (; i < CODE_WORDS; i++) {
        const struct insn_counts *c[] = {&a->counts[i], &b->counts[i]};
        if (!memcmp(c[0], c[1], sizeof *c[0])) continue;
        for (int k = 0; k < 2; k++)
            print_message("%s %08x: %llu executions, %llu lanes, %llu taken, %llu diverged, %llu lanes taken\n",
                          k ? "native" : "step  ", (unsigned)(ABI_CODE_BASE + 4 * i),
                          (unsigned long long)c[k]->executions, (unsigned long long)c[k]->lanes,
                          (unsigned long long)c[k]->taken, (unsigned long long)c[k]->diverged,
                          (unsigned long long)c[k]->taken_lanes);
    }
    fail_msg("native counts other instructions than step");
}

/* `step` with hooks sees the same. */
static void compare_seen(const struct pair *p, const struct outcome *step)
{
    static struct outcome hooked;
    if (!counts_wanted(p) || p->turns) return;
    memset(&seen, 0, sizeof seen);
    run_hooked = true;
    run_on(&engine_step, p, &hooked, SIZE_MAX);
    run_hooked = false;
    compare_counts(p, &hooked, step);
    memcpy(hooked.counts, seen.counts, sizeof hooked.counts);
    compare_counts(p, &hooked, step);
}

static void compare(const struct pair *p, struct outcome *a, struct outcome *b)
{
    size_t look = turns_differ(&a->turns, &b->turns);
    if (look != SIZE_MAX) fail_between(p, a, b, look);
    char says[2][300];
    fault_print(&a->result.fault, says[0], sizeof says[0]);
    fault_print(&b->result.fault, says[1], sizeof says[1]);
    bool same = a->result.status == b->result.status && !strcmp(says[0], says[1]) &&
                !memcmp(&a->result.counters, &b->result.counters, sizeof a->result.counters);
    uint32_t at = 0;
    while (at < GUEST_BYTES / 4 && a->data[at] == b->data[at]) at++;
    if (same && at == GUEST_BYTES / 4) {
        compare_counts(p, a, b);
        return;
    }
    print_program(p);
    print_message("step:   %s, %llu instructions\nnative: %s, %llu instructions\n", says[0],
                  (unsigned long long)a->result.counters.instructions, says[1],
                  (unsigned long long)b->result.counters.instructions);
    if (at < GUEST_BYTES / 4)
        print_message("word 0x%x: %08x %08x\n", (unsigned)at * 4, (unsigned)a->data[at], (unsigned)b->data[at]);
    fail_msg("native differs from step");
}

/* The same in turns, if $NATIVE_TURNS is their seed. */
static void run_turns(const struct pair *p)
{
    const char *seed = getenv("NATIVE_TURNS");
    struct pair other = *p;
    other.turns = seed ? (uint32_t)strtoul(seed, NULL, 0) : 0;
    if (other.turns && !p->turns) pair_run(&other, &(uint64_t){0});
}

struct result pair_run(const struct pair *p, uint64_t *translated)
{
    static struct outcome step, native;
    run_on(&engine_step, p, &step, SIZE_MAX);
    compare_seen(p, &step);
    run_on(&engine_native, p, &native, SIZE_MAX);
    compare(p, &step, &native);
    *translated = native.translated;
    const struct result result = native.result;
    run_turns(p);
    return result;
}

static unsigned count_levels(void)
{
    unsigned n = 0;
    while (pair_level(n)) n++;
    return n;
}

/* Shapes after one another run on the two halves of the levels. Those of the next four have the other halves, so that
 * a shape that comes each time meets all levels, too. With sanitizers one in four runs on the lowest level, whose code
 * LLVM takes several times as long for. */
static unsigned half_of_levels(unsigned call, unsigned levels)
{
    const unsigned turn = call + call / 4, first = SANITIZED ? turn % 4 == 3 : turn % 2;
    return levels > 1 ? 0x55555555u << first & ((1u << levels) - 1) : 1;
}

/* Programs run on the highest level, which is the first one and has most of the translator's rules, and on the others
 * in turn. */
static unsigned two_levels(unsigned call, unsigned levels)
{
    if (getenv("NATIVE_ALL_LEVELS")) return (1u << levels) - 1;
    return levels > 1 ? 1 | 2u << call % (levels - 1) : 1;
}

/* What LLVM makes of the code differs with the effort, what the translator concludes does not. A program takes the
 * usual effort on one of its levels, in turn. Of shapes one run in five takes it: one or more of a program's four
 * shapes, and each level after some; the same of programs about what is concluded. With sanitizers, which do not look
 * into LLVM, it is one in twenty. */
static unsigned levels_of_least(unsigned on, unsigned call, bool some)
{
    static unsigned runs;
    const unsigned usual = on ? call % (unsigned)__builtin_popcount(on) : 0;
    unsigned least = 0, nth = 0;
    for (unsigned left = on; left; left &= left - 1, nth++) {
        const bool takes = some || SANITIZED ? runs++ % (SANITIZED ? 20 : 5) : nth != usual;
        least |= takes ? left & -left : 0;
    }
    return least;
}

static void set_level(const char *level, bool least)
{
    set_variable("VENTUS_NATIVE_LEVEL", level, level);
    set_variable("VENTUS_TRANSLATE_EFFORT", "least", least);
}

/* On the levels of a set, with the least effort on those of `least`. */
static struct result run_levels(const struct pair *p, unsigned on, unsigned least)
{
    static struct outcome step, native;
    const struct outcome *last = on ? &native : &step;
    run_on(&engine_step, p, &step, SIZE_MAX);
    compare_seen(p, &step);
    for (; on; on &= on - 1) {
        const unsigned i = (unsigned)__builtin_ctz(on);
        const char *level = pair_level(i);
        set_level(level, least >> i & 1);
        run_on(&engine_native, p, &native, SIZE_MAX);
        compare(p, &step, &native);
        if (!native.translated) fail_msg("%s: nothing was translated", level);
        run_turns(p);
    }
    set_level(NULL, false);
    return last->result;
}

/* Levels for the nth program or shape: with sanitizers every other shape runs on `step` alone. */
static unsigned levels_for(const struct pair *p, unsigned call)
{
    static unsigned halves;
    const unsigned levels = count_levels();
    if (SANITIZED && p->shapes && call % 2) return 0;
    return p->shapes || SANITIZED ? half_of_levels(halves++, levels) : two_levels(call, levels);
}

/* Every other program also with counts, or every other two shapes, of which one runs on each level. */
struct result pair_run_levels(const struct pair *given)
{
    static unsigned calls;
    const unsigned on = levels_for(given, calls);
    struct pair p = *given;
    struct result result;
    p.counts |= calls++ / (given->shapes || SANITIZED ? 2 : 1) % 2;
    const unsigned least = levels_of_least(on, calls, given->shapes || given->concludes);
    for (size_t set = 0; !set || set < given->sets; set++) {
        result = run_levels(&p, on, least);
        if (given->results) given->results[set] = result;
        if (given->sets) p.words += given->count;
    }
    return result;
}
