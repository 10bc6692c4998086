/* Local sizes that the driver chooses: kernels that nothing shows how their work-items are grouped fill their warps in
 * any range, with shorter last groups, and in whatever groups the program asks for, whose rows become longer where that
 * is best; the others get groups that divide the range, or the program's. How many groups and warps there were, a
 * launch's counters say. */
#include <string.h>

#include "check.h"

#include "opencl/cl_ventus.h"

enum { PRIME = 1009, LARGE = 10007 /* a prime number, too */, MOST = 1 << 15 };

struct taken {
    cl_ulong groups, warps, divergent;
};

static const char counting[] =
    "kernel void count(global uint *n)\n"
    "{\n"
    "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n"
    "    size_t z = get_global_id(2) - get_global_offset(2);\n"
    "    size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "    atomic_inc(n + at);\n"
    "    if (at != get_global_linear_id() || get_work_dim() != 3) n[at] = 99;\n"
    "}\n";

static const char storing[] =
    "kernel void store(global uint *n)\n"
    "{\n"
    "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n"
    "    size_t z = get_global_id(2) - get_global_offset(2);\n"
    "    size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "    n[at] = at == get_global_linear_id() ? n[at] + 1 : 99;\n"
    "}\n";

static struct taken launch_in(cl_kernel kernel, cl_uint dim, const size_t *offset, const size_t *global,
                              const size_t *local)
{
    cl_event event;
    struct taken t;
    OK(clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    t.groups = QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_GROUPS_VENTUS);
    t.warps = QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_WARPS_VENTUS);
    t.divergent = QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_DIVERGENT_BRANCHES_VENTUS);
    OK(clReleaseEvent(event));
    return t;
}

static struct taken launch(cl_kernel kernel, cl_uint dim, const size_t *offset, const size_t *global)
{
    return launch_in(kernel, dim, offset, global, NULL);
}

static cl_kernel kernel_of(const char *source, const char *options, const char *name)
{
    cl_int err;
    cl_program p = program_build(source, options);
    cl_kernel kernel = clCreateKernel(p, name, &err);
    OK(err);
    OK(clReleaseProgram(p));
    return kernel;
}

static void give(cl_kernel kernel, cl_uint i, cl_mem mem) { OK(clSetKernelArg(kernel, i, sizeof mem, &mem)); }

/* ---- every work-item, once ---- */

/* Of a kernel that counts in the buffer how often each work-item runs. */
static struct taken launch_once(cl_kernel kernel, cl_mem mem, const size_t *offset, const size_t *global,
                                const size_t *local)
{
    static cl_uint n[MOST];
    const cl_uint zero = 0;
    const size_t items = global[0] * global[1] * global[2];
    assert_true(items < MOST);
    OK(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, 0, sizeof n, 0, NULL, NULL));
    struct taken t = launch_in(kernel, 3, offset, global, local);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof n, n, 0, NULL, NULL));
    for (size_t k = 0; k < MOST; k++)
        if (n[k] != (k < items))
            fail_msg("range of %zu, %zu, %zu, work-item %zu: %u", global[0], global[1], global[2], k, n[k]);
    return t;
}

static void test_ranges(void **state)
{
    static const struct {
        size_t global[3];
        cl_ulong groups, warps; /* 0: any */
    } ranges[] = {
        {{7 * PRIME, 1, 1}, 13, 221}, /* 7063 = 220 * 32 + 23 */
        {{11 * PRIME, 1, 1}, 0, 347}, /* 11099 = 346 * 32 + 27 */
        {{2 * PRIME, 1, 1}, 2, 64},   /* 1024 and 994 */
        {{PRIME, 1, 1}, 1, 32},       /* no more than a group may have */
        {{1, LARGE, 1}, 0, 313},
        {{1, 1, LARGE}, 0, 313},
        {{1, 7 * PRIME, 1}, 7, 224}, /* a higher dimension has to save an eighth */
        {{3, LARGE, 1}, 0, 939},     /* whole rows of 3 */
        {{3, 1, LARGE}, 0, 939},
        {{PRIME, 5, 1}, 5, 160},
        {{2 * PRIME, 5, 2}, 20, 640}, /* each row ends with a shorter group */
        {{3, 5, 2 * PRIME}, 0, 0},
        {{64, 32, 1}, 2, 64},      /* groups that divide it leave no lane idle */
        {{1000, 32, 1}, 32, 1024}, /* whole rows, although 200 by 4 and 8 by 32 leave no lane idle */
        {{1, 1, 1}, 1, 1},
        {{31, 1, 1}, 1, 1},
        {{33, 3, 1}, 0, 0},
    };
    const size_t offset[3] = {3, 1, 100};
    cl_kernel kernel = kernel_of(counting, "-cl-std=CL3.0", "count");
    cl_mem mem = buffer_new(0, 4 * MOST, NULL);
    (void)state;
    give(kernel, 0, mem);
    for (size_t i = 0; i < 2 * sizeof ranges / sizeof *ranges; i++) {
        const size_t *global = ranges[i / 2].global;
        struct taken t = launch_once(kernel, mem, i % 2 ? offset : NULL, global, NULL);
        if (ranges[i / 2].groups) assert_int_equal(t.groups, ranges[i / 2].groups);
        if (ranges[i / 2].warps) assert_int_equal(t.warps, ranges[i / 2].warps);
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

/* ---- groups of the program, joined ---- */

static void test_joined(void **state)
{
    static const struct {
        size_t global[3], local[3];
        cl_ulong warps;
    } ranges[] = {
        {{1024, 1, 1}, {8, 1, 1}, 32},  {{1024, 1, 1}, {1, 1, 1}, 32},  {{1009, 1, 1}, {1, 1, 1}, 32},
        {{1024, 4, 2}, {4, 2, 1}, 256}, {{64, 64, 1}, {2, 2, 1}, 128},  {{31 * 33, 1, 1}, {31, 1, 1}, 32},
        {{480, 1, 1}, {48, 1, 1}, 20},  {{1, 640, 1}, {1, 1, 1}, 20},   {{1024, 1, 1}, {64, 1, 1}, 32},
        {{96, 10, 1}, {32, 5, 1}, 30},  {{8, 1, 1}, {4, 1, 1}, 1},      {{5, 7, 9}, {5, 7, 1}, 18},
        {{3, 1, 1}, {3, 1, 1}, 1},      {{126, 96, 1}, {7, 3, 1}, 384}, /* whole rows, although 18 by 48 take 378 */
    };
    const size_t offset[3] = {3, 1, 100};
    cl_kernel kernel = kernel_of(storing, "-cl-std=CL3.0", "store");
    cl_mem mem = buffer_new(0, 4 * MOST, NULL);
    (void)state;
    give(kernel, 0, mem);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const size_t *global = ranges[i].global;
        struct taken t = launch_once(kernel, mem, offset, global, ranges[i].local);
        if (t.warps != ranges[i].warps) fail_msg("range %zu: %llu warps", i, (unsigned long long)t.warps);
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

/* ---- groups of the program, in longer rows ---- */

/* Every other row adds one: a warp's lanes diverge if they are of more than one row. */
#define ROWS(text) \
    "kernel void k(global uint *n)\n" \
    "{\n" \
    "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n" \
    "    size_t z = get_global_id(2) - get_global_offset(2);\n" \
    "    size_t w = get_global_size(0), h = get_global_size(1), at = (z * h + y) * w + x;\n" text "}\n"

static struct taken launch_rows(cl_kernel kernel, cl_mem mem, const size_t *global, const size_t *local)
{
    static cl_uint n[MOST];
    const size_t offset[3] = {3, 1, 100};
    const cl_uint zero = 0;
    OK(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, 0, sizeof n, 0, NULL, NULL));
    struct taken t = launch_in(kernel, 3, offset, global, local);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof n, n, 0, NULL, NULL));
    for (size_t k = 0; k < MOST; k++)
        if (n[k] != (k < global[0] * global[1] * global[2] && k / global[0] % global[1] % 2))
            fail_msg("range of %zu, %zu, %zu, work-item %zu: %u", global[0], global[1], global[2], k, n[k]);
    return t;
}

static void test_rows(void **state)
{
    static const struct {
        size_t global[3], local[3];
        cl_ulong groups;
        bool longer;
    } ranges[] = {
        {{64, 16, 1}, {16, 16, 1}, 4, true},  {{1024, 8, 2}, {16, 8, 1}, 128, true},
        {{96, 8, 1}, {8, 8, 1}, 12, true},    {{64, 4, 8}, {4, 4, 4}, 32, true},
        {{64, 64, 1}, {8, 4, 1}, 128, true},  {{32, 32, 1}, {1, 32, 1}, 32, true},
        {{160, 4, 1}, {16, 4, 1}, 10, true},  {{64, 32, 1}, {32, 32, 1}, 2, true},
        {{40, 8, 1}, {8, 8, 1}, 5, false},    {{48, 16, 1}, {16, 16, 1}, 3, false},
        {{16, 64, 1}, {16, 16, 1}, 4, false}, {{63, 6, 1}, {21, 2, 1}, 9, false},
        {{24, 64, 1}, {8, 32, 1}, 6, false},
    };
    cl_kernel kernel = kernel_of(ROWS("if (y & 1) n[at] = n[at] + 1;"), "-cl-std=CL3.0", "k");
    cl_mem mem = buffer_new(0, 4 * MOST, NULL);
    (void)state;
    give(kernel, 0, mem);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const struct taken t = launch_rows(kernel, mem, ranges[i].global, ranges[i].local);
        assert_int_equal(t.groups, ranges[i].groups);
        if (!t.divergent != ranges[i].longer) fail_msg("range %zu: %llu", i, (unsigned long long)t.divergent);
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

/* Kernels with loops, those whose neighbours along rows are far apart, and those that see their groups have the
 * program's. */
static void test_rows_of_program(void **state)
{
    static const char *const sources[] = {
        ROWS("if (y & 1) for (uint k = 0; k < w; k++) n[at] = k == w - 1;"),
        ROWS("if (y & 1) n[at] = n[at] + 1; if (w == 1) n[x * h + y] = 1;"),
        ROWS("if (y & 1) n[at] = n[at] + 1; if (h == 1) n[0] = get_local_id(0);"),
    };
    cl_mem mem = buffer_new(0, 4 * MOST, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        cl_kernel kernel = kernel_of(sources[i], "-cl-std=CL3.0", "k");
        give(kernel, 0, mem);
        if (!launch_rows(kernel, mem, (size_t[]){65 * 16, 16, 1}, (size_t[]){16, 16, 1}).divergent) fail_msg("%zu", i);
        OK(clReleaseKernel(kernel));
    }
    OK(clReleaseMemObject(mem));
}

/* Work-items that wait for those of other groups are no lanes of one warp. */
static void test_lock(void **state)
{
    static const char source[] = "kernel void k(global int *flag, global int *sum)\n"
                                 "{\n"
                                 "    while (atomic_xchg(flag, 1)) {}\n"
                                 "    *(volatile global int *)sum += get_global_id(0);\n"
                                 "    atomic_xchg(flag, 0);\n"
                                 "}\n";
    cl_kernel kernel = kernel_of(source, NULL, "k");
    cl_mem flag = buffer_new(CL_MEM_COPY_HOST_PTR, 4, (int[]){0});
    cl_mem sum = buffer_new(CL_MEM_COPY_HOST_PTR, 4, (int[]){0});
    int total;
    (void)state;
    give(kernel, 0, flag);
    give(kernel, 1, sum);
    assert_int_equal(launch_in(kernel, 1, NULL, (size_t[]){8}, (size_t[]){1}).groups, 8);
    OK(clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL));
    assert_int_equal(total, 28);
    OK(clReleaseMemObject(flag));
    OK(clReleaseMemObject(sum));
    OK(clReleaseKernel(kernel));
}

/* ---- which kernels ---- */

/* Groups of one work-item each are the only ones that divide a prime number larger than a group. */
static cl_ulong groups_of(const char *source, const char *options)
{
    enum { ITEMS = 1033 };
    cl_kernel kernel = kernel_of(source, options, "k");
    cl_mem mem = buffer_new(0, 4 * ITEMS, NULL);
    give(kernel, 0, mem);
    struct taken t = launch(kernel, 1, NULL, (size_t[]){ITEMS});
    const cl_ulong joined = launch_in(kernel, 1, NULL, (size_t[]){ITEMS}, (size_t[]){1}).groups;
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    assert_int_equal(t.warps, t.groups == ITEMS ? ITEMS : 33);
    if (!strstr(source, "atomic")) assert_int_equal(joined, t.groups);
    return t.groups;
}

#define BODY(text) "kernel void k(global uint *a) { size_t i = get_global_id(0); " text " }"

static void test_hidden(void **state)
{
    static const char *const sources[] = {
        BODY("a[i] = i;"),
        BODY("a[i] = get_global_size(0) + get_global_offset(0) + get_work_dim();"),
        BODY("a[i] = sin((float)i) + exp(native_rsqrt((float)i)) + convert_int_sat_rte(pow((float)i, 3.0f));"),
        BODY("atomic_add(a, 1u); mem_fence(CLK_GLOBAL_MEM_FENCE);"),
        BODY("uint p[9]; for (int k = 0; k < 9; k++) p[k] = a[k]; a[i] = p[i % 9];"),
        "__attribute__((noinline)) uint far(uint i) { return i * 3 + get_global_id(0); }\n" BODY("a[i] = far(far(i));"),
        "constant uint table[4] = {3, 1, 2, 5};\n" BODY("a[i] = table[i % 4];"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (groups_of(sources[i], "-cl-std=CL3.0") >= 33) fail_msg("%s", sources[i]);
}

static void test_shown(void **state)
{
    static const char *const sources[] = {
        BODY("a[i] = get_local_id(0);"),
        BODY("a[i] = get_local_size(0);"),
        BODY("a[i] = get_enqueued_local_size(0);"),
        BODY("a[i] = get_group_id(0);"),
        BODY("a[i] = get_num_groups(0);"),
        BODY("a[i] = get_local_linear_id();"),
        BODY("a[i] = i; barrier(CLK_GLOBAL_MEM_FENCE);"),
        BODY("local uint l; l = i; a[i] = l;"),
        BODY("local uint l[2]; a[i] = (uint)(size_t)(l + i);"),
        BODY("local uint l[2]; uint *p = l; if (i < 5) p = a; p[0] = i;"),
        BODY("a[i] = get_sub_group_local_id();"),
        BODY("a[i] = get_sub_group_id();"),
        BODY("a[i] = sub_group_reduce_add((uint)i);"),
        BODY("a[i] = work_group_all(i > 5);"),
        BODY("event_t e = 0; wait_group_events(1, &e); a[i] = 0;"),
        "__attribute__((noinline)) uint far(uint i) { return i + get_local_id(0); }\n" BODY("a[i] = far(i);"),
        "uint near(uint i) { return i + get_group_id(0); }\nuint nearer(uint i) { return near(i); }\n" BODY(
            "a[i] = nearer(i);"),
        "kernel void other(global uint *a) { a[0] = get_local_size(0); }\n" BODY("other(a + i);"),
        "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global uint *a) { a[get_global_id(0)] = 1; }",
        BODY("uint x; __asm volatile(\"csrr %0, 0x800\" : \"=r\"(x)); a[i] = x;"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (groups_of(sources[i], "-cl-std=CL3.0") != 1033) fail_msg("%s", sources[i]);
}

/* Local memory that is an argument. */
static void test_local_argument(void **state)
{
    cl_kernel kernel =
        kernel_of("kernel void k(global uint *a, local uint *l) { *l = 1; a[get_global_id(0)] = *l; }", NULL, "k");
    cl_mem mem = buffer_new(0, 4 * 1033, NULL);
    (void)state;
    give(kernel, 0, mem);
    OK(clSetKernelArg(kernel, 1, 4, NULL));
    assert_int_equal(launch(kernel, 1, NULL, (size_t[]){1033}).groups, 1033);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

/* A program that is linked of parts which are compiled apart. */
static void test_linked(void **state)
{
    cl_int err;
    (void)state;
    for (int shown = 0; shown < 2; shown++) {
        const char *kernel_text = "uint part(uint i);\n" BODY("a[i] = part(i);");
        const char *part = shown ? "uint part(uint i) { return get_local_id(0); }" : "uint part(uint i) { return i; }";
        cl_program p[2], all;
        p[0] = clCreateProgramWithSource(context, 1, &kernel_text, NULL, &err);
        p[1] = clCreateProgramWithSource(context, 1, &part, NULL, &err);
        for (int i = 0; i < 2; i++) OK(clCompileProgram(p[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
        all = clLinkProgram(context, 0, NULL, NULL, 2, p, NULL, NULL, &err);
        OK(err);
        cl_kernel kernel = clCreateKernel(all, "k", &err);
        OK(err);
        cl_mem mem = buffer_new(0, 4 * 1033, NULL);
        give(kernel, 0, mem);
        cl_ulong groups = launch(kernel, 1, NULL, (size_t[]){1033}).groups;
        assert_true(shown ? groups == 1033 : groups < 33);
        OK(clReleaseMemObject(mem));
        OK(clReleaseKernel(kernel));
        for (int i = 0; i < 2; i++) OK(clReleaseProgram(p[i]));
        OK(clReleaseProgram(all));
    }
}

/* Kernels of a large program, which are compiled one by one: every other one sees its groups. */
static void test_many(void **state)
{
    enum { KERNELS = 12, STEPS = 150 };
    static char text[KERNELS * STEPS * 64];
    size_t at = 0;
    (void)state;
    for (int k = 0; k < KERNELS; k++) {
        at += (size_t)sprintf(text + at, "kernel void k%d(global uint *a) { uint x = a[get_%s_id(0)];\n", k,
                              k % 2 ? "local" : "global");
        for (int i = 0; i < STEPS; i++)
            at += (size_t)sprintf(text + at, "x = (x ^ x >> %d) * %d;", i % 9 + 1, 2 * i + 3);
        at += (size_t)sprintf(text + at, " a[get_global_id(0)] = x; }\n");
    }
    cl_program p = program_build(text, NULL);
    cl_mem mem = buffer_new(0, 4 * 1033, NULL);
    for (int k = 0; k < KERNELS; k++) {
        char name[8];
        cl_int err;
        sprintf(name, "k%d", k);
        cl_kernel kernel = clCreateKernel(p, name, &err);
        OK(err);
        give(kernel, 0, mem);
        cl_ulong groups = launch(kernel, 1, NULL, (size_t[]){1033}).groups;
        assert_true(k % 2 ? groups == 1033 : groups < 33);
        OK(clReleaseKernel(kernel));
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseProgram(p));
}

/* ---- what is said of it ---- */

typedef cl_int suggest(cl_command_queue q, cl_kernel kernel, cl_uint dim, const size_t *offset, const size_t *global,
                       size_t *local);

/* A size that the client gives divides the range, and so does what is suggested, which it may give. */
static void test_sizes(void **state)
{
    suggest *ask =
        (suggest *)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    cl_kernel kernel = kernel_of(counting, "-cl-std=CL3.0", "count");
    cl_mem mem = buffer_new(0, 4 * MOST, NULL);
    const size_t global[3] = {7 * PRIME, 1, 1}, given[3] = {32, 1, 1};
    size_t local[3];
    (void)state;
    assert_non_null(ask);
    give(kernel, 0, mem);
    FAILS(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, given, 0, NULL, NULL));
    OK(ask(queue, kernel, 3, NULL, global, local));
    assert_int_equal(local[0], PRIME);
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(QUERY(cl_bool, clGetDeviceInfo, device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT), CL_FALSE);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_joined),
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_rows_of_program),
        cmocka_unit_test(test_lock),   cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_shown),  cmocka_unit_test(test_local_argument),
        cmocka_unit_test(test_linked), cmocka_unit_test(test_many),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
