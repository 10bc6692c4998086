/* ventus info: what this machine is, as a file that --config reads. */
#include <string.h>

#include "driver/gpu.h"
#include "isa/abi.h"
#include "isa/isa.h"
#include "quirks/quirks.h"
#include "sim/engine.h"
#include "sim/launch.h"
#include "timing/parameters.h"
#include "tool.h"
#include "version.h"

enum { FLAG_CONFIG, FLAG_TIMING, FLAG_QUIRKS };
static const struct flag flags[] = {
    {"config", 0, "FILE", "a machine file; default: that of VENTUS_CONFIG, else the default machine"},
    {"timing", 0, "[=NAME]", "the parameters of a cycle model (verilog), as a file that `ventus run --timing` reads"},
    {"quirks", 0, NULL, "known faults of hardware that the machine can imitate (`ventus run --quirks`)"},
    {0},
};

static void print_engines(void)
{
    for (const struct engine *const *e = engines; *e; e++) {
        printf("# engine %-10s %s; builds for this host:", (*e)->name, (*e)->text);
        for (const struct engine_build *b = (*e)->builds; b->run; b++)
            if (!b->usable || b->usable()) printf(" %s", b->name);
        putchar('\n');
    }
}

/* Another device in the machine's place, and what it can do. */
static void print_device(struct gpu_config *c)
{
    static const struct {
        uint32_t feature;
        const char *name;
    } names[] = {
        {VENTUS_BACKEND_FAULTS, "faults"},   {VENTUS_BACKEND_PRINT, "print"},   {VENTUS_BACKEND_ATOMICS, "atomics"},
        {VENTUS_BACKEND_PARTIAL, "partial"}, {VENTUS_BACKEND_PARTS, "parts"},   {VENTUS_BACKEND_SV39, "sv39"},
        {VENTUS_BACKEND_DOUBLES, "doubles"}, {VENTUS_BACKEND_HALVES, "halves"}, {VENTUS_BACKEND_IMAGES, "images"},
        {VENTUS_BACKEND_SVM, "svm"},         {VENTUS_BACKEND_SLOTS, "slots"},
    };
    char why[600];
    uint32_t features, memory;
    if (!device_backend_config(c, &features, &memory, why, sizeof why)) die("%s", why);
    if (!*c->device) return;
    printf("# device %s can do:", c->device);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (features & names[i].feature) printf(" %s", names[i].name);
    printf("; memory for buffers: %u MiB\n", memory);
}

static int print_timing(const char *name)
{
    struct timing_config config;
    char why[300];
    if (!timing_config_read(&config, name, why, sizeof why)) die("%s", why);
    timing_config_print(&config, stdout);
    return EXIT_OK;
}

static int print_quirks(void)
{
    for (const struct quirk_desc *q = quirk_table; q < quirk_table + QUIRKS; q++) {
        if (q == quirk_table || strcmp(q->set, q[-1].set) != 0) printf("%s: all of these\n", q->set);
        printf("  %s\n    instructions: %s\n    does: %s\n    ventus cc --avoid: %s\n", q->name, q->instructions,
               q->does, *q->avoided ? q->avoided : "cannot");
    }
    return EXIT_OK;
}

int cmd_info(int argc, char **argv)
{
    // clang-format off
    struct args args = {.command = "info", .usage = "[--config FILE | --timing[=NAME] | --quirks]",
        .about = "Shows the version and the parameters of the simulated machine. The output is a file that\n"
                 "`ventus run --config` and `ventus info --config` read.",
        .flags = flags, .argc = argc, .argv = argv, .at = 1};
    // clang-format on
    struct gpu_config c;
    bool named = false;
    gpu_config_default(&c);
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_TIMING) return print_timing(args.value ? args.value : "verilog");
        if (flag == FLAG_QUIRKS) return print_quirks();
        if (flag != FLAG_CONFIG) usage_error(&args, "unexpected argument '%s'", args.value);
        config_file(&c, args.value);
        named = true;
    }
    if (!named) config_environment(&c);
    printf("# ventus %s, %d instructions\n", VENTUS_VERSION, OP_COUNT - 1);
    printf("# local memory      0x%08x..0x%08x\n", ABI_LOCAL_BASE, ABI_LOCAL_LIMIT - 1);
    printf("# scalar stack      %u bytes of a warp, in local memory\n", ABI_WARP_STACK);
    printf("# code, constants   0x%08x..0x%08x\n", ABI_CODE_BASE, ABI_CODE_LIMIT - 1);
    printf("# buffers           0x%08x..0x%08x\n", ABI_HEAP_BASE, ABI_HEAP_LIMIT - 1);
    printf("# registers         %d vector and %d scalar of a warp\n", ISA_VREGS, ISA_XREGS);
    print_engines();
    print_device(&c);
    gpu_config_print(&c, stdout);
    return EXIT_OK;
}
