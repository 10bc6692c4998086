/* The copies of isa/dma.def on the machine, against loops over coordinates written here; what is illegal,
 * which addresses faults name, and the rendezvous.
 *
 * Local memory is looked at from the host: it stays open after a launch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/guest.h"

enum { LDS = 0x70000000, LDS_BYTES = 64 * 1024, TENSOR = 0, BOX = 32, TARGET = 64, SCRATCH = 128 /* words of data */ };

static enum isa_profile profile = PROFILE_DEFAULT; /* of the machine: the public RTL's copies, or the document's */

static bool by_document(void) { return isa_is_document(profile); }

static void open(struct guest *g)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    guest_open_config(g, &config);
}

static uint8_t *lds(const struct guest *g) { return gpu_mem(g->gpu, LDS, LDS_BYTES); }

/* One program for all: the operands come from memory. s = {from, size, to}, or the two descriptors. */
static void program(struct guest *g, const char *copy)
{
    char text[640];
    snprintf(text, sizeof text,
             "lui t0, 0x90000\nvid.v v1\nvsll.vi v1, v1, 2\nvadd.vx v1, v1, t0\n"
             "vlw12.v v2, 0(v1)\nvlw12.v v3, 128(v1)\n"
             "lw t1, 256(t0)\nlw t2, 260(t0)\nlw t3, 264(t0)\nvmv.v.x v4, t3\n%s\ncp_dma_mbarrier\nendprg\n",
             copy);
    open(g);
    g->launch.lds_bytes = LDS_BYTES;
    guest_assemble(g, text);
    for (unsigned i = SCRATCH; i < GUEST_BYTES / 4; i++) g->data[i] = guest_random();
}

static void copy(struct guest *g, uint32_t from, uint32_t size, uint32_t to)
{
    g->data[TARGET] = from, g->data[TARGET + 1] = size, g->data[TARGET + 2] = to;
    guest_run(g);
}

static void passed(const struct guest *g)
{
    char text[256];
    if (g->result.status == LAUNCH_DONE) return;
    fault_print(&g->result.fault, text, sizeof text);
    fail_msg("%s", text);
}

static void faulted(const struct guest *g, enum fault_kind kind, uint64_t addr)
{
    assert_int_equal(g->result.status, LAUNCH_FAULT);
    assert_int_equal(g->result.fault.kind, kind);
    assert_int_equal(g->result.fault.addr, addr);
}

static void illegal(const struct guest *g, const char *text)
{
    assert_int_equal(g->result.status, LAUNCH_FAULT);
    assert_int_equal(g->result.fault.kind, FAULT_ILLEGAL);
    if (!strstr(g->result.fault.detail, text)) fail_msg("\"%s\" does not say \"%s\"", g->result.fault.detail, text);
}

/* Local memory is `size` bytes at `to`, and zero elsewhere. */
static void local_is(const struct guest *g, uint32_t to, const void *bytes, uint32_t size)
{
    const uint8_t *p = lds(g), *expected = bytes;
    assert_non_null(p);
    for (uint32_t i = 0; i < LDS_BYTES; i++) {
        uint8_t want = i - (to - LDS) < size ? expected[i - (to - LDS)] : 0;
        if (p[i] != want) fail_msg("byte 0x%x of local memory is %02x, not %02x", i, p[i], want);
    }
}

/* ---- cp_dma ---- */

static void test_small(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 3; code++) {
        struct guest g;
        char text[64];
        uint32_t n = 4u << code;
        snprintf(text, sizeof text, "cp_dma v4, t1, t2, %u", n);
        program(&g, text);
        for (uint32_t size = 0; size < 20; size++)
            for (uint32_t shift = 0; shift < 4; shift++) {
                uint32_t offset = SCRATCH * 4 + guest_random() % 64, to = LDS + 100 + shift;
                uint8_t want[16] = {0};
                memcpy(want, (uint8_t *)g.data + offset, size < n ? size : n);
                copy(&g, GUEST_DATA + offset, size, to);
                passed(&g);
                local_is(&g, to, want, n);
            }
        copy(&g, 0, 0, LDS); /* nothing is read */
        passed(&g);
        copy(&g, 0xffffffff, 1000, LDS);
        faulted(&g, FAULT_READ, 0xffffffff);
        copy(&g, GUEST_DATA, 4, LDS + LDS_BYTES - 2);
        faulted(&g, FAULT_WRITE, LDS + LDS_BYTES);
        copy(&g, GUEST_DATA, 4, GUEST_DATA);
        illegal(&g, "local memory");
        guest_close(&g);
    }
}

static void test_small_reserved_size(void **state)
{
    (void)state;
    struct guest g;
    program(&g, ".word 0x067e0241 | 0x3000000"); /* cp_dma v4, t3, t2, 3 */
    copy(&g, GUEST_DATA, 4, LDS);
    illegal(&g, "reserved copy size");
    guest_close(&g);
}

/* ---- cp_dma_bulk ---- */

static void test_bulk(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 16, 20, 4092, 4096, 4100, 16384, 40000};
    struct guest g;
    program(&g, "cp_dma_bulk v4, t1, t2");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned again = 0; again < 8; again++) {
            uint32_t offset = SCRATCH * 4 + guest_random() % 64 * 16, to = LDS + guest_random() % 512 * 16;
            copy(&g, GUEST_DATA + offset, sizes[i], to);
            passed(&g);
            local_is(&g, to, (uint8_t *)g.data + offset, sizes[i]);
        }
    guest_close(&g);
}

/* Nothing is written behind the local window, though it is open there. */
static void test_end_of_window(void **state)
{
    static const char *const copies[] = {"cp_dma_bulk v4, t1, t2", "li t2, 16\ncp_dma v4, t1, t2, 16"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct guest g;
        program(&g, copies[i]);
        assert_true(gpu_mem_open(g.gpu, ABI_LOCAL_LIMIT - ABI_PAGE, 2 * ABI_PAGE, GPU_READ | GPU_WRITE | GPU_EXEC));
        uint32_t *code = gpu_mem(g.gpu, ABI_CODE_BASE, 4), first = *code;
        copy(&g, GUEST_DATA + 1024, 32, ABI_LOCAL_LIMIT - 32);
        passed(&g);
        copy(&g, GUEST_DATA + 1024, 8192, ABI_LOCAL_LIMIT - (i ? 8 : 16));
        faulted(&g, FAULT_WRITE, ABI_LOCAL_LIMIT);
        assert_int_equal(*code, first);
        guest_close(&g);
    }
}

static void test_bulk_refused(void **state)
{
    (void)state;
    struct guest g;
    program(&g, "cp_dma_bulk v4, t1, t2");
    copy(&g, GUEST_DATA, 0, LDS);
    illegal(&g, "multiple of 4");
    copy(&g, GUEST_DATA, 6, LDS);
    illegal(&g, "multiple of 4");
    copy(&g, GUEST_DATA + 8, 16, LDS);
    illegal(&g, "multiples of 16");
    copy(&g, GUEST_DATA, 16, LDS + 4);
    illegal(&g, "multiples of 16");
    copy(&g, GUEST_DATA, 16, GUEST_DATA + 4096);
    illegal(&g, "local memory");
    copy(&g, GUEST_DATA, 16, 0x80000000);
    illegal(&g, "local memory");
    copy(&g, GUEST_DATA, 0xfffffffc, LDS + 16); /* ends with local memory, not with the host's patience */
    faulted(&g, FAULT_WRITE, LDS + LDS_BYTES);
    copy(&g, GUEST_DATA + GUEST_BYTES - 32, 64, LDS);
    faulted(&g, FAULT_READ, GUEST_DATA + GUEST_BYTES);
    copy(&g, 0, 16, LDS);
    faulted(&g, FAULT_READ, 0);
    copy(&g, 0xfffffff0, 32, LDS);
    faulted(&g, FAULT_READ, 0xfffffff0);
    guest_close(&g);
}

/* ---- cp_dma_tensor ---- */

struct dim {
    int size, stride, start, box, step;
};
struct tensor {
    int type, rank, base, fill;
    struct dim d[5];
}; /* base: byte offset in the data */

static const int element_bytes[13] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static const char is_float[13] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};

static int random_in(int low, int high) { return low + (int)(guest_random() % (unsigned)(high - low + 1)); }

/* Dimensions nested in each other, each with a gap behind it; `outside` says where the start lies: 0
 * inside, 1 at or behind the end, -1 before the beginning in every dimension that can be. */
static void make_tensor(struct tensor *t, int rank, int type, int outside)
{
    const int most[6] = {0, by_document() ? 500 : 900, 40, 12, 6, 4};
    int bytes = element_bytes[type];
    *t = (struct tensor){
        .type = type, .rank = rank, .base = SCRATCH * 4 + random_in(0, 20) * 16, .fill = (int)(guest_random() & 1)};
    int span = bytes;
    for (int d = 0; d < rank; d++) {
        struct dim *x = &t->d[d];
        x->stride = d ? (span + 15) / 16 * 16 + random_in(0, 1) * 16 : bytes;
        x->size = random_in(1, most[rank]);
        if (d == 0 && by_document() && random_in(0, 1)) x->stride = 16 * random_in(1, 2);
        if (rank == 1 && outside == 0 && random_in(0, 9) == 0 && !by_document()) x->size = 0;
        if (d > 1 && x->stride == x[-1].stride && (x->size == x[-1].size || outside > 0))
            x->stride += 16; /* else an address has two readings */
        x->box = random_in(1, rank == 1 ? 256 : rank == 2 ? 24 : 5);
        x->step = random_in(1, 8);
        span = x->stride * (x->size ? x->size : 1);
        if (span > 40000) { /* does not fit into the data: small again */
            x->size = 1;
            span = x->stride;
        }
        x->start = random_in(0, x->size ? x->size - 1 : 0);
        if (outside < 0) x->start = -x->start;
        if (outside > 0 && d == rank - 1) x->start = x->size + random_in(0, 3);
    }
}

/* Exchanges two dimensions, so that strides need not ascend; or makes one all the same element. */
static void rearrange(struct tensor *t)
{
    if (t->rank < 3 || random_in(0, 2)) return;
    int i = random_in(1, t->rank - 1), j = random_in(1, t->rank - 1);
    struct dim x = t->d[i];
    t->d[i] = t->d[j];
    t->d[j] = x;
    if (random_in(0, 3) == 0) t->d[i].stride = 0, t->d[i].start = 0;
}

static void describe(struct guest *g, const struct tensor *t, uint32_t to)
{
    uint32_t *v = g->data + TENSOR, *b = g->data + BOX, start = GUEST_DATA + (uint32_t)t->base;
    for (int i = 0; i < 32; i++) v[i] = b[i] = guest_random(); /* what is not used may be anything */
    v[0] = (uint32_t)t->type, v[1] = (uint32_t)t->rank, v[2] = start;
    b[11] = b[12] = 0, b[14] = (uint32_t)t->fill;
    for (int d = 0; d < t->rank; d++) {
        v[3 + d] = (uint32_t)t->d[d].size;
        uint32_t stride = (uint32_t)t->d[d].stride, dense = (uint32_t)element_bytes[t->type];
        if (by_document()) v[8 + d] = d || stride != dense ? stride : 0;
        else if (d) v[8 + d - 1] = stride;
        b[1 + d] = (uint32_t)t->d[d].box, b[6 + d] = (uint32_t)t->d[d].step;
        start += (uint32_t)(t->d[d].start * t->d[d].stride);
    }
    b[0] = start;
    g->data[TARGET + 2] = to;
}

/* The dense box; returns its bytes. */
static uint32_t expect_tensor(const struct guest *g, const struct tensor *t, uint8_t *out)
{
    int n[5] = {1, 1, 1, 1, 1}, bytes = element_bytes[t->type], i[5];
    uint32_t size = 0;
    for (int d = 0; d < t->rank; d++)
        n[d] = d || by_document() ? (t->d[d].box + t->d[d].step - 1) / t->d[d].step : t->d[d].box;
    for (i[4] = 0; i[4] < n[4]; i[4]++)
        for (i[3] = 0; i[3] < n[3]; i[3]++)
            for (i[2] = 0; i[2] < n[2]; i[2]++)
                for (i[1] = 0; i[1] < n[1]; i[1]++)
                    for (i[0] = 0; i[0] < n[0]; i[0]++, size += (uint32_t)bytes) {
                        int inside = 1, at = t->base;
                        for (int d = 0; d < t->rank; d++) {
                            int c = t->d[d].start + i[d] * (d || by_document() ? t->d[d].step : 1);
                            inside &= c >= 0 && c < t->d[d].size;
                            at += c * t->d[d].stride;
                        }
                        if (inside) memcpy(out + size, (uint8_t *)g->data + at, (size_t)bytes);
                        else memset(out + size, t->fill && is_float[t->type] ? 0xff : 0, (size_t)bytes);
                    }
    return size;
}

static void try_tensors(const char *copy)
{
    static uint8_t want[LDS_BYTES * 2];
    struct guest g;
    program(&g, copy);
    for (int outside = -1; outside <= 1; outside++)
        for (int rank = 1; rank <= 5; rank++)
            for (int type = 0; type < 13; type++)
                for (int again = 0; again < 12; again++) {
                    struct tensor t;
                    uint32_t size, to = LDS + guest_random() % 999;
                    do {
                        make_tensor(&t, rank, type, outside);
                        rearrange(&t);
                        size = expect_tensor(&g, &t, want);
                    } while (size > LDS_BYTES - 1000);
                    describe(&g, &t, to);
                    guest_run(&g);
                    passed(&g);
                    local_is(&g, to, want, size);
                }
    guest_close(&g);
}

static void test_tensor(void **state)
{
    (void)state;
    try_tensors("cp_dma_tensor v4, v2, v3");
}

/* The document's: strides and element strides of all dimensions, a scalar destination. */
static void test_tensor_of_document(void **state)
{
    (void)state;
    profile = PROFILE_R2025;
    try_tensors("cp_dma_tensor t3, v2, v3");
    try_tensors("cp_dma_tensor v4, v2, v3");
    struct guest g;
    struct tensor t = {.type = 2, .rank = 1, .base = SCRATCH * 4, .d = {{.size = 0, .stride = 4, .box = 4, .step = 1}}};
    program(&g, "cp_dma_tensor t3, v2, v3");
    describe(&g, &t, LDS);
    guest_run(&g);
    illegal(&g, "no elements");
    guest_close(&g);
    profile = PROFILE_DEFAULT;
}

/* A 4 x 3 tensor of words and the box of its first two rows: each test changes one word. */
static void plain(struct guest *g)
{
    static const uint32_t tensor[] = {2, 2, GUEST_DATA + SCRATCH * 4, 4, 3, 0, 0, 0, 16};
    static const uint32_t box[] = {GUEST_DATA + SCRATCH * 4, 4, 2, 0, 0, 0, 1, 1};
    memset(g->data, 0, SCRATCH * 4);
    memcpy(g->data + TENSOR, tensor, sizeof tensor);
    memcpy(g->data + BOX, box, sizeof box);
    g->data[TARGET + 2] = LDS;
}

static void test_tensor_refused(void **state)
{
    (void)state;
    // clang-format off
    static const struct { int word; uint32_t value; const char *text; } bad[] = {
        {TENSOR + 0, 13, "type"},     {TENSOR + 0, 0xffffffff, "type"}, {TENSOR + 1, 0, "rank"},        {TENSOR + 1, 6, "rank"},
        {TENSOR + 1, 9, "rank"},      {TENSOR + 8, 8, "multiple of 16"}, {BOX + 1, 0, "box size"},       {BOX + 2, 257, "box size"},
        {BOX + 2, 0, "box size"},     {BOX + 1, 0xffffffff, "box size"}, {BOX + 6, 0, "element stride"}, {BOX + 7, 9, "element stride"},
        {BOX + 11, 3, "interleave"},  {BOX + 12, 4, "swizzle"},          {BOX + 14, 2, "fill"},
        {BOX + 0, GUEST_DATA + SCRATCH * 4 + 2, "element"}, {TARGET + 2, GUEST_DATA, "local memory"}, {TARGET + 2, 0, "local memory"},
    };
    // clang-format on
    struct guest g;
    program(&g, "cp_dma_tensor v4, v2, v3");
    plain(&g);
    guest_run(&g);
    passed(&g);
    local_is(&g, LDS, g.data + SCRATCH, 32);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        plain(&g);
        g.data[bad[i].word] = bad[i].value;
        guest_run(&g);
        illegal(&g, bad[i].text);
        local_is(&g, LDS, NULL, 0);
    }
    plain(&g);
    g.data[BOX + 13] = 77; /* a hint */
    guest_run(&g);
    passed(&g);
    guest_close(&g);
}

/* Memory that is not open, and sizes no host should be asked to visit. */
static void test_tensor_faults(void **state)
{
    (void)state;
    struct guest g;
    program(&g, "cp_dma_tensor v4, v2, v3");
    plain(&g);
    g.data[TENSOR + 2] = g.data[BOX] = 0;
    guest_run(&g);
    faulted(&g, FAULT_READ, 0);

    plain(&g); /* the second row is behind the data */
    g.data[TENSOR + 2] = g.data[BOX] = GUEST_DATA + GUEST_BYTES - 16;
    guest_run(&g);
    faulted(&g, FAULT_READ, GUEST_DATA + GUEST_BYTES);
    local_is(&g, LDS, NULL, 0); /* nor is the first one there, which was under way */

    plain(&g); /* beyond the 32-bit space */
    g.data[TENSOR + 2] = g.data[BOX] = GUEST_DATA, g.data[TENSOR + 8] = 0xfffffff0;
    guest_run(&g);
    faulted(&g, FAULT_READ, GUEST_DATA + 0xfffffff0ull);

    plain(&g);
    g.data[TARGET + 2] = LDS + LDS_BYTES - 20;
    guest_run(&g);
    faulted(&g, FAULT_WRITE, LDS + LDS_BYTES);

    plain(&g); /* 8 TiB of zeros */
    g.data[TENSOR + 0] = 4, g.data[TENSOR + 1] = 5;
    for (int d = 0; d < 5; d++) {
        g.data[TENSOR + 3 + d] = 0, g.data[TENSOR + 8 + d] = 0xfffffff0;
        g.data[BOX + 1 + d] = 256, g.data[BOX + 6 + d] = 1;
    }
    g.data[TENSOR + 2] = 0xffffffff, g.data[BOX] = 0xffffffff;
    guest_run(&g);
    faulted(&g, FAULT_WRITE, LDS + LDS_BYTES);

    plain(&g); /* the largest tensor, entered at its end */
    for (int d = 0; d < 5; d++) g.data[TENSOR + 3 + d] = 0xffffffff, g.data[TENSOR + 8 + d] = 0;
    g.data[BOX] = GUEST_DATA + GUEST_BYTES - 16, g.data[BOX + 1] = 5, g.data[BOX + 2] = 1;
    guest_run(&g);
    faulted(&g, FAULT_READ, GUEST_DATA + GUEST_BYTES);
    guest_close(&g);
}

static void test_tensor_lanes(void **state)
{
    (void)state;
    struct guest g;
    program(&g, "cp_dma_tensor v4, v2, v3");
    plain(&g);
    g.launch.work_items = 14;
    guest_run(&g);
    illegal(&g, "15 lanes");
    g.launch.threads_per_warp = g.launch.work_items = 8;
    guest_run(&g);
    illegal(&g, "15 lanes");
    guest_close(&g);
}

/* ---- prefixes, masks, the rendezvous ---- */

static void test_mask(void **state)
{
    (void)state;
    struct guest g;
    program(&g, "li t4, 0\nvsetvli x0, t4, e32, m1\ncp_dma_bulk v4, t1, t2\n"); /* no lane */
    copy(&g, GUEST_DATA + SCRATCH * 4, 64, LDS);
    passed(&g);
    local_is(&g, LDS, NULL, 0);
    guest_close(&g);

    program(&g, "li t4, 1\nvsetvli x0, t4, e32, m1\ncp_dma_bulk v4, t1, t2\n"); /* one lane: the whole copy */
    copy(&g, GUEST_DATA + SCRATCH * 4, 64, LDS);
    passed(&g);
    local_is(&g, LDS, g.data + SCRATCH, 64);
    guest_close(&g);

    program(&g, "regext x0, x0, 1\ncp_dma_bulk v4, t1, t2\n"); /* destination in v36, which is 0 */
    copy(&g, GUEST_DATA, 64, LDS);
    illegal(&g, "local memory");
    guest_close(&g);
}

/* Eight warps; each copies a word of its own, and after the barrier reads that of the next in its four.
 * Those of the second four wait, spinning, for what the first four write afterwards. */
static void test_rendezvous(void **state)
{
    (void)state;
    struct guest g;
    guest_open(&g);
    guest_assemble(&g, "lui t0, 0x90000\ncsrrs t1, 0x805, x0\nlui t2, 0x70000\n"
                       "slli t3, t1, 2\nadd t4, t0, t3\nadd t5, t2, t3\naddi t5, t5, 1024\nvmv.v.x v1, t5\n"
                       "li t6, 4\nblt t1, t6, go\n"
                       "spin: lw a0, 512(t0)\nbeqz a0, spin\n"
                       "go: cp_dma v1, t4, t6, 4\ncp_dma_mbarrier\n"
                       "addi a0, t1, 1\nandi a0, a0, 3\nandi a1, t1, -4\nadd a0, a0, a1\n"
                       "slli a0, a0, 2\nadd a0, a0, t2\nlw a0, 1024(a0)\nsw a0, 256(t4)\n"
                       "bnez t1, out\nli a0, 1\nsw a0, 512(t0)\nout: endprg\n");
    g.launch.warps = 8;
    g.launch.work_items = 256;
    for (unsigned i = 0; i < 8; i++) g.data[i] = 1000 + i;
    _Atomic bool cancel = false;
    g.options.cancel = &cancel;
    guest_run(&g);
    passed(&g);
    for (unsigned i = 0; i < 8; i++) assert_int_equal(g.data[64 + i], 1000 + (i & ~3u) + ((i + 1) & 3));
    assert_int_equal(g.result.counters.barriers, 8);
    guest_close(&g);
}

/* The document's groups of four are threads: a warp goes on when its own copies are there, whatever others do. */
static void test_own_copies(void **state)
{
    (void)state;
    struct guest g;
    profile = PROFILE_R2025;
    open(&g);
    guest_assemble(
        &g,
        "lui t0, 0x90000\nlui t2, 0x70000\ncsrr t1, CSR_WID\nbnez t1, spin\n"
        "li t4, 32\naddi t5, t2, 64\ncp_dma_bulk t5, t0, t4\ncp_dma_mbarrier\nli t6, 1\nsw t6, 0(t2)\nendprg\n"
        "spin: lw t6, 0(t2)\nbeqz t6, spin\nlw t6, 68(t2)\nslli t1, t1, 2\nadd t0, t0, t1\nsw t6, 256(t0)\nendprg\n");
    g.launch.warps = 4;
    g.launch.work_items = 128;
    for (unsigned i = 0; i < 8; i++) g.data[i] = 1000 + i;
    guest_run(&g);
    passed(&g);
    for (unsigned i = 1; i < 4; i++) assert_int_equal(g.data[64 + i], 1001);
    guest_close(&g);
    profile = PROFILE_DEFAULT;
}

/* A warp that ends, or waits at the ordinary barrier, is not waited for. */
static void test_rendezvous_others(void **state)
{
    (void)state;
    struct guest g;
    guest_open(&g);
    guest_assemble(&g, "csrrs t1, 0x805, x0\nli t2, 1\nbeq t1, t2, plain\nli t2, 2\nbeq t1, t2, out\n"
                       "cp_dma_mbarrier\nplain: barrier x0, x0, 1\n"
                       "lui t0, 0x90000\nslli t1, t1, 2\nadd t0, t0, t1\nsw t2, 0(t0)\nout: endprg\n");
    g.launch.warps = 5;
    g.launch.work_items = 160;
    guest_run(&g);
    passed(&g);
    static const uint32_t want[5] = {2, 1, 0, 2, 2};
    assert_memory_equal(g.data, want, sizeof want);
    guest_close(&g);
}

/* A copy has read its source when it is issued, and is there when the warp has waited for it, or ended: not before, not
 * even behind an ordinary barrier. Warp 0 copies; what it and its group see goes to data[8...]. */
static void test_asynchronous(void **state)
{
    (void)state;
    struct guest g;
    guest_open(&g);
    guest_assemble(
        &g,
        "lui t0, 0x90000\nlui t1, 0x70000\naddi t1, t1, 1024\nvmv.v.x v1, t1\nli t2, 4\n"
        "csrr t3, CSR_WID\nbnez t3, other\n"
        "cp_dma v1, t0, t2, 4\nlw a0, 0(t1)\nsw a0, 32(t0)\nli a1, 77\nsw a1, 0(t0)\nbarrier 3\n"
        "lw a0, 0(t1)\nsw a0, 36(t0)\ncp_dma_mbarrier\nlw a0, 0(t1)\nsw a0, 40(t0)\n"
        "cp_dma v1, t0, t2, 4\nli a1, 88\nsw a1, 0(t0)\ncp_dma v1, t0, t2, 4\nendprg\n"
        "other: barrier 3\nlw a0, 0(t1)\nsw a0, 44(t0)\ncp_dma_mbarrier\nli a2, 88\n1: lw a0, 0(t1)\nbne a0, a2, 1b\n"
        "sw a0, 48(t0)\nendprg\n");
    g.launch.warps = 2;
    g.launch.work_items = 64;
    g.data[0] = 1234;
    guest_run(&g);
    passed(&g);
    const uint32_t want[] = {0, 0, 1234, 0, 88};
    assert_memory_equal(g.data + 8, want, sizeof want);
    guest_close(&g);
}

/* More under way than a warp can have: the first ones are complete early, and the rest in order behind them. */
static void test_many(void **state)
{
    (void)state;
    struct guest g;
    guest_open(&g);
    guest_assemble(&g,
                   "lui t0, 0x90000\nlui t1, 0x70000\naddi t1, t1, 1024\nvmv.v.x v1, t1\nli t2, 16\nlui t4, 16\n"
                   "1: sw t4, 0(t0)\ncp_dma v1, t0, t2, 16\naddi t4, t4, -1\nbnez t4, 1b\n"
                   "lw a0, 0(t1)\nsnez a0, a0\nsw a0, 32(t0)\ncp_dma_mbarrier\nlw a0, 0(t1)\nsw a0, 36(t0)\nendprg\n");
    guest_run(&g);
    passed(&g);
    assert_int_equal(g.data[8], 1);
    assert_int_equal(g.data[9], 1);
    guest_close(&g);
}

/* ---- interleave and swizzle, as docs/machine.md proposes them ---- */

/* Where byte o of the dense box of `rows` rows goes. */
static uint32_t layout(uint32_t o, uint32_t row_bytes, uint32_t rows, unsigned interleave, unsigned swizzle)
{
    if (interleave) {
        uint32_t unit = 8u << interleave, row = o / row_bytes, at = o % row_bytes;
        o = (at / unit * rows + row) * unit + at % unit;
    }
    for (unsigned bit = 0; bit < swizzle; bit++)
        if (o >> (7 + bit) & 1) o ^= 16u << bit;
    return o;
}

static void test_layouts(void **state)
{
    (void)state;
    struct guest g;
    program(&g, "cp_dma_tensor v4, v2, v3");
    for (unsigned interleave = 0; interleave < 3; interleave++)
        for (unsigned swizzle = 0; swizzle < 4; swizzle++) {
            static uint8_t want[LDS_BYTES];
            const uint32_t row = 64, rows = 12;
            plain(&g); /* 16 x 4 x 3 words */
            g.data[TENSOR + 1] = 3, g.data[TENSOR + 3] = g.data[BOX + 1] = 16;
            g.data[TENSOR + 4] = g.data[BOX + 2] = 4, g.data[TENSOR + 5] = g.data[BOX + 3] = 3;
            g.data[TENSOR + 8] = row, g.data[TENSOR + 9] = 4 * row, g.data[BOX + 8] = 1;
            g.data[BOX + 11] = interleave, g.data[BOX + 12] = swizzle;
            for (uint32_t o = 0; o < row * rows; o++)
                want[layout(o, row, rows, interleave, swizzle)] = ((uint8_t *)(g.data + SCRATCH))[o];
            guest_run(&g);
            passed(&g);
            local_is(&g, LDS, want, row * rows);
            if (!interleave && !swizzle) continue;
            g.data[BOX + 1] = 13; /* rows that are no whole pieces */
            guest_run(&g);
            illegal(&g, interleave ? "interleave" : "swizzle");
            if (!swizzle) continue;
            g.data[BOX + 1] = 16; /* 3 rows: no whole blocks of 128 bytes */
            g.data[BOX + 2] = 3, g.data[BOX + 3] = 1;
            guest_run(&g);
            illegal(&g, "swizzle");
        }
    guest_close(&g);
}

/* Whatever two descriptors say, the copy ends, in local memory or in a fault, and writes nothing else. */
static void test_any_descriptor(void **state)
{
    static const uint32_t edges[] = {0,   1,   2,        3,          5,          15,         16,         255,
                                     256, 257, 1u << 16, 0x7fffffff, 0x80000000, 0x90000000, 0xfffffff0, 0xffffffff};
    static uint32_t before[GUEST_BYTES / 4];
    unsigned done = 0, refused = 0;
    struct guest g;
    (void)state;
    program(&g, "cp_dma_tensor v4, v2, v3");
    for (unsigned round = 0; round < 4000; round++) {
        struct tensor t;
        make_tensor(&t, random_in(1, 5), random_in(0, 12), random_in(-1, 1));
        describe(&g, &t, random_in(0, 9) ? LDS + guest_random() % LDS_BYTES : guest_random());
        for (int n = random_in(0, 5); n > 0; n--) {
            uint32_t *word = g.data + (random_in(0, 1) ? TENSOR : BOX) + random_in(0, 15);
            *word = random_in(0, 3) ? edges[random_in(0, 15)] : guest_random();
        }
        memcpy(before, g.data, sizeof before);
        guest_run(&g);
        assert_memory_equal(before, g.data, sizeof before);
        assert_true(g.result.status == LAUNCH_DONE || g.result.status == LAUNCH_FAULT);
        done += g.result.status == LAUNCH_DONE;
        refused += g.result.status == LAUNCH_FAULT;
    }
    assert_true(done > 100 && refused > 100);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_small_reserved_size),
        cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_bulk_refused),
        cmocka_unit_test(test_end_of_window),
        cmocka_unit_test(test_tensor),
        cmocka_unit_test(test_tensor_refused),
        cmocka_unit_test(test_tensor_faults),
        cmocka_unit_test(test_tensor_lanes),
        cmocka_unit_test(test_mask),
        cmocka_unit_test(test_rendezvous),
        cmocka_unit_test(test_rendezvous_others),
        cmocka_unit_test(test_asynchronous),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_any_descriptor),
        cmocka_unit_test(test_tensor_of_document),
        cmocka_unit_test(test_own_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
