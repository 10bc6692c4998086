/* cl_ext_immutable_memory_objects: what is in them when they are made can be read, and nothing can change it. */
#include "check.h"

enum { FILLED = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR };

static unsigned char bytes[64] __attribute__((aligned(128)));
static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
static const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
static const size_t zero[3], all[3] = {4, 4, 1};

static int setup(void **state)
{
    for (int i = 0; i < 64; i++) bytes[i] = (unsigned char)i;
    return check_setup(state);
}

static cl_mem image_new(cl_mem_flags flags, void *host)
{
    cl_int err;
    cl_mem image = clCreateImage(context, flags, &format, &desc, host, &err);
    OK(err);
    return image;
}

static void test_flags(void **state)
{
    (void)state;
    cl_int err;
    cl_uint count;
    const cl_mem_flags wrong[] = {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY};
    const cl_mem_flags right[] = {0, CL_MEM_READ_ONLY, CL_MEM_HOST_READ_ONLY, CL_MEM_ALLOC_HOST_PTR};
    for (int i = 0; i < 3; i++) {
        REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, FILLED | wrong[i], 64, bytes, &err));
        REFUSED(CL_INVALID_VALUE, clCreateImage(context, FILLED | wrong[i], &format, &desc, bytes, &err));
    }
    for (int i = 0; i < 4; i++) {
        cl_mem mem = buffer_new(FILLED | right[i], 64, bytes);
        assert_int_equal(QUERY(cl_mem_flags, clGetMemObjectInfo, mem, CL_MEM_FLAGS), FILLED | right[i]);
        OK(clReleaseMemObject(mem));
    }
    OK(clReleaseMemObject(buffer_new(CL_MEM_IMMUTABLE_EXT | CL_MEM_USE_HOST_PTR, 64, bytes)));
    REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_IMMUTABLE_EXT, 64, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateImage(context, CL_MEM_IMMUTABLE_EXT, &format, &desc, NULL, &err));
    OK(clGetSupportedImageFormats(context, CL_MEM_IMMUTABLE_EXT, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    assert_true(count > 0);
}

static void test_buffer_commands(void **state)
{
    (void)state;
    cl_int err;
    unsigned char out[64];
    cl_mem mem = buffer_new(FILLED, 64, bytes), other = buffer_new(0, 64, NULL);
    const cl_map_flags writing[] = {CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION,
          clEnqueueWriteBufferRect(queue, mem, CL_TRUE, zero, zero, all, 0, 0, 0, 0, out, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueFillBuffer(queue, mem, out, 1, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyBuffer(queue, other, mem, 0, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyBufferRect(queue, other, mem, zero, zero, all, 0, 0, 0, 0, 0, NULL, NULL));
    for (int i = 0; i < 2; i++)
        for (int size = 4; size <= 128; size += 124) /* also where it would end behind the buffer */
            REFUSED(CL_INVALID_OPERATION,
                    clEnqueueMapBuffer(queue, mem, CL_TRUE, writing[i], 0, (size_t)size, 0, NULL, NULL, &err));
    OK(clEnqueueCopyBuffer(queue, mem, other, 0, 0, 64, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, 64, out, 0, NULL, NULL));
    assert_memory_equal(out, bytes, 64);
    void *p = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    OK(err);
    assert_memory_equal(p, bytes, 64);
    OK(clEnqueueUnmapMemObject(queue, mem, p, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(other));
}

static void test_image_commands(void **state)
{
    (void)state;
    cl_int err;
    size_t pitch;
    unsigned char out[64];
    const cl_uint4 color = {0};
    cl_mem mem = image_new(FILLED, bytes), other = image_new(0, NULL), buffer = buffer_new(0, 64, NULL);
    cl_mem filled = buffer_new(FILLED, 64, bytes);
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteImage(queue, mem, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueFillImage(queue, mem, &color, zero, all, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyImage(queue, other, mem, zero, zero, all, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyBufferToImage(queue, buffer, mem, 0, zero, all, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyImageToBuffer(queue, other, filled, zero, all, 0, 0, NULL, NULL));
    REFUSED(CL_INVALID_OPERATION,
            clEnqueueMapImage(queue, mem, CL_TRUE, CL_MAP_WRITE, zero, all, &pitch, NULL, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_OPERATION, /* which is said before what else is wrong: there is nowhere to write the pitch */
            clEnqueueMapImage(queue, mem, CL_TRUE, CL_MAP_WRITE, zero, all, NULL, NULL, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_VALUE,
            clEnqueueMapImage(queue, mem, CL_TRUE, CL_MAP_READ, zero, all, NULL, NULL, 0, NULL, NULL, &err));
    OK(clEnqueueCopyImage(queue, mem, other, zero, zero, all, 0, NULL, NULL));
    OK(clEnqueueCopyImageToBuffer(queue, other, buffer, zero, all, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, out, 0, NULL, NULL));
    assert_memory_equal(out, bytes, 64);
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(other));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(filled));
}

/* What lies in immutable memory is immutable, and nothing else becomes so. */
static void test_parents(void **state)
{
    (void)state;
    cl_int err;
    const cl_buffer_region region = {0, 32};
    cl_mem mem = buffer_new(FILLED, 64, bytes), other = buffer_new(0, 64, NULL);
    cl_image_desc part = desc;
    part.mem_object = mem;
    const cl_buffer_create_type type = CL_BUFFER_CREATE_TYPE_REGION;
    REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(mem, CL_MEM_READ_WRITE, type, &region, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(mem, CL_MEM_HOST_WRITE_ONLY, type, &region, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(other, CL_MEM_IMMUTABLE_EXT, type, &region, &err));
    cl_mem sub = clCreateSubBuffer(mem, CL_MEM_READ_ONLY, type, &region, &err);
    OK(err);
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, sub, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
    cl_mem image = clCreateImage(context, 0, &format, &part, NULL, &err);
    OK(err);
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL));
    cl_mem mems[] = {mem, other, sub, image};
    for (int i = 0; i < 4; i++) OK(clReleaseMemObject(mems[i]));
}

static void test_arguments(void **state)
{
    (void)state;
    cl_int err;
    unsigned char out[64];
    cl_program program = program_build("kernel void f(global uchar *p, global const uchar *q, constant uchar *r,\n"
                                       "write_only image2d_t w, read_only image2d_t i)\n"
                                       "{ p[get_global_id(0)] = q[get_global_id(0)] + r[1]\n"
                                       "+ read_imageui(i, (int2)(0, 0)).x; }",
                                       NULL);
    cl_kernel kernel = clCreateKernel(program, "f", &err);
    OK(err);
    cl_mem mem = buffer_new(FILLED, 64, bytes), other = buffer_new(0, 64, NULL);
    cl_mem image = image_new(FILLED, bytes), target = image_new(0, NULL);
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clSetKernelArg(kernel, 0, sizeof mem, &other));
    OK(clSetKernelArg(kernel, 1, sizeof mem, &mem));
    OK(clSetKernelArg(kernel, 2, sizeof mem, &mem));
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 3, sizeof mem, &image));
    OK(clSetKernelArg(kernel, 3, sizeof mem, &target));
    OK(clSetKernelArg(kernel, 4, sizeof mem, &image));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, 64, out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], i + 1);
    cl_mem mems[] = {mem, other, image, target};
    for (int i = 0; i < 4; i++) OK(clReleaseMemObject(mems[i]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags), cmocka_unit_test(test_buffer_commands), cmocka_unit_test(test_image_commands),
        cmocka_unit_test(test_parents), cmocka_unit_test(test_arguments),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
