/* The helper of this folder's tests (guest.h). */
#include "guest.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rng.h"
#include "toy_engine.h"

void guest_open(struct guest *g)
{
    struct gpu_config config;
    gpu_config_default(&config);
    guest_open_config(g, &config);
}

/* What guest_run_group is at. */
static struct guest_engine chosen;

void guest_open_config(struct guest *g, const struct gpu_config *config)
{
    const char *why = NULL;
    struct gpu_config c = *config;
    if (chosen.engine.name) c.engine = &chosen.engine;
    *g = (struct guest){.gpu = gpu_create(&c, &why)};
    if (!g->gpu) fail_msg("%s", why);
    assert_true(gpu_mem_open(g->gpu, GUEST_DATA, GUEST_BYTES, GPU_READ | GPU_WRITE));
    g->data = gpu_mem(g->gpu, GUEST_DATA, GUEST_BYTES);
    // clang-format off
    g->launch = (struct launch){.start_pc = ABI_CODE_BASE, .groups = {1, 1, 1}, .warps = 1, .threads_per_warp = 32,
                                .work_items = 32, .sgprs = 64, .vgprs = 64, .lds_bytes = 4096};
    // clang-format on
}

void guest_code(struct guest *g, const uint32_t *words, size_t n)
{
    gpu_mem_close(g->gpu, ABI_CODE_BASE, 1 << 20);
    assert_true(gpu_mem_open(g->gpu, ABI_CODE_BASE, n * 4, GPU_READ | GPU_WRITE | GPU_EXEC));
    memcpy(gpu_mem(g->gpu, ABI_CODE_BASE, n * 4), words, n * 4);
    assert_true(gpu_mem_open(g->gpu, ABI_CODE_BASE, n * 4, GPU_READ | GPU_EXEC));
    gpu_mem_code_changed(g->gpu);
}

/* What has been assembled last and before that: a program runs on several engines, each time behind one that fills
 * registers, and with sanitizers it is assembled in more time than it runs. */
static struct assembled {
    char *source;
    enum isa_profile profile;
    struct elf_image image;
} assembled[2];

static void forget(struct assembled *a)
{
    free(a->source);
    if (a->source) elf_free(&a->image);
    a->source = NULL;
}

static const struct elf_image *assemble(const char *source, enum isa_profile profile)
{
    static unsigned last;
    const struct asm_options options = {.profile = profile};
    for (unsigned i = 0; i < 2; i++)
        if (assembled[i].source && assembled[i].profile == profile && !strcmp(assembled[i].source, source))
            return &assembled[last = i].image;
    struct assembled *a = &assembled[last = !last];
    forget(a);
    assert_true(asm_assemble_with(&options, "test", source, strlen(source), ABI_CODE_BASE, &a->image, stderr));
    a->source = strdup(source);
    assert_non_null(a->source);
    a->profile = profile;
    return &a->image;
}

void guest_assemble(struct guest *g, const char *source)
{
    const struct elf_image *image = assemble(source, (enum isa_profile)gpu_config_of(g->gpu)->profile);
    guest_code(g, image->text, image->text_words);
}

void guest_run(struct guest *g) { gpu_launch(g->gpu, &g->launch, &g->options, &g->result); }

void guest_close(struct guest *g) { gpu_destroy(g->gpu); }

/* The nth of one engine that this host can run; takes what it has from n. */
static const struct engine_build *build_of(const struct engine *engine, unsigned *n)
{
    for (const struct engine_build *b = engine->builds; b->run; b++)
        if ((!b->usable || b->usable()) && !(*n)--) return b;
    return NULL;
}

bool guest_engine(unsigned n, struct guest_engine *e)
{
    const struct engine *const *list = engines, *engine;
    const struct engine_build *b;
    do {
        engine = *list ? *list++ : &engine_toy;
        b = engine == &engine_native ? NULL : build_of(engine, &n);
    } while (!b && engine != &engine_toy);
    if (!b) return false;
    *e = (struct guest_engine){.engine = *engine, .builds = {*b}};
    e->engine.builds = e->builds;
    return true;
}

bool guest_any_engine(unsigned n, struct guest_engine *e)
{
    if (guest_engine(n, e)) return true;
    const struct engine_build *best = build_of(&engine_native, &(unsigned){0});
    if (!best || (n && !guest_engine(n - 1, &(struct guest_engine){0}))) return false;
    *e = (struct guest_engine){.engine = engine_native, .builds = {*best}};
    e->engine.builds = e->builds;
    return true;
}

static uint64_t mix(uint64_t sum, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) sum = (sum ^ words[i]) * 0x100000001b3ull;
    return sum;
}

/* Of the lanes in `lanes`. */
static uint64_t mix_lanes(uint64_t sum, const uint32_t row[ISA_LANES], uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) sum = mix(sum, &row[__builtin_ctz(lanes)], 1);
    return sum;
}

uint64_t guest_digest(const struct warp *w)
{
    const struct launch *l = w->group->launch;
    const uint32_t single[] = {w->pc,      w->rpc,   w->mask,  w->lanes, w->active,        w->nactive, w->vl,
                               w->depth,   w->wid,   w->tid,   w->state, w->frm,           w->vstart,  w->vxrm,
                               w->mstatus, w->mtvec, w->print, w->vtype, w->reserved_lanes};
    uint64_t sum = mix(0, single, sizeof single / sizeof *single);
    for (uint32_t i = 0; i < w->depth; i++) sum = mix(sum, &w->stack[i].rpc, sizeof w->stack[i] / 4);
    for (uint32_t i = 0; i < l->vgprs; i++) sum = mix_lanes(sum, w->v[i], w->lanes);
    sum = mix_lanes(sum, w->reserved, w->reserved_lanes);
    sum = mix_lanes(sum, w->reserved_value, w->reserved_lanes);
    sum = mix(sum, w->expand, ISA_LANES);
    return mix(sum, w->x, ISA_XREGS);
}

bool guest_translates(void) { return chosen.engine.name == engine_native.name; }

int guest_run_native(const char *name, const struct CMUnitTest *tests, size_t count)
{
    if (!engine_usable(&engine_native)) return 0;
    chosen = (struct guest_engine){.engine = engine_native};
    print_message("on native:\n");
    return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

int guest_run_group(const char *name, const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;
    for (unsigned n = 0; guest_engine(n, &chosen); n++) {
        print_message("on %s %s:\n", chosen.engine.name, chosen.builds->name);
        failed += _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    }
    return failed;
}

struct warp *guest_oldest_ready(struct group *groups)
{
    for (struct group *g = groups; g; g = g->next)
        for (uint32_t i = 0; i < g->launch->warps; i++)
            if (g->warps[i].state == WARP_READY) return &g->warps[i];
    return NULL;
}

uint32_t guest_random(void) { return rng(); }
