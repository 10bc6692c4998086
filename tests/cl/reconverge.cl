// Lanes that have left a loop run divergent code before the others go on in it: the join they wait for must stay known.
//! run leave global=64 local=64/32
//! arg trace int[64] = 0 -> any
//! arg out int[64] -> i % 7 <= i % 5 + 2 ? i % 7 + 10 * ((i + 6) / 7) : i % 5 + 2
kernel void leave(global int *trace, global int *out)
{
    int i = get_global_id(0), k = 0, n = 0;
    for (;; k++) {
        if (k == i % 7) {
            for (int left = i; left > 0; left -= 7) {
                trace[i] += left;
                n += 10;
            }
            break;
        }
        if (k == i % 5 + 2) break;
        trace[i]++;
    }
    out[i] = n + k;
}

// A loop in a loop: both may set the join once, or the outer for both.
//! run nested global=64 local=64
//! arg out int[64] -> sum(k, 0, i % 5 + 1, min(k, i % 3) + 1)
kernel void nested(global int *out)
{
    int i = get_global_id(0), n = 0;
    for (int k = 0; k <= i % 5; k++)
        for (int m = 0; m <= k; m++) {
            n++;
            if (m == i % 3) break;
        }
    out[i] = n;
}

// More code than a base reaches, against the same in a loop.
//! run large global=64 local=64
//! arg in int[64] = i * 7 + 1
//! arg out int[64] -> 1
#define STEP(n) \
    if (x >> ((n) & 15) & 1) x = x * 3 + in[(x + (n)) & 63] / (x | 1) + (n); \
    else x ^= x >> ((n) & 3);
#define STEP8(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)
kernel void large(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i];
    STEP8(0) STEP8(8) STEP8(16) STEP8(24) STEP8(32) STEP8(40) STEP8(48) STEP8(56) STEP8(64) STEP8(72)
    int y = x;
    x = in[i];
    for (int n = 0; n < 80; n++) STEP(n)
    out[i] = x == y;
}

// Both paths of a branch go on in the same code, but some lanes leave it out. The same of each work-item, where no
// branch is divergent, must give the same.
long rest_is_large(global const int *in, int i)
{
    long x = i, y = 1;
    for (int k = 0; k < 12; k++) {
        if ((in[(i + k) & 63] >> 2) & 1) {
            x = x * 3 + k;
            if ((x & 7) == 5) continue;
            y ^= x << 3;
        } else {
            y += in[(i * 5 + k) & 63];
            if ((y & 15) == 9) break;
        }
        x += in[(k * 7 + (int)(y & 31)) & 63] * y;
        y = (y >> 1) + x % (k + 3);
    }
    return x ^ y;
}

long rest_is_small(global const int *in, int i)
{
    long x = i;
    int n = 0, u = in[i & 63];
    while (n < 20) {
        u = u * 1664525 + 187;
        if (u >> 6 & 3) {
            if ((u >> 3 & 31) == 11) break;
            if ((u >> 9 & 7) == 2) {
                x += 3;
                goto next;
            }
            x ^= u;
        }
        x++;
    next:
        n += 1 + (u >> 5 & 1);
    }
    return x * 64 + n;
}

long falls_through(global const int *in, int i)
{
    long x = i, y = 3;
    for (int k = 0; k < 10; k++) {
        switch (in[(i + k) & 63] & 7) {
        case 0: x += in[(i + 3 * k) & 63];
        case 1: y = y * 5 + x; if (y & 4) break;
        case 2: x ^= y >> 2; break;
        case 3: y -= in[(i ^ k) & 63]; if (y & 1) continue;
        case 4: x = x * 7 + y;
        default: y += in[(k * i) & 63] % 9;
        }
        x += y << 1;
    }
    return x - y;
}

long goes_in(global const int *in, int i)
{
    long x = i, y = 7;
    for (int k = 0; k < 12; k++) {
        int u = in[(i * 3 + k) & 63];
        if (u & 4) goto middle;
        if (u & 8) {
            y += x * 3;
            if (u & 16) goto end;
        middle:
            x ^= in[(int)(y & 63)];
            if (u & 32) continue;
        } else {
            y -= u;
        }
        x += in[(k * 11 + (int)(y & 15)) & 63] * y;
    end:
        y ^= x >> 1;
    }
    return x + y;
}

// LLVM leaves both loops where the word has been found.
long finds(global const int *in, int i)
{
    long x = i;
    for (int s = 0; s < 40; s++) {
        bool ok = true;
        for (int p = 0; p < 4; p++)
            if ((in[(i + s + p) & 63] & 3) != (p & 2)) {
                ok = false;
                x += p;
                break;
            }
        if (ok) return x * 64 + s;
    }
    return -x;
}

// Three loops, which are left for three places, and a branch in each, the inner ones in as many iterations as lanes say.
long leaves(global const int *in, int i)
{
    long x = i, y = 1;
    for (int k = 0; k < 6; k++) {
        bool is = true;
        if (in[(i + k) & 63] & 8) {
            for (int m = 0; m < (in[(i ^ k) & 63] & 15); m++) {
                for (int n = 0; n <= m; n++) {
                    x = x * 5 + in[(n * i + m) & 63];
                    if ((x & 63) == 41) goto out;
                    if ((x & 15) == 3) {
                        is = false;
                        break;
                    }
                    y ^= x >> 2;
                }
                if (!is) break;
                if ((y & 31) == 9) goto next;
                y += in[(int)(x & 63)] / (k + 1);
            }
            if (is) y -= k;
        } else {
            if ((y & 7) == 6) break;
            y = y * 3 + k;
        }
        x ^= in[(int)(y & 63)];
    next:
        y++;
    }
out:
    return x * 3 + y;
}

// Loops without an end of their own.
long wanders(global const int *in, int i)
{
    long x = i, n = 0;
    for (;;) {
        if (x & 1) {
            x = x * 3 + in[(int)(n & 63)];
            if (n > 9 && (x & 12) == 8) return x;
        } else if (x & 2) {
            for (;; n++) {
                x = x * 7 + n;
                if ((x & 5) == 4) break;
                if (n > 30) return -x;
            }
        }
        x = (x >> 1) + in[(int)(x & 63)];
        if (++n > 40) break;
    }
    return x + n;
}

//! run left global=32 local=32
//! arg in int[64] = i * 977 + 31 * i * i
//! arg out int[96] -> 1
kernel void left(global const int *in, global int *out)
{
    int i = get_global_id(0);
    long found = 0, left = 0, wandered = 0;
    for (int g = 0; g < 32; g++) {
        long a = finds(in, g), b = leaves(in, g), c = wanders(in, g);
        if (g == i) found = a, left = b, wandered = c;
    }
    out[i] = finds(in, i) == found;
    out[i + 32] = leaves(in, i) == left;
    out[i + 64] = wanders(in, i) == wandered;
}

//! run shared global=32 local=32
//! arg in int[64] = i * 977 + 31 * i * i
//! arg out int[128] -> 1
kernel void shared(global const int *in, global int *out)
{
    int i = get_global_id(0);
    long large = 0, small = 0, falls = 0, goes = 0;
    for (int g = 0; g < 32; g++) {
        long a = rest_is_large(in, g), b = rest_is_small(in, g), c = falls_through(in, g), d = goes_in(in, g);
        if (g == i) large = a, small = b, falls = c, goes = d;
    }
    out[i] = rest_is_large(in, i) == large;
    out[i + 32] = rest_is_small(in, i) == small;
    out[i + 64] = falls_through(in, i) == falls;
    out[i + 96] = goes_in(in, i) == goes;
}

// Out of the inner of two loops into the rest of the outer one, and to two places behind both; the outer one is also left
// in front of the inner one.
int leaves_for(global const int *in, int i)
{
    int y = i, s, p;
    for (s = 0; s < 6; s++) {
        if ((in[(y + s) & 63] & 15) == 12) break;
        for (p = 0;; p++) {
            int t = in[(i + s * 3 + p * 5) & 63] & 31;
            switch (t) {
            case 10: goto rest;
            case 6: goto first;
            case 8: goto second;
            }
            y += t;
        }
    rest:
        y = y / (p + 1) + in[y & 63] / (s + 3);
    }
    return y + s;
first:
    for (int k = 0; k < 5; k++) y += in[(y + k + p) & 63] / (k + 1);
    return y + p;
second:
    for (int k = 0; k < 7; k++) y ^= in[(y + k * p) & 63] / (k + 2);
    return y - s;
}

//! run places global=32 local=32
//! arg in int[64] = i * 977 + 31 * i * i
//! arg out int[32] -> 1
kernel void places(global const int *in, global int *out)
{
    int i = get_global_id(0), y = 0;
    for (int g = 0; g < 32; g++) {
        int a = leaves_for(in, g);
        if (g == i) y = a;
    }
    out[i] = leaves_for(in, i) == y;
}

// Into a path of a divergent branch from in front of it, on a condition that is false, which the compiler sees only once
// vectors are scalars.
//! run never global=32 local=32
//! arg in int[64] = i * 977 + 31 * i * i + 1
//! arg v int[12] -> any
//! arg out int[64] -> any
//! arg same int[32] -> 1
int goes_past(global const int *in, int i, bool enters, global int *out)
{
    int x = in[i], y = in[i + 1] | 1, z = in[i + 7] / (x | 1);
    if (enters) goto inside;
    z = in[i + 9] / (z | 1);
    if (x & 4) {
        x = x / y + z;
        out[i] = y;
    inside:
        out[i + 32] = x * y;
        x = x / 3 + z;
    } else {
        y = y / 7 + z;
        out[i] = y;
        if (y & 4) goto past;
    }
    x = x / (y | 1) + x % (y | 1) + x % 5;
    out[i] = x;
    z = x % (z | 1);
past:
    return x + y * 3 + z;
}

kernel void never(global const int *in, global int4 *v, global int *out, global int *same)
{
    int i = get_global_id(0), y = 0;
    int4 a = (int4)(i, 1, 2, 3) * (int4)(in[i], 3, 5, 7), b = a + (int4)(1, 2, 3, i);
    v[0] = a;
    v[1] = b;
    int4 c = max(min(b.wzyx * a, (int4)(90, 91, 92, 93)), a * 5) + (b << 2);
    v[2] = c;
    int x = goes_past(in, i, c.y == 77777, out);
    for (int g = 0; g < 32; g++) {
        int u = goes_past(in, g, false, out);
        if (g == i) y = u;
    }
    same[i] = x == y;
}
