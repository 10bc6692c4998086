// 64-bit integers as pairs of registers: carries, compares, shifts by any amount, products, quotients,
// conversions, in scalar and in vector registers.
// run: arith global=64 local=32 args=b4096,b1024
// run: shifts global=64 local=32 args=b4096,b1024
// run: divide global=64 local=32 args=b2048,b1024
// run: uniform global=32 local=32 args=b256,-123456789012345,9876543210,7
// run: loop global=40 local=40 args=b512,b1024
kernel void arith(global ulong *o, global const ulong *t)
{
    int g = get_global_id(0);
    ulong a = t[g], b = t[(g + 7) & 127];
    long s = (long)a, r = (long)b;
    o[8 * g] = a + b;
    o[8 * g + 1] = a - b;
    o[8 * g + 2] = a * b;
    o[8 * g + 3] = (a & b) ^ (a | ~b);
    o[8 * g + 4] = (a < b) + 2 * (s < r) + 4 * (a <= 5) + 8 * (s >= -1) + 16 * (a == b) + 32 * (s != 0);
    o[8 * g + 5] = mul_hi(a, b) + (ulong)mul_hi(s, r);
    o[8 * g + 6] = min(a, b) ^ (ulong)max(s, r) ^ abs(s);
    o[8 * g + 7] = s < 0 ? -a : a + 1;
}
kernel void shifts(global ulong *o, global const ulong *t)
{
    int g = get_global_id(0);
    ulong a = t[g];
    o[8 * g] = a << g;
    o[8 * g + 1] = a >> g;
    o[8 * g + 2] = (ulong)((long)a >> g);
    o[8 * g + 3] = rotate(a, (ulong)g);
    o[8 * g + 4] = (a << 1) ^ (a << 31) ^ (a << 32) ^ (a << 33) ^ (a << 63);
    o[8 * g + 5] = (a >> 1) ^ (a >> 31) ^ (a >> 32) ^ (a >> 33) ^ (a >> 63);
    o[8 * g + 6] = (ulong)(((long)a >> 1) ^ ((long)a >> 31) ^ ((long)a >> 32) ^ ((long)a >> 33) ^ ((long)a >> 63));
    o[8 * g + 7] = clz(a) + popcount(a) * 100;
}
kernel void divide(global ulong *o, global const ulong *t)
{
    int g = get_global_id(0);
    ulong a = t[g], b = t[(g + 9) & 127] >> (g & 63) | 1;
    long s = (long)a, r = (long)b;
    if (r == -1) r = 2;
    o[4 * g] = a / b;
    o[4 * g + 1] = a % b;
    o[4 * g + 2] = (ulong)(s / r);
    o[4 * g + 3] = (ulong)(s % r) + a / 10;
}
kernel void uniform(global ulong *o, long a, ulong b, int n)
{
    int g = get_global_id(0);
    if (g == 5) {
        o[0] = (ulong)a + b;
        o[1] = (ulong)a * b - (b << n);
        o[2] = (ulong)(a >> n) ^ (b >> (n + 30));
        o[3] = (a < (long)b) + 2 * (b > (ulong)a);
        o[4] = (ulong)(a / n) + b % 1000;
        o[5] = (ulong)(int)a;
        o[6] = (uint)b;
        o[7] = (ulong)(char)n * 0x100000001ul;
    }
}
kernel void loop(global ulong *o, global const ulong *t)
{
    int g = get_global_id(0);
    ulong a = 1, b = t[3];
    long i = 0;
    for (; i < 40; i++) {
        a = a * 6364136223846793005ul + 1442695040888963407ul;
        if ((a >> 58) == (ulong)(g & 31)) break;
        b += a >> 7;
    }
    o[g] = a ^ b ^ (ulong)i;
}
#ifdef HOST
ARGS2(arith, global ulong *, global const ulong *)
ARGS2(shifts, global ulong *, global const ulong *)
ARGS2(divide, global ulong *, global const ulong *)
ARGS4(uniform, global ulong *, long, ulong, int)
ARGS2(loop, global ulong *, global const ulong *)
#endif
