/* When results of the FPU are written, and which instructions it takes meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "timing/model.h"

static struct model model;
static struct core core;

/* p, s, f, c: product, sum, fused, comparison into a scalar register; capital letters: into a vector register. */
static struct op op_of(char letter)
{
    static const struct {
        char letter;
        uint8_t class;
    } rows[] = {{'p', C_PRODUCT}, {'s', C_PLAIN}, {'f', C_FUSED}, {'c', C_OTHER_FLOAT}};
    bool vector = letter < 'a';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].letter == (letter | 0x20))
            return (struct op){.unit = U_FPU, .class = rows[i].class, .destination = vector ? 257 : 1, .word = letter};
    fail_msg("%c is no instruction", letter);
    return (struct op){0};
}

static void open_fpu(const char *configuration)
{
    char why[200];
    assert_true(timing_config_read(&model.config, configuration, why, sizeof why));
    core.model = &model;
    flights_reset(&core);
    fpu_open(&core);
}

/* Instructions that are offered, one a cycle (-: none), and the cycles in which units before the FPU write a scalar
 * (x), a vector register (v), both (b). Gives what the FPU writes in each cycle, and says of an instruction that it
 * does not take that it is the next one, too. */
static const char *written(const char *configuration, const char *offered, const char *busy)
{
    static char result[64];
    static struct op ops[64];
    unsigned n = 0;
    open_fpu(configuration);
    for (unsigned end = 0; end < 12; end++, n++) { /* so many cycles after the last event */
        char port = *busy ? *busy++ : '-';
        bool is_free[2] = {port != 'x' && port != 'b', port != 'v' && port != 'b'};
        const struct flight *f = fpu_result(&core);
        model.now = n;
        result[n] = f && is_free[f->op->destination >= 256] ? (char)f->op->word : '-';
        fpu_cycle(&core, is_free);
        if (!*offered) continue;
        end = 0;
        ops[n] = op_of(*offered == '-' ? 's' : *offered);
        if (*offered != '-' && !fpu_ready(&core, &ops[n])) continue;
        if (*offered++ != '-') fpu_take(&core, flight_new(&core, &ops[n], 0), 1);
    }
    while (n && result[n - 1] == '-') n--;
    result[n] = '\0';
    assert_int_equal(core.on_way[0], 0);
    return result;
}

struct row {
    const char *offered, *busy, *written, *without; /* what is written, and without the fault; NULL: the same */
};

static void check(const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &row[i];
        assert_string_equal(written("verilog", r->offered, r->busy), r->written);
        assert_string_equal(written("ideal", r->offered, r->busy), r->without ? r->without : r->written);
    }
}

static int setup(void **state)
{
    *state = NULL;
    return flights_open(&core) ? 0 : 1;
}

static int teardown(void **state)
{
    flights_close(&core);
    (void)state;
    return 0;
}

/* What all configurations with these stages do. */
static const struct row all[] = {
    {"p", "", "---p"},
    {"s", "", "---s"},
    {"f", "", "-----f"},
    {"c", "", "--c"},
    {"pPpP", "", "---pPpP"},
    {"sSfF", "", "---sS--fF"},
    {"--f-s", "", "-------fs"}, /* the product that something is added to is first at the adder */
    {"f-p", "", "-----pf"},     /* a product leaves before a sum */
    {"f-pp", "", "-----ppf"},
    {"pc", "", "---pc"}, /* a sum or product before a comparison */
    {"sc", "", "---sc"},
    {"cccc", "", "--cccc"},
    {"pppp", "---xx", "-----pppp"},
    {"PPPP", "---vv", "-----PPPP"},
    {"PPPP", "---xx", "---PPPP"},
    {"cc", "--xx", "----cc"},
    {"cC", "--xx", "----cC"},
    {"s", "---xx", "-----s"},
    {"ccp", "--xx", "----cc-p"},        /* comparisons that have the way out and are full take nothing else */
    {"ssscp", "---xxx", "------ssscp"}, /* an addition that waits lets no comparison in */
};

static void test_order(void **state)
{
    check(all, sizeof all / sizeof *all);
    (void)state;
}

/* In the Verilog RTL a sum that finds its register empty and cannot leave at once is written twice. The port it looks
 * at is, as long as there is no result, that of the last sum. */
static void test_twice(void **state)
{
    static const struct row twice[] = {
        {"s", "--x", "---ss", "---s"},
        {"S", "--x", "---SS", "---S"},
        {"S", "--v", "---S"},
        {"S---S", "------v", "---S---SS", "---S---S"},
        {"S---s", "------x", "---S---s"},
        {"f", "----x", "-----ff", "-----f"},
        {"ss", "--x", "---sss", "---ss"},
        {"s", "--xx", "----ss", "----s"},
        {"s-p", "----x", "---s-p"},
        {"fsppssp", "", "----sppfssp",
         "----sppfsps"}, /* a product that comes next keeps a sum that is written in its register */
    };
    check(twice, sizeof twice / sizeof *twice);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_order, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_twice, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
