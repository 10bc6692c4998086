/* Pipes: creation and its errors, queries, what the host may not do with one; and what kernels do with them: packets of
 * all sizes, order, reservations of work-items, sub-groups and work-groups, full and empty pipes, divergent lanes. */
#include "check.h"

static const char source[] =
    "kernel void put(write_only pipe T p, global const T *in, global int *result) { int i = get_global_id(0);\n"
    "    result[i] = write_pipe(p, &in[i]); }\n"
    "kernel void take(read_only pipe T p, global T *out, global int *result) { int i = get_global_id(0);\n"
    "    result[i] = read_pipe(p, &out[i]); }\n"
    "kernel void count(write_only pipe T p, read_only pipe T q, global uint *out) {\n"
    "    out[0] = get_pipe_num_packets(p); out[1] = get_pipe_max_packets(p);\n"
    "    out[2] = get_pipe_num_packets(q); out[3] = get_pipe_max_packets(q); }\n";

static const char int_source[] =
    /* n packets a work-item, the later ones first; all.. returns how many reservations failed */
    "kernel void put(write_only pipe int p, int n, global int *failed) { int i = get_global_id(0);\n"
    "    reserve_id_t id = reserve_write_pipe(p, n);\n"
    "    if (!is_valid_reserve_id(id)) { atomic_inc(failed); return; }\n"
    "    for (int k = n - 1; k >= 0; k--) { int v = i * 100 + k; if (write_pipe(p, id, k, &v)) atomic_add(failed, "
    "1000); }\n"
    "    int v; if (!write_pipe(p, id, n, &v)) atomic_add(failed, 1000);\n"
    "    commit_write_pipe(p, id); }\n"
    "kernel void take(read_only pipe int p, int n, global int *out, global int *failed) { int i = get_global_id(0);\n"
    "    reserve_id_t id = reserve_read_pipe(p, n);\n"
    "    if (!is_valid_reserve_id(id)) { atomic_inc(failed); return; }\n"
    "    for (int k = 0; k < n; k++) if (read_pipe(p, id, k, &out[i * n + k])) atomic_add(failed, 1000);\n"
    "    commit_read_pipe(p, id); }\n"
    "kernel void put_group(write_only pipe int p, global int *failed) { int i = get_global_linear_id();\n"
    "    local reserve_id_t id;\n"
    "    id = work_group_reserve_write_pipe(p, get_local_size(0) * get_local_size(1));\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        write_pipe(p, id, get_local_linear_id(), &i);\n"
    "        work_group_commit_write_pipe(p, id); }\n"
    "    else if (get_local_linear_id() == 0) atomic_inc(failed); }\n"
    "kernel void take_group(read_only pipe int p, global int *out, global int *failed) {\n"
    "    reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0) * get_local_size(1));\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        read_pipe(p, id, get_local_linear_id(), &out[get_global_linear_id()]);\n"
    "        work_group_commit_read_pipe(p, id); }\n"
    "    else if (get_local_linear_id() == 0) atomic_inc(failed); }\n"
    "kernel void put_sub(write_only pipe int p, global int *failed) { int i = get_global_id(0);\n"
    "    if (get_sub_group_id() % 2) return;\n"
    "    reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        write_pipe(p, id, get_sub_group_local_id(), &i);\n"
    "        sub_group_commit_write_pipe(p, id); }\n"
    "    else atomic_inc(failed); }\n"
    "kernel void take_sub(read_only pipe int p, global int *out, global int *failed) {\n"
    "    if (get_sub_group_id() % 2) return;\n"
    "    reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        read_pipe(p, id, get_sub_group_local_id(), &out[get_global_id(0)]);\n"
    "        sub_group_commit_read_pipe(p, id); }\n"
    "    else atomic_inc(failed); }\n"
    /* reservations kept in memory, committed in another order than made; what may be read at each step */
    "kernel void order(write_only pipe int p, read_only pipe int q, global reserve_id_t *kept, global int *out) {\n"
    "    reserve_id_t own[4];\n"
    "    for (int i = 0; i < 3; i++) own[i] = reserve_write_pipe(p, i + 1);\n"
    "    own[3] = out[0] ? own[0] : CLK_NULL_RESERVE_ID;\n"
    "    for (int i = 0; i < 4; i++) kept[i] = own[i];\n"
    "    for (int i = 0, v = 0; i < 3; i++) for (int k = 0; k <= i; k++, v++) write_pipe(p, kept[i], k, &v);\n"
    "    out[0] = is_valid_reserve_id(kept[3]); out[1] = get_pipe_num_packets(p);\n"
    "    commit_write_pipe(p, kept[3]);\n"
    "    commit_write_pipe(p, kept[1]); out[2] = get_pipe_num_packets(p); out[3] = read_pipe(q, &out[20]);\n"
    "    commit_write_pipe(p, kept[0]); out[4] = get_pipe_num_packets(p);\n"
    "    out[5] = is_valid_reserve_id(reserve_read_pipe(q, 4)); out[6] = is_valid_reserve_id(reserve_read_pipe(q, "
    "0));\n"
    "    commit_write_pipe(p, kept[2]); out[7] = get_pipe_num_packets(p);\n"
    "    for (int i = 0; i < 6; i++) out[8 + i] = read_pipe(q, &out[14 + i]);\n"
    "    reserve_id_t whole = reserve_write_pipe(p, 7); out[20] = is_valid_reserve_id(whole); commit_write_pipe(p, "
    "whole);\n"
    "    whole = reserve_write_pipe(p, 6); out[21] = is_valid_reserve_id(whole); commit_write_pipe(p, whole);\n"
    "    out[22] = is_valid_reserve_id(reserve_write_pipe(p, 1)); }\n"
    /* reservations in structs, chosen and returned: which of them are valid */
    "struct held { int n; reserve_id_t id; };\n"
    "struct held hold(write_only pipe int p, int n) { struct held h = {n, reserve_write_pipe(p, n)}; return h; }\n"
    "reserve_id_t first_valid(reserve_id_t a, reserve_id_t b) {\n"
    "    if (is_valid_reserve_id(a)) return a;\n"
    "    return is_valid_reserve_id(b) ? b : CLK_NULL_RESERVE_ID; }\n"
    "kernel void held(write_only pipe int p, global int *out) {\n"
    "    struct held all[3] = {hold(p, 2), hold(p, 7), hold(p, 1)}, copy;\n"
    "    for (int i = 0; i < 5; i++) {\n"
    "        reserve_id_t id = CLK_NULL_RESERVE_ID;\n"
    "        switch (out[i]) {\n"
    "        case 3: id = all[1].id; break;\n"
    "        case 4: id = first_valid(all[1].id, id); break;\n"
    "        case 5: copy = all[out[i] - 3]; id = first_valid(all[1].id, copy.id); break;\n"
    "        case 6: id = all[0].id; }\n"
    "        out[i] = is_valid_reserve_id(id) ? write_pipe(p, id, i - 3, &i) : 9; }\n"
    "    commit_write_pipe(p, all[0].id); out[5] = get_pipe_num_packets(p); }\n"
    /* all at once: even work-items write numbers, odd ones read what is there and add it up */
    "kernel void both(write_only pipe int p, read_only pipe int q, global int *sums) { int i = get_global_id(0), v;\n"
    "    for (int n = 0; n < 20; n++)\n"
    "        if (i & 1) { if (!read_pipe(q, &v)) { atomic_add(&sums[0], v); atomic_inc(&sums[1]); } }\n"
    "        else { v = i * 20 + n; if (!write_pipe(p, &v)) { atomic_add(&sums[2], v); atomic_inc(&sums[3]); } } }\n"
    "kernel void rest(read_only pipe int q, global int *sums) { int v;\n"
    "    while (!read_pipe(q, &v)) { sums[0] += v; sums[1]++; } }\n";

static cl_program program;

static cl_mem pipe_new(cl_uint size, cl_uint packets)
{
    cl_int err;
    cl_mem pipe = clCreatePipe(context, 0, size, packets, NULL, &err);
    OK(err);
    return pipe;
}

static int group_setup(void **state)
{
    if (check_setup(state)) return -1;
    program = program_build(int_source, "-cl-std=CL3.0");
    return program ? 0 : -1;
}

static int group_teardown(void **state)
{
    OK(clReleaseProgram(program));
    return check_teardown(state);
}

/* Runs a kernel over two dimensions; the arguments are memory objects, or integers where `mems` is NULL. */
static void run(cl_program of, const char *name, const size_t global[2], const size_t local[2], cl_uint n,
                const cl_mem *mems, cl_int number)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(of, name, &err);
    OK(err);
    for (cl_uint i = 0; i < n; i++)
        OK(clSetKernelArg(kernel, i, mems[i] ? sizeof mems[i] : sizeof number, mems[i] ? (void *)&mems[i] : &number));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
}

static void run_line(cl_program of, const char *name, size_t items, cl_uint n, const cl_mem *mems, cl_int number)
{
    run(of, name, (size_t[]){items, 1}, NULL, n, mems, number);
}

static void read_ints(cl_mem mem, cl_int *out, size_t n)
{
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, n * sizeof *out, out, 0, NULL, NULL));
}

static cl_int read_int(cl_mem mem)
{
    cl_int v;
    read_ints(mem, &v, 1);
    return v;
}

/* ---- the host ---- */

static void test_creation(void **state)
{
    (void)state;
    cl_int err;
    size_t size = 1;
    const cl_pipe_properties none[] = {0};
    const cl_uint largest = QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_PIPE_MAX_PACKET_SIZE);
    assert_int_equal(QUERY(cl_bool, clGetDeviceInfo, device, CL_DEVICE_PIPE_SUPPORT), CL_TRUE);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_PIPE_ARGS) >= 16);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS) >= 1);
    assert_true(largest >= 1024);
    REFUSED(CL_INVALID_CONTEXT, clCreatePipe((cl_context)queue, 0, 4, 4, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_READ_ONLY, 4, 4, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_HOST_READ_ONLY, 4, 4, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_ALLOC_HOST_PTR, 4, 4, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreatePipe(context, 0, 4, 4, none, &err));
    REFUSED(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 0, 4, NULL, &err));
    REFUSED(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, largest + 1, 4, NULL, &err));
    REFUSED(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 4, 0, NULL, &err));
    REFUSED(CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreatePipe(context, 0, largest, UINT32_MAX, NULL, &err));
    assert_null(clCreatePipe(context, 0, 0, 0, NULL, NULL));
    cl_mem pipe = clCreatePipe(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, 12, 5, NULL, &err);
    OK(err);
    assert_int_equal(QUERY(cl_uint, clGetPipeInfo, pipe, CL_PIPE_PACKET_SIZE), 12);
    assert_int_equal(QUERY(cl_uint, clGetPipeInfo, pipe, CL_PIPE_MAX_PACKETS), 5);
    OK(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, 0);
    FAILS(CL_INVALID_VALUE, clGetPipeInfo(pipe, CL_MEM_SIZE, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, 1, &err, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clGetPipeInfo((cl_mem)queue, CL_PIPE_MAX_PACKETS, 0, NULL, NULL));
    assert_int_equal(QUERY(cl_mem_object_type, clGetMemObjectInfo, pipe, CL_MEM_TYPE), CL_MEM_OBJECT_PIPE);
    assert_int_equal(QUERY(cl_mem_flags, clGetMemObjectInfo, pipe, CL_MEM_FLAGS),
                     CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    assert_true(QUERY(size_t, clGetMemObjectInfo, pipe, CL_MEM_SIZE) >= 60);
    assert_null(QUERY(void *, clGetMemObjectInfo, pipe, CL_MEM_HOST_PTR));
    OK(clReleaseMemObject(pipe));
}

/* No command of the host takes a pipe for a buffer or an image. */
static void test_not_a_buffer(void **state)
{
    (void)state;
    cl_int err, word = 0;
    const size_t at[3] = {0}, one[3] = {1, 1, 1};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    cl_mem pipe = pipe_new(4, 8), buffer = buffer_new(0, 64, NULL);
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 1, .buffer = pipe};
    cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1, .buffer = pipe};
    FAILS(CL_INVALID_MEM_OBJECT, clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof word, &word, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(queue, pipe, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, pipe, buffer, 0, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(queue, pipe, &word, 4, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(queue, pipe, CL_TRUE, at, one, 0, 0, &word, 0, NULL, NULL));
    REFUSED(CL_INVALID_MEM_OBJECT, clEnqueueMapBuffer(queue, pipe, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_MEM_OBJECT,
            clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &err));
    REFUSED(CL_INVALID_MEM_OBJECT, clCreateImage(context, 0, &format, &line, NULL, &err));
    REFUSED(CL_INVALID_MEM_OBJECT, clCreateImage(context, 0, &format, &flat, NULL, &err));
    FAILS(CL_INVALID_MEM_OBJECT, clGetImageInfo(pipe, CL_IMAGE_WIDTH, 0, NULL, NULL));
    OK(clEnqueueMigrateMemObjects(queue, 1, &pipe, 0, 0, NULL, NULL));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(pipe));
}

static void test_arguments(void **state)
{
    (void)state;
    cl_int err;
    cl_mem pipe = pipe_new(4, 8), buffer = buffer_new(0, 64, NULL);
    cl_program said = program_build("typedef int packet; kernel void f(read_only pipe packet p, global int *b) {}",
                                    "-cl-std=CL2.0 -cl-kernel-arg-info");
    cl_kernel kernel = clCreateKernel(said, "f", &err);
    OK(err);
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof queue, &queue));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 1, sizeof pipe, &pipe));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof pipe, NULL));
    FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &pipe));
    OK(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
#define ARG(type, param) \
    ({ \
        type v_; \
        OK(clGetKernelArgInfo(kernel, 0, param, sizeof v_, &v_, NULL)); \
        v_; \
    })
    assert_int_equal(ARG(cl_kernel_arg_type_qualifier, CL_KERNEL_ARG_TYPE_QUALIFIER), CL_KERNEL_ARG_TYPE_PIPE);
    assert_int_equal(ARG(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_QUALIFIER),
                     CL_KERNEL_ARG_ACCESS_READ_ONLY);
    assert_int_equal(ARG(cl_kernel_arg_address_qualifier, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
                     CL_KERNEL_ARG_ADDRESS_GLOBAL);
    char text[16];
    OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "packet");
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(said));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(pipe));
}

/* ---- packets ---- */

enum { N = 96 }; /* three warps */

static int compare_packets(const void *a, const void *b, void *size) { return memcmp(a, b, *(const size_t *)size); }

/* N work-items write into a pipe for `packets`, and as many read: what comes out is what the successful ones have put
 * in. The pipe is used three times, so that its slots are, too. */
static void check_packets(cl_program of, size_t size, cl_uint packets)
{
    unsigned char in[N * 128], out[N * 128];
    cl_int put[N], taken[N];
    cl_uint counts[4];
    cl_mem pipe = pipe_new((cl_uint)size, packets), from = buffer_new(0, sizeof in, NULL);
    cl_mem to = buffer_new(0, sizeof out, NULL), result = buffer_new(0, sizeof put, NULL);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof in; i++) in[i] = (unsigned char)(i * 7 + i / size * 31 + (size_t)round);
        OK(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
        run_line(of, "put", N, 3, (cl_mem[]){pipe, from, result}, 0);
        read_ints(result, put, N);
        run_line(of, "count", 1, 3, (cl_mem[]){pipe, pipe, result}, 0);
        read_ints(result, (cl_int *)counts, 4);
        run_line(of, "take", N, 3, (cl_mem[]){pipe, to, result}, 0);
        read_ints(result, taken, N);
        OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        size_t nput = 0, ntaken = 0;
        for (size_t i = 0; i < N; i++) {
            assert_in_range(put[i] + 1, 0, 1);
            assert_in_range(taken[i] + 1, 0, 1);
            if (!put[i]) memmove(in + nput++ * size, in + i * size, size);
            if (!taken[i]) memmove(out + ntaken++ * size, out + i * size, size);
        }
        const size_t most = packets < N ? packets : N;
        assert_int_equal(nput, most);
        assert_int_equal(ntaken, most);
        assert_int_equal(counts[0], most);
        assert_int_equal(counts[1], packets);
        assert_int_equal(counts[2], most);
        assert_int_equal(counts[3], packets);
        qsort_r(in, most, size, compare_packets, &size);
        qsort_r(out, most, size, compare_packets, &size);
        assert_memory_equal(in, out, most * size);
    }
    cl_mem list[] = {pipe, from, to, result};
    for (int i = 0; i < 4; i++) OK(clReleaseMemObject(list[i]));
}

static void test_packets(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        size_t size;
    } types[] = {{"char", 1},    {"short", 2},      {"float", 4}, {"uchar3", 4},
                 {"short8", 16}, {"double16", 128}, {"odd_t", 5}, {"pair_t", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char options[64], text[sizeof source + 128];
        snprintf(options, sizeof options, "-cl-std=CL%s.0 -DT=%s", i & 1 ? "2" : "3", types[i].type);
        snprintf(text, sizeof text,
                 "typedef struct { char a[5]; } odd_t; typedef struct { char a; int b; } pair_t;\n%s", source);
        cl_program of = program_build(text, options);
        assert_non_null(of);
        check_packets(of, types[i].size, i & 1 ? 17 : 100);
        OK(clReleaseProgram(of));
    }
}

/* ---- reservations ---- */

static void test_items(void **state)
{
    (void)state;
    enum { EACH = 5, FIT = 19 }; /* reservations that fit the pipe, of 64 */
    cl_int out[64 * EACH], zero = 0, seen[64] = {0};
    cl_mem pipe = pipe_new(4, EACH * FIT + 3), failed = buffer_new(0, 4, NULL), to = buffer_new(0, sizeof out, NULL);
    for (int round = 0; round < 4; round++) {
        OK(clEnqueueFillBuffer(queue, failed, &zero, 4, 0, 4, 0, NULL, NULL));
        OK(clEnqueueFillBuffer(queue, to, &(cl_int){-1}, 4, 0, sizeof out, 0, NULL, NULL));
        run_line(program, "put", 64, 3, (cl_mem[]){pipe, NULL, failed}, EACH);
        assert_int_equal(read_int(failed), 64 - FIT);
        run_line(program, "take", 64, 4, (cl_mem[]){pipe, NULL, to, failed}, EACH);
        assert_int_equal(read_int(failed), 2 * (64 - FIT));
        read_ints(to, out, 64 * EACH);
        for (int i = 0; i < 64; i++) { /* a reservation's packets lie together, in the order of their indices */
            if (out[i * EACH] < 0) continue;
            for (int k = 0; k < EACH; k++) assert_int_equal(out[i * EACH + k], out[i * EACH] + k);
            assert_int_equal(out[i * EACH] % 100, 0);
            seen[out[i * EACH] / 100]++;
        }
    }
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += seen[i];
    assert_int_equal(sum, 4 * FIT);
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(failed));
    OK(clReleaseMemObject(to));
}

/* `items` work-items put their numbers in and take one each; those of whole groups stay together. */
static void check_groups(const char *put, const char *take, const size_t global[2], const size_t local[2], int wanted)
{
    enum { MOST = 512 };
    cl_int out[MOST], zero = 0, none = -1, seen[MOST] = {0}, count = 0;
    const size_t items = global[0] * global[1];
    cl_mem pipe = pipe_new(4, MOST), failed = buffer_new(0, 4, NULL), to = buffer_new(0, sizeof out, NULL);
    OK(clEnqueueFillBuffer(queue, failed, &zero, 4, 0, 4, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, to, &none, 4, 0, sizeof out, 0, NULL, NULL));
    run(program, put, global, local, 2, (cl_mem[]){pipe, failed}, 0);
    run(program, take, global, local, 3, (cl_mem[]){pipe, to, failed}, 0);
    assert_int_equal(read_int(failed), 0);
    read_ints(to, out, items);
    for (size_t i = 0; i < items; i++) {
        if (out[i] < 0) continue;
        assert_in_range(out[i], 0, items - 1);
        assert_int_equal(seen[out[i]]++, 0);
        count++;
    }
    assert_int_equal(count, wanted);
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(failed));
    OK(clReleaseMemObject(to));
}

static void test_groups(void **state)
{
    (void)state;
    check_groups("put_group", "take_group", (size_t[]){40, 10}, (size_t[]){20, 5}, 400);
    check_groups("put_group", "take_group", (size_t[]){21, 3}, (size_t[]){7, 1}, 63);
    const size_t warp = 32; /* as the device has them: every second one takes part, and the last has 8 work-items */
    check_groups("put_sub", "take_sub", (size_t[]){2 * (2 * warp + 8), 1}, (size_t[]){2 * warp + 8, 1}, 2 * (32 + 8));
}

static void test_order(void **state)
{
    (void)state;
    static const cl_int want[23] = {0, 0, 0, -1, 3, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 1, 0};
    cl_int out[24] = {0};
    cl_mem pipe = pipe_new(4, 6), kept = buffer_new(0, 64, NULL);
    cl_mem to = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof out, out);
    run_line(program, "order", 1, 4, (cl_mem[]){pipe, pipe, kept, to}, 0);
    read_ints(to, out, 24);
    assert_memory_equal(out, want, sizeof want);
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(kept));
    OK(clReleaseMemObject(to));
}

/* The reservation of 7 is not valid, those of 2 and of 1 are. */
static void test_held(void **state)
{
    (void)state;
    static const cl_int want[6] = {9, 9, 9, 0, 0, 2};
    cl_int out[6] = {2, 3, 4, 5, 6};
    cl_mem pipe = pipe_new(4, 6), to = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof out, out);
    run_line(program, "held", 1, 2, (cl_mem[]){pipe, to}, 0);
    read_ints(to, out, 6);
    assert_memory_equal(out, want, sizeof want);
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(to));
}

/* Lanes of a warp read and write at once, of a pipe that is often full and often empty: nothing is lost or doubled. */
static void test_both(void **state)
{
    (void)state;
    for (cl_uint packets = 1; packets < 100; packets = packets * 3 + 1) {
        cl_int sums[4] = {0};
        cl_mem pipe = pipe_new(4, packets), mem = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof sums, sums);
        run_line(program, "both", 256, 3, (cl_mem[]){pipe, pipe, mem}, 0);
        run_line(program, "rest", 1, 2, (cl_mem[]){pipe, mem}, 0);
        read_ints(mem, sums, 4);
        assert_true(sums[1] > 0);
        assert_int_equal(sums[0], sums[2]);
        assert_int_equal(sums[1], sums[3]);
        OK(clReleaseMemObject(pipe));
        OK(clReleaseMemObject(mem));
    }
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creation), cmocka_unit_test(test_not_a_buffer), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_packets), cmocka_unit_test(test_items), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_order), cmocka_unit_test(test_held), cmocka_unit_test(test_both),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
