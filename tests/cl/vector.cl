// Vector types: element-wise operators, components, loads and stores, selection, shuffles.
//! run float4s global=16 local=16/4
//! arg a float[64] = i * 0.5 - 7
//! arg b float[64] = i * i * 0.25
//! arg sums float[64] -> a[i] + b[i] * 2
//! arg swizzled float[64] -> a[i / 4 * 4 + 3 - i % 4]
//! arg totals float[16] -> a[4*i] + a[4*i+1] + a[4*i+2] + a[4*i+3]
kernel void float4s(global const float4 *a, global const float4 *b, global float4 *sums, global float4 *swizzled,
                    global float *totals)
{
    int i = get_global_id(0);
    float4 v = a[i];
    sums[i] = v + b[i] * 2.0f;
    swizzled[i] = v.wzyx;
    totals[i] = v.x + v.y + v.z + v.w;
}

//! run int3s global=8 local=8
//! arg packed int[24] = i * 7
//! arg s int = 5
//! arg v int3 = {1, 2, 3}
//! arg out int[24] -> packed[i] * 5 + i % 3 + 1
//! arg padded int[32] = 0 -> i % 4 == 3 ? 0 : packed[i / 4 * 3 + i % 4]
kernel void int3s(global const int *packed, int s, int3 v, global int *out, global int3 *padded)
{
    int i = get_global_id(0);
    int3 x = vload3(i, packed);
    vstore3(x * s + v, i, out);
    padded[i].x = x.x;
    padded[i].y = x.y;
    padded[i].z = x.z;
}

//! run bytes global=8 local=4
//! arg a uchar[128] = i * 3
//! arg b uchar16 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
//! arg sums uchar[128] -> a[i] + i % 16
//! arg evens uchar[64] -> a[2 * i]
//! arg high uchar[64] -> a[i / 8 * 16 + 8 + i % 8]
kernel void bytes(global const uchar16 *a, uchar16 b, global uchar16 *sums, global uchar8 *evens, global uchar8 *high)
{
    int i = get_global_id(0);
    sums[i] = a[i] + b;
    evens[i] = a[i].even;
    high[i] = a[i].hi;
}

//! run shorts_and_longs global=8 local=8
//! arg a short[64] = random(i)
//! arg squares int[64] -> a[i] * a[i]
//! arg c long[16] = random(i) >> 3
//! arg d long[16] -> c[i] * 3 - c[i ^ 1]
kernel void shorts_and_longs(global const short8 *a, global int8 *squares, global const long2 *c, global long2 *d)
{
    int i = get_global_id(0);
    int8 x = convert_int8(a[i]);
    squares[i] = x * x;
    d[i] = c[i] * 3L - c[i].yx;
}

//! run choose global=4 local=4
//! arg a int[16] = i - 8
//! arg b int[16] = i * 2 - 17
//! arg less int[16] -> a[i] < b[i] ? -1 : 0
//! arg smaller int[16] -> min(a[i], b[i])
//! arg selected int[16] -> a[i] < b[i] ? a[i] : b[i]
//! arg anyall int[4] -> {0, 0, 1, 3}
kernel void choose(global const int4 *a, global const int4 *b, global int4 *less, global int4 *smaller,
                   global int4 *selected, global int *anyall)
{
    int i = get_global_id(0);
    int4 c = a[i] < b[i];
    less[i] = c;
    smaller[i] = min(a[i], b[i]);
    selected[i] = select(b[i], a[i], c);
    anyall[i] = any(c) + 2 * all(c);
}

//! run shuffles global=4 local=4
//! arg a int[16] = i * 11
//! arg m uint4 = {3, 0, 2, 1}
//! arg one int[16] -> a[i / 4 * 4 + (i % 4 == 0 ? 3 : i % 4 == 1 ? 0 : i % 4 == 2 ? 2 : 1)]
//! arg two int[16] -> i % 2 ? a[i / 4 * 4 + i % 4] * -1 : a[i / 4 * 4 + i % 4]
kernel void shuffles(global const int4 *a, uint4 m, global int4 *one, global int4 *two)
{
    int i = get_global_id(0);
    one[i] = shuffle(a[i], m);
    two[i] = shuffle2(a[i], -a[i], (uint4)(0, 5, 2, 7));
}

// Components chosen at run time.
//! run dynamic global=16 local=16
//! arg a int[16] = i * 3
//! arg out int[16] -> a[i / 4 * 4 + i * 5 % 4]
//! arg set int[64] -> i % 4 == i / 4 % 4 ? 1 : 0
kernel void dynamic(global const int4 *a, global int *out, global int4 *set)
{
    int i = get_global_id(0);
    union { int4 v; int e[4]; } u, w;
    u.v = a[i / 4];
    out[i] = u.e[i * 5 % 4];
    w.v = 0;
    w.e[i % 4] = 1;
    set[i] = w.v;
}

//! run offsets global=8 local=8
//! arg a float[40] = i
//! arg out float[40] = 0.0 -> i < 33 && i > 0 ? a[i] : 0.0
kernel void offsets(global const float *a, global float *out)
{
    int i = get_global_id(0);
    vstore4(vload4(i, a + 1), 0, out + 1 + 4 * i);
}
