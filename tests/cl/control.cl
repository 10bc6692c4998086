// Control flow on conditions that differ between work-items and on ones that do not.
//! run arms global=64 local=64/16/null
//! arg a int[64] = random(i) % 100
//! arg limit int = 10
//! arg out int[64] -> a[i] < 0 ? (a[i] < -50 ? a[i] * 2 : -a[i]) : (i % 2 ? a[i] + 10 : a[i] - 10) * 3
kernel void arms(global const int *a, int limit, global int *out)
{
    int i = get_global_id(0), v = a[i];
    if (v < 0) {
        if (v < -50) v *= 2;
        else v = -v;
    } else {
        if (i % 2) v += limit;
        else v -= limit;
        v *= 3;
    }
    out[i] = v;
}

// A loop each work-item leaves at its own time, with continue.
//! run collatz global=64 local=32
//! arg out int[64] -> {0, 0, 1, 7, 2, 5, 8, 16, 3, 19, 6, 14, 9, 9, 17, 17, 4, 12, 20, 20, 7, 7, 15, 15, 10, 23, 10,
//!     111, 18, 18, 18, 106, 5, 26, 13, 13, 21, 21, 21, 34, 8, 109, 8, 29, 16, 16, 16, 104, 11, 24, 24, 24, 11, 11,
//!     112, 112, 19, 32, 19, 32, 19, 19, 107, 107}
kernel void collatz(global int *out)
{
    int i = get_global_id(0), steps = 0;
    uint n = i;
    while (n > 1) {
        steps++;
        if (n % 2) {
            n = 3 * n + 1;
            continue;
        }
        n /= 2;
    }
    out[i] = steps;
}

//! run switches global=32 local=32
//! arg n int = 2
//! arg out int[32] -> (i % 7 == 0 ? 100 : i % 7 == 1 ? 211 : i % 7 == 2 ? 11 : i % 7 == 5 ? -5 : i) + 20
kernel void switches(int n, global int *out)
{
    int i = get_global_id(0), v;
    switch (i % 7) {
    case 0: v = 100; break;
    case 1: v = 200; v += 11; break;
    case 2: v = 11; break;
    case 5: v = -5; break;
    default: v = i;
    }
    switch (n) {
    case 1: v += 10; break;
    case 2: v += 20; break;
    case 3: v += 30;
    }
    out[i] = v;
}

//! run fall_through global=16 local=16
//! arg out int[16] -> (i % 4 <= 0) * 1 + (i % 4 <= 1) * 10 + (i % 4 <= 2) * 100
kernel void fall_through(global int *out)
{
    int i = get_global_id(0), v = 0;
    switch (i % 4) {
    case 0: v += 1;
    case 1: v += 10;
    case 2: v += 100;
    }
    out[i] = v;
}

//! run early_return global=64 local=64/8
//! arg out int[64] = -1 -> i % 5 == 0 ? -1 : i % 3 == 0 ? 1 : i > 40 ? sum(k, 0, i, k) : i
kernel void early_return(global int *out)
{
    int i = get_global_id(0);
    if (i % 5 == 0) return;
    if (i % 3 == 0) {
        out[i] = 1;
        return;
    }
    int s = 0;
    if (i > 40) {
        for (int k = 0;; k++) {
            if (k == i) {
                out[i] = s;
                return;
            }
            s += k;
        }
    }
    out[i] = i;
}

//! run nested_loops global=48 local=48/16
//! arg out int[48] -> sum(a, 0, i % 6, sum(b, 0, a + 1, b > 3 ? 0 : a * b + 1))
kernel void nested_loops(global int *out)
{
    int i = get_global_id(0), s = 0;
    for (int a = 0; a < i % 6; a++)
        for (int b = 0; b <= a; b++) {
            if (b > 3) break;
            s += a * b + 1;
        }
    out[i] = s;
}

// Loops that never run, for some or for all.
//! run zero_trips global=32 local=32
//! arg n int = 0
//! arg out int[32] -> i < 8 ? 5 : 5 + (i - 8)
kernel void zero_trips(int n, global int *out)
{
    int i = get_global_id(0), v = 5;
    for (int k = 0; k < n; k++) v += 1000;
    for (int k = 8; k < i; k++) v++;
    do v += n; while (n > 3);
    out[i] = v;
}

//! run short_circuit global=32 local=32
//! arg p int[32] = i % 4 == 0 ? 99 : i
//! arg table int[32] = 31 - i
//! arg out int[32] -> i % 4 != 0 && 31 - p[i] > 10 || i == 28
kernel void short_circuit(global const int *p, global const int *table, global int *out)
{
    int i = get_global_id(0);
    out[i] = (p[i] < 32 && table[p[i]] > 10) || i == 28;
}

// Depth: each level keeps fewer work-items.
//! run deep global=32 local=32
//! arg out int[32] -> i == 31 ? 93 : i >= 16 ? i + 16 : i >= 8 ? i + 8 : i >= 4 ? i + 4 : i
kernel void deep(global int *out)
{
    int i = get_global_id(0), v = i;
    if (i >= 4) {
        if (i >= 8) {
            if (i >= 16) {
                if (i >= 24) {
                    if (i >= 28) {
                        if (i >= 30) {
                            if (i >= 31) v += 15 + 31;
                        }
                    }
                }
                v += 16;
            } else {
                v += 8;
            }
        } else {
            v += 4;
        }
    }
    out[i] = v;
}
