/* Observers: several at once, the order of their hooks, and what one may do with a warp it has stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/observe.h"

enum { MOST_STEPS = 200 };

/* Each lane stores x6 = 5 and v2 = lane into its words of the data; the numbers are addresses of instructions, from the
 * first one on. */
static const char program[] = "  lui x5, 0x90000\n" /* 0 */
                              "  li x6, 5\n"        /* 4 */
                              "  vid.v v2\n"        /* 8 */
                              "  vid.v v1\n"        /* c */
                              "  vsll.vi v1, v1, 3\n"
                              "  vadd.vx v1, v1, x5\n"
                              "  vmv.v.x v3, x6\n" /* 18 */
                              "  vsw12.v v3, 0(v1)\n"
                              "  vsw12.v v2, 4(v1)\n" /* 20 */
                              "  endprg\n"
                              "  auipc x5, 0\n" /* 28: another program */
                              "  sw x0, 0(x5)\n"
                              "  endprg\n";
enum { AT_LI = 4, AT_VMV = 0x18, AT_STORES = 0x1c, AT_STORE_TO_CODE = 0x28, INSTRUCTIONS = 10 };

static void open_program(struct guest *g, const char *source)
{
    guest_open(g);
    guest_assemble(g, source);
}

static void run_watched(struct guest *g, const struct observer *observer)
{
    g->options.observers = observer;
    guest_run(g);
    g->options.observers = NULL;
}

static void assert_done(const struct guest *g)
{
    char text[300];
    fault_print(&g->result.fault, text, sizeof text);
    if (g->result.status != LAUNCH_DONE) fail_msg("status %d: %s", (int)g->result.status, text);
}

/* What the program stores. */
static void assert_words(const struct guest *g, uint32_t first, uint32_t second_of_lane_3)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        assert_int_equal(g->data[2 * lane], first);
        assert_int_equal(g->data[2 * lane + 1], lane == 3 ? second_of_lane_3 : lane);
    }
}

/* ---- a debugger in small: does something once, when a warp comes to an address ---- */

struct stop_point {
    uint32_t pc;
    enum observed (*action)(struct warp *w);
    unsigned hits;
};

static enum observed stop_at(void *user, struct warp *w, const struct insn *in)
{
    struct stop_point *s = user;
    (void)in;
    if (w->pc != s->pc) return GO_ON;
    return s->hits++ ? GO_ON : s->action(w);
}

static void run_to(struct guest *g, uint32_t offset, enum observed (*action)(struct warp *w))
{
    struct stop_point s = {.pc = ABI_CODE_BASE + offset, .action = action};
    const struct observer debugger = {.user = &s, .before = stop_at};
    run_watched(g, &debugger);
    assert_true(s.hits >= 1);
}

static enum observed change_registers(struct warp *w)
{
    assert_int_equal(w->x[6], 5);
    assert_int_equal(w->v[2][3], 3);
    assert_true(warp_set_x(w, 6, 77));
    assert_true(warp_set_v(w, 2, 3, 1000));
    assert_true(warp_set_x(w, 0, 9));
    assert_int_equal(w->x[0], 0);
    assert_false(warp_set_x(w, 64, 1));
    assert_false(warp_set_v(w, 64, 0, 1));
    assert_false(warp_set_v(w, 2, 32, 1));
    return GO_ON;
}

static void test_registers_change(void **state)
{
    struct guest g;
    (void)state;
    open_program(&g, program);
    run_to(&g, AT_VMV, change_registers);
    assert_done(&g);
    assert_words(&g, 77, 1000);
    assert_int_equal(g.result.counters.instructions, INSTRUCTIONS);
    guest_run(&g); /* nothing of it is left */
    assert_done(&g);
    assert_words(&g, 5, 3);
    guest_close(&g);
}

static enum observed stop(struct warp *w)
{
    assert_int_equal(w->x[6], 5);
    return STOP;
}

/* The instruction is not executed; the launch ends with a status of its own, and the machine stays usable. */
static void test_stop_ends(void **state)
{
    struct guest g;
    (void)state;
    open_program(&g, program);
    run_to(&g, AT_STORES, stop);
    assert_int_equal(g.result.status, LAUNCH_STOPPED);
    assert_int_equal(g.result.fault.kind, FAULT_NONE);
    assert_int_equal(g.result.counters.instructions, AT_STORES / 4);
    for (int i = 0; i < 64; i++) assert_int_equal(g.data[i], 0);
    guest_run(&g);
    assert_done(&g);
    assert_words(&g, 5, 3);
    guest_close(&g);
}

static enum observed skip_li(struct warp *w)
{
    warp_set_pc(w, w->pc + 4);
    return GO_ON;
}

/* What is skipped is neither executed nor counted, and nobody is told that it was. */
static void test_pc_changes(void **state)
{
    struct guest g;
    (void)state;
    open_program(&g, program);
    run_to(&g, AT_LI, skip_li);
    assert_done(&g);
    assert_words(&g, 0, 3);
    assert_int_equal(g.result.counters.instructions, INSTRUCTIONS - 1);
    guest_close(&g);
}

static enum observed halve_mask(struct warp *w)
{
    warp_set_mask(w, 0xffff);
    assert_int_equal(w->active, 0xffff);
    assert_int_equal(w->nactive, 16);
    assert_int_equal(w->expand[15], ~0u);
    assert_int_equal(w->expand[16], 0);
    return GO_ON;
}

static enum observed widen_mask(struct warp *w)
{
    warp_set_mask(w, ~0u);
    assert_int_equal(w->mask, w->lanes);
    return GO_ON;
}

static void test_mask_changes(void **state)
{
    struct guest g;
    (void)state;
    open_program(&g, program);
    run_to(&g, AT_STORES, halve_mask);
    assert_done(&g);
    assert_int_equal(g.data[2 * 15], 5);
    assert_int_equal(g.data[2 * 16], 0);
    g.launch.work_items = 20;
    run_to(&g, AT_STORES, widen_mask);
    assert_done(&g);
    assert_int_equal(g.data[2 * 19], 5);
    assert_int_equal(g.data[2 * 20], 0);
    guest_close(&g);
}

/* ---- control registers, memory, code ---- */

/* Each warp stores 1 / 3 and what it finds behind that, 64 bytes from warp to warp. */
static const char thirds[] = "  csrr x9, CSR_WID\n  slli x9, x9, 6\n  lui x5, 0x90000\n  add x5, x5, x9\n  li x6, 1\n"
                             "  fcvt.s.w x6, x6\n  li x7, 3\n  fcvt.s.w x7, x7\n  fdiv.s x6, x6, x7\n"
                             "  sw x6, 0(x5)\n  lw x8, 4(x5)\n  sw x8, 8(x5)\n  endprg\n";
enum { AT_FDIV = 0x20, AT_LW = 0x28 };

/* A third is 0x3eaaaaaa.aa..: to nearest it is rounded up. */
static enum observed round_down(struct warp *w)
{
    uint32_t frm = 9;
    assert_true(warp_csr(w, 2, &frm));
    assert_int_equal(frm, 0);
    assert_true(warp_set_csr(w, 2, 2));
    assert_true(warp_csr(w, 2, &frm));
    assert_int_equal(frm, 2);
    assert_false(warp_csr(w, 0x7ff, &frm));
    assert_false(warp_set_csr(w, 0xf14, 1)); /* mhartid */
    return GO_ON;
}

static enum observed round_down_the_other(struct warp *w)
{
    assert_int_equal(w->wid, 0);
    return round_down(&w->group->warps[1]);
}

static enum observed write_data(struct warp *w)
{
    const uint32_t word = 0xfeedf00d;
    assert_int_equal(*(const uint32_t *)warp_memory(w, GUEST_DATA, 4), 0x3eaaaaab);
    assert_true(warp_set_memory(w, GUEST_DATA + 4, &word, sizeof word));
    assert_false(warp_set_memory(w, 0x1000, &word, sizeof word));
    return GO_ON;
}

static void test_machine_state_changes(void **state)
{
    struct guest g;
    (void)state;
    open_program(&g, thirds);
    run_to(&g, AT_FDIV, round_down);
    assert_done(&g);
    assert_int_equal(g.data[0], 0x3eaaaaaa);
    run_to(&g, AT_LW, write_data);
    assert_done(&g);
    assert_int_equal(g.data[0], 0x3eaaaaab);
    assert_int_equal(g.data[2], 0xfeedf00d);
    g.launch.warps = 2;
    g.launch.work_items = 64;
    run_to(&g, AT_FDIV, round_down_the_other);
    assert_done(&g);
    assert_int_equal(g.data[0], 0x3eaaaaab);
    assert_int_equal(g.data[16], 0x3eaaaaaa);
    guest_close(&g);
}

static enum observed patch(struct warp *w)
{
    const uint32_t li_x6_9 = 0x00900313;
    assert_true(warp_set_memory(w, ABI_CODE_BASE + AT_LI, &li_x6_9, sizeof li_x6_9));
    return GO_ON;
}

/* Code that is written is executed, the instruction that was announced too. A page that was read-only still is. */
static void check_patch(uint32_t offset, unsigned access)
{
    struct guest g;
    open_program(&g, program);
    assert_true(gpu_mem_open(g.gpu, ABI_CODE_BASE, 4, access));
    run_to(&g, offset, patch);
    assert_done(&g);
    assert_words(&g, 9, 3);
    assert_int_equal(g.result.counters.instructions, INSTRUCTIONS);
    g.launch.start_pc = ABI_CODE_BASE + AT_STORE_TO_CODE;
    guest_run(&g);
    assert_int_equal(g.result.fault.kind, access & GPU_WRITE ? FAULT_NONE : FAULT_WRITE);
    guest_close(&g);
}

static void test_code_changes(void **state)
{
    (void)state;
    for (uint32_t offset = 0; offset <= AT_LI; offset += 4) {
        check_patch(offset, GPU_READ | GPU_EXEC);
        check_patch(offset, GPU_READ | GPU_WRITE | GPU_EXEC);
    }
}

/* ---- stepping ---- */

struct steps {
    uint32_t wid, pc[MOST_STEPS];
    unsigned n, executed;
};

static enum observed step_before(void *user, struct warp *w, const struct insn *in)
{
    struct steps *s = user;
    (void)in;
    if (w->wid != s->wid) return GO_ON;
    assert_int_equal(s->n, s->executed); /* one at a time */
    assert_true(s->n < MOST_STEPS);
    s->pc[s->n++] = w->pc - ABI_CODE_BASE;
    return GO_ON;
}

static void step_after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    struct steps *s = user;
    (void)in;
    if (w->wid == s->wid) assert_int_equal(pc - ABI_CODE_BASE, s->pc[s->executed++]);
}

/* Every instruction of one warp of three, in the order of the program. */
static void test_single_step(void **state)
{
    static const char loop[] = "  li x6, 2\n  addi x6, x6, -1\n  bnez x6, .-4\n  barrier x0, x0, 0\n  endprg\n";
    static const uint32_t expected[] = {0, 4, 8, 4, 8, 12, 16};
    struct steps s = {.wid = 1};
    const struct observer stepper = {.user = &s, .before = step_before, .after = step_after};
    struct guest g;
    (void)state;
    open_program(&g, loop);
    g.launch.warps = 3;
    g.launch.work_items = 96;
    run_watched(&g, &stepper);
    assert_done(&g);
    assert_int_equal(s.n, sizeof expected / sizeof *expected);
    assert_int_equal(s.executed, s.n);
    assert_memory_equal(s.pc, expected, sizeof expected);
    guest_close(&g);
}

/* ---- what is called, and when ---- */

struct record {
    char what; /* B E launch, b e group, i before, a access, x after, r released, f fault, h host */
    uint64_t a, b;
};

struct recorder {
    struct record records[4 * MOST_STEPS];
    size_t n;
};

static void record(void *user, char what, uint64_t a, uint64_t b)
{
    struct recorder *r = user;
    assert_true(r->n < sizeof r->records / sizeof *r->records);
    r->records[r->n++] = (struct record){what, a, b};
}

static void on_launch_begin(void *user, const struct launch *l, const struct launch_info *info)
{
    record(user, 'B', l->start_pc, info->kernel ? strlen(info->kernel) : 0);
}

static void on_launch_end(void *user, const struct launch *l, const struct result *result)
{
    record(user, 'E', l->start_pc, (uint64_t)result->status);
}

static void on_group_begin(void *user, const struct group *g) { record(user, 'b', g->wgid, 0); }
static void on_group_end(void *user, const struct group *g) { record(user, 'e', g->wgid, 0); }
static void on_released(void *user, const struct group *g) { record(user, 'r', g->wgid, 0); }

static enum observed on_before(void *user, struct warp *w, const struct insn *in)
{
    record(user, 'i', w->pc, in->op);
    return GO_ON;
}

static void on_access(void *user, const struct warp *w, const struct insn *in, const struct access *a)
{
    (void)in;
    record(user, 'a', w->pc, a->addr[0]);
}

static void on_after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    (void)in;
    record(user, 'x', pc, w->pc);
}

static void on_fault(void *user, const struct warp *w, const struct fault *f)
{
    assert_int_equal(w->x[6], 5); /* as it was at the failing instruction */
    record(user, 'f', f->pc, (uint64_t)f->kind);
}

static void on_host(void *user, const struct host_event *e) { record(user, 'h', e->addr, (uint64_t)e->action); }

static struct observer recording(struct recorder *r)
{
    *r = (struct recorder){0};
    return (struct observer){.user = r,
                             .launch_begin = on_launch_begin,
                             .launch_end = on_launch_end,
                             .group_begin = on_group_begin,
                             .group_end = on_group_end,
                             .released = on_released,
                             .before = on_before,
                             .access = on_access,
                             .after = on_after,
                             .fault = on_fault,
                             .host = on_host};
}

/* The hooks called, as one letter each. */
static const char *letters(const struct recorder *r)
{
    static char text[4 * MOST_STEPS + 1];
    for (size_t i = 0; i < r->n; i++) text[i] = r->records[i].what;
    text[r->n] = 0;
    return text;
}

static void test_hooks_in_order(void **state)
{
    static const char source[] = "  lui x5, 0x90000\n  sw x5, 4(x5)\n  barrier x0, x0, 0\n  endprg\n";
    static const struct launch_info info = {.kernel = "four"};
    struct recorder r;
    struct observer o = recording(&r);
    struct guest g;
    (void)state;
    open_program(&g, source);
    g.options.info = &info;
    run_watched(&g, &o);
    assert_done(&g);
    assert_string_equal(letters(&r), "BbixiaxixrixeE");
    assert_int_equal(r.records[0].b, 4);
    assert_int_equal(r.records[5].b, GUEST_DATA + 4);
    guest_close(&g);
}

/* The failing instruction has no `after`; the fault is told while the group is still there. */
static void test_fault_is_told(void **state)
{
    struct recorder r;
    struct observer o = recording(&r);
    struct guest g;
    (void)state;
    open_program(&g, "  li x6, 5\n  sw x6, 16(x0)\n  endprg\n");
    run_watched(&g, &o);
    assert_int_equal(g.result.status, LAUNCH_FAULT);
    assert_string_equal(letters(&r), "BbixiafeE");
    assert_int_equal(r.records[6].a, ABI_CODE_BASE + 4);
    assert_int_equal(r.records[6].b, FAULT_WRITE);
    assert_int_equal(r.records[8].b, LAUNCH_FAULT);
    guest_close(&g);
}

/* Nobody is told of the instruction that an earlier observer has stopped. */
static void test_stop_is_the_first_ones(void **state)
{
    struct stop_point s = {.pc = ABI_CODE_BASE + AT_LI, .action = stop};
    struct recorder before, behind;
    struct observer first = recording(&before), last = recording(&behind),
                    debugger = {.user = &s, .before = stop_at, .next = &last};
    struct guest g;
    (void)state;
    open_program(&g, "  li x6, 5\n  nop\n  endprg\n");
    first.next = &debugger;
    run_watched(&g, &first);
    assert_int_equal(g.result.status, LAUNCH_STOPPED);
    assert_string_equal(letters(&before), "BbixieE");
    assert_string_equal(letters(&behind), "BbixeE");
    assert_int_equal(behind.records[5].b, LAUNCH_STOPPED);
    guest_close(&g);
}

/* Two of the launch and one of the machine see the same, also under SM and group parallelism. */
static void test_all_see_the_same(void **state)
{
    struct recorder r[3];
    struct observer o[3];
    struct guest g;
    const struct host_event opened = {.action = HOST_OPEN, .addr = GUEST_DATA, .size = 4};
    (void)state;
    for (int i = 0; i < 3; i++) o[i] = recording(&r[i]);
    open_program(&g, program);
    g.launch.groups[0] = 5;
    assert_false(gpu_observed(g.gpu));
    gpu_observe(g.gpu, &o[2]);
    assert_true(gpu_observed(g.gpu));
    o[0].next = &o[1];
    run_watched(&g, &o[0]);
    assert_done(&g);
    assert_true(r[0].n > 5 * 2 * INSTRUCTIONS);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(r[i].n, r[0].n);
        assert_memory_equal(r[i].records, r[0].records, r[0].n * sizeof *r[0].records);
    }
    gpu_tell(g.gpu, &opened); /* the machine's alone */
    assert_int_equal(r[2].n, r[0].n + 1);
    assert_int_equal(r[2].records[r[0].n].what, 'h');
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers_change),
        cmocka_unit_test(test_stop_ends),
        cmocka_unit_test(test_pc_changes),
        cmocka_unit_test(test_mask_changes),
        cmocka_unit_test(test_machine_state_changes),
        cmocka_unit_test(test_code_changes),
        cmocka_unit_test(test_single_step),
        cmocka_unit_test(test_hooks_in_order),
        cmocka_unit_test(test_fault_is_told),
        cmocka_unit_test(test_stop_is_the_first_ones),
        cmocka_unit_test(test_all_see_the_same),
    };
    return guest_run_tests(tests);
}
