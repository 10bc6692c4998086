/* Machine parameters: the default machine and what a machine may look like.
 *
 * Called by gpu_create and by everybody who reports the device. */
#include "isa/abi.h"
#include "sim/sim.h"

void gpu_config_default(struct gpu_config *config)
{
    *config = (struct gpu_config){
        .sms = 2,
        .warps_per_sm = 32,
        .groups_per_sm = 8,
        .threads_per_warp = 32,
        .lanes = 32,
        .lds_bytes = 128 * 1024,
        .vgpr_rows = 8192,
        .sgpr_rows = 2048,
        .clock_mhz = 500,
        .profile = PROFILE_DEFAULT,
        .host_threads = 1,
        .quantum = 10000,
    };
}

uint32_t gpu_config_lds_stride(const struct gpu_config *c)
{
    uint32_t pages = (c->lds_bytes + ABI_PAGE - 1) / ABI_PAGE;
    bool alone = c->sms * c->groups_per_sm == 1; /* no other group's local memory to keep away from */
    return (pages + !alone) * ABI_PAGE;
}

static bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

const char *gpu_config_check(const struct gpu_config *c)
{
    enum isa_profile profile;
    if (c->sms < 1 || c->sms > 1024) return "sms must be 1 to 1024";
    if (c->warps_per_sm < 1 || c->warps_per_sm > 64) return "warps_per_sm must be 1 to 64";
    if (c->groups_per_sm < 1 || c->groups_per_sm > 64) return "groups_per_sm must be 1 to 64";
    if (c->threads_per_warp < 4 || c->threads_per_warp > 32 || !power_of_two(c->threads_per_warp))
        return "threads_per_warp must be 4, 8, 16 or 32";
    if (c->lanes < 1 || c->lanes > 32 || !power_of_two(c->lanes)) return "lanes must be 1, 2, 4, 8, 16 or 32";
    if (c->lds_bytes < ABI_WARP_STACK || c->lds_bytes > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE)
        return "lds_bytes must be 1 KiB to 256 MiB";
    if ((uint64_t)c->sms * c->groups_per_sm * gpu_config_lds_stride(c) > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE)
        return "sms * groups_per_sm * lds_bytes must fit into the local window of 256 MiB";
    if (c->vgpr_rows < 32 || c->vgpr_rows > 65536) return "vgpr_rows must be 32 to 65536";
    if (c->sgpr_rows < 32 || c->sgpr_rows > 65536) return "sgpr_rows must be 32 to 65536";
    if (c->clock_mhz < 1 || c->clock_mhz > 100000) return "clock_mhz must be 1 to 100000";
    if (!isa_profile_find(isa_profile_name((enum isa_profile)c->profile), &profile) || profile != c->profile) return "profile must be default, toolchain, r2.0, r2.1 or r2025";
    if (c->thread_csrs > 1) return "thread_csrs must be 0 or 1";
    if (c->host_threads < 1 || c->host_threads > 256) return "host_threads must be 1 to 256";
    if (c->quantum < 1 || c->quantum > 1u << 30) return "quantum must be 1 to 2^30";
    return NULL;
}
