/* What depends on the machine: work-items, synchronisation, copies by a group, printf.
 *
 * Definitions in the library's own files replace libclc's of the same name. Every function is inlined into its caller,
 * so nothing here may be recursive. Compiled as OpenCL C 3.0 (meson.build). */
#include "library.h"

/* ---- work-items ---- */

OVERLOAD size_t get_local_linear_id(void) { return __ventus_lane() + __ventus_csr(CSR_TID); }
OVERLOAD uint get_work_dim(void) { return __ventus_meta(ABI_META_WORK_DIM); }

/* Reading by a constant number keeps the words uniform and known to reqd_work_group_size. */
static uint word3(uint dim, uint a, uint b, uint c) { return dim == 0 ? a : dim == 1 ? b : c; }
static uint meta3(uint first, uint dim) { return word3(dim, __ventus_meta(first), __ventus_meta(first + 4), __ventus_meta(first + 8)); }

OVERLOAD size_t get_local_size(uint dim) { return dim < 3 ? meta3(ABI_META_LOCAL_SIZE, dim) : 1; }
OVERLOAD size_t get_enqueued_local_size(uint dim) { return get_local_size(dim); }
OVERLOAD size_t get_global_size(uint dim) { return dim < 3 ? meta3(ABI_META_GLOBAL_SIZE, dim) : 1; }
OVERLOAD size_t get_global_offset(uint dim) { return dim < 3 ? meta3(ABI_META_GLOBAL_OFFSET, dim) : 0; }

OVERLOAD size_t get_group_id(uint dim)
{
    return dim < 3 ? word3(dim, __ventus_csr(CSR_GIDX), __ventus_csr(CSR_GIDY), __ventus_csr(CSR_GIDZ)) : 0;
}

OVERLOAD size_t get_num_groups(uint dim)
{
    if (dim >= 3) return 1;
    uint local_size = get_local_size(dim);
    return (get_global_size(dim) + local_size - 1) / local_size;
}

/* Without a case for one-dimensional groups: a branch would cost as much as the division it saves,
 * and keep repeated calls from being merged. */
static uint local_x(void) { return get_local_linear_id() % __ventus_meta(ABI_META_LOCAL_SIZE); }
static uint local_y(void) { return get_local_linear_id() / __ventus_meta(ABI_META_LOCAL_SIZE) % __ventus_meta(ABI_META_LOCAL_SIZE + 4); }
static uint local_z(void) { return get_local_linear_id() / (__ventus_meta(ABI_META_LOCAL_SIZE) * __ventus_meta(ABI_META_LOCAL_SIZE + 4)); }

OVERLOAD size_t get_local_id(uint dim)
{
    switch (dim) {
    case 0: return local_x();
    case 1: return local_y();
    case 2: return local_z();
    default: return 0;
    }
}

OVERLOAD size_t get_global_id(uint dim)
{
    if (dim >= 3) return 0;
    return get_group_id(dim) * get_local_size(dim) + get_local_id(dim) + get_global_offset(dim);
}

OVERLOAD size_t get_global_linear_id(void)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

/* ---- synchronisation ---- */

OVERLOAD void barrier(cl_mem_fence_flags flags) { MEET(__ventus_barrier, 0) }
OVERLOAD void work_group_barrier(cl_mem_fence_flags flags) { MEET(__ventus_barrier, 0) }
OVERLOAD void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    if (scope == memory_scope_work_item) MEET(__ventus_barrier, 1)
    else if (scope == memory_scope_device) MEET(__ventus_barrier, 2)
    else if ((uint)scope == __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES) MEET(__ventus_barrier, 3)
    else MEET(__ventus_barrier, 0)
}
OVERLOAD void mem_fence(cl_mem_fence_flags flags) { (void)flags; FENCE(); }
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) { (void)flags; FENCE(); }
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) { (void)flags; FENCE(); }
OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    (void)flags;
    (void)order;
    (void)scope;
    FENCE();
}

/* ---- generic pointers: the address tells what it is of ---- */

static bool is_local(const void *p) { return (uint)p - ABI_LOCAL_BASE < ABI_LOCAL_LIMIT - ABI_LOCAL_BASE; }
static bool is_global(const void *p) { return (uint)p >= ABI_LOCAL_LIMIT; }

__global void *__to_global(void *p) { return is_global(p) ? (__global void *)p : 0; }
__local void *__to_local(void *p) { return is_local(p) ? (__local void *)p : 0; }
__private void *__to_private(void *p) { return is_local(p) || is_global(p) ? 0 : (__private void *)p; }
OVERLOAD cl_mem_fence_flags get_fence(const void *p) { return is_global(p) ? CLK_GLOBAL_MEM_FENCE : is_local(p) ? CLK_LOCAL_MEM_FENCE : 0; }
OVERLOAD cl_mem_fence_flags get_fence(void *p) { return get_fence((const void *)p); }

/* ---- copies by the whole group ---- */

#define COPY(T, TO, FROM) \
    OVERLOAD event_t async_work_group_copy(TO T *to, const FROM T *from, size_t n, event_t event) \
    { \
        for (uint i = get_local_linear_id(); i < n; i += group_items()) to[i] = from[i]; \
        return event; \
    }
#define STRIDED(T) \
    OVERLOAD event_t async_work_group_strided_copy(__local T *to, const __global T *from, size_t n, size_t stride, event_t event) \
    { \
        for (uint i = get_local_linear_id(); i < n; i += group_items()) to[i] = from[i * stride]; \
        return event; \
    } \
    OVERLOAD event_t async_work_group_strided_copy(__global T *to, const __local T *from, size_t n, size_t stride, event_t event) \
    { \
        for (uint i = get_local_linear_id(); i < n; i += group_items()) to[i * stride] = from[i]; \
        return event; \
    }
#define PREFETCH(T) OVERLOAD void prefetch(const __global T *p, size_t n) { (void)p; (void)n; }
#define MOVES(T) COPY(T, __local, __global) COPY(T, __global, __local) STRIDED(T) PREFETCH(T)
#define MOVES_ALL(T) MOVES(T) MOVES(T##2) MOVES(T##3) MOVES(T##4) MOVES(T##8) MOVES(T##16)
MOVES_ALL(char) MOVES_ALL(uchar) MOVES_ALL(short) MOVES_ALL(ushort) MOVES_ALL(int) MOVES_ALL(uint)
MOVES_ALL(long) MOVES_ALL(ulong) MOVES_ALL(half) MOVES_ALL(float) MOVES_ALL(double)

/* All copies are complete when the group has met. clang gives the built-in a generic pointer even where the language has
 * no generic address space. */
OVERLOAD void wait_group_events(int n, event_t *events)
{
    (void)n;
    (void)events;
    __ventus_barrier(3);
}

/* ---- printf: a record of isa/abi.h; print.c packs the arguments ---- */

int __ventus_print(uint format, uint nwords, const __private uint *words)
{
    uint size = __ventus_meta(ABI_META_PRINT_SIZE), bytes = (nwords + 2) * 4;
    __global uint *buffer = (__global uint *)__ventus_meta(ABI_META_PRINT_ADDR);
    if (!buffer || size < ABI_PRINT_HEADER || bytes > size - ABI_PRINT_HEADER) return -1;
    volatile __global uint *used = buffer, *complete = buffer + 1;
    uint full = 0; /* where this work-item found the buffer full, and is the one to have it emptied */
    bool done = false;
    /* No way through the loop waits for anybody, so that work-items of one warp cannot wait for each other. The
     * register is read for its place alone: it keeps the ways together until all have been gone. */
    do {
        if (full) {
            if (__sync_fetch_and_or(complete, 0u) == full - ABI_PRINT_HEADER) {
                __ventus_csr_swap(CSR_PRINT, full);
                full = 0;
            }
        } else if (__sync_fetch_and_or(used, 0u) <= size) {
            uint at = __sync_fetch_and_add(used, bytes);
            if (at <= size && bytes <= size - at) {
                __global uint *record = buffer + at / 4;
                record[0] = bytes;
                record[1] = format;
                for (uint i = 0; i < nwords; i++) record[i + 2] = words[i];
                FENCE();
                __sync_fetch_and_add(complete, bytes);
                done = true;
            } else if (at <= size) {
                full = at;
            }
        }
        __ventus_csr_poll(CSR_PRINT);
    } while (!done);
    return 0;
}
