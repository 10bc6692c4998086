/* The engines, and which one runs what. Called by gpu.c, dispatch.c, config.c and tools. */
#include "sim/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine.h"

#define ENTRY(name) &engine_##name,
const struct engine *const engines[] = {ENGINES(ENTRY) NULL};

static bool host_runs(const struct engine_build *b) { return !b->usable || b->usable(); }

bool engine_usable(const struct engine *engine)
{
    for (const struct engine_build *b = engine->builds; b->run; b++)
        if (host_runs(b)) return true;
    return false;
}

static const struct engine *best(void)
{
    const struct engine *const *e = engines;
    while (!engine_usable(*e)) e++;
    return *e;
}

bool engine_find(const char *name, const struct engine **engine)
{
    *engine = NULL;
    if (!strcmp(name, "auto")) return true;
    for (const struct engine *const *e = engines; *e && !*engine; e++)
        if (!strcmp(name, (*e)->name)) *engine = *e;
    return *engine;
}

int engine_names(char *text, size_t size)
{
    int n = snprintf(text, size, "auto");
    for (const struct engine *const *e = engines; *e; e++) {
        size_t at = (size_t)n < size ? (size_t)n : size;
        n += snprintf(at < size ? text + at : NULL, size - at, ", %s", (*e)->name);
    }
    return n;
}

const struct engine_build *engine_choose(const struct engine *engine, unsigned needs)
{
    const struct engine_build *b = engine->builds;
    while (b->run && ((needs & ~b->offers) || !host_runs(b))) b++;
    return b->run ? b : engine_choose(&engine_step, needs);
}

bool engine_of_environment(const struct engine **engine)
{
    const char *name = secure_getenv("VENTUS_ENGINE");
    *engine = NULL;
    return !name || !*name || engine_find(name, engine);
}

bool engine_use(struct gpu *gpu, const struct engine *engine)
{
    void *data = NULL;
    gpu->engine_given = engine != NULL;
    if (!engine) engine = best();
    if (engine->open && !(data = engine->open(gpu))) return false;
    engine_leave(gpu);
    gpu->engine = engine;
    gpu->engine_data = data;
    return true;
}

void engine_leave(struct gpu *gpu)
{
    if (gpu->engine && gpu->engine->close) gpu->engine->close(gpu->engine_data);
    gpu->engine = NULL;
}
