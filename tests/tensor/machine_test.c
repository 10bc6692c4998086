/* Matrix instructions as programs on the machine: decoded, counted, executed by every engine, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/observe.h"
#include "tests/sim/guest.h"

enum { OUT = 1024, ONES_F16 = 0x3c003c00, ONES_E4M3 = 0x38383838, TWO_F32 = 0x40000000 };

static void open_profile(struct guest *g, enum isa_profile profile)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    guest_open_config(g, &config);
}

/* ".word" lines for an instruction in the form only isa_encode knows everywhere. */
static void words(char *text, size_t size, const struct insn *in)
{
    uint32_t w[ISA_MAX_WORDS];
    unsigned n = isa_encode(in, w, NULL), len = 0;
    assert_in_range(n, 1, ISA_MAX_WORDS);
    for (unsigned i = 0; i < n; i++)
        len += (unsigned)snprintf(text + len, size - len, ".word 0x%08x\n", (unsigned)w[i]);
}

/* Fills v0-v7 with `inputs` and v8, v9 with `c`, executes `text` and stores v8 and v16. */
static void run(struct guest *g, uint32_t inputs, uint32_t c, const char *text)
{
    char program[1024];
    int len =
        snprintf(program, sizeof program,
                 "lui t0, 0x90000\nvid.v v10\nvsll.vi v10, v10, 2\nvadd.vx v10, v10, t0\nlw t1, 0(t0)\nlw t2, 4(t0)\n");
    for (int r = 0; r < 10; r++)
        len += snprintf(program + len, sizeof program - (size_t)len, "vmv.v.x v%d, t%d\n", r, r < 8 ? 1 : 2);
    snprintf(program + len, sizeof program - (size_t)len, "%svsw12.v v8, 1024(v10)\nvsw12.v v16, 1152(v10)\nendprg\n",
             text);
    g->data[0] = inputs, g->data[1] = c;
    memset(g->data + OUT / 4, 0xee, 256);
    guest_assemble(g, program);
    guest_run(g);
}

static void gives(const struct guest *g, uint32_t v8, uint32_t v16)
{
    char text[256];
    fault_print(&g->result.fault, text, sizeof text);
    if (g->result.status != LAUNCH_DONE) fail_msg("%s", text);
    for (int lane = 0; lane < 32; lane++) {
        assert_int_equal(g->data[OUT / 4 + lane], v8);
        assert_int_equal(g->data[OUT / 4 + 32 + lane], v16);
    }
}

static void illegal(const struct guest *g, const char *text)
{
    assert_int_equal(g->result.status, LAUNCH_FAULT);
    assert_int_equal(g->result.fault.kind, FAULT_ILLEGAL);
    if (!strstr(g->result.fault.detail, text)) fail_msg("\"%s\" does not say \"%s\"", g->result.fault.detail, text);
}

static void nothing(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    (void)user, (void)w, (void)pc, (void)in;
}

static void test_default_profile(void **state)
{
    (void)state;
    static const struct observer observer = {.after = nothing};
    struct guest g;
    guest_open(&g);
    for (int hooked = 0; hooked < 2; hooked++) {
        g.options.observers = hooked ? &observer : NULL;
        run(&g, ONES_F16, TWO_F32, "mma.m8n8k16.row.col.f32.f16.f16.f32 v8, v0, v4\n");
        gives(&g, 0x41900000, 0); /* 18 */
        run(&g, ONES_F16, ONES_F16, "mma.m8n8k16.col.row.f16.f16.f16.f16 v8, v0, v4\n");
        gives(&g, 0x4c404c40, 0); /* 17 */
        run(&g, ONES_F16, 0, "tc.8x8x8.fp16 v8, v0, v4\n");
        gives(&g, 0x48004800, 0); /* 8 */
        run(&g, 0xbf800000, 0, "regext x0, x0, 0\nvmv.v.x v16, t1\nvftta.vv v16, v0, v4\n");
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(g.data[OUT / 4 + 32 + lane], lane < 16 ? 0x40e00000 : 0xbf800000);
    }
    guest_close(&g);
}

/* (1 + 2^-12)^2 eight times: 1 + 2^-11 as binary32, and 1 without the bits that TF32 drops. The document's FP32 has the
 * public tools' name, too. */
static void test_binary32(void **state)
{
    (void)state;
    struct guest g;
    guest_open(&g);
    run(&g, 0x3f800800, 0, "mma.m8n8k8.row.row.f32.tf32.tf32.f32 v8, v0, v4\n");
    gives(&g, 0x41000000, 0);
    guest_close(&g);
    open_profile(&g, PROFILE_R2025);
    run(&g, 0x3f800800, 0, "mma.m8n8k8.row.row.f32.f32.f32.f32 v8, v0, v4\n");
    gives(&g, 0x41001000, 0);
    run(&g, 0x3f800800, 0, "mma.m8n8k8.row.row.f32.tf32.tf32.f32 v8, v0, v4\n");
    gives(&g, 0x41001000, 0);
    guest_close(&g);
}

/* Only the first row of A and the first column of B are there. */
static void test_lanes_missing(void **state)
{
    (void)state;
    struct guest g;
    guest_open(&g);
    g.launch.work_items = 8;
    run(&g, 0xbf800000, 0, "regext x0, x0, 0\nvmv.v.x v16, t1\nvftta.vv v16, v0, v4\n");
    for (int lane = 0; lane < 8; lane++)
        assert_int_equal(g.data[OUT / 4 + 32 + lane], lane == 0 ? 0x40e00000 : 0xbf800000);
    guest_close(&g);
}

/* D separate from C, prefixed register numbers, types that only r2025 has. */
static void test_r2025(void **state)
{
    (void)state;
    char text[128];
    struct guest g;
    open_profile(&g, PROFILE_R2025);
    struct insn wide = {
        .op = OP_MMA64, .vm = 1, .rm = 7, .rd = 16, .rs1 = 0, .rs2 = 4, .rs3 = 8, .aux = 1 << 12 | 1 << 6};
    words(text, sizeof text, &wide);
    run(&g, ONES_F16, TWO_F32, text);
    gives(&g, TWO_F32, 0x41900000);
    struct insn fp8 = {.op = OP_MMA_M16N8K32_ROW_ROW_F32_E4M3_E4M3_F32, .vm = 1, .rm = 7, .rd = 40, .rs1 = 0, .rs2 = 4};
    words(text, sizeof text, &fp8);
    strcat(text, "regext x0, x0, 8\nvmv.v.v v16, v8\n"); /* v16 = v40 */
    run(&g, ONES_E4M3, TWO_F32, text);
    gives(&g, TWO_F32, 0x42000000); /* 32: v40 began as 0 */
    wide.aux |= 0x10;
    words(text, sizeof text, &wide);
    run(&g, 0, 0, text);
    illegal(&g, "sparse");
    guest_close(&g);
}

/* ---- warp groups: B, and A if it is not in registers, in local memory ---- */

/* Five warps: four are a warp group, the last one begins another, whose A begins in the same place. All matrices are of
 * signed integers: their sums are exact in any order. */
enum {
    WARPS = 5,
    LOCAL_A = 0,
    LOCAL_B = 4096,
    LOCAL_BYTES = 8192,
    DESCRIPTORS = 0x2000,
    GROUP_C = 0x4000,
    GROUP_D = 0x8000,
    MAX_WORDS_C = 256
};

struct wide {
    unsigned dt, bits, shape, m, n, k;
    bool a_col, b_row, a_memory;
    unsigned stride_a, stride_b;
};

static int32_t element(const uint8_t *memory, unsigned bit, unsigned bits)
{
    int32_t value = 0;
    for (unsigned i = 0; i < bits; i++) value |= (memory[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
    return bits > 1 && value >> (bits - 1) ? value - (1 << bits) : value;
}

/* Of A in local memory, or in the group of registers that all warps have alike, of which `memory` is the words. */
static int32_t element_a(const struct wide *s, const uint8_t *memory, unsigned warp, unsigned m, unsigned k)
{
    unsigned row = m + (s->a_memory ? warp % 4 * s->m : 0), major = s->a_col ? k : row, minor = s->a_col ? row : k;
    unsigned stride = s->a_memory ? s->stride_a : (s->a_col ? s->m : s->k) * s->bits / 8;
    return element(memory + LOCAL_A, major * stride * 8 + minor * s->bits, s->bits);
}

static int32_t element_b(const struct wide *s, const uint8_t *memory, unsigned k, unsigned n)
{
    unsigned major = s->b_row ? k : n, minor = s->b_row ? n : k;
    return element(memory + LOCAL_B, major * s->stride_b * 8 + minor * s->bits, s->bits);
}

static void check_group(const struct guest *g, const struct wide *s)
{
    const uint8_t *memory = (const uint8_t *)g->data;
    for (unsigned warp = 0; warp < WARPS; warp++)
        for (unsigned i = 0; i < s->m * s->n; i++) {
            unsigned at = warp * MAX_WORDS_C + i;
            uint32_t sum = g->data[GROUP_C / 4 + at];
            for (unsigned k = 0; k < s->k; k++)
                sum += (uint32_t)(element_a(s, memory, warp, i / s->n, k) * element_b(s, memory, k, i % s->n));
            if (g->data[GROUP_D / 4 + at] != sum)
                fail_msg("m%un%uk%u, warp %u: element %u is %08x, not %08x", s->m, s->n, s->k, warp, i,
                         (unsigned)g->data[GROUP_D / 4 + at], (unsigned)sum);
        }
}

/* Each warp copies the matrices to local memory, has A or its descriptor in v0.., B's in v4, C in v8.., D in v16... */
static void run_group(struct guest *g, const struct wide *s)
{
    static const char begin[] =
        "lui s1, 0x90000\nlui t0, 0x70000\nvmv.v.x v24, t0\nlui t1, 2\ncp_dma_bulk v24, s1, t1\ncp_dma_mbarrier\n"
        "barrier 1\nvid.v v24\nvsll.vi v24, v24, 2\nvadd.vx v25, v24, s1\n";
    char program[2048];
    struct insn in = {.op = OP_MMA64, .vm = 1, .rm = 7, .rd = 16, .rs1 = 0, .rs2 = 4, .rs3 = 8};
    in.aux = (uint16_t)(s->dt << 12 | s->shape << 9 | (unsigned)s->a_col << 8 | (unsigned)s->b_row << 7 | 1 << 6 |
                        1 << 2 | 1 << 1 | !s->a_memory);
    size_t length = sizeof begin - 1, room = sizeof program;
    memcpy(program, begin, sizeof begin);
#define ADD(...) length += (size_t)snprintf(program + length, room - length, __VA_ARGS__)
    for (int r = 0; r < 4 && !s->a_memory; r++) ADD("vlw12.v v%d, %d(v25)\n", r, LOCAL_A + 128 * r);
    ADD("lui t1, 2\nvadd.vx v25, v25, t1\nvlw12.v v4, 128(v25)\n");
    if (s->a_memory) ADD("vlw12.v v0, 0(v25)\n");
    ADD("vadd.vx v25, v25, t1\ncsrr t2, CSR_WID\nslli t2, t2, 10\nvadd.vx v25, v25, t2\n");
    for (int r = 0; r < 8; r++) ADD("vlw12.v v%d, %d(v25)\n", 8 + r, 128 * r);
    words(program + length, room - length, &in);
    length = strlen(program);
    ADD("lui t1, 4\nvadd.vx v25, v25, t1\n");
    for (int r = 0; r < 8; r++) ADD("vsw12.v v%d, %d(v25)\n", 16 + r, 128 * r);
    ADD("endprg\n");
#undef ADD
    guest_assemble(g, program);
    guest_run(g);
}

static void test_warp_group(void **state)
{
    (void)state;
    static const struct wide shapes[] = {{.dt = 5, .bits = 8, .shape = 0, .m = 8, .n = 8, .k = 16},
                                         {.dt = 5, .bits = 8, .shape = 3, .m = 16, .n = 16, .k = 16},
                                         {.dt = 6, .bits = 4, .shape = 6, .m = 16, .n = 8, .k = 64},
                                         {.dt = 7, .bits = 1, .shape = 4, .m = 8, .n = 8, .k = 128}};
    struct guest g;
    open_profile(&g, PROFILE_R2025);
    g.launch.warps = WARPS;
    g.launch.work_items = 32 * WARPS;
    g.launch.lds_bytes = LOCAL_BYTES;
    for (unsigned i = 0; i < GUEST_BYTES / 4; i++) g.data[i] = guest_random();
    for (unsigned i = 0; i < 8 * sizeof shapes / sizeof *shapes; i++) {
        struct wide s = shapes[i / 8];
        s.a_col = i & 1, s.b_row = i & 2, s.a_memory = i & 4;
        s.stride_a = (s.a_col ? 4 * s.m : s.k) * s.bits / 8 + (i & 3); /* not only dense */
        s.stride_b = (s.b_row ? s.n : s.k) * s.bits / 8 + (i >> 1 & 3);
        g.data[DESCRIPTORS / 4] = ABI_LOCAL_BASE + LOCAL_A, g.data[DESCRIPTORS / 4 + 1] = s.stride_a;
        g.data[DESCRIPTORS / 4 + 32] = ABI_LOCAL_BASE + LOCAL_B, g.data[DESCRIPTORS / 4 + 33] = s.stride_b;
        run_group(&g, &s);
        if (g.result.status != LAUNCH_DONE) fail_msg("%s", g.result.fault.detail);
        check_group(&g, &s);
    }
    g.data[DESCRIPTORS / 4 + 32] = ABI_LOCAL_LIMIT - 1;
    run_group(&g, &shapes[0]);
    illegal(&g, "outside local memory");
    g.data[DESCRIPTORS / 4 + 32] = ABI_LOCAL_LIMIT - 4096; /* of no group */
    run_group(&g, &shapes[0]);
    assert_int_equal(g.result.fault.kind, FAULT_READ);
    guest_close(&g);
}

/* A prefix's abs, neg and pair have no meaning here; a memory prefix is void, its pair too. */
static void test_prefixes(void **state)
{
    (void)state;
    const struct insn rows[] = {
        {.op = OP_MMA_M8N8K16_ROW_ROW_F32_F16_F16_F32, .vm = 1, .rm = 7, .rd = 8, .rs1 = 0, .rs2 = 4},
        {.op = OP_CP_DMA, .vm = 1, .rm = 7, .rd = 20, .rs1 = 5, .rs2 = 0, .imm = 4},
    };
    char text[128];
    struct guest g;
    open_profile(&g, PROFILE_R2025);
    for (int i = 0; i < 8; i++) {
        struct insn in = rows[i % 2];
        in.prefix = i < 6 ? OP_PREFIX : OP_PRE_M_64;
        in.abs = i / 2 == 0, in.neg = i / 2 == 1, in.pair = i / 2 >= 2;
        if (in.pair && i < 6) in.rs1 &= 0xfe;
        words(text, sizeof text, &in);
        run(&g, ONES_F16, 0, text);
        if (i < 6) illegal(&g, "prefix");
        else if (i % 2) illegal(&g, "local memory");
        else gives(&g, 0x41800000, 0);
    }
    guest_close(&g);
}

static void test_refused(void **state)
{
    (void)state;
    struct guest g;
    guest_open(&g);
    run(&g, 0, 0, "regext x0, x0, 1\nmma.m16n16k16.row.row.f32.f16.f16.f32 v24, v0, v4\n"); /* v56 to v63: just fits */
    assert_int_equal(g.result.status, LAUNCH_DONE);
    run(&g, 0, 0, "regext x0, x0, 1\nmma.m16n16k16.row.row.f32.f16.f16.f32 v25, v0, v4\n");
    illegal(&g, "v64 is beyond the 64 vector registers");
    run(&g, 0, 0, "regext x0, x0, 7\nmma.m16n16k16.row.row.f32.f16.f16.f32 v31, v0, v4\n");
    illegal(&g, "v262 is beyond the 64 vector registers");
    g.launch.work_items = 31;
    run(&g, 0, 0, "mma.m8n8k16.row.row.f32.f16.f16.f32 v8, v0, v4\n");
    illegal(&g, "inactive lanes");
    g.launch.threads_per_warp = g.launch.work_items = 8;
    run(&g, 0, 0, "mma.m8n8k16.row.row.f32.f16.f16.f32 v8, v0, v4\n");
    illegal(&g, "fewer than 32 lanes");
    run(&g, 0, 0, "regext x0, x0, 1\ntc.8x8x8.mix v25, v0, v4\n"); /* eight registers of eight lanes */
    illegal(&g, "matrix beyond");
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_profile), cmocka_unit_test(test_r2025),      cmocka_unit_test(test_lanes_missing),
        cmocka_unit_test(test_binary32),        cmocka_unit_test(test_warp_group), cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
