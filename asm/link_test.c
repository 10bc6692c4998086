/* Objects and the linker: programs in pieces are what they are in one, and damaged pieces are refused. */
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
#include "isa/abi.h"
#include "tests/rng.h"

static void object(const char *source, struct asm_input *out)
{
    const struct asm_options options = {0};
    char *log;
    size_t size;
    void *bytes;
    FILE *f = open_memstream(&log, &size);
    bool ok = asm_assemble_object(&options, "t.s", source, strlen(source), &bytes, &out->size, f);
    fclose(f);
    if (!ok) fail_msg("\n%s\n%s", source, log);
    out->bytes = bytes;
    free(log);
}

static void bad_object(const char *source, const char *expect)
{
    const struct asm_options options = {0};
    char *log;
    size_t size, n;
    void *bytes;
    FILE *f = open_memstream(&log, &size);
    bool ok = asm_assemble_object(&options, "t.s", source, strlen(source), &bytes, &n, f);
    fclose(f);
    if (ok) fail_msg("accepted: %s", source);
    if (!strstr(log, expect)) fail_msg("%s\ngave: %s\nnot: %s", source, log, expect);
    free(log);
}

static bool link_sources(size_t n, const char *const *sources, struct elf_image *m, char **log)
{
    static const char *const names[] = {"a.o", "b.o", "c.o"};
    struct asm_input in[3] = {0};
    size_t size;
    for (size_t i = 0; i < n; i++) {
        in[i].name = names[i];
        object(sources[i], &in[i]);
    }
    FILE *f = open_memstream(log, &size);
    bool ok = asm_link(&(struct asm_link_options){0}, in, n, ABI_CODE_BASE, m, f);
    fclose(f);
    for (size_t i = 0; i < n; i++) free((void *)in[i].bytes);
    return ok;
}

/* The pieces, linked, are the whole, assembled. */
static void same(size_t n, const char *const *pieces, const char *whole)
{
    struct elf_image a, b;
    char *log;
    if (!link_sources(n, pieces, &a, &log)) fail_msg("%s", log);
    assert_string_equal(log, "");
    assert_true(asm_assemble("whole.s", whole, strlen(whole), ABI_CODE_BASE, &b, stderr));
    assert_int_equal(a.text_words, b.text_words);
    for (size_t i = 0; i < a.text_words; i++)
        if (a.text[i] != b.text[i]) fail_msg("word %zu is %08x, not %08x", i, a.text[i], b.text[i]);
    assert_int_equal(a.rodata_size, b.rodata_size);
    assert_memory_equal(a.rodata, b.rodata, a.rodata_size);
    assert_int_equal(a.data_size, b.data_size);
    assert_memory_equal(a.data, b.data, a.data_size);
    assert_int_equal(a.bss_size, b.bss_size);
    if (b.note) assert_string_equal(a.note, b.note);
    else assert_null(a.note);
    elf_free(&a);
    elf_free(&b);
    free(log);
}
#define SAME(whole, ...) \
    same(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__}, whole)

static void bad_link(size_t n, const char *const *pieces, const char *expect)
{
    struct elf_image m;
    char *log;
    if (link_sources(n, pieces, &m, &log)) fail_msg("linked");
    if (!strstr(log, expect)) fail_msg("gave: %s\nnot: %s", log, expect);
    free(log);
}
#define BAD(expect, ...) \
    bad_link(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__}, expect)

static void test_pieces(void **state)
{
    (void)state;
    SAME("f: nop\ng: ret", "f: nop", "g: ret");
    SAME("a: auipc ra, 0\njalr ra, 12(ra)\nret\nb: ret", "call b\nret", ".globl b\nb: ret");
    SAME("j b\nnop\nb: ret", "j b", "nop\n.globl b\nb: ret");
    SAME("nop\n.byte 1", "nop\n.byte 1");
    SAME("nop\n.byte 1\n.balign 4\nret\n.half 2", "nop\n.byte 1", "ret\n.half 2");
}

static void test_relocations(void **state)
{
    (void)state;
    SAME("la a0, t\nlw a1, t\nsw a1, t, a2\n.rodata\n.word 1\nt: .word 2",
         "la a0, t\nlw a1, t\nsw a1, t, a2\n.rodata\n.word 1", ".globl t\n.rodata\nt: .word 2");
    SAME("lui a0, %hi(t+4)\nlw a1, %lo(t+4)(a0)\nsw a1, %lo(t)(a0)\naddi a2, a0, %lo(t)\n.rodata\nt: .word 2, 3",
         "lui a0, %hi(t+4)\nlw a1, %lo(t+4)(a0)\nsw a1, %lo(t)(a0)\naddi a2, a0, %lo(t)",
         ".globl t\n.rodata\nt: .word 2, 3");
    SAME("auipc ra, 0\njalr ra, 12(ra)\nret\nw: nop\n.rodata\n.word w", "call w\n.weak w\nw: ret\n.rodata\n.word w",
         ".globl w\nw: nop"); /* gives way */
    SAME("auipc ra, 0\njalr ra, 8(ra)\nw: ret\n.rodata\n.word w", "call w\n.weak w\nw: ret\n.rodata\n.word w");
    SAME("f: bne a0, a1, .+8\njal zero, g\nvbne v1, v40, .+12\njal zero, g\ng: ret", "beq a0, a1, g\nvbeq v1, v40, g",
         ".globl g\ng: ret");
    SAME("f: ret\n.rodata\nr: .word f, r + 4, d, b\n.data\nd: .word r, d - 4\n.bss\nb: .zero 20",
         ".globl f\nf: ret\n.rodata\nr: .globl r\n.word f, r + 4, d, b",
         ".data\n.globl d, b\nd: .word r, d - 4\n.bss\nb: .zero 20");
    SAME(".insn cb C1, 6, a0, .+8\n.insn cj C1, 5, .+6\nnop\nf: ret", ".insn cb C1, 6, a0, f\n.insn cj C1, 5, f\nnop",
         ".globl f\nf: ret");
    SAME("x: .insn cj C1, 5, x\n.insn cb C1, 6, a0, x", "x: .insn cj C1, 5, x\n.insn cb C1, 6, a0, x");
    SAME("la x40, t\nx: la x5, x\nt: ret", "la x40, t\nx: la x5, x", ".globl t\nt: ret");
    SAME("n: nop\n.rodata\n.word m - n, 0\nm = n + 8", "n: nop\n.rodata\n.word m - n, w\nm = n + 8\n.weak w");
}

static void test_notes(void **state)
{
    (void)state;
    SAME("a: vadd.vv v50, v1, v2\nb: add x40, x1, x2\n.kernel a, lds=4\n.arg global, x\n.kernel b, vgpr=8\n.section "
         ".rodata.ventus.resource\n.half 1,2,3,4",
         "a: vadd.vv v50, v1, v2\n.kernel a, lds=4\n.arg global, x",
         "b: add x40, x1, x2\n.kernel b, vgpr=8\n.section .rodata.ventus.resource\n.half 1,2,3,4");
#define NOTE(text) ".section .note.ventus\n.ascii \"ventus-module 1\\n" text "\\n\"\n.text\n"
    SAME(NOTE("for all=1\\nkernel name=a entry=0x80000004 vgpr=4 sgpr=32 lds=0 pds=0 args=0 reqd=0,0,0 hint=0,0,0 "
              "vechint= "
              "new=%25\\nof a=1") "nop\na: ret",
         "nop",
         NOTE("for all=1\\nkernel name=a new=%25 entry=0 vgpr=auto sgpr=auto lds=0 pds=0 args=0\\nof a=1") ".globl "
                                                                                                           "a\na: ret");
    BAD("b.o: error: the module note, line 2: a record lacks a field: entry", "nop", NOTE("kernel name=a"));
    BAD("a.o: error: the kernel 'a b' of the module note is not defined",
        NOTE("kernel name=a%20b entry=0 vgpr=1 sgpr=1 lds=0 pds=0 args=0") "nop");
}

static void test_symbols(void **state)
{
    (void)state;
    struct elf_image m;
    char *log;
    const char *const pieces[] = {"x: nop\n.globl f\nf: call g", "x: nop\n.globl g\n.weak h\ng: ret\nh: ret",
                                  ".globl h\nh: ret"};
    assert_true(link_sources(3, pieces, &m, &log));
    unsigned found = 0;
    for (size_t i = 0; i < m.nsymbols; i++) {
        found += !strcmp(m.symbols[i].name, "x");
        assert_true(strncmp(m.symbols[i].name, ".L", 2) != 0);
    }
    assert_int_equal(found, 2); /* local names may occur twice */
    elf_free(&m);
    free(log);
}

static void test_mistakes(void **state)
{
    (void)state;
    BAD("undefined symbol 'loop'; did you mean 'loops'?", "j loop", ".globl loops\nloops: ret");
    BAD("b.o: error: 'f' is defined in a.o, too", ".globl f\nf: ret", ".globl f\nf: ret");
    BAD("too far", "j f\n.space 2000000", ".globl f\nf: ret");
    BAD("too far", ".insn cb C1, 6, a0, f\n.space 256", ".globl f\nf: ret");
    BAD("undefined symbol 'hidden'", "call hidden", "hidden: ret");
    bad_object(".byte x", "only a .word");
    bad_object("addi a0, a0, x", "cannot hold an address");
    bad_object("addi a0, a0, x - y", "a number is wanted");
    bad_object(".space x", "a number is wanted");
    bad_object(".kernel k", "not in this file");
    bad_object("j 0x80000000", "absolute address");
    bad_object(".org 0x80000000", "when it is linked");
    bad_object("j 1f", "no label 1 behind");
    bad_object(".bss\n.word 1", "zeros only");
}

/* Everything of an object is touched: names, bytes, symbols and relocations. */
static size_t read_all(const struct asm_input *in)
{
    struct asm_object o;
    size_t sum = 0;
    if (!asm_read_object(in, &o, NULL)) return 0;
    for (size_t i = 0; i < o.nsections; i++) {
        const struct asm_section *s = &o.sections[i];
        sum += strlen(s->name) + 1;
        for (size_t k = 0; k < s->size && s->bytes; k++) sum += s->bytes[k];
        for (size_t k = 0; k < s->nsymbols; k++)
            sum += strlen(s->symbols[k].name), assert_true(s->symbols[k].value - s->addr <= s->size);
        for (size_t k = 0; k < s->nrelocations; k++) {
            sum += strlen(s->relocations[k].symbol);
            assert_true(s->relocations[k].addr - s->addr <= s->size);
            assert_true(!k || s->relocations[k].addr >= s->relocations[k - 1].addr);
        }
    }
    asm_free_object(&o);
    return sum;
}

static void test_reading(void **state)
{
    (void)state;
    struct asm_input in;
    struct asm_object o;
    object("nop\nf: call g\n.data\nd: .word d, f + 4\n.bss\n.zero 100", &in);
    in.name = "t.o";
    assert_true(asm_read_object(&in, &o, stderr));
    const struct asm_section *of[ASM_OTHER + 1] = {0};
    for (size_t i = 0; i < o.nsections; i++) of[o.sections[i].kind] = &o.sections[i];
    assert_int_equal(of[ASM_TEXT]->nsymbols, 1);
    assert_string_equal(of[ASM_TEXT]->symbols[0].name, "f");
    assert_int_equal(of[ASM_TEXT]->symbols[0].value, 4);
    assert_int_equal(of[ASM_TEXT]->nrelocations, 1);
    assert_string_equal(of[ASM_TEXT]->relocations[0].type_name, "R_RISCV_CALL_PLT");
    assert_string_equal(of[ASM_TEXT]->relocations[0].symbol, "g");
    assert_int_equal(of[ASM_DATA]->nrelocations, 2);
    assert_string_equal(of[ASM_DATA]->relocations[1].symbol, ".text");
    assert_int_equal(of[ASM_DATA]->relocations[1].addend, 8);
    assert_int_equal(of[ASM_BSS]->size, 100);
    asm_free_object(&o);
    free((void *)in.bytes);
}

/* Damaged objects: any result, but a result. */
static void test_damaged(void **state)
{
    (void)state;
    struct asm_input good;
    object(".kernel f\n.arg global, x\n.globl f\nf: la a0, t\ncall f\nlui a1, %hi(u)\nlw a1, %lo(u)(a1)\nbeq a0, a1, "
           "f\nj u\n"
           ".weak u\n.rodata\nt: .word f, u, t\n.data\n.word t\n.bss\n.zero 100\n.section "
           ".rodata.ventus.resource\n.half 1,2,3,4\n.comm c, 8, 16\n.section .a, \"aw\"\n.word c, __stop_.a\n"
           ".init_array\n.word f\n.section .ventus.calls, \"\"\n.word f, u, f, t",
           &good);
    for (int i = 0; i < 30000; i++) {
        struct elf_image m;
        size_t n = i % 5 ? good.size : rng() % (good.size + 1);
        uint8_t *bytes = malloc(n + 1);
        assert_non_null(bytes);
        memcpy(bytes, good.bytes, n);
        for (unsigned k = 1 + rng() % 4; k-- && n;) {
            static const uint8_t odd[] = {0, 1, 4, 0x7f, 0x80, 0xff, 0x10, 2};
            bytes[rng() % n] = rng() % 2 ? odd[rng() % 8] : (uint8_t)rng();
        }
        const struct asm_input in = {"damaged.o", bytes, n};
        if (asm_link(&(struct asm_link_options){0}, &in, 1, ABI_CODE_BASE, &m, NULL)) elf_free(&m);
        read_all(&in);
        free(bytes);
    }
    free((void *)good.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),  cmocka_unit_test(test_relocations), cmocka_unit_test(test_notes),
        cmocka_unit_test(test_symbols), cmocka_unit_test(test_mistakes),    cmocka_unit_test(test_reading),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
