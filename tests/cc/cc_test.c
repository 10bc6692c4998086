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

/* The host's side is built once for all that a case is compiled with. */
struct test {
    const char *name;
    char *text;
    struct case_program program;
    bool open;
};

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strlen(argv[i]) + 3 == strlen(name) && strncmp(argv[i], name, strlen(argv[i])) == 0) return true;
    return argc == 1;
}

static bool build(struct test *t, const struct case_options *options)
{
    if (!t->text) return snprintf(message, sizeof message, "cannot be read"), false;
    if (t->open) return case_rebuild(&t->program, t->text, options, message, sizeof message);
    t->open = case_open(&t->program, t->text, options, message, sizeof message);
    return t->open;
}

static bool check(struct test *t, ventus_device *device, unsigned seconds)
{
    struct case_options options = {.seed = 1, .seconds = seconds};
    bool ok = build(t, &options);
    for (unsigned i = 0; ok && i < t->program.nruns; i++)
        ok = case_run(&t->program, i, device, &options, message, sizeof message);
    return ok;
}

static bool not_built(void) { return strncmp(message, "ventus-cc", 9) == 0 || strncmp(message, "clang", 5) == 0; }

/* With `rule` off, a case must give a wrong answer (not merely fail to build). */
static bool mutation(const char *compiler, const char *rule, struct test *tests, size_t ntests, ventus_device *device)
{
    bool noticed = false;
    message[0] = 0;
    setenv("VENTUS_CC", compiler, 1);
    setenv("VENTUS_CC_DISABLE", rule, 1);
    for (size_t i = 0; i < ntests && !noticed; i++) {
        if (strncmp(tests[i].name, "trap_", 5) || check(&tests[i], device, 3)) continue;
        noticed = !not_built();
        if (!noticed) break;
        printf("without %s: %s\n", rule, message);
        unsetenv("VENTUS_CC_DISABLE"); /* the rule is all that was missing */
        noticed = check(&tests[i], device, 10);
    }
    unsetenv("VENTUS_CC_DISABLE");
    unsetenv("VENTUS_CC");
    if (!noticed) printf("FAILED: without rule %s %s\n", rule, message[0] ? message : "all cases pass");
    return noticed;
}

/* The cases once more with hardly any registers: spilling must not change a result. */
static bool squeezed(const char *compiler, struct test *tests, size_t ntests, ventus_device *device)
{
    bool ok = true;
    setenv("VENTUS_CC", compiler, 1);
    setenv("VENTUS_CC_SCALARS", "8", 1);
    setenv("VENTUS_CC_VECTORS", "6", 1);
    for (size_t i = 0; i < ntests && ok; i++) {
        if (strncmp(tests[i].name, "lib_", 4) == 0) continue;
        ok = check(&tests[i], device, 20);
        if (!ok) printf("FAILED %s with few registers: %s\n", tests[i].name, message);
    }
    unsetenv("VENTUS_CC_VECTORS");
    unsetenv("VENTUS_CC_SCALARS");
    unsetenv("VENTUS_CC");
    return ok;
}

static struct test *read_tests(const glob_t *found)
{
    struct test *tests = calloc(found->gl_pathc, sizeof *tests);
    size_t size;
    for (size_t i = 0; tests && i < found->gl_pathc; i++) {
        tests[i].name = strrchr(found->gl_pathv[i], '/') + 1;
        tests[i].text = read_file(found->gl_pathv[i], &size);
    }
    return tests;
}

static void free_tests(struct test *tests, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (tests[i].open) case_close(&tests[i].program);
        free(tests[i].text);
    }
    free(tests);
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
    struct test *tests = read_tests(&found);
    size_t ntests = tests ? found.gl_pathc : 0;
    for (size_t i = 0; i < ntests; i++) {
        if (!wanted(tests[i].name, argc, argv)) continue;
        bool ok = check(&tests[i], device, 20);
        if (ok) passed++;
        else failed++, printf("FAILED %s: %s\n", tests[i].name, message);
        fflush(stdout);
    }
    if (!find_tool("ventus-cc-mutation", mutant, sizeof mutant)) {
        mutant[0] = 0;
        if (argc == 1) printf("FAILED: no ventus-cc-mutation\n");
        failed += argc == 1;
    } else
        for (size_t i = 0; i < sizeof rules / sizeof *rules && argc == 1; i++)
            if (mutation(mutant, rules[i], tests, ntests, device)) passed++;
            else failed++;
    if (argc == 1 && mutant[0] && squeezed(mutant, tests, ntests, device)) passed++;
    else if (argc == 1) failed++;
    free_tests(tests, ntests);
    globfree(&found);
    ventus_close(device);
    build_end();
    printf("%u cases passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
