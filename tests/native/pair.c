/* Programs on two engines (pair.h). */
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/turns/turns.h"
#include "native/native.h"

/* One that the host lacks would be translated for the next one, once more. */
const char *pair_level(unsigned n)
{
    const struct engine_build *b = engine_native.builds;
    while (b->run && (!b->usable() || n--)) b++;
    return b->name;
}

/* ---- translations that are kept ---- */

static char folder[] = "/tmp/pair-XXXXXX";

int pair_setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    setenv("VENTUS_CACHE_DIR", folder, 1);
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

struct outcome {
    struct result result;
    uint64_t translated;
    uint32_t data[GUEST_BYTES / 4];
    struct turns turns; /* of a pair that has such */
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

/* Fills all registers by another launch of the same shape: those of new warps are 0 whatever is left there. */
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
    }
    for (int i = 0; i < 2; i++)
        if (p->shape.groups[i]) g.launch.groups[i] = p->shape.groups[i];
    if (p->turns) leave_registers(&g, engine);
    guest_assemble(&g, p->text);
    g.launch.pds_base = GUEST_DATA + PAIR_PRIVATE;
    g.launch.pds_bytes = 32;
    g.launch.knl = GUEST_DATA + metadata_of(p);
    g.options.order = p->order;
    if (p->ends) open_ends(&g);
    fill(&g, p);
    run_guest(&g, p, out, wanted);
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
    if (same && at == GUEST_BYTES / 4) return;
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
    run_on(&engine_native, p, &native, SIZE_MAX);
    compare(p, &step, &native);
    *translated = native.translated;
    const struct result result = native.result;
    run_turns(p);
    return result;
}

struct result pair_run_levels(const struct pair *p)
{
    static struct outcome step, native;
    const char *level;
    run_on(&engine_step, p, &step, SIZE_MAX);
    for (unsigned i = 0; (level = pair_level(i)); i++) {
        setenv("VENTUS_NATIVE_LEVEL", level, 1);
        run_on(&engine_native, p, &native, SIZE_MAX);
        compare(p, &step, &native);
        if (!native.translated) fail_msg("%s: nothing was translated", level);
        run_turns(p);
    }
    unsetenv("VENTUS_NATIVE_LEVEL");
    return native.result;
}
