/* ELF files: what is written is read back, readelf has nothing to complain about, damage of any
 * kind gives an error and nothing worse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <libelf.h>

#include "asm/image.h"
#include "isa/isa.h"
#include "asm/resource.h"
#include "tests/rng.h"

static const uint32_t text[] = {0x00004197, 0x0000400b, 0x00000013, 0x00008067};
static const uint8_t rodata[] = "some constants\1\2\3";
static const struct elf_symbol symbols[] = {{"start", 0x80000000, 8, false},
                                            {"kernel", 0x80000008, 8, true},
                                            {"table", 0x80001000, 5, false},
                                            {"size", 42, 0, false}};
static const struct elf_resource resources[] = {
    {.value = {8, 64, 24, 0}},
    {.value = {4, 32, 0, 16}},
    {.kernel = "kernel", .version = 3, .flags = ABI_RECURSION, .value = {300, 70000, 1ull << 40, 5, UINT64_MAX, 7}},
    {.kernel = "other", .version = 1, .value = {1, 2, 3, 1 << 20}}};
static const char note[] = "ventus-module 1\nkernel name=kernel entry=0x80000008\n";

// clang-format off
static const struct elf_image sample = {
    .profile = PROFILE_R21, .entry = 0x80000000, .text_addr = 0x80000000, .text = text, .text_words = 4, .rodata_addr = 0x80001000,
    .rodata = rodata, .rodata_size = sizeof rodata, .symbols = symbols, .nsymbols = 4, .note = note,
    .resources = resources, .nresources = 4};
// clang-format on

static void write_sample(void **bytes, size_t *size)
{
    const char *why = "";
    if (!elf_write(&sample, bytes, size, &why)) fail_msg("%s", why);
}

static const struct elf_symbol *find(const struct elf_image *m, const char *name)
{
    for (size_t i = 0; i < m->nsymbols; i++)
        if (!strcmp(m->symbols[i].name, name)) return &m->symbols[i];
    return NULL;
}

static void test_round_trip(void **state)
{
    (void)state;
    void *bytes;
    size_t size, n = 0;
    struct elf_image m;
    struct elf_segment seg[4];
    const char *why = "";
    write_sample(&bytes, &size);
    if (!elf_read(bytes, size, &m, seg, 4, &n, &why)) fail_msg("%s", why);
    assert_int_equal(m.profile, PROFILE_R21);
    assert_int_equal(m.entry, sample.entry);
    assert_int_equal(m.text_addr, sample.text_addr);
    assert_int_equal(m.text_words, 4);
    assert_memory_equal(m.text, text, sizeof text);
    assert_int_equal(m.rodata_size, sizeof rodata);
    assert_memory_equal(m.rodata, rodata, sizeof rodata);
    assert_string_equal(m.note, note);
    assert_int_equal(m.nresources, 4);
    for (int i = 0; i < 4; i++) {
        assert_memory_equal(m.resources[i].value, resources[i].value, sizeof resources[i].value);
        assert_int_equal(m.resources[i].version, resources[i].version);
        assert_int_equal(m.resources[i].flags, resources[i].flags);
        assert_string_equal(m.resources[i].kernel ? m.resources[i].kernel : "-",
                            resources[i].kernel ? resources[i].kernel : "-");
    }
    assert_int_equal(m.nsymbols, 4);
    for (int i = 0; i < 4; i++) {
        const struct elf_symbol *s = find(&m, symbols[i].name);
        assert_non_null(s);
        assert_int_equal(s->value, symbols[i].value);
        assert_int_equal(s->size, symbols[i].size);
        assert_int_equal(s->function, symbols[i].function);
    }
    assert_int_equal(n, 2);
    assert_true(seg[0].executable && !seg[0].writable && seg[0].addr == 0x80000000 && seg[0].filesize == sizeof text);
    assert_true(!seg[1].executable && seg[1].addr == 0x80001000);
    assert_memory_equal(seg[1].data, rodata, sizeof rodata);
    elf_free(&m);
    free(bytes);
}

/* Unaligned file bytes, and more segments than the caller has room for. */
static void test_unaligned(void **state)
{
    (void)state;
    void *bytes;
    size_t size, n = 0;
    write_sample(&bytes, &size);
    for (size_t shift = 1; shift < 4; shift++) {
        char *moved = malloc(size + shift);
        assert_non_null(moved);
        struct elf_image m;
        struct elf_segment seg;
        const char *why = "";
        memcpy(moved + shift, bytes, size);
        if (!elf_read(moved + shift, size, &m, &seg, 1, &n, &why)) fail_msg("%s", why);
        assert_int_equal(n, 2);
        assert_memory_equal(m.text, text, sizeof text);
        assert_int_equal(m.nsymbols, 4);
        elf_free(&m);
        free(moved);
    }
    free(bytes);
}

static void test_minimal(void **state)
{
    (void)state;
    struct elf_image tiny = {.entry = 0x80000000, .text_addr = 0x80000000, .text = text, .text_words = 1}, m;
    void *bytes;
    size_t size, n;
    const char *why = "";
    assert_true(elf_write(&tiny, &bytes, &size, &why));
    assert_true(elf_read(bytes, size, &m, NULL, 0, &n, &why));
    assert_int_equal(n, 1);
    assert_int_equal(m.text_words, 1);
    assert_null(m.note);
    elf_free(&m);
    free(bytes);
}

static void test_refused(void **state)
{
    (void)state;
    struct elf_image bad = sample;
    void *bytes;
    size_t size;
    const char *why = NULL;
    bad.rodata_addr = 0x80000004;
    assert_false(elf_write(&bad, &bytes, &size, &why));
    assert_string_equal(why, "text and constants overlap");
    bad = sample;
    bad.text_addr = 0xfffffffc;
    assert_false(elf_write(&bad, &bytes, &size, &why));
    bad = sample;
    bad.text_addr = 0x80000002;
    assert_false(elf_write(&bad, &bytes, &size, &why));

    struct elf_image m;
    assert_false(elf_read("", 0, &m, NULL, 0, NULL, &why));
    assert_false(elf_read("\177ELF", 4, &m, NULL, 0, NULL, &why));
    write_sample(&bytes, &size);
    uint8_t *b = bytes;
    b[18] = 62; /* x86-64 */
    assert_false(elf_read(bytes, size, &m, NULL, 0, NULL, &why));
    assert_string_equal(why, "this ELF file is for another machine (not RISC-V)");
    b[18] = 243;
    b[16] = 1; /* relocatable */
    assert_false(elf_read(bytes, size, &m, NULL, 0, NULL, &why));
    assert_non_null(strstr(why, "is an object"));
    b[16] = 2;
    b[39] = 3; /* two revisions that no machine has together */
    assert_false(elf_read(bytes, size, &m, NULL, 0, NULL, &why));
    assert_string_equal(why, "the ELF header names an instruction set that is not known here");
    b[39] = PROFILE_R21;
    b[16] = 3; /* shared */
    assert_false(elf_read(bytes, size, &m, NULL, 0, NULL, &why));
    assert_string_equal(why, "this ELF file is not an executable");
    free(bytes);
}

/* A word of the program header of the rodata, with the value there and one beyond it. */
static void segment_limit(size_t offset, uint32_t most, const char *want)
{
    void *bytes;
    size_t size, n;
    struct elf_image m;
    const char *why = "";
    write_sample(&bytes, &size);
    char *word = (char *)bytes + 52 + 32 + offset; /* behind the ELF header and the text's */
    memcpy(word, &most, 4);
    if (!elf_read(bytes, size, &m, NULL, 0, &n, &why)) fail_msg("at the limit: %s", why);
    elf_free(&m);
    most++;
    memcpy(word, &most, 4);
    assert_false(elf_read(bytes, size, &m, NULL, 0, &n, &why));
    assert_string_equal(why, want);
    free(bytes);
}

/* Bytes of a section by its name; NULL: there is none. */
static const char *section(void *bytes, size_t size, const char *name, size_t *length)
{
    Elf *elf = elf_memory(bytes, size);
    const char *found = NULL;
    size_t names;
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        const Elf32_Shdr *header = elf32_getshdr(s);
        if (strcmp(elf_strptr(elf, names, header->sh_name), name)) continue;
        found = (const char *)bytes + header->sh_offset;
        *length = header->sh_size;
    }
    elf_end(elf);
    return found;
}

/* Sections that are not part of the program: behind those of kernels, and in nobody's way. */
static void test_sections(void **state)
{
    static const struct elf_section sections[] = {{".debug_a", (const uint8_t *)"first", 5},
                                                  {".debug_b", (const uint8_t *)"2nd", 3}};
    struct elf_image image = sample, m;
    void *bytes;
    size_t size, length = 0, n;
    const char *why = "", *found;
    (void)state;
    image.sections = sections;
    image.nsections = 2;
    assert_true(elf_write(&image, &bytes, &size, &why));
    found = section(bytes, size, ".debug_a", &length);
    assert_true(found && length == 5 && !memcmp(found, "first", 5));
    found = section(bytes, size, ".debug_b", &length);
    assert_true(found && length == 3 && !memcmp(found, "2nd", 3));
    assert_non_null(section(bytes, size, ".ventus.resource.other", &length));
    assert_true(elf_read(bytes, size, &m, NULL, 0, &n, &why));
    assert_int_equal(m.nresources, sample.nresources);
    elf_free(&m);
    free(bytes);
}

static void test_segments(void **state)
{
    (void)state;
    void *bytes;
    size_t size;
    write_sample(&bytes, &size);
    free(bytes);
    segment_limit(16, sizeof rodata, "a segment lies outside the file");                   /* more than in memory */
    segment_limit(4, (uint32_t)(size - sizeof rodata), "a segment lies outside the file"); /* where it is */
    segment_limit(8, UINT32_MAX - sizeof rodata + 1, "a segment lies outside the address space"); /* and is put */
}

/* Reads every byte that the reader handed out; the sanitizers say whether they are ours. */
static uint32_t touch(const struct elf_image *m, const struct elf_segment *seg, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < m->text_words; i++) sum += m->text[i];
    for (size_t i = 0; i < m->rodata_size; i++) sum += m->rodata[i];
    for (size_t i = 0; i < m->nsymbols; i++) sum += (uint32_t)strlen(m->symbols[i].name);
    for (size_t i = 0; i < m->nresources; i++)
        sum += m->resources[i].value[3] + (m->resources[i].kernel ? strlen(m->resources[i].kernel) : 0);
    for (size_t i = 0; i < n && i < 4; i++)
        for (size_t k = 0; k < seg[i].filesize; k++) sum += ((const uint8_t *)seg[i].data)[k];
    return sum + (m->note ? (uint32_t)strlen(m->note) : 0);
}

/* A place worth damaging: half of the time a header or table rather than any byte of the padding. */
static size_t place(const uint8_t *b, size_t size)
{
    uint32_t shoff;
    memcpy(&shoff, b + 32, 4);
    switch (rng() % 4) {
    case 0: return rng() % 116;                    /* ELF and program headers */
    case 1: return shoff + rng() % (size - shoff); /* section headers */
    case 2: return shoff - 1 - rng() % 600;        /* symbols, notes, strings */
    default: return rng() % size;
    }
}

static void test_damaged(void **state)
{
    (void)state;
    void *bytes;
    size_t size;
    unsigned refused = 0;
    volatile uint32_t sum = 0;
    write_sample(&bytes, &size);
    /* The file ends at a page that cannot be read, so that libelf's own reads are checked as well. */
    size_t room = (size + 8191) / 4096 * 4096;
    uint8_t *fence = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(fence, MAP_FAILED);
    assert_int_equal(mprotect(fence + room, 4096, PROT_NONE), 0);
    for (int i = 0; i < 20000; i++) {
        static const uint8_t edge[] = {0, 1, 0x7f, 0x80, 0xff};
        size_t cut = i % 5 ? size : rng() % (size + 1), n = 0;
        uint8_t *damaged = fence + room - cut;
        memcpy(damaged, bytes, cut);
        for (unsigned k = 1 + rng() % 4; k--;) {
            size_t at = place(bytes, size);
            if (at < cut) damaged[at] = rng() % 2 ? edge[rng() % sizeof edge] : (uint8_t)rng();
        }
        struct elf_image m;
        struct elf_segment seg[4];
        const char *why = NULL;
        if (elf_read(damaged, cut, &m, seg, 4, &n, &why)) {
            sum += touch(&m, seg, n);
            elf_free(&m);
        } else {
            assert_non_null(why);
            refused++;
        }
    }
    munmap(fence, room + 4096);
    assert_true(refused > 1000);
    free(bytes);
}

/* binutils' opinion of the file. */
static void test_readelf(void **state)
{
    (void)state;
    if (system("readelf --version >/dev/null 2>&1")) skip();
    void *bytes;
    size_t size;
    char name[] = "/tmp/ventus-elf-XXXXXX", command[128];
    write_sample(&bytes, &size);
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
    snprintf(command, sizeof command, "! readelf -aW %s 2>&1 | grep -iE 'warning|error|corrupt|<unknown>'", name);
    int status = system(command);
    unlink(name);
    free(bytes);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_unaligned), cmocka_unit_test(test_minimal),
        cmocka_unit_test(test_sections),   cmocka_unit_test(test_segments),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damaged),    cmocka_unit_test(test_readelf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
