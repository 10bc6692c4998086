// Arguments of every size, many of them, and null pointers.
//! run every global=2 local=2
//! arg c char = -1
//! arg us ushort = 65535
//! arg v short3 = {1, 2, 3}
//! arg l long = -5000000000
//! arg c2 uchar2 = {7, 8}
//! arg f4 float4 = {0.5, 1.5, 2.5, 3.5}
//! arg f float = 0.25
//! arg l4 long4 = {10, 20, 30, 40}
//! arg i16 int16 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
//! arg last char = 99
//! arg out float[14] -> {-1, 65535, 1, 2, 3, 7, 8, 0.5, 1.5, 2.5, 3.5, 0.25, 15, 99}
//! arg longs long[5] -> {-5000000000, 10, 20, 30, 40}
kernel void every(char c, ushort us, short3 v, long l, uchar2 c2, float4 f4, float f, long4 l4, int16 i16,
                  char last, global float *out, global long *longs)
{
    out[0] = c;
    out[1] = us;
    out[2] = v.x;
    out[3] = v.y;
    out[4] = v.z;
    out[5] = c2.x;
    out[6] = c2.y;
    vstore4(f4, 0, out + 7);
    out[11] = f;
    out[12] = i16.sf;
    out[13] = last;
    longs[0] = l;
    vstore4(l4, 0, longs + 1);
}

//! run many global=16 local=16
//! arg a0 int = 1
//! arg a1 int = 2
//! arg a2 int = 4
//! arg a3 int = 8
//! arg a4 int = 16
//! arg a5 int = 32
//! arg a6 int = 64
//! arg a7 int = 128
//! arg a8 int = 256
//! arg a9 int = 512
//! arg b0 int[16] = i
//! arg b1 int[16] = i * 2
//! arg b2 int[16] = i * 3
//! arg b3 int[16] = i * 4
//! arg b4 int[16] = i * 5
//! arg b5 int[16] = i * 6
//! arg out int[16] -> 1023 + 21 * i
kernel void many(int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9,
                 global const int *b0, global const int *b1, global const int *b2, global const int *b3,
                 global const int *b4, global const int *b5, global int *out)
{
    int i = get_global_id(0);
    out[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + b0[i] + b1[i] + b2[i] + b3[i] + b4[i] + b5[i];
}
