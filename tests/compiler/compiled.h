/* What the compiler makes, as files and modules, for the tests of this folder. The functions fail the running test when
 * they cannot do it. */
#ifndef COMPILED_H
#define COMPILED_H

#include "driver/ventus.h"

#include <stdio.h>

ventus_module *compiled_module(const void *elf, size_t size);

/* Compiles OpenCL C with a program of the build ("ventus-cc") to an ELF file, whose name it returns. There is one at a
 * time, while compiled_run_tests runs. */
const char *compiled_file(const char *compiler, const char *options, const char *source);
ventus_module *compiled_load(const char *elf);

/* What llvm-dwarfdump prints of a file; to be closed with pclose. */
FILE *compiled_dump(const char *option, const char *elf);

/* Runs an array of tests that need llvm-dwarfdump; the value of main. Behind <cmocka.h>. */
#define compiled_run_tests(tests) compiled_run_group(#tests, tests, sizeof(tests) / sizeof *(tests))
struct CMUnitTest;
int compiled_run_group(const char *name, const struct CMUnitTest *tests, size_t count);

#endif
