/* The engine `step`, and which of the builds of step.c a host can run. */
#include "sim/engine.h"

#include "host/host.h"
#include "sim/machine.h"

engine_run step_base, step_base_hooked, step_v3, step_v4;

static const struct engine_build builds[] = {
#ifdef STEP_X86
#define BUILD(level) \
    { \
#level, host_is_##level, 0, step_##level \
    }
    BUILD(v4),
    BUILD(v3),
#endif
    {"base", NULL, 0, step_base},
    {"hooked", NULL, NEEDS_HOOKS | NEEDS_FLAGS | NEEDS_SV39 | NEEDS_CHECKS, step_base_hooked},
    {0},
};

const struct engine engine_step = {
    .name = "step", .text = "interprets one instruction after another", .builds = builds};
