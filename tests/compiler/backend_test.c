/* The back end alone, fed with IR: every operation in scalar and vector form against C, and messages
 * for what it refuses.
 *
 * An operation is a few lines of IR that make %r from the i32 values %x and %y. It is put into four
 * kernels, with each of the two either different in each lane or the same in all, so that every
 * form of an instruction is selected. All run on the device under all path orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <llvm-c/IRReader.h>

#include "compiled.h"
#include "compiler/frontend/frontend.h"
#include "compiler/output/output.h"
#include "compiler/passes/passes.h"
#include "driver/gpu.h"

enum { N = 64, FORMS = 4 };

static const char layout[] =
    "target datalayout = "
    "\"e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n32-S32-G1\"\n"
    "declare i32 @__ventus_lane()\ndeclare i32 @__ventus_csr(i32)\ndeclare i32 @__ventus_shared()\n";

static struct ventus_arg two_args[2] = {
    {.kind = VENTUS_ARG_GLOBAL, .size = 4, .align = 4, .offset = 0, .name = "out", .type = "int*", .address = "global"},
    {.kind = VENTUS_ARG_GLOBAL, .size = 4, .align = 4, .offset = 4, .name = "in", .type = "int*", .address = "global"},
};

/* Compiles `text`, whose kernels are named k0.. and take two global pointers. */
static enum cc_exit compile(const char *text, uint32_t nkernels, void **elf, size_t *size, char *log, size_t log_size)
{
    struct cc cc = {.profile = PROFILE_DEFAULT};
    char *error = NULL;
    cc.context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    if (LLVMParseIRInContext(cc.context, buffer, &cc.module, &error)) fail_msg("%s\n%s", error, text);
    if (!setjmp(cc.on_error)) {
        cc.kernels = cc_alloc(&cc, nkernels * sizeof *cc.kernels);
        cc.nkernels = nkernels;
        for (uint32_t i = 0; i < nkernels; i++) {
            const char *name = cc_printf(&cc, "k%u", i);
            cc.kernels[i] = (struct kernel){.name = name,
                                            .function = LLVMGetNamedFunction(cc.module, name),
                                            .args = two_args,
                                            .nargs = 2,
                                            .args_size = 8,
                                            .vec_hint = ""};
        }
        output_program(&cc, elf, size);
    }
    enum cc_exit status = cc.status;
    snprintf(log, log_size, "%s", cc.log ? cc.log : "");
    cc_free(&cc);
    return status;
}

/* ---- running ---- */

static ventus_device *device;

/* Returns how many instructions warps have executed. */
static uint64_t run_kernel(const ventus_module *module, const char *name, uint32_t groups, const uint32_t *in,
                           size_t nin, uint32_t *out, size_t nout, enum path_order order)
{
    uint32_t args[2];
    char message[256] = "";
    struct ventus_result result;
    assert_int_equal(ventus_alloc(device, 4 * nout, &args[0]), VENTUS_OK);
    assert_int_equal(ventus_alloc(device, 4 * nin, &args[1]), VENTUS_OK);
    assert_int_equal(ventus_write(device, args[0], out, 4 * nout), VENTUS_OK);
    assert_int_equal(ventus_write(device, args[1], in, 4 * nin), VENTUS_OK);
    struct ventus_gpu_launch gpu = {.options = {.order = order}};
    // clang-format off
    struct ventus_launch launch = {.module = module, .kernel = ventus_module_find(module, name), .args = args, .gpu = &gpu,
                                   .range = {1, {groups * 32, 1, 1}, {32, 1, 1}, {0, 0, 0}}};
    // clang-format on
    assert_non_null(launch.kernel);
    enum ventus_status status = ventus_run(device, &launch, &result, message, sizeof message);
    if (status != VENTUS_OK) fail_msg("%s: %s: %s", name, ventus_status_text(status), message);
    assert_int_equal(ventus_read(device, out, args[0], 4 * nout), VENTUS_OK);
    assert_int_equal(ventus_free(device, args[0]), VENTUS_OK);
    assert_int_equal(ventus_free(device, args[1]), VENTUS_OK);
    return result.counters.instructions;
}

static ventus_module *load(const char *text, uint32_t nkernels)
{
    void *elf = NULL;
    size_t size = 0;
    char log[1024];
    if (compile(text, nkernels, &elf, &size, log, sizeof log) != CC_OK) fail_msg("%s\n%s", log, text);
    ventus_module *module = compiled_module(elf, size);
    free(elf);
    return module;
}

/* ---- operations ---- */

struct operation {
    const char *name, *ir;
    uint32_t (*expect)(uint32_t x, uint32_t y);
};

#define X64 \
    "%hx = zext i32 %x to i64\n%hy = zext i32 %y to i64\n%s1 = shl i64 %hx, 32\n%mx = mul i64 %hy, 2654435761\n" \
    "%X = xor i64 %s1, %mx\n%s2 = shl i64 %hy, 32\n%Y = or i64 %s2, %hx\n"
#define WIDE \
    "%v0 = insertelement <4 x i32> zeroinitializer, i32 %y, i32 0\n%v1 = insertelement <4 x i32> %v0, i32 %y, i32 1\n" \
    "%v2 = insertelement <4 x i32> %v1, i32 %x, i32 2\n%y6 = add i32 %y, 6\n" \
    "%v3 = insertelement <4 x i32> %v2, i32 %y6, i32 3\n%w0 = bitcast <4 x i32> %v3 to i128\n" \
    "%W = xor i128 %w0, 21474836480\n"
#define FOLD "%f1 = lshr i64 %R, 32\n%f2 = xor i64 %R, %f1\n%r = trunc i64 %f2 to i32\n"
static uint64_t big_x(uint32_t x, uint32_t y) { return (uint64_t)x << 32 ^ (uint64_t)y * 2654435761u; }
static uint64_t big_y(uint32_t x, uint32_t y) { return (uint64_t)y << 32 | x; }
static uint32_t folded(uint64_t r) { return (uint32_t)(r ^ r >> 32); }
static uint32_t smin(uint32_t x, uint32_t y) { return (int32_t)x < (int32_t)y ? x : y; }
static uint32_t smax(uint32_t x, uint32_t y) { return (int32_t)x > (int32_t)y ? x : y; }
static uint32_t umin(uint32_t x, uint32_t y) { return x < y ? x : y; }
static uint32_t umax(uint32_t x, uint32_t y) { return x > y ? x : y; }
static float as_float(uint32_t x)
{
    float v;
    memcpy(&v, &x, 4);
    return v;
}
static uint32_t bits_of(float v)
{
    uint32_t x;
    memcpy(&x, &v, 4);
    return x;
}

// clang-format off
#define OP(id, ir, c) static uint32_t expect_##id(uint32_t x, uint32_t y) { (void)x; (void)y; return (uint32_t)(c); }
// clang-format on
#include "backend_test.def"
#undef OP

static const struct operation operations[] = {
#define OP(id, ir, c) {#id, ir, expect_##id},
#include "backend_test.def"
#undef OP
};
enum { NOPERATIONS = sizeof operations / sizeof *operations };

/* Form bit 0: x differs between lanes; bit 1: y does. Uniform kernels loop over the results. */
static void put_form(char *text, size_t size, const struct operation *o, unsigned form)
{
    size_t n = strlen(text);
    const char *last = strstr(o->ir, "\nj:") ? "j" : "loop"; /* the block that the operation ends in */
    snprintf(
        text + n, size - n,
        "define void @k%u(ptr addrspace(1) %%out, ptr addrspace(1) %%in) {\nentry:\n"
        "%%lane = call i32 @__ventus_lane()\n%%group = call i32 @__ventus_csr(i32 2056)\n%%g32 = mul i32 %%group, 32\n"
        "%%gid = add i32 %%lane, %%g32\nbr label %%loop\nloop:\n%%i = phi i32 [0, %%entry], [%%next, %%%s]\n"
        "%%xi = mul i32 %%%s, 1\n%%yo = add i32 %%%s, 64\n"
        "%%px = getelementptr i32, ptr addrspace(1) %%in, i32 %%xi\n%%py = getelementptr i32, ptr addrspace(1) %%in, "
        "i32 %%yo\n"
        "%%x = load i32, ptr addrspace(1) %%px, align 4\n%%y = load i32, ptr addrspace(1) %%py, align 4\n%s"
        "%%oi = shl i32 %%i, 6\n%%oj = add i32 %%oi, %%gid\n%%po = getelementptr i32, ptr addrspace(1) %%out, i32 "
        "%%oj\n"
        "store i32 %%r, ptr addrspace(1) %%po, align 4\n"
        "%%next = add i32 %%i, 1\n%%more = icmp ult i32 %%next, 64\nbr i1 %%more, label %%loop, label %%end\nend:\nret "
        "void\n}\n",
        form, last, form & 1 ? "gid" : "i", form & 2 ? "gid" : "i", o->ir);
}

/* "TYPE @name(TYPE %a, TYPE 3" -> "declare TYPE @name(TYPE, TYPE)". */
static void put_declaration(char *text, size_t size, const char *call, const char *end)
{
    const char *open = strchr(call, '(');
    size_t n = strlen(text);
    char seen[128];
    snprintf(seen, sizeof seen, "declare %.*s(", (int)(open - call), call);
    if (strstr(text, seen)) return;
    n += (size_t)snprintf(text + n, size - n, "%s", seen);
    for (const char *p = open + 1; p < end;) {
        const char *stop = memchr(p, ',', (size_t)(end - p)), *space;
        if (!stop) stop = end;
        for (space = stop; *space != ' ';) space--;
        n += (size_t)snprintf(text + n, size - n, "%.*s%s", (int)(space - p), p, stop < end ? "," : "");
        p = stop + 1;
    }
    snprintf(text + n, size - n, ")\n");
}

static uint32_t inputs[2 * N];

static void fill_inputs(void)
{
    static const uint32_t special[] = {
        0,          1,          2,          31,         32,         33,         63,         127,        128,
        255,        256,        32767,      32768,      65535,      65536,      0x7fffffff, 0x80000000, 0x80000001,
        0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x00000007};
    uint32_t seed = 12345;
    for (unsigned i = 0; i < 2 * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        inputs[i] = i % 2 ? seed ^ seed >> 13 : special[(i / 2 + i / N * 7) % (sizeof special / sizeof *special)];
    }
}

static void check_operation(const struct operation *o)
{
    static char text[65536];
    static uint32_t out[N * N];
    strcpy(text, layout);
    for (unsigned form = 0; form < FORMS; form++) put_form(text, sizeof text, o, form);
    for (const char *at = o->ir; (at = strstr(at, "@llvm.")); at++) {
        /* The intrinsic is declared as it is called: "call TYPE @name(TYPE a, ...)". */
        const char *call = at;
        while (strncmp(call, "call ", 5)) call--;
        put_declaration(text, sizeof text, call + 5, strchr(at, ')'));
    }
    ventus_module *module = load(text, FORMS);
    for (unsigned form = 0; form < FORMS; form++) {
        char name[8];
        snprintf(name, sizeof name, "k%u", form);
        run_kernel(module, name, 2, inputs, 2 * N, out, N * N, PATH_FEWER_FIRST);
        for (unsigned i = 0; i < N; i++)
            for (unsigned g = 0; g < N; g++) {
                uint32_t x = inputs[form & 1 ? g : i], y = inputs[N + (form & 2 ? g : i)], want = o->expect(x, y);
                if (out[i * N + g] != want)
                    fail_msg("%s, form %u: x 0x%08x y 0x%08x gives 0x%08x, expected 0x%08x", o->name, form, x, y,
                             out[i * N + g], want);
            }
    }
    ventus_module_free(module);
}

static void test_operations(void **state)
{
    (void)state;
    fill_inputs();
    for (unsigned i = 0; i < NOPERATIONS; i++) check_operation(&operations[i]);
}

/* ---- control flow and memory that clang seldom writes ---- */

#define HEAD \
    "define void @k0(ptr addrspace(1) %out, ptr addrspace(1) %in) {\nentry:\n%lane = call i32 @__ventus_lane()\n" \
    "%po = getelementptr i32, ptr addrspace(1) %out, i32 %lane\n"

static uint64_t run_text(const char *body, uint32_t *out, size_t nout, enum path_order order)
{
    char *text = malloc(strlen(layout) + strlen(body) + 1);
    assert_non_null(text);
    strcpy(text, layout);
    strcat(text, body);
    ventus_module *module = load(text, 1);
    uint64_t instructions = run_kernel(module, "k0", 1, inputs, 2 * N, out, nout, order);
    ventus_module_free(module);
    free(text);
    return instructions;
}

/* Phis that rotate three values, a different number of times in each lane. */
static void test_phi_cycle(void **state)
{
    (void)state;
    for (int order = PATH_FEWER_FIRST; order <= PATH_FALLTHROUGH_FIRST; order++) {
        uint32_t out[32] = {0};
        run_text(
            HEAD
            "br label %loop\nloop:\n%i = phi i32 [0, %entry], [%n, %loop]\n%a = phi i32 [100, %entry], [%b, %loop]\n"
            "%b = phi i32 [200, %entry], [%c, %loop]\n%c = phi i32 [300, %entry], [%a, %loop]\n"
            "%n = add i32 %i, 1\n%more = icmp ult i32 %i, %lane\nbr i1 %more, label %loop, label %end\n"
            "end:\n%r = phi i32 [%b, %loop]\nstore i32 %r, ptr addrspace(1) %po, align 4\nret void\n}\n",
            out, 32, (enum path_order)order);
        for (uint32_t g = 0; g < 32; g++) assert_int_equal(out[g], 100 + 100 * ((g + 1) % 3));
    }
}

/* Lanes compete for one word; each must get its turn exactly once. */
static void test_atomics(void **state)
{
    // clang-format off
    static const struct { const char *op; uint32_t want; } cases[] = {
        {"%u = atomicrmw add ptr addrspace(1) %out, i32 3 seq_cst", 96}, {"%u = atomicrmw sub ptr addrspace(1) %out, i32 1 seq_cst", -32u},
        {"%l1 = add i32 %lane, 1\n%u = atomicrmw umax ptr addrspace(1) %out, i32 %l1 seq_cst", 32},
        {"%u = atomicrmw uinc_wrap ptr addrspace(1) %out, i32 20 seq_cst", 32 % 21}, {"%u = atomicrmw udec_wrap ptr addrspace(1) %out, i32 20 seq_cst", 10},
        {"%u = atomicrmw nand ptr addrspace(1) %out, i32 -1 seq_cst", 0}, {"%u = atomicrmw fadd ptr addrspace(1) %out, float 0.5 seq_cst", 0x41800000},
        {"%u = atomicrmw or ptr addrspace(1) %out, i32 %lane seq_cst", 31}, {"%u = atomicrmw xor ptr addrspace(1) %out, i32 %lane seq_cst", 0},
        {"br label %again\nagain:\n%old = load atomic i32, ptr addrspace(1) %out seq_cst, align 4\n%new = add i32 %old, %lane\n"
         "%p = cmpxchg ptr addrspace(1) %out, i32 %old, i32 %new seq_cst seq_cst\n%ok = extractvalue {i32, i1} %p, 1\n"
         "br i1 %ok, label %done, label %again\ndone:", 496},
    };
    // clang-format on
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int order = PATH_FEWER_FIRST; order <= PATH_FALLTHROUGH_FIRST; order++) {
            char text[1024];
            uint32_t out[32] = {0};
            snprintf(text, sizeof text, "%s%s\nret void\n}\n", HEAD, cases[i].op);
            run_text(text, out, 32, (enum path_order)order);
            if (out[0] != cases[i].want) fail_msg("%s: 0x%x, expected 0x%x", cases[i].op, out[0], cases[i].want);
        }
}

/* Where 32 lanes compare and exchange one word, one succeeds and 31 are told so at once: all is done after some 32
 * turns, not after 32 * 32 / 2 as if those went on as long as there is another that succeeds. */
static void test_lost_exchange(void **state)
{
    (void)state;
    uint32_t out[32] = {0};
    uint64_t instructions = run_text(
        HEAD
        "br label %again\nagain:\n%old = phi i32 [0, %entry], [%seen, %again]\n%new = add i32 %old, %lane\n"
        "%p = cmpxchg ptr addrspace(1) %out, i32 %old, i32 %new seq_cst seq_cst\n%seen = extractvalue {i32, i1} %p, 0\n"
        "%ok = extractvalue {i32, i1} %p, 1\nbr i1 %ok, label %done, label %again\ndone:\nret void\n}\n",
        out, 32, PATH_FEWER_FIRST);
    assert_int_equal(out[0], 31 * 32 / 2);
    assert_in_range(instructions, 32 * 5, 32 * 25);
}

/* A packed struct, a byte-aligned word and a bit vector in private and global memory. */
static void test_odd_memory(void **state)
{
    (void)state;
    uint32_t out[32] = {0};
    run_text(
        HEAD
        "%s = alloca <{i8, i32, i16, i64}>, align 1\n%f1 = getelementptr <{i8, i32, i16, i64}>, ptr %s, i32 0, i32 1\n"
        "%f3 = getelementptr <{i8, i32, i16, i64}>, ptr %s, i32 0, i32 3\n%v = mul i32 %lane, 123456789\n%w = zext i32 "
        "%v to i64\n"
        "%w2 = mul i64 %w, 4294967299\nstore i32 %v, ptr %f1, align 1\nstore i64 %w2, ptr %f3, align 1\n"
        "%a = load i32, ptr %f1, align 1\n%b = load i64, ptr %f3, align 1\n%b1 = lshr i64 %b, 32\n%b2 = trunc i64 %b1 "
        "to i32\n"
        "%m = alloca <8 x i1>, align 1\n%l8 = trunc i32 %lane to i8\n%bv = bitcast i8 %l8 to <8 x i1>\nstore <8 x i1> "
        "%bv, ptr %m, align 1\n"
        "%bw = load <8 x i1>, ptr %m, align 1\n%bi = bitcast <8 x i1> %bw to i8\n%bz = zext i8 %bi to i32\n"
        "%r1 = xor i32 %a, %b2\n%r = add i32 %r1, %bz\nstore i32 %r, ptr addrspace(1) %po, align 1\nret void\n}\n",
        out, 32, PATH_FEWER_FIRST);
    for (uint32_t g = 0; g < 32; g++) {
        uint32_t v = g * 123456789u;
        assert_int_equal(out[g], (v ^ (uint32_t)((uint64_t)v * 4294967299u >> 32)) + g);
    }
}

/* Integers of which the last byte is not full, whatever is in the rest of their registers. */
static void test_odd_integers(void **state)
{
    (void)state;
    uint32_t out[32] = {0};
    run_text(HEAD "%a = alloca i20, align 4\n%b = alloca i36, align 8\n%v = mul i32 %lane, 123456789\n"
                  "%s = trunc i32 %v to i20\nstore i20 %s, ptr %a, align 4\n%l = load i32, ptr %a, align 4\n"
                  "%w = zext i32 %v to i64\n%w2 = mul i64 %w, 4294967299\n%t = trunc i64 %w2 to i36\n"
                  "store i36 %t, ptr %b, align 8\n%ph = getelementptr i8, ptr %b, i32 4\n"
                  "%h = load i8, ptr %ph, align 4\n%hz = zext i8 %h to i32\n%l3 = and i32 %l, 16777215\n"
                  "%hs = shl i32 %hz, 24\n%r = or i32 %l3, %hs\nstore i32 %r, ptr addrspace(1) %po, align 4\n"
                  "ret void\n}\n",
             out, 32, PATH_FEWER_FIRST);
    for (uint32_t g = 0; g < 32; g++) {
        uint32_t v = g * 123456789u;
        assert_int_equal(out[g], (v & 0xfffff) | (uint32_t)((uint64_t)v * 4294967299u >> 32 & 15) << 24);
    }
}

/* A loop without end in lanes that never enter it, constants and local variables by address. */
static void test_endless_and_globals(void **state)
{
    (void)state;
    uint32_t out[32] = {0};
    run_text(
        "@table = internal addrspace(2) constant [3 x {i8, i32}] [{i8, i32} {i8 1, i32 10}, {i8, i32} {i8 2, i32 20}, "
        "{i8, i32} {i8 3, i32 30}]\n"
        "@shared = internal addrspace(3) global [32 x i32] undef, align 4\n" HEAD
        "%never = icmp ugt i32 %lane, 100\nbr i1 %never, label %spin, label %go\nspin:\nbr label %spin\ngo:\n"
        "%k = urem i32 %lane, 3\n%pt = getelementptr [3 x {i8, i32}], ptr addrspace(2) @table, i32 0, i32 %k, i32 1\n"
        "%t = load i32, ptr addrspace(2) %pt, align 4\n%ps = getelementptr [32 x i32], ptr addrspace(3) @shared, i32 "
        "0, i32 %lane\n"
        "store i32 %t, ptr addrspace(3) %ps, align 4\n%o = xor i32 %lane, 5\n"
        "%pq = getelementptr [32 x i32], ptr addrspace(3) @shared, i32 0, i32 %o\n%q = load i32, ptr addrspace(3) %pq, "
        "align 4\n"
        "store i32 %q, ptr addrspace(1) %po, align 4\nret void\n}\n",
        out, 32, PATH_FEWER_FIRST);
    for (uint32_t g = 0; g < 32; g++) assert_int_equal(out[g], 10 * ((g ^ 5) % 3 + 1));
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    // clang-format off
    static const struct { const char *ir, *message; } cases[] = {
        {"call void @unknown()\nret void\n}\ndeclare void @unknown()\n", "a call of unknown"},
        {"%v = load i32, ptr addrspace(4) null, align 4\nstore i32 %v, ptr addrspace(1) %po, align 4\nret void\n}\n", "address space 4"},
        {"%d = sitofp i32 %lane to fp128\nstore fp128 %d, ptr addrspace(1) %po, align 16\nret void\n}\n", "fp128"},
        {"%l = zext i32 %lane to i64\n%d = udiv i64 1000, %l\nstore i64 %d, ptr addrspace(1) %po, align 8\nret void\n}\n", "64-bit division"},
        {"%l = zext i32 %lane to i128\n%d = mul i128 %l, %l\nstore i128 %d, ptr addrspace(1) %po, align 8\nret void\n}\n", "128 bits"},
        {"%a = alloca i32, i32 %lane, align 4\nstore i32 1, ptr %a, align 4\nret void\n}\n", "not a constant"},
        {"%a = alloca [100000000 x i32], align 4\nstore i32 1, ptr %a, align 4\nret void\n}\n", "private variable"},
        {"switch i32 %lane, label %e [i32 1, label %e]\ne:\nret void\n}\n", "control transfer"},
        {"store i32 1, ptr addrspace(5) @g, align 4\nret void\n}\n@g = internal addrspace(5) global i32 0\n", "address space 5"},
        {"store i32 1, ptr addrspace(1) @g, align 4\nret void\n}\n@g = external addrspace(1) global i32\n", "defined nowhere"},
        {"store i32 1, ptr addrspace(1) @g, align 4\nret void\n}\n@g = internal addrspace(1) global [100000000 x i32] zeroinitializer\n", "take more than 67108864 bytes"},
        {"%v = load ptr, ptr addrspace(2) @c, align 4\n%i = ptrtoint ptr %v to i32\nstore i32 %i, ptr addrspace(1) %po, align 4\n"
         "ret void\n}\n@c = internal addrspace(2) constant ptr @k0\n", "not known here"},
        {"%u = atomicrmw add ptr addrspace(1) %out, i64 3 seq_cst\nret void\n}\n", "atomic operation on i64"},
        {"call void asm sideeffect \"join\", \"\"()\nret void\n}\n", "would change which work-items"},
        {"call void asm sideeffect \"li sp, 5\", \"\"()\nret void\n}\n", "writes sp"},
        {"call void asm sideeffect \"x: .word x\", \"\"()\nret void\n}\n", "depend on their place"},
        {"call void asm sideeffect \"addi $0, $0, 1\", \"r\"(i32 %lane)\nret void\n}\n", "may differ between work-items"},
        {"%r = call i64 asm \"nop\", \"=r\"()\nret void\n}\n", "up to 32 bits"},
        {"%r = call i32 asm \"nop\", \"={v5}\"()\nret void\n}\n", "not possible"},
        {"call void asm sideeffect \"nop\", \"i\"(i32 %lane)\nret void\n}\n", "not a constant"},
        {"call void asm sideeffect \"vadd.vv $0, $0, $0\", \"v\"(i32 %lane)\nret void\n}\n", "writes registers"},
        {"%r = call i32 asm \"mma.m8n8k16.row.row.f32.f16.f16.f32 $0, $0, $0\", \"=v\"()\nret void\n}\n", "writes registers"},
        {"%v = load i32, ptr addrspace(3) @huge, align 4\nstore i32 %v, ptr addrspace(1) %po, align 4\nret void\n}\n"
         "@huge = internal addrspace(3) global [2000000000 x i32] undef\n", "local variables"},
        {"store i32 1, ptr addrspace(3) @a, align 4\nret void\n}\n@a = internal addrspace(3) global i32 undef, align 2048\n", "alignment of 2048"},
        {"%v = load i32, ptr addrspace(2) @huge, align 4\nstore i32 %v, ptr addrspace(1) %po, align 4\nret void\n}\n"
         "@huge = internal addrspace(2) constant [2000000000 x i32] zeroinitializer\n", "too large"},
    };
    // clang-format on
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096], log[1024];
        void *elf = NULL;
        size_t size = 0;
        snprintf(text, sizeof text, "%s%s%s", layout, HEAD, cases[i].ir);
        enum cc_exit status = compile(text, 1, &elf, &size, log, sizeof log);
        free(elf);
        if (status != CC_FAILED || !strstr(log, cases[i].message))
            fail_msg("status %d, log \"%s\" for\n%s", (int)status, log, cases[i].ir);
    }
}

static int setup(void **state)
{
    (void)state;
    return ventus_open(0, &device) != VENTUS_OK;
}

static int teardown(void **state)
{
    (void)state;
    ventus_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_phi_cycle),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_lost_exchange),
        cmocka_unit_test(test_odd_memory),
        cmocka_unit_test(test_odd_integers),

        cmocka_unit_test(test_endless_and_globals),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
