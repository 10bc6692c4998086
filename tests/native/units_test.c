/* Translations, copies of code and processes that no launch needs any more do not pile up; tools of the host know the
 * names of translations. */
#include <elf.h>
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sim/guest.h"
#include "isa/abi.h"
#include "native/native.h"
#include "native/symbols.h"
#include "sim/counts.h"

enum { METADATA = 0x8000, LAUNCHES = 100, MIB = 1 << 20 };

/* Of the sanitizers, whose own memory and whose blocks that are kept for some time after free() do not count. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* What has been allocated and not been freed. */
static size_t heap_bytes(void)
{
    if (__sanitizer_get_current_allocated_bytes) return __sanitizer_get_current_allocated_bytes();
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* Launches of two megabytes of code for work-groups of other sizes each time, so that each is a translation of its
 * own: 200 MiB of code in all. */
static void test_memory(void **state)
{
    struct gpu_config c;
    struct guest g;
    (void)state;
    gpu_config_default(&c);
    c.host_threads = 1;
    c.engine = &engine_native;
    guest_open_config(&g, &c);
    guest_assemble(&g, " li x5, 1\n endprg\n .zero 2000000\n");
    assert_true(engine_use(g.gpu, NULL)); /* nothing is hot, so nothing is translated */
    g.launch.knl = GUEST_DATA + METADATA;
    size_t before = heap_bytes();
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        g.data[(METADATA + ABI_META_LOCAL_SIZE) / 4] = 8 + i;
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
    }
    assert_true(heap_bytes() - before < (size_t)120 * MIB);
    guest_close(&g);
}

/* What gdb finds in a process: a list of object files. */
extern struct {
    uint32_t version, action;
    struct object_file {
        struct object_file *next, *prev;
        const Elf64_Ehdr *file;
        uint64_t size;
    } * relevant, *first;
} __jit_debug_descriptor;

/* The name and the address of the object's one symbol. */
static const char *symbol_of(const struct object_file *o, uint64_t *address)
{
    const uint8_t *bytes = (const uint8_t *)o->file;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + o->file->e_shoff), *symbols = sections;
    assert_memory_equal(o->file->e_ident, ELFMAG, SELFMAG);
    while (symbols->sh_type != SHT_SYMTAB) symbols++;
    const Elf64_Sym *symbol = (const Elf64_Sym *)(bytes + symbols->sh_offset) + 1;
    *address = symbol->st_value;
    return (const char *)(bytes + sections[symbols->sh_link].sh_offset + symbol->st_name);
}

static uint32_t count_objects(void)
{
    uint32_t n = 0;
    for (const struct object_file *o = __jit_debug_descriptor.first; o; o = o->next) n++;
    return n;
}

/* One translation does for all warps that have the same lanes; where warps of either kind come again and again, one for
 * all of them. */
static void test_lanes(void **state)
{
    static const struct {
        uint32_t items, last, groups[2], translations;
    } cases[] = {{64, 0, {3, 2}, 1},  {16, 0, {3, 2}, 1},  {48, 0, {3, 2}, 1}, {64, 33, {3, 1}, 2},
                 {64, 33, {3, 2}, 1}, {64, 64, {3, 1}, 1}, {7, 3, {1, 1}, 1},  {7, 3, {2, 1}, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_config c;
        struct guest g;
        gpu_config_default(&c);
        c.host_threads = 1;
        c.engine = &engine_native;
        guest_open_config(&g, &c);
        guest_assemble(&g, " li x5, 1\n vmv.v.x v1, x5\n endprg\n");
        g.launch.warps = (cases[i].items + 31) / 32;
        g.launch.work_items = cases[i].items;
        g.launch.last_items = cases[i].last;
        memcpy(g.launch.groups, cases[i].groups, sizeof cases[i].groups);
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(count_objects(), cases[i].translations);
        guest_close(&g);
    }
}

/* How many translations there are behind each launch of a kernel whose lanes diverge for 6,000 instructions, in code
 * for convergent warps; in front of that they are convergent for so many rounds. */
static void expect_translations(int rounds, const uint32_t *translations, size_t count)
{
    struct gpu_config c;
    struct guest g;
    char text[400];
    gpu_config_default(&c);
    c.host_threads = 1;
    c.engine = &engine_native;
    setenv("VENTUS_TRANSLATE_LANES", "convergent", 1);
    guest_open_config(&g, &c);
    unsetenv("VENTUS_TRANSLATE_LANES");
    snprintf(text, sizeof text,
             " li x7, %d\nall: addi x7, x7, -1\n bne x7, x0, all\n vid.v v1\n li x5, 5\n li x6, 2000\n la x8, out\n"
             " setrpc x0, x8, 0\n vmv.v.x v2, x5\n vblt v1, v2, some\n j out\nsome: addi x6, x6, -1\n"
             " vadd.vi v3, v3, 1\n bne x6, x0, some\nout: join\n endprg\n",
             rounds);
    guest_assemble(&g, text);
    for (size_t i = 0; i < count; i++) {
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_int_equal(count_objects(), translations[i]);
    }
    guest_close(&g);
}

static void test_hot(void **state)
{
    static const uint32_t soon[] = {1, 1, 1, 1, 2, 2}, never[] = {1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    expect_translations(1, soon, sizeof soon / sizeof *soon);
    expect_translations(225000, never, sizeof never / sizeof *never);
}

/* What `step` executes again and again is translated beside it, and taken once it is ready. */
static void test_beside(void **state)
{
    struct gpu_config c;
    struct guest g;
    (void)state;
    gpu_config_default(&c);
    c.host_threads = 1;
    guest_open_config(&g, &c);
    guest_assemble(&g, " li x5, 20000\nloop: addi x5, x5, -1\n bne x5, x0, loop\n endprg\n");
    assert_true(engine_use(g.gpu, NULL));
    for (int i = 0; i < 30000 && !native_executed(g.gpu); i++) guest_run(&g);
    assert_true(native_executed(g.gpu) > 0);
    guest_close(&g);
}

static void expect_line(uint64_t address, const char *name)
{
    char path[64], line[200];
    unsigned long at = 0, size;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lx %lx %199s", &at, &size, line), 3);
    fclose(f);
    remove(path);
    assert_true(at == address && size > 0);
    assert_string_equal(line, name);
}

static void test_symbols(void **state)
{
    struct gpu_config c;
    struct guest g;
    uint64_t address;
    (void)state;
    gpu_config_default(&c);
    c.host_threads = 1;
    c.engine = &engine_native;
    setenv("VENTUS_PERF", "1", 1);
    guest_open_config(&g, &c);
    guest_assemble(&g, " li x5, 1\n endprg\n");
    g.options.kernel = "square";
    guest_run(&g);
    unsetenv("VENTUS_PERF");
    assert_non_null(__jit_debug_descriptor.first);
    assert_string_equal(symbol_of(__jit_debug_descriptor.first, &address), "square");
    expect_line(address, "square");
    guest_close(&g);
    assert_null(__jit_debug_descriptor.first);
}

/* A file of perf's name that somebody else has put there is left alone, whatever it is; a pipe does not stop us. */
static void test_foreign_map(void **state)
{
    char path[64], target[] = "/tmp/native_units_test-XXXXXX";
    struct stat s;
    (void)state;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    close(mkstemp(target));
    setenv("VENTUS_PERF", "1", 1);
    for (int kind = 0; kind < 5; kind++) {
        remove(path);
        if (kind == 0) assert_int_equal(link(target, path), 0);
        if (kind == 1) assert_int_equal(symlink(target, path), 0);
        if (kind == 2) assert_int_equal(mkfifo(path, 0600), 0);
        if (kind >= 3) close(open(path, O_CREAT | O_WRONLY, 0600));
        if (kind == 3) assert_int_equal(chmod(path, 0666), 0);
        if (kind == 4 && chown(path, 1, 1)) continue; /* not as root: nobody else's file can be made */
        struct native_symbol *symbol = symbol_add("name", &s, 8);
        assert_int_equal(stat(kind == 2 ? target : path, &s), 0);
        assert_int_equal(s.st_size, 0);
        symbol_remove(symbol);
    }
    unsetenv("VENTUS_PERF");
    remove(path);
    remove(target);
}

/* Each SM has executions of its own, so that none is lost when host threads count at once. */
static void test_counts_on_threads(void **state)
{
    enum { GROUPS = 20000, WORDS = 6 };
    struct gpu_config c;
    struct guest g;
    uint64_t executions = 0;
    (void)state;
    gpu_config_default(&c);
    c.engine = &engine_native;
    c.sms = c.host_threads = 4;
    guest_open_config(&g, &c);
    guest_assemble(&g, " li x5, 2000\nloop: addi x5, x5, -1\n vadd.vi v1, v1, 1\n bne x5, x0, loop\n endprg\n");
    g.launch.groups[0] = GROUPS;
    g.options.counts = counts_new(c.sms, ABI_CODE_BASE, ABI_CODE_BASE + 4 * WORDS);
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    assert_true(native_executed(g.gpu) > 0);
    gpu_settle_counts(g.gpu);
    for (uint32_t i = 0; i < WORDS; i++) executions += counts_at(g.options.counts, ABI_CODE_BASE + 4 * i).executions;
    assert_int_equal(executions, g.result.counters.instructions);
    counts_free(g.options.counts);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_symbols),
                                       cmocka_unit_test(test_foreign_map),
                                       cmocka_unit_test(test_lanes),
                                       cmocka_unit_test(test_hot),
                                       cmocka_unit_test(test_beside),
                                       cmocka_unit_test(test_counts_on_threads)};
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
