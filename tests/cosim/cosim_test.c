/* Co-simulation of two functional machines: one is the design, whose observer says what each instruction has done, the
 * other the reference. Equal runs find nothing; each way in which the design may be wrong is found at the instruction
 * where it is, and reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../sim/guest.h"
#include "cosim/ventus_cosim.h"
#include "sim/observe.h"
#include "trace/trace.h"

/* Changes what the design says of its instruction number `at`; 0: of none. */
enum wrong {
    RIGHT,
    WRONG_X,
    WRONG_V,
    WRONG_LANES,
    WRONG_ADDRESS,
    WRONG_DATA,
    WRONG_FORM,
    WRONG_PC,
    WRONG_WORD,
    WRONG_MASK,
    WRONG_DEPTH,
    SAYS_LESS,
    SAYS_MORE,
    SKIPS,
};

struct design {
    struct guest guest;
    struct observer hooks;
    struct event event;
    struct ventus_cosim *cosim;
    enum wrong wrong;
    uint32_t hart, wrong_pc; /* 0: every hart; the first instruction there */
    bool done;
};

static uint32_t hart_of(const struct warp *w) { return w->group->slot * 8 + w->wid; }

static bool is_wrong(struct design *d, enum wrong wrong) { return d->wrong == wrong && d->event.pc == d->wrong_pc; }

static void group_begin(void *user, const struct group *g)
{
    struct design *d = user;
    if (!ventus_cosim_dut_group_begin(d->cosim, group_sm(g), g->slot, g->wgid, g->lds_base, g->pds_base) &&
        !*ventus_cosim_report(d->cosim))
        fail_msg("%s", ventus_cosim_error(d->cosim));
    for (uint32_t i = 0; i < g->launch->warps; i++)
        ventus_cosim_dut_warp_begin(d->cosim, g->slot * 8 + i, group_sm(g), g->slot, i);
}

static void group_end(void *user, const struct group *g)
{
    struct design *d = user;
    ventus_cosim_dut_group_end(d->cosim, group_sm(g), g->slot);
}

static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct design *d = user;
    trace_event_begin(&d->event, w, in);
    return GO_ON;
}

static void on_access(void *user, const struct warp *w, const struct insn *in, const struct access *access)
{
    (void)w, (void)in;
    trace_event_access(&((struct design *)user)->event, access);
}

static void say_registers(struct design *d, const struct warp *w)
{
    const struct event *e = &d->event;
    const uint32_t hart = hart_of(w);
    for (unsigned k = 0; k < e->results && !is_wrong(d, SAYS_LESS); k++) {
        const uint32_t rd = e->insn->rd + k;
        if (e->to_scalar) ventus_cosim_dut_x_set(d->cosim, hart, rd, w->x[rd] + is_wrong(d, WRONG_X));
        if (!e->to_vector || !e->lanes) continue;
        uint32_t values[ISA_LANES];
        memcpy(values, w->v[rd], sizeof values);
        if (is_wrong(d, WRONG_V)) values[2] ^= 0x10, values[3] = 7;
        ventus_cosim_dut_v_set(d->cosim, hart, rd, is_wrong(d, WRONG_LANES) ? ~0u : e->lanes, values);
    }
    if (is_wrong(d, SAYS_MORE)) ventus_cosim_dut_x_set(d->cosim, hart, 63, 1);
}

static void say_memory(struct design *d, const struct warp *w)
{
    const struct event *e = &d->event;
    for (unsigned k = 0; k < e->accesses; k++) {
        const struct access *a = &e->access[k];
        uint32_t addr[ISA_LANES], data[ISA_LANES];
        memcpy(addr, a->addr, sizeof addr);
        memcpy(data, e->data[k], sizeof data);
        if (is_wrong(d, WRONG_ADDRESS)) addr[0] += 4;
        if (is_wrong(d, WRONG_DATA)) data[0]++;
        ventus_cosim_dut_bus(d->cosim, hart_of(w), a->atomic ? 2 : a->write, is_wrong(d, WRONG_FORM) ? 2 : a->size,
                             a->lanes, addr, data);
    }
}

static void after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    struct design *d = user;
    const struct event *e = &d->event;
    trace_event_end(&d->event, w, pc, in);
    say_registers(d, w);
    say_memory(d, w);
    ventus_cosim_dut_simt_set(d->cosim, hart_of(w), w->mask ^ is_wrong(d, WRONG_MASK),
                              w->depth + is_wrong(d, WRONG_DEPTH));
    if (is_wrong(d, SKIPS)) return;
    ventus_cosim_dut_retire(d->cosim, hart_of(w), e->pc + 4 * is_wrong(d, WRONG_PC),
                            e->words[in->size / 4 - 1] ^ is_wrong(d, WRONG_WORD));
}

/* The reference gets the design's code and data. */
static void copy_memory(struct design *d)
{
    const void *code = gpu_mem(d->guest.gpu, ABI_CODE_BASE, ABI_PAGE);
    assert_non_null(code);
    assert_true(ventus_cosim_ref_memory_write(d->cosim, ABI_CODE_BASE, code, ABI_PAGE));
    assert_true(ventus_cosim_ref_memory_write(d->cosim, GUEST_DATA, d->guest.data, GUEST_BYTES));
}

static void design_open(struct design *d, const char *source)
{
    memset(d, 0, sizeof *d);
    guest_open(&d->guest);
    guest_assemble(&d->guest, source);
    d->hooks = (struct observer){.user = d,
                                 .group_begin = group_begin,
                                 .group_end = group_end,
                                 .before = before,
                                 .access = on_access,
                                 .after = after};
    d->guest.options.observers = &d->hooks;
    d->cosim = ventus_cosim_ref_init(NULL, VENTUS_COSIM_ALL);
    assert_non_null(d->cosim);
}

static void design_run(struct design *d)
{
    const struct launch *l = &d->guest.launch;
    const struct ventus_cosim_launch same = {.start_pc = l->start_pc,
                                             .knl = l->knl,
                                             .groups = {l->groups[0], l->groups[1], l->groups[2]},
                                             .warps = l->warps,
                                             .threads_per_warp = l->threads_per_warp,
                                             .work_items = l->work_items,
                                             .sgprs = l->sgprs,
                                             .vgprs = l->vgprs,
                                             .lds_bytes = l->lds_bytes,
                                             .pds_base = l->pds_base,
                                             .pds_bytes = l->pds_bytes};
    copy_memory(d);
    if (!ventus_cosim_ref_launch(d->cosim, &same)) fail_msg("%s", ventus_cosim_error(d->cosim));
    guest_run(&d->guest);
    ventus_cosim_ref_launch_end(d->cosim);
}

static void design_close(struct design *d)
{
    ventus_cosim_ref_shutdown(d->cosim);
    guest_close(&d->guest);
}

/* Two groups of two warps: divergence with masks, local and global memory, a barrier, an atomic, a prefix. */
static const char program[] = "  csrr x5, CSR_TID\n"
                              "  csrr x6, CSR_LDS\n"
                              "  lui x7, 0x90000\n"
                              "  vid.v v1\n"
                              "  vadd.vx v1, v1, x5\n"
                              "  vsll.vi v2, v1, 2\n"
                              "  vadd.vx v3, v2, x6\n" /* local word of the work-item */
                              "  vadd.vx v4, v2, x7\n" /* global word */
                              "  vlw12.v v5, 0(v4)\n"
                              "  vsw12.v v5, 0(v3)\n"
                              "  barrier 0\n"
                              "  vrsub.vi v6, v2, 31\n"
                              "  vand.vi v7, v1, 1\n"
                              "  vmv.v.i v8, 0\n"
                              "  la x9, together\n"
                              "  setrpc x0, x9, 0\n"
                              "  vbeq v7, v8, even\n"
                              "  vadd.vi v5, v5, 3\n"
                              "  j together\n"
                              "even: vadd.vi v5, v5, 5\n"
                              "together: join\n"
                              "  vadd.vv v40, v5, v1\n"
                              "  vsw12.v v40, 0(v4)\n"
                              "  addi x10, x7, 1024\n"
                              "  vmv.v.x v9, x10\n"
                              "  vmv.v.i v10, 1\n"
                              "  amoadd.w v11, v10, (v9)\n"
                              "  sw x5, 1028(x7)\n"
                              "  lw x11, 1028(x7)\n"
                              "  endprg\n";

static void size(struct design *d)
{
    d->guest.launch.groups[0] = 2;
    d->guest.launch.warps = 2;
    d->guest.launch.work_items = 2 * d->guest.launch.threads_per_warp;
    for (uint32_t i = 0; i < 64; i++) d->guest.data[i] = 100 + i;
}

static void test_equal(void **state)
{
    struct design d;
    (void)state;
    design_open(&d, program);
    size(&d);
    design_run(&d);
    assert_int_equal(d.guest.result.status, LAUNCH_DONE);
    assert_string_equal(ventus_cosim_report(d.cosim), "");
    assert_int_equal(ventus_cosim_metric(d.cosim, VENTUS_COSIM_RETIRED), d.guest.result.counters.instructions);
    assert_true(ventus_cosim_metric(d.cosim, VENTUS_COSIM_COMPARED) > 1000);
    assert_true(ventus_cosim_ref_memory_compare(d.cosim, GUEST_DATA, d.guest.data, GUEST_BYTES));
    d.guest.data[300]++;
    assert_false(ventus_cosim_ref_memory_compare(d.cosim, GUEST_DATA, d.guest.data, GUEST_BYTES));
    assert_non_null(strstr(ventus_cosim_report(d.cosim), "the byte of memory at 0x900004b0"));
    design_close(&d);
}

/* The address of the nth instruction with this mnemonic. */
static uint32_t find(const struct design *d, const char *name, unsigned n)
{
    const uint32_t *words = gpu_mem(d->guest.gpu, ABI_CODE_BASE, ABI_PAGE);
    struct insn in;
    for (uint32_t at = 0; at < ABI_PAGE / 4; at += in.size / 4) {
        isa_decode(words + at, ISA_MAX_WORDS, &in);
        if (!strcmp(isa_table[in.op].name, name) && !n--) return ABI_CODE_BASE + 4 * at;
    }
    fail_msg("no %s", name);
    return 0;
}

static void assert_found(enum wrong wrong, const char *name, unsigned n, const char *text)
{
    struct design d;
    design_open(&d, program);
    size(&d);
    d.wrong = wrong;
    d.wrong_pc = find(&d, name, n);
    design_run(&d);
    const char *report = ventus_cosim_report(d.cosim);
    char where[40];
    snprintf(where, sizeof where, "\n  instruction 0x%08x ", (unsigned)d.wrong_pc);
    if (!strstr(report, text)) fail_msg("%d at %s: no '%s' in\n%s", (int)wrong, name, text, report);
    if (wrong != SKIPS && !strstr(report, where)) fail_msg("%d at %s: elsewhere:\n%s", (int)wrong, name, report);
    assert_int_equal(ventus_cosim_metric(d.cosim, VENTUS_COSIM_DIFFERENCES), 1);
    design_close(&d);
}

static void test_each_difference(void **state)
{
    (void)state;
    assert_found(WRONG_X, "lui", 0, "first difference: the value of x7 (t2)");
    assert_found(WRONG_V, "vsll.vi", 0, "first difference: the value of v2 in 2 of 32 lanes");
    assert_found(WRONG_V, "vsll.vi", 0,
                 "\n     2          2  0x00000008  0x00000018\n     3          3  0x0000000c  0x00000007\n");
    assert_found(WRONG_LANES, "vadd.vi", 0, "inactive lanes are written");
    assert_found(WRONG_ADDRESS, "vlw12.v", 0, "\n     0  0x90000000  0x90000004\n");
    assert_found(WRONG_ADDRESS, "vsw12.v", 1, "\n     0  0x90000000  0x90000004\n");
    assert_found(WRONG_DATA, "vsw12.v", 0, "first difference: the data of a store");
    assert_found(WRONG_DATA, "sw", 0, "\n     0  0x90000404  0x00000000  0x00000001\n");
    assert_found(WRONG_V, "vlw12.v", 0, "  the word at 0x90000008: no instruction of this launch has written it\n");
    assert_found(WRONG_FORM, "amoadd.w", 0, "expected an atomic operation of 4 bytes");
    assert_found(WRONG_PC, "vand.vi", 0, "first difference: the address of the instruction");
    assert_found(WRONG_WORD, "vand.vi", 0, "first difference: the instruction word");
    assert_found(WRONG_MASK, "vbeq", 0, "first difference: the mask of lanes after the instruction");
    assert_found(WRONG_DEPTH, "vbeq", 0, "first difference: the depth of the SIMT stack");
    assert_found(SAYS_LESS, "vid.v", 0, "first difference: v1 has not been written");
    assert_found(SAYS_MORE, "vid.v", 0, "first difference: x63 has been written");
    assert_found(SKIPS, "vid.v", 0, "first difference: the address of the instruction");
    assert_found(SKIPS, "endprg", 0, "warps have not");
    assert_found(SKIPS, "barrier", 0, "first difference: the address of the instruction");
    assert_found(WRONG_V, "vadd.vv", 0, "vadd.vv v40");
}

/* The report has what a person needs. */
static void test_report(void **state)
{
    (void)state;
    assert_found(WRONG_X, "lw", 0, "  work-group (0, 0, 0), warp 0 of 2, hart 0 on SM 0, its instruction number ");
    assert_found(WRONG_X, "lw", 0, "the word at 0x90000404: last written by warp 0 of work-group 0, #");
    assert_found(WRONG_X, "lw", 0, "the last 20 instructions of the warp, with the lanes that ran:\n");
    assert_found(WRONG_X, "lw", 0, "hart 1    work-group 0, warp 1: ");
}

/* ---- values that memory allows ---- */

/* Two warps; the test is the design, and says what it wants. */
struct hand {
    struct ventus_cosim *cosim;
    uint32_t words[64];
    size_t n;
};

enum { KNL = 0x90001000 };

static void hand_open_with(struct hand *h, const char *source, uint32_t lanes, uint32_t reports)
{
    struct guest g;
    guest_open(&g);
    guest_assemble(&g, source);
    memcpy(h->words, gpu_mem(g.gpu, ABI_CODE_BASE, sizeof h->words), sizeof h->words);
    guest_close(&g);
    h->cosim = ventus_cosim_ref_init(NULL, reports);
    assert_non_null(h->cosim);
    assert_true(ventus_cosim_ref_memory_write(h->cosim, ABI_CODE_BASE, h->words, sizeof h->words));
    assert_true(ventus_cosim_ref_memory_open(h->cosim, GUEST_DATA, 8192));
    const struct ventus_cosim_launch l = {.start_pc = ABI_CODE_BASE,
                                          .knl = KNL,
                                          .groups = {2, 1, 1},
                                          .warps = 2,
                                          .threads_per_warp = lanes,
                                          .lds_bytes = 4096};
    assert_true(ventus_cosim_ref_launch(h->cosim, &l));
    for (uint32_t g2 = 0; g2 < 2; g2++) { /* on two SMs, with the same addresses of local memory */
        assert_true(ventus_cosim_dut_group_begin(h->cosim, g2, 0, g2, ABI_LOCAL_BASE, 0));
        for (uint32_t w = 0; w < 2; w++) assert_true(ventus_cosim_dut_warp_begin(h->cosim, 2 * g2 + w, g2, 0, w));
    }
}

static void hand_open(struct hand *h, const char *source) { hand_open_with(h, source, 4, VENTUS_COSIM_X); }

/* The instruction at word number `at`, which writes `value` to x[reg] (0: nothing). */
static int hand_retire(struct hand *h, uint32_t hart, uint32_t at, uint32_t reg, uint32_t value)
{
    if (reg) ventus_cosim_dut_x_set(h->cosim, hart, reg, value);
    return ventus_cosim_dut_retire(h->cosim, hart, ABI_CODE_BASE + 4 * at, h->words[at]);
}

static const char flags[] = " lui x5, 0x90000\n csrr x6, CSR_WID\n addi x6, x6, 1\n sw x6, 0(x5)\n lw x7, 0(x5)\n "
                            "barrier 0\n lw x8, 0(x5)\n endprg\n";

static void hand_start(struct hand *h, uint32_t hart, uint32_t wid)
{
    assert_true(hand_retire(h, hart, 0, 5, 0x90000000));
    assert_true(hand_retire(h, hart, 1, 6, wid));
    assert_true(hand_retire(h, hart, 2, 6, wid + 1));
}

static void test_load_of_an_unordered_write(void **state)
{
    struct hand h;
    (void)state;
    hand_open(&h, flags);
    hand_start(&h, 0, 0);
    hand_start(&h, 1, 1);
    assert_true(hand_retire(&h, 0, 3, 0, 0)); /* warp 0 stores 1, warp 1 stores 2 */
    assert_true(hand_retire(&h, 1, 3, 0, 0));
    assert_true(hand_retire(&h, 0, 4, 7, 1)); /* the store of warp 1 has not come to it yet */
    assert_int_equal(ventus_cosim_metric(h.cosim, VENTUS_COSIM_TAKEN), 1);
    assert_int_equal(ventus_cosim_ref_x(h.cosim, 0, 7), 1);
    assert_false(hand_retire(&h, 1, 4, 7, 0)); /* but its own store has been before */
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "the value of x7"));
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "last written by warp 1 of work-group 0"));
    ventus_cosim_ref_shutdown(h.cosim);
}

static void test_barrier_orders(void **state)
{
    struct hand h;
    (void)state;
    hand_open(&h, flags);
    for (uint32_t w = 0; w < 2; w++) hand_start(&h, w, w);
    for (uint32_t w = 0; w < 2; w++) assert_true(hand_retire(&h, w, 3, 0, 0));
    for (uint32_t w = 0; w < 2; w++) assert_true(hand_retire(&h, w, 4, 7, 2));
    for (uint32_t w = 0; w < 2; w++) assert_true(hand_retire(&h, w, 5, 0, 0));
    assert_false(hand_retire(&h, 0, 6, 8, 0)); /* each has stored something */
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "the value of x8"));
    ventus_cosim_ref_shutdown(h.cosim);
}

static void test_barrier_is_passed_too_early(void **state)
{
    struct hand h;
    (void)state;
    hand_open(&h, " barrier 0\n endprg\n");
    assert_true(hand_retire(&h, 0, 0, 0, 0));
    assert_false(hand_retire(&h, 0, 1, 0, 0));
    assert_non_null(
        strstr(ventus_cosim_report(h.cosim), "a barrier that not all warps of its work-group have reached"));
    ventus_cosim_ref_shutdown(h.cosim);
}

static void test_end(void **state)
{
    struct hand h;
    (void)state;
    hand_open(&h, " endprg\n endprg\n");
    for (uint32_t w = 0; w < 4; w++) assert_true(hand_retire(&h, w, 0, 0, 0));
    assert_false(hand_retire(&h, 1, 1, 0, 0));
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "the warp has ended, and goes on"));
    ventus_cosim_ref_shutdown(h.cosim);
    hand_open(&h, " endprg\n");
    for (uint32_t w = 0; w < 4; w++) assert_true(hand_retire(&h, w, 0, 0, 0));
    assert_true(ventus_cosim_dut_group_end(h.cosim, 0, 0));
    assert_false(ventus_cosim_ref_launch_end(h.cosim));
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "2 of 2 work-groups have begun and 1 have ended"));
    ventus_cosim_ref_shutdown(h.cosim);
}

/* A branch that goes the other way is found where the design is next. */
static void test_branch(void **state)
{
    struct hand h;
    (void)state;
    hand_open(&h, " addi x5, x0, 1\n beq x5, x0, far\n addi x6, x0, 2\nfar: endprg\n");
    assert_true(hand_retire(&h, 0, 0, 5, 1));
    assert_true(hand_retire(&h, 0, 1, 0, 0));
    assert_false(hand_retire(&h, 0, 3, 0, 0));
    assert_non_null(strstr(ventus_cosim_report(h.cosim),
                           "the address of the instruction\n  kernel (no name known)\n  work-group (0, 0, 0), warp 0"));
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "  expected 0x80000008\n  found    0x8000000c\n"));
    ventus_cosim_ref_shutdown(h.cosim);
}

/* ---- atomics: memory's order need not be that of retirement ---- */

static void hand_retire_v(struct hand *h, uint32_t hart, uint32_t at, uint32_t reg, uint32_t value)
{
    const uint32_t values[32] = {value};
    assert_true(ventus_cosim_dut_v_set(h->cosim, hart, reg, 1, values));
    if (!hand_retire(h, hart, at, 0, 0)) fail_msg("%s", ventus_cosim_report(h->cosim));
}

/* The first group has two warps of a lane; each does `atomic` with its number + 1, where memory has warp 1 first. */
static void hand_atomics(struct hand *h, const char *atomic, uint32_t then)
{
    char source[400];
    snprintf(
        source, sizeof source,
        " lui x5, 0x90000\n csrr x6, CSR_WID\n addi x6, x6, 1\n vmv.v.x v1, x5\n vmv.v.x v2, x6\n %s v3, v2, (v1)\n"
        " lw x7, 0(x5)\n sw x6, 0(x5)\n lw x7, 0(x5)\n endprg\n",
        atomic);
    hand_open_with(h, source, 1, VENTUS_COSIM_X | VENTUS_COSIM_V);
    for (uint32_t w = 0; w < 2; w++) {
        hand_start(h, w, w);
        hand_retire_v(h, w, 3, 1, 0x90000000);
        hand_retire_v(h, w, 4, 2, w + 1);
    }
    hand_retire_v(h, 0, 5, 3, then);
    hand_retire_v(h, 1, 5, 3, 0);
}

static void test_order_of_atomics(void **state)
{
    struct hand h;
    (void)state;
    hand_atomics(&h, "amoswap.w", 2);
    assert_true(hand_retire(&h, 1, 6, 7, 1)); /* warp 0 came last in memory */
    assert_true(hand_retire(&h, 1, 7, 0, 0)); /* a store: the word is known again */
    assert_false(hand_retire(&h, 1, 8, 7, 1));
    ventus_cosim_ref_shutdown(h.cosim);
    hand_atomics(&h, "amoadd.w", 2);
    assert_false(hand_retire(&h, 1, 6, 7, 1)); /* the sum is 3 in each order */
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "expected 0x00000003, found 0x00000001"));
    ventus_cosim_ref_shutdown(h.cosim);
}

/* Each SM has a local memory of its own at the same address. */
static void test_local_memory_of_each_sm(void **state)
{
    struct hand h;
    (void)state;
    hand_open(&h, " csrr x5, CSR_LDS\n csrr x6, CSR_GIDX\n sw x6, 0(x5)\n lw x7, 0(x5)\n endprg\n");
    for (uint32_t g = 0; g < 2; g++) {
        assert_true(hand_retire(&h, 2 * g, 0, 5, ABI_LOCAL_BASE));
        assert_true(hand_retire(&h, 2 * g, 1, 6, g));
        assert_true(hand_retire(&h, 2 * g, 2, 0, 0));
    }
    assert_true(hand_retire(&h, 0, 3, 7, 0));
    assert_true(hand_retire(&h, 2, 3, 7, 1));
    ventus_cosim_ref_shutdown(h.cosim);
}

static void test_tolerance(void **state)
{
    struct hand h;
    (void)state;
    static const char source[] =
        " lui x5, 0x40490\n lui x6, 0x3f801\n fdiv.s x7, x5, x6\n fadd.s x8, x5, x6\n endprg\n";
    hand_open(&h, source);
    assert_true(hand_retire(&h, 0, 0, 5, 0x40490000));
    assert_true(hand_retire(&h, 0, 1, 6, 0x3f801000));
    struct hand exact = h;
    const float quotient = 3.140625f / 1.00048828125f;
    uint32_t bits;
    memcpy(&bits, &quotient, 4);
    assert_true(hand_retire(&exact, 0, 2, 7, bits + 1));
    assert_int_equal(ventus_cosim_metric(h.cosim, VENTUS_COSIM_TOLERATED), 1);
    assert_int_equal(ventus_cosim_ref_x(h.cosim, 0, 7), bits + 1); /* what the design goes on with */
    assert_true(ventus_cosim_dut_x_set(h.cosim, 0, 8, 1));
    assert_false(ventus_cosim_dut_retire(h.cosim, 0, ABI_CODE_BASE + 12, h.words[3]));
    ventus_cosim_ref_shutdown(h.cosim);
    hand_open(&h, source);
    assert_true(ventus_cosim_ref_tolerance(h.cosim, "fdiv*", 0));
    assert_false(ventus_cosim_ref_tolerance(h.cosim, "no such", 1));
    assert_true(hand_retire(&h, 0, 0, 5, 0x40490000));
    assert_true(hand_retire(&h, 0, 1, 6, 0x3f801000));
    assert_false(hand_retire(&h, 0, 2, 7, bits + 1));
    ventus_cosim_ref_shutdown(h.cosim);
}

/* What the design may not say is an error, not a difference. */
static void test_misuse(void **state)
{
    struct hand h;
    (void)state;
    assert_null(ventus_cosim_ref_init("/no such file", 0));
    assert_non_null(strstr(ventus_cosim_error(NULL), "/no such file"));
    hand_open(&h, " endprg\n");
    assert_false(ventus_cosim_dut_retire(h.cosim, 9, ABI_CODE_BASE, 0));
    assert_string_equal(ventus_cosim_error(h.cosim), "hart 9: no warp has begun there");
    assert_false(ventus_cosim_dut_warp_begin(h.cosim, UINT32_MAX, 0, 0, 0));
    assert_false(ventus_cosim_dut_warp_begin(h.cosim, 0, 0, 0, 0));
    assert_false(ventus_cosim_dut_warp_begin(h.cosim, 5, 0, 0, 2));
    assert_false(ventus_cosim_dut_group_begin(h.cosim, 0, 0, 0, ABI_LOCAL_BASE, 0));
    assert_false(ventus_cosim_dut_group_begin(h.cosim, 0, 1, 0, ABI_LOCAL_BASE, 0));
    assert_string_equal(ventus_cosim_error(h.cosim), "work-group 0 begins for the second time");
    assert_false(ventus_cosim_dut_group_begin(h.cosim, 0, 1, 2, ABI_LOCAL_BASE, 0));
    assert_false(ventus_cosim_dut_group_begin(h.cosim, 9, 0, 1, ABI_LOCAL_BASE, 0));
    assert_false(ventus_cosim_dut_group_end(h.cosim, 0, 1));
    assert_false(ventus_cosim_ref_memory_write(h.cosim, GUEST_DATA, h.words, 4));
    assert_false(ventus_cosim_ref_case(h.cosim, "x.metadata"));
    assert_string_equal(ventus_cosim_report(h.cosim), "");
    ventus_cosim_ref_shutdown(h.cosim);
    ventus_cosim_ref_shutdown(NULL);
}

/* A store of the design to where there is no memory fails in the reference. */
static void test_fault(void **state)
{
    struct hand h;
    (void)state;
    hand_open(&h, " lw x5, 16(x0)\n");
    assert_false(hand_retire(&h, 0, 0, 5, 0));
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "the instruction fails in the reference"));
    assert_non_null(strstr(ventus_cosim_report(h.cosim), "read of unmapped memory"));
    ventus_cosim_ref_shutdown(h.cosim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_each_difference),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_load_of_an_unordered_write),
        cmocka_unit_test(test_barrier_orders),
        cmocka_unit_test(test_barrier_is_passed_too_early),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_branch),
        cmocka_unit_test(test_order_of_atomics),
        cmocka_unit_test(test_local_memory_of_each_sm),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
