/* ventus info: what this machine is. */
#include "isa/abi.h"
#include "isa/isa.h"
#include "sim/sim.h"
#include "tool.h"

static const struct flag flags[] = {{0}};

int cmd_info(int argc, char **argv)
{
    struct args args = {.command = "info", .usage = "", .about = "Shows the version and the parameters of the simulated machine.",
        .flags = flags, .argc = argc, .argv = argv, .at = 1};
    if (args_next(&args) != ARG_END) usage_error(&args, "unexpected argument '%s'", args.value);
    struct gpu_config c;
    gpu_config_default(&c);
    printf("version                  %s\n", VENTUS_VERSION);
    printf("streaming processors     %u\n", c.sms);
    printf("warps of a processor     %u\n", c.warps_per_sm);
    printf("lanes of a warp          %u\n", c.threads_per_warp);
    printf("local memory             %u bytes, %u per warp for its stack\n", c.lds_bytes, ABI_WARP_STACK);
    printf("vector registers         %u rows of a processor, %d of a warp\n", c.vgpr_rows, ISA_VREGS);
    printf("scalar registers         %u of a processor, %d of a warp\n", c.sgpr_rows, ISA_XREGS);
    printf("clock                    %u MHz\n", c.clock_mhz);
    printf("local memory window      0x%08x..0x%08x\n", ABI_LOCAL_BASE, ABI_LOCAL_LIMIT - 1);
    printf("code and constants       0x%08x..0x%08x\n", ABI_CODE_BASE, ABI_CODE_LIMIT - 1);
    printf("buffers                  0x%08x..0x%08x\n", ABI_HEAP_BASE, ABI_HEAP_LIMIT - 1);
    printf("instructions             %d\n", OP_COUNT - 1);
    return EXIT_OK;
}
