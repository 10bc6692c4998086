/* What must be true of build options, for the fuzz target and for options_test: any text is refused with a
 * message, or becomes arguments for clang that all have one of the forms below. None of them can load code,
 * write a file or be read as a file of arguments. */
#ifndef VENTUS_TESTS_FUZZ_OPTIONS_H
#define VENTUS_TESTS_FUZZ_OPTIONS_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/frontend/frontend.h"

static inline bool is_one_of(const char *argument, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(argument, *list)) return true;
    return false;
}

/* A name, then the end, a value or parameters; nothing that could begin another directive. */
static inline bool is_macro(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || (unsigned char)text[n] >= 0x80 || (text[n] && strchr("_$", text[n]))) n++;
    return n && !isdigit((unsigned char)*text) && (!text[n] || strchr("=(", text[n])) && !strpbrk(text, "\r\n");
}

static inline bool is_known(const char *argument)
{
    static const char *const words[] = {
        "-w",
        "-Werror",
        "-cl-mad-enable",
        "-cl-fast-relaxed-math",
        "-cl-finite-math-only",
        "-cl-unsafe-math-optimizations",
        "-cl-no-signed-zeros",
        "-cl-single-precision-constant",
        "-cl-fp32-correctly-rounded-divide-sqrt",
        "-cl-std=CL1.0",
        "-cl-std=CL1.1",
        "-cl-std=CL1.2",
        "-cl-std=CL3.0",
        NULL,
    };
    if (!strncmp(argument, "-D", 2)) return is_macro(argument + 2);
    if (!strncmp(argument, "-I", 2)) return argument[2];
    return is_one_of(argument, words);
}

/* Ends the program if these options break the rule above. */
static inline void options_check(const char *options)
{
    struct cc cc = {0};
    if (setjmp(cc.on_error)) {
        if (cc.status != CC_BAD_OPTION || !cc.log_size) abort();
    } else {
        options_parse(&cc, options);
        for (size_t i = 0; cc.clang_args[i]; i++)
            if (!is_known(cc.clang_args[i])) {
                fprintf(stderr, "\"%s\" gives clang the argument \"%s\"\n", options, cc.clang_args[i]);
                abort();
            }
    }
    cc_free(&cc);
}

#endif
