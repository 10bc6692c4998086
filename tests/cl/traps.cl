// Things optimisers and selectors of vector machines get wrong.
// A local flag that is stored once.
//! run flag global=128 local=64/32
//! arg limit int = 100
//! arg out int[128] -> any
//! arg ok int[128] -> 1
kernel void flag(int limit, global int *out, global int *ok)
{
    local int found;
    int g = get_global_id(0), n = get_local_size(0);
    if (get_local_id(0) == 0) found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g == limit) found = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = found;
    ok[g] = found == (limit / n == g / n);
}

// A division guarded by its divisor.
//! run guarded global=32 local=32
//! arg d int[32] = i % 4
//! arg u int = 0
//! arg out int[32] -> i % 4 ? 1000 / (i % 4) + 1000 % (i % 4) : -1
//! arg uniform int[32] -> 5
kernel void guarded(global const int *d, int u, global int *out, global int *uniform)
{
    int i = get_global_id(0);
    out[i] = d[i] ? 1000 / d[i] + 1000 % d[i] : -1;
    uniform[i] = u ? 1000 / u : 5;
}

// Everybody reads what one work-item wrote.
//! run published global=64 local=64/32/16
//! arg slots int[64] = 0 -> any
//! arg out int[64] -> 1
kernel void published(volatile global int *slots, global int *out)
{
    int g = get_global_id(0), first = g - get_local_id(0);
    if (get_local_id(0) == get_local_size(0) - 1) slots[first] = g * 10;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[g] = slots[first] == (first + (int)get_local_size(0) - 1) * 10;
}

// A barrier in a loop whose count comes from memory.
//! run barrier_loop global=64 local=64/32
//! arg rounds int[1] = 5
//! arg out int[64] -> any
//! arg ok int[64] -> 1
kernel void barrier_loop(global const int *rounds, global int *out, global int *ok)
{
    local int ring[64];
    int l = get_local_id(0), n = get_local_size(0), r = rounds[0], v = l;
    for (int k = 0; k < r; k++) {
        ring[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = ring[(l + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = v;
    ok[get_global_id(0)] = v == (l + r) % n;
}

// Values swapped every turn by a loop (parallel copies).
//! run swapping global=32 local=32
//! arg out int[32] -> i % 3 == 0 ? 100 : i % 3 == 1 ? 200 : 300
kernel void swapping(global int *out)
{
    int i = get_global_id(0), a = 100, b = 200, c = 300;
    for (int k = 0; k < i % 3 + 3; k++) {
        int t = a;
        a = b;
        b = c;
        c = t;
    }
    out[i] = a;
}

// One element is read by all after different arms wrote it.
//! run last_writer global=32 local=32
//! arg cell int[32] = 0 -> i < 16 ? 5 : 9
kernel void last_writer(global int *cell)
{
    int i = get_global_id(0);
    global int *p = cell + i;
    if (i < 16) *p = 5;
    else *p = 6;
    if (*p == 6) *p += 3;
}

// Loop-carried uniform and varying values side by side.
//! run mixed global=40 local=40/8
//! arg n int = 9
//! arg out int[40] -> sum(k, 0, 9, k * k % 5 + (k % (i % 4 + 1) == 0 ? i : 0))
kernel void mixed(int n, global int *out)
{
    int i = get_global_id(0), u = 0, v = 0;
    for (int k = 0; k < n; k++) {
        u += k * k % 5;
        if (k % (i % 4 + 1) == 0) v += i;
    }
    out[i] = u + v;
}

// Booleans kept, negated and combined across branches.
//! run booleans global=32 local=32
//! arg out int[32] -> (i % 2 == 0) + 2 * (i % 3 == 0 && i % 2) + 4 * !(i % 5 == 0) + 8 * ((i > 7) ^ (i % 2 == 0))
kernel void booleans(global int *out)
{
    int i = get_global_id(0);
    bool even = i % 2 == 0, third = false, big;
    if (!even) third = i % 3 == 0;
    switch (i % 5) {
    case 0: big = false; break;
    default: big = true;
    }
    out[i] = even + 2 * third + 4 * big + 8 * ((i > 7) ^ even);
}

// Loads of sub-words, signed and not, from private memory at odd places.
//! run odd_private global=16 local=16
//! arg out int[16] -> (i + 1) + (i + 2) * 256 + uchar(i - 3)
kernel void odd_private(global int *out)
{
    int i = get_global_id(0);
    uchar b[9];
    char c[3];
    for (int k = 0; k < 9; k++) b[k] = i + k;
    for (int k = 0; k < 3; k++) c[k] = i - k - 1;
    uchar2 v = vload2(0, b + 1 + i % 2 * 0);
    out[i] = v.x + v.y * 256 + (uchar)c[2 - i % 1];
}
