/* Checks find seeded mistakes, name them, and say nothing of the same kernels without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/gpu.h"
#include "program.h"
#include "samples.h"

/* ---- OpenCL C ---- */

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void *read_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    void *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static ventus_module *compile(const char *source, int wrong)
{
    char folder[] = "/tmp/ventus-check-XXXXXX", in[64], out[64], command[512];
    const char *build = getenv("VENTUS_BUILD");
    ventus_module *module = NULL;
    size_t size;
    if (!build) skip();
    assert_non_null(mkdtemp(folder));
    snprintf(in, sizeof in, "%s/k.cl", folder);
    snprintf(out, sizeof out, "%s/k.elf", folder);
    snprintf(command, sizeof command, "'%s/ventus-cc' --options -DWRONG=%d -o %s %s", build, wrong, out, in);
    write_text(in, source);
    assert_int_equal(system(command), 0);
    void *elf = read_bytes(out, &size);
    assert_int_equal(ventus_module_load(elf, size, &module, NULL, 0), VENTUS_OK);
    free(elf);
    unlink(in);
    unlink(out);
    rmdir(folder);
    return module;
}

/* ---- launches ---- */

static ventus_device *open_checked(unsigned what)
{
    ventus_device *d = NULL;
    unsetenv("VENTUS_CHECK");
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    assert_int_equal(device_check(d, what, NULL), VENTUS_OK);
    return d;
}

static uint32_t buffer(ventus_device *d, uint32_t words, bool written)
{
    uint32_t addr = 0, zero = 0;
    assert_int_equal(ventus_alloc(d, 4 * (uint64_t)words, &addr), VENTUS_OK);
    if (written) assert_int_equal(ventus_fill(d, addr, &zero, 4, 4 * (uint64_t)words), VENTUS_OK);
    return addr;
}

static void launch_sample(ventus_device *d, const struct sample *s, const ventus_module *m)
{
    const struct ventus_kernel *k = ventus_module_find(m, "k");
    uint32_t args[4] = {0};
    uint64_t locals[4] = {0};
    assert_non_null(k);
    for (unsigned i = 0; i < 4 && s->args[i].kind; i++) {
        const struct sample_arg *a = &s->args[i];
        if (a->kind == 'l') locals[i] = a->value;
        else if (a->kind == 'i') args[i] = a->value;
        else args[i] = buffer(d, a->value, a->kind == 'w');
    }
    // clang-format off
    struct ventus_launch l = {.module = m, .kernel = k, .args = args, .local_sizes = locals,
                              .range = {1, {s->global, 1, 1}, {s->local, 1, 1}, {0}}};
    // clang-format on
    struct ventus_result result;
    ventus_run(d, &l, &result, NULL, 0); /* what is out of bounds may fault, too */
}

static const struct check_report *first_of(const struct check *c, enum check_kind kind)
{
    for (size_t i = 0; i < check_count(c); i++)
        if (check_get(c, i)->kind == kind) return check_get(c, i);
    return NULL;
}

static void show(const char *name, const struct check *c)
{
    print_error("%s:\n", name);
    for (size_t i = 0; i < check_count(c); i++) check_describe(check_get(c, i), stderr);
}

static bool as_expected(const struct sample *s, const struct check_report *r)
{
    return r && r->by.line == s->line && r->other.line == s->other && r->by.first.global[0] == s->item &&
           (uint32_t)__builtin_popcount(r->by.lanes) == s->lanes &&
           (s->kind != CHECK_RACES || r->other.first.global[0] == s->other_item) && strstr(r->where, s->where) &&
           !strcmp(r->kernel, "k") && *r->by.instruction && r->count >= 1;
}

static bool sample_ok(const struct sample *s, int wrong)
{
    ventus_module *m = compile(s->source, wrong);
    ventus_device *d = open_checked(CHECK_ALL);
    launch_sample(d, s, m);
    const struct check *c = device_checks(d);
    bool ok = wrong ? as_expected(s, first_of(c, s->kind)) : !check_count(c);
    if (!ok) show(s->name, c);
    ventus_close(d);
    ventus_module_free(m);
    return ok;
}

static void finds_mistakes(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (size_t i = 0; i < nsamples; i++) failed += !sample_ok(&samples[i], 1);
    assert_int_equal(failed, 0);
}

static void no_mistakes(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (size_t i = 0; i < nsamples; i++) failed += !sample_ok(&samples[i], 0);
    assert_int_equal(failed, 0);
}

/* ---- assembly ---- */

/* Reports of a program whose arguments are two written buffers of 64 words and one that nobody has written. */
static size_t reports_of(const char *source, unsigned what, uint32_t items, uint32_t local, struct check_report *first)
{
    ventus_device *d = open_checked(what);
    ventus_module *m = program_build_private(source, 8);
    const uint32_t args[4] = {buffer(d, 64, true), buffer(d, 64, true), buffer(d, 64, false)};
    struct ventus_launch l = program_launch(m, args, items, local);
    struct ventus_result result;
    ventus_run(d, &l, &result, NULL, 0);
    size_t n = check_count(device_checks(d));
    if (n && first) *first = *check_get(device_checks(d), 0);
    ventus_close(d);
    ventus_module_free(m);
    return n;
}

static void expect_none(const char *source, unsigned what)
{
    struct check_report r;
    size_t n = reports_of(source, what, 64, 64, &r);
    if (n) check_describe(&r, stderr);
    assert_int_equal(n, 0);
}

static void expect_first(const char *source, unsigned what, enum check_kind kind, const char *instruction)
{
    struct check_report r = {0};
    assert_int_not_equal(reports_of(source, what, 64, 64, &r), 0);
    if (r.kind != kind || !strstr(r.by.instruction, instruction)) check_describe(&r, stderr);
    assert_int_equal(r.kind, kind);
    assert_non_null(strstr(r.by.instruction, instruction));
}

#define UNINIT (1u << CHECK_UNINIT)
#define RACES  (1u << CHECK_RACES)

/* v1: the lane's number in the group, times four */
#define LANE " vid.v v1\n csrr x5, CSR_TID\n vadd.vx v1, v1, x5\n vsll.vi v1, v1, 2\n"

static void registers(void **state)
{
    (void)state;
    expect_first(ARGS " beq x20, x0, 1f\n nop\n1: endprg\n", UNINIT, CHECK_UNINIT, "beq");
    expect_first(ARGS " vid.v v1\n vbeq v1, v7, 1f\n nop\n1: join\n endprg\n", UNINIT, CHECK_UNINIT, "vbeq");
    expect_first(ARGS " lw x5, 0(x20)\n endprg\n", UNINIT, CHECK_UNINIT, "lw");
    expect_first(ARGS " csrrw x0, frm, x20\n endprg\n", UNINIT, CHECK_UNINIT, "csrrw");
    expect_first(ARGS " add x5, x20, x11\n sw x5, 0(x10)\n endprg\n", UNINIT, CHECK_UNINIT, "sw");
    expect_none(ARGS " mv x5, x20\n sw x5, 0(x10)\n endprg\n", UNINIT); /* a copy of a register */
    expect_none(ARGS " xor x5, x20, x20\n beq x5, x0, 1f\n1: endprg\n", UNINIT);
    expect_none(ARGS " andi x5, x20, 0\n beq x5, x0, 1f\n1: endprg\n", UNINIT);
    expect_none(ARGS " slli x5, x20, 16\n slli x5, x5, 16\n beq x5, x0, 1f\n1: endprg\n", UNINIT);
    expect_first(ARGS " slli x5, x20, 31\n beq x5, x0, 1f\n1: endprg\n", UNINIT, CHECK_UNINIT, "beq");
    expect_first(ARGS " ori x5, x20, 1\n beq x5, x0, 1f\n1: endprg\n", UNINIT, CHECK_UNINIT, "beq");
    expect_none(ARGS " ori x5, x20, -1\n beq x5, x0, 1f\n1: endprg\n", UNINIT);
    expect_none(ARGS " li x20, 1\n beq x20, x0, 1f\n1: endprg\n", UNINIT);
    expect_none(ARGS " vmv.v.i v1, 1\n vmv.x.s x20, v1\n beq x20, x0, 1f\n1: endprg\n", UNINIT);
    expect_first(ARGS " vmv.x.s x5, v7\n beq x5, x0, 1f\n1: endprg\n", UNINIT, CHECK_UNINIT, "beq");
    expect_none(ARGS " csrr x20, CSR_TID\n beq x20, x0, 1f\n1: endprg\n", UNINIT);
    expect_none(ARGS " andi x5, x20, 0\n addi x5, x5, 4\n add x5, x10, x5\n lw x6, 0(x5)\n endprg\n", UNINIT);
}

static void memory(void **state)
{
    (void)state;
    /* through memory, byte by byte: only the second byte is set */
    expect_none(ARGS " li x5, 7\n sb x5, 1(x12)\n lbu x6, 1(x12)\n beq x6, x0, 1f\n1: endprg\n", UNINIT);
    expect_first(ARGS " li x5, 7\n sb x5, 1(x12)\n lbu x6, 0(x12)\n beq x6, x0, 1f\n1: endprg\n", UNINIT, CHECK_UNINIT,
                 "beq");
    expect_none(
        ARGS
        " li x5, 7\n sb x5, 1(x12)\n lw x6, 0(x12)\n srli x6, x6, 8\n andi x6, x6, 255\n beq x6, x0, 1f\n1: endprg\n",
        UNINIT);
    expect_none(ARGS " sh x0, 2(x12)\n lh x6, 2(x12)\n beq x6, x0, 1f\n1: endprg\n", UNINIT);
    expect_first(ARGS " lw x5, 0(x12)\n sw x5, 8(x10)\n lw x6, 8(x10)\n beq x6, x0, 1f\n1: endprg\n", UNINIT,
                 CHECK_UNINIT, "sw");
    /* private memory: fresh for each group; offset 4 has been set, offset 0 not */
    const char *private = " li x5, 4\n vmv.v.x v2, x5\n vmv.v.x v3, x5\n vsw.v v3, 0(v2)\n vlw.v v4, %d(v2)\n vbeq v4, "
                          "v3, 1f\n1: join\n endprg\n";
    char source[300];
    snprintf(source, sizeof source, private, 0);
    expect_none(source, UNINIT);
    snprintf(source, sizeof source, private, -4);
    expect_first(source, UNINIT, CHECK_UNINIT, "vbeq");
    snprintf(source, sizeof source, private, 4);
    expect_first(source, 1u << CHECK_OVERFLOW, CHECK_OVERFLOW, "vlw.v");
}

/* Atomics leave a value that is known; exchanges hand on what was there. Behind a store that may not happen the
 * memory is taken to be known when either value is. x12 is the buffer that nobody has written. */
static void atomics(void **state)
{
#define AT      " vmv.v.x v1, x12\n vmv.v.i v2, 3\n"
#define TEST(v) " vbeq " v ", v2, 1f\n nop\n1: join\n endprg\n"
    (void)state;
    expect_first(ARGS AT " amoadd.w v3, v2, (v1)\n endprg\n", UNINIT, CHECK_UNINIT, "amoadd");
    expect_none(ARGS " vmv.v.x v1, x10\n vmv.v.i v2, 3\n amoadd.w v3, v2, (v1)\n" TEST("v3"), UNINIT);
    expect_first(ARGS AT " amoswap.w v3, v2, (v1)\n" TEST("v3"), UNINIT, CHECK_UNINIT, "vbeq");
    expect_none(ARGS AT " amoswap.w v3, v2, (v1)\n amoswap.w v3, v2, (v1)\n endprg\n", UNINIT);
    expect_none(ARGS AT " lr.w v3, (v1)\n sc.w v4, v2, (v1)\n" TEST("v4"), UNINIT);
    expect_first(ARGS AT " lr.w v3, (v1)\n sc.w v4, v7, (v1)\n vlw12.v v5, 0(v1)\n" TEST("v5"), UNINIT, CHECK_UNINIT,
                 "vbeq");
    expect_none(ARGS
                " vmv.v.x v1, x10\n vmv.v.i v2, 3\n lr.w v3, (v1)\n sc.w v4, v7, (v1)\n vlw12.v v5, 0(v1)\n" TEST("v5"),
                UNINIT);
}

/* Each work-item writes its word and reads its neighbour's. */
#define NEIGHBOUR(between) \
    ARGS LANE " vadd.vx v2, v1, x10\n vsw12.v v1, 0(v2)\n" between " vxor.vi v3, v2, 4\n vlw12.v v4, 0(v3)\n endprg\n"

static void order(void **state)
{
    (void)state;
    expect_first(NEIGHBOUR(""), RACES, CHECK_RACES, "vlw12");
    expect_none(NEIGHBOUR(" barrier 3\n"), RACES);
    expect_none(NEIGHBOUR(" barrier 0\n"), RACES);
    expect_none(NEIGHBOUR(" barrier 2\n"), RACES);
    expect_first(NEIGHBOUR(" barrier 1\n"), RACES, CHECK_RACES, "vlw12"); /* orders local memory alone */
    expect_none(NEIGHBOUR(" barriersub 3\n"), RACES);                     /* neighbours are of one warp */
    expect_none(NEIGHBOUR(""), RACES | CHECK_LOCKSTEP);
    expect_none(NEIGHBOUR(""), UNINIT);
}

/* Warp 0 writes data and sets a flag, warp 1 waits for the flag and reads. */
#define HANDOVER(set, get) \
    ARGS " vmv.v.x v1, x10\n vmv.v.x v2, x11\n vmv.v.i v3, 1\n vmv.v.i v6, 0\n csrr x5, CSR_WID\n bne x5, x0, 2f\n" \
         " vsw12.v v3, 0(v1)\n" set " endprg\n" \
         "2: " get " vmv.x.s x6, v4\n beq x6, x0, 2b\n vlw12.v v4, 0(v1)\n endprg\n"

static void handover(void **state)
{
    (void)state;
    expect_none(HANDOVER(" amoswap.w v4, v3, (v2)\n", " amoor.w v4, v6, (v2)\n"), RACES);
    expect_none(HANDOVER(" fence\n vsw12.v v3, 0(v2)\n fence\n", " fence\n vlw12.v v4, 0(v2)\n fence\n"), RACES);
    expect_first(HANDOVER(" vsw12.v v3, 0(v2)\n", " vlw12.v v4, 0(v2)\n"), RACES, CHECK_RACES, "");
}

/* ---- the rest of the interface ---- */

static void lists(void **state)
{
    unsigned what;
    char why[160];
    (void)state;
    assert_true(check_parse("", &what, why, sizeof why));
    assert_int_equal(what, CHECK_ALL);
    assert_true(check_parse(NULL, &what, why, sizeof why) && what == CHECK_ALL);
    assert_true(check_parse("1", &what, why, sizeof why) && what == CHECK_ALL);
    assert_true(check_parse("bounds,races", &what, why, sizeof why));
    assert_int_equal(what, 1u << CHECK_BOUNDS | RACES);
    assert_true(check_parse("lockstep", &what, why, sizeof why));
    assert_int_equal(what, CHECK_ALL | CHECK_LOCKSTEP);
    assert_true(check_parse("races,lockstep", &what, why, sizeof why));
    assert_int_equal(what, RACES | CHECK_LOCKSTEP);
    assert_false(check_parse("bounds,race", &what, why, sizeof why));
    assert_non_null(strstr(why, "'race'"));
}

static void when_allowed(void **state)
{
    ventus_device *d = NULL;
    uint32_t addr;
    (void)state;
    unsetenv("VENTUS_CHECK");
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    assert_null(device_checks(d));
    assert_int_equal(device_check(d, 0, NULL), VENTUS_BAD_ARGUMENT);
    assert_int_equal(device_check(NULL, CHECK_ALL, NULL), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_alloc(d, 4, &addr), VENTUS_OK);
    assert_int_equal(device_check(d, CHECK_ALL, NULL), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_free(d, addr), VENTUS_OK);
    assert_true(device_regroups(d));
    assert_int_equal(device_check(d, CHECK_ALL, NULL), VENTUS_OK);
    assert_int_equal(device_check(d, CHECK_ALL, NULL), VENTUS_BAD_ARGUMENT);
    assert_false(device_regroups(d)); /* reports name the groups of the program */
    ventus_close(d);
}

/* An address is described by a buffer that is no more than 1 MiB away. */
static void distances(void **state)
{
    static const struct {
        uint32_t offset;
        const char *where;
    } cases[] = {{256, "right behind the 256 bytes"},
                 {256 + (1 << 20), "1048576 bytes behind the 256 bytes"},
                 {256 + (1 << 20) + 4, "there is no buffer near"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ventus_device *d = open_checked(CHECK_ALL);
        ventus_module *m = program_build(STORE);
        struct ventus_result result;
        uint32_t hole = buffer(d, 1, false), args[4] = {buffer(d, 64, true) + cases[i].offset, 5};
        assert_int_equal(ventus_free(d, hole), VENTUS_OK); /* where the launch's own blocks go */
        struct ventus_launch l = program_launch(m, args, 1, 1);
        ventus_run(d, &l, &result, NULL, 0);
        const struct check_report *r = check_get(device_checks(d), 0);
        assert_non_null(r);
        if (!strstr(r->where, cases[i].where)) fail_msg("%s, not %s", r->where, cases[i].where);
        ventus_close(d);
        ventus_module_free(m);
    }
}

/* The same mistake in several launches is one report; a buffer that was freed is none any more. */
static void several_launches(void **state)
{
    (void)state;
    ventus_device *d = open_checked(CHECK_ALL);
    ventus_module *m = program_build(STORE);
    const struct check *c = device_checks(d);
    struct ventus_result result;
    uint32_t args[4] = {buffer(d, 1, false), 5};
    struct ventus_launch l = program_launch(m, args, 1, 1);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    assert_int_equal(check_count(c), 0);
    args[0] += 4;
    for (int i = 0; i < 3; i++) assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    assert_int_equal(check_count(c), 1);
    assert_int_equal(check_get(c, 0)->count, 3);
    assert_int_equal(check_get(c, 0)->kind, CHECK_BOUNDS);
    assert_null(check_get(c, 1));
    uint32_t large = buffer(d, 1 << 14, true);
    assert_int_equal(ventus_free(d, large), VENTUS_OK);
    args[0] = large + (1 << 15);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_FAULT);
    assert_int_equal(check_get(c, 0)->count, 4);
    ventus_close(d);
    ventus_module_free(m);
}

/* What the host copies is as initialised as its source; the whole of a large memory costs nothing until it is used. */
static void host_copies(void **state)
{
    (void)state;
    ventus_device *d = open_checked(UNINIT);
    ventus_module *m = program_build(ARGS " lw x5, 0(x10)\n beq x5, x0, 1f\n1: endprg\n");
    const struct check *c = device_checks(d);
    struct ventus_result result;
    uint32_t large = 0, from = buffer(d, 2, false), to = buffer(d, 2, true), args[4] = {to};
    struct ventus_launch l = program_launch(m, args, 1, 1);
    assert_int_equal(ventus_alloc(d, 1u << 30, &large), VENTUS_OK);
    assert_int_equal(ventus_copy(d, large, from, 4), VENTUS_OK);
    assert_int_equal(ventus_write(d, from + 4, "abcd", 4), VENTUS_OK);
    assert_int_equal(ventus_copy(d, to, from + 4, 4), VENTUS_OK);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    assert_int_equal(check_count(c), 0);
    assert_int_equal(ventus_copy(d, to, from, 4), VENTUS_OK);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    assert_int_equal(check_count(c), 1);
    ventus_close(d);
    ventus_module_free(m);
}

static size_t add_text(char *text, size_t size, FILE *f)
{
    rewind(f);
    size_t n = fread(text, 1, size - 1, f);
    text[n] = 0;
    fclose(f);
    return n;
}

static void output(void **state)
{
    static char text[8192];
    (void)state;
    FILE *f = tmpfile(), *json = tmpfile();
    assert_non_null(f);
    assert_non_null(json);
    ventus_device *d = NULL;
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    assert_int_equal(device_check(d, CHECK_ALL, f), VENTUS_OK);
    ventus_module *m = program_build(STORE);
    struct ventus_result result;
    const uint32_t args[4] = {buffer(d, 1, false) + 2, 5};
    struct ventus_launch l = program_launch(m, args, 1, 1);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    check_json(device_checks(d), json);
    ventus_close(d);
    ventus_module_free(m);
    add_text(text, sizeof text, f);
    assert_non_null(
        strstr(text, "check: bounds: store of 4 bytes outside every buffer\n  in k, pc 0x80000018: sw a1, 0(a0)\n"
                     "  by work-item (0,0,0), (0,0,0) in group (0,0,0)\n  at 0x90000002: byte 2 of the 4 bytes of"));
    assert_non_null(strstr(text, "check: align (warning): "));
    assert_non_null(strstr(text, "check: 2 in all, 2 different\n"));
    add_text(text, sizeof text, json);
    assert_non_null(strstr(text, "[{\"kind\": \"bounds\", \"kernel\": \"k\""));
    assert_non_null(strstr(text, "\"instruction\": \"sw\\u0009a1, 0(a0)\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_mistakes),   cmocka_unit_test(no_mistakes), cmocka_unit_test(registers),
        cmocka_unit_test(memory),           cmocka_unit_test(atomics),     cmocka_unit_test(order),
        cmocka_unit_test(handover),         cmocka_unit_test(lists),       cmocka_unit_test(when_allowed),
        cmocka_unit_test(several_launches), cmocka_unit_test(distances),   cmocka_unit_test(host_copies),
        cmocka_unit_test(output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
