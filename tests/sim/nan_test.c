/* The columns that say how rows treat NaNs, which translated code relies on: VALUES, it makes no difference which NaN a
 * source is; CANON, a NaN that the row gives is the canonical one. Every row is evaluated with all kinds of words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sim/eval.h"

enum { CANONICAL = 0x7fc00000 };

static const uint32_t nans[] = {CANONICAL, 0x7fc00001, 0xffc00000, 0xffffffff, 0x7fffffff};
static const uint32_t words[] = {CANONICAL,  0,          0x80000000, 0x3f800000, 0xbf800000, 0x00000001,
                                 0x7f7fffff, 0x7f800000, 0xff800000, 0x4f000000, 0x00800000};
enum { NANS = sizeof nans / sizeof *nans, WORDS = sizeof words / sizeof *words };

static bool is_nan(uint32_t w) { return (w & 0x7fffffff) > 0x7f800000; }

/* Rows whose expression is one of lanes or of scalar registers. */
static bool is_plain(const struct isa_desc *row)
{
    switch (row->kind) {
    case KIND_X:
    case KIND_V:
    case KIND_VV:
    case KIND_VX: return !(row->flags & ISA_PAIR);
    default: return false;
    }
}

static uint32_t evaluate(enum isa_op op, uint32_t a, uint32_t b, uint32_t c)
{
    bool vector = isa_table[op].kind != KIND_X;
    struct operands o = {.vs2 = a, .vs1 = b, .vd = c, .rs1 = vector ? b : a, .rs2 = b, .rs3 = c, .format = FP_F32};
    return (uint32_t)eval32(op, &o);
}

/* The sources that are NaNs become another one. */
static uint32_t other(uint32_t w, uint32_t nan) { return is_nan(w) ? nan : w; }

static void check(enum isa_op op, uint32_t a, uint32_t b, uint32_t c)
{
    const struct isa_desc *row = &isa_table[op];
    uint32_t result = evaluate(op, a, b, c);
    for (int i = 0; i < NANS; i++) {
        uint32_t n = nans[i], same = evaluate(op, other(a, n), other(b, n), other(c, n));
        if (row->flags & ISA_VALUES && same != result) fail_msg("%s tells NaNs apart", row->name);
        if (row->flags & ISA_CANON && is_nan(same) && same != CANONICAL)
            fail_msg("%s gives a NaN as it comes", row->name);
    }
}

/* Is the canonical NaN all that NaNs lead to? Such a row should have the flag. */
static bool gives_canonical_only(enum isa_op op)
{
    for (int i = 0; i < NANS; i++)
        if (evaluate(op, nans[i], nans[i], nans[i]) != CANONICAL) return false;
    return true;
}

static void test_flags(void **state)
{
    unsigned values = 0, canon = 0;
    (void)state;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const struct isa_desc *row = &isa_table[op];
        if (!is_plain(row) || !(row->flags & (ISA_FP | ISA_ROUND))) continue;
        values += (row->flags & ISA_VALUES) != 0;
        canon += (row->flags & ISA_CANON) != 0;
        for (int i = 0; i < WORDS * WORDS * WORDS; i++)
            check((enum isa_op)op, words[i % WORDS], words[i / WORDS % WORDS], words[i / WORDS / WORDS]);
        if (gives_canonical_only((enum isa_op)op) && !(row->flags & ISA_CANON)) fail_msg("%s lacks CANON", row->name);
    }
    assert_true(values > 50 && canon > 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
