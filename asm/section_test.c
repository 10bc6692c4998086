/* Named sections, in programs, objects and what is linked of them; space that objects share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gelf.h>
#include <libelf.h>

#include "asm/assemble.h"
#include "asm/link.h"
#include "isa/abi.h"

static const struct asm_options options = {0};

static void program(const char *source, struct elf_image *m)
{
    assert_true(asm_assemble_with(&options, "t.s", source, strlen(source), ABI_CODE_BASE, m, stderr));
}

static void object(const char *source, struct asm_input *in)
{
    void *bytes;
    assert_true(asm_assemble_object(&options, "t.s", source, strlen(source), &bytes, &in->size, stderr));
    *in = (struct asm_input){"t.o", bytes, in->size};
}

static void refused(const char *source, const char *expect)
{
    struct elf_image m;
    size_t size;
    char *log;
    FILE *f = open_memstream(&log, &size);
    if (asm_assemble_with(&options, "t.s", source, strlen(source), ABI_CODE_BASE, &m, f))
        fail_msg("accepted: %s", source);
    fclose(f);
    if (!strstr(log, expect)) fail_msg("%s\ngave: %s\nnot: %s", source, log, expect);
    free(log);
}

/* Links up to three sources; the messages, when it is refused, are to be freed. */
static char *link_sources(const char *const sources[3], struct elf_image *m)
{
    struct asm_input in[3];
    size_t n = 0, size;
    char *log;
    for (; n < 3 && sources[n]; n++) object(sources[n], &in[n]);
    FILE *f = open_memstream(&log, &size);
    bool ok = asm_link(&(struct asm_link_options){0}, in, n, ABI_CODE_BASE, m, f);
    fclose(f);
    for (size_t i = 0; i < n; i++) free((void *)in[i].bytes);
    if (!ok) return log;
    if (*log) fail_msg("%s", log);
    free(log);
    return NULL;
}
#define LINK(m, ...) assert_null(link_sources((const char *const[3]){__VA_ARGS__}, m))

static uint32_t address_of(const struct elf_image *m, const char *name)
{
    uint32_t found = 0;
    for (size_t i = 0; i < m->nsymbols; i++) {
        if (strcmp(m->symbols[i].name, name)) continue;
        if (found) fail_msg("two symbols %s", name);
        found = m->symbols[i].value;
    }
    if (!found) fail_msg("no symbol %s", name);
    return found;
}

static void data_is(const struct elf_image *m, size_t n, const uint32_t *words)
{
    assert_int_equal(m->data_size, 4 * n);
    assert_memory_equal(m->data, words, 4 * n);
}
#define DATA(m, ...) data_is(m, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

static void rodata_is(const struct elf_image *m, size_t n, const uint32_t *words)
{
    assert_int_equal(m->rodata_size, 4 * n);
    assert_memory_equal(m->rodata, words, 4 * n);
}
#define RODATA(m, ...) rodata_is(m, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

/* ---- programs ---- */

/* Where sections lie follows from their flags, else from their names; those of one kind follow the first one. */
static void test_kinds(void **state)
{
    struct elf_image m;
    (void)state;
    program(".section .mine, \"a\"\n.word 1\n.section .text.more\nf: nop\n.section .data\n.word 2\n.srodata\n.word 3\n"
            ".section more, \"aw\", @progbits\n.word 4\n.rodata\n.word 5\n.text\nnop\nnop\n"
            ".section .hot, \"ax\"\ng: endprg\n.init_array\n.word g\n.section \"space\", \"aw\", \"nobits\"\n"
            ".zero 3\nh: .zero 5\n.section .sbss.x\ni: .zero 4",
            &m);
    RODATA(&m, 5, 1, 3);
    DATA(&m, 2, 4, address_of(&m, "g"), 0); /* .bss begins at a multiple of 16 */
    assert_int_equal(m.text_words, 4);
    assert_int_equal(address_of(&m, "f"), ABI_CODE_BASE + 8);
    assert_int_equal(address_of(&m, "g"), ABI_CODE_BASE + 12);
    assert_int_equal(m.bss_size, 12);
    assert_int_equal(address_of(&m, "h"), m.data_addr + m.data_size + 3);
    assert_int_equal(address_of(&m, "i"), m.data_addr + m.data_size + 8);
    elf_free(&m);
}

/* What is not loaded has labels and values like any other, and is no part of the program. */
static void test_not_loaded(void **state)
{
    struct elf_image m;
    (void)state;
    program(".section .debug_x, \"\", %progbits\nx: .word y - x, z\ny: .section .note.GNU-stack,\"\",@progbits\n"
            ".section .comment, \"MS\", @progbits, 1\n.asciz \"text\"\n.text\nz: nop",
            &m);
    assert_int_equal(m.text_words, 1);
    assert_int_equal(m.data_size + m.rodata_size + m.bss_size, 0);
    assert_int_equal(m.nsymbols, 1);
    elf_free(&m);
}

/* What arrays of functions are called does not matter. */
static void test_arrays(void **state)
{
    struct elf_image m;
    (void)state;
    program(".section a, \"aw\", @init_array\n.word 1\n.section b, \"aw\", @fini_array\n.word 2\n.section c, \"aw\", "
            "%preinit_array\n.word 3\n.section .fini_array.5\n.word 4",
            &m);
    DATA(&m, 1, 2, 3, 4);
    elf_free(&m);
}

static void test_moving(void **state)
{
    struct elf_image m;
    (void)state;
    program(
        ".data\n.word 1\n.pushsection .rodata\n.word 10\n.pushsection .tables, \"a\"\n.word 20\n.previous\n.word 11\n"
        ".popsection\n.word 12\n.popsection\n.word 2\n.previous\n.text\nnop\n.previous\n.previous\nnop",
        &m);
    DATA(&m, 1, 2);
    RODATA(&m, 10, 11, 12, 20);
    assert_int_equal(m.text_words, 2);
    elf_free(&m);
    program(".data\n.word 1\n.rodata\n.word 10\n.previous\n.word 2\n.previous\n.word 11", &m);
    DATA(&m, 1, 2);
    RODATA(&m, 10, 11);
    elf_free(&m);
}

/* A section lies as its largest alignment wants, wherever that stands. */
static void test_alignment(void **state)
{
    struct elf_image m;
    (void)state;
    program(".data\n.word 1\n.section .tohost, \"aw\"\na: .word 2\n.align 6\nb: .word 3\n.word __start_lines\n"
            ".section lines, \"aw\"\n.word 4\n.p2align 3, , 4\n.word 5\n.p2align 3, , 3\n.word 6\n",
            &m);
    assert_int_equal(address_of(&m, "a"), m.data_addr + 64);
    assert_int_equal(address_of(&m, "b"), m.data_addr + 128);
    assert_int_equal(((const uint32_t *)m.data)[33], m.data_addr + 136);
    assert_memory_equal(m.data + 136, ((uint32_t[]){4, 0, 5, 6}), 16);
    elf_free(&m);
}

static void test_commons(void **state)
{
    struct elf_image m;
    (void)state;
    program(".comm a, 3, 2\n.comm b, 64, 32\n.comm a, 5\n.lcomm c, 4\n.data\n.word a, b, c, BUFFER_SIZE", &m);
    assert_int_equal(address_of(&m, "a") % 4, 0);
    assert_int_equal(address_of(&m, "b") % 32, 0);
    assert_true(address_of(&m, "b") >= address_of(&m, "a") + 5);
    DATA(&m, address_of(&m, "a"), address_of(&m, "b"), address_of(&m, "c"), address_of(&m, "BUFFER_SIZE"));
    assert_true(m.bss_size >= 5 + 64 + 4 + 4);
    elf_free(&m);
}

/* What compilers write for other tools is read, and means nothing here. */
static void test_ignored(void **state)
{
    struct elf_image m;
    (void)state;
    program(".text\n.cfi_sections .debug_frame\nf:\n.cfi_startproc\nnop\n.cfi_def_cfa_offset 16\n.cfi_offset ra, -4\n"
            ".loc 1 2 3\nret\n.cfi_endproc\n.addrsig\n.addrsig_sym f\n.file \"x.c\"\n.ident \"a compiler\"",
            &m);
    assert_int_equal(m.text_words, 2);
    elf_free(&m);
}

static void test_mistakes(void **state)
{
    (void)state;
    refused(".section .a, \"aw\"\n.data\n.section .a, \"a\"", "section .a has other flags, or another type, above");
    refused(".section .a, \"aw\"\n.section .a, \"aw\", @nobits", "section .a has other flags");
    refused(".section .a, \"aq\"", "flag 'q' is not known");
    refused(".section .a, \"aw\", @some", "type expected");
    refused(".section .a, \"a\", @nobits", "must be writable");
    refused(".section .a, aw", "flags expected");
    refused(".section .a, \"aM\", @progbits", "expected");
    refused(".section .a, \"aw\", @progbits, 4", "unexpected text");
    refused(".section 7", "section name expected");
    refused(".section \"\"", "section name expected");
    refused(".section .data, \"ax\"", "other flags");
    refused(".popsection", ".popsection without .pushsection");
    refused(".rept 65\n.pushsection .data\n.endr", "more than 64 .pushsection");
    refused(".section .a, \"aw\"\nnop", "instructions belong into .text");
    refused(".section .a, \"aw\", @nobits\n.byte 1", "zeros only");
    refused(".section .a, \"aw\"\n.org 0x80000000", "have addresses");
    refused(".section .ventus.other\n.word 1", "a program has");
    refused(".comm a, 4\na: nop", "'a' is defined, too");
    refused("a: nop\n.comm a, 4", "'a' is defined already");
    refused(".comm a, 4, 3", "power of two");
    refused(".comm a, -1", "the size must be");
    refused(".comm a", "',' expected");
    refused(".section .a, \"aw\", @nobits\n.zero 67108864\n.section .b, \"aw\", @nobits\n.zero 67108864",
            "larger than");
    refused(".irp n, 1, 2, 3, 4, 5, 6, 7, 8\n.rept 600\n.section .s\\n\\@\n.endr\n.endr\n.altmacro",
            "unknown directive");
}

/* ---- objects ---- */

static bool find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
    size_t names;
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        assert_non_null(gelf_getshdr(s, header));
        if (!strcmp(elf_strptr(elf, names, header->sh_name), name)) return true;
    }
    return false;
}

static void test_headers(void **state)
{
    static const struct {
        const char *name;
        unsigned type, flags, size, align, entry_size;
    } expect[] = {
        {".tohost", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 68, 64, 0},
        {".text.hot", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4, 4, 0},
        {".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE, 4, 4, 0},
        {"space", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 40, 4, 0},
        {".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 2, 4, 1},
        {".rela.init_array", SHT_RELA, SHF_INFO_LINK, 12, 4, 12},
        {".rela.tohost", SHT_RELA, SHF_INFO_LINK, 12, 4, 12},
        {".srodata", SHT_PROGBITS, SHF_ALLOC, 4, 4, 0},
    };
    struct asm_input in;
    GElf_Shdr h;
    (void)state;
    object(".section .tohost, \"aw\"\n.word f\n.align 6\n.word 0\n.section .text.hot\nf: nop\n.init_array\n.word f\n"
           ".section space, \"aw\", @nobits\n.zero 40\n.section .comment, \"MS\", @progbits, 1\n.asciz \"x\"\n"
           ".srodata\n.word 1",
           &in);
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)in.bytes, in.size);
    assert_non_null(elf);
    for (size_t i = 0; i < sizeof expect / sizeof *expect; i++) {
        if (!find_section(elf, expect[i].name, &h)) fail_msg("no section %s", expect[i].name);
        assert_int_equal(h.sh_type, expect[i].type);
        assert_int_equal(h.sh_flags, expect[i].flags);
        assert_int_equal(h.sh_size, expect[i].size);
        assert_int_equal(h.sh_addralign, expect[i].align);
        assert_int_equal(h.sh_entsize, expect[i].entry_size);
    }
    elf_end(elf);
    free((void *)in.bytes);
}

/* Sections of one name follow each other, whatever objects they are of. */
static void test_linked(void **state)
{
    struct elf_image m;
    (void)state;
    LINK(&m,
         ".section b, \"aw\"\n.word 1\n.section a, \"aw\"\n.word 2, __start_a, __stop_a\n.data\n.word 3\n"
         ".section .init_array\n.word f\n.text\nf: endprg\n.rodata\n.word __init_array_start, __init_array_end\n",
         ".section a, \"aw\"\n.word 4\n.init_array\n.word g\n.section .sdata\n.word 5\n.section b, \"aw\"\n.word 6\n"
         ".section .text.g\ng: endprg\n.section .debug, \"\"\n.word g\n");
    uint32_t a = m.data_addr + 16, array = m.data_addr + 32;
    DATA(&m, 3, 5, 1, 6, 2, a, a + 16, 4, address_of(&m, "f"), address_of(&m, "g"));
    RODATA(&m, array, array + 8);
    elf_free(&m);
}

static void test_linked_commons(void **state)
{
    struct elf_image m;
    (void)state;
    LINK(&m, ".comm a, 4\n.comm b, 8, 64\n.comm c, 4\n.data\n.word a, b, c, BUFFER_ADDR",
         ".comm a, 12\n.data\n.word a\n.globl c\nc: .word 7\n.bss\n.zero 3");
    uint32_t bss = m.data_addr + (uint32_t)m.data_size, a = address_of(&m, "a"), b = address_of(&m, "b");
    assert_int_equal(bss % 64, 0);
    assert_int_equal(a, bss + 4);
    assert_int_equal(b, bss + 64);
    assert_memory_equal(m.data, ((uint32_t[]){a, b, m.data_addr + 20, bss + 16, a, 7}), 24);
    assert_int_equal(m.bss_size, 72); /* none for c */
    elf_free(&m);
    LINK(&m, ".local a\n.comm a, 4\n.data\n.word a", ".lcomm a, 4\n.data\n.word a");
    assert_true(((const uint32_t *)m.data)[0] != ((const uint32_t *)m.data)[1]);
    elf_free(&m);
}

static void not_linked(const char *expect, const char *a, const char *b)
{
    struct elf_image m;
    char *log = link_sources((const char *const[3]){a, b}, &m);
    if (!log) fail_msg("linked: %s", a);
    if (!strstr(log, expect)) fail_msg("gave: %s\nnot: %s", log, expect);
    free(log);
}

static void test_not_linked(void **state)
{
    (void)state;
    not_linked("undefined symbol '__start_nothing'", ".data\n.word __start_nothing", NULL);
    not_linked("undefined symbol 'x'", ".globl x\n.section .debug, \"\"\nx: .word 1", ".data\n.word x");
    not_linked("larger than", ".bss\n.zero 40000000", ".section more, \"aw\", @nobits\n.zero 40000000");
    not_linked("larger than", ".comm a, 40000000", ".comm b, 40000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_not_loaded), cmocka_unit_test(test_moving),
        cmocka_unit_test(test_alignment),      cmocka_unit_test(test_commons),    cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_mistakes),       cmocka_unit_test(test_headers),    cmocka_unit_test(test_linked),
        cmocka_unit_test(test_linked_commons), cmocka_unit_test(test_arrays),     cmocka_unit_test(test_not_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
