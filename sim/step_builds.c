/* The engine `step`, and which of the builds of step.c a host can run. */
#include "sim/engine.h"

#include "sim/machine.h"

engine_run step_base, step_base_hooked;

/* Another build of step.c exists where the build system says so. */
#ifdef STEP_V3
engine_run step_v3;

static bool host_is_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}
#endif

static const struct engine_build builds[] = {
#ifdef STEP_V3
    {"v3", host_is_v3, 0, step_v3},
#endif
    {"base", NULL, 0, step_base},
    {"hooked", NULL, NEEDS_HOOKS | NEEDS_FLAGS | NEEDS_SV39 | NEEDS_CHECKS, step_base_hooked},
    {0},
};

const struct engine engine_step = {
    .name = "step", .text = "interprets one instruction after another", .builds = builds};
