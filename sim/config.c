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
        .threads_per_warp = 32,
        .lds_bytes = 128 * 1024,
        .vgpr_rows = 8192,
        .sgpr_rows = 2048,
        .clock_mhz = 500,
        .quantum = 10000,
    };
}

const char *gpu_config_check(const struct gpu_config *c)
{
    if (c->sms < 1 || c->sms > 1024) return "sms must be 1 to 1024";
    if (c->warps_per_sm < 1 || c->warps_per_sm > 64) return "warps_per_sm must be 1 to 64";
    if (c->threads_per_warp != 4 && c->threads_per_warp != 8 && c->threads_per_warp != 16 && c->threads_per_warp != 32)
        return "threads_per_warp must be 4, 8, 16 or 32";
    if (c->lds_bytes < ABI_WARP_STACK || c->lds_bytes > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE)
        return "lds_bytes must be 1 KiB to 256 MiB";
    if (c->vgpr_rows < 32 || c->vgpr_rows > 65536) return "vgpr_rows must be 32 to 65536";
    if (c->sgpr_rows < 32 || c->sgpr_rows > 65536) return "sgpr_rows must be 32 to 65536";
    if (c->clock_mhz < 1 || c->clock_mhz > 100000) return "clock_mhz must be 1 to 100000";
    if (c->quantum < 1 || c->quantum > 1u << 30) return "quantum must be 1 to 2^30";
    return NULL;
}
