// Memory of every kind: constant tables, pointers chosen at run time, unaligned vectors, struct copies,
// two-dimensional arrays, local structs, pointer arithmetic and comparison.
// run: tables global=64 local=32 args=b1024,b256,5
// run: pointers global=64 local=32 args=b512,b256,b256,3
// run: structs global=64 local=32 args=b2048,b2048
// run: matrix global=16,8 local=8,4 args=b512,b512
// run: constants global=64 local=32 args=b256,b256
constant int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
constant struct { char c; short s[3]; float f; ulong l; } mixed[2] = {{'a', {1, 2, 3}, 1.5f, 1ul << 40}, {'b', {4, 5, 6}, 2.5f, 7}};
constant uchar bytes[5] = {250, 1, 2, 3, 255};
constant float4 points[2] = {(float4)(1.0f, 2.0f, 3.0f, 4.0f), (float4)(5.0f, 6.0f, 7.0f, 8.0f)};
kernel void tables(global int *o, global const int *t, int n)
{
    int g = get_global_id(0), i = t[g] & 15;
    o[4 * g] = squares[i] + squares[n] + bytes[(uint)i % 5];
    o[4 * g + 1] = mixed[i & 1].s[(uint)i % 3] + mixed[n & 1].c;
    o[4 * g + 2] = (int)(mixed[i & 1].f + points[i & 1].z + points[n & 1].w);
    o[4 * g + 3] = (int)(mixed[g & 1].l >> 8);
}
kernel void pointers(global int *o, global const int *a, global const int *b, int n)
{
    int g = get_global_id(0);
    global const int *p = g & 1 ? a : b, *q = n > 2 ? a + n : b, *end = p + 30;
    int s = 0;
    for (int k = 0; p < end && k < 40; k++) {
        s += *p * k;
        p += 1 + (*p & 3);
        if (p == q) s ^= 0x1000;
    }
    o[g] = s + (int)(end - p);
    o[g + 64] = q[g & 31];
}
struct item { int a; char b[5]; short c; float2 d; };
kernel void structs(global struct item *o, global const struct item *t)
{
    int g = get_global_id(0);
    struct item x, y[2];
    x.a = t[g].a; x.c = t[g].c; x.d.x = 1.0f; x.d.y = (float)g;
    for (int i = 0; i < 5; i++) x.b[i] = t[g].b[i] + i;
    y[0] = x;
    y[1] = x;
    y[g & 1].a++;
    y[1].b[g % 5] = 9;
    local struct item l[32];
    l[get_local_id(0)] = y[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    struct item z = l[31 - get_local_id(0)];
    o[g].a = z.a + y[0].a;
    o[g].c = z.c;
    o[g].d = z.d.yx + y[1].d;
    for (int i = 0; i < 5; i++) o[g].b[i] = z.b[4 - i];
}
kernel void matrix(global int *o, global const int *t)
{
    local int tile[4][9];
    int x = get_local_id(0), y = get_local_id(1), m[3][3], s = 0;
    tile[y][x] = t[get_global_id(1) * 16 + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] = tile[(y + i) & 3][(x + j) & 7];
    for (int i = 0; i < 3; i++) s += m[i][(x + i) % 3] - m[(y + i) % 3][i] * (i + 1);
    o[get_global_id(1) * 16 + get_global_id(0)] = s;
}
kernel void constants(global int *o, constant int *t)
{
    int g = get_global_id(0);
    o[g] = t[g & 63] + t[3] + t[get_group_id(0)];
}
#ifdef HOST
ARGS3(tables, global int *, global const int *, int)
ARGS4(pointers, global int *, global const int *, global const int *, int)
ARGS2(structs, global struct item *, global const struct item *)
ARGS2(matrix, global int *, global const int *)
ARGS2(constants, global int *, constant int *)
#endif
