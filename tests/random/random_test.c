/* Random kernels on the device against the host, under all path orders.
 *
 *   random_test                       $VENTUS_RANDOM_COUNT kernels (default 50) from $VENTUS_RANDOM_SEED on
 *   random_test --reduce FILE         makes a failing case smaller and prints it
 *
 * A failure prints the seed and the kernel; `gen SEED` prints it again. Called by the test runner. */
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "../cc/case.h"
#include "gen.h"
#include "isa/isa.h"
#include "reduce.h"

enum { BATCH = 10, MESSAGE = 4096, SHOWN = 2, ENOUGH = 20 };

static unsigned failures;
static char message[MESSAGE];
static struct gpu_config machine;
static const char *translation; /* of its addresses */
static const char *compiler;    /* that the environment names, or "" */
static const char *registers;   /* of each class that the compiler may use; "": all */

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return otherwise;
    uint64_t value = strtoull(text, &end, 0);
    if (*end == 0) return value;
    fprintf(stderr, "random_test: %s is no number: %s\n", name, text);
    exit(2);
}

static void report(uint64_t seed)
{
    printf("FAILED seed %llu, profile %s, translation %s, %s registers: %s\n", (unsigned long long)seed,
           isa_profile_name((enum isa_profile)machine.profile), translation, *registers ? registers : "all", message);
    char *text = failures++ < SHOWN ? gen_source(seed, 1) : NULL;
    if (text) printf("%s\n", text);
    free(text);
    fflush(stdout);
}

/* Builds and runs the kernels of seeds seed .. seed + n - 1 as one program. */
static void batch(ventus_device *device, uint64_t seed, unsigned n)
{
    struct case_program program;
    struct case_options options = {.seconds = 60, .cc_options = "-w", .machine = &machine};
    char *text = gen_source(seed, n);
    if (!text) return snprintf(message, sizeof message, "no memory"), report(seed);
    bool built = case_open(&program, text, &options, message, sizeof message);
    free(text);
    if (!built && n == 1) report(seed);
    else if (!built) /* name the culprit */
        for (unsigned i = 0; i < n; i++) batch(device, seed + i, 1);
    else {
        for (unsigned i = 0; i < n; i++) {
            options.seed = seed + i;
            if (!case_run(&program, i, device, &options, message, sizeof message)) report(seed + i);
        }
        case_close(&program);
    }
}

static void set_or_not(const char *name, const char *value)
{
    if (*value) setenv(name, value, 1);
    else unsetenv(name);
}

/* Every other batch is compiled with so few registers that nearly all is spilled. */
static void choose_registers(uint64_t seed)
{
    static const char *const counts[] = {"", "6", "", "8", "", "12", "7"};
    char path[4096] = "";
    registers = counts[seed / BATCH % (sizeof counts / sizeof *counts)];
    if (*registers && !find_tool("ventus-cc-mutation", path, sizeof path)) registers = "";
    set_or_not("VENTUS_CC", *registers ? path : compiler);
    set_or_not("VENTUS_CC_SCALARS", registers);
    set_or_not("VENTUS_CC_VECTORS", registers);
}

/* The seed decides the instruction set, how often warps take turns, so that all interleavings occur, and whether
 * addresses are translated; the numbers of these and of registers have no common factor. Translated code has turns of a
 * few hundred instructions, `step` has those of one. */
static enum ventus_status open_device(uint64_t seed, ventus_device **device)
{
#define PROFILE(name, constant) constant,
    static const enum isa_profile profiles[] = {ISA_PROFILES(PROFILE, )};
    static const uint64_t quanta[] = {1, 30, 400, 10000};
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profiles[seed / BATCH % (sizeof profiles / sizeof *profiles)];
    if (config.profile != PROFILE_DEFAULT && config.profile != PROFILE_TOOLCHAIN) { /* as the documents have them */
        config.warps_per_sm = 8;
        config.vgpr_rows = 1024;
        config.sgpr_rows = 256;
    }
    config.quantum = quanta[seed / BATCH % 4];
    config.translation = seed / BATCH % 3 == 1 ? GPU_SV39 : GPU_PHYSICAL;
    translation = config.translation == GPU_SV39 ? "sv39" : "none";
    machine = config;
    return device_open_gpu(&config, device);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--reduce") == 0) return reduce_file(argv[2]);
    if (argc != 1) {
        fprintf(stderr, "usage: random_test [--reduce FILE]\n");
        return 2;
    }
    compiler = getenv("VENTUS_CC") ? strdup(getenv("VENTUS_CC")) : "";
    uint64_t count = setting("VENTUS_RANDOM_COUNT", 50), seed = setting("VENTUS_RANDOM_SEED", 1);
    for (uint64_t done = 0; done < count && failures < ENOUGH; done += BATCH) {
        ventus_device *device;
        choose_registers(seed + done);
        if (open_device(seed + done, &device) != VENTUS_OK) {
            printf("cannot open the device\n");
            return 1;
        }
        batch(device, seed + done, (unsigned)(count - done < BATCH ? count - done : BATCH));
        ventus_close(device);
    }
    build_end();
    printf("%llu random kernels from seed %llu, %u failed\n", (unsigned long long)count, (unsigned long long)seed,
           failures);
    return failures > 0;
}
