/* Launches that the public tool chain compiled and the public simulator logged, run on ours.
 *
 * Launches of one `run` share a memory and go in order. With a log, every instruction of every warp must
 * have the logged effects, and the final memory must be .data plus all logged stores, exactly. Without
 * one, the sum c = a + b is checked. The corpus is at $VENTUS_CORPUS, else beside the source tree; exit
 * code 77, loudly, when it is nowhere. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "corpus_log.h"
#include "isa/abi.h"
#include "vt/case.h"
#include "sim/schedule.h"

enum { MAX_LAUNCHES = 512, MOST_COMPARED = 1 << 24 };

struct item {
    char dir[96], metadata[96], data[96], log[96], run[32], expected[96];
    int position;
};

static const char *corpus;
static struct item items[MAX_LAUNCHES];
static size_t nitems;
static size_t total_compared;

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

static void run(struct gpu *gpu, const struct recorded *c, const struct launch_options *options)
{
    struct result result;
    char text[400];
    gpu_launch(gpu, &c->launch, options, &result);
    fault_print(&result.fault, text, sizeof text);
    if (result.status != LAUNCH_DONE) fail_msg("%s", text);
}

/* Machines that run a launch on copies of one memory. */
struct machines {
    struct gpu *gpu;      /* when observed, in the engine with hooks */
    struct gpu *fast;     /* in the host's best engine */
    struct gpu *oldest;   /* with another scheduler */
    struct gpu *expected; /* what the log wrote */
};

static void run_unobserved(struct gpu *gpu, const struct machines *m, const struct recorded *c, bool concurrent,
                           uint32_t local)
{
    run(gpu, c, NULL);
    compare_memory(gpu, m->expected, c, concurrent);
    compare_local(gpu, m->expected, local);
}

static void run_logged(const struct item *it, const struct machines *m, const struct recorded *c)
{
    char path[4096];
    static struct log log;
    struct observer observer = {.user = &log, .after = log_compare};
    struct launch_options options = {.observers = &observer, .serial = true};
    path_of(it, it->log, path, sizeof path);
    assert_true(log_read(path, &log));
    run(m->gpu, c, &options);
    if (*log.error) fail_msg("%s", log.error);
    if (!log_finished(&log)) fail_msg("the log goes on where the run has ended");
    bool one_group =
        c->launch.groups[0] * c->launch.groups[1] * c->launch.groups[2] == 1; /* else local memory is cleared */
    uint32_t local = one_group ? c->launch.lds_bytes : 0;
    clear_local(m->expected);
    log_stores(&log, apply_store, &(struct expected){m->expected, log.concurrent});
    compare_memory(m->gpu, m->expected, c, log.concurrent);
    compare_local(m->gpu, m->expected, local);
    run_unobserved(m->fast, m, c, log.concurrent, local);
    run_unobserved(m->oldest, m, c, log.concurrent, local);
    total_compared += log.compared;
    log_free(&log);
}

static float float_at(const uint32_t *words, size_t i)
{
    float f;
    memcpy(&f, words + i, sizeof f);
    return f;
}

/* The oldest form, code first, adds b to a in place. Its groups of one work-item were recorded without
 * masks, so that all lanes of each group add, at positions that begin one further each time. */
static void run_sum_in_place(const struct item *it, struct gpu *gpu, const struct recorded *c)
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
    run(gpu, c, NULL);
    for (size_t i = 0; i < n; i++)
        if (float_at(gpu_mem(gpu, a->base, a->size), i) != want[i]) fail_msg("%s: sum %zu is wrong", it->metadata, i);
}

/* The first three buffers are a, b and c: c = a + b. */
static void run_sum(const struct item *it, struct gpu *gpu, const struct recorded *c)
{
    assert_true(c->nbuffers >= 3);
    const struct case_buffer *a = &c->buffers[0], *b = &c->buffers[1], *out = &c->buffers[2];
    run(gpu, c, NULL);
    const uint32_t *sum = gpu_mem(gpu, out->base, out->alloc);
    uint32_t wrong = 0, sums = 0;
    for (size_t i = 0; i < a->size / 4; i++, sums++) {
        if (float_at(sum, i) != float_at(a->words, i) + float_at(b->words, i)) wrong++;
    }
    if (wrong || !sums) fail_msg("%s: %u of %u sums are wrong", it->metadata, wrong, sums);
}

/* ---- runs ---- */

/* Always the oldest warp that can run. */
static struct warp *pick_oldest(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    (void)user, (void)sm;
    *budget = 1;
    for (struct group *g = groups; g; g = g->next)
        for (uint32_t i = 0; i < g->launch->warps; i++)
            if (g->warps[i].state == WARP_READY) return &g->warps[i];
    return NULL;
}

static struct machines open_machines(void)
{
    static const struct scheduler oldest = {.pick = pick_oldest};
    struct gpu_config config;
    case_config(&config);
    struct machines m = {gpu_create(&config, NULL), gpu_create(&config, NULL), gpu_create(&config, NULL),
                         gpu_create(&config, NULL)};
    assert_true(m.gpu && m.fast && m.oldest && m.expected);
    gpu_schedule(m.oldest, &oldest);
    return m;
}

static void close_machines(const struct machines *m)
{
    gpu_destroy(m->gpu);
    gpu_destroy(m->fast);
    gpu_destroy(m->oldest);
    gpu_destroy(m->expected);
}

static void load_all(const struct machines *m, const struct recorded *c)
{
    assert_true(case_load(m->gpu, c));
    assert_true(case_load(m->fast, c));
    assert_true(case_load(m->oldest, c));
    assert_true(case_load(m->expected, c));
}

static void run_group(size_t first, size_t end)
{
    struct machines m = open_machines();
    for (size_t i = first; i < end; i++) {
        const struct item *it = &items[i];
        char metadata[4096], data[4096];
        struct recorded c;
        char why[300];
        path_of(it, it->metadata, metadata, sizeof metadata);
        path_of(it, it->data, data, sizeof data);
        print_message("  %s/%s\n", it->dir, it->metadata);
        if (!case_read(metadata, data, &c, why, sizeof why)) fail_msg("%s", why);
        load_all(&m, &c);
        if (*it->log) run_logged(it, &m, &c);
        else if (strstr(it->expected, "computable") && c.buffers[0].base == ABI_CODE_BASE)
            run_sum_in_place(it, m.gpu, &c);
        else if (strstr(it->expected, "computable")) run_sum(it, m.gpu, &c);
        else run(m.gpu, &c, NULL);
        case_free(&c);
    }
    close_machines(&m);
}

static bool same_run(const struct item *a, const struct item *b)
{
    return *a->run && !strcmp(a->dir, b->dir) && !strcmp(a->run, b->run);
}

static void test_corpus(void **state)
{
    (void)state;
    assert_true(nitems > 0);
    for (size_t first = 0, end; first < nitems; first = end) {
        for (end = first + 1; end < nitems && same_run(&items[first], &items[end]);) end++;
        run_group(first, end);
    }
    print_message("%zu launches, %zu instructions equal to the logs\n", nitems, total_compared);
    assert_true(total_compared > 0);
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
