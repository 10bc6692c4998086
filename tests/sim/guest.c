/* The helper of this folder's tests (guest.h). */
#include "guest.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rng.h"

void guest_open(struct guest *g)
{
    struct gpu_config config;
    gpu_config_default(&config);
    guest_open_config(g, &config);
}

void guest_open_config(struct guest *g, const struct gpu_config *config)
{
    const char *why = NULL;
    *g = (struct guest){.gpu = gpu_create(config, &why)};
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

void guest_assemble(struct guest *g, const char *source)
{
    struct elf_image image;
    assert_true(asm_assemble("test", source, strlen(source), ABI_CODE_BASE, &image, stderr));
    guest_code(g, image.text, image.text_words);
    elf_free(&image);
}

void guest_run(struct guest *g) { gpu_launch(g->gpu, &g->launch, &g->options, &g->result); }

void guest_close(struct guest *g) { gpu_destroy(g->gpu); }

/* The nth of one engine; takes what it has from n. */
static const struct engine_build *build_of(const struct engine *engine, unsigned *n)
{
    for (const struct engine_build *b = engine->builds; b->run; b++)
        if ((!b->usable || b->usable()) && !(*n)--) return b;
    return NULL;
}

bool guest_engine(unsigned n, struct guest_engine *e)
{
    const struct engine_build *b = NULL;
    for (const struct engine *const *engine = engines; *engine && !b; engine++) {
        b = build_of(*engine, &n);
        if (!b) continue;
        e->engine = **engine;
        e->builds[0] = *b;
        e->builds[1] = (struct engine_build){0};
        e->engine.builds = e->builds;
    }
    return b;
}

uint32_t guest_random(void) { return rng(); }
