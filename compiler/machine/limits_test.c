/* How many registers kernels may use, and what the command line says of a machine. */
#include "compiler/codegen/hand.h"
#include "compiler/core/registers.h"

static void prepare(void) { begin(1); }

/* Of a kernel that requires groups of this size. */
static struct kernel requires(uint32_t x, uint32_t y, uint32_t z) { return (struct kernel){.reqd = {x, y, z}}; }

static void expect(const struct kernel *k, uint32_t scalars, uint32_t vectors)
{
    assert_int_equal(k->limit_s, scalars);
    assert_int_equal(k->limit_v, vectors);
}

static void limits(void **state)
{
    (void)state;
    struct kernel kernels[] = {requires(0, 0, 0),  requires(256, 1, 1), requires(8, 4, 4),  requires(33, 5, 1),
                               requires(32, 1, 1), requires(1, 1, 1),   requires(512, 1, 1)};
    struct kernel routine = {.is_routine = true};
    cc.kernels = kernels;
    cc.nkernels = sizeof kernels / sizeof *kernels;
    cc.routines = &routine;
    cc.nroutines = 1;
    limits_run(&cc); /* nothing is known of the machine */
    for (uint32_t i = 0; i < cc.nkernels; i++) expect(&kernels[i], ISA_XREGS, ISA_VREGS);
    expect(&routine, ISA_XREGS, ISA_VREGS);
    assert_true(limits_parse("256,1024,32,256", &cc.pools));
    limits_run(&cc);
    expect(&kernels[0], 32, 128);
    expect(&kernels[1], 32, 128);
    expect(&kernels[2], 64, 256); /* four warps */
    expect(&kernels[3], 40, 168); /* six, of which each has whole fours */
    expect(&kernels[4], 64, 256);
    expect(&kernels[5], 64, 256);
    expect(&kernels[6], 32, 128); /* no machine has such groups */
    expect(&routine, 32, 128);
    cc.kernels += 2;
    cc.nkernels = 2;
    limits_run(&cc);
    expect(&routine, 40, 168);
    assert_true(limits_parse("64,128,32,1024", &cc.pools));
    limits_run(&cc);
    expect(&kernels[2], 32, 32); /* as many as a word names by itself */
}

static void texts(void **state)
{
    (void)state;
    struct pools p;
    static const char *const wrong[] = {"",           "1",         "1,2,3",   "1,2,3,4,", "1,2,3,4,5", "0,1,1,1",
                                        "1,0,1,1",    "1,1,0,1",   "1,1,1,0", "-1,1,1,1", " 1,1,1,1",  "1,2,3,4x",
                                        "1, 2, 3, 4", "0x1,2,3,4", "1,,3,4",  "1;2;3;4",  "+1,2,3,4",  "9999999,1,1,1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(limits_parse(wrong[i], &p));
    assert_true(limits_parse("1,2,3,1048576", &p));
    assert_true(p.scalars == 1 && p.vectors == 2 && p.lanes == 3 && p.group == 1048576);
}

/* Arguments of routines are in registers that all machines have enough of, and that no function which other objects see
 * keeps for its callers (docs/abi.md): such a function may call routines. */
static void passed(void **state)
{
    (void)state;
    const struct isa_registers saved = convention_saved();
    assert_int_equal(saved.x >> REG_LINK & 1, 0);
    for (unsigned n = REG_PASSED; n < REG_PASSED + PASSED_SCALARS; n++) {
        assert_in_range(n, 1, 31);
        assert_int_equal(saved.x >> n & 1, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(limits), TEST(texts), TEST(passed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
