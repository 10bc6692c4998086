/* The driver by itself: allocator, copies, the note's parser on good and damaged input, printf records,
 * and kernels assembled here from the buffer to the message of a fault. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/assemble.h"
#include "driver/driver.h"
#include "tests/rng.h"

static ventus_device *open_device(void)
{
    ventus_device *d = NULL;
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    return d;
}

/* ---- memory ---- */

static void test_alloc(void **state)
{
    ventus_device *d = open_device();
    uint32_t a, b, c, again;
    (void)state;
    assert_int_equal(ventus_alloc(d, 0, &a), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_alloc(d, UINT64_MAX, &a), VENTUS_NO_DEVICE_MEMORY);
    assert_int_equal(ventus_alloc(d, ventus_memory_size(d) + 1, &a), VENTUS_NO_DEVICE_MEMORY);
    assert_int_equal(ventus_alloc(d, ventus_memory_size(d), &a), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 1, &b), VENTUS_NO_DEVICE_MEMORY);
    assert_int_equal(ventus_free(d, a), VENTUS_OK);
    assert_int_equal(ventus_free(d, a), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_alloc(d, 5000, &a), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 1, &b), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 4096, &c), VENTUS_OK);
    assert_int_equal(a % 4096 | b % 4096 | c % 4096, 0);
    assert_true(b >= a + 8192 && c > b);
    /* Freed neighbours join: the two first make room for what neither holds. */
    assert_int_equal(ventus_free(d, a), VENTUS_OK);
    assert_int_equal(ventus_free(d, b), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 16384, &again), VENTUS_OK);
    assert_int_equal(again, a);
    ventus_close(d);
}

/* The largest hole, whichever comes first, when nothing larger is left behind the last block. */
static void test_largest(void **state)
{
    enum { PAGE = 4096 };
    ventus_device *d = open_device();
    struct ventus_memory m;
    uint32_t holes[2], between, rest;
    (void)state;
    for (int first = 2; first <= 3; first++) {
        assert_int_equal(ventus_alloc(d, (uint64_t)first * PAGE, &holes[0]), VENTUS_OK);
        assert_int_equal(ventus_alloc(d, PAGE, &between), VENTUS_OK);
        assert_int_equal(ventus_alloc(d, (uint64_t)(5 - first) * PAGE, &holes[1]), VENTUS_OK);
        ventus_memory(d, &m);
        assert_int_equal(ventus_alloc(d, m.largest, &rest), VENTUS_OK);
        for (int i = 0; i < 2; i++) assert_int_equal(ventus_free(d, holes[i]), VENTUS_OK);
        ventus_memory(d, &m);
        assert_int_equal(m.largest, 3 * PAGE);
        assert_int_equal(ventus_free(d, rest), VENTUS_OK);
        assert_int_equal(ventus_free(d, between), VENTUS_OK);
    }
    ventus_close(d);
}

static void test_copies(void **state)
{
    ventus_device *d = open_device();
    uint8_t in[300], out[300];
    uint32_t a, b;
    (void)state;
    for (unsigned i = 0; i < sizeof in; i++) in[i] = (uint8_t)rng();
    assert_int_equal(ventus_alloc(d, 300, &a), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 300, &b), VENTUS_OK);
    assert_int_equal(ventus_write(d, a, in, 300), VENTUS_OK);
    assert_int_equal(ventus_copy(d, b, a, 300), VENTUS_OK);
    assert_int_equal(ventus_read(d, out, b, 300), VENTUS_OK);
    assert_memory_equal(in, out, 300);
    assert_int_equal(ventus_copy(d, b + 10, b, 200), VENTUS_OK); /* overlapping */
    assert_int_equal(ventus_read(d, out, b + 10, 200), VENTUS_OK);
    assert_memory_equal(in, out, 200);
    assert_int_equal(ventus_fill(d, a + 1, "abc", 3, 9), VENTUS_OK);
    assert_int_equal(ventus_fill(d, a, "abc", 3, 10), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_read(d, out, a, 11), VENTUS_OK);
    assert_memory_equal(out + 1, "abcabcabc", 9);
    assert_int_equal(out[0], in[0]);
    assert_int_equal(out[10], in[10]);
    /* Outside: by one byte, between allocations, in code and local memory, around the top. */
    assert_int_equal(ventus_write(d, a, in, 301), VENTUS_OUT_OF_RANGE);
    assert_int_equal(ventus_read(d, out, a + 300, 1), VENTUS_OUT_OF_RANGE);
    assert_int_equal(ventus_read(d, out, a - 1, 2), VENTUS_OUT_OF_RANGE);
    assert_int_equal(ventus_read(d, out, ABI_CODE_BASE, 4), VENTUS_OUT_OF_RANGE);
    assert_int_equal(ventus_read(d, out, ABI_LOCAL_BASE, 4), VENTUS_OUT_OF_RANGE);
    assert_int_equal(ventus_write(d, 0xffffffff, in, 300), VENTUS_OUT_OF_RANGE);
    assert_int_equal(ventus_write(d, a, in, UINT64_MAX), VENTUS_OUT_OF_RANGE);
    assert_int_equal(ventus_copy(d, a, b, UINT64_MAX - 1), VENTUS_OUT_OF_RANGE);
    assert_null(ventus_map(d, a, 301));
    assert_non_null(ventus_map(d, a, 300));
    /* Freed memory reads as zero when it comes back. */
    assert_int_equal(ventus_free(d, a), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 300, &b), VENTUS_OK);
    assert_int_equal(b, a);
    assert_int_equal(ventus_read(d, out, b, 300), VENTUS_OK);
    for (unsigned i = 0; i < 300; i++) assert_int_equal(out[i], 0);
    ventus_close(d);
}

/* Random allocations keep to themselves: each holds its own pattern until it is freed. */
static void test_random_allocations(void **state)
{
    enum { SLOTS = 64 };
    ventus_device *d = open_device();
    uint32_t addr[SLOTS] = {0}, size[SLOTS];
    (void)state;
    for (int i = 0; i < 3000; i++) {
        unsigned k = rng() % SLOTS;
        if (addr[k]) {
            const uint8_t *p = ventus_map(d, addr[k], size[k]);
            assert_non_null(p);
            for (uint32_t n = 0; n < size[k]; n += 97) assert_int_equal(p[n], k);
            assert_int_equal(ventus_free(d, addr[k]), VENTUS_OK);
            addr[k] = 0;
        } else {
            size[k] = 1 + rng() % 40000;
            assert_int_equal(ventus_alloc(d, size[k], &addr[k]), VENTUS_OK);
            memset(ventus_map(d, addr[k], size[k]), (int)k, size[k]);
        }
    }
    ventus_close(d);
}

/* ---- modules ---- */

static const char good_note[] =
    "ventus-module 1\n"
    "kernel name=add entry=0x80000000 vgpr=16 sgpr=32 lds=0 pds=0 args=12 reqd=0,0,0 hint=8,1,1 vechint=float4 "
    "new=thing\n"
    "arg kind=global size=4 offset=0 align=4 name=out type=float* access=none address=global qual=restrict%20const\n"
    "arg kind=local size=4 offset=4 align=16 name=tmp type=int* access=none address=local qual=\n"
    "arg kind=value size=4 offset=8 name=n type=int\n"
    "future record=1\n"
    "line pc=0x80000000 line=7\nline pc=0x80000008 line=9\n"
    "kernel name=two entry=0x80000008 vgpr=4 sgpr=12 lds=256 pds=64 args=0\n"
    "format id=3 text=x%3D%25d%0A\nstring id=9 text=hello%20world\n";

static const uint32_t endprg[4] = {0x0000400b, 0x0000400b, 0x0000400b, 0x0000400b};

enum { WHY = 300 }; /* bytes of a message */

static void *make_elf(const char *note, const uint32_t *text, size_t words, size_t *size)
{
    struct elf_image image = {
        .entry = ABI_CODE_BASE, .text_addr = ABI_CODE_BASE, .text = text, .text_words = words, .note = note};
    void *bytes = NULL;
    const char *why = "";
    if (!elf_write(&image, &bytes, size, &why)) fail_msg("%s", why);
    return bytes;
}

static enum ventus_status load_note(const char *note, ventus_module **m, char why[WHY])
{
    size_t size;
    void *elf = make_elf(note, endprg, 4, &size);
    enum ventus_status status = ventus_module_load(elf, size, m, why, WHY);
    free(elf);
    return status;
}

static void test_note(void **state)
{
    ventus_module *m = NULL;
    char why[WHY] = "";
    (void)state;
    if (load_note(good_note, &m, why) != VENTUS_OK) fail_msg("%s", why);
    assert_int_equal(ventus_module_kernels(m), 2);
    const struct ventus_kernel *k = ventus_module_find(m, "add");
    assert_non_null(k);
    assert_int_equal(k->entry, 0x80000000);
    assert_int_equal(k->vgprs, 16);
    assert_int_equal(k->nargs, 3);
    assert_int_equal(k->hint[0], 8);
    assert_string_equal(k->vec_hint, "float4");
    assert_int_equal(k->args[0].kind, VENTUS_ARG_GLOBAL);
    assert_string_equal(k->args[0].qualifiers, "restrict const");
    assert_int_equal(k->args[1].align, 16);
    assert_string_equal(k->args[2].name, "n");
    assert_string_equal(ventus_module_kernel(m, 1)->name, "two");
    assert_int_equal(ventus_module_kernel(m, 1)->pds_bytes, 64);
    assert_null(ventus_module_kernel(m, 2));
    assert_null(ventus_module_find(m, "three"));
    assert_int_equal(ventus_module_line(m, 0x7fffffff), 0);
    assert_int_equal(ventus_module_line(m, 0x80000004), 7);
    assert_int_equal(ventus_module_line(m, 0x80000100), 9);
    assert_string_equal(m->note.formats[0].text, "x=%d\n");
    assert_string_equal(m->note.strings[0].text, "hello world");
    ventus_module_free(m);
}

static void test_bad_notes(void **state)
{
    // clang-format off
    static const char *const bad[] = {
        "", "ventus-module 2\n", "kernel name=a\n",
        "ventus-module 1\nkernel\n",
        "ventus-module 1\nkernel name=a\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=257 sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=-1 sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1x sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=99999999999999999999999 sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000002 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a entry=0x90000000 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=0 reqd=1,2\n",
        "ventus-module 1\nkernel name=a%zz entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a%00 entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name= entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=auto sgpr=1 lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=auto lds=0 pds=0 args=0\n",
        "ventus-module 1\nkernel garbage\n",
        "ventus-module 1\narg kind=value size=4 offset=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=4\narg kind=value size=4 offset=4\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=8\narg kind=global size=8 offset=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=4\narg kind=what size=4 offset=0\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=4\narg kind=local size=4 offset=0 align=3\n",
        "ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=4\narg kind=local size=4 offset=0 align=0\n",
        ("ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n"
         "kernel name=a entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n"),
        "ventus-module 1\nline pc=8 line=1\nline pc=4 line=1\n",
        "ventus-module 1\nformat id=1\n", "ventus-module 1\nformat text=a\n", "ventus-module 1\nstring\n",
    };
    // clang-format on
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        ventus_module *m = NULL;
        char why[WHY] = "";
        if (load_note(bad[i], &m, why) != VENTUS_BAD_MODULE) fail_msg("note %u was accepted", i);
        assert_true(*why);
        assert_null(m);
    }
}

static void bad_note(const char *note, const char *message)
{
    ventus_module *m = NULL;
    char why[WHY];
    assert_int_equal(load_note(note, &m, why), VENTUS_BAD_MODULE);
    assert_string_equal(why, message);
}

/* Where the mistake is: the line, column and field of the note, or the kernel. Messages that do not fit are cut. */
static void test_where_notes_are_bad(void **state)
{
#define SIZES "vgpr=1 sgpr=1 lds=0 pds=0 args=0\n"
    ventus_module *m = NULL;
    char *elf, little[9] = "--------";
    size_t size;
    (void)state;
    bad_note("ventus-module 2\n", "the module note, line 1: it is not of version 1");
    bad_note("ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1x sgpr=1 lds=0 pds=0 args=0\n",
             "the module note, line 2, column 37: a number that is malformed or too large in a field: vgpr");
    bad_note("ventus-module 1\nkernel name=a entry=0x80000000 " SIZES "kernel name=other entry=0x80000100 " SIZES,
             "the entry of kernel other, 0x80000100, is not in executable code");
    bad_note("ventus-module 1\nkernel name=a entry=0x80000000 vgpr=1 sgpr=auto lds=0 pds=0 args=0\n",
             "the module note leaves the registers of kernel a to the linker");
    elf = make_elf("ventus-module 2\n", endprg, 4, &size);
    assert_int_equal(ventus_module_load(elf, size, &m, little, 8), VENTUS_BAD_MODULE);
    assert_string_equal(little, "the mod");
    assert_int_equal(little[8], 0);
    free(elf);
    assert_int_equal(ventus_module_load(NULL, 1, &m, NULL, 0), VENTUS_BAD_ARGUMENT);
}

/* Damaged files are refused or harmless; under the sanitizers this finds what was believed too easily. */
static void test_damaged_files(void **state)
{
    size_t size;
    uint8_t *elf = make_elf(good_note, endprg, 4, &size), *copy = malloc(size);
    ventus_device *d = open_device();
    unsigned refused = 0;
    (void)state;
    assert_non_null(copy);
    for (int i = 0; i < 3000; i++) {
        ventus_module *m = NULL;
        memcpy(copy, elf, size);
        for (uint32_t n = 1 + rng() % 4; n; n--) copy[rng() % size] = (uint8_t)rng();
        size_t n = i % 3 ? size : rng() % size;
        if (ventus_module_load(copy, n, &m, NULL, 0) != VENTUS_OK) {
            refused++;
            continue;
        }
        for (size_t k = 0; k < ventus_module_kernels(m); k++) assert_non_null(ventus_module_kernel(m, k)->name);
        assert_int_equal(module_map(d, m), VENTUS_OK);
        ventus_module_free(m);
    }
    assert_true(refused > 1000);
    ventus_close(d);
    free(copy);
    free(elf);
}

/* ---- printf ---- */

/* Prints one record with a format of our own and returns the text. */
static char *print_one(const char *format, const uint32_t *words, uint32_t n, uint32_t used)
{
    struct note_string formats[1] = {{5, format}}, strings[2] = {{1, "one"}, {2, "two"}};
    struct ventus_module m = {.note = {.formats = formats, .nformats = 1, .strings = strings, .nstrings = 2}};
    uint32_t *buffer = calloc(n + 4, 4);
    assert_non_null(buffer);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    buffer[0] = used ? used : 16 + n * 4;
    buffer[2] = 8 + n * 4;
    buffer[3] = 5;
    memcpy(buffer + 4, words, n * 4);
    print_records(&(struct printing){.module = &m, .out = out}, (const uint8_t *)buffer, 16 + n * 4);
    fclose(out);
    free(buffer);
    return text;
}

static void check_print(const char *want, const char *format, uint32_t n, ...)
{
    uint32_t words[32];
    va_list args;
    va_start(args, n);
    for (uint32_t i = 0; i < n; i++) words[i] = va_arg(args, uint32_t);
    va_end(args);
    char *text = print_one(format, words, n, 0);
    assert_string_equal(text, want);
    free(text);
}

static uint32_t f(float v)
{
    uint32_t u;
    memcpy(&u, &v, 4);
    return u;
}

static void test_print(void **state)
{
    (void)state;
    check_print("plain 100%\n", "plain 100%%\n", 0);
    check_print("-5 5 fffffffb 37777777773 FFFFFFFB", "%d %i %x %o %X", 5, -5, 5, -5, -5, -5);
    check_print("4294967291", "%u", 1, -5);
    check_print("-1 255 -1 65535", "%hhd %hhu %hd %hu", 4, 0xff, 0xfffff1ff, 0xffff, 0xdeadffff);
    check_print("-2 18446744073709551614", "%ld %llu", 4, 0xfffffffe, 0xffffffff, 0xfffffffe, 0xffffffff);
    check_print("1.500000 -2.50 1.000000e+10 0x1.8p+0 inf nan", "%f %.2f %e %a %g %f", 6, f(1.5f), f(-2.5f), f(1e10f),
                f(1.5f), 0x7f800000, 0x7fc00000);
    check_print("[   42] [42   ] [00042] [+42] [ 42] [0x2a]", "[%5d] [%-5d] [%05d] [%+d] [% d] [%#x]", 6, 42, 42, 42,
                42, 42, 42);
    check_print("[  007]", "[%*.*d]", 3, 5, 3, 7);
    check_print("[7    ]", "[%*d]", 2, -5, 7);
    check_print("A one two (null)|0x1234| one", "%c %s %s %s|%p|%4s", 6, 'A', 1, 2, 77, 0x1234, 1);
    check_print("1,2,3,4", "%v4hld", 4, 1, 2, 3, 4);
    check_print("1.50,2.50", "%.2v2hlf", 2, f(1.5f), f(2.5f));
    check_print("-1,1,-2,2", "%v4hhd", 4, 0xff, 1, 0xfe, 2);
    check_print("1,-1", "%v2ld", 4, 1, 0, 0xffffffff, 0xffffffff);
    check_print("1.000000,-2.000000", "%v2lf", 4, 0, 0x3ff00000, 0, 0xc0000000);
    check_print("01,02,03", "%02v3hlx", 3, 1, 2, 3);
}

static void test_hostile_print(void **state)
{
    // clang-format off
    static const char *const formats[] = {
        "%", "%%%", "%n", "%s%n%n%n", "%v", "%v5d", "%v99999999999d", "%*", "%.", "%.*", "%-", "%hhhhd", "%lllllld", "%l", "%h",
        "%999999999999999999999d", "%.999999999999999999d", "%*d", "%.*f", "%$1d", "%1$s", "%v16lf", "%v16d%v16d%v16d", "%c%c%c", "%zd", "%Lf", "%q",
        "%-+ #0-+ #0-+ #0-+ #0123.456v4hld", "%0-5.3v2hd\xff\xfe",
    };
    // clang-format on
    const uint32_t words[4] = {0x7fffffff, 0x80000000, 0xffffffff, 0x12345678};
    (void)state;
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        for (uint32_t n = 0; n <= 4; n++) free(print_one(formats[i], words, n, 0));
    for (int i = 0; i < 20000; i++) { /* random text from the letters that matter */
        static const char letters[] = "%%%%*.0123456789-+ #vhldiouxXfFeEgGaAcspn";
        char format[24];
        for (unsigned k = 0; k < sizeof format - 1; k++) format[k] = letters[rng() % (sizeof letters - 1)];
        format[sizeof format - 1] = 0;
        free(print_one(format, words, rng() % 5, 0));
    }
    check_print("%n%q%", "%n%q%", 0);
}

/* Buffers as a broken kernel may leave them. */
static void test_broken_records(void **state)
{
    struct note_string formats[1] = {{5, "<%d>"}};
    struct ventus_module m = {.note = {.formats = formats, .nformats = 1}};
    uint32_t buffer[64];
    char *text = NULL;
    size_t length = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        for (unsigned k = 0; k < 64; k++) buffer[k] = rng() % 4 ? rng() % 64 : rng();
        FILE *out = open_memstream(&text, &length);
        print_records(&(struct printing){.module = &m, .out = out}, (const uint8_t *)buffer, rng() % 257);
        fclose(out);
        free(text);
    }
    /* Two whole records, then one that was dropped. */
    const uint32_t kept[] = {44, 0, 12, 5, 1, 12, 5, 2, 12, 5};
    FILE *out = open_memstream(&text, &length);
    print_records(&(struct printing){.module = &m, .out = out}, (const uint8_t *)kept, sizeof kept);
    fclose(out);
    assert_string_equal(text, "<1><2>");
    free(text);
    /* Nothing is believed behind a record that does not end on a word. */
    const uint32_t odd[] = {40, 0, 12, 5, 1, 10, 5, 2, 12, 5, 3};
    out = open_memstream(&text, &length);
    print_records(&(struct printing){.module = &m, .out = out}, (const uint8_t *)odd, sizeof odd);
    fclose(out);
    assert_string_equal(text, "<1>");
    free(text);
}

/* ---- running ---- */

/* Assembles `source`, whose first instructions are the program's start, with a note about it. */
static ventus_module *build(const char *source, const char *note)
{
    struct elf_image image;
    void *elf;
    size_t size;
    ventus_module *m = NULL;
    char why[WHY] = "";
    assert_true(asm_assemble("test", source, strlen(source), ABI_CODE_BASE, &image, stderr));
    elf = make_elf(note, image.text, image.text_words, &size);
    elf_free(&image);
    if (ventus_module_load(elf, size, &m, why, WHY) != VENTUS_OK) fail_msg("%s", why);
    free(elf);
    return m;
}

/* out[id] = id + n, through local memory: args out, local tmp, n, local more. */
static const char program[] =
    " csrr t0, CSR_KNL\n lw a0, 4(t0)\n lw a1, 24(t0)\n csrr t1, CSR_NUMW\n slli t1, t1, 10\n csrr t2, CSR_LDS\n add "
    "s0, t1, t2\n"
    " csrr a2, CSR_TID\n vid.v v1\n vadd.vx v1, v1, a2\n"
    " lw a3, 4(a0)\n add a3, a3, s0\n vsll.vi v2, v1, 2\n vadd.vx v3, v2, a3\n vsw12.v v1, 0(v3)\n barrier 1\n vlw12.v "
    "v4, 0(v3)\n"
    " lw a4, 8(a0)\n vadd.vx v4, v4, a4\n csrr a5, CSR_GIDX\n mul a5, a5, a1\n vadd.vx v4, v4, a5\n"
    " slli a5, a5, 2\n lw a6, 0(a0)\n add a6, a6, a5\n vadd.vx v2, v2, a6\n vsw12.v v4, 0(v2)\n endprg\n";
static const char program_note[] =
    "ventus-module 1\nkernel name=add entry=0x80000000 vgpr=8 sgpr=32 lds=100 pds=8 args=16\n"
    "arg kind=global size=4 offset=0 align=4 name=out\narg kind=local size=4 offset=4 align=64 name=tmp\n"
    "arg kind=value size=4 offset=8 align=4 name=n\narg kind=local size=4 offset=12 align=128 name=more\n"
    "line pc=0x80000000 line=3\nline pc=0x80000068 line=12\n";

static void test_run(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = build(program, program_note);
    const struct ventus_kernel *k = ventus_module_find(m, "add");
    uint32_t out, values[200];
    struct ventus_result result;
    char message[400];
    (void)state;
    assert_int_equal(ventus_alloc(d, 800, &out), VENTUS_OK);
    uint32_t args[4] = {out, 0, 1000, 0};
    uint64_t locals[4] = {0, 50 * 4, 0, 77};
    struct ventus_launch l = {.module = m,
                              .kernel = k,
                              .args = args,
                              .local_sizes = locals,
                              .range = {1, {200, 1, 1}, {50, 1, 1}, {0, 0, 0}}};
    assert_int_equal(ventus_run(d, &l, &result, message, sizeof message), VENTUS_OK);
    assert_string_equal(message, "");
    assert_int_equal(result.counters.groups, 4);
    assert_int_equal(result.counters.warps, 8);
    assert_int_equal(ventus_read(d, values, out, sizeof values), VENTUS_OK);
    for (uint32_t i = 0; i < 200; i++) assert_int_equal(values[i], i + 1000);
    assert_int_equal(args[1], 0); /* the caller's arguments are not written to */

    /* Faults name the work-item, the line and the instruction; then the device works on. */
    args[0] = 0x1000;
    l.range.offset[0] = 7;
    assert_int_equal(ventus_run(d, &l, &result, message, sizeof message), VENTUS_FAULT);
    assert_string_equal(
        message,
        "kernel add failed at line 12, work-item (7,0,0): write to unmapped or read-only memory at 0x00001000, "
        "work-group (0,0,0) warp 0 lane 0, pc 0x80000068: vsw12.v v4, 0(v2)");
    assert_int_equal(result.fault.kind, VENTUS_FAULT_WRITE);
    assert_int_equal(result.fault.addr, 0x1000);
    assert_int_equal(result.fault.lane, 0);
    assert_int_equal(result.fault.lanes, UINT32_MAX);
    args[0] = out;
    assert_int_equal(ventus_run(d, &l, &result, message, sizeof message), VENTUS_OK);
    char tiny[8];
    args[0] = 0x1000;
    assert_int_equal(ventus_run(d, &l, &result, tiny, sizeof tiny), VENTUS_FAULT);
    assert_string_equal(tiny, "kernel ");
    args[0] = out;

    /* Nothing of a launch is left behind. */
    assert_int_equal(d->heap.blocks.count, 1);

    /* Sizes that cannot be. */
    struct ventus_launch bad = l;
    bad.range.global[0] = 201;
    assert_int_equal(ventus_run(d, &bad, &result, message, sizeof message), VENTUS_BAD_LAUNCH);
    assert_true(message[0] != 0);
    bad = l;
    bad.range.local[1] = 0;
    assert_int_equal(ventus_run(d, &bad, &result, NULL, 0), VENTUS_BAD_LAUNCH);
    bad = l;
    bad.range.work_dim = 4;
    assert_int_equal(ventus_run(d, &bad, &result, NULL, 0), VENTUS_BAD_LAUNCH);
    bad = l;
    bad.range = (struct ventus_range){1, {1u << 20, 1, 1}, {1u << 20, 1, 1}, {0}};
    assert_int_equal(ventus_run(d, &bad, &result, NULL, 0), VENTUS_BAD_LAUNCH);
    bad = l;
    bad.range = (struct ventus_range){3, {1u << 31, 1u << 31, 4}, {1u << 31, 1u << 31, 4}, {0}};
    assert_int_equal(ventus_run(d, &bad, &result, NULL, 0), VENTUS_BAD_LAUNCH);
    bad = l;
    uint64_t huge[4] = {0, UINT64_MAX, 0, UINT64_MAX};
    bad.local_sizes = huge;
    assert_int_equal(ventus_run(d, &bad, &result, NULL, 0), VENTUS_BAD_LAUNCH);
    huge[1] = huge[3] = 70000;
    assert_int_equal(ventus_run(d, &bad, &result, NULL, 0), VENTUS_BAD_LAUNCH);
    bad = l;
    bad.args = NULL;
    assert_int_equal(ventus_run(d, &bad, &result, NULL, 0), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_run(NULL, &l, &result, NULL, 0), VENTUS_BAD_ARGUMENT);
    assert_int_equal(d->heap.blocks.count, 1);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    ventus_module_free(m);
    ventus_close(d);
}

/* Every work-item counts itself. Ranges that groups do not divide are for kernels whose note says that nothing shows
 * them the groups, and only such as the machine can have: the last groups of one dimension are shorter. */
static void test_uneven_ranges(void **state)
{
    static const char source[] = " csrr t0, CSR_KNL\n lw t0, 4(t0)\n lw t0, 0(t0)\n vmv.v.x v1, t0\n vmv.v.i v2, 1\n"
                                 " amoadd.w v3, v2, (v1)\n endprg\n";
    static const struct {
        uint32_t global[3], local[3], groups; /* 0: there is no such launch */
    } ranges[] = {{{200, 1, 1}, {50, 1, 1}, 4},
                  {{1001, 1, 1}, {32, 1, 1}, 32},
                  {{1001, 3, 2}, {32, 1, 1}, 192},
                  {{7, 95, 2}, {7, 9, 1}, 22},
                  {{7, 100, 2}, {7, 9, 1}, 0},
                  {{3, 2, 50}, {3, 2, 5}, 10},
                  {{3, 2, 53}, {3, 2, 5}, 11},
                  {{1001, 1, 1}, {64, 1, 1}, 16},
                  {{96, 1, 1}, {64, 1, 1}, 0},
                  {{1001, 2, 1}, {32, 2, 1}, 0},
                  {{8, 7, 1}, {4, 2, 1}, 0},
                  {{7, 7, 1}, {2, 2, 1}, 0},
                  {{7, 7, 1}, {4, 7, 1}, 0},
                  {{1, 1, 1}, {2, 1, 1}, 1},
                  {{1, 3, 1}, {1, 0, 1}, 0},
                  {{5, 1u << 31, 1}, {5, 1u << 30, 1}, 0},
                  {{31, 1u << 31, 3}, {31, 3u << 29, 1}, 0}};
    ventus_device *d = open_device();
    uint32_t out;
    (void)state;
    assert_int_equal(ventus_alloc(d, 4, &out), VENTUS_OK);
    for (unsigned i = 0; i < 2 * (sizeof ranges / sizeof *ranges); i++) {
        const uint32_t *global = ranges[i / 2].global, *local = ranges[i / 2].local, zero = 0;
        bool divides = true, ungrouped = i % 2;
        for (unsigned k = 0; k < 3; k++) divides = divides && local[k] && global[k] % local[k] == 0;
        char note[200];
        snprintf(note, sizeof note,
                 "ventus-module 1\nkernel name=k entry=0x80000000 vgpr=4 sgpr=32 lds=0 pds=0 args=4%s\n",
                 ungrouped ? " ungrouped=1" : "");
        ventus_module *m = build(source, note);
        struct ventus_launch l = {.module = m, .kernel = ventus_module_kernel(m, 0), .args = &out};
        struct ventus_result result;
        uint32_t count;
        l.range.work_dim = 3;
        memcpy(l.range.global, global, sizeof l.range.global);
        memcpy(l.range.local, local, sizeof l.range.local);
        assert_int_equal(ventus_write(d, out, &zero, 4), VENTUS_OK);
        bool can = ranges[i / 2].groups && (divides || ungrouped);
        assert_int_equal(ventus_run(d, &l, &result, NULL, 0), can ? VENTUS_OK : VENTUS_BAD_LAUNCH);
        assert_int_equal(ventus_read(d, &count, out, 4), VENTUS_OK);
        assert_int_equal(count, can ? global[0] * global[1] * global[2] : 0);
        if (can) assert_int_equal(result.counters.groups, ranges[i / 2].groups);
        ventus_module_free(m);
    }
    ventus_close(d);
}

/* The code window follows the module; its bytes can be read and written like memory. */
/* ---- programs without a note ---- */

/* While a launch runs the host takes complete records alone, and leaves room behind it. */
static void test_emptied_print(void **state)
{
    enum { SIZE = 64, END = 8 + 12 + 12 };
    static const struct note_string format = {7, "%d;", NULL};
    static const uint32_t records[] = {12, 7, 5, 12, 7, 6};
    static const struct {
        uint32_t used, complete, full;
        const char *text; /* NULL: nothing happens */
    } cases[] = {
        {END, 24, 1, "5;6;"},
        {END, 12, 1, NULL},
        {SIZE + 40, 24, END, "5;6;"},
        {SIZE + 40, 12, END, NULL},
        {SIZE + 40, 24, END - 4, NULL},
        {SIZE + 40, ~0u, 4, NULL},
        {4, ~3u, 1, NULL},
        {SIZE + 1, SIZE, SIZE + 8, NULL},
    };
    ventus_module m = {.note = {.formats = (struct note_string *)&format, .nformats = 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t buffer[SIZE / 4] = {cases[i].used, cases[i].complete}, before[SIZE / 4];
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        memcpy(buffer + 2, records, sizeof records);
        memcpy(before, buffer, sizeof buffer);
        print_empty(&(struct printing){.module = &m, .out = out}, (uint8_t *)buffer, SIZE, cases[i].full);
        fclose(out);
        assert_string_equal(text, cases[i].text ? cases[i].text : "");
        const uint32_t empty[SIZE / 4] = {ABI_PRINT_HEADER};
        assert_memory_equal(buffer, cases[i].text ? empty : before, sizeof buffer);
        free(text);
    }
}

/* A stream that counts, and asks for no more after `most` bytes. */
struct counted {
    uint64_t bytes, largest, most;
};

static ssize_t count_bytes(void *cookie, const char *text, size_t size)
{
    struct counted *c = cookie;
    (void)text;
    c->bytes += size;
    if (size > c->largest) c->largest = size;
    return (ssize_t)size;
}

static bool has_enough(void *user)
{
    const struct counted *c = user;
    return c->bytes >= c->most;
}

/* Short records of long text go out in pieces, and no further than they are asked for. */
static void test_long_output(void **state)
{
    enum { RECORDS = 1000, WIDE = 100 };
    static const uint64_t most[] = {UINT64_MAX, 10 * PRINT_PIECE, 0};
    char text[WIDE * 7 + 1];
    struct note_string formats[1] = {{5, text}};
    struct ventus_module m = {.note = {.formats = formats, .nformats = 1}};
    uint32_t buffer[2 + 2 * RECORDS] = {8 + 8 * RECORDS, 8 * RECORDS};
    (void)state;
    for (size_t i = 0; i < WIDE; i++) memcpy(text + 7 * i, "%4000d.", 8);
    for (size_t i = 0; i < RECORDS; i++) buffer[2 + 2 * i] = 8, buffer[3 + 2 * i] = 5;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        const uint64_t all = (uint64_t)RECORDS * WIDE * 4001;
        struct counted c = {.most = most[i]};
        FILE *out = fopencookie(&c, "w", (cookie_io_functions_t){.write = count_bytes});
        setvbuf(out, NULL, _IONBF, 0);
        enum printed printed =
            print_records(&(struct printing){&m, NULL, out, has_enough, &c}, (const uint8_t *)buffer, sizeof buffer);
        fclose(out);
        assert_int_equal(printed, all > most[i] ? PRINT_STOPPED : PRINT_DONE);
        assert_int_equal(c.bytes, all > most[i] ? most[i] : all);
        assert_in_range(c.largest, 0, PRINT_PIECE);
    }
}

/* What cannot be written is reported, also when it is the stream that had kept it. */
static void test_lost_output(void **state)
{
    struct note_string formats[1] = {{5, "%d;"}};
    struct ventus_module m = {.note = {.formats = formats, .nformats = 1}};
    static const int modes[] = {_IONBF, _IOFBF};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uint32_t buffer[] = {20, 12, 12, 5, 1};
        FILE *out = fopen("/dev/full", "w");
        setvbuf(out, NULL, modes[i], 4096);
        const struct printing p = {.module = &m, .out = out};
        assert_int_equal(print_records(&p, (const uint8_t *)buffer, sizeof buffer), PRINT_LOST);
        assert_int_equal(errno, ENOSPC);
        assert_int_equal(print_empty(&p, (uint8_t *)buffer, sizeof buffer, 0), PRINT_LOST);
        assert_int_equal(errno, ENOSPC);
        assert_int_equal(buffer[0], ABI_PRINT_HEADER); /* there is room again */
        fclose(out);
    }
}

/* The source as a file of another compiler, of which the text and the records are ours to choose. */
static enum ventus_status load_recorded(const char *source, ventus_module **m, char why[WHY])
{
    struct elf_image image;
    void *elf;
    size_t size;
    assert_true(asm_assemble("test", source, strlen(source), ABI_CODE_BASE, &image, stderr));
    assert_true(elf_write(&image, &elf, &size, NULL));
    elf_free(&image);
    enum ventus_status status = ventus_module_load(elf, size, m, why, WHY);
    free(elf);
    return status;
}

/* A machine runs the programs of its profile, of profiles that it has whole, and those that do not say. */
static void test_profiles(void **state)
{
    static const struct {
        enum isa_profile machine;
        const char *source, *why;
    } cases[] = {
        {PROFILE_DEFAULT, ".option profile, toolchain\n", NULL},
        {PROFILE_R20, ".option profile, r2.0\n", NULL},
        {PROFILE_R2025, ".option profile, r2.1\n", "the program is of profile r2.1, the machine of profile r2025"},
        {PROFILE_TOOLCHAIN, "", "the program is of profile default, the machine of profile toolchain"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_config config;
        ventus_device *d;
        ventus_module *m;
        char source[200], why[WHY] = "", message[WHY];
        gpu_config_default(&config);
        config.profile = cases[i].machine;
        assert_int_equal(device_open_gpu(&config, &d), VENTUS_OK);
        snprintf(source, sizeof source, "%s.kernel k\nk: endprg\n", cases[i].source);
        assert_int_equal(load_recorded(source, &m, why), VENTUS_OK);
        const struct ventus_launch l = {
            .module = m, .kernel = ventus_module_kernel(m, 0), .range = {1, {1, 1, 1}, {1, 1, 1}, {0}}};
        assert_int_equal(ventus_module_fits(d, m, why, sizeof why), !cases[i].why);
        assert_string_equal(why, cases[i].why ? cases[i].why : "");
        struct ventus_result result;
        assert_int_equal(ventus_run(d, &l, &result, message, WHY), cases[i].why ? VENTUS_BAD_MODULE : VENTUS_OK);
        assert_true(!cases[i].why || strstr(message, cases[i].why));
        ventus_module_free(m);
        ventus_close(d);
    }
}

/* What a launch says of the spaces of r2025: where global memory begins, and which flat addresses are whose. */
static void test_spaces(void **state)
{
    static const char source[] =
        ".option profile, r2025\n.kernel k, pds=1024\nk: csrr t0, CSR_GIDX\n li t1, 0x100\n vmv.v.x v2, t1\n"
        " vmv.v.x v1, t1\n bnez t0, flat\n vsw_global.v v1, 0(v2)\n endprg\nflat: vlw12.v v3, 0(v2)\n endprg\n";
    struct gpu_config config;
    ventus_device *d;
    ventus_module *m;
    struct ventus_result result;
    uint32_t out, word;
    char why[WHY] = "";
    (void)state;
    gpu_config_default(&config);
    config.profile = PROFILE_R2025;
    assert_int_equal(device_open_gpu(&config, &d), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, 4, &out), VENTUS_OK);
    if (load_recorded(source, &m, why) != VENTUS_OK) fail_msg("%s", why);
    struct ventus_spaces spaces = {.csr_gds = out - 0x100};
    struct ventus_launch l = {
        .module = m, .kernel = ventus_module_kernel(m, 0), .range = {1, {1, 1, 1}, {1, 1, 1}, {0}}, .spaces = &spaces};
    assert_int_equal(ventus_run(d, &l, &result, why, WHY), VENTUS_OK);
    assert_int_equal(ventus_read(d, &word, out, 4), VENTUS_OK);
    assert_int_equal(word, 0x100);
    l.spaces = NULL;
    assert_int_equal(ventus_run(d, &l, &result, why, WHY), VENTUS_FAULT);
    assert_int_equal(result.fault.addr, 0x100);
    l.range.global[0] = 2; /* the second group: a flat address, private ... */
    l.spaces = &spaces;
    assert_int_equal(ventus_run(d, &l, &result, why, WHY), VENTUS_OK);
    for (unsigned local = 0; local < 2; local++) { /* ... but for those who say otherwise */
        spaces = (struct ventus_spaces){out - 0x100, local ? 0 : 0xff, local ? 0 : 0x100, local ? 0x100 : 0,
                                        local ? 0x101 : 0};
        assert_int_equal(ventus_run(d, &l, &result, why, WHY), VENTUS_FAULT);
        assert_int_equal(result.fault.kind, VENTUS_FAULT_READ);
        assert_int_equal(result.fault.addr, 0x100);
    }
    spaces = (struct ventus_spaces){out - 0x100, 0, 0xff, 0x101, 0x200};
    assert_int_equal(ventus_run(d, &l, &result, why, WHY), VENTUS_OK);
    ventus_module_free(m);
    ventus_close(d);
}

#define FUNCTIONS \
    "_start: endprg\n.type _start, @function\nk: endprg\n.type k, @function\nj: endprg\n.type j, @function\n"
#define RECORD(name) "\n.section .ventus.resource." name "\n"

static void recorded_kernel(const char *source, const char *name, uint32_t vgprs, uint32_t sgprs, uint32_t lds,
                            uint32_t pds)
{
    ventus_module *m = NULL;
    char why[WHY] = "";
    if (load_recorded(source, &m, why) != VENTUS_OK) fail_msg("%s", why);
    const struct ventus_kernel *k = ventus_module_find(m, name);
    assert_non_null(k);
    assert_int_equal(k->vgprs, vgprs);
    assert_int_equal(k->sgprs, sgprs);
    assert_int_equal(k->lds_bytes, lds);
    assert_int_equal(k->pds_bytes, pds);
    assert_int_equal(k->nargs | k->args_size, 0);
    assert_string_equal(k->vec_hint, "");
    assert_int_equal(ventus_module_line(m, k->entry), 0);
    ventus_module_free(m);
}

static void bad_record(const char *source, const char *expect)
{
    ventus_module *m = NULL;
    char why[WHY] = "";
    assert_int_equal(load_recorded(source, &m, why), VENTUS_BAD_MODULE);
    if (!strstr(why, expect)) fail_msg("%s, not %s", why, expect);
}

static void test_records(void **state)
{
    (void)state;
    recorded_kernel(FUNCTIONS RECORD("k") ".half 1, 2, 3, 4", "k", 1, 2, 3, 4);
    recorded_kernel(FUNCTIONS RECORD("k") ".word 2, 0\n.quad 10, 20, 30, 40, 50, 60", "k", 10, 20, 30, 100);
    recorded_kernel(FUNCTIONS RECORD("k") ".word 3, 0x38\n.quad 10, 20, 30, 40, -1, -1", "k", 256, 64, 30, 4136);
    recorded_kernel(FUNCTIONS RECORD("k") ".word 3, 0x12\n.quad 10, 20, 30, 40, -1, -1", "k", 10, 20, 30, 4136);
    recorded_kernel(FUNCTIONS RECORD("k") ".half 1, 2, 3, 4" RECORD("j") ".half 5, 6, 7, 8", "j", 5, 6, 7, 8);
    recorded_kernel(FUNCTIONS ".section .rodata.ventus.resource\n.half 1, 2, 3, 4, 5, 6, 7, 8", "j", 5, 6, 7, 8);
    bad_record(FUNCTIONS, "neither a Ventus note nor resource records");
    bad_record(FUNCTIONS ".section .rodata.ventus.resource\n.half 1, 2, 3, 4", "do not say whose");
    bad_record(FUNCTIONS RECORD("nobody") ".half 1, 2, 3, 4", "kernel nobody, which has no symbol");
    bad_record(FUNCTIONS RECORD("k") ".half 1, 2, 3, 4, 5, 6, 7, 8", "two kernels of one name: k");
    bad_record(FUNCTIONS RECORD("k") ".half 257, 2, 3, 4", "record of kernel k wants more registers");
    bad_record(FUNCTIONS RECORD("k") ".half 1, 65, 3, 4", "more registers");
    bad_record(FUNCTIONS RECORD("k") ".word 2, 0\n.quad 1, 1, 1 << 32, 0, 0, 0", "more memory");
    bad_record(FUNCTIONS RECORD("k") ".word 2, 0\n.quad 1, 1, 0, 1 << 28, 0, 1", "more memory");
    bad_record(FUNCTIONS RECORD("k") ".word 2, 0\n.quad 1, 1, 0, 1, 0, -2", "more memory");
    bad_record(FUNCTIONS RECORD("k") ".word 2, 0\n.quad 1, 1, 0, 0, 1028, 0", "deeper scalar stack");
    bad_record(FUNCTIONS ".rodata\nd: .word 1" RECORD("d") ".half 1, 2, 3, 4", "the entry of kernel d, ");
    char many[20000], *p = many;
    p += sprintf(p, FUNCTIONS ".section .rodata.ventus.resource\n.fill 4097, 8, 0x0000000000010001");
    bad_record(many, "too many kernels");
}

/* The registers of the record are those the launch asks for. */
static void test_recorded_run(void **state)
{
    (void)state;
    for (int enough = 0; enough < 2; enough++) {
        char source[400];
        ventus_device *d = open_device();
        ventus_module *m = NULL;
        char why[WHY] = "";
        struct ventus_result result;
        snprintf(source, sizeof source,
                 "_start: csrr t0, CSR_KNL\nlw t1, 0(t0)\njalr ra, 0(t1)\nendprg\n.globl k\nk: vmv.v.i v40, 1\nret\n"
                 ".section .ventus.resource.k\n.half %d, 8, 0, 0\n",
                 enough ? 41 : 40);
        if (load_recorded(source, &m, why) != VENTUS_OK) fail_msg("%s", why);
        struct ventus_launch launch = {
            .module = m, .kernel = ventus_module_find(m, "k"), .range = {1, {32, 1, 1}, {32, 1, 1}, {0}}};
        assert_int_equal(ventus_run(d, &launch, &result, NULL, 0), enough ? VENTUS_OK : VENTUS_FAULT);
        ventus_module_free(m);
        ventus_close(d);
    }
}

static void test_module_switch(void **state)
{
    static const char note[] = "ventus-module 1\nkernel name=k entry=0x80000000 vgpr=1 sgpr=32 lds=0 pds=0 args=4\n";
    ventus_device *d = open_device();
    struct ventus_result result;
    uint32_t out, value, args[1], word;
    (void)state;
    assert_int_equal(ventus_alloc(d, 4, &out), VENTUS_OK);
    args[0] = out;
    for (int i = 0; i < 6; i++) {
        char source[200];
        snprintf(source, sizeof source,
                 " csrr t0, CSR_KNL\n lw t0, 4(t0)\n lw t0, 0(t0)\n li t1, %d\n sw t1, 0(t0)\n endprg\n", 40 + i);
        ventus_module *m = build(source, note);
        struct ventus_launch l = {
            .module = m, .kernel = ventus_module_kernel(m, 0), .args = args, .range = {1, {1, 1, 1}, {1, 1, 1}, {0}}};
        assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
        assert_int_equal(ventus_read(d, &value, out, 4), VENTUS_OK);
        assert_int_equal(value, 40 + i);
        assert_int_equal(ventus_read(d, &word, ABI_CODE_BASE + 12, 4), VENTUS_OK);
        word += 50u << 20; /* the immediate of li */
        assert_int_equal(ventus_write(d, ABI_CODE_BASE + 12, &word, 4), VENTUS_OK);
        assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
        assert_int_equal(ventus_read(d, &value, out, 4), VENTUS_OK);
        assert_int_equal(value, 90 + i);
        ventus_module_free(m);
    }
    /* A kernel cannot write its own code. */
    ventus_module *m = build(" auipc t0, 0\n sw t0, 0(t0)\n endprg\n", note);
    struct ventus_launch l = {
        .module = m, .kernel = ventus_module_kernel(m, 0), .args = args, .range = {1, {1, 1, 1}, {1, 1, 1}, {0}}};
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_FAULT);
    assert_int_equal(result.fault.kind, VENTUS_FAULT_WRITE);
    assert_int_equal(result.fault.addr, ABI_CODE_BASE);
    assert_int_equal(result.fault.pc, ABI_CODE_BASE + 4);
    ventus_module_free(m);
    ventus_close(d);
}

/* Metadata and arguments lie where translated code looks at stores, at the same place launch after launch; a buffer may
 * be in the way, and in a heap of another kind they lie elsewhere. */
static void test_place_of_launches(void **state)
{
    static const char note[] = "ventus-module 1\nkernel name=k entry=0x80000000 vgpr=1 sgpr=32 lds=0 pds=0 args=4\n";
    static const struct {
        unsigned flags;
        uint64_t buffer; /* in the way; 0: none */
        bool watched;
    } cases[] = {{0, 0, true},
                 {0, ABI_LAUNCH_BASE - ABI_HEAP_BASE - 4096, true},
                 {0, ABI_LAUNCH_BASE - ABI_HEAP_BASE - 16384, true},
                 {VENTUS_HEAP_PACKED, 0, false}};
    ventus_module *m = build(" csrr t0, CSR_KNL\n lw t1, 4(t0)\n lw t1, 0(t1)\n sw t0, 0(t1)\n endprg\n", note);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ventus_device *d = open_device();
        struct ventus_result result;
        uint32_t out, at[3], buffer = 0;
        assert_int_equal(ventus_heap(d, cases[i].flags), VENTUS_OK);
        assert_int_equal(ventus_alloc(d, 4, &out), VENTUS_OK);
        struct ventus_launch l = {
            .module = m, .kernel = ventus_module_kernel(m, 0), .args = &out, .range = {1, {1, 1, 1}, {1, 1, 1}, {0}}};
        for (int run = 0; run < 3; run++) {
            if (run == 1 && cases[i].buffer) assert_int_equal(ventus_alloc(d, cases[i].buffer, &buffer), VENTUS_OK);
            assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
            assert_int_equal(ventus_read(d, &at[run], out, 4), VENTUS_OK);
            assert_int_equal(at[run] >= ABI_LAUNCH_BASE, cases[i].watched);
            if (run == 1 && buffer) assert_int_equal(ventus_free(d, buffer), VENTUS_OK);
        }
        assert_int_equal(at[2], at[0]);
        ventus_close(d);
    }
    ventus_module_free(m);
}

/* A kernel that prints: one record, its header counted by an atomic, read back through the note. */
static void test_print_from_kernel(void **state)
{
    static const char note[] = "ventus-module 1\nkernel name=k entry=0x80000000 vgpr=8 sgpr=32 lds=0 pds=0 "
                               "args=0\nformat id=1 text=lane%20%25d%0A\n";
    ventus_device *d = open_device();
    ventus_module *m =
        build(" csrr t0, CSR_KNL\n lw t1, 48(t0)\n vmv.v.x v1, t1\n vmv.v.i v2, 12\n amoadd.w v3, v2, (v1)\n vadd.vx "
              "v3, v3, t1\n"
              " vsw12.v v2, 0(v3)\n vmv.v.i v4, 1\n vsw12.v v4, 4(v3)\n vid.v v5\n vsw12.v v5, 8(v3)\n endprg\n",
              note);
    struct ventus_result result;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct ventus_launch l = {
        .module = m, .kernel = ventus_module_kernel(m, 0), .print = out, .range = {1, {3, 1, 1}, {3, 1, 1}, {0}}};
    (void)state;
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    fclose(out);
    assert_string_equal(text, "lane 0\nlane 1\nlane 2\n");
    free(text);
    ventus_module_free(m);
    ventus_close(d);
}

static uint32_t local_limit(const ventus_device *d)
{
    struct ventus_info info;
    ventus_device_info(d, &info);
    return ventus_local_limit(&info);
}

/* On a machine with less local memory than its warps have stacks, groups share it with as many stacks as fit. */
static void test_small_local(void **state)
{
    struct gpu_config c;
    struct ventus_kernel k = {.vgprs = 32, .sgprs = 32};
    ventus_device *d;
    (void)state;
    gpu_config_default(&c);
    c.lds_bytes = 16 << 10;
    assert_int_equal(device_open_gpu(&c, &d), VENTUS_OK);
    assert_int_equal(local_limit(d), 8 << 10);
    k.lds_bytes = 8 << 10;
    assert_int_equal(ventus_max_group(d, &k, NULL), 8 * 32);
    k.lds_bytes++;
    assert_int_equal(ventus_max_group(d, &k, NULL), 0);
    ventus_close(d);
}

static void test_max_group(void **state)
{
    ventus_device *d = open_device();
    struct ventus_kernel k = {.vgprs = 32, .sgprs = 32};
    (void)state;
    assert_int_equal(ventus_max_group(d, &k, NULL), 1024);
    k.lds_bytes = local_limit(d);
    assert_int_equal(k.lds_bytes, gpu_config_of(device_gpu(d))->lds_bytes - 32 * 1024);
    assert_int_equal(ventus_max_group(d, &k, NULL), 1024);
    k.lds_bytes++;
    assert_int_equal(ventus_max_group(d, &k, NULL), 0);
    ventus_close(d);
}

static void expect_reason(const struct gpu_config *config, const struct ventus_kernel *k, const char *reason)
{
    ventus_device *d;
    char text[400], cut[20];
    assert_int_equal(device_open_gpu(config, &d), VENTUS_OK);
    ventus_max_group_reason(d, k, NULL, text, sizeof text);
    assert_string_equal(text, reason);
    ventus_max_group_reason(d, k, NULL, cut, sizeof cut);
    assert_memory_equal(cut, reason, sizeof cut - 1);
    assert_int_equal(cut[sizeof cut - 1], 0);
    ventus_close(d);
}

/* What a group would have too little of, were it larger. */
static void test_max_group_reason(void **state)
{
    struct gpu_config c;
    struct ventus_kernel k = {.name = "k", .vgprs = 32, .sgprs = 32};
    (void)state;
    gpu_config_default(&c);
    c.warps_per_sm = 8;
    c.vgpr_rows = 1024;
    c.sgpr_rows = 256;
    c.lds_bytes = 16 << 10;
    expect_reason(&c, &k,
                  "work-groups of kernel k have at most 256 work-items on this machine: an SM has 8 warps of 32");
    k.sgprs = 36;
    expect_reason(&c, &k,
                  "work-groups of kernel k have at most 224 work-items on this machine: each warp of 32 has 36 "
                  "scalar registers, all warps of a group together 256");
    k.vgprs = 180;
    expect_reason(&c, &k,
                  "work-groups of kernel k have at most 160 work-items on this machine: each warp of 32 has 180 "
                  "vector registers, all warps of a group together 1024");
    k.lds_bytes = (8 << 10) + 1;
    expect_reason(&c, &k,
                  "work-groups of kernel k have at most 0 work-items on this machine: a group has 8193 bytes of local "
                  "memory (at most 8192) and 1024 for each warp, an SM 16384");
    k.lds_bytes = 4 << 10;
    c.lds_bytes = 8 << 10;
    expect_reason(
        &c, &k,
        "work-groups of kernel k have at most 128 work-items on this machine: a group has 4096 bytes of local "
        "memory (at most 4096) and 1024 for each warp, an SM 8192");
}

/* The sizes the driver tells are those it obeys: the arguments aligned as the note says, behind the kernel's own. */
static void test_local_bytes(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = build(program, program_note);
    const struct ventus_kernel *k = ventus_module_find(m, "add");
    uint32_t args[4] = {0};
    uint64_t sizes[4] = {0, 5, 0, 77};
    struct ventus_result result;
    struct ventus_launch l = {
        .module = m, .kernel = k, .args = args, .local_sizes = sizes, .range = {1, {64, 1, 1}, {64, 1, 1}, {0}}};
    (void)state;
    assert_int_equal(ventus_local_bytes(k, NULL), 128); /* 100, then empty arguments at multiples of 64 and 128 */
    assert_int_equal(ventus_local_bytes(k, sizes), 256 + 77);
    assert_int_equal(ventus_max_group(d, k, sizes), 1024);
    sizes[3] = local_limit(d) - 256;
    assert_int_equal(ventus_max_group(d, k, sizes), 1024);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_FAULT); /* it runs, and writes to address 0 */
    sizes[3]++; /* one more, though the groups have two stacks alone */
    assert_int_equal(ventus_max_group(d, k, sizes), 0);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_BAD_LAUNCH);
    sizes[1] = UINT64_MAX;
    assert_int_equal(ventus_local_bytes(k, sizes), UINT64_MAX);
    assert_int_equal(ventus_max_group(d, k, sizes), 0);
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_BAD_LAUNCH);
    ventus_module_free(m);
    ventus_close(d);
}

/* Whatever a kernel says it needs, it gets the scalar registers of the start code, and no more. */
static void test_start_registers(void **state)
{
    static const char note[] = "ventus-module 1\nkernel name=k entry=0x80000000 vgpr=1 sgpr=1 lds=0 pds=0 args=0\n";
    static const char *const source[] = {" li x11, 1\n endprg\n", " li x12, 1\n endprg\n"};
    ventus_device *d = open_device();
    (void)state;
    for (int i = 0; i < 2; i++) {
        ventus_module *m = build(source[i], note);
        struct ventus_launch l = {
            .module = m, .kernel = ventus_module_kernel(m, 0), .range = {1, {1, 1, 1}, {1, 1, 1}, {0}}};
        struct ventus_result result;
        assert_int_equal(ventus_run(d, &l, &result, NULL, 0), i ? VENTUS_FAULT : VENTUS_OK);
        ventus_module_free(m);
    }
    ventus_close(d);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc), cmocka_unit_test(test_largest), cmocka_unit_test(test_copies), cmocka_unit_test(test_random_allocations),
        cmocka_unit_test(test_note), cmocka_unit_test(test_bad_notes), cmocka_unit_test(test_where_notes_are_bad), cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_print), cmocka_unit_test(test_hostile_print), cmocka_unit_test(test_broken_records), cmocka_unit_test(test_emptied_print), cmocka_unit_test(test_long_output), cmocka_unit_test(test_lost_output),
        cmocka_unit_test(test_run), cmocka_unit_test(test_uneven_ranges), cmocka_unit_test(test_records), cmocka_unit_test(test_recorded_run),
        cmocka_unit_test(test_module_switch), cmocka_unit_test(test_place_of_launches), cmocka_unit_test(test_profiles), cmocka_unit_test(test_spaces), cmocka_unit_test(test_print_from_kernel),
        cmocka_unit_test(test_max_group), cmocka_unit_test(test_max_group_reason), cmocka_unit_test(test_small_local), cmocka_unit_test(test_local_bytes), cmocka_unit_test(test_start_registers),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, NULL, NULL);
}
