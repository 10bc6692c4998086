/* Whatever a machine is asked for, it answers: random configurations, launches and programs end in a result, on
 * every engine in the same one, and nothing is written that is not open for writing.
 *
 * hostile_test [ROUNDS [SEED]]: more rounds than the test suite has time for, and other programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/machine.h"

static uint32_t rounds = 1;

enum {
    WORDS = PAGE_WORDS,       /* of random code, behind the prologue */
    LOW_BYTES = 4 * ABI_PAGE, /* open from address 0 on: what small numbers point to */
    READ_ONLY = GUEST_DATA + GUEST_BYTES + ABI_PAGE,
    TOP = 0xfffff000, /* the last page is open too */
    MOST_STEPS = 300, /* turns of warps before a launch is cancelled */
    QUANTUM = 100,
};

static uint32_t among(uint32_t n) { return guest_random() % n; }

/* A number of the kind that finds mistakes. */
static uint32_t odd_number(void)
{
    static const uint32_t edges[] = {0,       1,          2,          3,          4,          31,         32,
                                     33,      64,         255,        256,        1024,       4096,       65536,
                                     1 << 28, 0x7fffffff, 0x80000000, 0x90000000, 0xfffff000, 0xfffffffc, 0xffffffff};
    return among(3) ? edges[among(sizeof edges / sizeof *edges)] : guest_random() >> among(32);
}

/* ---- configurations ---- */

static void spoil_words(uint32_t *field, size_t n, unsigned one_in)
{
    for (size_t i = 0; i < n; i++)
        if (!among(one_in)) field[i] = odd_number();
}

static void test_configurations(void **state)
{
    uint32_t made = 0, refused = 0;
    (void)state;
    for (uint32_t i = 0; i < 400 * rounds; i++) {
        struct gpu_config c;
        const char *why = NULL;
        gpu_config_default(&c);
        spoil_words(&c.sms, offsetof(struct gpu_config, quantum) / 4, 8);
        if (!among(8)) c.quantum = (uint64_t)odd_number() << among(33);
        struct gpu *gpu = gpu_create(&c, &why);
        assert_true(!gpu == (why != NULL));
        assert_true(!why == !gpu_config_check(&c));
        made += gpu != NULL;
        refused += !gpu;
        gpu_destroy(gpu);
    }
    assert_true(made && refused);
}

/* ---- programs ---- */

/* An engine that ends the launch, by its cancel flag, after a number of turns: the same number every time. What it runs
 * is one build of an engine, whose flags nobody looks at. */
static struct guest_engine limited;
static engine_run *inner;
static _Atomic bool cancel;
static _Atomic uint32_t steps;

static enum stop run_limited(struct sm *sm, struct warp *w, uint64_t budget)
{
    if (++steps > MOST_STEPS) cancel = true;
    return inner(sm, w, budget);
}

/* Lets the nth build of all run. False: there are fewer. */
static bool use_build(struct guest *g, unsigned n)
{
    engine_leave(g->gpu);
    if (!guest_engine(n, &limited)) return false;
    inner = limited.builds[0].run;
    limited.builds[0].run = run_limited;
    limited.builds[0].offers |= NEEDS_HOOKS | NEEDS_FLAGS;
    return engine_use(g->gpu, &limited.engine);
}

static unsigned count_builds(void)
{
    struct guest_engine e;
    unsigned n = 0;
    while (guest_engine(n, &e)) n++;
    return n;
}

/* The same for launches under SV39, which `step` runs. */
static enum observed limit(void *user, struct warp *w, const struct insn *in)
{
    (void)user, (void)w, (void)in;
    if (++steps > MOST_STEPS * QUANTUM) cancel = true;
    return GO_ON;
}

static const struct observer observer = {.before = limit};

static enum isa_op random_op(enum isa_profile profile)
{
    enum isa_op op;
    do op = (enum isa_op)(1 + among(OP_COUNT - 1));
    while (!(isa_table[op].revisions & profile));
    return op;
}

/* One instruction of the profile with random operands, or simply a random word; a CSR is one that exists. */
static size_t random_insn(enum isa_profile profile, uint32_t *words)
{
    enum isa_op op = random_op(profile);
    uint64_t bits = (uint64_t)guest_random() << 32 | guest_random();
    if (!among(16)) return words[0] = (uint32_t)bits, 1;
    bits = isa_match(op) | (bits & ~isa_mask(op));
    if (isa_table[op].kind == KIND_CSR)
        bits = (bits & 0xfffff) | (uint64_t)isa_csrs[among((uint32_t)isa_ncsrs)].number << 20;
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
    return isa_bits(op) / 32;
}

/* Gives registers contents worth having: addresses, small numbers, anything. Its last word is a jump. */
static size_t prologue(uint32_t *words, size_t most)
{
    static char text[8192];
    struct elf_image image;
    size_t n = 0, at = 0;
#define LINE(...) at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__)
    LINE(" vid.v v1\n vsll.vi v1, v1, 2\n");
    for (unsigned k = 2; k < 32; k++) {
        uint32_t value = k % 3 == 0 ? GUEST_DATA + 256 * k : k % 3 == 1 ? k : guest_random();
        LINE(" li x%u, %d\n", k, (int)value);
        if (k % 2) LINE(" vadd.vx v%u, v1, x%u\n", k, k);
        else LINE(" vmv.v.x v%u, x%u\n", k, k);
    }
#undef LINE
    assert_true(asm_assemble("prologue", text, at, ABI_CODE_BASE, &image, stderr));
    assert_true(image.text_words < most);
    for (; n < image.text_words; n++) words[n] = image.text[n];
    elf_free(&image);
    words[n++] = 0;
    return n;
}

/* Random code behind a prologue, whose last word (prologue_end) jumps to some place of it. */
struct program {
    uint32_t words[3 * WORDS];
    size_t begin, end;
};

static void make_program(struct program *p, enum isa_profile profile)
{
    p->begin = p->end = prologue(p->words, WORDS);
    while (p->end < p->begin + WORDS) p->end += random_insn(profile, p->words + p->end);
}

/* jal x0, to the word `start`. Code may be closed to writes (GPU_READ | GPU_EXEC) or open. */
static void enter_at(struct guest *g, const struct program *p, size_t start, unsigned access)
{
    uint32_t *code = gpu_mem(g->gpu, ABI_CODE_BASE, p->end * 4);
    assert_true(gpu_mem_open(g->gpu, ABI_CODE_BASE, p->end * 4, GPU_READ | GPU_WRITE));
    code[p->begin - 1] = 0x6f | isa_scatter((int32_t)(4 * (start - (p->begin - 1))), isa_operand('j'));
    assert_true(gpu_mem_open(g->gpu, ABI_CODE_BASE, p->end * 4, access));
}

static uint64_t state_digest;

static void add_state(void *user, const struct group *group)
{
    (void)user;
    for (uint32_t i = 0; i < group->launch->warps; i++)
        state_digest = state_digest * 31 + guest_digest(&group->warps[i]);
}

static const struct observer state_observer = {.group_end = add_state};

struct memory {
    uint32_t heap[GUEST_BYTES / 4], low[LOW_BYTES / 4];
    uint64_t state; /* of all warps when their groups ended (guest_digest) */
};

static void fill(struct guest *g)
{
    for (uint32_t i = 0; i < GUEST_BYTES / 4; i++) g->data[i] = i * 0x9e3779b1u;
    memset(gpu_mem(g->gpu, 0, LOW_BYTES), 0, LOW_BYTES);
    cancel = false;
    steps = 0;
    state_digest = 0;
}

static void keep(struct guest *g, struct memory *m)
{
    memcpy(m->heap, g->data, GUEST_BYTES);
    memcpy(m->low, gpu_mem(g->gpu, 0, LOW_BYTES), LOW_BYTES);
    m->state = state_digest;
}

static void open_machine(struct guest *g, enum isa_profile profile, uint32_t threads)
{
    struct gpu_config c;
    gpu_config_default(&c);
    c.profile = profile;
    c.sms = 3;
    c.host_threads = threads;
    c.quantum = QUANTUM;
    c.thread_csrs = 1;
    guest_open_config(g, &c);
    assert_true(gpu_mem_open(g->gpu, 0, LOW_BYTES, GPU_READ | GPU_WRITE));
    assert_true(gpu_mem_open(g->gpu, TOP, ABI_PAGE, GPU_READ | GPU_WRITE));
    assert_true(gpu_mem_open(g->gpu, READ_ONLY, ABI_PAGE, GPU_READ | GPU_WRITE));
    memset(gpu_mem(g->gpu, READ_ONLY, ABI_PAGE), 0x5a, ABI_PAGE);
    assert_true(gpu_mem_open(g->gpu, READ_ONLY, ABI_PAGE, GPU_READ));
    g->launch.vgprs = 128;
    g->launch.warps = 2;
    g->launch.work_items = 50;
    g->launch.groups[0] = threads > 1 ? 6 : 2;
    g->launch.knl = GUEST_DATA;
    g->launch.pds_base = GUEST_DATA + 8192;
    g->launch.pds_bytes = 64;
    g->options.cancel = &cancel;
}

static void close_machine(struct guest *g)
{
    const uint8_t *page = gpu_mem(g->gpu, READ_ONLY, ABI_PAGE);
    for (uint32_t i = 0; i < ABI_PAGE; i++) assert_int_equal(page[i], 0x5a);
    guest_close(g);
}

/* On the nth build. */
static void run(struct guest *g, unsigned n)
{
    char text[400];
    assert_true(use_build(g, n));
    fill(g);
    guest_run(g);
    assert_int_equal(g->result.status == LAUNCH_FAULT, g->result.fault.kind != FAULT_NONE);
    if (g->result.status == LAUNCH_FAULT) assert_true(fault_print(&g->result.fault, text, sizeof text) > 0);
}

/* Runs from `start` on each engine. Flags are computed by some alone: code that can see them would only ever run
 * there. */
static void run_everywhere(struct guest *g)
{
    static struct memory first, now;
    run(g, 0);
    struct result result = g->result;
    keep(g, &first);
    if (code_reads_flags(g->gpu)) return;
    for (unsigned n = 1; n < count_builds(); n++) {
        run(g, n);
        keep(g, &now);
        if (memcmp(&g->result, &result, sizeof result)) {
            char a[400], b[400];
            fault_print(&g->result.fault, a, 400);
            fault_print(&result.fault, b, 400);
            for (unsigned q = 0; q < sizeof(struct counters) / 8; q++)
                print_message("%llu/%llu ", ((unsigned long long *)&g->result.counters)[q],
                              ((unsigned long long *)&result.counters)[q]);
            fail_msg("engine %u: %d %s, first %d %s", n, g->result.status, a, result.status, b);
        }
        if (result.fault.kind != FAULT_WRITE) assert_memory_equal(&now, &first, sizeof first);
    }
}

/* Where to go on: behind the word at fault, so that every word of the code has its turn. */
static size_t next_start(const struct guest *g, const struct program *p, size_t start)
{
    size_t at = (g->result.fault.pc - ABI_CODE_BASE) / 4;
    return g->result.status == LAUNCH_FAULT && at > start && at < p->end ? at + 1 : start + 1;
}

static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_TOOLCHAIN, PROFILE_R20, PROFILE_R21,
                                            PROFILE_R2025};
enum { PROFILES = sizeof profiles / sizeof *profiles };

static void test_engines_agree(void **state)
{
    static struct program p;
    (void)state;
    for (uint32_t i = 0; i < PROFILES * rounds; i++) {
        struct guest g;
        open_machine(&g, profiles[i % PROFILES], 1);
        make_program(&p, profiles[i % PROFILES]);
        guest_code(&g, p.words, p.end);
        for (size_t start = p.begin; start < p.end; start = next_start(&g, &p, start)) {
            enter_at(&g, &p, start, GPU_READ | GPU_EXEC);
            g.options.observers = &state_observer;
            run_everywhere(&g);
        }
        close_machine(&g);
    }
}

/* Groups on three host threads that share code, which some of them write and drop. */
static void test_host_threads(void **state)
{
    static struct program p;
    (void)state;
    for (uint32_t i = 0; i < PROFILES * rounds; i++) {
        struct guest g;
        open_machine(&g, profiles[i % PROFILES], 3);
        make_program(&p, profiles[i % PROFILES]);
        for (size_t start = p.begin; start < p.end; start = next_start(&g, &p, start)) {
            if ((start - p.begin) % 8 == 0) guest_code(&g, p.words, p.end);
            enter_at(&g, &p, start, GPU_READ | GPU_WRITE | GPU_EXEC);
            run(&g, among(count_builds()));
        }
        close_machine(&g);
    }
}

/* The first 4 GiB onto themselves, in pages of 1 GiB. */
static void identity(struct guest *g)
{
    uint64_t *root = gpu_mem(g->gpu, TOP, ABI_PAGE);
    for (uint64_t i = 0; i < 4; i++) root[i] = i << 28 | 0xf;
    g->launch.sv39 = true;
    g->launch.page_table = TOP;
}

static void test_translated(void **state)
{
    static struct program p;
    (void)state;
    for (uint32_t i = 0; i < PROFILES * rounds; i++) {
        struct guest g;
        open_machine(&g, profiles[i % PROFILES], 1 + i % 2);
        make_program(&p, profiles[i % PROFILES]);
        guest_code(&g, p.words, p.end);
        g.options.observers = &observer;
        for (size_t start = p.begin; start < p.end; start = next_start(&g, &p, start)) {
            identity(&g);
            enter_at(&g, &p, start, GPU_READ | GPU_WRITE | GPU_EXEC);
            run(&g, 0);
        }
        close_machine(&g);
    }
}

/* ---- launches ---- */

static void spoil_launch(struct launch *l)
{
    l->pds_groups = among(10);
    spoil_words(&l->start_pc, offsetof(struct launch, sv39) / 4, 12);
    l->sv39 = !among(16);
    if (!among(4)) l->page_table = odd_number();
}

static void test_launches(void **state)
{
    static struct program p;
    uint32_t refused = 0, begun = 0;
    (void)state;
    for (uint32_t i = 0; i < 500 * rounds; i++) {
        static struct guest g;
        if (i % 50 == 0) {
            enum isa_profile profile = profiles[i / 50 % PROFILES];
            open_machine(&g, profile, 1 + i / 50 % 3);
            make_program(&p, profile);
            guest_code(&g, p.words, p.end);
        }
        struct launch plain = g.launch;
        enter_at(&g, &p, p.begin + among(WORDS / 2), GPU_READ | GPU_EXEC);
        spoil_launch(&g.launch);
        g.options.serial = !among(4);
        g.options.order = (enum path_order)among(3);
        run(&g, among(count_builds()));
        refused += g.result.fault.kind == FAULT_LAUNCH;
        begun += g.result.counters.groups > 0;
        g.launch = plain;
        if (i % 50 == 49) close_machine(&g);
    }
    assert_true(refused && begun);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations), cmocka_unit_test(test_launches),   cmocka_unit_test(test_engines_agree),
        cmocka_unit_test(test_host_threads),   cmocka_unit_test(test_translated),
    };
    if (argc > 1) rounds = (uint32_t)strtoul(argv[1], NULL, 0);
    for (unsigned long skip = argc > 2 ? strtoul(argv[2], NULL, 0) : 0; skip; skip--) guest_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
