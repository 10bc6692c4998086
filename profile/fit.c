/* How many work-groups of a kernel's largest launch an SM holds at a time, and what limits them (profile.h): the same
 * resources as the machine's rule (group_fits of sim/group.c). Called by the outputs and by advice.c. */
#include "isa/abi.h"
#include "profile/profile.h"

struct profile_fit profile_fit(const struct profile *p, const struct profile_kernel *k)
{
    const struct gpu_config *c = profile_config(p);
    const struct launch *l = &k->launch;
    const struct profile_fit all[] = {
        {.limit = "warp slots", .has = c->warps_per_sm, .needs = l->warps},
        {.limit = "work-group slots", .has = c->groups_per_sm, .needs = 1},
        {.limit = "vector registers", .has = c->vgpr_rows, .needs = (uint64_t)l->warps * abi_registers(l->vgprs)},
        {.limit = "scalar registers", .has = c->sgpr_rows, .needs = (uint64_t)l->warps * abi_registers(l->sgprs)},
        {.limit = "bytes of local memory", .has = c->lds_bytes, .needs = l->lds_bytes}};
    struct profile_fit fit = {.groups = UINT64_MAX};
    if (!l->warps) return (struct profile_fit){0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const uint64_t groups = all[i].needs ? all[i].has / all[i].needs : UINT64_MAX;
        if (groups >= fit.groups) continue;
        fit = all[i];
        fit.groups = groups;
    }
    return fit;
}
