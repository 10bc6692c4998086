/* Inline assembly: operands in their places, and templates that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/template.h"
#include "isa/abi.h"

static const struct asm_operand operands[] = {{ASM_OPERAND_V, 40},      {ASM_OPERAND_V, 2},     {ASM_OPERAND_X, 10},
                                              {ASM_OPERAND_NUMBER, -3}, {ASM_OPERAND_X, 64},    {ASM_OPERAND_AT_X, 9},
                                              {ASM_OPERAND_AT_V, 33},   {ASM_OPERAND_NUMBER, 0}};
enum { OPERANDS = sizeof operands / sizeof *operands };

/* The template, with these operands, is this source. */
static void gives(const char *template, const char *source)
{
    struct elf_image m;
    uint32_t *words;
    size_t n;
    if (!asm_template(NULL, template, operands, OPERANDS, &words, &n, stderr)) fail_msg("%s", template);
    assert_true(asm_assemble("t.s", source, strlen(source), ABI_CODE_BASE, &m, stderr));
    assert_int_equal(n, m.text_words);
    assert_memory_equal(words, m.text, 4 * n);
    free(words);
    elf_free(&m);
}

static void refused(const char *template, const char *expect)
{
    char *log;
    size_t size, n;
    uint32_t *words;
    FILE *f = open_memstream(&log, &size);
    assert_false(asm_template(NULL, template, operands, OPERANDS, &words, &n, f));
    fclose(f);
    if (!strstr(log, expect)) fail_msg("%s gave %s", template, log);
    free(log);
}

static void test_templates(void **state)
{
    (void)state;
    gives("vadd.vv $0, $1, $1", "vadd.vv v40, v2, v2");
    gives("addi %2, ${2}, $3", "addi a0, a0, -3");
    gives("lui $2, %hi(0x12345)\naddi %2, %2, %%lo(0x12345)", "lui a0, %hi(0x12345)\naddi a0, a0, %lo(0x12345)");
    gives("1: bnez $2, 1b; la $2, 2f\n2: vsw12.v $0, 4($1)", "1: bnez a0, 1b; la a0, 2f\n2: vsw12.v v40, 4(v2)");
    gives("lw $2, $5; vlw12.v $0, ${6}", "lw a0, 0(x9)\nvlw12.v v40, 0(v33)");
    gives("add${3:i} $2, ${7:z}, $3; add${2:i} $2, ${2:z}, $2", "addi a0, zero, -3\nadd a0, a0, a0");
    gives("l${:uid}: bnez $2, l${:uid}", "l: bnez a0, l");
    gives("", "");
}

static void test_refused(void **state)
{
    (void)state;
    refused("mv $2, $8", "operand that is not there");
    refused("mv $2, ${2:y}", "operand that is not there");
    refused("mv $2, ${2", "operand that is not there");
    refused("mv $2, $4", "no register of the machine");
    refused("mv $2, $0", "must be a scalar register");
    refused("x: .word x", "depend on their place");
    refused(".rodata\n.word 1", "only instructions");
    refused(".kernel k\nk: nop", "only instructions");
    refused("bogus", "unknown instruction");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_templates), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
