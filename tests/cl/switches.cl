// Switches of one to four cases, which become chains of comparisons (compiler/passes/switches.c), on values that differ
// between work-items. What the arms do is too much for a table or a choice.
//! run shared global=64 local=32
//! arg t int[64] = (i * 40503 >> 3 ^ i * i * 7) % 1000
//! arg out int[64] -> {7, 4847, 3665, 11367, 14913, 2163, 3905, 25303, 80837, 497, 167, 11825, 12323, 13361, 20791, 37402,
//!     3425, 16055, 12673, 1843, 11713, 4551, 18617, 1265, 32087, 16145, 12595, 15601, 28903, 17002, 10721,
//!     11159, 14513, 13203, 3505, 567, 48877, 9921, 21079, 1969, 4659, 13777, 12903, 35362, 10369, 727,
//!     769, 2099, 11473, 30487, 56017, 13969, 14919, 561, 7235, 5313, 12823, 35362, 13249, 44727, 13601,
//!     13459, 10593, 11111}
kernel void shared(global int *t, global int *out)
{
    int i = get_global_id(0), x = i, y = 1;
    switch (i % 7) {
    case 0:
    case 3:
        for (int k = 0; k < i % 5; k++) x += t[(i + k) % 64];
        y = 7;
        break;
    case 1: x = t[i] * 5; y = x + 2; break;
    case 5: y = 3; // falls through
    default: for (int k = 0; k < 2 + i % 3; k++) x ^= t[(i * 3 + k) % 64];
    }
    out[i] = x * 16 + y;
}

// Cases that are all there is: the default is never reached.
//! run covered global=64 local=32
//! arg t int[64] = (i * 40503 >> 3 ^ i * i * 7) % 1000
//! arg out int[64] -> {479, 1620, 2396, 1503, 1435, 3274, -1382, 14848, 793, 870, 878, -502, 3241, 3534, 3759, -621,
//!     13501, 2032, 24811, 1682, 2834, 3048, -356, 2308, 6501, 2214, -4442, 1698, 403, 6879, -215, 4242,
//!     310, 805, 4517, -1390, 2452, 3664, 1023, 1273, -1144, 13744, 76, 11341, 2043, -530, 3478, 5035,
//!     -1646, 5649, -298, 2252, 2823, 5393, 46102, 13972, 1374, 5839, -461, 1429, 631, -3131, 67, 2031}
kernel void covered(global int *t, global int *out)
{
    int i = get_global_id(0), x = 0;
    for (int k = 0; k < 6; k++) {
        switch ((t[(i + k) % 64] >> k) & 3) {
        case 2: for (int j = 0; j < k; j++) x += t[(i + j) % 64]; break;
        case 0: x = x * 3 + 1; break;
        case 3: x -= t[k]; if (x & 1) x ^= 0x55; break;
        case 1: x ^= t[(x & 31) + 1]; break;
        }
    }
    out[i] = x;
}

// One of two, and one of three, without a default.
//! run few global=64 local=32
//! arg t int[64] = (i * 40503 >> 3 ^ i * i * 7) % 1000
//! arg out int[64] -> {0, 1, 63, 9, 12, 6, 6, 7, 33, 9, 67, 197, 12, 13, 14, 15, 16, 10, 18, 57, 5, 21, 66, 24, 25, 25,
//!     26, 27, 193, 29, 30, 31, 490, 33, 34, 36, 37, 38, 75, 117, 120, 41, 42, 43, 502, 45, 103, 505, 48,
//!     49, 175, 52, 53, 54, 54, 165, 57, 57, 223, 517, 60, 61, 62, 249}
kernel void few(global int *t, global int *out)
{
    int i = get_global_id(0), x = i, n = t[i] % 10;
    switch (n) {
    case 4: for (int k = 0; k < i % 4; k++) x += t[k]; break;
    }
    switch (n) {
    case 9: x *= 3; for (int k = 0; k < i % 3; k++) x ^= t[k]; break;
    case 2: for (int k = 0; k < i % 3; k++) x += t[k + 5]; break;
    }
    switch (n) {
    case 1: x *= 3; for (int k = 0; k < i % 3; k++) x ^= t[k]; break;
    case 5: out[i] = -1; x++; break;
    case 8: for (int k = 0; k < i % 3; k++) x += t[k + 5];
    }
    out[i] = x + out[i] * 0;
}

// Values of 64, 16 and 8 bits, of both signs.
//! run widths global=64 local=32
//! arg t int[64] = (i * 40503 >> 3 ^ i * i * 7) % 1000
//! arg out int[64] -> {1003, 1313, 552, 1005, 16, 1349, 1712, 1031, -41, 744, 1837, 1565, 0, 744, 1377, 1003, 0, 749, 340,
//!     1841, 2235, 749, 664, 1999, 765, 1882, 1065, 1000, 1626, 1276, 121, 1026, 1475, 1715, 581, 1038, 16,
//!     2014, 1851, 1005, 16, 1370, 1328, 1652, 57, 744, 2971, 1565, 0, 749, 732, 1485, 729, 749, 1008,
//!     1613, 411, 747, 934, 1147, 1003, 1882, 385, 1000}
kernel void widths(global int *t, global int *out)
{
    int i = get_global_id(0), x = 0, n = t[i] % 4;
    long wide = n == 0 ? 0x100000001L : n == 1 ? -1L : n == 2 ? 1L : 0x7fffffff00000001L;
    short narrow = (short)(n * 0x5555 + (i & 1));
    char least = (char)(i * 64);
    switch (wide) {
    case 1: for (int k = 0; k < i % 3; k++) x += t[k]; break;
    case 0x100000001L: for (int k = 0; k < i % 3; k++) x ^= t[k + 7]; x += 3; break;
    case 0x7fffffff00000001L: for (int k = 0; k < i % 3; k++) x -= t[k]; x += 5; break;
    case -1: x = t[i]; if (x & 1) x ^= t[i / 2]; break;
    }
    switch (narrow) {
    case 0x5555: x *= 3; for (int k = 0; k < i % 2; k++) x += t[k]; break;
    case (short)0xaaaa: for (int k = 0; k < i % 4; k++) x += t[k]; break;
    case -1: x += 11; for (int k = 0; k < i % 4; k++) x ^= t[k]; break;
    default: x += 1000; for (int k = 0; k < i % 2; k++) x ^= t[k];
    }
    switch (least) {
    case 64: x ^= 0x100; for (int k = 0; k < i % 3; k++) x += t[k]; break;
    case -128: x += t[i / 3]; if (x & 2) x ^= t[i / 2]; break;
    case -64: for (int k = 0; k < i % 3; k++) x += t[k + 9]; break;
    }
    out[i] = x;
}

// In a loop, whose next iteration or end cases choose, and which the switch ends.
//! run rounds global=64 local=32
//! arg t int[64] = (i * 40503 >> 3 ^ i * i * 7) % 1000
//! arg out int[64] -> {409470, 23046, 19533, 76014, 23817, 18022, 896397, 16167, 30054, 258120, 12070, 76014, 64103,
//!     23079, 116268, 354669, 608266, 289101, 457515, 155145, 39658, 411691, 22922, 18474, 28047, 19854,
//!     17511, 68238, 29674, 81357, 47687, 261319, 33035, 424266, 1456239, 136230, 31466, 47721, 35722,
//!     26349, 397, 13389, 127368, 187431, 309612, 139662, 30889, 45192, 42954, 515342, 108361, 299273,
//!     12134, 24747, 93863, 444843, 4838, 26766, 18886, 56589, 63654, 397, 72874, 79887}
kernel void rounds(global int *t, global int *out)
{
    int i = get_global_id(0), x = i, y = 0, n = 0;
    for (;;) {
        n++;
        x = (x * 5 + t[x & 63]) & 1023;
        switch (x % 6) {
        case 0:
            y += t[n & 63];
            if (n < 30) continue;
            break;
        case 2:
            y ^= x;
            if (n > 9) goto end;
            break;
        case 4: if (n > 5) goto end; // falls through
        case 5: y = y * 3 + n; break;
        default: if (n > 12) goto end;
        }
        y++;
        if (n > 20) break;
    }
end:
    out[i] = y * 32 + n;
}

// A long division behind a switch of the lanes: each lane has its own divisor, although all of these are the same for all lanes.
//! run divided global=96
//! arg n long = 1000000000000007
//! arg a long = 3
//! arg b long = -70000000001
//! arg c long = 123456
//! arg d long = 9
//! arg e long = 77777777777
//! arg out long[192] -> (i % 2 ? n % (i / 2 % 5 == 0 ? a : i / 2 % 5 == 1 ? b : i / 2 % 5 == 2 ? c : i / 2 % 5 == 3 ? d : e) : n / (i / 2 % 5 == 0 ? a : i / 2 % 5 == 1 ? b : i / 2 % 5 == 2 ? c : i / 2 % 5 == 3 ? d : e))
kernel void divided(long n, long a, long b, long c, long d, long e, global long *out)
{
    long by;
    uint i = get_global_id(0);
    switch (i % 5) {
    case 0: by = a; break;
    case 1: by = b; break;
    case 2: by = c; break;
    case 3: by = d; break;
    default: by = e;
    }
    out[2 * i] = n / by;
    out[2 * i + 1] = n % by;
}
