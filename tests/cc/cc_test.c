/* Runs every case of this folder (*.cl) on device and host under all path orders, and proves that the
 * cases would notice a broken compiler: with one of the divergence rules switched off
 * (VENTUS_CC_DISABLE of ventus-cc-mutation), some case must fail. With few registers none may.
 *
 *   cc_test [CASE...]   names without .cl; without any, all cases and the mutations
 *
 * Called by the test runner. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { MESSAGE = 8192 };

static char message[MESSAGE];

static bool wanted(const char *path, int argc, char **argv)
{
    const char *name = strrchr(path, '/') + 1;
    for (int i = 1; i < argc; i++)
        if (strlen(argv[i]) + 3 == strlen(name) && strncmp(argv[i], name, strlen(argv[i])) == 0) return true;
    return argc == 1;
}

static bool check(const char *path, ventus_device *device, unsigned seconds)
{
    struct case_options options = {.seed = 1, .seconds = seconds};
    struct case_program program;
    size_t size;
    char *text = read_file(path, &size);
    if (!text) return snprintf(message, sizeof message, "cannot be read"), false;
    bool ok = case_open(&program, text, &options, message, sizeof message);
    free(text);
    if (!ok) return false;
    for (unsigned i = 0; ok && i < program.nruns; i++)
        ok = case_run(&program, i, device, &options, message, sizeof message);
    case_close(&program);
    return ok;
}

static bool not_built(void) { return strncmp(message, "ventus-cc", 9) == 0 || strncmp(message, "clang", 5) == 0; }

/* With `rule` off, a case must give a wrong answer (not merely fail to build). */
static bool mutation(const char *compiler, const char *rule, const glob_t *found, ventus_device *device)
{
    bool noticed = false;
    message[0] = 0;
    setenv("VENTUS_CC", compiler, 1);
    setenv("VENTUS_CC_DISABLE", rule, 1);
    for (size_t i = 0; i < found->gl_pathc && !noticed; i++) {
        if (!strstr(found->gl_pathv[i], "/trap_") || check(found->gl_pathv[i], device, 3)) continue;
        noticed = !not_built();
        if (!noticed) break;
        printf("without %s: %s\n", rule, message);
        unsetenv("VENTUS_CC_DISABLE"); /* the rule is all that was missing */
        noticed = check(found->gl_pathv[i], device, 10);
    }
    unsetenv("VENTUS_CC_DISABLE");
    unsetenv("VENTUS_CC");
    if (!noticed) printf("FAILED: without rule %s %s\n", rule, message[0] ? message : "all cases pass");
    return noticed;
}

/* The cases once more with hardly any registers: spilling must not change a result. */
static bool squeezed(const char *compiler, const glob_t *found, ventus_device *device)
{
    bool ok = true;
    setenv("VENTUS_CC", compiler, 1);
    setenv("VENTUS_CC_SCALARS", "8", 1);
    setenv("VENTUS_CC_VECTORS", "6", 1);
    for (size_t i = 0; i < found->gl_pathc && ok; i++) {
        const char *name = strrchr(found->gl_pathv[i], '/') + 1;
        if (strncmp(name, "lib_", 4) == 0) continue;
        ok = check(found->gl_pathv[i], device, 20);
        if (!ok) printf("FAILED %s with few registers: %s\n", name, message);
    }
    unsetenv("VENTUS_CC_VECTORS");
    unsetenv("VENTUS_CC_SCALARS");
    unsetenv("VENTUS_CC");
    return ok;
}

int main(int argc, char **argv)
{
    static const char *const rules[] = {"R1", "R2", "R4", "R5"};
    const char *folder = getenv("VENTUS_CASES");
    char pattern[4096], mutant[4096];
    glob_t found;
    ventus_device *device;
    unsigned passed = 0, failed = 0;
    snprintf(pattern, sizeof pattern, "%s/*.cl", folder && *folder ? folder : CASE_FOLDER);
    if (glob(pattern, 0, NULL, &found) || ventus_open(0, &device) != VENTUS_OK) {
        printf("no case matches %s, or no device\n", pattern);
        return 1;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!wanted(found.gl_pathv[i], argc, argv)) continue;
        bool ok = check(found.gl_pathv[i], device, 20);
        if (ok) passed++;
        else failed++, printf("FAILED %s: %s\n", strrchr(found.gl_pathv[i], '/') + 1, message);
        fflush(stdout);
    }
    if (!find_tool("ventus-cc-mutation", mutant, sizeof mutant)) {
        mutant[0] = 0;
        if (argc == 1) printf("FAILED: no ventus-cc-mutation\n");
        failed += argc == 1;
    } else
        for (size_t i = 0; i < sizeof rules / sizeof *rules && argc == 1; i++)
            if (mutation(mutant, rules[i], &found, device)) passed++;
            else failed++;
    if (argc == 1 && mutant[0] && squeezed(mutant, &found, device)) passed++;
    else if (argc == 1) failed++;
    globfree(&found);
    ventus_close(device);
    build_end();
    printf("%u cases passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
