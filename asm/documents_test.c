/* The listings of the documents, as programs and as objects: word for word what their text says.
 *
 * The words of standard instructions are those that LLVM's assembler makes of the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "asm/link.h"
#include "isa/abi.h"

#define METADATA \
    ".set KNL_ENTRY, 0\n.set KNL_ARG_BASE, 4\n.set KNL_WORK_DIM, 8\n.set KNL_GL_SIZE_X, 12\n.set KNL_GL_SIZE_Y, 16\n" \
    ".set KNL_GL_SIZE_Z, 20\n.set KNL_LC_SIZE_X, 24\n.set KNL_LC_SIZE_Y, 28\n.set KNL_LC_SIZE_Z, 32\n" \
    ".set KNL_GL_OFFSET_X, 36\n.set KNL_GL_OFFSET_Y, 40\n.set KNL_GL_OFFSET_Z, 44\n.set KNL_PRINT_ADDR, 48\n" \
    ".set KNL_PRINT_SIZE, 52\n"

/* Start code of revisions 2.0 and 2.1. */
static const char start_r2[] = METADATA "start:\n"
                                        "    csrr sp, CSR_LDS\n"
                                        "    addi tp, x0, 0\n"
                                        "    csrr t0, CSR_KNL\n"
                                        "    lw t1, KNL_ENTRY(t0)\n"
                                        "    lw a0, KNL_ARG_BASE(t0)\n"
                                        "    jalr t1\n"
                                        "end:\n"
                                        "    endprg\n";
static const uint32_t words_r2[] = {0x80602173, 0x00000213, 0x803022f3, 0x0002a303, 0x0042a503, 0x000300e7, 0x0000400b};

/* Start code of revision 2025. */
static const char start_r2025[] = METADATA "_start:\n"
                                           "    .option push\n"
                                           "    .option norelax\n"
                                           "    la gp, __global_pointer$\n"
                                           "    .option pop\n"
                                           "    li t4,32\n"
                                           "    vsetvli t4,t4,e32,m1,ta,ma\n"
                                           "    li t4,0x2000\n"
                                           "    csrrs t4, mstatus, t4\n"
                                           "    li t4, 0\n"
                                           "    csrr t1, CSR_WID\n"
                                           "    csrr t2, CSR_LDS\n"
                                           "    li t3, 1024\n"
                                           "    mul t1, t1, t3\n"
                                           "    add sp, t1, t2\n"
                                           "    li tp, 0\n"
                                           "    csrr t5, CSR_NUMW\n"
                                           "    li t3, 1024\n"
                                           "    mul t5, t5, t3\n"
                                           "    add s0, t2, t5\n"
                                           "    la    a0, _edata\n"
                                           "    la    a2, _end\n"
                                           "    beq   a0, a2, 2f\n"
                                           "1:\n"
                                           "    sw    zero, (a0)\n"
                                           "    addi  a0, a0, 4\n"
                                           "    bltu  a0, a2, 1b\n"
                                           "2:\n"
                                           "    csrr t0, CSR_KNL\n"
                                           "    lw t1, KNL_ENTRY(t0)\n"
                                           "    lw a0, KNL_ARG_BASE(t0)\n"
                                           "    lw t2, KNL_PRINT_ADDR(t0)\n"
                                           "    lw t3, KNL_PRINT_SIZE(t0)\n"
                                           "    la t4, BUFFER_ADDR\n"
                                           "    la t5, BUFFER_SIZE\n"
                                           "    sw t2, 0(t4)\n"
                                           "    sw t3, 0(t5)\n"
                                           "    la t6, spike_end\n"
                                           "    csrw mtvec, t6\n"
                                           "    jalr t1\n"
                                           "    endprg x0, x0, x0\n"
                                           "    j spike_end\n"
                                           "    .size _start, .-_start\n"
                                           ".section \".tohost\",\"aw\",@progbits\n"
                                           ".align 6\n"
                                           ".globl tohost\n"
                                           "tohost: .dword 0\n"
                                           ".align 6\n"
                                           ".globl fromhost\n"
                                           "fromhost: .dword 0\n"
                                           ".text\n"
                                           ".global spike_end\n"
                                           ".type spike_end,function\n"
                                           "spike_end:\n"
                                           "    li t1,1\n"
                                           "    la t0,tohost\n"
                                           "    sw t1,0(t0)\n"
                                           "end:\n"
                                           "    endprg\n";

/* In a program text is at 0x80000000; tohost, 0x80001000, is all its data, and BUFFER_ADDR and BUFFER_SIZE, 0x80001050
 * and 0x80001054, its .bss. */
static const uint32_t words_r2025[] = {
    0x00002197, 0x80018193, 0x02000e93, 0x0d0efed7, 0x00002eb7, 0x300eaef3, 0x00000e93, 0x80502373,
    0x806023f3, 0x40000e13, 0x03c30333, 0x00730133, 0x00000213, 0x80102f73, 0x40000e13, 0x03cf0f33,
    0x01e38433, 0x00001517, 0x00c50513, 0x00001617, 0x00c60613, 0x00c50863, 0x00052023, 0x00450513,
    0xfec56ce3, 0x803022f3, 0x0002a303, 0x0042a503, 0x0302a383, 0x0342ae03, 0x00001e97, 0xfd8e8e93,
    0x00001f17, 0xfd4f0f13, 0x007ea023, 0x01cf2023, 0x00000f97, 0x018f8f93, 0x305f9073, 0x000300e7,
    0x0000400b, 0x0040006f, 0x00100313, 0x00001297, 0xf5428293, 0x0062a023, 0x0000400b};
enum { TOHOST = ABI_CODE_BASE + 0x1000, BUFFER_ADDR = TOHOST + 0x50 };

static void same_words(const struct elf_image *m, const uint32_t *expect, size_t n)
{
    assert_int_equal(m->text_words, n);
    for (size_t i = 0; i < n; i++)
        if (m->text[i] != expect[i]) fail_msg("word %zu is %08x, not %08x", i, m->text[i], expect[i]);
}

static uint32_t address_of(const struct elf_image *m, const char *name)
{
    for (size_t i = 0; i < m->nsymbols; i++)
        if (!strcmp(m->symbols[i].name, name)) return m->symbols[i].value;
    fail_msg("no symbol %s", name);
    return 0;
}

static void assemble(enum isa_profile profile, const char *source, struct elf_image *m)
{
    const struct asm_options options = {.profile = profile};
    assert_true(asm_assemble_with(&options, "t.s", source, strlen(source), ABI_CODE_BASE, m, stderr));
}

static void test_start_of_r2(void **state)
{
    static const enum isa_profile profiles[] = {PROFILE_R20, PROFILE_R21, PROFILE_R2025, PROFILE_DEFAULT};
    struct elf_image m;
    (void)state;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        assemble(profiles[i], start_r2, &m);
        same_words(&m, words_r2, sizeof words_r2 / 4);
        elf_free(&m);
    }
}

static void check_start_of_r2025(const struct elf_image *m)
{
    same_words(m, words_r2025, sizeof words_r2025 / 4);
    assert_int_equal(m->entry, ABI_CODE_BASE);
    assert_int_equal(m->data_addr, TOHOST);
    assert_int_equal(m->data_size, 0x50); /* two words of 64 bits on lines of 64 bytes; .bss begins at the next 16 */
    assert_int_equal(m->bss_size, 8);
    assert_int_equal(address_of(m, "fromhost"), TOHOST + 64);
}

static void test_start_of_r2025(void **state)
{
    struct elf_image m;
    (void)state;
    assemble(PROFILE_R2025, start_r2025, &m);
    check_start_of_r2025(&m);
    assert_int_equal(address_of(&m, "BUFFER_ADDR"), BUFFER_ADDR);
    elf_free(&m);
}

/* An object of it, linked, is the same program. */
static void test_start_of_r2025_linked(void **state)
{
    const struct asm_options options = {.profile = PROFILE_R2025};
    const struct asm_link_options how = {0};
    struct asm_input input = {.name = "t.o"};
    struct elf_image m;
    void *bytes;
    (void)state;
    assert_true(asm_assemble_object(&options, "t.s", start_r2025, strlen(start_r2025), &bytes, &input.size, stderr));
    input.bytes = bytes;
    assert_true(asm_link(&how, &input, 1, ABI_CODE_BASE, &m, stderr));
    check_start_of_r2025(&m);
    elf_free(&m);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_start_of_r2), cmocka_unit_test(test_start_of_r2025),
                                       cmocka_unit_test(test_start_of_r2025_linked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
