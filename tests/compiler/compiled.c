/* Files and modules of the compiler (compiled.h). */
#include "compiled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static char folder[] = "/tmp/ventus-compiled-XXXXXX", program[sizeof folder + 10];

ventus_module *compiled_module(const void *elf, size_t size)
{
    ventus_module *module = NULL;
    char why[300];
    if (ventus_module_load(elf, size, &module, why, sizeof why) != VENTUS_OK) fail_msg("%s", why);
    return module;
}

const char *compiled_file(const char *compiler, const char *options, const char *source)
{
    char command[600], name[100];
    const char *build = getenv("VENTUS_BUILD");
    snprintf(name, sizeof name, "%s/k.cl", folder);
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(source, f);
    fclose(f);
    snprintf(program, sizeof program, "%s/k.elf", folder);
    snprintf(command, sizeof command, "%s/%s --options '%s' %s -o %s", build ? build : ".", compiler, options, name,
             program);
    assert_int_equal(system(command), 0);
    return program;
}

ventus_module *compiled_load(const char *elf)
{
    static char bytes[1 << 20];
    FILE *f = fopen(elf, "r");
    assert_non_null(f);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    return compiled_module(bytes, size);
}

FILE *compiled_dump(const char *option, const char *elf)
{
    char command[300];
    snprintf(command, sizeof command, "llvm-dwarfdump-19 %s %s", option, elf);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    return f;
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int compiled_run_group(const char *name, const struct CMUnitTest *tests, size_t count)
{
    if (system("command -v llvm-dwarfdump-19 >/dev/null")) {
        puts("SKIPPED: no llvm-dwarfdump-19 (package llvm-19)");
        return 77;
    }
    return _cmocka_run_group_tests(name, tests, count, make_folder, remove_folder);
}
