/* Build options: what reaches clang, what is refused. Runs options.c alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/frontend/frontend.h"
#include "tests/fuzz/options.h"
#include "tests/rng.h"

/* The arguments for clang joined by '|', or the log after "! " when the options are refused. */
static const char *parse(const char *options)
{
    static char text[1024];
    struct cc cc = {0};
    text[0] = 0;
    if (setjmp(cc.on_error)) {
        assert_int_equal(cc.status, CC_BAD_OPTION);
        snprintf(text, sizeof text, "! %s", cc.log);
    } else {
        options_parse(&cc, options);
        for (size_t i = 0; cc.clang_args[i]; i++) {
            if (i) strcat(text, "|");
            strcat(text, cc.clang_args[i]); /* the cases are short */
        }
    }
    cc_free(&cc);
    return text;
}

/* With 3.0 come the macros of its optional features. */
static const char with_features[] = "-cl-std=CL3.0"
#define FEATURE(name, ...) "|-D" name "=1"
#include "isa/features.def"
    ;

static void standard_is_1_2(void **state)
{
    (void)state;
    assert_string_equal(parse(""), "-cl-std=CL1.2");
    assert_string_equal(parse("  \t\n "), "-cl-std=CL1.2");
    assert_string_equal(parse("-cl-std=CL3.0"), with_features);
    assert_string_equal(parse("-cl-std=CL3.0 -cl-std=CL1.2"), "-cl-std=CL1.2");
    assert_string_equal(parse("-cl-std=CL1.0 -cl-std=CL1.1"), "-cl-std=CL1.1");
}

static void words_are_split(void **state)
{
    (void)state;
    assert_string_equal(parse("-D A -DB=2 -D  'C=x y'"), "-DA|-DB=2|-DC=x y|-cl-std=CL1.2");
    assert_string_equal(parse("-DS=\\\"s\\\" -I\"/a b\"/c"), "-DS=\"s\"|-I/a b/c|-cl-std=CL1.2");
    assert_string_equal(parse("-DF(x)=((x)+1) -D P=a\\b"), "-DF(x)=((x)+1)|-DP=a\\b|-cl-std=CL1.2");
    assert_string_equal(parse("-I@/dev/stdin -I @x -DA=@y"), "-I@/dev/stdin|-I@x|-DA=@y|-cl-std=CL1.2");
}

static void known_options(void **state)
{
    (void)state;
    assert_string_equal(parse("-w -Werror -cl-fast-relaxed-math"), "-w|-Werror|-cl-fast-relaxed-math|-cl-std=CL1.2");
    assert_string_equal(parse("-cl-denorms-are-zero -cl-kernel-arg-info -cl-opt-disable -cl-strict-aliasing"),
                        "-cl-std=CL1.2");
    assert_string_equal(parse("-g"), "-cl-std=CL1.2");
    assert_string_equal(parse("-cl-std=CL2.0"), "-cl-std=CL2.0");
    assert_string_equal(parse("-cl-std=clc++"), "-cl-std=clc++");
    assert_non_null(strstr(parse("-cl-std=CLC++2021"), "-cl-std=CLC++2021|-D__opencl_c"));
}

/* Of other vendors: taken, and the log says that they do nothing. */
static void others_are_remarked(void **state)
{
    static const char *const good[][2] = {
        {"-O3 -w", "-w|-cl-std=CL1.2"},
        {"-O0", "-cl-std=CL1.2"},
        {"-cl-nv-verbose", "-cl-std=CL1.2"},
        {"-cl-nv-maxrregcount=32 -DA", "-DA|-cl-std=CL1.2"},
        {"-cl-nv-maxrregcount 32 -DA", "-DA|-cl-std=CL1.2"},
        {"-cl-nv-opt-level 3", "-cl-std=CL1.2"},
        {"-cl-intel-greater-than-4GB-buffer-required", "-cl-std=CL1.2"},
        {"-fno-bin-amdil", "-cl-std=CL1.2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_string_equal(parse(good[i][0]), good[i][1]);
    assert_true(parse("-O3 32 33")[0] == '!'); /* one number */
    struct cc cc = {0};
    if (setjmp(cc.on_error)) fail();
    options_parse(&cc, "-O3");
    assert_string_equal(cc.log, "<source>: remark: build option -O3 changes nothing on this device\n");
    cc_free(&cc);
}

static void source_is_kept(void **state)
{
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct cc cc = {0};
        if (setjmp(cc.on_error)) fail();
        options_parse(&cc, g ? "-w -g" : "-w");
        assert_int_equal(cc.debug, g);
        cc_free(&cc);
    }
}

static void avoided_faults(void **state)
{
    struct cc cc = {0};
    (void)state;
    assert_int_equal(setjmp(cc.on_error), 0);
    options_parse(&cc, "-mavoid=fmv -mavoid=min-max,unsigned-loads");
    assert_int_equal(cc.avoids, 1 << QUIRK_FMV | 1 << QUIRK_MIN_MAX | 1 << QUIRK_UNSIGNED_LOADS);
    options_parse(&cc, "-mavoid=verilog-192d1e0");
    assert_true(avoids(&cc, QUIRK_REGEXTI_IMM));
    assert_false(avoids(&cc, QUIRK_DIVIDE));
    cc_free(&cc);
}

static void refusals(void **state)
{
    // clang-format off
    static const char *const bad[][2] = {
        {"-foo", "\"-foo\""}, {"-o x", "\"-o\""}, {"-D", "-D needs"}, {"-I", "-I needs"}, {"-D ''", "-D needs"},
        {"-cl-std=CL9", "CL9"}, {"-cl-std=", "language version"},
        {"-x spir", "-x"}, {"-Xclang", "-Xclang"}, {"file.cl", "file.cl"}, {"-DA='b", "closing '"}, {"-create-library", "clLinkProgram"},
        {"-Wall", "-Wall"}, {"-cl-mad-enablex", "-cl-mad-enablex"}, {"@file", "@file"}, {"-D@file", "\"@file\""},
        {"-D -o", "\"-o\""}, {"-D '1A'", "1A"}, {"-D 'A B'", "A B"}, {"-D 'A\n#include \"x\"'", "one line"},
        {"-D 'A=1\r2'", "one line"}, {"-mavoid=", "''"}, {"-mavoid=fmv,nothing", "'nothing'; there are"},
        {"-mavoid=divide", "'divide' concerns; it can avoid regexti-imm"},
    };
    // clang-format on
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *got = parse(bad[i][0]);
        if (got[0] != '!' || !strstr(got, bad[i][1])) fail_msg("%s gave: %s", bad[i][0], got);
    }
}

/* Random strings of pieces that are options, or look like them, or end a word where none is expected:
 * what each of them gives must have one of the forms that tests/fuzz/options.h lists. */
static void hostile_pieces(void **state)
{
    // clang-format off
    static const char *const pieces[] = {
        "-D", "-I", "-w", "-g", "-x", "-o", "-cl-std=", "CL1.2", "-cl-mad-enable", "-Werror", "@", "@/dev/stdin", "@x", "/", "..",
        "A", "=", "(x)", "1", "\n", "\r", "#include", " ", " ", " ", "\t", "\\", "\"", "'", "\"", "'", "-Xclang", "-load", "-fplugin=x",
        "-mllvm", "-MF", "-dependency-file", "-cc1", "--config", "-cl-opt-disable", "-mavoid=", "fmv", "\xc3\xa4", "$", ";", "`", "%", "-",
    };
    // clang-format on
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        char text[512] = "";
        for (unsigned n = rng() % 12; n; n--) strcat(text, pieces[rng() % (sizeof pieces / sizeof *pieces)]);
        options_check(text);
    }
}

static void very_long_value(void **state)
{
    enum { LENGTH = 1 << 20 };
    (void)state;
    char *text = malloc(LENGTH + 1);
    assert_non_null(text);
    memset(text, 'a', LENGTH);
    memcpy(text, "-D", 2);
    text[LENGTH] = 0;
    options_check(text);
    free(text);
}

/* Memory that there is not: the program is too large, and nothing is missing that could be installed. */
static void too_large_a_program(void **state)
{
    struct cc cc = {0};
    (void)state;
    if (!setjmp(cc.on_error)) {
        cc_alloc(&cc, SIZE_MAX);
        fail();
    }
    assert_int_equal(cc.status, CC_FAILED);
    assert_non_null(strstr(cc.log, "more memory"));
    cc_free(&cc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_is_1_2),
        cmocka_unit_test(words_are_split),
        cmocka_unit_test(known_options),
        cmocka_unit_test(source_is_kept),
        cmocka_unit_test(others_are_remarked),
        cmocka_unit_test(avoided_faults),
        cmocka_unit_test(refusals),
        cmocka_unit_test(hostile_pieces),
        cmocka_unit_test(very_long_value),
        cmocka_unit_test(too_large_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
