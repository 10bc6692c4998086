/* Buffers: creation, transfers, rectangles, sub-buffers, mappings, destructor callbacks. */
#include "check.h"

static void fill_iota(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)i;
}

static void test_create_errors(void **state)
{
    (void)state;
    cl_int err;
    char host[64];
    cl_ulong most = QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, host, &err));
    REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 16, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateBuffer(context, 1u << 30, 16, NULL, &err));
    REFUSED(CL_INVALID_HOST_PTR, clCreateBuffer(context, 0, 16, host, &err));
    REFUSED(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16, NULL, &err));
    REFUSED(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, NULL, &err));
    REFUSED(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, most + 1, NULL, &err));
    REFUSED(CL_INVALID_PROPERTY,
            clCreateBufferWithProperties(context, (cl_mem_properties[]){1, 1, 0}, 0, 16, NULL, &err));
}

static void test_queries(void **state)
{
    (void)state;
    char host[256];
    size_t size;
    cl_int err;
    cl_mem mem = buffer_new(CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, sizeof host, host);
    assert_int_equal(QUERY(cl_mem_flags, clGetMemObjectInfo, mem, CL_MEM_FLAGS),
                     CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY);
    assert_int_equal(QUERY(size_t, clGetMemObjectInfo, mem, CL_MEM_SIZE), sizeof host);
    assert_ptr_equal(QUERY(void *, clGetMemObjectInfo, mem, CL_MEM_HOST_PTR), host);
    assert_null(QUERY(cl_mem, clGetMemObjectInfo, mem, CL_MEM_ASSOCIATED_MEMOBJECT));
    OK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, 0);
    OK(clReleaseMemObject(mem));
    mem = clCreateBufferWithProperties(context, (cl_mem_properties[]){0}, 0, 16, NULL, &err);
    OK(err);
    OK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, sizeof(cl_mem_properties));
    OK(clReleaseMemObject(mem));
}

static void test_read_write(void **state)
{
    (void)state;
    unsigned char in[1000], out[1000] = {0};
    fill_iota(in, sizeof in);
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof in, in);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    assert_memory_equal(in, out, sizeof in);
    OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 100, 3, "abc", 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 99, 5, out, 0, NULL, NULL));
    assert_memory_equal(out,
                        "\x63"
                        "abc\x67",
                        5);
    FAILS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, mem, CL_TRUE, 999, 2, out, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, mem, CL_TRUE, SIZE_MAX, 2, out, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, mem, CL_TRUE, 2, SIZE_MAX, out, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 2, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 2, out, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, (cl_mem)queue, CL_TRUE, 0, 2, out, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
}

static void test_host_flags(void **state)
{
    (void)state;
    // clang-format off
    static const struct { cl_mem_flags flag; cl_int read, write; } rows[] = {
        {CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS},
        {CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION},
        {CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION},
    };
    // clang-format on
    for (size_t i = 0; i < 3; i++) {
        char data[128] = {0};
        cl_int err;
        cl_mem parent = buffer_new(rows[i].flag, 128, NULL);
        cl_mem mem = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 64}, &err);
        OK(err);
        FAILS(rows[i].read, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 8, data, 0, NULL, NULL));
        FAILS(rows[i].write, clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 8, data, 0, NULL, NULL));
        void *p = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &err);
        assert_int_equal(err, rows[i].read);
        if (p) OK(clEnqueueUnmapMemObject(queue, mem, p, 0, NULL, NULL));
        clEnqueueMapBuffer(queue, parent, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &err);
        assert_int_equal(err, rows[i].write);
        OK(clReleaseMemObject(mem));
        OK(clReleaseMemObject(parent));
    }
    OK(clFinish(queue));
}

/* Against a byte-by-byte model, with pitches on both sides. */
static void test_rect(void **state)
{
    (void)state;
    enum { N = 4096 };
    static unsigned char device_model[N], host[N], model[N], pattern[N];
    fill_iota(device_model, N);
    for (size_t i = 0; i < N; i++) pattern[i] = (unsigned char)(i * 7 + 3);
    const size_t bo[3] = {3, 2, 1}, ho[3] = {5, 1, 2}, region[3] = {7, 4, 3};
    const size_t brow = 16, bslice = 160, hrow = 20, hslice = 200;
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, N, device_model);
    memcpy(host, pattern, N);
    memcpy(model, pattern, N);
    OK(clEnqueueReadBufferRect(queue, mem, CL_TRUE, bo, ho, region, brow, bslice, hrow, hslice, host, 0, NULL, NULL));
    for (size_t z = 0; z < 3; z++)
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 7; x++)
                model[(z + ho[2]) * hslice + (y + ho[1]) * hrow + x + ho[0]] =
                    device_model[(z + bo[2]) * bslice + (y + bo[1]) * brow + x + bo[0]];
    assert_memory_equal(host, model, N);
    OK(clEnqueueWriteBufferRect(queue, mem, CL_TRUE, bo, ho, region, brow, bslice, hrow, hslice, pattern, 0, NULL,
                                NULL));
    for (size_t z = 0; z < 3; z++)
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 7; x++)
                device_model[(z + bo[2]) * bslice + (y + bo[1]) * brow + x + bo[0]] =
                    pattern[(z + ho[2]) * hslice + (y + ho[1]) * hrow + x + ho[0]];
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, N, host, 0, NULL, NULL));
    assert_memory_equal(host, device_model, N);
    FAILS(CL_INVALID_VALUE,
          clEnqueueReadBufferRect(queue, mem, CL_TRUE, bo, ho, region, 6, 0, 0, 0, host, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE,
          clEnqueueReadBufferRect(queue, mem, CL_TRUE, bo, ho, region, 16, 65, 0, 0, host, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, mem, CL_TRUE, (size_t[]){0, 0, N}, ho, region, 0, 0, 0, 0,
                                                    host, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, mem, CL_TRUE, (size_t[]){0, SIZE_MAX, SIZE_MAX}, ho, region,
                                                    0, 0, 0, 0, host, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE,
          clEnqueueReadBufferRect(queue, mem, CL_TRUE, bo, ho, (size_t[]){4, 0, 1}, 0, 0, 0, 0, host, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE,
          clEnqueueReadBufferRect(queue, mem, CL_TRUE, bo, ho, region, 0, 0, 0, 0, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE,
          clEnqueueWriteBufferRect(queue, mem, CL_TRUE, bo, ho, region, 0, 0, 0, 0, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
}

/* Copies inside one buffer are right when the boxes are disjoint, however they interleave. */
static void test_copy_overlap(void **state)
{
    (void)state;
    unsigned char data[1024], out[1024];
    fill_iota(data, sizeof data);
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof data, data);
    const size_t region[3] = {8, 4, 1};
    OK(clEnqueueCopyBuffer(queue, mem, mem, 0, 512, 512, 0, NULL, NULL));
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, mem, mem, 0, 511, 512, 0, NULL, NULL));
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, mem, mem, 100, 90, 11, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, mem, mem, 100, 90, 10, 0, NULL, NULL));
    /* two columns of the same rows: the byte ranges interleave, the boxes do not meet */
    OK(clEnqueueCopyBufferRect(queue, mem, mem, (size_t[]){0, 0, 0}, (size_t[]){8, 0, 0}, region, 16, 0, 16, 0, 0, NULL,
                               NULL));
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(queue, mem, mem, (size_t[]){0, 0, 0}, (size_t[]){7, 0, 0},
                                                       region, 16, 0, 16, 0, 0, NULL, NULL));
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(queue, mem, mem, (size_t[]){0, 0, 0}, (size_t[]){0, 3, 0},
                                                       region, 16, 0, 16, 0, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(queue, mem, mem, (size_t[]){0, 0, 0}, (size_t[]){0, 4, 0}, region, 16, 0, 16, 0, 0, NULL,
                               NULL));
    memcpy(data + 512, data, 512);
    memcpy(data + 90, data + 100, 10);
    for (size_t y = 0; y < 4; y++) memcpy(data + y * 16 + 8, data + y * 16, 8);
    for (size_t y = 0; y < 4; y++) memcpy(data + (y + 4) * 16, data + y * 16, 8);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    assert_memory_equal(data, out, sizeof out);
    OK(clReleaseMemObject(mem));
}

/* The overlap check against marking every byte, for many small boxes. */
static void test_copy_overlap_exhaustive(void **state)
{
    (void)state;
    const size_t row = 6, slice = 24, size = 240;
    cl_mem mem = buffer_new(0, size, NULL);
    unsigned seed = 1;
    for (int i = 0; i < 3000; i++) {
        size_t s[3], t[3], r[3], v[9];
        for (int k = 0; k < 9; k++) v[k] = (seed = seed * 1103515245 + 12345) >> 16;
        for (int k = 0; k < 3; k++) r[k] = v[k] % 3 + 1, s[k] = v[k + 3] % 4, t[k] = v[k + 6] % 4;
        unsigned char marked[240] = {0};
        bool meet = false;
        for (size_t side = 0; side < 2; side++)
            for (size_t z = 0; z < r[2]; z++)
                for (size_t y = 0; y < r[1]; y++)
                    for (size_t x = 0; x < r[0]; x++) {
                        const size_t *o = side ? t : s;
                        size_t at = (z + o[2]) * slice + (y + o[1]) * row + x + o[0];
                        if (side && marked[at]) meet = true;
                        marked[at] |= !side;
                    }
        FAILS(meet ? CL_MEM_COPY_OVERLAP : CL_SUCCESS,
              clEnqueueCopyBufferRect(queue, mem, mem, s, t, r, row, slice, row, slice, 0, NULL, NULL));
    }
    OK(clFinish(queue));
    OK(clReleaseMemObject(mem));
}

static void test_fill(void **state)
{
    (void)state;
    unsigned char out[256], pattern[128];
    fill_iota(pattern, sizeof pattern);
    cl_mem mem = buffer_new(0, 256, NULL);
    for (size_t n = 1; n <= 128; n *= 2) {
        OK(clEnqueueFillBuffer(queue, mem, "\xff", 1, 0, 256, 0, NULL, NULL));
        OK(clEnqueueFillBuffer(queue, mem, pattern, n, n, 128 - n % 128, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 256, out, 0, NULL, NULL));
        for (size_t i = 0; i < 256; i++) {
            bool inside = i >= n && i < n + (128 - n % 128);
            assert_int_equal(out[i], inside ? pattern[i % n] : 0xff);
        }
    }
    FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, mem, pattern, 3, 0, 9, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, mem, pattern, 4, 2, 8, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, mem, pattern, 4, 0, 6, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, mem, pattern, 4, 252, 8, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, mem, NULL, 4, 0, 8, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
}

static void test_sub_buffers(void **state)
{
    (void)state;
    cl_int err;
    char out[8];
    cl_mem parent = buffer_new(CL_MEM_READ_ONLY, 1024, NULL);
    cl_buffer_region a = {128, 256}, b = {256, 256};
    REFUSED(CL_MISALIGNED_SUB_BUFFER_OFFSET,
            clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){4, 8}, &err));
    REFUSED(CL_INVALID_VALUE,
            clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){1024, 1}, &err));
    REFUSED(CL_INVALID_VALUE,
            clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, SIZE_MAX}, &err));
    REFUSED(CL_INVALID_BUFFER_SIZE,
            clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 0}, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(parent, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &a, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(parent, CL_MEM_COPY_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &a, &err));
    cl_mem sa = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &a, &err);
    cl_mem sb = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &b, &err);
    OK(err);
    REFUSED(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(sa, 0, CL_BUFFER_CREATE_TYPE_REGION, &a, &err));
    assert_int_equal(QUERY(cl_mem_flags, clGetMemObjectInfo, sa, CL_MEM_FLAGS), CL_MEM_READ_ONLY);
    assert_int_equal(QUERY(size_t, clGetMemObjectInfo, sa, CL_MEM_OFFSET), 128);
    assert_ptr_equal(QUERY(cl_mem, clGetMemObjectInfo, sa, CL_MEM_ASSOCIATED_MEMOBJECT), parent);
    OK(clReleaseMemObject(parent)); /* the sub-buffers keep it */
    OK(clEnqueueWriteBuffer(queue, sa, CL_FALSE, 128, 8, "overlaps", 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, sb, CL_TRUE, 0, 8, out, 0, NULL, NULL));
    assert_memory_equal(out, "overlaps", 8);
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, sa, sb, 120, 0, 16, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, sa, CL_TRUE, 255, 2, out, 0, NULL, NULL));
    OK(clReleaseMemObject(sa));
    OK(clReleaseMemObject(sb));
}

/* A sub-buffer of `parent`'s flags with flags `own`: they are refused, or what both say together. */
static void sub_flags(cl_mem_flags parent_flags, cl_mem_flags own, bool refused)
{
    static const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    cl_int err;
    cl_mem parent = buffer_new(parent_flags, 128, NULL);
    cl_mem mem = clCreateSubBuffer(parent, own, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 64}, &err);
    assert_int_equal(err, refused ? CL_INVALID_VALUE : CL_SUCCESS);
    if (mem) {
        cl_mem_flags want = (own & access ? own & access : parent_flags & access) |
                            (own & ~access ? own & ~access : parent_flags & ~access);
        assert_int_equal(QUERY(cl_mem_flags, clGetMemObjectInfo, mem, CL_MEM_FLAGS), want);
        OK(clReleaseMemObject(mem));
    }
    OK(clReleaseMemObject(parent));
}

/* It may narrow its parent's access, never widen it. */
static void test_sub_flags(void **state)
{
    (void)state;
    enum { RW = CL_MEM_READ_WRITE, RO = CL_MEM_READ_ONLY, WO = CL_MEM_WRITE_ONLY };
    enum { HOST_RO = CL_MEM_HOST_READ_ONLY, HOST_WO = CL_MEM_HOST_WRITE_ONLY, HOST_NONE = CL_MEM_HOST_NO_ACCESS };
    static const cl_mem_flags access[] = {RW, RO, WO}, host[] = {0, HOST_RO, HOST_WO, HOST_NONE};
    for (int p = 0; p < 3; p++)
        for (int s = 0; s < 3; s++) sub_flags(access[p], access[s], p != 0 && p != s);
    for (int p = 0; p < 4; p++)
        for (int s = 0; s < 4; s++) sub_flags(RW | host[p], host[s], p && s && s != p && host[s] != HOST_NONE);
}

static void test_map(void **state)
{
    (void)state;
    cl_int err;
    char out[16];
    cl_mem mem = buffer_new(0, 512, NULL);
    char *p = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 128, 64, 0, NULL, NULL, &err);
    OK(err);
    assert_int_equal((uintptr_t)p % 128, 0);
    char *p2 = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 128, 64, 0, NULL, NULL, &err);
    assert_ptr_equal(p, p2);
    assert_int_equal(QUERY(cl_uint, clGetMemObjectInfo, mem, CL_MEM_MAP_COUNT), 2);
    memcpy(p, "mapped", 7);
    OK(clEnqueueUnmapMemObject(queue, mem, p, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(queue, mem, p2, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, mem, p2, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, mem, out, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 128, 7, out, 0, NULL, NULL));
    assert_string_equal(out, "mapped");
    REFUSED(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 500, 13, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                                 8, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, mem, CL_TRUE, 64, 0, 8, 0, NULL, NULL, &err));
    OK(clReleaseMemObject(mem));
}

static void test_map_host_pointer(void **state)
{
    (void)state;
    cl_int err;
    _Alignas(128) char host[512] = "before", out[16];
    cl_mem mem = buffer_new(CL_MEM_USE_HOST_PTR, sizeof host, host);
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 128}, &err);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 7, out, 0, NULL, NULL));
    assert_string_equal(out, "before");
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 7, "device", 0, NULL, NULL));
    char *p = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &err);
    assert_ptr_equal(p, host);
    assert_string_equal(host, "device");
    memcpy(p, "client", 7);
    cl_event done;
    OK(clEnqueueUnmapMemObject(queue, mem, p, 0, NULL, &done));
    OK(clWaitForEvents(1, &done));
    OK(clReleaseEvent(done));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 7, out, 0, NULL, NULL));
    assert_string_equal(out, "client");
    p = clEnqueueMapBuffer(queue, sub, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 8, 8, 0, NULL, NULL, &err);
    assert_ptr_equal(p, host + 136);
    memcpy(p, "parents", 8);
    OK(clEnqueueUnmapMemObject(queue, sub, p, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 136, 8, out, 0, NULL, NULL));
    assert_string_equal(out, "parents");
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(mem));
}

static int gone[4], ngone;

static void CL_CALLBACK buffer_gone(cl_mem mem, void *data)
{
    (void)mem;
    gone[ngone++] = (int)(intptr_t)data;
}

/* Last registered first, after the last command has let go. */
static void test_destructors(void **state)
{
    (void)state;
    cl_int err;
    ngone = 0;
    cl_mem mem = buffer_new(0, 64, NULL);
    FAILS(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(mem, NULL, NULL));
    OK(clSetMemObjectDestructorCallback(mem, buffer_gone, (void *)1));
    OK(clSetMemObjectDestructorCallback(mem, buffer_gone, (void *)2));
    cl_event gate = clCreateUserEvent(context, &err), done;
    OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, "abc", 1, &gate, &done));
    OK(clReleaseMemObject(mem));
    assert_int_equal(ngone, 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    assert_int_equal(ngone, 2);
    assert_int_equal(gone[0], 2);
    assert_int_equal(gone[1], 1);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
}

static void test_migrate(void **state)
{
    (void)state;
    cl_event event;
    cl_mem mem = buffer_new(0, 64, NULL);
    OK(clEnqueueMigrateMemObjects(queue, 1, &mem, CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
                                  0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    assert_int_equal(QUERY(cl_command_type, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE),
                     CL_COMMAND_MIGRATE_MEM_OBJECTS);
    FAILS(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 0, &mem, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, &mem, 64, 0, NULL, NULL));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
}

/* Buffers are backed when first used; when the device is full the use fails, and others go on. */
static void test_device_full(void **state)
{
    (void)state;
    enum { MANY = 64 };
    cl_mem mems[MANY];
    cl_int err = CL_SUCCESS;
    char out[4] = "xyz";
    cl_ulong most = QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    cl_ulong total = QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    cl_mem small = buffer_new(CL_MEM_COPY_HOST_PTR, 4, "abc");
    int n = 0;
    for (; n < MANY && !err; n++) {
        mems[n] = buffer_new(0, most, NULL);
        err = clEnqueueWriteBuffer(queue, mems[n], CL_TRUE, most - 4, 4, out, 0, NULL, NULL);
        if (err) assert_true((cl_ulong)n * most >= total);
    }
    assert_int_equal(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    while (n--) OK(clReleaseMemObject(mems[n]));
    OK(clEnqueueReadBuffer(queue, small, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    assert_string_equal(out, "abc");
    cl_mem again = buffer_new(0, most, NULL);
    OK(clEnqueueWriteBuffer(queue, again, CL_TRUE, most - 4, 4, out, 0, NULL, NULL));
    OK(clReleaseMemObject(again));
    OK(clReleaseMemObject(small));
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_errors), cmocka_unit_test(test_queries), cmocka_unit_test(test_read_write),
        cmocka_unit_test(test_host_flags), cmocka_unit_test(test_rect), cmocka_unit_test(test_copy_overlap),
        cmocka_unit_test(test_copy_overlap_exhaustive), cmocka_unit_test(test_fill), cmocka_unit_test(test_sub_buffers),
        cmocka_unit_test(test_sub_flags), cmocka_unit_test(test_map), cmocka_unit_test(test_map_host_pointer), cmocka_unit_test(test_destructors),
        cmocka_unit_test(test_migrate), cmocka_unit_test(test_device_full),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
