// Addresses that grow in loops, and unrolled loops: all strides, starts and ends, with what is left over.
//! run strides global=64 local=64
//! arg n int = 13
//! arg in int[4096] = i * 3 + 1
//! arg up int[64] -> sum(k, 0, 13, (k * 64 + i) * 3 + 1)
//! arg down int[64] -> sum(k, 0, 13, ((12 - k) * 5 + i) * 3 + 1)
//! arg near int[64] -> sum(k, 1, 14, (i * 20 + k - 1) * 3 + 1 + 2 * ((i * 20 + k + 1) * 3 + 1))
//! arg wide int[64] -> sum(k, 0, 7, (i + k * 2 * 13) * 3 + 1)
kernel void strides(int n, global const int *in, global int *up, global int *down, global int *near, global int *wide)
{
    int i = get_global_id(0), a = 0, b = 0, c = 0, d = 0;
    for (int k = 0; k < n; k++) a += in[k * 64 + i];
    for (int k = n - 1; k >= 0; k--) b += in[k * 5 + i];
    for (int k = 1; k <= n; k++) c += in[i * 20 + k - 1] + 2 * in[i * 20 + k + 1];
    for (int k = 0; k < n; k += 2) d += in[i + k * n];
    up[i] = a;
    down[i] = b;
    near[i] = c;
    wide[i] = d;
}

// Each length, none included, in one launch each; the loop's end is the same in all lanes.
//! run lengths global=8 local=8
//! arg in int[64] = i + 1
//! arg out int[72] = 0 -> (i / 8) * (i / 8 + 1) / 2 + (i / 8) * (i % 8)
kernel void lengths(global const int *in, global int *out)
{
    int i = get_global_id(0);
    for (int n = 0; n < 9; n++) {
        int sum = 0;
        for (int k = 0; k < n; k++) sum += in[k + i];
        out[n * 8 + i] = sum;
    }
}

// Stores through advanced pointers, in local memory and with a condition.
//! run stores global=32 local=32
//! arg n int = 11
//! arg out int[352] = -1 -> i / 32 % 3 == 1 ? -1 : i
kernel void stores(int n, global int *out)
{
    local int s[352];
    int i = get_local_id(0);
    for (int k = 0; k < n; k++) s[k * 32 + i] = k * 32 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++)
        if (k % 3 != 1) out[k * 32 + i] = s[k * 32 + (i ^ 1) ^ 1];
}

// What the program says about unrolling, and private arrays that become registers.
//! run asked global=32 local=32
//! arg n int = 10
//! arg in int[64] = i * i
//! arg out int[32] -> sum(k, 0, 10, (i + k) * (i + k)) * 2 + sum(k, 0, 32, (k % 8) * (i + 1) + k)
kernel void asked(int n, global const int *in, global int *out)
{
    int i = get_global_id(0), a = 0, b = 0, w[8];
    #pragma unroll 3
    for (int k = 0; k < n; k++) a += in[i + k];
    __attribute__((opencl_unroll_hint(1)))
    for (int k = 0; k < n; k++) a += in[i + k];
    for (int k = 0; k < 8; k++) w[k] = k * (i + 1);
    for (int k = 0; k < 32; k++) b += w[k & 7] + k;
    out[i] = a + b;
}

// More long constants than the table is worth, in vectors and scalars, before and behind a branch.
//! run constants global=64 local=32
//! arg a float[64] = i * 0.5
//! arg out float[64] -> i % 3 == 0 ? (((a[i] * 1.25 + 2.3046875) * a[i] + 3.0009765625) * a[i] + 4.0009765625) * a[i] + 5.0009765625 : a[i] * 7.0009765625 + 8.0009765625 ~ 2ulp
kernel void constants(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float x = a[i], y;
    if (i % 3 == 0) {
        y = (((x * 1.25f + 2.3046875f) * x + 3.0009765625f) * x + 4.0009765625f) * x + 5.0009765625f;
    } else {
        out[i] = 1.0009765625f;
        y = x * 7.0009765625f + 8.0009765625f;
    }
    out[i] = y;
}

// Several addresses in a loop, which differ by rows, arrays, constants and factors, and by what differs from lane to lane; some lanes
// have no iteration.
//! run together global=64 local=32
//! arg n int = 70
//! arg m int = 3
//! arg a int[4096] = i * 5 + 1
//! arg b int[4096] = i * 3 - 7
//! arg rows int[64] -> sum(k, 1, 9, (k * 70 + i) * 5 + 1 + 3 * (((k - 1) * 70 + i) * 5 + 1) + 7 * (((k + 2) * 70 + i + 1) * 5 + 1))
//! arg mixed int[64] -> sum(k, 0, i % 4, (i * 8 + k) * 5 + 1 + 3 * ((i * 8 + k) * 3 - 7) + 9 * ((i * 7 + k + 3) * 5 + 1) + 11 * ((k * 3 + i + 70) * 3 - 7))
//! arg down int[64] -> sum(k, 0, 5, (500 - k * 3 - i) * 5 + 1 + 2 * ((500 - k * 3 - i - 70) * 5 + 1) + 4 * ((500 - k * 3 - i + 2) * 3 - 7))
//! arg scaled int[64] -> sum(k, 0, 5, (((i + k) * 3) * 2 + 1) * 5 + 1 + 2 * ((((i + k) * 3) * 2 + 70) * 5 + 1))
kernel void together(int n, int m, global const int *a, global const int *b, global int *rows, global int *mixed, global int *down,
                     global int *scaled)
{
    int i = get_global_id(0), s = 0, t = 0, u = 0, v = 0;
    for (int k = 1; k < m * m; k++) s += a[k * n + i] + 3 * a[(k - 1) * n + i] + 7 * a[(k + 2) * n + i + 1];
    for (int k = i * 8; k < i * 8 + i % 4; k++)
        t += a[k] + 3 * b[k] + 9 * a[k - i + m] + 11 * b[(k - i * 8) * m + i + n];
    for (int k = 0; k < 5; k++) u += a[500 - k * m - i] + 2 * a[500 - k * m - i - n] + 4 * b[502 - k * m - i];
    for (int k = 0; k < 5; k++) v += a[(i + k) * m * 2 + 1] + 2 * a[(i + k) * m * 2 + n];
    rows[i] = s;
    mixed[i] = t;
    down[i] = u;
    scaled[i] = v;
}

// A variable and its next value behind a loop: of a search, with a second exit in front of the step or behind it, read late in the
// loop, and in a loop around it.
//! run behind global=64 local=32
//! arg a int[256] = i * 2
//! arg found int[64] -> i + 10 + 1000 * (i + 11)
//! arg front int[64] -> i % 2 == 0 && i / 2 * 3 + 5 < i + 20 ? i / 2 * 3 + 5 : i + 20
//! arg late int[64] -> 3 * i + 3 + 10 * (i + 4)
//! arg around int[64] -> sum(k, 0, 3, i + 1 + 2 * k) + 3
kernel void behind(global const int *a, global int *found, global int *front, global int *late, global int *around)
{
    int i = get_global_id(0), k = i, sum = 0;
    while (a[k] < 2 * i + 20) k++;
    found[i] = k + 1000 * (k + 1);
    int stop = i % 2 == 0 ? i / 2 * 3 + 5 : 1000;
    for (k = i < 4 ? i : 4; k != stop && a[k + 1] <= 2 * i + 40; k++) {
    }
    front[i] = k;
    sum = 0, k = i;
    do {
        int next = k + 1;
        if (a[next] < 2 * i + 8) sum += k;
        k = next;
    } while (a[k] < 2 * i + 8);
    late[i] = sum + 10 * k;
    sum = 0, k = i;
    for (int n = 0; n < 3; n++) {
        while (a[k] < 2 * i + 4 * n + 1) k++;
        sum += k++;
        sum += n == 2 ? 3 : 0;
    }
    around[i] = sum;
}
