/* Lists the builds of step.c, which make up the engine `step`, and says which of them a host can run. */
#include "sim/engine.h"

#include "host/host.h"
#include "sim/machine.h"

engine_run step_base, step_base_hooked, step_v3, step_v4, step_v3_hooked, step_base_counted, step_v3_counted,
    step_v4_counted;

enum { NEEDS_HOOKED = NEEDS_HOOKS | NEEDS_FLAGS | NEEDS_SV39 | NEEDS_CHECKS | NEEDS_COUNTS };

static const struct engine_build builds[] = {
#ifdef STEP_V4
    {"v4", host_is_v4, 0, step_v4},
    {"v4 counted", host_is_v4, NEEDS_COUNTS, step_v4_counted},
#endif
#ifdef STEP_X86
    {"v3", host_is_v3, 0, step_v3},
    {"v3 counted", host_is_v3, NEEDS_COUNTS, step_v3_counted},
#endif
    {"base", NULL, 0, step_base},
    {"base counted", NULL, NEEDS_COUNTS, step_base_counted},
#ifdef STEP_X86
    {"v3 hooked", host_is_v3, NEEDS_HOOKED, step_v3_hooked},
#endif
    {"hooked", NULL, NEEDS_HOOKED, step_base_hooked},
    {0},
};

const struct engine engine_step = {
    .name = "step", .text = "interprets one instruction after another", .builds = builds};
