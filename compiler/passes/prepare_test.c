/* The front half as a whole: small sources through clang and all passes; looks at the note, at the
 * build log of what is refused, and at what is left for the back end. Needs clang-19 and the
 * library in the build folder, as ventus-cc does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <llvm-c/Analysis.h>

#include "compiler/frontend/frontend.h"
#include "compiler/passes/passes.h"

/* What one compilation leaves; texts are malloc'ed. */
struct result {
    enum cc_exit status;
    char *log, *note, *ir;
};

/* Test programs lie in a folder of the build folder, the library in the build folder itself. */
static const char *build_folder(void)
{
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(n > 0);
    path[n] = 0;
    for (int i = 0; i < 2; i++) *strrchr(path, '/') = 0;
    return path;
}

static struct result compile(const char *options, const char *source)
{
    struct cc cc = {.tool_dir = build_folder(), .profile = PROFILE_DEFAULT};
    struct result r = {0};
    if (!setjmp(cc.on_error)) {
        options_parse(&cc, options);
        cc.module = frontend_run(&cc, source, strlen(source), true);
        prepare_module(&cc);
        const struct note note = program_note(&cc);
        r.note = strdup(program_note_text(&cc, &note));
        char *ir = LLVMPrintModuleToString(cc.module);
        r.ir = strdup(ir);
        LLVMDisposeMessage(ir);
    }
    r.status = cc.status;
    r.log = strdup(cc.log ? cc.log : "");
    cc_free(&cc);
    return r;
}

static void release(struct result *r)
{
    free(r->log);
    free(r->note);
    free(r->ir);
}

static void has(const char *text, const char *part)
{
    if (!text || !strstr(text, part)) fail_msg("\"%s\" is not in:\n%s", part, text ? text : "(nothing)");
}

static void has_not(const char *text, const char *part)
{
    if (!text || strstr(text, part)) fail_msg("\"%s\" is in:\n%s", part, text ? text : "(nothing)");
}

static void note_of(const char *source, const char *const parts[])
{
    struct result r = compile("", source);
    if (r.status != CC_OK) fail_msg("%s", r.log);
    for (size_t i = 0; parts[i]; i++) has(r.note, parts[i]);
    release(&r);
}

static void ir_of(const char *options, const char *source, const char *wanted, const char *unwanted)
{
    struct result r = compile(options, source);
    if (r.status != CC_OK) fail_msg("%s", r.log);
    if (wanted) has(r.ir, wanted);
    if (unwanted) has_not(r.ir, unwanted);
    release(&r);
}

static void refused(enum cc_exit status, const char *source, const char *message)
{
    struct result r = compile("", source);
    if (r.status != status) fail_msg("exit code %d, not %d: %s", (int)r.status, (int)status, r.log);
    has(r.log, message);
    release(&r);
}

static void note_describes_arguments(void **state)
{
    (void)state;
    note_of("typedef struct { int a; float b[4]; char c; } S;\n"
            "kernel void k(global int *a, int3 v, local float *l, S s, char c, const global uchar *restrict u,\n"
            "              constant unsigned int *w, volatile global long *q, long8 big, short t) {}\n",
            (const char *const[]){
                "ventus-module 1\nkernel name=k entry=0x00000000 ", " reqd=0,0,0 hint=0,0,0 ungrouped=3 vechint=\n",
                "arg kind=global size=4 offset=0 align=4 name=a type=int* access=none address=global qual=\n",
                "arg kind=value size=16 offset=16 align=16 name=v type=int3 access=none address=private qual=\n",
                "arg kind=local size=4 offset=32 align=4 name=l type=float* access=none address=local qual=\n",
                "arg kind=value size=24 offset=64 align=32 name=s type=S ",
                "arg kind=value size=1 offset=88 align=4 name=c type=char ",
                "name=u type=uchar* access=none address=global qual=restrict%20const\n",
                "arg kind=constant size=4 offset=96 align=4 name=w type=uint* ",
                "name=q type=long* access=none address=global qual=volatile\n",
                "arg kind=value size=64 offset=128 align=64 name=big type=long8 ",
                "arg kind=value size=2 offset=192 align=4 name=t type=short ", " args=196 ", NULL});
    note_of(
        "kernel void k(int n, read_only image2d_t i, sampler_t s, write_only image1d_array_t o) {}",
        (const char *const[]){
            "arg kind=image size=64 offset=64 align=64 name=i type=image2d_t access=read_only address=global qual=\n",
            "arg kind=sampler size=4 offset=128 align=4 name=s type=sampler_t ",
            "arg kind=image size=64 offset=192 align=64 name=o type=image1d_array_t access=write_only ", NULL});
}

/* The alignment of the memory behind each __local argument is its type's. */
static void note_aligns_local_memory(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        unsigned align;
    } types[] = {{"char", 1},  {"half", 2},     {"short2", 4}, {"float", 4},  {"size_t", 4},    {"long", 8},
                 {"int3", 16}, {"uchar16", 16}, {"f4", 16},    {"long3", 32}, {"ulong16", 128}, {"S", 8},
                 {"P", 1},     {"A", 64},       {"U", 32},     {"rows", 16},  {"void", 128},    {"struct later", 128}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char source[600], want[80];
        snprintf(source, sizeof source,
                 "typedef float4 f4; typedef struct { char c; long l; } S; typedef float3 rows[2];\n"
                 "typedef struct __attribute__((packed)) { char c; int i; } P; typedef union { char c; long4 l; } U;\n"
                 "typedef struct __attribute__((aligned(64))) { char c; } A; struct later;\n"
                 "kernel void k(local char *first, local %s *p) {}",
                 types[i].type);
        snprintf(want, sizeof want, "arg kind=local size=4 offset=4 align=%u name=p ", types[i].align);
        note_of(source, (const char *const[]){want, NULL});
    }
    refused(CC_FAILED, "typedef struct { int i; } __attribute__((aligned(2048))) S;\nkernel void k(local S *p) {}",
            "argument 1 of kernel k wants local memory aligned to 2048 bytes");
}

/* Of kernels that nothing shows how their work-items are grouped: 3 for those without loops whose neighbours along the
 * first dimension access neighbours in memory. */
static void note_tells_of_rows(void **state)
{
    static const struct {
        const char *rows, *body;
    } kernels[] = {
        {"3", "b[i] = a[i];"},
        {"3", "b[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]);"},
        {"3", "if (x && y && x < w - 1) b[i] = a[i - 1]; else b[i] = a[i];"},
        {"3", "b[i] = a[max(y - 1, 0) * w + min(x + 1, w - 1)] + a[y * w + (x ? x - 1 : w - 1)];"},
        {"3", "b[w - 1 - x] = a[y];"},
        {"3", "b[i] = a[y / 2 * w + x / 2] + a[y % 7 * w + x % 8];"},
        {"3", "for (int k = 0; k < 3; k++) b[3 * i + k] = a[3 * i + k];"},
        {"3", "((global float16 *)b)[i] = ((global const float16 *)a)[i];"},
        {"3", "b[i] = table[(int)a[i] & 3];"},
        {"3", "int r = i / w, c = i % w; b[r * w + c] = 1;"},
        {"2", "((global float16 *)b)[2 * i] = ((global const float16 *)a)[i];"},
        {"2", "b[x * w + y] = a[i];"},
        {"2", "b[i] = a[x * w + y];"},
        {"2", "b[i] = a[x << y];"},
        {"2", "b[i] = a[(int)a[i]];"},
        {"2", "b[i] = a[(int)(0.6f * x - 0.8f * y)];"},
        {"2", "b[i] = a[x * x];"},
        {"2", "float s = 0; for (int k = 0; k < w; k++) s += a[k * w + x]; b[i] = s;"},
        {"2", "far(b + i);"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char source[700], want[60];
        snprintf(source, sizeof source,
                 "constant int table[4] = {3, 1, 2, 5};\n"
                 "__attribute__((noinline)) void far(global float *p) { *p = 1; }\n"
                 "kernel void k(global const float *a, global float *b, int w)\n"
                 "{ int x = get_global_id(0), y = get_global_id(1), i = y * w + x; %s }\n",
                 kernels[i].body);
        snprintf(want, sizeof want, " hint=0,0,0 ungrouped=%s vechint=", kernels[i].rows);
        note_of(source, (const char *const[]){want, NULL});
    }
}

static void note_has_attributes(void **state)
{
    (void)state;
    note_of("kernel __attribute__((reqd_work_group_size(8,4,2))) __attribute__((vec_type_hint(uint4))) void a() {}\n"
            "kernel __attribute__((work_group_size_hint(64,1,1))) __attribute__((vec_type_hint(float))) void b() {}\n",
            (const char *const[]){"kernel name=a ", " reqd=8,4,2 hint=0,0,0 ungrouped=3 vechint=uint4\n",
                                  "kernel name=b ", " reqd=0,0,0 hint=64,1,1 ungrouped=3 vechint=float\n", NULL});
    note_of("kernel void a(global int *p) { *p = get_local_id(0); }\n",
            (const char *const[]){" reqd=0,0,0 hint=0,0,0 vechint=\n", NULL});
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                        "long", "ulong", "half",  "float",  "double"};
    static const char *const sizes[] = {"", "2", "3", "4", "8", "16"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            char source[200], want[60];
            snprintf(source, sizeof source,
                     "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                     "kernel __attribute__((vec_type_hint(%s%s))) void k() {}\n",
                     types[i], sizes[j]);
            snprintf(want, sizeof want, " vechint=%s%s\n", types[i], sizes[j]);
            note_of(source, (const char *const[]){want, NULL});
        }
}

static void note_has_formats(void **state)
{
    (void)state;
    note_of(
        "kernel void k(int a) { printf(\"%d = %s\\n\", a, \"x%y\"); printf(\"%d = %s\\n\", 1, \"\"); printf(\"\"); }",
        (const char *const[]){"format id=0 text=%25d%20%3D%20%25s%0A\n", "format id=1 text=\n",
                              "string id=0 text=x%25y\n", "string id=1 text=\n", NULL});
    note_of("kernel void k(int a) { constant char *s = a ? \"yes\" : \"no\"; printf(\"%s\", a > 3 ? s : \"much\"); }",
            (const char *const[]){"string id=0 text=", "string id=2 text=", " text=yes\n", " text=no\n", " text=much\n",
                                  NULL});
}

static void printf_takes_literals_and_constants(void **state)
{
    (void)state;
    refused(CC_FAILED, "kernel void k(constant char *f) {\n printf(f); }",
            "<source>:2:2: error: the format of printf must be a string literal");
    refused(CC_FAILED, "kernel void k(global char *f) {\n\n printf(\"%s\", f); }",
            "<source>:3:2: error: the argument of %s must be");
    refused(CC_FAILED, "kernel void k() { printf(\"%d %*d\", 1, 2); }", "fewer arguments");
    ir_of("", "kernel void k(global int *a) { a[0] = printf(\"%%%5.2v4hlf %c%\", (float4)1, 'c'); }", "atomicrmw add",
          "@__ventus_print");
}

/* What clang needs for line numbers grows with the square of a line's length. */
static void long_lines_have_no_numbers(void **state)
{
    enum { LONG = 40000 };
    char source[LONG + 100];
    (void)state;
    sprintf(source, "int nothing(int); kernel void k(global int *a) {%*s a[0] = nothing(1); }", LONG, "");
    refused(CC_FAILED, source, "<source>: error: undefined function \"nothing\"");
}

/* Before any pass: behind each `if` of the chain clang makes a block, of which one is left. */
static void chains_end_in_one_block(void **state)
{
    enum { CHAIN = 40 };
    char source[8192];
    int size = snprintf(source, sizeof source, "kernel void k(global int *a) { if (a[0] == 0) a[1] = 0;");
    for (int i = 1; i <= CHAIN; i++)
        size += snprintf(source + size, sizeof source - (size_t)size, "else if (a[0] == %d) a[1] = %d;", i, i);
    size += snprintf(source + size, sizeof source - (size_t)size, "a[2] = 1; }");
    struct cc cc = {.tool_dir = build_folder(), .profile = PROFILE_DEFAULT};
    (void)state;
    if (setjmp(cc.on_error)) fail_msg("%s", cc.log);
    options_parse(&cc, "");
    cc.module = frontend_run(&cc, source, (size_t)size, true);
    LLVMValueRef kernel = LLVMGetNamedFunction(cc.module, "k");
    unsigned blocks = LLVMCountBasicBlocks(kernel);
    shape_ends(&cc);
    assert_int_equal(blocks - LLVMCountBasicBlocks(kernel), CHAIN);
    assert_false(LLVMVerifyModule(cc.module, LLVMReturnStatusAction, NULL));
    cc_free(&cc);
}

static void clang_speaks_in_the_log(void **state)
{
    (void)state;
    refused(CC_FAILED, "kernel void k(global int *a) {\n a[0] = x; }",
            "<source>:2:9: error: use of undeclared identifier 'x'");
    refused(CC_FAILED, "half f(half h) { return h; }\nkernel void k() {}", "'half' is not allowed");
    struct result r = compile("-cl-std=CL3.0", "#warning careful\nkernel void k() {}");
    assert_int_equal(r.status, CC_OK);
    has(r.log, "<source>:1:2: warning: careful");
    release(&r);
}

static void what_cannot_be_inlined_is_refused(void **state)
{
    (void)state;
    refused(CC_FAILED, "int f(int n) {\n return n ? f(n - 1) : 3; }\nkernel void k(global int *a) { a[0] = f(a[1]); }",
            "<source>:2:13: error: function \"f\" is recursive");
    refused(CC_FAILED,
            "int g(int);\nint f(int n) { return n ? g(n - 1) : 3; }\nint g(int n) { return f(n); }\n"
            "kernel void k(global int *a) { a[0] = f(a[1]); }",
            "is recursive");
    refused(CC_FAILED, "int nothing(int);\nkernel void k(global int *a) {\n a[0] = nothing(1); }",
            "<source>:3:9: error: undefined function \"nothing\"");
    refused(
        CC_FAILED,
        "#define F(n, m) int f##n(int x) { return f##m(x) + f##m(x + 1); }\n"
        "int f0(int x) { __asm__ volatile(\"\"); return x * x; }\n"
        "F(1,0) F(2,1) F(3,2) F(4,3) F(5,4) F(6,5) F(7,6) F(8,7) F(9,8) F(10,9) F(11,10) F(12,11) F(13,12) F(14,13) "
        "F(15,14)\n"
        "F(16,15) F(17,16) F(18,17) F(19,18) F(20,19) F(21,20) F(22,21) F(23,22) F(24,23) F(25,24) F(26,25) F(27,26)\n"
        "kernel void k(global int *a) { a[0] = f27(a[1]); }",
        "too large");
}

/* Each body is all of `kernel void k(global T *a ...)`; the word behind it must be gone. */
static void constructs_are_lowered(void **state)
{
    static const char *const bodies[][2] = {
        {"global long *a) { a[0] = a[1] / a[2] + a[3] % 7; }", "div i64"},
        {"global ulong *a) { a[0] = a[1] / a[2]; a[1] = a[3] % a[4]; }", "rem i64"},
        {"global long *a, global float *f) { a[0] = f[0]; f[1] = a[2]; }", "fptosi"},
        {"global ulong *a, global float *f) { a[0] = f[0]; f[1] = a[2]; }", "uitofp i64"},
        {"global float *a) { a[0] = floor(a[1]) + ceil(a[2]) + trunc(a[3]) + rint(a[4]) + round(a[5]); }", "llvm.r"},
        {"global float *a) { a[0] = fmod(a[1], a[2]); }", "frem"},
        {"global float *a) { a[0] = native_sin(a[1]) + native_exp(a[2]) + native_log2(a[3]); }",
         "call float @llvm.sin"},
        {"global double *a) { a[0] = a[1] + a[2] - a[3] * a[4] / a[5]; a[6] = fma(a[7], a[8], rint(a[9])); }",
         "llvm.fma"},
        {"global double *a, global int *b) { b[0] = a[1] < a[2]; a[0] = b[1]; b[2] = a[3]; }", "fcmp"},
        {"global double *a, global float *b) { b[0] = a[1]; a[0] = b[1]; }", "fpext"},
        {"global half *a) { vstore_half(vload_half(3, a) / vload_half(2, a), 4, a); }", "fdiv half"},
        {"global uint4 *a) { a[0] = popcount(a[1]) + clz(a[2]); }", "ctpop"},
        {"global ulong *a) { a[0] = clz(a[1]) + rotate(a[2], a[3]); }", "fsh"},
        {"global uchar4 *a) { a[0] = add_sat(a[1], a[2]); a[1] = sub_sat(a[3], a[4]); }", ".sat"},
        {"global long *a) { a[0] = max(a[1], a[2]); a[1] = abs(a[3]); a[2] = add_sat(a[4], a[5]); }", "llvm.s"},
        {"global float *a, global int *b) { b[0] = isnan(a[1]) + isinf(a[2]) + isnormal(a[3]) + signbit(a[4]); }",
         "fpclass"},
        {"global int *a) { int b[64]; for (int i = 0; i < 64; i++) b[i] = a[i]; a[0] = b[a[1] & 63]; }", "lifetime"},
        {"global int *a, local int *l) { event_t e = async_work_group_copy(l, a, 9, 0); wait_group_events(1, &e); }",
         "spirv"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char source[512];
        snprintf(source, sizeof source, "kernel void k(%s", bodies[i][0]);
        ir_of("", source, "@k(", bodies[i][1]);
    }
}

static void structs_are_read_from_the_buffer(void **state)
{
    (void)state;
    ir_of("", "typedef struct { int a, b; } S; kernel void k(global int *o, S s) { o[0] = s.a + s.b; }", "addrspace(2)",
          "alloca");
    ir_of("", "typedef struct { int a[99]; } S; kernel void k(global int *o, S s) { o[0] = s.a[o[1]]; }",
          "addrspace(2)", "alloca");
    ir_of("", "typedef struct { int a[99]; } S; kernel void k(global int *o, S s) { s.a[o[2]] = 3; o[0] = s.a[o[1]]; }",
          "alloca", "call void");
}

/* A branch on the address stands only where private memory and another kind may be meant. */
static void generic_pointers_are_followed(void **state)
{
    static const char v3[] = "-cl-std=CL3.0", branch[] = "1879048192";
    (void)state;
    ir_of(v3,
          "int sum(int *p, int n) { int s = 0; while (n--) s += *p++; return s; }"
          "kernel void k(global int *o, local int *l, int n) { o[0] = sum(n > 3 ? (int *)l : (int *)o, n); }",
          "load i32", branch);
    ir_of(v3,
          "typedef struct N { struct N *next; } N; kernel void k(global N *p, global int *o)"
          "{ int n = 0; for (N *q = p; q; q = q->next) n++; *o = n; }",
          "load ptr addrspace(4)", branch);
    ir_of(v3,
          "kernel void k(global int *o, int n) { int a[9]; for (int i = 0; i < 9; i++) a[i] = n / (i + 1);"
          "int *p = n ? (int *)o : a; o[n] = p[n]; }",
          branch, "ptr addrspace(4) %0, align");
}

static void required_size_is_a_constant(void **state)
{
    (void)state;
    ir_of("",
          "kernel __attribute__((reqd_work_group_size(8,8,1))) void k(global int *o) {\n"
          " o[get_local_id(0)] = get_local_size(0) * get_local_size(1); }",
          "store i32 64", "urem");
}

/* What kernels do not call is left out before anything else looks at it, whatever it is; of the others, those without
 * loops are kept out of the work on loops, and that they were is not to be seen. */
static void functions_go_their_own_ways(void **state)
{
    static const char source[] = "int nothing(int);\n"
                                 "int unused(int a) { return nothing(a); }\n"
                                 "int used(int a) { return convert_int_sat(a * 0.5f); }\n"
                                 "kernel void straight(global int *a) { a[0] = used(a[1]); }\n"
                                 "kernel void loops(global int *a, int n) { for (int i = 0; i < n; i++) a[i] += i; }\n";
    struct cc cc = {.tool_dir = build_folder(), .profile = PROFILE_DEFAULT};
    (void)state;
    ir_of("", source, "@straight(", "optnone");
    if (setjmp(cc.on_error)) fail_msg("%s", cc.log);
    options_parse(&cc, "");
    cc.module = frontend_run(&cc, source, sizeof source - 1, true);
    assert_null(LLVMGetNamedFunction(cc.module, "unused"));
    assert_non_null(LLVMGetNamedFunction(cc.module, "used"));
    cc_free(&cc);
}

/* Where lanes diverge, what is short and cannot fail is computed by all; other branches stay. */
static void short_ways_are_flattened(void **state)
{
    static const char counts[] = "for (int j = 0; j < n; j++) r += a[j] < v || (a[j] == v && j < i); o[i] = r; }";
    char source[512];
    (void)state;
    snprintf(source, sizeof source,
             "kernel void k(global uint *a, global uint *o, int n)"
             "{ uint i = get_global_id(0), v = a[i]; int r = 0; %s",
             counts);
    ir_of("", source, "and i1", "i1 [ true,");
    snprintf(source, sizeof source,
             "kernel void k(global uint *a, global uint *o, int n, int i, uint v) { int r = 0; %s", counts);
    ir_of("", source, "i1 [ true,", "select");
    ir_of("",
          "kernel void k(global int *o, global int *a, int n) { int i = get_global_id(0), s = n;"
          " if (o[i] < n) s = a[i]; o[i] = s; }",
          "br i1", "select");
    ir_of("",
          "kernel void k(global int *o, int n) { int i = get_global_id(0), s = o[i];"
          " if (s < n) s = (s * 7 ^ i) + (s >> 3); else s = s - i; o[i] = s; }",
          "br i1", "select");
}

/* A sum that carries nothing stays one in an address, and is LLVM's `or` elsewhere. */
static void sums_stay_in_addresses(void **state)
{
    (void)state;
    ir_of("", "kernel void k(global int *a, int i, int n) { a[0] = a[i * 8 + (n & 7)]; }", NULL, "or disjoint");
    ir_of("", "kernel void k(global int *a, int i, int n) { a[0] = i * 8 + (n & 7); }", "or disjoint", NULL);
}

static void barriers_of_sub_groups_stay(void **state)
{
    (void)state;
    ir_of("-cl-std=CL3.0",
          "kernel void k(global int *o) { o[0] = 1; sub_group_barrier(CLK_LOCAL_MEM_FENCE); o[1] = 2; }",
          "call void @__ventus_barrier_sub(i32 noundef 1)", "call void @__ventus_barrier(");
    ir_of("-cl-std=CL3.0",
          "kernel void k(global int *o, uint flags) { sub_group_barrier(flags, memory_scope_device); }",
          "call void @__ventus_barrier_sub(i32 noundef 6)", "call void @__ventus_barrier_sub(i32 noundef 14)");
}

static unsigned count(const char *text, const char *part)
{
    unsigned n = 0;
    while ((text = strstr(text, part))) text += strlen(part), n++;
    return n;
}

/* What the lanes of both paths come to is executed once, behind a comparison that tells which of them do; or it is
 * copied. */
static void shared_blocks_are_parted(void **state)
{
    static const struct {
        const char *condition, *other, *rest;
        unsigned comparisons, copies;
    } forms[] = {{"x", "else x -= a[k] * 3;", "x ^= a[k + n] * 77; y = x >> 2;", 5, 1},
                 {"x", "else x -= a[k] * 3;", "x ^= 77;", 4, 2},
                 {"x", "", "x ^= a[k + n] * 77; a[k] = x;", 5, 1},
                 {"x", "", "x ^= 77;", 4, 2},
                 {"u", "else x -= a[k] * 3;", "x ^= a[k + n] * 77;", 4, 1}};
    char source[512];
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(source, sizeof source,
                 "kernel void k(global int *a, int n, int u) { int x = a[get_global_id(0)], y = %s;"
                 " for (int k = 0; k < n; k++) { if (y & 1) { x = x * 3 + k; if ((x & 7) == 5) continue; }"
                 " %s %s } a[0] = x; }",
                 forms[i].condition, forms[i].other, forms[i].rest);
        struct result r = compile("", source);
        if (r.status != CC_OK) fail_msg("%s", r.log);
        assert_int_equal(count(r.ir, " = icmp "), forms[i].comparisons);
        assert_int_equal(count(r.ir, ", 77,"), forms[i].copies);
        release(&r);
    }
}

/* The loop behind the shared block, which has no more than a branch, reads what that computes in its second iteration.
 */
static void shared_blocks_in_front_of_loops_stay(void **state)
{
    (void)state;
    ir_of("",
          "kernel void k(global uint *a, global uint *o, uint n, uint u) { uint x = a[get_global_id(0)], s = 0;"
          " for (uint k = 0; k < n; k++) { bool p = x & 16;"
          " if (x >> (k & 7) & 1) { o[64] += k; if ((x >> (k & 15) & 6) == 4) continue; o[128] = s; } else o[192] ^= s;"
          " bool t = ((x + k) & 7) == u; _Pragma(\"clang loop unroll(disable)\") while (p) p = t;"
          " s++; } o[0] = s; }",
          "phi i1", NULL);
}

/* A word is searched: LLVM leaves both loops where it has been found, in a branch of the outer loop's body, or, where
 * the inner one is not unrolled, from there. Lanes meet all the same, if they diverge. */
static void lanes_that_leave_loops_meet(void **state)
{
    static const struct {
        const char *steps, *differs;
        unsigned phis; /* without a guard 4, 7 and 5 */
    } forms[] = {
        {"p < 4", "a[i + s + p] != o[p]", 5}, {"p < a[i]", "a[s + p] != o[p]", 8}, {"p < n", "a[s] != o[p]", 5}};
    char source[512];
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(source, sizeof source,
                 "kernel void k(global int *a, global int *o, int n) { int i = get_global_id(0), found = -1;"
                 " for (int s = 0; s < n; s++) { bool ok = true;"
                 " for (int p = 0; %s; p++) if (%s) { ok = false; break; }"
                 " if (ok) { found = s; break; } } o[i] = found; }",
                 forms[i].steps, forms[i].differs);
        struct result r = compile("", source);
        if (r.status != CC_OK) fail_msg("%s", r.log);
        assert_int_equal(count(r.ir, " = phi "), forms[i].phis);
        release(&r);
    }
}

/* Lanes that stay and those that leave need a value each of x and y: a phi of the guard is for both, which is no lane's
 * twice, and what is the same wherever lanes come from is none. */
static void guards_share_phis(void **state)
{
    (void)state;
    struct result r =
        compile("", "kernel void k(global int *a, int n) { int i = get_global_id(0), x = a[i], y = a[i + n];"
                    " for (int k = 0; k < n; k++) {"
                    " if (x & 1) { x = a[x + k]; y ^= x; if (y & 64) break; y += a[x]; } else y = a[y] * x; }"
                    " a[i] = x; a[i + n] = y; }");
    if (r.status != CC_OK) fail_msg("%s", r.log);
    assert_int_equal(count(r.ir, " = phi "), 8);
    release(&r);
}

/* What a change takes grows with the instructions, and large functions get few of them. */
static void long_functions_get_few_guards(void **state)
{
    enum { FORKS = 40, STORES = 120 };
    char *source;
    size_t size;
    FILE *text = open_memstream(&source, &size);
    (void)state;
    fprintf(text, "kernel void k(global volatile int *a, int n) { int x = a[get_global_id(0)], y = x;"
                  " for (int k = 0; k < n; k++) {");
    for (int i = 0; i < FORKS; i++) {
        fprintf(text, "if (x >> %d & 1) { if ((y & 15) == %d) goto end; *a = x;", i % 32, i % 16);
        for (int n = 0; n < STORES; n++) fprintf(text, "*a = %d;", n);
        fprintf(text, "} else *a = y; y = a[y];");
    }
    fprintf(text, "end: x = a[x]; } *a = x; }");
    fclose(text);
    struct result r = compile("", source);
    if (r.status != CC_OK) fail_msg("%s", r.log);
    const unsigned guards = count(r.ir, " = phi i1 ");
    assert_in_range(guards, 1, FORKS - 1);
    release(&r);
    free(source);
}

/* Lanes that leave the inner of two loops for the outer one or for what is behind both, and lanes that leave a loop in
 * one path of a branch, while others stay, meet in a block that knows where each is to go. */
static void exits_lead_to_one_block(void **state)
{
    (void)state;
    ir_of("",
          "kernel void k(global int *text, global int *word, global int *out, int n, int m) {"
          " int i = get_global_id(0), found = -1, y = 0;"
          " for (int s = 0; s < n; s++) { bool ok = true;"
          " for (int p = 0; p < m; p++) if (text[i + s + p] != word[p]) { ok = false; break; }"
          " if (ok) { found = s; break; } y += text[s] / (y | 1); } out[i] = found + y; }",
          "phi i1", NULL);
    ir_of("",
          "kernel void k(global int *a, global int *out, int n) { int i = get_global_id(0), x = a[i], y = 0;"
          " for (int s = 0; s < n; s++) {"
          " if (x & 1) { x = x * 3 + a[s]; if (x == 9) break; out[i + s] = y; } else { y += a[x & 63]; out[i] = y; }"
          " x ^= a[y & 63] / (x | 1); } out[i] = x + y; }",
          "phi i1", NULL);
}

/* A phi of a guard is of one variable, for all the places that it goes to: it needs no second one, nor copies on the
 * ways to the guard. */
static void guards_have_a_phi_for_a_variable(void **state)
{
    enum { CASES = 6, VARIABLES = CASES + 2, PLACES = 3 };
    (void)state;
    for (int leaving = 2; leaving <= CASES; leaving += CASES - 2) { /* every which case leaves the loop */
        char *source;
        size_t size;
        FILE *text = open_memstream(&source, &size);
        fprintf(text, "kernel void k(global int *a, int n) { int i = get_global_id(0), x = a[i]");
        for (int i = 0; i < CASES; i++) fprintf(text, ", v%d = a[i + %d]", i, i);
        fprintf(text, "; for (int s = 0; s < n; s++) { switch (a[(x + s) & 63]) {");
        for (int i = 0; i < CASES; i++)
            fprintf(text, "case %d: v%d += a[x & 63]; v%d ^= x; if (v0 & %d) %s; x += v%d; break; ", i, i,
                    (i + 1) % CASES, 1 << i, i % leaving ? "continue" : "goto out", i);
        fprintf(text, "} x += a[v0 & 63] / (x | 1); } out: a[i] = v0");
        for (int i = 1; i < CASES; i++) fprintf(text, " + v%d * %d", i, i + 3);
        fprintf(text, "; }");
        fclose(text);
        struct result r = compile("", source);
        if (r.status != CC_OK) fail_msg("%s", r.log);
        assert_in_range(count(r.ir, " = phi "), 1, PLACES * VARIABLES + 1);
        release(&r);
        free(source);
    }
}

static void barriers_stay(void **state)
{
    (void)state;
    ir_of("", "kernel void k(global int *o, local int *l) { l[o[0]] = 3; barrier(CLK_LOCAL_MEM_FENCE); o[1] = l[0]; }",
          "call void @__ventus_barrier(i32 noundef 1)", NULL);
    ir_of("-cl-std=CL3.0",
          "kernel void k(global int *o) { work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group); }",
          "call void @__ventus_barrier(i32 noundef 2)", NULL);
    ir_of("", "kernel void k(global int *o) { o[0] = 1; barrier(0); o[1] = 2; }",
          "call void @__ventus_barrier(i32 noundef 0)", NULL);
    ir_of("", "kernel void k(global int *o) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }",
          "call void @__ventus_barrier(i32 noundef 3)", NULL);
    ir_of("-cl-std=CL3.0",
          "kernel void k(global int *o) { work_group_barrier(CLK_IMAGE_MEM_FENCE, memory_scope_work_item); }",
          "call void @__ventus_barrier(i32 noundef 12)", NULL);
    ir_of("-cl-std=CL3.0",
          "kernel void k(global int *o) { work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, "
          "memory_scope_device); }",
          "call void @__ventus_barrier(i32 noundef 19)", NULL);
    ir_of("-cl-std=CL3.0",
          "kernel void k(global int *o, uint flags) { work_group_barrier(flags, 3); }", /* of all SVM devices */
          "call void @__ventus_barrier(i32 noundef 31)", "call void @__ventus_barrier(i32 noundef %");
}

static void kernels_call_kernels(void **state)
{
    (void)state;
    ir_of("",
          "typedef struct { int a[3]; } S; kernel void a(global int *o, S s) { o[0] = s.a[1]; }\n"
          "kernel void b(global int *o) { S s = { { 5, 6, 7 } }; a(o, s); }",
          "store i32 6", "call void @a");
}

/* In one branch the vector's fourth element is undefined. */
static void frozen_values_are_defined(void **state)
{
    (void)state;
    ir_of("",
          "kernel void k(global uchar4 *o, global const int4 *a) { int i = get_global_id(0); int4 x = a[i]; uchar4 r;\n"
          "if (i < 20) { r = as_uchar4(convert_uchar3(x.xyz)); o[1] = r; } else { r = convert_uchar4(x); o[2] = r; }\n"
          "o[i + 3] = r; }",
          "freeze", "[ poison");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(note_describes_arguments),
        cmocka_unit_test(note_aligns_local_memory),
        cmocka_unit_test(note_tells_of_rows),
        cmocka_unit_test(note_has_attributes),
        cmocka_unit_test(note_has_formats),
        cmocka_unit_test(printf_takes_literals_and_constants),
        cmocka_unit_test(long_lines_have_no_numbers),
        cmocka_unit_test(chains_end_in_one_block),
        cmocka_unit_test(clang_speaks_in_the_log),
        cmocka_unit_test(what_cannot_be_inlined_is_refused),
        cmocka_unit_test(constructs_are_lowered),
        cmocka_unit_test(structs_are_read_from_the_buffer),
        cmocka_unit_test(generic_pointers_are_followed),
        cmocka_unit_test(required_size_is_a_constant),
        cmocka_unit_test(short_ways_are_flattened),
        cmocka_unit_test(sums_stay_in_addresses),
        cmocka_unit_test(shared_blocks_are_parted),
        cmocka_unit_test(shared_blocks_in_front_of_loops_stay),
        cmocka_unit_test(lanes_that_leave_loops_meet),
        cmocka_unit_test(guards_share_phis),
        cmocka_unit_test(long_functions_get_few_guards),
        cmocka_unit_test(exits_lead_to_one_block),
        cmocka_unit_test(guards_have_a_phi_for_a_variable),
        cmocka_unit_test(barriers_stay),
        cmocka_unit_test(barriers_of_sub_groups_stay),
        cmocka_unit_test(kernels_call_kernels),
        cmocka_unit_test(functions_go_their_own_ways),
        cmocka_unit_test(frozen_values_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
