/* Faults injected at every memory access of three programs in turn: just before the access its page is closed.
 * Each time the report names the access, and the same machine then runs the program to its right end. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/observe.h"

enum { INPUT = 0, OUTPUT = 4096, PRIVATE = 8192, WORDS = 256 };

/* Each work-item adds two words of its own; two groups of two warps, x5 the input, x6 the output. */
#define IDS \
    " csrr x7, CSR_GIDX\n slli x7, x7, 6\n csrr x8, CSR_TID\n add x7, x7, x8\n vid.v v1\n vadd.vx v1, v1, x7\n" \
    " vsll.vi v2, v1, 2\n lui x5, 0x90000\n lui x6, 0x90001\n vadd.vx v3, v2, x5\n vadd.vx v4, v2, x6\n"

// clang-format off
static const char *const programs[] = {
    /* flat, diverged: odd work-items read another word */
    IDS " vlw12.v v5, 0(v3)\n vand.vi v6, v1, 1\n vmv.v.i v7, 0\n setrpc x0, x0, 0\n auipc x9, 0\n setrpc x0, x9, 20\n vbeq v6, v7, join\n"
    " vlw12.v v7, 512(v3)\n j join\njoin: join v0, v0, 0\n vadd.vv v5, v5, v7\n vsw12.v v5, 0(v4)\n endprg\n",
    /* scalar stack, local memory across a barrier, private memory */
    IDS " csrr x2, CSR_LDS\n csrr x10, CSR_WID\n slli x11, x10, 10\n add x12, x2, x11\n sw x7, 4(x12)\n vlw12.v v5, 0(v3)\n vid.v v8\n vadd.vx v8, v8, x8\n"
    " vsll.vi v8, v8, 2\n li x13, 2048\n add x13, x13, x2\n vadd.vx v9, v8, x13\n vsw12.v v5, 0(v9)\n barrier 1\n"
    " vxor.vi v10, v8, 4\n vadd.vx v10, v10, x13\n vlw12.v v11, 0(v10)\n vmv.v.i v12, 8\n vsw.v v11, 0(v12)\n vsh.v v5, 4(v12)\n vlw.v v13, 0(v12)\n"
    " lw x14, 4(x12)\n vadd.vx v13, v13, x14\n vsw12.v v13, 0(v4)\n endprg\n",
    /* atomics, reservations, strided and indexed forms, bytes */
    IDS " vmv.v.i v8, 1\n amoadd.w v9, v8, (v4)\n lr.w v10, (v4)\n vadd.vi v10, v10, 3\n sc.w v11, v10, (v4)\n slli x9, x7, 2\n add x10, x9, x5\n li x11, 4\n"
    " vlse32.v v12, (x10), x11\n add x12, x9, x6\n vluxei32.v v13, (x5), v2\n vlb12.v v14, 1(v3)\n vadd.vv v12, v12, v13\n vadd.vv v12, v12, v14\n"
    " amoadd.w v9, v12, (v4)\n vsb12.v v8, 3(v4)\n endprg\n"};
// clang-format on

struct injection {
    struct guest *g;
    uint32_t target, count; /* number of the access to spoil, 0: none; accesses so far */
    struct access access;   /* the spoiled one */
    uint32_t pc, warp, address;
};

static void spoil(void *user, const struct warp *w, const struct insn *in, const struct access *a)
{
    struct injection *i = user;
    (void)in;
    if (++i->count != i->target) return;
    i->access = *a;
    i->pc = w->pc;
    i->warp = w->wid;
    i->address = a->addr[a->lanes ? __builtin_ctz(a->lanes) : 0];
    gpu_mem_close(i->g->gpu, i->address & ~(ABI_PAGE - 1), ABI_PAGE);
}

/* Opens the page of `closed` again, which was closed behind the machine's back. */
static void load(struct guest *g, uint32_t closed)
{
    assert_true(gpu_mem_open(g->gpu, closed & ~(ABI_PAGE - 1), ABI_PAGE, GPU_READ | GPU_WRITE));
    memset(g->data, 0, GUEST_BYTES);
    for (uint32_t k = 0; k < WORDS; k++) g->data[INPUT / 4 + k] = k * 0x01020305u;
}

static void run(struct guest *g, const struct observer *observer)
{
    g->options.observers = observer;
    guest_run(g);
}

static void check_report(const struct injection *i, const struct result *result)
{
    const struct fault *f = &result->fault;
    char text[300];
    assert_int_equal(result->status, LAUNCH_FAULT);
    assert_int_equal(f->kind, i->access.write ? FAULT_WRITE : FAULT_READ);
    assert_int_equal(f->addr, i->address);
    assert_int_equal(f->pc, i->pc);
    assert_int_equal(f->warp, i->warp);
    if (i->access.lanes) assert_int_equal(f->lane, __builtin_ctz(i->access.lanes));
    assert_true(fault_print(f, text, sizeof text) > 0);
    assert_non_null(strstr(text, "pc 0x8000"));
}

static void inject(const char *program)
{
    struct guest g;
    uint32_t expected[WORDS];
    struct injection i = {.g = &g};
    const struct observer observer = {.user = &i, .access = spoil};
    guest_open(&g);
    guest_assemble(&g, program);
    g.launch.groups[0] = 2;
    g.launch.warps = 2;
    g.launch.work_items = 64;
    g.launch.pds_base = GUEST_DATA + PRIVATE;
    g.launch.pds_bytes = 16;
    load(&g, GUEST_DATA);
    run(&g, &observer);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    memcpy(expected, g.data + OUTPUT / 4, sizeof expected);
    uint32_t accesses = i.count;
    assert_true(accesses > 8);
    for (uint32_t n = 1; n <= accesses; n++) {
        i = (struct injection){.g = &g, .target = n};
        load(&g, GUEST_DATA);
        run(&g, &observer);
        check_report(&i, &g.result);
        load(&g, i.address);
        run(&g, NULL);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_memory_equal(g.data + OUTPUT / 4, expected, sizeof expected);
    }
    guest_close(&g);
}

static void test_flat(void **state) { inject(programs[(void)state, 0]); }
static void test_local_and_private(void **state) { inject(programs[(void)state, 1]); }
static void test_atomics_and_shapes(void **state) { inject(programs[(void)state, 2]); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flat), cmocka_unit_test(test_local_and_private),
                                       cmocka_unit_test(test_atomics_and_shapes)};
    return guest_run_tests(tests);
}
