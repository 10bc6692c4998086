/* The way back from backend.c's launch_of. */
#include "driver/backend_launch.h"

#include "isa/abi.h"

struct launch backend_launch(const struct ventus_backend_launch *l)
{
    return (struct launch){.start_pc = l->start,
                           .knl = l->metadata,
                           .groups = {l->groups[0], l->groups[1], l->groups[2]},
                           .warps = l->warps,
                           .threads_per_warp = l->threads_per_warp,
                           .work_items = l->work_items,
                           .last_items = l->last_items,
                           .last_of = l->last_of,
                           .sgprs = l->sgprs,
                           .vgprs = l->vgprs,
                           .lds_bytes = l->lds_bytes,
                           .pds_base = l->pds_base,
                           .pds_bytes = l->pds_bytes,
                           .pds_groups = l->pds_groups,
                           .csr_gds = l->csr_gds,
                           .gds_base = ABI_CODE_BASE,
                           .gds_limit = UINT32_MAX,
                           .lds_base = ABI_LOCAL_BASE,
                           .lds_limit = ABI_LOCAL_LIMIT - 1,
                           .sv39 = l->page_table != 0,
                           .page_table = l->page_table};
}
