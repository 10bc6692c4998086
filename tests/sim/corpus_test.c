/* Launches that the public tool chain compiled and the public simulator logged, run on ours.
 *
 * Every engine runs them, those that can be observed twice, `native` for each level of this host, and `step` and
 * `native` once more in turns of many lengths, whose states between these must be the same (tests/turns/turns.h). All
 * count the same, instruction by instruction. Launches of one `run` share a memory and go in order. With a log, every
 * instruction of every warp must have the logged effects, and the final memory must be .data plus all logged stores,
 * exactly. Without one, the sum c = a + b is checked. The corpus is at $VENTUS_CORPUS, else beside the source tree;
 * exit code 77, loudly, when it is nowhere. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "corpus_log.h"
#include "guest.h"
#include "isa/abi.h"
#include "tests/turns/turns.h"
#include "vt/case.h"
#include "sim/counts.h"
#include "sim/schedule.h"

enum { MAX_LAUNCHES = 512, MOST_COMPARED = 1 << 24 };

struct item {
    char dir[96], metadata[96], data[96], log[96], run[32], expected[96];
    int position;
};

static const char *corpus;
static struct item items[MAX_LAUNCHES];
static size_t nitems;
static size_t total_compared, total_looks;

/* ---- the index ---- */

static void copy(char *to, size_t size, const char *from) { snprintf(to, size, "%s", from); }

static void take_files(struct item *it, char *files)
{
    for (char *f = strtok(files, " "); f; f = strtok(NULL, " ")) {
        const char *dot = strrchr(f, '.');
        if (!dot) continue;
        if (!strcmp(dot, ".data")) copy(it->data, sizeof it->data, f);
        else if (!strcmp(dot, ".log")) copy(it->log, sizeof it->log, f);
        else copy(it->metadata, sizeof it->metadata, f);
    }
}

static bool take_line(char *line, struct item *it)
{
    char *column[16] = {0};
    size_t n = 0;
    for (char *p = line; p && n < 16; n++) column[n] = strsep(&p, "\t\r\n");
    if (n < 11 || !strcmp(column[0], "dir")) return false;
    *it = (struct item){.position = atoi(column[10])};
    copy(it->dir, sizeof it->dir, column[0]);
    copy(it->expected, sizeof it->expected, column[8]);
    copy(it->run, sizeof it->run, column[9]);
    take_files(it, column[1]);
    return *it->metadata && *it->data;
}

static int by_run(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = strcmp(x->dir, y->dir);
    if (!c) c = strcmp(x->run, y->run);
    if (!c) c = x->position - y->position;
    return c ? c : strcmp(x->metadata, y->metadata);
}

static bool read_index(void)
{
    char path[4096], line[8192];
    snprintf(path, sizeof path, "%s/index.tsv", corpus);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    while (nitems < MAX_LAUNCHES && fgets(line, sizeof line, f)) nitems += take_line(line, &items[nitems]);
    fclose(f);
    qsort(items, nitems, sizeof *items, by_run);
    return true;
}

/* ---- one launch ---- */

static void path_of(const struct item *it, const char *file, char *path, size_t size)
{
    snprintf(path, size, "%s/%s/%s", corpus, it->dir, file);
}

struct expected {
    struct gpu *gpu;
    bool concurrent;
};

static void apply_store(void *user, uint32_t addr, uint32_t value, unsigned size)
{
    const struct expected *e = user;
    if (addr - ABI_LOCAL_BASE < ABI_LOCAL_LIMIT - ABI_LOCAL_BASE)
        gpu_mem_open(e->gpu, addr, size, GPU_READ | GPU_WRITE);
    void *p = gpu_mem(e->gpu, addr, size);
    if (!p && e->concurrent) return; /* private memory of another group, far away */
    if (!p) fail_msg("a logged store to 0x%08x is in no buffer", addr);
    memcpy(p, &value, size);
}

/* Groups that ran at once had private memory of their own. */
static void compare_memory(struct gpu *gpu, struct gpu *expected, const struct recorded *c, bool concurrent)
{
    for (size_t i = 0; i < c->nbuffers; i++) {
        const struct case_buffer *b = &c->buffers[i];
        if (concurrent && b->base == c->launch.pds_base) continue;
        uint64_t n = b->alloc < MOST_COMPARED ? b->alloc : MOST_COMPARED;
        const uint8_t *have = gpu_mem(gpu, b->base, n), *want = gpu_mem(expected, b->base, n);
        if (!n) continue;
        assert_non_null(have);
        assert_non_null(want);
        if (!memcmp(have, want, n)) continue;
        for (uint64_t k = 0; k < n; k++)
            if (have[k] != want[k])
                fail_msg("byte at 0x%08x is %02x, expected %02x", (unsigned)(b->base + k), have[k], want[k]);
    }
}

static void clear_local(struct gpu *gpu) { gpu_mem_close(gpu, ABI_LOCAL_BASE, 1 << 20); }

/* Stacks and other local memory that the log wrote. */
static void compare_local(struct gpu *gpu, struct gpu *expected, uint32_t bytes)
{
    for (uint32_t page = 0; page < bytes; page += ABI_PAGE) {
        const void *have = gpu_mem(gpu, ABI_LOCAL_BASE + page, ABI_PAGE),
                   *want = gpu_mem(expected, ABI_LOCAL_BASE + page, ABI_PAGE);
        if (want && (!have || memcmp(have, want, ABI_PAGE)))
            fail_msg("local memory differs from the log in page %u", page / ABI_PAGE);
    }
}

/* ---- the machines: one for each engine, another for one that can be observed, one with another scheduler; and two
 * whose states are compared between turns ---- */

struct runner {
    struct guest_engine engine;
    struct gpu *gpu;
    bool observed, scheduled;
    struct turns turns; /* of the last launch of those that are looked at */
};

/* Always the oldest warp that can run. */
static struct warp *pick_oldest(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    (void)user, (void)sm;
    *budget = 1;
    return guest_oldest_ready(groups);
}

static const struct scheduler oldest = {.pick = pick_oldest};

enum { MOST_RUNNERS = 24 };
static struct runner runners[MOST_RUNNERS];
static size_t nrunners;
static struct runner *looked_at; /* two of them; NULL: the host has no `native` */

static void add_runner(const struct guest_engine *e, bool observed, bool scheduled)
{
    assert_true(nrunners < MOST_RUNNERS);
    runners[nrunners++] = (struct runner){.engine = *e, .observed = observed, .scheduled = scheduled};
}

static bool is_native(const struct runner *r) { return !strcmp(r->engine.engine.name, engine_native.name); }

/* The best build of `step`, and `native`, if the host has it. */
static void add_looked_at(void)
{
    const struct runner *last = &runners[nrunners - 1];
    if (!is_native(last)) return;
    add_runner(&runners[0].engine, false, false);
    add_runner(&last->engine, false, false);
    looked_at = &runners[nrunners - 2];
}

/* Lower levels than the best, which guest_any_engine has. */
static void add_levels(void)
{
    struct guest_engine e = runners[nrunners - 1].engine;
    const struct engine_build *best = engine_native.builds;
    if (!is_native(&runners[nrunners - 1])) return;
    while (strcmp(best->name, e.builds[0].name) != 0) best++;
    for (const struct engine_build *b = best + 1; b->run; b++) {
        e.builds[0] = *b;
        add_runner(&e, false, false);
    }
}

/* What can be observed is; unobserved too, if it is the engine's only build. */
static void find_runners(void)
{
    struct guest_engine e;
    for (unsigned n = 0; guest_any_engine(n, &e); n++) {
        bool hooks = e.builds[0].offers & NEEDS_HOOKS;
        bool first = !n || strcmp(runners[nrunners - 1].engine.engine.name, e.engine.name) != 0;
        if (hooks) add_runner(&e, true, false);
        if (!hooks || first) add_runner(&e, false, false);
    }
    add_looked_at();
    add_levels();
    add_runner(&runners[0].engine, false, true);
}

static void open_runners(const struct gpu_config *config)
{
    for (struct runner *r = runners; r < runners + nrunners; r++) {
        struct gpu_config c = *config;
        r->engine.engine.builds = r->engine.builds;
        c.engine = &r->engine.engine;
        if (is_native(r)) setenv("VENTUS_NATIVE_LEVEL", r->engine.builds[0].name, 1);
        r->gpu = gpu_create(&c, NULL);
        assert_non_null(r->gpu);
        if (r->scheduled) gpu_schedule(r->gpu, &oldest);
    }
}

static void close_runners(void)
{
    for (struct runner *r = runners; r < runners + nrunners; r++) {
        gpu_destroy(r->gpu);
        turns_free(&r->turns);
        r->turns = (struct turns){0};
    }
}

/* ---- running ---- */

/* What each runner has counted of the last launch: all in all, and instruction by instruction (sim/counts.h). */
enum { COUNTED_WORDS = 1 << 14 };
static struct counters counters[MOST_RUNNERS];
static struct insn_counts counted[MOST_RUNNERS][COUNTED_WORDS];

static void take_counts(const struct runner *r, struct counts *counts, uint64_t instructions)
{
    struct insn_counts *own = counted[r - runners];
    uint64_t executions = 0;
    gpu_settle_counts(r->gpu);
    for (uint32_t i = 0; i < COUNTED_WORDS; i++) {
        own[i] = counts_at(counts, ABI_CODE_BASE + 4 * i);
        executions += own[i].executions;
    }
    counts_free(counts);
    assert_int_equal(executions, instructions);
}

/* Code that stores all registers is for those that are looked at alone: users have the other. */
static void run(struct runner *r, const struct recorded *c, const struct launch_options *given)
{
    struct result result;
    struct launch_options counting = given ? *given : (struct launch_options){0}, *options = &counting;
    char text[400];
    bool looked = looked_at && r >= looked_at && r < looked_at + 2;
    turns_free(&r->turns);
    r->turns = (struct turns){.seed = 4, .wanted = SIZE_MAX};
    if (looked) {
        setenv("VENTUS_TRANSLATE_REGISTERS", "all", 1);
        turns_begin(&r->turns, r->gpu);
    }
    options->counts = counts_new(gpu_config_of(r->gpu)->sms, ABI_CODE_BASE, ABI_CODE_BASE + 4 * COUNTED_WORDS);
    assert_non_null(options->counts);
    gpu_launch(r->gpu, &c->launch, options, &result);
    take_counts(r, options->counts, result.counters.instructions);
    if (looked) {
        turns_end(&r->turns);
        unsetenv("VENTUS_TRANSLATE_REGISTERS");
    }
    fault_print(&result.fault, text, sizeof text);
    if (result.status != LAUNCH_DONE) fail_msg("%s", text);
    counters[r - runners] = result.counters;
}

/* On a machine that can be observed: every instruction has the logged effects. Reads the log and leaves it open. */
static void run_observed(struct runner *r, const struct recorded *c, const char *path, struct log *log)
{
    struct observer observer = {.user = log, .after = log_compare};
    struct launch_options options = {.observers = &observer, .serial = true};
    assert_true(log_read(path, log));
    run(r, c, &options);
    if (*log->error) fail_msg("%s", log->error);
    if (!log_finished(log)) fail_msg("the log goes on where the run has ended");
}

static void compare_all(const struct runner *r, struct gpu *expected, const struct recorded *c, bool concurrent)
{
    const uint32_t *groups = c->launch.groups;
    bool one_group = groups[0] * groups[1] * groups[2] == 1; /* else local memory has been cleared */
    compare_memory(r->gpu, expected, c, concurrent);
    compare_local(r->gpu, expected, one_group ? c->launch.lds_bytes : 0);
}

/* One by one: what is between them is not defined. */
static void compare_counters(const struct counters *a, const struct counters *b)
{
#define VENTUS_COUNTER(name, type, how, cl, text) assert_int_equal(a->name, b->name);
#include "sim/counters.def"
#undef VENTUS_COUNTER
}

static void compare_counts(void)
{
    for (size_t i = 1; i < nrunners; i++) {
        compare_counters(&counters[i], &counters[0]);
        if (memcmp(counted[i], counted[0], sizeof counted[i]))
            fail_msg("%s counts other instructions", runners[i].engine.builds[0].name);
    }
}

/* Observed machines first: they find out from which place in the log local memory is. */
static void run_logged(const struct item *it, struct gpu *expected, const struct recorded *c)
{
    char path[4096];
    static struct log log;
    bool concurrent = false;
    size_t compared = 0;
    path_of(it, it->log, path, sizeof path);
    for (size_t i = 0; i < nrunners; i++) {
        if (!runners[i].observed) continue;
        run_observed(&runners[i], c, path, &log);
        concurrent = log.concurrent;
        compared = log.compared;
        clear_local(expected);
        log_stores(&log, apply_store, &(struct expected){expected, concurrent});
        compare_all(&runners[i], expected, c, concurrent);
        log_free(&log);
    }
    for (size_t i = 0; i < nrunners; i++) {
        if (runners[i].observed) continue;
        run(&runners[i], c, NULL);
        compare_all(&runners[i], expected, c, concurrent);
    }
    total_compared += compared;
}

static float float_at(const uint32_t *words, size_t i)
{
    float f;
    memcpy(&f, words + i, sizeof f);
    return f;
}

/* The oldest form, code first, adds b to a in place. Its groups of one work-item were recorded without
 * masks, so that all lanes of each group add, at positions that begin one further each time. */
static void run_sum_in_place(const struct item *it, struct runner *r, const struct recorded *c)
{
    const struct case_buffer *a = &c->buffers[1], *b = &c->buffers[2];
    enum { MOST = 64 };
    size_t n = a->size / 4;
    float want[MOST];
    assert_in_range(n, 1, MOST);
    for (size_t i = 0; i < n; i++) want[i] = float_at(a->words, i);
    for (uint32_t group = 0; group < c->launch.groups[0]; group++)
        for (uint32_t lane = 0; lane < c->launch.work_items; lane++)
            if (group + lane < n) want[group + lane] += float_at(b->words, group + lane);
    run(r, c, NULL);
    for (size_t i = 0; i < n; i++)
        if (float_at(gpu_mem(r->gpu, a->base, a->size), i) != want[i])
            fail_msg("%s: sum %zu is wrong", it->metadata, i);
}

/* The first three buffers are a, b and c: c = a + b. */
static void run_sum(const struct item *it, struct runner *r, const struct recorded *c)
{
    assert_true(c->nbuffers >= 3);
    const struct case_buffer *a = &c->buffers[0], *b = &c->buffers[1], *out = &c->buffers[2];
    run(r, c, NULL);
    const uint32_t *sum = gpu_mem(r->gpu, out->base, out->alloc);
    uint32_t wrong = 0, sums = 0;
    for (size_t i = 0; i < a->size / 4; i++, sums++) {
        if (float_at(sum, i) != float_at(a->words, i) + float_at(b->words, i)) wrong++;
    }
    if (wrong || !sums) fail_msg("%s: %u of %u sums are wrong", it->metadata, wrong, sums);
}

/* Of the last launch. */
static void compare_turns(void)
{
    if (!looked_at) return;
    size_t look = turns_differ(&looked_at[0].turns, &looked_at[1].turns);
    if (look != SIZE_MAX) fail_msg("states between turns differ from look %zu on", look);
    total_looks += looked_at[0].turns.count;
}

/* ---- runs ---- */

/* A launch without a log. */
static void run_unlogged(const struct item *it, struct runner *r, const struct recorded *c)
{
    if (!strstr(it->expected, "computable")) run(r, c, NULL);
    else if (c->buffers[0].base == ABI_CODE_BASE) run_sum_in_place(it, r, c);
    else run_sum(it, r, c);
}

static void run_item(const struct item *it, struct gpu *expected)
{
    char metadata[4096], data[4096], why[300];
    struct recorded c;
    path_of(it, it->metadata, metadata, sizeof metadata);
    path_of(it, it->data, data, sizeof data);
    print_message("  %s/%s\n", it->dir, it->metadata);
    if (!case_read(metadata, data, &c, why, sizeof why)) fail_msg("%s", why);
    assert_true(case_load(expected, &c));
    for (size_t i = 0; i < nrunners; i++) assert_true(case_load(runners[i].gpu, &c));
    if (*it->log) run_logged(it, expected, &c);
    for (size_t i = 0; i < nrunners && !*it->log; i++) run_unlogged(it, &runners[i], &c);
    compare_counts();
    compare_turns();
    case_free(&c);
}

static void run_group(size_t first, size_t end)
{
    struct gpu_config config;
    case_config(&config);
    struct gpu *expected = gpu_create(&config, NULL);
    assert_non_null(expected);
    open_runners(&config);
    for (size_t i = first; i < end; i++) run_item(&items[i], expected);
    close_runners();
    gpu_destroy(expected);
}

static bool same_run(const struct item *a, const struct item *b)
{
    return *a->run && !strcmp(a->dir, b->dir) && !strcmp(a->run, b->run);
}

static void test_corpus(void **state)
{
    (void)state;
    assert_true(nitems > 0);
    find_runners();
    for (size_t first = 0, end; first < nitems; first = end) {
        for (end = first + 1; end < nitems && same_run(&items[first], &items[end]);) end++;
        run_group(first, end);
    }
    print_message("%zu launches, %zu instructions equal to the logs, %zu states between turns\n", nitems,
                  total_compared, total_looks);
    assert_true(total_compared > 0);
    assert_true(!looked_at || total_looks > 0);
}

int main(void)
{
    corpus = getenv("VENTUS_CORPUS") ? getenv("VENTUS_CORPUS") : CORPUS;
    if (!read_index()) {
        printf("SKIPPED: no corpus of recorded launches at %s (set VENTUS_CORPUS)\n", corpus);
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
