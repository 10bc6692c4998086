/* Launches whose addresses are translated: the same results as without translation, over identity mappings of
 * every page size and over scattered pages; instructions across pages; every reason for a page fault; what is
 * forgotten when. The page tables are built here, in guest memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/machine.h"

enum pte { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, DIRTY = 128 };

enum {
    CODE_PAGES = 8,
    DATA_PAGES = GUEST_BYTES / 4096,
    SCATTERED_PAGES = 3 * (CODE_PAGES + DATA_PAGES), /* more than needed: what lies between is never right */
};
#define TABLES     0xa0000000u
#define TABLES_END 0xa0100000u
#define SCATTERED  0xb0000000u

static uint32_t next_table;

static void open_machine(struct guest *g, enum isa_profile profile)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    config.thread_csrs = 1;
    config.sms = 1;
    guest_open_config(g, &config);
    assert_true(gpu_mem_open(g->gpu, TABLES, TABLES_END - TABLES, GPU_READ | GPU_WRITE));
    next_table = TABLES;
}

static void assemble(struct guest *g, const char *source)
{
    struct asm_options options = {.profile = (enum isa_profile)gpu_config_of(g->gpu)->profile};
    struct elf_image image;
    if (!asm_assemble_with(&options, "test", source, strlen(source), ABI_CODE_BASE, &image, stderr))
        fail_msg("%.200s", source);
    guest_code(g, image.text, image.text_words);
    elf_free(&image);
}

static void assert_done(const struct guest *g)
{
    char text[300];
    fault_print(&g->result.fault, text, sizeof text);
    if (g->result.status != LAUNCH_DONE) fail_msg("status %d: %s", (int)g->result.status, text);
}

/* ---- page tables ---- */

static uint32_t new_table(struct guest *g)
{
    uint32_t table = next_table;
    next_table += 4096;
    assert_true(next_table <= TABLES_END);
    memset(gpu_mem(g->gpu, table, 4096), 0, 4096);
    return table;
}

/* The entry of a level (0: 4 KiB) for an address, tables above it made as needed. */
static uint64_t *entry(struct guest *g, uint32_t root, uint64_t va, unsigned level)
{
    uint32_t table = root;
    for (unsigned l = 2;; l--) {
        uint64_t *e = (uint64_t *)gpu_mem(g->gpu, table, 4096) + (va >> (12 + 9 * l) & 511);
        if (l == level) return e;
        if (!*e) *e = (uint64_t)new_table(g) >> 12 << 10 | V;
        table = (uint32_t)(*e >> 10 << 12);
    }
}

static uint64_t leaf(uint64_t physical, unsigned flags) { return physical >> 12 << 10 | flags; }

static void map(struct guest *g, uint32_t root, uint64_t va, uint64_t physical, unsigned flags, unsigned level)
{
    *entry(g, root, va, level) = leaf(physical, flags);
}

/* Code and data where they are. */
static uint32_t map_identity(struct guest *g, unsigned level)
{
    uint32_t root = new_table(g), n = level ? 1 : CODE_PAGES;
    for (uint32_t i = 0; i < n; i++)
        map(g, root, ABI_CODE_BASE + i * 4096, ABI_CODE_BASE + i * 4096, V | R | X | (level == 2 ? W : 0), level);
    n = level == 2 ? 0 : level ? 1 : DATA_PAGES; /* a gigabyte holds both */
    for (uint32_t i = 0; i < n; i++)
        map(g, root, GUEST_DATA + i * 4096, GUEST_DATA + i * 4096, V | R | W | A | DIRTY, level);
    return root;
}

static void translate_launch(struct guest *g, uint32_t root)
{
    g->launch.sv39 = true;
    g->launch.page_table = root;
}

/* ---- scattered pages ---- */

static uint32_t physical_pages[CODE_PAGES + DATA_PAGES];

/* Every page somewhere else, never behind the one before it. */
static void scatter(void)
{
    uint32_t n = CODE_PAGES + DATA_PAGES, place[SCATTERED_PAGES];
    for (uint32_t i = 0; i < SCATTERED_PAGES; i++) place[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i + guest_random() % (SCATTERED_PAGES - i), t = place[k];
        place[k] = place[i];
        place[i] = t;
        if (i && place[i] == place[i - 1] + 1) i--; /* once more */
        else physical_pages[i] = SCATTERED + place[i] * 4096;
    }
}

static uint32_t virtual_page(uint32_t i)
{
    return i < CODE_PAGES ? ABI_CODE_BASE + i * 4096 : GUEST_DATA + (i - CODE_PAGES) * 4096;
}

/* Copies code and data to their scattered pages; all others hold endprg words. */
static uint32_t map_scattered(struct guest *g)
{
    uint32_t root = new_table(g);
    scatter();
    gpu_mem_close(g->gpu, SCATTERED, SCATTERED_PAGES * 4096);
    assert_true(gpu_mem_open(g->gpu, SCATTERED, SCATTERED_PAGES * 4096, GPU_READ | GPU_WRITE | GPU_EXEC));
    uint32_t *words = gpu_mem(g->gpu, SCATTERED, SCATTERED_PAGES * 4096);
    for (uint32_t i = 0; i < SCATTERED_PAGES * 1024; i++) words[i] = 0x0000400b;
    for (uint32_t i = 0; i < CODE_PAGES + DATA_PAGES; i++) {
        const void *from = gpu_mem(g->gpu, virtual_page(i), 4096);
        if (from) memcpy(gpu_mem(g->gpu, physical_pages[i], 4096), from, 4096);
        map(g, root, virtual_page(i), physical_pages[i], i < CODE_PAGES ? V | X : V | R | W, 0);
    }
    gpu_mem_code_changed(g->gpu);
    return root;
}

/* Gathers the data pages into GUEST_DATA. */
static void gather(struct guest *g)
{
    for (uint32_t i = CODE_PAGES; i < CODE_PAGES + DATA_PAGES; i++)
        memcpy(gpu_mem(g->gpu, virtual_page(i), 4096), gpu_mem(g->gpu, physical_pages[i], 4096), 4096);
}

/* ---- a program that uses everything ---- */

/* Data: 0 counters, 0x0ff0 a run across pages, 0x2000 results of each work-item, 0x8000 private memory, 0xf000
 * metadata. Six warps in two groups. A prefix ends the first and the second page of code. */
static const char everything[] =
    " lui x5, 0x90000\n csrr x6, CSR_TID\n csrr x7, CSR_WGID\n vid.v v1\n vadd.vx v1, v1, x6\n li x8, 96\n mul x8, x8, "
    "x7\n vadd.vx v2, v1, x8\n"
    " j edge\n .balign 4096\n .space 4092\n"
    "edge: vadd.vx v40, v2, x0\n" /* the prefix is the page's last word */
    " vsll.vi v3, v2, 2\n lui x9, 2\n add x9, x9, x5\n vadd.vx v3, v3, x9\n"
    /* a divergent loop: the sum of 1 to the work-item's number, modulo 17 rounds */
    " li x10, 17\n vmv.v.x v5, x10\n vremu.vv v4, v2, v5\n vmv.v.i v6, 0\n vmv.v.i v7, 0\n"
    " auipc x11, 0\n setrpc x0, x11, done - .+4\n"
    "loop: vbge v6, v4, done\n vadd.vi v6, v6, 1\n vadd.vv v7, v7, v6\n vbeq v0, v0, loop\ndone: join\n"
    " vsw12.v v7, 0(v3)\n vsh12.v v40, 1024(v3)\n vlhu12.v v8, 1024(v3)\n"
    /* private memory, local memory, a barrier */
    " vmv.v.i v9, 8\n vsw.v v2, 4(v9)\n vlb.v v10, 4(v9)\n"
    " lui x12, 0x70000\n vsll.vi v11, v1, 2\n vadd.vx v11, v11, x12\n vsw12.v v8, 0(v11)\n barrier 1\n"
    " vxor.vi v12, v11, 4\n vlw12.v v13, 0(v12)\n vadd.vv v13, v13, v10\n vsw12.v v13, 2047(v3)\n"
    /* atomics, reservations, misaligned accesses across pages */
    " vmv.v.x v14, x5\n amoadd.w v15, v2, (v14)\n addi x13, x5, 4\n vmv.v.x v14, x13\n vmv.v.i v16, 1\n lr.w v17, "
    "(v14)\n sc.w v18, v16, (v14)\n"
    " lui x14, 1\n add x14, x14, x5\n lw x15, -2(x14)\n sw x15, 16(x5)\n sh x6, -1(x14)\n addi x16, x14, -30\n vle16.v "
    "v19, (x16)\n vsll.vi v20, v2, 1\n"
    " lui x17, 4\n add x17, x17, x5\n vadd.vx v20, v20, x17\n vsh12.v v19, -3(v20)\n"
    /* ids that come from the metadata; a copy whose source is in two pages */
    " csrr x21, GL_ID_X\n vsll.vi v22, v2, 2\n lui x18, 6\n add x18, x18, x5\n vadd.vx v22, v22, x18\n vsw12.v v21, "
    "0(v22)\n"
    " addi x19, x14, -16\n li x20, 32\n addi x21, x12, 1024\n vmv.v.x v23, x21\n cp_dma_bulk v23, x19, x20\n "
    "cp_dma_mbarrier\n lw x22, 1048(x12)\n sw x22, 20(x5)\n"
    " j last\n .balign 4096\n .space 4092\nlast: vmv.v.x v41, x22\n vse32.v v41, (x5), v0.t\n fence\n endprg\n";

static void set_up(struct guest *g)
{
    g->launch.groups[0] = 2;
    g->launch.warps = 3;
    g->launch.work_items = 90;
    g->launch.pds_base = GUEST_DATA + 0x8000;
    g->launch.pds_bytes = 64;
    g->launch.pds_groups = 2;
    g->launch.knl = GUEST_DATA + 0xf000;
    for (unsigned i = 0; i < GUEST_BYTES / 4; i++) g->data[i] = i * 2654435761u;
    for (unsigned i = 0; i < 16; i++) g->data[0xf000 / 4 + i] = 90 * (i == 3 || i == 6); /* sizes in x, the rest 0 */
    memset(g->data, 0, 64);
}

static void test_same_results(void **state)
{
    static uint32_t expected[GUEST_BYTES / 4];
    struct guest g;
    struct counters counters;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    assemble(&g, everything);
    set_up(&g);
    guest_run(&g);
    assert_done(&g);
    memcpy(expected, g.data, GUEST_BYTES);
    counters = g.result.counters;
    assert_true(counters.divergent > 20 && counters.atomics == 18 && counters.barriers == 12);
    assert_int_equal(expected[0x2000 / 4 + 50], 16 * 17 / 2); /* work-item 50: the numbers up to 50 % 17 */
    for (unsigned way = 0; way < 5; way++) {
        set_up(&g);
        translate_launch(&g, way < 3 ? map_identity(&g, way) : map_scattered(&g));
        guest_run(&g);
        assert_done(&g);
        if (way >= 3) gather(&g);
        for (unsigned i = 0; i < GUEST_BYTES / 4; i++)
            if (g.data[i] != expected[i])
                fail_msg("way %u: word 0x%x is %08x, not %08x", way, 4 * i, g.data[i], expected[i]);
        assert_memory_equal(&g.result.counters, &counters, sizeof counters);
    }
    guest_close(&g);
}

/* ---- instructions across pages ---- */

/* A prefix and a 64-bit word (r2025): none, one or two of three words on the first page. */
static void test_across(void **state)
{
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_R2025);
    for (unsigned first = 4084; first <= 4092; first += 4) {
        char source[512];
        snprintf(source, sizeof source,
                 " lui x5, 0x90000\n vmv.v.i v8, 7\n vmv.v.i v9, 5\n j edge\n .balign 4096\n .space %u\n"
                 "edge: .word 0x00000002\n vsub64.vv v10, v8, v9\n vse32.v v10, (x5)\n endprg\n",
                 first);
        assemble(&g, source);
        for (unsigned way = 0; way < 2; way++) {
            memset(g.data, 0, 256);
            translate_launch(&g, way ? map_scattered(&g) : map_identity(&g, 0));
            guest_run(&g);
            assert_done(&g);
            if (way) gather(&g);
            for (unsigned i = 0; i < 32; i++) assert_int_equal(g.data[i], 2);
        }
    }
    guest_close(&g);
}

/* The last word of the last page: whole instructions run there, others miss what follows. */
static void test_last_word(void **state)
{
    // clang-format off
    static const struct { const char *last; enum launch_status status; enum fault_kind kind; uint64_t addr; } cases[] = {
        {" endprg\n", LAUNCH_DONE, FAULT_NONE, 0},
        {" .word 0x0010200b\n", LAUNCH_FAULT, FAULT_PAGE, ABI_CODE_BASE + 4096},      /* regext */
        {" .word 0x0000003f\n", LAUNCH_FAULT, FAULT_PAGE, ABI_CODE_BASE + 4096},      /* half of a 64-bit word */
        {" .word 0\n", LAUNCH_FAULT, FAULT_ILLEGAL, 0},
        {" nop\n", LAUNCH_FAULT, FAULT_PAGE, ABI_CODE_BASE + 4096},
    };
    // clang-format on
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_R2025);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[256];
        snprintf(source, sizeof source, " j edge\n .space 4088\nedge:%s endprg\n", cases[i].last);
        assemble(&g, source);
        translate_launch(&g, map_identity(&g, 0));
        *entry(&g, g.launch.page_table, ABI_CODE_BASE + 4096, 0) = 0;
        guest_run(&g);
        assert_int_equal(g.result.status, cases[i].status);
        assert_int_equal(g.result.fault.kind, cases[i].kind);
        assert_int_equal(g.result.fault.addr, cases[i].addr);
        if (i && i < 4) assert_int_equal(g.result.fault.pc, ABI_CODE_BASE + 4092);
    }
    guest_close(&g);
}

/* ---- faults ---- */

/* Beyond identity mappings of code and data: page 0xc0000000 has the entry under test at a level. */
#define PAGE 0xc0000000u

static const struct fault_case {
    const char *source;
    unsigned level;
    uint64_t pte;
    enum fault_kind kind;
    uint32_t lane;
    uint64_t addr;
    const char *detail;
} fault_cases[] = {
    {"lw x6, 8(x5)", 0, 0, FAULT_PAGE, 32, PAGE + 8, "not present"},
    {"lw x6, 8(x5)", 1, 0, FAULT_PAGE, 32, PAGE + 8, "not present"},
    {"lw x6, 8(x5)", 2, R | W | X, FAULT_PAGE, 32, PAGE + 8, "not present"},
    {"lw x6, 8(x5)", 0, V | X | GUEST_DATA >> 2, FAULT_PAGE, 32, PAGE + 8, "page is not readable"},
    {"lr.w v4, (v2)", 0, V | X | GUEST_DATA >> 2, FAULT_PAGE, 0, PAGE, "page is not readable"},
    {"sw x6, 8(x5)", 0, V | R | X | GUEST_DATA >> 2, FAULT_PAGE, 32, PAGE + 8, "page is not writable"},
    {"amoadd.w v4, v3, (v2)", 0, V | R | GUEST_DATA >> 2, FAULT_PAGE, 0, PAGE, "page is not writable"},
    {"sc.w v4, v3, (v2)", 0, V | R | GUEST_DATA >> 2, FAULT_PAGE, 0, PAGE, "page is not writable"},
    {"lw x6, 8(x5)\nsw x6, 8(x5)", 0, V | R | GUEST_DATA >> 2, FAULT_PAGE, 32, PAGE + 8,
     "page is not writable"}, /* known by then */
    {"lw x6, 8(x5)\njalr x0, 8(x5)", 0, V | R | ABI_CODE_BASE >> 2, FAULT_PAGE, 32, PAGE + 8, "page is not executable"},
    {"jalr x0, 8(x5)", 0, V | R | W | ABI_CODE_BASE >> 2, FAULT_PAGE, 32, PAGE + 8, "page is not executable"},
    {"lw x6, 8(x5)", 0, V | W | GUEST_DATA >> 2, FAULT_PAGE, 32, PAGE + 8, "writable but not readable"},
    {"lw x6, 8(x5)", 1, V | W | X | GUEST_DATA >> 2, FAULT_PAGE, 32, PAGE + 8, "writable but not readable"},
    {"lw x6, 8(x5)", 0, V | R | GUEST_DATA >> 2 | 1ull << 63, FAULT_PAGE, 32, PAGE + 8, "reserved bits"},
    {"lw x6, 8(x5)", 2, V | R | GUEST_DATA >> 2 | 1ull << 54, FAULT_PAGE, 32, PAGE + 8, "reserved bits"},
    {"lw x6, 8(x5)", 1, V | R | (GUEST_DATA + 4096) >> 2, FAULT_PAGE, 32, PAGE + 8, "misaligned superpage"},
    {"lw x6, 8(x5)", 2, V | R | GUEST_DATA >> 2, FAULT_PAGE, 32, PAGE + 8, "misaligned superpage"},
    {"lw x6, 8(x5)", 1, V | R | (GUEST_DATA + (1 << 20)) >> 2, FAULT_PAGE, 32, PAGE + 8,
     "misaligned superpage"},                                                                       /* half */
    {"lw x6, 8(x5)", 2, V | R | 0xa0000000 >> 2, FAULT_PAGE, 32, PAGE + 8, "misaligned superpage"}, /* of its span */
    {"lw x6, 8(x5)", 0, V | TABLES >> 2, FAULT_PAGE, 32, PAGE + 8, "more than three levels"},
    {"lw x6, 8(x5)", 1, V | 0xd0000000u >> 2, FAULT_PAGE, 32, PAGE + 8, "page table outside memory"},
    {"lw x6, 8(x5)", 2, V | 0x1a0000000ull >> 2, FAULT_PAGE, 32, PAGE + 8, "page table outside memory"},
    {"lw x6, 8(x5)", 0, V | R | 0x190000000ull >> 2, FAULT_PAGE, 32, PAGE + 8, "physical address beyond 4 GiB"},
    {"lw x6, 8(x5)", 2, V | R | 0x100000000ull >> 2, FAULT_PAGE, 32, PAGE + 8, "physical address beyond 4 GiB"},
    {"lw x6, 8(x5)", 0, V | R | 0xd0000000u >> 2, FAULT_READ, 32, PAGE + 8, "physical address 0xd0000008"},
    {"sw x6, 8(x5)", 0, V | R | W | ABI_CODE_BASE >> 2, FAULT_WRITE, 32, PAGE + 8, "physical address 0x80000008"},
    {"jalr x0, 8(x5)", 0, V | X | GUEST_DATA >> 2, FAULT_FETCH, 32, PAGE + 8, ""},
    {"jalr x0, 6(x5)", 0, V | X | ABI_CODE_BASE >> 2, FAULT_FETCH, 32, PAGE + 6, "not on a word"},
    {"lw x6, -2(x5)", 0, 0, FAULT_PAGE, 32, PAGE - 2, "not present"}, /* half of the word is there */
    {"sw x6, -2(x5)", 0, V | R | GUEST_DATA >> 2, FAULT_PAGE, 32, PAGE - 2, "page is not writable"},
    {"vlw12.v v4, -20(v2)", 0, 0, FAULT_PAGE, 5, PAGE, "not present"},
    {"vsb12.v v2, -16(v2)", 0, V | R | GUEST_DATA >> 2, FAULT_PAGE, 4, PAGE, "page is not writable"},
    {"addi x5, x5, -64\nvle32.v v4, (x5)", 0, 0, FAULT_PAGE, 16, PAGE, "not present"},
    {"vsw.v v2, 0(v3)", 0, 0, FAULT_PAGE, 0, PAGE, "not present"},        /* private memory */
    {"csrr x4, LC_ID_X", 0, 0, FAULT_PAGE, 32, PAGE + 12, "not present"}, /* metadata */
    {"lui x7, 0x70000\nvmv.v.x v4, x7\nli x6, 16\ncp_dma_bulk v4, x5, x6", 0, 0, FAULT_PAGE, 32, PAGE, "not present"},
    {"addi x5, x5, -16\nlui x7, 0x70000\nvmv.v.x v4, x7\nli x6, 32\ncp_dma_bulk v4, x5, x6", 0, 0, FAULT_PAGE, 32, PAGE,
     "not present"},
};

static void expect_fault(const struct guest *g, const char *what, enum fault_kind kind, uint32_t lane, uint64_t addr,
                         const char *detail)
{
    char text[300];
    const struct fault *f = &g->result.fault;
    fault_print(f, text, sizeof text);
    if (g->result.status != LAUNCH_FAULT || f->kind != kind || f->lane != lane || f->addr != addr ||
        !strstr(f->detail, detail) || (!*detail && *f->detail))
        fail_msg("%s, %s: %s (lane %u)", what, detail, g->result.status == LAUNCH_FAULT ? text : "no fault", f->lane);
}

static void test_faults(void **state)
{
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    for (unsigned i = 0; i < sizeof fault_cases / sizeof *fault_cases; i++) {
        const struct fault_case *c = &fault_cases[i];
        char source[512];
        snprintf(source, sizeof source,
                 " lui x5, 0xc0000\n vid.v v2\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, x5\n vmv.v.i v3, 0\n%s\n endprg\n",
                 c->source);
        assemble(&g, source);
        next_table = TABLES;
        uint32_t root = map_identity(&g, 0);
        map(&g, root, PAGE - 4096, GUEST_DATA, V | R | W, 0); /* in another gigabyte: the level under test is free */
        *entry(&g, root, PAGE, c->level) = c->pte;
        translate_launch(&g, root);
        g.launch.pds_base = g.launch.knl = PAGE;
        g.launch.pds_bytes = 64;
        memset(g.data, 0x55, GUEST_BYTES);
        guest_run(&g);
        expect_fault(&g, c->source, c->kind, c->lane, c->addr, c->detail);
        for (unsigned k = 0; k < GUEST_BYTES / 4; k++) assert_int_equal(g.data[k], 0x55555555);
    }
    guest_close(&g);
}

static void test_bad_root(void **state)
{
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    assemble(&g, " endprg\n");
    translate_launch(&g, TABLES + 8);
    guest_run(&g);
    assert_int_equal(g.result.fault.kind, FAULT_LAUNCH);
    assert_non_null(strstr(g.result.fault.detail, "root page table"));
    translate_launch(&g, 0xd0000000u);
    guest_run(&g);
    expect_fault(&g, "closed root", FAULT_PAGE, 32, ABI_CODE_BASE, "page table outside memory");
    assert_int_equal(g.result.fault.word, 0); /* there is no instruction to show */
    guest_close(&g);
}

/* 39 bits: what is not sign-extended is refused, what is may be mapped, beyond 4 GiB too. */
static void test_long_addresses(void **state)
{
    // clang-format off
    static const struct { uint32_t high, low; bool works; } cases[] = {
        {0, 0x90000000, true}, {2, 0x90000000, true}, {0x3f, 0xfffff000, true}, {0x40, 0, false}, {0x7f, 0xfffff000, false},
        {0x80, 0x90000000, false}, {0xffffffc0, 0, true}, {0xffffffff, 0xfffff000, true}, {0xffffffbf, 0xfffff000, false}, {0x80000000, 0, false},
    };
    // clang-format on
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_R21);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[512];
        uint64_t va = (uint64_t)cases[i].high << 32 | cases[i].low;
        snprintf(source, sizeof source,
                 " li x8, 0x%x\n li x9, 0x%x\n ld x6, 4(x8)\n vmv.v.x v8, x8\n vmv.v.x v9, x9\n vid.v v10\n vsw12d.v "
                 "v10, 8(v8)\n"
                 " lr.d x7, (x8)\n li x6, 99\n sc.d x7, x6, (x8)\n amoadd.d x7, x6, (x8)\n endprg\n",
                 cases[i].low, cases[i].high);
        assemble(&g, source);
        next_table = TABLES;
        uint32_t root = map_identity(&g, 0);
        if (va != GUEST_DATA) map(&g, root, va, GUEST_DATA, V | R | W, 0);
        translate_launch(&g, root);
        memset(g.data, 0, 64);
        guest_run(&g);
        if (cases[i].works) {
            assert_done(&g);
            assert_int_equal(g.data[0], 198);
            assert_int_equal(g.data[2], 31); /* all lanes, the last one stays */
        } else {
            expect_fault(&g, source, FAULT_PAGE, 32, va + 4, "address is not sign-extended from bit 38");
        }
    }
    guest_close(&g);
}

/* ---- what is kept, and when it is forgotten ---- */

/* A program that maps a page anew: seen behind a fence. Each page is used before and after. */
static void test_fence(void **state)
{
    static const char *const fences[] = {"fence", "fence.i"};
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    for (unsigned i = 0; i < 2; i++) {
        char source[512];
        uint32_t root = map_identity(&g, 0);
        uint64_t *e = entry(&g, root, PAGE, 0);
        snprintf(source, sizeof source,
                 " lui x5, 0xc0000\n lui x6, 0xc0001\n lui x7, 0x90000\n lw x8, 0(x5)\n lw x9, 0(x6)\n sw x8, 16(x7)\n "
                 "sw x9, 20(x7)\n"
                 " lui x10, 0xc0002\n li x11, 0x%x\n sw x11, %u(x10)\n %s\n lw x8, 0(x5)\n sw x8, 24(x7)\n endprg\n",
                 (unsigned)leaf(GUEST_DATA + 8192, V | R), (unsigned)((uintptr_t)e & 4095), fences[i]);
        assemble(&g, source);
        *e = leaf(GUEST_DATA, V | R);
        map(&g, root, 0xc0001000, GUEST_DATA + 4096, V | R, 0);
        uint32_t table = (uint32_t)((uint8_t *)e - (uint8_t *)gpu_mem(g.gpu, TABLES, 4)) / 4096 * 4096 + TABLES;
        map(&g, root, 0xc0002000, table, V | R | W, 0);
        memset(g.data, 0, GUEST_BYTES);
        for (unsigned k = 0; k < 3; k++) g.data[1024 * k] = 100 + k;
        translate_launch(&g, root);
        guest_run(&g);
        assert_done(&g);
        for (unsigned k = 0; k < 3; k++) assert_int_equal(g.data[4 + k], 100 + k);
    }
    guest_close(&g);
}

/* A table changed between two launches, at the same root. */
static void test_next_launch(void **state)
{
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    assemble(&g, " lui x5, 0xc0000\n lui x6, 0x90000\n lw x7, 0(x5)\n sw x7, 4(x6)\n endprg\n");
    uint32_t root = map_identity(&g, 0);
    translate_launch(&g, root);
    g.data[0] = 5, g.data[1024] = 6;
    for (uint32_t i = 0; i < 2; i++) {
        map(&g, root, PAGE, GUEST_DATA + i * 4096, V | R, 0);
        guest_run(&g);
        assert_done(&g);
        assert_int_equal(g.data[1], 5 + i);
    }
    guest_close(&g);
}

struct jobs {
    struct job *job[3];
    unsigned next;
};

static struct job *feed_next(void *user)
{
    struct jobs *j = user;
    return j->next < 3 ? j->job[j->next++] : NULL;
}
static void feed_done(void *user, struct job *job) { (void)user, (void)job; }

/* Three launches resident at once on one SM, taking turns: two with tables of their own, one without. */
static void test_side_by_side(void **state)
{
    struct gpu_config config;
    struct guest g;
    struct job jobs[3];
    struct jobs list = {.next = 0};
    (void)state;
    gpu_config_default(&config);
    config.sms = 1;
    config.quantum = 5;
    guest_open_config(&g, &config);
    assert_true(gpu_mem_open(g.gpu, TABLES, TABLES_END - TABLES, GPU_READ | GPU_WRITE));
    next_table = TABLES;
    assemble(&g, " lui x5, 0x90000\n lw x6, 4(x5)\n li x7, 500\nagain: lw x8, 0(x5)\n add x8, x8, x6\n sw x8, 0(x5)\n "
                 "addi x7, x7, -1\n bne x7, x0, again\n endprg\n");
    memset(g.data, 0, GUEST_BYTES);
    for (uint32_t i = 0; i < 3; i++) {
        g.data[1024 * i + 1] = i + 1;
        jobs[i] = (struct job){.launch = g.launch};
        jobs[i].launch.sv39 = i > 0;
        jobs[i].launch.page_table = i ? map_identity(&g, 0) : 0;
        if (i) map(&g, jobs[i].launch.page_table, GUEST_DATA, GUEST_DATA + i * 4096, V | R | W | U, 0);
        list.job[i] = &jobs[i];
    }
    const struct job_source source = {&list, feed_next, feed_done};
    gpu_run(g.gpu, &source);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(jobs[i].result.status, LAUNCH_DONE);
        assert_int_equal(g.data[1024 * i], 500 * (i + 1));
    }
    guest_close(&g);
}

/* Two names of one word: a store by the other name ends the reservation. */
static void test_alias(void **state)
{
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    assemble(&g, " lui x5, 0xc0000\n lui x6, 0x90000\n vmv.v.x v1, x5\n vmv.v.i v2, 3\n lr.w v3, (v1)\n lw x7, 0(x6)\n "
                 "sw x7, 0(x6)\n"
                 " sc.w v4, v2, (v1)\n vmv.x.s x8, v4\n sw x8, 4(x6)\n endprg\n");
    uint32_t root = map_identity(&g, 0);
    map(&g, root, PAGE, GUEST_DATA, V | R | W, 0);
    translate_launch(&g, root);
    g.data[0] = 8;
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[0], 8);
    assert_int_equal(g.data[1], 1);
    guest_close(&g);
}

/* Code that writes code, at a virtual address that is not where it is executed. */
static void test_written_code(void **state)
{
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    assemble(&g, " lui x5, 0xc0000\n lui x6, 0x90000\n lw x7, 4(x6)\n li x9, 1\nloop: la x8, patch\n lui x10, "
                 "0x80000\n sub x8, x8, x10\n add x8, x8, x5\n"
                 "patch: addi x9, x9, 1\n sw x7, 0(x8)\n fence.i\n addi x11, x11, 1\n li x12, 2\n bne x11, x12, loop\n "
                 "sw x9, 0(x6)\n endprg\n");
    assert_true(gpu_mem_open(g.gpu, ABI_CODE_BASE, 4096, GPU_READ | GPU_WRITE | GPU_EXEC));
    uint32_t root = map_identity(&g, 0);
    map(&g, root, PAGE, ABI_CODE_BASE, V | R | W, 0);
    translate_launch(&g, root);
    g.data[1] = 0x00a48493; /* addi x9, x9, 10 */
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[0], 12);
    guest_close(&g);
}

/* ---- observers see virtual addresses ---- */

static uint32_t seen_pc, seen_addr;

static enum observed see_before(void *user, struct warp *w, const struct insn *in)
{
    (void)user;
    if (in->op == OP_LW) seen_pc = w->pc;
    return GO_ON;
}

static void see_access(void *user, const struct warp *w, const struct insn *in, const struct access *a)
{
    (void)user, (void)w, (void)in;
    assert_null(a->high);
    seen_addr = a->addr[0];
}

static void test_observed(void **state)
{
    const struct observer observer = {.before = see_before, .access = see_access};
    struct guest g;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    assemble(&g, " lui x5, 0x90000\n lw x6, 8(x5)\n endprg\n");
    translate_launch(&g, map_scattered(&g));
    g.options.observers = &observer;
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(seen_pc, ABI_CODE_BASE + 4);
    assert_int_equal(seen_addr, GUEST_DATA + 8);
    guest_close(&g);
}

/* Random tables: launches end, one way or another, and the machine is usable afterwards. */
static void test_random_tables(void **state)
{
    struct guest g;
    unsigned faults = 0;
    (void)state;
    open_machine(&g, PROFILE_DEFAULT);
    assemble(&g, everything);
    for (unsigned i = 0; i < 300; i++) {
        next_table = TABLES;
        set_up(&g);
        uint32_t root = map_identity(&g, 0);
        uint64_t *words[3]; /* found before the first of them is spoiled, and the way to others */
        for (unsigned n = 0; n < 3; n++) {
            words[n] = (uint64_t *)gpu_mem(g.gpu, TABLES, 4096) + guest_random() % ((next_table - TABLES) / 8);
            uint32_t used = guest_random() % (CODE_PAGES + DATA_PAGES);
            if (guest_random() % 2) words[n] = entry(&g, root, virtual_page(used), 0);
        }
        for (unsigned n = guest_random() % 3; n < 3; n++) {
            if (guest_random() % 2) *words[n] ^= 1ull << guest_random() % 64;
            else *words[n] = (uint64_t)guest_random() << 32 | guest_random();
        }
        translate_launch(&g, root);
        guest_run(&g);
        faults += g.result.status == LAUNCH_FAULT;
        assert_true(g.result.status == LAUNCH_FAULT || g.result.status == LAUNCH_DONE);
    }
    assert_in_range(faults, 50, 299);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_results),  cmocka_unit_test(test_across),
        cmocka_unit_test(test_last_word),     cmocka_unit_test(test_faults),
        cmocka_unit_test(test_bad_root),      cmocka_unit_test(test_long_addresses),
        cmocka_unit_test(test_fence),         cmocka_unit_test(test_next_launch),
        cmocka_unit_test(test_side_by_side),  cmocka_unit_test(test_alias),
        cmocka_unit_test(test_written_code),  cmocka_unit_test(test_observed),
        cmocka_unit_test(test_random_tables),
    };
    return guest_run_tests(tests);
}
