/* Resource records of all versions, and summaries that become records when objects are linked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "asm/link.h"
#include "asm/listing.h"
#include "asm/resource.h"
#include "tests/rng.h"

#define UNKNOWN ABI_RESOURCE_UNKNOWN

/* ---- records alone ---- */

static const struct elf_resource samples[] = {
    {.value = {1, 2, 3, 4}},
    {.version = 1, .value = {1, 2, 70000, UINT32_MAX}},
    {.version = 2, .flags = 0x3f, .value = {256, 64, 1ull << 40, 4, UNKNOWN, UNKNOWN}},
    {.version = 3, .flags = 1u << 31, .value = {256, 64, 3, 4, 5, 6}},
    {.version = 4, .flags = 2, .value = {9, 8, 7, 6, 5, 4}, .ray = {3, 5, 5, 0, 384, 384, 128, 0, 0, 1}},
};

static void test_versions(void **state)
{
    (void)state;
    static const size_t sizes[] = {8, 24, 56, 56, 96};
    for (int i = 0; i < 5; i++) {
        uint8_t bytes[ABI_RESOURCE_LARGEST];
        struct elf_resource r;
        const char *why = NULL;
        size_t used = 0;
        assert_int_equal(resource_write(&samples[i], bytes), sizes[i]);
        assert_true(resource_read(bytes, sizes[i], &r, &used, &why));
        assert_int_equal(used, sizes[i]);
        assert_memory_equal(&r, &samples[i], sizeof r);
        for (size_t n = 0; n < sizes[i]; n++) {
            uint8_t *cut = malloc(n + 1); /* so that a sanitizer sees reads behind the end */
            assert_non_null(cut);
            memcpy(cut, bytes, n);
            assert_false(resource_read(cut, n, &r, &used, &why));
            assert_string_equal(why, "a resource record is cut off");
            free(cut);
        }
    }
}

/* The bytes are what isa/abi.h draws. */
static void test_layouts(void **state)
{
    (void)state;
    uint8_t bytes[ABI_RESOURCE_LARGEST];
    static const uint8_t first[] = {1, 0, 2, 0, 3, 0, 4, 0};
    static const uint8_t second[] = {'V', 'R', 'E', 'S', 1,    0,    24, 0, 1,   0,   0,   0,
                                     2,   0,   0,   0,   0x70, 0x11, 1,  0, 255, 255, 255, 255};
    resource_write(&samples[0], bytes);
    assert_memory_equal(bytes, first, sizeof first);
    resource_write(&samples[1], bytes);
    assert_memory_equal(bytes, second, sizeof second);
    resource_write(&samples[4], bytes);
    assert_int_equal(bytes[0], 4);
    assert_int_equal(bytes[4], 2);
    assert_int_equal(bytes[32], 6); /* pds */
    assert_int_equal(bytes[56], 3); /* the first word for ray tracing */
    assert_int_equal(bytes[92], 1);
}

static void test_unknown(void **state)
{
    (void)state;
    static const uint8_t bad[][96] = {{5},
                                      {1},
                                      {255, 255},
                                      {'V', 'R', 'E', 'S', 2, 0, 24, 0},
                                      {'V', 'R', 'E', 'S', 1, 0, 25, 0},
                                      {'V', 'R', 'E', 'S', 4, 0, 24, 0}};
    struct elf_resource r;
    size_t used;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = "";
        assert_false(resource_read(bad[i], sizeof bad[i], &r, &used, &why));
        assert_non_null(strstr(why, "version that is not known"));
    }
    static const uint8_t zero[8] = {0};
    assert_true(resource_read(zero, 8, &r, &used, NULL)); /* a kernel that says nothing */
}

static void convert(struct elf_resource r, uint32_t version, const uint64_t want[6], const char *expect)
{
    const char *why = NULL;
    bool ok = resource_convert(&r, version, &why);
    if (expect) {
        assert_false(ok);
        assert_non_null(why);
        if (!strstr(why, expect)) fail_msg("%s is not %s", why, expect);
        return;
    }
    if (!ok) fail_msg("%s", why);
    assert_int_equal(r.version, version);
    assert_memory_equal(r.value, want, sizeof r.value);
}

static void test_conversion(void **state)
{
    (void)state;
    const struct elf_resource stacks = {.version = 2, .flags = 1, .value = {10, 20, 30, 40, 5, 6}};
    convert(samples[0], 2, (const uint64_t[]){1, 2, 3, 4, 0, 0}, NULL);
    convert(samples[0], 1, (const uint64_t[]){1, 2, 3, 4, 0, 0}, NULL);
    convert(samples[1], 3, (const uint64_t[]){1, 2, 70000, UINT32_MAX, 0, 0}, NULL);
    convert(stacks, 3, stacks.value, NULL);
    convert(stacks, 0, (const uint64_t[]){10, 20, 35, 46, 0, 0}, NULL); /* sums hold the stacks */
    convert(stacks, 1, (const uint64_t[]){10, 20, 35, 46, 0, 0}, NULL);
    convert(samples[4], 4, samples[4].value, NULL);
    convert(samples[4], 2, samples[4].value, NULL);
    convert(samples[1], 0, NULL, "too large");
    convert(samples[2], 0, NULL, "unknown depth");
    convert(samples[3], 4, NULL, "not known of this kernel");
    convert(samples[0], 5, NULL, "versions 0 to 4");
    convert((struct elf_resource){.version = 2, .value = {8, 0, 0, 0, 0, 0}}, 0, NULL,
            "needs scalar registers"); /* it would look like version 8 */
    convert((struct elf_resource){.version = 2, .value = {1, 1, UINT64_MAX - 1, 0, 5, 0}}, 1, NULL, "too large");
}

static char *printed(const struct elf_resource *r)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    resource_print(r, f);
    fclose(f);
    return text;
}

static void test_print(void **state)
{
    (void)state;
    static const char *const want[] = {
        "version 0, vgpr 1, sgpr 2, lds 3, pds 4\n", "version 1, vgpr 1, sgpr 2, lds 70000, pds 4294967295\n",
        "version 2, vgpr 256, sgpr 64, lds 1099511627776, pds 4, lds stack not known, pds stack not known; dynamic "
        "alloca, recursion, "
        "indirect call, unknown callee, stack not known, registers incomplete\n",
        "version 3, vgpr 256, sgpr 64, lds 3, pds 4, lds stack 5, pds stack 6; flags 0x80000000\n",
        "version 4, vgpr 9, sgpr 8, lds 7, pds 6, lds stack 5, pds stack 4, features 3, pds layout 5, private layout "
        "5, hot stride 384, "
        "continuation offset 384, continuation bytes 128, word 23 1; recursion\n"};
    for (int i = 0; i < 5; i++) {
        char *text = printed(&samples[i]);
        assert_string_equal(text, want[i]);
        free(text);
    }
    char *text = printed(&(struct elf_resource){.kernel = "a\33[2Jb"});
    assert_string_equal(text, "a?[2Jb: version 0, vgpr 0, sgpr 0, lds 0, pds 0\n");
    free(text);
}

/* ---- objects ---- */

static struct asm_input object(const char *name, const char *source)
{
    const struct asm_options options = {0};
    struct asm_input out = {.name = name};
    void *bytes = NULL;
    if (!asm_assemble_object(&options, name, source, strlen(source), &bytes, &out.size, stderr)) fail_msg("%s", source);
    out.bytes = bytes;
    return out;
}

/* Links sources; the log when that fails, else NULL. */
static char *link_text(size_t n, const char *const *sources, const uint32_t *version, struct elf_image *m)
{
    static const char *const names[] = {"a.o", "b.o", "c.o"};
    struct asm_input in[3];
    char *log;
    size_t size;
    for (size_t i = 0; i < n; i++) in[i] = object(names[i], sources[i]);
    FILE *f = open_memstream(&log, &size);
    bool ok = asm_link(&(struct asm_link_options){.version = version}, in, n, ABI_CODE_BASE, m, f);
    fclose(f);
    for (size_t i = 0; i < n; i++) free((void *)in[i].bytes);
    if (!ok) return log;
    assert_string_equal(log, "");
    free(log);
    return NULL;
}

/* Linking gives records that print as `want`. */
static void records(const uint32_t *version, const char *want, size_t n, const char *const *sources)
{
    struct elf_image m;
    char *text, *log = link_text(n, sources, version, &m);
    size_t size;
    if (log) fail_msg("%s", log);
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0; i < m.nresources; i++) resource_print(&m.resources[i], f);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
    elf_free(&m);
}
#define LIST(...) \
    sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]) { __VA_ARGS__ }
#define RECORDS(want, ...)             records(NULL, want, LIST(__VA_ARGS__))
#define RECORDS_IN(version, want, ...) records(&(const uint32_t){version}, want, LIST(__VA_ARGS__))

static void refused(const uint32_t *version, const char *expect, size_t n, const char *const *sources)
{
    struct elf_image m;
    char *log = link_text(n, sources, version, &m);
    if (!log) fail_msg("linked, not: %s", expect);
    if (!strstr(log, expect)) fail_msg("gave: %s\nnot: %s", log, expect);
    free(log);
}
#define REFUSED(expect, ...)             refused(NULL, expect, LIST(__VA_ARGS__))
#define REFUSED_IN(version, expect, ...) refused(&(const uint32_t){version}, expect, LIST(__VA_ARGS__))

#define V0       "\n.section .rodata.ventus.resource\n.half 8, 16, 24, 32\n"
#define V2(name) "\n.section .ventus.resource." name "\n.word 2, 1\n.quad 9, 10, 11, 12, 13, 14\n"

static void test_records(void **state)
{
    (void)state;
    RECORDS("version 0, vgpr 8, sgpr 16, lds 24, pds 32\n", "nop" V0);
    RECORDS("k: version 2, vgpr 9, sgpr 10, lds 11, pds 12, lds stack 13, pds stack 14; dynamic alloca\n",
            "nop" V2("k"));
    RECORDS(
        "version 0, vgpr 8, sgpr 16, lds 24, pds 32\n"
        "j.k: version 2, vgpr 9, sgpr 10, lds 11, pds 12, lds stack 13, pds stack 14; dynamic alloca\n" /* in the order
                                                                                                           of the
                                                                                                           objects */
        "version 0, vgpr 8, sgpr 16, lds 24, pds 32\n",
        "nop" V0, V2("j.k"), "nop" V0);
    RECORDS_IN(0, "k: version 0, vgpr 9, sgpr 10, lds 24, pds 26\n", V2("k"));
    RECORDS_IN(1, "version 1, vgpr 8, sgpr 16, lds 24, pds 32\nk: version 1, vgpr 9, sgpr 10, lds 24, pds 26\n",
               V0 V2("k"));
    RECORDS_IN(3, "version 3, vgpr 8, sgpr 16, lds 24, pds 32, lds stack 0, pds stack 0\n", V0);
    RECORDS("", ".kernel f\nf: ret");
    RECORDS_IN(0, "f: version 0, vgpr 4, sgpr 32, lds 5, pds 6\n", ".kernel f, lds=5, pds=6\nf: ret");
    RECORDS_IN(2, "f: version 2, vgpr 8, sgpr 32, lds 0, pds 1024, lds stack 0, pds stack 0\n",
               ".kernel f, vgpr=7\nf: ret");
    REFUSED_IN(4, "kernel k: what resource records of version 4", V2("k"));
    REFUSED_IN(0, "kernel f: a value is too large", ".kernel f, lds=70000\nf: ret");
}

/* Records that are read by the assembler, too, and sections that come again. */
static void test_source(void **state)
{
    (void)state;
    static const char source[] =
        ".section .ventus.resource.a\n.ascii \"VRES\"\n.half 1, 24\n.text\nnop\n.section .ventus.resource.a\n.word 1, "
        "2, 3, 4\n" V0 ".section .ventus.resource.b, \"w\", @progbits\n.word 4, 0\n.quad 1, 2, 3, 4, 5, 6\n.zero 40\n";
    struct elf_image m;
    void *bytes = NULL;
    size_t size;
    assert_true(asm_assemble("t.s", source, sizeof source - 1, ABI_CODE_BASE, &m, stderr));
    assert_int_equal(m.nresources, 3);
    assert_string_equal(m.resources[0].kernel, "a");
    assert_int_equal(m.resources[0].value[ABI_PDS], 4);
    assert_null(m.resources[1].kernel);
    assert_string_equal(m.resources[2].kernel, "b");
    assert_int_equal(m.resources[2].value[ABI_PDS_STACK], 6);
    elf_free(&m);
    static const char *const bad[][2] = {{".section .ventus.resource.a\n.word 2, 0", "cut off"},
                                         {V0 ".byte 1", "cut off"},
                                         {".section .ventus.resource.a\n.word 9, 9", "not known"},
                                         {".section .ventus.resobj\n.word 1", "is for the linker"},
                                         {".section .ventus.resource\n", "a program has"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *log;
        FILE *f = open_memstream(&log, &size);
        assert_false(asm_assemble("t.s", bad[i][0], strlen(bad[i][0]), ABI_CODE_BASE, &m, f));
        fclose(f);
        if (!strstr(log, bad[i][1])) fail_msg("gave: %s\nnot: %s", log, bad[i][1]);
        free(log);
    }
    static const char address[] = ".section .note.ventus\nn: .ascii \"x\"\n.text\n.word n\n";
    assert_false(asm_assemble_object(&(struct asm_options){0}, "t.s", address, sizeof address - 1, &bytes, &size,
                                     NULL)); /* notes have no address */
}

/* ---- summaries ---- */

#define SUMMARY(functions, edges, references) \
    ".macro function name, flags, vgpr, sgpr, lds, pds, out, e=0, ne=0, r=0, nr=0\n.word \\name, \\flags\n.quad " \
    "\\vgpr, \\sgpr, \\lds, \\pds, \\out\n" \
    ".word \\e, \\ne, \\r, \\nr\n.endm\n.section .ventus.resobj\n.word 0x5652534f, 1, 0, " #functions ", " #edges \
    ", " #references ", 36, 36 + 64 * " #functions ", 36 + 64 * " #functions " + 8 * " #edges "\n"

/* One kernel, nothing else: its own frame and what it hands over to callees. */
#define ALONE ".globl k\nk: ret\n" SUMMARY(1, 0, 0) "function k, 1, 3, 5, 16, 8, 4\n"

static void test_alone(void **state)
{
    (void)state;
    RECORDS("k: version 2, vgpr 3, sgpr 5, lds 0, pds 0, lds stack 16, pds stack 12\n", ALONE);
    RECORDS("", "f: ret\n" SUMMARY(1, 0, 0) "function f, 0, 3, 5, 16, 8, 4\n"); /* no entry */
    RECORDS_IN(0, "k: version 0, vgpr 3, sgpr 5, lds 16, pds 12\n", ALONE);
    RECORDS("k: version 2, vgpr 3, sgpr 5, lds 0, pds 0, lds stack 16, pds stack 12\n",
            ALONE V2("k")); /* the old record gives way */
    REFUSED("b.o: error: it has resource records only", ALONE, "nop" V2("j"));
    REFUSED("b.o: error: it has resource records only", ALONE, "nop" V0);
    RECORDS("l: version 2, vgpr 1, sgpr 1, lds 0, pds 0, lds stack not known, pds stack 3; stack not known\n",
            "l: ret\n" SUMMARY(1, 0, 0) "function l, 1, 1, 1, -1, 3, 0\n");
    RECORDS("m: version 2, vgpr 1, sgpr 1, lds 0, pds 0, lds stack 0, pds stack not known; stack not known\n",
            "m: ret\n" SUMMARY(1, 0, 0) "function m, 1, 1, 1, 0, -3, 5\n"); /* the sum is too large */
}

/* k calls f and g, both call h; f is deep in local, g in private memory. */
static const char diamond[] = "k: nop\nf: nop\ng: nop\nh: ret\n.globl k\n" SUMMARY(
    4, 4, 0) "function k, 1, 10, 11, 100, 1000, 1, 0, 2\nfunction f, 0, 20, 5, 50, 10, 2, 2, 1\nfunction g, 0, 2, 30, "
             "5, 500, 3, 3, 1\nfunction h, 0, 15, 2, 7, 70, 4\n"
             ".word f, 0, g, 0, h, 0, h, 0\n";

static void test_paths(void **state)
{
    (void)state;
    RECORDS("k: version 2, vgpr 20, sgpr 30, lds 0, pds 0, lds stack 157, pds stack 1578\n", diamond);
    /* the same with k's call of f and g's of h at the end: the caller's frame is gone */
    RECORDS("k: version 2, vgpr 20, sgpr 30, lds 0, pds 0, lds stack 107, pds stack 1504\n",
            "k: nop\nf: nop\ng: nop\nh: ret\n.globl k\n" SUMMARY(
                4, 4, 0) "function k, 1, 10, 11, 100, 1000, 1, 0, 2\nfunction f, 0, 20, 5, 50, 10, 2, 2, 1\nfunction "
                         "g, 0, 2, 30, 5, 500, 3, 3, 1\nfunction h, 0, 15, 2, 7, 70, 4\n"
                         ".word f, 1, g, 0, h, 0, h, 1\n");
    /* over two objects; `f` of each is another one */
    RECORDS("k: version 2, vgpr 8, sgpr 9, lds 0, pds 0, lds stack 110, pds stack 31\nj: version 2, vgpr 4, sgpr 9, "
            "lds 0, pds 0, lds stack 10, pds stack 20\n",
            ".globl k\nk: nop\nf: ret\n" SUMMARY(
                2, 2, 0) "function k, 1, 1, 1, 10, 1, 0, 0, 2\nfunction f, 0, 8, 1, 100, 30, 0\n.word f, 0, j, 0\n",
            ".globl j\nj: nop\nf: ret\n" SUMMARY(
                2, 1, 0) "function j, 1, 2, 9, 4, 10, 0, 0, 1\nfunction f, 0, 4, 1, 6, 10, 0\n.word f, 0\n");
    /* a weak function gives way, and so does its summary */
    RECORDS("k: version 2, vgpr 1, sgpr 1, lds 0, pds 0, lds stack 3, pds stack 0\n",
            ".weak f\n.globl k\nk: nop\nf: ret\n" SUMMARY(
                2, 1, 0) "function k, 1, 1, 1, 1, 0, 0, 0, 1\nfunction f, 0, 99, 99, 99, 99, 0\n.word f, 0\n",
            ".globl f\nf: ret\n" SUMMARY(1, 0, 0) "function f, 0, 1, 1, 2, 0, 0\n");
}

/* An entry that another one replaces has no record. */
static void test_replaced(void **state)
{
    (void)state;
    RECORDS("k: version 2, vgpr 7, sgpr 1, lds 0, pds 0, lds stack 0, pds stack 0\n",
            ".weak k\nk: ret\n" SUMMARY(1, 0, 0) "function k, 1, 1, 1, 1, 1, 0\n",
            ".globl k\nk: ret\n" SUMMARY(1, 0, 0) "function k, 1, 7, 1, 0, 0, 0\n");
    RECORDS("k: version 2, vgpr 7, sgpr 1, lds 0, pds 0, lds stack 0, pds stack 0\n",
            ".globl k\nk: ret\n" SUMMARY(1, 0, 0) "function k, 1, 7, 1, 0, 0, 0\n",
            ".weak k\nk: ret\n" SUMMARY(1, 0, 0) "function k, 1, 1, 1, 1, 1, 0\n");
}

static void test_unknowns(void **state)
{
    (void)state;
#define TAIL "lds stack not known, pds stack not known; "
    RECORDS("k: version 2, vgpr 3, sgpr 1, lds 0, pds 0, " TAIL "recursion, stack not known\n",
            "k: nop\nf: nop\ng: ret\n" SUMMARY(3, 3, 0) "function k, 1, 1, 1, 1, 1, 0, 0, 1\nfunction f, 0, 2, 1, 1, "
                                                        "1, 0, 1, 1\nfunction g, 0, 3, 1, 1, 1, 0, 2, 1\n"
                                                        ".word f, 0, g, 0, f, 0\n");
    RECORDS("k: version 2, vgpr 1, sgpr 1, lds 0, pds 0, " TAIL "recursion, stack not known\n",
            "k: ret\n" SUMMARY(1, 1, 0) "function k, 1, 1, 1, 1, 1, 0, 0, 1\n.word k, 0\n");
    RECORDS("k: version 2, vgpr 2, sgpr 1, lds 0, pds 0, " TAIL
            "indirect call, stack not known, registers incomplete\n",
            "k: nop\nf: ret\n" SUMMARY(
                2, 1, 0) "function k, 1, 1, 1, 1, 1, 0, 0, 1\nfunction f, 4, 2, 1, 1, 1, 0\n.word f, 0\n");
    RECORDS("k: version 2, vgpr 1, sgpr 1, lds 0, pds 0, " TAIL "dynamic alloca, stack not known\n",
            "k: ret\n" SUMMARY(1, 0, 0) "function k, 3, 1, 1, 1, 1, 0\n");
    RECORDS(
        "k: version 2, vgpr 1, sgpr 1, lds 0, pds 0, " TAIL "unknown callee, stack not known, registers incomplete\n",
        "k: nop\nf: ret\n" SUMMARY(1, 1, 0) "function k, 1, 1, 1, 1, 1, 0, 0, 1\n.word f, 0\n"); /* f has no summary */
    RECORDS("k: version 2, vgpr 1, sgpr 1, lds 0, pds 0, " TAIL
            "unknown callee, stack not known, registers incomplete\n",
            "k: ret\n" SUMMARY(1, 1, 0) "function k, 1, 1, 1, 1, 1, 0, 0, 1\n.word nowhere, 0\n");
    /* two entries: what one cannot reach does not concern it, in whatever order they come */
    RECORDS(
        "k: version 2, vgpr 1, sgpr 1, lds 0, pds 0, lds stack 1, pds stack 1\nj: version 2, vgpr 1, sgpr 1, lds 0, "
        "pds 0, " TAIL "recursion, stack not known\n",
        "k: nop\nj: nop\nf: ret\n" SUMMARY(
            3, 3,
            0) "function k, 1, 1, 1, 1, 1, 0\nfunction j, 1, 1, 1, 1, 1, 0, 0, 2\nfunction f, 0, 1, 1, 1, 1, 0, 2, 1\n"
               ".word k, 0, f, 0, f, 0\n");
}

/* Objects that were joined have several summaries in one section. */
static void test_joined(void **state)
{
    (void)state;
    static const char f[] = ".word 0x5652534f, 1, 0, 1, 0, 0, 36, 100, 100\nfunction f, 1, 2, 2, 2, 2, 0\n";
    char source[1000];
    snprintf(source, sizeof source,
             "k: nop\nf: ret\n" SUMMARY(1, 1, 0) "function k, 1, 1, 1, 1, 1, 0, 0, 1\n.word f, 0\n.balign 8\n%s", f);
    static const char want[] = "k: version 2, vgpr 2, sgpr 2, lds 0, pds 0, lds stack 3, pds stack 3\n"
                               "f: version 2, vgpr 2, sgpr 2, lds 0, pds 0, lds stack 2, pds stack 2\n";
    RECORDS(want, source);
    strcat(source, ".balign 8\n"); /* what is behind the last one is not a summary */
    RECORDS(want, source);
    strcat(source, ".word 0, 0\n");
    REFUSED("is cut off", source);
    RECORDS("", "nop\n.section .ventus.resobj\n.word 0x5652534f, 1, 0, 0, 0, 0, 36, 36, 36\n");
}

/* Variables count once, however many functions and objects use them. */
static void test_variables(void **state)
{
    (void)state;
    RECORDS(
        "k: version 2, vgpr 1, sgpr 1, lds 132, pds 20, lds stack 0, pds stack 0\n",
        ".globl k\nk: nop\nf: ret\n.data\na: .zero 4\n.globl a\nb: .zero 4\n" SUMMARY(
            2, 2,
            4) "function k, 1, 1, 1, 0, 0, 0, 0, 2, 0, 2\nfunction f, 0, 1, 1, 0, 0, 0, 0, 0, 2, 2\n.word f, 0, g, 0\n"
               ".word a, 1\n.quad 32\n.word b, 2\n.quad 20\n.word b, 2\n.quad 20\n.word nothing, 0\n.quad 1000\n",
        ".globl g\ng: ret\n" SUMMARY(
            1, 0, 2) "function g, 0, 1, 1, 0, 0, 0, 0, 0, 0, 2\n.word a, 1\n.quad 32\n.word elsewhere, 1\n.quad 100\n");
}

static void test_mistakes(void **state)
{
    (void)state;
#define SECTION(text) "k: ret\n.section .ventus.resobj\n" text
    REFUSED("is cut off", SECTION(".word 0x5652534f, 1"));
    REFUSED("magic number", SECTION(".word 0x5652534e, 1, 0, 0, 0, 0, 36, 36, 36"));
    REFUSED("has version 3; only version 1", SECTION(".word 0x5652534f, 3, 0, 0, 0, 0, 36, 36, 36"));
    REFUSED("lies outside", SECTION(".word 0x5652534f, 1, 0, 1, 0, 0, 36, 36, 36"));
    REFUSED("lies outside",
            SECTION(".word 0x5652534f, 1, 0, 0, 0x20000000, 0, 36, 36, 36")); /* times 8 is 0 in 32 bits */
    REFUSED("lies outside", SECTION(".word 0x5652534f, 1, 0, 0, 0, 0, 36, 36, 0xffffffff"));
    REFUSED("names no symbol", SECTION(".word 0x5652534f, 1, 0, 1, 0, 0, 36, 100, 100\n.zero 64"));
    REFUSED("'f' of .ventus.resobj is not defined", SUMMARY(1, 0, 0) "function f, 1, 1, 1, 1, 1, 0\n");
    REFUSED("outside the tables", "k: ret\n" SUMMARY(1, 0, 0) "function k, 1, 1, 1, 1, 1, 0, 0, 1\n");
    REFUSED("outside the tables",
            "k: ret\n" SUMMARY(1, 1, 0) "function k, 1, 1, 1, 1, 1, 0, 0xffffffff, 2\n.word k, 0\n");
    REFUSED("outside the tables", "k: ret\n" SUMMARY(1, 0, 0) "function k, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0\n");
    REFUSED("'k' has two summaries",
            "k: ret\n" SUMMARY(2, 0, 0) "function k, 1, 1, 1, 1, 1, 0\nfunction k, 1, 1, 1, 1, 1, 0\n");
    REFUSED("has no name", "nop\n1: ret\n" SUMMARY(1, 0, 0) "function 1b, 1, 1, 1, 1, 1, 0\n");
}

/* A chain of calls far deeper than the host's stack would bear, and a graph that is walked by many entries. */
static void test_large(void **state)
{
    (void)state;
    enum { DEPTH = 50000 };
    char *source, *want;
    size_t size;
    FILE *f = open_memstream(&source, &size);
    fprintf(f, "base: .space %d\n", 4 * DEPTH);
    fputs(SUMMARY(50000, 49999, 0), f);
    for (int i = 0; i < DEPTH; i++)
        fprintf(f, "function base+%d, %d, 1, 1, 1, 2, 0, %d, %d\n", 4 * i, i == 0, i, i < DEPTH - 1);
    for (int i = 1; i < DEPTH; i++) fprintf(f, ".word base+%d, 0\n", 4 * i);
    fclose(f);
    RECORDS("base: version 2, vgpr 1, sgpr 1, lds 0, pds 0, lds stack 50000, pds stack 100000\n", source);
    free(source);
    f = open_memstream(&source, &size);
    fputs(SUMMARY(3000, 6000, 0), f);
    FILE *w = open_memstream(&want, &size);
    for (int i = 0; i < 3000; i++) fprintf(f, "function f%d, 1, 1, 1, 1, 2, 0, %d, 2\n", i, 2 * i);
    for (int i = 0; i < 3000; i++) fprintf(f, ".word f%d, 0, f%d, 0\n", (i + 1) % 3000, (i + 7) % 3000);
    fputs(".text\n", f);
    for (int i = 0; i < 3000; i++) {
        fprintf(f, "f%d: nop\n", i);
        fprintf(w, "f%d: version 2, vgpr 1, sgpr 1, lds 0, pds 0, " TAIL "recursion, stack not known\n", i);
    }
    fclose(f);
    fclose(w);
    RECORDS(want, source);
    free(source);
    free(want);
    f = open_memstream(&source, &size); /* every function says that all calls are its own */
    fputs("f: ret\nbase: .space 12000\n" SUMMARY(3000, 3000, 0), f);
    for (int i = 0; i < 3000; i++) fprintf(f, "function base+%d, 0, 1, 1, 1, 2, 0, 0, 3000\n", 4 * i);
    fputs(".rept 3000\n.word f, 0\n.endr\n", f);
    fclose(f);
    REFUSED("too many calls and variables", source);
    free(source);
}

static void test_listing(void **state)
{
    (void)state;
    struct asm_input in = object("t.o", ".globl k\nk: nop\nf: ret\n.data\nv: .word 1\n" SUMMARY(
                                            2, 2, 1) "function k, 1, 1, 2, 3, 4, 5, 0, 2, 0, 1\nfunction f, 6, 6, 7, "
                                                     "8, 9, 0\n.word f, 1, g, 0\n.word v, 1\n.quad 44\n" V0);
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_true(asm_print_resources(&in, f, stderr));
    fclose(f);
    assert_string_equal(
        text, "version 0, vgpr 8, sgpr 16, lds 24, pds 32\n"
              "k: summary, vgpr 1, sgpr 2, lds stack 3, pds stack 4, outgoing 5; entry\n    continues in f\n    calls "
              "g\n    uses v, 44 bytes of lds\n"
              "f: summary, vgpr 6, sgpr 7, lds stack 8, pds stack 9, outgoing 0; dynamic alloca; indirect call\n");
    free(text);
    free((void *)in.bytes);
}

/* ---- damage ---- */

/* Any result, but a result. Half of the damage is in the summary itself, so that it gets past the file's headers. */
static void test_damaged(void **state)
{
    (void)state;
    struct asm_input good = object("good.o", diamond);
    size_t at = 0;
    FILE *sink = fopen("/dev/null", "w");
    while (at + 4 < good.size && memcmp((const uint8_t *)good.bytes + at, "OSRV", 4)) at++;
    assert_true(at + 36 + 4 * 64 + 4 * 8 <= good.size);
    for (int i = 0; i < 30000; i++) {
        struct elf_image m;
        uint8_t *bytes = malloc(good.size);
        assert_non_null(bytes);
        memcpy(bytes, good.bytes, good.size);
        for (unsigned k = 1 + rng() % 3; k--;) {
            static const uint8_t odd[] = {0, 1, 2, 3, 4, 0x7f, 0x80, 0xff};
            size_t where = i % 2 ? at + rng() % (36 + 4 * 64 + 4 * 8) : rng() % good.size;
            bytes[where] = rng() % 2 ? odd[rng() % 8] : (uint8_t)rng();
        }
        const struct asm_input in = {"damaged.o", bytes, good.size};
        if (asm_link(&(struct asm_link_options){0}, &in, 1, ABI_CODE_BASE, &m, NULL)) elf_free(&m);
        asm_print_resources(&in, sink, NULL);
        free(bytes);
    }
    fclose(sink);
    free((void *)good.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),   cmocka_unit_test(test_layouts),  cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_conversion), cmocka_unit_test(test_print),    cmocka_unit_test(test_records),
        cmocka_unit_test(test_source),     cmocka_unit_test(test_alone),    cmocka_unit_test(test_paths),
        cmocka_unit_test(test_unknowns),   cmocka_unit_test(test_joined),   cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_variables),  cmocka_unit_test(test_mistakes), cmocka_unit_test(test_large),
        cmocka_unit_test(test_listing),    cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
