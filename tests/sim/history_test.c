/* What a debugger goes back by: pages are copied when a launch writes them for the first time, and putting them back
 * makes memory what it was when the launch began, whoever has written it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "debug/parts.h"
#include "guest.h"
#include "sim/sv39.h"

enum { PAGES = 0x110 };
#define MEMORY   0xa0000000u
#define ALL      0x60000000u /* of the heap: 1.5 GiB */
#define GIGABYTE 0x40000000u

/* A debugger in small: it lets the launch end, and begin again so many times. */
struct traveller {
    struct guest g;
    struct observer observer;
    struct history *history;
    unsigned again;                            /* times to go back */
    void (*meanwhile)(struct traveller *t);    /* called once, at an instruction of the first run */
    uint32_t at;                               /* its address, behind the first one */
    uint8_t *memory, before[PAGES * ABI_PAGE]; /* now, and as it is to be after going back; NULL: not compared */
    bool begun;
    _Atomic bool over;
    struct warp *warp;
};

static void on_begin(void *user, const struct launch *launch, const struct launch_info *info)
{
    struct traveller *t = user;
    (void)launch, (void)info;
    if (!t->begun) history_begin(t->history, t->g.gpu);
    t->begun = true;
}

static enum observed on_before(void *user, struct warp *w, const struct insn *in)
{
    struct traveller *t = user;
    void (*meanwhile)(struct traveller *) = t->meanwhile;
    (void)in;
    if (!meanwhile || w->pc != ABI_CODE_BASE + t->at) return GO_ON;
    t->meanwhile = NULL;
    t->warp = w;
    meanwhile(t);
    return GO_ON;
}

static void on_access(void *user, const struct warp *w, const struct insn *in, const struct access *a)
{
    const struct traveller *t = user;
    (void)in;
    if (a->write) history_access(t->history, w, a);
}

static void on_change(void *user, const struct warp *w, uint64_t addr, uint32_t size)
{
    const struct traveller *t = user;
    history_write(t->history, w, addr, size);
}

/* Each run writes something, or there would be nothing to put back. */
static bool on_again(void *user)
{
    struct traveller *t = user;
    if (!t->again--) return false;
    assert_null(history_missing(t->history));
    if (t->memory) assert_memory_not_equal(t->memory, t->before, sizeof t->before);
    history_restore(t->history);
    if (t->memory) assert_memory_equal(t->memory, t->before, sizeof t->before);
    return true;
}

static void open_traveller(struct traveller *t, const struct gpu_config *config)
{
    guest_open_config(&t->g, config);
    t->history = history_new();
    assert_non_null(t->history);
    // clang-format off
    t->observer = (struct observer){.user = t, .launch_begin = on_begin, .again = on_again, .before = on_before,
                                    .access = on_access, .change = on_change};
    // clang-format on
    t->g.options.observers = &t->observer;
}

/* A machine with memory of which every third page is zeros. */
static struct traveller *open_memory_in(enum isa_profile profile)
{
    struct traveller *t = calloc(1, sizeof *t);
    struct gpu_config config;
    assert_non_null(t);
    gpu_config_default(&config);
    config.profile = profile;
    open_traveller(t, &config);
    assert_true(gpu_mem_open(t->g.gpu, MEMORY, sizeof t->before, GPU_READ | GPU_WRITE));
    t->memory = gpu_mem(t->g.gpu, MEMORY, sizeof t->before);
    for (size_t i = 0; i < sizeof t->before; i++) t->memory[i] = i / ABI_PAGE % 3 ? (uint8_t)guest_random() : 0;
    memcpy(t->before, t->memory, sizeof t->before);
    return t;
}

static struct traveller *open_memory(void) { return open_memory_in(PROFILE_DEFAULT); }

static void close_traveller(struct traveller *t)
{
    history_free(t->history);
    guest_close(&t->g);
    free(t);
}

/* Assembles and runs. */
static void travel(struct traveller *t, const char *source, unsigned again)
{
    char text[300];
    t->again = again;
    t->begun = false;
    guest_assemble(&t->g, source);
    guest_run(&t->g);
    fault_print(&t->g.result.fault, text, sizeof text);
    if (t->g.result.status != LAUNCH_DONE) fail_msg("status %d: %s", (int)t->g.result.status, text);
}

/* ---- what a launch writes ---- */

/* Every kind of store to pages of its own, some across their ends. */
static void test_stores(void **state)
{
    static const char *const stores[] = {
        " lui x6, 0xa0000\n sb x5, 3(x6)\n endprg\n",
        " lui x6, 0xa0001\n sh x5, 2(x6)\n endprg\n",
        " lui x6, 0xa0003\n sw x5, -2(x6)\n endprg\n",
        " lui x6, 0xa0005\n addi x6, x6, -64\n vse32.v v1, (x6)\n endprg\n",
        " lui x6, 0xa0010\n lui x7, 1\n vsse32.v v1, (x6), x7\n endprg\n",
        " lui x6, 0xa0030\n vsll.vi v2, v1, 13\n vsoxei32.v v1, (x6), v2\n endprg\n",
        " lui x6, 0xa0070\n addi x6, x6, -2\n vsll.vi v2, v1, 12\n vadd.vx v2, v2, x6\n vsw12.v v1, 0(v2)\n endprg\n",
        " lui x6, 0xa00a0\n vsll.vi v2, v1, 12\n vadd.vx v2, v2, x6\n amoadd.w v5, v4, (v2)\n endprg\n",
        " lui x6, 0xa00c0\n vmv.v.x v2, x6\n lr.w v5, (v2)\n sc.w v6, v4, (v2)\n endprg\n",
        " lui x6, 0xa00d0\n li x7, 0x10\n vmv.v.x v0, x7\n vse32.v v4, (x6), v0.t\n endprg\n",
        " lui x6, 0xa0008\n addi x6, x6, -126\n vse32.v v4, (x6)\n endprg\n", /* the last lane alone leaves the page */
        " lui x6, 0xa000a\n addi x6, x6, -126\n lui x7, 0xc0000\n vmv.v.x v0, x7\n vse32.v v4, (x6), v0.t\n endprg\n",
        " vmv.v.i v2, 0\n vsw.v v4, 0(v2)\n endprg\n", /* private */
    };
    (void)state;
    struct traveller *t = open_memory();
    t->g.launch.pds_base = MEMORY + 0x100 * ABI_PAGE;
    t->g.launch.pds_bytes = 64;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        char source[400];
        snprintf(source, sizeof source, " li x5, 0x5a5\n vid.v v1\n vadd.vi v4, v1, 7\n%s", stores[i]);
        travel(t, source, 1);
        memcpy(t->before, t->memory, sizeof t->before); /* the next launch finds what this one has left */
    }
    close_traveller(t);
}

/* ---- virtual addresses ---- */

#define VIRTUAL 0xc0000000u
enum { TOP_PAGE = 9, OTHER_PAGE = 20 }; /* of the memory */

/* The launch finds the memory at VIRTUAL, too, one page of it in the last page of its address space, one in the last
 * of 32 bits, and code where it is. The tables are behind each other at GUEST_DATA. */
static void translate(struct traveller *t)
{
    enum { ROOT, MIDDLE, LOW, TOP_MIDDLE, TOP_LOW, OTHER_LOW, ENTRIES = 512 };
    uint64_t(*table)[ENTRIES] = (uint64_t(*)[ENTRIES])t->g.data;
    memset(table, 0, (OTHER_LOW + 1) * sizeof *table);
    table[ROOT][ABI_CODE_BASE >> 30] = sv39_entry(ABI_CODE_BASE, SV39_V | SV39_R | SV39_W | SV39_X);
    table[ROOT][VIRTUAL >> 30] = sv39_entry(GUEST_DATA + MIDDLE * ABI_PAGE, SV39_V);
    table[MIDDLE][0] = sv39_entry(GUEST_DATA + LOW * ABI_PAGE, SV39_V);
    for (uint32_t i = 0; i < PAGES; i++) table[LOW][i] = sv39_entry(MEMORY + i * ABI_PAGE, SV39_V | SV39_R | SV39_W);
    table[ROOT][ENTRIES - 1] = sv39_entry(GUEST_DATA + TOP_MIDDLE * ABI_PAGE, SV39_V);
    table[TOP_MIDDLE][ENTRIES - 1] = sv39_entry(GUEST_DATA + TOP_LOW * ABI_PAGE, SV39_V);
    table[TOP_LOW][ENTRIES - 1] = sv39_entry(MEMORY + TOP_PAGE * ABI_PAGE, SV39_V | SV39_R | SV39_W);
    table[MIDDLE][ENTRIES - 1] = sv39_entry(GUEST_DATA + OTHER_LOW * ABI_PAGE, SV39_V);
    table[OTHER_LOW][ENTRIES - 1] = sv39_entry(MEMORY + OTHER_PAGE * ABI_PAGE, SV39_V | SV39_R | SV39_W);
    t->g.launch.sv39 = true;
    t->g.launch.page_table = GUEST_DATA;
}

/* Stores to the end of the address space, where the address behind them is 0. */
static void test_last_page(void **state)
{
    static const char *const stores[] = {"-4", "-8"};
    (void)state;
    struct traveller *t = open_memory_in(PROFILE_R21);
    translate(t);
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        char source[200];
        snprintf(source, sizeof source,
                 " vid.v v1\n vmv.v.i v2, %s\n vmv.v.i v3, -1\n vsw12.v v1, 0(v2) {pre_m_32, pair}\n endprg\n",
                 stores[i]);
        travel(t, source, 1);
        memcpy(t->before, t->memory, sizeof t->before);
    }
    close_traveller(t);
}

/* Lanes whose addresses differ in their upper halves alone. */
static void test_halves(void **state)
{
    (void)state;
    struct traveller *t = open_memory_in(PROFILE_R21);
    translate(t);
    travel(t,
           " vid.v v1\n vadd.vi v4, v1, 1\n vand.vi v3, v1, 1\n vadd.vi v3, v3, -1\n vmv.v.i v2, -16\n"
           " vsw12.v v4, 0(v2) {pre_m_32, pair}\n endprg\n",
           1);
    assert_int_equal(*(uint32_t *)(void *)(t->memory + (TOP_PAGE + 1) * ABI_PAGE - 16), 31);
    assert_int_equal(*(uint32_t *)(void *)(t->memory + (OTHER_PAGE + 1) * ABI_PAGE - 16), 32);
    close_traveller(t);
}

/* Without translation there is no such memory. */
static void test_below_null(void **state)
{
    (void)state;
    struct traveller *t = open_memory_in(PROFILE_R21);
    guest_assemble(&t->g, " vmv.v.i v2, -8\n vmv.v.i v3, -1\n vsw12.v v1, 0(v2) {pre_m_32, pair}\n endprg\n");
    guest_run(&t->g);
    assert_int_equal(t->g.result.status, LAUNCH_FAULT);
    close_traveller(t);
}

static void write_virtual(struct traveller *t)
{
    t->memory[ABI_PAGE + 100] = t->before[ABI_PAGE + 100] = 77;
    history_host(t->history, VIRTUAL + ABI_PAGE + 100, 1);
    history_host(t->history, MEMORY + 2 * ABI_PAGE, 1); /* memory elsewhere, as the launch and the host call it */
    memcpy(t->before + ABI_PAGE, t->memory + ABI_PAGE, 4);
}

/* The host names pages as launches do. */
static void test_host_virtual(void **state)
{
    (void)state;
    struct traveller *t = open_memory();
    translate(t);
    t->meanwhile = write_virtual;
    t->at = 16;
    travel(t, " lui x6, 0xc0001\n li x5, 1\n sw x5, 0(x6)\n lui x6, 0xc0002\n sw x5, 4(x6)\n endprg\n", 1);
    close_traveller(t);
}

/* ---- what is kept ---- */

/* A page is copied once: a later store does not make its copy younger, nor does running again. */
static void test_once(void **state)
{
    (void)state;
    struct traveller *t = open_memory();
    travel(t, " lui x6, 0xa0001\n li x5, 1\n sw x5, 0(x6)\n sw x5, 8(x6)\n li x5, 2\n sw x5, 0(x6)\n endprg\n", 3);
    assert_int_equal(t->memory[ABI_PAGE], 2);
    close_traveller(t);
}

/* Groups on several SMs, with several threads of the host to run them. */
static void test_threads(void **state)
{
    struct gpu_config config;
    struct traveller *t = calloc(1, sizeof *t);
    (void)state;
    assert_non_null(t);
    gpu_config_default(&config);
    config.sms = 4;
    config.host_threads = 4;
    open_traveller(t, &config);
    assert_true(gpu_mem_open(t->g.gpu, MEMORY, sizeof t->before, GPU_READ | GPU_WRITE));
    t->memory = gpu_mem(t->g.gpu, MEMORY, sizeof t->before);
    memset(t->before, 7, sizeof t->before);
    memcpy(t->memory, t->before, sizeof t->before);
    t->g.launch.groups[0] = PAGES;
    /* CSR_GIDX names the page. */
    travel(
        t,
        " csrr x5, 0x808\n slli x5, x5, 12\n lui x6, 0xa0000\n add x6, x6, x5\n vid.v v1\n vse32.v v1, (x6)\n endprg\n",
        2);
    for (size_t page = 0; page < PAGES; page++) assert_int_equal(t->memory[page * ABI_PAGE + 4], 1);
    close_traveller(t);
}

/* Code that the launch has replaced is executed as it was. */
static void test_code(void **state)
{
    (void)state;
    struct traveller *t = open_memory();
    guest_assemble(&t->g, " nop\n");
    assert_true(gpu_mem_open(t->g.gpu, ABI_CODE_BASE + 0x1000, ABI_PAGE, GPU_READ | GPU_WRITE | GPU_EXEC));
    const uint32_t code[] = {0x00100393 /* li x7, 1 */, 0x00008067 /* ret */};
    memcpy(gpu_mem(t->g.gpu, ABI_CODE_BASE + 0x1000, sizeof code), code, sizeof code);
    /* Adds what the code there says, makes it "li x7, 2", and adds again. */
    const char *const source = " lui x5, 0x80001\n lui x6, 0xa0002\n jalr x1, 0(x5)\n lw x8, 0(x6)\n add x8, x8, x7\n"
                               " lui x9, 0x200\n addi x9, x9, 0x393\n sw x9, 0(x5)\n fence.i\n jalr x1, 0(x5)\n"
                               " slli x7, x7, 4\n add x8, x8, x7\n sw x8, 0(x6)\n endprg\n";
    struct elf_image image;
    assert_true(
        asm_assemble_with(&(struct asm_options){0}, "test", source, strlen(source), ABI_CODE_BASE, &image, stderr));
    assert_true(gpu_mem_open(t->g.gpu, ABI_CODE_BASE, ABI_PAGE, GPU_READ | GPU_WRITE | GPU_EXEC));
    memcpy(gpu_mem(t->g.gpu, ABI_CODE_BASE, ABI_PAGE), image.text, image.text_words * 4);
    elf_free(&image);
    gpu_mem_code_changed(t->g.gpu);
    uint32_t was, is;
    memcpy(&was, t->memory + 2 * ABI_PAGE, 4);
    t->again = 1;
    guest_run(&t->g);
    assert_int_equal(t->g.result.status, LAUNCH_DONE);
    memcpy(&is, t->memory + 2 * ABI_PAGE, 4);
    assert_int_equal(is - was, 0x21);
    close_traveller(t);
}

/* ---- what others write ---- */

/* Behind the first store. */
static const char two_stores[] =
    " lui x6, 0xa0001\n li x5, 1\n sw x5, 0(x6)\n lui x6, 0xa0002\n sw x5, 4(x6)\n endprg\n";
enum { AT_SECOND = 16 };

static void change_by_hand(struct traveller *t)
{
    const uint32_t word = 99;
    assert_true(warp_set_memory(t->warp, MEMORY + 7 * ABI_PAGE - 2, &word, 4));
    assert_true(warp_set_memory(t->warp, ABI_CODE_BASE + 0x800, &word, 4)); /* code stays changed */
}

static void test_by_hand(void **state)
{
    (void)state;
    struct traveller *t = open_memory();
    t->meanwhile = change_by_hand;
    t->at = AT_SECOND;
    travel(t, two_stores, 2);
    assert_int_equal(*(uint32_t *)gpu_mem(t->g.gpu, ABI_CODE_BASE + 0x800, 4), 99);
    close_traveller(t);
}

/* Tells of many ranges, of which two are in pages that the launch writes, too. */
static void write_by_host(struct traveller *t)
{
    for (uint32_t page = 10; page < 10 + 0x100; page++) history_host(t->history, MEMORY + page * ABI_PAGE, 1);
    t->memory[ABI_PAGE + 100] = t->before[ABI_PAGE + 100] = 77;
    history_host(t->history, MEMORY + ABI_PAGE + 100, 1);
    memset(t->memory + 2 * ABI_PAGE - 1, 78, 2);
    memset(t->before + 2 * ABI_PAGE - 1, 78, 2);
    history_host(t->history, MEMORY + 2 * ABI_PAGE - 1, 2);
    memcpy(t->before + ABI_PAGE, t->memory + ABI_PAGE, 4); /* what the launch has written beside it stays, too: ... */
    const uint32_t one = 1;
    memcpy(t->before + 2 * ABI_PAGE + 4, &one, 4); /* ... also later */
    t->memory[3 * ABI_PAGE + 1] = 12; /* and a page that the launch does not write, whether anybody tells or not */
    t->before[3 * ABI_PAGE + 1] = 12;
}

/* Pages that the host has written during the launch stay as they are; those it has written before do not. */
static void test_host(void **state)
{
    static const char source[] = " lui x6, 0xa0001\n li x5, 1\n sw x5, 0(x6)\n lui x6, 0xa0002\n sw x5, 4(x6)\n"
                                 " lui x6, 0xa0005\n sw x5, 0(x6)\n endprg\n";
    (void)state;
    struct traveller *t = open_memory();
    history_host(t->history, MEMORY + 5 * ABI_PAGE, ABI_PAGE);
    t->meanwhile = write_by_host;
    t->at = AT_SECOND;
    travel(t, source, 1);
    memcpy(t->before, t->memory, sizeof t->before);
    travel(t, " lui x6, 0xa0001\n li x5, 5\n sw x5, 0(x6)\n endprg\n",
           1); /* what it has written during another launch */
    close_traveller(t);
}

static void *tell_always(void *user)
{
    struct traveller *t = user;
    while (!t->over)
        for (uint32_t page = 0; page < GUEST_BYTES / ABI_PAGE; page++)
            history_host(t->history, GUEST_DATA + page * ABI_PAGE, ABI_PAGE);
    return NULL;
}

/* Another thread tells of other pages all the time. */
static void test_host_thread(void **state)
{
    pthread_t thread;
    (void)state;
    struct traveller *t = open_memory();
    assert_int_equal(pthread_create(&thread, NULL, tell_always, t), 0);
    travel(t, two_stores, 50);
    t->over = true;
    pthread_join(thread, NULL);
    close_traveller(t);
}

static void write_shared(struct traveller *t)
{
    *(uint32_t *)(uintptr_t)(0xb0000000u + 3 * ABI_PAGE) = 5; /* no hook is called */
    (void)t;
}

/* What the host writes into shared memory by pointers of its own is put back. */
static void test_shared(void **state)
{
    (void)state;
    if (!gpu_mem_can_share(0xb0000000, 9 * ABI_PAGE)) skip();
    struct traveller *t = open_memory();
    assert_true(gpu_mem_open_shared(t->g.gpu, 0xb0000000, 9 * ABI_PAGE));
    const uint32_t *shared = gpu_mem(t->g.gpu, 0xb0000000 + 3 * ABI_PAGE, 4);
    t->meanwhile = write_shared;
    t->at = AT_SECOND;
    travel(t, two_stores, 1);
    assert_int_equal(*shared, 0);
    travel(t, two_stores, 0);
    gpu_mem_close_shared(t->g.gpu, 0xb0000000, 9 * ABI_PAGE);
    close_traveller(t);
}

static void close_some(struct traveller *t)
{
    gpu_mem_close(t->g.gpu, MEMORY + ABI_PAGE, ABI_PAGE);
    t->memory = NULL;
}

/* What has been closed since stays closed. */
static void test_closed(void **state)
{
    (void)state;
    struct traveller *t = open_memory();
    t->meanwhile = close_some;
    t->at = AT_SECOND;
    guest_assemble(&t->g, two_stores);
    t->again = 1;
    guest_run(&t->g);
    assert_int_equal(t->g.result.status, LAUNCH_FAULT); /* of the second run */
    close_traveller(t);
}

enum { CLOSED_PAGES = 64, CLOSED_TIMES = 3000 };
#define CLOSED 0xb0000000u

/* The other thread copies some meanwhile. */
static void stay_open(void) { nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL); }

static void *share_and_close(void *user)
{
    struct traveller *t = user;
    for (unsigned i = 0; i < CLOSED_TIMES; i++) {
        assert_true(gpu_mem_open_shared(t->g.gpu, CLOSED, CLOSED_PAGES * ABI_PAGE));
        stay_open();
        gpu_mem_close_shared(t->g.gpu, CLOSED, CLOSED_PAGES * ABI_PAGE);
    }
    t->over = true;
    return NULL;
}

static void *open_and_close(void *user)
{
    struct traveller *t = user;
    for (unsigned i = 0; i < CLOSED_TIMES; i++) {
        assert_true(gpu_mem_open(t->g.gpu, CLOSED, CLOSED_PAGES * ABI_PAGE, GPU_READ | GPU_WRITE));
        stay_open();
        gpu_mem_close(t->g.gpu, CLOSED, CLOSED_PAGES * ABI_PAGE);
    }
    t->over = true;
    return NULL;
}

/* Another thread closes pages all the time, as they are copied and put back. */
static void close_always(void *(*body)(void *))
{
    pthread_t thread;
    struct traveller *t = open_memory();
    assert_int_equal(pthread_create(&thread, NULL, body, t), 0);
    while (!t->over) {
        history_begin(t->history, t->g.gpu);
        history_write(t->history, NULL, CLOSED, CLOSED_PAGES * ABI_PAGE);
        history_restore(t->history);
    }
    pthread_join(thread, NULL);
    close_traveller(t);
}

static void test_closed_always(void **state)
{
    (void)state;
    close_always(open_and_close);
    if (gpu_mem_can_share(CLOSED, CLOSED_PAGES * ABI_PAGE)) close_always(share_and_close);
}

/* ---- how much ---- */

static long most_resident(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss; /* KiB */
}

/* 1.5 GiB that have all been touched, of which a launch writes two pages, cost as much as these. Reading touches a
 * page, and all are the host's one page of zeros. */
static void test_much(void **state)
{
    enum { SOME = 64 << 10 /* KiB; a sanitizer's own memory is among it */ };
    (void)state;
    struct traveller *t = open_memory();
    unsigned sum = 0;
    gpu_mem_close(t->g.gpu, MEMORY, sizeof t->before);
    assert_true(gpu_mem_open(t->g.gpu, GUEST_DATA, ALL, GPU_READ | GPU_WRITE));
    const volatile uint8_t *all = gpu_mem(t->g.gpu, GUEST_DATA, ALL);
    madvise((void *)(uintptr_t)all, ALL, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < ALL; at += ABI_PAGE) sum += all[at];
    assert_int_equal(sum, 0);
    memset(t->before, 0, sizeof t->before);
    const long before = most_resident();
    travel(t, two_stores, 2);
    assert_in_range(most_resident() - before, 0, SOME);
    assert_int_equal(t->memory[ABI_PAGE], 1);
    close_traveller(t);
}

/* The same 2 MiB, which are no zeros, for 1 GiB and a page more. */
static void map_again_and_again(uint8_t *all)
{
    enum { PIECE = 2 << 20 };
    const int file = memfd_create("history", MFD_CLOEXEC);
    assert_true(file >= 0 && ftruncate(file, PIECE) == 0);
    for (size_t at = 0; at <= GIGABYTE; at += PIECE)
        assert_ptr_not_equal(mmap(all + at, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0),
                             MAP_FAILED);
    for (size_t at = 0; at < PIECE; at += ABI_PAGE) all[at] = 1;
    close(file);
}

static struct traveller *open_gigabyte(void)
{
    struct traveller *t = open_memory();
    assert_true(gpu_mem_open(t->g.gpu, GUEST_DATA, ALL, GPU_READ | GPU_WRITE));
    map_again_and_again(gpu_mem(t->g.gpu, GUEST_DATA, ALL));
    history_begin(t->history, t->g.gpu);
    return t;
}

/* Copies of more than 1 GiB are not kept; the next launch begins anew. */
static void test_too_much(void **state)
{
    (void)state;
    struct traveller *t = open_gigabyte();
    history_write(t->history, NULL, GUEST_DATA, GIGABYTE);
    assert_null(history_missing(t->history));
    history_write(t->history, NULL, GUEST_DATA + ABI_PAGE, ABI_PAGE); /* has been written before */
    assert_null(history_missing(t->history));
    history_write(t->history, NULL, GUEST_DATA + GIGABYTE, 1);
    assert_non_null(strstr(history_missing(t->history), "1 GiB"));
    history_write(t->history, NULL, GUEST_DATA, 1); /* nothing happens */
    history_begin(t->history, t->g.gpu);
    history_write(t->history, NULL, GUEST_DATA, 1);
    assert_null(history_missing(t->history));
    history_forget(t->history);
    assert_non_null(history_missing(t->history));

    /* Who is on the way back keeps what there is, although the launch overwrites more than before. */
    uint8_t *first = gpu_mem(t->g.gpu, GUEST_DATA, 1);
    history_begin(t->history, t->g.gpu);
    history_write(t->history, NULL, GUEST_DATA, 1);
    history_restore(t->history);
    history_write(t->history, NULL, GUEST_DATA, GIGABYTE + ABI_PAGE);
    assert_non_null(history_missing(t->history));
    *first = 9;
    history_restore(t->history);
    assert_int_equal(*first, 1);
    close_traveller(t);
}

/* A host that has no memory for them leaves the launch alone. */
static void test_no_memory(void **state)
{
    struct rlimit was, less;
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip(); /* it ends a process without memory */
#endif
    struct traveller *t = open_gigabyte();
    assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
    less = was;
    less.rlim_cur = 1 << 20; /* what there is already stays */
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    history_write(t->history, NULL, GUEST_DATA, GIGABYTE);
    assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
    assert_non_null(history_missing(t->history));
    assert_non_null(strstr(history_missing(t->history), "no memory"));
    close_traveller(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores),        cmocka_unit_test(test_once),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_code),          cmocka_unit_test(test_by_hand),      cmocka_unit_test(test_host),
        cmocka_unit_test(test_host_thread),   cmocka_unit_test(test_shared),       cmocka_unit_test(test_closed),
        cmocka_unit_test(test_closed_always), cmocka_unit_test(test_much),         cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_last_page),    cmocka_unit_test(test_halves),
        cmocka_unit_test(test_below_null),    cmocka_unit_test(test_host_virtual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
