/* Program binaries: what is written is read back, and nothing damaged is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "objects.h"

static unsigned char *make(size_t *size)
{
    // clang-format off
    struct binary b = {.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE, .options = "-w -DX=1", .options_size = 8,
                       .payload = (const unsigned char *)"payload", .payload_size = 7};
    // clang-format on
    unsigned char *data = binary_make(&b, size);
    assert_non_null(data);
    return data;
}

static void test_round_trip(void **state)
{
    (void)state;
    size_t size;
    unsigned char *data = make(&size);
    struct binary b;
    assert_true(binary_read(data, size, &b));
    assert_int_equal(b.type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_int_equal(b.options_size, 8);
    assert_memory_equal(b.options, "-w -DX=1", 8);
    assert_int_equal(b.payload_size, 7);
    assert_memory_equal(b.payload, "payload", 7);
    free(data);
}

/* Copies of exactly the size, so that the sanitizer sees any read behind the end. */
static void test_every_length(void **state)
{
    (void)state;
    size_t size;
    unsigned char *data = make(&size);
    struct binary b;
    for (size_t n = 0; n < size; n++) {
        unsigned char *cut = malloc(n ? n : 1);
        assert_non_null(cut);
        memcpy(cut, data, n);
        assert_false(binary_read(cut, n, &b));
        free(cut);
    }
    free(data);
}

static void test_every_bit(void **state)
{
    (void)state;
    size_t size;
    unsigned char *data = make(&size);
    struct binary b;
    for (size_t bit = 0; bit < size * 8; bit++) {
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_false(binary_read(data, size, &b));
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_true(binary_read(data, size, &b));
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
