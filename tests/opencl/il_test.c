/* Programs from SPIR-V: creation, specialization constants, linking with OpenCL C, and modules that nobody should
 * trust. What instructions do is tested by the modules of tests/cl/. */
#include "check.h"

enum { MAX_WORDS = 1024 };

struct module {
    uint32_t words[MAX_WORDS];
    size_t n;
};

static void emit(struct module *m, uint32_t op, size_t count, const uint32_t *operands)
{
    assert_true(m->n + count + 1 <= MAX_WORDS);
    m->words[m->n++] = (uint32_t)(count + 1) << 16 | op;
    memcpy(m->words + m->n, operands, count * sizeof *operands);
    m->n += count;
}
#define EMIT(m, op, ...) \
    emit(m, op, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t), (const uint32_t[]){__VA_ARGS__})

/* A word of a string. */
#define LETTERS(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum { ADDRESSES = 4, LINKAGE = 5, KERNEL = 6, INT64 = 11, INT8 = 39 };
enum {
    VOID = 1,
    UINT,
    ULONG,
    UCHAR,
    BOOL,
    POINTER,
    KERNEL_TYPE,
    FUNCTION_TYPE,
    WORD,
    LONG_WORD,
    BYTE,
    TRUTH,
    ONE,
    NONE,
    ENTRY,
    OUT,
    LABEL,
    LOW,
    WIDE,
    CHOSEN,
    SUM,
    SUM2,
    TWICE,
    CALLED,
    X,
    LABEL2,
    BOUND
};
enum { WORD_ID = 3, LONG_ID = 40, BYTE_ID = 41, TRUTH_ID = 7 };

static void begin(struct module *m, uint32_t model)
{
    static const uint32_t header[] = {0x07230203, 0x10000, 0, BOUND, 0};
    memcpy(m->words, header, sizeof header);
    m->n = 5;
    for (size_t i = 0; i < 5; i++) EMIT(m, 17, (const uint32_t[]){ADDRESSES, KERNEL, INT64, INT8, LINKAGE}[i]);
    EMIT(m, 14, model, 2);
}

enum { PHYSICAL_32 = 1, PHYSICAL_64 = 2 };

/* kernel void k(global uint *out) { out[0] = twice(word) + (uint)long_word + byte + (truth ? 1 : 0); }, where `twice`
 * may be another module's. The constants are 20, 3, 2 and true. */
static struct module numbers(uint32_t model, bool import)
{
    struct module m;
    begin(&m, model);
    EMIT(&m, 15, 6, ENTRY, 'k');
    EMIT(&m, 5, OUT, LETTERS('o', 'u', 't', 0));
    EMIT(&m, 71, WORD, 1, WORD_ID);
    EMIT(&m, 71, LONG_WORD, 1, LONG_ID);
    EMIT(&m, 71, BYTE, 1, BYTE_ID);
    EMIT(&m, 71, TRUTH, 1, TRUTH_ID);
    if (import) EMIT(&m, 71, TWICE, 41, LETTERS('t', 'w', 'i', 'c'), 'e', 1);
    EMIT(&m, 19, VOID);
    EMIT(&m, 21, UINT, 32, 0);
    EMIT(&m, 21, ULONG, 64, 0);
    EMIT(&m, 21, UCHAR, 8, 0);
    EMIT(&m, 20, BOOL);
    EMIT(&m, 32, POINTER, 5, UINT);
    EMIT(&m, 33, KERNEL_TYPE, VOID, POINTER);
    EMIT(&m, 33, FUNCTION_TYPE, UINT, UINT);
    EMIT(&m, 50, UINT, WORD, 20);
    EMIT(&m, 50, ULONG, LONG_WORD, 3, 0);
    EMIT(&m, 50, UCHAR, BYTE, 2);
    EMIT(&m, 48, BOOL, TRUTH);
    EMIT(&m, 43, UINT, ONE, 1);
    EMIT(&m, 43, UINT, NONE, 0);
    if (import) {
        EMIT(&m, 54, UINT, TWICE, 0, FUNCTION_TYPE);
        EMIT(&m, 55, UINT, X);
        EMIT(&m, 56);
    }
    EMIT(&m, 54, VOID, ENTRY, 0, KERNEL_TYPE);
    EMIT(&m, 55, POINTER, OUT);
    EMIT(&m, 248, LABEL);
    EMIT(&m, 113, UINT, LOW, LONG_WORD);
    EMIT(&m, 113, UINT, WIDE, BYTE);
    EMIT(&m, 169, UINT, CHOSEN, TRUTH, ONE, NONE);
    if (import) EMIT(&m, 57, UINT, CALLED, TWICE, WORD);
    else EMIT(&m, 128, UINT, CALLED, WORD, WORD);
    EMIT(&m, 128, UINT, SUM, CALLED, LOW);
    EMIT(&m, 128, UINT, SUM2, WIDE, CHOSEN);
    EMIT(&m, 128, UINT, LABEL2, SUM, SUM2);
    EMIT(&m, 62, OUT, LABEL2);
    EMIT(&m, 253);
    EMIT(&m, 56);
    return m;
}

static cl_program program_of(const struct module *m)
{
    cl_int err;
    cl_program program = clCreateProgramWithIL(context, m->words, m->n * sizeof *m->words, &err);
    OK(err);
    return program;
}

/* What its kernel writes. */
static cl_uint result_of(cl_program program)
{
    cl_int err;
    cl_uint value = 0;
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    cl_mem out = buffer_new(CL_MEM_READ_WRITE, sizeof value, NULL);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (const size_t[]){1}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
    return value;
}

static void test_device(void **state)
{
    (void)state;
    cl_name_version ils[16];
    char names[256], extensions[4096];
    size_t size;
    OK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof names, names, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_ILS_WITH_VERSION, sizeof ils, ils, &size));
    assert_non_null(strstr(extensions, "cl_khr_il_program"));
    char *rest, *name = strtok_r(names, " ", &rest);
    for (size_t i = 0; i < size / sizeof *ils; i++, name = strtok_r(NULL, " ", &rest)) {
        char text[100];
        snprintf(text, sizeof text, "%s_%u.%u", ils[i].name, CL_VERSION_MAJOR(ils[i].version),
                 CL_VERSION_MINOR(ils[i].version));
        assert_string_equal(name, text);
    }
    assert_null(name);
}

static void test_create(void **state)
{
    (void)state;
    cl_int err;
    struct module m = numbers(PHYSICAL_32, false), bad = m;
    const size_t size = m.n * sizeof *m.words;
    REFUSED(CL_INVALID_CONTEXT, clCreateProgramWithIL(NULL, m.words, size, &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithIL(context, NULL, size, &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithIL(context, m.words, 0, &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithIL(context, m.words, size - 12, &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithIL(context, m.words, size - 1, &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithIL(context, m.words, 16, &err));
    bad.words[0] = 0x03022307;
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithIL(context, bad.words, size, &err));
    bad = m;
    bad.words[5] &= 0xffff; /* an instruction of no words */
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithIL(context, bad.words, size, &err));
    clCreateProgramWithILKHR_fn khr = (clCreateProgramWithILKHR_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
        platform, "clCreateProgramWithILKHR");
    assert_non_null(khr);
    cl_program program = khr(context, m.words, size, &err);
    OK(err);
    OK(clBuildProgram(program, 0, NULL, "-cl-mad-enable", NULL, NULL));
    assert_int_equal(result_of(program), 46);
    OK(clReleaseProgram(program));
}

static void test_queries(void **state)
{
    (void)state;
    struct module m = numbers(PHYSICAL_32, false);
    uint32_t il[MAX_WORDS];
    char text[16];
    size_t size;
    cl_program program = program_of(&m);
    OK(clSetProgramSpecializationConstant(program, WORD_ID, 4, &(cl_uint){5}));
    OK(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof il, il, &size));
    assert_int_equal(size, m.n * sizeof *m.words);
    assert_memory_equal(il, m.words, size);
    OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    assert_int_equal(size, 1);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "int*");
    OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "out");
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* Set, forgotten by nobody, and only then part of a build. */
static void test_constants(void **state)
{
    (void)state;
    struct module m = numbers(PHYSICAL_32, false);
    cl_program program = program_of(&m), source = program_build("kernel void k(global uint *out) { *out = 1; }", NULL);
    const cl_ulong large = (cl_ulong)7 << 32 | 1000;
    FAILS(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(NULL, WORD_ID, 4, &large));
    FAILS(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(source, WORD_ID, 4, &large));
    FAILS(CL_INVALID_SPEC_ID, clSetProgramSpecializationConstant(program, 4, 4, &large));
    FAILS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, WORD_ID, 8, &large));
    FAILS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, LONG_ID, 4, &large));
    FAILS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, BYTE_ID, 4, &large));
    FAILS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, TRUTH_ID, 4, &large));
    FAILS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, WORD_ID, 4, NULL));
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(result_of(program), 46);
    OK(clSetProgramSpecializationConstant(program, WORD_ID, 4, &(cl_uint){100}));
    OK(clSetProgramSpecializationConstant(program, LONG_ID, 8, &large));
    OK(clSetProgramSpecializationConstant(program, BYTE_ID, 1, &(cl_uchar){50}));
    OK(clSetProgramSpecializationConstant(program, TRUTH_ID, 1, &(cl_uchar){0}));
    assert_int_equal(result_of(program), 46);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(result_of(program), 1250);
    OK(clSetProgramSpecializationConstant(program, TRUTH_ID, 1, &(cl_uchar){1}));
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(result_of(program), 1251);
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(source));
}

/* Cuts the instruction that has this opcode and this word at `place` down to `words`; nothing stands in the rest. */
static void cut(struct module *m, uint32_t op, size_t place, uint32_t id, size_t words)
{
    enum { NOP = 1 << 16 };
    size_t at = 5;
    while ((m->words[at] & 0xffff) != op || m->words[at + place] != id) at += m->words[at] >> 16;
    for (size_t i = words; i < m->words[at] >> 16; i++) m->words[at + i] = NOP;
    m->words[at] = (uint32_t)words << 16 | op;
}

/* Constants whose type says no size, or that have no room for a value, cannot be set, whatever size is given. */
static void test_constants_without_size(void **state)
{
    (void)state;
    const cl_ulong value = 7;
    struct module untyped = numbers(PHYSICAL_32, false), narrow = untyped;
    cut(&untyped, 21, 1, UINT, 2);
    cut(&narrow, 50, 2, LONG_WORD, 4);
    cl_program programs[] = {program_of(&untyped), program_of(&narrow)};
    const cl_uint ids[] = {WORD_ID, LONG_ID};
    for (size_t i = 0; i < 2; i++) {
        for (size_t size = 0; size <= sizeof value; size += 4)
            FAILS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(programs[i], ids[i], size, &value));
        OK(clSetProgramSpecializationConstant(programs[i], BYTE_ID, 1, &value));
        OK(clReleaseProgram(programs[i]));
    }
}

static void test_link(void **state)
{
    (void)state;
    cl_int err;
    struct module m = numbers(PHYSICAL_32, true);
    const char *source = "uint twice(uint x) { return 2 * x; }", *name = "h";
    cl_program parts[] = {program_of(&m), clCreateProgramWithSource(context, 1, &source, NULL, &err)};
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(parts[0], 0, NULL, NULL, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clCompileProgram(parts[1], 0, NULL, NULL, 1, &parts[0], &name, NULL, NULL));
    OK(clCompileProgram(parts[0], 0, NULL, NULL, 1, &parts[1], &name, NULL, NULL)); /* whatever the headers are */
    OK(clCompileProgram(parts[1], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program program = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &err);
    OK(err);
    assert_int_equal(result_of(program), 46);

    size_t size;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    cl_program again =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, NULL, &err);
    OK(err);
    OK(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(result_of(again), 46);
    free(bytes);
    for (int i = 0; i < 2; i++) OK(clReleaseProgram(parts[i]));
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(again));
}

static void build_log(cl_program program, char *log, size_t size)
{
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
}

static void test_refused(void **state)
{
    (void)state;
    char log[4096];
    struct module m = numbers(PHYSICAL_64, false);
    cl_program program = program_of(&m);
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    build_log(program, log, sizeof log);
    assert_non_null(strstr(log, "addresses of 64 bits"));
    OK(clReleaseProgram(program));
}

/* Does a module build that asks for this capability, too? */
static bool takes_capability(cl_uint capability)
{
    enum { OP_CAPABILITY = 17, HEADER = 5, NEW = 2 };
    struct module m = numbers(PHYSICAL_32, false);
    assert_true((m.n + NEW) * sizeof *m.words <= sizeof m.words);
    memmove(m.words + HEADER + NEW, m.words + HEADER, (m.n - HEADER) * sizeof *m.words);
    m.words[HEADER] = NEW << 16 | OP_CAPABILITY;
    m.words[HEADER + 1] = capability;
    m.n += NEW;
    cl_program program = program_of(&m);
    cl_int err = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    OK(clReleaseProgram(program));
    return !err;
}

/* What the device says of modules is what it takes. */
static void test_capabilities(void **state)
{
    (void)state;
    cl_uint list[100];
    const char *texts[20];
    size_t size, n;
    bool ballot = false, rotate = false;
    OK(clGetDeviceInfo(device, CL_DEVICE_SPIRV_CAPABILITIES_KHR, sizeof list, list, &size));
    n = size / sizeof *list;
    for (size_t i = 0; i < n; i++) assert_true(takes_capability(list[i]));
    for (cl_uint other = 0; other < 72; other++) {
        size_t i = 0;
        while (i < n && list[i] != other) i++;
        ballot |= i < n && other == 64;
        if (i == n && other % 8 == 1) assert_false(takes_capability(other));
    }
    assert_true(ballot);
    OK(clGetDeviceInfo(device, CL_DEVICE_SPIRV_EXTENSIONS_KHR, sizeof texts, texts, &size));
    for (size_t i = 0; i < size / sizeof *texts; i++) rotate |= !strcmp(texts[i], "SPV_KHR_subgroup_rotate");
    assert_true(rotate);
    OK(clGetDeviceInfo(device, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR, sizeof texts, texts, &size));
    assert_true(size >= sizeof *texts);
    assert_string_equal(texts[0], "OpenCL.std");
}

/* One word or two of each are others; whatever comes of it, the compiler says so itself. */
static void test_mutations(void **state)
{
    (void)state;
    enum { MUTATIONS = 100 };
    char log[8192];
    unsigned seed = 1;
    for (int i = 0; i < MUTATIONS; i++) {
        struct module m = numbers(PHYSICAL_32, false);
        for (int j = 0; j <= i % 2; j++) {
            size_t at = 5 + (size_t)rand_r(&seed) % (m.n - 5);
            m.words[at] = rand_r(&seed) % 2 ? m.words[at] ^ 1u << rand_r(&seed) % 20 : (uint32_t)rand_r(&seed) % 64;
        }
        cl_program program = clCreateProgramWithIL(context, m.words, m.n * sizeof *m.words, NULL);
        if (!program) continue;
        cl_int err = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
        build_log(program, log, sizeof log);
        if (strstr(log, "bug") || strstr(log, "internal") || (err && err != CL_BUILD_PROGRAM_FAILURE))
            fail_msg("mutation %d: error %d, %s", i, err, log);
        OK(clReleaseProgram(program));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_capabilities),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_constants_without_size),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
