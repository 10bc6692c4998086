/* Device memory under pressure: fragmentation, exhaustion, policies, and many threads; and which devices there are. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"
#include "driver/gpu.h"
#include "isa/abi.h"

enum { MIB = 1 << 20 };

static ventus_device *open_device(void)
{
    ventus_device *d = NULL;
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    return d;
}

static struct ventus_memory usage(ventus_device *d)
{
    struct ventus_memory m;
    ventus_memory(d, &m);
    assert_int_equal(m.size, ventus_memory_size(d));
    assert_true(m.used <= m.size + ABI_PAGE && m.largest <= m.size);
    return m;
}

/* Every second of many blocks is freed: no larger block fits between, and all of it comes back. */
static void test_fragmentation(void **state)
{
    enum { N = 1700 };
    ventus_device *d = open_device();
    static uint32_t addr[N];
    uint32_t one;
    (void)state;
    assert_int_equal(usage(d).largest, ventus_memory_size(d));
    for (int i = 0; i < N; i++) assert_int_equal(ventus_alloc(d, MIB, &addr[i]), VENTUS_OK);
    struct ventus_memory full = usage(d);
    assert_int_equal(full.blocks, N);
    assert_int_equal(full.used, (uint64_t)N * (MIB + ABI_PAGE));
    for (int i = 0; i < N; i += 2) assert_int_equal(ventus_free(d, addr[i]), VENTUS_OK);
    uint64_t tail = full.largest, holes = (uint64_t)N / 2 * (MIB + ABI_PAGE);
    assert_int_equal(usage(d).used, full.used - holes);
    assert_int_equal(usage(d).largest, tail);
    assert_int_equal(ventus_alloc(d, tail + 1, &one), VENTUS_NO_DEVICE_MEMORY);
    assert_int_equal(ventus_alloc(d, MIB + 1, &one), VENTUS_OK); /* behind all others */
    assert_true(one > addr[N - 1]);
    assert_int_equal(ventus_alloc(d, MIB, &one), VENTUS_OK); /* the first hole */
    assert_int_equal(one, addr[0]);
    for (int i = 0; i < N; i += 2) assert_int_equal(ventus_alloc(d, i ? MIB : 0x1000, &one), VENTUS_OK);
    assert_int_equal(ventus_free_all(d), VENTUS_OK);
    assert_int_equal(usage(d).blocks, 0);
    assert_int_equal(usage(d).largest, ventus_memory_size(d));
    assert_int_equal(ventus_alloc(d, ventus_memory_size(d), &one), VENTUS_OK);
    assert_int_equal(usage(d).largest, 0);
    ventus_close(d);
}

static void test_policies(void **state)
{
    ventus_device *d = open_device();
    uint32_t a, b, c;
    uint8_t bytes[8];
    (void)state;
    assert_int_equal(ventus_heap(d, 4), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_heap(d, VENTUS_HEAP_PACKED), VENTUS_OK);
    assert_int_equal(ventus_memory_size(d), ABI_HEAP_LIMIT - ABI_HEAP_BASE);
    ventus_alloc(d, 4096, &a);
    ventus_alloc(d, 1, &b);
    assert_int_equal(b, a + 4096);
    assert_int_equal(ventus_read(d, bytes, a + 4092, 8), VENTUS_OUT_OF_RANGE); /* two blocks all the same */
    assert_int_equal(ventus_heap(d, 0), VENTUS_BAD_ARGUMENT);                  /* too late */
    ventus_free(d, a);
    ventus_alloc(d, 4096, &c);
    assert_int_equal(c, a);
    ventus_free_all(d);
    assert_int_equal(ventus_heap(d, VENTUS_HEAP_PACKED | VENTUS_HEAP_ASCENDING), VENTUS_OK);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(ventus_alloc(d, 4096, &a), VENTUS_OK);
        assert_int_equal(a, ABI_HEAP_BASE + i * 4096);
        assert_int_equal(ventus_free(d, a), VENTUS_OK);
    }
    assert_int_equal(ventus_alloc(d, ventus_memory_size(d), &b), VENTUS_NO_DEVICE_MEMORY);
    ventus_close(d);
}

/* ---- blocks that come and go ---- */

static long faults_of_host(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_minflt;
}

/* Bytes of this process that lie in memory. */
static int64_t resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static uint8_t byte_at(ventus_device *d, uint32_t addr)
{
    uint8_t byte = 1;
    assert_int_equal(ventus_read(d, &byte, addr, 1), VENTUS_OK);
    return byte;
}

/* A block in the place of one that has been freed finds its pages in memory, but nothing in them. */
static void test_again(void **state)
{
    enum { ROUNDS = 100 };
    ventus_device *d = open_device();
    uint8_t *bytes = malloc(MIB);
    uint32_t addr, first = 0;
    (void)state;
    memset(bytes, 1, MIB);
    const long before = faults_of_host();
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(ventus_alloc(d, MIB, &addr), VENTUS_OK);
        if (!i) first = addr;
        assert_int_equal(addr, first);
        for (uint32_t at = 0; at < MIB; at += 999) assert_int_equal(byte_at(d, addr + at), 0);
        assert_int_equal(ventus_write(d, addr, bytes, MIB), VENTUS_OK);
        assert_int_equal(ventus_free(d, addr), VENTUS_OK);
        assert_int_equal(ventus_read(d, bytes, addr, 1), VENTUS_OUT_OF_RANGE);
    }
    assert_in_range(faults_of_host() - before, 0, ROUNDS * (MIB / ABI_PAGE) / 4);
    assert_int_equal(ventus_alloc(d, MIB / 2, &addr), VENTUS_OK); /* of another size */
    assert_int_equal(addr, first);
    assert_int_equal(byte_at(d, addr + MIB / 2 - 1), 0);
    assert_null(gpu_mem(device_gpu(d), addr + MIB / 2, 1));
    free(bytes);
    ventus_close(d);
}

/* Freed blocks keep no more than a part of their memory. Blocks of one size have one place and its memory: a byte may
 * take a large page. */
static void test_kept_memory(void **state)
{
    enum { SIZE = 16 * MIB, BLOCKS = 10, MOST = 64 * MIB, ELSE = 8 * MIB /* that the process may need meanwhile */ };
    ventus_device *d = open_device();
    uint8_t *bytes = calloc(1, SIZE);
    uint32_t addr[BLOCKS];
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it keeps memory of its own for each page that is written */
#endif
    memset(bytes, 1, SIZE);
    const int64_t before = resident();
    for (uint32_t i = 0; i < 50; i++) {
        const uint32_t at = SIZE / 50 * i;
        assert_int_equal(ventus_alloc(d, SIZE, addr), VENTUS_OK);
        if (i) assert_int_equal(byte_at(d, addr[0] + at - SIZE / 50), 0);
        assert_int_equal(ventus_write(d, addr[0] + at, "x", 1), VENTUS_OK);
        assert_int_equal(ventus_free(d, addr[0]), VENTUS_OK);
    }
    assert_true(resident() - before < SIZE + ELSE);
    for (int i = 0; i < BLOCKS; i++) {
        assert_int_equal(ventus_alloc(d, SIZE, &addr[i]), VENTUS_OK);
        assert_int_equal(ventus_write(d, addr[i], bytes, SIZE), VENTUS_OK);
    }
    assert_true(resident() - before > BLOCKS * SIZE - ELSE);
    for (int i = 0; i < BLOCKS; i++) assert_int_equal(ventus_free(d, addr[i]), VENTUS_OK);
    assert_true(resident() - before < MOST + ELSE);
    assert_int_equal(ventus_free_all(d), VENTUS_OK);
    assert_true(resident() - before < ELSE);
    free(bytes);
    ventus_close(d);
}

/* Does the process ask the host for large pages at an address? */
static bool asks_large(const void *p)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    unsigned long from, end;
    char line[400];
    bool here = false, asks = false;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx ", &from, &end) == 2) here = (uintptr_t)p >= from && (uintptr_t)p < end;
        else if (here && !strncmp(line, "VmFlags:", 8)) asks = strstr(line, " hg") != NULL;
    }
    if (f) fclose(f);
    return asks;
}

/* Large blocks begin where the host can have large pages for them, small ones fill the gaps, and a heap full of large
 * ones is not left half empty. */
static void test_large_pages(void **state)
{
    ventus_device *d = open_device();
    uint32_t small, first, second, third;
    (void)state;
    assert_int_equal(ventus_alloc(d, ABI_PAGE, &small), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, GPU_LARGE_PAGE, &first), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, GPU_LARGE_PAGE + 1, &second), VENTUS_OK);
    const uint8_t *host = gpu_mem(device_gpu(d), first, GPU_LARGE_PAGE);
    assert_int_equal(first % GPU_LARGE_PAGE, 0);
    assert_int_equal((uintptr_t)host % GPU_LARGE_PAGE, 0);
    assert_int_equal(second % GPU_LARGE_PAGE, 0);
    if (!access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK)) {
        assert_true(asks_large(host));
        assert_false(asks_large(gpu_mem(device_gpu(d), small, 1)));
    }
    assert_int_equal(ventus_alloc(d, MIB, &third), VENTUS_OK);
    assert_in_range(third, small, first);
    assert_int_equal(ventus_free(d, first), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, GPU_LARGE_PAGE, &third), VENTUS_OK);
    assert_int_equal(third, first);
    while (ventus_alloc(d, GPU_LARGE_PAGE + 1, &third) == VENTUS_OK) {
    }
    assert_true(usage(d).used > ventus_memory_size(d) / 3 * 2);
    ventus_close(d);
}

/* ---- what launches leave behind ---- */

static enum ventus_status store(ventus_device *d, const ventus_module *m, uint32_t addr)
{
    const uint32_t args[4] = {addr, 1};
    const struct ventus_launch l = program_launch(m, args, 1, 1);
    struct ventus_result result;
    return ventus_run(d, &l, &result, NULL, 0);
}

/* A freed block's pages are closed when a kernel could meet them: at once while one runs, else when the next one is
 * about to. Until then the next block of the place has them as they are, but for what is in them. */
static void test_closed_late(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(STORE), *meet = program_build(MEET);
    uint32_t words, block, again, word = 0;
    ventus_event *event;
    (void)state;
    assert_int_equal(ventus_alloc(d, 8, &words), VENTUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ventus_alloc(d, 5000, &block), VENTUS_OK);
        assert_int_equal(store(d, m, block + 4096), VENTUS_OK);
        assert_int_equal(ventus_free(d, block), VENTUS_OK);
        assert_non_null(gpu_mem(device_gpu(d), block, 5000));
        assert_int_equal(ventus_alloc(d, 5000, &again), VENTUS_OK);
        assert_int_equal(again, block);
        assert_int_equal(ventus_read(d, &word, block + 4096, 4), VENTUS_OK);
        assert_int_equal(word, 0);
        assert_int_equal(ventus_free(d, block), VENTUS_OK);
        assert_int_equal(store(d, m, block), VENTUS_FAULT);
        assert_null(gpu_mem(device_gpu(d), block, 1));
    }
    assert_int_equal(ventus_alloc(d, 5000, &block), VENTUS_OK);
    const struct ventus_launch l = program_launch(meet, (uint32_t[]){words, words + 4, 0, 0}, 1, 1);
    assert_int_equal(ventus_fill(d, words, &word, 4, 8), VENTUS_OK);
    assert_int_equal(ventus_launch(d, &l, 0, NULL, &event), VENTUS_OK);
    assert_int_equal(ventus_event_wait_start(event, VENTUS_FOREVER), VENTUS_OK);
    while (!word) assert_int_equal(ventus_read(d, &word, words, 4), VENTUS_OK);
    assert_int_equal(ventus_free(d, block), VENTUS_OK);
    assert_null(gpu_mem(device_gpu(d), block, 1));
    assert_int_equal(ventus_write(d, words + 4, &word, 4), VENTUS_OK);
    assert_int_equal(ventus_event_wait(event, VENTUS_FOREVER), VENTUS_OK);
    ventus_event_release(event);
    ventus_module_free(m);
    ventus_module_free(meet);
    ventus_close(d);
}

/* Mappings of this process, of which the host allows some 65,000. */
static unsigned count_mappings(void)
{
    unsigned n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    for (int c; f && (c = fgetc(f)) != EOF;) n += c == '\n';
    if (f) fclose(f);
    return n;
}

/* As many of the smallest blocks as there can be, in no more than a moment; then any one of them again. Most of them
 * have no closed page behind them, however they come and go: it would cost mappings. */
static void test_exhaustion(void **state)
{
    enum { PARTED = 8192, PAGES = (ABI_HEAP_LIMIT - ABI_HEAP_BASE) / ABI_PAGE, ALL = PAGES - PARTED };
    ventus_device *d = open_device();
    static uint32_t addr[ALL + 1];
    uint32_t n = 0, again, word;
    const unsigned before = count_mappings();
    (void)state;
    while (n <= ALL && ventus_alloc(d, 1, &addr[n]) == VENTUS_OK) {
        assert_true(!n || addr[n] > addr[n - 1]);
        n++;
    }
    assert_int_equal(n, ALL);
    assert_int_equal(usage(d).used, (uint64_t)PAGES * ABI_PAGE);
    assert_in_range(count_mappings() - before, 0, 2 * PARTED + 100);
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t it = addr[i * 7919u % n];
        assert_int_equal(ventus_write(d, it, "x", 1), VENTUS_OK);
        assert_int_equal(ventus_free(d, it), VENTUS_OK);
        assert_int_equal(ventus_alloc(d, 1, &again), VENTUS_OK);
        assert_int_equal(again, it);
        assert_int_equal(ventus_read(d, &word, it, 1), VENTUS_OK);
        assert_int_equal(word & 0xff, 0);
    }
    for (uint32_t i = 0; i < n; i += 500) assert_int_equal(ventus_free(d, addr[n - 1 - i]), VENTUS_OK);
    assert_in_range(count_mappings() - before, 0, 2 * PARTED + 100);
    ventus_close(d);
    assert_in_range(count_mappings(), 0, before + 100);
}

/* Behind a block that has a closed page again nothing is open that others have left. */
static void test_closed_again(void **state)
{
    enum { N = 8192 + 100 };
    ventus_device *d = open_device();
    ventus_module *m = program_build(STORE);
    static uint32_t addr[N];
    uint32_t block;
    (void)state;
    for (int i = 0; i < N; i++) assert_int_equal(ventus_alloc(d, 4, &addr[i]), VENTUS_OK);
    assert_int_equal(addr[N - 1], addr[N - 2] + ABI_PAGE); /* they share a mapping */
    assert_int_equal(store(d, m, addr[N - 1]), VENTUS_OK);
    for (int i = 0; i < N; i++) assert_int_equal(ventus_free(d, addr[i]), VENTUS_OK);
    assert_int_equal(ventus_alloc(d, addr[N - 50] - addr[0] - ABI_PAGE, &block),
                     VENTUS_OK); /* all the room before it */
    assert_int_equal(ventus_alloc(d, 4, &block), VENTUS_OK);
    assert_int_equal(block, addr[N - 50]);
    assert_int_equal(store(d, m, block + ABI_PAGE), VENTUS_FAULT);
    ventus_module_free(m);
    ventus_close(d);
}

static void assert_zero(ventus_device *d, uint32_t addr, uint64_t size)
{
    static uint8_t bytes[4 * ABI_PAGE];
    assert_true(size <= sizeof bytes);
    assert_int_equal(ventus_read(d, bytes, addr, size), VENTUS_OK);
    for (uint64_t i = 0; i < size; i++) assert_int_equal(bytes[i], 0);
}

/* The metadata of a launch lies where the next block will, its private memory two pages further. When the launch has
 * ended this is free memory like any other: nobody's, zero when allocated again, closed behind the block. */
static void test_after_launches(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build_private(STORE, 4);
    uint32_t word, block, place;
    uint8_t byte;
    (void)state;
    assert_int_equal(ventus_alloc(d, 4, &word), VENTUS_OK);
    place = word + 2 * ABI_PAGE;
    for (uint64_t pages = 1; pages <= 4; pages++) {
        assert_int_equal(store(d, m, word), VENTUS_OK);
        assert_int_equal(store(d, m, word), VENTUS_OK);
        assert_int_equal(usage(d).blocks, 1);
        assert_int_equal(ventus_read(d, &byte, place, 1), VENTUS_OUT_OF_RANGE);
        assert_int_equal(ventus_alloc(d, pages * ABI_PAGE, &block), VENTUS_OK);
        assert_int_equal(block, place);
        assert_zero(d, block, pages * ABI_PAGE);
        assert_int_equal(store(d, m, block + (uint32_t)pages * ABI_PAGE), VENTUS_FAULT);
        assert_int_equal(ventus_free(d, block), VENTUS_OK);
    }
    ventus_module_free(m);
    ventus_close(d);
}

/* ---- threads ---- */

struct worker {
    ventus_device *device;
    uint32_t number, failures;
};

/* Blocks of one thread hold its number, whatever the others do. */
static void *work(void *user)
{
    enum { SLOTS = 16 };
    struct worker *w = user;
    uint32_t addr[SLOTS] = {0}, size[SLOTS], seed = w->number;
    for (int i = 0; i < 1000; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t k = seed >> 16 & (SLOTS - 1), value = w->number * 0x01010101, got = 0;
        if (!addr[k]) {
            size[k] = 4 + (seed >> 8 & 0xfffc);
            w->failures += ventus_alloc(w->device, size[k], &addr[k]) != VENTUS_OK;
            w->failures += ventus_fill(w->device, addr[k], &value, 4, size[k]) != VENTUS_OK;
        } else {
            w->failures += ventus_copy(w->device, addr[k], addr[k] + size[k] - 4, 4) != VENTUS_OK;
            w->failures += ventus_read(w->device, &got, addr[k], 4) != VENTUS_OK || got != value;
            w->failures += ventus_free(w->device, addr[k]) != VENTUS_OK;
            addr[k] = 0;
        }
    }
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 4 };
    ventus_device *d[2] = {open_device(), open_device()};
    struct worker w[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    for (uint32_t i = 0; i < THREADS; i++) {
        w[i] = (struct worker){d[i / 3], i + 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(w[i].failures, 0);
    }
    ventus_close(d[0]);
    ventus_close(d[1]);
}

/* ---- which devices there are ---- */

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_devices(void **state)
{
    char small[] = "/tmp/ventus-small-XXXXXX", broken[] = "/tmp/ventus-broken-XXXXXX", list[200], why[300] = "";
    struct ventus_info info;
    ventus_device *d = NULL;
    (void)state;
    assert_int_equal(ventus_api_version() >> 16, VENTUS_API_VERSION >> 16);
    unsetenv("VENTUS_CONFIG");
    assert_int_equal(ventus_device_count(), 1);
    assert_int_equal(ventus_describe(0, &info, NULL, 0), VENTUS_OK);
    assert_string_equal(info.name, "Ventus GPGPU");
    assert_int_equal(ventus_describe(1, &info, NULL, 0), VENTUS_BAD_ARGUMENT);

    close(mkstemp(small));
    close(mkstemp(broken));
    write_file(small, "threads_per_warp = 8\nsms = 1\n");
    write_file(broken, "sms = 1\nthreads_per_warp = 7\n");
    snprintf(list, sizeof list, "%s::%s:", small, broken);
    setenv("VENTUS_CONFIG", list, 1);
    assert_int_equal(ventus_device_count(), 2);
    assert_int_equal(ventus_describe(0, &info, why, sizeof why), VENTUS_OK);
    assert_int_equal(info.threads_per_warp, 8);
    assert_non_null(strstr(info.name, "ventus-small"));
    assert_int_equal(ventus_describe(1, &info, why, sizeof why), VENTUS_BAD_CONFIG);
    assert_non_null(strstr(why, broken));
    assert_int_equal(ventus_open(1, &d), VENTUS_BAD_CONFIG);
    assert_int_equal(ventus_open(2, &d), VENTUS_BAD_ARGUMENT);
    assert_null(d);
    assert_int_equal(ventus_open(0, &d), VENTUS_OK);
    ventus_device_info(d, &info);
    assert_int_equal(info.threads_per_warp, 8);
    assert_non_null(strstr(info.name, "ventus-small"));
    ventus_close(d);
    d = NULL;
    assert_int_equal(ventus_open_file(small, &d, why, sizeof why), VENTUS_OK);
    ventus_device_info(d, &info);
    assert_int_equal(info.sms, 1);
    assert_string_equal(info.profile, "default");
    assert_non_null(strstr(info.name, "ventus-small"));
    ventus_close(d);
    d = NULL;
    assert_int_equal(ventus_open_file("/nowhere", &d, why, sizeof why), VENTUS_BAD_CONFIG);
    assert_non_null(strstr(why, "/nowhere"));
    assert_null(d);
    unsetenv("VENTUS_CONFIG");
    unlink(small);
    unlink(broken);
}

/* Only buffers and the segments of the module can be copied, not what else the machine has. */
static void test_no_buffer(void **state)
{
    ventus_device *d = open_device();
    ventus_module *m = program_build(STORE);
    uint32_t buffer, word = 5;
    (void)state;
    assert_int_equal(ventus_alloc(d, 4, &buffer), VENTUS_OK);
    const uint32_t args[4] = {buffer, 7};
    struct ventus_launch l = program_launch(m, args, 64, 32);
    struct ventus_result result;
    assert_int_equal(ventus_run(d, &l, &result, NULL, 0), VENTUS_OK);
    assert_int_equal(ventus_read(d, &word, buffer, 4), VENTUS_OK);
    assert_int_equal(word, 7);
    assert_int_equal(ventus_read(d, &word, ABI_CODE_BASE, 4), VENTUS_OK);
    const uint32_t others[] = {0,
                               ABI_LOCAL_BASE,
                               ABI_LOCAL_BASE + 1024,
                               ABI_CODE_BASE - 4,
                               ABI_CODE_BASE + 4092,
                               ABI_CODE_LIMIT - 4,
                               buffer - 4,
                               buffer + ABI_PAGE,
                               0xfffffffc};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_not_equal(ventus_read(d, &word, others[i], 4), VENTUS_OK);
        assert_int_not_equal(ventus_write(d, others[i], &word, 4), VENTUS_OK);
    }
    ventus_close(d);
    ventus_module_free(m);
}

/* Memory at the same address in the host: one memory, no two devices have the same, a device that goes gives it back.
 */
static void test_shared(void **state)
{
    uint32_t addr[3], word = 0;
    ventus_device *d = open_device(), *other = open_device();
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    assert_false(ventus_can_share());
    assert_int_equal(ventus_alloc_shared(d, 4096, &addr[0]), VENTUS_NO_DEVICE_MEMORY);
#else
    assert_true(ventus_can_share());
    assert_int_equal(ventus_alloc_shared(d, 5000, &addr[0]), VENTUS_OK);
    assert_int_equal(addr[0], ABI_HEAP_BASE);
    uint32_t *host = (uint32_t *)(uintptr_t)addr[0];
    assert_int_equal(host[0] | host[2047], 0); /* whole pages */
    host[1] = 5;
    assert_int_equal(ventus_read(d, &word, addr[0] + 4, 4), VENTUS_OK);
    assert_int_equal(word, 5);
    assert_int_equal(ventus_write(d, addr[0] + 8, &word, 4), VENTUS_OK);
    assert_int_equal(host[2], 5);
    assert_int_equal(usage(d).used, 3 * ABI_PAGE);
    assert_int_equal(ventus_alloc_shared(other, 5000, &addr[1]), VENTUS_OK);
    assert_int_not_equal(addr[1], addr[0]);
    assert_int_equal(ventus_alloc(other, 4096, &addr[2]), VENTUS_OK); /* this takes nothing of the host's */
    assert_int_equal(addr[2], addr[0]);
    assert_int_equal(ventus_free(other, addr[2]), VENTUS_OK);
    ventus_close(d);
    assert_int_equal(ventus_alloc_shared(other, 5000, &addr[2]), VENTUS_OK);
    assert_int_equal(addr[2], addr[0]);
    assert_int_equal(host[1], 0);
    assert_int_equal(ventus_free(other, addr[1]), VENTUS_OK);
    assert_int_equal(ventus_free(other, addr[2]), VENTUS_OK);
    assert_int_equal(usage(other).used, 0);
    d = open_device();
#endif
    assert_int_equal(ventus_alloc_shared(NULL, 4096, &addr[0]), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_alloc_shared(d, 0, &addr[0]), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_alloc_shared(d, 4096, NULL), VENTUS_BAD_ARGUMENT);
    assert_int_equal(ventus_alloc_shared(d, UINT64_MAX, &addr[0]), VENTUS_NO_DEVICE_MEMORY);
    assert_int_equal(ventus_alloc_shared(d, ventus_memory_size(d) + 1, &addr[0]), VENTUS_NO_DEVICE_MEMORY);
    ventus_close(d);
    ventus_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fragmentation),  cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_closed_again),   cmocka_unit_test(test_policies),
        cmocka_unit_test(test_after_launches), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_devices),        cmocka_unit_test(test_no_buffer),
        cmocka_unit_test(test_shared),         cmocka_unit_test(test_again),
        cmocka_unit_test(test_kept_memory),    cmocka_unit_test(test_closed_late),
        cmocka_unit_test(test_large_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
