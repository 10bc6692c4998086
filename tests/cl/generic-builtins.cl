// Built-in functions with generic pointers, and atomic operations through them.
//! options -cl-std=CL3.0

// Half of the work-items count in global, half in local memory.
//! run atomics global=64 local=64
//! arg g int[2] = {5, 0} -> {37, 32}
//! arg ok int[64] -> 1
kernel void atomics(global atomic_int *g, global int *ok)
{
    local atomic_int l[2];
    int i = get_local_id(0);
    if (i < 2) atomic_init(&l[i], i ? 0 : 5);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_int *p = i & 1 ? (atomic_int *)g : (atomic_int *)l;
    atomic_fetch_add(p, 1);
    int old = atomic_load(p + 1);
    while (!atomic_compare_exchange_weak_explicit(p + 1, &old, old + 1, memory_order_acq_rel, memory_order_relaxed, memory_scope_work_group)) {}
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    ok[i] = atomic_load(&l[0]) == 37 && atomic_load(&l[1]) == 32;
}

// The value that a failed exchange leaves in local and global memory.
//! run expected global=32
//! arg cell int[32] = i
//! arg want int[32] = 99 -> i
//! arg ok int[32] -> 1
kernel void expected(global atomic_int *cell, global int *want, global int *ok)
{
    local long wide[32];
    local atomic_long cells[32];
    int i = get_global_id(0);
    bool done = atomic_compare_exchange_strong(&cell[i], &want[i], 5);
    atomic_init(&cells[i], -i);
    wide[i] = 4;
    done |= atomic_compare_exchange_strong(&cells[i], &wide[i], 1L);
    ok[i] = !done && wide[i] == -i;
}

//! run parts global=64 local=32
//! arg out float[64] -> any
//! arg k int[64] -> any
//! arg ok int[64] -> 1
kernel void parts(global float *out, global int *k, global int *ok)
{
    local float shared[32];
    float own;
    int n, i = get_global_id(0), l = get_local_id(0);
    float *p = i % 3 == 0 ? (float *)&out[i] : i % 3 == 1 ? &own : (float *)&shared[l];
    int *q = i % 2 ? (int *)&k[i] : &n;
    float x = i + 0.25f;
    int good = fract(x, p) == 0.25f && *p == i;
    good &= modf(-x, p) == -0.25f && *p == -i;
    good &= frexp(48.0f, q) == 0.75f && *q == 6;
    good &= sincos(0.0f, p) == 0.0f && *p == 1.0f;
    good &= remquo(7.0f, 2.0f, q) == -1.0f && *q == 4;
    good &= fabs(lgamma_r(0.5f, q) - 0.5723649f) < 1e-5f && *q == 1;
    double d;
    good &= modf(2.5, &d) == 0.5 && d == 2.0;
    ok[i] = good;
}

//! run loads global=64 local=32
//! arg g uchar[256] = i % 200 -> any
//! arg ok int[64] -> 1
kernel void loads(global uchar *g, global int *ok)
{
    local uchar l[128];
    uchar own[4];
    int i = get_global_id(0), n = get_local_id(0);
    uchar *p = i % 3 == 0 ? (uchar *)g + 4 * i : i % 3 == 1 ? own : (uchar *)l + 4 * n;
    vstore4((uchar4)(i, 1, 2, 3), 0, p);
    uchar3 a = vload3(0, p);
    int good = a.x == i && a.y == 1 && a.z == 2 && vload2(1, p).y == 3;
    vstore_half(1.5f, 1, (half *)p);
    ok[i] = good && vload_half(1, (half *)p) == 1.5f && p[0] == i;
}
